//! Signs by which a calling agent is known: variables that agents set for the commands they start, and their own
//! programs. A mark can be forged and left out; it only ever adds an agent to judge under, and takes the terminal's
//! word away.

/// A variable.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What its value begins with; empty = any value but the empty one.
    pub value: &'static str,
    /// The agent it stands for.
    pub agent: &'static str,
    /// Where that was seen.
    pub source: &'static str,
}

const fn var(name: &'static str, value: &'static str, agent: &'static str, source: &'static str) -> Variable {
    Variable { name, value, agent, source }
}

/// Variables that agents set.
pub const VARIABLES: &[Variable] = &[
    var("CLAUDECODE", "", "claude", "seen in commands of Claude Code 2.1.197 and 2.1.332"),
    var("CLAUDE_CODE_ENTRYPOINT", "", "claude", "seen in commands and hooks of Claude Code"),
    var("AI_AGENT", "claude-code", "claude", "seen in commands and hooks of Claude Code"),
    var("AI_AGENT", "crush", "crush", "Crush's documentation of hooks"),
    var("CODEX_THREAD_ID", "", "codex", "Codex's documentation"),
    var("CODEX_SANDBOX", "", "codex", "Codex's documentation: set inside its sandbox"),
    var("CODEX_MANAGED_BY_NPM", "", "codex", "seen in commands and hooks of Codex"),
    var("CODEX_MANAGED_PACKAGE_ROOT", "", "codex", "seen in commands and hooks of Codex"),
    var("GEMINI_CLI", "", "gemini", "seen in commands of Gemini CLI"),
    var("COPILOT_CLI", "", "copilot", "Copilot CLI's documentation"),
    var("COPILOT_CLI_BINARY_VERSION", "", "copilot", "seen in commands and hooks of Copilot CLI 1.0.102"),
    var("CURSOR_AGENT", "", "cursor", "Cursor's documentation"),
    var("OPENCODE", "", "opencode", "seen in commands of OpenCode"),
    var("OPENCLAW_CLI", "", "openclaw", "seen in commands of OpenClaw"),
    var("OPENCLAW_SHELL", "", "openclaw", "seen in commands of OpenClaw"),
    var("QWEN_CODE", "", "qwen", "seen in commands of Qwen Code"),
    var("CLINE_CONNECTOR_CLI_LAUNCH", "", "cline", "seen in commands and hooks of Cline"),
    var("PI_CODING_AGENT", "", "pi", "seen in commands and hooks of pi"),
    var("CRUSH", "", "crush", "Crush's documentation of hooks"),
    var("GOOSE_TERMINAL", "", "goose", "Goose's documentation"),
];

/// Names of agents' programs, and the agents.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("copilot", "copilot"),
    ("cursor-agent", "cursor"),
    ("opencode", "opencode"),
    ("openclaw", "openclaw"),
    ("openclaw-agent", "openclaw"),
    ("qwen", "qwen"),
    ("cline", "cline"),
    ("crush", "crush"),
    ("goose", "goose"),
    ("aider", "aider"),
    ("amp", "amp"),
];

/// Interpreters whose own name says nothing: their script's does. (Node.js calls its threads so.)
const INTERPRETERS: &[&str] = &["node", "MainThread", "bun", "deno", "python", "python3"];

/// Pieces of paths in which an agent's package lies, where the script's name says nothing (`cli.js`).
const PACKAGES: &[(&str, &str)] = &[
    ("/@anthropic-ai/claude-code/", "claude"),
    ("/@openai/codex", "codex"),
    ("/@google/gemini-cli", "gemini"),
    ("/@github/copilot", "copilot"),
    ("/@qwen-code/", "qwen"),
    ("/node_modules/openclaw/", "openclaw"),
];

/// The built-in signs with those of `marks` in config.json.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    variables: Vec<(String, Option<String>, String)>,
    programs: Vec<(String, String)>,
}

impl Marks {
    /// Further variables (`NAME` or `NAME=VALUE`, agent) and program names (name, agent).
    pub fn with(variables: &[(String, String)], programs: &[(String, String)]) -> Marks {
        let variables = variables.iter().map(|(spec, agent)| match spec.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned()), agent.clone()),
            None => (spec.clone(), None, agent.clone()),
        });
        Marks { variables: variables.collect(), programs: programs.to_vec() }
    }

    /// The agents whose marks an environment (entries `NAME=value`) bears, each once.
    pub fn of_environment<'e>(&self, entries: impl Iterator<Item = &'e [u8]>) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        for entry in entries {
            // Of the hundreds of variables of the processes above nearly all are told apart by their first byte.
            if self.variables.is_empty() && !begins_a_mark(entry) {
                continue;
            }
            let Some((name, value)) = split(entry) else { continue };
            let own = VARIABLES
                .iter()
                .filter(|v| {
                    v.name.as_bytes() == name && !value.is_empty() && value.starts_with(v.value.as_bytes())
                })
                .map(|v| v.agent);
            let further = self
                .variables
                .iter()
                .filter(|(n, v, _)| {
                    n.as_bytes() == name && v.as_ref().map_or(!value.is_empty(), |v| v.as_bytes() == value)
                })
                .map(|(_, _, agent)| agent.as_str());
            for agent in own.chain(further) {
                if !out.iter().any(|a| a == agent) {
                    out.push(agent.to_owned());
                }
            }
        }
        out
    }

    /// The agent that a program is, by its name (as the kernel has it) or, for an interpreter, by its script's.
    pub fn of_program(&self, name: &[u8], argv: impl Fn() -> Vec<Vec<u8>>) -> Option<String> {
        if let Some(agent) = self.named(name) {
            return Some(agent.to_owned());
        }
        if !INTERPRETERS.iter().any(|i| i.as_bytes() == name) {
            return None;
        }
        let argv = argv();
        let script = argv.iter().skip(1).find(|a| !a.starts_with(b"-"))?;
        let last = script.rsplit(|b| *b == b'/').next()?;
        let stem = last.split(|b| *b == b'.').next()?;
        let package = || {
            let path = String::from_utf8_lossy(script);
            PACKAGES.iter().find(|(piece, _)| path.contains(piece)).map(|(_, agent)| *agent)
        };
        self.named(stem).or_else(package).map(str::to_owned)
    }

    fn named(&self, name: &[u8]) -> Option<&str> {
        let own = PROGRAMS.iter().find(|(n, _)| n.as_bytes() == name).map(|(_, agent)| *agent);
        own.or_else(|| {
            self.programs.iter().find(|(n, _)| n.as_bytes() == name).map(|(_, agent)| agent.as_str())
        })
    }
}

/// The first bytes of the built-in variables, a bit each.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
const FIRST: u128 = {
    let (mut bits, mut i) = (0, 0);
    while i < VARIABLES.len() {
        bits |= 1 << VARIABLES[i].name.as_bytes()[0];
        i += 1;
    }
    bits
};

fn begins_a_mark(entry: &[u8]) -> bool {
    entry.first().is_some_and(|b| b.is_ascii() && FIRST >> *b & 1 != 0)
}

fn split(entry: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = entry.iter().position(|b| *b == b'=')?;
    Some((entry.get(..at)?, entry.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(marks: &Marks, entries: &[&str]) -> Vec<String> {
        marks.of_environment(entries.iter().map(|e| e.as_bytes()))
    }

    #[test]
    fn variables() {
        let none = Marks::default();
        assert_eq!(of(&none, &["A=b", "CLAUDECODE=", "GEMINI_CLI=1"]), ["gemini"]);
        assert_eq!(of(&none, &["CLAUDECODE=1", "AI_AGENT=claude-code_2-1-332_agent"]), ["claude"]);
        assert_eq!(of(&none, &["CLAUDECODE=1", "CODEX_THREAD_ID=x"]), ["claude", "codex"]);
        assert!(of(&none, &["XCLAUDECODE=1", "CLAUDECODE", "AI_AGENT=other"]).is_empty());
        let own = Marks::with(&[("MINE".into(), "a".into()), ("AGENT=x".into(), "b".into())], &[]);
        assert_eq!(of(&own, &["MINE=1", "AGENT=x"]), ["a", "b"]);
        assert!(of(&own, &["MINE=", "AGENT=xy"]).is_empty());
    }

    #[test]
    fn programs() {
        let marks = Marks::with(&[], &[("mybot".into(), "bot".into())]);
        let node = |script: &'static str| {
            move || vec![b"node".to_vec(), b"--x".to_vec(), script.as_bytes().to_vec(), b"claude".to_vec()]
        };
        let of = |name: &str, script| marks.of_program(name.as_bytes(), node(script));
        assert_eq!(of("claude", "").as_deref(), Some("claude"));
        assert_eq!(of("mybot", "").as_deref(), Some("bot"));
        assert_eq!(of("node", "/usr/lib/gemini.js").as_deref(), Some("gemini"));
        assert_eq!(of("node", "/x/node_modules/@qwen-code/qwen-code/cli.js").as_deref(), Some("qwen"));
        assert_eq!(of("MainThread", "/x/bin/codex").as_deref(), Some("codex"));
        assert_eq!(of("node", "/x/app.js"), None);
        assert_eq!(of("bash", "/usr/lib/gemini.js"), None);
    }
}
