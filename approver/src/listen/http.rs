//! HTTP on a socket at which anybody may knock: no head takes its time, and who says half of one keeps nobody out.
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};

use super::door::{FIRST_LINE, Place};

/// Longest head of a request, bytes.
const HEAD_BYTES: usize = 32 << 10;

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

/// The user at the other end of a TCP connection on this machine, by `/proc/net/tcp` (proc(5)); `None` if the kernel
/// does not tell.
pub fn owner(peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    let file = if peer.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    in_table(&std::fs::read_to_string(file).ok()?, peer, here)
}

/// Of the line of an established connection between the two, seen from the peer: the user.
fn in_table(table: &str, peer: SocketAddr, here: SocketAddr) -> Option<u32> {
    let (peer, here) = (in_proc(peer), in_proc(here));
    table.lines().find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let mut is = |what: &str| fields.next() == Some(what);
        // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid
        (is(&peer) && is(&here) && is("01")).then(|| fields.nth(3)?.parse().ok())?
    })
}

/// An address as it stands there: words of 32 bits in the machine's order, and the port.
fn in_proc(address: SocketAddr) -> String {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = octets.chunks_exact(4).filter_map(|c| Some(u32::from_ne_bytes(c.try_into().ok()?)));
    let words: String = words.map(|w| format!("{w:08X}")).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_kernel_tells_whose_a_connection_is() {
        for at in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(listener) = TcpListener::bind(at) else { continue };
            let here = listener.local_addr().unwrap();
            let stream = TcpStream::connect(here).unwrap();
            let (accepted, peer) = listener.accept().unwrap();
            assert_eq!(owner(peer, here), Some(sys::ids::uid()), "{at}");
            assert_eq!(owner(peer, SocketAddr::new(here.ip(), 1)), None);
            drop((stream, accepted));
        }
    }

    #[test]
    fn only_an_established_connection_has_an_owner() {
        let (peer, here) = ("127.0.0.1:40000".parse().unwrap(), "127.0.0.1:8765".parse().unwrap());
        let line = |state: &str| {
            let (p, h) = (in_proc(peer), in_proc(here));
            format!(
                "  sl  local_address rem_address\n   0: {p} {h} {state} 00000000:00000000 00:00000000 00000000  1000        0 1 1\n"
            )
        };
        assert_eq!(in_table(&line("01"), peer, here), Some(1000));
        // The kernel says 0 of one that waits for its end, whose it ever was.
        assert_eq!(in_table(&line("06"), peer, here), None);
        assert_eq!(in_table(&line("01"), here, peer), None);
        assert_eq!(in_table("garbage\n\n", peer, here), None);
    }
}
