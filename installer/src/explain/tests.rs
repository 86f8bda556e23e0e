use super::*;
use policy::document::{Approvals, Policy};
use policy::{FakeWorld, Guard, decide};

fn world() -> FakeWorld {
    ["git", "ls", "rm", "timeout", "dash", "terraform"]
        .iter()
        .fold(FakeWorld::new(), |w, name| w.program(&format!("/usr/bin/{name}")))
        .link("/bin", "/usr/bin")
        .link("/usr/bin/sh", "/usr/bin/dash")
}

fn invocation(form: Form) -> Invocation {
    Invocation {
        form,
        env: vec![b"PATH=/usr/bin".to_vec()],
        cwd: Some(b"/work".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 10,
        home: Some(b"/home/u".to_vec()),
        unattended: true,
        guard: Guard::default(),
    }
}

const POLICY: &str = r#"{"version": 1, "defaults": {"security": "allowlist"}, "agents": {"main": {
    "allowlist": [{"pattern": "/usr/bin/ls"}, {"pattern": "/usr/bin/git", "args": ["log", "..."]}],
    "denylist": [{"pattern": "terraform"}]}}}"#;

fn with<T>(form: Form, f: impl FnOnce(&Report<'_>) -> T) -> T {
    let policy = Policy::of_user(Some(Approvals::parse(POLICY.as_bytes(), "f.json").unwrap()), None);
    let inv = invocation(form);
    let eval = decide(&policy, &inv, &world());
    f(&Report::new(&eval, &inv, &world()))
}

fn of_text(text: &[u8]) -> Form {
    Form::Text { text: text.to_vec(), shell: None, args: Vec::new() }
}

fn of_words(argv: &[&str]) -> Form {
    Form::Program { argv: argv.iter().map(|w| w.as_bytes().to_vec()).collect(), by_link: false }
}

fn printed(form: Form) -> String {
    with(form, |r| {
        let mut page = Page::new();
        r.print("command", &mut page);
        page.text().to_owned()
    })
}

/// What is underlined, by line: the source's words above runs of marks.
#[track_caller]
fn underlined(out: &str, words: &str) {
    let lines: Vec<&str> = out.lines().collect();
    let found = lines.windows(2).any(|w| {
        let Some((before, _)) = w[0].split_once(words) else { return false };
        let column = before.chars().count();
        let marks: String = w[1].chars().skip(column).take(words.chars().count()).collect();
        marks.chars().all(|c| c == '^' || c == '-') && marks.len() == words.len()
    });
    assert!(found, "{words:?} is not underlined:\n{out}");
}

#[test]
fn the_guilty_words_are_underlined_and_named() {
    let out = printed(of_text(b"ls -la && git push origin"));
    underlined(&out, "git push origin");
    assert!(out.starts_with("ask[args-miss]: a person would have to say yes (1 of its 2 parts"), "{out}");
    for part in [
        "[args-miss]",
        "the nearest entry is /usr/bin/git log ... (f.json:/agents/main/allowlist/1): its argument 1 is `log`, not `push`",
        "exec-guardctl approvals allowlist add /usr/bin/git --agent main --args push origin\n",
        "exec-guardctl approvals allowlist add /usr/bin/git --agent main --args push ...\n",
        "exec-guardctl approvals allowlist add /usr/bin/git --agent main\n",
        "security    allowlist (f.json:/defaults/security)",
    ] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
}

#[test]
fn commands_without_a_shell_have_places_too() {
    let out = printed(of_words(&["timeout", "5", "rm", "a b"]));
    underlined(&out, "rm 'a b'");
    let out = printed(of_words(&["terraform", "apply"]));
    underlined(&out, "terraform apply");
    assert!(out.starts_with("deny[denylist]: it would be refused"), "{out}");
    assert!(out.contains("f.json:/agents/main/denylist/0"), "{out}");
}

#[test]
fn what_is_allowed_says_by_what() {
    let out = printed(of_text(b"ls; git log -1"));
    assert!(out.starts_with("allow: it would run"), "{out}");
    underlined(&out, "git log -1");
    assert!(out.contains("allowlist: /usr/bin/git"), "{out}");
}

#[test]
fn foreign_bytes_move_nothing() {
    for text in [&b"rm \x1b[2J\xe2\x80\xae'x'\nls\r"[..], b"$(rm\n\xff)\n", b"", b"\n", b"ls\x00"] {
        let out = printed(of_text(text));
        assert!(!out.contains(['\x1b', '\r', '\u{202e}', '\0']), "{out:?}");
    }
}

#[test]
fn no_entry_is_offered_where_none_would_help() {
    let out = printed(of_text(b"ls > /etc/passwd"));
    assert!(out.contains("no entry would let it pass: an entry would not answer [redirection]"), "{out}");
    assert!(!out.contains("allowlist add"), "{out}");
}

#[test]
fn a_long_script_shows_what_matters() {
    let mut text = "ls a\n".repeat(300);
    text.push_str("rm -rf /\n");
    text.push_str(&"ls b\n".repeat(300));
    let out = printed(of_text(text.as_bytes()));
    underlined(&out, "rm -rf /");
    assert!(out.contains("301 |") && out.lines().count() < 40, "{out}");
}

#[test]
fn json_is_that_of_check_with_more() {
    with(of_text(b"ls\ngit push"), |r| {
        let mut got = r.json();
        assert_eq!(got["findings"][0]["line"], 2);
        assert_eq!(got["findings"][0]["column"], 1);
        assert_eq!(got["findings"][0]["nearest"]["from"], "f.json:/agents/main/allowlist/1");
        assert_eq!(got["edits"][2]["scope"], "program");
        let command = &got["edits"][0]["commands"][0];
        assert_eq!(command, "exec-guardctl approvals allowlist add /usr/bin/git --agent main --args push");
        assert_eq!(got["noEdit"], Value::Null);
        // Without what was added it is check's.
        let mut check = verdict::json(r.eval);
        for value in [&mut got, &mut check] {
            let map = value.as_object_mut().unwrap();
            map.remove("edits");
            map.remove("noEdit");
            for f in map["findings"].as_array_mut().unwrap() {
                let f = f.as_object_mut().unwrap();
                f.retain(|k, _| !["nearest", "line", "column"].contains(&k.as_str()));
            }
        }
        assert_eq!(got, check);
    });
}

#[test]
fn the_first_line_names_the_shell() {
    let shell = |text: &str| interpreter(text.as_bytes()).map(|s| s.map(|s| String::from_utf8(s).unwrap()));
    for (text, want) in [
        ("ls", None),
        ("#!/bin/bash\nls", Some("/bin/bash")),
        ("#! /usr/bin/env bash\n", Some("bash")),
        ("#!/usr/bin/env -S A=b zsh -f\n", Some("zsh")),
        ("#!/bin/sh -e", Some("/bin/sh")),
    ] {
        assert_eq!(shell(text).unwrap().as_deref(), want, "{text}");
    }
    for text in ["#!/usr/bin/python3\n", "#!\n", "#!/usr/bin/env\n"] {
        assert_eq!(shell(text).unwrap_err().exit, Exit::Usage, "{text}");
    }
}
