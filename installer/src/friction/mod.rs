//! `friction`: how much a policy would ask about commands that somebody really ran.
mod advise;
mod read;

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use policy::{Decision, Evaluation, Proposal, Reason, proposals};
use protocol::Shown;
use serde_json::{Value, json};

use crate::cli::Friction;
use crate::court::Court;
use crate::exit::{Exit, Failure};
use crate::explain::edit_line;
use crate::progress::Progress;
use crate::say::{self, Page, Tint};
use advise::Advice;
use read::Command;

/// Largest file that is read, bytes.
const MAX_BYTES: u64 = 1 << 30;
/// How many entries are suggested.
const SUGGESTIONS: usize = 3;

/// A command with its verdict.
struct Judged {
    command: Command,
    /// How often it stands in what was read.
    times: usize,
    decision: Decision,
    reason: Option<Reason>,
    /// What *always allow* could store, narrowest first.
    proposals: Vec<Proposal>,
}

/// Does it.
///
/// # Errors
/// A file cannot be read or holds no command; the policy cannot be read.
pub fn run(args: &Friction) -> Result<Exit, Failure> {
    if args.files.is_empty() {
        return Err(Failure::usage("whose commands? a FILE is missing, or - for standard input")
            .advise("for example: exec-guardctl friction ~/.bash_history"));
    }
    let mut court = Court::of_caller(None)?;
    if let Some(folder) = &args.policy {
        court = court.under(folder)?;
    }
    if let Some(preset) = args.preset {
        court = court.under_preset(preset)?;
    }
    let mut times: BTreeMap<Command, usize> = BTreeMap::new();
    let mut skipped = 0;
    for file in &args.files {
        let reading = read::read(&bytes(file)?);
        skipped += reading.skipped;
        for command in reading.commands {
            *times.entry(command).or_insert(0) += 1;
        }
    }
    if times.is_empty() {
        return Err(Failure::not("there is no command in it").advise(
            "it reads commands line by line, histories of bash and zsh, JSON lines, transcripts of Claude Code and Codex",
        ));
    }
    let mut progress = Progress::new(times.len());
    let mut judged = Vec::with_capacity(times.len());
    for (command, times) in times {
        progress.step();
        judged.push(judge(&court, &args.agent, command, times)?);
    }
    let advice = advise::entries(&court, &args.agent, &judged, SUGGESTIONS)?;
    let mut page = Page::new();
    if args.json {
        page.json(&as_json(&judged, &advice, skipped, &args.agent));
    } else {
        print(&judged, &advice, &args.agent, &mut page);
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if skipped > 0 {
        say::word(format!("{skipped} records hold no command and are skipped"));
    }
    Ok(Exit::Done)
}

fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut out)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(MAX_BYTES).read_to_end(&mut out))
    };
    read.map_err(|e| Failure::usage(format!("{}: {e}", Shown::text(file.as_os_str().as_bytes()))))?;
    Ok(out)
}

fn judge(court: &Court, agent: &str, command: Command, times: usize) -> Result<Judged, Failure> {
    let host = court.host();
    let inv = court.invocation_of(agent, command.form.form(), command.cwd.clone());
    let eval: Evaluation = court.judge(&inv, &host)?;
    let proposals = if eval.decision == Decision::Ask {
        proposals(&eval, &inv, &host).unwrap_or_default()
    } else {
        Vec::new()
    };
    let reason = eval.ground().map(|f| f.reason);
    Ok(Judged { command, times, decision: eval.decision, reason, proposals })
}

/// Commands with this verdict, as often as they stand there.
fn count(judged: &[Judged], decision: Decision) -> usize {
    judged.iter().filter(|j| j.decision == decision).map(|j| j.times).sum()
}

/// A cause of questions and refusals.
struct Cause<'a> {
    reason: Reason,
    decision: Decision,
    times: usize,
    /// The command that stands there most often.
    example: &'a Judged,
}

/// By cause, the most frequent first.
fn causes(judged: &[Judged]) -> Vec<Cause<'_>> {
    let mut by: BTreeMap<(Decision, Reason), Cause<'_>> = BTreeMap::new();
    for j in judged {
        let Some(reason) = j.reason.filter(|_| j.decision != Decision::Allow) else { continue };
        let new = Cause { reason, decision: j.decision, times: 0, example: j };
        let cause = by.entry((j.decision, reason)).or_insert(new);
        cause.times += j.times;
        if cause.example.times < j.times {
            cause.example = j;
        }
    }
    let mut out: Vec<Cause<'_>> = by.into_values().collect();
    out.sort_by_key(|c| std::cmp::Reverse(c.times));
    out
}

fn print(judged: &[Judged], advice: &[Advice], agent: &str, page: &mut Page) {
    let all: usize = judged.iter().map(|j| j.times).sum();
    page.tinted(Tint::Bold, format!("{all} commands, {} different, as agent {agent}", judged.len()));
    for (name, decision, tint) in [
        ("pass", Decision::Allow, Tint::Green),
        ("ask", Decision::Ask, Tint::Yellow),
        ("refused", Decision::Deny, Tint::Red),
    ] {
        let n = count(judged, decision);
        page.tinted(tint, format!("  {name:7} {n:>7}  {:>5} %", percent(n, all)));
    }
    let causes = causes(judged);
    if !causes.is_empty() {
        page.tinted(Tint::Bold, "why");
        for c in &causes {
            page.line(format!(
                "  {:>7}  {:5} {:18} {}",
                c.times,
                c.decision.word(),
                c.reason.code(),
                short(&crate::trial::command(&c.example.command.form.form()))
            ));
        }
    }
    if !advice.is_empty() {
        page.tinted(Tint::Bold, "entries that would save the most questions");
        for a in advice {
            page.line(format!("  {:>7}  {}", a.saves, edit_line(&a.entry, agent)));
        }
        let saved: usize = advice.iter().map(|a| a.saves).sum();
        let left = count(judged, Decision::Ask).saturating_sub(saved);
        let left = if left == 1 { "1 question is".to_owned() } else { format!("{left} questions are") };
        page.line(format!("  with all of them {left} left"));
        if advice.iter().any(|a| a.entry.args.is_none()) {
            page.line("  an entry without --args lets the program do all it can: look before you add it");
        }
    }
}

/// Per cent with one digit behind the point, rounded down: `100.0` is all of them.
fn percent(n: usize, all: usize) -> String {
    let tenths = n.saturating_mul(1000).checked_div(all).unwrap_or(0);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The begin of a command, for a line.
fn short(command: &str) -> String {
    const MOST: usize = 70;
    match command.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", command.get(..at).unwrap_or_default()),
        None => command.to_owned(),
    }
}

fn as_json(judged: &[Judged], advice: &[Advice], skipped: usize, agent: &str) -> Value {
    let causes: Vec<Value> = causes(judged)
        .iter()
        .map(|c| {
            json!({
                "code": c.reason.code(),
                "decision": c.decision.word(),
                "commands": c.times,
                "example": crate::trial::command(&c.example.command.form.form()),
            })
        })
        .collect();
    let entries: Vec<Value> = advice
        .iter()
        .map(|a| {
            json!({
                "pattern": a.entry.pattern,
                "args": a.entry.args,
                "saves": a.saves,
                "command": edit_line(&a.entry, agent),
            })
        })
        .collect();
    json!({
        "agent": agent,
        "commands": judged.iter().map(|j| j.times).sum::<usize>(),
        "different": judged.len(),
        "skipped": skipped,
        "pass": count(judged, Decision::Allow),
        "ask": count(judged, Decision::Ask),
        "refused": count(judged, Decision::Deny),
        "causes": causes,
        "entries": entries,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_whole() {
        assert_eq!(
            [percent(1, 3), percent(999, 1000), percent(5, 5), percent(0, 0)],
            ["33.3", "99.9", "100.0", "0.0"]
        );
        assert_eq!(short("ä".repeat(71).as_str()).chars().count(), 71);
        assert_eq!(short("ls"), "ls");
    }
}
