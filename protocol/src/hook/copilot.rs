//! Copilot CLI: `preToolUse`. Measured: 1.0.102.
//!
//! Its hooks are called for every tool. Under the event's name in lower camel case Claude Code's answer is ignored and
//! the command runs; under `PreToolUse`, whose call looks like Claude Code's, both are understood. Its own prompt asks
//! in its terminal interface, and denies with the reason in `-p`.
use serde_json::Value;

use super::shape::{self, Shape};
use super::{Agent, Answer, Call, Input, Shell, raw};
use crate::json::Object;

pub(super) static AGENT: Agent = Agent {
    id: "copilot",
    facts: "Copilot CLI 1.0.102",
    // It waits 30 s, and then runs the command.
    budget_ms: 24_000,
    shell: Shell::At("/bin/bash"),
    asks: true,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read,
    write,
};

const SHAPE: Shape = Shape {
    tool: "toolName",
    input: "toolArgs",
    cwd: "cwd",
    session: "sessionId",
    folder: None,
    runs: "bash",
    besides: "async description detach initial_wait mode sessionId shellId timeout",
    refused: &[
        ("powershell", "the language of PowerShell is not read here"),
        ("write_bash", "what is typed into a running program cannot be judged"),
        ("write_powershell", "what is typed into a running program cannot be judged"),
    ],
    quiet: "apply_patch ask_user create edit exit_plan_mode fetch_copilot_cli_documentation glob grep \
        list_agents list_bash list_powershell read_agent read_bash read_powershell report_intent rg \
        skill sql stop_bash stop_powershell store_memory task update_todo view web_fetch web_search",
    elsewhere: None,
};

fn read(call: &Value, written: &str) -> Input {
    // Older versions write the input as a string that is JSON once more.
    match call.get("toolArgs") {
        Some(Value::String(inner)) => match serde_json::from_str::<Value>(inner) {
            Ok(input) => {
                let mut call = call.clone();
                shape::put(&mut call, "toolArgs", input);
                match shape::read(&SHAPE, &call, written) {
                    Input::Call(_) if raw::twice(inner) => {
                        Input::Broken("a name stands twice in the call".into())
                    }
                    Input::Call(call) => Input::Call(Call { input: inner.clone(), ..call }),
                    other => other,
                }
            }
            Err(_) => Input::Broken("the tool's input is not JSON".into()),
        },
        _ => shape::read(&SHAPE, call, written),
    }
}

fn write(answer: &Answer<'_>) -> Option<String> {
    let said = |word: &str, why: &str| {
        Object::new().text("permissionDecision", word).text("permissionDecisionReason", why)
    };
    let out = match answer {
        Answer::Allow => said("allow", shape::ALLOWED),
        Answer::Rewrite { command, input } => {
            said("allow", shape::ALLOWED).raw("modifiedArgs", &shape::replaced(input, command)?)
        }
        Answer::Ask(why) => said("ask", why),
        Answer::Deny(why) => said("deny", why),
        Answer::Pass => return None,
    };
    Some(out.end())
}
