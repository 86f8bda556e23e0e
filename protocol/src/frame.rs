//! A message is one line of JSON, ended by a newline. Bytes in, lines out; nothing is read or written here.
use std::fmt;

use serde_json::Value;

use crate::field::Malformed;

/// Longest line in bytes, its newline included.
pub const MAX_LINE: usize = 1 << 20;

/// Longest line of a request, bytes: what an approver sends on to an operator has room for some words of its own.
pub const MAX_REQUEST: usize = MAX_LINE - (1 << 16);

/// A line is longer than [`MAX_LINE`]. What follows it is lost: the conversation is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a message of more than {MAX_LINE} bytes")
    }
}

impl std::error::Error for TooLong {}

/// Cuts what comes in pieces into lines. Holds at most one unfinished line and the piece that was given last; looks at
/// each byte once, however small the pieces are.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where there is no newline.
    searched: usize,
    over: bool,
}

impl Lines {
    /// Nothing yet.
    pub fn new() -> Lines {
        Lines::default()
    }

    /// Takes a piece. Take the lines out with [`Lines::next_line`] before the next one.
    pub fn push(&mut self, piece: &[u8]) {
        if self.over {
            return;
        }
        // What was taken out is given up when it is the larger part, so that each byte is moved a few times at most.
        if self.start > self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.bytes.extend_from_slice(piece);
    }

    /// The next whole line without its newline; `None` if there is none yet.
    ///
    /// # Errors
    /// [`TooLong`], from then on for ever.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, TooLong> {
        if self.over {
            return Err(TooLong);
        }
        let rest = self.bytes.get(self.searched..).unwrap_or_default();
        let end = rest.iter().position(|b| *b == b'\n').map(|at| self.searched + at);
        let length = end.unwrap_or(self.bytes.len()) - self.start;
        if length >= MAX_LINE {
            *self = Lines { over: true, ..Lines::default() };
            return Err(TooLong);
        }
        let Some(end) = end else {
            self.searched = self.bytes.len();
            return Ok(None);
        };
        let begin = self.start;
        (self.start, self.searched) = (end + 1, end + 1);
        Ok(self.bytes.get(begin..end))
    }

    /// Bytes that belong to no whole line yet.
    pub fn rest(&self) -> usize {
        self.bytes.len() - self.start
    }
}

/// A message as its line.
///
/// # Errors
/// [`TooLong`].
pub fn encode(message: &Value) -> Result<Vec<u8>, TooLong> {
    line(message.to_string(), MAX_LINE)
}

/// The line of a message that is JSON already; `max` is its longest length.
///
/// # Errors
/// [`TooLong`].
pub fn line(message: String, max: usize) -> Result<Vec<u8>, TooLong> {
    let mut line = message.into_bytes();
    line.push(b'\n');
    if line.len() > max { Err(TooLong) } else { Ok(line) }
}

/// The value of a line. JSON as RFC 8259 has it, no key twice in an object, nested at most 64 deep.
///
/// # Errors
/// [`Malformed`] for anything else.
pub fn value(line: &[u8]) -> Result<Value, Malformed> {
    if line.len() >= MAX_LINE {
        return Err(Malformed::new("message", "too long"));
    }
    policy::document::plain_json(line, "message").map_err(|_| Malformed::new("message", "no JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(lines: &mut Lines) -> Vec<Vec<u8>> {
        let mut out = Vec::new();
        while let Ok(Some(line)) = lines.next_line() {
            out.push(line.to_vec());
        }
        out
    }

    #[test]
    fn a_line_has_a_longest_length() {
        for (length, fits) in [(MAX_LINE - 1, true), (MAX_LINE, false), (3 * MAX_LINE, false)] {
            let mut lines = Lines::new();
            lines.push(&vec![b'x'; length]);
            lines.push(b"\nrest\n");
            assert_eq!(lines.next_line().is_ok(), fits, "{length}");
            assert_eq!(lines.next_line().is_ok(), fits, "{length}");
        }
        // Without an end it is refused as soon as it cannot fit any more, and nothing is kept.
        let mut lines = Lines::new();
        lines.push(&vec![b'x'; MAX_LINE]);
        assert_eq!(lines.next_line(), Err(TooLong));
        lines.push(b"\n");
        assert_eq!(lines.next_line(), Err(TooLong));
        assert_eq!(lines.rest(), 0);
    }

    #[test]
    fn a_million_bytes_one_by_one_take_no_time() {
        let began = std::time::Instant::now();
        let mut lines = Lines::new();
        for i in 0..MAX_LINE - 1 {
            lines.push(if i % 7 == 6 { b"\n" } else { b"x" });
            let _ = lines.next_line();
        }
        for _ in 0..MAX_LINE - 1 - lines.rest() {
            lines.push(b"x");
            assert_eq!(lines.next_line(), Ok(None));
        }
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    }

    #[test]
    fn what_is_too_long_is_not_written() {
        let text = |n: usize| Value::String("x".repeat(n));
        assert_eq!(encode(&text(MAX_LINE - 3)).map(|l| l.len()), Ok(MAX_LINE));
        assert_eq!(encode(&text(MAX_LINE - 2)), Err(TooLong));
    }

    #[test]
    fn strict_json() {
        for bad in [&b""[..], b"{", b"{'a':1}", b"{\"a\":1,\"a\":2}", b"{\"a\":1}x", b"\"\xff\"", b"// x\n1"]
        {
            assert!(value(bad).is_err(), "{bad:?}");
        }
        assert!(value("[".repeat(100_000).as_bytes()).is_err());
        assert_eq!(value(b" {\"a\":1}\r").unwrap()["a"], 1);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
                                cuts in proptest::collection::vec(0usize..200, 0..20)) {
            let mut lines = Lines::new();
            let mut out = Vec::new();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut from = 0;
            for to in cuts {
                lines.push(&bytes[from..to]);
                out.extend(all(&mut lines));
                from = to;
            }
            let mut want: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let rest = want.pop().unwrap_or_default();
            prop_assert_eq!(out, want);
            prop_assert_eq!(lines.rest(), rest.len());
        }

        #[test]
        fn any_line_has_an_answer(bytes: Vec<u8>) {
            let _ = value(&bytes);
        }
    }
}
