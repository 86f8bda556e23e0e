//! Scaffolding: the text that an agent puts round a command when it starts its shell.
//!
//! Claude Code does not run `bash -c 'git status'` but `bash -c "source SNAPSHOT … && eval 'git status' < /dev/null &&
//! pwd -P >| FILE"`. Judged as ordinary text that asks every time; let through unseen it would carry anything. So each
//! known form is a [row](rows) that has to match from the first byte to the last, and of what matches only this runs:
//!
//! - literal text of the row itself,
//! - paths that fit their hole, and
//! - the command, judged and written out again like every other.
//!
//! Everything else is left out, above all the file that would be sourced: what stands in it was judged by nobody, and
//! whatever may write a file as this user could write it. A text that is nearly scaffolding is ordinary text.
//!
//! A row counts only for a caller that bears its agent's mark, and only for a text that a link was started with: what
//! stands in a command is never scaffolding, since an agent quotes its command.
mod rows;

#[cfg(test)]
mod tests;

use crate::judge::variable;
use crate::shell::Dialect;
use crate::world::World;

use rows::ROWS;

/// A part of a row.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// This text; it is run.
    Keep(&'static str),
    /// This text; it is left out.
    Drop(&'static str),
    /// This text or nothing; it is left out.
    Maybe(&'static [Part]),
    /// Not in the text; it is run.
    Say(&'static str),
    /// A path of this pattern; it is left out.
    Path(&'static str),
    /// A path of this pattern that is written: no symbolic link; it is run. `true`: its folder is that for temporary
    /// files.
    Written(&'static str, bool),
    /// A path that was seen before: that one again. It is left out.
    Same,
    /// The path of a shell that reads the same language, between quotes; it is left out.
    Shell,
    /// A value for PATH, between quotes, of folders that are in the caller's PATH; it is run.
    Folders,
    /// Anything up to what follows; it is left out.
    Anything,
    /// The command, between quotes.
    Quoted,
    /// The command, as it is, up to what follows.
    Bare,
}

/// A text that is scaffolding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scaffold {
    /// The command to be judged; `None` if the agent looks after itself and nothing of it is to be run.
    pub command: Option<Vec<u8>>,
    /// What runs before the command; all of it without one.
    before: Vec<u8>,
    after: Vec<u8>,
    quoted: bool,
    /// PATH while the command runs, where it is another than the caller's.
    pub path: Option<Vec<u8>>,
}

impl Scaffold {
    /// The text that is run: the row's own, with the command as it was written out again.
    pub fn around(&self, command: &[u8]) -> Vec<u8> {
        let mut out = self.before.clone();
        if self.command.is_none() {
            return out;
        }
        if self.quoted {
            quote(command, &mut out);
        } else {
            out.extend_from_slice(command);
        }
        out.extend_from_slice(&self.after);
        out
    }
}

/// Recognises a text that a shell of this language was started with, for a caller of these agents.
pub(crate) fn recognise(
    text: &[u8],
    dialect: Dialect,
    agents: &[String],
    env: &[Vec<u8>],
    world: &dyn World,
) -> Option<Scaffold> {
    ROWS.iter().find_map(|row| {
        if !text.starts_with(row.begins.as_bytes()) || !agents.iter().any(|a| a == row.agent) {
            return None;
        }
        row.dialects.contains(&dialect).then_some(())?;
        let reader = Reader { env, world, dialect };
        reader.read(row.parts, text, Seen::default()).map(Seen::scaffold)
    })
}

/// What was read so far.
#[derive(Clone, Default)]
struct Seen {
    command: Option<Vec<u8>>,
    before: Vec<u8>,
    after: Vec<u8>,
    quoted: bool,
    path: Option<Vec<u8>>,
    last: Vec<u8>,
}

impl Seen {
    fn say(&mut self, text: &[u8]) {
        let to = if self.command.is_some() { &mut self.after } else { &mut self.before };
        to.extend_from_slice(text);
    }

    fn scaffold(self) -> Scaffold {
        let Seen { command, before, after, quoted, path, .. } = self;
        Scaffold { command, before, after, quoted, path }
    }
}

struct Reader<'a> {
    env: &'a [Vec<u8>],
    world: &'a dyn World,
    dialect: Dialect,
}

impl Reader<'_> {
    /// Reads a text to its end.
    fn read(&self, parts: &[Part], text: &[u8], mut seen: Seen) -> Option<Seen> {
        let Some((part, rest)) = parts.split_first() else { return text.is_empty().then_some(seen) };
        let left = match part {
            Part::Keep(word) => {
                seen.say(word.as_bytes());
                text.strip_prefix(word.as_bytes())?
            }
            Part::Drop(word) => text.strip_prefix(word.as_bytes())?,
            Part::Say(word) => {
                seen.say(word.as_bytes());
                text
            }
            Part::Maybe(inner) => {
                let with: Vec<Part> = inner.iter().chain(rest).copied().collect();
                let read = self.read(&with, text, seen.clone());
                return read.or_else(|| self.read(rest, text, seen));
            }
            Part::Path(pattern) => {
                let (path, left) = path(text);
                fits(pattern, path).then_some(())?;
                seen.last = path.to_vec();
                left
            }
            Part::Written(pattern, temporary) => {
                let (path, left) = path(text);
                let fine =
                    fits(pattern, path) && (!temporary || self.temporary(path)) && !self.world.link(path);
                fine.then_some(())?;
                seen.last = path.to_vec();
                seen.say(path);
                left
            }
            Part::Same => text.strip_prefix(seen.last.as_slice())?,
            Part::Shell => {
                let (shell, left) = unquote(text)?;
                let plain = path(&shell).1.is_empty() && shell.starts_with(b"/");
                let name = shell.rsplit(|b| *b == b'/').next().unwrap_or_default();
                (plain && Dialect::of_name(name) == Some(self.dialect)).then_some(())?;
                left
            }
            Part::Folders => {
                let (folders, left) = unquote(text)?;
                let own = variable(self.env, b"PATH").unwrap_or_default();
                let known = |f: &[u8]| f.starts_with(b"/") && own.split(|b| *b == b':').any(|o| o == f);
                folders.split(|b| *b == b':').all(known).then_some(())?;
                seen.say(text.get(..text.len() - left.len()).unwrap_or_default());
                seen.path = Some(folders);
                left
            }
            Part::Quoted => {
                let (command, left) = unquote(text)?;
                seen.command = Some(command);
                seen.quoted = true;
                left
            }
            Part::Anything | Part::Bare => {
                // From the end on: what follows is nearer to it than anything that looks like it.
                let next = match rest.first() {
                    Some(Part::Keep(word) | Part::Drop(word)) => word.as_bytes(),
                    _ => return None,
                };
                let mut to = text.len();
                while let Some(at) = last(text.get(..to).unwrap_or_default(), next) {
                    let mut with = seen.clone();
                    if matches!(part, Part::Bare) {
                        with.command = Some(text.get(..at).unwrap_or_default().to_vec());
                    }
                    let read = self.read(rest, text.get(at..).unwrap_or_default(), with);
                    if read.is_some() || matches!(part, Part::Bare) {
                        return read;
                    }
                    to = at + next.len() - 1;
                }
                return None;
            }
        };
        self.read(rest, left, seen)
    }

    /// True if a path lies in the folder for temporary files.
    fn temporary(&self, path: &[u8]) -> bool {
        let own = variable(self.env, b"TMPDIR").filter(|d| d.starts_with(b"/") && d.len() > 1);
        let dir = own.unwrap_or(b"/tmp");
        let dir = dir.strip_suffix(b"/").unwrap_or(dir);
        path.strip_prefix(dir).is_some_and(|rest| rest.starts_with(b"/"))
    }
}

/// Where a word stands last.
fn last(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).rposition(|w| w == word)
}

/// The bytes at the front that mean themselves in every shell, and the rest.
fn path(text: &[u8]) -> (&[u8], &[u8]) {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+@%:,".contains(b);
    let end = text.iter().position(|b| !plain(b)).unwrap_or(text.len());
    text.split_at(end)
}

/// True if a path fits a pattern: `*` at the front stands for any absolute folder without `.` and `..` in it, `#` for
/// digits, `@` for letters and digits, `%` for lower-case hexadecimal digits.
fn fits(pattern: &str, path: &[u8]) -> bool {
    let dots = |c: &[u8]| matches!(c, b"." | b"..");
    if !path.starts_with(b"/") || path.split(|b| *b == b'/').any(dots) {
        return false;
    }
    match pattern.strip_prefix('*') {
        Some(rest) => (0..path.len()).any(|at| shaped(rest.as_bytes(), path.get(at..).unwrap_or_default())),
        None => shaped(pattern.as_bytes(), path),
    }
}

fn shaped(pattern: &[u8], text: &[u8]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return text.is_empty() };
    let class: fn(&u8) -> bool = match first {
        b'#' => u8::is_ascii_digit,
        b'@' => u8::is_ascii_alphanumeric,
        b'%' => |b| b.is_ascii_digit() || (b'a'..=b'f').contains(b),
        own => return text.strip_prefix(&[*own]).is_some_and(|text| shaped(rest, text)),
    };
    // As many as there are: what follows in a pattern is never of the same class.
    let end = text.iter().position(|b| !class(b)).unwrap_or(text.len());
    end > 0 && shaped(rest, text.get(end..).unwrap_or_default())
}

/// A word between single quotes, in which a quote is spelled `'"'"'` or `'\''`; and what follows it.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut left = text.strip_prefix(b"'")?;
    let mut out = Vec::new();
    loop {
        let end = left.iter().position(|b| *b == b'\'')?;
        out.extend_from_slice(left.get(..end)?);
        left = left.get(end + 1..)?;
        let more = left.strip_prefix(b"\"'\"'").or_else(|| left.strip_prefix(b"\\''"));
        match more {
            Some(rest) => {
                out.push(b'\'');
                left = rest;
            }
            None => return Some((out, left)),
        }
    }
}

fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for b in text {
        match b {
            b'\'' => out.extend_from_slice(b"'\"'\"'"),
            b => out.push(*b),
        }
    }
    out.push(b'\'');
}
