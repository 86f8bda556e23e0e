//! Commands out of what people have: plain lines, shells' histories, JSON lines, agents' transcripts.
//!
//! Every line is looked at by itself, so that a file may mix them. What is none of these is counted, never guessed at.
use std::collections::BTreeSet;

use policy::Form;
use serde_json::Value;

/// A command somebody ran or wanted to run, as far as it is known. Nothing of it is believed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Command {
    /// What it is.
    pub form: Shape,
    /// The folder, if it was told.
    pub cwd: Option<Vec<u8>>,
}

/// [`Form`] with an order, so that equal commands are found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Text for a shell.
    Text {
        /// The text.
        text: Vec<u8>,
        /// The shell, if it was told.
        shell: Option<Vec<u8>>,
    },
    /// Words without a shell.
    Words(Vec<Vec<u8>>),
}

impl Shape {
    /// What is judged.
    pub fn form(&self) -> Form {
        match self {
            Shape::Text { text, shell } => {
                Form::Text { text: text.clone(), shell: shell.clone(), args: Vec::new() }
            }
            Shape::Words(argv) => Form::Program { argv: argv.clone(), by_link: false },
        }
    }
}

/// What was read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Lines that were to hold a command and do not.
    pub skipped: usize,
}

/// Reads a file.
pub fn read(bytes: &[u8]) -> Reading {
    let mut out = Reading::default();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // A file that is one JSON list.
    if text.trim_ascii_start().first() == Some(&b'[')
        && let Ok(Value::Array(items)) = serde_json::from_slice(text)
    {
        let mut transcript = Transcript::default();
        items.iter().for_each(|item| transcript.value(item, &mut out));
        return out;
    }
    lines(text, &mut out);
    out
}

/// What is known of the lines before.
enum Before {
    Nothing,
    /// A bash timestamp: all lines up to the next one are one command, if there are more than one stamp.
    Stamp,
}

fn lines(text: &[u8], out: &mut Reading) {
    let mut transcript = Transcript::default();
    let mut before = Before::Nothing;
    let mut open: Vec<u8> = Vec::new();
    let mut continued = false;
    let mut zsh = false;
    let close = |open: &mut Vec<u8>, zsh: bool, out: &mut Reading| {
        let text = std::mem::take(open);
        let text = if zsh { unmetafied(&text) } else { text };
        let text = text.trim_ascii_end();
        if !text.trim_ascii().is_empty() {
            out.commands.push(Command { form: Shape::Text { text: text.to_vec(), shell: None }, cwd: None });
        }
    };
    for line in text.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if continued {
            // The line before ended in a backslash: in a history that stands for a line end.
            open.push(b'\n');
            continued = push(line, &mut open);
            if !continued {
                close(&mut open, zsh, out);
            }
            continue;
        }
        if is_stamp(line) {
            close(&mut open, zsh, out);
            before = Before::Stamp;
            continue;
        }
        if line.first() == Some(&b'{')
            && let Ok(value @ Value::Object(_)) = serde_json::from_slice::<Value>(line)
        {
            close(&mut open, zsh, out);
            before = Before::Nothing;
            transcript.value(&value, out);
            continue;
        }
        if let Some(rest) = extended(line) {
            close(&mut open, zsh, out);
            before = Before::Nothing;
            zsh = true;
            continued = push(rest, &mut open);
            if !continued {
                close(&mut open, zsh, out);
            }
            continue;
        }
        match before {
            Before::Stamp => {
                if !open.is_empty() {
                    open.push(b'\n');
                }
                open.extend_from_slice(line);
            }
            Before::Nothing if line.trim_ascii_start().first() == Some(&b'#') => {}
            Before::Nothing => {
                continued = push(line, &mut open);
                if !continued {
                    close(&mut open, zsh, out);
                }
            }
        }
    }
    close(&mut open, zsh, out);
}

/// Adds a line without the backslash that ends it; true if there was one, so that the command goes on.
fn push(line: &[u8], open: &mut Vec<u8>) -> bool {
    let slashes = line.iter().rev().take_while(|b| **b == b'\\').count();
    // An even number is so many backslashes of the command's own.
    let goes_on = slashes % 2 == 1;
    open.extend_from_slice(if goes_on { line.strip_suffix(b"\\").unwrap_or(line) } else { line });
    goes_on
}

/// `#1700000000`: bash with HISTTIMEFORMAT. Source: bash(1), HISTORY.
fn is_stamp(line: &[u8]) -> bool {
    line.strip_prefix(b"#").is_some_and(|d| d.len() >= 9 && d.iter().all(u8::is_ascii_digit))
}

/// `: 1700000000:0;command`: zsh with EXTENDED_HISTORY. Source: zshoptions(1).
fn extended(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b": ")?;
    let at = rest.iter().position(|b| *b == b';')?;
    let (stamp, command) = rest.split_at_checked(at)?;
    let stamped = stamp.contains(&b':') && stamp.iter().all(|b| b.is_ascii_digit() || *b == b':');
    stamped.then(|| command.get(1..)).flatten()
}

/// zsh writes some bytes as 0x83 and the byte with bit 5 turned. Source: zsh, Src/utils.c, `metafy`.
fn unmetafied(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(b) = bytes.next() {
        match (*b, bytes.as_slice().first()) {
            (0x83, Some(next)) => {
                out.push(next ^ 32);
                bytes.next();
            }
            _ => out.push(*b),
        }
    }
    out
}

/// What a transcript said so far.
#[derive(Default)]
struct Transcript {
    cwd: Option<String>,
    /// Calls seen: a transcript that was resumed or streamed names a call more than once.
    calls: BTreeSet<String>,
}

impl Transcript {
    /// One record.
    fn value(&mut self, value: &Value, out: &mut Reading) {
        if let Some(text) = value.as_str() {
            push_text(text, None, None, out);
            return;
        }
        let at = |pointer: &str| value.pointer(pointer).and_then(Value::as_str);
        // Codex tells the folder of a turn, Claude Code that of every record.
        if let Some(cwd) = at("/cwd").or_else(|| at("/payload/cwd")) {
            self.cwd = Some(cwd.to_owned());
        }
        let payload = value.get("payload").unwrap_or(value);
        match payload.get("type").and_then(Value::as_str) {
            Some("function_call" | "local_shell_call" | "custom_tool_call") => self.codex(payload, out),
            _ => {
                if let Some(content) = value.pointer("/message/content") {
                    self.claude(content, out);
                } else if value.get("type").and_then(Value::as_str) == Some("tool_use") {
                    self.claude(&Value::Array(vec![value.clone()]), out);
                } else if !self.plain(value, out) && value.get("type").is_none() {
                    // A record of a transcript without a command is none that was skipped.
                    out.skipped += 1;
                }
            }
        }
    }

    /// True the first time.
    fn fresh(&mut self, id: Option<&Value>) -> bool {
        id.and_then(Value::as_str).is_none_or(|id| self.calls.insert(id.to_owned()))
    }

    /// Claude Code: blocks `{"type":"tool_use","name":"Bash","input":{"command":…}}`.
    fn claude(&mut self, content: &Value, out: &mut Reading) {
        for block in content.as_array().into_iter().flatten() {
            let text = |key: &str| block.get(key).and_then(Value::as_str);
            if text("type") != Some("tool_use") || text("name") != Some("Bash") {
                continue;
            }
            if !self.fresh(block.get("id")) {
                continue;
            }
            match block.pointer("/input/command").and_then(Value::as_str) {
                Some(command) => push_text(command, None, self.cwd.as_deref(), out),
                None => out.skipped += 1,
            }
        }
    }

    /// Codex: `function_call` with its arguments as JSON in a text, and `local_shell_call`.
    fn codex(&mut self, call: &Value, out: &mut Reading) {
        let name = call.get("name").and_then(Value::as_str);
        let local = call.get("type").and_then(Value::as_str) == Some("local_shell_call");
        let shells = ["shell", "shell_command", "local_shell", "container.exec", "exec_command", "bash"];
        if !local && !name.is_some_and(|n| shells.contains(&n)) {
            return;
        }
        if !self.fresh(call.get("call_id").or_else(|| call.get("id"))) {
            return;
        }
        let arguments = match (call.get("action"), call.get("arguments")) {
            (Some(action), _) => Some(action.clone()),
            (None, Some(Value::String(text))) => serde_json::from_str(text).ok(),
            (None, Some(object @ Value::Object(_))) => Some(object.clone()),
            _ => None,
        };
        let done = arguments.is_some_and(|a| self.plain(&a, out));
        if !done {
            out.skipped += 1;
        }
    }

    /// An object with a command: a text or words, and perhaps shell and folder. False if it has none.
    fn plain(&self, value: &Value, out: &mut Reading) -> bool {
        let text = |keys: &[&str]| keys.iter().find_map(|k| value.get(*k)?.as_str());
        let own = text(&["workdir", "working_directory", "cwd"]);
        let cwd = match (own, &self.cwd) {
            // A relative one is taken from the folder of the turn.
            (Some(own), Some(at)) if !own.starts_with('/') => Some(format!("{at}/{own}")),
            (Some(own), _) => Some(own.to_owned()),
            (None, at) => at.clone(),
        };
        let shell = text(&["shell"]).map(|s| s.as_bytes().to_vec());
        for key in ["command", "cmd", "text"] {
            match value.get(key) {
                Some(Value::String(command)) => {
                    push_text(command, shell, cwd.as_deref(), out);
                    return true;
                }
                Some(Value::Array(words)) => return push_words(words, cwd.as_deref(), out),
                _ => {}
            }
        }
        match value.get("argv").and_then(Value::as_array) {
            Some(words) => push_words(words, cwd.as_deref(), out),
            None => false,
        }
    }
}

fn folder(cwd: Option<&str>) -> Option<Vec<u8>> {
    cwd.filter(|c| c.starts_with('/')).map(|c| c.as_bytes().to_vec())
}

fn push_text(text: &str, shell: Option<Vec<u8>>, cwd: Option<&str>, out: &mut Reading) {
    if text.trim().is_empty() {
        out.skipped += 1;
        return;
    }
    out.commands
        .push(Command { form: Shape::Text { text: text.as_bytes().to_vec(), shell }, cwd: folder(cwd) });
}

/// Words; a shell with its command string is that text for that shell, since the guard stands in the shell's place.
fn push_words(words: &[Value], cwd: Option<&str>, out: &mut Reading) -> bool {
    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
    let Some(words) = words.filter(|w| !w.is_empty()) else { return false };
    if let [shell, "-c" | "-lc" | "-ic", text] = words.as_slice() {
        let name = shell.rsplit('/').next().unwrap_or_default();
        if matches!(name, "sh" | "bash" | "zsh" | "dash") {
            push_text(text, Some(shell.as_bytes().to_vec()), cwd, out);
            return true;
        }
    }
    let argv = words.iter().map(|w| w.as_bytes().to_vec()).collect();
    out.commands.push(Command { form: Shape::Words(argv), cwd: folder(cwd) });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &[u8]) -> (Vec<String>, usize) {
        let reading = read(text);
        let commands = reading
            .commands
            .iter()
            .map(|c| {
                let cwd = c.cwd.as_deref().map(|d| format!(" @{}", String::from_utf8_lossy(d)));
                let form = match &c.form {
                    Shape::Text { text, shell } => {
                        let shell = shell.as_deref().map(|s| format!("{}: ", String::from_utf8_lossy(s)));
                        format!("{}{}", shell.unwrap_or_default(), String::from_utf8_lossy(text))
                    }
                    Shape::Words(argv) => protocol::Shown::argv(argv).into_string(),
                };
                form + &cwd.unwrap_or_default()
            })
            .collect();
        (commands, reading.skipped)
    }

    #[track_caller]
    fn reads(text: &str, want: &[&str], skipped: usize) {
        assert_eq!(
            read_all(text.as_bytes()),
            (want.iter().map(|w| (*w).to_owned()).collect(), skipped),
            "{text}"
        );
    }

    #[test]
    fn plain_lines_and_histories() {
        reads("ls\n\n# a comment\ngit log \\\n  -1\nls\r\n", &["ls", "git log \n  -1", "ls"], 0);
        reads(
            "#1700000000\nls\n#1700000001\ncat <<E\n# no comment\nE\n#1700000002\nx",
            &["ls", "cat <<E\n# no comment\nE", "x"],
            0,
        );
        reads(
            ": 1700000000:0;ls -l\n: 1700000001:12;for i in 1\\\ndo x\\\ndone\n: no history\n",
            &["ls -l", "for i in 1\ndo x\ndone", ": no history"],
            0,
        );
        assert_eq!(
            read_all(b": 1700000000:0;echo \x83\xa3").0,
            [format!("echo {}", String::from_utf8_lossy(b"\x83"))]
        );
        reads("echo a\\\\\nls", &["echo a\\\\", "ls"], 0);
        reads("", &[], 0);
    }

    #[test]
    fn json_lines() {
        reads(
            r#"{"command": "ls", "cwd": "/w"}
{"argv": ["git", "a b"]}
{"command": ["bash", "-lc", "ls; x"]}
{"cmd": "ls", "shell": "zsh"}
{"v": 1, "text": "a b", "argv": [], "agent": "main"}
{"argv": ["ls"], "text": null}
{"nothing": 1}
{"argv": [1]}
{"command": "  "}
"#,
            &["ls @/w", "git 'a b' @/w", "bash: ls; x @/w", "zsh: ls @/w", "a b @/w", "ls @/w"],
            3,
        );
        reads(r#"["ls", {"command": "x"}]"#, &["ls", "x"], 0);
        // What only looks like JSON is shell text.
        reads("{ ls; }\n[ -f x ]", &["{ ls; }", "[ -f x ]"], 0);
    }

    #[test]
    fn claude_code() {
        reads(
            r#"{"type":"summary","summary":"x"}
{"type":"user","cwd":"/p","message":{"role":"user","content":"do ls"}}
{"type":"assistant","cwd":"/p","message":{"content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git status","description":"x"}},{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/x"}}]}}
{"type":"assistant","cwd":"/p","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git status"}}]}}
{"type":"assistant","cwd":"/q","message":{"content":[{"type":"tool_use","id":"t3","name":"Bash","input":{}}]}}
"#,
            &["git status @/p"],
            1,
        );
    }

    #[test]
    fn codex() {
        reads(
            r#"{"timestamp":"t","type":"session_meta","payload":{"id":"s","cwd":"/p"}}
{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls -la\"],\"workdir\":\"/w\"}","call_id":"c1"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cargo test\",\"workdir\":\"sub\"}","call_id":"c2"}}
{"timestamp":"t","type":"response_item","payload":{"type":"local_shell_call","call_id":"c3","action":{"type":"exec","command":["git","diff"],"working_directory":null}}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{}","call_id":"c4"}}
{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"nonsense","call_id":"c5"}}
{"type":"function_call","name":"shell_command","arguments":"{\"command\":\"make\"}","call_id":"c6"}
"#,
            &["bash: ls -la @/w", "cargo test @/p/sub", "git diff @/p", "make @/p"],
            1,
        );
    }
}
