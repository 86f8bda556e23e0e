//! Who calls: under which agents to judge, and whether a person can be asked at this terminal.
use policy::document::{Settings, Tty};
use policy::tables::marks::Marks;
use sys::tty::Terminal;

/// Who calls, as far as can be told.
#[derive(Debug)]
pub struct Caller {
    /// The agents to judge under: one, or several where claim and marks differ. The strictest wins.
    pub agents: Vec<String>,
    /// `--session`, else `EXEC_GUARD_SESSION`.
    pub session: Option<String>,
    /// The terminal a person could be asked at, or why nobody can.
    pub terminal: Result<Terminal, NoTerminal>,
}

/// Why nobody can be asked at the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTerminal {
    /// The session bears an agent's mark: what owns the terminal could type the answer.
    Marked(String),
    /// A process above could not be looked at, which counts as marked.
    Unreadable,
    /// There is no controlling terminal.
    None,
    /// Somebody else is in its foreground.
    Background,
    /// `tools.exec.tty` is `never`.
    Off,
}

impl NoTerminal {
    /// One clause for the denial.
    pub fn why(&self) -> String {
        match self {
            NoTerminal::Marked(agent) => format!("this is a session of the agent `{agent}`"),
            NoTerminal::Unreadable => {
                "a process above this one cannot be looked at: it is gone, or another user's, as after su"
                    .into()
            }
            NoTerminal::None => "no terminal".into(),
            NoTerminal::Background => "not in the terminal's foreground".into(),
            NoTerminal::Off => "tools.exec.tty is never".into(),
        }
    }
}

/// A claimed id that cannot be one.
#[derive(Debug)]
pub struct BadId(pub &'static str);

/// Finds out who calls. `env` is our own environment, `agent` and `session` what the command line claims;
/// `known` are the signs by which agents are known, `tty` whether the terminal may be asked.
///
/// # Errors
/// [`BadId`] if a variable claims an id that can be none.
pub fn caller(
    agent: Option<String>,
    session: Option<String>,
    env: &[Vec<u8>],
    known: &Marks,
    tty: Tty,
) -> Result<Caller, BadId> {
    let claimed = claim(agent, env, "EXEC_GUARD_AGENT")?;
    let session = claim(session, env, "EXEC_GUARD_SESSION")?;
    let seen = marks(env, known);
    let terminal = match (seen.agents.first(), seen.complete) {
        (Some(agent), _) => Err(NoTerminal::Marked(agent.clone())),
        (None, false) => Err(NoTerminal::Unreadable),
        (None, true) if tty == Tty::Never => Err(NoTerminal::Off),
        (None, true) => terminal(),
    };
    Ok(Caller { agents: agents(claimed, seen), session, terminal })
}

/// An id or key that can be written into a document, a log line and a question.
pub fn id(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!text.is_empty() && text.len() <= 256 && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// The signs by which agents are known under these settings.
pub fn signs(settings: &Settings) -> Marks {
    Marks::with(&settings.mark_env, &settings.mark_programs)
}

fn claim(flag: Option<String>, env: &[Vec<u8>], name: &'static str) -> Result<Option<String>, BadId> {
    match (flag, sys::environ::value(env, name.as_bytes())) {
        (Some(flag), _) => Ok(Some(flag)),
        // Set to nothing is not set.
        (None, None | Some(b"")) => Ok(None),
        (None, Some(value)) => id(value).map(Some).ok_or(BadId(name)),
    }
}

/// The marks found, in order, each once.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    agents: Vec<String>,
    complete: bool,
}

/// Looks for marks in our own environment and in those, and the names, of the processes above. Ours alone would
/// not do: the caller sets it.
fn marks(env: &[Vec<u8>], known: &Marks) -> Seen {
    let mut seen = Seen::default();
    let mut note = |agent: String| {
        if !seen.agents.contains(&agent) {
            seen.agents.push(agent);
        }
    };
    known.of_environment(env.iter().map(Vec::as_slice)).into_iter().for_each(&mut note);
    let mut above = sys::proc::ancestors();
    for ancestor in above.by_ref() {
        known.of_environment(ancestor.entries()).into_iter().for_each(&mut note);
        known.of_program(&ancestor.comm, || ancestor.argv()).into_iter().for_each(&mut note);
    }
    seen.complete = above.complete();
    seen
}

/// One agent where claim and marks agree; all of them where they do not.
fn agents(claimed: Option<String>, seen: Seen) -> Vec<String> {
    let main = || "main".to_owned();
    match claimed {
        None if seen.agents.is_empty() => vec![main()],
        None => seen.agents,
        Some(claim) => {
            let mut agents = vec![claim];
            agents.extend(seen.agents.into_iter().filter(|m| agents.first() != Some(m)).collect::<Vec<_>>());
            if !seen.complete && agents.len() == 1 {
                // What could not be seen may have been a mark of another: whose is not known.
                agents.extend(Some(main()).filter(|m| agents.first() != Some(m)));
            }
            agents
        }
    }
}

fn terminal() -> Result<Terminal, NoTerminal> {
    let terminal = Terminal::open().map_err(|_| NoTerminal::None)?;
    if terminal.is_foreground() { Ok(terminal) } else { Err(NoTerminal::Background) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_and_marks() {
        type Case = (Option<&'static str>, &'static [&'static str], bool, &'static [&'static str]);
        let cases: &[Case] = &[
            (None, &[], true, &["main"]),
            (None, &[], false, &["main"]),
            (None, &["claude"], true, &["claude"]),
            (None, &["claude", "codex"], true, &["claude", "codex"]),
            (Some("claude"), &["claude"], true, &["claude"]),
            (Some("x"), &["claude"], true, &["x", "claude"]),
            (Some("x"), &[], true, &["x"]),
            (Some("x"), &[], false, &["x", "main"]),
            (Some("main"), &[], false, &["main"]),
            (Some("claude"), &["claude", "codex"], false, &["claude", "codex"]),
        ];
        for (claim, marks, complete, want) in cases {
            let seen = Seen { agents: marks.iter().map(|m| (*m).to_owned()).collect(), complete: *complete };
            assert_eq!(agents(claim.map(Into::into), seen), *want, "{claim:?} {marks:?} {complete}");
        }
    }

    #[test]
    fn a_claim_that_can_be_none_is_an_error() {
        let env = |v: &[u8]| vec![[b"EXEC_GUARD_AGENT=".as_slice(), v].concat()];
        assert_eq!(claim(None, &env(b"a"), "EXEC_GUARD_AGENT").unwrap().as_deref(), Some("a"));
        assert_eq!(claim(Some("f".into()), &env(b"a"), "EXEC_GUARD_AGENT").unwrap().as_deref(), Some("f"));
        assert_eq!(claim(None, &env(b""), "EXEC_GUARD_AGENT").unwrap(), None);
        assert!(claim(None, &env(b"a\nb"), "EXEC_GUARD_AGENT").is_err());
        assert!(claim(None, &env(b"\xff"), "EXEC_GUARD_AGENT").is_err());
    }
}
