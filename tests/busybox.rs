//! A machine on which `sh` is busybox, as on Alpine: texts are read as its ash reads them.
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::stage::{Stage, Way, cannot};

const BUSYBOX: &str = "/bin/busybox";

/// A stage whose shell is the host's busybox under the name `sh`.
fn stage() -> Option<Stage> {
    if !Path::new(BUSYBOX).exists() {
        cannot("there is no busybox");
        return None;
    }
    let stage = Stage::new().tool_says("tool", "0", "said\n").tool_says("other", "cat", "").shim("sh");
    symlink(BUSYBOX, stage.path("bin/sh")).expect("link");
    let exec = json!({"shell": {"program": stage.text("bin/sh"), "accept": "checked"}});
    Some(stage.allowing(&["tool", "other"]).config(&json!({"tools": {"exec": exec}})))
}

#[test]
fn texts_run_through_its_ash() {
    let Some(stage) = stage() else { return };
    for text in [
        "tool a | other && tool 'b c'",
        "tool \"$HOME\"; tool *",
        "if tool; then tool x; else other; fi",
        "for i in 1 2; do tool \"$i\"; done",
        "f() { tool in-f; }; f",
        "tool ${X:-default} $((1 + 2)) \"$(tool inner)\"",
        "cd / && tool here",
    ] {
        let plain = stage.cast(&["sh", "-c", text]).way(Way::Plain).run();
        assert!(!plain.records.is_empty(), "{text}: {plain:?}");
        let words = |run: &crate::stage::Run| {
            let mut all: Vec<Vec<String>> = run
                .records
                .iter()
                .map(|r| {
                    let mut words = r.words();
                    words[0] = words[0].rsplit('/').next().unwrap_or_default().to_owned();
                    words
                })
                .collect();
            all.sort();
            all
        };
        let by_text = stage.run_text(text);
        let by_link = stage.cast(&["sh", "-c", text]).way(Way::Shim).run();
        for run in [&by_text, &by_link] {
            assert_eq!(
                (words(run), &run.stdout, run.code()),
                (words(&plain), &plain.stdout, 0),
                "{text}: {run:?}"
            );
        }
    }
}

#[test]
fn what_only_it_understands_asks() {
    let Some(stage) = stage() else { return };
    // The first of each runs something in this shell and nothing in dash, or the other way round.
    for text in [
        "tool $'a\\'; other; '",
        "other <(tool)",
        "tool >&file",
        "tool &>file",
        "tool 10>file",
        "function tool { other; }; tool",
        "[[ a == a* ]] && tool",
        "tool [[ a && other ]]",
        "source /dev/null && tool",
        "tool ${HOME/home/x}",
    ] {
        for run in [stage.run_text(text), stage.cast(&["sh", "-c", text]).way(Way::Shim).run()] {
            assert!(run.records.is_empty() && run.code() == 126, "{text}: {run:?}");
        }
        assert!(!stage.path("work/file").exists(), "{text}");
    }
}
