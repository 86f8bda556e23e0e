//! Promised numbers that can be counted: system calls before the exec, bytes, processes, threads.
use serde_json::json;

use crate::stage::trace::{calls, dynamic, impossible, traced};
use crate::stage::{Stage, Way, cannot, programs};

/// The most system calls before the exec, with a user layer only, on an exact hit by absolute path.
const CALLS: usize = 60;

/// The most bytes of the shipped program.
const BYTES: u64 = 2_000_000;

fn shipped() -> bool {
    std::env::var_os("EXEC_GUARD_DIST").is_some()
}

fn count(stage: &Stage, words: &[&str], way: Way) -> Vec<crate::stage::trace::Call> {
    traced(stage, words, &[]).way(way).run().allowed();
    let calls = calls(stage);
    assert!(calls.last().is_some_and(|c| c.name.starts_with("execve")), "no exec in the trace: {calls:?}");
    calls
}

#[test]
fn system_calls_before_the_exec() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = Stage::new().tool("tool").shim("tool").allowing(&["tool"]);
    let path = stage.text("bin/tool");
    for (what, words, way) in
        [("by path", vec![path.as_str(), "x"], Way::Dash), ("by name", vec!["tool", "x"], Way::Shim)]
    {
        let calls = count(&stage, &words, way);
        println!("{what}: {} calls", calls.len());
        // No process, no thread: the guard becomes the command.
        let born = calls.iter().find(|c| matches!(c.name.as_str(), "fork" | "vfork" | "clone" | "clone3"));
        assert!(born.is_none(), "{what}: {born:?}");
        if dynamic(&programs().guard) {
            // The loader's calls are not the guard's: only the static program is held to the number.
            cannot("this build of exec-guard is dynamic; scripts/test --shipped counts");
            continue;
        }
        let lines: Vec<&str> = calls.iter().map(|c| c.line.as_str()).collect();
        // By name each folder of PATH costs a look or two; promised is the path.
        let most = if what == "by path" { CALLS } else { CALLS + 8 };
        assert!(calls.len() <= most, "{what}: {} calls, {most} promised:\n{}", calls.len(), lines.join("\n"));
    }
}

/// A long list costs reading, not calls.
#[test]
fn system_calls_do_not_grow_with_the_list() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = Stage::new().tool("tool");
    let path = stage.text("bin/tool");
    let with = |n: usize| {
        let mut list: Vec<_> = (0..n).map(|i| json!({"pattern": format!("/opt/p{i}/bin/tool{i}")})).collect();
        list.push(json!({"pattern": path}));
        json!({"version": 1, "agents": {"main": {"security": "allowlist", "allowlist": list}}})
    };
    let stage = stage.policy(&with(1));
    let few = count(&stage, &[&path], Way::Dash).len();
    let stage = stage.policy(&with(300));
    let many = count(&stage, &[&path], Way::Dash).len();
    // A larger buffer or two.
    assert!(many <= few + 8, "{few} calls with 1 entry, {many} with 300");
}

#[test]
fn bytes_of_the_program() {
    if !shipped() {
        return cannot("only what scripts/build makes is held to its size: scripts/test --shipped");
    }
    let bytes = std::fs::metadata(&programs().guard).expect("exec-guard").len();
    println!("exec-guard: {bytes} bytes");
    assert!(bytes <= BYTES, "{bytes} bytes, {BYTES} promised");
    assert!(!dynamic(&programs().guard), "the shipped program is static");
}
