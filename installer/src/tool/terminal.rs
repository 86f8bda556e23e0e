//! A call that needs a yes, asked about on the terminal it was made at: never on standard input, which is whoever calls,
//! and never in a session of an agent, which could type the answer itself.
use std::path::Path;
use std::time::{Duration, Instant};

use policy::document::Policy;
use protocol::Shown;
use protocol::ask::WireQuestion;
use store::caller::{caller, signs};
use sys::tty::{Line, Session, Terminal};
use tools::engine::{AGENT, Said, Scene};

use crate::approvals::pending::facts;

/// After so many lines that are no answer the question is given up.
const PATIENCE: u32 = 10;
/// More lines than this are not shown, and what is not shown whole is not asked.
const MAX_LINES: usize = 1_000;

/// The terminal a person could be asked at.
pub fn terminal(policy: &Policy) -> Option<Terminal> {
    let s = policy.settings(AGENT);
    let env = sys::environ::entries();
    caller(None, None, &env, &signs(&s), s.tty).ok()?.terminal.ok()
}

/// Asks there.
pub fn ask(terminal: &Terminal, scene: &Scene, q: &WireQuestion) -> Said {
    let nothing = |why: &str| Said::Nothing(why.to_owned());
    let patience = Duration::from_millis(q.timeout_ms);
    let folder = scene.state.as_deref().unwrap_or(Path::new("/nonexistent"));
    // Held until the answer: a `y` must not be taken by another question.
    let _lock = match terminal.lock(folder, patience) {
        Ok(lock) => lock,
        Err(e) if e.kind() == std::io::ErrorKind::TimedOut => {
            return nothing("another question is open on this terminal");
        }
        Err(e) => return Said::Nothing(format!("this terminal cannot be locked: {e}")),
    };
    // Time may have passed.
    if !terminal.is_foreground() {
        return nothing("not in the terminal's foreground");
    }
    let Ok(session) = terminal.session() else { return nothing("the terminal cannot be used") };
    let dialogue = Dialogue { terminal, session, deadline: Instant::now() + patience };
    let said = dialogue.choose(q).unwrap_or_else(|said| said);
    dialogue.end(match &said {
        Said::Yes(_) => "exec-guard: allowed",
        Said::No(..) => "exec-guard: denied",
        // The cursor still stands behind the question.
        Said::Late | Said::Nothing(_) => "\nexec-guard: not allowed",
    });
    said
}

struct Dialogue<'a> {
    terminal: &'a Terminal,
    session: Session<'a>,
    deadline: Instant,
}

impl Dialogue<'_> {
    /// `Err`: there is no answer.
    fn choose(&self, q: &WireQuestion) -> Result<Said, Said> {
        let by = || format!("uid {} at the terminal", sys::ids::uid());
        let mut show = true;
        for _ in 0..PATIENCE {
            if show {
                self.show(q)?;
            }
            let left = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
            let asked = format!("y, or n and why? (denied in {left} s without an answer) ");
            let Some(line) = self.read(&asked)? else {
                show = true;
                continue;
            };
            show = false;
            match reply(&line) {
                Some(Ok(())) => return Ok(Said::Yes(by())),
                Some(Err(reason)) => return Ok(Said::No(by(), reason)),
                None => self.write("that is no answer; type y or n and Enter\n")?,
            }
        }
        Err(Said::Nothing("nothing that was typed is an answer".into()))
    }

    /// Shows everything, a screen at a time where it is more than one: a head that has scrolled away was not shown.
    fn show(&self, q: &WireQuestion) -> Result<(), Said> {
        let (columns, rows) = self.terminal.size().unwrap_or((80, 24));
        let lines = layout(q, columns.into());
        if lines.len() > MAX_LINES {
            return Err(Said::Nothing("it is too long to be shown whole at the terminal".into()));
        }
        let page = usize::from(rows).saturating_sub(3).max(3);
        let pages = lines.chunks(page).count();
        for (at, chunk) in lines.chunks(page).enumerate() {
            let head = if at == 0 { "\nexec-guard: a call of a tool asks for a yes:\n" } else { "\n" };
            self.write(&format!("{head}{}\n", chunk.join("\n")))?;
            if at + 1 < pages {
                self.turn(&format!("page {} of {pages}: Enter for more, n to deny ", at + 1))?;
            }
        }
        Ok(())
    }

    /// Waits at the end of a page. Only Enter turns it: anything else might be meant for a question not seen yet.
    fn turn(&self, more: &str) -> Result<(), Said> {
        for _ in 0..PATIENCE {
            match self.read(more)?.as_deref().map(<[u8]>::trim_ascii) {
                Some(b"") => return Ok(()),
                Some(line) if matches!(reply(line), Some(Err(_))) => {
                    return Err(Said::Nothing("denied before the whole was shown".into()));
                }
                _ => {}
            }
        }
        Err(Said::Nothing("nothing that was typed is an answer".into()))
    }

    fn write(&self, text: &str) -> Result<(), Said> {
        let done = self.session.write(text, self.deadline);
        done.map_err(|_| Said::Nothing("the terminal takes no output".into()))
    }

    /// One line; `None` = we were stopped, and what was shown has to be shown again.
    fn read(&self, question: &str) -> Result<Option<Vec<u8>>, Said> {
        let nothing = |why: &str| Err(Said::Nothing(why.to_owned()));
        if self.session.draw(question, self.deadline).is_err() {
            return nothing("the terminal takes no output");
        }
        match self.session.line(self.deadline) {
            Line::Text(line) => Ok(Some(line)),
            Line::Resumed => Ok(None),
            Line::Timeout => Err(Said::Late),
            Line::Eof => nothing("end of input"),
            Line::Signal(_) => nothing("interrupted"),
            Line::Hangup => nothing("the terminal is gone"),
            Line::Background => nothing("moved to the background"),
        }
    }

    fn end(&self, word: &str) {
        let _ = self.session.write(&format!("{word}\n"), Instant::now() + Duration::from_secs(1));
    }
}

/// Yes, or no and why; `None`: that is no answer. An empty line is none.
fn reply(line: &[u8]) -> Option<Result<(), Option<String>>> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word.to_ascii_lowercase().as_str() {
        "y" | "yes" if rest.is_empty() => Some(Ok(())),
        "n" | "no" => Some(Err(Some(rest.trim().to_owned()).filter(|r| !r.is_empty()))),
        _ => None,
    }
}

/// The facts as lines no wider than the terminal: each begins with a label of ours, or with blanks and a bar or a dot.
fn layout(q: &WireQuestion, width: usize) -> Vec<String> {
    let room = width.max(30) - 12;
    let mut out = Vec::new();
    for (label, lines) in facts(q) {
        for (at, line) in lines.iter().enumerate() {
            let shown = Shown::text(line.as_bytes()).into_string();
            for (piece, text) in broken(&shown, room).into_iter().enumerate() {
                let label = if at == 0 && piece == 0 { label } else { "" };
                out.push(format!("{label:<9}{} {text}", if piece == 0 { '|' } else { '.' }));
            }
        }
    }
    out
}

/// Pieces that fit. Whatever is not ASCII counts as two columns, which is never too few.
fn broken(line: &str, room: usize) -> Vec<String> {
    let (mut out, mut piece, mut used) = (Vec::new(), String::new(), 0);
    for c in line.chars() {
        let wide = if c.is_ascii() { 1 } else { 2 };
        if used + wide > room {
            out.push(std::mem::take(&mut piece));
            used = 0;
        }
        piece.push(c);
        used += wide;
    }
    out.push(piece);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_yes_is_one() {
        for (line, want) in [
            ("y", Some(Ok(()))),
            (" YES ", Some(Ok(()))),
            ("n", Some(Err(None))),
            ("no  not now", Some(Err(Some("not now".to_owned())))),
            ("y but later", None),
            ("", None),
            ("a", None),
            ("yy", None),
        ] {
            assert_eq!(reply(line.as_bytes()), want, "{line}");
        }
    }

    #[test]
    fn lines_are_broken_here_and_not_by_the_terminal() {
        assert_eq!(broken("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(broken("äöü", 4), ["äö", "ü"]);
        assert_eq!(broken("", 4), [""]);
    }
}
