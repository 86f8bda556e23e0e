//! Calls that need no question: `security.approval.autoApprovePatterns`.
//!
//! A pattern is a glob over a *parsed field* of the call, never over the text of its JSON: `"command: git status*"`, or
//! an object with more than one, `{"tool": "browser", "url": "https://docs.example/*"}`. All of its fields must match, and
//! the call must have no other that counts. For a command, also one that is to be scheduled, every part of it must match
//! by itself: `git status; rm x` has a part that does not. And what a star stands for in a path or an address does not
//! lead out of what the pattern names: `/srv/*` is nothing of `/srv/../etc`.
use serde_json::{Map, Value};

/// Fields that say how much, not what.
const MEASURES: &[&str] = &["timeout", "maxOutput"];

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The tool it is for; any without.
    tool: Option<String>,
    /// Field and glob: `*` is anything, `?` one character.
    fields: Vec<(String, String)>,
}

impl Pattern {
    /// A pattern as documents write it.
    ///
    /// # Errors
    /// What is wrong with it, as the end of a sentence.
    pub fn of(value: &Value) -> Result<Pattern, String> {
        match value {
            Value::String(text) => {
                let (field, glob) = match text.split_once(':') {
                    Some((field, glob)) if is_field(field.trim()) => (field.trim(), glob.trim()),
                    _ => ("command", text.trim()),
                };
                if glob.is_empty() || glob.chars().all(|c| c == '*') {
                    return Err("would match every call".into());
                }
                Ok(Pattern { tool: None, fields: vec![(field.to_owned(), glob.to_owned())] })
            }
            Value::Object(map) => {
                let mut pattern = Pattern { tool: None, fields: Vec::new() };
                for (field, glob) in map {
                    let Some(glob) = glob.as_str() else { return Err("has a field that is no text".into()) };
                    match field.as_str() {
                        "tool" => pattern.tool = Some(glob.to_owned()),
                        _ => pattern.fields.push((field.clone(), glob.to_owned())),
                    }
                }
                if pattern.fields.is_empty() {
                    return Err("names no field".into());
                }
                Ok(pattern)
            }
            _ => Err("is no pattern".into()),
        }
    }

    /// True if it covers the call. `parts` are the commands of a command, each in one line; `None` for another tool, or
    /// where they are not known for certain.
    pub fn covers(&self, tool: &str, args: &Map<String, Value>, parts: Option<&[String]>) -> bool {
        if self.tool.as_ref().is_some_and(|t| t != tool) {
            return false;
        }
        let named = |key: &str| self.fields.iter().any(|(f, _)| f == key);
        // Tools that are given a command: it is judged by its parts, whatever name it is given under.
        let runs = matches!(tool, "bash" | "cron");
        let command = |key: &str| runs && is_command(key);
        let has_command = tool == "bash" || args.iter().any(|(key, value)| command(key) && !value.is_null());
        let counts = |key: &str| !MEASURES.contains(&key) && !command(key);
        if args.iter().any(|(key, value)| !value.is_null() && counts(key) && !named(key)) {
            return false;
        }
        self.fields.iter().all(|(field, pattern)| {
            if runs && field == "command" {
                return parts.is_some_and(|p| !p.is_empty() && p.iter().all(|part| glob(pattern, part)));
            }
            match args.get(field) {
                Some(Value::String(text)) => text == pattern || (!climbs(text) && glob(pattern, text)),
                Some(Value::Number(n)) => glob(pattern, &n.to_string()),
                _ => false,
            }
        }) && (!has_command || named("command"))
    }
}

/// True of a path or an address with a part that leads back to where it came from (`..`, also as addresses write it: RFC
/// 3986, 2.1): what it begins with says nothing of where it ends.
fn climbs(text: &str) -> bool {
    let plain = text.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    plain.split(['/', '\\', '?', '#']).any(|part| part == "..")
}

/// The names under which a command is given.
pub fn is_command(key: &str) -> bool {
    matches!(key, "command" | "cmd" | "_")
}

fn is_field(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// True if the whole text matches: `*` is anything, `?` one character.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut pi, mut ti, mut back) = (0, 0, None);
    loop {
        match (p.get(pi), t.get(ti)) {
            (Some('*'), _) => {
                back = Some((pi, ti));
                pi += 1;
                continue;
            }
            (Some('?'), Some(_)) => {
                (pi, ti) = (pi + 1, ti + 1);
                continue;
            }
            (Some(a), Some(b)) if a == b => {
                (pi, ti) = (pi + 1, ti + 1);
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        // The last star takes one character more.
        match back {
            Some((star, from)) if from < t.len() => {
                back = Some((star, from + 1));
                (pi, ti) = (star + 1, from + 1);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn globs() {
        for (pattern, text, want) in [
            ("git status*", "git status -s", true),
            ("git status", "git status -s", false),
            ("*b*c", "aabbcc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*", "", true),
            ("", "a", false),
            ("**x", "yyx", true),
            ("a*a*a*a*a*b", &"a".repeat(2000), false),
        ] {
            assert_eq!(glob(pattern, text), want, "{pattern} {text}");
        }
    }

    #[test]
    fn only_parsed_fields_count() {
        let p = |v: Value| Pattern::of(&v).unwrap();
        let covers = |pattern: Value, tool: &str, args: Value, parts: Option<&[&str]>| {
            let parts: Option<Vec<String>> = parts.map(|p| p.iter().map(|s| (*s).to_owned()).collect());
            p(pattern).covers(tool, args.as_object().unwrap(), parts.as_deref())
        };
        let git = json!("command: git status*");
        let call = json!({"command": "git status -s"});
        assert!(covers(git.clone(), "bash", call.clone(), Some(&["git status -s"])));
        // The seed looked for the words anywhere in the call.
        let hidden = json!({"command": "rm -rf x", "note": "git status"});
        assert!(!covers(git.clone(), "bash", hidden, Some(&["rm -rf x"])));
        let chain = json!({"command": "git status; rm x"});
        assert!(!covers(git.clone(), "bash", chain, Some(&["git status", "rm x"])));
        // What is not known for certain does not match.
        assert!(!covers(git.clone(), "bash", call.clone(), None));
        assert!(!covers(git.clone(), "bash", call.clone(), Some(&[])));
        // Nor does a call that says more.
        let env = json!({"command": "git status", "env": {"X": "1"}});
        assert!(!covers(git.clone(), "bash", env, Some(&["git status"])));
        let measured = json!({"command": "git status", "timeout": 5});
        assert!(covers(git, "bash", measured, Some(&["git status"])));
        // A plain text is one for the command.
        assert!(covers(json!("ls *"), "bash", json!({"cmd": "ls x"}), Some(&["ls x"])));
        let docs = json!({"tool": "browser", "url": "https://docs.example/*"});
        assert!(covers(docs.clone(), "browser", json!({"url": "https://docs.example/a"}), None));
        assert!(!covers(docs.clone(), "browser", json!({"url": "https://evil.example/docs.example/"}), None));
        assert!(!covers(docs, "image", json!({"url": "https://docs.example/a"}), None));
        // What is scheduled is a command like any other: by its parts, not by its text.
        let git = json!({"tool": "cron", "action": "add", "schedule": "*", "command": "git status*"});
        let add = |command: &str| json!({"action": "add", "schedule": "@daily", "command": command});
        assert!(covers(git.clone(), "cron", add("git status -s"), Some(&["git status -s"])));
        let chain = add("git status && rm x");
        assert!(!covers(git.clone(), "cron", chain, Some(&["git status", "rm x"])));
        assert!(!covers(git.clone(), "cron", add("git status > f"), None));
        let by_other_name = json!({"action": "add", "schedule": "@daily", "cmd": "git status; rm x"});
        assert!(!covers(git, "cron", by_other_name.clone(), Some(&["git status", "rm x"])));
        let silent = json!({"tool": "cron", "action": "*", "schedule": "*"});
        assert!(!covers(silent.clone(), "cron", by_other_name, Some(&["git status"])));
        let text = json!({"tool": "cron", "action": "*", "schedule": "*", "cmd": "git status*"});
        let cmd = json!({"action": "add", "schedule": "@daily", "cmd": "git status; rm x"});
        assert!(!covers(text, "cron", cmd, Some(&["git status", "rm x"])));
        assert!(covers(json!({"tool": "cron", "action": "list"}), "cron", json!({"action": "list"}), None));
        let remove = json!({"action": "remove", "id": "x"});
        assert!(covers(json!({"action": "remove", "id": "*x"}), "cron", remove.clone(), None));
        assert!(!covers(silent, "cron", remove, None));
        // A star leads nowhere else.
        let file = json!({"tool": "file", "path": "/srv/*"});
        for (path, want) in [
            ("/srv/a/b", true),
            ("/srv/..a/b..", true),
            ("/srv/../etc/passwd", false),
            ("/srv/a/..", false),
            ("/srv/a/..?x", false),
            ("/srv/%2E./etc", false),
            ("/srv/..%2fetc", false),
            ("/srv/..\\etc", false),
        ] {
            assert_eq!(covers(file.clone(), "file", json!({"path": path}), None), want, "{path}");
        }
        assert!(
            covers(json!({"path": "/w/../x"}), "file", json!({"path": "/w/../x"}), None),
            "to the letter"
        );
        // A pattern for another field says nothing of a command.
        assert!(!covers(
            json!({"cwd": "/w"}),
            "bash",
            json!({"command": "rm x", "cwd": "/w"}),
            Some(&["rm x"])
        ));
        for bad in [json!("*"), json!(""), json!({}), json!({"tool": "bash"}), json!({"url": 1}), json!(1)] {
            assert!(Pattern::of(&bad).is_err(), "{bad}");
        }
    }
}
