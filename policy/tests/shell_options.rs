//! Options of shells: where a text may run, the real shell takes the words that are executed in place of the caller's,
//! and does the same with them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
mod judged;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use policy::document::Accept;
use policy::{Decision, FakeWorld, Form};

/// A text of two commands that are the shell's own: no option may lose it, or one of them.
const TEXT: &str = "printf '%s.' a \"$@\"; printf b";

/// bash(1), "OPTIONS". Each with one dash and with two.
const LONG: &[&str] = &[
    "debug",
    "debugger",
    "dump-po-strings",
    "dump-strings",
    "help",
    "init-file x",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "pretty-print",
    "protected",
    "rcfile x",
    "restricted",
    "verbose",
    "version",
    "wordexp",
];

/// zsh takes the names of its options so (zshoptions(1)); dash has none.
const LONG_OF_ZSH: &[&str] =
    &["login", "no-rcs", "norcs", "errexit", "err-exit", "pipefail", "verbose", "xtrace", "help"];

/// What `set -o` names.
const NAMES: &[&str] = &[
    "allexport",
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "histexpand",
    "history",
    "ignoreeof",
    "interactive-comments",
    "keyword",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "posix",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
    "NULL_GLOB",
    "nonomatch",
    "globdots",
    "shwordsplit",
    "ksharrays",
    "debug",
    "stdin",
    "interactive",
];

/// Combinations in which the order counts.
const TOGETHER: &[&str] = &[
    "--posix --verbose",
    "--verbose --posix -e",
    "--norc --posix -x",
    "--noprofile -p",
    "-e -o pipefail",
    "-euo pipefail",
    "--posix -o posix",
    "--login --posix",
    "+x -e",
    "+O extglob",
    "-O globstar --",
    "-c --",
    "-ec",
    "--posix -c --",
    "-x --posix",
    "-p --norc",
    "-f",
    "-fe",
    "-oNULL_GLOB",
    "-o null_glob -e",
    "-ex +e",
];

fn options(shell: &str) -> Vec<String> {
    let long = if shell == "zsh" { LONG_OF_ZSH } else { LONG };
    let letters = ('a'..='z').chain('A'..='Z').flat_map(|c| [format!("-{c}"), format!("+{c}")]);
    let names = NAMES.iter().flat_map(|n| [format!("-o {n}"), format!("+o {n}")]);
    let long = long.iter().flat_map(|n| [format!("--{n}"), format!("-{n}")]);
    letters.chain(names).chain(long).chain(TOGETHER.iter().map(|s| (*s).to_owned())).collect()
}

/// Status and output of a program with these words, the first of which is its own name.
fn run(shell: &str, words: &[Vec<u8>]) -> (Option<i32>, String) {
    let words: Vec<&OsStr> = words.iter().map(|w| OsStr::from_bytes(w)).collect();
    let out = Command::new(format!("/usr/bin/{shell}"))
        .arg0(words[0])
        .args(&words[1..])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn the_real_shells_take_the_options_that_are_executed() {
    let world = FakeWorld::new().program("/usr/bin/bash").program("/usr/bin/dash").program("/usr/bin/zsh");
    let mut wrong = Vec::new();
    for (shell, least) in [("bash", 80), ("dash", 40), ("zsh", 40)] {
        if !Path::new(&format!("/usr/bin/{shell}")).exists() {
            eprintln!("SKIPPED: no {shell}");
            continue;
        }
        let mut ran = 0;
        for option in options(shell) {
            let mut words: Vec<Vec<u8>> = vec![shell.into()];
            words.extend(option.split(' ').map(|w| w.as_bytes().to_vec()));
            // `-c --` and its kind say it themselves.
            if !option.split(' ').any(|w| !w.starts_with("--") && w.starts_with('-') && w.contains('c')) {
                words.push(b"-c".to_vec());
            }
            words.extend([TEXT.into(), b"name".to_vec(), b"word".to_vec()]);
            for by_link in [false, true] {
                let form = Form::Program { argv: words.clone(), by_link };
                let verdict = judged::judge(form, judged::environment(), &[], Accept::Checked, &world);
                let Some(permit) = verdict.permit().filter(|_| verdict.decision == Decision::Allow) else {
                    continue;
                };
                ran += 1;
                let (theirs, ours) = (run(shell, &words), run(shell, permit.argv()));
                // What the shell refuses from the caller may be refused, or done without the option.
                if theirs != ours && theirs.0 == Some(0) {
                    wrong.push(format!("{shell} {option}: {theirs:?}, and executed {ours:?}"));
                }
            }
        }
        assert!(ran >= least, "{shell}: {ran} ran");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
