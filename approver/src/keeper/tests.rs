use super::*;
use crate::desk::{Answer, Asked, Choice, Draft, Limits};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn draft(n: u8, key: &str, now: u64) -> (Draft, u64) {
    let draft = Draft {
        id: format!("{n:08x}-0000-4000-8000-000000000000"),
        key: key.into(),
        hook: None,
        agent: "main".into(),
        session: None,
        asker: Asker { uid: sys::ids::uid(), pid: Some(1), session: Some(5), root: Some((7, 9)) },
        face: Default::default(),
        body: "{\"a\":1}".into(),
        timeout_ms: 60_000,
        ticket_ttl_ms: 60_000,
    };
    (draft, now)
}

/// A desk with a late yes for `key`, and an override.
fn desk(clock: &Clock, key: &str) -> Desk {
    let mut d = Desk::new(Limits::default());
    let (q, now) = draft(1, key, clock.now());
    let id = q.id.clone();
    d.ask(q, None, now).unwrap();
    d.detach(&id, now);
    d.answer(&id, Answer { choice: Choice::AllowOnce, reason: None, by: "t".into() }, now).unwrap();
    let o = Override {
        agent: "a".into(),
        session: Some("s".into()),
        security: security("full"),
        ask: None,
        until_ms: now + 60_000,
        by: "t".into(),
    };
    assert!(d.overrides_mut(now).set(o, now));
    d
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_was_saved_comes_back_once() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::start();
    let keeper = Keeper::open(dir.path()).unwrap();
    let before = desk(&clock, "k");
    keeper.save(&before, &clock).unwrap();
    assert_eq!((mode(&keeper.kept()), mode(&dir.path().join("approver"))), (0o600, 0o700));
    let mut after = Desk::new(Limits::default());
    keeper.restore(&mut after, &clock);
    assert_eq!(after.grants().count(), 1);
    assert_eq!(after.overrides().all()[0].agent, "a");
    let (q, now) = draft(2, "k", clock.now());
    assert!(matches!(after.ask(q, None, now), Ok(Asked::Answered(..))));
    after.overrides_mut(now).clear("a", Some("s"));
    keeper.save(&after, &clock).unwrap();
    assert!(!keeper.kept().exists(), "nothing is left to keep");
    let mut third = Desk::new(Limits::default());
    keeper.restore(&mut third, &clock);
    assert_eq!(third.grants().count(), 0);
}

#[test]
fn nothing_is_believed_that_was_not_written_whole_in_this_boot() {
    let clock = Clock::start();
    let dir = tempfile::tempdir().unwrap();
    let keeper = Keeper::open(dir.path()).unwrap();
    keeper.save(&desk(&clock, "k"), &clock).unwrap();
    let good = fs::read_to_string(keeper.kept()).unwrap();
    let mut bad: Vec<String> = (0..good.len()).step_by(7).map(|n| good[..n].to_owned()).collect();
    bad.push(good.replace("\"v\":1", "\"v\":2"));
    bad.push(good.replace("\"boot\":\"", "\"boot\":\"x"));
    bad.push(good.replace("\"ticket\"", "\"cheque\"").replace("\"full\"", "\"fuller\""));
    bad.push("[".repeat(100_000));
    bad.push("null".into());
    for text in bad {
        fs::write(keeper.kept(), &text).unwrap();
        let mut d = Desk::new(Limits::default());
        keeper.restore(&mut d, &clock);
        assert_eq!((d.grants().count(), d.overrides().all().len()), (0, 0), "{text}");
    }
    // Somebody else could have written it.
    fs::write(keeper.kept(), &good).unwrap();
    fs::set_permissions(keeper.kept(), PermissionsExt::from_mode(0o666)).unwrap();
    let mut d = Desk::new(Limits::default());
    keeper.restore(&mut d, &clock);
    assert_eq!(d.grants().count(), 0);
}

/// Between two approvers of one boot the wall clock is set, and some time passes.
#[test]
fn a_wall_clock_that_is_set_brings_nothing_back() {
    use crate::clock::{DAY, Hands};
    for (jump, passes, left) in [
        (0, 30_000, 1),
        (0, 70_000, 0),
        // Its minute is not over, and it is not two.
        (-DAY, 30_000, 1),
        (-DAY, 70_000, 0),
        // Whoever goes by that clock thinks that it is over.
        (DAY, 30_000, 0),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper::open(dir.path()).unwrap();
        let hands = Hands::default();
        let before = hands.clock();
        keeper.save(&desk(&before, "k"), &before).unwrap();
        hands.turn(jump, passes);
        let clock = hands.clock();
        let mut after = Desk::new(Limits::default());
        keeper.restore(&mut after, &clock);
        let found = (after.grants().count(), after.overrides().all().len());
        assert_eq!(found, (left, left), "{jump} {passes}");
        for (_, _, until) in after.grants().all() {
            assert_eq!(until - clock.now(), 30_000);
        }
    }
}

#[test]
fn guards_are_told_of_overrides_as_long_as_there_are_any() {
    let clock = Clock::start();
    let dir = tempfile::tempdir().unwrap();
    let keeper = Keeper::open(dir.path()).unwrap();
    let mut d = desk(&clock, "k");
    let now = clock.now();
    let until_ms = now + 60_000;
    let deny = Override { session: None, security: security("deny"), ..d.overrides().all()[0].clone() };
    assert!(deny.only_tightens() && !d.overrides().all()[0].only_tightens());
    assert!(d.overrides_mut(now).set(deny, now));
    let published = || {
        keeper.publish(&d, &clock).unwrap();
        fs::read_to_string(dir.path().join("approver/overrides")).unwrap()
    };
    let until = clock.wall(until_ms);
    // The wall clock of two moments may be a millisecond apart.
    let text = published();
    let untils: Vec<u64> = text.lines().map(|l| l.split('\t').next().unwrap().parse().unwrap()).collect();
    assert!(untils.iter().all(|u| u.abs_diff(until) < 5_000), "{text}");
    let words: Vec<&str> = text.lines().map(|l| l.split_once('\t').unwrap().1).collect();
    assert_eq!(words, ["-\t-\ta\ts", "deny\t-\ta"]);
    assert_eq!(mode(&dir.path().join("approver/overrides")), 0o600);
    d.overrides_mut(now).clear("a", None);
    d.overrides_mut(now).clear("a", Some("s"));
    keeper.publish(&d, &clock).unwrap();
    assert!(!dir.path().join("approver/overrides").exists());
}

#[test]
fn what_only_tightens_outlives_the_machine_too() {
    let clock = Clock::start();
    let dir = tempfile::tempdir().unwrap();
    let keeper = Keeper::open(dir.path()).unwrap();
    let mut d = desk(&clock, "k");
    let now = clock.now();
    let deny = Override { session: None, security: security("deny"), ..d.overrides().all()[0].clone() };
    d.overrides_mut(now).set(deny, now);
    keeper.save(&d, &clock).unwrap();
    let good = fs::read_to_string(keeper.kept()).unwrap();
    fs::write(keeper.kept(), good.replace("\"boot\":\"", "\"boot\":\"x")).unwrap();
    let mut after = Desk::new(Limits::default());
    keeper.restore(&mut after, &clock);
    let all: Vec<_> = after.overrides().all().iter().map(|o| (o.security, o.session.clone())).collect();
    assert_eq!((all, after.grants().count()), (vec![(security("deny"), None)], 0));
}

#[test]
fn a_question_that_was_left_behind_is_kept_until_it_is_struck_out() {
    let dir = tempfile::tempdir().unwrap();
    let clock = Clock::start();
    let keeper = Keeper::open(dir.path()).unwrap();
    let mut d = Desk::new(Limits::default());
    let (draft, now) = draft(7, "k", clock.now());
    let id = draft.id.clone();
    d.ask(draft, None, now).unwrap();
    keeper.leave(d.find(&id).unwrap(), &clock).unwrap();
    fs::write(dir.path().join("approver/questions/torn.json"), "{\"v\":1,\"id\":").unwrap();
    fs::copy(keeper.question(&id), dir.path().join("approver/questions/other.json")).unwrap();
    let left = keeper.left();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].id.as_str(), left[0].request.as_str()), (id.as_str(), "{\"a\":1}"));
    assert!(left[0].expires_ms.abs_diff(clock.wall(now) + 60_000) < 5_000);
    assert_eq!(fs::read_dir(dir.path().join("approver/questions")).unwrap().count(), 1);
    // Who asked is still told from whoever answers; under another boot the numbers are others'.
    let whose = |keeper: &Keeper| keeper.left().pop().map(|l| (l.asker.pid, l.asker.session, l.asker.root));
    assert_eq!(whose(&keeper), Some((None, Some(5), Some((7, 9)))));
    let text = fs::read_to_string(keeper.question(&id)).unwrap();
    for (text, want) in [
        (text.replace("\"boot\":\"", "\"boot\":\"x"), (None, None, None)),
        (text.replace("\"boot\":", "\"boat\":"), (None, None, None)),
        (text.replace("[7,9]", "[7]"), (None, Some(5), None)),
        (text.replace("[7,9]", "[7,-9]"), (None, Some(5), None)),
        (text.replace("[7,9]", "null"), (None, Some(5), None)),
    ] {
        sys::edit::replace(&keeper.question(&id), text.as_bytes(), 0o600).unwrap();
        assert_eq!(whose(&keeper), Some(want), "{text}");
    }
    keeper.drop_question(&id);
    assert_eq!(keeper.left(), []);
}

#[test]
fn two_approvers_do_not_share_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let first = Keeper::open(dir.path()).unwrap();
    assert_eq!(Keeper::open(dir.path()).unwrap_err().kind(), io::ErrorKind::TimedOut);
    drop(first);
    assert!(Keeper::open(dir.path()).is_ok());
}
