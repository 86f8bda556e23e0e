//! What the process was given before Rust's runtime touched it.
//!
//! Before `main`, Rust's runtime sets SIGPIPE to *ignored* and opens `/dev/null` on each of the descriptors 0,
//! 1 and 2 that is closed. A command that we become would inherit both, so what was there is noted here in a
//! constructor, which the loader runs before the runtime starts, and given back by [`restore`].
use std::sync::atomic::{AtomicU8, Ordering};

use nix::errno::Errno;
use nix::sys::signal::{SigHandler, Signal};

/// Set once the constructor ran: what it noted can be believed.
const NOTED: u8 = 0x80;
/// SIGPIPE was ignored.
const IGNORED: u8 = 0x40;

/// Bits 0 to 2: that descriptor was closed. Bits 6 and 7: [`IGNORED`], [`NOTED`].
static GIVEN: AtomicU8 = AtomicU8::new(0);

/// Runs [`note`] before `main`. The C library calls every function of this section with or without arguments,
/// depending on the library: `note` takes none, which both calling conventions allow.
#[used]
#[cfg_attr(not(target_os = "macos"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static NOTE: extern "C" fn() = note;

/// Notes. Only plain system calls and one atomic store: nothing of Rust's runtime exists yet.
extern "C" fn note() {
    let mut given = NOTED;
    let entry = |fd| libc::pollfd { fd, events: 0, revents: 0 };
    let mut fds = [entry(0), entry(1), entry(2)];
    // SAFETY: the pointer is to three initialised `pollfd`s that outlive the call, and three is what we say.
    let polled = unsafe { libc::poll(fds.as_mut_ptr(), 3, 0) };
    if polled >= 0 {
        for (bit, fd) in fds.iter().enumerate() {
            if fd.revents & libc::POLLNVAL != 0 {
                given |= 1 << bit;
            }
        }
    }
    let mut old = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no new action is given; the kernel fills the old one, for which there is room.
    let asked = unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), old.as_mut_ptr()) };
    if asked == 0 {
        // SAFETY: all-zero bytes are a valid `sigaction`, and the call above succeeded in filling it.
        let old = unsafe { old.assume_init() };
        if old.sa_sigaction == libc::SIG_IGN {
            given |= IGNORED;
        }
    }
    GIVEN.store(given, Ordering::Relaxed);
}

/// What the process was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// True if SIGPIPE was ignored; false if it had its default action.
    pub sigpipe_ignored: bool,
    /// For each of the descriptors 0, 1, 2: true if it was closed.
    pub closed: [bool; 3],
}

/// What was noted; `None` if the constructor did not run, so that nothing is known.
pub fn given() -> Option<Given> {
    let given = GIVEN.load(Ordering::Relaxed);
    (given & NOTED != 0).then_some(Given {
        sigpipe_ignored: given & IGNORED != 0,
        closed: [given & 1 != 0, given & 2 != 0, given & 4 != 0],
    })
}

/// Gives back what the runtime changed, right before an exec: from here on nothing may be printed on a
/// descriptor that was closed at the start, and a broken pipe kills.
///
/// # Errors
///
/// The kernel's, if it could not be given back: then the command would not be what it is without us.
pub fn restore() -> Result<(), Errno> {
    // Nothing known: the usual state, which is SIGPIPE at its default and all three open.
    let given = given().unwrap_or(Given { sigpipe_ignored: false, closed: [false; 3] });
    if !given.sigpipe_ignored {
        // SAFETY: sets the default action, so no code of ours can be called by the signal.
        unsafe { nix::sys::signal::signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
    }
    for (fd, closed) in (0..).zip(given.closed) {
        match nix::unistd::close(if closed { fd } else { continue }) {
            // Closed already, which is what is wanted.
            Ok(()) | Err(Errno::EBADF) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
