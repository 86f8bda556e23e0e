//! `exec-guard-approver`: see the library.
#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use approver::args::{Args, HELP, read};

fn main() -> ExitCode {
    // Before anything that can fail, so that an installation can always be asked what it is.
    let (text, code) = match read(std::env::args_os().skip(1)) {
        Ok(Args::Version) => (concat!("exec-guard-approver ", env!("CARGO_PKG_VERSION"), "\n").to_owned(), 0),
        Ok(Args::Help) => (HELP.to_owned(), 0),
        Ok(Args::Serve(_)) => ("exec-guard-approver: it cannot serve yet\n".to_owned(), 125),
        Err(what) => (format!("exec-guard-approver: {what}\nsee exec-guard-approver --help\n"), 2),
    };
    let written = match code {
        0 => std::io::stdout().write_all(text.as_bytes()),
        _ => std::io::stderr().write_all(text.as_bytes()),
    };
    ExitCode::from(if written.is_err() && code == 0 { 125 } else { code })
}
