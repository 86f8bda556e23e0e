//! What lies on the desk, and what can become of it.
use std::sync::Arc;

use policy::{Choice, Scope};
use protocol::Code;
use protocol::operator::ToolCall;

use super::Override;

/// What makes two questions the same: a hash, in hexadecimal, over everything a person was shown but the times.
pub type Key = String;

/// A process that asked. Kernel facts, not claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Asker {
    /// Its user id.
    pub uid: u32,
    /// Its process id; `None` where the kernel does not tell (another pid namespace).
    pub pid: Option<i32>,
    /// Its session; `None` if that could not be looked at.
    pub session: Option<i32>,
    /// The uppermost process of its work ([`crate::peer::Work`]) when it asked, by process id and start: it is told by that
    /// when it is gone itself.
    pub root: Option<(i32, u64)>,
}

/// What lists show of a question; all of it visible text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// The command in one line, or the beginning of it.
    pub command: String,
    /// True if that is not the whole command.
    pub cut: bool,
    /// The working folder.
    pub cwd: Option<String>,
    /// Code of the ground.
    pub ground: String,
    /// The scopes in which *always* is offered.
    pub scopes: Vec<Scope>,
    /// The tool it is about, if it is about one.
    pub tool: Option<ToolCall>,
}

/// A question as it is laid on the desk. Having one tells you nothing yet: the words in it are the asker's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Its id, chosen by the asker: a UUID.
    pub id: String,
    /// What it is about; the same for two questions that a person could not tell apart.
    pub key: Key,
    /// Under this a hook's grant covers it; `None` where no hook could have judged it before.
    pub hook: Option<Key>,
    /// The agent it is asked for.
    pub agent: String,
    /// The agent's session, if it named one.
    pub session: Option<String>,
    /// Who asked.
    pub asker: Asker,
    /// What lists show of it.
    pub face: Arc<Face>,
    /// The question, exactly as it came.
    pub body: Arc<str>,
    /// Milliseconds a person has.
    pub timeout_ms: u64,
    /// Milliseconds that a late yes stays good.
    pub ticket_ttl_ms: u64,
}

/// True for either kind of yes.
pub fn is_yes(choice: Choice) -> bool {
    !matches!(choice, Choice::Deny)
}

/// An answer, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was chosen.
    pub choice: Choice,
    /// Words for whoever asked.
    pub reason: Option<String>,
    /// Who answered: `cli uid 1000`, `panel`, `ticket`, `session override` …
    pub by: String,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Somebody answered.
    Answered(Answer),
    /// Nobody answered in time.
    Expired,
    /// Whoever asked went away.
    Withdrawn,
}

/// A question on the desk, or what is remembered of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// As it was laid down; of a closed one the body is empty.
    pub draft: Draft,
    /// When.
    pub asked_ms: u64,
    /// From then on no answer counts.
    pub expires_ms: u64,
    /// True if whoever asked gave up waiting and left it behind.
    pub detached: bool,
    /// What became of it; `None` while it waits.
    pub outcome: Option<Outcome>,
    /// What its answer stored, for showing.
    pub stored: Vec<String>,
    /// True while an answer is being carried out (entries are being written): no other one counts.
    pub(super) claimed: bool,
}

impl Question {
    /// True while it can be answered.
    pub fn waits(&self) -> bool {
        self.outcome.is_none()
    }
}

/// How a question was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It waits until then.
    Waits(u64),
    /// It is answered already: by a ticket, a hook's grant or a session override. No yes from here is good after
    /// that time.
    Answered(Answer, u64),
}

/// Why a question was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// This agent asks too often.
    RateLimited,
    /// More cannot be held.
    Full,
    /// A question has this id already.
    Duplicate,
    /// The id is none.
    BadId,
    /// It would be expired before it could be shown.
    NoTime,
}

impl NotTaken {
    /// The code on the wire.
    pub fn code(self) -> Code {
        match self {
            NotTaken::RateLimited => Code::RateLimited,
            NotTaken::Full => Code::Full,
            NotTaken::Duplicate => Code::Duplicate,
            NotTaken::BadId => Code::Malformed,
            NotTaken::NoTime => Code::Expired,
        }
    }
}

/// Why an answer does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAnswered {
    /// No question has this id.
    Unknown,
    /// Several have ids that begin so: how many.
    Ambiguous(usize),
    /// It came too late.
    Expired,
    /// Somebody was quicker, or is at it.
    AlreadyAnswered,
    /// Whoever asked went away.
    Withdrawn,
}

impl NotAnswered {
    /// The code on the wire.
    pub fn code(&self) -> Code {
        match self {
            NotAnswered::Unknown => Code::Unknown,
            NotAnswered::Ambiguous(_) => Code::Ambiguous,
            NotAnswered::Expired => Code::Expired,
            NotAnswered::AlreadyAnswered => Code::Answered,
            NotAnswered::Withdrawn => Code::Withdrawn,
        }
    }
}

/// A change that others want to hear of, in the order it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A question waits.
    Requested(Question),
    /// It does not any more; `Question::outcome` says how it ended, and the body is still there.
    Resolved(Question),
    /// Its asker gave up waiting; it still can be answered.
    Detached(String),
    /// Its asker came back to it.
    Attached(String),
    /// An override came to its end.
    Ended(Override),
}

/// True for a UUID as text, in lower case (RFC 9562): what prefixes and messages can name without doubt.
pub(super) fn is_id(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_digit() || (b'a'..=b'f').contains(&b),
        })
}
