//! What the policy page changes in a document: settings of a scope, and entries of its lists. Pure: JSON in, JSON out.
use serde_json::{Map, Value, json};
use store::edit::List;

/// Whose part of a document: an agent's, or `None` for the defaults.
pub type Scope = Option<String>;

/// The settings that are edited: name, and the words they may have.
pub const SETTINGS: [(&str, &[&str]); 4] = [
    ("security", &["deny", "allowlist", "full"]),
    ("ask", &["off", "on-miss", "always"]),
    ("askFallback", &["deny", "allowlist", "full"]),
    ("autoAllowSkills", &["true", "false"]),
];

/// All lists, by their keys.
pub const LISTS: [List; 3] = [List::Allow, List::Ask, List::Deny];

/// The list with that key.
pub fn list(key: &str) -> Option<List> {
    LISTS.into_iter().find(|l| l.key() == key)
}

/// The part of a document.
pub fn part<'d>(doc: &'d Value, scope: &Scope) -> Option<&'d Value> {
    match scope {
        Some(agent) => doc.get("agents")?.get(agent),
        None => doc.get("defaults"),
    }
}

/// Where it stands, as a JSON pointer (RFC 6901).
pub fn pointer(scope: &Scope) -> String {
    match scope {
        Some(agent) => format!("/agents/{}", agent.replace('~', "~0").replace('/', "~1")),
        None => "/defaults".into(),
    }
}

/// A setting as a scope has it itself; empty if it has none.
pub fn own(doc: &Value, scope: &Scope, name: &str) -> String {
    match part(doc, scope).and_then(|p| p.get(name)) {
        Some(Value::String(word)) => word.clone(),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}

/// Writes settings into a scope: one for each of [`SETTINGS`], an empty one takes it away.
///
/// # Errors
/// A word is none, or the document is not shaped like one.
pub fn set(doc: &mut Value, scope: &Scope, words: &[String]) -> Result<(), String> {
    if words.len() != SETTINGS.len() {
        return Err("not one word for each setting".into());
    }
    for ((name, known), word) in SETTINGS.iter().zip(words) {
        if !word.is_empty() && !known.contains(&word.as_str()) {
            return Err(format!("{name} cannot be that"));
        }
    }
    let part = child(doc, scope)?;
    for ((name, _), word) in SETTINGS.iter().zip(words) {
        match word.as_str() {
            "" => drop(part.shift_remove(*name)),
            "true" => drop(part.insert((*name).into(), true.into())),
            "false" => drop(part.insert((*name).into(), false.into())),
            word => drop(part.insert((*name).into(), word.into())),
        }
    }
    prune(doc, scope);
    Ok(())
}

/// Takes an entry out of a list; gives its pattern back.
///
/// # Errors
/// There is none at that place.
pub fn remove(doc: &mut Value, scope: &Scope, list: List, place: usize) -> Result<String, String> {
    let none = || "there is no such entry".to_owned();
    let entries = child(doc, scope)?.get_mut(list.key()).and_then(Value::as_array_mut).ok_or_else(none)?;
    if place >= entries.len() {
        return Err(none());
    }
    let pattern = pattern(&entries.remove(place));
    // An empty list is not the same as none: it would let another layer's count. It goes only with its agent.
    let bare = |part: &Value| part.as_object().is_some_and(|p| p.keys().all(|k| k == list.key()));
    let empty = part(doc, scope).is_some_and(|p| bare(p) && p.get(list.key()) == Some(&json!([])));
    if let (true, Some(agent)) = (empty, scope)
        && let Some(agents) = doc.get_mut("agents").and_then(Value::as_object_mut)
    {
        agents.shift_remove(agent);
    }
    Ok(pattern)
}

/// The pattern of an entry.
pub fn pattern(entry: &Value) -> String {
    let text = entry.as_str().or_else(|| entry.get("pattern").and_then(Value::as_str));
    text.unwrap_or_default().to_owned()
}

/// An entry that a person wrote: a pattern, and the arguments one a line (none at all for any arguments).
///
/// # Errors
/// There is no pattern.
pub fn entry(pattern: &str, args: &str, any: bool) -> Result<Value, String> {
    if pattern.trim().is_empty() {
        return Err("a pattern is missing".into());
    }
    let mut entry = json!({ "pattern": pattern.trim() });
    if !any {
        let words: Vec<&str> =
            args.lines().map(|l| l.trim_end_matches('\r')).filter(|l| !l.is_empty()).collect();
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("args".into(), words.into());
        }
    }
    Ok(entry)
}

/// The part of a scope, made if it is not there.
fn child<'d>(doc: &'d mut Value, scope: &Scope) -> Result<&'d mut Map<String, Value>, String> {
    fn object<'d>(parent: &'d mut Value, key: &str) -> Result<&'d mut Value, String> {
        let slot =
            parent.as_object_mut().ok_or("the document is no object")?.entry(key).or_insert(Value::Null);
        if slot.is_null() {
            *slot = json!({});
        }
        Ok(slot)
    }
    let part = match scope {
        Some(agent) => object(object(doc, "agents")?, agent)?,
        None => object(doc, "defaults")?,
    };
    part.as_object_mut().ok_or_else(|| "the scope is no object".into())
}

/// Removes an agent that has nothing of its own.
fn prune(doc: &mut Value, scope: &Scope) {
    if let Some(agent) = scope
        && let Some(agents) = doc.get_mut("agents").and_then(Value::as_object_mut)
        && agents.get(agent).and_then(Value::as_object).is_some_and(Map::is_empty)
    {
        agents.shift_remove(agent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: [&str; 4]) -> Vec<String> {
        words.map(str::to_owned).to_vec()
    }

    #[test]
    fn settings_are_written_and_taken_away() {
        let main = Some("main".to_owned());
        let mut doc = json!({"version": 1, "agents": {"main": {"security": "deny", "mcp": 1}}});
        set(&mut doc, &main, &words(["full", "always", "", "true"])).unwrap();
        assert_eq!(
            doc["agents"]["main"],
            json!({"security": "full", "mcp": 1, "ask": "always", "autoAllowSkills": true})
        );
        assert_eq!(own(&doc, &main, "autoAllowSkills"), "true");
        assert_eq!(own(&doc, &main, "askFallback"), "");
        set(&mut doc, &None, &words(["deny", "", "", ""])).unwrap();
        assert_eq!(doc["defaults"], json!({"security": "deny"}));
        let other = Some("other".to_owned());
        set(&mut doc, &other, &words(["", "", "", ""])).unwrap();
        assert!(doc["agents"].get("other").is_none());
        for bad in [["most", "", "", ""], ["", "", "", "yes"], ["", "deny", "", ""]] {
            let before = doc.clone();
            assert!(set(&mut doc, &main, &words(bad)).is_err() && doc == before, "{bad:?}");
        }
        assert!(set(&mut json!([]), &main, &words([""; 4])).is_err());
    }

    #[test]
    fn entries_are_removed_by_their_place() {
        let main = Some("main".to_owned());
        let mut doc = json!({"agents": {"main": {"allowlist": ["/a", {"pattern": "/b"}]}, "x": {"ask": "off", "denylist": ["/c"]}}});
        assert_eq!(remove(&mut doc, &main, List::Allow, 0).unwrap(), "/a");
        assert!(
            remove(&mut doc, &main, List::Allow, 1).is_err()
                && remove(&mut doc, &main, List::Deny, 0).is_err()
        );
        assert_eq!(remove(&mut doc, &main, List::Allow, 0).unwrap(), "/b");
        assert!(doc["agents"].get("main").is_none());
        assert_eq!(remove(&mut doc, &Some("x".into()), List::Deny, 0).unwrap(), "/c");
        assert_eq!(doc["agents"]["x"], json!({"ask": "off", "denylist": []}));
    }

    #[test]
    fn an_entry_is_what_was_typed() {
        assert_eq!(entry(" /a ", "x", true).unwrap(), json!({"pattern": "/a"}));
        assert_eq!(
            entry("/a", "log\r\n\r\n...\n", false).unwrap(),
            json!({"pattern": "/a", "args": ["log", "..."]})
        );
        assert_eq!(entry("/a", "", false).unwrap(), json!({"pattern": "/a", "args": []}));
        assert!(entry("  ", "", true).is_err());
    }

    #[test]
    fn pointers() {
        assert_eq!(
            (pointer(&None).as_str(), pointer(&Some("a/b~".into())).as_str()),
            ("/defaults", "/agents/a~1b~0")
        );
    }
}
