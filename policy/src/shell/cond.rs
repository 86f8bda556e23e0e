//! `[[ … ]]`: its words and operators in order, with the grammar of its expressions checked.

use crate::decision::Span;
use crate::shell::Dialect;
use crate::shell::arith::Holds;
use crate::shell::ast::{CommandKind, Part, Word};
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, is_identifier, is_meta};
use crate::shell::word::Place;
use crate::tables::words::{WordList, words};

/// Operators with one operand (bash(1), CONDITIONAL EXPRESSIONS; the ones zsh has too).
const UNARY: WordList = words![
    "-a", "-", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-t", "-u", "-w", "-x", "-G",
    "-L", "-N", "-O", "-S", "-o", "-z", "-n", "-v", "-R",
];
/// Operators between two words.
const BINARY: WordList = words!["=", "==", "!=", "=~", "-nt", "-ot", "-ef"];
/// Operators between two numbers: both sides are arithmetic.
const NUMERIC: WordList = words!["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// True if a bare word of `[[ … ]]` is an operator: it must stay bare when rendered.
pub(super) fn is_operator(bytes: &[u8]) -> bool {
    UNARY.has(bytes)
        || BINARY.has(bytes)
        || NUMERIC.has(bytes)
        || matches!(bytes, b"&&" | b"||" | b"(" | b")" | b"!" | b"<" | b">")
}

impl Lexer<'_> {
    /// From `[[` on.
    pub fn conditional(&mut self, start: usize) -> CommandKind {
        self.advance(2);
        let mut words = Vec::new();
        self.newlines();
        self.either(&mut words);
        self.newlines();
        if self.plain_word() == Some(b"]]") {
            self.advance(2);
        } else {
            self.syntax();
        }
        self.note(Construct::Cond, start);
        CommandKind::Cond(words)
    }

    /// `both || both …`, `both` being terms joined by `&&`.
    fn either(&mut self, words: &mut Vec<Word>) {
        loop {
            self.term(words);
            self.newlines();
            let at = self.pos;
            if self.looking_at(b"&&") || self.looking_at(b"||") {
                let op = if self.looking_at(b"&&") { b"&&" } else { b"||" };
                self.advance(2);
                words.push(self.operator_word(op, at));
                self.newlines();
            } else {
                return;
            }
        }
    }

    fn operator_word(&self, text: &[u8], at: usize) -> Word {
        Word { parts: vec![Part::Bare(text.to_vec())], span: self.span(at) }
    }

    fn term(&mut self, words: &mut Vec<Word>) {
        while self.plain_word() == Some(b"!") {
            let at = self.pos;
            self.advance(1);
            words.push(self.operator_word(b"!", at));
            self.newlines();
        }
        let at = self.pos;
        if self.peek() == Some(b'(') {
            self.advance(1);
            words.push(self.operator_word(b"(", at));
            if self.enter() {
                self.newlines();
                self.either(words);
                self.newlines();
            }
            self.leave();
            let at = self.pos;
            if !self.eat(b")") {
                self.syntax();
            }
            words.push(self.operator_word(b")", at));
            return;
        }
        if self.plain_word() == Some(b"]]") {
            self.syntax();
            return;
        }
        let first = self.word_or_syntax(Place::Pattern);
        self.blanks();
        let bare = if first.is_bare() { first.literal() } else { None };
        if !first.is_bare()
            && first.parts.iter().any(|p| matches!(p, Part::Bare(b) if b.first() == Some(&b'-')))
            && first.parts.len() > 1
            && first.literal().is_some()
        {
            // An operator with quotes in it is one to some shells.
            self.note_at(Construct::Unknown, first.span);
        }
        let end = self.peek().is_none_or(|b| matches!(b, b')' | b'&' | b'|' | b'\n'))
            || self.plain_word() == Some(b"]]");
        if let Some(op) = &bare
            && op.first() == Some(&b'-')
            && op.len() == 2
            && !end
            && !self.binary_ahead()
        {
            if !UNARY.has(op.as_slice()) {
                self.note_at(Construct::Unknown, first.span);
            }
            words.push(first);
            let operand = self.word_or_syntax(Place::Pattern);
            // bash evaluates a subscript in the name, quoted or not.
            let name = operand.literal();
            if matches!(op.as_slice(), b"-v" | b"-R") && !name.is_some_and(|n| is_identifier(&n)) {
                self.note_at(Construct::ArithSubscript, operand.span);
            }
            // zsh evaluates the descriptor as an expression, quoted or not.
            if op.as_slice() == b"-t" && !is_number(&operand) {
                self.note_at(Construct::ArithSubscript, operand.span);
            }
            words.push(operand);
            self.blanks();
            return;
        }
        if end {
            // One word alone: true if it is not empty.
            if bare.as_ref().is_some_and(|op| op.first() == Some(&b'-') || op.as_slice() == b"!") {
                self.syntax();
            }
            words.push(first);
            return;
        }
        self.binary(first, words);
    }

    /// True if an operator between two words stands here.
    fn binary_ahead(&self) -> bool {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        if rest.starts_with(b"<(") || rest.starts_with(b">(") {
            return false;
        }
        if matches!(rest.first(), Some(b'<' | b'>')) {
            return true;
        }
        let len = rest.iter().take(4).take_while(|b| !is_meta(**b)).count();
        let word = rest.get(..len).unwrap_or_default();
        rest.get(len).is_some_and(|b| is_meta(*b)) && (BINARY.has(word) || NUMERIC.has(word))
    }

    fn binary(&mut self, first: Word, words: &mut Vec<Word>) {
        let at = self.pos;
        if !self.binary_ahead() {
            self.syntax();
            words.push(first);
            return;
        }
        let rest = self.src.get(at..).unwrap_or_default();
        let len = match rest.first() {
            Some(b'<' | b'>') => 1,
            _ => rest.iter().take_while(|b| !is_meta(**b)).count(),
        };
        let op = rest.get(..len).unwrap_or_default().to_vec();
        self.advance(len);
        let word = self.operator_word(&op, at);
        self.blanks();
        let numeric = NUMERIC.has(op.as_slice());
        let place = match op.as_slice() {
            b"=~" => Place::Regex,
            _ => Place::Pattern,
        };
        let second = match (place, self.peek()) {
            (Place::Regex, Some(b'(' | b'|')) => self.word(place),
            _ if self.plain_word() == Some(b"]]") => {
                self.syntax();
                Word { parts: Vec::new(), span: Span::default() }
            }
            _ => self.word_or_syntax(place),
        };
        if place == Place::Regex && self.dialect == Dialect::Zsh {
            // Parentheses in a word of zsh are more than text.
            self.note_at(Construct::ZshGlob, second.span);
        }
        if numeric {
            for side in [&first, &second] {
                // A name, or the value of a variable, is evaluated as an expression.
                match variable(side) {
                    _ if is_number(side) => {}
                    Some(span) => self.note_at(Construct::ArithName, span),
                    None => self.note_arithmetic(Holds::More, at),
                }
            }
        }
        words.extend([first, word, second]);
        self.blanks();
    }

    /// Notes what an arithmetic command or comparison holds, beyond digits.
    pub fn note_arithmetic(&mut self, holds: Holds, start: usize) {
        match holds {
            Holds::Digits => {}
            Holds::Names => self.note(Construct::ArithName, start),
            Holds::More => self.note(Construct::ArithSubscript, start),
        }
    }
}

/// Where the only parameter of a word stands, if it is nothing else.
fn variable(word: &Word) -> Option<Span> {
    let parts = match word.parts.as_slice() {
        [Part::Double(inner)] => inner,
        parts => parts,
    };
    match parts {
        [Part::Param { op: None, span, .. }] => Some(*span),
        _ => None,
    }
}

/// True if a word is a number whatever happens.
fn is_number(word: &Word) -> bool {
    fn part(it: &Part) -> bool {
        match it {
            Part::Bare(b) | Part::Quoted(b) => b.iter().all(|b| b.is_ascii_digit() || *b == b'-'),
            Part::Double(parts) => parts.iter().all(part),
            Part::Param { name, op: None, .. } => matches!(name.as_slice(), b"#" | b"?" | b"$"),
            Part::Param { op: Some(op), .. } => op.op == b"len",
            _ => false,
        }
    }
    word.parts.iter().all(part)
}
