//! `approvals watch`: what happens, as it happens. An approver that goes away is waited for.
use std::collections::HashSet;
use std::io;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use protocol::operator::{Answer, Command, Event, EventKind, Row};

use super::pending::{line, list, span};
use crate::cli::Watch;
use crate::exit::{Exit, Failure};
use crate::operator::{Address, Operator, Trouble, unexpected};
use crate::say::{self, Page, Tint};
use crate::when;

/// How long between two tries to reach an approver that went away.
const AGAIN: Duration = Duration::from_millis(500);
/// Longest wait for one event; then the wait begins anew.
const LONG: Duration = Duration::from_secs(3600);

/// How a watch of one connection ended.
enum End {
    /// The approver is gone.
    Gone,
    /// Nobody reads any more what we write.
    Unread,
}

/// Does it, until ^C.
///
/// # Errors
/// No approver is running at first; it does not let us watch.
pub fn run(args: &Watch) -> Result<Exit, Failure> {
    let address = Address::known()?;
    let zone = when::now().time_zone().clone();
    let mut seen = HashSet::new();
    let mut operator = Operator::open(&address)?;
    loop {
        match watch(&mut operator, args.json, &zone, &mut seen)? {
            End::Unread => return Ok(Exit::Done),
            End::Gone => say::word("the approver is gone; waiting for it to come back (^C ends)"),
        }
        operator = loop {
            std::thread::sleep(AGAIN);
            // It may have been started with documents that were written meanwhile.
            match Operator::open(&Address::known().unwrap_or_else(|_| address.clone())) {
                Ok(operator) => break operator,
                Err(Trouble::Absent(_) | Trouble::Ended(_)) => {}
                Err(e) => return Err(e.into()),
            }
        };
        say::word("the approver is back");
    }
}

fn watch(
    operator: &mut Operator,
    json: bool,
    zone: &TimeZone,
    seen: &mut HashSet<String>,
) -> Result<End, Failure> {
    // First the events, then the list: what comes between stands in both, and is told by its id.
    match operator.ask(&Command::Watch) {
        Ok(Answer::Done) => {}
        Ok(_) => return Err(unexpected()),
        Err(Trouble::Ended(_)) => return Ok(End::Gone),
        Err(e) => return Err(e.into()),
    }
    for row in list(operator)? {
        if seen.insert(row.id.clone()) {
            let mut event = Event::new(EventKind::Requested, row.asked_at_ms, Some(row.id.clone()));
            event.row = Some(row);
            if say(&event, json, zone).is_err() {
                return Ok(End::Unread);
            }
        }
    }
    loop {
        match operator.event(Instant::now() + LONG) {
            Ok(None) => {}
            Ok(Some(event)) => {
                let first = event.id.as_ref().is_none_or(|id| seen.insert(id.clone()));
                let told = event.kind == EventKind::Requested && !first;
                if !told && say(&event, json, zone).is_err() {
                    return Ok(End::Unread);
                }
            }
            Err(Trouble::Ended(_)) => return Ok(End::Gone),
            Err(e) => return Err(e.into()),
        }
    }
}

fn say(event: &Event, json: bool, zone: &TimeZone) -> io::Result<()> {
    let mut page = Page::new();
    if json {
        page.json_line(&event.to_json());
    } else {
        text(event, zone, &mut page);
    }
    page.print_more()
}

fn text(event: &Event, zone: &TimeZone, page: &mut Page) {
    let when = when::local(event.at_ms, zone);
    let id = event.id.as_deref().unwrap_or("-");
    let command = event.row.as_ref().map_or("", |r| r.command.as_str());
    let by = event.row.as_ref().and_then(|r| r.by.as_deref()).map_or(String::new(), |by| format!(" by {by}"));
    let reason = |r: Option<&str>| r.map_or(String::new(), |r| format!(": {r}"));
    match event.kind {
        EventKind::Requested => {
            let told = event.row.as_ref().map(|r| line(r, id, event.at_ms)).unwrap_or_default();
            page.tinted(Tint::Yellow, format!("{when}  asks       {told}"));
        }
        EventKind::Resolved => {
            let state = event.row.as_ref().map_or("over".into(), word);
            let why = reason(event.row.as_ref().and_then(|r| r.reason.as_deref()));
            let tint = if state.starts_with("allow") { Tint::Green } else { Tint::Red };
            page.tinted(tint, format!("{when}  {state:<9}  {id}  {command}{by}{why}"));
            for line in event.row.iter().flat_map(|r| &r.stored) {
                page.line(format!("    {line}"));
            }
        }
        EventKind::Running => page.line(format!("{when}  runs       {id}  {command}")),
        EventKind::Finished => {
            let code = event.code.map_or("?".into(), |c| c.to_string());
            let took = event.duration_ms.map_or(String::new(), |ms| format!(" after {}", span(ms)));
            page.line(format!("{when}  ended {code:<3}  {id}  {command}{took}"));
        }
        EventKind::Denied => {
            page.tinted(
                Tint::Red,
                format!("{when}  denied     {id}  {command}{}", reason(event.reason.as_deref())),
            );
        }
        EventKind::Session => {
            let what = match &event.session {
                Some(o) => crate::session::told(o, event.at_ms, zone),
                None => "ended".to_owned(),
            };
            page.tinted(Tint::Yellow, format!("{when}  override   {what}"));
        }
    }
}

fn word(row: &Row) -> String {
    row.choice.map_or(row.state.word(), protocol::message::choice_word).to_owned()
}
