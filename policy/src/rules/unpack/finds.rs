//! find(1): what it finds below its starting points is handed to a program that writes it.
use super::{Handed, Judge, Place, Writes, gives_a_name, is_one, is_open, leaves, writer};
use crate::arg::Arg;
use crate::resolve::{join, last_component};
use crate::tables::words::{WordList, words};
use crate::world::NameKind;

/// Options in front of the starting points. Source: find(1).
const IN_FRONT: &str = "-H -L -P -O0 -O1 -O2 -O3 -D";

/// What runs a program for what was found.
const RUNS: &str = "-exec -execdir -ok -okdir";

/// Tests that say what a file is called, the last part of a path included.
const NAMES: &str = "-name -iname -path -ipath -wholename -iwholename";

/// Files of the guard that are asked for by name.
const FILES: WordList = words!["exec-approvals.json", "config.json"];

/// Most folders that are looked through for links.
const FOLDERS: usize = 128;

/// Most names of one of them.
const MOST: usize = 1 << 14;

/// Folders with many others in them, where nobody keeps links to elsewhere: looked through when there is time left.
const LATER: WordList = words![".git", "node_modules", "target", ".venv"];

/// What git runs or takes orders from, below a repository.
const CONTROL: WordList = words![".git", "hooks", "config", "modules", "worktrees", "info", "attributes"];

/// Tests that say what a file is without its name.
const OTHERWISE: &str = "-regex -iregex -samefile -inum -newer";

/// True if find(1) with these words asks for what git runs or takes orders from; `all` = also if it asks for no names.
pub(crate) fn finds_control(args: &[Arg], all: bool) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| args.get(at)).map(Arg::shown).unwrap_or_default();
    let mut asked = false;
    let asks = (0..args.len()).any(|at| {
        let (test, value) = (word(Some(at)), word(Some(at + 1)));
        let excluded = matches!(word(at.checked_sub(1)), b"!" | b"-not") || word(Some(at + 2)) == b"-prune";
        if excluded || !is_one(test, NAMES) {
            return !excluded && is_one(test, OTHERWISE);
        }
        asked = true;
        let parts = value.split(|b| *b == b'/');
        is_open(value) || parts.filter(|p| *p != b"*").any(|part| CONTROL.iter().any(|name| fits(part, name)))
    });
    asks || (all && !asked)
}

impl Judge<'_> {
    /// The starting points, if what is found there is deleted or given to a program that writes.
    pub(super) fn found(&mut self) {
        let mut writes: Option<Handed> = None;
        for (at, word) in self.args.iter().enumerate().skip(self.starts().1) {
            let handed = match word.literal() {
                Some(b"-delete") => Some(Handed { gone: true, through: false }),
                Some(word) if is_one(word, RUNS) => self.hands_on(at + 1),
                _ => None,
            };
            writes = match (writes, handed) {
                (Some(a), Some(b)) => {
                    Some(Handed { gone: a.gone && b.gone, through: a.through || b.through })
                }
                (a, b) => a.or(b),
            };
        }
        if let Some(handed) = writes {
            self.finds(handed);
        }
    }

    /// From where to where its starting points stand.
    fn starts(&self) -> (usize, usize) {
        let word = |at: usize| self.args.get(at).and_then(Arg::literal).unwrap_or_default();
        let is_start = |at: &usize| {
            let arg = self.args.get(*at).map(Arg::known_prefix).unwrap_or_default();
            !arg.starts_with(b"-") && !matches!(arg, b"(" | b")" | b"!" | b",")
        };
        let option = |at: usize, list: &str| word(at).starts_with(b"-") && is_one(word(at), list);
        let from = (0..self.args.len()).take_while(|at| option(*at, IN_FRONT)).count();
        let starts = (from..self.args.len()).take_while(is_start).count();
        (from, from + starts)
    }

    /// What it finds, where that is handed to a program that writes.
    pub(super) fn finds(&mut self, handed: Handed) {
        let (from, end) = self.starts();
        let mut places: Vec<Place> = (from..end)
            .filter_map(|at| self.args.get(at))
            .filter_map(|a| self.path(a.shown(), a.is_dynamic()))
            .collect();
        if from == end {
            places.push(Place { path: self.base.clone(), ..Place::default() });
        }
        let only = !self.may_find_own(end);
        let has = |words: &str| self.args.iter().filter_map(Arg::literal).any(|w| is_one(w, words));
        // Links below are found as such, or what they lead to is.
        let followed = has("-L -follow");
        let links = has("-xtype")
            || !self.args.iter().enumerate().any(|(at, a)| {
                let kind = self.args.get(at + 1).and_then(Arg::literal);
                a.literal() == Some(b"-type") && kind.is_some_and(|kind| !kind.contains(&b'l'))
            });
        if followed || (handed.through && links) {
            let starts: Vec<Vec<u8>> = places.iter().filter_map(|p| p.path.clone()).collect();
            if !self.links_below(starts, end, followed, only, handed) && !handed.gone {
                self.put(None);
            }
        }
        self.out.extend(places.into_iter().map(|p| Place { gone: handed.gone, only, ..p }));
    }

    /// Where the links lead that lie below these folders; false if there are too many of them to look through.
    fn links_below(
        &mut self,
        starts: Vec<Vec<u8>>,
        end: usize,
        followed: bool,
        only: bool,
        handed: Handed,
    ) -> bool {
        let world = self.scene.world;
        let number = |w: &[u8]| std::str::from_utf8(w).ok()?.parse::<usize>().ok();
        let deepest = self.args.iter().position(|a| a.literal() == Some(b"-maxdepth"));
        let deepest = deepest.and_then(|at| self.args.get(at + 1)?.literal()).and_then(number);
        let mut todo: std::collections::VecDeque<(Vec<u8>, usize)> =
            starts.into_iter().filter_map(|s| world.real(&s)).map(|s| (s, 1)).collect();
        let mut later = Vec::new();
        for _ in 0..FOLDERS {
            let Some((folder, depth)) = todo.pop_front().or_else(|| later.pop()) else { return true };
            if deepest.is_some_and(|deepest| depth > deepest) {
                continue;
            }
            // A file as starting point, or a folder that nobody may read.
            let Some(names) = world.names(&folder, MOST) else { continue };
            for (name, kind) in names {
                let path = join(&folder, &name);
                match kind {
                    NameKind::Folder if LATER.has(name.as_slice()) => later.push((path, depth + 1)),
                    NameKind::Folder => todo.push_back((path, depth + 1)),
                    NameKind::Link if followed || self.asks_for(end, &name) => {
                        let real = world.real(&path);
                        // What is not there is no folder to go into, and may be made by writing.
                        if real.is_some() || !(followed || handed.gone) {
                            let only = if followed { only } else { true };
                            self.out.push(Place { path: real, gone: handed.gone, only, ..Place::default() });
                        }
                    }
                    _ => {}
                }
            }
        }
        todo.is_empty() && later.is_empty()
    }

    /// What the program that begins there does with what it is given; `None` if it only reads it.
    fn hands_on(&self, from: usize) -> Option<Handed> {
        let words: Vec<&[u8]> =
            self.args.iter().skip(from).map(Arg::shown).take_while(|w| !matches!(*w, b";" | b"+")).collect();
        let (name, rest) = words.split_first()?;
        let is_given = |w: &&[u8]| w.windows(2).any(|w| w == b"{}");
        let reads = last_component(name) == b"git" && rest.iter().any(|w| leaves(w));
        let writer = writer(&[name]).filter(|_| rest.iter().any(is_given) && !reads)?;
        let mut handed = writer.handed();
        // Below a link is behind it.
        handed.through |= rest.iter().any(|w| w.windows(3).any(|w| w == b"{}/"));
        let into =
            rest.last().is_some_and(is_given) || rest.iter().any(|w| w.starts_with(b"-") && is_given(w));
        let into = into || rest.windows(2).any(|w| matches!(w, [b"-t", to] if is_given(to)));
        match writer.writes {
            Writes::Into if !into && gives_a_name(writer.name, rest) => handed.gone = true,
            Writes::Into if !into => return None,
            Writes::Moves if !into => handed.gone = true,
            Writes::Moves => handed.through = true,
            _ => {}
        }
        Some(handed)
    }

    /// False if the tests ask for names that none of the guard's files has.
    fn may_find_own(&self, from: usize) -> bool {
        let own = self
            .scene
            .guard
            .own_paths
            .iter()
            .map(|p| last_component(p))
            .chain(FILES.iter().map(|f| -> &[u8] { f }));
        own.into_iter().any(|name| self.asks_for(from, name))
    }

    /// False if the tests ask for other names than this one.
    fn asks_for(&self, from: usize, name: &[u8]) -> bool {
        let word = |at: usize| self.args.get(at).map(Arg::shown).unwrap_or_default();
        let is_name = |at: usize| is_one(word(at), NAMES);
        let mut asked = false;
        for at in from..self.args.len() {
            match word(at) {
                b"!" | b"-not" if !is_name(at + 1) && word(at + 1) != b"-type" => return true,
                // What stands on one side of it need not hold.
                b"-o" | b"-or" if !is_name(at + 1) || !at.checked_sub(2).is_some_and(is_name) => return true,
                b"," => return true,
                _ if is_name(at) => {
                    // A shell's pattern becomes nothing but what it fits.
                    let Some(pattern) = self.args.get(at + 1).map(Arg::shown).filter(|w| !is_open(w)) else {
                        return true;
                    };
                    if matches!(at.checked_sub(1).map(word), Some(b"!" | b"-not")) {
                        continue;
                    }
                    asked = true;
                    if fits(last_component(pattern), name) {
                        return true;
                    }
                }
                _ => {}
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
