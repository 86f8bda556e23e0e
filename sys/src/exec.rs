//! The one way out: this process becomes the command.
//!
//! *By path, after a second look.* `execveat(2)` on a descriptor would close the moment between the look and
//! the exec, but it shows (measured on Linux 6.18): `AT_EXECFN` becomes `/dev/fd/N`, the program's name in
//! `ps` becomes the last name of what a symbolic link leads to (before Linux 6.14: the number of the
//! descriptor), and a `#!` script is run as `/dev/fd/N`, which it sees as `$0` and which fails if the
//! descriptor is close-on-exec. What remains is that whoever can replace the file can do so in the
//! microseconds between the two calls; the same person could have replaced it before we looked. Files that
//! only root can replace have no such moment.
use std::convert::Infallible;
use std::ffi::{CString, OsStr, c_char};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use policy::{FileId, Permit, World};

/// Why the command did not start. It never did: this is only returned if no exec took place.
#[derive(Debug, PartialEq, Eq)]
pub enum ExecError {
    /// This file is not what was judged any more.
    Changed(Vec<u8>),
    /// An argument, a variable or the path holds a NUL byte.
    Nul,
    /// The policy demands that this safe bin be confined, and the kernel did not.
    Unconfined(String),
    /// What the runtime changed could not be given back: the kernel's error.
    Restore(Errno),
    /// The interpreter of this script does not exist: the path, and what its `#!` line names.
    Interpreter(Vec<u8>, Vec<u8>),
    /// The kernel refused: the path and its error.
    Kernel(Vec<u8>, Errno),
}

impl ExecError {
    /// True if the cause is that a file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, ExecError::Kernel(_, Errno::ENOENT))
    }

    /// The file it is about, raw bytes.
    pub fn path(&self) -> Option<&[u8]> {
        match self {
            ExecError::Changed(p) | ExecError::Interpreter(p, _) | ExecError::Kernel(p, _) => Some(p),
            ExecError::Nul | ExecError::Unconfined(_) | ExecError::Restore(_) => None,
        }
    }
}

impl fmt::Display for ExecError {
    /// Without the file, which is foreign bytes and shown by the caller: see [`ExecError::path`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExecError::Changed(_) => write!(f, "changed between the judgement and the exec"),
            ExecError::Nul => write!(f, "an argument holds a NUL byte"),
            ExecError::Unconfined(name) => write!(f, "{name} must be confined, and this host cannot"),
            ExecError::Restore(e) => {
                write!(f, "signals and descriptors could not be given back: {}", io::Error::from(*e))
            }
            ExecError::Interpreter(..) => write!(f, "the interpreter of its #! line does not exist"),
            ExecError::Kernel(_, Errno::ENOEXEC) => {
                write!(f, "neither a program of this machine nor a #! script")
            }
            ExecError::Kernel(_, e) => write!(f, "{}", io::Error::from(*e)),
        }
    }
}

impl std::error::Error for ExecError {}

/// Becomes the command. Returns only if that did not work; the runtime's changes are given back by then, so
/// all that is left is to say why and to exit.
pub fn replace(permit: Permit) -> ExecError {
    match Ready::new(permit) {
        Ok(ready) => {
            let Err(e) = ready.go();
            ready.why(e)
        }
        Err(e) => e,
    }
}

/// A permit whose files were looked at once more, and that has every string the kernel wants: from here on the exec
/// needs no memory and asks nothing.
pub(crate) struct Ready {
    path: Vec<u8>,
    c_path: CString,
    argv: CStrings,
    env: CStrings,
    permit: Permit,
}

/// Strings as execve(2) takes them.
struct CStrings {
    /// Never touched again: `list` points into these.
    _words: Vec<CString>,
    /// A pointer to each, then a null pointer.
    list: Vec<*const c_char>,
}

impl CStrings {
    /// `None` if a word holds a NUL byte.
    fn new(words: &[Vec<u8>]) -> Option<CStrings> {
        let words = strings(words)?;
        let list = words.iter().map(|w| w.as_ptr()).chain([std::ptr::null()]).collect();
        Some(CStrings { _words: words, list })
    }
}

/// Which of the last steps failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// [`ExecError::Unconfined`].
    Confine,
    /// [`ExecError::Restore`].
    Restore(Errno),
    /// execve(2).
    Kernel(Errno),
}

impl Ready {
    /// Looks at the files.
    ///
    /// # Errors
    ///
    /// One is not what was judged any more, or a string holds a NUL byte.
    pub(crate) fn new(permit: Permit) -> Result<Ready, ExecError> {
        let Some((argv, env)) = CStrings::new(permit.argv()).zip(CStrings::new(permit.env())) else {
            return Err(ExecError::Nul);
        };
        let exe = permit.exe();
        let typed = permit.argv().first().map(Vec::as_slice).unwrap_or_default();
        let Some(path) = unchanged(typed, &exe.found, &exe.id) else {
            return Err(ExecError::Changed(exe.found.clone()));
        };
        let Ok(c_path) = CString::new(path.clone()) else { return Err(ExecError::Nul) };
        for other in permit.recheck() {
            if crate::world::identity(&other.found) != Some(other.id) {
                return Err(ExecError::Changed(other.found.clone()));
            }
        }
        Ok(Ready { path, c_path, argv, env, permit })
    }

    /// Becomes it; returns the step that failed.
    pub(crate) fn go(&self) -> Result<Infallible, Step> {
        crate::confine::confine(self.permit.confine()).map_err(|()| Step::Confine)?;
        crate::entry::restore().map_err(Step::Restore)?;
        // SAFETY: a C string, and two lists of pointers to C strings that end with a null pointer; all of them are ours
        // and live longer than the call, which returns only if it failed.
        unsafe { libc::execve(self.c_path.as_ptr(), self.argv.list.as_ptr(), self.env.list.as_ptr()) };
        Err(Step::Kernel(Errno::last()))
    }

    /// What that step's failure means.
    pub(crate) fn why(&self, step: Step) -> ExecError {
        match step {
            Step::Confine => {
                let name = self.permit.confine().map(|(name, _)| name.to_owned());
                ExecError::Unconfined(name.unwrap_or_default())
            }
            Step::Restore(e) => ExecError::Restore(e),
            Step::Kernel(e) => explain(self.path.clone(), e),
        }
    }
}

/// Becomes the program of this name that lies beside our own, with these arguments and our environment: what
/// `exec-guard WORD` does for words it does not know. No caller can choose what that is, and whoever can put a
/// file there could have replaced the guard.
pub fn companion(name: &str, argv: &[Vec<u8>]) -> ExecError {
    let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
    let path = own.with_file_name(name).into_os_string().into_encoded_bytes();
    let (Some(argv), Some(env)) = (strings(argv), strings(&crate::environ::entries())) else {
        return ExecError::Nul;
    };
    let Ok(c_path) = CString::new(path.clone()) else { return ExecError::Nul };
    if let Err(e) = crate::entry::restore() {
        return ExecError::Restore(e);
    }
    let Err(e) = nix::unistd::execve(&c_path, &argv, &env);
    explain(path, e)
}

/// The path to give to the kernel, if the file is still what was judged.
///
/// A caller who named it by a path gets that spelling, since a script sees it as `$0`; any other gets the path
/// as found.
fn unchanged(typed: &[u8], found: &[u8], id: &FileId) -> Option<Vec<u8>> {
    let same = |path: &[u8]| crate::world::identity(path).as_ref() == Some(id);
    if typed.contains(&b'/') && same(typed) {
        return Some(typed.to_vec());
    }
    same(found).then(|| found.to_vec())
}

fn strings(words: &[Vec<u8>]) -> Option<Vec<CString>> {
    words.iter().map(|w| CString::new(w.as_slice()).ok()).collect()
}

/// `ENOENT` of a file that exists means that what it needs to be run does not.
fn explain(path: Vec<u8>, e: Errno) -> ExecError {
    if e != Errno::ENOENT || !Path::new(OsStr::from_bytes(&path)).exists() {
        return ExecError::Kernel(path, e);
    }
    // A program whose loader is missing (an ELF file of another C library) has no `#!` line: the word is empty.
    let absolute = std::path::absolute(OsStr::from_bytes(&path)).unwrap_or_default();
    let head = crate::world::Host::new().head(absolute.as_os_str().as_bytes()).unwrap_or_default();
    let line = head.strip_prefix(b"#!").and_then(|l| l.split(|b| *b == b'\n').next()).unwrap_or_default();
    let word = line.trim_ascii().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    ExecError::Interpreter(path, word.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn bytes(p: &Path) -> Vec<u8> {
        p.as_os_str().as_bytes().to_vec()
    }

    #[test]
    fn a_file_that_changed_has_no_path() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        std::fs::write(&f, "one").unwrap();
        let id = crate::world::identity(&bytes(&f)).unwrap();
        let link = dir.path().join("l");
        symlink(&f, &link).unwrap();
        // The spelling of the caller, if it is a path to the same file.
        assert_eq!(unchanged(&bytes(&link), &bytes(&f), &id), Some(bytes(&link)));
        assert_eq!(unchanged(b"f", &bytes(&f), &id), Some(bytes(&f)));
        assert_eq!(unchanged(b"/bin/sh", &bytes(&f), &id), Some(bytes(&f)));
        std::fs::write(&f, "two!").unwrap();
        assert_eq!(unchanged(b"f", &bytes(&f), &id), None);
        std::fs::remove_file(&f).unwrap();
        assert_eq!(unchanged(&bytes(&link), &bytes(&f), &id), None);
    }

    #[test]
    fn a_missing_interpreter_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let f = dir.path().join("f");
        std::fs::write(&f, "#! /no/such  -x\n").unwrap();
        let want = ExecError::Interpreter(bytes(&f), b"/no/such".to_vec());
        assert_eq!(explain(bytes(&f), Errno::ENOENT), want);
        assert_eq!(
            explain(b"/none".to_vec(), Errno::ENOENT),
            ExecError::Kernel(b"/none".to_vec(), Errno::ENOENT)
        );
        assert_eq!(explain(bytes(&f), Errno::EACCES), ExecError::Kernel(bytes(&f), Errno::EACCES));
    }

    #[test]
    fn nul_bytes_have_no_c_string() {
        assert!(strings(&[b"a\0b".to_vec()]).is_none());
        assert_eq!(strings(&[b"a".to_vec()]).unwrap().len(), 1);
    }
}
