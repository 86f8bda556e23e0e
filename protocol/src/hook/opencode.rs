//! OpenCode: a plugin in its own process, `tool.execute.before`. Measured: 1.18.33.
//!
//! The plugin passes on what it was told, with the folder as `cwd`, and throws unless the answer is a yes. OpenCode has
//! no prompt that a plugin could use.
use serde_json::Value;

use super::shape::{self, Shape};
use super::{Agent, Input, Shell};

pub(super) static AGENT: Agent = Agent {
    id: "opencode",
    facts: "OpenCode 1.18.33",
    // It waits without limit; the plugin does not.
    budget_ms: 110_000,
    shell: Shell::Variable(&["bash", "zsh", "sh", "dash"]),
    asks: false,
    rewrites: true,
    longest: super::MOST,
    mark: SHAPE.elsewhere,
    read,
    write: shape::plugin,
};

const SHAPE: Shape = Shape {
    tool: "tool",
    input: "args",
    cwd: "cwd",
    session: "sessionID",
    folder: Some("workdir"),
    runs: "bash",
    besides: "description timeout",
    refused: &[],
    quiet: "codesearch edit glob grep invalid list lsp multiedit patch question read skill task todoread \
        todowrite webfetch websearch write",
    elsewhere: None,
};

fn read(call: &Value, written: &str) -> Input {
    match shape::text(call, SHAPE.tool) {
        Some("batch") => batch(call.get(SHAPE.input).and_then(|i| i.get("tool_calls"))),
        _ => shape::read(&SHAPE, call, written),
    }
}

/// The tool that carries calls of others, which OpenCode makes without asking the plugin again. None of their commands
/// could be put in place, so it may hold none.
fn batch(calls: Option<&Value>) -> Input {
    let quiet = |c: &Value| {
        let tool = shape::text(c, "tool").map(|tool| SHAPE.other(tool, c.get("parameters"), c));
        matches!(tool, Some(Some(Input::NotAShell)))
    };
    match calls.and_then(Value::as_array) {
        Some(all) if all.iter().all(quiet) => Input::NotAShell,
        Some(_) => {
            Input::Broken("a batch with a tool in it that may run commands: call that one by itself".into())
        }
        None => Input::Broken("the calls of the batch are no list".into()),
    }
}
