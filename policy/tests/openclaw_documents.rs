//! OpenClaw's own cases about documents, read by ours. Where we are stricter the table below says why.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
use policy::document::{Approvals, Ask, Call, Config, Effective, Layer, Policy, Security};
use serde_json::{Value, json};

/// Rows we refuse where OpenClaw drops the value and goes on: what a document wants to say and cannot must deny,
/// not fall through to a default.
const REFUSED: &[(&str, &str)] = &[
    ("norm-file-19", "a pattern that is a number is an error, not an entry to be dropped"),
    ("norm-file-20", "an allowlist that is no list is an error"),
    ("norm-file-21", "an unknown word in a known field is an error"),
    ("norm-file-22", "an unknown word in a known field is an error"),
    ("norm-file-23", "an unknown word in a known field is an error"),
    ("norm-file-27", "a wrong type in a known field is an error"),
    ("norm-file-33", "words of the approvals document are exact"),
    ("resolve-file-06", "an unknown word in a known field is an error"),
    ("file-invalid-json", "invalid JSON is an error"),
];

/// Entries that name no path never match on an allowlist, so they do not come into it.
const NAMES: &[&str] = &["ls", "echo"];

fn rows() -> Vec<Value> {
    let text = include_str!("../../tests/corpus/openclaw-cases.jsonl");
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn security(v: &Value) -> Security {
    match v.as_str().unwrap() {
        "deny" => Security::Deny,
        "allowlist" => Security::Allowlist,
        "full" => Security::Full,
        other => panic!("{other}"),
    }
}

fn ask(v: &Value) -> Ask {
    match v.as_str().unwrap() {
        "off" => Ask::Off,
        "on-miss" => Ask::OnMiss,
        "always" => Ask::Always,
        other => panic!("{other}"),
    }
}

fn doc(v: &Value) -> Result<Approvals, policy::document::LoadError> {
    Approvals::parse(v.to_string().as_bytes(), "f")
}

/// A document with settings for everybody, and a config with what is requested.
fn asked(host: &Value, requested: &Value) -> Effective {
    let a = doc(&json!({"version": 1, "defaults": host})).unwrap();
    let c = Config::parse(json!({"tools": {"exec": requested}}).to_string().as_bytes(), "c").unwrap();
    Policy::of_user(Some(a), Some(c)).effective("main")
}

fn patterns(e: &Effective) -> Vec<String> {
    e.allow.iter().flat_map(|l| l.all()).map(|e| e.pattern.clone()).collect()
}

fn texts(v: &Value) -> Vec<String> {
    v.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn documents_mean_what_they_meant_in_the_seed() {
    let mut seen = 0;
    for row in rows() {
        let id = row["id"].as_str().unwrap();
        let config = &row["config"];
        if id.starts_with("file-invalid") {
            seen += 1;
            Approvals::parse(config["raw"].as_str().unwrap().as_bytes(), "f").unwrap_err();
        }
        if !id.starts_with("norm-file-") && !id.starts_with("resolve-file-") {
            continue;
        }
        seen += 1;
        let file = &config["file"];
        let parsed = doc(file);
        if REFUSED.iter().any(|(r, _)| *r == id) {
            assert!(parsed.is_err(), "{id} is in the table of stricter rows but was read");
            continue;
        }
        let agent = config["agentId"].as_str().unwrap_or("main");
        let requested = config.get("requested").cloned().unwrap_or(json!({}));
        let c = Config::parse(json!({"tools": {"exec": requested}}).to_string().as_bytes(), "c").unwrap();
        let e =
            Policy::of_user(Some(parsed.unwrap_or_else(|e| panic!("{id}: {e}"))), Some(c)).effective(agent);
        let was = &row["eras"]["seed"];
        if let Some(a) = was.get("agent") {
            assert_eq!(e.security.value, security(&a["security"]), "{id}");
            assert_eq!(e.ask.value, ask(&a["ask"]), "{id}");
            assert_eq!(e.ask_fallback.value, security(&a["askFallback"]), "{id}");
            assert_eq!(e.auto_allow_skills.value, a["autoAllowSkills"].as_bool().unwrap(), "{id}");
            assert_eq!(patterns(&e), texts(&was["allowlist"]), "{id}");
        } else if let Some(list) = row["expect"].get("patterns") {
            let want: Vec<String> =
                texts(list).into_iter().filter(|p| !NAMES.contains(&p.as_str())).collect();
            assert_eq!(patterns(&e), want, "{id}");
        } else if let Some(n) = row["expect"].get("normalized").or_else(|| was.get("normalized")) {
            let want = &n["agents"]["main"];
            if let Some(list) = want.get("allowlist").and_then(Value::as_array) {
                let want: Vec<&str> = list.iter().filter_map(|e| e["pattern"].as_str()).collect();
                assert_eq!(patterns(&e), want, "{id}");
            }
            if let Some(s) = n["defaults"].get("security") {
                assert_eq!(e.security.value, security(s), "{id}");
            }
        }
        // Sources are the same places under other names.
        for (field, from) in [("security", &e.security.from), ("ask", &e.ask.from)] {
            if let Some(path) = row["expect"]["sources"][field].as_str() {
                assert_eq!(*from, format!("f:/{}", path.replace('.', "/")), "{id}");
            }
        }
    }
    assert!(seen >= 15, "{seen}");
}

#[test]
fn two_policies_come_to_the_stricter() {
    let mut seen = 0;
    for row in rows() {
        let id = row["id"].as_str().unwrap();
        let c = &row["config"];
        let want = &row["expect"];
        if id.starts_with("minsec-") {
            let e = asked(&json!({"security": c["host"]}), &json!({"security": c["requested"]}));
            assert_eq!(e.security.value, security(&want["effectiveSecurity"]), "{id}");
        } else if id.starts_with("maxask-") {
            let e = asked(&json!({"ask": c["host"]}), &json!({"ask": c["requested"]}));
            assert_eq!(e.ask.value, ask(&want["effectiveAsk"]), "{id}");
        } else if id.starts_with("fallback-") {
            let e = asked(&c["host"]["defaults"], &c["requested"]);
            assert_eq!(e.security.value, security(&want["effectiveSecurity"]), "{id}");
            assert_eq!(e.ask_fallback.value, security(&want["effectiveAskFallback"]), "{id}");
        } else {
            continue;
        }
        seen += 1;
        // Layers and the call come to the same.
        if let (Some(host), Some(requested)) = (c["host"].as_str(), c["requested"].as_str()) {
            let key = if id.starts_with("minsec") { "security" } else { "ask" };
            let layer =
                |w: &str| Layer::new(Some(doc(&json!({"version": 1, "defaults": {key: w}})).unwrap()), None);
            let e = Policy::new(layer(host), layer(requested), Layer::default(), None).effective("main");
            let call = Call {
                security: (key == "security").then(|| security(&c["requested"])),
                ask: (key == "ask").then(|| ask(&c["requested"])),
                ..Call::default()
            };
            let f = Policy::new(Layer::default(), layer(host), Layer::default(), None)
                .with_call(call)
                .effective("main");
            assert_eq!((e.security.value, e.ask.value), (f.security.value, f.ask.value), "{id}");
        }
    }
    assert!(seen >= 5, "{seen}");
}

#[test]
fn words_of_config_fold_case() {
    let mut seen = 0;
    for row in rows() {
        let id = row["id"].as_str().unwrap();
        let (key, raw) = (row["config"]["parser"].as_str(), &row["config"]["raw"]);
        let Some(key @ ("ask" | "security")) = key.filter(|_| id.starts_with("enum-")) else { continue };
        seen += 1;
        let read = Config::parse(json!({"tools": {"exec": {key: raw}}}).to_string().as_bytes(), "c");
        let want = &row["expect"]["value"];
        let Ok(c) = read else {
            // Stricter: OpenClaw takes an unknown word for none.
            assert!(want.is_null(), "{id}");
            continue;
        };
        let e = Policy::of_user(Some(doc(&json!({"version": 1})).unwrap()), Some(c)).effective("main");
        if key == "ask" {
            assert_eq!(e.ask.value, ask(want), "{id}");
        } else {
            assert_eq!(e.security.value, security(want), "{id}");
        }
    }
    assert!(seen >= 4, "{seen}");
}
