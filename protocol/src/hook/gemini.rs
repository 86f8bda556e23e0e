//! Gemini CLI: `BeforeTool`. Measured: 0.61.0.
//!
//! Its own prompt asks without showing the reason, and never ends in `-p`: it is not used.

use super::shape::{self, Shape};
use super::{Agent, Answer, Input, Shell};
use crate::json::Object;

pub(super) static AGENT: Agent = Agent {
    id: "gemini",
    facts: "Gemini CLI 0.61.0",
    // It waits 60 s.
    budget_ms: 50_000,
    shell: Shell::Bash,
    asks: false,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "hook_event_name") {
        Some("BeforeTool") => shape::read(&SHAPE, call, written),
        _ => Input::Broken("another event than BeforeTool".into()),
    },
    write,
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "cwd",
    session: "session_id",
    folder: Some("dir_path"),
    runs: "run_shell_command",
    besides: "delay_ms description is_background timeout wait_for_previous",
    refused: &[],
    quiet: "activate_skill ask_user codebase_investigator enter_plan_mode exit_plan_mode get_internal_docs \
        glob google_web_search grep_search list_directory read_file read_many_files replace save_memory \
        search_file_content web_fetch write_file write_todos",
    elsewhere: Some("mcp_"),
};

fn write(answer: &Answer<'_>) -> Option<String> {
    let said = |word: &str, why: &str| Object::new().text("decision", word).text("reason", why);
    let out = match answer {
        Answer::Allow => said("allow", shape::ALLOWED),
        Answer::Rewrite { command, .. } => {
            // Merged into the call's own input.
            let input = Object::new().text("command", command).end();
            let specific = Object::new().text("hookEventName", "BeforeTool").raw("tool_input", &input).end();
            said("allow", shape::ALLOWED).raw("hookSpecificOutput", &specific)
        }
        Answer::Ask(why) | Answer::Deny(why) => said("deny", why),
        Answer::Pass => return None,
    };
    Some(out.end())
}
