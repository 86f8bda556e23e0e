//! Writes events into the journal, in their order, without holding the desk up: a thread of its own. Files that were moved
//! aside are sealed by it as well.
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use protocol::mask_text;
use protocol::operator::{Event, EventKind};
use serde_json::{Value, json};
use store::journal::Journal;

/// How long between two looks whether a file of the journal is to be sealed.
const SEALING: Duration = Duration::from_secs(60);

/// What the thread is told.
struct Line {
    record: Value,
    journal: Journal,
}

/// The pen. Dropping it waits until everything is written.
#[derive(Debug)]
pub struct Pen {
    sender: Option<Sender<Line>>,
    thread: Option<JoinHandle<()>>,
}

impl Pen {
    /// Starts the thread.
    ///
    /// # Errors
    /// No thread is to be had.
    pub fn start() -> std::io::Result<Pen> {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("journal".into()).spawn(move || write(&receiver))?;
        Ok(Pen { sender: Some(sender), thread: Some(thread) })
    }

    /// Has an event written; `full` leaves secrets in the command's text.
    pub fn write(&self, event: &Event, journal: Journal, full: bool) {
        if let Some(sender) = &self.sender {
            // The thread ends with the pen and not before.
            let _ = sender.send(Line { record: record(event, full), journal });
        }
    }
}

impl Drop for Pen {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(lines: &Receiver<Line>) {
    let mut failing = false;
    let mut sealed: Option<Instant> = None;
    for line in lines {
        match line.journal.append(&line.record) {
            Ok(()) => {
                failing = false;
                if sealed.is_none_or(|at| at.elapsed() >= SEALING) {
                    sealed = Some(Instant::now());
                    // What cannot be sealed now is by the next one; `log verify` says what keeps it.
                    let _ = store::seal::seal(&line.journal, store::seal::GRACE);
                }
            }
            // Once is enough: a full disk fails each of thousands.
            Err(_) if failing => {}
            Err(e) => {
                failing = true;
                let path = line.journal.current();
                let shown = protocol::Shown::text(path.as_os_str().as_encoded_bytes());
                crate::say(&format!("{shown}: the journal could not be written: {e}"));
            }
        }
    }
}

/// An event as a record, in the words that records of the guard have.
fn record(event: &Event, full: bool) -> Value {
    let row = event.row.as_ref();
    let masked = row.map(|r| {
        let text = if full { r.command.clone().into_bytes() } else { mask_text(r.command.as_bytes()) };
        (text != r.command.as_bytes(), String::from_utf8_lossy(&text).into_owned())
    });
    let yes = row.and_then(|r| r.choice).map(crate::desk::is_yes);
    let decision = match (event.kind, yes) {
        (EventKind::Requested, _) => Some("ask"),
        (EventKind::Resolved, Some(true)) => Some("allow"),
        (EventKind::Resolved, _) => Some("deny"),
        _ => None,
    };
    json!({
        "v": 1,
        "ts": event.at_ms,
        "id": event.id,
        "event": event.kind.word(),
        "agent": row.map(|r| &r.agent).or(event.session.as_ref().map(|s| &s.agent)),
        "session": row.and_then(|r| r.session.as_ref()).or(event.session.as_ref().and_then(|s| s.session.as_ref())),
        "decision": decision,
        "state": row.map(|r| r.state.word()),
        "answer": row.and_then(|r| r.choice).map(protocol::message::choice_word),
        "scope": row.and_then(|r| r.choice).and_then(protocol::message::scope_of).map(policy::Scope::word),
        "by": row.and_then(|r| r.by.as_ref()).or(event.session.as_ref().map(|s| &s.by)),
        "code": row.map(|r| &r.ground).or(event.reason.as_ref()),
        "words": row.and_then(|r| r.reason.as_ref()),
        "text": masked.as_ref().map(|(_, text)| text),
        "cut": row.map(|r| r.cut),
        "cwd": row.and_then(|r| r.cwd.as_ref()),
        "override": event.session.as_ref().map(protocol::operator::Override::to_json),
        "exitCode": event.code,
        "durationMs": event.duration_ms,
        "uid": sys::ids::uid(),
        "masked": masked.as_ref().map(|(masked, _)| masked),
        // It tells of a question; what was judged stands in the guard's own record.
        "exact": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::operator::{Row, State};

    fn row() -> Row {
        Row {
            id: "a".into(),
            state: State::Answered,
            agent: "main".into(),
            session: None,
            command: "curl -H 'Authorization: Bearer abcdefghijkl' x".into(),
            cut: false,
            cwd: Some("/w".into()),
            ground: "allowlist-miss".into(),
            asked_at_ms: 1,
            expires_at_ms: 2,
            detached: false,
            scopes: Vec::new(),
            choice: Some(policy::Choice::AllowOnce),
            by: Some("panel".into()),
            reason: None,
            stored: Vec::new(),
            tool: None,
        }
    }

    #[test]
    fn what_was_moved_aside_is_sealed() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join("journal/journal-000000000001000.jsonl");
        std::fs::create_dir(old.parent().unwrap()).unwrap();
        std::fs::write(&old, "{\"v\":1}\n").unwrap();
        let pen = Pen::start().unwrap();
        let mut event = Event::new(EventKind::Requested, 1, Some("a".into()));
        event.row = Some(row());
        pen.write(&event, Journal::new(dir.path(), 1 << 20), false);
        drop(pen);
        assert!(!old.exists() && old.with_extension("sealed.jsonl").exists());
    }

    #[test]
    fn secrets_stay_out_and_everything_is_written_before_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path(), 1 << 20);
        let pen = Pen::start().unwrap();
        for n in 0..100 {
            let mut event = Event::new(EventKind::Resolved, n, Some("a".into()));
            event.row = Some(row());
            pen.write(&event, journal.clone(), n == 99);
        }
        drop(pen);
        let records = journal.read().unwrap().records;
        assert_eq!(records.len(), 100);
        assert!(records.iter().enumerate().all(|(n, r)| r["ts"] == n as u64 && r["decision"] == "allow"));
        assert_eq!(records[0]["masked"], true);
        assert!(!records[0]["text"].as_str().unwrap().contains("abcdefghijkl"));
        assert!(records[99]["text"].as_str().unwrap().contains("abcdefghijkl"));
    }

    #[test]
    fn a_journal_that_cannot_be_written_holds_nothing_up() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("journal"), "a file in its place").unwrap();
        let pen = Pen::start().unwrap();
        let event = Event::new(EventKind::Requested, 1, None);
        (0..10).for_each(|_| pen.write(&event, Journal::new(dir.path(), 1 << 20), false));
    }
}
