//! Whose calls need a yes.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mode of `security.mode` or `security.toolOverrides`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Nobody uses it. Only in an override.
    Deny,
    /// Dangerous tools need a yes, whoever calls.
    AlwaysRequireApproval,
    /// Dangerous tools need a yes unless an owner calls.
    OwnerOnly,
    /// Nothing needs a yes for being a tool.
    Yolo,
}

impl Mode {
    /// The word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Deny => "deny",
            Mode::AlwaysRequireApproval => "always-require-approval",
            Mode::OwnerOnly => "owner-only",
            Mode::Yolo => "yolo",
        }
    }

    /// The mode with that word, whatever its case.
    pub fn of(word: &str) -> Option<Mode> {
        let all = [Mode::Deny, Mode::AlwaysRequireApproval, Mode::OwnerOnly, Mode::Yolo];
        all.into_iter().find(|m| m.word().eq_ignore_ascii_case(word.trim()))
    }
}

/// A tool that is known here. One that is not is no tool: nothing runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// A command, in the sandbox.
    Bash,
    /// The user's crontab.
    Cron,
    /// Handed on to whoever drives a browser.
    Browser,
    /// Passed through.
    Canvas,
    /// Handed on to whoever makes images.
    Image,
    /// Handed on to whoever reads and writes files.
    File,
}

impl Tool {
    /// Every tool.
    pub const ALL: [Tool; 6] = [Tool::Bash, Tool::Cron, Tool::Browser, Tool::Canvas, Tool::Image, Tool::File];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Bash => "bash",
            Tool::Cron => "cron",
            Tool::Browser => "browser",
            Tool::Canvas => "canvas",
            Tool::Image => "image",
            Tool::File => "file",
        }
    }

    /// The tool of that name, exactly.
    pub fn of(name: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|t| t.name() == name)
    }

    /// True if it can do lasting harm outside its own matter.
    pub fn is_dangerous(self) -> bool {
        matches!(self, Tool::Bash | Tool::Cron)
    }
}

/// What the mode says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requires {
    /// Nobody may.
    Refused,
    /// Somebody has to say yes.
    Approval,
    /// Nothing.
    Nothing,
}

/// Whether a call of this tool needs a yes: `mode` is everybody's, `over` what is said of this tool alone, which wins in
/// both directions.
pub fn requires(mode: Mode, over: Option<Mode>, tool: Tool, is_owner: bool) -> Requires {
    match over.unwrap_or(mode) {
        Mode::Deny => Requires::Refused,
        Mode::Yolo => Requires::Nothing,
        // Said of a safe tool by its name it is meant; said of all it is not.
        Mode::AlwaysRequireApproval if tool.is_dangerous() || over.is_some() => Requires::Approval,
        Mode::OwnerOnly if tool.is_dangerous() && !is_owner => Requires::Approval,
        Mode::AlwaysRequireApproval | Mode::OwnerOnly => Requires::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for mode in [Mode::Deny, Mode::AlwaysRequireApproval, Mode::OwnerOnly, Mode::Yolo] {
            assert_eq!(Mode::of(mode.word()), Some(mode));
            assert_eq!(serde_json::json!(mode), mode.word());
        }
        for tool in Tool::ALL {
            assert_eq!(Tool::of(tool.name()), Some(tool));
        }
        assert_eq!((Mode::of("most"), Tool::of("BASH"), Tool::of("")), (None, None, None));
    }

    #[test]
    fn the_table_of_modes() {
        use Mode::*;
        use Requires::{Approval, Nothing, Refused};
        for (mode, over, tool, owner, want) in [
            // Everybody's mode.
            (AlwaysRequireApproval, None, Tool::Bash, false, Approval),
            (AlwaysRequireApproval, None, Tool::Bash, true, Approval),
            (AlwaysRequireApproval, None, Tool::Cron, false, Approval),
            (AlwaysRequireApproval, None, Tool::Browser, false, Nothing),
            (AlwaysRequireApproval, None, Tool::File, false, Nothing),
            (OwnerOnly, None, Tool::Bash, true, Nothing),
            (OwnerOnly, None, Tool::Bash, false, Approval),
            (OwnerOnly, None, Tool::Cron, false, Approval),
            (OwnerOnly, None, Tool::Canvas, false, Nothing),
            (Yolo, None, Tool::Bash, false, Nothing),
            (Yolo, None, Tool::Cron, false, Nothing),
            // An override loosens …
            (AlwaysRequireApproval, Some(Yolo), Tool::Bash, false, Nothing),
            (AlwaysRequireApproval, Some(OwnerOnly), Tool::Bash, true, Nothing),
            (OwnerOnly, Some(Yolo), Tool::Cron, false, Nothing),
            // … and tightens.
            (Yolo, Some(AlwaysRequireApproval), Tool::Bash, true, Approval),
            (Yolo, Some(OwnerOnly), Tool::Bash, false, Approval),
            (Yolo, Some(Deny), Tool::Bash, true, Refused),
            (OwnerOnly, Some(AlwaysRequireApproval), Tool::Browser, true, Approval),
            (Yolo, Some(AlwaysRequireApproval), Tool::Canvas, false, Approval),
            // A safe tool is safe for others than the owner as well.
            (Yolo, Some(OwnerOnly), Tool::Image, false, Nothing),
        ] {
            assert_eq!(requires(mode, over, tool, owner), want, "{mode:?} {over:?} {tool:?} {owner}");
        }
    }
}
