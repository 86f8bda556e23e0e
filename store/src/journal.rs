//! What happened, one JSON line a record.
//!
//! Place: `journal/journal.jsonl` in the state folder (`~/.exec-guard`, or `$EXEC_GUARD_HOME` where the user has no
//! document), mode 0600 in a folder of mode 0700. A record is one `write` with O_APPEND, so that records of several
//! processes never mix. When the file has grown past its size it is renamed under a lock to
//! `journal-MILLISECONDS.jsonl`; [`crate::seal`] makes a chain of those. The journal is written, never read to allow
//! something: whoever runs commands as this user can write it too.
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// Name of the file that grows.
pub const CURRENT: &str = "journal.jsonl";
/// How long a rotation waits for another one, before it leaves the work to it.
const PATIENCE: Duration = Duration::from_millis(200);

/// The journal of a state folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    folder: PathBuf,
    max_bytes: u64,
}

impl Journal {
    /// The journal in this state folder; `max_bytes` is the size at which the file is moved aside.
    pub fn new(state: &Path, max_bytes: u64) -> Journal {
        Journal { folder: state.join("journal"), max_bytes }
    }

    /// The file that grows.
    pub fn current(&self) -> PathBuf {
        self.folder.join(CURRENT)
    }

    /// Appends one record.
    ///
    /// # Errors
    /// It could not be written whole. What that means is for the caller to say (`journal.required`). A failed
    /// rotation is no error: the record stands, and the next one tries again.
    pub fn append(&self, record: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_string(record)?;
        // JSON escapes line ends inside strings, so a record is a line by construction.
        line.push('\n');
        let path = self.current();
        let before = match sys::edit::append(&path, line.as_bytes()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                sys::edit::private_folder(&self.folder)?;
                sys::edit::append(&path, line.as_bytes())?
            }
            done => done?,
        };
        if before.saturating_add(line.len() as u64) >= self.max_bytes {
            let _ = self.rotate();
        }
        Ok(())
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the lock under which files are renamed; `None` if somebody else holds it all that time.
    ///
    /// # Errors
    /// Those of locking.
    pub(crate) fn lock(&self, patience: Duration) -> io::Result<Option<sys::edit::Lock>> {
        match sys::edit::lock(&self.folder.join("lock"), patience) {
            Err(e) if e.kind() == io::ErrorKind::TimedOut => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// Moves the file aside if it is past its size; returns its new name, or `None` if it was somebody else's
    /// turn.
    ///
    /// # Errors
    /// Those of locking and renaming.
    pub fn rotate(&self) -> io::Result<Option<PathBuf>> {
        let Some(_lock) = self.lock(PATIENCE)? else { return Ok(None) };
        // Whoever held the lock before may have done it already.
        let path = self.current();
        if fs::symlink_metadata(&path)?.len() < self.max_bytes {
            return Ok(None);
        }
        let mut at = sys::time::now_ms();
        let taken = |name: String| fs::symlink_metadata(self.folder.join(name)).is_ok();
        while taken(format!("{}.jsonl", stem(at))) || taken(format!("{}{}", stem(at), crate::seal::SEALED)) {
            at += 1;
        }
        let new = self.folder.join(format!("{}.jsonl", stem(at)));
        fs::rename(&path, &new)?;
        Ok(Some(new))
    }

    /// The files of the journal, oldest first.
    ///
    /// # Errors
    /// The folder exists but cannot be read.
    pub fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut out = Vec::new();
        let entries = match fs::read_dir(&self.folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(out),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if name.starts_with("journal-") && name.ends_with(".jsonl") {
                out.push(entry.path());
            }
        }
        out.sort();
        let current = self.current();
        if current.exists() {
            out.push(current);
        }
        Ok(out)
    }

    /// Every record, oldest first, with the lines that are none.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&self) -> io::Result<Reading> {
        let mut out = Reading::default();
        for file in self.files()? {
            read_file(&file, &mut out)?;
        }
        Ok(out)
    }

    /// Hands out the records of one file after the other, the newest file first (in each the oldest record first), until
    /// `enough` says so or the files looked at have that many bytes together. True if there are older files.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn recent(&self, bytes: u64, mut enough: impl FnMut(Reading) -> bool) -> io::Result<bool> {
        let files = self.files()?;
        let mut room = bytes;
        for (n, file) in files.iter().rev().enumerate() {
            let size = fs::symlink_metadata(file).map_or(0, |m| m.len());
            if n > 0 && size > room {
                return Ok(true);
            }
            room = room.saturating_sub(size);
            let mut reading = Reading::default();
            read_file(file, &mut reading)?;
            if enough(reading) {
                return Ok(n + 1 < files.len());
            }
        }
        Ok(false)
    }
}

/// The name, without its ending, of a file that was moved aside at this time (milliseconds since 1970): as many digits
/// for every time to come, so that names sort by age.
pub(crate) fn stem(at_ms: u64) -> String {
    format!("journal-{at_ms:015}")
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The records.
    pub records: Vec<Value>,
    /// What was skipped, and why.
    pub skipped: Vec<Skipped>,
}

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its file.
    pub file: PathBuf,
    /// Its number, from 1.
    pub line: usize,
    /// True if it is the last line and has no end: a write that was cut short, or is still going on.
    pub torn: bool,
}

fn read_file(file: &Path, out: &mut Reading) -> io::Result<()> {
    let mut reader = BufReader::new(sys::file::open_regular(file)?);
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let torn = bytes.last() != Some(&b'\n');
        // A line without its end may be half of a number; it is not believed even if it parses.
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(record) if !torn && crate::seal::is_seal(&record) => {}
            Ok(record) if !torn && record.is_object() => out.records.push(record),
            _ => {
                out.skipped.push(Skipped { file: file.to_path_buf(), line, torn });
                out.records.extend(behind(&bytes).filter(|_| !torn));
            }
        }
    }
    Ok(())
}

/// How every record begins. Inside a string its quotes would be escaped.
const BEGIN: &[u8] = b"{\"v\":";

/// The record that was written behind one that had been cut short (a full disk): the two share a line.
fn behind(line: &[u8]) -> Option<Value> {
    let at = line.windows(BEGIN.len()).rposition(|w| w == BEGIN).filter(|at| *at > 0)?;
    serde_json::from_slice::<Value>(line.get(at..)?).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn records_come_back_in_order_across_files() {
        let dir = tempfile::tempdir().unwrap();
        let j = Journal::new(&dir.path().join("state"), 200);
        assert!(j.read().unwrap().records.is_empty());
        for n in 0..50 {
            j.append(&json!({"n": n, "text": "line\nend"})).unwrap();
        }
        assert!(j.files().unwrap().len() > 5);
        let r = j.read().unwrap();
        assert_eq!(
            r.records.iter().map(|r| r["n"].as_u64().unwrap()).collect::<Vec<_>>(),
            (0..50).collect::<Vec<_>>()
        );
        assert!(r.skipped.is_empty());
        let recent = |bytes, most: usize| {
            let mut files: Vec<Vec<Value>> = Vec::new();
            let older = j.recent(bytes, |r| {
                files.push(r.records);
                files.len() == most
            });
            files.reverse();
            (files.concat(), older.unwrap())
        };
        assert_eq!(recent(u64::MAX, usize::MAX), (r.records.clone(), false));
        let (few, older) = recent(400, usize::MAX);
        assert!(older && few.len() < 20 && few.last() == r.records.last());
        assert!(recent(u64::MAX, 2).1 && recent(0, usize::MAX).1);
        assert_eq!(recent(0, usize::MAX), recent(u64::MAX, 1));
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir.path().join("state/journal")), mode(&j.files().unwrap()[0])), (0o700, 0o600));
    }

    #[test]
    fn a_torn_line_is_skipped_and_said() {
        let dir = tempfile::tempdir().unwrap();
        let j = Journal::new(dir.path(), 1 << 20);
        j.append(&json!({"n": 1})).unwrap();
        let mut f = fs::OpenOptions::new().append(true).open(j.current()).unwrap();
        f.write_all(b"nonsense\n12\n{\"n\": 2}").unwrap();
        let r = j.read().unwrap();
        assert_eq!(r.records, [json!({"n": 1})]);
        assert_eq!(
            r.skipped.iter().map(|s| (s.line, s.torn)).collect::<Vec<_>>(),
            [(2, false), (3, false), (4, true)]
        );
    }

    #[test]
    fn a_record_behind_a_torn_one_is_not_lost() {
        let dir = tempfile::tempdir().unwrap();
        let j = Journal::new(dir.path(), 1 << 20);
        j.append(&json!({"v": 1, "n": 1})).unwrap();
        let mut f = fs::OpenOptions::new().append(true).open(j.current()).unwrap();
        f.write_all(br#"{"v":1,"text":"{\"v\":1}"#).unwrap();
        j.append(&json!({"v": 1, "text": "{\"v\":"})).unwrap();
        let r = j.read().unwrap();
        assert_eq!(r.records, [json!({"v": 1, "n": 1}), json!({"v": 1, "text": "{\"v\":"})]);
        assert_eq!(r.skipped.iter().map(|s| (s.line, s.torn)).collect::<Vec<_>>(), [(2, false)]);
    }

    #[test]
    fn what_never_ends_is_not_read() {
        for odd in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let j = Journal::new(dir.path(), 1 << 20);
            fs::create_dir(dir.path().join("journal")).unwrap();
            if odd {
                let made = std::process::Command::new("mkfifo").arg(j.current()).status().unwrap();
                assert!(made.success());
            } else {
                std::os::unix::fs::symlink("/dev/zero", j.current()).unwrap();
            }
            assert_eq!(j.read().unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn many_writers_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let j = Journal::new(dir.path(), 2000);
        std::thread::scope(|s| {
            for t in 0..8 {
                let j = &j;
                s.spawn(move || (0..100).for_each(|n| j.append(&json!({"t": t, "n": n})).unwrap()));
            }
        });
        let r = j.read().unwrap();
        assert_eq!((r.records.len(), r.skipped.len()), (800, 0));
    }

    #[test]
    fn no_link_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let j = Journal::new(dir.path(), 100);
        fs::create_dir(dir.path().join("journal")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("there"), j.current()).unwrap();
        assert!(j.append(&json!({})).is_err());
        assert!(!dir.path().join("there").exists());
    }
}
