//! What the journal says of calls. Likely secrets in what it keeps of a call are masked, as everywhere.
use std::io;

use serde_json::{Value, json};

use crate::call::Call;
use crate::engine::Scene;
use crate::identity::Who;
use crate::result::{Outcome, ToolResult};

/// What happened to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is about to be done: written before it is.
    Started,
    /// It came to this.
    Finished,
    /// It was not done.
    Denied,
}

impl Event {
    fn word(self) -> &'static str {
        match self {
            Event::Started => "tool.started",
            Event::Finished => "tool.finished",
            Event::Denied => "tool.denied",
        }
    }
}

/// Writes it down.
///
/// # Errors
/// It could not be written.
pub fn write(
    scene: &Scene,
    event: Event,
    id: &str,
    call: &Call,
    who: &Who,
    by: Option<&str>,
    result: Option<&ToolResult>,
) -> io::Result<()> {
    let Some(journal) = &scene.journal else { return Ok(()) };
    let ran = match result.and_then(|r| r.result.as_deref()) {
        Some(Outcome::Ran(ran)) => Some(ran),
        _ => None,
    };
    let text = match &call.command {
        Some(command) => command.what.shown(),
        None => Value::Object(call.args.clone()).to_string(),
    };
    let masked = protocol::mask_text(text.as_bytes());
    let kept = if scene.journal_full { text } else { String::from_utf8_lossy(&masked).into_owned() };
    let decision = match event {
        Event::Started | Event::Finished => "allow",
        Event::Denied => "deny",
    };
    journal.append(&json!({
        "v": 1,
        "ts": sys::time::now_ms(),
        "id": id,
        "event": event.word(),
        "agent": who.user,
        "tool": call.tool.name(),
        "user": who.user,
        "sender": who.sender,
        "claimed": who.claimed,
        "channel": call.request.channel,
        "message": call.request.message,
        "decision": decision,
        "by": by,
        "code": result.and_then(|r| r.code).map(|c| c.word()),
        "words": result.and_then(|r| r.error.as_ref()),
        "text": kept,
        "sandbox": ran.map(|r| &r.sandbox),
        "exitCode": ran.map(|r| r.exit_code),
        "timedOut": ran.map(|r| r.timed_out),
        "truncated": ran.map(|r| r.truncated),
        "uid": sys::ids::uid(),
        "exact": false,
    }))
}
