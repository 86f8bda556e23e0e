//! Somebody between guards and the real approver, who passes on what a test tells it to.
use std::io::Write;
use std::process::ChildStdin;

use serde_json::{Value, json};

use super::service::{Person, Service, program};
use super::{Stage, Way, programs};

/// One end of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Whoever asks.
    Guard,
    /// Whoever answers.
    Approver,
}

impl End {
    fn word(self) -> &'static str {
        match self {
            End::Guard => "guard",
            End::Approver => "approver",
        }
    }
}

/// It listens where guards look for the approver. A program of its own, so that nobody on the stage stands below it.
pub struct Middle {
    program: Person,
    to: ChildStdin,
    /// What was said and not asked for yet.
    held: Vec<Value>,
    guards: u64,
}

impl Middle {
    /// At the place of the stage's documents.
    pub fn new(stage: &Stage) -> Middle {
        let at = stage.text("guard/exec-approvals.sock");
        let words = [programs().middle.to_str().expect("a path"), &at, &stage.text("guard/real.sock")];
        let mut program = Person::start(stage.cast(&words).way(Way::Path).stdin(b""));
        let to = program.stdin();
        assert!(program.line().is_some(), "it listens");
        Middle { program, to, held: Vec::new(), guards: 0 }
    }

    fn tell(&mut self, what: &Value) {
        writeln!(self.to, "{what}").expect("it listens");
    }

    #[track_caller]
    fn event(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.held.iter().position(&wanted) {
            return self.held.remove(at);
        }
        loop {
            let line = self.program.line().unwrap_or_else(|| panic!("nothing came; {:?}", self.held));
            let event: Value = serde_json::from_str(&line).expect("JSON");
            if wanted(&event) {
                return event;
            }
            self.held.push(event);
        }
    }

    /// Waits for the next guard; its number.
    #[track_caller]
    pub fn comes(&mut self) -> u64 {
        self.guards += 1;
        let n = self.guards;
        self.event(|e| e["n"] == n && e["comes"] == true);
        n
    }

    /// Connects to the approver for that guard; false if nobody listens.
    #[track_caller]
    pub fn connect(&mut self, n: u64) -> bool {
        self.tell(&json!({"n": n, "connect": true}));
        self.event(|e| e["n"] == n && e["connected"].is_boolean())["connected"] == true
    }

    /// The next line from there, with its end; `None` if nothing more comes.
    #[track_caller]
    pub fn line(&mut self, n: u64, from: End) -> Option<String> {
        let event = self.event(|e| e["n"] == n && e["from"] == from.word());
        event["text"].as_str().map(str::to_owned)
    }

    /// Says it there; a character is a byte.
    pub fn say(&mut self, n: u64, to: End, text: &str) {
        self.tell(&json!({"n": n, "to": to.word(), "text": text}));
    }

    /// Ends the connection there.
    pub fn close(&mut self, n: u64, end: End) {
        self.tell(&json!({"n": n, "close": end.word()}));
    }

    /// Passes one line on; what it was.
    #[track_caller]
    pub fn pass(&mut self, n: u64, from: End) -> String {
        let line = self.line(n, from).expect("a line");
        let to = if from == End::Guard { End::Approver } else { End::Guard };
        self.say(n, to, &line);
        line
    }
}

/// The approver, behind it.
pub fn behind(stage: &Stage) -> Service<'_> {
    Service::of(stage, &program(stage, &["--socket", &stage.text("guard/real.sock")]))
}
