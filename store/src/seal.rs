//! Sealed files of the journal: a chain of hashes in which a changed, missing or reordered record shows.
//!
//! A file that was moved aside is sealed once no guard can still be writing to it: one last line, the *seal*, is
//! appended, and the file is renamed from `journal-TIME.jsonl` to `journal-TIME.sealed.jsonl`.
//!
//! ```text
//! {"v":1,"seal":{"sums":HEX…,"file":"journal-TIME","at":MS,"lines":N,"bytes":B,"sha256":HEX,"prev":LINK,"n":3}}
//! ```
//!
//! `sha256` is that of all bytes before the seal, `sums` holds the first six bytes of the SHA-256 of each line (so that
//! the line can be named that is wrong), `prev` is the [`Link`] of the file sealed before. `head.json` repeats the
//! link of the last one, so that files missing at the end show as well.
//!
//! What a chain cannot show: whoever may write here may make all of it anew. Against that, a link noted elsewhere
//! ([`check`]'s `anchor`) helps.
//!
//! A crash at any step leaves what the next sealer finishes: a seal cut short is a line that is no record, a seal
//! without the new name is taken as it is, and a `head.json` one behind is brought up to date.
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::journal::Journal;

/// How long after its rotation a file is left alone: a guard that had it open may still write its line.
pub const GRACE: Duration = Duration::from_secs(2);
/// How long a sealer waits for another one, or for a rotation.
const PATIENCE: Duration = Duration::from_secs(5);
/// How the seal's line begins. No record does: its second key is another one.
const BEGIN: &[u8] = b"{\"v\":1,\"seal\":";
/// What a sealed file's name ends with.
pub(crate) const SEALED: &str = ".sealed.jsonl";
/// Longest line that is looked into, bytes; a seal of [`MAX_SUMS`] lines fits.
const MAX_LINE: usize = 4 << 20;
/// More lines than this have no sums of their own: the seal would be longer than a line may be.
const MAX_SUMS: usize = 200_000;
/// Name of the file with the last link.
const HEAD: &str = "head.json";

/// Sum of one line.
type Sum = [u8; 6];

/// What a seal says of the file before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its number in the chain, from 1.
    pub n: u64,
    /// Its name without an ending: `journal-TIME`.
    pub file: String,
    /// How many lines it has before its seal.
    pub lines: u64,
    /// SHA-256 of its bytes, the seal's line included; hexadecimal.
    pub sha256: String,
}

impl Link {
    fn json(&self) -> Value {
        json!({"n": self.n, "file": self.file, "lines": self.lines, "sha256": self.sha256})
    }

    fn read(value: &Value) -> Option<Link> {
        Some(Link {
            n: value.get("n")?.as_u64()?,
            file: value.get("file")?.as_str().filter(|f| is_stem(f))?.to_owned(),
            lines: value.get("lines")?.as_u64()?,
            sha256: value.get("sha256")?.as_str()?.to_owned(),
        })
    }
}

/// `journal-DIGITS`: a name from a file is no path.
fn is_stem(name: &str) -> bool {
    let digits = name.strip_prefix("journal-");
    digits.is_some_and(|d| !d.is_empty() && d.len() <= 20 && d.bytes().all(|b| b.is_ascii_digit()))
}

/// A seal as it was read.
#[derive(Clone, Debug)]
struct Seal {
    n: u64,
    file: String,
    sha256: String,
    prev: Option<Link>,
    /// `None` where the file has too many lines.
    sums: Option<Vec<Sum>>,
}

impl Seal {
    fn read(line: &[u8]) -> Option<Seal> {
        let value: Value = serde_json::from_slice(line).ok()?;
        let seal = value.get("seal")?;
        let prev = match seal.get("prev")? {
            Value::Null => None,
            prev => Some(Link::read(prev)?),
        };
        let sums = match seal.get("sums")? {
            Value::Null => None,
            sums => Some(from_hex(sums.as_str()?)?),
        };
        Some(Seal {
            n: seal.get("n")?.as_u64()?,
            file: seal.get("file")?.as_str()?.to_owned(),
            sha256: seal.get("sha256")?.as_str()?.to_owned(),
            prev,
            sums,
        })
    }
}

/// True if a value read from the journal is a seal and no record.
pub fn is_seal(value: &Value) -> bool {
    value.get("seal").is_some_and(Value::is_object)
}

/// What one file holds.
#[derive(Debug, Default)]
struct Look {
    sums: Vec<Sum>,
    /// Numbers of lines that are no record, from 1.
    odd: Vec<u64>,
    /// True if the last line has no end.
    torn: bool,
    bytes: u64,
    sha256: String,
    seal: Option<Found>,
}

/// A seal and where it stands.
#[derive(Debug)]
struct Found {
    seal: Seal,
    /// Lines in front of it.
    before: usize,
    /// SHA-256 of what stands before it, and of the same with its own line.
    sha256: String,
    through: String,
}

/// Reads a file once, line by line.
fn look(path: &Path) -> io::Result<Look> {
    let mut reader = BufReader::with_capacity(1 << 16, sys::file::open_regular(path)?);
    let (mut out, mut all) = (Look::default(), Sha256::new());
    let mut line = Vec::new();
    loop {
        line.clear();
        let (before, mut own, mut length, mut ended) = (all.clone(), Sha256::new(), 0u64, false);
        while !ended {
            let piece = match reader.fill_buf() {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                piece => piece?,
            };
            if piece.is_empty() {
                break;
            }
            let end = piece.iter().position(|b| *b == b'\n');
            ended = end.is_some();
            let text = end.and_then(|at| piece.get(..at)).unwrap_or(piece);
            let whole = piece.get(..text.len() + usize::from(ended)).unwrap_or(piece);
            all.update(whole);
            own.update(text);
            let room = (MAX_LINE + 1).saturating_sub(line.len());
            line.extend_from_slice(text.get(..room).unwrap_or(text));
            length += whole.len() as u64;
            let used = whole.len();
            reader.consume(used);
        }
        if length == 0 {
            break;
        }
        out.bytes += length;
        out.torn = !ended;
        let seal = (ended && line.starts_with(BEGIN)).then(|| Seal::read(&line)).flatten();
        if let Some(seal) = seal {
            let (sha256, through) = (hex(&before.finalize()), hex(&all.clone().finalize()));
            out.seal = Some(Found { seal, before: out.sums.len(), sha256, through });
        } else {
            let record =
                line.len() <= MAX_LINE && serde_json::from_slice::<Value>(&line).is_ok_and(|v| v.is_object());
            if !record && ended {
                out.odd.push(out.sums.len() as u64 + 1);
            }
        }
        out.sums.push(short(&own.finalize()));
    }
    out.sha256 = hex(&all.finalize());
    Ok(out)
}

fn short(hash: &[u8]) -> Sum {
    let mut out = Sum::default();
    out.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
    out
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(bytes.len() * 2);
    for b in bytes {
        let _ = write!(out, "{b:02x}");
    }
    out
}

fn from_hex(text: &str) -> Option<Vec<Sum>> {
    let mut digits = text.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok()));
    let mut out = Vec::with_capacity(text.len() / 12);
    if !text.len().is_multiple_of(12) {
        return None;
    }
    for _ in 0..text.len() / 12 {
        let mut sum = Sum::default();
        for b in &mut sum {
            *b = digits.next()?? << 4 | digits.next()??;
        }
        out.push(sum);
    }
    Some(out)
}

/// The stem of a file's name, and whether it is named as sealed; `None` for the file that grows and for others.
fn stem(path: &Path) -> Option<(String, bool)> {
    let name = path.file_name()?.to_str()?;
    let (stem, sealed) = match name.strip_suffix(SEALED) {
        Some(stem) => (stem, true),
        None => (name.strip_suffix(".jsonl")?, false),
    };
    is_stem(stem).then(|| (stem.to_owned(), sealed))
}

/// The last link that is on record. What is torn or foreign is as none: the files are looked at then.
fn head(folder: &Path) -> Option<Link> {
    let mut text = Vec::new();
    sys::file::open_regular(&folder.join(HEAD)).ok()?.take(1 << 16).read_to_end(&mut text).ok()?;
    Link::read(&serde_json::from_slice(&text).ok()?)
}

/// The link of a file that is sealed, if it is.
fn link(look: &Look) -> Option<Link> {
    let found = look.seal.as_ref()?;
    Some(Link {
        n: found.seal.n,
        file: found.seal.file.clone(),
        lines: found.before as u64,
        sha256: found.through.clone(),
    })
}

/// Seals every file that was moved aside at least `grace` ago; returns how many. Files that somebody else is
/// sealing at the moment are left to him.
///
/// # Errors
/// A file cannot be read, or the seal cannot be written; what was sealed before stays so.
pub fn seal(journal: &Journal, grace: Duration) -> io::Result<usize> {
    let mut done = 0;
    loop {
        // One file a lock: a guard that has to rotate does not wait for all of them.
        let Some(_lock) = journal.lock(PATIENCE)? else { return Ok(done) };
        let files = journal.files()?;
        let now = sys::time::now_ms();
        let ripe = |stem: &str| {
            let at = stem.strip_prefix("journal-").and_then(|d| d.parse::<u64>().ok()).unwrap_or(0);
            // A clock that was set back must not keep a file open for ever.
            at > now.saturating_add(60_000) || at.saturating_add(grace.as_millis() as u64) <= now
        };
        let named = |f: PathBuf| stem(&f).map(|(stem, sealed)| (f, stem, sealed));
        let all: Vec<(PathBuf, String, bool)> = files.into_iter().filter_map(named).collect();
        let Some((path, stem, _)) = all.iter().find(|(_, stem, sealed)| !sealed && ripe(stem)) else {
            return Ok(done);
        };
        let last = last(journal.folder(), &all)?;
        one(journal.folder(), path, stem, last)?;
        done += 1;
    }
}

/// The link that the next seal names: the one on record, or one of a file where the record is behind or gone.
fn last(folder: &Path, all: &[(PathBuf, String, bool)]) -> io::Result<Option<Link>> {
    let mut best = head(folder);
    let known = best.as_ref().map(|h| h.file.clone());
    for (path, stem, _) in all.iter().filter(|(.., sealed)| *sealed) {
        // A sealer that was stopped before it wrote the head leaves a file that is ahead of it.
        if known.as_ref() != Some(stem)
            && number(path)?.is_none_or(|n| best.as_ref().is_none_or(|b| n > b.n))
            && let Some(link) = link(&look(path)?)
            && best.as_ref().is_none_or(|b| link.n > b.n)
        {
            best = Some(link);
        }
    }
    Ok(best)
}

/// The number of a sealed file by its last bytes; `None` if they are no seal's.
fn number(path: &Path) -> io::Result<Option<u64>> {
    let mut file = sys::file::open_regular(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(64)))?;
    let mut tail = Vec::new();
    file.take(64).read_to_end(&mut tail)?;
    let tail = std::str::from_utf8(&tail).ok().and_then(|t| t.strip_suffix("}}\n"));
    Ok(tail.and_then(|t| t.rsplit_once(",\"n\":")).and_then(|(_, n)| n.parse().ok()))
}

/// Seals one file, under the lock.
fn one(folder: &Path, path: &Path, stem: &str, last: Option<Link>) -> io::Result<()> {
    let mut seen = look(path)?;
    // A rename would put it in place of a sealed one that has the name already.
    let stem = &free(folder, stem);
    let n = last.as_ref().map_or(1, |l| l.n.saturating_add(1));
    // A sealer that was stopped after it wrote the seal: all that is missing is the name.
    let done = seen.seal.as_ref().is_some_and(|f| {
        let said = &f.seal;
        f.before + 1 == seen.sums.len()
            && (said.n, &said.prev, said.file.as_str()) == (n, &last, stem)
            && said.sha256 == f.sha256
    });
    if !done {
        let mut line = Vec::new();
        let size = seen.bytes;
        if seen.torn {
            // The end that the last line lacks becomes part of what is sealed.
            line.push(b'\n');
            seen.sha256 = with_end(path)?;
            seen.bytes += 1;
        }
        let sums =
            (seen.sums.len() <= MAX_SUMS).then(|| seen.sums.iter().map(|s| hex(s)).collect::<String>());
        // The number stands last, where it is found without reading the sums.
        let seal = json!({"v": 1, "seal": {
            "sums": sums,
            "file": stem,
            "at": sys::time::now_ms(),
            "lines": seen.sums.len(),
            "bytes": seen.bytes,
            "sha256": seen.sha256,
            "prev": last.as_ref().map(Link::json),
            "n": n,
        }});
        line.extend_from_slice(seal.to_string().as_bytes());
        line.push(b'\n');
        let before = sys::edit::append(path, &line)?;
        seen = look(path)?;
        if before != size || seen.seal.as_ref().is_none_or(|f| f.before + 1 != seen.sums.len()) {
            // A guard was still writing after all. The seal that does not fit is a line like any other, and the
            // next sealer puts a right one behind it.
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, "a record was written meanwhile"));
        }
    }
    // On the disk before the name says that it is sealed.
    fs::File::open(path)?.sync_all()?;
    fs::rename(path, folder.join(format!("{stem}{SEALED}")))?;
    if let Some(link) = link(&seen) {
        sys::edit::replace(&folder.join(HEAD), link.json().to_string().as_bytes(), 0o600)?;
    }
    Ok(())
}

/// The first name from this one on under which nothing is sealed yet.
fn free(folder: &Path, stem: &str) -> String {
    let (mut stem, mut at) =
        (stem.to_owned(), stem.strip_prefix("journal-").and_then(|d| d.parse::<u64>().ok()));
    while let Some(next) = at
        && fs::symlink_metadata(folder.join(format!("{stem}{SEALED}"))).is_ok()
    {
        at = next.checked_add(1);
        stem = crate::journal::stem(next.saturating_add(1));
    }
    stem
}

/// SHA-256 of a file as if its last line had its end.
fn with_end(path: &Path) -> io::Result<String> {
    let mut all = Sha256::new();
    io::copy(&mut BufReader::new(sys::file::open_regular(path)?), &mut Writer(&mut all))?;
    all.update(b"\n");
    Ok(hex(&all.finalize()))
}

/// A hash as something to be written to.
struct Writer<'a>(&'a mut Sha256);

impl io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

mod check;
pub use check::{Checked, CheckedFile, Fault, check};

#[cfg(test)]
mod tests;
