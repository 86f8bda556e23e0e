//! What was allowed is done by `exec-guardctl tool-work`: a process a call, given the call and the yes on its standard input.
use std::io::Write;
use std::process::{Command, Stdio};

use sys::cage::told::Hold;
use tokio::sync::oneshot;
use tools::engine::Job;
use tools::result::{Code, ToolResult};

use super::Tools;
use super::call::{GONE, Gone};

/// Has a job done, when it is its turn; `uid` is the user id that called. Once whoever called is gone it does not begin any more, or is told to end: its
/// process then ends the command, and all that this has started.
///
/// # Errors
/// It was not done, and nobody has written that down.
pub async fn carry(tools: &Tools, job: Job, uid: u32, gone: Option<Gone>) -> Result<ToolResult, ToolResult> {
    let mut gone = gone;
    let turn = tokio::select! {
        turn = tools.0.turns.next(uid, tools.users(uid)) => turn,
        () = left(&mut gone) => return Err(ToolResult::no(Code::Cancelled, GONE)),
    };
    // Closed never; and if it were, nothing would run.
    let turn = turn.ok_or_else(|| ToolResult::no(Code::Busy, "the approver ends"))?;
    let token = tools.0.handle.rules().current().ok().and_then(|d| d.token.clone());
    let (begun, hold) = oneshot::channel();
    let mut task = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let token = token.ok_or("the documents have no socket.token")?;
        // It is fresh from now on, however long its turn took to come.
        let job = Job { at_ms: sys::time::now_ms(), ..job }.signed(&token);
        start(&job, begun).map_err(|e| e.to_string())
    });
    let (done, told) = tokio::select! {
        done = &mut task => (done, false),
        () = left(&mut gone) => {
            // An error: it is over already, or did not begin.
            if let Ok(Some(hold)) = hold.await {
                let _ = hold.tell();
            }
            (task.await, true)
        }
    };
    let failed = |e: String| Err(ToolResult::no(Code::Failed, format!("exec-guardctl, which does it: {e}")));
    match done {
        Ok(Ok(result)) => Ok(result),
        // It was ended before there was anything to end.
        _ if told => Err(ToolResult::no(Code::Cancelled, GONE)),
        Ok(Err(e)) => failed(e),
        Err(_) => failed("it broke off".into()),
    }
}

/// Until whoever called is gone; for ever where nobody waits.
async fn left(gone: &mut Option<Gone>) {
    match gone {
        Some(gone) => {
            let _ = gone.await;
        }
        None => std::future::pending().await,
    }
}

fn start(job: &str, begun: oneshot::Sender<Option<Hold>>) -> std::io::Result<ToolResult> {
    // Not what it is resolved to: where the programs were replaced meanwhile its own file is gone, and the folder is not.
    let own = std::env::current_exe()?;
    let mut child = Command::new(own.with_file_name("exec-guardctl"))
        .arg("tool-work")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let _ = begun.send(Hold::on(&child));
    // One that was told to end before it has read the job is waited for all the same.
    let given = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(job.as_bytes()));
    let out = child.wait_with_output()?;
    given?;
    serde_json::from_slice(&out.stdout).map_err(|_| std::io::Error::other("its result is not understood"))
}
