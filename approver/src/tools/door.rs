//! Connections to the tools: who is let in at all, how many at once, and how long each may take to say what it wants.
//!
//! | | `tools.sock` | the port of 127.0.0.1 and `::1` |
//! |---|---|---|
//! | is there | always | where `security.port` names one |
//! | who | ourselves, root, and users that the documents name (`SO_PEERCRED`), looked at before a byte is read | whoever shows the token, with every request |
//! | room | a user has a share of the places ([`crate::shares`]) | who has not shown the token makes room, the user with most first |
//! | against browsers | cannot reach it | `Host` has to be ours, and a request with `Origin` or `Sec-Fetch-Site` is none of a gateway's |
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, header};
use axum::{Extension, Router};
use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinSet;

use super::Tools;
use crate::desk::Asker;
use crate::listen::door::{Door, Room};
use crate::listen::http::{PAUSE, serve_all as serve_port, talk};
use crate::peer;

/// Who is at the other end, by the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The facts.
    pub asker: Asker,
    /// The port it came in by, if it is no socket of a file: there its user id proves nothing.
    pub port: Option<Port>,
}

/// A connection to the port.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    /// Ours.
    pub number: u16,
    /// Number of the caller's socket.
    pub inode: u64,
}

/// Takes connections until it is dropped; `most` at once.
pub async fn serve(tools: Tools, socket: UnixListener, port: Vec<TcpListener>, routes: Router, most: usize) {
    // Whoever crowds the port keeps nobody out of the socket, and whoever says half of a head keeps nobody out of either.
    let room = |all: usize| Room { session: all, silent: all, all, yields: false };
    let (at_the_port, at_the_socket) = (room(most / 2), room(most - most / 2));
    let by_port = routes.clone();
    let of_port = async {
        let door = Door::new(at_the_port);
        serve_port(port, door, move |knock| {
            let (end, number) = (knock.end?, knock.here.port());
            let asker = Asker { uid: end.uid, pid: None, session: None, root: None };
            let peer = Peer { asker, port: Some(Port { number, inode: end.inode }) };
            // Half of it, also for one that has shown the token.
            Some((with(&by_port, peer), at_the_port.all / 2))
        })
        .await;
    };
    tokio::join!(at_socket(tools, socket, routes, at_the_socket), of_port);
}

async fn at_socket(tools: Tools, listener: UnixListener, routes: Router, room: Room) {
    let door = Door::new(room);
    // Its connections end with it.
    let mut open = JoinSet::new();
    loop {
        let accepted = listener.accept().await;
        while open.try_join_next().is_some() {}
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // One that the kernel tells nothing of, and one too many, see the end at once.
        let Ok(seen) = sys::socket::peer(&stream) else { continue };
        // A user is one, whatever sessions it comes from.
        let user = Asker { uid: seen.uid, pid: None, session: None, root: None };
        let share = room.all / tools.users(seen.uid);
        let Some(place) = door.enter_with_share(&user, share.max(1)) else { continue };
        let asker = peer::asker(seen.uid, Some(seen.pid).filter(|p| *p > 0));
        let (tools, routes) = (tools.clone(), routes.clone());
        door.begin(place, |place| {
            open.spawn(async move {
                if tools.may_come(seen.uid).await {
                    talk(stream, with(&routes, Peer { asker, port: None }), place).await;
                }
            })
        });
    }
}

/// The routes for one connection.
fn with(routes: &Router, peer: Peer) -> Router {
    routes.clone().layer(Extension(ConnectInfo(peer)))
}

impl Tools {
    /// True if that user may call here at all: ourselves, root, or one that the documents name.
    async fn may_come(&self, uid: u32) -> bool {
        if uid == 0 || uid == sys::ids::uid() {
            return true;
        }
        let me = self.clone();
        let scene = tokio::task::spawn_blocking(move || me.scene()).await;
        let Ok(Ok(scene)) = scene else { return false };
        scene.settings.names(uid)
    }

    /// Among how many users that may call here is shared: we, those that the documents name, and whoever this is.
    pub fn users(&self, uid: u32) -> usize {
        let Some(scene) = self.last_scene() else { return 2 };
        let s = &scene.settings;
        let ours = sys::ids::uid();
        let named = s.uids().into_iter().filter(|uid| *uid != ours).count();
        // Root can have all there is by other means.
        let stranger = uid != 0 && uid != ours && !s.names(uid);
        1 + named + usize::from(stranger)
    }
}

/// True if a request that came by a port is a gateway's and no browser's: `Host` is one of our names, so that no name of
/// somebody else's was made to point here, and nothing in it is what only a browser writes.
pub fn is_no_browser(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let ours = ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|n| host.as_bytes() == format!("{n}:{port}").as_bytes());
    ours && !headers.contains_key(header::ORIGIN) && !headers.contains_key("sec-fetch-site")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn a_browser_is_told_from_a_gateway() {
        for (pairs, want) in [
            (&[("host", "127.0.0.1:81")][..], true),
            (&[("host", "localhost:81")], true),
            (&[("host", "[::1]:81")], true),
            (&[("host", "::1:81")], false),
            (&[("host", "[::1]")], false),
            (&[("host", "[::2]:81")], false),
            (&[("host", "127.0.0.1")], false),
            (&[("host", "evil.example:81")], false),
            (&[("host", "127.0.0.1:82")], false),
            (&[("host", "localhost:81"), ("host", "evil.example")], false),
            (&[("host", "localhost:81"), ("origin", "http://localhost:81")], false),
            (&[("host", "localhost:81"), ("sec-fetch-site", "none")], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(is_no_browser(&headers, 81), want, "{pairs:?}");
        }
    }
}
