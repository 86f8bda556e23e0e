//! The path of a command, in one page. Every failure leaves by a closed door; only the last line becomes it.
use std::os::unix::ffi::OsStrExt;

use policy::document::Policy;
use policy::{Decision, Evaluation, Guard, Invocation, Permit, Reason, World, decide};
use sys::exec::ExecError;
use sys::world::Host;

use crate::ask::{By, Verdict, ask};
use crate::exit::Exit;
use crate::invoke::{Check, Claim};
use crate::locate::{self, Settings};
use crate::record::{Decided, record};
use crate::say::Message;
use crate::{check, remember, tighten};
use store::caller::{BadId, Caller, caller};

/// Judges a command and becomes it, or says why not.
pub fn run(claim: Claim) -> Exit {
    // 1, 2 What we were given and what rules, before anything is looked at.
    let Given { caller, inv, policy, settings, host } = match given(claim, None) {
        Ok(given) => given,
        Err(stop) => return stop.leave(),
    };
    // 3 The only evaluator there is.
    let eval = match judge(&policy, &inv, &host) {
        Ok(eval) => eval,
        Err(stop) => return stop.leave(),
    };
    // 4 Deny, ask, allow. What nobody can be asked about is not waited for.
    let verdict = match eval.decision {
        Decision::Deny => denial(&eval),
        Decision::Ask => ask(&eval, &inv, &caller, &settings, &host),
        // 5 The permit is the only thing that can be executed.
        Decision::Allow => match eval.permit() {
            Some(permit) => Verdict::Yes(Box::new(permit), By::Policy, None),
            None => Verdict::No(Reason::Internal, By::Policy, vec!["allowed, but nothing to execute".into()]),
        },
    };
    match verdict {
        Verdict::No(reason, by, words) => refuse(&inv, &settings, &eval, reason, by, &words),
        Verdict::Yes(permit, by, scope) => {
            // 6 Before the exec, after which there is nobody left to write.
            if let Err(exit) = write_down(&inv, &settings, &eval, &permit, by) {
                return exit;
            }
            if let Some(Err(e)) = scope.map(|scope| remember::store(&eval, &inv, &host, &settings, scope)) {
                // The yes was given; that it will be asked again next time is worth a line.
                Message::note(Reason::PolicyUnreadable, &format!("allowed once, not stored: {e}")).say();
            }
            // 7 Looks at the file once more, gives back what the runtime changed, and becomes the command.
            failed(&sys::exec::replace(*permit))
        }
    }
}

/// Judges a command and says what would happen.
pub fn check(claim: Claim, how: Check) -> Exit {
    match given(claim, how.cwd) {
        Ok(Given { inv, policy, host, .. }) => match judge(&policy, &inv, &host) {
            Ok(mut eval) => {
                let cautions = eval.cautions(&host);
                eval.findings.extend(cautions);
                check::report(&eval, how.json)
            }
            Err(stop) => stop.leave(),
        },
        Err(stop) => stop.leave(),
    }
}

/// Becomes exec-guardctl.
pub fn companion(args: Vec<Vec<u8>>) -> Exit {
    let mut argv = vec![b"exec-guardctl".to_vec()];
    argv.extend(args);
    let e = sys::exec::companion("exec-guardctl", &argv);
    if e.is_missing() {
        let what = "this word is exec-guardctl's, which is not installed beside exec-guard";
        Message::error(Reason::Usage, what)
            .line("a command to judge goes after `--`: exec-guard -- COMMAND")
            .say();
        return Exit::Usage;
    }
    failed(&e)
}

/// Everything a judgement needs.
pub struct Given {
    /// Who calls.
    pub caller: Caller,
    /// What is claimed.
    pub inv: Invocation,
    /// What rules.
    pub policy: Policy,
    /// What of it is for the guard itself.
    pub settings: Settings,
    /// The files.
    pub host: Host,
}

/// Why nothing can be judged.
pub struct Stop {
    exit: Exit,
    /// What is to be said.
    pub message: Message,
}

impl Stop {
    /// Says it; how to leave.
    pub fn leave(self) -> Exit {
        self.message.say();
        self.exit
    }
}

/// Gathers what a judgement needs.
///
/// # Errors
///
/// [`Stop`], of which nothing was said yet.
pub fn given(claim: Claim, cwd: Option<Vec<u8>>) -> Result<Given, Stop> {
    // 1 Frozen as bytes, in order; nothing of it is believed.
    let env = sys::environ::entries();
    let host = Host::of_guard();
    let here = sys::environ::cwd();
    if let Some(here) = &here {
        host.canonical(here);
    }
    let cwd = match cwd {
        None => here,
        Some(dir) => Some(folder(&host, here.as_deref(), &dir)?),
    };
    // 2 A document that cannot be believed denies everything: half a policy is none.
    let loaded =
        locate::places(&env).and_then(|p| locate::load(&p).map(|(policy, settings)| (p, policy, settings)));
    let unreadable = |what: String| {
        let message = Message::error(Reason::PolicyUnreadable, &what)
            .line("nothing runs until that is mended; exec-guardctl approvals get tells when it is");
        Stop { exit: Exit::Guard, message }
    };
    let (places, policy, settings) = loaded.map_err(unreadable)?;
    let caller =
        caller(claim.agent, claim.session, &env, &settings.marks, settings.tty).map_err(|BadId(name)| {
            let message = Message::error(Reason::Usage, &format!("{name} holds what can be no id"));
            Stop { exit: Exit::Usage, message }
        })?;
    let now_ms = sys::time::now_ms();
    let call = tighten::call(&settings, &caller, now_ms).map_err(unreadable)?;
    let policy = policy.with_call(call);
    let bytes = |p: &std::path::PathBuf| p.as_os_str().as_encoded_bytes().to_vec();
    let inv = Invocation {
        form: claim.form,
        env,
        cwd,
        agents: caller.agents.clone(),
        session: caller.session.clone(),
        now_ms,
        home: places.home.as_ref().map(bytes),
        unattended: caller.terminal.is_err(),
        guard: Guard { own_paths: places.folders.iter().map(bytes).collect() },
    };
    Ok(Given { caller, inv, policy, settings, host })
}

/// The folder of `check --cwd`, without symbolic links.
fn folder(host: &Host, here: Option<&[u8]>, dir: &[u8]) -> Result<Vec<u8>, Stop> {
    let path = match (dir.first(), here) {
        (Some(b'/'), _) => Some(dir.to_vec()),
        (_, Some(here)) => Some([here, b"/", dir].concat()),
        (_, None) => None,
    };
    path.and_then(|p| host.real(&p)).ok_or_else(|| {
        let what = format!("no such folder: {}", String::from_utf8_lossy(dir));
        Stop { exit: Exit::Usage, message: Message::error(Reason::Usage, &what) }
    })
}

/// Judges. A verdict that rests on a file that could not be looked at is none: a shell that was not known as one,
/// or the second program of a name in PATH because the first was not to be seen.
///
/// # Errors
///
/// [`Stop`], of which nothing was said yet.
pub fn judge(policy: &Policy, inv: &Invocation, host: &Host) -> Result<Evaluation, Stop> {
    let eval = decide(policy, inv, host);
    match host.fault() {
        Some((path, e)) if eval.decision != Decision::Deny => {
            let what = format!("{} could not be looked at: {e}", protocol::Shown::text(&path));
            let message = Message::error(Reason::Internal, &what).line("nothing was run");
            Err(Stop { exit: Exit::Guard, message })
        }
        _ => Ok(eval),
    }
}

/// The answer to what is denied.
pub fn denial(eval: &Evaluation) -> Verdict {
    match eval.ground() {
        Some(f) => {
            let mut words = vec![f.message.clone()];
            words.extend(f.advice.clone().filter(|a| !a.is_empty()));
            Verdict::No(f.reason, By::Policy, words)
        }
        None => Verdict::No(Reason::Internal, By::Policy, vec!["denied without a ground".into()]),
    }
}

/// Says and writes down that it may not run; how to leave.
pub fn refuse(
    inv: &Invocation,
    settings: &Settings,
    eval: &Evaluation,
    reason: Reason,
    by: By,
    words: &[String],
) -> Exit {
    let decided = Decided { eval, decision: Decision::Deny, by, code: Some(reason.code()), confined: None };
    let written = record(inv, settings, &decided);
    let mut words = words.iter();
    let first = words.next().map(String::as_str).unwrap_or_default();
    let mut message = Message::denied(reason, first);
    for line in words {
        message = message.line(line);
    }
    if let Err(e) = written
        && !nowhere(&e)
    {
        // It is refused anyway; that it is not on record is worth a line.
        message = message.line(&unwritten(settings, &e));
    }
    message.say();
    // A name that does not resolve is 127, as in a shell, but only where one program was named.
    let at = eval.ground().and_then(|f| f.segment);
    match at.and_then(|at| eval.segments.get(at)) {
        // Neither an answer nor nobody: a part of the guard does not work.
        _ if reason == Reason::Approver => Exit::Guard,
        Some(segment) if reason == Reason::NotFound && !exists(segment) => Exit::NotFound,
        _ => Exit::Refused,
    }
}

/// True if a command is named by a path where something lies: then it is only that it cannot be executed.
fn exists(segment: &policy::Segment) -> bool {
    let name = segment.argv.first().and_then(policy::Arg::literal).unwrap_or_default();
    name.contains(&b'/') && std::fs::metadata(std::ffi::OsStr::from_bytes(name)).is_ok()
}

/// Writes down that it runs.
///
/// # Errors
///
/// It could not be written and had to be; that was said.
pub fn write_down(
    inv: &Invocation,
    settings: &Settings,
    eval: &Evaluation,
    permit: &Permit,
    by: By,
) -> Result<(), Exit> {
    let confined = Some(sys::confine::foresee(permit.confine()).word());
    let decided = Decided { eval, decision: Decision::Allow, by, code: None, confined };
    if let Err(e) = record(inv, settings, &decided) {
        let what = unwritten(settings, &e);
        if settings.journal_required {
            Message::denied(Reason::Journal, &what).line(Reason::Journal.advice()).say();
            return Err(Exit::Refused);
        }
        if !nowhere(&e) {
            Message::note(Reason::Journal, &what).say();
        }
    }
    Ok(())
}

/// True if there can be no journal: on a read-only file system (a container's) it is as if there were no folder for
/// one, and a line on every command would be read by whoever reads the commands' own.
pub fn nowhere(e: &std::io::Error) -> bool {
    e.kind() == std::io::ErrorKind::ReadOnlyFilesystem
}

/// Where the journal is and why it could not be written.
pub fn unwritten(settings: &Settings, e: &std::io::Error) -> String {
    let path = settings.journal.as_ref().map(store::journal::Journal::current).unwrap_or_default();
    format!(
        "the journal could not be written: {}: {e}",
        protocol::Shown::text(path.as_os_str().as_encoded_bytes())
    )
}

/// Why the exec did not happen. The command never started.
fn failed(e: &ExecError) -> Exit {
    let path = e.path().map(|p| format!("{}: ", protocol::Shown::text(p))).unwrap_or_default();
    match e {
        ExecError::Changed(_) => {
            Message::denied(Reason::Changed, &format!("{path}{e}")).line(Reason::Changed.advice())
        }
        ExecError::Unconfined(_) => Message::denied(Reason::Exec, &e.to_string())
            .line("set safeBinConfinement to best-effort, or add an entry"),
        ExecError::Interpreter(_, word) if !word.is_empty() => {
            Message::error(Reason::Exec, &format!("{path}{e}: {}", protocol::Shown::text(word)))
        }
        ExecError::Interpreter(..) => {
            Message::error(Reason::Exec, &format!("{path}the loader it needs does not exist"))
        }
        ExecError::Nul | ExecError::Restore(_) | ExecError::Kernel(..) => {
            Message::error(Reason::Exec, &format!("{path}{e}"))
        }
    }
    .say();
    if e.is_missing() { Exit::NotFound } else { Exit::Refused }
}
