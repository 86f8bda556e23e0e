//! Words: unquoted text, quotes, and what is active in them.

use crate::decision::Span;
use crate::shell::ast::{Part, Word};
use crate::shell::brace::Pieces;
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, first_char, is_meta, is_name, name_length, suspect};
use crate::shell::render_word::renders_as_source;
use crate::shell::words::tilde_at_risk;
use crate::shell::{Dialect, MAX_COMMANDS};

/// Where a word stands: what ends it and what is active in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// An argument, a redirection's target, a word of `for`.
    Argument,
    /// The value of an assignment: no globs, no braces, `~` after `:` too.
    Value,
    /// The word of `case`, a here-string: no globs, no braces.
    Alone,
    /// A pattern of `case`, a word of `[[`: no braces.
    Pattern,
    /// What `=~` is matched with: parentheses and `|` belong to it.
    Regex,
    /// The word in `${x:-word}` outside double quotes: ends at `}` only.
    Param,
}

impl Lexer<'_> {
    /// Reads one word. The caller has seen that one begins here.
    pub fn word(&mut self, place: Place) -> Word {
        let start = self.pos;
        if let Some(word) = self.plain(place) {
            return word;
        }
        let mut pieces = Pieces::default();
        self.unquoted(place, &mut pieces);
        if pieces.breadth() > MAX_COMMANDS as u64 {
            self.note(Construct::LimitBraces, start);
        }
        if pieces.closes_twice() || pieces.braced_pattern {
            self.note(Construct::Unknown, start);
        }
        let span = self.span(start);
        let loose = self.zsh();
        let lone = pieces.dollar;
        let dollar = lone && self.dialect == Dialect::Bash;
        let unclosed = loose && pieces.unclosed();
        let parts = pieces.finish(self.src, loose);
        if dollar
            && parts
                .iter()
                .any(|p| matches!(p, Part::Param { .. } | Part::Command { .. } | Part::Arith { .. }))
        {
            // A lone `$` in a word keeps bash from splitting what expands beside it.
            self.note(Construct::Unknown, start);
        }
        // Of `{$,a}b` the braces make `$b`.
        if (lone || unclosed) && parts.iter().any(|p| matches!(p, Part::Brace { .. })) {
            // And zsh expands `{{1..3}`, but not `{"a"{{1..3}`.
            self.note(Construct::Unknown, start);
        }
        if braces_are_textual(&parts) {
            // Expanded as text before anything in it runs: what then is a name or runs how often is another matter.
            self.note(Construct::Unknown, start);
        }
        Word { parts, span }
    }

    /// A word of nothing but plain bytes, if one is here: most are.
    pub fn plain(&mut self, place: Place) -> Option<Word> {
        if matches!(place, Place::Param | Place::Regex) || self.state.stopped {
            return None;
        }
        let start = self.pos;
        let rest = self.src.get(start..)?;
        let len = rest.iter().position(|b| !is_plain(*b)).unwrap_or(rest.len());
        let ends = matches!(rest.get(len), None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')'));
        let bytes = rest.get(..len).filter(|bytes| ends && !bytes.is_empty())?.to_vec();
        self.advance(len);
        Some(Word { parts: vec![Part::Bare(bytes)], span: self.span(start) })
    }

    /// Reads unquoted text up to what ends it in `place`.
    pub fn unquoted(&mut self, place: Place, pieces: &mut Pieces) {
        let begin = self.pos;
        let mut depth = 0usize;
        let mut braces = 0usize;
        while let Some(byte) = self.peek() {
            let start = self.pos;
            if self.zsh() && place != Place::Param {
                match byte {
                    // Behind what may come out empty they stand at the start of the word.
                    b'~' | b'=' if !pieces.is_empty() && matches!(pieces.last, 0 | b'{' | b',' | b'}') => {
                        self.note(Construct::ZshGlob, start);
                    }
                    b'{' => braces += 1,
                    b'}' if braces > 0 => braces -= 1,
                    // At the end of a word it closes a group all the same.
                    b'}' if self.peek_at(1).is_none_or(is_meta) => self.note(Construct::Unknown, start),
                    _ => {}
                }
            }
            match byte {
                b'}' if place == Place::Param => return,
                b'<' | b'>' if self.extended() && self.peek_at(1) == Some(b'(') => {
                    self.process(byte, pieces);
                }
                b'=' if self.zsh() && pieces.is_empty() && self.peek_at(1) == Some(b'(') => {
                    self.process(byte, pieces);
                }
                b'<' if self.zsh() && place != Place::Param && self.numeric_glob(pieces) => {}
                b'(' if place == Place::Regex => {
                    depth += 1;
                    self.literal(pieces);
                }
                b')' if place == Place::Regex && depth > 0 => {
                    depth -= 1;
                    self.literal(pieces);
                }
                b'|' if place == Place::Regex => self.literal(pieces),
                b' ' | b'\t' | b'<' | b'>' if place == Place::Regex && depth > 0 => self.literal(pieces),
                b'(' if place != Place::Param && start > begin => {
                    // Never a separate token for long: a pattern of an extension, or an error.
                    let construct = match (self.dialect, pieces.last) {
                        (Dialect::Zsh, _) => Construct::ZshGlob,
                        (Dialect::Bash, b'@' | b'*' | b'+' | b'?' | b'!') => Construct::ExtGlob,
                        _ => return,
                    };
                    self.advance(1);
                    self.fatal(construct, start);
                    return;
                }
                b'(' | b')' | b';' | b'&' | b'|' | b'<' | b'>' if place == Place::Param && self.zsh() => {
                    self.note(Construct::ParamOther, start);
                    self.literal(pieces);
                }
                _ if is_meta(byte) && place != Place::Param => return,
                b'\\' => self.escape(pieces),
                b'\'' => self.single_quotes(pieces),
                b'"' => {
                    self.advance(1);
                    let parts = self.double_quotes(start);
                    pieces.part(Part::Double(parts), start, self.pos);
                }
                b'`' => {
                    let part = self.backticks(false);
                    pieces.part(part, start, self.pos);
                }
                b'$' => self.dollar(false, pieces),
                b'*' | b'?' if !matches!(place, Place::Value | Place::Alone | Place::Regex) => {
                    self.advance(1);
                    pieces.part(Part::Glob(vec![byte]), start, self.pos);
                    // Still the byte before a `(`.
                    pieces.last = byte;
                }
                b'[' if !matches!(place, Place::Value | Place::Alone | Place::Regex) => {
                    self.bracket(pieces, place)
                }
                b'~' if self.tilde_is_active(place, pieces) => self.tilde(place, pieces),
                b'~' if place == Place::Alone && pieces.last == b':' && !self.zsh() => {
                    // bash expands it in a here-string.
                    self.note(Construct::Unknown, start);
                    self.literal(pieces);
                }
                b'{' if place == Place::Param => {
                    // Whether the next `}` belongs to it is not the same everywhere.
                    self.note(Construct::ParamOther, start);
                    self.literal(pieces);
                }
                b'{' | b',' | b'}' if self.extended() && place == Place::Argument => {
                    self.advance(1);
                    pieces.brace(byte, start);
                }
                b'=' if self.zsh() && self.equals_is_active(place, pieces) => {
                    self.literal(pieces);
                    if self.peek().is_some_and(|b| !is_meta(b)) {
                        self.note(Construct::ZshGlob, start);
                    }
                }
                b'\n' => {
                    // Only inside `${…}`.
                    self.advance(1);
                    pieces.bare(byte, start);
                }
                _ => self.literal(pieces),
            }
        }
    }

    /// Goes over one character as itself, or many that mean nothing, noting one that is not what it seems.
    fn literal(&mut self, pieces: &mut Pieces) {
        let start = self.pos;
        let rest = self.src.get(start..).unwrap_or_default();
        let plain = rest.iter().position(|b| !is_plain(*b)).unwrap_or(rest.len());
        if let Some(bytes) = rest.get(..plain).filter(|bytes| !bytes.is_empty()) {
            pieces.plain(bytes, start);
            self.advance(plain);
            return;
        }
        let suspicion = suspect(rest);
        let len = match rest.first() {
            Some(byte) if byte.is_ascii() => 1,
            _ => first_char(rest).map_or(1, |(_, len)| len),
        };
        for (i, byte) in rest.iter().take(len).enumerate() {
            pieces.bare(*byte, start + i);
        }
        self.advance(len);
        if let Some(construct) = suspicion {
            self.note(construct, start);
        }
    }

    /// A backslash outside quotes.
    fn escape(&mut self, pieces: &mut Pieces) {
        let start = self.pos;
        if self.peek_at(1) == Some(b'\n') {
            self.join();
            return;
        }
        self.advance(1);
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let Some(first) = rest.first().copied() else {
            // A backslash at the very end: kept by some, dropped by others.
            pieces.quoted(b"\\", start, self.pos);
            self.note(Construct::Unknown, start);
            return;
        };
        let suspicion = suspect(rest);
        let len = if first.is_ascii() { 1 } else { first_char(rest).map_or(1, |(_, len)| len) };
        let bytes = rest.get(..len).unwrap_or_default().to_vec();
        self.advance(len);
        pieces.quoted(&bytes, start, self.pos);
        if first == b'&' && self.dialect == Dialect::Bash && self.peek().is_none_or(is_meta) {
            // bash writes a substitution down and reads it again: behind this it leaves out a semicolon.
            self.note(Construct::Unknown, start);
        }
        if let Some(construct) = suspicion {
            self.note(construct, start);
        }
    }

    /// `'…'`: everything is literal.
    fn single_quotes(&mut self, pieces: &mut Pieces) {
        let start = self.pos;
        self.advance(1);
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let Some(len) = rest.iter().position(|b| *b == b'\'') else {
            self.fatal(Construct::Syntax, start);
            return;
        };
        let bytes = rest.get(..len).unwrap_or_default().to_vec();
        self.advance(len + 1);
        pieces.quoted(&bytes, start, self.pos);
    }

    /// The inside of `"…"`, and over the closing quote.
    pub fn double_quotes(&mut self, start: usize) -> Vec<Part> {
        let mut pieces = Pieces::default();
        self.quoted_text(Some(b'"'), &mut pieces);
        if !self.eat(b"\"") {
            self.fatal(Construct::Syntax, start);
        }
        pieces.finish(self.src, false)
    }

    /// Text in which only `$`, backticks and some backslashes are active: the inside of double quotes (ended
    /// by `end`) or the body of a here-document (to the end of the text).
    pub fn quoted_text(&mut self, end: Option<u8>, pieces: &mut Pieces) {
        while let Some(byte) = self.peek() {
            let start = self.pos;
            if Some(byte) == end {
                return;
            }
            match byte {
                b'\\' => {
                    match self.peek_at(1) {
                        Some(b'\n') => {
                            self.join();
                            continue;
                        }
                        Some(next @ (b'$' | b'`' | b'\\')) => {
                            self.advance(2);
                            pieces.quoted(&[next], start, self.pos);
                        }
                        Some(b'"') if end.is_some() => {
                            self.advance(2);
                            pieces.quoted(b"\"", start, self.pos);
                        }
                        _ => {
                            self.advance(1);
                            pieces.quoted(b"\\", start, self.pos);
                        }
                    };
                }
                b'`' => {
                    let part = self.backticks(true);
                    pieces.part(part, start, self.pos);
                }
                b'$' => self.dollar(true, pieces),
                _ => {
                    let rest = self.src.get(start..).unwrap_or_default();
                    let active = |b: &u8| matches!(b, b'\\' | b'`' | b'$') || Some(*b) == end;
                    let len = rest.iter().position(active).unwrap_or(rest.len());
                    let text = rest.get(..len).unwrap_or_default();
                    if self.dialect == Dialect::Bash && text.iter().any(|b| matches!(b, 1 | 0x7f)) {
                        // bash's own marks: it does not see them where it looks for the end of `$^A(`.
                        self.note(Construct::Unknown, start);
                    }
                    self.advance(len);
                    pieces.quoted(text, start, self.pos);
                }
            }
        }
    }

    /// Backticks: their text is unescaped once and then parsed like any other.
    pub fn backticks(&mut self, quoted: bool) -> Part {
        let start = self.pos;
        self.advance(1);
        let mut text = Vec::new();
        let mut map = Vec::new();
        loop {
            let at = self.origin(self.pos);
            match self.bump() {
                None => {
                    self.fatal(Construct::Syntax, start);
                    break;
                }
                Some(b'`') => {
                    map.push(at);
                    break;
                }
                Some(b'\\') => match self.peek() {
                    Some(b'\n') => {
                        // Dropped here even inside single quotes.
                        self.advance(1);
                        self.note(Construct::ContinuationInWord, start);
                    }
                    Some(next @ (b'`' | b'\\' | b'$')) => {
                        self.advance(1);
                        text.push(next);
                        map.push(at);
                    }
                    Some(b'"') if quoted => {
                        self.advance(1);
                        text.push(b'"');
                        map.push(at);
                    }
                    _ => {
                        text.push(b'\\');
                        map.push(at);
                    }
                },
                Some(byte) => {
                    text.push(byte);
                    map.push(at);
                }
            }
        }
        self.note(Construct::Backticks, start);
        let span = self.span(start);
        let mut script = crate::shell::ast::Script::default();
        if self.enter() {
            let command = self.state.command;
            let mut inner = Lexer::new(&text, Some(&map), self.dialect, self.state);
            script = inner.whole();
            self.state.command = command;
        }
        self.leave();
        // Rendered with parentheses.
        self.timed(&script, start);
        Part::Command { script, backtick: true, span }
    }

    /// `<(…)`, `>(…)`, `=(…)`.
    fn process(&mut self, direction: u8, pieces: &mut Pieces) {
        let start = self.pos;
        self.advance(2);
        let script = self.enclosed(start);
        self.note(Construct::ProcessSubstitution, start);
        let span = self.span(start);
        pieces.part(Part::Process { script, direction, span }, start, self.pos);
    }

    /// zsh: `<1-9>` is a glob, not a redirection.
    fn numeric_glob(&mut self, pieces: &mut Pieces) -> bool {
        let start = self.pos;
        let rest = self.src.get(start..).unwrap_or_default();
        let Some(len) = numeric_glob(rest) else { return false };
        let bytes = rest.get(..len).unwrap_or_default().to_vec();
        self.advance(len);
        self.note(Construct::ZshGlob, start);
        pieces.part(Part::Glob(bytes), start, self.pos);
        true
    }

    /// `[`: a bracket expression if a `]` follows in the same word.
    fn bracket(&mut self, pieces: &mut Pieces, place: Place) {
        let start = self.pos;
        let rest = self.src.get(start..).unwrap_or_default();
        match bracket(rest, place == Place::Param) {
            Bracket::Plain(len) => {
                let bytes = rest.get(..len).unwrap_or_default().to_vec();
                self.advance(len);
                pieces.part(Part::Glob(bytes), start, self.pos);
            }
            Bracket::Mixed(looked) => {
                self.step(looked);
                self.advance(1);
                pieces.part(Part::Glob(b"[".to_vec()), start, self.pos);
                pieces.in_pattern = true;
            }
            Bracket::None(looked) => {
                self.step(looked);
                let alone = pieces.is_empty() && rest.get(1).is_none_or(|b| is_meta(*b));
                if self.zsh() && !(alone && place == Place::Argument) {
                    // An error, unless it is the command of that name.
                    self.note(Construct::ZshGlob, start);
                }
                self.literal(pieces);
            }
        }
    }

    /// True if a `~` here is expanded.
    fn tilde_is_active(&self, place: Place, pieces: &Pieces) -> bool {
        if pieces.is_empty() {
            return place != Place::Regex;
        }
        match (place, pieces.last) {
            (Place::Value, b':') => true,
            (Place::Value, b'=') if self.zsh() => true,
            // `a=~/x` as an argument: bash expands it, and it is as well to think that others do.
            (Place::Argument | Place::Pattern | Place::Alone, b'=' | b':') => {
                let head = pieces.head();
                let name = name_length(head);
                let rest = head.get(name..).unwrap_or_default();
                name > 0 && (rest.starts_with(b"=") || rest.starts_with(b"+="))
            }
            _ => false,
        }
    }

    /// `~`, `~user`, `~+` up to the slash or the end.
    fn tilde(&mut self, place: Place, pieces: &mut Pieces) {
        let start = self.pos;
        let rest = self.src.get(start + 1..).unwrap_or_default();
        let in_name = |b: &u8| b.is_ascii_graphic() && !is_meta(*b) && !b"'\"\\$`*?[]{},/:~".contains(b);
        let len = rest.iter().take_while(|b| in_name(b)).count();
        let next = rest.get(len).copied();
        // With a quote or an expansion before the slash it is not expanded, but zsh does so all the same.
        let quoted = matches!(next, Some(b'\\' | b'\'' | b'"' | b'$' | b'`')) && !self.zsh();
        // Where a star is no pattern it is a letter of the name, and nobody has that one.
        let starred = matches!(next, Some(b'*' | b'?'));
        if quoted && !pieces.is_empty() && place != Place::Value && matches!(next, Some(b'$' | b'`')) {
            // `x=~$1x=~` as an argument: bash leaves the parameter as it stands.
            self.note(Construct::Unknown, start);
        }
        if quoted || (starred && matches!(place, Place::Value | Place::Alone | Place::Regex)) {
            self.advance(1);
            pieces.bare(b'~', start);
            return;
        }
        let plain = match next {
            None | Some(b'/' | b':' | b'*' | b'?') => true,
            Some(b'}') => place == Place::Param,
            Some(byte) => is_meta(byte),
        };
        if next == Some(b':') && place == Place::Argument && !self.zsh() {
            // bash expands it, if nothing up to the next slash is quoted.
            self.note(Construct::Unknown, start);
        }
        if !plain {
            // Braces, brackets and letters that are not ASCII: what the name then is depends on the shell.
            self.note(Construct::Unknown, start);
        }
        let bytes = self.src.get(start..=start + len).unwrap_or_default().to_vec();
        self.advance(len + 1);
        pieces.part(Part::Tilde(bytes), start, self.pos);
    }

    /// zsh: `=name` at the start of a word, or of a part of an assignment's value, is the path of that command.
    fn equals_is_active(&self, place: Place, pieces: &Pieces) -> bool {
        match place {
            Place::Argument | Place::Param | Place::Pattern | Place::Alone => pieces.is_empty(),
            Place::Value => pieces.is_empty() || pieces.last == b':',
            _ => false,
        }
    }

    /// Reads a word and gives it the span of nothing else; an empty word if none is here.
    pub fn word_or_syntax(&mut self, place: Place) -> Word {
        match self.peek() {
            Some(byte) if !is_meta(byte) || self.process_ahead() => self.word(place),
            _ => {
                self.syntax();
                Word { parts: Vec::new(), span: Span::new(self.origin(self.pos), self.origin(self.pos)) }
            }
        }
    }

    /// True if `<(` or `>(` stands here and means something.
    pub fn process_ahead(&self) -> bool {
        self.extended()
            && (self.looking_at(b"<(")
                || self.looking_at(b">(")
                || (self.zsh() && self.src.get(self.pos..).is_some_and(|rest| numeric_glob(rest).is_some())))
    }
}

/// True for a byte that is itself in every place of every language, and with anything beside it.
fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)) == Some(&true)
}

/// Those bytes, looked up: each byte of a text is asked about.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler: out of bounds does not build")]
static PLAIN: [bool; 256] = {
    let (mut plain, mut byte) = ([false; 256], 0);
    while byte < 128 {
        let b = byte as u8;
        plain[byte] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'%');
        byte += 1;
    }
    plain
};

/// True if a brace expansion among `parts` could join a parameter's name with other text, or copy what runs.
fn braces_are_textual(parts: &[Part]) -> bool {
    let names = |b: &u8| is_name(*b) || *b == b'[';
    if !parts.iter().any(|part| matches!(part, Part::Brace { .. })) {
        return false;
    }
    // Asked once, of the whole word.
    let tilde = tilde_at_risk(parts);
    parts.iter().enumerate().any(|(i, part)| {
        let Part::Brace { source, inner, .. } = part else { return false };
        let odd = tilde || source.contains(&b'\n') || !inner.iter().all(renders_as_source);
        let before = i.checked_sub(1).and_then(|i| parts.get(i));
        // `$x{a,b}` is `$xa $xb`.
        let joined = matches!(before, Some(Part::Param { .. }))
            && source.windows(2).any(|w| match w {
                // Of an empty element it is what follows that joins.
                [b'{' | b',', b',' | b'}'] => true,
                [b'{' | b',' | b'.', next] => names(next),
                _ => false,
            });
        // `{a,$x}b` is `ab $xb`.
        let joining = inner.iter().any(|part| matches!(part, Part::Param { .. }))
            && match parts.get(i + 1) {
                Some(Part::Bare(bytes)) => bytes.first().is_some_and(names),
                Some(Part::Brace { .. } | Part::Glob(_)) => true,
                _ => source.iter().filter(|b| **b == b'{').count() > 1,
            };
        odd || joined || joining
    })
}

/// The length of `<`digits`-`digits`>` at the start of `bytes`.
pub(super) fn numeric_glob(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"<")?;
    let first = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if rest.get(first) != Some(&b'-') {
        return None;
    }
    let second = rest.get(first + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    (rest.get(first + 1 + second) == Some(&b'>')).then_some(first + second + 3)
}

/// What a `[` is.
enum Bracket {
    /// A bracket expression of so many plain bytes.
    Plain(usize),
    /// One with quotes or expansions inside; so many bytes were looked at.
    Mixed(usize),
    /// None; so many bytes were looked at.
    None(usize),
}

fn bracket(bytes: &[u8], in_param: bool) -> Bracket {
    let mut i = 1;
    let mut mixed = false;
    if matches!(bytes.get(i), Some(b'!' | b'^')) {
        i += 1;
    }
    // A `]` in the first place is a member.
    if bytes.get(i) == Some(&b']') {
        // Not in every shell: with nothing behind it that closes, it may close itself.
        mixed =
            !bytes.get(i + 1..).unwrap_or_default().iter().take_while(|b| !is_meta(**b)).any(|b| *b == b']');
        if mixed {
            return Bracket::Mixed(i);
        }
        i += 1;
    }
    while let Some(byte) = bytes.get(i).copied() {
        match byte {
            b']' => return if mixed { Bracket::Mixed(i) } else { Bracket::Plain(i + 1) },
            b'[' if matches!(bytes.get(i + 1), Some(b':' | b'.' | b'=')) => {
                let kind = bytes.get(i + 1).copied().unwrap_or_default();
                let rest = bytes.get(i + 2..).unwrap_or_default();
                // Classes have short names; looking further would make the whole quadratic.
                match rest
                    .iter()
                    .take(32)
                    .collect::<Vec<_>>()
                    .windows(2)
                    .position(|w| matches!(w, [a, b] if **a == kind && **b == b']'))
                {
                    Some(at) => i += at + 4,
                    None => i += 1,
                }
            }
            b'}' if in_param => return Bracket::None(i),
            _ if is_meta(byte) => return if mixed { Bracket::Mixed(i) } else { Bracket::None(i) },
            b'\\' | b'\'' | b'"' | b'$' | b'`' | b'{' | b'}' | b'~' => {
                mixed = true;
                i += 1;
            }
            b if b.is_ascii_control() || !b.is_ascii() => {
                mixed = true;
                i += 1;
            }
            _ => i += 1,
        }
    }
    if mixed { Bracket::Mixed(i) } else { Bracket::None(i) }
}
