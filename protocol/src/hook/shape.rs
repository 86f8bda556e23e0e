//! What several agents have in common: where in a call things stand, and the answer that began with Claude Code.
use serde_json::Value;

use super::{Answer, Call, Input};
use crate::json::{self, Object};

/// Where things stand in a call.
pub(super) struct Shape {
    /// Member with the tool's name.
    pub tool: &'static str,
    /// Member with the tool's input.
    pub input: &'static str,
    /// Member with the folder.
    pub cwd: &'static str,
    /// Member with the session.
    pub session: &'static str,
    /// Member of the input with another folder to run in, relative to the first.
    pub folder: Option<&'static str>,
    /// Tools that run `command` of their input.
    pub runs: &'static [&'static str],
    /// Tools that run what cannot be judged, and why.
    pub refused: &'static [(&'static str, &'static str)],
    /// Tools that run no command.
    pub quiet: &'static [&'static str],
    /// What the names of tools begin with that come from elsewhere (MCP) and run no command that a hook could see.
    pub elsewhere: Option<&'static str>,
}

/// Reads a call of that shape.
pub(super) fn read(shape: &Shape, call: &Value) -> Input {
    let Some(tool) = text(call, shape.tool) else { return Input::Broken("the call names no tool".into()) };
    if let Some(other) = shape.other(tool) {
        return other;
    }
    let Some(input) = call.get(shape.input).filter(|i| i.is_object()) else {
        return Input::Broken("the call holds no input for the tool".into());
    };
    let Some(command) = text(input, "command") else {
        return Input::Broken("the command is no string".into());
    };
    let Some(mut cwd) = text(call, shape.cwd).map(str::to_owned) else {
        return Input::Broken("the folder it runs in is not said".into());
    };
    if let Some(key) = shape.folder {
        match input.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::String(dir)) => cwd = within(&cwd, dir),
            Some(_) => return Input::Broken("the folder it runs in is no string".into()),
        }
    }
    Input::Call(Call {
        commands: vec![command.to_owned()],
        cwd,
        session: text(call, shape.session).map(str::to_owned),
        input: input.clone(),
        ..Call::default()
    })
}

impl Shape {
    /// What a tool comes to that is none of those that run commands.
    pub fn other(&self, tool: &str) -> Option<Input> {
        if self.runs.contains(&tool) {
            return None;
        }
        if let Some((_, why)) = self.refused.iter().find(|(name, _)| *name == tool) {
            return Some(Input::Broken((*why).to_owned()));
        }
        let elsewhere = self.elsewhere.is_some_and(|prefix| tool.starts_with(prefix));
        if elsewhere || self.quiet.contains(&tool) {
            return Some(Input::NotAShell);
        }
        Some(Input::Unknown(tool.to_owned()))
    }
}

/// A member that is a string.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// A folder, absolute or relative to another.
pub(super) fn within(cwd: &str, dir: &str) -> String {
    match dir {
        "" => cwd.to_owned(),
        dir if dir.starts_with('/') => dir.to_owned(),
        dir => format!("{cwd}/{dir}"),
    }
}

/// Sets a member of an object.
pub(super) fn put(object: &mut Value, key: &str, value: Value) {
    if let Some(map) = object.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}

/// A tool's input with another command; `None` where it holds what cannot be written as it came.
pub(super) fn replaced(input: &Value, command: &str) -> Option<String> {
    let mut out = Object::new();
    for (name, value) in input.as_object()?.iter().filter(|(name, _)| *name != "command") {
        out = out.raw(name, &written(value)?);
    }
    Some(out.text("command", command).end())
}

/// A value as JSON. Numbers are whole ones: how a fraction came is not known any more.
fn written(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => {
            n.as_i64().map(|n| n.to_string()).or_else(|| n.as_u64().map(|n| n.to_string()))?
        }
        Value::String(text) => json::quoted(text),
        Value::Array(all) => json::list(all.iter().map(written).collect::<Option<Vec<_>>>()?.into_iter()),
        Value::Object(all) => {
            let mut out = Object::new();
            for (name, value) in all {
                out = out.raw(name, &written(value)?);
            }
            out.end()
        }
    })
}

/// `hookSpecificOutput` of Claude Code.
pub(super) fn specific(decision: &str, why: &str) -> Object {
    let out = Object::new().text("hookEventName", "PreToolUse").text("permissionDecision", decision);
    out.text("permissionDecisionReason", why)
}

/// Claude Code's answer.
pub(super) fn claude(answer: &Answer<'_>) -> Option<String> {
    let specific = match answer {
        Answer::Allow => specific("allow", ALLOWED),
        Answer::Rewrite { command, input } => {
            specific("allow", ALLOWED).raw("updatedInput", &replaced(input, command)?)
        }
        Answer::Ask(why) => specific("ask", why),
        Answer::Deny(why) => specific("deny", why),
        Answer::Pass => return None,
    };
    Some(Object::new().raw("hookSpecificOutput", &specific.end()).end())
}

/// The answer of the pieces in JavaScript that stand in an agent's own process. They take nothing else for a yes.
pub(super) fn plugin(answer: &Answer<'_>) -> Option<String> {
    let said = |word: &str| Object::new().whole("execGuard", 1).text("decision", word);
    let out = match answer {
        Answer::Allow => said("allow"),
        Answer::Rewrite { command, .. } => said("allow").text("command", command),
        Answer::Ask(why) => said("ask").text("reason", why),
        Answer::Deny(why) => said("deny").text("reason", why),
        Answer::Pass => said("pass"),
    };
    Some(out.end())
}

/// The reason of a yes.
pub(super) const ALLOWED: &str = "exec-guard: allowed by policy";
