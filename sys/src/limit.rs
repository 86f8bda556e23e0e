//! Limits of this process: what it may have open (getrlimit(2)), and what others may do to it (prctl(2)).
use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the limit on open files as far as it goes, for a program that holds thousands of connections. Returns what it
/// is then.
///
/// # Errors
/// Those of the calls.
pub fn raise_files() -> io::Result<u64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft < hard {
        setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    }
    Ok(hard)
}

/// Gives up gaining privileges, and keeps others of the same user from tracing this process, reading its memory and its
/// environment, and from a core file with secrets in it. Nothing else is taken from it; what it would start inherits the
/// first.
///
/// # Errors
/// Those of prctl(2).
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn close_to_others() -> io::Result<()> {
    nix::sys::prctl::set_no_new_privs()?;
    nix::sys::prctl::set_dumpable(false)?;
    Ok(())
}

/// There is nothing like it.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`].
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn close_to_others() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
