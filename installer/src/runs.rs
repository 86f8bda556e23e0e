//! `runs`: commands that nobody waited for. All of it is read from the state folder, so that it can be looked at while
//! no approver is running.
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::operator::by_prefix;
use protocol::{Code, Shown};
use serde_json::{Value, json};
use store::runs::{Meta, STREAMS, State, get, list, open};

use crate::approvals::pending::span;
use crate::cli::Runs;
use crate::exit::{Exit, Failure};
use crate::say::{Page, Tint};
use crate::when;

/// How often a run that is followed is looked at.
const AGAIN: Duration = Duration::from_millis(100);
/// As much is read at once.
const PIECE: usize = 1 << 16;

/// Does it.
///
/// # Errors
/// There is no such run, or it cannot be read.
pub fn run(command: &Runs) -> Result<Exit, Failure> {
    let state = crate::approvals::state()
        .ok_or_else(|| Failure::not("there can be no runs: the user database names no home for this user"))?;
    let mut page = Page::new();
    match command {
        Runs::List { json: as_json } => {
            let all = all(&state)?;
            if *as_json {
                page.json(&Value::Array(all.iter().map(Meta::to_json).collect()));
            } else if all.is_empty() {
                page.line("no command was submitted, or all are swept");
            }
            for meta in all.iter().filter(|_| !as_json) {
                page.tinted(tint(meta), line(meta));
            }
        }
        Runs::Show { id, json: as_json } => {
            let meta = find(&state, id)?;
            if *as_json { page.json(&meta.to_json()) } else { show(&meta, &mut page) }
        }
        Runs::Logs { id, follow, json: as_json } => {
            return logs(&state, &find(&state, id)?, *follow, *as_json);
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

fn all(state: &Path) -> Result<Vec<Meta>, Failure> {
    list(state).map_err(|e| Failure::trouble(format!("the runs cannot be read: {e}")))
}

fn find(state: &Path, prefix: &str) -> Result<Meta, Failure> {
    let all = all(state)?;
    let fail = |exit, what: &str| Failure { exit, what: what.to_owned(), advice: None };
    match by_prefix(prefix, all.iter().map(|m| m.id.as_str())) {
        Ok(id) => all.iter().find(|m| m.id == id).cloned().ok_or_else(|| fail(Exit::Unknown, "it is gone")),
        Err(Code::Ambiguous) => {
            Err(fail(Exit::Ambiguous, "[ambiguous] several runs have an id that begins so")
                .advise("give more of the id"))
        }
        Err(_) => {
            Err(fail(Exit::Unknown, "[unknown] no run has that id")
                .advise("exec-guardctl runs list shows them"))
        }
    }
}

fn tint(meta: &Meta) -> Tint {
    match (meta.state, meta.code) {
        (State::Finished, Some(0)) => Tint::Green,
        (State::Waiting | State::Running, _) => Tint::Yellow,
        _ => Tint::Red,
    }
}

/// How it stands, in a word or two.
fn word(meta: &Meta) -> String {
    match (meta.state, meta.code) {
        (State::Finished, Some(code)) => format!("ended {code}"),
        (state, _) => state.word().to_owned(),
    }
}

fn line(meta: &Meta) -> String {
    let zone = when::now().time_zone().clone();
    let at = when::local(meta.submitted_at_ms, &zone);
    format!("{}  {at}  {:<9}  {}  {}", meta.id, word(meta), meta.agent, meta.command)
}

fn show(meta: &Meta, page: &mut Page) {
    let zone = when::now().time_zone().clone();
    page.tinted(tint(meta), format!("{}  {}", meta.id, word(meta)));
    let mut field = |label: &str, text: Option<String>| {
        if let Some(text) = text {
            page.line(format!("  {label:<9}| {text}"));
        }
    };
    let time = |ms: Option<u64>| ms.map(|ms| when::local(ms, &zone));
    field("command", Some(meta.command.clone()));
    field("in", meta.cwd.clone());
    field("agent", Some(meta.agent.clone()));
    field("session", meta.session.clone());
    field("submitted", time(Some(meta.submitted_at_ms)));
    field("until", time(meta.expires_at_ms.filter(|_| meta.state == State::Waiting)));
    field("started", time(meta.started_at_ms));
    field("ended", time(meta.ended_at_ms));
    field("took", meta.duration_ms().map(span));
    field("process", meta.pid.filter(|_| meta.state == State::Running).map(|p| p.to_string()));
    field("by", meta.by.clone());
    let why =
        meta.reason.as_deref().map(|r| format!("[{r}] {}", meta.message.as_deref().unwrap_or_default()));
    field("because", why);
    for (name, size) in STREAMS.iter().zip(meta.sizes) {
        let lost = size.bytes.saturating_sub(size.kept);
        let lost = if lost > 0 { format!(", {lost} of them not kept") } else { String::new() };
        field(name, (size.bytes > 0).then(|| format!("{} bytes{lost}", size.bytes)));
    }
    if meta.state == State::Lost {
        field("note", Some("whoever was to see its end is gone; it is never started again".into()));
    }
}

/// A stream that is written on.
struct Tail {
    name: &'static str,
    path: (PathBuf, String, usize),
    file: Option<File>,
    /// What is no whole line yet; only where lines are shown.
    rest: Vec<u8>,
}

fn logs(state: &Path, meta: &Meta, follow: bool, json: bool) -> Result<Exit, Failure> {
    let mut tails: Vec<Tail> = STREAMS
        .iter()
        .enumerate()
        .map(|(at, name)| Tail {
            name,
            path: (state.to_path_buf(), meta.id.clone(), at),
            file: None,
            rest: Vec::new(),
        })
        .collect();
    let stdout = |e: io::Error| Failure::trouble(format!("stdout: {e}"));
    loop {
        // Looked at before the files: what was written until then is all there is.
        let now = get(state, &meta.id);
        let over = now.as_ref().is_none_or(|m| m.state.is_over());
        for tail in &mut tails {
            match tail.copy(json, over || !follow) {
                Ok(()) => {}
                // Whoever read it has seen enough.
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Done),
                Err(e) => return Err(stdout(e)),
            }
        }
        if over || !follow {
            let sizes = now.map_or([Default::default(); 2], |m| m.sizes);
            for (name, size) in STREAMS.iter().zip(sizes).filter(|(_, s)| s.bytes > s.kept) {
                crate::say::word(format!(
                    "{} bytes more of its {name} were not kept",
                    size.bytes - size.kept
                ));
            }
            return Ok(Exit::Done);
        }
        std::thread::sleep(AGAIN);
    }
}

impl Tail {
    /// Writes what came since.
    fn copy(&mut self, json: bool, last: bool) -> io::Result<()> {
        if self.file.is_none() {
            let (state, id, at) = &self.path;
            // It is made when the command is started.
            self.file = open(state, id, *at).ok();
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut piece = vec![0; PIECE];
        loop {
            let n = match file.read(&mut piece) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                n => n?,
            };
            let bytes = piece.get(..n).unwrap_or_default();
            if json {
                if n > 0 {
                    let mut page = Page::new();
                    page.json_line(&json!({"stream": self.name, "data": protocol::ask::bytes_json(bytes)}));
                    page.print_more()?;
                }
            } else if self.name == "stdout" {
                write(
                    &mut io::stdout().lock(),
                    io::stdout().is_terminal(),
                    &mut self.rest,
                    bytes,
                    last && n == 0,
                )?;
            } else {
                write(
                    &mut io::stderr().lock(),
                    io::stderr().is_terminal(),
                    &mut self.rest,
                    bytes,
                    last && n == 0,
                )?;
            }
            if n == 0 {
                return Ok(());
            }
        }
    }
}

/// Bytes as they are, or, on a terminal, line by line and made visible.
fn write(
    out: &mut impl Write,
    visible: bool,
    rest: &mut Vec<u8>,
    bytes: &[u8],
    last: bool,
) -> io::Result<()> {
    if !visible {
        out.write_all(bytes)?;
        return out.flush();
    }
    rest.extend_from_slice(bytes);
    let whole = match rest.iter().rposition(|b| *b == b'\n') {
        Some(at) => at + 1,
        None => 0,
    };
    let taken = if last || rest.len() > PIECE { rest.len() } else { whole };
    let text: Vec<u8> = rest.drain(..taken).collect();
    for line in text.split_inclusive(|b| *b == b'\n') {
        let ended = line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        out.write_all(Shown::text(line).as_str().as_bytes())?;
        out.write_all(if ended { b"\n" } else { b"" })?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_shown_whole_lines_made_visible() {
        let (mut out, mut rest) = (Vec::new(), Vec::new());
        write(&mut out, true, &mut rest, b"a\x1b[2Jb\nc\xc3", false).unwrap();
        assert_eq!(out, b"a\\x1b[2Jb\n");
        write(&mut out, true, &mut rest, b"\xa9", true).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a\\x1b[2Jb\ncé");
        let mut out = Vec::new();
        write(&mut out, false, &mut rest, b"\x1b\xff", false).unwrap();
        assert_eq!(out, b"\x1b\xff");
    }
}
