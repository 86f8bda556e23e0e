//! What all pages have in common.
use maud::{DOCTYPE, Markup, html};

use super::door::Message;
use super::{Session, Site, assets, shown, time};

/// A page of the panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Questions that wait.
    Pending,
    /// The documents.
    Policy,
    /// The journal.
    History,
    /// This host.
    Targets,
}

impl Page {
    const ALL: [Page; 4] = [Page::Pending, Page::Policy, Page::History, Page::Targets];

    /// Its title.
    fn title(self) -> &'static str {
        match self {
            Page::Pending => "Pending",
            Page::Policy => "Policy",
            Page::History => "History",
            Page::Targets => "Targets",
        }
    }

    /// Its path below the session's.
    fn path(self) -> &'static str {
        match self {
            Page::Pending => "",
            Page::Policy => "policy",
            Page::History => "history",
            Page::Targets => "targets",
        }
    }
}

/// htmx without what it would write into the page by itself, and without code out of attributes.
const HTMX: &str = r#"{"includeIndicatorStyles":false,"allowEval":false,"allowScriptTags":false,"historyCacheSize":0,"historyEnabled":false,"attributesToSettle":[]}"#;

fn head(title: &str, scripts: bool) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " – exec-guard" }
            link rel="stylesheet" href=(assets::address("panel.css"));
            link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
            @if scripts {
                meta name="htmx-config" content=(HTMX);
                @for name in ["htmx.min.js", "htmx-sse.min.js", "panel.js"] {
                    script src=(assets::address(name)) defer {}
                }
            }
        }
    }
}

/// What everybody sees who was not let in: a word how to get in, and nothing else.
pub fn locked() -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Locked", false))
            body.locked {
                main {
                    h1 { "This panel is locked" }
                    p { "To enter, run this on the machine it runs on, and open the link it prints:" }
                    pre { code { "exec-guardctl panel" } }
                    p { "A link is good once and for two minutes. A session ends after two hours without use." }
                }
            }
        }
    }
}

/// A page around what it says.
pub fn page(site: &Site, session: &Session, which: Page, content: &Markup) -> Markup {
    let base = format!("/s/{}/", session.id);
    let said = site.door.said(&session.id, site.now());
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(which.title(), true))
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    span.brand {
                        img src=(assets::address("icon.svg")) alt="" width="20" height="20";
                        "exec-guard"
                    }
                    nav aria-label="Pages" {
                        ul {
                            @for p in Page::ALL {
                                li {
                                    a href=(format!("{base}{}", p.path())) aria-current=[(p == which).then_some("page")] {
                                        (p.title())
                                    }
                                }
                            }
                        }
                    }
                    form method="post" action=(format!("{base}leave")) {
                        (csrf(session))
                        button.quiet type="submit" { "Log out" }
                    }
                }
                div id="overrides" { (overrides(site)) }
                main id="main" tabindex="-1" {
                    div id="messages" role="status" { (messages(&said)) }
                    (content)
                }
            }
        }
    }
}

/// What a form carries so that it is known to be ours.
pub fn csrf(session: &Session) -> Markup {
    html! { input type="hidden" name="csrf" value=(session.csrf); }
}

/// What happened.
pub fn messages(all: &[Message]) -> Markup {
    html! {
        @for m in all {
            p class=(if m.good { "message good" } else { "message bad" }) { (m.text) }
        }
    }
}

/// The overrides in force, which every page shows.
pub fn overrides(site: &Site) -> Markup {
    let all = site.handle.overrides();
    html! {
        @if !all.is_empty() {
            aside.overrides aria-label="Overrides in force" {
                strong { (if all.len() == 1 { "Override in force" } else { "Overrides in force" }) }
                ul {
                    @for o in &all {
                        li {
                            "agent " code { (shown(&o.agent)) }
                            @if let Some(s) = &o.session { ", session " code { (shown(s)) } }
                            ": "
                            @if let Some(s) = &o.security { "security " b { (s) } " " }
                            @if let Some(a) = &o.ask { "ask " b { (a) } " " }
                            "until " (time::moment(o.until_ms)) ", by " (shown(&o.by))
                        }
                    }
                }
            }
        }
    }
}
