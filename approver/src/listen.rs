//! The asking socket: a guard asks, and is told what became of its question.
//!
//! Who is at the other end is known before a byte is read. Every wait has an end: a peer that says nothing, or says it
//! byte by byte, has a few seconds ([`door`]). What is not understood ends the conversation, and with it the question.
pub mod door;
pub mod http;
pub mod loopback;

use std::time::Duration;

use policy::Choice;
use policy::document::SocketDialect;
use protocol::code::Code;
use protocol::frame;
use protocol::mac::{self, Kind};
use protocol::message::{Challenge, Decision, FromApprover, FromGuard, Grant, Report, Signed};
use protocol::openclaw;
use tokio::net::UnixListener;
use tokio::sync::oneshot::Receiver;
use tokio::time::Instant;

use crate::desk::{Answer, Asker, Outcome, is_yes};
use crate::handle::{Handle, Taken};
use crate::line::{Budget, End, Line, challenge};
use crate::rules::Documents;
use crate::{draft, peer};
use door::{Door, FIRST_LINE, Place, Room};

/// Connections that have not said yet what they want: of one session, which may start hundreds of commands at once, and
/// of all.
const SILENT: (usize, usize) = (1_024, 4_096);

/// Bytes of what they have said so far.
const UNPROVED: usize = 64 << 20;

/// Bytes of a line from a peer whose question waits: there is no more to say than *detach*.
const SHORT: usize = 4 << 10;

/// How long a hook may take to leave its grant after its yes.
const GRANT: Duration = Duration::from_secs(10);

/// In the plain dialect the peer speaks first; one that waits for a challenge gets it after so long.
const FIRST: Duration = Duration::from_millis(200);

/// Takes connections until it is dropped; at most so many at once, so that descriptors are left for everything else.
pub async fn serve(listener: UnixListener, handle: Handle, most: usize) {
    let (session, silent) = SILENT;
    let door = Door::new(Room { session, silent, all: most, yields: false });
    let budget = Budget::of(UNPROVED);
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(_) => {
                // No descriptors, most likely: one of those that hold them may end meanwhile.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(peer) = sys::socket::peer(&stream) else { continue };
        let asker = asker(&peer);
        let Some(place) = door.enter(&asker) else {
            // It is told why, if it takes that at once; nobody waits for it.
            let full = FromApprover::Error { id: None, code: Code::Full };
            let _ = stream.try_write(&frame::encode(&full.to_json()).unwrap_or_default());
            continue;
        };
        let handle = handle.clone();
        let mut line = Line::new(stream);
        line.share(Some(budget.clone()));
        door.begin(place, |place| {
            tokio::spawn(async move {
                // An error is a peer that went away: there is nobody left to tell.
                let _ = Talk { line, handle, asker }.begin(&place).await;
            })
            .abort_handle()
        });
    }
}

/// A conversation.
struct Talk {
    line: Line,
    handle: Handle,
    asker: Asker,
}

/// The conversation is over.
type Over = Result<(), End>;

impl Talk {
    async fn begin(self, place: &Place) -> Over {
        let mut talk = self;
        let Ok(documents) = talk.handle.rules().current() else {
            return talk.error(None, Code::Internal).await;
        };
        let uid = talk.asker.uid;
        if uid != sys::ids::uid() && !documents.settings.socket.allow_uids.contains(&uid) {
            return talk.error(None, Code::Peer).await;
        }
        let deadline = Instant::now() + FIRST_LINE;
        let plain = documents.settings.socket.dialect == SocketDialect::OpenClaw;
        if plain && talk.line.speaks_first(FIRST).await {
            let line = talk.line.read(Some(deadline)).await?;
            place.spoke();
            talk.line.share(None);
            return talk.plain(&line, &documents).await;
        }
        let Ok(challenge) = challenge() else { return talk.error(None, Code::Internal).await };
        talk.say(FromApprover::Challenge(challenge.clone())).await?;
        let line = match talk.line.read(Some(deadline)).await {
            Ok(line) => line,
            Err(End::TooLong) => return talk.error(None, Code::TooLong).await,
            Err(End::Late) => return talk.error(None, Code::Stale).await,
            Err(End::Gone) => return Err(End::Gone),
        };
        place.spoke();
        talk.line.share(None);
        match FromGuard::parse(&line) {
            Ok(FromGuard::Request(s)) => talk.request(s, &challenge, &documents).await,
            Ok(FromGuard::Report(s)) => talk.report(s, &challenge, &documents).await,
            // Only on the heels of a yes to the same text: see below.
            Ok(FromGuard::Grant(s)) => talk.error(Some(s.id), Code::NotOffered).await,
            Ok(FromGuard::Detach { id }) => talk.error(Some(id), Code::Unknown).await,
            Err(_) => talk.error(None, Code::Malformed).await,
        }
    }

    async fn say(&mut self, message: FromApprover) -> Over {
        self.line.send(&message.to_json()).await.map_err(|_| End::Gone)
    }

    async fn error(&mut self, id: Option<String>, code: Code) -> Over {
        self.say(FromApprover::Error { id, code }).await
    }

    async fn request(&mut self, signed: Signed, to: &Challenge, documents: &Documents) -> Over {
        let id = signed.id.clone();
        let Some(token) = documents.token.clone() else { return self.error(Some(id), Code::Internal).await };
        if !signed.is_true(&token, Kind::Request, to) {
            return self.error(Some(id), Code::Mac).await;
        }
        let read = draft::of_request(&id, &signed.text, self.asker, self.handle.rules());
        let Ok((question, draft)) = read else { return self.error(Some(id), Code::Malformed).await };
        let (desk_id, hook, stays) = (draft.id.clone(), draft.hook.clone(), question.detached);
        let taken = match self.handle.ask(draft, Some(&question)) {
            Ok(taken) => taken,
            Err(code) => return self.error(Some(id), code).await,
        };
        // The desk has it; thousands may wait, and each holds no more than it needs.
        let request_sha256 = mac::sha256(signed.text.as_bytes());
        drop((question, signed));
        // From here on the question is ours to end, whatever happens to this task.
        let asked = Asked { handle: self.handle.clone(), id: desk_id, stays };
        let until = match &taken {
            Taken::Waits(until, _) | Taken::Answered(_, until) => *until,
        };
        let expires_at_ms = self.handle.clock().wall(until);
        self.say(FromApprover::Accepted { id: id.clone(), expires_at_ms }).await?;
        let answer = match taken {
            Taken::Answered(answer, _) => answer,
            Taken::Waits(_, receiver) => match self.wait(&asked, receiver).await? {
                Waited::Answer(answer) => answer,
                Waited::Error(code) => return self.error(Some(id), code).await,
                Waited::Detached => {
                    drop(asked);
                    return self.say(FromApprover::Noted { id }).await;
                }
            },
        };
        let mut decision = Decision {
            id,
            choice: answer.choice,
            reason: answer.reason,
            request_sha256,
            expires_at_ms: self.handle.clock().wall(until),
            by: Some(answer.by),
            hmac: String::new(),
        };
        decision.hmac = mac::decision(&token, &to.nonce, &decision);
        let yes = is_yes(decision.choice);
        self.say(FromApprover::Decision(decision)).await?;
        match hook {
            Some(hook) if yes => self.grant(&hook, to, documents).await,
            _ => Ok(()),
        }
    }

    /// What becomes of a question that waits.
    async fn wait(&mut self, asked: &Asked, mut receiver: Receiver<Outcome>) -> Result<Waited, End> {
        self.line.limit(SHORT);
        tokio::select! {
            // An answer that is there goes before a word that comes at the same time.
            biased;
            outcome = &mut receiver => Ok(match outcome {
                Ok(Outcome::Answered(answer)) => Waited::Answer(answer),
                Ok(Outcome::Expired) => Waited::Error(Code::Expired),
                Ok(Outcome::Withdrawn) => Waited::Error(Code::Withdrawn),
                Err(_) => Waited::Error(Code::Stopping),
            }),
            line = self.line.read(None) => match line.map(|l| FromGuard::parse(&l)) {
                Ok(Ok(FromGuard::Detach { id })) if id.eq_ignore_ascii_case(&asked.id) => {
                    if self.handle.detach(&asked.id) {
                        Ok(Waited::Detached)
                    } else {
                        // It ended this very moment, or could not be kept.
                        Ok(match receiver.try_recv() {
                            Ok(Outcome::Answered(answer)) => Waited::Answer(answer),
                            _ => Waited::Error(Code::Internal),
                        })
                    }
                }
                Ok(Ok(FromGuard::Request(_))) => Ok(Waited::Error(Code::Replayed)),
                Ok(_) => Ok(Waited::Error(Code::Malformed)),
                Err(end) => Err(end),
            },
        }
    }

    /// After a yes to a text: a hook may leave a grant, so that the guard that runs this text next does not ask again.
    /// It has to be this conversation: then the yes was a person's (or an earlier one's that was used up for it) to
    /// this very text, and has not been spent on running it.
    async fn grant(&mut self, hook: &str, to: &Challenge, documents: &Documents) -> Over {
        self.line.limit(protocol::frame::MAX_LINE);
        let line = self.line.read(Some(Instant::now() + GRANT)).await?;
        let Ok(FromGuard::Grant(signed)) = FromGuard::parse(&line) else {
            return self.error(None, Code::Malformed).await;
        };
        let id = Some(signed.id.clone());
        let proved = documents.token.as_ref().is_some_and(|t| signed.is_true(t, Kind::Grant, to));
        if !proved {
            return self.error(id, Code::Mac).await;
        }
        match Grant::parse(&signed.text) {
            Ok(grant) if draft::hook_key(self.asker.uid, &grant) == hook => {}
            Ok(_) => return self.error(id, Code::NotOffered).await,
            Err(_) => return self.error(id, Code::Malformed).await,
        }
        match self.handle.hook_yes(hook.to_owned()) {
            Some(until) => {
                let expires_at_ms = self.handle.clock().wall(until);
                self.say(FromApprover::Accepted { id: signed.id, expires_at_ms }).await
            }
            None => self.error(id, Code::Internal).await,
        }
    }

    async fn report(&mut self, signed: Signed, to: &Challenge, documents: &Documents) -> Over {
        let id = Some(signed.id.clone());
        let proved = documents.token.as_ref().is_some_and(|t| signed.is_true(t, Kind::Report, to));
        if !proved {
            return self.error(id, Code::Mac).await;
        }
        let Ok(report) = Report::parse(&signed.text) else { return self.error(id, Code::Malformed).await };
        match self.handle.report(&signed.id.to_ascii_lowercase(), &report) {
            Ok(()) => self.say(FromApprover::Noted { id: signed.id }).await,
            Err(code) => self.error(id, code).await,
        }
    }

    /// The plain dialect, where the documents say so. Its answer is bound to nothing but this connection, and *always*
    /// is not offered in it.
    async fn plain(&mut self, line: &[u8], documents: &Documents) -> Over {
        let Ok(request) = openclaw::Request::parse(line) else { return Err(End::Gone) };
        if documents.token.as_ref() != Some(&request.token) {
            return Err(End::Gone);
        }
        let draft = draft::of_plain(&request, self.asker);
        let id = draft.id.clone();
        // The app knows no errors: no answer is a no to it, and so is a deny.
        let choice = match self.handle.ask(draft, None) {
            Ok(Taken::Answered(answer, _)) => answer.choice,
            Ok(Taken::Waits(_, receiver)) => {
                let asked = Asked { handle: self.handle.clone(), id, stays: false };
                match self.wait(&asked, receiver).await? {
                    Waited::Answer(answer) => answer.choice,
                    Waited::Error(_) | Waited::Detached => Choice::Deny,
                }
            }
            Err(_) => Choice::Deny,
        };
        let decision = openclaw::Decision::of(&request.id, choice);
        self.line.send(&decision.to_json()).await.map_err(|_| End::Gone)
    }
}

/// The facts of a process at the other end. They are looked up while it is held, so that they are its own; then it may
/// be let go: of those that ask there may be thousands, each with a descriptor already.
pub(crate) fn asker(peer: &sys::socket::Peer) -> Asker {
    let asker = peer::asker(peer.uid, Some(peer.pid).filter(|p| *p > 0));
    match peer.is_alive() {
        Some(false) => Asker { pid: None, session: None, root: None, ..asker },
        _ => asker,
    }
}

/// How a wait ended.
enum Waited {
    Answer(Answer),
    Error(Code),
    Detached,
}

/// A question of this conversation: when that is over in whatever way, so is the question, unless it is to stay.
struct Asked {
    handle: Handle,
    id: String,
    stays: bool,
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.stays {
            self.handle.detach(&self.id);
        } else {
            self.handle.gone(&self.id);
        }
    }
}

#[cfg(test)]
mod tests;
