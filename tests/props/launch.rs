//! Starts a program out of an odd situation: a raw environment, closed or extra descriptors, limits, a mask.
//!
//! ```text
//! launch [--env FILE] [--close N] [--extra N] [--umask OCTAL] [--block SIGNAL] [--limit NAME=SOFT]
//!        [--gone] [--argv0 WORD] -- FILE [ARGS…]
//! ```
//!
//! `--env FILE`: the entries as they are, each ended by NUL. `--extra N`: /dev/null, inherited, as descriptor N.
//! `--gone`: the working folder is removed. It starts at the C `main`, so that Rust's runtime neither ignores
//! SIGPIPE nor opens closed descriptors; what it does not touch stays as inherited.
#![no_main]

use std::ffi::{CString, c_char, c_int};
use std::fs;
use std::os::fd::{AsRawFd, IntoRawFd};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::stat::{Mode, umask};

#[expect(unsafe_code, reason = "the attribute only: the runtime's own main changes what is to be passed on")]
#[unsafe(no_mangle)]
extern "C" fn main(_argc: c_int, _argv: *const *const c_char) -> c_int {
    match launch() {
        Ok(never) => match never {},
        Err(e) => {
            // 2 may be closed by now: the status has to say it as well.
            let _ = fs::write("/proc/self/fd/2", format!("launch: {e}\n"));
            96
        }
    }
}

fn launch() -> Result<std::convert::Infallible, String> {
    let raw = fs::read("/proc/self/cmdline").map_err(|e| e.to_string())?;
    let mut words: Vec<&[u8]> = raw.split(|b| *b == 0).collect();
    words.pop();
    let mut words = words.into_iter().skip(1);
    let mut env = None;
    let mut close = Vec::new();
    let mut argv0 = None;
    let text = |w: Option<&[u8]>| String::from_utf8_lossy(w.unwrap_or_default()).into_owned();
    let number = |t: String| t.parse::<i32>().map_err(|e| format!("{t}: {e}"));
    loop {
        match words.next() {
            Some(b"--env") => env = Some(fs::read(text(words.next())).map_err(|e| e.to_string())?),
            Some(b"--close") => close.push(number(text(words.next()))?),
            Some(b"--extra") => extra(number(text(words.next()))?)?,
            Some(b"--umask") => {
                let bits = u32::from_str_radix(&text(words.next()), 8).map_err(|e| e.to_string())?;
                umask(Mode::from_bits_truncate(bits));
            }
            Some(b"--block") => {
                let mut set = SigSet::empty();
                set.add(text(words.next()).parse::<Signal>().map_err(|e| e.to_string())?);
                set.thread_block().map_err(|e| e.to_string())?;
            }
            Some(b"--limit") => limit(&text(words.next()))?,
            Some(b"--gone") => gone()?,
            Some(b"--argv0") => argv0 = words.next(),
            Some(b"--") => break,
            other => return Err(format!("unknown word {:?}", text(other))),
        }
    }
    let c = |b: &[u8]| CString::new(b).map_err(|e| e.to_string());
    let file = c(words.next().ok_or("no program")?)?;
    let mut argv = vec![match argv0 {
        Some(w) => c(w)?,
        None => file.clone(),
    }];
    for w in words {
        argv.push(c(w)?);
    }
    let raw = match env {
        Some(e) => e,
        None => fs::read("/proc/self/environ").map_err(|e| e.to_string())?,
    };
    let mut entries = Vec::new();
    for e in raw.split_inclusive(|b| *b == 0) {
        entries.push(c(e.strip_suffix(b"\0").unwrap_or(e))?);
    }
    // Last: nothing may be opened once a low number is free.
    for n in close {
        let _ = nix::unistd::close(n);
    }
    nix::unistd::execve(&file, &argv, &entries).map_err(|e| format!("{file:?}: {e}"))
}

fn extra(n: i32) -> Result<(), String> {
    let mut held = Vec::new();
    loop {
        let f = fs::File::open("/dev/null").map_err(|e| e.to_string())?;
        if f.as_raw_fd() == n {
            fcntl(&f, FcntlArg::F_SETFD(FdFlag::empty())).map_err(|e| e.to_string())?;
            let _ = f.into_raw_fd();
            return Ok(());
        }
        if f.as_raw_fd() > n {
            return Err(format!("descriptor {n} is taken"));
        }
        held.push(f);
    }
}

fn limit(word: &str) -> Result<(), String> {
    let (name, soft) = word.split_once('=').ok_or("limit without =")?;
    let resource = match name {
        "nofile" => Resource::RLIMIT_NOFILE,
        "core" => Resource::RLIMIT_CORE,
        "stack" => Resource::RLIMIT_STACK,
        "as" => Resource::RLIMIT_AS,
        "cpu" => Resource::RLIMIT_CPU,
        "fsize" => Resource::RLIMIT_FSIZE,
        other => return Err(format!("unknown limit {other}")),
    };
    let hard = getrlimit(resource).map_err(|e| e.to_string())?.1;
    setrlimit(resource, soft.parse().map_err(|e| format!("{e}"))?, hard).map_err(|e| e.to_string())
}

fn gone() -> Result<(), String> {
    let dir = std::env::temp_dir().join(format!("exec-guard-gone.{}", std::process::id()));
    fs::create_dir(&dir).map_err(|e| e.to_string())?;
    std::env::set_current_dir(&dir).map_err(|e| e.to_string())?;
    fs::remove_dir(&dir).map_err(|e| e.to_string())
}
