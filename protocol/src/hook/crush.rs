//! Crush: `PreToolUse`. Not measured: its documentation.
//!
//! Saying nothing leaves it to its own prompt, which is off in some modes: it is not used to ask.

use super::shape::{self, Shape};
use super::{Agent, Answer, Input, Shell};
use crate::json::Object;

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
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "event") {
        Some("PreToolUse") => shape::read(&SHAPE, call, written),
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
    runs: "bash",
    besides: "auto_background_after description run_in_background timeout",
    refused: &[],
    quiet: "agent agentic_fetch diagnostics download edit fetch glob grep job_kill job_output ls multiedit \
        references sourcegraph todos view write",
    elsewhere: Some("mcp_"),
};

fn write(answer: &Answer<'_>) -> Option<String> {
    let said = |word: &str| Object::new().whole("version", 1).text("decision", word);
    let out = match answer {
        Answer::Allow => said("allow"),
        Answer::Rewrite { command, .. } => {
            // Merged into the call's own input.
            said("allow").raw("updated_input", &Object::new().text("command", command).end())
        }
        Answer::Ask(why) | Answer::Deny(why) => said("deny").text("reason", why),
        Answer::Pass => return None,
    };
    Some(out.end())
}
