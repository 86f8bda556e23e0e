//! Commands with the verdict that is expected: examples of entries, and lists that people write.
use std::path::Path;

use policy::document::{Approvals, Entry, Example};
use policy::{Decision, Form};
use serde_json::Value;

use crate::exit::Failure;

/// What is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Exactly this.
    Is(Decision),
    /// Anything but running unattended.
    NotAllow,
}

impl Want {
    /// True if a verdict is what was expected.
    pub fn is_met(self, got: Decision) -> bool {
        match self {
            Want::Is(want) => got == want,
            Want::NotAllow => got != Decision::Allow,
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Want::Is(want) => want.word(),
            Want::NotAllow => "ask or deny",
        }
    }
}

/// A command with the verdict that is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The file it stands in.
    pub file: String,
    /// Its JSON pointer there.
    pub pointer: String,
    /// The list and pattern of its entry, if it is an example.
    pub rule: Option<(&'static str, String)>,
    /// What is to be judged.
    pub form: Form,
    /// Under the policy of this agent.
    pub agent: String,
    /// In this folder; `None` = here.
    pub cwd: Option<String>,
    /// What is expected.
    pub want: Want,
    /// Its author's words.
    pub note: Option<String>,
}

/// The examples of a document's entries.
pub fn examples(document: &Approvals) -> Vec<Case> {
    let mut out = Vec::new();
    for (agent, list, entry) in document.entries() {
        let agent = agent.filter(|a| *a != "*").unwrap_or("main");
        // What a denylist names is to be refused, not asked about.
        let refused = if list == "denylist" { Want::Is(Decision::Deny) } else { Want::NotAllow };
        let both = [
            ("allows", Want::Is(Decision::Allow), &entry.examples.allows),
            ("refuses", refused, &entry.examples.refuses),
        ];
        for (name, want, examples) in both {
            for (at, example) in examples.iter().enumerate() {
                out.push(case(document, agent, list, &entry, &format!("{name}/{at}"), want, example));
            }
        }
    }
    out
}

fn case(
    document: &Approvals,
    agent: &str,
    list: &'static str,
    entry: &Entry,
    at: &str,
    want: Want,
    example: &Example,
) -> Case {
    let file = document.file.to_string();
    let place = entry.from.strip_prefix(&*document.file).and_then(|p| p.strip_prefix(':'));
    let form = match example {
        Example::Text(text) => text_form(text, None),
        Example::Words(words) => words_form(words),
    };
    Case {
        pointer: format!("{}/examples/{at}", place.unwrap_or_default()),
        file,
        rule: Some((list, entry.pattern.clone())),
        form,
        agent: agent.to_owned(),
        cwd: None,
        want,
        note: None,
    }
}

fn text_form(text: &str, shell: Option<&str>) -> Form {
    Form::Text {
        text: text.as_bytes().to_vec(),
        shell: shell.map(|s| s.as_bytes().to_vec()),
        args: Vec::new(),
    }
}

fn words_form(words: &[String]) -> Form {
    Form::Program { argv: words.iter().map(|w| w.as_bytes().to_vec()).collect(), by_link: false }
}

/// The cases of a list that a person wrote: JSON or JSON5.
///
/// # Errors
/// [`Failure::usage`] with file and JSON pointer: a test that is not understood would pass for the wrong reason.
pub fn listed(text: &[u8], file: &str) -> Result<Vec<Case>, Failure> {
    let value = policy::document::json5(text, file).map_err(|e| Failure::usage(e.to_string()))?;
    let Some(items) = value.as_array() else {
        return Err(Failure::usage(format!("{file}:/: it is no list of tests"))
            .advise(r#"write [{"command": "git status", "expect": "allow"}]"#));
    };
    items.iter().enumerate().map(|(at, item)| one(item, file, &format!("/{at}"))).collect()
}

fn one(item: &Value, file: &str, pointer: &str) -> Result<Case, Failure> {
    let wrong = |field: &str, what: &str| {
        let slash = if field.is_empty() { "" } else { "/" };
        Failure::usage(format!("{file}:{pointer}{slash}{field}: {what}"))
    };
    let map = item.as_object().ok_or_else(|| wrong("", "a test is an object"))?;
    for key in map.keys() {
        const KEYS: &[&str] = &["command", "argv", "expect", "agent", "cwd", "shell", "note"];
        if !KEYS.contains(&key.as_str()) {
            return Err(wrong(key, "no such field").advise(format!("there are {}", KEYS.join(", "))));
        }
    }
    let text = |key: &str| match map.get(key) {
        None => Ok(None),
        Some(Value::String(t)) if !t.is_empty() => Ok(Some(t.clone())),
        Some(_) => Err(wrong(key, "it is a text that is not empty")),
    };
    let shell = text("shell")?;
    let form = match (map.get("command"), map.get("argv")) {
        (Some(Value::String(command)), None) => text_form(command, shell.as_deref()),
        (Some(_), None) => return Err(wrong("command", "it is a text")),
        (None, Some(argv)) => {
            let words: Option<Vec<String>> = argv
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default()
                .iter()
                .map(|w| w.as_str().map(str::to_owned))
                .collect();
            if shell.is_some() {
                return Err(wrong("shell", "it goes with `command` only"));
            }
            match words {
                Some(words) if !words.is_empty() => words_form(&words),
                _ => return Err(wrong("argv", "it is a list of texts that is not empty")),
            }
        }
        _ => return Err(wrong("", "a test has either `command` or `argv`")),
    };
    let want = match text("expect")?.as_deref() {
        Some("allow") => Decision::Allow,
        Some("ask") => Decision::Ask,
        Some("deny") => Decision::Deny,
        Some(_) => return Err(wrong("expect", "it is allow, ask or deny")),
        None => return Err(wrong("", "what does it expect? `expect` is missing")),
    };
    let cwd = text("cwd")?;
    if cwd.as_ref().is_some_and(|c| !Path::new(c).is_absolute() && !c.starts_with("~/")) {
        return Err(wrong("cwd", "it is an absolute path, or begins with ~/"));
    }
    Ok(Case {
        file: file.to_owned(),
        pointer: pointer.to_owned(),
        rule: None,
        form,
        agent: text("agent")?.unwrap_or_else(|| "main".into()),
        cwd,
        want: Want::Is(want),
        note: text("note")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_strictly() {
        let cases = listed(
            br#"[{"command": "ls", "expect": "allow"}, // JSON5
                 {"argv": ["git", "a b"], "expect": "ask", "agent": "x", "cwd": "~/src", "note": "why"},
                 {"command": "ls <(x)", "shell": "bash", "expect": "deny"}]"#,
            "f",
        )
        .unwrap();
        let seen: Vec<_> = cases.iter().map(|c| (c.pointer.as_str(), c.agent.as_str(), c.want)).collect();
        assert_eq!(
            seen,
            [
                ("/0", "main", Want::Is(Decision::Allow)),
                ("/1", "x", Want::Is(Decision::Ask)),
                ("/2", "main", Want::Is(Decision::Deny))
            ]
        );
        assert_eq!((cases[1].cwd.as_deref(), cases[1].note.as_deref()), (Some("~/src"), Some("why")));
        for (text, place) in [
            (r#"{"command": "ls"}"#, "f:/:"),
            (r#"[1]"#, "f:/0:"),
            (r#"[{"command": "ls"}]"#, "f:/0:"),
            (r#"[{"command": "ls", "expect": "Allow"}]"#, "f:/0/expect:"),
            (r#"[{"command": "ls", "expect": "ask", "agnt": "x"}]"#, "f:/0/agnt:"),
            (r#"[{"command": "ls", "argv": ["ls"], "expect": "ask"}]"#, "f:/0:"),
            (r#"[{"argv": [], "expect": "ask"}]"#, "f:/0/argv:"),
            (r#"[{"argv": ["a", 1], "expect": "ask"}]"#, "f:/0/argv:"),
            (r#"[{"argv": ["a"], "shell": "sh", "expect": "ask"}]"#, "f:/0/shell:"),
            (r#"[{"command": 1, "expect": "ask"}]"#, "f:/0/command:"),
            (r#"[{"command": "ls", "expect": "ask", "cwd": "src"}]"#, "f:/0/cwd:"),
            (r#"[{"command": "ls", "command": "rm", "expect": "ask"}]"#, "f:"),
            (r#"["#, "f:"),
        ] {
            let e = listed(text.as_bytes(), "f").expect_err(text);
            assert!(e.what.starts_with(place), "{text}: {e:?}");
        }
    }

    #[test]
    fn examples_have_places() {
        let doc = r#"{"version": 1, "agents": {"*": {"allowlist": ["/b/x",
            {"pattern": "/b/git", "examples": {"allows": ["git log"], "refuses": [["git", "push"]]}}]},
            "x": {"denylist": [{"pattern": "rm", "examples": {"refuses": ["rm x"]}}]}}}"#;
        let cases = examples(&Approvals::parse(doc.as_bytes(), "/a/f").unwrap());
        let seen: Vec<_> = cases.iter().map(|c| (c.pointer.as_str(), c.agent.as_str(), c.want)).collect();
        assert_eq!(
            seen,
            [
                ("/agents/*/allowlist/1/examples/allows/0", "main", Want::Is(Decision::Allow)),
                ("/agents/*/allowlist/1/examples/refuses/0", "main", Want::NotAllow),
                ("/agents/x/denylist/0/examples/refuses/0", "x", Want::Is(Decision::Deny)),
            ]
        );
    }
}
