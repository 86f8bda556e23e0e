//! What a person is shown, and what came back.
use crate::evaluation::Evaluation;

/// How far an *always allow* reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Exactly these arguments.
    Arguments,
    /// This sub-command, any rest.
    Subcommand,
    /// This program, any arguments.
    Program,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Run it now.
    AllowOnce,
    /// Run it now and store entries of that scope.
    AllowAlways(Scope),
    /// Do not run it.
    Deny,
}

/// An answer bound to the question it answers. Having one tells you that somebody was shown the question with
/// that digest; whether that is what will run is checked when the permit is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    choice: Choice,
    digest: String,
    /// The person's words, for the caller's stderr.
    pub reason: Option<String>,
}

impl Answer {
    /// An answer to the question with this digest.
    pub fn new(choice: Choice, digest: String, reason: Option<String>) -> Answer {
        Answer { choice, digest, reason }
    }
    /// What was chosen.
    pub fn choice(&self) -> Choice {
        self.choice
    }
    /// True for either kind of yes.
    pub fn is_yes(&self) -> bool {
        !matches!(self.choice, Choice::Deny)
    }
    /// Digest of the question it answers.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Digest of what an evaluation asks about: everything that decides what would run.
pub fn digest(evaluation: &Evaluation) -> String {
    // Length-prefixed fields, so that no two different questions share one encoding. Hashing comes with the
    // socket protocol; until then the encoding itself, which binds more than a hash would.
    let mut out = String::new();
    let mut field = |name: &str, bytes: &[u8]| {
        out.push_str(name);
        out.push_str(&format!(":{}:", bytes.len()));
        for b in bytes {
            out.push_str(&format!("{b:02x}"));
        }
    };
    field("agent", evaluation.effective.agent.as_bytes());
    field("cwd", evaluation.cwd.as_deref().unwrap_or_default());
    if let Some(plan) = &evaluation.original {
        field("exe", &plan.exe.found);
        field("real", &plan.exe.real);
        field("id", format!("{:?}", plan.exe.id).as_bytes());
        for a in &plan.argv {
            field("arg", a);
        }
    }
    out
}
