//! argv, the environment and the working folder as raw bytes: order, duplicates and oddities kept.
//!
//! `std::env::vars_os` leaves out entries without `=`; a command that we become must get those as well.
use std::ffi::{CStr, c_char};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The arguments, `argv[0]` first.
pub fn argv() -> Vec<Vec<u8>> {
    crate::entry::argv().unwrap_or_else(|| std::env::args_os().map(OsStringExt::into_vec).collect())
}

/// The environment, entry by entry, in the order received.
pub fn entries() -> Vec<Vec<u8>> {
    let mut out = Vec::with_capacity(64);
    let mut at = block();
    while !at.is_null() {
        // SAFETY: `at` points into the environment block, which ends with a null pointer that we stop at, and
        // nobody changes it: the program has one thread and never sets a variable.
        let entry = unsafe { *at };
        if entry.is_null() {
            break;
        }
        // SAFETY: every entry before the null pointer is a C string that lives as long as the process.
        let text = unsafe { CStr::from_ptr(entry) };
        out.push(text.to_bytes().to_vec());
        // SAFETY: the entry was not the last, so the next one is inside the block.
        at = unsafe { at.add(1) };
    }
    out
}

/// Start of the environment block.
#[cfg(not(target_os = "macos"))]
fn block() -> *const *const c_char {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library sets it before any code of ours runs, and nobody writes it afterwards.
    unsafe { environ }
}

/// Start of the environment block.
#[cfg(target_os = "macos")]
fn block() -> *const *const c_char {
    // SAFETY: takes no argument and returns the address of a pointer that lives as long as the process.
    let place = unsafe { libc::_NSGetEnviron() };
    // SAFETY: that address is valid, and nobody writes there: one thread, no variable is ever set.
    unsafe { *place }.cast()
}

/// The value of the first entry `NAME=…`.
pub fn value<'a>(entries: &'a [Vec<u8>], name: &[u8]) -> Option<&'a [u8]> {
    entries.iter().find_map(|e| e.strip_prefix(name)?.strip_prefix(b"="))
}

/// The working folder without symbolic links; `None` if it is gone, unreachable or unreadable.
pub fn cwd() -> Option<Vec<u8>> {
    let path = std::env::current_dir().ok()?;
    // Linux puts `(unreachable)` in front of a folder outside our root.
    path.is_absolute().then(|| path.as_os_str().as_bytes().to_vec())
}

/// The running program: its identity and its path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Myself {
    /// Which file it is; `None` if it cannot be looked at.
    pub id: Option<policy::FileId>,
    /// Where it lies, without symbolic links; `None` if that is not known or it was removed.
    pub path: Option<Vec<u8>>,
}

/// Looks at the running program.
pub fn myself() -> Myself {
    // By the kernel's own link, which leads to the file even where it was replaced since.
    let id = crate::world::identity(b"/proc/self/exe");
    let path = std::env::current_exe().ok().map(|p| p.into_os_string().into_vec());
    let path = path.filter(|p| !p.ends_with(b" (deleted)"));
    let id = id.or_else(|| crate::world::identity(path.as_deref()?));
    Myself { id, path }
}
