//! The operator's socket: whoever answers questions, changes overrides and looks at runs.
//!
//! Who is at the other end is looked at when it connects, and again before each command that changes something: it has
//! to be the owner's or root's, alive, neither traced nor confined, and outside every agent's session.
use std::sync::Arc;
use std::time::Duration;

use protocol::code::Code;
use protocol::message::Challenge;
use protocol::operator::{Answer, Command, Envelope, Event, FromApprover, MAX_ROWS};
use sys::socket::Peer;
use tokio::net::UnixListener;
use tokio::sync::broadcast;
use tokio::time::Instant;

use crate::handle::{Handle, Refusal};
use crate::keeper::{ask, security};
use crate::line::{End, Line, challenge};
use crate::listen::asker;
use crate::listen::door::{Door, FIRST_LINE, Place, Room};
use crate::peer::{Operator, Work};

/// Operators: those of a session that have not said a thing yet, all of these, and altogether. One too many is nobody's
/// lock: somebody has to make room ([`Door`]), and whoever watches comes again.
const ROOM: Room = Room { session: 16, silent: 64, all: 256, yields: true };

/// How long one that does not watch may say nothing.
const QUIET: Duration = Duration::from_secs(600);

/// Takes connections until it is dropped.
pub async fn serve(listener: UnixListener, handle: Handle) {
    let door = Door::new(ROOM);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(peer) = sys::socket::peer(&stream) else { continue };
        let Some(place) = door.enter(&asker(&peer)) else { continue };
        let handle = handle.clone();
        door.begin(place, |place| {
            tokio::spawn(async move {
                // An error is a peer that went away: there is nobody left to tell.
                let _ = Talk { line: Line::new(stream), handle, peer, events: None }.begin(&place).await;
            })
            .abort_handle()
        });
    }
}

struct Talk {
    line: Line,
    handle: Handle,
    peer: Peer,
    events: Option<broadcast::Receiver<Arc<Event>>>,
}

type Over = Result<(), End>;

/// What comes next.
enum Next {
    Line(Vec<u8>),
    Event(Arc<Event>),
}

impl Talk {
    async fn begin(self, place: &Place) -> Over {
        let mut talk = self;
        if let Err(code) = talk.operator() {
            return talk.answer(0, Answer::Error { code, detail: None }).await;
        }
        let Ok(challenge) = challenge() else {
            return talk.answer(0, Answer::Error { code: Code::Internal, detail: None }).await;
        };
        talk.send(FromApprover::Challenge(challenge.clone())).await?;
        let first = Instant::now() + FIRST_LINE;
        let mut expected = 1;
        loop {
            let deadline = match (expected, &talk.events) {
                (1, _) => Some(first),
                (_, None) => Some(Instant::now() + QUIET),
                (_, Some(_)) => None,
            };
            match talk.next(deadline).await {
                Ok(Next::Event(event)) => talk.send(FromApprover::Event((*event).clone())).await?,
                Ok(Next::Line(line)) => {
                    let (n, command) = match talk.command(&line, &challenge, expected) {
                        Ok(command) => (expected, command),
                        Err(code) => {
                            return talk.answer(expected, Answer::Error { code, detail: None }).await;
                        }
                    };
                    expected += 1;
                    place.spoke();
                    let answer = talk.obey(command).await;
                    let answer = answer.unwrap_or_else(|r| Answer::Error { code: r.code, detail: r.detail });
                    talk.answer(n, answer).await?;
                }
                Err(End::TooLong) => {
                    return talk
                        .answer(expected, Answer::Error { code: Code::Malformed, detail: None })
                        .await;
                }
                Err(end) => return Err(end),
            }
        }
    }

    async fn next(&mut self, deadline: Option<Instant>) -> Result<Next, End> {
        match &mut self.events {
            None => self.line.read(deadline).await.map(Next::Line),
            Some(events) => tokio::select! {
                line = self.line.read(deadline) => line.map(Next::Line),
                // One who is too far behind has missed some: it sees the end, and lists again.
                event = events.recv() => event.map(Next::Event).map_err(|_| End::Late),
            },
        }
    }

    async fn send(&mut self, message: FromApprover) -> Over {
        self.line.send(&message.to_json()).await.map_err(|_| End::Gone)
    }

    async fn answer(&mut self, n: u64, answer: Answer) -> Over {
        self.send(FromApprover::Answer { n, answer }).await
    }

    /// Whoever is at the other end, as it is now.
    fn operator(&self) -> Result<Operator, Code> {
        let documents = self.handle.rules().current().map_err(|_| Code::Internal)?;
        let pid = Some(self.peer.pid).filter(|p| *p > 0);
        let operator = Operator::of(self.peer.uid, pid, &documents.marks)?;
        // What was read under its number was its own only if it still has it.
        if self.peer.is_alive() == Some(false) { Err(Code::Peer) } else { Ok(operator) }
    }

    /// Reads a command: the right number, proved, understood.
    fn command(&self, line: &[u8], to: &Challenge, expected: u64) -> Result<Command, Code> {
        let envelope = Envelope::parse(line).map_err(|_| Code::Malformed)?;
        let documents = self.handle.rules().current().map_err(|_| Code::Internal)?;
        let token = documents.token.as_ref().ok_or(Code::Internal)?;
        if !envelope.is_true(token, to) {
            return Err(Code::Mac);
        }
        if envelope.n != expected {
            return Err(Code::Replayed);
        }
        Command::parse(&envelope.command).map_err(|_| Code::Malformed)
    }

    async fn obey(&mut self, command: Command) -> Result<Answer, Refusal> {
        let h = &self.handle;
        Ok(match command {
            Command::List { all, after } => {
                let (rows, more) = h.list(all, after.as_deref(), MAX_ROWS);
                Answer::Questions { rows, more }
            }
            Command::Show { id } => {
                let (row, body) = h.show(&id)?;
                Answer::Question { row, request: body.to_string() }
            }
            Command::Resolve { id, choice, reason } => {
                let who = self.operator()?;
                let reason = reason.filter(|r| !r.is_empty());
                let done = h.answer(&id, choice, reason, &who).await?;
                Answer::Resolved { row: done.row, note: done.note }
            }
            Command::Watch => {
                self.events = Some(h.watch());
                Answer::Done
            }
            Command::SessionSet { agent, session, security: s, ask: a, for_ms } => {
                let who = self.operator()?;
                h.asks_nothing(&who)?;
                let word = || Refusal::from(Code::Malformed);
                let wanted = (
                    s.map(|s| security(&s).ok_or_else(word)).transpose()?,
                    a.map(|a| ask(&a).ok_or_else(word)).transpose()?,
                );
                h.override_set(&agent, session.as_deref(), wanted, for_ms, &who.by)?;
                Answer::Done
            }
            Command::SessionList => Answer::Sessions(h.overrides()),
            Command::SessionClear { agent, session } => {
                h.asks_nothing(&self.operator()?)?;
                match h.override_clear(&agent, session.as_deref()) {
                    true => Answer::Done,
                    false => return Err(Code::Unknown.into()),
                }
            }
            Command::Runs => Answer::Runs(h.runs()),
            Command::RunShow { id } => Answer::Run(h.run(&id)?),
            Command::RunLog { .. } => {
                let detail = "what a run wrote is kept where it was started";
                return Err(Refusal { code: Code::Unknown, detail: Some(detail.into()) });
            }
            Command::Status => Answer::Status(h.status()),
            Command::PanelLink => {
                let who = self.operator()?;
                h.asks_nothing(&who)?;
                let work = who.process.as_ref().map(Work::of).unwrap_or_default();
                match h.panel() {
                    Some(panel) => Answer::Link(panel.link(work)),
                    None => {
                        let detail = "there is no panel";
                        return Err(Refusal { code: Code::Unknown, detail: Some(detail.into()) });
                    }
                }
            }
            Command::Shutdown => {
                self.operator()?;
                h.stop();
                Answer::Done
            }
        })
    }
}
