//! What an approver tells an operator: how questions and runs stand, and what happens. For showing only.
//!
//! Fields that are not known are passed over here: see [`crate::operator`].
use policy::Scope;
use serde_json::{Value, json};

use crate::field::{Fields, Malformed, Read};
use crate::message::{Choice, choice_word, scope_of};

/// Longest text of a field, bytes.
const MAX: usize = crate::frame::MAX_LINE;

/// Longest summary of a command in a row, bytes: what is longer is cut there, and has to be looked at whole.
pub const MAX_SUMMARY: usize = 400;

/// A command's summary for rows and events: one visible line of at most [`MAX_SUMMARY`] bytes, and whether it was cut.
pub fn summary(command: &crate::Shown) -> (String, bool) {
    let text = command.as_str();
    if text.len() <= MAX_SUMMARY {
        return (text.to_owned(), false);
    }
    let mut end = MAX_SUMMARY;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (text.get(..end).unwrap_or_default().to_owned(), true)
}

/// How a question stands: it waits, or went over to one of the others, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Nobody answered yet.
    Waiting,
    /// Answered.
    Answered,
    /// Nobody answered in time.
    Expired,
    /// Whoever asked went away.
    Withdrawn,
}

impl State {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Answered => "answered",
            State::Expired => "expired",
            State::Withdrawn => "withdrawn",
        }
    }

    /// The state with that word.
    pub fn of(word: &str) -> Option<State> {
        [State::Waiting, State::Answered, State::Expired, State::Withdrawn]
            .into_iter()
            .find(|s| s.word() == word)
    }
}

/// The call of a tool that a question is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Who wants it.
    pub user: String,
    /// The channel it was said in.
    pub channel: Option<String>,
    /// The message it was said with.
    pub message: Option<String>,
}

impl ToolCall {
    fn to_json(&self) -> Value {
        json!({"name": self.name, "user": self.user, "channel": self.channel, "message": self.message})
    }

    fn read(value: &Value) -> Read<ToolCall> {
        let mut f = Fields::of(value, "tool")?;
        Ok(ToolCall {
            name: f.text("name", MAX)?.to_owned(),
            user: f.text("user", MAX)?.to_owned(),
            channel: owned(f.maybe_text("channel", MAX)?),
            message: owned(f.maybe_text("message", MAX)?),
        })
    }
}

/// A question in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: String,
    /// How it stands.
    pub state: State,
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: Option<String>,
    /// The command: see [`summary`].
    pub command: String,
    /// True if that is not the whole command.
    pub cut: bool,
    /// The working folder, made visible.
    pub cwd: Option<String>,
    /// Code of the ground.
    pub ground: String,
    /// When it was asked, milliseconds since 1970.
    pub asked_at_ms: u64,
    /// Until when it can be answered, milliseconds since 1970.
    pub expires_at_ms: u64,
    /// True if whoever asked does not wait.
    pub detached: bool,
    /// The scopes in which *always* is offered.
    pub scopes: Vec<Scope>,
    /// How it was answered.
    pub choice: Option<Choice>,
    /// Who answered.
    pub by: Option<String>,
    /// The words of whoever answered.
    pub reason: Option<String>,
    /// What an *always* stored, for whom and where, and how to take it back: lines for a person. Left out of lists.
    pub stored: Vec<String>,
    /// The tool it is about, if it is about one; all of it visible text.
    pub tool: Option<ToolCall>,
}

/// Longest list of faults.
const MAX_FAULTS: usize = 16;

fn owned(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

fn maybe_choice(f: &mut Fields<'_>) -> Read<Option<Choice>> {
    f.get("decision").is_some().then(|| crate::message::read_choice(f)).transpose()
}

impl Row {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        let mut out = json!({
            "id": self.id,
            "state": self.state.word(),
            "agent": self.agent,
            "session": self.session,
            "command": self.command,
            "cut": self.cut,
            "cwd": self.cwd,
            "ground": self.ground,
            "askedAtMs": self.asked_at_ms,
            "expiresAtMs": self.expires_at_ms,
            "detached": self.detached,
            "scopes": self.scopes.iter().map(|s| s.word()).collect::<Vec<_>>(),
            "decision": self.choice.map(choice_word),
            "scope": self.choice.and_then(scope_of).map(Scope::word),
            "by": self.by,
            "reason": self.reason,
        });
        if let (Some(tool), Some(fields)) = (&self.tool, out.as_object_mut()) {
            fields.insert("tool".into(), tool.to_json());
        }
        if let (false, Some(fields)) = (self.stored.is_empty(), out.as_object_mut()) {
            fields.insert("stored".into(), self.stored.clone().into());
        }
        out
    }

    /// Reads one.
    ///
    /// # Errors
    /// A field is missing or of another kind.
    pub fn read(value: &Value) -> Read<Row> {
        let mut f = Fields::of(value, "row")?;
        let scope =
            |v: &Value| v.as_str().and_then(Scope::of).ok_or(Malformed::new("scopes", "unknown word"));
        Ok(Row {
            id: f.id("id")?,
            state: f.word("state", State::of)?,
            agent: f.text("agent", MAX)?.to_owned(),
            session: owned(f.maybe_text("session", MAX)?),
            command: f.text("command", MAX)?.to_owned(),
            cut: f.flag("cut")?,
            cwd: owned(f.maybe_text("cwd", MAX)?),
            ground: f.text("ground", MAX)?.to_owned(),
            asked_at_ms: f.whole("askedAtMs")?,
            expires_at_ms: f.whole("expiresAtMs")?,
            detached: f.flag("detached")?,
            scopes: f.list("scopes", 8)?.iter().map(scope).collect::<Read<_>>()?,
            choice: maybe_choice(&mut f)?,
            by: owned(f.maybe_text("by", MAX)?),
            reason: owned(f.maybe_text("reason", MAX)?),
            tool: f.get("tool").map(ToolCall::read).transpose()?,
            stored: match f.get("stored") {
                None => Vec::new(),
                Some(_) => {
                    f.list("stored", 64)?.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
            },
        })
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A question came: `exec.approval.requested`.
    Requested,
    /// A question was answered, expired or withdrawn: `exec.approval.resolved`.
    Resolved,
    /// A command has been running for a while: `exec.running`.
    Running,
    /// A command came to its end: `exec.finished`.
    Finished,
    /// A command was not run: `exec.denied`.
    Denied,
    /// An override was set or came to its end: `exec.session`.
    Session,
}

impl EventKind {
    const ALL: [EventKind; 6] = [
        EventKind::Requested,
        EventKind::Resolved,
        EventKind::Running,
        EventKind::Finished,
        EventKind::Denied,
        EventKind::Session,
    ];

    /// The name.
    pub fn word(self) -> &'static str {
        match self {
            EventKind::Requested => "exec.approval.requested",
            EventKind::Resolved => "exec.approval.resolved",
            EventKind::Running => "exec.running",
            EventKind::Finished => "exec.finished",
            EventKind::Denied => "exec.denied",
            EventKind::Session => "exec.session",
        }
    }

    /// The kind with that name.
    pub fn of(word: &str) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|k| k.word() == word)
    }
}

/// Something that happened, for whoever watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub kind: EventKind,
    /// When, milliseconds since 1970.
    pub at_ms: u64,
    /// Id of the question or run; `None` for an override.
    pub id: Option<String>,
    /// The question as it stands now, where it is about one.
    pub row: Option<Row>,
    /// The override, where it is about one.
    pub session: Option<Override>,
    /// Exit code of a finished command, or 128 + signal.
    pub code: Option<u64>,
    /// How long it took, milliseconds.
    pub duration_ms: Option<u64>,
    /// Code of the reason of a denial.
    pub reason: Option<String>,
}

impl Event {
    /// One with nothing but that.
    pub fn new(kind: EventKind, at_ms: u64, id: Option<String>) -> Event {
        Event { kind, at_ms, id, row: None, session: None, code: None, duration_ms: None, reason: None }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "type": "event",
            "event": self.kind.word(),
            "atMs": self.at_ms,
            "id": self.id,
            "row": self.row.as_ref().map(Row::to_json),
            "session": self.session.as_ref().map(Override::to_json),
            "code": self.code,
            "durationMs": self.duration_ms,
            "reason": self.reason,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// A field is missing or of another kind.
    pub fn read(value: &Value) -> Read<Event> {
        let mut f = Fields::of(value, "event")?;
        Ok(Event {
            kind: f.word("event", EventKind::of)?,
            at_ms: f.whole("atMs")?,
            id: f.get("id").is_some().then(|| f.id("id")).transpose()?,
            row: f.get("row").map(Row::read).transpose()?,
            session: f.get("session").map(Override::read).transpose()?,
            code: f.maybe_whole("code")?,
            duration_ms: f.maybe_whole("durationMs")?,
            reason: owned(f.maybe_text("reason", MAX)?),
        })
    }
}

/// An override of one agent, or of one session of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The agent.
    pub agent: String,
    /// The session; every session of the agent without.
    pub session: Option<String>,
    /// `security`, if it is overridden.
    pub security: Option<String>,
    /// `ask`, if it is overridden.
    pub ask: Option<String>,
    /// Until when, milliseconds since 1970.
    pub until_ms: u64,
    /// Who set it.
    pub by: String,
}

impl Override {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "agent": self.agent,
            "session": self.session,
            "security": self.security,
            "ask": self.ask,
            "untilMs": self.until_ms,
            "by": self.by,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// A field is missing or of another kind.
    pub fn read(value: &Value) -> Read<Override> {
        let mut f = Fields::of(value, "override")?;
        Ok(Override {
            agent: f.text("agent", MAX)?.to_owned(),
            session: owned(f.maybe_text("session", MAX)?),
            security: owned(f.maybe_text("security", MAX)?),
            ask: owned(f.maybe_text("ask", MAX)?),
            until_ms: f.whole("untilMs")?,
            by: f.text("by", MAX)?.to_owned(),
        })
    }
}

/// A command that was not waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id, which is that of its question.
    pub id: String,
    /// The agent.
    pub agent: String,
    /// The command: see [`summary`].
    pub command: String,
    /// `waiting`, `running`, `finished` or `denied`.
    pub state: String,
    /// When it began, milliseconds since 1970.
    pub started_at_ms: Option<u64>,
    /// Exit code, or 128 + signal.
    pub code: Option<u64>,
    /// How long it took, milliseconds.
    pub duration_ms: Option<u64>,
    /// Code of the reason of a denial.
    pub reason: Option<String>,
}

impl Run {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "agent": self.agent,
            "command": self.command,
            "state": self.state,
            "startedAtMs": self.started_at_ms,
            "code": self.code,
            "durationMs": self.duration_ms,
            "reason": self.reason,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// A field is missing or of another kind.
    pub fn read(value: &Value) -> Read<Run> {
        let mut f = Fields::of(value, "run")?;
        Ok(Run {
            id: f.id("id")?,
            agent: f.text("agent", MAX)?.to_owned(),
            command: f.text("command", MAX)?.to_owned(),
            state: f.text("state", 64)?.to_owned(),
            started_at_ms: f.maybe_whole("startedAtMs")?,
            code: f.maybe_whole("code")?,
            duration_ms: f.maybe_whole("durationMs")?,
            reason: owned(f.maybe_text("reason", MAX)?),
        })
    }
}

/// How an approver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// Its process id.
    pub pid: u64,
    /// Since when it runs, milliseconds since 1970.
    pub started_at_ms: u64,
    /// Questions that wait.
    pub waiting: u64,
    /// Questions that are over and not forgotten yet.
    pub over: u64,
    /// The asking socket.
    pub socket: String,
    /// The panel's address; `None` if there is none.
    pub panel: Option<String>,
    /// Overrides in force.
    pub sessions: u64,
    /// What it was told to serve and does not, and why, a sentence each; absent from one of before.
    pub faults: Vec<String>,
}

impl Status {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "version": self.version,
            "pid": self.pid,
            "startedAtMs": self.started_at_ms,
            "waiting": self.waiting,
            "over": self.over,
            "socket": self.socket,
            "panel": self.panel,
            "sessions": self.sessions,
            "faults": self.faults,
        })
    }

    /// Reads one.
    ///
    /// # Errors
    /// A field is missing or of another kind.
    pub fn read(value: &Value) -> Read<Status> {
        let mut f = Fields::of(value, "status")?;
        Ok(Status {
            version: f.text("version", MAX)?.to_owned(),
            pid: f.whole("pid")?,
            started_at_ms: f.whole("startedAtMs")?,
            waiting: f.whole("waiting")?,
            over: f.whole("over")?,
            socket: f.text("socket", MAX)?.to_owned(),
            panel: owned(f.maybe_text("panel", MAX)?),
            sessions: f.whole("sessions")?,
            faults: match f.get("faults") {
                None => Vec::new(),
                Some(_) => {
                    let all = f.list("faults", MAX_FAULTS)?.iter();
                    let all: Option<Vec<String>> = all.map(|v| Some(v.as_str()?.to_owned())).collect();
                    all.ok_or(Malformed::new("faults", "no text"))?
                }
            },
        })
    }
}
