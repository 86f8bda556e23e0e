//! The shell parser against the corpora, and against the shells themselves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
#![allow(missing_docs, reason = "a test")]

use std::io::Write;
use std::process::{Command, Stdio};

use policy::Arg;
use policy::shell::construct::Treatment;
use policy::shell::{Construct, Dialect, Parsed, normal, parse, render, same};
use serde_json::Value;

const ATTACKS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/attacks.jsonl"));
const BENIGN: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/benign.jsonl"));

fn rows(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// The bytes of a row's command: with `encoding`, every character is one byte.
fn command(row: &Value) -> Option<Vec<u8>> {
    let text = row["command"].as_str()?;
    Some(match row["encoding"].as_str() {
        Some(_) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
        None => text.as_bytes().to_vec(),
    })
}

fn dialect(shell: &str) -> Option<Dialect> {
    match shell.split_whitespace().next()? {
        "bash" => Some(Dialect::Bash),
        "dash" | "sh" => Some(Dialect::Dash),
        "zsh" => Some(Dialect::Zsh),
        _ => None,
    }
}

fn has(parsed: &Parsed, construct: Construct) -> bool {
    parsed.noted.iter().any(|n| n.construct == construct)
}

/// A text that is refused whatever its commands are.
fn refused(parsed: &Parsed) -> bool {
    parsed.noted.iter().any(|n| n.construct.checked() == Treatment::Ask)
}

#[test]
fn benign_rows_have_their_segments() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for row in rows(BENIGN) {
        let Some(text) = command(&row) else { continue };
        seen += 1;
        let parsed = parse(&text, Dialect::Bash);
        let got: Vec<Vec<Option<String>>> = parsed
            .script
            .simples()
            .iter()
            .filter(|s| !s.words.is_empty())
            .map(|s| {
                s.words
                    .iter()
                    .flat_map(|w| w.to_args(&text))
                    .map(|arg| match arg {
                        Arg::Literal(b) => Some(String::from_utf8(b).unwrap()),
                        Arg::Dynamic { .. } => None,
                    })
                    .collect()
            })
            .collect();
        let want: Vec<Vec<Option<String>>> = row["segments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s.as_array().unwrap().iter().map(|w| w.as_str().map(str::to_string)).collect())
            .collect();
        if got != want || has(&parsed, Construct::Syntax) || has(&parsed, Construct::Unknown) {
            wrong.push(format!(
                "{} {:?}\n  got  {got:?}\n  want {want:?}\n  {:?}",
                row["id"], row["command"], parsed.noted
            ));
        }
    }
    assert!(seen > 300, "only {seen} rows");
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn payloads_are_named_or_the_text_is_refused() {
    const CLASSES: &[&str] = &[
        "quoting-lexer",
        "comment-continuation",
        "heredoc",
        "compound-grammar",
        "command-substitution",
        "arithmetic-subscript",
        "parameter-expansion",
        "unicode-control",
        "parser-limits",
        "shell-dialect",
        "redirection",
        "background",
        "chain-unlisted-segment",
    ];
    let mut wrong = Vec::new();
    for row in rows(ATTACKS) {
        let class = row["class"].as_str().unwrap();
        let (true, Some(text)) = (CLASSES.contains(&class), command(&row)) else { continue };
        let shell = row["shell"].as_str().unwrap_or("bash");
        let Some(dialect) = dialect(shell) else { continue };
        let parsed = parse(&text, dialect);
        let asked = parsed.noted.iter().any(|n| n.construct.strict() == Treatment::Ask);
        let named = parsed.script.simples().iter().any(|s| {
            let first = s.words.first().map(|w| w.to_arg(&text));
            match first {
                Some(Arg::Literal(name)) => {
                    !matches!(name.as_slice(), b"echo" | b"git" | b"cat" | b":" | b"true" | b"grep" | b"ls")
                }
                Some(Arg::Dynamic { .. }) => true,
                None => false,
            }
        });
        if !(asked || named) {
            wrong.push(format!("{} {:?} {:?}", row["id"], row["command"], parsed.script.simples()));
        }
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

/// True if the shell's own parser accepts the text.
fn shell_accepts(dialect: Dialect, text: &[u8]) -> Option<bool> {
    let (program, args): (&str, &[&str]) = match dialect {
        Dialect::Bash => ("bash", &["--norc", "--noprofile", "-n"]),
        Dialect::Dash => ("dash", &["-n"]),
        Dialect::Zsh => ("zsh", &["-f", "-n"]),
    };
    let mut child = Command::new(program)
        .args(args)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(text).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    // Not by the exit status: with -n, zsh fails for `! true`.
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    Some(!["error", "unexpected", "unterminated", "unmatched"].iter().any(|word| said.contains(word)))
}

#[test]
fn what_is_parsed_is_accepted_by_the_shell() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for row in rows(ATTACKS).chain(rows(BENIGN)) {
        let Some(text) = command(&row) else { continue };
        if text.contains(&0) {
            continue;
        }
        for dialect in [Dialect::Bash, Dialect::Dash, Dialect::Zsh] {
            let parsed = parse(&text, dialect);
            if refused(&parsed) {
                continue;
            }
            let Some(accepted) = shell_accepts(dialect, &text) else { continue };
            compared += 1;
            if !accepted {
                wrong.push(format!("{} {} {:?}", row["id"], dialect.word(), row["command"]));
            }
        }
    }
    assert!(compared > 500, "only {compared} compared");
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn renderings_read_the_same() {
    let mut wrong = Vec::new();
    let mut rendered = 0;
    for row in rows(ATTACKS).chain(rows(BENIGN)) {
        let Some(text) = command(&row) else { continue };
        for dialect in [Dialect::Bash, Dialect::Dash, Dialect::Zsh] {
            let parsed = parse(&text, dialect);
            let result = render(&parsed.script, &text, dialect, &|_| None);
            if refused(&parsed) {
                continue;
            }
            let out = match result {
                Ok(out) => out,
                // A here-document in a substitution that holds more than it: refused rather than read anew.
                Err(Construct::HereDocLiteral) => continue,
                Err(construct) => {
                    wrong.push(format!(
                        "{} {} {:?}: {construct:?}",
                        row["id"],
                        dialect.word(),
                        row["command"]
                    ));
                    continue;
                }
            };
            rendered += 1;
            let again = parse(&out, dialect);
            let new: Vec<_> = again
                .noted
                .iter()
                .map(|n| n.construct)
                .filter(|c| {
                    let swapped = *c == Construct::CommandSubstitution && has(&parsed, Construct::Backticks);
                    !(has(&parsed, *c) || swapped)
                })
                .collect();
            if !same(&parsed.script, &again.script) || !new.is_empty() {
                wrong.push(format!(
                    "{} {} {:?}\n  {}\n  {}\n  {}\n  {new:?}",
                    row["id"],
                    dialect.word(),
                    row["command"],
                    String::from_utf8_lossy(&out),
                    normal(&parsed.script),
                    normal(&again.script)
                ));
            }
        }
    }
    assert!(rendered > 500, "only {rendered} rendered");
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}
