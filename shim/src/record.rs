//! One journal line a decision, written before the exec: what ran is in it, also if it never came back.
use std::io;

use policy::{Decision, Evaluation, Form, Invocation};
use protocol::{Shown, mask_text, mask_words};
use serde_json::{Value, json};

use crate::ask::By;
use crate::locate::Settings;

/// Version of the record's shape.
const VERSION: u32 = 1;

/// What was decided.
pub struct Decided<'a> {
    /// The evaluation it rests on.
    pub eval: &'a Evaluation,
    /// What it came to: never *ask*.
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

fn entry(inv: &Invocation, full: bool, decided: &Decided<'_>) -> Value {
    let eval = decided.eval;
    let plan = match decided.by {
        By::Person => eval.asks_about(),
        By::Policy | By::Fallback => eval.executes().or(eval.asks_about()),
    };
    let mut codes: Vec<&str> = eval.findings.iter().map(|f| f.reason.code()).collect();
    codes.dedup();
    let shown = |bytes: &[u8]| Shown::text(bytes).into_string();
    let (argv, text) = match &inv.form {
        Form::Program { argv, .. } => (if full { argv.clone() } else { mask_words(argv) }, None),
        Form::Text { text, args, .. } => {
            let text = if full { text.clone() } else { mask_text(text) };
            (if full { args.clone() } else { mask_words(args) }, Some(shown(&text)))
        }
    };
    // What covered it, so that a list can show when an entry was last of use.
    let entries: Vec<Value> = eval
        .segments
        .iter()
        .filter_map(|s| {
            let (pattern, from) = s.entry.as_ref()?;
            let path = s.exe.as_ref().map(|e| shown(&e.found));
            Some(json!({"pattern": pattern, "from": from, "path": path}))
        })
        .collect();
    json!({
        "v": VERSION,
        "ts": inv.now_ms,
        "id": sys::edit::uuid(),
        "agent": eval.effective.agent,
        "session": inv.session,
        "decision": decided.decision.word(),
        "by": decided.by.word(),
        "code": decided.code,
        "findings": codes,
        "entries": entries,
        "argv": argv.iter().map(|a| shown(a)).collect::<Vec<_>>(),
        "text": text,
        "cwd": inv.cwd.as_deref().map(shown),
        "found": plan.map(|p| shown(&p.exe.found)),
        "real": plan.map(|p| shown(&p.exe.real)),
        "uid": sys::ids::uid(),
        "pid": sys::ids::pid(),
        "unattended": inv.unattended,
        "confined": decided.confined,
        "masked": !full,
    })
}
