use super::*;
use crate::peer::{Operator, Work};
use crate::testing::{Stage, question, run};
use protocol::Token;
use protocol::ask::WireQuestion;
use protocol::frame::MAX_LINE;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

/// An approver that listens.
struct Desk {
    stage: Stage,
    handle: Handle,
    socket: std::path::PathBuf,
}

impl Desk {
    fn new() -> Desk {
        Desk::with_room(SILENT.1 + 100)
    }

    /// One that holds so many connections.
    fn with_room(most: usize) -> Desk {
        let stage = Stage::new();
        let handle = stage.handle();
        let socket = stage.state().join("s.sock");
        let listener = sys::socket::bind(&socket, sys::socket::Audience::Own).unwrap();
        let listener = UnixListener::from_std(listener).unwrap();
        tokio::spawn(serve(listener, handle.clone(), most));
        let time = handle.clone();
        tokio::spawn(async move { time.keep_time().await });
        Desk { stage, handle, socket }
    }

    async fn connect(&self) -> UnixStream {
        UnixStream::connect(&self.socket).await.unwrap()
    }

    /// The kind of the first message that a new connection hears.
    async fn connect_and_hear(&self) -> String {
        let line = Line::new(self.connect().await).read(None).await.unwrap();
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        value["type"].as_str().unwrap().to_owned()
    }

    /// A guard that has its challenge.
    async fn guard(&self) -> Guard {
        let mut line = Line::new(self.connect().await);
        let challenge = match FromApprover::parse(&line.read(None).await.unwrap()) {
            Ok(FromApprover::Challenge(c)) => c,
            other => panic!("no challenge: {other:?}"),
        };
        Guard { line, challenge }
    }

    /// A guard whose question waits.
    async fn asking(&self, n: u32, argv: &[&str]) -> Guard {
        let mut guard = self.guard().await;
        guard.ask(n, &question(argv)).await;
        assert!(matches!(guard.hear().await, FromApprover::Accepted { .. }));
        guard
    }

    async fn answer(&self, n: u32, choice: Choice) {
        self.handle
            .answer(&id(n), choice, Some("because".into()), &Operator::panel(Work::default()))
            .await
            .unwrap();
    }

    fn waiting(&self) -> u64 {
        self.handle.status().waiting
    }

    /// Waits until so many wait.
    async fn until(&self, waiting: u64) {
        let since = std::time::Instant::now();
        while self.waiting() != waiting {
            assert!(since.elapsed().as_secs() < 60, "{} wait, not {waiting}", self.waiting());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

fn id(n: u32) -> String {
    format!("{n:08x}-0000-4000-8000-000000000000")
}

fn token() -> Token {
    Token::new("t").unwrap()
}

/// The guard's end of a conversation.
struct Guard {
    line: Line,
    challenge: Challenge,
}

impl Guard {
    fn signed(&self, n: u32, text: &str) -> Signed {
        Signed::new(&token(), Kind::Request, &self.challenge, &id(n), text.to_owned())
    }

    async fn ask(&mut self, n: u32, q: &WireQuestion) {
        let signed = self.signed(n, &q.to_text());
        self.say(FromGuard::Request(signed)).await;
    }

    async fn say(&mut self, message: FromGuard) {
        self.line.send(&message.to_json()).await.unwrap();
    }

    async fn hear(&mut self) -> FromApprover {
        FromApprover::parse(&self.line.read(None).await.unwrap()).unwrap()
    }

    async fn error(&mut self) -> Code {
        match self.hear().await {
            FromApprover::Error { code, .. } => {
                assert_eq!(self.line.read(None).await, Err(End::Gone), "nothing follows");
                code
            }
            other => panic!("no error: {other:?}"),
        }
    }

    async fn decision(&mut self) -> Decision {
        match self.hear().await {
            FromApprover::Decision(d) => {
                assert!(mac::is_decision(&token(), &self.challenge.nonce, &d));
                d
            }
            other => panic!("no decision: {other:?}"),
        }
    }
}

#[test]
fn an_answer_is_bound_to_its_question_and_conversation() {
    run(async {
        let desk = Desk::new();
        for (n, choice) in [(1, Choice::AllowOnce), (2, Choice::Deny)] {
            let mut guard = desk.asking(n, &["tool"]).await;
            desk.answer(n, choice).await;
            let d = guard.decision().await;
            assert_eq!(
                (d.choice, d.reason.as_deref(), d.by.as_deref()),
                (choice, Some("because"), Some("panel"))
            );
            assert_eq!(d.request_sha256, mac::sha256(question(&["tool"]).to_text().as_bytes()));
            assert!(d.expires_at_ms > sys::time::now_ms());
            assert_eq!(guard.line.read(None).await, Err(End::Gone));
        }
    });
}

#[test]
fn what_is_not_proved_fresh_and_understood_is_refused() {
    run(async {
        let desk = Desk::new();
        let text = question(&["tool"]).to_text();
        let mut earlier = desk.guard().await;
        let replayed = FromGuard::Request(earlier.signed(1, &text));
        earlier.say(replayed.clone()).await;
        assert!(matches!(earlier.hear().await, FromApprover::Accepted { .. }));
        let guard = desk.guard().await;
        let good = guard.signed(2, &text);
        let other = Token::new("other").unwrap();
        let forged = Signed::new(&other, Kind::Request, &guard.challenge, &id(2), text.clone());
        let grant = Signed::new(&token(), Kind::Grant, &guard.challenge, &id(2), text.clone());
        let changed = Signed { text: text.replace("tool", "rm"), ..good.clone() };
        let renamed = Signed { id: id(3), ..good.clone() };
        for (message, want) in [
            (replayed.to_json(), Code::Mac),
            (FromGuard::Request(forged).to_json(), Code::Mac),
            (FromGuard::Request(grant.clone()).to_json(), Code::Mac),
            (FromGuard::Request(changed).to_json(), Code::Mac),
            (FromGuard::Request(renamed).to_json(), Code::Mac),
            (FromGuard::Grant(grant).to_json(), Code::NotOffered),
            (FromGuard::Detach { id: id(1) }.to_json(), Code::Unknown),
            (json!({"type": "request"}), Code::Malformed),
            (json!({"type": "decision", "id": "x"}), Code::Malformed),
            (json!([1]), Code::Malformed),
        ] {
            let mut guard = desk.guard().await;
            guard.line.send(&message).await.unwrap();
            assert_eq!(guard.error().await, want, "{message}");
        }
        // Proved, and still no question.
        for text in ["", "{}", "nonsense", "[]"] {
            let mut guard = desk.guard().await;
            let signed = guard.signed(9, text);
            guard.say(FromGuard::Request(signed)).await;
            assert_eq!(guard.error().await, Code::Malformed, "{text}");
        }
        let mut guard = desk.guard().await;
        let signed = Signed { id: "no-uuid".into(), ..guard.signed(9, &text) };
        let signed = Signed::new(&token(), Kind::Request, &guard.challenge, "no-uuid", signed.text);
        guard.say(FromGuard::Request(signed)).await;
        assert_eq!(guard.error().await, Code::Malformed);
        assert_eq!(desk.waiting(), 1);
    });
}

#[test]
fn a_guard_that_goes_takes_its_question_along_unless_it_says_otherwise() {
    run(async {
        let desk = Desk::new();
        let gone = desk.asking(1, &["a"]).await;
        let mut half = desk.asking(2, &["b"]).await;
        let mut left = desk.asking(3, &["c"]).await;
        drop(gone);
        half.line.half_close().await;
        left.say(FromGuard::Detach { id: id(3) }).await;
        assert!(matches!(left.hear().await, FromApprover::Noted { .. }));
        drop(left);
        desk.until(1).await;
        assert_eq!(half.line.read(None).await, Err(End::Gone));
        desk.answer(3, Choice::AllowOnce).await;
        let mut again = desk.asking(4, &["c"]).await;
        assert_eq!(again.decision().await.by.as_deref(), Some("ticket"));
        let mut more = desk.asking(5, &["c"]).await;
        desk.answer(5, Choice::Deny).await;
        assert_eq!(more.decision().await.choice, Choice::Deny);
    });
}

#[test]
fn a_guard_that_does_not_wait_leaves_its_question_by_going() {
    run(async {
        let desk = Desk::new();
        let mut q = question(&["tool"]);
        q.detached = true;
        let mut guard = desk.guard().await;
        guard.ask(1, &q).await;
        assert!(matches!(guard.hear().await, FromApprover::Accepted { .. }));
        drop(guard);
        let since = std::time::Instant::now();
        while !desk.handle.list(false, None, 9).0.iter().any(|r| r.detached) {
            assert!(since.elapsed().as_secs() < 60, "it is left behind");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // And comes back to it.
        let mut guard = desk.guard().await;
        guard.ask(1, &q).await;
        assert!(matches!(guard.hear().await, FromApprover::Accepted { .. }));
        desk.answer(1, Choice::AllowOnce).await;
        assert!(is_yes(guard.decision().await.choice));
    });
}

#[test]
fn nonsense_while_it_waits_ends_the_question() {
    run(async {
        let desk = Desk::new();
        let second = desk.guard().await.signed(8, &question(&["x"]).to_text());
        for (n, (say, want)) in [
            (b"nonsense\n".to_vec(), Some(Code::Malformed)),
            (b"\xff\xfe\n".to_vec(), Some(Code::Malformed)),
            (format!("{}\n", FromGuard::Detach { id: id(77) }.to_json()).into_bytes(), Some(Code::Malformed)),
            (format!("{}\n", FromGuard::Request(second).to_json()).into_bytes(), Some(Code::Replayed)),
            (vec![b'x'; SHORT + 1], None),
        ]
        .into_iter()
        .enumerate()
        {
            let n = u32::try_from(n).unwrap();
            let mut guard = desk.asking(n, &["tool"]).await;
            guard.line.raw(&say).await;
            match want {
                Some(code) => assert_eq!(guard.error().await, code),
                None => assert_eq!(guard.line.read(None).await, Err(End::Gone)),
            }
            desk.until(0).await;
        }
    });
}

#[test]
fn a_question_longer_than_a_line_is_refused_and_a_slow_one_is_not() {
    run(async {
        let desk = Desk::new();
        let mut guard = desk.guard().await;
        guard.line.raw(&vec![b'x'; 2 * MAX_LINE]).await;
        assert_eq!(guard.error().await, Code::TooLong);
        let mut guard = desk.guard().await;
        let text = FromGuard::Request(guard.signed(1, &question(&["tool"]).to_text())).to_json().to_string();
        for byte in text.as_bytes().chunks(1) {
            guard.line.raw(byte).await;
        }
        guard.line.raw(b"\n").await;
        assert!(matches!(guard.hear().await, FromApprover::Accepted { .. }));
    });
}

#[test]
fn one_that_says_nothing_or_too_little_is_not_waited_for() {
    // The clock of the runtime runs by itself where nothing else happens.
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let desk = Desk::new();
        let begun = Instant::now();
        let mut silent = desk.guard().await;
        let mut slow = desk.guard().await;
        slow.line.raw(b"{\"type\":").await;
        assert_eq!((silent.error().await, slow.error().await), (Code::Stale, Code::Stale));
        assert!(begun.elapsed() >= FIRST_LINE && begun.elapsed() < 2 * FIRST_LINE);
        assert_eq!(desk.waiting(), 0);
    });
}

#[test]
fn thousands_of_idle_ones_keep_nobody_out() {
    run(async {
        let desk = Desk::new();
        let mut idle = Vec::new();
        for _ in 0..SILENT.0 + 10 {
            idle.push(desk.connect().await);
        }
        let mut guard = desk.asking(1, &["tool"]).await;
        desk.answer(1, Choice::AllowOnce).await;
        assert!(is_yes(guard.decision().await.choice));
        // The oldest had to make room, the youngest is still heard.
        let mut rest = Vec::new();
        idle[0].read_to_end(&mut rest).await.unwrap();
        let mut last = Line::new(idle.pop().unwrap());
        last.raw(b"x\n").await;
        assert!(matches!(
            FromApprover::parse(&last.read(None).await.unwrap()),
            Ok(FromApprover::Challenge(_))
        ));
        assert!(last.read(None).await.is_ok());
    });
}

#[test]
fn one_too_many_is_told_so() {
    run(async {
        let desk = Desk::with_room(2);
        let first = desk.asking(1, &["tool"]).await;
        let _second = desk.asking(2, &["tool"]).await;
        let mut third = Line::new(desk.connect().await);
        let heard = FromApprover::parse(&third.read(None).await.unwrap()).unwrap();
        assert_eq!(heard, FromApprover::Error { id: None, code: Code::Full });
        assert_eq!(third.read(None).await, Err(End::Gone));
        drop(first);
        desk.until(1).await;
        let since = std::time::Instant::now();
        // Its place is free a moment after its question is.
        while desk.connect_and_hear().await != "challenge" {
            assert!(since.elapsed().as_secs() < 60);
        }
    });
}

#[test]
fn a_crowd_that_has_only_just_come_is_not_thrown_out() {
    run(async {
        let desk = Desk::new();
        let mut guards = Vec::new();
        for _ in 0..SILENT.0 / 2 {
            guards.push(desk.guard().await);
        }
        for (n, guard) in guards.iter_mut().enumerate() {
            // Two agents, since one may ask only so often.
            let mut q = question(&["tool"]);
            q.agent = format!("agent{}", n % 2);
            guard.ask(u32::try_from(n).unwrap(), &q).await;
            assert!(matches!(guard.hear().await, FromApprover::Accepted { .. }));
        }
        assert_eq!(desk.waiting(), (SILENT.0 / 2) as u64);
    });
}

#[test]
fn what_is_said_before_it_is_proved_takes_no_more_than_its_budget() {
    run(async {
        let budget = Budget::of(10);
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut a, mut b) = (Line::new(ours), Line::new(theirs));
        a.share(Some(budget.clone()));
        b.raw(b"123456").await;
        assert!(a.speaks_first(Duration::from_secs(30)).await);
        b.raw(b"789ab").await;
        assert_eq!(a.read(None).await, Err(End::TooLong));
        drop(a);
        assert!(budget.take(10), "it is given back");
    });
}

#[test]
fn two_hundred_at_once_are_all_answered() {
    run(async {
        let desk = Desk::new();
        let mut events = desk.handle.watch();
        let handle = desk.handle.clone();
        let person = tokio::spawn(async move {
            let who = Operator::panel(Work::default());
            while let Ok(event) = events.recv().await {
                if event.kind == protocol::operator::EventKind::Requested {
                    let id = event.id.clone().unwrap();
                    handle.answer(&id, Choice::AllowOnce, None, &who).await.unwrap();
                }
            }
        });
        let guards = (0..200).map(|n| desk.asking(n, &["tool"]));
        let mut guards: Vec<Guard> = futures(guards).await;
        for guard in &mut guards {
            assert!(is_yes(guard.decision().await.choice));
        }
        assert_eq!((desk.waiting(), desk.handle.status().over), (0, 200));
        person.abort();
    });
}

/// All of them at once.
async fn futures<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// A question about a text, as a hook asks it.
fn text_question(text: &str) -> WireQuestion {
    let mut q = question(&["sh", "-c", text]);
    q.is_text = true;
    q.text = Some(text.as_bytes().to_vec());
    q
}

fn grant(text: &str) -> Grant {
    Grant { agent: "main".into(), text: text.as_bytes().to_vec(), cwd: Some(b"/w".to_vec()) }
}

#[test]
fn a_hook_leaves_its_yes_to_the_guard_that_follows_once() {
    run(async {
        let desk = Desk::new();
        let leave = |guard: &Guard, n: u32, text: &str| {
            let signed = Signed::new(&token(), Kind::Grant, &guard.challenge, &id(n), grant(text).to_text());
            FromGuard::Grant(signed)
        };
        let mut hook = desk.guard().await;
        hook.ask(1, &text_question("make x")).await;
        hook.hear().await;
        desk.answer(1, Choice::AllowOnce).await;
        assert!(is_yes(hook.decision().await.choice));
        let left = leave(&hook, 1, "make x");
        hook.say(left).await;
        assert!(matches!(hook.hear().await, FromApprover::Accepted { .. }));
        let mut guard = desk.guard().await;
        guard.ask(2, &text_question("make x")).await;
        guard.hear().await;
        assert_eq!(guard.decision().await.by.as_deref(), Some("hook"));
        let mut second = desk.guard().await;
        second.ask(3, &text_question("make x")).await;
        second.hear().await;
        desk.until(1).await;
        // For another text, after a no, or without having asked: nothing is left.
        desk.answer(3, Choice::AllowOnce).await;
        assert!(is_yes(second.decision().await.choice));
        let other = leave(&second, 3, "make y");
        second.say(other).await;
        assert_eq!(second.error().await, Code::NotOffered);
        let mut denied = desk.guard().await;
        denied.ask(4, &text_question("make x")).await;
        denied.hear().await;
        desk.answer(4, Choice::Deny).await;
        denied.decision().await;
        assert_eq!(denied.line.read(None).await, Err(End::Gone));
        let mut nobody = desk.guard().await;
        let unasked = leave(&nobody, 5, "make x");
        nobody.say(unasked).await;
        assert_eq!(nobody.error().await, Code::NotOffered);
    });
}

fn plain(token: &str, n: u32) -> serde_json::Value {
    json!({"type": "request", "token": token, "id": id(n).to_uppercase(), "request": {"command": "ls -la\u{1b}[2J"}})
}

#[test]
fn the_plain_dialect_is_off_until_the_document_says_so() {
    run(async {
        let desk = Desk::new();
        let mut app = desk.guard().await;
        app.line.send(&plain("t", 1)).await.unwrap();
        assert_eq!(app.error().await, Code::Malformed);
        desk.stage.put(r#"{"version":1,"socket":{"token":"t","dialect":"openclaw"},"agents":{"main":{}}}"#);
        desk.handle.rules().changed();
        for (n, choice) in [(1, Choice::AllowOnce), (2, Choice::Deny)] {
            let mut app = Line::new(desk.connect().await);
            app.send(&plain("t", n)).await.unwrap();
            desk.until(1).await;
            let row = desk.handle.list(false, None, 1).0.remove(0);
            assert_eq!((row.command.as_str(), row.scopes.len()), ("ls -la\\x1b[2J", 0));
            let always = Choice::AllowAlways(policy::Scope::Program);
            let no = desk
                .handle
                .answer(&id(n), always, None, &Operator::panel(Work::default()))
                .await
                .unwrap_err();
            assert_eq!(no.code, Code::NotOffered);
            desk.answer(n, choice).await;
            let line = app.read(None).await.unwrap();
            let d = openclaw::Decision::parse(&line).unwrap();
            assert_eq!((d.id, d.yes), (id(n).to_uppercase(), is_yes(choice)));
        }
        // A wrong token is told nothing.
        let mut app = Line::new(desk.connect().await);
        app.send(&plain("other", 3)).await.unwrap();
        assert_eq!(app.read(None).await, Err(End::Gone));
        // A guard that waits for its challenge still gets it.
        let mut guard = desk.asking(4, &["tool"]).await;
        desk.answer(4, Choice::AllowOnce).await;
        assert!(is_yes(guard.decision().await.choice));
    });
}

#[test]
fn whoever_waits_is_told_that_the_approver_stops() {
    run(async {
        let desk = Desk::new();
        let mut guard = desk.asking(1, &["tool"]).await;
        let mut late = desk.guard().await;
        desk.handle.stop();
        desk.handle.goodbye(Duration::from_secs(30)).await;
        assert_eq!(guard.error().await, Code::Stopping);
        late.ask(2, &question(&["tool"])).await;
        assert_eq!(late.error().await, Code::Stopping);
    });
}

#[test]
fn one_whose_policy_cannot_be_read_takes_no_questions() {
    run(async {
        let desk = Desk::new();
        desk.stage.put("{");
        desk.handle.rules().changed();
        let mut line = Line::new(desk.connect().await);
        let heard = FromApprover::parse(&line.read(None).await.unwrap()).unwrap();
        assert_eq!(heard, FromApprover::Error { id: None, code: Code::Internal });
    });
}
