//! A host that withholds something: the guard says so and ends by its own exit codes, never by a signal, and never
//! takes half an answer for one.
use serde_json::json;

use crate::stage::record::difference;
use crate::stage::{Stage, Way, programs};

/// A journal just below a limit on file sizes.
const LIMIT: usize = 100_000;

fn full(required: bool) -> Stage {
    let stage =
        Stage::new().tool("tool").allowing(&["tool"]).config(&json!({"journal": {"required": required}}));
    stage.folder("guard/journal", 0o700);
    let line = [vec![b' '; 98], b"{}\n".to_vec()].concat();
    stage.write("guard/journal/journal.jsonl", &line.repeat(LIMIT / line.len()), 0o600);
    stage
}

/// The signal of `RLIMIT_FSIZE` kills whoever writes; without the guard nobody would have written.
#[test]
fn a_journal_at_the_limit_of_file_sizes() {
    let limit = format!("fsize={LIMIT}");
    let stage = full(false);
    let plain = stage.cast(&["tool", "x"]).launch(&["--limit", &limit]).way(Way::Plain).run();
    let run = stage.cast(&["tool", "x"]).launch(&["--limit", &limit]).way(Way::Dash).run();
    run.allowed();
    assert_eq!(run.reason(), Some("journal"), "{run:?}");
    let (before, _) = plain.records[0].comparable(false, None);
    let (after, wrong) = run.records[0].comparable(true, None);
    let differ = difference(&before, &after);
    assert!(differ.is_empty() && wrong.is_empty(), "{differ:?} {wrong:?}");
    let stage = full(true);
    stage.cast(&["tool"]).launch(&["--limit", &limit]).way(Way::Dash).run().refused(126, "journal");
}

/// An edit that has no room leaves the old document and nothing besides.
#[test]
fn an_edit_past_the_limit_of_file_sizes() {
    let ctl = &programs().ctl;
    let stage = Stage::new().allowing(&["tool"]);
    let before = std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
    let words = [ctl.to_str().expect("path"), "approvals", "allowlist", "add", "/usr/bin/id"];
    let run = stage.cast(&words).launch(&["--limit", "fsize=16"]).way(Way::Path).run();
    assert_eq!(run.code(), 125, "{run:?}");
    assert_eq!(std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document"), before);
    let names: Vec<_> = std::fs::read_dir(stage.path("guard")).expect("folder").flatten().collect();
    let left = names.iter().any(|e| e.file_name().to_string_lossy().ends_with(".tmp"));
    assert!(!left, "{names:?}");
}

/// Who asks for a verdict and cannot be told must not read *allow* out of the exit status.
#[test]
fn an_answer_that_cannot_be_written() {
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let guard = programs().guard.to_str().expect("path");
    let tool = stage.text("bin/tool");
    let away = ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"];
    for words in [
        &[guard, "check", "--", &tool][..],
        &[guard, "check", "--json", "--", &tool],
        &[guard, "--version"],
        &[guard, "--help"],
    ] {
        let run = stage.cast(words).chain(&away).way(Way::Path).run();
        assert_eq!((run.code(), run.reason()), (125, Some("internal")), "{words:?}: {run:?}");
    }
}
