//! Nanoseconds per verdict: a literal hit, a glob hit, a miss, a long script. `cargo bench -p exec-guard-policy`.
//!
//! No clock is in the library, so none is mocked: this measures the pure part of the path of a command.
use std::hint::black_box;
use std::time::{Duration, Instant};

use policy::document::{Accept, Effective, Entry, Security};
use policy::{Decision, FakeWorld, Form, Guard, Invocation, decide_as};

fn main() {
    let world = ["git", "dash", "jq", "ls", "head", "make"]
        .iter()
        .fold(FakeWorld::new(), |w, n| w.program(&format!("/usr/bin/{n}")));
    let program = |words: &[&str]| Form::Program {
        argv: words.iter().map(|w| w.as_bytes().to_vec()).collect(),
        by_link: false,
    };
    let text = |t: &str| Form::Text {
        text: t.as_bytes().to_vec(),
        shell: Some(b"/usr/bin/dash".to_vec()),
        args: vec![],
    };
    let long = "git status && ls -l | head -n 5; ".repeat(100);
    let list = |n: usize, last: &str| {
        let mut list: Vec<Entry> = (0..n)
            .map(|i| Entry {
                pattern: if i % 2 == 0 {
                    format!("/opt/t{i}/bin/p{i}")
                } else {
                    format!("/opt/t{i}/**/p{i}*")
                },
                ..Entry::default()
            })
            .collect();
        list.push(Entry { pattern: last.into(), ..Entry::default() });
        list
    };
    let cases = [
        ("literal hit among 100", program(&["git", "status"]), list(100, "/usr/bin/git"), Decision::Allow),
        ("glob hit among 100", program(&["git", "status"]), list(100, "/usr/*/g?t"), Decision::Allow),
        ("miss among 100", program(&["make"]), list(100, "/usr/bin/git"), Decision::Ask),
        (
            "literal hit among 10,000",
            program(&["git", "status"]),
            list(10_000, "/usr/bin/git"),
            Decision::Allow,
        ),
        ("safe bin", program(&["jq", ".a"]), Vec::new(), Decision::Allow),
        ("text of one command", text("git status"), list(100, "/usr/bin/git"), Decision::Allow),
        ("text of 300 commands", text(&long), list(100, "/usr/bin/*"), Decision::Allow),
    ];
    for (name, form, entries, expected) in cases {
        let mut effective = Effective::built_in("main");
        effective.security.value = Security::Allowlist;
        effective.shell_accept = Accept::Strict;
        effective.add_user_entries(&entries);
        let invocation = Invocation {
            form,
            env: vec![b"PATH=/usr/bin:/bin".to_vec()],
            cwd: Some(b"/home/u".to_vec()),
            agents: vec!["main".into()],
            session: None,
            now_ms: 0,
            home: Some(b"/home/u".to_vec()),
            unattended: true,
            guard: Guard::default(),
        };
        let mut times = Vec::new();
        let began = Instant::now();
        while began.elapsed() < Duration::from_millis(400) || times.len() < 5 {
            // The copy of the lists is not part of the verdict.
            let effective = effective.clone();
            let at = Instant::now();
            let made = decide_as(effective, black_box(&invocation), &world);
            times.push(at.elapsed());
            assert_eq!(made.decision, expected, "{name}: {:?}", made.findings);
        }
        times.sort();
        println!(
            "{name:26} {:9.1} µs",
            times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e6
        );
    }
}
