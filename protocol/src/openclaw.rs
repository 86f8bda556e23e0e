//! The plain form that OpenClaw's companion app speaks: a request with the token in it, a decision without a MAC.
//!
//! Nothing binds its answer to its question but the connection. So it is spoken only where the document says so, and an
//! *allow-always* in it allows once: nothing is stored on its word.
use serde_json::{Value, json};

use crate::ask::WireQuestion;
use crate::field::{Fields, Malformed, Read};
use crate::json::Object;
use crate::message::Choice;
use crate::token::Token;

/// Longest line that the app reads, bytes.
pub const MAX_LINE: usize = 256_000;

/// Longest text of a field, bytes: the line's length bounds them all.
const MAX_TEXT: usize = crate::frame::MAX_LINE;

/// A question in the plain form. What the app shows is all that it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The secret itself.
    pub token: Token,
    /// A UUID.
    pub id: String,
    /// What is shown.
    pub shown: Fieldset,
}

/// What the app shows of a question; texts, made visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fieldset {
    /// The command, as it would be pasted.
    pub command: String,
    /// The working folder.
    pub cwd: Option<String>,
    /// Where it would run.
    pub host: Option<String>,
    /// `security` in force.
    pub security: Option<String>,
    /// `ask` in force.
    pub ask: Option<String>,
    /// The agent.
    pub agent_id: Option<String>,
    /// The program's file.
    pub resolved_path: Option<String>,
    /// The session.
    pub session_key: Option<String>,
}

impl Fieldset {
    /// Of a question.
    pub fn of(q: &WireQuestion) -> Fieldset {
        let shown = |bytes: &Vec<u8>| crate::Shown::text(bytes).into_string();
        Fieldset {
            command: q.command().into_string(),
            cwd: q.cwd.as_ref().map(shown),
            host: Some(q.host.clone()),
            security: Some(q.security.clone()),
            ask: Some(q.ask.clone()),
            agent_id: Some(q.agent.clone()),
            resolved_path: Some(shown(&q.found)),
            session_key: q.session.clone(),
        }
    }
}

impl Request {
    /// As JSON. The only message that holds the token.
    pub fn to_text(&self) -> String {
        let s = &self.shown;
        let shown = Object::new()
            .text("command", &s.command)
            .maybe("cwd", s.cwd.as_deref())
            .maybe("host", s.host.as_deref())
            .maybe("security", s.security.as_deref())
            .maybe("ask", s.ask.as_deref())
            .maybe("agentId", s.agent_id.as_deref())
            .maybe("resolvedPath", s.resolved_path.as_deref())
            .maybe("sessionKey", s.session_key.as_deref());
        let out = Object::new().text("type", "request").text("token", self.token.reveal());
        out.text("id", &self.id).raw("request", &shown.end()).end()
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        crate::json::tree(&self.to_text())
    }

    /// Reads a line. Fields that are not known are passed over, as the app does.
    ///
    /// # Errors
    /// It is no request of the plain form.
    pub fn parse(line: &[u8]) -> Read<Request> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        if f.text("type", 32)? != "request" {
            return Err(Malformed::new("type", "no request"));
        }
        let token = Token::new(f.text("token", 4096)?).ok_or(Malformed::new("token", "empty"))?;
        let id = f.id("id")?;
        let mut r = Fields::of(f.need("request")?, "request")?;
        let command = match r.need("command")? {
            Value::String(text) => text.clone(),
            // The older app takes words as well.
            Value::Array(words) => {
                let word = |v: &Value| v.as_str().map(|w| crate::Shown::word(w.as_bytes()).into_string());
                let words: Option<Vec<String>> = words.iter().map(word).collect();
                words.ok_or(Malformed::new("command", "no text"))?.join(" ")
            }
            _ => return Err(Malformed::new("command", "no text")),
        };
        let mut text = |name| Ok(r.maybe_text(name, MAX_TEXT)?.map(str::to_owned));
        let shown = Fieldset {
            command,
            cwd: text("cwd")?,
            host: text("host")?,
            security: text("security")?,
            ask: text("ask")?,
            agent_id: text("agentId")?,
            resolved_path: text("resolvedPath")?,
            session_key: text("sessionKey")?,
        };
        Ok(Request { token, id, shown })
    }

    /// True for a line of the plain form: it has a token, which no other message has.
    pub fn is_one(value: &Value) -> bool {
        value.get("type").and_then(Value::as_str) == Some("request") && value.get("token").is_some()
    }
}

/// An answer in the plain form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Id of the question.
    pub id: String,
    /// True for either kind of yes: both allow once.
    pub yes: bool,
}

impl Decision {
    /// Of a choice.
    pub fn of(id: &str, choice: Choice) -> Decision {
        Decision { id: id.to_owned(), yes: choice != Choice::Deny }
    }

    /// What it is good for.
    pub fn choice(&self) -> Choice {
        if self.yes { Choice::AllowOnce } else { Choice::Deny }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        let word = crate::message::choice_word(self.choice());
        json!({"type": "decision", "id": self.id, "decision": word})
    }

    /// Reads a line. Fields that are not known are passed over.
    ///
    /// # Errors
    /// It is no decision of the plain form.
    pub fn parse(line: &[u8]) -> Read<Decision> {
        let value = crate::frame::value(line)?;
        let mut f = Fields::of(&value, "message")?;
        if f.text("type", 32)? != "decision" {
            return Err(Malformed::new("type", "no decision"));
        }
        let yes = f.word("decision", |w| match w {
            "allow-once" | "allow-always" => Some(true),
            "deny" => Some(false),
            _ => None,
        })?;
        Ok(Decision { id: f.id("id")?, yes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_the_app_writes_is_read() {
        let line = br#"{"type":"request","token":"t","id":"6f9619ff-8b86-4011-b42d-00c04fc964ff","request":{"command":"ls -la","cwd":null,"host":"sandbox","security":"allowlist","ask":"on-miss","agentId":"main","resolvedPath":"/bin/ls","sessionKey":null,"more":1},"x":2}"#;
        let r = Request::parse(line).unwrap();
        assert_eq!((r.shown.command.as_str(), r.shown.resolved_path.as_deref()), ("ls -la", Some("/bin/ls")));
        assert_eq!(Request::parse(r.to_text().as_bytes()), Ok(r));
        for (word, yes) in [("allow-once", true), ("allow-always", true), ("deny", false)] {
            let d =
                Decision::parse(format!(r#"{{"type":"decision","id":"a","decision":"{word}"}}"#).as_bytes());
            let d = d.unwrap();
            assert_eq!(d.choice(), if yes { Choice::AllowOnce } else { Choice::Deny });
        }
        for bad in [
            r#"{"type":"decision","id":"a","decision":"yes"}"#,
            r#"{"type":"decision","decision":"deny"}"#,
            r#"{"type":"request","id":"a","decision":"deny"}"#,
            r#"{"type":"decision","id":"a","decision":["allow-once"]}"#,
        ] {
            assert!(Decision::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_line_has_an_answer(bytes: Vec<u8>) {
            let _ = (Request::parse(&bytes), Decision::parse(&bytes));
        }
    }
}
