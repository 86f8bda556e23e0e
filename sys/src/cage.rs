//! A command that somebody waits for, in a process group of its own, with an end to its time and to what is kept of its
//! output: what it may do is limited by the kernel, and when it is over nothing of it is left running.
//!
//! ```text
//!  start     what was judged is looked at once more; limits, locks and fence are made ready
//!  fork      the child enters the fence, takes the limits and the locks on, and becomes the command
//!  watch     both streams are drained to their end, kept up to a number of bytes, and the rest is counted
//!  time up   TERM to everything below; after a grace KILL, to whatever is still there; the same if we are told to end
//!  over      what it left behind is killed and waited for: no zombie, no daemon
//! ```
//!
//! The process that calls this has to be a program of one thread that runs this command and then ends: it adopts what
//! the command leaves behind (`PR_SET_CHILD_SUBREAPER`, prctl(2)).
#[cfg(any(target_os = "linux", target_os = "android"))]
mod broker;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod calls;
pub mod fence;
pub mod lock;
pub mod told;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use policy::Permit;

use fence::Fence;
use lock::Locks;
use told::Told;

/// As much is read of a stream at once, bytes.
const PIECE: usize = 1 << 16;
/// How long is waited for the end of the streams, and for what was killed to be gone.
const LINGER: Duration = Duration::from_secs(5);
/// Between two looks at what has to be seen by looking.
const AGAIN: Duration = Duration::from_millis(20);

/// Folders in which a system keeps its programs and what they need.
pub const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"];

/// What stands around the command.
#[derive(Debug)]
pub enum Around {
    /// Nothing: it is started itself.
    Nothing,
    /// These words, then the path of the program that was judged, then its arguments.
    Before {
        /// The program that stands around it, with its options.
        words: Vec<Vec<u8>>,
        /// Descriptors that the words name by number.
        pass: Vec<OwnedFd>,
    },
    /// These words, then `sh -c TEXT`, for a place with other files, where the program that was judged does not exist.
    /// On timeout the words of `stop` are run. Their environment is `client`, which the command never sees.
    Elsewhere {
        /// The program that carries it there, with its options.
        words: Vec<Vec<u8>>,
        /// What ends it.
        stop: Vec<Vec<u8>>,
        /// Their environment.
        client: Vec<Vec<u8>>,
    },
}

/// How much it may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// From TERM to KILL.
    pub grace: Duration,
    /// Bytes of each stream that are kept.
    pub output: usize,
    /// Processes it may have at once, where the kernel can count them; none of its own without.
    pub processes: Option<u64>,
    /// Bytes of memory, where the kernel can count them.
    pub memory: Option<u64>,
    /// Largest file it may write, bytes.
    pub file: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The beginning of standard output and standard error.
    pub streams: [Vec<u8>; 2],
    /// How many bytes of each were not kept.
    pub cut: [u64; 2],
    /// Exit code, or 128 + signal.
    pub code: u32,
    /// True if its time was up.
    pub timed_out: bool,
    /// True if we were told to end while it ran.
    pub told: bool,
}

/// Why it was not started.
#[derive(Debug)]
pub enum CageError {
    /// This file is not what was judged any more.
    Changed(Vec<u8>),
    /// The kernel refused.
    Kernel(io::Error),
}

impl fmt::Display for CageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The file is foreign bytes, shown by the caller.
            CageError::Changed(_) => f.write_str("a program changed between the judgement and the start"),
            CageError::Kernel(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for CageError {}

impl From<io::Error> for CageError {
    fn from(e: io::Error) -> CageError {
        CageError::Kernel(e)
    }
}

impl From<Errno> for CageError {
    fn from(e: Errno) -> CageError {
        CageError::Kernel(e.into())
    }
}

/// Runs what was permitted, and returns when nothing of it is left. Its environment is the permit's.
///
/// # Errors
///
/// It was not started: a file changed, or the kernel refused.
pub fn run(
    permit: &Permit,
    around: &Around,
    folder: Option<&std::path::Path>,
    locks: Option<Locks>,
    limits: Limits,
) -> Result<Outcome, CageError> {
    let fence = Fence::new(limits.processes, limits.memory);
    let mut command = command(permit, around)?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    adopt()?;
    let pass: Vec<i32> = match around {
        Around::Before { pass, .. } => pass.iter().map(AsRawFd::as_raw_fd).collect(),
        Around::Nothing | Around::Elsewhere { .. } => Vec::new(),
    };
    let told = Told::listen()?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let (mut locks, mut broker) = (locks, None);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Some(locks) = &mut locks {
        broker = Some(locks.broker()?);
    }
    confine(&mut command, fence.as_ref(), pass, locks, limits, told.before())?;
    let child = command.spawn()?;
    // Without it the calls fail that it would do.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let _ = broker.map(broker::Broker::start);
    // The pipes' other ends are in it.
    drop(command);
    let mut watch = Watch::new(child, limits, around, fence, told)?;
    watch.until_over()?;
    Ok(watch.outcome)
}

fn os(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// The words, if what was judged is still there.
fn command(permit: &Permit, around: &Around) -> Result<Command, CageError> {
    let exe = permit.exe();
    let rest = permit.argv().get(1..).unwrap_or_default();
    let prefix = |words: &[Vec<u8>]| -> Result<Command, CageError> {
        let (first, rest) = words.split_first().ok_or(Errno::EINVAL)?;
        let mut command = Command::new(os(first));
        command.args(rest.iter().map(|w| os(w)));
        Ok(command)
    };
    let mut command = match around {
        Around::Elsewhere { words, client, .. } => {
            let mut command = prefix(words)?;
            command.arg("sh").arg("-c").arg(OsString::from_vec(text(permit)));
            return Ok(with_env(command, client));
        }
        Around::Before { words, .. } => {
            let mut command = prefix(words)?;
            command.arg(os(&exe.found));
            command
        }
        Around::Nothing => {
            let mut command = Command::new(os(&exe.found));
            command.arg0(os(permit.argv().first().unwrap_or(&exe.found)));
            command
        }
    };
    let all = std::iter::once(exe).chain(permit.recheck());
    for judged in all {
        if crate::world::identity(&judged.found) != Some(judged.id) {
            return Err(CageError::Changed(judged.found.clone()));
        }
    }
    command.args(rest.iter().map(|w| os(w)));
    Ok(with_env(command, permit.env()))
}

fn with_env(mut command: Command, env: &[Vec<u8>]) -> Command {
    command.env_clear();
    for entry in env {
        // An entry without a name cannot be given on, and nobody asked for it.
        if let Some(at) = entry.iter().position(|b| *b == b'=').filter(|at| *at > 0) {
            let (name, value) = entry.split_at(at);
            command.env(os(name), os(value.get(1..).unwrap_or_default()));
        }
    }
    command
}

/// What was permitted as the text of a shell: a text as it is, words quoted.
fn text(permit: &Permit) -> Vec<u8> {
    if let ([_, options @ .., last], Some(script)) = (permit.argv(), &permit.plan().script)
        && last == script
        && options.last().is_some_and(|o| o == b"-c")
        && policy::shell::Dialect::of_program(permit.exe().name(), permit.exe().real_name()).is_some()
    {
        return script.clone();
    }
    let quoted = |word: &Vec<u8>| {
        let mut out = vec![b'\''];
        for b in word {
            match b {
                b'\'' => out.extend_from_slice(b"'\\''"),
                b => out.push(*b),
            }
        }
        out.push(b'\'');
        out
    };
    permit.argv().iter().map(quoted).collect::<Vec<_>>().join(&b' ')
}

/// Makes us the parent of what the command leaves behind.
fn adopt() -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    nix::sys::prctl::set_child_subreaper(true)?;
    Ok(())
}

/// What the child does before it becomes the command.
fn confine(
    command: &mut Command,
    fence: Option<&Fence>,
    pass: Vec<i32>,
    locks: Option<Locks>,
    limits: Limits,
    signals: SigSet,
) -> io::Result<()> {
    let doors: Vec<OwnedFd> = fence.map(Fence::doors).transpose()?.unwrap_or_default();
    let processes = limits.processes.map(|n| n.saturating_add(crate::proc::of_user(crate::ids::uid())));
    let child = move || -> io::Result<()> {
        signals.thread_set_mask()?;
        for door in &doors {
            // `0` is whoever writes it: cgroups(7).
            nix::unistd::write(door, b"0")?;
        }
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        if let Some(bytes) = limits.file {
            setrlimit(Resource::RLIMIT_FSIZE, bytes, bytes)?;
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            // It does not outlive whoever watches it.
            nix::sys::prctl::set_pdeathsig(Some(Signal::SIGKILL))?;
            if let Some(n) = processes {
                setrlimit(Resource::RLIMIT_NPROC, n, n)?;
            }
            // What we were given by our caller is not the command's.
            lock::only_standard_descriptors(&pass)?;
        }
        if let Some(locks) = &locks {
            locks.put_on()?;
        }
        Ok(())
    };
    // SAFETY: our program has one thread, so the child may do what its parent could; and what it does is system calls
    // with values that were made ready before, no memory is asked for unless one fails.
    unsafe { command.pre_exec(child) };
    Ok(())
}

struct Watch<'a> {
    child: Child,
    ended: Option<OwnedFd>,
    streams: [Option<Box<dyn Source>>; 2],
    limits: Limits,
    around: &'a Around,
    fence: Option<Fence>,
    told: Told,
    outcome: Outcome,
}

trait Source: Read + AsFd {}
impl<T: Read + AsFd> Source for T {}

/// How far the end of its time has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Told,
    Killed,
}

impl<'a> Watch<'a> {
    fn new(
        mut child: Child,
        limits: Limits,
        around: &'a Around,
        fence: Option<Fence>,
        told: Told,
    ) -> io::Result<Watch<'a>> {
        let pid = i32::try_from(child.id()).map_err(|_| io::Error::from(Errno::ESRCH))?;
        let stdout = child.stdout.take().map(|s| Box::new(s) as Box<dyn Source>);
        let stderr = child.stderr.take().map(|s| Box::new(s) as Box<dyn Source>);
        let outcome =
            Outcome { streams: [vec![], vec![]], cut: [0, 0], code: 0, timed_out: false, told: false };
        let ended = crate::spawn::ended(Pid::from_raw(pid));
        Ok(Watch { child, ended, streams: [stdout, stderr], limits, around, fence, told, outcome })
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap_or(i32::MAX))
    }

    fn until_over(&mut self) -> io::Result<()> {
        let mut deadline = Instant::now() + self.limits.time;
        let mut phase = Phase::Running;
        let mut buffer = vec![0; PIECE];
        loop {
            if let Some(code) = self.status()? {
                self.outcome.code = code;
                break;
            }
            if self.told.came() {
                (self.outcome.told, deadline) = (true, Instant::now());
            }
            if Instant::now() >= deadline {
                self.outcome.timed_out |= !self.outcome.told;
                (phase, deadline) = match phase {
                    Phase::Running => {
                        self.tell_to_end();
                        (Phase::Told, Instant::now() + self.limits.grace)
                    }
                    Phase::Told | Phase::Killed => {
                        self.kill_all();
                        (Phase::Killed, Instant::now() + AGAIN)
                    }
                };
            }
            self.step(&mut buffer, deadline)?;
        }
        // Whatever it left in the background ends with it, and with that the streams.
        let until = Instant::now() + LINGER;
        loop {
            let left = self.sweep();
            let open = self.streams.iter().any(Option::is_some);
            if !(left || open) || Instant::now() >= until {
                return Ok(());
            }
            let soon = Instant::now() + AGAIN;
            while Instant::now() < soon && self.streams.iter().any(Option::is_some) {
                self.step(&mut buffer, soon)?;
            }
            if left && !open {
                std::thread::sleep(AGAIN);
            }
        }
    }

    /// Its exit code once it has ended.
    fn status(&mut self) -> io::Result<Option<u32>> {
        match waitpid(self.pid(), Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(_, code)) => Ok(Some(u32::try_from(code).unwrap_or(255))),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                Ok(Some(128 + u32::try_from(signal as i32).unwrap_or(0)))
            }
            Ok(_) | Err(Errno::EINTR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Waits for something to happen until then, and takes in what was written.
    fn step(&mut self, buffer: &mut [u8], until: Instant) -> io::Result<()> {
        let mut patience = until.saturating_duration_since(Instant::now());
        if self.ended.is_none() {
            patience = patience.min(AGAIN);
        }
        let mut entries = Vec::with_capacity(4);
        let mut which = Vec::with_capacity(3);
        for (at, stream) in self.streams.iter().enumerate() {
            if let Some(stream) = stream {
                entries.push(PollFd::new(stream.as_fd(), PollFlags::POLLIN));
                which.push(at);
            }
        }
        if let Some(fd) = &self.ended {
            entries.push(PollFd::new(fd.as_fd(), PollFlags::POLLIN));
        }
        if let Some(fd) = self.told.fd() {
            entries.push(PollFd::new(fd, PollFlags::POLLIN));
        }
        // A part of a millisecond is rounded up, so that the last wait is none of no length over and over.
        let timeout =
            PollTimeout::try_from(patience + Duration::from_micros(999)).unwrap_or(PollTimeout::MAX);
        match poll(&mut entries, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(e) => return Err(e.into()),
        }
        let some = |e: &PollFd<'_>| e.revents().is_some_and(|r| !r.is_empty());
        let ready: Vec<usize> =
            entries.iter().zip(&which).filter(|(e, _)| some(e)).map(|(_, at)| *at).collect();
        for at in ready {
            let Some(slot) = self.streams.get_mut(at) else { continue };
            let Some(stream) = slot else { continue };
            match stream.read(buffer) {
                Ok(0) => *slot = None,
                Ok(n) => self.keep(at, buffer.get(..n).unwrap_or_default()),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => *slot = None,
            }
        }
        Ok(())
    }

    fn keep(&mut self, at: usize, piece: &[u8]) {
        let o = &mut self.outcome;
        let (Some(kept), Some(cut)) = (o.streams.get_mut(at), o.cut.get_mut(at)) else { return };
        let room = self.limits.output.saturating_sub(kept.len());
        let take = piece.get(..room).unwrap_or(piece);
        kept.extend_from_slice(take);
        *cut = cut.saturating_add((piece.len() - take.len()) as u64);
    }

    /// TERM, to everything below us. A program that stands around the command would end at once, and the kernel would
    /// kill what is inside: it is left to end with the command.
    fn tell_to_end(&mut self) {
        let leader = self.pid();
        let all = crate::proc::below(crate::ids::pid());
        let inside: Vec<i32> = match self.around {
            Around::Before { .. } => all.into_iter().filter(|pid| *pid != leader.as_raw()).collect(),
            Around::Nothing | Around::Elsewhere { .. } => all,
        };
        if inside.is_empty() {
            let _ = kill(leader, Signal::SIGTERM);
        }
        for pid in inside {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
    }

    fn kill_all(&mut self) {
        if let Around::Elsewhere { stop, client, .. } = self.around
            && let Some((program, words)) = stop.split_first()
        {
            let mut command = Command::new(os(program));
            command.args(words.iter().map(|w| os(w)));
            let mut command = with_env(command, client);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if let Ok(mut child) = command.spawn() {
                wait_a_while(&mut child);
            }
        }
        // Its group, in one call that no fork escapes.
        let _ = nix::sys::signal::killpg(self.pid(), Signal::SIGKILL);
        let _ = self.sweep_but(None);
    }

    /// Kills what is left of it, and waits for what is dead. True if something may still be there.
    fn sweep(&mut self) -> bool {
        self.sweep_but(Some(()))
    }

    fn sweep_but(&mut self, reap: Option<()>) -> bool {
        if let Some(fence) = &self.fence {
            fence.kill();
        }
        let left = crate::proc::below(crate::ids::pid());
        for pid in &left {
            let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
        }
        if reap.is_some() {
            // Ours by adoption: the command itself was waited for.
            while let Ok(status) = waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
                if status == WaitStatus::StillAlive {
                    break;
                }
            }
        }
        !left.is_empty()
    }
}

fn wait_a_while(child: &mut Child) {
    let until = Instant::now() + LINGER;
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(AGAIN);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// True if that program runs with these words and ends well, soon.
pub fn answers(words: &[Vec<u8>], env: &[Vec<u8>], patience: Duration) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let mut command = Command::new(os(program));
    command.args(rest.iter().map(|w| os(w)));
    let mut command = with_env(command, env);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let until = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(AGAIN),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// The file of that name in these folders that may be executed.
pub fn find(name: &str, folders: &[&str]) -> Option<PathBuf> {
    folders.iter().map(|f| PathBuf::from(f).join(name)).find(|p| {
        let may = nix::unistd::access(p, nix::unistd::AccessFlags::X_OK).is_ok();
        may && std::fs::metadata(p).is_ok_and(|m| m.is_file())
    })
}

/// Number of a descriptor, for a word of a command line.
pub fn number(fd: &impl AsRawFd) -> String {
    fd.as_raw_fd().to_string()
}
