//! A port of this machine, by both of its names.
//!
//! Programs and browsers look for `localhost` at `::1` as well as at 127.0.0.1, many there first, and every user of the
//! machine may listen at a port that nobody has. Whoever had one of the two would be shown what is meant for us: the token,
//! a link. So both are ours, or none is.
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use sys::socket::{is_without_ipv6, tcp_listener};
use tokio::net::TcpListener;

/// Where any port will do: so many are tried until one is free by both names.
const TRIES: usize = 16;

/// Listens at that port (0: any) of 127.0.0.1, and of `::1` where the machine has IPv6.
///
/// # Errors
/// Which of the two cannot be had, why, and who has it as far as that can be told; the end of a sentence.
pub async fn listen(port: u16) -> Result<Vec<TcpListener>, String> {
    let mut tries = TRIES;
    loop {
        match both(port).await {
            Err(_) if port == 0 && tries > 1 => tries -= 1,
            done => return done,
        }
    }
}

async fn both(port: u16) -> Result<Vec<TcpListener>, String> {
    let at = |ip: IpAddr, port| SocketAddr::new(ip, port);
    let (four, six) = (IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST));
    let first = TcpListener::bind(at(four, port)).await.map_err(|e| taken(at(four, port), &e))?;
    let port = first.local_addr().map_err(|e| e.to_string())?.port();
    let mut all = vec![first];
    match TcpListener::bind(at(six, port)).await {
        Ok(second) => all.push(second),
        // Then nobody can have it.
        Err(e) if is_without_ipv6(&e) => {}
        Err(e) => return Err(taken(at(six, port), &e)),
    }
    Ok(all)
}

fn taken(at: SocketAddr, e: &io::Error) -> String {
    let who = match (e.kind(), tcp_listener(at)) {
        (io::ErrorKind::AddrInUse, Some(uid)) if uid == sys::ids::uid() => {
            format!("; a program of this user (user id {uid}) has it")
        }
        (io::ErrorKind::AddrInUse, Some(uid)) => format!("; a program of user id {uid} has it"),
        _ => String::new(),
    };
    let ip = if at.is_ipv6() { format!("[{}]", at.ip()) } else { at.ip().to_string() };
    format!("port {} of {ip}: {e}{who}", at.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_or_none() {
        crate::testing::run(async {
            let ours = listen(0).await.expect("any port");
            let port = ours.first().expect("one").local_addr().expect("an address").port();
            let mine = format!("user id {}", sys::ids::uid());
            let no = listen(port).await.expect_err("taken");
            assert!(no.starts_with(&format!("port {port} of 127.0.0.1: ")) && no.contains(&mine), "{no}");
            let has_six = ours.len() == 2;
            assert_eq!(has_six, TcpListener::bind(("::1", 0)).await.is_ok());
            if !has_six {
                return;
            }
            // Only the other one is taken: that is as bad, and nothing is kept.
            let mut ours = ours.into_iter();
            drop(ours.next());
            let no = listen(port).await.expect_err("taken");
            assert!(no.starts_with(&format!("port {port} of [::1]: ")) && no.contains(&mine), "{no}");
            assert!(TcpListener::bind(("127.0.0.1", port)).await.is_ok());
        });
    }
}
