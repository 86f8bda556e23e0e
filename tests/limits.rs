//! A host that withholds something: the guard says so and ends by its own exit codes, never by a signal, and never
//! takes half an answer for one.
use serde_json::json;

use crate::stage::record::difference;
use crate::stage::view::impossible;
use crate::stage::{Run, Stage, Way, cannot, player, programs};

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

/// A run in a private view of the file system, in which `mounts` stand in the way, as the player; without `exec`, so
/// that something can be looked at afterwards. `None` where no such view is to be had.
fn in_view(stage: &Stage, mounts: &[&str], before: &str, after: &str, words: &[&str]) -> Option<Run> {
    if let Some(why) = impossible() {
        cannot(&why);
        return None;
    }
    let script = format!("{before}\n\"$@\"\nstatus=$?\n{after}\nexit $status");
    let mut chain = vec!["bwrap", "--dev-bind", "/", "/"];
    chain.extend(mounts);
    chain.extend(["--", "/bin/sh", "-c", &script, "sh"]);
    if player().is_some() {
        chain.extend(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    Some(stage.cast(words).chain(&chain).with_root().way(Way::Path).run())
}

/// An edit of the policy.
fn edit() -> [&'static str; 5] {
    [programs().ctl.to_str().expect("path"), "approvals", "allowlist", "add", "/usr/bin/id"]
}

/// On a disk without room an edit leaves the old document and nothing besides; a decision that cannot be written down
/// is said, and refuses where it has to be.
#[test]
fn a_disk_without_room() {
    for required in [false, true] {
        let stage =
            Stage::new().tool("tool").allowing(&["tool"]).config(&json!({"journal": {"required": required}}));
        stage.folder("out", 0o777);
        let (guard, out) = (stage.text("guard"), stage.text("out"));
        let small = ["--size", "65536", "--tmpfs", &guard];
        // The documents are read before the folder is covered; what is left of the room is filled up.
        let copy = format!("{out}/copy");
        std::fs::create_dir(&copy).expect("folder");
        for name in ["exec-approvals.json", "config.json"] {
            std::fs::copy(stage.path("guard").join(name), stage.path("out/copy").join(name)).expect("a copy");
        }
        let fill = format!(
            "cp {copy}/* {guard}/ && chmod 600 {guard}/* && chmod 700 {guard}\n\
             mkdir {guard}/journal && chmod 700 {guard}/journal\n\
             cat /dev/zero >{guard}/fill 2>/dev/null\n\
             [ $(id -u) != 0 ] || chown -R 65534:65534 {guard}"
        );
        let program = programs().guard.to_str().expect("path");
        let Some(run) = in_view(&stage, &small, &fill, "", &[program, "--", "tool"]) else { return };
        if required {
            run.refused(126, "journal");
        } else {
            run.allowed();
            assert_eq!(run.reason(), Some("journal"), "{run:?}");
        }
        let keep = format!("ls -A {guard} >{out}/left; cp {guard}/exec-approvals.json {out}/kept");
        let run = in_view(&stage, &small, &fill, &keep, &edit()).expect("a view");
        assert_eq!(run.code(), 125, "{run:?}");
        let read = |rel: &str| std::fs::read_to_string(stage.path(rel)).expect(rel);
        assert_eq!(read("out/kept"), read("out/copy/exec-approvals.json"));
        let left = read("out/left");
        assert!(left.contains("fill") && !left.contains("tmp"), "{left}");
    }
}

#[test]
fn a_disk_that_is_read_only() {
    for required in [false, true] {
        let stage =
            Stage::new().tool("tool").allowing(&["tool"]).config(&json!({"journal": {"required": required}}));
        let guard = stage.text("guard");
        let mounts = ["--ro-bind", &guard, &guard];
        let program = programs().guard.to_str().expect("path");
        let Some(run) = in_view(&stage, &mounts, "", "", &[program, "--", "tool"]) else { return };
        if required {
            run.refused(126, "journal");
        } else {
            // As if there were no place for one: so it is in a container.
            run.allowed();
            assert!(run.stderr.is_empty(), "{run:?}");
        }
        let before = std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
        let run = in_view(&stage, &mounts, "", "", &edit()).expect("a view");
        assert_eq!(run.code(), 125, "{run:?}");
        assert!(run.stderr.contains("Read-only file system"), "{run:?}");
        assert_eq!(std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document"), before);
    }
}

/// Without /proc nobody can be told from an agent, and nothing else is different. (The programs are real ones: a witness
/// learns its place from /proc.)
#[test]
fn no_proc() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let list = json!([{"pattern": "/usr/bin/touch"}]);
    let doc = json!({"version": 1, "defaults": {"security": "allowlist", "allowlist": list}});
    let stage = Stage::new().policy(&doc);
    let program = programs().guard.to_str().expect("path");
    let run = |words: &[&str]| {
        let mut all = vec!["/usr/bin/bwrap", "--dev-bind", "/", "/", "--tmpfs", "/proc", "--"];
        if player().is_some() {
            all.extend(["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]);
        }
        all.push(program);
        all.extend(words);
        // What makes the run ready needs /proc itself: it is taken away behind that.
        stage.cast(&all).with_root().way(Way::Path).run()
    };
    let made = |name: &str| stage.path("work").join(name).exists();
    let first = run(&["--", "/usr/bin/touch", "one"]);
    assert!(first.code() == 0 && first.stderr.is_empty() && made("one"), "{first:?}");
    let text = run(&["-c", "/usr/bin/touch two && /usr/bin/touch three"]);
    assert!(text.code() == 0 && made("two") && made("three"), "{text:?}");
    run(&["--", "/usr/bin/mkdir", "four"]).refused(126, "allowlist-miss");
    run(&["-c", "/usr/bin/touch five; /usr/bin/mkdir four"]).refused(126, "allowlist-miss");
    assert!(!made("four") && !made("five"));
    let check = run(&["check", "--json", "--", "/usr/bin/touch", "six"]);
    assert!(check.code() == 0 && check.stdout.contains("\"allow\""), "{check:?}");
}
