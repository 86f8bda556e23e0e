//! `policy replay`: what a policy would have said of the commands in the journal.
//!
//! The journal lies where its subject can write: what it says is shown, and allows nothing.
use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use policy::{Decision, Form};
use serde_json::{Value, json};
use store::journal::Journal;

use crate::cli::Replay;
use crate::court::Court;
use crate::exit::{Exit, Failure};
use crate::log::asked;
use crate::progress::Progress;
use crate::say::{self, Page, Tint};
use crate::when::{self, Towards};

/// A command of the journal, as often as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Past {
    form: Form,
    agent: String,
    cwd: Option<Vec<u8>>,
    /// The verdict then, before it was known whether anybody could be asked.
    then: Decision,
    /// When last, milliseconds since 1970.
    last_ms: u64,
    times: usize,
}

/// The commands of a journal that can be judged again, and how many records cannot.
#[derive(Debug, Default)]
struct History {
    commands: Vec<Past>,
    records: usize,
    masked: usize,
}

impl History {
    fn new(records: &[Value], since_ms: Option<u64>) -> History {
        let mut out = History::default();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for record in records {
            let at = record.get("ts").and_then(Value::as_u64);
            if since_ms.is_some_and(|since| at.is_none_or(|ts| ts < since)) {
                continue;
            }
            // What was asked, answered and called besides is no verdict, and tells of no other command.
            if record.get("event").is_some() {
                continue;
            }
            out.records += 1;
            let Some(past) = past(record) else {
                out.masked += 1;
                continue;
            };
            let key = format!("{:?}", (&past.form, &past.agent, &past.cwd, past.then));
            match known.get(&key).and_then(|i| out.commands.get_mut(*i)) {
                Some(same) => {
                    same.times += 1;
                    same.last_ms = same.last_ms.max(past.last_ms);
                }
                None => {
                    known.insert(key, out.commands.len());
                    out.commands.push(past);
                }
            }
        }
        out
    }
}

/// A record as a command; `None` if what stands there is not what was judged.
fn past(record: &Value) -> Option<Past> {
    let text = |key: &str| record.get(key).and_then(Value::as_str);
    let flag = |key: &str| record.get(key).and_then(Value::as_bool);
    if flag("exact") != Some(true) {
        return None;
    }
    let argv: Vec<Vec<u8>> = record
        .get("argv")?
        .as_array()?
        .iter()
        .map(|w| w.as_str().map(|w| w.as_bytes().to_vec()))
        .collect::<Option<_>>()?;
    let bytes = |key: &str| text(key).map(|t| t.as_bytes().to_vec());
    let form = match bytes("text") {
        Some(text) => Form::Text { text, shell: bytes("shell"), args: argv },
        None if argv.is_empty() => return None,
        None => Form::Program { argv, by_link: flag("byLink").unwrap_or(false) },
    };
    let then = match text("decision")? {
        _ if asked(record) => Decision::Ask,
        "allow" => Decision::Allow,
        "deny" => Decision::Deny,
        _ => return None,
    };
    Some(Past {
        form,
        agent: text("agent")?.to_owned(),
        cwd: bytes("cwd"),
        then,
        last_ms: record.get("ts").and_then(Value::as_u64).unwrap_or_default(),
        times: 1,
    })
}

/// A command whose verdict would be another.
struct Change {
    past: Past,
    before: Decision,
    after: Decision,
    ground: String,
}

/// Does it.
///
/// # Errors
/// The policy or the journal cannot be read; there is no journal.
pub fn run(args: &Replay) -> Result<Exit, Failure> {
    let now = when::now();
    let since = args
        .since
        .as_deref()
        .map(|t| when::parse(t, Towards::Past, &now))
        .transpose()
        .map_err(|what| Failure::usage(format!("--since: {what}")))?;
    let court = Court::of_caller(None)?;
    let none = || Failure::not("there is no journal yet");
    let journal = Journal::new(court.state.as_deref().ok_or_else(none)?, u64::MAX);
    let reading = journal.read().map_err(|e| Failure::trouble(format!("the journal cannot be read: {e}")))?;
    let history = History::new(&reading.records, since);
    if history.records == 0 {
        return Err(Failure::not("there is no record to judge again"));
    }
    // Against another policy, what would change is what the one in force says now; else, what was said then.
    let other = args.policy.as_deref().map(|folder| Court::of_caller(None)?.under(folder)).transpose()?;
    let mut changes = Vec::new();
    let mut progress = Progress::new(history.commands.len());
    for past in &history.commands {
        progress.step();
        let judge = |court: &Court| {
            let host = court.host();
            let inv = court.invocation_of(&past.agent, past.form.clone(), past.cwd.clone());
            court.judge(&inv, &host)
        };
        let now = judge(&court)?;
        let (before, after) = match &other {
            Some(other) => (now.decision, judge(other)?),
            None => (past.then, now),
        };
        if before != after.decision {
            let ground = super::ground(&after);
            changes.push(Change { past: past.clone(), before, after: after.decision, ground });
        }
    }
    let mut page = Page::new();
    if args.json {
        page.json(&as_json(&history, &changes));
    } else {
        print(&history, &changes, &mut page, now.time_zone());
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if !reading.skipped.is_empty() {
        say::word(format!("{} lines of the journal are no records", reading.skipped.len()));
    }
    Ok(Exit::Done)
}

/// How many records would change from what to what.
fn sums(changes: &[Change]) -> BTreeMap<(&'static str, &'static str), usize> {
    let mut out = BTreeMap::new();
    for c in changes {
        *out.entry((c.before.word(), c.after.word())).or_insert(0) += c.past.times;
    }
    out
}

fn print(history: &History, changes: &[Change], page: &mut Page, zone: &TimeZone) {
    for c in changes {
        // What would run without a person from now on is what to look at.
        let tint = match c.after {
            Decision::Allow => Tint::Yellow,
            Decision::Ask => Tint::Bold,
            Decision::Deny => Tint::Red,
        };
        let times = if c.past.times > 1 { format!("  {} times", c.past.times) } else { String::new() };
        let when = when::local(c.past.last_ms, zone);
        let line = format!("{} -> {}  {}  {when}{times}", c.before.word(), c.after.word(), c.past.agent);
        page.tinted(tint, line);
        page.line(format!("    {}", super::command(&c.past.form)));
        if !c.ground.is_empty() {
            page.tinted(Tint::Dim, format!("    {}", c.ground));
        }
    }
    let judged = history.records - history.masked;
    let changed: usize = changes.iter().map(|c| c.past.times).sum();
    page.line(format!("{judged} records judged again, {changed} would change"));
    for ((before, after), count) in sums(changes) {
        page.line(format!("  {before} -> {after}: {count}"));
    }
    if history.masked > 0 {
        page.line(format!(
            "{} not replayable: secrets are masked in them, or bytes are spelled out (journal.text: full keeps secrets)",
            history.masked
        ));
    }
}

fn as_json(history: &History, changes: &[Change]) -> Value {
    let sums: Vec<Value> = sums(changes)
        .into_iter()
        .map(|((before, after), count)| json!({"before": before, "after": after, "records": count}))
        .collect();
    let changes: Vec<Value> = changes
        .iter()
        .map(|c| {
            json!({
                "before": c.before.word(),
                "after": c.after.word(),
                "agent": c.past.agent,
                "command": super::command(&c.past.form),
                "cwd": c.past.cwd.as_deref().map(String::from_utf8_lossy),
                "records": c.past.times,
                "lastMs": c.past.last_ms,
                "ground": c.ground,
            })
        })
        .collect();
    json!({
        "judged": history.records - history.masked,
        "notReplayable": history.masked,
        "sums": sums,
        "changes": changes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_become_commands() {
        let records = [
            json!({"ts": 5, "agent": "main", "decision": "allow", "by": "policy", "argv": ["ls", "a b"], "text": null, "byLink": true, "exact": true, "cwd": "/w"}),
            json!({"ts": 9, "agent": "main", "decision": "allow", "by": "policy", "argv": ["ls", "a b"], "text": null, "byLink": true, "exact": true, "cwd": "/w"}),
            json!({"ts": 6, "agent": "x", "decision": "deny", "by": "policy", "code": "nobody-to-ask", "argv": [], "text": "a\nb", "shell": "bash", "exact": true}),
            json!({"ts": 7, "agent": "x", "decision": "allow", "by": "person", "argv": ["rm"], "exact": true}),
            // The same by the approver.
            json!({"ts": 7, "agent": "x", "decision": "allow", "by": "approver", "argv": ["rm"], "exact": true}),
            json!({"ts": 7, "agent": "x", "decision": "deny", "by": "policy", "code": "denylist", "argv": ["rm"], "exact": true}),
            // Masked, of an older version, broken.
            json!({"ts": 8, "agent": "x", "decision": "allow", "argv": ["x", "--token=***"], "exact": false}),
            json!({"ts": 8, "agent": "x", "decision": "allow", "argv": ["x"], "masked": true}),
            json!({"ts": 8, "agent": "x", "decision": "allow", "argv": [], "exact": true}),
            json!({"ts": 8, "agent": "x", "decision": "maybe", "argv": ["x"], "exact": true}),
            // No verdict.
            json!({"ts": 8, "agent": "x", "decision": "ask", "event": "exec.approval.requested", "exact": false}),
        ];
        let h = History::new(&records, None);
        assert_eq!((h.records, h.masked), (10, 4));
        let seen: Vec<_> = h.commands.iter().map(|c| (c.then, c.times, c.last_ms)).collect();
        assert_eq!(
            seen,
            [(Decision::Allow, 2, 9), (Decision::Ask, 1, 6), (Decision::Ask, 2, 7), (Decision::Deny, 1, 7)]
        );
        let program = Form::Program { argv: vec![b"ls".to_vec(), b"a b".to_vec()], by_link: true };
        assert_eq!(h.commands[0].form, program);
        let text = Form::Text { text: b"a\nb".to_vec(), shell: Some(b"bash".to_vec()), args: vec![] };
        assert_eq!(h.commands[1].form, text);
        let later = History::new(&records, Some(7));
        assert_eq!((later.records, later.commands.len()), (8, 3));
    }
}
