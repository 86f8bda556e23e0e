//! `exec-guard submit`: not waited for, and run at most once.
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Child;
use std::time::Instant;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::operator::{Approver, asked, ctl, id, until};
use crate::stage::run::wait;
use crate::stage::{Run, Stage, programs};

fn stage() -> Stage {
    stage_with(&json!({}), &json!({}))
}

fn stage_with(exec: &Value, submit: &Value) -> Stage {
    let stage = Stage::new().tool("listed").tool("tool");
    let listed = stage.text("bin/listed");
    stage
        .policy(&json!({"version": 1, "socket": {"token": "a token of the tests"}, "agents": {"main":
            {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": [{"pattern": listed}]}}}))
        .config(&json!({"tools": {"exec": exec}, "submit": submit}))
}

/// What was said to whoever did not wait.
#[track_caller]
fn said(run: &Run, code: i32, status: &str) -> String {
    assert_eq!(run.code(), code, "{run:?}");
    let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!(answer["status"], status, "{answer}");
    assert_eq!(answer["expiresAtMs"].is_u64(), code == 75, "{answer}");
    assert_eq!(run.stdout.lines().count(), 1);
    id(&answer)
}

fn show(stage: &Stage, run: &str) -> Value {
    let shown = ctl(stage, &["runs", "show", run, "--json"]);
    serde_json::from_str(&shown.stdout).unwrap_or_else(|_| panic!("{shown:?}"))
}

#[track_caller]
fn when(stage: &Stage, run: &str, state: &str) -> Value {
    let mut last = Value::Null;
    until(&format!("{run} is {state}"), || {
        last = show(stage, run);
        assert!(
            last["state"] == state || ["waiting", "running"].iter().any(|s| last["state"] == *s),
            "{last}"
        );
        (last["state"] == state).then(|| last.clone())
    })
}

/// The words of every witness that ran.
fn ran(stage: &Stage) -> Vec<String> {
    stage.records().iter().map(|r| r.words().join(" ")).collect()
}

fn resolve(stage: &Stage, run: &str, rest: &[&str]) {
    let words = [&["approvals", "resolve", run][..], rest].concat();
    let answered = ctl(stage, &words);
    assert_eq!(answered.code(), 0, "{answered:?}");
}

#[test]
fn what_is_allowed_runs_at_once_and_is_not_waited_for() {
    let stage = stage().tool_says("listed", "3", "out\n");
    let run = said(&stage.guard(&["submit", "--agent", "main", "--", "listed", "x"]), 0, "running");
    let meta = when(&stage, &run, "finished");
    assert_eq!(
        (&meta["code"], &meta["by"], &meta["command"]),
        (&json!(3), &json!("policy"), &json!("listed x"))
    );
    assert_eq!((&meta["stdout"]["bytes"], &meta["stdout"]["kept"]), (&json!(4), &json!(4)));
    assert_eq!(ran(&stage), ["listed x"]);
    assert_eq!(ctl(&stage, &["runs", "logs", &run[..8], "--follow"]).stdout, "out\n");
    let list = ctl(&stage, &["runs", "list"]);
    assert!(list.stdout.contains("ended 3") && list.stdout.contains(&run), "{list:?}");
    let folder = stage.path("guard/runs").join(&run);
    let mode = |name: &str| fs::metadata(folder.join(name)).expect(name).mode() & 0o777;
    assert_eq!((mode("."), mode("stdout"), mode("meta.json")), (0o700, 0o600, 0o600));
    // Without an approver the journal is written by the guard itself.
    let log = ctl(&stage, &["log", "show", "--json"]).stdout;
    let events: Vec<Value> = log.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert!(events.iter().any(|e| e["event"] == "exec.finished" && e["exitCode"] == 3), "{log}");
    assert_eq!(ctl(&stage, &["runs", "show", "none"]).code(), 5);
}

#[test]
fn what_is_denied_is_refused_as_always() {
    let stage = stage();
    stage.guard(&["submit", "--", "no-such-tool"]).refused(127, "not-found");
    // Nobody is there to be asked.
    stage.guard(&["submit", "--", "tool"]).refused(126, "allowlist-miss");
    assert_eq!(ctl(&stage, &["runs", "list", "--json"]).stdout.trim(), "[]");
    let wrong = stage.guard(&["submit", "tool"]);
    assert_eq!(wrong.code(), 2, "{wrong:?}");
}

#[test]
fn a_yes_runs_it_and_a_no_does_not() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let pending = stage.guard(&["submit", "-c", "tool one; tool two"]);
    let run = said(&pending, 75, "approval-pending");
    assert!(pending.records.is_empty() && pending.stderr.is_empty(), "{pending:?}");
    let question = asked(&stage, 1).remove(0);
    assert_eq!((id(&question), &question["question"]["detached"]), (run.clone(), &json!(true)));
    assert_eq!(show(&stage, &run)["state"], "waiting");
    assert!(ran(&stage).is_empty());
    resolve(&stage, &run, &["allow-once"]);
    let meta = when(&stage, &run, "finished");
    assert_eq!((&meta["code"], &meta["by"]), (&json!(0), &json!("approver")));
    assert_eq!(ran(&stage), ["tool one", "tool two"]);
    let no = said(&stage.guard(&["submit", "--", "tool", "three"]), 75, "approval-pending");
    resolve(&stage, &no, &["deny", "--reason", "because"]);
    let meta = when(&stage, &no, "denied");
    assert_eq!(meta["reason"], "user-denied");
    assert!(meta["message"].as_str().is_some_and(|m| m.contains("because")), "{meta}");
    assert!(ran(&stage).is_empty());
}

#[test]
fn nothing_runs_after_its_time_or_its_approver() {
    let stage = stage_with(&json!({"approvalTimeoutMs": 1500}), &json!({}));
    let approver = Approver::start(&stage);
    let late = said(&stage.guard(&["submit", "--", "tool"]), 75, "approval-pending");
    assert_eq!(when(&stage, &late, "denied")["reason"], "approval-timeout");
    drop(approver);
    let stage = self::stage();
    let approver = Approver::start(&stage);
    let stopped = said(&stage.guard(&["submit", "--", "tool"]), 75, "approval-pending");
    drop(approver);
    assert_eq!(when(&stage, &stopped, "denied")["reason"], "nobody-to-ask");
    let approver = Approver::start(&stage);
    let killed = said(&stage.guard(&["submit", "--", "tool"]), 75, "approval-pending");
    let status: Value =
        serde_json::from_str(&ctl(&stage, &["approver", "status", "--json"]).stdout).expect("JSON");
    kill(Pid::from_raw(status["pid"].as_i64().expect("a pid") as i32), Signal::SIGKILL).expect("kill");
    assert_eq!(when(&stage, &killed, "denied")["reason"], "approver-error");
    assert!(ran(&stage).is_empty());
    drop(approver);
}

/// The guard's process that waits for the answer: the one that is no child of the tests and has the run's lock open.
fn behind(stage: &Stage, run: &str) -> Pid {
    let lock = stage.path("guard/runs").join(run).join("lock");
    until("somebody waits for the answer", || {
        fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
            let pid: i32 = process.file_name().to_str()?.parse().ok()?;
            let open = fs::read_dir(process.path().join("fd")).ok()?.flatten();
            let holds = open.filter_map(|fd| fs::read_link(fd.path()).ok()).any(|to| to == lock);
            holds.then(|| Pid::from_raw(pid))
        })
    })
}

#[test]
fn whoever_was_to_start_it_is_killed_and_it_never_runs() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let run = said(&stage.guard(&["submit", "--", "tool", "x"]), 75, "approval-pending");
    kill(behind(&stage, &run), Signal::SIGKILL).expect("kill");
    assert_eq!(when(&stage, &run, "lost")["startedAtMs"], Value::Null);
    // A yes that comes then starts nothing by itself; whoever asks for the same again has it, once.
    let answered = ctl(&stage, &["approvals", "resolve", &run, "allow-once"]);
    assert!([0, 7].contains(&answered.code()), "{answered:?}");
    assert!(ran(&stage).is_empty());
    let again = said(&stage.guard(&["submit", "--", "tool", "x"]), 75, "approval-pending");
    if answered.code() == 7 {
        resolve(&stage, &again, &["allow-once"]);
    }
    when(&stage, &again, "finished");
    assert_eq!(
        (ran(&stage), show(&stage, &run)["state"].clone()),
        (vec!["tool x".to_owned()], json!("lost"))
    );
}

/// Killed at every moment after a yes: what was started was started once.
#[test]
fn killed_at_any_moment_it_runs_at_most_once() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    for turn in 0..12 {
        // Another command each time: an answer that nobody took is good for the same one once.
        let word = format!("x{turn}");
        let run = said(&stage.guard(&["submit", "--", "tool", &word]), 75, "approval-pending");
        let pid = behind(&stage, &run);
        std::thread::scope(|s| {
            s.spawn(|| ctl(&stage, &["approvals", "resolve", &run, "allow-once"]));
            // Not to wait for something: to come at another moment each time.
            let end = Instant::now() + std::time::Duration::from_millis(turn * 8);
            while Instant::now() < end {
                std::thread::yield_now();
            }
            let _ = kill(pid, Signal::SIGKILL);
        });
        let state = until("it is over", || {
            let state = show(&stage, &run)["state"].as_str().map(str::to_owned)?;
            ["lost", "finished"].contains(&state.as_str()).then_some(state)
        });
        // It may have been started right before, and go on without anybody who sees its end. No second one comes.
        let next = said(&stage.guard(&["submit", "--", "listed"]), 0, "running");
        when(&stage, &next, "finished");
        let times = ran(&stage).iter().filter(|r| **r == format!("tool {word}")).count();
        assert!(times <= 1, "{state}, {times} times");
    }
}

#[test]
fn what_it_writes_is_kept_up_to_a_size() {
    let stage = stage_with(&json!({}), &json!({"maxOutput": 1000})).tool_says(
        "listed",
        "0",
        &"0123456789".repeat(50_000),
    );
    let run = said(&stage.guard(&["submit", "--", "listed"]), 0, "running");
    let meta = when(&stage, &run, "finished");
    // It was not made to fail or wait.
    assert_eq!(meta["code"], 0);
    let meta = until("all is counted", || {
        let meta = show(&stage, &run);
        (meta["stdout"]["bytes"] == 500_000).then_some(meta)
    });
    assert_eq!(meta["stdout"]["kept"], 1000);
    let logs = ctl(&stage, &["runs", "logs", &run]);
    assert!(logs.stdout.len() == 1000 && logs.stderr.contains("499000 bytes more"), "{}", logs.stderr);
}

#[test]
fn it_outlives_its_caller_s_terminal_and_group() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let guard = programs().guard.display();
    let tool = stage.text("bin/tool");
    // The caller is a group of its own that is killed as soon as it has the id, as agents do with their commands.
    let script = format!("'{guard}' submit -- '{tool}' x 9>&1; exec /bin/sleep 600");
    let terminal = crate::stage::pty::Terminal::new();
    let mut caller: Child =
        stage.cast(&["/bin/sh", "-c", &script]).way(crate::stage::Way::Path).terminal(&terminal).start();
    let run = id(&asked(&stage, 1)[0]);
    // Only once it was told has it been split off.
    until("it waits", || (show(&stage, &run)["expiresAtMs"].is_u64()).then_some(()));
    let waiting = behind(&stage, &run);
    until("the caller goes on", || {
        let session = fs::read_to_string(format!("/proc/{waiting}/stat")).ok()?;
        let fields: Vec<&str> = session.rsplit(')').next()?.split_whitespace().collect();
        (fields.get(3)? == &waiting.to_string()).then_some(())
    });
    let _ = killpg(Pid::from_raw(caller.id() as i32), Signal::SIGKILL);
    wait(&mut caller, Instant::now(), std::time::Duration::from_secs(60));
    drop(terminal);
    // Nothing of the caller's is open in it.
    for fd in fs::read_dir(format!("/proc/{waiting}/fd")).expect("its descriptors").flatten() {
        let to = fs::read_link(fd.path()).unwrap_or_default();
        assert!(!to.to_string_lossy().contains("pipe:") && !to.starts_with("/dev/pts"), "{to:?}");
    }
    resolve(&stage, &run, &["allow-once"]);
    when(&stage, &run, "finished");
    assert_eq!(ran(&stage), [format!("{tool} x")]);
}

#[test]
fn those_that_are_over_are_swept() {
    let stage = stage_with(&json!({}), &json!({"keep": 2}));
    for n in 0..4 {
        let run = said(&stage.guard(&["submit", "--", "listed", &n.to_string()]), 0, "running");
        when(&stage, &run, "finished");
    }
    let list: Vec<Value> =
        serde_json::from_str(&ctl(&stage, &["runs", "list", "--json"]).stdout).expect("JSON");
    assert_eq!(list.len(), 3, "two, and the one that was begun after: {list:?}");
}

#[test]
fn a_long_run_is_announced_and_its_end_is_told() {
    let stage = stage_with(&json!({"approvalRunningNoticeMs": 1}), &json!({}));
    let _approver = Approver::start(&stage);
    let text = "/bin/sleep 2; tool x";
    let run = said(&stage.guard(&["submit", "-c", text]), 75, "approval-pending");
    resolve(&stage, &run, &["allow-once"]);
    when(&stage, &run, "finished");
    // The approver's pen writes them, in their order.
    until("all of it is in the journal", || {
        let log = ctl(&stage, &["log", "show", "--json", "-n", "0"]).stdout;
        let events: Vec<String> = log
            .lines()
            .filter_map(|l| serde_json::from_str::<Value>(l).ok())
            .filter(|e| e["id"] == run.as_str())
            .filter_map(|e| e["event"].as_str().map(str::to_owned))
            .collect();
        let want = ["exec.approval.requested", "exec.approval.resolved", "exec.running", "exec.finished"];
        (events == want).then_some(())
    });
}
