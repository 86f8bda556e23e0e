//! What is judged for an agent, and what is put in place of its command, so that what was judged is what runs.
use policy::document::Confinement;
use policy::{Evaluation, Form, Reason, SatisfiedBy, World};
use protocol::hook::{Agent, Call, Shell, quoted};
use store::caller::NoTerminal;

use crate::guard::Given;

/// A command as it is judged.
pub struct Judged {
    /// What is given to the evaluator: what will be run.
    pub form: Form,
    /// The command as the agent would run it by itself.
    pub text: Form,
    /// The text that runs exactly that, if the agent takes one.
    pub rewritten: Option<String>,
    /// Why there is none, where the agent would take one and the policy wants it so.
    pub unwritten: Option<&'static str>,
}

impl Judged {
    /// The form for an agent whose shell is known, or `None` for the policy's.
    pub fn of(agent: &Agent, given: &Given, call: &Call, text: &str, shell: Option<Vec<u8>>) -> Judged {
        let as_text = Form::Text { text: text.into(), shell: shell.clone(), args: Vec::new() };
        let plain = |as_text: Form, why| Judged {
            form: as_text.clone(),
            text: as_text,
            rewritten: None,
            unwritten: why,
        };
        if !given.settings.hook_rewrite || !agent.rewrites || call.foreign {
            return plain(as_text, None);
        }
        let own = sys::environ::myself().path.and_then(|p| String::from_utf8(p).ok());
        let (true, Some(own)) = (call.commands.len() == 1, own) else {
            return plain(as_text, Some("the guard cannot be put in front of the command"));
        };
        let mut words = vec![own.to_owned()];
        // Its marks tell who it is; the rewritten command that names an agent would be refused by a link or shim.
        if !matches!(given.caller.terminal, Err(NoTerminal::Marked(_))) {
            words.extend(["--agent".to_owned(), given.caller.agents.first().cloned().unwrap_or_default()]);
        }
        if let Some(session) = &given.caller.session {
            words.extend(["--session".to_owned(), session.clone()]);
        }
        let form = match shell.as_deref().map(std::str::from_utf8) {
            Some(Ok(shell)) => {
                let mut argv = vec![shell.to_owned(), "-c".to_owned()];
                if text.starts_with(['-', '+']) {
                    // Else the shell would take the text for an option.
                    argv.push("--".to_owned());
                }
                argv.push(text.to_owned());
                words.push("--".to_owned());
                words.extend(argv.iter().cloned());
                Form::Program { argv: argv.into_iter().map(String::into_bytes).collect(), by_link: false }
            }
            Some(Err(_)) => return plain(as_text, Some("the shell's path is not UTF-8")),
            None => {
                words.extend(["-c".to_owned(), text.to_owned()]);
                as_text.clone()
            }
        };
        let line = quoted(&words);
        match agent.carries(&line, &call.input) {
            true => Judged { form, text: as_text, rewritten: Some(line), unwritten: None },
            false => plain(as_text, Some("the command is longer than the agent reads from a hook: split it")),
        }
    }

    /// Why an allow is none where the agent runs the text by itself: it rests on what the guard would see to.
    pub fn unfit(&self, eval: &Evaluation) -> Option<(Reason, &'static str)> {
        if self.rewritten.is_some() {
            return None;
        }
        if eval.executes().is_some_and(|plan| plan.path.is_some()) {
            return Some((
                Reason::Environment,
                "PATH has relative or empty entries, which the agent's shell would search",
            ));
        }
        let safe_bin = eval.segments.iter().any(|s| s.satisfied_by == Some(SatisfiedBy::SafeBin));
        if safe_bin && eval.effective.safe_bin_confinement == Confinement::Require {
            return Some((
                Reason::SafeBin,
                "safe bins are to be confined, and the agent runs this one by itself",
            ));
        }
        None
    }
}

/// Folders in which a shell is looked for where no variable names one.
const FOLDERS: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// The shell that the agent will run the text by, as a path or a name; `None` for the policy's own.
pub fn shell(agent: &Agent, given: &Given) -> Option<Vec<u8>> {
    let env = &given.inv.env;
    match agent.shell {
        Shell::At(path) => Some(path.into()),
        Shell::Bash => Some(b"bash".to_vec()),
        Shell::Variable(names) => {
            let first = (agent.id == "claude").then(|| sys::environ::value(env, b"CLAUDE_CODE_SHELL"));
            let named = first.flatten().or_else(|| sys::environ::value(env, b"SHELL"));
            let named = named.filter(|s| s.first() == Some(&b'/') && names.iter().any(|n| ends(s, n)));
            named.map(|path| real(given, path)).or_else(|| found(given, names))
        }
        Shell::Login => {
            let known = sys::ids::user(sys::ids::uid()).ok().flatten().map(|u| u.shell);
            // One of another kind is not used by the agent either.
            let known = known
                .filter(|s| s.first() == Some(&b'/') && ["bash", "zsh", "sh"].iter().any(|n| ends(s, n)));
            Some(known.map_or_else(|| b"/bin/sh".to_vec(), |path| real(given, &path)))
        }
    }
}

fn ends(path: &[u8], name: &str) -> bool {
    path.rsplit(|b| *b == b'/').next() == Some(name.as_bytes())
}

/// The path, unless it is a link to the guard: then its name, which PATH has beyond the guard's links.
fn real(given: &Given, path: &[u8]) -> Vec<u8> {
    if given.host.info(path).is_some_and(|i| given.host.is_guard(&i.id)) {
        return path.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    }
    path.to_vec()
}

fn found(given: &Given, names: &[&str]) -> Option<Vec<u8>> {
    let at = |name: &&str| {
        FOLDERS
            .iter()
            .map(|dir| format!("{dir}/{name}").into_bytes())
            .find(|path| given.host.info(path).is_some_and(|i| i.executable))
    };
    names.iter().find_map(at)
}
