//! The cursor all parsing shares: bytes, position, notes and limits.
//!
//! The shell's tokens depend on where they stand, so there is no list of tokens: the parser asks the cursor
//! for what the grammar allows next. What ends a word, and what a blank is:
//!
//! | byte                         | between words        | in a word      | in `"…"`  | in `${x:-…}` |
//! |------------------------------|----------------------|----------------|-----------|--------------|
//! | space, tab                   | skipped              | ends it        | literal   | literal      |
//! | newline                      | a token              | ends it        | literal   | literal      |
//! | backslash newline            | skipped, noted       | dropped, noted | the same  | the same     |
//! | `;` `&` `\|` `(` `)` `<` `>` | operators            | ends it        | literal   | literal      |
//! | `#`                          | comment to newline   | literal        | literal   | literal      |
//! | `'` `"` `\` `` ` `` `$`      | begins a word        | quotes         | not `'`   | quotes       |
//! | control, invisible, not UTF-8| begins a word, noted | literal, noted | literal   | noted        |

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::decision::Span;
use crate::shell::ast::{HereDoc, Holds, Noted, Script};
use crate::shell::construct::Construct;
use crate::shell::{Dialect, MAX_COMMANDS, MAX_DEPTH, MAX_STEPS};

/// What the cursors of one text share: the text itself, and the texts inside backticks and here-documents.
#[derive(Debug, Default)]
pub(super) struct State {
    /// Constructs met so far.
    pub noted: Vec<Noted>,
    /// Bytes looked at so far.
    pub steps: usize,
    /// Nesting now.
    pub depth: usize,
    /// Kinds of command met so far.
    pub holds: Holds,
    /// The id of the next simple command.
    pub next_id: usize,
    /// The innermost simple command being read.
    pub command: Option<usize>,
    /// True once the text cannot be followed further: every cursor then sees the end.
    pub stopped: bool,
    /// Bodies of here-documents by the offset of their redirection, until they are put into the tree.
    pub bodies: BTreeMap<usize, HereDoc>,
}

/// A here-document whose body has not begun.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Offset of its redirection in the text.
    pub key: usize,
    /// Where the redirection stands, for the note.
    pub span: Span,
    /// The delimiter after quote removal.
    pub delimiter: Vec<u8>,
    /// True if any of the delimiter was quoted.
    pub quoted: bool,
    /// True for `<<-`.
    pub strip_tabs: bool,
    /// The simple command it belongs to.
    pub command: Option<usize>,
}

/// A position in a text.
pub(super) struct Lexer<'a> {
    /// The bytes.
    pub src: &'a [u8],
    /// For a text made from another one: the offset of each byte in the outermost text, and of the end.
    pub map: Option<&'a [usize]>,
    /// The position.
    pub pos: usize,
    /// The language.
    pub dialect: Dialect,
    /// What is shared.
    pub state: &'a mut State,
    /// Where a plain word was looked for last, and its length.
    asked: Cell<(usize, usize)>,
    /// Here-documents that begin after the next newline.
    pub pending: Vec<Pending>,
    /// True inside a substitution in a line that has a here-document waiting outside.
    pub outer_pending: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(src: &'a [u8], map: Option<&'a [usize]>, dialect: Dialect, state: &'a mut State) -> Lexer<'a> {
        let asked = Cell::new((usize::MAX, 0));
        Lexer { src, map, pos: 0, dialect, state, asked, pending: Vec::new(), outer_pending: false }
    }

    /// True for bash and zsh, which share most additions.
    pub fn extended(&self) -> bool {
        self.dialect != Dialect::Dash
    }

    pub fn zsh(&self) -> bool {
        self.dialect == Dialect::Zsh
    }

    /// The byte `ahead` places from here; none at the end and once stopped.
    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        if self.state.stopped { None } else { self.src.get(self.pos + ahead).copied() }
    }

    pub fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    /// True if the text goes on with `what`.
    pub fn looking_at(&self, what: &[u8]) -> bool {
        !self.state.stopped && self.src.get(self.pos..).is_some_and(|rest| rest.starts_with(what))
    }

    /// Goes over `n` bytes, counting them.
    pub fn advance(&mut self, n: usize) {
        self.pos = self.pos.saturating_add(n).min(self.src.len());
        self.step(n);
    }

    /// Counts steps; too many stop everything.
    pub fn step(&mut self, n: usize) {
        self.state.steps = self.state.steps.saturating_add(n);
        if self.state.steps > MAX_STEPS {
            self.fatal(Construct::LimitSteps, self.pos);
        }
    }

    /// The next byte, gone over.
    pub fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.advance(1);
        Some(byte)
    }

    /// Goes over `what` if the text goes on with it.
    pub fn eat(&mut self, what: &[u8]) -> bool {
        let yes = self.looking_at(what);
        if yes {
            self.advance(what.len());
        }
        yes
    }

    /// The offset in the outermost text of a position here.
    pub fn origin(&self, pos: usize) -> usize {
        match self.map {
            Some(map) => map.get(pos).or(map.last()).copied().unwrap_or(0),
            None => pos,
        }
    }

    /// The span from `start` to here.
    pub fn span(&self, start: usize) -> Span {
        let end = match (self.map, self.pos.checked_sub(1)) {
            // The byte after the last one: a dropped backslash behind it is not part of the span.
            (Some(_), Some(last)) if self.pos > start => self.origin(last) + 1,
            _ => self.origin(self.pos),
        };
        let start = self.origin(start);
        Span::new(start, end.max(start))
    }

    /// Notes a construct from `start` to here.
    pub fn note(&mut self, construct: Construct, start: usize) {
        let span = self.span(start);
        self.note_at(construct, span);
    }

    pub fn note_at(&mut self, construct: Construct, span: Span) {
        if self.state.stopped {
            // What comes after is made up.
            return;
        }
        let command = self.state.command;
        self.state.noted.push(Noted { construct, span, command });
    }

    /// Notes what cannot be followed, and stops.
    pub fn fatal(&mut self, construct: Construct, start: usize) {
        if !self.state.stopped {
            self.note(construct, start.min(self.pos));
            self.state.stopped = true;
        }
    }

    /// Text that the grammar does not allow here.
    pub fn syntax(&mut self) {
        let start = self.pos;
        self.pos = (self.pos + 1).min(self.src.len());
        self.fatal(Construct::Syntax, start);
    }

    /// One level deeper; false if that is too deep.
    pub fn enter(&mut self) -> bool {
        self.state.depth += 1;
        if self.state.depth > MAX_DEPTH {
            self.fatal(Construct::LimitDepth, self.pos);
        }
        !self.state.stopped
    }

    pub fn leave(&mut self) {
        self.state.depth = self.state.depth.saturating_sub(1);
    }

    /// The number of a new simple command.
    pub fn next_command(&mut self) -> usize {
        let id = self.state.next_id;
        self.state.next_id += 1;
        if self.state.next_id > MAX_COMMANDS {
            self.fatal(Construct::LimitSegments, self.pos);
        }
        id
    }

    /// Skips blanks, line continuations and a comment. A newline stays.
    pub fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.advance(1),
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                    let start = self.pos;
                    // Glued to what stands before it: it may join two halves of one token.
                    let glued = start
                        .checked_sub(1)
                        .and_then(|p| self.src.get(p))
                        .is_some_and(|b| !matches!(b, b' ' | b'\t' | b'\n'));
                    self.advance(2);
                    let joins = glued && self.peek().is_some_and(|b| !matches!(b, b' ' | b'\t' | b'\n'));
                    self.note(
                        if joins { Construct::ContinuationInWord } else { Construct::Continuation },
                        start,
                    );
                }
                Some(b'#') => {
                    // A comment ends at the newline whatever stands before it.
                    let rest = self.src.get(self.pos..).unwrap_or_default();
                    self.advance(rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()));
                }
                _ => return,
            }
        }
    }

    /// Skips newlines, comments and blanks; reads the here-documents that begin behind a newline.
    pub fn newlines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.newline();
        }
    }

    /// Goes over one newline, and the here-documents that begin behind it.
    pub fn newline(&mut self) {
        if self.outer_pending {
            // Shells differ on whose body the next line is.
            self.note(Construct::Unknown, self.pos);
        }
        self.advance(1);
        self.here_documents();
    }

    /// The position behind any line continuations ahead of `pos`.
    pub fn past_continuations(&self, mut pos: usize) -> usize {
        while self.src.get(pos) == Some(&b'\\') && self.src.get(pos + 1) == Some(&b'\n') {
            pos += 2;
        }
        pos
    }

    /// Drops line continuations inside a token, and notes them.
    pub fn join(&mut self) {
        let to = self.past_continuations(self.pos);
        if to > self.pos {
            let start = self.pos;
            self.advance(to - start);
            self.note(Construct::ContinuationInWord, start);
        }
    }

    /// The unquoted word that begins here if it is a plain one: letters and the characters of keywords, ended by a
    /// blank, an operator or the end. Nothing is gone over.
    pub fn plain_word(&self) -> Option<&'a [u8]> {
        if self.state.stopped {
            return None;
        }
        let rest = self.src.get(self.pos..)?;
        // The grammar asks often where it stands.
        let (at, len) = self.asked.get();
        if at == self.pos {
            return rest.get(..len).filter(|word| !word.is_empty());
        }
        let of_keywords = |b: &u8| b.is_ascii_lowercase() || matches!(b, b'{' | b'}' | b'!' | b'[' | b']');
        let mut len = 0;
        while len < 16 && rest.get(len).is_some_and(of_keywords) {
            len += 1;
        }
        let ends = match rest.get(len) {
            None => true,
            // `then(…)` is one word of zsh, a glob whose qualifiers may run code; but for `{` alone.
            Some(b'(') if self.zsh() => len == 1 && rest.first() == Some(&b'{'),
            Some(byte) => is_meta(*byte),
        };
        let len = if ends { len } else { 0 };
        self.asked.set((self.pos, len));
        rest.get(..len).filter(|word| !word.is_empty())
    }

    /// Reads the commands inside `$(` … `)` or the like, up to and over `)`. Here-documents waiting outside
    /// stay outside.
    pub fn enclosed(&mut self, start: usize) -> Script {
        let mut script = Script::default();
        if self.enter() {
            let waiting = std::mem::take(&mut self.pending);
            let outer = self.outer_pending;
            self.outer_pending |= !waiting.is_empty();
            let command = self.state.command;
            script = self.script(super::parse::Until::Paren);
            self.state.command = command;
            if !self.pending.is_empty() {
                self.fatal(Construct::Syntax, start);
            }
            self.pending = waiting;
            self.outer_pending = outer;
            if !self.eat(b")") {
                self.fatal(Construct::Syntax, start);
            }
        }
        self.leave();
        script
    }
}

/// True for the bytes that end a word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// True if `bytes` is the name of a variable.
pub(super) fn is_identifier(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|b| is_name_start(*b)) && bytes.iter().all(|b| is_name(*b))
}

/// How many bytes at the start of `bytes` are the name of a variable.
pub(super) fn name_length(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(|b| is_name_start(*b)) {
        bytes.iter().take_while(|b| is_name(**b)).count()
    } else {
        0
    }
}

/// The first character of `bytes` with its length, or its error.
pub(super) fn first_char(bytes: &[u8]) -> Result<(char, usize), ()> {
    let head = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => {
            let good = head.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(good).map_err(|_| ())?
        }
    };
    valid.chars().next().map(|c| (c, c.len_utf8())).ok_or(())
}

/// What makes a byte or character outside quotes suspect, if anything does.
pub(super) fn suspect(bytes: &[u8]) -> Option<Construct> {
    match bytes.first()? {
        0 => Some(Construct::Nul),
        b'\r' => Some(Construct::CarriageReturn),
        b if b.is_ascii_control() && !matches!(b, b'\t' | b'\n') => Some(Construct::ControlCharacter),
        b if b.is_ascii() => None,
        _ => match first_char(bytes) {
            Err(()) => Some(Construct::InvalidUtf8),
            Ok((c, _)) if c.is_control() => Some(Construct::ControlCharacter),
            Ok((c, _)) if c.is_whitespace() || is_invisible(c) => Some(Construct::UnicodeBlank),
            Ok(_) => None,
        },
    }
}

/// Characters that show nothing, or change the direction of what is shown (Unicode 16, general category Cf and the
/// fillers that render as nothing).
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
