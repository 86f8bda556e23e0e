//! An allowlist as the evaluator sees it: ask for the entries that could match a file, not for all of them.
//!
//! An allowlist may hold ten thousand entries, and every one the guard looks at costs every command. So the
//! evaluator asks by file: only the entries whose last component could be that of the file come back, and the
//! real comparison (folders, arguments, working folder) is made on those few.
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use super::Entry;
use super::index::{IndexedList, key, keys};
use crate::glob::admits;
use crate::resolve::last_component;

/// One list of one document.
#[derive(Debug)]
pub(crate) struct Part {
    /// `<file>:<pointer of the list>`; entries add their place.
    pub base: String,
    pub body: Body,
    /// Set once it was asked: whoever asks twice asks more often.
    asked: OnceLock<()>,
    /// Of a parsed list the keys, sorted, and the entries they are of: see `index`.
    rows: OnceLock<Vec<(u64, usize)>>,
}

#[derive(Debug)]
pub(crate) enum Body {
    /// Read from the document: place in the list, entry (whose `from` is filled in when it is handed out).
    Parsed(Vec<(usize, Entry)>),
    /// Looked up in a compiled index.
    Indexed(IndexedList),
}

impl Part {
    pub fn new(base: String, body: Body) -> Part {
        Part { base, body, asked: OnceLock::new(), rows: OnceLock::new() }
    }

    fn with_place<'a>(&self, place: usize, entry: &'a Entry) -> Cow<'a, Entry> {
        if !entry.from.is_empty() {
            return Cow::Borrowed(entry);
        }
        Cow::Owned(Entry { from: format!("{}/{place}", self.base), ..entry.clone() })
    }

    fn candidates<'a>(&'a self, names: &[&[u8]], out: &mut Vec<Cow<'a, Entry>>) {
        match &self.body {
            Body::Parsed(entries) => {
                let admitted = |(_, e): &&(usize, Entry)| names.iter().any(|n| admits(&e.pattern, n));
                if self.asked.set(()).is_ok() {
                    // The one command of most judgements: a look at each costs less than to sort them.
                    let all = entries.iter().filter(admitted);
                    out.extend(all.map(|(place, e)| self.with_place(*place, e)));
                    return;
                }
                let mut found = self.under(entries, names);
                found.sort_unstable();
                found.dedup();
                let found = found.into_iter().filter_map(|i| entries.get(i)).filter(admitted);
                out.extend(found.map(|(place, e)| self.with_place(*place, e)));
            }
            Body::Indexed(list) => out.extend(list.candidates(names, &self.base).into_iter().map(Cow::Owned)),
        }
    }

    /// The entries whose keys are those of one of the names, in no order.
    fn under(&self, entries: &[(usize, Entry)], names: &[&[u8]]) -> Vec<usize> {
        let rows = self.rows.get_or_init(|| {
            let mut rows: Vec<_> =
                entries.iter().enumerate().map(|(i, (_, e))| (key(&e.pattern), i)).collect();
            crate::order::sort(&mut rows);
            rows
        });
        let mut found = Vec::new();
        for name in names {
            keys(name, &mut |key| {
                let from = rows.partition_point(|(k, _)| *k < key);
                found.extend(rows.iter().skip(from).take_while(|(k, _)| *k == key).map(|(_, i)| *i));
            });
        }
        found
    }

    fn all<'a>(&'a self, out: &mut Vec<Cow<'a, Entry>>) {
        match &self.body {
            Body::Parsed(entries) => out.extend(entries.iter().map(|(place, e)| self.with_place(*place, e))),
            Body::Indexed(list) => out.extend(list.all(&self.base).into_iter().map(Cow::Owned)),
        }
    }
}

/// The entries of one layer's allowlist. Having one tells you nothing of a match: only that what
/// [`candidates`](AllowList::candidates) left out cannot match.
#[derive(Clone, Debug, Default)]
pub struct AllowList {
    parts: Vec<Arc<Part>>,
}

impl AllowList {
    /// A list of entries already read.
    pub fn new(entries: Vec<Entry>) -> AllowList {
        let entries = entries.into_iter().enumerate().collect();
        AllowList::of(Part::new("given:".into(), Body::Parsed(entries)))
    }

    pub(crate) fn of(part: Part) -> AllowList {
        AllowList { parts: vec![Arc::new(part)] }
    }

    /// Both lists, this one first.
    pub(crate) fn joined(mut self, other: &AllowList) -> AllowList {
        self.parts.extend(other.parts.iter().cloned());
        self
    }

    pub(crate) fn parts(&self) -> &[Arc<Part>] {
        &self.parts
    }

    /// The entries whose pattern could match the path *found* or *real*, in document order. Patterns are
    /// compared by their last component only, so that another spelling of the folder loses nothing.
    pub fn candidates(&self, found: &[u8], real: &[u8]) -> Vec<Cow<'_, Entry>> {
        let (found, real) = (last_component(found), last_component(real));
        let names: &[&[u8]] = if found == real { &[found] } else { &[found, real] };
        let mut out = Vec::new();
        for part in &self.parts {
            part.candidates(names, &mut out);
        }
        out
    }

    /// Every entry, for advice and for showing; slow with a long list.
    pub fn all(&self) -> Vec<Cow<'_, Entry>> {
        let mut out = Vec::new();
        for part in &self.parts {
            part.all(&mut out);
        }
        out
    }
}
