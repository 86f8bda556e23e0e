//! Who called us: the processes above, as far as the kernel lets us see them (proc(5)).
use std::ffi::CStr;
use std::path::Path;

/// A chain longer than this is taken to be unreadable.
const MAX_ANCESTORS: usize = 64;
/// An environment or command line larger than this is taken to be unreadable (`ARG_MAX` is far below).
const MAX_BYTES: usize = 8 << 20;

/// A process above us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its process id.
    pub pid: i32,
    /// Its program name, at most 15 bytes, which it can set itself.
    pub comm: Vec<u8>,
    /// The environment it was started with, entries ended by NUL; `None` if unreadable.
    pub environ: Option<Vec<u8>>,
}

impl Ancestor {
    /// Its arguments; empty if unreadable. Not looked at unless asked for: most programs are known by name.
    pub fn argv(&self) -> Vec<Vec<u8>> {
        read(self.pid, "cmdline").map(|e| words(&e)).unwrap_or_default()
    }

    /// The entries of its environment; none if unreadable.
    pub fn entries(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.environ.as_deref().unwrap_or_default();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            // By the library's search, which looks at more than a byte at a time.
            let entry = CStr::from_bytes_until_nul(rest).map_or(rest, CStr::to_bytes);
            rest = rest.get(entry.len() + 1..).unwrap_or_default();
            Some(entry)
        })
    }
}

/// The processes above us, nearest first, up to and with the session leader.
#[derive(Clone, Debug)]
pub struct Ancestors {
    sid: i32,
    next: i32,
    seen: usize,
    complete: Option<bool>,
}

/// Looks at the processes above us, one a step. If we lead our session there are none.
pub fn ancestors() -> Ancestors {
    let sid = nix::unistd::getsid(None).map(nix::unistd::Pid::as_raw).unwrap_or(-1);
    let complete = (sid == crate::ids::pid()).then_some(true);
    Ancestors { sid, next: nix::unistd::getppid().as_raw(), seen: 0, complete }
}

impl Ancestors {
    /// True if every one up to the session leader was seen, with its environment; false also as long as there
    /// are some to come.
    pub fn complete(&self) -> bool {
        self.complete == Some(true)
    }

    /// The next one; `None` also if it cannot be seen.
    fn look(&mut self) -> Option<Ancestor> {
        // A parent of 0 is outside our pid namespace; the session leader was still to come.
        if self.next <= 0 || self.seen >= MAX_ANCESTORS {
            return None;
        }
        if self.next == self.sid {
            // The leader, with which the chain ends: its name is all that is left to know, and cheaper alone.
            let mut comm = read(self.next, "comm")?;
            comm.truncate(comm.strip_suffix(b"\n").map_or(comm.len(), <[u8]>::len));
            self.seen += 1;
            return Some(Ancestor { pid: self.next, comm, environ: read(self.next, "environ") });
        }
        let stat = read(self.next, "stat").and_then(|s| Stat::parse(&s))?;
        if stat.session != self.sid {
            // The leader is gone, and its children were handed on to somebody outside the session: who started
            // it all is not to be seen any more.
            return None;
        }
        let pid = self.next;
        self.seen += 1;
        self.next = stat.ppid;
        Some(Ancestor { pid, comm: stat.comm, environ: read(pid, "environ") })
    }
}

impl Iterator for Ancestors {
    type Item = Ancestor;

    fn next(&mut self) -> Option<Ancestor> {
        if self.complete == Some(true) || self.complete == Some(false) && self.next == 0 {
            return None;
        }
        let found = self.look();
        match &found {
            None => (self.complete, self.next) = (Some(false), 0),
            Some(a) => {
                if a.environ.is_none() {
                    self.complete = Some(false);
                }
                if a.pid == self.sid {
                    self.complete = Some(self.complete.is_none());
                    self.next = 0;
                }
            }
        }
        found
    }
}

/// Number of our controlling terminal (as in `st_rdev`); `None` if there is none.
pub fn terminal() -> Option<u64> {
    Stat::parse(&crate::file::slurp(Path::new("/proc/self/stat"), MAX_BYTES).ok()?)?.terminal
}

/// Another process, as the kernel shows it now. Its id may be somebody else's the moment after: whoever relies on it
/// has to hold on to the process (a pidfd) meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its process id.
    pub pid: i32,
    /// Its parent's; 0 if that is outside our pid namespace.
    pub parent: i32,
    /// Its session.
    pub session: i32,
    /// Its program name, at most 15 bytes, which it can set itself.
    pub comm: Vec<u8>,
    /// It has a controlling terminal.
    pub terminal: bool,
    /// When it started, clock ticks since the system did: with its id this is nobody else's.
    pub started: u64,
}

/// What holds a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Another process traces it, and could speak through it.
    pub traced: bool,
    /// It has given up gaining privileges (`PR_SET_NO_NEW_PRIVS`), as those do that are confined.
    pub no_new_privs: bool,
}

impl Process {
    /// What holds it; `None` if it is gone or cannot be looked at.
    pub fn held(&self) -> Option<Held> {
        let status = read(self.pid, "status")?;
        let traced = field(&status, b"TracerPid:")? != 0;
        Some(Held { traced, no_new_privs: field(&status, b"NoNewPrivs:")? != 0 })
    }

    /// The environment it was started with, entry by entry; `None` if unreadable.
    pub fn environ(&self) -> Option<Vec<Vec<u8>>> {
        read(self.pid, "environ").map(|e| words(&e))
    }

    /// Its arguments; empty if unreadable.
    pub fn argv(&self) -> Vec<Vec<u8>> {
        read(self.pid, "cmdline").map(|e| words(&e)).unwrap_or_default()
    }
}

/// Looks at a process; `None` if it is gone or cannot be looked at.
pub fn process(pid: i32) -> Option<Process> {
    let text = read(pid, "stat")?;
    let stat = Stat::parse(&text)?;
    // The 22nd field; the name before it may hold anything.
    let behind = text.rsplit(|b| *b == b')').next()?;
    let started = std::str::from_utf8(behind).ok()?.split_ascii_whitespace().nth(19)?.parse().ok()?;
    Some(Process {
        pid,
        parent: stat.ppid,
        session: stat.session,
        comm: stat.comm,
        terminal: stat.terminal.is_some(),
        started,
    })
}

/// The processes above one, nearest first, as far as they can be seen.
pub fn above(of: &Process) -> impl Iterator<Item = Process> {
    let next = |p: &Process| (p.parent > 0).then(|| process(p.parent)).flatten();
    std::iter::successors(next(of), next).take(MAX_ANCESTORS)
}

/// Every process that can be seen: its id and its parent's.
fn all() -> Vec<(i32, i32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|e| e.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, read(pid, "stat").and_then(|s| Stat::parse(&s))?.ppid))).collect()
}

/// The processes below one, as far as they can be seen.
pub fn below(of: i32) -> Vec<i32> {
    let all = all();
    let mut out: Vec<i32> = Vec::new();
    let mut at = vec![of];
    while let Some(parent) = at.pop() {
        // Ids that were given anew while we looked could make a circle.
        let children = all.iter().filter(|(pid, p)| *p == parent && !out.contains(pid) && *pid != of);
        let children: Vec<i32> = children.map(|(pid, _)| *pid).collect();
        out.extend(&children);
        at.extend(children);
    }
    out
}

/// How many processes (and, roughly, threads) a user has.
pub fn of_user(uid: u32) -> u64 {
    let mine = |pid: &i32| {
        let status = read(*pid, "status")?;
        (field_words(&status, b"Uid:")?.first() == Some(&u64::from(uid)))
            .then(|| field(&status, b"Threads:").unwrap_or(1))
    };
    all().iter().filter_map(|(pid, _)| mine(pid)).sum()
}

/// Descriptors that are looked at in one search.
const MAX_DESCRIPTORS: usize = 1 << 18;

/// The processes of a user that hold the socket with that number, as far as they can be seen; `None` if there are so many
/// descriptors that not all of them were looked at.
pub fn holders(uid: u32, inode: u64) -> Option<Vec<i32>> {
    use std::os::unix::fs::MetadataExt;
    let (name, mut looked, mut out) = (socket_name(inode), 0, Vec::new());
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        if !entry.metadata().is_ok_and(|m| m.uid() == uid) {
            continue;
        }
        for link in descriptors(pid) {
            looked += 1;
            if looked > MAX_DESCRIPTORS {
                return None;
            }
            if link == name {
                out.push(pid);
                break;
            }
        }
    }
    Some(out)
}

/// True if that process holds the socket with that number.
pub fn holds(pid: i32, inode: u64) -> bool {
    let name = socket_name(inode);
    descriptors(pid).take(MAX_DESCRIPTORS).any(|link| link == name)
}

/// What the descriptors of a process lead to.
fn descriptors(pid: i32) -> impl Iterator<Item = std::path::PathBuf> {
    let all = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    all.map(|fd| std::fs::read_link(fd.path()).unwrap_or_default())
}

fn socket_name(inode: u64) -> std::path::PathBuf {
    format!("socket:[{inode}]").into()
}

/// The numbers of a line of `/proc/PID/status`.
fn field_words(status: &[u8], name: &[u8]) -> Option<Vec<u64>> {
    let line = status.split(|b| *b == b'\n').find_map(|l| l.strip_prefix(name))?;
    let words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    Some(words.map_while(|w| w.parse().ok()).collect())
}

/// A number of `/proc/PID/status`.
fn field(status: &[u8], name: &[u8]) -> Option<u64> {
    // The first line has the name of the program, with its line ends escaped.
    let line = status.split(|b| *b == b'\n').find_map(|l| l.strip_prefix(name))?;
    std::str::from_utf8(line).ok()?.trim().parse().ok()
}

/// What tells this run of the system from any other; `None` where the kernel does not say.
pub fn boot_id() -> Option<String> {
    let text = crate::file::slurp(Path::new("/proc/sys/kernel/random/boot_id"), 64).ok()?;
    String::from_utf8(text).ok().map(|t| t.trim().to_owned()).filter(|t| !t.is_empty())
}

fn read(pid: i32, what: &str) -> Option<Vec<u8>> {
    let mut path = String::with_capacity(32);
    for piece in ["/proc/", &pid.to_string(), "/", what] {
        path.push_str(piece);
    }
    crate::file::slurp(Path::new(&path), MAX_BYTES).ok()
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
        let mut seen = ancestors();
        let first = seen.next();
        if let Some(first) = &first {
            assert_eq!(first.pid, nix::unistd::getppid().as_raw());
            assert!(first.environ.is_some() && !first.argv().is_empty() && !first.comm.is_empty());
        }
        let last = seen.by_ref().last().or(first);
        let leads = nix::unistd::getsid(None) == Ok(nix::unistd::getpid());
        assert_eq!(seen.complete(), leads || last.is_some_and(|l| l.pid == seen.sid), "{seen:?}");
        assert_eq!(seen.next(), None);
    }

    #[test]
    fn another_process_is_looked_at() {
        let me = process(crate::ids::pid()).unwrap();
        assert_eq!(me.parent, nix::unistd::getppid().as_raw());
        assert!(me.environ().is_some() && !me.argv().is_empty() && me.held().is_some());
        if let Some(first) = above(&me).next() {
            assert_eq!(first.pid, me.parent);
        }
        assert_eq!(process(i32::MAX), None);
        let status = b"Name:\tTracerPid: 7\nTracerPid:\t42\nNoNewPrivs:\t1\n";
        assert_eq!((field(status, b"TracerPid:"), field(status, b"NoNewPrivs:")), (Some(42), Some(1)));
        assert_eq!(field(status, b"Seccomp:"), None);
    }

    #[test]
    fn this_boot_has_an_id() {
        assert_eq!(boot_id(), boot_id());
        assert!(boot_id().is_none_or(|id| id.len() >= 32));
    }

    #[test]
    fn what_is_hidden_is_not_complete() {
        for (next, sid) in [(0, 0), (i32::MAX, 1), (1, i32::MAX)] {
            let mut hidden = Ancestors { sid, next, seen: 0, complete: None };
            assert_eq!(hidden.next(), None);
            assert!(!hidden.complete());
        }
    }

    #[test]
    fn entries_end_with_nul() {
        let of = |environ: &[u8]| -> Vec<Vec<u8>> {
            let above = Ancestor { pid: 1, comm: Vec::new(), environ: Some(environ.to_vec()) };
            above.entries().map(<[u8]>::to_vec).collect()
        };
        assert_eq!(of(b""), Vec::<Vec<u8>>::new());
        assert_eq!(of(b"A=1\0\0B=2\0"), [b"A=1".to_vec(), b"".to_vec(), b"B=2".to_vec()]);
        assert_eq!(of(b"A=1\0B"), [b"A=1".to_vec(), b"B".to_vec()]);
    }

    #[test]
    fn words_end_with_nul() {
        assert_eq!(words(b""), Vec::<Vec<u8>>::new());
        assert_eq!(words(b"a\0\0b\0"), [b"a".to_vec(), b"".to_vec(), b"b".to_vec()]);
    }
}
