//! find(1): what it finds below its starting points is handed to a program that writes it.
use super::{GIT_LEAVES, Judge, Place, is_one, is_open, writer};
use crate::arg::Arg;
use crate::resolve::last_component;

/// Options in front of the starting points. Source: find(1).
const IN_FRONT: &str = "-H -L -P -O0 -O1 -O2 -O3 -D";

/// What runs a program for what was found.
const RUNS: &str = "-exec -execdir -ok -okdir";

/// Tests that say what a file is called, the last part of a path included.
const NAMES: &str = "-name -iname -path -ipath -wholename -iwholename";

/// Files of the guard that are asked for by name.
const FILES: &[&[u8]] = &[b"exec-approvals.json", b"config.json"];

impl Judge<'_> {
    /// The starting points, if what is found there is deleted or given to a program that writes.
    pub(super) fn finds(&mut self) {
        let word = |at: usize| self.args.get(at).and_then(Arg::literal).unwrap_or_default();
        let is_start = |at: &usize| {
            let arg = self.args.get(*at).map(Arg::known_prefix).unwrap_or_default();
            !arg.starts_with(b"-") && !matches!(arg, b"(" | b")" | b"!" | b",")
        };
        let from = (0..self.args.len()).take_while(|at| is_one(word(*at), IN_FRONT)).count();
        let starts = (from..self.args.len()).take_while(is_start).count();
        let end = from + starts;
        let mut writes = None;
        for at in end..self.args.len() {
            if word(at) == b"-delete" {
                writes.get_or_insert(true);
            }
            if is_one(word(at), RUNS) {
                let gone = self.hands_on(at + 1);
                writes = match (writes, gone) {
                    (Some(a), Some(b)) => Some(a && b),
                    (a, b) => a.or(b),
                };
            }
        }
        let Some(gone) = writes else { return };
        let mut places: Vec<Place> = (from..end)
            .filter_map(|at| self.args.get(at))
            .filter_map(|a| self.path(a.shown(), a.is_dynamic()))
            .collect();
        if starts == 0 {
            places.push(Place { path: self.base.clone(), ..Place::default() });
        }
        let only = !self.may_find_own(end);
        self.out.extend(places.into_iter().map(|p| Place { gone, only, ..p }));
    }

    /// Whether the program that begins there writes what it is given: true if it only takes away.
    fn hands_on(&self, from: usize) -> Option<bool> {
        let words: Vec<&[u8]> =
            self.args.iter().skip(from).map(Arg::shown).take_while(|w| !matches!(*w, b";" | b"+")).collect();
        let (name, rest) = words.split_first()?;
        let given = rest.iter().any(|w| w.windows(2).any(|w| w == b"{}"));
        let reads = last_component(name) == b"git" && rest.iter().any(|w| is_one(w, GIT_LEAVES));
        writer(&[name]).filter(|_| given && !reads)?;
        Some(is_one(last_component(name), "rm grm rmdir unlink shred chmod chown chgrp touch mkdir"))
    }

    /// False if the tests ask for names that none of the guard's files has.
    fn may_find_own(&self, from: usize) -> bool {
        let own = self.scene.guard.own_paths.iter().map(|p| last_component(p)).chain(FILES.iter().copied());
        let own: Vec<&[u8]> = own.collect();
        let mut asked = false;
        for (at, test) in self.args.iter().enumerate().skip(from) {
            if test.literal().is_some_and(|t| is_one(t, NAMES)) {
                // A shell's pattern becomes nothing but what it fits.
                let Some(pattern) = self.args.get(at + 1).map(Arg::shown).filter(|w| !is_open(w)) else {
                    return true;
                };
                asked = true;
                if own.iter().any(|name| fits(last_component(pattern), name)) {
                    return true;
                }
            }
        }
        !asked
    }
}

/// True if a pattern of find, which knows no hidden names, may be this one: judged by what it begins and ends with.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let mark = |b: &u8| b"*?[\\".contains(b);
    match (pattern.iter().position(mark), pattern.iter().rposition(mark)) {
        (Some(first), Some(last)) => {
            let (head, tail) = (pattern.get(..first), pattern.get(last + 1..));
            let tail = if pattern.contains(&b'[') { None } else { tail };
            begins(name, head.unwrap_or_default()) && ends(name, tail.unwrap_or_default())
        }
        _ => pattern.eq_ignore_ascii_case(name),
    }
}

fn begins(name: &[u8], head: &[u8]) -> bool {
    name.get(..head.len()).is_some_and(|n| n.eq_ignore_ascii_case(head))
}

fn ends(name: &[u8], tail: &[u8]) -> bool {
    name.len()
        .checked_sub(tail.len())
        .and_then(|at| name.get(at..))
        .is_some_and(|n| n.eq_ignore_ascii_case(tail))
}
