//! `tool`: a call of a tool for an agent gateway; one JSON result on standard output.
//!
//! With an approver it is carried there, so that a person can be asked; without one a person is asked at the terminal, if
//! one sits there, and else only what needs nobody's yes is done.
mod carry;
mod terminal;
mod work;

use std::io::Read;
use std::path::Path;

use protocol::Shown;
use protocol::ask::WireQuestion;
use serde_json::Value;
use tools::call::{MAX_ARGS, Request};
use tools::engine::{Said, Scene, alone, secret};
use tools::identity::Caller;
use tools::result::{Code, ToolResult};

use crate::cli::Tool;
use crate::exit::{Exit, Failure};
use crate::say::Page;

pub use work::run as work;

/// Does it.
///
/// # Errors
/// The words are wrong, or the result cannot be written. What becomes of the call is in the result.
pub fn run(args: &Tool) -> Result<Exit, Failure> {
    let request = Request {
        user: args.user.clone(),
        channel: args.channel.clone(),
        message: args.message.clone(),
        args: arguments(args)?,
        wait: !args.no_wait,
    };
    let caller = Caller { uid: sys::ids::uid(), token: args.token_file.as_deref().map(token).transpose()? };
    let result = match Scene::load() {
        Ok(scene) => match carry::carry(&scene, &args.name, &request, &caller) {
            carry::Carried::There(result) => result,
            carry::Carried::Nobody => {
                // Whoever does not wait looks at no terminal.
                let terminal = if args.no_wait { None } else { terminal::terminal(&scene.policy) };
                let mut ask = terminal.as_ref().map(|t| |q: &WireQuestion| terminal::ask(t, &scene, q));
                let person = ask.as_mut().map(|a| a as &mut dyn FnMut(&WireQuestion) -> Said);
                alone(&scene, &args.name, request, &caller, person)
            }
        },
        Err(no) => no,
    };
    let exit = match (result.success, result.code) {
        (true, _) => Exit::Done,
        (false, Some(Code::InvalidField | Code::UnknownTool)) => Exit::Usage,
        (false, Some(Code::Settings)) => Exit::Trouble,
        (false, _) => Exit::Not,
    };
    print(&result)?;
    Ok(exit)
}

/// The result as one line.
pub(crate) fn print(result: &ToolResult) -> Result<(), Failure> {
    let value = serde_json::to_value(result).map_err(|e| Failure::trouble(format!("the result: {e}")))?;
    let mut page = Page::new();
    page.json_line(&value);
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))
}

fn arguments(args: &Tool) -> Result<Value, Failure> {
    let text = match args.args.as_deref().map(|a| a.as_encoded_bytes()) {
        None => return Ok(Value::Null),
        Some(b"-") => {
            let mut text = Vec::new();
            let most = u64::try_from(MAX_ARGS).unwrap_or(u64::MAX).saturating_add(1);
            let read = std::io::stdin().lock().take(most).read_to_end(&mut text);
            read.map_err(|e| Failure::trouble(format!("standard input: {e}")))?;
            text
        }
        Some(text) => text.to_vec(),
    };
    // With the checks that documents get: no key twice.
    policy::document::plain_json(&text, "--args").map_err(|e| Failure::usage(e.to_string()))
}

/// The token of a file that nobody else can read.
fn token(path: &Path) -> Result<String, Failure> {
    secret(path).map_err(Failure::usage)?;
    let shown = Shown::text(path.as_os_str().as_encoded_bytes());
    let text = std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("{shown}: {e}")))?;
    let text = text.trim();
    match text.is_empty() || text.len() > 4096 || text.contains(char::is_control) {
        true => Err(Failure::usage(format!("{shown} holds no token"))),
        false => Ok(text.to_owned()),
    }
}
