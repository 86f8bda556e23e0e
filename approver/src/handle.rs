//! The desk for everybody at once: commands in, events out.
//!
//! Everything that happens to a question goes through here, so that all of it is told (to those who watch, and to the
//! journal), whoever waits for an answer gets it, and what has to outlive a restart is written down first. All calls
//! but [`Handle::answer`] return at once; none waits for another one.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use policy::{Choice, Reason};
use protocol::ask::WireQuestion;
use protocol::code::Code;
use protocol::message::Report;
use protocol::operator::{Event, EventKind, Override as WireOverride, Row, Run, State, Status};
use store::journal::Journal;
use tokio::sync::{Notify, broadcast, oneshot};

use crate::clock::Clock;
use crate::desk::overrides::verdict;
use crate::desk::{Answer, Asked, Change, Desk, Draft, Limits, Outcome, Override, Question};
use crate::keeper::{Keeper, wire};
use crate::peer::Operator;
use crate::pen::Pen;
use crate::rules::Rules;
use crate::runs::Runs;
use crate::{always, draft};

/// Events that one who watches may be behind; after that it is told that it missed some.
const BEHIND: usize = 4_096;

/// A page that shows the questions.
pub trait Panel: Send + Sync {
    /// Its address.
    fn address(&self) -> String;
    /// A link by which a browser enters, once.
    fn link(&self) -> String;
}

/// A no, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The code on the wire.
    pub code: Code,
    /// More about it, if there is more; fit to be shown.
    pub detail: Option<String>,
}

impl From<Code> for Refusal {
    fn from(code: Code) -> Refusal {
        Refusal { code, detail: None }
    }
}

/// What a question came to at once.
#[derive(Debug)]
pub enum Taken {
    /// It waits until then (the desk's time). The receiver gets what becomes of it; it is closed without a word if
    /// the approver ends.
    Waits(u64, oneshot::Receiver<Outcome>),
    /// It is answered; the answer is good until then (the desk's time).
    Answered(Answer, u64),
}

/// How a question was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// How it stands now.
    pub row: Row,
    /// What is to be known about it: an *always* that could not be stored.
    pub note: Option<String>,
}

struct Inner {
    desk: Desk,
    waiters: HashMap<String, oneshot::Sender<Outcome>>,
    runs: Runs,
    panel: Option<Arc<dyn Panel>>,
    saved: (u64, u64),
    stopping: bool,
}

struct Shared {
    inner: Mutex<Inner>,
    events: broadcast::Sender<Arc<Event>>,
    wake: Notify,
    stop: Notify,
    clock: Clock,
    rules: Rules,
    keeper: Keeper,
    pen: Pen,
    journal: Option<Journal>,
    socket: String,
    started_ms: u64,
}

/// A handle on the desk. Clones are the same desk.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

/// What a desk is made of.
pub struct Parts {
    /// The documents.
    pub rules: Rules,
    /// The state folder, locked.
    pub keeper: Keeper,
    /// Where events are recorded; `None` for nowhere.
    pub journal: Option<Journal>,
    /// The asking socket, for showing.
    pub socket: String,
    /// How much is taken.
    pub limits: Limits,
}

impl Handle {
    /// A desk with what an earlier approver left.
    ///
    /// # Errors
    /// No thread is to be had for the journal.
    pub fn new(parts: Parts) -> std::io::Result<Handle> {
        let clock = Clock::start();
        let mut desk = Desk::new(parts.limits);
        parts.keeper.restore(&mut desk, &clock);
        for left in parts.keeper.left() {
            let again = draft::of_request(&left.id, &left.request, left.asker, &parts.rules).map(|(_, d)| {
                desk.restore(d, clock.desk(left.asked_ms), clock.desk(left.expires_ms), clock.now())
            });
            if !matches!(again, Ok(Ok(()))) {
                parts.keeper.drop_question(&left.id);
            }
        }
        let _ = desk.changes();
        let saved = (desk.grants().version(), desk.overrides().version());
        let inner = Inner {
            desk,
            waiters: HashMap::new(),
            runs: Runs::default(),
            panel: None,
            saved,
            stopping: false,
        };
        Ok(Handle(Arc::new(Shared {
            inner: Mutex::new(inner),
            events: broadcast::channel(BEHIND).0,
            wake: Notify::new(),
            stop: Notify::new(),
            started_ms: sys::time::now_ms(),
            pen: Pen::start()?,
            clock,
            rules: parts.rules,
            keeper: parts.keeper,
            journal: parts.journal,
            socket: parts.socket,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it is held; and if it did, the desk's own promises hold after every call.
        self.0.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The documents.
    pub fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// The desk's clock.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Lays a question down.
    ///
    /// # Errors
    /// It is not taken: why. Whoever asked is told no.
    pub fn ask(&self, draft: Draft, question: Option<&WireQuestion>) -> Result<Taken, Code> {
        let mut inner = self.lock();
        if inner.stopping {
            return Err(Code::Stopping);
        }
        let now = self.0.clock.now();
        let overridden = question.and_then(|q| self.overridden(&inner.desk, &draft, q));
        let id = draft.id.clone();
        let asked = inner.desk.ask(draft, overridden, now);
        self.told(&mut inner).map_err(|()| Code::Internal)?;
        match asked.map_err(|e| e.code())? {
            Asked::Answered(answer, until) => Ok(Taken::Answered(answer, until)),
            Asked::Waits(until) => {
                let (sender, receiver) = oneshot::channel();
                inner.waiters.insert(id, sender);
                drop(inner);
                // It may be the next one to expire.
                self.0.wake.notify_one();
                Ok(Taken::Waits(until, receiver))
            }
        }
    }

    /// What a session override comes to for a question.
    fn overridden(&self, desk: &Desk, draft: &Draft, question: &WireQuestion) -> Option<Answer> {
        let o = desk.overrides().of(&draft.agent, draft.session.as_deref())?;
        if question.agents.len() > 1 {
            // Whose question it is, is in doubt.
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

    /// The asker cannot wait any longer, and wants an answer all the same. False if its question does not wait, or
    /// could not be written down.
    pub fn detach(&self, id: &str) -> bool {
        let mut inner = self.lock();
        let done = inner.desk.detach(id, self.0.clock.now());
        inner.waiters.remove(id);
        self.told(&mut inner).is_ok() && done
    }

    /// The asker is gone.
    pub fn gone(&self, id: &str) {
        let mut inner = self.lock();
        inner.desk.gone(id, self.0.clock.now());
        inner.waiters.remove(id);
        let _ = self.told(&mut inner);
    }

    /// A hook got a yes for this text: the guard that follows need not ask again. Until when (the desk's time); `None`
    /// if that could not be kept.
    pub fn hook_yes(&self, key: String) -> Option<u64> {
        let mut inner = self.lock();
        let until = inner.desk.hook_yes(key, self.0.clock.now());
        self.told(&mut inner).ok().map(|()| until)
    }

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
            let failed = match stored {
                Ok(Ok(_)) => None,
                Ok(Err(e)) => Some(e),
                Err(_) => Some("the writer broke off".into()),
            };
            me.settle(&question.draft.id, answer, failed)
        });
        settled.await.unwrap_or(Err(Code::Internal.into()))
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

    fn store(&self, agent: &str, entries: &[serde_json::Value]) -> Result<usize, String> {
        let documents = self.0.rules.current()?;
        let done = always::write(documents.editable(), agent, entries);
        self.0.rules.changed();
        done
    }

    fn settle(&self, id: &str, answer: Answer, failed: Option<String>) -> Result<Done, Refusal> {
        let answer = match failed {
            None => answer,
            Some(_) => Answer { choice: Choice::AllowOnce, ..answer },
        };
        let mut inner = self.lock();
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

    /// The questions that wait, the one that ends first first; with `all` those that are over behind them. Those behind
    /// the id `after` only; at most `most`, and whether there are more.
    pub fn list(&self, all: bool, after: Option<&str>, most: usize) -> (Vec<Row>, bool) {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        let mut found: Vec<Row> =
            inner.desk.page(all, after).take(most.saturating_add(1)).map(|q| self.row(q)).collect();
        let more = found.len() > most;
        found.truncate(most);
        (found, more)
    }

    /// One question: how it stands, and its text as it came (empty if it is over).
    ///
    /// # Errors
    /// None, or more than one, begins so.
    pub fn show(&self, prefix: &str) -> Result<(Row, Arc<str>), Refusal> {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        match inner.desk.find(prefix) {
            Ok(q) => Ok((self.row(q), q.draft.body.clone())),
            Err(e) => {
                let several = e.code() == Code::Ambiguous;
                let detail = several.then(|| inner.desk.beginning(prefix, 10).join(" "));
                Err(Refusal { code: e.code(), detail })
            }
        }
    }

    /// Events from now on. One who is too far behind is told so by the receiver and has to list again.
    pub fn watch(&self) -> broadcast::Receiver<Arc<Event>> {
        self.0.events.subscribe()
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
        wanted: (Option<policy::document::Security>, Option<policy::document::Ask>),
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
        self.told(&mut inner).map_err(|()| Refusal::from(Code::Internal))?;
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

    /// A guard tells what became of a command.
    ///
    /// # Errors
    /// [`Code::Unknown`]: no question had that id.
    pub fn report(&self, id: &str, report: &Report) -> Result<(), Code> {
        let mut inner = self.lock();
        let row = inner.desk.find(id).ok().filter(|q| q.draft.id == id).map(|q| self.row(q));
        let row = row.ok_or(Code::Unknown)?;
        let event = inner.runs.heard(&row, report);
        self.tell(event);
        Ok(())
    }

    /// The runs that were told of, newest first.
    pub fn runs(&self) -> Vec<Run> {
        self.lock().runs.all()
    }

    /// One of them.
    ///
    /// # Errors
    /// None, or more than one, begins so.
    pub fn run(&self, prefix: &str) -> Result<Run, Code> {
        self.lock().runs.find(prefix)
    }

    /// How the approver does.
    pub fn status(&self) -> Status {
        let inner = self.lock();
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        Status {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: u64::try_from(sys::ids::pid()).unwrap_or(0),
            started_at_ms: self.0.started_ms,
            waiting: count(inner.desk.waiting_count()),
            over: count(inner.desk.remembered()),
            socket: self.0.socket.clone(),
            panel: inner.panel.as_ref().map(|p| p.address()),
            sessions: count(inner.desk.overrides().all().len()),
        }
    }

    /// The page, once it is served.
    pub fn set_panel(&self, panel: Arc<dyn Panel>) {
        self.lock().panel = Some(panel);
    }

    /// The page; `None` if there is none.
    pub fn panel(&self) -> Option<Arc<dyn Panel>> {
        self.lock().panel.clone()
    }

    /// The approver is to end: no question is taken any more.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.0.stop.notify_waiters();
        self.0.stop.notify_one();
    }

    /// Returns when [`Handle::stop`] was called.
    pub async fn stopped(&self) {
        let called = self.0.stop.notified();
        if !self.lock().stopping {
            called.await;
        }
    }

    /// Tells those that wait that nobody will answer them any more, and gives them a moment to hear it. What was left
    /// behind stays for the next approver.
    pub async fn goodbye(&self, within: std::time::Duration) {
        let told = {
            let mut inner = self.lock();
            std::mem::take(&mut inner.waiters).len()
        };
        if told > 0 {
            let _ = tokio::time::timeout(within, self.quiet()).await;
        }
    }

    /// Returns when no question of a connection waits any more.
    async fn quiet(&self) {
        loop {
            if self.lock().desk.waiting().all(|q| q.detached) {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// Ends what is past its time, as it passes. Runs until it is dropped.
    pub async fn keep_time(&self) {
        loop {
            let next = {
                let mut inner = self.lock();
                let next = inner.desk.tick(self.0.clock.now());
                let _ = self.told(&mut inner);
                next
            };
            let wait = next.map(|at| at.saturating_sub(self.0.clock.now()).clamp(1, 60_000));
            let wait = std::time::Duration::from_millis(wait.unwrap_or(60_000));
            let _ = tokio::time::timeout(wait, self.0.wake.notified()).await;
        }
    }

    /// A question as lists show it.
    fn row(&self, q: &Question) -> Row {
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
        }
    }

    /// Passes on what changed: first to the files, then to whoever waits, watches and reads.
    ///
    /// # Errors
    /// What has to outlive a restart could not be written down: a yes that rests on it must not be given.
    fn told(&self, inner: &mut Inner) -> Result<(), ()> {
        let changes = inner.desk.changes();
        let version = (inner.desk.grants().version(), inner.desk.overrides().version());
        let mut kept = Ok(());
        if version != inner.saved {
            match self.0.keeper.save(&inner.desk, &self.0.clock) {
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

    fn session_event(&self, o: &WireOverride) {
        let mut event = Event::new(EventKind::Session, sys::time::now_ms(), None);
        event.session = Some(o.clone());
        self.tell(event);
    }

    fn tell(&self, event: Event) {
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

#[cfg(test)]
mod tests;
