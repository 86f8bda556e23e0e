//! The same as HTTP.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::StreamExt;
use protocol::operator::Row;
use serde::Deserialize;
use serde_json::json;
use tools::api::{Pending, Resolution, Status};
use tools::call::{MAX_ARGS, Request};
use tools::identity::{Caller, Who, who};
use tools::result::{Code, ToolResult};

use super::Tools;
use super::call::choice;
use super::door::{Peer, is_no_browser};
use crate::listen::door::Place;
use crate::peer::Operator;
use crate::shares::Part;

/// Longest body, bytes.
const MAX_BODY: usize = MAX_ARGS + (64 << 10);
/// Most calls in one list.
const MOST: usize = 1_000;
/// How long a caller may take to send a body.
const PATIENCE: Duration = Duration::from_secs(30);

/// What may be asked for.
pub fn routes(tools: Tools) -> Router {
    Router::new()
        .route("/v1/tools/{name}", post(call))
        .route("/v1/requests", get(pending))
        .route("/v1/requests/{id}", get(status).post(resolve))
        .route("/v1/openapi.json", get(description))
        .fallback(async || refused(StatusCode::NOT_FOUND, ToolResult::no(Code::InvalidField, "no such path")))
        .layer(from_fn_with_state(tools.clone(), may_speak))
        .with_state(tools)
}

/// Looks at who it is before a byte of the body is read: nobody fills our memory who may not call.
async fn may_speak(
    State(tools): State<Tools>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Extension(place): Extension<Arc<Place>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    let known = caller(peer, request.headers()).and_then(|caller| {
        if peer.port.is_none() {
            // A file's socket let only those in who may come.
            return Ok(());
        }
        match who(&tools.scene()?.settings, &caller, None) {
            Err(no) if no.code == Some(Code::BadToken) => Err(no),
            // What else there is to say depends on what is asked.
            _ => Ok(()),
        }
    });
    match known {
        Ok(()) => {
            // From here on its connection makes no room for strangers.
            place.spoke();
            next.run(request).await
        }
        Err(no) => refused(status_of(&no), no),
    }
}

/// The same to everybody who may call here.
async fn description(ConnectInfo(peer): ConnectInfo<Peer>, headers: HeaderMap) -> Response {
    match caller(peer, &headers) {
        Ok(_) => answer(StatusCode::OK, &tools::api::document()),
        Err(no) => refused(status_of(&no), no),
    }
}

fn answer(status: StatusCode, body: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

fn refused(status: StatusCode, result: ToolResult) -> Response {
    answer(status, &result)
}

fn status_of(result: &ToolResult) -> StatusCode {
    match result.code {
        Some(Code::InvalidField) => StatusCode::BAD_REQUEST,
        Some(Code::UnknownTool) => StatusCode::NOT_FOUND,
        Some(Code::Sender | Code::BadToken) => StatusCode::FORBIDDEN,
        Some(Code::RateLimited) => StatusCode::TOO_MANY_REQUESTS,
        Some(Code::ApprovalRequired) => StatusCode::ACCEPTED,
        Some(Code::Busy) => StatusCode::SERVICE_UNAVAILABLE,
        // The call was understood; what became of it is in the result.
        _ => StatusCode::OK,
    }
}

/// The kernel's and the caller's word of who it is.
fn caller(peer: Peer, headers: &HeaderMap) -> Result<Caller, ToolResult> {
    let no = |code, what: &str| Err(ToolResult::no(code, what));
    if peer.port.is_some_and(|port| !is_no_browser(headers, port.number)) {
        return no(Code::Sender, "Host is not ours, or a browser sent it");
    }
    let token = match headers.get(header::AUTHORIZATION) {
        // Anybody on this machine reaches a port.
        None if peer.port.is_some() => return no(Code::BadToken, "a port wants Authorization: Bearer TOKEN"),
        None => None,
        Some(value) => {
            let token = value.to_str().ok().and_then(|v| v.strip_prefix("Bearer "));
            let token = token.ok_or_else(|| ToolResult::no(Code::BadToken, "Authorization: Bearer TOKEN"))?;
            Some(token.trim().to_owned())
        }
    };
    Ok(Caller { uid: peer.asker.uid, token })
}

async fn call(
    State(tools): State<Tools>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let caller = match caller(peer, &headers) {
        Ok(caller) => caller,
        Err(no) => return refused(status_of(&no), no),
    };
    let Body(body) = body;
    let (request, room) = match body.and_then(|(bytes, room)| Ok((read::<Request>(&bytes)?, room))) {
        Ok(known) => known,
        Err(no) => return refused(status_of(&no), no),
    };
    let result = tools.call(name, request, caller, peer, room).await;
    refused(status_of(&result), result)
}

/// A body that came whole, in time, and the room it takes: all of one user's have a share of that, also while they come and
/// as long as their calls are held.
struct Body(Result<(Vec<u8>, Part), ToolResult>);

impl axum::extract::FromRequest<Tools> for Body {
    type Rejection = Infallible;

    async fn from_request(request: axum::extract::Request, tools: &Tools) -> Result<Body, Infallible> {
        let uid = request.extensions().get::<ConnectInfo<Peer>>().map_or(u32::MAX, |p| p.0.asker.uid);
        let whole = whole(request.into_body(), tools.room(uid));
        Ok(Body(match tokio::time::timeout(PATIENCE, whole).await {
            Ok(body) => body,
            Err(_) => Err(ToolResult::no(Code::InvalidField, "the body did not come in time")),
        }))
    }
}

async fn whole(body: axum::body::Body, room: Part) -> Result<(Vec<u8>, Part), ToolResult> {
    let no = |what: &str| ToolResult::no(Code::InvalidField, what);
    let (mut out, mut room) = (Vec::new(), room);
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| no("the body did not come whole"))?;
        if out.len() + piece.len() > MAX_BODY {
            return Err(no("the body is too long"));
        }
        if !room.take(piece.len()) {
            return Err(ToolResult::no(
                Code::Busy,
                "the approver holds as much of this user's calls as it can",
            ));
        }
        out.extend_from_slice(&piece);
    }
    Ok((out, room))
}

fn read<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, ToolResult> {
    let bad = |e: String| ToolResult::no(Code::InvalidField, format!("body: {e}"));
    // With the checks that documents get: no key twice.
    let value = policy::document::plain_json(body, "body").map_err(|e| bad(e.to_string()))?;
    serde_json::from_value(value).map_err(|e| bad(e.to_string()))
}

#[derive(Debug, Default, Deserialize)]
struct As {
    user: Option<String>,
}

/// Who looks or answers.
fn viewer(tools: &Tools, peer: Peer, headers: &HeaderMap, user: Option<&str>) -> Result<Who, ToolResult> {
    let scene = tools.scene()?;
    let caller = caller(peer, headers)?;
    who(&scene.settings, &caller, user)
}

fn row(row: Row) -> Option<Pending> {
    let tool = row.tool?;
    Some(Pending {
        id: row.id,
        tool: tool.name,
        user: tool.user,
        channel: tool.channel,
        message: tool.message,
        summary: row.command,
        asked_at_ms: row.asked_at_ms,
        expires_at_ms: row.expires_at_ms,
    })
}

/// The calls that wait for a yes: an owner sees all, another user their own.
async fn pending(
    State(tools): State<Tools>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Query(who): Query<As>,
    headers: HeaderMap,
) -> Response {
    match viewer(&tools, peer, &headers, who.user.as_deref()) {
        Ok(viewer) => {
            let rows = tools.0.handle.calls(|call| viewer.owner || call.user == viewer.user, MOST);
            let all: Vec<Pending> = rows.into_iter().filter_map(row).collect();
            answer(StatusCode::OK, &all)
        }
        Err(no) => refused(status_of(&no), no),
    }
}

/// What became of a call that was not waited for: an owner may see every one, another user their own, and of others not
/// even that there is one.
async fn status(
    State(tools): State<Tools>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Path(id): Path<String>,
    Query(who): Query<As>,
    headers: HeaderMap,
) -> Response {
    let viewer = match viewer(&tools, peer, &headers, who.user.as_deref()) {
        Ok(viewer) => viewer,
        Err(no) => return refused(status_of(&no), no),
    };
    let known = tools.later().results.get(&id).cloned();
    let mine = known.filter(|(user, _)| viewer.owner || *user == viewer.user);
    match mine.map(|(_, result)| result) {
        None => refused(StatusCode::NOT_FOUND, ToolResult::no(Code::InvalidField, "id: no call has it")),
        Some(None) => answer(StatusCode::OK, &Status { id, waiting: true, result: None }),
        Some(result) => answer(StatusCode::OK, &Status { id, waiting: false, result }),
    }
}

/// An owner's answer, by a gateway that vouches for the owner.
async fn resolve(
    State(tools): State<Tools>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let wanted = match body.0.and_then(|(bytes, _)| read::<Resolution>(&bytes)) {
        Ok(wanted) => wanted,
        Err(no) => return refused(status_of(&no), no),
    };
    let who = match viewer(&tools, peer, &headers, wanted.user.as_deref()) {
        Ok(who) if who.owner && who.vouched => who,
        Ok(_) => {
            let error =
                "only an owner for whom a gateway vouches answers here; others: exec-guardctl approvals";
            return refused(StatusCode::FORBIDDEN, ToolResult::no(Code::Sender, error));
        }
        Err(no) => return refused(status_of(&no), no),
    };
    let handle = &tools.0.handle;
    // Questions about commands are none of a gateway's business.
    let about_tool = handle.show(&id).is_ok_and(|(row, _)| row.tool.is_some() && row.id == id);
    if !about_tool {
        let no = ToolResult::no(Code::InvalidField, "id: no call has it");
        return refused(StatusCode::NOT_FOUND, no);
    }
    let by = Operator::gateway(&protocol::Shown::text(who.user.as_bytes()).into_string());
    match handle.answer(&id, choice(wanted.approved), wanted.reason, &by).await {
        Ok(done) => answer(StatusCode::OK, &json!({"id": done.row.id, "state": done.row.state.word()})),
        Err(e) => {
            let detail = e.detail.map_or(String::new(), |d| format!(": {d}"));
            let error = format!("{}{detail}", e.code.meaning());
            refused(StatusCode::CONFLICT, ToolResult::no(Code::Rejected, error))
        }
    }
}
