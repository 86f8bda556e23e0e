//! What operators set for a while: for the questions, and for those who look.
use policy::document::{Ask, Security};
use policy::{Choice, Reason};
use protocol::Code;
use protocol::ask::WireQuestion;
use protocol::operator::Override as WireOverride;

use super::{Handle, Refusal};
use crate::desk::overrides::verdict;
use crate::desk::{Answer, Desk, Draft, Limits, Override};
use crate::keeper::wire;

impl Handle {
    /// What a session override comes to for a question.
    pub(super) fn overridden(
        &self,
        desk: &Desk,
        draft: &Draft,
        question: &WireQuestion,
        now_ms: u64,
    ) -> Option<Answer> {
        let o = desk.overrides().of(&draft.agent, draft.session.as_deref(), now_ms)?;
        if question.agents.len() > 1 || draft.asker.uid != sys::ids::uid() {
            // Whose question it is, is in doubt; or it is another user's, whose policy is not ours to loosen.
            return None;
        }
        let documents = self.0.rules.current().ok()?;
        let (security, ask, denylist) = documents.overridden(&draft.agent, o.security, o.ask);
        let codes = std::iter::once(&question.ground).chain(&question.findings).map(|f| f.code.as_str());
        let reason = |code: &str| Reason::ALL.iter().copied().find(|r| r.code() == code);
        // A ground that is not known here is one for a person.
        let grounds: Vec<Reason> = codes.map(|c| reason(c).unwrap_or(Reason::Internal)).collect();
        let choice = verdict(security, ask, &grounds, denylist)?;
        let reason = (choice == Choice::Deny).then(|| format!("a session override of {} says no", o.by));
        Some(Answer { choice, reason, by: format!("session override of {}", o.by) })
    }

    /// Sets an override for an agent or one of its sessions.
    ///
    /// # Errors
    /// [`Code::Floor`]: the system's policy does not let it be that loose. [`Code::Malformed`]: it says nothing, or ends
    /// at once or never. [`Code::Full`]: there are too many.
    pub fn override_set(
        &self,
        agent: &str,
        session: Option<&str>,
        wanted: (Option<Security>, Option<Ask>),
        for_ms: u64,
        by: &str,
    ) -> Result<WireOverride, Refusal> {
        let (security, ask) = wanted;
        let malformed = |detail: &str| Refusal { code: Code::Malformed, detail: Some(detail.into()) };
        if security.is_none() && ask.is_none() {
            return Err(malformed("it says neither security nor ask"));
        }
        if agent.is_empty() || agent == "*" {
            return Err(malformed("an override is for one agent"));
        }
        // They become a line that guards read.
        if std::iter::once(agent).chain(session).any(|id| store::caller::id(id.as_bytes()).is_none()) {
            return Err(malformed("that can be no agent or session"));
        }
        if for_ms == 0 || for_ms > Limits::default().longest_ms {
            return Err(malformed("it lasts from a moment to a day"));
        }
        let documents =
            self.0.rules.current().map_err(|e| Refusal { code: Code::Internal, detail: Some(e) })?;
        let (floor_security, floor_ask, _) = documents.overridden(agent, security, ask);
        if security.is_some_and(|s| s > floor_security) || ask.is_some_and(|a| a < floor_ask) {
            return Err(Code::Floor.into());
        }
        let mut inner = self.lock();
        let now = self.0.clock.now();
        let new = Override {
            agent: agent.to_owned(),
            session: session.map(str::to_owned),
            security,
            ask,
            until_ms: now.saturating_add(for_ms),
            by: by.to_owned(),
        };
        let set = wire(&new, &self.0.clock);
        if !inner.desk.overrides_mut(now).set(new, now) {
            return Err(Code::Full.into());
        }
        if self.told(&mut inner).is_err() {
            // Whoever set it is told that it is not so.
            inner.desk.overrides_mut(now).clear(agent, session);
            return Err(Code::Internal.into());
        }
        self.session_event(&set);
        drop(inner);
        self.0.wake.notify_one();
        Ok(set)
    }

    /// Takes an override back; false if there is none.
    pub fn override_clear(&self, agent: &str, session: Option<&str>) -> bool {
        let mut inner = self.lock();
        let now = self.0.clock.now();
        let had =
            inner.desk.overrides().all().iter().find(|o| o.agent == agent && o.session.as_deref() == session);
        let had = had.cloned();
        let cleared = inner.desk.overrides_mut(now).clear(agent, session);
        let _ = self.told(&mut inner);
        if let Some(o) = had.filter(|_| cleared) {
            self.session_event(&wire(&Override { until_ms: now, ..o }, &self.0.clock));
        }
        cleared
    }

    /// The overrides in force.
    pub fn overrides(&self) -> Vec<WireOverride> {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        inner.desk.overrides().all().iter().map(|o| wire(o, &self.0.clock)).collect()
    }
}
