//! The questions that wait, with those together that a person could not tell apart.
use std::collections::HashMap;
use std::sync::Arc;

use protocol::operator::Row;

use super::Handle;
use crate::desk::Question;

/// Questions that are answered together at most.
pub const TOGETHER: usize = 500;

/// Questions that differ in nothing a person is shown but the time: one look, one answer for all.
#[derive(Clone, Debug)]
pub struct Group {
    /// The same for the same questions, as long as they wait: 32 hexadecimal digits.
    pub key: String,
    /// How many there are.
    pub count: usize,
    /// Their ids, the one that was asked first first; of very many the first [`TOGETHER`].
    pub ids: Vec<String>,
    /// The first of them.
    pub row: Row,
    /// Its text as it came.
    pub body: Arc<str>,
    /// When the next of them ends, milliseconds since 1970.
    pub ends_at_ms: u64,
}

/// What [`Handle::groups`] found.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The groups, the one that was asked first first.
    pub shown: Vec<Group>,
    /// Groups that are not among them.
    pub more: usize,
    /// Questions that wait at all.
    pub waiting: usize,
}

impl Handle {
    /// The questions that wait, in groups: at most `most` of these, and of more than one no more than `bytes` of text.
    pub fn groups(&self, most: usize, bytes: usize) -> Groups {
        let mut inner = self.lock();
        inner.desk.tick(self.0.clock.now());
        let _ = self.told(&mut inner);
        let mut by_key: HashMap<(&str, Option<&str>), Vec<&Question>> = HashMap::new();
        for q in inner.desk.waiting() {
            by_key.entry((&q.draft.key, q.draft.session.as_deref())).or_default().push(q);
        }
        let waiting = inner.desk.waiting_count();
        let mut all: Vec<Vec<&Question>> = by_key.into_values().collect();
        for group in &mut all {
            group.sort_by_key(|q| (q.asked_ms, &q.draft.id));
        }
        all.sort_by_key(|group| group.first().map(|q| (q.asked_ms, &q.draft.id)));
        let mut room = bytes;
        let fits = |group: &&Vec<&Question>| {
            let size = group.first().map_or(0, |q| q.draft.body.len());
            let fits = room == bytes || size <= room;
            room = room.saturating_sub(size.max(1));
            fits
        };
        let shown: Vec<Group> =
            all.iter().take(most).take_while(fits).filter_map(|g| self.group(g)).collect();
        Groups { more: all.len().saturating_sub(shown.len()), shown, waiting }
    }

    fn group(&self, questions: &[&Question]) -> Option<Group> {
        let first = questions.first()?;
        let of = format!("{}\n{:?}", first.draft.key, first.draft.session);
        let ends = questions.iter().map(|q| q.expires_ms).min()?;
        Some(Group {
            key: protocol::mac::sha256(of.as_bytes()).get(..32)?.to_owned(),
            count: questions.len(),
            ids: questions.iter().take(TOGETHER).map(|q| q.draft.id.clone()).collect(),
            row: self.row(first),
            body: first.draft.body.clone(),
            ends_at_ms: self.0.clock.wall(ends),
        })
    }
}
