//! Words that lead to the guard's own files by a link that lies there already: `rustc -o link/x`, `< link/x`.
//!
//! What the text itself makes of links is looked at where programs write ([`super::writes`]). This is for every other
//! program that is not known to read only, since no table has all those that write what a word names.
use std::collections::HashMap;

use super::{Context, Judge};
use crate::arg::Arg;
use crate::resolve::{join, last_component, parent};
use crate::rules::protect;

/// From so many bytes on the kernel takes no path (limits.h).
const PATH_MAX: usize = 4096;
/// Pieces of one word that are looked at.
const PIECES: usize = 8;
/// Folders of a system, in which a user has no links.
const SYSTEM: &[&[u8]] = &[b"/usr/", b"/bin/", b"/sbin/", b"/lib", b"/etc/", b"/dev/", b"/proc/", b"/sys/"];

/// What was looked at in one evaluation.
#[derive(Default)]
pub(super) struct Leads {
    own: Option<Vec<Vec<u8>>>,
    seen: HashMap<Vec<u8>, bool>,
}

impl Judge<'_> {
    /// Why a program with these words may touch the guard's own files by a link.
    pub(super) fn leads(&self, name: &[u8], args: &[Arg], ctx: &Context) -> Option<String> {
        if args.is_empty() || protect::only_reads(name) {
            return None;
        }
        args.iter().filter_map(Arg::literal).find_map(|word| self.leads_there(word, ctx))
    }

    /// Why one word (an argument, the target of a redirection) leads there.
    pub(super) fn leads_there(&self, word: &[u8], ctx: &Context) -> Option<String> {
        let option = word.first() == Some(&b'-');
        let whole = Some(word).filter(|_| !option);
        let short = word.get(2..).filter(|rest| option && rest.contains(&b'/'));
        let marks = word.iter().enumerate().filter(|(_, b)| b"=@:,".contains(b)).take(PIECES);
        let values = marks.filter_map(|(at, _)| word.get(at + 1..));
        let mut pieces = whole.into_iter().chain(short).chain(values);
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
        let path = match (piece.first(), ctx.cwd.as_deref().or(self.inv.cwd.as_deref())) {
            (Some(b'/'), _) => piece.to_vec(),
            (_, Some(cwd)) => join(cwd, piece),
            (_, None) => return false,
        };
        let mut leads = self.leads.borrow_mut();
        if let Some(known) = leads.seen.get(&path) {
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
            false if !self.world.link(&path) => false,
            _ => match self.world.real(&path) {
                Some(real) => below(&real),
                None => {
                    let target = self.world.target(&path).map(|t| join(parent(&path), &t));
                    let there = target.as_deref().unwrap_or(&path);
                    self.world
                        .real(parent(there))
                        .is_some_and(|real| below(&join(&real, last_component(there))))
                }
            },
        };
        leads.seen.insert(path, led);
        led
    }
}
