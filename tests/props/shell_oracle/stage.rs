//! Where texts are run: `/run/oracle` in a view of the file system of its own, every program a witness but for the
//! shells and a few that run others.
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use policy::{FakeWorld, FileInfo, NameKind, World};

use crate::quick::Quick;

/// The folder of it all.
pub const ROOT: &str = "/run/oracle";

/// Programs that stay what they are, since they run others.
pub const REAL: &[&str] = &["sh", "bash", "dash", "zsh", "env", "nice", "nohup", "timeout", "xargs", "find"];

/// Files in the working folder, for globs and relative names.
const FILES: &[&str] = &["a", "b1", "x y", "-n", "sub/c", "sub/d.txt"];

/// Ticks of the watch after which a text does not end. A tick passes only while this process runs.
const TICKS: u32 = 8;
const TICK: Duration = Duration::from_millis(50);

/// What one run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The words of every program that ran, the name by its last component.
    pub calls: Vec<Vec<Vec<u8>>>,
    /// The same with all else that was seen.
    pub records: Vec<Vec<u8>>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Exit status, or 1000 and the signal.
    pub status: i32,
    /// True if it ended by itself.
    pub ended: bool,
    /// True if the working folder was changed.
    pub files: bool,
}

pub struct Stage {
    root: PathBuf,
    cwd: PathBuf,
    log: File,
    out: File,
    err: File,
    quick: Option<Quick>,
    /// True while something runs, and for how long it has.
    running: Arc<(AtomicBool, AtomicU32)>,
}

impl Stage {
    /// Makes it. `witness` is the program all others are links to; `quick` what real shells are loaded with.
    pub fn new(witness: &Path, quick: Option<&Path>, names: &BTreeSet<String>) -> std::io::Result<Stage> {
        let root = PathBuf::from(ROOT);
        let bin = root.join("bin");
        fs::create_dir_all(&bin)?;
        fs::create_dir_all(root.join("home"))?;
        let one = root.join("witness");
        fs::copy(witness, &one)?;
        for name in names {
            let to = bin.join(name);
            if REAL.contains(&name.as_str()) {
                symlink(Path::new("/usr/bin").join(real_name(name)), to)?;
            } else {
                fs::hard_link(&one, to)?;
            }
        }
        let cwd = root.join("cwd");
        fs::create_dir_all(cwd.join("sub"))?;
        for file in FILES {
            fs::write(cwd.join(file), b"")?;
        }
        fs::write(root.join("stdin"), b"one two\nthree\n\n")?;
        for (resource, most) in [
            (Resource::RLIMIT_FSIZE, 1 << 18),
            (Resource::RLIMIT_CORE, 0),
            (Resource::RLIMIT_NPROC, 300),
            (Resource::RLIMIT_NOFILE, 64),
            (Resource::RLIMIT_AS, 1 << 30),
        ] {
            setrlimit(resource, most, most)?;
        }
        let running = Arc::new((AtomicBool::new(false), AtomicU32::new(0)));
        let watch = Arc::clone(&running);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(TICK);
                if watch.0.load(Ordering::SeqCst) && watch.1.fetch_add(1, Ordering::SeqCst) > TICKS {
                    // All but this process and the first one, which is not ours.
                    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
                }
            }
        });
        let open = |name: &str| OpenOptions::new().create(true).append(true).read(true).open(root.join(name));
        Ok(Stage {
            log: open("log")?,
            out: open("out")?,
            err: open("err")?,
            quick: quick.map(|q| Quick::new(q.to_owned(), cwd.clone())),
            root,
            cwd,
            running,
        })
    }

    /// All names it has programs for, besides those of the texts.
    pub fn own_names() -> impl Iterator<Item = &'static str> {
        REAL.iter().copied().chain(["w1", "w2", "w3", "w4", "w5", "w9", "echo", "printf", "test", "[", "cat"])
    }

    /// Runs a program of this argv and environment; `quickly` if a shell that is already loaded will do.
    pub fn run(
        &mut self,
        file: &Path,
        argv: &[Vec<u8>],
        env: &[Vec<u8>],
        quickly: bool,
    ) -> std::io::Result<Ran> {
        for file in [&self.log, &self.out, &self.err] {
            file.set_len(0)?;
        }
        self.running.1.store(0, Ordering::SeqCst);
        self.running.0.store(true, Ordering::SeqCst);
        let ended = match self.quick.as_mut().filter(|_| quickly) {
            Some(quick) => quick.run(file, argv, env, (&self.out, &self.err))?,
            None => None,
        };
        let killed = self.running.1.load(Ordering::SeqCst) > TICKS;
        let (group, status) = match ended {
            Some((group, status)) => (group, ExitStatus::from_raw(status)),
            None if killed => (Pid::from_raw(0), ExitStatus::from_raw(9)),
            None => self.start(file, argv, env)?,
        };
        // Members of a pipeline may outlive a shell that gave up.
        let mut waited = 0;
        while group.as_raw() > 0 && killpg(group, None) != Err(Errno::ESRCH) {
            waited += 1;
            std::thread::sleep(Duration::from_micros(if waited < 20 { 100 } else { 5000 }));
        }
        let late = self.running.1.load(Ordering::SeqCst) > TICKS;
        self.running.0.store(false, Ordering::SeqCst);
        let code = status.code().unwrap_or_else(|| 1000 + status.signal().unwrap_or(0));
        let mut ran = Ran {
            calls: Vec::new(),
            records: Vec::new(),
            stdout: content(&self.out)?,
            status: code,
            // What the kernel ended is not compared: a text without an end, or one that is too deep.
            ended: !late && code < 1000 && code != 128 + 9 && code != 128 + 11 && code != 128 + 25,
            files: false,
        };
        for record in split(&content(&self.log)?, b"\0\x02RECORD\0") {
            let at = record.windows(8).position(|w| w == b"\0\x01WORDS\0").unwrap_or(record.len());
            let words = record.get(..at).unwrap_or_default();
            ran.calls.push(words.split(|b| *b == 0).map(<[u8]>::to_vec).collect());
            ran.records.push(record.to_vec());
        }
        ran.files = self.changed()?;
        Ok(ran)
    }

    /// Starts a new process and waits for its end.
    fn start(&self, file: &Path, argv: &[Vec<u8>], env: &[Vec<u8>]) -> std::io::Result<(Pid, ExitStatus)> {
        let mut command = Command::new(file);
        let words = argv.iter().map(|a| std::ffi::OsStr::from_bytes(a));
        command.env_clear().current_dir(&self.cwd).args(words.clone().skip(1));
        if let Some(first) = words.clone().next() {
            command.arg0(first);
        }
        for entry in env {
            let cut = entry.iter().position(|b| *b == b'=').unwrap_or(entry.len());
            let (name, value) = entry.split_at(cut);
            command.env(
                std::ffi::OsStr::from_bytes(name),
                std::ffi::OsStr::from_bytes(value.get(1..).unwrap_or_default()),
            );
        }
        command
            .stdin(File::open(self.root.join("stdin"))?)
            .stdout(self.out.try_clone()?)
            .stderr(self.err.try_clone()?)
            .process_group(0);
        let mut child = command.spawn()?;
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
        Ok((group, child.wait()?))
    }

    /// True if the working folder holds other files than at first; they are taken away.
    fn changed(&self) -> std::io::Result<bool> {
        let mut changed = false;
        let mut seen = 0;
        for (folder, below) in [(self.cwd.clone(), ""), (self.cwd.join("sub"), "sub/")] {
            for entry in fs::read_dir(folder)?.flatten() {
                let name = format!("{below}{}", entry.file_name().to_string_lossy());
                if FILES.contains(&name.as_str()) {
                    seen += 1;
                } else if name != "sub" {
                    changed = true;
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        if seen != FILES.len() {
            changed = true;
            for file in FILES {
                fs::write(self.cwd.join(file), b"")?;
            }
        }
        Ok(changed)
    }

    /// The same folders and programs, for the judgement.
    pub fn world(&self, names: &BTreeSet<String>) -> Remembered {
        let mut world = FakeWorld::new();
        for shell in ["dash", "bash", "zsh"] {
            world = world.program(&format!("/usr/bin/{shell}"));
        }
        for name in names {
            let path = format!("{ROOT}/bin/{name}");
            if REAL.contains(&name.as_str()) {
                let to = format!("/usr/bin/{}", real_name(name));
                if !["dash", "bash", "zsh"].contains(&real_name(name)) {
                    world = world.program(&to);
                }
                world = world.link(&path, &to);
            } else {
                world = world.program(&path);
            }
        }
        for file in FILES {
            world = world.file(&format!("{ROOT}/cwd/{file}"), b"");
        }
        world = world.file(&format!("{ROOT}/home/.keep"), b"");
        Remembered { world, infos: RefCell::default(), reals: RefCell::default() }
    }
}

fn real_name(name: &str) -> &str {
    if name == "sh" { "dash" } else { name }
}

fn content(file: &File) -> std::io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let mut out = vec![0; usize::try_from(file.metadata()?.len()).unwrap_or(0)];
    let mut at = 0;
    while let Some(rest) = out.get_mut(at..).filter(|r| !r.is_empty()) {
        match file.read_at(rest, at as u64)? {
            0 => break,
            n => at += n,
        }
    }
    out.truncate(at);
    Ok(out)
}

fn split<'a>(mut bytes: &'a [u8], by: &[u8]) -> Vec<&'a [u8]> {
    let mut out = Vec::new();
    while let Some(at) = bytes.windows(by.len()).position(|w| w == by) {
        let (head, tail) = bytes.split_at(at);
        out.push(head);
        bytes = tail.get(by.len()..).unwrap_or_default();
    }
    out
}

/// A world that looks at each path once.
pub struct Remembered {
    world: FakeWorld,
    infos: RefCell<HashMap<Vec<u8>, Option<FileInfo>>>,
    reals: RefCell<HashMap<Vec<u8>, Option<Vec<u8>>>>,
}

fn remember<T: Clone>(known: &RefCell<HashMap<Vec<u8>, T>>, path: &[u8], look: impl FnOnce() -> T) -> T {
    let mut known = known.borrow_mut();
    if known.len() > 50_000 {
        known.clear();
    }
    known.entry(path.to_vec()).or_insert_with(look).clone()
}

impl World for Remembered {
    fn info(&self, path: &[u8]) -> Option<FileInfo> {
        remember(&self.infos, path, || self.world.info(path))
    }
    fn real(&self, path: &[u8]) -> Option<Vec<u8>> {
        remember(&self.reals, path, || self.world.real(path))
    }
    fn head(&self, path: &[u8]) -> Option<Vec<u8>> {
        self.world.head(path)
    }
    fn writable(&self, path: &[u8]) -> bool {
        self.world.writable(path)
    }
    fn link(&self, path: &[u8]) -> bool {
        World::link(&self.world, path)
    }
    fn target(&self, link: &[u8]) -> Option<Vec<u8>> {
        self.world.target(link)
    }
    fn names(&self, folder: &[u8], most: usize) -> Option<Vec<(Vec<u8>, NameKind)>> {
        self.world.names(folder, most)
    }
}
