//! A page that follows the desk: server-sent events, each with the pieces of the page that changed.
//!
//! What a browser shows is known here, so that a card is touched only when it changes: nobody loses the place they are
//! at, or what they were typing, because somebody else's question came. After a break all cards are sent again.
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use protocol::operator::Event as DeskEvent;
use tokio::sync::{OwnedSemaphorePermit, broadcast, watch};
use tokio::time::Instant;

use super::form::Fields;
use super::pending::{BYTES, MOST, cards, into, more, none, waiting};
use super::{Session, Site, card, layout};
use crate::handle::{Group, Groups};

/// No page is changed more often: the first of a hundred questions is shown at once, the others together.
const TOGETHER: Duration = Duration::from_millis(40);
/// How often it is looked whether the session lasts.
const LOOK: Duration = Duration::from_secs(20);

/// Says which questions a page shows, so that a stream can tell whether it has missed some.
pub fn at(groups: &Groups) -> String {
    let text: Vec<String> = groups.shown.iter().map(|g| format!("{} {}", g.key, g.ids.join(" "))).collect();
    let text = format!("{}\n{}\n{}", groups.waiting, groups.more, text.join("\n"));
    protocol::mac::sha256(text.as_bytes()).chars().take(32).collect()
}

/// The stream.
pub async fn events(
    State(site): State<Arc<Site>>,
    Extension(session): Extension<Session>,
    Extension(fields): Extension<Fields>,
) -> Response {
    let Ok(place) = site.streams.clone().try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    };
    // Watching first, looking second: nothing happens in between unseen.
    let (desk, door) = (site.handle.watch(), site.door.watch());
    let groups = site.handle.groups(MOST, BYTES);
    let same = fields.get("at") == at(&groups);
    let follower = Follower {
        groups: if same { groups } else { Groups::default() },
        begun: same,
        sent: Instant::now(),
        pause: TOGETHER,
        over: BTreeSet::new(),
        site,
        session,
        desk,
        door,
        _place: place,
    };
    let stream = futures_util::stream::unfold(follower, |mut follower| async move {
        let html = follower.next().await?;
        // The protocol has no way to send one, and nothing here contains one.
        let html = html.into_string().replace('\r', " ");
        Some((Ok::<_, Infallible>(Event::default().event("questions").data(html)), follower))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(LOOK)).into_response()
}

struct Follower {
    site: Arc<Site>,
    session: Session,
    desk: broadcast::Receiver<Arc<DeskEvent>>,
    door: watch::Receiver<()>,
    /// What the browser shows.
    groups: Groups,
    /// False until that is so.
    begun: bool,
    /// When the page was changed last.
    sent: Instant,
    /// How long it is left alone then.
    pause: Duration,
    /// Cards of what is over, which the browser may show still.
    over: BTreeSet<String>,
    _place: OwnedSemaphorePermit,
}

impl Follower {
    /// Waits for a change; `None` when the session or the desk ends.
    async fn next(&mut self) -> Option<Markup> {
        loop {
            if !self.site.door.lasts(&self.session.id, self.site.now()) {
                return None;
            }
            let looked = Instant::now();
            let now = self.site.handle.groups(MOST, BYTES);
            // With thousands of questions a look takes its time, and the desk has better things to do.
            self.pause = TOGETHER.max(looked.elapsed() * 10);
            if !self.begun {
                self.begun = true;
                let html = self.all(&now);
                self.groups = now;
                return Some(html);
            }
            if let Some(html) = self.changed(&now) {
                self.groups = now;
                return Some(html);
            }
            if !self.wait().await? {
                continue;
            }
            // An override began or ended, and perhaps nothing else.
            return Some(into("#overrides", &layout::overrides(&self.site)));
        }
    }

    /// Waits for something to happen; true if an override changed, `None` at the end.
    async fn wait(&mut self) -> Option<bool> {
        let mut event = tokio::select! {
            event = self.desk.recv() => match event {
                Ok(event) => Some(event),
                Err(broadcast::error::RecvError::Lagged(_)) => None,
                Err(broadcast::error::RecvError::Closed) => return None,
            },
            _ = self.door.changed() => return Some(false),
            () = tokio::time::sleep(LOOK) => return Some(false),
        };
        tokio::time::sleep_until(self.sent + self.pause).await;
        self.sent = Instant::now();
        let mut session = false;
        loop {
            session |= event.is_some_and(|e| e.session.is_some());
            event = match self.desk.try_recv() {
                Ok(event) => Some(event),
                Err(broadcast::error::TryRecvError::Lagged(_)) => None,
                Err(_) => return Some(session),
            };
        }
    }

    /// The whole list, in place of whatever is there.
    fn all(&self, now: &Groups) -> Markup {
        html! {
            (into("#questions", &cards(now, &self.session)))
            (into("#overrides", &layout::overrides(&self.site)))
            (waiting(now, true)) (none(now, true)) (more(now, true))
        }
    }

    /// What differs from what is shown.
    fn changed(&mut self, now: &Groups) -> Option<Markup> {
        if at(now) == at(&self.groups) {
            return None;
        }
        let clock = sys::time::now_ms();
        let before = |key: &str| self.groups.shown.iter().find(|g| g.key == key);
        let stays: BTreeSet<&str> = now.shown.iter().map(|g| g.key.as_str()).collect();
        let gone: Vec<&Group> =
            self.groups.shown.iter().filter(|g| !stays.contains(g.key.as_str())).collect();
        let new: Vec<&Group> = now.shown.iter().filter(|g| before(&g.key).is_none()).collect();
        let grown =
            now.shown.iter().filter(|g| before(&g.key).is_some_and(|b| b.ids != g.ids || b.count != g.count));
        let again: Vec<&str> =
            new.iter().map(|g| g.key.as_str()).filter(|k| self.over.contains(*k)).collect();
        let html = html! {
            @for key in &again { div id=(format!("q-{key}")) hx-swap-oob="delete" {} }
            @for g in &gone {
                (card::over(&g.key, g.ids.last().and_then(|id| self.site.handle.show(id).ok()).map(|(row, _)| row).as_ref()))
            }
            @for g in grown {
                (card::count(g, true)) (card::left(g, clock, true))
                @for form in card::FORMS { (card::ids(g, form, true)) }
            }
            @if !new.is_empty() {
                div hx-swap-oob="beforeend:#questions" { @for g in &new { (card::card(g, &self.session, clock)) } }
                (into("#news", &html! { @for g in &new { p { "New question: " (card::title(g)) } } }))
            }
            (waiting(now, true)) (none(now, true)) (more(now, true))
        };
        let gone: Vec<String> = gone.into_iter().map(|g| g.key.clone()).collect();
        let again: Vec<String> = again.into_iter().map(str::to_owned).collect();
        self.over.retain(|key| !again.contains(key));
        self.over.extend(gone);
        Some(html)
    }
}
