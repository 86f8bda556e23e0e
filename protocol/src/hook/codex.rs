//! Codex: `PreToolUse`. Measured: 0.171.0.
//!
//! It has no *ask* (the hook counts as failed and the command runs), an *allow* is good only with the input that
//! replaces the call's, and a denial without a reason runs. Otherwise saying nothing is how it is let through.
use super::shape::{self, Shape};
use super::{Agent, Answer, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "codex",
    facts: "Codex 0.171.0",
    // It waits 600 s.
    budget_ms: 570_000,
    shell: Shell::Login,
    asks: false,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "hook_event_name") {
        Some("PreToolUse") => shape::read(&SHAPE, call, written),
        _ => Input::Broken("another event than PreToolUse".into()),
    },
    write: |answer| match answer {
        Answer::Allow => None,
        other => shape::claude(other),
    },
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "cwd",
    session: "session_id",
    folder: None,
    runs: "Bash",
    besides: "description justification max_output_tokens timeout timeout_ms yield_time_ms",
    refused: &[("write_stdin", "what is typed into a running program cannot be judged")],
    quiet: "apply_patch update_plan view_image web_search",
    elsewhere: Some("mcp__"),
};
