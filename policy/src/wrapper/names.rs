//! Names of programs → rows of the tables.
use super::Class;
use crate::tables::interpreters::{self, Interpreter};
use crate::tables::shells::{NO_SHELLS, SHELLS, Shell};
use crate::tables::wrappers::{self, COREUTILS, Form, Own, Row, is_multicall};

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A wrapper.
    Row(&'static Row),
    /// An interpreter.
    Interpreter(&'static Interpreter),
    /// A multi-call program that may take its first operand for the applet.
    Unlinked,
}

/// One thing a program is known to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// What it is.
    pub(super) what: What,
    /// True if one of the names is exactly that of the table and the real file bears a known name.
    pub(super) certain: bool,
}

/// The shell a program is.
#[derive(Clone, Debug)]
pub(super) struct ShellHit {
    /// The most telling name.
    pub(super) name: Vec<u8>,
    /// Its options; `None` = its language is not read here.
    pub(super) grammar: Option<crate::tables::shells::Grammar>,
    /// As in [`Hit`].
    pub(super) certain: bool,
}

/// Everything a program is known to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits {
    /// Wrappers and interpreters.
    pub(super) found: Vec<Hit>,
    /// The shell, if it is one.
    pub(super) shell: Option<ShellHit>,
}

impl Hits {
    /// True of an interpreter of a language: a file that its words name may be the program it runs.
    pub(crate) fn runs_a_text(&self) -> bool {
        self.found.iter().any(|hit| matches!(hit.what, What::Interpreter(row) if row.language))
    }
}

/// The last component of a path.
pub(super) fn base(name: &[u8]) -> &[u8] {
    name.rsplit(|b| *b == b'/').next().unwrap_or(name)
}

/// Spellings of a name to look up: itself; folded; without a `.exe`-like suffix; without a version. The flag
/// is true for the name itself.
fn spellings(name: &[u8]) -> Vec<(Vec<u8>, bool)> {
    let mut out = vec![(name.to_vec(), true)];
    // No suffix, no version, nothing to fold.
    if name.iter().all(u8::is_ascii_lowercase) && !name.starts_with(b"gnu") {
        return out;
    }
    let mut add = |n: Vec<u8>| {
        if !n.is_empty() && !out.iter().any(|(o, _)| *o == n) {
            out.push((n, false));
        }
    };
    // Programs of file systems that fold case answer to any spelling.
    let folded = name.to_ascii_lowercase();
    let mut bare = folded.as_slice();
    for suffix in [b".exe", b".cmd", b".bat", b".com"] {
        bare = bare.strip_suffix(suffix.as_slice()).unwrap_or(bare);
    }
    let version = |n: &[u8]| {
        let mut cut = n;
        while let Some((last, rest)) = cut.split_last() {
            if last.is_ascii_digit() || *last == b'.' {
                cut = rest;
            } else {
                break;
            }
        }
        while let Some(rest) = cut.strip_suffix(b"-").or_else(|| cut.strip_suffix(b"_")) {
            cut = rest;
        }
        cut.to_vec()
    };
    add(version(name));
    // `python3.12-dbg`, `python3.13t`: builds of one version.
    for build in [b"-dbg".as_slice(), b"t", b"d", b"m"] {
        if let Some(rest) = name.strip_suffix(build).filter(|r| r.last().is_some_and(u8::is_ascii_digit)) {
            add(version(rest));
        }
    }
    add(bare.to_vec());
    // Where another coreutils is the default, GNU's are `gnuenv` and so on.
    add(name.strip_prefix(b"gnu").unwrap_or_default().to_vec());
    add(version(bare));
    if loader(&folded) {
        add(b"ld.so".to_vec());
    }
    out
}

/// `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`, `ld-2.31.so`, `ld64.so.2`, `ld.so`.
fn loader(name: &[u8]) -> bool {
    name.starts_with(b"ld") && name.windows(3).any(|w| w == b".so") && !name.starts_with(b"ldap")
}

fn shell(name: &[u8]) -> Option<&'static Shell> {
    SHELLS.iter().find(|s| wrappers::is(s.name, name))
}

fn listed(name: &[u8], shells: &[Vec<u8>]) -> bool {
    shells.iter().any(|s| base(s) == name)
        && !NO_SHELLS.has(name)
        && wrappers::find(name).is_none()
        && !is_multicall(name)
}

/// Looks every name up in every table.
pub(crate) fn hits(names: &[&[u8]], argv0: &[u8], shells: &[Vec<u8>]) -> Hits {
    let mut hits = Hits::default();
    let own_name = base(argv0);
    let own_name = own_name.strip_prefix(b"-").unwrap_or(own_name);
    let mut real_known = true;
    for name in names {
        let name = base(name);
        let name = name.strip_prefix(b"-").unwrap_or(name);
        real_known = false;
        if is_multicall(name) {
            real_known = true;
            multicall(name, own_name, &mut hits);
            continue;
        }
        let spelt = spellings(name);
        for (spelling, exact) in &spelt {
            if let Some(row) = wrappers::find(spelling)
                && !linked_elsewhere(row, spelling, own_name)
            {
                real_known = true;
                add(&mut hits.found, What::Row(row), *exact);
            }
            if let Some(row) = interpreters::find(spelling) {
                real_known = true;
                add(&mut hits.found, What::Interpreter(row), *exact);
            }
            if let Some(row) = shell(spelling) {
                real_known = true;
                add_shell(&mut hits.shell, row.name.as_bytes(), row.grammar, *exact);
            } else if *exact && listed(spelling, shells) {
                real_known = true;
                add_shell(&mut hits.shell, spelling, None, true);
            }
        }
    }
    // A link named `nice` to a file nobody knows is not nice.
    if !real_known {
        hits.found.iter_mut().for_each(|h| h.certain = false);
        if let Some(shell) = &mut hits.shell {
            shell.certain = false;
        }
    }
    hits
}

fn multicall(name: &[u8], own_name: &[u8], hits: &mut Hits) {
    if is_multicall(own_name) {
        if let Some(row) = wrappers::rows().find(|r| matches!(r.form, Form::Own(Own::Multiplexer))) {
            add(&mut hits.found, What::Row(row), true);
        }
        return;
    }
    if shell(own_name).is_some_and(|s| s.grammar.is_some()) {
        // `sh` linked to busybox is its ash.
        add_shell(&mut hits.shell, b"ash", Some(crate::tables::shells::Grammar::Dash), true);
        return;
    }
    // busybox and toybox run nothing under a name they do not know; the Rust coreutils do.
    let by_name = name.starts_with(b"busybox") || name.starts_with(b"toybox");
    if !by_name && !COREUTILS.has(own_name) {
        add(&mut hits.found, What::Unlinked, true);
    }
}

/// setarch decides by its own name: the file `setarch` started as `linux32` is `linux32`.
fn linked_elsewhere(row: &Row, spelling: &[u8], own_name: &[u8]) -> bool {
    matches!(row.form, Form::Own(Own::Setarch))
        && spelling != own_name
        && row.names.iter().any(|n| n.as_bytes() == own_name)
}

fn add(found: &mut Vec<Hit>, what: What, certain: bool) {
    let same = |h: &&mut Hit| match (h.what, what) {
        (What::Row(a), What::Row(b)) => std::ptr::eq(a, b),
        (What::Interpreter(a), What::Interpreter(b)) => std::ptr::eq(a, b),
        (What::Unlinked, What::Unlinked) => true,
        _ => false,
    };
    match found.iter_mut().find(same) {
        Some(hit) => hit.certain |= certain,
        None => found.push(Hit { what, certain }),
    }
}

fn add_shell(
    slot: &mut Option<ShellHit>,
    name: &[u8],
    grammar: Option<crate::tables::shells::Grammar>,
    certain: bool,
) {
    match slot {
        None => *slot = Some(ShellHit { name: name.to_vec(), grammar, certain }),
        Some(hit) => {
            hit.certain |= certain;
            // The later name is nearer to the real file, and `sh` tells nothing; an unread language wins.
            if hit.grammar.is_some() && name != b"sh" {
                hit.name = name.to_vec();
                hit.grammar = grammar;
            }
        }
    }
}

/// True if a program of that name is a shell: by the table, or because /etc/shells lists it.
pub fn is_shell(name: &[u8], shells: &[Vec<u8>]) -> bool {
    let name = base(name);
    let name = name.strip_prefix(b"-").unwrap_or(name);
    listed(name, shells) || spellings(name).iter().any(|(n, _)| shell(n).is_some())
}

/// The class of a program by its names, the strictest if they differ; `None` if it carries nothing.
pub fn class_of(names: &[&[u8]]) -> Option<Class> {
    let hits = hits(names, names.first().copied().unwrap_or_default(), &[]);
    let shell = hits.shell.map(|s| match s.grammar {
        Some(_) => Class::Transparent,
        None => Class::Privileged,
    });
    hits.found
        .iter()
        .filter_map(|h| match h.what {
            What::Row(row) => Some(row.class),
            What::Interpreter(_) => None,
            What::Unlinked => Some(Class::Privileged),
        })
        .chain(shell)
        .max()
}

/// What a program is known for, with the place where it is written.
#[cfg(test)]
pub fn known_for(names: &[&[u8]]) -> Option<&'static str> {
    let hits = hits(names, names.first().copied().unwrap_or_default(), &[]);
    let shell = hits.shell.and_then(|hit| shell(&hit.name));
    hits.found
        .iter()
        .find_map(|h| match h.what {
            What::Row(row) => Some(row.reason),
            What::Interpreter(row) => Some(row.reason),
            What::Unlinked => None,
        })
        .or(shell.map(|s| s.reason))
}

/// True if *allow always* may store an entry for a program of these names.
///
/// False for shells, interpreters, multi-call programs and for whatever always runs another program. Programs
/// that do so only in some sub-commands or options (`npm`, `docker`, `find`) may be stored for the others:
/// the caller asks [`super::peel`] too.
pub fn learnable(names: &[&[u8]]) -> bool {
    let hits = hits(names, names.first().copied().unwrap_or_default(), &[]);
    hits.shell.is_none()
        && hits.found.iter().all(|h| match h.what {
            What::Row(row) => {
                matches!(row.form, Form::Subs(_) | Form::Own(Own::Find | Own::Fd | Own::Crontab | Own::Tmux))
            }
            What::Interpreter(row) => !row.language,
            What::Unlinked => false,
        })
}
