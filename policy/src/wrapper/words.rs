//! Single words: assignments, values of a kind, words that change at run time.
use super::Peel;
use crate::arg::Arg;
use crate::tables::wrappers::Kind;

/// What a word in front of a command is.
pub(super) enum Assignment {
    /// `NAME=VALUE`.
    Is(Vec<u8>, Arg),
    /// No assignment.
    No,
    /// It may be one, or several words.
    Unclear,
}

/// Reads a word as `NAME=VALUE`, as env does: any name will do.
pub(super) fn assignment(word: &Arg) -> Assignment {
    let split = |b: &[u8]| {
        let p = b.iter().position(|c| *c == b'=')?;
        Some((b.get(..p)?.to_vec(), b.get(p + 1..)?.to_vec()))
    };
    match word {
        Arg::Literal(b) => match split(b) {
            Some((name, value)) => Assignment::Is(name, Arg::Literal(value)),
            None => Assignment::No,
        },
        Arg::Dynamic { source, prefix, single } => match split(prefix) {
            // An unquoted value may split, and its second half would be the command.
            _ if !single => Assignment::Unclear,
            Some((name, value)) => {
                Assignment::Is(name, Arg::Dynamic { source: source.clone(), prefix: value, single: true })
            }
            None => Assignment::Unclear,
        },
    }
}

/// True if a word is what it must be; a word known only at run time fits only where anything does.
pub(super) fn fits(kind: Kind, word: &Arg) -> bool {
    let Some(b) = word.literal() else {
        return kind == Kind::Any && matches!(word, Arg::Dynamic { single: true, .. });
    };
    let digits = |b: &[u8]| !b.is_empty() && b.iter().all(u8::is_ascii_digit);
    match kind {
        Kind::Any | Kind::Output => true,
        Kind::Word => !b.is_empty(),
        Kind::Few => {
            let (number, most) = match b.split_last() {
                Some((b'%', number)) => (number, 400),
                _ => (b, 64),
            };
            let number = number.strip_prefix(b"+").unwrap_or(number);
            std::str::from_utf8(number).is_ok_and(|n| n.parse::<u16>().is_ok_and(|n| (1..=most).contains(&n)))
        }
        Kind::Number => digits(b.strip_prefix(b"-").or(b.strip_prefix(b"+")).unwrap_or(b)),
        Kind::Duration => {
            let number = match b.split_last() {
                Some((b's' | b'm' | b'h' | b'd', rest)) => rest,
                _ => b,
            };
            let mut parts = number.split(|c| *c == b'.');
            let (whole, part) = (parts.next().unwrap_or_default(), parts.next());
            let either = digits(whole) || part.is_some_and(digits);
            either
                && parts.next().is_none()
                && (whole.is_empty() || digits(whole))
                && part.is_none_or(|p| p.is_empty() || digits(p))
        }
        Kind::Buffer => {
            b == b"L" || {
                let number: &[u8] = &b.iter().copied().take_while(u8::is_ascii_digit).collect::<Vec<u8>>();
                digits(number) && b.len() <= number.len() + 3 && b.iter().all(u8::is_ascii_alphanumeric)
            }
        }
        Kind::Cpus => {
            b.first().is_some_and(u8::is_ascii_hexdigit)
                && b.iter().all(|c| c.is_ascii_hexdigit() || matches!(c, b'x' | b',' | b'-' | b':'))
        }
        Kind::Signal => {
            !b.is_empty() && b.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-'))
        }
    }
}

/// A folder that nobody knows.
pub(super) fn somewhere() -> Arg {
    dynamic(b"elsewhere", b"", true)
}

/// What is carried starts in a folder that nobody knows.
pub(super) fn away(mut peel: Peel) -> Peel {
    if let Peel::Carries(c) = &mut peel {
        c.chdir = Some(somewhere());
    }
    peel
}

/// A word whose value is known only at run time.
pub(super) fn dynamic(source: &[u8], prefix: &[u8], single: bool) -> Arg {
    Arg::Dynamic { source: source.to_vec(), prefix: prefix.to_vec(), single }
}

/// True if an option's value stands in the same word as the option: `--call=x`, `-cx`.
pub(super) fn attached(word: &Arg, name: &str) -> bool {
    let Some(w) = word.literal() else { return true };
    match (w.strip_prefix(b"--"), name.as_bytes()) {
        (Some(long), _) => long.contains(&b'='),
        (None, [letter]) => w.iter().position(|b| b == letter).is_none_or(|p| p + 1 < w.len()),
        (None, _) => true,
    }
}

/// True if a shell takes the word for itself and nothing else, wherever it stands.
pub(super) fn plain(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|b| b.is_ascii_alphanumeric() || b"_./:@%+,-".contains(b))
}
