//! An end for an answer that does not come: somebody waits for this program, and does as he likes when it is late.
//!
//! The kernel's alarm clock ends the process with words that were put together beforehand. One at a time, and for a
//! program that becomes no other: the clock would go on ticking in it.
use std::os::fd::BorrowedFd;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};

/// What is said when time is up.
struct Late {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    code: i32,
}

static LATE: AtomicPtr<Late> = AtomicPtr::new(ptr::null_mut());

/// Standard output holds a part of the answer already.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// Ends the process after so many seconds, at least one, with these words and this code.
///
/// # Errors
/// Where the clock cannot be set.
pub fn arm(seconds: u32, stdout: Vec<u8>, stderr: Vec<u8>, code: u8) -> std::io::Result<()> {
    // Never given back: the handler may read it at any time.
    let late = Box::leak(Box::new(Late { stdout, stderr, code: i32::from(code) }));
    LATE.store(late, Ordering::SeqCst);
    let action = SigAction::new(SigHandler::Handler(ring), SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler reads memory that is never given back, writes to descriptors and ends the process: all of
    // it is allowed in a handler (signal-safety(7)).
    unsafe { nix::sys::signal::sigaction(Signal::SIGALRM, &action) }?;
    let mut own = SigSet::empty();
    own.add(Signal::SIGALRM);
    // Whoever started us may have it blocked.
    own.thread_unblock()?;
    nix::unistd::alarm::set(seconds.max(1));
    Ok(())
}

/// From here on standard output is being written: nothing of [`arm`]'s goes there any more.
pub fn begun() {
    BEGUN.store(true, Ordering::SeqCst);
}

extern "C" fn ring(_: libc::c_int) {
    // SAFETY: null, or the leaked value of `arm`, which nobody changes.
    let late = unsafe { LATE.load(Ordering::SeqCst).as_ref() };
    let Some(late) = late else { return };
    if !BEGUN.load(Ordering::SeqCst) {
        write(1, &late.stdout);
    }
    write(2, &late.stderr);
    // SAFETY: ends the process without running anything of ours.
    unsafe { libc::_exit(late.code) }
}

fn write(fd: i32, mut bytes: &[u8]) {
    // SAFETY: the descriptor is a standard one, open since `entry::begin`; where it is not, the write fails.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    while let Ok(n @ 1..) = nix::unistd::write(fd, bytes) {
        bytes = bytes.get(n..).unwrap_or_default();
    }
}
