//! A text twice as long may cost twice as much, never four times: whoever writes a command must not be able to hold
//! its judgement up.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
use std::time::{Duration, Instant};

use policy::document::{Accept, AllowList, Effective, Entry, Security, Sourced};
use policy::{Decision, Evaluation, FakeWorld, Form, Guard, Invocation, decide_as};

struct Case {
    policy: Effective,
    inv: Invocation,
    world: FakeWorld,
}

impl Case {
    fn new() -> Case {
        const PROGRAMS: &[&str] = &["git", "echo", "docker", "npm", "kubectl", "env", "bash", "dash"];
        let paths = || PROGRAMS.iter().map(|p| format!("/usr/bin/{p}"));
        let entry = |pattern| Entry { pattern, ..Entry::default() };
        let mut policy = Effective::built_in("main");
        policy.security = Sourced { value: Security::Allowlist, from: "test".to_owned() };
        policy.shell_program = "/usr/bin/bash".into();
        policy.shell_accept = Accept::Checked;
        policy.allow = vec![AllowList::new(paths().map(entry).collect())];
        let inv = Invocation {
            form: Form::Program { argv: Vec::new(), by_link: false },
            env: vec![b"PATH=/usr/bin:/bin".to_vec()],
            cwd: Some(b"/home/u/p".to_vec()),
            agents: vec!["main".into()],
            session: None,
            now_ms: 1_000,
            home: Some(b"/home/u".to_vec()),
            unattended: true,
            guard: Guard { own_paths: vec![b"/home/u/.exec-guard".to_vec()] },
        };
        let world = paths()
            .fold(FakeWorld::new(), |world, path| world.program(&path))
            .link("/bin", "/usr/bin")
            .link("/usr/bin/sh", "/usr/bin/dash")
            .program("/usr/bin/rm");
        Case { policy, inv, world }
    }

    fn text(&mut self, text: &str) -> Evaluation {
        self.inv.form = Form::Text { text: text.as_bytes().to_vec(), shell: None, args: Vec::new() };
        decide_as(self.policy.clone(), &self.inv, &self.world)
    }
}

/// The cost of the best of some runs: other work on the machine only adds.
fn cost(runs: usize, mut run: impl FnMut()) -> Duration {
    let one = |run: &mut dyn FnMut()| {
        let began = Instant::now();
        run();
        began.elapsed()
    };
    (0..runs).map(|_| one(&mut run)).min().unwrap_or_default()
}

/// Eight times the size costs about eight times as much, and some more for memory; a square would be 64.
fn linear(what: &str, run: impl FnMut(usize)) {
    linear_from(1500, what, run);
}

/// The same for sizes of which eight times `units` must stay below some limit.
fn linear_from(units: usize, what: &str, mut run: impl FnMut(usize)) {
    let mut seen = Vec::new();
    // On a loaded machine hardly a long run is left alone: the more of them, the rather one is.
    for runs in [2, 2, 2, 4, 8, 16, 32] {
        let small = cost(2, || run(units)).max(Duration::from_millis(1));
        let large = cost(runs, || run(units * 8));
        if large < small * 40 {
            return;
        }
        seen.push((small, large));
    }
    panic!("{what} grows faster than its length: {seen:?}");
}

#[test]
fn long_words_and_command_lines() {
    let mut c = Case::new();
    for (head, unit) in [
        ("echo ", "{a,b}"),
        ("echo ", "{1..9}"),
        ("echo ", "{a,"),
        ("echo ", "a=b,c:d@"),
        ("echo .exec-guard", "/../a,"),
        ("docker ", "--a=b "),
        ("npm ", "--a=b "),
        ("kubectl ", "--a=b "),
        ("docker ", "-H a "),
        ("git ", "-c a=b "),
        ("env ", "A=b "),
        ("", "true;"),
        ("", "cd a&&"),
        ("", ">a "),
        ("echo ", "$a"),
        ("echo ", "'a'\"b\""),
    ] {
        linear(&format!("{head}{unit}…"), |n| {
            let text = [head, &unit.repeat(n)].concat();
            let _ = c.text(&text);
        });
    }
    for (open, middle, close) in [("{", "a,b", "}"), ("{a,", "b", "}"), ("(", ":", ")"), ("$(", ":", ")")] {
        linear(&format!("{open}…{close}"), |n| {
            let text = ["echo ", &open.repeat(n), middle, &close.repeat(n)].concat();
            let _ = c.text(&text);
        });
    }
}

/// Variables of which each may be many others: all ways through them are too many.
#[test]
fn a_chain_of_variables() {
    let mut c = Case::new();
    let chain = |n: usize| {
        let mut text = String::new();
        for i in 1..8 {
            for k in 0..n {
                let value = if i < 7 { format!("$v{}", i + 1) } else { format!("x{k}") };
                text += &format!("v{i}={value}; ");
            }
        }
        text + "git grep $v1"
    };
    let began = Instant::now();
    let _ = c.text(&chain(14));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

/// Scripts up to the limit on commands: what one of them writes, sets or defines is looked at by all others.
#[test]
fn long_scripts() {
    let mut c = Case::new();
    for (units, unit) in [
        (240, "cp a@ b@; git log @\n"),
        (500, "git log -n 5 'a b' \"$x\"\n"),
        (160, "x@=$(git log); echo \"$x@\" | npm run a@\n"),
        (240, "if git a@; then npm b; fi\n"),
        (160, "for i in a b; do git \"$i\" && npm c; done >/dev/null\n"),
        (160, "export CI=@; env PORT=@ git a; cd a@ && git b\n"),
        (240, "echo \"$(cat <<'E'\na\nE\n)\"\n"),
        (240, "f@() { git a; }; f@\n"),
        (240, "n@=1; echo $((n@ + 1))\n"),
        (500, "bash -c 'git a@'\n"),
    ] {
        linear_from(units, unit, |n| {
            let text: String = (0..n).map(|i| unit.replace('@', &i.to_string())).collect();
            let _ = c.text(&text);
        });
    }
}

#[test]
fn a_long_environment() {
    let mut c = Case::new();
    linear("LD_*", |n| {
        c.inv.env = (0..n).map(|i| format!("LD_{i}=x").into_bytes()).collect();
        c.inv.env.push(b"PATH=/usr/bin:/bin".to_vec());
        let permit = c.text("git log").permit().expect("allowed");
        assert_eq!(permit.env().len(), 2, "nothing of that is inherited");
    });
}

/// What an option carries stays carried when an unknown one follows.
#[test]
fn an_unknown_option_hides_nothing() {
    let mut c = Case::new();
    for text in ["npm -c 'rm x' exec", "npm -c 'rm x' --a=b exec", "npm --a=b -c 'rm x' --e=d exec"] {
        let e = c.text(text);
        assert_eq!(e.decision, Decision::Ask, "{text}: {:?}", e.findings);
        assert!(e.findings.iter().any(|f| f.message.contains("rm")), "{text}: {:?}", e.findings);
    }
}
