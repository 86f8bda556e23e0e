//! Names that a command gives to what leads elsewhere: links that are made, moved, copied or unpacked. What another command
//! of the same text writes by such a name is where it leads.
use super::place::may_be;
use super::{Judge, Place, Scene, Writer, Writes, hit, led, parts, places, top};
use crate::arg::Arg;
use crate::resolve::{join, last_component, normalise};

/// Longest chain of names that is followed.
const CHAIN: usize = 4;

/// A name that a command makes.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Absolute.
    to: Vec<u8>,
    /// A shell fills one of the two in.
    glob: bool,
    /// What was there before under another name; `None` = anything.
    from: Option<Vec<u8>>,
}

/// A place that a command writes.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    place: Place,
    /// What comes there is the caller's.
    content: bool,
}

/// The places that a command writes.
pub(crate) fn written(writer: Writer, args: &[Arg], scene: &Scene) -> Vec<Written> {
    let content = matches!(writer.writes, Writes::Into | Writes::Named);
    if !content && !matches!(writer.writes, Writes::Moves | Writes::Onto | Writes::Touches) {
        return Vec::new();
    }
    let mut out: Vec<Written> = Vec::new();
    for place in places(writer, args, scene) {
        // Of an option no more than of a file, and twice the same is nothing new.
        if place.path.is_some() && !place.flat && out.iter().all(|w| w.place.path != place.path) {
            out.push(Written { place, content });
        }
    }
    out
}

/// True of the sub-commands of git that make a tree of another one.
fn makes_a_tree(word: &[u8]) -> bool {
    matches!(word, b"clone" | b"worktree")
}

/// The names that a command makes for what may hold links.
pub(crate) fn made(writer: Writer, args: &[Arg], scene: &Scene) -> Vec<Made> {
    let has = |letters: &str, words: &[&str]| {
        args.iter().filter_map(Arg::literal).any(|w| match w.strip_prefix(b"--") {
            Some(long) => words.iter().any(|n| !long.is_empty() && n.as_bytes().starts_with(long)),
            None => w.first() == Some(&b'-') && w.iter().skip(1).any(|b| letters.as_bytes().contains(b)),
        })
    };
    match (writer.name, writer.writes) {
        // A plain copy is of what the link leads to.
        ("cp" | "gcp", _)
            if has(
                "PadRrsl",
                &["no-dereference", "archive", "recursive", "symbolic-link", "link", "preserve"],
            ) => {}
        ("rsync", _) if has("alr", &["archive", "links", "recursive"]) => {}
        ("mv" | "gmv" | "ln" | "link", _) => {}
        (_, Writes::Below | Writes::Letter(..) | Writes::Sub(_)) => {
            let places = places(writer, args, scene).into_iter();
            let any = places
                .filter(|p| !p.flat)
                .filter_map(|p| Some(Made { to: p.path?, glob: p.glob, from: None }));
            return any.collect();
        }
        ("git", _) if args.iter().filter_map(Arg::literal).any(makes_a_tree) => {
            return Judge::new(args, scene).trees();
        }
        _ => return Vec::new(),
    }
    let mut judge = Judge::new(args, scene);
    let operands: Vec<&Arg> =
        args.iter().filter(|a| !a.known_prefix().starts_with(b"-") || a.literal() == Some(b"-")).collect();
    let target = args.iter().position(|a| a.literal() == Some(b"-t")).and_then(|at| args.get(at + 1));
    let here = Arg::lit(".");
    let (target, sources) = match (target, operands.as_slice()) {
        (Some(target), all) => (target, all),
        (None, [one]) => (&here, std::slice::from_ref(one)),
        (None, [sources @ .., target]) => (*target, sources),
        (None, []) => return Vec::new(),
    };
    let mut out = Vec::new();
    let path = |judge: &mut Judge, arg: &Arg| {
        judge.path(arg.shown(), arg.is_dynamic()).filter(|p| !p.afloat).and_then(|p| Some((p.path?, p.glob)))
    };
    let Some((to, glob)) = path(&mut judge, target) else { return out };
    for source in sources {
        // What a link says begins where it lies.
        let Some((from, by_glob)) = path(&mut judge, source) else { continue };
        let name = last_component(source.shown().strip_suffix(b"/").unwrap_or(source.shown()));
        for to in [to.clone(), join(&to, name)] {
            out.push(Made { to: normalise(&to), glob: glob || by_glob, from: Some(normalise(&from)) });
        }
    }
    out
}

impl Judge<'_> {
    /// The tree that git makes of another one.
    fn trees(&mut self) -> Vec<Made> {
        let words: Vec<&[u8]> = self.args.iter().filter_map(Arg::literal).collect();
        let sub = words.iter().position(|w| makes_a_tree(w));
        let Some((sub, rest)) = sub.and_then(|at| words.get(at..)?.split_first()) else { return Vec::new() };
        let operands: Vec<&[u8]> =
            rest.iter().copied().filter(|w| !w.starts_with(b"-") && *w != b"add").collect();
        let base = self.base.clone().unwrap_or_default();
        let tree = top(&base, self.scene.world).unwrap_or_else(|| base.clone());
        let mut out = Vec::new();
        for (at, word) in operands.iter().enumerate() {
            // Which of them are values is not asked: each may be what is cloned, and each the place.
            let from = match *sub == b"clone" {
                true => operands.get(at.saturating_sub(1)).map(|from| join(&base, from)),
                false => Some(tree.clone()),
            };
            let from = from.filter(|from| self.scene.world.real(from).is_some());
            let name = last_component(word.strip_suffix(b"/").unwrap_or(word));
            let name = name.strip_suffix(b".git").unwrap_or(name);
            for to in [*word, name] {
                let to = normalise(&join(&base, to));
                out.extend(from.clone().filter(|from| normalise(from) != to).map(|from| Made {
                    to,
                    glob: false,
                    from: Some(from),
                }));
            }
        }
        out
    }
}

/// True if one of these places is one of the guard's own by one of these names; `later` = the names
/// were made before.
pub(crate) fn meet(written: &[Written], names: &[Made], later: bool, scene: &Scene) -> bool {
    let writer = Writer { name: "cp", writes: Writes::Into };
    let mut todo: Vec<(Place, usize, bool)> =
        written.iter().map(|w| (w.place.clone(), 0, w.content)).collect();
    while let Some((place, depth, content)) = todo.pop() {
        for name in names {
            let Some(path) = place.path.as_deref() else { continue };
            let Some(rest) = below(path, place.glob, name) else { continue };
            // The name itself is taken away, or another one put there.
            if rest.is_empty() && place.link {
                continue;
            }
            let Some(from) = &name.from else {
                let there = !place.glob && scene.world.real(path).is_some();
                if later && content && !rest.is_empty() && !there {
                    return true;
                }
                continue;
            };
            let path = rest.iter().fold(from.clone(), |path, part| join(&path, part));
            let glob = place.glob || name.glob;
            let there = Place { path: Some(path), glob, only: place.only, ..Place::default() };
            if hit(&led(writer, vec![there.clone()], scene), scene) {
                return true;
            }
            if depth < CHAIN {
                todo.push((there, depth + 1, content));
            }
        }
    }
    false
}

/// What of a path lies below a name; `None` if it does not.
fn below<'p>(path: &'p [u8], glob: bool, name: &Made) -> Option<Vec<&'p [u8]>> {
    let mut rest = parts(path);
    for part in parts(&name.to) {
        let own = rest.next()?;
        let fits = own == part || (glob && may_be(own, part)) || (name.glob && may_be(part, own));
        if !fits {
            return None;
        }
    }
    Some(rest.collect())
}
