//! Words that a shell makes of others by itself: `${x#p}` and its kind, `{a..c}`, the names of files that a pattern takes.
//!
//! What is not followed to the byte is answered with more words than there will be, or with none at all: then a word may
//! be anything.

/// Longest value that is cut at a pattern.
const LONGEST: usize = 1024;

/// Most words of one kind.
pub(super) const WORDS: usize = 64;

/// What is left of a value by `#`, `##`, `%` or `%%` with a pattern (bash(1), "Remove matching prefix pattern"); the
/// value itself for operators that leave it. `None`: any part of it, or anything else.
pub(super) fn edited(value: &[u8], op: &[u8]) -> Option<Vec<Vec<u8>>> {
    let whole = || Some(vec![value.to_vec()]);
    let Some((mark, rest)) = op.split_first() else { return whole() };
    let bare = op.strip_prefix(b":").unwrap_or(op);
    if matches!(bare.first(), Some(b'-' | b'=' | b'+' | b'?')) {
        return whole();
    }
    if !matches!(mark, b'#' | b'%') || value.len() > LONGEST {
        return None;
    }
    let longest = rest.first() == Some(mark);
    let pattern = if longest { rest.get(1..).unwrap_or_default() } else { rest };
    let halves = |at: usize| value.split_at_checked(at).unwrap_or((value, b""));
    let left = |at: usize| if *mark == b'#' { halves(at).1 } else { halves(at).0 };
    let all = 0..=value.len();
    let Some(pattern) = Pattern::of(pattern).filter(|p| p.counts(value)) else {
        // It takes away any beginning or end.
        return (value.len() < WORDS).then(|| all.map(|at| left(at).to_vec()).collect());
    };
    let mut cuts = all.filter(|at| {
        let (front, back) = halves(*at);
        pattern.takes(if *mark == b'#' { front } else { back })
    });
    // The shortest beginning is the first, the shortest end the last.
    let cut = if (*mark == b'#') == longest { cuts.next_back() } else { cuts.next() };
    Some(vec![cut.map_or(value, left).to_vec()])
}

/// A pattern of the shell.
pub(super) struct Pattern(Vec<Piece>);

enum Piece {
    Byte(u8),
    One,
    Any,
    /// Members and ranges; true if it is all but these.
    Set(Vec<(u8, u8)>, bool),
}

impl Pattern {
    /// Reads one; `None` if something in it is known only at run time, or is not followed.
    pub fn of(text: &[u8]) -> Option<Pattern> {
        let (mut out, mut rest, mut quoted) = (Vec::new(), text, false);
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'"' => quoted = !quoted,
                b'\'' if !quoted => {
                    let end = after.iter().position(|b| *b == b'\'')?;
                    let (inside, behind) = after.split_at(end);
                    out.extend(inside.iter().map(|b| Piece::Byte(*b)));
                    rest = behind.get(1..)?;
                }
                b'\\' => {
                    let (next, behind) = after.split_first()?;
                    out.push(Piece::Byte(*next));
                    rest = behind;
                }
                b'$' | b'`' => return None,
                b'*' if !quoted => out.push(Piece::Any),
                b'?' if !quoted => out.push(Piece::One),
                b'(' | b'|' | b'~' | b'^' | b'#' | b'<' if !quoted => return None,
                b'[' if !quoted => {
                    let (set, behind) = set(after)?;
                    out.push(set);
                    rest = behind;
                }
                other => out.push(Piece::Byte(*other)),
            }
        }
        Some(Pattern(out))
    }

    /// True if what is one byte here is one for the shell: of other letters than ASCII it may take several.
    pub fn counts(&self, text: &[u8]) -> bool {
        text.is_ascii() || self.0.iter().all(|p| matches!(p, Piece::Byte(_) | Piece::Any))
    }

    /// True if it takes the whole of a text; a star takes slashes as well.
    pub fn takes(&self, text: &[u8]) -> bool {
        let (mut at, mut from) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            let hit = match (self.0.get(at), text.get(from)) {
                (Some(Piece::Any), _) => {
                    star = Some((at + 1, from));
                    at += 1;
                    continue;
                }
                (Some(piece), Some(byte)) => piece.is(*byte),
                (None, None) => return true,
                _ => false,
            };
            if hit {
                (at, from) = (at + 1, from + 1);
                continue;
            }
            match star {
                Some((back, taken)) if taken < text.len() => {
                    star = Some((back, taken + 1));
                    (at, from) = (back, taken + 1);
                }
                _ => return false,
            }
        }
    }
}

impl Piece {
    fn is(&self, byte: u8) -> bool {
        match self {
            Piece::Byte(b) => *b == byte,
            Piece::One | Piece::Any => true,
            Piece::Set(ranges, but) => ranges.iter().any(|(a, b)| (*a..=*b).contains(&byte)) != *but,
        }
    }
}

/// The bracket expression behind its `[`, and what follows. `None` for classes, for quotes in it and without an end.
fn set(text: &[u8]) -> Option<(Piece, &[u8])> {
    let inside = text.strip_prefix(b"!").or(text.strip_prefix(b"^"));
    let but = inside.is_some();
    let inside = inside.unwrap_or(text);
    // One that stands first is a member.
    let end = inside.iter().skip(1).position(|b| *b == b']')? + 1;
    let (members, behind) = inside.split_at(end);
    if members.iter().any(|b| b"[\"'\\$`".contains(b)) {
        return None;
    }
    let mut ranges: Vec<(u8, u8)> = members.iter().map(|b| (*b, *b)).collect();
    for three in members.windows(3) {
        if let [from, b'-', to] = three {
            ranges.push((*from, *to));
        }
    }
    Some((Piece::Set(ranges, but), behind.get(1..)?))
}

/// What stands between the commas of braces that lie in no quotes, substitutions or braces of their own.
pub(super) fn elements(inside: &[u8]) -> Vec<&[u8]> {
    let (mut out, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    let (mut quote, mut escaped) = (0, false);
    for (at, byte) in inside.iter().enumerate() {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' => escaped = quote != b'\'',
            b if *b == quote => quote = 0,
            b'"' | b'\'' if quote == 0 => quote = *byte,
            _ if quote != 0 => {}
            b'{' | b'(' => depth += 1,
            b'}' | b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.extend(inside.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    out.extend(inside.get(from..));
    out
}

/// Every word that `a..b` and `1..9..2` may make: with each step, padded or not. `Some(None)` if it is no such thing,
/// `None` if they are too many.
#[expect(clippy::option_option, reason = "two questions, each with its own no")]
pub(super) fn range(inside: &[u8]) -> Option<Option<Vec<Vec<u8>>>> {
    let Some(text) = std::str::from_utf8(inside).ok() else { return Some(None) };
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to) = match fields.as_slice() {
        [from, to] | [from, to, _] => (*from, *to),
        _ => return Some(None),
    };
    if let (Ok(a), Ok(b)) = (from.parse::<i64>(), to.parse::<i64>()) {
        if a.abs_diff(b) >= WORDS as u64 {
            return None;
        }
        let width = from.len().max(to.len());
        let mut out: Vec<Vec<u8>> = (a.min(b)..=a.max(b)).map(|n| n.to_string().into_bytes()).collect();
        let padded = |n: &str| n.trim_start_matches(['-', '+']).starts_with('0') && n.len() > 1;
        if padded(from) || padded(to) {
            out.extend((a.min(b)..=a.max(b)).map(|n| format!("{n:0width$}").into_bytes()));
        }
        return (out.len() <= WORDS).then_some(Some(out));
    }
    match (from.as_bytes(), to.as_bytes()) {
        ([a], [b]) if a.abs_diff(*b) < 64 => Some(Some((*a.min(b)..=*a.max(b)).map(|c| vec![c]).collect())),
        ([_], [_]) => None,
        _ => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_value() {
        for (value, op, want) in [
            ("prex", "%x", "pre"),
            ("xpre", "#x", "pre"),
            ("xpre", "#y", "xpre"),
            ("a/b/pre", "#*/", "b/pre"),
            ("a/b/pre", "##*/", "pre"),
            ("a.b.c", "%.*", "a.b"),
            ("a.b.c", "%%.*", "a"),
            ("xpre", "#[a-x]", "pre"),
            ("xpre", "#[!a-w]", "pre"),
            ("xpre", "#?", "pre"),
            ("xpre", "#'x'", "pre"),
            ("*pre", "#\"*\"", "pre"),
            ("*pre", "#\\*", "pre"),
            ("pre", ":-x", "pre"),
            ("pre", "", "pre"),
            ("ab", "#$x", "ab b "),
            ("ab", "%$x", " a ab"),
            ("]a", "#[]]", "a"),
            ("éa", "%a", "é"),
        ] {
            let got = edited(value.as_bytes(), op.as_bytes()).unwrap().join(&b' ');
            assert_eq!(String::from_utf8_lossy(&got), want, "{value} {op}");
        }
        for op in [":1", "/a/b", "^^", "@U", "[1]"] {
            assert_eq!(edited(b"ab", op.as_bytes()), None, "{op}");
        }
        assert_eq!(edited("éa".as_bytes(), b"#?").unwrap().len(), 4);
        assert_eq!(edited(&[b'a'; 2000], b"#a"), None);
        assert_eq!(edited(&[b'a'; 100], b"#$x"), None);
    }

    #[test]
    fn patterns_take_whole_texts() {
        for (pattern, text, takes) in [
            ("*/evil", "SHELL=./evil", true),
            ("*=*/*", "--pre=./evil", true),
            ("e??", "env", true),
            ("e??", "en", false),
            ("[e]nv", "env", true),
            ("*a*b", "xaab", true),
            ("*a*b", "xaabc", false),
            ("", "", true),
            ("**", "", true),
        ] {
            assert_eq!(Pattern::of(pattern.as_bytes()).unwrap().takes(text.as_bytes()), takes, "{pattern}");
        }
        for pattern in ["@(a|b)", "[[:alpha:]]", "[a", "$x", "a\\"] {
            assert!(Pattern::of(pattern.as_bytes()).is_none(), "{pattern}");
        }
    }

    #[test]
    fn braces() {
        for (inside, want) in [
            ("K..M", "K L M"),
            ("3..1", "1 2 3"),
            ("O..O", "O"),
            ("1..5..2", "1 2 3 4 5"),
            ("01..2", "1 2 01 02"),
            ("Z..a", "Z [ \\ ] ^ _ ` a"),
        ] {
            let got = range(inside.as_bytes()).unwrap().unwrap().join(&b' ');
            assert_eq!(String::from_utf8_lossy(&got), want, "{inside}");
        }
        for inside in ["", "ab..c", "a", "1..$n", "a.."] {
            assert_eq!(range(inside.as_bytes()), Some(None), "{inside}");
        }
        for inside in ["1..100", "!..~"] {
            assert_eq!(range(inside.as_bytes()), None, "{inside}");
        }
        for (inside, count) in
            [("a,{b,c}", 2), ("a,'b,c',\"d,e\"", 3), ("a\\,b", 1), ("$(x a,b),c", 2), (",", 2)]
        {
            assert_eq!(elements(inside.as_bytes()).len(), count, "{inside}");
        }
    }
}
