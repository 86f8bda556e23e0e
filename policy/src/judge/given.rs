//! Words that a text is given with it: `$0` and the positional parameters behind `-c TEXT`, and what it calls its own
//! functions with.
//!
//! A word with a variable in it is known only at run time, but where these words are written down beside the text,
//! each of them is one that it may become. So they are tried, one after the other, in its place.
use crate::tables::words::{WordList, words};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::cuts::Cuts;
use super::filled::{self, Said};
use super::functions::Functions;
use super::made;
use super::walk::every_command;
use crate::arg::Arg;
use crate::rules::hazards::{HazardHit, Hazardous};
use crate::shell::ast::{CommandKind, RedirectOp, Script, Word};

mod spelled;
mod together;

/// Most trials for one command; beyond it a word counts as an option.
const MOST: usize = 256;

/// Most words of which that is kept.
const LATELY: usize = 16;

/// What a longer function prints is not looked at.
const LONGEST: usize = 4096;

/// A longer word of a text that is read makes no name of an option.
const LONG: usize = 200;

/// What the text being walked is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Its positional parameters, `$0` first; `None` = known only at run time.
    positional: Vec<Option<Vec<u8>>>,
    /// What those may be that are known only at run time.
    handed_on: Vec<Vec<u8>>,
    /// What its functions are called with: theirs while they run.
    calls: Vec<Vec<u8>>,
    /// Words of either that are known only at run time.
    open: Vec<Arg>,
    /// Which of them is `$1` is not certain.
    renumbered: bool,
    /// Names that it reads into, and words that it writes and may so read.
    read: Vec<Vec<u8>>,
    written: Vec<Arg>,
    /// It reads into a variable that is named at run time.
    reads_any: bool,
    /// Where it cuts what it reads.
    cuts: Cuts,
    /// Words that it gives to what makes files.
    made: Vec<Arg>,
    /// Names and messages that it gives to git.
    told: Vec<Arg>,
    /// What its functions are made of.
    bodies: HashMap<Vec<u8>, Rc<[u8]>>,
    /// What it assigns, wherever.
    assigned: HashMap<Vec<u8>, Vec<Arg>>,
    /// The commands whose output is standard input here, as a substitution; `None` = it comes from elsewhere.
    fed: Option<Rc<[u8]>>,
    /// What stands outside where the positional parameters are known at run time only.
    led: Vec<Arg>,
    /// The command walked is given words of standard input, as xargs does: behind its own, or in place of this.
    listed: Option<Rc<[u8]>>,
    /// It writes files: what it reads of one may be its own words.
    files: bool,
    /// What the last words that were asked about become, until something changes.
    lately: RefCell<Vec<Lately>>,
}

/// What a word may become.
#[derive(Debug)]
struct Reading {
    words: Vec<Arg>,
    /// One of them could be more than a name: see [`matters`].
    matters: bool,
}

/// All that it may become; `None` = too many.
type Readings = Option<Rc<Vec<Reading>>>;

/// A word, whether it stands in a function, whether it stays one word, and what it becomes; whether it is nothing that is
/// known because of how a value in it is edited.
type Lately = (Vec<u8>, bool, bool, (Readings, bool));

impl Given {
    /// The words behind a text that stands in another one, which is given `outer`.
    pub fn of(positional: &[Arg], outer: &Given, env: &[Vec<u8>]) -> Given {
        let known = |a: &Arg| a.literal().map(<[u8]>::to_vec);
        let mut handed_on: Vec<Vec<u8>> = match positional.iter().any(Arg::is_dynamic) {
            true => outer.all(true).cloned().collect(),
            false => Vec::new(),
        };
        let mut open = Vec::new();
        for word in positional {
            if let Arg::Dynamic { source, single, .. } = word {
                let any = outer.anything(source, true, env, &mut handed_on);
                let read = outer.readings(source, *single, true, env);
                if any || read.is_none() {
                    open.push(dynamic(b"`"));
                }
                let words = read.iter().flat_map(|r| r.iter()).flat_map(|r| &r.words);
                handed_on.extend(words.filter_map(Arg::literal).map(<[u8]>::to_vec));
            }
        }
        Given {
            open,
            positional: positional.iter().map(known).collect(),
            handed_on,
            fed: outer.fed.clone(),
            made: outer.made.clone(),
            told: outer.told.clone(),
            files: outer.files,
            // Behind a word that may become several or none, the numbers are others.
            renumbered: positional.iter().any(|a| matches!(a, Arg::Dynamic { single: false, .. })),
            ..Given::default()
        }
    }

    /// Notes what the text calls its functions with, whether `$1` stays what it is, and what it assigns.
    pub fn called(&mut self, script: &Script, source: &[u8], functions: &Functions) {
        self.lately.get_mut().clear();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut hands_on = false;
        // Those of substitutions as well: what they set, read and make counts there, and what they make stays.
        every_command(script, &mut |c| {
            for r in &c.redirects {
                if r.op.writes() && r.target.text().as_deref() != Some(b"/dev/null") {
                    self.files = true;
                    self.makes(&r.target.to_args(source));
                }
                let span = match (&r.body, r.op) {
                    (Some(body), _) => body.span,
                    (None, RedirectOp::HereString) => r.target.span,
                    _ => continue,
                };
                let text = source.get(span.start..span.end).unwrap_or_default();
                if says_more(text) {
                    self.written.push(dynamic(b"`"));
                    // What is known of it is a path all the same.
                    if !text.iter().any(|b| b"$`".contains(b)) {
                        texts.push(made::unquoted(text));
                    }
                    continue;
                }
                texts.push(text.iter().copied().filter(|b| !b"'\"".contains(b)).collect());
            }
            if let CommandKind::For { name, words, .. } | CommandKind::Select { name, words, .. } = &c.kind {
                let words = words.as_ref().map(|words| args(words, source));
                self.assigns(name, words.unwrap_or_else(|| vec![dynamic(b"\"$@\"")]));
            }
            if let CommandKind::Function { name, body } = &c.kind {
                let text = source.get(body.span.start..body.span.end).unwrap_or_default();
                // One of that name is asked about where there are two.
                self.bodies
                    .insert(name.clone(), if text.len() > LONGEST { b"`".as_slice() } else { text }.into());
            }
            if let CommandKind::Simple(s) = &c.kind {
                for a in &s.assignments {
                    let words = a.elements.as_deref().unwrap_or(std::slice::from_ref(&a.value));
                    self.assigns(&a.name, args(words, source));
                    if a.name == b"IFS" {
                        self.cuts.ifs(&a.value.to_arg(source));
                    }
                    if a.append {
                        // What is put behind something else is no word by itself.
                        self.assigns(&a.name, vec![dynamic(b"`")]);
                    }
                }
                let (mut reads, mut makes, mut writes, mut moves, mut tells) =
                    (false, false, false, false, false);
                let mut told = None;
                for word in &s.words {
                    let mut behind = false;
                    word.any_literal(|l| {
                        self.renumbered |= matches!(l, b"shift" | b"set");
                        reads |= reads_words(l);
                        makes |= makes_files(l);
                        writes |= l == b"-o";
                        tells |= TELLING.has(l);
                        moves |= matches!(l, b"cd" | b"pushd" | b"chdir");
                        behind |= matches!(l, b"builtin" | b"command" | b"--");
                        told = told.or(Some(declares(l)).filter(|d| *d || !behind));
                        false
                    });
                    told = told.or(Some(false).filter(|_| !behind));
                }
                if told == Some(true) {
                    self.declared(&args(&s.words, source));
                }
                if reads {
                    self.cuts.told(&args(&s.words, source));
                }
                if tells && s.words.first().and_then(Word::text).as_deref() == Some(b"git") {
                    self.tells(&args(s.words.get(1..).unwrap_or_default(), source));
                }
                if moves {
                    let words = args(s.words.get(1..).unwrap_or_default(), source);
                    self.assigns(b"PWD", words.clone());
                    self.assigns(b"OLDPWD", words);
                }
                // Names that are made of what is read, and said in the text.
                hands_on |= makes && reads;
                if makes || writes {
                    self.makes(&args(s.words.get(1..).unwrap_or_default(), source));
                }
                if s.words.first().and_then(Word::text).is_some_and(|name| functions.is_one(&name)) {
                    for word in args(&s.words, source).into_iter().skip(1) {
                        match word {
                            Arg::Literal(word) => self.calls.push(word),
                            // What other functions are called with is tried as it is.
                            Arg::Dynamic { ref source, ref prefix, .. } if positional(source) => {
                                if prefix.first() == Some(&b'-') {
                                    self.open.push(dynamic(b"`"));
                                }
                            }
                            open => self.open.push(open),
                        }
                    }
                }
            }
        });
        if hands_on && SAYING.iter().any(|say| source.windows(say.len()).any(|w| w == say)) {
            let words: Vec<Arg> = made::printed(source).map(|w| Arg::Literal(made::unquoted(w))).collect();
            self.makes(&words);
        }
        if self.made.iter().any(|w| matches!(w, Arg::Dynamic { source, .. } if positional(source))) {
            // By functions of what they are given.
            let words: Vec<Arg> = self.calls.iter().map(Arg::lit).collect();
            self.makes(&words);
        }
        for text in texts {
            // Together as well, as xargs hands them on.
            let words = text.split(u8::is_ascii_whitespace).chain([text.as_slice()]);
            let words = words.filter(|w| !w.is_empty() && w.len() < LONG);
            self.wrote(words.map(Arg::lit).collect());
            // A long one makes no name as it stands, and any other if it is cut.
            if text.split(u8::is_ascii_whitespace).any(|w| w.len() >= LONG) {
                self.wrote(vec![dynamic(b"`")]);
            }
            let cut = if self.cuts.is_plain() { Some(Vec::new()) } else { self.cuts.words(&text) };
            self.wrote(literals(cut));
        }
    }

    /// Notes words that it may read; more than are kept are any.
    fn wrote(&mut self, words: Vec<Arg>) {
        for word in words {
            match self.written.len() {
                ..MOST => self.written.push(word),
                MOST => self.written.push(dynamic(b"`")),
                _ => return,
            }
        }
    }

    /// Notes words that are given to what makes files.
    fn makes(&mut self, words: &[Arg]) {
        for word in words {
            match self.made.len() {
                _ if word.literal().is_some_and(makes_files) => {}
                ..MOST => self.made.push(word.clone()),
                MOST => self.made.push(dynamic(b"`")),
                _ => return,
            }
        }
    }

    /// True if a variable in it has a value that the text spells.
    fn says(&self, source: &[u8]) -> bool {
        source.split(|b| b"${".contains(b)).skip(1).any(|part| {
            let name = part.get(..made::name(part)).unwrap_or_default();
            self.assigned.get(name).is_some_and(|words| words.iter().any(|w| !w.is_dynamic()))
        })
    }

    /// Notes names and messages that git is told. (What is put together of what it says itself is none of the text's.)
    fn tells(&mut self, words: &[Arg]) {
        let is = |w: &Arg, list: WordList| w.literal().is_some_and(|w| list.has(w));
        let makes = |w: &Arg| {
            let option = w.known_prefix().strip_prefix(b"-").unwrap_or_default();
            let long = option.first() == Some(&b'-');
            long && [&b"-orphan"[..], b"-create"].iter().any(|n| option.starts_with(n))
                || !long && option.iter().any(|b| b"bBcC".contains(b))
        };
        let Some(at) = words.iter().position(|w| is(w, TELLING)) else { return };
        let Some((command, words)) = words.get(at..).and_then(<[Arg]>::split_first) else { return };
        if is(command, words!["checkout", "switch"]) && !words.iter().any(makes) {
            return;
        }
        for word in words {
            let word = match word {
                Arg::Literal(word) if word.starts_with(b"--") => {
                    word.splitn(2, |b| *b == b'=').nth(1).map(Arg::lit)
                }
                Arg::Literal(word) if word.first() == Some(&b'-') => word.get(2..).map(Arg::lit),
                Arg::Dynamic { source, .. } => Some(word.clone()).filter(|_| self.says(source)),
                // `refs/heads/NAME` is printed as NAME.
                Arg::Literal(word) if word.starts_with(b"refs/") => {
                    word.splitn(3, |b| *b == b'/').nth(2).map(Arg::lit)
                }
                Arg::Literal(_) => Some(word.clone()),
            };
            match self.told.len() {
                ..MOST => self.told.extend(word.filter(|w| !w.shown().is_empty())),
                MOST => self.told.push(dynamic(b"`")),
                _ => return,
            }
        }
    }

    /// The words, beside those between its blanks, that the commands of standard input may be cut into.
    fn cut(&self, fed: &[u8]) -> Vec<Arg> {
        if self.cuts.is_plain() {
            return Vec::new();
        }
        let commands = fed.strip_prefix(b"$(").and_then(|f| f.strip_suffix(b")")).unwrap_or(fed);
        let mut out = literals(self.cuts.words(commands));
        for word in made::printed(commands) {
            if self.says(word) {
                // It is cut as well.
                out.push(dynamic(b"`"));
            }
            out.extend(literals(self.cuts.words(&made::unquoted(word))));
        }
        out
    }

    /// Sets what standard input is from here on, and returns what it was.
    pub fn feed(&mut self, commands: Option<Rc<[u8]>>) -> Option<Rc<[u8]>> {
        self.lately.get_mut().clear();
        std::mem::replace(&mut self.fed, commands)
    }

    /// Says whether the command walked next is given words of standard input, and returns what was said before.
    pub fn list(&mut self, listed: Option<Rc<[u8]>>) -> Option<Rc<[u8]>> {
        self.lately.get_mut().clear();
        std::mem::replace(&mut self.listed, listed)
    }

    /// A word in which xargs puts what it reads, with that in it; nothing where it puts nothing, or more is open.
    fn replaced(&self, source: &[u8], with: &[u8]) -> Option<Vec<u8>> {
        let mark = self.listed.as_deref().filter(|mark| !mark.is_empty())?;
        if source.iter().any(|b| b"$`".contains(b)) {
            return None;
        }
        let (mut out, mut rest, mut any) = (Vec::new(), source, false);
        while let Some((byte, after)) = rest.split_first() {
            if let Some(behind) = rest.strip_prefix(mark) {
                (rest, any) = (behind, true);
                out.extend_from_slice(with);
            } else {
                rest = after;
                out.push(*byte);
            }
        }
        any.then_some(out)
    }

    /// What was read here stays in the shell's variables.
    pub fn keep(&mut self) {
        self.lately.get_mut().clear();
        let Some(fed) = self.fed.clone() else { return };
        self.wrote(vec![dynamic(&fed)]);
        self.wrote(self.cut(&fed));
    }

    /// True if the text assigns a variable.
    pub fn sets(&self, name: &[u8]) -> bool {
        self.assigned.contains_key(name) || self.read.iter().any(|n| n == name)
    }

    #[inline(never)]
    fn assigns(&mut self, name: &[u8], words: Vec<Arg>) {
        let list = self.assigned.entry(name.to_vec()).or_default();
        for word in words {
            match list.len() {
                _ if list.contains(&word) => {}
                ..MOST => list.push(word),
                // More than are tried.
                MOST => list.push(dynamic(b"`")),
                _ => return,
            }
        }
    }

    /// `local x=y` and its like assign; what `read` reads, a text may have written.
    #[inline(never)]
    fn declared(&mut self, words: &[Arg]) {
        let named = |w: &Arg| w.literal().is_some_and(declares);
        let words = words.iter().position(named).and_then(|at| words.get(at..)).unwrap_or_default();
        let Some((name, words)) = words.split_first() else { return };
        match name.literal() {
            Some(b"echo" | b"printf") => {
                for word in words.iter().filter(|w| w.known_prefix().first() == Some(&b'-')) {
                    self.written.push(word.clone());
                }
            }
            Some(b"read") => {
                for word in words {
                    self.reads_any |= word.is_dynamic() && word.known_prefix().is_empty();
                    let shown = word.shown();
                    // `-ra NAME` and `-raNAME`.
                    let shown = match shown.strip_prefix(b"-") {
                        Some(letters) => letters.splitn(2, |b| *b == b'a').nth(1).unwrap_or_default(),
                        None => shown,
                    };
                    self.read.extend(shown.split(|b| *b == b'[').next().map(<[u8]>::to_vec));
                }
            }
            _ => {
                for word in words {
                    let shown = word.shown();
                    let Some(eq) = shown.iter().position(|b| *b == b'=') else { continue };
                    let (name, value) = (shown.get(..eq), shown.get(eq + 1..).unwrap_or_default());
                    let value = if word.is_dynamic() { dynamic(value) } else { Arg::lit(value) };
                    self.assigns(name.unwrap_or_default(), vec![value]);
                }
            }
        }
    }

    /// The words that a variable may be, none for one that is not known; `body` = in a function, `env` = the environment
    /// that the text is started with.
    #[inline(never)]
    fn words_of(&self, name: &[u8], body: bool, env: &[Vec<u8>]) -> Vec<Arg> {
        let mut out = Vec::new();
        if name.first().is_some_and(|b| b.is_ascii_digit() || b"@*".contains(b)) {
            for word in self.values(&[b"$", name].concat(), body) {
                out.push(Arg::lit(word));
            }
            out.extend_from_slice(&self.open);
            return out;
        }
        if let Some(words) = self.assigned.get(name) {
            out.extend_from_slice(words);
        }
        // What it is from elsewhere. The folders are the shell's own.
        let here = matches!(name, b"PWD" | b"OLDPWD");
        out.extend(super::variable(env, name).filter(|_| !here).map(Arg::lit));
        if name == b"PWD" {
            // Wherever it stands.
            out.push(Arg::lit("."));
        }
        if SET_BY_SHELLS.has(name) {
            out.push(dynamic(b"`"));
        }
        if self.reads_any || self.read.iter().any(|n| n == name) {
            out.extend_from_slice(&self.written);
            if let Some(fed) = self.fed.as_deref() {
                out.push(dynamic(fed));
                out.extend(self.cut(fed));
            }
            if self.files && self.fed.is_none() {
                out.push(dynamic(b"`"));
            }
        }
        out
    }

    /// Notes that what a function is called with counts from here on, if one sets this variable to it.
    fn enters(&self, name: &[u8], inside: &Cell<bool>) {
        if self.calls.is_empty() && self.open.is_empty() {
            return;
        }
        let is = |w: &Arg| matches!(w, Arg::Dynamic { source, .. } if positional(source));
        if self.assigned.get(name).is_some_and(|words| words.iter().any(is)) {
            inside.set(true);
        }
    }

    /// The commands of a function of the text, if it is one.
    fn body(&self, name: &[u8], inside: &Cell<bool>) -> Option<&[u8]> {
        let body = self.bodies.get(name)?;
        inside.set(true);
        Some(body)
    }

    /// True if a word with this source may be any option; what it may be besides goes to `tries`.
    fn anything(&self, source: &[u8], body: bool, env: &[Vec<u8>], tries: &mut Vec<Vec<u8>>) -> bool {
        // A chain of variables branches at each: beyond so many looks it may be anything.
        let (looks, inside) = (Cell::new(0_usize), Cell::new(body));
        let of = |name: &[u8]| {
            looks.set(looks.get() + 1);
            self.enters(name, &inside);
            if looks.get() > MOST { vec![dynamic(b"`")] } else { self.words_of(name, inside.get(), env) }
        };
        let function = |name: &[u8]| self.body(name, &inside);
        let any = |source: &[u8], tries: &mut Vec<Vec<u8>>| {
            made::anything(source, &of, tries, 0)
                || (self.files && made::reads_files(source) && source.iter().any(|b| b"$`".contains(b)))
        };
        let mut may = any(source, tries);
        if self.listed.is_some() {
            may |= self.files && self.fed.is_none();
            may |= self.fed.as_deref().is_some_and(|commands| any(commands, tries));
            for word in &self.written {
                match word {
                    Arg::Literal(word) => tries.push(word.clone()),
                    Arg::Dynamic { source, .. } => may |= any(source, tries),
                }
            }
            if let Some(fed) = self.fed.as_deref() {
                for word in self.cut(fed) {
                    match word {
                        Arg::Literal(word) => tries.push(word),
                        Arg::Dynamic { .. } => may = true,
                    }
                }
                may |= !self.takes_made(
                    fed,
                    Said {
                        of: &of,
                        made: &self.made,
                        told: &self.told,
                        files: false,
                        edits: None,
                        body: &function,
                    },
                    tries,
                );
            }
        }
        may
    }

    /// Adds the names of files that the text itself makes, as far as what standard input comes from may print them;
    /// false if they are too many.
    fn takes_made(&self, fed: &[u8], said: Said<'_>, tries: &mut Vec<Vec<u8>>) -> bool {
        if self.made.is_empty() && self.told.is_empty() {
            return true;
        }
        let mut all = filled::names_printed(fed, said);
        for word in tries.iter() {
            match (filled::taken_by(word, said), &mut all) {
                (Some(more), Some(all)) => all.extend(more),
                _ => return false,
            }
        }
        tries.extend(all.unwrap_or_default());
        true
    }

    /// The words that one with this source becomes by what is known of its variables; see [`filled::readings`].
    fn readings(&self, source: &[u8], single: bool, body: bool, env: &[Vec<u8>]) -> Readings {
        self.look_up(source, single, body, env).0
    }

    /// True if one of the words is a value that the text spells and edits in a way that is not followed to the byte: too
    /// long, too many, a pattern known only at run time. Then it may be any piece of what the text says.
    pub fn is_cut(&self, body: bool, env: &[Vec<u8>], args: &[Arg]) -> bool {
        args.iter().any(|arg| match arg {
            Arg::Dynamic { source, single, .. } => self.look_up(source, *single, body, env).1,
            Arg::Literal(_) => false,
        })
    }

    fn look_up(&self, source: &[u8], single: bool, body: bool, env: &[Vec<u8>]) -> (Readings, bool) {
        let mut lately = self.lately.borrow_mut();
        if let Some((.., found)) =
            lately.iter().find(|(s, b, one, _)| s == source && *b == body && *one == single)
        {
            return found.clone();
        }
        let (looks, inside) = (Cell::new(0_usize), Cell::new(body));
        let of = |name: &[u8]| {
            looks.set(looks.get() + 1);
            self.enters(name, &inside);
            if looks.get() > MOST { Vec::new() } else { self.words_of(name, inside.get(), env) }
        };
        let function = |name: &[u8]| self.body(name, &inside);
        let edits = Cell::new(false);
        let said = Said {
            of: &of,
            made: &self.made,
            told: &self.told,
            files: self.files,
            edits: Some(&edits),
            body: &function,
        };
        let found = filled::readings(source, said).filter(|_| looks.get() <= MOST).map(|found| {
            let ways = found.iter().flat_map(|w| becomes(w, single));
            let reading = |words: Vec<&[u8]>| Reading {
                matters: words.iter().any(|w| matters(w)),
                words: words.into_iter().map(|w| at_home(w, env)).collect(),
            };
            let mut all: Vec<Reading> = ways.map(reading).collect();
            let together = self.together(source, single, body, env).into_iter();
            all.extend(together.map(|words| Reading { words, matters: true }));
            Rc::new(all)
        });
        if lately.len() >= LATELY {
            lately.clear();
        }
        let cut = found.is_none() && edits.get();
        let found = (found, cut);
        lately.push((source.to_vec(), body, single, found.clone()));
        found
    }

    /// The command lines that one becomes if one of its words becomes what the text makes of it, as far as that could matter
    /// (all of them for a program that is `curious` about plain words); false if they are too many.
    pub fn each_reading(
        &self,
        curious: bool,
        body: bool,
        env: &[Vec<u8>],
        args: &[Arg],
        to: &mut dyn FnMut(&[Arg]),
    ) -> bool {
        let mut tried = None;
        self.each_word(curious, body, env, args, &mut |at, words| {
            let tried = tried.get_or_insert_with(|| args.to_vec());
            match (words, tried.get_mut(at)) {
                ([word], Some(slot)) => {
                    let before = std::mem::replace(slot, word.clone());
                    to(tried);
                    if let Some(slot) = tried.get_mut(at) {
                        *slot = before;
                    }
                }
                _ => {
                    let mut tried = args.to_vec();
                    tried.splice(at..=at, words.iter().cloned());
                    to(&tried);
                }
            }
        })
    }

    /// The words that stand in place of one, at its place, in each of these command lines.
    pub fn each_word(
        &self,
        curious: bool,
        body: bool,
        env: &[Vec<u8>],
        args: &[Arg],
        to: &mut dyn FnMut(usize, &[Arg]),
    ) -> bool {
        let (mut trials, mut in_front, mut complete) = (0, true, true);
        for (at, arg) in args.iter().enumerate() {
            let all = curious || in_front;
            in_front &= arg.known_prefix().first() == Some(&b'-');
            let Arg::Dynamic { source, single, .. } = arg else { continue };
            let Some(readings) = self.readings(source, *single, body, env) else {
                complete = false;
                continue;
            };
            for reading in readings.iter().filter(|r| all || r.matters) {
                trials += 1;
                if trials > MOST {
                    return false;
                }
                to(at, &reading.words);
            }
        }
        complete
    }

    /// Every word that a variable may be; `body` = in a function.
    fn all(&self, body: bool) -> impl Iterator<Item = &Vec<u8>> {
        let calls = self.calls.iter().filter(move |_| body);
        self.positional.iter().flatten().chain(&self.handed_on).chain(calls)
    }

    /// The values to try for a word of which `source` is known.
    fn values(&self, source: &[u8], body: bool) -> Vec<&[u8]> {
        if !source.contains(&b'$') {
            return Vec::new();
        }
        if let Some(n) = number(source).filter(|_| !body && !self.renumbered) {
            match self.positional.get(n) {
                Some(Some(word)) => return vec![word.as_slice()],
                None => return Vec::new(),
                Some(None) => {}
            }
        }
        let mut seen = HashSet::new();
        self.all(body).map(Vec::as_slice).filter(|w| seen.insert(*w)).collect()
    }
}

/// True of a word that could be more than a name: an option, a setting, a file that is hidden or the guard's, an address,
/// a piece of a program.
fn matters(word: &[u8]) -> bool {
    let mut before = b'/';
    for (at, byte) in word.iter().enumerate() {
        let such = match byte {
            b'-' => at == 0,
            b'=' | b'@' | b'!' | b'|' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'$' | b'`' | b'\\'
            | b' ' => true,
            b':' => before == b':',
            b'e' => word.get(at..).is_some_and(|rest| rest.starts_with(b"exec-guard")),
            // Hidden, if it is more than `.` or `..`.
            b'.' if before == b'/' => {
                let rest = word.get(at..).unwrap_or_default();
                !matches!(rest.split(|b| *b == b'/').next(), Some(b"." | b".."))
            }
            _ => false,
        };
        if such {
            return true;
        }
        before = *byte;
    }
    false
}

/// A word as the program gets it: a tilde that stands in front is the home. In a value it is that where it is assigned
/// without quotes, and nobody has a folder of that name.
fn at_home(word: &[u8], env: &[Vec<u8>]) -> Arg {
    let rest = word.strip_prefix(b"~").filter(|r| matches!(r.first(), None | Some(b'/')));
    match rest.zip(super::variable(env, b"HOME")) {
        Some((rest, home)) => Arg::Literal([home, rest].concat()),
        None => Arg::lit(word),
    }
}

/// True if a text that is read may have an option among its words, or cannot be told.
fn says_more(text: &[u8]) -> bool {
    text.iter().any(|b| b"$`\\".contains(b))
        || text.split(|b| b.is_ascii_whitespace() || b"'\"".contains(b)).any(|w| w.first() == Some(&b'-'))
}

/// Variables that a shell sets to words of the text by itself: the last word of a command, what `read`, `[[ =~ ]]`,
/// getopts and mapfile found.
const SET_BY_SHELLS: WordList =
    words!["_", "REPLY", "BASH_REMATCH", "MAPFILE", "OPTARG", "MATCH", "match", "reply"];

/// Builtins that assign, read and write.
fn declares(word: &[u8]) -> bool {
    matches!(
        word,
        b"local" | b"export" | b"readonly" | b"declare" | b"typeset" | b"read" | b"echo" | b"printf"
    )
}

/// What makes words of its standard input.
fn reads_words(word: &[u8]) -> bool {
    matches!(word, b"read" | b"mapfile" | b"readarray" | b"xargs" | b"gxargs" | b"parallel")
}

/// Commands of git that make a name, or keep a message or value.
const TELLING: WordList = words![
    "tag",
    "branch",
    "checkout",
    "switch",
    "commit",
    "config",
    "symbolic-ref",
    "update-ref",
    "stash",
    "remote",
    "notes",
];

/// By which a text says words that another command reads.
const SAYING: WordList = words!["echo", "printf", "print", "<<"];

/// Programs, and commands of git and cargo, that make files whose names they are given.
fn makes_files(word: &[u8]) -> bool {
    matches!(
        word,
        b"touch"
            | b"mkdir"
            | b"cp"
            | b"mv"
            | b"ln"
            | b"install"
            | b"tee"
            | b"truncate"
            | b"rsync"
            | b"dd"
            | b"curl"
            | b"wget"
            | b"scp"
            | b"tar"
            | b"unzip"
            | b"mkfifo"
            | b"split"
            | b"clone"
            | b"init"
            | b"worktree"
            | b"checkout-index"
            | b"new"
    )
}

/// Words as arguments; none of them known: any.
fn literals(words: Option<Vec<Vec<u8>>>) -> Vec<Arg> {
    words.map_or_else(|| vec![dynamic(b"`")], |words| words.into_iter().map(Arg::Literal).collect())
}

/// Words as far as they are known.
#[inline(never)]
fn args(words: &[Word], source: &[u8]) -> Vec<Arg> {
    let mut out = Vec::new();
    for word in words {
        out.append(&mut word.to_args(source));
    }
    out.iter_mut().for_each(says_pwd);
    out
}

/// What pwd(1) prints is in a variable as well, which is followed wherever it stands in a word.
fn says_pwd(word: &mut Arg) {
    if let Arg::Dynamic { source, .. } = word {
        pwd_in(source);
    }
}

/// The same in a text.
pub(super) fn pwd_in(source: &mut Vec<u8>) {
    for said in [&b"$(pwd)"[..], b"$(pwd -P)", b"$(pwd -L)", b"`pwd`"] {
        while let Some(at) = source.windows(said.len()).position(|w| w == said) {
            source.splice(at..at + said.len(), *b"${PWD}");
        }
    }
}

/// A word of which the source is known.
fn dynamic(source: &[u8]) -> Arg {
    Arg::Dynamic { source: source.to_vec(), prefix: Vec::new(), single: false }
}

/// True if it has a positional parameter in it.
fn positional(source: &[u8]) -> bool {
    let is = |b: &u8| b.is_ascii_digit() || b"@*".contains(b);
    source.windows(2).any(|w| matches!(w, [b'$', b] if is(b)))
        || source.windows(3).any(|w| matches!(w, [b'$', b'{', b] if is(b)))
}

/// The number of a word that is one positional parameter and nothing else.
fn number(source: &[u8]) -> Option<usize> {
    let quoted = source.strip_prefix(b"\"").and_then(|s| s.strip_suffix(b"\""));
    let name = quoted.unwrap_or(source).strip_prefix(b"$")?;
    let braced = name.strip_prefix(b"{").and_then(|s| s.strip_suffix(b"}"));
    // Without braces it is one digit.
    let digits = braced.or_else(|| (name.len() == 1).then_some(name))?;
    let digits = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok()
}

/// What words that a text is given make of one of its commands.
pub(super) struct Brought<'g> {
    /// Hazards that it has if one of its words becomes one of them, and has not as it stands.
    pub hits: Vec<HazardHit>,
    given: &'g Given,
    body: bool,
    env: &'g [Vec<u8>],
    /// There are too many to try: any word may be anything.
    too_many: bool,
}

impl<'g> Brought<'g> {
    /// Tries them; `body` = the command stands in a function.
    pub fn by(
        given: &'g Given,
        body: bool,
        env: &'g [Vec<u8>],
        program: &Hazardous,
        args: &[Arg],
        hits: &[HazardHit],
    ) -> Brought<'g> {
        let mut out = Brought { hits: Vec::new(), given, body, env, too_many: false };
        // Nothing is a hazard of a program without a row, and no question is asked about its words.
        if program.is_none() || !args.iter().any(Arg::is_dynamic) {
            return out;
        }
        let mut trials = 0;
        let certain = |hits: &[HazardHit], why: &str| hits.iter().any(|h| !h.dynamic && h.why == why);
        for (at, arg) in args.iter().enumerate() {
            let Arg::Dynamic { source, prefix, single } = arg else { continue };
            let mut tries: Vec<Vec<u8>> =
                given.values(source, body).into_iter().map(<[u8]>::to_vec).collect();
            let _ = given.anything(source, body, env, &mut tries);
            for words in tries.iter().flat_map(|w| becomes(w, *single)) {
                trials += 1;
                if trials > MOST {
                    out.too_many = true;
                    return out;
                }
                let first = |(n, word): (usize, &[u8])| match n {
                    0 => Arg::Literal(
                        given.replaced(source, word).unwrap_or([prefix.as_slice(), word].concat()),
                    ),
                    _ => Arg::lit(word),
                };
                let mut tried = args.to_vec();
                tried.splice(at..=at, words.into_iter().enumerate().map(first));
                for hit in program.hits(&tried) {
                    if !hit.dynamic && !certain(hits, hit.why) && !certain(&out.hits, hit.why) {
                        out.hits.push(hit);
                    }
                }
            }
        }
        let all = given.each_reading(program.is_curious(), body, env, args, &mut |tried| {
            for hit in program.hits(tried) {
                if !hit.dynamic && !certain(hits, hit.why) && !certain(&out.hits, hit.why) {
                    out.hits.push(hit);
                }
            }
        });
        out.too_many = !all;
        if out.too_many {
            out.as_several(program, args, hits);
        }
        out
    }

    /// A word that is not followed may be several, where a shell takes it apart: then those behind its first stand where
    /// another operand would.
    fn as_several(&mut self, program: &Hazardous, args: &[Arg], hits: &[HazardHit]) {
        for (at, arg) in args.iter().enumerate() {
            let Arg::Dynamic { source, single: false, .. } = arg else { continue };
            if self.given.readings(source, false, self.body, self.env).is_some() {
                continue;
            }
            let mut tried = args.to_vec();
            tried.splice(at..at, [arg.clone(), arg.clone()]);
            for hit in program.hits(&tried) {
                let back = |there: usize| if there > at + 2 { there - 2 } else { there.min(at) };
                let hit = HazardHit { at: hit.at.map(back), ..hit };
                if hits.iter().chain(&self.hits).all(|h| h.why != hit.why) {
                    self.hits.push(hit);
                }
            }
        }
    }

    /// True if a word known only at run time may become an option because one that is given is one.
    pub fn may_be_option(&self, arg: Option<&Arg>) -> bool {
        let Some(Arg::Dynamic { source, prefix, single }) = arg else { return false };
        if self.too_many || self.given.anything(source, self.body, self.env, &mut Vec::new()) {
            return true;
        }
        // `xargs -I% rg --%=x`: what it puts there makes the option's name.
        let name = prefix.first() == Some(&b'-') && !prefix.contains(&b'=');
        if name && self.given.listed.is_some() && !source.contains(&b'$') {
            return true;
        }
        let option = |w: &[u8]| w.first() == Some(&b'-') && w != b"-" && w != b"--";
        let values = self.given.values(source, self.body);
        values.into_iter().any(|w| pieces(w, *single).any(option))
    }
}

/// The words, one or several, that a value becomes: see [`pieces`], and all of them together.
fn becomes(word: &[u8], single: bool) -> Vec<Vec<&[u8]>> {
    let mut out: Vec<Vec<&[u8]>> = pieces(word, single).map(|piece| vec![piece]).collect();
    if out.len() > 2 {
        out.push(pieces(word, single).skip(1).collect());
    }
    out
}

/// The words a value becomes: itself, and where it may split, what lies between its blanks.
fn pieces(word: &[u8], single: bool) -> impl Iterator<Item = &[u8]> {
    let split = word.split(|b| b.is_ascii_whitespace()).filter(move |p| !single && !p.is_empty());
    std::iter::once(word).chain(split)
}
