//! Why a document cannot be used. Any such error denies everything: half a policy is none.
use std::fmt;

/// What kind of fault it is, for programs; people read [`LoadError`]'s text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadErrorKind {
    /// Not JSON (or, for `config.json`, not JSON5).
    Syntax,
    /// A key stands twice in one object: readers disagree which one counts.
    DuplicateKey,
    /// `version` is missing or not 1.
    Version,
    /// A known field holds a word or number that means nothing here.
    Value,
    /// A known field holds the wrong type.
    Type,
    /// The text is not UTF-8.
    Encoding,
    /// Larger than 16 MiB.
    TooBig,
    /// Nested deeper than 64 levels.
    TooDeep,
    /// A pattern of asklist or denylist that cannot be evaluated.
    Pattern,
    /// Two places say different things about one setting.
    Conflict,
    /// Somebody else could have written the file.
    Unsafe,
    /// The file exists but cannot be read.
    Unreadable,
}

/// A document that cannot be used: which file, where in it, what is wrong, what to do. The details stand behind
/// a box, since nearly every result that could hold one does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(Box<Details>);

/// What a [`LoadError`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// The file.
    pub file: String,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Column, from 1, in bytes.
    pub column: Option<usize>,
    /// JSON pointer (RFC 6901) of the field.
    pub field: Option<String>,
    /// The kind of fault.
    pub kind: LoadErrorKind,
    /// What is wrong, one clause.
    pub what: String,
    /// What to do about it, one clause.
    pub remedy: String,
}

impl From<Details> for LoadError {
    fn from(details: Details) -> LoadError {
        LoadError(Box::new(details))
    }
}

impl std::ops::Deref for LoadError {
    type Target = Details;
    fn deref(&self) -> &Details {
        &self.0
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        write!(f, ": {}", self.what)?;
        if let Some(field) = self.field.as_ref().filter(|p| !p.is_empty()) {
            write!(f, " at {field}")?;
        }
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// A fault inside a document, before file and line are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub kind: LoadErrorKind,
    pub pointer: String,
    pub what: String,
    pub remedy: String,
}

impl Fault {
    pub fn new(
        kind: LoadErrorKind,
        pointer: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Fault {
        Fault { kind, pointer: pointer.into(), what: what.into(), remedy: remedy.into() }
    }
}
