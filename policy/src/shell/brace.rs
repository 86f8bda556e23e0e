//! The pieces of a word as they are read, and the brace expansions found among them.

use crate::shell::ast::Part;
use crate::shell::words::MAX_BRACE_WORDS;

/// A piece of a word before braces are looked for.
#[derive(Clone, Debug)]
enum Piece {
    Part(Part),
    Open,
    Comma,
    Close,
}

/// The pieces of one word, each with the source range it came from.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    list: Vec<(Piece, usize, usize)>,
    /// The unquoted byte read last; 0 after anything else.
    pub last: u8,
    /// A bracket expression with quotes in it has begun: unquoted bytes are members or ranges of it, or at least
    /// stand unquoted, and have to be written so again.
    pub in_pattern: bool,
    /// The same with a brace behind the bracket: what the braces make of it is not written here.
    in_braced_pattern: bool,
    /// A `$` that stands for itself, outside quotes.
    pub dollar: bool,
    /// That pattern has an end.
    pub braced_pattern: bool,
}

impl Pieces {
    /// How many words the braces may make at most, roughly: what nests counts as if it stood side by side.
    pub fn breadth(&self) -> u64 {
        let mut product = 1u64;
        let mut commas = Vec::new();
        for (piece, ..) in &self.list {
            match piece {
                Piece::Open => commas.push(1u64),
                Piece::Comma => {
                    if let Some(count) = commas.last_mut() {
                        *count += 1;
                    }
                }
                Piece::Close => product = product.saturating_mul(commas.pop().unwrap_or(1)),
                Piece::Part(Part::Bare(bytes)) if !commas.is_empty() => {
                    product = product.saturating_mul(sequence_length(bytes));
                }
                Piece::Part(_) => {}
            }
        }
        product
    }

    /// True if a `}` without a `{` of its own closes one all the same: of `{a}b,c}` bash makes `a}b` and `c`.
    pub fn closes_twice(&self) -> bool {
        let (mut open, mut met, mut comma) = (0usize, false, false);
        self.list.iter().any(|(piece, ..)| {
            match piece {
                Piece::Open => (open, met) = (open + 1, true),
                Piece::Comma => comma |= met,
                Piece::Close if open == 0 => return comma,
                Piece::Close => open -= 1,
                Piece::Part(_) => {}
            }
            false
        })
    }

    /// True if a `{` has no `}`.
    pub fn unclosed(&self) -> bool {
        let of = |kind: fn(&Piece) -> bool| self.list.iter().filter(|(piece, ..)| kind(piece)).count();
        of(|p| matches!(p, Piece::Open)) > of(|p| matches!(p, Piece::Close))
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds an unquoted byte.
    pub fn bare(&mut self, byte: u8, pos: usize) {
        self.last = byte;
        self.braced_pattern |= self.in_braced_pattern && byte == b']';
        // A dollar means itself in a pattern, and behind it a quote is written as of another word.
        if self.in_pattern && byte != b'$' {
            match self.list.last_mut() {
                Some((Piece::Part(Part::Glob(bytes)), _, end)) => {
                    bytes.push(byte);
                    *end = pos + 1;
                }
                _ => self.list.push((Piece::Part(Part::Glob(vec![byte])), pos, pos + 1)),
            }
            return;
        }
        if let Some((Piece::Part(Part::Bare(bytes)), _, end)) = self.list.last_mut() {
            bytes.push(byte);
            *end = pos + 1;
            return;
        }
        self.list.push((Piece::Part(Part::Bare(vec![byte])), pos, pos + 1));
    }

    /// Adds unquoted bytes of which none means anything, wherever it stands.
    pub fn plain(&mut self, bytes: &[u8], pos: usize) {
        let Some((last, before)) = bytes.split_last() else { return };
        match self.list.last_mut() {
            Some((Piece::Part(Part::Bare(old)), ..)) if !self.in_pattern => old.extend_from_slice(before),
            _ if self.in_pattern => before.iter().for_each(|b| self.bare(*b, pos)),
            _ => {
                let mut all = Vec::with_capacity(bytes.len());
                all.extend_from_slice(before);
                self.list.push((Piece::Part(Part::Bare(all)), pos, pos));
            }
        }
        self.bare(*last, pos + before.len());
    }

    /// Adds quoted bytes; an empty quote counts.
    pub fn quoted(&mut self, bytes: &[u8], start: usize, end: usize) {
        self.last = 0;
        if let Some((Piece::Part(Part::Quoted(old)), _, old_end)) = self.list.last_mut() {
            old.extend_from_slice(bytes);
            *old_end = end;
            return;
        }
        self.list.push((Piece::Part(Part::Quoted(bytes.to_vec())), start, end));
    }

    /// Adds a part.
    pub fn part(&mut self, part: Part, start: usize, end: usize) {
        self.last = 0;
        self.list.push((Piece::Part(part), start, end));
    }

    /// Adds `{`, `,` or `}` where it may belong to a brace expansion.
    pub fn brace(&mut self, byte: u8, pos: usize) {
        self.last = byte;
        // The elements of a sequence are told by their bytes.
        self.in_braced_pattern |= std::mem::take(&mut self.in_pattern);
        let piece = match byte {
            b'{' => Piece::Open,
            b',' => Piece::Comma,
            _ => Piece::Close,
        };
        self.list.push((piece, pos, pos + 1));
    }

    /// The unquoted bytes the word begins with.
    pub fn head(&self) -> &[u8] {
        match self.list.first() {
            Some((Piece::Part(Part::Bare(bytes)), ..)) => bytes,
            _ => &[],
        }
    }

    /// The parts of the word. `source` is the text the ranges lie in; `loose` widens what counts as a sequence
    /// (zsh expands `{1..$n}`).
    pub fn finish(self, source: &[u8], loose: bool) -> Vec<Part> {
        let list = self.list;
        let mut out = Vec::with_capacity(list.len());
        if !list.iter().any(|(piece, ..)| matches!(piece, Piece::Open)) {
            list.into_iter().for_each(|(piece, ..)| push(&mut out, piece));
            return out;
        }
        let pairs = Pairs::of(&list);
        let mut i = 0;
        while let Some((piece, start, _)) = list.get(i) {
            if matches!(piece, Piece::Open)
                && let Some(close) = pairs.close_of(i)
                && let Some(inside) = list.get(i + 1..close)
                && let Some((_, _, end)) = list.get(close)
                && let Some(expanded) = group(&list, i, close, &pairs, loose, source)
            {
                out.push(Part::Brace {
                    source: source.get(*start..*end).unwrap_or_default().to_vec(),
                    inner: inside
                        .iter()
                        .filter_map(|(piece, ..)| match piece {
                            Piece::Part(part) if !matches!(part, Part::Bare(_) | Part::Quoted(_)) => {
                                Some(part.clone())
                            }
                            _ => None,
                        })
                        .collect(),
                    expanded,
                });
                i = close + 1;
                continue;
            }
            push(&mut out, piece.clone());
            i += 1;
        }
        out
    }
}

/// Adds a piece as a part; a brace that expands nothing is itself.
fn push(out: &mut Vec<Part>, piece: Piece) {
    let part = match piece {
        Piece::Part(part) => part,
        Piece::Open => Part::Bare(b"{".to_vec()),
        Piece::Comma => Part::Bare(b",".to_vec()),
        Piece::Close => Part::Bare(b"}".to_vec()),
    };
    match (out.last_mut(), part) {
        (Some(Part::Bare(old)), Part::Bare(bytes)) => old.extend_from_slice(&bytes),
        (_, part) => out.push(part),
    }
}

/// Which `}` belongs to which `{`, and how many commas stand before each piece: groups within groups are stepped
/// over, since looking into each of them again would cost the square of the depth.
struct Pairs {
    close: Vec<Option<usize>>,
    commas: Vec<usize>,
    dots: Vec<usize>,
}

impl Pairs {
    fn of(list: &[(Piece, usize, usize)]) -> Pairs {
        let mut close = vec![None; list.len()];
        let mut commas = Vec::with_capacity(list.len());
        let mut dots = Vec::with_capacity(list.len());
        let mut open = Vec::new();
        let mut count = 0;
        let mut dotted = 0;
        for (i, (piece, ..)) in list.iter().enumerate() {
            commas.push(count);
            dots.push(dotted);
            match piece {
                Piece::Open => open.push(i),
                Piece::Close => {
                    if let Some(slot) = open.pop().and_then(|o: usize| close.get_mut(o)) {
                        *slot = Some(i);
                    }
                }
                Piece::Comma => count += 1,
                Piece::Part(Part::Bare(bytes)) if bytes.windows(2).any(|w| w == b"..") => dotted += 1,
                Piece::Part(_) => {}
            }
        }
        Pairs { close, commas, dots }
    }

    /// The `}` of the `{` at this index.
    fn close_of(&self, open: usize) -> Option<usize> {
        self.close.get(open).copied().flatten()
    }

    /// True if `..` stands between these two pieces, at any depth.
    fn any_dots(&self, from: usize, to: usize) -> bool {
        self.dots.get(from) != self.dots.get(to)
    }

    /// True if a comma stands between these two pieces, at any depth.
    fn any_comma(&self, from: usize, to: usize) -> bool {
        self.commas.get(from) != self.commas.get(to)
    }
}

/// What the group in braces from `open` to `close` expands to: `None` = it is no brace expansion, `Some(None)` = not
/// known or too much.
#[allow(clippy::option_option, reason = "two questions, each with its own no")]
fn group(
    list: &[(Piece, usize, usize)],
    open: usize,
    close: usize,
    pairs: &Pairs,
    loose: bool,
    source: &[u8],
) -> Option<Option<Vec<Vec<u8>>>> {
    let inside = list.get(open + 1..close)?;
    let mut elements: Vec<&[(Piece, usize, usize)]> = Vec::new();
    let mut from = open + 1;
    let mut i = from;
    while i < close {
        match list.get(i).map(|(piece, ..)| piece) {
            Some(Piece::Open) => i = pairs.close_of(i).unwrap_or(i),
            Some(Piece::Comma) => {
                elements.push(list.get(from..i).unwrap_or_default());
                from = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    let any_comma = pairs.any_comma(open, close);
    if elements.is_empty() {
        // No comma of its own: a sequence, or, with commas further in, left to the group further in.
        if any_comma {
            // `{1..{a,b}}`: what begins as a sequence loses its braces.
            return pairs.any_dots(open, close).then_some(None);
        }
        return match inside {
            // Of what is no sequence zsh still takes the braces away, if it begins or ends as one: `{1..}` is `1..`.
            [(Piece::Part(Part::Bare(bytes)), ..)] => {
                sequence(bytes).or_else(|| (loose && bytes.windows(2).any(|w| w == b"..")).then_some(None))
            }
            [] => None,
            [(_, start, _), .., (_, _, end)] => {
                // It sees no quotes between the dots of `{1.''.3}`. bash leaves `{3..{3..1}1}` as it is.
                let nested = inside.iter().any(|(piece, ..)| matches!(piece, Piece::Open));
                // Nor does bash see those round a comma: of `{1.."a,b"}` it takes the braces away.
                let text = source.get(*start..*end).unwrap_or_default();
                let dots = text.iter().filter(|b| **b == b'.').count();
                ((loose || nested || text.contains(&b',')) && dots > 1).then_some(None)
            }
            _ => None,
        };
    }
    elements.push(list.get(from..close).unwrap_or_default());
    let mut words: Vec<Vec<u8>> = Vec::new();
    for element in elements {
        // Only flat and literal elements are spelled out; the rest is dynamic.
        let mut word = Vec::new();
        for (piece, ..) in element {
            match piece {
                Piece::Part(Part::Bare(bytes)) if !bytes.contains(&b'~') => word.extend_from_slice(bytes),
                Piece::Part(Part::Quoted(bytes)) => word.extend_from_slice(bytes),
                Piece::Part(Part::Double(parts)) => {
                    for part in parts {
                        let Part::Quoted(bytes) = part else { return Some(None) };
                        word.extend_from_slice(bytes);
                    }
                }
                _ => return Some(None),
            }
        }
        words.push(word);
        if words.len() > MAX_BRACE_WORDS {
            return Some(None);
        }
    }
    Some(Some(words))
}

/// `a..c`, `1..3`, `1..9..2`.
#[allow(clippy::option_option, reason = "two questions, each with its own no")]
fn sequence(bytes: &[u8]) -> Option<Option<Vec<Vec<u8>>>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let fields: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match fields.as_slice() {
        [from, to] => (*from, *to, None),
        [from, to, step] => (*from, *to, Some(*step)),
        _ => return None,
    };
    let whole = |s: &str| {
        let digits = s.strip_prefix(['-', '+']).unwrap_or(s);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let letter = |s: &str| s.chars().count() == 1;
    if !((whole(from) || letter(from)) && (whole(to) || letter(to)) && step.is_none_or(whole)) {
        return None;
    }
    // Padding, signs, steps and mixed kinds are left to the shell.
    let plain = |s: &str| s == "0" || (whole(s) && !s.starts_with(['0', '-', '+']));
    if step.is_none() && plain(from) && plain(to) {
        let (Ok(from), Ok(to)) = (from.parse::<u64>(), to.parse::<u64>()) else { return Some(None) };
        if from.abs_diff(to) >= MAX_BRACE_WORDS as u64 {
            return Some(None);
        }
        let list: Vec<Vec<u8>> = (from.min(to)..=from.max(to)).map(|n| n.to_string().into_bytes()).collect();
        return Some(Some(if from <= to { list } else { list.into_iter().rev().collect() }));
    }
    match (step, from.as_bytes(), to.as_bytes()) {
        (None, [a], [b]) if a.is_ascii_lowercase() && b.is_ascii_lowercase() => {
            let list: Vec<Vec<u8>> = (*a.min(b)..=*a.max(b)).map(|c| vec![c]).collect();
            Some(Some(if a <= b { list } else { list.into_iter().rev().collect() }))
        }
        _ => Some(None),
    }
}

/// How many words `a..b` makes; 1 if it is no such thing.
fn sequence_length(bytes: &[u8]) -> u64 {
    let Some((from, to)) = std::str::from_utf8(bytes).ok().and_then(|t| t.split_once("..")) else { return 1 };
    let to = to.split("..").next().unwrap_or(to);
    let digits =
        |s: &str| !s.is_empty() && s.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit());
    if !digits(from) || !digits(to) {
        return 1;
    }
    match (from.parse::<i64>(), to.parse::<i64>()) {
        (Ok(a), Ok(b)) => a.abs_diff(b).saturating_add(1),
        // More digits than fit.
        _ => u64::MAX,
    }
}
