//! How much the guard is felt: whole processes, alternating, medians and ratios.
//!
//! `bench DIST [ROUNDS]`: DIST holds the shipped programs. The yardstick is a static program that does nothing
//! but exec its arguments, built here for the same target as the guard.
//!
//! Each process between a command and the leader of its session is looked at by the guard, so how many there are is
//! told, and what three more cost. `scripts/bench` makes the bench itself the leader: a command is then where an
//! agent's or a login shell's would be.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const YARDSTICK: &str = r#"
use std::os::unix::process::CommandExt;
fn main() {
    let mut args = std::env::args_os().skip(1);
    let Some(name) = args.next() else { std::process::exit(2) };
    let _ = std::process::Command::new(name).args(args).exec();
    std::process::exit(126);
}
"#;

/// Set for the bench that is started deeper down: the folder of the first one's preparations.
const DEEPER: &str = "EXEC_GUARD_BENCH_DEEPER";

struct Racer {
    name: &'static str,
    words: Vec<String>,
    home: PathBuf,
    times: Vec<Duration>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(dist) = args.next() else {
        eprintln!("usage: bench DIST [ROUNDS]");
        std::process::exit(2);
    };
    let rounds: usize = args.next().map_or(1500, |r| r.parse().expect("a number of rounds"));
    let guard = fs::canonicalize(Path::new(&dist).join("exec-guard")).expect("exec-guard");
    let ctl = Path::new(&dist).join("exec-guardctl");
    if let Some(work) = std::env::var_os(DEEPER) {
        return deeper(Path::new(&work), &guard, rounds);
    }
    let work = tempfile::tempdir().expect("a folder");
    let yardstick = build(work.path());
    let guard = guard.to_str().expect("path").to_owned();
    let program = "/bin/true".to_owned();
    let home = |n: usize| policy(work.path(), n, &ctl);
    let (small, large) = (home(100), home(10_000));
    let by_hand = by_hand(work.path(), &small);
    let nowhere = work.path().to_owned();
    let w = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let racer = |name, words, home: &PathBuf| Racer { name, words, home: home.clone(), times: Vec::new() };
    let mut racers = vec![
        racer("/bin/true alone", w(&[&program]), &nowhere),
        racer("the yardstick", w(&[&yardstick, &program]), &nowhere),
        racer(HUNDRED, w(&[&guard, "--", &program]), &small),
        racer("exec-guard, 10,000 entries", w(&[&guard, "--", &program]), &large),
        racer("exec-guard -c", w(&[&guard, "-c", "/bin/true x"]), &small),
        racer("dash -c", w(&["/bin/dash", "-c", "/bin/true x"]), &nowhere),
        racer("the same by hand, no index", w(&[&guard, "--", &program]), &by_hand),
    ];
    let median = race(&mut racers, rounds);
    let above = above();
    println!("{rounds} rounds, medians of whole processes, {above} above each up to its session's leader");
    print(&racers, &median);
    // Two shells and a bench between.
    let me = std::env::current_exe().expect("the bench");
    let words = ["-c", "sh -c '\"$@\"; exit $?' sh \"$@\"; exit $?", "sh"];
    let mut deep = Command::new("sh");
    deep.args(words).arg(me).arg(&dist).arg((rounds / 3).max(1).to_string()).env(DEEPER, work.path());
    assert!(deep.status().expect("sh").success(), "the bench deeper down");
    let ratio = |a: usize, b: usize| median[a].as_secs_f64() / median[b].as_secs_f64();
    let promises = [
        ("100 entries ≤ 1.25 × the yardstick", ratio(2, 1), 1.25),
        ("10,000 entries ≤ 1.4 × the yardstick", ratio(3, 1), 1.4),
        ("exec-guard -c < dash -c", ratio(4, 5), 1.0),
    ];
    let mut kept = true;
    for (what, got, most) in promises {
        println!("{} {what}: {got:.2}", if got <= most { "kept  " } else { "BROKEN" });
        kept &= got <= most;
    }
    std::process::exit(i32::from(!kept));
}

const HUNDRED: &str = "exec-guard, 100 entries";

/// The same, with processes between.
fn deeper(work: &Path, guard: &Path, rounds: usize) {
    let words = |w: &[&Path]| w.iter().map(|w| w.to_str().expect("path").to_owned()).collect::<Vec<_>>();
    let racer = |name, words, home: PathBuf| Racer { name, words, home, times: Vec::new() };
    let (yardstick, program) = (work.join("yardstick"), Path::new("/bin/true"));
    let mut racers = vec![
        racer("/bin/true alone", words(&[program]), work.to_owned()),
        racer("the yardstick", words(&[&yardstick, program]), work.to_owned()),
        racer(HUNDRED, words(&[guard, Path::new("--"), program]), work.join("home100")),
    ];
    let median = race(&mut racers, rounds);
    println!("{rounds} rounds with {} above each", above());
    print(&racers, &median);
}

/// Runs them in turn and returns the median of each.
fn race(racers: &mut [Racer], rounds: usize) -> Vec<Duration> {
    for r in racers.iter() {
        assert!(start(r), "{} does not run", r.name);
    }
    for _ in 0..rounds {
        for r in racers.iter_mut() {
            let began = Instant::now();
            start(r);
            r.times.push(began.elapsed());
        }
    }
    let middle = |r: &mut Racer| {
        r.times.sort();
        r.times[r.times.len() / 2]
    };
    racers.iter_mut().map(middle).collect()
}

fn print(racers: &[Racer], median: &[Duration]) {
    for (r, m) in racers.iter().zip(median) {
        let ratio = m.as_secs_f64() / median[1].as_secs_f64();
        println!("{:28} {:7.3} ms  {ratio:5.2} × the yardstick", r.name, m.as_secs_f64() * 1e3);
    }
}

/// How many processes there are above what is started from here, up to and with the leader of the session.
fn above() -> String {
    let (mut n, mut pid) = (1, std::process::id());
    while let Some((parent, session)) = parent_and_session(pid) {
        if pid == session {
            return format!("{n} process{}", if n == 1 { "" } else { "es" });
        }
        (n, pid) = (n + 1, parent);
    }
    "processes that cannot be counted".into()
}

/// Two numbers of `/proc/PID/stat`.
fn parent_and_session(pid: u32) -> Option<(u32, u32)> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // Behind the program's name: state, parent, group, session.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
    Some((fields.next()?.parse().ok()?, fields.nth(1)?.parse().ok()?))
}

/// The same document without its index, as if a person had written it.
fn by_hand(work: &Path, home: &Path) -> PathBuf {
    let dir = work.join("by-hand");
    fs::create_dir(&dir).expect("folder");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("mode");
    // With its mode.
    fs::copy(home.join("exec-approvals.json"), dir.join("exec-approvals.json")).expect("document");
    dir
}

fn start(r: &Racer) -> bool {
    let mut cmd = Command::new(&r.words[0]);
    cmd.args(&r.words[1..]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &r.home);
    cmd.env("EXEC_GUARD_HOME", &r.home).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    cmd.status().expect("a process").success()
}

/// An allowlist of `n` entries, half of them globs, the program's own entry last.
fn policy(work: &Path, n: usize, ctl: &Path) -> PathBuf {
    let dir = work.join(format!("home{n}"));
    fs::create_dir(&dir).expect("folder");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).expect("mode");
    let entry = |i: usize| match i {
        i if i + 1 == n => json!({"pattern": "/usr/bin/true"}),
        i if i % 2 == 0 => json!({"pattern": format!("/opt/tools{i}/bin/program{i}")}),
        i => json!({"pattern": format!("/opt/tools{i}/**/program{i}*")}),
    };
    let mut list: Vec<Value> = (0..n).map(entry).collect();
    let last = list.pop().expect("entries");
    let doc = |list: &[Value]| {
        json!({"version": 1, "agents": {"main":
        {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list}}})
    };
    let file = dir.join("exec-approvals.json");
    let write = |list: &[Value]| {
        fs::write(&file, doc(list).to_string()).expect("document");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("mode");
    };
    write(&list);
    // The edit that adds the entry also writes the index, where there is to be one.
    let added = Command::new(ctl)
        .args(["approvals", "allowlist", "add", "/usr/bin/true", "--agent", "main"])
        .env("EXEC_GUARD_HOME", &dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !added.is_ok_and(|s| s.success()) {
        list.push(last);
        write(&list);
    }
    let indexed = if dir.join("policy.idx").exists() { "through policy.idx" } else { "parsed at each start" };
    println!("{n} entries: {indexed}");
    dir
}

fn build(work: &Path) -> String {
    let (source, out) = (work.join("yardstick.rs"), work.join("yardstick"));
    fs::write(&source, YARDSTICK).expect("source");
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let compile = |target: Option<&str>| {
        let mut cmd = Command::new("rustc");
        cmd.args([
            "--edition",
            "2024",
            "-C",
            "opt-level=s",
            "-C",
            "panic=abort",
            "-C",
            "strip=symbols",
            "-o",
        ]);
        cmd.arg(&out).arg(&source);
        if let Some(t) = target {
            cmd.args(["--target", t]);
        } else {
            cmd.args(["-C", "target-feature=+crt-static"]);
        }
        cmd.status().expect("rustc").success()
    };
    assert!(compile(Some(&target)) || compile(None), "the yardstick does not build");
    out.to_str().expect("path").to_owned()
}
