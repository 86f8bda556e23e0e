use super::*;
use crate::desk::{Asker, Face};
use crate::peer::{Operator, Work};
use crate::testing::{Stage, question, run};
use policy::Choice;
use policy::Scope;
use policy::document::{Ask, Security};
use protocol::operator::{EventKind, State};

fn id(n: u8) -> String {
    format!("{n:08x}-0000-4000-8000-000000000000")
}

fn asker() -> Asker {
    Asker { uid: sys::ids::uid(), pid: Some(-7), session: Some(-7), root: None }
}

/// Asks a question.
fn ask_as(h: &Handle, n: u8, q: &WireQuestion, asker: Asker) -> Result<Taken, Code> {
    let (q, draft) = draft::of_request(&id(n), &q.to_text(), asker, h.rules()).unwrap();
    h.ask(draft, Some(&q))
}

fn ask(h: &Handle, n: u8, argv: &[&str]) -> oneshot::Receiver<Outcome> {
    match ask_as(h, n, &question(argv), asker()).unwrap() {
        Taken::Waits(_, receiver) => receiver,
        Taken::Answered(answer, _) => panic!("answered: {answer:?}"),
    }
}

async fn answer(h: &Handle, prefix: &str, choice: Choice) -> Result<Done, Refusal> {
    h.answer(prefix, choice, None, &Operator::panel(Work::default())).await
}

#[test]
fn an_answer_reaches_whoever_asked_and_those_who_watch() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let mut events = h.watch();
        let waiter = ask(&h, 1, &["tool", "x"]);
        let done = answer(&h, "0000", Choice::AllowOnce).await.unwrap();
        assert_eq!(
            (done.row.state, done.row.choice, done.note),
            (State::Answered, Some(Choice::AllowOnce), None)
        );
        assert!(matches!(waiter.await, Ok(Outcome::Answered(a)) if a.by == "panel"));
        let kinds = [events.try_recv().unwrap().kind, events.try_recv().unwrap().kind];
        assert_eq!(kinds, [EventKind::Requested, EventKind::Resolved]);
        assert!(events.try_recv().is_err());
        let second = answer(&h, "0000", Choice::Deny).await.unwrap_err();
        assert_eq!((second.code, second.detail.as_deref()), (Code::Answered, Some("allow-once by panel")));
        drop(h);
        let records = stage.journal();
        assert_eq!(
            records.iter().map(|r| r["event"].as_str().unwrap()).collect::<Vec<_>>(),
            ["exec.approval.requested", "exec.approval.resolved"]
        );
    });
}

#[test]
fn lists_come_in_pages_that_lose_nothing() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let _waiters: Vec<_> = (0..25).map(|n| ask(&h, n, &["tool", &n.to_string()])).collect();
        let mut seen = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let (rows, more) = h.list(false, after.as_deref(), 10);
            seen.extend(rows.iter().map(|r| r.command.clone()));
            after = rows.last().map(|r| r.id.clone());
            // The last one of a page may end before the next is asked for.
            answer(&h, after.as_deref().unwrap(), Choice::Deny).await.unwrap();
            if !more {
                break;
            }
        }
        assert_eq!(seen.len(), 25);
        seen.dedup();
        assert_eq!(seen.len(), 25);
        assert_eq!(h.list(true, None, 100).0.len(), 25);
        assert_eq!(h.list(false, None, 100).0.len(), 22);
    });
}

#[test]
fn always_stores_exactly_what_was_shown() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let waiter = ask(&h, 1, &["tool", "x"]);
        let no = answer(&h, &id(1), Choice::AllowAlways(Scope::Arguments)).await.unwrap_err();
        assert_eq!(no.code, Code::NotOffered);
        let done = answer(&h, &id(1), Choice::AllowAlways(Scope::Program)).await.unwrap();
        assert_eq!(done.note, None);
        assert!(
            matches!(waiter.await, Ok(Outcome::Answered(a)) if a.choice == Choice::AllowAlways(Scope::Program))
        );
        let list = &stage.document()["agents"]["main"]["allowlist"];
        assert_eq!(list.as_array().unwrap().len(), 1);
        assert_eq!(list[0]["pattern"], "/usr/bin/tool");
    });
}

#[test]
fn always_that_cannot_be_stored_allows_once() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let waiter = ask(&h, 1, &["tool", "x"]);
        let before = "{\"version\":1,\"socket\":{\"token\":\"t\"},\"defaults\":[]}";
        stage.put(before);
        let done = answer(&h, &id(1), Choice::AllowAlways(Scope::Program)).await.unwrap();
        assert_eq!(done.row.choice, Some(Choice::AllowOnce));
        assert!(done.note.unwrap().starts_with("allowed once, not stored: "));
        assert!(matches!(waiter.await, Ok(Outcome::Answered(a)) if a.choice == Choice::AllowOnce));
        assert_eq!(stage.document().to_string(), before);
    });
}

#[test]
fn an_entry_for_another_users_guard_is_not_written_into_our_policy() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let other = Asker { uid: sys::ids::uid() + 1, ..asker() };
        let _waiter = ask_as(&h, 1, &question(&["tool"]), other).unwrap();
        let no = answer(&h, &id(1), Choice::AllowAlways(Scope::Program)).await.unwrap_err();
        assert_eq!(no.code, Code::NotOffered);
        assert!(answer(&h, &id(1), Choice::AllowOnce).await.is_ok());
    });
}

#[test]
fn nobody_answers_their_own_question() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let me = sys::proc::process(sys::ids::pid()).unwrap();
        let copy = me.clone();
        let mine = Asker { uid: sys::ids::uid(), pid: Some(me.pid), session: Some(me.session), root: None };
        let _waiter = ask_as(&h, 1, &question(&["tool"]), mine).unwrap();
        let operator = Operator { by: "me".into(), process: Some(me), fetched: Work::default() };
        for choice in [Choice::AllowOnce, Choice::AllowAlways(Scope::Program), Choice::Deny] {
            let no = h.answer(&id(1), choice, None, &operator).await.unwrap_err();
            assert_eq!(no.code, Code::OwnQuestion);
        }
        assert_eq!(h.status().waiting, 1);
        // Nor has it anything that would do the same: it is told what waits.
        let no = h.asks_nothing(&operator).unwrap_err();
        let detail = no.detail.unwrap();
        assert_eq!(no.code, Code::OwnQuestion);
        assert!(
            detail.contains(&format!("{} (main: tool)", &id(1)[..8])) && !detail.contains("more"),
            "{detail}"
        );
        let _more: Vec<_> = (2..=5).map(|n| ask_as(&h, n, &question(&["tool"]), mine).unwrap()).collect();
        let detail = h.asks_nothing(&operator).unwrap_err().detail.unwrap();
        assert!(detail.contains(" and 2 more"), "{detail}");
        let other = sys::proc::Process { pid: i32::MAX, parent: 0, session: i32::MAX, ..copy };
        let stranger = Operator { by: "me".into(), process: Some(other), fetched: Work::default() };
        assert!(
            h.asks_nothing(&stranger).is_ok() && h.asks_nothing(&Operator::panel(Work::default())).is_ok()
        );
    });
}

#[test]
fn calls_of_tools_are_found_among_whatever_else_waits() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let _waiters: Vec<_> = (1..=6)
            .map(|n| {
                let (_, draft) =
                    draft::of_request(&id(n), &question(&["x"]).to_text(), asker(), h.rules()).unwrap();
                let user = if n == 6 { "user:2" } else { "user:1" };
                let call = ToolCall { name: "bash".into(), user: user.into(), channel: None, message: None };
                // The first three are guards'.
                let face = Face { tool: (n > 3).then_some(call), ..(*draft.face).clone() };
                h.ask(Draft { face: Arc::new(face), ..draft }, None).unwrap()
            })
            .collect();
        let ids = |rows: Vec<Row>| rows.into_iter().map(|r| r.id).collect::<Vec<_>>();
        assert_eq!(ids(h.calls(|_| true, 10)), [id(4), id(5), id(6)]);
        assert_eq!(ids(h.calls(|_| true, 2)), [id(4), id(5)]);
        assert_eq!(ids(h.calls(|call| call.user == "user:2", 1)), [id(6)]);
    });
}

#[test]
fn what_was_answered_and_what_was_left_outlives_a_restart() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        for n in 1..=3 {
            drop(ask(&h, n, &["tool", &n.to_string()]));
            assert!(h.detach(&id(n)));
        }
        answer(&h, &id(1), Choice::AllowOnce).await.unwrap();
        h.gone(&id(2));
        h.override_set("other", None, (Some(Security::Full), None), 60_000, "t").unwrap();
        drop(h);
        let h = stage.handle();
        // Asked in one millisecond, they stand in any order.
        let mut commands: Vec<String> = h.list(false, None, 10).0.into_iter().map(|r| r.command).collect();
        commands.sort_unstable();
        assert_eq!(commands, ["tool 2", "tool 3"]);
        assert_eq!(h.overrides().len(), 1);
        let late = ask_as(&h, 4, &question(&["tool", "1"]), asker());
        assert!(matches!(late, Ok(Taken::Answered(a, _)) if a.by == "ticket"));
        answer(&h, &id(2), Choice::AllowOnce).await.unwrap();
        drop(h);
        // What was used up stays so.
        let h = stage.handle();
        assert!(matches!(ask_as(&h, 5, &question(&["tool", "1"]), asker()), Ok(Taken::Waits(..))));
        assert!(matches!(ask_as(&h, 6, &question(&["tool", "2"]), asker()), Ok(Taken::Answered(..))));
        assert_eq!(h.list(false, None, 10).0.len(), 2);
    });
}

#[test]
fn a_yes_that_cannot_be_struck_out_is_not_given() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        drop(ask(&h, 1, &["tool"]));
        h.detach(&id(1));
        answer(&h, &id(1), Choice::AllowOnce).await.unwrap();
        // The folder is gone and a file stands in its place: neither writing nor removing goes.
        let folder = stage.state().join("approver");
        std::fs::rename(&folder, stage.state().join("away")).unwrap();
        std::fs::write(&folder, "").unwrap();
        assert_eq!(ask_as(&h, 2, &question(&["tool"]), asker()).unwrap_err(), Code::Internal);
    });
}

#[test]
fn an_override_answers_in_the_operators_name_and_never_below_the_floor() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let mut events = h.watch();
        let set = |s, a| h.override_set("main", None, (s, a), 60_000, "uid 1");
        set(Some(Security::Full), None).unwrap();
        assert_eq!(events.try_recv().unwrap().kind, EventKind::Session);
        let taken = ask_as(&h, 1, &question(&["tool"]), asker());
        assert!(matches!(taken, Ok(Taken::Answered(a, _)) if a.by == "session override of uid 1"));
        // A ground that asks whatever the lists say, and one that is not known, are for a person.
        for (n, code) in [(2, "asklist"), (3, "self-protection"), (4, "made-up")] {
            let mut q = question(&["tool"]);
            q.ground.code = code.into();
            assert!(matches!(ask_as(&h, n, &q, asker()), Ok(Taken::Waits(..))), "{code}");
        }
        let mut doubt = question(&["tool"]);
        doubt.agents.push("other".into());
        assert!(matches!(ask_as(&h, 5, &doubt, asker()), Ok(Taken::Waits(..))));
        set(Some(Security::Deny), None).unwrap();
        let taken = ask_as(&h, 6, &question(&["tool"]), asker());
        assert!(matches!(taken, Ok(Taken::Answered(a, _)) if a.choice == Choice::Deny));
        assert!(h.override_clear("main", None) && !h.override_clear("main", None));
        assert!(matches!(ask_as(&h, 7, &question(&["tool"]), asker()), Ok(Taken::Waits(..))));
        for (wanted, for_ms) in
            [((None, None), 1), ((Some(Security::Full), None), 0), ((None, Some(Ask::Off)), u64::MAX)]
        {
            assert_eq!(h.override_set("main", None, wanted, for_ms, "t").unwrap_err().code, Code::Malformed);
        }
        assert_eq!(
            h.override_set("a\tb", None, (None, Some(Ask::Off)), 9, "t").unwrap_err().code,
            Code::Malformed
        );
        assert_eq!(
            h.override_set("*", None, (None, Some(Ask::Off)), 9, "t").unwrap_err().code,
            Code::Malformed
        );
    });
}

#[test]
fn time_passes_by_itself() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        let mut q = question(&["tool"]);
        q.timeout_ms = 50;
        let Ok(Taken::Waits(_, waiter)) = ask_as(&h, 1, &q, asker()) else { panic!("it does not wait") };
        let keeper = h.clone();
        let time = tokio::spawn(async move { keeper.keep_time().await });
        assert_eq!(waiter.await, Ok(Outcome::Expired));
        assert_eq!(answer(&h, &id(1), Choice::AllowOnce).await.unwrap_err().code, Code::Expired);
        time.abort();
    });
}

#[test]
fn one_that_ends_takes_no_questions() {
    run(async {
        let stage = Stage::new();
        let h = stage.handle();
        h.stop();
        h.stopped().await;
        assert_eq!(ask_as(&h, 1, &question(&["tool"]), asker()).unwrap_err(), Code::Stopping);
    });
}

#[test]
fn what_became_of_a_command_is_told_on() {
    run(async {
        use protocol::message::Outcome as What;
        let stage = Stage::new();
        let h = stage.handle();
        let _waiter = ask(&h, 1, &["tool"]);
        let mut events = h.watch();
        let report = |what| Report { what, at_ms: 5_000 };
        h.report(&id(1), &report(What::Running)).unwrap();
        h.report(&id(1), &report(What::Finished { code: 3, duration_ms: 1_000 })).unwrap();
        assert_eq!(h.report(&id(2), &report(What::Running)), Err(Code::Unknown));
        assert_eq!(events.try_recv().unwrap().kind, EventKind::Running);
        assert_eq!(events.try_recv().unwrap().code, Some(3));
        let run = h.run("0000").unwrap();
        assert_eq!((run.state.as_str(), run.code, run.started_at_ms), ("finished", Some(3), Some(5_000)));
        assert_eq!(h.runs().len(), 1);
    });
}
