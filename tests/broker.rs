//! An approver on a socket: a right yes runs the command once; nothing else does.
use std::fs;
use std::os::unix::fs::chown;
use std::time::Duration;

use protocol::Code;
use protocol::message::{Choice, Decision, FromApprover, Scope};
use serde_json::{Value, json};

use crate::stage::approver::{Asked, Peer, Place, answering, line, now_ms, stage, with_policy};
use crate::stage::record::difference;
use crate::stage::{Run, Stage, Way, cannot, player};

fn ask(stage: &Stage, words: &[&str], script: impl FnOnce(&mut Peer) + Send) -> Run {
    answering(stage, stage.cast(words).way(Way::Dash), script)
}

fn yes(peer: &mut Peer) {
    let asked = peer.asked();
    peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
}

/// An answer made from the right yes.
fn answer(with: impl FnOnce(&Asked, Decision) -> Decision + Send) -> impl FnOnce(&mut Peer) + Send {
    move |peer| {
        let asked = peer.asked();
        let d = with(&asked, asked.decision(Choice::AllowOnce));
        peer.say(&FromApprover::Decision(d));
    }
}

fn document(stage: &Stage) -> String {
    fs::read_to_string(stage.path("guard/exec-approvals.json")).expect("the document")
}

#[test]
fn a_yes_runs_the_command_once() {
    let stage = stage().tool_says("tool", "7", "out\n");
    let run = ask(&stage, &["tool", "a b", "x\u{202e}y"], |peer| {
        let asked = peer.asked();
        let q = &asked.question;
        assert_eq!(q.argv, [b"tool".to_vec(), b"a b".to_vec(), "x\u{202e}y".into()]);
        assert!(q.found.ends_with(b"/bin/tool") && q.cwd.as_ref().is_some_and(|c| c.ends_with(b"/work")));
        assert_eq!((q.agent.as_str(), q.ground.code.as_str(), q.is_text), ("main", "allowlist-miss", false));
        assert!(!q.detached && q.timeout_ms == 120_000 && q.always.is_ok());
        assert!(q.security_from.ends_with("exec-approvals.json:/agents/main/security"), "{q:?}");
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        assert_eq!(peer.line(), None, "the guard has no more to say");
    });
    run.ran(&[&["tool", "a b", "x\u{202e}y"]]);
    assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (7, "out\n", ""));
    // Once is once.
    fs::remove_file(stage.path("guard/exec-approvals.sock")).expect("the socket");
    stage.run(&["tool"]).refused(126, "allowlist-miss");
}

#[test]
fn what_is_listed_is_not_asked() {
    let stage = stage();
    let _place = Place::new(&stage);
    stage.run(&["listed", "x"]).ran(&[&["listed", "x"]]);
}

#[test]
fn a_text_is_asked_about_whole() {
    let stage = stage();
    let cast = stage.guard_cast(&["-c", "listed 1 && tool 2 > out"]);
    let run = answering(&stage, cast, |peer| {
        let asked = peer.asked();
        let q = &asked.question;
        assert!(q.is_text && q.segments.len() == 2 && q.always.is_err(), "{q:?}");
        assert_eq!(q.text.as_deref(), Some(&b"listed 1 && tool 2 > out"[..]));
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
    });
    run.ran(&[&["listed", "1"], &["tool", "2"]]);
}

#[test]
fn a_command_runs_as_without_a_guard() {
    let stage = stage().tool_says("tool", "3", "said\n");
    let plain = stage.cast(&["tool", "x"]).way(Way::Plain).run();
    let asked = ask(&stage, &["tool", "x"], yes);
    let record = |run: &Run, guarded| {
        let [record] = run.records.as_slice() else { panic!("not once: {run:?}") };
        let (value, wrong) = record.comparable(guarded, Some(run.pid));
        assert!(wrong.is_empty(), "{wrong:?}");
        value
    };
    let differences = difference(&record(&plain, false), &record(&asked, true));
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn a_no_is_a_no_and_tells_why() {
    let stage = stage();
    let run = ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        let d = asked.decision(Choice::Deny);
        let reason = Some("not on a friday\x1b[2J".into());
        peer.say(&FromApprover::Decision(asked.signed(Decision { reason, ..d })));
    });
    run.refused(126, "user-denied");
    assert!(run.stderr.contains("not on a friday\\x1b[2J"), "{run:?}");
}

/// The approver stores what it showed; the guard does not.
#[test]
fn an_always_is_the_approvers_to_store() {
    let stage = stage();
    let before = document(&stage);
    let run = ask(&stage, &["tool", "x"], |peer| {
        let asked = peer.asked();
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowAlways(Scope::Arguments))));
    });
    run.ran(&[&["tool", "x"]]);
    assert_eq!(document(&stage), before);
}

type Script = Box<dyn FnOnce(&mut Peer) + Send>;
type Step = fn(&mut Peer);

/// Ways to answer that are none, each with the status and code it comes to.
fn wrong() -> Vec<(&'static str, Script, i32, &'static str)> {
    fn case(
        name: &'static str,
        script: impl FnOnce(&mut Peer) + Send + 'static,
    ) -> (&'static str, Script, i32, &'static str) {
        (name, Box::new(script), 125, "approver-error")
    }
    let error = |code: Code| {
        move |peer: &mut Peer| {
            let asked = peer.challenge();
            peer.say(&FromApprover::Error { id: Some(asked.request.id), code });
        }
    };
    let late = |name, script: Script| (name, script, 126, "approval-timeout");
    let mut all = vec![
        case(
            "another token",
            answer(|asked, d| {
                let token = protocol::Token::new("another").expect("a token");
                Decision { hmac: protocol::mac::decision(&token, &asked.to.nonce, &d), ..d }
            }),
        ),
        case(
            "another challenge",
            answer(|_, d| {
                let token = protocol::Token::new(crate::stage::approver::TOKEN).expect("a token");
                let nonce = protocol::encode::base64(&[1; 32]);
                Decision { hmac: protocol::mac::decision(&token, &nonce, &d), ..d }
            }),
        ),
        case(
            "a no with a yes written over it",
            answer(|asked, d| {
                let no = asked.signed(Decision { choice: Choice::Deny, ..d.clone() });
                Decision { hmac: no.hmac, ..d }
            }),
        ),
        case("another reason", answer(|_, d| Decision { reason: Some("x".into()), ..d })),
        case("a longer life", answer(|_, d| Decision { expires_at_ms: d.expires_at_ms + 1, ..d })),
        case(
            "another question's hash",
            answer(|asked, d| {
                asked.signed(Decision { request_sha256: protocol::mac::sha256(b"rm -rf /"), ..d })
            }),
        ),
        case("another id", answer(|asked, d| asked.signed(Decision { id: "another".into(), ..d }))),
        case(
            "a scope that was not offered",
            answer(|asked, d| asked.signed(Decision { choice: Choice::AllowAlways(Scope::Subcommand), ..d })),
        ),
        case("no MAC", |peer| {
            let asked = peer.asked();
            let mut d = FromApprover::Decision(asked.decision(Choice::AllowOnce)).to_json();
            d.as_object_mut().expect("an object").remove("hmac");
            peer.send(format!("{d}\n").as_bytes());
        }),
        case("one field more", |peer| {
            let asked = peer.asked();
            let mut d = FromApprover::Decision(asked.decision(Choice::AllowOnce)).to_json();
            d["also"] = true.into();
            peer.send(format!("{d}\n").as_bytes());
        }),
        case("the plain form", |peer| {
            let asked = peer.asked();
            let d = json!({"type": "decision", "id": asked.request.id, "decision": "allow-once"});
            peer.send(format!("{d}\n").as_bytes());
        }),
        case("two answers", |peer| {
            let asked = peer.asked();
            let (a, b) = (asked.decision(Choice::AllowOnce), asked.decision(Choice::Deny));
            peer.send(&[line(&FromApprover::Decision(a)), line(&FromApprover::Decision(b))].concat());
        }),
        case("a yes and the beginning of something", |peer| {
            let asked = peer.asked();
            let d = line(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
            peer.send(&[d.as_slice(), b"{"].concat());
        }),
        case("a yes before it was accepted", |peer| {
            let asked = peer.challenge();
            peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        }),
        case("accepted for another", |peer| {
            let asked = peer.challenge();
            peer.say(&FromApprover::Accepted { id: "another".into(), expires_at_ms: now_ms() + 1000 });
            peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        }),
        case("accepted twice", |peer| {
            let asked = peer.asked();
            peer.say(&FromApprover::Accepted { id: asked.request.id, expires_at_ms: now_ms() + 1000 });
        }),
        case("a yes without its end", |peer| {
            let asked = peer.asked();
            let d = line(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
            peer.send(&d[..d.len() - 1]);
        }),
        case("another version", |peer| {
            let nonce = protocol::encode::base64(&[1; 32]);
            let c = json!({"type": "challenge", "version": 2, "nonce": nonce, "ts": now_ms()});
            peer.send(format!("{c}\n").as_bytes());
            let _ = peer.line();
        }),
        case("the token is another one", error(Code::Mac)),
        case("not understood", error(Code::Malformed)),
        case("an error of its own", error(Code::Internal)),
        late(
            "a yes that is too late",
            Box::new(answer(|asked, d| asked.signed(Decision { expires_at_ms: now_ms() - 1, ..d }))),
        ),
        ("rate limit", Box::new(error(Code::RateLimited)), 126, "rate-limited"),
        ("full", Box::new(error(Code::Full)), 126, "rate-limited"),
        ("too long", Box::new(error(Code::TooLong)), 126, "too-long-to-ask"),
    ];
    // The end, nonsense and too much at every step.
    let steps: [(&str, Step); 3] = [
        ("at the start", |_| {}),
        ("after the challenge", |peer| drop(peer.challenge())),
        ("after accepting", |peer| drop(peer.asked())),
    ];
    for (step, go) in steps {
        all.push(case(step, move |peer| {
            go(peer);
            let _ = peer.stream.shutdown(std::net::Shutdown::Both);
        }));
        for bytes in
            [b"yes\n".to_vec(), b"\n".to_vec(), b"{\"type\":\"decision\"}\n".to_vec(), vec![b'y'; 2 << 20]]
        {
            all.push(case(step, move |peer| {
                go(peer);
                peer.send(&bytes);
            }));
        }
    }
    all
}

#[test]
fn what_is_no_answer_runs_nothing() {
    // Also where it would run if nobody could be asked: who disturbs an answer must not get that.
    for fallback in ["deny", "full"] {
        let security =
            if fallback == "full" { json!({"security": "full", "ask": "always"}) } else { json!({}) };
        for (name, script, status, code) in wrong() {
            let mut agent = security.clone();
            agent["askFallback"] = fallback.into();
            let stage = with_policy(&json!({}), &agent);
            let run = ask(&stage, &["tool"], script);
            assert!(run.records.is_empty(), "{name} ({fallback}): {run:?}");
            assert_eq!((run.code(), run.reason()), (status, Some(code)), "{name} ({fallback}): {run:?}");
        }
    }
}

/// What was a right answer once is none to the next question, though that is about the same command.
#[test]
fn an_answer_is_not_good_twice() {
    let stage = stage();
    let mut first = Vec::new();
    ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        first = line(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        peer.send(&first);
    })
    .allowed();
    fs::remove_file(stage.path("guard/exec-approvals.sock")).expect("the socket");
    let run = ask(&stage, &["tool"], |peer| {
        peer.asked();
        peer.send(&first);
    });
    run.refused(125, "approver-error");
}

#[test]
fn an_answer_may_come_slowly() {
    let stage = stage();
    let run = ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        for b in line(&FromApprover::Decision(asked.decision(Choice::AllowOnce))) {
            peer.send(&[b]);
            std::thread::sleep(Duration::from_micros(200));
        }
    });
    run.ran(&[&["tool"]]);
}

fn hurried(agent: &Value) -> Stage {
    with_policy(&json!({}), agent).config(&json!({"tools": {"exec": {"approvalTimeoutMs": 1500}}}))
}

#[test]
fn no_answer_in_time_is_no() {
    let stage = hurried(&json!({}));
    let run = ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        // Until the guard has given up, and then the yes.
        assert_eq!(peer.line(), None);
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
    });
    run.refused(126, "approval-timeout");
}

/// Who stands and waits is told for what, once, and in the end what would have helped.
#[test]
fn whoever_waits_is_told_for_what() {
    let stage =
        with_policy(&json!({}), &json!({})).config(&json!({"tools": {"exec": {"approvalTimeoutMs": 9000}}}));
    let mut id = String::new();
    let run = ask(&stage, &["tool"], |peer| {
        id.clone_from(&peer.asked().request.id);
        assert_eq!(peer.line(), None);
    });
    let lines: Vec<&str> = run.stderr.lines().collect();
    let how = format!("approvals resolve {} allow-once", &id[..8]);
    assert!(lines[0].starts_with("exec-guard: asks [allowlist-miss] tool: "), "{run:?}");
    assert!(lines[0].contains(" s for a yes: ") && lines[0].contains(&how), "{run:?}");
    let no = "exec-guard: denied [approval-timeout] no answer came in time to: [allowlist-miss] tool: ";
    assert!(lines[1].starts_with(no), "{run:?}");
    assert!(
        run.stderr.contains("approvals watch") && run.stderr.matches("exec-guard: ").count() == 2,
        "{run:?}"
    );
}

#[test]
fn an_answer_without_end_has_an_end() {
    let stage = hurried(&json!({}));
    let run = ask(&stage, &["tool"], |peer| {
        peer.asked();
        use std::io::Write;
        while peer.stream.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    run.refused(126, "approval-timeout");
}

#[test]
fn the_fallback_is_for_whoever_cannot_be_asked() {
    // No answer in time.
    let allowlist = json!({"security": "allowlist", "ask": "always", "askFallback": "allowlist"});
    let waits = |peer: &mut Peer| {
        peer.asked();
        assert_eq!(peer.line(), None);
    };
    ask(&hurried(&allowlist), &["listed"], waits).ran(&[&["listed"]]);
    ask(&hurried(&allowlist), &["tool"], waits).refused(126, "approval-timeout");
    // Nobody at the approver.
    let nobody = |peer: &mut Peer| {
        let asked = peer.challenge();
        peer.say(&FromApprover::Error { id: Some(asked.request.id), code: Code::Unattended });
    };
    ask(&with_policy(&json!({}), &allowlist), &["listed"], nobody).ran(&[&["listed"]]);
    let run = ask(&with_policy(&json!({}), &allowlist), &["tool"], nobody);
    run.refused(126, "allowlist-miss");
    assert!(run.stderr.contains("nobody is there to answer"), "{run:?}");
}

#[test]
fn where_no_approver_is_nobody_waits() {
    let stage = stage();
    let began = std::time::Instant::now();
    let run = stage.run(&["tool"]);
    run.refused(126, "allowlist-miss");
    assert!(
        run.stderr.contains("start an approver: exec-guardctl approver start"),
        "how to get a yes: {run:?}"
    );
    // A socket that was left behind.
    drop(Place::new(&stage));
    stage.run(&["tool"]).refused(126, "allowlist-miss");
    fs::remove_file(stage.path("guard/exec-approvals.sock")).expect("the socket");
    // A file in its place.
    stage.write("guard/exec-approvals.sock", b"", 0o600);
    let run = stage.run(&["tool"]);
    run.refused(126, "allowlist-miss");
    assert!(run.stderr.contains("no socket"), "{run:?}");
    assert!(began.elapsed() < Duration::from_secs(60));
    // Without a token nobody can prove anything.
    let stage = with_policy(&json!({"token": ""}), &json!({}));
    let _place = Place::new(&stage);
    let run = stage.run(&["tool"]);
    run.refused(126, "allowlist-miss");
    assert!(run.stderr.contains("socket.token"), "{run:?}");
}

/// Reached, and says nothing: like nobody, after a while.
#[test]
fn a_server_that_says_nothing_is_nobody() {
    let stage = stage();
    let run = ask(&stage, &["tool"], |peer| assert_eq!(peer.line(), None));
    run.refused(126, "allowlist-miss");
    assert!(run.stderr.contains("does not answer"), "{run:?}");
}

#[test]
fn another_users_approver_is_not_believed() {
    if player().is_none() {
        cannot("only root can give a socket away");
        return;
    }
    for (trusted, believed) in [(json!([]), false), (json!([4712]), false), (json!([4711]), true)] {
        let stage = with_policy(&json!({"allowUids": trusted}), &json!({}));
        let path = stage.path("guard/exec-approvals.sock");
        let place = Place::new(&stage);
        chown(&path, Some(4711), None).expect("chown");
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666)).expect("mode");
        if believed {
            let run = stage.cast(&["tool"]).way(Way::Dash).talk(|| yes(&mut place.accept()));
            run.ran(&[&["tool"]]);
        } else {
            let run = stage.run(&["tool"]);
            run.refused(126, "allowlist-miss");
            assert!(run.stderr.contains("belongs to user 4711"), "{run:?}");
        }
    }
}

#[test]
fn a_signal_ends_the_question() {
    use nix::sys::signal::{Signal, kill};
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGKILL] {
        let stage = stage();
        let place = Place::new(&stage);
        let mut child = stage.cast(&["tool"]).way(Way::Dash).start();
        let mut peer = place.accept();
        let asked = peer.asked();
        kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).expect("kill");
        assert_eq!(peer.line(), None, "{signal}: withdrawn");
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        let status = crate::stage::pty::finish(&mut child);
        assert!(!status.success() && stage.records().is_empty(), "{signal}: {status:?}");
    }
}

/// What changed while a person thought is not what they said yes to.
#[test]
fn a_program_that_was_exchanged_meanwhile_does_not_run() {
    let stage = stage().tool("other");
    let run = ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        fs::rename(stage.path("bin/other"), stage.path("bin/tool")).expect("rename");
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
    });
    run.refused(126, "changed");
}

/// Not only the one program of a command: whatever a text starts, and what its programs are given to run.
#[test]
fn a_file_that_was_exchanged_meanwhile_does_not_run_in_a_text_either() {
    let write = |stage: &Stage, what: &str| {
        stage.write("work/s.sh", format!("#!/bin/sh\necho {what} > {what}\n").as_bytes(), 0o755);
        stage.write("work/s.pl", format!("open(F, '>', '{what}')\n").as_bytes(), 0o755);
    };
    for text in [
        "./s.sh",
        "listed 1; ./s.sh",
        "/bin/sh s.sh",
        "(cd . && /bin/sh ./s.sh) > out",
        ". ./s.sh",
        "eval ./s.sh",
        "for i in 1; do . ./s.sh; done",
        "echo $(./s.sh)",
        "x=`./s.sh`; listed $x",
        "/bin/sh <<E\n./s.sh\nE",
        "/bin/sh <<E\n. ./s.sh\nE",
        "trap ./s.sh EXIT",
        "trap '. ./s.sh' EXIT; listed 1",
        "if ! ./s.sh; then listed 1; fi",
        "f() { ./s.sh; }; f",
        "./s.sh & wait",
        "case a in a) { ./s.sh; };; esac",
        "echo a | /usr/bin/xargs ./s.sh",
        "/usr/bin/find . -maxdepth 0 -exec ./s.sh {} +",
        "/bin/bash -lc ./s.sh",
        "/bin/bash -c 'cat <(./s.sh); true'",
        "echo ./s.sh | /bin/sh",
        "command ./s.sh",
        "exec ./s.sh",
        "eval 'cd . && . ./s.sh'",
        "cd /; cd - && eval ./s.sh",
        "x=./s.sh; $x",
        "/bin/sh < s.sh",
        "/usr/bin/perl s.pl",
        "/usr/bin/env X=1 /usr/bin/perl -w s.pl",
        "/bin/sh -c '. ./s.sh'",
    ] {
        let unchanged = stage();
        write(&unchanged, "before");
        let run = answering(&unchanged, unchanged.guard_cast(&["-c", text]), yes);
        assert!(unchanged.path("work/before").exists(), "{text}: {run:?}");
        let stage = stage();
        write(&stage, "before");
        let run = answering(&stage, stage.guard_cast(&["-c", text]), |peer| {
            let asked = peer.asked();
            write(&stage, "after");
            peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
        });
        assert!(!stage.path("work/after").exists(), "{text}: {run:?}");
        run.refused(126, "changed");
    }
}

#[test]
fn what_cannot_be_asked_whole_is_not_asked() {
    let stage = stage();
    let long: Vec<String> =
        std::iter::once("tool".to_owned()).chain((0..10).map(|_| "x".repeat(100_000))).collect();
    let words: Vec<&str> = long.iter().map(String::as_str).collect();
    let run = ask(&stage, &words, |peer| {
        let nonce = protocol::encode::base64(&[1; 32]);
        peer.say(&FromApprover::Challenge(protocol::message::Challenge { nonce, ts: now_ms() }));
        assert_eq!(peer.line(), None);
    });
    run.refused(126, "too-long-to-ask");
}

#[test]
fn the_journal_says_who_answered() {
    let stage = stage();
    let mut id = String::new();
    ask(&stage, &["tool"], |peer| {
        let asked = peer.asked();
        id.clone_from(&asked.request.id);
        peer.say(&FromApprover::Decision(asked.decision(Choice::AllowOnce)));
    })
    .allowed();
    let text = fs::read_to_string(stage.path("guard/journal/journal.jsonl")).expect("a journal");
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("a record");
    assert_eq!(
        (&last["by"], &last["who"], &last["id"]),
        (&json!("approver"), &json!("the test"), &json!(id))
    );
    assert_eq!(last["decision"], "allow");
}

/// The plain form of OpenClaw's app.
#[test]
fn the_other_dialect() {
    let cases = [
        (json!({"decision": "allow-once"}), 0, None),
        (json!({"decision": "allow-always"}), 0, None),
        (json!({"decision": "deny"}), 126, Some("user-denied")),
        (json!({"decision": "yes"}), 125, Some("approver-error")),
        (json!({"decision": "allow-once", "id": "another"}), 125, Some("approver-error")),
        (json!({"decision": "allow-once", "type": "request"}), 125, Some("approver-error")),
        (Value::Null, 125, Some("approver-error")),
    ];
    for (with, status, code) in cases {
        let stage = with_policy(&json!({"dialect": "openclaw"}), &json!({}));
        let before = document(&stage);
        let run = ask(&stage, &["tool", "a b"], |peer| {
            let text = peer.line().expect("a request");
            let request = protocol::openclaw::Request::parse(&text).expect("a request");
            assert_eq!(request.token.reveal(), crate::stage::approver::TOKEN);
            assert_eq!(request.shown.command, "tool 'a b'");
            assert_eq!(peer.line(), None, "the guard has said all");
            let mut d = json!({"type": "decision", "id": request.id});
            let Some(with) = with.as_object() else { return };
            for (k, v) in with {
                d[k] = v.clone();
            }
            peer.send(format!("{d}\n").as_bytes());
        });
        assert_eq!((run.code(), run.reason()), (status, code), "{with}: {run:?}");
        assert_eq!(run.records.len(), usize::from(status == 0), "{with}: {run:?}");
        assert_eq!(document(&stage), before, "nothing is stored on its word");
    }
}
