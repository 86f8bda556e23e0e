//! What a caller is told who is refused: the code a shell would give, the ground, and what would help.
use std::process::{Command, Stdio};

use serde_json::json;

use crate::stage::{Run, Stage, Way, cannot};

fn text(stage: &Stage, text: &str) -> Run {
    stage.guard(&["-c", text])
}

/// Exit codes as a shell gives them: 127 for what is not there, 126 for what is and cannot be executed.
#[test]
fn missing_is_not_the_same_as_not_executable() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    stage.write("work/data", b"x", 0o644);
    for (word, code) in [("nosuch", 127), ("./nosuch", 127), ("data", 127), ("./data", 126), ("/", 126)] {
        stage.run(&[word]).refused(code, "not-found");
        text(&stage, &format!("{word} x")).refused(code, "not-found");
    }
    // Not one plain command: what comes before may make it, what comes after would still run.
    for more in ["tool; nosuch", "nosuch || tool", "nosuch > f", "X=y nosuch"] {
        let run = text(&stage, more);
        assert!(run.records.is_empty() && run.code() == 126, "{more}: {run:?}");
    }
    // A carrier that is missing is missing, whatever it carries.
    stage.run(&["env-that-is-not-there", "tool"]).refused(127, "not-found");
}

/// The advice is that of the ground: an entry helps against a miss, not against a redirection.
#[test]
fn the_advice_fits_the_ground() {
    let stage = Stage::new().tool("tool").tool("other").allowing(&["tool"]);
    let run = stage.run(&["other"]);
    run.refused(126, "allowlist-miss");
    assert!(run.stderr.contains(&format!("allowlist add {}", stage.text("bin/other"))), "{run:?}");
    assert!(!run.stderr.contains("besides this one"), "{run:?}");
    let run = text(&stage, "tool > f");
    run.refused(126, "redirection");
    assert!(!run.stderr.contains("entry") && !run.stderr.contains("allowlist add"), "{run:?}");
    let run = text(&stage, "tool > f; other");
    assert!(run.stderr.contains("besides this one: 1;"), "{run:?}");
    // What is advised exists.
    let stage = stage.config(&json!({"tools": {"exec": {"ask": "never"}}}));
    let run = stage.run(&["tool"]);
    run.refused(125, "policy-unreadable");
    let advised = run.stderr.split("exec-guardctl ").nth(1).expect("a command").to_owned();
    let words: Vec<&str> = advised.split_whitespace().take(2).collect();
    let same = stage.guard(&words);
    assert!(same.code() == 125 && same.stderr.contains("config.json"), "{words:?}: {same:?}");
}

/// On a read-only file system there can be no journal: no line about it on every command, unless it is required.
#[test]
fn a_read_only_home_is_no_news() {
    for required in [false, true] {
        let stage =
            Stage::new().tool("tool").allowing(&["tool"]).config(&json!({"journal": {"required": required}}));
        let guard = stage.text("guard");
        let bind = ["--dev-bind", "/", "/", "--ro-bind", &guard, &guard];
        let works = Command::new("bwrap").args(bind).arg("true").stderr(Stdio::null()).status();
        if !works.is_ok_and(|s| s.success()) {
            return cannot("bwrap makes no read-only folder here");
        }
        let run = stage.cast(&["tool"]).chain(&[&["bwrap"], &bind[..]].concat()).way(Way::Dash).run();
        if required {
            run.refused(126, "journal");
            assert!(run.stderr.contains(&format!("{guard}/journal/journal.jsonl: ")), "{run:?}");
        } else {
            run.allowed();
            assert_eq!(run.stderr, "", "{run:?}");
        }
    }
}
