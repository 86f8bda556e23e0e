//! A call, carried to the approver: HTTP over its socket for tools.
use std::io;
use std::time::{Duration, Instant};

use sys::socket::Stream;
use tools::call::Request;
use tools::engine::Scene;
use tools::identity::Caller;
use tools::result::{Code, ToolResult};

/// Longest answer, bytes.
const MAX_ANSWER: usize = 8 << 20;
/// Beside what a person and the command may take.
const MARGIN: Duration = Duration::from_secs(120);

/// After so long without an answer the caller is told what it waits for.
const QUIET: Duration = Duration::from_secs(2);

/// What became of it.
pub enum Carried {
    /// The approver's result, or why there is none.
    There(ToolResult),
    /// No approver listens.
    Nobody,
}

/// Carries it.
pub fn carry(scene: &Scene, tool: &str, request: &Request, caller: &Caller) -> Carried {
    let Some(state) = &scene.state else { return Carried::Nobody };
    let path = state.join(tools::SOCKET);
    let s = &scene.settings;
    let most =
        Duration::from_secs(s.approval_timeout_s) + Duration::from_millis(s.sandbox.timeout_ms) + MARGIN;
    let deadline = Instant::now() + most;
    let stream = match connect(&path, deadline) {
        Ok(stream) => stream,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            return Carried::Nobody;
        }
        Err(e) => return no(format!("the approver cannot be reached: {e}")),
    };
    match talk(&stream, tool, request, caller, deadline) {
        Ok(result) => Carried::There(result),
        // It may have been done: to do it here would do it twice.
        Err(e) => no(format!("the approver: {e}; whether the call was made is in the journal")),
    }
}

fn no(what: String) -> Carried {
    Carried::There(ToolResult::no(Code::Failed, what))
}

fn connect(path: &std::path::Path, deadline: Instant) -> io::Result<Stream> {
    let believed = |uid: u32| match uid == 0 || uid == sys::ids::uid() {
        true => Ok(()),
        false => Err(io::Error::other(format!("its socket belongs to user {uid}"))),
    };
    believed(sys::socket::owner(path)?)?;
    let stream = Stream::connect(path, deadline)?;
    believed(stream.peer()?.uid)?;
    Ok(stream)
}

fn talk(
    stream: &Stream,
    tool: &str,
    request: &Request,
    caller: &Caller,
    deadline: Instant,
) -> io::Result<ToolResult> {
    let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
    if tool.is_empty() || !tool.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
        return Ok(ToolResult::no(Code::UnknownTool, "no tool is called that"));
    }
    let body = serde_json::to_string(request).map_err(|e| bad(&e.to_string()))?;
    let token = match &caller.token {
        Some(token) => format!("Authorization: Bearer {token}\r\n"),
        None => String::new(),
    };
    let head = format!(
        "POST /v1/tools/{tool} HTTP/1.1\r\nHost: exec-guard\r\nConnection: close\r\nContent-Type: application/json\r\n{token}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes(), deadline)?;
    stream.write_all(body.as_bytes(), deadline)?;
    let mut answer = Vec::new();
    let mut piece = [0; 16 << 10];
    let mut quiet = Some(Instant::now() + QUIET);
    loop {
        let read = match stream.read(&mut piece, quiet.map_or(deadline, |until| until.min(deadline))) {
            Err(e) if e.kind() == io::ErrorKind::TimedOut && quiet.is_some() => {
                crate::say::word(format!(
                    "{tool}: it runs, or waits for somebody's yes: `exec-guardctl approvals pending` in another terminal"
                ));
                quiet = None;
                continue;
            }
            read => read?,
        };
        match read {
            0 => break,
            n if answer.len() + n > MAX_ANSWER => return Err(bad("its answer is too long")),
            n => answer.extend_from_slice(piece.get(..n).unwrap_or_default()),
        }
    }
    let at = answer.windows(4).position(|w| w == b"\r\n\r\n").ok_or_else(|| bad("it went away"))?;
    let body = answer.get(at + 4..).unwrap_or_default();
    serde_json::from_slice(body).map_err(|_| bad("its answer is not understood"))
}
