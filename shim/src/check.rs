//! Says what would happen and why, and runs nothing: the same verdict with the last step cut off.
use std::fmt::Write;

use policy::{Arg, Decision, Evaluation, Segment};
use protocol::Shown;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::{say, words};

/// Prints the verdict; returns the code that says it.
pub fn report(eval: &Evaluation, json: bool) -> Exit {
    if json {
        say::print(&format!("{}\n", as_json(eval)));
    } else {
        say::print(&as_text(eval));
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

/// Bytes for JSON: as they are where they are text, else with what is no text spelled out. JSON's own escapes
/// keep control characters harmless.
fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| shown(bytes), str::to_owned)
}

/// The shape of the manual, to the letter.
fn as_json(eval: &Evaluation) -> Value {
    let e = &eval.effective;
    let executes = match (eval.decision, eval.executes()) {
        (Decision::Allow, Some(plan)) => match &plan.script {
            Some(script) => json!({"shell": text(&plan.exe.found), "script": text(script)}),
            None => json!({"argv": plan.argv.iter().map(|a| text(a)).collect::<Vec<_>>()}),
        },
        _ => Value::Null,
    };
    json!({
        "decision": eval.decision.word(),
        "agent": e.agent,
        "policy": {
            "security": words::security(e.security.value),
            "ask": words::ask(e.ask.value),
            "askFallback": words::security(e.ask_fallback.value),
            "from": {"security": e.security.from, "ask": e.ask.from, "askFallback": e.ask_fallback.from},
        },
        "segments": eval.segments.iter().map(segment).collect::<Vec<_>>(),
        "shell": eval.dialect.map(words::dialect),
        "findings": eval.findings.iter().map(|f| json!({
            "code": f.reason.code(),
            "decision": f.decision.word(),
            "segment": f.segment,
            "span": f.span.map(|s| [s.start, s.end]),
            "message": f.message,
            "advice": f.advice,
            "nearest": f.nearest.as_ref().map(|n| json!({"pattern": n})),
        })).collect::<Vec<_>>(),
        "executes": executes,
        "notes": e.notes,
    })
}

fn segment(s: &Segment) -> Value {
    json!({
        "text": text(&s.text),
        "argv": s.argv.iter().map(|a| text(a.shown())).collect::<Vec<_>>(),
        "dynamic": s.argv.iter().map(Arg::is_dynamic).collect::<Vec<_>>(),
        "found": s.exe.as_ref().map(|e| text(&e.found)),
        "real": s.exe.as_ref().map(|e| text(&e.real)),
        "kind": s.kind.word(),
        "within": s.within,
        "satisfiedBy": s.satisfied_by.map(|b| b.word()),
        "entry": s.entry.as_ref().map(|(pattern, from)| json!({"pattern": pattern, "from": from})),
        "operator": s.operator,
        "span": s.span.map(|s| [s.start, s.end]),
    })
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
        let _ = writeln!(out, "{}. {}", at + 1, shown(&s.text));
        let what = match (&s.exe, s.satisfied_by) {
            (Some(exe), _) if exe.real != exe.found => {
                format!("{} -> {}", shown(&exe.found), shown(&exe.real))
            }
            (Some(exe), _) => shown(&exe.found),
            (None, _) => format!("a {}", s.kind.word()),
        };
        let by = match (s.satisfied_by, &s.entry) {
            (Some(by), Some((pattern, from))) => {
                format!("{} {} ({})", by.word(), shown(pattern.as_bytes()), shown(from.as_bytes()))
            }
            (Some(by), None) => by.word().to_owned(),
            (None, _) => "not satisfied".to_owned(),
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
        let _ =
            writeln!(out, "     {} [{}] {}", f.decision.word(), f.reason.code(), shown(f.message.as_bytes()));
        if let Some(nearest) = &f.nearest {
            let _ = writeln!(out, "       nearest entry: {}", shown(nearest.as_bytes()));
        }
        if let Some(advice) = f.advice.as_deref().filter(|a| !a.is_empty()) {
            let _ = writeln!(out, "       {}", shown(advice.as_bytes()));
        }
    }
}
