//! Commands of every day, each with its verdict: that ordinary use never asks, and what must ask does.
//!
//! `everyday.txt` says how it is written. Every program that its lists name is at `/usr/bin`, as are a few that no
//! list names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
mod judged;

use std::collections::HashSet;

use policy::document::Accept;
use policy::{Arg, Decision, Evaluation, FakeWorld, Form};

/// Programs that are there and that no list names.
const OTHERS: &[&str] = &[
    "perl",
    "sudo",
    "apt-get",
    "ssh-agent",
    "vim",
    "bash",
    "ssh",
    "uniq",
    "grep",
    "sort",
    "head",
    "tail",
    "cut",
    "tr",
    "wc",
    "jq",
    "echo",
    "printf",
    "test",
    "[",
    "true",
    "false",
    "kill",
    "pwd",
];

struct Row {
    line: usize,
    allow: Vec<String>,
    strict: Decision,
    checked: Decision,
    command: String,
    segments: Option<Vec<Vec<Option<String>>>>,
}

fn rows() -> Vec<Row> {
    let word = |c: u8| match c {
        b'a' => Decision::Allow,
        b'q' => Decision::Ask,
        other => panic!("{} is no verdict", char::from(other)),
    };
    let mut out: Vec<Row> = Vec::new();
    let mut allow = Vec::new();
    for (i, line) in include_str!("everyday.txt").lines().enumerate() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        match mark {
            "#" | "" => {}
            "@" => allow = rest.split(' ').map(|n| format!("/usr/bin/{n}")).collect(),
            "|" => {
                let row = out.last_mut().expect("a command above");
                row.command.push('\n');
                row.command.push_str(rest);
            }
            "=" => {
                out.last_mut().expect("a command above").segments =
                    Some(serde_json::from_str(rest).expect(rest))
            }
            _ => out.push(Row {
                line: i + 1,
                allow: allow.clone(),
                strict: word(mark.as_bytes()[0]),
                checked: word(mark.as_bytes()[1]),
                command: rest.to_owned(),
                segments: None,
            }),
        }
    }
    out
}

fn world(allow: &[String]) -> FakeWorld {
    let mut w = FakeWorld::new();
    for p in allow.iter().cloned().chain(OTHERS.iter().map(|n| format!("/usr/bin/{n}"))) {
        match p.as_str() {
            "/usr/bin/python3" => w = w.link(&p, "/usr/bin/python3.11"),
            "/usr/bin/awk" => w = w.link(&p, "/usr/bin/mawk"),
            _ => w = w.program(&p),
        }
    }
    w.program("/usr/bin/python3.11")
        .program("/usr/bin/mawk")
        .script("/usr/bin/egrep", b"#!/bin/sh\nexec grep -E \"$@\"\n")
        .link("/usr/bin/fgrep", "/usr/bin/grep")
        .program("/usr/bin/dash")
        .link("/usr/bin/sh", "/usr/bin/dash")
        .link("/bin", "/usr/bin")
        .program("/scratch/run.sh")
        .program("/scratch/ok.sh")
        .file("/scratch/app/x", b"")
        .file("/scratch/home/x", b"")
}

fn judge(row: &Row, accept: Accept) -> Evaluation {
    let form = Form::Text {
        text: row.command.as_bytes().to_vec(),
        shell: Some(b"/usr/bin/bash".to_vec()),
        args: vec![],
    };
    judged::judge(form, judged::environment(), &row.allow, accept, &world(&row.allow))
}

#[test]
fn everyday_commands() {
    let mut wrong = Vec::new();
    let mut seen = HashSet::new();
    let rows = rows();
    for row in &rows {
        assert!(seen.insert(&row.command), "line {}: twice: {}", row.line, row.command);
        for (accept, expected) in [(Accept::Strict, row.strict), (Accept::Checked, row.checked)] {
            let e = judge(row, accept);
            if e.decision != expected {
                let why: Vec<_> = e.findings.iter().map(|f| &f.message).collect();
                wrong.push(format!(
                    "{} {accept:?} is {} not {}: {}   {why:?}",
                    row.line,
                    e.decision.word(),
                    expected.word(),
                    row.command
                ));
            }
            if let (Some(expected), Accept::Checked) = (&row.segments, accept) {
                let is: Vec<Vec<Option<String>>> = e
                    .segments
                    .iter()
                    .map(|s| {
                        let word = |a: &Arg| a.literal().map(|w| String::from_utf8_lossy(w).into_owned());
                        s.argv.iter().map(word).collect()
                    })
                    .collect();
                if is != *expected {
                    wrong.push(format!("{} segments of {} are {is:?}", row.line, row.command));
                }
            }
        }
    }
    assert!(rows.len() >= 600, "only {} commands", rows.len());
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
