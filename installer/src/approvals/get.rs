//! `approvals get`: the documents in force, what they mean together, and where each value comes from.
//!
//! A [`Report`] is made first and holds everything; the two formats only write it down. The token of the socket is
//! never part of it.
use std::collections::BTreeMap;
use std::path::Path;

use jiff::tz::TimeZone;
use policy::document::{Approvals, Ask, Effective, Entry, Policy, Security, Sourced};
use protocol::shown;
use serde_json::{Map, Value, json};
use store::usage::Usage;

use crate::say::{Page, Tint};
use crate::when;

/// A value for people and programs, and where it was written.
struct Setting {
    name: &'static str,
    value: Value,
    from: String,
}

/// One entry, with what is worth knowing of it.
struct Row {
    /// The entry as written, with last use put in.
    fields: Map<String, Value>,
    from: String,
    /// Whose list it stands in: an agent's id, `*`, or `defaults`.
    scope: String,
    /// Why it matches nothing, if so.
    idle: Option<String>,
}

/// What rules for one agent.
struct Scope {
    agent: String,
    settings: Vec<Setting>,
    lists: Vec<(&'static str, Vec<Row>)>,
    notes: Vec<String>,
}

/// All of it.
pub struct Report {
    documents: Vec<(&'static str, String)>,
    editable: Option<String>,
    base_hash: String,
    document: Option<Value>,
    socket: Option<Value>,
    scopes: Vec<Scope>,
    notes: Vec<String>,
}

/// What a report is made from.
pub struct Sources<'a> {
    /// The documents in force.
    pub policy: &'a Policy,
    /// Texts of the approvals documents, by the name the policy knows them by.
    pub texts: &'a BTreeMap<String, Value>,
    /// The document that edits go to.
    pub editable: Option<&'a Path>,
    /// The hash of its text.
    pub base_hash: String,
    /// When entries were last used.
    pub usage: &'a Usage,
    /// Now, milliseconds since 1970.
    pub now_ms: u64,
}

impl Report {
    /// Puts it together for one agent, or for all that a document names.
    pub fn new(sources: &Sources<'_>, agent: Option<&str>) -> Report {
        let policy = sources.policy;
        let agents: Vec<String> = match agent {
            Some(agent) => vec![agent.to_owned()],
            None => {
                let mut all: Vec<String> = policy
                    .approvals()
                    .flat_map(Approvals::agents)
                    .filter(|a| *a != "*")
                    .map(str::to_owned)
                    .collect();
                all.sort();
                all.dedup();
                // What holds for everybody else comes first.
                std::iter::once("*".to_owned()).chain(all).collect()
            }
        };
        let editable = sources.editable.map(shown);
        let mut document = editable.as_ref().and_then(|file| sources.texts.get(file)).cloned();
        let socket = document.as_mut().and_then(|d| d.get_mut("socket")).map(|socket| {
            if let Some(map) = socket.as_object_mut()
                && map.remove("token").is_some()
            {
                return json!({"path": map.get("path"), "token": "hidden"});
            }
            json!({"path": socket.get("path"), "token": null})
        });
        Report {
            documents: policy.documents().into_iter().map(|(layer, file)| (layer, file.to_owned())).collect(),
            editable,
            base_hash: sources.base_hash.clone(),
            document,
            socket,
            scopes: agents.iter().map(|agent| scope(sources, agent)).collect(),
            notes: policy.notes(),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let agents: Map<String, Value> = self.scopes.iter().map(|s| (s.agent.clone(), s.json())).collect();
        json!({
            "documents": self.documents.iter()
                .map(|(layer, file)| json!({"layer": layer, "file": file})).collect::<Vec<_>>(),
            "editable": self.editable,
            "baseHash": self.base_hash,
            "document": self.document,
            "socket": self.socket,
            "agents": agents,
            "notes": self.notes,
        })
    }

    /// For people.
    pub fn print(&self, page: &mut Page, zone: &TimeZone) {
        if self.documents.is_empty() {
            page.line("no documents: the preset cautious rules");
        } else {
            page.tinted(Tint::Bold, "documents");
            for (layer, file) in &self.documents {
                page.line(format!("  {layer:<10} {file}"));
            }
        }
        if let Some(editable) = &self.editable {
            page.tinted(Tint::Dim, format!("  edits go to {editable}"));
            page.tinted(Tint::Dim, format!("  base hash   {}", self.base_hash));
        }
        for scope in &self.scopes {
            scope.print(page, zone);
        }
        if !self.notes.is_empty() {
            page.line("");
            page.tinted(Tint::Bold, "notes");
            for note in &self.notes {
                page.tinted(Tint::Yellow, format!("  {note}"));
            }
        }
    }
}

impl Scope {
    fn json(&self) -> Value {
        let mut out = Map::new();
        for s in &self.settings {
            out.insert(s.name.into(), json!({"value": s.value, "from": s.from}));
        }
        for (list, rows) in &self.lists {
            let rows: Vec<Value> = rows.iter().map(Row::json).collect();
            out.insert((*list).into(), rows.into());
        }
        out.insert("notes".into(), self.notes.clone().into());
        out.into()
    }

    fn print(&self, page: &mut Page, zone: &TimeZone) {
        page.line("");
        page.tinted(
            Tint::Bold,
            if self.agent == "*" {
                "every agent not named below".to_owned()
            } else {
                format!("agent {}", self.agent)
            },
        );
        for s in &self.settings {
            let value = s.value.as_str().map_or_else(|| s.value.to_string(), str::to_owned);
            page.line(format!("  {:<16} {value:<10} {}", s.name, s.from));
        }
        for (list, rows) in &self.lists {
            if rows.is_empty() {
                continue;
            }
            page.tinted(Tint::Bold, format!("  {list}"));
            for row in rows {
                row.print(page, &self.agent, zone);
            }
        }
        for note in &self.notes {
            page.tinted(Tint::Yellow, format!("  note: {note}"));
        }
    }
}

impl Row {
    fn json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("from".into(), self.from.clone().into());
        fields.insert("scope".into(), self.scope.clone().into());
        if let Some(idle) = &self.idle {
            fields.insert("ignored".into(), idle.clone().into());
        }
        fields.into()
    }

    fn print(&self, page: &mut Page, agent: &str, zone: &TimeZone) {
        let text = |key: &str| self.fields.get(key).and_then(Value::as_str);
        let mut line = format!("    {}", text("pattern").unwrap_or_default());
        if let Some(args) = self.fields.get("args").and_then(Value::as_array) {
            let words: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
            line.push_str(&if words.is_empty() {
                "  (no arguments)".to_owned()
            } else {
                format!("  {}", protocol::Shown::argv(&words))
            });
        }
        for (key, word) in
            [("argPattern", "arguments like"), ("cwd", "in"), ("carries", "carries"), ("hazards", "hazards:")]
        {
            if let Some(value) = text(key) {
                line.push_str(&format!("  {word} {value}"));
            }
        }
        if self.scope != agent {
            line.push_str(&format!("  [of {}]", self.scope));
        }
        match &self.idle {
            Some(idle) => page.tinted(Tint::Yellow, format!("{line}  ({idle})")),
            None => page.line(line),
        }
        if let Some(at) = self.fields.get("expiresAt").and_then(Value::as_u64) {
            page.tinted(Tint::Dim, format!("      until {}", when::local(at, zone)));
        }
        if let Some(note) = text("note") {
            page.tinted(Tint::Dim, format!("      {note}"));
        }
        if let Some(at) = self.fields.get("lastUsedAt").and_then(Value::as_u64) {
            let mut used = format!("      last used {}", when::local(at, zone));
            if let Some(command) = text("lastUsedCommand") {
                used.push_str(&format!(": {command}"));
            }
            if let Some(path) = text("lastResolvedPath").filter(|p| Some(*p) != text("pattern")) {
                used.push_str(&format!(" ({path})"));
            }
            page.tinted(Tint::Dim, used);
        }
    }
}

fn scope(sources: &Sources<'_>, agent: &str) -> Scope {
    let e = sources.policy.effective(agent);
    let settings = vec![
        setting("security", &e.security, |v| security(v).into()),
        setting("ask", &e.ask, |v| ask(v).into()),
        setting("askFallback", &e.ask_fallback, |v| security(v).into()),
        setting("autoAllowSkills", &e.auto_allow_skills, Value::from),
    ];
    let mut lists: Vec<(&'static str, Vec<Row>)> =
        ["allowlist", "asklist", "denylist"].into_iter().map(|list| (list, Vec::new())).collect();
    for document in sources.policy.approvals() {
        let text = sources.texts.get(&*document.file);
        for (whose, list, entry) in document.entries() {
            if whose.is_none_or(|w| w == agent || w == "*")
                && let Some((_, rows)) = lists.iter_mut().find(|(name, _)| *name == list)
            {
                rows.push(row(sources, text, whose, &entry));
            }
        }
    }
    let notes = conflicts(sources.policy, agent, &e);
    Scope { agent: agent.to_owned(), settings, lists, notes }
}

fn setting<T: Copy>(name: &'static str, sourced: &Sourced<T>, value: impl Fn(T) -> Value) -> Setting {
    Setting { name, value: value(sourced.value), from: sourced.from.clone() }
}

fn row(sources: &Sources<'_>, text: Option<&Value>, whose: Option<&str>, entry: &Entry) -> Row {
    // The entry as written, so that fields only people need are shown as well.
    let pointer = entry.from.rsplit_once(":/").map(|(_, rest)| format!("/{rest}"));
    let written = pointer.and_then(|p| text?.pointer(&p)).cloned();
    let mut fields = match written {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    fields.insert("pattern".into(), entry.pattern.clone().into());
    sources.usage.put(entry, &mut fields);
    let idle = entry.expires_at.is_some_and(|at| at <= sources.now_ms).then(|| "expired".to_owned());
    Row { fields, from: entry.from.clone(), scope: whose.unwrap_or("defaults").to_owned(), idle }
}

/// Where layers differ: each document's own word beside the one that rules.
fn conflicts(policy: &Policy, agent: &str, rules: &Effective) -> Vec<String> {
    let mut out = Vec::new();
    let mut differ = |name: &str, theirs: &str, from: &str, ruling: &str, by: &str, why: &str| {
        if theirs != ruling && from.contains(":/") {
            out.push(format!("{name} {theirs} ({from}) does not rule: {ruling} ({by}) does; {why}"));
        }
    };
    for document in policy.approvals() {
        let own = Policy::of_user(Some(document.clone()), None).effective(agent);
        let (theirs, ruling) = (&own.security, &rules.security);
        differ(
            "security",
            security(theirs.value),
            &theirs.from,
            security(ruling.value),
            &ruling.from,
            "stricter wins",
        );
        let (theirs, ruling) = (&own.ask, &rules.ask);
        differ(
            "ask",
            ask(theirs.value),
            &theirs.from,
            ask(ruling.value),
            &ruling.from,
            "the more eager ask wins",
        );
        let (theirs, ruling) = (&own.ask_fallback, &rules.ask_fallback);
        let why = if ruling.value == rules.security.value && theirs.value > ruling.value {
            "it is never looser than security"
        } else {
            "stricter wins"
        };
        differ(
            "askFallback",
            security(theirs.value),
            &theirs.from,
            security(ruling.value),
            &ruling.from,
            why,
        );
    }
    if rules.allow.len() > 1 {
        out.push(format!(
            "{} layers have an allowlist: a program must be on each of them",
            rules.allow.len()
        ));
    }
    if rules.security.value == Security::Deny && !rules.allow.iter().all(|l| l.all().is_empty()) {
        out.push("security is deny: the allowlist has no effect".to_owned());
    }
    if rules.security.value == Security::Full && rules.ask.value != Ask::Always {
        out.push("security is full: everything runs that asklist and denylist do not name".to_owned());
    }
    out
}

fn security(value: Security) -> &'static str {
    match value {
        Security::Deny => "deny",
        Security::Allowlist => "allowlist",
        Security::Full => "full",
    }
}

fn ask(value: Ask) -> &'static str {
    match value {
        Ask::Off => "off",
        Ask::OnMiss => "on-miss",
        Ask::Always => "always",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use policy::document::Layer;

    const USER: &str = r#"{
        "version": 1,
        "socket": {"path": "~/s.sock", "token": "very-secret"},
        "defaults": {"security": "full", "askFallback": "full"},
        "agents": {
            "*": {"allowlist": ["/bin/ls", {"pattern": "jq"}]},
            "main": {"ask": "off", "allowlist": [
                {"pattern": "/bin/git", "args": ["log", "..."], "note": "look", "lastUsedAt": 5, "expiresAt": 9}
            ], "denylist": ["terraform"]}
        }
    }"#;
    const SYSTEM: &str = r#"{"version": 1, "defaults": {"security": "allowlist", "ask": "on-miss"}}"#;

    fn report(agent: Option<&str>) -> Report {
        let user = Approvals::parse(USER.as_bytes(), "/u/a.json").unwrap();
        let system = Approvals::parse(SYSTEM.as_bytes(), "/etc/a.json").unwrap();
        let policy =
            Policy::new(Layer::new(Some(system), None), Layer::new(Some(user), None), Layer::default(), None);
        let texts = BTreeMap::from([
            ("/u/a.json".to_owned(), serde_json::from_str(USER).unwrap()),
            ("/etc/a.json".to_owned(), serde_json::from_str(SYSTEM).unwrap()),
        ]);
        let usage = Usage::default();
        let sources = Sources {
            policy: &policy,
            texts: &texts,
            editable: Some(Path::new("/u/a.json")),
            base_hash: "abc".into(),
            usage: &usage,
            now_ms: 100,
        };
        Report::new(&sources, agent)
    }

    #[test]
    fn values_have_sources_and_the_token_is_hidden() {
        let all = report(None).json();
        let text = all.to_string();
        assert!(!text.contains("very-secret") && text.contains("hidden"), "{text}");
        let main = &all["agents"]["main"];
        assert_eq!(main["security"], json!({"value": "allowlist", "from": "/etc/a.json:/defaults/security"}));
        assert_eq!(main["ask"], json!({"value": "on-miss", "from": "/etc/a.json:/defaults/ask"}));
        assert_eq!(all["document"]["socket"], json!({"path": "~/s.sock"}));
        assert_eq!(all["baseHash"], "abc");
        let notes = main["notes"].to_string();
        for part in ["security full", "stricter wins", "ask off", "askFallback full", "never looser"] {
            assert!(notes.contains(part), "{part}: {notes}");
        }
    }

    #[test]
    fn entries_say_whose_and_whether() {
        let all = report(Some("main")).json();
        let main = all["agents"]["main"].clone();
        let list = main["allowlist"].as_array().unwrap();
        let by = |pattern: &str| list.iter().find(|e| e["pattern"] == pattern).unwrap().clone();
        assert_eq!(list.len(), 2);
        assert_eq!(by("/bin/git")["note"], "look");
        assert_eq!(by("/bin/git")["ignored"], "expired");
        assert_eq!(by("/bin/git")["from"], "/u/a.json:/agents/main/allowlist/0");
        assert_eq!(by("/bin/ls")["scope"], "*");
        let notes = all["notes"].to_string();
        assert!(notes.contains("ignored") && notes.contains("/agents/*/allowlist/1"), "{notes}");
        assert_eq!(main["denylist"][0]["pattern"], "terraform");
    }

    #[test]
    fn text_for_people() {
        let mut page = Page::new();
        report(None).print(&mut page, &TimeZone::UTC);
        let text = page.text();
        for part in [
            "user       /u/a.json",
            "every agent not named below",
            "agent main",
            "/bin/git  log ...",
            "until 1970-01-01 00:00:00+00:00",
            "[of *]",
            "note: security full",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("very-secret"));
    }
}
