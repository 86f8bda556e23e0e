//! OpenCode: a plugin in its own process, `tool.execute.before`. Measured: 1.18.33.
//!
//! The plugin passes on what it was told, with the folder as `cwd`, and throws unless the answer is a yes. OpenCode has
//! no prompt that a plugin could use.
use super::shape::{self, Shape};
use super::{Agent, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "opencode",
    facts: "OpenCode 1.18.33",
    // It waits without limit; the plugin does not.
    budget_ms: 110_000,
    shell: Shell::Variable(&["bash", "zsh", "sh", "dash"]),
    asks: false,
    rewrites: true,
    longest: super::MOST,
    read: |call| shape::read(&SHAPE, call),
    write: shape::plugin,
};

const SHAPE: Shape = Shape {
    tool: "tool",
    input: "args",
    cwd: "cwd",
    session: "sessionID",
    folder: Some("workdir"),
    runs: &["bash"],
    refused: &[],
    quiet: &[
        "batch",
        "codesearch",
        "edit",
        "glob",
        "grep",
        "invalid",
        "list",
        "lsp",
        "multiedit",
        "patch",
        "question",
        "read",
        "skill",
        "task",
        "todoread",
        "todowrite",
        "webfetch",
        "websearch",
        "write",
    ],
    elsewhere: None,
};
