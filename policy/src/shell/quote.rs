//! `$'…'`: its escapes, as far as bash and zsh agree on them.

use crate::shell::Dialect;

/// What the text between the quotes of `$'…'` says.
pub(super) struct Ansi {
    /// The bytes it stands for.
    pub bytes: Vec<u8>,
    /// Its length in the source, closing quote included.
    pub length: usize,
    /// False if it holds a NUL, or an escape that is not the same everywhere.
    pub plain: bool,
}

/// Reads the text behind `$'`; `None` if it is not closed.
pub(super) fn ansi(text: &[u8], dialect: Dialect) -> Option<Ansi> {
    let mut bytes = Vec::new();
    let mut plain = true;
    let mut i = 0;
    loop {
        let byte = *text.get(i)?;
        i += 1;
        match byte {
            b'\'' => return Some(Ansi { bytes, length: i, plain }),
            b'\\' => {
                let escape = *text.get(i)?;
                i += 1;
                match escape {
                    b'a' => bytes.push(7),
                    b'b' => bytes.push(8),
                    b'e' | b'E' => bytes.push(27),
                    b'f' => bytes.push(12),
                    b'n' => bytes.push(b'\n'),
                    b'r' => bytes.push(b'\r'),
                    b't' => bytes.push(b'\t'),
                    b'v' => bytes.push(11),
                    b'\\' | b'\'' | b'"' => bytes.push(escape),
                    b'?' if dialect == Dialect::Bash => bytes.push(escape),
                    b'0'..=b'7' => {
                        let digits = run(text, i - 1, 3, |b| matches!(b, b'0'..=b'7'));
                        i = i - 1 + digits.len();
                        plain &= number(digits, 8, &mut bytes);
                    }
                    b'x' => {
                        let digits = run(text, i, 2, |b| b.is_ascii_hexdigit());
                        i += digits.len();
                        plain &= number(digits, 16, &mut bytes);
                    }
                    other => {
                        // \u and \U depend on the locale, \c on the shell; the rest keep or lose the backslash.
                        bytes.extend([b'\\', other]);
                        plain = false;
                    }
                }
            }
            other => bytes.push(other),
        }
    }
}

fn run(text: &[u8], from: usize, most: usize, is_digit: impl Fn(u8) -> bool) -> &[u8] {
    let rest = text.get(from..).unwrap_or_default();
    let len = rest.iter().take(most).take_while(|b| is_digit(**b)).count();
    rest.get(..len).unwrap_or_default()
}

/// Adds the byte that the digits name; false if they name none, NUL or more than a byte.
fn number(digits: &[u8], radix: u32, bytes: &mut Vec<u8>) -> bool {
    let value = std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, radix).ok());
    match value.and_then(|v| u8::try_from(v).ok()) {
        Some(byte) => {
            bytes.push(byte);
            byte != 0
        }
        None => false,
    }
}
