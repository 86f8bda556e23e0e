//! A rule of a source as an entry of ours: words, never text that a shell would have to read.
use policy::glob::{ArgGlob, PathGlob};
use serde_json::{Map, Value};
use store::edit::List;

use super::Reader;
use crate::install::shown;

/// An entry to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Which list.
    pub list: List,
    /// Path of the program, or its name on the lists that forbid and ask.
    pub pattern: String,
    /// One glob an argument, a last `...` for any rest; `None` = any arguments.
    pub args: Option<Vec<String>>,
    /// The folder it counts in.
    pub cwd: Option<String>,
    /// The agent, where the source names one.
    pub agent: Option<String>,
    /// Further fields, as they stood in a document of the same format.
    pub more: Map<String, Value>,
}

/// What may follow the words of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing.
    None,
    /// Anything, or nothing.
    Any,
    /// At least one word.
    Some,
    /// Whatever goes on in the last word, and any words behind it.
    Joined,
}

impl Rule {
    /// The entry.
    pub fn entry(&self, note: &str) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("pattern".into(), self.pattern.clone().into());
        if let Some(args) = &self.args {
            out.insert("args".into(), args.clone().into());
        }
        if let Some(cwd) = &self.cwd {
            out.insert("cwd".into(), cwd.clone().into());
        }
        out.extend(self.more.clone());
        out.entry("note").or_insert(note.into());
        out
    }

    /// For people.
    pub fn words(&self) -> String {
        let args = match &self.args {
            Some(args) if args.is_empty() => " (no arguments)".to_owned(),
            Some(args) => args.iter().map(|a| format!(" {}", protocol::Shown::word(a.as_bytes()))).collect(),
            None => " (any arguments)".to_owned(),
        };
        let cwd = self.cwd.as_deref().map(|c| format!(", in {c}")).unwrap_or_default();
        format!("{}{args}{cwd}", self.pattern)
    }
}

/// The text of a command with `*` for anything, as agents write their rules.
///
/// # Errors
/// Why it cannot be carried over.
pub fn of_text(list: List, text: &str, rest: Rest, reader: &Reader<'_>) -> Result<Rule, String> {
    let text = text.trim();
    let (text, rest) = match rest {
        Rest::None => ending(text),
        given => (text, given),
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    if words.join(" ") != text {
        return Err("its words are not parted by single blanks".into());
    }
    of_words(list, &words, rest, reader)
}

fn ending(text: &str) -> (&str, Rest) {
    if let Some(head) = text.strip_suffix(":*") {
        return (head, Rest::Any);
    }
    if let Some(head) = text.strip_suffix(" *") {
        return (head, Rest::Some);
    }
    match text.strip_suffix('*') {
        Some(head) if !head.is_empty() => (head, Rest::Joined),
        _ => (text, Rest::None),
    }
}

/// The words of a command, a `*` in them for anything, and what may follow.
///
/// # Errors
/// Why it cannot be carried over.
pub fn of_words(list: List, words: &[&str], rest: Rest, reader: &Reader<'_>) -> Result<Rule, String> {
    let Some((program, args)) = words.split_first() else {
        return Err(everything(list));
    };
    if program.is_empty()
        || *program == "*"
        || (args.is_empty() && rest == Rest::Joined)
        || program.contains('*')
    {
        return Err(match program.trim_matches('*') {
            "" => everything(list),
            _ => "the program is not named whole".into(),
        });
    }
    for word in words {
        plain(word)?;
    }
    if program.contains('=') {
        return Err("it sets a variable".into());
    }
    let strict = list == List::Allow;
    if !strict && args.iter().any(|a| a.contains('*')) {
        return Err("`*` in the middle stands for any number of words".into());
    }
    let mut globs: Vec<String> = args.iter().map(|a| (*a).to_owned()).collect();
    match rest {
        Rest::None => {}
        Rest::Some if strict => globs.extend(["*".to_owned(), "...".to_owned()]),
        Rest::Joined => {
            globs.last_mut().map(|last| last.push('*')).unwrap_or_default();
            globs.push("...".to_owned());
        }
        // Sources compare text: what is forbidden goes on in the last word as well.
        Rest::Any | Rest::Some if !strict => {
            globs.last_mut().map(|last| last.push('*')).unwrap_or_default();
            globs.push("...".to_owned());
        }
        Rest::Any | Rest::Some => globs.push("...".to_owned()),
    }
    let args = if globs == ["..."] { None } else { Some(globs) };
    for glob in args.iter().flatten().filter(|g| *g != "...") {
        ArgGlob::new(glob).map_err(|e| format!("`{glob}` is no pattern: {e}"))?;
    }
    let pattern = if strict { path(program, reader)? } else { named(program)? };
    Ok(Rule { list, pattern, args, cwd: reader.project.clone(), agent: None, more: Map::new() })
}

fn everything(list: List) -> String {
    match list {
        List::Allow => "it would allow every program".into(),
        List::Ask => "every command: set `ask` to always".into(),
        List::Deny => "every command: set `security` to deny".into(),
    }
}

/// A word that means itself to a shell; `*` stands for anything.
fn plain(word: &str) -> Result<(), String> {
    let fine = |c: char| c.is_alphanumeric() || "_-./:=@%+,^*".contains(c);
    match word.chars().find(|c| !fine(*c)) {
        Some(c) => Err(format!("`{c}` may mean something to a shell")),
        None => Ok(()),
    }
}

/// The path of a program, which the allowlist wants.
fn path(program: &str, reader: &Reader<'_>) -> Result<String, String> {
    if program.starts_with('/') {
        if program.split('/').skip(1).any(|part| matches!(part, "" | "." | "..")) {
            return Err("its path has parts that no path of a program has".into());
        }
        return Ok(program.to_owned());
    }
    if program.contains('/') {
        return Err("its path depends on the folder".into());
    }
    let found = reader.s.behind().find(program).ok_or_else(|| format!("{program} is not in PATH here"))?;
    // The name is kept, since programs decide by it; the folders are resolved, as the guard resolves them.
    let folder = found.parent().and_then(|f| std::fs::canonicalize(f).ok());
    let found = folder.map(|f| f.join(program)).ok_or("its folder cannot be looked at")?;
    let text = found.to_str().filter(|t| !t.contains(['*', '?', '[', '{', '\\']));
    let text = text.ok_or_else(|| format!("{} cannot be written as a pattern", shown(&found)))?;
    PathGlob::new(text, None, false).map_err(|e| format!("{text}: {e}"))?;
    Ok(text.to_owned())
}

/// A program on the lists that forbid and ask: by its name, wherever it lies.
fn named(program: &str) -> Result<String, String> {
    match program.contains('/') && !program.starts_with('/') {
        true => Err("its path depends on the folder".into()),
        false => Ok(program.to_owned()),
    }
}
