//! What Claude Code's settings say together of whether hooks are started: several files, of which the nearer counts, and
//! above all of them the administrator's.
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::idle::top;
use crate::install::agents::json::value as parsed;
use crate::install::agents::{reads, settings};
use crate::install::plan::Surroundings;

/// The switches, by which a person finds them. What is said of one in a file that counts for more is what holds.
const SWITCHES: &[&str] = &["disableAllHooks", PREFIX];

/// The same for those that count in a person's own file and the administrator's, and do nothing in a project's.
const OWN_SWITCHES: &[&str] = &["env.CLAUDE_CODE_SIMPLE", "env.CLAUDE_CODE_SAFE_MODE"];

/// The program by which every command line is started, that of a hook as well.
pub const PREFIX: &str = "env.CLAUDE_CODE_SHELL_PREFIX";

/// The switch by which hooks are off, or go through another program, and the file that has the last word in it. `file`
/// is the one with our hook, and `value` what it says.
///
/// Measured with 2.1.332: a `false` of the project's local settings against a `true` of the project's or of a person's,
/// one of a later piece of the administrator's against an earlier.
///
/// # Errors
/// A file that may hold one cannot be read, and why.
pub fn off(
    s: &Surroundings,
    file: &Path,
    value: &Value,
) -> Result<Option<(PathBuf, &'static str)>, (PathBuf, String)> {
    let (files, managed) = files(s, file);
    let mut doubt = None;
    let own = s.claude.join("settings.json");
    let mut read = |path: &PathBuf| {
        if path == file {
            return Some((path.clone(), value.clone()));
        }
        // The administrator's are not thrown away for one wrong type.
        let read = match managed.contains(path) {
            true => super::idle::foreign(path),
            false => foreign(path),
        };
        match read {
            Ok(value) => value.map(|v| (path.clone(), v)),
            Err(why) => {
                doubt = Some((path.clone(), why));
                None
            }
        }
    };
    let files: Vec<(PathBuf, Value)> = files.iter().filter_map(&mut read).collect();
    let managed: Vec<(PathBuf, Value)> = managed.iter().filter_map(&mut read).collect();
    for key in SWITCHES {
        let says = |(_, v): &&(PathBuf, Value)| at(v, key).is_some();
        let last = managed.iter().rev().chain(files.iter().rev()).find(says);
        if let Some((path, value)) = last
            && at(value, key) == Some(true)
        {
            return Ok(Some((path.clone(), key)));
        }
    }
    for key in OWN_SWITCHES {
        let mut counts = managed.iter().rev().chain(files.iter().filter(|(path, _)| *path == own));
        if let Some((path, value)) = counts.find(|(_, v)| at(v, key).is_some())
            && at(value, key) == Some(true)
        {
            return Ok(Some((path.clone(), key)));
        }
    }
    // What is none of the words that it knows counts as the strictest.
    const ONLY: &str = "allowManagedHooksOnly";
    let last = managed.iter().rev().find_map(|(path, v)| Some((path, v.get(ONLY).filter(|v| !v.is_null())?)));
    if let Some((path, _)) = last.filter(|(_, v)| **v != Value::Bool(false)) {
        return Ok(Some((path.clone(), ONLY)));
    }
    const PLUGINS: &str = "strictPluginOnlyCustomization";
    let strict = |v: &Value| match v {
        Value::Null | Value::Bool(false) => false,
        Value::Array(list) => list.iter().any(|v| v == "hooks"),
        _ => true,
    };
    if let Some((path, _)) = managed.iter().rev().find(|(_, v)| v.get(PLUGINS).is_some_and(strict)) {
        return Ok(Some((path.clone(), PLUGINS)));
    }
    doubt.map_or(Ok(None), Err)
}

/// A settings file, `None` where there is none. One that the agent throws away whole says nothing, neither off nor on.
fn foreign(file: &Path) -> Result<Option<Value>, String> {
    let text = settings::foreign(file)?.filter(|text| !text.trim().is_empty());
    let read = |text: String| {
        reads::loads("claude", &text).map_err(|why| format!("is broken ({why})"))?;
        parsed(&text, false)
    };
    text.map(read).transpose()
}

/// What a document says of a switch: on, off, or nothing.
fn at(value: &Value, key: &str) -> Option<bool> {
    let said = value.pointer(&format!("/{}", key.replace('.', "/")))?;
    match (key, said) {
        (_, Value::Null) => None,
        ("disableAllHooks", said) => said.as_bool(),
        (PREFIX, said) => Some(said.as_str().is_none_or(|v| !v.is_empty())),
        (_, said) => Some(super::idle::is_on(said.as_str().unwrap_or("1"))),
    }
}

/// The files that count for a person in a folder, and those of the administrator; each later one counts for more.
///
/// Source: code.claude.com/docs/en/settings.
fn files(s: &Surroundings, file: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let own = s.claude.join("settings.json");
    // The project whose file it is, else the one that we stand in.
    let project = file.ends_with(".claude/settings.json") && file != own;
    let project = file.ancestors().nth(2).filter(|_| project);
    let here = project.map(Path::to_path_buf).or_else(|| std::env::current_dir().ok());
    let (mut files, mut managed) = (vec![own], Vec::new());
    if let Some(here) = &here {
        files.push(here.join(".claude/settings.json"));
        // The local file counts from the top of the working tree too.
        files.extend(top(here).filter(|top| top != here).map(|top| top.join(LOCAL)));
        files.push(here.join(LOCAL));
    }
    if !files.iter().any(|f| f == file) {
        files.insert(0, file.to_path_buf());
    }
    let etc = s.etc.join("claude-code");
    let pieces = std::fs::read_dir(etc.join("managed-settings.d")).into_iter().flatten().flatten();
    let mut pieces: Vec<PathBuf> = pieces.map(|e| e.path()).collect();
    pieces.retain(|p| p.extension().is_some_and(|e| e == "json"));
    pieces.sort();
    managed.push(etc.join("managed-settings.json"));
    managed.extend(pieces);
    (files, managed)
}

const LOCAL: &str = ".claude/settings.local.json";

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = ".claude/settings.json";
    const PROJECT: &str = "p/.claude/settings.json";
    const NEAR: &str = "p/.claude/settings.local.json";
    const ADMIN: &str = "etc/claude-code/managed-settings.json";
    const TEN: &str = "etc/claude-code/managed-settings.d/10-a.json";
    const TWENTY: &str = "etc/claude-code/managed-settings.d/20-b.json";

    #[test]
    fn a_file_that_is_thrown_away_says_nothing() {
        // A wrong type far from the switch: Claude Code loads nothing of such a file.
        const WRONG: &str = r#"{"disableAllHooks": IS, "permissions": "x"}"#;
        for (broken, own, is) in [
            ("true", "false", None),
            // It would have been off by the person's file.
            ("false", "true", Some(USER)),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let mut s = Surroundings::of_process().unwrap();
            s.etc = dir.path().join("etc");
            s.claude = dir.path().join(".claude");
            for (rel, text) in
                [(NEAR, WRONG.replace("IS", broken)), (USER, format!(r#"{{"disableAllHooks": {own}}}"#))]
            {
                let path = dir.path().join(rel);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            let said = off(&s, &dir.path().join(PROJECT), &Value::Null);
            match is {
                Some(rel) => assert_eq!(said.unwrap().map(|(path, _)| path), Some(dir.path().join(rel))),
                // Said: what is there is not what a person thinks.
                None => assert_eq!(said.unwrap_err().0, dir.path().join(NEAR)),
            }
        }
    }

    #[test]
    fn the_nearer_file_counts_and_the_administrators_most() {
        const ON: &str = r#"{"disableAllHooks": true}"#;
        const OFF: &str = r#"{"disableAllHooks": false}"#;
        const PREFIXED: &str = r#"{"env": {"CLAUDE_CODE_SHELL_PREFIX": "/bin/true"}}"#;
        const PLAIN: &str = r#"{"env": {"CLAUDE_CODE_SHELL_PREFIX": ""}}"#;
        const ONLY: &str = r#"{"allowManagedHooksOnly": true}"#;
        const SAFE: &str = r#"{"env": {"CLAUDE_CODE_SAFE_MODE": "1"}}"#;
        type Files = &'static [(&'static str, &'static str)];
        let rows: &[(Files, Option<&str>)] = &[
            (&[], None),
            (&[(USER, ON)], Some(USER)),
            (&[(USER, ON), (NEAR, OFF)], None),
            (&[(USER, ON), (PROJECT, OFF)], None),
            (&[(PROJECT, ON), (NEAR, OFF)], None),
            (&[(PROJECT, ON)], Some(PROJECT)),
            (&[(NEAR, ON), (USER, OFF), (PROJECT, OFF)], Some(NEAR)),
            (&[(TEN, ON), (TWENTY, OFF)], None),
            (&[(TEN, OFF), (TWENTY, ON)], Some(TWENTY)),
            (&[(ADMIN, ON), (TEN, OFF)], None),
            (&[(ADMIN, ON), (NEAR, OFF)], Some(ADMIN)),
            (&[(ADMIN, OFF), (USER, ON)], None),
            (&[(USER, PREFIXED)], Some(USER)),
            (&[(PROJECT, PREFIXED)], Some(PROJECT)),
            (&[(NEAR, PREFIXED), (ADMIN, PLAIN)], None),
            (&[(TEN, PREFIXED)], Some(TEN)),
            (&[(USER, PREFIXED), (PROJECT, PLAIN)], None),
            (&[(TEN, ONLY)], Some(TEN)),
            (&[(TEN, ONLY), (TWENTY, r#"{"allowManagedHooksOnly": false}"#)], None),
            (&[(PROJECT, ONLY)], None),
            (&[(ADMIN, r#"{"allowManagedHooksOnly": "yes"}"#)], Some(ADMIN)),
            (&[(ADMIN, r#"{"allowManagedHooksOnly": "yes", "permissions": "x"}"#)], Some(ADMIN)),
            (&[(ADMIN, r#"{"strictPluginOnlyCustomization": ["hooks"]}"#)], Some(ADMIN)),
            (&[(TEN, r#"{"strictPluginOnlyCustomization": true}"#)], Some(TEN)),
            (&[(ADMIN, r#"{"strictPluginOnlyCustomization": ["skills"]}"#)], None),
            (&[(USER, SAFE)], Some(USER)),
            (&[(ADMIN, SAFE)], Some(ADMIN)),
            // In a project's it does nothing.
            (&[(PROJECT, SAFE)], None),
            (&[(NEAR, SAFE)], None),
            (&[(USER, r#"{"env": {"CLAUDE_CODE_SIMPLE": "no"}}"#)], None),
            (&[(USER, r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#)], Some(USER)),
            (&[(PROJECT, r#"{"env": {"CLAUDE_CODE_SIMPLE": "1"}}"#)], None),
            (&[(ADMIN, r#"{"disableAllHooks": "true"}"#)], None),
        ];
        for (all, is) in rows {
            let dir = tempfile::tempdir().unwrap();
            let mut s = Surroundings::of_process().unwrap();
            s.etc = dir.path().join("etc");
            s.claude = dir.path().join(".claude");
            for (rel, text) in *all {
                let path = dir.path().join(rel);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            // As the hook of the project has it.
            let file = dir.path().join(PROJECT);
            let value = foreign(&file).unwrap().unwrap_or_default();
            let said = off(&s, &file, &value).unwrap().map(|(path, _)| path);
            assert_eq!(said, is.map(|rel| dir.path().join(rel)), "{all:?}");
        }
    }
}
