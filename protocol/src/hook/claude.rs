//! Claude Code: `PreToolUse`. Measured: 2.1.332 and 2.1.197.
//!
//! Its own prompt (`ask`) asks in its terminal interface, in every permission mode, and denies with the reason in `-p`.
use super::shape::{self, Shape};
use super::{Agent, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "claude",
    facts: "Claude Code 2.1.332",
    // It waits 600 s.
    budget_ms: 570_000,
    shell: Shell::Variable(&["zsh", "bash"]),
    asks: true,
    rewrites: true,
    longest: 9000,
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "hook_event_name") {
        Some("PreToolUse") => shape::read(&SHAPE, call, written),
        None => Input::Broken("the call does not name its event (`hook_event_name`)".into()),
        _ => Input::Broken("another event than PreToolUse".into()),
    },
    write: shape::claude,
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "cwd",
    session: "session_id",
    folder: None,
    runs: "Bash Monitor",
    besides: "description persistent run_in_background timeout timeout_ms",
    refused: &[("PowerShell", "the language of PowerShell is not read here")],
    quiet: "Agent AskUserQuestion BashOutput Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob \
        Grep KillBash KillShell LS LSP ListMcpResourcesTool MultiEdit NotebookEdit NotebookRead Read \
        ReadMcpResourceTool SendMessage Skill SlashCommand StructuredOutput Task TaskCreate TaskGet \
        TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write",
    elsewhere: Some("mcp__"),
};
