//! `session`: other settings for an agent, for a while. The running approver holds them.
use jiff::tz::TimeZone;
use protocol::operator::{Answer, Command, Override};
use serde_json::Value;

use crate::cli::{Session, SessionSet};
use crate::exit::{Exit, Failure};
use crate::operator::{Address, Operator, unexpected};
use crate::say::{self, Page, Tint};
use crate::when::{self, Towards};

/// Does it.
///
/// # Errors
/// No approver is running, or it does not take it.
pub fn run(command: &Session) -> Result<Exit, Failure> {
    match command {
        Session::Set(args) => set(args),
        Session::List { json } => list(*json),
        Session::Clear { agent, key } => {
            let command = Command::SessionClear { agent: agent.clone(), session: key.clone() };
            match Operator::open(&Address::known()?)?.ask(&command) {
                Ok(Answer::Done) => {
                    say::word("the override is taken back");
                    Ok(Exit::Done)
                }
                Ok(_) => Err(unexpected()),
                Err(crate::operator::Trouble::Refused(protocol::Code::Unknown, _)) => {
                    Err(Failure::not("no override is in force for that"))
                }
                Err(e) => Err(e.into()),
            }
        }
    }
}

fn set(args: &SessionSet) -> Result<Exit, Failure> {
    let now = when::now();
    let until = when::parse(&args.span, Towards::Future, &now)
        .map_err(|what| Failure::usage(format!("--for: {what}")))?;
    let now_ms = u64::try_from(now.timestamp().as_millisecond()).unwrap_or(0);
    let for_ms = until.saturating_sub(now_ms);
    if for_ms == 0 {
        return Err(Failure::usage(format!("--for {}: that is past", args.span)));
    }
    let mut operator = Operator::open(&Address::known()?)?;
    let command = Command::SessionSet {
        agent: args.agent.clone(),
        session: args.key.clone(),
        security: args.security.clone(),
        ask: args.ask.clone(),
        for_ms,
    };
    match operator.ask(&command)? {
        Answer::Done => show(&mut operator, false),
        _ => Err(unexpected()),
    }
}

fn list(json: bool) -> Result<Exit, Failure> {
    show(&mut Operator::open(&Address::known()?)?, json)
}

fn show(operator: &mut Operator, json: bool) -> Result<Exit, Failure> {
    let Answer::Sessions(all) = operator.ask(&Command::SessionList)? else { return Err(unexpected()) };
    let mut page = Page::new();
    let zone = when::now().time_zone().clone();
    if json {
        page.json(&Value::Array(all.iter().map(Override::to_json).collect()));
    } else if all.is_empty() {
        page.line("no override is in force");
    }
    for o in all.iter().filter(|_| !json) {
        page.tinted(Tint::Yellow, line(o, &zone));
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

/// One override.
pub fn line(o: &Override, zone: &TimeZone) -> String {
    let part = |name: &str, value: &Option<String>| value.as_ref().map(|v| format!("{name} {v}"));
    let what: Vec<String> =
        [part("security", &o.security), part("ask", &o.ask)].into_iter().flatten().collect();
    let until = when::local(o.until_ms, zone);
    format!("{}, {}: {} until {until} (by {})", o.agent, of(o), what.join(", "), o.by)
}

/// One override at a moment, milliseconds since 1970: what it says, or that it has ended.
pub fn told(o: &Override, at_ms: u64, zone: &TimeZone) -> String {
    if o.until_ms <= at_ms { format!("{}, {}: ended", o.agent, of(o)) } else { line(o, zone) }
}

/// Which sessions it is for.
pub fn of(o: &Override) -> String {
    o.session.as_deref().map_or("every session".to_owned(), |s| format!("session {s}"))
}
