//! Builtins of the shell: which calls are free, and what a free one changes for what follows.
//!
//! A profile looks at every word, because builtins evaluate more than they show: `test -v`, `printf -v` and
//! `printf %n` run or write what a quoted word says, and zsh evaluates the operands of `exit` and `printf %d` as
//! arithmetic, subscripts and substitutions included. What is not listed is refused.
//! Sources: bash(1), dash(1), zshbuiltins(1); tried with bash 5.2, dash 0.5.12, zsh 5.9.
use crate::arg::Arg;
use crate::shell::Dialect;
use crate::tables::builtins::is_one;
#[cfg(test)]
use crate::tables::builtins::names;

mod assign;
mod condition;
mod flow;
mod print;

/// What a free builtin changes for the commands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that is tracked.
    None,
    /// The working folder. A dynamic word (also for `cd` alone and `cd -`) means that it is not known any more.
    Chdir(Arg),
    /// Variables that are exported, with their new values; `None` if the value is kept.
    Export(Vec<(Vec<u8>, Option<Arg>)>),
    /// Variables of the shell, with their new values; `None` if the value is known only at run time, or is kept.
    Assign(Vec<(Vec<u8>, Option<Arg>)>),
    /// The file mode creation mask.
    Umask,
    /// The shell ends here.
    Exit,
    /// Options of the shell that stop it early or make it show what it does.
    Set,
}

/// What a builtin's name and arguments come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuiltinVerdict {
    /// The name is no builtin of that shell, or one that runs a program (`command`, `exec`): it is judged as a
    /// program or wrapper.
    NotBuiltin,
    /// It may run unasked.
    Free(Effect),
    /// A person is asked.
    Refused {
        /// One clause.
        why: String,
        /// The index of the argument, if one is to blame.
        at: Option<usize>,
    },
}

/// True if the shell takes the name for itself: a builtin or a reserved word.
pub fn is_builtin(name: &[u8], dialect: Dialect) -> bool {
    is_one(name, dialect)
}

type Miss = (Option<usize>, String);

fn miss<T>(at: usize, why: &str) -> Result<T, Miss> {
    Err((Some(at), why.to_owned()))
}

/// Judges a simple command (`args` without the name) of a shell of that language.
///
/// `echo_dynamic_ask`: `echo` and `printf` of anything not literal ask (`echoDynamic`).
pub fn judge_builtin(name: &[u8], args: &[Arg], dialect: Dialect, echo_dynamic_ask: bool) -> BuiltinVerdict {
    if !is_builtin(name, dialect) {
        return BuiltinVerdict::NotBuiltin;
    }
    let verdict = match name {
        b"command" => match looks_up(args) {
            Some(result) => result,
            None => return BuiltinVerdict::NotBuiltin,
        },
        b"exec" if !args.is_empty() => return BuiltinVerdict::NotBuiltin,
        b":" | b"true" | b"false" => Ok(Effect::None),
        b"cd" => cd(args, dialect),
        b"pwd" => options_only(args, b"LP").map(|()| Effect::None),
        b"echo" => print::echo(args, echo_dynamic_ask),
        b"printf" => print::printf(args, dialect, echo_dynamic_ask),
        b"test" => condition::test(args, dialect),
        b"[" => condition::bracket(args, dialect),
        b"exit" => flow::exit(args, dialect).map(|()| Effect::Exit),
        b"return" => flow::exit(args, dialect).map(|()| Effect::None),
        b"break" | b"continue" | b"shift" => flow::count(args).map(|()| Effect::None),
        b"hash" => flow::hash(args).map(|()| Effect::None),
        b"ulimit" => flow::ulimit(args).map(|()| Effect::None),
        b"set" => set(args),
        b"type" => type_names(args, dialect),
        // Elsewhere `which` is a program.
        b"which" if dialect == Dialect::Zsh => type_names(args, dialect),
        b"wait" => wait(args),
        b"umask" => umask(args),
        b"export" => assign::assignments(args, dialect).map(Effect::Export),
        b"local" | b"readonly" => assign::assignments(args, dialect).map(Effect::Assign),
        b"read" => assign::read(args, dialect).map(Effect::Assign),
        _ => Err((None, "the shell's own, and not one that is free".to_owned())),
    };
    match verdict {
        Ok(effect) => BuiltinVerdict::Free(effect),
        Err((at, why)) => BuiltinVerdict::Refused { why, at },
    }
}

/// A word that nobody knows: for [`Effect::Chdir`].
fn unknown(source: &[u8]) -> Arg {
    Arg::Dynamic { source: source.to_vec(), prefix: Vec::new(), single: true }
}

fn all_digits(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// `$?`, `$#`, `$$`, `$!`, braced or quoted: digits whatever happens.
fn is_number_parameter(arg: &Arg) -> bool {
    let Arg::Dynamic { source, .. } = arg else { return false };
    let bare = source.strip_prefix(b"\"").and_then(|s| s.strip_suffix(b"\"")).unwrap_or(source);
    matches!(bare, b"$?" | b"$#" | b"$$" | b"$!" | b"${?}" | b"${#}" | b"${$}" | b"${!}")
}

fn is_single(arg: &Arg) -> bool {
    match arg {
        Arg::Literal(_) => true,
        Arg::Dynamic { single, .. } => *single,
    }
}

/// Every word must be a cluster of these letters.
fn options_only(args: &[Arg], letters: &[u8]) -> Result<(), Miss> {
    for (at, arg) in args.iter().enumerate() {
        match arg.literal() {
            Some([b'-', rest @ ..]) if !rest.is_empty() && rest.iter().all(|c| letters.contains(c)) => {}
            _ => return miss(at, "a word that its profile does not list"),
        }
    }
    Ok(())
}

/// `command -v NAME…` and `-V`; `None` if it runs a program instead.
fn looks_up(args: &[Arg]) -> Option<Result<Effect, Miss>> {
    match args.first()?.literal()? {
        b"-v" | b"-V" => {}
        // `command -pv` and the like: the wrapper's table does not know them as a lookup, and refuses.
        _ => return None,
    }
    let at = args.iter().skip(1).position(|a| !is_plain_name(a));
    Some(match at {
        None => Ok(Effect::None),
        Some(at) => miss(at + 1, "a name to look up that is not a literal word"),
    })
}

/// A literal word that is no option.
fn is_plain_name(arg: &Arg) -> bool {
    arg.literal().is_some_and(|w| w.first() != Some(&b'-'))
}

fn type_names(args: &[Arg], dialect: Dialect) -> Result<Effect, Miss> {
    let letters: &[u8] = match dialect {
        Dialect::Bash => b"atp",
        Dialect::Zsh => b"a",
        Dialect::Dash => b"",
    };
    let names = args.iter().position(is_plain_name).unwrap_or(args.len());
    options_only(args.get(..names).unwrap_or_default(), letters)?;
    match args.iter().skip(names).position(|a| !is_plain_name(a)) {
        Some(at) => miss(at + names, "a name to look up that is not a literal word"),
        None => Ok(Effect::None),
    }
}

fn cd(args: &[Arg], dialect: Dialect) -> Result<Effect, Miss> {
    let (mut physical, mut ended, mut at) = (false, false, 0);
    while let Some(word) = args.get(at).and_then(Arg::literal) {
        match word {
            _ if ended => break,
            b"-P" => physical = true,
            b"-L" => physical = false,
            b"--" => ended = true,
            _ => break,
        }
        at += 1;
    }
    if args.len() > at + 1 {
        return miss(at + 1, "cd with more than one folder");
    }
    let Some(folder) = args.get(at) else { return Ok(Effect::Chdir(unknown(b"$HOME"))) };
    match folder {
        // Of several words, or none, each shell makes something else: somewhere, or an error.
        Arg::Dynamic { single: false, .. } => Ok(Effect::Chdir(unknown(b"$*"))),
        Arg::Dynamic { .. } => Ok(Effect::Chdir(folder.clone())),
        Arg::Literal(word) => {
            let stack =
                matches!(word.as_slice(), [b'+' | b'-', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
            match word.as_slice() {
                b"-" => Ok(Effect::Chdir(unknown(b"$OLDPWD"))),
                b"" => Ok(Effect::Chdir(unknown(b"''"))),
                // `cd +1` and `cd -1` are places on zsh's stack of folders.
                _ if dialect == Dialect::Zsh && stack => miss(at, "a place on the stack of folders"),
                w if w.first() == Some(&b'-') && !ended => {
                    miss(at, "an option of cd that its profile does not list")
                }
                // -P resolves links before `..`, the tracked folder does not.
                w if physical && w.split(|b| *b == b'/').any(|part| part == b"..") => {
                    Ok(Effect::Chdir(unknown(w)))
                }
                _ => Ok(Effect::Chdir(folder.clone())),
            }
        }
    }
}

/// `set -e -u -x -o pipefail` and their `+` forms: nothing else, no operands, no listing.
fn set(args: &[Arg]) -> Result<Effect, Miss> {
    let mut words = args.iter().enumerate();
    if args.is_empty() {
        return Err((None, "set alone prints every variable".to_owned()));
    }
    while let Some((at, arg)) = words.next() {
        let Some([b'-' | b'+', letters @ ..]) = arg.literal() else {
            return miss(at, "set changes the positional parameters");
        };
        let (flags, named) = match letters.split_last() {
            Some((b'o', flags)) => (flags, true),
            Some(_) => (letters, false),
            None => return miss(at, "a word that its profile does not list"),
        };
        if !flags.iter().all(|c| b"eux".contains(c)) {
            return miss(at, "an option of set that its profile does not list");
        }
        if named {
            match words.next().map(|(at, a)| (at, a.literal())) {
                Some((_, Some(b"pipefail" | b"errexit" | b"nounset" | b"xtrace"))) => {}
                Some((at, _)) => return miss(at, "an option of set that its profile does not list"),
                None => return miss(at, "set -o without a name lists the options"),
            }
        }
    }
    Ok(Effect::Set)
}

fn wait(args: &[Arg]) -> Result<Effect, Miss> {
    for (at, arg) in args.iter().enumerate() {
        let digits = arg.literal().is_some_and(|w| all_digits(w.strip_prefix(b"%").unwrap_or(w)));
        if !digits && !is_number_parameter(arg) {
            return miss(at, "wait takes process numbers and $!");
        }
    }
    Ok(Effect::None)
}

/// Shown, or set to octal digits that keep others from writing: a looser mask would expose what later commands
/// create.
fn umask(args: &[Arg]) -> Result<Effect, Miss> {
    match args {
        [] => Ok(Effect::None),
        [Arg::Literal(word)] if word == b"-S" => Ok(Effect::None),
        [Arg::Literal(word)] => {
            let octal = (1..=4).contains(&word.len()) && word.iter().all(|b| (b'0'..=b'7').contains(b));
            let keeps = word.last().is_some_and(|b| b & 2 != 0);
            if octal && keeps {
                Ok(Effect::Umask)
            } else {
                miss(0, "umask takes octal digits that keep others from writing")
            }
        }
        _ => miss(0, "umask takes octal digits or -S"),
    }
}

#[cfg(test)]
mod tests;
