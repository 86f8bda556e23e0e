//! Redirections and here-documents.

use crate::decision::Span;
use crate::shell::Dialect;
use crate::shell::ast::{HereDoc, Part, Redirect, RedirectOp, Word};
use crate::shell::brace::Pieces;
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, Pending, is_meta, is_name, name_length};
use crate::shell::word::{Place, numeric_glob};

impl Lexer<'_> {
    /// A redirection, if one begins here.
    pub fn redirect(&mut self) -> Option<Redirect> {
        if self.state.stopped {
            return None;
        }
        let start = self.pos;
        let rest = self.src.get(start..)?;
        // Nothing else begins one.
        if !rest.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'<' | b'>' | b'&' | b'{')) {
            return None;
        }
        let mut fd = None;
        let mut prefix = 0;
        // A descriptor counts only if it touches the operator; bash takes more than one digit.
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 && matches!(rest.get(digits), Some(b'<' | b'>')) {
            if digits == 1 || self.dialect == Dialect::Bash {
                let number =
                    rest.get(..digits).and_then(|d| std::str::from_utf8(d).ok()?.parse::<u32>().ok());
                match number {
                    Some(number) => fd = Some(number),
                    None => self.note(Construct::Unknown, start),
                }
                prefix = digits;
            } else {
                // The ash of busybox takes more than one digit too, dash does not.
                if self.dialect == Dialect::Dash {
                    self.note(Construct::Unknown, start);
                }
                return None;
            }
        } else if digits == 1 && self.zsh() && rest.get(1..3) == Some(b"&>") {
            self.note(Construct::Unknown, start);
        } else if self.extended() && rest.first() == Some(&b'{') {
            let (inner, zsh) = (rest.get(1..).unwrap_or_default(), self.zsh());
            let of_zsh = |b: &&u8| is_name(**b) || !b.is_ascii();
            let name = if zsh { inner.iter().take_while(of_zsh).count() } else { name_length(inner) };
            let mut end = name + 2;
            // zsh looks for the operator behind blanks too.
            while zsh && matches!(rest.get(end..), Some([b' ' | b'\t', ..] | [b'\\', b'\n', ..])) {
                end += if rest.get(end) == Some(&b'\\') { 2 } else { 1 };
            }
            let operator = match rest.get(end..) {
                Some([b'<' | b'>', ..]) => true,
                Some([b'&', b'>', ..]) => zsh,
                _ => false,
            };
            if name > 0 && rest.get(name + 1) == Some(&b'}') && operator {
                self.note(Construct::RedirectName, start);
                prefix = end;
            }
        }
        let tail = rest.get(prefix..)?;
        let (op, len) = self.redirect_op(tail, prefix)?;
        self.advance(prefix + len);
        Some(self.redirect_target(start, fd, op))
    }

    /// The operator at the start of `bytes`, and its length.
    fn redirect_op(&mut self, bytes: &[u8], prefix: usize) -> Option<(RedirectOp, usize)> {
        let extended = self.extended();
        if !matches!(bytes.first(), Some(b'<' | b'>' | b'&')) {
            return None;
        }
        if prefix == 0
            && extended
            && (bytes.starts_with(b"<(")
                || bytes.starts_with(b">(")
                || (self.zsh() && numeric_glob(bytes).is_some()))
        {
            return None;
        }
        let start = self.pos;
        // A continuation inside an operator: the operator is read as if it were not there, and noted.
        let mut joined = Vec::new();
        let mut at = Vec::new();
        let mut i = 0;
        while joined.len() < 4 {
            if bytes.get(i) == Some(&b'\\') && bytes.get(i + 1) == Some(&b'\n') && !joined.is_empty() {
                i += 2;
                continue;
            }
            let Some(byte) = bytes.get(i) else { break };
            joined.push(*byte);
            i += 1;
            at.push(i);
        }
        const TABLE: &[(&[u8], RedirectOp, bool)] = &[
            // operator, meaning, only in bash and zsh; longest first
            (b"&>>", RedirectOp::BothAppend, true),
            (b"&>", RedirectOp::Both, true),
            (b"<<<", RedirectOp::HereString, true),
            (b"<<-", RedirectOp::HereDoc, false),
            (b"<<", RedirectOp::HereDoc, false),
            (b"<&", RedirectOp::DupIn, false),
            (b"<>", RedirectOp::ReadWrite, false),
            (b"<", RedirectOp::Read, false),
            (b">>", RedirectOp::Append, false),
            (b">&", RedirectOp::DupOut, false),
            (b">|", RedirectOp::Clobber, false),
            (b">", RedirectOp::Write, false),
        ];
        let (text, op, _) =
            TABLE.iter().find(|(text, _, more)| (extended || !more) && joined.starts_with(text))?;
        if prefix > 0 && text.first() == Some(&b'&') {
            return None;
        }
        let mut len = *at.get(text.len() - 1)?;
        if len > text.len() {
            self.note(Construct::ContinuationInWord, start);
        }
        // zsh: `>!`, `>>|`, `>&!`, `>>&` and so on.
        if self.zsh()
            && matches!(
                op,
                RedirectOp::Write
                    | RedirectOp::Append
                    | RedirectOp::DupOut
                    | RedirectOp::Both
                    | RedirectOp::BothAppend
            )
        {
            let more = bytes
                .get(len..)
                .unwrap_or_default()
                .iter()
                .take_while(|b| matches!(b, b'!' | b'|' | b'&'))
                .count();
            if more > 0 {
                self.note(Construct::Unknown, start);
                len += more;
            }
        }
        Some((*op, len))
    }

    fn redirect_target(&mut self, start: usize, mut fd: Option<u32>, mut op: RedirectOp) -> Redirect {
        let strip_tabs = op == RedirectOp::HereDoc && self.src.get(self.pos.wrapping_sub(1)) == Some(&b'-');
        self.blanks();
        if op == RedirectOp::HereDoc {
            return self.here_document_opening(start, fd, strip_tabs);
        }
        if self.dialect == Dialect::Bash
            && matches!(op, RedirectOp::DupIn | RedirectOp::DupOut)
            && self.peek() == Some(b'-')
            && self.peek_at(1).is_some_and(|b| !is_meta(b))
        {
            // `-` alone is the target: of `>&-x` the `x` is a word of its own.
            self.fatal(Construct::Unknown, start);
        }
        let place = if op == RedirectOp::HereString { Place::Alone } else { Place::Argument };
        let target = self.word_or_syntax(place);
        if self.dialect == Dialect::Bash
            && matches!(op, RedirectOp::DupIn | RedirectOp::DupOut)
            && !target.is_bare()
            && target.literal().is_some_and(|l| l.ends_with(b"-"))
        {
            // Quotes and `-`: where the target ends is another matter.
            self.note(Construct::Unknown, start);
        }
        // Digits that touch the next operator belong to it, and then the target is missing.
        let digits = |l: Vec<u8>| !l.is_empty() && l.iter().all(u8::is_ascii_digit);
        if matches!(self.peek(), Some(b'<' | b'>'))
            && target.is_bare()
            && target.literal().is_some_and(digits)
        {
            self.fatal(Construct::Syntax, start);
        }
        if target.parts.iter().any(|part| matches!(part, Part::Brace { .. })) {
            // An error to bash, several targets to zsh.
            self.note(Construct::Unknown, start);
        }
        if op == RedirectOp::DupOut && fd.is_none_or(|fd| fd == 1) {
            let literal = target.literal().unwrap_or_default();
            let digits = literal.strip_suffix(b"-").unwrap_or(&literal);
            let descriptor = !literal.is_empty() && digits.iter().all(u8::is_ascii_digit);
            if !descriptor && self.extended() {
                op = RedirectOp::Both;
                // `1>&FILE` is `&>FILE`, which takes no number: `1&>FILE` would be an argument `1`.
                fd = None;
            }
        }
        // dash takes one digit or `-` behind `&`, and says so while it parses.
        if self.dialect == Dialect::Dash && matches!(op, RedirectOp::DupOut | RedirectOp::DupIn) {
            let literal = target.literal();
            if literal.is_some_and(|l| !matches!(l.as_slice(), [b'-'] | [b'0'..=b'9'])) {
                self.fatal(Construct::Syntax, start);
            }
        }
        self.note(
            if op == RedirectOp::HereString { Construct::HereString } else { Construct::Redirection },
            start,
        );
        Redirect { fd, op, target, body: None, span: self.span(start) }
    }

    /// `<<` and its delimiter; the body comes behind the next newline.
    fn here_document_opening(&mut self, start: usize, fd: Option<u32>, strip_tabs: bool) -> Redirect {
        let at = self.pos;
        let Some((delimiter, quoted)) = self.delimiter() else {
            self.syntax();
            return Redirect {
                fd,
                op: RedirectOp::HereDoc,
                target: Word::default(),
                body: None,
                span: self.span(start),
            };
        };
        let part = if quoted { Part::Quoted(delimiter.clone()) } else { Part::Bare(delimiter.clone()) };
        let target = Word { parts: vec![part], span: self.span(at) };
        let span = self.span(start);
        let command = self.state.command;
        self.pending.push(Pending { key: span.start, span, delimiter, quoted, strip_tabs, command });
        Redirect { fd, op: RedirectOp::HereDoc, target, body: None, span }
    }

    /// The delimiter after quote removal, and whether any of it was quoted. Nothing in it is expanded.
    fn delimiter(&mut self) -> Option<(Vec<u8>, bool)> {
        let start = self.pos;
        let mut out = Vec::new();
        let mut quoted = false;
        while let Some(byte) = self.peek() {
            if is_meta(byte) {
                break;
            }
            match byte {
                b'\\' => {
                    self.advance(1);
                    if self.peek() == Some(b'\n') {
                        self.advance(1);
                        self.note(Construct::ContinuationInWord, start);
                        continue;
                    }
                    quoted = true;
                    out.push(self.bump()?);
                }
                b'\'' => {
                    quoted = true;
                    self.advance(1);
                    loop {
                        match self.bump()? {
                            b'\'' => break,
                            byte => out.push(byte),
                        }
                    }
                }
                b'"' => {
                    quoted = true;
                    self.advance(1);
                    loop {
                        match self.bump()? {
                            b'"' => break,
                            byte => {
                                if matches!(byte, b'\\' | b'$' | b'`') {
                                    self.note(Construct::Unknown, start);
                                }
                                out.push(byte);
                            }
                        }
                    }
                }
                _ => {
                    if matches!(byte, b'$' | b'`') || byte.is_ascii_control() || !byte.is_ascii() {
                        // Shells differ on what the delimiter then is.
                        self.note(Construct::Unknown, start);
                    }
                    self.advance(1);
                    out.push(byte);
                }
            }
        }
        if out.contains(&b'\n') {
            self.note(Construct::Unknown, start);
        }
        (self.pos > start).then_some((out, quoted))
    }

    /// Reads the bodies that begin here, behind a newline.
    pub fn here_documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let outer = std::mem::replace(&mut self.state.command, pending.command);
            self.here_document(&pending);
            self.state.command = outer;
        }
    }

    fn here_document(&mut self, pending: &Pending) {
        let start = self.pos;
        let mut text = Vec::new();
        let mut map = Vec::new();
        let mut continued = false;
        let mut span = self.span(start);
        loop {
            let Some(rest) = self.src.get(self.pos..).filter(|rest| !rest.is_empty() && !self.state.stopped)
            else {
                // No line is the delimiter: shells take what there is, but it is not what was meant.
                if !self.state.stopped {
                    self.note_at(Construct::Syntax, pending.span);
                    self.state.stopped = true;
                }
                break;
            };
            let len = rest.iter().position(|b| *b == b'\n');
            let line = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
            let tabs = if pending.strip_tabs { line.iter().take_while(|b| **b == b'\t').count() } else { 0 };
            let stripped = line.get(tabs..).unwrap_or_default();
            if !continued && stripped == pending.delimiter {
                span = self.span(start);
                self.advance(line.len() + usize::from(len.is_some()));
                break;
            }
            let from = self.pos + tabs;
            text.extend_from_slice(stripped);
            map.extend((0..stripped.len()).map(|i| self.origin(from + i)));
            text.push(b'\n');
            map.push(self.origin(self.pos + line.len()));
            // Outside a quoted delimiter a backslash joins the next line, which then is no delimiter.
            continued = !pending.quoted && line.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1;
            self.advance(line.len() + usize::from(len.is_some()));
        }
        map.push(self.origin(self.pos));
        let plain = pending.quoted || !text.iter().any(|b| matches!(b, b'$' | b'`' | b'\\'));
        let parts = if plain {
            vec![Part::Quoted(text)]
        } else {
            let mut parts = Vec::new();
            if self.enter() {
                let mut inner = Lexer::new(&text, Some(&map), self.dialect, self.state);
                let mut pieces = Pieces::default();
                inner.quoted_text(None, &mut pieces);
                parts = pieces.finish(&text, false);
            }
            self.leave();
            parts
        };
        let construct = if plain { Construct::HereDocLiteral } else { Construct::HereDocExpanding };
        self.note_at(construct, pending.span);
        let body = HereDoc {
            literal: plain,
            strip_tabs: pending.strip_tabs,
            parts,
            span: Span::new(span.start, span.end),
        };
        self.state.bodies.insert(pending.key, body);
    }
}
