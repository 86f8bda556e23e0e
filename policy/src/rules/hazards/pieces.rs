//! The literal pieces of a word that is known only in part: what stands between them is filled with a stand-in.
//!
//! Read so, a program text in which one variable stands still says what its other letters do. It only ever finds more
//! to ask about. Source: POSIX sh 2.2 (quoting), 2.6 (expansions); bash(1) QUOTING for `$'…'`.

/// What is put in place of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fill {
    /// These bytes.
    With(&'static [u8]),
    /// The word that the text gives for it (`${x:-word}`); nothing where it gives none.
    Default,
}

/// What a program text is read with: a variable that is not set, a number, a command of sed (or a name of awk), its
/// default.
pub(super) const FILLS: &[Fill] = &[Fill::With(b""), Fill::With(b"1"), Fill::With(b"p"), Fill::Default];

/// Deepest nesting that is followed.
const DEEPEST: usize = 64;

/// True if a shell makes the word: else it is one that was written down, with a mark in it that is replaced.
pub(super) fn by_shell(source: &[u8]) -> bool {
    source.iter().any(|b| b"$`".contains(b))
}

/// The word with its variables and substitutions filled; `None` if it cannot be told where one of them ends.
pub(super) fn filled(source: &[u8], fill: Fill) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let put = |out: &mut Vec<u8>| {
        if let Fill::With(bytes) = fill {
            out.extend_from_slice(bytes);
        }
    };
    let shell = by_shell(source);
    let mut double = false;
    let mut i = 0;
    while let Some(byte) = source.get(i).copied() {
        i += 1;
        let next = source.get(i).copied();
        match byte {
            // The mark of xargs and find, in a word without quotes.
            b'{' if !shell && next == Some(b'}') => {
                put(&mut out);
                i += 1;
            }
            _ if !shell => out.push(byte),
            b'"' => double = !double,
            b'\'' if !double => {
                let end = close(source, i, b'\'', 0)?;
                out.extend_from_slice(source.get(i..end - 1)?);
                i = end;
            }
            b'\\' => {
                if double && !next.is_some_and(|b| b"$`\"\\\n".contains(&b)) {
                    out.push(byte);
                }
                out.extend(next.filter(|b| *b != b'\n'));
                i += 1;
            }
            b'`' => {
                i = close(source, i, b'`', 0)?;
                put(&mut out);
            }
            b'$' => match next {
                Some(b'(') => {
                    i = close(source, i + 1, b')', 0)?;
                    put(&mut out);
                }
                Some(b'{') => {
                    let end = close(source, i + 1, b'}', 0)?;
                    let inside = source.get(i + 1..end - 1)?;
                    match fill {
                        Fill::Default => out.extend(default(inside)),
                        Fill::With(bytes) => out.extend_from_slice(bytes),
                    }
                    i = end;
                }
                // What its escapes make of letters is not read: a script with one in it is not understood.
                Some(b'\'') if !double => {}
                Some(b'"') if !double => {}
                Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                    let rest = source.get(i..).unwrap_or_default();
                    i += rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                    put(&mut out);
                }
                Some(b) if b.is_ascii_digit() || b"@*#?$!-".contains(&b) => {
                    i += 1;
                    put(&mut out);
                }
                _ => out.push(byte),
            },
            _ => out.push(byte),
        }
    }
    Some(out)
}

/// The word of `NAME:-WORD` and its kind, without quotes.
fn default(inside: &[u8]) -> Vec<u8> {
    let name = inside.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_@*".contains(b)).count();
    let op = inside.get(name..).unwrap_or_default();
    match op.strip_prefix(b":").unwrap_or(op).split_first() {
        Some((b'-' | b'=' | b'+', word)) => word.iter().copied().filter(|b| !b"'\"\\".contains(b)).collect(),
        _ => Vec::new(),
    }
}

/// The place behind `end`, which closes what opened before `i`.
fn close(text: &[u8], mut i: usize, end: u8, depth: usize) -> Option<usize> {
    if depth > DEEPEST {
        return None;
    }
    while let Some(byte) = text.get(i).copied() {
        i += 1;
        if byte == end {
            return Some(i);
        }
        if end == b'\'' {
            continue;
        }
        let next = text.get(i).copied();
        i = match (byte, next) {
            (b'\\', _) => i + 1,
            (b'\'' | b'"', _) if end != b'"' && end != b'`' => close(text, i, byte, depth + 1)?,
            (b'(', _) if end == b')' => close(text, i, b')', depth + 1)?,
            (b'$', Some(b'(')) => close(text, i + 1, b')', depth + 1)?,
            (b'$', Some(b'{')) => close(text, i + 1, b'}', depth + 1)?,
            _ => i,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_variables() {
        for (source, with, default) in [
            (r#""s|$HOME|x|g""#, "s|x|x|g", "s||x|g"),
            (r#""1${y}e./evil""#, "1xe./evil", "1e./evil"),
            (r#"1$y'e "./evil'"#, r#"1xe "./evil"#, r#"1e "./evil"#),
            (r#""$((1))e""#, "xe", "e"),
            (r#""${y:-1e./evil}""#, "x", "1e./evil"),
            (r#""${y%.txt}p""#, "xp", "p"),
            (r#""100,\$p;$x""#, "100,$p;x", "100,$p;"),
            (r#""s/\(a\)$/$b/""#, r"s/\(a\)$/x/", r"s/\(a\)$//"),
            (r#""$(echo ")" "$(x '(')")p""#, "xp", "p"),
            ("`echo \\``p", "xp", "p"),
            ("s/a b/{}/", "s/a b/x/", "s/a b//"),
            (r"$x$'1\x65'", r"x1\x65", r"1\x65"),
        ] {
            let show = |fill| String::from_utf8_lossy(&filled(source.as_bytes(), fill).unwrap()).into_owned();
            assert_eq!(show(Fill::With(b"x")), with, "{source}");
            assert_eq!(show(Fill::Default), default, "{source}");
        }
        for source in ["\"$(x", "${x", "`x", "$x'"] {
            assert_eq!(filled(source.as_bytes(), Fill::Default), None, "{source}");
        }
        assert_eq!(filled("$(".repeat(100_000).as_bytes(), Fill::Default), None);
    }
}
