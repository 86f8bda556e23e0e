//! Text for the real shell, made from the judged tree instead of the text that was read.

use crate::shell::Dialect;
use crate::shell::ast::Script;
use crate::shell::construct::Construct;

/// What a simple command is rendered with instead of its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// Literal words that stand for the command's name, each rendered quoted.
    pub name: Vec<Vec<u8>>,
    /// The name is a builtin: it is rendered bare.
    pub bare_name: bool,
    /// Word index (0 is the name) and the literal words that stand for that word.
    pub args: Vec<(usize, Vec<Vec<u8>>)>,
}

/// Renders a script for the real shell.
pub fn render(
    _script: &Script,
    _source: &[u8],
    _dialect: Dialect,
    _replace: &dyn Fn(usize) -> Option<Replacement>,
) -> Result<Vec<u8>, Construct> {
    Err(Construct::Unknown)
}
