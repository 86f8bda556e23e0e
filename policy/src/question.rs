//! What a person is shown, and what came back.
use sha2::{Digest, Sha256};

use crate::evaluation::Evaluation;
use crate::reason::Reason;
use crate::resolve::Executable;

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

impl Scope {
    /// Every scope, narrowest first.
    pub const ALL: [Scope; 3] = [Scope::Arguments, Scope::Subcommand, Scope::Program];

    /// The word on sockets, in JSON and on command lines.
    pub fn word(self) -> &'static str {
        match self {
            Scope::Arguments => "arguments",
            Scope::Subcommand => "subcommand",
            Scope::Program => "program",
        }
    }

    /// The scope with that word.
    pub fn of(word: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|s| s.word() == word)
    }
}

/// Digest of what an evaluation asks about: SHA-256, in lower-case hexadecimal, of everything that decides what would
/// run: agent, working folder, program and words (the text of a shell is one of them), the programs its parts are, the
/// files whose text those run,
/// inherited variables that change what runs, and what was found about variables.
///
/// An answer is bound to it, and a yes that outlives its question is good for the same digest only.
pub fn digest(evaluation: &Evaluation) -> String {
    // Length-prefixed fields, so that no two different questions share one encoding.
    let mut hash = Sha256::new();
    let mut field = |name: &str, bytes: &[u8]| {
        hash.update(format!("{name}:{}:", bytes.len()));
        hash.update(bytes);
    };
    field("agent", evaluation.effective.agent.as_bytes());
    match &evaluation.cwd {
        Some(cwd) => field("cwd", cwd),
        None => field("no-cwd", b""),
    }
    if let Some(plan) = &evaluation.original {
        executable(&mut field, &plan.exe);
        for a in &plan.argv {
            field("arg", a);
        }
    }
    for exe in evaluation.files() {
        executable(&mut field, exe);
    }
    let mut names = crate::rules::environ::scrub(&evaluation.env, &[]);
    // What a name that is known only at run time will be.
    names.push(b"PATH".to_vec());
    for entry in &evaluation.env {
        let name = entry.split(|b| *b == b'=').next().unwrap_or_default();
        if names.iter().any(|n| n == name) {
            field("env", entry);
        }
    }
    for f in &evaluation.findings {
        if matches!(f.reason, Reason::Environment | Reason::Assignment) {
            field("finding", f.message.as_bytes());
        }
    }
    hex(&hash.finalize())
}

fn executable(field: &mut impl FnMut(&str, &[u8]), exe: &Executable) {
    let id = exe.id;
    field("found", &exe.found);
    field("real", &exe.real);
    field("id", format!("{} {} {} {} {}", id.dev, id.ino, id.size, id.mtime_ns, id.ctime_ns).as_bytes());
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, b| {
        out.extend([b >> 4, b & 15].map(|d| char::from_digit(u32::from(d), 16).unwrap_or('0')));
        out
    })
}
