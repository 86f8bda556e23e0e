//! The one writer of policy documents.
//!
//! ```text
//! lock → read, check owner → parse → change → parse again → temp file, fsync → rename → fsync folder
//! ```
//!
//! Under the lock nobody else edits, and a reader sees the old text or the new one, never a part. What the guard
//! does not know survives: the document is changed as the JSON it is, in its author's order of keys. Text with
//! comments is not edited but refused, since writing it again would lose them.
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use policy::document::{Approvals, CAUTIOUS, Config, Entry, LoadError};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sys::file::Owner;

use crate::locate::{CONFIG, read, shown};

/// How long an edit waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why nothing was written.
#[derive(Debug)]
pub enum EditError {
    /// The document there cannot be used, or the changed one could not.
    Load(LoadError),
    /// It has comments, or is otherwise JSON5: by hand only.
    Comments(String),
    /// Somebody changed it since: the hash it has now.
    Changed(String),
    /// The change itself was refused.
    Refused(String),
    /// A system call failed.
    Io(String, io::Error),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Load(e) => write!(f, "{e}"),
            EditError::Comments(file) => {
                write!(
                    f,
                    "{file} is written with comments or other JSON5, which an edit would lose; edit it by hand"
                )
            }
            EditError::Changed(_) => write!(f, "the document was changed in the meantime; read it again"),
            EditError::Refused(why) => write!(f, "{why}"),
            EditError::Io(file, e) => write!(f, "{file} could not be written: {e}"),
        }
    }
}

impl std::error::Error for EditError {}

impl From<LoadError> for EditError {
    fn from(e: LoadError) -> EditError {
        EditError::Load(e)
    }
}

/// The document an edit goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its path; it need not exist.
    pub path: PathBuf,
    /// What a new document begins as: the embedded preset where that rules now (else one entry more would turn
    /// everything else into a refusal), an empty one where others rule.
    pub begin: Begin,
}

/// What a new document begins as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// `{"version": 1}`.
    Empty,
    /// The *cautious* preset, its config beside it.
    Cautious,
}

impl Target {
    /// An existing document, or one that begins empty.
    pub fn at(path: impl Into<PathBuf>) -> Target {
        Target { path: path.into(), begin: Begin::Empty }
    }
}

/// Which list an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `allowlist`
    Allow,
    /// `asklist`
    Ask,
    /// `denylist`
    Deny,
}

impl List {
    /// Its key.
    pub fn key(self) -> &'static str {
        match self {
            List::Allow => "allowlist",
            List::Ask => "asklist",
            List::Deny => "denylist",
        }
    }
}

/// The hash that `set` operations carry: sha256 of the text, in hexadecimal. A missing file hashes as empty.
pub fn hash(text: &[u8]) -> String {
    Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect()
}

/// The text of a document and its hash; empty if there is none.
///
/// # Errors
/// It exists and cannot be believed.
pub fn get(path: &Path) -> Result<(String, String), EditError> {
    let text = read(path, owner())?.unwrap_or_default();
    let hash = hash(&text);
    let text =
        String::from_utf8(text).map_err(|_| EditError::Refused(format!("{} is not UTF-8", shown(path))))?;
    Ok((text, hash))
}

fn owner() -> Owner {
    Owner::User(sys::ids::uid())
}

fn is_config(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n == CONFIG)
}

/// Everything between lock and rename. `change` gets the old text and returns the new one, or `None` for no
/// change.
fn rewrite<T>(
    target: &Target,
    change: impl FnOnce(Option<&[u8]>) -> Result<(Option<String>, T), EditError>,
) -> Result<T, EditError> {
    let file = shown(&target.path);
    let io = |e| EditError::Io(file.clone(), e);
    if let Some(folder) = target.path.parent() {
        sys::edit::private_folder(folder).map_err(io)?;
    }
    // Locked where it lands, so that two names of one file are one lock.
    let path = sys::edit::landing(&target.path).map_err(io)?;
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    let _held = sys::edit::lock(Path::new(&lock), PATIENCE).map_err(io)?;
    // What an edit left that was killed, of the document and of its index: nobody else writes either now.
    sys::edit::sweep(&path);
    if !is_config(&path) {
        sys::edit::sweep(&path.with_file_name(crate::index::INDEX));
    }
    let old = read(&path, owner())?;
    let (new, value) = change(old.as_deref())?;
    let Some(new) = new.filter(|n| Some(n.as_bytes()) != old.as_deref()) else { return Ok(value) };
    check(&path, new.as_bytes())?;
    let mode = match std::fs::metadata(&path) {
        Ok(m) => m.permissions().mode() & 0o644,
        // The floor has to be readable for those who stand on it.
        Err(_) if path.starts_with("/etc") => 0o644,
        Err(_) => 0o600,
    };
    sys::edit::replace(&path, new.as_bytes(), mode).map_err(io)?;
    if !is_config(&path) {
        // Without its index the document is as good, only slower; one of the old text is never used.
        let _ = crate::index::refresh(&path, owner());
    }
    Ok(value)
}

fn check(path: &Path, text: &[u8]) -> Result<(), LoadError> {
    let file = shown(path);
    if is_config(path) {
        Config::parse(text, &file).map(drop)
    } else {
        Approvals::parse(text, &file).map(drop)
    }
}

/// The document as JSON, once it is known to be one of ours.
fn parse(path: &Path, text: &[u8]) -> Result<Value, EditError> {
    check(path, text)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    serde_json::from_slice(text).map_err(|_| EditError::Comments(shown(path)))
}

fn written(value: &Value) -> Result<String, EditError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| EditError::Refused(e.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// Changes a document. The closure sees it as JSON; what it returns is passed on.
///
/// # Errors
/// The document, or what the change made of it, cannot be used; it has comments; the closure refused; a system
/// call failed. Then the old text stands.
pub fn edit<T>(
    target: &Target,
    change: impl FnOnce(&mut Value) -> Result<T, String>,
) -> Result<T, EditError> {
    let fresh = !target.path.exists();
    let out = rewrite(target, |old| changed(target, old, change))?;
    settle(target, fresh)?;
    Ok(out)
}

/// The same, if the document still has the hash that the change was based on.
///
/// # Errors
/// [`EditError::Changed`] if the hash is another; else as [`edit`].
pub fn edit_based<T>(
    target: &Target,
    base: &str,
    change: impl FnOnce(&mut Value) -> Result<T, String>,
) -> Result<T, EditError> {
    let fresh = !target.path.exists();
    let out = rewrite(target, |old| based(base, old).and_then(|()| changed(target, old, change)))?;
    settle(target, fresh)?;
    Ok(out)
}

/// The text after a change; `None` if it changed nothing.
fn changed<T>(
    target: &Target,
    old: Option<&[u8]>,
    change: impl FnOnce(&mut Value) -> Result<T, String>,
) -> Result<(Option<String>, T), EditError> {
    let mut value = match old {
        Some(text) => parse(&target.path, text)?,
        None => beginning(target)?,
    };
    let before = value.clone();
    let out = change(&mut value).map_err(EditError::Refused)?;
    if old.is_some() && value == before {
        return Ok((None, out));
    }
    if !is_config(&target.path) {
        give_ids(&mut value);
    }
    Ok((Some(written(&value)?), out))
}

/// What belongs to a document that is new.
fn settle(target: &Target, fresh: bool) -> Result<(), EditError> {
    if fresh && target.begin == Begin::Cautious && !is_config(&target.path) {
        settings_beside(&target.path)?;
    }
    Ok(())
}

fn beginning(target: &Target) -> Result<Value, EditError> {
    let text = match target.begin {
        Begin::Cautious => Some(if is_config(&target.path) { CAUTIOUS.config } else { CAUTIOUS.approvals }),
        Begin::Empty => None,
    };
    let Some(text) = text else { return Ok(json!({ "version": 1 })) };
    let mut value: Value = serde_json::from_str(text).map_err(|e| EditError::Refused(e.to_string()))?;
    let settings = target.path.with_file_name(CONFIG);
    if !is_config(&target.path)
        && let Some(text) = read(&settings, owner())?
        && let Some(defaults) = value.get_mut("defaults").and_then(Value::as_object_mut)
    {
        // Of the preset only what nobody has said himself is in force; written down it would count beside that.
        let said = Config::parse(&text, &shown(&settings))?.says();
        defaults.retain(|key, _| !said.contains(&key.as_str()));
    }
    Ok(value)
}

/// The preset's settings beside its lists: they were in force while the preset was. What somebody has set stays;
/// a config with comments is left as it is.
fn settings_beside(path: &Path) -> Result<(), EditError> {
    let preset = CAUTIOUS;
    let Some(folder) = path.parent() else { return Ok(()) };
    let path = folder.join(CONFIG);
    let done = rewrite(&Target::at(&path), |old| {
        let Some(old) = old else { return Ok((Some(preset.config.to_owned()), ())) };
        let mut value = parse(&path, old)?;
        let ours = serde_json::from_str(preset.config).map_err(|e| EditError::Refused(e.to_string()))?;
        fill(&mut value, ours);
        Ok((Some(written(&value)?), ()))
    });
    if matches!(done, Err(EditError::Comments(_))) { Ok(()) } else { done }
}

/// Adds what is not there.
fn fill(value: &mut Value, with: Value) {
    match (value, with) {
        (Value::Object(have), Value::Object(with)) => {
            for (key, inner) in with {
                fill(have.entry(key).or_insert(Value::Null), inner);
            }
        }
        (slot @ Value::Null, with) => *slot = with,
        _ => {}
    }
}

/// Puts a whole text in place of a document's, if that still has the hash the new text was based on. Socket path
/// and token are taken over where the new text has none, since whoever read the document was not shown them.
///
/// # Errors
/// [`EditError::Changed`] if the hash is another; else as [`edit`].
pub fn set_text(target: &Target, text: &str, base: &str) -> Result<String, EditError> {
    rewrite(target, |old| {
        based(base, old)?;
        if is_config(&target.path) {
            // A config may be JSON5: it is taken as it is.
            return Ok((Some(text.to_owned()), hash(text.as_bytes())));
        }
        let mut value = parse(&target.path, text.as_bytes())?;
        let before = value.clone();
        if let Some(old) = old.and_then(|o| parse(&target.path, o).ok()) {
            keep_socket(&mut value, &old);
        }
        give_ids(&mut value);
        let text = if value == before { text.to_owned() } else { written(&value)? };
        let hash = hash(text.as_bytes());
        Ok((Some(text), hash))
    })
}

/// Refuses if the text has another hash.
fn based(base: &str, old: Option<&[u8]>) -> Result<(), EditError> {
    let now = hash(old.unwrap_or_default());
    if now.eq_ignore_ascii_case(base.trim()) { Ok(()) } else { Err(EditError::Changed(now)) }
}

fn keep_socket(new: &mut Value, old: &Value) {
    let Some(had) = old.get("socket").and_then(Value::as_object) else { return };
    let Some(doc) = new.as_object_mut() else { return };
    let socket = doc.entry("socket").or_insert(Value::Null);
    if socket.is_null() {
        *socket = Value::Object(Map::new());
    }
    let Some(socket) = socket.as_object_mut() else { return };
    for (key, value) in had {
        let slot = socket.entry(key.clone()).or_insert(Value::Null);
        if slot.is_null() {
            *slot = value.clone();
        }
    }
}

/// Gives every entry an id; a bare string becomes an entry.
fn give_ids(doc: &mut Value) {
    let scopes = |v: &mut Value, f: &mut dyn FnMut(&mut Value)| {
        for list in ["allowlist", "asklist", "denylist"] {
            if let Some(items) = v.get_mut(list).and_then(Value::as_array_mut) {
                items.iter_mut().for_each(&mut *f);
            }
        }
    };
    let mut give = |entry: &mut Value| {
        if let Value::String(pattern) = entry {
            *entry = json!({ "pattern": std::mem::take(pattern) });
        }
        if let Some(e) = entry.as_object_mut()
            && e.get("id").is_none_or(Value::is_null)
        {
            e.insert("id".into(), sys::edit::uuid().into());
        }
    };
    if let Some(defaults) = doc.get_mut("defaults") {
        scopes(defaults, &mut give);
    }
    if let Some(agents) = doc.get_mut("agents").and_then(Value::as_object_mut) {
        for (_, agent) in agents.iter_mut() {
            scopes(agent, &mut give);
        }
    }
}

/// An entry as it stands in a document.
pub fn entry_value(entry: &Entry) -> Value {
    let mut out = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(v) = value {
            out.insert(key.into(), v);
        }
    };
    put("id", Some(entry.id.clone().unwrap_or_else(sys::edit::uuid).into()));
    put("pattern", Some(entry.pattern.clone().into()));
    put("args", entry.args.clone().map(Value::from));
    put("argPattern", entry.arg_pattern.clone().map(Value::from));
    put("cwd", entry.cwd.clone().map(Value::from));
    put("carries", entry.carries_anything.then(|| "anything".into()));
    put("hazards", entry.hazards_allow.then(|| "allow".into()));
    put("expiresAt", entry.expires_at.map(Value::from));
    Value::Object(out)
}

/// What the fields that decide come to, as text; an entry with the same is the same entry.
fn meaning(entry: &Value) -> String {
    let pattern = entry.as_str().or_else(|| entry.get("pattern").and_then(Value::as_str)).unwrap_or_default();
    let mut out = pattern.trim().to_ascii_lowercase();
    for key in ["args", "argPattern", "cwd", "carries", "hazards", "expiresAt"] {
        if let Some(v) = entry.get(key).filter(|v| !v.is_null()) {
            // A line end stands in no JSON text, so that no pattern looks like a field.
            out.push_str(&format!("\n{key}:{v}"));
        }
    }
    out
}

/// The list of an agent in a document (`None` = `defaults`), made if it is not there.
fn list_of<'v>(doc: &'v mut Value, agent: Option<&str>, list: List) -> Result<&'v mut Vec<Value>, String> {
    fn child<'v>(v: &'v mut Value, key: &str, empty: Value) -> Result<&'v mut Value, String> {
        let object = v.as_object_mut().ok_or("the document is no object")?;
        let slot = object.entry(key).or_insert(Value::Null);
        if slot.is_null() {
            *slot = empty;
        }
        Ok(slot)
    }
    let scope = match agent {
        Some(id) => child(child(doc, "agents", json!({}))?, id, json!({}))?,
        None => child(doc, "defaults", json!({}))?,
    };
    child(scope, list.key(), json!([]))?.as_array_mut().ok_or_else(|| format!("{} is no list", list.key()))
}

/// Adds entries to a list of an agent (`None` = `defaults`), all or none; each is the JSON of one entry. Returns
/// how many were new: one that says the same as one that is there is not added.
///
/// # Errors
/// As [`edit`].
pub fn add_entries(
    target: &Target,
    agent: Option<&str>,
    list: List,
    entries: &[Value],
) -> Result<usize, EditError> {
    edit(target, |doc| add_to(doc, agent, list, entries))
}

/// What [`add_entries`] does to the JSON of a document, for an edit that does more.
///
/// # Errors
/// The document is not shaped like one.
pub fn add_to(doc: &mut Value, agent: Option<&str>, list: List, entries: &[Value]) -> Result<usize, String> {
    let have = list_of(doc, agent, list)?;
    let mut known: BTreeSet<String> = have.iter().map(meaning).collect();
    let mut added = 0;
    for entry in entries {
        if known.insert(meaning(entry)) {
            have.push(entry.clone());
            added += 1;
        }
    }
    Ok(added)
}

/// Removes the entries of a list of an agent whose pattern (up to case) or id is this; returns how many. An agent
/// that has nothing left is removed as well.
///
/// # Errors
/// As [`edit`].
pub fn remove_entry(
    target: &Target,
    agent: Option<&str>,
    list: List,
    pattern_or_id: &str,
) -> Result<usize, EditError> {
    if !target.path.exists() {
        return Ok(0);
    }
    edit(target, |doc| {
        Ok(remove_from(doc, agent, list, &|e| {
            let pattern = e.as_str().or_else(|| e.get("pattern").and_then(Value::as_str)).unwrap_or_default();
            let id = e.get("id").and_then(Value::as_str);
            pattern.trim().eq_ignore_ascii_case(pattern_or_id.trim()) || id == Some(pattern_or_id)
        }))
    })
}

/// Removes the entries that `goes` is true of from the JSON of a document, for an edit that does more; returns
/// how many.
pub fn remove_from(doc: &mut Value, agent: Option<&str>, list: List, goes: &dyn Fn(&Value) -> bool) -> usize {
    let scope = match agent {
        Some(id) => doc.get_mut("agents").and_then(|a| a.get_mut(id)),
        None => doc.get_mut("defaults"),
    };
    let Some(items) = scope.and_then(|s| s.get_mut(list.key())).and_then(Value::as_array_mut) else {
        return 0;
    };
    let before = items.len();
    items.retain(|e| !goes(e));
    let removed = before - items.len();
    if removed > 0 && items.is_empty() {
        prune(doc, agent, list);
    }
    removed
}

/// Removes an agent that an emptied list leaves with nothing. A list of its own that is empty stays where other
/// settings stand beside it: taking it away could let another layer's list count.
fn prune(doc: &mut Value, agent: Option<&str>, list: List) {
    let Some(id) = agent else { return };
    let Some(agents) = doc.get_mut("agents").and_then(Value::as_object_mut) else { return };
    let empty = agents.get(id).and_then(Value::as_object).is_some_and(|a| a.keys().all(|k| k == list.key()));
    if empty {
        agents.shift_remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy::document::LoadErrorKind;
    use std::fs;

    struct Stage(tempfile::TempDir);

    impl Stage {
        fn with(text: &str) -> (Stage, Target) {
            let dir = tempfile::tempdir().unwrap();
            let target = Target::at(dir.path().join("exec-approvals.json"));
            if !text.is_empty() {
                fs::write(&target.path, text).unwrap();
                fs::set_permissions(&target.path, PermissionsExt::from_mode(0o600)).unwrap();
            }
            (Stage(dir), target)
        }
    }

    fn json_of(t: &Target) -> Value {
        serde_json::from_slice(&fs::read(&t.path).unwrap()).unwrap()
    }

    #[test]
    fn what_we_do_not_know_survives_in_its_order() {
        let (_s, t) = Stage::with(
            r#"{"zebra": {"x": 1}, "version": 1, "agents": {"main": {"mcpTools": [1], "allowlist": ["/bin/ls", {"pattern": "/b", "zz": 2.5}]}}, "alpha": []}"#,
        );
        let entry = json!({"pattern": "/usr/bin/rg"});
        assert_eq!(add_entries(&t, Some("main"), List::Allow, std::slice::from_ref(&entry)).unwrap(), 1);
        let text = fs::read_to_string(&t.path).unwrap();
        let at = |s: &str| text.find(s).unwrap_or_else(|| panic!("{s} is lost: {text}"));
        assert!(
            at("zebra") < at("version") && at("version") < at("mcpTools") && at("mcpTools") < at("alpha")
        );
        assert!(text.contains("2.5") && text.ends_with("}\n"));
        let v = json_of(&t);
        let list = v["agents"]["main"]["allowlist"].as_array().unwrap();
        assert_eq!(list.len(), 3);
        assert!(list.iter().all(|e| e["id"].as_str().is_some_and(|id| id.len() == 36)), "{list:?}");
        let before = fs::read_to_string(&t.path).unwrap();
        assert_eq!(add_entries(&t, Some("main"), List::Allow, &[entry]).unwrap(), 0);
        assert_eq!(fs::read_to_string(&t.path).unwrap(), before);
        // The same program with other arguments is another entry.
        let narrow = json!({"pattern": "/usr/bin/rg", "args": ["x"]});
        assert_eq!(add_entries(&t, Some("main"), List::Allow, &[narrow]).unwrap(), 1);
    }

    #[test]
    fn entries_go_and_take_an_empty_agent_with_them() {
        let (_s, t) = Stage::with("");
        assert_eq!(remove_entry(&t, Some("a"), List::Allow, "/x").unwrap(), 0);
        assert!(!t.path.exists());
        add_entries(&t, Some("a"), List::Allow, &[json!({"pattern": "/X"})]).unwrap();
        add_entries(&t, None, List::Deny, &[json!("rm")]).unwrap();
        assert_eq!(remove_entry(&t, Some("a"), List::Allow, "/nope").unwrap(), 0);
        assert_eq!(remove_entry(&t, Some("a"), List::Allow, "/x").unwrap(), 1);
        let v = json_of(&t);
        assert_eq!(v["agents"], json!({}));
        let id = v["defaults"]["denylist"][0]["id"].as_str().unwrap();
        assert_eq!(remove_entry(&t, None, List::Deny, id).unwrap(), 1);
        assert_eq!(fs::metadata(&t.path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_new_document_begins_as_what_ruled() {
        let (s, t) = Stage::with("");
        let t = Target { begin: Begin::Cautious, ..t };
        add_entries(&t, Some("main"), List::Allow, &[json!({"pattern": "/bin/ls"})]).unwrap();
        assert_eq!(json_of(&t)["defaults"]["security"], "allowlist");
        let config = fs::read(s.0.path().join(CONFIG)).unwrap();
        assert_eq!(config, CAUTIOUS.config.as_bytes());
        fs::write(s.0.path().join(CONFIG), "{/* mine */}").unwrap();
        fs::remove_file(&t.path).unwrap();
        edit(&t, |_| Ok(())).unwrap();
        assert_eq!(fs::read_to_string(s.0.path().join(CONFIG)).unwrap(), "{/* mine */}");
        fs::write(s.0.path().join(CONFIG), r#"{"tools":{"exec":{"strictInlineEval":false}}}"#).unwrap();
        fs::remove_file(&t.path).unwrap();
        edit(&t, |_| Ok(())).unwrap();
        let config: Value = serde_json::from_slice(&fs::read(s.0.path().join(CONFIG)).unwrap()).unwrap();
        let exec = &config["tools"]["exec"];
        assert_eq!(
            (&exec["strictInlineEval"], &exec["shell"]["echoDynamic"]),
            (&json!(false), &json!("ask"))
        );
        // What the settings say already is not said another way.
        fs::write(s.0.path().join(CONFIG), r#"{"tools":{"exec":{"security":"full","ask":"off"}}}"#).unwrap();
        fs::remove_file(&t.path).unwrap();
        edit(&t, |_| Ok(())).unwrap();
        let defaults = &json_of(&t)["defaults"];
        assert_eq!((defaults.get("security"), defaults.get("ask")), (None, None), "{defaults}");
        assert_eq!(defaults["askFallback"], "deny");
    }

    #[test]
    fn what_would_lose_or_break_something_is_refused() {
        for (text, want) in [
            ("{ // word\n \"version\": 1 }", "comments"),
            ("{\"version\": 2}", "version"),
            ("{\"version\": 1, \"version\": 1}", "twice"),
            ("{", "JSON"),
        ] {
            let (_s, t) = Stage::with(text);
            let e = edit(&t, |v| {
                v["x"] = json!(1);
                Ok(())
            });
            assert!(e.unwrap_err().to_string().contains(want), "{text}");
            assert_eq!(fs::read_to_string(&t.path).unwrap(), text);
        }
        let (_s, t) = Stage::with("{\"version\": 1}");
        let bad = edit(&t, |v| {
            v["defaults"] = json!({"security": "most"});
            Ok(())
        });
        assert!(matches!(bad, Err(EditError::Load(_))));
        assert!(matches!(edit::<()>(&t, |_| Err("no".into())), Err(EditError::Refused(_))));
        assert_eq!(json_of(&t), json!({"version": 1}));
        fs::set_permissions(&t.path, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(matches!(edit(&t, |_| Ok(())), Err(EditError::Load(e)) if e.kind == LoadErrorKind::Unsafe));
    }

    #[test]
    fn a_change_is_made_to_what_it_was_based_on() {
        let (_s, t) = Stage::with("{\"version\": 1}");
        let base = get(&t.path).unwrap().1;
        let set = |base: &str, to: &str| {
            edit_based(&t, base, |doc| {
                doc["x"] = to.into();
                Ok(())
            })
        };
        set(&base, "first").unwrap();
        assert!(matches!(set(&base, "second"), Err(EditError::Changed(_))));
        assert_eq!(json_of(&t)["x"], "first");
        set(&get(&t.path).unwrap().1, "third").unwrap();
        assert_eq!(json_of(&t)["x"], "third");
        // One that is not there yet has a hash as well.
        let (_s, t) = Stage::with("");
        edit_based(&t, &hash(b""), |_| Ok(())).unwrap();
        assert!(matches!(edit_based(&t, &hash(b""), |_| Ok(())), Err(EditError::Changed(_))));
    }

    #[test]
    fn a_document_with_comments_is_none() {
        let (_s, t) = Stage::with("{\n // why\n \"version\": 1}");
        let e = add_entries(&t, None, List::Allow, &[json!("/bin/ls")]).unwrap_err().to_string();
        assert!(e.contains(".json:2:2: a comment") && e.contains("plain JSON"), "{e}");
    }

    #[test]
    fn a_config_with_comments_is_not_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let t = Target::at(dir.path().join(CONFIG));
        fs::write(&t.path, "{ /* why */ tools: {} }").unwrap();
        fs::set_permissions(&t.path, PermissionsExt::from_mode(0o600)).unwrap();
        let e = edit(&t, |v| {
            v["version"] = json!(1);
            Ok(())
        });
        assert!(matches!(e, Err(EditError::Comments(_))));
        // As a whole it may be replaced, comments and all.
        let base = get(&t.path).unwrap().1;
        set_text(&t, "{ /* new */ journal: {required: true} }", &base).unwrap();
        assert!(fs::read_to_string(&t.path).unwrap().contains("new"));
    }

    #[test]
    fn set_compares_the_hash_and_keeps_the_socket() {
        let (_s, t) = Stage::with("");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(get(&t.path).unwrap(), (String::new(), empty.to_owned()));
        let first = r#"{"version":1,"socket":{"path":"/tmp/b.sock","token":"b"}}"#;
        let h = set_text(&t, first, empty).unwrap();
        assert_eq!(fs::read_to_string(&t.path).unwrap(), first);
        assert_eq!(h, hash(first.as_bytes()));
        assert!(matches!(set_text(&t, first, empty), Err(EditError::Changed(now)) if now == h));
        let h = set_text(&t, r#"{"version":1,"defaults":{"ask":"always"}}"#, &h).unwrap();
        assert_eq!(json_of(&t)["socket"], json!({"path": "/tmp/b.sock", "token": "b"}));
        assert_eq!(h, get(&t.path).unwrap().1);
        let h = set_text(&t, r#"{"version":1,"socket":{"path":"/tmp/a.sock","token":"a"}}"#, &h).unwrap();
        assert_eq!(json_of(&t)["socket"]["token"], "a");
        assert!(matches!(set_text(&t, "{\"version\":9}", &h), Err(EditError::Load(_))));
    }

    #[test]
    fn two_edits_at_once_lose_nothing() {
        let (_s, t) = Stage::with("{\"version\":1}");
        std::thread::scope(|s| {
            for thread in 0..4 {
                let t = &t;
                s.spawn(move || {
                    for n in 0..5 {
                        let entry = json!({"pattern": format!("/bin/{thread}-{n}")});
                        assert_eq!(add_entries(t, Some("main"), List::Allow, &[entry]).unwrap(), 1);
                    }
                });
            }
        });
        assert_eq!(json_of(&t)["agents"]["main"]["allowlist"].as_array().unwrap().len(), 20);
        let left: Vec<_> =
            fs::read_dir(t.path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        // The document, its lock and its index.
        assert_eq!(left.len(), 3, "{left:?}");
    }

    #[test]
    fn links_and_names() {
        let (s, t) = Stage::with("{\"version\":1}");
        // Another name of the file keeps the old text.
        let other = s.0.path().join("other");
        fs::hard_link(&t.path, &other).unwrap();
        add_entries(&t, None, List::Allow, &[json!("/bin/ls")]).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "{\"version\":1}");
        // A link within one's own folders is written through.
        let link = Target::at(s.0.path().join("link"));
        std::os::unix::fs::symlink(&t.path, &link.path).unwrap();
        add_entries(&link, None, List::Allow, &[json!("/bin/cat")]).unwrap();
        assert_eq!(json_of(&t)["defaults"]["allowlist"].as_array().unwrap().len(), 2);
        assert!(fs::symlink_metadata(&link.path).unwrap().is_symlink());
    }

    #[test]
    fn an_entry_comes_back_as_it_was() {
        let e = Entry {
            pattern: "/bin/x".into(),
            args: Some(vec!["a".into(), "...".into()]),
            arg_pattern: Some("^a".into()),
            cwd: Some("~/p".into()),
            carries_anything: true,
            hazards_allow: true,
            expires_at: Some(5),
            ..Entry::default()
        };
        let doc = json!({"version": 1, "defaults": {"allowlist": [entry_value(&e)]}});
        let doc = Approvals::parse(doc.to_string().as_bytes(), "f").unwrap();
        let back = &doc.entries()[0].2;
        assert!(back.id.is_some());
        assert_eq!(Entry { id: None, from: String::new(), ..back.clone() }, e);
    }
}
