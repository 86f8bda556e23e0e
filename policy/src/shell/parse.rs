//! Lists, pipelines and simple commands.

use crate::decision::Span;
use crate::rules::builtins::is_builtin;
use crate::shell::Dialect;
use crate::shell::ast::{
    AndOr, AndOrOp, Assignment, Command, CommandKind, ListEnd, Part, Pipeline, Redirect, Script, Simple, Word,
};
use crate::shell::construct::Construct;
use crate::shell::lex::{Lexer, is_meta, name_length};
use crate::shell::word::Place;

/// What a list of commands goes on to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The end of the text.
    End,
    /// A `)`.
    Paren,
    /// One of these keywords.
    Keyword(&'static [&'static [u8]]),
    /// `;;` and its kind, or `esac`.
    Arm,
}

/// True if zsh runs the command itself.
fn in_the_shell(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Simple(simple) => {
            simple.words.first().and_then(Word::literal).is_none_or(|name| is_builtin(&name, Dialect::Zsh))
        }
        _ => true,
    }
}

/// True if a word begins with a part that is `export`.
pub(crate) fn is_export(word: &Word) -> bool {
    matches!(word.parts.first(), Some(Part::Bare(b) | Part::Quoted(b)) if b == b"export")
}

/// Words that end a list and cannot begin a command.
fn closes(word: &[u8]) -> bool {
    matches!(word, b"then" | b"else" | b"elif" | b"fi" | b"do" | b"done" | b"esac" | b"}" | b"in" | b"]]")
}

/// Builtins whose arguments bash and zsh read as assignments: only there `name=(…)` is an array.
pub(super) fn declares(name: &[u8]) -> bool {
    matches!(
        name,
        b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"integer" | b"float" | b"private"
    )
}

impl Lexer<'_> {
    /// The whole text as a list of commands.
    pub fn whole(&mut self) -> Script {
        let script = self.script(Until::End);
        if self.peek().is_some() {
            self.syntax();
        }
        if let Some(first) = self.pending.first().cloned() {
            // Its body never began.
            self.note_at(Construct::Syntax, first.span);
            self.state.stopped = true;
        }
        script
    }

    /// A list of commands up to what ends it, which stays.
    pub fn script(&mut self, until: Until) -> Script {
        let mut script = Script::default();
        self.newlines();
        while self.peek().is_some() && !self.at(until) {
            let (list, compound) = self.and_or();
            script.lists.push(list);
            let end = self.list_end();
            if let Some(last) = script.lists.last_mut() {
                last.end = end;
            }
            if end == ListEnd::End {
                // Without a separator only what ends the list may follow; a keyword only behind a compound command.
                let closed = match until {
                    _ if self.peek().is_none() => true,
                    Until::Paren => self.peek() == Some(b')'),
                    Until::Arm => self.peek() == Some(b';') || (compound && self.at(until)),
                    Until::Keyword(_) => (compound || self.zsh_brace()) && self.at(until),
                    Until::End => false,
                };
                if !closed {
                    self.syntax();
                }
                break;
            }
            self.newlines();
        }
        script
    }

    /// A list that must hold a command.
    pub fn filled(&mut self, until: Until) -> Script {
        let script = self.script(until);
        if script.lists.is_empty() {
            self.syntax();
        }
        script
    }

    /// True if the list ends here.
    fn at(&self, until: Until) -> bool {
        match until {
            Until::End => self.peek().is_none(),
            Until::Paren => self.peek() == Some(b')'),
            Until::Keyword(words) => self.plain_word().is_some_and(|word| words.contains(&word)),
            Until::Arm => {
                self.looking_at(b";;")
                    || self.looking_at(b";&")
                    || self.looking_at(b";|")
                    || self.plain_word() == Some(b"esac")
            }
        }
    }

    /// zsh: a lone `}` closes a group wherever it stands.
    fn zsh_brace(&self) -> bool {
        self.zsh() && self.plain_word() == Some(b"}")
    }

    /// What ends an and-or list; goes over it.
    fn list_end(&mut self) -> ListEnd {
        match self.peek() {
            Some(b'\n') => {
                self.newline();
                ListEnd::Sequence
            }
            Some(b';') if !matches!(self.joined_next(), Some(b';' | b'&' | b'|')) => {
                self.advance(1);
                ListEnd::Sequence
            }
            Some(b'&') if self.joined_next() != Some(b'&') => {
                let start = self.pos;
                self.advance(1);
                if self.zsh() && matches!(self.peek(), Some(b'|' | b'!')) {
                    self.advance(1);
                }
                self.note(Construct::Background, start);
                ListEnd::Background
            }
            _ => ListEnd::End,
        }
    }

    /// The byte behind this one if no continuation lies between; a continuation that joins is noted by
    /// [`Lexer::operator`].
    fn joined_next(&self) -> Option<u8> {
        self.src.get(self.past_continuations(self.pos + 1)).copied()
    }

    /// Goes over a two-byte operator, its bytes possibly joined by a continuation.
    pub fn operator(&mut self, first: u8, second: u8) -> bool {
        if self.peek() != Some(first) || self.joined_next() != Some(second) {
            return false;
        }
        let start = self.pos;
        let to = self.past_continuations(self.pos + 1) + 1;
        let split = to > start + 2;
        self.advance(to - start);
        if split {
            self.note(Construct::ContinuationInWord, start);
        }
        true
    }

    /// Pipelines joined by `&&` and `||`. Second value: the last command is a compound one.
    fn and_or(&mut self) -> (AndOr, bool) {
        let start = self.pos;
        let (first, mut compound) = self.pipeline();
        let mut rest = Vec::new();
        loop {
            let op = if self.operator(b'&', b'&') {
                AndOrOp::And
            } else if self.operator(b'|', b'|') {
                AndOrOp::Or
            } else {
                break;
            };
            self.newlines();
            let (next, last) = self.pipeline();
            rest.push((op, next));
            compound = last;
        }
        (AndOr { first, rest, end: ListEnd::End, span: self.span(start) }, compound)
    }

    /// Commands joined by `|`, with `!` and `time` in front.
    fn pipeline(&mut self) -> (Pipeline, bool) {
        let start = self.pos;
        let mut pipeline = Pipeline {
            negations: 0,
            time: None,
            commands: Vec::new(),
            stderr_too: Vec::new(),
            span: Span::default(),
        };
        loop {
            match self.plain_word() {
                Some(b"!") if pipeline.negations == 0 || self.dialect == Dialect::Bash => {
                    self.advance(1);
                    if self.dialect != Dialect::Dash && self.peek() == Some(b'(') {
                        self.note(Construct::ExtGlob, self.pos);
                    }
                    pipeline.negations += 1;
                }
                Some(b"time") if self.extended() => self.time(&mut pipeline),
                _ => break,
            }
            self.blanks();
        }
        if self.zsh() && pipeline.negations > 0 && pipeline.time.is_some() {
            // Behind `!` zsh knows no `time`: `! time f() { …; }` defines two functions.
            self.note(Construct::TimeOptions, start);
        }
        let alone = pipeline.negations > 0 || pipeline.time.is_some();
        let mut compound = false;
        if alone && self.extended() && self.at_command_end() {
            // `!` or `time` with nothing to run: nobody means that.
            self.note(
                if pipeline.time.is_some() { Construct::TimeOptions } else { Construct::Unknown },
                start,
            );
            let id = self.next_command();
            let kind = CommandKind::Simple(Simple { id, ..Simple::default() });
            pipeline.commands.push(Command { kind, redirects: Vec::new(), span: self.span(self.pos) });
        } else {
            loop {
                let (command, is_compound) = self.command();
                compound = is_compound;
                pipeline.commands.push(command);
                if self.peek() != Some(b'|') || self.joined_next() == Some(b'|') {
                    break;
                }
                let at = self.pos;
                let both = self.extended() && self.operator(b'|', b'&');
                if both {
                    self.note(Construct::PipeStderr, at);
                } else {
                    self.advance(1);
                }
                pipeline.stderr_too.push(both);
                self.newlines();
                if self.plain_word() == Some(b"!") {
                    self.syntax();
                }
            }
        }
        if self.zsh() && pipeline.time.is_some() && pipeline.commands.last().is_some_and(in_the_shell) {
            // What zsh then takes for the status depends on how the lines are broken.
            self.note(Construct::TimeOptions, start);
        }
        pipeline.span = self.span(start);
        (pipeline, compound)
    }

    /// The `time` keyword.
    fn time(&mut self, pipeline: &mut Pipeline) {
        let start = self.pos;
        self.advance(4);
        self.note(Construct::Time, start);
        let twice = pipeline.time.is_some();
        pipeline.time = Some(pipeline.time.unwrap_or(false));
        self.blanks();
        if self.peek() == Some(b'-') || twice {
            self.note(Construct::TimeOptions, start);
            let rest = self.src.get(self.pos..).unwrap_or_default();
            if self.dialect == Dialect::Bash
                && rest.starts_with(b"-p")
                && rest.get(2).is_none_or(|b| is_meta(*b))
            {
                self.advance(2);
                pipeline.time = Some(true);
            }
        }
    }

    fn at_command_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b';'))
    }

    /// One command with its redirections. Second value: it is a compound command.
    pub fn command(&mut self) -> (Command, bool) {
        self.blanks();
        let start = self.pos;
        let outer = self.state.command;
        let kind = match self.compound() {
            Some(kind) => kind,
            None => return self.simple_or_function(start),
        };
        self.state.command = outer;
        let function = matches!(kind, CommandKind::Function { .. });
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect() {
                Some(redirect) if !function => redirects.push(redirect),
                Some(_) => self.syntax(),
                None => break,
            }
        }
        if !redirects.is_empty() && self.peek().is_some_and(|b| !is_meta(b) && b != b'#') {
            // `{ w; } >&2 done`: no word ends anything there, but for zsh.
            self.note(Construct::Unknown, self.pos);
        }
        (Command { kind, redirects, span: self.span(start) }, true)
    }

    fn simple_or_function(&mut self, start: usize) -> (Command, bool) {
        if let Some(len) = self.function_ahead() {
            return self.function(start, len);
        }
        (self.simple(start), false)
    }

    /// The length of a name with `()` behind it, if one begins here.
    fn function_ahead(&self) -> Option<usize> {
        let rest = self.src.get(self.pos..).unwrap_or_default();
        let goes_on = |b: &u8| !is_meta(*b) && !matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'#');
        let mut len = 0;
        while len < 256 && rest.get(len).is_some_and(goes_on) {
            len += 1;
        }
        let mut i = len;
        let blank = |i: usize| matches!(rest.get(i), Some(b' ' | b'\t'));
        while blank(i) {
            i += 1;
        }
        if len == 0 || rest.get(i) != Some(&b'(') {
            return None;
        }
        i += 1;
        while blank(i) && !self.zsh() {
            i += 1;
        }
        // `a=()` is an empty array.
        let array = rest.get(len.wrapping_sub(1)) == Some(&b'=') && self.extended();
        (rest.get(i) == Some(&b')') && !array && !self.state.stopped).then_some(len)
    }

    /// Words, assignments and redirections.
    fn simple(&mut self, start: usize) -> Command {
        let outer = self.state.command;
        let id = self.next_command();
        self.state.command = Some(id);
        let mut simple = Simple { id, ..Simple::default() };
        let mut redirects: Vec<Redirect> = Vec::new();
        let mut declaring = false;
        if self.plain_word().is_some_and(|word| closes(word) || word == b"!") {
            self.syntax();
        }
        loop {
            self.blanks();
            // Most words behind the first are nothing but themselves. (A digit may begin a redirection.)
            if !simple.words.is_empty()
                && self.peek().is_some_and(|b| !b.is_ascii_digit())
                && let Some(word) = self.plain(Place::Argument)
            {
                declaring |= word.text().is_some_and(|word| declares(&word));
                simple.words.push(word);
                continue;
            }
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if self.dialect == Dialect::Dash && self.plain_word() == Some(b"[[") {
                // From such a word on, wherever it stands, the ash of busybox takes `&&` and `||` for words.
                self.note(Construct::Unknown, self.pos);
            }
            let Some(byte) = self.peek() else { break };
            if byte == b'(' {
                // Only zsh has words that begin so.
                if self.zsh() {
                    self.note(Construct::ZshGlob, self.pos);
                }
                self.syntax();
                break;
            }
            if is_meta(byte) && !self.process_ahead() {
                break;
            }
            if self.zsh_brace() {
                break;
            }
            if simple.words.is_empty() {
                if let Some(assignment) = self.assignment() {
                    simple.assignments.push(assignment);
                    continue;
                }
                self.check_name(!simple.assignments.is_empty() || !redirects.is_empty());
            }
            let word = self.argument(!simple.words.is_empty(), declaring);
            declaring |= word.text().is_some_and(|word| declares(&word));
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() {
            if redirects.is_empty() {
                self.syntax();
            } else if self.zsh() {
                // zsh runs $NULLCMD or $READNULLCMD.
                self.note(Construct::Unknown, start);
            }
        }
        self.state.command = outer;
        self.state.holds.exports |= !simple.words.is_empty()
            && (!simple.assignments.is_empty() || simple.words.iter().any(is_export));
        Command { kind: CommandKind::Simple(simple), redirects, span: self.span(start) }
    }

    /// Notes command names that are more than names.
    fn check_name(&mut self, late: bool) {
        let start = self.pos;
        let Some(word) = self.plain_word() else {
            let rest = self.src.get(start..).unwrap_or_default();
            // zsh sets positional parameters with `1=x`, and its names may hold any letter.
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let letters = rest.iter().take(64).take_while(|b| !is_meta(**b) && **b != b'=').count();
            let other =
                rest.get(..letters).is_some_and(|w| !w.is_ascii()) && rest.get(letters) == Some(&b'=');
            if self.zsh() && ((digits > 0 && rest.get(digits) == Some(&b'=')) || other) {
                self.note(Construct::Unknown, start);
            }
            // `+=x` is an assignment to no name; `{` is a keyword wherever a command may begin; `-` runs what follows under another name.
            if self.zsh() && (rest.starts_with(b"+=") || rest.starts_with(b"{")) {
                self.note(Construct::Unknown, start);
            }
            if self.zsh() && rest.first() == Some(&b'-') && rest.get(1).is_none_or(|b| is_meta(*b)) {
                self.note(Construct::Unknown, start);
            }
            if self.zsh() && (rest.starts_with(b"run-help") || rest.starts_with(b"which-command")) {
                self.note(Construct::Alias, start);
            }
            return;
        };
        // zsh allows a compound command behind a redirection; others take its keyword as a program's name.
        let keyword = closes(word)
            || matches!(
                word,
                b"if"
                    | b"for"
                    | b"while"
                    | b"until"
                    | b"case"
                    | b"{"
                    | b"!"
                    | b"[["
                    | b"select"
                    | b"function"
                    | b"time"
                    | b"coproc"
            );
        let zsh =
            matches!(word, b"repeat" | b"foreach" | b"end" | b"nocorrect" | b"noglob" | b"always" | b"time");
        if (late && keyword) || (self.zsh() && zsh) {
            self.note(Construct::Unknown, start);
        }
    }

    /// An argument; behind a declaring builtin it may be an array.
    fn argument(&mut self, later: bool, declaring: bool) -> Word {
        if self.extended() && later {
            let start = self.pos;
            let rest = self.src.get(start..).unwrap_or_default();
            let name = name_length(rest);
            let tail = rest.get(name..).unwrap_or_default();
            if name > 0 && (tail.starts_with(b"=(") || tail.starts_with(b"+=(")) {
                if !declaring {
                    self.advance(name + 1);
                    self.syntax();
                    return Word { parts: Vec::new(), span: self.span(start) };
                }
                // What the builtin makes of it depends on its options.
                self.note(Construct::ArrayAssign, start);
                if let Some(assignment) = self.assignment() {
                    return assignment.value;
                }
            }
            if name > 0 && declaring && tail.starts_with(b"[") {
                self.note(Construct::ArrayAssign, start);
            }
        }
        self.word(Place::Argument)
    }

    /// `NAME=value` and its kind, if one begins here.
    fn assignment(&mut self) -> Option<Assignment> {
        let start = self.pos;
        let rest = self.src.get(start..)?;
        let len = name_length(rest);
        let tail = rest.get(len..)?;
        if len == 0 || self.state.stopped {
            return None;
        }
        let name = rest.get(..len)?;
        let (skip, append) = match tail {
            [b'=', ..] => (1, false),
            [b'+', b'=', ..] if self.extended() => (2, true),
            [b'[', ..] if self.extended() => {
                // An assignment only if `]=` follows, but the subscript is read as one either way.
                self.advance(len);
                return self.subscript(start, name.to_vec());
            }
            _ => return None,
        };
        let name = name.to_vec();
        self.advance(len + skip);
        if append {
            self.note(Construct::AssignAppend, start);
        }
        if self.extended() && self.peek() == Some(b'(') {
            let (value, elements) = self.array(start);
            return Some(Assignment { name, append, array: true, value, elements, span: self.span(start) });
        }
        let value = self.word(Place::Value);
        Some(Assignment { name, append, array: false, value, elements: None, span: self.span(start) })
    }

    /// `NAME[sub]=value`, from the bracket on. Without `=` it is a word with a glob; then nothing was read.
    fn subscript(&mut self, start: usize, name: Vec<u8>) -> Option<Assignment> {
        self.advance(1);
        let (mut parts, _) = self.arithmetic(start, b"]");
        let append = self.looking_at(b"+=");
        self.note(Construct::ArrayAssign, start);
        if append {
            self.advance(1);
        }
        if !self.eat(b"=") {
            // A command's name with a bracket in it: nobody names one so.
            self.fatal(Construct::Unknown, start);
        }
        let value = if self.peek() == Some(b'(') { self.array(start).0 } else { self.word(Place::Value) };
        parts.extend(value.parts);
        let span = self.span(start);
        let value = Word { parts, span: value.span };
        Some(Assignment { name, append, array: true, value, elements: None, span })
    }

    /// `(…)` behind `NAME=`: words over any number of lines. All their parts in one word; and the words themselves
    /// if bash only expands them, as it does unless one begins with a subscript as written.
    fn array(&mut self, start: usize) -> (Word, Option<Vec<Word>>) {
        self.advance(1);
        let mut parts: Vec<Part> = Vec::new();
        let mut words = (self.dialect == Dialect::Bash).then(Vec::new);
        if self.enter() {
            loop {
                self.newlines();
                match self.peek() {
                    Some(b')') => {
                        self.advance(1);
                        break;
                    }
                    Some(byte) if !is_meta(byte) || self.process_ahead() => {
                        let word = self.word(Place::Argument);
                        parts.extend(word.parts.iter().cloned());
                        if matches!(byte, b'[' | b'{' | b'\\') || word.parts.is_empty() {
                            words = None;
                        }
                        words.iter_mut().for_each(|w| w.push(word.clone()));
                    }
                    _ => {
                        self.fatal(Construct::Syntax, start);
                        break;
                    }
                }
            }
        }
        self.leave();
        if self.peek().is_some_and(|byte| !is_meta(byte) || byte == b'(') {
            // The word goes on for bash: a `#` here begins no comment.
            self.note(Construct::Unknown, start);
        }
        self.note(if words.is_some() { Construct::ArrayPlain } else { Construct::ArrayAssign }, start);
        (Word { parts, span: self.span(start) }, words)
    }
}
