//! One table of ours in a TOML file that is somebody else's: put at the end, and taken out again.
//!
//! Text is added and cut; the parser only says where things are, and has to agree with what comes out.
use toml_edit::{Document, Item, TableLike};

use super::json::Put;

/// A table with one key in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Names of the tables from the root.
    pub table: Vec<String>,
    /// The key.
    pub key: String,
    /// Its text.
    pub value: String,
}

fn read(text: &str) -> Result<Document<&str>, String> {
    Document::parse(text).map_err(|e| {
        let first = e.to_string();
        format!("cannot be read as TOML: {}", first.lines().next().unwrap_or_default())
    })
}

fn table<'t>(root: &'t dyn TableLike, names: &[String]) -> Option<&'t dyn TableLike> {
    names.iter().try_fold(root, |table, name| table.get(name).and_then(Item::as_table_like))
}

/// The text of a key in a table, if it is there.
///
/// # Errors
/// The text is no TOML.
pub fn get(text: &str, tables: &[String], key: &str) -> Result<Option<String>, String> {
    let doc = read(text)?;
    Ok(table(doc.as_table(), tables).and_then(|t| t.get(key)).and_then(Item::as_str).map(str::to_owned))
}

/// A switch in a table, if it is there.
///
/// # Errors
/// The text is no TOML.
pub fn flag(text: &str, tables: &[&str], key: &str) -> Result<Option<bool>, String> {
    let doc = read(text)?;
    let tables: Vec<String> = tables.iter().map(|t| (*t).to_owned()).collect();
    Ok(table(doc.as_table(), &tables).and_then(|t| t.get(key)).and_then(Item::as_bool))
}

/// The text with the row in it, and what was put. Another value of ours is replaced.
///
/// # Errors
/// The text is no TOML, or has no place for it.
pub fn put(text: &str, row: &Row) -> Result<(String, Put), String> {
    let doc = read(text)?;
    let there = table(doc.as_table(), &row.table).and_then(|t| t.get(&row.key));
    let none = || Put { text: String::new(), from: 0 };
    if let Some(item) = there {
        if item.as_str() == Some(row.value.as_str()) {
            return Ok((text.to_owned(), none()));
        }
        let span = item.span().ok_or("has our key where it cannot be changed")?;
        let before = text.get(..span.start).unwrap_or_default();
        let after = text.get(span.end..).unwrap_or_default();
        return checked(format!("{before}{}{after}", quoted(&row.value)), row).map(|t| (t, none()));
    }
    let names: Vec<String> = row.table.iter().map(|n| name(n)).collect();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let gap = if text.trim().is_empty() { "" } else { "\n" };
    let added = format!("{end}{gap}[{}]\n{} = {}\n", names.join("."), name(&row.key), quoted(&row.value));
    checked(format!("{text}{added}"), row).map(|t| (t, Put { text: added, from: 0 }))
}

fn checked(text: String, row: &Row) -> Result<String, String> {
    match get(&text, &row.table, &row.key) {
        Ok(Some(value)) if value == row.value => Ok(text),
        Ok(_) => Err("has no place for our table".into()),
        Err(e) => Err(format!("has no place for our table: {e}")),
    }
}

/// The text without the row; `None` if it is not there.
///
/// # Errors
/// The text is no TOML any more.
pub fn take(text: &str, row: &Row, put: &Put) -> Result<Option<String>, String> {
    if get(text, &row.table, &row.key)?.is_none() {
        return Ok(None);
    }
    if let Some(at) = text.rfind(&put.text).filter(|_| !put.text.is_empty()) {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + put.text.len()..).unwrap_or_default();
        // What was written behind it needs the end of line in front.
        let end = if after.is_empty() || before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let rest = format!("{before}{end}{after}");
        if get(&rest, &row.table, &row.key).is_ok_and(|v| v.is_none()) {
            return Ok(Some(rest));
        }
    }
    let doc = read(text)?;
    let holder = table(doc.as_table(), &row.table).ok_or("has lost our table")?;
    let span = holder.get(&row.key).and_then(Item::span).ok_or("has our key where it cannot be taken out")?;
    let line = |at: usize| text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
    let mut start = line(span.start);
    let above = line(start.saturating_sub(1));
    // With its head, if nothing else is in it.
    if holder.len() == 1
        && start > 0
        && text.get(above..start).is_some_and(|l| l.trim_start().starts_with('['))
    {
        start = above;
    }
    let end = text.get(span.end..).and_then(|t| t.find('\n')).map_or(text.len(), |n| span.end + n + 1);
    let rest = format!("{}{}", text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    match get(&rest, &row.table, &row.key) {
        Ok(None) => Ok(Some(rest)),
        _ => Err("has our key where it cannot be taken out".into()),
    }
}

/// A key as TOML writes it.
fn name(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { quoted(key) }
}

/// A basic string (TOML 1.0, String): the escapes of JSON are among its own.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: &str) -> Row {
        Row {
            table: vec!["hooks".into(), "state".into(), "/home/a b/hooks.json:pre_tool_use:0:0".into()],
            key: "trusted_hash".into(),
            value: value.into(),
        }
    }

    #[test]
    fn out_is_the_inverse_of_in() {
        for text in [
            "",
            "\n",
            "# mine",
            "model = \"x\"\n",
            "a = 1\n[projects.\"/x\"]\ntrust_level = \"trusted\" # yes",
            "[hooks.state.\"other\"]\ntrusted_hash = \"1\"\n",
            "[[hooks.PreToolUse]]\nmatcher = \"x\"\n",
            "[features]\r\nhooks = true\r\n",
        ] {
            let (with, what) = put(text, &row("sha256:1")).unwrap_or_else(|e| panic!("{text:?}: {e}"));
            assert!(with.starts_with(text));
            assert_eq!(put(&with, &row("sha256:1")).unwrap().0, with);
            assert_eq!(take(&with, &row(""), &what).unwrap().as_deref(), Some(text), "{with:?}");
            assert_eq!(take(text, &row(""), &what).unwrap(), None);
            let (newer, _) = put(&with, &row("sha256:2")).unwrap();
            assert_eq!(newer, with.replace("sha256:1", "sha256:2"));
            // Taken out by its name, where it is not as it was written.
            assert_eq!(take(&newer, &row(""), &what).unwrap().unwrap().trim_end(), text.trim_end());
            // What was written behind it stays.
            let more = format!("{with}[later]\nx = 1\n");
            let rest = take(&more, &row(""), &what).unwrap().unwrap();
            assert!(rest.starts_with(text) && rest.ends_with("[later]\nx = 1\n"), "{rest:?}");
        }
    }

    #[test]
    fn what_has_no_place_for_it_is_refused() {
        for text in ["a = ", "hooks = 1\n", "hooks = { state = {} }\n", "[hooks]\nstate = 1\n"] {
            assert!(put(text, &row("x")).is_err(), "{text}");
        }
    }
}
