//! Words of the commands about tools of agent gateways.
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::EXIT_CODES;

/// `tool`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Tool {
    /// The tool: bash, cron, browser, canvas, image or file.
    pub name: String,
    /// Who uses it. Believed only from a gateway; else the user is `uid:N`.
    #[arg(long, value_name = "ID")]
    pub user: Option<String>,
    /// The channel it was said in.
    #[arg(long, value_name = "ID")]
    pub channel: Option<String>,
    /// The message it was said with.
    #[arg(long, value_name = "ID")]
    pub message: Option<String>,
    /// The tool's arguments, a JSON object; `-` reads them from standard input.
    #[arg(long, value_name = "JSON")]
    pub args: Option<OsString>,
    /// Do not wait where a person has to be asked: the result has the question's id.
    #[arg(long)]
    pub no_wait: bool,
    /// A file (0600) with security.gatewayToken, by which a gateway proves itself.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// `owners`.
#[derive(Debug, Subcommand)]
pub enum Owners {
    /// Name one more.
    #[command(after_help = EXIT_CODES)]
    Add {
        /// A gateway's name for a user, or `uid:N`.
        user: String,
    },
    /// Take one away.
    #[command(after_help = EXIT_CODES)]
    Remove {
        /// As it was named.
        user: String,
    },
    /// Show them.
    #[command(after_help = EXIT_CODES)]
    List {
        /// JSON to stdout, for programs.
        #[arg(long)]
        json: bool,
    },
}
