//! How a run of exec-guardctl ends: one enum, one meaning each.
use std::process::{ExitCode, Termination};

/// The exit codes. `125` and `2` mean what they mean in exec-guard(1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Exit {
    /// Done, or it was so already.
    Done,
    /// Not done, and nothing is wrong with the installation: not found, changed meanwhile, in the way.
    Not,
    /// A person would be asked about what was to be explained.
    WouldAsk,
    /// What was to be explained would be refused.
    WouldDeny,
    /// No question or run has that id.
    Unknown,
    /// Several have an id that begins so.
    Ambiguous,
    /// The question has expired, or whoever asked is gone.
    Expired,
    /// The question was answered already.
    Answered,
    /// Whoever answers may not.
    Forbidden,
    /// Wrong use, or input that would not be accepted.
    Usage,
    /// It could not work.
    Trouble,
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Exit::Done => 0,
            Exit::Not => 1,
            Exit::Usage => 2,
            Exit::WouldAsk => 3,
            Exit::WouldDeny => 4,
            Exit::Unknown => 5,
            Exit::Ambiguous => 6,
            Exit::Expired => 7,
            Exit::Answered => 8,
            Exit::Forbidden => 9,
            Exit::Trouble => 125,
        })
    }
}

/// Why something was not done: the code, a line, and perhaps a line of advice.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// How to end.
    pub exit: Exit,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl Failure {
    /// Nothing is wrong, but it was not done.
    pub fn not(what: impl Into<String>) -> Failure {
        Failure { exit: Exit::Not, what: what.into(), advice: None }
    }

    /// The words or the input are wrong.
    pub fn usage(what: impl Into<String>) -> Failure {
        Failure { exit: Exit::Usage, what: what.into(), advice: None }
    }

    /// It could not work.
    pub fn trouble(what: impl Into<String>) -> Failure {
        Failure { exit: Exit::Trouble, what: what.into(), advice: None }
    }

    /// With what to do about it.
    pub fn advise(mut self, advice: impl Into<String>) -> Failure {
        self.advice = Some(advice.into());
        self
    }
}
