//! Gemini CLI: `tools.allowed` (older: `allowedTools`) and `tools.exclude` (`excludeTools`) of settings.json hold
//! `run_shell_command(TEXT)`: commands that begin so.
use serde_json::Value;
use store::edit::List;

use super::rule::{Rest, of_text};
use super::{Line, Reader, fits, told};

/// The names of its shell.
const SHELL: [&str; 2] = ["run_shell_command", "ShellTool"];

/// Reads it. Rules of tools that run no command are none.
pub fn read(value: &Value, reader: &Reader<'_>) -> Vec<Line> {
    let mut out = Vec::new();
    // With a list of the tools that there are, the shell is one only if it stands in that, whole. (Read in 0.61.0.)
    for at in ["/tools/core", "/coreTools"] {
        let whole = |list: &Vec<Value>| list.iter().any(|v| SHELL.iter().any(|s| v == s));
        match value.pointer(at) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) if list.is_empty() || whole(list) => {}
            Some(_) => {
                out.push(Line::bar(at.to_owned(), "it says which tools there are, and not the whole shell"))
            }
        }
    }
    for at in ["/tools/exclude", "/excludeTools"] {
        if value.pointer(at).is_some_and(|v| !v.is_array() && !v.is_null()) {
            out.push(Line::bar(at.to_owned(), "it is no list"));
        }
    }
    for (at, list) in [
        ("/tools/exclude", List::Deny),
        ("/excludeTools", List::Deny),
        ("/tools/allowed", List::Allow),
        ("/allowedTools", List::Allow),
    ] {
        for rule in value.pointer(at).and_then(Value::as_array).into_iter().flatten() {
            let Some(text) = rule.as_str() else { continue };
            let tool = SHELL.iter().find_map(|t| text.strip_prefix(t));
            let takes = list == List::Deny;
            let inner = match tool {
                Some("") => "",
                Some(rest) => match rest.strip_prefix('(').and_then(|r| r.strip_suffix(')')) {
                    Some(inner) => inner,
                    None if takes => {
                        out.push(Line::bar(told(list, text), "it is not understood"));
                        continue;
                    }
                    None => continue,
                },
                None if takes && text.contains(['*', '?']) && SHELL.iter().any(|s| fits(text, s)) => {
                    out.push(Line::bar(told(list, text), "it may be about the shell"));
                    continue;
                }
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
