//! The way in: what the process was given, unchanged by anybody's runtime.
//!
//! Before `main`, Rust's runtime sets SIGPIPE to *ignored*, opens `/dev/null` on each of the descriptors 0, 1 and 2
//! that is closed, and arranges for a message about an overflown stack: a dozen system calls and two memory areas
//! that a command is felt to wait for, and two changes it would inherit. A program that becomes another one starts
//! at the C library's `main` instead ([`program!`](crate::program)). What it still has to change for itself is
//! changed here, when it is needed, and given back by [`restore`].
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};

use nix::errno::Errno;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::sys::signal::{SigHandler, Signal};

/// The arguments as the C library passed them; null in a program that was started in another way.
static ARGV: AtomicPtr<*const c_char> = AtomicPtr::new(ptr::null_mut());

/// Bits 0 to 2: that descriptor was closed, and `/dev/null` is open there now.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// SIGPIPE had its default action, and is ignored now.
static HUSHED: AtomicBool = AtomicBool::new(false);

/// Makes a function without arguments the program: it is called by the C library's `main`. It must not return into
/// nothing, so it ends by an exit of its own. The crate says `#![no_main]`.
#[macro_export]
macro_rules! program {
    ($body:path) => {
        /// Where the C library starts the program.
        // SAFETY: the name is the C library's for exactly this, and no other item of the program bears it.
        #[unsafe(no_mangle)]
        extern "C" fn main(
            _: ::std::ffi::c_int,
            argv: *const *const ::std::ffi::c_char,
        ) -> ::std::ffi::c_int {
            // SAFETY: the C library's own argument vector, before anything else runs.
            unsafe { $crate::entry::begin(argv) };
            $body();
            0
        }
    };
}

/// Notes the arguments, and keeps the three standard descriptors from being taken by the next file that is opened:
/// a message would be written into it.
///
/// # Safety
///
/// `argv` is the vector that the C library gives to `main`: C strings that live as long as the process, then a null
/// pointer.
#[doc(hidden)]
pub unsafe fn begin(argv: *const *const c_char) {
    ARGV.store(argv.cast_mut(), Ordering::Relaxed);
    let entry = |fd: c_int| libc::pollfd { fd, events: 0, revents: 0 };
    let mut fds = [entry(0), entry(1), entry(2)];
    // SAFETY: the pointer is to three initialised `pollfd`s that outlive the call, and three is what we say.
    let polled = unsafe { libc::poll(fds.as_mut_ptr(), 3, 0) };
    for (bit, fd) in fds.iter().enumerate() {
        // Where poll(2) cannot be asked, each is.
        let closed = match polled {
            // SAFETY: F_GETFD takes no argument and changes nothing.
            ..0 => (unsafe { libc::fcntl(fd.fd, libc::F_GETFD) }) < 0,
            _ => fd.revents & libc::POLLNVAL != 0,
        };
        // The lowest free number is what open(2) gives, so each gets its own, in order.
        // SAFETY: a C string, and flags that take no further argument.
        if closed && unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) } != fd.fd {
            // Without it nothing can be said, and what is opened next would be taken for the standard output.
            // SAFETY: ends the process; nothing was begun that would have to be ended.
            unsafe { libc::_exit(125) };
        }
        CLOSED.fetch_or(u8::from(closed) << bit, Ordering::Relaxed);
    }
}

/// The arguments, `argv[0]` first; `None` in a program that did not [begin](begin) here.
pub(crate) fn argv() -> Option<Vec<Vec<u8>>> {
    let mut at = ARGV.load(Ordering::Relaxed).cast_const();
    let mut out = Vec::new();
    if at.is_null() {
        return None;
    }
    loop {
        // SAFETY: `at` points into the vector, which ends with a null pointer that we stop at; see `begin`.
        let word = unsafe { *at };
        if word.is_null() {
            return Some(out);
        }
        // SAFETY: every pointer before the null is to a C string that lives as long as the process.
        let text = unsafe { CStr::from_ptr(word) };
        out.push(text.to_bytes().to_vec());
        // SAFETY: the word was not the last pointer, so the next one is inside the vector.
        at = unsafe { at.add(1) };
    }
}

/// How many bytes of our own file were loaded, counted from its start: no file that is shorter is ours. 0 if that is not
/// known.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(crate) fn loaded_bytes() -> u64 {
    // SAFETY: looks a number up in what the kernel gave the process; 0 where it gave none.
    let at = unsafe { libc::getauxval(libc::AT_PHDR) } as *const libc::Elf64_Phdr;
    // SAFETY: as above.
    let count = unsafe { libc::getauxval(libc::AT_PHNUM) };
    if at.is_null() {
        return 0;
    }
    // SAFETY: the kernel says that so many headers lie there (getauxval(3)); they are loaded with the program, aligned,
    // and nobody writes them.
    let headers = unsafe { std::slice::from_raw_parts(at, usize::try_from(count).unwrap_or(0)) };
    let loaded = headers.iter().filter(|h| h.p_type == libc::PT_LOAD);
    loaded.map(|h| h.p_offset.saturating_add(h.p_filesz)).max().unwrap_or(0)
}

/// How many bytes of our own file were loaded: not known here.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(crate) fn loaded_bytes() -> u64 {
    0
}

/// How much the stack may still grow, bytes: what the soft limit (`RLIMIT_STACK`) leaves, `u64::MAX` without one. Past it
/// the kernel ends the process by a signal, and nothing can be said any more. Arguments and environment lie on it too.
///
/// # Errors
///
/// The kernel's, if the limit cannot be asked for.
pub fn stack_left() -> Result<u64, Errno> {
    let (soft, _) = getrlimit(Resource::RLIMIT_STACK)?;
    if soft == RLIM_INFINITY {
        return Ok(u64::MAX);
    }
    // The kernel puts the program's path at the very top (execve(2), getauxval(3)).
    #[cfg(target_os = "linux")]
    // SAFETY: looks a number up in what the kernel gave the process; 0 where it gave none.
    let top = unsafe { libc::getauxval(libc::AT_EXECFN) };
    #[cfg(not(target_os = "linux"))]
    let top = 0;
    let used = usize::try_from(top).unwrap_or(0).saturating_sub(ptr::from_ref(&soft).addr());
    Ok(soft.saturating_sub(used as u64))
}

/// True if standard output was closed when we were started: what is written there reaches nobody.
pub fn stdout_closed() -> bool {
    CLOSED.load(Ordering::Relaxed) & (1 << 1) != 0
}

/// From here on a reader who went away makes writing fail instead of killing the guard without a word. For those who
/// have something to say; a command that is allowed has nobody say anything.
pub fn hush() {
    if HUSHED.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: ignores the signal, so no code of ours can be called by it.
    let old = unsafe { nix::sys::signal::signal(Signal::SIGPIPE, SigHandler::SigIgn) };
    // Ignored already is how the caller wants it, and how it stays.
    HUSHED.store(matches!(old, Ok(SigHandler::SigDfl)), Ordering::Relaxed);
}

/// What stands on 0, 1 and 2 now is meant to be there: [`restore`] closes none of it.
pub(crate) fn standing() {
    CLOSED.store(0, Ordering::Relaxed);
}

/// Gives back what was changed, right before an exec: from here on nothing may be printed on a descriptor that was
/// closed at the start, and a broken pipe kills.
///
/// # Errors
///
/// The kernel's, if it could not be given back: then the command would not be what it is without us.
pub fn restore() -> Result<(), Errno> {
    if HUSHED.swap(false, Ordering::Relaxed) {
        // SAFETY: sets the default action, so no code of ours can be called by the signal.
        unsafe { nix::sys::signal::signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
    }
    let closed = CLOSED.swap(0, Ordering::Relaxed);
    for fd in (0..3).filter(|bit| closed & (1 << bit) != 0) {
        match nix::unistd::close(fd) {
            // Closed already, which is what is wanted.
            Ok(()) | Err(Errno::EBADF) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
