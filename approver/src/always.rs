//! *Always allow*: writes exactly the entries that were shown.
//!
//! That they are derived from the segments that were shown, and from nothing else, was checked when the question was
//! read ([`WireQuestion::parse`]). What is looked at here is what the approver has to know by itself: an asker that
//! lies gets no entry that the guard's own prompt would not offer.
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use policy::Scope;
use policy::document::Entry;
use policy::wrapper::learnable;
use protocol::Shown;
use protocol::ask::WireQuestion;
use serde_json::Value;
use store::edit::{self, List, Target};

/// The entries of that scope, fit for the document.
///
/// # Errors
/// Why *always* is not offered for this question in that scope; one clause.
pub fn entries(question: &WireQuestion, scope: Scope) -> Result<Vec<Value>, String> {
    let entries = question.entries(scope).ok_or_else(|| match &question.always {
        Ok(_) => format!("not in the scope `{}`", scope.word()),
        Err(why) => why.clone(),
    })?;
    if question.agents.len() > 1 {
        return Err("the caller's agent is in doubt".into());
    }
    if question.agent == "*" {
        return Err("an entry is for one agent".into());
    }
    entries.iter().map(|e| plain(question, e).map(|()| edit::entry_value(e))).collect()
}

/// Refuses an entry for what is never stored, whatever the question says of it.
fn plain(question: &WireQuestion, entry: &Entry) -> Result<(), String> {
    let last = |path: &[u8]| path.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let shown = question.segments.iter().find(|s| s.found.as_deref() == Some(entry.pattern.as_bytes()));
    let real = shown.and_then(|s| s.real.as_deref()).map(last).unwrap_or_default();
    let typed = shown.and_then(|s| s.argv.first()).map(|w| last(w)).unwrap_or_default();
    let found = last(entry.pattern.as_bytes());
    if !entry.pattern.starts_with('/') || found.is_empty() || real.is_empty() {
        return Err("the program's path is not known".into());
    }
    if !learnable(&[&typed, &found, &real]) {
        return Err("a shell, interpreter or program that runs programs is never stored".into());
    }
    let masked = |word: &String| protocol::mask_text(word.as_bytes()) != word.as_bytes();
    let words: Vec<&[u8]> = entry.args.iter().flatten().map(String::as_bytes).collect();
    if entry.args.iter().flatten().any(masked) || protocol::mask_words(&words) != words {
        return Err("an argument looks like a secret".into());
    }
    Ok(())
}

/// Stores entries for an agent. Returns how many were new.
///
/// # Errors
/// They could not be written: what, where, what to do. Then the old document stands.
pub fn write(target: Option<&Target>, agent: &str, entries: &[Value]) -> Result<usize, String> {
    let target = target.ok_or("there is no place for a policy document")?;
    edit::add_entries(target, Some(agent), List::Allow, entries).map_err(|e| e.to_string())
}

/// Entries that are spelled out for a person at most.
const SHOWN: usize = 4;

/// What was stored, for whom and where, and how to take it back: lines for a person. `new` of them were.
pub fn told(file: &Path, agent: &str, entries: &[Value], new: usize) -> Vec<String> {
    let file = Shown::text(file.as_os_str().as_bytes());
    if new == 0 {
        return vec![format!("nothing new was stored: {file} says so for agent {agent} already")];
    }
    let agent_word = Shown::word(agent.as_bytes());
    let mut lines = Vec::new();
    for entry in entries.iter().take(SHOWN) {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        // Where one of them was there already, it has another id.
        let name = if new == entries.len() { text("id") } else { text("pattern") };
        let name = Shown::word(name.as_bytes());
        lines.push(format!("stored for agent {agent} in {file}: {}", summary(entry)));
        lines.push(format!(
            "to take it back: exec-guardctl approvals allowlist remove {name} --agent {agent_word}"
        ));
    }
    if entries.len() > SHOWN {
        lines.push(format!("and {} more: exec-guardctl approvals get", entries.len() - SHOWN));
    }
    lines
}

/// An entry in a few words.
fn summary(entry: &Value) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let mut out = text("pattern").unwrap_or_default().to_owned();
    match entry.get("args").and_then(Value::as_array) {
        Some(args) if args.is_empty() => out.push_str(", without arguments"),
        Some(args) => {
            for word in args.iter().filter_map(Value::as_str) {
                out.push(' ');
                out.push_str(Shown::word(word.as_bytes()).as_str());
            }
        }
        None => out.push_str(", any arguments"),
    }
    if let Some(cwd) = text("cwd") {
        out.push_str(&format!(", in {cwd}"));
    }
    out
}

#[cfg(test)]
mod tests;
