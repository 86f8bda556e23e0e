//! The real approver, and people who speak to it.
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use super::approver::TOKEN;
use super::pty::Terminal;
use super::{Cast, Run, Stage, programs};

/// No wait of a test is longer.
pub const LONG: Duration = Duration::from_secs(60);

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("a path of the stage")
}

/// An approver that runs. It is killed when dropped.
pub struct Service<'a> {
    stage: &'a Stage,
    child: Option<Child>,
}

impl<'a> Service<'a> {
    /// Started, and ready for operators.
    pub fn start(stage: &'a Stage) -> Service<'a> {
        Service::of(stage, &program(stage, &[]))
    }

    /// The same with its page.
    pub fn with_panel(stage: &'a Stage) -> Service<'a> {
        Service::of(stage, &stage.cast(&[text(&programs().approver)]).way(super::Way::Path))
    }

    /// A link into its page, good once, as somebody at a terminal gets it: the tests start everybody else.
    pub fn link(&self) -> String {
        let terminal = Terminal::new();
        let run = operator(self.stage, &[json!({"do": "panel-link"})]).terminal(&terminal).run();
        let answer: Value = serde_json::from_str(run.stdout.trim()).expect("JSON");
        answer["value"].as_str().unwrap_or_else(|| panic!("no link: {run:?}")).to_owned()
    }

    /// The same, started so.
    pub fn of(stage: &'a Stage, program: &Cast<'_>) -> Service<'a> {
        let child = program.start();
        let mut service = Service { stage, child: Some(child) };
        let begun = Instant::now();
        loop {
            let run = service.say(&[json!({"do": "status"})]);
            if run.status.success() {
                return service;
            }
            if service.child.as_mut().is_some_and(|c| c.try_wait().expect("wait").is_some()) {
                panic!("the approver ended: {:?}", service.end(None));
            }
            assert!(begun.elapsed() < LONG, "the approver is not there: {run:?}");
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid().try_into().expect("a pid")), signal).expect("a signal");
    }

    /// Ends it with that signal and returns its exit code (or 128 + signal) and what it said.
    pub fn end(&mut self, signal: Option<Signal>) -> (i32, String) {
        if let Some(signal) = signal {
            self.signal(signal);
        }
        let mut child = self.child.take().expect("it runs");
        let status = super::run::wait(&mut child, Instant::now(), LONG);
        let mut said = String::new();
        let _ = child.stderr.take().expect("piped").read_to_string(&mut said);
        use std::os::unix::process::ExitStatusExt;
        (status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)), said)
    }

    /// An operator's commands, answered.
    #[track_caller]
    pub fn operator(&self, commands: &[Value]) -> Vec<Value> {
        let run = self.say(commands);
        assert!(run.status.success(), "{run:?}");
        run.stdout.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
    }

    fn say(&self, commands: &[Value]) -> Run {
        operator(self.stage, commands).run()
    }

    /// How many wait.
    pub fn waiting(&self) -> u64 {
        self.operator(&[json!({"do": "status"})])[0]["value"]["waiting"].as_u64().expect("a number")
    }

    /// Waits until so many wait.
    #[track_caller]
    pub fn until(&self, waiting: u64) {
        let begun = Instant::now();
        while self.waiting() != waiting {
            assert!(begun.elapsed() < LONG, "{} wait, not {waiting}", self.waiting());
        }
    }

    /// The questions that wait.
    pub fn rows(&self) -> Vec<Value> {
        let answer = self.operator(&[json!({"do": "list", "all": false})]);
        answer[0]["value"]["rows"].as_array().expect("rows").clone()
    }

    /// Somebody who answers everything with that.
    pub fn person(&self, choice: &str) -> Person {
        let socket = self.stage.text("guard/operator/operator.sock");
        let words = [text(&programs().person), &socket, TOKEN, "answer", choice];
        let mut person = Person::start(self.stage.cast(&words).way(super::Way::Path));
        assert_eq!(person.line().as_deref(), Some("ready"));
        person
    }
}

impl Drop for Service<'_> {
    fn drop(&mut self) {
        if self.child.is_some() {
            let _ = self.end(Some(Signal::SIGKILL));
        }
    }
}

/// The program with these words.
pub fn program<'a>(stage: &'a Stage, words: &[&str]) -> Cast<'a> {
    let mut all = vec![text(&programs().approver), "--no-panel"];
    all.extend(words);
    stage.cast(&all).way(super::Way::Path)
}

/// An operator with these commands.
pub fn operator<'a>(stage: &'a Stage, commands: &[Value]) -> Cast<'a> {
    let commands: Vec<String> = commands.iter().map(Value::to_string).collect();
    let mut words = vec!["do"];
    words.extend(commands.iter().map(String::as_str));
    person(stage, "guard/operator/operator.sock", &words)
}

/// So many at the operator's socket who say nothing.
pub fn silent_operators<'a>(stage: &'a Stage, n: &str) -> Cast<'a> {
    person(stage, "guard/operator/operator.sock", &["silent", n])
}

/// Somebody who asks.
pub fn asker<'a>(stage: &'a Stage, words: &[&str]) -> Cast<'a> {
    person(stage, "guard/exec-approvals.sock", words)
}

fn person<'a>(stage: &'a Stage, socket: &str, words: &[&str]) -> Cast<'a> {
    let socket = stage.text(socket);
    let mut all = vec![text(&programs().person), &socket, TOKEN];
    all.extend(words);
    stage.cast(&all).way(super::Way::Path).limit(2 * LONG)
}

/// A program that goes on, line by line. It is killed when dropped.
pub struct Person {
    child: Child,
    lines: Receiver<String>,
}

impl Person {
    /// Starts it.
    pub fn start(cast: Cast<'_>) -> Person {
        let mut child = cast.start();
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        // Read as it comes: one that is not listened to would stand still once the pipe is full.
        std::thread::spawn(move || out.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        Person { child, lines }
    }

    /// What it is told by; it has to be started with standard input.
    pub fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().expect("piped")
    }

    /// The next line it says; `None` at its end.
    pub fn line(&mut self) -> Option<String> {
        self.lines.recv_timeout(2 * LONG).ok()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        self.kill();
    }
}
