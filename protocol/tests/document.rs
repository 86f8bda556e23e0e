//! Every example of docs/protocol.md is what the code reads and writes, byte for byte, with the right MAC.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
use std::collections::BTreeMap;

use protocol::ask::WireQuestion;
use protocol::mac::{self, Kind};
use protocol::message::{Challenge, FromApprover, FromGuard, Grant, Report};
use protocol::operator::{self, Command, Envelope};
use protocol::{Code, Token, openclaw};

const PAGE: &str = include_str!("../../docs/protocol.md");

/// The examples, by name: blocks of code whose language is `json NAME`.
fn examples() -> Vec<(&'static str, &'static str)> {
    let block = |rest: &'static str| {
        let (name, rest) = rest.split_once('\n')?;
        Some((name, rest.split_once("\n```")?.0))
    };
    PAGE.split("```json ").skip(1).map(|rest| block(rest).unwrap()).collect()
}

fn token() -> Token {
    Token::new("exec-guard test token").unwrap()
}

fn challenge() -> Challenge {
    let (_, line) = examples().into_iter().find(|(name, _)| *name == "challenge").unwrap();
    let Ok(FromApprover::Challenge(to)) = FromApprover::parse(line.as_bytes()) else { panic!("{line}") };
    to
}

/// What the code makes of an example, written again.
fn written(name: &str, line: &str) -> String {
    let (token, to) = (token(), challenge());
    match name {
        "challenge" | "accepted" | "error" | "noted" => {
            FromApprover::parse(line.as_bytes()).unwrap().to_json().to_string()
        }
        "decision" => {
            let FromApprover::Decision(d) = FromApprover::parse(line.as_bytes()).unwrap() else {
                panic!("{line}")
            };
            assert!(mac::is_decision(&token, &to.nonce, &d), "{line}");
            let question = examples().into_iter().find(|(name, _)| *name == "question").unwrap().1;
            assert_eq!(d.request_sha256, mac::sha256(question.as_bytes()));
            FromApprover::Decision(d).to_json().to_string()
        }
        "request" | "grant" | "report" | "detach" => {
            let message = FromGuard::parse(line.as_bytes()).unwrap();
            let text = match &message {
                FromGuard::Request(s) => {
                    assert!(s.is_true(&token, Kind::Request, &to), "{line}");
                    Some((&s.text, WireQuestion::parse(&s.text).unwrap().to_text()))
                }
                FromGuard::Grant(s) => {
                    assert!(s.is_true(&token, Kind::Grant, &to), "{line}");
                    Some((&s.text, Grant::parse(&s.text).unwrap().to_text()))
                }
                FromGuard::Report(s) => {
                    assert!(s.is_true(&token, Kind::Report, &to), "{line}");
                    Some((&s.text, Report::parse(&s.text).unwrap().to_text()))
                }
                FromGuard::Detach { .. } => None,
            };
            if let Some((text, again)) = text {
                assert_eq!(*text, again);
            }
            message.to_text()
        }
        "question" => WireQuestion::parse(line).unwrap().to_text(),
        "openclaw-request" => openclaw::Request::parse(line.as_bytes()).unwrap().to_text(),
        "openclaw-decision" => openclaw::Decision::parse(line.as_bytes()).unwrap().to_json().to_string(),
        "command" => {
            let e = Envelope::parse(line.as_bytes()).unwrap();
            assert!(e.is_true(&token, &to), "{line}");
            assert_eq!(Command::parse(&e.command).unwrap().to_json().to_string(), e.command);
            e.to_json().to_string()
        }
        "answer" | "event" => operator::FromApprover::parse(line.as_bytes()).unwrap().to_json().to_string(),
        other => panic!("no such example: {other}"),
    }
}

#[test]
fn examples_are_read_and_written() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, line) in examples() {
        assert_eq!(written(name, line), line, "{name}");
        *seen.entry(name).or_default() += 1;
    }
    assert_eq!(seen.len(), 15, "{seen:?}");
    assert_eq!(PAGE.matches("```json").count(), seen.values().sum::<usize>());
}

#[test]
fn every_code_is_in_the_table() {
    let rows: Vec<String> =
        Code::ALL.iter().map(|c| format!("| `{}` | {} |", c.word(), c.meaning())).collect();
    let (_, table) = PAGE.split_once("| code | means |\n|---|---|\n").unwrap();
    assert_eq!(table.trim_end().lines().collect::<Vec<_>>(), rows);
}

/// The numbers of the page are those of the code.
#[test]
fn bounds_are_those_of_the_code() {
    let grouped = |n: usize| format!("{},{:03},{:03}", n / 1_000_000, n / 1000 % 1000, n % 1000);
    assert!(PAGE.contains(&grouped(protocol::frame::MAX_LINE)));
    assert_eq!(protocol::frame::MAX_REQUEST, 983_040);
    assert_eq!(openclaw::MAX_LINE, 256_000);
    assert_eq!((protocol::message::FRESH_MS, protocol::message::GRANT_MS), (30_000, 60_000));
    assert_eq!((protocol::message::MAX_REASON, protocol::message::MAX_BY), (2000, 200));
    assert_eq!((operator::MAX_ROWS, operator::MAX_LOG, operator::MAX_SUMMARY), (100, 65_536, 400));
}
