//! The operator socket, version 1: whoever answers questions, changes overrides and looks at runs.
//!
//! The approver begins with a challenge, as on the asking socket. Then the operator sends commands, numbered from 1, and
//! each gets one answer with its number; after `watch` events follow as they happen.
//!
//! ```text
//!  approver                                  operator
//!  {"type":"challenge", …}          ─────▶
//!                                   ◀─────   {"type":"command","n":1,"command":"{…}","hmac":…}
//!  {"type":"answer","n":1, …}       ─────▶
//!  {"type":"event", …}              ─────▶   only after watch
//! ```
//!
//! A field of a command that is not known is refused; of an answer or event it is passed over, since those are only
//! shown, and an older operator may talk to a newer approver.
use serde_json::{Value, json};

use crate::code::Code;
use crate::field::{Fields, MAX_ID, Malformed, Read};
use crate::mac::{self, Kind};
use crate::message::{Challenge, Choice, MAX_REASON, choice_word, read_choice, scope_of};
use crate::token::Token;

pub use crate::event::{Event, EventKind, MAX_SUMMARY, Override, Row, Run, State, Status, ToolCall, summary};

/// A command with its number and MAC, as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// 1 for the first command of a connection, then one more each time: none is good twice.
    pub n: u64,
    /// JSON, exactly as it was signed.
    pub command: String,
    /// See [`mac::client`].
    pub hmac: String,
}

impl Envelope {
    /// A command for this conversation.
    pub fn new(token: &Token, to: &Challenge, n: u64, command: &Command) -> Envelope {
        let command = command.to_json().to_string();
        let hmac = mac::client(token, Kind::Command, to, &n.to_string(), &command);
        Envelope { n, command, hmac }
    }

    /// True if its MAC is right.
    pub fn is_true(&self, token: &Token, to: &Challenge) -> bool {
        mac::is_client(token, Kind::Command, to, &self.n.to_string(), &self.command, &self.hmac)
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({"type": "command", "n": self.n, "command": self.command, "hmac": self.hmac})
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(line: &[u8]) -> Read<Envelope> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        if f.text("type", 32)? != "command" {
            return Err(Malformed::new("type", "no command"));
        }
        let command = f.text("command", crate::frame::MAX_LINE)?.to_owned();
        let envelope = Envelope { n: f.whole("n")?, command, hmac: f.hash("hmac")? };
        f.end()?;
        Ok(envelope)
    }
}

/// What an operator wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// The questions that wait; with `all` also those that are over and not yet forgotten.
    List {
        /// Those that are over too.
        all: bool,
        /// Those behind that id only, as `list` gives them in order: a list may be longer than a message.
        after: Option<String>,
    },
    /// One question, whole.
    Show {
        /// Id, or the beginning of one.
        id: String,
    },
    /// An answer.
    Resolve {
        /// Id, or the beginning of one.
        id: String,
        /// The answer.
        choice: Choice,
        /// Words for the caller.
        reason: Option<String>,
    },
    /// Events from now on, on this connection.
    Watch,
    /// An override for one agent, or one session of it, for a while.
    SessionSet {
        /// The agent.
        agent: String,
        /// The session; every session of the agent without.
        session: Option<String>,
        /// `security`; unchanged without.
        security: Option<String>,
        /// `ask`; unchanged without.
        ask: Option<String>,
        /// How long, milliseconds.
        for_ms: u64,
    },
    /// The overrides in force.
    SessionList,
    /// Ends an override.
    SessionClear {
        /// The agent.
        agent: String,
        /// The session; the one for every session without.
        session: Option<String>,
    },
    /// The runs that were not waited for, newest first.
    Runs,
    /// One of them.
    RunShow {
        /// Id, or the beginning of one.
        id: String,
    },
    /// A piece of what one of them wrote.
    RunLog {
        /// Id, or the beginning of one.
        id: String,
        /// Standard error instead of standard output.
        stderr: bool,
        /// From that byte on.
        at: u64,
    },
    /// How the approver does.
    Status,
    /// A link by which a browser enters the panel, once.
    PanelLink,
    /// The approver is to end.
    Shutdown,
}

/// Most rows in one answer.
pub const MAX_ROWS: usize = 100;

/// Most bytes of a log in one answer: spelled out they still have room in a message.
pub const MAX_LOG: usize = 1 << 16;

/// Longest name of an agent or session, bytes.
const MAX_NAME: usize = crate::ask::MAX_NAME;

fn security(word: &str) -> Option<String> {
    matches!(word, "deny" | "allowlist" | "full").then(|| word.to_owned())
}

fn ask(word: &str) -> Option<String> {
    matches!(word, "off" | "on-miss" | "always").then(|| word.to_owned())
}

impl Command {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Command::List { all, after } => json!({"do": "list", "all": all, "after": after}),
            Command::Show { id } => json!({"do": "show", "id": id}),
            Command::Resolve { id, choice, reason } => json!({
                "do": "resolve",
                "id": id,
                "decision": choice_word(*choice),
                "scope": scope_of(*choice).map(policy::Scope::word),
                "reason": reason,
            }),
            Command::Watch => json!({"do": "watch"}),
            Command::SessionSet { agent, session, security, ask, for_ms } => json!({
                "do": "session-set",
                "agent": agent,
                "session": session,
                "security": security,
                "ask": ask,
                "forMs": for_ms,
            }),
            Command::SessionList => json!({"do": "session-list"}),
            Command::SessionClear { agent, session } => {
                json!({"do": "session-clear", "agent": agent, "session": session})
            }
            Command::Runs => json!({"do": "runs"}),
            Command::RunShow { id } => json!({"do": "run-show", "id": id}),
            Command::RunLog { id, stderr, at } => {
                json!({"do": "run-log", "id": id, "stderr": stderr, "at": at})
            }
            Command::Status => json!({"do": "status"}),
            Command::PanelLink => json!({"do": "panel-link"}),
            Command::Shutdown => json!({"do": "shutdown"}),
        }
    }

    /// Reads the text of a command.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Read<Command> {
        let value = crate::frame::value(text.as_bytes())?;
        let mut f = Fields::of(&value, "command")?;
        let owned = |t: Option<&str>| t.map(str::to_owned);
        let command = match f.text("do", 32)? {
            "list" => {
                let after = f.get("after").is_some().then(|| f.id("after")).transpose()?;
                Command::List { all: f.flag("all")?, after }
            }
            "show" => Command::Show { id: f.id("id")? },
            "resolve" => Command::Resolve {
                id: f.id("id")?,
                choice: read_choice(&mut f)?,
                reason: owned(f.maybe_text("reason", MAX_REASON)?),
            },
            "watch" => Command::Watch,
            "session-set" => Command::SessionSet {
                agent: f.text("agent", MAX_NAME)?.to_owned(),
                session: owned(f.maybe_text("session", MAX_NAME)?),
                security: f.maybe_word("security", security)?,
                ask: f.maybe_word("ask", ask)?,
                for_ms: f.whole("forMs")?,
            },
            "session-list" => Command::SessionList,
            "session-clear" => Command::SessionClear {
                agent: f.text("agent", MAX_NAME)?.to_owned(),
                session: owned(f.maybe_text("session", MAX_NAME)?),
            },
            "runs" => Command::Runs,
            "run-show" => Command::RunShow { id: f.id("id")? },
            "run-log" => Command::RunLog { id: f.id("id")?, stderr: f.flag("stderr")?, at: f.whole("at")? },
            "status" => Command::Status,
            "panel-link" => Command::PanelLink,
            "shutdown" => Command::Shutdown,
            _ => return Err(Malformed::new("do", "unknown")),
        };
        f.end()?;
        Ok(command)
    }
}

/// What an approver says to an operator.
#[derive(Clone, Debug, PartialEq)]
pub enum FromApprover {
    /// The first words.
    Challenge(Challenge),
    /// To the command of that number.
    Answer {
        /// The command's number.
        n: u64,
        /// The answer.
        answer: Answer,
    },
    /// Something happened.
    Event(Event),
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To `list`.
    Questions {
        /// At most [`MAX_ROWS`].
        rows: Vec<Row>,
        /// There are more behind the last of them.
        more: bool,
    },
    /// To `show`: the row, and the question as it came.
    Question {
        /// How it stands.
        row: Row,
        /// The text of [`crate::ask::WireQuestion`].
        request: String,
    },
    /// To `resolve`: how the question stands now, and what is to be known about it (an *always* that could not be
    /// stored).
    Resolved {
        /// How it stands.
        row: Row,
        /// A sentence, if any.
        note: Option<String>,
    },
    /// To `session-list`.
    Sessions(Vec<Override>),
    /// To `runs`.
    Runs(Vec<Run>),
    /// To `run-show`.
    Run(Run),
    /// To `run-log`: at most [`MAX_LOG`] bytes; none at the end of what was kept so far.
    Log(Vec<u8>),
    /// To `status`.
    Status(Status),
    /// To `panel-link`.
    Link(String),
    /// To `watch`, `session-set`, `session-clear` and `shutdown`: it is so.
    Done,
    /// No, and why.
    Error {
        /// Why.
        code: Code,
        /// More about it: the ids an ambiguous one could be, how a question was answered.
        detail: Option<String>,
    },
}

impl FromApprover {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        match self {
            FromApprover::Challenge(c) => c.to_json(),
            FromApprover::Event(e) => e.to_json(),
            FromApprover::Answer { n, answer } => {
                let (name, value) = answer.parts();
                json!({"type": "answer", "n": n, "kind": name, "value": value})
            }
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is no message of an approver to an operator.
    pub fn parse(line: &[u8]) -> Read<FromApprover> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        match f.text("type", 32)? {
            "challenge" => Challenge::read(&value).map(FromApprover::Challenge),
            "event" => Event::read(&value).map(FromApprover::Event),
            "answer" => {
                let answer = Answer::read(f.text("kind", 32)?, f.get("value").unwrap_or(&Value::Null))?;
                Ok(FromApprover::Answer { n: f.whole("n")?, answer })
            }
            _ => Err(Malformed::new("type", "unknown")),
        }
    }
}

impl Answer {
    fn parts(&self) -> (&'static str, Value) {
        match self {
            Answer::Questions { rows, more } => (
                "questions",
                json!({"rows": rows.iter().map(Row::to_json).collect::<Vec<_>>(), "more": more}),
            ),
            Answer::Question { row, request } => {
                ("question", json!({"row": row.to_json(), "request": request}))
            }
            Answer::Resolved { row, note } => ("resolved", json!({"row": row.to_json(), "note": note})),
            Answer::Sessions(all) => ("sessions", all.iter().map(Override::to_json).collect()),
            Answer::Runs(all) => ("runs", all.iter().map(Run::to_json).collect()),
            Answer::Run(run) => ("run", run.to_json()),
            Answer::Log(bytes) => ("log", crate::json::tree(&crate::ask::bytes_json(bytes))),
            Answer::Status(s) => ("status", s.to_json()),
            Answer::Link(url) => ("link", json!(url)),
            Answer::Done => ("done", Value::Null),
            Answer::Error { code, detail } => ("error", json!({"code": code.word(), "detail": detail})),
        }
    }

    fn read(kind: &str, value: &Value) -> Read<Answer> {
        fn all<T>(value: &Value, each: impl Fn(&Value) -> Read<T>) -> Read<Vec<T>> {
            value.as_array().ok_or(Malformed::new("value", "no list"))?.iter().map(each).collect()
        }
        let mut f = Fields::of(value, "value");
        let fields = f.as_mut().map_err(|e| e.clone());
        Ok(match kind {
            "questions" => {
                let f = fields?;
                Answer::Questions { rows: all(f.need("rows")?, Row::read)?, more: f.flag("more")? }
            }
            "sessions" => Answer::Sessions(all(value, Override::read)?),
            "runs" => Answer::Runs(all(value, Run::read)?),
            "done" => Answer::Done,
            "link" => Answer::Link(value.as_str().ok_or(Malformed::new("value", "no text"))?.to_owned()),
            "status" => Answer::Status(Status::read(value)?),
            "question" => {
                let f = fields?;
                let request = f.text("request", crate::frame::MAX_LINE)?.to_owned();
                Answer::Question { row: Row::read(f.need("row")?)?, request }
            }
            "resolved" => {
                let f = fields?;
                let note = f.maybe_text("note", crate::frame::MAX_LINE)?.map(str::to_owned);
                Answer::Resolved { row: Row::read(f.need("row")?)?, note }
            }
            "run" => Answer::Run(Run::read(value)?),
            "log" => Answer::Log(crate::ask::read_bytes(value, "value")?),
            "error" => {
                let f = fields?;
                let detail = f.maybe_text("detail", crate::frame::MAX_LINE)?.map(str::to_owned);
                Answer::Error { code: f.word("code", Code::of)?, detail }
            }
            _ => return Err(Malformed::new("kind", "unknown")),
        })
    }
}

/// The id that begins so, among those there are.
///
/// # Errors
/// [`Code::Unknown`] or [`Code::Ambiguous`].
pub fn by_prefix<'a>(prefix: &str, ids: impl Iterator<Item = &'a str>) -> Result<&'a str, Code> {
    if prefix.is_empty() || prefix.len() > MAX_ID {
        return Err(Code::Unknown);
    }
    let mut found = None;
    for id in ids.filter(|id| id.starts_with(prefix)) {
        if id == prefix {
            return Ok(id);
        }
        if found.replace(id).is_some() {
            // The whole id may still come.
            found = Some("");
        }
    }
    match found {
        Some("") => Err(Code::Ambiguous),
        Some(id) => Ok(id),
        None => Err(Code::Unknown),
    }
}

#[cfg(test)]
#[path = "operator_tests.rs"]
mod tests;
