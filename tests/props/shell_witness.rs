//! Stands in for every tool when the real shells are the judge: small, since it is started millions of times.
//!
//! It appends one record to `/run/oracle/log`: its words, where it stands, a few variables and what its standard input
//! held, read to the end so that no pipe breaks under who writes to it. Then it says something, and succeeds or fails
//! by its name, `W` of the environment and, where nothing runs beside it, by how many records there are.
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Where records go.
const LOG: &str = "/run/oracle/log";

/// Bytes of records after which nothing is worth seeing: the text loops.
const ENOUGH: u64 = 12_000;

/// Variables that a text may set for its programs.
const VARIABLES: &[&str] = &["CI", "NODE_ENV", "PORT", "x", "y"];

/// What it says: all that a shell could take for something else when it reads it a second time.
const SAYINGS: &[&str] = &[
    "", "a b", "*", "x\n", "-n", "$(w9)", "; w9", "a\nb", "~", "{a,b}", "w2", "1", "`w9`", "'q r'", "a\\b",
    "7 ",
];

fn main() {
    std::process::exit(observe().unwrap_or(99));
}

fn observe() -> Option<i32> {
    let mut words: Vec<Vec<u8>> = std::env::args_os().map(OsStringExt::into_vec).collect();
    if let Some(first) = words.first_mut() {
        let cut = first.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        first.drain(..cut);
    }
    // A rendering names files: what is said because of that must not change what follows.
    for word in &mut words {
        *word = without(word, b"/run/oracle/bin/");
    }
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let mut record = Vec::with_capacity(256);
    for word in &words {
        hash.take(word);
        record.extend_from_slice(word);
        record.push(0);
    }
    record.extend_from_slice(b"\x01WORDS\0");
    let cwd = std::env::current_dir().map(|p| p.into_os_string().into_vec()).unwrap_or_default();
    record.extend_from_slice(&cwd);
    for name in VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            record.extend_from_slice(format!(" {name}=").as_bytes());
            record.extend(value.into_vec());
        }
    }
    record.extend(input());
    record.extend_from_slice(b"\0\x02RECORD\0");

    let mut log = OpenOptions::new().append(true).open(LOG).ok()?;
    // One write: records of a pipeline's members must not mix.
    log.write_all(&record).ok()?;
    let length = log.metadata().ok()?.size();
    if length > ENOUGH {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(0), nix::sys::signal::Signal::SIGKILL);
    }
    let mood = std::env::var("W").unwrap_or_default();
    hash.take(mood.as_bytes());
    if mood.starts_with('c') {
        hash.take(&length.to_le_bytes());
    }
    let dice = hash.end();
    let saying = SAYINGS.get((dice >> 8) as usize % SAYINGS.len())?;
    if !saying.is_empty() {
        let mut out = std::io::stdout();
        let _ =
            out.write_all(saying.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    }
    Some(match dice % 8 {
        0..=4 => 0,
        5 | 6 => 1,
        _ => 3,
    })
}

fn without(word: &[u8], what: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, tail)) = rest.split_first() {
        match rest.strip_prefix(what) {
            Some(tail) => rest = tail,
            None => {
                out.push(*first);
                rest = tail;
            }
        }
    }
    out
}

/// What standard input holds, if it is a pipe or a file.
fn input() -> Vec<u8> {
    let mut out = Vec::new();
    let Ok(fd) = std::io::stdin().as_fd().try_clone_to_owned() else { return out };
    let mut file = File::from(fd);
    let Ok(about) = file.metadata() else { return out };
    if about.file_type().is_fifo() || about.is_file() {
        out.extend_from_slice(b" <");
        let _ = (&file).take(4000).read_to_end(&mut out);
        let _ = std::io::copy(&mut file, &mut std::io::sink());
    }
    out
}

/// FNV-1a with a last stir.
struct Hash(u64);

impl Hash {
    fn take(&mut self, bytes: &[u8]) {
        for b in bytes.iter().chain(&[0]) {
            self.0 = (self.0 ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn end(&self) -> u64 {
        let x = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^ (x >> 29)
    }
}
