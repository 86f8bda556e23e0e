//! What rules for tools of gateways, as *Targets* shows it: read only, since what loosens it is typed by its owner.
use ::tools::config::Settings;
use maud::{Markup, html};

use super::{Site, shown};

/// Modes and owners; nothing where no document says anything of tools.
pub fn section(site: &Site) -> Markup {
    let Ok(documents) = site.handle.rules().current() else { return html! {} };
    let settings = Settings::of(documents.policy());
    if settings.as_ref().is_ok_and(|s| s.file.is_none()) {
        return html! {};
    }
    html! {
        section.box aria-labelledby="tools" {
            h2 id="tools" { "Tools of gateways" }
            @match &settings {
                Err(fault) => p { span.badge.deny { "no tool runs" } " " (shown(&fault.0)) },
                Ok(s) => dl.facts {
                    (fact("Mode", &html! {
                        b { (s.mode.word()) }
                        @for (tool, mode) in &s.overrides { "; " (shown(tool)) " " b { (mode.word()) } }
                    }))
                    (fact("Owners", &html! {
                        @if s.owners.is_empty() { "nobody: every dangerous call needs somebody's yes" }
                        @else { ul { @for owner in &s.owners { li { code { (shown(owner)) } } } } }
                        span.from { " changed by " code { "exec-guardctl owners add|remove" } }
                    }))
                    @if let Some(file) = &s.file { (fact("Said in", &html! { code { (shown(file)) } })) }
                },
            }
        }
    }
}

fn fact(label: &str, value: &Markup) -> Markup {
    html! { div { dt { (label) } dd { (value) } } }
}
