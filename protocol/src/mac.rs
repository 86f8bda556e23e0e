//! What proves that a message comes from somebody who has the token, belongs to this conversation, and was not changed:
//! HMAC-SHA-256 (RFC 2104) in lower-case hexadecimal, over fields joined by newlines. None of the fields can hold one.
//!
//! ```text
//! request   "client"  nonce ts id sha256(request)
//! grant     "grant"   nonce ts id sha256(grant)
//! report    "report"  nonce ts id sha256(report)
//! command   "command" nonce ts n  sha256(command)
//! decision  "server"  nonce id decision scope requestSha256 expiresAtMs sha256(reason)
//! ```
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::encode::{hex, unhex};
use crate::message::{Challenge, Choice, Decision};
use crate::token::Token;

/// SHA-256 in lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn begun(token: &Token, fields: &[&str]) -> Option<Hmac<Sha256>> {
    // Keys of any length are taken, so there is always one.
    let mut mac = Hmac::<Sha256>::new_from_slice(token.key()).ok()?;
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            mac.update(b"\n");
        }
        mac.update(field.as_bytes());
    }
    // A newline inside would make one field look like two.
    (!fields.iter().any(|f| f.contains('\n'))).then_some(mac)
}

/// The MAC of these fields; empty, which is none, if one of them holds a newline.
pub fn sign(token: &Token, fields: &[&str]) -> String {
    begun(token, fields).map_or(String::new(), |mac| hex(&mac.finalize().into_bytes()))
}

/// True if that is the MAC of these fields. Takes the same time wherever it differs.
pub fn verify(token: &Token, fields: &[&str], mac: &str) -> bool {
    let Some(tag) = unhex(mac) else { return false };
    begun(token, fields).is_some_and(|mac| mac.verify_slice(&tag).is_ok())
}

/// What a client signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A question.
    Request,
    /// What a hook leaves.
    Grant,
    /// What became of a command.
    Report,
    /// A command on the operator socket.
    Command,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Request => "client",
            Kind::Grant => "grant",
            Kind::Report => "report",
            Kind::Command => "command",
        }
    }
}

/// The MAC of a client's message with that id (for a command: its number) and that content.
pub fn client(token: &Token, kind: Kind, to: &Challenge, id: &str, content: &str) -> String {
    let (ts, hash) = (to.ts.to_string(), sha256(content.as_bytes()));
    sign(token, &[kind.word(), &to.nonce, &ts, id, &hash])
}

/// True if `mac` is that of such a message.
pub fn is_client(token: &Token, kind: Kind, to: &Challenge, id: &str, content: &str, mac: &str) -> bool {
    let (ts, hash) = (to.ts.to_string(), sha256(content.as_bytes()));
    verify(token, &[kind.word(), &to.nonce, &ts, id, &hash], mac)
}

/// The MAC of a decision; its own `hmac` is not looked at. A scope or reason that is not there counts as empty.
pub fn decision(token: &Token, nonce: &str, d: &Decision) -> String {
    with_decision(nonce, d, |fields| sign(token, fields))
}

/// True if the decision's MAC is the right one.
pub fn is_decision(token: &Token, nonce: &str, d: &Decision) -> bool {
    with_decision(nonce, d, |fields| verify(token, fields, &d.hmac))
}

fn with_decision<T>(nonce: &str, d: &Decision, then: impl FnOnce(&[&str]) -> T) -> T {
    let scope = match d.choice {
        Choice::AllowAlways(scope) => scope.word(),
        Choice::AllowOnce | Choice::Deny => "",
    };
    let reason = sha256(d.reason.as_deref().unwrap_or_default().as_bytes());
    let expires = d.expires_at_ms.to_string();
    let word = crate::message::choice_word(d.choice);
    then(&["server", nonce, &d.id, word, scope, &d.request_sha256, &expires, &reason])
}
