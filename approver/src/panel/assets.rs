//! Files that go with every page. All are compiled in; their names change with the program's version, so that they can
//! be kept.
use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Name, kind, content. What is vendored stands in docs/dependencies.md with its version.
const ALL: &[(&str, &str, &str)] = &[
    ("panel.css", "text/css; charset=utf-8", include_str!("../../assets/panel.css")),
    ("panel.js", "text/javascript; charset=utf-8", include_str!("../../assets/panel.js")),
    ("htmx.min.js", "text/javascript; charset=utf-8", include_str!("../../assets/htmx.min.js")),
    ("htmx-sse.min.js", "text/javascript; charset=utf-8", include_str!("../../assets/htmx-sse.min.js")),
    ("icon.svg", "image/svg+xml", include_str!("../../assets/icon.svg")),
];

/// The address of one.
pub fn address(name: &str) -> String {
    format!("/assets/{}-{name}", env!("CARGO_PKG_VERSION"))
}

/// One of them.
pub async fn get(Path(name): Path<String>) -> Response {
    let name = name.strip_prefix(concat!(env!("CARGO_PKG_VERSION"), "-"));
    match ALL.iter().find(|(n, ..)| Some(*n) == name) {
        Some((_, kind, content)) => {
            // Another build of the same version may have other files: an hour, not a year.
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "max-age=3600")], *content)
                .into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
