//! `exec-guard hook AGENT`: an agent asks before it runs a command, and is told what to do.
//!
//! With most agents whatever is not an answer of theirs counts as *go on*: a crash, a wrong word, a late one. So there
//! is one way out ([`Said::leave`]), every way there ends in an answer, and an alarm clock says no in time.
mod command;

use std::io::Read;
use std::time::{Duration, Instant};

use policy::document::is_quiet;
use policy::{Decision, Evaluation, Form, Invocation, Reason};
use protocol::hook::{Agent, Answer, Call, Input, MOST, NOBODY};
use store::caller::NoTerminal;

use crate::ask::{By, Verdict, ask};
use crate::exit::{self, Exit};
use crate::guard::{self, Given, Stop};
use crate::invoke::Claim;
use crate::locate::{self, Settings};
use crate::record::{Decided, record_hook};
use crate::say::{self, Message};

/// Answers the call on standard input. `words` are those after `hook`: the agent's id, and nothing else.
pub fn answer(words: &[Vec<u8>]) -> Exit {
    let (agent, known) = match words {
        [id] => (Agent::named(id).unwrap_or(&NOBODY), Agent::named(id).is_some()),
        [id, ..] => (Agent::named(id).unwrap_or(&NOBODY), false),
        [] => (&NOBODY, false),
    };
    on_panic(agent);
    if let Err(e) = clock(agent) {
        return Said::no(Reason::Internal, &format!("the alarm clock cannot be set: {e}")).leave(agent);
    }
    if !known {
        let all: Vec<&str> = protocol::hook::AGENTS.iter().map(|a| a.id).collect();
        let what = format!("exec-guard hook AGENT: one of {}", all.join(" "));
        return Said::no(Reason::Usage, &what).leave(agent);
    }
    if let Some(what) = exit::cramped() {
        return Said::no(Reason::Internal, &what).leave(agent);
    }
    said(agent).leave(agent)
}

/// What is said in the end.
enum Said {
    /// Go on, perhaps with another command in place of the first and only one.
    Yes { command: Option<String>, input: String },
    /// The agent is to ask.
    Ask(Message),
    /// No.
    No(Message),
    /// Not ours to judge.
    Pass,
}

impl Said {
    fn no(reason: Reason, what: &str) -> Said {
        Said::No(Message::error(reason, what))
    }

    /// The same, and how a person says that this tool runs nothing here. Only a name that can stand in a document as it
    /// is: the rest is somebody's text.
    fn with_way_out(self, agent: &Agent, tool: &str) -> Said {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./:".contains(&b);
        if !from_elsewhere(agent, tool) || tool.len() > 128 || !tool.bytes().all(plain) {
            return self;
        }
        let line = format!(
            "if this tool runs nothing on this machine, a person can say so in config.json: \"hook\": {{\"quiet\": [\"{tool}\"]}}"
        );
        match self {
            Said::Ask(m) => Said::Ask(m.line(&line)),
            Said::No(m) => Said::No(m.line(&line)),
            other => other,
        }
    }

    /// Writes the answer.
    fn leave(&self, agent: &Agent) -> Exit {
        let words = match self {
            Said::Ask(m) | Said::No(m) => m.text().trim_end(),
            Said::Yes { .. } | Said::Pass => "",
        };
        let out = agent.answer(&match self {
            Said::Yes { command: Some(command), input } => Answer::Rewrite { command, input },
            Said::Yes { command: None, .. } => Answer::Allow,
            Said::Ask(_) => Answer::Ask(words),
            Said::No(_) => Answer::Deny(words),
            Said::Pass => Answer::Pass,
        });
        sys::watch::begun();
        let denied = out.code != 0;
        if let (true, Said::Ask(m) | Said::No(m)) = (denied, self) {
            m.say();
        }
        // An answer that reached nobody is read as none.
        let lost = sys::entry::stdout_closed() || say::raw(out.stdout.as_bytes()).is_err();
        if lost && !denied {
            Message::error(Reason::HookCall, "the answer could not be written: the command must not run")
                .say();
        }
        if denied || lost { Exit::HOOK_DENIED } else { Exit::Done }
    }
}

/// A bug is a no, too.
fn on_panic(agent: &'static Agent) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        Said::no(Reason::Internal, &format!("a bug{place}; the command must not run")).leave(agent).leave()
    }));
}

/// Says no in time, whatever we hang in: most agents run the command when their own time is up.
fn clock(agent: &Agent) -> std::io::Result<()> {
    let late = Message::error(Reason::Timeout, "the guard did not come to an answer in time");
    let out = agent.answer(&Answer::Deny(late.text().trim_end()));
    let seconds = u32::try_from(agent.budget_ms.div_ceil(1000)).unwrap_or(u32::MAX).saturating_add(2);
    sys::watch::arm(seconds, out.stdout.into_bytes(), late.text().as_bytes().to_vec(), out.code)
}

fn said(agent: &Agent) -> Said {
    let started = Instant::now();
    let mut bytes = Vec::new();
    // One byte more than is read, so that too much is seen as such.
    if let Err(e) = std::io::stdin().lock().take(MOST as u64 + 1).read_to_end(&mut bytes) {
        return Said::no(Reason::HookCall, &format!("standard input: {e}"));
    }
    match agent.read(&bytes) {
        Input::NotAShell => Said::Pass,
        Input::Broken(why) => Said::no(Reason::HookCall, &why),
        Input::Unknown(tool) if quiet(agent, &tool) => Said::Pass,
        Input::Unknown(tool) => {
            let what = format!("the tool `{tool}` is not known here, and may run commands");
            let said = match agent.asks {
                true => Said::Ask(Message::asked(Reason::HookCall, &what)),
                false => Said::No(Message::denied(Reason::HookCall, &what)),
            };
            said.with_way_out(agent, &tool)
        }
        Input::Call(call) => all(agent, call, started),
    }
}

/// True if a person has said that this tool from elsewhere runs nothing here (`hook.quiet`). Where the agent marks such
/// tools, no other can be meant: its own, of today or of its next version, stay what they are.
fn quiet(agent: &Agent, tool: &str) -> bool {
    if !from_elsewhere(agent, tool) {
        return false;
    }
    let env = sys::environ::entries();
    // Documents that cannot be read say nothing.
    let loaded = locate::places(&env).and_then(|places| locate::load(&places));
    loaded.is_ok_and(|(_, settings)| is_quiet(&settings.hook_quiet, tool))
}

fn from_elsewhere(agent: &Agent, tool: &str) -> bool {
    !tool.is_empty() && agent.mark.is_none_or(|mark| tool.starts_with(mark))
}

/// Every command of a call has to be allowed: all of them run.
fn all(agent: &Agent, call: Call, started: Instant) -> Said {
    if call.foreign && quiet(agent, &call.tool) {
        return Said::Pass;
    }
    let mut command = None;
    for text in &call.commands {
        match one(agent, &call, text, started) {
            Said::Yes { command: c, .. } => command = c,
            other if call.foreign => return other.with_way_out(agent, &call.tool),
            other => return other,
        }
    }
    if call.foreign {
        return Said::Pass;
    }
    // Only one can be put in place of another.
    let command = command.filter(|_| call.commands.len() == 1);
    Said::Yes { command, input: call.input }
}

fn one(agent: &Agent, call: &Call, text: &str, started: Instant) -> Said {
    let claim = Claim {
        form: Form::Text { text: text.into(), shell: None, args: Vec::new() },
        agent: Some(call.agent.clone().unwrap_or_else(|| agent.id.to_owned())),
        session: call.session.clone(),
    };
    let mut given = match guard::given(claim, Some(call.cwd.clone().into_bytes())) {
        Ok(given) => given,
        Err(stop) => return Said::No(stop.message),
    };
    // A hook has no terminal, whatever it was started in.
    given.inv.unattended = true;
    if given.caller.terminal.is_ok() {
        given.caller.terminal = Err(NoTerminal::Off);
    }
    let set = match environment(&mut given, call) {
        Ok(set) => set,
        Err(why) => return Said::no(Reason::Environment, &why),
    };
    // What no judgement of the command covers, so that a yes to the command is none to it.
    let besides = set.or_else(|| call.odd.clone().map(|why| (Reason::HookCall, why)));
    let shell = command::shell(agent, &given);
    let judged = command::Judged::of(agent, &given, call, text, shell);
    given.settings.patience_ms = left(agent, started);
    // Nothing of ours meets what a foreign tool runs.
    given.settings.leaves_grant = !call.foreign;
    let eval = match forms(&mut given, &judged) {
        Ok(eval) => eval,
        Err(stop) => return Said::No(stop.message),
    };
    let Given { caller, inv, settings, host, .. } = &given;
    let prompts = agent.asks && attended(agent, inv);
    let verdict = match (eval.decision, besides) {
        (Decision::Deny, _) => guard::denial(&eval),
        (Decision::Ask, None) if prompts => return left_to_prompt(&eval, inv, settings, question(&eval)),
        (Decision::Ask, Some((_, why))) if prompts => {
            return left_to_prompt(&eval, inv, settings, question(&eval).line(&why));
        }
        (Decision::Ask, None) => ask(&eval, inv, caller, settings, host),
        (_, besides) => {
            let unwritten = || judged.unwritten.map(|why| (Reason::HookCall, why.to_owned()));
            match (eval.permit(), judged.unfit(&eval), besides.or_else(unwritten)) {
                (_, Some((reason, why)), _) => Verdict::No(reason, By::Policy, vec![why.into()]),
                (_, None, Some((reason, why))) if prompts => {
                    return left_to_prompt(&eval, inv, settings, Message::asked(reason, &why));
                }
                (_, None, Some((reason, why))) => Verdict::No(reason, By::Policy, vec![why]),
                (Some(permit), None, None) => Verdict::Yes(Box::new(permit), By::Policy, None),
                (None, None, None) => {
                    Verdict::No(Reason::Internal, By::Policy, vec!["allowed, but nothing to execute".into()])
                }
            }
        }
    };
    match verdict {
        Verdict::Yes(_, by, _) => {
            // What a person said yes to are the bytes as they came.
            let rewritten = judged.rewritten.filter(|_| by == By::Policy);
            let decided = Decided { eval: &eval, decision: Decision::Allow, by, code: None, confined: None };
            match record(inv, settings, &decided) {
                Err(no) => no,
                Ok(()) => Said::Yes { command: rewritten, input: String::new() },
            }
        }
        Verdict::No(reason, by, words) => {
            let code = Some(reason.code());
            let decided = Decided { eval: &eval, decision: Decision::Deny, by, code, confined: None };
            // It is refused anyway.
            let _ = record_hook(inv, settings, &decided);
            let mut words = words.iter();
            let first = words.next().map(String::as_str).unwrap_or_default();
            Said::No(words.fold(Message::denied(reason, first), |m, line| m.line(line)))
        }
    }
}

/// Writes down that the agent's own prompt is to ask, and has it ask.
fn left_to_prompt(eval: &Evaluation, inv: &Invocation, settings: &Settings, words: Message) -> Said {
    let decided = Decided { eval, decision: Decision::Ask, by: By::Policy, code: None, confined: None };
    match record(inv, settings, &decided) {
        Err(no) => no,
        Ok(()) => Said::Ask(words),
    }
}

/// Judges the form that will be put in place of the command. Where that is no yes, the command stays what the agent runs,
/// and is what a person is asked about, so it is judged as such: the text of the agent's shell. Never less strict.
fn forms(given: &mut Given, judged: &command::Judged) -> Result<Evaluation, Stop> {
    given.inv.form = judged.form.clone();
    let eval = guard::judge(&given.policy, &given.inv, &given.host)?;
    if eval.decision != Decision::Ask || judged.text == judged.form {
        return Ok(eval);
    }
    given.inv.form = judged.text.clone();
    let text = guard::judge(&given.policy, &given.inv, &given.host)?;
    if text.decision >= eval.decision {
        return Ok(text);
    }
    given.inv.form = judged.form.clone();
    Ok(eval)
}

/// Why an allow of the command is not enough.
type Doubt = (Reason, String);

/// Sets what the call sets for its command. What changes which program runs, or what it loads, is refused; for the rest
/// it is as with `env NAME=VALUE` before the command: what is not known to be harmless asks.
fn environment(given: &mut Given, call: &Call) -> Result<Option<Doubt>, String> {
    let mut doubt = None;
    for (name, value) in &call.env {
        let entry = format!("{name}={value}").into_bytes();
        let changes = !policy::rules::environ::scrub(std::slice::from_ref(&entry), &[]).is_empty();
        if changes || name == "PATH" {
            return Err(format!("the call sets `{name}`, which changes what runs"));
        }
        let class = policy::rules::environ::classify(name.as_bytes(), Some(value.as_bytes()));
        if class != policy::rules::environ::EnvClass::Inert {
            let why = format!("the call sets `{name}`, which is not known to be harmless with this value");
            doubt.get_or_insert((Reason::Environment, why));
        }
        let prefix = format!("{name}=").into_bytes();
        given.inv.env.retain(|e| !e.starts_with(&prefix));
        given.inv.env.push(entry);
    }
    Ok(doubt)
}

/// How long we can wait for a person: what is left of the agent's patience, with room to leave the question behind.
fn left(agent: &Agent, started: Instant) -> u64 {
    let spent = Instant::now().saturating_duration_since(started);
    let left = Duration::from_millis(agent.budget_ms).saturating_sub(spent).saturating_sub(LEAVING);
    u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
}

/// Kept back of it.
const LEAVING: Duration = Duration::from_secs(1);

/// False if an agent says that nobody looks at its prompts.
fn attended(agent: &Agent, inv: &Invocation) -> bool {
    agent.id != "claude" || sys::environ::value(&inv.env, b"CLAUDE_CODE_SESSION_ATTENDED") != Some(b"0")
}

/// What the agent's prompt shows.
fn question(eval: &Evaluation) -> Message {
    let Some(ground) = eval.ground() else {
        return Message::asked(Reason::Internal, "asked without a ground");
    };
    let mut message = Message::asked(ground.reason, &ground.message);
    if let Some(advice) = ground.advice.as_deref().filter(|a| !a.is_empty()) {
        message = message.line(advice);
    }
    match eval.findings.len() {
        0 | 1 => message,
        n => message.line(&format!("grounds besides this one: {}", n - 1)),
    }
}

/// Writes it down.
fn record(inv: &Invocation, settings: &Settings, decided: &Decided<'_>) -> Result<(), Said> {
    match record_hook(inv, settings, decided) {
        Err(e) if settings.journal_required => {
            let what = guard::unwritten(settings, &e);
            Err(Said::No(Message::denied(Reason::Journal, &what).line(Reason::Journal.advice())))
        }
        // What a hook writes to standard error besides an answer is shown by no agent.
        Err(_) | Ok(()) => Ok(()),
    }
}
