//! What a tool that nobody knows here is handed: commands, by the names that such tools give them.
//!
//! Nearly all of these tools run nothing on this machine, and what they are handed is none of our business. Where the
//! name of a member says that it is a command, it is judged as one: a text, a list of words, or either of them as JSON
//! within a string. What is code in a language that is not told, and what cannot be read, is no yes.
use serde_json::Value;

use super::shape::{listed, within};
use super::{quoted, raw};

/// What a name ends with that holds shell text, or a program with its words: `command`, `shellCommand`, `run_cmd` …
const COMMAND: &str = "command cmd cmdline commandline argv shell bash";

/// The same for several of them: each string of a list is one.
const COMMANDS: &str = "commands cmds commandlines cmdlines";

/// Whole names for a command whose last word says nothing: a name that only ends so is mostly something else
/// (`dry_run`, `tv_program`).
const WHOLE: &str = "commandstring commandtext commandtorun exec execute executable program run sh shellscript \
    bashscript toexecute zsh";

/// Whole names of code. Its language is not known, and what is harmless to one reader is a program to another.
const CODE: &str = "code javascript powershell pwsh python script scriptbody scripts scripttext sourcecode stdin \
    toolcalls";

/// Members beside a command that change nothing of what runs. The words of a program are looked at with it.
const BESIDES: &str = "args arguments description explanation id label name reason servername timeout timeoutms \
    timeoutseconds title toolname";

/// Members beside a command that name the folder it runs in.
const FOLDERS: &str = "cwd directory workdir workingdir workingdirectory";

/// Words of a tool's name by which it is a shell: what it is handed may be typed there, whatever it is called.
const SHELLS: &str = "bash cmd exec powershell pty pwsh sh shell ssh stdin terminal tmux tty zsh";

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
    // Behind the server's name, where that is part of it.
    let own = tool.rsplit("__").next().unwrap_or(tool);
    out.unread |= out.commands.is_empty() && out.text && is_shell(own);
    out
}

/// A name without what its writers differ in.
fn plain(name: &str) -> String {
    let mut out = String::new();
    for b in name.bytes().filter(u8::is_ascii_alphanumeric) {
        out.push(char::from(b.to_ascii_lowercase()));
    }
    out
}

/// True if a word of a tool's name is that of a shell, in whatever way its words are set apart.
fn is_shell(tool: &str) -> bool {
    let (mut spaced, mut small) = (String::new(), false);
    for b in tool.bytes() {
        if !b.is_ascii_alphabetic() || (small && b.is_ascii_uppercase()) {
            spaced.push(' ');
        }
        if b.is_ascii_alphabetic() {
            spaced.push(char::from(b.to_ascii_lowercase()));
        }
        small = b.is_ascii_lowercase();
    }
    spaced.split_ascii_whitespace().any(|word| listed(SHELLS, word))
}

fn ends(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| name.ends_with(n))
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
                    let many = ends(COMMANDS, &short);
                    match v {
                        Value::Bool(_) | Value::Number(_) => {}
                        _ if listed(CODE, &short) => self.unread = true,
                        _ if many || ends(COMMAND, &short) || listed(WHOLE, &short) => {
                            self.take(v, many, value);
                        }
                        _ => self.look(v),
                    }
                    if self.commands.len() == so_far {
                        besides.push((name, short, v));
                    }
                }
                if self.commands.len() > before {
                    besides.into_iter().for_each(|(name, short, v)| self.beside(name, &short, v));
                }
            }
            Value::Array(all) => all.iter().for_each(|v| self.look(v)),
            Value::String(text) => {
                self.text = true;
                if let Some(inner) = self.inner(text) {
                    self.look(&inner);
                }
            }
            _ => {}
        }
    }

    /// A string that is an object or a list once more.
    fn inner(&mut self, text: &str) -> Option<Value> {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let inner = serde_json::from_str(text).ok()?;
        self.unread |= raw::twice(text);
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
