//! `approvals set`: a whole document in place of another.
use std::fs::File;
use std::io::{self, Read};

use policy::document::LoadErrorKind;
use store::edit::EditError;

use crate::cli::Set;
use crate::exit::{Exit, Failure};
use crate::say;

/// Largest document that is taken, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What `--base-hash` says where there is no document.
pub const NONE: &str = "none";

/// How often a change made at the same moment is waited out, where no base hash is given.
const TRIES: usize = 5;

/// Does it.
///
/// # Errors
/// The document would not be accepted, the hash is another, or it could not be written.
pub fn run(args: &Set) -> Result<Exit, Failure> {
    let (text, name) = input(args)?;
    let places = super::places();
    let target = super::change::target(&super::load(&places)?)?;
    let text = plain(&text, &name)?;
    let mut tries = TRIES;
    let hash = loop {
        let base = match args.base_hash.as_deref() {
            Some(NONE) => store::edit::hash(b""),
            Some(hash) => hash.to_owned(),
            None => store::edit::get(&target.path).map_err(failure)?.1,
        };
        tries = tries.saturating_sub(1);
        match store::edit::set_text(&target, &text, &base) {
            Err(EditError::Changed(_)) if args.base_hash.is_none() && tries > 0 => {}
            done => break done.map_err(failure)?,
        }
    };
    say::word(format!("{} is replaced; its hash is now {hash}", protocol::shown(&target.path)));
    // A key that is misspelt is kept and does nothing: who wrote it has to hear of it.
    if let Ok(document) = policy::document::Approvals::parse(text.as_bytes(), &name) {
        for note in &document.notes {
            say::word(format!("note: {note}"));
        }
    }
    Ok(Exit::Done)
}

/// The text and its name for messages.
fn input(args: &Set) -> Result<(Vec<u8>, String), Failure> {
    let mut text = Vec::new();
    let (name, read) = match &args.file {
        Some(path) => {
            let name = protocol::shown(path);
            let file = File::open(path).map_err(|e| Failure::usage(format!("{name}: {e}")))?;
            (name, file.take(MAX_BYTES + 1).read_to_end(&mut text))
        }
        None => ("standard input".to_owned(), io::stdin().take(MAX_BYTES + 1).read_to_end(&mut text)),
    };
    read.map_err(|e| Failure::usage(format!("{name}: {e}")))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Failure::usage(format!("{name}: larger than 1 MiB")));
    }
    Ok((text, name))
}

/// The document as plain JSON that the guard accepts.
fn plain(text: &[u8], name: &str) -> Result<String, Failure> {
    let wrong = |e: policy::document::LoadError| {
        let failure = Failure::usage(e.to_string());
        match e.kind {
            LoadErrorKind::Version => failure.advise("this program writes version 1"),
            _ => failure,
        }
    };
    let text = match policy::document::Approvals::parse(text, name) {
        Ok(_) => {
            return String::from_utf8(text.to_vec())
                .map_err(|_| Failure::usage(format!("{name}: not UTF-8")));
        }
        Err(e) if e.kind != LoadErrorKind::Syntax => return Err(wrong(e)),
        Err(_) => {
            let value = policy::document::json5(text, name).map_err(wrong)?;
            serde_json::to_string_pretty(&value).map_err(|e| Failure::usage(format!("{name}: {e}")))? + "\n"
        }
    };
    policy::document::Approvals::parse(text.as_bytes(), name).map_err(wrong)?;
    say::word(format!("{name} is JSON5; it is written as JSON, and its comments are not kept"));
    Ok(text)
}

/// An error of the writer, as this program ends with it.
pub fn failure(e: EditError) -> Failure {
    match e {
        EditError::Changed(now) => {
            Failure::not(format!("the document was changed meanwhile; its hash is now {now}"))
                .advise("read it again (exec-guardctl approvals get), then repeat the change")
        }
        EditError::Refused(what) => Failure::usage(what),
        e => Failure::trouble(e.to_string()),
    }
}
