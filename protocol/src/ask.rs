//! A question as it travels: everything that a person is shown, as one JSON text.
//!
//! What comes from a command (words, texts, paths) is bytes: a JSON string where it is UTF-8, else
//! `{"base64": …, "shown": …}`, the exact bytes and what a person reads. None of it is fit for a terminal or a page
//! before it went through [`Shown`].
use policy::document::Entry;
use policy::shell::Dialect;
use policy::{Arg, Evaluation, Form, Invocation, Proposal, Scope, Segment};
use serde_json::Value;

use crate::field::{Fields, Malformed, Read};
use crate::json::{Object, quoted};
use crate::{Shown, encode, json, mac, words};

/// Longest name of an agent, session, host or user, bytes.
pub const MAX_NAME: usize = 256;
/// Longest text of ours in a question (a message, a source), bytes.
const MAX_TEXT: usize = 1 << 16;
/// Most members of a list. A line has room for hardly more.
const MAX_LIST: usize = 1 << 18;
/// Version of the question's shape.
const VERSION: u64 = 1;

/// What a person is asked. Having one tells you that it has every field, each within its bounds, and that what *always*
/// would store are entries for programs that are shown. Nobody vouches for more: whoever has the token can ask anything.
#[derive(Clone, Debug, PartialEq)]
pub struct WireQuestion {
    /// The agent under whose policy it is asked.
    pub agent: String,
    /// The agents it was judged under: more than one where claim and marks differ.
    pub agents: Vec<String>,
    /// The caller's session, if it gave one.
    pub session: Option<String>,
    /// Name of the host, made visible.
    pub host: String,
    /// The asking user's id.
    pub uid: u32,
    /// The asking user's name, made visible; `None` if it has none.
    pub user: Option<String>,
    /// The working folder; `None` if it cannot be told.
    pub cwd: Option<Vec<u8>>,
    /// True if the text of a shell was given, false for the words of one program.
    pub is_text: bool,
    /// The words that will be executed, `argv[0]` first, exactly.
    pub argv: Vec<Vec<u8>>,
    /// The file that will be executed, as found.
    pub found: Vec<u8>,
    /// The file that will be executed, everything resolved.
    pub real: Vec<u8>,
    /// The text a shell is given, if one is started: one of the words.
    pub text: Option<Vec<u8>>,
    /// What a shell that was started by its link is told, without what the agent put round it: a hook may have got a
    /// yes to that already.
    pub said: Option<Vec<u8>>,
    /// The language the text was read as.
    pub shell: Option<String>,
    /// Its simple commands.
    pub segments: Vec<WireSegment>,
    /// `security` in force.
    pub security: String,
    /// Where that was written.
    pub security_from: String,
    /// `ask` in force.
    pub ask: String,
    /// Where that was written.
    pub ask_from: String,
    /// Why it is asked.
    pub ground: WireFinding,
    /// What else was found, the ground not repeated.
    pub findings: Vec<WireFinding>,
    /// When it was asked, milliseconds since 1970, by the guard's clock.
    pub asked_at_ms: u64,
    /// How long the guard waits, milliseconds.
    pub timeout_ms: u64,
    /// What the answer is bound to: [`policy::digest`]. Only the guard can tell whether it is that of the command.
    pub digest: String,
    /// What *always allow* would store, narrowest first; else why it is not offered.
    pub always: Result<Vec<Proposal>, String>,
    /// True if whoever asked does not wait: it stays though they go away.
    pub detached: bool,
}

/// A simple command of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireSegment {
    /// As it stands in the text.
    pub text: Vec<u8>,
    /// Its words; of one that is known only at run time, its source.
    pub argv: Vec<Vec<u8>>,
    /// Which of them are known only at run time.
    pub dynamic: Vec<bool>,
    /// The file, if it is a program that resolved: as found.
    pub found: Option<Vec<u8>>,
    /// The same, everything resolved.
    pub real: Option<Vec<u8>>,
    /// `program`, `builtin` or `function`.
    pub kind: String,
    /// Index of the segment it stands in.
    pub within: Option<u64>,
    /// What allows it; `None` if nothing does.
    pub satisfied_by: Option<String>,
}

/// A ground, in words for a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireFinding {
    /// The stable code.
    pub code: String,
    /// One sentence; foreign bytes in it were made visible.
    pub message: String,
    /// What to do about it.
    pub advice: Option<String>,
    /// Index of the segment it speaks of.
    pub segment: Option<u64>,
}

/// What the guard knows besides the judgement.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Name of the host, raw.
    pub host: &'a [u8],
    /// Our user id.
    pub uid: u32,
    /// Our user's name, raw.
    pub user: Option<&'a [u8]>,
    /// How long the guard waits, milliseconds.
    pub timeout_ms: u64,
    /// True if it does not.
    pub detached: bool,
}

/// Bytes as JSON.
pub fn bytes_json(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => quoted(text),
        Err(_) => Object::new()
            .text("base64", &encode::base64(bytes))
            .text("shown", Shown::text(bytes).as_str())
            .end(),
    }
}

fn maybe_bytes_json(bytes: Option<&[u8]>) -> String {
    bytes.map_or_else(|| "null".to_owned(), bytes_json)
}

/// Bytes from JSON.
///
/// # Errors
/// Neither a string nor the other form; a `shown` that is not what these bytes look like; text in the form for what is
/// none.
pub fn read_bytes(value: &Value, name: &'static str) -> Read<Vec<u8>> {
    if let Some(text) = value.as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    let mut f = Fields::of(value, name)?;
    let bytes = encode::unbase64(f.text("base64", crate::frame::MAX_LINE)?);
    let bytes = bytes.ok_or(Malformed::new(name, "no base64"))?;
    let shown = f.text("shown", crate::frame::MAX_LINE * 4)?;
    if std::str::from_utf8(&bytes).is_ok() || Shown::text(&bytes).as_str() != shown {
        return Err(Malformed::new(name, "bytes that are not what is shown"));
    }
    f.end()?;
    Ok(bytes)
}

fn bytes_list(words: &[Vec<u8>]) -> String {
    json::list(words.iter().map(|w| bytes_json(w)))
}

fn read_bytes_list(f: &mut Fields<'_>, name: &'static str) -> Read<Vec<Vec<u8>>> {
    f.list(name, MAX_LIST)?.iter().map(|v| read_bytes(v, name)).collect()
}

fn maybe_bytes(f: &mut Fields<'_>, name: &'static str) -> Read<Option<Vec<u8>>> {
    f.get(name).map(|v| read_bytes(v, name)).transpose()
}

impl WireQuestion {
    /// The question an evaluation asks; `None` if there is nothing that could be executed.
    pub fn of(
        eval: &Evaluation,
        inv: &Invocation,
        always: Result<Vec<Proposal>, String>,
        asker: Asker<'_>,
    ) -> Option<WireQuestion> {
        let plan = eval.asks_about()?;
        let e = &eval.effective;
        let shown = |bytes: &[u8]| Shown::text(bytes).into_string();
        let ground = eval.ground();
        let others = eval.findings.iter().filter(|f| Some(*f) != ground);
        let mut findings: Vec<WireFinding> = Vec::new();
        for f in others.map(finding) {
            if !findings.contains(&f) {
                findings.push(f);
            }
        }
        Some(WireQuestion {
            agent: e.agent.clone(),
            agents: inv.agents.clone(),
            session: inv.session.clone(),
            host: shown(asker.host),
            uid: asker.uid,
            user: asker.user.map(shown),
            cwd: inv.cwd.clone(),
            is_text: matches!(inv.form, Form::Text { .. }),
            argv: plan.argv.clone(),
            found: plan.exe.found.clone(),
            real: plan.exe.real.clone(),
            text: plan.script.clone(),
            said: eval.said.clone(),
            shell: eval.dialect.map(|d: Dialect| words::dialect(d).to_owned()),
            segments: eval.segments.iter().map(segment).collect(),
            security: words::security(e.security.value).to_owned(),
            security_from: e.security.from.clone(),
            ask: words::ask(e.ask.value).to_owned(),
            ask_from: e.ask.from.clone(),
            ground: ground.map(finding).unwrap_or_default(),
            findings,
            asked_at_ms: inv.now_ms,
            timeout_ms: asker.timeout_ms,
            digest: policy::digest(eval),
            always,
            detached: asker.detached,
        })
    }

    /// As the text of a request.
    pub fn to_text(&self) -> String {
        self.written(true)
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        crate::json::tree(&self.to_text())
    }

    /// With or without what [`WireQuestion::key`] leaves out.
    fn written(&self, whole: bool) -> String {
        let always = match &self.always {
            Ok(proposals) => Object::new().list("scopes", proposals.iter().map(proposal_json)),
            Err(why) => Object::new().text("none", why),
        };
        let from = Object::new().text("security", &self.security_from).text("ask", &self.ask_from);
        let rules = Object::new().text("security", &self.security).text("ask", &self.ask);
        let mut out = Object::new()
            .whole("v", VERSION)
            .text("agent", &self.agent)
            .list("agents", self.agents.iter().map(|a| quoted(a)));
        if whole {
            out = out.maybe("session", self.session.as_deref());
        }
        out = out
            .text("host", &self.host)
            .whole("uid", self.uid.into())
            .maybe("user", self.user.as_deref())
            .raw("cwd", &maybe_bytes_json(self.cwd.as_deref()))
            .text("form", if self.is_text { "text" } else { "argv" })
            .raw("argv", &bytes_list(&self.argv))
            .raw("found", &bytes_json(&self.found))
            .raw("real", &bytes_json(&self.real))
            .raw("text", &maybe_bytes_json(self.text.as_deref()))
            .maybe("shell", self.shell.as_deref())
            .list("segments", self.segments.iter().map(WireSegment::written))
            .raw("policy", &rules.raw("from", &from.end()).end())
            .raw("ground", &self.ground.written())
            .list("findings", self.findings.iter().map(WireFinding::written));
        if whole {
            out = out.whole("askedAtMs", self.asked_at_ms).whole("timeoutMs", self.timeout_ms);
        }
        out = out.text("digest", &self.digest).raw("always", &always.end());
        if let Some(said) = &self.said {
            out = out.raw("said", &bytes_json(said));
        }
        if whole {
            out = out.flag("detached", self.detached);
        }
        out.end()
    }

    /// Reads the text of a request. Total: any text is a question or an error.
    ///
    /// # Errors
    /// A field is missing, unknown, of another kind or out of bounds; a proposal is not derived from a segment that is
    /// shown; a text is none of the words.
    pub fn parse(text: &str) -> Read<WireQuestion> {
        let value = crate::frame::value(text.as_bytes())?;
        let mut f = Fields::of(&value, "request")?;
        if f.whole("v")? != VERSION {
            return Err(Malformed::new("v", "not the version spoken here"));
        }
        let from = |f: &mut Fields<'_>, name| Ok(f.text(name, MAX_TEXT)?.to_owned());
        let name = |f: &mut Fields<'_>, name| Ok(f.text(name, MAX_NAME)?.to_owned());
        let mut p = Fields::of(f.need("policy")?, "policy")?;
        let mut sources = Fields::of(p.need("from")?, "from")?;
        let segments: Read<Vec<_>> = f.list("segments", MAX_LIST)?.iter().map(WireSegment::read).collect();
        let findings: Read<Vec<_>> = f.list("findings", MAX_LIST)?.iter().map(WireFinding::read).collect();
        let question = WireQuestion {
            agent: name(&mut f, "agent")?,
            agents: texts(f.list("agents", 64)?, "agents")?,
            session: f.maybe_text("session", MAX_NAME)?.map(str::to_owned),
            host: f.text("host", MAX_NAME * 8)?.to_owned(),
            uid: u32::try_from(f.whole("uid")?).map_err(|_| Malformed::new("uid", "too large"))?,
            user: f.maybe_text("user", MAX_NAME * 8)?.map(str::to_owned),
            cwd: maybe_bytes(&mut f, "cwd")?,
            is_text: f.word("form", |w| match w {
                "text" => Some(true),
                "argv" => Some(false),
                _ => None,
            })?,
            argv: read_bytes_list(&mut f, "argv")?,
            found: read_bytes(f.need("found")?, "found")?,
            real: read_bytes(f.need("real")?, "real")?,
            text: maybe_bytes(&mut f, "text")?,
            said: maybe_bytes(&mut f, "said")?,
            shell: f.maybe_text("shell", MAX_NAME)?.map(str::to_owned),
            segments: segments?,
            security: p.word("security", known(&["deny", "allowlist", "full"]))?.to_owned(),
            ask: p.word("ask", known(&["off", "on-miss", "always"]))?.to_owned(),
            security_from: from(&mut sources, "security")?,
            ask_from: from(&mut sources, "ask")?,
            ground: WireFinding::read(f.need("ground")?)?,
            findings: findings?,
            asked_at_ms: f.whole("askedAtMs")?,
            timeout_ms: f.whole("timeoutMs")?,
            digest: f.hash("digest")?,
            always: always(f.need("always")?)?,
            detached: f.flag("detached")?,
        };
        sources.end()?;
        p.end()?;
        f.end()?;
        question.checked()
    }

    fn checked(self) -> Read<WireQuestion> {
        if self.argv.is_empty() {
            return Err(Malformed::new("argv", "empty"));
        }
        if self.text.as_ref().is_some_and(|text| !self.argv.contains(text)) {
            return Err(Malformed::new("text", "none of the words"));
        }
        let fits = |p: &Proposal| !p.entries.is_empty() && p.entries.iter().all(|e| self.covers(p.scope, e));
        match &self.always {
            Ok(_) if self.ask == "always" => {
                Err(Malformed::new("always", "offered though every command is asked"))
            }
            Ok(proposals) if proposals.is_empty() || !proposals.iter().all(fits) => {
                Err(Malformed::new("always", "entries for what is not shown"))
            }
            _ => Ok(self),
        }
    }

    /// True if an entry is what a proposal of that scope for one of the segments is.
    fn covers(&self, scope: Scope, entry: &Entry) -> bool {
        let pattern_is_a_path = !entry.pattern.contains(['*', '?', '{', '}', '\\', '[', ']']);
        pattern_is_a_path
            && self.segments.iter().any(|s| {
                s.satisfied_by.is_none()
                    && s.found.as_deref() == Some(entry.pattern.as_bytes())
                    && entry.args == s.args(scope)
                    && (scope == Scope::Program || entry.args.is_some())
            })
    }

    /// What a yes that outlives its question is bound to, besides its digest: all that a person was shown but the time,
    /// the session, and whether the asker waits. Whoever has the token can claim any digest; with this a yes to one
    /// command is none to another.
    pub fn key(&self) -> String {
        mac::sha256(self.written(false).as_bytes())
    }

    /// The entries that *always* of that scope stores; `None` if it is not offered.
    pub fn entries(&self, scope: Scope) -> Option<&[Entry]> {
        let proposals = self.always.as_ref().ok()?;
        proposals.iter().find(|p| p.scope == scope).map(|p| p.entries.as_slice())
    }

    /// The command in one line, as it would be pasted; a text of its own follows where one is given to a shell.
    pub fn command(&self) -> Shown {
        match (&self.text, self.is_text) {
            (Some(text), true) => Shown::text(text),
            _ => Shown::argv(&self.argv),
        }
    }
}

fn known(list: &'static [&'static str]) -> impl Fn(&str) -> Option<&'static str> {
    move |w| list.iter().copied().find(|k| *k == w)
}

fn texts(list: &[Value], name: &'static str) -> Read<Vec<String>> {
    let text = |v: &Value| v.as_str().filter(|t| t.len() <= MAX_NAME).map(str::to_owned);
    list.iter().map(|v| text(v).ok_or(Malformed::new(name, "no text, or too long"))).collect()
}

fn proposal_json(p: &Proposal) -> String {
    Object::new().text("scope", p.scope.word()).list("entries", p.entries.iter().map(entry_json)).end()
}

/// An entry that *always* would store, as it stands in the document, without what whoever stores it adds (id, source,
/// time).
pub fn entry_json(entry: &Entry) -> String {
    let out = Object::new().text("pattern", &entry.pattern);
    match &entry.args {
        Some(args) => out.list("args", args.iter().map(|a| quoted(a))),
        None => out,
    }
    .end()
}

fn always(value: &Value) -> Read<Result<Vec<Proposal>, String>> {
    let mut f = Fields::of(value, "always")?;
    let none = f.maybe_text("none", MAX_TEXT)?.map(str::to_owned);
    let always = match (none, f.get("scopes")) {
        (Some(why), None) => Err(why),
        (None, Some(_)) => {
            Ok(f.list("scopes", Scope::ALL.len())?.iter().map(proposal).collect::<Read<Vec<_>>>()?)
        }
        _ => return Err(Malformed::new("always", "neither scopes nor why there are none")),
    };
    f.end()?;
    Ok(always)
}

fn proposal(value: &Value) -> Read<Proposal> {
    let mut f = Fields::of(value, "scopes")?;
    let entries: Read<Vec<Entry>> = f.list("entries", MAX_LIST)?.iter().map(entry).collect();
    let proposal = Proposal { scope: f.word("scope", Scope::of)?, entries: entries? };
    f.end()?;
    Ok(proposal)
}

fn entry(value: &Value) -> Read<Entry> {
    let mut f = Fields::of(value, "entries")?;
    let word = |v: &Value| v.as_str().map(str::to_owned).ok_or(Malformed::new("args", "no text"));
    let args = match f.get("args") {
        Some(_) => Some(f.list("args", MAX_LIST)?.iter().map(word).collect::<Read<Vec<_>>>()?),
        None => None,
    };
    let entry = Entry { pattern: f.text("pattern", MAX_TEXT)?.to_owned(), args, ..Entry::default() };
    f.end()?;
    Ok(entry)
}

fn segment(s: &Segment) -> WireSegment {
    WireSegment {
        text: s.text.clone(),
        argv: s.argv.iter().map(|a| a.shown().to_vec()).collect(),
        dynamic: s.argv.iter().map(Arg::is_dynamic).collect(),
        found: s.exe.as_ref().map(|e| e.found.clone()),
        real: s.exe.as_ref().map(|e| e.real.clone()),
        kind: s.kind.word().to_owned(),
        within: s.within.and_then(|n| u64::try_from(n).ok()),
        satisfied_by: s.satisfied_by.map(|b| b.word().to_owned()),
    }
}

fn finding(f: &policy::Finding) -> WireFinding {
    WireFinding {
        code: f.reason.code().to_owned(),
        message: f.message.clone(),
        advice: f.advice.clone().filter(|a| !a.is_empty()),
        segment: f.segment.and_then(|n| u64::try_from(n).ok()),
    }
}

impl WireSegment {
    /// The words after the name, as an entry of that scope has them.
    fn args(&self, scope: Scope) -> Option<Vec<String>> {
        let known = || !self.dynamic.iter().any(|d| *d);
        let words = self.argv.get(1..).unwrap_or_default();
        match scope {
            Scope::Program => None,
            Scope::Subcommand => {
                let first = words.first().filter(|_| self.dynamic.get(1) == Some(&false))?;
                Some(vec![String::from_utf8(first.clone()).ok()?, "...".to_owned()])
            }
            Scope::Arguments if known() => words.iter().map(|w| policy::literal_glob(w)).collect(),
            Scope::Arguments => None,
        }
    }

    fn written(&self) -> String {
        Object::new()
            .raw("text", &bytes_json(&self.text))
            .raw("argv", &bytes_list(&self.argv))
            .list("dynamic", self.dynamic.iter().map(bool::to_string))
            .raw("found", &maybe_bytes_json(self.found.as_deref()))
            .raw("real", &maybe_bytes_json(self.real.as_deref()))
            .text("kind", &self.kind)
            .maybe_whole("within", self.within)
            .maybe("satisfiedBy", self.satisfied_by.as_deref())
            .end()
    }

    fn read(value: &Value) -> Read<WireSegment> {
        let mut f = Fields::of(value, "segments")?;
        let flag = |v: &Value| v.as_bool().ok_or(Malformed::new("dynamic", "neither true nor false"));
        let dynamic: Read<Vec<bool>> = f.list("dynamic", MAX_LIST)?.iter().map(flag).collect();
        let segment = WireSegment {
            text: read_bytes(f.need("text")?, "text")?,
            argv: read_bytes_list(&mut f, "argv")?,
            dynamic: dynamic?,
            found: maybe_bytes(&mut f, "found")?,
            real: maybe_bytes(&mut f, "real")?,
            kind: f.word("kind", known(&["program", "builtin", "function"]))?.to_owned(),
            within: f.maybe_whole("within")?,
            satisfied_by: f.maybe_text("satisfiedBy", MAX_NAME)?.map(str::to_owned),
        };
        f.end()?;
        if segment.dynamic.len() != segment.argv.len() {
            return Err(Malformed::new("dynamic", "not one for each word"));
        }
        Ok(segment)
    }
}

impl WireFinding {
    fn written(&self) -> String {
        Object::new()
            .text("code", &self.code)
            .text("message", &self.message)
            .maybe("advice", self.advice.as_deref())
            .maybe_whole("segment", self.segment)
            .end()
    }

    fn read(value: &Value) -> Read<WireFinding> {
        let mut f = Fields::of(value, "findings")?;
        let finding = WireFinding {
            code: f.text("code", MAX_NAME)?.to_owned(),
            message: f.text("message", crate::frame::MAX_LINE)?.to_owned(),
            advice: f.maybe_text("advice", crate::frame::MAX_LINE)?.map(str::to_owned),
            segment: f.maybe_whole("segment")?,
        };
        f.end()?;
        Ok(finding)
    }
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
