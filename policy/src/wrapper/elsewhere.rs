//! Programs whose command runs elsewhere or later: ssh, at, crontab, tmux, screen, debuggers.
use super::walk::Cx;
use super::{DYNAMIC, Inner, Peel};
use crate::arg::Arg;
use crate::tables::words::{WordList, words};

/// ssh: options, the host, options again, the command.
pub(super) fn ssh(cx: &Cx) -> Result<Peel, Peel> {
    let w = cx.walk()?;
    if w.next >= cx.args.len() {
        return Ok(cx.nothing());
    }
    let after = cx.at(w.next + 1);
    let v = after.walk()?;
    Ok(cx.carries(cx.argv(v.next).into_iter().collect()))
}

/// at and batch: a text on standard input; listing and removing jobs run nothing.
pub(super) fn at(cx: &Cx) -> Peel {
    match cx.literal(cx.from) {
        Some(b"-l" | b"-r" | b"-d" | b"-c" | b"-V" | b"-b") => Peel::No,
        _ if cx.args.iter().any(|a| a.literal() == Some(b"-f")) => cx.carries(Vec::new()),
        _ => cx.carries(vec![Inner::Stdin]),
    }
}

/// crontab: `-l` and `-r` run nothing, `-e` starts an editor, a file or standard input is installed.
pub(super) fn crontab(cx: &Cx) -> Peel {
    let mut at = cx.from;
    let mut file = None;
    while let Some(word) = cx.args.get(at) {
        match word.literal() {
            None => return cx.refuse(DYNAMIC, at),
            Some(b"-l" | b"-r" | b"-V" | b"--help" | b"--version") => return Peel::No,
            Some(b"-e") => return cx.refuse("crontab -e starts an editor", at),
            Some(b"-u" | b"-T" | b"-n" | b"-c") => at += 1,
            Some(b"-") => file = None,
            Some(w) if w.starts_with(b"-") => {}
            Some(w) => file = Some(w),
        }
        at += 1;
    }
    cx.carries(if file.is_some() { Vec::new() } else { vec![Inner::Stdin] })
}

/// Sub-commands of tmux that only look, close or move about. tmux takes beginnings of names, so the list says
/// what is harmless. Source: tmux(1).
const TMUX: WordList = words![
    "ls",
    "list-sessions",
    "lsw",
    "list-windows",
    "lsp",
    "list-panes",
    "lsc",
    "list-clients",
    "lsk",
    "list-keys",
    "lscm",
    "list-commands",
    "list-buffers",
    "lsb",
    "has",
    "has-session",
    "capture-pane",
    "capturep",
    "show-options",
    "show",
    "show-environment",
    "showenv",
    "show-buffer",
    "showb",
    "show-messages",
    "showmsgs",
    "kill-session",
    "kill-pane",
    "killp",
    "kill-window",
    "killw",
    "kill-server",
    "select-pane",
    "selectp",
    "select-window",
    "selectw",
    "attach",
    "attach-session",
    "a",
    "detach",
    "detach-client",
    "switch-client",
    "switchc",
    "display-message",
    "display",
    "rename-session",
    "rename",
    "rename-window",
    "renamew",
    "resize-pane",
    "resizep",
    "wait-for",
    "info",
    "server-info",
    "start-server",
    "last-pane",
    "lastp",
    "next",
    "next-window",
    "prev",
    "previous-window",
];

/// tmux: whatever is not plainly harmless runs something in a window.
pub(super) fn tmux(cx: &Cx) -> Peel {
    let mut at = cx.from;
    while let Some(word) = cx.args.get(at) {
        match word.literal() {
            Some(b"-V" | b"-h") if cx.args.len() == at + 1 => return Peel::Empty,
            Some(b"-L" | b"-S") => at += 2,
            // -f reads commands from a file, -c is a text.
            Some(b"-2" | b"-u" | b"-C" | b"-CC" | b"-q" | b"-v") => at += 1,
            Some(name) if TMUX.has(name) => {
                // `;` begins another command, `#(…)` in a format runs a text.
                let rest = cx.args.get(at + 1..).unwrap_or_default();
                let more = rest.iter().any(|a| match a.literal() {
                    Some(b) => b.ends_with(b";") || b.windows(2).any(|w| w == b"#("),
                    None => true,
                });
                return if more { cx.carries(Vec::new()) } else { Peel::No };
            }
            _ => return cx.carries(Vec::new()),
        }
    }
    cx.carries(vec![Inner::Stdin])
}

/// screen: listing and attaching run nothing.
pub(super) fn screen(cx: &Cx) -> Peel {
    const QUIET: WordList = words![
        "-ls",
        "-list",
        "-r",
        "-R",
        "-RR",
        "-x",
        "-d",
        "-D",
        "-v",
        "-wipe",
        "--version",
        "--help",
        "-h",
    ];
    let quiet = |a: &Arg| a.literal().is_some_and(|b| QUIET.has(b));
    let words = cx.args.get(cx.from..).unwrap_or_default();
    let literal = words.iter().all(|a| a.literal().is_some());
    match words.split_first() {
        // At most the name of a session follows.
        Some((first, rest))
            if quiet(first)
                && literal
                && rest.iter().filter(|a| !quiet(a)).count() <= 1
                && rest.iter().all(|a| quiet(a) || !a.may_be_option()) =>
        {
            Peel::No
        }
        Some(_) => cx.carries(Vec::new()),
        None => cx.carries(vec![Inner::Stdin]),
    }
}

/// Debuggers run what their commands say, and those may come from options, files and standard input. The
/// program under them is named where an option says that the rest is its command line.
pub(super) fn gdb(cx: &Cx) -> Peel {
    if cx.only_query() {
        return Peel::Empty;
    }
    let args = cx.args.get(cx.from..).unwrap_or_default();
    let at = args.iter().position(|a| matches!(a.literal(), Some(b"--args" | b"-args" | b"--")));
    let inner = at.and_then(|i| cx.argv(cx.from + i + 1));
    // In batch mode the commands of the options are all there are.
    let batch = args.iter().any(|a| matches!(a.literal(), Some(b"-batch" | b"--batch")));
    cx.carries(inner.into_iter().chain((!batch).then_some(Inner::Stdin)).collect())
}
