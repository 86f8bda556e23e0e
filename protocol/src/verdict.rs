//! A verdict for programs: what `exec-guard check --json` prints, and whatever shows the same judgement elsewhere.
use policy::{Arg, Decision, Evaluation, Segment};
use serde_json::{Value, json};

use crate::{Shown, words};

/// Bytes for JSON: as they are where they are text, else with what is no text spelled out. JSON's own escapes
/// keep control characters harmless.
fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| Shown::text(bytes).into_string(), str::to_owned)
}

/// Line and column, from 1, of an offset into a text; columns are characters, where bytes are some.
pub fn place(text: &[u8], at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let last = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
    (line, String::from_utf8_lossy(last).chars().count() + 1)
}

/// An evaluation in the shape of exec-guard(1), to the letter.
pub fn json(eval: &Evaluation) -> Value {
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
        "entry": s.entry.as_deref().map(|(pattern, from)| json!({"pattern": pattern, "from": from})),
        "operator": s.operator,
        "span": s.span.map(|s| [s.start, s.end]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let text = "ls\n\u{e4}b; x".as_bytes();
        for (at, want) in [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (5, (2, 2)), (8, (2, 5)), (99, (2, 6))] {
            assert_eq!(place(text, at), want, "{at}");
        }
    }
}
