//! HTTP on a socket at which anybody may knock: no head takes its time, and who says half of one keeps nobody out.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use sys::socket::{TcpEnd, tcp_end};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::door::{Door, FIRST_LINE, Place};
use crate::desk::Asker;

/// Longest head of a request, bytes.
const HEAD_BYTES: usize = 32 << 10;
/// After a connection could not be taken: a moment, so that nothing spins where there are no descriptors.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Speaks HTTP on a connection until it ends. Each head has [`FIRST_LINE`] to come; as long a connection may be idle.
///
/// It counts as *silent* until a request is taken for one that has a right to be here: the router finds the place in the
/// request's extensions, as `Arc<Place>`, and says so ([`Place::spoke`]).
pub async fn talk<S>(stream: S, router: Router, place: Place)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let router = router.layer(Extension(Arc::new(place)));
    // An error is a peer that went away, or one that speaks something else: there is nobody left to tell.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(FIRST_LINE)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .await;
}

/// A program at a port of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Knock {
    /// Its end of the connection; `None` if the kernel does not tell.
    pub end: Option<TcpEnd>,
    /// Our end.
    pub here: SocketAddr,
}

/// The same as [`serve`] at each of those, through one door.
pub async fn serve_all<F>(listeners: Vec<TcpListener>, door: Door, of: F)
where
    F: Fn(Knock) -> Option<(Router, usize)> + Clone + Send + 'static,
{
    let mut all = JoinSet::new();
    for listener in listeners {
        all.spawn(serve(listener, door.clone(), of.clone()));
    }
    while all.join_next().await.is_some() {}
}

/// Takes connections at a port of this machine until it is dropped. `of` says what is spoken with one, and how many of its
/// user's may be [no longer silent](Door); `None`: nothing is.
///
/// Whose it is is looked up for one after the other, and not by the thread that everything else runs on: whoever comes by
/// the thousand waits for its own.
pub async fn serve(listener: TcpListener, door: Door, of: impl Fn(Knock) -> Option<(Router, usize)>) {
    // Its connections end with it.
    let mut open = JoinSet::new();
    loop {
        let accepted = listener.accept().await;
        while open.try_join_next().is_some() {}
        let Ok((stream, theirs)) = accepted else {
            // No descriptors, most likely: one of those that hold them may end meanwhile.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(here) = stream.local_addr() else { continue };
        let end = tokio::task::spawn_blocking(move || tcp_end(theirs, here)).await;
        let knock = Knock { end: end.ok().and_then(Result::ok), here };
        let Some((router, share)) = of(knock) else { continue };
        // Those of which the kernel does not tell are all of one.
        let uid = knock.end.map_or(u32::MAX, |end| end.uid);
        let asker = Asker { uid, pid: None, session: None, root: None };
        let Some(place) = door.enter_with_share(&asker, share) else { continue };
        // What is asked is answered at once; a question should be seen as soon as it is there.
        let _ = stream.set_nodelay(true);
        door.begin(place, |place| open.spawn(talk(stream, router, place)));
    }
}
