//! *Targets*: this host. Its approver, its documents, what lasts, and who is looking.
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{Html, Response};
use maud::{Markup, html};
use protocol::Shown;

use super::door::Message;
use super::form::{Fields, decode, encode};
use super::layout::{self, Page, csrf};
use super::{Session, Site, gate, owners, shown, time};

/// Runs that are shown.
const RUNS: usize = 20;

/// The page.
pub async fn page(State(site): State<Arc<Site>>, Extension(session): Extension<Session>) -> Html<String> {
    let content = html! {
        h1 { "Targets" }
        (host(&site))
        (owners::section(&site))
        (overrides(&site, &session))
        (runs(&site))
        (sessions(&site, &session))
    };
    Html(layout::page(&site, &session, Page::Targets, &content).into_string())
}

fn fact(label: &str, value: &Markup) -> Markup {
    html! { div { dt { (label) } dd { (value) } } }
}

fn host(site: &Site) -> Markup {
    let status = site.handle.status();
    site.handle.rules().changed();
    let documents = site.handle.rules().current();
    html! {
        section.box aria-labelledby="host" {
            h2 id="host" { "This host: " (Shown::text(&sys::time::hostname())) }
            dl.facts {
                (fact("State", &match &documents {
                    Ok(_) => html! { span.badge.allow { "works" } },
                    Err(e) => html! { span.badge.deny { "a document cannot be believed: nothing runs" } " " (shown(e)) },
                }))
                (fact("Version", &html! { (status.version) }))
                (fact("Process", &html! { (status.pid) ", since " (time::moment(status.started_at_ms)) }))
                (fact("Questions", &html! { (status.waiting) " waiting, " (status.over) " over" }))
                (fact("Asked at", &html! { code { (shown(&status.socket)) } }))
                (fact("Panel", &html! { code { (site.origin()) } }))
                @if let Ok(d) = &documents {
                    (fact("Documents", &html! {
                        ul {
                            @for (layer, file) in d.policy().documents() { li { (layer) " " code { (shown(file)) } } }
                            @if d.policy().is_embedded() { li { "none: the preset cautious rules" } }
                        }
                    }))
                    @if let Some(state) = d.state() {
                        (fact("State folder", &html! { code { (Shown::text(state.as_os_str().as_encoded_bytes())) } }))
                    }
                    @if let Some(target) = d.editable() {
                        (fact("Edits go to", &html! { code { (Shown::text(target.path.as_os_str().as_encoded_bytes())) } }))
                    }
                }
            }
        }
    }
}

fn overrides(site: &Site, session: &Session) -> Markup {
    let all = site.handle.overrides();
    html! {
        section.box aria-labelledby="lasting" {
            h2 id="lasting" { "Overrides" }
            @if all.is_empty() {
                p.dim { "None. " code { "exec-guardctl session set" } " sets one for a while." }
            } @else {
                ul.plain {
                    @for o in &all {
                        li.row {
                            span.grow {
                                "agent " code { (shown(&o.agent)) }
                                @if let Some(s) = &o.session { ", session " code { (shown(s)) } }
                                @if let Some(s) = &o.security { ", security " b { (s) } }
                                @if let Some(a) = &o.ask { ", ask " b { (a) } }
                                ", until " (time::moment(o.until_ms)) ", by " (shown(&o.by))
                            }
                            form method="post" action="targets/override" {
                                (csrf(session))
                                input type="hidden" name="agent" value=(encode(&o.agent));
                                @if let Some(s) = &o.session { input type="hidden" name="of" value=(encode(s)); }
                                button.quiet type="submit" aria-label=(format!("End the override of agent {}", shown(&o.agent))) { "End it" }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn runs(site: &Site) -> Markup {
    let all = site.handle.runs();
    html! {
        @if !all.is_empty() {
            section.box aria-labelledby="runs" {
                h2 id="runs" { "Commands that were asked about" }
                table {
                    thead { tr { th scope="col" { "State" } th scope="col" { "Command" } th scope="col" { "Agent" } } }
                    tbody {
                        @for r in all.iter().take(RUNS) {
                            tr {
                                td data-label="State" {
                                    (shown(&r.state))
                                    @if let Some(code) = r.code { ", exit " (code) }
                                    @if let Some(why) = &r.reason { " " code { (shown(why)) } }
                                }
                                td data-label="Command" { code { (shown(&r.command)) } }
                                td data-label="Agent" { (shown(&r.agent)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn sessions(site: &Site, session: &Session) -> Markup {
    let wall = |ms| site.handle.clock().wall(ms);
    html! {
        section.box aria-labelledby="sessions" {
            h2 id="sessions" { "Browsers in this panel" }
            ul.plain {
                @for (at, s) in site.door.sessions(site.now()).iter().enumerate() {
                    li.row {
                        span.grow {
                            @if s.id == session.id { b { "This one. " } }
                            (shown(&s.browser))
                            div.from { "since " (time::moment(wall(s.started_ms))) ", last seen " (time::moment(wall(s.used_ms))) }
                        }
                        form method="post" action="targets/session" {
                            (csrf(session))
                            input type="hidden" name="id" value=(s.id);
                            button.quiet type="submit" aria-label=(format!("Log out browser {}", at + 1)) { "Log out" }
                        }
                    }
                }
            }
        }
    }
}

/// Ends an override.
pub async fn end_override(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    let of = fields.filled("of").map(decode);
    let good = site.handle.override_clear(&decode(fields.get("agent")), of.as_deref());
    let text = if good { "The override was ended." } else { "There is no such override any more." };
    site.door.say(&session.id, Message { good, text: text.into() }, site.now());
    gate::to(&session, "targets")
}

/// Logs a browser out.
pub async fn end_session(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    site.door.end(fields.get("id"), site.now());
    gate::to(&session, "targets")
}

/// Logs this browser out; its cookie is worth nothing from then on.
pub async fn leave(State(site): State<Arc<Site>>, Extension(session): Extension<Session>) -> Response {
    site.door.end(&session.id, site.now());
    gate::to(&session, "")
}
