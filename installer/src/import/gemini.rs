//! Gemini CLI: `tools.allowed` (older: `allowedTools`) and `tools.exclude` (`excludeTools`) of settings.json hold
//! `run_shell_command(TEXT)`: commands that begin so.
use serde_json::Value;
use store::edit::List;

use super::rule::{Rest, of_text};
use super::{Line, Reader, told};

/// Reads it. Rules of tools that run no command are none.
pub fn read(value: &Value, reader: &Reader<'_>) -> Vec<Line> {
    let mut out = Vec::new();
    for (at, list) in [
        ("/tools/exclude", List::Deny),
        ("/excludeTools", List::Deny),
        ("/tools/allowed", List::Allow),
        ("/allowedTools", List::Allow),
    ] {
        for rule in value.pointer(at).and_then(Value::as_array).into_iter().flatten() {
            let Some(text) = rule.as_str() else { continue };
            let tool = ["run_shell_command", "ShellTool"].iter().find_map(|t| text.strip_prefix(t));
            let inner = match tool {
                Some("") => "",
                Some(rest) => match rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
                    Some(inner) => inner,
                    None => continue,
                },
                None => continue,
            };
            // No wildcard in these: a star is a star.
            let rule = match inner.contains('*') {
                true => Err("`*` may mean something to a shell".into()),
                false => of_text(list, inner, Rest::Any, reader),
            };
            out.push(Line::new(list, told(list, text), inner, rule));
        }
    }
    out
}
