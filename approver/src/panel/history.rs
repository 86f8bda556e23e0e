//! *History*: the journal, searched.
use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Html;
use maud::{Markup, html};
use serde_json::Value;
use store::journal::Journal;
use store::usage::command;

use super::form::{Fields, decode, encode};
use super::layout::{self, Page};
use super::{Session, Site, shown, time};

/// Records on a page.
const ROWS: usize = 50;
/// Bytes of the journal that are searched, newest first.
pub const BYTES: u64 = 64 << 20;

/// Letters of a command in a row.
const LETTERS: usize = 2_000;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Filter {
    text: String,
    agent: String,
    decision: String,
    day: String,
}

impl Filter {
    fn of(fields: &Fields) -> Filter {
        let get = |name: &str| fields.get(name).trim().to_owned();
        Filter {
            text: get("text").to_lowercase(),
            agent: decode(&get("agent")),
            decision: get("decision"),
            day: get("day"),
        }
    }

    fn admits(&self, record: &Value) -> bool {
        let word = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
        let day = || record.get("ts").and_then(Value::as_u64).map(time::day).unwrap_or_default();
        let found = |text: &str| text.to_lowercase().contains(&self.text);
        // The doctor's own commands are shown to whoever looks for them.
        let probe = policy::Reason::Probe.code();
        let findings = record.get("findings").and_then(Value::as_array).into_iter().flatten();
        let is_probe = findings.into_iter().any(|f| f.as_str() == Some(probe));
        (!is_probe || self.text.contains("probe"))
            && (self.agent.is_empty() || word("agent") == self.agent)
            && (self.decision.is_empty() || word("decision") == self.decision)
            && (self.day.is_empty() || day() == self.day)
            && (self.text.is_empty()
                || found(&command(record))
                || ["cwd", "code", "by", "words", "id", "event", "session"]
                    .iter()
                    .any(|key| found(word(key))))
    }

    /// As a query, for the next page.
    fn query(&self, page: usize) -> String {
        format!(
            "history?text={}&agent={}&decision={}&day={}&page={page}",
            encode(&self.text),
            encode(&encode(&self.agent)),
            encode(&self.decision),
            encode(&self.day)
        )
    }
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    rows: Vec<Value>,
    more: bool,
    /// There are files that were not looked at.
    older: bool,
    skipped: usize,
    agents: Vec<String>,
    trouble: Option<String>,
}

/// Looks into the journal, newest first.
fn find(journal: Option<Journal>, filter: &Filter, page: usize) -> Found {
    let Some(journal) = journal else {
        return Found { trouble: Some("there is no folder for a journal".into()), ..Found::default() };
    };
    let mut found = Found::default();
    // The one that is looked for stays on offer.
    let mut agents: BTreeSet<String> =
        Some(filter.agent.clone()).filter(|a| !a.is_empty()).into_iter().collect();
    let mut before = page.saturating_mul(ROWS);
    let looked = journal.recent(BYTES, |reading| {
        found.skipped += reading.skipped.len();
        agents.extend(reading.records.iter().filter_map(|r| r.get("agent")?.as_str().map(str::to_owned)));
        for record in reading.records.into_iter().rev().filter(|r| filter.admits(r)) {
            match (before, found.rows.len()) {
                (0, ROWS) => found.more = true,
                (0, _) => found.rows.push(record),
                _ => before -= 1,
            }
        }
        found.more
    });
    found.agents = agents.into_iter().collect();
    match looked {
        Ok(older) => found.older = older,
        Err(e) => found.trouble = Some(format!("the journal cannot be read: {e}")),
    }
    found
}

/// The page.
pub async fn page(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Html<String> {
    let filter = Filter::of(&fields);
    let page: usize = fields.get("page").parse().unwrap_or(0);
    let (journal, sought) = (site.handle.journal(), filter.clone());
    // Reading takes its time; nobody else waits for it.
    let found = tokio::task::spawn_blocking(move || find(journal, &sought, page)).await.unwrap_or_default();
    let content = html! {
        h1 { "History" }
        (search(&filter, &found.agents))
        @if let Some(trouble) = &found.trouble { p.message.bad { (shown(trouble)) } }
        @if found.rows.is_empty() { p.none { "Nothing was found." } } @else { (table(&found.rows)) }
        nav.pages aria-label="Pages of the history" {
            @if page > 0 { a href=(filter.query(page - 1)) rel="prev" { "Newer" } } @else { span {} }
            @if found.more { a href=(filter.query(page + 1)) rel="next" { "Older" } }
        }
        @if found.skipped > 0 { p.note { (found.skipped) " lines are no records and were passed over." } }
        @if found.older && !found.more {
            p.note { "Older files were not searched: " code { "exec-guardctl log show" } " does." }
        }
    };
    Html(layout::page(&site, &session, Page::History, &content).into_string())
}

fn search(filter: &Filter, agents: &[String]) -> Markup {
    html! {
        form.box method="get" action="history" role="search" {
            div.row {
                label.field.grow {
                    span { "Text" }
                    input type="search" name="text" value=(shown(&filter.text)) placeholder="command, folder, code, who";
                }
                label.field {
                    span { "Agent" }
                    select name="agent" {
                        option value="" { "any" }
                        @for a in agents { option value=(encode(a)) selected[*a == filter.agent] { (shown(a)) } }
                    }
                }
                label.field {
                    span { "Decision" }
                    select name="decision" {
                        option value="" { "any" }
                        @for d in ["allow", "ask", "deny"] { option value=(d) selected[d == filter.decision] { (d) } }
                    }
                }
                label.field {
                    span { "Day (UTC)" }
                    input type="date" name="day" value=(filter.day);
                }
                button.main type="submit" { "Search" }
            }
        }
    }
}

fn table(rows: &[Value]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Time" } th scope="col" { "Decision" } th scope="col" { "Command" } th scope="col" { "Agent" } } }
            tbody { @for r in rows { (row(r)) } }
        }
    }
}

/// As much of a text as a row has room for, and whether that is not all.
fn short(text: &str) -> (String, bool) {
    let mut chars = text.chars();
    let begin: String = chars.by_ref().take(LETTERS).collect();
    (begin, chars.next().is_some())
}

fn row(record: &Value) -> Markup {
    let word = |key: &str| record.get(key).and_then(Value::as_str).filter(|w| !w.is_empty());
    let at = record.get("ts").and_then(Value::as_u64);
    let number = |key: &str| record.get(key).and_then(Value::as_u64);
    let decision = word("decision").unwrap_or("note");
    let class = match decision {
        "allow" => "badge allow",
        "deny" => "badge deny",
        _ => "badge ask",
    };
    html! {
        tr {
            td data-label="Time" { @if let Some(at) = at { (time::moment(at)) } }
            td data-label="Decision" {
                span class=(class) { (shown(decision)) }
                @if let Some(code) = word("code") { " " code { (shown(code)) } }
                @if let Some(by) = word("by") { div.from { "by " (shown(by)) } }
                @if let Some(words) = word("words") { div.from { "“" (shown(words)) "”" } }
            }
            td data-label="Command" {
                @let (text, cut) = short(&shown(&command(record)));
                code { (text) }
                @if cut { " … " span.from { "(longer; " code { "exec-guardctl log show" } " has all of it)" } }
                @if record.get("cut").and_then(Value::as_bool) == Some(true) { " …" }
                @if let Some(cwd) = word("cwd") { div.from { "in " (shown(cwd)) } }
                @if let Some(event) = word("event") {
                    div.from {
                        (shown(event))
                        @if let Some(state) = word("state") { ", " (shown(state)) }
                        @if let Some(code) = number("exitCode") { ", exit " (code) }
                        @if let Some(ms) = number("durationMs") { ", after " (time::span(ms)) }
                        @for key in ["security", "ask"] {
                            @if let Some(w) = record.get("override").and_then(|o| o.get(key)).and_then(Value::as_str) {
                                ", " (key) " " (shown(w))
                            }
                        }
                    }
                }
            }
            td data-label="Agent" {
                @if let Some(a) = word("agent") { (shown(a)) }
                @if let Some(s) = word("session") { div.from { (shown(s)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_looked_for_is_found() {
        let record = json!({"v": 1, "ts": 86_400_000, "agent": "main", "decision": "deny", "code": "allowlist-miss",
            "argv": ["Git", "push"], "cwd": "/w"});
        let filter = |text: &str| Filter::of(&Fields::read(text).unwrap());
        for (query, found) in [
            ("", true),
            ("text=git+PUSH", true),
            ("text=%2Fw", true),
            ("text=miss", true),
            ("text=pull", false),
            ("agent=main&decision=deny&day=1970-01-02", true),
            ("agent=mai", false),
            ("decision=allow", false),
            ("day=1970-01-01", false),
        ] {
            assert_eq!(filter(query).admits(&record), found, "{query}");
        }
        let again = filter("text=a%26b&day=x&page=3");
        assert_eq!(filter(again.query(4).split_once('?').unwrap().1), again);
    }

    #[test]
    fn a_long_command_leaves_room_for_others() {
        let text = "é".repeat(LETTERS);
        assert_eq!(short(&text), (text.clone(), false));
        assert_eq!(short(&format!("{text}x")), (text, true));
    }

    #[test]
    fn pages_are_in_order_and_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path(), 2_000);
        for n in 0..120 {
            journal
                .append(&json!({"v": 1, "ts": n, "agent": if n % 2 == 0 { "even" } else { "odd" }}))
                .unwrap();
        }
        let times = |page| {
            let found = find(Some(journal.clone()), &Filter::default(), page);
            (found.rows.iter().map(|r| r["ts"].as_u64().unwrap()).collect::<Vec<_>>(), found.more)
        };
        assert_eq!(times(0), ((70..120).rev().collect(), true));
        assert_eq!(times(2), ((0..20).rev().collect(), false));
        let found = find(Some(journal), &Filter { agent: "odd".into(), ..Filter::default() }, 1);
        assert_eq!(
            (found.rows.len(), found.more, found.agents),
            (10, false, vec!["even".into(), "odd".into()])
        );
        assert!(find(None, &Filter::default(), 0).trouble.is_some());
    }
}
