//! A compiled index of long allowlists, so that a command under ten thousand entries does not wait for ten thousand
//! entries to be parsed.
//!
//! Whoever edits a document writes its index beside it; the guard only reads it, and only if it is of exactly the
//! document that is there (same file, size and times; see [`Header::is_of`]). It is trusted like the document:
//! whoever can write the one can write the other. A damaged index is no index, and a damaged list in it matches
//! nothing.
//!
//! ```text
//! magic  header (identity of the document, time of writing, sha256)  meta: length, JSON  lists
//! meta   {"document": all but the allowlists, "notes": [...], "parts": [{"agent": id|null, "base": ..., "at": offset}]}
//! list   n, places[n], ends[n] of entries, (hash, entry)[n] sorted by hash, entries
//! hash   of the last component that the pattern must have, ended by a NUL; or of what it must begin with
//! entry  length of pattern, pattern, JSON of the rest (nothing if there is no rest)
//! ```
//! So a name is looked up once as a whole and once for each of its beginnings, the empty one included, and ten thousand
//! globs cost what the few cost that could match.
//! All numbers little endian; offsets from the start of what they point into.
use std::sync::Arc;

use serde_json::{Value, json};

use super::Entry;
use super::allowlist::{AllowList, Body, Part};
use super::approvals::Approvals;
use super::entries::entry;
use super::error::LoadError;
use super::json::{self, Dialect, Tree};
use crate::glob::{Last, admits, last_of};
use crate::world::FileId;

const MAGIC: &[u8; 8] = b"EGINDEX\x02";
/// Magic, five numbers of identity, one of time, one hash.
const HEADER: usize = 8 + 3 * 8 + 3 * 16 + 32;
/// Bytes of one row.
const ROW: usize = 12;
/// A document must have been left alone this long before its index was made, nanoseconds: then every later change
/// bears a later time. Clocks of file systems tick every 1 to 10 ms; those that tick by seconds show it.
pub const QUIET_NS: i128 = 20_000_000;

/// Which document an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Identity of the document.
    pub id: FileId,
    /// When the index was written, nanoseconds since 1970.
    pub written_ns: i128,
    /// sha256 of the document's text.
    pub sha256: [u8; 32],
}

impl Header {
    /// Reads the header of an index; `None` if it is none of this version.
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let mut r = Reader { bytes, at: 0 };
        if r.take(8)? != MAGIC {
            return None;
        }
        Some(Header {
            id: FileId {
                dev: r.u64()?,
                ino: r.u64()?,
                size: r.u64()?,
                mtime_ns: r.i128()?,
                ctime_ns: r.i128()?,
            },
            written_ns: r.i128()?,
            sha256: r.take(32)?.try_into().ok()?,
        })
    }

    /// Whether the index is of the document with this identity: `Some` answer, or `None` if only its hash can tell,
    /// because the document was changed so shortly before that another change could bear the same time.
    pub fn is_of(&self, id: &FileId) -> Option<bool> {
        if self.id != *id {
            return Some(false);
        }
        let coarse = id.ctime_ns % 1_000_000_000 == 0;
        (!coarse && self.written_ns.saturating_sub(id.ctime_ns) >= QUIET_NS).then_some(true)
    }
}

/// Makes the index of a document.
///
/// # Errors
/// The document cannot be used.
pub fn compile(text: &[u8], file: &str, header: &Header) -> Result<Vec<u8>, LoadError> {
    let doc = Approvals::parse(text, file)?;
    let plain = json::text(text, file)?;
    let mut rest = json::parse(plain, file, Dialect::Json)?.to_value();
    let drop_list = |scope: Option<&mut Value>| {
        if let Some(Value::Object(scope)) = scope {
            scope.remove("allowlist");
        }
    };
    drop_list(rest.get_mut("defaults"));
    for (_, agent) in rest.get_mut("agents").and_then(Value::as_object_mut).into_iter().flatten() {
        drop_list(Some(agent));
    }
    let mut lists = Vec::new();
    let mut parts = Vec::new();
    let scopes =
        std::iter::once((None, &doc.defaults)).chain(doc.agents.iter().map(|(id, s)| (Some(id.as_str()), s)));
    for (agent, scope) in scopes {
        for part in scope.allowlist.iter().flat_map(|l| l.parts()) {
            let Body::Parsed(entries) = &part.body else { continue };
            parts.push(json!({ "agent": agent, "base": part.base, "at": lists.len() }));
            list(entries, &mut lists);
        }
    }
    let meta = json!({ "document": rest, "notes": doc.notes, "parts": parts }).to_string();
    let mut out = Vec::with_capacity(HEADER + 4 + meta.len() + lists.len());
    out.extend_from_slice(MAGIC);
    for n in [header.id.dev, header.id.ino, header.id.size] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    for n in [header.id.mtime_ns, header.id.ctime_ns, header.written_ns] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out.extend_from_slice(&header.sha256);
    number(&mut out, meta.len());
    out.extend_from_slice(meta.as_bytes());
    out.extend_from_slice(&lists);
    Ok(out)
}

fn number(out: &mut Vec<u8>, n: usize) {
    // A document has at most 16 MiB, so everything in its index has a number of 32 bits.
    out.extend_from_slice(&u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes());
}

fn list(entries: &[(usize, Entry)], out: &mut Vec<u8>) {
    let mut rows: Vec<(u64, usize)> = Vec::with_capacity(entries.len());
    let mut blob = Vec::new();
    let mut ends = Vec::new();
    for (i, (_, e)) in entries.iter().enumerate() {
        rows.push((key(&e.pattern), i));
        number(&mut blob, e.pattern.len());
        blob.extend_from_slice(e.pattern.as_bytes());
        blob.extend_from_slice(rest(e).as_bytes());
        ends.push(blob.len());
    }
    rows.sort_unstable();
    number(out, entries.len());
    entries.iter().for_each(|(place, _)| number(out, *place));
    ends.into_iter().for_each(|end| number(out, end));
    for (hash, i) in rows {
        out.extend_from_slice(&hash.to_le_bytes());
        number(out, i);
    }
    out.extend_from_slice(&blob);
}

/// What an entry says besides its pattern.
fn rest(e: &Entry) -> String {
    use super::Example;
    let mut out = serde_json::Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(v) = value {
            out.insert(key.into(), v);
        }
    };
    put("id", e.id.clone().map(Value::from));
    put("args", e.args.clone().map(Value::from));
    put("argPattern", e.arg_pattern.clone().map(Value::from));
    put("cwd", e.cwd.clone().map(Value::from));
    put("carries", e.carries_anything.then(|| "anything".into()));
    put("hazards", e.hazards_allow.then(|| "allow".into()));
    put("expiresAt", e.expires_at.map(Value::from));
    if e.examples != super::Examples::default() {
        let list = |l: &[Example]| -> Vec<Value> {
            l.iter()
                .map(|x| match x {
                    Example::Text(t) => t.clone().into(),
                    Example::Words(w) => w.clone().into(),
                })
                .collect()
        };
        put(
            "examples",
            Some(json!({ "allows": list(&e.examples.allows), "refuses": list(&e.examples.refuses) })),
        );
    }
    if out.is_empty() { String::new() } else { Value::Object(out).to_string() }
}

/// What a pattern is looked up by.
pub(super) fn key(pattern: &str) -> u64 {
    match last_of(pattern) {
        Last::Exact(name) => step(hash(name.as_bytes()), 0),
        Last::Affix(before, _) => hash(before.as_bytes()),
        Last::Any => EMPTY,
    }
}

/// The keys of all patterns that a name could match.
pub(super) fn keys(name: &[u8], each: &mut dyn FnMut(u64)) {
    let mut hash = EMPTY;
    each(hash);
    for b in name {
        hash = step(hash, *b);
        each(hash);
    }
    each(step(hash, 0));
}

/// FNV-1a over the name in lower case. Two names with one hash only mean a look at an entry for nothing.
fn hash(name: &[u8]) -> u64 {
    name.iter().fold(EMPTY, |h, b| step(h, *b))
}

/// The hash of nothing.
const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of one more byte.
fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
}

/// The bytes of an index, wherever they are: a file in memory, of which only what is looked at is read.
#[derive(Clone)]
struct Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.0.as_ref().as_ref()
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

/// The document of an index that was found to be of it; `None` if the index is damaged, and then the document
/// itself must be read.
pub fn open(bytes: impl AsRef<[u8]> + Send + Sync + 'static, file: &str) -> Option<Approvals> {
    let bytes = Bytes(Arc::new(bytes));
    let mut r = Reader { bytes: &bytes, at: HEADER };
    let len = r.u32()?;
    let meta = std::str::from_utf8(r.take(len)?).ok()?;
    let lists = r.at;
    let meta = json::parse(meta, file, Dialect::Json).ok()?;
    let mut doc = Approvals::read(meta.get("document")?, file).ok()?;
    doc.notes = super::entries::strings(meta.get("notes")?.as_list()?);
    for part in meta.get("parts")?.as_list()? {
        let at = lists.checked_add(usize::try_from(part.get("at")?.as_u64()?).ok()?)?;
        let body = Body::Indexed(IndexedList::open(&bytes, at)?);
        let one = AllowList::of(Part::new(part.get("base")?.as_str()?.to_owned(), body));
        let scope = match part.get("agent").and_then(Tree::as_str) {
            Some(id) => &mut doc.agents.iter_mut().find(|(a, _)| a == id)?.1,
            None => &mut doc.defaults,
        };
        scope.allowlist = Some(match scope.allowlist.take() {
            Some(l) => l.joined(&one),
            None => one,
        });
    }
    Some(doc)
}

/// A list inside an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexedList {
    bytes: Bytes,
    len: usize,
    places: usize,
    ends: usize,
    rows: usize,
    blob: usize,
}

impl IndexedList {
    fn open(bytes: &Bytes, at: usize) -> Option<IndexedList> {
        let mut r = Reader { bytes, at };
        let len = r.u32()?;
        let places = r.skip(len.checked_mul(4)?)?;
        let ends = r.skip(len.checked_mul(4)?)?;
        let rows = r.skip(len.checked_mul(ROW)?)?;
        let list = IndexedList { bytes: bytes.clone(), len, places, ends, rows, blob: r.at };
        // The last entry ends inside the file.
        list.bounds(len.saturating_sub(1)).filter(|_| len > 0).map_or(len == 0, |_| true).then_some(list)
    }

    fn u32(&self, at: usize) -> Option<usize> {
        Reader { bytes: &self.bytes, at }.u32()
    }

    /// Where an entry begins and ends.
    fn bounds(&self, i: usize) -> Option<(usize, usize)> {
        if i >= self.len {
            return None;
        }
        let begin = if i == 0 { 0 } else { self.u32(self.ends + (i - 1) * 4)? };
        let end = self.u32(self.ends + i * 4)?;
        let (begin, end) = (self.blob.checked_add(begin)?, self.blob.checked_add(end)?);
        (begin <= end && end <= self.bytes.len()).then_some((begin, end))
    }

    fn pattern(&self, i: usize) -> Option<(&str, &[u8])> {
        let (begin, end) = self.bounds(i)?;
        let mut r = Reader { bytes: self.bytes.get(..end)?, at: begin };
        let len = r.u32()?;
        let pattern = std::str::from_utf8(r.take(len)?).ok()?;
        Some((pattern, r.bytes.get(r.at..)?))
    }

    fn entry(&self, i: usize, base: &str) -> Option<Entry> {
        let (pattern, rest) = self.pattern(i)?;
        let mut e = Entry::default();
        if !rest.is_empty() {
            e = entry(&json::parse(std::str::from_utf8(rest).ok()?, "", Dialect::Json).ok()?);
        }
        e.pattern = pattern.to_owned();
        e.from = format!("{base}/{}", self.u32(self.places + i * 4)?);
        Some(e)
    }

    /// One row of the sorted table.
    fn row(&self, n: usize) -> Option<(u64, usize)> {
        let mut r = Reader { bytes: &self.bytes, at: self.rows + n * ROW };
        Some((r.u64()?, r.u32()?))
    }

    /// The entries of the rows with this hash.
    fn under(&self, hash: u64) -> impl Iterator<Item = usize> {
        // The first row that is not smaller.
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.row(middle).is_some_and(|(h, _)| h < hash) { low = middle + 1 } else { high = middle }
        }
        (low..self.len).map_while(move |n| self.row(n).filter(|(h, _)| *h == hash).map(|r| r.1))
    }

    pub fn candidates(&self, names: &[&[u8]], base: &str) -> Vec<Entry> {
        let mut found: Vec<usize> = Vec::new();
        for name in names {
            keys(name, &mut |key| found.extend(self.under(key)));
        }
        found.retain(|i| self.pattern(*i).is_some_and(|(p, _)| names.iter().any(|n| admits(p, n))));
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|i| self.entry(i, base)).collect()
    }

    pub fn all(&self, base: &str) -> Vec<Entry> {
        (0..self.len).filter_map(|i| self.entry(i, base)).collect()
    }
}

/// Reads numbers off bytes; past the end there is nothing.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(n)?;
        let out = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(out)
    }
    /// Steps over so many bytes and returns where they began.
    fn skip(&mut self, n: usize) -> Option<usize> {
        let at = self.at;
        self.take(n).map(|_| at)
    }
    fn u32(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take(4)?.try_into().ok()?)).ok()
    }
    fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
    fn i128(&mut self) -> Option<i128> {
        Some(i128::from_le_bytes(self.take(16)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Policy;
    use proptest::prelude::*;

    const ID: FileId = FileId { dev: 1, ino: 2, size: 3, mtime_ns: 4, ctime_ns: 5_000_000_001 };
    const HEAD: Header = Header { id: ID, written_ns: 9_000_000_000, sha256: [7; 32] };

    fn both(doc: &Value) -> (Approvals, Approvals) {
        let text = doc.to_string();
        let index = compile(text.as_bytes(), "f", &HEAD).unwrap();
        assert_eq!(Header::read(&index), Some(HEAD));
        (Approvals::parse(text.as_bytes(), "f").unwrap(), open(index, "f").unwrap())
    }

    #[test]
    fn an_index_says_what_its_document_says() {
        let mut allow: Vec<Value> = (0..300).map(|n| json!(format!("/usr/bin/tool{n}"))).collect();
        allow.extend([
            json!("/opt/**"),
            json!("git"),
            json!({"pattern": "/usr/bin/Git", "args": ["status"], "cwd": "~/p",
            "argPattern": "^s", "carries": "anything", "hazards": "allow", "expiresAt": 7, "id": "x",
            "examples": {"allows": ["a", ["b", "c"]]}}),
            json!("/usr/bin/py*"),
            json!("/usr/bin/*3"),
            json!("/u**/x/PYTHON*"),
            json!("~"),
            json!("/usr/bin/[p"),
        ]);
        let doc = json!({"version": 1, "defaults": {"security": "allowlist", "denylist": ["rm"], "allowlist": ["/d"]},
            "socket": {"token": "t"}, "odd": 1,
            "agents": {"main": {"ask": "always", "allowlist": allow}, "default": {"allowlist": ["/old", "/opt/**"]}, "*": {"allowlist": []}}});
        let (plain, indexed) = both(&doc);
        assert_eq!(plain.notes, indexed.notes);
        for agent in ["main", "x"] {
            let of = |d: &Approvals| Policy::of_user(Some(d.clone()), None).effective(agent);
            let (p, i) = (of(&plain), of(&indexed));
            assert_eq!(
                (p.security, p.ask, p.denylist, p.asklist),
                (i.security, i.ask, i.denylist, i.asklist)
            );
            assert_eq!(p.allow.len(), i.allow.len());
            for (p, i) in p.allow.iter().zip(&i.allow) {
                assert_eq!(p.all(), i.all());
                for path in [
                    "/usr/bin/git",
                    "/usr/bin/tool7",
                    "/usr/bin/TOOL7",
                    "/opt/x",
                    "/d",
                    "/old",
                    "/usr/bin/python3",
                    "/usr/bin/[p",
                    "/usr/x/Python",
                    "/usr/bin/",
                    "",
                    "/nope",
                ] {
                    let path = path.as_bytes();
                    assert_eq!(p.candidates(path, path), i.candidates(path, path));
                    assert_eq!(p.candidates(b"/bin/git", path), i.candidates(b"/bin/git", path));
                }
            }
        }
    }

    #[test]
    fn an_index_is_of_one_document_only() {
        assert_eq!(HEAD.is_of(&ID), Some(true));
        for other in [
            FileId { dev: 9, ..ID },
            FileId { ino: 9, ..ID },
            FileId { size: 9, ..ID },
            FileId { mtime_ns: 9, ..ID },
            FileId { ctime_ns: 9, ..ID },
        ] {
            assert_eq!(HEAD.is_of(&other), Some(false));
        }
        // Too short after the change, or a clock that ticks by seconds: the hash must tell.
        assert_eq!(Header { written_ns: ID.ctime_ns + QUIET_NS - 1, ..HEAD }.is_of(&ID), None);
        let coarse = FileId { ctime_ns: 5_000_000_000, ..ID };
        assert_eq!(Header { id: coarse, ..HEAD }.is_of(&coarse), None);
    }

    proptest! {
        #[test]
        fn an_index_finds_what_the_list_finds(
            patterns in proptest::collection::vec("/[/aB~*?b{},\\[\\]\\\\]{0,8}", 1..30),
            path in "/[/abB*?\\[\\]]{0,8}",
        ) {
            let doc = json!({"version": 1, "defaults": {"allowlist": patterns}});
            let (plain, indexed) = both(&doc);
            let of = |d: Approvals| Policy::of_user(Some(d), None).effective("main");
            for (p, i) in of(plain).allow.iter().zip(&of(indexed).allow) {
                prop_assert_eq!(p.candidates(path.as_bytes(), b"/b/a"), i.candidates(path.as_bytes(), b"/b/a"));
            }
        }

        #[test]
        fn damage_never_panics_and_never_adds(at in 0usize..3000, bit in 0u8..8, cut in 0usize..3000) {
            let allow: Vec<Value> = (0..40).map(|n| json!({"pattern": format!("/usr/bin/t{n}"), "args": ["a"]})).collect();
            let text = json!({"version": 1, "defaults": {"allowlist": allow}}).to_string();
            let mut bytes = compile(text.as_bytes(), "f", &HEAD).unwrap();
            if let Some(b) = bytes.get_mut(at) { *b ^= 1 << bit; }
            bytes.truncate(cut.max(1));
            if let Some(doc) = open(bytes, "f") {
                for e in doc.entries() { prop_assert!(e.1 == "allowlist"); }
                let e = Policy::of_user(Some(doc), None).effective("main");
                for l in &e.allow { l.candidates(b"/usr/bin/t1", b"/usr/bin/t1"); }
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = Header::read(&bytes);
            let _ = open([MAGIC.to_vec(), vec![0; HEADER - 8], bytes].concat(), "f");
        }
    }
}
