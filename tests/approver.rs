//! The approver as it runs: real guards ask, people answer, processes are killed, users are others.
use std::io::Read;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::operator::ctl;
use crate::stage::approver::{Place, TOKEN, stage, with_policy};
use crate::stage::service::{LONG, Person, Service, asker, operator, program, silent_operators};
use crate::stage::{Stage, Way, cannot, player, programs};

fn resolve(id: &str, decision: &str) -> Value {
    json!({"do": "resolve", "id": id, "decision": decision, "reason": "because"})
}

/// The code of an operator's refusal.
fn code(answer: &Value) -> Option<&str> {
    (answer["kind"] == "error").then(|| answer["value"]["code"].as_str()).flatten()
}

#[test]
fn a_guard_asks_and_a_person_answers() {
    let stage = stage();
    let service = Service::start(&stage);
    let person = service.person("allow-once");
    stage.run(&["tool", "x"]).ran(&[&["tool", "x"]]);
    drop(person);
    let person = service.person("deny");
    let run = stage.run(&["tool", "x"]);
    run.refused(126, "user-denied");
    assert!(run.stderr.contains("as told"), "{run:?}");
    drop(person);
    let person = service.person("allow-always");
    stage.run(&["tool", "x"]).ran(&[&["tool", "x"]]);
    drop(person);
    // Nobody is there any more, and nobody needs to be.
    stage.run(&["tool", "y"]).ran(&[&["tool", "y"]]);
    let document = std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("a document");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let list = document["agents"]["main"]["allowlist"].as_array().expect("a list");
    assert_eq!(list.last().expect("an entry")["pattern"], stage.text("bin/tool").as_str());
    assert_eq!(service.waiting(), 0);
}

#[test]
fn two_hundred_guards_at_once_are_all_answered() {
    let stage = stage();
    let service = Service::start(&stage);
    let _person = service.person("allow-once");
    stage.clear();
    let guards: Vec<_> =
        (0..200).map(|n| stage.cast(&["tool", &n.to_string()]).way(Way::Dash).start()).collect();
    for (n, mut guard) in guards.into_iter().enumerate() {
        let status = crate::stage::run::wait(&mut guard, std::time::Instant::now(), Duration::from_secs(120));
        let mut said = String::new();
        let _ = guard.stderr.take().expect("piped").read_to_string(&mut said);
        assert!(status.success(), "guard {n}: {status:?}: {said}");
    }
    let mut ran: Vec<String> = stage.records().iter().map(|r| r.words()[1].clone()).collect();
    ran.sort_by_key(|n| n.parse::<u32>().expect("a number"));
    assert_eq!(ran, (0..200).map(|n| n.to_string()).collect::<Vec<_>>());
}

#[test]
fn an_operators_words_are_told_apart() {
    let stage = stage();
    let service = Service::start(&stage);
    let mut crowd = Person::start(asker(&stage, &["crowd", "3"]));
    assert_eq!(crowd.line().as_deref(), Some("waiting"));
    let rows = service.rows();
    assert_eq!(rows.len(), 3);
    let id = |n: usize| rows[n]["id"].as_str().expect("an id");
    let answers = service.operator(&[
        resolve("0000", "allow-once"),
        resolve("ffff", "allow-once"),
        resolve(id(0), "allow-always-and-more"),
    ]);
    // What is not understood ends the conversation.
    assert_eq!(
        answers.iter().map(|a| code(a).unwrap_or("-")).collect::<Vec<_>>(),
        ["ambiguous", "unknown", "malformed"]
    );
    let answers = service.operator(&[
        resolve(&id(0)[..8], "deny"),
        resolve(id(0), "deny"),
        json!({"do": "show", "id": id(1)}),
        json!({"do": "list", "all": true}),
        json!({"do": "runs"}),
        json!({"do": "panel-link"}),
    ]);
    assert_eq!(
        answers.iter().map(|a| code(a).unwrap_or("-")).collect::<Vec<_>>(),
        ["-", "already-answered", "-", "-", "-", "unknown"]
    );
    assert_eq!(answers[3]["value"]["rows"].as_array().expect("rows").len(), 3);
    assert!(answers[2]["value"]["request"].as_str().expect("a question").contains("tool"));
    drop(crowd);
    service.until(0);
    assert_eq!(code(&service.operator(&[resolve(id(1), "allow-once")])[0]), Some("withdrawn"));
}

#[test]
fn who_may_not_answer_is_told_so() {
    let stage = stage();
    let service = Service::start(&stage);
    let status = [json!({"do": "status"})];
    let heard = |cast: crate::stage::Cast<'_>| -> Value {
        let run = cast.run();
        serde_json::from_str(run.stdout.lines().next().unwrap_or("null")).expect("JSON")
    };
    assert_eq!(heard(operator(&stage, &status))["kind"], "status");
    if std::path::Path::new("/usr/bin/setpriv").exists() {
        let confined = heard(operator(&stage, &status).chain(&["/usr/bin/setpriv", "--no-new-privs"]));
        assert_eq!(code(&confined), Some("confined"));
    } else {
        cannot("no setpriv");
    }
    let mut marked = stage.environment();
    marked.push(b"CLAUDECODE=1".to_vec());
    assert_eq!(code(&heard(operator(&stage, &status).env(marked))), Some("agent-mark"));
    // Whoever asks may not answer: the same session, and a session below it.
    for answerer in ["", "setsid "] {
        let person = programs().person.to_str().expect("a path").to_owned();
        let dir = stage.text("guard");
        let text = format!(
            "'{person}' '{dir}/exec-approvals.sock' '{TOKEN}' once 7 60000 & asker=$!
             until '{person}' '{dir}/operator/operator.sock' '{TOKEN}' do '{{\"do\":\"status\"}}' | grep -q '\"waiting\":1'; do :; done
             id=$(printf '00000007-0000-4000-8000-%012x' $asker)
             {answerer}'{person}' '{dir}/operator/operator.sock' '{TOKEN}' do \
                 \"{{\\\"do\\\":\\\"resolve\\\",\\\"id\\\":\\\"$id\\\",\\\"decision\\\":\\\"allow-once\\\"}}\" \
                 '{{\"do\":\"panel-link\"}}' '{{\"do\":\"session-clear\",\"agent\":\"a\"}}' \
                 '{{\"do\":\"session-set\",\"agent\":\"a\",\"security\":\"full\",\"forMs\":60000}}'
             kill $asker"
        );
        let mut env = stage.environment();
        env.retain(|e| !e.starts_with(b"PATH="));
        env.push(b"PATH=/usr/bin:/bin".to_vec());
        let run = stage
            .cast(&["/bin/sh", "-c", &text])
            .way(Way::Path)
            .env(env)
            .limit(Duration::from_secs(60))
            .run();
        let said: Vec<Value> = run.stdout.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        // Nor is there a link to the page for it, or an override, as long as its question waits.
        let codes: Vec<_> = said.iter().map(code).collect();
        assert_eq!(codes, [Some("own-question"); 4], "{run:?}");
        service.until(0);
    }
}

/// Whoever judges a text twice pays once: what a person said yes to at an agent's hook is not asked about again by the
/// guard that the agent then meets, in whatever form. Once.
#[test]
fn a_yes_to_a_hook_is_good_for_the_guard_that_follows() {
    use crate::hooks::{call_of, environment, hook};
    let stage = crate::hooks::stage().shim("bash");
    stage.folder("work/gemini-shell-zHs0Fo", 0o755);
    let stage = stage.config(&json!({"tools": {"exec": {"approvalTimeoutMs": 1500}}}));
    let service = Service::start(&stage);
    let asks = || hook(&stage, "gemini", call_of(&stage, "gemini", "curl 'a b'").as_bytes());
    let guard = programs().guard.to_str().expect("a path").to_owned();
    let around = format!(
        "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file={}/gemini-shell-zHs0Fo/bgpids.tmp\n(\n  \
         trap 'jobs -p > \"$_bgpids_file\"' EXIT\ncurl 'a b'\n)\n__code=$?\nexit $__code",
        stage.text("work")
    );
    let bash = stage.text("shims/bash");
    let forms: [&[&str]; 3] = [
        &[&guard, "--agent", "gemini", "-c", "curl 'a b'"],
        &[&bash, "-c", "curl 'a b'"],
        &[&bash, "-c", &around],
    ];
    for words in forms {
        let mut env = environment(&stage, &["GEMINI_CLI=1"]);
        env.push(format!("TMPDIR={}", stage.text("work")).into_bytes());
        let follows = || stage.cast(words).way(Way::Path).env(env.clone()).limit(LONG).run();
        let person = service.person("allow-once");
        let run = asks();
        assert!(run.code() == 0 && run.stdout.contains("allow"), "{run:?}");
        drop(person);
        follows().ran(&[&["curl", "a b"]]);
        follows().refused(126, "approval-timeout");
        // A no leaves nothing.
        let person = service.person("deny");
        assert!(asks().stdout.contains("deny"));
        drop(person);
        follows().refused(126, "approval-timeout");
    }
}

/// The worst neighbour: hundreds that say nothing, in the operator's own session, at both sockets, and more all the time.
#[test]
fn those_who_say_nothing_keep_nobody_out() {
    let stage = stage();
    let service = Service::start(&stage);
    let mut guards = Person::start(asker(&stage, &["silent", "200"]));
    let mut operators = Person::start(silent_operators(&stage, "200"));
    assert_eq!((guards.line().as_deref(), operators.line().as_deref()), (Some("waiting"), Some("waiting")));
    let run = stage.cast(&["tool", "x"]).way(Way::Dash).limit(2 * LONG).talk(|| {
        service.until(1);
        for _ in 0..5 {
            let begun = Instant::now();
            let run = ctl(&stage, &["approvals", "pending"]);
            assert!(run.code() == 0 && run.stdout.contains("tool x"), "{run:?}");
            assert!(begun.elapsed() < LONG / 2, "{:?}", begun.elapsed());
        }
        let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
        assert_eq!(service.operator(&[resolve(&id, "allow-once")])[0]["kind"], "resolved");
    });
    run.ran(&[&["tool", "x"]]);
}

#[test]
fn another_user_is_refused_before_a_byte_is_read_unless_listed() {
    let Some((uid, _)) = player() else { return cannot("a second user takes root") };
    let (listed, other) = (uid - 1, uid - 2);
    let stage = with_policy(&json!({"allowUids": [listed]}), &json!({}));
    let service = Service::start(&stage);
    let as_user = |uid: u32| {
        let uid = format!("--reuid={uid}");
        let chain = ["/usr/bin/setpriv", uid.as_str(), "--regid=65534", "--clear-groups"];
        // Root starts it, and it becomes that user.
        let cast = asker(&stage, &["raw", "nonsense\n"]).with_root().chain(&chain);
        let run = cast.run();
        run.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let heard = as_user(other);
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert!(heard[0].contains("\"peer\"") && !heard[0].contains("challenge"), "{heard:?}");
    let heard = as_user(listed);
    assert!(heard[0].contains("challenge") && heard[1].contains("malformed"), "{heard:?}");
    // The operator's socket is its owner's: not even a listed one comes near.
    let chain_uid = format!("--reuid={listed}");
    let chain = ["/usr/bin/setpriv", chain_uid.as_str(), "--regid=65534", "--clear-groups"];
    let run = operator(&stage, &[json!({"do": "status"})]).with_root().chain(&chain).run();
    assert!(run.stdout.is_empty() && !run.status.success(), "{run:?}");
    assert_eq!(service.waiting(), 0);
}

#[test]
fn a_killed_approver_lets_nothing_run() {
    for step in 0..8u64 {
        let stage = stage();
        let mut service = Service::start(&stage);
        let _person = (step % 2 == 0).then(|| service.person("deny"));
        let guard = stage.cast(&["tool"]).way(Way::Dash).limit(Duration::from_secs(60));
        let run = guard.talk(|| {
            std::thread::sleep(Duration::from_millis(3 * step));
            service.end(Some(Signal::SIGKILL));
        });
        assert!(run.records.is_empty() && !run.status.success(), "{run:?}");
    }
}

#[test]
fn whoever_is_killed_a_yes_runs_a_command_once_at_most() {
    for step in 0..8u64 {
        let stage = stage();
        let mut service = Service::start(&stage);
        let _person = service.person("allow-once");
        stage.clear();
        let mut guard = stage.cast(&["tool"]).way(Way::Dash).start();
        std::thread::sleep(Duration::from_millis(2 * step));
        if step % 2 == 0 {
            guard.kill().expect("a signal");
        }
        service.end(Some(Signal::SIGKILL));
        crate::stage::run::wait(&mut guard, std::time::Instant::now(), Duration::from_secs(60));
        assert!(stage.records().len() <= 1);
        // A yes that was lost is lost: the next guard is not answered by it.
        let mut again = Service::start(&stage);
        assert_eq!(again.waiting(), 0);
        let run = stage.cast(&["tool"]).way(Way::Dash).limit(Duration::from_secs(60)).talk(|| {
            again.until(1);
            again.end(Some(Signal::SIGTERM));
        });
        assert!(run.records.is_empty(), "{run:?}");
    }
}

#[test]
fn a_late_yes_outlives_a_crash_and_is_used_once() {
    let stage = stage();
    let mut service = Service::start(&stage);
    let left = asker(&stage, &["leave", "5"]).run();
    assert_eq!(left.stdout.trim(), "noted", "{left:?}");
    service.end(Some(Signal::SIGKILL));
    // The question was left behind, and is there after the crash.
    let mut service = Service::start(&stage);
    let id = service.rows()[0]["id"].as_str().expect("an id").to_owned();
    let answers = service.operator(&[resolve(&id[..10], "allow-once")]);
    assert_eq!(answers[0]["kind"], "resolved", "{answers:?}");
    service.end(Some(Signal::SIGKILL));
    let mut service = Service::start(&stage);
    let once = |n: &str| asker(&stage, &["once", n, "1500"]).run().stdout.trim().to_owned();
    assert_eq!(once("6"), "expired", "another question has nothing of it");
    assert_eq!(once("5"), "allow-once ticket");
    service.end(Some(Signal::SIGKILL));
    let _service = Service::start(&stage);
    assert_eq!(once("5"), "expired", "it was used up");
}

#[test]
fn it_stops_cleanly_and_starts_again() {
    let stage = stage();
    let mut service = Service::start(&stage);
    let run = stage.cast(&["tool"]).way(Way::Dash).limit(Duration::from_secs(60)).talk(|| {
        service.until(1);
        assert_eq!(service.end(Some(Signal::SIGTERM)), (0, String::new()));
    });
    assert!(run.records.is_empty() && run.code() != 0, "{run:?}");
    // Everything is on record when it has ended.
    let journal = std::fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    assert!(journal.contains("exec.approval.resolved") && journal.contains("withdrawn"), "{journal}");
    assert!(!stage.path("guard/exec-approvals.sock").exists());
    assert!(!stage.path("guard/operator/operator.sock").exists());
    // One that was killed leaves its sockets; they are put out of the way.
    let mut service = Service::start(&stage);
    service.end(Some(Signal::SIGKILL));
    assert!(stage.path("guard/exec-approvals.sock").exists());
    let mut service = Service::start(&stage);
    assert_eq!(service.operator(&[json!({"do": "shutdown"})])[0]["kind"], "done");
    assert_eq!(service.end(None), (0, String::new()));
}

#[test]
fn another_process_of_the_same_user_does_not_look_into_it() {
    let stage = stage();
    let service = Service::start(&stage);
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.pid())).expect("its status");
    assert!(status.lines().any(|l| l.starts_with("NoNewPrivs:") && l.ends_with('1')), "{status}");
    let seen = |pid: u32| {
        let file = format!("/proc/{pid}/environ");
        stage.cast(&["/bin/cat", file.as_str()]).way(Way::Path).run().status.success()
    };
    let mut crowd = Person::start(asker(&stage, &["crowd", "1"]));
    assert_eq!(crowd.line().as_deref(), Some("waiting"));
    // Any other process of that user can be looked into.
    assert!(seen(crowd.pid()) && !seen(service.pid()));
}

#[test]
fn two_do_not_share_a_state_folder_nor_a_socket() {
    let stage = stage();
    let service = Service::start(&stage);
    let second = program(&stage, &[]).run();
    assert_eq!(second.code(), 125);
    assert!(second.stderr.contains("another approver runs already"), "{second:?}");
    drop(service);
    std::fs::remove_file(stage.path("guard/exec-approvals.sock")).expect("left by a killed one");
    let _place = Place::new(&stage);
    let third = program(&stage, &[]).run();
    assert_eq!(third.code(), 125);
    assert!(
        third.stderr.contains("somebody listens there") && third.stderr.contains("--socket"),
        "{third:?}"
    );
}

#[test]
fn what_is_in_the_way_is_said() {
    for (set, what) in [
        (&|s: &Stage| s.write("guard/exec-approvals.json", b"{", 0o600) as (), "exec-approvals.json"),
        (&|s: &Stage| s.write("guard/approver", b"", 0o600), "approver"),
        (&|s: &Stage| s.folder("guard/exec-approvals.sock", 0o700), "no socket"),
    ] as [(&dyn Fn(&Stage), &str); 3]
    {
        let stage = stage();
        set(&stage);
        let run = program(&stage, &[]).run();
        assert_eq!((run.code(), run.stdout.as_str()), (125, ""), "{run:?}");
        assert!(run.stderr.starts_with("exec-guard-approver: ") && run.stderr.contains(what), "{run:?}");
    }
    let stage = stage();
    assert_eq!(program(&stage, &["--nonsense"]).run().code(), 2);
    assert!(program(&stage, &["--version"]).run().stdout.starts_with("exec-guard-approver "));
}

#[test]
fn a_document_without_a_token_gets_one() {
    let stage = with_policy(&json!({"token": null}), &json!({}));
    let before = std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("a document");
    let mut child = program(&stage, &[]).start();
    let begun = std::time::Instant::now();
    while !stage.path("guard/operator/operator.sock").exists() {
        assert!(begun.elapsed().as_secs() < 60);
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a signal");
    child.wait().expect("its end");
    let mut after: Value = serde_json::from_str(
        &std::fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("a document"),
    )
    .expect("JSON");
    let token = after["socket"]["token"].take();
    assert_eq!(token.as_str().map(str::len), Some(64));
    let before: Value = serde_json::from_str(&before).expect("JSON");
    assert_eq!(after["agents"]["main"]["security"], before["agents"]["main"]["security"]);
}

#[test]
fn sockets_that_systemd_hands_over_are_used() {
    use std::os::fd::AsRawFd;
    use std::os::unix::process::CommandExt;
    if !std::path::Path::new("/bin/bash").exists() {
        return cannot("no bash");
    }
    let stage = stage();
    stage.folder("guard/operator", 0o700);
    let bound = |rel: &str| {
        let path = stage.path(rel);
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        crate::stage::own(&path);
        nix::fcntl::fcntl(&listener, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty()))
            .expect("a flag");
        listener
    };
    let (ask, operator) = (bound("guard/exec-approvals.sock"), bound("guard/operator/operator.sock"));
    // Names and places are those of the units that `exec-guardctl install` writes.
    let text = format!(
        "exec 8<&{} 9<&{} && exec 3<&8 4<&9 8<&- 9<&-
         export LISTEN_PID=$$ LISTEN_FDS=2 LISTEN_FDNAMES=ask:operator
         exec '{}' --no-panel",
        ask.as_raw_fd(),
        operator.as_raw_fd(),
        programs().approver.display()
    );
    let mut command = std::process::Command::new("/bin/bash");
    command.args(["-c", &text]).env_clear().env("EXEC_GUARD_HOME", stage.path("guard"));
    if let Some((uid, gid)) = player() {
        command.uid(uid).gid(gid);
    }
    let mut child = command.current_dir(stage.path("work")).spawn().expect("bash");
    drop((ask, operator));
    // Nobody is too early: what connects before it accepts waits in the queue.
    let run = crate::stage::service::operator(&stage, &[json!({"do": "status"})]).run();
    assert!(run.stdout.contains("\"waiting\":0"), "{run:?}");
    child.kill().expect("a signal");
    child.wait().expect("its end");
}

#[test]
fn a_session_override_answers_for_a_while() {
    let stage = stage();
    let service = Service::start(&stage);
    let set = |security: &str| json!({"do": "session-set", "agent": "main", "security": security, "ask": null, "session": null, "forMs": 600_000});
    assert_eq!(service.operator(&[set("full")])[0]["kind"], "done");
    stage.run(&["tool", "x"]).ran(&[&["tool", "x"]]);
    assert_eq!(service.operator(&[set("deny")])[0]["kind"], "done");
    stage.run(&["tool", "x"]).refused(126, "security-deny");
    let answers = service.operator(&[
        json!({"do": "session-list"}),
        json!({"do": "session-clear", "agent": "main", "session": null}),
        json!({"do": "session-list"}),
    ]);
    assert_eq!(answers[0]["value"][0]["security"], "deny");
    assert_eq!(answers[2]["value"], json!([]));
}

#[test]
fn a_thousand_questions_wait() {
    let stage = stage();
    let service = Service::start(&stage);
    let mut crowd = Person::start(asker(&stage, &["crowd", "1000"]));
    assert_eq!(crowd.line().as_deref(), Some("waiting"));
    assert_eq!(service.waiting(), 1000);
    let mut seen = std::collections::BTreeSet::new();
    let mut after = Value::Null;
    loop {
        let page = service.operator(&[json!({"do": "list", "all": false, "after": after})]).remove(0);
        let rows = page["value"]["rows"].as_array().expect("rows").clone();
        after = rows.last().expect("a row")["id"].clone();
        seen.extend(rows.iter().map(|r| r["id"].to_string()));
        if page["value"]["more"] == false {
            break;
        }
    }
    assert_eq!(seen.len(), 1000);
    drop(crowd);
    service.until(0);
}
