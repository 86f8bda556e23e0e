//! Reading a file that only its rightful owner could have written.
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::Mode;
use policy::FileId;

/// Who may own a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Root only, and the same for every folder above it: the system layer. No group or world write anywhere.
    Root,
    /// This user or root; at most 0644: the user layer.
    User(u32),
}

/// Why a file was not read.
#[derive(Debug)]
pub enum FileError {
    /// It does not exist.
    Missing,
    /// It could not be opened, looked at or read.
    Io(io::Error),
    /// It is no regular file.
    NotRegular,
    /// Somebody else owns it, by user id.
    Owner(u32),
    /// Somebody besides its owner can change it (or, in the user layer, run it): permission bits.
    Mode(u32),
    /// It is larger than this many bytes.
    TooBig(u64),
    /// It was changed while it was read.
    Changed,
    /// A folder above it is not its owner's alone.
    Folder(PathBuf, Box<FileError>),
}

impl FileError {
    /// True if there is no such file, which is not a fault of the file.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Missing)
    }
}

impl From<io::Error> for FileError {
    fn from(e: io::Error) -> FileError {
        if e.kind() == io::ErrorKind::NotFound { FileError::Missing } else { FileError::Io(e) }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Missing => write!(f, "does not exist"),
            FileError::Io(e) => write!(f, "{e}"),
            FileError::NotRegular => write!(f, "is not a regular file"),
            FileError::Owner(uid) => write!(f, "belongs to user {uid}, who could have written it"),
            FileError::Mode(mode) => write!(f, "has mode {mode:04o}, so that others could have written it"),
            FileError::TooBig(max) => write!(f, "is larger than {max} bytes"),
            FileError::Changed => write!(f, "was changed while it was read"),
            // The path is one of ours or of root's; it is shown with its odd bytes escaped all the same.
            FileError::Folder(path, e) => write!(f, "lies in {path:?}, which {e}"),
        }
    }
}

impl std::error::Error for FileError {}

/// Opens without being held up by a fifo, taking a terminal or leaking the descriptor.
///
/// By openat(2): musl's open(3), which std uses, sets close-on-exec a second time by a call of its own.
pub(crate) fn open_with(path: &Path, how: OFlag, mode: u32) -> io::Result<File> {
    let flags = how | OFlag::O_CLOEXEC | OFlag::O_NOCTTY | OFlag::O_NONBLOCK;
    loop {
        match openat(AT_FDCWD, path, flags, Mode::from_bits_truncate(mode)) {
            Ok(fd) => return Ok(fd.into()),
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}

/// Opens for reading.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OFlag::O_RDONLY, 0)
}

/// Opens a regular file for reading; what would hold the reader up or never end (a fifo, a device) is refused.
///
/// # Errors
///
/// Those of open(2); [`io::ErrorKind::InvalidInput`] if it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{path:?} is no regular file")));
    }
    Ok(file)
}

/// Reads a small file by as few calls as can be, at most `max` bytes: for files of the kernel (proc(5)) and of
/// root, whose owner and mode are nobody's doubt.
///
/// # Errors
///
/// Those of the calls; [`io::ErrorKind::FileTooLarge`].
pub(crate) fn slurp(path: &Path, max: usize) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    // Room that is not touched unless it is filled, and given back: the allocation is the last one.
    let mut out: Vec<u8> = Vec::with_capacity(16 << 10);
    loop {
        match Errno::result(fill(&file, &mut out)) {
            Ok(_) if out.len() > max => return Err(io::ErrorKind::FileTooLarge.into()),
            // A read that leaves room has seen the end: so it is for regular files and for those of proc(5) that
            // are read here.
            Ok(_) if out.len() < out.capacity() => {
                out.shrink_to_fit();
                return Ok(out);
            }
            Ok(_) => out.reserve(out.len()),
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}

/// One read(2) into the free room of a vector: the number of bytes, or -1.
fn fill(file: &File, out: &mut Vec<u8>) -> isize {
    let room = out.spare_capacity_mut();
    // SAFETY: the pointer is to that many bytes that are ours; the kernel writes them and reads none.
    let n = unsafe { libc::read(file.as_raw_fd(), room.as_mut_ptr().cast(), room.len()) };
    let len = out.len() + usize::try_from(n).unwrap_or(0);
    // SAFETY: the kernel has written the bytes up to the new length, which is within the capacity.
    unsafe { out.set_len(len) };
    n
}

/// Reads a file that only its rightful owner could have written, at most `max` bytes, and says which file that
/// was. What is checked is the open descriptor, so nobody can put another file in its place in between.
///
/// # Errors
///
/// [`FileError::Missing`] if there is none; every other error means that it must not be believed.
pub fn open_checked(path: &Path, owner: Owner, max: u64) -> Result<(Vec<u8>, FileId), FileError> {
    let file = Checked::open(path, owner)?;
    let id = file.id();
    Ok((file.read(max)?, id))
}

/// An open file that only its rightful owner could have written; nothing of it was read yet.
#[derive(Debug)]
pub struct Checked {
    file: File,
    meta: Metadata,
}

impl Checked {
    /// Opens and checks.
    ///
    /// # Errors
    ///
    /// Those of [`open_checked`], but for the size.
    pub fn open(path: &Path, owner: Owner) -> Result<Checked, FileError> {
        let file = open(path)?;
        let meta = file.metadata()?;
        rightful(&meta, owner)?;
        if owner == Owner::Root {
            folders(path)?;
        }
        Ok(Checked { file, meta })
    }

    /// Which file it is.
    pub fn id(&self) -> FileId {
        crate::world::id(&self.meta)
    }

    /// The whole content as it lies in the file, at most `max` bytes: for a file that is replaced when it changes and
    /// never written in place. (One that is cut short while it is looked at ends the process by a signal: nothing is
    /// run.)
    ///
    /// # Errors
    ///
    /// It is empty or larger, or cannot be mapped.
    pub fn map(self, max: u64) -> Result<Mapped, FileError> {
        let len = usize::try_from(self.meta.len()).ok().filter(|_| self.meta.len() <= max);
        let len = len.ok_or(FileError::TooBig(max))?;
        let (access, kind) = (libc::PROT_READ, libc::MAP_PRIVATE);
        // SAFETY: no place is asked for, so no mapping of ours is replaced; the descriptor is open for reading.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len, access, kind, self.file.as_raw_fd(), 0) };
        if at == libc::MAP_FAILED {
            return Err(FileError::Io(io::Error::last_os_error()));
        }
        Ok(Mapped { at: at.cast_const().cast(), len })
    }

    /// The whole content, at most `max` bytes.
    ///
    /// # Errors
    ///
    /// It is larger, was changed meanwhile, or cannot be read.
    pub fn read(mut self, max: u64) -> Result<Vec<u8>, FileError> {
        read(&mut self.file, &self.meta, max)
    }
}

/// A file in memory: what is not looked at is not read.
#[derive(Debug)]
pub struct Mapped {
    at: *const u8,
    len: usize,
}

// SAFETY: the memory is read only, by us and by nobody else, and stays until the value is dropped.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `Checked::map` has mapped that many bytes there, readable, and nothing unmaps them before the drop. The
        // file is one that is replaced, never written in place, by its rightful owner, who alone could.
        unsafe { std::slice::from_raw_parts(self.at, self.len) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: a mapping of that length of our own, which nobody refers to any more.
        unsafe { libc::munmap(self.at.cast_mut().cast(), self.len) };
    }
}

/// Type, owner and mode of a document.
fn rightful(meta: &Metadata, owner: Owner) -> Result<(), FileError> {
    if !meta.is_file() {
        return Err(FileError::NotRegular);
    }
    let (mine, forbidden) = match owner {
        Owner::Root => (0, 0o7022),
        Owner::User(uid) => (uid, 0o7133),
    };
    if meta.uid() != mine && meta.uid() != 0 {
        return Err(FileError::Owner(meta.uid()));
    }
    if meta.mode() & forbidden != 0 {
        return Err(FileError::Mode(meta.mode() & 0o7777));
    }
    Ok(())
}

/// Every folder above a file of the system layer is root's and nobody else can write it. Then nobody else can
/// move anything on the way there, so a look by name is as good as one by descriptor.
fn folders(path: &Path) -> Result<(), FileError> {
    let mut linked = false;
    for folder in path.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty()) {
        let meta = std::fs::symlink_metadata(folder)?;
        let fault = |e| Err(FileError::Folder(folder.to_path_buf(), Box::new(e)));
        if meta.uid() != 0 {
            return fault(FileError::Owner(meta.uid()));
        }
        if meta.is_symlink() {
            linked = true;
        } else if meta.mode() & 0o022 != 0 {
            return fault(FileError::Mode(meta.mode() & 0o7777));
        }
    }
    // The file itself may be a link as well: then where it lands is judged too.
    if linked || std::fs::symlink_metadata(path)?.is_symlink() {
        return folders(&std::fs::canonicalize(path)?);
    }
    Ok(())
}

/// The whole content, which must be as long as was said: a document is replaced, never changed in place.
fn read(file: &mut File, meta: &Metadata, max: u64) -> Result<Vec<u8>, FileError> {
    if meta.len() > max {
        return Err(FileError::TooBig(max));
    }
    let size = usize::try_from(meta.len()).map_err(|_| FileError::TooBig(max))?;
    // One byte more than there should be: a read that leaves it empty has seen the end.
    let mut bytes = vec![0; size.saturating_add(1)];
    let mut len = 0;
    while let Some(rest) = bytes.get_mut(len..).filter(|r| !r.is_empty()) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => {
                len += n;
                if len == size {
                    break;
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(FileError::Io(e)),
        }
    }
    if len != size {
        return Err(FileError::Changed);
    }
    bytes.truncate(size);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn put(dir: &Path, name: &str, mode: u32) -> PathBuf {
        let path = dir.join(name);
        std::fs::write(&path, "{}").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn modes() {
        let dir = tempfile::tempdir().unwrap();
        let me = Owner::User(crate::ids::uid());
        let cases = [
            (0o600, true),
            (0o644, true),
            (0o400, true),
            (0o640, true),
            (0o664, false),
            (0o646, false),
            (0o666, false),
            (0o755, false),
            (0o4600, false),
        ];
        for (mode, ok) in cases {
            let path = put(dir.path(), &format!("f{mode:o}"), mode);
            match open_checked(&path, me, 100) {
                Ok((bytes, id)) => {
                    assert!(ok, "{mode:o}");
                    assert_eq!((bytes.as_slice(), id.size), (b"{}".as_slice(), 2));
                }
                Err(e) => assert!(!ok && matches!(e, FileError::Mode(m) if m == mode), "{mode:o}: {e}"),
            }
        }
    }

    #[test]
    fn a_mapped_file_is_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let me = Owner::User(crate::ids::uid());
        let f = put(dir.path(), "f", 0o600);
        assert_eq!(Checked::open(&f, me).unwrap().map(2).unwrap().as_ref(), b"{}");
        assert!(matches!(Checked::open(&f, me).unwrap().map(1), Err(FileError::TooBig(1))));
        std::fs::write(&f, "").unwrap();
        assert!(matches!(Checked::open(&f, me).unwrap().map(1), Err(FileError::Io(_))));
    }

    #[test]
    fn faults_have_names() {
        let dir = tempfile::tempdir().unwrap();
        let me = Owner::User(crate::ids::uid());
        let f = put(dir.path(), "f", 0o600);
        assert!(open_checked(&dir.path().join("none"), me, 9).unwrap_err().is_missing());
        assert!(matches!(open_checked(&f, me, 1), Err(FileError::TooBig(1))));
        assert!(matches!(open_checked(dir.path(), me, 9), Err(FileError::NotRegular)));
        let fifo = dir.path().join("fifo");
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::from_bits_truncate(0o600)).unwrap();
        assert!(matches!(open_checked(&fifo, me, 9), Err(FileError::NotRegular)));
        assert!(matches!(open_checked(Path::new("/dev/null"), me, 9), Err(FileError::NotRegular)));
        // A file below a file is no missing document but a fault.
        assert!(matches!(open_checked(&f.join("x"), me, 9), Err(FileError::Io(_))));
    }

    #[test]
    fn another_owner() {
        if crate::ids::uid() != 0 {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let f = put(dir.path(), "f", 0o600);
        std::os::unix::fs::chown(&f, Some(4711), None).unwrap();
        assert!(matches!(open_checked(&f, Owner::User(42), 9), Err(FileError::Owner(4711))));
        assert!(matches!(open_checked(&f, Owner::Root, 9), Err(FileError::Owner(4711))));
        assert!(open_checked(&f, Owner::User(4711), 9).is_ok());
    }

    #[test]
    fn the_system_layer_looks_at_every_folder() {
        // Somewhere above a temporary folder there is one that everybody may write.
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        let f = put(dir.path(), "f", 0o644);
        match open_checked(&f, Owner::Root, 9) {
            Err(FileError::Folder(..) | FileError::Owner(_)) => {}
            other => panic!("{other:?}"),
        }
        if Path::new("/etc/passwd").exists() {
            open_checked(Path::new("/etc/passwd"), Owner::Root, 1 << 20).unwrap();
        }
    }
}
