//! Agents: where each keeps its hooks, and how ours is written there. docs/agents.md says which version's facts these
//! follow, and what each leaves open.
pub mod json;
pub mod left;
pub mod matcher;
pub mod reads;
pub mod settings;
pub mod toml;

use std::path::{Path, PathBuf};

use serde_json::{Value, json as value};

use self::json::{Mark, Op};
use self::reads::Reads;
use self::settings::Change;
use self::toml::Row;
use super::manifest::Manifest;
use super::plan::{Plan, Surroundings};
use super::step::{Made, What};
use crate::exit::Failure;

/// How an agent takes a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An entry in a list of its settings: keys to the list, and what stands there around our command.
    Entry(&'static [&'static str], Handler),
    /// A file of its own, of JSON.
    File(&'static [&'static str], Handler),
    /// A program that is called.
    Script,
    /// A plugin: one file of JavaScript.
    Plugin(&'static str),
    /// OpenClaw's: a folder, and two entries in its settings.
    Folder,
}

/// The shape of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// In a group with this matcher.
    Group(&'static str, &'static [(&'static str, Extra)]),
    /// By itself; and whether the file carries `"version": 1`.
    Plain(&'static [(&'static str, Extra)], bool),
}

/// A value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(u32),
    /// True.
    Yes,
    /// Our command.
    Ours,
}

/// An agent.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its id, as in `exec-guard hook ID`.
    pub id: &'static str,
    /// The program it is started by.
    pub program: &'static str,
    /// Its folder below the home, which shows that a person uses it, and the settings file below that.
    pub home: (&'static str, &'static str),
    /// The settings file of a project, below it, where the agent reads one.
    pub project: Option<&'static str>,
    /// How it takes a hook.
    pub kind: Kind,
    /// How it reads the file, where that is JSON.
    pub reads: Reads,
    /// What a person has to know.
    pub note: &'static str,
    /// What the hook leaves open, and what closes it.
    pub open: (&'static str, &'static str),
}

use Extra::{Number, Ours, Text, Yes};
use Handler::{Group, Plain};

const HOOKS: &[&str] = &["hooks", "PreToolUse"];
const TYPE: (&str, Extra) = ("type", Text("command"));
const COMMAND: (&str, Extra) = ("command", Ours);

/// A plugin for an agent's own process: its own piece, and behind it how the guard is asked.
macro_rules! plugin {
    ($file:literal) => {
        concat!(
            include_str!(concat!("../../../../shim/src/hook/assets/", $file)),
            "\n",
            include_str!("../../../../shim/src/hook/assets/ask.js")
        )
    };
}

/// Every agent, in the order of docs/agents.md. Timeouts are seconds, of Gemini CLI and Qwen Code milliseconds; each is
/// longer than the guard takes at most (`budget_ms` of its hook).
#[rustfmt::skip]
pub const AGENTS: &[Spec] = &[
    Spec { id: "claude", program: "claude", home: (".claude", "settings.json"), project: Some(".claude/settings.json"),
        kind: Kind::Entry(HOOKS, Group("Bash", &[TYPE, COMMAND, ("timeout", Number(600)), ("onFailure", Text("block"))])),
        note: "",
        reads: Reads::Plain { bom: true },
        open: ("its own Edit and Write are not asked about; a project may set `disableAllHooks`",
            "exec-guardctl install --links; SHELL=@LINKS@/bash claude") },
    Spec { id: "codex", program: "codex", home: (".codex", "hooks.json"), project: Some(".codex/hooks.json"),
        kind: Kind::Entry(HOOKS, Group("Bash", &[TYPE, COMMAND, ("timeout", Number(600))])),
        note: "codex: the hook is marked as trusted in config.toml; a Codex that shows it for review all the same skips it until then",
        reads: Reads::Plain { bom: false },
        open: ("what is typed into a shell that is kept open is not seen; a guard that is missing or late lets commands run",
            "exec-guardctl install --links; chsh -s @LINKS@/bash") },
    Spec { id: "gemini", program: "gemini", home: (".gemini", "settings.json"), project: Some(".gemini/settings.json"),
        kind: Kind::Entry(&["hooks", "BeforeTool"],
            Group("run_shell_command", &[TYPE, ("name", Text("exec-guard")), COMMAND, ("timeout", Number(60_000))])),
        note: "gemini: hooks are not loaded in a folder that it does not trust",
        reads: Reads::Comments { bom: false },
        open: ("a guard that is late or killed lets commands run; hooks are not loaded in a folder that it does not trust",
            "exec-guardctl install --links; PATH=@LINKS@:$PATH gemini") },
    Spec { id: "copilot", program: "copilot", home: (".copilot", "hooks/exec-guard.json"), project: None,
        kind: Kind::File(&["hooks", "preToolUse"], Plain(&[TYPE, ("bash", Ours), ("timeoutSec", Number(30))], true)),
        note: "",
        reads: Reads::Plain { bom: false },
        open: ("an answer later than 30 s lets commands run; a repository may set `disableAllHooks`",
            "exec-guardctl install --preset all-on-path --shell bash") },
    Spec { id: "cursor", program: "cursor-agent", home: (".cursor", "hooks.json"), project: Some(".cursor/hooks.json"),
        kind: Kind::Entry(&["hooks", "beforeShellExecution"], Plain(&[COMMAND, ("failClosed", Yes)], true)),
        note: "cursor: by its documentation, not measured",
        reads: Reads::Plain { bom: false },
        open: ("written by its documentation, not measured",
            "look in the journal for what it runs: exec-guardctl log show") },
    Spec { id: "opencode", program: "opencode", home: (".config/opencode", "plugins/exec-guard.js"),
        project: Some(".opencode/plugins/exec-guard.js"),
        kind: Kind::Plugin(plugin!("opencode.js")),
        note: "opencode: it fetches @opencode-ai/plugin beside a plugin when it starts; without network it hangs until that is there",
        reads: Reads::Plain { bom: false },
        open: ("a plugin that it cannot load is skipped without a word",
            "exec-guardctl install --links; SHELL=@LINKS@/bash opencode") },
    Spec { id: "openclaw", program: "openclaw", home: (".openclaw", "openclaw.json"), project: None, kind: Kind::Folder,
        note: "",
        reads: Reads::Loose,
        open: ("`openclaw agent exec` never calls the plugin",
            "exec-guardctl install --links; SHELL=@LINKS@/bash openclaw") },
    Spec { id: "goose", program: "goose", home: (".config/goose", ""),
        project: Some(".agents/plugins/exec-guard/hooks/hooks.json"),
        kind: Kind::File(HOOKS, Group("developer__shell", &[TYPE, COMMAND, ("on_failure", Text("block"))])),
        note: "goose: by its documentation, not measured",
        reads: Reads::Plain { bom: false },
        open: ("written by its documentation, not measured",
            "exec-guardctl install --links; GOOSE_SHELL=@LINKS@/bash goose") },
    Spec { id: "crush", program: "crush", home: (".config/crush", "crush.json"), project: Some("crush.json"),
        kind: Kind::Entry(HOOKS, Plain(&[("matcher", Text("^bash$")), COMMAND], false)),
        note: "crush: by its documentation, not measured",
        reads: Reads::Plain { bom: false },
        open: ("written by its documentation, not measured; what a sub-agent runs is not asked about",
            "exec-guardctl install --preset all-on-path --shell bash") },
    Spec { id: "qwen", program: "qwen", home: (".qwen", "settings.json"), project: Some(".qwen/settings.json"),
        kind: Kind::Entry(HOOKS,
            Group("run_shell_command", &[TYPE, ("name", Text("exec-guard")), COMMAND, ("timeout", Number(60_000))])),
        note: "",
        reads: Reads::Comments { bom: true },
        open: ("a guard that is missing, killed or late lets commands run",
            "exec-guardctl install --links; PATH=@LINKS@:$PATH qwen") },
    Spec { id: "cline", program: "cline", home: (".cline", "hooks/PreToolUse"), project: None, kind: Kind::Script,
        note: "",
        reads: Reads::Plain { bom: false },
        open: ("a guard that is missing or killed lets commands run",
            "exec-guardctl install --preset all-on-path --shell bash") },
    Spec { id: "pi", program: "pi", home: (".pi/agent", "extensions/exec-guard.js"), project: None,
        kind: Kind::Plugin(plugin!("pi.js")), note: "",
        reads: Reads::Plain { bom: false },
        open: ("what tools of other extensions run is judged by the names of what they are handed",
            "exec-guardctl install --links; `shellPath` in ~/.pi/agent/settings.json: @LINKS@/bash") },
];

/// Variables by which agents are told where their settings are, their own and those of the administrator; those of
/// Claude Code, Codex and XDG are among the [`Surroundings`].
pub const VARIABLES: &[&str] = &[
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
    "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
    "QWEN_HOME",
    "QWEN_CODE_SYSTEM_SETTINGS_PATH",
    "QWEN_CODE_SYSTEM_DEFAULTS_PATH",
    "QWEN_CODE_TRUSTED_FOLDERS_PATH",
    "COPILOT_HOME",
    "PI_CODING_AGENT_DIR",
    "CRUSH_GLOBAL_CONFIG",
    "OPENCLAW_HOME",
    "OPENCLAW_STATE_DIR",
    "OPENCLAW_CONFIG_PATH",
];

/// The files of OpenClaw's plugin.
pub const OPENCLAW: &[(&str, &str)] = &[
    ("index.js", plugin!("openclaw/index.js")),
    ("openclaw.plugin.json", include_str!("../../../../shim/src/hook/assets/openclaw/openclaw.plugin.json")),
    ("package.json", include_str!("../../../../shim/src/hook/assets/openclaw/package.json")),
];

impl Spec {
    /// The agent with this id.
    pub fn named(id: &str) -> Option<&'static Spec> {
        AGENTS.iter().find(|a| a.id == id)
    }

    /// True if its program or its folder is here.
    pub fn is_here(&self, s: &Surroundings) -> bool {
        self.folder(s).is_dir() || s.behind().find(self.program).is_some()
    }

    /// Its own folder.
    pub fn folder(&self, s: &Surroundings) -> PathBuf {
        match (self.id, self.home.0.strip_prefix(".config/")) {
            ("claude", _) => s.claude.clone(),
            ("codex", _) => s.codex.clone(),
            (_, Some(rest)) => self.told(s).unwrap_or_else(|| s.config.join(rest)),
            (_, None) => self.told(s).unwrap_or_else(|| s.home.join(self.home.0)),
        }
    }

    /// Its own folder, where a variable says that it is elsewhere.
    ///
    /// Sources: gemini-cli docs/reference/configuration.md, docs.github.com cli-config-dir-reference,
    /// docs.openclaw.ai/help/environment, pi's docs/configuration.md; Qwen Code 0.24.4 itself.
    fn told(&self, s: &Surroundings) -> Option<PathBuf> {
        let told = |name: &str| s.told.get(name);
        match self.id {
            "gemini" => told("GEMINI_CLI_HOME").map(|home| home.join(".gemini")),
            "qwen" => told("QWEN_HOME").cloned(),
            "copilot" => told("COPILOT_HOME").cloned(),
            "pi" => told("PI_CODING_AGENT_DIR").cloned(),
            "crush" => told("CRUSH_GLOBAL_CONFIG").cloned(),
            "openclaw" => told("OPENCLAW_STATE_DIR")
                .cloned()
                .or_else(|| told("OPENCLAW_HOME").map(|home| home.join(".openclaw"))),
            _ => None,
        }
    }

    /// The file that our hook stands in: a person's, or a project's.
    pub fn file(&self, s: &Surroundings, project: Option<&Path>) -> Option<PathBuf> {
        match project {
            Some(root) => self.project.map(|rel| root.join(rel)),
            None if self.id == "goose" => Some(s.home.join(".agents/plugins/exec-guard/hooks/hooks.json")),
            None if self.id == "openclaw" && s.told.contains_key("OPENCLAW_CONFIG_PATH") => {
                s.told.get("OPENCLAW_CONFIG_PATH").cloned()
            }
            None => Some(self.folder(s).join(self.home.1)),
        }
    }

    /// The keys to the list of hooks, and the matcher that ours stands under.
    pub fn list(&self) -> Option<(&'static [&'static str], Handler)> {
        match self.kind {
            Kind::Entry(at, handler) | Kind::File(at, handler) => Some((at, handler)),
            Kind::Script | Kind::Plugin(_) | Kind::Folder => None,
        }
    }

    /// The command line of the hook.
    pub fn command(&self, guard: &Path) -> String {
        protocol::hook::quoted(&[super::text(guard), "hook".into(), self.id.into()])
    }

    /// The entries of a settings file.
    fn ops(&self, guard: &Path) -> Vec<Op> {
        let keys = |at: &[&str]| at.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>();
        let Some((at, handler)) = self.list() else { return Vec::new() };
        let extra = |list: &[(&str, Extra)]| {
            let mut out = serde_json::Map::new();
            for (key, extra) in list {
                let is = match extra {
                    Text(text) => Value::from(*text),
                    Number(n) => Value::from(*n),
                    Yes => Value::from(true),
                    Ours => Value::from(self.command(guard)),
                };
                out.insert((*key).to_owned(), is);
            }
            out
        };
        let hook = |value: Value| Op::new(keys(at), Mark::Hook(self.id.into()), value);
        match handler {
            Group(matcher, more) => {
                vec![hook(value!({"matcher": matcher, "hooks": [extra(more)]}))]
            }
            Plain(more, version) => {
                let first = Op::new(keys(&["version"]), Mark::Key, 1.into());
                let first = version.then_some(first);
                first.into_iter().chain([hook(Value::Object(extra(more)))]).collect()
            }
        }
    }

    /// The text of its plugin.
    pub fn plugin(&self, guard: &Path) -> Option<String> {
        match self.kind {
            Kind::Plugin(text) => Some(placed(text, guard)),
            Kind::Folder => OPENCLAW.first().map(|(_, text)| placed(text, guard)),
            Kind::Entry(..) | Kind::File(..) | Kind::Script => None,
        }
    }

    /// A file of ours, whole.
    pub fn own_file(&self, guard: &Path) -> Option<(String, u32)> {
        match self.kind {
            Kind::Plugin(text) => Some((placed(text, guard), 0o644)),
            Kind::Script => Some((format!("#!/bin/sh\n# {MADE}\nexec {}\n", self.command(guard)), 0o755)),
            Kind::File(..) => {
                let change = Change::Json(self.ops(guard), false);
                change.put("").ok().map(|(text, _)| (text, 0o644))
            }
            Kind::Entry(..) | Kind::Folder => None,
        }
    }
}

/// Head of files that are ours.
const MADE: &str = "Put here by exec-guardctl install; exec-guardctl uninstall takes it away.";

/// A plugin with the guard's path in it.
fn placed(text: &str, guard: &Path) -> String {
    let path = Value::from(super::text(guard)).to_string();
    format!("// {MADE}\n{}", text.replace("\"@EXEC_GUARD@\"", &path))
}

/// Adds what an agent needs to a plan. `project` is the folder of a project whose own file is meant.
///
/// # Errors
/// The agent reads no file of a project.
pub fn plan(
    id: &str,
    project: Option<&Path>,
    s: &Surroundings,
    guard: &Path,
    old: &Manifest,
    plan: &mut Plan,
) -> Result<(), Failure> {
    let spec = Spec::named(id).ok_or_else(|| Failure::usage(format!("{id}: no agent that is known here")))?;
    let file = spec.file(s, project).ok_or_else(|| {
        Failure::usage(format!("{id}: no settings file of a project is known that it reads"))
            .advise(format!("exec-guardctl install --agent {id} writes yours"))
    })?;
    let part = part(id, project);
    let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
    if spec.kind == Kind::Folder {
        let plugin = s.folder.join("openclaw");
        plan.folder(&part, &plugin, 0o700);
        for (name, text) in OPENCLAW {
            let text = if name.ends_with(".js") { placed(text, guard) } else { (*text).to_owned() };
            plan.add(&part, plugin.join(name), What::File(text.into_bytes(), 0o644));
        }
        plan.folder(&part, &folder, 0o700);
        let at = |keys: &[&str]| keys.iter().map(|k| (*k).to_owned()).collect();
        let text = super::text(&plugin);
        let ops = vec![
            Op::new(at(&["plugins", "load", "paths"]), Mark::Text(text.clone()), text.into()),
            Op::new(at(&["plugins", "entries", "exec-guard"]), Mark::Key, value!({"enabled": true})),
        ];
        plan.add(&part, file, What::Entry(Change::Json(ops, true)));
    } else if let Some((text, mode)) = spec.own_file(guard) {
        plan.folder(&part, &folder, 0o755);
        plan.add(&part, file, What::File(text.into_bytes(), mode));
    } else {
        plan.folder(&part, &folder, 0o755);
        let mut change = Change::Json(spec.ops(guard), false);
        if let Some(Made { kind: super::step::Kind::Entry(old, ..), .. }) = old.of(&file) {
            change.inherit(old);
        }
        let trust = if id == "codex" { trust(&file, &change, &spec.command(guard)) } else { None };
        plan.add(&part, file, What::Entry(change));
        if let Some(row) = trust {
            plan.folder(&part, &s.codex, 0o755);
            plan.add(&part, s.codex.join("config.toml"), What::Entry(Change::Toml(row)));
        }
    }
    if !spec.note.is_empty() {
        plan.notes.push(spec.note.to_owned());
    }
    Ok(())
}

/// The part of an installation that an agent is.
pub fn part(id: &str, project: Option<&Path>) -> String {
    match project {
        Some(root) => format!("agent:{id}:{}", super::text(root)),
        None => format!("agent:{id}"),
    }
}

/// What Codex keeps of a hook that a person trusts (0.171.0): a hash by file and place.
fn trust(file: &Path, change: &Change, command: &str) -> Option<Row> {
    let text = settings::text(file).ok()?;
    let (text, _) = change.put(&text).ok()?;
    trusted(file, &json::value(&text, false).ok()?, command)
}

/// The same for a file as it is: the row that says that the hook with this command in it is trusted.
pub fn trusted(file: &Path, is: &Value, command: &str) -> Option<Row> {
    let list = is.pointer("/hooks/PreToolUse")?.as_array()?;
    // A person may have another that calls the guard, for other tools.
    let matcher_of =
        |group: &Value| group.get("matcher").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mine = list.iter().enumerate().filter_map(|(i, group)| {
        let hooks = group.get("hooks")?.as_array()?;
        let j = hooks.iter().position(|h| json::command(h) == Some(command))?;
        matcher::covers("codex", &matcher_of(group), "Bash").then_some((i, j, group, hooks.get(j)?))
    });
    let (i, j, group, handler) = mine.min_by_key(|(_, _, group, _)| matcher_of(group) != "Bash")?;
    let mut handler = handler.as_object()?.clone();
    handler.entry("async").or_insert(false.into());
    handler.entry("timeout").or_insert(600.into());
    let mut normal = value!({"event_name": "pre_tool_use", "hooks": [handler]});
    if let (Some(matcher), Some(map)) = (group.get("matcher"), normal.as_object_mut()) {
        map.insert("matcher".into(), matcher.clone());
    }
    let hash = store::edit::hash(sorted(&normal).to_string().as_bytes());
    Some(Row {
        table: vec!["hooks".into(), "state".into(), format!("{}:pre_tool_use:{i}:{j}", super::text(file))],
        key: "trusted_hash".into(),
        value: format!("sha256:{hash}"),
    })
}

/// With the keys of every object in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by(|a, b| a.0.cmp(b.0));
            Value::Object(keys.into_iter().map(|(k, v)| (k.clone(), sorted(v))).collect())
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_that_has_a_hook_can_be_installed() {
        let here: Vec<&str> = AGENTS.iter().map(|a| a.id).collect();
        let hooks: Vec<&str> = protocol::hook::AGENTS.iter().map(|a| a.id).collect();
        assert_eq!(here.len(), hooks.len());
        assert!(hooks.iter().all(|h| here.contains(h)), "{here:?} {hooks:?}");
    }

    #[test]
    fn the_agent_waits_longer_than_the_guard() {
        for spec in AGENTS {
            let budget = u64::from(
                u32::try_from(protocol::hook::Agent::named(spec.id.as_bytes()).unwrap().budget_ms).unwrap(),
            );
            for op in spec.ops(Path::new("/x/exec-guard")) {
                let handler = op.value.pointer("/hooks/0").unwrap_or(&op.value);
                let timeout =
                    ["timeout", "timeoutSec"].iter().find_map(|k| handler.get(*k)).and_then(Value::as_u64);
                let Some(timeout) = timeout else { continue };
                let ms = if ["gemini", "qwen"].contains(&spec.id) { timeout } else { timeout * 1000 };
                assert!(ms > budget + 2000, "{}: {ms} {budget}", spec.id);
            }
        }
    }

    #[test]
    fn a_hook_of_codex_is_hashed_as_it_does() {
        const OURS: &str = "/g/exec-guard hook codex";
        // As Codex 0.171.0 reckons: keys in order, defaults filled in, no spaces.
        let is = value!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/g/exec-guard hook codex"}]}]}});
        let row = trusted(Path::new("/h/.codex/hooks.json"), &is, OURS).unwrap();
        let normal = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"/g/exec-guard hook codex","timeout":600,"type":"command"}],"matcher":"Bash"}"#;
        assert_eq!(row.value, format!("sha256:{}", store::edit::hash(normal.as_bytes())));
        assert_eq!(row.table.last().unwrap(), "/h/.codex/hooks.json:pre_tool_use:0:0");
        // A person's own in front is not ours.
        let mut both = is.clone();
        let theirs = value!({"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "/g/exec-guard hook codex"}]});
        both["hooks"]["PreToolUse"].as_array_mut().unwrap().insert(0, theirs);
        let second = trusted(Path::new("/h/.codex/hooks.json"), &both, OURS).unwrap();
        assert_eq!(
            (second.value, second.table.last().unwrap().as_str()),
            (row.value, "/h/.codex/hooks.json:pre_tool_use:1:0")
        );
    }

    #[test]
    fn plugins_hold_the_path_as_javascript_writes_it() {
        let (text, _) = Spec::named("opencode").unwrap().own_file(Path::new("/a \"b\"/exec-guard")).unwrap();
        assert!(
            text.contains("const GUARD = \"/a \\\"b\\\"/exec-guard\";\n") && !text.contains("@EXEC_GUARD@")
        );
    }
}
