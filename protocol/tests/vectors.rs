//! Every MAC against values that another program computed (Python's hmac and hashlib).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
use protocol::Token;
use protocol::mac::{self, Kind};
use protocol::message::{Challenge, Decision, Scope, choice};
use serde_json::Value;

fn vectors() -> (Token, Challenge, Value) {
    let all: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let token = Token::new(all["token"].as_str().unwrap()).unwrap();
    let nonce = all["nonce"].as_str().unwrap().to_owned();
    (token, Challenge { nonce, ts: all["ts"].as_u64().unwrap() }, all)
}

#[test]
fn macs_of_clients() {
    let (token, to, all) = vectors();
    for v in all["client"].as_array().unwrap() {
        let kind = match v["kind"].as_str().unwrap() {
            "request" => Kind::Request,
            "grant" => Kind::Grant,
            "report" => Kind::Report,
            "command" => Kind::Command,
            other => panic!("{other}"),
        };
        let text = |name: &str| v[name].as_str().unwrap();
        let (id, content, hmac) = (text("id"), text("content"), text("hmac"));
        assert_eq!(mac::client(&token, kind, &to, id, content), hmac, "{v}");
        assert!(mac::is_client(&token, kind, &to, id, content, hmac));
        // Nothing of it can be another.
        let other = Challenge { ts: to.ts + 1, ..to.clone() };
        assert!(!mac::is_client(&token, kind, &other, id, content, hmac));
        assert!(!mac::is_client(&token, kind, &to, "2", content, hmac));
        assert!(!mac::is_client(&token, kind, &to, id, "{}", hmac));
        assert!(!mac::is_client(&Token::new("other").unwrap(), kind, &to, id, content, hmac));
        for k in [Kind::Request, Kind::Grant, Kind::Report, Kind::Command] {
            assert_eq!(mac::is_client(&token, k, &to, id, content, hmac), k == kind);
        }
        for wrong in
            ["", &hmac[..63], &hmac.to_uppercase(), &format!("{hmac}00"), &hmac.replace(&hmac[..1], "x")]
        {
            assert!(!mac::is_client(&token, kind, &to, id, content, wrong), "{wrong}");
        }
    }
}

fn decision(v: &Value) -> Decision {
    let text = |name: &str| v[name].as_str().map(str::to_owned);
    Decision {
        id: text("id").unwrap(),
        choice: choice(v["decision"].as_str().unwrap(), v["scope"].as_str().and_then(Scope::of)).unwrap(),
        reason: text("reason"),
        request_sha256: text("requestSha256").unwrap(),
        expires_at_ms: v["expiresAtMs"].as_u64().unwrap(),
        by: None,
        hmac: text("hmac").unwrap(),
    }
}

#[test]
fn macs_of_decisions() {
    let (token, to, all) = vectors();
    let all: Vec<Decision> = all["decision"].as_array().unwrap().iter().map(decision).collect();
    assert_eq!(all.len(), 6);
    for d in &all {
        assert_eq!(mac::decision(&token, &to.nonce, d), d.hmac, "{d:?}");
        assert!(mac::is_decision(&token, &to.nonce, d));
        // Who answered is no part of it; everything else is.
        assert!(mac::is_decision(&token, &to.nonce, &Decision { by: Some("x".into()), ..d.clone() }));
        let mut others = vec![
            Decision { id: "a".into(), ..d.clone() },
            Decision { reason: Some("other".into()), ..d.clone() },
            Decision { request_sha256: mac::sha256(b""), ..d.clone() },
            Decision { expires_at_ms: d.expires_at_ms + 1, ..d.clone() },
        ];
        others.extend(
            all.iter().filter(|o| o.choice != d.choice).map(|o| Decision { choice: o.choice, ..d.clone() }),
        );
        for o in others {
            assert!(!mac::is_decision(&token, &to.nonce, &o), "{o:?}");
        }
        assert!(!mac::is_decision(&token, "other", d));
        assert!(!mac::is_decision(&Token::new("other").unwrap(), &to.nonce, d));
    }
}

#[test]
fn a_newline_in_a_field_is_no_border_between_two() {
    let (token, ..) = vectors();
    assert_eq!(mac::sign(&token, &["a\nb"]), "");
    assert!(!mac::verify(&token, &["a\nb"], &mac::sign(&token, &["a", "b"])));
}
