//! Marks by which a calling agent is known (until the policy's own table takes over).

/// Variable, value it must have (empty = any), agent.
const ENVIRONMENT: &[(&[u8], &[u8], &str)] = &[
    (b"CLAUDECODE", b"", "claude"),
    (b"CODEX_THREAD_ID", b"", "codex"),
    (b"CODEX_SANDBOX", b"", "codex"),
    (b"GEMINI_CLI", b"", "gemini"),
    (b"COPILOT_CLI", b"", "copilot"),
    (b"CURSOR_AGENT", b"", "cursor"),
    (b"OPENCODE", b"", "opencode"),
    (b"OPENCLAW_CLI", b"", "openclaw"),
    (b"QWEN_CODE", b"", "qwen"),
    (b"CRUSH", b"", "crush"),
    (b"GOOSE_TERMINAL", b"", "goose"),
];

/// Program names.
const PROGRAMS: &[(&[u8], &str)] = &[
    (b"claude", "claude"),
    (b"codex", "codex"),
    (b"gemini", "gemini"),
    (b"copilot", "copilot"),
    (b"cursor-agent", "cursor"),
    (b"opencode", "opencode"),
    (b"openclaw", "openclaw"),
    (b"qwen", "qwen"),
    (b"crush", "crush"),
    (b"goose", "goose"),
];

/// Interpreters whose own name says nothing: their script's does.
const INTERPRETERS: &[&[u8]] = &[b"node", b"MainThread", b"bun", b"deno", b"python", b"python3"];

/// The agent whose mark an environment bears.
pub fn of_environment<'a>(entries: impl Iterator<Item = &'a [u8]>) -> Option<&'static str> {
    let mut entries = entries;
    entries.find_map(|e| {
        let at = e.iter().position(|b| *b == b'=')?;
        let (name, value) = (e.get(..at)?, e.get(at + 1..)?);
        ENVIRONMENT
            .iter()
            .find(|(n, v, _)| *n == name && !value.is_empty() && (v.is_empty() || *v == value))
            .map(|(_, _, agent)| *agent)
    })
}

/// The agent that a program is, by its name or, for an interpreter, by its script's.
pub fn of_program(comm: &[u8], argv: impl Fn() -> Vec<Vec<u8>>) -> Option<&'static str> {
    let of = |name: &[u8]| PROGRAMS.iter().find(|(n, _)| *n == name).map(|(_, agent)| *agent);
    of(comm).or_else(|| {
        if !INTERPRETERS.contains(&comm) {
            return None;
        }
        argv().iter().skip(1).find(|a| !a.starts_with(b"-")).and_then(|script| {
            let name = script.rsplit(|b| *b == b'/').next()?;
            of(name.split(|b| *b == b'.').next()?)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        let env: [&[u8]; 3] = [b"A=b", b"CLAUDECODE=", b"GEMINI_CLI=1"];
        assert_eq!(of_environment(env.into_iter()), Some("gemini"));
        assert_eq!(of_environment([b"XCLAUDECODE=1".as_slice()].into_iter()), None);
        assert_eq!(of_program(b"claude", Vec::new), Some("claude"));
        let node = || vec![b"node".to_vec(), b"--x".to_vec(), b"/usr/lib/gemini.js".to_vec()];
        assert_eq!(of_program(b"node", node), Some("gemini"));
        assert_eq!(of_program(b"bash", node), None);
    }
}
