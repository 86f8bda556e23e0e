//! Whatever comes by a socket is a message or an error; what is read is written again as what was read; and no bytes
//! but an approver's own make an answer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::Token;
use protocol::ask::WireQuestion;
use protocol::frame::Lines;
use protocol::mac;
use protocol::message::{FromApprover, FromGuard, Grant, Report};
use protocol::openclaw;
use protocol::operator::{self, Command, Envelope};

fuzz_target!(|data: &[u8]| {
    // In pieces, whose length the first byte chooses: lines are the same however they come.
    let Some((size, bytes)) = data.split_first() else { return };
    let mut lines = Lines::new();
    let mut got: Vec<Vec<u8>> = Vec::new();
    for piece in bytes.chunks(usize::from(*size) + 1) {
        lines.push(piece);
        while let Ok(Some(line)) = lines.next_line() {
            got.push(line.to_vec());
        }
    }
    let mut whole: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
    let rest = whole.pop().unwrap_or_default();
    assert_eq!(got, whole);
    assert_eq!(lines.rest(), rest.len());
    for line in got.iter().map(Vec::as_slice).chain([rest]) {
        each(line);
    }
});

fn each(line: &[u8]) {
    if let Ok(m) = FromApprover::parse(line) {
        assert_eq!(FromApprover::parse(m.to_json().to_string().as_bytes()), Ok(m.clone()));
        if let FromApprover::Decision(d) = &m {
            // The token is nobody's here.
            let token = Token::new("b1c2b0a3-not-in-any-input").expect("a token");
            assert!(!mac::is_decision(&token, "nonce", d));
        }
    }
    if let Ok(m) = FromGuard::parse(line) {
        assert_eq!(FromGuard::parse(m.to_text().as_bytes()), Ok(m));
    }
    if let Ok(m) = operator::FromApprover::parse(line) {
        assert_eq!(operator::FromApprover::parse(m.to_json().to_string().as_bytes()), Ok(m));
    }
    if let Ok(m) = Envelope::parse(line) {
        assert_eq!(Envelope::parse(m.to_json().to_string().as_bytes()), Ok(m));
    }
    if let Ok(m) = openclaw::Request::parse(line) {
        assert_eq!(openclaw::Request::parse(m.to_text().as_bytes()), Ok(m));
    }
    if let Ok(m) = openclaw::Decision::parse(line) {
        assert_eq!(openclaw::Decision::parse(m.to_json().to_string().as_bytes()), Ok(m));
    }
    let Ok(text) = std::str::from_utf8(line) else { return };
    if let Ok(q) = WireQuestion::parse(text) {
        let again = WireQuestion::parse(&q.to_text());
        assert_eq!(again.as_ref(), Ok(&q));
        assert_eq!(again.map(|again| again.key()), Ok(q.key()));
        // What a person is shown moves nothing.
        assert!(!q.command().as_str().chars().any(char::is_control));
    }
    if let Ok(c) = Command::parse(text) {
        assert_eq!(Command::parse(&c.to_json().to_string()), Ok(c));
    }
    if let Ok(g) = Grant::parse(text) {
        assert_eq!(Grant::parse(&g.to_text()), Ok(g));
    }
    if let Ok(r) = Report::parse(text) {
        assert_eq!(Report::parse(&r.to_text()), Ok(r));
    }
}
