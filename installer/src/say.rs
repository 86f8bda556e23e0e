//! The only writer: data to stdout, words to stderr. Nothing printed can panic, lie or move the cursor.
//!
//! Lines are made visible as a whole by [`Shown`], so a foreign byte cannot get through by being forgotten. A
//! colour is put round a line after that.
use std::io::{self, IsTerminal, Write};

use protocol::Shown;

/// How a line of data stands out on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// A heading.
    Bold,
    /// Good.
    Green,
    /// Think about it.
    Yellow,
    /// Bad.
    Red,
    /// Less important.
    Dim,
}

impl Tint {
    /// SGR sequence of ECMA-48, section 8.3.117.
    fn start(self) -> &'static str {
        match self {
            Tint::Bold => "\x1b[1m",
            Tint::Green => "\x1b[32m",
            Tint::Yellow => "\x1b[33m",
            Tint::Red => "\x1b[31m",
            Tint::Dim => "\x1b[2m",
        }
    }
}

/// What goes to stdout, gathered and written in one piece at the end, so that a failure leaves no half of it.
pub struct Page {
    text: String,
    colour: bool,
}

impl Page {
    /// An empty page for stdout as it is: coloured only on a terminal that can, and without `NO_COLOR`.
    pub fn new() -> Page {
        let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|t| t == "dumb");
        Page { text: String::new(), colour: io::stdout().is_terminal() && !set("NO_COLOR") && !dumb }
    }

    /// A line of words.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(Shown::text(line.as_ref().as_bytes()).as_str());
        self.text.push('\n');
    }

    /// The same with a colour.
    pub fn tinted(&mut self, tint: Tint, line: impl AsRef<str>) {
        if self.colour {
            self.text.push_str(tint.start());
        }
        self.text.push_str(Shown::text(line.as_ref().as_bytes()).as_str());
        if self.colour {
            self.text.push_str("\x1b[0m");
        }
        self.text.push('\n');
    }

    /// A value for programs. JSON escapes control characters; [`visible_json`] the others that hide or reorder.
    pub fn json(&mut self, value: &serde_json::Value) {
        self.text.push_str(&visible_json(&format!("{value:#}")));
        self.text.push('\n');
    }

    /// The same in one line.
    pub fn json_line(&mut self, value: &serde_json::Value) {
        self.text.push_str(&visible_json(&value.to_string()));
        self.text.push('\n');
    }

    /// True if what is written here may be coloured.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Lines of our own making, without a foreign byte in them.
    pub fn own(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// What is on it.
    #[cfg(test)]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes it to stdout, for those who have more to say and want to know when nobody reads any more.
    ///
    /// # Errors
    /// Those of write(2).
    pub fn print_more(self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(self.text.as_bytes()).and_then(|()| out.flush())
    }

    /// Writes it to stdout. A reader that went away (`| head`) is none of our errors.
    ///
    /// # Errors
    /// Those of write(2), except a broken pipe.
    pub fn print(self) -> io::Result<()> {
        match self.print_more() {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// JSON whose strings hold no character that hides or reorders: those become `\u` escapes, which read back the same.
///
/// Outside strings JSON is ASCII, so that every other character stands in one.
fn visible_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let plain = c.is_ascii() && !(c.is_ascii_control() && c != '\n');
        if plain || Shown::text(c.encode_utf8(&mut [0; 4]).as_bytes()).as_str().chars().eq([c]) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

/// A line of words to stderr, in front of it our name. That nobody reads it is no reason to fail.
pub fn word(line: impl AsRef<str>) {
    let line = Shown::text(line.as_ref().as_bytes());
    let _ = writeln!(io::stderr().lock(), "exec-guardctl: {}", line.as_str());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_bytes_are_visible() {
        let mut page = Page { text: String::new(), colour: true };
        page.tinted(Tint::Red, "a\x1b[2Jb\u{202e}c");
        assert_eq!(page.text.matches('\x1b').count(), 2, "{:?}", page.text);
        assert!(!page.text.contains('\u{202e}'));
    }

    #[test]
    fn json_reads_back_the_same() {
        let value = serde_json::json!({"a": "x\u{202e}y\u{200b}\u{7f}\x1b\u{1f600}é\u{e0041}"});
        let shown = visible_json(&value.to_string());
        for hidden in ['\u{202e}', '\u{200b}', '\x1b', '\u{7f}', '\u{e0041}'] {
            assert!(!shown.contains(hidden), "{shown:?}");
        }
        assert!(shown.contains('é') && shown.contains('\u{1f600}'));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    }
}
