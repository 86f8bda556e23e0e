//! Words of the commands that speak to an approver, or look at what nobody waited for.
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use policy::{Choice, Scope};

use super::{EXIT_CODES, agent};

/// `approvals pending`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Pending {
    /// Only this question: its id, or the beginning of it.
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `approvals resolve`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Resolve {
    /// The question's id, or the beginning of it.
    #[arg(value_name = "ID")]
    pub id: String,
    /// The answer.
    #[arg(value_enum, value_name = "ANSWER")]
    pub answer: Word,
    /// What is stored by allow-always: the call with these arguments, the subcommand, or the whole program. Needed where
    /// more than one is offered.
    #[arg(long, value_enum)]
    pub scope: Option<ScopeWord>,
    /// Words for whoever asked.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Word {
    /// It may run this time.
    AllowOnce,
    /// It may run, and an entry is stored.
    AllowAlways,
    /// It may not run.
    Deny,
}

/// What an entry is to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScopeWord {
    /// The program with exactly these arguments.
    Arguments,
    /// The program with this first argument.
    Subcommand,
    /// The program.
    Program,
}

impl ScopeWord {
    /// As the policy has it.
    pub fn scope(self) -> Scope {
        match self {
            ScopeWord::Arguments => Scope::Arguments,
            ScopeWord::Subcommand => Scope::Subcommand,
            ScopeWord::Program => Scope::Program,
        }
    }
}

impl Word {
    /// As the policy has it, without a scope; `None` for the one that needs one.
    pub fn choice(self) -> Option<Choice> {
        match self {
            Word::AllowOnce => Some(Choice::AllowOnce),
            Word::Deny => Some(Choice::Deny),
            Word::AllowAlways => None,
        }
    }
}

/// `approvals watch`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Watch {
    /// One JSON object an event and line, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `approver`.
#[derive(Debug, Subcommand)]
pub enum Approver {
    /// Start it behind, and say where it is once it answers.
    #[command(after_help = EXIT_CODES)]
    Start {
        /// Serve no web page.
        #[arg(long)]
        no_panel: bool,
    },
    /// Stop it; questions that wait are told.
    #[command(after_help = EXIT_CODES)]
    Stop,
    /// Say whether it answers, since when, and how many questions wait. Exit code 1 if it does not.
    #[command(after_help = EXIT_CODES)]
    Status {
        /// JSON to stdout, for programs.
        #[arg(long)]
        json: bool,
    },
}

/// `panel`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Panel {
    /// Open it with xdg-open as well.
    #[arg(long)]
    pub open: bool,
}

/// `session`.
#[derive(Debug, Subcommand)]
pub enum Session {
    /// Have other settings for an agent for a while.
    ///
    /// Stricter ones hold for every command from the next one on: `--security deny` stops the agent. Looser ones answer
    /// questions, and are never looser than the system's documents. The running approver holds them, shows them wherever
    /// questions are, and writes them into the journal.
    #[command(group(ArgGroup::new("what").required(true).multiple(true)))]
    Set(SessionSet),
    /// Show the ones in force.
    #[command(after_help = EXIT_CODES)]
    List {
        /// JSON to stdout, for programs.
        #[arg(long)]
        json: bool,
    },
    /// End one.
    #[command(after_help = EXIT_CODES)]
    Clear {
        /// The agent.
        #[arg(long, value_name = "ID", value_parser = agent)]
        agent: String,
        /// The session. Without it: the one for every session of the agent.
        #[arg(long = "session", value_name = "KEY")]
        key: Option<String>,
    },
}

/// `session set`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct SessionSet {
    /// The agent.
    #[arg(long, value_name = "ID", value_parser = agent)]
    pub agent: String,
    /// Only this session of it.
    #[arg(long = "session", value_name = "KEY")]
    pub key: Option<String>,
    /// What may run.
    #[arg(long, value_name = "LEVEL", group = "what", value_parser = ["deny", "allowlist", "full"])]
    pub security: Option<String>,
    /// When a person is asked.
    #[arg(long, value_name = "WHEN", group = "what", value_parser = ["off", "on-miss", "always"])]
    pub ask: Option<String>,
    /// How long: 30m, 12h, or until a point in time.
    #[arg(long = "for", value_name = "TIME")]
    pub span: String,
}

/// `runs`.
#[derive(Debug, Subcommand)]
pub enum Runs {
    /// Show them, newest first.
    #[command(after_help = EXIT_CODES)]
    List {
        /// JSON to stdout, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Show one.
    #[command(after_help = EXIT_CODES)]
    Show {
        /// Its id, or the beginning of it.
        #[arg(value_name = "ID")]
        id: String,
        /// JSON to stdout, for programs.
        #[arg(long)]
        json: bool,
    },
    /// Write what one wrote: its standard output to stdout, its standard error to stderr.
    #[command(after_help = EXIT_CODES)]
    Logs {
        /// Its id, or the beginning of it.
        #[arg(value_name = "ID")]
        id: String,
        /// Go on until it ends.
        #[arg(long, short)]
        follow: bool,
        /// One JSON object a piece and line, for programs.
        #[arg(long)]
        json: bool,
    },
}
