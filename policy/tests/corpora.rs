//! The corpora through the evaluator, in a world where every program they name is at `/usr/bin`.
//!
//! The programs themselves are judged by the same rows through the real binary in `tests/`; this is the fast way to
//! see which rule decided.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
mod judged;

use policy::document::Accept;
use policy::{Decision, Evaluation, FakeWorld, Form};
use serde_json::Value;

fn rows(name: &str) -> Vec<Value> {
    let path = format!("{}/../tests/corpus/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(|l| serde_json::from_str(l).expect(l)).collect()
}

fn list(v: &Value) -> Vec<String> {
    v.as_array().into_iter().flatten().filter_map(|s| s.as_str()).map(str::to_owned).collect()
}

/// A world with everything that `/usr/bin` of a full machine has, as far as the corpora name it.
fn world(extra: &[String]) -> FakeWorld {
    let names = include_str!("programs.txt");
    let mut w = FakeWorld::new();
    for n in names.split_whitespace().filter(|n| !matches!(*n, "sh" | "python3" | "vi" | "awk")) {
        w = w.program(&format!("/usr/bin/{n}"));
    }
    for p in extra.iter().filter(|p| p.starts_with('/') && !p.contains(['*', '?', '['])) {
        w = w.program(p);
    }
    w.program("/usr/bin/dash")
        .program("/usr/bin/python3.11")
        .program("/usr/bin/mawk")
        .program("/usr/bin/vim.basic")
        .link("/usr/bin/sh", "/usr/bin/dash")
        .link("/usr/bin/python3", "/usr/bin/python3.11")
        .link("/usr/bin/awk", "/usr/bin/mawk")
        .link("/usr/bin/vi", "/usr/bin/vim.basic")
        .link("/bin", "/usr/bin")
        .program("/scratch/evil.sh")
        .program("/scratch/ok.sh")
        .program("/scratch/sort")
        .program("/scratch/node_modules/.bin/uniq")
        .program("/scratch/allowed/tool")
        .file("/scratch/sub/x", b"")
        .file("/scratch/secret.txt", b"")
        .file("/scratch/home/x", b"")
}

fn judge(row: &Value, allow: Vec<String>, accept: Accept, shell: &str) -> Evaluation {
    let fix = |s: &str| {
        s.replace("$CWD", "/scratch").replace("{dir:python3}", "/usr/bin").replace("{dir:cargo}", "/usr/bin")
    };
    let allow: Vec<String> = allow.iter().map(|a| fix(a)).collect();
    let w = world(&allow);
    let bytes = |s: &str| match row.get("encoding") {
        Some(_) => s.chars().map(|c| u32::from(c) as u8).collect(),
        None => s.as_bytes().to_vec(),
    };
    let form = match row.get("argv").and_then(Value::as_array) {
        Some(words) => {
            Form::Program { argv: words.iter().map(|w| bytes(w.as_str().unwrap())).collect(), by_link: false }
        }
        None => Form::Text {
            text: bytes(row["command"].as_str().unwrap()),
            shell: Some(format!("/usr/bin/{shell}").into_bytes()),
            args: vec![],
        },
    };
    let mut env = judged::environment();
    for source in [row.pointer("/allow_config/env"), row.get("env")].into_iter().flatten() {
        for (k, v) in source.as_object().into_iter().flatten() {
            let v = fix(v.as_str().unwrap_or_default());
            env.retain(|e| !e.starts_with(format!("{k}=").as_bytes()));
            env.push(format!("{k}={v}").into_bytes());
        }
    }
    judged::judge(form, env, &allow, accept, &w)
}

fn shell_of(row: &Value) -> &str {
    match row.get("shell").and_then(Value::as_str).unwrap_or("bash").split(' ').next() {
        Some(s @ ("dash" | "zsh" | "fish")) => s,
        _ => "bash",
    }
}

#[test]
fn no_core_attack_is_allowed() {
    let mut wrong = Vec::new();
    let (mut deep, mut deep_asked) = (0, 0);
    let mut missed = Vec::new();
    // The one row whose outcome hangs on links that its set-up makes; the binary is tested with them.
    for row in rows("attacks").into_iter().filter(|r| r["id"] != "path-identity-021") {
        let allow = list(&row["allow_config"]["allowlist"]);
        for accept in [Accept::Strict, Accept::Checked] {
            let e = judge(&row, allow.clone(), accept, shell_of(&row));
            let shown = format!("{} {accept:?} {:?}", row["id"], row.get("command").or(row.get("argv")));
            match row["tier"].as_str() {
                Some("core") if e.decision == Decision::Allow => wrong.push(shown),
                Some("deep") if accept == Accept::Strict => {
                    deep += 1;
                    if e.decision == Decision::Allow {
                        missed.push(shown);
                    } else {
                        deep_asked += 1;
                    }
                }
                _ => {}
            }
        }
    }
    println!("tier deep: {deep_asked} of {deep} ask; not: {missed:#?}");
    assert!(wrong.is_empty(), "{} allowed: {wrong:#?}", wrong.len());
    assert!(deep_asked * 10 >= deep * 9, "{deep_asked} of {deep}");
}

#[test]
fn benign_rows() {
    let mut wrong = Vec::new();
    for row in rows("benign") {
        let allow = list(&row["expect_with"]["allowlist"]);
        for (accept, key) in [(Accept::Strict, "acceptable"), (Accept::Checked, "acceptable_checked")] {
            let e = judge(&row, allow.clone(), accept, "bash");
            let ok = list(&row[key]);
            if !ok.iter().any(|d| d == e.decision.word()) {
                let why: Vec<_> = e.findings.iter().map(|f| &f.message).collect();
                wrong.push(format!(
                    "{} {accept:?} {} is {} not {ok:?}: {why:?}",
                    row["id"],
                    row["command"],
                    e.decision.word()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}

/// How many of the rows that may go either way pass at `checked`: at least nine in ten.
#[test]
fn friction() {
    let (mut all, mut allowed) = (0, 0);
    let mut asked = Vec::new();
    for row in rows("benign") {
        if list(&row["acceptable_checked"]).len() < 2 {
            continue;
        }
        let e = judge(&row, list(&row["expect_with"]["allowlist"]), Accept::Checked, "bash");
        all += 1;
        if e.decision == Decision::Allow {
            allowed += 1;
        } else {
            let why: Vec<_> = e.findings.iter().map(|f| &f.message).collect();
            asked.push(format!("{}: {why:?}", row["command"]));
        }
    }
    println!("{allowed} of {all}; asked: {asked:#?}");
    assert!(allowed * 10 >= all * 9, "{allowed} of {all}: {asked:#?}");
}
