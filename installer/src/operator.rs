//! A person's half of the conversation with an approver (docs/protocol.md): commands, their answers, events.
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use protocol::message::Challenge;
use protocol::operator::{Answer, Command, Envelope, Event, FromApprover};
use protocol::{Code, Token, frame, shown};
use store::Loaded;
use store::locate::OPERATOR;
use store::talk::{Ended, Talk, Unreached};

use crate::exit::{Exit, Failure};

/// Whoever is there answers within this time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A conversation.
#[derive(Debug)]
pub struct Operator {
    talk: Talk,
    token: Token,
    to: Challenge,
    n: u64,
    /// Events that came while an answer was waited for.
    events: VecDeque<Event>,
}

/// Why there is none, or no answer.
#[derive(Debug)]
pub enum Trouble {
    /// No approver is running.
    Absent(PathBuf),
    /// It went away, or takes too long.
    Ended(Ended),
    /// It said no.
    Refused(Code, Option<String>),
    /// Something else: a whole sentence.
    Other(String),
}

/// Where an approver of these documents takes commands, and by which token it knows us.
#[derive(Clone, Debug)]
pub struct Address {
    /// The operator's socket.
    pub path: PathBuf,
    token: Option<Token>,
}

impl Address {
    /// That of the documents in force.
    ///
    /// # Errors
    /// The documents cannot be used, or there is no folder for state.
    pub fn known() -> Result<Address, Failure> {
        Address::of(&crate::approvals::load(&crate::approvals::places())?)
    }

    fn of(loaded: &Loaded) -> Result<Address, Failure> {
        let state = loaded.state.as_deref().ok_or_else(|| {
            Failure::not("there can be no approver: the user database names no home for this user")
                .advise("set EXEC_GUARD_HOME to a folder of yours")
        })?;
        let token = loaded.policy.settings("main").socket.token.as_deref().and_then(Token::new);
        Ok(Address { path: state.join(OPERATOR), token })
    }
}

impl Operator {
    /// Connects, and is told the challenge.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn open(at: &Address) -> Result<Operator, Trouble> {
        let deadline = Instant::now() + PATIENCE;
        let mut talk = Talk::open(&at.path, &[], deadline).map_err(|e| match e {
            Unreached::Absent => Trouble::Absent(at.path.clone()),
            e => Trouble::Other(format!("the approver at {}: {e}", shown(&at.path))),
        })?;
        let line = talk.line(deadline).map_err(Trouble::Ended)?;
        let to = match FromApprover::parse(&line) {
            Ok(FromApprover::Challenge(to)) => to,
            // Whoever may not speak here is told so instead.
            Ok(FromApprover::Answer { answer: Answer::Error { code, detail }, .. }) => {
                return Err(Trouble::Refused(code, detail));
            }
            _ => return Err(nonsense("it does not speak this protocol")),
        };
        let token = at.token.clone().ok_or_else(|| {
            Trouble::Other("the documents have no socket.token, by which an approver would know you".into())
        })?;
        Ok(Operator { talk, token, to, n: 0, events: VecDeque::new() })
    }

    /// Gives a command and waits for its answer. An error of the approver's is [`Trouble::Refused`].
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn ask(&mut self, command: &Command) -> Result<Answer, Trouble> {
        let deadline = Instant::now() + PATIENCE;
        self.n += 1;
        let envelope = Envelope::new(&self.token, &self.to, self.n, command);
        let line = frame::encode(&envelope.to_json());
        let line = line.map_err(|_| Trouble::Other("that is longer than a message can be".into()))?;
        self.talk.send(&line, deadline).map_err(Trouble::Ended)?;
        loop {
            match self.hear(deadline)? {
                FromApprover::Event(event) => self.events.push_back(event),
                FromApprover::Answer { n, answer: Answer::Error { code, detail } } if n == self.n => {
                    return Err(Trouble::Refused(code, detail));
                }
                FromApprover::Answer { n, answer } if n == self.n => return Ok(answer),
                _ => return Err(nonsense("it spoke out of turn")),
            }
        }
    }

    /// The next event; `None` if there was none until then.
    ///
    /// # Errors
    /// [`Trouble`].
    pub fn event(&mut self, until: Instant) -> Result<Option<Event>, Trouble> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        match self.hear(until) {
            Ok(FromApprover::Event(event)) => Ok(Some(event)),
            Err(Trouble::Ended(Ended::Late)) => Ok(None),
            Err(e) => Err(e),
            Ok(_) => Err(nonsense("it spoke out of turn")),
        }
    }

    fn hear(&mut self, until: Instant) -> Result<FromApprover, Trouble> {
        let line = self.talk.line(until).map_err(Trouble::Ended)?;
        FromApprover::parse(&line).map_err(|e| nonsense(&format!("it speaks nonsense ({e})")))
    }
}

fn nonsense(what: &str) -> Trouble {
    Trouble::Other(format!("the approver: {what}"))
}

/// An answer of another kind than was asked for.
pub fn unexpected() -> Failure {
    Failure::trouble("the approver answered something else than was asked")
}

/// What nobody home means for most commands.
pub const START: &str = "start one: exec-guardctl approver start";

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Failure {
        match trouble {
            Trouble::Absent(path) => {
                Failure::not(format!("no approver is running (nobody listens at {})", shown(&path)))
                    .advise(START)
            }
            Trouble::Ended(e) => Failure::trouble(format!("the approver: {e}")),
            Trouble::Other(what) => Failure::trouble(what),
            Trouble::Refused(code, detail) => refused(code, detail),
        }
    }
}

/// What an approver's no means: words, and an exit code of its own where a program has to tell them apart.
fn refused(code: Code, detail: Option<String>) -> Failure {
    let exit = match code {
        Code::Unknown => Exit::Unknown,
        Code::Ambiguous => Exit::Ambiguous,
        Code::Expired | Code::Withdrawn => Exit::Expired,
        Code::Answered => Exit::Answered,
        Code::OwnQuestion | Code::Marked | Code::Confined | Code::Peer => Exit::Forbidden,
        Code::NotOffered | Code::Floor | Code::Stopping | Code::RateLimited | Code::Full => Exit::Not,
        _ => Exit::Trouble,
    };
    let detailed = detail.is_some();
    let more = detail.map_or(String::new(), |d| format!(": {d}"));
    let failure = Failure { exit, what: format!("[{}] {}{more}", code.word(), code.meaning()), advice: None };
    match code {
        Code::Unknown => failure.advise("exec-guardctl approvals pending shows the questions that wait"),
        Code::Ambiguous => failure.advise("give more of the id"),
        // It says what waits, and what to do.
        Code::OwnQuestion if detailed => failure,
        Code::OwnQuestion => {
            failure.advise("answer in another terminal than the one it was asked from, or in the panel")
        }
        Code::Marked => failure.advise("answer in a terminal of your own, or in the panel"),
        Code::Mac => failure.advise(
            "the approver was started under other documents: stop it and start it anew, or see EXEC_GUARD_HOME",
        ),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_must_tell_apart_has_a_code_of_its_own() {
        let exit = |code| refused(code, Some("x".into())).exit;
        let apart =
            [Code::Unknown, Code::Ambiguous, Code::Expired, Code::Answered, Code::OwnQuestion, Code::Mac];
        for (at, a) in apart.iter().enumerate() {
            assert!(apart.iter().skip(at + 1).all(|b| exit(*a) != exit(*b)), "{a:?}");
        }
        for code in Code::ALL {
            let failure = refused(*code, None);
            assert!(failure.what.contains(code.word()) && failure.exit != Exit::Done, "{code:?}");
        }
    }
}
