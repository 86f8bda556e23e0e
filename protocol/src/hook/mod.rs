//! What agents and their hooks say to each other: a tool call comes in as JSON on standard input, an answer goes out.
//!
//! One file an agent holds how its call is read and its answers are written; this one holds what they share. An
//! answer that an agent does not understand counts as *no opinion* with most of them, and the command runs. So there
//! is a fixed set of answers, each written whole, and whatever cannot be read is [`Input::Broken`], which is denied.
//! A denial is the agent's JSON, the exit code 2 and a line on standard error together: that is the only answer that
//! stops all of them.
mod claude;
mod cline;
mod codex;
mod copilot;
mod crush;
mod cursor;
mod gemini;
mod goose;
mod openclaw;
mod opencode;
mod pi;
mod qwen;

mod handed;
mod names;
mod raw;
mod shape;

#[cfg(test)]
mod servers;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::json::Object;

/// Longest call that is read, bytes. A longer one is denied.
pub const MOST: usize = 4 << 20;

/// Longest reason that is written, bytes: Claude Code cuts what a hook prints at 10,000 characters, and cut JSON is
/// no answer.
const LONGEST_REASON: usize = 2000;

/// Exit code of a denial.
pub const DENIED: u8 = 2;

/// An agent whose hooks are spoken to.
#[derive(Debug)]
pub struct Agent {
    /// Its id, as in `exec-guard hook ID` and in policies.
    pub id: &'static str,
    /// Its name, and the version whose facts this follows.
    pub facts: &'static str,
    /// Milliseconds that an answer may take: less than the agent waits by itself.
    pub budget_ms: u64,
    /// The shell that its commands are run by.
    pub shell: Shell,
    /// True if its own prompt really asks, or denies where nobody can be asked.
    pub asks: bool,
    /// True if it runs the command that an answer puts in place of its own.
    pub rewrites: bool,
    /// Longest answer that may hold a rewriting, bytes.
    pub longest: usize,
    /// What the names of tools begin with that come from elsewhere (MCP); `None` where they have no such mark.
    pub mark: Option<&'static str>,
    /// Of a call, as a tree and as its text.
    read: fn(&Value, &str) -> Input,
    write: fn(&Answer<'_>) -> Option<String>,
}

/// The shell an agent runs its commands by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    /// This file.
    At(&'static str),
    /// `bash`, as PATH has it.
    Bash,
    /// The variable SHELL, if its file is named like one of these; else the first of these in PATH.
    Variable(&'static [&'static str]),
    /// The login shell of the user database.
    Login,
}

/// What came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A call of a tool that runs commands.
    Call(Call),
    /// A call of a tool that is known to run none.
    NotAShell,
    /// A call of a tool that is not known: its name.
    Unknown(String),
    /// It cannot be read or judged: why, one clause.
    Broken(String),
}

/// Commands that an agent wants to run. All of it is foreign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The texts, at least one. All of them run if the answer is yes.
    pub commands: Vec<String>,
    /// The folder they run in, absolute.
    pub cwd: String,
    /// The agent's session.
    pub session: Option<String>,
    /// The id of an agent within the agent, where policies are written for those.
    pub agent: Option<String>,
    /// Variables that are set for them.
    pub env: Vec<(String, String)>,
    /// The tool's whole input as it was written, for an answer that replaces it.
    pub input: String,
    /// What the call says besides, and nothing here can judge: why a person is to look at it, one clause.
    pub odd: Option<String>,
    /// True if they were handed to a tool that is none of the agent's own. Nobody here knows where it runs them, so a
    /// yes is none of ours to give: it is left to the agent's own permission.
    pub foreign: bool,
    /// That tool's name; empty for the agent's own.
    pub tool: String,
}

/// What is to be answered.
#[derive(Clone, Debug)]
pub enum Answer<'a> {
    /// It may run.
    Allow,
    /// It may run as this text instead; with the call's own input.
    Rewrite {
        /// The text.
        command: &'a str,
        /// The input that it replaces a part of, as it was written.
        input: &'a str,
    },
    /// The agent's own prompt is to ask a person.
    Ask(&'a str),
    /// It must not run.
    Deny(&'a str),
    /// It is none of our business.
    Pass,
}

/// An answer as it is written: standard output and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// All of standard output.
    pub stdout: String,
    /// The exit code.
    pub code: u8,
}

/// Every agent.
pub const AGENTS: &[&Agent] = &[
    &claude::AGENT,
    &codex::AGENT,
    &gemini::AGENT,
    &copilot::AGENT,
    &cursor::AGENT,
    &opencode::AGENT,
    &openclaw::AGENT,
    &goose::AGENT,
    &crush::AGENT,
    &qwen::AGENT,
    &cline::AGENT,
    &pi::AGENT,
];

/// Stands in for an agent whose name is not known: its denial is one that any of them understands.
pub static NOBODY: Agent = Agent {
    id: "unknown",
    facts: "",
    budget_ms: 5000,
    shell: Shell::Bash,
    asks: false,
    rewrites: false,
    longest: 0,
    mark: None,
    read: |_, _| Input::Broken("no agent of this name is known".into()),
    write: everyone,
};

impl Agent {
    /// The agent with this id.
    pub fn named(id: &[u8]) -> Option<&'static Agent> {
        AGENTS.iter().copied().find(|a| a.id.as_bytes() == id)
    }

    /// Reads a call. Total: what makes no sense is [`Input::Broken`].
    pub fn read(&self, bytes: &[u8]) -> Input {
        if bytes.len() > MOST {
            return Input::Broken("the call is too long".into());
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Input::Broken("the call is not UTF-8".into());
        };
        // As text: the reader that the rest of the guard has already.
        match serde_json::from_str::<Value>(text) {
            // Which of two would count is the agent's to know.
            Ok(Value::Object(_)) if raw::twice(text) => {
                Input::Broken("a name stands twice in the call".into())
            }
            Ok(value @ Value::Object(_)) => match (self.read)(&value, text) {
                Input::Call(call) => sound(call),
                other => other,
            },
            Ok(_) => Input::Broken("the call is no JSON object".into()),
            Err(_) if bytes.trim_ascii().is_empty() => Input::Broken("no call came on standard input".into()),
            Err(_) => Input::Broken("the call is not JSON".into()),
        }
    }

    /// Writes an answer.
    pub fn answer(&self, answer: &Answer<'_>) -> Output {
        let said = match answer {
            Answer::Deny(why) => (self.write)(&Answer::Deny(&reason(why))),
            // A prompt that does not ask lets it run.
            Answer::Ask(why) if !self.asks => (self.write)(&Answer::Deny(&reason(why))),
            Answer::Ask(why) => (self.write)(&Answer::Ask(&reason(why))),
            // What was judged would not be what runs.
            Answer::Rewrite { command, input } if !self.carries(command, input) => {
                return self.answer(&Answer::Deny("the agent cannot be told to run what was judged"));
            }
            other => (self.write)(other),
        };
        let denied = matches!(answer, Answer::Deny(_)) || (matches!(answer, Answer::Ask(_)) && !self.asks);
        let stdout = said.map(|v| v + "\n").unwrap_or_default();
        Output { stdout, code: if denied { DENIED } else { 0 } }
    }

    /// True if the agent can be told to run this in place of its command: it takes such an answer, and reads it whole.
    pub fn carries(&self, command: &str, input: &str) -> bool {
        let long = |said: String| said.len() >= self.longest;
        self.rewrites && (self.write)(&Answer::Rewrite { command, input }).is_some_and(|said| !long(said))
    }
}

/// Words as a line that every shell of the Bourne family splits into the same words.
pub fn quoted(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    let word = |w: &String| match w.chars().all(plain) && !w.is_empty() {
        true => w.clone(),
        // No quote is ever followed by another inside quotes, which zsh can be told to read as one.
        false => format!("'{}'", w.replace('\'', "'\\''")),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A reason that is never empty, since some agents run a command that is refused without one.
fn reason(why: &str) -> String {
    // What JSON would spell out at length is no part of any reason of ours.
    let why: String = why.trim().chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let why = why.trim();
    if why.is_empty() {
        return "exec-guard: denied".into();
    }
    let cut = (0..=LONGEST_REASON.min(why.len())).rev().find(|i| why.is_char_boundary(*i)).unwrap_or(0);
    let kept = why.get(..cut).unwrap_or_default();
    if kept.len() < why.len() { format!("{kept}…") } else { kept.to_owned() }
}

/// A call that holds what can be judged: texts without NUL, an absolute folder, a session that can be written down.
fn sound(mut call: Call) -> Input {
    let broken = |what: &str| Input::Broken(what.to_owned());
    if call.commands.is_empty() {
        return broken("the call holds no command");
    }
    let nul = |s: &String| s.contains('\0');
    if call.commands.iter().any(nul) || nul(&call.cwd) {
        return broken("a NUL byte in the call");
    }
    if !call.cwd.starts_with('/') {
        return broken("the folder it runs in is not said, or is no absolute path");
    }
    for (name, value) in &call.env {
        if name.is_empty() || name.contains('=') || nul(name) || nul(value) {
            return broken("a variable that can be none");
        }
    }
    // Only written down; what cannot be is left out.
    call.session = call.session.filter(|s| writable(s));
    call.agent = call.agent.filter(|s| writable(s));
    Input::Call(call)
}

fn writable(id: &str) -> bool {
    !id.is_empty() && id.len() <= 256 && !id.chars().any(char::is_control)
}

/// The denial that every agent understands. Nothing else is said to one that is not known.
fn everyone(answer: &Answer<'_>) -> Option<String> {
    let why = match answer {
        Answer::Deny(why) | Answer::Ask(why) => *why,
        Answer::Allow | Answer::Rewrite { .. } | Answer::Pass => "no agent of this name is known",
    };
    let mut out = Object::new().text("permissionDecision", "deny").text("decision", "block");
    out = out.text("permission", "deny").flag("cancel", true);
    for name in ["permissionDecisionReason", "reason", "user_message", "agent_message", "errorMessage"] {
        out = out.text(name, why);
    }
    let specific = shape::specific("deny", why).end();
    Some(out.raw("hookSpecificOutput", &specific).end())
}
