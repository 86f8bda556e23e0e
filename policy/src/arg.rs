//! One word of a command, as far as it is known before anything runs.

/// One word of a command line.
///
/// A `Literal` reaches the program exactly as written here. A `Dynamic` word gets its value only at run time
/// (a variable, a glob, a substitution): rules that look at arguments must treat it as able to be anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// The bytes the program receives.
    Literal(Vec<u8>),
    /// A word whose value is known only at run time.
    Dynamic {
        /// The word as it stands in the source text.
        source: Vec<u8>,
        /// Literal bytes that the value is certain to begin with (after quote removal); may be empty.
        prefix: Vec<u8>,
        /// True if the word always becomes exactly one argument (every dynamic part stands in double
        /// quotes and none of them is `$@` or `$*`); false if it may vanish or split into several.
        single: bool,
    },
}

impl Arg {
    /// A literal word.
    pub fn lit(bytes: impl AsRef<[u8]>) -> Arg {
        Arg::Literal(bytes.as_ref().to_vec())
    }

    /// The value, if it is known.
    pub fn literal(&self) -> Option<&[u8]> {
        match self {
            Arg::Literal(b) => Some(b),
            Arg::Dynamic { .. } => None,
        }
    }

    /// True if the value is known only at run time.
    pub fn is_dynamic(&self) -> bool {
        matches!(self, Arg::Dynamic { .. })
    }

    /// The value, or the source text of a dynamic word: for showing, never for deciding.
    pub fn shown(&self) -> &[u8] {
        match self {
            Arg::Literal(b) => b,
            Arg::Dynamic { source, .. } => source,
        }
    }

    /// The bytes the argument is certain to begin with.
    pub fn known_prefix(&self) -> &[u8] {
        match self {
            Arg::Literal(b) => b,
            Arg::Dynamic { prefix, .. } => prefix,
        }
    }

    /// True if the argument could turn out to be an option: it begins with `-`, or is dynamic without a
    /// literal start that rules it out.
    pub fn may_be_option(&self) -> bool {
        match self {
            Arg::Literal(b) => b.first() == Some(&b'-') && b.len() > 1,
            Arg::Dynamic { prefix, single, .. } => match prefix.first() {
                Some(b'-') | None => true,
                // `a$x` unquoted may still split into `a` and `-o`.
                Some(_) => !single,
            },
        }
    }
}
