//! exec-guardctl and a real approver: questions are seen, answered and watched by a person in another session.
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::run::wait;
use crate::stage::{Run, Stage, Way, programs};

/// The machine may be slow and busy.
const LONG: Duration = Duration::from_secs(180);

fn stage() -> Stage {
    stage_with(&json!({}))
}

fn stage_with(exec: &Value) -> Stage {
    Stage::new()
        .tool("tool")
        .policy(&json!({"version": 1, "socket": {"token": "a token of the tests"}, "agents": {"main":
            {"security": "allowlist", "ask": "on-miss", "askFallback": "deny"}}}))
        .config(&json!({"tools": {"exec": exec}}))
}

/// An approver that runs as long as this is held.
pub struct Approver<'a>(pub &'a Stage);

impl<'a> Approver<'a> {
    pub fn start(stage: &'a Stage) -> Approver<'a> {
        let run = ctl(stage, &["approver", "start", "--no-panel"]);
        assert!(run.code() == 0 && run.stdout.contains("running since"), "{run:?}");
        Approver(stage)
    }
}

impl Drop for Approver<'_> {
    fn drop(&mut self) {
        let run = ctl(self.0, &["approver", "stop"]);
        assert!(std::thread::panicking() || run.code() == 0, "{run:?}");
    }
}

fn words(rest: &[&str]) -> Vec<String> {
    let ctl = programs().ctl.to_str().expect("path").to_owned();
    std::iter::once(ctl).chain(rest.iter().map(|w| (*w).to_owned())).collect()
}

fn start(stage: &Stage, rest: &[&str]) -> Child {
    stage.cast(&words(rest)).way(Way::Path).start()
}

/// Runs exec-guardctl. What witnesses wrote meanwhile stays.
pub fn ctl(stage: &Stage, rest: &[&str]) -> Run {
    let began = Instant::now();
    let mut child = start(stage, rest);
    let pid = child.id();
    let (mut out, mut err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let read = |r: &mut dyn Read| {
        let mut b = Vec::new();
        let _ = r.read_to_end(&mut b);
        String::from_utf8_lossy(&b).into_owned()
    };
    let (stdout, stderr) = std::thread::scope(|s| {
        let stderr = s.spawn(|| read(&mut err));
        (read(&mut out), stderr.join().expect("a thread"))
    });
    Run { status: wait(&mut child, began, LONG), stdout, stderr, records: Vec::new(), pid }
}

/// What holds within a long time, looked at again and again.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + LONG;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not within {LONG:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The questions that wait, when there are so many.
#[track_caller]
pub fn asked(stage: &Stage, count: usize) -> Vec<Value> {
    until(&format!("{count} questions"), || {
        let run = ctl(stage, &["approvals", "pending", "--json"]);
        let list: Vec<Value> = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
        (list.len() == count).then_some(list)
    })
}

pub fn id(question: &Value) -> String {
    question["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn said(run: &Run, code: i32, word: &str) {
    assert!(run.code() == code, "not {code}: {run:?}");
    assert!(run.stderr.contains(word) || run.stdout.contains(word), "no word of {word:?}: {run:?}");
}

#[test]
fn a_question_is_seen_and_answered() {
    let stage = stage();
    let approver = Approver::start(&stage);
    let run = stage.cast(&["tool", "a b", "x\u{202e}y\x1b[2J"]).way(Way::Dash).limit(LONG).talk(|| {
        let all = asked(&stage, 1);
        let q = &all[0]["question"];
        assert_eq!(q["agent"], "main");
        assert!(q["found"].as_str().is_some_and(|f| f.ends_with("/bin/tool")), "{q}");
        assert!(
            q["policy"]["from"]["ask"].as_str().is_some_and(|f| f.contains("exec-approvals.json:/")),
            "{q}"
        );
        let text = ctl(&stage, &["approvals", "pending"]);
        for field in [
            "tool 'a b'",
            "  in ",
            "  program ",
            "  agent ",
            "  host ",
            "  policy ",
            "[allowlist-miss]",
            " left",
        ] {
            said(&text, 0, field);
        }
        assert!(!text.stdout.contains(['\x1b', '\u{202e}']), "{text:?}");
        let one = id(&all[0]);
        said(&ctl(&stage, &["approvals", "pending", &one[..6]]), 0, "--scope program");
        said(&ctl(&stage, &["approvals", "resolve", &one[..6], "allow-once"]), 0, "allow-once");
        // Answered is answered.
        said(&ctl(&stage, &["approvals", "resolve", &one, "deny"]), 8, "[already-answered]");
    });
    run.ran(&[&["tool", "a b", "x\u{202e}y\x1b[2J"]]);
    assert_eq!(run.code(), 0, "{run:?}");
    said(&ctl(&stage, &["approvals", "pending"]), 0, "no question waits");
    drop(approver);
}

#[test]
fn a_no_says_why_and_an_always_is_stored() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let answer = |words: &[&str]| {
        let one = id(&asked(&stage, 1)[0]);
        let all: Vec<&str> = ["approvals", "resolve", one.as_str()].iter().chain(words).copied().collect();
        ctl(&stage, &all)
    };
    let denied = stage.cast(&["tool"]).way(Way::Dash).limit(LONG).talk(|| {
        said(&answer(&["deny", "--reason", "not on a Friday"]), 0, "deny");
    });
    denied.refused(126, "user-denied");
    assert!(denied.stderr.contains("not on a Friday"), "{denied:?}");
    let mut back = String::new();
    let always = stage.cast(&["tool", "sub", "x"]).way(Way::Dash).limit(LONG).talk(|| {
        said(&answer(&["allow-always"]), 2, "more than one scope");
        said(&answer(&["allow-once", "--scope", "program"]), 2, "allow-always only");
        let mut watch = start(&stage, &["approvals", "watch"]);
        let seen = lines(&mut watch);
        until("the watch", || seen.recv_timeout(LONG).ok().filter(|l| l.contains("asks")));
        let run = answer(&["allow-always", "--scope", "subcommand"]);
        said(&run, 0, "allow-always");
        let file = stage.text("guard/exec-approvals.json");
        let told: Vec<&str> = run.stdout.lines().skip(1).map(str::trim).collect();
        let what = format!("stored for agent main in {file}: {} sub", stage.text("bin/tool"));
        assert!(told.len() == 2 && told[0].starts_with(&what), "{run:?}");
        back = told[1].split_once("exec-guardctl ").expect("a command").1.to_owned();
        // Whoever watches is told the same.
        for line in told {
            until(line, || seen.recv_timeout(LONG).ok().filter(|l| l.contains(line)));
        }
        watch.kill().expect("a signal");
        watch.wait().expect("its end");
    });
    always.ran(&[&["tool", "sub", "x"]]);
    // Nobody is asked about that any more.
    stage.run(&["tool", "sub", "y"]).allowed();
    // And it can be taken back as it was said.
    said(&ctl(&stage, &back.split(' ').collect::<Vec<_>>()), 0, "removed from the allowlist of agent main");
    let document = std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("a document");
    assert!(!document.contains("bin/tool"), "{document}");
}

#[test]
fn each_no_of_the_approver_has_a_code_of_its_own() {
    let stage = stage_with(&json!({"approvalTimeoutMs": 10_000}));
    said(&ctl(&stage, &["approvals", "pending"]), 1, "no approver is running");
    said(&ctl(&stage, &["approvals", "resolve", "a", "deny"]), 1, "exec-guardctl approver start");
    let _approver = Approver::start(&stage);
    said(&ctl(&stage, &["approvals", "resolve", "no-such", "deny"]), 5, "[unknown]");
    said(&ctl(&stage, &["approvals", "pending", "no-such"]), 5, "[unknown]");
    let mut gone = String::new();
    let late = stage.cast(&["tool"]).way(Way::Dash).limit(LONG).talk(|| gone = id(&asked(&stage, 1)[0]));
    late.refused(126, "approval-timeout");
    let run = ctl(&stage, &["approvals", "resolve", &gone, "deny"]);
    assert!(
        run.code() == 7 && (run.stderr.contains("[expired]") || run.stderr.contains("[withdrawn]")),
        "{run:?}"
    );
}

/// Seventeen ids of sixteen digits: two begin alike.
#[test]
fn an_id_that_could_be_several_is_refused() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let mut guards: Vec<Child> =
        (0..17).map(|n| stage.cast(&["tool", &n.to_string()]).way(Way::Dash).start()).collect();
    let ids: Vec<String> = asked(&stage, 17).iter().map(id).collect();
    let twice = "0123456789abcdef".chars().find(|c| ids.iter().filter(|i| i.starts_with(*c)).count() > 1);
    let twice = twice.expect("two that begin alike").to_string();
    said(&ctl(&stage, &["approvals", "resolve", &twice, "deny"]), 6, "[ambiguous]");
    for one in &ids {
        assert_eq!(ctl(&stage, &["approvals", "resolve", one, "deny"]).code(), 0);
    }
    for guard in &mut guards {
        assert_eq!(wait(guard, Instant::now(), LONG).code(), Some(126));
    }
    assert!(stage.records().is_empty());
}

#[test]
fn whoever_asks_does_not_answer() {
    let stage = stage();
    let _approver = Approver::start(&stage);
    let (guard, ctl_) = (programs().guard.display().to_string(), programs().ctl.display().to_string());
    let tool = stage.text("bin/tool");
    // One session: it asks, and tries to answer itself.
    let script = format!(
        "'{guard}' -- '{tool}' & n=0; id=
         while [ -z \"$id\" ] && [ $n -lt 600 ]; do
           id=$('{ctl_}' approvals pending --json | /bin/sed -n 's/^ *\"id\": \"\\(.*\\)\",$/\\1/p')
           /bin/sleep 0.05; n=$((n+1))
         done
         '{ctl_}' session set --agent a --security full --for 10m
         '{ctl_}' session clear --agent a
         '{ctl_}' approvals resolve \"$id\" allow-once; code=$?
         kill %1 2>/dev/null || kill $!; exit $code"
    );
    let run = stage.cast(&["/bin/sh", "-c", &script]).way(Way::Path).limit(LONG).run();
    said(&run, 9, "[own-question]");
    assert!(run.records.is_empty(), "{run:?}");
    // What waits, and what to do about it.
    let told: Vec<&str> = run.stderr.lines().filter(|l| l.contains("waits for an answer")).collect();
    let all = |l: &&str| l.contains(&format!("(main: {tool})")) && l.contains("in another terminal");
    assert!(told.len() == 2 && told.iter().all(all), "{run:?}");
    // An agent does not answer either, wherever its question came from.
    let marked: Vec<Vec<u8>> = stage.environment().into_iter().chain([b"CLAUDECODE=1".to_vec()]).collect();
    let run = stage.cast(&words(&["approvals", "resolve", "x", "deny"])).way(Way::Path).env(marked).run();
    said(&run, 9, "[agent-mark]");
}

fn lines(child: &mut Child) -> Receiver<String> {
    let (to, from) = channel();
    let out = BufReader::new(child.stdout.take().expect("piped"));
    std::thread::spawn(move || out.lines().map_while(Result::ok).all(|line| to.send(line).is_ok()));
    from
}

#[test]
fn a_watch_outlives_an_approver() {
    let stage = stage();
    let approver = Approver::start(&stage);
    let mut watch = start(&stage, &["approvals", "watch", "--json"]);
    let events = lines(&mut watch);
    let next = |kind: &str| -> Value {
        let line = events.recv_timeout(LONG).unwrap_or_else(|e| panic!("{kind}: {e}"));
        let event: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(event["event"], kind, "{event}");
        event
    };
    for turn in ["one", "two"] {
        let run = stage.cast(&["tool", turn]).way(Way::Dash).limit(LONG).talk(|| {
            let event = next("exec.approval.requested");
            assert!(event["row"]["command"].as_str().is_some_and(|c| c.ends_with(turn)), "{event}");
            let one = id(&event);
            assert_eq!(ctl(&stage, &["approvals", "resolve", &one, "allow-once"]).code(), 0);
            assert_eq!(next("exec.approval.resolved")["row"]["decision"], "allow-once");
        });
        run.ran(&[&["tool", turn]]);
        if turn == "one" {
            assert_eq!(ctl(&stage, &["approver", "stop"]).code(), 0);
            assert_eq!(ctl(&stage, &["approver", "start", "--no-panel"]).code(), 0);
        }
    }
    let pid = nix::unistd::Pid::from_raw(watch.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("a signal");
    assert!(!wait(&mut watch, Instant::now(), LONG).success());
    drop(approver);
}

#[test]
fn an_approver_is_started_once_and_stopped() {
    let stage = stage();
    said(&ctl(&stage, &["approver", "status"]), 1, "no approver is running");
    said(&ctl(&stage, &["approver", "status", "--json"]), 1, "\"running\": false");
    said(&ctl(&stage, &["approver", "stop"]), 0, "no approver is running");
    // Two at once: one approver comes of it, and both say where it is.
    let both = std::thread::scope(|s| {
        let one = s.spawn(|| ctl(&stage, &["approver", "start", "--no-panel"]));
        let two = ctl(&stage, &["approver", "start", "--no-panel"]);
        [one.join().expect("a thread"), two]
    });
    let approver = Approver(&stage);
    let pid = |run: &Run| {
        assert_eq!(run.code(), 0, "{run:?}");
        run.stdout.split("process ").nth(1).and_then(|r| r.split(',').next()).expect("a pid").to_owned()
    };
    assert_eq!(pid(&both[0]), pid(&both[1]));
    said(&ctl(&stage, &["approver", "start"]), 0, "running already");
    let status: Value =
        serde_json::from_str(&ctl(&stage, &["approver", "status", "--json"]).stdout).expect("JSON");
    assert_eq!((&status["running"], &status["waiting"]), (&json!(true), &json!(0)));
    said(&ctl(&stage, &["panel"]), 1, "no panel");
    drop(approver);
    said(&ctl(&stage, &["approver", "status"]), 1, "no approver is running");
    // What keeps it from starting is said.
    stage.write("guard/exec-approvals.sock", b"", 0o600);
    let run = ctl(&stage, &["approver", "start"]);
    assert!(run.code() == 125 && run.stderr.contains("exec-guard-approver: "), "{run:?}");
}

#[test]
fn an_override_lasts_until_it_is_cleared() {
    let stage = stage_with(&json!({"approvalTimeoutMs": 1000}));
    said(&ctl(&stage, &["session", "list"]), 1, "no approver is running");
    let _approver = Approver::start(&stage);
    said(&ctl(&stage, &["session", "list"]), 0, "no override");
    let set = ["session", "set", "--agent", "main", "--security", "full", "--ask", "off", "--for"];
    said(&ctl(&stage, &[&set[..], &["10m"]].concat()), 0, "security full, ask off until");
    said(&ctl(&stage, &[&set[..], &["2001-01-01"]].concat()), 2, "that is past");
    said(&ctl(&stage, &["approver", "status"]), 0, "overrides in force: 1");
    stage.run(&["tool"]).allowed();
    // Looser only for what asks: what is refused stays refused.
    said(&ctl(&stage, &["session", "clear", "--agent", "main"]), 0, "");
    said(&ctl(&stage, &["session", "clear", "--agent", "main"]), 1, "no override is in force");
    stage.run(&["tool"]).refused(126, "approval-timeout");
}

/// Programs that stand in for those of a desktop write down what they were told; the first is clicked.
#[test]
fn a_question_is_announced_on_the_desktop() {
    let stage = stage();
    let record = |name: &str, more: &str| {
        let out = stage.text(&format!("work/{name}"));
        let script = format!(
            "#!/bin/sh\nfor w; do printf '%s\\n' \"$w\"; done > {out}.new\n/bin/mv {out}.new {out}\n{more}\n"
        );
        stage.write(&format!("bin/{name}"), script.as_bytes(), 0o755);
    };
    record("notify-send", "echo open");
    record("xdg-open", "");
    let told = |name: &str| std::fs::read_to_string(stage.path(&format!("work/{name}"))).ok();
    let started = ctl(&stage, &["approver", "start"]);
    assert_eq!(started.code(), 0, "{started:?}");
    let _approver = Approver(&stage);
    let ask = || {
        let words = ["tool", "--password=hunter2", "<b>\x1b[2J"];
        stage.cast(&words).way(Way::Dash).limit(LONG).talk(|| {
            let one = id(&asked(&stage, 1)[0]);
            if told("notify-send").is_some() || stage.path("guard/config.json").exists() {
                let link = until("a link", || told("xdg-open"));
                assert!(link.starts_with("http://127.0.0.1:") && link.contains("/enter?"), "{link}");
            }
            said(&ctl(&stage, &["approvals", "resolve", &one, "deny"]), 0, "deny");
        })
    };
    // Off by itself.
    std::fs::remove_file(stage.path("guard/config.json")).expect("the settings");
    ask().refused(126, "user-denied");
    assert_eq!(told("notify-send"), None);
    stage.write("guard/config.json", br#"{"version": 1, "approvals": {"desktop": true}}"#, 0o600);
    // What was read before that counts for a second.
    std::thread::sleep(Duration::from_millis(1500));
    ask().refused(126, "user-denied");
    let all = told("notify-send").expect("announced");
    assert!(all.contains("--action=open=Open panel\n--\nmain asks to run a command\n"), "{all}");
    assert!(!all.contains("hunter2") && !all.contains(['\x1b', '<']) && all.contains("tool "), "{all}");
}

/// What nobody was asked about is stopped as well, at once, and as long as the person said.
#[test]
fn a_stricter_override_stops_what_the_policy_allows() {
    let stage = stage();
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    let list = json!([{"pattern": stage.text("bin/tool")}]);
    let stage = stage.policy(&json!({"version": 1, "socket": {"token": "a token of the tests"}, "agents": {
        "main": {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list},
        "other": {"security": "allowlist", "allowlist": list}}}));
    stage.run(&["tool"]).allowed();
    let set = |rest: &[&str]| {
        let all = [&["session", "set", "--agent", "main"], rest, &["--for", "10m"]].concat();
        said(&ctl(&stage, &all), 0, "until");
    };
    let as_agent = |words: &[&str]| {
        let guard = programs().guard.display().to_string();
        let all: Vec<&str> = std::iter::once(guard.as_str()).chain(words.iter().copied()).collect();
        stage.cast(&all).way(Way::Path).run()
    };
    let tool = stage.text("bin/tool");
    {
        let _approver = Approver::start(&stage);
        set(&["--security", "deny"]);
        let run = stage.run(&["tool"]);
        run.refused(126, "security-deny");
        assert!(run.stderr.contains("session override"), "{run:?}");
        assert_eq!(as_agent(&["--agent", "other", "--", &tool]).code(), 0, "another agent goes on");
        // It says itself which session it is: none of them is looser.
        set(&["--session", "mine", "--security", "full"]);
        assert_eq!(as_agent(&["--session", "mine", "--", &tool]).code(), 126);
        let other =
            ["session", "set", "--agent", "other", "--session", "its", "--security", "deny", "--for", "10m"];
        said(&ctl(&stage, &other), 0, "until");
        assert_eq!(as_agent(&["--agent", "other", "--session", "its", "--", &tool]).code(), 126);
        assert_eq!(as_agent(&["--agent", "other", "--session", "mine", "--", &tool]).code(), 0);
        said(&ctl(&stage, &["session", "clear", "--agent", "other", "--session", "its"]), 0, "");
    }
    // It holds without the approver, and with the next one.
    stage.run(&["tool"]).refused(126, "security-deny");
    {
        let _approver = Approver::start(&stage);
        stage.run(&["tool"]).refused(126, "security-deny");
        set(&["--ask", "always"]);
        let run = stage.cast(&["tool"]).way(Way::Dash).limit(LONG).talk(|| {
            let one = id(&asked(&stage, 1)[0]);
            said(&ctl(&stage, &["approvals", "resolve", &one, "allow-once"]), 0, "allow-once");
        });
        run.ran(&[&["tool"]]);
        said(&ctl(&stage, &["session", "clear", "--agent", "main"]), 0, "");
        said(&ctl(&stage, &["session", "clear", "--agent", "main", "--session", "mine"]), 0, "");
    }
    stage.run(&["tool"]).allowed();
    assert!(!stage.path("guard/approver/overrides").exists());
    // What cannot be believed may say no.
    stage.write("guard/approver/overrides", b"", 0o666);
    stage.run(&["tool"]).refused(125, "policy-unreadable");
}

/// New programs are put in the place of old ones by renaming: the approver that still runs finds its companions.
#[test]
fn an_approver_whose_programs_were_replaced_works_on() {
    let stage = crate::tools::stage(json!({"mode": "yolo"}));
    let own = stage.path("own");
    std::fs::create_dir(&own).expect("a folder");
    let from = programs().ctl.parent().expect("its folder");
    for name in ["exec-guard", "exec-guardctl", "exec-guard-approver"] {
        std::fs::copy(from.join(name), own.join(name)).expect("copied");
    }
    let run = |rest: &[&str]| {
        let ctl = stage.text("own/exec-guardctl");
        let words: Vec<&str> = std::iter::once(ctl.as_str()).chain(rest.iter().copied()).collect();
        stage.cast(&words).way(Way::Path).limit(LONG).run()
    };
    let started = run(&["approver", "start", "--no-panel"]);
    assert_eq!(started.code(), 0, "{started:?}");
    for name in ["exec-guard", "exec-guardctl", "exec-guard-approver"] {
        std::fs::copy(own.join(name), own.join("new")).expect("copied");
        std::fs::rename(own.join("new"), own.join(name)).expect("renamed");
    }
    let token = stage.text("token");
    let args = r#"{"command": "echo hello"}"#;
    let called = run(&["tool", "bash", "--user", "user:1", "--token-file", &token, "--args", args]);
    let stopped = run(&["approver", "stop"]);
    assert!(called.code() == 0 && called.stdout.contains("hello"), "{called:?}");
    assert_eq!(stopped.code(), 0, "{stopped:?}");
}
