//! The asking socket, version 1: a guard asks, an approver answers. docs/protocol.md is the normative text.
//!
//! ```text
//!           allowed or denied                 nobody home, or will not          not waiting for the answer
//!  approver           guard               approver           guard           approver           guard
//!  challenge   ─────▶                     challenge   ─────▶                 challenge   ─────▶
//!              ◀───── request                         ◀───── request                     ◀───── request
//!  accepted    ─────▶                     error       ─────▶                 accepted    ─────▶
//!       (a person)                             (end)                                     ◀───── detach
//!  decision    ─────▶                                                        noted       ─────▶
//!              (end)                                                              (end)
//! ```
//!
//! A field that is not known is refused, on both sides and in every message: a peer that says more than is understood
//! here means more than would be obeyed. What is new comes with a new version in the challenge.
use serde_json::{Value, json};

pub use policy::{Choice, Scope};

use crate::code::Code;
use crate::field::{self, Fields, Malformed, Read};
use crate::json::Object;

/// The version spoken here.
pub const VERSION: u64 = 1;

/// A message is fresh for so long after its challenge, milliseconds.
pub const FRESH_MS: u64 = 30_000;

/// Longest reason of a decision, bytes.
pub const MAX_REASON: usize = 2000;

/// Longest name of whoever answered, bytes.
pub const MAX_BY: usize = 200;

/// The first words of an approver: what every MAC of this conversation is bound to. Good for one conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// 32 random bytes in base64.
    pub nonce: String,
    /// The approver's clock, milliseconds since 1970.
    pub ts: u64,
}

/// An approver's answer to one question. Not to be believed before its MAC, its question and its time were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Id of the question.
    pub id: String,
    /// What was answered.
    pub choice: Choice,
    /// The person's words for the caller.
    pub reason: Option<String>,
    /// SHA-256 of the question's text, as it came.
    pub request_sha256: String,
    /// The approver's clock, milliseconds since 1970, at which it is too late to act on it.
    pub expires_at_ms: u64,
    /// Who answered, for the journal. No part of the MAC: nothing is decided by it.
    pub by: Option<String>,
    /// The MAC: see [`crate::mac::decision`].
    pub hmac: String,
}

/// What an approver says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromApprover {
    /// The first words.
    Challenge(Challenge),
    /// The question stands (or the grant is kept) until then, by the approver's clock.
    Accepted {
        /// Of the question.
        id: String,
        /// Milliseconds since 1970.
        expires_at_ms: u64,
    },
    /// Heard, and nothing will follow: the answer to a detach and to a report.
    Noted {
        /// Of the question or run.
        id: String,
    },
    /// No, and why. Nothing follows.
    Error {
        /// Of the question, if it had one.
        id: Option<String>,
        /// Why.
        code: Code,
    },
    /// The answer.
    Decision(Decision),
}

/// What a guard says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromGuard {
    /// A question; its text is [`crate::ask::WireQuestion`]. Asked again with the same id and the same text it is the same
    /// question, so that a guard can come back to it after the approver was started anew.
    Request(Signed),
    /// What a hook leaves after a yes; its text is [`Grant`].
    Grant(Signed),
    /// What became of a command; its text is [`Report`].
    Report(Signed),
    /// The question is to stay although whoever asked goes away.
    Detach {
        /// Of the question.
        id: String,
    },
}

/// A text with its id and MAC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Chosen by the client, a UUID.
    pub id: String,
    /// JSON, exactly as it was signed.
    pub text: String,
    /// See [`crate::mac::client`].
    pub hmac: String,
}

impl Signed {
    /// A text signed for this conversation.
    pub fn new(
        token: &crate::token::Token,
        kind: crate::mac::Kind,
        to: &Challenge,
        id: &str,
        text: String,
    ) -> Signed {
        let hmac = crate::mac::client(token, kind, to, id, &text);
        Signed { id: id.to_owned(), text, hmac }
    }

    /// True if its MAC is right.
    pub fn is_true(&self, token: &crate::token::Token, kind: crate::mac::Kind, to: &Challenge) -> bool {
        crate::mac::is_client(token, kind, to, &self.id, &self.text, &self.hmac)
    }
}

/// The word of a choice on the wire, without its scope.
pub fn choice_word(choice: Choice) -> &'static str {
    match choice {
        Choice::AllowOnce => "allow-once",
        Choice::AllowAlways(_) => "allow-always",
        Choice::Deny => "deny",
    }
}

/// A choice from its word and scope: only *always* has a scope, and has one.
pub fn choice(word: &str, scope: Option<Scope>) -> Option<Choice> {
    match (word, scope) {
        ("allow-once", None) => Some(Choice::AllowOnce),
        ("allow-always", Some(scope)) => Some(Choice::AllowAlways(scope)),
        ("deny", None) => Some(Choice::Deny),
        _ => None,
    }
}

/// The scope of a choice.
pub fn scope_of(choice: Choice) -> Option<Scope> {
    match choice {
        Choice::AllowAlways(scope) => Some(scope),
        Choice::AllowOnce | Choice::Deny => None,
    }
}

/// Reads the fields `decision` and `scope`.
pub(crate) fn read_choice(f: &mut Fields<'_>) -> Read<Choice> {
    let scope = f.maybe_word("scope", Scope::of)?;
    let word = f.text("decision", 32)?;
    choice(word, scope).ok_or(Malformed::new("decision", "unknown, or with a scope that it cannot have"))
}

impl Challenge {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({"type": "challenge", "version": VERSION, "nonce": self.nonce, "ts": self.ts})
    }

    /// Reads one.
    ///
    /// # Errors
    /// It is none of this version.
    pub fn read(value: &Value) -> Read<Challenge> {
        let mut f = Fields::of(value, "challenge")?;
        if f.text("type", 32)? != "challenge" {
            return Err(Malformed::new("type", "no challenge"));
        }
        Challenge::rest(f)
    }

    fn rest(mut f: Fields<'_>) -> Read<Challenge> {
        // The version first: what a later one means by its fields is not ours to say.
        if f.whole("version")? != VERSION {
            return Err(Malformed::new("version", "not the one spoken here"));
        }
        let nonce = f.text("nonce", 64)?;
        if !field::is_nonce(nonce) {
            return Err(Malformed::new("nonce", "no 32 bytes in base64"));
        }
        let challenge = Challenge { nonce: nonce.to_owned(), ts: f.whole("ts")? };
        f.end()?;
        Ok(challenge)
    }
}

impl FromApprover {
    /// As JSON.
    pub fn to_json(&self) -> Value {
        match self {
            FromApprover::Challenge(c) => c.to_json(),
            FromApprover::Accepted { id, expires_at_ms } => {
                json!({"type": "accepted", "id": id, "expiresAtMs": expires_at_ms})
            }
            FromApprover::Noted { id } => json!({"type": "noted", "id": id}),
            FromApprover::Error { id, code } => json!({"type": "error", "id": id, "code": code.word()}),
            FromApprover::Decision(d) => json!({
                "type": "decision",
                "id": d.id,
                "decision": choice_word(d.choice),
                "reason": d.reason,
                "scope": scope_of(d.choice).map(Scope::word),
                "requestSha256": d.request_sha256,
                "expiresAtMs": d.expires_at_ms,
                "by": d.by,
                "hmac": d.hmac,
            }),
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is no message of an approver.
    pub fn parse(line: &[u8]) -> Read<FromApprover> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        let message = match f.text("type", 32)? {
            "challenge" => return Challenge::rest(f).map(FromApprover::Challenge),
            "accepted" => FromApprover::Accepted { id: f.id("id")?, expires_at_ms: f.whole("expiresAtMs")? },
            "noted" => FromApprover::Noted { id: f.id("id")? },
            "error" => {
                let id = f.maybe_text("id", field::MAX_ID)?;
                if id.is_some_and(|id| !field::is_id(id)) {
                    return Err(Malformed::new("id", "no id"));
                }
                FromApprover::Error { id: id.map(str::to_owned), code: f.word("code", Code::of)? }
            }
            "decision" => FromApprover::Decision(Decision {
                id: f.id("id")?,
                choice: read_choice(&mut f)?,
                reason: f.maybe_text("reason", MAX_REASON)?.map(str::to_owned),
                request_sha256: f.hash("requestSha256")?,
                expires_at_ms: f.whole("expiresAtMs")?,
                by: f.maybe_text("by", MAX_BY)?.map(str::to_owned),
                hmac: f.hash("hmac")?,
            }),
            _ => return Err(Malformed::new("type", "unknown")),
        };
        f.end()?;
        Ok(message)
    }
}

impl FromGuard {
    /// As JSON text.
    pub fn to_text(&self) -> String {
        let signed = |kind: &str, s: &Signed| {
            let out = Object::new().text("type", kind).text("id", &s.id);
            out.text(kind, &s.text).text("hmac", &s.hmac).end()
        };
        match self {
            FromGuard::Request(s) => signed("request", s),
            FromGuard::Grant(s) => signed("grant", s),
            FromGuard::Report(s) => signed("report", s),
            FromGuard::Detach { id } => Object::new().text("type", "detach").text("id", id).end(),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        crate::json::tree(&self.to_text())
    }

    /// Reads a line.
    ///
    /// # Errors
    /// It is no message of a guard.
    pub fn parse(line: &[u8]) -> Read<FromGuard> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        let mut signed = |name: &'static str| -> Read<Signed> {
            let (id, text) = (f.id("id")?, f.text(name, crate::frame::MAX_LINE)?.to_owned());
            Ok(Signed { id, text, hmac: f.hash("hmac")? })
        };
        let message = match value.get("type").and_then(Value::as_str) {
            Some("request") => FromGuard::Request(signed("request")?),
            Some("grant") => FromGuard::Grant(signed("grant")?),
            Some("report") => FromGuard::Report(signed("report")?),
            Some("detach") => FromGuard::Detach { id: f.id("id")? },
            _ => return Err(Malformed::new("type", "unknown")),
        };
        f.need("type")?;
        f.end()?;
        Ok(message)
    }
}

/// What a hook leaves after somebody said yes to a text, so that the guard that is about to judge the same text need not
/// ask again. Good once, for [`GRANT_MS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The agent.
    pub agent: String,
    /// The text, exactly.
    pub text: Vec<u8>,
    /// The working folder; `None` if it could not be told.
    pub cwd: Option<Vec<u8>>,
}

/// How long a grant of a hook is good, milliseconds.
pub const GRANT_MS: u64 = 60_000;

impl Grant {
    /// As the text of a message.
    pub fn to_text(&self) -> String {
        let b = crate::ask::bytes_json;
        let cwd = self.cwd.as_deref().map_or_else(|| "null".to_owned(), b);
        Object::new().text("agent", &self.agent).raw("text", &b(&self.text)).raw("cwd", &cwd).end()
    }

    /// Reads the text of a message.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Read<Grant> {
        let value = crate::frame::value(text.as_bytes())?;
        let mut f = Fields::of(&value, "grant")?;
        let grant = Grant {
            agent: f.text("agent", crate::ask::MAX_NAME)?.to_owned(),
            text: crate::ask::read_bytes(f.need("text")?, "text")?,
            cwd: f.get("cwd").map(|v| crate::ask::read_bytes(v, "cwd")).transpose()?,
        };
        f.end()?;
        Ok(grant)
    }
}

/// What became of a command that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What happened.
    pub what: Outcome,
    /// Milliseconds since 1970.
    pub at_ms: u64,
}

/// What happened to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has been running for a while: `exec.running`.
    Running,
    /// It came to its end: `exec.finished`.
    Finished {
        /// Exit code, or 128 + signal.
        code: u32,
        /// Milliseconds.
        duration_ms: u64,
    },
    /// It was not run: `exec.denied`.
    Denied {
        /// Code of the reason.
        reason: String,
    },
}

impl Outcome {
    /// Its name among the events.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Running => "exec.running",
            Outcome::Finished { .. } => "exec.finished",
            Outcome::Denied { .. } => "exec.denied",
        }
    }
}

impl Report {
    /// As the text of a message.
    pub fn to_text(&self) -> String {
        let out = Object::new().text("event", self.what.word()).whole("atMs", self.at_ms);
        match &self.what {
            Outcome::Running => out,
            Outcome::Finished { code, duration_ms } => {
                out.whole("code", u64::from(*code)).whole("durationMs", *duration_ms)
            }
            Outcome::Denied { reason } => out.text("reason", reason),
        }
        .end()
    }

    /// Reads the text of a message.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Read<Report> {
        let value = crate::frame::value(text.as_bytes())?;
        let mut f = Fields::of(&value, "report")?;
        let at_ms = f.whole("atMs")?;
        let what = match f.text("event", 32)? {
            "exec.running" => Outcome::Running,
            "exec.finished" => Outcome::Finished {
                code: u32::try_from(f.whole("code")?).map_err(|_| Malformed::new("code", "too large"))?,
                duration_ms: f.whole("durationMs")?,
            },
            "exec.denied" => Outcome::Denied { reason: f.text("reason", MAX_REASON)?.to_owned() },
            _ => return Err(Malformed::new("event", "unknown")),
        };
        f.end()?;
        Ok(Report { what, at_ms })
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
