//! What an awk program does: a reader of its tokens, no more.
//!
//! The one hard question of awk's grammar is whether `/` divides or opens a regular expression, and whether a
//! bracket inside one hides a slash; awks differ. So the text is read in every way, and what any reading finds
//! counts. Source: POSIX awk "Lexical Conventions", gawk manual, onetrue-awk lex.c.
use super::shapes::is_stream;
use crate::tables::hazards::Deed;

/// The deeds of a program text; every text is understood.
pub(super) fn deeds(text: &[u8]) -> Option<Vec<Deed>> {
    let mut out = Vec::new();
    for brackets in [false, true] {
        for eager in [false, true] {
            for deed in read(text, brackets, eager) {
                if !out.contains(&deed) {
                    out.push(deed);
                }
            }
        }
    }
    Some(out)
}

/// What stood before a slash.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A value: the slash divides.
    Value,
    /// A closing parenthesis or a word that may or may not be a value.
    Perhaps,
    /// Anything else: the slash opens a regular expression.
    Other,
}

struct State {
    out: Vec<Deed>,
    before: Before,
    /// Depth of parentheses and brackets.
    depth: usize,
    /// The depth at which a print statement stands, while one does.
    print: Option<usize>,
    /// The statement goes on over a newline.
    goes_on: bool,
}

fn read(text: &[u8], brackets: bool, eager: bool) -> Vec<Deed> {
    let mut s = State { out: Vec::new(), before: Before::Other, depth: 0, print: None, goes_on: false };
    let mut i = 0;
    while let Some(b) = text.get(i).copied() {
        let rest = text.get(i..).unwrap_or_default();
        i += match b {
            // The last two are blanks for mawk, and nothing for the others.
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => 1,
            // A continued line, also one that ends in CR LF.
            b'\\' => 2 + usize::from(rest.get(1) == Some(&b'\r')),
            b'#' => rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
            b'"' => {
                let len = string(rest);
                s.value();
                len
            }
            b'/' if s.before == Before::Other || (s.before == Before::Perhaps && eager) => {
                let len = regex(rest, brackets);
                s.value();
                len
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let len = word_len(rest);
                s.word(rest.get(..len).unwrap_or_default());
                len
            }
            b'0'..=b'9' | b'.' => {
                s.value();
                number_len(rest)
            }
            b'@' => s.at_sign(rest),
            _ => s.operator(rest),
        };
    }
    s.out
}

/// Length of the number at the beginning. A name may stand right behind it: `1system("…")` is a number and a call.
fn number_len(text: &[u8]) -> usize {
    let run = |from: usize, is: fn(&u8) -> bool| {
        text.get(from..).unwrap_or_default().iter().take_while(|b| is(b)).count()
    };
    if matches!(text, [b'0', b'x' | b'X', ..]) {
        return 2 + run(2, u8::is_ascii_hexdigit);
    }
    let whole = run(0, |b| b.is_ascii_digit() || *b == b'.');
    let sign = usize::from(matches!(text.get(whole + 1), Some(b'+' | b'-')));
    match (text.get(whole), run(whole + 1 + sign, u8::is_ascii_digit)) {
        (Some(b'e' | b'E'), digits @ 1..) => whole + 1 + sign + digits,
        _ => whole,
    }
}

impl State {
    fn value(&mut self) {
        self.before = Before::Value;
        self.goes_on = false;
    }

    fn word(&mut self, word: &[u8]) {
        self.goes_on = false;
        self.before = match word {
            b"print" | b"printf" => {
                self.print = Some(self.depth);
                Before::Other
            }
            // Whatever stands between it and its parenthesis: no variable can be called so.
            b"system" => {
                self.out.push(Deed::Runs);
                Before::Other
            }
            b"return" | b"in" | b"else" | b"do" | b"case" | b"if" | b"while" | b"for" | b"exit"
            | b"delete" => Before::Other,
            b"getline" | b"length" | b"next" | b"BEGIN" | b"END" => Before::Perhaps,
            _ => Before::Value,
        };
    }

    /// gawk's directives, and a call through the name in a variable.
    fn at_sign(&mut self, rest: &[u8]) -> usize {
        let after = rest.get(1..).unwrap_or_default();
        let word = after.trim_ascii_start();
        let blanks = after.len() - word.len();
        let len = word_len(word);
        match word.get(..len).unwrap_or_default() {
            b"load" | b"include" => self.out.push(Deed::Loads),
            b"namespace" => {}
            // A regular expression as a value.
            b"" if word.first() == Some(&b'/') => {}
            // Whatever stands in between: a continued line may.
            _ => self.out.extend([Deed::Loads, Deed::Runs]),
        }
        self.before = Before::Other;
        1 + blanks + len
    }

    fn operator(&mut self, rest: &[u8]) -> usize {
        let two = rest.get(..2).unwrap_or_default();
        let was = self.before;
        self.before = Before::Other;
        let goes_on = std::mem::replace(&mut self.goes_on, false);
        match (rest.first(), two) {
            (_, b"||" | b"&&") => {
                self.goes_on = true;
                2
            }
            (_, b"|&") => {
                self.out.push(Deed::Runs);
                2
            }
            (_, b"++" | b"--") => {
                self.before = if was == Before::Other { Before::Other } else { Before::Perhaps };
                2
            }
            (Some(b'|'), _) => {
                self.out.push(Deed::Runs);
                1
            }
            (Some(b'>'), _) if self.print == Some(self.depth) => {
                let len = if two == b">>" { 2 } else { 1 };
                if !to_stream(rest.get(len..).unwrap_or_default()) {
                    self.out.push(Deed::Writes);
                }
                len
            }
            (Some(b'(' | b'['), _) => {
                self.depth += 1;
                1
            }
            (Some(b')'), _) => {
                self.depth = self.depth.saturating_sub(1);
                self.before = Before::Perhaps;
                1
            }
            (Some(b']'), _) => {
                self.depth = self.depth.saturating_sub(1);
                self.before = Before::Value;
                1
            }
            (Some(b'\n'), _) => {
                if goes_on {
                    self.goes_on = true;
                } else {
                    self.print = None;
                }
                1
            }
            (Some(b';' | b'{' | b'}'), _) => {
                self.print = None;
                1
            }
            (Some(b','), _) => {
                self.goes_on = true;
                1
            }
            _ => 1,
        }
    }
}

/// The target of a redirection is one literal name of a standard stream, and nothing is joined to it.
fn to_stream(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    if rest.first() != Some(&b'"') {
        return false;
    }
    let len = string(rest);
    let name = rest.get(1..len.saturating_sub(1)).unwrap_or_default();
    let after = rest.get(len..).unwrap_or_default().trim_ascii_start();
    is_stream(name) && name != b"-" && matches!(after.first(), None | Some(b';' | b'}' | b'\n' | b'#'))
}

fn word_len(rest: &[u8]) -> usize {
    rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(rest.len())
}

/// Length of the string that opens here; a newline ends a broken one.
fn string(rest: &[u8]) -> usize {
    let mut i = 1;
    while let Some(b) = rest.get(i) {
        match b {
            b'"' => return i + 1,
            b'\n' => return i,
            b'\\' => i += 2,
            _ => i += 1,
        }
    }
    rest.len()
}

/// Length of the regular expression that opens here; a newline ends a broken one.
fn regex(rest: &[u8], brackets: bool) -> usize {
    let mut i = 1;
    let mut inside = false;
    while let Some(b) = rest.get(i) {
        match b {
            b'/' if !inside => return i + 1,
            b'\n' => return i,
            b'\\' => i += 1,
            b'[' if brackets && !inside => {
                inside = true;
                if rest.get(i + 1) == Some(&b'^') {
                    i += 1;
                }
                if rest.get(i + 1) == Some(&b']') {
                    i += 1;
                }
            }
            // `[[:alpha:]]`: the class closes before the bracket does.
            b'[' if inside && matches!(rest.get(i + 1), Some(b':' | b'.' | b'=')) => {
                let kind = rest.get(i + 1).copied().unwrap_or_default();
                let tail = rest.get(i + 2..).unwrap_or_default();
                if let Some(p) = tail.windows(2).position(|w| w == [kind, b']']) {
                    i += p + 3;
                }
            }
            b']' if inside => inside = false,
            _ => {}
        }
        i += 1;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_only_print() {
        for text in [
            "{print $1}",
            "/pattern/ {print $2}",
            "NR==10,NR==20",
            "{a+=$1; d+=$2} END {print a, d}",
            "$1 > 5",
            "$1>5{print $2}",
            "{ if ($1 > 5) print $2 }",
            "{print ($1 > 5)}",
            "/a|b/ {print \"x | y > z\"}",
            "$1 ~ /x|y/ && $2 !~ /p|q/",
            "a || b",
            "{print $1/2; x = $2 / 3}",
            "# system(\"id\") > x\n{print}",
            "/system/ {print}",
            "{gsub(/[|>]/, \"\"); print}",
            "{print > \"/dev/stderr\"}",
            "{printf \"%s\\n\", $1 > \"/dev/stderr\"; next}",
            "BEGIN{FS=\"|\"} {print $2}",
            "{print length($0), (NR/2)/3}",
            "{ print \"a\\\"|b\" }",
            "/[[:space:]|]/",
            "END{for (k in c) if (c[k] > 1) print k, c[k]}",
            "{print}\n$2 > 3",
            "!seen[$0]++",
            "{ while ((getline line < \"f\") > 0) n++ }",
            "NR>1",
            "{ x = $1 > 2 ? \"a\" : \"b\"; print x }",
            "BEGIN { systems = 1; print systems }",
        ] {
            assert_eq!(deeds(text.as_bytes()), Some(vec![]), "{text}");
        }
    }

    #[test]
    fn programs_that_reach_out() {
        for (text, deed) in [
            ("BEGIN{system(\"id\")}", Deed::Runs),
            ("BEGIN{system  (\"id\")}", Deed::Runs),
            // A name right behind a number.
            ("1system(\"id\")", Deed::Runs),
            ("{print $1system(\"id\")}", Deed::Runs),
            ("BEGIN{x=1.5system(\"id\")}", Deed::Runs),
            ("BEGIN{x=.5system(\"id\")}", Deed::Runs),
            ("BEGIN{x=1e5system(\"id\")}", Deed::Runs),
            ("BEGIN{x=1e+5system(\"id\")}", Deed::Runs),
            ("BEGIN{x=0x1fsystem(\"id\")}", Deed::Runs),
            ("BEGIN{x=1@f(\"id\")}", Deed::Runs),
            ("BEGIN{system\\\n(\"id\")}", Deed::Runs),
            ("BEGIN{system\\\r\n(\"id\")}", Deed::Runs),
            ("BEGIN{system\u{b}(\"id\")}", Deed::Runs),
            ("BEGIN{x\u{c}/system(\"id\")\n}", Deed::Runs),
            ("BEGIN{x\u{b}/=\"id\"|getline}", Deed::Runs),
            ("BEGIN{f=\"system\";@\\\nf(\"id\")}", Deed::Runs),
            ("@\\\nload \"./x\";BEGIN{}", Deed::Loads),
            ("{print $1 | \"sort\"}", Deed::Runs),
            ("{print | cmd}", Deed::Runs),
            ("BEGIN{\"id\"|getline}", Deed::Runs),
            ("BEGIN{\"id\" |& getline x}", Deed::Runs),
            ("BEGIN{f=\"system\";@f(\"id\")}", Deed::Runs),
            ("@load \"./x\";BEGIN{}", Deed::Loads),
            ("@include \"x\"", Deed::Loads),
            ("BEGIN{print \"x\" > \"out\"}", Deed::Writes),
            ("{print $1, $2 >> \"out\"}", Deed::Writes),
            ("{print $1,\n$2 > \"out\"}", Deed::Writes),
            ("{print \\\n $2 > \"out\"}", Deed::Writes),
            ("{print > $1}", Deed::Writes),
            ("{printf(\"%s\", $1) > \"out\"}", Deed::Writes),
            ("{if (1) print > \"out\"}", Deed::Writes),
            ("{print > \"/dev/stderr\" x}", Deed::Writes),
            ("{x = 1?y:system(\"id\")}", Deed::Runs),
            ("/\\// {system(\"id\")}", Deed::Runs),
            ("/[/ {system(\"id\")} /]/", Deed::Runs),
            ("{x = (1) /\"/; system(\"id\"); y = \"/2}", Deed::Runs),
            ("{if (1) /\"/ ; system(\"id\"); x = /\"/}", Deed::Runs),
        ] {
            assert!(deeds(text.as_bytes()).is_some_and(|d| d.contains(&deed)), "{text}");
        }
    }
}
