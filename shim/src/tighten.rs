//! What an operator set for this agent for a while, where that is stricter than the documents.
//!
//! The approver keeps these in a file of its folder, one a line: until when (milliseconds since 1970), `security`, `ask`,
//! agent and perhaps session, with tabs between. All of it can only make a judgement stricter
//! ([`policy::document::Call`]): a yes that an operator gave beforehand comes as an answer of the approver. Mostly there
//! is no such file, and that costs one call of the kernel.
use std::path::Path;

use policy::document::{Ask, Call, Security};
use store::caller::Caller;
use sys::file::{Owner, open_checked};

/// Largest file that is read, bytes: a thousand overrides are shorter.
const MAX: u64 = 1 << 20;

/// What is set now.
///
/// # Errors
/// It cannot be read or believed: then nothing may run, since it may say just that.
pub fn call(state: Option<&Path>, caller: &Caller, now_ms: u64) -> Result<Call, String> {
    let Some(path) = state.map(|s| s.join(store::locate::OVERRIDES)) else { return Ok(Call::default()) };
    match open_checked(&path, Owner::User(sys::ids::uid()), MAX) {
        Ok((text, _)) => Ok(of(&text, &caller.agents, caller.session.as_deref(), now_ms)),
        Err(e) if e.is_missing() => Ok(Call::default()),
        Err(e) => Err(format!("{}: {e}", protocol::Shown::text(path.as_os_str().as_encoded_bytes()))),
    }
}

/// The strictest for these agents: for each that of its session, else that of all its sessions. A word that is not known
/// is the strictest there is.
fn of(text: &[u8], agents: &[String], session: Option<&str>, now_ms: u64) -> Call {
    let mut call = Call { from: "a session override: exec-guardctl session list".into(), ..Call::default() };
    for agent in agents {
        let rows = || {
            let lines = text.split(|b| *b == b'\n').filter(|l| !l.is_empty());
            lines.map(|l| l.split(|b| *b == b'\t').map(|w| std::str::from_utf8(w).unwrap_or_default()))
        };
        for which in [session, None] {
            let mut found = false;
            for mut words in rows() {
                let mut word = || words.next();
                let until = word().and_then(|w| w.parse().ok()).unwrap_or(u64::MAX);
                let (security, ask) = (word(), word());
                if until <= now_ms || word() != Some(agent) || word() != which {
                    continue;
                }
                found = true;
                let security = match security {
                    Some("-" | "full") => None,
                    Some("allowlist") => Some(Security::Allowlist),
                    _ => Some(Security::Deny),
                };
                let ask = match ask {
                    Some("-" | "off") => None,
                    Some("on-miss") => Some(Ask::OnMiss),
                    _ => Some(Ask::Always),
                };
                call.security = security.into_iter().chain(call.security).min();
                call.ask = ask.into_iter().chain(call.ask).max();
            }
            if found {
                break;
            }
        }
    }
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"9\tdeny\t-\ta\n9\tallowlist\talways\tb\n9\tfull\toff\tb\tone\n5\tdeny\t-\tc\n9\tnew\t-\td\n9\n";

    #[test]
    fn the_strictest_of_those_that_apply() {
        use {Ask::Always, Security::Allowlist, Security::Deny};
        for (agents, session, now, security, ask) in [
            (&["a"][..], None, 0, Some(Deny), None),
            (&["a"], Some("one"), 8, Some(Deny), None),
            (&["a"], None, 9, None, None),
            (&["b"], None, 0, Some(Allowlist), Some(Always)),
            (&["b"], Some("two"), 0, Some(Allowlist), Some(Always)),
            // That of its session goes before the agent's.
            (&["b"], Some("one"), 0, None, None),
            (&["a", "b"], Some("one"), 0, Some(Deny), None),
            (&["b", "a"], None, 0, Some(Deny), Some(Always)),
            (&["c"], None, 6, None, None),
            // A word of a later version.
            (&["d"], None, 0, Some(Deny), None),
            (&["e", ""], None, 0, None, None),
        ] {
            let agents: Vec<String> = agents.iter().map(|a| (*a).to_owned()).collect();
            let call = of(TEXT, &agents, session, now);
            assert_eq!((call.security, call.ask), (security, ask), "{agents:?} {session:?} {now}");
        }
    }
}
