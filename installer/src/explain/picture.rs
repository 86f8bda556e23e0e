//! A text with places marked, drawn as compilers draw them.
//!
//! What is drawn is the text made visible, so that an escape sequence in a command moves nothing; places are carried over.
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Renderer, Snippet};
use protocol::Shown;

/// A text to be drawn. Having one tells you: every character of it is visible, line ends excepted.
pub struct Source {
    shown: String,
    /// Begin of each line in the original and in what is shown.
    lines: Vec<(usize, usize)>,
    original: Vec<u8>,
}

impl Source {
    /// A text as it came.
    pub fn new(text: &[u8]) -> Source {
        let (mut shown, mut lines, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
        for line in text.split(|b| *b == b'\n') {
            if at > 0 {
                shown.push('\n');
            }
            lines.push((at, shown.len()));
            shown.push_str(Shown::text(line).as_str());
            at += line.len() + 1;
        }
        Source { shown, lines, original: text.to_vec() }
    }

    /// Where a byte of the original stands in what is shown.
    fn place(&self, at: usize) -> usize {
        let mut at = at.min(self.original.len());
        // In the middle of a character its begin is meant.
        for _ in 0..3 {
            if self.original.get(at).is_some_and(|b| b & 0xc0 == 0x80) {
                at = at.saturating_sub(1);
            }
        }
        let line = self.lines.partition_point(|(begin, _)| *begin <= at).saturating_sub(1);
        let Some((begin, shown)) = self.lines.get(line) else { return 0 };
        let before = self.original.get(*begin..at).unwrap_or_default();
        let mut place = (shown + Shown::text(before).as_str().len()).min(self.shown.len());
        while !self.shown.is_char_boundary(place) {
            place -= 1;
        }
        place
    }

    /// Where a range of the original stands in what is shown; never empty where there is text to mark.
    fn range(&self, of: &Range<usize>) -> Range<usize> {
        let (start, end) = (self.place(of.start), self.place(of.end));
        start..end.max(start)
    }

    /// True if it is short enough to be shown whole.
    fn is_short(&self) -> bool {
        self.lines.len() <= 8 && self.shown.len() <= 1000
    }
}

/// A place and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Bytes of the original text.
    pub range: Range<usize>,
    /// The words, of one line.
    pub label: String,
    /// False for what is only to be known.
    pub guilty: bool,
}

/// The snippet with its marks; of a long text the lines around them.
pub fn snippet<'a>(
    source: &'a Source,
    name: &'a str,
    marks: &'a [Mark],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut out = Snippet::source(&*source.shown).path(name).fold(!source.is_short());
    for mark in marks {
        let kind = if mark.guilty { AnnotationKind::Primary } else { AnnotationKind::Context };
        out = out.annotation(kind.span(source.range(&mark.range)).label(&*mark.label));
    }
    if marks.is_empty() {
        // Without a place it is the text as a whole: its begin is shown.
        let end = source.lines.get(4).map_or(source.shown.len(), |(_, shown)| shown.saturating_sub(1));
        out = out.annotation(AnnotationKind::Visible.span(0..end));
    }
    out
}

/// Draws; one line end at the end. `width` is that of the terminal, columns.
pub fn draw(groups: &[Group<'_>], colour: bool, width: usize) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.term_width(width).render(groups);
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use annotate_snippets::Level;

    fn drawn(text: &[u8], ranges: &[Range<usize>]) -> String {
        let source = Source::new(text);
        let marks: Vec<Mark> =
            ranges.iter().map(|r| Mark { range: r.clone(), label: "here".into(), guilty: true }).collect();
        draw(&[Level::ERROR.primary_title("t").element(snippet(&source, "text", &marks))], false, 100)
    }

    /// The line under the source line that holds `needle`.
    fn under(drawn: &str, needle: &str) -> (String, String) {
        let lines: Vec<&str> = drawn.lines().collect();
        let at = lines.iter().position(|l| l.contains(needle)).unwrap_or_else(|| panic!("{drawn}"));
        (lines[at].to_owned(), lines[at + 1].to_owned())
    }

    #[test]
    fn marks_stand_under_what_they_mean() {
        for (text, range, needle) in [
            (&b"ls; rm x"[..], 4..8, "rm x"),
            ("\u{e4}\u{f6}\u{fc}; rm x".as_bytes(), 8..12, "rm x"),
            (b"\x1b[2J; rm x", 6..10, "rm x"),
            (b"a\tb\xff; rm x", 6..10, "rm x"),
            (b"ls\necho \x00; rm x\nls", 11..15, "rm x"),
        ] {
            let drawn = drawn(text, std::slice::from_ref(&range));
            assert!(!drawn.contains(['\x1b', '\t', '\0']), "{drawn:?}");
            let (line, marks) = under(&drawn, needle);
            let column = |s: &str, c: &str| s.split(c).next().unwrap().chars().count();
            assert_eq!(column(&line, needle), column(&marks, "^"), "{drawn}");
            assert_eq!(marks.matches('^').count(), 4, "{drawn}");
        }
    }

    #[test]
    fn of_a_long_text_only_the_lines_around() {
        let mut text = "echo a\n".repeat(500);
        let at = text.len();
        text.push_str("rm -rf x\n");
        text.push_str(&"echo b\n".repeat(500));
        let drawn = drawn(text.as_bytes(), std::slice::from_ref(&(at..at + 8)));
        assert!(drawn.contains("501 |") && drawn.contains("rm -rf x"), "{drawn}");
        assert!(drawn.lines().count() < 15, "{drawn}");
    }

    #[test]
    fn of_a_long_line_only_what_fits() {
        let text = format!("{}; rm x; {}", "echo a; ".repeat(400), "echo b; ".repeat(400));
        let at = text.find("rm x").unwrap();
        let drawn = drawn(text.as_bytes(), std::slice::from_ref(&(at..at + 4)));
        assert!(drawn.lines().all(|l| l.chars().count() < 140), "{drawn}");
        assert!(drawn.contains("rm x"), "{drawn}");
    }

    /// Whatever the text and the places: nothing panics, nothing moves the cursor.
    #[test]
    fn odd_places_are_harmless() {
        let texts: &[&[u8]] = &[
            b"",
            b"\n",
            b"\n\n",
            b"\xf0\x9f\x98\x80",
            b"a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81b",
            b"\xff\xfe\n\xe2\x80\xae",
        ];
        for text in texts {
            for start in 0..text.len() + 2 {
                for end in 0..text.len() + 3 {
                    let range = Range { start, end };
                    let drawn = drawn(text, &[range, 0..text.len()]);
                    assert!(!drawn.contains(['\x1b', '\u{202e}']), "{drawn:?}");
                }
            }
            drawn(text, &[]);
        }
    }
}
