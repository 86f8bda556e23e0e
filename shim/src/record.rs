//! One journal line a decision, written before the exec: what ran is in it, also if it never came back.
use std::io;

use policy::{Decision, Evaluation, Form, Invocation};
use protocol::{Shown, mask_text, mask_words};
use serde::Serialize;

use crate::ask::By;
use crate::locate::Settings;

/// Version of the record's shape.
const VERSION: u32 = 1;

/// A line of the journal, its fields in this order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    v: u32,
    ts: u64,
    id: String,
    agent: &'a str,
    session: Option<&'a str>,
    decision: &'static str,
    by: &'static str,
    /// Who answered, as an approver says.
    #[serde(skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    code: Option<&'static str>,
    findings: Vec<&'static str>,
    entries: Vec<Covered<'a>>,
    argv: Vec<String>,
    text: Option<String>,
    shell: Option<String>,
    by_link: bool,
    cwd: Option<String>,
    found: Option<String>,
    real: Option<String>,
    uid: u32,
    pid: i32,
    unattended: bool,
    confined: Option<&'static str>,
    masked: bool,
    exact: bool,
    /// How the command came here, if not by an exec.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<&'static str>,
}

/// An entry that covered a segment.
#[derive(Serialize)]
struct Covered<'a> {
    pattern: &'a str,
    from: &'a str,
    path: Option<String>,
}

/// What was decided.
pub struct Decided<'a> {
    /// The evaluation it rests on.
    pub eval: &'a Evaluation,
    /// What it came to: never *ask*, but for a hook that leaves it to its agent to ask.
    pub decision: Decision,
    /// Who decided.
    pub by: By,
    /// The reason's code, of a denial.
    pub code: Option<&'static str>,
    /// What confinement takes hold, of an allow.
    pub confined: Option<&'static str>,
}

/// Writes the record.
///
/// # Errors
///
/// Why it could not be written; the caller knows whether that matters.
pub fn record(inv: &Invocation, settings: &Settings, decided: &Decided<'_>) -> io::Result<()> {
    let Some(journal) = &settings.journal else { return Ok(()) };
    journal.append(&entry(inv, settings.journal_full, decided))
}

/// Writes the record of what a hook answered: the command itself is run by the agent.
///
/// # Errors
///
/// Why it could not be written; the caller knows whether that matters.
pub fn record_hook(inv: &Invocation, settings: &Settings, decided: &Decided<'_>) -> io::Result<()> {
    let Some(journal) = &settings.journal else { return Ok(()) };
    journal.append(&Record { via: Some("hook"), ..entry(inv, settings.journal_full, decided) })
}

fn entry<'a>(inv: &'a Invocation, full: bool, decided: &Decided<'a>) -> Record<'a> {
    let eval = decided.eval;
    let approver = match &decided.by {
        By::Approver(approver) => Some(approver),
        By::Person | By::Policy | By::Fallback => None,
    };
    let plan = match decided.by {
        By::Person | By::Approver(_) => eval.asks_about(),
        By::Policy | By::Fallback => eval.executes().or(eval.asks_about()),
    };
    let mut codes: Vec<&'static str> = eval.findings.iter().map(|f| f.reason.code()).collect();
    codes.dedup();
    let shown = |bytes: &[u8]| Shown::text(bytes).into_string();
    let (words, text, shell, by_link) = match &inv.form {
        Form::Program { argv, by_link } => (argv, None, None, *by_link),
        Form::Text { text, shell, args } => (args, Some(text), shell.as_deref().map(shown), false),
    };
    let kept = if full { words.clone() } else { mask_words(words) };
    let kept_text = text.map(|t| if full { t.clone() } else { mask_text(t) });
    let masked = kept != *words || kept_text.as_ref() != text;
    let argv: Vec<String> = kept.iter().map(|w| logged(w)).collect();
    let logged_text = kept_text.as_deref().map(logged);
    // Only what stands there byte for byte can be judged again.
    let exact = argv.iter().map(String::as_bytes).eq(words.iter().map(Vec::as_slice))
        && logged_text.as_deref().map(str::as_bytes) == text.map(Vec::as_slice);
    // What covered it, so that a list can show when an entry was last of use.
    let entries = eval
        .segments
        .iter()
        .filter_map(|s| {
            let (pattern, from) = s.entry.as_deref()?;
            let path = s.exe.as_ref().map(|e| shown(&e.found));
            Some(Covered { pattern, from, path })
        })
        .collect();
    Record {
        v: VERSION,
        // A person takes a while.
        ts: if decided.by == By::Policy { inv.now_ms } else { sys::time::now_ms() },
        // That of the question, so that what an approver wrote about it is found.
        id: approver.map_or_else(sys::edit::uuid, |a| a.question.clone()),
        agent: &eval.effective.agent,
        session: inv.session.as_deref(),
        decision: decided.decision.word(),
        by: decided.by.word(),
        who: approver.and_then(|a| a.who.as_deref()).map(|who| shown(who.as_bytes())),
        code: decided.code,
        findings: codes,
        entries,
        argv,
        text: logged_text,
        shell,
        by_link,
        cwd: inv.cwd.as_deref().map(shown),
        found: plan.map(|p| shown(&p.exe.found)),
        real: plan.map(|p| shown(&p.exe.real)),
        uid: sys::ids::uid(),
        pid: sys::ids::pid(),
        unattended: inv.unattended,
        confined: decided.confined,
        masked,
        exact,
        via: None,
    }
}

/// Bytes for a record: line ends and tabs stay, since JSON itself spells them out; where there is anything else that
/// hides or moves, all of it is spelled out.
fn logged(bytes: &[u8]) -> String {
    let plain = |piece: &[u8]| Shown::text(piece).as_str().as_bytes() == piece;
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.split(|b| matches!(b, b'\n' | b'\t')).all(plain) => text.to_owned(),
        _ => Shown::text(bytes).into_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_keeps_what_json_makes_visible() {
        assert_eq!(logged(b"a\n\tb \\n"), "a\n\tb \\n");
        assert_eq!(logged(b"a\nb\x1b[2J"), "a\\nb\\x1b[2J");
        assert_eq!(logged("a\u{202e}b".as_bytes()), "a\\u{202e}b");
        assert_eq!(logged(b"\xff"), "\\xff");
    }
}
