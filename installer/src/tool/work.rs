//! A call that the approver has carried out: it is judged here once more, by the same evaluator, and done if that comes to
//! what somebody said yes to. The approver itself starts no command.
use std::io::Read;

use tools::engine::{Job, Scene, work};
use tools::result::{Code, ToolResult};

use crate::exit::{Exit, Failure};

/// Longest job, bytes.
const MAX_JOB: u64 = 2 << 20;

/// Does the job on standard input.
///
/// # Errors
/// The result cannot be written.
pub fn run() -> Result<Exit, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_JOB).read_to_string(&mut text);
    let result = match read.map_err(|e| e.to_string()).and_then(|_| Job::parse(&text)) {
        Ok(job) => match Scene::load() {
            Ok(scene) => work(&scene, job),
            Err(no) => no,
        },
        Err(e) => ToolResult::no(Code::Failed, format!("no job: {e}")),
    };
    super::print(&result)?;
    Ok(if result.success { Exit::Done } else { Exit::Not })
}
