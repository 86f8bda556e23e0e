//! Where a program that writes may come to the guard's own files: by a word that a variable, a pattern or another command
//! makes, or by a name that the same text gives to what leads there.
use super::{Context, Judge};
use crate::arg::Arg;
use crate::rules::unpack::{self, Made, Writer, Written};

/// Most spellings of words that are tried in one evaluation.
const MOST: usize = 4096;

/// Most places and names of one evaluation that are compared.
const PAIRS: usize = 256;

/// What the programs of one evaluation do so far, whichever comes first when it runs.
#[derive(Default)]
pub(super) struct Writing {
    /// How many spellings were tried.
    tried: usize,
    /// What wrote before there was any name: mostly there never is.
    before: Vec<(Writer, Vec<Arg>, Context)>,
    written: Vec<Written>,
    made: Vec<Made>,
}

/// Puts what a word may become in its place.
fn put(args: &mut [Arg], at: usize, word: Vec<u8>, single: bool) {
    if let Some(slot) = args.get_mut(at) {
        *slot = Arg::Dynamic { source: word, prefix: Vec::new(), single };
    }
}

/// A word without its quotes.
fn plain(word: &[u8]) -> impl Iterator<Item = &u8> {
    word.iter().filter(|b| !b"'\"\\".contains(b))
}

impl Judge<'_> {
    /// Why a command may write over the guard's own files; `None` if it does not.
    pub(super) fn writes(&self, writer: Writer, args: &[Arg], ctx: &Context) -> Option<String> {
        // Where nobody knows where it stands, it may as well be where it all begins.
        let here = || self.stands(ctx).filter(|_| ctx.cwd.is_none());
        // What is tried below leaves the words alone by which it is idle.
        let idle = writer.is_idle(args);
        let holds = |args: &[Arg]| match idle {
            true => None,
            false => {
                let all = self.scenes(ctx).chain(here()).chain(self.nearby(ctx));
                all.into_iter().find_map(|s| unpack::unpacks(writer, args, &s))
            }
        };
        let sure = if idle { None } else { self.as_read(true, args, ctx, &holds) };
        sure.filter(|_| !self.is_told(args, ctx, &holds))
            .or_else(|| self.pair(writer, args, ctx))
            .or_else(|| self.spelled(writer, args, ctx, &holds))
            .or_else(|| {
                let cut = !idle && self.given.is_cut(ctx.body.is_some(), &self.inv.env, args);
                cut.then(|| {
                    "a word is cut out of others in a way that is not followed, and may lead anywhere".into()
                })
            })
    }

    /// True if all that its one unknown word may be is known, and none of it is a doubt: `for d in */; do git -C "$d" pull`.
    fn is_told(&self, args: &[Arg], ctx: &Context, holds: &dyn Fn(&[Arg]) -> Option<String>) -> bool {
        let mut dynamic = args.iter().enumerate().filter(|(_, arg)| arg.is_dynamic());
        let (Some((at, arg)), None) = (dynamic.next(), dynamic.next()) else { return false };
        // A value that a shell takes apart.
        let splits = |w: &[u8]| w.iter().any(|b| b.is_ascii_whitespace() || b"*?[".contains(b));
        let single = !matches!(arg, Arg::Dynamic { single: false, .. });
        let spelled = self.given.spelled(arg, &self.mark, ctx.body.is_some(), &self.inv.env);
        let one = |word: &Vec<u8>| {
            let mut tried = args.to_vec();
            put(&mut tried, at, word.clone(), single);
            word.first().is_some_and(|b| *b != b'-') && (single || !splits(word)) && holds(&tried).is_none()
        };
        let words = &spelled.words;
        !spelled.open
            && !spelled.too_many
            && !words.is_empty()
            && words.len() <= PAIRS
            && words.iter().all(one)
    }

    /// The same with what its words become that are known at run time only.
    fn spelled(
        &self,
        writer: Writer,
        args: &[Arg],
        ctx: &Context,
        holds: &dyn Fn(&[Arg]) -> Option<String>,
    ) -> Option<String> {
        for (at, arg) in args.iter().enumerate().filter(|(_, arg)| arg.is_dynamic()) {
            let spelled = self.given.spelled(arg, &self.mark, ctx.body.is_some(), &self.inv.env);
            let mut finds = spelled.finds.iter();
            let found =
                finds.find_map(|find| self.stands(ctx).find_map(|s| unpack::unpacks_found(writer, find, &s)));
            if found.is_some() {
                return found;
            }
            // As it stands it was looked at.
            let itself = |w: &[u8]| plain(w).eq(plain(arg.shown()));
            let words: Vec<Vec<u8>> = spelled.words.into_iter().filter(|w| !itself(w)).collect();
            // Each costs as much as there are words beside it.
            self.writing.borrow_mut().tried += words.len() * (1 + args.len() / 64);
            if spelled.too_many || self.writing.borrow().tried > MOST {
                return Some("it writes to more files than are looked at: a word may lead anywhere".into());
            }
            if words.is_empty() {
                continue;
            }
            let mut tried = args.to_vec();
            for word in words {
                put(&mut tried, at, word, false);
                let why = holds(&tried).or_else(|| self.pair(writer, &tried, ctx));
                if why.is_some() {
                    return why;
                }
            }
        }
        None
    }

    /// Why a command may write what git runs or takes orders from, by what its words become that are known at run time
    /// only; `None` if it does not.
    pub(super) fn controls(&self, writer: Writer, args: &[Arg], ctx: &Context) -> Option<&'static str> {
        let mut tried: Option<Vec<Arg>> = None;
        for (at, arg) in args.iter().enumerate().filter(|(_, arg)| arg.is_dynamic()) {
            let spelled = self.given.spelled(arg, &self.mark, ctx.body.is_some(), &self.inv.env);
            let last = at + 1 == args.len();
            // What find(1) itself puts in place of its braces.
            let own = self.find.as_deref().filter(|_| arg.shown().windows(2).any(|w| w == b"{}"));
            let mut all = spelled.finds.iter().map(Vec::as_slice).chain(own);
            let finds = all.any(|find| unpack::finds_control(find, last));
            let found = finds.then(|| b".git/hooks".to_vec());
            let mut words = spelled.words.into_iter().chain(found).peekable();
            if words.peek().is_none() {
                continue;
            }
            let tried = tried.get_or_insert_with(|| args.to_vec());
            for word in words {
                put(tried, at, word, false);
                let why = self.stands(ctx).find_map(|s| unpack::controls(writer, tried, &s));
                if why.is_some() {
                    return why;
                }
            }
            if let Some(slot) = tried.get_mut(at) {
                slot.clone_from(arg);
            }
        }
        None
    }

    /// Where it may stand by a `cd` to a place known at run time only.
    fn nearby<'s>(&'s self, ctx: &'s Context) -> impl Iterator<Item = unpack::Scene<'s>> {
        let near = self.near.iter().filter(|_| ctx.cwd.is_none());
        near.map(|cwd| self.scene(Some(cwd)))
    }

    /// Notes where a `cd` may come to. Returns why a program that runs in a loop before it may then write to the guard's
    /// own files.
    pub(super) fn comes(&mut self, to: &Arg, ctx: &Context) -> Option<String> {
        let spelled = self.given.spelled(to, &self.mark, ctx.body.is_some(), &self.inv.env);
        let word = |w: Vec<u8>| Arg::Dynamic { source: w, prefix: Vec::new(), single: false };
        // Of several words the last one is the folder.
        let last = |w: &Vec<u8>| w.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default().to_vec();
        let words = spelled.words.iter().flat_map(|w| [w.clone(), last(w)]).map(word);
        let words: Vec<Arg> = std::iter::once(to.clone()).chain(words).collect();
        let mut near: Vec<Vec<u8>> = Vec::new();
        for word in words.iter().take(PAIRS) {
            for scene in self.stands(ctx).chain(self.nearby(ctx)) {
                near.extend(unpack::comes_to(word, &scene));
            }
        }
        let cut = self.given.is_cut(ctx.body.is_some(), &self.inv.env, std::slice::from_ref(to));
        if spelled.too_many || cut {
            near.extend(self.inv.guard.own_paths.iter().cloned());
        }
        near.retain(|n| !self.near.contains(n));
        if near.is_empty() {
            return None;
        }
        self.near.extend(near);
        self.near.sort_unstable();
        self.near.dedup();
        // In a loop it may run again, and in a function wherever that is called.
        let writing = self.writing.borrow();
        let mut before = writing.before.iter().filter(|_| ctx.cwd.is_none() || self.roams);
        before.find_map(|(writer, args, ctx)| {
            self.nearby(ctx).find_map(|scene| unpack::unpacks(*writer, args, &scene))
        })
    }

    /// Where it may stand; where nobody knows, as in a function, that is where it all begins.
    fn stands<'s>(&'s self, ctx: &'s Context) -> impl Iterator<Item = unpack::Scene<'s>> {
        self.scenes(ctx).map(|s| unpack::Scene { cwd: s.cwd.or(self.inv.cwd.as_deref()), ..s })
    }

    /// The same by a name that another command of the text makes: `mv link y; cp x y`.
    fn pair(&self, writer: Writer, args: &[Arg], ctx: &Context) -> Option<String> {
        let mut writing = self.writing.borrow_mut();
        let writing = &mut *writing;
        let made: Vec<Made> = self.stands(ctx).flat_map(|s| unpack::made(writer, args, &s)).collect();
        if made.is_empty() && writing.made.is_empty() {
            if writing.before.len() < PAIRS {
                writing.before.push((writer, args.to_vec(), ctx.clone()));
            }
            return None;
        }
        for (writer, args, ctx) in std::mem::take(&mut writing.before) {
            writing.written.extend(self.stands(&ctx).flat_map(|s| unpack::written(writer, &args, &s)));
        }
        let written: Vec<Written> =
            self.stands(ctx).flat_map(|s| unpack::written(writer, args, &s)).collect();
        let scene = self.stands(ctx).next()?;
        let mut meets = unpack::meet(&written, &writing.made, true, &scene);
        if !made.is_empty() {
            writing.made.extend(made);
            meets |= unpack::meet(&writing.written, &writing.made, false, &scene);
        }
        writing.written.extend(written);
        let too_many = writing.made.len() > PAIRS || writing.written.len() > 4 * PAIRS;
        (meets || too_many).then(|| writer.why_by_name())
    }
}
