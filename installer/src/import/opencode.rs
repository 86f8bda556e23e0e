//! OpenCode: `permission.bash` of opencode.json is a word for every command, or an object of patterns with `*` and `?` in which
//! the last that matches counts. Ours has no order (what forbids wins), so nothing that was asked about or refused by an earlier
//! pattern is allowed here: an allowing pattern counts only if no later one takes anything away from it, or ours does so too.
use serde_json::Value;
use store::edit::List;

use super::rule::{Rest, of_text};
use super::{Bars, Line, Reader, fits, list, told};

/// Reads it.
pub fn read(value: &Value, reader: &Reader<'_>) -> Vec<Line> {
    // Their order counts, so what is taken back is seen to here.
    let line = |text, rule| Line { text, rule, bars: Bars::Nothing };
    let one = |list: List, text: &str, why: &str| line(told(list, text), Err(why.to_owned()));
    let bash = match value.get("permission") {
        Some(Value::String(word)) => return vec![every(word)],
        Some(permission) => permission.get("bash"),
        None => None,
    };
    let mut out = elsewhere(value);
    out.extend(match bash {
        Some(Value::String(word)) => vec![every(word)],
        Some(Value::Object(map)) => {
            let rows: Vec<(&String, Option<&str>)> = map.iter().map(|(k, v)| (k, v.as_str())).collect();
            let row = |(n, (pattern, word)): (usize, &(&String, Option<&str>))| {
                let Some(word @ ("allow" | "ask" | "deny")) = *word else {
                    return one(List::Ask, pattern, "it says neither allow nor ask nor deny");
                };
                let list = list(word);
                let rule = match (pattern.as_str(), list) {
                    ("*", List::Ask) => Err("what no entry covers is asked about anyway".into()),
                    (text, _) if text.contains('?') => Err("`?` may mean something to a shell".into()),
                    _ => of_text(list, pattern, Rest::None, reader),
                };
                // A later one that cannot be carried over might have taken something back.
                let lost = rows.iter().skip(n + 1).find(|(p, w)| {
                    *w != Some("allow")
                        && (p.contains('?') || of_text(List::Deny, p, Rest::None, reader).is_err())
                });
                let rule = match (list, lost) {
                    (List::Allow, Some((by, _))) => {
                        Err(format!("`{by}` behind it takes something back, and is left out"))
                    }
                    _ => rule,
                };
                line(told(list, pattern), rule)
            };
            rows.iter().enumerate().map(row).collect()
        }
        _ => Vec::new(),
    });
    out
}

/// What else speaks of the shell: another name behind `bash` that fits it (the last one counts, read in 1.18.33), the list
/// of tools, and what an agent of its own has.
fn elsewhere(value: &Value) -> Vec<Line> {
    let mut out = Vec::new();
    let object = |v: Option<&Value>| v.and_then(Value::as_object).cloned().unwrap_or_default();
    let (mut behind, mut named) = (false, false);
    for (name, word) in &object(value.get("permission")) {
        named |= name == "bash";
        behind |= named && name != "bash" && fits(name, "bash") && word != "allow";
    }
    if behind {
        out.push(Line::bar("permission".into(), "what stands behind `bash` in it counts for more"));
    }
    let takes =
        |tools: &Value| object(Some(tools)).iter().any(|(n, v)| fits(n, "bash") && *v != Value::Bool(true));
    if value.get("tools").is_some_and(takes) {
        out.push(Line::bar("tools".into(), "it takes the shell away"));
    }
    for at in ["agent", "mode"] {
        for (name, agent) in &object(value.get(at)) {
            let own = match agent.get("permission") {
                None | Some(Value::Null) => false,
                Some(Value::Object(map)) => map.iter().any(|(n, v)| fits(n, "bash") && *v != "allow"),
                Some(word) => *word != "allow",
            };
            if own || agent.get("tools").is_some_and(takes) {
                out.push(Line::bar(
                    format!("{at}.{name}"),
                    "this agent has rules of its own about the shell",
                ));
            }
        }
    }
    out
}

fn every(word: &str) -> Line {
    let list = list(word);
    let why = match list {
        List::Allow => "it would allow every program",
        List::Ask => "every command: set `ask` to always",
        List::Deny => "every command: set `security` to deny",
    };
    Line { text: told(list, "*"), rule: Err(why.into()), bars: Bars::Nothing }
}
