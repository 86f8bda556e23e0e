//! Stands in for every tool on the stage: writes down how it was executed, then answers as the stage said.
//!
//! It must not disturb what it observes, so it starts at the C `main`: Rust's runtime would ignore SIGPIPE and
//! open whatever of 0, 1, 2 is closed. Everything is read from `/proc/self`, the kernel's own account, and
//! before a single descriptor is opened for writing.
//!
//! Where it writes follows from where it lies: `DIR/bin/git` appends one line to `DIR/records` and answers with
//! `DIR/replies/git`, else `DIR/replies/default` (`STATUS` on the first line, then its standard output; `drain STATUS`
//! first reads a pipe to its end). Tools are copies or hard links, so
//! that `/proc/self/exe` keeps the tool's name; no variable tells the place, since the environment is observed too.
//! In a private view of the file system, where it lies in `/usr/bin`, the folder is `/run/witness`.
#![no_main]

use std::collections::BTreeMap;
use std::ffi::{OsStr, c_char, c_int};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[expect(unsafe_code, reason = "the attribute only: the runtime's own main disturbs what is to be seen")]
#[unsafe(no_mangle)]
extern "C" fn main(_argc: c_int, _argv: *const *const c_char) -> c_int {
    let exe = fs::read_link("/proc/self/exe").unwrap_or_default();
    let fields = observe(&exe);
    let name = exe.file_name().unwrap_or_default().to_owned();
    let mut home = exe.parent().and_then(Path::parent).map(Path::to_owned).unwrap_or_default();
    if !home.join("records").exists() {
        home = PathBuf::from("/run/witness");
    }
    let line = json(&fields);
    let written = fs::OpenOptions::new().append(true).open(home.join("records")).and_then(|mut f| {
        // One write: records of a pipeline's members must not mix.
        f.write_all(line.as_bytes())
    });
    if written.is_err() {
        return 99;
    }
    answer(&home, &name)
}

/// Says and returns what the stage prepared for this name; without a word, success.
fn answer(home: &Path, name: &OsStr) -> c_int {
    let replies = home.join("replies");
    let Ok(reply) = fs::read(replies.join(name)).or_else(|_| fs::read(replies.join("default"))) else {
        return 0;
    };
    let cut = reply.iter().position(|b| *b == b'\n').unwrap_or(reply.len());
    let status = std::str::from_utf8(reply.get(..cut).unwrap_or_default()).unwrap_or_default().trim();
    // A member of a pipeline that ends before the one in front of it has written ends that one too, by SIGPIPE: a race
    // that nobody could compare two runs by.
    let status = match status.strip_prefix("drain ") {
        Some(rest) => {
            use std::os::unix::fs::FileTypeExt;
            if fs::metadata("/proc/self/fd/0").is_ok_and(|m| m.file_type().is_fifo()) {
                let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            }
            rest
        }
        None => status,
    };
    if let Some(says) = reply.get(cut + 1..)
        && !says.is_empty()
    {
        // If 1 is closed, nothing is said.
        let mut out = std::io::stdout();
        let _ = out.write_all(says).and_then(|()| out.flush());
    }
    match status {
        "abort" => std::process::abort(),
        // Reads what it is given, to stand in for `cat`.
        "cat" => {
            let mut out = std::io::stdout();
            let copied = std::io::copy(&mut std::io::stdin(), &mut out).and_then(|_| out.flush());
            c_int::from(copied.is_err())
        }
        s => s.parse().unwrap_or(97),
    }
}

enum Value {
    Text(Vec<u8>),
    List(Vec<Vec<u8>>),
    Map(BTreeMap<String, String>),
}

fn observe(exe: &Path) -> BTreeMap<&'static str, Value> {
    let mut out = BTreeMap::new();
    let read = |p: &str| fs::read(p).unwrap_or_default();
    let list = |bytes: Vec<u8>| {
        let mut l: Vec<Vec<u8>> = bytes.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
        l.pop();
        l
    };
    out.insert("argv", Value::List(list(read("/proc/self/cmdline"))));
    out.insert("env", Value::List(list(read("/proc/self/environ"))));
    let cwd = fs::read_link("/proc/self/cwd").map(|p| p.as_os_str().as_bytes().to_vec());
    out.insert("cwd", Value::Text(cwd.unwrap_or_default()));
    out.insert("exe", Value::Text(exe.as_os_str().as_bytes().to_vec()));
    out.insert("comm", Value::Text(read("/proc/self/comm")));
    out.insert("limits", Value::Text(read("/proc/self/limits")));
    out.insert("oom", Value::Text(read("/proc/self/oom_score_adj")));
    out.insert("personality", Value::Text(read("/proc/self/personality")));
    out.insert("fds", Value::Map(descriptors()));

    let status = String::from_utf8_lossy(&read("/proc/self/status")).into_owned();
    let mut kept = BTreeMap::new();
    // Threads: a guard that left one behind would show here.
    const KEPT: &[&str] = &[
        "Umask",
        "PPid",
        "TracerPid",
        "Uid",
        "Gid",
        "Groups",
        "Threads",
        "SigPnd",
        "ShdPnd",
        "SigBlk",
        "SigIgn",
        "SigCgt",
        "CapInh",
        "CapPrm",
        "CapEff",
        "CapBnd",
        "CapAmb",
        "NoNewPrivs",
        "Seccomp",
        "Seccomp_filters",
        "Cpus_allowed",
        "NSpid",
        "Pid",
    ];
    for line in status.lines() {
        if let Some((k, v)) = line.split_once(':')
            && KEPT.contains(&k)
        {
            kept.insert(k.to_owned(), v.trim().to_owned());
        }
    }
    out.insert("status", Value::Map(kept));

    // Fields of stat(5) after the name, which may hold blanks.
    let stat = String::from_utf8_lossy(&read("/proc/self/stat")).into_owned();
    let after = stat.rsplit_once(')').map(|s| s.1.trim().to_owned()).unwrap_or_default();
    let fields: Vec<&str> = after.split(' ').collect();
    const STAT: &[(&str, usize)] = &[
        ("pgrp", 2),
        ("session", 3),
        ("tty", 4),
        ("tpgid", 5),
        ("priority", 15),
        ("nice", 16),
        ("policy", 38),
    ];
    let stat = STAT.iter().map(|(n, i)| ((*n).to_owned(), fields.get(*i).copied().unwrap_or("?").to_owned()));
    out.insert("stat", Value::Map(stat.collect()));
    out
}

/// Number → target, open flags. Numbers of pipes and sockets differ from run to run and are left out.
fn descriptors() -> BTreeMap<String, String> {
    let own = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    let mut out = BTreeMap::new();
    let Ok(dir) = fs::read_dir("/proc/self/fd") else { return out };
    for entry in dir.flatten() {
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        if target == own {
            continue;
        }
        let number = entry.file_name().to_string_lossy().into_owned();
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|l| l.strip_prefix("flags:")).unwrap_or("?").trim().to_owned();
        let target = target.to_string_lossy().into_owned();
        let kind = target.split_once(":[").map_or(target.as_str(), |t| t.0);
        out.insert(number, format!("{kind} {flags}"));
    }
    out
}

fn json(fields: &BTreeMap<&'static str, Value>) -> String {
    let mut out = String::from("{");
    for (i, (name, value)) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        string(&mut out, name.as_bytes());
        out.push(':');
        match value {
            Value::Text(t) => string(&mut out, t),
            Value::List(l) => {
                out.push('[');
                for (i, t) in l.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    string(&mut out, t);
                }
                out.push(']');
            }
            Value::Map(m) => {
                out.push('{');
                for (i, (k, v)) in m.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    string(&mut out, k.as_bytes());
                    out.push(':');
                    string(&mut out, v.as_bytes());
                }
                out.push('}');
            }
        }
    }
    out.push_str("}\n");
    out
}

/// A JSON string with one character a byte: invalid UTF-8 survives, and two different byte strings never look
/// the same.
fn string(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for b in bytes {
        match b {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(*b));
            }
            0x20..=0x7e => out.push(char::from(*b)),
            _ => out.push_str(&format!("\\u{b:04x}")),
        }
    }
    out.push('"');
}
