//! The desk for everybody at once: commands in, events out.
//!
//! Everything that happens to a question goes through here, so that all of it is told (to those who watch, and to the
//! journal), whoever waits for an answer gets it, and what has to outlive a restart is written down first. All calls
//! but [`Handle::answer`] return at once; none waits for another one.
mod answer;
mod groups;
mod session;
mod tell;

pub use groups::{Group, Groups};

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::ask::WireQuestion;
use protocol::code::Code;
use protocol::message::Report;
use protocol::operator::{Event, Row, Run, Status, ToolCall};
use store::journal::Journal;
use tokio::sync::{Notify, broadcast, oneshot};

use crate::clock::Clock;
use crate::desk::{Answer, Asked, Desk, Draft, Limits, Outcome, Question};
use crate::draft;
use crate::keeper::Keeper;
use crate::peer::Work;
use crate::pen::Pen;
use crate::rules::Rules;
use crate::runs::Runs;

/// Events that one who watches may be behind; after that it is told that it missed some.
const BEHIND: usize = 4_096;

/// A page that shows the questions.
pub trait Panel: Send + Sync {
    /// Its address.
    fn address(&self) -> String;
    /// A link by which a browser enters, once; fetched by whom.
    fn link(&self, by: Work) -> String;
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
    faults: Vec<String>,
    saved: (u64, u64),
    stopping: bool,
}

struct Shared {
    inner: Mutex<Inner>,
    events: broadcast::Sender<Arc<Event>>,
    /// Those who watch and are nobody.
    nobody: AtomicUsize,
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
        if let Err(e) = parts.keeper.publish(&desk, &clock) {
            crate::say(&format!("guards may go by overrides that are no more: {e}"));
        }
        let saved = (desk.grants().version(), desk.overrides().version());
        let inner = Inner {
            desk,
            waiters: HashMap::new(),
            runs: Runs::default(),
            panel: None,
            faults: Vec::new(),
            saved,
            stopping: false,
        };
        Ok(Handle(Arc::new(Shared {
            inner: Mutex::new(inner),
            events: broadcast::channel(BEHIND).0,
            nobody: AtomicUsize::new(0),
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

    /// The journal; `None` for none.
    pub fn journal(&self) -> Option<Journal> {
        self.0.journal.clone()
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
        let overridden = question.and_then(|q| self.overridden(&inner.desk, &draft, q, now));
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

    /// The questions that wait, the one that ends first first; with `all` those that are over behind them. Those behind
    /// the id `after` only; at most `most`, and whether there are more.
    pub fn list(&self, all: bool, after: Option<&str>, most: usize) -> (Vec<Row>, bool) {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        let mut found: Vec<Row> = inner
            .desk
            .page(all, after)
            .take(most.saturating_add(1))
            .map(|q| Row { stored: Vec::new(), ..self.row(q) })
            .collect();
        let more = found.len() > most;
        found.truncate(most);
        (found, more)
    }

    /// The questions about calls of tools that wait and are wanted, the one that ends first first; at most `most`.
    pub fn calls(&self, wanted: impl Fn(&ToolCall) -> bool, most: usize) -> Vec<Row> {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        let is = |q: &&Question| q.draft.face.tool.as_ref().is_some_and(&wanted);
        inner.desk.waiting().filter(is).take(most).map(|q| self.row(q)).collect()
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
            version: protocol::version().into(),
            pid: u64::try_from(sys::ids::pid()).unwrap_or(0),
            started_at_ms: self.0.started_ms,
            waiting: count(inner.desk.waiting_count()),
            over: count(inner.desk.remembered()),
            socket: self.0.socket.clone(),
            panel: inner.panel.as_ref().map(|p| p.address()),
            sessions: count(inner.desk.overrides().all().len()),
            faults: inner.faults.clone(),
        }
    }

    /// The page, once it is served.
    pub fn set_panel(&self, panel: Arc<dyn Panel>) {
        self.lock().panel = Some(panel);
    }

    /// Something is not served that was to be: why, a sentence. Said to whoever started us, and to whoever asks how we do.
    pub fn add_fault(&self, what: &str) {
        crate::say(what);
        self.lock().faults.push(what.to_owned());
    }

    /// The page; `None` if there is none.
    pub fn panel(&self) -> Option<Arc<dyn Panel>> {
        self.lock().panel.clone()
    }

    /// The same for one that is nobody: it does not count as [somebody at hand](Handle::somebody_at_hand).
    pub fn watch_for_nobody(&self) -> broadcast::Receiver<Arc<Event>> {
        self.0.nobody.fetch_add(1, Ordering::Relaxed);
        self.watch()
    }

    /// True if somebody is there who could confirm something at once: a page is open, or an operator watches.
    pub fn somebody_at_hand(&self) -> bool {
        self.0.events.receiver_count() > self.0.nobody.load(Ordering::Relaxed)
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
}

#[cfg(test)]
mod tests;
