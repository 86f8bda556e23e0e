//! Redirections: the ban, and the little that `harmless` and `scoped` let pass.
//!
//! At `ban` the construct itself asks; this room speaks at the other two.
use super::{Context, Judge, Weight, visible};
use crate::arg::Arg;
use crate::document::Redirections;
use crate::glob::PathGlob;
use crate::reason::Reason;
use crate::resolve::{join, last_component, parent};
use crate::rules::unpack;
use crate::shell::{Redirect, RedirectOp};
use crate::tables::hazards::Category;

impl Judge<'_> {
    /// Judges one redirection of a command.
    pub(super) fn redirect(&mut self, r: &Redirect, source: &[u8], at: Option<usize>, ctx: &Context) {
        let target = r.target.to_arg(source);
        let writes = r.op.writes();
        let opens = writes || r.op == RedirectOp::Read;
        let led = || target.literal().filter(|t| *t != b"/dev/null").and_then(|t| self.leads_there(t, ctx));
        if opens && let Some(why) = self.watch.word(&target, ctx.cwd.as_deref(), writes).or_else(led) {
            self.at(Weight::Ask, Reason::SelfProtection, at, r, format!("a redirection: {why}"));
        }
        let policy = self.policy.redirections;
        if policy == Redirections::Ban {
            return;
        }
        if writes && let Some(why) = self.starts_up(&target, ctx) {
            let why = format!("a redirection: {why} [writes-file]");
            self.at(Weight::Miss, Reason::Hazard, at, r, why);
        }
        if self.makes_output_of_input(r, &target) {
            let shown = visible(source.get(r.span.start..r.span.end).unwrap_or_default());
            let why = format!(
                "`{shown}` puts a file that is read where programs write: /dev/stdout would be that file"
            );
            self.at(Weight::Ask, Reason::Redirection, at, r, why);
        }
        let harmless = match r.op {
            RedirectOp::DupIn | RedirectOp::DupOut => match target.literal() {
                Some(b"-") => true,
                Some(t) => !t.is_empty() && t.len() <= 2 && t.iter().all(u8::is_ascii_digit),
                None => false,
            },
            // A here-document or here-string is data on stdin; a shell or interpreter that reads it is refused by
            // the wrapper rules, and bodies that are expanded by the construct table.
            RedirectOp::HereDoc => true,
            RedirectOp::HereString => !target.is_dynamic(),
            RedirectOp::ReadWrite => false,
            _ => target.literal() == Some(b"/dev/null"),
        };
        let fine = match policy {
            Redirections::Ban | Redirections::Harmless => harmless,
            Redirections::Scoped => harmless || self.in_scope(&target, writes, r.op, ctx),
        };
        if !fine {
            let shown = visible(source.get(r.span.start..r.span.end).unwrap_or_default());
            let why = if opens && policy == Redirections::Scoped {
                format!("`{shown}` opens a file outside shell.readable and shell.writable")
            } else {
                format!("redirection `{shown}`")
            };
            self.at(Weight::Miss, Reason::Redirection, at, r, why);
        }
    }

    /// Why what the shell writes there is run or obeyed by another program later: as for a program that writes what it names.
    fn starts_up(&self, target: &Arg, ctx: &Context) -> Option<&'static str> {
        if !self.hazard_asks(Category::WritesFile) || target.literal() == Some(b"/dev/null") {
            return None;
        }
        let tee = unpack::writer(&[b"tee"])?;
        let words = std::slice::from_ref(target);
        let here = self.scenes(ctx).find_map(|s| unpack::controls(tee, words, &s));
        here.or_else(|| self.controls(tee, words, ctx))
    }

    /// True if standard output or standard error becomes what was opened to be read, with this redirection and those
    /// before it: a program that opens `/dev/stdout` or `/dev/stderr` writes that file then (proc_pid_fd(5)).
    fn makes_output_of_input(&mut self, r: &Redirect, target: &Arg) -> bool {
        use RedirectOp::{DupIn, DupOut, HereDoc, HereString, Read, ReadWrite};
        let from = match r.op {
            Read | ReadWrite => None,
            DupIn | DupOut => match target.literal() {
                Some(b"0") => None,
                Some(b"1" | b"2" | b"-") => return false,
                other => Some(other),
            },
            _ => return false,
        };
        let to = r.fd.unwrap_or(match r.op {
            Read | ReadWrite | DupIn | HereDoc | HereString => 0,
            _ => 1,
        });
        match (to, from) {
            (0, _) => false,
            (1 | 2, None) => true,
            (1 | 2, Some(_)) => {
                self.outputs_of_others = true;
                self.inputs_elsewhere
            }
            (_, None) => {
                self.inputs_elsewhere = true;
                self.outputs_of_others
            }
            // Between two others it may be one as well.
            (_, Some(_)) => self.inputs_elsewhere && self.outputs_of_others,
        }
    }

    fn at(&mut self, weight: Weight, reason: Reason, at: Option<usize>, r: &Redirect, why: String) {
        self.found(weight, reason, at, why);
        if let Some(raw) = self.raw.last_mut() {
            raw.span = Some(r.span);
        }
    }

    /// A literal target whose real folder lies inside the scope. What a race between this look and the shell's
    /// open can do is written in the threat model.
    fn in_scope(&self, target: &Arg, writes: bool, op: RedirectOp, ctx: &Context) -> bool {
        let Some(path) = target.literal() else { return false };
        if path.is_empty() || matches!(op, RedirectOp::ReadWrite) {
            return false;
        }
        let full = match (path.first(), ctx.cwd.as_deref()) {
            (Some(b'/'), _) => path.to_vec(),
            (_, Some(cwd)) => join(cwd, path),
            (_, None) => return false,
        };
        let last = last_component(&full);
        if matches!(last, b"" | b"." | b"..") || full.split(|b| *b == b'/').any(|c| c == b"..") {
            return false;
        }
        // A file that is there already is judged where it really lies: a link out of the scope is out of it.
        let real = match self.world.real(&full) {
            Some(real) => real,
            // A link to what is not there yet: the shell would make it there.
            None if self.world.link(&full) => return false,
            None => match self.world.real(parent(&full)) {
                Some(dir) => join(&dir, last),
                None => return false,
            },
        };
        let globs = if writes { &self.policy.shell_writable } else { &self.policy.shell_readable };
        globs.iter().any(|g| {
            PathGlob::new(g, self.inv.home.as_deref(), self.policy.case_sensitive)
                .is_ok_and(|glob| glob.matches(&real))
        })
    }
}
