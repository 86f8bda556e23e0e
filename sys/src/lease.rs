//! Whether a file is open for writing anywhere: a lease on it is only to be had where it is not, and is taken back as soon
//! as somebody wants to (fcntl(2), "Leases").
use std::fs::File;
use std::os::fd::AsRawFd;

use nix::errno::Errno;

/// fcntl(2); missing from libc.
const F_SETSIG: libc::c_int = 10;

/// What is known of a file's writers.
#[derive(Debug)]
pub enum Lease<'f> {
    /// Nobody has it open for writing, and whoever opens it so from now on waits until this is dropped.
    Held(Held<'f>),
    /// Somebody has.
    Busy,
    /// This cannot be told here: another's file, or a filesystem without leases.
    Unknown,
}

/// A lease. Dropping it lets those go on that wait for the file.
#[derive(Debug)]
pub struct Held<'f>(&'f File);

impl Lease<'_> {
    /// Asks for a lease on a file that is open for reading only.
    pub fn of(file: &File) -> Lease<'_> {
        // A break of the lease is told by a signal, and the default one ends a process. This one does nothing.
        if fcntl(file, F_SETSIG, libc::SIGURG).is_err() {
            return Lease::Unknown;
        }
        match fcntl(file, libc::F_SETLEASE, libc::F_RDLCK) {
            Ok(_) => Lease::Held(Held(file)),
            Err(Errno::EAGAIN) => Lease::Busy,
            Err(_) => Lease::Unknown,
        }
    }

    /// True if somebody has the file open for writing, or waits to.
    pub fn is_wanted(&self) -> bool {
        match self {
            // While it is being broken the lease is said to be what it is to become.
            Lease::Held(Held(file)) => fcntl(file, libc::F_GETLEASE, 0) != Ok(libc::F_RDLCK),
            Lease::Busy => true,
            Lease::Unknown => false,
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let _ = fcntl(self.0, libc::F_SETLEASE, libc::F_UNLCK);
    }
}

fn fcntl(file: &File, what: libc::c_int, value: libc::c_int) -> Result<libc::c_int, Errno> {
    // SAFETY: the descriptor is the file's own and open; these three take a number and no memory of ours.
    Errno::result(unsafe { libc::fcntl(file.as_raw_fd(), what, value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_is_seen_and_waits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, "x").unwrap();
        let file = File::open(&path).unwrap();
        let writer = File::options().write(true).open(&path).unwrap();
        if matches!(Lease::of(&file), Lease::Unknown) {
            println!("no leases on this filesystem: what writers do is not seen here");
            return;
        }
        assert!(matches!(Lease::of(&file), Lease::Busy));
        drop(writer);
        let held = Lease::of(&file);
        assert!(matches!(held, Lease::Held(_)) && !held.is_wanted());
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| std::fs::write(&path, "theirs"));
            while !held.is_wanted() {
                std::thread::yield_now();
            }
            assert_eq!(std::fs::read(&path).unwrap(), b"x", "it waits");
            drop(held);
            writer.join().unwrap().unwrap();
        });
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    }
}
