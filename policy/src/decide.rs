//! The only entry: an invocation under a policy, in a world → an evaluation.
//!
//! `check`, hooks, the approver's preview and the guard itself all come through here; there is no second
//! evaluator.
use crate::tables::words::{WordList, words};
use std::sync::Arc;

use crate::arg::Arg;
use crate::decision::{Decision, Finding};
use crate::document::{Ask, Effective, EnvMode, Policy, Security};
use crate::evaluation::{Evaluation, MAX_DEPTH, Plan, depth};
use crate::invocation::{Form, Invocation};
use crate::judge::{Judge, Meta, Outcome, Raw, Text, Weight, hardening, line, visible};
use crate::reason::Reason;
use crate::resolve::{Executable, Resolution, last_component, resolve};
use crate::rules::environ;
use crate::shell::Dialect;
use crate::world::World;
use crate::wrapper;

/// Judges an invocation: every segment through every rule, the strictest finding wins. Under two agents the
/// stricter evaluation is returned. Total: it never fails and never panics.
pub fn decide(policy: &Policy, invocation: &Invocation, world: &impl World) -> Evaluation {
    let mut worst: Option<Evaluation> = None;
    for agent in &invocation.agents {
        let evaluation = decide_as(policy.effective(agent), invocation, world);
        if worst.as_ref().is_none_or(|w| evaluation.decision > w.decision) {
            worst = Some(evaluation);
        }
    }
    worst.unwrap_or_else(|| decide_as(policy.effective("main"), invocation, world))
}

/// The plans of an invocation: what an unattended allow would execute, and what a person's yes would.
#[derive(Default)]
struct Plans {
    judged: Option<Plan>,
    original: Option<Plan>,
    dialect: Option<Dialect>,
}

/// Judges under what rules for one agent.
pub fn decide_as(policy: Effective, inv: &Invocation, world: &dyn World) -> Evaluation {
    let mut judge = Judge::new(inv, &policy, world);
    if depth(&inv.env) >= MAX_DEPTH {
        let why = format!("the guard has called itself {MAX_DEPTH} times");
        judge.found(Weight::Deny, Reason::Loop, None, why);
    }
    let plans = match &inv.form {
        Form::Program { argv, by_link } => program(&mut judge, argv, *by_link),
        Form::Text { text, shell, args } => text_form(&mut judge, text, shell.as_deref(), args),
    };
    let mut plans = plans;
    environment(&mut judge, &policy, inv, &mut plans);
    let Judge { segments, raw, said, .. } = judge;
    let mut evaluation = conclude(policy, inv, segments, raw, plans);
    evaluation.said = said;
    if let (Decision::Ask, Some(plan)) = (evaluation.decision, &evaluation.original) {
        let words = plan.argv.get(1..).unwrap_or_default();
        evaluation.named = crate::named::programs(words, inv.cwd.as_deref(), world);
    }
    evaluation
}

fn program(judge: &mut Judge<'_>, argv: &[Vec<u8>], by_link: bool) -> Plans {
    let Some(first) = argv.first() else {
        judge.found(Weight::Deny, Reason::NotFound, None, "no command".into());
        return Plans::default();
    };
    let mut ctx = judge.top();
    // A login shell's `-bash`: the dash is no part of the name.
    let typed = match first.strip_prefix(b"-") {
        Some(rest) if by_link => rest,
        _ => first.as_slice(),
    };
    let words: Arc<[Arg]> =
        std::iter::once(typed).chain(argv.iter().skip(1).map(Vec::as_slice)).map(Arg::lit).collect();
    let exe = match resolve(typed, judge.lookup(&ctx), judge.world) {
        // A shadowed name is a finding of the command's own.
        Resolution::Found(exe) | Resolution::Shadowed(exe) => exe,
        Resolution::Missing | Resolution::CwdUnknown => {
            // Judged all the same, so that `check` shows what else would have been found.
            let meta = Meta { text: line(argv), ..Meta::default() };
            judge.command(&words, meta, &ctx);
            let why = format!("`{}` is not an executable program here", visible(typed));
            judge.found(Weight::Deny, Reason::NotFound, Some(0), why);
            return Plans::default();
        }
    };
    ctx.linked_shell = by_link && wrapper::is_shell(last_component(typed), &judge.world.shells());
    let meta = Meta { text: line(argv), ..Meta::default() };
    let outcome = judge.command(&words, meta, &ctx);
    let original = Plan { exe: exe.clone(), argv: argv.to_vec(), ..Plan::of(exe) };
    let mut judged = original.clone();
    if judge.policy.security.value == Security::Full {
        return Plans { judged: Some(judged), original: Some(original), dialect: None };
    }
    if let (Some(a0), true) = (judged.argv.first_mut(), !outcome.rewrites.is_empty()) {
        // A dash would make the shell read start-up files again.
        *a0 = typed.to_vec();
    }
    judged.argv = rewrite(&judged.argv, &outcome);
    judged.script = outcome.rewrites.last().and_then(|(_, w)| w.first().cloned());
    finish(&mut judged, judge, outcome);
    Plans { judged: Some(judged), original: Some(original), dialect: None }
}

/// The words of a command with what stands in place of some of them.
fn rewrite(argv: &[Vec<u8>], outcome: &Outcome) -> Vec<Vec<u8>> {
    if outcome.verbatim {
        return argv.to_vec();
    }
    let mut out = Vec::with_capacity(argv.len() + 4);
    for (i, word) in argv.iter().enumerate() {
        match outcome.rewrites.iter().find(|(at, _)| *at == i) {
            Some((_, with)) => out.extend(with.iter().cloned()),
            None => out.push(word.clone()),
        }
    }
    out
}

fn finish(plan: &mut Plan, judge: &Judge<'_>, outcome: Outcome) {
    plan.recheck = outcome.recheck;
    if let Some(name) = outcome.safe_bin {
        plan.home = crate::judge::home_of(&name).map(<[u8]>::to_vec);
        plan.confine = Some((name, judge.policy.safe_bin_confinement));
    }
}

fn text_form(judge: &mut Judge<'_>, text: &[u8], shell: Option<&[u8]>, args: &[Vec<u8>]) -> Plans {
    let named = shell.unwrap_or(judge.policy.shell_program.as_bytes()).to_vec();
    let top = judge.top();
    let shell = match resolve(&named, judge.lookup(&top), judge.world) {
        Resolution::Found(exe) => exe,
        Resolution::Missing | Resolution::CwdUnknown | Resolution::Shadowed(_) => {
            let why = format!("the shell `{}` is not there", visible(&named));
            judge.found(Weight::Deny, Reason::NotFound, None, why);
            return Plans::default();
        }
    };
    let name0 = last_component(&named).to_vec();
    let mut argv = vec![name0.clone(), b"-c".to_vec()];
    if matches!(text.first(), Some(b'-' | b'+')) {
        // Else the shell would take the text for an option.
        argv.push(b"--".to_vec());
    }
    argv.push(text.to_vec());
    argv.extend_from_slice(args);
    let original = Plan { argv, script: Some(text.to_vec()), ..Plan::of(shell.clone()) };
    let Some(dialect) = Dialect::of_program(shell.name(), shell.real_name()) else {
        let why = format!("the language of {} is not understood here", visible(&shell.real));
        judge.found(Weight::Unknowable, Reason::Construct, None, why);
        return Plans { judged: None, original: Some(original), dialect: None };
    };
    let mut ctx = top;
    ctx.dialect = Some(dialect);
    ctx.builtins = true;
    ctx.functions = true;
    judge.give(args);
    let walked = judge.text(text, dialect, &ctx);
    nowhere(judge, &walked);
    let judged = if judge.policy.security.value == Security::Full {
        Some(original.clone())
    } else {
        direct(judge, &walked).or_else(|| through_shell(judge, &walked, text, dialect, &shell, &name0, args))
    };
    Plans { judged, original: Some(original), dialect: Some(dialect) }
}

/// A text that is one plain command, of a program that is not there and with no other fault, is answered as the
/// shell would: nobody is asked to say yes to nothing. (Behind another command the program may come into being.)
fn nowhere(judge: &mut Judge<'_>, walked: &Text) {
    let Some((_, outcome)) = walked.single() else { return };
    let only = judge.segments.len() == 1 && judge.raw.len() == 1;
    match judge.raw.first() {
        Some(raw) if only && raw.reason == Reason::Unresolved && outcome.exe.is_none() => {}
        _ => return,
    }
    if judge.policy.security.value == Security::Allowlist {
        let name = judge.segments.first().and_then(|s| s.argv.first()).and_then(Arg::literal);
        let why = format!("`{}` is not an executable program here", visible(name.unwrap_or_default()));
        judge.raw.clear();
        judge.found(Weight::Deny, Reason::NotFound, Some(outcome.segment), why);
    }
}

/// One segment that is a program, nothing dynamic, no assignment: no shell at all.
fn direct(judge: &Judge<'_>, walked: &Text) -> Option<Plan> {
    let (simple, outcome) = walked.single()?;
    if outcome.builtin {
        return None;
    }
    let exe = Executable::clone(outcome.exe.as_ref()?);
    let segment = judge.segments.get(outcome.segment)?;
    if segment.argv.len() != simple.words.len() {
        return None;
    }
    let argv: Vec<Vec<u8>> =
        segment.argv.iter().map(|a| a.literal().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
    let mut plan = Plan { argv: rewrite(&argv, outcome), ..Plan::of(exe) };
    plan.script = outcome.rewrites.last().and_then(|(_, w)| w.first().cloned());
    finish(&mut plan, judge, outcome.clone());
    Some(plan)
}

fn through_shell(
    judge: &mut Judge<'_>,
    walked: &Text,
    text: &[u8],
    dialect: Dialect,
    shell: &Executable,
    name0: &[u8],
    args: &[Vec<u8>],
) -> Option<Plan> {
    let rendered = match walked.render(text) {
        Ok(r) => r,
        Err(construct) => {
            if judge.raw.is_empty() && judge.policy.security.value == Security::Allowlist {
                let why = format!("{} cannot be written out again", construct.name());
                judge.found(Weight::Unknowable, construct.reason(), None, why);
            }
            return None;
        }
    };
    let mut argv = vec![name0.to_vec()];
    argv.extend(hardening(dialect).iter().map(|o| o.to_vec()));
    argv.extend([b"-c".to_vec(), rendered.clone()]);
    argv.extend_from_slice(args);
    Some(Plan { argv, recheck: walked.recheck.clone(), script: Some(rendered), ..Plan::of(shell.clone()) })
}

/// Variables that the judgement looks at. It takes the first of two entries, as getenv(3) does; shells take the last.
const LOOKED_AT: WordList = words!["PATH", "HOME", "PWD", "SHELL", "TMPDIR"];

/// Rule 5 for what is inherited.
fn environment(judge: &mut Judge<'_>, policy: &Effective, inv: &Invocation, plans: &mut Plans) {
    if policy.security.value != Security::Allowlist {
        return;
    }
    for name in LOOKED_AT.iter() {
        let mut values = inv.env.iter().filter_map(|e| e.strip_prefix(name)?.strip_prefix(b"="));
        if values.next().is_some_and(|first| values.any(|other| other != first)) {
            let why = format!("the environment holds `{}` twice, with different values", visible(name));
            judge.found(Weight::Miss, Reason::Environment, None, why);
        }
    }
    match policy.env_mode {
        EnvMode::Pass => {}
        EnvMode::Ask => {
            for name in environ::scrub(&inv.env, &policy.env_trusted) {
                let why = format!("the inherited variable `{}` changes what runs", visible(&name));
                judge.found(Weight::Miss, Reason::Environment, None, why);
            }
        }
        EnvMode::Scrub if inv.unattended => {
            if let Some(plan) = &mut plans.judged {
                plan.scrub = environ::scrub(&inv.env, &policy.env_trusted);
                plan.path = crate::judge::variable(&inv.env, b"PATH").and_then(environ::clean_path);
            }
        }
        EnvMode::Scrub => {}
    }
    // What a wrapper carries is looked up again when it runs. Where PATH is left as it is, that look-up would try
    // the relative entries that the judgement skipped.
    let cleaned = plans.judged.as_ref().is_some_and(|p| p.path.is_some());
    if !cleaned
        && judge.segments.iter().any(|s| s.exe.is_some() && s.within.is_some())
        && crate::judge::variable(&inv.env, b"PATH").and_then(environ::clean_path).is_some()
    {
        let why = "PATH has relative or empty entries, which a program that runs another one would search";
        judge.found(Weight::Miss, Reason::Environment, None, why.to_owned());
    }
}

/// The table of design 02: what the raw findings come to under `security` and `ask`.
fn conclude(
    policy: Effective,
    inv: &Invocation,
    mut segments: Vec<crate::evaluation::Segment>,
    raw: Vec<Raw>,
    plans: Plans,
) -> Evaluation {
    let (security, ask) = (policy.security.value, policy.ask.value);
    let asks = if ask == Ask::Off { Decision::Deny } else { Decision::Ask };
    let mut findings = Vec::new();
    if security == Security::Deny {
        findings.push(Finding {
            reason: Reason::SecurityDeny,
            decision: Decision::Deny,
            segment: None,
            span: None,
            message: format!("security is deny ({})", policy.security.from),
            advice: Some(Reason::SecurityDeny.advice().to_owned()),
            nearest: None,
        });
    }
    // Code that nobody has seen stays a question whatever the lists say: no entry is advised for who would read it.
    let nowhere = segments.len();
    let mut unseen = vec![false; nowhere + 1];
    // The last place is that of no segment.
    let place = |segment: Option<usize>| segment.unwrap_or(nowhere);
    for r in raw.iter().filter(|r| r.reason == Reason::Code) {
        if let Some(slot) = unseen.get_mut(place(r.segment)) {
            *slot = true;
        }
    }
    for r in &raw {
        let decision = match (security, r.weight) {
            (_, Weight::Deny) => Decision::Deny,
            // The operator's leave skips approvals, never the denylist.
            _ if policy.elevated => continue,
            // One ground says it all.
            (Security::Deny, _) => continue,
            (Security::Allowlist, _) | (Security::Full, Weight::Ask) => asks,
            (Security::Full, Weight::Unknowable) if !policy.denylist.is_empty() => asks,
            (Security::Full, Weight::Unknowable | Weight::Miss) => continue,
        };
        if let Some(s) = r.segment.and_then(|s| segments.get_mut(s)) {
            s.satisfied_by = None;
            s.entry = None;
        }
        findings.push(Finding {
            reason: r.reason,
            decision,
            segment: r.segment,
            span: r.span,
            message: r.message.clone(),
            advice: match r.reason {
                Reason::WrapperEntry if unseen.get(place(r.segment)) == Some(&true) => None,
                _ => advice(r.reason, r.segment.and_then(|s| segments.get(s)), &inv.agents),
            },
            nearest: r.nearest.clone(),
        });
    }
    unsatisfied_above(&mut segments);
    if security == Security::Allowlist {
        // No finding at all for a segment that nothing satisfied is a miss by construction.
        for (i, s) in segments.iter().enumerate() {
            let spoken_for = findings.iter().any(|f| f.segment == Some(i)) || below(&segments, i, &findings);
            if s.satisfied_by.is_none() && !spoken_for {
                findings.push(Finding {
                    reason: Reason::AllowlistMiss,
                    decision: asks,
                    segment: Some(i),
                    span: s.span,
                    message: format!("nothing covers `{}`", visible(&s.text)),
                    advice: Some(Reason::AllowlistMiss.advice().to_owned()),
                    nearest: None,
                });
            }
        }
    }
    let satisfied = findings.is_empty()
        && (security == Security::Full || segments.iter().all(|s| s.satisfied_by.is_some()));
    if ask == Ask::Always && security != Security::Deny {
        findings.push(Finding {
            reason: Reason::AskAlways,
            decision: Decision::Ask,
            segment: None,
            span: None,
            message: format!("ask is always ({})", policy.ask.from),
            advice: None,
            nearest: None,
        });
    }
    let mut decision = findings.iter().fold(Decision::Allow, |worst, f| worst.max(f.decision));
    if decision == Decision::Allow && plans.judged.is_none() {
        // Nothing can be executed as judged.
        decision = asks;
        findings.push(Finding {
            reason: Reason::Internal,
            decision,
            segment: None,
            span: None,
            message: "there is no form of it that can be executed as judged".into(),
            advice: None,
            nearest: None,
        });
    }
    // The policy's own no first, then by segment, in each the strictest first.
    let findings = crate::order::by_key(findings, |f| {
        let segment = f.segment.and_then(|s| u32::try_from(s).ok()).unwrap_or(u32::MAX);
        let place = u64::from(f.reason != Reason::SecurityDeny) << 40 | u64::from(segment) << 8;
        place | (0xff - f.decision as u64)
    });
    Evaluation {
        decision,
        effective: policy,
        segments,
        named: Vec::new(),
        findings,
        dialect: plans.dialect,
        satisfied,
        judged: plans.judged,
        original: plans.original,
        said: None,
        env: inv.env.clone(),
        cwd: inv.cwd.clone(),
    }
}

/// What to do about it, with the program's own path where an entry would help: for the agent that asked alone, and with
/// these words alone where the program would do anything at all with others.
fn advice(reason: Reason, segment: Option<&crate::evaluation::Segment>, agents: &[String]) -> Option<String> {
    let general = reason.advice();
    match (reason, segment.and_then(|s| Some((s, s.exe.as_ref()?)))) {
        (Reason::AllowlistMiss | Reason::WrapperEntry | Reason::ScriptEntry, Some((segment, exe)))
            if pasteable(&exe.found) =>
        {
            let mut words = vec![exe.found.clone()];
            if let [agent] = agents
                && agent != "main"
            {
                words.extend([b"--agent".to_vec(), agent.as_bytes().to_vec()]);
            }
            let mut out = visible(&line(&words));
            if reason == Reason::AllowlistMiss
                && let Some(args) = crate::learn::only_these(segment)
            {
                words.push(b"--args".to_vec());
                words.extend(args.into_iter().map(String::into_bytes));
                let whole = line(&words);
                // What is cut short or spelled out means something else when it is pasted.
                let shown = visible(&whole);
                if shown.as_bytes() == whole {
                    out = shown;
                }
            }
            Some(format!("exec-guardctl approvals allowlist add {out}"))
        }
        _ => (!general.is_empty()).then(|| general.to_owned()),
    }
}

/// True if a path can stand in a line to be pasted, and as a pattern means itself.
fn pasteable(path: &[u8]) -> bool {
    !path.iter().any(|b| b"*?[]{}\\".contains(b)) && visible(path).as_bytes() == path
}

/// A wrapper around an unsatisfied segment is not satisfied.
fn unsatisfied_above(segments: &mut [crate::evaluation::Segment]) {
    use crate::evaluation::SatisfiedBy;
    for i in (0..segments.len()).rev() {
        let Some(s) = segments.get(i) else { continue };
        if s.satisfied_by.is_some() {
            continue;
        }
        if let Some(up) = s.within
            && let Some(outer) = segments.get_mut(up)
            && outer.satisfied_by == Some(SatisfiedBy::Wrapper)
        {
            outer.satisfied_by = None;
        }
    }
}

/// True if a segment that stands within this one has a finding: then that speaks for both.
fn below(segments: &[crate::evaluation::Segment], at: usize, findings: &[Finding]) -> bool {
    findings.iter().filter_map(|f| f.segment).any(|mut s| {
        while let Some(up) = segments.get(s).and_then(|x| x.within) {
            if up == at {
                return true;
            }
            if up >= s {
                return false;
            }
            s = up;
        }
        false
    })
}

impl Plan {
    /// Nothing but the file.
    fn of(exe: Executable) -> Plan {
        Plan {
            exe,
            argv: Vec::new(),
            scrub: Vec::new(),
            path: None,
            home: None,
            confine: None,
            recheck: Vec::new(),
            script: None,
        }
    }
}

#[cfg(test)]
mod tests;
