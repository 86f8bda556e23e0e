//! goose: `PreToolUse`. Not measured: its documentation.

use super::shape::{self, Shape};
use super::{Agent, Answer, Input, Shell};
use crate::json::Object;

pub(super) static AGENT: Agent = Agent {
    id: "goose",
    facts: "goose's documentation of October 2026",
    // It waits 30 s, and then runs the command.
    budget_ms: 24_000,
    shell: Shell::Bash,
    asks: false,
    rewrites: false,
    longest: 0,
    mark: SHAPE.elsewhere,
    read: |call, written| match shape::text(call, "event") {
        Some("PreToolUse" | "BeforeShellExecution") => shape::read(&SHAPE, call, written),
        _ => Input::Broken("another event than PreToolUse".into()),
    },
    write,
};

const SHAPE: Shape = Shape {
    tool: "tool_name",
    input: "tool_input",
    cwd: "working_dir",
    session: "session_id",
    folder: None,
    runs: "developer__shell shell",
    besides: "description timeout timeout_secs",
    refused: &[],
    quiet: "developer__analyze developer__edit developer__image_processor developer__list_windows \
        developer__screen_capture developer__text_editor developer__tree developer__write",
    elsewhere: None,
};

fn write(answer: &Answer<'_>) -> Option<String> {
    match answer {
        // It has no yes: saying nothing is how it goes on.
        Answer::Allow | Answer::Rewrite { .. } | Answer::Pass => None,
        Answer::Ask(why) | Answer::Deny(why) => {
            Some(Object::new().text("decision", "block").text("reason", why).end())
        }
    }
}
