//! The approver's page: questions, policy, history and sessions in a browser on this machine.
//!
//! ```text
//!  connection   loopback only; so many at once, each request within a time and a size          web
//!  gate         Host, method, session by path and cookie, where it comes from, CSRF token      gate
//!  page         one file a page; every word of others through Shown and the template's escaping
//!  headers      nothing is fetched from elsewhere, framed, cached or told to others            gate
//! ```
//!
//! Every form works without JavaScript. With it the list of questions is live ([`live`]): the desk's events wake a
//! stream, which sends what differs from what the browser shows.
mod assets;
mod card;
mod door;
mod edit;
mod form;
mod gate;
mod history;
mod layout;
mod live;
mod owners;
mod pending;
mod policy;
mod targets;
mod time;
mod view;
mod web;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use protocol::Shown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::handle::{Handle, Panel};
use crate::listen::loopback;
use crate::peer::Work;
use door::{Door, Session};

/// Pages that are live at once: fewer than there are connections, so that others can still be opened.
const STREAMS: usize = 48;

/// What every page needs.
struct Site {
    handle: Handle,
    door: Door,
    port: u16,
    /// Pages that are live at once.
    streams: Arc<Semaphore>,
}

impl Site {
    fn now(&self) -> u64 {
        self.handle.clock().now()
    }

    /// The address without a path.
    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// Text of others, fit for a page once the template has escaped it.
fn shown(text: &str) -> String {
    Shown::text(text.as_bytes()).into_string()
}

/// The panel as the desk knows it.
struct Entry(Arc<Site>);

impl Panel for Entry {
    fn address(&self) -> String {
        format!("{}/", self.0.origin())
    }

    fn link(&self, by: Work) -> String {
        // Without random bytes there is no way in; the page says how to get another link.
        let token = self.0.door.link(by, self.0.now()).unwrap_or_default();
        format!("{}/enter?{token}", self.0.origin())
    }
}

/// A panel that listens and is not served yet.
pub struct Listening {
    site: Arc<Site>,
    listeners: Vec<TcpListener>,
}

/// Listens on loopback, at that port or at any.
///
/// # Errors
/// The port is taken, or it is `::1`'s: a page of another's there would look like ours. A sentence.
pub async fn listen(handle: Handle, port: u16) -> Result<Listening, String> {
    let no =
        |e| format!("no panel: {e}; end that program, or name another port, and start the approver anew");
    let listeners = loopback::listen(port).await.map_err(no)?;
    let first = listeners.first().and_then(|l| l.local_addr().ok());
    let port = first.ok_or("no panel: its address is not known")?.port();
    let streams = Arc::new(Semaphore::new(STREAMS));
    Ok(Listening { site: Arc::new(Site { handle, door: Door::default(), port, streams }), listeners })
}

impl Listening {
    /// The entry for those who hand out links.
    pub fn entry(&self) -> Arc<dyn Panel> {
        Arc::new(Entry(self.site.clone()))
    }

    /// Serves until it is dropped.
    pub async fn serve(self) {
        let router = gate::router(self.site);
        web::serve(self.listeners, router).await;
    }
}
