//! Cursor: `beforeShellExecution`. Not measured: its documentation.
//!
//! Its documentation has a prompt (`ask`); since it is not known to ask in its command-line program, it is not used.
use serde_json::Value;

use super::names::{Named, named, plain};
use super::shape::{self, ALLOWED, listed};
use super::{Agent, Answer, Call, Input, Shell};
use crate::json::Object;

pub(super) static AGENT: Agent = Agent {
    id: "cursor",
    facts: "Cursor's documentation of October 2026",
    // How long it waits is not documented.
    budget_ms: 24_000,
    shell: Shell::Variable(&["bash", "zsh"]),
    asks: false,
    rewrites: false,
    longest: 0,
    mark: None,
    read,
    write,
};

/// Members of a call by its documentation.
const KNOWN: &str = "command conversation_id cursor_version cwd generation_id hook_event_name model sandbox \
    session_id timeout transcript_path user_email workspace_roots";

/// Other members that would change what runs, or where.
const CHANGES: &str = "args arguments container env envfile environment host hostname image node privileged remote root \
    runas ssh stdin sudo user username workdir workingdirectory";

fn read(call: &Value, _: &str) -> Input {
    if shape::text(call, "hook_event_name") != Some("beforeShellExecution") {
        return Input::Broken("another event than beforeShellExecution".into());
    }
    let Some(command) = shape::text(call, "command") else {
        return Input::Broken("the command is no string".into());
    };
    // The folder may be empty; then it is the first of the workspace.
    let first = || call.get("workspace_roots").and_then(|r| r.get(0)).and_then(Value::as_str);
    let cwd = shape::text(call, "cwd").filter(|d| !d.is_empty()).or_else(first);
    // Its calls grow new members that say nothing of the command: texts and numbers of any name are those.
    let known = |name: &str| listed(KNOWN, name);
    let telling = |name: &str| named(name) != Named::Other || listed(CHANGES, &plain(name));
    let empty = |v: &Value| match v {
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
        other => matches!(other, Value::Null | Value::Bool(false)) || other.as_str() == Some(""),
    };
    let holds = |v: &Value| v.is_object() || v.is_array();
    let mut all = call.as_object().into_iter().flatten().filter(|(name, v)| !known(name) && !empty(v));
    let odd = all.find(|(name, v)| holds(v) || telling(name)).map(|(name, _)| name);
    Input::Call(Call {
        odd: odd.map(|name| shape::unknown(name)),
        commands: vec![command.to_owned()],
        cwd: cwd.unwrap_or_default().to_owned(),
        session: shape::text(call, "conversation_id").map(str::to_owned),
        ..Call::default()
    })
}

fn write(answer: &Answer<'_>) -> Option<String> {
    let out = match answer {
        Answer::Allow | Answer::Rewrite { .. } => {
            Object::new().text("permission", "allow").text("agent_message", ALLOWED)
        }
        Answer::Ask(why) | Answer::Deny(why) => {
            Object::new().text("permission", "deny").text("user_message", why).text("agent_message", why)
        }
        // Its hook is called for commands only.
        Answer::Pass => return None,
    };
    Some(out.end())
}
