//! The system calls of a run, by strace, and making one of them fail.
use std::process::Command;

use super::run::{Cast, Run};
use super::{Stage, programs};

/// One system call between the guard's start and the exec of the command.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name.
    pub name: String,
    /// Which call of that name it is, counted from 1 since tracing began.
    pub nth: usize,
    /// The line as traced.
    pub line: String,
}

/// Why nothing can be traced here; `None` if it can.
pub fn impossible() -> Option<String> {
    let mut cmd = Command::new("strace");
    match cmd.args(["-qq", "-o", "/dev/null", "true"]).output() {
        Err(e) => Some(format!("strace: {e}")),
        Ok(o) if !o.status.success() => Some(String::from_utf8_lossy(&o.stderr).into_owned()),
        Ok(_) => None,
    }
}

/// A run under strace, whose other options are given; the trace goes to `DIR/trace`.
pub fn traced<'a>(stage: &'a Stage, words: &[&str], options: &[&str]) -> Cast<'a> {
    stage.write("trace", b"", 0o644);
    let file = stage.text("trace");
    let mut chain = vec!["/usr/bin/strace", "-f", "-qq", "-s", "256", "-o", &file];
    chain.extend(options);
    stage.cast(words).chain(&chain)
}

/// The calls of the last traced run, from the start of the guard to the exec of the command, which is the last.
pub fn calls(stage: &Stage) -> Vec<Call> {
    let text = std::fs::read(stage.path("trace")).expect("a trace");
    let text = String::from_utf8_lossy(&text).into_owned();
    let guard = programs().guard.to_str().expect("path").to_owned();
    let shims = stage.text("shims");
    let mut seen: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let mut out = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        // `PID name(…) = value`; what is no call (signals, ends) has no bracket after a word.
        let rest = line.split_once(' ').map_or(line, |l| l.1).trim_start();
        let Some((name, args)) = rest.split_once('(') else { continue };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let nth = seen.entry(name.to_owned()).or_default();
        *nth += 1;
        let call = Call { name: name.to_owned(), nth: *nth, line: rest.to_owned() };
        if name == "execve" || name == "execveat" {
            let path = args.trim_start_matches('"');
            if path.starts_with(&format!("{guard}\"")) || path.starts_with(&shims) {
                inside = true;
                continue;
            }
            if inside {
                out.push(call);
                return out;
            }
            continue;
        }
        if inside {
            out.push(call);
        }
    }
    out
}

/// Runs it again with one call failing.
pub fn failing(stage: &Stage, words: &[&str], way: super::Way, call: &Call, error: &str) -> Run {
    // The exec that starts the traced program is shown, but does not count.
    let nth = if call.name == "execve" { call.nth - 1 } else { call.nth };
    let inject = format!("inject={}:error={error}:when={nth}", call.name);
    // What is not traced is not injected either.
    let trace = format!("trace={}", call.name);
    let options = ["-e", &trace, "-e", &inject];
    traced(stage, words, &options).way(way).run()
}

/// True if the program needs a loader.
pub fn dynamic(path: &std::path::Path) -> bool {
    // Program headers of a 64-bit ELF file: type 3 names the loader.
    let b = std::fs::read(path).expect("a program");
    let word = |at: usize, n: usize| b[at..at + n].iter().rev().fold(0usize, |a, x| a << 8 | usize::from(*x));
    assert_eq!(&b[..5], b"\x7fELF\x02", "a 64-bit ELF file");
    let (table, size, count) = (word(32, 8), word(54, 2), word(56, 2));
    (0..count).any(|i| word(table + i * size, 4) == 3)
}
