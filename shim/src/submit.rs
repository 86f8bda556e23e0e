//! `submit`: a command that its caller does not wait for.
//!
//! ```text
//!  caller's process          this one, split off                       approver
//!  judge; deny: refused as always
//!  ask:   the question ───────────────────────────────────────────▶    holds it
//!         its folder, split
//!  says the id, exit 75      waits for the answer  ◀────────────────    a person
//!                            yes: writes down that it runs, starts it
//!                            keeps what it writes, sees its end         told: running, finished, denied
//! ```
//!
//! What policy allows is started the same way at once, and its id is said with exit 0. The folder of a run is made before
//! its question is asked, and says *running* before the command is started: so a command is started at most once, and
//! never by anybody but the process that was told yes. If that process is killed nothing runs.
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use policy::{Decision, Evaluation, Form, Invocation, Permit, Reason};
use protocol::message::{Outcome, Report};
use protocol::{Shown, mask_text, mask_words};
use serde::Serialize;
use store::runs::{Held, Meta, Size, State, sweep};
use sys::exec::ExecError;
use sys::spawn::{Moment, Running, Side, detach, leave, start};

use crate::ask::{By, Verdict, answer, place, report};
use crate::exit::Exit;
use crate::guard::{Given, denial, given, judge, refuse, write_down};
use crate::invoke::Claim;
use crate::locate::Settings;
use crate::say::{self, Message};

/// As much is read of a stream at once, bytes.
const PIECE: usize = 1 << 16;
/// Longest wait for something to happen.
const LONG: Duration = Duration::from_secs(3600);

/// Judges a command, starts it or has a person asked, and does not wait.
pub fn run(claim: Claim) -> Exit {
    // Whoever reads what we say may hang up.
    sys::entry::hush();
    let Given { caller, inv, policy, settings, host } = match given(claim, None) {
        Ok(given) => given,
        Err(stop) => return stop.leave(),
    };
    let eval = match judge(&policy, &inv, &host) {
        Ok(eval) => eval,
        Err(stop) => return stop.leave(),
    };
    let no = |verdict: Verdict| match verdict {
        Verdict::No(reason, by, words) => refuse(&inv, &settings, &eval, reason, by, &words),
        Verdict::Yes(..) => Exit::Guard,
    };
    if eval.decision == Decision::Deny {
        return no(denial(&eval));
    }
    let Some(state) = &settings.state else {
        return cannot("there is no folder where it could be kept: the user database names no home");
    };
    let _ = sweep(state, settings.submit.keep, settings.submit.keep_ms, inv.now_ms);
    let mut meta = meta(&eval, &inv, &settings);
    let held = match Held::begin(state, &meta) {
        Ok(held) => held,
        Err(e) => return cannot(&format!("the folder of a run could not be made: {e}")),
    };
    // What is allowed, or falls back to that since nobody can be asked.
    let verdict = match eval.decision {
        Decision::Deny => denial(&eval),
        Decision::Allow => match eval.permit() {
            Some(permit) => Verdict::Yes(Box::new(permit), By::Policy, None),
            None => Verdict::No(Reason::Internal, By::Policy, vec!["allowed, but nothing to execute".into()]),
        },
        Decision::Ask => match place(&eval, &inv, &caller, &settings, &host, &meta.id) {
            Err(verdict) => verdict,
            Ok(placed) => {
                meta.expires_at_ms = Some(placed.expires_at_ms);
                if let Err(e) = held.write(&meta) {
                    held.forget();
                    return cannot(&format!("the folder of a run could not be written: {e}"));
                }
                return match detach() {
                    Ok(Side::Caller(_)) => {
                        passed_on(held);
                        told("approval-pending", &meta, Exit::Pending)
                    }
                    Ok(Side::Detached) => Behind { inv: &inv, settings: &settings, held, meta }
                        .decided(&eval, answer(&eval, placed)),
                    Err(e) => {
                        held.forget();
                        cannot(&format!("no process could be split off: {e}"))
                    }
                };
            }
        },
    };
    let Verdict::Yes(permit, by, _) = verdict else {
        held.forget();
        return no(verdict);
    };
    meta.by = Some(by.word().to_owned());
    if let Err(exit) = write_down(&inv, &settings, &eval, &permit, by) {
        held.forget();
        return exit;
    }
    match detach() {
        Ok(Side::Caller(_)) => {
            passed_on(held);
            told("running", &meta, Exit::Done)
        }
        Ok(Side::Detached) => Behind { inv: &inv, settings: &settings, held, meta }.carry(*permit),
        Err(e) => {
            held.forget();
            cannot(&format!("no process could be split off: {e}"))
        }
    }
}

/// The lock is the other process's from here on: both have the same one, and to give it up here would give up theirs.
fn passed_on(held: Held) {
    std::mem::forget(held);
}

/// The answer to whoever does not wait.
fn told(status: &str, meta: &Meta, exit: Exit) -> Exit {
    // Words of ours, an id and a number: nothing that would have to be escaped.
    let until = meta.expires_at_ms.map_or("null".to_owned(), |ms| ms.to_string());
    let text = format!("{{\"status\":\"{status}\",\"id\":\"{}\",\"expiresAtMs\":{until}}}\n", meta.id);
    say::print(&text).map_or_else(|exit| exit, |()| exit)
}

fn cannot(what: &str) -> Exit {
    Message::error(Reason::Internal, what).line("nothing was run").say();
    Exit::Guard
}

fn meta(eval: &Evaluation, inv: &Invocation, settings: &Settings) -> Meta {
    let shown = |bytes: &[u8]| Shown::text(bytes).into_string();
    let full = settings.journal_full;
    let command = match &inv.form {
        Form::Program { argv, .. } if full => Shown::argv(argv).into_string(),
        Form::Program { argv, .. } => Shown::argv(&mask_words(argv)).into_string(),
        Form::Text { text, .. } if full => shown(text),
        Form::Text { text, .. } => shown(&mask_text(text)),
    };
    Meta {
        id: sys::edit::uuid(),
        agent: eval.effective.agent.clone(),
        session: inv.session.clone(),
        command,
        cwd: inv.cwd.as_deref().map(shown),
        state: State::Waiting,
        submitted_at_ms: inv.now_ms,
        expires_at_ms: None,
        started_at_ms: None,
        ended_at_ms: None,
        pid: None,
        code: None,
        by: None,
        reason: None,
        message: None,
        sizes: [Size::default(); 2],
    }
}

/// A line of the journal about what became of a command, its fields in this order: those that an approver writes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    v: u32,
    ts: u64,
    id: &'a str,
    event: &'static str,
    agent: &'a str,
    session: Option<&'a str>,
    code: Option<&'a str>,
    text: &'a str,
    cwd: Option<&'a str>,
    exit_code: Option<u32>,
    duration_ms: Option<u64>,
    uid: u32,
    exact: bool,
}

/// The process that was split off. Nobody reads what it says, so it writes down what there is to know.
struct Behind<'a> {
    inv: &'a Invocation,
    settings: &'a Settings,
    held: Held,
    meta: Meta,
}

impl Behind<'_> {
    /// What a person decided.
    fn decided(mut self, eval: &Evaluation, verdict: Verdict) -> ! {
        match verdict {
            Verdict::Yes(permit, by, _) => {
                self.meta.by = Some(by.word().to_owned());
                if write_down(self.inv, self.settings, eval, &permit, by).is_err() {
                    self.not_run(State::Denied, Reason::Journal, Reason::Journal.meaning());
                }
                self.carry(*permit)
            }
            Verdict::No(reason, by, words) => {
                self.meta.by = Some(by.word().to_owned());
                let _ = refuse(self.inv, self.settings, eval, reason, by, &words);
                self.not_run(State::Denied, reason, words.first().map_or("", String::as_str))
            }
        }
    }

    fn not_run(mut self, state: State, reason: Reason, words: &str) -> ! {
        self.meta.state = state;
        self.meta.ended_at_ms = Some(sys::time::now_ms());
        self.meta.reason = Some(reason.code().to_owned());
        self.meta.message = Some(Shown::text(words.as_bytes()).into_string());
        let _ = self.held.write(&self.meta);
        self.report(Outcome::Denied { reason: reason.code().to_owned() });
        leave(0)
    }

    /// Starts the command and stays until nobody can write any more.
    fn carry(mut self, permit: Permit) -> ! {
        let files = match self.held.streams() {
            Ok(files) => files,
            Err(e) => self.not_run(State::Failed, Reason::Internal, &format!("no file for its output: {e}")),
        };
        // Before it runs: whoever finds the folder later, and nobody at work on it, must not take it for one that was
        // never started.
        self.meta.state = State::Running;
        self.meta.started_at_ms = Some(sys::time::now_ms());
        if let Err(e) = self.held.write(&self.meta) {
            self.not_run(State::Failed, Reason::Internal, &format!("its folder could not be written: {e}"));
        }
        let begun = Instant::now();
        match start(permit) {
            Ok(running) => self.watch(running, files, begun),
            Err(e) => {
                let path = e.path().map(|p| format!("{}: ", Shown::text(p))).unwrap_or_default();
                let reason = if matches!(e, ExecError::Changed(_)) { Reason::Changed } else { Reason::Exec };
                self.meta.started_at_ms = None;
                self.not_run(State::Failed, reason, &format!("{path}{e}"))
            }
        }
    }

    fn watch(mut self, mut running: Running, files: [File; 2], begun: Instant) -> ! {
        self.meta.pid = Some(running.pid());
        let _ = self.held.write(&self.meta);
        let mut files = files.map(Some);
        let notice = Duration::from_millis(self.settings.notice_ms);
        let (mut announced, mut buffer) = (false, vec![0; PIECE]);
        loop {
            let over = self.meta.state.is_over();
            let patience = match announced || over {
                true => LONG,
                false => notice.saturating_sub(begun.elapsed()).min(LONG),
            };
            match running.step(&mut buffer, patience) {
                Ok(Moment::Wrote(at, n)) => {
                    self.keep(&mut files, at, buffer.get(..n).unwrap_or_default());
                }
                Ok(Moment::Ended(code)) => {
                    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                    self.meta.state = State::Finished;
                    self.meta.code = Some(code);
                    self.meta.ended_at_ms = self.meta.started_at_ms.map(|at| at.saturating_add(took));
                    let _ = self.held.write(&self.meta);
                    self.report(Outcome::Finished { code, duration_ms: took });
                }
                Ok(Moment::Over) => {
                    // What it left running may have written since.
                    let _ = self.held.write(&self.meta);
                    leave(0)
                }
                Ok(Moment::Nothing) => {}
                // It cannot be seen any more. That shows: nobody holds the folder.
                Err(_) => leave(0),
            }
            if !announced && !self.meta.state.is_over() && begun.elapsed() >= notice {
                announced = true;
                self.report(Outcome::Running);
            }
        }
    }

    /// Keeps a piece as far as there is room; the rest is counted. The command is not made to wait or fail for it.
    fn keep(&mut self, files: &mut [Option<File>; 2], at: usize, piece: &[u8]) {
        let (Some(slot), Some(size)) = (files.get_mut(at), self.meta.sizes.get_mut(at)) else { return };
        size.bytes = size.bytes.saturating_add(piece.len() as u64);
        let room = self.settings.submit.max_output.saturating_sub(size.kept);
        let kept = piece.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(piece);
        let Some(file) = slot.as_mut().filter(|_| !kept.is_empty()) else { return };
        match file.write_all(kept) {
            Ok(()) => size.kept += kept.len() as u64,
            // A full disk: what is there stays.
            Err(_) => *slot = None,
        }
    }

    /// Tells the approver, and the journal where that one does not write it.
    fn report(&self, what: Outcome) {
        let told = Report { what, at_ms: sys::time::now_ms() };
        if report(self.settings, self.inv.home.as_deref(), &self.meta.id, &told) {
            return;
        }
        let (exit, duration, reason) = match &told.what {
            Outcome::Running => (None, None, None),
            Outcome::Finished { code, duration_ms } => (Some(*code), Some(*duration_ms), None),
            Outcome::Denied { reason } => (None, None, Some(reason.as_str())),
        };
        if let Some(journal) = &self.settings.journal {
            // That it ran stands there already; where that had to be written it was.
            let _ = journal.append(&Event {
                v: 1,
                ts: told.at_ms,
                id: &self.meta.id,
                event: told.what.word(),
                agent: &self.meta.agent,
                session: self.meta.session.as_deref(),
                code: reason,
                text: &self.meta.command,
                cwd: self.meta.cwd.as_deref(),
                exit_code: exit,
                duration_ms: duration,
                uid: sys::ids::uid(),
                exact: false,
            });
        }
    }
}
