//! Claude Code: `permissions` of settings.json holds `allow`, `ask` and `deny`, lists of `Bash(TEXT)`. A text that ends in `:*`
//! stands for what begins so; a `*` anywhere for anything (code.claude.com/docs/en/permissions).
use serde_json::Value;

use super::rule::{Rest, of_text};
use super::{Line, Reader, fits, list, told};

/// Reads it. Rules of tools that run no command are left out.
pub fn read(value: &Value, reader: &Reader<'_>) -> Vec<Line> {
    let mut out = Vec::new();
    for word in ["deny", "ask", "allow"] {
        let rules = value.pointer(&format!("/permissions/{word}")).and_then(Value::as_array);
        for rule in rules.into_iter().flatten() {
            let Some(text) = rule.as_str() else { continue };
            let list = list(word);
            let (tool, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
            let inner = match rest {
                // A name with stars is that of every tool it fits, where something is taken away.
                _ if tool != "Bash" && (word == "allow" || !tool.contains('*') || !fits(tool, "Bash")) => {
                    None
                }
                "" => Some("*"),
                rest => rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')),
            };
            let Some(inner) = inner else {
                out.push(Line::elsewhere(list, told(list, text), text));
                continue;
            };
            out.push(Line::new(list, told(list, text), inner, of_text(list, inner, Rest::None, reader)));
        }
    }
    out
}
