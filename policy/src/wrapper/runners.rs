//! Runners of packages with a grammar of their own.
use super::walk::Cx;
use super::{DYNAMIC, Inner, Peel, ShellUse, UNKNOWN};
use crate::arg::Arg;
use crate::tables::interpreters::INTERPRETERS;
use crate::tables::shells::SHELLS;
use crate::tables::wrappers::{IMPLICIT, NOT_IMPLICIT};

/// `uv run`: a command, or a script that python runs.
pub(super) fn uv_run(cx: &Cx) -> Result<Peel, Peel> {
    let mut w = cx.walk()?;
    let Some(first) = cx.args.get(w.next) else { return Ok(Peel::Empty) };
    let rest = cx.args.get(w.next..).unwrap_or_default().to_vec();
    let range = w.next..cx.args.len();
    let (module, script) = (w.has(&["m", "module"]), w.has(&["s", "script"]));
    let file = first.literal().is_some_and(|b| {
        b.ends_with(b".py") || b.ends_with(b".pyw") || b.starts_with(b"http://") || b.starts_with(b"https://")
    });
    if first.literal() == Some(b"-") {
        w.carried.inner.push(Inner::Stdin);
    } else if module || script || file {
        let mut words = vec![Arg::lit("python")];
        words.extend(module.then(|| Arg::lit("-m")));
        words.extend(rest);
        w.carried.inner.push(Inner::Argv { words, range });
    } else {
        w.carried.inner.push(Inner::Argv { words: rest, range });
    }
    Ok(Peel::Carries(w.carried))
}

/// True if a package manager would find a program of that name in PATH rather than a script of the project.
fn is_program(word: &[u8], sub_commands: bool) -> bool {
    let any = |list: &[&str]| list.iter().any(|n| n.as_bytes() == word);
    if sub_commands && NOT_IMPLICIT.has(word) {
        return false;
    }
    word.contains(&b'/')
        || IMPLICIT.has(word)
        || SHELLS.iter().any(|s| s.name.as_bytes() == word)
        || INTERPRETERS.iter().any(|i| i.language && any(i.names))
        || matches!(word, b"python3" | b"python2")
}

/// `pnpm WORD`, `bun run WORD`: a script of the project if there is one, else a program of PATH. Only words
/// that are plainly programs are taken for such.
pub(super) fn implicit(cx: &Cx) -> Result<Peel, Peel> {
    let sub_commands = cx.from == 0
        || cx.args.get(cx.from - 1).is_none_or(|a| !matches!(a.literal(), Some(b"run" | b"run-script")));
    match cx.walk() {
        Ok(mut w) => match cx.args.get(w.next) {
            None => Ok(Peel::No),
            Some(Arg::Literal(b)) if b == b"-" => Ok(cx.carries(vec![Inner::Stdin])),
            Some(Arg::Literal(b)) if is_program(b, sub_commands) => {
                w.carried.inner.extend(cx.argv(w.next));
                Ok(Peel::Carries(w.carried))
            }
            Some(Arg::Literal(_)) => Ok(Peel::No),
            Some(_) => Err(cx.refuse(DYNAMIC, w.next)),
        },
        Err(Peel::Refused { why, at: Some(at), .. }) if why == UNKNOWN => {
            let rest = cx.args.get(at + 1..).unwrap_or_default();
            let hidden = rest.iter().any(|a| a.literal().is_none_or(|b| is_program(b, sub_commands)));
            if hidden { Err(cx.refuse(UNKNOWN, at)) } else { Ok(Peel::No) }
        }
        Err(peel) => Err(peel),
    }
}

/// `npm init NAME`, `pnpm create NAME`: fetches the package `create-NAME` and runs it.
pub(super) fn fetched(cx: &Cx) -> Result<Peel, Peel> {
    let operand = cx.args.get(cx.from..).unwrap_or_default().iter().position(|a| match a.literal() {
        Some(b) => !b.starts_with(b"-"),
        None => true,
    });
    match operand {
        Some(i) => {
            Err(cx.refuse("a package is fetched and run whose program is not named here", cx.from + i))
        }
        None => Ok(Peel::No),
    }
}

/// nix-shell: a text for its own bash; without one an interactive shell.
pub(super) fn nix_shell(cx: &Cx) -> Peel {
    if cx.only_query() {
        return Peel::Empty;
    }
    for at in cx.from..cx.args.len() {
        match cx.literal(at) {
            None => return cx.refuse(DYNAMIC, at),
            Some(b"-i") => return cx.refuse("nix-shell -i names an interpreter of its own", at),
            Some(b"--run" | b"--command") => {
                let Some(text) = cx.args.get(at + 1) else { return cx.refuse("no text", at) };
                return cx.carries(vec![Inner::Text {
                    text: text.literal().map(<[u8]>::to_vec),
                    at: at + 1,
                    shell: ShellUse { name: b"bash".to_vec(), startup: true, keep: Vec::new() },
                    positional: at + 2..at + 2,
                }]);
            }
            Some(_) => {}
        }
    }
    cx.carries(vec![Inner::Stdin])
}
