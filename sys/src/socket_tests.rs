use super::*;
use std::io::{Read, Write};

fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().mode() & 0o777
}

fn in_a_minute() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn soon() -> Instant {
    Instant::now() + Duration::from_millis(50)
}

/// Accepts, though the listener does not block.
fn accept(l: &UnixListener) -> UnixStream {
    l.set_nonblocking(false).unwrap();
    l.accept().unwrap().0
}

#[test]
fn both_ends_know_each_other() {
    let dir = folder();
    let path = dir.path().join("a/b/s");
    let l = bind(&path, Audience::Own).unwrap();
    assert_eq!((mode(&path), mode(&dir.path().join("a/b"))), (0o600, 0o700));
    assert_eq!(owner(&path).unwrap(), crate::ids::uid());
    let client = Stream::connect(&path, in_a_minute()).unwrap();
    let mut server = accept(&l);
    for p in [client.peer().unwrap(), peer(&server).unwrap()] {
        assert_eq!((p.uid, p.pid), (crate::ids::uid(), crate::ids::pid()));
        assert_ne!(p.is_alive(), Some(false));
    }
    client.write_all(b"hello", in_a_minute()).unwrap();
    let mut got = [0; 5];
    server.read_exact(&mut got).unwrap();
    assert_eq!(&got, b"hello");
    server.write_all(b"you").unwrap();
    let mut got = [0; 10];
    assert_eq!(client.read(&mut got, in_a_minute()).unwrap(), 3);
    assert_eq!(client.read(&mut got, soon()).unwrap_err().kind(), io::ErrorKind::TimedOut);
    drop(server);
    assert_eq!(client.read(&mut got, in_a_minute()).unwrap(), 0);
    assert_eq!(client.write_all(b"x", in_a_minute()).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn a_peer_that_does_not_read_has_an_end() {
    let dir = folder();
    let path = dir.path().join("s");
    let l = bind(&path, Audience::Own).unwrap();
    let client = Stream::connect(&path, in_a_minute()).unwrap();
    let _server = accept(&l);
    let e = client.write_all(&vec![0; 64 << 20], soon()).unwrap_err();
    assert_eq!(e.kind(), io::ErrorKind::TimedOut);
}

#[test]
fn nobody_there_is_told_at_once() {
    let dir = folder();
    let path = dir.path().join("s");
    assert_eq!(Stream::connect(&path, in_a_minute()).unwrap_err().kind(), io::ErrorKind::NotFound);
    drop(bind(&path, Audience::Own).unwrap());
    assert_eq!(Stream::connect(&path, in_a_minute()).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    std::fs::write(dir.path().join("f"), "").unwrap();
    assert_eq!(owner(&dir.path().join("f")).unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn a_stale_socket_gives_way_and_a_live_one_does_not() {
    let dir = folder();
    let path = dir.path().join("s");
    drop(bind(&path, Audience::Own).unwrap());
    let l = bind(&path, Audience::Own).unwrap();
    assert_eq!(bind(&path, Audience::Own).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    drop(l);
    let other = dir.path().join("f");
    std::fs::write(&other, "mine").unwrap();
    assert_eq!(bind(&other, Audience::Own).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    assert_eq!(std::fs::read(&other).unwrap(), b"mine");
    let link = dir.path().join("l");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    assert!(bind(&link, Audience::Own).is_err());
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let dir = folder();
    for (folder_mode, fits) in [(0o700, true), (0o755, true), (0o711, true), (0o770, false), (0o1777, false)]
    {
        let inner = dir.path().join(format!("{folder_mode:o}"));
        std::fs::create_dir(&inner).unwrap();
        std::fs::set_permissions(&inner, PermissionsExt::from_mode(folder_mode)).unwrap();
        let bound = bind(&inner.join("s"), Audience::Own);
        assert_eq!(bound.is_ok(), fits, "{folder_mode:o}");
        // One above it may be like /tmp, where each can move only what is theirs.
        let below = bind(&inner.join("x/s"), Audience::Own);
        assert_eq!(below.is_ok(), fits || folder_mode & 0o1000 != 0, "{folder_mode:o}");
    }
    assert!(bind(Path::new("s"), Audience::Own).is_err(), "a path that depends on where we are");
    if crate::ids::uid() == 0 {
        let foreign = dir.path().join("foreign");
        std::fs::create_dir(&foreign).unwrap();
        std::os::unix::fs::chown(&foreign, Some(4711), None).unwrap();
        assert_eq!(
            bind(&foreign.join("s"), Audience::Own).unwrap_err().kind(),
            io::ErrorKind::PermissionDenied
        );
    }
}

#[test]
fn a_socket_for_listed_users_can_be_reached() {
    let dir = folder();
    let path = dir.path().join("x/s");
    let _l = bind(&path, Audience::Listed).unwrap();
    assert_eq!((mode(&path), mode(&dir.path().join("x"))), (0o666, 0o711));
}

#[test]
fn a_long_path_is_a_path() {
    let dir = folder();
    let path = dir.path().join("d".repeat(120)).join("s");
    let l = bind(&path, Audience::Own).unwrap();
    let client = Stream::connect(&path, in_a_minute()).unwrap();
    client.write_all(b"x", in_a_minute()).unwrap();
    let mut got = [0; 1];
    accept(&l).read_exact(&mut got).unwrap();
    assert_eq!(bind(&path, Audience::Own).unwrap_err().kind(), io::ErrorKind::AddrInUse);
}

/// A queue that is full is waited for, not taken for nobody.
#[test]
fn a_busy_server_is_waited_for() {
    let dir = folder();
    let path = dir.path().join("s");
    let fd = new().unwrap();
    with_address(&path, |a| Ok(nix::sys::socket::bind(fd.as_raw_fd(), a)?)).unwrap();
    listen(&fd, Backlog::new(0).unwrap()).unwrap();
    let l = UnixListener::from(fd);
    let mut held = Vec::new();
    let full = loop {
        match Stream::connect(&path, soon()) {
            Ok(s) => held.push(s),
            Err(e) => break e,
        }
        assert!(held.len() < 100);
    };
    assert_eq!(full.kind(), io::ErrorKind::TimedOut);
    let waits = std::thread::spawn({
        let path = path.clone();
        move || Stream::connect(&path, in_a_minute()).map(drop)
    });
    for _ in 0..held.len() {
        drop(accept(&l));
    }
    waits.join().unwrap().unwrap();
}

#[test]
fn what_systemd_hands_to_another_process_is_not_ours() {
    let env = |pid: i32| {
        vec![
            format!("LISTEN_PID={pid}").into_bytes(),
            b"LISTEN_FDS=1".to_vec(),
            b"LISTEN_FDNAMES=ask".to_vec(),
        ]
    };
    assert!(activated(&env(1)).unwrap().is_empty());
    assert!(activated(&[]).unwrap().is_empty());
    assert!(activated(&[format!("LISTEN_PID={}", crate::ids::pid()).into_bytes()]).unwrap().is_empty());
}

#[test]
fn nothing_is_inherited() {
    let dir = folder();
    let path = dir.path().join("s");
    let l = bind(&path, Audience::Own).unwrap();
    let client = Stream::connect(&path, in_a_minute()).unwrap();
    let fds = [l.as_raw_fd(), client.0.as_raw_fd()];
    for fd in fds.into_iter().chain(client.peer().unwrap().pidfd.iter().map(AsRawFd::as_raw_fd)) {
        // SAFETY: the descriptor is open for the length of the call.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        let flags = FdFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFD).unwrap());
        assert!(flags.contains(FdFlag::FD_CLOEXEC));
    }
}

#[test]
fn whose_the_other_end_of_a_connection_is() {
    let home = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let line = |state: &str, from: u16, to: u16, uid: u32| {
        let (from, to) = (in_table(home(from)), in_table(home(to)));
        format!(
            "   7: {from} {to} {state} 00000000:00000000 00:00000000 00000000  {uid}        0 {} 1\n",
            uid + 5
        )
    };
    let head =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    let table = [
        head,
        "garbage\n\n",
        &line("01", 81, 5000, 7),
        &line("06", 5001, 81, 0),
        &line("01", 5000, 81, 1000),
    ]
    .concat();
    let (word, end) = (in_table(home(81)), TcpEnd { uid: 1000, inode: 1005 });
    assert_eq!(word, format!("{:08X}:0051", u32::from_ne_bytes([127, 0, 0, 1])));
    for (theirs, want) in [(5000, Some(end)), (5001, None), (5002, None)] {
        assert_eq!(end_in(&table, home(theirs), home(81)), want, "{theirs}");
    }
    let head6 = format!("{head}garbage\n");
    let listens = |ip: &str, port: u16, uid: u32| {
        let at = in_table(SocketAddr::new(ip.parse().unwrap(), port));
        format!("   7: {at} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  {uid}        0 9 1\n")
    };
    let tcp = [head, &table, &listens("127.0.0.1", 90, 1), &listens("0.0.0.0", 91, 2)].concat();
    let tcp6 = [
        &*head6,
        &listens("::1", 92, 3),
        &listens("::", 93, 4),
        &listens("::ffff:127.0.0.1", 94, 5),
        &listens("127.0.0.2", 90, 6),
    ]
    .concat();
    for (at, want) in [
        ("127.0.0.1:90", Some(1)),
        ("127.0.0.1:91", Some(2)),
        ("127.0.0.1:92", None),
        ("127.0.0.1:93", Some(4)),
        ("127.0.0.1:94", Some(5)),
        ("[::1]:90", None),
        ("[::1]:91", None),
        ("[::1]:92", Some(3)),
        ("[::1]:93", Some(4)),
        // A connection is no listener.
        ("127.0.0.1:81", None),
    ] {
        assert_eq!(listener_in(&tcp, &tcp6, at.parse().unwrap()), want, "{at}");
    }
    // And as the kernel has it: whose, and which process holds it.
    for at in ["127.0.0.1:0", "[::1]:0"] {
        // A machine may have no IPv6.
        let listener = match std::net::TcpListener::bind(at) {
            Ok(listener) => listener,
            Err(e) => {
                assert!(at.starts_with('[') && is_without_ipv6(&e), "{e}");
                continue;
            }
        };
        let seen = tcp_listener(listener.local_addr().unwrap());
        assert_eq!(seen, Some(nix::unistd::getuid().as_raw()), "{at}");
        let again = std::net::TcpListener::bind(listener.local_addr().unwrap()).unwrap_err();
        assert!(!is_without_ipv6(&again), "{again}");
        let us = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (accepted, theirs) = listener.accept().unwrap();
        let end = tcp_end(theirs, accepted.local_addr().unwrap()).unwrap();
        assert_eq!(end.uid, nix::unistd::getuid().as_raw(), "{at}");
        let me = crate::ids::pid();
        assert!(crate::proc::holders(end.uid, end.inode).unwrap().contains(&me), "{at}");
        assert!(crate::proc::holds(me, end.inode));
        assert_eq!(crate::proc::holders(end.uid + 1, end.inode), Some(vec![]));
        drop(us);
        assert!(!crate::proc::holds(me, end.inode), "{at}");
        assert!(tcp_end(theirs, SocketAddr::new(theirs.ip(), 1)).is_err());
    }
}
