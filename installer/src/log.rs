//! `log`: records of the journal for people and programs, and whether they are still those that were written.
//!
//! The journal lies where its subject can write, so nothing in it is believed: every line is checked, and what is
//! torn or foreign is counted and said.
mod export;
mod verify;

use jiff::tz::TimeZone;
use protocol::Shown;
use serde_json::Value;
use std::os::unix::ffi::OsStrExt;
use store::journal::{Journal, Reading};
pub use store::usage::command;

use crate::cli::{Log, Show, Verdict};
use crate::exit::{Exit, Failure};
use crate::say::{self, Page, Tint};
use crate::when::{self, Towards};

/// As much of an id is shown, bytes.
const SHORT_ID: usize = 8;

/// What to look for.
pub struct Filter {
    agent: Option<String>,
    decision: Option<Verdict>,
    since_ms: Option<u64>,
    /// Probes of `doctor` as well.
    probes: bool,
}

impl Filter {
    /// From the options.
    ///
    /// # Errors
    /// `--since` is no time.
    pub fn new(show: &Show, now: &jiff::Zoned) -> Result<Filter, Failure> {
        let since_ms = time("--since", show.since.as_deref(), false, now)?;
        Ok(Filter { agent: show.agent.clone(), decision: show.decision, since_ms, probes: show.all })
    }

    fn admits(&self, record: &Value) -> bool {
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        let verdict = match self.decision {
            None => true,
            // A question is recorded with what became of it.
            Some(Verdict::Ask) => asked(record),
            Some(v) => text("decision") == Some(v.word()),
        };
        verdict
            && (self.probes || !is_probe(record))
            && self.agent.as_deref().is_none_or(|a| text("agent") == Some(a))
            && self
                .since_ms
                .is_none_or(|since| record.get("ts").and_then(Value::as_u64).is_some_and(|ts| ts >= since))
    }
}

/// True if `doctor` was trying out whether the guard is in the way.
fn is_probe(record: &Value) -> bool {
    let probe = policy::Reason::Probe.code();
    record.get("findings").and_then(Value::as_array).is_some_and(|all| all.iter().any(|f| f == probe))
}

/// True if somebody was asked, or would have been.
pub fn asked(record: &Value) -> bool {
    let text = |key: &str| record.get(key).and_then(Value::as_str);
    text("decision") == Some("ask")
        || matches!(text("by"), Some("person" | "approver" | "fallback"))
        || matches!(
            text("code"),
            Some("nobody-to-ask" | "approval-timeout" | "user-denied" | "too-long-to-ask")
        )
}

/// Does it.
///
/// # Errors
/// The documents or the journal cannot be read; there is nothing to show.
pub fn run(command: &Log) -> Result<Exit, Failure> {
    match command {
        Log::Show(args) => show(args),
        Log::Verify(args) => verify::run(args),
        Log::Export(args) => export::run(args),
        Log::Seal => verify::seal(),
    }
}

/// The journal of this user.
fn journal() -> Result<Journal, Failure> {
    let places = crate::approvals::places();
    let (state, max) = match crate::approvals::load(&places) {
        Ok(loaded) => {
            let max = loaded.policy.settings("main").journal.max_bytes;
            (loaded.state, max)
        }
        // What happened can be looked at all the same, and may tell what happened to the policy.
        Err(failure) => {
            say::word(format!("note: {}", failure.what));
            (crate::init::folder(&places).ok(), u64::MAX)
        }
    };
    let state = state.ok_or_else(|| {
        Failure::not("nothing is recorded: the user database names no home for this user")
            .advise("set EXEC_GUARD_HOME to a folder of yours")
    })?;
    Ok(Journal::new(&state, max))
}

/// Its records, of which there must be some.
fn read(journal: &Journal) -> Result<Reading, Failure> {
    // Whoever looks seals what was moved aside meanwhile. That it cannot be (a read-only disk, a full one) is for
    // `log verify` and `log seal` to say.
    let _ = store::seal::seal(journal, store::seal::GRACE);
    let reading = journal.read().map_err(|e| Failure::trouble(format!("the journal cannot be read: {e}")))?;
    if reading.records.is_empty() && reading.skipped.is_empty() {
        return Err(none(journal));
    }
    Ok(reading)
}

fn none(journal: &Journal) -> Failure {
    let file = Shown::text(journal.current().as_os_str().as_bytes()).into_string();
    Failure::not(format!("there is no journal yet: {file}"))
}

/// Says which lines were no records.
fn skipped(reading: &Reading) {
    let Some(first) = reading.skipped.first() else { return };
    let word = if reading.skipped.len() == 1 { "line is" } else { "lines are" };
    say::word(format!(
        "{} {word} no record and skipped; the first is {}:{}{}",
        reading.skipped.len(),
        Shown::text(first.file.as_os_str().as_bytes()),
        first.line,
        if first.torn { " (cut short)" } else { "" }
    ));
}

/// A time in the past from an option. A date that ends a span counts to its end.
fn time(name: &str, text: Option<&str>, ends: bool, now: &jiff::Zoned) -> Result<Option<u64>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let ago = text.ends_with(|c: char| c.is_ascii_alphabetic());
    let towards = if ends && !ago { Towards::Future } else { Towards::Past };
    let at = when::parse(text, towards, now);
    at.map(Some).map_err(|what| Failure::usage(format!("{name}: {what}")))
}

fn show(args: &Show) -> Result<Exit, Failure> {
    let now = when::now();
    let filter = Filter::new(args, &now)?;
    let reading = read(&journal()?)?;
    let mut page = Page::new();
    skipped(&reading);
    let records = select(reading.records, &filter, args.lines);
    print(&records, args.json, &mut page, now.time_zone());
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if records.is_empty() {
        return Err(Failure::not("no record is like that"));
    }
    Ok(Exit::Done)
}

/// The records to be shown.
fn select(records: Vec<Value>, filter: &Filter, last: usize) -> Vec<Value> {
    let mut out: Vec<Value> = records.into_iter().filter(|r| filter.admits(r)).collect();
    in_turn(&mut out);
    if last > 0 && out.len() > last {
        out.drain(..out.len() - last);
    }
    out
}

/// Puts the records of each question into the order in which it happened, at the places they have: a guard writes its own
/// down while the approver still does, and nothing else tells which of them came first.
fn in_turn(records: &mut [Value]) {
    let turn = |record: &Value| match record.get("event").and_then(Value::as_str) {
        Some("exec.approval.requested") => 0,
        Some("exec.approval.resolved") => 1,
        // What the guard made of the answer.
        None => 2,
        Some("exec.running") => 3,
        Some(_) => 4,
    };
    let mut places: std::collections::BTreeMap<String, Vec<usize>> = std::collections::BTreeMap::new();
    for (at, record) in records.iter().enumerate() {
        if let Some(id) = record.get("id").and_then(Value::as_str) {
            places.entry(id.to_owned()).or_default().push(at);
        }
    }
    for places in places.into_values().filter(|p| p.len() > 1) {
        let mut its: Vec<Value> =
            places.iter().filter_map(|at| records.get_mut(*at).map(Value::take)).collect();
        its.sort_by_key(turn);
        for (at, record) in places.into_iter().zip(its) {
            if let Some(slot) = records.get_mut(at) {
                *slot = record;
            }
        }
    }
}

/// Writes records down.
fn print(records: &[Value], json: bool, page: &mut Page, zone: &TimeZone) {
    for record in records {
        if json {
            page.json_line(record);
        } else {
            text(record, page, zone);
        }
    }
}

/// Two lines a record: when, what came of it and why; then the command.
fn text(record: &Value, page: &mut Page, zone: &TimeZone) {
    let text = |key: &str| record.get(key).and_then(Value::as_str);
    let ts = record.get("ts").and_then(Value::as_u64);
    let when = ts.map_or("-".to_owned(), |ts| when::local(ts, zone));
    // What is no decision is an event: a question, a run that ended.
    let decision = text("decision").or(text("event")).unwrap_or("?");
    let mut line = format!("{when}  {decision:<5}  {}", text("agent").unwrap_or("-"));
    // Of several records with the same decision, which it is.
    if let (Some(_), Some(event)) = (text("decision"), text("event")) {
        line.push_str(&format!("  {event}"));
    }
    match text("by") {
        Some("person") => line.push_str("  by a person"),
        Some("fallback") => line.push_str("  by askFallback"),
        Some("policy") | None => {}
        Some(other) => line.push_str(&format!("  by {other}")),
    }
    // By this its records are one question's, or one call's; `approvals` and `runs` take it.
    let is_of_many = text("event").is_some() || text("by") == Some("approver");
    if let Some(id) = text("id").filter(|_| is_of_many) {
        line.push_str(&format!("  #{}", id.get(..SHORT_ID).unwrap_or(id)));
    }
    let codes: Vec<&str> = text("code")
        .into_iter()
        .chain(
            record.get("findings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str),
        )
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    for code in codes {
        if !seen.contains(&code) {
            seen.push(code);
        }
    }
    if !seen.is_empty() {
        line.push_str(&format!("  [{}]", seen.join(" ")));
    }
    page.tinted(
        match decision {
            "allow" => Tint::Green,
            "deny" => Tint::Red,
            _ => Tint::Yellow,
        },
        line,
    );
    match record.get("override").and_then(|o| protocol::operator::Override::read(o).ok()) {
        Some(o) => page.line(format!("    {}", crate::session::told(&o, ts.unwrap_or(0), zone))),
        None => page.line(format!("    {}", command(record))),
    }
    if let Some(cwd) = text("cwd") {
        page.tinted(Tint::Dim, format!("    in {cwd}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Value> {
        [
            r#"{"ts":1000,"agent":"main","decision":"allow","by":"policy","argv":["git","a b"],"cwd":"/w"}"#,
            r#"{"ts":2000,"agent":"x","decision":"deny","by":"fallback","code":"nobody-to-ask","findings":["allowlist-miss","allowlist-miss"],"text":"rm \u001b[2J"}"#,
            r#"{"ts":3000,"agent":"main","decision":"deny","by":"policy","code":"denylist"}"#,
        ]
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
    }

    fn selected(decision: Option<Verdict>, agent: Option<&str>, since: Option<u64>, last: usize) -> Vec<u64> {
        let filter = Filter { agent: agent.map(str::to_owned), decision, since_ms: since, probes: false };
        select(records(), &filter, last).iter().map(|r| r["ts"].as_u64().unwrap()).collect()
    }

    #[test]
    fn filters() {
        assert_eq!(selected(None, None, None, 0), [1000, 2000, 3000]);
        assert_eq!(selected(None, None, None, 2), [2000, 3000]);
        assert_eq!(selected(Some(Verdict::Allow), None, None, 0), [1000]);
        assert_eq!(selected(Some(Verdict::Deny), None, None, 0), [2000, 3000]);
        assert_eq!(selected(Some(Verdict::Ask), None, None, 0), [2000]);
        assert_eq!(selected(None, Some("main"), Some(2500), 0), [3000]);
        assert_eq!(selected(None, Some("mai"), None, 0), [0u64; 0]);
    }

    #[test]
    fn what_doctor_tried_is_shown_on_request_only() {
        let probe: Value = serde_json::json!({"ts": 1, "decision": "deny", "findings": ["probe"]});
        for (probes, shown) in [(false, 0), (true, 1)] {
            let filter = Filter { agent: None, decision: None, since_ms: None, probes };
            assert_eq!(select(vec![probe.clone()], &filter, 0).len(), shown);
        }
    }

    #[test]
    fn a_question_is_shown_in_the_order_it_happened() {
        let record =
            |id: &str, event: Option<&str>, n: u64| serde_json::json!({"id": id, "event": event, "n": n});
        let mut all = vec![
            record("b", None, 0),
            record("a", None, 3),
            record("a", Some("exec.approval.resolved"), 2),
            record("c", None, 4),
            record("a", Some("exec.approval.requested"), 1),
            record("a", Some("exec.finished"), 6),
            record("a", Some("exec.running"), 5),
            serde_json::json!({"n": 7}),
        ];
        in_turn(&mut all);
        let order: Vec<u64> = all.iter().map(|r| r["n"].as_u64().unwrap()).collect();
        assert_eq!(order, [0, 1, 2, 4, 3, 5, 6, 7]);
    }

    #[test]
    fn records_of_one_question_bear_its_id() {
        let id = "3f2a1b2c-0000-4000-8000-000000000000";
        let records = [
            serde_json::json!({"ts": 1, "id": id, "agent": "a", "event": "exec.approval.requested"}),
            serde_json::json!({"ts": 2, "id": id, "agent": "a", "event": "exec.approval.resolved"}),
            serde_json::json!({"ts": 3, "id": id, "agent": "a", "decision": "allow", "by": "approver"}),
            serde_json::json!({"ts": 4, "id": id, "agent": "a", "event": "tool.finished"}),
            // Nothing else is told of this one.
            serde_json::json!({"ts": 5, "id": id, "agent": "a", "decision": "allow", "by": "policy"}),
        ];
        let mut page = Page::new();
        print(&records, false, &mut page, &TimeZone::UTC);
        let heads: Vec<&str> = page.text().lines().filter(|l| l.starts_with("1970")).collect();
        assert_eq!(
            heads.iter().map(|l| l.contains("#3f2a1b2c")).collect::<Vec<_>>(),
            [true, true, true, true, false]
        );
        let mut page = Page::new();
        print(&records, true, &mut page, &TimeZone::UTC);
        assert_eq!(page.text().matches(id).count(), records.len());
    }

    #[test]
    fn an_override_says_what_it_is() {
        let over = serde_json::json!({
            "agent": "a", "session": "k", "security": "deny", "ask": null, "untilMs": 2000, "by": "ann"});
        for (ts, want) in [(1000, "security deny"), (2000, ": ended")] {
            let record =
                serde_json::json!({"ts": ts, "event": "exec.session", "agent": "a", "override": over});
            let mut page = Page::new();
            print(&[record], false, &mut page, &TimeZone::UTC);
            assert!(page.text().contains(want), "{}", page.text());
        }
    }

    #[test]
    fn text_is_visible() {
        let records = records();
        let mut page = Page::new();
        print(&records, false, &mut page, &TimeZone::UTC);
        let text = page.text();
        assert!(
            text.starts_with("1970-01-01 00:00:01+00:00  allow  main\n    git 'a b'\n    in /w\n"),
            "{text}"
        );
        assert!(
            text.contains("deny   x  by askFallback  [nobody-to-ask allowlist-miss]\n    rm \\x1b[2J\n"),
            "{text}"
        );
        assert!(!text.contains('\x1b'));
        let mut page = Page::new();
        print(&records, true, &mut page, &TimeZone::UTC);
        assert!(!page.text().contains('\x1b') && page.text().lines().count() == 3);
    }
}
