//! What became of commands that were asked about, as their guards tell it. Claims of whoever has the token: shown, and
//! nothing is decided by them.
use std::collections::{BTreeMap, VecDeque};

use protocol::code::Code;
use protocol::message::{Outcome, Report};
use protocol::operator::by_prefix;
use protocol::operator::{Event, EventKind, Row, Run};

/// Runs that are remembered.
const MAX: usize = 1_000;

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    by_id: BTreeMap<String, Run>,
    order: VecDeque<String>,
}

impl Runs {
    /// Takes a report on the command of a question down, and makes an event of it.
    pub fn heard(&mut self, row: &Row, report: &Report) -> Event {
        if !self.by_id.contains_key(&row.id) {
            self.order.push_back(row.id.clone());
            while self.order.len() > MAX {
                if let Some(oldest) = self.order.pop_front() {
                    self.by_id.remove(&oldest);
                }
            }
        }
        let run = self.by_id.entry(row.id.clone()).or_insert_with(|| Run {
            id: row.id.clone(),
            agent: row.agent.clone(),
            command: row.command.clone(),
            state: "waiting".into(),
            started_at_ms: None,
            code: None,
            duration_ms: None,
            reason: None,
        });
        let kind = match &report.what {
            Outcome::Running => {
                run.state = "running".into();
                run.started_at_ms.get_or_insert(report.at_ms);
                EventKind::Running
            }
            Outcome::Finished { code, duration_ms } => {
                run.state = "finished".into();
                run.code = Some(u64::from(*code));
                run.duration_ms = Some(*duration_ms);
                run.started_at_ms.get_or_insert(report.at_ms.saturating_sub(*duration_ms));
                EventKind::Finished
            }
            Outcome::Denied { reason } => {
                run.state = "denied".into();
                run.reason = Some(protocol::Shown::text(reason.as_bytes()).into_string());
                EventKind::Denied
            }
        };
        let mut event = Event::new(kind, report.at_ms, Some(row.id.clone()));
        event.row = Some(row.clone());
        (event.code, event.duration_ms, event.reason) = (run.code, run.duration_ms, run.reason.clone());
        event
    }

    /// Every one, newest first.
    pub fn all(&self) -> Vec<Run> {
        self.order.iter().rev().filter_map(|id| self.by_id.get(id)).cloned().collect()
    }

    /// The one whose id begins so.
    ///
    /// # Errors
    /// None does, or more than one.
    pub fn find(&self, prefix: &str) -> Result<Run, Code> {
        let id = by_prefix(prefix, self.by_id.keys().map(String::as_str))?;
        self.by_id.get(id).cloned().ok_or(Code::Unknown)
    }
}
