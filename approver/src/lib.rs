//! The approver: holds questions, takes answers, and tells who asked.
#![forbid(unsafe_code)]

pub mod args;

pub mod desk;

pub mod clock;
pub mod peer;
pub mod rules;

pub mod always;
pub mod draft;
pub mod keeper;
pub mod pen;
pub mod runs;

pub mod handle;

pub mod desktop;

pub mod line;
pub mod listen;
pub mod operator;
pub mod panel;
pub mod serve;
mod shares;
pub mod tools;

pub use handle::Handle;

/// Says something to whoever started the program. Nothing is to be done about it if that cannot be written.
pub fn say(what: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "exec-guard-approver: {what}");
}

#[cfg(test)]
mod testing;
