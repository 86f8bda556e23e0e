//! *Always allow*: writes exactly the entries that were shown.
//!
//! That they are derived from the segments that were shown, and from nothing else, was checked when the question was
//! read ([`WireQuestion::parse`]). What is looked at here is what the approver has to know by itself: an asker that
//! lies gets no entry that the guard's own prompt would not offer.
use policy::Scope;
use policy::document::Entry;
use policy::wrapper::learnable;
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

#[cfg(test)]
mod tests;
