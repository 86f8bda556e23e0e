//! What stays in somebody else's settings when ours is taken out: a hook of ours that was changed since, and beside the
//! file what a run left that was killed.
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::json::{self, Mark, Put, command};
use super::settings::{self, Change};

/// Hooks in a text that call our guard and are not as they were put: a person wrapped the command, or put it under
/// another matcher. For people.
pub fn hooks(change: &Change, text: &str) -> Option<String> {
    let Change::Json(ops, loose) = change else { return None };
    let value = json::value(text, *loose).ok()?;
    let mut out = Vec::new();
    for op in ops {
        let Mark::Hook(agent) = &op.mark else { continue };
        let known: Vec<&str> =
            op.command().into_iter().chain(op.also.iter().flatten().map(String::as_str)).collect();
        let ours = |line: &str| match &op.also {
            Some(_) => known.iter().any(|c| line.contains(c)),
            None => json::calls(line, agent),
        };
        let list = op.at.iter().try_fold(&value, |v, key| v.get(key)).and_then(Value::as_array);
        for group in list.into_iter().flatten() {
            let inner = group.get("hooks").and_then(Value::as_array);
            let matcher = group.get("matcher").and_then(Value::as_str);
            let under = matcher.map(|m| format!(" under the matcher `{m}`")).unwrap_or_default();
            let lines = std::iter::once(group).chain(inner.into_iter().flatten()).filter_map(command);
            out.extend(lines.filter(|line| ours(line)).map(|line| format!("`{line}`{under}")));
        }
    }
    (!out.is_empty()).then(|| out.join(", "))
}

/// Removes what a run of ours that was killed left beside a settings file, if nothing is lost by that: what it was
/// writing, or what it took out and differs from what stands there by our entry alone. For whoever holds the lock.
pub fn tidy(path: &Path, change: &Change, puts: &[Put]) {
    for file in sys::swap::left(path) {
        if nothing_new(path, &file, change, puts) {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Such files that hold something else, which an agent may have written: nobody but a person removes them.
pub fn strange(path: &Path, change: &Change, puts: &[Put]) -> Vec<PathBuf> {
    let mut left = sys::swap::left(path);
    left.retain(|file| !nothing_new(path, file, change, puts));
    left
}

fn nothing_new(path: &Path, left: &Path, change: &Change, puts: &[Put]) -> bool {
    let text = |p: &Path| settings::foreign(p).map(Option::unwrap_or_default);
    let (Ok(now), Ok(was)) = (text(path), text(left)) else { return false };
    // Cut off while we wrote it.
    let ours = [change.put(&now).map(|(text, _)| text), without(&now, change, puts)];
    if ours.iter().flatten().any(|ours| ours.starts_with(&was)) {
        return true;
    }
    let plain = |text: &str| {
        let rest = without(text, change, puts).ok()?;
        Some(if rest.trim() == "{}" { String::new() } else { rest.trim().to_owned() })
    };
    plain(&was).is_some_and(|was| plain(&now) == Some(was))
}

fn without(text: &str, change: &Change, puts: &[Put]) -> Result<String, String> {
    Ok(change.take(text, puts)?.unwrap_or_else(|| text.to_owned()))
}
