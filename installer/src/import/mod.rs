//! `import`: an allowlist that somebody has with an agent already, as entries of ours.
//!
//! Nothing is loosened: an entry allows what the rule it came from allowed, or less. What cannot be said so is named with
//! its reason and left out. What the agent refused or asked about becomes an entry of the denylist or the asklist.
mod claude;
mod codex;
mod gemini;
mod openclaw;
mod opencode;
mod rule;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use protocol::Shown;
use serde_json::{Value, json};
use store::edit::List;

use self::rule::Rule;
use crate::exit::{Exit, Failure};
use crate::install::agents::{Spec, json, reads, settings};
use crate::install::plan::Surroundings;
use crate::install::shown;
use crate::say::{self, Page, Tint};

/// Where an allowlist comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// Claude Code: `permissions` in settings.json.
    Claude,
    /// Codex: `prefix_rule` in rules/*.rules.
    Codex,
    /// Gemini CLI: `tools.allowed` and `tools.exclude` in settings.json.
    Gemini,
    /// OpenCode: `permission.bash` in opencode.json.
    Opencode,
    /// OpenClaw: exec-approvals.json.
    Openclaw,
}

/// `import`.
#[derive(Debug, Args)]
#[command(after_help = crate::cli::EXIT_CODES)]
pub struct Import {
    /// Whose rules.
    #[arg(value_enum)]
    pub from: From,
    /// The file they stand in. Default: yours, where that agent has it.
    ///
    /// Rules of a project's file count in that project's folder only.
    pub file: Option<PathBuf>,
    /// For which agent. Default: the one they come from; the agents that the document names, for openclaw.
    #[arg(long, value_name = "ID", value_parser = crate::cli::agent)]
    pub agent: Option<String>,
    /// Say what would be added, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// JSON to stdout, for programs.
    #[arg(long)]
    pub json: bool,
}

/// One rule of the source: its text, and what it comes to.
pub struct Line {
    text: String,
    rule: Result<Rule, String>,
    bars: Bars,
}

/// What a rule may have forbidden that is left out. What it may have forbidden is not allowed by another rule either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bars {
    /// Nothing: it allows, or is taken over.
    Nothing,
    /// Commands that begin with this word.
    Program(String),
    /// Programs that read or change the files they are handed.
    Files,
    /// Any command.
    Everything,
}

/// Tools of Claude Code by whose rules files are read and changed.
const FILES: &[&str] = &["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS"];

/// Programs that Claude Code knows to read or change files, and their like.
const HANDLE_FILES: &[&str] = &[
    "awk", "base64", "bat", "cat", "cmp", "cp", "cut", "diff", "grep", "head", "hexdump", "less", "ln", "ls",
    "more", "mv", "nl", "od", "paste", "rg", "sed", "sort", "strings", "tac", "tail", "tee", "uniq", "wc",
    "xxd",
];

impl Line {
    /// A rule of a list, whose text for a shell begins so.
    fn new(list: List, text: String, begin: &str, rule: Result<Rule, String>) -> Line {
        let bars = match (list, &rule) {
            (List::Allow, _) | (_, Ok(_)) => Bars::Nothing,
            (_, Err(_)) => Bars::of(begin),
        };
        Line { text, rule, bars }
    }

    /// A rule of a tool that runs no command. What it forbids to read or change it forbids to `cat` and `sed` as well
    /// (code.claude.com/docs/en/permissions), and no entry of ours can say that.
    fn elsewhere(list: List, text: String, rule: &str) -> Line {
        let files = FILES.iter().any(|tool| rule.split('(').next() == Some(tool));
        let (why, bars) = match (files, list) {
            (true, List::Ask | List::Deny) => {
                ("it is about files, of which an entry knows nothing", Bars::Files)
            }
            _ => ("it is about a tool that runs no command", Bars::Nothing),
        };
        Line { text, rule: Err(why.into()), bars }
    }
}

impl Line {
    /// What may take everything back, and is not followed.
    fn bar(text: String, why: &str) -> Line {
        Line { text, rule: Err(why.to_owned()), bars: Bars::Everything }
    }
}

/// True if a pattern, in which a star stands for anything and a question mark for one character, fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return name.is_empty() };
    let rest = pattern.get(first.len_utf8()..).unwrap_or_default();
    match first {
        '*' => (0..=name.len()).any(|at| name.get(at..).is_some_and(|left| fits(rest, left))),
        _ => name.chars().next().is_some_and(|c| {
            (first == '?' || first == c) && fits(rest, name.get(c.len_utf8()..).unwrap_or_default())
        }),
    }
}

impl Bars {
    fn of(begin: &str) -> Bars {
        let word = begin.split_ascii_whitespace().next().unwrap_or_default();
        let word = word.strip_suffix(":*").unwrap_or(word);
        let named = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-./+".contains(c));
        if named { Bars::Program(word.to_owned()) } else { Bars::Everything }
    }

    /// True if it may have forbidden something that this entry allows.
    fn takes(&self, pattern: &str) -> bool {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match self {
            Bars::Nothing => false,
            Bars::Program(word) => name(word) == name(pattern) || pattern.contains(['*', '?', '[', '{']),
            Bars::Files => {
                HANDLE_FILES.contains(&name(pattern).as_str()) || pattern.contains(['*', '?', '[', '{'])
            }
            Bars::Everything => true,
        }
    }
}

/// Leaves out what a rule that is left out may have taken back.
fn without_barred(lines: &mut [Line]) {
    let bars: Vec<(Bars, String)> = lines.iter().map(|l| (l.bars.clone(), l.text.clone())).collect();
    for line in lines {
        let Ok(Rule { list: List::Allow, pattern, .. }) = &line.rule else { continue };
        if let Some((_, by)) = bars.iter().find(|(b, _)| b.takes(pattern)) {
            line.rule = Err(format!("`{by}` is left out, and may take something of it back"));
        }
    }
}

/// What readers of sources need.
pub struct Reader<'a> {
    s: &'a Surroundings,
    /// The folder that rules of a project's file are bound to.
    project: Option<String>,
}

/// Does it.
///
/// # Errors
/// The source cannot be read, or the document not be changed; then nothing was.
pub fn run(args: &Import) -> Result<Exit, Failure> {
    let s = Surroundings::of_process()?;
    let files = match &args.file {
        Some(file) => vec![file.clone()],
        None => usual(args.from, &s),
    };
    let mut lines = Vec::new();
    for file in &files {
        let broken = |why: String| Failure::usage(format!("{}: {why}", shown(file)));
        let text = settings::foreign(file)
            .map_err(broken)?
            .ok_or_else(|| Failure::not(format!("{}: there is no such file", shown(file))))?;
        // Of a file that the agent would not load, nothing was allowed.
        if matches!(args.from, From::Claude | From::Gemini) {
            reads::loads(&name(args.from), &text).map_err(broken)?;
        }
        let reader = Reader { project: project(args.from, file, &s).map_err(broken)?, s: &s };
        let value = || json::value(&text, true).map_err(broken);
        lines.extend(match args.from {
            From::Claude => claude::read(&value()?, &reader),
            From::Codex => codex::read(&text, &reader),
            From::Gemini => gemini::read(&value()?, &reader),
            From::Opencode => opencode::read(&value()?, &reader),
            From::Openclaw => openclaw::read(&value()?),
        });
    }
    without_barred(&mut lines);
    if lines.is_empty() {
        let names: Vec<String> = files.iter().map(|f| shown(f)).collect();
        return Err(Failure::not(format!("no rules about commands in {}", names.join(", "))));
    }
    carry(args, &lines)
}

/// Where a person's rules are.
fn usual(from: From, s: &Surroundings) -> Vec<PathBuf> {
    match from {
        From::Claude => vec![s.claude.join("settings.json")],
        From::Codex => {
            let entries = std::fs::read_dir(s.codex.join("rules")).into_iter().flatten().flatten();
            let rules = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|x| x == "rules"));
            let mut rules: Vec<PathBuf> = rules.collect();
            rules.sort();
            if rules.is_empty() { vec![s.codex.join("rules/default.rules")] } else { rules }
        }
        From::Gemini => vec![gemini(s).join("settings.json")],
        From::Opencode => {
            let names = ["opencode.json", "opencode.jsonc"].map(|n| s.config.join("opencode").join(n));
            vec![names.iter().find(|n| n.exists()).unwrap_or(&names[0]).clone()]
        }
        From::Openclaw => vec![s.home.join(".openclaw/exec-approvals.json")],
    }
}

/// Where Gemini CLI has a person's settings.
fn gemini(s: &Surroundings) -> PathBuf {
    Spec::named("gemini").map(|spec| spec.folder(s)).unwrap_or_default()
}

/// The folder of the project whose file this is; `None` if it is a person's own.
fn project(from: From, file: &Path, s: &Surroundings) -> Result<Option<String>, String> {
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    let Some(folder) = real(file).and_then(|f| f.parent().map(Path::to_path_buf)) else { return Ok(None) };
    let (own, root) = match from {
        From::Claude => (s.claude.clone(), folder.parent()),
        From::Gemini => (gemini(s), folder.parent()),
        From::Codex => (s.codex.join("rules"), folder.parent().and_then(Path::parent)),
        From::Opencode => (s.config.join("opencode"), Some(folder.as_path())),
        From::Openclaw => return Ok(None),
    };
    if real(&own).as_ref() == Some(&folder) {
        return Ok(None);
    }
    let named = match from {
        From::Claude => folder.ends_with(".claude"),
        From::Gemini => folder.ends_with(".gemini"),
        From::Codex => folder.ends_with(".codex/rules"),
        From::Opencode | From::Openclaw => true,
    };
    // A copy that lies anywhere is somebody's own: it says of no project that it counts only there.
    if !named {
        return Ok(None);
    }
    match root.and_then(Path::to_str) {
        Some(root) if !root.contains(['*', '?', '[', '{', '\\']) => Ok(Some(root.to_owned())),
        _ => Err("its folder cannot be written as a pattern".into()),
    }
}

fn name(from: From) -> String {
    from.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default()
}

fn carry(args: &Import, lines: &[Line]) -> Result<Exit, Failure> {
    let agent = |rule: &Rule| {
        let own = args.agent.clone().or_else(|| rule.agent.clone());
        own.unwrap_or_else(|| name(args.from))
    };
    let note = format!("imported from {}", name(args.from));
    let wanted: Vec<(String, &Rule, Value)> = lines
        .iter()
        .filter_map(|l| l.rule.as_ref().ok())
        .map(|rule| (agent(rule), rule, Value::Object(rule.entry(&note))))
        .collect();
    let mut added = wanted.len();
    if !args.dry_run && !wanted.is_empty() {
        let loaded = crate::approvals::load(&crate::approvals::places())?;
        let target = crate::approvals::target(&loaded)?;
        added = store::edit::edit(&target, |doc| {
            let mut added = 0;
            for (agent, rule, entry) in &wanted {
                added += store::edit::add_to(doc, Some(agent), rule.list, std::slice::from_ref(entry))?;
            }
            Ok(added)
        })
        .map_err(crate::approvals::failure)?;
    }
    let mut page = Page::new();
    let left = lines.len() - wanted.len();
    if args.json {
        page.json(&json!({
            "dryRun": args.dry_run, "added": added,
            "rules": lines.iter().map(|l| match &l.rule {
                Ok(rule) => json!({"rule": l.text, "agent": agent(rule), "list": rule.list.key(), "entry": rule.entry(&note)}),
                Err(why) => json!({"rule": l.text, "leftOut": why}),
            }).collect::<Vec<_>>(),
        }));
    } else {
        for line in lines {
            match &line.rule {
                Ok(rule) => page.line(format!("{:<9} {}  <- {}", rule.list.key(), rule.words(), line.text)),
                Err(why) => page.tinted(Tint::Yellow, format!("left out  {}: {why}", line.text)),
            }
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if !args.json {
        let would = if args.dry_run { "would be " } else { "" };
        let mut agents: Vec<&str> = wanted.iter().map(|(agent, ..)| agent.as_str()).collect();
        agents.sort_unstable();
        agents.dedup();
        let whose = if agents.is_empty() { String::new() } else { format!(", for {}", agents.join(" ")) };
        say::word(format!(
            "{added} entries {would}added ({} were there){whose}, {left} rules left out",
            wanted.len() - added
        ));
    }
    Ok(if wanted.is_empty() { Exit::Not } else { Exit::Done })
}

/// A word of a source for a list of ours.
fn list(word: &str) -> List {
    match word {
        "allow" => List::Allow,
        "ask" => List::Ask,
        _ => List::Deny,
    }
}

/// A rule of a source for people: what it does, and its text.
fn told(list: List, text: &str) -> String {
    let word = match list {
        List::Allow => "allow",
        List::Ask => "ask",
        List::Deny => "deny",
    };
    Shown::text(format!("{word} {text}").as_bytes()).into_string()
}
