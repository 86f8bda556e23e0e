//! A hook that stands in the settings and is not started all the same, or does not hold anything up.
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::install::agents::json::{self as text, command};
use crate::install::agents::{Extra, Handler, settings};

/// Why a handler of ours does not guard: the key that is to be mended, and a clause.
///
/// Source: code.claude.com/docs/en/hooks; the other agents took over the same words.
pub fn why(id: &str, handler: Handler, hook: &Value) -> Option<(&'static str, String)> {
    let kind = hook.get("type");
    if kind.is_some_and(|k| k != "command") || (id == "claude" && kind.is_none()) {
        return Some(("type", "its `type` is not `command`".into()));
    }
    if let Some(only) = hook.get("if")
        && !["Bash", "Bash(*)"].iter().any(|all| only == all)
    {
        return Some(("if", "`if` lets it start for some commands only".into()));
    }
    if hook.get("async").is_some_and(|v| *v != Value::Bool(false)) {
        return Some(("async", "`async`: the command does not wait for it".into()));
    }
    // Seconds; of these two milliseconds.
    let second = if ["gemini", "qwen"].contains(&id) { 1000.0 } else { 1.0 };
    for key in ["timeout", "timeoutSec"] {
        if hook.get(key).is_some_and(|v| v.as_f64().is_none_or(|n| n < second)) {
            return Some((key, format!("its `{key}` is below a second")));
        }
    }
    let (Handler::Group(_, extra) | Handler::Plain(extra, _)) = handler;
    extra.iter().find_map(|(key, want)| {
        let is = hook.get(key)?;
        let fits = match (*key, want) {
            ("onFailure" | "on_failure", Extra::Text(word)) => is == word,
            ("failClosed", Extra::Yes) => *is == Value::Bool(true),
            _ => true,
        };
        (!fits).then(|| (*key, format!("`{key}` lets commands run where it fails")))
    })
}

/// The switch by which an agent's hooks, or those of ours, are off, and the file it stands in.
///
/// # Errors
/// A file of the project that may hold one cannot be read, and why.
pub fn switched_off(
    id: &str,
    file: &Path,
    value: &Value,
    hooks: &[&Value],
) -> Result<Option<(PathBuf, &'static str)>, (PathBuf, String)> {
    if let Some(key) = off(id, value, hooks) {
        return Ok(Some((file.to_path_buf(), key)));
    }
    // A project's own settings count as well, where we stand in one.
    let Ok(here) = std::env::current_dir() else { return Ok(None) };
    let rel = match id {
        "claude" => &[".claude/settings.json", ".claude/settings.local.json"][..],
        "gemini" => &[".gemini/settings.json"],
        "qwen" => &[".qwen/settings.json"],
        _ => &[],
    };
    let mut doubt = None;
    for file in rel.iter().map(|rel| here.join(rel)) {
        let read = settings::foreign(&file).and_then(|text| match text.as_deref().map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text::value(text, false).map(Some),
        });
        match read {
            Ok(Some(value)) => {
                if let Some(key) = off(id, &value, hooks) {
                    return Ok(Some((file, key)));
                }
            }
            Ok(None) => {}
            Err(why) => doubt = Some((file, why)),
        }
    }
    doubt.map_or(Ok(None), Err)
}

/// The switch in one document.
fn off(id: &str, value: &Value, hooks: &[&Value]) -> Option<&'static str> {
    let is = |at: &str, want: bool| value.pointer(at).and_then(Value::as_bool) == Some(want);
    // Gemini CLI switches hooks off one by one, by their name or by their command.
    let named = |at: &str| {
        let list = value.pointer(at).and_then(Value::as_array);
        let says = |word: Option<&str>| {
            word.is_some_and(|w| list.is_some_and(|l| l.iter().any(|v| v.as_str() == Some(w))))
        };
        let gone = |h: &&Value| says(h.get("name").and_then(Value::as_str)) || says(command(h));
        !hooks.is_empty() && hooks.iter().all(gone)
    };
    match id {
        "claude" | "qwen" | "copilot" if is("/disableAllHooks", true) => Some("disableAllHooks"),
        "gemini" if is("/hooksConfig/enabled", false) => Some("hooksConfig.enabled"),
        "gemini" | "qwen" if named("/hooksConfig/disabled") => Some("hooksConfig.disabled"),
        "gemini" | "qwen" if named("/hooks/disabled") => Some("hooks.disabled"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::install::agents::Spec;

    #[test]
    fn a_handler_that_does_not_guard_is_known() {
        for (id, more, key) in [
            ("claude", json!({}), None),
            ("claude", json!({"if": "Bash(*)", "async": false, "timeout": 600, "onFailure": "block"}), None),
            ("claude", json!({"if": "Bash(git *)"}), Some("if")),
            ("claude", json!({"async": true}), Some("async")),
            ("claude", json!({"type": "prompt"}), Some("type")),
            ("claude", json!({"type": null}), Some("type")),
            ("claude", json!({"timeout": 0.001}), Some("timeout")),
            ("claude", json!({"timeout": "long"}), Some("timeout")),
            ("claude", json!({"onFailure": "allow"}), Some("onFailure")),
            ("gemini", json!({"timeout": 60000}), None),
            ("gemini", json!({"timeout": 600}), Some("timeout")),
            ("copilot", json!({"timeoutSec": 0}), Some("timeoutSec")),
            ("cursor", json!({"failClosed": true}), None),
            ("cursor", json!({"failClosed": false}), Some("failClosed")),
            ("goose", json!({"on_failure": "continue"}), Some("on_failure")),
        ] {
            let mut hook = json!({"type": "command", "command": "/g/exec-guard hook x"});
            hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let (_, handler) = Spec::named(id).unwrap().list().unwrap();
            assert_eq!(why(id, handler, &hook).map(|(key, _)| key), key, "{id} {hook}");
        }
    }

    #[test]
    fn hooks_are_switched_off_one_by_one() {
        let (ours, other) =
            (json!({"name": "exec-guard", "command": "/g hook gemini"}), json!({"command": "x"}));
        for (value, hooks, key) in [
            (
                json!({"hooksConfig": {"disabled": ["exec-guard"]}}),
                &[&ours][..],
                Some("hooksConfig.disabled"),
            ),
            (
                json!({"hooksConfig": {"disabled": ["/g hook gemini"]}}),
                &[&ours],
                Some("hooksConfig.disabled"),
            ),
            (json!({"hooks": {"disabled": ["exec-guard"]}}), &[&ours], Some("hooks.disabled")),
            (json!({"hooksConfig": {"disabled": ["other"]}}), &[&ours], None),
            (json!({"hooksConfig": {"disabled": ["exec-guard"]}}), &[&ours, &other], None),
        ] {
            assert_eq!(off("gemini", &value, hooks), key, "{value}");
        }
    }
}
