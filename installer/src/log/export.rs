//! `log export`: records for other programs.
use jiff::tz::TimeZone;
use protocol::Shown;
use serde_json::Value;

use crate::cli::{Export, Format};
use crate::exit::{Exit, Failure};
use crate::say::Page;
use crate::when;

/// The columns of CSV. What has no column stands in JSON lines only.
const COLUMNS: &[&str] = &[
    "time", "event", "decision", "by", "code", "findings", "agent", "session", "command", "cwd", "found",
    "real", "confined", "masked", "uid", "pid", "id",
];

/// Does it.
///
/// # Errors
/// A time is none; the journal cannot be read; there is nothing to write.
pub fn run(args: &Export) -> Result<Exit, Failure> {
    let now = when::now();
    let since = super::time("--since", args.since.as_deref(), false, &now)?.unwrap_or(0);
    let until = super::time("--until", args.until.as_deref(), true, &now)?;
    let within = |record: &Value| match record.get("ts").and_then(Value::as_u64) {
        Some(ts) => ts >= since && until.is_none_or(|until| ts < until),
        // Without a time it belongs to no span, but to all of them together.
        None => since == 0 && until.is_none(),
    };
    let reading = super::read(&super::journal()?)?;
    super::skipped(&reading);
    let mut page = Page::new();
    if args.format == Format::Csv {
        page.own(&row(COLUMNS.iter().map(|c| (*c).to_owned())));
    }
    let mut count = 0usize;
    for record in reading.records.iter().filter(|r| within(r)) {
        count += 1;
        match args.format {
            Format::Jsonl => page.json_line(record),
            Format::Csv => page.own(&csv(record)),
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    if count == 0 {
        return Err(Failure::not("no record lies in that span"));
    }
    Ok(Exit::Done)
}

/// A record as a line of CSV, without the line's end.
fn csv(record: &Value) -> String {
    row(COLUMNS.iter().map(|column| match *column {
        "time" => match record.get("ts").and_then(Value::as_u64) {
            Some(ts) => when::local(ts, &TimeZone::UTC),
            None => String::new(),
        },
        "command" => super::command(record),
        other => match record.get(other) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            Some(value) => value.to_string(),
        },
    }))
}

/// RFC 4180, with CR LF. Foreign bytes are made visible, so that a cell is one line.
fn row(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(|c| cell(&c)).collect();
    cells.join(",") + "\r\n"
}

fn cell(text: &str) -> String {
    let mut shown = Shown::text(text.as_bytes()).into_string();
    // A spreadsheet would take it for a formula, and a command is what somebody else chose.
    if shown.starts_with(['=', '+', '-', '@']) {
        shown.insert(0, '\'');
    }
    if shown.contains([',', '"', ' ']) { format!("\"{}\"", shown.replace('"', "\"\"")) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn cells() {
        for (text, cell_) in [
            ("", ""),
            ("git", "git"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("a\r\nb\x1b[2J", "a\\r\\nb\\x1b[2J"),
            ("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""),
            ("-1", "'-1"),
        ] {
            assert_eq!(cell(text), cell_, "{text:?}");
        }
    }

    #[test]
    fn a_record_is_one_line_of_as_many_cells() {
        let record = json!({"ts": 0, "decision": "deny", "by": "policy", "code": "x", "findings": ["a", "b"],
            "argv": ["git", "a b"], "agent": "main", "pid": 7, "masked": false, "session": null});
        let line = csv(&record);
        assert_eq!(
            line,
            "\"1970-01-01 00:00:00+00:00\",,deny,policy,x,\"a b\",main,,\"git 'a b'\",,,,,false,,7,\r\n"
        );
    }
}
