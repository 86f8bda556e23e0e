//! Says what would happen and why, and runs nothing: the same verdict with the last step cut off.
use std::fmt::Write;

use policy::{Decision, Evaluation};
use protocol::{Shown, verdict, words};

use crate::exit::Exit;
use crate::say;

/// Prints the verdict; returns the code that says it.
pub fn report(eval: &Evaluation, json: bool) -> Exit {
    let text = if json {
        format!(
            "{}
",
            verdict::json(eval)
        )
    } else {
        as_text(eval)
    };
    if let Err(exit) = say::print(&text) {
        return exit;
    }
    match eval.decision {
        Decision::Allow => Exit::Done,
        Decision::Ask => Exit::WouldAsk,
        Decision::Deny => Exit::WouldDeny,
    }
}

fn shown(bytes: &[u8]) -> String {
    Shown::text(bytes).into_string()
}

fn as_text(eval: &Evaluation) -> String {
    let e = &eval.effective;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{} (agent {})", eval.decision.word(), shown(e.agent.as_bytes()));
    for (name, value, from) in [
        ("security", words::security(e.security.value), &e.security.from),
        ("ask", words::ask(e.ask.value), &e.ask.from),
        ("askFallback", words::security(e.ask_fallback.value), &e.ask_fallback.from),
    ] {
        let _ = writeln!(out, "  {name:11} {value} ({})", shown(from.as_bytes()));
    }
    for (at, s) in eval.segments.iter().enumerate() {
        let _ = writeln!(out, "{}. {}", at + 1, shown(s.text.trim_ascii()));
        let what = match (&s.exe, s.satisfied_by) {
            (Some(exe), _) if exe.real != exe.found => {
                format!("{} -> {}", shown(&exe.found), shown(&exe.real))
            }
            (Some(exe), _) => shown(&exe.found),
            (None, _) => format!("a {}", s.kind.word()),
        };
        let by = match (s.satisfied_by, s.entry.as_deref()) {
            (Some(by), Some((pattern, from))) => {
                format!("{} {} ({})", by.word(), shown(pattern.as_bytes()), shown(from.as_bytes()))
            }
            (Some(by), None) => by.word().to_owned(),
            // Perhaps an entry covers the program, and what else is said of it asks.
            (None, _) => "not satisfied as it stands".to_owned(),
        };
        let _ = writeln!(out, "     {what}: {by}");
        findings(&mut out, eval, Some(at));
    }
    findings(&mut out, eval, None);
    for note in &e.notes {
        let _ = writeln!(out, "note: {}", shown(note.as_bytes()));
    }
    if let (Decision::Allow, Some(plan)) = (eval.decision, eval.executes()) {
        let _ = writeln!(out, "executes: {}", Shown::argv(&plan.argv));
    }
    out
}

fn findings(out: &mut String, eval: &Evaluation, segment: Option<usize>) {
    for f in eval.findings.iter().filter(|f| f.segment == segment) {
        let what = shown(f.message.as_bytes());
        let _ = write!(out, "     {} [{}] {what}", f.decision.word(), f.reason.code());
        // Of text that was given; a command that came as words has no columns.
        let text = eval.asks_about().and_then(|plan| plan.script.as_deref());
        if let (Some(span), Some(text)) = (f.span, text) {
            let (line, column) = verdict::place(text, span.start);
            let _ = write!(out, " (at {line}:{column})");
        }
        out.push('\n');
        if let Some(nearest) = &f.nearest {
            let _ = writeln!(out, "       nearest entry: {}", shown(nearest.as_bytes()));
        }
        if let Some(advice) = f.advice.as_deref().filter(|a| !a.is_empty()) {
            let _ = writeln!(out, "       {}", shown(advice.as_bytes()));
        }
    }
}
