//! *Policy*: the document that edits go to, scope by scope, and what all documents come to.
//!
//! Every form carries the hash of the text it was made from. If somebody else wrote meanwhile, nothing is written: the
//! page comes again with what stands there now beside what was typed, and the new hash, so that saving once more is a
//! decision.
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;
use store::edit::{EditError, List, add_to, edit_based};

use super::door::Message;
use super::edit::{self, SETTINGS, Scope};
use super::form::{Fields, decode, encode};
use super::layout::{self, Page};
use super::view::{self, Draft, View};
use super::{Session, Site, gate, shown};

/// The scope that a form or a query names.
fn scope(fields: &Fields) -> Scope {
    match (fields.filled("other"), fields.get("scope")) {
        (Some(other), _) => Some(other.to_owned()),
        (None, "") => None,
        (None, name) => name.strip_prefix("agent:").map(decode),
    }
}

/// A scope as a form names it.
pub fn name(scope: &Scope) -> String {
    scope.as_ref().map_or_else(|| "defaults".into(), |agent| format!("agent:{}", encode(agent)))
}

/// The page.
pub async fn page(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    show(&site, &session, &fields, None).await
}

async fn show(site: &Arc<Site>, session: &Session, fields: &Fields, draft: Option<Draft>) -> Response {
    let status = if draft.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let (of, scope, find) = (site.clone(), scope(fields), fields.get("find").trim().to_owned());
    // Documents and the journal are read: nobody else waits for it.
    let view = tokio::task::spawn_blocking(move || View::new(&of, scope, find)).await;
    let Ok(view) = view else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    let content = view::page(&view, session, draft.as_ref());
    (status, Html(layout::page(site, session, Page::Policy, &content).into_string())).into_response()
}

/// Writes settings.
pub async fn save(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    let words: Vec<String> = SETTINGS.iter().map(|(name, _)| fields.get(name).to_owned()).collect();
    let (of, wanted) = (scope(&fields), words.clone());
    let draft = Draft::Settings(words);
    let change =
        move |doc: &mut Value| edit::set(doc, &of, &wanted).map(|()| "The settings are saved.".to_owned());
    write(&site, &session, &fields, draft, change).await
}

/// Adds an entry.
pub async fn add(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    let get = |name: &str| fields.get(name).to_owned();
    let (pattern, args, any) = (get("pattern"), get("args"), fields.get("any") == "yes");
    let list = edit::list(fields.get("list"));
    let draft =
        Draft::Add { list: list.unwrap_or(List::Allow), pattern: pattern.clone(), args: args.clone(), any };
    let of = scope(&fields);
    let change = move |doc: &mut Value| {
        let list = list.ok_or("there is no such list")?;
        let entry = edit::entry(&pattern, &args, any)?;
        Ok(match add_to(doc, of.as_deref(), list, &[entry])? {
            0 => format!("{} was there already.", shown(&pattern)),
            _ => format!("{} is on the {}.", shown(&pattern), list.key()),
        })
    };
    write(&site, &session, &fields, draft, change).await
}

/// Removes an entry.
pub async fn remove(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    let (list, place) = (edit::list(fields.get("list")), fields.get("place").parse::<usize>());
    let draft = Draft::Remove { pattern: fields.get("pattern").to_owned() };
    let of = scope(&fields);
    let change = move |doc: &mut Value| {
        let list = list.ok_or("there is no such list")?;
        let pattern = edit::remove(doc, &of, list, place.map_err(|_| "there is no such entry")?)?;
        Ok(format!("{} is no longer on the {}.", shown(&pattern), list.key()))
    };
    write(&site, &session, &fields, draft, change).await
}

async fn write(
    site: &Arc<Site>,
    session: &Session,
    fields: &Fields,
    draft: Draft,
    change: impl FnOnce(&mut Value) -> Result<String, String> + Send + 'static,
) -> Response {
    let scope = scope(fields);
    let base = fields.get("base").to_owned();
    let of = site.clone();
    let done = tokio::task::spawn_blocking(move || {
        let documents = of.handle.rules().current().map_err(EditError::Refused)?;
        let none = || EditError::Refused("there is no place for a policy document".into());
        let done = edit_based(documents.editable().ok_or_else(none)?, &base, change);
        of.handle.rules().changed();
        done
    });
    // Whoever hangs up now has written all the same, or nothing.
    let done = done.await.unwrap_or_else(|_| Err(EditError::Refused("the writer broke off".into())));
    let message = match done {
        Ok(text) => Message { good: true, text },
        Err(EditError::Changed(_)) => return show(site, session, fields, Some(draft)).await,
        Err(e) => Message { good: false, text: format!("Nothing was written: {}.", shown(&e.to_string())) },
    };
    site.door.say(&session.id, message, site.now());
    gate::to(session, &format!("policy?scope={}", encode(&name(&scope))))
}
