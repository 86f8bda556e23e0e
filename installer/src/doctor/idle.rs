//! A hook that stands in the settings and is not started all the same, or does not hold anything up.
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::install::agents::json::{self as text, command};
use crate::install::agents::{Extra, Handler, Spec, settings, toml};
use crate::install::plan::Surroundings;

/// Why a handler of ours does not guard: the key that is to be mended, and a clause.
///
/// Source: code.claude.com/docs/en/hooks; the other agents took over the same words.
pub fn why(id: &str, handler: Handler, hook: &Value) -> Option<(&'static str, String)> {
    let kind = hook.get("type");
    if kind.is_some_and(|k| k != "command") || (id == "claude" && kind.is_none()) {
        return Some(("type", "its `type` is not `command`".into()));
    }
    if let Some(only) = hook.get("if")
        && !["Bash", "Bash(*)"].iter().any(|all| only == all)
    {
        return Some(("if", "`if` lets it start for some commands only".into()));
    }
    for (key, what) in [
        ("async", "the command does not wait for it"),
        ("asyncRewake", "the command does not wait for it"),
        ("once", "it is called for the first command only"),
        ("disabled", "it is never called"),
    ] {
        if hook.get(key).is_some_and(|v| *v != Value::Bool(false)) {
            return Some((key, format!("`{key}`: {what}")));
        }
    }
    if hook.get("enabled").is_some_and(|v| *v != Value::Bool(true)) {
        return Some(("enabled", "`enabled`: it is never called".into()));
    }
    // A probe is sent without these, so that it would prove nothing.
    for key in ["args", "cwd", "env", "shell"] {
        if hook.get(key).is_some_and(|v| !v.is_null()) {
            return Some((key, format!("`{key}` has it started in another way than ours")));
        }
    }
    // Seconds; of these two milliseconds.
    let second = if ["gemini", "qwen"].contains(&id) { 1000.0 } else { 1.0 };
    let budget = protocol::hook::Agent::named(id.as_bytes()).map_or(0, |a| a.budget_ms.div_ceil(1000) + 2);
    let closed = ["onFailure", "on_failure", "failClosed"].iter().any(|key| hook.get(key).is_some());
    for key in ["timeout", "timeoutSec"] {
        let Some(value) = hook.get(key) else { continue };
        let Some(seconds) = value.as_f64().map(|n| n / second).filter(|s| *s >= 1.0) else {
            return Some((key, format!("its `{key}` is below a second")));
        };
        if !closed && Duration::try_from_secs_f64(seconds).is_ok_and(|t| t < Duration::from_secs(budget)) {
            let what =
                format!("its `{key}` ends before the guard says no ({budget} s): the command runs then");
            return Some((key, what));
        }
    }
    let (Handler::Group(_, extra) | Handler::Plain(extra, _)) = handler;
    extra.iter().find_map(|(key, want)| {
        let is = hook.get(key)?;
        let fits = match (*key, want) {
            ("onFailure" | "on_failure", Extra::Text(word)) => is == word,
            ("failClosed", Extra::Yes) => *is == Value::Bool(true),
            _ => true,
        };
        (!fits).then(|| (*key, format!("`{key}` lets commands run where it fails")))
    })
}

/// The same for whoever has the handler alone.
pub fn weak(id: &str, hook: &Value) -> Option<String> {
    let (_, handler) = Spec::named(id)?.list()?;
    why(id, handler, hook).map(|(_, why)| why)
}

/// The switch by which an agent's hooks, or those of ours, are off, and the file it stands in.
///
/// # Errors
/// A file of the project that may hold one cannot be read, and why.
pub fn switched_off(
    s: &Surroundings,
    id: &str,
    file: &Path,
    value: &Value,
    hooks: &[&Value],
) -> Result<Option<(PathBuf, &'static str)>, (PathBuf, String)> {
    if let Some(variable) = variable(id) {
        return Ok(Some((PathBuf::from("the environment"), variable)));
    }
    if id == "claude" {
        return super::claude::off(s, file, value);
    }
    if id == "qwen"
        && let Some(found) = dot_env(s, id)
    {
        return Ok(Some(found));
    }
    if let Some(key) = off(id, value, hooks) {
        return Ok(Some((file.to_path_buf(), key)));
    }
    let mut doubt = None;
    for (file, of) in others(s, id) {
        match foreign(&file) {
            Ok(Some(other)) => {
                let key = match of {
                    Of::Trust => distrusts(&other),
                    // What a person says counts for more.
                    Of::Defaults => off(id, &other, hooks).filter(|key| !says(value, key)),
                    Of::Machine | Of::Settings => off(id, &other, hooks).or_else(|| replaces(id, &other)),
                };
                if let Some(key) = key {
                    return Ok(Some((file, key)));
                }
            }
            Ok(None) => {}
            Err(why) => doubt = Some((file, why)),
        }
    }
    doubt.map_or(Ok(None), Err)
}

/// Variables that have an agent start without hooks.
const SWITCHES: &[(&str, &[&str])] = &[
    ("claude", &["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_RESTRICTED"]),
    ("qwen", &["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"]),
    ("opencode", &["OPENCODE_PURE"]),
];

/// The variables of an agent.
fn switches(id: &str) -> &'static [&'static str] {
    SWITCHES.iter().find(|(agent, _)| *agent == id).map_or(&[], |(_, names)| names)
}

/// True if a value of such a variable switches it on.
pub(super) fn is_on(value: &str) -> bool {
    !["", "0", "false", "no", "off"].iter().any(|off| value.trim().eq_ignore_ascii_case(off))
}

/// The file of variables that Qwen Code reads from where we stand upwards, and from the home, in which such a switch is.
///
/// Source: `findEnvFiles` of Qwen Code 0.24.4.
fn dot_env(s: &Surroundings, id: &str) -> Option<(PathBuf, &'static str)> {
    let here = std::env::current_dir().ok();
    let above = here.iter().flat_map(|h| h.ancestors()).flat_map(|d| [d.join(".qwen/.env"), d.join(".env")]);
    let folder = Spec::named(id)?.folder(s);
    let own = [folder.join(".env"), s.home.join(".qwen/.env"), s.home.join(".env")];
    above.chain(own).find_map(|file| {
        let text = settings::foreign(&file).ok().flatten()?;
        let name = text.lines().find_map(|line| {
            let line = line.trim().strip_prefix("export ").unwrap_or(line).trim();
            let (name, value) = line.split_once('=')?;
            let name = switches(id).iter().find(|n| **n == name.trim())?;
            is_on(value.trim().trim_matches(['"', '\''])).then_some(*name)
        })?;
        Some((file, name))
    })
}

/// The key by which a nearer file of an agent's takes the hooks of a person's own away, since it is no object to be
/// joined with those. Measured with Gemini CLI 0.61.0.
fn replaces(id: &str, value: &Value) -> Option<&'static str> {
    (id == "gemini" && value.get("hooks").is_some_and(|h| !h.is_object())).then_some("hooks")
}

/// A variable of ours that would have the agent start without hooks.
pub fn variable(id: &str) -> Option<&'static str> {
    let value = |name: &str| std::env::var_os(name).unwrap_or_default();
    let on = |name: &&&str| is_on(&value(name).to_string_lossy());
    if let Some(name) = switches(id).iter().find(on) {
        return Some(name);
    }
    match id {
        // The program by which every command line is started, that of a hook as well.
        "claude" if !value("CLAUDE_CODE_SHELL_PREFIX").is_empty() => Some("CLAUDE_CODE_SHELL_PREFIX"),
        _ => None,
    }
}

/// True if a document has a switch of this name, on or off.
fn says(value: &Value, key: &str) -> bool {
    value.pointer(&format!("/{}", key.replace('.', "/"))).is_some_and(|v| !v.is_null())
}

/// A file that counts beside the one with our hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// The administrator's.
    Machine,
    /// The administrator's, for those who say nothing else.
    Defaults,
    /// A person's, or that of the project we stand in.
    Settings,
    /// Folders, and whether they are trusted.
    Trust,
}

/// Other files that can switch an agent's hooks off.
///
/// Sources: code.claude.com/docs/en/settings, docs.github.com hooks-reference, gemini-cli docs/cli/trusted-folders.md and
/// docs/reference/configuration.md, Qwen Code 0.24.4 itself. Those of Claude Code: [`super::claude`].
fn others(s: &Surroundings, id: &str) -> Vec<(PathBuf, Of)> {
    let here = std::env::current_dir().ok();
    let project = |rel: &str| here.as_ref().map(|h| (h.join(rel), Of::Settings));
    let folder = Spec::named(id).map(|spec| spec.folder(s)).unwrap_or_default();
    // Those that came from Gemini CLI have the same files, and variables for each.
    let machine = |etc: &str, prefix: &str| {
        let told = |name: &str| s.told.get(format!("{prefix}_{name}").as_str()).cloned();
        let settings = told("SYSTEM_SETTINGS_PATH").unwrap_or_else(|| s.etc.join(etc).join("settings.json"));
        let defaults =
            told("SYSTEM_DEFAULTS_PATH").unwrap_or_else(|| settings.with_file_name("system-defaults.json"));
        let trust = told("TRUSTED_FOLDERS_PATH").unwrap_or_else(|| folder.join("trustedFolders.json"));
        [(settings, Of::Machine), (defaults, Of::Defaults), (trust, Of::Trust)]
    };
    match id {
        "copilot" => ["settings.json", "config.json"]
            .map(|name| (folder.join(name), Of::Settings))
            .into_iter()
            .chain(project(".github/copilot/settings.json"))
            .chain(project(".github/copilot/settings.local.json"))
            .collect(),
        "gemini" => {
            machine("gemini-cli", "GEMINI_CLI").into_iter().chain(project(".gemini/settings.json")).collect()
        }
        "qwen" => {
            machine("qwen-code", "QWEN_CODE").into_iter().chain(project(".qwen/settings.json")).collect()
        }
        _ => Vec::new(),
    }
}

/// The top of the working tree of git that a folder lies in.
pub(super) fn top(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|dir| dir.join(".git").exists())
}

/// The switch by which Codex leaves all hooks out, and the file it stands in. Of several the first counts: the
/// administrator's requirements and his managed settings, those of the project from the folder we stand in up to the top
/// of its working tree, a person's own, and the administrator's for those who say nothing else.
///
/// Measured with `codex features list` of 0.171.0.
pub fn codex_off(s: &Surroundings, here: &Path) -> Option<(PathBuf, &'static str)> {
    let etc = s.etc.join("codex");
    let own = s.codex.join("config.toml");
    let config = settings::foreign(&own).ok().flatten().unwrap_or_default();
    let top = top(here).unwrap_or(here);
    // A project that is not trusted says nothing; one that nobody has judged may be, by the time it counts.
    let distrusted = |dir: &Path| {
        let table = ["projects".to_owned(), crate::install::text(dir)];
        toml::get(&config, &table, "trust_level").is_ok_and(|l| l.as_deref() == Some("untrusted"))
    };
    let project = here.ancestors().take_while(|dir| dir.starts_with(top)).filter(|_| !distrusted(top));
    let project = project.map(|dir| dir.join(".codex/config.toml")).filter(|file| *file != own);
    let requirements = etc.join("requirements.toml");
    let files = [requirements.clone(), etc.join("managed_config.toml")]
        .into_iter()
        .chain(project)
        .chain([own.clone(), etc.join("config.toml")]);
    for file in files {
        let text = settings::foreign(&file).ok().flatten().unwrap_or_default();
        if file == requirements && toml::flag(&text, &[], "allow_managed_hooks_only") == Ok(Some(true)) {
            return Some((file, "allow_managed_hooks_only"));
        }
        // The second is what older versions call it.
        for (key, name) in [("hooks", "features.hooks"), ("codex_hooks", "features.codex_hooks")] {
            match toml::flag(&text, &["features"], key) {
                Ok(Some(false)) => return Some((file, name)),
                Ok(Some(true)) => return None,
                Ok(None) | Err(_) => {}
            }
        }
    }
    None
}

/// A settings file of somebody else's, `None` where there is none.
pub(super) fn foreign(file: &Path) -> Result<Option<Value>, String> {
    match settings::foreign(file)?.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => text::value(text, false).map(Some),
    }
}

/// True if the folder we stand in, or the nearest above it that is named, is not to be trusted.
fn distrusts(value: &Value) -> Option<&'static str> {
    let here = std::env::current_dir().ok()?;
    let said = here.ancestors().find_map(|dir| value.get(dir.to_str()?)?.as_str());
    (said == Some("DO_NOT_TRUST")).then_some("DO_NOT_TRUST")
}

/// The entry by which pi leaves our extension out, and the file it stands in: `-PATH`, or `!PATTERN`.
///
/// # Errors
/// A file that may hold one cannot be read, and why.
/// Source: pi's docs/settings.md, "Resources".
pub fn excluded(s: &Surroundings, extension: &Path) -> Result<Option<(PathBuf, String)>, (PathBuf, String)> {
    let name = extension.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let project = std::env::current_dir().ok().map(|h| h.join(".pi/settings.json"));
    let own = Spec::named("pi").map(|spec| spec.folder(s).join("settings.json"));
    for file in [own, project].into_iter().flatten() {
        let value = foreign(&file).map_err(|why| (file.clone(), why))?.unwrap_or_default();
        let list = value.get("extensions").and_then(Value::as_array);
        let out = |entry: &&str| match entry.split_at_checked(1) {
            Some(("-" | "!", path)) => names(path.rsplit('/').next().unwrap_or(path), name),
            _ => false,
        };
        if let Some(entry) = list.into_iter().flatten().filter_map(Value::as_str).find(out) {
            return Ok(Some((file, entry.to_owned())));
        }
    }
    Ok(None)
}

/// True if a pattern may name this file; of one that is more than stars it is taken to.
fn names(pattern: &str, name: &str) -> bool {
    let (first, rest) = pattern.split_once('*').unwrap_or((pattern, ""));
    let last = rest.rsplit('*').next().unwrap_or_default();
    let plain = !pattern.contains(['?', '[', '{', '(']);
    !plain || pattern == name || (pattern.contains('*') && name.starts_with(first) && name.ends_with(last))
}

/// The switch in one document. The agents are written in JavaScript, and some take any value for what it would be there.
fn off(id: &str, value: &Value, hooks: &[&Value]) -> Option<&'static str> {
    let on = |at: &str| value.pointer(at).is_some_and(is_true);
    // Of a switch that is on where nothing is said: anything else may be a no, as `0` and `"false"` are.
    let not_on = |at: &str| value.pointer(at).is_some_and(|v| !v.is_null() && *v != Value::Bool(true));
    // Gemini CLI switches hooks off one by one, by their name or by their command; in a text any piece of it counts.
    let named = |at: &str| {
        let says = |word: Option<&str>| match (word, value.pointer(at)) {
            (Some(word), Some(Value::Array(list))) => list.iter().any(|v| v.as_str() == Some(word)),
            (Some(word), Some(Value::String(text))) => text.contains(word),
            _ => false,
        };
        let gone = |h: &&Value| says(h.get("name").and_then(Value::as_str)) || says(command(h));
        !hooks.is_empty() && hooks.iter().all(gone)
    };
    let in_env = |name: &str| match value.pointer(&format!("/env/{name}")) {
        Some(Value::String(text)) => is_on(text),
        Some(other) => is_true(other),
        None => false,
    };
    match id {
        "copilot" if value.get("disableAllHooks") == Some(&Value::Bool(true)) => Some("disableAllHooks"),
        "qwen" if on("/disableAllHooks") => Some("disableAllHooks"),
        "qwen" if in_env("QWEN_CODE_SAFE_MODE") => Some("env.QWEN_CODE_SAFE_MODE"),
        "qwen" if in_env("QWEN_CODE_SIMPLE") => Some("env.QWEN_CODE_SIMPLE"),
        // Older versions than the one that is followed.
        "gemini" | "qwen" if not_on("/hooks/enabled") => Some("hooks.enabled"),
        "gemini" if not_on("/tools/enableHooks") => Some("tools.enableHooks"),
        "gemini" if not_on("/hooksConfig/enabled") => Some("hooksConfig.enabled"),
        "gemini" | "qwen" if named("/hooksConfig/disabled") => Some("hooksConfig.disabled"),
        "gemini" | "qwen" if named("/hooks/disabled") => Some("hooks.disabled"),
        _ => None,
    }
}

/// True of what is true in JavaScript.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(b) => *b,
        Value::Number(n) => n.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_handler_that_does_not_guard_is_known() {
        for (id, more, key) in [
            ("claude", json!({}), None),
            ("claude", json!({"if": "Bash(*)", "async": false, "timeout": 600, "onFailure": "block"}), None),
            ("claude", json!({"if": "Bash(git *)"}), Some("if")),
            ("claude", json!({"async": true}), Some("async")),
            ("claude", json!({"asyncRewake": true}), Some("asyncRewake")),
            ("claude", json!({"type": "prompt"}), Some("type")),
            ("claude", json!({"type": null}), Some("type")),
            ("claude", json!({"timeout": 0.001}), Some("timeout")),
            ("claude", json!({"timeout": "long"}), Some("timeout")),
            ("claude", json!({"onFailure": "allow"}), Some("onFailure")),
            ("gemini", json!({"timeout": 60000}), None),
            ("gemini", json!({"timeout": 600}), Some("timeout")),
            ("claude", json!({"once": true}), Some("once")),
            ("claude", json!({"args": []}), Some("args")),
            ("claude", json!({"shell": "powershell"}), Some("shell")),
            ("codex", json!({"enabled": false}), Some("enabled")),
            ("codex", json!({"timeout": 600}), None),
            ("codex", json!({"timeout": 60}), Some("timeout")),
            ("claude", json!({"timeout": 60, "onFailure": "block"}), None),
            ("copilot", json!({"timeoutSec": 0}), Some("timeoutSec")),
            ("copilot", json!({"timeoutSec": 30}), None),
            ("copilot", json!({"timeoutSec": 5}), Some("timeoutSec")),
            ("copilot", json!({"env": {"EXEC_GUARD_HOME": "/x"}}), Some("env")),
            ("qwen", json!({"timeout": 60}), Some("timeout")),
            ("cursor", json!({"failClosed": true}), None),
            ("cursor", json!({"failClosed": false}), Some("failClosed")),
            ("goose", json!({"on_failure": "continue"}), Some("on_failure")),
        ] {
            let mut hook = json!({"type": "command", "command": "/g/exec-guard hook x"});
            hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let (_, handler) = Spec::named(id).unwrap().list().unwrap();
            assert_eq!(why(id, handler, &hook).map(|(key, _)| key), key, "{id} {hook}");
        }
    }

    /// The surroundings of nobody, with an `/etc` and a home of their own.
    fn nobody(dir: &Path) -> Surroundings {
        let mut s = Surroundings::of_process().unwrap();
        s.etc = dir.join("etc");
        s.home = dir.to_path_buf();
        s.codex = dir.join(".codex");
        s.claude = dir.join(".claude");
        s.told.clear();
        s
    }

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn the_administrators_files_count() {
        let (ours, on) =
            (json!({"command": "/g/exec-guard hook x"}), json!({"hooksConfig": {"enabled": true}}));
        const OFF: &str = r#"{"hooksConfig": {"enabled": false}, "disableAllHooks": true}"#;
        for (id, rel, own, is) in [
            ("claude", "etc/claude-code/managed-settings.json", &Value::Null, true),
            ("claude", "etc/claude-code/managed-settings.d/10-x.json", &Value::Null, true),
            ("claude", "etc/claude-code/managed-settings.d/10-x.txt", &Value::Null, false),
            ("gemini", "etc/gemini-cli/settings.json", &Value::Null, true),
            ("gemini", "etc/gemini-cli/system-defaults.json", &Value::Null, true),
            ("gemini", "etc/gemini-cli/settings.json", &on, true),
            // A person's own counts for more than a default.
            ("gemini", "etc/gemini-cli/system-defaults.json", &on, false),
            ("gemini", "elsewhere/settings.json", &Value::Null, true),
            ("gemini", "elsewhere/system-defaults.json", &Value::Null, true),
            ("gemini", "elsewhere/defaults.json", &Value::Null, false),
            ("qwen", "etc/qwen-code/settings.json", &Value::Null, true),
            ("qwen", "etc/qwen-code/system-defaults.json", &Value::Null, true),
            ("copilot", "mine/settings.json", &Value::Null, true),
            ("copilot", ".copilot/settings.json", &Value::Null, false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let mut s = nobody(dir.path());
            let file = dir.path().join(rel);
            write(&file, OFF);
            if rel.starts_with("elsewhere") {
                s.told.insert("GEMINI_CLI_SYSTEM_SETTINGS_PATH", dir.path().join("elsewhere/settings.json"));
            }
            s.told.insert("COPILOT_HOME", dir.path().join("mine"));
            let said = switched_off(&s, id, Path::new("/nothing"), own, &[&ours]);
            let said = said.unwrap().map(|(file, _)| file);
            assert_eq!(said, is.then_some(file), "{id} {rel} {own}");
        }
    }

    /// As `codex features list` has it.
    #[test]
    fn codex_takes_the_first_of_its_layers() {
        const ON: &str = "[features]\nhooks = true\n";
        const OFF: &str = "[features]\nhooks = false\n";
        type Files = &'static [(&'static str, &'static str)];
        let rows: &[(Files, &str, Option<&str>)] = &[
            (&[], "", None),
            (&[("etc/codex/config.toml", OFF)], "", Some("etc/codex/config.toml")),
            (&[("etc/codex/config.toml", OFF), (".codex/config.toml", ON)], "", None),
            (
                &[("etc/codex/managed_config.toml", OFF), (".codex/config.toml", ON)],
                "",
                Some("etc/codex/managed_config.toml"),
            ),
            (&[("etc/codex/managed_config.toml", ON), (".codex/config.toml", OFF)], "", None),
            (&[("etc/codex/requirements.toml", OFF)], "", Some("etc/codex/requirements.toml")),
            (&[("etc/codex/requirements.toml", ON), (".codex/config.toml", OFF)], "", None),
            (
                &[("etc/codex/requirements.toml", "allow_managed_hooks_only = true\n")],
                "",
                Some("etc/codex/requirements.toml"),
            ),
            (&[(".codex/managed_config.toml", OFF)], "", None),
            (&[("p/.codex/config.toml", OFF)], "p", Some("p/.codex/config.toml")),
            (
                &[("p/.codex/config.toml", OFF), (".codex/config.toml", ON)],
                "p/sub",
                Some("p/.codex/config.toml"),
            ),
            (&[("p/.codex/config.toml", OFF), ("p/sub/.codex/config.toml", ON)], "p/sub", None),
            // Above the top of the working tree nothing is looked for.
            (&[("q/.codex/config.toml", OFF)], "q/sub", None),
            (
                &[
                    ("p/.codex/config.toml", OFF),
                    (".codex/config.toml", "[projects.\"DIR/p\"]\ntrust_level = \"untrusted\"\n"),
                ],
                "p",
                None,
            ),
        ];
        for (files, here, is) in rows {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            for folder in ["p/.git", "p/sub", "q/sub"] {
                std::fs::create_dir_all(root.join(folder)).unwrap();
            }
            for (rel, text) in *files {
                write(&root.join(rel), &text.replace("DIR", root.to_str().unwrap()));
            }
            let said = codex_off(&nobody(root), &root.join(here)).map(|(file, _)| file);
            assert_eq!(said, is.map(|rel| root.join(rel)), "{files:?} in {here}");
        }
    }

    #[test]
    fn a_pattern_names_what_it_may() {
        for (pattern, is) in [
            ("exec-guard.js", true),
            ("*", true),
            ("**", true),
            ("*.js", true),
            ("exec*", true),
            ("e*d.js", true),
            ("{a,b}.js", true),
            ("*.ts", false),
            ("other.js", false),
        ] {
            assert_eq!(names(pattern, "exec-guard.js"), is, "{pattern}");
        }
    }

    /// Measured with Qwen Code 0.24.4 and Gemini CLI 0.61.0: the command ran. Copilot CLI 1.0.102 takes `true` alone.
    #[test]
    fn what_javascript_takes_for_a_switch_is_one() {
        let ours = json!({"name": "exec-guard", "command": "/g hook x"});
        for (id, value, key) in [
            ("qwen", json!({"disableAllHooks": "true"}), Some("disableAllHooks")),
            ("qwen", json!({"disableAllHooks": 1}), Some("disableAllHooks")),
            ("qwen", json!({"disableAllHooks": 0}), None),
            ("copilot", json!({"disableAllHooks": "true"}), None),
            ("copilot", json!({"disableAllHooks": true}), Some("disableAllHooks")),
            ("qwen", json!({"disableAllHooks": ""}), None),
            ("qwen", json!({"disableAllHooks": null}), None),
            ("qwen", json!({"env": {"QWEN_CODE_SAFE_MODE": "1"}}), Some("env.QWEN_CODE_SAFE_MODE")),
            ("qwen", json!({"env": {"QWEN_CODE_SIMPLE": true}}), Some("env.QWEN_CODE_SIMPLE")),
            ("qwen", json!({"env": {"QWEN_CODE_SAFE_MODE": "0"}}), None),
            ("gemini", json!({"hooksConfig": {"enabled": 0}}), Some("hooksConfig.enabled")),
            ("gemini", json!({"hooksConfig": {"enabled": "false"}}), Some("hooksConfig.enabled")),
            ("gemini", json!({"hooksConfig": {"enabled": true}}), None),
            ("gemini", json!({"hooksConfig": {"disabled": "exec-guard"}}), Some("hooksConfig.disabled")),
            ("gemini", json!({"hooksConfig": {"disabled": "other"}}), None),
        ] {
            assert_eq!(off(id, &value, &[&ours]), key, "{id} {value}");
        }
        for (value, key) in [
            (json!({"hooks": []}), Some("hooks")),
            (json!({"hooks": null}), Some("hooks")),
            (json!({"hooks": "x"}), Some("hooks")),
            (json!({"hooks": {}}), None),
            (json!({}), None),
        ] {
            assert_eq!(replaces("gemini", &value), key, "{value}");
            assert_eq!(replaces("qwen", &value), None, "{value}");
        }
    }

    #[test]
    fn a_file_of_variables_switches_qwen_codes_hooks_off() {
        for (rel, text, is) in [
            (".qwen/.env", "QWEN_CODE_SAFE_MODE=1\n", true),
            (".env", "# x\nA=b\nexport QWEN_CODE_SIMPLE = \"true\"\n", true),
            (".env", "QWEN_CODE_SAFE_MODE=false\n#QWEN_CODE_SIMPLE=1\nXQWEN_CODE_SIMPLE=1\n", false),
            ("x/.env", "QWEN_CODE_SAFE_MODE=1\n", false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let mut s = nobody(dir.path());
            s.home = dir.path().to_path_buf();
            write(&dir.path().join(rel), text);
            let said = switched_off(&s, "qwen", Path::new("/nothing"), &Value::Null, &[]);
            let said = said.unwrap().map(|(file, _)| file);
            assert_eq!(said, is.then(|| dir.path().join(rel)), "{rel} {text}");
        }
    }

    #[test]
    fn hooks_are_switched_off_one_by_one() {
        let (ours, other) =
            (json!({"name": "exec-guard", "command": "/g hook gemini"}), json!({"command": "x"}));
        for (value, hooks, key) in [
            (
                json!({"hooksConfig": {"disabled": ["exec-guard"]}}),
                &[&ours][..],
                Some("hooksConfig.disabled"),
            ),
            (
                json!({"hooksConfig": {"disabled": ["/g hook gemini"]}}),
                &[&ours],
                Some("hooksConfig.disabled"),
            ),
            (json!({"hooks": {"disabled": ["exec-guard"]}}), &[&ours], Some("hooks.disabled")),
            (json!({"hooksConfig": {"disabled": ["other"]}}), &[&ours], None),
            (json!({"hooksConfig": {"disabled": ["exec-guard"]}}), &[&ours, &other], None),
        ] {
            assert_eq!(off("gemini", &value, hooks), key, "{value}");
        }
    }
}
