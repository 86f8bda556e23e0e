//! Whether an agent would load a settings file at all. One comma too many, or a wrong type far from our entry, and some
//! throw away the whole file, hooks and all, with no more than a line on the screen.
//!
//! Measured: Claude Code 2.1.332 and Codex 0.171.0, with a hook that leaves a mark and one change to the file at a time;
//! read in the program: Gemini CLI 0.61.0 and Qwen Code 0.24.4, which are content with wrong types. Of the others nothing
//! is known but that they read JSON.
use serde_json::Value;

use super::Spec;
use super::json::{Doc, Kind, Node};

/// How an agent reads a file of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// As RFC 8259 has it; and whether a byte order mark may stand in front.
    Plain {
        /// It may.
        bom: bool,
    },
    /// With comments, but no comma too many.
    Comments {
        /// A byte order mark may stand in front.
        bom: bool,
    },
    /// As JSON5.
    Loose,
}

/// That an agent would load this text. An empty one is no file yet.
///
/// # Errors
/// It would not: the line, and what is wrong there.
pub fn loads(id: &str, text: &str) -> Result<(), String> {
    let Some(spec) = Spec::named(id) else { return Ok(()) };
    let (mark, rest) = super::json::marked(text);
    if rest.trim().is_empty() {
        return Ok(());
    }
    let (bom, comments) = match spec.reads {
        Reads::Plain { bom } => (bom, false),
        Reads::Comments { bom } => (bom, true),
        Reads::Loose => return Doc::read(rest, true).map(|_| ()),
    };
    let failed = |line: usize, what: &str| {
        Err(format!("{} would load nothing of it: line {line}: {what}", spec.program))
    };
    if !mark.is_empty() && !bom {
        return failed(1, "begins with a byte order mark");
    }
    let (bare, comment) = without_comments(rest);
    if let (false, Some(at)) = (comments, comment) {
        return failed(line(rest, at), "has a comment");
    }
    if let Err(e) = serde_json::from_str::<Value>(&bare) {
        let what = e.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        return failed(e.line(), what);
    }
    let doc = Doc::read(rest, false)?;
    let wrong = match (id, &doc.root) {
        ("claude", Some(root)) => claude(root),
        ("codex", Some(root)) => codex(root),
        _ => None,
    };
    wrong.map_or(Ok(()), |(at, what)| failed(line(rest, at), &what))
}

/// The number of the line in which a byte stands.
fn line(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

/// The text with blanks for its comments, and where the first of those begins.
fn without_comments(text: &str) -> (String, Option<usize>) {
    let (mut out, mut first) = (String::with_capacity(text.len()), None);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => string(rest),
            '/' if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            // One that does not end goes to the end, and is no JSON.
            '/' if rest.starts_with("/*") => {
                rest.get(2..).and_then(|r| r.find("*/")).map_or(rest.len(), |n| n + 4)
            }
            c => c.len_utf8(),
        };
        let (piece, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if c == '/' && length > 1 {
            first = first.or(Some(text.len() - rest.len()));
            out.extend(piece.chars().map(|c| if c == '\n' { c } else { ' ' }));
        } else {
            out.push_str(piece);
        }
        rest = behind;
    }
    (out, first)
}

/// The length of the string that a text begins with, quotes and all.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Where a node stands, and what is wrong with it.
type Wrong = (usize, String);

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    Text,
    Switch,
    Number,
    /// Above nothing.
    Positive,
    /// Whole, and not below nothing.
    Whole,
    Object,
    List,
    Texts,
    Null,
    /// One of these.
    Word(&'static [&'static str]),
}

impl Is {
    fn holds(self, node: &Node) -> bool {
        let value = match &node.kind {
            Kind::Object(_) => return self == Is::Object,
            Kind::Array(list) => {
                let text = |n: &Node| matches!(&n.kind, Kind::Other(Value::String(_)));
                return self == Is::List || (self == Is::Texts && list.iter().all(text));
            }
            Kind::Other(value) => value,
        };
        match self {
            Is::Text => value.is_string(),
            Is::Switch => value.is_boolean(),
            Is::Number => value.is_number(),
            Is::Positive => value.as_f64().is_some_and(|n| n > 0.0),
            Is::Whole => value.is_u64(),
            Is::Null => value.is_null(),
            Is::Word(words) => value.as_str().is_some_and(|v| words.contains(&v)),
            Is::Object | Is::List | Is::Texts => false,
        }
    }

    fn word(self) -> String {
        match self {
            Is::Text => "a text".into(),
            Is::Switch => "true or false".into(),
            Is::Number => "a number".into(),
            Is::Positive => "a number above zero".into(),
            Is::Whole => "a whole number".into(),
            Is::Object => "an object".into(),
            Is::List => "a list".into(),
            Is::Texts => "a list of texts".into(),
            Is::Null => "null".into(),
            Is::Word(words) => words.join(", "),
        }
    }
}

/// Keys and what each may be.
type Keys = &'static [(&'static str, &'static [Is])];

/// What is wrong with a node that is to be one of these.
fn of(node: &Node, name: &str, may: &[Is]) -> Option<Wrong> {
    if may.iter().any(|is| is.holds(node)) {
        return None;
    }
    let may: Vec<String> = may.iter().map(|is| is.word()).collect();
    Some((node.range.start, format!("`{name}` is not {}", may.join(" or "))))
}

/// What is wrong with the members of an object; those that are not named are not looked at.
fn members(node: &Node, keys: Keys) -> Option<Wrong> {
    let Kind::Object(all) = &node.kind else { return None };
    all.iter().find_map(|m| {
        let (_, may) = keys.iter().find(|(key, _)| *key == m.name)?;
        of(&m.value, &m.name, may)
    })
}

/// The last member of a name, which counts where it stands twice.
fn last<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Kind::Object(all) = &node.kind else { return None };
    all.iter().rfind(|m| m.name == name).map(|m| &m.value)
}

/// A key that has to be there.
fn needed(node: &Node, name: &str, may: &[Is]) -> Option<Wrong> {
    match last(node, name) {
        Some(value) => of(value, name, may),
        None => Some((node.range.start, format!("`{name}` is missing"))),
    }
}

fn elements(node: &Node) -> &[Node] {
    match &node.kind {
        Kind::Array(list) => list,
        _ => &[],
    }
}

/// Keys of Claude Code's settings whose type it insists on. What it does not know, it does not look at.
const CLAUDE: Keys = &[
    ("hooks", &[Is::Object]),
    ("disableAllHooks", &[Is::Switch]),
    ("allowManagedHooksOnly", &[Is::Switch, Is::Null]),
    ("permissions", &[Is::Object]),
    ("env", &[Is::Object]),
    ("sandbox", &[Is::Object]),
    ("model", &[Is::Text]),
    ("availableModels", &[Is::Texts]),
    ("agent", &[Is::Text]),
    ("language", &[Is::Text]),
    ("outputStyle", &[Is::Text]),
    ("apiKeyHelper", &[Is::Text]),
    ("awsCredentialExport", &[Is::Text]),
    ("awsAuthRefresh", &[Is::Text]),
    ("gcpAuthRefresh", &[Is::Text]),
    ("otelHeadersHelper", &[Is::Text]),
    ("plansDirectory", &[Is::Text]),
    ("autoMemoryDirectory", &[Is::Text]),
    ("minimumVersion", &[Is::Text]),
    ("statusLine", &[Is::Object]),
    ("cleanupPeriodDays", &[Is::Number]),
    ("includeCoAuthoredBy", &[Is::Switch]),
    ("includeGitInstructions", &[Is::Switch]),
    ("attribution", &[Is::Object, Is::Switch]),
    ("enableAllProjectMcpServers", &[Is::Switch, Is::Null]),
    ("enabledMcpjsonServers", &[Is::Texts, Is::Text]),
    ("disabledMcpjsonServers", &[Is::Texts, Is::Text]),
    ("enabledPlugins", &[Is::Object]),
    ("alwaysThinkingEnabled", &[Is::Switch]),
    ("autoMemoryEnabled", &[Is::Switch]),
    ("fastMode", &[Is::Switch]),
    ("respectGitignore", &[Is::Switch]),
    ("spinnerTipsEnabled", &[Is::Switch]),
    ("skipWebFetchPreflight", &[Is::Switch, Is::Null]),
    ("skipDangerousModePermissionPrompt", &[Is::Switch, Is::Null]),
    ("autoMode", &[Is::Object]),
    ("remote", &[Is::Object]),
    ("worktree", &[Is::Object]),
    ("verbose", &[Is::Switch]),
];

/// The same of its `permissions`.
const CLAUDE_PERMISSIONS: Keys = &[
    ("allow", &[Is::List]),
    ("deny", &[Is::List]),
    ("ask", &[Is::List]),
    ("additionalDirectories", &[Is::Texts]),
    ("defaultMode", &[Is::Word(CLAUDE_MODES)]),
];

/// Its modes.
const CLAUDE_MODES: &[&str] =
    &["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto", "manual"];

/// The same of its `sandbox`.
const CLAUDE_SANDBOX: Keys =
    &[("enabled", &[Is::Switch]), ("network", &[Is::Object]), ("excludedCommands", &[Is::List])];

/// Its events by which a tool is let through or not: a wrong entry of one of these costs the file, of another itself.
const CLAUDE_EVENTS: &[&str] = &["PreToolUse", "PermissionRequest"];

const CLAUDE_HANDLER: Keys = &[
    ("timeout", &[Is::Positive]),
    ("if", &[Is::Text]),
    ("statusMessage", &[Is::Text]),
    ("once", &[Is::Switch]),
];

const CLAUDE_COMMAND: Keys = &[
    ("async", &[Is::Switch]),
    ("asyncRewake", &[Is::Switch]),
    ("args", &[Is::Texts]),
    ("shell", &[Is::Word(&["bash", "powershell"])]),
    ("onFailure", &[Is::Word(&["block", "continue"])]),
];

/// Kinds of handlers of Claude Code, and what each needs.
const CLAUDE_KINDS: &[(&str, &[&str])] = &[
    ("command", &["command"]),
    ("prompt", &["prompt"]),
    ("agent", &["prompt"]),
    ("http", &["url"]),
    ("mcp_tool", &["server", "tool"]),
];

fn claude(root: &Node) -> Option<Wrong> {
    members(root, CLAUDE)
        .or_else(|| last(root, "permissions").and_then(|p| members(p, CLAUDE_PERMISSIONS)))
        .or_else(|| last(root, "sandbox").and_then(|p| members(p, CLAUDE_SANDBOX)))
        .or_else(|| {
            let line = last(root, "statusLine")?;
            needed(line, "type", &[Is::Word(&["command"])]).or_else(|| needed(line, "command", &[Is::Text]))
        })
        .or_else(|| {
            let hooks = last(root, "hooks")?;
            let lists = CLAUDE_EVENTS.iter().filter_map(|event| Some((*event, last(hooks, event)?)));
            lists.flat_map(|(event, list)| elements(list).iter().map(move |group| (event, group))).find_map(
                |(event, group)| {
                    of(group, event, &[Is::Object])
                        .or_else(|| members(group, &[("matcher", &[Is::Text])]))
                        .or_else(|| needed(group, "hooks", &[Is::List]))
                        .or_else(|| elements(last(group, "hooks")?).iter().find_map(claude_handler))
                },
            )
        })
}

fn claude_handler(handler: &Node) -> Option<Wrong> {
    const KINDS: &[Is] = &[Is::Word(&["command", "prompt", "agent", "http", "mcp_tool"])];
    of(handler, "hooks", &[Is::Object])
        .or_else(|| needed(handler, "type", KINDS))
        .or_else(|| {
            let kind = last(handler, "type")?.value();
            let (_, needs) = CLAUDE_KINDS.iter().find(|(name, _)| kind == *name)?;
            needs.iter().find_map(|key| needed(handler, key, &[Is::Text]))
        })
        .or_else(|| members(handler, CLAUDE_HANDLER))
        .or_else(|| {
            let is = last(handler, "type").is_some_and(|kind| Is::Word(&["command"]).holds(kind));
            is.then(|| members(handler, CLAUDE_COMMAND)).flatten()
        })
}

/// Keys of a file of Codex. Another one costs the file.
const CODEX: Keys = &[("hooks", &[Is::Object]), ("description", &[Is::Text, Is::Null])];

/// Its events; what is not one of these is not looked at.
const CODEX_EVENTS: Keys = &[
    ("PreToolUse", &[Is::List]),
    ("PermissionRequest", &[Is::List]),
    ("PostToolUse", &[Is::List]),
    ("PreCompact", &[Is::List]),
    ("PostCompact", &[Is::List]),
    ("SessionStart", &[Is::List]),
    ("UserPromptSubmit", &[Is::List]),
    ("SubagentStart", &[Is::List]),
    ("SubagentStop", &[Is::List]),
    ("Stop", &[Is::List]),
    ("SessionEnd", &[Is::List]),
];

const CODEX_COMMAND: Keys = &[
    ("timeout", &[Is::Whole, Is::Null]),
    ("async", &[Is::Switch]),
    ("statusMessage", &[Is::Text, Is::Null]),
    ("commandWindows", &[Is::Text, Is::Null]),
];

fn codex(root: &Node) -> Option<Wrong> {
    let Kind::Object(all) = &root.kind else { return None };
    let unknown = all.iter().find(|m| !CODEX.iter().any(|(key, _)| *key == m.name));
    if let Some(member) = unknown {
        return Some((member.range.start, format!("`{}` is a key that it does not know", member.name)));
    }
    twice(root, CODEX).or_else(|| members(root, CODEX)).or_else(|| {
        let hooks = last(root, "hooks")?;
        twice(hooks, CODEX_EVENTS).or_else(|| members(hooks, CODEX_EVENTS)).or_else(|| {
            let Kind::Object(events) = &hooks.kind else { return None };
            let known = events.iter().filter(|m| CODEX_EVENTS.iter().any(|(key, _)| *key == m.name));
            known.flat_map(|m| elements(&m.value).iter().map(|g| (&m.name, g))).find_map(|(event, group)| {
                of(group, event, &[Is::Object])
                    .or_else(|| members(group, &[("matcher", &[Is::Text, Is::Null]), ("hooks", &[Is::List])]))
                    .or_else(|| elements(last(group, "hooks")?).iter().find_map(codex_handler))
            })
        })
    })
}

/// It does not take a name twice.
fn twice(node: &Node, keys: Keys) -> Option<Wrong> {
    let Kind::Object(all) = &node.kind else { return None };
    all.iter().enumerate().find_map(|(n, m)| {
        let again = all.iter().skip(n + 1).any(|other| other.name == m.name);
        let known = keys.iter().any(|(key, _)| *key == m.name);
        (again && known).then(|| (m.range.start, format!("`{}` stands twice", m.name)))
    })
}

fn codex_handler(handler: &Node) -> Option<Wrong> {
    let kinds = [Is::Word(&["command", "prompt", "agent"])];
    of(handler, "hooks", &[Is::Object]).or_else(|| needed(handler, "type", &kinds)).or_else(|| {
        let kind = last(handler, "type")?;
        if !Is::Word(&["command"]).holds(kind) {
            return None;
        }
        needed(handler, "command", &[Is::Text])
            .or_else(|| members(handler, CODEX_COMMAND))
            .or_else(|| twice(handler, CODEX_COMMAND))
    })
}

#[cfg(test)]
mod tests;
