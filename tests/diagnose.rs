//! exec-guardctl from outside: verdicts explained, policies tried out.
use serde_json::{Value, json};

use crate::stage::{Run, Stage, Way, programs};

fn ctl(stage: &Stage, rest: &[&str]) -> Run {
    let ctl = programs().ctl.to_str().expect("path").to_owned();
    let words: Vec<String> = std::iter::once(ctl).chain(rest.iter().map(|w| (*w).to_owned())).collect();
    stage.cast(&words).way(Way::Path).run()
}

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:?}"))
}

/// A stage on which `tool` may run and `tool log` of `vcs`, and nothing else.
fn stage() -> Stage {
    let stage = Stage::new().tool("tool").tool("vcs").tool("other").shim("tool");
    let list = json!([{"pattern": stage.text("bin/tool")},
        {"pattern": stage.text("bin/vcs"), "args": ["log", "..."],
         "examples": {"allows": ["vcs log -1", ["vcs", "log"]], "refuses": ["vcs push"]}}]);
    stage.policy(&json!({"version": 1,
        "defaults": {"security": "allowlist", "ask": "on-miss", "denylist": [{"pattern": "gone"}]},
        "agents": {"main": {"allowlist": list}}}))
}

#[test]
fn explain_says_what_check_says() {
    let stage = stage();
    let cases: &[&[&str]] = &[
        &["-c", "tool a && vcs log"],
        &["-c", "vcs push; other > x"],
        &["-c", "for i in 1 2; do other $i; done"],
        &["-c", "echo 'unfinished"],
        &["-c", "tool \u{202e}\x1b[2J"],
        &["--", "tool", "a b"],
        &["--", "vcs", "log", "-1"],
        &["--", "nosuch"],
        &["--", "gone"],
        &["--agent", "other", "--cwd", "/", "-c", "tool"],
        &["--shell", "bash", "-c", "tool <(other)"],
    ];
    for words in cases {
        let check = stage.guard(&[&["check", "--json"], *words].concat());
        let explain = ctl(&stage, &[&["explain", "--json"], *words].concat());
        assert_eq!(check.code(), explain.code(), "{words:?}: {check:?} {explain:?}");
        let (want, mut got) = (parsed(&check), parsed(&explain));
        let map = got.as_object_mut().expect("an object");
        map.remove("edits").expect("edits");
        map.remove("noEdit").expect("noEdit");
        for (f, want) in map["findings"]
            .as_array_mut()
            .expect("findings")
            .iter_mut()
            .zip(want["findings"].as_array().expect("findings"))
        {
            let f = f.as_object_mut().expect("a finding");
            f.remove("line");
            f.remove("column");
            f["nearest"] = want["nearest"].clone();
        }
        assert_eq!(got, want, "{words:?}");
        let text = ctl(&stage, &[&["explain"], *words].concat());
        assert_eq!(text.code(), check.code(), "{text:?}");
        assert!(!text.stdout.contains(['\x1b', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn an_explained_edit_is_one_that_works() {
    let stage = stage();
    stage.run(&["vcs", "push", "a b", "[x]"]).refused(126, "args-miss");
    let report = parsed(&ctl(&stage, &["explain", "--json", "--", "vcs", "push", "a b", "[x]"]));
    assert_eq!(report["findings"][0]["nearest"]["pattern"], json!(stage.text("bin/vcs")), "{report}");
    let words: Vec<&str> = report["edits"][0]["argv"][0]
        .as_array()
        .expect("an edit")
        .iter()
        .map(|w| w.as_str().expect("a word"))
        .collect();
    let added = ctl(&stage, &words[1..]);
    assert_eq!(added.code(), 0, "{added:?}");
    stage.run(&["vcs", "push", "a b", "[x]"]).allowed();
    stage.run(&["vcs", "push", "a b", "x"]).refused(126, "args-miss");
}

#[test]
fn a_script_is_explained_by_line() {
    let stage = stage();
    stage.write("work/x.sh", b"#!/bin/sh\ntool\n\nother -x\n", 0o644);
    let run = ctl(&stage, &["explain", "--file", "x.sh"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stdout.contains("x.sh:4:1") && run.stdout.contains("4 | other -x"), "{run:?}");
    assert_eq!(run.records.len(), 0, "nothing runs");
    stage.write("work/x.py", b"#!/usr/bin/python3\n", 0o644);
    assert_eq!(ctl(&stage, &["explain", "--file", "x.py"]).code(), 2);
    assert_eq!(ctl(&stage, &["explain", "--file", "none"]).code(), 2);
    // By way of the guard's own name.
    let run = stage.guard(&["explain", "-c", "tool"]);
    assert_eq!(run.code(), 0, "{run:?}");
}

/// `check` says where, in text of several lines.
#[test]
fn check_says_the_line() {
    let run = stage().guard(&["check", "-c", "tool\n  other"]);
    assert!(run.stdout.contains("(at 2:3)"), "{run:?}");
}

#[test]
fn examples_and_lists_are_tested() {
    let stage = stage();
    let run = ctl(&stage, &["policy", "test"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stdout.starts_with("3 passed, 0 failed"), "{run:?}");
    stage.write(
        "guard/policy-tests.json",
        br#"[{"command": "tool && vcs push", "expect": "ask"}, {"argv": ["gone"], "expect": "deny"},
             {"command": "vcs push", "expect": "allow", "note": "releases"}]"#,
        0o600,
    );
    let run = ctl(&stage, &["policy", "test"]);
    assert_eq!(run.code(), 1, "{run:?}");
    assert!(run.stdout.contains(&format!("FAILED  {}:/2", stage.text("guard/policy-tests.json"))), "{run:?}");
    for word in ["vcs push", "expected  allow", "is        ask [args-miss]", "releases", "5 passed, 1 failed"]
    {
        assert!(run.stdout.contains(word), "{word}: {run:?}");
    }
    let failures = parsed(&ctl(&stage, &["policy", "test", "--json"]))["failures"].clone();
    assert_eq!((&failures[0]["pointer"], &failures[0]["decision"]), (&json!("/2"), &json!("ask")));
    // An edited policy, with the same list.
    stage.folder("new", 0o755);
    let doc = json!({"version": 1, "defaults": {"security": "full", "ask": "off"}});
    stage.write("new/exec-approvals.json", doc.to_string().as_bytes(), 0o644);
    let run = ctl(
        &stage,
        &["policy", "test", "--policy", &stage.text("new"), &stage.text("guard/policy-tests.json")],
    );
    assert!(run.stdout.contains("2 passed, 1 failed"), "{run:?}");
    stage.write("guard/policy-tests.json", br#"[{"command": "x", "expects": "ask"}]"#, 0o600);
    let run = ctl(&stage, &["policy", "test"]);
    assert!(run.code() == 2 && run.stderr.contains("policy-tests.json:/0/expects"), "{run:?}");
}

#[test]
fn an_example_that_fails_names_its_entry() {
    let stage = Stage::new().tool("tool");
    let list = json!([{"pattern": stage.text("bin/tool"), "args": ["a"],
        "examples": {"allows": ["tool a", "tool b", "missing a"], "refuses": ["tool a"]}}]);
    let stage =
        stage.policy(&json!({"version": 1, "defaults": {"security": "allowlist", "allowlist": list}}));
    let run = ctl(&stage, &["policy", "test"]);
    assert_eq!(run.code(), 1, "{run:?}");
    for part in [
        "exec-approvals.json:/defaults/allowlist/0/examples/allows/1\n",
        "exec-approvals.json:/defaults/allowlist/0/examples/refuses/0\n",
        &format!("rule      allowlist {}", stage.text("bin/tool")),
        "example   tool b (agent main)",
        "expected  ask or deny",
        "1 passed, 2 failed, 1 skipped",
    ] {
        assert!(run.stdout.contains(part), "{part}: {run:?}");
    }
}

#[test]
fn the_journal_is_judged_again() {
    let stage = stage();
    assert_eq!(ctl(&stage, &["policy", "replay"]).code(), 1, "no journal yet");
    stage.run(&["tool", "a"]).allowed();
    stage.run(&["tool", "a"]).allowed();
    stage.run(&["tool", "--token=0123456789abcdef0123"]).allowed();
    stage.run_text("tool 'a\nb'\nvcs push\n").refused(126, "args-miss");
    let run = ctl(&stage, &["policy", "replay"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stdout.starts_with("3 records judged again, 0 would change\n1 not replayable"), "{run:?}");
    stage.folder("new", 0o755);
    let doc = json!({"version": 1, "defaults": {"security": "allowlist"},
        "agents": {"main": {"allowlist": [{"pattern": stage.text("bin/vcs")}]}}});
    stage.write("new/exec-approvals.json", doc.to_string().as_bytes(), 0o644);
    let run = ctl(&stage, &["policy", "replay", "--policy", &stage.text("new")]);
    assert!(run.stdout.contains("3 records judged again, 2 would change\n  allow -> ask: 2\n"), "{run:?}");
    let report = parsed(&ctl(&stage, &["policy", "replay", "--json", "--policy", &stage.text("new")]));
    assert_eq!(
        (&report["changes"][0]["command"], &report["changes"][0]["records"]),
        (&json!("tool a"), &json!(2))
    );
    // What is changed in place is compared with what was said then.
    let run = ctl(&stage, &["approvals", "allowlist", "add", &stage.text("bin/vcs")]);
    assert_eq!(run.code(), 0, "{run:?}");
    let run = ctl(&stage, &["policy", "replay"]);
    assert!(run.stdout.contains("ask -> allow"), "{run:?}");
    assert_eq!(ctl(&stage, &["policy", "replay", "--policy", &stage.text("work")]).code(), 2);
}

#[test]
fn friction_counts_and_advises() {
    let stage = stage();
    let input = "tool a\ntool a\nvcs log\nvcs push x\nvcs push y\nvcs pull\nother > f\nother\ngone\n";
    let cast = |words: &[&str]| {
        let ctl = programs().ctl.to_str().expect("path").to_owned();
        let words: Vec<String> =
            [ctl, "friction".into()].into_iter().chain(words.iter().map(|w| (*w).to_owned())).collect();
        stage.cast(&words).way(Way::Path).stdin(input.as_bytes()).run()
    };
    let run = cast(&["-", "--json"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let report = parsed(&run);
    let numbers =
        ["commands", "different", "pass", "ask", "refused"].map(|k| report[k].as_u64().expect("a number"));
    assert_eq!(numbers, [9, 8, 3, 5, 1], "{report}");
    let entries = report["entries"].as_array().expect("entries");
    let saves: Vec<_> = entries.iter().map(|e| (e["pattern"].clone(), e["saves"].clone())).collect();
    assert_eq!(
        saves,
        [(json!(stage.text("bin/vcs")), json!(3)), (json!(stage.text("bin/other")), json!(1))],
        "{report}"
    );
    // What is advised does what it says.
    for e in entries {
        let line = e["command"].as_str().expect("a line").strip_prefix("exec-guardctl ").expect("ours");
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(ctl(&stage, &words).code(), 0, "{line}");
    }
    let after = parsed(&cast(&["-", "--json"]));
    assert_eq!((&after["ask"], &after["causes"][0]["code"]), (&json!(1), &json!("redirection")), "{after}");
    let text = cast(&["-"]);
    assert!(text.stdout.contains("ask") && text.stdout.contains("77.7 %"), "{text:?}");
    let text = cast(&["-", "--preset", "deny-all"]);
    assert!(text.stdout.contains("refused       9  100.0 %"), "{text:?}");
    assert_eq!(cast(&["none"]).code(), 2);
    assert_eq!(cast(&["/dev/null"]).code(), 1);
}
