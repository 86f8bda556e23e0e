//! Connections: so many at once, and no request may take its time.
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Connections at once.
const MOST: usize = 128;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);
/// Longest head of a request, bytes.
const HEAD_BYTES: usize = 32 << 10;

/// Serves at every listener until it is dropped.
pub async fn serve(listeners: Vec<TcpListener>, router: Router) {
    let places = Arc::new(Semaphore::new(MOST));
    let mut all = JoinSet::new();
    for listener in listeners {
        all.spawn(accept(listener, router.clone(), places.clone()));
    }
    while all.join_next().await.is_some() {}
}

async fn accept(listener: TcpListener, router: Router, places: Arc<Semaphore>) {
    // Its connections end with it.
    let mut open = JoinSet::new();
    loop {
        let accepted = listener.accept().await;
        while open.try_join_next().is_some() {}
        match (accepted, places.clone().try_acquire_owned()) {
            (Ok((stream, _)), Ok(place)) => {
                let router = router.clone();
                open.spawn(async move {
                    talk(stream, router).await;
                    drop(place);
                });
            }
            // One too many is told nothing: it sees the end at once.
            (Ok(_), Err(_)) => {}
            (Err(_), _) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn talk(stream: TcpStream, router: Router) {
    // What is asked is answered at once; a question should be seen as soon as it is there.
    let _ = stream.set_nodelay(true);
    // An error is a browser that went away, or one that speaks something else: there is nobody left to tell.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .await;
}
