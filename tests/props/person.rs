//! Speaks to an approver: answers questions, sends an operator's commands, or asks a crowd of questions.
//!
//! ```text
//! person SOCKET TOKEN answer CHOICE         answers every question with that, for ever; a line an answer
//! person SOCKET TOKEN do COMMAND…           sends commands (JSON), one after the other; a line an answer
//! person SOCKET TOKEN crowd N               asks N questions; says `waiting`, and waits until it is killed
//! person SOCKET TOKEN silent N              connects N times and says nothing; says `waiting`, and comes again for ever
//! person SOCKET TOKEN pace N                asks N questions one after the other; a line each: microseconds
//! person SOCKET TOKEN leave N               asks question N and leaves it behind; says `noted`
//! person SOCKET TOKEN once N MILLISECONDS   asks question N and waits so long at most; says what came of it
//! person SOCKET TOKEN raw TEXT              sends a text as it is and says what comes back
//! ```
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use protocol::Token;
use protocol::ask::{WireFinding, WireQuestion, WireSegment};
use protocol::mac::Kind;
use protocol::message::{Challenge, Choice, FromApprover as ToGuard, FromGuard, Signed};
use protocol::operator::{Answer, Command, Envelope, FromApprover};
use serde_json::Value;

/// No wait is longer.
const LONG: Duration = Duration::from_secs(120);

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    let [socket, token, verb, rest @ ..] = words.as_slice() else { panic!("person SOCKET TOKEN VERB …") };
    let token = Token::new(token).expect("a token");
    match (verb.as_str(), rest) {
        ("answer", [choice]) => answer(socket, &token, choice),
        ("do", commands) => commands_of(socket, &token, commands),
        ("crowd", [n]) => crowd(socket, &token, n.parse().expect("a number")),
        ("silent", [n]) => silent(socket, n.parse().expect("a number")),
        ("pace", [n]) => pace(socket, &token, n.parse().expect("a number")),
        ("leave", [n]) => leave(socket, &token, n.parse().expect("a number")),
        ("once", [n, ms]) => {
            let (n, ms) = (n.parse().expect("a number"), ms.parse().expect("a number"));
            once(socket, &token, n, ms)
        }
        ("raw", [text]) => raw(socket, text),
        _ => panic!("what? {words:?}"),
    }
}

fn connect(socket: &str) -> io::Result<BufReader<UnixStream>> {
    let stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(LONG))?;
    stream.set_write_timeout(Some(LONG))?;
    Ok(BufReader::new(stream))
}

fn line(from: &mut BufReader<UnixStream>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    if from.read_until(b'\n', &mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    line.pop();
    Ok(line)
}

fn send(to: &BufReader<UnixStream>, message: &Value) -> io::Result<()> {
    to.get_ref().write_all(&protocol::frame::encode(message).expect("a line"))
}

/// An operator's connection.
struct Operator {
    line: BufReader<UnixStream>,
    token: Token,
    to: Challenge,
    n: u64,
}

impl Operator {
    fn begin(socket: &str, token: &Token) -> io::Result<Result<Operator, Value>> {
        let mut connection = connect(socket)?;
        let first = line(&mut connection)?;
        match FromApprover::parse(&first) {
            Ok(FromApprover::Challenge(to)) => {
                Ok(Ok(Operator { line: connection, token: token.clone(), to, n: 0 }))
            }
            _ => Ok(Err(serde_json::from_slice(&first)?)),
        }
    }

    fn send(&mut self, command: &Command) -> io::Result<()> {
        self.n += 1;
        send(&self.line, &Envelope::new(&self.token, &self.to, self.n, command).to_json())
    }

    fn hear(&mut self) -> io::Result<FromApprover> {
        Ok(FromApprover::parse(&line(&mut self.line)?).expect("a message"))
    }
}

fn answer(socket: &str, token: &Token, choice: &str) -> io::Result<()> {
    let choice = match choice {
        "allow-once" => Choice::AllowOnce,
        "allow-always" => Choice::AllowAlways(policy::Scope::Program),
        _ => Choice::Deny,
    };
    let mut person = Operator::begin(socket, token)?.unwrap_or_else(|no| panic!("{no}"));
    person.line.get_ref().set_read_timeout(None)?;
    person.send(&Command::Watch)?;
    person.send(&Command::List { all: false, after: None })?;
    let resolve = |id: String| Command::Resolve { id, choice, reason: Some("as told".into()) };
    while let Ok(heard) = person.hear() {
        match heard {
            FromApprover::Event(e) if e.kind == protocol::operator::EventKind::Requested => {
                if let Some(id) = e.id {
                    person.send(&resolve(id))?;
                }
            }
            FromApprover::Answer { answer: Answer::Questions { rows, .. }, .. } => {
                for row in rows {
                    person.send(&resolve(row.id))?;
                }
                say("ready");
            }
            FromApprover::Answer { n, answer } if n > 1 => {
                say(&FromApprover::Answer { n, answer }.to_json().to_string());
            }
            _ => {}
        }
    }
    Ok(())
}

/// So many connections, each as new as it can be.
fn silent(socket: &str, n: usize) -> io::Result<()> {
    let mut held = std::collections::VecDeque::new();
    loop {
        held.push_back(UnixStream::connect(socket)?);
        if held.len() == n {
            say("waiting");
        }
        if held.len() > n {
            held.pop_front();
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn say(what: &str) {
    let mut out = io::stdout();
    let _ = writeln!(out, "{what}").and_then(|()| out.flush());
}

fn commands_of(socket: &str, token: &Token, commands: &[String]) -> io::Result<()> {
    let mut person = match Operator::begin(socket, token)? {
        Ok(person) => person,
        Err(no) => {
            say(&no.to_string());
            return Ok(());
        }
    };
    for text in commands {
        let begun = Instant::now();
        person.n += 1;
        let n = person.n;
        let hmac = protocol::mac::client(token, Kind::Command, &person.to, &n.to_string(), text);
        send(&person.line, &Envelope { n, command: text.clone(), hmac }.to_json())?;
        let mut heard: Value = serde_json::from_slice(&line(&mut person.line)?)?;
        heard["micros"] = (begun.elapsed().as_micros() as u64).into();
        say(&heard.to_string());
    }
    Ok(())
}

/// A question about one program.
fn question(n: usize, timeout_ms: u64) -> WireQuestion {
    let argv = vec![b"tool".to_vec(), n.to_string().into_bytes()];
    let path = b"/usr/bin/tool".to_vec();
    WireQuestion {
        // Many agents, since each may ask so often only.
        agent: format!("agent{}", n % 100),
        agents: vec![format!("agent{}", n % 100)],
        session: None,
        host: "stage".into(),
        uid: nix::unistd::geteuid().as_raw(),
        user: None,
        cwd: Some(b"/work".to_vec()),
        is_text: false,
        segments: vec![WireSegment {
            text: format!("tool {n}").into_bytes(),
            argv: argv.clone(),
            dynamic: vec![false; argv.len()],
            found: Some(path.clone()),
            real: Some(path.clone()),
            kind: "program".into(),
            within: None,
            satisfied_by: None,
        }],
        argv,
        found: path.clone(),
        real: path,
        text: None,
        said: None,
        shell: None,
        security: "allowlist".into(),
        security_from: "/home/user/.exec-guard/exec-approvals.json:/agents/main/security".into(),
        ask: "on-miss".into(),
        ask_from: "/home/user/.exec-guard/exec-approvals.json:/agents/main/ask".into(),
        ground: WireFinding {
            code: "allowlist-miss".into(),
            message: "tool: no entry covers it (/usr/bin/tool)".into(),
            advice: Some("exec-guardctl approvals allowlist add /usr/bin/tool".into()),
            segment: Some(0),
        },
        findings: Vec::new(),
        asked_at_ms: 1,
        timeout_ms,
        digest: "0".repeat(64),
        always: Err("there is none on the stage".into()),
        detached: false,
    }
}

/// How long a question of a crowd waits, milliseconds.
const PATIENT: u64 = 600_000;

/// A question's id: another one for each process that asks.
fn id(n: usize) -> String {
    format!("{n:08x}-0000-4000-8000-{:012x}", std::process::id())
}

/// A question that was asked, and is taken.
fn asked(socket: &str, token: &Token, n: usize, timeout_ms: u64) -> io::Result<BufReader<UnixStream>> {
    let mut connection = connect(socket)?;
    let to = match ToGuard::parse(&line(&mut connection)?) {
        Ok(ToGuard::Challenge(to)) => to,
        other => panic!("{other:?}"),
    };
    let request = Signed::new(token, Kind::Request, &to, &id(n), question(n, timeout_ms).to_text());
    send(&connection, &FromGuard::Request(request).to_json())?;
    match ToGuard::parse(&line(&mut connection)?) {
        Ok(ToGuard::Accepted { .. }) => Ok(connection),
        other => panic!("question {n}: {other:?}"),
    }
}

fn crowd(socket: &str, token: &Token, n: usize) -> io::Result<()> {
    let all: Vec<_> = (0..n).map(|n| asked(socket, token, n, PATIENT)).collect::<io::Result<_>>()?;
    say("waiting");
    loop {
        std::thread::park();
        // They wait as long as this does.
        assert_eq!(all.len(), n);
    }
}

fn pace(socket: &str, token: &Token, n: usize) -> io::Result<()> {
    for n in 0..n {
        let begun = Instant::now();
        let mut connection = asked(socket, token, n, PATIENT)?;
        match ToGuard::parse(&line(&mut connection)?) {
            Ok(ToGuard::Decision(_)) => say(&begun.elapsed().as_micros().to_string()),
            other => panic!("question {n}: {other:?}"),
        }
    }
    Ok(())
}

fn leave(socket: &str, token: &Token, n: usize) -> io::Result<()> {
    let mut connection = asked(socket, token, n, PATIENT)?;
    send(&connection, &FromGuard::Detach { id: id(n) }.to_json())?;
    match ToGuard::parse(&line(&mut connection)?) {
        Ok(ToGuard::Noted { .. }) => say("noted"),
        other => panic!("question {n}: {other:?}"),
    }
    Ok(())
}

fn once(socket: &str, token: &Token, n: usize, timeout_ms: u64) -> io::Result<()> {
    let mut connection = asked(socket, token, n, timeout_ms)?;
    match ToGuard::parse(&line(&mut connection)?) {
        Ok(ToGuard::Decision(d)) => {
            say(&format!("{} {}", protocol::message::choice_word(d.choice), d.by.unwrap_or_default()));
        }
        Ok(ToGuard::Error { code, .. }) => say(code.word()),
        other => panic!("question {n}: {other:?}"),
    }
    Ok(())
}

fn raw(socket: &str, text: &str) -> io::Result<()> {
    let mut connection = connect(socket)?;
    // Refused before a byte is read, it may be closed before a byte is sent.
    let _ = connection.get_ref().write_all(text.as_bytes());
    let mut heard = Vec::new();
    let _ = connection.read_to_end(&mut heard);
    io::stdout().write_all(&heard)
}
