//! One change that an installation makes: looked at, made, taken back.
//!
//! A step never destroys what it did not make: a file that is in the way is told and left, and what is taken back is
//! only what is still as it was made.
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::agents::json::Put;
use super::agents::settings::{self, Change};
use super::agents::{left, reads};
use super::{block, shown};

/// What is to be there.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A folder with this mode.
    Folder(u32),
    /// A symbolic link to there.
    Link(PathBuf),
    /// A file with these bytes and this mode.
    File(Vec<u8>, u32),
    /// Our lines in a text file that is somebody else's.
    Lines(String),
    /// Entries of ours in a settings file that is somebody else's.
    Entry(Change),
}

/// A change: which part it belongs to, where, and what.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// `shims`, `shell:bash`, `links` …
    pub part: String,
    /// Absolute.
    pub path: PathBuf,
    /// What is to be there.
    pub what: What,
}

/// What a step finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is there already.
    Done,
    /// Nothing is there; or the lines are not.
    Missing,
    /// An older one of ours is there.
    Older,
    /// Something else is there: what.
    InTheWay(String),
}

/// What was made, as the manifest keeps it: enough to take it back, and to know it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The part it belongs to.
    pub part: String,
    /// Where.
    pub path: PathBuf,
    /// What.
    pub kind: Kind,
}

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A link to there.
    Link(PathBuf),
    /// A file whose content has this sha256.
    File(String),
    /// Our lines; true if the file was made for them.
    Lines(bool),
    /// Our entries, with what was put for each; true if the file was made for them.
    Entry(Change, Vec<Put>, bool),
}

/// Largest text file of somebody else's that is edited, bytes.
const MAX_BYTES: u64 = 4 << 20;

impl Step {
    /// Looks; changes nothing. `made` is what the manifest says of the path.
    pub fn look(&self, made: Option<&Made>) -> State {
        if let Some(why) = settings::stray(&self.part, &self.path) {
            return State::InTheWay(why);
        }
        if let What::Entry(change) = &self.what {
            let put = |text: String| Ok((self.with(change, &text)? == text, text));
            return match settings::text(&self.path).and_then(put) {
                Ok((true, text)) if !text.is_empty() => State::Done,
                Ok(_) => State::Missing,
                Err(why) => State::InTheWay(why),
            };
        }
        let there = fs::symlink_metadata(&self.path);
        let meta = match there {
            Ok(meta) => meta,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return State::Missing,
            Err(e) => return State::InTheWay(e.to_string()),
        };
        match &self.what {
            What::Folder(_) if self.path.is_dir() => State::Done,
            What::Folder(_) => State::InTheWay("is no folder".into()),
            What::Link(to) => match fs::read_link(&self.path) {
                Ok(is) if is == *to => State::Done,
                Ok(is) if matches!(made.map(|m| &m.kind), Some(Kind::Link(old)) if *old == is) => {
                    State::Older
                }
                // A link of ours from an earlier place: it leads to a guard, or to where one was.
                Ok(is) if is.file_name().is_some_and(|n| n == "exec-guard") => State::Older,
                Ok(is) => State::InTheWay(format!("leads to {}", shown(&is))),
                Err(_) => State::InTheWay("is no link of ours".into()),
            },
            What::File(bytes, _) => match content(&self.path) {
                Ok(is) if is == *bytes => State::Done,
                Ok(is) => match made.map(|m| &m.kind) {
                    Some(Kind::File(hash)) if *hash == store::edit::hash(&is) => State::Older,
                    Some(Kind::File(_)) => State::InTheWay("was changed since it was installed".into()),
                    _ => State::InTheWay("is there already, and not from here".into()),
                },
                Err(e) => State::InTheWay(e.to_string()),
            },
            What::Lines(lines) => {
                let meta = fs::metadata(&self.path).unwrap_or(meta);
                if meta.uid() != sys::ids::uid() {
                    return State::InTheWay("belongs to somebody else".into());
                }
                if let Err(e) = editable(&meta) {
                    return State::InTheWay(e.to_string());
                }
                let put = content(&self.path)
                    .map_err(|e| e.to_string())
                    .and_then(|text| block::put(&text, lines).map(|with| (with == text, text)));
                match put {
                    Ok((true, _)) => State::Done,
                    Ok(_) => State::Missing,
                    Err(e) => State::InTheWay(e),
                }
            }
            What::Entry(_) => State::InTheWay("was not looked at".into()),
        }
    }

    /// What the manifest will say of it once it is made.
    pub fn record(&self) -> Made {
        let kind = match &self.what {
            What::Folder(_) => Kind::Folder,
            What::Link(to) => Kind::Link(to.clone()),
            What::File(bytes, _) => Kind::File(store::edit::hash(bytes)),
            What::Lines(_) => Kind::Lines(fs::symlink_metadata(&self.path).is_err()),
            What::Entry(change) => {
                let puts =
                    settings::text(&self.path).and_then(|text| change.put(&text)).map(|(_, puts)| puts);
                Kind::Entry(
                    change.clone(),
                    puts.unwrap_or_default(),
                    fs::symlink_metadata(&self.path).is_err(),
                )
            }
        };
        Made { part: self.part.clone(), path: self.path.clone(), kind }
    }

    /// Makes it, in place of an older one of ours.
    ///
    /// # Errors
    /// Those of the calls; what was there is then as it was.
    pub fn make(&self) -> io::Result<()> {
        if let Some(why) = settings::stray(&self.part, &self.path) {
            return Err(io::Error::other(why));
        }
        match &self.what {
            What::Folder(mode) => {
                fs::create_dir_all(&self.path)?;
                fs::set_permissions(&self.path, PermissionsExt::from_mode(*mode))
            }
            // Never gone: programs are started by it meanwhile.
            What::Link(to) => sys::edit::replace_link(&self.path, to),
            What::File(bytes, mode) => {
                sys::edit::sweep(&self.path);
                sys::edit::replace(&self.path, bytes, *mode)
            }
            What::Lines(lines) => {
                sys::edit::sweep(&self.path);
                rewrite(&self.path, &|text| block::put(text, lines), true)
            }
            What::Entry(change) => {
                settings::text(&self.path).map_err(io::Error::other)?;
                let edit = |text: &[u8]| self.with(change, str(text)?).map(String::into_bytes);
                rewrite(&self.path, &edit, matches!(change, Change::Toml(_)))
            }
        }
    }

    /// A settings file with our entry in it, which its agent would load, now and then.
    fn with(&self, change: &Change, text: &str) -> Result<String, String> {
        let id = self.part.split(':').nth(1).unwrap_or_default();
        let loads = |text: &str| match change {
            Change::Json(..) => reads::loads(id, text),
            Change::Toml(_) => Ok(()),
        };
        loads(text)?;
        let (new, _) = change.put(text)?;
        loads(&new).map(|()| new)
    }

    /// A hook that somebody else put into the place of ours.
    pub fn theirs(&self) -> Option<Value> {
        let What::Entry(change) = &self.what else { return None };
        change.theirs(&settings::text(&self.path).ok()?)
    }

    /// One line for people.
    pub fn words(&self) -> String {
        let path = shown(&self.path);
        match &self.what {
            What::Folder(_) => format!("make the folder {path}"),
            What::Link(to) => format!("link {path} to {}", shown(to)),
            What::File(bytes, _) => format!("write {path} ({} bytes)", bytes.len()),
            What::Lines(lines) => format!("put {} lines into {path}", lines.lines().count() + 2),
            What::Entry(_) => format!("put our entry into {path}"),
        }
    }

    /// What would change in a file of somebody else's, line by line.
    pub fn difference(&self) -> Vec<String> {
        let What::Entry(change) = &self.what else { return Vec::new() };
        let text = settings::text(&self.path);
        let new = text.and_then(|text| change.put(&text).map(|(new, _)| settings::difference(&text, &new)));
        new.unwrap_or_default()
    }
}

/// What became of something that was to be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// It is gone.
    Gone,
    /// It was gone already.
    Nothing,
    /// It is gone, and something of somebody else's stays in its place: what.
    Kept(String),
    /// It stays: why.
    Left(String),
}

impl Made {
    /// Takes it back; with `dry`, says what would become of it.
    ///
    /// # Errors
    /// Those of the calls.
    pub fn undo(&self, dry: bool) -> io::Result<Undone> {
        if let Some(why) = settings::stray(&self.part, &self.path) {
            // It may still call the guard: that is not forgotten.
            return Err(io::Error::other(why));
        }
        // What a run left that was killed; the lock of the manifest is held.
        match (&self.kind, dry) {
            (_, true) | (Kind::Link(_), _) => {}
            // In an agent's folder there may be what the agent wrote.
            (Kind::Folder, _) if self.part.starts_with("agent:") => {}
            (Kind::Folder, _) => sys::edit::sweep_folder(&self.path),
            (Kind::File(_) | Kind::Lines(_), _) => sys::edit::sweep(&self.path),
            (Kind::Entry(change, puts, _), _) => left::tidy(&self.path, change, puts),
        }
        let meta = match fs::symlink_metadata(&self.path) {
            Ok(meta) => meta,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Undone::Nothing);
            }
            Err(e) => return Err(e),
        };
        let changed = || Ok(Undone::Left("was changed since".into()));
        match &self.kind {
            Kind::Folder => match fs::read_dir(&self.path)?.next() {
                Some(_) if !dry => Ok(Undone::Left("is not empty".into())),
                _ if dry => Ok(Undone::Gone),
                _ => fs::remove_dir(&self.path).map(|()| Undone::Gone),
            },
            Kind::Link(to) => match fs::read_link(&self.path) {
                Ok(is) if is == *to => gone(dry, &self.path),
                _ => changed(),
            },
            Kind::File(hash) => match content(&self.path) {
                Ok(bytes) if meta.is_file() && store::edit::hash(&bytes) == *hash => gone(dry, &self.path),
                _ => changed(),
            },
            Kind::Lines(created) => {
                let text = content(&self.path)?;
                match block::take(&text) {
                    Ok(None) => Ok(Undone::Nothing),
                    Ok(Some(rest)) if rest.is_empty() && *created => emptied(dry, &self.path, &text),
                    Ok(Some(_)) if dry => Ok(Undone::Gone),
                    Ok(Some(_)) if block::has_others(&text) => {
                        self.rewrite_without()?;
                        Ok(Undone::Kept("lines that were written between our marks stay".into()))
                    }
                    Ok(Some(_)) => self.rewrite_without().map(|()| Undone::Gone),
                    Err(e) => Ok(Undone::Left(e)),
                }
            }
            Kind::Entry(change, puts, created) => {
                let text = settings::text(&self.path);
                let took = text.clone().and_then(|text| change.take(&text, puts));
                let stays = match (&text, &took) {
                    (_, Ok(Some(rest))) => left::hooks(change, rest),
                    (Ok(text), Ok(None)) => left::hooks(change, text),
                    _ => None,
                };
                match took {
                    Ok(None) => Ok(stays.map_or(Undone::Nothing, |what| {
                        Undone::Left(format!(
                            "holds {what}, which is not as it was installed: take it out by hand"
                        ))
                    })),
                    Ok(Some(rest)) if *created && ["", "{}"].contains(&rest.trim()) => {
                        emptied(dry, &self.path, text.unwrap_or_default().as_bytes())
                    }
                    Ok(Some(_)) => {
                        let edit = |text: &[u8]| {
                            let rest = change.take(str(text)?, puts)?;
                            Ok(rest.map_or_else(|| text.to_vec(), String::into_bytes))
                        };
                        if !dry {
                            rewrite(&self.path, &edit, matches!(change, Change::Toml(_)))?;
                        }
                        Ok(stays.map_or(Undone::Gone, |what| {
                            Undone::Kept(format!("{what} stays, since it is not as it was installed"))
                        }))
                    }
                    // It may still call the guard: that is not forgotten.
                    Err(e) => Err(io::Error::other(e)),
                }
            }
        }
    }

    fn rewrite_without(&self) -> io::Result<()> {
        rewrite(&self.path, &|text| block::take(text).map(|rest| rest.unwrap_or_else(|| text.to_vec())), true)
    }

    /// What a run that was killed left beside this settings file, and an agent may have written: the files, and a
    /// clause for people.
    pub fn left(&self) -> Vec<(PathBuf, &'static str)> {
        let Kind::Entry(change, puts, _) = &self.kind else { return Vec::new() };
        const WHAT: &str = "was taken out of the place of the settings by a run that was killed, and another program may have written it";
        left::strange(&self.path, change, puts).into_iter().map(|file| (file, WHAT)).collect()
    }

    /// Removes what such a run left and is in the settings as well.
    pub fn tidy(&self) {
        if let Kind::Entry(change, puts, _) = &self.kind {
            left::tidy(&self.path, change, puts);
        }
    }

    /// As the manifest keeps it.
    pub fn json(&self) -> Value {
        let mut out = json!({"part": self.part, "path": super::text(&self.path)});
        let (kind, more) = match &self.kind {
            Kind::Folder => ("folder", None),
            Kind::Link(to) => ("link", Some(("to", Value::from(super::text(to))))),
            Kind::File(hash) => ("file", Some(("sha256", hash.as_str().into()))),
            Kind::Lines(created) => ("lines", Some(("created", (*created).into()))),
            Kind::Entry(change, puts, created) => {
                let mut entry = change.json(puts);
                if let Some(map) = entry.as_object_mut() {
                    map.insert("created".into(), (*created).into());
                }
                ("entry", Some(("entry", entry)))
            }
        };
        if let Some(map) = out.as_object_mut() {
            map.insert("kind".into(), kind.into());
            map.extend(more.map(|(k, v)| (k.to_owned(), v)));
        }
        out
    }

    /// From the manifest; `None` for what is no record.
    pub fn parse(value: &Value) -> Option<Made> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let kind = match text("kind")?.as_str() {
            "folder" => Kind::Folder,
            "link" => Kind::Link(text("to")?.into()),
            "file" => Kind::File(text("sha256")?),
            "lines" => Kind::Lines(value.get("created")?.as_bool()?),
            "entry" => {
                let entry = value.get("entry")?;
                let (change, puts) = Change::parse(entry)?;
                Kind::Entry(change, puts, entry.get("created")?.as_bool()?)
            }
            _ => return None,
        };
        Some(Made { part: text("part")?, path: text("path")?.into(), kind })
    }

    /// One line for people.
    pub fn words(&self) -> String {
        let path = shown(&self.path);
        match &self.kind {
            Kind::Folder => format!("remove the folder {path}, if it is empty"),
            Kind::Link(_) | Kind::File(_) => format!("remove {path}"),
            Kind::Lines(_) => format!("take our lines out of {path}"),
            Kind::Entry(..) => format!("take our entry out of {path}"),
        }
    }
}

fn gone(dry: bool, path: &Path) -> io::Result<Undone> {
    if !dry {
        fs::remove_file(path)?;
    }
    Ok(Undone::Gone)
}

/// A file that was made for what is taken out of it, and holds nothing else; unless somebody writes it now.
fn emptied(dry: bool, path: &Path, was: &[u8]) -> io::Result<Undone> {
    if !dry && !sys::swap::remove_unchanged(path, was)? {
        return Err(io::Error::other("was written by another program just now: try again"));
    }
    Ok(Undone::Gone)
}

fn str(text: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(text).map_err(|_| "is not UTF-8".into())
}

/// The bytes of a regular file.
///
/// # Errors
/// It is none, or cannot be read.
pub(super) fn content(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let file = sys::file::open_regular(path)?;
    let mut bytes = Vec::new();
    // Programs are larger than texts.
    file.take(64 * MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A text to a text, or why not.
type Edit<'a> = &'a dyn Fn(&[u8]) -> Result<Vec<u8>, String>;

/// Refuses a text file that could not be replaced without losing something.
fn editable(meta: &fs::Metadata) -> io::Result<()> {
    if meta.len() > MAX_BYTES {
        return Err(io::Error::other(format!(
            "is larger than {} MiB: put the lines in by hand",
            MAX_BYTES >> 20
        )));
    }
    if meta.nlink() > 1 {
        return Err(io::Error::other(
            "has more than one name (hard links), which an edit would part: edit it by hand",
        ));
    }
    Ok(())
}

/// How often a file is read again that somebody else writes meanwhile.
const TRIES: u32 = 12;

/// Replaces a text file by what `edit` makes of it, with the mode it has. A symbolic link stays one.
///
/// `empty` tells whether an empty file is one that may be written to.
///
/// An agent writes its settings too. What it wrote since they were read is not written over: they are read again.
fn rewrite(path: &Path, edit: Edit<'_>, empty: bool) -> io::Result<()> {
    for n in 1..=TRIES {
        let (text, mode) = match fs::metadata(path) {
            Ok(meta) => {
                editable(&meta)?;
                (Some(content(path)?), meta.mode() & 0o7777)
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => (None, 0o644),
            Err(e) => return Err(e),
        };
        // Emptied to be written: there is nothing to add to yet.
        let blank = text.as_deref().is_some_and(|t| str(t).is_ok_and(settings::is_blank));
        if blank && !empty {
            std::thread::sleep(Duration::from_millis(u64::from(5 * n)));
            continue;
        }
        let new = edit(text.as_deref().unwrap_or_default()).map_err(io::Error::other)?;
        if text.as_ref() == Some(&new) || sys::swap::replace_unchanged(path, text.as_deref(), &new, mode)? {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(u64::from(5 * n)));
    }
    Err(io::Error::other("is written by another program all the time: close that, and try again"))
}
