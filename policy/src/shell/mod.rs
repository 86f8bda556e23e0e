//! Shell text: the whole grammar of POSIX sh and the usual additions of bash and zsh, every construct named.
//!
//! [`parse`] never fails: it returns the tree it saw and a list of every construct met that is not plain, each
//! with its span. What of these can be satisfied without a person is one table: [`construct`].
pub mod ast;
pub mod construct;

mod arith;
mod brace;
mod compound;
mod cond;
mod dollar;
mod fill;
mod lex;
mod normal;
mod numeric;
mod parse;
mod quote;
mod redirect;
mod render;
mod render_word;
mod visit;
mod word;
mod words;

use crate::decision::Span;

pub use ast::*;
pub use construct::Construct;
pub use normal::{normal, same};
pub(crate) use parse::is_export;
pub(crate) use render::render_as;
pub use render::{Replacement, render};
pub use visit::Node;
pub use words::MAX_BRACE_WORDS;

/// The most bytes of text that are analysed.
pub const MAX_LENGTH: usize = 128 * 1024;
/// The deepest nesting that is analysed.
pub const MAX_DEPTH: usize = 32;
/// The most simple commands that are analysed.
pub const MAX_COMMANDS: usize = 4096;
/// The most steps the lexer takes.
pub const MAX_STEPS: usize = 1_000_000;

/// Parses text as the language of a shell. Total: it never fails or panics; what it could not follow is in
/// [`Parsed::noted`].
pub fn parse(text: &[u8], dialect: Dialect) -> Parsed {
    if text.len() > MAX_LENGTH {
        let span = Span::new(0, text.len());
        let noted = vec![Noted { construct: Construct::LimitLength, span, command: None }];
        return Parsed { script: Script::default(), noted, numbers: Vec::new(), holds: Holds::default() };
    }
    let mut state = lex::State::default();
    let mut lexer = lex::Lexer::new(text, None, dialect, &mut state);
    let mut script = lexer.whole();
    if let Some(at) = text.iter().position(|b| *b == 0) {
        // No argument holds a NUL, and shells drop, keep or stop at one in a script.
        state.noted.push(Noted { construct: Construct::Nul, span: Span::new(at, at + 1), command: None });
    }
    fill::script(&mut script, &mut state.bodies);
    let noted = crate::order::by_key(state.noted, |note| note.span.start as u64);
    let mut parsed = Parsed { script, noted, numbers: Vec::new(), holds: state.holds };
    numeric::settle(&mut parsed, dialect);
    parsed
}

/// The language of a shell we parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// dash, and the ash of busybox where the two agree: POSIX with little more. What only one of them understands
    /// (`$'…'`, `<( )`, `>&FILE`, `10>FILE`) asks; names that only one takes for its own are no programs.
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

    /// The dialect of the program that was found under a name. busybox is a shell only under the names of its ash.
    pub fn of_program(found: &[u8], real: &[u8]) -> Option<Dialect> {
        match found {
            b"sh" | b"ash" if is_busybox(real) => Some(Dialect::Dash),
            _ => Dialect::of_name(real),
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

/// True if a program's real name is that of busybox, as packages name it (`busybox`, `busybox.static`).
pub(crate) fn is_busybox(real: &[u8]) -> bool {
    let rest = real.strip_prefix(b"busybox");
    rest.is_some_and(|r| matches!(r.first(), None | Some(b'.' | b'-' | b'_')))
}
