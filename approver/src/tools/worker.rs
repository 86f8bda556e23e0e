//! Whoever carries a call out: a process of exec-guardctl, given the call and the yes on its standard input.
use std::io::Write;
use std::process::{Command, Stdio};

use tools::engine::Job;
use tools::result::{Code, ToolResult};

use super::Tools;

/// Has a job done, when it is its turn.
pub async fn carry(tools: &Tools, job: Job) -> ToolResult {
    // Closed never; and if it were, nothing would run.
    let Ok(turn) = tools.0.turns.clone().acquire_owned().await else {
        return ToolResult::no(Code::Busy, "the approver ends");
    };
    let token = tools.0.handle.rules().current().ok().and_then(|d| d.token.clone());
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let token = token.ok_or("the documents have no socket.token")?;
        // It is fresh from now on, however long its turn took to come.
        let job = Job { at_ms: sys::time::now_ms(), ..job }.signed(&token);
        start(&job).map_err(|e| e.to_string())
    });
    let failed = |e: String| ToolResult::no(Code::Failed, format!("exec-guardctl, which does it: {e}"));
    match done.await {
        Ok(Ok(result)) => result,
        Ok(Err(e)) => failed(e),
        Err(_) => failed("it broke off".into()),
    }
}

fn start(job: &str) -> std::io::Result<ToolResult> {
    let own = std::env::current_exe().and_then(std::fs::canonicalize)?;
    let mut child = Command::new(own.with_file_name("exec-guardctl"))
        .arg("tool-work")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(job.as_bytes())?;
    }
    let out = child.wait_with_output()?;
    serde_json::from_slice(&out.stdout).map_err(|_| std::io::Error::other("its result is not understood"))
}
