//! `echo` and `printf`: what they print, and what a format makes of its words.
use super::{Effect, Miss, is_number_parameter, is_single, miss};
use crate::arg::Arg;
use crate::shell::Dialect;
use crate::tables::builtins::SECRET;

/// `echo`.
pub(super) fn echo(args: &[Arg], dynamic_ask: bool) -> Result<Effect, Miss> {
    printed(args, 0, dynamic_ask)?;
    Ok(Effect::None)
}

/// Words that are printed: a variable or glob passes unless it is, by its name, a secret.
fn printed(args: &[Arg], first: usize, dynamic_ask: bool) -> Result<(), Miss> {
    for (at, arg) in args.iter().enumerate() {
        if let Arg::Dynamic { source, .. } = arg {
            if dynamic_ask {
                return miss(at + first, "prints something that is known only at run time (echoDynamic)");
            }
            if names_a_secret(source) {
                return miss(at + first, "prints a variable that looks like a secret");
            }
        }
    }
    Ok(())
}

/// True if a variable in the source text has a name that looks like a secret's. Names are looked for behind `$`
/// and its brackets, and everywhere inside `${…}` and `$((…))`, where a bare name is a variable, too.
fn names_a_secret(source: &[u8]) -> bool {
    // One entry an open bracket: true where a bare name is a variable.
    let mut open: Vec<bool> = Vec::new();
    let mut i = 0;
    while let Some(c) = source.get(i).copied() {
        let mut name_at = None;
        match (c, source.get(i + 1), source.get(i + 2)) {
            (b'\\', Some(_), _) => i += 1,
            (b'$', Some(b'{'), _) => {
                open.push(true);
                i += 1;
            }
            (b'$', Some(b'('), Some(b'(')) => {
                open.extend([true, true]);
                i += 2;
            }
            (b'$', Some(b'('), _) => {
                open.push(false);
                i += 1;
            }
            (b'$', ..) => name_at = Some(i + 1),
            (b'(', ..) if !open.is_empty() => open.push(open.last() == Some(&true)),
            (b'}' | b')', ..) => {
                open.pop();
            }
            (c, ..) if open.last() == Some(&true) && (c.is_ascii_alphabetic() || c == b'_') => {
                name_at = Some(i)
            }
            _ => {}
        }
        i += 1;
        let Some(start) = name_at else { continue };
        let rest = source.get(start..).unwrap_or_default();
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let name = rest.get(..len).unwrap_or_default().to_ascii_uppercase();
        if SECRET.iter().any(|s| name.windows(s.len()).any(|w| w == s)) {
            return true;
        }
        i = i.max(start + len);
    }
    false
}

/// What a conversion of a printf format does with its argument.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversion {
    Text,
    Number,
}

/// `printf`.
pub(super) fn printf(args: &[Arg], dialect: Dialect, dynamic_ask: bool) -> Result<Effect, Miss> {
    let first = usize::from(args.first().and_then(Arg::literal) == Some(b"--"));
    let Some(format) = args.get(first) else { return Ok(Effect::None) };
    let Some(text) = format.literal() else {
        return miss(first, "a format that is known only at run time");
    };
    if first == 0 && text.first() == Some(&b'-') && text.len() > 1 {
        return miss(0, "an option of printf: -v writes a variable");
    }
    let conversions = match conversions(text) {
        Some(c) => c,
        None => {
            return miss(first, "a format with %n, a numbered argument or a conversion that is not known");
        }
    };
    let rest = args.get(first + 1..).unwrap_or_default();
    printed(rest, first + 1, dynamic_ask)?;
    // zsh evaluates a number as arithmetic, with the commands in its subscripts; the others read digits.
    if dialect == Dialect::Zsh && conversions.contains(&Conversion::Number) {
        for (k, arg) in rest.iter().enumerate() {
            let number = conversions.get(k % conversions.len()) == Some(&Conversion::Number);
            // Behind a word that may split, nobody knows which conversion takes which word.
            let aligned = rest.get(..k).unwrap_or_default().iter().all(is_single);
            let plain = arg.literal().is_some_and(|w| {
                let digits = w.strip_prefix(b"-").or_else(|| w.strip_prefix(b"+")).unwrap_or(w);
                w.is_empty()
                    || (!digits.is_empty() && digits.iter().all(|b| b.is_ascii_digit() || *b == b'.'))
            });
            if (number || !aligned) && !plain && !is_number_parameter(arg) {
                return miss(first + 1 + k, "zsh evaluates the number of a format: it must be digits");
            }
        }
    }
    Ok(Effect::None)
}

/// Passes an escape of a format; `None` if it may be or make a percent sign: bash prints the backslash of `\%n` and then
/// reads `%n`, and zsh expands `\45d` and `\u25d` before it looks for conversions.
fn escape(bytes: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Option<()> {
    let (base, most) = match bytes.next() {
        // Shells differ in how many digits they take, so any number of them up to the most may be the number.
        Some(digit @ b'0'..=b'7') => return number(u32::from(digit - b'0'), 8, 3, bytes),
        Some(b'x') => (16, 2),
        Some(b'u') => (16, 4),
        Some(b'U') => (16, 8),
        Some(b'%') => return None,
        _ => return Some(()),
    };
    number(0, base, most, bytes)
}

fn number(
    begin: u32,
    base: u32,
    most: usize,
    bytes: &mut std::iter::Peekable<impl Iterator<Item = u8>>,
) -> Option<()> {
    let mut value = begin;
    for _ in 0..most {
        let Some(digit) = bytes.peek().and_then(|b| char::from(*b).to_digit(base)) else { break };
        bytes.next();
        value = value.wrapping_mul(base).wrapping_add(digit);
        // Octal numbers above 255 lose their upper bits.
        if value == u32::from(b'%') || (base == 8 && value & 0xff == u32::from(b'%')) {
            return None;
        }
    }
    Some(())
}

/// The conversions of a format that take an argument, in order; `None` if it has one that is not listed.
fn conversions(format: &[u8]) -> Option<Vec<Conversion>> {
    let mut out = Vec::new();
    let mut bytes = format.iter().copied().peekable();
    while let Some(c) = bytes.next() {
        if c == b'\\' {
            escape(&mut bytes)?;
            continue;
        }
        if c != b'%' {
            continue;
        }
        while let Some(flag) = bytes.next_if(|b| b"-+ #0'.123456789hlLjzt*".contains(b)) {
            if flag == b'*' {
                out.push(Conversion::Number);
            }
        }
        match bytes.next() {
            Some(b'%') => {}
            Some(b's' | b'b' | b'c' | b'q' | b'Q') => out.push(Conversion::Text),
            Some(
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a'
                | b'A',
            ) => {
                out.push(Conversion::Number);
            }
            // `%(%F)T`: a date.
            Some(b'(') => {
                if bytes.by_ref().find(|b| *b == b')').is_none() || bytes.next() != Some(b'T') {
                    return None;
                }
                out.push(Conversion::Number);
            }
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_makes_no_conversion() {
        let bad = [
            r"\%d",
            r"\%n",
            r"a\%s",
            r"\45d",
            r"\045d",
            r"\0045d",
            r"\x25d",
            r"\u25d",
            r"\u0025d",
            r"\U00000025n",
            r"%\x64",
            r"%\d",
            r"\\\%d",
            r"\445d",
        ];
        for format in bad {
            assert!(conversions(format.as_bytes()).is_none(), "{format}");
        }
        for (format, count) in [
            (r"%s\n", 1),
            (r"\033[1m%s\033[0m\n", 1),
            (r"\e[31m%-10s\t%d\n", 2),
            (r"\u2713 %s", 1),
            (r"\x1b[%dm", 1),
            (r"\\%s", 1),
            (r"100%%\n", 0),
            (r"\.\[\]", 0),
        ] {
            assert_eq!(conversions(format.as_bytes()).map(|c| c.len()), Some(count), "{format}");
        }
    }

    #[test]
    fn names_that_look_like_secrets() {
        for source in [
            "$KEY",
            "\"$x\"$a_token",
            "${PASS}",
            "${x:-${y:-$SECRET}}",
            "$(( key ))",
            "$((a + (token)))",
            "$(echo $KEY)",
        ] {
            assert!(names_a_secret(source.as_bytes()), "{source}");
        }
        for source in [
            "$x",
            "KEY=$x",
            "KEY $x TOKEN",
            "\\$KEY",
            "$(jq .key)",
            "$(cat token.txt)KEY",
            "*KEY*",
            "$((1+2))KEY",
            "${x}KEY",
        ] {
            assert!(!names_a_secret(source.as_bytes()), "{source}");
        }
    }
}
