//! What an operator set for this agent for a while, where that is stricter than the documents.
//!
//! The approver keeps these in a file of its folder, one a line: until when (milliseconds since 1970), `security`, `ask`,
//! agent and perhaps session, with tabs between; `-` is nothing that could tighten. All of it can only make a judgement
//! stricter ([`policy::document::Call`]): a yes that an operator gave beforehand comes as an answer of the approver. Since
//! whoever calls says which session it is, what holds for the agent holds in each. Mostly there is no such file, and that
//! costs one call of the kernel.
use policy::document::{Ask, Call, Security};
use store::caller::Caller;
use sys::file::Owner;

use crate::locate::Settings;

/// What is set now.
///
/// # Errors
/// It cannot be read or believed: then nothing may run, since it may say just that.
pub fn call(settings: &Settings, caller: &Caller, now_ms: u64) -> Result<Call, String> {
    let Some(state) = &settings.state else { return Ok(Call::default()) };
    let path = state.join(store::locate::OVERRIDES);
    let text = store::locate::read(&path, Owner::User(sys::ids::uid())).map_err(|e| e.to_string())?;
    Ok(text.map_or_else(Call::default, |t| of(&t, &caller.agents, caller.session.as_deref(), now_ms)))
}

/// The strictest of those for these agents. A word that is not known is the strictest there is.
fn of(text: &[u8], agents: &[String], session: Option<&str>, now_ms: u64) -> Call {
    let (mut security, mut ask) = (Security::Full, Ask::Off);
    for line in text.split(|b| *b == b'\n') {
        let mut words = line.split(|b| *b == b'\t');
        let mut word = || words.next().unwrap_or_default();
        let (until, level, when, agent, of) = (word(), word(), word(), word(), word());
        let mine = agents.iter().any(|a| a.as_bytes() == agent)
            && (of.is_empty() || session.is_some_and(|s| s.as_bytes() == of));
        let until = std::str::from_utf8(until).ok().and_then(|u| u.parse().ok()).unwrap_or(u64::MAX);
        if !mine || until <= now_ms {
            continue;
        }
        security = security.min(match level {
            b"-" => Security::Full,
            b"allowlist" => Security::Allowlist,
            _ => Security::Deny,
        });
        ask = ask.max(match when {
            b"-" => Ask::Off,
            b"on-miss" => Ask::OnMiss,
            _ => Ask::Always,
        });
    }
    let from = "a session override: exec-guardctl session list";
    Call { security: Some(security), ask: Some(ask), from, ..Call::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"9\tdeny\t-\ta\n9\tallowlist\talways\tb\n9\tdeny\t-\tb\tone\n5\tdeny\t-\tc\n9\tnew\t-\td\nx\t-\tnew\tf\n9\n";

    #[test]
    fn the_strictest_of_those_that_apply() {
        use {Ask::Always, Ask::Off, Security::Allowlist, Security::Deny, Security::Full};
        for (agents, session, now, security, ask) in [
            (&["a"][..], None, 0, Deny, Off),
            (&["a"], Some("one"), 8, Deny, Off),
            (&["a"], None, 9, Full, Off),
            (&["b"], None, 0, Allowlist, Always),
            (&["b"], Some("two"), 0, Allowlist, Always),
            (&["b"], Some("one"), 0, Deny, Always),
            (&["b", "a"], None, 0, Deny, Always),
            (&["c"], None, 6, Full, Off),
            // Words of a later version, or no time.
            (&["d"], None, 0, Deny, Off),
            (&["f"], None, u64::MAX - 1, Full, Always),
            (&["e"], None, 0, Full, Off),
        ] {
            let agents: Vec<String> = agents.iter().map(|a| (*a).to_owned()).collect();
            let call = of(TEXT, &agents, session, now);
            assert_eq!(
                (call.security, call.ask),
                (Some(security), Some(ask)),
                "{agents:?} {session:?} {now}"
            );
        }
    }
}
