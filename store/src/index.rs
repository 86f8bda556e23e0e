//! `policy.idx`: the compiled index beside an approvals document.
//!
//! Written by whoever edits the document, under the same lock; read by the guard, which never writes it. A document
//! of a few entries has none.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::FileId;
use policy::document::index::{self, Header, QUIET_NS};
use policy::document::{Approvals, LoadError};
use sha2::{Digest, Sha256};
use sys::file::{Checked, Owner};

use crate::locate::{MAX_BYTES, refused, shown};

/// Name of the index, in the folder of its document.
pub const INDEX: &str = "policy.idx";

/// Documents from this size on, in bytes, have one: parsing a shorter one takes no longer than opening an index.
pub const FROM_BYTES: u64 = 2 << 10;

/// An index up to this size, in bytes, is read; a longer one is mapped, and only the pages that are looked at are
/// read. Mapping costs two calls and a fault or two, as much as copying some ten pages.
const READ_BYTES: u64 = 48 << 10;

fn beside(document: &Path) -> PathBuf {
    document.with_file_name(INDEX)
}

/// The document through its index; `None` if there is no index of exactly this document.
pub(crate) fn open(document: &Path, owner: Owner, checked: &Checked) -> Option<Approvals> {
    let id = checked.id();
    if id.size < FROM_BYTES {
        return None;
    }
    let index = Checked::open(&beside(document), owner).ok()?;
    let of = |bytes: &[u8]| -> Option<bool> {
        let header = Header::read(bytes)?;
        header.is_of(&id).or_else(|| same_text(document, owner, &id, &header.sha256))
    };
    let file = shown(document);
    if index.id().size <= READ_BYTES {
        let bytes = index.read(READ_BYTES).ok()?;
        return if of(&bytes)? { index::open(bytes, &file) } else { None };
    }
    let bytes = index.map(2 * MAX_BYTES).ok()?;
    if of(bytes.as_ref())? { index::open(bytes, &file) } else { None }
}

/// The slow answer, where the times do not tell.
fn same_text(document: &Path, owner: Owner, id: &FileId, sha256: &[u8; 32]) -> Option<bool> {
    let again = Checked::open(document, owner).ok()?;
    if again.id() != *id {
        return Some(false);
    }
    let text = again.read(MAX_BYTES).ok()?;
    Some(Sha256::digest(&text).as_slice() == sha256)
}

/// Writes the index of a document anew, or removes it if the document needs none. The caller holds the lock of the
/// document. Waits some hundredths of a second, so that times can tell a later change from the last one.
///
/// # Errors
/// What kept the index from being written. The document is good without it.
pub(crate) fn refresh(document: &Path, owner: Owner) -> Result<bool, LoadError> {
    let path = beside(document);
    let bad = |e: io::Error| refused(&path, owner, &e.into());
    let checked = Checked::open(document, owner).map_err(|e| refused(document, owner, &e))?;
    let id = checked.id();
    if id.size < FROM_BYTES {
        return match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(bad(e)),
            _ => Ok(false),
        };
    }
    std::thread::sleep(Duration::from_nanos(u64::try_from(QUIET_NS).unwrap_or_default() * 3 / 2));
    let text = checked.read(MAX_BYTES).map_err(|e| refused(document, owner, &e))?;
    let after = Checked::open(document, owner).map_err(|e| refused(document, owner, &e))?;
    if after.id() != id {
        // Somebody edits by hand: the next edit through here makes an index.
        return Ok(false);
    }
    let header = Header {
        id,
        written_ns: i128::from(sys::time::now_ms()) * 1_000_000,
        sha256: Sha256::digest(&text).into(),
    };
    let bytes = index::compile(&text, &shown(document), &header)?;
    let mode = fs::metadata(document).map_err(bad)?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o644;
    sys::edit::replace(&path, &bytes, mode).map_err(bad)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{List, Target, add_entries};
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt;

    fn owner() -> Owner {
        Owner::User(sys::ids::uid())
    }

    fn load(path: &Path) -> Option<Approvals> {
        open(path, owner(), &Checked::open(path, owner()).unwrap())
    }

    fn long(n: usize) -> (tempfile::TempDir, Target) {
        let dir = tempfile::tempdir().unwrap();
        let t = Target::at(dir.path().join("exec-approvals.json"));
        let entries: Vec<_> =
            (0..n).map(|n| json!({"pattern": format!("/usr/bin/tool-number-{n}")})).collect();
        add_entries(&t, Some("main"), List::Allow, &entries).unwrap();
        (dir, t)
    }

    #[test]
    fn an_edit_of_a_long_document_leaves_its_index() {
        let (dir, t) = long(2000);
        let doc = load(&t.path).expect("an index");
        assert_eq!(doc.entries().len(), 2000);
        let mode = fs::metadata(dir.path().join(INDEX)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        // Another edit, another index.
        add_entries(&t, Some("main"), List::Allow, &[json!("/usr/bin/more")]).unwrap();
        assert_eq!(load(&t.path).expect("an index").entries().len(), 2001);
        // A short document has none, and none is left.
        fs::write(&t.path, "{\"version\":1}").unwrap();
        add_entries(&t, None, List::Deny, &[json!("rm")]).unwrap();
        assert!(!dir.path().join(INDEX).exists());
    }

    #[test]
    fn an_index_of_another_text_is_not_used() {
        let (dir, t) = long(1000);
        let text = fs::read_to_string(&t.path).unwrap();
        // Same length, other content, in place.
        fs::write(&t.path, text.replace("tool-number-7", "evil-number-7")).unwrap();
        assert!(load(&t.path).is_none());
        fs::write(&t.path, &text).unwrap();
        assert!(load(&t.path).is_none(), "the times differ");
        add_entries(&t, Some("main"), List::Allow, &[json!("/x")]).unwrap();
        assert!(load(&t.path).is_some());
        let index = dir.path().join(INDEX);
        fs::set_permissions(&index, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(load(&t.path).is_none(), "others could have written it");
        fs::set_permissions(&index, PermissionsExt::from_mode(0o600)).unwrap();
        let mut bytes = fs::read(&index).unwrap();
        bytes.truncate(500);
        fs::write(&index, bytes).unwrap();
        assert!(load(&t.path).is_none());
    }

    #[test]
    fn the_hash_tells_where_times_do_not() {
        let (dir, t) = long(1000);
        let index = dir.path().join(INDEX);
        let mut bytes = fs::read(&index).unwrap();
        // Written too soon after the document.
        let header = Header::read(&bytes).unwrap();
        let soon = header.id.ctime_ns.to_le_bytes();
        let at = bytes.windows(16).rposition(|w| w == header.written_ns.to_le_bytes()).unwrap();
        bytes.splice(at..at + 16, soon);
        fs::write(&index, &bytes).unwrap();
        assert!(load(&t.path).is_some());
        let at = bytes.windows(32).position(|w| w == header.sha256).unwrap();
        bytes[at] ^= 1;
        fs::write(&index, &bytes).unwrap();
        assert!(load(&t.path).is_none());
    }
}
