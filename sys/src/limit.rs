//! Limits of this process (getrlimit(2)).
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
