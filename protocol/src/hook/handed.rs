//! What a tool that nobody knows here is handed: commands, by the names that such tools give them.
//!
//! Nearly all of these tools run nothing on this machine, and what they are handed is none of our business. Where the
//! name of a member says that it is a command, it is judged as one: a text, a list of words, or either of them as JSON
//! within a string. What is code in a language that is not told, and what cannot be read, is no yes.
use serde_json::{Map, Value};

use super::names::{Named, is_shell, named, plain};
use super::shape::{listed, within};
use super::{quoted, raw};

/// Members beside a command that change nothing of what runs. The words of a program are looked at with it.
const BESIDES: &str = "args arguments description explanation id label name reason servername timeout timeoutms \
    timeoutseconds title toolname";

/// Members beside a command that name the folder it runs in.
const FOLDERS: &str = "cwd directory workdir workingdir workingdirectory";

/// Names of the program whose words are `args` beside it.
const PROGRAMS: &str = "app application bin binary entrypoint exe file interpreter path process runtime";

/// Names of a running program that text is typed into.
const RUNNING: &str = "paneid pid processid ptyid shellid terminalid windowid";

/// Names of what is typed there.
const TYPED: &str = "characters chars content data input keys line lines text";

/// Names of a name whose value stands beside it, and of that value.
const NAMES: &str = "argument field key name option param parameter";
const VALUES: &str = "data val value";

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Handed {
    /// Texts for a shell.
    pub commands: Vec<String>,
    /// The folder they run in.
    pub cwd: String,
    /// Something is there that cannot be read.
    pub unread: bool,
    /// What is said besides, and may change what runs.
    pub odd: Option<String>,
    /// There is some text at all.
    text: bool,
    /// The folder was said.
    moved: bool,
}

/// Looks through the input of a tool.
pub(super) fn handed(tool: &str, input: Option<&Value>, cwd: &str) -> Handed {
    let mut out = Handed { cwd: cwd.to_owned(), ..Handed::default() };
    if let Some(input) = input {
        out.look(input);
    }
    out.unread |= out.commands.is_empty() && out.text && is_shell(tool);
    out
}

/// Not just left out or switched off.
fn set(value: &Value) -> bool {
    let empty = value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
    !(empty || matches!(value, Value::Null | Value::Bool(false)))
}

/// A list of nothing but strings.
fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
}

impl Handed {
    fn look(&mut self, value: &Value) {
        match value {
            Value::Object(all) => {
                let before = self.commands.len();
                let mut besides = Vec::new();
                for (name, v) in all.iter().filter(|(_, v)| set(v)) {
                    let so_far = self.commands.len();
                    let short = plain(name);
                    match (v, named(name)) {
                        (Value::Bool(_) | Value::Number(_), _) => {}
                        (_, Named::Code) => self.unread = true,
                        (_, Named::Command) => self.take(v, false, value),
                        (_, Named::Commands) => self.take(v, true, value),
                        _ if listed(PROGRAMS, &short) && v.is_string() && has_args(all) => {
                            self.take(v, false, value);
                        }
                        _ => self.look(v),
                    }
                    if self.commands.len() == so_far {
                        besides.push((name, short, v));
                    }
                }
                self.unread |= typed(all) || paired(all);
                if self.commands.len() > before {
                    besides.into_iter().for_each(|(name, short, v)| self.beside(name, &short, v));
                }
            }
            Value::Array(all) => all.iter().for_each(|v| self.look(v)),
            Value::String(text) => {
                self.text = true;
                match self.inner(text) {
                    Some(inner) => self.look(&inner),
                    // JSON to a reader that is less strict than this one: with a comment, or one value a line.
                    None => self.unread |= json(text).is_some_and(names_some),
                }
            }
            _ => {}
        }
    }

    /// A string that is an object or a list once more.
    fn inner(&mut self, text: &str) -> Option<Value> {
        let body = json(text)?;
        let inner = serde_json::from_str(body).ok()?;
        self.unread |= raw::twice(body);
        Some(inner)
    }

    /// What a name of a command holds, in this object.
    fn take(&mut self, value: &Value, many: bool, object: &Value) {
        let before = self.commands.len();
        match value {
            Value::String(text) => match self.inner(text) {
                Some(inner) => return self.take(&inner, many, object),
                None => self.command(text, object),
            },
            Value::Array(all) => match strings(value) {
                Some(words) if !many => self.commands.push(quoted(&words)),
                _ => all.iter().for_each(|v| self.take(v, false, &Value::Null)),
            },
            other => self.look(other),
        }
        self.unread |= self.commands.len() == before;
    }

    /// A text, with the words that stand beside it.
    fn command(&mut self, text: &str, object: &Value) {
        let mut text = text.to_owned();
        for (_, v) in object.as_object().into_iter().flatten().filter(|(n, v)| rest(n) && set(v)) {
            let inner = v.as_str().and_then(|text| self.inner(text));
            let v = inner.as_ref().unwrap_or(v);
            match (v.as_str(), strings(v)) {
                (Some(more), _) => text = [&text, " ", more].concat(),
                // As words of one program. Behind anything else than its name they could be anything.
                (None, Some(more)) if quoted(&[text.clone()]) == text => {
                    text = [&text, " ", &quoted(&more)].concat();
                }
                _ => self.unread = true,
            }
        }
        self.commands.push(text);
    }

    /// What else an object says that holds a command, or holds one that does.
    fn beside(&mut self, name: &str, short: &str, value: &Value) {
        if listed(FOLDERS, short) {
            match value.as_str().filter(|_| !self.moved) {
                Some(dir) => self.cwd = within(&self.cwd, dir),
                None => self.unread = true,
            }
            self.moved = true;
        } else if !listed(BESIDES, short) {
            self.odd = Some(super::shape::unknown(name));
        }
    }
}

/// True if a member holds the words of the program beside it.
fn rest(name: &str) -> bool {
    listed("args arguments", &plain(name))
}

/// True if an object has words for a program.
fn has_args(all: &Map<String, Value>) -> bool {
    all.iter()
        .any(|(name, v)| rest(name) && (v.is_string() || strings(v).is_some_and(|words| !words.is_empty())))
}

/// True if an object has a member of one of these names that is a string, or a list.
fn holds(all: &Map<String, Value>, names: &str) -> bool {
    all.iter().any(|(name, v)| listed(names, &plain(name)) && (v.is_string() || v.is_array()) && set(v))
}

/// Text for a program that runs already: `{"pid": 7, "input": "…"}`.
fn typed(all: &Map<String, Value>) -> bool {
    all.iter().any(|(name, v)| listed(RUNNING, &plain(name)) && set(v)) && holds(all, TYPED)
}

/// The name of a command with its value beside it: `{"key": "command", "value": "…"}`.
fn paired(all: &Map<String, Value>) -> bool {
    let tells = |v: &Value| v.as_str().is_some_and(|name| name.len() < 64 && named(name) != Named::Other);
    all.iter().any(|(name, v)| listed(NAMES, &plain(name)) && tells(v)) && holds(all, VALUES)
}

/// What stands in a text that begins as JSON does, with the marks round it that its readers pass over.
fn json(text: &str) -> Option<&str> {
    let bare = |text: &'_ str| -> usize {
        text.len() - text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len()
    };
    let mut body = text.get(bare(text)..)?;
    if let Some(fenced) = body.strip_prefix("```") {
        let (_, inside) = fenced.split_once('\n')?;
        body = inside.get(bare(inside)..)?;
        body = body.trim_end().strip_suffix("```").unwrap_or(body);
    }
    body.starts_with(['{', '[']).then_some(body)
}

/// True if a text that is nearly JSON has a member with the name of a command.
fn names_some(text: &str) -> bool {
    let object = text.starts_with('{');
    text.split(':').any(|piece| {
        let piece = piece.trim_end();
        let bare = piece.trim_end_matches(['"', '\'', '\\']);
        let within = |c: char| c.is_alphanumeric() || "_-[]$.".contains(c);
        let name = bare.rsplit(|c| !within(c)).next().unwrap_or_default();
        (object || bare.len() < piece.len()) && named(name) != Named::Other
    })
}
