//! Writing: one line appended, or a whole file put in place of another, under a lock.
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::resource::{Resource, getrlimit};

use crate::file::open_with;

/// Makes a folder that only its owner may enter (0700), and those above it.
///
/// # Errors
///
/// Those of mkdir(2). That it exists already is none.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let make = || DirBuilder::new().mode(0o700).create(path);
    let made = match (make(), path.parent()) {
        (Err(e), Some(above)) if e.kind() == io::ErrorKind::NotFound => {
            private_folder(above)?;
            make()
        }
        (made, _) => made,
    };
    match made {
        // A umask that takes the owner's own bits would leave a folder that nobody can use, for good.
        Ok(()) => std::fs::set_permissions(path, PermissionsExt::from_mode(0o700)),
        Err(_) if path.is_dir() => Ok(()),
        Err(e) => Err(e),
    }
}

/// Gives a file that was just made the mode that a umask took: without it its owner could not open it again.
fn mend_mode(file: &File, meta: &std::fs::Metadata) -> io::Result<()> {
    if meta.len() == 0 && meta.is_file() && meta.mode() & 0o600 != 0o600 && meta.uid() == crate::ids::uid() {
        file.set_permissions(PermissionsExt::from_mode(0o600))?;
    }
    Ok(())
}

/// Refuses what the limit on file sizes (`RLIMIT_FSIZE`) would not let be written: the write would send SIGXFSZ, which
/// kills, or leave a part.
fn fits(size: u64) -> io::Result<()> {
    let (soft, _) = getrlimit(Resource::RLIMIT_FSIZE)?;
    if size > soft { Err(Errno::EFBIG.into()) } else { Ok(()) }
}

/// A lock held by this process on a file, given up when dropped (or when the process ends or execs).
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // A child between fork and exec still has the descriptor: closing it would not be enough.
        let _ = self.0.unlock();
    }
}

/// Takes an exclusive lock (flock(2)) on a file, which is made (0600) if need be and never written.
///
/// # Errors
///
/// [`io::ErrorKind::TimedOut`] if somebody else holds it all that time; those of open(2). A symbolic link is
/// not followed.
pub fn lock(path: &Path, patience: Duration) -> io::Result<Lock> {
    let file = open_with(path, OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW, 0o600)?;
    mend_mode(&file, &file.metadata()?)?;
    lock_file(file, patience)
}

/// True if somebody holds a lock on a file; false also if there is none.
pub fn is_held(path: &Path) -> bool {
    let Ok(file) = crate::file::open_regular(path) else { return false };
    // Shared, so that two who look do not take each other for the holder.
    matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
}

/// Takes an exclusive lock on an open file.
pub(crate) fn lock_file(file: File, patience: Duration) -> io::Result<Lock> {
    let until = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock(file)),
            Err(TryLockError::Error(e)) if e.kind() != io::ErrorKind::Interrupted => return Err(e),
            Err(_) if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

/// Where a write to this path lands. A symbolic link is followed only if the folder it leads to has the same
/// owner as the one it lies in: nobody else can make us write there.
///
/// # Errors
///
/// [`io::ErrorKind::PermissionDenied`] for a link out of the owner's folders; those of stat(2).
pub fn landing(path: &Path) -> io::Result<PathBuf> {
    let owner = |p: &Path| -> io::Result<u32> {
        Ok(std::fs::metadata(p.parent().ok_or(io::ErrorKind::InvalidInput)?)?.uid())
    };
    match std::fs::symlink_metadata(path) {
        Ok(m) if m.is_symlink() => {
            let real = std::fs::canonicalize(path)?;
            if owner(path)? != owner(&real)? {
                return Err(io::Error::new(
                    io::ErrorKind::PermissionDenied,
                    "a symbolic link into somebody else's folder",
                ));
            }
            Ok(real)
        }
        Ok(_) => Ok(path.to_path_buf()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(path.to_path_buf()),
        Err(e) => Err(e),
    }
}

/// Puts a file in place of another, or of none: whoever reads sees the old or the new content and never a
/// part, even after a crash. The new file is ours, with this mode.
///
/// # Errors
///
/// Those of the calls; the old file is then untouched and no new one is left.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let path = landing(path)?;
    let temp = beside(&path, bytes, mode)?;
    if let Err(e) = std::fs::rename(&temp, &path) {
        let _ = std::fs::remove_file(&temp);
        return Err(e);
    }
    sync_folder(&path)
}

/// Writes a file that is to be put in place of another, to the disk, beside it: its name.
pub(crate) fn beside(path: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let temp = free_name(path).ok_or(io::ErrorKind::InvalidInput)?;
    fits(bytes.len() as u64)?;
    // O_EXCL with O_CREAT follows no link and takes no file that is there already.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temp)?;
    let written = file
        .write_all(bytes)
        // The umask may have taken bits away.
        .and_then(|()| file.set_permissions(PermissionsExt::from_mode(mode)))
        .and_then(|()| file.sync_all());
    if let Err(e) = written {
        let _ = std::fs::remove_file(&temp);
        return Err(e);
    }
    Ok(temp)
}

/// A name beside a file that nobody has and [`sweep`] knows.
pub(crate) fn free_name(path: &Path) -> Option<PathBuf> {
    let mut name = temporary(path)?;
    name.extend_from_slice(format!("{:016x}{TEMPORARY}", unique() as u64).as_bytes());
    Some(path.with_file_name(std::ffi::OsStr::from_bytes(&name)))
}

/// The name of a file is on the disk only when its folder is.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?.sync_all()
}

/// End of the names of files that are put in place of another.
const TEMPORARY: &str = ".tmp";

/// Begin of the names of files that are to be put in place of this one; 16 hexadecimal digits and [`TEMPORARY`] follow.
fn temporary(path: &Path) -> Option<Vec<u8>> {
    Some([b".", path.file_name()?.as_bytes(), b"."].concat())
}

/// Removes what a [`replace`] of this file left when it was killed: regular files of ours whose names have the form it
/// gives. For whoever holds the lock under which the file is replaced; without it a file in use would be taken away.
/// What cannot be removed stays: it is read by nobody.
pub fn sweep(path: &Path) {
    if let (Some(begin), Some(folder)) = (temporary(path), path.parent()) {
        sweep_names(folder, &begin, false);
    }
}

/// The same for every file and link of a folder; the lock must be one for all of them.
pub fn sweep_folder(folder: &Path) {
    sweep_names(folder, b".", true);
}

fn sweep_names(folder: &Path, begin: &[u8], all: bool) {
    let left = |name: &[u8]| {
        let rest = name.strip_prefix(begin).and_then(|n| n.strip_suffix(TEMPORARY.as_bytes()));
        // Of one file there is nothing between its name and the digits: that would be another file's.
        let digits = rest.map(|r| if all { r.rsplit(|b| *b == b'.').next().unwrap_or_default() } else { r });
        digits.is_some_and(|d| d.len() == 16 && d.iter().all(u8::is_ascii_hexdigit))
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        // Of the entry itself: no link is followed.
        let kind = |m: &std::fs::Metadata| m.is_file() || (all && m.is_symlink());
        let ours = |m: std::fs::Metadata| kind(&m) && m.uid() == crate::ids::uid();
        if left(entry.file_name().as_bytes()) && entry.metadata().is_ok_and(ours) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Puts a symbolic link in place of another file or link, or of none: the name is never gone, and never half there.
///
/// # Errors
///
/// Those of symlink(2) and rename(2); what was there is then as it was.
pub fn replace_link(path: &Path, to: &Path) -> io::Result<()> {
    let temp = free_name(path).ok_or(io::ErrorKind::InvalidInput)?;
    std::os::unix::fs::symlink(to, &temp)?;
    std::fs::rename(&temp, path).inspect_err(|_| {
        let _ = std::fs::remove_file(&temp);
    })
}

/// Appends to a file (made with 0600 if need be) by one write(2), so that lines of several processes never
/// mix. Returns the size it had before.
///
/// # Errors
///
/// Those of the calls; a symbolic link is not followed; a short write is [`io::ErrorKind::WriteZero`].
pub fn append(path: &Path, line: &[u8]) -> io::Result<u64> {
    let how = OFlag::O_WRONLY | OFlag::O_APPEND | OFlag::O_CREAT | OFlag::O_NOFOLLOW;
    let mut file = open_with(path, how, 0o600)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    mend_mode(&file, &meta)?;
    fits(meta.len().saturating_add(line.len() as u64))?;
    loop {
        match file.write(line) {
            Ok(n) if n == line.len() => return Ok(meta.len()),
            Ok(_) => {
                return Err(io::Error::new(io::ErrorKind::WriteZero, "only a part of the line had room"));
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Bytes of the kernel's random number generator, fit for keys and tokens.
///
/// # Errors
///
/// Those of reading `/dev/urandom`.
pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    File::open("/dev/urandom")?.read_exact(bytes)
}

/// A number that nobody else has, for ids and names of temporary files; not fit for keys. Cheap: std keys its
/// hash maps with getrandom(2) once a process.
pub fn unique() -> u128 {
    let half = |salt: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(salt);
        hasher.finish()
    };
    (u128::from(half(1)) << 64) | u128::from(half(2))
}

/// A random UUID (RFC 9562 section 5.4, version 4) in its usual spelling.
pub fn uuid() -> String {
    let n = (unique() & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let part = |shift: u32, digits: u32| (n >> shift) & ((1u128 << (digits * 4)) - 1);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        part(96, 8),
        part(80, 4),
        part(64, 4),
        part(48, 4),
        part(0, 12)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replace_leaves_one_file_with_its_mode() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        replace(&f, b"one", 0o600).unwrap();
        replace(&f, b"two", 0o644).unwrap();
        assert_eq!(std::fs::read(&f).unwrap(), b"two");
        assert_eq!(std::fs::metadata(&f).unwrap().permissions().mode() & 0o7777, 0o644);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_sweep_takes_only_what_a_replace_left() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        let left = [".f.0123456789abcdef.tmp", ".f.ffffffffffffffff.tmp"];
        let others = [
            "f",
            ".f.tmp",
            ".f.0123456789abcde.tmp",
            ".f.0123456789abcdeg.tmp",
            ".f.0123456789abcdef.tmp2",
            ".g.0123456789abcdef.tmp",
            ".f.bak.0123456789abcdef.tmp",
            "f.0123456789abcdef.tmp",
        ];
        for name in left.iter().chain(&others) {
            std::fs::write(dir.path().join(name), "x").unwrap();
        }
        let (link, folder) = (".f.1111111111111111.tmp", ".f.2222222222222222.tmp");
        std::os::unix::fs::symlink(&f, dir.path().join(link)).unwrap();
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        let foreign = ".f.3333333333333333.tmp";
        std::fs::write(dir.path().join(foreign), "x").unwrap();
        let given = std::os::unix::fs::chown(dir.path().join(foreign), Some(4711), None).is_ok();
        sweep(&f);
        let there = |name: &&str| std::fs::symlink_metadata(dir.path().join(name)).is_ok();
        assert!(!left.iter().any(there));
        assert!(others.iter().all(there) && there(&link) && there(&folder));
        assert_eq!(there(&foreign), given);
        // The form is the one that is given.
        let name = temporary(&f).unwrap();
        assert_eq!(name, b".f.");
    }

    #[test]
    fn a_link_is_followed_within_ones_own_folders_only() {
        let dir = tempfile::tempdir().unwrap();
        let (there, link) = (dir.path().join("there"), dir.path().join("link"));
        std::fs::write(&there, "old").unwrap();
        std::os::unix::fs::symlink(&there, &link).unwrap();
        replace(&link, b"new", 0o600).unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read(&there).unwrap(), b"new");
        if crate::ids::uid() == 0 {
            let foreign = dir.path().join("foreign");
            std::fs::create_dir(&foreign).unwrap();
            std::os::unix::fs::chown(&foreign, Some(4711), None).unwrap();
            std::fs::write(foreign.join("f"), "").unwrap();
            let out = dir.path().join("out");
            std::os::unix::fs::symlink(foreign.join("f"), &out).unwrap();
            assert_eq!(replace(&out, b"x", 0o600).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        }
    }

    #[test]
    fn a_lock_is_held_until_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("lock");
        let held = lock(&f, Duration::ZERO).unwrap();
        assert_eq!(lock(&f, Duration::from_millis(20)).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(is_held(&f));
        drop(held);
        assert!(!is_held(&f) && !is_held(&dir.path().join("none")));
        lock(&f, Duration::ZERO).unwrap();
    }

    #[test]
    fn append_says_the_size_before_and_follows_no_link() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("j");
        assert_eq!(append(&f, b"a\n").unwrap(), 0);
        assert_eq!(append(&f, b"b\n").unwrap(), 2);
        assert_eq!(std::fs::read(&f).unwrap(), b"a\nb\n");
        assert_eq!(std::fs::metadata(&f).unwrap().permissions().mode() & 0o777, 0o600);
        let link = dir.path().join("l");
        std::os::unix::fs::symlink(&f, &link).unwrap();
        assert!(append(&link, b"c\n").is_err());
    }

    #[test]
    fn a_umask_bricks_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let meta = |p: &Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
        let (folder, f) = (dir.path().join("a/b"), dir.path().join("f"));
        private_folder(&folder).unwrap();
        assert_eq!((meta(&folder), meta(&dir.path().join("a"))), (0o700, 0o700));
        private_folder(&folder).unwrap();
        std::fs::write(&f, "").unwrap();
        std::fs::set_permissions(&f, PermissionsExt::from_mode(0o000)).unwrap();
        let file = File::open(&f);
        // Only root opens that; whoever made it has it open.
        if let Ok(file) = file {
            mend_mode(&file, &file.metadata().unwrap()).unwrap();
            assert_eq!(meta(&f), 0o600);
        }
        std::fs::write(folder.join("f"), "").unwrap();
        assert!(private_folder(&folder.join("f")).is_err());
    }

    #[test]
    fn uuids_differ_and_have_their_marks() {
        let (a, b) = (uuid(), uuid());
        assert_ne!(a, b);
        for u in [a, b] {
            let p: Vec<&str> = u.split('-').collect();
            assert_eq!(p.iter().map(|x| x.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
            assert!(p[2].starts_with('4') && "89ab".contains(&p[3][..1]), "{u}");
        }
    }
}
