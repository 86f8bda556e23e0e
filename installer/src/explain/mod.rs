//! `explain`: the verdict of `exec-guard check`, shown for reading: the text with the places that decided, the entry
//! that came nearest, and the edit that would let it pass.
mod edits;
mod picture;

pub use edits::line as edit_line;

use std::io::{IsTerminal, Read};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use annotate_snippets::{Group, Level};
use policy::shell::Dialect;
use policy::{Decision, Evaluation, Finding, Form, Invocation, Nearest, Proposal, World, nearest, proposals};
use protocol::{Shown, verdict, words};
use serde_json::{Value, json};

use crate::cli::Explain;
use crate::court::Court;
use crate::exit::{Exit, Failure};
use crate::say::{Page, Tint};
use picture::{Mark, Source, draw, snippet};

/// Most places that are marked and most findings that are told of; the rest is counted.
const MOST: usize = 20;
/// Largest script that is read, bytes: more than the analysis takes, so that it says so itself.
const MAX_BYTES: u64 = 16 << 20;

/// Does it.
///
/// # Errors
/// The policy cannot be read, or the words make no sense.
pub fn run(args: &Explain) -> Result<Exit, Failure> {
    let court = Court::of_caller(args.agent.clone())?;
    let cwd = args.cwd.as_deref().map(|dir| court.folder(dir)).transpose()?;
    let (form, name) = form(args)?;
    let inv = court.invocation(form, cwd);
    let host = court.host();
    let mut eval = court.judge(&inv, &host)?;
    let cautions = eval.cautions(&host);
    eval.findings.extend(cautions);
    let report = Report::new(&eval, &inv, &host);
    let mut page = Page::new();
    if args.json {
        page.json(&report.json());
    } else {
        report.print(&name, &mut page);
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(match eval.decision {
        Decision::Allow => Exit::Done,
        Decision::Ask => Exit::WouldAsk,
        Decision::Deny => Exit::WouldDeny,
    })
}

/// What is to be explained, and its name above the picture.
fn form(args: &Explain) -> Result<(Form, String), Failure> {
    let bytes = |w: &std::ffi::OsString| w.as_bytes().to_vec();
    let words: Vec<Vec<u8>> = args.words.iter().map(bytes).collect();
    let shell = args.shell.as_ref().map(bytes);
    if let Some(text) = &args.text {
        return Ok((Form::Text { text: bytes(text), shell, args: words }, "command".into()));
    }
    if let Some(file) = &args.file {
        let text = read(file)?;
        let shell = match shell {
            Some(shell) => Some(shell),
            None => interpreter(&text)?,
        };
        let name = Shown::text(file.as_os_str().as_bytes()).into_string();
        return Ok((Form::Text { text, shell, args: words }, name));
    }
    if shell.is_some() {
        return Err(Failure::usage("`--shell` goes with `-c` and `--file` only"));
    }
    Ok((Form::Program { argv: words, by_link: false }, "command".into()))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let fault = |e: std::io::Error| {
        Failure::usage(format!("--file {}: {e}", Shown::text(file.as_os_str().as_bytes())))
    };
    let mut text = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(MAX_BYTES).read_to_end(&mut text))
    };
    read.map_err(fault)?;
    Ok(text)
}

/// The shell of a `#!` line; `None` if there is no such line.
fn interpreter(text: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
    let Some(line) = text.strip_prefix(b"#!").and_then(|t| t.split(|b| *b == b'\n').next()) else {
        return Ok(None);
    };
    let last = |w: &[u8]| w.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let first = words.next().unwrap_or_default();
    let shell = if last(first) == b"env" {
        // `env -S bash -e`: the first word that is no option of env and no assignment.
        words.find(|w| !w.starts_with(b"-") && !w.contains(&b'=')).unwrap_or_default()
    } else {
        first
    };
    let name = last(shell);
    // What `sh` stands for is told by the file behind it.
    if name != b"sh" && Dialect::of_name(&name).is_none() {
        let shown = Shown::text(shell);
        return Err(Failure::usage(format!("`{shown}` of its first line is no shell that is understood"))
            .advise("explain the call instead: exec-guardctl explain -- FILE"));
    }
    Ok(Some(shell.to_vec()))
}

/// An evaluation with what helps to understand it.
struct Report<'a> {
    eval: &'a Evaluation,
    /// The text, or the words as one line.
    text: Vec<u8>,
    /// Places of the words of an argv in that line.
    words: Vec<Range<usize>>,
    nearest: Vec<Option<Nearest>>,
    proposals: Result<Vec<Proposal>, String>,
}

impl<'a> Report<'a> {
    fn new(eval: &'a Evaluation, inv: &Invocation, world: &dyn World) -> Report<'a> {
        let (text, words) = match &inv.form {
            Form::Text { text, .. } => (text.clone(), Vec::new()),
            Form::Program { argv, .. } => line(argv),
        };
        let near = |f: &Finding| {
            f.segment.filter(|_| f.decision > Decision::Allow).and_then(|s| nearest(eval, inv, world, s))
        };
        let mut seen: Vec<Option<usize>> = Vec::new();
        let nearest = eval
            .findings
            .iter()
            .take(MOST)
            .map(|f| {
                let first = !seen.contains(&f.segment);
                seen.push(f.segment);
                if first { near(f) } else { None }
            })
            .collect();
        Report { eval, text, words, nearest, proposals: proposals(eval, inv, world) }
    }

    /// The bytes of the text a finding speaks of: its own, else those of its segment, else of what that stands in.
    fn range(&self, span: Option<policy::Span>, segment: Option<usize>) -> Option<Range<usize>> {
        if let Some(s) = span.filter(|_| self.words.is_empty()) {
            return Some(s.start..s.end);
        }
        let mut at = segment?;
        loop {
            let s = self.eval.segments.get(at)?;
            match s.span.filter(|_| self.words.is_empty()) {
                Some(span) => return Some(span.start..span.end),
                None => {
                    if let Some(range) = self.among_words(s) {
                        return Some(range);
                    }
                }
            }
            // What stands in a segment comes after it.
            at = s.within.filter(|up| *up < at)?;
        }
    }

    /// The words of a segment among those of the command.
    fn among_words(&self, s: &policy::Segment) -> Option<Range<usize>> {
        let top = self.eval.segments.first()?;
        let (all, own) = (&top.argv, &s.argv);
        if own.is_empty() || all.len() != self.words.len() {
            return None;
        }
        let at = all.windows(own.len()).rposition(|w| *w == **own)?;
        let (first, last) = (self.words.get(at)?, self.words.get(at + own.len() - 1)?);
        Some(first.start..last.end)
    }

    fn marks(&self) -> Vec<Mark> {
        let mut out: Vec<Mark> = Vec::new();
        if self.eval.decision == Decision::Allow {
            for s in self.eval.segments.iter().take(MOST) {
                if let (Some(by), Some(range)) = (s.satisfied_by, self.range(s.span, None)) {
                    let label = match s.entry.as_deref() {
                        Some((pattern, _)) => format!("{}: {}", by.word(), shown(pattern)),
                        None => by.word().to_owned(),
                    };
                    out.push(Mark { range, label, guilty: false });
                }
            }
        }
        for f in self.eval.findings.iter().take(MOST) {
            if let Some(range) = self.range(f.span, f.segment) {
                let label = format!("[{}] {}", f.reason.code(), shown(&f.message));
                out.push(Mark { range, label, guilty: f.decision > Decision::Allow });
            }
        }
        out
    }

    fn print(&self, name: &str, page: &mut Page) {
        let source = Source::new(&self.text);
        let marks = self.marks();
        let title = self.title();
        let level = match self.eval.decision {
            Decision::Allow => Level::NOTE.with_name("allow"),
            Decision::Ask => Level::WARNING.with_name("ask"),
            Decision::Deny => Level::ERROR.with_name("deny"),
        };
        let decided = self.eval.ground().filter(|f| f.decision > Decision::Allow);
        let code = decided.map(|f| f.reason.code());
        let mut head = level.primary_title(title);
        if let Some(code) = code {
            head = head.id(code);
        }
        let mut group = head.element(snippet(&source, name, &marks));
        for (label, text) in self.notes() {
            let level = if label == "help" { Level::HELP } else { Level::NOTE };
            group = group.element(level.message(text));
        }
        let groups: [Group<'_>; 1] = [group];
        page.own(&draw(&groups, page.colour(), width()));
        self.rules(page);
        self.edits(page);
    }

    fn title(&self) -> String {
        let all = self.eval.segments.len();
        let fine = self.eval.segments.iter().filter(|s| s.satisfied_by.is_some()).count();
        let parts = match (all, fine) {
            (0 | 1, _) => String::new(),
            (_, 0) => format!(" (none of its {all} parts is covered)"),
            _ => format!(" ({fine} of its {all} parts are covered)"),
        };
        match self.eval.decision {
            Decision::Allow => "it would run, and nobody would be asked".to_owned(),
            Decision::Ask => format!("a person would have to say yes{parts}"),
            Decision::Deny => format!("it would be refused, and nobody would be asked{parts}"),
        }
    }

    /// What is said below the picture: findings without a place, what came nearest, what to do.
    fn notes(&self) -> Vec<(&'static str, String)> {
        let mut out: Vec<(&'static str, String)> = Vec::new();
        let mut add = |label: &'static str, text: String| {
            if !out.iter().any(|(_, t)| *t == text) {
                out.push((label, text));
            }
        };
        for (f, near) in self.eval.findings.iter().zip(&self.nearest) {
            if self.range(f.span, f.segment).is_none() {
                add("note", format!("[{}] {}", f.reason.code(), shown(&f.message)));
            }
            if let Some(n) = near {
                let entry = Shown::argv(&entry_words(&n.entry));
                add("note", format!("the nearest entry is {entry} ({}): {}", shown(&n.entry.from), n.why));
            }
        }
        for f in self.eval.findings.iter().take(MOST) {
            // Where an edit is offered below, the general form of the same edit says nothing more.
            let edit = f.advice.as_deref().is_some_and(|a| a.starts_with("exec-guardctl approvals"));
            if let Some(advice) = f.advice.as_deref().filter(|a| !a.is_empty())
                && !(edit && self.proposals.is_ok())
            {
                // Not for every agent, as the short form would have it.
                let whom =
                    if edit { format!(" --agent {}", self.eval.effective.agent) } else { String::new() };
                add("help", format!("[{}] {}{whom}", f.reason.code(), shown(advice)));
            }
        }
        let more = self.eval.findings.len().saturating_sub(MOST);
        if more > 0 {
            add("note", format!("{more} more findings are not shown; --json has them all"));
        }
        for note in &self.eval.effective.notes {
            add("note", shown(note));
        }
        out
    }

    /// What ruled.
    fn rules(&self, page: &mut Page) {
        let e = &self.eval.effective;
        page.tinted(Tint::Dim, format!("judged as agent {}", e.agent));
        for (name, value, from) in [
            ("security", words::security(e.security.value), &e.security.from),
            ("ask", words::ask(e.ask.value), &e.ask.from),
            ("askFallback", words::security(e.ask_fallback.value), &e.ask_fallback.from),
        ] {
            page.tinted(Tint::Dim, format!("  {name:11} {value} ({from})"));
        }
    }

    fn edits(&self, page: &mut Page) {
        match &self.proposals {
            Ok(proposals) => {
                page.tinted(Tint::Bold, "to let it pass from now on, one of:");
                for p in proposals {
                    page.line(format!("  {}:", edits::reach(p)));
                    for entry in &p.entries {
                        page.line(format!("    {}", edits::line(entry, &self.eval.effective.agent)));
                    }
                }
            }
            Err(why) if self.eval.decision == Decision::Ask => {
                page.line(format!("no entry would let it pass: {why}"));
            }
            Err(_) => {}
        }
    }

    /// What `exec-guard check --json` says, with what is only found out here.
    fn json(&self) -> Value {
        let mut out = verdict::json(self.eval);
        let findings = out.get_mut("findings").and_then(Value::as_array_mut);
        for ((value, f), at) in findings.into_iter().flatten().zip(&self.eval.findings).zip(0..) {
            let Some(map) = value.as_object_mut() else { continue };
            if let Some(n) = self.nearest.get(at).and_then(Option::as_ref) {
                let e = &n.entry;
                let near = json!({"pattern": e.pattern, "args": e.args, "from": e.from, "why": n.why});
                map.insert("nearest".into(), near);
            }
            if let Some(range) = self.range(f.span, f.segment) {
                let (line, column) = verdict::place(&self.text, range.start);
                map.insert("line".into(), line.into());
                map.insert("column".into(), column.into());
            }
        }
        let agent = &self.eval.effective.agent;
        let edits = self.proposals.as_ref().map_or_else(
            |_| Vec::new(),
            |ps| {
                ps.iter()
                    .map(|p| {
                        let lines: Vec<String> = p.entries.iter().map(|e| edits::line(e, agent)).collect();
                        let argv: Vec<Vec<String>> =
                            p.entries.iter().map(|e| edits::words(e, agent)).collect();
                        json!({"scope": edits::scope(p), "commands": lines, "argv": argv})
                    })
                    .collect()
            },
        );
        if let Some(map) = out.as_object_mut() {
            map.insert("edits".into(), edits.into());
            map.insert("noEdit".into(), self.proposals.as_ref().err().cloned().into());
        }
        out
    }
}

/// The words of a command as one line that reads and pastes as this command, and where each stands in it.
fn line(argv: &[Vec<u8>]) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut places = Vec::with_capacity(argv.len());
    let (mut text, mut start) = (String::new(), 0);
    for (at, word) in argv.iter().enumerate() {
        if at == 0 {
            text = Shown::argv(std::slice::from_ref(word)).into_string();
        } else {
            text.push(' ');
            start = text.len();
            text.push_str(Shown::word(word).as_str());
        }
        places.push(start..text.len());
    }
    (text.into_bytes(), places)
}

/// An entry as a command would be written.
fn entry_words(entry: &policy::document::Entry) -> Vec<String> {
    let mut out = vec![entry.pattern.clone()];
    out.extend(entry.args.iter().flatten().cloned());
    out
}

fn shown(text: &str) -> String {
    Shown::text(text.as_bytes()).into_string()
}

/// Columns of the terminal, if there is one.
fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return 120;
    }
    let size = sys::tty::Terminal::open().ok().and_then(|t| t.size());
    size.map_or(120, |(columns, _)| usize::from(columns).clamp(60, 200))
}

#[cfg(test)]
mod tests;
