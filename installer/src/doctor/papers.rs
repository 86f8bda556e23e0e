//! What can be told by looking: the programs, the documents, the journal.
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use policy::document::Security;
use store::journal::Journal;

use super::fire;
use super::{Finding, State};
use crate::install::plan::Surroundings;
use crate::install::shown;

/// The guard beside us: is it there, does it start, is it of our version, can only its owner change it?
pub fn programs(s: &Surroundings) -> Vec<Finding> {
    let guard = s.here.join("exec-guard");
    let area = "program";
    // Before it is started.
    for path in [Some(guard.as_path()), guard.parent()].into_iter().flatten() {
        let Ok(meta) = std::fs::metadata(path) else { continue };
        if meta.mode() & 0o022 != 0 && meta.mode() & 0o1000 == 0 {
            let what = format!("{} can be written by others: they can replace the guard", shown(path));
            return vec![Finding::new(area, State::Broken, what).mend(format!("chmod go-w {}", shown(path)))];
        }
        if meta.uid() != 0 && meta.uid() != sys::ids::uid() {
            let what = format!("{} belongs to somebody else (uid {})", shown(path), meta.uid());
            return vec![Finding::new(area, State::Broken, what).mend("install it as root, or as yourself")];
        }
    }
    let said = match fire::run(&guard, &["--version"], b"") {
        Ok(said) => said,
        Err(e) => {
            let what = format!("{}: {e}", shown(&guard));
            return vec![
                Finding::new(area, State::Broken, what).mend("install exec-guard beside exec-guardctl"),
            ];
        }
    };
    let version = said.stdout.trim();
    let ours = protocol::version();
    if said.code != Some(0) || !version.ends_with(ours) {
        let what = format!("{} says `{version}`, exec-guardctl is {ours}", shown(&guard));
        return vec![Finding::new(area, State::Broken, what).mend("install both from one release")];
    }
    vec![Finding::new(area, State::Fine, format!("{version}, {}", shown(&guard)))]
}

/// The documents in force: can they be believed, and what do they leave open? And the journal.
pub fn policy() -> Vec<Finding> {
    let places = crate::approvals::places();
    let loaded = match store::load(&places) {
        Ok(loaded) => loaded,
        Err(e) => {
            let mend = "nothing runs until that is mended; exec-guardctl approvals get tells when it is";
            return vec![Finding::new("policy", State::Broken, e.to_string()).mend(mend)];
        }
    };
    let mut out = Vec::new();
    let policy = &loaded.policy;
    if policy.is_embedded() {
        let what = "there is no document; the embedded cautious policy rules";
        out.push(Finding::new("policy", State::Fine, what).mend("exec-guardctl init --preset developer"));
    } else {
        let files: Vec<&str> = policy.documents().into_iter().map(|(_, file)| file).collect();
        out.push(Finding::new("policy", State::Fine, files.join(", ")));
    }
    for note in policy.notes() {
        out.push(Finding::new("policy", State::Doubt, note).mend("exec-guardctl approvals get shows where"));
    }
    let mut agents: Vec<&str> = policy.approvals().flat_map(|d| d.agents()).collect();
    agents.push("*");
    agents.sort_unstable();
    agents.dedup();
    for agent in agents {
        let e = policy.effective(agent);
        if e.security.value == Security::Full {
            let what =
                format!("agent {agent}: everything runs but what the denylist names ({})", e.security.from);
            let mend = "set security to allowlist, if that is not meant";
            out.push(Finding::new("policy", State::Doubt, what).mend(mend));
        } else if e.ask_fallback.value == Security::Full {
            let what =
                format!("agent {agent}: what nobody can be asked about runs ({})", e.ask_fallback.from);
            out.push(Finding::new("policy", State::Doubt, what).mend("set askFallback to deny"));
        }
    }
    let quiet = policy.settings("main").hook_quiet;
    if !quiet.is_empty() {
        let names: Vec<String> = quiet.iter().map(|n| format!("`{}`", shown(Path::new(n)))).collect();
        let what = format!("hooks answer nothing for tools named {} (hook.quiet)", names.join(", "));
        out.push(Finding::new("policy", State::Fine, what));
    }
    out.extend(entries(policy));
    out.extend(journal(loaded.state.as_deref()));
    out
}

/// Entries that say more or less than was meant.
fn entries(policy: &policy::document::Policy) -> Vec<Finding> {
    let (mut out, mut absent) = (Vec::new(), Vec::new());
    let now = sys::time::now_ms();
    for document in policy.approvals() {
        for (agent, list, entry) in document.entries() {
            let wide = entry.pattern.chars().all(|c| matches!(c, '*' | '/' | '?'));
            if list == "allowlist" && wide && entry.args.is_none() {
                let (whose, pattern) = (agent.unwrap_or("defaults"), &entry.pattern);
                let what =
                    format!("{}: the entry `{pattern}` of {whose} allows every program", document.file);
                let mend = format!("exec-guardctl approvals allowlist remove '{pattern}' --agent {whose}");
                out.push(Finding::new("policy", State::Doubt, what).mend(mend));
            }
            let (whose, pattern) = (agent.unwrap_or("defaults"), entry.pattern.as_str());
            if let Some(why) = never(&entry, now) {
                let what =
                    format!("{}: the entry `{pattern}` of {whose} can never match: {why}", document.file);
                let option = if list == "allowlist" { String::new() } else { format!(" --list {list}") };
                let mend =
                    format!("exec-guardctl approvals allowlist remove '{pattern}' --agent '{whose}'{option}");
                out.push(Finding::new("policy", State::Doubt, what).mend(mend));
            } else if list == "allowlist" && is_plain(pattern) && !Path::new(pattern).exists() {
                absent.push(pattern.to_owned());
            }
        }
    }
    // Harmless, and presets name programs that not everybody has.
    if let Some(first) = absent.first() {
        let what = format!("{} entries name programs that are not here (`{first}` is one)", absent.len());
        out.push(Finding::new("policy", State::Fine, what));
    }
    out
}

/// True for a pattern that is one path.
fn is_plain(pattern: &str) -> bool {
    pattern.starts_with('/') && !pattern.contains(['*', '?', '[', '{'])
}

/// Why an entry matches nothing, whatever is installed.
fn never(entry: &policy::document::Entry, now: u64) -> Option<&'static str> {
    let pattern = entry.pattern.as_str();
    let odd = |part: &str| matches!(part, "." | "..");
    if entry.expires_at.is_some_and(|t| t <= now) {
        Some("it has expired")
    } else if pattern.split('/').any(odd) || pattern.contains("//") {
        Some("paths of programs have no `.`, `..` or empty part")
    } else if pattern.ends_with('/') {
        Some("no program's path ends with a slash")
    } else if is_plain(pattern) && Path::new(pattern).is_dir() {
        Some("it is a folder")
    } else {
        None
    }
}

fn journal(state: Option<&Path>) -> Option<Finding> {
    let Some(state) = state else {
        let what = "there is no place for a journal: no home, and no EXEC_GUARD_HOME";
        return Some(
            Finding::new("journal", State::Doubt, what).mend("set EXEC_GUARD_HOME to a folder of yours"),
        );
    };
    let journal = Journal::new(state, u64::MAX);
    match journal.read() {
        Ok(reading) => {
            let last = journal.current();
            let what = format!("{} ({} records)", shown(&last), reading.records.len());
            Some(Finding::new("journal", State::Fine, what))
        }
        Err(e) => {
            let what = format!("{}: {e}", shown(&journal.current()));
            Some(Finding::new("journal", State::Doubt, what).mend("exec-guardctl log verify"))
        }
    }
}
