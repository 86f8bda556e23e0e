//! One entry of ours in a JSON file that is somebody else's: put in as one piece of text and taken out again, so that
//! every other byte stays: comments, order, indentation, the last newline.
use std::ops::Range;

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::matcher::covers;

/// What of a list or an object is ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A handler in a list of hooks, or in a group of it, that calls the guard for this agent.
    Hook(String),
    /// This text in a list.
    Text(String),
    /// The key itself, the last of the path.
    Key,
}

/// One entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Keys from the root to the list that holds it, or to the key that is it.
    pub at: Vec<String>,
    /// What is ours there.
    pub mark: Mark,
    /// What is put there.
    pub value: Value,
    /// Commands of hooks that were ours before: by them a hook is ours, and by the one that is put. One that somebody
    /// wrote by another path is his. `None`: it is not known which were ours, and any may be.
    pub also: Option<Vec<String>>,
}

impl Op {
    /// An entry that was never put before.
    pub fn new(at: Vec<String>, mark: Mark, value: Value) -> Op {
        Op { at, mark, value, also: Some(Vec::new()) }
    }

    /// The command of the hook that is put.
    pub fn command(&self) -> Option<&str> {
        command(&self.value).or_else(|| self.value.pointer("/hooks/0").and_then(command))
    }

    /// True if a hook with this command is ours.
    fn owns(&self, command: &str) -> bool {
        self.command() == Some(command)
            || self.also.as_ref().is_none_or(|also| also.iter().any(|c| c == command))
    }
}

/// What was put in, as a manifest keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Put {
    /// The text; empty if it was there.
    pub text: String,
    /// How many keys of the path were there already.
    pub from: usize,
}

/// The indentation of an item and the step of it, where it goes over several lines.
type Shape<'s> = Option<(&'s str, &'s str)>;

/// How the format is read.
fn options(loose: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_loose_object_property_names: loose,
        allow_single_quoted_strings: loose,
        allow_hexadecimal_numbers: loose,
        allow_unary_plus_numbers: loose,
        allow_bare_decimal_point_numbers: loose,
        allow_non_finite_numbers: loose,
        allow_extended_string_escapes: loose,
    }
}

/// A value with the place where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Other(Value),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) range: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    fn of(ast: Ast<'_>) -> Node {
        let range = |r: jsonc_parser::common::Range| r.start..r.end;
        match ast {
            Ast::Object(o) => Node {
                range: range(o.range),
                kind: Kind::Object(
                    o.properties
                        .into_iter()
                        .map(|p| Member {
                            range: range(p.range),
                            name: p.name.into_string(),
                            value: Node::of(p.value),
                        })
                        .collect(),
                ),
            },
            Ast::Array(a) => Node {
                range: range(a.range),
                kind: Kind::Array(a.elements.into_iter().map(Node::of).collect()),
            },
            Ast::StringLit(s) => {
                Node { range: range(s.range), kind: Kind::Other(s.value.into_owned().into()) }
            }
            Ast::NumberLit(n) => {
                let value = n.value.parse().map(Value::Number).unwrap_or_else(|_| n.value.into());
                Node { range: range(n.range), kind: Kind::Other(value) }
            }
            Ast::BooleanLit(b) => Node { range: range(b.range), kind: Kind::Other(b.value.into()) },
            Ast::NullKeyword(n) => Node { range: range(n.range), kind: Kind::Other(Value::Null) },
        }
    }

    pub(super) fn value(&self) -> Value {
        match &self.kind {
            Kind::Object(members) => Value::Object(
                members.iter().map(|m| (m.name.clone(), m.value.value())).collect::<Map<_, _>>(),
            ),
            Kind::Array(list) => list.iter().map(Node::value).collect(),
            Kind::Other(value) => value.clone(),
        }
    }

    /// The member of this name; twice the same name is an error, since readers differ in which counts.
    fn member(&self, name: &str) -> Result<Option<&Member>, String> {
        let Kind::Object(members) = &self.kind else { return Err("is no object".into()) };
        let mut found = members.iter().filter(|m| m.name == name);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(format!("has `{name}` twice")),
            (first, None) => Ok(first),
        }
    }

    /// Where the values in it stand.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|m| m.range.clone()).collect(),
            Kind::Array(list) => list.iter().map(|n| n.range.clone()).collect(),
            Kind::Other(_) => Vec::new(),
        }
    }
}

/// A file that was read.
pub(super) struct Doc<'a> {
    text: &'a str,
    pub(super) root: Option<Node>,
    commas: Vec<usize>,
}

impl<'a> Doc<'a> {
    pub(super) fn read(text: &'a str, loose: bool) -> Result<Doc<'a>, String> {
        let collect = CollectOptions { tokens: true, ..CollectOptions::default() };
        let read = parse_to_ast(text, &collect, &options(loose))
            .map_err(|e| format!("cannot be read as JSON: {e}"))?;
        let commas = read.tokens.unwrap_or_default();
        let commas = commas.iter().filter(|t| t.token == Token::Comma).map(|t| t.range.start).collect();
        let root = read.value.map(Node::of);
        match &root {
            Some(Node { kind: Kind::Object(_), .. }) => Ok(Doc { text, root, commas }),
            None if text.trim().is_empty() => Ok(Doc { text, root, commas }),
            _ => Err("holds no JSON object".into()),
        }
    }

    fn comma(&self, between: Range<usize>) -> Option<usize> {
        self.commas.iter().copied().find(|c| between.contains(c))
    }

    fn part(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    /// Indentation of the line in which a byte stands.
    fn indent(&self, at: usize) -> &'a str {
        let line = self.part(0..at).rfind('\n').map_or(0, |n| n + 1);
        let rest = self.text.get(line..).unwrap_or_default();
        let end = rest.find(|c| c != ' ' && c != '\t').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// One step of indentation in this file.
    fn unit(&self) -> &'a str {
        let first = self.text.lines().find(|l| l.starts_with([' ', '\t']) && !l.trim().is_empty());
        match first {
            Some(line) if line.starts_with('\t') => "\t",
            Some(line) => line.get(..line.len() - line.trim_start_matches(' ').len()).unwrap_or("  "),
            None => "  ",
        }
    }

    /// Puts an item behind the others of an object or a list: where, and which text.
    fn add(&self, into: &Node, item: &dyn Fn(Shape<'_>) -> String) -> (usize, String) {
        let (open, close) = (into.range.start + 1, into.range.end.saturating_sub(1));
        let unit = self.unit();
        let children = into.children();
        let Some(last) = children.last() else {
            let outer = self.indent(into.range.start);
            let inner = format!("{outer}{unit}");
            let item = item(Some((&inner, unit)));
            let inside = self.part(open..close);
            let tail = if inside.contains('\n') { String::new() } else { format!("\n{outer}") };
            return (open, self.ended(format!("\n{inner}{item}{tail}")));
        };
        if !self.part(into.range.clone()).contains('\n') {
            let comma = self.comma(last.end..close);
            let at = comma.map_or(last.end, |c| c + 1);
            return (at, format!("{} {}", if comma.is_some() { "" } else { "," }, item(None)));
        }
        let inner = self.indent(last.start);
        let item = item(Some((inner, unit)));
        let comma = self.comma(last.end..close);
        let at = comma.map_or(last.end, |c| c + 1);
        // A comment that follows in the same line belongs to what stands there.
        let rest = self.part(at..close);
        let line = rest.split('\n').next().unwrap_or_default().trim_end();
        let (at, comma_first) = if line.trim().is_empty() { (at, false) } else { (at + line.len(), true) };
        let text = match (comma.is_some(), comma_first) {
            (true, _) => format!("\n{inner}{item}"),
            (false, false) => format!(",\n{inner}{item}"),
            (false, true) => format!("\n{inner}, {item}"),
        };
        (at, self.ended(text))
    }

    /// With the line ends of this file.
    fn ended(&self, text: String) -> String {
        if self.text.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
    }
}

/// True if a command line calls the guard for an agent.
pub fn calls(command: &str, agent: &str) -> bool {
    let Some(program) = command.trim().strip_suffix(&format!(" hook {agent}")) else { return false };
    let program = program.trim().trim_end_matches(['\'', '"']);
    program.rsplit('/').next().is_some_and(|n| n == "exec-guard")
}

/// The command of a handler.
pub fn command(handler: &Value) -> Option<&str> {
    ["command", "bash"].iter().find_map(|k| handler.get(*k)).and_then(Value::as_str)
}

/// Where ours stands below a list: indices into it, and into the `hooks` of a group. A person may have others that call
/// the guard, under another matcher or by another path: ours is the one that is most like what we write.
fn ours(list: &[Node], op: &Op) -> Option<(usize, Option<usize>)> {
    hook(list, op, true)
}

/// The same of those that are ours, or (`mine` is false) that call the guard and are not.
fn hook(list: &[Node], op: &Op, mine: bool) -> Option<(usize, Option<usize>)> {
    let matcher = |v: &Value| v.get("matcher").and_then(Value::as_str).unwrap_or_default().to_owned();
    let wanted = matcher(&op.value);
    let written = op.command();
    // The matcher counts for more than the path: a guard may have moved.
    let like = |node: &Node, group: &Node| match &op.mark {
        Mark::Hook(agent) => {
            let (value, has) = (node.value(), matcher(&group.value()));
            let command = command(&value).filter(|c| calls(c, agent) && op.owns(c) == mine)?;
            // What was there before us, or has no matcher, may be any.
            (wanted.is_empty() || covers(agent, &has, &wanted))
                .then(|| u8::from(has == wanted) * 2 + u8::from(Some(command) == written))
        }
        Mark::Text(text) => (mine && node.value().as_str() == Some(text)).then_some(0),
        Mark::Key => None,
    };
    let mut best: Option<(u8, (usize, Option<usize>))> = None;
    let mut offer = |likeness: Option<u8>, at| {
        if let Some(likeness) = likeness
            && best.as_ref().is_none_or(|(so_far, _)| likeness > *so_far)
        {
            best = Some((likeness, at));
        }
    };
    for (i, node) in list.iter().enumerate() {
        offer(like(node, node), (i, None));
        let Ok(Some(Member { value: Node { kind: Kind::Array(inner), .. }, .. })) = node.member("hooks")
        else {
            continue;
        };
        for (j, handler) in inner.iter().enumerate() {
            offer(like(handler, node), (i, Some(j)));
        }
    }
    best.map(|(_, at)| at)
}

/// What is there already.
enum There {
    /// Nothing of ours.
    Not,
    /// Just that, or as good.
    Same,
    /// Ours, but not as it is to be: which piece of the text, and what is to stand there.
    Other(Range<usize>, String),
}

fn compare(doc: &Doc<'_>, list: &[Node], op: &Op) -> Result<There, String> {
    let Some((i, j)) = ours(list, op) else { return Ok(There::Not) };
    let (Some(group), Mark::Hook(agent)) = (list.get(i), &op.mark) else { return Ok(There::Same) };
    let handler = match (j, group.member("hooks")) {
        (Some(j), Ok(Some(Member { value: Node { kind: Kind::Array(inner), .. }, .. }))) => inner.get(j),
        _ => Some(group),
    };
    let (Some(handler), Some(wanted)) = (handler, op.command()) else { return Ok(There::Same) };
    let is = handler.value();
    // What the doctor would not call live is not there.
    if crate::doctor::weak(agent, &is).is_some() {
        let lines = doc.part(handler.range.clone()).contains('\n');
        let shape = lines.then(|| (doc.indent(handler.range.start), doc.unit()));
        return Ok(There::Other(handler.range.clone(), doc.ended(written(&mended(&is, op), shape))));
    }
    if command(&is) == Some(wanted) {
        return Ok(There::Same);
    }
    let member = ["command", "bash"].iter().find_map(|k| handler.member(k).ok().flatten());
    let range = member.map(|m| m.value.range.clone()).unwrap_or_default();
    Ok(There::Other(range, Value::from(wanted).to_string()))
}

/// Keys by which a hook is started otherwise than ours, or not waited for.
const BENT: &[&str] = &[
    "if",
    "async",
    "asyncRewake",
    "once",
    "disabled",
    "enabled",
    "args",
    "cwd",
    "env",
    "shell",
    "timeout",
    "timeoutSec",
];

/// A hook of ours as it is to be; what else somebody wrote into it stays.
fn mended(is: &Value, op: &Op) -> Value {
    let ours = op.value.pointer("/hooks/0").unwrap_or(&op.value);
    let mut out = is.as_object().cloned().unwrap_or_default();
    out.retain(|key, _| !BENT.contains(&key.as_str()));
    for (key, value) in ours.as_object().into_iter().flatten().filter(|(key, _)| *key != "matcher") {
        out.insert(key.clone(), value.clone());
    }
    Value::Object(out)
}

/// A byte order mark, if a text begins with one, and what follows: some agents take it, and it stays.
pub fn marked(text: &str) -> (&str, &str) {
    text.split_at_checked(text.len() - text.trim_start_matches('\u{feff}').len())
        .filter(|(mark, _)| mark.chars().count() == 1)
        .unwrap_or(("", text))
}

/// The text with the entry in it, and what was put.
///
/// # Errors
/// The text cannot be read, or holds something else in that place.
pub fn put(text: &str, op: &Op, loose: bool) -> Result<(String, Put), String> {
    let (mark, rest) = marked(text);
    put_bare(rest, op, loose).map(|(with, put)| (format!("{mark}{with}"), put))
}

fn put_bare(text: &str, op: &Op, loose: bool) -> Result<(String, Put), String> {
    let doc = Doc::read(text, loose)?;
    let Some(root) = &doc.root else {
        let all = nested(&op.at, op);
        let put = format!("{all:#}\n");
        return Ok((format!("{text}{put}"), Put { text: put, from: 0 }));
    };
    let mut node = root;
    for (n, key) in op.at.iter().enumerate() {
        let here = || op.at.get(..n).unwrap_or_default().join(".");
        let member = node.member(key).map_err(|e| match n {
            0 => e,
            _ => format!("`{}` {e}", here()),
        })?;
        if let Some(member) = member {
            node = &member.value;
            continue;
        }
        let rest = op.at.get(n + 1..).unwrap_or_default();
        let value = nested(rest, op);
        let item = |shape: Shape<'_>| format!("{}: {}", Value::from(key.as_str()), written(&value, shape));
        let (at, put) = doc.add(node, &item);
        return Ok((spliced(text, at..at, &put), Put { text: put, from: n }));
    }
    let from = op.at.len();
    let same = || Ok((text.to_owned(), Put { text: String::new(), from }));
    if op.mark == Mark::Key {
        let is = node.value();
        let holds = match (&is, &op.value) {
            (Value::Object(is), Value::Object(want)) => want.iter().all(|(k, v)| is.get(k) == Some(v)),
            (is, want) => is == want,
        };
        return if holds { same() } else { Err(format!("`{}` says otherwise: {is}", op.at.join("."))) };
    }
    let Kind::Array(list) = &node.kind else {
        return Err(format!("`{}` is no list", op.at.join(".")));
    };
    match compare(&doc, list, op)? {
        There::Same => same(),
        There::Other(range, piece) => Ok((spliced(text, range, &piece), Put { text: String::new(), from })),
        There::Not => {
            let (at, put) = doc.add(node, &|shape| written(&op.value, shape));
            Ok((spliced(text, at..at, &put), Put { text: put, from }))
        }
    }
}

/// A hook that somebody else put into this place, where there is none of ours: it calls a guard by another path.
pub fn theirs(text: &str, op: &Op, loose: bool) -> Option<Value> {
    let doc = Doc::read(marked(text).1, loose).ok()?;
    let list = op.at.iter().try_fold(doc.root.as_ref()?, |node, key| {
        node.member(key).ok().flatten().map(|member| &member.value)
    })?;
    let Kind::Array(list) = &list.kind else { return None };
    if ours(list, op).is_some() {
        return None;
    }
    let (i, j) = hook(list, op, false)?;
    let group = list.get(i)?.value();
    j.map_or(Some(&group), |j| group.get("hooks")?.get(j)).cloned()
}

/// A value below the keys that are missing.
fn nested(keys: &[String], op: &Op) -> Value {
    let inner = if op.mark == Mark::Key { op.value.clone() } else { Value::Array(vec![op.value.clone()]) };
    keys.iter().rev().fold(inner, |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])))
}

/// A value as text: in one line, or over several with this indentation and this step.
fn written(value: &Value, shape: Shape<'_>) -> String {
    let Some((indent, unit)) = shape else { return value.to_string() };
    let mut out = String::new();
    let text = format!("{value:#}");
    for (n, line) in text.lines().enumerate() {
        if n > 0 {
            let inner = line.trim_start_matches(' ');
            let depth = (line.len() - inner.len()) / 2;
            out.push_str(&format!("\n{indent}{}{inner}", unit.repeat(depth)));
        } else {
            out.push_str(line);
        }
    }
    out
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    let before = text.get(..range.start).unwrap_or_default();
    let after = text.get(range.end..).unwrap_or_default();
    format!("{before}{with}{after}")
}

/// The matcher and the command of what was put, as a hook.
pub fn hook_in(text: &str) -> Value {
    let member = |key: &str| {
        // A value may be written like the key: `"type": "command"`.
        let name = format!("\"{key}\"");
        text.match_indices(&name).find_map(|(at, _)| {
            let value = text.get(at + name.len()..)?.trim_start().strip_prefix(':')?;
            serde_json::Deserializer::from_str(value).into_iter::<String>().next()?.ok()
        })
    };
    let mut out = serde_json::Map::new();
    for key in ["matcher", "command", "bash"] {
        if let Some(value) = member(key) {
            out.insert(key.to_owned(), value.into());
        }
    }
    Value::Object(out)
}

/// The text without the entry; `None` if it is not there.
///
/// # Errors
/// The text cannot be read any more.
pub fn take(text: &str, op: &Op, put: &Put, loose: bool) -> Result<Option<String>, String> {
    let (mark, rest) = marked(text);
    Ok(take_bare(rest, op, put, loose)?.map(|rest| format!("{mark}{rest}")))
}

fn take_bare(text: &str, op: &Op, put: &Put, loose: bool) -> Result<Option<String>, String> {
    let Some(range) = found(text, op, put.from, loose)? else { return Ok(None) };
    // To the byte where it still is as we wrote it.
    let at = text.find(&put.text).filter(|_| !put.text.is_empty());
    if let Some(at) = at {
        let piece = at..at + put.text.len();
        let holds = piece.start <= range.start && range.end <= piece.end;
        let rest = spliced(text, piece, "");
        if holds && (rest.trim().is_empty() || Doc::read(&rest, loose).is_ok()) {
            return Ok(Some(rest));
        }
    }
    cut(&Doc::read(text, loose)?, range).map(Some)
}

/// Where ours is, with those around it that hold nothing else and are there for us.
fn found(text: &str, op: &Op, from: usize, loose: bool) -> Result<Option<Range<usize>>, String> {
    let doc = Doc::read(text, loose)?;
    let Some(root) = &doc.root else { return Ok(None) };
    let mut way: Vec<&Member> = Vec::new();
    let mut node = root;
    for key in &op.at {
        let Ok(Some(member)) = node.member(key) else { return Ok(None) };
        way.push(member);
        node = &member.value;
    }
    let mut range = match (&op.mark, &node.kind) {
        (Mark::Key, _) => match way.pop() {
            Some(member) => member.range.clone(),
            None => return Ok(None),
        },
        (_, Kind::Array(list)) => {
            let Some((i, j)) = ours(list, op) else { return Ok(None) };
            let group = list.get(i).map(|g| (g.range.clone(), g.member("hooks").ok().flatten()));
            let range = match (group, j) {
                (Some((_, Some(Member { value: Node { kind: Kind::Array(inner), .. }, .. }))), Some(j))
                    if inner.len() > 1 =>
                {
                    return Ok(inner.get(j).map(|h| h.range.clone()));
                }
                (Some((range, _)), _) => range,
                (None, _) => return Ok(None),
            };
            if list.len() > 1 {
                return Ok(Some(range));
            }
            range
        }
        _ => return Ok(None),
    };
    // Upwards while there is nothing else in it.
    while way.len() > from {
        let Some(member) = way.pop() else { break };
        if member.value.children().len() > 1 {
            break;
        }
        range = member.range.clone();
        let siblings = way.last().map_or(root, |m| &m.value).children().len();
        if siblings > 1 {
            break;
        }
    }
    Ok(Some(range))
}

/// Takes an item out of its list or object, with the comma that goes with it.
fn cut(doc: &Doc<'_>, item: Range<usize>) -> Result<String, String> {
    fn holder<'n>(node: &'n Node, item: &Range<usize>) -> Option<&'n Node> {
        if node.children().contains(item) {
            return Some(node);
        }
        match &node.kind {
            Kind::Object(members) => members.iter().find_map(|m| holder(&m.value, item)),
            Kind::Array(list) => list.iter().find_map(|n| holder(n, item)),
            Kind::Other(_) => None,
        }
    }
    let Some(node) = doc.root.as_ref().and_then(|r| holder(r, &item)) else {
        return Err("has lost our entry meanwhile".into());
    };
    let children = node.children();
    let (open, close) = (node.range.start + 1, node.range.end.saturating_sub(1));
    let before = children.iter().rfind(|c| c.end <= item.start);
    let after = children.iter().find(|c| c.start >= item.end);
    let blank = |range: Range<usize>| doc.part(range).trim().is_empty();
    let text = match (before, after) {
        (Some(before), _) => {
            let comma = doc.comma(before.end..item.start).unwrap_or(item.start);
            if blank(comma + 1..item.start) {
                spliced(doc.text, comma..item.end, "")
            } else {
                spliced(&spliced(doc.text, item, ""), comma..comma + 1, "")
            }
        }
        (None, Some(after)) => {
            let comma = doc.comma(item.end..after.start).map_or(item.end, |c| c + 1);
            let end = if blank(comma..after.start) { after.start } else { comma };
            spliced(doc.text, item.start..end, "")
        }
        (None, None) => {
            let comma = doc.comma(item.end..close).map_or(item.end, |c| c + 1);
            if blank(open..item.start) && blank(comma..close) {
                spliced(doc.text, open..close, "")
            } else {
                spliced(doc.text, item.start..comma, "")
            }
        }
    };
    Ok(text)
}

/// A file as a value, for those who only look.
///
/// # Errors
/// It cannot be read.
pub fn value(text: &str, loose: bool) -> Result<Value, String> {
    let doc = Doc::read(marked(text).1, loose)?;
    Ok(doc.root.map_or_else(|| Value::Object(Map::new()), |r| r.value()))
}

#[cfg(test)]
mod tests;
