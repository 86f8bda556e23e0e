use super::*;
use crate::mac::Kind;
use crate::token::Token;
use proptest::prelude::*;

const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn challenge() -> Challenge {
    Challenge { nonce: crate::encode::base64(&[7; 32]), ts: 1_800_000_000_000 }
}

fn decisions() -> Vec<Decision> {
    let mut all = vec![Choice::AllowOnce, Choice::Deny];
    all.extend(Scope::ALL.map(Choice::AllowAlways));
    let d = |choice| Decision {
        id: ID.into(),
        choice,
        reason: Some("a\nb".into()),
        request_sha256: crate::mac::sha256(b"x"),
        expires_at_ms: u64::MAX,
        by: None,
        hmac: crate::mac::sha256(b"y"),
    };
    all.into_iter().map(d).collect()
}

fn of_approver() -> Vec<FromApprover> {
    let mut all = vec![
        FromApprover::Challenge(challenge()),
        FromApprover::Accepted { id: ID.into(), expires_at_ms: 1 },
        FromApprover::Noted { id: ID.into() },
        FromApprover::Error { id: None, code: Code::Mac },
    ];
    all.extend(Code::ALL.iter().map(|code| FromApprover::Error { id: Some(ID.into()), code: *code }));
    all.extend(decisions().into_iter().map(FromApprover::Decision));
    all
}

fn of_guard() -> Vec<FromGuard> {
    let token = Token::new("t").unwrap();
    let s = |kind| Signed::new(&token, kind, &challenge(), ID, "{\"a\":\"\\n\"}".into());
    vec![
        FromGuard::Request(s(Kind::Request)),
        FromGuard::Grant(s(Kind::Grant)),
        FromGuard::Report(s(Kind::Report)),
        FromGuard::Detach { id: ID.into() },
    ]
}

#[test]
fn what_is_written_is_read() {
    for m in of_approver() {
        assert_eq!(FromApprover::parse(m.to_json().to_string().as_bytes()), Ok(m));
    }
    for m in of_guard() {
        assert_eq!(FromGuard::parse(m.to_text().as_bytes()), Ok(m));
    }
}

/// Each field once left out, of another kind, and one more that nobody knows.
#[test]
fn a_message_that_is_not_exact_is_none() {
    let optional = ["reason", "scope", "by"];
    let all = of_approver().into_iter().map(|m| (true, m.to_json()));
    for (approver, m) in
        all.chain(of_guard().into_iter().map(|m| (false, serde_json::from_str(&m.to_text()).unwrap())))
    {
        let reads = |v: &Value| {
            let line = v.to_string().into_bytes();
            if approver { FromApprover::parse(&line).is_ok() } else { FromGuard::parse(&line).is_ok() }
        };
        assert!(reads(&m));
        let map = m.as_object().unwrap();
        for (name, value) in map {
            for other in [json!([value]), json!(-1), json!({}), json!(true)] {
                let mut m = map.clone();
                m.insert(name.clone(), other);
                assert!(!reads(&Value::Object(m)), "{name}: {map:?}");
            }
            let mut m = map.clone();
            m.shift_remove(name);
            let left_out = optional.contains(&name.as_str()) || (name == "id" && map.contains_key("code"));
            let scope = name == "scope" && map["decision"] == "allow-always";
            assert_eq!(reads(&Value::Object(m)), left_out && !scope, "without {name}: {map:?}");
        }
        let mut more = map.clone();
        more.insert("more".into(), Value::Null);
        assert!(!reads(&Value::Object(more)));
    }
}

#[test]
fn what_is_out_of_bounds_is_refused() {
    let bad = [
        r#"{"type":"challenge","version":2,"nonce":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=","ts":1}"#,
        r#"{"type":"challenge","version":1,"nonce":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw==","ts":1}"#,
        r#"{"type":"challenge","version":1,"nonce":"a\nb","ts":1}"#,
        r#"{"type":"accepted","id":"a\nb","expiresAtMs":1}"#,
        r#"{"type":"accepted","id":"","expiresAtMs":1}"#,
        r#"{"type":"accepted","id":"a","expiresAtMs":1.5}"#,
        r#"{"type":"error","id":"a","code":"no such code"}"#,
        r#"{"type":"Accepted","id":"a","expiresAtMs":1}"#,
        r#"["accepted"]"#,
        "null",
        "",
    ];
    for b in bad {
        assert!(FromApprover::parse(b.as_bytes()).is_err(), "{b}");
    }
    let always = decisions().pop().unwrap();
    for (field, value) in [
        ("decision", json!("allow")),
        ("decision", json!("deny")),
        ("scope", Value::Null),
        ("scope", json!("everything")),
        ("reason", json!("x".repeat(MAX_REASON + 1))),
        ("hmac", json!("A".repeat(64))),
        ("hmac", json!("a".repeat(63))),
        ("id", json!("x".repeat(65))),
    ] {
        let mut m = FromApprover::Decision(always.clone()).to_json();
        m[field] = value;
        assert!(FromApprover::parse(m.to_string().as_bytes()).is_err(), "{m}");
    }
}

#[test]
fn texts_of_grants_and_reports() {
    let grants = [
        Grant { agent: "main".into(), text: b"ls \xff\n".to_vec(), cwd: Some(b"/tmp".to_vec()) },
        Grant { agent: "main".into(), text: Vec::new(), cwd: None },
    ];
    for g in grants {
        assert_eq!(Grant::parse(&g.to_text()), Ok(g));
    }
    let outcomes = [
        Outcome::Running,
        Outcome::Finished { code: 137, duration_ms: 12 },
        Outcome::Denied { reason: "user-denied".into() },
    ];
    for what in outcomes {
        let r = Report { what, at_ms: 3 };
        assert_eq!(Report::parse(&r.to_text()), Ok(r));
    }
    for bad in ["", "{}", r#"{"event":"exec.finished","atMs":1}"#, r#"{"event":"x","atMs":1}"#] {
        assert!(Report::parse(bad).is_err() && Grant::parse(bad).is_err(), "{bad}");
    }
}

proptest! {
    #[test]
    fn any_line_has_an_answer(bytes: Vec<u8>) {
        let _ = (FromApprover::parse(&bytes), FromGuard::parse(&bytes));
    }

    /// A byte changed anywhere: what is read is what was sent or something a MAC tells from it.
    #[test]
    fn a_changed_decision_is_not_believed(which in 0usize..5, at in any::<prop::sample::Index>(), to: u8) {
        let token = Token::new("t").unwrap();
        let mut d = decisions()[which].clone();
        d.hmac = crate::mac::decision(&token, &challenge().nonce, &d);
        let mut line = FromApprover::Decision(d.clone()).to_json().to_string().into_bytes();
        let at = at.index(line.len());
        line[at] = to;
        if let Ok(FromApprover::Decision(read)) = FromApprover::parse(&line) {
            let believed = crate::mac::is_decision(&token, &challenge().nonce, &read);
            let same = read == Decision { by: read.by.clone(), ..d };
            prop_assert!(same || !believed);
        }
    }
}
