//! `init`: the first documents of the user layer, from a preset.
//!
//! There are two, and it may be killed between them; half a policy must not be looser than the one before and the one that
//! was wanted. So the settings come before the list: without a list of the user's the embedded preset rules, which is
//! the strictest but one. Where a list rules already, one that denies everything stands in its place meanwhile. The next
//! run finds either and completes it.
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use policy::document::{Approvals, Config, preset};
use policy::rules::environ::scrub;
use protocol::shown;
use serde_json::{Map, Value, json};

use crate::cli::{Init, Preset};
use crate::exit::{Exit, Failure};
use crate::say::{self, Page};

impl Preset {
    pub fn name(self) -> &'static str {
        match self {
            Preset::DenyAll => "deny-all",
            Preset::Cautious => "cautious",
            Preset::Developer => "developer",
            Preset::Yolo => "yolo",
        }
    }

    /// A command to try it with, which it allows if it allows any.
    fn sample(self) -> &'static str {
        match self {
            Preset::DenyAll | Preset::Yolo => "exec-guard check -- ls",
            Preset::Cautious => "exec-guard check -c 'echo one two | wc -w'",
            Preset::Developer => "exec-guard check -c 'ls | head -n 3'",
        }
    }
}

/// Variables by which code is loaded into every program, or that every shell reads: nobody means to trust these by
/// having them set, so they are never recorded. By their begin.
/// Source: ld.so(8), dyld(1), bash(1) INVOCATION, sh(1p) ENV.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    "LD_", "DYLD_", "_RLD", "LIBPATH", "SHLIB_PATH", "LDR_", "GLIBC_", "BASH_ENV", "BASH_FUNC_", "ENV",
    "SHELLOPTS", "BASHOPTS", "PS4", "IFS", "PROMPT_COMMAND",
];

/// The two documents, ready to be written.
struct Documents {
    approvals: String,
    config: String,
    trusted: Vec<String>,
    left_out: Vec<String>,
}

/// Makes the documents of a preset for this environment.
///
/// # Errors
/// The preset is broken, which a test rules out.
fn documents(which: Preset, env: &[Vec<u8>], folder: &Path, token: &str) -> Result<Documents, Failure> {
    let broken = |what: String| Failure::trouble(format!("preset {}: {what}", which.name()));
    let preset = preset(which.name()).ok_or_else(|| broken("not there".into()))?;
    let parse = |text: &str| serde_json::from_str::<Value>(text).map_err(|e| broken(e.to_string()));
    let mut approvals = parse(preset.approvals)?;
    let socket = folder.join("exec-approvals.sock");
    let socket = socket.to_str().ok_or_else(|| broken("the folder's path is not UTF-8".into()))?;
    if let Some(map) = approvals.as_object_mut() {
        map.insert("socket".into(), json!({"path": socket, "token": token}));
    }
    let mut config = parse(preset.config)?;
    // Where everything is asked or denied there is nothing that could be scrubbed from an unattended run, and
    // where everything runs nothing is.
    let (trusted, left_out) = match which {
        Preset::Cautious | Preset::Developer => variables(env),
        Preset::DenyAll | Preset::Yolo => (Vec::new(), Vec::new()),
    };
    if !trusted.is_empty() {
        put(&mut config, &["tools", "exec", "env", "trusted"], trusted.clone().into());
    }
    let pretty = |value: &Value| {
        serde_json::to_string_pretty(value).map(|t| t + "\n").map_err(|e| broken(e.to_string()))
    };
    let (approvals, config) = (pretty(&approvals)?, pretty(&config)?);
    // What the guard would not accept is not written.
    Approvals::parse(approvals.as_bytes(), "exec-approvals.json").map_err(|e| broken(e.to_string()))?;
    Config::parse(config.as_bytes(), "config.json").map_err(|e| broken(e.to_string()))?;
    Ok(Documents { approvals, config, trusted, left_out })
}

/// Sets a value deep in an object; objects on the way are made.
fn put(root: &mut Value, path: &[&str], value: Value) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut at = root;
    for name in parents {
        let Some(map) = at.as_object_mut() else { return };
        at = map.entry(*name).or_insert_with(|| Value::Object(Map::new()));
    }
    if let Some(map) = at.as_object_mut() {
        map.insert((*last).into(), value);
    }
}

/// Names of variables that an unattended run would lose: those to be trusted, and those that never are.
fn variables(env: &[Vec<u8>]) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<String> =
        scrub(env, &[]).into_iter().filter_map(|name| String::from_utf8(name).ok()).collect();
    names.sort();
    names.dedup();
    names.into_iter().partition(|name| !NEVER.iter().any(|n| name.starts_with(n)))
}

/// 256 bits for the socket's HMAC, as 64 hexadecimal digits.
fn token() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    sys::edit::random(&mut bytes).map_err(|e| Failure::trouble(format!("no random numbers: {e}")))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

/// What is in a document; nothing if it is no file: one that never ends would be read for ever.
fn content(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    sys::file::open_regular(path).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The secret that a document has: an approver that runs already knows it.
fn secret_of(list: &Path) -> Option<String> {
    let value = serde_json::from_slice::<Value>(&content(list)?).ok()?;
    let token = value.pointer("/socket/token")?.as_str()?;
    (token.len() == 64 && token.bytes().all(|b| b.is_ascii_hexdigit())).then(|| token.to_owned())
}

/// Where the user's documents go: the folder that has some, else the one `EXEC_GUARD_HOME` names, else the user's own.
///
/// Not asked of what is in force: `--force` is there to mend what cannot be read.
pub fn folder(places: &store::Places) -> Result<PathBuf, Failure> {
    let has = |folder: &PathBuf| {
        [store::locate::APPROVALS, store::locate::CONFIG]
            .iter()
            .any(|name| std::fs::symlink_metadata(folder.join(name)).is_ok())
    };
    let user = places.user_folder();
    let folder = user.clone().filter(has).or_else(|| places.named.clone()).or(user);
    let folder = folder.ok_or_else(|| {
        Failure::trouble("there is no place for a policy: the user database names no home for this user")
            .advise("set EXEC_GUARD_HOME to a folder of yours")
    })?;
    if folder.is_absolute() { Ok(folder) } else { Err(Failure::usage("EXEC_GUARD_HOME is no absolute path")) }
}

/// OpenClaw's document, if it rules now and will not beside one in `folder`.
fn superseded(places: &store::Places, folder: &Path) -> Option<String> {
    let there = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
    let ours = folder.join(store::locate::APPROVALS);
    places.openclaw().filter(|claw| there(claw) && !there(&ours)).map(|claw| shown(&claw))
}

/// Key of the document that denies everything until both are written.
const UNFINISHED: &str = "unfinishedInit";

/// That document.
fn meanwhile() -> String {
    json!({
        "version": 1,
        "defaults": {"security": "deny", "ask": "off", "askFallback": "deny"},
        UNFINISHED: true,
    })
    .to_string()
        + "\n"
}

/// True if a document is what a run left that was killed in between: the one that denies everything, or the settings of a
/// preset without a list.
fn is_left(path: &Path) -> bool {
    let Some(mut value) = content(path).and_then(|t| serde_json::from_slice::<Value>(&t).ok()) else {
        return false;
    };
    if value.get(UNFINISHED) == Some(&Value::Bool(true)) {
        return true;
    }
    if !path.ends_with(store::locate::CONFIG) || path.with_file_name(store::locate::APPROVALS).exists() {
        return false;
    }
    without_trusted(&mut value);
    policy::document::PRESETS
        .iter()
        .any(|p| serde_json::from_str::<Value>(p.config).is_ok_and(|c| c == value))
}

/// True if the documents are there and say the same, but for the socket's secret and the variables that were set then.
fn is_same(made: &Documents, folder: &Path) -> bool {
    let plain = |text: &str| {
        let mut value = serde_json::from_str::<Value>(text).ok()?;
        if let Some(socket) = value.get_mut("socket").and_then(Value::as_object_mut) {
            socket.remove("token");
        }
        without_trusted(&mut value);
        Some(value)
    };
    made.each().all(|(name, text)| {
        let there = store::edit::get(&folder.join(name)).ok().and_then(|(there, _)| plain(&there));
        there.is_some() && there == plain(text)
    })
}

/// Takes out which variables are trusted: that depends on what is set.
fn without_trusted(value: &mut Value) {
    if let Some(exec) = value.pointer_mut("/tools/exec").and_then(Value::as_object_mut)
        && let Some(env) = exec.get_mut("env").and_then(Value::as_object_mut)
    {
        env.remove("trusted");
        if env.is_empty() {
            exec.remove("env");
        }
    }
}

/// Does it.
///
/// # Errors
/// Documents are there and `--force` is not given; they could not be written.
pub fn run(args: &Init) -> Result<Exit, Failure> {
    let places = crate::approvals::places();
    let folder = folder(&places)?;
    let env = sys::environ::entries();
    if args.dry_run {
        let made = documents(args.preset, &env, &folder, "(generated when written)")?;
        let mut page = Page::new();
        for (name, text) in made.each() {
            page.line(format!("// {}", shown(&folder.join(name))));
            for line in text.lines() {
                page.line(line);
            }
        }
        page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
        made.explain();
        return Ok(Exit::Done);
    }
    if std::fs::metadata(&folder).is_ok_and(|m| m.mode() & 0o022 != 0 && m.mode() & 0o1000 == 0) {
        let what = format!("{}: others can write this folder, and take a policy in it away", shown(&folder));
        return Err(Failure::trouble(what).advise(format!("look at it, then: chmod go-w {}", shown(&folder))));
    }
    if let Some(named) = places.named.as_ref().filter(|named| **named != folder) {
        say::word(format!(
            "note: EXEC_GUARD_HOME names {}, which can only make a policy stricter beside documents in {}: those are meant here",
            shown(named),
            shown(&folder)
        ));
    }
    let token = secret_of(&folder.join(store::locate::APPROVALS)).map_or_else(token, Ok)?;
    let mut made = documents(args.preset, &env, &folder, &token)?;
    let kept = match args.force {
        true => carried(&mut made.config, &folder.join(store::locate::CONFIG)),
        false => Vec::new(),
    };
    let paths: Vec<(PathBuf, &str)> = made.each().map(|(name, text)| (folder.join(name), text)).collect();
    let is_there = |path: &Path| std::fs::symlink_metadata(path).is_ok();
    let left = paths.iter().any(|(path, _)| is_left(path));
    if !args.force && !left && is_same(&made, &folder) {
        say::word(format!("{} holds the preset {} already", shown(&folder), args.preset.name()));
        return Ok(Exit::Done);
    }
    if !args.force
        && !left
        && let Some((there, _)) = paths.iter().find(|(path, _)| is_there(path))
    {
        return Err(Failure::not(format!("{} is there already; nothing was written", shown(there))).advise(
            "look at it with `exec-guardctl approvals get`, or replace it with --force (the old one is kept beside it, as .bak)",
        ));
    }
    let claw = superseded(&places, &folder);
    let list = folder.join(store::locate::APPROVALS);
    if is_there(&list) || claw.is_some() {
        write(&list, &meanwhile())?;
    }
    for (path, text) in paths.iter().rev() {
        write(path, text)?;
        say::word(format!("{} is written", shown(path)));
    }
    made.explain();
    if !kept.is_empty() {
        say::word(format!("taken over from the old config.json: {}", kept.join(" ")));
    }
    if let Some(claw) = claw {
        say::word(format!("note: {claw} was read in place until now; the new documents rule instead"));
        say::word(format!("to go on with it: exec-guardctl approvals set --file {claw}"));
    }
    if args.preset == Preset::Yolo {
        say::word("note: everything runs without a question now; the journal tells what");
    }
    say::word(format!(
        "next: try `{}`, then read exec-guard(1) for ways to put it in front",
        args.preset.sample()
    ));
    Ok(Exit::Done)
}

/// A name beside a document that nothing has: what an earlier run kept stays.
fn free(path: &Path) -> PathBuf {
    let named = |end: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let others = (1..).map(|n: u32| named(format!(".bak.{n}")));
    let mut all = std::iter::once(named(".bak".into())).chain(others);
    all.find(|p| std::fs::symlink_metadata(p).is_err()).unwrap_or_else(|| named(".bak".into()))
}

/// What the settings that are replaced say besides `tools.exec`, which is what a preset is about: owners, tokens, hooks. It
/// is put into the new ones; its names.
fn carried(config: &mut String, old: &Path) -> Vec<String> {
    let read = |text: &[u8]| serde_json::from_slice::<Value>(text).ok();
    let (Some(mut new), Some(Value::Object(old))) =
        (read(config.as_bytes()), content(old).and_then(|t| read(&t)))
    else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for (key, value) in old {
        match (key.as_str(), value) {
            ("version", _) => {}
            ("tools", Value::Object(tools)) => {
                for (key, value) in tools.into_iter().filter(|(key, _)| key != "exec") {
                    names.push(format!("tools.{key}"));
                    put(&mut new, &["tools", &key], value);
                }
            }
            (_, value) => {
                put(&mut new, &[&key], value);
                names.push(key);
            }
        }
    }
    let text = serde_json::to_string_pretty(&new).map(|t| t + "\n");
    match text {
        // What the guard would not accept is not written.
        Ok(text) if Config::parse(text.as_bytes(), "config.json").is_ok() => *config = text,
        _ => names.clear(),
    }
    names
}

/// Writes one document; one that is there is kept beside it.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let trouble = |e: io::Error| Failure::trouble(format!("{}: {e}", shown(path)));
    let target = store::edit::Target::at(path);
    let (old, base) = store::edit::get(path).map_err(crate::approvals::failure)?;
    if !old.is_empty() && !is_left(path) {
        let backup = free(path);
        sys::edit::replace(&backup, old.as_bytes(), 0o600).map_err(trouble)?;
        say::word(format!("the old one is kept as {}", shown(&backup)));
    }
    store::edit::set_text(&target, text, &base).map_err(crate::approvals::failure).map(drop)
}

impl Documents {
    fn each(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [(store::locate::APPROVALS, self.approvals.as_str()), (store::locate::CONFIG, self.config.as_str())]
            .into_iter()
    }

    /// What the person should know of the variables.
    fn explain(&self) {
        if !self.trusted.is_empty() {
            say::word(format!("trusted, since set now (tools.exec.env.trusted): {}", self.trusted.join(" ")));
        }
        if !self.left_out.is_empty() {
            say::word(format!(
                "not trusted, though set now, since it loads code into every program: {}",
                self.left_out.join(" ")
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn the_secret_of_a_running_approver_stays() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("x.json");
        let secret = "0f".repeat(32);
        for (text, want) in [
            (format!(r#"{{"socket":{{"token":"{secret}"}}}}"#), Some(secret.clone())),
            (r#"{"socket":{"token":"short"}}"#.to_owned(), None),
            (format!(r#"{{"socket":{{"token":"{}"}}}}"#, "zz".repeat(32)), None),
            ("{".to_owned(), None),
        ] {
            std::fs::write(&list, &text).unwrap();
            assert_eq!(secret_of(&list), want, "{text}");
        }
        assert_eq!(secret_of(&dir.path().join("none")), None);
    }

    #[test]
    fn every_preset_makes_documents() {
        assert_eq!(Preset::value_variants().len(), policy::document::PRESETS.len());
        for which in Preset::value_variants() {
            let made = documents(*which, &[], Path::new("/h/.exec-guard"), "t").unwrap();
            let value: Value = serde_json::from_str(&made.approvals).unwrap();
            assert_eq!(value["socket"], json!({"path": "/h/.exec-guard/exec-approvals.sock", "token": "t"}));
        }
    }

    #[test]
    fn what_is_set_is_trusted_but_no_loader() {
        let env: Vec<Vec<u8>> =
            ["PAGER=most", "EDITOR=true", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "HOME=/h", "A=b", "\u{e9}"]
                .iter()
                .map(|e| e.as_bytes().to_vec())
                .collect();
        let made = documents(Preset::Cautious, &env, Path::new("/h"), "t").unwrap();
        assert_eq!(made.trusted, ["PAGER"]);
        assert_eq!(made.left_out, ["BASH_ENV", "LD_PRELOAD"]);
        let config: Value = serde_json::from_str(&made.config).unwrap();
        assert_eq!(config["tools"]["exec"]["env"]["trusted"], json!(["PAGER"]));
        assert!(documents(Preset::Yolo, &env, Path::new("/h"), "t").unwrap().trusted.is_empty());
    }

    #[test]
    fn the_document_that_stops_to_rule_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().to_path_buf();
        let places = store::Places {
            system: home.join("etc"),
            home: Some(home.clone()),
            named: None,
            uid: sys::ids::uid(),
        };
        let folder = home.join(".exec-guard");
        assert_eq!(superseded(&places, &folder), None);
        let claw = places.openclaw().unwrap();
        std::fs::create_dir_all(claw.parent().unwrap()).unwrap();
        std::fs::write(&claw, "{}").unwrap();
        assert_eq!(superseded(&places, &folder), Some(shown(&claw)));
        // Beside a document of ours it did not rule before.
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(store::locate::APPROVALS), "{}").unwrap();
        assert_eq!(superseded(&places, &folder), None);
    }

    #[test]
    fn tokens_differ() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a != b && a.len() == 64);
    }

    #[test]
    fn a_value_is_put_deep() {
        let mut v = json!({"tools": {"x": 1}});
        put(&mut v, &["tools", "exec", "env"], json!(2));
        assert_eq!(v, json!({"tools": {"x": 1, "exec": {"env": 2}}}));
    }
}
