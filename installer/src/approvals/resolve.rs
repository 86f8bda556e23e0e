//! `approvals resolve`: a person's answer.
use policy::Choice;
use protocol::operator::{Answer, Command};

use super::pending::show;
use crate::cli::{Resolve, Word};
use crate::exit::{Exit, Failure};
use crate::operator::{Address, Operator, unexpected};
use crate::say::{self, Page, Tint};

/// Does it.
///
/// # Errors
/// It was not taken, and why.
pub fn run(args: &Resolve) -> Result<Exit, Failure> {
    if args.scope.is_some() && args.answer != Word::AllowAlways {
        return Err(Failure::usage("--scope goes with allow-always only"));
    }
    if args.reason.as_ref().is_some_and(|r| r.len() > protocol::message::MAX_REASON) {
        return Err(Failure::usage(format!(
            "--reason is longer than {} bytes",
            protocol::message::MAX_REASON
        )));
    }
    let mut operator = Operator::open(&Address::known()?)?;
    let (id, choice) = match args.answer.choice() {
        Some(choice) => (args.id.clone(), choice),
        None => always(args, &mut operator)?,
    };
    let command = Command::Resolve { id, choice, reason: args.reason.clone() };
    let Answer::Resolved { row, note } = operator.ask(&command)? else { return Err(unexpected()) };
    let mut page = Page::new();
    if args.json {
        let mut value = row.to_json();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("note".into(), note.clone().into());
        }
        page.json(&value);
    } else {
        let word = row.choice.map_or("answered", protocol::message::choice_word);
        let tint = if args.answer == Word::Deny { Tint::Red } else { Tint::Green };
        page.tinted(tint, format!("{}  {word}  {}", row.id, row.command));
        for line in &row.stored {
            page.line(format!("  {line}"));
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if let Some(note) = note {
        say::word(note);
    }
    Ok(Exit::Done)
}

/// What *always* stores: the scope that was given, or the only one there is. The whole id goes on from here, so that
/// what was looked at is what is answered.
fn always(args: &Resolve, operator: &mut Operator) -> Result<(String, Choice), Failure> {
    let (row, question) = show(operator, &args.id)?;
    let proposals = question.always.as_ref().map_err(|why| {
        Failure::not(format!("[not-offered] allow-always is not offered for this question: {why}"))
            .advise("answer allow-once")
    })?;
    let words = || proposals.iter().map(|p| p.scope.word()).collect::<Vec<_>>().join(", ");
    let scope = match (args.scope.map(crate::cli::ScopeWord::scope), proposals.as_slice()) {
        (None, [only]) => only.scope,
        (None, _) => {
            return Err(Failure::usage(format!("more than one scope is offered: {}", words()))
                .advise("name one with --scope"));
        }
        (Some(scope), all) if all.iter().any(|p| p.scope == scope) => scope,
        (Some(_), _) => {
            return Err(Failure::not(format!(
                "[not-offered] that scope is not offered; these are: {}",
                words()
            )));
        }
    };
    Ok((row.id, Choice::AllowAlways(scope)))
}
