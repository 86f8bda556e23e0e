//! `exec-guard-approver`: see the library.
#![forbid(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;

use approver::args::{Args, HELP, read};
use approver::serve::prepare;

/// Wrong use.
const USAGE: u8 = 2;
/// It could not work.
const TROUBLE: u8 = 125;

fn main() -> ExitCode {
    // Before anything that can fail, so that an installation can always be asked what it is.
    let args = match read(std::env::args_os().skip(1)) {
        Ok(Args::Version) => return print(&format!("exec-guard-approver {}\n", protocol::version())),
        Ok(Args::Help) => return print(HELP),
        Ok(Args::Serve(args)) => args,
        Err(what) => {
            approver::say(&format!("{what}\nsee exec-guard-approver --help"));
            return ExitCode::from(USAGE);
        }
    };
    match prepare(&args).and_then(|ready| ready.serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            approver::say(&what);
            ExitCode::from(TROUBLE)
        }
    }
}

fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(TROUBLE),
    }
}
