//! Whoever is killed at whatever step of the conversation between a guard and an approver, whatever is said to whom by
//! somebody who stands between them, whatever their clocks show, and whatever cannot be written: a command runs once at
//! most, and never without a yes.
//!
//! Both programs are the real ones.
use std::process::Child;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::stage::approver::stage;
use crate::stage::middle::{End, Middle, behind};
use crate::stage::run::wait;
use crate::stage::service::{LONG, Service, asker, program};
use crate::stage::{Stage, Way, cannot, player};

/// The steps, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Connect,
    Challenge,
    Request,
    Accepted,
    Decision,
}

use Step::*;

/// Where in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum When {
    Before,
    Half,
    After,
}

use When::*;

/// A moment of a conversation.
type Moment = (Step, When);

fn moments() -> impl Iterator<Item = Moment> {
    let steps = [Challenge, Request, Accepted, Decision].into_iter();
    let lines = steps.flat_map(|s| [Before, Half, After].map(|w| (s, w)));
    [(Connect, Before), (Connect, After)].into_iter().chain(lines)
}

/// Passes the next conversation on as a wire does. `kill` is called at each moment, and says who died there.
fn carry(middle: &mut Middle, mut kill: impl FnMut(Moment) -> Option<End>) {
    let n = middle.comes();
    if kill((Connect, Before)) == Some(End::Guard) {
        return;
    }
    if !middle.connect(n) {
        return middle.close(n, End::Guard);
    }
    if kill((Connect, After)) == Some(End::Guard) {
        return middle.close(n, End::Approver);
    }
    for step in [Challenge, Request, Accepted, Decision] {
        let (from, to) = match step {
            Request => (End::Guard, End::Approver),
            _ => (End::Approver, End::Guard),
        };
        let Some(line) = middle.line(n, from) else { return middle.close(n, to) };
        let kind: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(kind["type"], format!("{step:?}").to_lowercase(), "{kind}");
        let (one, two) = line.split_at(line.len() / 2);
        for (when, text) in [(Before, one), (Half, two), (After, "")] {
            match kill((step, when)) {
                Some(End::Guard) => return middle.close(n, End::Approver),
                // It had said half of it.
                Some(End::Approver) if when == Half && step != Request => return middle.close(n, to),
                _ => middle.say(n, to, text),
            }
        }
    }
}

/// Passes on a conversation in which the question is left behind.
fn left(middle: &mut Middle) {
    let n = middle.comes();
    assert!(middle.connect(n));
    for from in [End::Approver, End::Guard, End::Approver, End::Guard, End::Approver] {
        middle.pass(n, from);
    }
}

fn start(stage: &Stage, words: &[&str]) -> Child {
    stage.cast(words).way(Way::Dash).start()
}

/// How a guard ended, in bounded time: its code (or 128 + signal), and what it said.
#[track_caller]
fn ended(mut guard: Child) -> (i32, String) {
    use std::os::unix::process::ExitStatusExt;
    let status = wait(&mut guard, Instant::now(), 2 * LONG);
    let said = guard.wait_with_output().expect("its end").stderr;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    (code, String::from_utf8_lossy(&said).into_owned())
}

/// It was told nonsense, and says so.
#[track_caller]
fn refuses(stage: &Stage, guard: Child, what: &str) {
    let (code, said) = ended(guard);
    assert!(code == 125 && said.contains("[approver-error]"), "{what}: {code} {said}");
    assert!(stage.records().is_empty(), "{what}: it ran");
}

#[test]
fn a_guard_that_is_killed_at_any_step_runs_once_at_most() {
    let stage = stage();
    let service = behind(&stage);
    let _person = service.person("allow-once");
    let mut middle = Middle::new(&stage);
    for moment in moments() {
        stage.clear();
        let mut guard = start(&stage, &["tool"]);
        carry(&mut middle, |at| {
            (at == moment).then(|| {
                guard.kill().expect("a signal");
                guard.wait().expect("its end");
                End::Guard
            })
        });
        let ran = stage.records().len();
        // It had its yes, and may have become its command before it was killed.
        let most = usize::from(moment == (Decision, After));
        assert!(ran <= most, "{moment:?}: {ran}");
        // A yes that was lost is lost: nothing of it waits for the next one who asks.
        service.until(0);
        assert!(!stage.path("guard/approver/kept.json").exists(), "{moment:?}");
    }
    // And whoever comes next is asked about, and runs.
    stage.clear();
    let last = held(&stage, &mut middle, &["tool"]);
    middle.say(last.n, End::Guard, &last.decision);
    assert_eq!((ended(last.guard).0, stage.records().len()), (0, 1));
}

/// A guard waits 5 s for somebody to say that he is there, or that he has the question: one that took less time than that had
/// not given up by itself.
const GIVES_UP: Duration = Duration::from_secs(4);

#[test]
fn an_approver_that_is_killed_at_any_step_leaves_no_yes_behind() {
    let stage = stage();
    let mut middle = Middle::new(&stage);
    for moment in moments() {
        // Where the machine stands still for longer than a guard waits, it has gone: then with another one.
        let killed = (0..5).any(|_| is_killed_at(&stage, &mut middle, moment));
        assert!(killed, "{moment:?}: no guard was there");
    }
}

/// Kills the approver at that moment and looks at what becomes of the guard. False where the guard had given up by itself,
/// and has run nothing.
#[track_caller]
fn is_killed_at(stage: &Stage, middle: &mut Middle, moment: Moment) -> bool {
    stage.clear();
    let mut service = behind(stage);
    assert_eq!(service.waiting(), 0, "{moment:?}: nothing of the last one waits");
    let _person = service.person("allow-once");
    let (begun, mut killed) = (Instant::now(), false);
    let guard = start(stage, &["tool"]);
    carry(middle, |at| {
        (at == moment).then(|| {
            killed = true;
            assert_eq!(service.end(Some(Signal::SIGKILL)).0, 128 + 9);
            End::Approver
        })
    });
    let (code, said) = ended(guard);
    let slow = begun.elapsed() >= GIVES_UP;
    let ran = stage.records().len();
    assert!(!stage.path("guard/approver/kept.json").exists(), "{moment:?}");
    let refuses = (code, ran) == (125, 0) && said.contains("[approver-error]");
    let right = match moment {
        // The yes was given and on its way.
        (Decision, Before | After) => (code, ran) == (0, 1),
        // Perhaps it was: once it has the request, an approver may answer before the signal reaches it.
        (Request, After) | (Accepted, Before | After) => (code, ran) == (0, 1) || refuses,
        _ => refuses,
    };
    if killed && right {
        return true;
    }
    let gave_up = slow && ran == 0 && matches!(code, 125 | 126);
    assert!(gave_up, "{moment:?}, killed {killed}, after {:?}: {code} {ran} {said}", begun.elapsed());
    false
}

#[test]
fn an_approver_that_is_killed_at_any_step_gives_a_late_yes_once_at_most() {
    for moment in moments() {
        let stage = stage();
        let mut first = behind(&stage);
        let mut middle = Middle::new(&stage);
        let ask = |words: &[&str]| asker(&stage, words).start();
        let said = |asks: Child| {
            let said = asks.wait_with_output().expect("its end").stdout;
            String::from_utf8_lossy(&said).trim().to_owned()
        };
        let leaves = ask(&["leave", "5"]);
        left(&mut middle);
        assert_eq!(said(leaves), "noted");
        let id = first.rows()[0]["id"].as_str().expect("an id").to_owned();
        let yes = json!({"do": "resolve", "id": id, "decision": "allow-once", "reason": null});
        assert_eq!(first.operator(&[yes])[0]["kind"], "resolved");
        first.end(Some(Signal::SIGKILL));
        // The next one knows what was answered.
        let mut service = behind(&stage);
        let asks = ask(&["once", "5", "60000"]);
        carry(&mut middle, |at| {
            (at == moment).then(|| {
                service.end(Some(Signal::SIGKILL));
                End::Approver
            })
        });
        let once = said(asks);
        let _again = behind(&stage);
        let asks = ask(&["once", "5", "300"]);
        let n = middle.comes();
        assert!(middle.connect(n));
        for from in [End::Approver, End::Guard, End::Approver, End::Approver] {
            middle.pass(n, from);
        }
        let twice = said(asks);
        let yeses = [&once, &twice].iter().filter(|s| s.as_str() == "allow-once ticket").count();
        assert!(yeses <= 1, "{moment:?}: {once}, {twice}");
        if moment < (Request, After) || moment == (Decision, Before) || moment == (Decision, After) {
            assert_eq!(yeses, 1, "{moment:?}: nobody had used it: {once}, {twice}");
        }
    }
}

/// A guard that has asked, up to where its answer is in the hands of whoever stands between.
struct Held {
    guard: Child,
    n: u64,
    said: [String; 3],
    decision: String,
}

#[track_caller]
fn held(stage: &Stage, middle: &mut Middle, words: &[&str]) -> Held {
    // Where the machine stands still for longer than a guard waits, it has gone: then with another one.
    for _ in 0..5 {
        let guard = start(stage, words);
        let n = middle.comes();
        assert!(middle.connect(n));
        if let Some((said, decision)) = conversation(middle, n) {
            return Held { guard, n, said, decision };
        }
        let (code, said) = ended(guard);
        assert!(matches!(code, 125 | 126) && stage.records().is_empty(), "{code} {said}");
    }
    panic!("no guard was answered");
}

/// Passes on what is said up to the decision; `None` if one of the two has gone.
fn conversation(middle: &mut Middle, n: u64) -> Option<([String; 3], String)> {
    let mut said = [const { String::new() }; 3];
    for (line, (from, to)) in said.iter_mut().zip([
        (End::Approver, End::Guard),
        (End::Guard, End::Approver),
        (End::Approver, End::Guard),
    ]) {
        *line = middle.line(n, from)?;
        middle.say(n, to, line);
    }
    Some((said, middle.line(n, End::Approver)?))
}

/// An answer is for one question in one conversation, and for nobody else.
#[test]
fn answers_that_are_swapped_or_given_again_run_nothing() {
    let stage = stage();
    let service = behind(&stage);
    let _person = service.person("allow-once");
    let mut middle = Middle::new(&stage);
    // The same command twice, and another one.
    let a = held(&stage, &mut middle, &["tool", "x"]);
    let b = held(&stage, &mut middle, &["tool", "x"]);
    let c = held(&stage, &mut middle, &["tool", "y"]);
    middle.say(a.n, End::Guard, &b.decision);
    middle.say(b.n, End::Guard, &a.decision);
    middle.say(c.n, End::Guard, &a.decision);
    for (guard, what) in [(a.guard, "of its twin"), (b.guard, "of its twin"), (c.guard, "of another")] {
        refuses(&stage, guard, what);
    }
    // In its place it is good; a second time it is not.
    let d = held(&stage, &mut middle, &["tool", "x"]);
    middle.say(d.n, End::Guard, &d.decision);
    assert_eq!((ended(d.guard).0, stage.records().len()), (0, 1));
    stage.clear();
    let e = held(&stage, &mut middle, &["tool", "x"]);
    middle.say(e.n, End::Guard, &d.decision);
    refuses(&stage, e.guard, "an old yes");
    let e = held(&stage, &mut middle, &["tool", "x"]);
    middle.say(e.n, End::Guard, &format!("{}{}", e.decision, e.decision));
    refuses(&stage, e.guard, "its yes, twice");
    // An old challenge makes an old yes no better, and the approver does not know it.
    let guard = start(&stage, &["tool", "x"]);
    let n = middle.comes();
    assert!(middle.connect(n));
    middle.line(n, End::Approver).expect("a challenge");
    middle.say(n, End::Guard, &d.said[0]);
    let request = middle.pass(n, End::Guard);
    let told = middle.line(n, End::Approver).expect("an answer");
    assert!(told.contains("\"error\"") && told.contains("\"mac\""), "{told}");
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).expect("JSON")["id"].as_str().expect("an id").to_owned()
    };
    middle.say(n, End::Guard, &d.said[2].replace(&id(&d.said[2]), &id(&request)));
    middle.say(n, End::Guard, &d.decision);
    refuses(&stage, guard, "an old challenge and its yes");
}

/// One bit of a yes is another, or its end is missing.
#[test]
fn an_answer_that_is_not_whole_runs_nothing() {
    let stage = stage();
    let service = behind(&stage);
    let _person = service.person("allow-once");
    let mut middle = Middle::new(&stage);
    let first = held(&stage, &mut middle, &["tool"]);
    middle.say(first.n, End::Guard, &first.decision);
    assert_eq!((ended(first.guard).0, stage.records().len()), (0, 1));
    let length = first.decision.len();
    let mut made: Vec<(bool, usize)> = (0..length).step_by(4).map(|at| (true, at)).collect();
    made.extend((0..length - 4).step_by(11).chain(length - 4..length).map(|at| (false, at)));
    for (flips, at) in made {
        stage.clear();
        let one = held(&stage, &mut middle, &["tool"]);
        let name =
            one.decision.find(",\"by\":").expect("a name")..one.decision.find(",\"hmac\":").expect("a MAC");
        // Who answered is no part of it: nothing is decided by it.
        let mut bytes: Vec<char> = one.decision.chars().collect();
        if flips && !name.contains(&at) {
            let bit = 1 << (at / 4 % 8);
            bytes[at] = char::from(bytes[at] as u8 ^ bit);
        } else {
            bytes.truncate(at.min(length - 1));
        }
        let text: String = bytes.iter().collect();
        middle.say(one.n, End::Guard, &text);
        middle.close(one.n, End::Guard);
        refuses(&stage, one.guard, &text);
    }
}

/// Their clocks since the start are ten days apart, as in two containers: each goes by its own, for a while and no longer.
#[test]
fn clocks_that_are_apart_change_nothing() {
    let Some((uid, gid)) = player() else { return cannot("another clock takes root") };
    let (uid, gid) = (format!("--reuid={uid}"), format!("--regid={gid}"));
    let mut elsewhere = vec!["/usr/bin/unshare", "--time", "--monotonic", "864000", "--boottime", "864000"];
    elsewhere.extend(["/usr/bin/setpriv", &uid, &gid, "--clear-groups"]);
    for approver_is_far in [true, false] {
        let stage = stage().config(&json!({"tools": {"exec": {"approvalTimeoutMs": 3000}}}));
        let approver = program(&stage, &[]);
        let approver = if approver_is_far { approver.with_root().chain(&elsewhere) } else { approver };
        let service = Service::of(&stage, &approver);
        let ask = |answered: bool| {
            let cast = stage.cast(&["tool"]).way(Way::Dash).limit(2 * LONG);
            let cast = if approver_is_far { cast } else { cast.with_root().chain(&elsewhere) };
            let person = answered.then(|| service.person("allow-once"));
            let run = cast.run();
            drop(person);
            run
        };
        ask(true).ran(&[&["tool"]]);
        let begun = Instant::now();
        ask(false).refused(126, "approval-timeout");
        assert!(begun.elapsed().as_millis() >= 2_900, "{:?}", begun.elapsed());
    }
}

/// Nothing more can be written: what was said yes to runs once, and nobody is told that more was kept than was.
#[test]
fn a_full_disk_makes_no_yes_of_a_no_and_loses_no_document() {
    let stage = stage();
    let before = std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document");
    // Every write to a file fails, as it does on a disk that is full.
    let full = ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""];
    let service = Service::of(&stage, &program(&stage, &[]).chain(&full));
    for (answer, runs) in [("allow-once", true), ("deny", false), ("allow-always", true)] {
        let person = service.person(answer);
        stage.clear();
        let run = stage.cast(&["tool", answer]).way(Way::Dash).limit(2 * LONG).run();
        assert_eq!(run.records.len(), usize::from(runs), "{answer}: {run:?}");
        drop(person);
    }
    assert_eq!(std::fs::read(stage.path("guard/exec-approvals.json")).expect("a document"), before);
    // An override that guards could not be told of is none.
    let set = json!({"do": "session-set", "agent": "main", "security": "deny", "ask": null, "session": null, "forMs": 600_000});
    let answers = service.operator(&[set, json!({"do": "session-list"})]);
    assert_eq!((&answers[0]["value"]["code"], &answers[1]["value"]), (&json!("internal"), &json!([])));
    stage.run(&["listed"]).allowed();
    // A late yes is good once, as long as this approver lives.
    assert_eq!(asker(&stage, &["leave", "5"]).run().stdout.trim(), "noted");
    let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
    service.operator(&[json!({"do": "resolve", "id": id, "decision": "allow-once", "reason": null})]);
    let once = || asker(&stage, &["once", "5", "1500"]).run().stdout.trim().to_owned();
    assert_eq!((once().as_str(), once().as_str()), ("allow-once ticket", "expired"));
    assert!(!stage.path("guard/approver/kept.json").exists());
}
