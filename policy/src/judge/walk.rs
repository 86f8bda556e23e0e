//! The walk over a script's tree: every simple command is judged where it stands, with the folder it would run
//! in as far as that is known.
//!
//! A literal `cd` moves the tracked folder along `&&` only. After `;`, a newline or `||`, in a pipeline, a branch
//! or a loop it is unknown: then relative programs, `cwd` rules and scoped files miss.
use crate::tables::words::{WordList, words};
use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::{Context, Judge, Meta, Outcome, Weight, home_of, visible};
use crate::arg::Arg;
use crate::document::{Accept, Redirections};
use crate::reason::Reason;
use crate::resolve::{Executable, join, normalise, parent};
use crate::shell::construct::Treatment;
use crate::shell::is_export;
use crate::shell::{
    AndOr, AndOrOp, Command, CommandKind, Construct, Dialect, ListEnd, Node, Parsed, Part, Pipeline,
    Replacement, Script, Simple, Word, parse, render_as,
};
use crate::tables::writers::writes;

/// A text that was walked: its tree, and what stands in place of what in the form that is executed.
pub(crate) struct Text {
    pub parsed: Parsed,
    dialect: Dialect,
    /// By the commands' ids.
    replacements: Vec<Option<Replacement>>,
    pub recheck: Vec<Arc<Executable>>,
    /// The outcome of the simple command judged last, and its id.
    last: Option<(usize, Outcome)>,
}

impl Text {
    /// The text the real shell is given.
    pub fn render(&self, source: &[u8]) -> Result<Vec<u8>, Construct> {
        let replace = |id: usize| self.replacements.get(id)?.as_ref().map(Cow::Borrowed);
        render_as(&self.parsed.script, source, self.dialect, &replace)
    }

    /// The only command of the text, if it is one plain simple command with literal words and nothing else.
    pub fn single(&self) -> Option<(&Simple, &Outcome)> {
        let [list] = self.parsed.script.lists.as_slice() else { return None };
        if !list.rest.is_empty() || list.end == ListEnd::Background {
            return None;
        }
        let p = &list.first;
        let [Command { kind: CommandKind::Simple(simple), redirects, .. }] = p.commands.as_slice() else {
            return None;
        };
        if p.negations > 0 || p.time.is_some() || !redirects.is_empty() || !simple.assignments.is_empty() {
            return None;
        }
        // What stands in its words was judged before it.
        self.last.as_ref().filter(|(id, _)| *id == simple.id).map(|(_, outcome)| (simple, outcome))
    }
}

struct Walk<'s> {
    source: &'s [u8],
    dialect: Dialect,
    out: Text,
    /// By the commands' ids.
    segment_of: Vec<Option<usize>>,
    outermost: bool,
    /// One of [`READERS`] stands in the text.
    readers: bool,
}

/// True if one of [`READERS`] stands in a text.
fn is_read(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        // All have one of two vowels next.
        if matches!(byte, b'x' | b'p' | b'r' | b'm') && matches!(text.get(at + 1), Some(b'a' | b'e')) {
            let rest = text.get(at..).unwrap_or_default();
            if READERS.iter().any(|name| rest.starts_with(name)) {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// What is printed by a text longer than this into a pipe is not looked at: it may be anything.
const LONG: usize = 4096;

/// Parts of names of what makes words of its standard input: xargs, parallel, `read`, readarray, mapfile.
const READERS: WordList = words!["xargs", "parallel", "read", "mapfile"];

impl Judge<'_> {
    /// Parses and walks a text.
    pub fn text(&mut self, source: &[u8], dialect: Dialect, ctx: &Context) -> Text {
        let mut parsed = parse(source, dialect);
        let script = std::mem::take(&mut parsed.script);
        let first = self.segments.len();
        // Every text is another process's: it has no function but its own.
        let before = std::mem::take(&mut self.functions);
        if parsed.holds.functions {
            self.functions.define(&script, source);
        }
        Rc::make_mut(&mut self.given).called(&script, source, &self.functions);
        if parsed.holds.exports {
            exports(&script, &mut self.exported);
        }
        let mut roams = false;
        if parsed.holds.functions {
            every_command(&script, &mut |c| roams |= moves_here(c));
        }
        let roamed_before = std::mem::replace(&mut self.roams, roams);
        let moved_before = self.functions_move;
        self.functions_move |= parsed.holds.functions
            && any_command(&script, Subshells::Enter, &mut |c| {
                let moves = |body: &Command| visit(body, Subshells::Stay, &mut |c| moves_here(c));
                matches!(&c.kind, CommandKind::Function { body, .. } if moves(body))
            });
        let mut walk = Walk {
            source,
            dialect,
            out: Text { parsed, dialect, replacements: Vec::new(), recheck: Vec::new(), last: None },
            segment_of: Vec::new(),
            outermost: ctx.outermost,
            readers: is_read(source),
        };
        let mut top = ctx.clone();
        top.dialect = Some(dialect);
        top.builtins = true;
        top.functions = true;
        self.script_at(&script, &mut walk, &mut top, true);
        walk.out.parsed.script = script;
        self.constructs(&walk, ctx);
        self.written_then_run(first);
        self.functions = before;
        self.functions_move = moved_before;
        self.roams = roamed_before;
        walk.out
    }

    /// A program that an earlier command of the same text may have written is not what was judged.
    fn written_then_run(&mut self, first: usize) {
        let cwd = self.inv.cwd.clone().unwrap_or_default();
        // By path: a text may write and run thousands of files.
        let mut written: HashSet<Vec<u8>> = HashSet::new();
        let path = super::variable(&self.inv.env, b"PATH").unwrap_or_default();
        let mut hits: Vec<(usize, Vec<u8>)> = Vec::new();
        let mut file = Vec::new();
        for (i, s) in self.segments.iter().enumerate().skip(first) {
            if let Some(exe) = s.exe.as_ref().filter(|_| !written.is_empty()) {
                if [exe.found.as_slice(), &exe.real, parent(&exe.found)].iter().any(|p| written.contains(*p))
                {
                    hits.push((i, exe.found.clone()));
                }
                let typed = s.argv.first().and_then(Arg::literal).unwrap_or_default();
                // Another of that name in a folder of PATH.
                let bare = !typed.is_empty() && !typed.contains(&b'/');
                let mut others = path.split(|b| *b == b':').filter(|d| bare && !d.is_empty());
                let mut written_in = |dir: &[u8]| {
                    file.clear();
                    file.extend_from_slice(dir);
                    file.extend_from_slice(if dir.ends_with(b"/") { b"" } else { b"/" });
                    file.extend_from_slice(typed);
                    file != exe.found && written.contains(&file)
                };
                if others.any(&mut written_in) {
                    hits.push((i, exe.found.clone()));
                }
            }
            if s.argv.first().and_then(Arg::literal).is_some_and(|name| writes(name).is_some()) {
                let args = s.argv.iter().skip(1).filter_map(Arg::literal);
                // The last operand is where cp, mv, ln and install write; the others write what they name.
                let files = args.filter(|a| a.first() != Some(&b'-'));
                written.extend(files.map(|a| normalise(&join(&cwd, a))));
            }
        }
        for (at, path) in hits {
            let why = format!("an earlier command of the text may have written {}", visible(&path));
            self.found(Weight::Miss, Reason::EntryWritable, Some(at), why);
        }
    }

    /// Every construct that the level in force does not satisfy is a finding.
    fn constructs(&mut self, walk: &Walk<'_>, ctx: &Context) {
        for noted in &walk.out.parsed.noted {
            let treatment = match (noted.construct, self.policy.shell_accept) {
                // These have a key of their own.
                (Construct::Redirection | Construct::HereDocLiteral | Construct::HereString, _) => {
                    match self.policy.redirections {
                        Redirections::Ban => Treatment::Ask,
                        Redirections::Harmless | Redirections::Scoped => Treatment::Judge,
                    }
                }
                (c, Accept::Strict) => c.strict(),
                (c, Accept::Checked) => c.checked(),
            };
            if treatment == Treatment::Judge {
                continue;
            }
            let segment = noted.command.and_then(|id| *walk.segment_of.get(id)?).or(ctx.within);
            let shown = visible(walk.source.get(noted.span.start..noted.span.end).unwrap_or_default());
            let why = format!("{}: `{shown}`", noted.construct.name());
            let weight = if noted.construct.commands_are_named() { Weight::Miss } else { Weight::Unknowable };
            self.found(weight, noted.construct.reason(), segment, why);
            if let (Some(raw), true) = (self.raw.last_mut(), walk.outermost) {
                raw.span = Some(noted.span);
            }
        }
    }

    fn script_at(&mut self, script: &Script, walk: &mut Walk<'_>, ctx: &mut Context, last_in_text: bool) {
        let count = script.lists.len();
        for (i, list) in script.lists.iter().enumerate() {
            let operator = match (list.end, i + 1 == count && last_in_text) {
                (ListEnd::Background, _) => Some("&"),
                (ListEnd::Sequence, false) => Some(";"),
                _ => None,
            };
            self.list(list, walk, ctx, operator);
        }
    }

    fn list(&mut self, list: &AndOr, walk: &mut Walk<'_>, ctx: &mut Context, end: Option<&'static str>) {
        let op_after = |i: usize| match list.rest.get(i) {
            Some((AndOrOp::And, _)) => Some("&&"),
            Some((AndOrOp::Or, _)) => Some("||"),
            None => end,
        };
        let outside = std::mem::replace(&mut ctx.moved, false);
        let mut or_before = false;
        let before = self.functions.now();
        self.pipeline(&list.first, walk, ctx, op_after(0));
        let certain = if list.end == ListEnd::Background { before } else { self.functions.now() };
        for (i, (op, pipeline)) in list.rest.iter().enumerate() {
            or_before |= *op == AndOrOp::Or;
            if *op == AndOrOp::Or {
                self.functions.back_to(certain.clone());
            }
            if *op == AndOrOp::Or && ctx.moved {
                unsure(ctx);
            }
            self.pipeline(pipeline, walk, ctx, op_after(i + 1));
            if or_before && ctx.moved {
                // `a || cd x && b` runs b in either folder.
                unsure(ctx);
            }
        }
        self.functions.back_to(certain);
        if ctx.moved {
            unsure(ctx);
        }
        // `cd x && { y; } || z`: what stands in braces does not make the `cd` before it certain.
        ctx.moved |= outside;
    }

    fn pipeline(&mut self, p: &Pipeline, walk: &mut Walk<'_>, ctx: &mut Context, op: Option<&'static str>) {
        if let [command] = p.commands.as_slice() {
            self.command_at(command, walk, ctx, op);
            if p.negations % 2 == 1 && ctx.moved {
                unsure(ctx);
            }
            return;
        }
        let mut moved = false;
        for (i, command) in p.commands.iter().enumerate() {
            let mut own = ctx.clone();
            own.moved = false;
            let op = if i + 1 < p.commands.len() { Some("|") } else { op };
            let defined = self.functions.now();
            let fed = if walk.readers { self.fed_by(p, i, walk.source) } else { None };
            self.command_at(command, walk, &mut own, op);
            if let Some(before) = fed {
                Rc::make_mut(&mut self.given).feed(before);
            }
            self.functions.back_to(defined);
            moved |= own.moved;
        }
        if moved {
            // zsh runs the last command of a pipeline in the shell itself.
            ctx.moved = true;
            lose(ctx);
        }
    }

    /// Notes which commands a command of a pipeline reads from, if it or what it carries makes words of them. Returns
    /// what was noted before.
    fn fed_by(&mut self, p: &Pipeline, at: usize, source: &[u8]) -> Option<Option<Rc<[u8]>>> {
        let (first, last) = (p.commands.first()?, p.commands.get(at.checked_sub(1)?)?);
        let command = p.commands.get(at)?;
        let text = source.get(command.span.start..command.span.end)?;
        if !is_read(text) {
            return None;
        }
        let from = source.get(first.span.start..last.span.end)?;
        let mut fed = if from.len() > LONG { b"`".to_vec() } else { [b"$( ", from, b")"].concat() };
        super::given::pwd_in(&mut fed);
        let given = Rc::make_mut(&mut self.given);
        let before = given.feed(Some(fed.into()));
        if matches!(&command.kind, CommandKind::Simple(s) if s.words.first().is_some_and(|w| w.any_literal(reads)))
        {
            // zsh runs the last command of a pipeline in the shell itself: what is read stays.
            given.keep();
        }
        Some(before)
    }

    fn command_at(&mut self, c: &Command, walk: &mut Walk<'_>, ctx: &mut Context, op: Option<&'static str>) {
        let mut segment = ctx.within;
        // Redirections are opened before the command runs, be it `cd`; those of a function wherever it is called.
        let before = (!c.redirects.is_empty()).then(|| {
            let mut before = ctx.clone();
            if matches!(c.kind, CommandKind::Function { .. }) && self.roams {
                lose(&mut before);
            }
            before
        });
        match &c.kind {
            CommandKind::Simple(simple) => segment = self.simple(simple, c, walk, ctx, op).or(segment),
            CommandKind::Subshell(script) => {
                let mut own = ctx.clone();
                let defined = self.functions.now();
                self.script_at(script, walk, &mut own, false);
                self.functions.back_to(defined);
            }
            CommandKind::Group(script) => self.script_at(script, walk, ctx, false),
            CommandKind::If { arms, otherwise } => {
                let mut parts: Vec<&Script> = Vec::new();
                for (condition, body) in arms {
                    parts.extend([condition, body]);
                }
                parts.extend(otherwise);
                self.branch(&parts, walk, ctx);
            }
            CommandKind::Loop { condition, body, .. } => self.repeated(&[condition, body], walk, ctx),
            CommandKind::For { name, words, body } | CommandKind::Select { name, words, body } => {
                let at = walk.outermost.then_some(c.span);
                self.assignment(ctx.within, at, name, None, false, Some(walk.dialect));
                for w in words.iter().flatten() {
                    self.word(w, ctx.within, walk, ctx);
                }
                self.repeated(&[body], walk, ctx);
            }
            CommandKind::ArithFor { header, body } => {
                self.parts(header, ctx.within, walk, ctx);
                self.repeated(&[body], walk, ctx);
            }
            CommandKind::Case { word, arms } => {
                self.word(word, ctx.within, walk, ctx);
                for (patterns, ..) in arms {
                    for p in patterns {
                        self.word(p, ctx.within, walk, ctx);
                    }
                }
                let bodies: Vec<&Script> = arms.iter().map(|(_, body, _)| body).collect();
                self.branch(&bodies, walk, ctx);
            }
            CommandKind::Function { name, body } => {
                self.function(name, walk, ctx);
                let mut own = ctx.clone();
                // It may be called from anywhere that the text comes to.
                if self.roams {
                    lose(&mut own);
                }
                own.body = Some(name.as_slice().into());
                let defined = self.functions.now();
                let fed = Rc::make_mut(&mut self.given).feed(Some(b"`".as_slice().into()));
                self.command_at(body, walk, &mut own, None);
                Rc::make_mut(&mut self.given).feed(fed);
                self.functions.back_to(defined);
                self.functions.is_defined(name);
                if self.functions.may_fill_the_machine(name) {
                    let why = format!("{}: a function that calls itself", visible(name));
                    self.found(Weight::Miss, Reason::Function, ctx.within, why);
                }
            }
            CommandKind::Cond(words) => {
                for w in words {
                    self.word(w, ctx.within, walk, ctx);
                }
            }
            CommandKind::Arith(parts) => self.parts(parts, ctx.within, walk, ctx),
            CommandKind::Coproc(command) => {
                let mut own = ctx.clone();
                let defined = self.functions.now();
                self.command_at(command, walk, &mut own, None);
                self.functions.back_to(defined);
            }
        }
        for (r, before) in before.iter().flat_map(|before| c.redirects.iter().map(move |r| (r, before))) {
            self.redirect(r, walk.source, segment, before);
            self.word(&r.target, segment, walk, before);
            if let Some(body) = &r.body {
                self.parts(&body.parts, segment, walk, before);
            }
        }
    }

    /// True if something in it could move the shell to another folder, or calls what could.
    fn moves(&self, script: &Script) -> bool {
        any_command(script, Subshells::Stay, &mut |c| {
            let calls =
                |s: &Simple| s.words.first().and_then(Word::text).is_some_and(|n| self.functions.is_one(&n));
            moves_here(c) || (self.functions_move && matches!(&c.kind, CommandKind::Simple(s) if calls(s)))
        })
    }

    /// Parts of which any may run: a list that moves the folder leaves it unknown, for the parts behind it too.
    fn branch(&mut self, parts: &[&Script], walk: &mut Walk<'_>, ctx: &mut Context) {
        for p in parts {
            let defined = self.functions.now();
            self.script_at(p, walk, ctx, false);
            self.functions.back_to(defined);
        }
    }

    /// Parts that may run many times: a `cd` in one makes the folder unknown from the first time on.
    fn repeated(&mut self, parts: &[&Script], walk: &mut Walk<'_>, ctx: &mut Context) {
        if parts.iter().any(|p| self.moves(p)) {
            ctx.moved = true;
            lose(ctx);
        }
        self.branch(parts, walk, ctx);
    }

    /// A definition must not stand for something else than it seems to.
    fn function(&mut self, name: &[u8], walk: &Walk<'_>, ctx: &Context) {
        let shown = visible(name);
        let plain = !name.is_empty()
            && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'-')
            && !name.first().is_some_and(u8::is_ascii_digit);
        let builtin = crate::rules::builtins::is_builtin(name, walk.dialect);
        let program = matches!(
            crate::resolve::resolve(name, self.lookup(ctx), self.world),
            crate::resolve::Resolution::Found(_) | crate::resolve::Resolution::Shadowed(_)
        );
        let twice = self.functions.is_twice(name);
        let called = name.ends_with(b"_handle")
            || name.ends_with(b"_handler")
            || (walk.dialect == Dialect::Zsh && called_by_zsh(name));
        if !plain || builtin || program || twice || called {
            let why = format!("the function `{shown}` shadows something, or is called by the shell itself");
            self.found(Weight::Miss, Reason::Function, ctx.within, why);
        }
    }

    fn simple(
        &mut self,
        simple: &Simple,
        c: &Command,
        walk: &mut Walk<'_>,
        ctx: &mut Context,
        op: Option<&'static str>,
    ) -> Option<usize> {
        let span = c.span;
        if simple.words.is_empty() {
            for a in &simple.assignments {
                let value = a.value.to_arg(walk.source);
                let at = walk.outermost.then_some(a.span);
                self.assignment(ctx.within, at, &a.name, Some(&value), false, Some(walk.dialect));
                self.word(&a.value, ctx.within, walk, ctx);
            }
            return None;
        }
        let known = |w: &Word, mut a: Arg| {
            if let Arg::Dynamic { single, .. } = &mut a {
                *single |= w.is_single(&walk.out.parsed.numbers);
            }
            a
        };
        // Which word of the source each argument comes from, where braces make several of one.
        let mut origin: Option<Vec<usize>> = None;
        let args: Arc<[Arg]> = if simple.words.iter().any(Word::has_braces) {
            let (mut from, mut args) = (Vec::new(), Vec::new());
            for (i, w) in simple.words.iter().enumerate() {
                args.extend(w.to_args(walk.source).into_iter().map(|a| known(w, a)));
                from.resize(args.len(), i);
            }
            origin = Some(from);
            args.into()
        } else {
            simple.words.iter().map(|w| known(w, w.to_arg(walk.source))).collect()
        };
        let meta = Meta {
            text: walk.source.get(span.start..span.end).unwrap_or_default().to_vec(),
            span: walk.outermost.then_some(span),
            operator: op,
        };
        let outcome = self.command(&args, meta, ctx);
        let at = outcome.segment;
        put(&mut walk.segment_of, simple.id, at);
        // A separator for one `read` is gone behind it: it is no special builtin, so the shells restore IFS.
        let reads = outcome.builtin && args.first().and_then(Arg::literal) == Some(b"read");
        for a in &simple.assignments {
            let value = a.value.to_arg(walk.source);
            if reads && a.name == b"IFS" && !a.append && !a.array && !value.is_dynamic() {
                continue;
            }
            let span = walk.outermost.then_some(a.span);
            self.assignment(Some(at), span, &a.name, Some(&value), true, Some(walk.dialect));
        }
        // In literal words nothing is run.
        if !simple.assignments.is_empty() || origin.is_some() || args.iter().any(Arg::is_dynamic) {
            let mut inside = ctx.clone();
            inside.within = Some(at);
            for w in simple.assignments.iter().map(|a| &a.value).chain(&simple.words) {
                self.word(w, Some(at), walk, &inside);
            }
        }
        if let Some(place) = &outcome.chdir {
            ctx.moved = true;
            ctx.cwd = place.as_ref().and_then(|p| p.physical.as_deref()).map(Rc::from);
            ctx.logical = place.as_ref().map(|p| Rc::from(p.logical.as_slice()));
            match (&ctx.cwd, &mut ctx.places) {
                (Some(cwd), Some(places)) if places.contains(cwd) => {}
                // It may have failed, and then the shell is where it was.
                (Some(cwd), Some(places)) if places.len() < PLACES => {
                    Rc::make_mut(places).push(Rc::clone(cwd))
                }
                _ => ctx.places = None,
            }
        }
        self.replace(simple, &args, origin.as_deref(), &outcome, walk);
        walk.out.recheck.extend(outcome.recheck.iter().cloned());
        walk.out.recheck.extend(outcome.exe.iter().cloned());
        walk.out.last = Some((simple.id, outcome));
        Some(at)
    }

    /// What stands in place of this command's words in the rendering.
    fn replace(
        &self,
        simple: &Simple,
        args: &[Arg],
        origin: Option<&[usize]>,
        outcome: &Outcome,
        walk: &mut Walk<'_>,
    ) {
        let name = match &outcome.exe {
            Some(exe) => exe.found.clone(),
            None => args.first().map(|a| a.shown().to_vec()).unwrap_or_default(),
        };
        let mut replacement = Replacement {
            name: Vec::new(),
            bare_name: outcome.builtin,
            assign: outcome
                .safe_bin
                .iter()
                .filter_map(|b| home_of(b))
                .map(|h| ("HOME", h.to_vec()))
                .collect(),
            args: Vec::new(),
        };
        // What it carries was not judged: its words stay as they are.
        let rewrites = if outcome.verbatim { &[] } else { outcome.rewrites.as_slice() };
        let rewrite = |i: usize| rewrites.iter().find(|(at, _)| *at == i).map(|(_, with)| with);
        let Some(origin) = origin else {
            replacement.name.push(name);
            if !rewrites.is_empty() {
                let with = |i: usize| Some((i, rewrite(i)?.clone()));
                replacement.args.extend((1..args.len()).filter_map(with));
            }
            put(&mut walk.out.replacements, simple.id, replacement);
            return;
        };
        let mut from = 0;
        // Braces make several arguments of one word, `{nice,git} x` a name and an argument: all of them are
        // written, each as it was judged.
        for made in origin.chunk_by(|a, b| a == b) {
            let here = from..from + made.len();
            from = here.end;
            if here.start > 0 && !here.clone().any(|i| rewrite(i).is_some()) {
                continue;
            }
            let mut words = Vec::with_capacity(made.len());
            for i in here.clone() {
                match rewrite(i) {
                    _ if i == 0 => words.push(name.clone()),
                    Some(with) => words.extend(with.iter().cloned()),
                    None => words.extend(args.get(i).map(|a| a.shown().to_vec())),
                }
            }
            match made.first() {
                Some(0) => replacement.name = words,
                Some(word) => replacement.args.push((*word, words)),
                None => {}
            }
        }
        put(&mut walk.out.replacements, simple.id, replacement);
    }

    fn word(&mut self, w: &Word, segment: Option<usize>, walk: &mut Walk<'_>, ctx: &Context) {
        self.parts(&w.parts, segment, walk, ctx);
    }

    fn parts(&mut self, parts: &[Part], segment: Option<usize>, walk: &mut Walk<'_>, ctx: &Context) {
        for part in parts {
            match part {
                Part::Bare(_) | Part::Quoted(_) | Part::Glob(_) | Part::Tilde(_) => {}
                Part::Double(inner) => self.parts(inner, segment, walk, ctx),
                Part::Brace { inner, .. } => self.parts(inner, segment, walk, ctx),
                Part::Arith { expr, .. } => self.parts(expr, segment, walk, ctx),
                Part::Param { op, .. } => {
                    if let Some(op) = op {
                        self.parts(&op.word, segment, walk, ctx);
                    }
                }
                Part::Command { script, .. } | Part::Process { script, .. } => {
                    let mut own = ctx.clone();
                    own.within = segment;
                    own.moved = false;
                    let defined = self.functions.now();
                    self.script_at(script, walk, &mut own, false);
                    self.functions.back_to(defined);
                }
            }
        }
    }
}

/// Puts a value in its place of a list that grows as needed. The commands of a text are numbered from 0.
fn put<T>(list: &mut Vec<Option<T>>, at: usize, value: T) {
    if at >= list.len() {
        list.resize_with(at + 1, || None);
    }
    if let Some(slot) = list.get_mut(at) {
        *slot = Some(value);
    }
}

/// Most folders that are kept in mind where a text moves about.
const PLACES: usize = 64;

/// It stands in one of the folders it was moved to so far.
fn unsure(ctx: &mut Context) {
    ctx.cwd = None;
    ctx.logical = None;
}

/// It may stand anywhere.
fn lose(ctx: &mut Context) {
    unsure(ctx);
    ctx.places = None;
}

/// The names a text exports: for good by the builtin, and for one command by an assignment in front of it, which a
/// shell text of that command then has in its environment.
fn exports(script: &Script, into: &mut HashSet<Vec<u8>>) {
    script.walk(&mut |node| {
        let Node::Command(Command { kind: CommandKind::Simple(simple), .. }) = node else { return };
        if simple.words.is_empty() {
            return;
        }
        into.extend(simple.assignments.iter().map(|a| a.name.clone()));
        let exports = simple.words.iter().any(is_export);
        for part in simple.words.iter().map(|w| w.parts.first()).filter(|_| exports) {
            if let Some(Part::Bare(b) | Part::Quoted(b)) = part {
                into.insert(b.split(|c| *c == b'=').next().unwrap_or_default().to_vec());
            }
        }
    });
}

/// Words by which a shell leaves its folder, wherever they stand in a command: `command cd` and `builtin cd` do it too.
/// (What is evaluated or sourced may as well, and is never free.)
const MOVERS: WordList = words!["cd", "chdir", "pushd", "popd"];

/// Functions that zsh calls by itself: behind a `cd`, before a command, at the end, on a signal. Source: zshmisc(1),
/// "Special Functions".
fn called_by_zsh(name: &[u8]) -> bool {
    const HOOKS: WordList =
        words!["chpwd", "periodic", "precmd", "preexec", "zshaddhistory", "zshexit", "zsh_directory_name"];
    HOOKS.has(name) || name.starts_with(b"TRAP")
}

/// True if the command itself could move the shell to another folder.
fn moves_here(c: &Command) -> bool {
    let CommandKind::Simple(simple) = &c.kind else { return false };
    // `\cd`, `c''d` and `{cd,x}` are spellings of the same words.
    simple.words.iter().any(|w| w.any_literal(|l| MOVERS.has(l)))
}

/// Whether what runs in a copy of the shell, `( … )`, is looked at: a `cd` in it moves nobody else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subshells {
    Enter,
    Stay,
}

/// Visits every command that runs in the shell itself (not those in substitutions).
pub(super) fn any_command(script: &Script, into: Subshells, f: &mut dyn FnMut(&Command) -> bool) -> bool {
    script.lists.iter().any(|l| {
        std::iter::once(&l.first)
            .chain(l.rest.iter().map(|(_, p)| p))
            .any(|p| p.commands.iter().any(|c| visit(c, into, f)))
    })
}

fn visit(c: &Command, into: Subshells, f: &mut dyn FnMut(&Command) -> bool) -> bool {
    if f(c) {
        return true;
    }
    let mut any = |script: &Script| any_command(script, into, f);
    match &c.kind {
        CommandKind::Simple(_) | CommandKind::Cond(_) | CommandKind::Arith(_) => false,
        CommandKind::Subshell(s) => into == Subshells::Enter && any(s),
        CommandKind::Group(s) => any(s),
        CommandKind::If { arms, otherwise } => {
            arms.iter().any(|(a, b)| any(a) || any(b)) || otherwise.as_ref().is_some_and(any)
        }
        CommandKind::Loop { condition, body, .. } => any(condition) || any(body),
        CommandKind::For { body, .. }
        | CommandKind::Select { body, .. }
        | CommandKind::ArithFor { body, .. } => any(body),
        CommandKind::Case { arms, .. } => arms.iter().any(|(_, body, _)| any(body)),
        CommandKind::Function { body, .. } | CommandKind::Coproc(body) => visit(body, into, f),
    }
}

/// Visits every command, wherever it stands.
pub(super) fn every_command(script: &Script, f: &mut dyn FnMut(&Command)) {
    script.walk(&mut |node| {
        if let Node::Command(c) = node {
            f(c);
        }
    });
}

/// Builtins that put their standard input into variables.
fn reads(name: &[u8]) -> bool {
    matches!(name, b"read" | b"mapfile" | b"readarray")
}
