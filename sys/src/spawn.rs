//! A command that nobody waits for: this process goes on behind its caller's back, starts the command with pipes for
//! what it writes, and sees how it ends.
//!
//! The program has one thread, so that after fork(2) the child may do what its parent could; between that and the exec
//! it does no more than duplicate descriptors, give back signals, and call execve(2), all of them safe in a handler
//! (signal-safety(7)). What needs memory was done before ([`Ready`]).
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};
use policy::Permit;

use crate::exec::{ExecError, Ready, Step};

/// Where a process is after [`detach`].
#[derive(Debug)]
#[must_use]
pub enum Side {
    /// The one that was called. The other one is on its own by now.
    Caller(Child),
    /// The one that goes on: it leads a session without a terminal, and its standard descriptors are `/dev/null`.
    Detached,
}

/// The process that went on.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    status: Option<u32>,
}

impl Child {
    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Its exit code, or 128 + signal, if it ended.
    pub fn ended(&mut self) -> Option<u32> {
        if self.status.is_none() {
            self.status = waitpid(self.pid, Some(WaitPidFlag::WNOHANG)).ok().and_then(status);
        }
        self.status
    }
}

/// Exit code, or 128 + signal, of what ended.
fn status(seen: WaitStatus) -> Option<u32> {
    match seen {
        WaitStatus::Exited(_, code) => u32::try_from(code).ok(),
        WaitStatus::Signaled(_, signal, _) => u32::try_from(128 + signal as i32).ok(),
        _ => None,
    }
}

/// Splits this process in two. The one that goes on has nothing of its caller's left that would keep a terminal or a
/// pipe open: a session of its own, `/dev/null` on 0, 1 and 2, and every descriptor closed that the caller passed on.
/// What this program opened itself stays open.
///
/// # Errors
///
/// Those of the calls; nothing goes on then.
pub fn detach() -> io::Result<Side> {
    let (mut ready, done) = pipe()?;
    // SAFETY: the program has one thread, so the child is as good a place to go on as the parent.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => {
            drop(done);
            // Not before it is out of our process group: whoever called may now end all of that.
            let mut word = [0];
            match ready.read(&mut word) {
                Ok(1) => Ok(Side::Caller(Child { pid: child, status: None })),
                _ => {
                    let _ = waitpid(child, None);
                    Err(io::Error::other("the process that was to go on could not"))
                }
            }
        }
        ForkResult::Child => {
            drop(ready);
            crate::ids::forked();
            if alone(done.as_raw_fd()).is_err() || nix::unistd::write(&done, b"k") != Ok(1) {
                leave(125);
            }
            Ok(Side::Detached)
        }
    }
}

/// A session of its own, and nothing of the caller's open. `ours` is kept whatever its flags.
fn alone(ours: RawFd) -> Result<(), Errno> {
    nix::unistd::setsid()?;
    let null = File::options().read(true).write(true).open("/dev/null").map_err(|_| Errno::ENODEV)?;
    for fd in inherited().into_iter().filter(|fd| *fd != ours && *fd != null.as_raw_fd()) {
        // What was closed meanwhile is closed.
        let _ = nix::unistd::close(fd);
    }
    standard(null.as_fd(), null.as_fd(), null.as_fd())
}

/// Descriptors above 2 that our caller passed on: those that an exec would pass on again, since all of ours are
/// close-on-exec.
fn inherited() -> Vec<RawFd> {
    let numbers = |folder: std::fs::ReadDir| {
        folder.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()).collect::<Vec<RawFd>>()
    };
    let all = std::fs::read_dir("/proc/self/fd").map_or_else(|_| (3..1024).collect(), numbers);
    let passed = |fd: &RawFd| {
        // SAFETY: used for one call that changes nothing, and fails for what is no descriptor.
        let fd = unsafe { BorrowedFd::borrow_raw(*fd) };
        fcntl(fd, FcntlArg::F_GETFD)
            .is_ok_and(|flags| !FdFlag::from_bits_truncate(flags).contains(FdFlag::FD_CLOEXEC))
    };
    all.into_iter().filter(|fd| *fd > 2).filter(passed).collect()
}

/// Puts these on 0, 1 and 2.
fn standard(stdin: BorrowedFd<'_>, stdout: BorrowedFd<'_>, stderr: BorrowedFd<'_>) -> Result<(), Errno> {
    nix::unistd::dup2_stdin(stdin)?;
    nix::unistd::dup2_stdout(stdout)?;
    nix::unistd::dup2_stderr(stderr)
}

/// Ends this process at once, without giving anything back that the other side still uses.
pub fn leave(code: i32) -> ! {
    // SAFETY: ends the process; nothing was begun that would have to be ended.
    unsafe { libc::_exit(code) }
}

/// A pipe: what is read from, what is written to; both close-on-exec and above the standard descriptors.
fn pipe() -> io::Result<(File, OwnedFd)> {
    let (from, to) = nix::unistd::pipe2(OFlag::O_CLOEXEC)?;
    let above = |fd: OwnedFd| -> io::Result<OwnedFd> {
        if fd.as_raw_fd() > 2 {
            return Ok(fd);
        }
        let raw = fcntl(&fd, FcntlArg::F_DUPFD_CLOEXEC(3))?;
        // SAFETY: the number was just given to us, and nobody else knows it.
        Ok(unsafe { OwnedFd::from_raw_fd(raw) })
    };
    Ok((File::from(above(from)?), above(to)?))
}

/// A command that runs.
#[derive(Debug)]
pub struct Running {
    pid: Pid,
    /// Tells that it ended; `None` on kernels without (before Linux 5.3), where it is looked at every so often.
    ended: Option<OwnedFd>,
    /// What it writes to standard output and standard error; `None` once nobody can write there any more.
    streams: [Option<File>; 2],
    status: Option<u32>,
}

/// What happened meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nothing, all that time.
    Nothing,
    /// So many bytes of standard output (0) or standard error (1) lie in the buffer.
    Wrote(usize, usize),
    /// It ended: exit code, or 128 + signal. Once. What it started may still write.
    Ended(u32),
    /// It ended, and nobody is left who could write.
    Over,
}

/// Starts the command, in a process group of its own, with nothing on standard input. It starts only if what was
/// judged is still there; else, or if the exec fails, nothing was run.
///
/// # Errors
///
/// What [`crate::exec::replace`] would say; [`ExecError::Restore`] also if there can be no pipe or process.
pub fn start(permit: Permit) -> Result<Running, ExecError> {
    let ready = Ready::new(permit)?;
    let none = |e: io::Error| ExecError::Restore(e.raw_os_error().map_or(Errno::EIO, Errno::from_raw));
    let (stdout, to_stdout) = pipe().map_err(none)?;
    let (stderr, to_stderr) = pipe().map_err(none)?;
    let (mut failure, to_failure) = pipe().map_err(none)?;
    let null = File::open("/dev/null").map_err(none)?;
    // SAFETY: the program has one thread; and what the child does before its exec is listed at the head of this file.
    match unsafe { nix::unistd::fork() }.map_err(ExecError::Restore)? {
        ForkResult::Child => {
            let step = become_it(&ready, &null, &to_stdout, &to_stderr);
            let _ = nix::unistd::write(&to_failure, &said(step));
            leave(126)
        }
        ForkResult::Parent { child } => {
            drop((to_stdout, to_stderr, to_failure));
            let mut word = [0; 5];
            // The exec closes the other end: nothing comes if it worked.
            let mut got = 0;
            while let Some(rest) = word.get_mut(got..).filter(|rest| !rest.is_empty()) {
                match failure.read(rest) {
                    Ok(0) => break,
                    Ok(n) => got += n,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            if let Some(step) = heard(&word, got) {
                let _ = waitpid(child, None);
                return Err(ready.why(step));
            }
            Ok(Running {
                pid: child,
                ended: ended(child),
                streams: [Some(stdout), Some(stderr)],
                status: None,
            })
        }
    }
}

fn become_it(ready: &Ready, null: &File, stdout: &OwnedFd, stderr: &OwnedFd) -> Step {
    let prepared = nix::unistd::setpgid(Pid::from_raw(0), Pid::from_raw(0))
        .and_then(|()| standard(null.as_fd(), stdout.as_fd(), stderr.as_fd()));
    match prepared {
        Err(e) => Step::Restore(e),
        Ok(()) => {
            crate::entry::standing();
            let Err(step) = ready.go();
            step
        }
    }
}

fn said(step: Step) -> [u8; 5] {
    let (kind, e) = match step {
        Step::Confine => (b'c', Errno::UnknownErrno),
        Step::Restore(e) => (b'r', e),
        Step::Kernel(e) => (b'k', e),
    };
    let [a, b, c, d] = (e as i32).to_ne_bytes();
    [kind, a, b, c, d]
}

fn heard(word: &[u8; 5], got: usize) -> Option<Step> {
    let [kind, a, b, c, d] = *word;
    let e = Errno::from_raw(i32::from_ne_bytes([a, b, c, d]));
    match (got, kind) {
        (0, _) => None,
        (5, b'c') => Some(Step::Confine),
        (5, b'k') => Some(Step::Kernel(e)),
        (_, _) => Some(Step::Restore(e)),
    }
}

/// A descriptor that becomes readable when a child ends: pidfd_open(2).
#[cfg(target_os = "linux")]
pub(crate) fn ended(child: Pid) -> Option<OwnedFd> {
    // SAFETY: takes two numbers; a child that was not waited for keeps its id.
    let raw = unsafe { libc::syscall(libc::SYS_pidfd_open, child.as_raw(), 0) };
    let raw = RawFd::try_from(raw).ok().filter(|fd| *fd >= 0)?;
    // SAFETY: the number was just given to us, and nobody else knows it.
    Some(unsafe { OwnedFd::from_raw_fd(raw) })
}

/// A descriptor that becomes readable when a child ends: there is none here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ended(_: Pid) -> Option<OwnedFd> {
    None
}

impl Running {
    /// Its process id, which is that of its group.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Waits until something happens, at most so long.
    ///
    /// # Errors
    ///
    /// Those of poll(2), read(2) and waitpid(2).
    pub fn step(&mut self, buffer: &mut [u8], patience: Duration) -> io::Result<Moment> {
        // Without a descriptor for its end, it is looked at.
        let patience = if self.status.is_none() && self.ended.is_none() {
            patience.min(Duration::from_millis(50))
        } else {
            patience
        };
        let mut entries: Vec<PollFd<'_>> = Vec::with_capacity(3);
        let mut which = Vec::with_capacity(3);
        for (at, stream) in self.streams.iter().enumerate() {
            if let Some(file) = stream {
                entries.push(PollFd::new(file.as_fd(), PollFlags::POLLIN));
                which.push(at);
            }
        }
        if let Some(fd) = self.ended.as_ref().filter(|_| self.status.is_none()) {
            entries.push(PollFd::new(fd.as_fd(), PollFlags::POLLIN));
        }
        if entries.is_empty() && self.status.is_some() {
            return Ok(Moment::Over);
        }
        let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
        match poll(&mut entries, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        // Bytes first: what it wrote before it ended belongs before its end.
        let some = |e: &PollFd<'_>| e.revents().is_some_and(|r| !r.is_empty());
        let readable: Vec<usize> =
            entries.iter().zip(&which).filter(|(e, _)| some(e)).map(|(_, at)| *at).collect();
        for at in readable {
            let Some(slot) = self.streams.get_mut(at) else { continue };
            let Some(file) = slot else { continue };
            match file.read(buffer) {
                Ok(0) => *slot = None,
                Ok(n) => return Ok(Moment::Wrote(at, n)),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        if self.status.is_none() {
            let status = match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
                Err(Errno::EINTR) => None,
                seen => status(seen?),
            };
            if let Some(code) = status {
                self.status = Some(code);
                return Ok(Moment::Ended(code));
            }
        }
        Ok(Moment::Nothing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_understood_at_the_other_end() {
        for step in [Step::Confine, Step::Restore(Errno::EMFILE), Step::Kernel(Errno::ENOEXEC)] {
            assert_eq!(heard(&said(step), 5), Some(step));
        }
        assert_eq!(heard(&[0; 5], 0), None);
        // A part of a word is a failure too.
        assert!(heard(&[b'k', 0, 0, 0, 0], 1).is_some());
    }

    #[test]
    fn what_we_open_was_not_passed_on() {
        let file = File::open("/dev/null").unwrap();
        let (from, to) = pipe().unwrap();
        let all = inherited();
        assert!(![file.as_raw_fd(), from.as_raw_fd(), to.as_raw_fd()].iter().any(|fd| all.contains(fd)));
    }
}
