//! The real shells as the judge: whatever ran must be among the commands the tree names, and a rendering must run
//! the same. `EXEC_GUARD_ORACLE=N` takes N texts for each shell instead of a few.
#![allow(missing_docs, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use policy::Arg;
use policy::shell::construct::Treatment;
use policy::shell::{Construct, Dialect, Parsed, parse, render};

/// Programs of the stage; the even ones fail.
const PROGRAMS: &[&str] =
    &["w1", "w2", "w3", "x", "a", "{a", "b}", "echo", "(", "[[", "function", "select", "time"];

/// What texts are made of: everything that shells read in more than one way.
const BITS: &[&str] = &[
    "w1",
    "w2",
    "w3",
    "w1 a",
    "w1 ",
    " ",
    " ",
    " ",
    ";",
    ";",
    "\n",
    "\n",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "!",
    "! ",
    "'",
    "'",
    "\"",
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
    "$y",
    "\"$x\"",
    "\"$@\"",
    "$#",
    "$",
    "}",
    "{",
    "{ ",
    "; }",
    "{a,b}",
    "{1..3}",
    "{",
    ",",
    "#",
    " #",
    "$((",
    "))",
    "((",
    "1+1",
    "$((1<<2))",
    "<<E",
    "<<'E'",
    "<<-E",
    "\nE\n",
    "\n\tE\n",
    "E",
    "<<<",
    "</dev/null",
    ">/dev/null",
    "2>&1",
    ">&2",
    "&>/dev/null",
    "2>",
    ">",
    "if ",
    "then ",
    "else ",
    "elif ",
    "fi",
    "while ",
    "until ",
    "do ",
    "done",
    "for i in ",
    "for i ",
    "in ",
    "case x in ",
    "x) ",
    "*) ",
    "(x) ",
    ";;",
    "esac",
    "[[ ",
    " ]]",
    "x = x",
    "x == x*",
    "-n x",
    "=~ (x|y)",
    "f() ",
    "f",
    "function f ",
    "x=1",
    "x=1 ",
    "x=",
    "=",
    "+=",
    "a[1]",
    "[",
    "]",
    "[a]",
    "*",
    "?",
    "~",
    "/",
    "$'a\\'b'",
    "$'",
    "$\"",
    "time ",
    "time",
    "select ",
    "''",
    "\"\"",
    "'a b'",
    "\"a b\"",
    "\\'",
    "\\\"",
    "\\$",
    "\\`",
    "\\ ",
    "\\#",
    "@(a)",
    "<(",
    "=w1",
    "-",
    "1",
    "2",
    ":",
    "a",
    "b",
    "x",
    "true",
    "false",
    "w1;w2",
    "w1|w2",
    "w1&&w2",
    "$(w1)",
    "`w1`",
    "\"$(w1 'a')\"",
    "\"`w1 \\\"a\\\"`\"",
    "${x:-'a'}",
    "\"${x:-a}\"",
    "${x:-$(w1)}",
    "$(w1 # )\n)",
    "\t",
    "export y=1",
    "y=w2",
];

const BUSYBOX: &str = "/bin/busybox";

/// Name of the stage whose shell is busybox.
const ASH: &str = "ash";

/// Whole phrases, so that much of the text parses.
const PHRASES: &[&str] = &[
    "w1",
    "w1 a",
    "w2 'b c'",
    "w3 \"$x\" d",
    "w1 $x",
    "x=1 w1",
    "x=1",
    "! w1",
    "( w1 )",
    "{ w1; }",
    "if w1; then w2; fi",
    "if w1; then w2; else w3; fi",
    "for i in a b; do w1 $i; done",
    "for i in a; do w1 \"$i\"; done",
    "while w2; do w1; done",
    "until w1; do w2; done",
    "case a in a|b) w1;; *) w2;; esac",
    "case a in (a) w1 ;; esac",
    "f() { w1; }; f",
    "w1 $(w2 a)",
    "w1 `w2 a`",
    "w1 \"$(w2 \"b\")\"",
    "w1 ${x:-d e}",
    "w1 \"${x:-d}\"",
    "w1 ${x#a*}",
    "w1 $((1 + 2))",
    "w1 {a,b}c",
    "w1 *",
    "w1 ~",
    "w1 a\\ b",
    "w1 'it'\\''s'",
    "w1 >/dev/null 2>&1",
    "w1 </dev/null",
    "[[ a == b* ]]",
    "[[ -n a && ! -z b ]]",
    "((1))",
    "w1 <<'E'\na\nE\n",
    "w1 <<E\na b\nE\n",
    "w1 <<E | w2\na\nE\n",
    "w1 \"$(w2 <<'E'\nq\nE\n)\"",
    "w1 <<< a",
    "w1 # c\n",
    "w1 $'a\\tb'",
    "w1 a\\\nb",
    "w1 \\\n a",
    "time w1",
    "w1 |& w2",
    "w1 x=~",
    "export y=$x",
    "w1 $y",
    "w1 \"a\nb\"",
    "w1 \\\\",
    "w1 a#b",
    "w1 $#",
    "w1 ''",
    "w1 \"\"$x",
    "w1 $x''",
    "w1 a=b",
    "w1 -- -a",
    "true",
    "false",
    ":",
    "w1 [a-c]",
    "w1 a{",
    "w1 }",
    "w1 {}",
    "w1 if then fi",
    "(w1) && (w2)",
    "{ w1; } | w2",
    "w1 \"\\$x\"",
    "w1 a;",
    "w1 &",
];

/// A small generator of numbers: the same texts every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % below as u64).unwrap()
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        match self.roll(3) {
            0 => {
                for _ in 0..=self.roll(9) {
                    text.push_str(BITS[self.roll(BITS.len())]);
                }
            }
            1 => {
                for i in 0..=self.roll(3) {
                    if i > 0 {
                        text.push_str(["; ", "\n", " && ", " || ", " | ", ";", "\n\n# c\n"][self.roll(7)]);
                    }
                    text.push_str(PHRASES[self.roll(PHRASES.len())]);
                }
            }
            _ => {
                text.push_str(PHRASES[self.roll(PHRASES.len())]);
                text.push_str(["; ", " | ", "\n"][self.roll(3)]);
                text.push_str(PHRASES[self.roll(PHRASES.len())]);
            }
        }
        // A few cuts and insertions: what nearly parses is where readers differ.
        for _ in 0..self.roll(3) {
            let at = self.roll(text.len() + 1);
            if text.is_char_boundary(at) {
                let bit = BITS[self.roll(BITS.len())];
                text.insert_str(at, bit);
            }
        }
        text
    }
}

struct Stage {
    root: PathBuf,
    /// The ash of busybox in dash's place.
    busybox: bool,
    runs: std::cell::Cell<usize>,
}

impl Stage {
    fn new(name: &str) -> Stage {
        let root = std::env::temp_dir().join(format!("exec-guard-oracle-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("bin")).unwrap();
        let dash = Path::new("/bin/dash");
        let sh = if dash.exists() { "/bin/dash" } else { "/bin/sh" };
        for (i, program) in PROGRAMS.iter().enumerate() {
            let path = root.join("bin").join(program);
            // One write for each call; a long log ends endless loops.
            let code = i % 2;
            let text = format!(
                "#!{sh}\n[ -f ../stop ] && exit {}\nprintf '%s\\0' \"${{0##*/}}\" \"$@\" '\u{1}' >> ../log\nexit {code}\n",
                1 - code
            );
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let busybox = name == ASH;
        if busybox {
            std::os::unix::fs::symlink(BUSYBOX, root.join("sh")).unwrap();
        }
        Stage { root, busybox, runs: std::cell::Cell::new(0) }
    }

    /// Runs a text; the calls it made, and whether files appeared. `None` if it did not end.
    fn run(&self, dialect: Dialect, text: &[u8]) -> Option<(Vec<Vec<Vec<u8>>>, bool)> {
        // A folder of its own for each run: a straggler of one must not write into the next.
        self.runs.set(self.runs.get() + 1);
        let dir = self.root.join(self.runs.get().to_string());
        let cwd = dir.join("cwd");
        fs::create_dir_all(&cwd).unwrap();
        let log = dir.join("log");
        let (shell, options): (PathBuf, &[&str]) = match dialect {
            Dialect::Bash => ("/bin/bash".into(), &["--norc", "--noprofile"]),
            Dialect::Dash if self.busybox => (self.root.join("sh"), &[]),
            Dialect::Dash => ("/bin/dash".into(), &[]),
            Dialect::Zsh => ("/bin/zsh".into(), &["-f"]),
        };
        let mut child = Command::new(shell)
            .args(options)
            .args(["-c", "--"])
            .arg(std::ffi::OsStr::from_bytes(text))
            .args(["sh", "p1", "p 2"])
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", "/nonexistent")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .ok()?;
        let begun = Instant::now();
        let mut ended = true;
        while child.try_wait().unwrap().is_none() {
            let long = fs::metadata(&log).is_ok_and(|m| m.len() > 4000);
            if long || begun.elapsed() > Duration::from_millis(1500) {
                fs::write(dir.join("stop"), "").unwrap();
                let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
                let _ = child.wait();
                ended = false;
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // Members of a pipeline may outlive a shell that gave up.
        let group = format!("-{}", child.id());
        while Command::new("kill")
            .args(["-0", "--", &group])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
            && begun.elapsed() < Duration::from_secs(2)
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut calls = Vec::new();
        let mut call = Vec::new();
        for field in fs::read(&log).unwrap_or_default().split(|b| *b == 0) {
            if field == b"\x01" {
                calls.push(std::mem::take(&mut call));
            } else {
                call.push(field.to_vec());
            }
        }
        let files = fs::read_dir(&cwd).unwrap().count() > 0;
        if ended {
            let _ = fs::remove_dir_all(&dir);
        }
        ended.then_some((calls, files))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// True if a call is one that these words could have become.
fn fits(words: &[Arg], call: &[Vec<u8>]) -> bool {
    match (words.first(), call.first()) {
        (None, None) => true,
        (Some(Arg::Literal(word)), Some(got)) => word == got && fits(&words[1..], &call[1..]),
        (Some(Arg::Dynamic { prefix, single: true, .. }), Some(got)) => {
            got.starts_with(prefix) && fits(&words[1..], &call[1..])
        }
        (Some(Arg::Dynamic { single: false, .. }), _) => {
            (0..=call.len()).any(|n| fits(&words[1..], &call[n..]))
        }
        _ => false,
    }
}

fn judge(stage: &Stage, dialect: Dialect, text: &str) -> Option<String> {
    let parsed: Parsed = parse(text.as_bytes(), dialect);
    if parsed.noted.iter().any(|n| n.construct.checked() == Treatment::Ask) {
        return None;
    }
    let (calls, files) = stage.run(dialect, text.as_bytes())?;
    let segments: Vec<Vec<Arg>> = parsed
        .script
        .simples()
        .iter()
        .map(|s| s.words.iter().flat_map(|w| w.to_args(text.as_bytes())).collect())
        .collect();
    for call in &calls {
        if !segments.iter().any(|words| fits(words, call)) {
            return Some(format!("{} {text:?} ran {:?}\n  {segments:?}", dialect.word(), shown(call)));
        }
    }
    let redirected = parsed.noted.iter().any(|n| n.construct == Construct::Redirection);
    if files && !redirected {
        return Some(format!("{} {text:?} made files", dialect.word()));
    }
    let rendering = match render(&parsed.script, text.as_bytes(), dialect, &|_| None) {
        Ok(rendering) => rendering,
        Err(construct) => {
            return Some(format!("{} {text:?} has no rendering: {construct:?}", dialect.word()));
        }
    };
    // What is killed half-way in a failing pipeline is a matter of luck.
    let (mut twice, _) = stage.run(dialect, text.as_bytes())?;
    let (mut again, _) = stage.run(dialect, &rendering)?;
    let mut calls = calls;
    calls.sort();
    again.sort();
    twice.sort();
    (calls != again && twice != again).then(|| {
        format!(
            "{} {text:?} rendered {:?}\n  {:?}\n  {:?}",
            dialect.word(),
            String::from_utf8_lossy(&rendering),
            calls.iter().map(|c| shown(c)).collect::<Vec<_>>(),
            again.iter().map(|c| shown(c)).collect::<Vec<_>>()
        )
    })
}

fn shown(call: &[Vec<u8>]) -> Vec<String> {
    call.iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect()
}

fn oracle(dialect: Dialect) {
    if Path::new("/bin").join(dialect.word()).exists() {
        compare(dialect.word(), dialect);
    }
}

/// Compares with the shell that a stage of this name has.
fn compare(name: &str, dialect: Dialect) {
    let count = std::env::var("EXEC_GUARD_ORACLE").ok().and_then(|n| n.parse().ok()).unwrap_or(50usize);
    let seed = std::env::var("EXEC_GUARD_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(88_172_645_463_325_252u64);
    let stage = Stage::new(name);
    let mut dice = Dice(seed);
    let mut wrong = Vec::new();
    let mut judged = 0;
    while judged < count && wrong.len() < 40 {
        let text = dice.text();
        let parsed = parse(text.as_bytes(), dialect);
        if parsed.noted.iter().any(|n| n.construct.checked() == Treatment::Ask) {
            continue;
        }
        // The number of the process is another one each time.
        if text.contains("$$") {
            continue;
        }
        // Words that only this shell takes for its own are refused by the table of builtins, which is not asked here.
        let own = |s: &policy::shell::Simple| {
            let first = s.words.first().and_then(|w| w.to_args(text.as_bytes()).first().cloned());
            first.is_some_and(|a| matches!(a.literal(), Some(b"function")))
        };
        if name == ASH && parsed.script.simples().iter().any(|s| own(s)) {
            continue;
        }
        judged += 1;
        // A pipeline that fails half-way may stop earlier or later: only what happens each time is a fault.
        let fault = judge(&stage, dialect, &text);
        if fault.is_some() && judge(&stage, dialect, &text).is_some() {
            wrong.extend(judge(&stage, dialect, &text));
        }
    }
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn bash_runs_what_the_tree_names() {
    oracle(Dialect::Bash);
}

#[test]
fn dash_runs_what_the_tree_names() {
    oracle(Dialect::Dash);
}

/// It is read as dash's language, so that whatever differs must ask.
#[test]
fn the_ash_of_busybox_runs_what_the_tree_names() {
    if Path::new(BUSYBOX).exists() {
        compare(ASH, Dialect::Dash);
    }
}

#[test]
fn zsh_runs_what_the_tree_names() {
    oracle(Dialect::Zsh);
}

/// Where bash looks for the end of something that is none, a quote that ends for it does not end for others.
#[test]
fn what_bash_reads_past_a_quote_asks() {
    let asks = |dialect: Dialect, text: &str| {
        parse(text.as_bytes(), dialect).noted.iter().any(|n| n.construct.checked() == Treatment::Ask)
    };
    for (text, expected) in [
        // Its own marks: `$^A(` begins a substitution while it reads, and is text when it expands.
        ("w4 \"$\u{1}( ' \" ; w2 ' ) \" ; w9 # '", true),
        ("w4 \"$\u{7f}( ' \" ; w2 ' ) \" ; w9 # '", true),
        ("w4 \"a\u{7f}\"", true),
        ("w4 '$\u{1}('", false),
        ("w4 \"$( w2 )\" '\u{7f}'", false),
        // `<(` in a quoted parameter.
        ("w1 \"${x:-<(a}\" ; w2 '\" ) }\" ; w9 # '", true),
        ("w1 \"${x#>(}\"", true),
        ("w1 \"${x:-$y<(}\"", true),
        ("w1 $(if w2 \\&; then w3; fi)", true),
        ("w1 $(if w2 \\&a '&'; then w3; fi)", false),
        ("w1 {$,b}b", true),
        ("w1 $ {a,b}", false),
        // Behind a redirection no word ends what stands around it.
        ("while w1; do { w2; } >&2 done", true),
        ("if w1; then [[ a ]] >&2 fi", true),
        ("{ { w1; } 2>&1 }", true),
        ("if w1; then if w2; then w3; fi 2>&1 fi", true),
        ("if w1; then f() { w2; } >&2 fi", true),
        ("while w1; do { w2; } >&2; done", false),
        ("{ { w1; } 2>&1 # x\n}", false),
        ("( { w1; } >&2 )", false),
        ("{ w1; } >&2 && { w2; } 2>&1 | w3", false),
        ("while w1; do { w2; } done", false),
        // A tilde behind a colon, and one before a parameter.
        ("w1 <<< a:~", true),
        ("w1 <<< 'a:~' <<< ~/x", false),
        ("w1 x=~$1x=~", true),
        ("w1 x=~/$1", false),
        ("x=~$1 w1 ~$1", false),
        ("w1 \"${x:-<a>}\" \"<(\" '${x:-<(a}'", false),
    ] {
        assert_eq!(asks(Dialect::Bash, text), expected, "bash {text:?}");
    }
    for (text, expected) in [
        ("w1 {\"a\"{{1..3}", true),
        ("w1 {{{a,b}", true),
        ("w1 {{a,b},c} a{", false),
        ("w1 {1.''.3}", false),
        ("w1 {x} >&2", true),
        ("w1 {1}>&2", true),
        ("w1 {x} \\\n\t&>/dev/null", true),
        ("w1 {x} a >&2", false),
        ("case q in (=|a) w1;; esac", true),
        ("case q in (a|~) w1;; esac", true),
        ("case q in a|~) w1;; esac", false),
    ] {
        assert_eq!(asks(Dialect::Zsh, text), expected, "zsh {text:?}");
    }
}
