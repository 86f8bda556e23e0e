//! Builtins of the shell that will run the text, and what assignments come to.
use super::known::Found;
use super::{Context, Judge, Outcome, Place, Weight, visible};
use crate::arg::Arg;
use crate::evaluation::{SatisfiedBy, SegmentKind};
use crate::reason::Reason;
use crate::resolve::{join, normalise};
use crate::rules::builtins::{BuiltinVerdict, Effect, judge_builtin};
use crate::rules::entry::Match;
use crate::rules::environ::{self, EnvClass};
use crate::shell::Dialect;
use crate::tables::builtins::INTEGER_VARIABLES;
use crate::tables::words::{WordList, words};

/// Builtins for which an entry of the program of the same name speaks.
const BUILTIN_LIKE_PROGRAM: WordList = words!["echo", "printf", "pwd", "test", "[", "true", "false", "kill"];

/// Bytes from which on the kernel takes no path (path_resolution(7)): where a shell is after that many `cd` is not
/// followed.
const PATH_MAX: usize = 4096;

impl Judge<'_> {
    /// True if the name is a builtin of the shell: then it is judged as one.
    pub(super) fn builtin(
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
            if BUILTIN_LIKE_PROGRAM.has(name)
                && let known = self.known(name, ctx)
                && let Found::Program(exe) = &known.found
            {
                let listed = self.listed(Some(name), Some(exe), &known, args, ctx);
                // The shell's own `printf -v` and `test -v` run code that the program of that name does not.
                let code = match name {
                    b"test" | b"[" => true,
                    b"printf" => dialect == Dialect::Zsh || printf_sets(args),
                    _ => args.iter().any(|a| a.shown().contains(&b'[')),
                };
                if listed.best == Match::Full && !code {
                    self.satisfy(at, SatisfiedBy::Allowlist, listed.entry());
                    return true;
                }
            }
            if matches!(name, b"." | b"source") {
                self.reads(at, args, ctx);
            }
            let why = format!("{}: {why}", visible(name));
            self.found(Weight::Miss, Reason::Builtin, Some(at), why);
        }
        true
    }

    fn effect(&mut self, at: usize, effect: Effect, ctx: &Context, out: &mut Outcome) {
        let effect = match effect {
            Effect::Chdir(to) => Effect::Chdir(self.below_home(&to).map_or(to, Arg::Literal)),
            other => other,
        };
        if let Effect::Chdir(to) = &effect
            && (to.is_dynamic() || ctx.cwd.is_none() || self.roams)
            // As it is written: the effect keeps no words that may split.
            && let Some(to) = self.segments.get(at).and_then(|s| s.argv.last().cloned())
            && let Some(why) = self.comes(&to, ctx)
        {
            self.found(Weight::Ask, Reason::SelfProtection, Some(at), why);
        }
        match effect {
            Effect::Chdir(Arg::Literal(to)) if to != b"-" && !to.is_empty() => {
                let place = ctx
                    .logical
                    .as_deref()
                    .map(|base| self.place(base, &to))
                    .or_else(|| (to.first() == Some(&b'/')).then(|| self.place(b"/", &to)))
                    .filter(|place| place.logical.len() < PATH_MAX && !folds(&to));
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
            Effect::Assign(pairs) => {
                // `read a _`: nobody obeys `_`, and the shells that set it do so before every command.
                for (name, value) in pairs.into_iter().filter(|(name, _)| name != b"_") {
                    self.assignment(Some(at), None, &name, value.as_ref(), false, ctx.dialect);
                }
            }
            Effect::None | Effect::Umask | Effect::Exit | Effect::Set => {}
        }
    }

    /// The folder that `~` or `~/x` names, where the text leaves HOME alone: it is written out, so it is that one.
    fn below_home(&self, to: &Arg) -> Option<Vec<u8>> {
        let (Arg::Dynamic { source, .. }, Some(home)) = (to, &self.inv.home) else { return None };
        let rest = source.strip_prefix(b"~").filter(|rest| matches!(rest.first(), None | Some(b'/')))?;
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-".contains(b);
        let same = self.inv.env.iter().any(|e| e.strip_prefix(b"HOME=") == Some(home));
        (same && rest.iter().all(plain) && !self.given.sets(b"HOME")).then(|| [home, rest].concat())
    }

    fn last_word(&self, at: usize) -> Option<usize> {
        self.segments.get(at).map(|s| s.argv.len().saturating_sub(1)).filter(|i| *i > 0)
    }

    pub(super) fn place(&self, base: &[u8], to: &[u8]) -> Place {
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
        let integer = dialect.is_some() && !digits && INTEGER_VARIABLES.has(name);
        let special = integer || dialect.is_some_and(|d| environ::special(name, d));
        let inherited = super::variable(&self.inv.env, name).is_some() || self.exported.contains(name);
        if exported && !inherited {
            self.exported.insert(name.to_vec());
        }
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
}

/// True if a path has `..` behind a name: the shell does not go there unless what is so taken back is a folder.
fn folds(path: &[u8]) -> bool {
    let mut named = false;
    path.split(|b| *b == b'/').any(|part| {
        named |= !matches!(part, b"" | b"." | b"..");
        named && part == b".."
    })
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
