//! Does the chain hold? What does not fit is named: the file, and the line where a line can be told.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;

use super::{Link, Look, PATIENCE, SEALED, Sum, head, look, stem};
use crate::journal::Journal;

/// More faults of one file than this are not listed one by one.
const MAX_LISTED: usize = 20;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Every file of the journal: the sealed ones in the order of their numbers, then the others by age.
    pub files: Vec<CheckedFile>,
    /// What is wrong; nothing = all that is sealed is as it was sealed.
    pub faults: Vec<Fault>,
    /// The last link: what to note elsewhere.
    pub head: Option<Link>,
}

/// One file.
#[derive(Clone, Debug)]
pub struct CheckedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its number in the chain; `None` if it is not sealed.
    pub n: Option<u64>,
    /// Its lines, the seal not counted.
    pub lines: u64,
    /// Numbers of lines that are no record, from 1: torn by a crash or a full disk, or foreign.
    pub odd: Vec<u64>,
    /// True if its last line has no end: a write that was cut short or is still going on.
    pub torn: bool,
}

/// Something that is not as it was sealed. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This line of this file is another one.
    Changed(String, u64),
    /// A line that stood here is gone.
    Missing(String, u64),
    /// A line that was not there.
    Added(String, u64),
    /// These lines are all there, in another order: the first and the last.
    Reordered(String, u64, u64),
    /// The end is gone, and the seal with it: so many lines are left, of so many (if the next file knows).
    Truncated(String, u64, Option<u64>),
    /// So many lines stand behind the seal.
    Behind(String, u64),
    /// The file differs from its seal; which line cannot be told.
    Differs(String),
    /// Its seal was written anew: the file after it knows another one.
    Resealed(String),
    /// The file has the seal of another one.
    Renamed(String, String),
    /// Two files have the same number.
    Twice(u64, String, String),
    /// These files are gone: from this number to that one, and the name of the last if it is known.
    Gone(u64, u64, Option<String>),
    /// `head.json` is gone or no link: whether files are missing at the end cannot be told.
    Head,
    /// The file cannot be read.
    Unreadable(String, String),
    /// No file has the hash that was noted.
    Anchor,
}

impl Fault {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::Changed(..) => "changed",
            Fault::Missing(..) => "missing",
            Fault::Added(..) => "added",
            Fault::Reordered(..) => "reordered",
            Fault::Truncated(..) => "truncated",
            Fault::Behind(..) => "behind-seal",
            Fault::Differs(..) => "differs",
            Fault::Resealed(..) => "resealed",
            Fault::Renamed(..) => "renamed",
            Fault::Twice(..) => "twice",
            Fault::Gone(..) => "file-missing",
            Fault::Head => "no-head",
            Fault::Unreadable(..) => "unreadable",
            Fault::Anchor => "anchor-missing",
        }
    }

    /// The file it is about.
    pub fn file(&self) -> Option<&str> {
        match self {
            Fault::Changed(f, _)
            | Fault::Missing(f, _)
            | Fault::Added(f, _)
            | Fault::Reordered(f, ..)
            | Fault::Truncated(f, ..)
            | Fault::Behind(f, _)
            | Fault::Differs(f)
            | Fault::Resealed(f)
            | Fault::Renamed(f, _)
            | Fault::Twice(_, f, _)
            | Fault::Unreadable(f, _) => Some(f),
            Fault::Gone(.., f) => f.as_deref(),
            Fault::Head | Fault::Anchor => None,
        }
    }

    /// The line it is about.
    pub fn line(&self) -> Option<u64> {
        match self {
            Fault::Changed(_, n) | Fault::Missing(_, n) | Fault::Added(_, n) | Fault::Reordered(_, n, _) => {
                Some(*n)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Changed(file, n) => write!(f, "{file}:{n}: changed since it was sealed"),
            Fault::Missing(file, n) => write!(f, "{file}: line {n} of what was sealed is gone"),
            Fault::Added(file, n) => write!(f, "{file}:{n}: was not there when it was sealed"),
            Fault::Reordered(file, a, b) => write!(f, "{file}: lines {a} to {b} stand in another order"),
            Fault::Truncated(file, left, Some(all)) => {
                write!(f, "{file}: its end is gone, with the seal: {left} of {all} lines are left")
            }
            Fault::Truncated(file, left, None) => {
                write!(f, "{file}: its end is gone, with the seal: {left} lines are left")
            }
            Fault::Behind(file, n) => write!(
                f,
                "{file}: {n} lines stand behind the seal: added since, or by a guard that was stopped while it wrote"
            ),
            Fault::Differs(file) => write!(f, "{file}: differs from what was sealed"),
            Fault::Resealed(file) => write!(f, "{file}: its seal is not the one that was on record"),
            Fault::Renamed(file, of) => write!(f, "{file}: has the seal of {of}"),
            Fault::Twice(n, a, b) => write!(f, "number {n} of the chain is there twice: {a}, {b}"),
            Fault::Gone(a, b, name) => {
                if a == b {
                    write!(f, "file {a} of the chain is gone")
                } else {
                    write!(f, "files {a} to {b} of the chain are gone")
                }?;
                name.as_ref().map_or(Ok(()), |name| write!(f, "; the last of them was {name}"))
            }
            Fault::Head => write!(f, "head.json is gone or damaged: files missing at the end would not show"),
            Fault::Unreadable(file, e) => write!(f, "{file}: {e}"),
            Fault::Anchor => write!(f, "no sealed file has the hash that was given"),
        }
    }
}

/// Checks every file of a journal against its seal, and the seals against each other. `anchor` is a hash that was
/// noted when it was the last one: the chain must still hold it.
///
/// # Errors
/// The folder cannot be read. That a file cannot be is a fault.
pub fn check(journal: &Journal, anchor: Option<&str>) -> io::Result<Checked> {
    // So that nothing is renamed meanwhile. Where there can be no lock (a read-only file system), nobody seals.
    let _lock = journal.lock(PATIENCE);
    let mut out = Checked::default();
    let (mut chain, mut broken): (BTreeMap<u64, (String, Look)>, BTreeMap<String, Look>) = Default::default();
    let mut open = Vec::new();
    for path in journal.files()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (seen, stem) = match (look(&path), stem(&path)) {
            (Ok(seen), Some((stem, true))) => (seen, stem),
            (Ok(seen), _) => {
                open.push(entry(path, None, &seen));
                continue;
            }
            (Err(e), _) => {
                out.faults.push(Fault::Unreadable(name, e.to_string()));
                continue;
            }
        };
        let Some(found) = &seen.seal else {
            out.files.push(entry(path, None, &seen));
            broken.insert(stem, seen);
            continue;
        };
        let n = found.seal.n;
        out.files.push(entry(path, Some(n), &seen));
        if found.seal.file != stem {
            out.faults.push(Fault::Renamed(name.clone(), found.seal.file.clone()));
        }
        if let Some((other, _)) = chain.get(&n) {
            out.faults.push(Fault::Twice(n, other.clone(), name));
            continue;
        }
        chain.insert(n, (name, seen));
    }
    let mut links: Vec<Link> = Vec::new();
    for (name, seen) in chain.values() {
        contents(name, seen, &mut out.faults);
        links.extend(seen.seal.as_ref().and_then(|f| f.seal.prev.clone()));
    }
    let head = head(journal.folder());
    // A head that is one behind is what a crash leaves; the next sealer mends it.
    links.extend(head.clone());
    if head.is_none() && !chain.is_empty() {
        out.faults.push(Fault::Head);
    }
    chained(&chain, &mut broken, &links, &mut out.faults);
    for (stem, seen) in broken {
        out.faults.push(Fault::Truncated(format!("{stem}{SEALED}"), seen.sums.len() as u64, None));
    }
    out.head = chain.values().next_back().and_then(|(_, seen)| super::link(seen)).or(head);
    let hashes = || links.iter().chain(&out.head).map(|l| l.sha256.as_str());
    if anchor.is_some_and(|a| !hashes().any(|h| h.eq_ignore_ascii_case(a))) {
        out.faults.push(Fault::Anchor);
    }
    out.files.sort_by_key(|f| f.n.unwrap_or(u64::MAX));
    out.files.extend(open);
    Ok(out)
}

fn entry(path: PathBuf, n: Option<u64>, seen: &Look) -> CheckedFile {
    let lines = seen.seal.as_ref().map_or(seen.sums.len(), |f| f.before);
    CheckedFile { path, n, lines: lines as u64, odd: seen.odd.clone(), torn: seen.torn }
}

/// A file against its own seal.
fn contents(name: &str, seen: &Look, faults: &mut Vec<Fault>) {
    let Some(found) = &seen.seal else { return };
    if seen.sums.len() > found.before + 1 {
        faults.push(Fault::Behind(name.to_owned(), (seen.sums.len() - found.before - 1) as u64));
    }
    if found.sha256 == found.seal.sha256 {
        return;
    }
    let now = seen.sums.get(..found.before).unwrap_or_default();
    let found = match &found.seal.sums {
        Some(then) => lines(name, then, now),
        None => Vec::new(),
    };
    if found.is_empty() {
        // No line differs: its ends do, or the seal says another hash than its own sums.
        faults.push(Fault::Differs(name.to_owned()));
    } else if found.len() > MAX_LISTED {
        faults.extend(found.into_iter().take(MAX_LISTED));
        faults.push(Fault::Differs(name.to_owned()));
    } else {
        faults.extend(found);
    }
}

/// Which lines differ, told from the sums of then and now.
fn lines(name: &str, then: &[Sum], now: &[Sum]) -> Vec<Fault> {
    let name = || name.to_owned();
    let head = then.iter().zip(now).take_while(|(a, b)| a == b).count();
    let rest = |all: &[Sum]| all.len() - head;
    let tail = then.iter().rev().zip(now.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = tail.min(rest(then)).min(rest(now));
    let middle = |all: &[Sum]| all.get(head..all.len() - tail).unwrap_or_default().to_vec();
    let (was, is) = (middle(then), middle(now));
    let number = |at: usize| (head + at + 1) as u64;
    let (old, new): (BTreeSet<Sum>, BTreeSet<Sum>) =
        (was.iter().copied().collect(), is.iter().copied().collect());
    let gone = |at: &usize| was.get(*at).is_some_and(|s| !new.contains(s));
    let come = |at: &usize| is.get(*at).is_some_and(|s| !old.contains(s));
    if was.len() == is.len() {
        let changed: Vec<usize> = (0..was.len()).filter(|at| gone(at) && come(at)).collect();
        let all = |of: &dyn Fn(&usize) -> bool| (0..was.len()).filter(|at| of(at)).count();
        if changed.is_empty() && all(&gone) == 0 && all(&come) == 0 && !was.is_empty() {
            return vec![Fault::Reordered(name(), number(0), number(was.len() - 1))];
        }
        if all(&gone) == changed.len() && all(&come) == changed.len() {
            return changed.into_iter().map(|at| Fault::Changed(name(), number(at))).collect();
        }
    }
    // One of several equal lines may have gone: then none is unknown, and the place is where the two part.
    let missing: Vec<Fault> =
        (0..was.len()).filter(gone).map(|at| Fault::Missing(name(), number(at))).collect();
    let added: Vec<Fault> = (0..is.len()).filter(come).map(|at| Fault::Added(name(), number(at))).collect();
    match (missing.is_empty() && added.is_empty(), was.len() > is.len()) {
        (true, true) => vec![Fault::Missing(name(), number(0))],
        (true, false) if was.len() < is.len() => vec![Fault::Added(name(), number(0))],
        _ => missing.into_iter().chain(added).collect(),
    }
}

/// The seals against each other: every link must lead to a file that has it.
fn chained(
    chain: &BTreeMap<u64, (String, Look)>,
    broken: &mut BTreeMap<String, Look>,
    links: &[Link],
    faults: &mut Vec<Fault>,
) {
    let mut there: BTreeSet<u64> = chain.keys().copied().collect();
    let mut names: BTreeMap<u64, &str> = BTreeMap::new();
    for link in links {
        names.insert(link.n, &link.file);
        let fault = match chain.get(&link.n) {
            Some((name, seen)) => {
                let same = super::link(seen).is_some_and(|l| l.sha256 == link.sha256);
                // Where its lines differ that was said already, and its seal may be the old one.
                let intact = seen.seal.as_ref().is_some_and(|f| f.sha256 == f.seal.sha256);
                (!same && intact).then(|| Fault::Resealed(name.clone()))
            }
            None => broken.remove(&link.file).map(|seen| {
                there.insert(link.n);
                let name = format!("{}{SEALED}", link.file);
                Fault::Truncated(name, seen.sums.len() as u64, Some(link.lines))
            }),
        };
        faults.extend(fault.filter(|f| !faults.contains(f)));
    }
    // Only numbers that are there are walked: a seal may claim any.
    let last = names.keys().next_back().copied().unwrap_or(0);
    let mut next = 1u64;
    for n in there.into_iter().chain([last.saturating_add(1)]) {
        if n > next {
            let name = names.get(&(n - 1)).map(|name| (*name).to_owned());
            faults.push(Fault::Gone(next, n - 1, name));
        }
        next = next.max(n.saturating_add(1));
    }
}
