//! The terminal: is somebody there, ask one line with a deadline, put everything back.
//!
//! The terminal belongs to the caller. What is changed here (its modes, the actions of a few signals) is changed
//! for the length of one [`Session`] and put back however that ends: dropped, by a signal, stopped with ^Z, or
//! by a panic ([`rescue`]).
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, raise, sigaction};
use nix::sys::termios::{FlushArg, InputFlags, LocalFlags, OutputFlags, SetArg, Termios};
use nix::sys::termios::{tcflush, tcgetattr, tcsetattr};
use nix::unistd::{getpgrp, tcgetpgrp};

use crate::edit::Lock;

/// The signals that end a question, and ^Z. One that the caller ignores stays ignored.
const CAUGHT: [Signal; 5] =
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGTSTP];

/// Longest sleep in poll(2): a signal that comes between the look at [`CAME`] and the call is seen after this.
const SLICE: Duration = Duration::from_millis(200);

/// The last caught signal; 0 = none.
static CAME: AtomicI32 = AtomicI32::new(0);

/// The terminal and its modes before the running session, for [`rescue`].
static SAVED: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// The controlling terminal, open.
#[derive(Debug)]
pub struct Terminal {
    file: File,
    /// In tests a pseudo-terminal that is nobody's controlling terminal stands in.
    #[cfg(test)]
    assume_foreground: bool,
}

impl Terminal {
    /// Opens the controlling terminal (`/dev/tty`), whatever the standard descriptors are.
    ///
    /// # Errors
    ///
    /// Those of open(2): `ENXIO` if there is none.
    pub fn open() -> io::Result<Terminal> {
        // Not held up by a terminal that takes no output, nor by another reader who was quicker.
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty")?;
        Ok(Terminal {
            file,
            #[cfg(test)]
            assume_foreground: false,
        })
    }

    /// True if what is typed reaches our process group, so that somebody at the keyboard is talking to us.
    pub fn is_foreground(&self) -> bool {
        #[cfg(test)]
        if self.assume_foreground {
            return true;
        }
        tcgetpgrp(&self.file) == Ok(getpgrp())
    }

    /// Columns and rows; `None` if the terminal does not know.
    pub fn size(&self) -> Option<(u16, u16)> {
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: TIOCGWINSZ writes one `winsize`, which is what the pointer leads to.
        let done = unsafe { libc::ioctl(self.file.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
        (done == 0 && size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
    }

    /// Keeps other guards from asking on this terminal as long as the lock is held. It lies on the terminal's own
    /// device (`/dev/tty` itself is one file for every terminal); where its name is not known, on a file in
    /// this folder.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::TimedOut`] if somebody else asks all that time; those of open(2).
    pub fn lock(&self, folder: &Path, patience: Duration) -> io::Result<Lock> {
        let device = crate::proc::terminal();
        if let Some(device) = device.and_then(device_file) {
            return crate::edit::lock_file(device, patience);
        }
        crate::edit::private_folder(folder)?;
        crate::edit::lock(&folder.join(format!("tty-{:x}.lock", device.unwrap_or(0))), patience)
    }

    /// Begins to ask: modes for reading a line with echo, signals caught.
    ///
    /// # Errors
    ///
    /// Those of tcgetattr(3) and tcsetattr(3).
    pub fn session(&self) -> io::Result<Session<'_>> {
        let before = tcgetattr(&self.file)?;
        if let Ok(mut saved) = SAVED.lock() {
            *saved = Some((self.file.try_clone()?, before.clone()));
        }
        CAME.store(0, Ordering::SeqCst);
        let session = Session { terminal: self, before, actions: catch(), answered: Cell::new(false) };
        session.modes()?;
        Ok(session)
    }
}

/// The file of a terminal by its number, if that is what is there (Linux: majors 136 to 143 are
/// pseudo-terminals, 4 is the console's).
fn device_file(device: u64) -> Option<File> {
    // `tty_nr` of proc(5) and `st_rdev` agree for minors below 256; larger ones are folded differently.
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00));
    let path = match major {
        136..=143 => format!("/dev/pts/{}", (major - 136) * 256 + minor),
        4 if minor < 64 => format!("/dev/tty{minor}"),
        _ => return None,
    };
    let file =
        OpenOptions::new().read(true).custom_flags(libc::O_NOCTTY | libc::O_NONBLOCK).open(path).ok()?;
    let found = file.metadata().ok()?.rdev();
    (libc::major(found) == u32::try_from(major).ok()? && libc::minor(found) == u32::try_from(minor).ok()?)
        .then_some(file)
}

/// What came of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Text(Vec<u8>),
    /// ^D.
    Eof,
    /// A signal that ends the question, by number: ^C, ^\, or one that was sent.
    Signal(i32),
    /// The deadline passed.
    Timeout,
    /// The terminal is gone.
    Hangup,
    /// We are not in the foreground any more.
    Background,
    /// We were stopped and go on: what was drawn has scrolled away, draw it again.
    Resumed,
}

/// A question being asked. While it lives the terminal's modes and the caught signals are ours.
#[derive(Debug)]
pub struct Session<'a> {
    terminal: &'a Terminal,
    before: Termios,
    actions: Vec<(Signal, SigAction)>,
    /// True if the last wait brought a line.
    answered: Cell<bool>,
}

impl Session<'_> {
    /// Writes what is to be read, then throws away what was typed before: only bytes typed from here on count.
    ///
    /// # Errors
    ///
    /// Those of write(2); [`io::ErrorKind::TimedOut`] if the terminal takes no output until the deadline.
    pub fn draw(&self, text: &str, deadline: Instant) -> io::Result<()> {
        // The last line asks. What was typed before it could be seen is thrown away before it is drawn, so that an
        // answer that comes the moment it stands there is not thrown away with it.
        let (shown, asked) = text.split_at(text.rfind('\n').map_or(0, |at| at + 1));
        self.write(shown, deadline)?;
        tcflush(&self.terminal.file, FlushArg::TCIFLUSH)?;
        self.write(asked, deadline)
    }

    /// Writes only.
    ///
    /// # Errors
    ///
    /// As [`Session::draw`].
    pub fn write(&self, text: &str, deadline: Instant) -> io::Result<()> {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match (&self.terminal.file).write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => rest = rest.get(n..).unwrap_or_default(),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline || CAME.load(Ordering::SeqCst) != 0 {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                    self.wait(PollFlags::POLLOUT, deadline);
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Waits for one line. Everything but [`Line::Text`] and [`Line::Resumed`] means that there is no answer.
    pub fn line(&self, deadline: Instant) -> Line {
        let line = self.wait_for_line(deadline);
        self.answered.set(matches!(line, Line::Text(_)));
        line
    }

    fn wait_for_line(&self, deadline: Instant) -> Line {
        let mut got = Vec::new();
        loop {
            match CAME.swap(0, Ordering::SeqCst) {
                0 => {}
                n if n == Signal::SIGTSTP as i32 => return self.stop(),
                n => return Line::Signal(n),
            }
            if Instant::now() >= deadline {
                // Half an answer must not become the beginning of a shell's next command.
                let _ = tcflush(&self.terminal.file, FlushArg::TCIFLUSH);
                return Line::Timeout;
            }
            if !self.terminal.is_foreground() {
                return Line::Background;
            }
            let seen = self.wait(PollFlags::POLLIN, deadline);
            if !seen.contains(PollFlags::POLLIN) {
                if seen.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL) {
                    return Line::Hangup;
                }
                continue;
            }
            let mut bytes = [0; 1024];
            match (&self.terminal.file).read(&mut bytes) {
                // A terminal that is gone reads like ^D but says so.
                Ok(0) if seen.contains(PollFlags::POLLHUP) => return Line::Hangup,
                Ok(0) => return Line::Eof,
                Ok(n) => got.extend_from_slice(bytes.get(..n).unwrap_or_default()),
                Err(e) if matches!(e.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
                Err(_) => return Line::Hangup,
            }
            if let Some(end) = got.iter().position(|b| *b == b'\n') {
                got.truncate(end);
                return Line::Text(got);
            }
        }
    }

    fn wait(&self, what: PollFlags, deadline: Instant) -> PollFlags {
        let left = deadline.saturating_duration_since(Instant::now()).min(SLICE);
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::ZERO);
        let mut fds = [PollFd::new(self.terminal.file.as_fd(), what)];
        match poll(&mut fds, timeout) {
            Ok(n) if n > 0 => fds.iter().find_map(PollFd::revents).unwrap_or(PollFlags::empty()),
            Ok(_) | Err(Errno::EINTR) => PollFlags::empty(),
            Err(_) => PollFlags::POLLERR,
        }
    }

    /// Lines with echo, whatever state the terminal was left in by the program that called us.
    fn modes(&self) -> io::Result<()> {
        let mut modes = self.before.clone();
        modes.local_flags |= LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ECHOE | LocalFlags::ISIG;
        modes.local_flags |= LocalFlags::ECHOCTL;
        modes.local_flags &= !(LocalFlags::NOFLSH | LocalFlags::ECHONL);
        modes.input_flags |= InputFlags::ICRNL;
        modes.input_flags &= !(InputFlags::INLCR | InputFlags::IGNCR);
        modes.output_flags |= OutputFlags::OPOST | OutputFlags::ONLCR;
        set(&self.terminal.file, &modes)
    }

    /// ^Z: everything as it was, then really stop; when we are told to go on, everything as we need it.
    fn stop(&self) -> Line {
        let _ = set(&self.terminal.file, &self.before);
        let old = self.actions.iter().find(|(s, _)| *s == Signal::SIGTSTP).map(|(_, a)| *a);
        if let Some(old) = old {
            // SAFETY: the action that was in force before the session, so no code of ours is called by it.
            let ours = unsafe { sigaction(Signal::SIGTSTP, &old) };
            let _ = raise(Signal::SIGTSTP);
            if let Ok(ours) = ours {
                // SAFETY: the handler of `catch`, which only stores a number.
                let _ = unsafe { sigaction(Signal::SIGTSTP, &ours) };
            }
        }
        if !self.terminal.is_foreground() {
            return Line::Background;
        }
        match self.modes() {
            Ok(()) => Line::Resumed,
            Err(_) => Line::Hangup,
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = set(&self.terminal.file, &self.before);
        if let Ok(mut saved) = SAVED.lock() {
            *saved = None;
        }
        for (signal, action) in &self.actions {
            // SAFETY: the action that was in force before the session, so no code of ours is called by it.
            let _ = unsafe { sigaction(*signal, action) };
        }
        // One that came after the answer was not for the question: it does what it would have done without us. One
        // that came with the end of the question (a hangup sends SIGHUP) has done its work.
        if let (true, Ok(late)) = (self.answered.get(), Signal::try_from(CAME.swap(0, Ordering::SeqCst))) {
            let _ = raise(late);
        }
    }
}

/// Puts the terminal's modes back if a session is running: for a panic, after which nothing is dropped.
pub fn rescue() {
    if let Ok(saved) = SAVED.try_lock()
        && let Some((file, modes)) = saved.as_ref()
    {
        let _ = set(file, modes);
    }
}

/// Sets modes without being stopped for it: a process in the background is, and when modes are put back we may
/// have got there.
fn set(file: &File, modes: &Termios) -> io::Result<()> {
    let mut ttou = SigSet::empty();
    ttou.add(Signal::SIGTTOU);
    let before = ttou.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    // At once: waiting for output to drain could last as long as a ^S.
    let done = tcsetattr(file, SetArg::TCSANOW, modes);
    if let Ok(before) = before {
        let _ = before.thread_set_mask();
    }
    Ok(done?)
}

/// Notes the signal; nothing else may be done in a handler.
extern "C" fn note(signal: libc::c_int) {
    CAME.store(signal, Ordering::SeqCst);
}

/// Catches what the caller does not ignore; returns what was in force.
fn catch() -> Vec<(Signal, SigAction)> {
    let ours = SigAction::new(SigHandler::Handler(note), SaFlags::empty(), SigSet::empty());
    let mut before = Vec::with_capacity(CAUGHT.len());
    for signal in CAUGHT {
        // SAFETY: `note` only stores into an atomic, which is safe at any moment.
        let Ok(old) = (unsafe { sigaction(signal, &ours) }) else { continue };
        if matches!(old.handler(), SigHandler::SigIgn) {
            // SAFETY: ignoring calls no code.
            let _ = unsafe { sigaction(signal, &old) };
        } else {
            before.push((signal, old));
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::pty::openpty;

    /// The actions of signals belong to the whole process: one session at a time.
    static ALONE: Mutex<()> = Mutex::new(());

    fn pair() -> (File, Terminal) {
        let pty = openpty(None, None).unwrap();
        nix::fcntl::fcntl(&pty.slave, nix::fcntl::FcntlArg::F_SETFL(nix::fcntl::OFlag::O_NONBLOCK)).unwrap();
        (pty.master.into(), Terminal { file: pty.slave.into(), assume_foreground: true })
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(300)
    }

    #[test]
    fn what_was_typed_before_does_not_count() {
        let _alone = ALONE.lock().unwrap();
        let (mut user, tty) = pair();
        user.write_all(b"y\ny").unwrap();
        let session = tty.session().unwrap();
        session.draw("question? ", soon()).unwrap();
        assert_eq!(session.line(soon()), Line::Timeout);
        user.write_all(b"no way\nrest").unwrap();
        assert_eq!(session.line(soon()), Line::Text(b"no way".to_vec()));
    }

    #[test]
    fn eof_and_hangup() {
        let _alone = ALONE.lock().unwrap();
        let (mut user, tty) = pair();
        let session = tty.session().unwrap();
        user.write_all(&[4]).unwrap();
        assert_eq!(session.line(soon()), Line::Eof);
        drop(user);
        assert_eq!(session.line(soon()), Line::Hangup);
    }

    #[test]
    fn modes_and_actions_are_put_back() {
        let _alone = ALONE.lock().unwrap();
        let (_user, tty) = pair();
        let mut raw = tcgetattr(&tty.file).unwrap();
        nix::sys::termios::cfmakeraw(&mut raw);
        set(&tty.file, &raw).unwrap();
        let raw = tcgetattr(&tty.file).unwrap();
        let session = tty.session().unwrap();
        assert!(tcgetattr(&tty.file).unwrap().local_flags.contains(LocalFlags::ICANON | LocalFlags::ECHO));
        raise(Signal::SIGINT).unwrap();
        assert_eq!(session.line(soon()), Line::Signal(Signal::SIGINT as i32));
        rescue();
        assert_eq!(tcgetattr(&tty.file).unwrap(), raw);
        drop(session);
        assert_eq!(tcgetattr(&tty.file).unwrap(), raw);
    }

    #[test]
    fn a_pty_that_is_not_ours_is_no_foreground() {
        let (_user, mut tty) = pair();
        tty.assume_foreground = false;
        assert!(!tty.is_foreground());
    }

    #[test]
    fn one_guard_asks_at_a_time() {
        let (_user, tty) = pair();
        let rdev = tty.file.metadata().unwrap().rdev();
        let number = (u64::from(libc::major(rdev)) << 8) | u64::from(libc::minor(rdev) & 0xff);
        // Where devpts is mounted the device is found by its number.
        let Some(first) = device_file(number) else { return };
        let held = crate::edit::lock_file(first, Duration::ZERO).unwrap();
        let second = device_file(number).unwrap();
        let refused = crate::edit::lock_file(second, Duration::from_millis(20)).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
        drop(held);
    }
}
