//! Builtins that set variables: `export`, `local`, `readonly`, `read`.
use super::{Miss, all_digits, miss};
use crate::arg::Arg;
use crate::shell::Dialect;
use crate::tables::builtins::INTEGER_VARIABLES;

/// A variable and its value, if that is written here.
type Pair = (Vec<u8>, Option<Arg>);

fn is_identifier(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// `NAME` and `NAME=value`, no options: what `export`, `local` and `readonly` have in common.
pub(super) fn assignments(args: &[Arg], dialect: Dialect) -> Result<Vec<Pair>, Miss> {
    if args.is_empty() {
        return Err((None, "alone it prints every variable".to_owned()));
    }
    let mut out = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let known = arg.known_prefix();
        let name_end = known.iter().position(|b| *b == b'=');
        let name = known.get(..name_end.unwrap_or(known.len())).unwrap_or_default();
        if !is_identifier(name) || (name_end.is_none() && arg.is_dynamic()) {
            return miss(at, "only NAME and NAME=value are followed");
        }
        let value = name_end.map(|end| match arg {
            Arg::Literal(word) => Arg::lit(word.get(end + 1..).unwrap_or_default()),
            Arg::Dynamic { source, prefix, single } => Arg::Dynamic {
                source: source.clone(),
                prefix: prefix.get(end + 1..).unwrap_or_default().to_vec(),
                single: *single,
            },
        });
        if let Arg::Dynamic { source, single: false, .. } = arg {
            // bash does not split the value if the word looks like an assignment as written; dash may, and then
            // the next field is an assignment of its own.
            let as_written = source.starts_with(name) && source.get(name.len()) == Some(&b'=');
            if dialect == Dialect::Dash || !as_written || source.windows(2).any(|w| w == b"$@" || w == b"$*")
            {
                return miss(at, "a value that may become several words: quote it");
            }
        }
        let integer = INTEGER_VARIABLES.has(name);
        if integer && !value.as_ref().is_none_or(|v| v.literal().is_some_and(all_digits)) {
            return miss(at, "the shell evaluates the value of this variable: it must be digits");
        }
        out.push((name.to_vec(), value));
    }
    Ok(out)
}

/// Options of `read` that only say how a line is read, and those of them with a value. `-u`, `-e`, `-i`, `-t 0` and
/// what zsh reads from elsewhere (`-p`, `-z`) are not among them.
fn read_options(dialect: Dialect) -> (&'static [u8], &'static [u8]) {
    match dialect {
        Dialect::Bash => (b"rs", b"dnNtpa"),
        Dialect::Zsh => (b"rs", b"d"),
        Dialect::Dash => (b"r", b"p"),
    }
}

/// `read`: plain names only, since a subscript is evaluated, quoted or not.
pub(super) fn read(args: &[Arg], dialect: Dialect) -> Result<Vec<Pair>, Miss> {
    let (flags, valued) = read_options(dialect);
    let mut out = Vec::new();
    let mut words = args.iter().enumerate();
    let mut options = true;
    while let Some((at, arg)) = words.next() {
        let Some(word) = arg.literal() else { return miss(at, "a name that is known only at run time") };
        match word {
            b"--" if options => options = false,
            [b'-', letters @ ..] if options && !letters.is_empty() => {
                let first = letters.iter().position(|c| !flags.contains(c));
                let Some(first) = first else { continue };
                let letter = letters.get(first).copied().unwrap_or_default();
                if !valued.contains(&letter) {
                    return miss(at, "an option of read that its profile does not list");
                }
                let value = match letters.get(first + 1..) {
                    Some(rest) if !rest.is_empty() => Some(rest),
                    _ => words.next().and_then(|(_, a)| a.literal()),
                };
                let number = |v: &[u8]| {
                    all_digits(v) || (letter == b't' && v.iter().all(|b| b"0123456789.".contains(b)))
                };
                match value {
                    None => return miss(at, "a value of an option that is known only at run time"),
                    Some(v) if b"nNt".contains(&letter) && !number(v) => {
                        return miss(at, "a number that is not digits");
                    }
                    Some(v) if letter == b'a' => {
                        if !is_identifier(v) {
                            return miss(at, "an array whose name is not plain");
                        }
                        out.push((v.to_vec(), None));
                    }
                    Some(_) => {}
                }
            }
            name => {
                options = false;
                if !is_identifier(name) {
                    return miss(at, "a name that is not plain: a subscript is evaluated");
                }
                if INTEGER_VARIABLES.has(name) {
                    return miss(at, "the shell evaluates the value of this variable");
                }
                out.push((name.to_vec(), None));
            }
        }
    }
    Ok(out)
}
