//! One simple command through every rule, and what it carries through them again.
use std::rc::Rc;
use std::sync::Arc;

use super::given::Brought;
use super::known::{Covered, Covering, Found, Known, Refusals};
use super::{Context, Judge, MAX_LAYERS, MAX_SEGMENTS, Meta, Outcome, Weight, visible};
use crate::arg::Arg;
use crate::document::{AskOrAllow, Entry};
use crate::evaluation::{SatisfiedBy, SegmentKind};
use crate::reason::Reason;
use crate::resolve::{Executable, join, last_component, look};
use crate::rules::entry::{self, Match, Subject};
use crate::rules::protect::{self, Watch};
use crate::rules::{probe, safe_bins, skills, unpack};
use crate::shell::Dialect;
use crate::tables::hazards::Category;
use crate::wrapper::{self, Peel};

/// True for a builtin that runs the command behind it: no file is looked up for these names.
fn carries_in_the_shell(name: &[u8], dialect: Option<Dialect>) -> bool {
    match name {
        b"command" | b"exec" => true,
        // dash has no such thing: there it is a program.
        b"builtin" => dialect != Some(Dialect::Dash),
        _ => false,
    }
}

/// What the allowlists say about a program.
pub(super) struct Listed {
    pub best: Match,
    /// The entry that matched: its list, and its place among those that cover the program.
    entry: Option<(Covering, usize, usize)>,
    pub carries: bool,
    pub hazards: bool,
    /// The matching entries look at arguments.
    pub by_args: bool,
    pub nearest: Option<String>,
}

impl Listed {
    /// Nothing.
    fn no() -> Listed {
        Listed { best: Match::No, entry: None, carries: false, hazards: false, by_args: false, nearest: None }
    }

    /// Pattern and place of the entry that matched.
    pub fn entry(&self) -> Option<Arc<(String, String)>> {
        let (covering, list, at) = self.entry.as_ref()?;
        Some(covering.get(*list)?.get(*at)?.label())
    }
}

impl Judge<'_> {
    /// Judges one command: `words[0]` is its name.
    pub fn command(&mut self, words: &Arc<[Arg]>, meta: Meta, ctx: &Context) -> Outcome {
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

        if ctx.functions && self.functions.is_called(name, ctx.body.as_deref()) {
            if let Some(s) = self.segment(at) {
                s.kind = SegmentKind::Function;
                // The body is judged where it is defined.
                s.satisfied_by = Some(SatisfiedBy::Builtin);
            }
            out.builtin = true;
            if self.functions_move {
                out.chdir = Some(None);
            }
            return out;
        }
        let carrying_builtin = ctx.builtins && carries_in_the_shell(name, ctx.dialect);
        if let (true, Some(dialect)) = (ctx.builtins, ctx.dialect)
            && self.builtin(at, name, args, dialect, ctx, &mut out)
        {
            self.lists(at, Some(name), None, None, args, ctx);
            return out;
        }
        let known = if carrying_builtin { Known::of_the_shell() } else { self.known(name, ctx) };
        match &known.found {
            Found::Program(_) => {}
            Found::NotLookedUp => {
                if let Some(s) = self.segment(at) {
                    s.kind = SegmentKind::Builtin;
                }
                out.builtin = true;
            }
            Found::Shadowed(_) => {
                let why = format!("a relative entry of PATH has another `{}`", visible(name));
                self.found(Weight::Miss, Reason::Environment, Some(at), why);
            }
            Found::Missing => {
                let why = format!("`{}` is no program now", visible(name));
                self.found(Weight::Miss, Reason::Unresolved, Some(at), why);
            }
            Found::CwdUnknown => {
                let why = format!("`{}` is relative to a folder that is not known here", visible(name));
                self.found(Weight::Unknowable, Reason::CwdUnknown, Some(at), why);
            }
        }
        let exe = known.found.exe().map(|exe| &**exe);
        out.exe = known.found.exe().cloned();
        if let Some(s) = self.segment(at) {
            s.exe.clone_from(&out.exe);
        }
        self.lists(at, Some(name), exe, Some(&known), args, ctx);
        let listed = self.listed(Some(name), exe, &known, args, ctx);
        let typed = last_component(name);
        if let Some(why) = known.writer(name).and_then(|w| self.writes(w, args, ctx)) {
            self.found(Weight::Ask, Reason::SelfProtection, Some(at), why);
        }
        if args.iter().any(|a| a.known_prefix().starts_with(b"--agent"))
            && known.names(name).contains(&b"exec-guard".as_slice())
        {
            let why = "the text names exec-guard with another agent".to_owned();
            self.found(Weight::Deny, Reason::AgentSwitch, Some(at), why);
        }

        let hits = known.hits(name, self.shells());
        if hits.runs_a_text() {
            self.reads(at, args, ctx);
        }
        let peeled = wrapper::peel_as(hits, name, args);
        match peeled {
            Peel::No => match self.grep_option(exe, &listed) {
                Some(option) => self.grep(at, option, args, ctx, &mut out),
                None => self.ordinary(at, name, &known, args, &listed, true, ctx, &mut out),
            },
            Peel::Empty if carrying_builtin => {
                // `exec` alone and its kind: redirections of the shell itself are judged where they stand.
                let why = format!("`{}` without a command", visible(name));
                self.found(Weight::Miss, Reason::Builtin, Some(at), why);
            }
            // The guard's own words that run nothing: an agent's hook, called through a linked shell.
            Peel::Empty if self.is_guard(exe) => self.satisfy(at, SatisfiedBy::Wrapper, None),
            Peel::Empty => self.ordinary(at, name, &known, args, &listed, false, ctx, &mut out),
            Peel::Refused { why, .. } => {
                if listed.best == Match::Full && listed.carries {
                    self.satisfy(at, SatisfiedBy::Allowlist, listed.entry());
                    out.verbatim = true;
                } else {
                    let why = format!("{}: {why}", visible(typed));
                    self.found(Weight::Unknowable, Reason::Wrapper, Some(at), why);
                }
            }
            Peel::Carries(carried) => {
                self.carries(at, &known.names(name), exe, carried, args, &listed, ctx, &mut out);
                self.hazards(at, name, &known, args, &listed, ctx);
            }
        }
        out
    }

    /// The first word that is no option and names a file: what is run of it may change while a question waits.
    pub(super) fn reads(&mut self, at: usize, args: &[Arg], ctx: &Context) {
        let words = args.iter().filter_map(Arg::literal).filter(|w| !w.starts_with(b"-"));
        let found = words.filter_map(|word| {
            let path =
                if word.first() == Some(&b'/') { word.to_vec() } else { join(ctx.cwd.as_deref()?, word) };
            look(&path, self.world, false)
        });
        let file = found.map(Arc::new).next();
        if let Some(s) = self.segment(at) {
            s.reads = file;
        }
    }

    /// True if a file is the running guard.
    pub(super) fn is_guard(&self, exe: Option<&Executable>) -> bool {
        exe.is_some_and(|e| self.world.is_guard(&e.id))
    }

    pub(super) fn satisfy(&mut self, at: usize, by: SatisfiedBy, entry: Option<Arc<(String, String)>>) {
        if let Some(s) = self.segment(at) {
            s.satisfied_by = Some(by);
            s.entry = entry;
        }
    }

    /// Rule 1.
    fn protect(&mut self, at: usize, name: &[u8], args: &[Arg], ctx: &Context) {
        if args.last().is_some_and(probe::is_probe) {
            self.found(Weight::Deny, Reason::Probe, Some(at), "a probe: the guard is in the way".into());
        }
        let touches = |args: &[Arg]| {
            let named = self.watch.touches(name, args, ctx.cwd.as_deref()).map(|(why, _)| why);
            named.or_else(|| self.leads(name, args, ctx))
        };
        let mut why = touches(args);
        if why.is_none() && args.iter().any(Arg::is_dynamic) {
            let (body, env) = (ctx.body.is_some(), &self.inv.env);
            let mut one = |words: &[Arg]| {
                if why.is_none() {
                    why = touches(words);
                }
            };
            match Watch::word_by_word(name) {
                // What stands beside them was looked at.
                true => self.given.each_word(false, body, env, args, &mut |_, words| one(words)),
                false => self.given.each_reading(false, body, env, args, &mut one),
            };
        }
        if let Some(why) = why {
            self.found(Weight::Ask, Reason::SelfProtection, Some(at), why);
        }
    }

    /// What holds for a command as it stands, or with what the text makes of its variables; `plain` = words that could be
    /// no more than names included.
    pub(super) fn as_read<T>(
        &self,
        plain: bool,
        args: &[Arg],
        ctx: &Context,
        holds: &dyn Fn(&[Arg]) -> Option<T>,
    ) -> Option<T> {
        let mut out = holds(args);
        if out.is_none() && args.iter().any(Arg::is_dynamic) {
            let mut one = |args: &[Arg]| {
                if out.is_none() {
                    out = holds(args);
                }
            };
            self.given.each_reading(plain, ctx.body.is_some(), &self.inv.env, args, &mut one);
        }
        out
    }

    /// Where it may stand: mostly in one place.
    pub(super) fn scenes<'s>(&'s self, ctx: &'s Context) -> impl Iterator<Item = unpack::Scene<'s>> {
        let (sure, others) = match (&ctx.cwd, &ctx.places) {
            (None, Some(places)) => (None, places.as_slice()),
            (cwd, _) => (Some(cwd.as_deref()), [].as_slice()),
        };
        sure.into_iter().chain(others.iter().map(|p| Some(&**p))).map(|cwd| self.scene(cwd))
    }

    /// One place; `None` where nobody knows it.
    pub(super) fn scene<'s>(&'s self, cwd: Option<&'s [u8]>) -> unpack::Scene<'s> {
        let begun = self.inv.cwd.as_deref();
        unpack::Scene {
            cwd,
            begun,
            home: self.inv.home.as_deref(),
            guard: &self.inv.guard,
            world: self.world,
            looked: &self.looked,
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
    pub(super) fn lists(
        &mut self,
        at: usize,
        typed: Option<&[u8]>,
        exe: Option<&Executable>,
        known: Option<&Known>,
        args: &[Arg],
        ctx: &Context,
    ) {
        if self.policy.denylist.is_empty() && self.policy.asklist.is_empty() {
            return;
        }
        let s = Subject {
            case_sensitive: self.policy.refusals_case_sensitive,
            ..self.subject(typed, exe, args, ctx)
        };
        let named: Rc<Refusals> = match known {
            Some(known) => self.refusals(known, &s),
            None => self.refusals(&self.known_other(typed), &s),
        };
        let hit = |list: &[Entry], named: &[usize]| {
            let mut named = named.iter().filter_map(|i| list.get(*i));
            named.find(|e| entry::speaks(e, &s, self.world)).map(|e| (e.pattern.clone(), e.from.clone()))
        };
        let [denied, asked] = &*named;
        let denied = hit(&self.policy.denylist, denied);
        let asked = hit(&self.policy.asklist, asked);
        if let Some((pattern, from)) = denied {
            let why = format!("the denylist names it: `{pattern}` ({from})");
            self.found(Weight::Deny, Reason::Denylisted, Some(at), why);
        }
        if let Some((pattern, from)) = asked {
            let why = format!("an entry of the asklist covers it: `{pattern}` ({from})");
            self.found(Weight::Ask, Reason::Asklisted, Some(at), why);
        }
    }

    /// Rule 4: what the allowlists say. Every layer that has the key must have a matching entry.
    pub(super) fn listed(
        &self,
        typed: Option<&[u8]>,
        exe: Option<&Executable>,
        known: &Known,
        args: &[Arg],
        ctx: &Context,
    ) -> Listed {
        let Some(exe) = exe.filter(|_| !self.policy.allow.is_empty()) else { return Listed::no() };
        let mut out =
            Listed { best: Match::Full, carries: true, hazards: true, by_args: true, ..Listed::no() };
        let s = self.subject(typed, Some(exe), args, ctx);
        let covering = self.covering(known, exe, &s);
        for (list, entries) in covering.iter().enumerate() {
            let (mut best, mut carries, mut hazards, mut by_args) = (Match::No, false, false, false);
            for (at, e) in entries.iter().map(Covered::entry).enumerate() {
                let m = entry::grants(e, &s, self.world);
                if m > Match::No && m < Match::Full {
                    out.nearest = Some(e.pattern.clone());
                }
                if m == Match::Full {
                    carries |= e.carries_anything;
                    hazards |= e.hazards_allow;
                    by_args |= e.args.is_some() || e.arg_pattern.is_some();
                    out.entry.get_or_insert_with(|| (Rc::clone(&covering), list, at));
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
        name: &[u8],
        known: &Known,
        args: &[Arg],
        listed: &Listed,
        may_be_safe_bin: bool,
        ctx: &Context,
        out: &mut Outcome,
    ) {
        let Some(exe) = known.found.exe() else { return };
        let typed = last_component(name);
        if listed.best == Match::Full {
            self.satisfy(at, SatisfiedBy::Allowlist, listed.entry());
            self.hazards(at, name, known, args, listed, ctx);
            return;
        }
        if skills::covers(self.policy, name, exe, self.world) {
            self.satisfy(at, SatisfiedBy::Skill, None);
            self.hazards(at, name, known, args, listed, ctx);
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

    /// The option with which grep does what the program does: for `egrep` and `fgrep`, where nothing speaks for these
    /// names themselves.
    fn grep_option(&self, exe: Option<&Executable>, listed: &Listed) -> Option<&'static str> {
        let exe = exe.filter(|_| listed.best != Match::Full)?;
        let named = |b: &String| b.as_bytes() == exe.name();
        if self.policy.safe_bins.iter().any(named) {
            return None;
        }
        let dirs = &self.policy.safe_bin_trusted_dirs;
        safe_bins::grep_by_another_name(&exe.found, &exe.real, dirs, self.world)
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
    fn hazards(
        &mut self,
        at: usize,
        name: &[u8],
        known: &Known,
        args: &[Arg],
        listed: &Listed,
        ctx: &Context,
    ) {
        if listed.best == Match::Full && listed.hazards {
            return;
        }
        let writer = known.writer(name).filter(|writer| !writer.is_idle(args));
        let writes = writer.is_some() || known.is_written_by(name);
        let starts_up = || {
            self.as_read(false, args, ctx, &|args| {
                protect::starts_up(last_component(name), args).or_else(|| {
                    let writer = writer?;
                    self.scenes(ctx).find_map(|s| unpack::controls(writer, args, &s))
                })
            })
            .or_else(|| self.controls(writer?, args, ctx))
        };
        let starts_up = match writes {
            true => starts_up(),
            false => self.as_read(false, args, ctx, &|args| self.puts_out(name, args, ctx)),
        };
        if let Some(why) = starts_up.filter(|_| self.hazard_asks(Category::WritesFile)) {
            self.found(Weight::Miss, Reason::Hazard, Some(at), format!("{why} [writes-file]"));
        }
        let program = known.hazardous(name);
        let mut hits = program.hits(args);
        let given = Rc::clone(&self.given);
        let mut brought = Brought::by(&given, ctx.body.is_some(), &self.inv.env, program, args, &hits);
        hits.append(&mut brought.hits);
        for hit in hits {
            let word = hit.at.and_then(|i| args.get(i));
            let may_be = !hit.dynamic || self.policy.dynamic_option_ask || brought.may_be_option(word);
            if !self.hazard_asks(hit.category) || !may_be {
                continue;
            }
            let reason = match (hit.dynamic, hit.category) {
                (true, _) => Reason::DynamicOption,
                (false, Category::InlineCode) => Reason::InlineCode,
                (false, _) => Reason::Hazard,
            };
            let word = word.map(|a| format!(" `{}`", visible(a.shown())));
            let why =
                format!("{}{}: {} [{}]", hit.program, word.unwrap_or_default(), hit.why, hit.category.word());
            self.found(Weight::Miss, reason, Some(at), why);
        }
    }

    pub(super) fn hazard_asks(&self, category: Category) -> bool {
        match category {
            Category::InlineCode => self.policy.strict_inline_eval,
            other => !self.policy.hazards.iter().any(|(c, a)| *c == other && *a == AskOrAllow::Allow),
        }
    }
}
