//! Presets prove themselves by their own examples.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test says what went wrong by panicking"
)]
use policy::document::{Approvals, Config, Example, PRESETS, Policy};
use policy::{Decision, FakeWorld, Form, Guard, Invocation, decide};

/// Programs that examples name and no entry does.
const OTHERS: &[&str] = &["/usr/bin/rm", "/usr/bin/dash", "/usr/bin/head", "/usr/bin/terraform"];

fn invocation(example: &Example) -> Invocation {
    let form = match example {
        Example::Text(text) => Form::Text { text: text.as_bytes().to_vec(), shell: None, args: Vec::new() },
        Example::Words(words) => {
            Form::Program { argv: words.iter().map(|w| w.as_bytes().to_vec()).collect(), by_link: false }
        }
    };
    Invocation {
        form,
        env: vec![b"PATH=/usr/bin:/usr/local/bin".to_vec()],
        cwd: Some(b"/home/u/project".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 1_800_000_000_000,
        home: Some(b"/home/u".to_vec()),
        unattended: true,
        guard: Guard::default(),
    }
}

/// Not among the examples: the file has to be there.
#[test]
fn the_developer_preset_reads_files_by_redirection() {
    let preset = PRESETS.iter().find(|p| p.name == "developer").unwrap();
    let approvals = Approvals::parse(preset.approvals.as_bytes(), preset.name).unwrap();
    let config = Config::parse(preset.config.as_bytes(), preset.name).unwrap();
    let policy = Policy::of_user(Some(approvals), Some(config));
    let world = ["wc", "tr", "cat", "sh", "bash", "python3"]
        .iter()
        .fold(FakeWorld::new(), |w, p| w.program(&format!("/usr/bin/{p}")))
        .link("/bin", "/usr/bin")
        .file("/home/u/project/f", b"");
    for (text, wanted) in [
        ("n=$(wc -l < f); echo $n", Decision::Allow),
        ("while read -r line; do echo \"$line\"; done < f", Decision::Allow),
        ("tr -d x < f | cat", Decision::Allow),
        // Code, the network, and what is not known.
        ("bash < f", Decision::Ask),
        ("python3 - < f", Decision::Ask),
        ("cat < /dev/tcp/127.0.0.1/80", Decision::Ask),
        ("cat < $x", Decision::Ask),
        ("cat > f", Decision::Ask),
        ("cat <> f", Decision::Ask),
    ] {
        let mut inv = invocation(&Example::Text(text.to_owned()));
        if let Form::Text { shell, .. } = &mut inv.form {
            *shell = Some(b"/bin/bash".to_vec());
        }
        assert_eq!(decide(&policy, &inv, &world).decision, wanted, "{text}");
    }
}

#[test]
fn examples_hold() {
    let mut tried = 0;
    for preset in PRESETS {
        let approvals = Approvals::parse(preset.approvals.as_bytes(), preset.name).unwrap();
        let config = Config::parse(preset.config.as_bytes(), preset.name).unwrap();
        let entries = approvals.entries();
        let mut world = FakeWorld::new().link("/bin", "/usr/bin").link("/usr/bin/sh", "/usr/bin/dash");
        for path in OTHERS {
            world = world.program(path);
        }
        for (_, _, e) in &entries {
            if e.pattern.starts_with("/usr/") {
                world = world.program(&e.pattern);
            }
        }
        let policy = Policy::of_user(Some(approvals.clone()), Some(config));
        for (_, list, e) in &entries {
            for (wanted, examples) in [(true, &e.examples.allows), (false, &e.examples.refuses)] {
                for example in examples {
                    tried += 1;
                    let verdict = decide(&policy, &invocation(example), &world);
                    assert_eq!(
                        verdict.decision == Decision::Allow,
                        wanted,
                        "{}: {list} {}: {example:?}: {:?}",
                        preset.name,
                        e.pattern,
                        verdict.findings
                    );
                }
            }
        }
    }
    assert!(tried > 30, "{tried}");
}

/// What a preset's name promises for commands it does not list.
#[test]
fn presets_differ_where_they_say() {
    let verdict = |name: &str, text: &str| {
        let preset = PRESETS.iter().find(|p| p.name == name).unwrap();
        let approvals = Approvals::parse(preset.approvals.as_bytes(), name).unwrap();
        let config = Config::parse(preset.config.as_bytes(), name).unwrap();
        let mut world = FakeWorld::new().link("/bin", "/usr/bin").link("/usr/bin/sh", "/usr/bin/dash");
        for path in OTHERS.iter().chain(&["/usr/bin/git", "/usr/bin/ls", "/usr/bin/jq"]) {
            world = world.program(path);
        }
        let policy = Policy::of_user(Some(approvals), Some(config));
        decide(&policy, &invocation(&Example::Text(text.into())), &world).decision
    };
    use Decision::{Allow, Ask, Deny};
    for (text, want) in [
        ("terraform apply", [Deny, Ask, Ask, Allow]),
        ("git status", [Deny, Ask, Allow, Allow]),
        ("git status 2>&1 | head -n 3", [Deny, Ask, Allow, Allow]),
        ("jq .", [Deny, Allow, Allow, Allow]),
        ("echo done", [Deny, Allow, Allow, Allow]),
        ("git push", [Deny, Ask, Ask, Allow]),
    ] {
        let got = ["deny-all", "cautious", "developer", "yolo"].map(|p| verdict(p, text));
        assert_eq!(got, want, "{text}");
    }
}

/// What agents were seen to start for themselves does not ask where everyday commands run.
#[test]
fn what_agents_start_for_themselves_runs() {
    let preset = PRESETS.iter().find(|p| p.name == "developer").unwrap();
    let approvals = Approvals::parse(preset.approvals.as_bytes(), preset.name).unwrap();
    let config = Config::parse(preset.config.as_bytes(), preset.name).unwrap();
    let mut world = FakeWorld::new().program("/usr/bin/dash").program("/usr/bin/bash");
    world = world.link("/bin", "/usr/bin").link("/usr/bin/sh", "/usr/bin/dash");
    for (_, _, e) in approvals.entries().iter().filter(|(_, _, e)| e.pattern.starts_with("/usr/")) {
        world = world.program(&e.pattern);
    }
    let policy = Policy::of_user(Some(approvals), Some(config));
    for words in [
        &["git", "-c", "safe.bareRepository=explicit", "rev-parse", "--git-dir"][..],
        &["git", "-c", "safe.bareRepository=explicit", "status", "--porcelain"],
        &["git", "-c", "safe.bareRepository=explicit", "-c", "core.hooksPath=/dev/null", "diff", "HEAD"],
        &["ps", "-ax", "-o", "pid,ppid"],
        &["id", "-u"],
        &["env"],
        &["bash", "-c", "env"],
        &["sh", "-c", ":"],
    ] {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        let verdict = decide(&policy, &invocation(&Example::Words(words)), &world);
        assert_eq!(verdict.decision, Decision::Allow, "{:?}: {:?}", verdict.segments, verdict.findings);
    }
}
