//! Answers: whether one counts, and what it stores.
use std::collections::HashSet;

use policy::Choice;
use protocol::Code;
use protocol::ask::WireQuestion;

use super::{Done, Handle, Inner, Refusal};
use crate::always;
use crate::desk::{Answer, Asker, Outcome, Question};
use crate::peer::Operator;

/// Questions that are named in a refusal.
const SHOWN: usize = 3;

impl Handle {
    /// Answers a question; `prefix` is its id or the beginning of it. With *always* the entries that were shown are
    /// stored first; if that fails it is allowed once, and the note says why.
    ///
    /// # Errors
    /// The answer does not count.
    pub async fn answer(
        &self,
        prefix: &str,
        choice: Choice,
        reason: Option<String>,
        who: &Operator,
    ) -> Result<Done, Refusal> {
        let answer = Answer { choice, reason, by: who.by.clone() };
        let (question, entries) = {
            let mut inner = self.lock();
            let now = self.0.clock.now();
            let asked = self.answerable(&mut inner, prefix, now)?;
            who.may_answer(&asked.draft.asker)?;
            let Choice::AllowAlways(scope) = choice else {
                let done = inner.desk.answer(&asked.draft.id, answer, now);
                let told = self.told(&mut inner);
                let closed = done.map_err(|e| Refusal::from(e.code()))?;
                told.map_err(|()| Refusal::from(Code::Internal))?;
                return Ok(Done { row: self.row(&closed), note: None });
            };
            if asked.draft.asker.uid != sys::ids::uid() {
                let detail = "another user's guard has a policy of its own, which is not written here";
                return Err(Refusal { code: Code::NotOffered, detail: Some(detail.into()) });
            }
            let not = |detail: String| Refusal { code: Code::NotOffered, detail: Some(detail) };
            let question = WireQuestion::parse(&asked.draft.body)
                .map_err(|_| not("it was asked in a form that has no entries".into()))?;
            let entries = always::entries(&question, scope).map_err(not)?;
            let claimed = inner.desk.claim(&asked.draft.id, now).map_err(|e| Refusal::from(e.code()))?;
            (claimed, entries)
        };
        // By a task of its own: whoever answers may hang up while the document is written.
        let me = self.clone();
        let settled = tokio::spawn(async move {
            let (rules, agent) = (me.clone(), question.draft.agent.clone());
            let stored = tokio::task::spawn_blocking(move || rules.store(&agent, &entries)).await;
            let stored = stored.unwrap_or_else(|_| Err("the writer broke off".into()));
            me.settle(&question.draft.id, answer, stored)
        });
        settled.await.unwrap_or(Err(Code::Internal.into()))
    }

    /// Refuses somebody to whom one of the questions that wait belongs: neither a link to the page nor an override is a
    /// way around [`Operator::may_answer`].
    ///
    /// # Errors
    /// [`Code::OwnQuestion`]: which of them wait, and what to do about it.
    pub fn asks_nothing(&self, who: &Operator) -> Result<(), Refusal> {
        let askers: HashSet<Asker> = {
            let mut inner = self.lock();
            inner.desk.tick(self.0.clock.now());
            inner.desk.waiting().map(|q| q.draft.asker).collect()
        };
        let own = who.own(&askers);
        if own.is_empty() {
            return Ok(());
        }
        let inner = self.lock();
        let mut own = inner.desk.waiting().filter(|q| own.contains(&q.draft.asker)).map(|q| {
            let (id, agent) = (q.draft.id.get(..8).unwrap_or(&q.draft.id), q.draft.agent.as_bytes());
            format!("{id} ({}: {})", protocol::Shown::text(agent), q.draft.face.command)
        });
        let shown: Vec<String> = own.by_ref().take(SHOWN).collect();
        let more = match own.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let detail = format!(
            "this session, or a process above it, has asked {}{more} and waits for an answer; end that command, have it \
             answered from elsewhere, or do this in another terminal",
            shown.join(", ")
        );
        Err(Refusal { code: Code::OwnQuestion, detail: Some(detail) })
    }

    fn answerable(&self, inner: &mut Inner, prefix: &str, now: u64) -> Result<Question, Refusal> {
        let found = inner.desk.answerable(prefix, now).cloned();
        found.map_err(|e| {
            let closed = inner.desk.find(prefix).ok();
            let detail = match (e.code(), closed.and_then(|q| q.outcome.as_ref())) {
                (Code::Answered, Some(Outcome::Answered(a))) => {
                    Some(format!("{} by {}", protocol::message::choice_word(a.choice), a.by))
                }
                (Code::Ambiguous, _) => Some(inner.desk.beginning(prefix, 10).join(" ")),
                _ => None,
            };
            Refusal { code: e.code(), detail }
        })
    }

    /// Stores them; what to tell a person about it.
    fn store(&self, agent: &str, entries: &[serde_json::Value]) -> Result<Vec<String>, String> {
        let documents = self.0.rules.current()?;
        let done = always::write(documents.editable(), agent, entries);
        self.0.rules.changed();
        let file = documents.editable().map(|t| t.path.as_path());
        Ok(always::told(file.unwrap_or(std::path::Path::new("")), agent, entries, done?))
    }

    fn settle(&self, id: &str, answer: Answer, stored: Result<Vec<String>, String>) -> Result<Done, Refusal> {
        let mut inner = self.lock();
        let (answer, failed) = match stored {
            Ok(lines) => {
                inner.desk.stored(id, lines);
                (answer, None)
            }
            Err(why) => (Answer { choice: Choice::AllowOnce, ..answer }, Some(why)),
        };
        let done = inner.desk.settle(id, answer, self.0.clock.now());
        let told = self.told(&mut inner);
        let closed = done.map_err(|e| Refusal {
            code: e.code(),
            detail: failed
                .is_none()
                .then(|| "the entries were stored; the question had ended by then".into()),
        })?;
        told.map_err(|()| Refusal::from(Code::Internal))?;
        let note = failed.map(|why| format!("allowed once, not stored: {why}"));
        Ok(Done { row: self.row(&closed), note })
    }
}
