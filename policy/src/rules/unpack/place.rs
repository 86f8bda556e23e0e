//! A place that is written: how it is spelled, and where that leads.
use super::parts;
use crate::resolve::{join, last_component, normalise, parent};
use crate::world::{NameKind, World};

/// A place that is written, with what is below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Absolute; `None` = not known.
    pub path: Option<Vec<u8>>,
    /// A shell fills it in.
    pub glob: bool,
    /// A part of it is known only at run time, and stands as `*` here.
    pub open: bool,
    /// It begins in a folder that is not known.
    pub afloat: bool,
    /// What was there goes, and nothing comes that is the caller's.
    pub gone: bool,
    /// Nothing below it.
    pub only: bool,
    /// A link there is meant itself.
    pub link: bool,
    /// No links are followed.
    pub flat: bool,
}

impl Place {
    /// Where the kernel ends up: the real folder of as much of it as there is, and the rest (path_resolution(7)). In front
    /// of a pattern's first mark only. `None` if that cannot be followed, `Some(None)` if it is a link to what is not there.
    pub fn led(&self, world: &dyn World) -> Option<Option<Vec<u8>>> {
        let path = self.path.as_deref().filter(|p| !self.afloat && !self.flat && !is_device(p))?;
        let mark = if self.glob { path.iter().position(is_mark) } else { None };
        let mut head = match mark {
            Some(mark) => path.get(..mark).map(parent)?,
            None if self.link && path.last() != Some(&b'/') => parent(path),
            None => path,
        };
        let mut real = world.real(head);
        // What is missing does not become more than this many folders by the same command.
        for _ in 0..DEEPEST {
            if real.is_some() || matches!(head, b"/" | b"") {
                break;
            }
            let name = last_component(head);
            head = parent(head);
            real = world.real(head);
            if let Some(link) = real.as_deref().filter(|_| !name.is_empty()).map(|folder| join(folder, name))
                && world.link(&link)
            {
                let rest = path.get(head.len()..).unwrap_or_default();
                let rest = rest.strip_prefix(b"/").unwrap_or(rest).get(name.len()..).unwrap_or_default();
                return Some(missing(link, world).map(|mut led| {
                    led.extend_from_slice(rest);
                    normalise(&led)
                }));
            }
        }
        let rest = path.get(head.len()..).unwrap_or_default();
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        real.map(|real| Some(normalise(&join(&real, rest.strip_prefix(b"/").unwrap_or(rest)))))
    }
}

/// Most folders that are looked through for what one pattern may become.
const FOLDERS: usize = 64;

/// Most names of one of them.
const NAMES: usize = 1 << 16;

impl Place {
    /// Where a shell's pattern leads by the links that it may become: each part of it is looked for in the folder that it
    /// stands in. True if there is too much there to be looked through.
    pub fn spread(&self, world: &dyn World, out: &mut Vec<Place>) -> bool {
        let path = self.path.as_deref().filter(|_| self.glob && !self.afloat && !self.flat);
        let Some((path, mark)) = path.and_then(|p| Some((p, p.iter().position(is_mark)?))) else {
            return false;
        };
        let head = path.get(..mark).map(parent).unwrap_or_default();
        let Some(real) = world.real(if head.is_empty() { b"/" } else { head }) else { return false };
        let (mut looks, mut too_much) = (0, false);
        let mut todo = vec![(real, path.get(head.len()..).unwrap_or_default())];
        while let Some((folder, rest)) = todo.pop() {
            let from = rest.iter().position(|b| *b != b'/').unwrap_or(rest.len());
            let rest = rest.get(from..).unwrap_or_default();
            let (part, behind) = rest.split_at(rest.iter().position(|b| *b == b'/').unwrap_or(rest.len()));
            let last = behind.iter().all(|b| *b == b'/');
            // A link that is meant itself leads nowhere.
            let itself = self.link && behind.is_empty();
            let mut lead = |name: &[u8], sure: bool, todo: &mut Vec<_>| {
                let next = join(&folder, name);
                match world.real(&next) {
                    Some(real) => {
                        let from = behind.iter().position(|b| *b != b'/').unwrap_or(behind.len());
                        let rest = behind.get(from..).unwrap_or_default();
                        if real != next {
                            let path = Some(normalise(&join(&real, rest)));
                            out.push(Place { path, ..self.clone() });
                        }
                        if !last {
                            todo.push((real, behind));
                        }
                    }
                    // What it leads to is not there, and may be made.
                    None if last && (sure || world.link(&next)) => {
                        let path = missing(next, world);
                        out.push(Place { only: self.only && path.is_some(), path, ..self.clone() });
                    }
                    None => {}
                }
            };
            if part.is_empty() || (itself && last) {
                continue;
            }
            if !part.iter().any(is_mark) {
                lead(part, false, &mut todo);
                continue;
            }
            looks += 1;
            let Some(names) = world.names(&folder, NAMES).filter(|_| looks <= FOLDERS) else {
                too_much = true;
                continue;
            };
            for (name, kind) in names.iter().filter(|(name, _)| may_be(part, name)) {
                match kind {
                    NameKind::Link => lead(name, true, &mut todo),
                    NameKind::Folder if !last => todo.push((join(&folder, name), behind)),
                    _ => {}
                }
            }
        }
        too_much
    }
}

/// Where a link leads that leads to what is not there; `None` if that cannot be followed. The link's folder has no links in
/// its path.
fn missing(link: Vec<u8>, world: &dyn World) -> Option<Vec<u8>> {
    let mut at = link;
    for _ in 0..HOPS {
        let Some(target) = world.target(&at) else { return (!world.link(&at)).then_some(at) };
        let to = join(parent(&at), &target);
        // Where the folder is not there either, nothing is made by one write.
        let folder = world.real(parent(&to)).unwrap_or_else(|| normalise(parent(&to)));
        at = normalise(&join(&folder, last_component(&to)));
    }
    None
}

/// Most links to other links that are followed.
const HOPS: usize = 8;

/// Most folders of a path that may be missing.
const DEEPEST: usize = 64;

/// True for what programs write to without a file: `/dev/null`, `/dev/stderr`. Users make nothing there.
fn is_device(path: &[u8]) -> bool {
    path.starts_with(b"/dev/") && !path.starts_with(b"/dev/shm/") && !path.contains(&b'.')
}

/// A word with `*` for what is known only at run time, and true if there is any; `None` if it begins with that, so that
/// it may lead anywhere.
pub(super) fn starred(text: &[u8]) -> Option<(Vec<u8>, bool)> {
    let (mut out, mut open, mut rest) = (Vec::with_capacity(text.len()), false, text);
    while let Some((byte, after)) = rest.split_first() {
        rest = match (byte, after.first()) {
            (b'$' | b'`', _) => behind_one(rest),
            (b'{', Some(b'}')) => after.get(1..).unwrap_or_default(),
            _ => {
                out.push(*byte);
                rest = after;
                continue;
            }
        };
        if out.is_empty() {
            return None;
        }
        open = true;
        out.push(b'*');
    }
    Some((out, open))
}

/// What follows the parameter or substitution that a text begins with.
pub(super) fn behind_one(text: &[u8]) -> &[u8] {
    let Some((byte, after)) = text.split_first() else { return text };
    match (byte, after.first()) {
        (b'$', Some(b'(' | b'{')) => behind(after),
        (b'$', _) => {
            let name = after.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            after.get(name.max(1)..).unwrap_or_default()
        }
        _ => {
            let end = after.iter().position(|b| *b == b'`').map_or(after.len(), |end| end + 1);
            after.get(end..).unwrap_or_default()
        }
    }
}

/// What follows the bracket that closes the first one.
fn behind(text: &[u8]) -> &[u8] {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    b""
}

fn is_mark(byte: &u8) -> bool {
    b"*?[]{}()@+!^#~|<>,".contains(byte)
}

/// True for a word that may become anything: a variable, a substitution, the mark of xargs and find.
pub(super) fn is_open(word: &[u8]) -> bool {
    word.iter().any(|b| b"$`".contains(b)) || word.windows(2).any(|w| w == b"{}")
}

/// What stands behind the tilde and a user's name. Whose home that is, is not asked: it may be the user's own.
pub(super) fn tail(rest: &[u8]) -> &[u8] {
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"._-".contains(b)).count();
    rest.get(name..).unwrap_or(rest)
}

/// True if a folder of the guard's own lies in this place, or it lies in that.
pub(super) fn is_above(place: &Place, own: &[u8]) -> bool {
    // In a folder that is not known it may be that one.
    let Some(path) = &place.path else { return true };
    let deep = if place.afloat { parts(own).count() } else { 1 };
    (0..deep).any(|from| {
        let mut own = parts(own).skip(from);
        for part in parts(path) {
            match own.next() {
                // `**` enters no hidden folder.
                Some(own) if place.glob && part == b"**" => return !place.only && !own.starts_with(b"."),
                Some(own) if part != own && !(place.glob && may_be(part, own)) => return false,
                Some(_) => {}
                None => return true,
            }
        }
        !place.only || own.next().is_none()
    })
}

/// True if a shell's pattern may become this name: judged by what it begins and ends with.
pub(crate) fn may_be(pattern: &[u8], name: &[u8]) -> bool {
    let (Some(first), Some(last)) = (pattern.iter().position(is_mark), pattern.iter().rposition(is_mark))
    else {
        return false;
    };
    // A hidden name has to be asked for, but for zsh's `*(D)`.
    let hidden = name.starts_with(b".") && b"*?[".iter().any(|b| pattern.first() == Some(b));
    name.starts_with(pattern.get(..first).unwrap_or_default())
        && name.ends_with(pattern.get(last + 1..).unwrap_or_default())
        && (!hidden || pattern.contains(&b'('))
}

/// True for a path in a `.git`, or in the hooks of a repository that has none.
pub(super) fn in_control(path: &[u8], glob: bool, world: &dyn World) -> bool {
    let is = |part: &[u8], name: &[u8]| part.eq_ignore_ascii_case(name) || (glob && may_be(part, name));
    parts(path).enumerate().any(|(deep, part)| {
        if is(part, b".git") {
            return true;
        }
        // Hardly ever: the folder is put together only here.
        is(part, b"hooks") && {
            let folder = parts(path).take(deep).fold(vec![b'/'], |folder, part| join(&folder, part));
            let has = |name: &[u8]| world.info(&join(&folder, name)).is_some();
            has(b"HEAD") && has(b"objects")
        }
    })
}
