//! What a sed script does: a reader of its commands, no more.
//!
//! Source: GNU sed manual "sed scripts", sed/compile.c of sed 4.9; POSIX sed for the bracket question. sed
//! compiles the whole script before it runs any of it, so a reading that fails means that this sed would
//! run nothing; if every reading fails, the script is one we do not know and counts as able to run programs.
use super::shapes::is_stream;
use crate::tables::hazards::Deed;

/// The deeds of a script; `None` if it is not understood.
pub(super) fn deeds(script: &[u8]) -> Option<Vec<Deed>> {
    // `s/[/]/…`: for POSIX and the BSDs the bracket hides the delimiter, for GNU it does not.
    let readings = [read(script, false), read(script, true)];
    if readings.iter().all(Option::is_none) {
        return None;
    }
    Some(readings.into_iter().flatten().flatten().collect())
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    brackets: bool,
}

fn read(script: &[u8], brackets: bool) -> Option<Vec<Deed>> {
    let mut r = Reader { text: script, at: 0, brackets };
    let mut out = Vec::new();
    loop {
        r.skip(b" \t\r\n;");
        let Some(first) = r.peek() else {
            return Some(out);
        };
        if first == b'#' {
            r.line();
            continue;
        }
        if r.address()? {
            r.skip(b" \t");
            if r.peek() == Some(b',') {
                r.at += 1;
                r.skip(b" \t");
                if !r.address()? {
                    return None;
                }
            }
        }
        r.skip(b" \t!");
        r.command(&mut out)?;
    }
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let b = self.peek();
        self.at += 1;
        b
    }

    fn skip(&mut self, set: &[u8]) {
        while self.peek().is_some_and(|b| set.contains(&b)) {
            self.at += 1;
        }
    }

    /// The rest of the line, without its newline.
    fn line(&mut self) -> &'a [u8] {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    /// An address, if one stands here; `None` if it is broken.
    fn address(&mut self) -> Option<bool> {
        match self.peek() {
            Some(b'0'..=b'9' | b'+' | b'~') => {
                self.skip(b"0123456789+~");
                self.skip(b" \t");
                if self.peek() == Some(b'~') {
                    self.skip(b"~ \t0123456789");
                }
            }
            Some(b'$') => self.at += 1,
            Some(b'/') => {
                self.at += 1;
                self.delimited(b'/', true)?;
                self.skip(b"IM");
            }
            Some(b'\\') => {
                self.at += 1;
                let delimiter = self.next()?;
                self.delimited(delimiter, true)?;
                self.skip(b"IM");
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// Skips to behind the delimiter.
    fn delimited(&mut self, delimiter: u8, regex: bool) -> Option<()> {
        while let Some(b) = self.next() {
            if b == delimiter {
                return Some(());
            }
            if b == b'\\' {
                self.next()?;
            } else if b == b'[' && regex && self.brackets {
                // The first `]`, also after `^`, is an ordinary member.
                if self.peek() == Some(b'^') {
                    self.at += 1;
                }
                if self.peek() == Some(b']') {
                    self.at += 1;
                }
                while self.next()? != b']' {}
            }
        }
        None
    }

    fn command(&mut self, out: &mut Vec<Deed>) -> Option<()> {
        match self.next()? {
            b'{' => return Some(()),
            b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P' | b'x' | b'z'
            | b'F' | b'}' => {}
            b'l' | b'L' | b'q' | b'Q' => {
                self.skip(b" \t");
                self.skip(b"0123456789");
            }
            b'a' | b'i' | b'c' => {
                // Text goes on over every line that ends in a backslash; seds differ on several of them.
                loop {
                    let line = self.line();
                    if line.ends_with(b"\\\\") {
                        return None;
                    }
                    if !line.ends_with(b"\\") || self.next().is_none() {
                        return Some(());
                    }
                }
            }
            b':' | b'b' | b't' | b'T' | b'v' => {
                self.skip(b" \t");
                while self.peek().is_some_and(|b| b != b';' && b != b'}' && !b.is_ascii_whitespace()) {
                    self.at += 1;
                }
            }
            b'r' | b'R' => {
                self.line();
                return Some(());
            }
            b'w' | b'W' => {
                self.target(out);
                return Some(());
            }
            b'e' => {
                out.push(Deed::Runs);
                self.line();
                return Some(());
            }
            b's' => {
                let delimiter = self.next().filter(|b| *b != b'\n' && *b != b'\\')?;
                self.delimited(delimiter, true)?;
                self.delimited(delimiter, false)?;
                loop {
                    match self.peek() {
                        Some(b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9') => self.at += 1,
                        Some(b'e') => {
                            out.push(Deed::Runs);
                            self.at += 1;
                        }
                        Some(b'w') => {
                            self.at += 1;
                            self.target(out);
                            return Some(());
                        }
                        _ => break,
                    }
                }
            }
            b'y' => {
                let delimiter = self.next().filter(|b| *b != b'\n' && *b != b'\\')?;
                self.delimited(delimiter, false)?;
                self.delimited(delimiter, false)?;
            }
            _ => return None,
        }
        self.skip(b" \t\r");
        match self.peek() {
            None | Some(b';' | b'\n' | b'}' | b'#') => Some(()),
            Some(_) => None,
        }
    }

    fn target(&mut self, out: &mut Vec<Deed>) {
        let file = self.line().trim_ascii();
        if !is_stream(file) || file == b"-" {
            out.push(Deed::Writes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_only_edit_the_stream() {
        for script in [
            "1,5p",
            "10p",
            "s/foo/bar/g",
            "$!N;s/\\n/ /;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "/^#/d;/^$/d",
            "s|/usr/local|/opt|g; s,a,b,2p",
            "/start/,/end/{s/x/y/;p}",
            "0~3d",
            "2q",
            "1i\\\nheader",
            "1i header w file",
            "$a the end; e id",
            "y/abc/xyz/",
            "\\%^/home%p",
            "s/[/]/x/",
            "s/[^/]*$//",
            "s/a\\/b/c/",
            "1!G;h;$!d",
            "/x/I,+3d",
            "s/\\.rs$//",
            "s/^..//",
            "s/.*/&/w /dev/stdout",
            "# we\np",
            "",
            "/a/!{p}",
            "s/e/w/",
            "5,$d",
            "s/a/b/ ; s/c/d/",
            "s/x/\\\n/",
            "r other.txt",
        ] {
            assert_eq!(deeds(script.as_bytes()), Some(vec![]), "{script}");
        }
    }

    #[test]
    fn scripts_that_reach_out() {
        for (script, deed) in [
            ("1e touch x", Deed::Runs),
            ("e", Deed::Runs),
            ("1!d;s/.*/id/e", Deed::Runs),
            ("s/a/b/gpe", Deed::Runs),
            ("s|a|b|3e", Deed::Runs),
            ("/x/{ e id\n}", Deed::Runs),
            ("$!{$!{e\n}}", Deed::Runs),
            ("s/[/]/e;s/x/y/", Deed::Runs),
            ("w out", Deed::Writes),
            ("1wout", Deed::Writes),
            ("s/a/b/w out", Deed::Writes),
            ("s/a/b/gw out", Deed::Writes),
            ("1 , 3 W out", Deed::Writes),
            ("1i\\\ntext\nw out", Deed::Writes),
            ("1~2!w out", Deed::Writes),
            ("\\,x,Iw out", Deed::Writes),
        ] {
            assert!(deeds(script.as_bytes()).is_some_and(|d| d.contains(&deed)), "{script}");
        }
        for script in ["? what", "s/[/e", "a\\\\\ne id"] {
            assert_eq!(deeds(script.as_bytes()), None, "{script}");
        }
    }
}
