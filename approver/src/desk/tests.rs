use super::*;
use policy::Scope;
use proptest::prelude::*;

fn id(n: u64) -> String {
    format!("{n:08x}-0000-4000-8000-000000000000")
}

fn draft(n: u64, key: u8) -> Draft {
    Draft {
        id: id(n),
        key: key.to_string(),
        hook: None,
        agent: "main".into(),
        session: None,
        asker: Asker { uid: 1, pid: Some(2), session: Some(3), root: None },
        face: Arc::default(),
        body: Arc::from("{}"),
        timeout_ms: 100,
        ticket_ttl_ms: 1_000,
    }
}

/// What a question is about, as a number.
fn key(q: &Question) -> usize {
    q.draft.key.parse().unwrap()
}

fn said(choice: Choice) -> Answer {
    Answer { choice, reason: None, by: "test".into() }
}

fn yes() -> Answer {
    said(Choice::AllowOnce)
}

fn desk() -> Desk {
    Desk::new(Limits::default())
}

#[test]
fn one_transition_a_question() {
    let mut d = desk();
    assert_eq!(d.ask(draft(1, 1), None, 0), Ok(Asked::Waits(100)));
    assert_eq!(d.answer(&id(1), yes(), 99).unwrap().outcome, Some(Outcome::Answered(yes())));
    assert_eq!(d.answer(&id(1), said(Choice::Deny), 99), Err(NotAnswered::AlreadyAnswered));
    assert!(!d.gone(&id(1), 99) && !d.detach(&id(1), 99));
    assert_eq!(d.answer(&id(1), yes(), 5_000), Err(NotAnswered::AlreadyAnswered));
}

#[test]
fn failures_are_told_apart() {
    let mut d = desk();
    for n in 1..=4 {
        d.ask(draft(n, 1), None, 0).unwrap();
    }
    d.answer(&id(1), yes(), 1).unwrap();
    assert!(d.gone(&id(2), 1));
    assert!(d.claim(&id(4), 1).is_ok());
    for (at, prefix, want) in [
        (1, "ffff", NotAnswered::Unknown),
        (1, "", NotAnswered::Unknown),
        (1, "0000", NotAnswered::Ambiguous(4)),
        (1, "00000001", NotAnswered::AlreadyAnswered),
        (1, "00000002", NotAnswered::Withdrawn),
        (1, "00000004", NotAnswered::AlreadyAnswered),
        (100, "00000003", NotAnswered::Expired),
        (100, "00000004", NotAnswered::Expired),
    ] {
        assert_eq!(d.answer(prefix, yes(), at), Err(want), "{prefix} at {at}");
    }
    // A time that goes back brings nothing back.
    assert_eq!(d.answer(&id(3), yes(), 5), Err(NotAnswered::Expired));
}

#[test]
fn any_prefix_that_leaves_no_doubt_will_do() {
    let mut d = desk();
    d.ask(Draft { id: "abc00000-0000-4000-8000-000000000000".into(), ..draft(0, 1) }, None, 0).unwrap();
    d.ask(Draft { id: "abd00000-0000-4000-8000-000000000000".into(), ..draft(0, 1) }, None, 0).unwrap();
    assert_eq!(d.answer("ab", yes(), 1), Err(NotAnswered::Ambiguous(2)));
    assert!(d.answer("ABC", yes(), 1).is_ok());
    // The closed one is in the way still: else the same word would mean another question now.
    assert_eq!(d.answer("ab", yes(), 1), Err(NotAnswered::Ambiguous(2)));
    assert!(d.answer("abd", yes(), 1).is_ok());
}

#[test]
fn what_cannot_be_taken_is_refused() {
    let limits = Limits { waiting: 3, bytes: 10, per_agent: 6, ..Limits::default() };
    let mut d = Desk::new(limits);
    let big = |n| Draft { body: Arc::from("x".repeat(11)), ..draft(n, 1) };
    for (draft, want) in [
        (Draft { id: "x".into(), ..draft(0, 1) }, Err(NotTaken::BadId)),
        (Draft { id: id(1).to_uppercase().replace('0', "A"), ..draft(0, 1) }, Err(NotTaken::BadId)),
        (Draft { timeout_ms: 0, ..draft(1, 1) }, Err(NotTaken::NoTime)),
        (big(1), Err(NotTaken::Full)),
        (draft(1, 1), Ok(Asked::Waits(100))),
        (draft(1, 1), Err(NotTaken::Duplicate)),
        (draft(2, 1), Ok(Asked::Waits(100))),
        (draft(3, 1), Ok(Asked::Waits(100))),
        (draft(4, 1), Err(NotTaken::Full)),
        (draft(5, 1), Err(NotTaken::Full)),
        (draft(6, 1), Err(NotTaken::RateLimited)),
        (Draft { agent: "other".into(), ..draft(6, 1) }, Err(NotTaken::Full)),
    ] {
        let shown = format!("{draft:?}");
        assert_eq!(d.ask(draft, None, 0), want, "{shown}");
    }
    // An id is taken once, also when its question is closed.
    d.answer(&id(1), yes(), 1).unwrap();
    assert_eq!(d.ask(Draft { agent: "b".into(), ..draft(1, 1) }, None, 1), Err(NotTaken::Duplicate));
    assert!(d.ask(Draft { agent: "b".into(), ..draft(7, 1) }, None, 1).is_ok());
}

#[test]
fn nobody_else_fills_the_desk() {
    let limits = Limits { waiting: 40, bytes: 80, owner: Some(1), per_agent: 1_000, ..Limits::default() };
    let mut n = 0;
    let mut ask = |d: &mut Desk, uid: u32, size: usize| {
        n += 1;
        let asker = Asker { uid, ..draft(0, 1).asker };
        d.ask(Draft { asker, body: Arc::from("x".repeat(size)), ..draft(n, 1) }, None, 0).is_ok().then_some(n)
    };
    let mut all = |d: &mut Desk, uid, size| std::iter::from_fn(|| ask(d, uid, size)).collect::<Vec<_>>();
    // By number, and by size.
    for (size, want) in [(1, [20, 10, 5, 5]), (4, [10, 5, 2, 3])] {
        let mut d = Desk::new(limits);
        let first = all(&mut d, 2, size);
        let rest = [3, 4, 1].map(|uid| all(&mut d, uid, size).len());
        assert_eq!([&[first.len()], &rest[..]].concat(), want, "{size}");
        // What was taken back is there again, and of it a half.
        for n in first {
            assert!(d.gone(&id(n), 1));
        }
        assert_eq!(all(&mut d, 2, size).len(), want[0] / 2, "{size}");
    }
    // Whose desk it is has all of it.
    let mut d = Desk::new(limits);
    assert_eq!(all(&mut d, 1, 1).len(), 40);
    assert_eq!(all(&mut d, 2, 1).len(), 0);
    for n in 0..10_000 {
        d.gone(&id(n), 1);
    }
    assert!(d.held.is_empty() && d.bytes == 0);
}

#[test]
fn an_asker_that_goes_leaves_only_what_it_meant_to() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.ask(draft(2, 2), None, 0).unwrap();
    assert!(d.detach(&id(2), 1));
    assert!(d.gone(&id(1), 2) && !d.gone(&id(2), 2));
    assert_eq!(d.waiting().map(|q| q.draft.id.clone()).collect::<Vec<_>>(), [id(2)]);
    assert_eq!(d.tick(100), None);
    assert_eq!(d.answer(&id(2), yes(), 100), Err(NotAnswered::Expired));
    assert_eq!(d.grants().count(), 0);
}

#[test]
fn a_late_yes_is_good_once_and_for_the_same_question() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.detach(&id(1), 10);
    d.answer(&id(1), yes(), 50).unwrap();
    assert_eq!(d.ask(draft(2, 9), None, 60), Ok(Asked::Waits(160)), "another question");
    assert!(matches!(d.ask(draft(3, 1), None, 60), Ok(Asked::Answered(a, 160)) if a.by == "ticket"));
    assert_eq!(d.ask(draft(4, 1), None, 60), Ok(Asked::Waits(160)), "it is used up");
    assert_eq!(d.answer(&id(3), yes(), 60), Err(NotAnswered::AlreadyAnswered));
    // In its time only.
    d.ask(draft(5, 5), None, 100).unwrap();
    d.detach(&id(5), 100);
    d.answer(&id(5), yes(), 150).unwrap();
    assert_eq!(d.ask(draft(6, 5), None, 1_150), Ok(Asked::Waits(1_250)));
}

#[test]
fn only_a_late_yes_once_leaves_something() {
    for (detached, choice, left) in [
        (true, Choice::AllowOnce, 1),
        (true, Choice::Deny, 0),
        (true, Choice::AllowAlways(Scope::Program), 0),
        (false, Choice::AllowOnce, 0),
    ] {
        let mut d = desk();
        d.ask(draft(1, 1), None, 0).unwrap();
        if detached {
            d.detach(&id(1), 0);
        }
        d.answer(&id(1), said(choice), 1).unwrap();
        assert_eq!(d.grants().count(), left, "{detached} {choice:?}");
    }
}

#[test]
fn an_answer_to_what_was_left_behind_goes_to_the_one_that_came_back() {
    for choice in [Choice::AllowOnce, Choice::Deny] {
        let mut d = desk();
        d.ask(draft(1, 1), None, 0).unwrap();
        d.detach(&id(1), 0);
        d.ask(draft(2, 1), None, 1).unwrap();
        d.ask(draft(3, 1), None, 1).unwrap();
        d.answer(&id(1), said(choice), 2).unwrap();
        assert_eq!(d.find(&id(2)).unwrap().outcome, Some(Outcome::Answered(said(choice))));
        assert!(d.find(&id(3)).unwrap().waits(), "one yes is one");
        assert_eq!(d.grants().count(), 0);
    }
}

#[test]
fn a_hooks_yes_covers_the_same_text_once() {
    let mut d = desk();
    let text = |n| Draft { hook: Some("7".into()), ..draft(n, 1) };
    d.hook_yes("7".into(), 0);
    assert!(matches!(d.ask(text(1), None, 59_999), Ok(Asked::Answered(a, _)) if a.by == "hook"));
    assert!(matches!(d.ask(text(2), None, 59_999), Ok(Asked::Waits(_))));
    d.hook_yes("7".into(), 60_000);
    assert!(matches!(d.ask(text(3), None, 120_000), Ok(Asked::Waits(_))), "its minute is over");
}

#[test]
fn an_override_answers_at_once_and_its_no_uses_nothing_up() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.detach(&id(1), 0);
    d.answer(&id(1), yes(), 1).unwrap();
    let no = Answer { choice: Choice::Deny, reason: None, by: "session override".into() };
    assert_eq!(d.ask(draft(2, 1), Some(no.clone()), 2), Ok(Asked::Answered(no, 102)));
    assert_eq!(d.grants().count(), 1);
}

#[test]
fn an_answer_that_takes_time_comes_in_time_or_not_at_all() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.ask(draft(2, 2), None, 0).unwrap();
    assert!(d.claim(&id(1), 1).is_ok());
    assert_eq!(d.claim(&id(1), 1), Err(NotAnswered::AlreadyAnswered));
    assert!(d.settle(&id(1), yes(), 99).is_ok());
    d.claim(&id(2), 1).unwrap();
    assert_eq!(d.settle(&id(2), yes(), 100), Err(NotAnswered::Expired));
}

#[test]
fn a_reservation_can_be_given_up() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.claim(&id(1), 1).unwrap();
    d.unclaim(&id(1));
    assert!(d.answer(&id(1), yes(), 2).is_ok());
}

#[test]
fn what_is_remembered_has_an_end() {
    let mut d = Desk::new(Limits { remembered: 10, per_agent: 1_000, ..Limits::default() });
    for n in 0..100 {
        d.ask(draft(n, 1), None, 0).unwrap();
        d.answer(&id(n), yes(), 0).unwrap();
    }
    assert_eq!((d.remembered(), d.questions.len(), d.bytes), (10, 10, 0));
    assert_eq!(d.answer(&id(0), yes(), 0), Err(NotAnswered::Unknown));
    assert_eq!(d.answer(&id(99), yes(), 0), Err(NotAnswered::AlreadyAnswered));
}

#[test]
fn what_was_left_behind_outlives_a_restart() {
    let mut d = desk();
    assert_eq!(d.restore(draft(1, 1), 5, 200, 50), Ok(()));
    assert_eq!(d.restore(draft(1, 1), 5, 200, 50), Err(NotTaken::Duplicate));
    assert_eq!(d.restore(draft(2, 1), 5, 50, 50), Err(NotTaken::NoTime));
    // A file that was tampered with, or a clock that was wrong, lets nothing stay for ever.
    d.restore(draft(3, 3), u64::MAX, u64::MAX, 50).unwrap();
    assert_eq!(d.find(&id(3)).unwrap().expires_ms, 50 + Limits::default().longest_ms);
    assert!(!d.gone(&id(1), 60));
    d.answer(&id(1), yes(), 60).unwrap();
    assert!(matches!(d.ask(draft(4, 1), None, 60), Ok(Asked::Answered(..))));
}

#[test]
fn an_asker_comes_back_to_what_it_left() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    assert_eq!(d.ask(draft(1, 1), None, 1), Err(NotTaken::Duplicate), "it is here");
    d.detach(&id(1), 2);
    assert_eq!(d.ask(draft(1, 2), None, 3), Err(NotTaken::Duplicate), "another question under its id");
    assert_eq!(d.ask(Draft { timeout_ms: 500, ..draft(1, 1) }, None, 3), Ok(Asked::Waits(100)));
    assert!(!d.find(&id(1)).unwrap().detached);
    d.detach(&id(1), 4);
    d.answer(&id(1), yes(), 5).unwrap();
    // The yes waits for it, once.
    assert!(matches!(d.ask(draft(1, 1), None, 6), Ok(Asked::Answered(..))));
    assert_eq!(d.ask(draft(1, 1), None, 7), Err(NotTaken::Duplicate));
}

#[test]
fn changes_tell_the_story_in_order() {
    let mut d = desk();
    d.ask(draft(1, 1), None, 0).unwrap();
    d.detach(&id(1), 1);
    d.answer(&id(1), yes(), 2).unwrap();
    let changes = d.changes();
    assert!(matches!(&changes[..], [Change::Requested(a), Change::Detached(b), Change::Resolved(c)]
            if a.waits() && *b == id(1) && c.outcome == Some(Outcome::Answered(yes())) && &*c.draft.body == "{}"));
    assert!(d.changes().is_empty());
}

/// What may happen on a desk.
#[derive(Clone, Debug)]
enum Act {
    Ask(u64, u8),
    Answer(u64, bool),
    Claim(u64),
    Settle(u64, bool),
    Detach(u64),
    Gone(u64),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let n = 0u64..12;
    prop_oneof![
        4 => (n.clone(), 0u8..3).prop_map(|(n, k)| Act::Ask(n, k)),
        3 => (n.clone(), any::<bool>()).prop_map(|(n, y)| Act::Answer(n, y)),
        1 => n.clone().prop_map(Act::Claim),
        1 => (n.clone(), any::<bool>()).prop_map(|(n, y)| Act::Settle(n, y)),
        2 => n.clone().prop_map(Act::Detach),
        2 => n.prop_map(Act::Gone),
        2 => (0u64..80).prop_map(Act::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Whatever happens in whatever order: a question ends at most once, no yes reaches an asker without a person's
    /// yes to the same question, one yes serves one asker, and none comes after its time.
    #[test]
    fn whatever_happens(acts in proptest::collection::vec(act(), 0..120)) {
        let mut d = desk();
        let mut now = 0u64;
        // What people said yes to, and what askers got, by what they asked.
        let mut said_yes = [0usize; 3];
        let mut got_yes = [0usize; 3];
        let mut ended = std::collections::BTreeMap::<String, usize>::new();
        let mut asked = std::collections::BTreeMap::<String, usize>::new();
        for act in acts {
            let answer = |y: bool| said(if y { Choice::AllowOnce } else { Choice::Deny });
            match act {
                Act::Ask(n, k) => {
                    if let Ok(Asked::Answered(a, until)) = d.ask(draft(n, k), None, now) {
                        prop_assert!(now < until);
                        got_yes[usize::from(k)] += usize::from(is_yes(a.choice));
                    }
                }
                Act::Answer(n, y) => {
                    if let Ok(q) = d.answer(&id(n), answer(y), now) {
                        prop_assert!(now < q.expires_ms);
                        said_yes[key(&q)] += usize::from(y);
                    }
                }
                Act::Claim(n) => {
                    let _ = d.claim(&id(n), now);
                }
                Act::Settle(n, y) => {
                    if let Ok(q) = d.settle(&id(n), answer(y), now) {
                        prop_assert!(now < q.expires_ms);
                        said_yes[key(&q)] += usize::from(y);
                    }
                }
                Act::Detach(n) => {
                    d.detach(&id(n), now);
                }
                Act::Gone(n) => {
                    d.gone(&id(n), now);
                }
                Act::Pass(ms) => {
                    now += ms;
                    d.tick(now);
                }
            }
            for change in d.changes() {
                match change {
                    Change::Requested(q) => *asked.entry(q.draft.id.clone()).or_default() += 1,
                    Change::Resolved(q) => {
                        let n = ended.entry(q.draft.id.clone()).or_default();
                        *n += 1;
                        prop_assert!(*n <= *asked.get(&q.draft.id).unwrap_or(&0), "ended more often than asked");
                        if let Some(Outcome::Answered(a)) = &q.outcome {
                            prop_assert!(now < q.expires_ms, "an answer after its time");
                            // A yes that nobody waited for is a ticket, not yet somebody's; one from a ticket was
                            // counted where it was handed out.
                            if is_yes(a.choice) && !q.detached && a.by == "test" {
                                got_yes[key(&q)] += 1;
                            }
                        }
                    }
                    Change::Detached(_) | Change::Attached(_) | Change::Ended(_) => {}
                }
            }
            for (got, said) in got_yes.iter().zip(said_yes) {
                prop_assert!(*got <= said, "a yes that nobody gave");
            }
            let waits = d.questions.values().filter(|q| q.waits()).count();
            prop_assert_eq!(waits, d.ends.len());
            prop_assert_eq!(d.questions.len(), d.ends.len() + d.closed.len());
        }
    }
}
