//! Decisions, in order, and the findings that carry their grounds.
use crate::reason::Reason;

/// What is to become of a command. The order is the point: the strictest finding wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// It may run without a person.
    Allow,
    /// A person must say yes first.
    Ask,
    /// It must not run.
    Deny,
}

impl Decision {
    /// The word used in JSON, the journal and messages.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
    }
}

/// A range of bytes of the judged text: `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// `start..end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }
}

/// What one rule says about one segment (or about the whole text).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The ground, with its stable code.
    pub reason: Reason,
    /// What this finding alone would lead to under the policy in force.
    pub decision: Decision,
    /// Index of the segment it speaks of.
    pub segment: Option<usize>,
    /// Where in the text.
    pub span: Option<Span>,
    /// One sentence: what, where. Holds foreign bytes made visible, never raw ones.
    pub message: String,
    /// What to do about it.
    pub advice: Option<String>,
    /// The entry that came nearest to satisfying the segment, as its pattern.
    pub nearest: Option<String>,
}
