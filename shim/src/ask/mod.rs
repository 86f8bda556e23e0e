//! Ways of asking, in order: the terminal, an approver, `askFallback`. No way left is a no.
mod broker;
mod prompt;
mod tty;

pub use broker::{Placed, report};

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The documents alone.
    Policy,
    /// A person, at the terminal.
    Person,
    /// A person, by an approver.
    Approver(Approver),
    /// `askFallback`, since nobody could be asked or answered in time.
    Fallback,
}

impl By {
    /// The word in the journal.
    pub fn word(&self) -> &'static str {
        match self {
            By::Policy => "policy",
            By::Person => "person",
            By::Approver(_) => "approver",
            By::Fallback => "fallback",
        }
    }
}

/// An answer that came by an approver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approver {
    /// Id of the question, there and in the journal.
    pub question: String,
    /// Who answered, as the approver says.
    pub who: Option<String>,
}

/// How one way of asking ended.
#[derive(Debug)]
enum Asked {
    /// A person answered, there or by an approver.
    Answered(Answer, Option<Approver>),
    /// A person was there and gave no answer that counts: ^C, ^D, gone.
    Broken(&'static str),
    /// No answer in time.
    Late,
    /// No answer while we could wait, and the question with this id stays.
    Left(String),
    /// Too long to be shown whole.
    TooLong,
    /// An approver was reached, and what came of it is a no: the ground, and why.
    Refused(Reason, String),
    /// Nobody can be reached this way: why. `None` where that is no fault.
    Nobody(Option<String>),
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
        Err(why) => Asked::Nobody(Some(why.why())),
    };
    // Only where the terminal reached nobody: who was asked there and gave no answer is not asked elsewhere.
    let Asked::Nobody(no_terminal) = by_terminal else { return verdict(eval, by_terminal) };
    match broker::ask(eval, inv, settings, world) {
        Asked::Nobody(no_approver) => {
            let why: Vec<String> = no_terminal.into_iter().chain(no_approver).collect();
            fallback(eval, ground(eval), refusal(eval, &why.join("; "), caller))
        }
        by_approver => verdict(eval, by_approver),
    }
}

/// Has an approver hold the question, under that id, without waiting for the answer.
///
/// # Errors
///
/// Nobody holds it: what comes of it instead.
pub fn place(
    eval: &Evaluation,
    inv: &Invocation,
    caller: &Caller,
    settings: &Settings,
    world: &Host,
    id: &str,
) -> Result<Placed, Verdict> {
    broker::place(eval, inv, settings, world, id).map_err(|asked| match asked {
        Asked::Nobody(why) => {
            let why = why.unwrap_or_else(|| "no approver is running".into());
            fallback(eval, ground(eval), refusal(eval, &why, caller))
        }
        other => verdict(eval, other),
    })
}

/// Waits for the answer. Without one nothing runs, whatever `askFallback` says: whoever asked has been told that a
/// person decides.
pub fn answer(eval: &Evaluation, placed: Placed) -> Verdict {
    let none = |reason, what: String| Verdict::No(reason, By::Policy, vec![what]);
    match placed.answer() {
        Asked::Late => none(Reason::Timeout, "no answer came in time".into()),
        Asked::Nobody(why) => none(Reason::NobodyToAsk, why.unwrap_or_else(|| "nobody is there".into())),
        asked => verdict(eval, asked),
    }
}

fn verdict(eval: &Evaluation, asked: Asked) -> Verdict {
    match asked {
        Asked::Answered(answer, None) => answered(eval, &answer, By::Person),
        Asked::Answered(answer, Some(approver)) => answered(eval, &answer, By::Approver(approver)),
        Asked::Broken(how) => Verdict::No(Reason::UserDenied, By::Person, vec![format!("no answer: {how}")]),
        Asked::TooLong => {
            let what = "it is too long to be shown whole at the terminal";
            Verdict::No(Reason::TooLongToAsk, By::Policy, vec![what.into()])
        }
        Asked::Refused(reason, why) => {
            let advice = Some(reason.advice()).filter(|a| !a.is_empty());
            Verdict::No(reason, By::Policy, std::iter::once(why).chain(advice.map(Into::into)).collect())
        }
        Asked::Left(id) => {
            let stays =
                format!("question {id} stays open: once a person said yes, run exactly the same again");
            fallback(eval, Reason::Timeout, unanswered(eval, "yet", stays))
        }
        Asked::Late => {
            let again = "run it again, and answer while it waits: exec-guardctl approvals watch".into();
            fallback(eval, Reason::Timeout, unanswered(eval, "in time", again))
        }
        Asked::Nobody(why) => fallback(eval, ground(eval), why.into_iter().collect()),
    }
}

/// What nobody answered, what it was about, and what to do.
fn unanswered(eval: &Evaluation, when: &str, then: String) -> Vec<String> {
    let mut words = vec![format!("no answer came {when}")];
    if let Some(ground) = eval.ground() {
        words = vec![format!("no answer came {when} to: [{}] {}", ground.reason.code(), ground.message)];
        words.extend(ground.advice.clone().filter(|a| !a.is_empty()));
    }
    words.push(then);
    words
}

fn answered(eval: &Evaluation, answer: &Answer, by: By) -> Verdict {
    let scope = match answer.choice() {
        Choice::AllowOnce => None,
        // An approver has stored it itself: what it was shown, and not what a guard makes of it.
        Choice::AllowAlways(scope) => (by == By::Person).then_some(scope),
        Choice::Deny => {
            let said = answer.reason.as_deref().map_or(String::new(), |r| format!(": {r}"));
            return Verdict::No(Reason::UserDenied, by, vec![format!("a person said no{said}")]);
        }
    };
    match eval.permit_of(answer) {
        Some(permit) => Verdict::Yes(Box::new(permit), by, scope),
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
        Err(NoTerminal::Marked(_)) => {
            "ask the person to run it, or to start an approver: exec-guardctl approver start"
        }
        Err(NoTerminal::Unreadable) => "run it in a terminal that was opened as this user",
        _ => "run it in a terminal, or start an approver: exec-guardctl approver start",
    };
    words.push(format!("a person would have to say yes and none can be asked here ({why}); {hint}"));
    match eval.findings.len() {
        0 | 1 => {}
        n => words.push(format!("grounds besides this one: {}; `exec-guard check` shows all", n - 1)),
    }
    words
}
