//! Programs that write or delete files which no word names: they stand in an archive, a patch or a repository, or lie
//! below a folder. Where the guard's own folder lies there, they may write its policy; below a `.git`, what git runs.
//! And programs that write what a word names, since a word may lead there by a link, or be known in part only.
use std::cell::Cell;

use crate::arg::Arg;
use crate::invocation::Guard;
use crate::resolve::{join, last_component, normalise, parent};
use crate::rules::entry::GIT_VALUES;
use crate::rules::protect;
use crate::tables::words::{WordList, words};
use crate::world::World;

mod comes;
mod finds;
mod links;
mod place;

pub(crate) use comes::comes_to;
pub(crate) use finds::finds_control;
pub(crate) use links::{Made, Written, made, meet, written};

use place::{Place, in_control, is_above, is_open, starred, tail};

pub(crate) use place::may_be;

/// Where such a program writes, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    /// Below the folder it stands in, or one that a word names.
    Below,
    /// So with a word or a group of letters that asks for it: tar's `x`.
    Letter(&'static str, &'static str),
    /// So by one of these sub-commands.
    Sub(&'static str),
    /// Its last operand, or what is in it by the names of the others.
    Into,
    /// The same, and the others are gone.
    Moves,
    /// Whatever it names, with all below.
    Onto,
    /// The files it names, and nothing below them; and what is in them is then the caller's.
    Named,
    /// The same, but what is in them is not.
    Touches,
    /// What it finds, by the programs it runs: see [`finds`].
    Finds,
    /// The working tree of its repository: see [`Judge::git`].
    Git,
}

/// Names, and where they write. Source: the programs' manuals.
#[rustfmt::skip]
const ROWS: &[(&[&str], Writes)] = &[
    (&["tar", "gtar", "star"], Writes::Letter("x", "extract get")),
    (&["bsdtar", "jar", "ar"], Writes::Letter("x", "extract")),
    (&["cpio", "bsdcpio"], Writes::Letter("ip", "extract pass-through")),
    (&["pax"], Writes::Letter("rw", "")),
    (&["dpkg-deb", "dpkg"], Writes::Letter("xXR", "extract vextract raw-extract")),
    (&["unzip", "unar", "patch", "tsc", "esbuild", "swc", "babel"], Writes::Below),
    (&["7z", "7za", "7zr", "7zz", "unrar"], Writes::Sub("x e")),
    (&["hg"], Writes::Sub("checkout co update up clone import graft merge pull rebase revert unshelve purge")),
    (&["svn"], Writes::Sub("checkout co export merge patch revert switch update up")),
    (&["cp", "gcp", "ln", "link", "install", "ginstall", "scp", "rsync"], Writes::Into),
    (&["mv", "gmv"], Writes::Moves),
    (&["rm", "grm", "chmod", "chown", "chgrp"], Writes::Onto),
    (&["tee", "truncate", "dd", "xxd", "sponge"], Writes::Named),
    (&["touch", "mkdir", "mktemp", "rmdir", "unlink", "mkfifo", "mknod", "shred", "split", "csplit", "chattr", "setfacl"], Writes::Touches),
    (&["find", "gfind"], Writes::Finds),
    (&["git"], Writes::Git),
];

/// Sub-commands of git that leave the working tree alone. Any other name may write it, and an alias may be any.
/// Source: git(1), `git help -a`.
#[rustfmt::skip]
const GIT_LEAVES: WordList = words![
    "add", "stage", "annotate", "archive", "blame", "branch", "bundle", "cat-file", "check-attr",
    "check-ignore", "check-mailmap", "check-ref-format", "cherry", "column", "commit", "commit-graph",
    "commit-tree", "config", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree",
    "fetch", "fetch-pack", "for-each-ref", "fsck", "fsck-objects", "gc", "grep", "hash-object", "help", "log",
    "ls-files", "ls-remote", "ls-tree", "maintenance", "merge-base", "mktag", "mktree", "name-rev", "notes",
    "pack-refs", "patch-id", "prune", "push", "range-diff", "reflog", "remote", "repack", "replace",
    "rev-list", "rev-parse", "send-pack", "shortlog", "show", "show-branch", "show-ref", "status",
    "stripspace", "symbolic-ref", "tag", "update-index", "update-ref", "var", "verify-commit", "verify-pack",
    "verify-tag", "version", "whatchanged", "write-tree",
];

/// Those that write where a word says.
const GIT_NAMED: &str = "clone init init-db worktree";

/// One of these programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    name: &'static str,
    writes: Writes,
}

/// What becomes of a word that such a program is handed.
#[derive(Clone, Copy, Debug)]
struct Handed {
    /// What was there goes, and nothing comes that is the caller's.
    gone: bool,
    /// A link is written through.
    through: bool,
}

impl Writer {
    fn why(self) -> String {
        let name = self.name;
        match self.writes {
            Writes::Named | Writes::Touches => format!("{name}: a word may lead to the guard's own files"),
            _ => format!(
                "{name} may write or delete what no word names, in a folder that the guard's own files lie in"
            ),
        }
    }

    /// True if a command of it writes nowhere, whatever its words become that are known at run time only: git with a
    /// sub-command that leaves the working tree alone, and nothing unknown in front of that.
    pub(crate) fn is_idle(self, args: &[Arg]) -> bool {
        let mut words = args.iter().map(Arg::literal);
        while let Some(Some(word)) = words.next().filter(|_| self.writes == Writes::Git) {
            let attached = word.starts_with(b"--") && word.contains(&b'=');
            if !word.starts_with(b"-") {
                return leaves(word);
            }
            if !attached && is_one(word, GIT_VALUES) && !matches!(words.next(), Some(Some(_))) {
                return false;
            }
        }
        false
    }

    /// Why a write by a name that the same text makes is a question.
    pub(crate) fn why_by_name(self) -> String {
        let name = self.name;
        format!("{name}: by another name that the text makes it may write to the guard's own files")
    }

    fn handed(self) -> Handed {
        let removes = matches!(self.name, "rm" | "grm" | "rmdir" | "unlink");
        let gone = matches!(self.writes, Writes::Onto | Writes::Touches);
        Handed { gone, through: !removes && self.writes != Writes::Moves }
    }
}

/// What a command is judged with.
pub(crate) struct Scene<'a> {
    /// The folder it stands in, if that is known.
    pub cwd: Option<&'a [u8]>,
    /// The folder that all of it began in.
    pub begun: Option<&'a [u8]>,
    /// The user's.
    pub home: Option<&'a [u8]>,
    /// What is protected.
    pub guard: &'a Guard,
    /// Where repositories are.
    pub world: &'a dyn World,
    /// How many patterns were looked for in folders so far, in the whole evaluation.
    pub looked: &'a Cell<usize>,
}

/// Why a command may write over the guard's own files without naming them; `None` if it does not.
pub(crate) fn unpacks(writer: Writer, args: &[Arg], scene: &Scene) -> Option<String> {
    hit(&places(writer, args, scene), scene).then(|| writer.why())
}

/// What stands behind the part of a word that is known at run time only, from a slash on; `None` if it does not begin with one
/// or nothing follows.
pub(crate) fn behind_unknown(text: &[u8]) -> Option<&[u8]> {
    let begins = text.first().is_some_and(|b| b"$`".contains(b));
    let mut rest = text;
    while begins && rest.first().is_some_and(|b| b"$`".contains(b)) {
        rest = place::behind_one(rest);
    }
    Some(rest).filter(|rest| begins && rest.first() == Some(&b'/'))
}

/// True if a shell may make one of the guard's own of a word that is a pattern; of one that is known at run time only, nothing
/// is said.
pub(crate) fn names_own(word: &Arg, scene: &Scene) -> bool {
    let mut judge = Judge::new(std::slice::from_ref(word), scene);
    judge.named(0);
    let known = judge.out.into_iter().filter(|p| p.glob && !p.open && p.path.is_some());
    let exact = known.map(|p| Place { only: true, gone: true, ..p }).collect();
    let mut places = led(Writer { name: "it", writes: Writes::Touches }, exact, scene);
    places.retain(|p| p.path.is_some());
    hit(&places, scene)
}

/// The same of what find(1) finds and hands to such a program on its standard input: `args` are find's.
pub(crate) fn unpacks_found(writer: Writer, args: &[Arg], scene: &Scene) -> Option<String> {
    let found = Writer { name: "find", writes: Writes::Finds };
    let mut judge = Judge::new(args, scene);
    // git takes words for files as well as for anything else.
    judge.finds(Some(writer.handed()).filter(|_| writer.writes != Writes::Git)?);
    hit(&led(found, judge.out, scene), scene).then(|| writer.why())
}

/// True if one of the guard's own lies in one of these places.
fn hit(places: &[Place], scene: &Scene) -> bool {
    let above = |own: &[u8]| places.iter().any(|p| is_above(p, own));
    let own = &scene.guard.own_paths;
    // By its spelling, and where that leads: the home itself may be a link.
    places.iter().any(|p| p.path.is_none())
        || own.iter().any(|own| above(own))
        || (!places.is_empty()
            && own.iter().any(|own| scene.world.real(own).is_some_and(|real| real != *own && above(&real))))
}

/// Why a command may write what git runs or takes orders from; `None` if it does not.
pub(crate) fn controls(writer: Writer, args: &[Arg], scene: &Scene) -> Option<&'static str> {
    let below = !matches!(writer.writes, Writes::Named | Writes::Touches);
    let one_by_one = matches!(writer.writes, Writes::Into | Writes::Moves | Writes::Named | Writes::Finds);
    let places = places(writer, args, scene);
    let written =
        || places.iter().filter(|p| !p.gone).filter_map(|p| p.path.as_deref().map(|path| (path, p)));
    let tree = !matches!(writer.writes, Writes::Named | Writes::Finds);
    if written().any(|(path, _)| tree && AGENTS.has(last_component(path))) {
        return Some("it writes the folder in which an agent keeps its hooks");
    }
    if written().any(|(path, p)| in_settings(path, p.glob, scene)) {
        return Some("it writes into a folder of the home in which programs keep their settings");
    }
    if written().any(|(path, p)| below && in_control(path, p.glob, scene.world)) {
        return Some(
            "it writes into the folder of a repository that git runs programs and takes orders from",
        );
    }
    written()
        .any(|(path, p)| one_by_one && protect::is_start_up(path, p.glob, p.afloat, scene.home))
        .then_some("it writes a file that another program runs or takes orders from")
}

/// Folders with an agent's settings, in a project or in the home.
const AGENTS: WordList = words![
    ".claude",
    ".codex",
    ".gemini",
    ".qwen",
    ".cursor",
    ".copilot",
    ".cline",
    ".openclaw",
    ".opencode"
];

/// Folders of the home that begin with a dot and hold nothing that a program takes orders from.
const NO_SETTINGS: WordList = words![".cache", ".Trash", ".tmp"];

/// True if a path lies in another such folder: some program has its settings there, its plugins or what it runs. What
/// lies in the folder that all of it began in is a project's, wherever that is.
fn in_settings(path: &[u8], glob: bool, scene: &Scene) -> bool {
    let Some(home) = scene.home.filter(|home| home.len() > 1) else { return false };
    let Some(rest) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix(b"/")) else { return false };
    let first = rest.split(|b| *b == b'/').find(|part| !part.is_empty()).unwrap_or_default();
    let hidden = first.first() == Some(&b'.') || (glob && matches!(first.first(), Some(b'[' | b'{')));
    let below = |folder: &[u8]| {
        path.strip_prefix(folder).is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    };
    if !hidden || matches!(first, b"." | b"..") || NO_SETTINGS.has(first) {
        return false;
    }
    let begun =
        scene.begun.map(|b| top(b, scene.world).filter(|top| top.len() > home.len()).unwrap_or(b.to_vec()));
    !begun.is_some_and(|b| b.len() > home.len() && below(&b))
}

/// Which of these programs the names of one say that it is, if any.
pub(crate) fn writer(names: &[&[u8]]) -> Option<Writer> {
    names.iter().find_map(|name| {
        let name = last_component(name);
        let row = |(names, writes): &(&'static [&'static str], Writes)| {
            let name = names.iter().find(|n| is_this(n, name))?;
            Some(Writer { name, writes: *writes })
        };
        ROWS.iter().find_map(row)
    })
}

/// Patterns that are looked for in folders, in one evaluation; with more of them any may lead anywhere.
const LOOKS: usize = 4_000;

/// Where a command writes.
fn places(writer: Writer, args: &[Arg], scene: &Scene) -> Vec<Place> {
    let Writer { name, writes } = writer;
    let mut judge = Judge::new(args, scene);
    let word = |words: &str| args.iter().filter_map(Arg::literal).any(|a| is_one(a, words));
    match writes {
        Writes::Below => judge.below(),
        Writes::Letter(letters, words) if args.iter().any(|a| asks(a, letters, words)) => judge.below(),
        Writes::Sub(subs) if word(subs) => judge.below(),
        Writes::Letter(..) | Writes::Sub(_) => {}
        Writes::Into => {
            judge.copies(name == "rsync", false);
            let words: Vec<&[u8]> = args.iter().map(Arg::shown).collect();
            if gives_a_name(name, &words) {
                // What is linked has another name from then on, by which anybody may write it.
                let operand = |a: &Arg| !a.known_prefix().starts_with(b"-");
                let last =
                    args.iter().rposition(operand).filter(|_| args.iter().filter(|a| operand(a)).count() > 1);
                let into = words.iter().any(|w| *w == b"-t" || w.starts_with(b"--t"));
                judge.onto(last.filter(|_| !into).unwrap_or(usize::MAX), false);
            }
        }
        Writes::Moves => judge.copies(false, true),
        // The link itself is deleted; a mode is that of what it leads to.
        Writes::Onto => judge.onto(usize::MAX, matches!(name, "rm" | "grm")),
        Writes::Named | Writes::Touches => {
            judge.named(0);
            let gone = writes == Writes::Touches;
            judge.out.iter_mut().for_each(|p| (p.only, p.gone, p.link) = (true, gone, name == "unlink"));
        }
        Writes::Finds => judge.found(),
        Writes::Git => judge.git(),
    }
    led(writer, judge.out, scene)
}

/// True of a program that gives files another name, and makes no copies of them: ln(1), `cp -l`.
fn gives_a_name(name: &str, words: &[&[u8]]) -> bool {
    let links = |w: &&[u8]| match w.strip_prefix(b"--") {
        Some(long) => !long.is_empty() && b"link".starts_with(long),
        None => w.first() == Some(&b'-') && w.contains(&b'l'),
    };
    matches!(name, "ln" | "link") || (matches!(name, "cp" | "gcp") && words.iter().any(links))
}

/// These places, and where links lead from them.
fn led(writer: Writer, places: Vec<Place>, scene: &Scene) -> Vec<Place> {
    let mut out = Vec::with_capacity(places.len());
    for place in places {
        let from = out.len();
        let unknown = Place { path: None, only: false, ..place.clone() };
        let led = place.led(scene.world);
        let looked = scene.looked.get() + usize::from(place.glob);
        scene.looked.set(looked);
        let too_much = looked > LOOKS || place.spread(scene.world, &mut out);
        // git takes a link to what is not there away, and makes a file.
        if writer.writes == Writes::Git {
            let mut at = 0;
            out.retain(|p| {
                at += 1;
                at <= from || p.path.is_some()
            });
        } else if (too_much && !place.gone) || led == Some(None) {
            out.push(unknown);
        }
        let path = place.path.as_deref().map(normalise);
        match led {
            Some(Some(led)) if path.as_ref() != Some(&led) => {
                out.push(Place { path: Some(led), ..place.clone() });
            }
            _ => {}
        }
        out.push(Place { path, ..place });
    }
    out
}

/// True of exactly that name: most are told apart by their length or first letter.
fn is_this(name: &str, word: &[u8]) -> bool {
    name.len() == word.len() && name.as_bytes().first() == word.first() && name.as_bytes() == word
}

/// True if a sub-command of git leaves the working tree alone.
fn leaves(sub: &[u8]) -> bool {
    GIT_LEAVES.has(sub)
}

/// True if a list of words, separated by single blanks, has this one.
fn is_one(word: &[u8], list: &str) -> bool {
    let mut rest = list.as_bytes();
    // Most are told apart by what they begin with.
    while let Some(first) = word.first().filter(|_| !word.contains(&b' ')) {
        if rest.first() == Some(first)
            && rest.strip_prefix(word).is_some_and(|behind| matches!(behind.first(), None | Some(b' ')))
        {
            return true;
        }
        let Some(end) = rest.iter().position(|b| *b == b' ') else { return false };
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    false
}

struct Judge<'a> {
    args: &'a [Arg],
    scene: &'a Scene<'a>,
    /// The folder that relative words begin in.
    base: Option<Vec<u8>>,
    /// A shell fills that in.
    base_glob: bool,
    out: Vec<Place>,
}

impl<'a> Judge<'a> {
    fn new(args: &'a [Arg], scene: &'a Scene<'a>) -> Judge<'a> {
        Judge { args, scene, base: scene.cwd.map(<[u8]>::to_vec), base_glob: false, out: Vec::new() }
    }

    /// The folder it stands in, and every one that a word may name.
    fn below(&mut self) {
        self.put(self.base.clone());
        self.named(0);
    }

    fn put(&mut self, path: Option<Vec<u8>>) {
        self.out.push(Place { path, glob: self.base_glob, ..Place::default() });
    }

    /// What the words from `from` on name, what stands behind their `=` or their option letter included. One that names
    /// nothing is a file where they begin.
    fn named(&mut self, from: usize) {
        for arg in self.args.iter().skip(from) {
            let word = arg.shown();
            let value = word.iter().position(|b| *b == b'=').and_then(|at| word.get(at + 1..));
            let short = word.strip_prefix(b"-").and_then(|w| w.get(1..)).filter(|w| !w.is_empty());
            for (n, text) in [Some(word), value, short].into_iter().enumerate() {
                let Some(text) = text else { continue };
                let address = text.windows(3).any(|w| w == b"://");
                let place = self.path(text, arg.is_dynamic()).filter(|_| !address);
                // An option is no file.
                self.out.extend(place.map(|p| Place { flat: n == 0 && word.starts_with(b"-"), ..p }));
            }
        }
    }

    /// The place that a word names; `None` if nothing is known of it.
    fn path(&self, text: &[u8], dynamic: bool) -> Option<Place> {
        let (mut text, mut open) = (text.to_vec(), false);
        if dynamic {
            text.retain(|b| !b"'\"\\".contains(b));
            for home in [b"${HOME}".as_slice(), b"$HOME"] {
                if let Some(rest) = text.strip_prefix(home) {
                    text = [b"~", rest].concat();
                }
            }
            // `${HOME%/}`, `${HOME:-x}`: mostly the same.
            if let Some(rest) = text.strip_prefix(b"${HOME")
                && rest.first().is_some_and(|b| !b.is_ascii_alphanumeric() && *b != b'_')
                && let Some(end) = rest.iter().position(|b| *b == b'}')
            {
                text = [b"~", rest.get(end + 1..).unwrap_or_default()].concat();
            }
            for here in [b"${PWD}".as_slice(), b"$PWD", b"$(pwd)", b"$(pwd -P)", b"$(pwd -L)", b"`pwd`"] {
                if let Some(rest) = text.strip_prefix(here)
                    && matches!(rest.first(), None | Some(b'/'))
                {
                    text = [b".", rest].concat();
                }
            }
            (text, open) = starred(&text)?;
        }
        let mut afloat = false;
        let full = match (text.strip_prefix(b"~"), self.scene.home) {
            // `~/x`, `~me/x`.
            (Some(rest), Some(home)) if matches!(tail(rest).first(), None | Some(b'/')) => {
                [home, tail(rest)].concat()
            }
            _ if text.first() == Some(&b'/') => text,
            _ => match &self.base {
                Some(base) => join(base, &text),
                None => {
                    afloat = true;
                    text
                }
            },
        };
        let above = afloat && parts(&full).any(|part| part == b"..");
        let glob = dynamic || self.base_glob;
        Some(Place { path: (!above).then_some(full), glob, open, afloat, ..Place::default() })
    }

    /// Each operand but that one; `link` = itself where it is a link.
    fn onto(&mut self, but: usize, link: bool) {
        for (at, arg) in self.args.iter().enumerate() {
            if at != but
                && !arg.known_prefix().starts_with(b"-")
                && let Some(place) = self.path(arg.shown(), arg.is_dynamic())
            {
                self.out.push(Place { gone: true, link, ..place });
            }
        }
    }

    /// What the operands become in the last one, or in the value of `-t`.
    fn copies(&mut self, rsync: bool, moves: bool) {
        let (mut whole, mut operands, mut targets) = (false, Vec::new(), Vec::new());
        let mut ended = false;
        for (at, arg) in self.args.iter().enumerate() {
            let word = arg.shown();
            let next = self.args.get(at + 1).map(|next| (next.shown(), next.is_dynamic(), at + 1));
            let long = word.strip_prefix(b"--").filter(|_| !ended);
            let short = word.strip_prefix(b"-").filter(|w| !ended && !w.is_empty());
            match (long, short) {
                (Some(b""), _) => ended = true,
                // Any beginning of a long option stands for it.
                (Some(long), _) => {
                    let begins = |names: &[&[u8]]| names.iter().any(|n| long.starts_with(n));
                    whole |= begins(&[b"no-t", b"par", b"rel", b"files-from"]);
                    match long.iter().position(|b| *b == b'=') {
                        _ if rsync || !begins(&[b"t"]) => {}
                        Some(eq) => {
                            targets.push((long.get(eq + 1..).unwrap_or_default(), arg.is_dynamic(), at));
                        }
                        None => targets.extend(next),
                    }
                }
                (None, Some(short)) => {
                    whole |= short.contains(if rsync { &b'R' } else { &b'T' });
                    match short.iter().position(|b| *b == b't').and_then(|t| short.get(t + 1..)) {
                        _ if rsync => {}
                        Some(b"") => targets.extend(next),
                        Some(value) => targets.push((value, arg.is_dynamic(), at)),
                        None => {}
                    }
                }
                (None, None) => operands.push((word, arg.is_dynamic(), at)),
            }
        }
        let into = !targets.is_empty();
        match operands.as_slice() {
            // `ln -s x`.
            [_] if !into => targets.push((b".", false, usize::MAX)),
            [.., last] => targets.push(*last),
            [] => {}
        }
        if moves {
            self.onto(operands.last().filter(|_| !into).map_or(usize::MAX, |last| last.2), true);
        }
        // One is what any of them takes.
        for (target, dynamic, at) in targets.iter().take(3) {
            let Some(place) = self.path(target, *dynamic) else { continue };
            let Some(target) = &place.path else {
                self.put(None);
                continue;
            };
            // Where it is no folder, that is the file.
            self.out.push(Place { path: Some(target.clone()), only: !whole, ..place });
            let fixed = !place.glob && !place.afloat;
            let real = self.scene.world.real(target).filter(|_| fixed);
            let target = real.as_ref().unwrap_or(target);
            for (source, dynamic, _) in operands.iter().filter(|(.., from)| from != at) {
                // What is in a folder becomes what is in the other one.
                let all = rsync && source.ends_with(b"/");
                let source = source.strip_suffix(b"/").unwrap_or(source);
                let unknown = *dynamic && is_open(source);
                let name: &[u8] = if all || unknown { b"." } else { last_component(source) };
                // Of another machine.
                let name = name.rsplit(|b| *b == b':').next().unwrap_or(name);
                let path = Some(join(target, name));
                // What is moved takes a link's place.
                self.out.push(Place { path, glob: place.glob || *dynamic, link: moves, ..place });
            }
        }
    }

    /// git's sub-command, where it works, and what it names.
    fn git(&mut self) {
        let (mut at, mut tree, mut sub) = (0, None, None);
        while let Some(arg) = self.args.get(at) {
            let word = arg.known_prefix();
            at += 1;
            let shown = arg.shown();
            let value = match shown.iter().position(|b| *b == b'=').filter(|_| word.starts_with(b"--")) {
                Some(eq) => shown.get(eq + 1..).map(|value| (value, arg.is_dynamic())),
                None if word.starts_with(b"-") && is_one(word, GIT_VALUES) => {
                    at += 1;
                    self.args.get(at - 1).map(|value| (value.shown(), value.is_dynamic()))
                }
                None => None,
            };
            if let Some((value, dynamic)) = value {
                // What is open may as well lead up again.
                let place = self.path(value, dynamic).filter(|p| !p.open && !p.afloat);
                self.base_glob |= place.as_ref().is_some_and(|p| p.glob);
                let path = place.and_then(|p| p.path);
                let path = path.map(|path| self.scene.world.real(&path).unwrap_or(path));
                if word == b"-C" {
                    self.base = path;
                } else if word.starts_with(b"--work-tree") {
                    tree = path;
                }
            } else if !word.starts_with(b"-") {
                sub = Some(arg.literal().unwrap_or_default());
                break;
            }
        }
        let Some(sub) = sub.filter(|sub| !leaves(sub)) else { return };
        if is_one(sub, "init init-db format-patch") {
            // No more than a file or folder of its own, where it stands.
            let path = self.base.as_deref().map(|base| join(base, b".git"));
            self.out.extend(path.map(|path| Place {
                path: Some(path),
                glob: self.base_glob,
                gone: true,
                ..Place::default()
            }));
        }
        let to = |a: &Arg| [&b"-o"[..], b"--o"].iter().any(|o| a.known_prefix().starts_with(o));
        if is_one(sub, GIT_NAMED) || (sub == b"format-patch" && self.args.iter().any(to)) {
            return self.named(at);
        }
        if sub == b"format-patch" {
            return;
        }
        self.put(self.base.clone());
        self.named(at);
        // The top of the working tree: from there on down it is all one.
        if let Some(tree) = &tree {
            // If that is a repository by itself, they are written too.
            self.put(Some(join(tree, b"hooks")));
        }
        let top = self.base.as_deref().and_then(|base| top(base, self.scene.world));
        if let Some(top) = tree.or(top) {
            self.put(Some(top.clone()));
            // Where git stands outside of it, words are taken from there.
            self.base = Some(top);
            self.named(at);
        }
    }
}

/// The folder with the `.git` that git finds from here.
fn top(from: &[u8], world: &dyn World) -> Option<Vec<u8>> {
    let mut folder = from;
    while world.info(&join(folder, b".git")).is_none() {
        if matches!(folder, b"/" | b"") {
            return None;
        }
        folder = parent(folder);
    }
    Some(folder.to_vec())
}

/// True if an option asks for the deed of one of the letters, or may.
fn asks(arg: &Arg, letters: &str, words: &str) -> bool {
    let Some(arg) = arg.literal() else { return true };
    match arg.strip_prefix(b"--") {
        // Any beginning of a long option stands for it.
        Some(long) => !long.is_empty() && words.split(' ').any(|w| w.as_bytes().starts_with(long)),
        // Old style too: the letters of tar's first word need no dash.
        None => {
            !arg.contains(&b'/') && !arg.contains(&b'.') && arg.iter().any(|b| letters.as_bytes().contains(b))
        }
    }
}

fn parts(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|b| *b == b'/').filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests;
