//! Builtins that say where the shell goes on, and two that only look something up.
use super::{Miss, all_digits, is_number_parameter, is_plain_name, miss};
use crate::arg::Arg;
use crate::shell::Dialect;

/// `exit` and `return`. bash and dash read digits and complain about anything else; zsh evaluates arithmetic.
pub(super) fn exit(args: &[Arg], dialect: Dialect) -> Result<(), Miss> {
    let good = match args {
        [] => true,
        [Arg::Literal(word)] => all_digits(word),
        [arg] => is_number_parameter(arg) || dialect != Dialect::Zsh,
        _ => false,
    };
    if good { Ok(()) } else { miss(0, "takes digits, $? or, except in zsh, one variable") }
}

/// `break`, `continue`, `shift`: how many levels or parameters. zsh's `shift` takes names of arrays besides.
pub(super) fn count(args: &[Arg]) -> Result<(), Miss> {
    match args {
        [] => Ok(()),
        [Arg::Literal(word)] if all_digits(word) => Ok(()),
        _ => miss(0, "takes digits only"),
    }
}

/// `hash NAME…`: an old way to ask whether a program is there. `-p` and zsh's `NAME=path` say where it is.
pub(super) fn hash(args: &[Arg]) -> Result<(), Miss> {
    if args.is_empty() {
        return Err((None, "hash alone prints what the shell remembers".to_owned()));
    }
    match args.iter().position(|a| !is_plain_name(a) || a.shown().contains(&b'=')) {
        Some(at) => miss(at, "a name to look up that is not a literal word"),
        None => Ok(()),
    }
}

/// `ulimit -n`: shown, never set.
pub(super) fn ulimit(args: &[Arg]) -> Result<(), Miss> {
    match args {
        [] => Ok(()),
        [Arg::Literal(word)] => match word.as_slice() {
            [b'-', letters @ ..] if !letters.is_empty() && letters.iter().all(u8::is_ascii_alphabetic) => {
                Ok(())
            }
            _ => miss(0, "a limit that is set"),
        },
        _ => miss(1, "a limit that is set"),
    }
}
