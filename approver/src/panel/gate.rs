//! The way to a page: what has to be true of a request before anybody looks at it, and what goes with every answer.
//!
//! | check | against |
//! |---|---|
//! | `Host` is one of our three names | a name of somebody else's that was made to point here (DNS rebinding) |
//! | only GET and POST | surprises |
//! | the path's session, and its cookie | everybody who was not let in |
//! | `Sec-Fetch-Site`, else `Origin` | other pages in the same browser, other ports of this machine among them |
//! | CSRF token of the session in each form | the same, once more |
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use protocol::Shown;

use super::door::{SESSION_MS, same};
use super::form::Fields;
use crate::listen::door::Place;

use super::{Session, Site, assets, history, layout, live, pending, policy, targets};

/// How long a form may take to arrive.
const BODY: Duration = Duration::from_secs(10);
/// Longest name of a browser that is kept, bytes.
const BROWSER: usize = 200;
/// Name of the cookie.
const COOKIE: &str = "exec_guard_panel";

/// Nothing from elsewhere, nothing inline, and in nobody's frame.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                   form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", CSP),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// All pages, behind the gate.
pub fn router(site: Arc<Site>) -> Router {
    let pages = Router::new()
        .route("/", get(pending::page))
        .route("/events", get(live::events))
        .route("/answer", post(pending::answer))
        .route("/policy", get(policy::page).post(policy::save))
        .route("/policy/add", post(policy::add))
        .route("/policy/remove", post(policy::remove))
        .route("/history", get(history::page))
        .route("/targets", get(targets::page))
        .route("/targets/override", post(targets::end_override))
        .route("/targets/session", post(targets::end_session))
        .route("/leave", post(targets::leave))
        .layer(from_fn_with_state(site.clone(), inside));
    Router::new()
        .nest("/s/{session}/", pages)
        .route("/enter", get(enter))
        .route("/assets/{name}", get(assets::get))
        .fallback(|| async { locked(StatusCode::FORBIDDEN) })
        .layer(from_fn_with_state(site.clone(), outside))
        .with_state(site)
}

/// For every request, whoever sent it.
async fn outside(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let head = request.headers();
    let refused = if !is_ours(head, site.port) {
        Some((StatusCode::MISDIRECTED_REQUEST, "this address is not the panel's"))
    } else if !matches!(*request.method(), Method::GET | Method::POST) {
        Some((StatusCode::METHOD_NOT_ALLOWED, "only GET and POST are understood"))
    } else {
        None
    };
    let mut response = match refused {
        Some((status, what)) => (status, what).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS.iter().copied() {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    // What is ours alone and never changes may be kept; nothing else is.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// True if a browser meant us: by one of the names that always mean this machine.
fn is_ours(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let ours = |name: &str| {
        // A browser leaves HTTP's own port out.
        host.as_bytes() == format!("{name}:{port}").as_bytes()
            || (port == 80 && host.as_bytes() == name.as_bytes())
    };
    ["127.0.0.1", "localhost", "[::1]"].into_iter().any(ours)
}

/// For what lies behind a session.
async fn inside(
    State(site): State<Arc<Site>>,
    Path(of): Path<Vec<(String, String)>>,
    request: Request,
    next: Next,
) -> Response {
    let id = of.iter().find(|(name, _)| name == "session").map_or("", |(_, id)| id.as_str());
    let headers = request.headers().clone();
    let now = site.now();
    // A browser may hold a cookie of an earlier session of the same path: there is none, paths are never used again.
    let cookie = cookie(&headers).unwrap_or_default();
    let Some(session) = site.door.session(id, &cookie, now) else { return locked(StatusCode::FORBIDDEN) };
    // From here on its connection makes no room for strangers.
    if let Some(place) = request.extensions().get::<Arc<Place>>() {
        place.spoke();
    }
    let posted = *request.method() == Method::POST;
    if !from_us(&headers, posted) {
        return (StatusCode::FORBIDDEN, "this was not sent by a page of the panel").into_response();
    }
    let (mut parts, body) = request.into_parts();
    let fields = if posted {
        let kind = headers.get(header::CONTENT_TYPE);
        let Ok(fields) = tokio::time::timeout(BODY, Fields::of_body(kind, body)).await else {
            return (StatusCode::REQUEST_TIMEOUT, "the form took too long").into_response();
        };
        let Some(fields) = fields else {
            return (StatusCode::BAD_REQUEST, "this is no form, or it is too long").into_response();
        };
        if !same(fields.get("csrf"), &session.csrf) {
            return (StatusCode::FORBIDDEN, "this was not sent by a page of the panel").into_response();
        }
        fields
    } else {
        Fields::of_uri(&parts.uri)
    };
    parts.extensions.insert(fields);
    parts.extensions.insert(session);
    next.run(Request::from_parts(parts, Body::empty())).await
}

/// The value of our cookie, if there is exactly one.
fn cookie(headers: &HeaderMap) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
    let mut ours =
        all.flat_map(|v| v.split(';')).filter_map(|c| c.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    match (ours.next(), ours.next()) {
        (Some(value), None) => Some(value.to_owned()),
        _ => None,
    }
}

/// True unless another page is behind it. What is posted has to prove that: by `Sec-Fetch-Site`, which no page can
/// write, or in a browser without that by `Origin`.
fn from_us(headers: &HeaderMap, posted: bool) -> bool {
    let word = |name: &str| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    let host = word("host").unwrap_or_default();
    let origin = word("origin");
    // A page that tells nobody where it is tells it neither in a form's `Origin`: that is `null`.
    let origin_is_ours = origin.map(|o| o == format!("http://{host}"));
    match word("sec-fetch-site") {
        Some("same-origin") => origin_is_ours.unwrap_or(true) || origin == Some("null"),
        Some("none") => !posted,
        Some(_) => false,
        None => origin_is_ours.unwrap_or(!posted),
    }
}

/// A link is used: it is good once, and what it stands for does not stay in the address.
async fn enter(State(site): State<Arc<Site>>, uri: Uri, headers: HeaderMap) -> Response {
    let token = uri.query().unwrap_or_default();
    let browser = headers.get(header::USER_AGENT).map_or(&b"unknown"[..], |v| v.as_bytes());
    let browser = Shown::text(browser.get(..BROWSER).unwrap_or(browser)).into_string();
    let Some((session, cookie)) = site.door.enter(token, browser, site.now()) else {
        return locked(StatusCode::FORBIDDEN);
    };
    let place = format!("/s/{}/", session.id);
    let life = SESSION_MS / 1000;
    let cookie = format!("{COOKIE}={cookie}; Path={place}; Max-Age={life}; HttpOnly; SameSite=Strict");
    (StatusCode::SEE_OTHER, [(header::LOCATION, place), (header::SET_COOKIE, cookie)]).into_response()
}

/// What everybody sees who was not let in.
fn locked(status: StatusCode) -> Response {
    (status, Html(layout::locked().into_string())).into_response()
}

/// On to a page of a session.
pub fn to(session: &Session, page: &str) -> Response {
    let place = format!("/s/{}/{page}", session.id);
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        map
    }

    #[test]
    fn names_of_this_machine() {
        for (host, ours) in [
            ("127.0.0.1:81", true),
            ("localhost:81", true),
            ("[::1]:81", true),
            ("127.0.0.1", false),
            ("127.0.0.1:80", false),
            ("localhost.evil.example:81", false),
            ("evil.example:81", false),
            ("127.0.0.1:81.evil.example", false),
            ("", false),
        ] {
            assert_eq!(is_ours(&headers(&[("host", host)]), 81), ours, "{host}");
        }
        assert!(
            is_ours(&headers(&[("host", "127.0.0.1")]), 80) && is_ours(&headers(&[("host", "[::1]:80")]), 80)
        );
        assert!(!is_ours(&headers(&[]), 80));
        assert!(!is_ours(&headers(&[("host", "localhost:80"), ("host", "evil:80")]), 80));
    }

    #[test]
    fn where_a_request_comes_from() {
        let ours = "http://localhost:80";
        for (site, origin, get, post) in [
            (None, None, true, false),
            (None, Some(ours), true, true),
            (None, Some("null"), false, false),
            (None, Some("http://localhost:81"), false, false),
            (Some("none"), None, true, false),
            (Some("same-origin"), None, true, true),
            (Some("same-origin"), Some("null"), true, true),
            (Some("same-origin"), Some(ours), true, true),
            (Some("same-origin"), Some("http://evil.example"), false, false),
            // Another port of this machine is the same site.
            (Some("same-site"), Some("null"), false, false),
            (Some("cross-site"), Some(ours), false, false),
        ] {
            let mut all = headers(&[("host", "localhost:80")]);
            if let Some(site) = site {
                all.insert("sec-fetch-site", HeaderValue::from_static(site));
            }
            if let Some(origin) = origin {
                all.insert("origin", HeaderValue::from_static(origin));
            }
            assert_eq!((from_us(&all, false), from_us(&all, true)), (get, post), "{site:?} {origin:?}");
        }
    }

    #[test]
    fn one_cookie_is_ours() {
        assert_eq!(cookie(&headers(&[("cookie", "a=b; exec_guard_panel=x; c=d")])).as_deref(), Some("x"));
        for none in ["", "exec_guard_panelx=1", "exec_guard_panel=1; exec_guard_panel=2"] {
            assert_eq!(cookie(&headers(&[("cookie", none)])), None);
        }
        assert_eq!(
            cookie(&headers(&[("cookie", "exec_guard_panel=1"), ("cookie", "exec_guard_panel=2")])),
            None
        );
    }
}
