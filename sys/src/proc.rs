//! Who called us: the processes above, as far as the kernel lets us see them (proc(5)).
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A chain longer than this is taken to be unreadable.
const MAX_ANCESTORS: usize = 64;
/// An environment or command line larger than this is taken to be unreadable (`ARG_MAX` is far below).
const MAX_BYTES: u64 = 8 << 20;

/// A process above us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its process id.
    pub pid: u32,
    /// Its program name, at most 15 bytes, which it can set itself.
    pub comm: Vec<u8>,
    /// Its arguments; empty if unreadable.
    pub argv: Vec<Vec<u8>>,
    /// The environment it was started with; `None` if unreadable.
    pub environ: Option<Vec<Vec<u8>>>,
}

/// The processes above us, nearest first, up to and with the session leader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// Those that could be seen.
    pub ancestors: Vec<Ancestor>,
    /// True if every one up to the session leader was seen, with its environment.
    pub complete: bool,
}

/// Looks at the processes above us. If we lead our session there are none.
pub fn ancestry() -> Ancestry {
    let Ok(sid) = nix::unistd::getsid(None) else { return Ancestry::default() };
    let mut out = Ancestry { ancestors: Vec::new(), complete: true };
    if sid == nix::unistd::getpid() {
        return out;
    }
    let mut pid = nix::unistd::getppid().as_raw();
    // A parent of 0 is outside our pid namespace; the session leader was still to come, so something is hidden.
    while pid > 0 && out.ancestors.len() < MAX_ANCESTORS {
        let Some(stat) = read(pid, "stat").and_then(|s| Stat::parse(&s)) else { break };
        if stat.session != sid.as_raw() {
            // The leader is gone, and its children were handed on to somebody outside the session: seen is
            // what there is to see of the session, but not who started it.
            break;
        }
        let environ = read(pid, "environ").map(|e| words(&e));
        out.complete &= environ.is_some();
        let argv = read(pid, "cmdline").map(|e| words(&e)).unwrap_or_default();
        out.ancestors.push(Ancestor { pid: pid.unsigned_abs(), comm: stat.comm, argv, environ });
        if pid == sid.as_raw() {
            return out;
        }
        pid = stat.ppid;
    }
    out.complete = false;
    out
}

/// Number of our controlling terminal (as in `st_rdev`); `None` if there is none.
pub fn terminal() -> Option<u64> {
    let mut text = Vec::new();
    File::open("/proc/self/stat").ok()?.take(4096).read_to_end(&mut text).ok()?;
    Stat::parse(&text)?.terminal
}

fn read(pid: i32, what: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(OsStr::from_bytes(format!("/proc/{pid}/{what}").as_bytes()));
    let mut bytes = Vec::new();
    let read = File::open(path).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    (u64::try_from(read).ok()? < MAX_BYTES).then_some(bytes)
}

fn words(bytes: &[u8]) -> Vec<Vec<u8>> {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    if bytes.is_empty() { Vec::new() } else { bytes.split(|b| *b == 0).map(Vec::from).collect() }
}

/// What we need of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    comm: Vec<u8>,
    ppid: i32,
    session: i32,
    terminal: Option<u64>,
}

impl Stat {
    /// `pid (comm) state ppid pgrp session tty_nr …`; comm may hold anything, blanks and `)` included.
    fn parse(text: &[u8]) -> Option<Stat> {
        let open = text.iter().position(|b| *b == b'(')?;
        let close = text.iter().rposition(|b| *b == b')')?;
        let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace().skip(1);
        let ppid = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().ok()?;
        let terminal: i32 = fields.next()?.parse().ok()?;
        Some(Stat {
            comm: text.get(open + 1..close)?.to_vec(),
            ppid,
            session,
            terminal: (terminal != 0).then_some(u64::from(terminal.cast_unsigned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_name_cannot_forge_its_fields() {
        let text = b"42 (a) S 1 1 1 0 (x) S 7 8 9 34817 1 4194304 0";
        let want = Stat { comm: b"a) S 1 1 1 0 (x".to_vec(), ppid: 7, session: 9, terminal: Some(34817) };
        assert_eq!(Stat::parse(text), Some(want));
        for broken in [&b""[..], b"1 (", b"1 (a)", b"1 (a) S", b"1 (a) S x 1 1 1", b")1("] {
            assert_eq!(Stat::parse(broken), None);
        }
    }

    #[test]
    fn our_parent_is_the_first_ancestor() {
        let seen = ancestry();
        let leads = nix::unistd::getsid(None) == Ok(nix::unistd::getpid());
        if let Some(first) = seen.ancestors.first() {
            assert_eq!(first.pid, nix::unistd::getppid().as_raw().unsigned_abs());
            assert!(first.environ.is_some() && !first.argv.is_empty() && !first.comm.is_empty());
        } else {
            assert!(leads || !seen.complete);
        }
    }

    #[test]
    fn words_end_with_nul() {
        assert_eq!(words(b""), Vec::<Vec<u8>>::new());
        assert_eq!(words(b"a\0\0b\0"), [b"a".to_vec(), b"".to_vec(), b"b".to_vec()]);
    }
}
