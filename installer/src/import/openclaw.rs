//! OpenClaw: exec-approvals.json, the format that ours is as well. Entries go over agent by agent; what a document says besides
//! is a person's to decide.
use serde_json::{Map, Value};
use store::edit::List;

use super::rule::Rule;
use super::{Bars, Line, told};

/// Fields that say nothing of what an entry matches.
const IDLE: &[&str] = &[
    "id",
    "note",
    "source",
    "lastUsedAt",
    "lastUsedCommand",
    "lastResolvedPath",
    "commandText",
    "createdAt",
];
/// Fields that make it narrower, and mean the same here.
const KEPT: &[&str] = &["argPattern", "args", "cwd", "expiresAt"];

/// Reads it.
pub fn read(value: &Value) -> Vec<Line> {
    let mut out = Vec::new();
    for (id, agent) in value.get("agents").and_then(Value::as_object).into_iter().flatten() {
        // As OpenClaw reads it.
        let id = if id == "default" { "main" } else { id };
        for key in ["security", "ask", "askFallback", "autoAllowSkills"] {
            if let Some(is) = agent.get(key) {
                let text = told(List::Ask, &format!("{id}: {key} {is}")).replacen("ask ", "", 1);
                out.push(Line {
                    text,
                    rule: Err("a setting, not an entry: exec-guardctl approvals get".into()),
                    bars: Bars::Nothing,
                });
            }
        }
        let closed = closed(value, agent);
        for (key, list) in [("allowlist", List::Allow), ("asklist", List::Ask), ("denylist", List::Deny)] {
            for entry in agent.get(key).and_then(Value::as_array).into_iter().flatten() {
                let pattern = entry.as_str().or_else(|| entry.get("pattern").and_then(Value::as_str));
                let text = told(list, &format!("{id}: {}", pattern.unwrap_or("(no pattern)")));
                let rule = match closed {
                    Some(why) if list == List::Allow => Err(why.to_owned()),
                    _ => rule(id, list, pattern, entry),
                };
                out.push(Line::new(list, text, pattern.unwrap_or_default(), rule));
            }
        }
    }
    out
}

/// Why entries allow nothing by themselves there: the strictest that the document says of it.
fn closed(value: &Value, agent: &Value) -> Option<&'static str> {
    let scopes = [value.get("defaults"), value.pointer("/agents/*"), Some(agent)];
    let says = |key: &str, word: &str| {
        scopes.iter().flatten().any(|s| s.get(key).and_then(Value::as_str) == Some(word))
    };
    if says("security", "deny") {
        Some("`security` is deny there: nothing runs")
    } else if says("ask", "always") {
        Some("`ask` is always there: it is asked about all the same")
    } else {
        None
    }
}

fn rule(agent: &str, list: List, pattern: Option<&str>, entry: &Value) -> Result<Rule, String> {
    let pattern = pattern.map(str::trim).filter(|p| !p.is_empty()).ok_or("it has no pattern")?;
    if list == List::Allow && !pattern.contains('/') {
        return Err("a bare name allows nothing here, nor there".into());
    }
    if list == List::Allow && pattern.chars().all(|c| matches!(c, '*' | '/' | '?')) {
        return Err("it would allow every program".into());
    }
    policy::glob::PathGlob::new(pattern, None, false).map_err(|e| e.to_string())?;
    let mut more = Map::new();
    for (key, value) in entry.as_object().into_iter().flatten() {
        if KEPT.contains(&key.as_str()) {
            more.insert(key.clone(), value.clone());
        } else if key != "pattern" && !IDLE.contains(&key.as_str()) {
            return Err(format!("`{key}` may make it narrower, and means nothing here"));
        }
    }
    Ok(Rule { list, pattern: pattern.into(), args: None, cwd: None, agent: Some(agent.into()), more })
}
