//! Compound commands: what begins with a keyword or a parenthesis.

use crate::shell::Dialect;
use crate::shell::arith::Holds;
use crate::shell::ast::{Command, CommandKind, Part, Script, Word};
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, is_identifier, is_meta, suspect};
use crate::shell::parse::Until;
use crate::shell::word::Place;

impl Lexer<'_> {
    /// A compound command, if one begins here.
    pub fn compound(&mut self) -> Option<CommandKind> {
        let start = self.pos;
        if self.peek()? == b'(' {
            return Some(self.nested(start, Lexer::parenthesis));
        }
        if self.zsh() && self.peek() == Some(b'{') && self.plain_word() != Some(b"{") {
            // zsh takes the brace as a keyword even if it touches what follows.
            self.note(Construct::Unknown, start);
            return Some(self.nested(start, Lexer::group));
        }
        let parse: fn(&mut Self, usize) -> CommandKind = match self.plain_word()? {
            b"{" => Lexer::group,
            b"if" => Lexer::if_clause,
            b"while" | b"until" => Lexer::loop_clause,
            b"for" => Lexer::for_clause,
            b"case" => Lexer::case_clause,
            b"select" if self.extended() => Lexer::select_clause,
            b"[[" if self.extended() => Lexer::conditional,
            b"function" if self.extended() => Lexer::function_keyword,
            b"coproc" if self.extended() => Lexer::coproc,
            _ => return None,
        };
        Some(self.nested(start, parse))
    }

    fn nested(&mut self, start: usize, parse: fn(&mut Self, usize) -> CommandKind) -> CommandKind {
        let kind = if self.enter() { parse(self, start) } else { CommandKind::Group(Script::default()) };
        self.leave();
        kind
    }

    /// The keyword `word`, which must stand here.
    fn keyword(&mut self, word: &[u8]) {
        if self.plain_word() == Some(word) {
            self.advance(word.len());
        } else {
            self.syntax();
        }
    }

    /// `(…)` or `((…))`.
    fn parenthesis(&mut self, start: usize) -> CommandKind {
        let second = self.past_continuations(start + 1);
        if self.extended() && self.src.get(second) == Some(&b'(') {
            if second > start + 1 {
                self.note(Construct::ContinuationInWord, start);
            }
            if self.is_arithmetic(second + 1) {
                self.advance(second + 1 - start);
                let (expr, holds) = self.arithmetic(start, b"))");
                self.note(Construct::Arith, start);
                self.note_arithmetic(holds, start);
                return CommandKind::Arith(expr);
            }
            // Nested subshells that touch: shells find that out in different ways.
            self.note(Construct::Unknown, start);
        }
        self.advance(1);
        let script = self.filled(Until::Paren);
        if !self.eat(b")") {
            self.syntax();
        }
        self.note(Construct::Subshell, start);
        CommandKind::Subshell(script)
    }

    fn group(&mut self, start: usize) -> CommandKind {
        self.advance(1);
        let script = self.filled(Until::Keyword(&[b"}"]));
        self.keyword(b"}");
        self.note(Construct::Group, start);
        CommandKind::Group(script)
    }

    fn if_clause(&mut self, start: usize) -> CommandKind {
        let mut arms = Vec::new();
        let mut otherwise = None;
        self.advance(2);
        loop {
            let condition = self.filled(Until::Keyword(&[b"then"]));
            self.keyword(b"then");
            let body = self.filled(Until::Keyword(&[b"elif", b"else", b"fi"]));
            arms.push((condition, body));
            match self.plain_word() {
                Some(b"elif") => self.advance(4),
                Some(b"else") => {
                    self.advance(4);
                    otherwise = Some(self.filled(Until::Keyword(&[b"fi"])));
                    break;
                }
                _ => break,
            }
        }
        self.keyword(b"fi");
        self.note(Construct::If, start);
        CommandKind::If { arms, otherwise }
    }

    fn loop_clause(&mut self, start: usize) -> CommandKind {
        let until = self.plain_word() == Some(b"until");
        self.advance(5);
        let condition = self.filled(Until::Keyword(&[b"do"]));
        let body = self.do_group();
        self.note(Construct::While, start);
        CommandKind::Loop { until, condition, body }
    }

    /// `do … done`
    fn do_group(&mut self) -> Script {
        self.keyword(b"do");
        let body = self.filled(Until::Keyword(&[b"done"]));
        self.keyword(b"done");
        body
    }

    fn for_clause(&mut self, start: usize) -> CommandKind {
        self.advance(3);
        self.blanks();
        if self.extended() && self.looking_at(b"((") {
            let head = self.pos;
            self.advance(2);
            let (header, holds) = self.loop_header(head);
            if holds == Holds::More {
                self.note(Construct::ArithSubscript, start);
            }
            self.blanks();
            if self.peek() == Some(b';') {
                self.advance(1);
            }
            self.newlines();
            let body = self.do_group();
            self.note(Construct::ArithFor, start);
            self.state.holds.loops = true;
            return CommandKind::ArithFor { header, body };
        }
        let (name, words) = self.loop_head();
        let body = self.do_group();
        self.note(Construct::For, start);
        self.state.holds.loops = true;
        CommandKind::For { name, words, body }
    }

    fn select_clause(&mut self, start: usize) -> CommandKind {
        self.advance(6);
        self.blanks();
        let (name, words) = self.loop_head();
        let body = self.do_group();
        self.note(Construct::Select, start);
        CommandKind::Select { name, words, body }
    }

    /// `NAME [in WORDS] ;`, up to `do`.
    fn loop_head(&mut self) -> (Vec<u8>, Option<Vec<Word>>) {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let len = rest.iter().take_while(|b| !is_meta(**b)).count();
        let name = rest.get(..len).unwrap_or_default().to_vec();
        if !is_identifier(&name) {
            self.syntax();
            return (name, None);
        }
        self.advance(len);
        self.blanks();
        if self.peek() == Some(b';') {
            self.advance(1);
            self.newlines();
            return (name, None);
        }
        self.newlines();
        if self.plain_word() != Some(b"in") {
            return (name, None);
        }
        self.advance(2);
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b';') => {
                    self.advance(1);
                    break;
                }
                Some(b'\n') => {
                    if self.dialect == Dialect::Dash && !self.pending.is_empty() {
                        // dash does not begin the here-document behind this newline, but behind the next one: what
                        // follows is read as commands.
                        self.fatal(Construct::Unknown, self.pos);
                    }
                    break;
                }
                Some(byte) if !is_meta(byte) || self.process_ahead() => {
                    words.push(self.word(Place::Argument))
                }
                _ => {
                    self.syntax();
                    break;
                }
            }
        }
        self.newlines();
        (name, Some(words))
    }

    fn case_clause(&mut self, start: usize) -> CommandKind {
        self.advance(4);
        self.blanks();
        let word = self.word_or_syntax(Place::Alone);
        self.newlines();
        self.keyword(b"in");
        let mut arms = Vec::new();
        loop {
            self.newlines();
            if self.peek().is_none() || self.plain_word() == Some(b"esac") {
                break;
            }
            let opened = self.eat(b"(");
            if opened {
                self.blanks();
            }
            let mut patterns = Vec::new();
            loop {
                let pattern = self.word_or_syntax(Place::Pattern);
                if pattern.is_bare() && matches!(pattern.literal().as_deref(), Some(b"}" | b"esac")) {
                    // Taken for the end of a group around it, or of the whole: not everywhere.
                    self.note_at(Construct::Unknown, pattern.span);
                }
                let expands = |part: &Part| match part {
                    Part::Tilde(_) => true,
                    Part::Bare(bytes) => bytes.starts_with(b"="),
                    _ => false,
                };
                if opened && self.zsh() && pattern.parts.iter().any(expands) {
                    // All up to the `)` is one word to zsh, of which `(~|a)` is no folder and `(=|a)` a program `|a`.
                    self.note_at(Construct::ZshGlob, pattern.span);
                }
                patterns.push(pattern);
                self.blanks();
                if !self.eat(b"|") {
                    break;
                }
                self.blanks();
            }
            if !self.eat(b")") {
                self.syntax();
            }
            if opened && self.zsh() && self.peek().is_some_and(|b| !matches!(b, b' ' | b'\t' | b'\n' | b';'))
            {
                // Touching what follows, the parentheses are part of the pattern.
                self.note(Construct::Unknown, start);
            }
            let body = self.script(Until::Arm);
            let end = self.arm_end();
            let last = end.is_empty();
            arms.push((patterns, body, end));
            if last {
                break;
            }
        }
        self.keyword(b"esac");
        self.note(Construct::Case, start);
        CommandKind::Case { word, arms }
    }

    /// `;;`, `;&`, `;;&`, `;|`; empty before `esac`.
    fn arm_end(&mut self) -> Vec<u8> {
        if self.operator(b';', b';') {
            if self.dialect == Dialect::Bash && self.eat(b"&") {
                return b";;&".to_vec();
            }
            return b";;".to_vec();
        }
        if self.extended() && self.operator(b';', b'&') {
            return b";&".to_vec();
        }
        if self.zsh() && self.operator(b';', b'|') {
            return b";|".to_vec();
        }
        Vec::new()
    }

    fn coproc(&mut self, start: usize) -> CommandKind {
        self.advance(6);
        self.note(Construct::Coproc, start);
        let (command, _) = self.command();
        CommandKind::Coproc(Box::new(command))
    }

    /// `function NAME [()] body`
    fn function_keyword(&mut self, start: usize) -> CommandKind {
        self.advance(8);
        self.blanks();
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let len = rest
            .iter()
            .take_while(|b| !is_meta(**b) && !matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'{'))
            .count();
        if len == 0 || rest.get(len).is_some_and(|b| !is_meta(*b)) {
            self.syntax();
        }
        self.function_named(start, len)
    }

    /// `NAME() body`, its name `len` bytes long.
    pub fn function(&mut self, start: usize, len: usize) -> (Command, bool) {
        let kind = if self.enter() {
            self.function_named(start, len)
        } else {
            CommandKind::Group(Script::default())
        };
        self.leave();
        let compound = match &kind {
            CommandKind::Function { body, .. } => !matches!(body.kind, CommandKind::Simple(_)),
            _ => true,
        };
        (Command { kind, redirects: Vec::new(), span: self.span(start) }, compound)
    }

    fn function_named(&mut self, start: usize, len: usize) -> CommandKind {
        let name = self.src.get(self.pos..self.pos + len).unwrap_or_default().to_vec();
        for at in 0..len {
            if let Some(construct) = name.get(at..).and_then(suspect).filter(|c| *c != Construct::InvalidUtf8)
            {
                self.note(construct, start);
            }
        }
        self.advance(len);
        if self.dialect == Dialect::Dash && !is_identifier(&name) {
            self.syntax();
        }
        // A name that holds what could be more than a name.
        if !name.iter().all(|b| is_plain_name(*b)) {
            self.note(Construct::Unknown, start);
        }
        self.blanks();
        let parentheses = self.eat(b"(");
        if parentheses {
            self.blanks();
            if !self.eat(b")") {
                self.syntax();
            }
        }
        self.newlines();
        let (body, compound) = self.command();
        // Without parentheses, further words would be further names to zsh.
        if !compound && (self.dialect == Dialect::Bash || !parentheses) {
            self.syntax();
        }
        self.note(Construct::Function, start);
        self.state.holds.functions = true;
        CommandKind::Function { name, body: Box::new(body) }
    }
}

/// True for the bytes of a function's name that no shell takes for anything else.
pub(super) fn is_plain_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':' | b'+')
}
