//! Qwen Code: `PreToolUse`. Measured: 0.24.4.
//!
//! Its own prompt asks in its terminal interface, in every approval mode, and denies with the reason in `-p`. What an
//! answer puts in place of the command is not run.
use super::shape::{self, Shape};
use super::{Agent, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "qwen",
    facts: "Qwen Code 0.24.4",
    // Not measured without a setting; its sibling waits 60 s.
    budget_ms: 50_000,
    shell: Shell::Bash,
    asks: true,
    rewrites: false,
    longest: 0,
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "hook_event_name") {
        Some("PreToolUse") => shape::read(&SHAPE, call, written),
        _ => Input::Broken("another event than PreToolUse".into()),
    },
    write: shape::claude,
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "cwd",
    session: "session_id",
    folder: Some("directory"),
    runs: "run_shell_command",
    besides: "description is_background timeout wait_for_previous",
    refused: &[],
    quiet: "agent ask_user_question edit exit_plan_mode glob grep_search list_directory lsp read_file \
        read_many_files save_memory skill task todo_write web_fetch web_search write_file",
    elsewhere: Some("mcp__"),
};
