//! *Pending*: the questions that wait, and their answers.
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, PreEscaped, html};
use policy::{Choice, Scope};
use protocol::Code;
use protocol::message::MAX_REASON;
use protocol::operator::State as Stands;

use super::door::Message;
use super::form::Fields;
use super::layout::{self, Page};
use super::{Session, Site, card, gate, live, shown};
use crate::handle::{Groups, Refusal};
use crate::peer::Operator;

/// Groups on a page.
pub const MOST: usize = 50;
/// Bytes of questions on a page, from the second one on.
pub const BYTES: usize = 2 << 20;

/// The page.
pub async fn page(State(site): State<Arc<Site>>, Extension(session): Extension<Session>) -> Html<String> {
    let groups = site.handle.groups(MOST, BYTES);
    let events = format!("/s/{}/events?at={}", session.id, live::at(&groups));
    let content = html! {
        div hx-ext="sse" sse-connect=(events) sse-swap="questions" hx-swap="none" {
            div.title {
                h1 { "Pending " (waiting(&groups, false)) }
                p.live id="live" data-live="" { "Not live without JavaScript: reload to see what is new." }
            }
            div.sr id="news" role="log" aria-live="polite" {}
            (none(&groups, false))
            section id="questions" aria-label="Questions that wait" { (cards(&groups, &session)) }
            (more(&groups, false))
        }
        div id="toast" role="status" {}
        (keys())
    };
    Html(layout::page(&site, &session, Page::Pending, &content).into_string())
}

fn keys() -> Markup {
    html! {
        details id="keys" {
            summary { "Keys" kbd aria-hidden="true" { "?" } }
            dl {
                @for (key, what) in [
                    ("j, k", "next, previous question"),
                    ("a", "approve the question that is marked, once"),
                    ("A", "choose what is always allowed for it"),
                    ("d", "deny it: type a reason, then Enter"),
                    ("Esc", "back to the question"),
                    ("?", "these keys"),
                ] {
                    div { dt { kbd { (key) } } dd { (what) } }
                }
            }
        }
    }
}

/// The cards.
pub fn cards(groups: &Groups, session: &Session) -> Markup {
    let now = sys::time::now_ms();
    html! { @for g in &groups.shown { (card::card(g, session, now)) } }
}

/// How many wait.
pub fn waiting(groups: &Groups, oob: bool) -> Markup {
    html! {
        span.number id="waiting" data-waiting=(groups.waiting) hx-swap-oob=[oob.then_some("true")] { (groups.waiting) }
    }
}

/// A word where none waits.
pub fn none(groups: &Groups, oob: bool) -> Markup {
    html! {
        p.none id="none" hidden[groups.waiting > 0] hx-swap-oob=[oob.then_some("true")] {
            "No question waits. New ones appear here by themselves."
        }
    }
}

/// A word where there are more than fit.
pub fn more(groups: &Groups, oob: bool) -> Markup {
    html! {
        p.more id="more" hidden[groups.more == 0] hx-swap-oob=[oob.then_some("true")] {
            "And " (groups.more) " more. They move up as these are answered."
        }
    }
}

/// What a form asks for.
fn choice(fields: &Fields) -> Option<Choice> {
    let scope = match fields.get("choice") {
        "allow-always" => Some(Scope::of(fields.get("scope"))?),
        _ => None,
    };
    protocol::message::choice(fields.get("choice"), scope)
}

/// Answers one question, or several that are the same.
pub async fn answer(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
    headers: HeaderMap,
) -> Response {
    let mut messages = Vec::new();
    let bad = |text: String| Message { good: false, text };
    let reason = fields.filled("reason").map(str::to_owned);
    let mut over = None;
    match choice(&fields) {
        None => messages.push(bad("That is no answer.".into())),
        Some(_) if reason.as_ref().is_some_and(|r| r.len() > MAX_REASON) => {
            messages.push(bad(format!("The reason is longer than {MAX_REASON} bytes.")));
        }
        Some(choice) => {
            let who = Operator::panel(session.by.clone());
            let mut done = 0_usize;
            for (at, id) in fields.get("ids").split_whitespace().enumerate() {
                // Stored once is stored.
                let choice = match choice {
                    Choice::AllowAlways(_) if at > 0 => Choice::AllowOnce,
                    other => other,
                };
                // Only ever the question that was shown: a beginning of an id could mean another one.
                let answered = match id.len() {
                    36 => site.handle.answer(id, choice, reason.clone(), &who).await,
                    _ => Err(Refusal::from(Code::Unknown)),
                };
                match answered {
                    Ok(said) => {
                        done += 1;
                        messages.extend(said.note.map(|n| bad(shown(&n))));
                        over = Some(said.row);
                    }
                    Err(refusal) => {
                        messages.push(bad(refused(&refusal)));
                        if matches!(choice, Choice::AllowAlways(_)) {
                            // The others were to follow it.
                            break;
                        }
                    }
                }
            }
            if let Some(row) = &over {
                let times = if done > 1 { format!(" ({done} questions)") } else { String::new() };
                let text = format!("{}: {}{times}", card::outcome(row).1, row.command);
                messages.insert(0, Message { good: true, text });
            } else if messages.is_empty() {
                messages.push(bad("No question was named.".into()));
            }
            messages.dedup();
        }
    }
    if headers.contains_key("hx-request") {
        let key =
            Some(fields.get("key")).filter(|k| k.len() == 32 && k.bytes().all(|b| b.is_ascii_hexdigit()));
        let over = over.filter(|row| row.state != Stands::Waiting && !still(&site, key));
        let fragment = html! {
            div id="toast" role="status" hx-swap-oob="true" { (layout::messages(&messages)) }
            @if let (Some(row), Some(key)) = (over, key) { (card::over(key, Some(&row))) }
        };
        return Html(fragment.into_string()).into_response();
    }
    for message in messages {
        site.door.say(&session.id, message, site.now());
    }
    gate::to(&session, "")
}

/// True if the same question waits again meanwhile: its card stays.
fn still(site: &Site, key: Option<&str>) -> bool {
    site.handle.groups(MOST, BYTES).shown.iter().any(|g| Some(g.key.as_str()) == key)
}

/// A refusal, for a person.
fn refused(refusal: &Refusal) -> String {
    let what = match refusal.code {
        Code::Answered => "It was answered already",
        Code::Expired => "It expired before the answer came",
        Code::Withdrawn => "Whoever asked went away",
        Code::Unknown => "There is no such question any more",
        Code::NotOffered => "That is not offered",
        Code::OwnQuestion => "The link to this page was fetched by whoever asks, who may not answer",
        _ => "The answer did not count",
    };
    match &refusal.detail {
        Some(detail) => format!("{what}: {}.", shown(detail)),
        None if refusal.code == Code::Internal => {
            "The answer did not count: the approver cannot write its state.".into()
        }
        None => format!("{what}."),
    }
}

/// Markup that goes into an element of the page in place of what is there.
pub fn into(selector: &str, content: &Markup) -> Markup {
    html! { div hx-swap-oob=(format!("innerHTML:{selector}")) { (PreEscaped(content.0.as_str())) } }
}
