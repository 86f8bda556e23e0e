//! Arithmetic: `$((…))`, `((…))`, `$[…]`, `for ((…))`. An expression is plain if it holds digits, operators and
//! names only; a subscript or a substitution in it can run commands.

use crate::shell::Dialect;
use crate::shell::ast::Part;
use crate::shell::brace::Pieces;
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, is_name, is_name_start};

/// What an expression holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    Digits,
    Names,
    More,
}

impl Lexer<'_> {
    /// True if the text from `pos`, behind `((`, ends with `))` before the parentheses balance otherwise.
    pub fn is_arithmetic(&mut self, pos: usize) -> bool {
        let mut i = pos;
        let mut depth = 0usize;
        let mut answer = false;
        while let Some(byte) = self.src.get(i).copied() {
            match byte {
                b'\\' => i += 1,
                b'\'' | b'"' | b'`' => {
                    i += 1;
                    while let Some(inner) = self.src.get(i).copied().filter(|b| *b != byte) {
                        i += if inner == b'\\' && byte != b'\'' { 2 } else { 1 };
                    }
                }
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => {
                    answer = self.src.get(i + 1) == Some(&b')');
                    break;
                }
                _ => {}
            }
            i += 1;
        }
        self.step(i.saturating_sub(pos));
        answer
    }

    /// The expression of `$((…))` and over its end.
    pub fn arithmetic_expansion(&mut self, start: usize) -> Part {
        let (expr, holds) = self.arithmetic(start, b"))");
        self.note(
            match holds {
                Holds::Digits => Construct::ArithExpansion,
                Holds::Names => Construct::ArithName,
                Holds::More => Construct::ArithSubscript,
            },
            start,
        );
        Part::Arith { expr, span: self.span(start) }
    }

    /// `$[…]`, which nobody needs any more: read, never plain.
    pub fn old_arithmetic(&mut self, start: usize) -> Part {
        let (expr, _) = self.arithmetic(start, b"]");
        self.note(Construct::ArithSubscript, start);
        Part::Arith { expr, span: self.span(start) }
    }

    /// An expression up to `end`, and over it.
    pub fn arithmetic(&mut self, start: usize, end: &[u8]) -> (Vec<Part>, Holds) {
        self.expressions(start, end, false)
    }

    /// The three expressions of `for ((…))`, and over its end.
    pub fn loop_header(&mut self, start: usize) -> (Vec<Part>, Holds) {
        self.expressions(start, b"))", true)
    }

    fn expressions(&mut self, start: usize, end: &[u8], several: bool) -> (Vec<Part>, Holds) {
        let mut pieces = Pieces::default();
        let mut holds = Holds::Digits;
        if self.enter() {
            holds = self.expression(start, end, several, &mut pieces);
            if !self.eat(end) {
                self.fatal(Construct::Syntax, start);
            }
        }
        self.leave();
        (pieces.finish(self.src, false), holds)
    }

    fn expression(&mut self, start: usize, end: &[u8], several: bool, pieces: &mut Pieces) -> Holds {
        let mut holds = Holds::Digits;
        let mut depth = 0usize;
        let mut brackets = 0usize;
        let mut scan = Scan::default();
        while let Some(byte) = self.peek() {
            let at = self.pos;
            if depth == 0 && brackets == 0 && self.looking_at(end) {
                break;
            }
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => {
                    self.fatal(Construct::Syntax, start);
                    break;
                }
                b'[' => {
                    brackets += 1;
                    holds = Holds::More;
                }
                b']' => {
                    brackets = brackets.saturating_sub(1);
                    holds = Holds::More;
                }
                _ => {}
            }
            match byte {
                b'$' => {
                    let mut inner = Pieces::default();
                    self.dollar(true, &mut inner);
                    for part in inner.finish(self.src, false) {
                        holds = holds.max(holds_of(&part));
                        scan.value();
                        pieces.part(part, at, self.pos);
                    }
                    continue;
                }
                b'`' => {
                    let part = self.backticks(true);
                    holds = Holds::More;
                    pieces.part(part, at, self.pos);
                    continue;
                }
                b'\\' => {
                    // Quotes and backslashes have no business here; what they do differs.
                    holds = Holds::More;
                    self.advance(1);
                    pieces.bare(byte, at);
                    if let Some(next) = self.bump() {
                        pieces.bare(next, at + 1);
                    }
                    continue;
                }
                b'\'' => {
                    holds = Holds::More;
                    self.advance(1);
                    pieces.bare(byte, at);
                    continue;
                }
                b'"' => {
                    holds = Holds::More;
                    self.advance(1);
                    let parts = self.double_quotes(at);
                    pieces.part(Part::Double(parts), at, self.pos);
                    continue;
                }
                b if b.is_ascii_alphanumeric()
                    || matches!(
                        b,
                        b'_' | b' '
                            | b'\t'
                            | b'\n'
                            | b'+'
                            | b'-'
                            | b'*'
                            | b'/'
                            | b'%'
                            | b'<'
                            | b'>'
                            | b'='
                            | b'!'
                            | b'&'
                            | b'|'
                            | b'^'
                            | b'~'
                            | b'?'
                            | b':'
                            | b','
                            | b'('
                            | b')'
                            | b'['
                            | b']'
                    ) => {}
                b'#' if scan.number => {}
                b';' if several => {}
                _ => holds = Holds::More,
            }
            scan.byte(byte);
            self.advance(1);
            pieces.bare(byte, at);
        }
        if scan.name {
            holds = holds.max(Holds::Names);
        }
        // A name before a parenthesis is a function of zsh. A variable of the shell must not be set in passing:
        // those have capitals, and in zsh also names like `path`.
        if scan.call || (scan.sets && (scan.capital || self.dialect == Dialect::Zsh)) {
            holds = Holds::More;
        }
        holds
    }
}

/// What a part does to an expression.
fn holds_of(part: &Part) -> Holds {
    match part {
        Part::Param { op: None, name, .. } if matches!(name.as_slice(), b"#" | b"?" | b"$") => Holds::Digits,
        Part::Param { op: Some(op), .. } if op.op == b"len" => Holds::Digits,
        Part::Param { op: None, .. } | Part::Arith { .. } => Holds::Names,
        _ => Holds::More,
    }
}

/// Follows the tokens of an expression closely enough to see names, calls and assignments.
#[derive(Debug, Default)]
struct Scan {
    /// In a number.
    number: bool,
    /// In a name.
    in_name: bool,
    /// The token before was a name.
    after_name: bool,
    /// The last byte that was not a blank, and the one before it.
    last: u8,
    before: u8,
    name: bool,
    call: bool,
    sets: bool,
    /// The `=` just read is that of `<<=` or `>>=`.
    wide: bool,
    capital: bool,
}

impl Scan {
    /// An expansion: it can hold any name, and set it.
    fn value(&mut self) {
        self.follow(b'$');
        self.number = false;
        self.in_name = false;
        self.after_name = true;
        self.capital = true;
    }

    fn byte(&mut self, byte: u8) {
        if is_name(byte) {
            if !self.number && !self.in_name {
                if is_name_start(byte) {
                    self.in_name = true;
                    self.name = true;
                    self.capital |= byte.is_ascii_uppercase() || byte == b'_';
                } else {
                    self.number = true;
                }
            }
            self.after_name = self.in_name;
        } else if !(byte == b'#' && self.number) {
            self.call |= byte == b'(' && self.after_name;
            self.number = false;
            self.in_name = false;
            if !matches!(byte, b' ' | b'\t' | b'\n') {
                self.after_name = false;
            }
            // `++`, `--`.
            self.sets |= matches!(byte, b'+' | b'-') && self.last == byte;
        }
        if !matches!(byte, b' ' | b'\t' | b'\n') {
            self.follow(byte);
        }
    }

    /// The next byte that is no blank. `=` sets unless it belongs to `==`, `!=`, `<=`, `>=`; `<<=` and `>>=` do set.
    fn follow(&mut self, byte: u8) {
        if self.last == b'='
            && byte != b'='
            && (self.wide || !matches!(self.before, b'=' | b'!' | b'<' | b'>'))
        {
            self.sets = true;
        }
        self.wide = byte == b'=' && self.last == self.before && matches!(self.last, b'<' | b'>');
        self.before = self.last;
        self.last = byte;
    }
}
