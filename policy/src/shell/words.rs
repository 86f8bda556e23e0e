//! What a word is known to be before anything runs.

use std::borrow::Cow;

use crate::arg::Arg;
use crate::decision::Span;
use crate::shell::ast::{Part, Word};

/// The most words a brace expansion may become here; beyond it the word is dynamic.
pub const MAX_BRACE_WORDS: usize = 64;

impl Word {
    /// The bytes of the word after quote removal, if nothing in it is decided at run time.
    pub fn literal(&self) -> Option<Vec<u8>> {
        if !is_literal(&self.parts) {
            return None;
        }
        let mut out = Vec::new();
        append_literal(&self.parts, &mut out).then_some(out)
    }

    /// The same, without a copy where one part is all of it.
    pub fn text(&self) -> Option<Cow<'_, [u8]>> {
        let parts = match self.parts.as_slice() {
            [Part::Double(inner)] => inner.as_slice(),
            parts => parts,
        };
        match parts {
            [Part::Bare(bytes) | Part::Quoted(bytes)] => Some(Cow::Borrowed(bytes)),
            _ => self.literal().map(Cow::Owned),
        }
    }

    /// True if one of the arguments that the word becomes ([`Word::to_args`]) is literal, and such a one.
    pub fn any_literal(&self, mut such: impl FnMut(&[u8]) -> bool) -> bool {
        if let [Part::Bare(bytes) | Part::Quoted(bytes)] = self.parts.as_slice() {
            return such(bytes);
        }
        match self.expand_braces() {
            Some(words) => words.iter().any(|word| such(word)),
            None => self.text().is_some_and(|word| such(&word)),
        }
    }

    /// True if the word is literal and nothing in it was quoted: only then can it be a keyword or an alias.
    pub fn is_bare(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|p| matches!(p, Part::Bare(_)))
    }

    /// The word as one argument. A word with an active brace expansion is dynamic here: see
    /// [`Word::to_args`].
    pub fn to_arg(&self, source: &[u8]) -> Arg {
        match self.text() {
            Some(bytes) => Arg::Literal(bytes.into_owned()),
            None => {
                let mut prefix = Vec::new();
                append_literal(&self.parts, &mut prefix);
                Arg::Dynamic {
                    source: slice(source, self.span),
                    prefix,
                    single: self.parts.iter().all(single),
                }
            }
        }
    }

    /// True if the word always becomes exactly one argument, given the parameters that are digits for certain.
    pub fn is_single(&self, numbers: &[Span]) -> bool {
        let digits = |p: &Part| matches!(p, Part::Param { op: None, span, .. } if numbers.contains(span));
        self.parts.iter().all(|p| single(p) || digits(p))
    }

    /// The arguments the word becomes: several if it holds a brace expansion that is literal throughout
    /// and small, otherwise one.
    pub fn to_args(&self, source: &[u8]) -> Vec<Arg> {
        match self.expand_braces() {
            Some(words) => words.into_iter().map(Arg::Literal).collect(),
            None => vec![self.to_arg(source)],
        }
    }

    /// True if it holds an active brace expansion.
    pub(crate) fn has_braces(&self) -> bool {
        self.parts.iter().any(|p| matches!(p, Part::Brace { .. }))
    }

    /// The words a brace expansion makes of this one; `None` if there is none, if a part is dynamic, or
    /// if there are more than [`MAX_BRACE_WORDS`].
    pub fn expand_braces(&self) -> Option<Vec<Vec<u8>>> {
        if !self.has_braces() || tilde_at_risk(&self.parts) {
            return None;
        }
        let mut out: Vec<Vec<u8>> = vec![Vec::new()];
        for part in &self.parts {
            match part {
                Part::Brace { expanded: Some(words), .. } => {
                    if out.len().saturating_mul(words.len()) > MAX_BRACE_WORDS {
                        return None;
                    }
                    out = out
                        .iter()
                        .flat_map(|head| words.iter().map(move |tail| [head.as_slice(), tail].concat()))
                        .collect();
                }
                _ => {
                    let mut tail = Vec::new();
                    if !append_literal(std::slice::from_ref(part), &mut tail) {
                        return None;
                    }
                    out.iter_mut().for_each(|head| head.extend_from_slice(&tail));
                }
            }
        }
        // A word that comes out empty vanishes or stays, as its quotes and the shell will have it.
        (!out.iter().any(Vec::is_empty)).then_some(out)
    }
}

/// The source bytes of a span; empty if it does not lie in the source.
pub fn slice(source: &[u8], span: Span) -> Vec<u8> {
    source.get(span.start..span.end).unwrap_or_default().to_vec()
}

/// True if nothing among `parts` is decided at run time.
fn is_literal(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Bare(_) | Part::Quoted(_) => true,
        Part::Double(inner) => is_literal(inner),
        _ => false,
    })
}

/// Appends the literal start of `parts`; true if all of it was literal.
fn append_literal(parts: &[Part], out: &mut Vec<u8>) -> bool {
    for part in parts {
        match part {
            Part::Bare(bytes) | Part::Quoted(bytes) => out.extend_from_slice(bytes),
            Part::Double(inner) => {
                if !append_literal(inner, out) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// True if a part of an unquoted word becomes exactly one piece whatever its value.
fn single(part: &Part) -> bool {
    match part {
        // What a tilde becomes is neither split nor globbed (POSIX 2.6.1).
        Part::Bare(_) | Part::Quoted(_) | Part::Tilde(_) => true,
        Part::Double(inner) => inner.iter().all(single_in_quotes),
        _ => false,
    }
}

/// The same for a part inside double quotes: only lists (`$@`, `$*`, arrays) become several there.
fn single_in_quotes(part: &Part) -> bool {
    match part {
        Part::Bare(_) | Part::Quoted(_) | Part::Command { .. } | Part::Arith { .. } | Part::Glob(_) => true,
        Part::Double(inner) => inner.iter().all(single_in_quotes),
        Part::Param { name, op, .. } => {
            !matches!(name.as_slice(), b"@" | b"*")
                && op.as_ref().is_none_or(|op| {
                    // `${a[0]}` is one word, `${a[@]}` as many as there are.
                    let list = |p: &Part| matches!(p, Part::Bare(b) if matches!(b.as_slice(), b"@" | b"*"));
                    if op.op == b"[" {
                        return !op.word.iter().any(list);
                    }
                    matches!(
                        op.op.as_slice(),
                        b":-" | b"-" | b":+" | b"+" | b":?" | b"?" | b"#" | b"##" | b"%" | b"%%" | b"len"
                    ) && op.word.iter().all(single_in_quotes)
                })
        }
        _ => false,
    }
}

/// True if a tilde that is text now could be active once the braces of the word are gone: `{,a}~`, `{a,b}=~`.
pub(super) fn tilde_at_risk(parts: &[Part]) -> bool {
    parts.iter().enumerate().any(|(i, part)| {
        let Part::Bare(bytes) = part else { return false };
        let first = bytes.iter().position(|b| *b == b'~');
        match first {
            None => false,
            Some(0) => true,
            Some(_) => i > 0 || bytes.windows(2).any(|w| matches!(w, b":~" | b"=~")),
        }
    })
}
