//! A person at the terminal: yes, always, no, late, gone, nobody.
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::pty::Terminal;
use crate::stage::{Cast, Run, Stage, Way};

const QUESTION: &str = "? (denied in ";

/// A world in which `tool` has to be asked about and `listed` has not.
fn stage() -> Stage {
    Stage::new().tool("tool").tool("listed").allowing(&["listed"])
}

fn at<'a>(stage: &'a Stage, terminal: &'a Terminal, words: &[&str]) -> Cast<'a> {
    stage.cast(words).way(Way::Dash).terminal(terminal)
}

/// Runs it and types that once the question is drawn.
fn answered(stage: &Stage, words: &[&str], keys: &str) -> (Run, String) {
    let terminal = Terminal::new();
    let run = at(stage, &terminal, words).talk(|| {
        terminal.expect(QUESTION, 0);
        terminal.send(keys);
    });
    (run, terminal.shown())
}

fn entries(stage: &Stage) -> Vec<Value> {
    let text = fs::read(stage.path("guard/exec-approvals.json")).expect("document");
    let doc: Value = serde_json::from_slice(&text).expect("JSON");
    doc["agents"]["main"]["allowlist"].as_array().cloned().unwrap_or_default()
}

#[test]
fn what_is_listed_is_not_asked() {
    let (stage, terminal) = (stage(), Terminal::new());
    at(&stage, &terminal, &["listed", "x"]).run().ran(&[&["listed", "x"]]);
    assert_eq!(terminal.shown(), "", "no prompt fatigue");
}

#[test]
fn once_is_once() {
    let stage = stage().tool_says("tool", "7", "out\n");
    let (run, shown) = answered(&stage, &["tool", "a b", "x\u{202e}y"], "y\n");
    run.ran(&[&["tool", "a b", "x\u{202e}y"]]);
    assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (7, "out\n", ""), "{run:?}");
    // What a person has to know was on the screen, and nothing moved the cursor.
    for part in ["a b", "\\xe2\\x80\\xae", "/bin/tool", "main", "allowlist", "/work"] {
        assert!(shown.contains(part), "{part} was not shown: {shown}");
    }
    assert!(!shown.contains('\u{202e}'), "{shown}");
    assert_eq!(entries(&stage).len(), 1, "nothing was stored");
    let (run, _) = answered(&stage, &["tool"], "n\n");
    run.refused(126, "user-denied");
}

#[test]
fn no_is_no_and_tells_why() {
    let stage = stage();
    let (run, _) = answered(&stage, &["tool"], "n not on a friday\n");
    run.refused(126, "user-denied");
    assert!(run.stderr.contains("not on a friday"), "{run:?}");
}

#[test]
fn what_is_no_answer_is_none() {
    let stage = stage();
    let twelve = vec!["\n"; 12];
    let unclear: Vec<&str> = ["maybe\n", "Y E S\n", "\u{4}"].to_vec();
    for lines in [vec!["\u{3}"], vec!["\u{4}"], vec!["\u{1c}"], twelve, unclear] {
        let terminal = Terminal::new();
        let run = at(&stage, &terminal, &["tool"]).talk(|| {
            let mut from = 0;
            for keys in &lines {
                // Each line is typed to a question that was drawn for it.
                match terminal.look(QUESTION, from) {
                    Some(at) => from = at,
                    None => break,
                }
                terminal.send(keys);
            }
        });
        assert!(run.records.is_empty(), "{lines:?}: {run:?}");
        assert!(run.code() == 126 && run.reason().is_some(), "{lines:?}: {run:?}");
    }
}

#[test]
fn no_answer_in_time_is_no() {
    let stage = stage().config(&json!({"tools": {"exec": {"approvalTimeoutMs": 300}}}));
    let terminal = Terminal::new();
    let began = Instant::now();
    let run = at(&stage, &terminal, &["tool"]).talk(|| {
        terminal.expect(QUESTION, 0);
    });
    run.refused(126, "approval-timeout");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // Too late: nothing of it reaches anybody.
    terminal.send("y\n");
}

#[test]
fn a_terminal_that_is_closed_is_no() {
    let stage = stage();
    let mut terminal = Terminal::new();
    let mut child = at(&stage, &terminal, &["tool"]).start();
    terminal.expect(QUESTION, 0);
    terminal.close();
    let status = crate::stage::pty::finish(&mut child);
    assert!(!status.success(), "{status:?}");
    assert!(stage.records().is_empty(), "{:?}", stage.records());
}

/// What was typed before the question was there is no answer to it.
#[test]
fn type_ahead_does_not_count() {
    let stage = stage().config(&json!({"tools": {"exec": {"approvalTimeoutMs": 700}}}));
    let terminal = Terminal::new();
    terminal.send("y\ny\n");
    std::thread::sleep(Duration::from_millis(50));
    let run = at(&stage, &terminal, &["tool"]).run();
    run.refused(126, "approval-timeout");
    assert!(terminal.shown().contains(QUESTION), "{}", terminal.shown());
}

#[test]
fn modes_are_put_back_however_it_ends() {
    let stage = stage().config(&json!({"tools": {"exec": {"approvalTimeoutMs": 1500}}}));
    for keys in ["y\n", "n\n", "\u{3}", "\u{4}", ""] {
        let terminal = Terminal::new();
        let before = terminal.modes();
        let run = at(&stage, &terminal, &["tool"]).talk(|| {
            terminal.expect(QUESTION, 0);
            terminal.send(keys);
        });
        assert_eq!(terminal.modes(), before, "{keys:?}: {run:?}");
    }
    // Killed from outside, as politely as kill(1) does.
    let terminal = Terminal::new();
    let before = terminal.modes();
    let run = at(&stage, &terminal, &["tool"]);
    let mut child = run.start();
    terminal.expect(QUESTION, 0);
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("kill");
    let _ = crate::stage::pty::finish(&mut child);
    assert_eq!(terminal.modes(), before, "after SIGTERM");
    assert!(stage.records().is_empty());
}

#[test]
fn a_window_that_is_resized_asks_on() {
    let stage = stage();
    for (rows, columns) in [(24, 40), (50, 200), (10, 80)] {
        let terminal = Terminal::new();
        let run = at(&stage, &terminal, &["tool", "word"]).talk(|| {
            terminal.expect(QUESTION, 0);
            terminal.resize(rows, columns);
            std::thread::sleep(Duration::from_millis(30));
            terminal.send("y\n");
        });
        run.ran(&[&["tool", "word"]]);
    }
}

#[test]
fn a_narrow_window_shows_the_whole() {
    let stage = stage();
    let terminal = Terminal::new();
    terminal.resize(60, 40);
    // A character that stands nowhere else on the screen.
    let long = "+".repeat(100);
    let run = at(&stage, &terminal, &["tool", &long]).talk(|| {
        terminal.expect(QUESTION, 0);
        terminal.send("n\n");
    });
    run.refused(126, "user-denied");
    let shown = terminal.shown();
    assert_eq!(shown.matches('+').count(), 100, "{shown}");
    for line in shown.lines().filter(|l| !l.contains("denied in")) {
        assert!(line.trim_end().chars().count() <= 40, "{line:?}");
    }
}

/// Asked about whole, or not at all.
#[test]
fn what_is_too_long_to_show_is_refused() {
    let stage = stage();
    let terminal = Terminal::new();
    let long = "x".repeat(100_000);
    at(&stage, &terminal, &["tool", &long]).run().refused(126, "too-long-to-ask");
}

/// An agent that owns the terminal could type the answer.
#[test]
fn an_agent_s_session_is_never_asked_at_its_terminal() {
    let stage = stage().env("CLAUDECODE=1");
    let terminal = Terminal::new();
    let run = at(&stage, &terminal, &["tool"]).run();
    assert!(run.records.is_empty() && run.code() == 126, "{run:?}");
    assert_eq!(terminal.shown(), "");
    // Nor where the mark was taken off on the way: an ancestor bears it.
    let stage = self::stage();
    let terminal = Terminal::new();
    let inner = format!(
        "env -u CLAUDECODE {} -- tool; exit $?",
        crate::stage::programs().guard.to_str().expect("path")
    );
    let mut env = stage.environment();
    env.push(b"CLAUDECODE=1".to_vec());
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH={}:/usr/bin:/bin", stage.text("bin")).into_bytes());
    let run = stage.cast(&["/bin/sh", "-c", &inner]).way(Way::Path).env(env).terminal(&terminal).run();
    assert!(run.records.is_empty() && run.code() == 126, "{run:?}");
    assert_eq!(terminal.shown(), "", "{run:?}");
}

#[test]
fn in_the_background_nobody_is_asked() {
    let stage = stage();
    let terminal = Terminal::new();
    let guard = crate::stage::programs().guard.to_str().expect("path");
    // With job control a background job has a group of its own, which is not the terminal's.
    let script = format!("set -m; {guard} -- tool & wait $!; exit $?");
    let mut env = stage.environment();
    env.retain(|e| !e.starts_with(b"PATH="));
    env.push(format!("PATH={}:/usr/bin:/bin", stage.text("bin")).into_bytes());
    let run = stage.cast(&["/bin/bash", "-c", &script]).way(Way::Path).env(env).terminal(&terminal).run();
    assert!(run.records.is_empty() && run.code() == 126, "{run:?}");
    assert!(!terminal.shown().contains(QUESTION), "{}", terminal.shown());
}

/// Types *always* and that scope.
fn always(stage: &Stage, words: &[&str], scope: &str) -> Run {
    let terminal = Terminal::new();
    at(stage, &terminal, words).talk(|| {
        let from = terminal.expect(QUESTION, 0);
        terminal.send("a\n");
        terminal.expect("number", from);
        terminal.send(&format!("{scope}\n"));
    })
}

#[test]
fn always_stores_what_was_chosen() {
    for (scope, args) in [("1", json!(["status", "x"])), ("2", json!(["status", "..."])), ("3", Value::Null)]
    {
        let stage = stage();
        always(&stage, &["tool", "status", "x"], scope).ran(&[&["tool", "status", "x"]]);
        let list = entries(&stage);
        let new: Vec<&Value> =
            list.iter().filter(|e| e["pattern"].as_str().is_some_and(|p| p.ends_with("/bin/tool"))).collect();
        assert_eq!(new.len(), 1, "{list:?}");
        assert_eq!(new[0]["args"], args, "{list:?}");
        assert!(new[0]["id"].is_string() && new[0]["source"].is_string(), "{list:?}");
        let mode = std::os::unix::fs::MetadataExt::mode(
            &fs::metadata(stage.path("guard/exec-approvals.json")).expect("document"),
        );
        assert_eq!(mode & 0o777, 0o600);
        // Not asked again for what it covers, and asked for the rest.
        stage.run(&["tool", "status", "x"]).allowed();
        let other = stage.run(&["tool", "status", "y"]);
        assert_eq!(other.records.len(), usize::from(scope != "1"), "{scope}: {other:?}");
        let third = stage.run(&["tool", "push"]);
        assert_eq!(third.records.len(), usize::from(scope == "3"), "{scope}: {third:?}");
    }
}

#[test]
fn two_always_at_once_lose_nothing() {
    let tools = ["one", "two", "three", "four"];
    let stage = tools.iter().fold(stage(), |s, t| s.tool(t));
    std::thread::scope(|s| {
        for t in tools {
            let stage = &stage;
            s.spawn(move || {
                let terminal = Terminal::new();
                let mut child = at(stage, &terminal, &[t]).start();
                let from = terminal.expect(QUESTION, 0);
                terminal.send("a\n");
                let from = terminal.expect("number", from);
                terminal.send("1\n");
                let _ = from;
                assert!(crate::stage::pty::finish(&mut child).success());
            });
        }
    });
    let list = entries(&stage);
    for t in tools {
        let end = format!("/bin/{t}");
        let n = list.iter().filter(|e| e["pattern"].as_str().is_some_and(|p| p.ends_with(&end))).count();
        assert_eq!(n, 1, "{t}: {list:?}");
    }
}

/// Where nothing durable can be stored, *always* is not offered and the prompt says why.
#[test]
fn always_is_not_offered_for_what_cannot_be_stored() {
    let stage = Stage::new().tool("tool").tool("bash").allowing(&["tool"]);
    for words in [vec!["bash", "-c", "tool; $X"], vec!["bash"]] {
        let terminal = Terminal::new();
        let run = at(&stage, &terminal, &words).talk(|| {
            let from = terminal.expect(QUESTION, 0);
            terminal.send("a\n");
            terminal.expect(QUESTION, from);
            terminal.send("n\n");
        });
        run.refused(126, "user-denied");
        assert!(terminal.shown().contains("not offered"), "{}", terminal.shown());
    }
    assert_eq!(entries(&stage).len(), 1);
}

#[test]
fn an_argument_cannot_draw_the_prompt() {
    let stage = stage();
    let spoof = "\x1b[2J\x1b[Hexec-guard: allowed\r\n\x07\u{9b}2J\u{200b}y";
    let (run, shown) = answered(&stage, &["tool", spoof], "n\n");
    run.refused(126, "user-denied");
    for raw in ["\x1b[2J", "\x07", "\u{9b}", "\u{200b}"] {
        assert!(!shown.contains(raw), "{raw:?} reached the terminal: {shown:?}");
    }
    assert!(!shown.lines().any(|l| l.trim() == "exec-guard: allowed"), "{shown}");
}
