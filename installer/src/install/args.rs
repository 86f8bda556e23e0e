//! Words of `install`, `uninstall` and `refresh`.
use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};

use crate::cli::{EXIT_CODES, Preset};

/// Names that belong together, for `--preset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Names {
    /// node, npm, npx, pnpm, yarn, bun, deno …
    Node,
    /// python, pip, uv, poetry, pytest …
    Python,
    /// cargo, rustc, rustup …
    Rust,
    /// go, gofmt …
    Go,
    /// docker, kubectl, terraform, aws, ssh, curl …
    Cloud,
    /// git, gh, glab …
    Git,
    /// Every program that PATH finds now, except shells.
    AllOnPath,
}

/// A shell that a person types into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Shell {
    /// `.bashrc` and the file that a login reads.
    Bash,
    /// `.zshenv` and `.zshrc`.
    Zsh,
    /// A file of its own in `conf.d`.
    Fish,
}

/// `install`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
#[command(group(ArgGroup::new("parts").required(true).multiple(true)))]
pub struct Install {
    /// Links with these names, in front of the programs they stand for.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', group = "parts", value_parser = name)]
    pub shims: Vec<String>,
    /// Links for all programs of a kind that are here.
    #[arg(long, value_enum, num_args = 1.., value_delimiter = ',', group = "parts")]
    pub preset: Vec<Names>,
    /// Put the folder of links first in PATH, for these shells.
    #[arg(long, value_enum, num_args = 1.., value_delimiter = ',', group = "parts")]
    pub shell: Vec<Shell>,
    /// Links named sh, bash and zsh, in a folder of their own: for agents that take `$SHELL`, or look bash up in PATH.
    #[arg(long, group = "parts")]
    pub links: bool,
    /// The hook of an agent, in its own settings: claude, codex, gemini, copilot, cursor, opencode, openclaw, goose, crush,
    /// qwen, cline, pi; or all-found, for those that are here.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',', group = "parts", value_parser = agent, hide_possible_values = true)]
    pub agent: Vec<String>,
    /// With --agent: the settings of the project in the working folder, not your own.
    #[arg(long, requires = "agent")]
    pub project: bool,
    /// Completions for bash, zsh and fish.
    #[arg(long, group = "parts")]
    pub completions: bool,
    /// Manual pages.
    #[arg(long, group = "parts")]
    pub man: bool,
    /// Units of systemd for the approver, started when it is first asked.
    #[arg(long, group = "parts")]
    pub units: bool,
    /// Copies of the programs in this folder, so that nothing hangs on where they were built.
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = "~/.local/bin", group = "parts")]
    pub programs: Option<PathBuf>,
    /// The policy to begin with, where there is none.
    #[arg(long, value_enum, value_name = "PRESET", default_value = "cautious")]
    pub policy: Preset,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `uninstall`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Uninstall {
    /// Only these parts (shims, shell, shell:NAME, links, agent, agent:ID, completions, man, units, programs). Default: all.
    #[arg(value_name = "PART")]
    pub parts: Vec<String>,
    /// Only the hooks of this agent.
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',', value_parser = agent, hide_possible_values = true)]
    pub agent: Vec<String>,
    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `refresh`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Refresh {
    /// Show what would be done, and do nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// The name of a program: what can be a file in a folder of links.
fn name(text: &str) -> Result<String, String> {
    let fine = |c: char| c.is_ascii_graphic() && c != '/';
    if text.is_empty() || text.len() > 255 || matches!(text, "." | "..") || !text.chars().all(fine) {
        Err("the name of a program, without a folder".into())
    } else if text.starts_with("exec-guard") {
        Err("the guard cannot stand in front of itself".into())
    } else {
        Ok(text.to_owned())
    }
}

/// The id of an agent whose hook can be installed.
fn agent(text: &str) -> Result<String, String> {
    let known = super::agents::Spec::named(text).is_some() || text == "all-found";
    let all = || super::agents::AGENTS.iter().map(|a| a.id).collect::<Vec<_>>().join(", ");
    if known { Ok(text.to_owned()) } else { Err(format!("one of {}, all-found", all())) }
}
