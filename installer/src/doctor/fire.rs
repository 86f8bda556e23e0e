//! Starts a program for a moment, and a probe through a layer.
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a short run said.
#[derive(Debug)]
pub struct Said {
    /// Its exit code; `None` if it was ended by a signal or had to be.
    pub code: Option<i32>,
    /// At most 64 KiB of each.
    pub stdout: String,
    /// See there.
    pub stderr: String,
    /// True if it had to be ended.
    pub late: bool,
}

/// How long anything may take that is only looked at.
pub const PATIENCE: Duration = Duration::from_secs(20);

const MOST: u64 = 64 << 10;

/// Runs a program to its end or to the deadline.
///
/// # Errors
/// It cannot be started.
pub fn run<A: AsRef<OsStr>>(program: &Path, args: &[A], input: &[u8]) -> std::io::Result<Said> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // On threads of their own: a full pipe in one direction must not stop the other.
    let stdin = child.stdin.take();
    let input = input.to_vec();
    std::thread::spawn(move || stdin.map(|mut s| s.write_all(&input)));
    let reader = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(pipe) = pipe {
                let _ = pipe.take(MOST).read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = reader(child.stdout.take().map(|p| Box::new(p) as _));
    let err = reader(child.stderr.take().map(|p| Box::new(p) as _));
    let until = Instant::now() + PATIENCE;
    let (mut status, mut late) = (None, false);
    while status.is_none() {
        status = child.try_wait()?;
        if status.is_none() && Instant::now() > until {
            late = true;
            let _ = child.kill();
            status = Some(child.wait()?);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    // What it left running may hold the pipes: that is not waited for.
    let text = |thread: std::thread::JoinHandle<String>| {
        let until = Instant::now() + Duration::from_secs(1);
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        if thread.is_finished() { thread.join().unwrap_or_default() } else { String::new() }
    };
    Ok(Said { code: status.and_then(|s| s.code()), stdout: text(out), stderr: text(err), late })
}

/// A word that every policy denies.
///
/// # Errors
/// The system has no random numbers.
pub fn probe() -> Result<String, String> {
    let mut nonce = [0; 16];
    sys::edit::random(&mut nonce).map_err(|e| e.to_string())?;
    let nonce: String = nonce.iter().map(|b| format!("{b:02x}")).collect();
    Ok(policy::rules::probe::word(&nonce))
}

/// True if a text is the guard's no, on whatever ground: a policy may deny everything.
///
/// A guard whose policy cannot be read refuses everything: it is in the way, and that it is broken is told elsewhere.
pub fn is_our_no(line: &str) -> bool {
    line.starts_with("exec-guard: denied [") || line.starts_with("exec-guard: error [policy-unreadable]")
}

/// True if a hook said no in all the ways that stop one agent or another: its JSON with a reason, exit code 2 and a
/// line on standard error.
pub fn refused_as_hook(said: &Said) -> bool {
    fn holds(value: &serde_json::Value) -> bool {
        match value {
            serde_json::Value::String(text) => is_our_no(text),
            serde_json::Value::Object(map) => map.values().any(holds),
            _ => false,
        }
    }
    let json = serde_json::from_str(said.stdout.trim()).is_ok_and(|v| holds(&v));
    said.code == Some(2) && json && said.stderr.lines().any(is_our_no)
}

/// True if the guard refused: by its own code and its own first line.
pub fn refused(said: &Said) -> bool {
    matches!(said.code, Some(125 | 126)) && said.stderr.lines().any(is_our_no)
}

/// Starts a program with a probe in its words or its input; `no` tells whether it refused.
///
/// # Errors
/// It did not: what it did instead.
pub fn must_refuse<A: AsRef<OsStr>>(
    program: &Path,
    args: &[A],
    input: &[u8],
    no: fn(&Said) -> bool,
) -> Result<(), String> {
    match run(program, args, input) {
        Ok(said) if no(&said) => Ok(()),
        Ok(said) if said.late => Err("does not end".into()),
        Ok(said) => {
            let first = said.stderr.lines().next().unwrap_or_default();
            let code = said.code.map_or("a signal".to_owned(), |c| format!("code {c}"));
            Err(format!("a probe was not refused: it ended with {code} {first}"))
        }
        Err(e) => Err(format!("cannot be started: {e}")),
    }
}
