//! The guard's half of the conversation with an approver (docs/protocol.md).
//!
//! ```text
//! approver                          guard
//! challenge                ─────▶            within PATIENCE, else nobody is there: askFallback
//!                          ◀─────   request  the question, bound to the challenge by its MAC
//! accepted                 ─────▶            within PATIENCE
//!     (a person)                             a signal ends the guard here: nothing ran, the question is withdrawn
//! decision                 ─────▶            until the time to answer is over, else askFallback
//! ```
//!
//! A hook, which runs nothing itself, leaves a yes for the guard that will: grant ─▶, ◀─ accepted. It is good once.
//!
//! A guard that cannot wait for that long (an agent's hook) leaves the question behind: detach ─▶, ◀─ noted.
//!
//! Only a decision with the right MAC, for this question, in time and alone is an answer. Anything else from a server
//! that was reached is a no: who can disturb an answer must not get what *nobody there* would get. No signal is caught
//! and nothing is changed that the command could notice: all that was opened is close-on-exec and closed before.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use policy::document::SocketDialect;
use policy::{Answer, Choice, Evaluation, Invocation, Reason};
use protocol::ask::{Asker, WireQuestion};
use protocol::mac::{self, Kind};
use protocol::message::{Challenge, Decision, FromApprover, FromGuard, Grant, Report, Signed};
use protocol::{Code, Shown, Token, frame, openclaw};
use store::talk::{Ended, Talk, Unreached, socket_path};
use sys::world::Host;

use super::{Approver, Asked};
use crate::locate::Settings;
use crate::say::Message;

/// Whoever is there says so within this time, and takes a question.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whoever stands and waits longer than that is told for what.
const SILENT: Duration = Duration::from_secs(1);

/// So long it takes at most to leave a question behind.
const LEAVING: Duration = Duration::from_secs(1);

/// Asks the approver of the documents. `Nobody(None)` if there is none, which is no fault.
pub fn ask(eval: &Evaluation, inv: &Invocation, settings: &Settings, world: &Host) -> Asked {
    let (path, line, question) = match open(eval, inv, settings, world, None) {
        Ok(opened) => opened,
        Err(asked) => return asked,
    };
    let came = match settings.socket.dialect {
        SocketDialect::Own => line.own(&question, eval, settings),
        SocketDialect::OpenClaw => line.openclaw(&question),
    };
    came.map_or_else(|end| end.asked(&path), |yes| yes.asked(question))
}

/// A question that the approver has taken, and that nobody stands and waits for.
pub struct Placed {
    path: PathBuf,
    line: Line,
    to: Challenge,
    request_sha256: String,
    question: WireQuestion,
    /// Until when it can be answered, by the approver's clock, milliseconds since 1970.
    pub expires_at_ms: u64,
}

/// Gives a question with that id to the approver, and does not wait for the answer.
///
/// # Errors
///
/// It was not taken: what came of it instead.
pub fn place(
    eval: &Evaluation,
    inv: &Invocation,
    settings: &Settings,
    world: &Host,
    id: &str,
) -> Result<Placed, Asked> {
    if settings.socket.dialect == SocketDialect::OpenClaw {
        let why = "a question that nobody waits for cannot be asked in the dialect openclaw";
        return Err(Asked::Nobody(Some(why.into())));
    }
    let (path, mut line, question) = open(eval, inv, settings, world, Some(id))?;
    match line.take(&question) {
        Ok((to, request_sha256, expires_at_ms)) => {
            Ok(Placed { path, line, to, request_sha256, question, expires_at_ms })
        }
        Err(end) => Err(end.asked(&path)),
    }
}

impl Placed {
    /// Waits for the answer, on the connection on which it was asked.
    pub(super) fn answer(mut self) -> Asked {
        match self.line.answer(&self.to, &self.request_sha256, &self.question) {
            Ok(yes) => yes.asked(self.question),
            Err(end) => end.asked(&self.path),
        }
    }
}

/// Tells the approver what became of a command that was asked about; false if it could not be told.
pub fn report(settings: &Settings, home: Option<&[u8]>, id: &str, report: &Report) -> bool {
    let told = || -> Option<bool> {
        let mut line = Line {
            talk: reach(settings, home).ok()?.1,
            token: Token::new(settings.socket.token.as_deref()?)?,
            id: id.to_owned(),
            deadline: Instant::now() + PATIENCE,
        };
        let to = line.challenge().ok()?;
        let signed = Signed::new(&line.token, Kind::Report, &to, id, report.to_text());
        line.send(FromGuard::Report(signed).to_text(), frame::MAX_LINE).ok()?;
        Some(matches!(line.hear(line.deadline).ok()?, FromApprover::Noted { .. }))
    };
    settings.socket.dialect == SocketDialect::Own && told().unwrap_or(false)
}

/// A connection to whoever may be believed; where it is.
fn reach(settings: &Settings, home: Option<&[u8]>) -> Result<(PathBuf, Talk), Asked> {
    let home = home.map(|h| Path::new(OsStr::from_bytes(h)));
    let Some(path) = socket_path(&settings.socket, home) else { return Err(Asked::Nobody(None)) };
    match Talk::open(&path, &settings.socket.allow_uids, Instant::now() + PATIENCE) {
        Ok(talk) => Ok((path, talk)),
        Err(Unreached::Absent) => Err(Asked::Nobody(None)),
        Err(e) => Err(nobody(&path, &e.to_string())),
    }
}

/// A connection, and the question for it; `id` is that of one that nobody stands and waits for.
fn open(
    eval: &Evaluation,
    inv: &Invocation,
    settings: &Settings,
    world: &Host,
    id: Option<&str>,
) -> Result<(PathBuf, Line, WireQuestion), Asked> {
    let begun = Instant::now();
    let (path, talk) = reach(settings, inv.home.as_deref())?;
    let Some(token) = settings.socket.token.as_deref().and_then(Token::new) else {
        return Err(nobody(&path, "the documents have no socket.token"));
    };
    let Some(question) = question(eval, inv, settings, world, id.is_some()) else {
        return Err(Asked::Nobody(Some("there is nothing that could be executed".into())));
    };
    let id = id.map_or_else(sys::edit::uuid, str::to_owned);
    let deadline = begun + Duration::from_millis(settings.timeout_ms.min(settings.patience_ms));
    Ok((path, Line { talk, token, id, deadline }, question))
}

fn nobody(path: &Path, why: &str) -> Asked {
    Asked::Nobody(Some(format!("the approver at {}: {why}", Shown::text(path.as_os_str().as_bytes()))))
}

fn question(
    eval: &Evaluation,
    inv: &Invocation,
    settings: &Settings,
    world: &Host,
    detached: bool,
) -> Option<WireQuestion> {
    let uid = sys::ids::uid();
    let user = sys::ids::user(uid).ok().flatten();
    let asker = Asker {
        host: &sys::time::hostname(),
        uid,
        user: user.as_ref().map(|u| u.name.as_slice()),
        timeout_ms: settings.timeout_ms,
        detached,
    };
    WireQuestion::of(eval, inv, policy::proposals(eval, inv, world), asker)
}

/// How a conversation ended without an answer.
enum End {
    /// Nobody is there after all.
    Nobody(&'static str),
    /// Nobody answered in time.
    Late,
    /// Nobody answered while we could wait; the question with this id stays.
    Left(String),
    /// A no that is nobody's answer: the ground, and one clause.
    No(Reason, String),
}

impl End {
    fn nonsense(what: impl Into<String>) -> End {
        End::No(Reason::Approver, what.into())
    }

    fn asked(self, path: &Path) -> Asked {
        match self {
            End::Nobody(why) => nobody(path, why),
            End::Late => Asked::Late,
            End::Left(id) => Asked::Left(id),
            End::No(reason, why) => Asked::Refused(
                reason,
                format!("the approver at {}: {why}", Shown::text(path.as_os_str().as_bytes())),
            ),
        }
    }
}

/// An answer that was checked.
struct Checked {
    id: String,
    choice: Choice,
    reason: Option<String>,
    by: Option<String>,
}

impl Checked {
    fn asked(self, question: WireQuestion) -> Asked {
        Asked::Answered(
            Answer::new(self.choice, question.digest, self.reason),
            Some(Approver { question: self.id, who: self.by }),
        )
    }
}

/// The conversation about one question.
struct Line {
    talk: Talk,
    token: Token,
    id: String,
    /// When the time to answer is over.
    deadline: Instant,
}

impl Line {
    fn own(
        mut self,
        question: &WireQuestion,
        eval: &Evaluation,
        settings: &Settings,
    ) -> Result<Checked, End> {
        let (to, request_sha256, _) = self.take(question)?;
        // Whoever started an agent's hook reads no more than its answer.
        if settings.patience_ms == u64::MAX && !self.talk.comes(self.deadline.min(Instant::now() + SILENT)) {
            self.waits(eval);
        }
        let answer = match self.answer(&to, &request_sha256, question) {
            // Whoever started us waits no longer than the deadline, and may ask again.
            Err(End::Late) if settings.patience_ms < settings.timeout_ms => return Err(self.leave()),
            answer => answer?,
        };
        // A hook runs nothing, so a yes is passed on to the guard that will.
        if let (true, Choice::AllowOnce, Some(text)) =
            (settings.leaves_grant && question.is_text, answer.choice, &question.text)
        {
            let (agent, text, cwd) = (question.agent.clone(), text.clone(), question.cwd.clone());
            let grant = Grant { agent, text, cwd }.to_text();
            let grant = Signed::new(&self.token, Kind::Grant, &to, &self.id, grant);
            // Where it does not arrive the person is asked once more, and that is all.
            if self.send(FromGuard::Grant(grant).to_text(), frame::MAX_LINE).is_ok() {
                let _ = self.talk.line(Instant::now() + LEAVING);
            }
        }
        Ok(answer)
    }

    /// Says what is waited for, until when, and how to answer.
    fn waits(&self, eval: &Evaluation) {
        let left = self.deadline.saturating_duration_since(Instant::now()).as_secs();
        let Some(ground) = eval.ground().filter(|_| left > 0) else { return };
        let id = self.id.get(..8).unwrap_or(&self.id);
        let how = format!("exec-guardctl approvals resolve {id} allow-once");
        Message::asked(ground.reason, &format!("{}; waits {left} s for a yes: {how}", ground.message)).say();
    }

    /// Leaves the question behind: a yes that comes later is good for the next time the same is asked.
    fn leave(&mut self) -> End {
        let detach = FromGuard::Detach { id: self.id.clone() };
        let said = self.send(detach.to_text(), frame::MAX_REQUEST);
        let heard = said.ok().and_then(|()| self.talk.line(Instant::now() + LEAVING).ok());
        match heard.map(|line| FromApprover::parse(&line)) {
            Some(Ok(FromApprover::Noted { id })) if id == self.id => End::Left(id),
            // An answer that crossed ours on the way comes too late.
            _ => End::Late,
        }
    }

    /// Up to where the approver has the question: the challenge, the hash of what was sent, and until when it stands.
    fn take(&mut self, question: &WireQuestion) -> Result<(Challenge, String, u64), End> {
        let to = self.challenge()?;
        let text = question.to_text();
        let request_sha256 = mac::sha256(text.as_bytes());
        let request = Signed::new(&self.token, Kind::Request, &to, &self.id, text);
        self.send(FromGuard::Request(request).to_text(), frame::MAX_REQUEST)?;
        match self.hear(Instant::now() + PATIENCE)? {
            FromApprover::Accepted { id, expires_at_ms } if id == self.id => {
                Ok((to, request_sha256, expires_at_ms))
            }
            FromApprover::Error { code, .. } => Err(refused(code)),
            _ => Err(End::nonsense("it spoke out of turn")),
        }
    }

    fn answer(
        &mut self,
        to: &Challenge,
        request_sha256: &str,
        question: &WireQuestion,
    ) -> Result<Checked, End> {
        let d = match self.hear(self.deadline) {
            Ok(FromApprover::Decision(d)) => d,
            Ok(FromApprover::Error { code, .. }) => return Err(refused(code)),
            Ok(_) => return Err(End::nonsense("it spoke out of turn")),
            Err(e) => return Err(e),
        };
        self.check(to, d, request_sha256, question)
    }

    /// The first words. One that is reached and says nothing is nobody.
    fn challenge(&mut self) -> Result<Challenge, End> {
        let line = match self.talk.line(Instant::now() + PATIENCE) {
            Ok(line) => line,
            Err(Ended::Late) => return Err(End::Nobody("it does not answer")),
            Err(e) => return Err(End::nonsense(e.to_string())),
        };
        match FromApprover::parse(&line) {
            Ok(FromApprover::Challenge(to)) => Ok(to),
            Ok(FromApprover::Error { code, .. }) => Err(refused(code)),
            _ => Err(End::nonsense("it does not speak this protocol")),
        }
    }

    fn send(&mut self, message: String, max: usize) -> Result<(), End> {
        let line = frame::line(message, max).map_err(|_| too_long(Code::TooLong))?;
        self.talk.send(&line, Instant::now() + PATIENCE).map_err(|e| End::nonsense(e.to_string()))
    }

    fn hear(&mut self, until: Instant) -> Result<FromApprover, End> {
        let line = match self.talk.line(until.min(self.deadline)) {
            Ok(line) => line,
            Err(Ended::Late) if Instant::now() >= self.deadline => return Err(End::Late),
            Err(e) => return Err(End::nonsense(e.to_string())),
        };
        FromApprover::parse(&line).map_err(|e| End::nonsense(format!("it speaks nonsense ({e})")))
    }

    fn check(
        &mut self,
        to: &Challenge,
        d: Decision,
        request_sha256: &str,
        question: &WireQuestion,
    ) -> Result<Checked, End> {
        let offered = match d.choice {
            Choice::AllowAlways(scope) => question.entries(scope).is_some(),
            Choice::AllowOnce | Choice::Deny => true,
        };
        // The MAC first: of an answer that is nobody's nothing else matters.
        let wrong = if !mac::is_decision(&self.token, &to.nonce, &d) {
            "its answer has a wrong MAC"
        } else if d.id != self.id || d.request_sha256 != request_sha256 {
            "its answer is to another question"
        } else if d.expires_at_ms < sys::time::now_ms() {
            return Err(End::No(Reason::Timeout, "its answer came too late".into()));
        } else if !offered {
            "its answer was not offered"
        } else if self.talk.has_more() {
            "it answered twice"
        } else {
            return Ok(Checked { id: d.id, choice: d.choice, reason: d.reason, by: d.by });
        };
        Err(End::nonsense(wrong))
    }

    /// The plain form: the token goes out, and the answer is believed for the connection it came by.
    fn openclaw(mut self, question: &WireQuestion) -> Result<Checked, End> {
        let shown = openclaw::Fieldset::of(question);
        let request = openclaw::Request { token: self.token.clone(), id: self.id.clone(), shown };
        self.send(request.to_text(), openclaw::MAX_LINE)?;
        self.talk.finish().map_err(|e| End::nonsense(e.to_string()))?;
        let line = match self.talk.line(self.deadline) {
            Ok(line) => line,
            Err(Ended::Late) => return Err(End::Late),
            Err(e) => return Err(End::nonsense(e.to_string())),
        };
        let d = openclaw::Decision::parse(&line)
            .map_err(|e| End::nonsense(format!("it speaks nonsense ({e})")))?;
        if d.id != self.id {
            return Err(End::nonsense("its answer is to another question"));
        }
        if self.talk.has_more() {
            return Err(End::nonsense("it answered twice"));
        }
        Ok(Checked { choice: d.choice(), id: d.id, reason: None, by: None })
    }
}

/// What an approver's own no comes to.
fn refused(code: Code) -> End {
    match code {
        Code::Unattended | Code::Stopping => End::Nobody(code.meaning()),
        Code::Expired => End::Late,
        Code::TooLong => too_long(code),
        Code::RateLimited | Code::Full => End::No(Reason::RateLimited, code.meaning().into()),
        _ => End::nonsense(format!("{} ({})", code.meaning(), code.word())),
    }
}

fn too_long(code: Code) -> End {
    End::No(Reason::TooLongToAsk, code.meaning().into())
}
