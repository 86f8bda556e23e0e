//! One simple command through every rule, and what it carries through them again.
use super::{Context, Judge, MAX_LAYERS, MAX_SEGMENTS, Meta, Outcome, Place, Weight, visible};
use crate::arg::Arg;
use crate::document::{AskOrAllow, Entry};
use crate::evaluation::{SatisfiedBy, SegmentKind};
use crate::reason::Reason;
use crate::resolve::{
    DEFAULT_PATH, Executable, Resolution, join, last_component, look, normalise, resolve, resolve_script,
};
use crate::rules::builtins::{BuiltinVerdict, Effect, judge_builtin};
use crate::rules::entry::{self, Match, Subject};
use crate::rules::environ::{self, EnvClass};
use crate::rules::{hazards, protect, safe_bins, skills};
use crate::shell::Dialect;
use crate::tables::builtins::INTEGER_VARIABLES;
use crate::tables::hazards::Category;
use crate::wrapper::{self, Carried, Class, Inner, Peel, ShellUse};

/// Builtins for which an entry of the program of the same name speaks.
const BUILTIN_LIKE_PROGRAM: &[&[u8]] =
    &[b"echo", b"printf", b"pwd", b"test", b"[", b"true", b"false", b"kill"];

/// Builtins that run the command behind them: no file is looked up for these names.
const CARRYING_BUILTINS: &[&[u8]] = &[b"command", b"exec", b"builtin"];

/// Programs that hold many: the shell inside is not the one that PATH has under that name.
const MULTICALL: &[&[u8]] = &[b"busybox", b"toybox"];

/// What the allowlists say about a program.
struct Listed {
    best: Match,
    /// Pattern and place of the entry that matched.
    entry: Option<(String, String)>,
    carries: bool,
    hazards: bool,
    /// The matching entries look at arguments.
    by_args: bool,
    nearest: Option<String>,
}

impl Judge<'_> {
    /// Judges one command: `words[0]` is its name.
    pub fn command(&mut self, words: &[Arg], meta: Meta, ctx: &Context) -> Outcome {
        if self.segments.len() >= MAX_SEGMENTS {
            let why = format!("more than {MAX_SEGMENTS} commands");
            self.found(Weight::Unknowable, Reason::Limit, None, why);
            return Outcome { segment: MAX_SEGMENTS - 1, ..Outcome::default() };
        }
        let at = self.push(words, meta, ctx);
        let mut out = Outcome { segment: at, ..Outcome::default() };
        let Some((first, args)) = words.split_first() else {
            return out;
        };
        if ctx.depth > MAX_LAYERS {
            let why = format!("more than {MAX_LAYERS} layers of programs that run programs");
            self.found(Weight::Unknowable, Reason::Limit, Some(at), why);
            return out;
        }
        let Some(name) = first.literal() else {
            let why = format!("the command's name `{}` is known only at run time", visible(first.shown()));
            self.found(Weight::Unknowable, Reason::DynamicName, Some(at), why);
            self.protect(at, b"", args, ctx);
            return out;
        };
        self.protect(at, name, args, ctx);

        if ctx.functions && self.functions.contains_key(name) {
            if let Some(s) = self.segment(at) {
                s.kind = SegmentKind::Function;
                // The body is judged where it is defined.
                s.satisfied_by = Some(SatisfiedBy::Builtin);
            }
            out.builtin = true;
            return out;
        }
        let carrying_builtin = ctx.builtins && CARRYING_BUILTINS.contains(&name);
        if let (true, Some(dialect)) = (ctx.builtins, ctx.dialect)
            && self.builtin(at, name, args, dialect, ctx, &mut out)
        {
            self.lists(at, Some(name), None, args, ctx);
            return out;
        }
        if carrying_builtin {
            if let Some(s) = self.segment(at) {
                s.kind = SegmentKind::Builtin;
            }
            out.builtin = true;
        } else {
            match resolve(name, self.lookup(ctx), self.world) {
                Resolution::Found(exe) => out.exe = Some(exe),
                Resolution::Shadowed(exe) => {
                    let why = format!("a relative entry of PATH has another `{}`", visible(name));
                    self.found(Weight::Miss, Reason::Environment, Some(at), why);
                    out.exe = Some(exe);
                }
                Resolution::Missing => {
                    let why = format!("`{}` is no program now", visible(name));
                    self.found(Weight::Miss, Reason::Unresolved, Some(at), why);
                }
                Resolution::CwdUnknown => {
                    let why = format!("`{}` is relative to a folder that is not known here", visible(name));
                    self.found(Weight::Unknowable, Reason::CwdUnknown, Some(at), why);
                }
            }
        }
        let exe = out.exe.clone();
        if let Some(s) = self.segment(at) {
            s.exe.clone_from(&exe);
        }
        self.lists(at, Some(name), exe.as_ref(), args, ctx);
        let listed = self.listed(Some(name), exe.as_ref(), args, ctx);
        let typed = last_component(name);
        let mut names: Vec<&[u8]> = vec![typed];
        if let Some(exe) = &exe {
            names.extend([exe.name(), exe.real_name()]);
            names.dedup();
        }
        if names.contains(&b"exec-guard".as_slice())
            && args.iter().any(|a| a.known_prefix().starts_with(b"--agent"))
        {
            let why = "the text names exec-guard with another agent".to_owned();
            self.found(Weight::Deny, Reason::AgentSwitch, Some(at), why);
        }

        let peeled = wrapper::peel(&names, name, args, self.shells());
        match peeled {
            Peel::No => self.ordinary(at, typed, &names, exe.as_ref(), args, &listed, true, &mut out),
            Peel::Empty if carrying_builtin => {
                // `exec` alone and its kind: redirections of the shell itself are judged where they stand.
                let why = format!("`{}` without a command", visible(name));
                self.found(Weight::Miss, Reason::Builtin, Some(at), why);
            }
            Peel::Empty => self.ordinary(at, typed, &names, exe.as_ref(), args, &listed, false, &mut out),
            Peel::Refused { why, .. } => {
                if listed.best == Match::Full && listed.carries {
                    self.satisfy(at, SatisfiedBy::Allowlist, listed.entry.clone());
                    out.verbatim = true;
                } else {
                    let why = format!("{}: {why}", visible(typed));
                    self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why);
                }
            }
            Peel::Carries(carried) => {
                self.carries(at, &names, exe.as_ref(), carried, args, &listed, ctx, &mut out);
                self.hazards(at, &names, args, &listed);
            }
        }
        out
    }

    fn satisfy(&mut self, at: usize, by: SatisfiedBy, entry: Option<(String, String)>) {
        if let Some(s) = self.segment(at) {
            s.satisfied_by = Some(by);
            s.entry = entry;
        }
    }

    /// Rule 1.
    fn protect(&mut self, at: usize, name: &[u8], args: &[Arg], ctx: &Context) {
        let home = self.inv.home.as_deref();
        if let Some((why, _)) = protect::touches(name, args, ctx.cwd.as_deref(), home, &self.inv.guard) {
            self.found(Weight::Ask, Reason::SelfProtection, Some(at), why);
        }
    }

    fn subject<'s>(
        &'s self,
        typed: Option<&'s [u8]>,
        exe: Option<&'s Executable>,
        args: &'s [Arg],
        ctx: &'s Context,
    ) -> Subject<'s> {
        Subject {
            typed,
            exe,
            args,
            cwd: ctx.cwd.as_deref(),
            now_ms: self.inv.now_ms,
            home: self.inv.home.as_deref(),
            case_sensitive: self.policy.case_sensitive,
        }
    }

    /// Rule 2: denylist and asklist.
    fn lists(
        &mut self,
        at: usize,
        typed: Option<&[u8]>,
        exe: Option<&Executable>,
        args: &[Arg],
        ctx: &Context,
    ) {
        let s = Subject {
            case_sensitive: self.policy.refusals_case_sensitive,
            ..self.subject(typed, exe, args, ctx)
        };
        let hit = |list: &[Entry]| {
            list.iter().find(|e| entry::names(e, &s, self.world)).map(|e| (e.pattern.clone(), e.from.clone()))
        };
        let denied = hit(&self.policy.denylist);
        let asked = hit(&self.policy.asklist);
        if let Some((pattern, from)) = denied {
            let why = format!("the denylist names it: `{pattern}` ({from})");
            self.found(Weight::Deny, Reason::Denylisted, Some(at), why);
        }
        if let Some((pattern, from)) = asked {
            let why = format!("the asklist names it: `{pattern}` ({from})");
            self.found(Weight::Ask, Reason::Asklisted, Some(at), why);
        }
    }

    /// Rule 4: what the allowlists say. Every layer that has the key must have a matching entry.
    fn listed(&self, typed: Option<&[u8]>, exe: Option<&Executable>, args: &[Arg], ctx: &Context) -> Listed {
        let mut out = Listed {
            best: if self.policy.allow.is_empty() { Match::No } else { Match::Full },
            entry: None,
            carries: true,
            hazards: true,
            by_args: true,
            nearest: None,
        };
        let Some(exe) = exe else {
            return Listed { best: Match::No, carries: false, hazards: false, by_args: false, ..out };
        };
        let s = self.subject(typed, Some(exe), args, ctx);
        for list in &self.policy.allow {
            let (mut best, mut carries, mut hazards, mut by_args) = (Match::No, false, false, false);
            for e in list.candidates(&exe.found, &exe.real) {
                let m = entry::allows(&e, &s, self.world);
                if m > Match::No && m < Match::Full {
                    out.nearest = Some(e.pattern.clone());
                }
                if m == Match::Full {
                    carries |= e.carries_anything;
                    hazards |= e.hazards_allow;
                    by_args |= e.args.is_some() || e.arg_pattern.is_some();
                    out.entry.get_or_insert_with(|| (e.pattern.clone(), e.from.clone()));
                }
                best = best.max(m);
            }
            out.best = out.best.min(best);
            out.carries &= carries;
            out.hazards &= hazards;
            out.by_args &= by_args;
        }
        if out.best != Match::Full {
            out.entry = None;
            (out.carries, out.hazards, out.by_args) = (false, false, false);
        }
        out
    }

    /// A program that runs no other one.
    #[expect(clippy::too_many_arguments, reason = "one caller; each is a different thing about one command")]
    fn ordinary(
        &mut self,
        at: usize,
        typed: &[u8],
        names: &[&[u8]],
        exe: Option<&Executable>,
        args: &[Arg],
        listed: &Listed,
        may_be_safe_bin: bool,
        out: &mut Outcome,
    ) {
        let Some(exe) = exe else { return };
        if listed.best == Match::Full {
            self.satisfy(at, SatisfiedBy::Allowlist, listed.entry.clone());
            self.hazards(at, names, args, listed);
            return;
        }
        let written = self.segments.get(at).and_then(|s| s.argv.first()?.literal().map(<[u8]>::to_vec));
        if written.is_some_and(|w| skills::covers(self.policy, &w, exe, self.world)) {
            self.satisfy(at, SatisfiedBy::Skill, None);
            self.hazards(at, names, args, listed);
            return;
        }
        if may_be_safe_bin && self.safe_bin(at, exe, args, out) {
            return;
        }
        let (reason, why) = match listed.best {
            Match::Expired => (Reason::Expired, "the entry that covers it has expired"),
            Match::Restricted => {
                (Reason::ArgsMiss, "an entry covers it, but not these arguments or this folder")
            }
            Match::Dynamic => {
                (Reason::DynamicArgument, "an entry looks at an argument that is known only at run time")
            }
            Match::No | Match::Full => (Reason::AllowlistMiss, "no entry covers it"),
        };
        if self.raw.iter().any(|r| r.segment == Some(at) && r.reason == Reason::SafeBin) {
            return;
        }
        let why = format!("{}: {why} ({})", visible(typed), visible(&exe.found));
        self.found(Weight::Miss, reason, Some(at), why);
        if let (Some(raw), nearest) = (self.raw.last_mut(), listed.nearest.clone()) {
            raw.nearest = nearest;
        }
    }

    /// True if the program is a safe bin: then its finding, if any, is recorded.
    fn safe_bin(&mut self, at: usize, exe: &Executable, args: &[Arg], out: &mut Outcome) -> bool {
        let Ok(name) = std::str::from_utf8(exe.name()) else { return false };
        if !self.policy.safe_bins.iter().any(|b| b == name) {
            return false;
        }
        if !safe_bins::trusted(&exe.found, &exe.real, &self.policy.safe_bin_trusted_dirs, self.world) {
            let why = format!("{name}: {} lies outside the trusted folders", visible(&exe.found));
            self.found(Weight::Miss, Reason::Untrusted, Some(at), why);
            return true;
        }
        let own = self.policy.safe_bin_profiles.iter().find(|(n, _)| n == name).map(|(_, p)| p);
        match safe_bins::judge(name, args, own) {
            Ok(()) => {
                self.satisfy(at, SatisfiedBy::SafeBin, None);
                out.safe_bin = Some(name.to_owned());
            }
            Err(miss) => {
                let why = format!("{name}: {}", miss.why);
                self.found(Weight::Miss, Reason::SafeBin, Some(at), why);
            }
        }
        true
    }

    /// Rule 6.
    fn hazards(&mut self, at: usize, names: &[&[u8]], args: &[Arg], listed: &Listed) {
        if listed.best == Match::Full && listed.hazards {
            return;
        }
        let starts_up = names.first().and_then(|n| protect::starts_up(n, args));
        if let Some(why) = starts_up.filter(|_| self.hazard_asks(Category::WritesFile)) {
            self.found(Weight::Miss, Reason::Hazard, Some(at), format!("{why} [writes-file]"));
        }
        for hit in hazards::hazards(names, args) {
            if !self.hazard_asks(hit.category) || (hit.dynamic && !self.policy.dynamic_option_ask) {
                continue;
            }
            let reason = match (hit.dynamic, hit.category) {
                (true, _) => Reason::DynamicOption,
                (false, Category::InlineCode) => Reason::InlineCode,
                (false, _) => Reason::Hazard,
            };
            let word = hit.at.and_then(|i| args.get(i)).map(|a| format!(" `{}`", visible(a.shown())));
            let why =
                format!("{}{}: {} [{}]", hit.program, word.unwrap_or_default(), hit.why, hit.category.word());
            self.found(Weight::Miss, reason, Some(at), why);
        }
    }

    fn hazard_asks(&self, category: Category) -> bool {
        match category {
            Category::InlineCode => self.policy.strict_inline_eval,
            other => !self.policy.hazards.iter().any(|(c, a)| *c == other && *a == AskOrAllow::Allow),
        }
    }

    /// True if the name is a builtin of the shell: then it is judged as one.
    fn builtin(
        &mut self,
        at: usize,
        name: &[u8],
        args: &[Arg],
        dialect: Dialect,
        ctx: &Context,
        out: &mut Outcome,
    ) -> bool {
        let verdict = judge_builtin(name, args, dialect, self.policy.echo_dynamic_ask);
        let refused = match verdict {
            BuiltinVerdict::NotBuiltin => return false,
            BuiltinVerdict::Free(effect) => {
                self.satisfy(at, SatisfiedBy::Builtin, None);
                self.effect(at, effect, ctx, out);
                None
            }
            BuiltinVerdict::Refused { why, .. } => Some(why),
        };
        out.builtin = true;
        if let Some(s) = self.segment(at) {
            s.kind = SegmentKind::Builtin;
        }
        if let Some(why) = refused {
            if matches!(name, b"cd" | b"chdir" | b"pushd" | b"popd") {
                out.chdir = Some(None);
            }
            if BUILTIN_LIKE_PROGRAM.contains(&name)
                && let Resolution::Found(exe) = resolve(name, self.lookup(ctx), self.world)
            {
                let listed = self.listed(Some(name), Some(&exe), args, ctx);
                // The shell's own `printf -v` and `test -v` run code that the program of that name does not.
                let code = match name {
                    b"test" | b"[" => true,
                    b"printf" => dialect == Dialect::Zsh || printf_sets(args),
                    _ => args.iter().any(|a| a.shown().contains(&b'[')),
                };
                if listed.best == Match::Full && !code {
                    self.satisfy(at, SatisfiedBy::Allowlist, listed.entry);
                    return true;
                }
            }
            let why = format!("{}: {why}", visible(name));
            self.found(Weight::Miss, Reason::Builtin, Some(at), why);
        }
        true
    }

    fn effect(&mut self, at: usize, effect: Effect, ctx: &Context, out: &mut Outcome) {
        match effect {
            Effect::Chdir(Arg::Literal(to)) if to != b"-" && !to.is_empty() => {
                let place = ctx
                    .logical
                    .as_deref()
                    .map(|base| self.place(base, &to))
                    .or_else(|| (to.first() == Some(&b'/')).then(|| self.place(b"/", &to)));
                if let Some(p) = &place {
                    // Rendered with the folder it was judged as, so that CDPATH and a moved folder change nothing.
                    out.rewrites.extend(self.last_word(at).map(|i| (i, vec![p.logical.clone()])));
                }
                out.chdir = Some(place);
            }
            Effect::Chdir(_) => out.chdir = Some(None),
            Effect::Export(pairs) => {
                for (name, value) in pairs {
                    self.assignment(Some(at), None, &name, value.as_ref(), true, ctx.dialect);
                }
            }
            _ => {}
        }
    }

    fn last_word(&self, at: usize) -> Option<usize> {
        self.segments.get(at).map(|s| s.argv.len().saturating_sub(1)).filter(|i| *i > 0)
    }

    fn place(&self, base: &[u8], to: &[u8]) -> Place {
        let logical = normalise(&join(base, to));
        let physical = self.world.real(&logical);
        Place { logical, physical }
    }

    /// Rule 5 for one assignment of the text. `exported` = it reaches a program's environment for certain.
    pub(super) fn assignment(
        &mut self,
        at: Option<usize>,
        span: Option<crate::decision::Span>,
        name: &[u8],
        value: Option<&Arg>,
        exported: bool,
        dialect: Option<Dialect>,
    ) {
        if name.starts_with(b"EXEC_GUARD_") {
            let why = format!("the text sets `{}`", visible(name));
            self.found(Weight::Deny, Reason::AgentSwitch, at, why);
            return;
        }
        // Assigning to a variable of integer kind evaluates the value as arithmetic; digits are only digits.
        let digits = value.and_then(Arg::literal).is_some_and(|v| v.iter().all(u8::is_ascii_digit));
        let integer = dialect.is_some() && !digits && INTEGER_VARIABLES.iter().any(|n| n.as_bytes() == name);
        let special = integer || dialect.is_some_and(|d| environ::special(name, d));
        let inherited = super::variable(&self.inv.env, name).is_some();
        if !exported && !special && !inherited {
            return;
        }
        let class = environ::classify(name, value.and_then(Arg::literal));
        let why = match class {
            EnvClass::Inert if !special => return,
            EnvClass::Dangerous { reason } => format!("`{}` is assigned: {reason}", visible(name)),
            _ if special => format!("`{}` is special to the shell", visible(name)),
            _ => format!("`{}` is assigned for a program; it is not known to be harmless", visible(name)),
        };
        self.found(Weight::Miss, Reason::Assignment, at, why);
        if let (Some(raw), Some(span)) = (self.raw.last_mut(), span) {
            raw.span = Some(span);
        }
    }

    /// A program that runs another one: both layers are judged.
    #[expect(clippy::too_many_arguments, reason = "one caller; each is a different thing about one command")]
    fn carries(
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
            self.satisfy(at, SatisfiedBy::Allowlist, listed.entry.clone());
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
            // `command X` and `builtin X` stay in the shell, `exec X` leaves it.
            inner_ctx.builtins = !names.contains(&b"exec".as_slice());
            inner_ctx.dialect = ctx.dialect;
        }
        let before = self.segments.len();
        let raws = self.raw.len();
        let mut own_entry_needed = false;
        for inner in &carried.inner {
            match inner {
                Inner::Argv { words, range } => {
                    let applet = words.first().and_then(Arg::literal).unwrap_or_default();
                    if names.iter().any(|n| MULTICALL.contains(n)) && wrapper::is_shell(applet, &[]) {
                        let why = "the language of a multi-call program's shell is not understood here";
                        self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why.to_owned());
                    }
                    let meta = Meta { text: shown_line(words), ..Meta::default() };
                    let o = self.command(words, meta, &inner_ctx);
                    let exact = range.len() == words.len();
                    if let (true, true, Some(exe)) = (exact, out.builtin, &o.exe) {
                        // The shell itself starts it: by the path it was judged as, like every other program.
                        out.rewrites.push((range.start + 1, vec![exe.found.clone()]));
                    }
                    out.recheck.extend(o.recheck);
                    out.recheck.extend(o.exe);
                    for (i, with) in o.rewrites.into_iter().filter(|_| exact) {
                        out.rewrites.push((range.start + i + 1, with));
                    }
                }
                Inner::Elsewhere { words, .. } => {
                    // It runs where nothing can be looked up, but a deny list of names holds there too.
                    let name = words.first().and_then(Arg::literal);
                    self.lists(at, name, None, words.get(1..).unwrap_or_default(), &inner_ctx);
                }
                Inner::Text { text: None, .. } => {
                    let why = "the text given to a shell is known only at run time".to_owned();
                    self.found(Weight::Unknowable, Reason::DynamicArgument, Some(at), why);
                }
                Inner::Text { text: Some(text), at: index, shell, positional } => {
                    let words: Vec<Arg> = args.get(positional.clone()).unwrap_or_default().to_vec();
                    self.inner_text(at, exe, text, *index, shell, &words, &inner_ctx, out);
                }
                Inner::Script { word, at: index } => {
                    own_entry_needed |= !ctx.linked_shell;
                    self.script(at, word, args.get(index + 1..).unwrap_or_default(), &inner_ctx, out);
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
        let is_guard = exe.is_some_and(|e| self.inv.guard.exe.is_some_and(|g| g.same_file(&e.id)));
        let trusted = out.builtin
            || ctx.linked_shell
            || is_guard
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
            let e = if needs_entry { listed.entry.clone() } else { None };
            self.satisfy(at, by, e);
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
            inner.path = Some(DEFAULT_PATH.to_vec());
        }
        if let Some((_, value)) = assignments.iter().rev().find(|(n, _)| n == b"PATH") {
            inner.path = value.literal().map(<[u8]>::to_vec);
        }
        if let Some(to) = chdir {
            let place = to.literal().zip(ctx.logical.as_deref()).map(|(to, base)| self.place(base, to));
            inner.cwd = place.as_ref().and_then(|p| p.physical.clone());
            inner.logical = place.map(|p| p.logical);
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
        ctx: &Context,
        out: &mut Outcome,
    ) {
        // The wrapper itself if it is the shell, else the `sh` it calls.
        let own = exe.filter(|e| {
            Dialect::of_name(e.real_name()).is_some() && wrapper::is_shell(e.name(), self.shells())
        });
        let called = match own {
            Some(e) => Some(e.clone()),
            None if shell.name == b"sh" => look(b"/bin/sh", self.world, true),
            None if shell.name == wrapper::FROM_ENVIRONMENT => {
                let named = super::variable(&self.inv.env, b"SHELL").filter(|s| s.first() == Some(&b'/'));
                look(named.unwrap_or(b"/bin/sh"), self.world, true)
            }
            // Another shell than the system's, chosen by an account.
            None => None,
        };
        let Some(dialect) = called.as_ref().and_then(|e| Dialect::of_name(e.real_name())) else {
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
            let o = self.command(words, meta, &inner);
            out.recheck.extend(o.recheck);
            self.harden(own, shell, dialect, index, None, out);
            return;
        }
        let mut inner = ctx.clone();
        inner.dialect = Some(dialect);
        inner.builtins = true;
        inner.functions = true;
        inner.outermost = false;
        if self.policy.login_ask && shell.startup {
            let why = format!("{} would run start-up files", visible(&shell.name));
            self.found(Weight::Miss, Reason::Construct, Some(at), why);
        }
        let walked = self.text(text, dialect, &inner);
        out.recheck.extend(walked.recheck.iter().cloned());
        match walked.render(text, dialect) {
            Ok(rendered) => self.harden(own, shell, dialect, index, Some(rendered), out),
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
        let mut options: Vec<Vec<u8>> = hardening(dialect).iter().map(|o| o.to_vec()).collect();
        options.extend(shell.keep.iter().cloned());
        options.push(b"-c".to_vec());
        out.rewrites.push((1, options));
        for i in 2..=index {
            out.rewrites.push((i, Vec::new()));
        }
    }

    /// A script file given to a shell: judged as a program of its own.
    fn script(&mut self, at: usize, word: &Arg, rest: &[Arg], ctx: &Context, out: &mut Outcome) {
        let Some(name) = word.literal() else {
            let why = "the script's name is known only at run time".to_owned();
            self.found(Weight::Unknowable, Reason::DynamicName, Some(at), why);
            return;
        };
        let rest = rest.to_vec();
        let words: Vec<Arg> = std::iter::once(word.clone()).chain(rest.iter().cloned()).collect();
        let inner = self.push(&words, Meta { text: shown_line(&words), ..Meta::default() }, ctx);
        let exe = match resolve_script(name, self.lookup(ctx), self.world) {
            Resolution::Found(exe) => exe,
            Resolution::Missing | Resolution::CwdUnknown | Resolution::Shadowed(_) => {
                let why = format!("the script `{}` is not there now", visible(name));
                self.found(Weight::Unknowable, Reason::Unresolved, Some(inner), why);
                return;
            }
        };
        if let Some(s) = self.segment(inner) {
            s.exe = Some(exe.clone());
        }
        self.lists(inner, Some(name), Some(&exe), &rest, ctx);
        let listed = self.listed(Some(name), Some(&exe), &rest, ctx);
        if listed.best == Match::Full {
            self.satisfy(inner, SatisfiedBy::Allowlist, listed.entry);
            out.recheck.push(exe);
        } else {
            let why = format!("no entry covers the script {}", visible(&exe.found));
            self.found(Weight::Miss, Reason::ScriptEntry, Some(inner), why);
        }
    }
}

/// True if the shell's `printf` could set a variable, whose subscript may run a command: `-v`, or `%n` in the format.
fn printf_sets(args: &[Arg]) -> bool {
    let Some(format) = args.first().and_then(Arg::literal) else { return true };
    let mut conversion = false;
    for b in format {
        match b {
            b'%' => conversion = !conversion,
            b'n' if conversion => return true,
            b'a'..=b'z' | b'A'..=b'Z' => conversion = false,
            _ => {}
        }
    }
    format.first() == Some(&b'-')
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
