//! What a tool that nobody knows here is handed: commands, by the names that such tools give them.
//!
//! Nearly all of these tools run nothing on this machine, and what they are handed is none of our business. Where the
//! name of a member says that it is a command, it is judged as one: a text, a list of words, or either of them as JSON
//! within a string. What is code in a language that is not told, and what cannot be read, is no yes.
//!
//! The other way round counts as much: most calls of such tools say nothing of commands, and a question about each issue
//! that quotes one would have people say yes unread. So a text for readers (`body`, `content`) is a text, whatever stands
//! in it, and what is nearly JSON counts by its quoted names only.
use serde_json::{Map, Value};

use super::names::{
    Named, by_whole, draws, for_readers, is_shell, named, no_code, plain, program, tells_of_a_command,
};
use super::shape::{listed, within};
use super::{quoted, raw};

/// Members beside a command that change nothing of what runs. The words of a program are looked at with it.
const BESIDES: &str = "description explanation id label name reason servername timeout timeoutms \
    timeoutseconds title toolname";

/// Members beside a command that name the folder it runs in.
const FOLDERS: &str = "cwd directory workdir workingdir workingdirectory";

/// Names of the words of the program beside them.
const ARGS: &str = "arg arglist args arguments";

/// The same where they are a list: else it is what a tool calls all that it is handed.
const PARAMS: &str = "parameters params";

/// Names that any thing has, and that are those of a program where its words are a list.
const LISTED: &str = "name target";

/// Members that hold columns of a table, by their names: `Program` is one of them as often as not.
const COLUMNS: &str = "columns fields properties record row";

/// Members that hold what is searched for in such columns. Nothing in them is run.
const SOUGHT: &str = "match matchphrase multimatch term terms";

/// Names of a running program that text is typed into.
const RUNNING: &str =
    "pane paneid pid processid pty ptyid shellid terminal terminalid terminalname tty windowid";

/// Names of what is typed there.
const TYPED: &str = "characters chars content data input keys line lines text value";

/// What is typed where only a session is named, as services of every kind have one.
const SESSION: &str = "sessionid";
const KEYED: &str = "characters chars input keys stdin";

/// Names of a name whose value stands beside it, and of that value.
const NAMES: &str = "argument field id key name option param parameter property type variable";
const VALUES: &str = "data val value values";

/// Names of the tool, or of its server, that a hub calls, and of what a tool of many uses is to do.
const HUBS: &str = "action functionname mcpserver mcptool method server servername tool toolid toolname";

/// Members of an object under a name of code that are no code.
const TOLD: &str = "format id lang language object type";

/// Switches of a browser that name a program it starts.
const SWITCHES: &str = "cmd-prefix launcher subprocess-path";

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
    /// There are names of tools or servers.
    names: bool,
    /// One of them is a shell's.
    hub: bool,
    /// The folder was said.
    moved: bool,
    /// What is called code is a drawing.
    drawn: bool,
}

/// Looks through the input of a tool.
pub(super) fn handed(tool: &str, input: Option<&Value>, cwd: &str) -> Handed {
    let mut out = Handed { cwd: cwd.to_owned(), drawn: draws(tool), ..Handed::default() };
    if let Some(input) = input {
        out.look(input);
    }
    out.unread |=
        out.commands.is_empty() && (out.text && out.hub || (out.text || out.names) && is_shell(tool));
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
        self.look_as(value, false);
    }

    /// The same; `columns`: the names are those of a table's columns.
    fn look_as(&mut self, value: &Value, columns: bool) {
        match value {
            Value::Object(all) => {
                let before = self.commands.len();
                let mut besides = Vec::new();
                let hub =
                    |(n, v): (&String, &Value)| listed(HUBS, &plain(n)) && v.as_str().is_some_and(draws);
                self.drawn |= all.iter().any(hub);
                for (name, v) in all.iter().filter(|(_, v)| set(v)) {
                    let so_far = self.commands.len();
                    let short = plain(name);
                    match (v, named(name)) {
                        (Value::Bool(_) | Value::Number(_), _) => {}
                        (Value::Object(_), _) if listed(SOUGHT, &short) => self.text = true,
                        (Value::Object(_), _) if listed(COLUMNS, &short) => self.look_as(v, true),
                        (Value::String(_), _) if columns && by_whole(name) => self.text = true,
                        (Value::String(_), Named::Code) if self.drawn => self.text = true,
                        (_, Named::Code) => self.code(name, v),
                        (Value::Object(_), Named::Command) if by_whole(name) => self.holder(v),
                        (_, Named::Command) => self.take(v, false, value),
                        (_, Named::Commands) => self.take(v, true, value),
                        (Value::String(_), _) if is_program(name, &short, all) => {
                            self.take(v, false, value);
                        }
                        (Value::String(at), _)
                            if (listed(HUBS, &short) || calls(&short, all)) && a_name(at) =>
                        {
                            self.names = true;
                            self.hub |= is_shell(at);
                        }
                        (Value::String(at), _) if short == "uri" => {
                            self.text = true;
                            self.hub |= is_at_a_shell(at);
                        }
                        _ if for_readers(name) => self.text(v),
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
                self.unread |=
                    text.starts_with("--") && SWITCHES.split_ascii_whitespace().any(|s| text.contains(s));
                match self.inner(text) {
                    Some(inner) => self.look(&inner),
                    // JSON to a reader that is less strict than this one: with a comment, or one value a line.
                    None => self.unread |= json(text).is_some_and(names_some),
                }
            }
            _ => {}
        }
    }

    /// A text for readers, or several: what is no text is looked through.
    fn text(&mut self, value: &Value) {
        match value {
            Value::String(_) => self.text = true,
            Value::Array(all) => all.iter().for_each(|v| self.text(v)),
            other => self.look(other),
        }
    }

    /// What a name of code holds.
    fn code(&mut self, name: &str, value: &Value) {
        match value {
            _ if plain(name) == "toolcalls" => self.unread = true,
            Value::String(text) => self.unread |= !no_code(name, text),
            Value::Array(all) => all.iter().for_each(|v| self.code(name, v)),
            Value::Object(_) => self.holder(value),
            _ => {}
        }
    }

    /// An object where a text was thought of: a field of a table that is called so, or a block of a page. It is looked
    /// through, and what it says itself is read as little as the text would be.
    fn holder(&mut self, value: &Value) {
        let says = |(name, v): (&String, &Value)| {
            let texts = v.is_string() || strings(v).is_some();
            let told = listed(TOLD, &plain(name)) && v.as_str().is_some_and(a_name);
            texts && set(v) && !told
        };
        self.unread |= value.as_object().into_iter().flatten().any(says);
        self.look(value);
    }

    /// A string that is an object or a list once more, or a string that is.
    fn inner(&mut self, text: &str) -> Option<Value> {
        let bare = bare(text);
        let within: Option<String> =
            if bare.starts_with('"') { Some(serde_json::from_str(bare).ok()?) } else { None };
        let body = json(within.as_deref().unwrap_or(text))?;
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
        for (_, v) in object.as_object().into_iter().flatten().filter(|(n, v)| rest(n, v) && set(v)) {
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
        } else if !listed(BESIDES, short) && !rest(name, value) {
            self.odd = Some(super::shape::unknown(name));
        }
    }
}

/// True if a member holds the words of the program beside it.
fn rest(name: &str, value: &Value) -> bool {
    let name = plain(name);
    listed(ARGS, &name) || (listed(PARAMS, &name) && strings(value).is_some())
}

/// True if a text can be the name of a tool or a server, and no address.
fn a_name(text: &str) -> bool {
    text.len() <= 128 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
}

/// True if a name is that of a tool, by what it is called with: `{"name": "…", "arguments": {…}}`, as in a call of MCP's.
fn calls(name: &str, all: &Map<String, Value>) -> bool {
    let with = |n: &str| listed(ARGS, n) || listed(PARAMS, n) || listed("input toolinput", n);
    name == "name" && all.iter().any(|(n, v)| v.is_object() && with(&plain(n)))
}

/// True if an address is one at a program that is typed into: `tmux://pane/1`. What is fetched by `ssh://` is none.
fn is_at_a_shell(uri: &str) -> bool {
    uri.split_once("://").is_some_and(|(scheme, _)| scheme != "ssh" && a_name(scheme) && is_shell(scheme))
}

/// True if a member is a program with its words beside it.
fn is_program(name: &str, short: &str, all: &Map<String, Value>) -> bool {
    let is_list = |(n, v): (&String, &Value)| rest(n, v) && strings(v).is_some_and(|words| !words.is_empty());
    (program(name) && has_args(all)) || (listed(LISTED, short) && all.iter().any(is_list))
}

/// True if an object has words for a program.
fn has_args(all: &Map<String, Value>) -> bool {
    all.iter().any(|(name, v)| {
        rest(name, v) && (v.is_string() || strings(v).is_some_and(|words| !words.is_empty()))
    })
}

/// True if an object has a member of one of these names that is a string, or a list.
fn holds(all: &Map<String, Value>, names: &str) -> bool {
    all.iter().any(|(name, v)| listed(names, &plain(name)) && (v.is_string() || v.is_array()) && set(v))
}

/// Text for a program that runs already: `{"pid": 7, "input": "…"}`.
fn typed(all: &Map<String, Value>) -> bool {
    let named = |names: &str| all.iter().any(|(name, v)| listed(names, &plain(name)) && set(v));
    (named(RUNNING) && holds(all, TYPED)) || (named(SESSION) && holds(all, KEYED))
}

/// The name of a command with its value beside it: `{"key": "command", "value": "…"}`.
fn paired(all: &Map<String, Value>) -> bool {
    let tells = |v: &Value| v.as_str().is_some_and(tells_of_a_command);
    all.iter().any(|(name, v)| listed(NAMES, &plain(name)) && tells(v)) && holds(all, VALUES)
}

/// A text without what readers of JSON pass over before it.
fn bare(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// A text that begins as JSON does.
fn json(text: &str) -> Option<&str> {
    Some(bare(text)).filter(|body| body.starts_with(['{', '[']))
}

/// True if a text that is nearly JSON has a quoted member with the name of a command. One that is not quoted is some
/// other notation: `{code:java}`, `{ country(code: "US") }`.
fn names_some(text: &str) -> bool {
    text.split(':').any(|piece| {
        let piece = piece.trim_end();
        let bare = piece.trim_end_matches(['"', '\'', '\\']);
        let name = bare.rsplit(['"', '\'']).next().unwrap_or_default();
        if bare.len() == piece.len() || name.len() > 64 {
            return false;
        }
        let decoded = serde_json::from_str::<String>(&format!("\"{name}\""));
        named(decoded.as_deref().unwrap_or(name)) != Named::Other
    })
}
