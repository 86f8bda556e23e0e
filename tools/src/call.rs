//! A call, its fields looked at.
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::Settings;
use crate::mode::Tool;
use crate::result::{Code, ToolResult};

/// Longest name of a user, channel or message, bytes.
const MAX_NAME: usize = 256;
/// Most bytes of all arguments.
pub const MAX_ARGS: usize = 256 << 10;
/// Most variables, and bytes of each value.
const MAX_ENV: (usize, usize) = (64, 4_096);
/// What `bash` takes besides its command.
const BASH: &[&str] = &["timeout", "maxOutput", "cwd", "env"];
/// What `cron` takes besides its command.
const CRON: &[&str] = &["action", "schedule", "id"];

/// A call as it comes: nothing in it is believed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// Who is said to use the tool. Believed only from a gateway that proved itself.
    #[serde(default)]
    pub user: Option<String>,
    /// The channel it was said in.
    #[serde(default)]
    pub channel: Option<String>,
    /// The message it was said with.
    #[serde(default)]
    pub message: Option<String>,
    /// The tool's arguments.
    #[serde(default)]
    pub args: Value,
    /// False: where a person has to be asked, the answer is not waited for.
    #[serde(default = "yes")]
    pub wait: bool,
}

fn yes() -> bool {
    true
}

/// A call whose fields are what they should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: Tool,
    /// As it came.
    pub request: Request,
    /// The arguments.
    pub args: Map<String, Value>,
    /// What a command is made of; for `bash` and where `cron` adds one.
    pub command: Option<Command>,
}

/// A command that is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// A text for a shell, or the words of one program.
    pub what: What,
    /// Milliseconds, if the call says so.
    pub timeout_ms: Option<u64>,
    /// Bytes of each stream, if the call says so.
    pub max_output: Option<usize>,
    /// The folder it is run in, readable there; a private one without.
    pub cwd: Option<PathBuf>,
    /// Variables besides the sandbox's own.
    pub env: Vec<(String, String)>,
}

/// The command itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A text.
    Text(String),
    /// Words.
    Words(Vec<String>),
}

impl What {
    /// For showing.
    pub fn shown(&self) -> String {
        match self {
            What::Text(text) => protocol::Shown::text(text.as_bytes()).into_string(),
            What::Words(words) => protocol::Shown::argv(words).into_string(),
        }
    }
}

fn bad(field: &str, what: impl std::fmt::Display) -> ToolResult {
    ToolResult::no(Code::InvalidField, format!("{field}: {what}"))
}

impl Call {
    /// Looks at every field.
    ///
    /// # Errors
    /// There is no such tool, or a field is wrong: which, and how.
    pub fn of(name: &str, request: Request, settings: &Settings) -> Result<Call, ToolResult> {
        let shown = protocol::Shown::text(name.as_bytes());
        let tool = Tool::of(name)
            .ok_or_else(|| ToolResult::no(Code::UnknownTool, format!("no tool is called `{shown}`")))?;
        for (field, value) in
            [("user", &request.user), ("channel", &request.channel), ("message", &request.message)]
        {
            if let Some(text) = value {
                let id = store::caller::id(text.as_bytes()).filter(|t| t.len() <= MAX_NAME);
                id.ok_or_else(|| bad(field, "empty, longer than 256 bytes, or with control characters"))?;
            }
        }
        if request.args.to_string().len() > MAX_ARGS {
            return Err(bad("args", format!("more than {MAX_ARGS} bytes")));
        }
        let args = match &request.args {
            Value::Null => Map::new(),
            Value::Object(map) => map.clone(),
            // What a command line leaves without a name.
            Value::Array(words) if tool == Tool::Bash => {
                Map::from_iter([("_".to_owned(), Value::Array(words.clone()))])
            }
            _ => return Err(bad("args", "no object")),
        };
        let command = match tool {
            Tool::Bash => Some(command(&args, settings, BASH)?),
            Tool::Cron if args.get("action").and_then(Value::as_str) == Some("add") => {
                Some(command(&args, settings, CRON)?)
            }
            Tool::Cron | Tool::Browser | Tool::Canvas | Tool::Image | Tool::File => None,
        };
        Ok(Call { tool, request, args, command })
    }
}

/// `fields`: what the tool takes besides the command.
fn command(args: &Map<String, Value>, settings: &Settings, fields: &[&str]) -> Result<Command, ToolResult> {
    let v = &settings.validation;
    for (key, value) in args {
        if crate::auto::is_command(key) || fields.contains(&key.as_str()) {
            continue;
        }
        // What is not understood could have been meant as a limit, and what has no effect is not shown to whoever answers.
        let what = match BASH.contains(&key.as_str()) {
            true if value.is_null() => continue,
            true => "an entry of a crontab has none; say it in the command",
            false => "not known",
        };
        return Err(bad(&protocol::Shown::text(key.as_bytes()).into_string(), what));
    }
    let mut what: Option<(&str, What)> = None;
    for field in ["command", "cmd", "_"] {
        let found = match args.get(field) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) if field != "_" => What::Text(text.clone()),
            Some(Value::Array(words)) => {
                let words: Option<Vec<String>> = words.iter().map(|w| Some(w.as_str()?.to_owned())).collect();
                What::Words(words.ok_or_else(|| bad(field, "holds what is no text"))?)
            }
            Some(_) => return Err(bad(field, "neither a text nor a list of words")),
        };
        if let Some((other, before)) = &what
            && *before != found
        {
            return Err(bad(field, format!("says something else than {other}")));
        }
        what = Some((field, found));
    }
    let Some((field, what)) = what else { return Err(bad("command", "missing")) };
    let (length, nul) = match &what {
        What::Text(t) => (t.chars().count(), t.contains('\0')),
        What::Words(w) => (w.iter().map(|w| w.chars().count() + 1).sum(), w.iter().any(|w| w.contains('\0'))),
    };
    let empty = match &what {
        What::Text(t) => t.trim().is_empty(),
        What::Words(w) => w.first().is_none_or(String::is_empty),
    };
    if empty {
        return Err(bad(field, "empty"));
    }
    if nul {
        return Err(bad(field, "holds a NUL character"));
    }
    if length > v.command {
        return Err(bad(field, format!("{length} characters; at most {} are taken", v.command)));
    }
    let number = |field: &str, most: u64| match args.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(n) if n > 0 && n <= most => Ok(Some(n)),
            _ => Err(bad(field, format!("no whole number from 1 to {most}"))),
        },
    };
    let timeout_ms = number("timeout", v.timeout_ms)?;
    let max_output = number("maxOutput", v.output as u64)?;
    let cwd = match args.get("cwd") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) if path.starts_with('/') && !path.contains('\0') => {
            Some(PathBuf::from(path))
        }
        Some(_) => return Err(bad("cwd", "no absolute path")),
    };
    let env = variables(args.get("env"))?;
    Ok(Command { what, timeout_ms, max_output: max_output.map(|n| n as usize), cwd, env })
}

fn variables(value: Option<&Value>) -> Result<Vec<(String, String)>, ToolResult> {
    let map = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(bad("env", "no object")),
    };
    if map.len() > MAX_ENV.0 {
        return Err(bad("env", format!("more than {} variables", MAX_ENV.0)));
    }
    let mut out = Vec::new();
    for (name, value) in map {
        let shown = protocol::Shown::text(name.as_bytes());
        let field = format!("env.{shown}");
        let mut bytes = name.bytes();
        let good = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
            && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && name.len() <= MAX_NAME;
        if !good {
            return Err(bad(&field, "no variable's name"));
        }
        let Some(text) = value.as_str() else { return Err(bad(&field, "no text")) };
        if text.contains('\0') || text.len() > MAX_ENV.1 {
            return Err(bad(&field, format!("a NUL character, or more than {} bytes", MAX_ENV.1)));
        }
        let entry = format!("{name}={text}").into_bytes();
        let ours = crate::sandbox::OURS.contains(&name.as_str());
        if ours || !policy::rules::environ::scrub(&[entry], &[]).is_empty() {
            return Err(bad(&field, "a variable that changes what runs, or is the sandbox's own"));
        }
        out.push((name.clone(), text.to_owned()));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bash(args: Value) -> Result<Command, String> {
        let request = Request { args, ..Request::default() };
        let call = Call::of("bash", request, &Settings::default());
        call.map(|c| c.command.unwrap()).map_err(|r| r.error.unwrap())
    }

    #[test]
    fn a_command_has_three_names() {
        for args in [
            json!({"command": "ls -l"}),
            json!({"cmd": "ls -l"}),
            json!({"cmd": "ls -l", "command": "ls -l"}),
        ] {
            assert_eq!(bash(args).unwrap().what, What::Text("ls -l".into()));
        }
        for args in [json!({"_": ["ls", "-l"]}), json!(["ls", "-l"])] {
            assert_eq!(bash(args).unwrap().what, What::Words(vec!["ls".into(), "-l".into()]));
        }
        let c = bash(
            json!({"command": "x", "timeout": 60000, "maxOutput": 100000, "env": {"A": "b"}, "cwd": "/w"}),
        );
        let c = c.unwrap();
        assert_eq!((c.timeout_ms, c.max_output, c.env.len()), (Some(60_000), Some(100_000), 1));
    }

    #[test]
    fn a_bad_field_is_named() {
        let long = "x".repeat(1_001);
        for (args, field) in [
            (json!({}), "command: missing"),
            (json!(null), "command: missing"),
            (json!(7), "args: no object"),
            (json!({"command": ""}), "command: empty"),
            (json!({"command": "  "}), "command: empty"),
            (json!({"_": []}), "_: empty"),
            (json!({"command": 7}), "command: neither"),
            (json!({"_": ["a", 1]}), "_: holds"),
            (json!({"command": "a", "cmd": "b"}), "cmd: says something else"),
            (json!({"command": long}), "command: 1001 characters; at most 1000"),
            (json!({"command": "a\u{0}b"}), "command: holds a NUL"),
            (json!({"command": "x", "timeout": 0}), "timeout: no whole number from 1 to 60000"),
            (json!({"command": "x", "timeout": 60001}), "timeout: "),
            (json!({"command": "x", "timeout": 1.5}), "timeout: "),
            (json!({"command": "x", "maxOutput": 100001}), "maxOutput: "),
            (json!({"command": "x", "cwd": "w"}), "cwd: no absolute path"),
            (json!({"command": "x", "env": []}), "env: no object"),
            (json!({"command": "x", "env": {"a b": "c"}}), "env.a b: no variable's name"),
            (json!({"command": "x", "env": {"A": 1}}), "env.A: no text"),
            (json!({"command": "x", "env": {"LD_PRELOAD": "/x"}}), "env.LD_PRELOAD: "),
            (json!({"command": "x", "env": {"PATH": "/x"}}), "env.PATH: "),
            (json!({"command": "x", "env": {"BASH_ENV": "/x"}}), "env.BASH_ENV: "),
            (json!({"command": "x", "sandbox": false}), "sandbox: not known"),
            // What was meant is said before what is missing.
            (json!({"comand": "x"}), "comand: not known"),
            (json!({"command": "x", "schedule": "@daily"}), "schedule: not known"),
        ] {
            let e = bash(args.clone()).unwrap_err();
            assert!(e.starts_with(field), "{args}: {e}");
        }
    }

    #[test]
    fn a_schedule_takes_nothing_that_its_entry_would_not_have() {
        let cron = |more: Value| {
            let mut args = json!({"action": "add", "schedule": "@daily", "command": "x"});
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let call = Call::of("cron", Request { args, ..Request::default() }, &Settings::default());
            call.map_err(|r| r.error.unwrap())
        };
        assert!(cron(json!({})).is_ok() && cron(json!({"cwd": null})).is_ok());
        for (more, error) in [
            (json!({"cwd": "/w"}), "cwd: an entry of a crontab has none"),
            (json!({"env": {"A": "b"}}), "env: an entry of a crontab has none"),
            (json!({"timeout": 5}), "timeout: an entry of a crontab has none"),
            (json!({"maxOutput": 5}), "maxOutput: an entry of a crontab has none"),
            (json!({"user": "root"}), "user: not known"),
        ] {
            let e = cron(more.clone()).unwrap_err();
            assert!(e.starts_with(error), "{more}: {e}");
        }
    }

    #[test]
    fn names_and_tools() {
        let of =
            |tool: &str, request| Call::of(tool, request, &Settings::default()).map_err(|r| r.code.unwrap());
        let r = Request::default;
        assert!(of("canvas", r()).is_ok() && of("cron", r()).is_ok());
        assert_eq!(of("Bash", r()).unwrap_err(), Code::UnknownTool);
        assert_eq!(of("rm", r()).unwrap_err(), Code::UnknownTool);
        for user in ["", "a\nb", &"x".repeat(257)] {
            let request = Request { user: Some(user.to_owned()), ..r() };
            assert_eq!(of("canvas", request).unwrap_err(), Code::InvalidField);
        }
        let big = Request { args: json!({"x": "y".repeat(MAX_ARGS)}), ..r() };
        assert_eq!(of("canvas", big).unwrap_err(), Code::InvalidField);
    }
}
