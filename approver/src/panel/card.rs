//! A question as a person sees it: everything that would run, and why somebody is asked.
use maud::{Markup, html};
use policy::{Choice, Scope};
use protocol::Shown;
use protocol::ask::{WireFinding, WireQuestion, WireSegment, entry_json};
use protocol::operator::{Row, State};
use serde_json::Value;

use super::layout::csrf;
use super::{Session, shown, time};
use crate::always;
use crate::handle::Group;

fn text(bytes: &[u8]) -> String {
    Shown::text(bytes).into_string()
}

/// The last part of a path, made visible.
fn name(path: &[u8]) -> String {
    text(path.rsplit(|b| *b == b'/').next().unwrap_or_default())
}

/// `found → real`, or one of them where both are the same.
fn program(found: &[u8], real: &[u8]) -> Markup {
    html! {
        code { (text(found)) }
        @if found != real { span.arrow { " → " } code { (text(real)) } }
    }
}

/// What is asked in a few words, for headings and for those who listen.
pub fn title(group: &Group) -> String {
    let agent = shown(&group.row.agent);
    if let Some(tool) = &group.row.tool {
        return format!("{agent} asks for the tool {}", shown(&tool.name));
    }
    match WireQuestion::parse(&group.body) {
        Ok(q) => format!("{agent} asks to run {}", name(&q.found)),
        Err(_) => format!("{agent} asks to run a command"),
    }
}

/// One or several questions that are the same, with what can be answered.
pub fn card(group: &Group, session: &Session, now_ms: u64) -> Markup {
    let question = WireQuestion::parse(&group.body);
    let key = &group.key;
    html! {
        article.card id=(format!("q-{key}")) tabindex="-1" aria-labelledby=(format!("t-{key}")) {
            header {
                h2 id=(format!("t-{key}")) { (title(group)) }
                (count(group, false))
                (left(group, now_ms, false))
            }
            @match &question {
                Ok(q) => (whole(q, &group.row)),
                // OpenClaw's plain form.
                Err(_) => (plain(group)),
            }
            (answers(group, question.as_ref().ok(), session))
        }
    }
}

/// How many there are.
pub fn count(group: &Group, oob: bool) -> Markup {
    html! {
        span.count id=(format!("n-{}", group.key)) hx-swap-oob=[oob.then_some("true")] {
            @if group.count > 1 {
                "× " (group.count) ": one answer for "
                @if group.ids.len() < group.count { "the first " (group.ids.len()) } @else { "all" }
            }
        }
    }
}

/// The time that is left. The browser counts on; those who listen are not told every second.
pub fn left(group: &Group, now_ms: u64, oob: bool) -> Markup {
    let left = group.ends_at_ms.saturating_sub(now_ms);
    html! {
        p.left id=(format!("l-{}", group.key)) hx-swap-oob=[oob.then_some("true")] {
            "time left " span data-left=(left) { (time::span(left)) }
        }
    }
}

/// The ids that an answer is for, in one of the card's three forms.
pub fn ids(group: &Group, form: &str, oob: bool) -> Markup {
    html! {
        input type="hidden" name="ids" id=(format!("{form}-{}", group.key)) value=(group.ids.join(" "))
            hx-swap-oob=[oob.then_some("true")];
    }
}

/// Names of the three forms.
pub const FORMS: [&str; 3] = ["once", "always", "deny"];

fn whole(q: &WireQuestion, row: &Row) -> Markup {
    html! {
        (command(q))
        dl.facts {
            @if let Some(tool) = &row.tool {
                (fact("Tool", &html! { code { (shown(&tool.name)) } }))
                (fact("User", &html! { code { (shown(&tool.user)) } }))
                @for (label, value) in [("Channel", &tool.channel), ("Message", &tool.message)] {
                    @if let Some(value) = value { (fact(label, &html! { code { (shown(value)) } })) }
                }
            }
            (fact("Folder", &html! {
                @match &q.cwd { Some(d) => code { (text(d)) }, None => "a folder that cannot be told" }
            }))
            (fact("Program", &program(&q.found, &q.real)))
            (fact("Agent", &html! {
                @for (at, agent) in q.agents.iter().enumerate() {
                    @if at > 0 { " or " } code { (shown(agent)) }
                }
                @if q.agents.len() > 1 { " (in doubt: claim and signs differ)" }
            }))
            @if let Some(s) = &q.session { (fact("Session", &html! { code { (shown(s)) } })) }
            (fact("Host", &html! {
                (shown(&q.host)) ", user " (q.uid)
                @if let Some(u) = &q.user { " (" (shown(u)) ")" }
            }))
            (fact("Policy", &html! {
                ul {
                    li { "security " b { (q.security) } " " span.from { (shown(&q.security_from)) } }
                    li { "ask " b { (q.ask) } " " span.from { (shown(&q.ask_from)) } }
                }
            }))
            (fact("Rule that asks", &html! {
                ul { @for f in std::iter::once(&q.ground).chain(&q.findings) { li { (finding(f)) } } }
            }))
            @if let Some(shell) = &q.shell { (fact("Read as", &html! { (shown(shell)) })) }
            (fact("Asked", &html! {
                (time::moment(row.asked_at_ms))
                @if row.detached { "; whoever asked does not wait" }
            }))
            (fact("Id", &html! { code { (row.id) } }))
        }
        @if q.is_text || q.segments.len() > 1 {
            details open[q.segments.len() <= 8] {
                summary { "Its " (q.segments.len()) " commands, one by one" }
                ol.segments { @for s in &q.segments { (segment(s)) } }
            }
        }
    }
}

fn fact(label: &str, value: &Markup) -> Markup {
    html! { div { dt { (label) } dd { (value) } } }
}

fn finding(f: &WireFinding) -> Markup {
    html! {
        code.ground { (shown(&f.code)) } " " (shown(&f.message))
        @if let Some(a) = &f.advice { " " span.advice { (shown(a)) } }
    }
}

fn segment(s: &WireSegment) -> Markup {
    html! {
        li {
            code { (text(&s.text)) } " "
            @match &s.satisfied_by {
                Some(by) => span.badge.allow { "allowed: " (shown(by)) },
                None => span.badge.ask { "not allowed as it stands" },
            }
            @if let (Some(found), Some(real)) = (&s.found, &s.real) { div.from { (program(found, real)) } }
            @else { div.from { (shown(&s.kind)) } }
        }
    }
}

/// The words as they will be executed; a word of several lines is named in its place and follows, line by line.
fn command(q: &WireQuestion) -> Markup {
    let whole = |word: &[u8]| word.contains(&b'\n') || (q.is_text && q.text.as_deref() == Some(word));
    let texts: Vec<&Vec<u8>> = q.argv.iter().filter(|w| whole(w)).collect();
    let words: Vec<String> = q
        .argv
        .iter()
        .scan(0, |n, word| {
            Some(if whole(word) {
                *n += 1;
                format!("⟨text {n}⟩")
            } else {
                Shown::word(word).into_string()
            })
        })
        .collect();
    html! {
        @if texts.is_empty() {
            pre.command tabindex="0" role="group" aria-label="Command" { code { (Shown::argv(&q.argv)) } }
        } @else {
            pre.command tabindex="0" role="group" aria-label="Command" { code { (words.join(" ")) } }
            @for (at, t) in texts.iter().enumerate() {
                p.label { "⟨text " (at + 1) "⟩, " (t.len()) " bytes:" }
                ol.script tabindex="0" role="group" aria-label=(format!("Text {}", at + 1)) {
                    @for line in Shown::lines(t) { li { code { (line) } } }
                }
            }
        }
    }
}

fn plain(group: &Group) -> Markup {
    let body: Value = serde_json::from_str(&group.body).unwrap_or_default();
    let asked = body.get("request").and_then(Value::as_object);
    let word = |v: &Value| v.as_str().map_or_else(|| shown(&v.to_string()), shown);
    html! {
        p.warning { "Asked in OpenClaw's plain form: the answer is not bound to what will run." }
        pre.command tabindex="0" role="group" aria-label="Command" {
            code { (asked.and_then(|a| a.get("command")).map_or_else(|| group.row.command.clone(), word)) }
        }
        dl.facts {
            @for (key, value) in asked.into_iter().flatten().filter(|(key, v)| *key != "command" && !v.is_null()) {
                (fact(&shown(key), &html! { code { (word(value)) } }))
            }
            (fact("Id", &html! { code { (group.row.id) } }))
        }
    }
}

/// What a scope means, for a person.
fn scope_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Arguments => "exactly these arguments",
        Scope::Subcommand => "this subcommand with any further arguments",
        Scope::Program => "this program with any arguments",
    }
}

/// The scopes that would be stored if they were chosen; else why there are none.
fn offered(q: Option<&WireQuestion>) -> Result<Vec<(Scope, Vec<String>)>, String> {
    let q = q.ok_or("it was asked in a form that has no entries")?;
    if q.uid != sys::ids::uid() {
        return Err("another user's guard has a policy of its own, which is not written here".into());
    }
    let proposals = q.always.as_ref().map_err(Clone::clone)?;
    let mut why = String::new();
    let fit: Vec<(Scope, Vec<String>)> = proposals
        .iter()
        .filter(|p| always::entries(q, p.scope).map_err(|e| why = e).is_ok())
        .map(|p| (p.scope, p.entries.iter().map(|e| shown(&entry_json(e))).collect()))
        .collect();
    if fit.is_empty() { Err(why) } else { Ok(fit) }
}

fn answers(group: &Group, q: Option<&WireQuestion>, session: &Session) -> Markup {
    let key = &group.key;
    let action = format!("/s/{}/answer", session.id);
    let form = |name: &str, choice: &str, inner: Markup| {
        html! {
            form.(name) method="post" action=(action) hx-post=(action) hx-swap="none" hx-disabled-elt="find button" {
                (csrf(session))
                (ids(group, name, false))
                input type="hidden" name="key" value=(key);
                input type="hidden" name="choice" value=(choice);
                (inner)
            }
        }
    };
    let [once, always, deny] = FORMS;
    html! {
        div.answers {
            (form(once, "allow-once", html! {
                button.allow type="submit" { "Approve once" kbd aria-hidden="true" { "a" } }
            }))
            (form(deny, "deny", html! {
                label for=(format!("r-{key}")) { "Reason" }
                input type="text" name="reason" id=(format!("r-{key}")) maxlength="1000" autocomplete="off"
                    placeholder="told to whoever asked" hx-preserve="true";
                button.deny type="submit" { "Deny" kbd aria-hidden="true" { "d" } }
            }))
            @match offered(q) {
                Ok(scopes) => details.always {
                    summary { "Always allow…" kbd aria-hidden="true" { "A" } }
                    (form(always, "allow-always", html! {
                        fieldset {
                            legend { "What is stored for agent " code { (shown(&group.row.agent)) } }
                            @for (at, (scope, entries)) in scopes.iter().enumerate() {
                                label.scope {
                                    input type="radio" name="scope" value=(scope.word()) checked[at == 0] required;
                                    span { (scope_words(*scope)) }
                                    @for e in entries { code.entry { (e) } }
                                }
                            }
                        }
                        button.always type="submit" { "Always allow" }
                    }))
                },
                Err(why) => p.note { "Always is not offered: " (shown(&why)) },
            }
        }
    }
}

/// What became of a question, in place of its card.
pub fn over(key: &str, row: Option<&Row>) -> Markup {
    let (class, words) = row.map_or(("gone", "gone".to_owned()), outcome);
    html! {
        article.card.over.(class) id=(format!("q-{key}")) tabindex="-1" data-over="true" hx-swap-oob="true"
            aria-labelledby=(format!("t-{key}")) {
            header {
                h2 id=(format!("t-{key}")) {
                    @match row { Some(r) => { (shown(&r.agent)) ": " code { (shown(&r.command)) @if r.cut { " …" } } }, None => "A question" }
                }
                p.outcome { (words) }
            }
        }
    }
}

/// A class and a sentence.
pub fn outcome(row: &Row) -> (&'static str, String) {
    let by = row.by.as_deref().map(shown).unwrap_or_default();
    match (row.state, row.choice) {
        (State::Answered, Some(Choice::AllowOnce)) => ("allowed", format!("Allowed once by {by}")),
        (State::Answered, Some(Choice::AllowAlways(scope))) => {
            ("allowed", format!("Always allowed by {by}: {}", scope_words(scope)))
        }
        (State::Answered, _) => {
            let why = row.reason.as_deref().map(|r| format!(": {}", shown(r))).unwrap_or_default();
            ("denied", format!("Denied by {by}{why}"))
        }
        (State::Expired, _) => ("gone", "Expired: nobody answered in time, so it did not run".into()),
        (State::Withdrawn, _) => ("gone", "Withdrawn: whoever asked went away".into()),
        (State::Waiting, _) => ("gone", "Still waiting".into()),
    }
}
