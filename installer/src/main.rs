//! exec-guardctl: what a person types to own a policy.
//!
//! A subcommand does what it says or ends with a [`Failure`](exit::Failure): one line on stderr, perhaps a line of advice, and an
//! exit code of the table in `--help`.
mod approvals;
mod approver;
mod cli;
mod court;
mod doctor;
mod exit;
mod explain;
mod friction;
mod import;
mod init;
mod install;
mod log;
mod operator;
mod owners;
mod progress;
mod runs;
mod say;
mod session;
mod tool;
mod trial;
mod when;

#[cfg(test)]
mod manual;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use protocol::Shown;

use cli::{Cli, Command};
use exit::{Exit, Failure};
use say::Page;

fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // `exec-guard git status` comes here as well: its words are ours wherever `--` is left out.
            let words: Vec<_> = std::env::args_os().skip(1).collect();
            if let Some(ContextValue::String(word)) = e.get(ContextKind::InvalidSubcommand)
                && words.first().is_some_and(|f| f == word.as_str())
            {
                let words = words.iter().map(|w| Shown::word(w.as_encoded_bytes()).into_string());
                let command = words.collect::<Vec<_>>().join(" ");
                say::word(format!("did you mean: exec-guard -- {command}"));
            }
            // The names of `init --preset` are those of `install --policy`.
            if let (Some(ContextValue::String(option)), Some(ContextValue::String(value))) =
                (e.get(ContextKind::InvalidArg), e.get(ContextKind::InvalidValue))
                && words.first().is_some_and(|f| f == "install")
                && option.starts_with("--preset")
                && <cli::Preset as clap::ValueEnum>::from_str(value, false).is_ok()
            {
                say::word(format!("did you mean: --policy {value}"));
            }
            // Help asked for goes to stdout, all else to stderr; a reader that went away is no fault.
            let printed = e.print();
            if !e.use_stderr()
                && let Err(fault) = printed
                && fault.kind() != std::io::ErrorKind::BrokenPipe
            {
                say::word(format!("stdout: {fault}"));
                return Exit::Trouble;
            }
            return if e.use_stderr() { Exit::Usage } else { Exit::Done };
        }
    };
    let done = match &cli.command {
        Command::Init(args) => init::run(args),
        Command::Install(args) => install::install(args),
        Command::Uninstall(args) => install::uninstall(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Refresh(args) => install::refresh(args),
        Command::Approvals(command) => approvals::run(command),
        Command::Import(args) => import::run(args),
        Command::Log(command) => log::run(command),
        Command::Approver(command) => approver::run(command),
        Command::Panel(args) => approver::panel(args),
        Command::Session(command) => session::run(command),
        Command::Runs(command) => runs::run(command),
        Command::Explain(args) => explain::run(args),
        Command::Policy(command) => trial::run(command),
        Command::Friction(args) => friction::run(args),
        Command::Tool(args) => tool::run(args),
        Command::ToolWork => tool::work(),
        Command::ToolProbe { name } => doctor::tool_probe(name),
        Command::Owners(command) => owners::run(command),
        Command::Completions { shell } => completions(*shell),
    };
    done.unwrap_or_else(|failure| {
        say::word(&failure.what);
        if let Some(advice) = &failure.advice {
            say::word(advice);
        }
        failure.exit
    })
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "exec-guardctl", &mut script);
    let mut page = Page::new();
    page.own(&String::from_utf8_lossy(&script));
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}
