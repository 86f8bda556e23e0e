//! Connections: so many at once, and no request may take its time.
//!
//! Every user of the machine reaches the page. So whoever has shown no session yet has its user's share of the room and
//! makes room out of it, the oldest first: hundreds of connections that say half of a request keep nobody else out.
use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::desk::Asker;
use crate::listen::door::{Door, Room};
use crate::listen::http;

/// Connections of a user and of all that have shown no session yet, and altogether.
const ROOM: Room = Room { session: 32, silent: 64, all: 128, yields: true };

/// Serves at every listener until it is dropped.
pub async fn serve(listeners: Vec<TcpListener>, router: Router) {
    let door = Door::new(ROOM);
    let mut all = JoinSet::new();
    for listener in listeners {
        all.spawn(accept(listener, router.clone(), door.clone()));
    }
    while all.join_next().await.is_some() {}
}

async fn accept(listener: TcpListener, router: Router, door: Door) {
    // Its connections end with it.
    let mut open = JoinSet::new();
    loop {
        let accepted = listener.accept().await;
        while open.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let Some(place) = door.enter(&whose(&stream)) else { continue };
        let router = router.clone();
        // What is asked is answered at once; a question should be seen as soon as it is there.
        let _ = stream.set_nodelay(true);
        door.begin(place, |place| open.spawn(http::talk(stream, router, place)));
    }
}

/// Whose a connection is. Those of which the kernel does not tell are all of one.
fn whose(stream: &TcpStream) -> Asker {
    let ends = stream.peer_addr().and_then(|peer| Ok((peer, stream.local_addr()?)));
    let uid = ends.ok().and_then(|(peer, here)| http::owner(peer, here));
    Asker { uid: uid.unwrap_or(u32::MAX), pid: None, session: None, root: None }
}
