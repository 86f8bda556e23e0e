//! Hazards: what makes a well-known, allowed program run another one, load code, write, delete or send a
//! file, beyond what its name announces.
//!
//! The table ([`crate::tables::hazards`]) is data; here a command line is taken apart as the program itself
//! would do it ([`scan`]) and held against the rows. A net, not a wall: a program without a row has no
//! hazards, and an option nobody wrote down is no hit.
use crate::arg::Arg;
use crate::tables::hazards::{self as table, Category, Deed, Opts, Program, Row, Test, When};

mod awk;
mod git;
mod pieces;
mod scan;
mod sed;
mod shapes;

use scan::{Name, Opt, Reading, Seen, Val, scan, words};

/// One hazard found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HazardHit {
    /// What it does.
    pub category: Category,
    /// The word that does it, as an index of the arguments; `None` if it is the lack of one.
    pub at: Option<usize>,
    /// The program whose row this is.
    pub program: &'static str,
    /// One sentence for the person who is asked.
    pub why: &'static str,
    /// True if a word known only at run time stands where it could make the hazard, rather than making it.
    pub dynamic: bool,
}

/// The hazards of a command. `names` are the last components of the name as typed, as found and as it
/// really is; the rows of all of them apply. `args` are the words after it.
pub fn hazards(names: &[&[u8]], args: &[Arg]) -> Vec<HazardHit> {
    of(names).hits(args)
}

/// What the table has of one program, under its names.
pub(crate) struct Hazardous(Vec<(&'static Program, &'static str)>);

impl Hazardous {
    /// True if it has no row.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The hazards of a command of it.
    pub fn hits(&self, args: &[Arg]) -> Vec<HazardHit> {
        let mut out = Vec::new();
        if self.is_none() {
            return out;
        }
        self.read(args, &mut out);
        // Words that may be none: what stands behind them is then something else.
        if args.iter().any(may_vanish) {
            let left: Vec<usize> =
                (0..args.len()).filter(|i| !args.get(*i).is_some_and(may_vanish)).collect();
            let words: Vec<Arg> = left.iter().filter_map(|i| args.get(*i).cloned()).collect();
            let mut hits = Vec::new();
            self.read(&words, &mut hits);
            for mut hit in hits {
                hit.at = hit.at.and_then(|at| left.get(at).copied());
                // What is only lacking is not: the words may as well be there.
                let new = out.iter().all(|h: &HazardHit| h.dynamic || h.why != hit.why);
                if new && !hit.dynamic && hit.at.is_some() {
                    out.push(hit);
                }
            }
        }
        out
    }

    /// True if plain words say what it does: keys of settings, goals, a script.
    pub fn is_curious(&self) -> bool {
        const CURIOUS: &[&str] = &["git", "sed", "awk", "make", "npm", "cargo"];
        self.0.iter().any(|(program, _)| program.names.iter().any(|n| CURIOUS.contains(n)))
    }

    fn read(&self, args: &[Arg], out: &mut Vec<HazardHit>) {
        for (program, name) in &self.0 {
            judge(program, name, args, out);
        }
        if args.first().is_some_and(|a| a.known_prefix().starts_with(b"+"))
            && self.0.iter().any(|(_, name)| RUST.contains(name))
        {
            // `cargo +nightly rustc …`: the word is rustup's, and all behind it what it would be without.
            let mut hits = Vec::new();
            for (program, name) in &self.0 {
                judge(program, name, args.get(1..).unwrap_or_default(), &mut hits);
            }
            let hits = hits.into_iter().map(|h| HazardHit { at: h.at.map(|at| at + 1), ..h });
            for hit in hits {
                if out.iter().all(|h| (h.why, h.at, h.dynamic) != (hit.why, hit.at, hit.dynamic)) {
                    out.push(hit);
                }
            }
        }
        if self.0.iter().any(|(_, name)| name.starts_with("python") || *name == "pypy")
            && let Some((module, from)) = module(args)
        {
            let mut hits = Vec::new();
            for (program, name) in &of(&[module]).0 {
                judge(program, name, args.get(from..).unwrap_or_default(), &mut hits);
            }
            out.extend(hits.into_iter().map(|h| HazardHit { at: h.at.map(|at| at + from), ..h }));
        }
    }
}

/// Programs that rustup stands in for: their first word may name a toolchain. Source: the rustup book, Overrides.
const RUST: &[&str] = &["cargo", "rustc", "rustdoc", "rustfmt", "clippy-driver", "rust-analyzer"];

/// The module that python runs, and where its own words begin: python(1) -m.
fn module(args: &[Arg]) -> Option<(&[u8], usize)> {
    let mut i = 0;
    loop {
        let word = args.get(i)?.literal()?;
        i += 1;
        let letters = word.strip_prefix(b"-").filter(|l| !l.is_empty())?;
        if let Some(long) = letters.strip_prefix(b"-") {
            i += usize::from(long == b"check-hash-based-pycs");
            continue;
        }
        let Some(at) = letters.iter().position(|b| b"cmWX".contains(b)) else { continue };
        let rest = letters.get(at + 1..).unwrap_or_default();
        let value = if rest.is_empty() { args.get(i)?.literal()? } else { rest };
        i += usize::from(rest.is_empty());
        match letters.get(at)? {
            b'm' => return Some((value.split(|b| *b == b'.').next()?, i)),
            b'c' => return None,
            _ => {}
        }
    }
}

/// Looks a program up.
pub(crate) fn of(names: &[&[u8]]) -> Hazardous {
    // The three names are mostly one.
    let mut once: Vec<&[u8]> = Vec::new();
    for stem in names.iter().flat_map(|n| stems(n)) {
        if !once.contains(&stem) {
            once.push(stem);
        }
    }
    let is = |n: &str, s: &[u8]| n.len() == s.len() && n.as_bytes().first() == s.first() && n.as_bytes() == s;
    let mut places: Vec<usize> = Vec::new();
    for stem in &once {
        for place in table::places(stem) {
            if !places.contains(&place)
                && table::at(place).is_some_and(|p| p.names.iter().any(|n| is(n, stem)))
            {
                places.push(place);
            }
        }
    }
    let places = crate::order::by_key(places, |place| *place as u64);
    let named = |place: usize| {
        let program = table::at(place)?;
        Some((program, *program.names.iter().find(|n| once.iter().any(|s| is(n, s)))?))
    };
    let out = places.into_iter().filter_map(named).collect();
    Hazardous(out)
}

/// Ends that distributions append to tell alternatives of one program apart.
const ALTERNATIVES: &[&str] =
    &["basic", "tiny", "nox", "gtk", "gtk3", "athena", "openbsd", "traditional", "bfd", "gold", "exe"];

/// Tools that cross-compilers prefix with a target (`x86_64-linux-gnu-gcc`).
const PREFIXED: &[&str] = &["gcc", "g++", "c++", "cpp", "ld", "as", "ar", "objcopy", "clang", "clang++"];

/// The name, and what is left of it without a version, an alternative's suffix or a target's prefix.
fn stems(name: &[u8]) -> Vec<&[u8]> {
    let mut out = vec![name];
    let mut stem = name;
    if let Some(dot) = stem.iter().rposition(|b| *b == b'.') {
        let end = stem.get(dot + 1..).unwrap_or_default();
        if ALTERNATIVES.iter().any(|a| a.as_bytes().eq_ignore_ascii_case(end)) {
            stem = stem.get(..dot).unwrap_or_default();
            out.push(stem);
        }
    }
    let letters = stem.iter().rposition(|b| !b.is_ascii_digit() && *b != b'.').map_or(0, |p| p + 1);
    let without = stem.get(..letters).unwrap_or_default();
    let without = if letters < stem.len() { without.strip_suffix(b"-").unwrap_or(without) } else { without };
    if !without.is_empty() {
        out.push(without);
        if let Some(dash) = without.iter().rposition(|b| *b == b'-') {
            let tool = without.get(dash + 1..).unwrap_or_default();
            if PREFIXED.iter().any(|p| p.as_bytes() == tool) {
                out.push(tool);
            }
        }
    }
    out
}

fn judge(program: &'static Program, name: &'static str, args: &[Arg], out: &mut Vec<HazardHit>) {
    let has_subs = !program.subs.is_empty();
    each_reading(&program.opts, args, has_subs, |seen| {
        weigh(program.rows, &program.opts, seen, name, 0, out);
        let Some(first) = seen.operands.first().copied().filter(|_| has_subs) else {
            return;
        };
        sub(program, name, args, first, seen, out);
        // What an option in front that no table knows takes for its value is not the sub-command: the next word is.
        let before = first.checked_sub(1).and_then(|at| args.get(at)).and_then(Arg::literal);
        if before.is_some_and(|b| b.starts_with(b"-") && b != b"--" && !b.contains(&b'=')) {
            let plain = |at: &usize| args.get(*at).is_some_and(|a| !a.shown().starts_with(b"-"));
            if let Some(next) = (first + 1..args.len()).find(plain) {
                sub(program, name, args, next, seen, out);
            }
        }
    });
}

/// Looks into the sub-command at a place.
fn sub(
    program: &'static Program,
    name: &'static str,
    args: &[Arg],
    at: usize,
    seen: &Seen,
    out: &mut Vec<HazardHit>,
) {
    let sub = match seen.word(at) {
        Some(Val::Known(sub)) => sub,
        // Any sub-command may follow, and none is looked into: worst row of all.
        _ => return dynamic(program.rows, at, name, out),
    };
    let rest = args.get(at + 1..).unwrap_or_default();
    for entry in
        program.subs.iter().filter(|s| s.names.iter().any(|n| n.len() == sub.len() && n.as_bytes() == sub))
    {
        each_reading(&entry.opts, rest, false, |seen| {
            weigh(entry.rows, &entry.opts, seen, name, at + 1, out);
        });
    }
}

/// Takes a command line apart as the table says, and where that is in doubt in the stricter way as well.
fn each_reading(opts: &Opts, args: &[Arg], stop: bool, mut to: impl FnMut(&Seen)) {
    for reading in [Reading::Value, Reading::Both] {
        let seen = scan(opts, args, stop, reading);
        to(&seen);
        if !seen.doubt {
            break;
        }
    }
}

/// Holds every row against the command line, whose words begin at `from`.
fn weigh(
    rows: &'static [Row],
    opts: &Opts,
    seen: &Seen,
    name: &'static str,
    from: usize,
    out: &mut Vec<HazardHit>,
) {
    for row in rows {
        let (at, dynamic) = match met(&row.when, opts, seen) {
            Met::No => continue,
            Met::Yes(at) => (at, false),
            Met::Maybe(at) => (Some(at), true),
        };
        let at = at.map(|at| at + from);
        let hit = HazardHit { category: row.category, at, program: name, why: row.why, dynamic };
        if !out.contains(&hit) {
            out.push(hit);
        }
    }
    if let Some(at) = seen.dynamic.first() {
        dynamic(rows, *at + from, name, out);
    }
}

/// A word that may become any option stands at `at`: notes the first row an option can make.
fn dynamic(rows: &'static [Row], at: usize, name: &'static str, out: &mut Vec<HazardHit>) {
    if let Some(row) = rows.iter().find(|r| by_option(&r.when)) {
        let (category, why) = (row.category, row.why);
        let hit = HazardHit { category, at: Some(at), program: name, why, dynamic: true };
        if !out.contains(&hit) {
            out.push(hit);
        }
    }
}

fn by_option(when: &When) -> bool {
    match when {
        When::Opt(_)
        | When::Val(..)
        | When::Word(_)
        | When::Find(_)
        | When::Sed(_)
        | When::Awk(_)
        | When::NpmEnv => true,
        When::All(all) => all.iter().any(by_option),
        _ => false,
    }
}

/// How a row meets a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    No,
    /// It is there, at this word.
    Yes(Option<usize>),
    /// The word at this place may turn out to be it.
    Maybe(usize),
}

impl Met {
    /// The surer of the two.
    fn or(self, other: Met) -> Met {
        match (self, other) {
            (Met::Yes(_), _) | (Met::Maybe(_), Met::No) => self,
            _ => other,
        }
    }

    fn from_bool(yes: bool) -> Met {
        if yes { Met::Yes(None) } else { Met::No }
    }
}

fn met(when: &When, opts: &Opts, seen: &Seen) -> Met {
    match when {
        When::Always => Met::Yes(None),
        When::Opt(names) => match seen.opts.iter().find(|o| is_one(opts, o, names)) {
            Some(o) => Met::Yes(Some(o.at)),
            None => Met::No,
        },
        When::Val(names, test) => {
            let hits = seen.opts.iter().filter(|o| is_one(opts, o, names));
            any(test, hits.filter_map(|o| o.val.map(|v| (o.at, v))))
        }
        When::Operand(test) => any(test, operands(seen, 0)),
        When::Nth(n, test) => any(test, operands(seen, *n).take(1)),
        When::From(n, test) => any(test, operands(seen, *n)),
        When::Word(test) => any(
            test,
            (0..seen.args.len())
                .take_while(|at| *at < seen.end)
                .filter_map(|at| seen.word(at).map(|v| (at, v))),
        ),
        When::Anywhere(test) => {
            any(test, (0..seen.args.len()).filter_map(|at| seen.word(at).map(|v| (at, v))))
        }
        When::Fewer(n) => Met::from_bool(seen.operands.len() < *n),
        When::More(n) => seen.operands.get(*n).map_or(Met::No, |at| Met::Yes(Some(*at))),
        When::Bare(names) => Met::from_bool(seen.operands.is_empty() && without(opts, seen, names)),
        When::Without(names) => Met::from_bool(without(opts, seen, names)),
        When::Path(path) => follow(path, seen),
        When::All(all) => {
            all.iter().fold(Met::Yes(None), |so_far, when| match (so_far, met(when, opts, seen)) {
                (Met::No, _) | (_, Met::No) => Met::No,
                (Met::Maybe(at), _) | (_, Met::Maybe(at)) => Met::Maybe(at),
                (Met::Yes(a), Met::Yes(b)) => Met::Yes(b.or(a)),
            })
        }
        When::Find(predicates) => shapes::find(seen, *predicates),
        When::Sed(deed) => {
            script(opts, seen, *deed, sed::deeds, "-e --expression -f --file", "-e --expression")
        }
        When::Awk(deed) => {
            script(opts, seen, *deed, awk::deeds, "-e --source -f --file -E --exec", "-e --source")
        }
        When::GitConfig => git::config(seen),
        When::NpmEnv => shapes::npm_env(seen),
    }
}

fn operands<'a>(seen: &'a Seen<'a>, from: usize) -> impl Iterator<Item = (usize, Val<'a>)> {
    seen.operands.iter().skip(from).filter_map(|at| seen.word(*at).map(|v| (*at, v)))
}

fn any<'a>(test: &Test, values: impl Iterator<Item = (usize, Val<'a>)>) -> Met {
    values.fold(Met::No, |so_far, (at, v)| {
        so_far.or(match shapes::holds(test, v) {
            Some(true) => Met::Yes(Some(at)),
            Some(false) => Met::No,
            None => Met::Maybe(at),
        })
    })
}

/// True if the option is one of `names` (with dashes, separated by blanks).
fn is_one(opts: &Opts, opt: &Opt, names: &str) -> bool {
    if let Name::Short(letter) = opt.name
        && !names.as_bytes().contains(&letter)
    {
        return false;
    }
    words(names).any(|n| match (n.strip_prefix(b"--"), opt.name) {
        (Some(full), Name::Long(written)) => scan::is_long(opts, written, full),
        (None, Name::Short(letter)) => n.get(1) == Some(&letter) && n.len() == 2,
        _ => false,
    })
}

fn without(opts: &Opts, seen: &Seen, names: &str) -> bool {
    !seen.opts.iter().any(|o| is_one(opts, o, names))
}

/// The first operands against a path such as `config set|delete`.
fn follow(path: &str, seen: &Seen) -> Met {
    let mut last = Met::No;
    for (n, step) in path.split_ascii_whitespace().enumerate() {
        let Some((at, v)) = operands(seen, n).next() else {
            return Met::No;
        };
        match v {
            Val::Known(word) if step.split('|').any(|s| s.as_bytes() == word) => {
                if !matches!(last, Met::Maybe(_)) {
                    last = Met::Yes(Some(at));
                }
            }
            Val::Known(_) => return Met::No,
            Val::Dynamic(prefix) if step.split('|').any(|s| s.as_bytes().starts_with(prefix)) => {
                last = Met::Maybe(at);
            }
            Val::Dynamic(_) => return Met::No,
        }
    }
    last
}

/// The program text of sed or awk: values of `texts`, or the first operand if none of `all` is there.
fn script(opts: &Opts, seen: &Seen, deed: Deed, deeds: Deeds, all: &str, texts: &str) -> Met {
    let given = seen.opts.iter().filter(|o| is_one(opts, o, texts));
    let parts: Vec<(usize, Val)> = given.filter_map(|o| o.val.map(|v| (o.at, v))).collect();
    let mut met = text(seen, &parts, deed, deeds, true);
    if without(opts, seen, all) {
        // `sed -i '' s/…/…/` is two words elsewhere than with GNU: look behind an empty script.
        let skip = operands(seen, 0).take_while(|(_, v)| *v == Val::Known(b"")).count();
        for (n, part) in operands(seen, skip).enumerate() {
            // Behind a word that may be none, it may be this one, or a file.
            met = met.or(text(seen, &[part], deed, deeds, n == 0));
            if !seen.args.get(part.0).is_some_and(may_vanish) {
                break;
            }
        }
    }
    met
}

/// A reader of a program text; `None` = not understood.
type Deeds = fn(&[u8]) -> Option<Vec<Deed>>;

/// True if a variable without quotes is all of the word.
fn may_vanish(arg: &Arg) -> bool {
    matches!(arg, Arg::Dynamic { source, single: false, .. }
        if pieces::filled(source, pieces::Fill::With(b"")).is_some_and(|text| text.is_empty()))
}

/// Whether these parts of a program text, together, have the deed. What is known only at run time is read with
/// stand-ins, so that the letters around it count. `certain` = they are the text, so not to understand them is a hit.
fn text(seen: &Seen, parts: &[(usize, Val)], deed: Deed, deeds: Deeds, certain: bool) -> Met {
    let Some((first, _)) = parts.first().copied() else {
        return Met::No;
    };
    let open = parts.iter().find(|(_, v)| matches!(v, Val::Dynamic(_))).map(|(at, _)| *at);
    let mut understood = false;
    let mut by_shell = open.is_none();
    for fill in pieces::FILLS.iter().take(if open.is_some() { usize::MAX } else { 1 }) {
        let lines = parts.iter().map(|(at, part)| match part {
            Val::Known(b) => Some(b.to_vec()),
            Val::Dynamic(known) => {
                // The word itself, from behind an option it may begin with, or the one behind the option.
                let word = seen.args.get(*at).filter(|a| a.is_dynamic()).or_else(|| seen.args.get(at + 1))?;
                by_shell |= pieces::by_shell(word.shown());
                let head = word.known_prefix().len().saturating_sub(known.len());
                pieces::filled(word.shown(), *fill).map(|t| t.get(head..).unwrap_or_default().to_vec())
            }
        });
        let lines: Option<Vec<Vec<u8>>> = lines.collect();
        if let Some(found) = lines.and_then(|l| deeds(&l.join(&b'\n'))) {
            understood = true;
            if found.contains(&deed) {
                return Met::Yes(Some(first));
            }
        }
    }
    if certain && !understood && by_shell && deed == Deed::Runs {
        return Met::Yes(Some(first));
    }
    // `awk "$(cat x)" f`: nobody has read any of it.
    let unread = |(at, _): &(usize, Val)| {
        let source = seen.args.get(*at).filter(|a| a.is_dynamic()).map(Arg::shown).unwrap_or_default();
        let source = source.strip_prefix(b"\"").unwrap_or(source);
        source.first() == Some(&b'`') || source.starts_with(b"$(") && !source.starts_with(b"$((")
    };
    if certain && deed == Deed::Runs && parts.iter().any(unread) {
        return Met::Yes(Some(first));
    }
    open.map_or(Met::No, Met::Maybe)
}

#[cfg(test)]
mod tests;
