//! The questions on the desk: a state machine without I/O and without a clock.
//!
//! ```text
//!             ask                       answer
//!   asker ──────────► WAITING ─────────────────────► ANSWERED ──► the asker, or a ticket if it gave up
//!                        │  │ time is up
//!                        │  └──────────────────────► EXPIRED
//!                        │ the asker went without a word
//!                        └─────────────────────────► WITHDRAWN
//! ```
//!
//! One transition a question. What is closed never opens again; an answer to it is refused, and told apart: unknown,
//! expired, already answered, withdrawn. An asker that says it cannot wait any longer (*detach*) leaves its question
//! behind: it can still be answered until it expires, and a yes then waits as a [ticket](grants) for the next
//! identical question.
//!
//! Times are milliseconds of whoever drives the desk; they are passed in and must not go backwards. Everything here
//! ends in a finite time and takes no more room than [`Limits`] say.
mod question;

pub mod grants;
pub mod limits;
pub mod overrides;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use grants::{Grants, Kind};
pub use limits::Limits;
use limits::Rates;
pub use overrides::{Override, Overrides};
pub use policy::Choice;
use question::is_id;
pub use question::{
    Answer, Asked, Asker, Change, Draft, Face, Key, NotAnswered, NotTaken, Outcome, Question, is_yes,
};

/// The desk. All of it is private: a question changes by the calls below and by nothing else.
#[derive(Clone, Debug)]
pub struct Desk {
    limits: Limits,
    rates: Rates,
    questions: BTreeMap<String, Question>,
    /// Those that wait, by the time they end.
    ends: BTreeSet<(u64, String)>,
    /// Those that are closed, oldest first.
    closed: VecDeque<String>,
    bytes: usize,
    /// How many of those that wait each user has, and bytes of them.
    held: BTreeMap<u32, (usize, usize)>,
    grants: Grants,
    overrides: Overrides,
    changes: Vec<Change>,
    /// The latest time that was passed in.
    now: u64,
}

impl Desk {
    /// An empty desk.
    pub fn new(limits: Limits) -> Desk {
        Desk {
            rates: Rates::new(limits.per_agent, limits.window_ms),
            grants: Grants::new(limits.grants),
            limits,
            questions: BTreeMap::new(),
            ends: BTreeSet::new(),
            closed: VecDeque::new(),
            bytes: 0,
            held: BTreeMap::new(),
            overrides: Overrides::default(),
            changes: Vec::new(),
            now: 0,
        }
    }

    /// Lays a question down. `overridden` is what a session override comes to for it, if one does
    /// ([`Overrides::verdict`]): judged outside, since the desk does not read bodies.
    ///
    /// # Errors
    /// It is not taken; whoever asked has to be told no.
    pub fn ask(&mut self, draft: Draft, overridden: Option<Answer>, now_ms: u64) -> Result<Asked, NotTaken> {
        let now = self.advance(now_ms);
        if !is_id(&draft.id) {
            return Err(NotTaken::BadId);
        }
        if self.questions.contains_key(&draft.id) {
            return self.again(&draft, now);
        }
        if draft.timeout_ms == 0 {
            return Err(NotTaken::NoTime);
        }
        if !self.rates.take(draft.asker.uid, &draft.agent, now) {
            return Err(NotTaken::RateLimited);
        }
        let size = draft.body.len();
        if !self.has_room(draft.asker.uid, size) {
            return Err(NotTaken::Full);
        }
        let expires_ms = now.saturating_add(draft.timeout_ms.min(self.limits.longest_ms));
        let question = Question {
            draft,
            asked_ms: now,
            expires_ms,
            detached: false,
            outcome: None,
            stored: Vec::new(),
            claimed: false,
        };
        let id = question.draft.id.clone();
        let ready = self.ready(&question, overridden, now);
        self.changes.push(Change::Requested(question.clone()));
        self.hold(question.draft.asker.uid, size);
        self.ends.insert((expires_ms, id.clone()));
        self.questions.insert(id.clone(), question);
        match ready {
            Some(answer) => {
                self.close(&id, Outcome::Answered(answer.clone()));
                Ok(Asked::Answered(answer, expires_ms))
            }
            None => Ok(Asked::Waits(expires_ms)),
        }
    }

    /// The same question under the same id: its asker comes back to what it left behind. A yes given meanwhile lies
    /// there as a ticket, and is used up by being handed out.
    fn again(&mut self, draft: &Draft, now: u64) -> Result<Asked, NotTaken> {
        let question = self.questions.get_mut(&draft.id).ok_or(NotTaken::Duplicate)?;
        let same = question.draft.key == draft.key && question.draft.asker.uid == draft.asker.uid;
        if !same || !question.detached {
            return Err(NotTaken::Duplicate);
        }
        match &question.outcome {
            None => {
                question.detached = false;
                question.draft.asker = draft.asker;
                self.changes.push(Change::Attached(draft.id.clone()));
                Ok(Asked::Waits(question.expires_ms))
            }
            Some(Outcome::Answered(answer)) => {
                let (answer, until) = (answer.clone(), now.saturating_add(draft.timeout_ms));
                let good = match answer.choice {
                    Choice::Deny => true,
                    Choice::AllowOnce => self.grants.take(Kind::Ticket, &draft.key, now),
                    // The policy itself allows it now.
                    Choice::AllowAlways(_) => false,
                };
                if good { Ok(Asked::Answered(answer, until)) } else { Err(NotTaken::Duplicate) }
            }
            Some(Outcome::Expired | Outcome::Withdrawn) => Err(NotTaken::Duplicate),
        }
    }

    /// An answer that is there before anybody is asked. A no goes before a yes that would be used up.
    fn ready(&mut self, question: &Question, overridden: Option<Answer>, now: u64) -> Option<Answer> {
        if let Some(no) = overridden.as_ref().filter(|a| !is_yes(a.choice)) {
            return Some(no.clone());
        }
        if overridden.is_some() {
            return overridden;
        }
        let yes = |by: &str| Some(Answer { choice: Choice::AllowOnce, reason: None, by: by.to_owned() });
        if self.grants.take(Kind::Ticket, &question.draft.key, now) {
            return yes("ticket");
        }
        if let Some(key) = &question.draft.hook
            && self.grants.take(Kind::Hook, key, now)
        {
            return yes("hook");
        }
        None
    }

    /// The one question whose id begins so, of those that are known.
    ///
    /// A closed one counts as well: else a short prefix that somebody typed for one question could, a moment later,
    /// mean another one, and askers choose their ids.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn find(&self, prefix: &str) -> Result<&Question, NotAnswered> {
        let prefix = prefix.to_ascii_lowercase();
        if prefix.is_empty() {
            return Err(NotAnswered::Unknown);
        }
        if let Some(exact) = self.questions.get(&prefix) {
            return Ok(exact);
        }
        let mut found = self
            .questions
            .range(prefix.clone()..)
            .take_while(|(id, _)| id.starts_with(&prefix))
            .map(|(_, question)| question);
        match (found.next(), found.count()) {
            (None, _) => Err(NotAnswered::Unknown),
            (Some(one), 0) => Ok(one),
            (Some(_), more) => Err(NotAnswered::Ambiguous(more + 1)),
        }
    }

    /// The question that an answer would go to.
    ///
    /// # Errors
    /// None could be answered by that.
    pub fn answerable(&mut self, prefix: &str, now_ms: u64) -> Result<&Question, NotAnswered> {
        self.advance(now_ms);
        let question = self.find(prefix)?;
        match &question.outcome {
            None if question.claimed => Err(NotAnswered::AlreadyAnswered),
            None => Ok(question),
            Some(Outcome::Answered(_)) => Err(NotAnswered::AlreadyAnswered),
            Some(Outcome::Expired) => Err(NotAnswered::Expired),
            Some(Outcome::Withdrawn) => Err(NotAnswered::Withdrawn),
        }
    }

    /// Reserves a question for an answer that takes time to carry out: other answers come second from now on. It may
    /// still expire or be withdrawn meanwhile.
    ///
    /// # Errors
    /// None could be answered by that.
    pub fn claim(&mut self, prefix: &str, now_ms: u64) -> Result<Question, NotAnswered> {
        let id = self.answerable(prefix, now_ms)?.draft.id.clone();
        let question = self.questions.get_mut(&id).ok_or(NotAnswered::Unknown)?;
        question.claimed = true;
        Ok(question.clone())
    }

    /// Gives a reservation up, as if nobody had answered.
    pub fn unclaim(&mut self, id: &str) {
        if let Some(question) = self.questions.get_mut(id) {
            question.claimed = false;
        }
    }

    /// What the answer to a reserved question stored: lines for a person.
    pub fn stored(&mut self, id: &str, lines: Vec<String>) {
        if let Some(question) = self.questions.get_mut(id) {
            question.stored = lines;
        }
    }

    /// Answers a question that was reserved with [`Desk::claim`]; `id` is its whole id.
    ///
    /// # Errors
    /// It ended in the meantime.
    pub fn settle(&mut self, id: &str, answer: Answer, now_ms: u64) -> Result<Question, NotAnswered> {
        self.advance(now_ms);
        self.unclaim(id);
        self.answer(id, answer, now_ms)
    }

    /// Answers a question.
    ///
    /// If its asker had given up waiting, a yes becomes a ticket, unless the same question waits again already: then
    /// that one has it. A no answers that one as well, so that nobody is asked the same thing twice in a row.
    ///
    /// # Errors
    /// The answer does not count.
    pub fn answer(&mut self, prefix: &str, answer: Answer, now_ms: u64) -> Result<Question, NotAnswered> {
        let now = self.advance(now_ms);
        let (id, key, detached, ttl) = {
            let q = self.answerable(prefix, now)?;
            (q.draft.id.clone(), q.draft.key.clone(), q.detached, q.draft.ticket_ttl_ms)
        };
        let closed = self.close(&id, Outcome::Answered(answer.clone())).ok_or(NotAnswered::Unknown)?;
        if detached {
            let twin = self
                .ends
                .iter()
                .filter_map(|(_, other)| self.questions.get(other))
                .find(|q| q.draft.key == key && !q.detached && !q.claimed)
                .map(|q| q.draft.id.clone());
            match (twin, answer.choice) {
                (Some(twin), choice) => {
                    let choice = if is_yes(choice) { Choice::AllowOnce } else { choice };
                    self.close(&twin, Outcome::Answered(Answer { choice, ..answer }));
                }
                (None, Choice::AllowOnce) => {
                    let until = now.saturating_add(ttl.min(self.limits.longest_ms));
                    self.grants.give(Kind::Ticket, key, until, now);
                }
                // After *always* the policy itself allows it; a no leaves nothing.
                (None, Choice::AllowAlways(_) | Choice::Deny) => {}
            }
        }
        Ok(closed)
    }

    /// The asker cannot wait any longer, and wants an answer all the same. False if it does not wait.
    pub fn detach(&mut self, id: &str, now_ms: u64) -> bool {
        self.advance(now_ms);
        match self.questions.get_mut(id) {
            Some(q) if q.outcome.is_none() && !q.detached => {
                q.detached = true;
                // It ends, and its id may soon be another's.
                q.draft.asker.pid = None;
                self.changes.push(Change::Detached(id.to_owned()));
                true
            }
            _ => false,
        }
    }

    /// The asker is gone. What it left behind on purpose stays. True if that closed a question.
    pub fn gone(&mut self, id: &str, now_ms: u64) -> bool {
        self.advance(now_ms);
        match self.questions.get(id) {
            Some(q) if q.outcome.is_none() && !q.detached => self.close(id, Outcome::Withdrawn).is_some(),
            _ => false,
        }
    }

    /// Lays a question down again that was left behind before a restart. It costs nothing of the rate.
    ///
    /// # Errors
    /// As [`Desk::ask`].
    pub fn restore(
        &mut self,
        draft: Draft,
        asked_ms: u64,
        expires_ms: u64,
        now_ms: u64,
    ) -> Result<(), NotTaken> {
        let now = self.advance(now_ms);
        if !is_id(&draft.id) {
            return Err(NotTaken::BadId);
        }
        if self.questions.contains_key(&draft.id) {
            return Err(NotTaken::Duplicate);
        }
        let expires_ms = expires_ms.min(now.saturating_add(self.limits.longest_ms));
        if expires_ms <= now {
            return Err(NotTaken::NoTime);
        }
        let size = draft.body.len();
        if !self.has_room(draft.asker.uid, size) {
            return Err(NotTaken::Full);
        }
        self.hold(draft.asker.uid, size);
        let id = draft.id.clone();
        self.ends.insert((expires_ms, id.clone()));
        let asked_ms = asked_ms.min(now);
        self.questions.insert(
            id,
            Question {
                draft,
                asked_ms,
                expires_ms,
                detached: true,
                outcome: None,
                stored: Vec::new(),
                claimed: false,
            },
        );
        Ok(())
    }

    /// A hook got a yes for this text: the guard that follows need not ask again. Returns until when.
    pub fn hook_yes(&mut self, key: Key, now_ms: u64) -> u64 {
        let now = self.advance(now_ms);
        let until = now.saturating_add(self.limits.hook_ms);
        self.grants.give(Kind::Hook, key, until, now);
        until
    }

    /// Ends what is past its time. Every other call does so first; this is for when nothing happens. Returns when it
    /// has to be called next, at the latest.
    pub fn tick(&mut self, now_ms: u64) -> Option<u64> {
        self.advance(now_ms);
        let question = self.ends.first().map(|(at, _)| *at);
        [question, self.overrides.next_end()].into_iter().flatten().min()
    }

    /// Those that wait, the one that ends first first.
    pub fn waiting(&self) -> impl Iterator<Item = &Question> {
        self.ends.iter().filter_map(|(_, id)| self.questions.get(id))
    }

    /// Those that wait, and with `all` those that are over behind them, newest first; of these the ones behind that id.
    pub fn page<'d>(
        &'d self,
        all: bool,
        after: Option<&'d str>,
    ) -> Box<dyn Iterator<Item = &'d Question> + 'd> {
        let over = self.closed.iter().rev().filter_map(|id| self.questions.get(id)).filter(move |_| all);
        let Some(here) = after.and_then(|id| self.questions.get(id)) else {
            return Box::new(self.waiting().chain(over));
        };
        if all && !here.waits() {
            return Box::new(over.skip_while(|q| q.draft.id != here.draft.id).skip(1));
        }
        // Its place is known without looking at those before it, also once it has ended: a long list takes no time
        // squared, and loses nothing that waits.
        use std::ops::Bound::{Excluded, Unbounded};
        let rest = self.ends.range((Excluded((here.expires_ms, here.draft.id.clone())), Unbounded));
        Box::new(rest.filter_map(|(_, id)| self.questions.get(id)).chain(over))
    }

    /// Ids that begin so, at most that many.
    pub fn beginning(&self, prefix: &str, most: usize) -> Vec<String> {
        let prefix = prefix.to_ascii_lowercase();
        let from = self.questions.range(prefix.clone()..);
        from.take_while(|(id, _)| id.starts_with(&prefix)).take(most).map(|(id, _)| id.clone()).collect()
    }

    /// How many wait.
    pub fn waiting_count(&self) -> usize {
        self.ends.len()
    }

    /// How many closed ones are remembered.
    pub fn remembered(&self) -> usize {
        self.closed.len()
    }

    /// Late answers and hooks' grants.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// The same, to put back what a restart saved.
    pub fn grants_mut(&mut self) -> &mut Grants {
        &mut self.grants
    }

    /// What operators set for a while.
    pub fn overrides(&self) -> &Overrides {
        &self.overrides
    }

    /// The same, to change it.
    pub fn overrides_mut(&mut self, now_ms: u64) -> &mut Overrides {
        self.advance(now_ms);
        &mut self.overrides
    }

    /// What changed since the last call.
    pub fn changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Takes the time on and ends what is past it. A time before the last one counts as the last one: what was
    /// expired stays so.
    fn advance(&mut self, now_ms: u64) -> u64 {
        self.now = self.now.max(now_ms);
        let now = self.now;
        while let Some((at, id)) = self.ends.first().cloned() {
            if at > now {
                break;
            }
            self.close(&id, Outcome::Expired);
            // Whatever `close` found, this end is dealt with.
            self.ends.remove(&(at, id));
        }
        self.changes.extend(self.overrides.expire(now).into_iter().map(Change::Ended));
        self.grants.expire(now);
        now
    }

    /// The one place where a question ends. `None` if it does not wait.
    /// True if one more of that size may wait. Whose desk it is has all of it; of what they leave to each other, anybody
    /// else has a half at most, so that there is always room for the next one.
    fn has_room(&self, uid: u32, size: usize) -> bool {
        let (waiting, bytes) = (self.ends.len(), self.bytes);
        let fits = waiting < self.limits.waiting && bytes.saturating_add(size) <= self.limits.bytes;
        if self.limits.owner.is_none_or(|owner| owner == uid) {
            return fits;
        }
        let (own, own_bytes) = self.held.get(&uid).copied().unwrap_or_default();
        let half = |all: usize, others: usize| all.saturating_sub(others) / 2;
        fits && own < half(self.limits.waiting, waiting.saturating_sub(own))
            && own_bytes.saturating_add(size) <= half(self.limits.bytes, bytes.saturating_sub(own_bytes))
    }

    fn hold(&mut self, uid: u32, size: usize) {
        self.bytes = self.bytes.saturating_add(size);
        let (waiting, bytes) = self.held.entry(uid).or_default();
        *waiting += 1;
        *bytes = bytes.saturating_add(size);
    }

    fn release(&mut self, uid: u32, size: usize) {
        self.bytes = self.bytes.saturating_sub(size);
        if let Some((waiting, bytes)) = self.held.get_mut(&uid) {
            *waiting = waiting.saturating_sub(1);
            *bytes = bytes.saturating_sub(size);
            if *waiting == 0 {
                self.held.remove(&uid);
            }
        }
    }

    fn close(&mut self, id: &str, outcome: Outcome) -> Option<Question> {
        let question = self.questions.get_mut(id).filter(|q| q.outcome.is_none())?;
        self.ends.remove(&(question.expires_ms, id.to_owned()));
        question.outcome = Some(outcome);
        question.claimed = false;
        let whole = question.clone();
        let (uid, size) = (question.draft.asker.uid, question.draft.body.len());
        question.draft.body = Arc::from("");
        self.closed.push_back(id.to_owned());
        self.release(uid, size);
        self.changes.push(Change::Resolved(whole.clone()));
        while self.closed.len() > self.limits.remembered {
            if let Some(oldest) = self.closed.pop_front() {
                self.questions.remove(&oldest);
            }
        }
        Some(whole)
    }
}
