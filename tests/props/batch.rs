//! Runs a list of jobs and writes down what came of each: the one program inside a private view of the file
//! system, where nothing else can be trusted to be what it is called.
//!
//! `batch JOBS RESULTS [RECORDS]`: all JSON lines. A job: `{id, cwd, argv: […], argv0?, env: {…}, stdin?: FILE,
//! timeout_ms, uid?, gid?}`; bytes are written as one character each. A result: `{id, status, signal, stdout, stderr,
//! ms, records: […]}`; the records are what witnesses appended to RECORDS meanwhile.
use std::io::{BufRead, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(jobs), Some(results)) = (args.next(), args.next()) else { std::process::exit(2) };
    let records = args.next();
    let jobs = std::io::BufReader::new(std::fs::File::open(jobs).expect("jobs"));
    let mut out = std::fs::File::create(results).expect("results");
    for line in jobs.lines() {
        let job: Value = serde_json::from_str(&line.expect("line")).expect("a job");
        if let Some(r) = &records {
            std::fs::write(r, b"").expect("records");
        }
        let mut result = run(&job);
        if let Some(r) = &records {
            let seen = std::fs::read_to_string(r).expect("records");
            let seen: Vec<Value> = seen.lines().map(|l| serde_json::from_str(l).expect("a record")).collect();
            result["records"] = seen.into();
        }
        writeln!(out, "{result}").expect("write");
    }
}

/// One character a byte, as the witness writes.
fn bytes(v: &Value) -> std::ffi::OsString {
    std::ffi::OsString::from_vec(v.as_str().unwrap_or_default().chars().map(|c| c as u8).collect())
}

fn text(b: &[u8]) -> String {
    b.iter().map(|b| char::from(*b)).collect()
}

fn run(job: &Value) -> Value {
    let none = Vec::new();
    let argv = job["argv"].as_array().unwrap_or(&none);
    let mut cmd = Command::new(bytes(argv.first().expect("argv")));
    cmd.args(argv.iter().skip(1).map(bytes)).env_clear().current_dir(bytes(&job["cwd"]));
    if job["argv0"].is_string() {
        cmd.arg0(bytes(&job["argv0"]));
    }
    for (k, v) in job["env"].as_object().expect("env") {
        cmd.env(k, bytes(v));
    }
    if let (Some(uid), Some(gid)) = (job["uid"].as_u64(), job["gid"].as_u64()) {
        cmd.uid(uid as u32).gid(gid as u32);
    }
    let stdin = match job["stdin"].as_str() {
        Some(f) => Stdio::from(std::fs::File::open(f).expect("stdin")),
        None => Stdio::null(),
    };
    // A group of its own, so that a job that hangs goes with all it started.
    cmd.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let began = Instant::now();
    let mut child = match cmd.spawn() {
        Ok(c) => c,
        Err(e) => {
            return json!({"id": job["id"], "status": -1, "stdout": "", "stderr": format!("batch: {e}")});
        }
    };
    let (mut o, mut e) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let drain = |r: &mut dyn Read| {
        let mut b = Vec::new();
        let _ = r.take(1 << 20).read_to_end(&mut b);
        b
    };
    let limit = Duration::from_millis(job["timeout_ms"].as_u64().unwrap_or(10_000));
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    let (stdout, stderr, status, late) = std::thread::scope(|s| {
        let so = s.spawn(move || drain(&mut o));
        let se = s.spawn(move || drain(&mut e));
        let mut late = false;
        let status = loop {
            if let Ok(Some(st)) = child.try_wait() {
                break st;
            }
            if began.elapsed() > limit {
                late = true;
                let _ = nix::sys::signal::killpg(pid, nix::sys::signal::Signal::SIGKILL);
                break child.wait().expect("wait");
            }
            std::thread::sleep(Duration::from_micros(if began.elapsed().as_millis() < 20 {
                300
            } else {
                3000
            }));
        };
        // What the job left behind would hold the pipes open.
        let _ = nix::sys::signal::killpg(pid, nix::sys::signal::Signal::SIGKILL);
        (so.join().expect("thread"), se.join().expect("thread"), status, late)
    });
    json!({
        "id": job["id"], "status": status.code(), "signal": status.signal(), "late": late,
        "stdout": text(&stdout), "stderr": text(&stderr), "ms": began.elapsed().as_millis() as u64,
    })
}
