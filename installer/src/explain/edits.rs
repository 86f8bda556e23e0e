//! The edit that would let a command pass from now on, as a line to be pasted.
use policy::document::Entry;
use policy::{Proposal, Scope};
use protocol::Shown;

/// The words of the command that adds an entry for an agent.
pub fn words(entry: &Entry, agent: &str) -> Vec<String> {
    let mut out: Vec<String> =
        ["exec-guardctl", "approvals", "allowlist", "add"].iter().map(|w| (*w).to_owned()).collect();
    out.push(entry.pattern.clone());
    out.extend(["--agent".to_owned(), agent.to_owned()]);
    if let Some(cwd) = &entry.cwd {
        out.extend(["--cwd".to_owned(), cwd.clone()]);
    }
    if let Some(args) = &entry.args {
        out.push("--args".into());
        // A first word that begins with a bracket could be taken for a list; a list is taken for itself.
        match args.first() {
            Some(first) if first.trim_start().starts_with('[') => {
                out.push(serde_json::Value::from(args.clone()).to_string());
            }
            _ => out.extend(args.iter().cloned()),
        }
    }
    out
}

/// The same as one line, quoted for a shell.
pub fn line(entry: &Entry, agent: &str) -> String {
    Shown::argv(&words(entry, agent)).into_string()
}

/// How far a proposal reaches, in words.
pub fn reach(proposal: &Proposal) -> &'static str {
    match proposal.scope {
        Scope::Arguments => "exactly these arguments",
        Scope::Subcommand => "this sub-command, whatever follows",
        Scope::Program => "this program, whatever the arguments",
    }
}

/// The same for programs.
pub fn scope(proposal: &Proposal) -> &'static str {
    match proposal.scope {
        Scope::Arguments => "arguments",
        Scope::Subcommand => "subcommand",
        Scope::Program => "program",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Allowlist, Approvals, Cli, Command};
    use clap::Parser;

    /// What is pasted adds the entry that was meant.
    #[test]
    fn a_pasted_line_means_the_entry() {
        for args in [
            None,
            Some(vec![]),
            Some(vec!["status", "..."]),
            Some(vec!["--agent", "b", "--help", "--"]),
            Some(vec!["[*]x", "a b", "it's", "$HOME", ""]),
            Some(vec![r#"["a"]"#]),
            Some(vec!["-c", "[[]"]),
        ] {
            let args = args.map(|a: Vec<&str>| a.into_iter().map(str::to_owned).collect::<Vec<_>>());
            let entry = Entry { pattern: "/opt/my tools/x'y".into(), args: args.clone(), ..Entry::default() };
            let line = line(&entry, "claude");
            let out = std::process::Command::new("sh")
                .args(["-c", &format!("set -- {line}; for w; do printf '%s\\0' \"$w\"; done")])
                .output()
                .unwrap();
            let read: Vec<String> =
                String::from_utf8(out.stdout).unwrap().split_terminator('\0').map(str::to_owned).collect();
            assert_eq!(read, words(&entry, "claude"), "{line}");
            let cli = Cli::try_parse_from(&read).unwrap();
            let Command::Approvals(Approvals::Allowlist(Allowlist::Add(add))) = cli.command else { panic!() };
            assert_eq!((add.pattern, add.agent), (entry.pattern, "claude".to_owned()));
            let read = add.args.map(|w| crate::approvals::globs(&w).unwrap());
            assert_eq!(read, args, "{line}");
        }
    }
}
