//! Words that lead to the guard's own files by a link that lies there already: `rustc -o link/x`, `< link/x`.
//!
//! What the text itself makes of links is looked at where programs write ([`super::writes`]). This is for every other
//! program that is not known to read only, since no table has all those that write what a word names.
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::{Context, Judge};
use crate::arg::Arg;
use crate::resolve::{join, last_component, parent};
use crate::rules::{protect, unpack};

/// From so many bytes on the kernel takes no path (limits.h).
const PATH_MAX: usize = 4096;
/// Patterns of one evaluation that are looked at; with more of them a program is asked about.
const PATTERNS: usize = 64;
/// Pieces of one word that are looked at.
const PIECES: usize = 8;
/// Folders of a system, in which a user has no links.
const SYSTEM: &[&[u8]] = &[b"/usr/", b"/bin/", b"/sbin/", b"/lib", b"/etc/", b"/dev/", b"/proc/", b"/sys/"];

/// True of a path that leads through what is another thing for every process: its root, its folder, its descriptors.
fn is_by_process(path: &[u8]) -> bool {
    let parts: Vec<&[u8]> = path.split(|b| *b == b'/').filter(|p| !matches!(*p, b"" | b".")).collect();
    let leads = |p: &[u8]| matches!(p, b"root" | b"cwd" | b"fd" | b"task" | b"map_files");
    let fd = path.first() == Some(&b'/') && parts.starts_with(&[b"dev", b"fd"]) && parts.len() > 3;
    fd || (crate::resolve::of_process(path) && parts.iter().any(|p| leads(p)))
}

/// What such a word is told.
const BEHIND: &str = "what stands behind something unknown may be the name of one of the guard's own files";
const OF_PROCESS: &str = "a word leads through what is another thing for every process";

/// What was looked at in one evaluation.
#[derive(Default)]
pub(super) struct Leads {
    own: Option<Vec<Vec<u8>>>,
    /// By a hash of the path, which nobody outside can foresee.
    seen: HashMap<u64, bool>,
    hasher: RandomState,
    path: Vec<u8>,
    patterns: usize,
}

impl Judge<'_> {
    /// Why a program with these words may touch the guard's own files by a link, by a pattern, or where it may stand.
    pub(super) fn leads(&self, name: &[u8], args: &[Arg], ctx: &Context) -> Option<String> {
        if protect::only_reads(name) {
            return None;
        }
        let own = |folder: &Vec<u8>| self.inv.guard.own_paths.iter().any(|own| folder.starts_with(own));
        if ctx.cwd.is_none() && self.near.iter().any(own) {
            return Some("it may stand in the guard's own folder, and may write there".into());
        }
        args.iter().find_map(|arg| match arg {
            Arg::Literal(word) => {
                let put = word.strip_prefix(self.mark.as_slice()).filter(|_| !self.mark.is_empty());
                let put = put.is_some_and(|tail| self.tail_may_be_own(tail, ctx));
                self.leads_there(word, ctx).or_else(|| put.then(|| BEHIND.to_owned()))
            }
            Arg::Dynamic { source, .. } => self.may_become_own(source, arg, ctx),
        })
    }

    /// True if what stands behind something unknown may end in one of the guard's own: by its name, or by a link from the
    /// working folder or the home.
    fn tail_may_be_own(&self, tail: &[u8], ctx: &Context) -> bool {
        let own: Vec<&[u8]> = self.inv.guard.own_paths.iter().map(|p| last_component(p)).collect();
        let hidden = |part: &&[u8]| part.first().is_some_and(|b| b".[?{".contains(b));
        let named = |part: &[u8]| own.iter().any(|own| own.starts_with(b".") && unpack::may_be(part, own));
        if tail.split(|b| *b == b'/').filter(hidden).any(named) {
            return true;
        }
        let Some(tail) = tail.strip_prefix(b"/").filter(|tail| !tail.is_empty()) else { return false };
        let bases = [ctx.cwd.as_deref().or(self.inv.cwd.as_deref()), self.inv.home.as_deref()];
        bases.into_iter().flatten().any(|base| {
            let word = join(base, tail);
            match tail.iter().any(|b| b"*?[{$`".contains(b)) {
                true => {
                    let arg = Arg::Dynamic { source: word, prefix: Vec::new(), single: false };
                    self.scenes(ctx).any(|scene| unpack::names_own(&arg, &scene))
                }
                false => self.leads_there(&word, ctx).is_some(),
            }
        })
    }

    /// The same of a pattern that the shell fills in.
    fn may_become_own(&self, source: &[u8], arg: &Arg, ctx: &Context) -> Option<String> {
        let plain: Vec<u8> = source.iter().copied().filter(|b| !b"'\"\\".contains(b)).collect();
        if crate::resolve::of_process(&plain) && plain.len() > b"/proc/self/root".len() {
            return Some(OF_PROCESS.to_owned());
        }
        if !self.mark.is_empty()
            && let Some(tail) = plain.strip_prefix(self.mark.as_slice())
            && self.tail_may_be_own(tail, ctx)
        {
            return Some(BEHIND.to_owned());
        }
        if plain.iter().any(|b| b"$`".contains(b)) {
            let tail = unpack::behind_unknown(&plain)?;
            return self.tail_may_be_own(tail, ctx).then(|| BEHIND.to_owned());
        }
        if !plain.iter().any(|b| b"*?[{".contains(b)) {
            return None;
        }
        let mut leads = self.leads.borrow_mut();
        leads.patterns += 1;
        let too_many = leads.patterns > PATTERNS;
        (too_many || self.scenes(ctx).any(|scene| unpack::names_own(arg, &scene)))
            .then(|| "a pattern may become the name of one of the guard's own files".into())
    }

    /// Why a file that a program's options name as its output is one that another program runs or takes orders from.
    pub(super) fn puts_out(&self, name: &[u8], args: &[Arg], ctx: &Context) -> Option<&'static str> {
        if protect::only_reads(name) {
            return None;
        }
        let orders = |arg: &Arg| arg.literal().is_some_and(protect::is_git_order);
        if args.iter().any(orders) {
            return Some("it names a file that git runs or takes orders from");
        }
        let tee = unpack::writer(&[b"tee"])?;
        let out = |word: &[u8]| {
            matches!(word, b"-o" | b"-O") || word.starts_with(b"--out") || word.starts_with(b"-out")
        };
        args.iter().enumerate().find_map(|(at, arg)| {
            let word = arg.literal().filter(|w| out(w) || w.starts_with(b"-o") || w.starts_with(b"-O"))?;
            let attached = match word.iter().position(|b| *b == b'=') {
                Some(eq) => word.get(eq + 1..),
                None if out(word) => None,
                None => word.get(2..),
            };
            let value = attached.map(Arg::lit).or_else(|| args.get(at + 1).cloned())?;
            self.scenes(ctx).find_map(|scene| unpack::controls(tee, std::slice::from_ref(&value), &scene))
        })
    }

    /// Why one word (an argument, the target of a redirection) leads there.
    pub(super) fn leads_there(&self, word: &[u8], ctx: &Context) -> Option<String> {
        let option = word.first() == Some(&b'-');
        let whole = Some(word).filter(|_| !option);
        let short = word.get(2..).filter(|rest| option && rest.contains(&b'/'));
        let marks = word.iter().enumerate().filter(|(_, b)| b"=@:, \t\n".contains(b)).take(PIECES);
        let values = marks.filter_map(|(at, _)| word.get(at + 1..));
        let mut pieces = whole.into_iter().chain(short).chain(values);
        if word.contains(&b'/') && pieces.clone().any(is_by_process) {
            return Some(OF_PROCESS.to_owned());
        }
        pieces
            .any(|piece| self.is_led(piece, ctx))
            .then(|| "a link leads from a word to the guard's own files".into())
    }

    fn is_led(&self, piece: &[u8], ctx: &Context) -> bool {
        if piece.is_empty() || piece.len() >= PATH_MAX || piece.windows(3).any(|w| w == b"://") {
            return false;
        }
        if SYSTEM.iter().any(|folder| piece.starts_with(folder)) {
            return false;
        }
        let cwd = ctx.cwd.as_deref().or(self.inv.cwd.as_deref());
        let mut leads = self.leads.borrow_mut();
        let leads = &mut *leads;
        // One piece of memory for all of them: nearly every word comes by here.
        let path = &mut leads.path;
        path.clear();
        match (piece.first(), cwd) {
            (Some(b'/'), _) => {}
            (_, Some(cwd)) => {
                path.extend_from_slice(cwd);
                path.push(b'/');
            }
            (_, None) => return false,
        }
        path.extend_from_slice(piece);
        let path = path.as_slice();
        let key = leads.hasher.hash_one(path);
        if let Some(known) = leads.seen.get(&key) {
            return *known;
        }
        let own = leads.own.get_or_insert_with(|| {
            let own = self.inv.guard.own_paths.iter();
            own.flat_map(|path| std::iter::once(path.clone()).chain(self.world.real(path))).collect()
        });
        let below = |path: &[u8]| {
            own.iter().any(|own| {
                path.strip_prefix(own.as_slice())
                    .is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
            })
        };
        // A word without a slash leads elsewhere if it is a link itself.
        let led = match piece.contains(&b'/') {
            false if !self.world.link(path) => false,
            _ => match self.world.real(path) {
                Some(real) => below(&real),
                None => {
                    let target = self.world.target(path).map(|t| join(parent(path), &t));
                    let there = target.as_deref().unwrap_or(path);
                    self.world
                        .real(parent(there))
                        .is_some_and(|real| below(&join(&real, last_component(there))))
                }
            },
        };
        leads.seen.insert(key, led);
        led
    }
}
