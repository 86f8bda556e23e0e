//! A program's name → the file it is.
use crate::world::FileId;

/// A file that exists, is regular, may be executed, and was looked at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// Folders canonicalised, last component kept: multi-call programs decide by name.
    pub found: Vec<u8>,
    /// Everything resolved.
    pub real: Vec<u8>,
    /// What it was when looked at.
    pub id: FileId,
}
