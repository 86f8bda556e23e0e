//! Shells: their options, and whether they run a text, a script or standard input.
use super::interpreter::is_stdin;
use super::names::ShellHit;
use super::{Carried, Class, DYNAMIC, Inner, Peel, ShellUse, UNKNOWN};
use crate::arg::Arg;
use crate::tables::shells::{Grammar, LONG, Long, SHOPT, letters, set_names};

fn refuse(why: &'static str, at: impl Into<Option<usize>>, class: Class) -> Peel {
    Peel::Refused { why: why.into(), at: at.into(), class }
}

/// Judges a shell's words.
pub(super) fn peel(shell: &ShellHit, argv0: &[u8], args: &[Arg]) -> Peel {
    peel_from(shell, argv0, args, 0)
}

/// The same for words that begin at an index (`busybox sh …`).
pub(super) fn peel_from(shell: &ShellHit, argv0: &[u8], args: &[Arg], from: usize) -> Peel {
    match shell.grammar {
        Some(grammar) => read(shell, grammar, argv0, args, from),
        None => unread(args, from),
    }
}

/// A shell whose language is not read: only a script file can be judged, as a program of its own.
fn unread(args: &[Arg], from: usize) -> Peel {
    match args.get(from) {
        Some(Arg::Literal(b))
            if matches!(b.as_slice(), b"--help" | b"--version") && args.len() == from + 1 =>
        {
            Peel::Empty
        }
        Some(Arg::Literal(b)) if is_stdin(b) => {
            Peel::Carries(Carried::new(Class::Privileged, vec![Inner::Stdin]))
        }
        // `/c` is an option of cmd, and of PowerShell.
        Some(Arg::Literal(b))
            if !(b.starts_with(b"-") || b.starts_with(b"+") || b.is_empty() || b.len() < 3) =>
        {
            script(args, from)
        }
        _ => refuse("the language of this shell is not read here", from, Class::Privileged),
    }
}

fn script(args: &[Arg], at: usize) -> Peel {
    match args.get(at) {
        Some(word) => {
            Peel::Carries(Carried::new(Class::Carrier, vec![Inner::Script { word: word.clone(), at }]))
        }
        None => Peel::Carries(Carried::new(Class::Carrier, vec![Inner::Stdin])),
    }
}

/// What the options said.
#[derive(Default)]
struct Options {
    text: bool,
    stdin: bool,
    no_exec: bool,
    interactive: bool,
    used: ShellUse,
}

fn read(shell: &ShellHit, grammar: Grammar, argv0: &[u8], args: &[Arg], from: usize) -> Peel {
    let mut o = Options::default();
    o.used.name.clone_from(&shell.name);
    o.used.startup = argv0.starts_with(b"-");
    let at = match options(grammar, args, from, &mut o) {
        Ok(at) => at,
        Err(peel) => return peel,
    };
    let word = args.get(at);
    if o.text {
        let Some(word) = word else { return refuse("-c without a text", None, Class::Carrier) };
        if o.stdin {
            return refuse("-c and -s together", at, Class::Carrier);
        }
        if word.literal().is_some_and(<[u8]>::is_empty) {
            return Peel::Empty;
        }
        return Peel::Carries(Carried::new(
            Class::Transparent,
            vec![Inner::Text {
                text: word.literal().map(<[u8]>::to_vec),
                at,
                shell: o.used,
                positional: at + 1..args.len(),
            }],
        ));
    }
    let stdin = || Peel::Carries(Carried::new(Class::Carrier, vec![Inner::Stdin]));
    match word {
        _ if o.stdin => stdin(),
        None => stdin(),
        Some(Arg::Literal(b)) if is_stdin(b) => stdin(),
        // Only its syntax is looked at.
        Some(Arg::Literal(_)) if o.no_exec && !o.interactive && !o.used.startup => Peel::Empty,
        Some(_) => script(args, at),
    }
}

/// Reads the options; the index of the first operand.
fn options(grammar: Grammar, args: &[Arg], from: usize, o: &mut Options) -> Result<usize, Peel> {
    let class = Class::Carrier;
    let mut at = from;
    let mut clusters = false;
    while let Some(arg) = args.get(at) {
        let Some(word) = arg.literal() else {
            // After -c the evaluator sees a text that is not known; elsewhere nothing is.
            return if o.text || !arg.may_be_option() { Ok(at) } else { Err(refuse(DYNAMIC, at, class)) };
        };
        if matches!(word, b"-" | b"--") {
            return Ok(at + 1);
        }
        let minus = word.starts_with(b"-");
        if !minus && !word.starts_with(b"+") {
            return Ok(at);
        }
        let rest = word.get(1..).unwrap_or_default();
        if minus && matches!(rest, b"-help" | b"-version") && !clusters && args.len() == at + 1 {
            return Err(Peel::Empty);
        }
        if minus && !clusters && matches!(grammar, Grammar::Bash | Grammar::Sh) {
            // bash takes its long options with one dash too.
            let name = rest.strip_prefix(b"-").unwrap_or(rest);
            if let Some((name, long)) = LONG.iter().find(|(n, _)| n.as_bytes() == name) {
                match long {
                    Long::Startup => o.used.startup = true,
                    Long::Keep => o.used.keep.push([b"--", name.as_bytes()].concat()),
                    Long::Drop => {}
                    Long::Refuse(why) => return Err(refuse(why, at, class)),
                }
                at += 1;
                continue;
            }
        }
        if minus && grammar == Grammar::Zsh && !clusters && matches!(rest, b"-login" | b"-no-rcs" | b"-norcs")
        {
            o.used.startup |= rest == b"-login";
            at += 1;
            continue;
        }
        if rest.is_empty() || rest.starts_with(b"-") {
            return Err(refuse(UNKNOWN, at, class));
        }
        clusters = true;
        at = cluster(grammar, args, at, o)?;
    }
    Ok(at)
}

/// Reads one word of letters; the index after it and after the names its `o` and `O` take.
fn cluster(grammar: Grammar, args: &[Arg], at: usize, o: &mut Options) -> Result<usize, Peel> {
    let class = Class::Carrier;
    let word = args.get(at).and_then(Arg::literal).unwrap_or_default();
    let Some((sign, rest)) = word.split_first() else { return Ok(at + 1) };
    let minus = *sign == b'-';
    let mut next = at + 1;
    for (i, letter) in rest.iter().copied().enumerate() {
        match letter {
            b'c' if minus => o.text = true,
            b's' if minus => o.stdin = true,
            b'l' if minus => o.used.startup = true,
            b'i' if minus => {
                o.interactive = true;
                o.used.startup = true;
            }
            b'o' | b'O' => {
                if letter == b'O' && !matches!(grammar, Grammar::Bash | Grammar::Sh) {
                    return Err(refuse(UNKNOWN, at, class));
                }
                // zsh takes the rest of the word for the name.
                let attached = rest.get(i + 1..).filter(|r| grammar == Grammar::Zsh && !r.is_empty());
                let name = match attached {
                    Some(name) => Some(name),
                    None => {
                        next += 1;
                        args.get(next - 1).and_then(Arg::literal)
                    }
                };
                let Some(name) = name else { return Err(refuse(DYNAMIC, at, class)) };
                let known = if letter == b'O' {
                    SHOPT.has(name)
                } else {
                    set_names(grammar).iter().any(|s| same_name(grammar, s, name))
                };
                if !known {
                    return Err(refuse("an option of the shell that may change what words mean", at, class));
                }
                o.no_exec |= name == b"noexec" && minus;
                o.used.keep.push(vec![*sign, letter]);
                o.used.keep.push(name.to_vec());
                if attached.is_some() {
                    return Ok(next);
                }
            }
            l if letters(grammar).contains(&l) => {
                if l == b'n' {
                    o.no_exec = minus;
                }
                o.used.keep.push(vec![*sign, l]);
            }
            _ => return Err(refuse(UNKNOWN, at, class)),
        }
    }
    Ok(next)
}

/// zsh folds case and skips underscores in the names of its options.
fn same_name(grammar: Grammar, known: &str, name: &[u8]) -> bool {
    if grammar != Grammar::Zsh {
        return known.as_bytes() == name;
    }
    known.bytes().eq(name.iter().filter(|b| **b != b'_').map(u8::to_ascii_lowercase))
}
