//! Signals that tell us to end while a command is watched: they are read like a stream, so that the command is ended first
//! (signalfd(2)).
#[cfg(any(target_os = "linux", target_os = "android"))]
pub use linux::{Told, with_parent};

use std::io;
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd, RawFd};

use nix::unistd::Pid;

/// A hold on a child by which it can be told to end, also by another thread than the one that waits for it: once it is
/// over nobody else is told in its place.
#[derive(Debug)]
pub struct Hold(OwnedFd);

impl Hold {
    /// On a child that was not waited for yet. `None` where the kernel has no such hold (pidfd_open(2), Linux 5.3).
    pub fn on(child: &std::process::Child) -> Option<Hold> {
        crate::spawn::ended(Pid::from_raw(i32::try_from(child.id()).ok()?)).map(Hold)
    }

    /// TERM: pidfd_send_signal(2).
    ///
    /// # Errors
    /// `ESRCH`: it is over.
    #[cfg(target_os = "linux")]
    pub fn tell(&self) -> io::Result<()> {
        let (fd, none): (RawFd, *const libc::siginfo_t) = (self.0.as_raw_fd(), std::ptr::null());
        // SAFETY: takes a descriptor that is open, a number, and no structure.
        let done = unsafe { libc::syscall(libc::SYS_pidfd_send_signal, fd, libc::SIGTERM, none, 0) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// There is none here.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(target_os = "linux"))]
    pub fn tell(&self) -> io::Result<()> {
        let _ = &self.0;
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};

    use nix::sys::signal::{SigSet, SigmaskHow, Signal};
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    /// What somebody sends who wants us gone and leaves us the time for it.
    const ENDS: &[Signal] = &[Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

    /// They are held back and can be read until this is dropped.
    #[derive(Debug)]
    pub struct Told {
        fd: SignalFd,
        before: SigSet,
    }

    impl Told {
        /// From now on.
        ///
        /// # Errors
        /// Those of the calls.
        pub fn listen() -> io::Result<Told> {
            let mut set = SigSet::empty();
            ENDS.iter().filter(|s| !ignored(**s)).for_each(|s| set.add(*s));
            let fd = SignalFd::with_flags(&set, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
            let before = set.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
            Ok(Told { fd, before })
        }

        /// Signals that were held back before, which is what the command begins with.
        pub fn before(&self) -> SigSet {
            self.before
        }

        /// Can be read when one came.
        pub fn fd(&self) -> Option<BorrowedFd<'_>> {
            Some(self.fd.as_fd())
        }

        /// True if one came since the last look.
        pub fn came(&self) -> bool {
            matches!(self.fd.read_signal(), Ok(Some(_)))
        }
    }

    impl Drop for Told {
        fn drop(&mut self) {
            // What came late told of nothing more: the command is over, and its result is still to be said.
            while self.came() {}
            let _ = self.before.thread_set_mask();
        }
    }

    /// Whoever started us wants none of it (nohup(1)). Held back it would be read all the same.
    fn ignored(signal: Signal) -> bool {
        // SAFETY: an all-zero sigaction is a valid value of this structure of numbers and an optional function.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: without a new action the call only writes the present one, into a structure of ours: sigaction(2).
        let n = unsafe { libc::sigaction(signal as libc::c_int, std::ptr::null(), &raw mut now) };
        n == 0 && now.sa_sigaction == libc::SIG_IGN
    }

    /// From now on we are told to end when the thread that started us does: prctl(2), `PR_SET_PDEATHSIG`. For a program
    /// whose parent waits for it.
    ///
    /// # Errors
    /// Those of the call.
    pub fn with_parent() -> io::Result<()> {
        Ok(nix::sys::prctl::set_pdeathsig(Some(Signal::SIGTERM))?)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub use elsewhere::{Told, with_parent};

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod elsewhere {
    use std::io;
    use std::os::fd::BorrowedFd;

    use nix::sys::signal::SigSet;

    /// Nothing is read: a signal does what it does.
    #[derive(Debug)]
    pub struct Told;

    impl Told {
        /// Nothing is changed.
        ///
        /// # Errors
        /// Those of the call.
        pub fn listen() -> io::Result<Told> {
            Ok(Told)
        }

        /// Signals that are held back.
        pub fn before(&self) -> SigSet {
            SigSet::thread_get_mask().unwrap_or_else(|_| SigSet::empty())
        }

        /// There is none.
        pub fn fd(&self) -> Option<BorrowedFd<'_>> {
            None
        }

        /// Never.
        pub fn came(&self) -> bool {
            false
        }
    }

    /// Cannot be asked for.
    ///
    /// # Errors
    /// Never.
    pub fn with_parent() -> io::Result<()> {
        Ok(())
    }
}
