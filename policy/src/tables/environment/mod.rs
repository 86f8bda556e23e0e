//! Variables that change what runs, and variables known to change nothing.
//!
//! Two lists with different tasks. [`DANGEROUS`] is what an unattended run does not inherit, and what a person
//! is told about an assignment; it never ends, so nothing rests on its being complete. [`INERT`] is an allow
//! list: what a command may set without a person, and everything else asks.
//! Sources: the manuals of the programs; advisories GHSA-jf5v-pqgw-gm5m, GHSA-j425-whc4-4jgc,
//! GHSA-6p8r-6m93-557f, GHSA-7437-7hg8-frrw, GHSA-cm8v-2vh9-cxf3, CVE-2026-43584, CVE-2026-32003,
//! CVE-2026-32056, CVE-2026-22177.

use super::words::{WordList, words};

mod dangerous;
mod harmless;

pub use dangerous::DANGEROUS;
pub(crate) use dangerous::ENDS;
pub use harmless::{BASH_SPECIAL, INERT, SHELL_SPECIAL, ZSH_SPECIAL};

/// Variables with one reason.
#[derive(Debug)]
pub struct Group {
    /// Names; a last `*` stands for any rest.
    pub names: WordList,
    /// True: an unattended run does not inherit it. False: an ordinary environment has it, so only an
    /// assignment counts.
    pub scrub: bool,
    /// Values with which it changes nothing.
    pub inert: Inert,
    /// What it does, for the person who is asked.
    pub reason: &'static str,
}

/// Which values are harmless.
#[derive(Clone, Copy, Debug)]
pub enum Inert {
    /// None is.
    Never,
    /// Any that no program expands: without `$`, a backtick or a newline.
    Any,
    /// A word, with `*` and blanks besides.
    Plain,
    /// One of these.
    Is(WordList),
    /// A word of letters, digits and `_.:@,+=%-`, without `..`.
    Word,
    /// The empty value, or a digit or a word for yes and no.
    Switch,
    /// A locale whose characters are of one byte, or of several that no backslash or quote is among.
    Locale,
    /// A time zone: a word, or words with a slash between, that does not begin with one.
    Zone,
    /// Blank-separated words, each of which is one of these; a last `*` stands for a plain value.
    Words(WordList),
    /// Options of less that neither write nor load a file.
    LessFlags,
    /// A python warning filter without a module's class.
    Warnings,
    /// make's own flags to a make it starts.
    MakeFlags,
    /// The folder that it is without the variable: this one of HOME.
    OfHome(&'static str),
    /// Folders of the system, with `:` between them.
    SystemFolders,
    /// Something that was installed: paths with `:` between them, each in the system's folders or one of these (below HOME
    /// if it is relative; a last `*` stands for one name).
    Installed(WordList),
    /// The same, or a word: a version.
    Version(WordList),
    /// A program by its bare name or from the system's folders, and behind it words with a dash.
    Started,
}

/// True if `pattern` (a name, or a beginning and `*`) is the name.
pub fn is_name(pattern: &[u8], name: &[u8], fold: bool) -> bool {
    let same = |a: &[u8], b: &[u8]| if fold { a.eq_ignore_ascii_case(b) } else { a == b };
    match pattern.strip_suffix(b"*") {
        Some(start) => name.get(..start.len()).is_some_and(|n| same(n, start)),
        None => same(name, pattern),
    }
}

/// Names that npm, yarn and curl read in any case.
pub const FOLDED: WordList = words![
    "npm_config_*",
    "pnpm_config_*",
    "yarn_*",
    "http_proxy",
    "https_proxy",
    "ftp_proxy",
    "all_proxy",
    "no_proxy",
];

/// The names of [`DANGEROUS`] by their first byte, so that an environment of a hundred variables costs
/// microseconds: it is asked of every one of them before every unattended run.
struct Index {
    /// For each first byte, where its rows begin.
    starts: [u16; 129],
    /// Group, and where in its names this one stands, in the order of the groups.
    rows: [(u16, u16); NAMES],
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const NAMES: usize = {
    let (mut n, mut g) = (0, 0);
    while g < DANGEROUS.len() {
        let names = DANGEROUS[g].names.bytes();
        let mut at = 0;
        while at < names.len() {
            at += 1 + names[at] as usize;
            n += 1;
        }
        g += 1;
    }
    n
};

/// Made by the compiler: a wrong index or a name without letters would not build.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
static INDEX: Index = {
    let mut index = Index { starts: [0; 129], rows: [(0, 0); NAMES] };
    let (mut byte, mut at) = (0, 0);
    while byte < 128 {
        index.starts[byte] = at as u16;
        let mut g = 0;
        while g < DANGEROUS.len() {
            let names = DANGEROUS[g].names.bytes();
            let mut n = 0;
            while n < names.len() {
                assert!(names[n] > 0);
                if names[n + 1] as usize == byte {
                    index.rows[at] = (g as u16, n as u16);
                    at += 1;
                }
                n += 1 + names[n] as usize;
            }
            g += 1;
        }
        byte += 1;
    }
    assert!(at == NAMES);
    index.starts[128] = at as u16;
    index
};

/// The first group that has the name; `fold` reads it in any case.
pub fn group(name: &[u8], fold: bool) -> Option<&'static Group> {
    let first = *name.first()?;
    let found = bucket(first, name, fold);
    if !fold {
        return found.map(|(_, g)| g);
    }
    let other =
        if first.is_ascii_lowercase() { first.to_ascii_uppercase() } else { first.to_ascii_lowercase() };
    let also = bucket(other, name, fold).filter(|_| other != first);
    match (found, also) {
        (Some(a), Some(b)) => Some(if a.0 <= b.0 { a.1 } else { b.1 }),
        (a, b) => a.or(b).map(|(_, g)| g),
    }
}

fn bucket(first: u8, name: &[u8], fold: bool) -> Option<(u16, &'static Group)> {
    let start = *INDEX.starts.get(usize::from(first))?;
    let end = *INDEX.starts.get(usize::from(first) + 1)?;
    INDEX.rows.get(usize::from(start)..usize::from(end))?.iter().find_map(|(g, n)| {
        let group = DANGEROUS.get(usize::from(*g))?;
        let pattern = group.names.at(usize::from(*n))?;
        // The first byte is known to be the same; where a second one differs no more has to be looked at.
        if let (Some(a), Some(b)) = (pattern.get(1), name.get(1))
            && !(*a == b'*' || a.eq_ignore_ascii_case(b))
        {
            return None;
        }
        is_name(pattern, name, fold).then_some((*g, group))
    })
}
