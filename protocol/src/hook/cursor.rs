//! Cursor: `beforeShellExecution`. Not measured: its documentation.
//!
//! Its documentation has a prompt (`ask`); since it is not known to ask in its command-line program, it is not used.
use serde_json::Value;

use super::shape::{self, ALLOWED};
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
    read,
    write,
};

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
    // Its calls grow new members that say nothing of the command; variables are not among those.
    let odd = ["env", "environment"].into_iter().find(|name| {
        call.get(name).is_some_and(|v| !v.is_null() && v.as_object().is_none_or(|all| !all.is_empty()))
    });
    Input::Call(Call {
        odd: odd.map(shape::unknown),
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
