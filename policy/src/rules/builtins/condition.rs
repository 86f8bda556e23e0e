//! `test` and `[`.
use super::{Effect, Miss, all_digits, is_number_parameter, is_single, miss};
use crate::arg::Arg;
use crate::shell::Dialect;
use crate::tables::words::{WordList, words};

/// `[`.
pub(super) fn bracket(args: &[Arg], dialect: Dialect) -> Result<Effect, Miss> {
    match args.split_last() {
        Some((last, inner)) if last.literal() == Some(b"]") => test(inner, dialect),
        _ => Err((None, "`[` without its `]`".to_owned())),
    }
}

/// Unary operators that only look at a string or a file.
const UNARY: WordList = words![
    "-n", "-z", "-f", "-d", "-e", "-r", "-w", "-x", "-s", "-L", "-h", "-", "-c", "-p", "-S", "-g", "-u",
    "-k", "-G", "-O", "-N",
];

/// How many of [`UNARY`], from the front, take a double-quoted dynamic word.
const UNARY_DYNAMIC: usize = 9;

const STRING: WordList = words!["=", "==", "!="];
const FILES: WordList = words!["-nt", "-ot", "-ef"];
const NUMBER: WordList = words!["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// The forms POSIX defines by the number of words, so that no value can turn into an operator: nothing, a word,
/// unary, binary, each with `!` in front. `-a`, `-o` and parentheses are not among them.
pub(super) fn test(args: &[Arg], dialect: Dialect) -> Result<Effect, Miss> {
    match args {
        [] => return Ok(Effect::None),
        [Arg::Literal(_)] => return Ok(Effect::None),
        [Arg::Dynamic { .. }] => {
            return miss(0, "a lone dynamic word may become an operator: put -n in front");
        }
        _ => {}
    }
    // Three words with an operator in the middle are a comparison, even if the first is `!`.
    if let [left, operator, right] = args
        && let Some(op) = operator.literal()
        && (STRING.has(op) || FILES.has(op) || NUMBER.has(op))
    {
        return binary(left, op, right, dialect);
    }
    let (negated, inner) = match args.split_first() {
        Some((first, rest)) if first.literal() == Some(b"!") => (1, rest),
        _ => (0, args),
    };
    let shift = |(at, why): Miss| (at.map(|at| at + negated), why);
    match inner {
        [Arg::Literal(_)] => Ok(Effect::None),
        [operator, operand] => unary(operator, operand).map_err(shift),
        [left, operator, right] if negated == 1 => match operator.literal() {
            Some(op) => binary(left, op, right, dialect).map_err(shift),
            None => miss(negated + 1, "an operator that is known only at run time"),
        },
        _ => Err((None, "a test of more than one condition: join tests with && and ||".to_owned())),
    }
}

fn unary(operator: &Arg, operand: &Arg) -> Result<Effect, Miss> {
    let Some(op) = operator.literal() else { return miss(0, "an operator that is known only at run time") };
    if op == b"-t" {
        return match operand.literal() {
            Some(w) if all_digits(w) => Ok(Effect::None),
            _ => miss(1, "a descriptor that is not digits"),
        };
    }
    let Some(place) = UNARY.iter().position(|u| u == op) else {
        // -v and -R evaluate subscripts, -o is read differently by the shells.
        return miss(0, "an operator of test that its profile does not list");
    };
    match operand {
        Arg::Literal(_) => Ok(Effect::None),
        Arg::Dynamic { single: true, .. } if place < UNARY_DYNAMIC => Ok(Effect::None),
        _ if is_number_parameter(operand) && place < UNARY_DYNAMIC => Ok(Effect::None),
        _ => miss(1, "a dynamic word that is not in double quotes"),
    }
}

fn binary(left: &Arg, op: &[u8], right: &Arg, dialect: Dialect) -> Result<Effect, Miss> {
    for (at, side) in [(0, left), (2, right)] {
        if NUMBER.has(op) {
            let digits = |w: &[u8]| all_digits(w.strip_prefix(b"-").unwrap_or(w));
            // `[` of bash and dash takes digits and complains about anything else; that of zsh evaluates.
            let reads = dialect != Dialect::Zsh && side.is_dynamic() && is_single(side);
            if !side.literal().is_some_and(digits) && !is_number_parameter(side) && !reads {
                return miss(at, "a number that is neither digits nor, except in zsh, in double quotes");
            }
        } else if FILES.has(op) {
            if side.is_dynamic() {
                return miss(at, "a file that is known only at run time");
            }
        } else if STRING.has(op) {
            if !is_single(side) && !is_number_parameter(side) {
                return miss(at, "a dynamic word that is not in double quotes");
            }
        } else {
            return miss(1, "an operator of test that its profile does not list");
        }
    }
    Ok(Effect::None)
}
