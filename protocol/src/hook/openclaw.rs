//! OpenClaw: a plugin in its own process, `before_tool_call`. Measured: 2026.9.6.
//!
//! The plugin passes on what it was told, with the folder as `cwd`. OpenClaw's own approval (`requireApproval`) asks,
//! and denies where there is no surface to ask on. `openclaw agent exec` loads the plugin and never calls it.
use serde_json::Value;

use super::shape::{self, Shape};
use super::{Agent, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "openclaw",
    facts: "OpenClaw 2026.9.6",
    // It waits 15 s for a plugin by its documentation.
    budget_ms: 12_000,
    shell: Shell::Variable(&["bash", "zsh", "sh", "dash"]),
    asks: true,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read,
    write: shape::plugin,
};

const SHAPE: Shape = Shape {
    tool: "toolName",
    input: "params",
    cwd: "cwd",
    session: "sessionKey",
    folder: Some("workdir"),
    runs: "exec bash",
    besides: "ask background description env host pty security timeout yieldMs",
    refused: &[],
    quiet: "agents_list apply_patch browser canvas edit image memory_get memory_search message read \
        session_status sessions_history sessions_list sessions_send tts web_fetch web_search write",
    elsewhere: None,
};

fn read(call: &Value, _: &str) -> Input {
    let (Some(event), ctx) = (call.get("event").filter(|e| e.is_object()), call.get("ctx")) else {
        return Input::Broken("another event than before_tool_call".into());
    };
    if shape::text(event, "toolName") == Some("process") {
        return process(event.get("params").and_then(|p| shape::text(p, "action")));
    }
    let mut event = event.clone();
    shape::put(&mut event, "cwd", call.get("cwd").cloned().unwrap_or_default());
    shape::put(&mut event, "sessionKey", ctx.and_then(|c| c.get("sessionKey")).cloned().unwrap_or_default());
    let mut call = match shape::read(&SHAPE, &event, "") {
        Input::Call(call) => call,
        other => return other,
    };
    call.agent = ctx.and_then(|c| shape::text(c, "agentId")).map(str::to_owned);
    let given = |name: &str| event.get(SHAPE.input).and_then(|i| i.get(name)).filter(|v| !v.is_null());
    match given("host").map(Value::as_str) {
        None | Some(Some("auto" | "gateway")) => {}
        Some(_) => return Input::Broken("it would run on another host than this one".into()),
    }
    match given("env") {
        None => {}
        Some(Value::Object(all)) => {
            for (name, value) in all {
                let Some(value) = value.as_str() else {
                    return Input::Broken("a variable's value is no string".into());
                };
                call.env.push((name.clone(), value.to_owned()));
            }
        }
        Some(_) => return Input::Broken("its variables are no object".into()),
    }
    Input::Call(call)
}

/// The tool that looks after commands in the background.
fn process(action: Option<&str>) -> Input {
    match action {
        Some("list" | "poll" | "log" | "kill" | "clear" | "remove") => Input::NotAShell,
        _ => Input::Broken("what is typed into a running program cannot be judged".into()),
    }
}
