//! Words of the command line → one strict struct a subcommand. The help texts are the short manual; the long one
//! is exec-guardctl(1).
mod asking;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub use asking::*;
pub use tools::*;

/// Exit codes, told under every `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
    0  done, or it was so already; explain: it would run
    1  not done: pattern not found, the document changed meanwhile, a file is in the way, nothing to show, a test failed
    2  wrong use: an option, a pattern or a document that would not be accepted
    3  explain: a person would be asked
    4  explain: it would be refused
    5  no question or run has that id
    6  several have an id that begins so
    7  the question has expired, or whoever asked is gone
    8  the question was answered already
    9  you may not answer: it is your own question, or that of an agent you run under
  125  could not work: a document is unreadable, unsafe or wrong; a disk or lock failed

Data goes to stdout, words go to stderr. The full manual: exec-guardctl(1), exec-guard.policy(5).";

/// Install exec-guard, edit its policy, look at its decisions.
///
/// exec-guard(1) stands in front of execve and judges commands by policy. This program is for the person who
/// owns the policy: it puts the guard in the way, makes the first documents, shows what rules and why, adds and removes
/// entries, and shows the journal. Every change is made under a lock and replaces the file as a whole; a change made elsewhere at the same
/// time is not lost.
#[derive(Debug, Parser)]
#[command(name = "exec-guardctl", version = protocol::version(), after_help = EXIT_CODES, after_long_help = EXIT_CODES)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the first policy documents from a preset.
    Init(Init),
    /// Put the guard in the way: links, PATH, shells.
    Install(crate::install::args::Install),
    /// Take back what `install` did.
    Uninstall(crate::install::args::Uninstall),
    /// Do again what `install` was asked for: links for new programs, none for those that are gone.
    Refresh(crate::install::args::Refresh),
    /// Tell whether the guard is really in the way, by a probe through every layer.
    Doctor(Doctor),
    /// Take over the rules that you have with an agent.
    Import(crate::import::Import),
    /// Show and edit exec-approvals.json.
    #[command(subcommand, alias = "exec-approvals")]
    Approvals(Approvals),
    /// Look at the journal of decisions.
    #[command(subcommand)]
    Log(Log),
    /// Start, stop and look at the approver, which holds questions until a person answers.
    #[command(subcommand)]
    Approver(Approver),
    /// Ask the approver for a link by which a browser enters its panel, once.
    Panel(Panel),
    /// Other settings for an agent, for a while.
    #[command(subcommand)]
    Session(Session),
    /// Look at commands that nobody waited for (exec-guard submit).
    #[command(subcommand)]
    Runs(Runs),
    /// Show what would become of a command, where and why; run nothing.
    Explain(Explain),
    /// Try a policy out.
    #[command(subcommand)]
    Policy(Trial),
    /// Tell how many of these commands would pass, and which entries would save the most questions.
    Friction(Friction),
    /// Call a tool for an agent gateway: one JSON result on standard output.
    Tool(Tool),
    /// The approver's helper: a call it has carried out.
    #[command(hide = true)]
    ToolWork,
    /// The doctor's helper: a sandbox is tried.
    #[command(hide = true)]
    ToolProbe {
        /// Its name.
        name: String,
    },
    /// Whose own calls of tools need no yes.
    #[command(subcommand)]
    Owners(Owners),
    /// Print a completion script for a shell.
    ///
    /// bash: exec-guardctl completions bash > ~/.local/share/bash-completion/completions/exec-guardctl
    /// zsh:  exec-guardctl completions zsh > ~/.zfunc/_exec-guardctl   (a folder of fpath)
    /// fish: exec-guardctl completions fish > ~/.config/fish/completions/exec-guardctl.fish
    #[command(verbatim_doc_comment, about = "Print a completion script for a shell")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// `init`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Init {
    /// Which policy to begin with.
    #[arg(long, value_enum)]
    pub preset: Preset,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Replace documents that are there. The old ones are kept beside them, with `.bak` added (`.bak.1` …
    /// where there is one already); what config.json says besides `tools.exec` is taken over.
    #[arg(long)]
    pub force: bool,
}

/// `doctor`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Doctor {
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// The presets of `init`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Nothing runs and nobody is asked.
    DenyAll,
    /// Only safe bins run by themselves; a person is asked about the rest.
    Cautious,
    /// Everyday looking and building commands run, shell text is followed; a person is asked about the rest.
    Developer,
    /// Everything runs except what the denylist names.
    Yolo,
}

/// `approvals`.
#[derive(Debug, Subcommand)]
pub enum Approvals {
    /// Show the documents in force, and what they mean together, with the source of each value.
    Get(Get),
    /// Replace the document as a whole.
    Set(Set),
    /// Add and remove patterns.
    #[command(subcommand)]
    Allowlist(Allowlist),
    /// Show the questions that wait for an answer.
    Pending(Pending),
    /// Answer one.
    Resolve(Resolve),
    /// Show questions and what becomes of them as it happens, until ^C.
    Watch(Watch),
}

/// `approvals get`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Get {
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
    /// What rules for this agent only. Default: every agent that a document names.
    #[arg(long, value_name = "ID", value_parser = agent)]
    pub agent: Option<String>,
}

/// `approvals set`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
#[command(group(ArgGroup::new("input").required(true)))]
pub struct Set {
    /// Take the document from this file.
    ///
    /// JSON, or JSON5 (its comments are not kept). At most 1 MiB. It is checked before anything is written. Where it says
    /// nothing of `socket.path` or `socket.token`, those of the present document stay.
    #[arg(long, value_name = "FILE", group = "input")]
    pub file: Option<PathBuf>,
    /// Take the document from standard input.
    #[arg(long, group = "input")]
    pub stdin: bool,
    /// Only if the present document still has this hash (`baseHash` of `approvals get`); `none` = only if there is none.
    #[arg(long, value_name = "HASH")]
    pub base_hash: Option<String>,
}

/// `approvals allowlist`.
#[derive(Debug, Subcommand)]
pub enum Allowlist {
    /// Add a pattern.
    Add(Add),
    /// Remove a pattern.
    Remove(Remove),
}

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum List {
    /// May run.
    Allowlist,
    /// Is always asked about.
    Asklist,
    /// Never runs.
    Denylist,
}

/// `approvals allowlist add`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Add {
    /// A glob over the program's path: /usr/bin/git, ~/.cargo/bin/*, /opt/**/bin/rg.
    ///
    /// `*` and `?` do not match `/`, `**` does; `~/` is your home. A bare name is not taken on the allowlist: it would match
    /// nothing. On the asklist and denylist it matches the program's name wherever it lies.
    pub pattern: String,
    /// For which agent; `*` is every agent.
    #[arg(long, value_name = "ID", default_value = "*", value_parser = agent)]
    pub agent: String,
    /// On which list.
    #[arg(long, value_enum, default_value = "allowlist")]
    pub list: List,
    /// Only if the working folder lies under this glob.
    #[arg(long, value_name = "GLOB")]
    pub cwd: Option<String>,
    /// Until when: 30m, 12h, 7d, 2w, a date (to its end), or a date and time.
    #[arg(long, value_name = "TIME")]
    pub expires: Option<String>,
    /// Why it is there.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Only with these arguments, one glob each; a last `...` stands for any rest. Comes last: takes all words that follow.
    ///
    /// Without `...` the number must be equal; with no word at all, only a call without arguments matches. One word that
    /// begins with `[` and parses as a JSON list of strings is taken as that list.
    #[arg(long, value_name = "WORD", num_args = 0.., allow_hyphen_values = true)]
    pub args: Option<Vec<OsString>>,
}

/// `approvals allowlist remove`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Remove {
    /// The pattern as it stands in the document (letter case does not matter), or the id of an entry.
    pub pattern: String,
    /// For which agent; `*` is every agent.
    #[arg(long, value_name = "ID", default_value = "*", value_parser = agent)]
    pub agent: String,
    /// From which list.
    #[arg(long, value_enum, default_value = "allowlist")]
    pub list: List,
    /// Only the entry with exactly these arguments. Without it, every entry with the pattern goes. Comes last.
    #[arg(long, value_name = "WORD", num_args = 0.., allow_hyphen_values = true)]
    pub args: Option<Vec<OsString>>,
}

/// `log`.
#[derive(Debug, Subcommand)]
pub enum Log {
    /// Show decisions, oldest first.
    Show(Show),
    /// Check that sealed records are still those that were sealed.
    ///
    /// Files of the journal that were moved aside are sealed in a chain of hashes. A record or a file that was changed,
    /// removed, added or moved since is named; the exit code is then 1.
    Verify(Verify),
    /// Write records for other programs.
    Export(Export),
    /// Move the journal's file aside now and seal it.
    ///
    /// Records are safe from unseen changes from then on. Without this, that happens once the file has grown to
    /// `journal.maxBytes`.
    #[command(after_help = EXIT_CODES)]
    Seal,
}

/// `log verify`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Verify {
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
    /// The chain must hold this hash, which an earlier run printed as the last one.
    ///
    /// Whoever can write the journal can make a whole chain anew. A hash that was noted where he cannot write shows it.
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub anchor: Option<String>,
}

/// `log export`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Export {
    /// As which kind of text.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: Format,
    /// Only from then on: 30m, 12h, 7d ago, a date, or a date and time.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only until then: 30m, 12h, 7d ago, a date (to its end), or a date and time.
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
}

/// A kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// RFC 4180, with a line of names.
    Csv,
}

/// A SHA-256 in hexadecimal.
fn hash(text: &str) -> Result<String, String> {
    if text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        Ok(text.to_owned())
    } else {
        Err("a hash is 64 hexadecimal digits".into())
    }
}

/// A decision to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Verdict {
    /// Ran.
    Allow,
    /// Was a question.
    Ask,
    /// Did not run.
    Deny,
}

impl Verdict {
    /// The word in the journal.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny => "deny",
        }
    }
}

/// `log show`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Show {
    /// The records as they are, one JSON object a line.
    #[arg(long)]
    pub json: bool,
    /// Only of this agent.
    #[arg(long, value_name = "ID", value_parser = agent)]
    pub agent: Option<String>,
    /// Only with this decision.
    #[arg(long, value_enum)]
    pub decision: Option<Verdict>,
    /// Only from then on: 30m, 12h, 7d ago, a date, or a date and time.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only the last so many; 0 = all.
    #[arg(short = 'n', long = "lines", value_name = "COUNT", default_value_t = 50)]
    pub lines: usize,
    /// What `doctor` tried out as well.
    #[arg(long)]
    pub all: bool,
}

/// `explain`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
#[command(group(ArgGroup::new("command").required(true).multiple(true)))]
pub struct Explain {
    /// Judge under the policy of this agent. Default: as exec-guard does.
    #[arg(long, value_name = "ID", value_parser = agent)]
    pub agent: Option<String>,
    /// Judge as if called in this folder.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<OsString>,
    /// The shell that would run the text, by name or path.
    #[arg(long, value_name = "SHELL")]
    pub shell: Option<OsString>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
    /// Shell text. Words after `--` are then its $0 and parameters.
    #[arg(
        short = 'c',
        value_name = "STRING",
        allow_hyphen_values = true,
        group = "command",
        conflicts_with = "file"
    )]
    pub text: Option<OsString>,
    /// Shell text from this file; `-` = standard input.
    ///
    /// Its `#!` line says which shell, where --shell does not.
    #[arg(long, value_name = "FILE", group = "command")]
    pub file: Option<PathBuf>,
    /// One command and its arguments, without a shell: everything from its name on.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD", group = "command")]
    pub words: Vec<OsString>,
}

/// `policy`.
#[derive(Debug, Subcommand)]
pub enum Trial {
    /// Run the examples of every entry, and lists of expected verdicts.
    Test(Test),
    /// Judge the commands of the journal again and show what would change.
    Replay(Replay),
}

/// `policy test`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Test {
    /// Lists of commands with the verdict that is expected, see exec-guard.policy(5).
    ///
    /// Default: policy-tests.json beside each exec-approvals.json in force, where there is one.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Documents of this folder in place of the user's.
    #[arg(long, value_name = "DIR")]
    pub policy: Option<PathBuf>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `policy replay`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Replay {
    /// Documents of this folder in place of the user's: shows what they would change against those in force.
    #[arg(long, value_name = "DIR")]
    pub policy: Option<PathBuf>,
    /// Only records from then on: 30m, 12h, 7d ago, a date, or a date and time.
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// `friction`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct Friction {
    /// Commands: one a line, a shell's history, JSON lines, or a transcript of Claude Code or Codex; `-` = standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Judge under the policy of this agent.
    #[arg(long, value_name = "ID", value_parser = agent, default_value = "main")]
    pub agent: String,
    /// Documents of this folder in place of the user's.
    #[arg(long, value_name = "DIR", conflicts_with = "preset")]
    pub policy: Option<PathBuf>,
    /// This preset in place of the user's documents.
    #[arg(long, value_enum)]
    pub preset: Option<Preset>,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// An agent's id: what can stand in a document, on a line and in a message without doubt.
pub fn agent(text: &str) -> Result<String, String> {
    let fine = |c: char| c.is_ascii_alphanumeric() || "-_.:@/".contains(c);
    if text == "*" || (!text.is_empty() && text.len() <= 128 && text.chars().all(fine)) {
        Ok(text.to_owned())
    } else {
        Err("an agent's id is made of letters, digits and - _ . : @ /, or is *".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn words_to_structs() {
        let ok = |words: &str| Cli::try_parse_from(words.split(' ')).is_ok();
        for words in [
            "x init --preset developer --dry-run",
            "x doctor --json",
            "x install --shims git,npm --shell bash --dry-run",
            "x install --programs",
            "x uninstall shell:bash shims",
            "x approvals get --json --agent claude",
            "x exec-approvals get",
            "x approvals set --stdin --base-hash abc",
            "x approvals allowlist add /bin/ls --agent main --args -l ...",
            "x approvals allowlist add /bin/ls --args",
            "x approvals allowlist remove /bin/ls --list denylist",
            "x log show -n 5 --decision deny --since 2h",
            "x log verify --json",
            "x log export --since 2d --until 2030-01-01 --format csv",
            "x log seal",
            "x approvals pending",
            "x approvals pending 3f2a --json",
            "x approvals resolve 3f2a allow-always --scope program --reason ok",
            "x approvals watch --json",
            "x approver start --no-panel",
            "x approver status --json",
            "x panel --open",
            "x session set --agent a --session k --ask off --for 30m",
            "x session clear --agent a",
            "x runs list --json",
            "x runs logs 3f -f",
            "x completions fish",
            "x explain -c ls",
            "x explain -c -x",
            "x explain --agent a --json -- ls --agent b",
            "x explain -c ls -- a b",
            "x explain --file -",
            "x explain git push --force",
            "x policy test",
            "x policy test a b --json",
            "x policy replay --since 2h --policy d",
            "x friction",
            "x friction - f --preset yolo",
        ] {
            assert!(ok(words), "{words}");
        }
        for words in [
            "x",
            "x init",
            "x init --preset loose",
            "x install",
            "x install --shims ../git",
            "x install --shims exec-guard",
            "x approvals set",
            "x approvals set --stdin --file f",
            "x approvals allowlist add",
            "x approvals allowlist add /bin/ls --agent a\u{202e}b",
            "x approvals allowlist add /bin/ls --list greylist",
            "x log show -n x",
            "x log verify --anchor abc",
            "x log export --format xml",
            "x approvals resolve 3f2a",
            "x approvals resolve 3f2a yes",
            "x session set --agent a --for 30m",
            "x session set --agent a --security loose --for 30m",
            "x session set --security full --for 30m",
            "x runs logs",
            "x explain",
            "x explain -c a --file b",
            "x friction f --preset yolo --policy d",
        ] {
            assert!(!ok(words), "{words}");
        }
    }

    #[test]
    fn args_take_all_that_follows() {
        let cli =
            Cli::try_parse_from(["x", "approvals", "allowlist", "add", "/b/l", "--args", "-l", "--agent"]);
        let Ok(Cli { command: Command::Approvals(Approvals::Allowlist(Allowlist::Add(add))) }) = cli else {
            panic!("{cli:?}")
        };
        assert_eq!(add.args, Some(vec!["-l".into(), "--agent".into()]));
        assert_eq!(add.agent, "*");
    }
}
