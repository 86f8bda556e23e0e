//! An approver that does what a test tells it, line by line, over a real socket.
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use protocol::ask::WireQuestion;
use protocol::frame::Lines;
use protocol::mac::{self, Kind};
use protocol::message::{Challenge, Choice, Decision, FromApprover, FromGuard, Signed};
use protocol::{Token, encode};
use serde_json::{Value, json};

use super::{Cast, Run, Stage, own};

/// The secret of the stage's documents.
pub const TOKEN: &str = "a token of the stage";

/// No wait of a test is longer.
const LONG: Duration = Duration::from_secs(60);

/// The clock, milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_millis() as u64
}

/// A world in which `listed` may run, everything else is asked about, and an approver can be reached.
pub fn stage() -> Stage {
    with_policy(&json!({}), &json!({}))
}

/// The same with other settings of the socket and of the agent.
pub fn with_policy(socket: &Value, agent: &Value) -> Stage {
    let stage = Stage::new().tool("tool").tool("listed");
    let list = json!([{"pattern": stage.text("bin/listed")}]);
    let mut doc = json!({"version": 1, "socket": {"token": TOKEN}, "agents": {"main":
        {"security": "allowlist", "ask": "on-miss", "askFallback": "deny", "allowlist": list}}});
    for (to, from) in [("/socket", socket), ("/agents/main", agent)] {
        for (k, v) in from.as_object().expect("an object") {
            doc.pointer_mut(to).expect("there")[k] = v.clone();
        }
    }
    stage.policy(&doc)
}

/// The approver's place, listening.
pub struct Place(UnixListener);

impl Place {
    /// At the default path of the stage's documents.
    pub fn new(stage: &Stage) -> Place {
        let path = stage.path("guard/exec-approvals.sock");
        let listener = UnixListener::bind(&path).expect("a socket");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("mode");
        own(&path);
        Place(listener)
    }

    /// Whoever connects next.
    #[track_caller]
    pub fn accept(&self) -> Peer {
        self.0.set_nonblocking(true).expect("non-blocking");
        let until = Instant::now() + LONG;
        loop {
            match self.0.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).expect("blocking");
                    stream.set_read_timeout(Some(LONG)).expect("a timeout");
                    stream.set_write_timeout(Some(LONG)).expect("a timeout");
                    return Peer { stream, lines: Lines::new(), token: token() };
                }
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(e) => panic!("nobody asked: {e}"),
            }
        }
    }
}

fn token() -> Token {
    Token::new(TOKEN).expect("a token")
}

/// A guard that asks.
pub struct Peer {
    /// The connection.
    pub stream: UnixStream,
    lines: Lines,
    token: Token,
}

/// A question that came.
pub struct Asked {
    /// The challenge it is bound to.
    pub to: Challenge,
    /// The message.
    pub request: Signed,
    /// The question in it.
    pub question: WireQuestion,
}

impl Peer {
    /// Sends bytes; whether they arrive is not this side's to know.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Sends a message.
    pub fn say(&mut self, message: &FromApprover) {
        self.send(&line(message));
    }

    /// The next line; `None` at the end.
    pub fn line(&mut self) -> Option<Vec<u8>> {
        let mut piece = [0; 65536];
        loop {
            if let Some(line) = self.lines.next_line().expect("a line that fits") {
                return Some(line.to_vec());
            }
            match self.stream.read(&mut piece) {
                Ok(0) => return None,
                Ok(n) => self.lines.push(&piece[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::ConnectionReset => return None,
                // A signal of another test: a read that is bounded in time is not taken up again by itself.
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => panic!("{e}"),
            }
        }
    }

    /// Challenges, and takes the question.
    #[track_caller]
    pub fn challenge(&mut self) -> Asked {
        let mut nonce = [0; 32];
        std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut nonce)).expect("random");
        let to = Challenge { nonce: encode::base64(&nonce), ts: now_ms() };
        self.say(&FromApprover::Challenge(to.clone()));
        let line = self.line().expect("a request");
        let FromGuard::Request(request) = FromGuard::parse(&line).expect("a message") else {
            panic!("no request")
        };
        assert!(request.is_true(&self.token, Kind::Request, &to), "the guard's MAC");
        let question = WireQuestion::parse(&request.text).expect("a question");
        Asked { to, request, question }
    }

    /// Challenges, takes the question, and says that it stands.
    #[track_caller]
    pub fn asked(&mut self) -> Asked {
        let asked = self.challenge();
        self.say(&FromApprover::Accepted { id: asked.request.id.clone(), expires_at_ms: now_ms() + 120_000 });
        asked
    }
}

/// A message as its line.
pub fn line(message: &FromApprover) -> Vec<u8> {
    protocol::frame::encode(&message.to_json()).expect("a line")
}

impl Asked {
    /// A right answer.
    pub fn decision(&self, choice: Choice) -> Decision {
        self.signed(Decision {
            id: self.request.id.clone(),
            choice,
            reason: None,
            request_sha256: mac::sha256(self.request.text.as_bytes()),
            expires_at_ms: now_ms() + 60_000,
            by: Some("the test".into()),
            hmac: String::new(),
        })
    }

    /// With the MAC that fits it.
    pub fn signed(&self, mut d: Decision) -> Decision {
        d.hmac = mac::decision(&token(), &self.to.nonce, &d);
        d
    }
}

/// Runs the guard, and answers the one question it asks by that script.
#[track_caller]
pub fn answering(stage: &Stage, cast: Cast<'_>, script: impl FnOnce(&mut Peer) + Send) -> Run {
    let place = Place::new(stage);
    cast.limit(LONG).talk(|| {
        let mut peer = place.accept();
        script(&mut peer);
    })
}
