//! What a wrapper, carrier or shell carries: judged like the command that carries it.
use crate::tables::words::{WordList, words};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::command::Listed;
use super::cuts;
use super::given::Given;
use super::known::Known;
use super::{Context, Judge, Meta, Outcome, Weight, home_of, variable, visible};
use crate::arg::Arg;
use crate::evaluation::SatisfiedBy;
use crate::reason::Reason;
use crate::resolve::{DEFAULT_PATH, Executable, Resolution, join, look, normalise, parent, resolve_script};
use crate::rules::entry::Match;
use crate::rules::safe_bins;
use crate::scaffold;
use crate::shell::{Dialect, is_busybox};
use crate::wrapper::{self, Carried, Class, Inner, Peel, ShellUse};

/// Programs that hold many: the shell inside is not the one that PATH has under that name.
const MULTICALL: WordList = words!["busybox", "toybox"];

/// Folders that are links on many systems, and root's everywhere.
const MERGED: WordList = words!["/bin", "/sbin", "/usr/sbin"];

impl Judge<'_> {
    /// A program that runs another one: both layers are judged.
    #[expect(clippy::too_many_arguments, reason = "one caller; each is a different thing about one command")]
    pub(super) fn carries(
        &mut self,
        at: usize,
        names: &[&[u8]],
        exe: Option<&Executable>,
        carried: Carried,
        args: &[Arg],
        listed: &Listed,
        ctx: &Context,
        out: &mut Outcome,
    ) {
        if listed.best == Match::Full && listed.carries {
            self.satisfy(at, SatisfiedBy::Allowlist, listed.entry());
            out.verbatim = true;
            return;
        }
        for (name, value) in &carried.assignments {
            self.assignment(Some(at), None, name, Some(value), true, None);
        }
        if let Some(why) = carried.also_ask {
            self.found(Weight::Miss, Reason::Hazard, Some(at), why.into_owned());
        }
        let mut inner_ctx =
            self.inside(at, &carried.unset, &carried.assignments, carried.chdir.as_ref(), ctx);
        if out.builtin {
            // `builtin X` stays in the shell, and `command X` does but for zsh, where `exec X` is what runs a builtin.
            let zsh = ctx.dialect == Some(Dialect::Zsh);
            let is = |name: &[u8]| names.contains(&name);
            inner_ctx.builtins = if is(b"exec") { zsh } else { is(b"builtin") || !zsh };
            inner_ctx.dialect = ctx.dialect;
        }
        let before = self.segments.len();
        let raws = self.raw.len();
        let mut own_entry_needed = false;
        for inner in &carried.inner {
            match inner {
                Inner::Argv { words, range } => {
                    let first = out.rewrites.len();
                    let applet = words.first().and_then(Arg::literal).unwrap_or_default();
                    if names.iter().any(|n| MULTICALL.has(n)) && wrapper::is_shell(applet, &[]) {
                        let why = "the language of a multi-call program's shell is not understood here";
                        self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why.to_owned());
                    }
                    let meta = Meta { text: shown_line(words), ..Meta::default() };
                    // Words of standard input may be the text's own.
                    let lists = names.iter().any(|n| matches!(*n, b"xargs" | b"gxargs" | b"parallel"));
                    let mark = lists.then(|| cuts::mark(args));
                    let listed = mark.clone().map(|mark| Rc::make_mut(&mut self.given).list(Some(mark)));
                    let mark = mark.map(|mark| std::mem::replace(&mut self.mark, mark.to_vec()));
                    let finds = names.iter().any(|n| matches!(*n, b"find" | b"gfind"));
                    let find = finds.then(|| self.find.replace(args.to_vec()));
                    let o = self.command(&Arc::from(words.as_slice()), meta, &inner_ctx);
                    if let Some(before) = listed {
                        Rc::make_mut(&mut self.given).list(before);
                    }
                    if let Some(before) = mark {
                        self.mark = before;
                    }
                    if let Some(before) = find {
                        self.find = before;
                    }
                    if let Some(exe) = o.exe.as_ref().filter(|exe| {
                        // The shell itself starts it: by the path it was judged as, like every other program.
                        let path = words.first().and_then(Arg::literal).filter(|w| w.contains(&b'/'));
                        out.builtin || path.is_some_and(|w| self.may_become_another(w, exe, &inner_ctx))
                    }) {
                        out.rewrites.push((range.start + 1, vec![exe.found.clone()]));
                    }
                    if o.safe_bin.as_deref().and_then(home_of).is_some() {
                        // Under a wrapper it keeps the caller's home.
                        self.unasked_file(o.segment);
                    }
                    out.recheck.extend(o.recheck);
                    out.recheck.extend(o.exe);
                    if inner_ctx.builtins {
                        // `command cd x` moves the shell itself.
                        out.chdir = o.chdir.or(out.chdir.take());
                    }
                    for (i, with) in o.rewrites {
                        out.rewrites.push((range.start + i + 1, with));
                    }
                    let made = out.rewrites.get(first..).unwrap_or_default();
                    if !made.is_empty() && !self.reads_back(at, names, args, words, range, made) {
                        let why = format!(
                            "what {} carries cannot be written as it was judged",
                            visible(names.first().copied().unwrap_or_default())
                        );
                        self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why);
                    }
                }
                Inner::Elsewhere { words, .. } => {
                    // It runs where nothing can be looked up, but a deny list of names holds there too.
                    let name = words.first().and_then(Arg::literal);
                    self.lists(at, name, None, None, words.get(1..).unwrap_or_default(), &inner_ctx);
                }
                Inner::Text { text: None, .. } => {
                    let why = "the text given to a shell is known only at run time".to_owned();
                    self.found(Weight::Unknowable, Reason::DynamicArgument, Some(at), why);
                }
                Inner::Text { text: Some(text), at: index, shell, positional } => {
                    let words: Vec<Arg> = args.get(positional.clone()).unwrap_or_default().to_vec();
                    let launched = ctx.linked_shell;
                    self.inner_text(at, exe, text, *index, shell, &words, launched, &inner_ctx, out);
                }
                Inner::Script { at: index, .. } => {
                    own_entry_needed |= !ctx.linked_shell;
                    self.script(at, *index, args, &inner_ctx, out);
                }
                Inner::Stdin => {
                    let why = format!(
                        "{} would read code from its standard input",
                        visible(names.first().copied().unwrap_or_default())
                    );
                    self.found(Weight::Unknowable, Reason::Code, Some(at), why);
                }
            }
        }
        // A finding about what is carried is one about the carrier too.
        let inner_satisfied = (before..self.segments.len()).all(|i| self.satisfied(i))
            && !self.raw.iter().skip(raws).any(|r| r.segment.is_none());
        let entry = listed.best == Match::Full;
        let trusted = out.builtin
            || ctx.linked_shell
            || self.is_guard(exe)
            || entry
            || exe.is_some_and(|e| {
                safe_bins::trusted(&e.found, &e.real, &self.policy.safe_bin_trusted_dirs, self.world)
            });
        let needs_entry = !ctx.linked_shell && (own_entry_needed || carried.class != Class::Transparent);
        let shown = visible(names.first().copied().unwrap_or_default());
        if needs_entry && !entry {
            let why = format!("{shown} carries another program and has no entry of its own");
            self.found(Weight::Miss, Reason::WrapperEntry, Some(at), why);
        } else if carried.class == Class::Remote && !listed.by_args {
            let why = format!("what {shown} carries is not known here; its entry must say so");
            self.found(Weight::Miss, Reason::Remote, Some(at), why);
        } else if !trusted {
            let why = format!("{shown} lies outside the trusted folders and has no entry of its own");
            self.found(Weight::Miss, Reason::AllowlistMiss, Some(at), why);
        } else if inner_satisfied && !self.raw.iter().any(|r| r.segment == Some(at)) {
            let by = if needs_entry { SatisfiedBy::Allowlist } else { SatisfiedBy::Wrapper };
            let e = if needs_entry { listed.entry() } else { None };
            self.satisfy(at, by, e);
        }
    }

    /// True if a path may name another file by the time it is looked up again: the shell was somewhere else when it was
    /// judged, or a link is on the way. (Where neither is so, who could exchange the file could change it as well.)
    fn may_become_another(&self, typed: &[u8], exe: &Executable, ctx: &Context) -> bool {
        if typed.first() == Some(&b'/') {
            return normalise(typed) != exe.found && !MERGED.has(parent(typed));
        }
        let moved = ctx.cwd.as_deref() != self.inv.cwd.as_deref();
        moved || ctx.cwd.as_ref().is_none_or(|cwd| normalise(&join(cwd, typed)) != exe.found)
    }

    /// True if a wrapper takes its words, with others in place of some, for the same command with the same others: a path
    /// may hold what `xargs -I` replaces, or look like an assignment to `env`.
    fn reads_back(
        &self,
        at: usize,
        names: &[&[u8]],
        args: &[Arg],
        words: &[Arg],
        range: &Range<usize>,
        made: &[(usize, Vec<Vec<u8>>)],
    ) -> bool {
        let appended = words.len() == range.len() + 1 && words.last().is_some_and(wrapper::is_list);
        if words.len() != range.len() && !appended {
            return false;
        }
        let rewritten = |words: &[Arg], shift: usize| -> Vec<Arg> {
            let of = |(i, word): (usize, &Arg)| match made.iter().find(|(to, _)| *to == i + shift) {
                Some((_, with)) => with.iter().map(Arg::lit).collect(),
                None => vec![word.clone()],
            };
            words.iter().enumerate().flat_map(of).collect()
        };
        let argv0 = self.segments.get(at).and_then(|s| s.argv.first()?.literal()).unwrap_or_default();
        let expected = rewritten(words, range.start + 1);
        match wrapper::peel(names, argv0, &rewritten(args, 1), self.shells()) {
            Peel::Carries(c) => {
                c.inner.iter().any(|i| matches!(i, Inner::Argv { words, .. } if *words == expected))
            }
            _ => false,
        }
    }

    /// `egrep` or `fgrep`: satisfied if `grep` with that option in front is. The script under these names looks `grep`
    /// up in PATH as it is done here; where they are links, the file they lead to is one of the same trusted folders.
    pub(super) fn grep(&mut self, at: usize, option: &str, args: &[Arg], ctx: &Context, out: &mut Outcome) {
        let words: Arc<[Arg]> =
            [Arg::lit("grep"), Arg::lit(option)].into_iter().chain(args.iter().cloned()).collect();
        let inner = self.inside(at, &Some(Vec::new()), &[], None, ctx);
        let o = self.command(&words, Meta { text: shown_line(&words), ..Meta::default() }, &inner);
        out.recheck.extend(o.recheck);
        out.recheck.extend(o.exe);
        if self.satisfied(o.segment) && !self.raw.iter().any(|r| r.segment == Some(at)) {
            self.satisfy(at, SatisfiedBy::Wrapper, None);
        }
    }

    fn inside(
        &self,
        at: usize,
        unset: &Option<Vec<Vec<u8>>>,
        assignments: &[(Vec<u8>, Arg)],
        chdir: Option<&Arg>,
        ctx: &Context,
    ) -> Context {
        let mut inner = ctx.clone();
        inner.depth += 1;
        inner.within = Some(at);
        inner.builtins = false;
        inner.functions = false;
        inner.linked_shell = false;
        if unset.as_ref().is_none_or(|u| u.iter().any(|n| n == b"PATH")) {
            inner.path = Some(Rc::from(DEFAULT_PATH));
        }
        if let Some((_, value)) = assignments.iter().rev().find(|(n, _)| n == b"PATH") {
            inner.path = value.literal().map(Rc::from);
        }
        if let Some(to) = chdir {
            // By chdir(2), not as a shell does it: `..` behind a link is above where the link leads, and PWD stays as it is,
            // so that a shell inside asks the kernel where it is.
            let path = match (to.literal(), ctx.cwd.as_deref()) {
                (Some(b"") | None, _) => None,
                (Some(to @ [b'/', ..]), _) => Some(to.to_vec()),
                (Some(to), cwd) => cwd.map(|cwd| join(cwd, to)),
            };
            inner.cwd = path.and_then(|p| self.world.real(&p)).map(Rc::from);
            if inner.cwd != ctx.cwd {
                inner.logical.clone_from(&inner.cwd);
            }
            inner.places = inner.cwd.clone().map(|cwd| Rc::new(vec![cwd]));
        }
        inner
    }

    /// Text carried by a shell, or by a program that calls one.
    #[expect(clippy::too_many_arguments, reason = "one caller; each is a different thing about one command")]
    fn inner_text(
        &mut self,
        at: usize,
        exe: Option<&Executable>,
        text: &[u8],
        index: usize,
        shell: &ShellUse,
        positional: &[Arg],
        launched: bool,
        ctx: &Context,
        out: &mut Outcome,
    ) {
        // The wrapper itself if it is the shell, else the `sh` it calls.
        let language = |e: &Executable| Dialect::of_program(e.name(), e.real_name());
        let own = exe.filter(|e| language(e).is_some() && wrapper::is_shell(e.name(), self.shells()));
        let called = match own {
            Some(e) => Some(e.clone()),
            // `busybox sh -c`: the shell inside is its ash.
            None if shell.name == b"ash" => exe
                .filter(|e| is_busybox(e.name()) && is_busybox(e.real_name()))
                .map(|e| Executable { found: b"ash".to_vec(), ..e.clone() }),
            None if shell.name == b"sh" => look(b"/bin/sh", self.world, true),
            None if shell.name == wrapper::FROM_ENVIRONMENT => {
                let named = super::variable(&self.inv.env, b"SHELL").filter(|s| s.first() == Some(&b'/'));
                look(named.unwrap_or(b"/bin/sh"), self.world, true)
            }
            // Another shell than the system's, chosen by an account.
            None => None,
        };
        let Some(dialect) = called.as_ref().and_then(language) else {
            let why = format!("the language of {} is not understood here", visible(&shell.name));
            self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why);
            return;
        };
        if let Some(words) = positional_carrier(text, positional) {
            let meta = Meta { text: shown_line(words), ..Meta::default() };
            let mut inner = ctx.clone();
            // `$0 "$@"` is looked up by the shell: its builtins come first.
            inner.dialect = Some(dialect);
            inner.builtins = true;
            let o = self.command(&Arc::from(words), meta, &inner);
            out.recheck.extend(o.recheck);
            self.harden(own, shell, dialect, index, None, out);
            return;
        }
        let mut inner = ctx.clone();
        inner.dialect = Some(dialect);
        inner.builtins = true;
        inner.functions = true;
        inner.body = None;
        inner.outermost = false;
        if self.policy.login_ask && shell.startup {
            let why = format!("{} would run start-up files", visible(&shell.name));
            self.found(Weight::Miss, Reason::Construct, Some(at), why);
        }
        let launched = launched && positional.is_empty();
        let scaffold = launched
            .then(|| scaffold::recognise(text, dialect, &self.inv.agents, &self.inv.env, self.world))
            .flatten();
        let text = match &scaffold {
            Some(s) => s.command.as_deref().unwrap_or_default(),
            None => text,
        };
        if launched {
            self.said = Some(text.to_vec());
        }
        if let Some(path) = scaffold.as_ref().and_then(|s| s.path.clone()) {
            inner.path = Some(Rc::from(path));
        }
        let given = Given::of(positional, &self.given, &self.inv.env);
        let (mark, find) = (&self.mark, self.find.as_deref());
        let body = ctx.body.is_some();
        let given = Rc::new(given.led(positional, &self.given, mark, find, body, &self.inv.env));
        let before = std::mem::replace(&mut self.given, given);
        let walked = self.text(text, dialect, &inner);
        self.given = before;
        out.recheck.extend(walked.recheck.iter().cloned());
        match walked.render(text) {
            Ok(rendered) => {
                let rendered = match scaffold {
                    Some(s) => s.around(&rendered),
                    None => rendered,
                };
                self.harden(own, shell, dialect, index, Some(rendered), out);
            }
            Err(construct) => {
                if !self.raw.iter().any(|r| r.weight >= Weight::Miss) {
                    let why = format!("{} cannot be written out again", construct.name());
                    self.found(Weight::Miss, construct.reason(), Some(at), why);
                }
            }
        }
    }

    /// The words of a shell in the form that is executed: no start-up files, no imported functions, the rendering in
    /// place of the text.
    fn harden(
        &self,
        own: Option<&Executable>,
        shell: &ShellUse,
        dialect: Dialect,
        index: usize,
        rendered: Option<Vec<u8>>,
        out: &mut Outcome,
    ) {
        if let Some(text) = rendered {
            out.rewrites.push((index + 1, vec![text]));
        }
        if own.is_none() || index == 0 {
            return;
        }
        // bash takes long options only in front of short ones.
        let long = |o: &&Vec<u8>| o.starts_with(b"--");
        let mut options: Vec<Vec<u8>> = shell.keep.iter().filter(long).cloned().collect();
        options.extend(hardening(dialect).iter().map(|o| o.to_vec()));
        options.extend(shell.keep.iter().filter(|o| !long(o)).cloned());
        options.push(b"-c".to_vec());
        out.rewrites.push((1, options));
        for i in 2..=index {
            out.rewrites.push((i, Vec::new()));
        }
    }

    /// jq loads `~/.jq` unasked.
    fn unasked_file(&mut self, at: usize) {
        let home = variable(&self.inv.env, b"HOME").or(self.inv.home.as_deref());
        let file = home.map(|h| crate::resolve::join(h, b".jq"));
        if file.is_some_and(|f| self.world.info(&f).is_some()) {
            self.found(Weight::Miss, Reason::SafeBin, Some(at), "jq: it would load ~/.jq".to_owned());
        }
    }

    /// A script file given to a shell: judged as a program of its own.
    fn script(&mut self, at: usize, index: usize, args: &[Arg], ctx: &Context, out: &mut Outcome) {
        let Some((word, rest)) = args.get(index..).and_then(<[Arg]>::split_first) else { return };
        let Some(name) = word.literal() else {
            let why = "the script's name is known only at run time".to_owned();
            self.found(Weight::Unknowable, Reason::DynamicName, Some(at), why);
            return;
        };
        let words: Arc<[Arg]> = args.get(index..).map(Arc::from).unwrap_or_default();
        let inner = self.push(&words, Meta { text: shown_line(&words), ..Meta::default() }, ctx);
        let exe = match resolve_script(name, self.lookup(ctx), self.world) {
            Resolution::Found(exe) => Arc::new(exe),
            Resolution::Missing | Resolution::CwdUnknown | Resolution::Shadowed(_) => {
                let why = format!("the script `{}` is not there now", visible(name));
                self.found(Weight::Unknowable, Reason::Unresolved, Some(inner), why);
                return;
            }
        };
        if let Some(s) = self.segment(inner) {
            s.exe = Some(exe.clone());
        }
        if self.may_become_another(name, &exe, ctx) {
            out.rewrites.push((index + 1, vec![exe.found.clone()]));
        }
        let known = self.known_file(&exe);
        // A script's name as typed is of account to the deny list, and may differ from call to call.
        let fresh = Known::of_the_shell();
        self.lists(inner, Some(name), Some(&exe), Some(&fresh), rest, ctx);
        let listed = self.listed(Some(name), Some(&exe), &known, rest, ctx);
        if listed.best == Match::Full {
            self.satisfy(inner, SatisfiedBy::Allowlist, listed.entry());
            out.recheck.push(exe);
        } else {
            let why = format!("no entry covers the script {}", visible(&exe.found));
            self.found(Weight::Miss, Reason::ScriptEntry, Some(inner), why);
        }
    }
}

/// Options that keep start-up files and imported functions out.
pub(crate) fn hardening(dialect: Dialect) -> &'static [&'static [u8]] {
    match dialect {
        // -p: functions, BASH_ENV and SHELLOPTS are not taken from the environment (bash(1), "privileged").
        Dialect::Bash => &[b"--noprofile", b"--norc", b"-p"],
        Dialect::Zsh => &[b"-f"],
        Dialect::Dash => &[],
    }
}

/// `$0 "$@"` and its kind: the operands are the command. Exact shapes only.
fn positional_carrier<'w>(text: &[u8], positional: &'w [Arg]) -> Option<&'w [Arg]> {
    let text = text.trim_ascii();
    let text = text.strip_prefix(b"exec ").unwrap_or(text);
    let text = text.strip_prefix(b"-- ").unwrap_or(text);
    let words = match text {
        b"\"$0\" \"$@\"" => positional,
        b"\"$@\"" => positional.get(1..)?,
        _ => return None,
    };
    (!words.is_empty()).then_some(words)
}

fn shown_line(words: &[Arg]) -> Vec<u8> {
    super::line(&words.iter().map(|a| a.shown().to_vec()).collect::<Vec<_>>())
}
