//! Connections to the tools: who is let in at all, how many at once, and how long each may take to say what it wants.
//!
//! | | `tools.sock` | the port of 127.0.0.1 |
//! |---|---|---|
//! | is there | always | where `security.port` names one |
//! | who | ourselves, root, and users that the documents name (`SO_PEERCRED`), looked at before a byte is read | whoever shows the token, with every request |
//! | against browsers | cannot reach it | `Host` has to be ours, and a request with `Origin` or `Sec-Fetch-Site` is none of a gateway's |
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, header};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Tools;
use crate::desk::Asker;
use crate::peer;

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);
/// Longest head of a request, bytes.
const HEAD_BYTES: usize = 32 << 10;
/// After a connection could not be taken: a moment, so that nothing spins where there are no descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Who is at the other end, by the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The facts.
    pub asker: Asker,
    /// The port it came in by, if it is no socket of a file: there its user id proves nothing.
    pub port: Option<u16>,
}

/// Takes connections until it is dropped; `most` at once.
pub async fn serve(
    tools: Tools,
    socket: UnixListener,
    port: Option<TcpListener>,
    routes: Router,
    most: usize,
) {
    // Whoever crowds the port keeps nobody out of the socket.
    let at_the_port = Arc::new(Semaphore::new(most / 2));
    let places = Arc::new(Semaphore::new(most - most / 2));
    let (by_port, by_socket) = (routes.clone(), routes);
    let of_port = async {
        match port {
            Some(port) => at_port(port, by_port, at_the_port).await,
            None => std::future::pending().await,
        }
    };
    tokio::join!(at_socket(tools, socket, by_socket, places), of_port);
}

async fn at_socket(tools: Tools, listener: UnixListener, routes: Router, places: Arc<Semaphore>) {
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
        let (Ok(seen), Ok(place)) = (sys::socket::peer(&stream), places.clone().try_acquire_owned()) else {
            continue;
        };
        let asker = peer::asker(seen.uid, Some(seen.pid).filter(|p| *p > 0));
        let (tools, routes) = (tools.clone(), routes.clone());
        open.spawn(async move {
            let _place = place;
            if tools.may_come(seen.uid).await {
                talk(stream, Peer { asker, port: None }, routes).await;
            }
        });
    }
}

async fn at_port(listener: TcpListener, routes: Router, places: Arc<Semaphore>) {
    let shares = Shares::default();
    let share = places.available_permits() / 4;
    let mut open = JoinSet::new();
    loop {
        let accepted = listener.accept().await;
        while open.try_join_next().is_some() {}
        let Ok((stream, theirs)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = places.clone().try_acquire_owned() else { continue };
        let (routes, shares) = (routes.clone(), shares.clone());
        open.spawn(async move {
            let _place = place;
            let Ok(ours) = stream.local_addr() else { return };
            let Ok(Ok(uid)) = tokio::task::spawn_blocking(move || owner(theirs, ours)).await else { return };
            let Some(_share) = shares.of(uid, share) else { return };
            let _ = stream.set_nodelay(true);
            let asker = Asker { uid, pid: None, session: None, root: None };
            talk(stream, Peer { asker, port: Some(ours.port()) }, routes).await;
        });
    }
}

/// How many connections each user has.
#[derive(Clone, Default)]
struct Shares(Arc<Mutex<HashMap<u32, usize>>>);

/// One of them.
struct Share(Shares, u32);

impl Shares {
    /// One more for a user, if there are fewer than `most`.
    fn of(&self, uid: u32, most: usize) -> Option<Share> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let has = all.entry(uid).or_default();
        if *has >= most {
            return None;
        }
        *has += 1;
        Some(Share(self.clone(), uid))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut all = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(has) = all.get_mut(&self.1) {
            *has = has.saturating_sub(1);
            if *has == 0 {
                all.remove(&self.1);
            }
        }
    }
}

fn owner(theirs: SocketAddr, ours: SocketAddr) -> std::io::Result<u32> {
    match (theirs, ours) {
        (SocketAddr::V4(theirs), SocketAddr::V4(ours)) => sys::socket::tcp_owner(theirs, ours),
        _ => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin, peer: Peer, routes: Router) {
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        TowerToHyperService::new(routes.clone()).call(request)
    });
    // An error is a caller that went away, or one that speaks something else: there is nobody left to tell.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .await;
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
        let (s, name) = (&scene.settings, format!("uid:{uid}"));
        let sender = || s.senders.as_ref().is_some_and(|all| all.contains(&name));
        s.gateway_uids.contains(&uid) || s.is_owner(&name) || sender()
    }
}

/// True if a request that came by a port is a gateway's and no browser's: `Host` is one of our names, so that no name of
/// somebody else's was made to point here, and nothing in it is what only a browser writes.
pub fn is_no_browser(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let ours = ["127.0.0.1", "localhost"].iter().any(|n| host.as_bytes() == format!("{n}:{port}").as_bytes());
    ours && !headers.contains_key(header::ORIGIN) && !headers.contains_key("sec-fetch-site")
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn no_user_takes_more_than_a_share() {
        let shares = Shares::default();
        let (a, b) = (shares.of(1, 2), shares.of(1, 2));
        assert!(a.is_some() && b.is_some() && shares.of(1, 2).is_none() && shares.of(2, 2).is_some());
        drop(a);
        assert!(shares.of(1, 2).is_some());
        drop(b);
        assert!(shares.0.lock().unwrap().is_empty());
    }

    #[test]
    fn a_browser_is_told_from_a_gateway() {
        for (pairs, want) in [
            (&[("host", "127.0.0.1:81")][..], true),
            (&[("host", "localhost:81")], true),
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
