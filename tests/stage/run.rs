//! Running a program on the stage, and what came of it.
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::pty::Terminal;
use super::{Record, Stage, player, programs};

/// How the program is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// No guard: the tool of that name on the stage.
    Plain,
    /// No guard: the first word is a path.
    Path,
    /// `exec-guard -- WORDS`.
    Dash,
    /// A shim of that name.
    Shim,
    /// `exec-guard -c TEXT`, the words single-quoted.
    Text,
    /// The guard that disturbs, in the guard's place.
    Clumsy,
}

/// A run being made ready.
#[must_use]
pub struct Cast<'a> {
    stage: &'a Stage,
    words: Vec<Vec<u8>>,
    way: Way,
    chain: Vec<String>,
    launch: Vec<Vec<u8>>,
    env: Option<Vec<Vec<u8>>>,
    cwd: PathBuf,
    stdin: Option<Vec<u8>>,
    argv0: Option<Vec<u8>>,
    as_root: bool,
    terminal: Option<&'a Terminal>,
    limit: Duration,
}

impl<'a> Cast<'a> {
    pub(super) fn new(stage: &'a Stage, words: Vec<Vec<u8>>) -> Cast<'a> {
        Cast {
            cwd: stage.path("work"),
            stage,
            words,
            way: Way::Plain,
            chain: Vec::new(),
            launch: Vec::new(),
            env: None,
            stdin: None,
            argv0: None,
            as_root: false,
            terminal: None,
            limit: Duration::from_secs(20),
        }
    }

    /// How it is reached.
    pub fn way(mut self, way: Way) -> Self {
        self.way = way;
        self
    }

    /// Programs of the host in front, each of which becomes the next (`nice -n 5`).
    pub fn chain(mut self, words: &[&str]) -> Self {
        self.chain.extend(words.iter().map(|w| (*w).to_owned()));
        self
    }

    /// Options of `launch`.
    pub fn launch(mut self, words: &[&str]) -> Self {
        self.launch.extend(words.iter().map(|w| w.as_bytes().to_vec()));
        self
    }

    /// The environment, entry by entry, in place of the stage's.
    pub fn env(mut self, entries: Vec<Vec<u8>>) -> Self {
        self.env = Some(entries);
        self
    }

    /// Another working folder.
    pub fn cwd(mut self, path: PathBuf) -> Self {
        self.cwd = path;
        self
    }

    /// What lies on standard input; nothing without.
    pub fn stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = Some(bytes.to_vec());
        self
    }

    /// `argv[0]`, where it is not the name.
    pub fn argv0(mut self, word: &[u8]) -> Self {
        self.argv0 = Some(word.to_vec());
        self
    }

    /// Not as the player but as whoever runs the tests.
    pub fn with_root(mut self) -> Self {
        self.as_root = true;
        self
    }

    /// With this as the controlling terminal and standard input; stdout and stderr stay pipes.
    pub fn terminal(mut self, terminal: &'a Terminal) -> Self {
        self.terminal = Some(terminal);
        self
    }

    /// How long it may take.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Starts it, with pipes.
    pub fn start(&self) -> Child {
        let env = self.env.clone().unwrap_or_else(|| self.stage.environment());
        let mut raw = Vec::new();
        for e in &env {
            raw.extend_from_slice(e);
            raw.push(0);
        }
        // A file for each run: several may be started at once.
        static RUNS: AtomicUsize = AtomicUsize::new(0);
        let file = format!("environment{}", RUNS.fetch_add(1, Ordering::Relaxed));
        self.stage.write(&file, &raw, 0o644);
        let p = programs();
        let os = |b: &[u8]| OsString::from_vec(b.to_vec());
        let name = self.words.first().cloned().unwrap_or_default();
        let in_dir = |dir: &str| self.stage.path(dir).join(os(&name)).into_os_string();
        let (program, argv0, rest): (OsString, Vec<u8>, Vec<Vec<u8>>) = match self.way {
            Way::Plain => (in_dir("bin"), name.clone(), self.words[1..].to_vec()),
            Way::Path => (os(&name), name.clone(), self.words[1..].to_vec()),
            Way::Shim => (in_dir("shims"), name.clone(), self.words[1..].to_vec()),
            Way::Dash | Way::Clumsy => {
                let exe = if self.way == Way::Dash { &p.guard } else { &p.clumsy };
                let mut rest = vec![b"--".to_vec()];
                rest.extend(self.words.iter().cloned());
                (exe.clone().into_os_string(), b"exec-guard".to_vec(), rest)
            }
            Way::Text => {
                let text = self.words.iter().map(|w| quote(w)).collect::<Vec<_>>().join(&b' ');
                (p.guard.clone().into_os_string(), b"exec-guard".to_vec(), vec![b"-c".to_vec(), text])
            }
        };
        // A session of its own: no terminal of the tests' caller, no mark of an agent among the ancestors.
        let mut cmd = Command::new("/usr/bin/setsid");
        if self.terminal.is_some() {
            cmd.arg("--ctty");
        }
        cmd.args(&self.chain).arg(&p.launch).arg("--env").arg(self.stage.path(&file));
        cmd.args(self.launch.iter().map(|w| os(w)));
        cmd.arg("--argv0").arg(os(self.argv0.as_ref().unwrap_or(&argv0))).arg("--").arg(program);
        cmd.args(rest.iter().map(|w| os(w))).env_clear().current_dir(&self.cwd);
        let stdin = match (self.terminal, &self.stdin) {
            (Some(t), _) => t.end(),
            (None, Some(_)) => Stdio::piped(),
            (None, None) => Stdio::null(),
        };
        cmd.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some((uid, gid)) = player().filter(|_| !self.as_root) {
            cmd.uid(uid).gid(gid);
        }
        cmd.spawn().expect("setsid")
    }

    /// Runs it to its end.
    pub fn run(self) -> Run {
        self.talk(|| {})
    }

    /// Runs it to its end, and does something meanwhile.
    pub fn talk(self, meanwhile: impl FnOnce()) -> Run {
        self.stage.clear();
        let began = Instant::now();
        let mut child = self.start();
        let pid = child.id();
        if let (Some(bytes), Some(mut to)) = (self.stdin.clone(), child.stdin.take()) {
            std::thread::spawn(move || to.write_all(&bytes));
        }
        let (mut o, mut e) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
        let (stdout, stderr, status) = std::thread::scope(|s| {
            let read = |r: &mut dyn Read| {
                let mut b = Vec::new();
                let _ = r.read_to_end(&mut b);
                b
            };
            let so = s.spawn(move || read(&mut o));
            let se = s.spawn(move || read(&mut e));
            meanwhile();
            let status = wait(&mut child, began, self.limit);
            (so.join().expect("thread"), se.join().expect("thread"), status)
        });
        let text = |b: Vec<u8>| String::from_utf8_lossy(&b).into_owned();
        Run { status, stdout: text(stdout), stderr: text(stderr), records: self.stage.records(), pid }
    }
}

/// Waits with an end; what hangs is killed with its whole session's group, and shows as signal 9.
pub fn wait(child: &mut Child, began: Instant, limit: Duration) -> ExitStatus {
    loop {
        if let Some(status) = child.try_wait().expect("wait") {
            return status;
        }
        if began.elapsed() > limit {
            let group = nix::unistd::Pid::from_raw(child.id() as i32);
            let _ = nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL);
            let _ = child.kill();
            return child.wait().expect("wait");
        }
        let ms = if began.elapsed() < Duration::from_millis(30) { 1 } else { 5 };
        std::thread::sleep(Duration::from_millis(ms));
    }
}

/// A word in single quotes.
pub fn quote(word: &[u8]) -> Vec<u8> {
    let mut out = b"'".to_vec();
    for b in word {
        match b {
            b'\'' => out.extend_from_slice(b"'\\''"),
            b => out.push(*b),
        }
    }
    out.push(b'\'');
    out
}

/// What came of a run.
#[derive(Debug)]
#[must_use]
pub struct Run {
    /// How it ended.
    pub status: ExitStatus,
    /// What it said.
    pub stdout: String,
    /// What it said on the side.
    pub stderr: String,
    /// What witnesses saw.
    pub records: Vec<Record>,
    /// The process that was started.
    pub pid: u32,
}

impl Run {
    /// Exit code, or 128 + signal.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    /// The stable reason code of the first line on stderr, but for one that only says that the guard waits.
    pub fn reason(&self) -> Option<&str> {
        let ours = |l: &&str| l.starts_with("exec-guard: ") && !l.starts_with("exec-guard: asks ");
        let line = self.stderr.lines().find(ours)?;
        let (_, rest) = line.split_once('[')?;
        Some(rest.split_once(']')?.0)
    }

    /// Holds if exactly these programs ran, by their words.
    #[track_caller]
    pub fn ran(&self, expected: &[&[&str]]) -> &Self {
        let seen: Vec<Vec<String>> = self.records.iter().map(Record::words).collect();
        let seen: Vec<Vec<&str>> = seen.iter().map(|w| w.iter().map(String::as_str).collect()).collect();
        assert_eq!(seen, expected, "{self:?}");
        self
    }

    /// Holds if something ran and it succeeded.
    #[track_caller]
    pub fn allowed(&self) -> &Self {
        assert!(self.status.success() && !self.records.is_empty(), "not allowed: {self:?}");
        self
    }

    /// Holds if nothing ran, the status is ours and stderr says why with this code.
    #[track_caller]
    pub fn refused(&self, status: i32, reason: &str) -> &Self {
        assert!(self.records.is_empty(), "something ran: {self:?}");
        assert_eq!((self.code(), self.reason()), (status, Some(reason)), "{self:?}");
        self
    }
}
