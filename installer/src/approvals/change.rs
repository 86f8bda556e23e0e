//! `approvals allowlist add` and `remove`: one entry more or fewer.
use std::io::ErrorKind;

use jiff::tz::TimeZone;
use protocol::{Shown, shown};
use serde_json::{Map, Value};
use store::Loaded;
use store::edit::{List as Key, Target};

use super::{entry, set};
use crate::cli::{Add, List, Remove};
use crate::exit::{Exit, Failure};
use crate::{say, when};

/// The agent that stands for every agent.
const EVERY: &str = "*";

/// Adds an entry.
///
/// # Errors
/// It would match nothing, or the document could not be changed.
pub fn add(args: &Add) -> Result<Exit, Failure> {
    let places = super::places();
    let path = std::env::var_os("PATH");
    let fields = entry::entry(args, places.home.as_deref(), path.as_deref(), &when::now())?;
    let loaded = super::load(&places)?;
    let target = target(&loaded)?;
    let usage = super::usage(&loaded);
    let file = shown(&target.path);
    let list = key(args.list);
    let added = store::edit::edit(&target, |doc| {
        let added = store::edit::add_to(doc, Some(&args.agent), list, &[Value::Object(fields.clone())])?;
        if added > 0 {
            usage.fold(doc, &file);
        }
        Ok(added)
    })
    .map_err(set::failure)?;
    let whom = whom(&args.agent);
    let what = summary(&fields, when::now().time_zone());
    if added == 0 {
        say::word(format!("already on the {} of {whom}: {what}", list.key()));
        return Ok(Exit::Done);
    }
    say::word(format!("added to the {} of {whom}: {what}", list.key()));
    advise(args, &loaded);
    Ok(Exit::Done)
}

/// The entry in one line: the pattern, and each restriction, so that one that was forgotten is missed.
fn summary(entry: &Map<String, Value>, zone: &TimeZone) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let mut out = text("pattern").unwrap_or_default().to_owned();
    match entry.get("args").and_then(Value::as_array) {
        Some(words) if words.is_empty() => out.push_str(", without arguments"),
        Some(words) => {
            for word in words.iter().filter_map(Value::as_str) {
                out.push(' ');
                out.push_str(Shown::word(word.as_bytes()).as_str());
            }
        }
        None => out.push_str(", any arguments"),
    }
    if let Some(cwd) = text("cwd") {
        out.push_str(&format!(", in {cwd}"));
    }
    if let Some(at) = entry.get("expiresAt").and_then(Value::as_u64) {
        out.push_str(&format!(", until {}", when::local(at, zone)));
    }
    out
}

/// What the person may not expect of the new entry.
fn advise(args: &Add, before: &Loaded) {
    if args.list != List::Allowlist {
        return;
    }
    if args.args.is_none() {
        let name = args.pattern.rsplit('/').next().unwrap_or_default();
        if name.bytes().all(|b| matches!(b, b'*' | b'?')) {
            say::word("note: this is every program there, whatever it does with whatever arguments");
        } else if !policy::wrapper::learnable(&[name.as_bytes()]) {
            say::word(format!(
                "note: {name} runs code or programs that its arguments name; --args narrows what it may be given"
            ));
        }
    }
    // A plain path is mostly typed or pasted from elsewhere: where nothing lies there, the name may be right.
    let plain = args.pattern.starts_with('/') && !args.pattern.contains(['*', '?', '[', '{', '\\']);
    if plain && std::fs::symlink_metadata(&args.pattern).is_err_and(|e| e.kind() == ErrorKind::NotFound) {
        let name = args.pattern.rsplit('/').next().unwrap_or_default();
        let found = entry::search(name, std::env::var_os("PATH").as_deref());
        let there = found.map(|f| format!("; in PATH {name} is {}", shown(&f))).unwrap_or_default();
        say::word(format!("note: there is no {} here now{there}", args.pattern));
    }
    let effective = before.policy.effective(&args.agent);
    if effective.security.value != policy::document::Security::Allowlist {
        let word = match effective.security.value {
            policy::document::Security::Deny => "deny: nothing runs",
            _ => "full: it would run without an entry",
        };
        say::word(format!("note: security is {word} ({})", effective.security.from));
    }
    if effective.allow.len() > 1 {
        say::word("note: another layer has an allowlist as well; a program must be on both");
    }
}

/// Removes entries.
///
/// # Errors
/// There is none such, or the document could not be changed.
pub fn remove(args: &Remove) -> Result<Exit, Failure> {
    let words = args.args.as_deref().map(entry::args).transpose()?;
    let places = super::places();
    let loaded = super::load(&places)?;
    let target = target(&loaded)?;
    let list = key(args.list);
    let whom = whom(&args.agent);
    let mut removed = 0;
    if target.path.exists() {
        let usage = super::usage(&loaded);
        let file = shown(&target.path);
        removed = store::edit::edit(&target, |doc| {
            // Folded first: places are those the journal knows.
            let mut folded = doc.clone();
            usage.fold(&mut folded, &file);
            let goes =
                |entry: &Value| is(entry, &args.pattern) && words.as_ref().is_none_or(|w| same(entry, w));
            let mut removed = store::edit::remove_from(&mut folded, Some(&args.agent), list, &goes);
            if args.agent == EVERY {
                // What holds for every agent may as well stand in `defaults`: the presets write it there.
                removed += store::edit::remove_from(&mut folded, None, list, &goes);
            }
            if removed > 0 {
                *doc = folded;
            }
            Ok(removed)
        })
        .map_err(set::failure)?;
    }
    if removed == 0 {
        let failure =
            Failure::not(format!("pattern not found on the {} of {whom}: {}", list.key(), args.pattern));
        return Err(match elsewhere(&loaded, &args.pattern, &shown(&target.path)) {
            Some(place) => failure.advise(place),
            None => failure,
        });
    }
    let more = if removed > 1 { format!(" ({removed} entries)") } else { String::new() };
    say::word(format!("removed from the {} of {whom}: {}{more}", list.key(), args.pattern));
    Ok(Exit::Done)
}

/// True if an entry has this pattern, up to case, or this id.
fn is(entry: &Value, pattern_or_id: &str) -> bool {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let pattern = entry.as_str().or_else(|| text("pattern")).unwrap_or_default();
    pattern.trim().eq_ignore_ascii_case(pattern_or_id.trim()) || text("id") == Some(pattern_or_id)
}

/// True if an entry has exactly these arguments.
fn same(entry: &Value, words: &[String]) -> bool {
    let has = entry.get("args").and_then(Value::as_array);
    has.is_some_and(|has| has.iter().map(Value::as_str).eq(words.iter().map(|w| Some(w.as_str()))))
}

/// Where a pattern stands that was not found where it was looked for, and how to remove it there.
fn elsewhere(loaded: &Loaded, pattern: &str, editable: &str) -> Option<String> {
    loaded.policy.approvals().find_map(|document| {
        let (agent, list, entry) = document.entries().into_iter().find(|(_, _, e)| {
            e.pattern.trim().eq_ignore_ascii_case(pattern.trim()) || e.id.as_deref() == Some(pattern)
        })?;
        let there = format!("it is there: {}", entry.from);
        if *document.file != *editable {
            return Some(format!("{there}; that document is edited by hand"));
        }
        let agent = agent.filter(|a| *a != EVERY).map(|a| format!(" --agent {a}")).unwrap_or_default();
        let list = if list == Key::Allow.key() { String::new() } else { format!(" --list {list}") };
        let word = Shown::word(pattern.as_bytes()).into_string();
        Some(format!("{there}; exec-guardctl approvals allowlist remove {word}{agent}{list}"))
    })
}

/// The document that edits go to.
///
/// # Errors
/// There is no place for one.
pub fn target(loaded: &Loaded) -> Result<Target, Failure> {
    loaded.editable.clone().ok_or_else(|| {
        Failure::trouble("there is no place for a policy: the user database names no home for this user")
            .advise("set EXEC_GUARD_HOME to a folder of yours")
    })
}

fn key(list: List) -> Key {
    match list {
        List::Allowlist => Key::Allow,
        List::Asklist => Key::Ask,
        List::Denylist => Key::Deny,
    }
}

fn whom(agent: &str) -> String {
    if agent == EVERY { "every agent".to_owned() } else { format!("agent {agent}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_is_summed_up_with_its_restrictions() {
        let sum = |entry: Value| summary(entry.as_object().unwrap(), &TimeZone::UTC);
        for (entry, want) in [
            (json!({"pattern": "/b/x"}), "/b/x, any arguments"),
            (json!({"pattern": "/b/x", "args": []}), "/b/x, without arguments"),
            (json!({"pattern": "/b/x", "args": ["a b", "..."], "cwd": "~/s"}), "/b/x 'a b' ..., in ~/s"),
            (
                json!({"pattern": "/b/x", "expiresAt": 0}),
                "/b/x, any arguments, until 1970-01-01 00:00:00+00:00",
            ),
        ] {
            assert_eq!(sum(entry), want);
        }
    }

    #[test]
    fn entries_are_found_by_pattern_or_id() {
        for (entry, word, found) in [
            (json!("/Bin/ls"), "/bin/LS", true),
            (json!({"pattern": "/bin/ls", "id": "X"}), "X", true),
            (json!({"pattern": "/bin/ls", "id": "X"}), "x", false),
            (json!({"pattern": "/bin/lsx"}), "/bin/ls", false),
            (json!({}), "a", false),
        ] {
            assert_eq!(is(&entry, word), found, "{entry} {word}");
        }
        let words = vec!["a".to_owned(), "...".to_owned()];
        assert!(same(&json!({"args": ["a", "..."]}), &words));
        assert!(!same(&json!({"args": ["a"]}), &words) && !same(&json!({}), &words));
        assert!(same(&json!({"args": []}), &[]) && !same(&json!({}), &[]));
    }
}
