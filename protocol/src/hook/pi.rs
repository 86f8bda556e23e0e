//! pi: an extension in its own process, `tool_call`. Measured: 0.73.1.
//!
//! The extension passes on what it was told, with the folder as `cwd`. It has pi's own prompt ask, which says no at
//! once where there is no terminal interface.
use super::shape::{self, Shape};
use super::{Agent, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "pi",
    facts: "pi 0.73.1",
    // It waits without limit; the extension does not.
    budget_ms: 110_000,
    shell: Shell::At("/bin/bash"),
    asks: true,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read: |call, written| shape::read(&SHAPE, call, written),
    write: shape::plugin,
};

const SHAPE: Shape = Shape {
    tool: "toolName",
    input: "input",
    cwd: "cwd",
    session: "sessionId",
    folder: None,
    runs: "bash",
    besides: "description timeout",
    refused: &[],
    quiet: "edit find grep ls read write",
    elsewhere: None,
};
