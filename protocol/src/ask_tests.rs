use super::*;
use policy::document::{Effective, Security};
use policy::{Decision, FakeWorld, Guard, decide_as};
use proptest::prelude::*;
use serde_json::json;

fn tree(q: &WireQuestion) -> Value {
    serde_json::from_str(&q.to_text()).unwrap()
}

fn world() -> FakeWorld {
    ["git", "tool", "dash", "env"]
        .iter()
        .fold(FakeWorld::new().link("/usr/bin/sh", "/usr/bin/dash"), |w, n| {
            w.program(&format!("/usr/bin/{n}"))
        })
}

fn words(words: &[&[u8]]) -> Form {
    Form::Program { argv: words.iter().map(|w| w.to_vec()).collect(), by_link: false }
}

fn text(text: &str) -> Form {
    Form::Text { text: text.into(), shell: Some(b"/usr/bin/sh".to_vec()), args: vec![] }
}

fn invocation(form: Form) -> Invocation {
    Invocation {
        form,
        env: vec![b"PATH=/usr/bin".to_vec()],
        cwd: Some(b"/home/u".to_vec()),
        agents: vec!["main".into()],
        session: Some("s".into()),
        now_ms: 1_800_000_000_000,
        home: None,
        unattended: true,
        guard: Guard::default(),
    }
}

fn judged(inv: &Invocation) -> Evaluation {
    let mut effective = Effective::built_in("main");
    effective.security.value = Security::Allowlist;
    let eval = decide_as(effective, inv, &world());
    assert_eq!(eval.decision, Decision::Ask, "{:?}", eval.findings);
    eval
}

fn question_of(inv: &Invocation) -> WireQuestion {
    let eval = judged(inv);
    let always = policy::proposals(&eval, inv, &world());
    let asker = Asker { host: b"h\x1b", uid: 1000, user: Some(b"u"), timeout_ms: 120_000, detached: false };
    WireQuestion::of(&eval, inv, always, asker).unwrap()
}

fn questions() -> Vec<WireQuestion> {
    let forms = [
        words(&[b"tool", b"status", b"a b"]),
        words(&[b"tool", b"\xff\n\x1b[2J"]),
        text("git log | tool x && echo $HOME"),
        text("git $(tool)"),
        text("if"),
        words(&[b"sh", b"-c", b"tool"]),
    ];
    forms.into_iter().map(|f| question_of(&invocation(f))).collect()
}

#[test]
fn what_is_written_is_read() {
    for q in questions() {
        assert_eq!(WireQuestion::parse(&q.to_text()), Ok(q.clone()), "{q:#?}");
    }
}

#[test]
fn a_person_is_shown_what_will_run() {
    let q = question_of(&invocation(words(&[b"tool", b"status", b"a b\xff"])));
    assert_eq!(q.argv, [b"tool".to_vec(), b"status".to_vec(), b"a b\xff".to_vec()]);
    assert_eq!((q.found.as_slice(), q.host.as_str()), (&b"/usr/bin/tool"[..], "h\\x1b"));
    assert_eq!(q.command().as_str(), "tool status $'a b\\xff'");
    assert_eq!(q.ground.code, "allowlist-miss");
    assert_eq!(tree(&q)["argv"][2], json!({"base64": "YSBi/w==", "shown": "a b\\xff"}));
    let scopes: Vec<Scope> = q.always.as_ref().unwrap().iter().map(|p| p.scope).collect();
    // What is no text has no pattern.
    assert_eq!(scopes, [Scope::Subcommand, Scope::Program]);
    assert_eq!(q.entries(Scope::Subcommand).unwrap()[0].args, Some(vec!["status".into(), "...".into()]));
    assert_eq!(q.entries(Scope::Arguments), None);
    let t = question_of(&invocation(text("tool x")));
    assert_eq!((t.command().as_str(), t.shell.as_deref(), t.is_text), ("tool x", Some("dash"), true));
    assert!(t.argv.contains(&b"tool x".to_vec()));
}

/// Each field once left out, of another kind, and one more that nobody knows.
#[test]
fn a_question_that_is_not_exact_is_none() {
    let optional = ["session", "user", "cwd", "text", "shell"];
    for q in questions() {
        let json = tree(&q);
        let map = json.as_object().unwrap();
        for (name, value) in map {
            for other in [json!([[value]]), json!(-1), json!(1.5), json!({"x": 1})] {
                let mut m = map.clone();
                m.insert(name.clone(), other);
                assert!(WireQuestion::parse(&Value::Object(m).to_string()).is_err(), "{name}");
            }
            let mut m = map.clone();
            m.shift_remove(name);
            let read = WireQuestion::parse(&Value::Object(m).to_string());
            assert_eq!(read.is_ok(), optional.contains(&name.as_str()), "without {name}: {read:?}");
        }
        for within in ["", "/policy", "/policy/from", "/ground", "/segments/0", "/always"] {
            let mut more = json.clone();
            let Some(m) = more.pointer_mut(within).and_then(Value::as_object_mut) else { continue };
            m.insert("more".into(), 1.into());
            assert!(WireQuestion::parse(&more.to_string()).is_err(), "{within}");
        }
    }
}

/// What *always* would store is for a program that is shown, and no more than its scope says.
#[test]
fn entries_for_what_is_not_shown_are_refused() {
    let q = question_of(&invocation(words(&[b"tool", b"status", b"x*"])));
    let good = tree(&q);
    let at = |scope: usize| format!("/always/scopes/{scope}/entries");
    assert_eq!(
        good.pointer(&at(0)),
        Some(&json!([{"pattern": "/usr/bin/tool", "args": ["status", "x[*]"]}]))
    );
    let bad = [
        (0, json!([{"pattern": "/usr/bin/tool"}])),
        (0, json!([{"pattern": "/usr/bin/tool", "args": ["status", "x*"]}])),
        (0, json!([{"pattern": "/usr/bin/tool", "args": ["..."]}])),
        (0, json!([{"pattern": "/usr/bin/git", "args": ["status", "x[*]"]}])),
        (0, json!([{"pattern": "/usr/bin/tool", "args": ["status", "x[*]"]}, {"pattern": "**"}])),
        (1, json!([{"pattern": "/usr/bin/tool", "args": ["...", "..."]}])),
        (1, json!([{"pattern": "/usr/bin/tool", "args": ["..."]}])),
        (2, json!([{"pattern": "**"}])),
        (2, json!([{"pattern": "/usr/bin/*"}])),
        (2, json!([{"pattern": "/usr/bin/tool", "hazards": "allow"}])),
        (2, json!([])),
        (2, json!("x")),
    ];
    for (scope, entries) in bad {
        let mut q = good.clone();
        *q.pointer_mut(&at(scope)).unwrap() = entries;
        assert!(WireQuestion::parse(&q.to_string()).is_err(), "{q}");
    }
    let mut asked = good.clone();
    asked["policy"]["ask"] = "always".into();
    assert!(WireQuestion::parse(&asked.to_string()).is_err(), "with ask=always there is no always");
    let mut both = good;
    both["always"]["none"] = "x".into();
    assert!(WireQuestion::parse(&both.to_string()).is_err());
}

#[test]
fn bytes_are_what_is_shown() {
    for bytes in [&b""[..], b"a", b"\xff", b"a\xff\n", "\u{202e}".as_bytes()] {
        assert_eq!(read_bytes(&serde_json::from_str(&bytes_json(bytes)).unwrap(), "x").as_deref(), Ok(bytes));
    }
    for bad in [
        json!({"base64": "/w==", "shown": "harmless"}),
        json!({"base64": "YQ==", "shown": "a"}),
        json!({"base64": "/w"}),
        json!({"base64": "/w==", "shown": "\\xff", "more": 1}),
        json!(1),
        json!(["a"]),
    ] {
        assert!(read_bytes(&bad, "x").is_err(), "{bad}");
    }
}

/// The key binds what was shown; time, session and patience are no part of it.
#[test]
fn the_key_is_of_what_was_shown() {
    let all = questions();
    let q = &all[0];
    let same = WireQuestion { asked_at_ms: 1, timeout_ms: 2, detached: true, session: None, ..q.clone() };
    assert_eq!(q.key(), same.key());
    let others = [
        WireQuestion { argv: vec![b"tool".to_vec()], ..q.clone() },
        WireQuestion { cwd: None, ..q.clone() },
        WireQuestion { agent: "x".into(), ..q.clone() },
        WireQuestion { found: b"/x".to_vec(), ..q.clone() },
        WireQuestion { digest: mac::sha256(b""), ..q.clone() },
    ];
    for o in others.iter().chain(&all[1..]) {
        assert_ne!(q.key(), o.key(), "{o:?}");
    }
}

/// The digest tells apart whatever would run otherwise.
#[test]
fn a_digest_is_of_everything_that_decides_what_runs() {
    let base = invocation(words(&[b"tool", b"a", b"b"]));
    let digest = |inv: &Invocation| policy::digest(&judged(inv));
    let env = |more: &str| Invocation { env: vec![b"PATH=/usr/bin".to_vec(), more.into()], ..base.clone() };
    let mut all = vec![
        digest(&base),
        digest(&invocation(words(&[b"tool", b"ab"]))),
        digest(&invocation(words(&[b"tool", b"a", b"b", b""]))),
        digest(&invocation(words(&[b"/usr/bin/tool", b"a", b"b"]))),
        digest(&invocation(words(&[b"git", b"a", b"b"]))),
        digest(&invocation(text("tool a b"))),
        digest(&invocation(text("tool a  b"))),
        digest(&Invocation { cwd: Some(b"/".to_vec()), ..base.clone() }),
        digest(&Invocation { cwd: None, ..base.clone() }),
        digest(&env("LD_PRELOAD=/a")),
        digest(&env("LD_PRELOAD=/b")),
        digest(&env("GIT_SSH_COMMAND=/b")),
        digest(&Invocation { env: vec![b"PATH=/usr/bin:/x".to_vec()], ..base.clone() }),
    ];
    let n = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), n);
    assert!(all.iter().all(|d| crate::field::is_hash(d)));
    // What decides nothing is no part of it.
    let same = Invocation { session: None, now_ms: 1, ..base.clone() };
    assert_eq!(digest(&base), digest(&same));
    assert_eq!(digest(&base), digest(&env("EDITORIAL=x")));
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in ".*") {
        let _ = WireQuestion::parse(&text);
    }

    /// A byte changed anywhere: a question or an error, and a question is written as it was read.
    #[test]
    fn a_changed_question_has_an_answer(which in 0usize..6, at in any::<prop::sample::Index>(), to in " -~") {
        let mut text = questions()[which].to_text();
        let at = at.index(text.len());
        if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
            text.replace_range(at..at + 1, &to);
        }
        if let Ok(q) = WireQuestion::parse(&text) {
            prop_assert_eq!(WireQuestion::parse(&q.to_text()), Ok(q));
        }
    }
}
