//! What begins with `$`: parameters, substitutions, arithmetic, and two kinds of quotes.

use crate::shell::Dialect;
use crate::shell::ast::{ParamOp, Part, Script};
use crate::shell::brace::Pieces;
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, is_name, is_name_start, name_length};
use crate::shell::quote;
use crate::shell::word::Place;

impl Lexer<'_> {
    /// A `$` and what belongs to it. `quoted`: in double quotes or a here-document.
    pub fn dollar(&mut self, quoted: bool, pieces: &mut Pieces) {
        let start = self.pos;
        self.advance(1);
        // `$`, continuation, `(` is a substitution in every shell.
        self.join();
        let part = match self.peek() {
            Some(b'(') => self.dollar_paren(start),
            Some(b'{') => self.braced(start, quoted),
            Some(b'[') if self.extended() => {
                self.advance(1);
                self.old_arithmetic(start)
            }
            Some(b'\'') if !quoted && self.extended() => {
                self.advance(1);
                self.ansi(start, pieces);
                return;
            }
            Some(b'\'') if !quoted => {
                // A dollar and a string for dash; the ash of busybox reads escapes.
                self.note(Construct::AnsiQuoteNul, start);
                pieces.bare(b'$', start);
                return;
            }
            Some(b'"') if !quoted && self.dialect == Dialect::Bash => {
                self.advance(1);
                self.note(Construct::LocaleQuote, start);
                let parts = self.double_quotes(start);
                Part::Double(parts)
            }
            Some(byte) if is_name_start(byte) => {
                let rest = self.src.get(self.pos..).unwrap_or_default();
                let len = name_length(rest);
                let name = rest.get(..len).unwrap_or_default().to_vec();
                self.advance(len);
                // `$a\<newline>b` is `$ab`.
                let joined = self.past_continuations(self.pos);
                if joined > self.pos && self.src.get(joined).copied().is_some_and(is_name) {
                    self.note(Construct::ContinuationInWord, start);
                }
                self.plain_param(name, start)
            }
            Some(byte) if byte.is_ascii_digit() && self.zsh() => {
                // `$11` is one parameter to zsh, and a digit behind one to the others.
                let rest = self.src.get(self.pos..).unwrap_or_default();
                let name: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
                self.advance(name.len());
                self.plain_param(name, start)
            }
            Some(byte) if byte.is_ascii_digit() || is_special(byte) => {
                self.advance(1);
                self.plain_param(vec![byte], start)
            }
            next => {
                // A dollar that stands for itself; zsh has forms of its own behind it.
                if self.zsh()
                    && next.is_some_and(|b| matches!(b, b'^' | b'=' | b'~' | b'+' | b':') || !b.is_ascii())
                {
                    self.note(Construct::ParamOther, start);
                }
                if quoted {
                    pieces.quoted(b"$", start, self.pos);
                } else {
                    pieces.bare(b'$', start);
                    pieces.dollar = true;
                }
                return;
            }
        };
        pieces.part(part, start, self.pos);
    }

    /// `$name` without braces.
    fn plain_param(&mut self, name: Vec<u8>, start: usize) -> Part {
        let span = self.span(start);
        if name == b"$" && matches!(self.peek(), Some(b'(' | b'{')) {
            // bash pairs the parenthesis while it reads, and takes it as text while it expands.
            self.note(Construct::Unknown, start);
        }
        if self.zsh() {
            let rest = self.src.get(self.pos..).unwrap_or_default();
            // Subscripts, modifiers and `$#name` need no braces in zsh, and its names may hold any letter.
            let more = match rest {
                [b'[', ..] => true,
                [b':', next, ..] => matches!(
                    next,
                    b'a' | b'A'
                        | b'c'
                        | b'e'
                        | b'f'
                        | b'F'
                        | b'g'
                        | b'h'
                        | b'l'
                        | b'p'
                        | b'P'
                        | b'q'
                        | b'Q'
                        | b'r'
                        | b's'
                        | b't'
                        | b'u'
                        | b'V'
                        | b'w'
                        | b'W'
                        | b'x'
                        | b'&'
                ),
                [next, ..] if !next.is_ascii() => is_name_start(name.first().copied().unwrap_or(0)),
                [next, ..] if name == b"#" => {
                    is_name(*next)
                        || matches!(
                            next,
                            b'{' | b'@' | b'*' | b'?' | b'-' | b'!' | b'$' | b'#' | b'^' | b'=' | b'~' | b'+'
                        )
                }
                _ => false,
            };
            if more {
                self.note(Construct::ParamOther, start);
            }
        }
        Part::Param { name, op: None, span }
    }

    /// `$(…)` or `$((…))`, from the parenthesis on.
    fn dollar_paren(&mut self, start: usize) -> Part {
        let inner = self.past_continuations(self.pos + 1);
        if self.src.get(inner) == Some(&b'(') {
            if inner > self.pos + 1 {
                self.note(Construct::ContinuationInWord, start);
            }
            if self.dialect == Dialect::Dash || self.is_arithmetic(inner + 1) {
                self.advance(inner + 1 - self.pos);
                return self.arithmetic_expansion(start);
            }
            // A subshell at the start of a substitution: shells find that out in different ways.
            self.note(Construct::Unknown, start);
        }
        self.advance(1);
        let script = self.enclosed(start);
        self.timed(&script, start);
        self.note(Construct::CommandSubstitution, start);
        Part::Command { script, backtick: false, span: self.span(start) }
    }

    /// bash (5.2) does not know the keyword `time` at the start of a substitution: of `$(time case x in y) …` it finds
    /// the end at the first `)`.
    pub fn timed(&mut self, script: &Script, start: usize) {
        if self.dialect == Dialect::Bash && script.lists.first().is_some_and(|l| l.first.time.is_some()) {
            self.note(Construct::TimeOptions, start);
        }
    }

    /// `$'…'`, from behind the quote.
    fn ansi(&mut self, start: usize, pieces: &mut Pieces) {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let Some(ansi) = quote::ansi(rest, self.dialect) else {
            self.fatal(Construct::Syntax, start);
            return;
        };
        self.advance(ansi.length);
        self.note(if ansi.plain { Construct::AnsiQuote } else { Construct::AnsiQuoteNul }, start);
        pieces.quoted(&ansi.bytes, start, self.pos);
    }

    /// `${…}`, from the brace on.
    fn braced(&mut self, start: usize, quoted: bool) -> Part {
        self.advance(1);
        if !self.enter() {
            self.leave();
            return Part::Param { name: Vec::new(), op: None, span: self.span(start) };
        }
        let part = self.braced_inside(start, quoted);
        self.leave();
        part
    }

    fn braced_inside(&mut self, start: usize, quoted: bool) -> Part {
        self.join();
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let mut length = false;
        let mut name = Vec::new();
        match rest {
            // `${#name}`, but `${#}`, `${#-x}` and their kind are about `$#`.
            [b'#', next, ..] if is_name(*next) || matches!(next, b'@' | b'*') => {
                let len = parameter_length(rest.get(1..).unwrap_or_default());
                if rest.get(1 + len) == Some(&b'}') {
                    length = true;
                    name = rest.get(1..=len).unwrap_or_default().to_vec();
                    self.advance(1 + len);
                }
            }
            [b'!', next, ..] if *next != b'}' => {
                self.note(Construct::ParamIndirect, start);
                self.advance(1);
                let rest = self.src.get(self.pos..).unwrap_or_default();
                name = rest.get(..parameter_length(rest)).unwrap_or_default().to_vec();
                self.advance(name.len());
                return self.braced_other(start, quoted, name, b"!");
            }
            _ => {
                let len = parameter_length(rest);
                name = rest.get(..len).unwrap_or_default().to_vec();
                self.advance(len);
            }
        }
        if length {
            self.advance(1);
            self.note(Construct::ParamDefault, start);
            let op = Some(ParamOp { op: b"len".to_vec(), word: Vec::new() });
            return Part::Param { name, op, span: self.span(start) };
        }
        if name.is_empty() {
            // `${(flags)x}`, `${ cmd; }`, `${}` and what else there may be.
            if self.looking_at(b" ")
                || self.looking_at(b"\t")
                || self.looking_at(b"\n")
                || self.looking_at(b"|")
            {
                self.note(Construct::Unknown, start);
            }
            return self.braced_other(start, quoted, name, b"");
        }
        if self.eat(b"}") {
            return Part::Param { name, op: None, span: self.span(start) };
        }
        if self.dialect == Dialect::Bash
            && let Some(len) = element_length(self.src.get(self.pos..).unwrap_or_default())
            && name.first().copied().is_some_and(is_name_start)
        {
            let index = self.src.get(self.pos + 1..self.pos + len - 2).unwrap_or_default().to_vec();
            self.advance(len);
            self.note(Construct::ParamElement, start);
            let op = Some(ParamOp { op: b"[".to_vec(), word: vec![Part::Bare(index)] });
            return Part::Param { name, op, span: self.span(start) };
        }
        let op: &[u8] = if name == b"#" {
            // `${#-}`, `${#:-x}`: about the length of `$-`, or a default of `$#`.
            b""
        } else {
            [b":-".as_slice(), b":+", b":=", b":?", b"-", b"+", b"=", b"?", b"##", b"#", b"%%", b"%"]
                .into_iter()
                .find(|op| self.looking_at(op))
                .unwrap_or_default()
        };
        if op.is_empty() {
            return self.braced_other(start, quoted, name, b"");
        }
        self.advance(op.len());
        let pattern = matches!(op, b"#" | b"##" | b"%" | b"%%");
        let word = self.param_word(start, quoted, pattern);
        if matches!(op, b":=" | b"=") {
            self.note(Construct::ParamAssign, start);
        } else {
            self.note(Construct::ParamDefault, start);
        }
        // `${@#x}` works on every parameter; `${1:-x}` is plain.
        if pattern && matches!(name.as_slice(), b"@" | b"*") {
            self.note(Construct::ParamOther, start);
        }
        Part::Param { name, op: Some(ParamOp { op: op.to_vec(), word }), span: self.span(start) }
    }

    /// A form that is not followed: what it holds is still read, so that its commands are seen.
    fn braced_other(&mut self, start: usize, quoted: bool, name: Vec<u8>, op: &[u8]) -> Part {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let mut kept = op.to_vec();
        kept.extend(rest.iter().take(2).take_while(|b| **b != b'}').copied());
        let word = self.param_word(start, quoted, false);
        self.note(Construct::ParamOther, start);
        Part::Param { name, op: Some(ParamOp { op: kept, word }), span: self.span(start) }
    }

    /// The word up to `}`, and over it.
    fn param_word(&mut self, start: usize, quoted: bool, pattern: bool) -> Vec<Part> {
        let mut pieces = Pieces::default();
        if quoted {
            self.param_word_quoted(start, pattern, &mut pieces);
        } else {
            self.unquoted(Place::Param, &mut pieces);
        }
        if !self.eat(b"}") {
            self.fatal(Construct::Syntax, start);
        }
        let parts = pieces.finish(self.src, false);
        // A dollar, quote or brace that stands for itself here stands for something else elsewhere.
        let odd = |b: &u8| matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'{');
        let stands_for_itself = |part: &Part| match part {
            Part::Bare(bytes) => bytes.iter().any(odd),
            Part::Quoted(_) => quoted,
            _ => false,
        };
        if parts.iter().any(stands_for_itself) {
            self.note(Construct::ParamOther, start);
        }
        parts
    }

    /// The word of `"${x:-word}"`. Shells differ on quotes, backslashes and braces in it, so these are noted.
    fn param_word_quoted(&mut self, start: usize, pattern: bool, pieces: &mut Pieces) {
        while let Some(byte) = self.peek() {
            let at = self.pos;
            match byte {
                b'}' => return,
                b'$' => self.dollar(true, pieces),
                b'`' => {
                    let part = self.backticks(true);
                    pieces.part(part, at, self.pos);
                }
                b'"' => {
                    self.note(Construct::ParamOther, start);
                    self.advance(1);
                    let parts = self.double_quotes(at);
                    pieces.part(Part::Double(parts), at, self.pos);
                }
                b'\'' => {
                    self.note(Construct::ParamOther, start);
                    self.advance(1);
                    pieces.bare(byte, at);
                    // bash looks for the other quote, and does not see a brace before it.
                    if self.dialect == Dialect::Bash || (pattern && self.dialect == Dialect::Dash) {
                        loop {
                            let at = self.pos;
                            match self.bump() {
                                None => {
                                    self.fatal(Construct::Syntax, start);
                                    return;
                                }
                                Some(byte) => pieces.bare(byte, at),
                            }
                            if pieces.last == b'\'' {
                                break;
                            }
                        }
                    }
                }
                b'\\' => {
                    self.note(Construct::ParamOther, start);
                    self.advance(1);
                    pieces.bare(byte, at);
                    let at = self.pos;
                    if let Some(byte) = self.bump() {
                        pieces.quoted(&[byte], at, self.pos);
                    }
                }
                b'*' | b'?' | b'[' | b']' if pattern => {
                    self.advance(1);
                    pieces.part(Part::Glob(vec![byte]), at, self.pos);
                }
                _ => {
                    // bash looks for the end of `<(` here, past every quote, and then takes it as text.
                    let process = byte == b'(' && matches!(pieces.last, b'<' | b'>');
                    if byte == b'{'
                        || (pattern && byte == b'~')
                        || process
                        || (self.zsh() && is_zsh_mark(byte))
                    {
                        self.note(Construct::ParamOther, start);
                    }
                    self.advance(1);
                    pieces.bare(byte, at);
                }
            }
        }
    }
}

/// `$?` and the like.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

/// The length of `[0]}`, `[@]}` or `[*]}`: a subscript that is not evaluated, and the end of the expansion.
fn element_length(bytes: &[u8]) -> Option<usize> {
    let inner = bytes.strip_prefix(b"[")?;
    let len = match inner.first()? {
        b'@' | b'*' => 1,
        _ => inner.iter().take_while(|b| b.is_ascii_digit()).count(),
    };
    (len > 0 && inner.get(len..)?.starts_with(b"]}")).then_some(len + 3)
}

/// Bytes that zsh may read as part of a pattern in `"${x:-…}"`.
fn is_zsh_mark(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'|' | b'&' | b';')
}

/// The length of a parameter's name inside braces: a name, a number, a special character.
fn parameter_length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(b) if b.is_ascii_digit() => bytes.iter().take_while(|b| b.is_ascii_digit()).count(),
        Some(b) if is_special(*b) => 1,
        _ => name_length(bytes),
    }
}
