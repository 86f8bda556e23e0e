//! Texts made from the grammar: most of them are what people write, put together in ways that nobody would.
use super::dice::Dice;

const NAMES: &[&str] = &["w1", "w2", "w3", "w4", "w5"];

const LITERALS: &[&str] = &[
    "a", "b", "x", "a=b", "-n", "--", "-a", "--x=y", "1", "07", "a#b", "#", "a{", "}", "{}", "!", "if",
    "done", "in", "a.b", "/", "./a", "../x", "a:b", "@", "%", "+x", "a,b", ",", "^", "é", "[", "]", "[[",
    "]]", "=", "==", "~x", "x~", "w2", "esac", "{", "time", "a-b_c", "=w1", "*a", "a?c", "?", "sub/*",
    "[a-b]*", "[!a]", "~", "~/x", "x=~", "a:~",
];

const QUOTED: &[&str] = &[
    "'a b'",
    "''",
    "\"\"",
    "'$x'",
    "'`w9`'",
    "\"a b\"",
    "'a'\\''b'",
    "\"it's\"",
    "'\"'",
    "\\$x",
    "\\`",
    "\\\\",
    "\\ ",
    "\\;",
    "\\'",
    "\\\"",
    "\"\\$x\"",
    "\"\\\\\"",
    "\"a\\b\"",
    "\"\\`w9\\`\"",
    "'a\nb'",
    "\"a\nb\"",
    "\\#",
    "\\~",
    "\\*",
    "'*'",
    "\"*\"",
    "\"{a,b}\"",
    "$'a\\tb'",
    "$'a\\'b'",
    "$'\\x41'",
    "$'\\n'",
    "'|'",
    "\"&&\"",
    "';'",
    "\\&",
    "'#'",
    "\"$\"",
    "\"a$\"",
    "'a\\\nb'",
    "\"!\"",
    "'!'",
    "\"'\"",
    "\"\\\"\"",
    "\\a",
    "\\n",
    "\"\\n\"",
    "'%s\\n'",
    "\\{a,b}",
];

const PARAMS: &[&str] = &[
    "$x",
    "\"$x\"",
    "${x}",
    "\"${y}\"",
    "$#",
    "$?",
    "$@",
    "\"$@\"",
    "$*",
    "\"$*\"",
    "$1",
    "\"$2\"",
    "$0",
    "$-",
    "${#x}",
    "${x:-a}",
    "\"${x:-a b}\"",
    "${x:-'a b'}",
    "${x-}",
    "${x:+b}",
    "${x+a b}",
    "${x#a}",
    "${x##*/}",
    "${x%b*}",
    "\"${x%%.*}\"",
    "${x:-$y}",
    "\"${x:-$y}\"",
    "${1:-d}",
    "${@:-z}",
    "${x:?}",
    "$i",
    "\"$i\"",
    "${i}",
    "x$x",
    "$x.b",
    "\"$x$y\"",
    "${x}y",
    "\"a${x}b\"",
    "${x:-\"$y\"}",
    "${x:-a\\ b}",
    "$x$x",
    "-$x",
    "a=$x",
    "\"a=$x\"",
    "${y#\"a\"}",
    "${x%'b'}",
    "$n",
    "\"$n\"",
    "${n}",
    "${x:-*}",
    "${x:-~}",
    "${HOME}",
    "$HOME",
    "\"$PATH\"",
    "$UNSET",
    "\"$UNSET\"",
];

const ARITHMETIC: &[&str] = &[
    "1", "0", "1+1", "2 * 3", "1<<2", "7%3", "(1)", "!0", "1 == 1", "3>2", "1?2:3", "n", "n+1", "n > 1",
    "$n", "$n*2", "~1", "-1", "0x1f", "010", "2**3", "1,2", "${#x}", "$#", "1&&0", "1||0", "$((1+1))", "n=3",
    "n++", "i<2",
];

const BRACES: &[&str] = &[
    "{a,b}",
    "{1..3}",
    "a{b,c}d",
    "{a,'b c'}",
    "{a,{b,c}}",
    "{a..c}",
    "{x,}",
    "{,}",
    "{a,b}{1,2}",
    "{01..03}",
    "{3..1}",
    "{$x,b}",
    "{a,\"$x\"}",
    "{a",
    "a,b}",
    "{a b}",
    "{1..}",
    "{a,b\\,c}",
    "{'a,b'}",
    "\"{a,b}\"",
    "{w1,a}",
    "$x{a,b}",
];

const BUILTINS: &[&str] = &[
    "true",
    "false",
    ":",
    "echo a",
    "echo \"$x\"",
    "printf '%s\\n' a b",
    "cd sub",
    "cd sub && pwd",
    "cd ..",
    "pwd",
    "test -n \"$x\"",
    "[ -f a ]",
    "[ \"$x\" = a ]",
    "[ -d sub ]",
    "export CI=1",
    "export PORT=$x",
    "read x",
    "set -e",
    "set -u",
    "exit 3",
    "return 1",
    "break",
    "continue",
    "shift",
    "set -o pipefail",
    "wait",
    "umask 022",
    "type w1",
    "command -v w1",
    "unset x",
    "x=1",
    "x='a b'",
    "x=\"$x\"",
    "x=$y",
    "x=$(w1)",
    "x=`w2 b`",
    "n=1",
    "n=7",
    "n=$((n+1))",
    "x=*",
    "y=~",
    "x=a y=b",
    "x=",
    "local x=1",
    "readonly y=1",
    "test 1 -eq 1",
    "[ 1 -gt 2 ]",
    "echo -n a",
    "read -r x y",
    "printf %s \"$x\"",
    "test a = b",
    "[ -z \"$UNSET\" ]",
    "exit",
    "cd",
    "cd \"$x\"",
    "echo $x",
    "echo *",
    "echo {a,b}",
    "hash -r",
    "times",
    "trap - INT",
    "set -f",
    "set +e",
    "shopt -s nullglob",
    "getopts a x",
    "exec w1 a",
    "command w1 a",
    "builtin echo a",
    "set -- a b",
    "eval 'w1 a'",
    "eval w1",
    "let 'n=1'",
    "declare y=1",
    "typeset x=2",
    "ulimit -c 0",
    "alias w1=w2",
    "unalias -a",
    "mapfile x",
    "(( n ))",
    "echo a >&2",
    "echo a 2>&1",
    "exec 2>/dev/null",
    "[ a ]",
    "test",
];

const REDIRECTS: &[&str] = &[
    ">/dev/null",
    "2>&1",
    "2>/dev/null",
    "</dev/null",
    "> /dev/null 2>&1",
    "1>&2",
    ">&2",
    "2>&-",
    "<&-",
    "3>&1",
    "&>/dev/null",
    "<<< a",
    "<<< \"$x\"",
    "<<<'a b'",
    ">f",
    "<a",
    ">>/dev/null",
    "<>/dev/null",
    ">|/dev/null",
    "2>&1 >&2",
];

const TESTS: &[&str] = &[
    "-n $x",
    "-z a",
    "a == a*",
    "$x == b",
    "a = 'a'",
    "$x =~ ^[0-9]+$",
    "a != b",
    "-f a",
    "1 -eq 1",
    "-d sub && -f a",
    "! -n a",
    "( a == a )",
    "a < b",
    "$x == \"*\"",
    "abc == a*c",
    "-n a || -n b",
    "$x =~ (a|b)",
    "$n -gt 1",
    "a",
    "\"$x\" == a?c",
    "-v x",
    "-o errexit",
    "x == [a-z]",
    "$x = $y",
    "a > b",
    "-e sub/c",
    "\"a b\" == a\\ b",
];

/// Most texts are small: they are run soonest, and most of what goes wrong needs little.
fn dice_size(dice: &mut Dice) -> usize {
    if dice.roll(4) == 0 { 24 } else { 7 }
}

/// Text under way.
pub struct Grammar<'d> {
    dice: &'d mut Dice,
    out: String,
    /// Bodies that begin behind the next newline.
    bodies: Vec<String>,
    /// What may still be made: everything has an end.
    fuel: usize,
}

impl Grammar<'_> {
    /// A text of some size.
    pub fn text(dice: &mut Dice) -> String {
        let size = dice_size(dice);
        let fuel = 2 + dice.roll(size);
        let mut made = Grammar { dice, out: String::new(), bodies: Vec::new(), fuel };
        let depth = made.dice.roll(4);
        made.list(depth);
        made.flush();
        made.out
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn pick(&mut self, of: &[&str]) {
        let at = self.dice.roll(of.len());
        self.put(of[at]);
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.dice.roll(n) == 0
    }

    fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    /// A newline and the bodies that wait for one, if any do.
    fn flush(&mut self) {
        if !self.bodies.is_empty() {
            self.newline();
        }
    }

    fn newline(&mut self) {
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
    }

    fn blank(&mut self) {
        match self.dice.roll(30) {
            0 => self.put("  "),
            1 => self.put("\t"),
            2 => self.put(" \\\n "),
            _ => self.put(" "),
        }
    }

    /// What stands between two commands.
    fn separator(&mut self) {
        match self.dice.roll(12) {
            0..=4 => self.put("; "),
            5 => self.put(";"),
            6 => {
                self.put(" # c '\"`$(");
                self.newline();
            }
            7 => {
                self.put(" ; ");
                self.flush();
            }
            8 => {
                self.newline();
                self.put("\n  ");
            }
            _ => self.newline(),
        }
    }

    fn list(&mut self, depth: usize) {
        let count = 1 + if depth >= 3 { self.dice.roll(3) } else { self.dice.roll(4) / 2 };
        for i in 0..count {
            if i > 0 {
                self.separator();
            }
            self.pipeline(depth);
            while self.one_in(3) && self.burn() {
                self.pick(&[" && ", " || ", "&&", "||", " &&\n", " ||\n  "]);
                self.pipeline(depth);
            }
        }
    }

    fn pipeline(&mut self, depth: usize) {
        if self.one_in(12) {
            self.put("! ");
        }
        if self.one_in(60) {
            self.put("time ");
        }
        self.command(depth);
        let mut most = 3;
        while most > 0 && self.one_in(5) && self.burn() {
            most -= 1;
            self.pick(&[" | ", "|", " |\n ", " | ", " |& "]);
            self.command(depth);
        }
    }

    fn command(&mut self, depth: usize) {
        if depth > 0 && self.burn() && self.one_in(3) {
            self.compound(depth - 1);
            if self.one_in(6) {
                self.blank();
                self.redirect(depth - 1);
            }
        } else {
            self.simple(depth);
        }
    }

    fn simple(&mut self, depth: usize) {
        match self.dice.roll(10) {
            0 | 1 => self.pick(BUILTINS),
            2 if depth > 0 && self.burn() => self.carried(depth),
            _ => {
                if self.one_in(10) {
                    self.pick(&[
                        "CI=1 ",
                        "NODE_ENV=test ",
                        "PORT=$x ",
                        "x=1 ",
                        "CI= PORT=80 ",
                        "PORT=\"$x\" ",
                    ]);
                }
                self.pick(NAMES);
                for _ in 0..self.dice.roll(4) {
                    self.blank();
                    self.word(depth);
                }
                if self.one_in(8) {
                    self.blank();
                    self.redirect(depth);
                    if self.one_in(4) {
                        self.put(" a");
                    }
                }
            }
        }
    }

    /// A text within the text.
    fn carried(&mut self, depth: usize) {
        let inner = {
            let mut made =
                Grammar { dice: self.dice, out: String::new(), bodies: Vec::new(), fuel: self.fuel.min(8) };
            made.list(depth - 1);
            made.flush();
            made.out
        };
        let shell = ["sh", "bash", "dash", "zsh", "eval"][self.dice.roll(5)];
        self.pick(&[
            "",
            "",
            "",
            "env ",
            "timeout 5 ",
            "nice ",
            "nohup ",
            "env CI=1 ",
            "command ",
            "exec ",
            "timeout 5 env ",
        ]);
        self.put(shell);
        if shell != "eval" {
            self.pick(&[" -c ", " -c ", " -ec ", " -c -- "]);
        } else {
            self.put(" ");
        }
        match self.dice.roll(5) {
            0 if !inner.contains(['"', '\\', '$', '`']) => self.put(&format!("\"{inner}\"")),
            1 => {
                let mut text = String::from("\"");
                for c in inner.chars() {
                    if matches!(c, '"' | '\\' | '$' | '`') {
                        text.push('\\');
                    }
                    text.push(c);
                }
                text.push('"');
                self.put(&text);
            }
            _ => self.put(&format!("'{}'", inner.replace('\'', "'\\''"))),
        }
        if self.one_in(4) {
            self.pick(&[" s 'a b'", " sh $x", " -- a", " s \"$@\"", " a b c"]);
        }
    }

    fn redirect(&mut self, depth: usize) {
        if !self.one_in(3) {
            return self.pick(REDIRECTS);
        }
        let quoted = !self.one_in(4);
        let (open, tabs) = if self.one_in(4) { ("<<-", "\t") } else { ("<<", "") };
        let name = ["E", "EOF", "E_"][self.dice.roll(3)];
        let shown = match self.dice.roll(3) {
            _ if !quoted => name.to_owned(),
            0 => format!("\"{name}\""),
            1 => format!("\\{name}"),
            _ => format!("'{name}'"),
        };
        self.put(&format!("{open}{shown}"));
        let mut body = String::new();
        for _ in 0..self.dice.roll(3) {
            let lines: &[&str] = if quoted {
                &[
                    "a b", "$x", "`w9`", "$(w9)", "'", "\"", "\\", "E x", " E", "", "a\\", "EO", "#", "EOF_",
                    "\\$x",
                ]
            } else {
                &["a b", "'", "\"", "", "#", " E", "a;b", "x | y", "w9", "$x", "a\\b"]
            };
            body.push_str(tabs);
            body.push_str(lines[self.dice.roll(lines.len())]);
            body.push('\n');
        }
        body.push_str(tabs);
        body.push_str(name);
        body.push('\n');
        self.bodies.push(body);
        if self.one_in(5) && depth > 0 {
            self.put(" ");
            self.redirect(0);
        }
    }

    fn word(&mut self, depth: usize) {
        self.piece(depth);
        while self.one_in(4) {
            self.piece(depth);
        }
    }

    fn piece(&mut self, depth: usize) {
        match self.dice.roll(16) {
            0..=4 => self.pick(LITERALS),
            5..=7 => self.pick(QUOTED),
            8..=10 => self.pick(PARAMS),
            11 => self.pick(BRACES),
            12 => {
                self.put("$((");
                self.pick(&["", " "]);
                self.pick(ARITHMETIC);
                self.pick(&["", " "]);
                self.put("))");
            }
            _ if depth == 0 || !self.burn() => self.pick(LITERALS),
            13 => self.substitution(depth, ""),
            14 => self.substitution(depth, "\""),
            _ => {
                // Backticks hold little else than words.
                self.put("`");
                self.pick(NAMES);
                self.pick(&[
                    "",
                    " a",
                    " 'a b'",
                    " \\$x",
                    " \"a\"",
                    " $x",
                    " a; w2",
                    " | w3",
                    " \\`w4\\`",
                    " \\\\\\$x",
                ]);
                self.put("`");
            }
        }
    }

    fn substitution(&mut self, depth: usize, quote: &str) {
        let waiting = std::mem::take(&mut self.bodies);
        self.put(quote);
        self.pick(&["$(", "$( ", "$(\n", "$("]);
        self.list(depth - 1);
        self.flush();
        self.pick(&[")", " )", "\n)", "; )", ")"]);
        self.put(quote);
        self.bodies = waiting;
    }

    fn end(&mut self) {
        if self.bodies.is_empty() && !self.one_in(4) {
            self.pick(&["; ", ";", " ; "]);
        } else {
            self.newline();
        }
    }

    fn compound(&mut self, depth: usize) {
        match self.dice.roll(13) {
            0 => {
                self.pick(&["( ", "(", "(\n"]);
                self.list(depth);
                self.flush();
                self.pick(&[" )", ")", "\n)"]);
            }
            1 => {
                self.pick(&["{ ", "{\n"]);
                self.list(depth);
                self.end();
                self.put("}");
            }
            2 | 3 => {
                self.put("if ");
                self.list(depth);
                self.end();
                self.pick(&["then ", "then\n"]);
                self.list(depth);
                self.end();
                while self.one_in(4) && self.burn() {
                    self.put("elif ");
                    self.list(depth);
                    self.end();
                    self.put("then ");
                    self.list(depth);
                    self.end();
                }
                if self.one_in(2) {
                    self.pick(&["else ", "else\n "]);
                    self.list(depth);
                    self.end();
                }
                self.put("fi");
            }
            4 | 5 => {
                self.put("for ");
                self.pick(&["i", "x", "n"]);
                if self.one_in(8) {
                    self.pick(&["", ";", "\n"]);
                } else {
                    self.put(" in");
                    for _ in 0..self.dice.roll(4) {
                        self.put(" ");
                        self.word(depth);
                    }
                    self.end();
                }
                self.pick(&[" do ", " do\n"]);
                self.list(depth);
                self.end();
                self.put("done");
            }
            6 => {
                self.pick(&["while ", "until "]);
                self.pick(NAMES);
                self.end();
                self.pick(&["do ", "do\n"]);
                self.list(depth);
                self.end();
                self.put("done");
            }
            7 | 8 => {
                self.put("case ");
                self.word(depth);
                self.pick(&[" in ", " in\n"]);
                for _ in 0..=self.dice.roll(2) {
                    self.pick(&["", "(", ""]);
                    self.word(0);
                    while self.one_in(3) {
                        self.pick(&["|", " | "]);
                        self.word(0);
                    }
                    self.pick(&[") ", ")\n", ")"]);
                    if !self.one_in(6) {
                        self.list(depth);
                    }
                    self.flush();
                    self.pick(&[";;", " ;;\n", ";; ", ";&", " ;;&"]);
                }
                self.pick(&[" esac", "esac", "\nesac"]);
            }
            9 => {
                let name = ["f", "g", "h"][self.dice.roll(3)];
                if self.one_in(4) {
                    self.put(&format!("function {name} "));
                } else {
                    self.put(&format!("{name}() "));
                }
                self.pick(&["{ ", "{\n", "( "]);
                let close = if self.out.ends_with("( ") { ")" } else { "}" };
                self.list(depth);
                self.end();
                self.put(close);
                self.separator();
                self.put(name);
                self.pick(&["", " a", " $x", " \"a b\""]);
            }
            10 => {
                self.put("[[ ");
                self.pick(TESTS);
                self.put(" ]]");
            }
            11 => {
                self.put("((");
                self.pick(ARITHMETIC);
                self.put("))");
            }
            _ => {
                self.put("for ((i=0; i<");
                self.pick(&["2", "3", "n"]);
                self.put("; i++)); do ");
                self.list(depth);
                self.end();
                self.put("done");
            }
        }
    }
}
