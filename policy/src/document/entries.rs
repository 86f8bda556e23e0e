//! Entries of the three lists.
use super::error::{Fault, LoadErrorKind};
use super::json::{Tree, pointer};
use super::{Entry, Example, Examples};
use crate::glob::{ArgGlob, ArgPattern, PathGlob};

/// Which list is read: they differ in what is done with an entry that cannot match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A useless entry is left out and noted: it allows nothing.
    Allow,
    /// A useless entry is an error: somebody believes it refuses something.
    Refuse,
}

/// The entries of a list whose shape was checked, with their places; `at` is the list's pointer. `from` is left
/// empty.
pub(crate) fn entries(
    list: &Tree<'_>,
    kind: Kind,
    at: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<(usize, Entry)>, Fault> {
    let items = list.as_list().unwrap_or_default();
    let mut out = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        let entry = entry(item);
        match fault(&entry, kind) {
            None => out.push((place, entry)),
            Some(why) if kind == Kind::Allow => notes.push(format!("entry ignored: {why} ({at}/{place})")),
            Some(why) => {
                return Err(Fault::new(
                    LoadErrorKind::Pattern,
                    pointer(at, &place.to_string()),
                    format!("an entry that can never match: {why}"),
                    "correct or remove the entry",
                ));
            }
        }
    }
    Ok(out)
}

/// Why an entry can never match.
fn fault(entry: &Entry, kind: Kind) -> Option<String> {
    if entry.pattern.is_empty() {
        return Some("it has no pattern".into());
    }
    if kind == Kind::Allow {
        // A name says nothing of which file it is. What does not compile is found out when it is needed.
        let named = entry.pattern.contains('/') || entry.pattern == "~";
        return (!named).then(|| format!("{:?} is only a name, write the path", entry.pattern));
    }
    let home: &[u8] = b"/home";
    PathGlob::new(&entry.pattern, Some(home), false)
        .err()
        .or_else(|| entry.args.iter().flatten().find_map(|a| ArgGlob::new(a).err()))
        .or_else(|| entry.arg_pattern.as_ref().and_then(|p| ArgPattern::new(p).err()))
        .or_else(|| entry.cwd.as_ref().and_then(|c| PathGlob::new(c, Some(home), false).err()))
        .map(|e| e.to_string())
}

/// One entry; a bare string is its pattern.
pub(crate) fn entry(item: &Tree<'_>) -> Entry {
    let Some(members) = item.as_map() else {
        return Entry { pattern: trimmed(item), ..Entry::default() };
    };
    let mut e = Entry::default();
    for (name, value) in members {
        let text = || value.as_str().map(str::to_owned);
        match name.as_ref() {
            "pattern" => e.pattern = trimmed(value),
            "id" => e.id = text(),
            "args" => e.args = value.as_list().map(strings),
            "argPattern" => e.arg_pattern = text(),
            "cwd" => e.cwd = text(),
            "carries" => e.carries_anything = value.as_str().is_some_and(|t| t.trim() == "anything"),
            "hazards" => e.hazards_allow = value.as_str().is_some_and(|t| t.trim() == "allow"),
            "expiresAt" => e.expires_at = value.as_u64(),
            "examples" => {
                e.examples = Examples {
                    allows: examples(value.get("allows")),
                    refuses: examples(value.get("refuses")),
                };
            }
            _ => {}
        }
    }
    e
}

fn trimmed(text: &Tree<'_>) -> String {
    text.as_str().map(|t| t.trim_matches([' ', '\t', '\r', '\n'])).unwrap_or_default().to_owned()
}

/// The strings of a list.
pub(crate) fn strings(list: &[Tree<'_>]) -> Vec<String> {
    list.iter().filter_map(Tree::as_str).map(str::to_owned).collect()
}

fn examples(list: Option<&Tree<'_>>) -> Vec<Example> {
    list.and_then(Tree::as_list)
        .unwrap_or_default()
        .iter()
        .filter_map(|item| match item {
            Tree::Text(t) => Some(Example::Text(t.clone().into_owned())),
            Tree::List(words) => Some(Example::Words(strings(words))),
            _ => None,
        })
        .collect()
}

/// True if two entries say the same: pattern up to ASCII case, every restriction and leave equal. (An id, a note,
/// an example say nothing.)
pub(crate) fn same(a: &Entry, b: &Entry) -> bool {
    a.pattern.eq_ignore_ascii_case(&b.pattern)
        && a.args == b.args
        && a.arg_pattern == b.arg_pattern
        && a.cwd == b.cwd
        && a.carries_anything == b.carries_anything
        && a.hazards_allow == b.hazards_allow
        && a.expires_at == b.expires_at
}
