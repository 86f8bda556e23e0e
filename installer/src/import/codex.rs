//! Codex: rules/*.rules, calls of `prefix_rule` in Starlark. Only calls with plain texts and lists in them are read; what else
//! stands in such a file is named and left out.
//!
//! ```text
//! prefix_rule(pattern = ["git", ["status", "log"]], decision = "allow")   # git status …, git log …
//! ```
use store::edit::List;

use super::rule::{Rest, of_words};
use super::{Bars, Line, Reader, told};

/// Most entries that one rule comes to.
const MOST: usize = 64;

/// Reads it.
pub fn read(text: &str, reader: &Reader<'_>) -> Vec<Line> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let mut scan = Scan { text: rest, at: 0 };
        scan.blank();
        if scan.rest().is_empty() {
            return out;
        }
        let begin = scan.at;
        match scan.call() {
            Ok(call) => {
                let shown = rest.get(begin..scan.at).unwrap_or_default();
                out.extend(call.lines(&one_line(shown), reader));
                at += scan.at;
            }
            Err(why) => {
                // On from the next line that begins at its first column.
                let mut end = begin;
                for line in scan.text.get(begin..).unwrap_or_default().split_inclusive('\n') {
                    if end > begin && !line.starts_with([' ', '\t', ')', ']', '\n', '\r']) {
                        break;
                    }
                    end += line.len();
                }
                let statement = rest.get(begin..end).unwrap_or_default();
                // Where it ends cannot be told: what looks like a rule behind it may be a part of it.
                let goes_on = |l: &str| l.trim_end_matches(['\r', '\n']).ends_with('\\');
                let odd = |q: &str| statement.matches(q).count() % 2 == 1;
                let open = odd("\"\"\"") || odd("'''") || statement.lines().any(goes_on);
                if open {
                    let text = told(List::Ask, &one_line(statement)).replacen("ask ", "", 1);
                    out.push(Line::bar(text, "where it ends is not followed, and nothing behind it is read"));
                    return out;
                }
                let text = told(List::Ask, &one_line(statement)).replacen("ask ", "", 1);
                out.push(Line { text, rule: Err(why), bars: bars(statement) });
                at += end;
            }
        }
    }
}

/// What a statement that is not read may have forbidden: anything, unless it plainly makes no rule about commands.
fn bars(statement: &str) -> Bars {
    let begin = statement.trim_start();
    let name = begin.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(begin.len());
    let after = begin.get(name..).unwrap_or_default().trim_start();
    let assigned = name > 0 && after.starts_with('=') && !after.starts_with("==");
    let other = ["host_executable(", "network_rule("].iter().any(|n| begin.starts_with(n));
    match (assigned || other) && !statement.contains("prefix_rule") {
        true => Bars::Nothing,
        false => Bars::Everything,
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// A text, or a list of values.
#[derive(Clone, Debug, PartialEq)]
enum Is {
    Text(String),
    List(Vec<Is>),
}

/// `prefix_rule(NAME = VALUE, …)`.
#[derive(Debug)]
struct Call(Vec<(String, Is)>);

impl Call {
    fn get(&self, name: &str) -> Option<&Is> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, v)| v)
    }

    /// True if each command under `match` begins as one of the rows does, and none under `not_match`.
    fn examples_hold(&self, rows: &[Vec<&str>]) -> bool {
        let holds = |name: &str, want: bool| match self.get(name) {
            None => true,
            Some(Is::Text(_)) => false,
            Some(Is::List(examples)) => examples.iter().all(|example| {
                let words: Option<Vec<String>> = match example {
                    Is::Text(text) => shell_words::split(text).ok(),
                    Is::List(words) => words
                        .iter()
                        .map(|w| match w {
                            Is::Text(word) => Some(word.clone()),
                            Is::List(_) => None,
                        })
                        .collect(),
                };
                let begins = |words: &[String], row: &[&str]| {
                    words.len() >= row.len() && words.iter().zip(row).all(|(a, b)| a == b)
                };
                words.is_some_and(|words| rows.iter().any(|row| begins(&words, row)) == want)
            }),
        };
        holds("match", true) && holds("not_match", false)
    }

    fn lines(&self, text: &str, reader: &Reader<'_>) -> Vec<Line> {
        let first = match self.get("pattern") {
            Some(Is::List(words)) => match words.first() {
                Some(Is::Text(word)) => word.as_str(),
                _ => "",
            },
            _ => "",
        };
        let fail = |list, why: &str| vec![Line::new(list, told(list, text), first, Err(why.into()))];
        let list = match self.get("decision") {
            None => List::Allow,
            Some(Is::Text(word)) if word == "allow" => List::Allow,
            Some(Is::Text(word)) if word == "prompt" => List::Ask,
            Some(Is::Text(word)) if word == "forbidden" => List::Deny,
            Some(_) => {
                return fail(List::Deny, "its decision is not known here");
            }
        };
        let known = ["pattern", "decision", "justification", "match", "not_match"];
        if self.0.iter().any(|(n, _)| !known.contains(&n.as_str())) {
            return fail(list, "it has an argument that is not known here");
        }
        let Some(Is::List(pattern)) = self.get("pattern") else { return fail(list, "it has no pattern") };
        // One row for each choice of alternatives.
        let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
        for element in pattern {
            let choices: Vec<&str> = match element {
                Is::Text(word) => vec![word],
                Is::List(words) => {
                    let words: Option<Vec<&str>> = words
                        .iter()
                        .map(|w| match w {
                            Is::Text(word) => Some(word.as_str()),
                            Is::List(_) => None,
                        })
                        .collect();
                    match words {
                        Some(words) if !words.is_empty() => words,
                        _ => return fail(list, "its pattern is not made of words"),
                    }
                }
            };
            rows = rows
                .iter()
                .flat_map(|r| choices.iter().map(move |c| [r.as_slice(), &[*c]].concat()))
                .collect();
            if rows.len() > MOST {
                return fail(list, "it comes to more entries than a person would read");
            }
        }
        // Codex loads nothing of a file of which an example does not hold.
        if !self.examples_hold(&rows) {
            return vec![Line::bar(told(list, text), "one of its examples does not hold")];
        }
        let line = |row: Vec<&str>| {
            let star = row.iter().any(|w| w.contains('*'));
            let rule = match star {
                true => Err("`*` may mean something to a shell".into()),
                false => of_words(list, &row, Rest::Any, reader),
            };
            Line::new(list, told(list, &row.join(" ")), row.first().unwrap_or(&""), rule)
        };
        rows.into_iter().map(line).collect()
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Past blanks, line ends and comments.
    fn blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn take(&mut self, what: &str) -> bool {
        self.blank();
        let there = self.rest().starts_with(what);
        if there {
            self.at += what.len();
        }
        there
    }

    fn name(&mut self) -> Option<&'a str> {
        self.blank();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest.get(..end).filter(|n| !n.is_empty())?;
        self.at += end;
        Some(name)
    }

    fn call(&mut self) -> Result<Call, String> {
        match self.name() {
            Some("prefix_rule") if self.take("(") => {}
            _ => return Err("only plain calls of prefix_rule are read".into()),
        }
        let mut out = Vec::new();
        while !self.take(")") {
            let name = self.name().filter(|_| self.take("=")).ok_or("an argument without a name")?;
            if out.iter().any(|(n, _)| n == name) {
                return Err(format!("`{name}` is there twice"));
            }
            let value = self.value(0)?;
            out.push((name.to_owned(), value));
            if !self.take(",") {
                if self.take(")") {
                    break;
                }
                return Err("it is not made of plain texts and lists".into());
            }
        }
        // What goes on in the line makes it something else.
        let line = self.rest().split('\n').next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with('#') { Ok(Call(out)) } else { Err("more than a call".into()) }
    }

    fn value(&mut self, depth: usize) -> Result<Is, String> {
        if depth > 4 {
            return Err("lists in lists in lists".into());
        }
        if self.take("[") {
            let mut out = Vec::new();
            while !self.take("]") {
                out.push(self.value(depth + 1)?);
                if !self.take(",") {
                    if self.take("]") {
                        break;
                    }
                    return Err("it is not made of plain texts and lists".into());
                }
            }
            return Ok(Is::List(out));
        }
        let mark = match self.rest().chars().next() {
            Some(c @ ('"' | '\'')) => c,
            _ => return Err("it is not made of plain texts and lists".into()),
        };
        let body = self.rest().get(1..).unwrap_or_default();
        let end = body.find([mark, '\\', '\n']).ok_or("a text without an end")?;
        // Three marks, escapes and line ends: not plain.
        let after = body.get(end..).unwrap_or_default();
        if !after.starts_with(mark) || after.get(1..).is_some_and(|a| a.starts_with(mark)) {
            return Err("a text that is not plain".into());
        }
        self.at += 1 + end + 1;
        Ok(Is::Text(body.get(..end).unwrap_or_default().to_owned()))
    }
}
