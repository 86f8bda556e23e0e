//! A person at a terminal: a pseudo-terminal as the controlling one of what runs, read and typed into.
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nix::fcntl::{OFlag, open};
use nix::pty::{PtyMaster, grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::stat::Mode;

/// A terminal.
pub struct Terminal {
    master: Option<Arc<PtyMaster>>,
    // Held open, so that the terminal lives while no program has it.
    side: Option<OwnedFd>,
    seen: Arc<Mutex<Vec<u8>>>,
    over: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    /// A terminal of 80 × 24.
    pub fn new() -> Terminal {
        let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK)
            .expect("a terminal");
        grantpt(&master).expect("grantpt");
        unlockpt(&master).expect("unlockpt");
        let path = ptsname_r(&master).expect("ptsname");
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let side = open(path.as_str(), flags, Mode::empty()).expect("the other side");
        let master = Arc::new(master);
        let (seen, over): (Arc<Mutex<Vec<u8>>>, Arc<AtomicBool>) = Default::default();
        let reader = {
            let (master, seen, over) = (master.clone(), seen.clone(), over.clone());
            std::thread::spawn(move || {
                let mut b = [0; 4096];
                while !over.load(Ordering::SeqCst) {
                    match (&*master).read(&mut b) {
                        Ok(n) if n > 0 => seen.lock().expect("lock").extend_from_slice(&b[..n]),
                        // Nothing yet, or no program has it at the moment.
                        _ => std::thread::sleep(Duration::from_millis(1)),
                    }
                }
            })
        };
        let terminal = Terminal { master: Some(master), side: Some(side), seen, over, reader: Some(reader) };
        terminal.resize(24, 80);
        terminal
    }

    fn master(&self) -> Arc<PtyMaster> {
        self.master.clone().expect("an open terminal")
    }

    /// Another size; programs get SIGWINCH.
    pub fn resize(&self, rows: u16, columns: u16) {
        let mut cmd = Command::new("stty");
        cmd.args(["rows", &rows.to_string(), "cols", &columns.to_string()]);
        assert!(cmd.stdin(self.end()).status().expect("stty").success());
    }

    /// Modes as `stty -g` says them.
    pub fn modes(&self) -> String {
        let out = Command::new("stty").arg("-g").stdin(self.end()).output().expect("stty");
        String::from_utf8(out.stdout).expect("text").trim().to_owned()
    }

    /// The side of the programs, for a child's descriptor.
    pub fn end(&self) -> Stdio {
        self.side
            .as_ref()
            .expect("an open terminal")
            .as_fd()
            .try_clone_to_owned()
            .expect("a descriptor")
            .into()
    }

    /// What was shown so far.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().expect("lock")).into_owned()
    }

    /// Types.
    pub fn send(&self, keys: &str) {
        let mut master: &PtyMaster = &self.master();
        master.write_all(keys.as_bytes()).expect("typing");
    }

    /// Waits until that is shown after `from` bytes; the length shown then.
    #[track_caller]
    pub fn expect(&self, text: &str, from: usize) -> usize {
        self.look(text, from)
            .unwrap_or_else(|| panic!("{text:?} was not shown after {from}: {}", self.shown()))
    }

    /// The same, but `None` if it is not shown in time.
    pub fn look(&self, text: &str, from: usize) -> Option<usize> {
        let began = Instant::now();
        loop {
            let shown = self.seen.lock().expect("lock").clone();
            if String::from_utf8_lossy(shown.get(from..).unwrap_or_default()).contains(text) {
                return Some(shown.len());
            }
            if began.elapsed() > Duration::from_secs(5) {
                return None;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Hangs up: the window is closed.
    pub fn close(&mut self) {
        self.side = None;
        self.over.store(true, Ordering::SeqCst);
        // A read under way would keep the line up.
        if let Some(r) = self.reader.take() {
            r.join().expect("the reader");
        }
        self.master = None;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.close();
    }
}

/// Ends a child that should have ended by itself, and tells how it did.
pub fn finish(child: &mut Child) -> std::process::ExitStatus {
    super::run::wait(child, Instant::now(), Duration::from_secs(10))
}

/// A program that has this terminal is asked through it.
#[test]
fn a_terminal_can_be_read_and_typed_into() {
    let terminal = Terminal::new();
    let before = terminal.modes();
    let mut child = Command::new("setsid")
        .args(["-c", "sh", "-c", "printf 'name? ' >/dev/tty; read x </dev/tty; stty size </dev/tty; echo \"got $x\" >/dev/tty; exit 3"])
        .stdin(terminal.end())
        .stdout(terminal.end())
        .spawn()
        .expect("setsid");
    let at = terminal.expect("name? ", 0);
    terminal.send("word\n");
    terminal.expect("24 80", at);
    terminal.expect("got word", at);
    assert_eq!(finish(&mut child).code(), Some(3));
    assert_eq!(terminal.modes(), before);
}

/// A closed window is a hang-up for what runs in it.
#[test]
fn a_closed_terminal_hangs_up() {
    let mut terminal = Terminal::new();
    let mut child = Command::new("setsid")
        .args(["-c", "sh", "-c", "echo ready >/dev/tty; read x </dev/tty; exec sleep 30"])
        .stdin(terminal.end())
        .stdout(Stdio::null())
        .spawn()
        .expect("setsid");
    terminal.expect("ready", 0);
    terminal.close();
    let status = finish(&mut child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(1), "{status:?}");
}
