//! Shell text: the whole grammar of POSIX sh and the usual additions of bash and zsh, every construct named.
//!
//! [`parse`] never fails: it returns the tree it saw and a list of every construct met that is not plain, each
//! with its span. What of these can be satisfied without a person is one table: [`construct`].
pub mod ast;
pub mod construct;

pub use ast::*;
pub use construct::Construct;

/// The language of a shell we parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// dash, ash, busybox sh: POSIX with little more.
    Dash,
    /// bash (also as sh: the bash row applies, posix mode changes are refused constructs).
    Bash,
    /// zsh run with `-f`.
    Zsh,
}

impl Dialect {
    /// The dialect of a shell by the last component of its real path or name; `None` = a language that is
    /// not parsed here.
    pub fn of_name(name: &[u8]) -> Option<Dialect> {
        match name {
            b"dash" | b"ash" => Some(Dialect::Dash),
            b"bash" => Some(Dialect::Bash),
            b"zsh" => Some(Dialect::Zsh),
            _ => None,
        }
    }

    /// The word in `check --json`.
    pub fn word(self) -> &'static str {
        match self {
            Dialect::Dash => "dash",
            Dialect::Bash => "bash",
            Dialect::Zsh => "zsh",
        }
    }
}
