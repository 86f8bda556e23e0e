//! Numbers that are the same every time, and the texts made by them: from the grammar, from the corpora, and of both
//! cut up and put together again.
use super::grammar::Grammar;

/// What is put in where a text is disturbed: everything that shells read in more than one way.
const BITS: &[&str] = &[
    "w1",
    "w2",
    "w3 a",
    " ",
    " ",
    ";",
    "\n",
    "\n",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "! ",
    "'",
    "\"",
    "\\",
    "\\\n",
    "$(",
    ")",
    "(",
    "`",
    "${x:-",
    "${x#",
    "${x}",
    "$x",
    "\"$x\"",
    "\"$@\"",
    "$",
    "}",
    "{",
    "{ ",
    "; }",
    "{a,b}",
    ",",
    "#",
    " #",
    "$((",
    "))",
    "((",
    "<<E",
    "<<'E'\n",
    "\nE\n",
    "E",
    "<<<",
    "</dev/null",
    ">/dev/null",
    "2>&1",
    ">&2",
    ">",
    "if ",
    "then ",
    "else ",
    "fi",
    "while ",
    "do ",
    "done",
    "for i in ",
    "in ",
    "case x in ",
    "x) ",
    "*) ",
    ";;",
    "esac",
    "[[ ",
    " ]]",
    "=~ ",
    "f() ",
    "x=1 ",
    "=",
    "+=",
    "[",
    "]",
    "*",
    "?",
    "~",
    "/",
    "$'",
    "$\"",
    "time ",
    "''",
    "\"\"",
    "\\'",
    "\\\"",
    "\\$",
    "\\ ",
    "@(a)",
    "<(",
    "${x:-<(",
    "-",
    "1",
    ":",
    "\t",
    "\r",
    "\u{a0}",
    "^",
    "!",
    "!!",
    "a[1]",
    "$[",
    "${",
    "%",
    "function ",
    "select ",
    "coproc ",
    "exec ",
    "eval ",
    "command ",
    "builtin ",
    "&>",
    ";&",
    "\u{1}",
    "$\u{1}",
    "$\u{7f}(",
    "Á",
    "é",
    "=w1",
];

/// Templates that a whole text is put into: `@` stands for it, `%` for it in single quotes.
const TEMPLATES: &[&str] = &[
    "( @ )",
    "{ @\n}",
    "if @\nthen w1; else w2; fi",
    "w1 && { @\n}",
    "for i in a b; do @\ndone",
    "x=$(@)",
    "w1 \"$(@)\"",
    "w1 $(@)",
    "f() { @\n}; f",
    "case a in a) @\n;; esac",
    "! ( @ )",
    "while w5; do @\ndone",
    "sh -c %",
    "bash -c %",
    "dash -c % s a",
    "zsh -c %",
    "eval %",
    "timeout 5 bash -c %",
    "env sh -c %",
    "nice bash -ec %",
    "@ | w3",
    "w1; @",
    "@\nw1",
    "( @\n) && w2",
    "{ @\n} | w4",
    "if w1; then @\nfi",
    "until w1; do @\ndone",
    "xargs sh -c %",
    "(@)",
    "echo \"$(@)\"",
    "x=1; @",
    "set -e; @",
    "cd sub && @",
    "w1 <<'E'; @\nE\n",
    "[[ -n a ]] && @",
    "@ || true",
    "n=1; @",
    "@ 2>&1 | w3",
    "@ > /dev/null",
    "w1 \"a $(@) b\"",
    "nohup sh -c %",
    "sh -c % x \"$@\"",
    "env CI=1 dash -c %",
];

/// xorshift64.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        let mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Dice((mixed ^ (mixed >> 31)).max(1))
    }

    /// A number below `below`, which is at least 1.
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }

    /// The next text.
    pub fn text(&mut self, corpus: &[String]) -> String {
        let mut text = match self.roll(10) {
            0..=5 => Grammar::text(self),
            6 | 7 => self.row(corpus),
            8 => self.crossed(corpus),
            _ => (0..=self.roll(8)).map(|_| self.of(BITS)).collect(),
        };
        if self.roll(6) == 0 {
            text = self.wrapped(&text);
        }
        // What nearly parses is where readers differ.
        if self.roll(2) == 0 {
            for _ in 0..=self.roll(2) {
                text = self.disturbed(&text);
            }
        }
        text
    }

    fn row(&mut self, corpus: &[String]) -> String {
        let at = self.roll(corpus.len());
        corpus.get(at).cloned().unwrap_or_default()
    }

    /// The head of one text and the tail of another one, or both with something between.
    fn crossed(&mut self, corpus: &[String]) -> String {
        let a = if self.roll(2) == 0 { Grammar::text(self) } else { self.row(corpus) };
        let b = if self.roll(2) == 0 { Grammar::text(self) } else { self.row(corpus) };
        match self.roll(3) {
            0 => {
                let between = self.of(&["; ", "\n", " && ", " || ", " | ", "|", "\n\n# c\n", ";"]);
                format!("{a}{between}{b}")
            }
            1 => {
                let head = a.get(..self.seam(&a)).unwrap_or_default().to_owned();
                let tail = b.get(self.seam(&b)..).unwrap_or_default();
                format!("{head}{tail}")
            }
            _ => {
                // One whole text in the middle of the other.
                let at = self.seam(&a);
                let (head, tail) = a.split_at(at);
                format!("{head}{b}{tail}")
            }
        }
    }

    /// A place where a text is likely to be cut: before or behind what separates.
    fn seam(&mut self, text: &str) -> usize {
        let seams: Vec<usize> = text
            .char_indices()
            .filter(|(_, c)| " ;|&\n'\"()".contains(*c))
            .flat_map(|(i, c)| [i, i + c.len_utf8()])
            .collect();
        if seams.is_empty() { text.len() } else { seams[self.roll(seams.len())] }
    }

    fn wrapped(&mut self, text: &str) -> String {
        let quoted = format!("'{}'", text.replace('\'', "'\\''"));
        self.of(TEMPLATES).replace('%', &quoted).replace('@', text)
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.roll(text.len() + 1);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    fn disturbed(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let (a, b) = (self.place(&text), self.place(&text));
        match self.roll(5) {
            0..=2 => text.insert_str(a, self.of(BITS)),
            3 => {
                let some = text.char_indices().map(|(i, _)| i).find(|i| *i > a).unwrap_or(text.len());
                text.replace_range(a..some, "");
            }
            _ => {
                let (from, to) = (a.min(b), a.max(b));
                if to - from < 40 {
                    let piece = text.get(from..to).unwrap_or_default().to_owned();
                    let at = self.place(&text);
                    text.insert_str(at, &piece);
                }
            }
        }
        text
    }
}
