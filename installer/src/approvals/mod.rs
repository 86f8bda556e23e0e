//! `approvals`: show and edit exec-approvals.json, see and answer questions.
mod change;
mod entry;
mod get;
mod set;

pub mod pending;
mod resolve;
mod watch;

pub use change::target;
#[cfg(test)]
pub use entry::args as globs;
pub use set::failure;

use std::collections::BTreeMap;
use std::path::Path;

use policy::document::Policy;
use serde_json::Value;
use store::journal::Journal;
use store::usage::Usage;
use store::{Loaded, Places};
use sys::file::Owner;

use crate::cli::{Allowlist, Approvals};
use crate::exit::{Exit, Failure};
use crate::say::{self, Page};
use crate::when;

/// Does it.
///
/// # Errors
/// What was not done, and why.
pub fn run(command: &Approvals) -> Result<Exit, Failure> {
    match command {
        Approvals::Get(args) => show(args),
        Approvals::Set(args) => set::run(args),
        Approvals::Allowlist(Allowlist::Add(args)) => change::add(args),
        Approvals::Allowlist(Allowlist::Remove(args)) => change::remove(args),
        Approvals::Pending(args) => pending::run(args),
        Approvals::Resolve(args) => resolve::run(args),
        Approvals::Watch(args) => watch::run(args),
    }
}

fn show(args: &crate::cli::Get) -> Result<Exit, Failure> {
    let places = places();
    let loaded = load(&places)?;
    let usage = usage(&loaded);
    let texts = texts(&places, &loaded.policy)?;
    let base_hash = match &loaded.editable {
        Some(target) => store::edit::get(&target.path).map_err(set::failure)?.1,
        None => store::edit::hash(b""),
    };
    let base_hash = if base_hash == store::edit::hash(b"") { set::NONE.to_owned() } else { base_hash };
    let report = get::Report::new(
        &get::Sources {
            policy: &loaded.policy,
            texts: &texts,
            editable: loaded.editable.as_ref().map(|t| t.path.as_path()),
            base_hash,
            usage: &usage,
            now_ms: sys::time::now_ms(),
        },
        args.agent.as_deref(),
    );
    let mut page = Page::new();
    if args.json {
        page.json(&report.json());
    } else {
        report.print(&mut page, when::now().time_zone());
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if loaded.policy.is_embedded() {
        say::word("no exec-approvals.json is there yet; make one: exec-guardctl init --preset cautious");
    }
    Ok(Exit::Done)
}

/// Where documents may be, for this process.
pub fn places() -> Places {
    Places::from_process(&sys::environ::entries())
}

/// The documents in force.
///
/// # Errors
/// One of them cannot be used; the error says which, where and what to do.
pub fn load(places: &Places) -> Result<Loaded, Failure> {
    store::load(places).map_err(|e| Failure::trouble(e.to_string()))
}

/// The state folder; `None` if there is none. What lies there can be looked at also while a document cannot be used.
pub fn state() -> Option<std::path::PathBuf> {
    let places = places();
    match load(&places) {
        Ok(loaded) => loaded.state,
        Err(failure) => {
            say::word(format!("note: {}", failure.what));
            crate::init::folder(&places).ok()
        }
    }
}

/// The last uses of entries. That there is no journal, or none that can be read, is no reason not to show a policy.
fn usage(loaded: &Loaded) -> Usage {
    let Some(state) = &loaded.state else { return Usage::default() };
    match Journal::new(state, u64::MAX).read() {
        Ok(reading) => Usage::new(&reading.records),
        Err(e) => {
            say::word(format!("the journal cannot be read, so last uses are not known: {e}"));
            Usage::default()
        }
    }
}

/// The approvals documents as JSON, by the names the policy knows them by.
fn texts(places: &Places, policy: &Policy) -> Result<BTreeMap<String, Value>, Failure> {
    let mut out = BTreeMap::new();
    for document in policy.approvals() {
        let path = Path::new(&*document.file);
        let owner = if path.starts_with(&places.system) { Owner::Root } else { Owner::User(places.uid) };
        let text = store::locate::read(path, owner).map_err(|e| Failure::trouble(e.to_string()))?;
        let text = text.unwrap_or_default();
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        // It was read a moment ago; if it is gone or changed since, only what people read is missing.
        out.insert(document.file.to_string(), serde_json::from_slice(text).unwrap_or(Value::Null));
    }
    Ok(out)
}
