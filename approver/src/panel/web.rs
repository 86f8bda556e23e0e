//! Connections: so many at once, and no request may take its time.
//!
//! Every user of the machine reaches the page. So whoever has shown no session yet has its user's share of the room and
//! makes room out of it, the oldest first: hundreds of connections that say half of a request keep nobody else out.
use axum::Router;
use tokio::net::TcpListener;

use crate::listen::door::{Door, Room};
use crate::listen::http;

/// Connections of a user and of all that have shown no session yet, and altogether.
const ROOM: Room = Room { session: 32, silent: 64, all: 128, yields: true };

/// Serves at every listener until it is dropped.
pub async fn serve(listeners: Vec<TcpListener>, router: Router) {
    let door = Door::new(ROOM);
    http::serve_all(listeners, door, move |_| Some((router.clone(), usize::MAX))).await;
}
