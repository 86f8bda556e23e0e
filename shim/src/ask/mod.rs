//! Ways of asking, in order: the terminal, an approver, `askFallback`. No way left is a no.
mod prompt;
mod tty;

use policy::{Answer, Choice, Evaluation, Invocation, Permit, Reason, Scope};
use sys::world::Host;

use crate::locate::Settings;
use store::caller::{Caller, NoTerminal};

/// What came of a question.
#[derive(Debug)]
pub enum Verdict {
    /// It may run; entries of that scope are to be stored.
    Yes(Box<Permit>, By, Option<Scope>),
    /// It may not: the ground, and sentences for the caller, the first of which says what.
    No(Reason, By, Vec<String>),
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The documents alone.
    Policy,
    /// A person.
    Person,
    /// `askFallback`, since nobody could be asked or answered in time.
    Fallback,
}

impl By {
    /// The word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            By::Policy => "policy",
            By::Person => "person",
            By::Fallback => "fallback",
        }
    }
}

/// How one way of asking ended.
#[derive(Debug)]
enum Asked {
    /// A person answered.
    Answered(Answer),
    /// A person was there and gave no answer that counts: ^C, ^D, gone.
    Broken(&'static str),
    /// No answer in time.
    Late,
    /// Too long to be shown whole.
    TooLong,
    /// Nobody can be reached this way: why.
    Nobody(String),
}

/// Asks about an evaluation that came to *ask*.
pub fn ask(
    eval: &Evaluation,
    inv: &Invocation,
    caller: &Caller,
    settings: &Settings,
    world: &Host,
) -> Verdict {
    // Whoever is asked may hang up.
    sys::entry::hush();
    let by_terminal = match &caller.terminal {
        Ok(terminal) => tty::ask(terminal, eval, inv, settings, world),
        Err(why) => Asked::Nobody(why.why()),
    };
    // An approver's socket would be asked here where the terminal reached nobody.
    match by_terminal {
        Asked::Answered(answer) => answered(eval, &answer),
        Asked::Broken(how) => Verdict::No(Reason::UserDenied, By::Person, vec![format!("no answer: {how}")]),
        Asked::TooLong => {
            let what = "it is too long to be shown whole at the terminal";
            Verdict::No(Reason::TooLongToAsk, By::Policy, vec![what.into()])
        }
        Asked::Late => fallback(eval, Reason::Timeout, vec!["no answer came in time".into()]),
        Asked::Nobody(why) => fallback(eval, ground(eval), refusal(eval, &why, caller)),
    }
}

fn answered(eval: &Evaluation, answer: &Answer) -> Verdict {
    let scope = match answer.choice() {
        Choice::AllowOnce => None,
        Choice::AllowAlways(scope) => Some(scope),
        Choice::Deny => {
            let said = answer.reason.as_deref().map_or(String::new(), |r| format!(": {r}"));
            return Verdict::No(Reason::UserDenied, By::Person, vec![format!("a person said no{said}")]);
        }
    };
    match eval.permit_of(answer) {
        Some(permit) => Verdict::Yes(Box::new(permit), By::Person, scope),
        // The answer was to another question, or there is nothing that could be executed.
        None => Verdict::No(Reason::Internal, By::Policy, vec!["the answer does not fit the command".into()]),
    }
}

/// `askFallback`, at once: nobody waits for nothing.
fn fallback(eval: &Evaluation, reason: Reason, words: Vec<String>) -> Verdict {
    match eval.fallback() {
        Some(permit) => Verdict::Yes(Box::new(permit), By::Fallback, None),
        None => Verdict::No(reason, By::Fallback, words),
    }
}

fn ground(eval: &Evaluation) -> Reason {
    eval.ground().map_or(Reason::NobodyToAsk, |f| f.reason)
}

/// What a caller is told that nobody can be asked about: the ground and what mends it, why nobody could be asked, and
/// how much more there is. An entry is spoken of only where the ground's own advice does, since it is not the cure for
/// every ground.
fn refusal(eval: &Evaluation, why: &str, caller: &Caller) -> Vec<String> {
    let ground = eval.ground();
    let mut words = vec![ground.map_or_else(|| Reason::NobodyToAsk.meaning().into(), |f| f.message.clone())];
    words.extend(ground.and_then(|f| f.advice.clone()).filter(|a| !a.is_empty()));
    let hint = match &caller.terminal {
        Err(NoTerminal::Marked(_)) => "ask the person to run it",
        Err(NoTerminal::Unreadable) => "run it in a terminal that was opened as this user",
        _ => "run it in a terminal",
    };
    words.push(format!("a person would have to say yes and none can be asked here ({why}); {hint}"));
    match eval.findings.len() {
        0 | 1 => {}
        n => words.push(format!("grounds besides this one: {}; `exec-guard check` shows all", n - 1)),
    }
    words
}
