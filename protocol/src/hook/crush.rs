//! Crush: `PreToolUse`. Not measured: its documentation.
//!
//! Saying nothing leaves it to its own prompt, which is off in some modes: it is not used to ask.
use serde_json::{Value, json};

use super::shape::{self, Shape};
use super::{Agent, Answer, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "crush",
    facts: "Crush's documentation of October 2026",
    // It waits 30 s, and then runs the command.
    budget_ms: 24_000,
    // It reads the text by itself, as bash would.
    shell: Shell::Bash,
    asks: false,
    rewrites: true,
    longest: super::MOST,
    read: |call| match shape::text(call, "event") {
        Some("PreToolUse") => shape::read(&SHAPE, call),
        _ => Input::Broken("another event than PreToolUse".into()),
    },
    write,
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "cwd",
    session: "session_id",
    folder: Some("working_dir"),
    runs: &["bash"],
    refused: &[],
    quiet: &[
        "agent",
        "agentic_fetch",
        "diagnostics",
        "download",
        "edit",
        "fetch",
        "glob",
        "grep",
        "job_kill",
        "job_output",
        "ls",
        "multiedit",
        "references",
        "sourcegraph",
        "todos",
        "view",
        "write",
    ],
    elsewhere: Some("mcp_"),
};

fn write(answer: &Answer<'_>) -> Option<Value> {
    Some(match answer {
        Answer::Allow => json!({"version": 1, "decision": "allow"}),
        Answer::Rewrite { command, .. } => {
            json!({"version": 1, "decision": "allow", "updated_input": {"command": command}})
        }
        Answer::Ask(why) | Answer::Deny(why) => json!({"version": 1, "decision": "deny", "reason": why}),
        Answer::Pass => return None,
    })
}
