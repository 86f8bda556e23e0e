//! What the policy page shows.
use std::sync::Arc;

use maud::{Markup, html};
use policy::document::{Ask, Effective, Entry, Security, Sourced};
use protocol::words;
use serde_json::{Map, Value};
use store::edit::List;
use store::usage::Usage;

use super::edit::{self, LISTS, SETTINGS, Scope};
use super::layout::csrf;
use super::policy::name;
use super::{Session, Site, history, shown, time};
use crate::rules::Documents;

/// Patterns that are shown of each kind: a page with thousands of forms helps nobody.
const ROWS: usize = 300;

/// What somebody typed that was not written.
#[derive(Clone, Debug)]
pub enum Draft {
    /// Settings, in the order of [`SETTINGS`].
    Settings(Vec<String>),
    /// An entry.
    Add {
        /// Where.
        list: List,
        /// Its pattern.
        pattern: String,
        /// Its arguments, one a line.
        args: String,
        /// No arguments are named.
        any: bool,
    },
    /// An entry that was to go.
    Remove {
        /// Its pattern.
        pattern: String,
    },
}

/// A setting that rules, and where it was written.
struct Rules {
    value: String,
    from: String,
}

/// An entry as it is shown.
struct Row {
    list: List,
    /// Its place in its list, if it can be removed here.
    place: Option<usize>,
    fields: Map<String, Value>,
    from: String,
    scope: String,
}

/// Everything the page shows.
pub struct View {
    scope: Scope,
    /// A part of the patterns that are looked for.
    find: String,
    /// Patterns for which there is no room.
    left: usize,
    agents: Vec<String>,
    /// The document that edits go to, its hash, and its text as JSON; `Err` why it cannot be edited here.
    file: String,
    base: String,
    doc: Result<Value, String>,
    rules: Vec<Rules>,
    rows: Vec<Row>,
    others: Vec<Row>,
    notes: Vec<String>,
    documents: Vec<(String, String)>,
    trouble: Option<String>,
}

impl View {
    /// Reads it all.
    pub fn new(site: &Arc<Site>, scope: Scope, find: String) -> View {
        site.handle.rules().changed();
        let mut view = View {
            scope,
            find,
            left: 0,
            agents: Vec::new(),
            file: String::new(),
            base: String::new(),
            doc: Err("there is no place for a policy document".into()),
            rules: Vec::new(),
            rows: Vec::new(),
            others: Vec::new(),
            notes: Vec::new(),
            documents: Vec::new(),
            trouble: None,
        };
        match site.handle.rules().current() {
            Ok(documents) => view.fill(site, &documents),
            Err(e) => view.trouble = Some(e),
        }
        view
    }

    fn fill(&mut self, site: &Site, documents: &Documents) {
        let policy = documents.policy();
        if let Some(target) = documents.editable() {
            self.file = protocol::Shown::text(target.path.as_os_str().as_encoded_bytes()).into_string();
            match store::edit::get(&target.path) {
                Ok((text, base)) => {
                    self.base = base;
                    self.doc = match text.is_empty() {
                        true => Ok(Value::Object(Map::new())),
                        false => serde_json::from_str(text.trim_start_matches('\u{feff}'))
                            .map_err(|_| "it has comments, which an edit would lose: edit it by hand".into()),
                    };
                }
                Err(e) => self.doc = Err(e.to_string()),
            }
        }
        let own = self.doc.as_ref().ok().and_then(|d| d.get("agents")?.as_object());
        self.agents = own.into_iter().flat_map(|a| a.keys().cloned()).collect();
        self.agents.extend(policy.approvals().flat_map(|d| d.agents().map(str::to_owned)));
        self.agents.extend(self.scope.clone());
        self.agents.push("main".into());
        self.agents.sort();
        self.agents.dedup();
        let agent = self.scope.clone().unwrap_or_else(|| "*".into());
        let effective = policy.effective(&agent);
        self.rules = rules(&effective);
        self.notes = notes(&effective);
        self.notes.extend(policy.notes());
        self.documents =
            policy.documents().into_iter().map(|(layer, file)| (layer.to_owned(), file.to_owned())).collect();
        let mut usage = Vec::new();
        if let Some(journal) = site.handle.journal() {
            // What cannot be read was never seen.
            let _ = journal.recent(history::BYTES, |reading| {
                usage.push(Usage::new(&reading.records));
                false
            });
        }
        let mut seek = Seek { find: self.find.to_lowercase(), room: ROWS, usage: &usage, left: 0 };
        self.rows = self.own(&mut seek);
        seek.room = ROWS;
        self.others = self.others(documents, &agent, &mut seek);
        self.left = seek.left;
    }

    /// The entries of this scope of this document.
    fn own(&self, seek: &mut Seek<'_>) -> Vec<Row> {
        let mut out = Vec::new();
        let part = self.doc.as_ref().ok().and_then(|d| edit::part(d, &self.scope));
        for list in LISTS {
            let entries = part.and_then(|p| p.get(list.key())).and_then(Value::as_array);
            for (place, written) in entries.into_iter().flatten().enumerate() {
                let from = format!("{}:{}/{}/{place}", self.file, edit::pointer(&self.scope), list.key());
                let entry = Entry { pattern: edit::pattern(written), from, ..Entry::default() };
                let row = seek.row(list, &entry, || written.as_object().cloned(), String::new());
                out.extend(row.map(|row| Row { place: Some(place), ..row }));
            }
        }
        out
    }

    /// The entries of other scopes and documents that count for this one.
    fn others(&self, documents: &Documents, agent: &str, seek: &mut Seek<'_>) -> Vec<Row> {
        let mut out = Vec::new();
        for document in documents.policy().approvals() {
            for (whose, key, entry) in document.entries() {
                let counts = whose.is_none_or(|w| w == agent || w == "*");
                let own = *document.file == *self.file && whose == self.scope.as_deref();
                if let (true, false, Some(list)) = (counts, own && self.doc.is_ok(), edit::list(key)) {
                    let scope = words_of(whose);
                    let written = || {
                        let entry = Entry { id: Some(String::new()), ..entry.clone() };
                        store::edit::entry_value(&entry).as_object().cloned()
                    };
                    out.extend(seek.row(list, &entry, written, scope));
                }
            }
        }
        out
    }
}

/// Which entries are shown, and with what.
struct Seek<'a> {
    /// A part of the pattern, in lower case.
    find: String,
    room: usize,
    usage: &'a [Usage],
    /// Entries that would have been shown, too.
    left: usize,
}

impl Seek<'_> {
    /// The entry as it is shown, if it is.
    fn row(
        &mut self,
        list: List,
        entry: &Entry,
        written: impl FnOnce() -> Option<Map<String, Value>>,
        scope: String,
    ) -> Option<Row> {
        if !entry.pattern.to_lowercase().contains(&self.find) {
            return None;
        }
        if self.room == 0 {
            self.left += 1;
            return None;
        }
        self.room -= 1;
        let mut fields = written().unwrap_or_default();
        fields.insert("pattern".into(), entry.pattern.clone().into());
        self.usage.iter().for_each(|u| u.put(entry, &mut fields));
        Some(Row { list, place: None, fields, from: entry.from.clone(), scope })
    }
}

fn rules(e: &Effective) -> Vec<Rules> {
    fn of<T: Copy>(s: &Sourced<T>, word: impl Fn(T) -> String) -> Rules {
        Rules { value: word(s.value), from: s.from.clone() }
    }
    let security = |v: Security| words::security(v).to_owned();
    vec![
        of(&e.security, security),
        of(&e.ask, |v: Ask| words::ask(v).to_owned()),
        of(&e.ask_fallback, security),
        of(&e.auto_allow_skills, |v: bool| v.to_string()),
    ]
}

fn notes(e: &Effective) -> Vec<String> {
    let mut out = e.notes.clone();
    if e.allow.len() > 1 {
        out.push(format!("{} layers have an allowlist: a program must be on each of them", e.allow.len()));
    }
    if e.security.value == Security::Deny {
        out.push("security is deny: nothing runs, whatever the allowlist says".into());
    }
    if e.security.value == Security::Full && e.ask.value != Ask::Always {
        out.push("security is full: everything runs that asklist and denylist do not name".into());
    }
    out
}

/// The page.
pub fn page(view: &View, session: &Session, draft: Option<&Draft>) -> Markup {
    let whose = words_of(view.scope.as_deref());
    html! {
        h1 { "Policy" }
        @if let Some(trouble) = &view.trouble {
            p.message.bad { "A document cannot be believed, so nothing runs until it is mended: " (shown(trouble)) }
        }
        (choose(view))
        @if let Some(draft) = draft { (conflict(view, draft)) }
        @if let Err(why) = &view.doc { p.message.bad { code { (view.file) } " cannot be edited here: " (shown(why)) } }
        (settings(view, session, draft, &whose))
        (entries(view, session, draft, &whose))
        (other_entries(view))
        (documents(view))
    }
}

/// A scope, for a person: the same words wherever one is named.
fn words_of(scope: Option<&str>) -> String {
    match scope {
        None => "Defaults".into(),
        Some("*") => "Every agent (*)".into(),
        Some(agent) => format!("Agent {}", shown(agent)),
    }
}

fn choose(view: &View) -> Markup {
    html! {
        form.box method="get" action="policy" {
            div.row {
                label.field.grow {
                    span { "Scope" }
                    select name="scope" {
                        option value="defaults" selected[view.scope.is_none()] { (words_of(None)) }
                        @for a in &view.agents {
                            option value=(name(&Some(a.clone()))) selected[view.scope.as_ref() == Some(a)] { (words_of(Some(a))) }
                        }
                    }
                }
                label.field {
                    span { "or another agent" }
                    input type="text" name="other" maxlength="256" autocomplete="off";
                }
                label.field {
                    span { "patterns with" }
                    input type="search" name="find" value=(shown(&view.find)) maxlength="256" autocomplete="off";
                }
                button type="submit" { "Show" }
            }
        }
    }
}

/// What every form that writes carries.
fn based(view: &View, session: &Session) -> Markup {
    html! {
        (csrf(session))
        input type="hidden" name="base" value=(view.base);
        input type="hidden" name="scope" value=(name(&view.scope));
    }
}

fn conflict(view: &View, draft: &Draft) -> Markup {
    let doc = view.doc.as_ref().ok();
    let now = |name: &str| doc.map(|d| edit::own(d, &view.scope, name)).unwrap_or_default();
    let word = |w: &str| if w.is_empty() { "not set here".to_owned() } else { shown(w) };
    html! {
        section.box.conflict role="alert" aria-labelledby="conflict" {
            h2 id="conflict" { "Somebody else changed the document meanwhile" }
            p { "Nothing of yours was written, and nothing of it is lost: it stands in the form below. Save again to put it in place." }
            @match draft {
                Draft::Settings(yours) => table {
                    thead { tr { th scope="col" { "Setting" } th scope="col" { "In the document now" } th scope="col" { "Yours" } } }
                    tbody {
                        @for ((name, _), yours) in SETTINGS.iter().zip(yours) {
                            tr {
                                td data-label="Setting" { code { (name) } }
                                td data-label="In the document now" { (word(&now(name))) }
                                td data-label="Yours" {
                                    @if now(name) == *yours { (word(yours)) } @else { b { (word(yours)) } " " span.badge.ask { "differs" } }
                                }
                            }
                        }
                    }
                },
                Draft::Add { pattern, .. } => p { "Yours: add " code { (shown(pattern)) } ". The lists below are those of the document now." },
                Draft::Remove { pattern } => p { "Yours: remove " code { (shown(pattern)) } ". The lists below are those of the document now." },
            }
            p { a href=(format!("policy?scope={}", super::form::encode(&name(&view.scope)))) { "Leave the document as it is now" } }
        }
    }
}

fn settings(view: &View, session: &Session, draft: Option<&Draft>, whose: &str) -> Markup {
    let doc = view.doc.as_ref().ok();
    let now = |at: usize, name: &str| match draft {
        Some(Draft::Settings(yours)) => yours.get(at).cloned().unwrap_or_default(),
        _ => doc.map(|d| edit::own(d, &view.scope, name)).unwrap_or_default(),
    };
    html! {
        section.box aria-labelledby="settings" {
            h2 id="settings" { "Settings: " (whose) }
            form method="post" action="policy" {
                (based(view, session))
                div.settings {
                    @for (at, (name, words)) in SETTINGS.iter().enumerate() {
                        @let own = now(at, name);
                        div.setting {
                            label for=(name) { code { (name) } }
                            select name=(name) id=(name) disabled[doc.is_none()] aria-describedby=(format!("from-{name}")) {
                                option value="" selected[own.is_empty()] { "not set here" }
                                @for w in *words { option value=(w) selected[own == *w] { (w) } }
                                // A word of another version is not lost by looking at it.
                                @if !own.is_empty() && !words.contains(&own.as_str()) { option value=(shown(&own)) selected { (shown(&own)) } }
                            }
                            p.from id=(format!("from-{name}")) {
                                @if let Some(r) = view.rules.get(at) {
                                    "in force: " b class=(tone(&r.value)) { (shown(&r.value)) } " from " span.mono { (shown(&r.from)) }
                                }
                            }
                        }
                    }
                }
                button.main type="submit" disabled[doc.is_none()] { "Save settings" }
            }
            @for note in &view.notes { p.warning { (shown(note)) } }
        }
    }
}

fn tone(value: &str) -> &'static str {
    match value {
        "deny" | "always" => "strict",
        "full" | "off" => "loose",
        _ => "middle",
    }
}

fn entries(view: &View, session: &Session, draft: Option<&Draft>, whose: &str) -> Markup {
    let editable = view.doc.is_ok();
    let (list, pattern, args, any) = match draft {
        Some(Draft::Add { list, pattern, args, any }) => (*list, pattern.as_str(), args.as_str(), *any),
        _ => (List::Allow, "", "", true),
    };
    html! {
        section.box aria-labelledby="patterns" {
            h2 id="patterns" { "Patterns: " (whose) }
            @if view.left > 0 { p.warning { "More patterns than are shown: " (view.left) " of this page's. Look for a part of them." } }
            @if view.rows.is_empty() { p.dim { @if view.find.is_empty() { "None of its own." } @else { "None with that." } } } @else { (table(view, &view.rows, Some(session))) }
            h3 { "Add a pattern" }
            form.row.add method="post" action="policy/add" {
                (based(view, session))
                label.field {
                    span { "List" }
                    select name="list" { @for l in LISTS { option value=(l.key()) selected[l == list] { (l.key()) } } }
                }
                label.field.grow {
                    span { "Pattern: a glob over the program's whole path" }
                    input type="text" name="pattern" value=(pattern) required placeholder="/usr/bin/git" autocomplete="off" maxlength="4096";
                }
                div.field.grow {
                    label for="args" { "Arguments: one glob a line, " code { "..." } " for any rest" }
                    textarea name="args" id="args" rows="2" autocomplete="off" { (args) }
                    label.check { input type="checkbox" name="any" value="yes" checked[any]; " any arguments, whatever stands above" }
                }
                button.main type="submit" disabled[!editable] { "Add" }
            }
        }
    }
}

fn table(view: &View, rows: &[Row], session: Option<&Session>) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "List" } th scope="col" { "Pattern" } th scope="col" { "Last used" }
                @if session.is_some() { th scope="col" { span.sr { "Remove" } } } @else { th scope="col" { "From" } }
            } }
            tbody {
                @for r in rows {
                    tr {
                        td data-label="List" { span class=(match r.list { List::Allow => "badge allow", List::Ask => "badge ask", List::Deny => "badge deny" }) { (r.list.key()) } }
                        td data-label="Pattern" { (entry(&r.fields)) }
                        td data-label="Last used" { (used(&r.fields)) }
                        @match (session, r.place) {
                            (Some(session), Some(place)) => td {
                                form method="post" action="policy/remove" {
                                    (based(view, session))
                                    input type="hidden" name="list" value=(r.list.key());
                                    input type="hidden" name="place" value=(place);
                                    input type="hidden" name="pattern" value=(shown(text(&r.fields, "pattern")));
                                    button.quiet type="submit" aria-label=(format!("Remove {}", shown(text(&r.fields, "pattern")))) { "Remove" }
                                }
                            },
                            _ => td data-label="From" { (r.scope) div.from { (shown(&r.from)) } },
                        }
                    }
                }
            }
        }
    }
}

fn text<'f>(fields: &'f Map<String, Value>, key: &str) -> &'f str {
    fields.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn entry(fields: &Map<String, Value>) -> Markup {
    let args = fields.get("args").and_then(Value::as_array);
    let expires = fields.get("expiresAt").and_then(Value::as_u64);
    html! {
        code { (shown(text(fields, "pattern"))) }
        @if let Some(args) = args {
            div.from {
                @if args.is_empty() { "no arguments" } @else {
                    "arguments " code { (protocol::Shown::argv(&args.iter().filter_map(Value::as_str).collect::<Vec<_>>())) }
                }
            }
        }
        @for key in ["argPattern", "cwd", "carries", "hazards", "source", "note"] {
            @if !text(fields, key).is_empty() { div.from { (key) " " code { (shown(text(fields, key))) } } }
        }
        @if let Some(at) = expires { div.from { "until " (time::moment(at)) } }
    }
}

fn used(fields: &Map<String, Value>) -> Markup {
    let at = fields.get("lastUsedAt").and_then(Value::as_u64);
    html! {
        @match at {
            None => span.dim { "never seen" },
            Some(at) => {
                (time::moment(at))
                @for key in ["lastUsedCommand", "lastResolvedPath"] {
                    @if !text(fields, key).is_empty() { div.from { code { (shown(text(fields, key))) } } }
                }
            }
        }
    }
}

fn other_entries(view: &View) -> Markup {
    html! {
        @if !view.others.is_empty() {
            section.box aria-labelledby="others" {
                h2 id="others" { "Patterns of other scopes and documents that count here as well" }
                (table(view, &view.others, None))
            }
        }
    }
}

fn documents(view: &View) -> Markup {
    html! {
        section.box aria-labelledby="documents" {
            h2 id="documents" { "Documents in force" }
            @if view.documents.is_empty() { p { "None: the preset cautious rules." } }
            ul { @for (layer, file) in &view.documents { li { (layer) " " code { (shown(file)) } } } }
            p.from { "Edits go to " code { (view.file) } "; its hash is " code { (view.base) } }
        }
    }
}
