//! Text for the real shell, made from the judged tree instead of the text that was read.
//!
//! Literals are single-quoted, which every dialect reads alike; what is dynamic is written in the one form that was
//! accepted; keywords and operators are bare; comments are gone. Read again, the text gives the same tree.

use std::borrow::Cow;

use crate::shell::Dialect;
use crate::shell::ast::{
    AndOr, AndOrOp, Assignment, Command, CommandKind, ListEnd, Part, Pipeline, Redirect, RedirectOp, Script,
    Simple, Word,
};
use crate::shell::compound::is_plain_name;
use crate::shell::cond::is_operator;
use crate::shell::construct::Construct;
use crate::shell::lex::is_identifier;
use crate::shell::parse::declares;

/// What a simple command is rendered with instead of its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replacement {
    /// Literal words that stand for the command's name, each rendered quoted.
    pub name: Vec<Vec<u8>>,
    /// The name is a builtin: it is rendered bare.
    pub bare_name: bool,
    /// Assignments put in front of the command, behind its own: name and literal value.
    pub assign: Vec<(&'static str, Vec<u8>)>,
    /// Word index (0 is the name) and the literal words that stand for that word.
    pub args: Vec<(usize, Vec<Vec<u8>>)>,
}

/// Renders a script for the shell of `dialect`.
///
/// `replace` is asked for every simple command by its id; with `None` the command keeps its own words. `source` is the
/// text the tree was made from.
///
/// # Errors
/// The first construct met that has no rendering: those that are never satisfied without a person, and forms whose
/// text could be read in another way.
pub fn render(
    script: &Script,
    source: &[u8],
    dialect: Dialect,
    replace: &dyn Fn(usize) -> Option<Replacement>,
) -> Result<Vec<u8>, Construct> {
    render_as(script, source, dialect, &|id| replace(id).map(Cow::Owned))
}

/// The same, with replacements that stay where they are.
pub(crate) fn render_as<'r>(
    script: &Script,
    source: &'r [u8],
    dialect: Dialect,
    replace: &'r dyn Fn(usize) -> Option<Cow<'r, Replacement>>,
) -> Result<Vec<u8>, Construct> {
    let mut writer = Writer::new(source, false, replace);
    writer.lines = dialect == Dialect::Bash;
    writer.script(script)?;
    writer.bodies();
    if writer.out.contains(&0) {
        return Err(Construct::Nul);
    }
    Ok(writer.out)
}

/// Why something was not rendered, or nothing.
pub(super) type Done = Result<(), Construct>;

pub(super) struct Writer<'a> {
    pub out: Vec<u8>,
    /// Bodies of here-documents that begin behind the next newline, with their delimiters.
    pub waiting: Vec<(Vec<u8>, Vec<u8>)>,
    source: &'a [u8],
    /// True where a newline would be taken for the one that a here-document outside waits for.
    pub flat: bool,
    /// True if lists of one line have to stay on one: after some errors bash goes on with the next.
    lines: bool,
    replace: &'a dyn Fn(usize) -> Option<Cow<'a, Replacement>>,
}

impl<'a> Writer<'a> {
    pub fn new(
        source: &'a [u8],
        flat: bool,
        replace: &'a dyn Fn(usize) -> Option<Cow<'a, Replacement>>,
    ) -> Writer<'a> {
        Writer { out: Vec::new(), waiting: Vec::new(), source, flat, lines: false, replace }
    }
}

impl Writer<'_> {
    pub fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// A newline and the bodies that wait for one, if any do.
    pub fn bodies(&mut self) -> bool {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() {
            return false;
        }
        self.put(b"\n");
        for (body, delimiter) in waiting {
            self.put(&body);
            self.put(&delimiter);
            self.put(b"\n");
        }
        true
    }

    /// What stands between two lists.
    fn separator(&mut self) {
        if !self.bodies() {
            self.put(b"; ");
        }
    }

    pub fn script(&mut self, script: &Script) -> Done {
        for (i, list) in script.lists.iter().enumerate() {
            if let Some(before) = i.checked_sub(1).and_then(|i| script.lists.get(i)) {
                // After an error some shells go on with the next line: lines stay lines.
                let between = self.source.get(before.span.end..list.span.start).unwrap_or_default();
                let line = between.contains(&b'\n');
                if !self.flat && self.waiting.is_empty() && line {
                    self.put(b"\n");
                } else if self.lines && !line {
                    self.put(b"; ");
                } else {
                    self.separator();
                }
            }
            self.and_or(list)?;
        }
        Ok(())
    }

    fn and_or(&mut self, list: &AndOr) -> Done {
        if list.end == ListEnd::Background {
            return Err(Construct::Background);
        }
        self.pipeline(&list.first)?;
        for (op, pipeline) in &list.rest {
            self.put(match op {
                AndOrOp::And => b" && ",
                AndOrOp::Or => b" || ",
            });
            self.pipeline(pipeline)?;
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Done {
        match pipeline.time {
            Some(true) => return Err(Construct::TimeOptions),
            Some(false) => self.put(b"time "),
            None => {}
        }
        for _ in 0..pipeline.negations {
            self.put(b"! ");
        }
        let mut both = pipeline.stderr_too.iter();
        for (i, command) in pipeline.commands.iter().enumerate() {
            if i > 0 {
                self.put(if both.next().copied().unwrap_or(false) { b" |& ".as_slice() } else { b" | " });
            }
            self.command(command)?;
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Done {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple)?,
            CommandKind::Subshell(script) => {
                self.put(b"( ");
                self.script(script)?;
                self.bodies();
                self.put(b" )");
            }
            CommandKind::Group(script) => self.braces(script)?,
            CommandKind::If { arms, otherwise } => {
                let mut word: &[u8] = b"if ";
                for (condition, body) in arms {
                    self.put(word);
                    self.script(condition)?;
                    self.separator();
                    self.put(b"then ");
                    self.script(body)?;
                    self.separator();
                    word = b"elif ";
                }
                if let Some(body) = otherwise {
                    self.put(b"else ");
                    self.script(body)?;
                    self.separator();
                }
                self.put(b"fi");
            }
            CommandKind::Loop { until, condition, body } => {
                self.put(if *until { b"until " } else { b"while " });
                self.script(condition)?;
                self.separator();
                self.do_group(body)?;
            }
            CommandKind::For { name, words, body } => {
                if !is_identifier(name) {
                    return Err(Construct::For);
                }
                self.put(b"for ");
                self.put(name);
                if let Some(words) = words {
                    self.put(b" in");
                    for word in words {
                        self.put(b" ");
                        self.word(word)?;
                    }
                }
                // Never a newline: dash does not take it for the one that a here-document waits for.
                self.put(b"; ");
                self.do_group(body)?;
            }
            CommandKind::Case { word, arms } => {
                self.put(b"case ");
                self.word(word)?;
                self.put(b" in ");
                for (patterns, body, end) in arms {
                    for (i, pattern) in patterns.iter().enumerate() {
                        self.put(if i == 0 { b"" } else { b" | " });
                        self.word(pattern)?;
                    }
                    self.put(b") ");
                    self.script(body)?;
                    self.bodies();
                    self.put(b" ");
                    self.put(if end.is_empty() { b";;" } else { end });
                    self.put(b" ");
                }
                self.put(b"esac");
            }
            CommandKind::Function { name, body } => {
                if name.is_empty() || !name.iter().all(|b| is_plain_name(*b)) {
                    return Err(Construct::Function);
                }
                self.put(name);
                self.put(b"() ");
                self.command(body)?;
            }
            CommandKind::Cond(words) => {
                self.put(b"[[ ");
                self.conditional(words)?;
                self.put(b"]]");
            }
            CommandKind::Arith(expr) => {
                self.put(b"(( ");
                self.arithmetic(expr)?;
                self.put(b" ))");
            }
            CommandKind::ArithFor { header, body } => {
                self.put(b"for (( ");
                self.arithmetic(header)?;
                self.put(b" ))");
                self.separator();
                self.do_group(body)?;
            }
            CommandKind::Select { .. } => return Err(Construct::Select),
            CommandKind::Coproc(_) => return Err(Construct::Coproc),
        }
        for redirect in &command.redirects {
            self.space();
            self.redirect(redirect)?;
        }
        Ok(())
    }

    fn braces(&mut self, script: &Script) -> Done {
        self.put(b"{ ");
        self.script(script)?;
        self.separator();
        self.put(b"}");
        Ok(())
    }

    fn do_group(&mut self, body: &Script) -> Done {
        self.put(b"do ");
        self.script(body)?;
        self.separator();
        self.put(b"done");
        Ok(())
    }

    /// A blank, unless nothing stands before it.
    fn space(&mut self) {
        if !matches!(self.out.last(), None | Some(b' ' | b'\n')) {
            self.put(b" ");
        }
    }

    fn simple(&mut self, simple: &Simple) -> Done {
        let replacement = (self.replace)(simple.id);
        for assignment in &simple.assignments {
            self.space();
            self.assignment(assignment)?;
        }
        for (name, value) in replacement.iter().flat_map(|r| &r.assign) {
            self.space();
            self.put(name.as_bytes());
            self.put(b"=");
            quote(value, &mut self.out);
        }
        for (i, word) in simple.words.iter().enumerate() {
            self.space();
            if i == 0
                && let Some(replacement) = replacement.as_ref().filter(|r| !r.name.is_empty())
            {
                self.literals(&replacement.name, replacement.bare_name)?;
                continue;
            }
            if let Some((_, words)) = replacement.iter().flat_map(|r| &r.args).find(|(at, _)| *at == i) {
                self.literals(words, false)?;
                continue;
            }
            match word.text().filter(|_| i == 0 && word.is_bare()) {
                // Quoted, it would not be the keyword that makes its arguments assignments.
                Some(name) if declares(&name) => self.put(&name),
                _ => self.word(word)?,
            }
        }
        Ok(())
    }

    pub fn literals(&mut self, words: &[Vec<u8>], bare: bool) -> Done {
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                self.put(b" ");
            }
            if !(bare && i == 0) {
                quote(word, &mut self.out);
                continue;
            }
            let safe = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':' | b'[');
            if word.is_empty() || !word.iter().all(safe) {
                return Err(Construct::Unknown);
            }
            self.put(word);
        }
        Ok(())
    }

    fn assignment(&mut self, assignment: &Assignment) -> Done {
        if assignment.array {
            let Some(words) = assignment.elements.as_ref().filter(|_| !assignment.append) else {
                return Err(Construct::ArrayAssign);
            };
            self.put(&assignment.name);
            self.put(b"=(");
            for word in words {
                self.put(b" ");
                self.word(word)?;
            }
            self.put(b" )");
            return Ok(());
        }
        if assignment.append {
            return Err(Construct::AssignAppend);
        }
        self.put(&assignment.name);
        self.put(b"=");
        self.parts(&assignment.value.parts)
    }

    fn conditional(&mut self, words: &[Word]) -> Done {
        let mut regex = false;
        for word in words {
            let bare = if word.is_bare() { word.literal() } else { None };
            match bare {
                Some(op) if is_operator(&op) => {
                    self.put(&op);
                    regex = op == b"=~";
                }
                _ if regex => {
                    self.regex(&word.parts)?;
                    regex = false;
                }
                _ => self.word(word)?,
            }
            self.put(b" ");
        }
        Ok(())
    }

    /// What `=~` is matched with: quoted text in it is literal, unquoted text is the expression.
    fn regex(&mut self, parts: &[Part]) -> Done {
        for (i, part) in parts.iter().enumerate() {
            match part {
                Part::Bare(bytes) => {
                    // `$` before a quote would begin another kind of quote.
                    let last = i + 1 == parts.len();
                    let dollar = bytes.ends_with(b"$") && !last;
                    if dollar || bytes.iter().any(|b| matches!(b, b'\'' | b'"' | b'\\' | b'`' | b'~')) {
                        return Err(Construct::Cond);
                    }
                    self.put(bytes);
                }
                part => self.parts(std::slice::from_ref(part))?,
            }
        }
        Ok(())
    }

    fn redirect(&mut self, redirect: &Redirect) -> Done {
        if let Some(fd) = redirect.fd {
            self.put(fd.to_string().as_bytes());
        }
        self.put(match redirect.op {
            RedirectOp::Read => b"<",
            RedirectOp::Write => b">",
            RedirectOp::Clobber => b">|",
            RedirectOp::Append => b">>",
            RedirectOp::ReadWrite => b"<>",
            RedirectOp::DupIn => b"<&",
            RedirectOp::DupOut => b">&",
            RedirectOp::Both => b"&>",
            RedirectOp::BothAppend => b"&>>",
            RedirectOp::HereDoc => b"<<",
            RedirectOp::HereString => b"<<<",
        });
        if redirect.op == RedirectOp::HereDoc {
            return self.here_document(redirect);
        }
        match redirect.target.literal() {
            Some(text)
                if matches!(redirect.op, RedirectOp::DupIn | RedirectOp::DupOut)
                    && !text.is_empty()
                    && text.iter().all(|b| b.is_ascii_digit() || *b == b'-') =>
            {
                self.put(&text);
                Ok(())
            }
            _ => {
                self.put(b" ");
                self.word(&redirect.target)
            }
        }
    }

    fn here_document(&mut self, redirect: &Redirect) -> Done {
        let body = match &redirect.body {
            Some(body) if body.literal => body,
            _ => return Err(Construct::HereDocExpanding),
        };
        let mut text = Vec::new();
        for part in &body.parts {
            let Part::Quoted(bytes) = part else { return Err(Construct::HereDocExpanding) };
            text.extend_from_slice(bytes);
        }
        let mut delimiter = b"EOF".to_vec();
        while text.split(|b| *b == b'\n').any(|line| line == delimiter) {
            delimiter.push(b'_');
        }
        quote(&delimiter, &mut self.out);
        self.waiting.push((text, delimiter));
        Ok(())
    }
}

/// `'…'` around literal bytes.
pub(super) fn quote(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 2);
    out.push(b'\'');
    if !bytes.contains(&b'\'') {
        out.extend_from_slice(bytes);
        out.push(b'\'');
        return;
    }
    for (i, piece) in bytes.split(|b| *b == b'\'').enumerate() {
        if i > 0 {
            out.extend_from_slice(b"'\\''");
        }
        out.extend_from_slice(piece);
    }
    out.push(b'\'');
}
