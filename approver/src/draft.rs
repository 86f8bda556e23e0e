//! A question as it came → a question as it is laid on the desk.
use std::sync::Arc;

use protocol::Shown;
use protocol::ask::WireQuestion;
use protocol::field::Malformed;
use protocol::message::Grant;
use protocol::openclaw;
use protocol::operator::summary;

use crate::desk::{Asker, Draft, Face, Key};
use crate::rules::Rules;

/// Longest time a plain question is given, milliseconds: it brings none of its own.
const PLAIN_MS: u64 = 120_000;

/// Reads a question.
///
/// # Errors
/// It is none.
pub fn of_request(
    id: &str,
    text: &str,
    asker: Asker,
    rules: &Rules,
) -> Result<(WireQuestion, Draft), Malformed> {
    let q = WireQuestion::parse(text)?;
    let (command, cut) = summary(&q.command());
    let face = Face {
        command,
        cut,
        cwd: q.cwd.as_deref().map(|d| Shown::text(d).into_string()),
        ground: Shown::text(q.ground.code.as_bytes()).into_string(),
        scopes: q.always.iter().flatten().map(|p| p.scope).collect(),
    };
    let hook = match (&q.text, q.is_text) {
        (Some(text), true) => Some(hook_key(
            asker.uid,
            &Grant { agent: q.agent.clone(), text: text.clone(), cwd: q.cwd.clone() },
        )),
        _ => None,
    };
    let draft = Draft {
        id: id.to_ascii_lowercase(),
        // Another user's question is another one, whatever it says.
        key: own_key(asker.uid, &q.key()),
        hook,
        agent: q.agent.clone(),
        session: q.session.clone(),
        asker,
        face: Arc::new(face),
        body: Arc::from(text),
        timeout_ms: q.timeout_ms,
        ticket_ttl_ms: rules.current().map_or(0, |d| d.ticket_ttl_ms(&q.agent)),
    };
    Ok((q, draft))
}

/// The same for a question in the plain form. No late yes is kept for it: nothing binds it to what would run.
pub fn of_plain(request: &openclaw::Request, asker: Asker) -> Draft {
    let shown = &request.shown;
    let visible = |text: &String| Shown::text(text.as_bytes()).into_string();
    let (command, cut) = summary(&Shown::text(shown.command.as_bytes()));
    let mut body = request.to_json();
    if let Some(map) = body.as_object_mut() {
        // The secret is nobody's business from here on.
        map.shift_remove("token");
    }
    let body = body.to_string();
    Draft {
        id: request.id.to_ascii_lowercase(),
        key: own_key(asker.uid, &body),
        hook: None,
        agent: shown.agent_id.as_ref().map_or("main".into(), visible),
        session: shown.session_key.as_ref().map(visible),
        asker,
        face: Arc::new(Face {
            command,
            cut,
            cwd: shown.cwd.as_ref().map(visible),
            ground: "openclaw".into(),
            scopes: Vec::new(),
        }),
        body: Arc::from(body),
        timeout_ms: PLAIN_MS,
        ticket_ttl_ms: 0,
    }
}

/// What a hook's grant is good for: that text of that agent, in that folder, for that user.
pub fn hook_key(uid: u32, grant: &Grant) -> Key {
    own_key(uid, &grant.to_text())
}

fn own_key(uid: u32, of: &str) -> Key {
    protocol::mac::sha256(format!("{uid}\n{of}").as_bytes())
}
