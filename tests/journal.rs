//! One line a decision, whatever becomes of it.
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::{Value, json};

use crate::stage::{Run, Stage, Way, cannot, programs};

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

fn log(stage: &Stage, rest: &[&str]) -> Run {
    let ctl = programs().ctl.to_str().expect("path").to_owned();
    let words: Vec<String> =
        [ctl, "log".to_owned()].into_iter().chain(rest.iter().map(|w| (*w).to_owned())).collect();
    stage.cast(&words).way(Way::Path).run()
}

/// The file that was sealed last.
fn sealed(stage: &Stage) -> std::path::PathBuf {
    let entries = fs::read_dir(stage.path("guard/journal")).expect("a journal").flatten();
    let name = |p: &std::path::PathBuf| p.to_string_lossy().ends_with(".sealed.jsonl");
    entries.map(|e| e.path()).filter(name).max().expect("a sealed file")
}

fn faults(stage: &Stage) -> (i32, Vec<(String, Option<u64>)>) {
    let run = log(stage, &["verify", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    let list = report["faults"].as_array().expect("faults").clone();
    let each = |f: &Value| (f["code"].as_str().expect("a code").to_owned(), f["line"].as_u64());
    (run.code(), list.iter().map(each).collect())
}

#[test]
fn what_was_changed_since_it_was_sealed_is_found() {
    let stage = stage();
    assert_eq!(log(&stage, &["verify"]).code(), 1, "there is none yet");
    for word in ["one", "two", "three"] {
        stage.run(&["tool", word]).allowed();
    }
    assert!(log(&stage, &["verify"]).stdout.contains("nothing is sealed yet"));
    let run = log(&stage, &["seal"]);
    assert!(run.code() == 0 && run.stdout.contains("1 file sealed"), "{run:?}");
    stage.run(&["tool", "four"]).allowed();
    assert_eq!(faults(&stage), (0, vec![]));
    // What was sealed is still shown, and the seal is no record.
    let shown = log(&stage, &["show", "--json", "-n", "0"]);
    assert_eq!(shown.stdout.lines().count(), 4, "{shown:?}");
    let file = sealed(&stage);
    let whole = fs::read_to_string(&file).expect("sealed");
    fs::write(&file, whole.replace("two", "too")).expect("write");
    assert_eq!(faults(&stage), (1, vec![("changed".to_owned(), Some(2))]));
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&file, [lines[0], lines[2], lines[3], ""].join("\n")).expect("write");
    assert_eq!(faults(&stage), (1, vec![("missing".to_owned(), Some(2))]));
    fs::write(&file, [lines[1], lines[0], lines[2], lines[3], ""].join("\n")).expect("write");
    assert_eq!(faults(&stage), (1, vec![("reordered".to_owned(), Some(1))]));
    fs::write(&file, &whole[..whole.len() - 40]).expect("write");
    assert_eq!(faults(&stage), (1, vec![("truncated".to_owned(), None)]));
    fs::remove_file(&file).expect("remove");
    assert_eq!(faults(&stage), (1, vec![("file-missing".to_owned(), None)]));
    fs::write(&file, &whole).expect("write");
    assert_eq!(faults(&stage), (0, vec![]));
    // A chain made anew as a whole does not hold what was noted of the old one.
    let old = log(&stage, &["verify", "--json"]).stdout;
    let old: Value = serde_json::from_str(&old).expect("JSON");
    let anchor = old["last"]["sha256"].as_str().expect("a hash").to_owned();
    assert_eq!(log(&stage, &["verify", "--anchor", &anchor]).code(), 0);
    fs::remove_file(&file).expect("remove");
    fs::remove_file(stage.path("guard/journal/head.json")).expect("remove");
    log(&stage, &["seal"]).code();
    assert_eq!(log(&stage, &["verify"]).code(), 0);
    let run = log(&stage, &["verify", "--anchor", &anchor]);
    assert!(run.code() == 1 && run.stdout.contains("no sealed file has the hash"), "{run:?}");
}

#[test]
fn a_full_disk_seals_nothing_and_breaks_nothing() {
    let stage = stage();
    for _ in 0..8 {
        stage.run(&["tool", &"x".repeat(200)]).allowed();
    }
    let ctl = programs().ctl.to_str().expect("path");
    // The limit on file sizes stands for a disk that is full: here, in units of 1024 bytes.
    let text = format!("ulimit -f 4 && exec '{ctl}' log seal");
    let bash = std::path::Path::new("/bin/bash");
    if !bash.exists() {
        return cannot("no bash to set a limit with");
    }
    let run = stage.cast(&["/bin/bash", "-c", &text]).way(Way::Path).run();
    assert!(run.code() == 125 && run.stderr.contains("cannot be sealed"), "{run:?}");
    assert_eq!(log(&stage, &["show", "--json", "-n", "0"]).stdout.lines().count(), 8);
    assert_eq!(log(&stage, &["seal"]).code(), 0);
    assert_eq!(faults(&stage), (0, vec![]));
    assert_eq!(log(&stage, &["show", "--json", "-n", "0"]).stdout.lines().count(), 8);
}

#[test]
fn records_leave_for_other_programs() {
    let stage = stage();
    stage.run(&["tool", "a,b", "=1"]).allowed();
    stage.run(&["other"]).refused(127, "not-found");
    let jsonl = log(&stage, &["export"]);
    let ids: Vec<Value> =
        jsonl.stdout.lines().map(|l| serde_json::from_str::<Value>(l).expect("JSON")["id"].clone()).collect();
    assert_eq!(ids.len(), 2, "{jsonl:?}");
    let csv = log(&stage, &["export", "--format", "csv"]);
    let rows: Vec<&str> = csv.stdout.split_terminator("\r\n").collect();
    assert!(rows.len() == 3 && rows[0].starts_with("time,event,decision"), "{csv:?}");
    assert!(rows[1].contains(",allow,") && rows[1].contains("\"tool a,b "), "{csv:?}");
    for span in [["--until", "2020-01-01"], ["--since", "2100-01-01"]] {
        let run = log(&stage, &[&["export"][..], &span[..]].concat());
        assert!(run.code() == 1 && run.stdout.is_empty(), "{run:?}");
    }
    assert_eq!(log(&stage, &["export", "--since", "1h", "--until", "0m"]).code(), 0);
    assert_eq!(log(&stage, &["export", "--since", "yesterday"]).code(), 2);
}
