//! Everything that happens is told: written down first, then passed on to those who wait, watch and read.
use std::sync::Arc;

use protocol::operator::{Event, EventKind, Override as WireOverride, Row, State};

use super::{Handle, Inner};
use crate::desk::{Change, Outcome, Question};
use crate::keeper::wire;

impl Handle {
    /// A question as lists show it.
    pub(super) fn row(&self, q: &Question) -> Row {
        let face = &q.draft.face;
        let answer = match &q.outcome {
            Some(Outcome::Answered(a)) => Some(a),
            _ => None,
        };
        Row {
            id: q.draft.id.clone(),
            state: match q.outcome {
                None => State::Waiting,
                Some(Outcome::Answered(_)) => State::Answered,
                Some(Outcome::Expired) => State::Expired,
                Some(Outcome::Withdrawn) => State::Withdrawn,
            },
            agent: q.draft.agent.clone(),
            session: q.draft.session.clone(),
            command: face.command.clone(),
            cut: face.cut,
            cwd: face.cwd.clone(),
            ground: face.ground.clone(),
            asked_at_ms: self.0.clock.wall(q.asked_ms),
            expires_at_ms: self.0.clock.wall(q.expires_ms),
            detached: q.detached,
            scopes: face.scopes.clone(),
            choice: answer.map(|a| a.choice),
            by: answer.map(|a| a.by.clone()),
            reason: answer.and_then(|a| a.reason.clone()),
            stored: q.stored.clone(),
            tool: face.tool.clone(),
        }
    }

    /// Passes on what changed: first to the files, then to whoever waits, watches and reads.
    ///
    /// # Errors
    /// What has to outlive a restart could not be written down: a yes that rests on it must not be given.
    pub(super) fn told(&self, inner: &mut Inner) -> Result<(), ()> {
        let changes = inner.desk.changes();
        let version = (inner.desk.grants().version(), inner.desk.overrides().version());
        let mut kept = Ok(());
        if version != inner.saved {
            let published = match version.1 == inner.saved.1 {
                true => Ok(()),
                false => self.0.keeper.publish(&inner.desk, &self.0.clock),
            };
            match published.and(self.0.keeper.save(&inner.desk, &self.0.clock)) {
                Ok(()) => inner.saved = version,
                Err(e) => {
                    crate::say(&format!("the state folder cannot be written: {e}"));
                    kept = Err(());
                }
            }
        }
        for change in changes {
            match change {
                Change::Requested(q) => self.question_event(EventKind::Requested, &q),
                Change::Resolved(q) => {
                    if q.detached {
                        self.0.keeper.drop_question(&q.draft.id);
                    }
                    let waiter = inner.waiters.remove(&q.draft.id);
                    if let (Some(waiter), Some(outcome), Ok(())) = (waiter, &q.outcome, kept) {
                        // One who went away meanwhile hears nothing, and has nothing.
                        let _ = waiter.send(outcome.clone());
                    }
                    self.question_event(EventKind::Resolved, &q);
                }
                Change::Detached(id) => {
                    let left = inner.desk.find(&id).ok().filter(|q| q.waits());
                    if let Some(Err(e)) = left.map(|q| self.0.keeper.leave(q, &self.0.clock)) {
                        crate::say(&format!("a question will not outlive a restart: {e}"));
                    }
                }
                Change::Attached(id) => self.0.keeper.drop_question(&id),
                Change::Ended(o) => self.session_event(&wire(&o, &self.0.clock)),
            }
        }
        kept
    }

    fn question_event(&self, kind: EventKind, q: &Question) {
        let mut event = Event::new(kind, sys::time::now_ms(), Some(q.draft.id.clone()));
        event.row = Some(self.row(q));
        self.tell(event);
    }

    pub(super) fn session_event(&self, o: &WireOverride) {
        let mut event = Event::new(EventKind::Session, sys::time::now_ms(), None);
        event.session = Some(o.clone());
        self.tell(event);
    }

    pub(super) fn tell(&self, event: Event) {
        if let Some(journal) = &self.0.journal {
            let full = self
                .0
                .rules
                .current()
                .is_ok_and(|d| d.settings.journal.text == policy::document::JournalText::Full);
            self.0.pen.write(&event, journal.clone(), full);
        }
        // Nobody may be watching.
        let _ = self.0.events.send(Arc::new(event));
    }
}
