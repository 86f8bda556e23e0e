//! The only writer to stderr and stdout.
//!
//! A message is one write, so that several guards on one terminal do not mix. Its first line begins
//! `exec-guard: ` and carries a stable reason code in brackets; further lines are indented by two blanks.
use std::io::Write;

use policy::Reason;
use protocol::Shown;

use crate::exit::Exit;

/// A message being put together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Message(String);

impl Message {
    /// A command was refused.
    pub fn denied(reason: Reason, what: &str) -> Message {
        Message::first("denied", reason, what)
    }

    /// The guard, or what was judged, could not work.
    pub fn error(reason: Reason, what: &str) -> Message {
        Message::first("error", reason, what)
    }

    /// Something to know about a command that runs all the same.
    pub fn note(reason: Reason, what: &str) -> Message {
        Message::first("note", reason, what)
    }

    /// A person has to say yes first.
    pub fn asked(reason: Reason, what: &str) -> Message {
        Message::first("asks", reason, what)
    }

    fn first(word: &str, reason: Reason, what: &str) -> Message {
        // Shown once more, although what comes here should be: this is the last place before the terminal.
        Message(format!("exec-guard: {word} [{}] {}\n", reason.code(), Shown::text(what.as_bytes())))
    }

    /// One more line.
    pub fn line(mut self, line: &str) -> Message {
        self.0.push_str("  ");
        self.0.push_str(Shown::text(line.as_bytes()).as_str());
        self.0.push('\n');
        self
    }

    /// Writes it to stderr. If that is closed or full nobody can be told, and nothing changes for it.
    pub fn say(&self) {
        sys::entry::hush();
        let _ = std::io::stderr().write_all(self.0.as_bytes());
    }

    /// The text, with its last line end.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Writes what was asked for to stdout. Our own words only, or text that went through [`Shown`] or JSON. A reader that
/// went away (`| head`) is none of our errors.
///
/// # Errors
///
/// That of the write, which was said: half an answer is none.
pub fn print(text: &str) -> Result<(), Exit> {
    sys::entry::hush();
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Message::error(Reason::Internal, &format!("standard output: {e}")).say();
            Err(Exit::Guard)
        }
        _ => Ok(()),
    }
}

/// Writes an answer that is read by a program, whole.
///
/// # Errors
///
/// That of the write; a reader that went away is one.
pub fn raw(bytes: &[u8]) -> std::io::Result<()> {
    sys::entry::hush();
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_lines_with_a_code() {
        let m = Message::denied(Reason::AllowlistMiss, "nothing covers `a\x1b[2Jb\nexec-guard: allowed`")
            .line("x\ny");
        assert_eq!(
            m.text(),
            "exec-guard: denied [allowlist-miss] nothing covers `a\\x1b[2Jb\\nexec-guard: allowed`\n  x\\ny\n"
        );
    }
}
