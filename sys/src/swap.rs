//! A file put in place of another, or taken away, only if that is still what was read: for files that other programs
//! write too, by reading, changing and renaming as we do.
//!
//! Between a last look and rename(2) there is always a moment. So the two files are exchanged (`RENAME_EXCHANGE`), and
//! what came out is looked at: if it is not what was read, it goes back, and nothing was done. Nor is it where a program
//! has the old file itself open for writing, or is about to: its text would go into what nobody finds any more. (Not on a
//! filesystem without leases: there that stays open.)
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use crate::edit::{beside, free_name, landing, sync_folder};
use crate::lease::Lease;

/// How often what came out is put back, if there is something newer each time.
const ROUNDS: u32 = 32;

/// Puts a file in place of one that holds `was` (`None`: of none); false if something else is there, or somebody writes
/// it: then that stays.
/// The new file is ours, with this mode.
///
/// # Errors
///
/// Those of the calls; what was there is then as it was.
pub fn replace_unchanged(path: &Path, was: Option<&[u8]>, bytes: &[u8], mode: u32) -> io::Result<bool> {
    let path = landing(path)?;
    let temp = beside(&path, bytes, mode)?;
    let put = match was {
        Some(was) => exchange(&path, &temp, was, bytes),
        None => rename(&temp, &path, libc::RENAME_NOREPLACE).map(|()| true).or_else(|e| {
            let _ = std::fs::remove_file(&temp);
            if e == Errno::EEXIST { Ok(false) } else { Err(e.into()) }
        }),
    };
    if matches!(put, Ok(true)) {
        sync_folder(&path)?;
    }
    put
}

/// Takes away a file that holds `was`; false if something else is there, or somebody writes it: then it stays.
///
/// # Errors
///
/// Those of the calls.
pub fn remove_unchanged(path: &Path, was: &[u8]) -> io::Result<bool> {
    let temp = free_name(path).ok_or(io::ErrorKind::InvalidInput)?;
    let Some(old) = open(path)? else { return Ok(false) };
    let lease = Lease::of(&old);
    if lease.is_wanted() {
        return Ok(false);
    }
    std::fs::rename(path, &temp)?;
    if content(&temp)?.as_deref() == Some(was) && !lease.is_wanted() {
        std::fs::remove_file(&temp)?;
        return Ok(true);
    }
    match rename(&temp, path, libc::RENAME_NOREPLACE) {
        Ok(()) => Ok(false),
        // There is a newer one already.
        Err(Errno::EEXIST) => std::fs::remove_file(&temp).map(|()| false),
        Err(e) => Err(e.into()),
    }
}

/// Files beside this one that have the names which [`replace_unchanged`] and [`remove_unchanged`] give: of a run that was
/// killed. Whether there is in them what we wrote, or what another program did, is not known here.
pub fn left(path: &Path) -> Vec<PathBuf> {
    let Ok(path) = landing(path) else { return Vec::new() };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let begin = [b".", name.as_bytes(), b"."].concat();
    let digits = |d: &[u8]| d.len() == 16 && d.iter().all(u8::is_ascii_hexdigit);
    let ours = |name: &[u8]| {
        let rest = name.strip_prefix(begin.as_slice());
        rest.and_then(|rest| rest.strip_suffix(b".tmp")).is_some_and(digits)
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    // Of the entry itself: no link is followed.
    let mine = |m: std::fs::Metadata| m.is_file() && m.uid() == crate::ids::uid();
    let mut out: Vec<PathBuf> = entries
        .filter(|e| ours(e.file_name().as_bytes()) && e.metadata().is_ok_and(mine))
        .map(|e| e.path())
        .collect();
    out.sort();
    out
}

fn exchange(path: &Path, temp: &Path, was: &[u8], bytes: &[u8]) -> io::Result<bool> {
    let drop = || {
        let _ = std::fs::remove_file(temp);
    };
    let old = open(path).inspect_err(|_| drop())?;
    let lease = old.as_ref().map_or(Lease::Unknown, Lease::of);
    // For a filesystem that cannot exchange this is the last look.
    if lease.is_wanted() || content(path).inspect_err(|_| drop())?.as_deref() != Some(was) {
        drop();
        return Ok(false);
    }
    match rename(temp, path, libc::RENAME_EXCHANGE) {
        Ok(()) => {}
        Err(Errno::EINVAL | Errno::ENOSYS) => {
            return std::fs::rename(temp, path).map(|()| true).inspect_err(|_| drop());
        }
        Err(e) => {
            drop();
            return if e == Errno::ENOENT { Ok(false) } else { Err(e.into()) };
        }
    }
    // What was in place lies in `temp` now. If that is not what we put there or read, it is somebody's newer one.
    let (mut expected, mut placed) = (Some(was.to_vec()), Some(bytes.to_vec()));
    for round in 0..ROUNDS {
        let out = content(temp)?;
        if out == expected && !(round == 0 && lease.is_wanted()) {
            drop();
            return Ok(round == 0);
        }
        rename(temp, path, libc::RENAME_EXCHANGE)?;
        expected = std::mem::replace(&mut placed, out);
    }
    // Not dropped: nobody knows which is the newest.
    Err(io::Error::other("is written anew all the time"))
}

/// A regular file; `None` if there is something else, or nothing.
fn open(path: &Path) -> io::Result<Option<File>> {
    match crate::file::open_regular(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) => Ok(None),
        Err(e) => Err(e),
    }
}

/// The bytes of a regular file; `None` if there is something else, or nothing.
fn content(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// renameat2(2).
fn rename(from: &Path, to: &Path, how: libc::c_uint) -> Result<(), Errno> {
    let text = |p: &Path| CString::new(p.as_os_str().as_bytes()).map_err(|_| Errno::EINVAL);
    let (from, to) = (text(from)?, text(to)?);
    // SAFETY: both are texts that end with a zero byte and outlive the call, which keeps neither.
    let n = unsafe {
        libc::syscall(libc::SYS_renameat2, libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), how)
    };
    Errno::result(n).map(|_| ())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn what_is_not_what_was_read_stays() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        assert!(replace_unchanged(&f, None, b"one", 0o600).unwrap());
        assert!(!replace_unchanged(&f, None, b"two", 0o600).unwrap());
        assert!(!replace_unchanged(&f, Some(b"other"), b"two", 0o600).unwrap());
        assert_eq!(std::fs::read(&f).unwrap(), b"one");
        assert!(replace_unchanged(&f, Some(b"one"), b"two", 0o640).unwrap());
        assert_eq!(std::fs::read(&f).unwrap(), b"two");
        assert!(!remove_unchanged(&f, b"one").unwrap());
        assert_eq!(std::fs::read(&f).unwrap(), b"two");
        assert!(remove_unchanged(&f, b"two").unwrap());
        assert!(!replace_unchanged(&f, Some(b"two"), b"three", 0o600).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    /// Emptied and about to be written, as most programs write: the text would go where nobody finds it.
    #[test]
    fn what_is_being_written_stays() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        let mut writer = File::create(&f).unwrap();
        if matches!(Lease::of(&File::open(&f).unwrap()), Lease::Unknown) {
            println!("no leases on this filesystem: what writers do is not seen here");
            return;
        }
        assert!(!replace_unchanged(&f, Some(b""), b"ours", 0o600).unwrap());
        assert!(!remove_unchanged(&f, b"").unwrap());
        writer.write_all(b"theirs").unwrap();
        assert_eq!(std::fs::read(&f).unwrap(), b"theirs");
        assert!(!replace_unchanged(&f, Some(b"theirs"), b"ours", 0o600).unwrap());
        drop(writer);
        assert!(replace_unchanged(&f, Some(b"theirs"), b"ours", 0o600).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    /// One that empties and writes the file itself, over and over, and one that adds to it by this.
    #[test]
    fn what_is_written_in_place_is_not_lost() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        std::fs::write(&f, "").unwrap();
        if matches!(Lease::of(&File::open(&f).unwrap()), Lease::Unknown) {
            println!("no leases on this filesystem: what writers do is not seen here");
            return;
        }
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let adder = scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let was = std::fs::read(&f).unwrap();
                    let new = [was.as_slice(), b"ours\n"].concat();
                    let _ = replace_unchanged(&f, Some(&was), &new, 0o600);
                }
            });
            for n in 0..400 {
                let line = format!("their {n}\n");
                std::fs::write(&f, &line).unwrap();
                // What was written stands, with or without what was added meanwhile.
                let text = std::fs::read_to_string(&f).unwrap();
                assert!(text.starts_with(&line), "{line:?} became {text:?}");
            }
            stop.store(true, Ordering::Relaxed);
            adder.join().unwrap();
        });
    }

    #[test]
    fn what_is_left_is_found_by_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        let temp = beside(&f, b"x", 0o600).unwrap();
        for name in
            [".g.0123456789abcdef.tmp", ".f.0123.tmp", ".f.0123456789abcdef", ".f.x.0123456789abcdef.tmp"]
        {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        assert_eq!(left(&f), [temp]);
    }

    /// Two writers that read, add a line and write: one as others do, by a rename, and one by this.
    #[test]
    fn no_line_of_another_writer_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        std::fs::write(&f, "").unwrap();
        let stop = AtomicBool::new(false);
        let wrote = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut wrote = BTreeSet::new();
                // Only what is ours alone can be lost by the other's doing: it never writes over what it has not read.
                for n in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let line = format!("their {n}\n");
                    let temp = dir.path().join("theirs");
                    let text: String = wrote.iter().cloned().collect();
                    std::fs::write(&temp, text + &line).unwrap();
                    std::fs::rename(&temp, &f).unwrap();
                    wrote.insert(line);
                }
                wrote
            });
            for n in 0..400 {
                let was = std::fs::read(&f).unwrap();
                let new = [was.as_slice(), format!("our {n}\n").as_bytes()].concat();
                replace_unchanged(&f, Some(&was), &new, 0o600).unwrap();
            }
            stop.store(true, Ordering::Relaxed);
            writer.join().unwrap()
        });
        // The last of theirs stands, whatever of ours came between.
        let text = std::fs::read_to_string(&f).unwrap();
        assert!(wrote.iter().all(|line| text.contains(line.as_str())), "{} lines", wrote.len());
    }
}
