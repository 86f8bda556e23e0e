//! What an operator set for an agent or a session for a while: looser or tighter than the documents, never looser
//! than the system's floor.
//!
//! What makes it stricter the guard itself goes by: the approver writes it into a file for it ([`Keeper::publish`]), so
//! that also a command that would not have been asked about is asked about, or refused. What makes it looser the guard
//! knows nothing of. It judges by its documents and asks; where an override makes the question unnecessary it is
//! answered at once, in the operator's name. So an override can turn a question into a yes, and no refusal of the policy.
//!
//! [`Keeper::publish`]: crate::keeper::Keeper::publish
use policy::Reason;
use policy::document::{Ask, Security};

use super::Choice;

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Whose questions it is about.
    pub agent: String,
    /// Of this session only; `None` for all of the agent.
    pub session: Option<String>,
    /// Instead of the documents' `security`.
    pub security: Option<Security>,
    /// Instead of the documents' `ask`.
    pub ask: Option<Ask>,
    /// Until when.
    pub until_ms: u64,
    /// Who set it.
    pub by: String,
}

impl Override {
    /// True if nothing can be looser under it, whatever the documents say.
    pub fn only_tightens(&self) -> bool {
        matches!(self.security, None | Some(Security::Deny)) && matches!(self.ask, None | Some(Ask::Always))
    }
}

/// Overrides that are held at most.
pub const MAX: usize = 1_000;

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    list: Vec<Override>,
    version: u64,
}

impl Overrides {
    /// Sets one, in place of another for the same agent and session. False if no more can be held, or it ends at once.
    pub fn set(&mut self, new: Override, now_ms: u64) -> bool {
        if new.until_ms <= now_ms {
            return false;
        }
        let same = |o: &Override| o.agent == new.agent && o.session == new.session;
        match self.list.iter().position(same) {
            Some(at) => {
                self.list.remove(at);
            }
            None if self.list.len() >= MAX => return false,
            None => {}
        }
        self.list.push(new);
        self.version += 1;
        true
    }

    /// Takes one back; false if there is none.
    pub fn clear(&mut self, agent: &str, session: Option<&str>) -> bool {
        let before = self.list.len();
        self.list.retain(|o| o.agent != agent || o.session.as_deref() != session);
        let cleared = self.list.len() != before;
        self.version += u64::from(cleared);
        cleared
    }

    /// Drops those that are past their time, and gives them back.
    pub fn expire(&mut self, now_ms: u64) -> Vec<Override> {
        if self.list.iter().all(|o| o.until_ms > now_ms) {
            return Vec::new();
        }
        let (ended, list) = std::mem::take(&mut self.list).into_iter().partition(|o| o.until_ms <= now_ms);
        self.list = list;
        self.version += 1;
        ended
    }

    /// The one that rules for a question: that of its session before that of its agent.
    pub fn of(&self, agent: &str, session: Option<&str>, now_ms: u64) -> Option<&Override> {
        let mine = || self.list.iter().filter(|o| o.agent == agent && o.until_ms > now_ms);
        let of_session = mine().find(|o| session.is_some() && o.session.as_deref() == session);
        of_session.or_else(|| mine().find(|o| o.session.is_none()))
    }

    /// When the next one ends.
    pub fn next_end(&self) -> Option<u64> {
        self.list.iter().map(|o| o.until_ms).min()
    }

    /// Every one.
    pub fn all(&self) -> &[Override] {
        &self.list
    }

    /// Another number after each change.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Grounds that say no more than that nothing covers the command: under `security: full` they are none.
const MISSES: &[Reason] = &[
    Reason::AskAlways,
    Reason::AllowlistMiss,
    Reason::ArgsMiss,
    Reason::Expired,
    Reason::EntryIgnored,
    Reason::WrapperEntry,
    Reason::ScriptEntry,
    Reason::SafeBin,
    Reason::Untrusted,
    Reason::Hazard,
    Reason::InlineCode,
    Reason::Environment,
    // Every command in these is named (`Construct::commands_are_named`).
    Reason::Builtin,
    Reason::Function,
    Reason::Redirection,
    Reason::Compound,
    Reason::Background,
    Reason::HereDocument,
    Reason::Assignment,
];

/// Grounds under which the commands are named mostly, and sometimes not: a person looks.
const EITHER: &[Reason] = &[Reason::Substitution, Reason::Construct];

/// Grounds that may say that what runs cannot be told: under `full` they are none as long as there is no denylist.
const UNKNOWN: &[Reason] = &[
    Reason::Unresolved,
    Reason::DynamicName,
    Reason::DynamicArgument,
    Reason::DynamicOption,
    Reason::Substitution,
    Reason::Construct,
    Reason::Wrapper,
    Reason::Remote,
    Reason::Code,
    Reason::CwdUnknown,
];

/// What a question comes to under `security` and `ask`, which an override and the floor were merged into; `None` if a
/// person has to be asked still. `grounds` are the question's, `denylist` whether the agent has one.
///
/// It is the policy's own table, read for a command that came to *ask*. A ground that is not known here is one that
/// a person has to see.
pub fn verdict(security: Security, ask: Ask, grounds: &[Reason], denylist: bool) -> Option<Choice> {
    if security == Security::Deny {
        return Some(Choice::Deny);
    }
    if ask == Ask::Always {
        return None;
    }
    let lifted = |r: &Reason| match security {
        Security::Full => MISSES.contains(r) || (!denylist && UNKNOWN.contains(r)),
        Security::Allowlist | Security::Deny => *r == Reason::AskAlways,
    };
    if grounds.iter().all(lifted) {
        return Some(Choice::AllowOnce);
    }
    let perhaps = |r: &Reason| lifted(r) || (security == Security::Full && EITHER.contains(r));
    match ask {
        Ask::Off if !grounds.iter().all(perhaps) => Some(Choice::Deny),
        Ask::Off | Ask::OnMiss | Ask::Always => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(agent: &str, session: Option<&str>, until_ms: u64) -> Override {
        Override {
            agent: agent.into(),
            session: session.map(str::to_owned),
            security: Some(Security::Full),
            ask: None,
            until_ms,
            by: "uid 1".into(),
        }
    }

    #[test]
    fn a_session_goes_before_its_agent() {
        let mut o = Overrides::default();
        assert!(o.set(set("a", None, 10), 0) && o.set(set("a", Some("s"), 20), 0));
        let end = |o: &Overrides, agent, session| o.of(agent, session, 0).map(|o| o.until_ms);
        assert_eq!(end(&o, "a", Some("s")), Some(20));
        assert_eq!(end(&o, "a", Some("t")), Some(10));
        assert_eq!(end(&o, "a", None), Some(10));
        assert_eq!(end(&o, "b", Some("s")), None);
        // One that is past its time and still lies there is none.
        assert!(o.of("a", None, 10).is_none() && o.of("a", Some("s"), 19).is_some());
        assert_eq!(o.expire(10).len(), 1);
        assert_eq!((end(&o, "a", None), end(&o, "a", Some("s"))), (None, Some(20)));
        assert!(o.set(set("a", Some("s"), 30), 10) && o.all().len() == 1, "in place of the old one");
        assert!(!o.clear("a", None) && o.clear("a", Some("s")) && o.all().is_empty());
        assert!(!o.set(set("a", None, 10), 10), "it would end at once");
    }

    #[test]
    fn the_table() {
        use Reason::*;
        let yes = Some(Choice::AllowOnce);
        let no = Some(Choice::Deny);
        for (security, ask, grounds, denylist, want) in [
            (Security::Deny, Ask::OnMiss, &[AllowlistMiss][..], false, no),
            (Security::Full, Ask::OnMiss, &[AllowlistMiss, Hazard], false, yes),
            (Security::Full, Ask::Off, &[AllowlistMiss], true, yes),
            (Security::Full, Ask::Off, &[AllowlistMiss, Redirection], false, yes),
            // The denylist sees every command of these.
            (Security::Full, Ask::Off, &[AllowlistMiss, Redirection, Background, Assignment], true, yes),
            (Security::Full, Ask::Off, &[Substitution], true, None),
            (Security::Full, Ask::Off, &[Substitution, Asklisted], true, no),
            // What runs cannot be told, and there is something that must not.
            (Security::Full, Ask::OnMiss, &[DynamicName], true, None),
            (Security::Full, Ask::Off, &[DynamicName], true, no),
            // These ask whatever the lists say.
            (Security::Full, Ask::OnMiss, &[Asklisted], false, None),
            (Security::Full, Ask::OnMiss, &[AllowlistMiss, SelfProtection], false, None),
            (Security::Full, Ask::Off, &[SelfProtection], false, no),
            (Security::Full, Ask::Always, &[AllowlistMiss], false, None),
            (Security::Allowlist, Ask::OnMiss, &[AllowlistMiss], false, None),
            (Security::Allowlist, Ask::Off, &[AllowlistMiss], false, no),
            (Security::Allowlist, Ask::OnMiss, &[AskAlways], false, yes),
            (Security::Allowlist, Ask::Always, &[AskAlways], false, None),
        ] {
            assert_eq!(verdict(security, ask, grounds, denylist), want, "{security:?} {ask:?} {grounds:?}");
        }
    }

    #[test]
    fn a_ground_that_is_always_there_is_never_lifted() {
        for r in
            [SELF, Reason::Denylisted, Reason::Asklisted, Reason::AgentSwitch, Reason::Loop, Reason::Internal]
        {
            assert_eq!(verdict(Security::Full, Ask::OnMiss, &[r], false), None, "{r:?}");
        }
    }

    const SELF: Reason = Reason::SelfProtection;
}
