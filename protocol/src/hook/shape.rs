//! What several agents have in common: where in a call things stand, and the answer that began with Claude Code.
use serde_json::Value;

use super::handed::handed;
use super::{Answer, Call, Input, raw};
use crate::json::Object;

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
    /// Tools that run `command` of their input; names in a list are separated by blanks.
    pub runs: &'static str,
    /// Other members of their input that change nothing of what runs.
    pub besides: &'static str,
    /// Tools that run what cannot be judged, and why.
    pub refused: &'static [(&'static str, &'static str)],
    /// Tools that run no command.
    pub quiet: &'static str,
    /// What the names of tools begin with that come from elsewhere (MCP); `None` where they have no such mark.
    pub elsewhere: Option<&'static str>,
}

/// Reads a call of that shape; `written` is its text.
pub(super) fn read(shape: &Shape, call: &Value, written: &str) -> Input {
    let Some(tool) = text(call, shape.tool) else { return Input::Broken("the call names no tool".into()) };
    if let Some(other) = shape.other(tool, call.get(shape.input), call) {
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
        input: raw::member(written, shape.input).unwrap_or_default().to_owned(),
        odd: shape.odd(input),
        ..Call::default()
    })
}

impl Shape {
    /// What a tool comes to that is none of those that run commands. One from elsewhere that is handed commands runs
    /// those; where no name tells what is from elsewhere, a tool that is not known may be.
    pub fn other(&self, tool: &str, input: Option<&Value>, call: &Value) -> Option<Input> {
        if listed(self.runs, tool) {
            return None;
        }
        if let Some((_, why)) = self.refused.iter().find(|(name, _)| *name == tool) {
            return Some(Input::Broken((*why).to_owned()));
        }
        if listed(self.quiet, tool) {
            return Some(Input::NotAShell);
        }
        let handed = handed(tool, input, text(call, self.cwd).unwrap_or_default());
        let unknown = handed.unread || !self.elsewhere.is_none_or(|prefix| tool.starts_with(prefix));
        Some(match handed.commands.is_empty() {
            _ if unknown => Input::Unknown(tool.to_owned()),
            true => Input::NotAShell,
            false => Input::Call(Call {
                commands: handed.commands,
                cwd: handed.cwd,
                session: text(call, self.session).map(str::to_owned),
                odd: handed.odd,
                foreign: true,
                tool: tool.to_owned(),
                ..Call::default()
            }),
        })
    }

    /// Why the input of a tool that runs commands is not only its command: a member that is not known, and set.
    pub fn odd(&self, input: &Value) -> Option<String> {
        let unset = |v: &Value| matches!(v, Value::Null | Value::Bool(false)) || v.as_str() == Some("");
        let known = |n: &str| n == "command" || Some(n) == self.folder || listed(self.besides, n);
        let (name, _) = input.as_object()?.iter().find(|(name, v)| !known(name) && !unset(v))?;
        Some(unknown(name))
    }
}

/// Why a member makes a command odd.
pub(super) fn unknown(name: &str) -> String {
    format!("the call says `{name}`, which is not known here and may change what runs")
}

pub(super) fn listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| n == name)
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

/// A tool's input with another command, the rest as it came; `None` where it is no object.
pub(super) fn replaced(input: &str, command: &str) -> Option<String> {
    let rest = raw::members(input)?.into_iter().filter(|(name, _)| name != "command");
    let out = rest.fold(Object::new(), |out, (name, value)| out.raw(&name, value));
    Some(out.text("command", command).end())
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
