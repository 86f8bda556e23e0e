//! The prompt on the terminal, never on stdin.
use std::path::Path;
use std::time::{Duration, Instant};

use policy::{Answer, Choice, Evaluation, Invocation, Proposal};
use protocol::Shown;
use sys::tty::{Line, Session, Terminal};
use sys::world::Host;

use super::Asked;
use super::prompt::{self, Reply};
use crate::locate::Settings;
use crate::remember;

/// After so many lines that are no answer the question is given up.
const PATIENCE: u32 = 10;

/// Asks at the terminal.
pub fn ask(
    terminal: &Terminal,
    eval: &Evaluation,
    inv: &Invocation,
    settings: &Settings,
    world: &Host,
) -> Asked {
    let Some(fields) = prompt::fields(eval, inv, &sys::time::hostname()) else {
        return Asked::Nobody(Some("there is nothing that could be executed".into()));
    };
    let patience = Duration::from_millis(settings.timeout_ms);
    // Held until the answer: a `y` must not be taken by another guard's question.
    let folder = settings.state.as_deref().unwrap_or(Path::new("/nonexistent"));
    let _lock = match terminal.lock(folder, patience) {
        Ok(lock) => lock,
        Err(e) if e.kind() == std::io::ErrorKind::TimedOut => {
            return Asked::Nobody(Some("another question is open on this terminal".into()));
        }
        Err(e) => return Asked::Nobody(Some(format!("this terminal cannot be locked: {e}"))),
    };
    // Time may have passed.
    if !terminal.is_foreground() {
        return Asked::Nobody(Some("not in the terminal's foreground".into()));
    }
    let proposals = remember::possible(settings, &eval.effective.agent)
        .and_then(|()| policy::proposals(eval, inv, world));
    let Ok(session) = terminal.session() else {
        return Asked::Nobody(Some("the terminal cannot be used".into()));
    };
    let dialogue = Dialogue {
        terminal,
        session,
        deadline: Instant::now() + patience,
        fields,
        proposals,
        bold: colour(&inv.env),
    };
    match dialogue.choose() {
        Ok((choice, reason)) => {
            let file = settings.editable.as_ref().map(|t| t.path.as_os_str().as_encoded_bytes());
            dialogue.end(&match choice {
                Choice::Deny => "exec-guard: denied".to_owned(),
                Choice::AllowOnce => "exec-guard: allowed".to_owned(),
                Choice::AllowAlways(_) => {
                    format!("exec-guard: allowed from now on, in {}", Shown::text(file.unwrap_or_default()))
                }
            });
            Asked::Answered(Answer::new(choice, policy::digest(eval), reason), None)
        }
        Err(broken) => {
            // The cursor still stands behind the question.
            dialogue.end("\nexec-guard: not allowed");
            broken
        }
    }
}

/// Colour unless the person does not want it (no-color.org) or the terminal has none.
fn colour(env: &[Vec<u8>]) -> bool {
    let value = |name: &[u8]| sys::environ::value(env, name).unwrap_or_default();
    value(b"NO_COLOR").is_empty() && !matches!(value(b"TERM"), b"" | b"dumb")
}

struct Dialogue<'a> {
    terminal: &'a Terminal,
    session: Session<'a>,
    deadline: Instant,
    fields: Vec<prompt::Field>,
    proposals: Result<Vec<Proposal>, String>,
    bold: bool,
}

impl Dialogue<'_> {
    fn choose(&self) -> Result<(Choice, Option<String>), Asked> {
        let always = self.proposals.as_ref().map(|_| ()).map_err(String::as_str);
        let mut fields = self.fields.clone();
        fields.extend(prompt::choices(always));
        let letters = if always.is_ok() { "y, a or n" } else { "y or n" };
        let mut show = true;
        for _ in 0..PATIENCE {
            if show {
                self.show("A command asks to run:", &fields)?;
            }
            let left = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
            let line = match self.read(&format!("{letters}? (denied in {left} s without an answer) "))? {
                Some(line) => line,
                None => {
                    show = true;
                    continue;
                }
            };
            show = false;
            match prompt::reply(&line) {
                Reply::Once => return Ok((Choice::AllowOnce, None)),
                Reply::Deny(reason) => return Ok((Choice::Deny, reason)),
                Reply::Always if always.is_ok() => {
                    if let Some(choice) = self.scope()? {
                        return Ok((choice, None));
                    }
                    show = true;
                }
                Reply::Always => self.write("always is not offered for this command\n")?,
                Reply::Unclear => self.write("that is no answer; type one of the letters and Enter\n")?,
            }
        }
        Err(Asked::Broken("nothing that was typed is an answer"))
    }

    /// How far an *always* reaches; `None` = back to the question.
    fn scope(&self) -> Result<Option<Choice>, Asked> {
        let Ok(proposals) = &self.proposals else { return Ok(None) };
        let fields = prompt::scopes(proposals);
        for _ in 0..PATIENCE {
            self.show("Always allow, and write this into the policy:", &fields)?;
            let Some(line) = self.read("number, or b to go back? ")? else { continue };
            let text = String::from_utf8_lossy(&line);
            match text.trim() {
                "b" | "B" => return Ok(None),
                number => {
                    let at = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                    if let Some(p) = at.and_then(|at| proposals.get(at)) {
                        return Ok(Some(Choice::AllowAlways(p.scope)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Shows everything, a screen at a time where it is more than one: a head that has scrolled away was not
    /// shown.
    fn show(&self, title: &str, fields: &[prompt::Field]) -> Result<(), Asked> {
        let (columns, rows) = self.terminal.size().unwrap_or((80, 24));
        let lines = prompt::layout(fields, columns.into()).ok_or(Asked::TooLong)?;
        let page = usize::from(rows).saturating_sub(3).max(3);
        let pages = lines.chunks(page).count();
        for (at, chunk) in lines.chunks(page).enumerate() {
            let mut text = String::from("\n");
            if at == 0 {
                let (on, off) = if self.bold { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
                text = format!("\n{on}exec-guard: {title}{off}\n");
            }
            for line in chunk {
                text.push_str(line);
                text.push('\n');
            }
            self.write(&text)?;
            if at + 1 < pages {
                self.turn(&format!("page {} of {pages}: Enter for more, n to deny ", at + 1))?;
            }
        }
        Ok(())
    }

    /// Waits at the end of a page. Only Enter turns it: anything else might be meant for a question that was not
    /// seen yet.
    fn turn(&self, more: &str) -> Result<(), Asked> {
        for _ in 0..PATIENCE {
            match self.read(more)?.as_deref().map(|l| (l.trim_ascii(), prompt::reply(l))) {
                Some((b"", _)) => return Ok(()),
                Some((_, Reply::Deny(_))) => return Err(Asked::Broken("denied before the whole was shown")),
                _ => {}
            }
        }
        Err(Asked::Broken("nothing that was typed is an answer"))
    }

    fn write(&self, text: &str) -> Result<(), Asked> {
        self.session.write(text, self.deadline).map_err(|_| Asked::Broken("the terminal takes no output"))
    }

    /// One line; `None` = we were stopped, and what was shown has to be shown again.
    fn read(&self, question: &str) -> Result<Option<Vec<u8>>, Asked> {
        self.session
            .draw(question, self.deadline)
            .map_err(|_| Asked::Broken("the terminal takes no output"))?;
        match self.session.line(self.deadline) {
            Line::Text(line) => Ok(Some(line)),
            Line::Resumed => Ok(None),
            Line::Timeout => Err(Asked::Late),
            Line::Eof => Err(Asked::Broken("end of input")),
            Line::Signal(_) => Err(Asked::Broken("interrupted")),
            Line::Hangup => Err(Asked::Broken("the terminal is gone")),
            Line::Background => Err(Asked::Broken("moved to the background")),
        }
    }

    fn end(&self, word: &str) {
        let _ = self.session.write(&format!("{word}\n"), Instant::now() + Duration::from_secs(1));
    }
}
