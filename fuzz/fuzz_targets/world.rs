//! A file system and a policy for targets that judge.
use policy::document::{Accept, Effective, Entry, Redirections, Security};
use policy::{FakeWorld, Form, Guard, Invocation};

/// Programs that exist.
pub const PROGRAMS: &[&str] = &[
    "awk", "bash", "cat", "chmod", "command", "cp", "curl", "cut", "dash", "docker", "echo", "env", "find", "flock",
    "git", "grep", "head", "jq", "ls", "make", "nice", "nohup", "npm", "npx", "parallel", "perl", "printf", "python3",
    "rm", "rsync", "script", "sed", "setsid", "sh", "sort", "ssh", "stdbuf", "strace", "sudo", "tail", "tar", "tee",
    "test", "time", "timeout", "touch", "tr", "uniq", "uv", "watch", "wc", "xargs", "zsh",
];

/// Programs that are listed.
pub const LISTED: &[&str] = &["cat", "env", "find", "git", "ls", "npm", "tar", "xargs"];

/// The file system.
pub fn world() -> &'static FakeWorld {
    static ONCE: std::sync::LazyLock<FakeWorld> = std::sync::LazyLock::new(made);
    &ONCE
}

fn made() -> FakeWorld {
    PROGRAMS.iter().fold(FakeWorld::new(), |w, p| w.program(&format!("/usr/bin/{p}")))
}

/// The policy: an allowlist, strict or with everything that can be proved.
pub fn effective(checked: bool) -> Effective {
    let mut e = Effective::built_in("main");
    e.security.value = Security::Allowlist;
    if checked {
        e.shell_accept = Accept::Checked;
        e.redirections = Redirections::Harmless;
    }
    let entry = |p: &&str| Entry { pattern: format!("/usr/bin/{p}"), ..Entry::default() };
    e.add_user_entries(&LISTED.iter().map(entry).collect::<Vec<_>>());
    e
}

/// An invocation of that form.
pub fn invocation(form: Form) -> Invocation {
    Invocation {
        form,
        env: vec![b"PATH=/usr/bin".to_vec(), b"HOME=/home/u".to_vec()],
        cwd: Some(b"/home/u/src".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 0,
        home: Some(b"/home/u".to_vec()),
        unattended: true,
        guard: Guard::default(),
    }
}

/// What must hold of every verdict.
pub fn check(e: &policy::Evaluation) {
    use policy::Decision;
    // A permit needs an allow, and an allow that can run gives one.
    assert_eq!(e.permit().is_some(), e.decision == Decision::Allow && e.executes().is_some());
    if e.decision != Decision::Allow {
        assert!(!e.findings.is_empty(), "a refusal has a ground");
    } else {
        assert!(e.findings.iter().all(|f| f.decision == Decision::Allow), "an allow has none against it");
        assert!(e.segments.iter().all(|s| s.satisfied_by.is_some()), "every segment of an allow is satisfied");
    }
}
