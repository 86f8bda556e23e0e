//! One line a decision, whatever becomes of it.
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::{Value, json};

use crate::stage::{Stage, Way};

fn stage() -> Stage {
    Stage::new().tool("tool").allowing(&["tool"])
}

fn lines(stage: &Stage) -> Vec<Value> {
    let text = fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    assert!(text.ends_with('\n'), "a torn line");
    text.lines().map(|l| serde_json::from_str(l).expect("a record")).collect()
}

#[test]
fn every_decision_is_written_down() {
    let stage = stage();
    stage.run(&["tool", "x"]).allowed();
    stage.run(&["other"]).refused(127, "not-found");
    let denied = stage.run_text("tool; id > x");
    assert!(denied.records.is_empty(), "{denied:?}");
    let lines = lines(&stage);
    let decisions: Vec<&str> = lines.iter().map(|l| l["decision"].as_str().unwrap_or_default()).collect();
    assert_eq!(decisions, ["allow", "deny", "deny"]);
    for l in &lines {
        for field in ["v", "ts", "id", "agent", "by"] {
            assert!(!l[field].is_null(), "{field}: {l}");
        }
    }
    let meta = fs::metadata(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    assert_eq!(meta.mode() & 0o777, 0o600);
}

#[test]
fn records_of_many_at_once_do_not_mix() {
    let stage = stage();
    let long = "x".repeat(3000);
    let children: Vec<_> = (0..24).map(|_| stage.cast(&["tool", &long]).way(Way::Dash).start()).collect();
    for mut c in children {
        assert!(crate::stage::pty::finish(&mut c).success());
    }
    assert_eq!(lines(&stage).len(), 24);
    assert_eq!(stage.records().len(), 24);
}

#[test]
fn secrets_are_masked() {
    let stage = stage();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    stage.run(&["tool", "--token", secret]).allowed();
    let text = fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    assert!(!text.contains(secret), "{text}");
    let stage = self::stage().config(&json!({"journal": {"text": "full"}}));
    stage.run(&["tool", "--token", secret]).allowed();
    let text = fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    assert!(text.contains(secret), "{text}");
}

#[test]
fn a_journal_that_cannot_be_written_is_said_or_denies() {
    for (required, runs) in [(false, true), (true, false)] {
        let stage = stage().config(&json!({"journal": {"required": required}}));
        stage.folder("guard/journal", 0o700);
        // A folder in the journal's place: nothing can be appended to it, root or not.
        stage.folder("guard/journal/journal.jsonl", 0o700);
        let run = stage.run(&["tool"]);
        assert_eq!(run.records.len(), usize::from(runs), "{run:?}");
        assert!(run.stderr.contains("[journal]"), "{run:?}");
        if !runs {
            run.refused(126, "journal");
        }
    }
}

/// A link in the journal's place would make the guard write where somebody else wants.
#[test]
fn the_journal_is_no_link() {
    let stage = stage();
    stage.folder("guard/journal", 0o700);
    stage.write("victim", b"", 0o666);
    std::os::unix::fs::symlink(stage.path("victim"), stage.path("guard/journal/journal.jsonl"))
        .expect("link");
    let run = stage.run(&["tool"]);
    assert!(run.stderr.contains("[journal]"), "{run:?}");
    assert_eq!(fs::read(stage.path("victim")).expect("victim"), b"");
    fs::set_permissions(stage.path("victim"), fs::Permissions::from_mode(0o644)).expect("mode");
}
