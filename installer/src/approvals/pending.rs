//! `approvals pending`: the questions that wait, with everything that a person has to know.
//!
//! As at the terminal's prompt, each line begins with a label of ours or with blanks and a bar, so that no command can
//! draw a field.
use protocol::Code;
use protocol::Shown;
use protocol::ask::{WireFinding, WireQuestion};
use protocol::operator::{Answer, Command, Row, State};
use serde_json::Value;

use crate::cli::Pending;
use crate::exit::{Exit, Failure};
use crate::operator::{Address, Operator, Trouble, unexpected};
use crate::say::{Page, Tint};

/// Questions that are shown whole where none is named; the others are a line each.
const MAX_WHOLE: usize = 20;
/// Digits of an id that are shown at least.
const SHORT: usize = 8;

/// Does it.
///
/// # Errors
/// No approver is running, or no question is like that.
pub fn run(args: &Pending) -> Result<Exit, Failure> {
    let mut operator = Operator::open(&Address::known()?)?;
    let now = sys::time::now_ms();
    let mut page = Page::new();
    if let Some(id) = &args.id {
        let (row, question) = show(&mut operator, id)?;
        if args.json {
            page.json(&json(&row, Some(&question)));
        } else {
            print(&row, &question, &row.id, now, &mut page);
        }
    } else {
        let rows = list(&mut operator)?;
        let mut objects = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let id = shortest(row, &rows);
            if !args.json && at >= MAX_WHOLE {
                page.line(line(row, id, now));
                continue;
            }
            match show(&mut operator, &row.id) {
                Ok((row, question)) if args.json => objects.push(json(&row, Some(&question))),
                Ok((row, question)) => {
                    if at > 0 {
                        page.line("");
                    }
                    print(&row, &question, id, now, &mut page);
                }
                // Answered or gone since it was listed.
                Err(Trouble::Refused(Code::Unknown, _)) => {}
                Err(e) => return Err(e.into()),
            }
        }
        match (args.json, rows.len()) {
            (true, _) => page.json(&Value::Array(objects)),
            (false, 0) => page.line("no question waits"),
            (false, _) => {}
        }
    }
    page.print().map_err(|e| Failure::trouble(format!("stdout: {e}")))?;
    Ok(Exit::Done)
}

/// Every question that waits, oldest first.
///
/// # Errors
/// Those of the conversation.
pub fn list(operator: &mut Operator) -> Result<Vec<Row>, Failure> {
    let mut out: Vec<Row> = Vec::new();
    loop {
        let after = out.last().map(|r| r.id.clone());
        match operator.ask(&Command::List { all: false, after })? {
            Answer::Questions { rows, more } => {
                // An approver that gives the same ones again would be listened to for ever.
                let more = more && !rows.is_empty();
                out.extend(rows.into_iter().filter(|r| r.state == State::Waiting));
                if !more {
                    break;
                }
            }
            _ => return Err(unexpected()),
        }
    }
    out.sort_by(|a, b| (a.asked_at_ms, &a.id).cmp(&(b.asked_at_ms, &b.id)));
    Ok(out)
}

/// One question whole.
///
/// # Errors
/// Those of the conversation; the question does not hold together.
pub fn show(operator: &mut Operator, id: &str) -> Result<(Row, WireQuestion), Trouble> {
    match operator.ask(&Command::Show { id: id.to_owned() })? {
        Answer::Question { row, request } => match WireQuestion::parse(&request) {
            Ok(question) => Ok((row, question)),
            Err(e) => Err(Trouble::Other(format!("the question {id} does not hold together: {e}"))),
        },
        _ => Err(Trouble::Other("the approver answered something else than was asked".into())),
    }
}

/// As much of an id as tells it from the others.
fn shortest<'a>(row: &'a Row, all: &[Row]) -> &'a str {
    let fits = |n: &usize| {
        row.id.get(..*n).is_some_and(|short| !all.iter().any(|o| o.id != row.id && o.id.starts_with(short)))
    };
    let short = (SHORT..row.id.len()).find(fits).and_then(|n| row.id.get(..n));
    short.unwrap_or(&row.id)
}

/// For programs: the row with the question in it.
pub fn json(row: &Row, question: Option<&WireQuestion>) -> Value {
    let mut value = row.to_json();
    if let (Some(fields), Some(question)) = (value.as_object_mut(), question) {
        fields.insert("question".into(), question.to_json());
    }
    value
}

/// One line of it.
pub fn line(row: &Row, id: &str, now_ms: u64) -> String {
    let cut = if row.cut { " …" } else { "" };
    format!("{id}  {:<9}  {}  {}{cut}", state(row, now_ms), row.agent, row.command)
}

/// How it stands, in a word or two.
pub fn state(row: &Row, now_ms: u64) -> String {
    match (row.state, row.choice) {
        (State::Waiting, _) => format!("{} left", span(row.expires_at_ms.saturating_sub(now_ms))),
        (State::Answered, Some(choice)) => protocol::message::choice_word(choice).to_owned(),
        (other, _) => other.word().to_owned(),
    }
}

/// Milliseconds for people.
pub fn span(ms: u64) -> String {
    let s = ms / 1000;
    match (s / 3600, s / 60 % 60, s % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) if m < 10 => format!("{m} min {s} s"),
        (0, m, _) => format!("{m} min"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// Everything that a person has to know.
fn print(row: &Row, q: &WireQuestion, id: &str, now_ms: u64, page: &mut Page) {
    let asked = span(now_ms.saturating_sub(row.asked_at_ms));
    page.tinted(Tint::Bold, format!("{id}  asked {asked} ago, {}", state(row, now_ms)));
    let mut field = |label: &str, lines: Vec<String>| {
        for (at, line) in lines.iter().enumerate() {
            page.line(format!("  {:<8}| {line}", if at == 0 { label } else { "" }));
        }
    };
    for (label, lines) in facts(q) {
        field(label, lines);
    }
    let mut answers = vec![format!("exec-guardctl approvals resolve {id} allow-once")];
    match &q.always {
        Ok(proposals) => {
            for p in proposals {
                let entries: Vec<String> =
                    p.entries.iter().map(|e| protocol::ask::entry_json(e).to_string()).collect();
                answers.push(format!(
                    "… allow-always --scope {}: stores {}",
                    p.scope.word(),
                    entries.join(" ")
                ));
            }
        }
        Err(why) => answers.push(format!("allow-always is not offered: {why}")),
    }
    answers.push("… deny [--reason TEXT]".into());
    field("answer", answers);
    if row.detached {
        field("note", vec!["whoever asked does not wait".into()]);
    }
}

/// What would run, where, for whom, and why somebody is asked: labels of ours, and lines.
pub fn facts(q: &WireQuestion) -> Vec<(&'static str, Vec<String>)> {
    let text = |bytes: &[u8]| Shown::text(bytes).into_string();
    let mut program = text(&q.found);
    if q.real != q.found {
        program = format!("{program} -> {}", text(&q.real));
    }
    let inner = q.segments.iter().filter(|s| s.satisfied_by.is_none());
    let mut parts: Vec<String> = inner
        .filter_map(|s| s.found.as_deref().filter(|f| *f != q.found).zip(s.real.as_deref()))
        .map(|(found, real)| match found == real {
            true => text(found),
            false => format!("{} -> {}", text(found), text(real)),
        })
        .collect();
    parts.dedup();
    let user = q.user.as_deref().map_or(String::new(), |u| format!(" ({u})"));
    let because = |f: &WireFinding| format!("[{}] {}", f.code, f.message);
    vec![
        ("command", command(q)),
        ("in", vec![q.cwd.as_deref().map_or("a folder that cannot be told".into(), text)]),
        ("program", vec![program]),
        ("runs", parts),
        ("agent", vec![q.agents.iter().map(|a| text(a.as_bytes())).collect::<Vec<_>>().join(" or ")]),
        ("session", q.session.iter().map(|s| text(s.as_bytes())).collect()),
        ("host", vec![format!("{}, user {}{user}", q.host, q.uid)]),
        (
            "policy",
            vec![
                format!("security {} ({})", q.security, q.security_from),
                format!("ask {} ({})", q.ask, q.ask_from),
            ],
        ),
        ("because", std::iter::once(&q.ground).chain(&q.findings).map(because).collect()),
    ]
}

/// The command as it will be executed. A word of several lines is named in its place and shown below.
fn command(q: &WireQuestion) -> Vec<String> {
    let mut texts = Vec::new();
    let all: Vec<String> = q
        .argv
        .iter()
        .map(|word| {
            if word.contains(&b'\n') || q.text.as_ref() == Some(word) {
                texts.push(Shown::lines(word));
                format!("<text {}>", texts.len())
            } else {
                Shown::word(word).into_string()
            }
        })
        .collect();
    if texts.is_empty() {
        return vec![Shown::argv(&q.argv).into_string()];
    }
    let mut out = vec![all.join(" ")];
    for (at, lines) in texts.into_iter().enumerate() {
        out.push(format!("text {}:", at + 1));
        out.extend(lines.into_iter().map(|l| format!("  {l}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (ms, text) in [
            (0, "0 s"),
            (59_999, "59 s"),
            (61_000, "1 min 1 s"),
            (3_599_000, "59 min"),
            (3_660_000, "1 h 1 min"),
        ] {
            assert_eq!(span(ms), text);
        }
    }
}
