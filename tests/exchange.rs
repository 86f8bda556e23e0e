//! What is exchanged between the judgement and the exec: a program is refused, a document changes nothing any more.
//!
//! The guard is stopped where it writes its journal, which is after the judgement; the test waits until the kernel says
//! that it stands, exchanges something, and lets it go on.
use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use crate::stage::trace::{impossible, traced};
use crate::stage::{Run, Stage, Way, cannot, own, programs};

/// The process that stands, once it does. The trace says so in a line of its own.
fn standing(stage: &Stage) -> Pid {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let text = fs::read(stage.path("trace")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().find(|l| l.ends_with("--- stopped by SIGSTOP ---"));
        if let Some(pid) = line.and_then(|l| l.split_whitespace().next()?.parse().ok()) {
            return Pid::from_raw(pid);
        }
        assert!(Instant::now() < until, "it never stood: {text}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Runs it by the guard, and does something between judgement and exec.
fn meanwhile(stage: &Stage, words: &[&str], way: Way, exchange: impl FnOnce()) -> Run {
    let options = ["-e", "trace=write", "-e", "inject=write:signal=STOP:when=1"];
    traced(stage, words, &options).way(way).talk(|| {
        let pid = standing(stage);
        exchange();
        kill(pid, Signal::SIGCONT).expect("it goes on");
    })
}

/// Another file under the tool's name: the same bytes, so that it is the file that counts and not what is in it.
fn put_another(stage: &Stage, name: &str) {
    let (new, path) = (stage.path("bin/new"), stage.path("bin").join(name));
    fs::copy(&programs().witness, &new).expect("a witness");
    fs::rename(new, path).expect("rename");
}

#[test]
fn a_program_that_is_exchanged_does_not_run() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = Stage::new().tool("tool").tool("other").shim("tool").allowing(&["tool", "other"]);
    let path = stage.text("bin/tool");
    // The control: stopping alone changes nothing.
    meanwhile(&stage, &["tool", "x"], Way::Dash, || ()).ran(&[&["tool", "x"]]);
    for way in [Way::Dash, Way::Shim, Way::Text] {
        meanwhile(&stage, &["tool", "x"], way, || put_another(&stage, "tool")).refused(126, "changed");
    }
    meanwhile(&stage, &[&path], Way::Dash, || put_another(&stage, "tool")).refused(126, "changed");
    // Written in place: the same file, with another content.
    let write = || fs::copy(&programs().clumsy, stage.path("bin/tool")).map(drop).expect("another content");
    meanwhile(&stage, &["tool"], Way::Dash, write).refused(126, "changed");
    put_another(&stage, "tool");
    let remove = || fs::remove_file(stage.path("bin/tool")).expect("removed");
    let run = meanwhile(&stage, &["tool"], Way::Dash, remove);
    assert!(run.records.is_empty() && matches!(run.code(), 126 | 127), "{run:?}");
    put_another(&stage, "tool");
    // Every program of a text is looked at again before the shell gets it.
    let guard = programs().guard.to_str().expect("path");
    let text = [guard, "-c", "tool x | other y"];
    assert_eq!(stage.cast(&text).way(Way::Path).run().records.len(), 2);
    for name in ["tool", "other"] {
        meanwhile(&stage, &text, Way::Path, || put_another(&stage, name)).refused(126, "changed");
    }
}

#[test]
fn a_document_that_is_exchanged_is_for_the_next_one() {
    if let Some(why) = impossible() {
        return cannot(&why);
    }
    let stage = Stage::new().tool("tool").allowing(&["tool"]);
    let deny = json!({"version": 1, "defaults": {"security": "deny"}}).to_string();
    let exchange = || {
        let (new, path) = (stage.path("guard/new"), stage.path("guard/exec-approvals.json"));
        stage.write("guard/new", deny.as_bytes(), 0o600);
        own(&new);
        fs::rename(new, path).expect("rename");
    };
    meanwhile(&stage, &["tool"], Way::Dash, exchange).ran(&[&["tool"]]);
    stage.run(&["tool"]).refused(126, "security-deny");
}
