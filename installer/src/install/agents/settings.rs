//! Entries of ours in settings files that are somebody else's, as a step makes and takes them back.
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use protocol::shown;
use serde_json::{Value, json};

use super::json::{self as text, Mark, Op, Put};
use super::toml::{self, Row};

/// What is put into a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Entries in JSON, with comments or (true) as JSON5.
    Json(Vec<Op>, bool),
    /// A table in TOML.
    Toml(Row),
}

impl Change {
    /// The text with all of it in, and what was put for each.
    ///
    /// # Errors
    /// The text cannot be read, or has no place for it.
    pub fn put(&self, from: &str) -> Result<(String, Vec<Put>), String> {
        match self {
            Change::Json(ops, loose) => {
                let (mut now, mut puts) = (from.to_owned(), Vec::new());
                for op in ops {
                    let (next, put) = text::put(&now, op, *loose)?;
                    now = next;
                    puts.push(put);
                }
                Ok((now, puts))
            }
            Change::Toml(row) => toml::put(from, row).map(|(now, put)| (now, vec![put])),
        }
    }

    /// The text without it; `None` if nothing of it is there.
    ///
    /// # Errors
    /// The text cannot be read any more.
    pub fn take(&self, from: &str, puts: &[Put]) -> Result<Option<String>, String> {
        match self {
            Change::Json(ops, loose) => {
                let mut now: Option<String> = None;
                for (op, put) in ops.iter().zip(puts).rev() {
                    // A key that was there before us is not ours.
                    if op.mark == Mark::Key && put.text.is_empty() {
                        continue;
                    }
                    // The version of a file is everybody's who came to write hooks into it.
                    let rest = now.as_deref().unwrap_or(from);
                    if op.mark == Mark::Key && op.at.len() == 1 && others(rest, ops, puts, *loose) {
                        continue;
                    }
                    let text = now.as_deref().unwrap_or(from);
                    // The last one may have left nothing at all.
                    if text.trim().is_empty() {
                        break;
                    }
                    now = text::take(text, op, put, *loose)?.or(now);
                }
                Ok(now)
            }
            Change::Toml(row) => toml::take(from, row, puts.first().unwrap_or(&Put::default())),
        }
    }

    /// That what was ours by another path is ours still, as an earlier change has it.
    pub fn inherit(&mut self, old: &Change) {
        let (Change::Json(ops, _), Change::Json(olds, _)) = (&mut *self, old) else { return };
        for op in ops.iter_mut().filter(|op| matches!(op.mark, Mark::Hook(_))) {
            let Some(old) = olds.iter().find(|old| old.at == op.at && old.mark == op.mark) else { continue };
            let commands = old.command().map(str::to_owned).into_iter();
            let known = old.also.as_ref().map(|also| commands.chain(also.iter().cloned()));
            op.also = match (op.also.take(), known) {
                (Some(mut also), Some(known)) => {
                    also.extend(known);
                    also.sort();
                    also.dedup();
                    Some(also)
                }
                _ => None,
            };
        }
    }

    /// A hook of somebody else's that calls a guard in the place of ours.
    pub fn theirs(&self, text: &str) -> Option<Value> {
        let Change::Json(ops, loose) = self else { return None };
        ops.iter().find_map(|op| text::theirs(text, op, *loose))
    }

    /// True if both are about the same entries, whatever those say.
    pub fn is(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::Json(a, _), Change::Json(b, _)) => {
                let place =
                    |ops: &[Op]| ops.iter().map(|o| (o.at.clone(), o.mark.clone())).collect::<Vec<_>>();
                place(a) == place(b)
            }
            (Change::Toml(a), Change::Toml(b)) => (&a.table, &a.key) == (&b.table, &b.key),
            _ => false,
        }
    }

    /// As the manifest keeps it, with what was put.
    pub fn json(&self, puts: &[Put]) -> Value {
        match self {
            Change::Json(ops, loose) => {
                let row = |(op, put): (&Op, &Put)| {
                    let (mark, what) = match &op.mark {
                        Mark::Hook(agent) => ("hook", Value::from(agent.as_str())),
                        Mark::Text(text) => ("text", text.as_str().into()),
                        Mark::Key => ("key", true.into()),
                    };
                    let mut row = json!({"at": op.at, mark: what, "put": put.text, "from": put.from});
                    if let (Some(command), Some(row)) = (op.command(), row.as_object_mut()) {
                        let also = op.also.iter().flatten().map(String::as_str).filter(|c| *c != command);
                        row.insert("commands".into(), std::iter::once(command).chain(also).collect());
                        row.insert("matcher".into(), op.value.get("matcher").cloned().unwrap_or_default());
                    }
                    row
                };
                json!({"format": if *loose { "json5" } else { "json" },
                    "ops": ops.iter().zip(puts).map(row).collect::<Vec<_>>()})
            }
            Change::Toml(row) => {
                let put = puts.first().map(|p| p.text.as_str()).unwrap_or_default();
                json!({"format": "toml", "table": row.table, "key": row.key, "put": put})
            }
        }
    }

    /// From the manifest: enough to take it out.
    pub fn parse(value: &Value) -> Option<(Change, Vec<Put>)> {
        let word = |v: &Value, k: &str| v.get(k).and_then(Value::as_str).map(str::to_owned);
        let words = |v: &Value, k: &str| -> Option<Vec<String>> {
            v.get(k)?.as_array()?.iter().map(|w| w.as_str().map(str::to_owned)).collect()
        };
        let format = word(value, "format")?;
        if format == "toml" {
            let row = Row { table: words(value, "table")?, key: word(value, "key")?, value: String::new() };
            return Some((Change::Toml(row), vec![Put { text: word(value, "put")?, from: 0 }]));
        }
        let (mut ops, mut puts) = (Vec::new(), Vec::new());
        for row in value.get("ops")?.as_array()? {
            let mark = match (word(row, "hook"), word(row, "text")) {
                (Some(agent), _) => Mark::Hook(agent),
                (None, Some(text)) => Mark::Text(text),
                (None, None) => Mark::Key,
            };
            let from = usize::try_from(row.get("from")?.as_u64()?).ok()?;
            let put = Put { text: word(row, "put")?, from };
            // Older manifests have the text alone.
            let (value, also) = match words(row, "commands").as_deref() {
                Some([command, also @ ..]) => {
                    let matcher = row.get("matcher").filter(|m| m.is_string());
                    let mut value = json!({"command": command});
                    if let (Some(matcher), Some(value)) = (matcher, value.as_object_mut()) {
                        value.insert("matcher".into(), matcher.clone());
                    }
                    (value, Some(also.to_vec()))
                }
                _ => {
                    let hook = text::hook_in(&put.text);
                    let known = text::command(&hook).is_some();
                    (hook, known.then(Vec::new))
                }
            };
            ops.push(Op { at: words(row, "at")?, mark, value, also });
            puts.push(put);
        }
        Some((Change::Json(ops, format == "json5"), puts))
    }
}

/// True if hooks of others stand in a file where there was no list of hooks before ours.
fn others(text: &str, ops: &[Op], puts: &[Put], loose: bool) -> bool {
    let first = ops.iter().zip(puts).find(|(op, _)| matches!(op.mark, Mark::Hook(_)));
    let Some((Op { at, .. }, Put { from: 0, .. })) = first else { return false };
    let value = text::value(text, loose).unwrap_or_default();
    at.first().and_then(|key| value.get(key)).is_some()
}

/// The text of a settings file, or why it is none that we change: empty if there is no file.
///
/// A settings file tells an agent what to run. One that others can write, or that lies with others, tells it what they
/// want: adding a guard to it would look like safety.
///
/// # Errors
/// What is wrong with it, one clause; an empty one too, if it stays so for a moment.
pub fn text(path: &Path) -> Result<String, String> {
    let own = sys::ids::uid();
    let link = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(e) => return Err(e.to_string()),
    };
    if link.is_symlink() {
        let to = fs::canonicalize(path).map_err(|e| format!("is a link that leads nowhere: {e}"))?;
        let home = std::env::var_os("HOME").filter(|h| !h.is_empty()).map(PathBuf::from);
        let folders = [home.as_deref(), path.parent().and_then(Path::parent)];
        let mut folders = folders.into_iter().flatten().filter_map(|p| fs::canonicalize(p).ok());
        if !folders.any(|f| to.starts_with(f)) {
            return Err(format!("is a link to {}, outside of its home", shown(&to)));
        }
    }
    let meta = fs::metadata(path).map_err(|e| e.to_string())?;
    if !meta.is_file() {
        return Err("is no regular file".into());
    }
    if meta.uid() != own || link.uid() != own {
        return Err("belongs to somebody else".into());
    }
    if meta.mode() & 0o002 != 0 {
        return Err("can be written by everybody".into());
    }
    let folder = path.parent().and_then(|p| fs::metadata(p).ok());
    if folder.is_some_and(|m| m.mode() & 0o1002 == 0o002) {
        return Err("lies in a folder that everybody can write".into());
    }
    // Agents write by emptying the file first: what is empty may be about to be written, and is not "no settings".
    for _ in 0..WAITS {
        match foreign(path)? {
            None => return Ok(String::new()),
            Some(text) if !is_blank(&text) => return Ok(text),
            Some(_) => std::thread::sleep(WAIT),
        }
    }
    match path.extension().and_then(|e| e.to_str()) {
        // Empty is what a file of TOML may be.
        Some("toml") => Ok(String::new()),
        Some("json") => {
            Err(format!("{EMPTY}, and go on when nothing writes it, or write {{}} into it or remove it"))
        }
        _ => Err(format!("{EMPTY}: put back what belongs there, or remove it")),
    }
}

/// What is wrong with a file of blanks.
const EMPTY: &str = "is empty: a program may be writing it just now";

/// How often, and how long each time, an empty file is waited for.
const WAITS: u32 = 10;
const WAIT: std::time::Duration = std::time::Duration::from_millis(25);

/// True for a text in which nothing stands.
pub fn is_blank(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Why something of this part is not written there, or taken away: a link on the way leads out of the home, or out of
/// the project whose file it is. Whoever made that link may want us to write elsewhere than a person thinks.
///
/// A folder that a variable names (`CLAUDE_CONFIG_DIR`) is where it is said to be.
pub fn stray(part: &str, path: &Path) -> Option<String> {
    let agent = part.strip_prefix("agent:")?;
    let home = std::env::var_os("HOME").filter(|h| !h.is_empty()).map(PathBuf::from);
    // What a project's file needs beside it lies in the home.
    let root = agent.split_once(':').map(|(_, root)| PathBuf::from(root)).filter(|r| path.starts_with(r));
    let (within, called) = match (root, home.filter(|h| path.starts_with(h))) {
        (Some(root), _) => (root, "the project"),
        (None, Some(home)) => (home, "your home"),
        (None, None) => (path.parent()?.to_path_buf(), "its folder"),
    };
    let within = fs::canonicalize(&within).ok()?;
    for at in path.ancestors() {
        match (fs::canonicalize(at), fs::symlink_metadata(at)) {
            (Ok(to), _) if to.starts_with(&within) => return None,
            // The home itself, or what is above it.
            (Ok(to), _) if within.starts_with(&to) => return None,
            (Ok(to), _) => {
                return Some(format!("lies behind a link to {}, outside of {called}", shown(&to)));
            }
            (Err(e), Ok(_)) => return Some(format!("lies behind {}, which leads nowhere: {e}", shown(at))),
            (Err(_), Err(_)) => {}
        }
    }
    None
}

/// Largest settings file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// The text of somebody else's settings file, `None` if there is none: only to look at, so whose it is does not matter.
///
/// An agent may have put anything there: what never ends (a device) or never begins (a fifo) is not read.
///
/// # Errors
/// What is wrong with it, one clause.
pub fn foreign(path: &Path) -> Result<Option<String>, String> {
    let file = match sys::file::open_regular(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => return Err("is no regular file".into()),
        Err(e) => return Err(e.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(format!("is larger than {} MiB", MAX_BYTES >> 20));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "is not UTF-8".into())
}

/// What changes between two texts, as lines for people: `-` goes, `+` comes, two lines around them.
pub fn difference(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    let part = |lines: &[&str], from: usize, to: usize, sign: char| -> Vec<String> {
        let lines = lines.get(from..to).unwrap_or_default();
        lines.iter().map(|l| format!("    {sign} {}", l.trim_end())).collect()
    };
    let mut out = part(&old, head.saturating_sub(2), head, ' ');
    out.extend(part(&old, head, old.len() - tail, '-'));
    out.extend(part(&new, head, new.len() - tail, '+'));
    out.extend(part(&old, old.len() - tail, (old.len() - tail + 2).min(old.len()), ' '));
    out
}
