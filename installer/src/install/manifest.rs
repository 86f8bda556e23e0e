//! What was installed: kept so that it can be taken back, and so that a second run knows its own things again.
//!
//! It is written before anything is made. A record of what was never made is harmless: what is taken back is only
//! what is there and is as it was recorded.
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::step::{Kind, Made};
use super::wanted::Wanted;
use crate::exit::Failure;

/// Name of the file in the guard's folder.
const NAME: &str = "install.json";

/// The record of an installation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// What was asked for, so that `refresh` can ask for it again.
    pub wanted: Wanted,
    /// What was made, in order.
    pub made: Vec<Made>,
}

impl Manifest {
    /// Reads it from the guard's folder; an empty one if there is none.
    ///
    /// # Errors
    /// It is there and cannot be read, or is none.
    pub fn read(folder: &Path) -> Result<Manifest, Failure> {
        let path = folder.join(NAME);
        let broken = |what: String| {
            Failure::trouble(format!("{}: {what}", super::shown(&path)))
                .advise("it records what was installed; mend it, or remove it and install again")
        };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound) => return Ok(Manifest::default()),
            Err(e) => return Err(broken(e.to_string())),
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(|e| broken(e.to_string()))?;
        if value.get("version") != Some(&json!(1)) {
            return Err(broken("is of a version that is not known here".into()));
        }
        let made = value.get("made").and_then(Value::as_array).map(|l| l.iter().map(Made::parse).collect());
        match (value.get("wanted").and_then(Wanted::parse), made) {
            (Some(wanted), Some(Some(made))) => Ok(Manifest { wanted, made }),
            _ => Err(broken("is no manifest".into())),
        }
    }

    /// Writes it; an empty one is removed.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let path = folder.join(NAME);
        let trouble = |e: io::Error| Failure::trouble(format!("{}: {e}", super::shown(&path)));
        if self.made.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(trouble(e)),
                _ => Ok(()),
            };
        }
        let value = json!({
            "version": 1,
            "wanted": self.wanted.json(),
            "made": self.made.iter().map(Made::json).collect::<Vec<_>>(),
        });
        sys::edit::replace(&path, format!("{value:#}\n").as_bytes(), 0o600).map_err(trouble)
    }

    /// What it says of a path.
    pub fn of(&self, path: &Path) -> Option<&Made> {
        self.made.iter().rev().find(|m| m.path == path)
    }

    /// Adds a record, in place of an older one of the same path.
    pub fn add(&mut self, mut new: Made) {
        // A file that was made for one of our entries was made for the next as well.
        if let Kind::Entry(.., created) = &mut new.kind {
            let made = |m: &Made| m.path == new.path && matches!(m.kind, Kind::Entry(.., true));
            *created |= self.made.iter().any(made);
        }
        // One file may hold several entries.
        let same = |old: &Made| match (&old.kind, &new.kind) {
            (Kind::Entry(a, ..), Kind::Entry(b, ..)) => a.is(b),
            _ => true,
        };
        match self.made.iter_mut().find(|m| m.path == new.path && same(m)) {
            Some(old) => match (&mut old.kind, new.kind) {
                // That a file was made for our lines stays true when the lines are renewed.
                (Kind::Lines(_), Kind::Lines(_)) => {}
                // So does what was put for an entry that is there already; what is put anew counts.
                (Kind::Entry(change, puts, created), Kind::Entry(new, news, made)) => {
                    let kept = puts.clone();
                    let older = std::mem::replace(change, new);
                    change.inherit(&older);
                    *puts = news;
                    *created |= made;
                    for (put, kept) in
                        puts.iter_mut().zip(kept).filter(|(p, k)| p.text.is_empty() && !k.text.is_empty())
                    {
                        *put = kept;
                    }
                }
                (kind, new) => *kind = new,
            },
            None => self.made.push(new),
        }
    }
}

/// Keeps two runs apart.
///
/// # Errors
/// Another one is at work, or the folder cannot be made.
pub fn lock(folder: &Path) -> Result<sys::edit::Lock, Failure> {
    let path: PathBuf = folder.join(".install.lock");
    sys::edit::private_folder(folder)
        .and_then(|()| sys::edit::lock(&path, std::time::Duration::from_secs(10)))
        // What a run left that was killed.
        .inspect(|_| sys::edit::sweep(&folder.join(NAME)))
        .map_err(|e| Failure::trouble(format!("{}: {e}", super::shown(&path))))
}
