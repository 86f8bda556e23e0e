//! One row of the table, read against the words.
use std::borrow::Cow;

use super::words::{Assignment, assignment, attached, away, fits, plain, somewhere};
use super::{Carried, Class, DYNAMIC, Inner, Peel, ShellUse, UNKNOWN, carriers, elsewhere, own, runners};
use crate::arg::Arg;
use crate::getopt::{Item, Spec, items};
use crate::tables::wrappers::{Effect, Form, Kind, Own, Row, Sub};

/// A wrapper at work: what the table says, and the words from an index on.
#[derive(Clone, Copy)]
pub(super) struct Cx<'a> {
    /// How it is satisfied.
    pub(super) class: Class,
    /// Its options.
    pub(super) options: &'a Spec,
    /// What they do.
    pub(super) effects: &'a [(&'static str, Effect)],
    /// All words after `argv[0]`.
    pub(super) args: &'a [Arg],
    /// The first word that is looked at.
    pub(super) from: usize,
    /// What the program reads as its own name.
    pub(super) argv0: &'a [u8],
}

/// What the options said.
pub(super) struct Walked {
    /// Index of the first operand; the number of words if there is none.
    pub(super) next: usize,
    /// True if `--` stood before it.
    pub(super) dashes: bool,
    /// The effects; `inner` holds the texts of options.
    pub(super) carried: Carried,
    /// Options seen, by name, with their values.
    pub(super) seen: Vec<(&'static str, Option<Arg>)>,
}

impl Walked {
    /// True if one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.seen.iter().any(|(n, _)| names.contains(n))
    }
}

/// Judges the words of one row.
pub(super) fn row(row: &Row, argv0: &[u8], args: &[Arg]) -> Peel {
    let cx = Cx { class: row.class, options: &row.options, effects: row.effects, args, from: 0, argv0 };
    cx.form(&row.form)
}

impl<'a> Cx<'a> {
    /// A use that cannot be judged.
    pub(super) fn refuse(&self, why: impl Into<Cow<'static, str>>, at: impl Into<Option<usize>>) -> Peel {
        Peel::Refused { why: why.into(), at: at.into(), class: self.class }
    }

    /// The same for what is merely not understood: of a remote program nothing is known anyway.
    pub(super) fn unknown(&self, why: &'static str, at: usize) -> Peel {
        if self.class == Class::Remote { self.carries(Vec::new()) } else { self.refuse(why, at) }
    }

    /// Carries these, changes nothing.
    pub(super) fn carries(&self, inner: Vec<Inner>) -> Peel {
        Peel::Carries(Carried::new(self.class, inner))
    }

    /// Nothing inside: an ordinary use, but a remote program still acts elsewhere.
    pub(super) fn nothing(&self) -> Peel {
        if self.class == Class::Remote { self.carries(Vec::new()) } else { Peel::Empty }
    }

    /// The command that begins at a word.
    pub(super) fn argv(&self, at: usize) -> Option<Inner> {
        let words = self.args.get(at..).filter(|w| !w.is_empty())?.to_vec();
        let range = at..self.args.len();
        Some(match self.class {
            Class::Remote => Inner::Elsewhere { words, range },
            _ => Inner::Argv { words, range },
        })
    }

    /// The word at an index, if it is literal.
    pub(super) fn literal(&self, at: usize) -> Option<&'a [u8]> {
        self.args.get(at).and_then(Arg::literal)
    }

    /// A text for `sh`.
    pub(super) fn text(&self, word: Option<&[u8]>, at: usize) -> Inner {
        Inner::Text {
            text: word.map(<[u8]>::to_vec),
            at,
            shell: ShellUse { name: b"sh".to_vec(), ..ShellUse::default() },
            positional: at + 1..at + 1,
        }
    }

    /// Starts at another word.
    pub(super) fn at(self, from: usize) -> Cx<'a> {
        Cx { from, ..self }
    }

    /// Reads the options before the first operand.
    pub(super) fn walk(&self) -> Result<Walked, Peel> {
        let mut w = self.start();
        self.go_on(&mut w).map(|()| w)
    }

    /// Nothing walked yet.
    fn start(&self) -> Walked {
        Walked {
            next: self.args.len(),
            dashes: false,
            carried: Carried::new(self.class, Vec::new()),
            seen: Vec::new(),
        }
    }

    /// The same, added to what was walked before. Stops at what it does not understand: what stands in front of
    /// that is then in `w`.
    fn go_on(&self, w: &mut Walked) -> Result<(), Peel> {
        for item in items(self.options, self.args.get(self.from..).unwrap_or_default()) {
            match item {
                Item::Operand(i) => {
                    w.next = self.from + i;
                    return Ok(());
                }
                Item::End(i) => {
                    w.next = self.from + i + 1;
                    w.dashes = true;
                    return Ok(());
                }
                Item::Unknown(i) => return Err(self.unknown(UNKNOWN, self.from + i)),
                Item::DynamicOption(i) => return Err(self.unknown(DYNAMIC, self.from + i)),
                Item::Short(l, i) => self.effect(w, short(self.options, l), None, self.from + i)?,
                Item::ShortValue(l, i, v) => {
                    self.effect(w, short(self.options, l), Some(&v), self.from + i)?;
                }
                Item::Long(n, i) => self.effect(w, n, None, self.from + i)?,
                Item::LongValue(n, i, v) => self.effect(w, n, Some(&v), self.from + i)?,
                Item::LongTwo(_, i, ..) => return Err(self.unknown(UNKNOWN, self.from + i)),
            }
        }
        Ok(())
    }

    fn effect(&self, w: &mut Walked, name: &'static str, value: Option<&Arg>, at: usize) -> Result<(), Peel> {
        w.seen.push((name, value.cloned()));
        if let Some(Arg::Dynamic { single: false, .. }) = value {
            return Err(self.unknown("the value of an option may become several words", at));
        }
        // nopt takes no word with a dash for a value.
        if self.options.single_dash_long && value.is_some_and(|v| v.known_prefix().first() == Some(&b'-')) {
            return Err(self.unknown(UNKNOWN, at));
        }
        let effect = self.effects.iter().find(|(n, _)| *n == name).map(|(_, e)| *e);
        let Some(effect) = effect else { return Ok(()) };
        match (effect, value) {
            (Effect::Refuse(why), _) => return Err(self.refuse(why, at)),
            (Effect::Query, _) => return Err(Peel::Empty),
            (Effect::Also(what), v) => {
                if v.and_then(Arg::literal) != Some(b"/dev/null") {
                    w.carried.also_ask = Some(what.into());
                }
            }
            (Effect::Clear, _) => w.carried.unset = None,
            (Effect::Is(kind), Some(v)) => {
                if !fits(kind, v) {
                    return Err(self.refuse("a value of an option is not what it must be", at));
                }
            }
            (Effect::Chdir, Some(v)) => w.carried.chdir = Some(v.clone()),
            (Effect::Away, _) => w.carried.chdir = Some(somewhere()),
            (Effect::Unset, Some(v)) => match (v.literal(), &mut w.carried.unset) {
                (Some(name), Some(list)) => list.push(name.to_vec()),
                (Some(_), None) => {}
                (None, _) => return Err(self.refuse("which variable is removed is not known", at)),
            },
            (Effect::Assign, Some(v)) => match assignment(v) {
                Assignment::Is(name, value) => w.carried.assignments.push((name, value)),
                // Without `=` the variable is passed on (systemd-run) or removed (strace).
                Assignment::No => {}
                Assignment::Unclear => return Err(self.refuse(DYNAMIC, at)),
            },
            // A text is rewritten before it runs, so it must be a word of its own.
            (Effect::Text, Some(_)) if self.args.get(at).is_none_or(|w| attached(w, name)) => {
                return Err(self.refuse("a text in the same word as its option", at));
            }
            (Effect::Text, Some(v)) => w.carried.inner.push(self.text(v.literal(), at + 1)),
            (Effect::Is(_) | Effect::Chdir | Effect::Unset | Effect::Assign | Effect::Text, None) => {}
        }
        Ok(())
    }

    /// Judges the words by a form.
    pub(super) fn form(&self, form: &Form) -> Peel {
        self.try_form(form).unwrap_or_else(|p| p)
    }

    fn try_form(&self, form: &Form) -> Result<Peel, Peel> {
        Ok(match form {
            Form::Command(skip) => self.command(self.walk()?, skip, None)?,
            Form::OrShell(skip) => self.command(self.walk()?, skip, Some(Inner::Stdin))?,
            Form::Assigns => self.assigns(self.walk()?)?,
            Form::Dashes => self.after_dashes()?,
            Form::Joined => self.joined(self.walk()?),
            Form::Texts => {
                let mut w = self.walk()?;
                for at in w.next..self.args.len() {
                    match self.literal(at) {
                        // Options may follow, and nobody knows which of them take a value.
                        Some(word) if word.starts_with(b"-") => return Err(self.refuse(UNKNOWN, at)),
                        word => w.carried.inner.push(self.text(word, at)),
                    }
                }
                self.done(w)
            }
            Form::Subs(subs) => self.subs(subs),
            Form::Opaque => match self.walk() {
                Err(Peel::Empty) => Peel::Empty,
                _ => self.carries(Vec::new()),
            },
            Form::Ordinary => match self.walk() {
                // Only what the table calls unjudgeable: the rest is the program's own affair.
                Err(Peel::Refused { why, at, .. }) if why != UNKNOWN && why != DYNAMIC => {
                    self.refuse(why, at)
                }
                _ => Peel::No,
            },
            Form::Refused(why) => match self.walk() {
                Err(Peel::Empty) => Peel::Empty,
                _ if self.only_query() => Peel::Empty,
                _ => self.refuse(*why, None),
            },
            Form::Away(form) => away(self.try_form(form)?),
            Form::Own(own) => self.own(*own)?,
        })
    }

    fn own(&self, own: Own) -> Result<Peel, Peel> {
        Ok(match own {
            Own::Env => own::env(self)?,
            Own::Nice => own::nice(self)?,
            Own::SystemdRun => own::systemd_run(self)?,
            Own::Setarch => own::setarch(self)?,
            Own::Multiplexer => own::multiplexer(self),
            Own::Loader => own::loader(self)?,
            Own::Capsh => own::capsh(self),
            Own::StartStopDaemon => own::start_stop_daemon(self),
            Own::Guard => own::guard(self),
            Own::Flock => own::flock(self)?,
            Own::Su => own::su(self),
            Own::Script => own::script(self)?,
            Own::Xargs => carriers::xargs(self)?,
            Own::Find => carriers::find(self),
            Own::Fd => carriers::fd(self),
            Own::Entr => carriers::entr(self)?,
            Own::Parallel => carriers::parallel(self)?,
            Own::UvRun => runners::uv_run(self)?,
            Own::Implicit => runners::implicit(self)?,
            Own::Fetched => runners::fetched(self)?,
            Own::NixShell => runners::nix_shell(self),
            Own::Ssh => elsewhere::ssh(self)?,
            Own::At => elsewhere::at(self),
            Own::Crontab => elsewhere::crontab(self),
            Own::Tmux => elsewhere::tmux(self),
            Own::Screen => elsewhere::screen(self),
            Own::Gdb => elsewhere::gdb(self),
        })
    }

    /// True if the only word asks for help or the version.
    pub(super) fn only_query(&self) -> bool {
        self.args.len() == self.from + 1
            && matches!(self.literal(self.from), Some(b"--help" | b"--version" | b"-V" | b"-h"))
    }

    /// What the walk gathered; without anything inside it is an ordinary use.
    pub(super) fn done(&self, w: Walked) -> Peel {
        if w.carried.inner.is_empty() {
            // An output file stays one without a command.
            return match (self.nothing(), w.carried.also_ask) {
                (Peel::Carries(mut c), also_ask) => {
                    c.also_ask = also_ask;
                    Peel::Carries(c)
                }
                (other, _) => other,
            };
        }
        Peel::Carries(w.carried)
    }

    /// Skips operands of the given kinds; the rest is the command.
    pub(super) fn command(&self, mut w: Walked, skip: &[Kind], idle: Option<Inner>) -> Result<Peel, Peel> {
        let mut at = w.next;
        for kind in skip {
            match self.args.get(at) {
                None if w.carried.inner.is_empty() && idle.is_none() => return Ok(self.nothing()),
                None => break,
                Some(word) if fits(*kind, word) => {
                    if *kind == Kind::Output && word.literal() != Some(b"/dev/null") {
                        w.carried.also_ask = Some("it writes a file".into());
                    }
                    at += 1;
                }
                Some(word) if word.is_dynamic() => return Err(self.unknown(DYNAMIC, at)),
                Some(_) => {
                    return Err(self.unknown("an operand before the command is not what it must be", at));
                }
            }
        }
        match self.argv(at) {
            Some(inner) => w.carried.inner.push(inner),
            None => w.carried.inner.extend(idle.filter(|_| w.carried.inner.is_empty())),
        }
        Ok(self.done(w))
    }

    /// Assignments, then the command.
    pub(super) fn assigns(&self, mut w: Walked) -> Result<Peel, Peel> {
        let mut at = w.next;
        while let Some(word) = self.args.get(at) {
            match assignment(word) {
                Assignment::Is(name, value) => w.carried.assignments.push((name, value)),
                Assignment::No => break,
                Assignment::Unclear => return Err(self.refuse(DYNAMIC, at)),
            }
            at += 1;
        }
        w.carried.inner.extend(self.argv(at));
        Ok(self.done(w))
    }

    /// The command after `--`, with the modelled options before it.
    fn after_dashes(&self) -> Result<Peel, Peel> {
        let words = self.args.get(self.from..).unwrap_or_default();
        let end =
            words.iter().position(|a| a.literal() == Some(b"--")).map_or(self.args.len(), |p| p + self.from);
        let before = self.args.get(self.from..end).unwrap_or_default();
        if let Some(i) = before.iter().position(|a| a.is_dynamic() && a.may_be_option()) {
            return Err(self.unknown(DYNAMIC, self.from + i));
        }
        let mut carried = Carried::new(self.class, Vec::new());
        let modelled = !(self.options.short.is_empty() && self.options.long.is_empty());
        if modelled {
            // Operands and options stand in any order before the `--`; each stretch is walked by itself.
            let mut from = self.from;
            while from < end {
                let part = Cx { args: self.args.get(..end).unwrap_or_default(), from, ..*self };
                let w = part.walk()?;
                carried.inner.extend(w.carried.inner);
                carried.chdir = w.carried.chdir.or(carried.chdir);
                from = w.next + 1;
            }
        } else if end == self.args.len() && self.only_query() {
            return Ok(Peel::Empty);
        }
        carried.inner.extend(self.argv(end + 1));
        if carried.inner.is_empty() {
            return if before.is_empty() || self.class == Class::Remote {
                Ok(self.nothing())
            } else {
                Err(self.refuse("where the command begins is known only after --", None))
            };
        }
        Ok(Peel::Carries(carried))
    }

    /// The operands joined by spaces are a text for `sh`; with `-x` they are the command.
    fn joined(&self, mut w: Walked) -> Peel {
        let words = self.args.get(w.next..).unwrap_or_default();
        if words.is_empty() {
            return self.done(w);
        }
        if w.has(&["x", "exec"]) {
            w.carried.inner.extend(self.argv(w.next));
            return self.done(w);
        }
        // One word is a text; several are one only after joining, and are read as a command if the shell would
        // take every one of them as it stands.
        if let [word] = words {
            w.carried.inner.push(self.text(word.literal(), w.next));
        } else if let Some(i) = words.iter().position(|a| !a.literal().is_some_and(plain)) {
            return self.refuse("several words that are joined into one shell text", w.next + i);
        } else {
            w.carried.inner.extend(self.argv(w.next));
        }
        self.done(w)
    }

    /// Looks for a sub-command that carries something.
    fn subs(&self, subs: &'static [Sub]) -> Peel {
        let mut from = self.from;
        // The words so far, for sub-commands of several words.
        let mut path: Vec<&[u8]> = Vec::new();
        let mut gathered: Option<Carried> = None;
        loop {
            let (w, at) = match self.global(from, subs) {
                Ok(Some(found)) => found,
                Ok(None) => return Peel::No,
                Err(peel) => return peel,
            };
            let Some(word) = self.literal(at) else {
                return if at < self.args.len() { self.unknown(DYNAMIC, at) } else { Peel::No };
            };
            keep(&mut gathered, w.carried);
            if !w.dashes {
                path.push(word);
                let mut part = false;
                for sub in subs {
                    match matches(sub.words, &path) {
                        Match::Whole => return with(self.sub(sub, at + 1), gathered),
                        Match::Part => part = true,
                        Match::No => {}
                    }
                }
                if part {
                    from = at + 1;
                    continue;
                }
            }
            return match subs.iter().find(|s| s.words.is_empty()) {
                // The words of a half-matched sub-command were ordinary ones.
                Some(rest) if path.len() <= 1 => with(self.sub(rest, at), gathered),
                _ => Peel::No,
            };
        }
    }

    fn sub(&self, sub: &'static Sub, from: usize) -> Peel {
        Cx { options: &sub.options, effects: sub.effects, from, ..*self }.form(&sub.form)
    }

    /// Options before a sub-command: the index of the sub-command. An unknown option may have swallowed it, so
    /// that any later word could be one; without such a word the use is ordinary.
    fn global(&self, from: usize, subs: &'static [Sub]) -> Result<Option<(Walked, usize)>, Peel> {
        let mut from = from;
        // Kept over an unknown option: `npm -c TEXT --x=y exec` runs the text all the same.
        let mut w = self.start();
        loop {
            let cx = Cx { from, class: Class::Carrier, ..*self };
            match cx.go_on(&mut w) {
                Ok(()) => {
                    w.carried.class = self.class;
                    let next = w.next;
                    return Ok(Some((w, next)));
                }
                Err(Peel::Refused { why, at: Some(at), .. }) if why == UNKNOWN => {
                    let word = self.literal(at).unwrap_or_default();
                    if word.starts_with(b"--") && word.contains(&b'=') && at >= from {
                        // The value is in the same word: nothing was swallowed.
                        from = at + 1;
                        continue;
                    }
                    let rest = self.args.get(at + 1..).unwrap_or_default();
                    let hidden = rest.iter().any(|a| match a.literal() {
                        Some(word) => subs.iter().any(|s| names(s.words, word)),
                        None => true,
                    });
                    return if hidden { Err(self.unknown(UNKNOWN, at)) } else { Ok(None) };
                }
                Err(Peel::Refused { why, at, .. }) => {
                    return Err(match at {
                        Some(at) if why == DYNAMIC => self.unknown(DYNAMIC, at),
                        _ => self.refuse(why, at),
                    });
                }
                Err(other) => return Err(other),
            }
        }
    }
}

/// What stands before a sub-command holds for it too.
fn keep(gathered: &mut Option<Carried>, c: Carried) {
    match gathered {
        None => *gathered = Some(c),
        Some(g) => {
            g.inner.extend(c.inner);
            g.chdir = c.chdir.or(g.chdir.take());
            g.also_ask = c.also_ask.or(g.also_ask.take());
        }
    }
}

fn with(peel: Peel, gathered: Option<Carried>) -> Peel {
    let Some(g) = gathered else { return peel };
    match peel {
        // A text in an option is the command that the sub-command lacks.
        Peel::Carries(c) if !g.inner.is_empty() && c.inner == [Inner::Stdin] => Peel::Carries(g),
        Peel::Carries(mut c) => {
            c.inner.splice(0..0, g.inner);
            c.chdir = c.chdir.or(g.chdir);
            c.also_ask = c.also_ask.or(g.also_ask);
            Peel::Carries(c)
        }
        // `npm -c TEXT exec` has its command in the option.
        Peel::Empty if !g.inner.is_empty() => Peel::Carries(g),
        other => other,
    }
}

#[derive(PartialEq, Eq)]
enum Match {
    Whole,
    Part,
    No,
}

/// Compares a sub-command's words (`"compose run|exec"`) with those of the command line.
fn matches(words: &str, path: &[&[u8]]) -> Match {
    let mut want = words.as_bytes().split(|b| *b == b' ').filter(|w| !w.is_empty());
    for word in path {
        match want.next() {
            Some(w) if w == *word || (w.contains(&b'|') && w.split(|b| *b == b'|').any(|a| a == *word)) => {}
            _ => return Match::No,
        }
    }
    if words.is_empty() {
        return Match::No;
    }
    if want.next().is_none() { Match::Whole } else { Match::Part }
}

/// True if a word is one of a sub-command's.
fn names(words: &str, word: &[u8]) -> bool {
    words.split([' ', '|']).any(|w| !w.is_empty() && w.as_bytes() == word)
}

/// The option's letter as text, out of the row itself so that it lives as long.
fn short(spec: &Spec, letter: u8) -> &'static str {
    let at = spec.short.bytes().position(|b| b == letter);
    at.and_then(|p| spec.short.get(p..p + 1)).unwrap_or_default()
}
