//! What a call comes to: one JSON value, on standard output of `tool` and as the body of an answer.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// True if the tool did what was asked: a command ran and ended with 0, another tool was handed on.
    pub success: bool,
    /// What it came to; absent if nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<Outcome>>,
    /// Why not, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A stable word for the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Code>,
    /// True if a person was asked, or is being asked.
    pub approval_requested: bool,
    /// The question's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// How many more calls there may be, and until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<Left>,
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// A command ran.
    Ran(Ran),
    /// It is somebody else's to do, now that it may be done.
    Delegated {
        /// The tool.
        delegate: String,
        /// The arguments, as they came.
        args: Value,
    },
    /// Passed through.
    Passed {
        /// The commands, as they came.
        commands: Value,
    },
    /// The user's crontab, as far as it was made here.
    Cron {
        /// The entries there are now.
        entries: Vec<CronEntry>,
    },
}

/// A command that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ran {
    /// Standard output. Bytes that are no UTF-8 are replaced; what was cut is said at its end.
    pub stdout: String,
    /// Standard error, likewise.
    pub stderr: String,
    /// Exit code, or 128 + signal.
    pub exit_code: u32,
    /// True if its time was up and it was ended.
    pub timed_out: bool,
    /// True if it was ended because nobody waits for it any more.
    #[serde(default, skip_serializing)]
    #[schemars(skip)]
    pub told: bool,
    /// True if more was written than was kept.
    pub truncated: bool,
    /// The sandbox it ran in: `docker`, `podman`, `bubblewrap`, `landlock` or `none`.
    pub sandbox: String,
}

/// An entry of a crontab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CronEntry {
    /// Its id.
    pub id: String,
    /// When.
    pub schedule: String,
    /// What.
    pub command: String,
}

/// How many more calls there may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Left {
    /// Calls.
    pub remaining: u64,
    /// When the window ends, milliseconds since 1970.
    pub resets_at_ms: u64,
}

/// Why a call came to nothing. Stable: programs may rely on the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// No tool has that name.
    UnknownTool,
    /// A field is wrong; the error names it.
    InvalidField,
    /// Whoever asks may not ask.
    Sender,
    /// The token is wrong, or its file can be read by others.
    BadToken,
    /// So many calls were made already.
    RateLimited,
    /// The mode refuses the tool.
    ToolDenied,
    /// The exec policy refuses the command.
    PolicyDenied,
    /// A program or construct that the sandbox's lists do not let run.
    BlockedCommand,
    /// A person has to say yes, and `wait` was not asked for: the answer comes under the id.
    ApprovalRequired,
    /// A person has to say yes and none can be reached.
    NobodyToAsk,
    /// A person said no.
    Rejected,
    /// Nobody answered in time.
    TimedOut,
    /// The approver holds as much as it can.
    Busy,
    /// The sandbox that is required is not there.
    NoSandbox,
    /// It could not be started.
    Failed,
    /// Whoever called went away, or told it to end: it was not done, or was ended.
    Cancelled,
    /// It ended with another code than 0, or its time was up.
    ExitCode,
    /// The settings cannot be used; the error says where.
    Settings,
    /// What happened could not be recorded, and has to be.
    Journal,
}

impl Code {
    /// The word.
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

impl ToolResult {
    /// Nothing ran.
    pub fn no(code: Code, error: impl Into<String>) -> ToolResult {
        ToolResult { code: Some(code), error: Some(error.into()), ..ToolResult::default() }
    }

    /// It did what was asked.
    pub fn yes(outcome: Outcome) -> ToolResult {
        ToolResult { success: true, result: Some(Box::new(outcome)), ..ToolResult::default() }
    }

    /// The same with the question that was asked about it.
    #[must_use]
    pub fn asked(mut self, id: &str) -> ToolResult {
        self.approval_requested = true;
        self.approval_id = Some(id.to_owned());
        self
    }

    /// The same with what is left of the window.
    #[must_use]
    pub fn left(mut self, left: Option<Left>) -> ToolResult {
        self.rate_limit = left;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_result_comes_back_as_it_was() {
        let ran = Ran { stdout: "x".into(), exit_code: 3, sandbox: "none".into(), ..Ran::default() };
        for result in [
            ToolResult::yes(Outcome::Ran(ran)),
            ToolResult::yes(Outcome::Delegated { delegate: "browser".into(), args: json!({"url": "u"}) }),
            ToolResult::yes(Outcome::Passed { commands: json!([1]) }),
            ToolResult::no(Code::Rejected, "no").asked("id").left(Some(Left::default())),
        ] {
            let text = serde_json::to_string(&result).unwrap();
            assert_eq!(serde_json::from_str::<ToolResult>(&text).unwrap(), result, "{text}");
        }
        assert_eq!(Code::UnknownTool.word(), "unknown-tool");
        let no = serde_json::to_value(ToolResult::no(Code::Sender, "s")).unwrap();
        assert_eq!(no, json!({"success": false, "error": "s", "code": "sender", "approvalRequested": false}));
    }
}
