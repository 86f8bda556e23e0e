//! `policy`: trying a policy out.
mod cases;
mod replay;
mod test;

use policy::{Evaluation, Form};
use protocol::Shown;

use crate::cli::Trial;
use crate::exit::{Exit, Failure};

/// Does it.
///
/// # Errors
/// What was not done, and why.
pub fn run(command: &Trial) -> Result<Exit, Failure> {
    match command {
        Trial::Test(args) => test::run(args),
        Trial::Replay(args) => replay::run(args),
    }
}

/// A command as it is read: text as it is, words so that pasting them means the same.
pub fn command(form: &Form) -> String {
    match form {
        Form::Text { text, .. } => Shown::text(text).into_string(),
        Form::Program { argv, .. } => Shown::argv(argv).into_string(),
    }
}

/// Why an evaluation came out so: `[code] words`; empty for an allow.
pub fn ground(eval: &Evaluation) -> String {
    eval.ground().map_or_else(String::new, |f| format!("[{}] {}", f.reason.code(), f.message))
}
