//! Judging one command of `/scratch` under an allowlist: what the tests over lists of commands share.
use policy::document::{Accept, AllowList, Ask, Effective, Entry, Redirections, Security, Sourced};
use policy::{Evaluation, FakeWorld, Form, Guard, Invocation, decide_as};

/// The environment of a command, where it has none of its own.
pub fn environment() -> Vec<Vec<u8>> {
    vec![b"PATH=/usr/bin:/bin".to_vec(), b"HOME=/scratch/home".to_vec()]
}

/// The verdict on a command under a policy that lists these patterns and nothing else, at that level, with inline code
/// asked about; nobody is there to be asked.
pub fn judge(
    form: Form,
    env: Vec<Vec<u8>>,
    allow: &[String],
    accept: Accept,
    world: &FakeWorld,
) -> Evaluation {
    let invocation = Invocation {
        form,
        env,
        cwd: Some(b"/scratch".to_vec()),
        agents: vec!["main".into()],
        session: None,
        now_ms: 0,
        home: Some(b"/scratch/home".to_vec()),
        unattended: true,
        guard: Guard::default(),
    };
    decide_as(policy(allow, accept), &invocation, world)
}

fn policy(allow: &[String], accept: Accept) -> Effective {
    let from = || "test".to_owned();
    let mut p = Effective::built_in("main");
    p.security = Sourced { value: Security::Allowlist, from: from() };
    p.ask = Sourced { value: Ask::OnMiss, from: from() };
    p.strict_inline_eval = true;
    p.shell_accept = accept;
    if accept == Accept::Checked {
        p.redirections = Redirections::Harmless;
    }
    let entries = allow.iter().map(|a| Entry { pattern: a.clone(), ..Entry::default() });
    p.allow = vec![AllowList::new(entries.collect())];
    p.user_allow = Some(0);
    p
}
