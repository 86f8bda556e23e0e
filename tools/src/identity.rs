//! Whose call it is. A name is a claim: it is believed only from a gateway.
use crate::config::Settings;
use crate::result::{Code, ToolResult};

/// What is known of whoever calls.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The user id of the process, by the kernel.
    pub uid: u32,
    /// The token it showed, if any.
    pub token: Option<String>,
}

/// Whose call it is. Having one tells you that this one may ask, and that the name is the gateway's word or the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The user: the gateway's name for one, or `uid:N`.
    pub user: String,
    /// Who sent the call: `gateway` or `uid:N`.
    pub sender: String,
    /// True if a gateway vouches for the name.
    pub vouched: bool,
    /// What was claimed and is not believed.
    pub claimed: Option<String>,
    /// True for an owner.
    pub owner: bool,
}

/// Finds out who calls.
///
/// # Errors
/// A token that is wrong; a sender that may not ask.
pub fn who(settings: &Settings, caller: &Caller, claim: Option<&str>) -> Result<Who, ToolResult> {
    let by_token = match (&caller.token, &settings.gateway_token) {
        (None, _) => false,
        (Some(shown), Some(want)) if same(shown.as_bytes(), want.as_bytes()) => true,
        // A wrong token is no lesser caller: whoever shows one meant to be a gateway.
        (Some(_), _) => return Err(ToolResult::no(Code::BadToken, "the token is not security.gatewayToken")),
    };
    let vouched = by_token || settings.gateway_uids.contains(&caller.uid);
    let own = format!("uid:{}", caller.uid);
    // A name is what it is to the letter: who may be called ` admin` in a chat is not `admin`, and nobody is not the gateway.
    if vouched && claim.is_some_and(|c| c.is_empty() || c.trim() != c) {
        let error = "user: empty, or with a blank at its beginning or its end";
        return Err(ToolResult::no(Code::InvalidField, error));
    }
    // Who a process belongs to is the kernel's word. Taken from a gateway it would make a user of a chat who is called
    // like that the person at this machine.
    if vouched && let Some(claim) = claim.filter(|c| is_uid(c) && *c != own) {
        let shown = protocol::Shown::text(claim.as_bytes());
        let error = format!("user: `{shown}` is what the kernel calls a user, and no gateway's to give");
        return Err(ToolResult::no(Code::InvalidField, error));
    }
    let user = match claim.filter(|_| vouched) {
        Some(user) => user.to_owned(),
        None => own.clone(),
    };
    let claimed = claim.filter(|c| !vouched && *c != own).map(str::to_owned);
    let sender = if vouched { "gateway".to_owned() } else { own };
    let owner = settings.is_owner(&user);
    let may = match &settings.senders {
        Some(list) => list.iter().any(|s| *s == sender || *s == user),
        None => vouched || owner,
    };
    if !may {
        let error = format!(
            "`{user}` may not ask for tools: show security.gatewayToken, or name it: exec-guardctl owners add {user} (or approvals.senders)"
        );
        return Err(ToolResult::no(Code::Sender, error));
    }
    Ok(Who { user, sender, vouched, claimed, owner })
}

/// True for `uid:N`, however it is written.
fn is_uid(name: &str) -> bool {
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("uid:"))
}

/// Compares in a time that does not tell where they differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |d, (a, b)| d | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_is_believed_from_a_gateway_only() {
        let doc = json!({"security": {
            "gatewayToken": "0123456789abcdef", "gatewayUids": [7], "owners": ["user:admin", "uid:1"]
        }});
        let s = Settings::read(&doc, "f").unwrap();
        let call = |uid, token: Option<&str>, claim| {
            who(&s, &Caller { uid, token: token.map(str::to_owned) }, claim)
        };
        let good = Some("0123456789abcdef");
        let w = call(5, good, Some("user:admin")).unwrap();
        assert_eq!(
            (w.user.as_str(), w.sender.as_str(), w.owner, w.vouched),
            ("user:admin", "gateway", true, true)
        );
        assert!(!call(7, None, Some("user:2")).unwrap().owner);
        // Without proof the name counts for nothing, also the owner's.
        let w = call(1, None, Some("user:admin")).unwrap();
        assert_eq!((w.user.as_str(), w.claimed.as_deref(), w.owner), ("uid:1", Some("user:admin"), true));
        let code = |r: Result<Who, ToolResult>| r.unwrap_err().code.unwrap();
        assert_eq!(code(call(5, None, Some("user:admin"))), Code::Sender);
        assert_eq!(code(call(1, Some("0123456789abcdeX"), None)), Code::BadToken);
        assert_eq!(code(call(7, Some(""), None)), Code::BadToken);
        // And what the kernel calls a user is no gateway's to give.
        for forged in ["uid:1", "uid:0", "UID:1", " uid:01 "] {
            assert_eq!(code(call(7, None, Some(forged))), Code::InvalidField, "{forged}");
            assert_eq!(code(call(5, good, Some(forged))), Code::InvalidField, "{forged}");
        }
        let w = call(1, None, Some("uid:0")).unwrap();
        assert_eq!((w.user.as_str(), w.claimed.as_deref()), ("uid:1", Some("uid:0")));
        assert_eq!(call(7, None, Some("uid:7")).unwrap().user, "uid:7");
        for blank in ["", " ", "user:admin ", " user:admin", "user:admin\u{a0}", "\u{3000}user:admin"] {
            assert_eq!(code(call(7, None, Some(blank))), Code::InvalidField, "{blank:?}");
            assert_eq!(code(call(5, good, Some(blank))), Code::InvalidField, "{blank:?}");
        }
        // A gateway that names nobody speaks for itself.
        assert_eq!(call(7, None, None).unwrap().user, "uid:7");
    }

    #[test]
    fn senders() {
        let s = |v| {
            Settings::read(
                &json!({"security": {"gatewayUids": [7], "owners": ["uid:1"]}, "approvals": {"senders": v}}),
                "f",
            )
            .unwrap()
        };
        let may = |v, uid| who(&s(v), &Caller { uid, token: None }, Some("bot")).is_ok();
        for (list, uid, want) in [
            (json!(null), 1, true),
            (json!(null), 7, true),
            (json!(null), 2, false),
            (json!(["uid:2"]), 2, true),
            (json!(["uid:2"]), 1, false),
            (json!(["gateway"]), 7, true),
            (json!(["bot"]), 7, true),
            (json!(["bot"]), 2, false),
            (json!([]), 1, false),
        ] {
            assert_eq!(may(list.clone(), uid), want, "{list} {uid}");
        }
    }
}
