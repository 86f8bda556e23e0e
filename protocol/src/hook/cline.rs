//! Cline: an executable file named `PreToolUse`. Measured: 3.0.65.
//!
//! One call holds several commands that run at the same time. An exit code alone stops nothing: only `cancel` does,
//! and it ends the whole run.
use serde_json::Value;

use super::shape::{self, Shape};
use super::{Agent, Answer, Call, Input, Shell};
use crate::json::Object;

pub(super) static AGENT: Agent = Agent {
    id: "cline",
    facts: "Cline 3.0.65",
    // No limit was seen.
    budget_ms: 110_000,
    shell: Shell::At("/bin/bash"),
    asks: false,
    rewrites: false,
    longest: 0,
    mark: SHAPE.elsewhere,
    read,
    write,
};

const SHAPE: Shape = Shape {
    tool: "toolName",
    input: "parameters",
    cwd: "cwd",
    session: "taskId",
    folder: None,
    runs: "run_commands execute_command",
    besides: "commands requires_approval timeout",
    refused: &[],
    quiet: "access_mcp_resource act_mode_respond apply_patch ask_followup_question ask_question \
        attempt_completion browser_action condense editor fetch_web_content focus_chain \
        list_code_definition_names list_files load_mcp_documentation new_task plan_mode_respond \
        read_file read_files replace_in_file search_codebase search_files skills spawn_agent \
        submit_and_exit use_skill web_fetch web_search write_to_file",
    elsewhere: None,
};

fn read(call: &Value, _: &str) -> Input {
    let Some(asked) = call.get("preToolUse") else {
        return Input::Broken("another event than PreToolUse".into());
    };
    let Some(tool) = shape::text(asked, SHAPE.tool) else {
        return Input::Broken("the call names no tool".into());
    };
    let root = call.get("workspaceRoots").and_then(|r| r.get(0)).and_then(Value::as_str).unwrap_or_default();
    let mut rooted = call.clone();
    shape::put(&mut rooted, SHAPE.cwd, root.into());
    let parameters = asked.get("parameters");
    match SHAPE.other(tool, parameters, &rooted) {
        None => {}
        Some(Input::Unknown(_)) => return Input::Unknown(elsewhere(tool, parameters)),
        Some(Input::Call(call)) => return Input::Call(Call { tool: elsewhere(tool, parameters), ..call }),
        Some(other) => return other,
    }
    // Said twice: as it is, and with every parameter as a string. Both must say the same.
    let parameters = asked.get("parameters").and_then(commands);
    let raw = call.get("tool_call").and_then(|c| c.get("input")).map(commands);
    let commands = match (parameters, raw) {
        (Some(one), None) => one,
        (Some(one), Some(Some(other))) if one == other => one,
        _ => return Input::Broken("the commands are no strings, or said in two ways".into()),
    };
    let odd = asked.get("parameters").and_then(|p| SHAPE.odd(p));
    Input::Call(Call {
        commands,
        cwd: root.to_owned(),
        session: shape::text(call, SHAPE.session).map(str::to_owned),
        odd,
        ..Call::default()
    })
}

/// The tool that calls those of MCP servers, with the server's name and the tool's.
fn elsewhere(tool: &str, input: Option<&Value>) -> String {
    let said = |key: &str| shape::text(input?, key).filter(|name| !name.contains('/'));
    match (said("server_name"), said("tool_name")) {
        (Some(server), Some(name)) if tool == "use_mcp_tool" => format!("{tool}/{server}/{name}"),
        _ => tool.to_owned(),
    }
}

/// `command`, or `commands`: an array, or a string that is one in JSON.
fn commands(input: &Value) -> Option<Vec<String>> {
    match (input.get("command"), input.get("commands")) {
        (Some(Value::String(one)), None) => Some(vec![one.clone()]),
        (None, Some(Value::Array(all))) => strings(all),
        (None, Some(Value::String(text))) => match serde_json::from_str::<Value>(text).ok()? {
            Value::Array(all) => strings(&all),
            _ => None,
        },
        _ => None,
    }
}

fn strings(all: &[Value]) -> Option<Vec<String>> {
    all.iter().map(|v| v.as_str().map(str::to_owned)).collect()
}

fn write(answer: &Answer<'_>) -> Option<String> {
    let out = match answer {
        Answer::Allow | Answer::Rewrite { .. } | Answer::Pass => Object::new().flag("cancel", false),
        Answer::Ask(why) | Answer::Deny(why) => Object::new().flag("cancel", true).text("errorMessage", why),
    };
    Some(out.end())
}
