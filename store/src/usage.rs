//! When entries were last used: folded from the journal, never believed for more than showing.
//!
//! A record names the entries that covered it as `entries: [{pattern, from, path}]`: the pattern, the place where it
//! stood then, and the file it covered.
use policy::document::Entry;
use protocol::Shown;
use serde_json::{Map, Value};

/// One use.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Use {
    at_ms: u64,
    command: String,
    path: Option<String>,
}

/// The last use of each entry, by pattern and place.
#[derive(Debug, Default)]
pub struct Usage {
    last: Vec<(String, String, Use)>,
}

impl Usage {
    /// Folds the records of a journal, oldest first.
    pub fn new(records: &[Value]) -> Usage {
        let mut by: std::collections::BTreeMap<(String, String), Use> = std::collections::BTreeMap::new();
        for record in records {
            let (Some(at_ms), Some(entries)) =
                (record.get("ts").and_then(Value::as_u64), record.get("entries").and_then(Value::as_array))
            else {
                continue;
            };
            if record.get("decision").and_then(Value::as_str) != Some("allow") {
                continue;
            }
            for entry in entries {
                let text = |key: &str| entry.get(key).and_then(Value::as_str);
                let (Some(pattern), Some(from)) = (text("pattern"), text("from")) else { continue };
                let used = Use { at_ms, command: command(record), path: text("path").map(str::to_owned) };
                let slot = by.entry((pattern.to_owned(), from.to_owned())).or_insert_with(|| used.clone());
                if slot.at_ms <= at_ms {
                    *slot = used;
                }
            }
        }
        Usage { last: by.into_iter().map(|((pattern, from), used)| (pattern, from, used)).collect() }
    }

    /// The last use of an entry. Its place may have moved since, as entries above it went: then what the pattern
    /// says in the same list counts.
    fn of(&self, pattern: &str, from: &str) -> Option<&Use> {
        let list = |from: &str| from.rsplit_once('/').map(|(list, _)| list.to_owned());
        let same = |(p, f, _): &&(String, String, Use)| p == pattern && list(f) == list(from);
        let exact = self.last.iter().find(|(p, f, _)| p == pattern && f == from);
        exact
            .or_else(|| self.last.iter().filter(same).max_by_key(|(_, _, used)| used.at_ms))
            .map(|(_, _, used)| used)
    }

    /// Puts the last use of an entry into its fields, where it is later than what stands there.
    pub fn put(&self, entry: &Entry, fields: &mut Map<String, Value>) {
        if let Some(used) = self.of(&entry.pattern, &entry.from) {
            put(used, fields);
        }
    }

    /// The same for every entry of a document. `file` is the name that records know it by.
    pub fn fold(&self, document: &mut Value, file: &str) {
        if self.last.is_empty() {
            return;
        }
        let scope = |scope: &mut Value, pointer: &str| {
            let Some(list) = scope.get_mut("allowlist").and_then(Value::as_array_mut) else { return };
            for (at, entry) in list.iter_mut().enumerate() {
                let from = format!("{file}:{pointer}/allowlist/{at}");
                if let Some(fields) = entry.as_object_mut()
                    && let Some(used) =
                        fields.get("pattern").and_then(Value::as_str).and_then(|p| self.of(p, &from))
                {
                    put(used, fields);
                }
            }
        };
        if let Some(defaults) = document.get_mut("defaults") {
            scope(defaults, "/defaults");
        }
        for (id, agent) in document.get_mut("agents").and_then(Value::as_object_mut).into_iter().flatten() {
            scope(agent, &format!("/agents/{}", id.replace('~', "~0").replace('/', "~1")));
        }
    }
}

/// The command of a record as a person would type it: pasting it means the same. Secrets are masked there already.
pub fn command(record: &Value) -> String {
    if let Some(text) = record.get("text").and_then(Value::as_str) {
        return text.to_owned();
    }
    let words = record.get("argv").and_then(Value::as_array).into_iter().flatten();
    Shown::argv(&words.filter_map(Value::as_str).collect::<Vec<_>>()).into_string()
}

fn put(used: &Use, fields: &mut Map<String, Value>) {
    if fields.get("lastUsedAt").and_then(Value::as_f64).is_some_and(|at| at >= used.at_ms as f64) {
        return;
    }
    fields.insert("lastUsedAt".into(), used.at_ms.into());
    fields.insert("lastUsedCommand".into(), used.command.clone().into());
    match &used.path {
        Some(path) => fields.insert("lastResolvedPath".into(), path.clone().into()),
        None => fields.remove("lastResolvedPath"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn usage() -> Usage {
        let used = |from: &str| json!([{"pattern": "/b/git", "from": from, "path": "/b/git"}]);
        Usage::new(&[
            json!({"ts": 5, "decision": "allow", "argv": ["git", "a b"], "entries": used("f:/agents/main/allowlist/1")}),
            json!({"ts": 9, "decision": "deny", "argv": ["git"], "entries": used("f:/agents/main/allowlist/1")}),
            json!({"ts": 7, "decision": "allow", "text": "git x; y", "entries": used("f:/agents/main/allowlist/0")}),
            json!({"ts": "x", "entries": [1, {}]}),
            json!({"decision": "allow"}),
        ])
    }

    #[test]
    fn the_last_use_of_each_entry() {
        let u = usage();
        assert_eq!(u.of("/b/git", "f:/agents/main/allowlist/1").unwrap().command, "git 'a b'");
        assert_eq!(u.of("/b/git", "f:/agents/main/allowlist/0").unwrap().at_ms, 7);
        // Moved: the latest of the same list.
        assert_eq!(u.of("/b/git", "f:/agents/main/allowlist/4").unwrap().at_ms, 7);
        assert_eq!(u.of("/b/git", "g:/agents/main/allowlist/1"), None);
        assert_eq!(u.of("/b/git", "f:/agents/other/allowlist/0"), None);
        assert_eq!(u.of("/b/hg", "f:/agents/main/allowlist/1"), None);
    }

    #[test]
    fn folding_keeps_what_is_newer() {
        let mut doc = json!({"agents": {"main": {"allowlist": [
            {"pattern": "/b/git", "lastUsedAt": 100},
            {"pattern": "/b/git", "lastUsedAt": 1, "lastResolvedPath": "/old"},
            "/b/git"
        ]}}});
        usage().fold(&mut doc, "f");
        let list = &doc["agents"]["main"]["allowlist"];
        assert_eq!(list[0]["lastUsedAt"], 100);
        assert_eq!(
            list[1],
            json!({"pattern": "/b/git", "lastUsedAt": 5, "lastUsedCommand": "git 'a b'", "lastResolvedPath": "/b/git"})
        );
        assert_eq!(list[2], "/b/git");
    }
}
