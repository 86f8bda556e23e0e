//! What several agents have in common: where in a call things stand, and the answer that began with Claude Code.
use serde_json::{Map, Value, json};

use super::{Answer, Call, Input};

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

/// A tool's input with another command.
pub(super) fn replaced(input: &Value, command: &str) -> Value {
    let mut out = if input.is_object() { input.clone() } else { Value::Object(Map::new()) };
    put(&mut out, "command", command.into());
    out
}

/// `hookSpecificOutput` of Claude Code.
pub(super) fn specific(event: &str, decision: &str, why: &str) -> Value {
    json!({"hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": why})
}

/// Claude Code's answer.
pub(super) fn claude(answer: &Answer<'_>) -> Option<Value> {
    let specific = match answer {
        Answer::Allow => specific("PreToolUse", "allow", ALLOWED),
        Answer::Rewrite { command, input } => {
            let mut out = specific("PreToolUse", "allow", ALLOWED);
            put(&mut out, "updatedInput", replaced(input, command));
            out
        }
        Answer::Ask(why) => specific("PreToolUse", "ask", why),
        Answer::Deny(why) => specific("PreToolUse", "deny", why),
        Answer::Pass => return None,
    };
    Some(json!({"hookSpecificOutput": specific}))
}

/// The answer of the pieces in JavaScript that stand in an agent's own process. They take nothing else for a yes.
pub(super) fn plugin(answer: &Answer<'_>) -> Option<Value> {
    Some(match answer {
        Answer::Allow => json!({"execGuard": 1, "decision": "allow"}),
        Answer::Rewrite { command, .. } => json!({"execGuard": 1, "decision": "allow", "command": command}),
        Answer::Ask(why) => json!({"execGuard": 1, "decision": "ask", "reason": why}),
        Answer::Deny(why) => json!({"execGuard": 1, "decision": "deny", "reason": why}),
        Answer::Pass => json!({"execGuard": 1, "decision": "pass"}),
    })
}

/// The reason of a yes.
pub(super) const ALLOWED: &str = "exec-guard: allowed by policy";
