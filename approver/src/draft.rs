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
        tool: None,
    };
    // The text as a hook was given it: by itself, or within what the agent puts round it for a shell.
    let said = q.text.clone().filter(|_| q.is_text).or_else(|| q.said.clone());
    let hook =
        said.map(|text| hook_key(asker.uid, &Grant { agent: q.agent.clone(), text, cwd: q.cwd.clone() }));
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
            tool: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Stage, question};

    fn key(q: &WireQuestion, uid: u32) -> Key {
        let stage = Stage::new();
        let handle = stage.handle();
        let asker = Asker { uid, pid: None, session: None, root: None };
        let id = "00000001-0000-4000-8000-000000000000";
        of_request(id, &q.to_text(), asker, handle.rules()).unwrap().1.key
    }

    #[test]
    fn a_late_yes_is_for_what_was_shown_to_the_same_user() {
        let shown = question(&["ls"]);
        let again = WireQuestion { asked_at_ms: 7, timeout_ms: 7, detached: true, ..shown.clone() };
        assert_eq!(key(&shown, 1), key(&again, 1));
        // The same digest is claimed for all of these.
        let others = [
            question(&["rm"]),
            WireQuestion { agent: "other".into(), ..shown.clone() },
            WireQuestion { cwd: Some(b"/elsewhere".to_vec()), ..shown.clone() },
            WireQuestion { digest: "1".repeat(64), ..shown.clone() },
        ];
        for q in others {
            assert_ne!(key(&shown, 1), key(&q, 1), "{q:?}");
        }
        assert_ne!(key(&shown, 1), key(&shown, 2));
    }

    #[test]
    fn the_plain_form_keeps_no_secret_and_no_late_yes() {
        let line = br#"{"type":"request","token":"s3cret","id":"6F9619FF-8B86-4011-B42D-00C04FC964FF","request":{"command":"ls"}}"#;
        let request = openclaw::Request::parse(line).unwrap();
        let draft = of_plain(&request, Asker { uid: 1, pid: None, session: None, root: None });
        assert!(!draft.body.contains("s3cret") && draft.body.contains("ls"));
        assert_eq!((draft.ticket_ttl_ms, draft.id.as_str()), (0, "6f9619ff-8b86-4011-b42d-00c04fc964ff"));
        assert_eq!(draft.agent, "main");
    }
}
