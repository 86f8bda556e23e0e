//! Foreign bytes made safe for a terminal, a log line and a page.
//!
//! Whatever a caller wrote can move the cursor, reverse the reading direction, vanish, or look like something
//! else. Here every byte becomes visible and stays where it is: control characters, invisible and reordering
//! ones and bytes that are no text are spelled out (`\n`, `\x1b`, `\u{202e}`).
use std::fmt;

/// Foreign bytes that can be printed. Having one tells you that nothing in it moves, hides or reorders: it is
/// one line of visible characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shown(String);

/// A path in a sentence for people.
pub fn shown(path: &std::path::Path) -> String {
    Shown::text(path.as_os_str().as_encoded_bytes()).into_string()
}

impl Shown {
    /// Text as it is read: a message, a path in a sentence, a line of a script. Backslashes of the original are
    /// left alone, so this is for reading, not for pasting.
    pub fn text(bytes: &[u8]) -> Shown {
        // Nearly all there is, and nothing in it needs a second look.
        if let (true, Ok(text)) = (bytes.iter().all(|b| matches!(b, b' '..=b'~')), std::str::from_utf8(bytes))
        {
            return Shown(text.to_owned());
        }
        let mut out = String::with_capacity(bytes.len());
        each(bytes, |piece| match piece {
            Piece::Plain(c) => out.push(c),
            Piece::Odd(c) => odd_char(&mut out, c),
            Piece::Byte(b) => push_hex(&mut out, b),
        });
        Shown(out)
    }

    /// Text of several lines: like [`Shown::text`], a line each, without the last newline.
    pub fn lines(bytes: &[u8]) -> Vec<Shown> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes.split(|b| *b == b'\n').map(Shown::text).collect()
    }

    /// One word of a command, quoted so that a shell reads it as this one word. Where something has to be
    /// spelled out it is `$'…'`, in which a shell that knows that form reads the same bytes.
    pub fn word(bytes: &[u8]) -> Shown {
        let mut plain = String::with_capacity(bytes.len());
        let mut odd = false;
        each(bytes, |piece| match piece {
            Piece::Plain(c) => plain.push(c),
            Piece::Odd(_) | Piece::Byte(_) => odd = true,
        });
        // `--color=auto` reads better bare, and means the same unless `=` comes first (zsh looks that up in PATH).
        let bare = |c: char| c.is_ascii_alphanumeric() || "-_=/,.+:@%".contains(c);
        if !odd && !plain.is_empty() && !plain.starts_with('=') && plain.chars().all(bare) {
            return Shown(plain);
        }
        if !odd {
            return Shown(shell_words::quote(&plain).into_owned());
        }
        let mut out = String::from("$'");
        each(bytes, |piece| match piece {
            Piece::Plain(c @ ('\'' | '\\')) => out.extend(['\\', c]),
            Piece::Plain(c) => out.push(c),
            Piece::Odd('\n') => out.push_str("\\n"),
            Piece::Odd('\t') => out.push_str("\\t"),
            Piece::Odd('\r') => out.push_str("\\r"),
            // By bytes: what `\u` means depends on the locale of the shell it is pasted into.
            Piece::Odd(c) => c.encode_utf8(&mut [0; 4]).bytes().for_each(|b| push_hex(&mut out, b)),
            Piece::Byte(b) => push_hex(&mut out, b),
        });
        out.push('\'');
        Shown(out)
    }

    /// The words of a command, so that pasting them into a shell means the same command.
    pub fn argv<W: AsRef<[u8]>>(words: &[W]) -> Shown {
        let mut out = String::new();
        for (at, word) in words.iter().enumerate() {
            let word = word.as_ref();
            let shown = Shown::word(word).0;
            if at > 0 {
                out.push(' ');
            }
            // In the command's place `if` and `A=b` would be no program.
            if at == 0
                && shown.as_bytes() == word
                && (word.contains(&b'=') || RESERVED.contains(&shown.as_str()))
            {
                out.push('\'');
                out.push_str(&shown);
                out.push('\'');
            } else {
                out.push_str(&shown);
            }
        }
        Shown(out)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, to build on.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Reserved words of sh, bash and zsh that consist of plain characters, and builtins that are prefixes.
const RESERVED: &[&str] = &[
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "do",
    "done",
    "case",
    "esac",
    "while",
    "until",
    "for",
    "in",
    "select",
    "function",
    "time",
    "coproc",
    "foreach",
    "end",
    "repeat",
    "nocorrect",
    "noglob",
];

/// How one piece of foreign text is shown.
enum Piece {
    /// A visible character that stays where it is.
    Plain(char),
    /// A character that has to be spelled out.
    Odd(char),
    /// A byte that is no text.
    Byte(u8),
}

/// Combining marks drawn on one character: more than this is no writing system but an overprint.
const MAX_MARKS: u32 = 3;

fn each(bytes: &[u8], mut with: impl FnMut(Piece)) {
    let mut base = false;
    let mut marks = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if !visible(c) {
                base = false;
                with(Piece::Odd(c));
                continue;
            }
            if combines(c) {
                marks += 1;
                // A mark without a letter of its own would be drawn on what we printed before it.
                with(if base && marks <= MAX_MARKS { Piece::Plain(c) } else { Piece::Odd(c) });
                continue;
            }
            // Quotes and backslashes are ours to write around; a blank shows a mark of its own badly.
            base = c.is_alphanumeric();
            marks = 0;
            with(Piece::Plain(c));
        }
        for b in chunk.invalid() {
            base = false;
            with(Piece::Byte(*b));
        }
    }
}

/// True if the character draws something and does nothing else.
///
/// The standard library's `Debug` for strings spells out all that is no graphic character or blank in Unicode's
/// general categories (Cc, Cf, Cs, Co, Cn, Zl, Zp, Zs but for the blank). [`BLANK`] adds what is graphic by
/// category and draws nothing all the same.
fn visible(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    if BLANK.iter().any(|(first, last)| (*first..=*last).contains(&c)) {
        return false;
    }
    // After a letter: at the start of a string `Debug` spells out combining marks as well.
    ["a", c.encode_utf8(&mut [0; 4])].concat().escape_debug().nth(1) != Some('\\')
}

/// True if the character is drawn on the one before it.
fn combines(c: char) -> bool {
    !c.is_ascii() && c.escape_debug().next() == Some('\\')
}

/// Graphic characters that draw nothing (Unicode 16, property `Default_Ignorable_Code_Point` and look-alikes).
const BLANK: &[(char, char)] = &[
    // Combining grapheme joiner.
    ('\u{34f}', '\u{34f}'),
    // Hangul fillers: letters by category, empty on the screen.
    ('\u{115f}', '\u{1160}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{ffa0}', '\u{ffa0}'),
    // Khmer inherent vowels.
    ('\u{17b4}', '\u{17b5}'),
    // Mongolian variation selectors.
    ('\u{180b}', '\u{180f}'),
    // Braille pattern with no dot.
    ('\u{2800}', '\u{2800}'),
    // Variation selectors.
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{e0100}', '\u{e01ef}'),
    // Khitan filler, and the null note head of music.
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1d159}', '\u{1d159}'),
    // Interlinear annotation and object replacement.
    ('\u{fff9}', '\u{fffc}'),
];

fn odd_char(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\0'..='\u{7f}' => push_hex(out, u8::try_from(c).unwrap_or(0)),
        _ => out.extend(c.escape_unicode()),
    }
}

fn push_hex(out: &mut String, b: u8) {
    out.push_str("\\x");
    out.extend([b >> 4, b & 15].map(|d| char::from_digit(u32::from(d), 16).unwrap_or('0')));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_spells_out_what_moves_or_hides() {
        let cases: &[(&[u8], &str)] = &[
            (b"plain text", "plain text"),
            (b"a\nb\tc\rd\0", "a\\nb\\tc\\rd\\x00"),
            (b"\x1b[2J\x7f", "\\x1b[2J\\x7f"),
            ("\u{9b}31m".as_bytes(), "\\u{9b}31m"),
            ("a\u{202e}b\u{2066}c".as_bytes(), "a\\u{202e}b\\u{2066}c"),
            ("\u{200b}\u{feff}\u{ad}\u{2060}".as_bytes(), "\\u{200b}\\u{feff}\\u{ad}\\u{2060}"),
            ("\u{3164}\u{115f}\u{ffa0}\u{2800}".as_bytes(), "\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}"),
            ("\u{2028}\u{a0}\u{3000}".as_bytes(), "\\u{2028}\\u{a0}\\u{3000}"),
            ("\u{e0041}\u{e000}\u{10ffff}\u{378}".as_bytes(), "\\u{e0041}\\u{e000}\\u{10ffff}\\u{378}"),
            (b"\xff\xc3(", "\\xff\\xc3("),
            ("Grüße 你好 ✓ 👍".as_bytes(), "Grüße 你好 ✓ 👍"),
            // Decomposed letters stay; marks without a letter, or in heaps, do not.
            ("e\u{301}".as_bytes(), "e\u{301}"),
            ("\u{301}e".as_bytes(), "\\u{301}e"),
            ("a\u{301}\u{301}\u{301}\u{301}".as_bytes(), "a\u{301}\u{301}\u{301}\\u{301}"),
        ];
        for (bytes, want) in cases {
            assert_eq!(Shown::text(bytes).as_str(), *want, "{bytes:?}");
        }
    }

    #[test]
    fn words_are_quoted_for_pasting() {
        let cases: &[(&[&[u8]], &str)] = &[
            (&[b"git", b"status"], "git status"),
            (&[b"echo", b"a b", b"it's", b""], "echo 'a b' 'it'\\''s' ''"),
            (&[b"a;b", b"$(id)", b"`id`", b"*", b"~"], "'a;b' '$(id)' '`id`' '*' '~'"),
            (&[b"x", b"a\nb"], "x $'a\\nb'"),
            (&[b"x", b"it's\\\x1b"], "x $'it\\'s\\\\\\x1b'"),
            (&[b"x", "\u{202e}".as_bytes()], "x $'\\xe2\\x80\\xae'"),
            (&[b"x", b"\xff"], "x $'\\xff'"),
            (&[b"A=b", b"C=d", b"=e"], "'A=b' C=d '=e'"),
            (&[b"if", b"if"], "'if' if"),
        ];
        for (words, want) in cases {
            assert_eq!(Shown::argv(words).as_str(), *want);
        }
    }

    #[test]
    fn lines_keep_their_number() {
        let lines = Shown::lines(b"a\n\nb\x1b\n");
        assert_eq!(lines.iter().map(Shown::as_str).collect::<Vec<_>>(), ["a", "", "b\\x1b"]);
    }

    #[test]
    fn bash_reads_the_same_bytes() {
        let words: Vec<Vec<u8>> = vec![
            (1..=255u8).collect(),
            b"it's \\ \"quoted\" $HOME `id` !x".to_vec(),
            "Grüße\u{202e}\u{301}".into(),
            b"\xc3\x9f1\x1b0".to_vec(),
            b"".to_vec(),
        ];
        let script = format!("printf '%s\\0' {}", Shown::argv(&words));
        let run = std::process::Command::new("bash").arg("-c").arg(&script).env("LC_ALL", "C").output();
        // Where there is no bash there is nothing to compare with.
        let Ok(run) = run else { return };
        let mut want = Vec::new();
        for w in &words {
            want.extend_from_slice(w);
            want.push(0);
        }
        assert_eq!(run.stdout, want, "{script}");
    }

    fn harmless(c: char) -> bool {
        !c.is_control()
            && (c == ' ' || !c.is_whitespace())
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{ad}' | '\u{61c}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
    }

    proptest! {
        #[test]
        fn nothing_shown_moves_or_hides(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(Shown::text(&bytes).as_str().chars().all(harmless));
            prop_assert!(Shown::word(&bytes).as_str().chars().all(harmless));
        }

        #[test]
        fn no_character_moves_or_hides(text in ".{0,60}|[\\u{0}-\\u{ff}\\u{2000}-\\u{206f}\\u{e0000}-\\u{e0fff}]{0,60}") {
            prop_assert!(Shown::text(text.as_bytes()).as_str().chars().all(harmless));
            prop_assert!(Shown::argv(&[text.as_bytes()]).as_str().chars().all(harmless));
        }

        #[test]
        fn a_visible_word_splits_into_itself(text in "[ -~äß你]{0,40}") {
            let shown = Shown::argv(&[text.as_bytes(), b"end"]);
            let back = shell_words::split(shown.as_str()).unwrap();
            prop_assert_eq!(back, vec![text, "end".to_owned()]);
        }
    }
}
