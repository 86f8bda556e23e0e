use super::*;
use policy::Scope;
use proptest::prelude::*;

fn row() -> Row {
    Row {
        id: "a1".into(),
        state: State::Answered,
        agent: "main".into(),
        session: None,
        command: "ls".into(),
        cut: false,
        cwd: Some("/".into()),
        ground: "allowlist-miss".into(),
        asked_at_ms: 1,
        expires_at_ms: 2,
        detached: true,
        scopes: vec![Scope::Arguments, Scope::Program],
        choice: Some(Choice::AllowAlways(Scope::Program)),
        by: Some("cli".into()),
        reason: None,
        stored: Vec::new(),
        tool: Some(ToolCall {
            name: "bash".into(),
            user: "u".into(),
            channel: None,
            message: Some("m".into()),
        }),
    }
}

fn over() -> Override {
    Override {
        agent: "main".into(),
        session: Some("s".into()),
        security: Some("full".into()),
        ask: None,
        until_ms: 5,
        by: "cli".into(),
    }
}

fn run() -> Run {
    Run {
        id: "a1".into(),
        agent: "main".into(),
        command: "ls".into(),
        state: "finished".into(),
        started_at_ms: Some(1),
        code: Some(0),
        duration_ms: Some(2),
        reason: None,
    }
}

fn commands() -> Vec<Command> {
    let id = || "a1".to_owned();
    vec![
        Command::List { all: true, after: None },
        Command::List { all: false, after: Some(id()) },
        Command::Show { id: id() },
        Command::Resolve { id: id(), choice: Choice::AllowOnce, reason: None },
        Command::Resolve { id: id(), choice: Choice::AllowAlways(Scope::Arguments), reason: None },
        Command::Resolve { id: id(), choice: Choice::Deny, reason: Some("no".into()) },
        Command::Watch,
        Command::SessionSet {
            agent: "main".into(),
            session: None,
            security: Some("full".into()),
            ask: Some("off".into()),
            for_ms: 1000,
        },
        Command::SessionList,
        Command::SessionClear { agent: "main".into(), session: Some("s".into()) },
        Command::Runs,
        Command::RunShow { id: id() },
        Command::RunLog { id: id(), stderr: true, at: 3 },
        Command::Status,
        Command::PanelLink,
        Command::Shutdown,
    ]
}

fn answers() -> Vec<Answer> {
    let mut all = vec![
        Answer::Questions {
            rows: vec![row(), Row { choice: None, state: State::Waiting, ..row() }],
            more: true,
        },
        Answer::Question { row: row(), request: "{}".into() },
        Answer::Resolved { row: row(), note: Some("n".into()) },
        Answer::Sessions(vec![over()]),
        Answer::Runs(vec![run()]),
        Answer::Run(run()),
        Answer::Log(b"\xffx\n".to_vec()),
        Answer::Log(Vec::new()),
        Answer::Status(Status {
            version: "0".into(),
            pid: 1,
            started_at_ms: 2,
            waiting: 3,
            over: 4,
            socket: "/x".into(),
            panel: None,
            sessions: 5,
            faults: vec!["f".into()],
        }),
        Answer::Status(Status {
            version: "0".into(),
            pid: 1,
            started_at_ms: 2,
            waiting: 3,
            over: 4,
            socket: "/x".into(),
            panel: Some("http://127.0.0.1:1/".into()),
            sessions: 5,
            faults: Vec::new(),
        }),
        Answer::Link("http://127.0.0.1:1/".into()),
        Answer::Done,
    ];
    all.extend(Code::ALL.iter().map(|code| Answer::Error { code: *code, detail: None }));
    all
}

#[test]
fn what_is_written_is_read() {
    for c in commands() {
        assert_eq!(Command::parse(&c.to_json().to_string()), Ok(c));
    }
    let mut all: Vec<FromApprover> =
        answers().into_iter().map(|answer| FromApprover::Answer { n: 1, answer }).collect();
    let event =
        Event { row: Some(row()), code: Some(1), ..Event::new(EventKind::Finished, 9, Some("a".into())) };
    all.push(FromApprover::Event(event));
    all.push(FromApprover::Event(Event { session: Some(over()), ..Event::new(EventKind::Session, 9, None) }));
    for m in all {
        assert_eq!(FromApprover::parse(m.to_json().to_string().as_bytes()), Ok(m));
    }
}

#[test]
fn commands_are_exact_and_signed() {
    let token = Token::new("t").unwrap();
    let to = Challenge { nonce: crate::encode::base64(&[7; 32]), ts: 1 };
    for c in commands() {
        let mut json = c.to_json();
        json["more"] = true.into();
        assert!(Command::parse(&json.to_string()).is_err(), "{json}");
        let e = Envelope::new(&token, &to, 7, &c);
        assert_eq!(Envelope::parse(e.to_json().to_string().as_bytes()), Ok(e.clone()));
        assert!(e.is_true(&token, &to));
        assert!(!Envelope { n: 8, ..e.clone() }.is_true(&token, &to));
        assert!(!Envelope { command: "{}".into(), ..e.clone() }.is_true(&token, &to));
        assert!(!e.is_true(&token, &Challenge { ts: 2, ..to.clone() }));
    }
    for bad in [
        r#"{"do":"resolve","id":"a","decision":"allow-always"}"#,
        r#"{"do":"resolve","id":"a","decision":"deny","scope":"program"}"#,
        r#"{"do":"session-set","agent":"a","security":"none","forMs":1}"#,
        r#"{"do":"session-set","agent":"a","forMs":-1}"#,
        r#"{"do":"exec"}"#,
        "{}",
    ] {
        assert!(Command::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn ids_are_found_by_their_beginning() {
    let ids = ["abc", "abcd", "b1", "b2"];
    let by = |p| by_prefix(p, ids.into_iter());
    assert_eq!(by("abcd"), Ok("abcd"));
    // The whole of one, though another begins so.
    assert_eq!(by("abc"), Ok("abc"));
    assert_eq!(by("b1"), Ok("b1"));
    for ambiguous in ["a", "ab", "b"] {
        assert_eq!(by(ambiguous), Err(Code::Ambiguous), "{ambiguous}");
    }
    for unknown in ["", "x", "abcde"] {
        assert_eq!(by(unknown), Err(Code::Unknown), "{unknown}");
    }
}

#[test]
fn the_largest_answers_have_room() {
    let text = |n: usize| "\u{1}".repeat(n);
    let big = Row {
        agent: text(256),
        session: Some(text(256)),
        command: text(MAX_SUMMARY),
        reason: Some(text(MAX_REASON)),
        by: Some(text(200)),
        ..row()
    };
    let line = |answer| crate::frame::encode(&FromApprover::Answer { n: 1, answer }.to_json());
    assert!(line(Answer::Log(vec![0xff; MAX_LOG])).is_ok());
    assert!(line(Answer::Log(vec![1; MAX_LOG])).is_ok());
    assert!(
        line(Answer::Question { row: big.clone(), request: "x".repeat(crate::frame::MAX_REQUEST) }).is_ok()
    );
    let usual = Row { session: Some("s".repeat(256)), command: "c".repeat(MAX_SUMMARY), ..row() };
    assert!(line(Answer::Questions { rows: vec![usual; MAX_ROWS], more: true }).is_ok());
    let (short, cut) = summary(&crate::Shown::text("ä".repeat(1000).as_bytes()));
    assert!(cut && short.len() <= MAX_SUMMARY && short.chars().all(|c| c == 'ä'));
}

proptest! {
    #[test]
    fn any_line_has_an_answer(bytes: Vec<u8>, text in ".*") {
        let _ = (FromApprover::parse(&bytes), Envelope::parse(&bytes), Command::parse(&text));
    }
}
