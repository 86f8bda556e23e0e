//! Unix sockets: connecting and listening, who is at the other end, and an end to every wait.
//!
//! Nothing here blocks longer than its deadline, and everything is close-on-exec. Whose word counts is not decided here:
//! the user id of a peer is the kernel's (unix(7), `SO_PEERCRED`): of a server that of the process that called listen(2),
//! of a client that of the one that called connect(2).
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, Backlog, MsgFlags, SockFlag, SockType, UnixAddr, connect, getsockopt, listen, recv, send,
    socket, sockopt,
};
use nix::sys::stat::{Mode, fchmod};

/// How long to wait between two tries to connect to a server whose queue is full.
const AGAIN: Duration = Duration::from_millis(5);

/// A connection.
#[derive(Debug)]
pub struct Stream(UnixStream);

/// Who is at the other end.
#[derive(Debug)]
pub struct Peer {
    /// Effective user id.
    pub uid: u32,
    /// Process id, as seen from here; 0 if it cannot be seen.
    pub pid: i32,
    /// Holds the process: while it is open the number is nobody else's. `None` where the kernel has no
    /// `SO_PEERPIDFD` (before Linux 6.5).
    pub pidfd: Option<OwnedFd>,
}

impl Peer {
    /// True if the process still runs, so that what was read under its number was its own; `None` if that cannot be told.
    pub fn is_alive(&self) -> Option<bool> {
        let mut fds = [PollFd::new(self.pidfd.as_ref()?.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).ok().map(|ready| ready == 0)
    }
}

/// Who is at the other end of a connection.
///
/// # Errors
/// The kernel's: nothing is known about the peer then.
pub fn peer(stream: &impl AsFd) -> io::Result<Peer> {
    let fd = stream.as_fd();
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let seen = getsockopt(&fd, sockopt::PeerCredentials)?;
        Ok(Peer { uid: seen.uid(), pid: seen.pid(), pidfd: pidfd(fd) })
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let (uid, _) = nix::unistd::getpeereid(fd)?;
        Ok(Peer { uid: uid.as_raw(), pid: 0, pidfd: None })
    }
}

/// The other end of a TCP connection on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpEnd {
    /// The user id of whoever opened it.
    pub uid: u32,
    /// Number of its socket, by which [`crate::proc::holders`] finds the processes that hold it.
    pub inode: u64,
}

/// The other end of a TCP connection on this machine, by the kernel's table of them (proc(5), `/proc/net/tcp`, `tcp6`).
///
/// # Errors
/// The table cannot be read; [`io::ErrorKind::NotFound`]: the other end is not in it, or is closed already.
pub fn tcp_end(theirs: SocketAddr, ours: SocketAddr) -> io::Result<TcpEnd> {
    let file = if theirs.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    let table = std::fs::read_to_string(file)?;
    end_in(&table, theirs, ours).ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn end_in(table: &str, theirs: SocketAddr, ours: SocketAddr) -> Option<TcpEnd> {
    let (theirs, ours) = (in_table(theirs), in_table(ours));
    table.lines().find_map(|line| {
        // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
        let mut words = line.split_ascii_whitespace().skip(1);
        // 01: established. One that is closed is nobody's any more, which reads as 0.
        let it = words.next() == Some(&*theirs) && words.next() == Some(&*ours) && words.next() == Some("01");
        if !it {
            return None;
        }
        let uid = words.nth(3)?.parse().ok()?;
        Some(TcpEnd { uid, inode: words.nth(1)?.parse().ok()? })
    })
}

/// The user id of whoever listens at that address, or at all of this machine's with that port, by the same tables; `None`
/// where nobody does, or that cannot be read. More than one may: the first.
pub fn tcp_listener(at: SocketAddr) -> Option<u32> {
    let table = |file| std::fs::read_to_string(file).unwrap_or_default();
    listener_in(&table("/proc/net/tcp"), &table("/proc/net/tcp6"), at)
}

fn listener_in(tcp: &str, tcp6: &str, at: SocketAddr) -> Option<u32> {
    let of = |ip: IpAddr| in_table(SocketAddr::new(ip, at.port()));
    let (all, all6) = (of(Ipv4Addr::UNSPECIFIED.into()), of(Ipv6Addr::UNSPECIFIED.into()));
    let listens = |table: &str, wanted: &[String]| {
        table.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let here = words.next().is_some_and(|w| wanted.iter().any(|a| a == w));
            // 0A: listens.
            (here && words.nth(1) == Some("0A")).then(|| words.nth(3)?.parse().ok())?
        })
    };
    match at.ip() {
        IpAddr::V4(ip) => listens(tcp, &[of(ip.into()), all])
            .or_else(|| listens(tcp6, &[of(ip.to_ipv6_mapped().into()), all6])),
        IpAddr::V6(ip) => listens(tcp6, &[of(ip.into()), all6]),
    }
}

/// True of the error of listening at `::1` on a machine that has no IPv6: there is no such address, or no such family.
pub fn is_without_ipv6(e: &io::Error) -> bool {
    e.raw_os_error()
        .is_some_and(|n| [Errno::EADDRNOTAVAIL, Errno::EAFNOSUPPORT].contains(&Errno::from_raw(n)))
}

/// An address as it stands there: words of 32 bits, each as the number that its bytes make on this machine, and the port.
fn in_table(address: SocketAddr) -> String {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let words = octets.chunks_exact(4).filter_map(|c| Some(u32::from_ne_bytes(c.try_into().ok()?)));
    let words: String = words.map(|w| format!("{w:08X}")).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn pidfd(fd: BorrowedFd<'_>) -> Option<OwnedFd> {
    let mut out: RawFd = -1;
    let mut size: libc::socklen_t = size_of::<RawFd>().try_into().ok()?;
    let to: *mut RawFd = &raw mut out;
    // SAFETY: the kernel writes one descriptor, for which `to` has room, and its size, which is what `size` says.
    let done = unsafe {
        libc::getsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERPIDFD, to.cast(), &raw mut size)
    };
    if done != 0 || out < 0 {
        return None;
    }
    // SAFETY: the kernel has just made that descriptor for us, close-on-exec, and nobody else knows it.
    Some(unsafe { OwnedFd::from_raw_fd(out) })
}

/// The owner of the socket at that path.
///
/// # Errors
/// Those of stat(2); [`io::ErrorKind::InvalidInput`] if it is no socket.
pub fn owner(path: &Path) -> io::Result<u32> {
    let meta = std::fs::metadata(path)?;
    if !meta.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no socket"));
    }
    Ok(meta.uid())
}

/// A path as an address. One that is longer than the kernel takes (107 bytes) is named by its open folder.
fn with_address<T>(path: &Path, then: impl FnOnce(&UnixAddr) -> io::Result<T>) -> io::Result<T> {
    match UnixAddr::new(path) {
        Ok(address) => then(&address),
        Err(Errno::ENAMETOOLONG) => {
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(io::ErrorKind::InvalidInput.into());
            };
            let folder = crate::file::open_with(folder, OFlag::O_PATH | OFlag::O_DIRECTORY, 0)?;
            let mut short = format!("/proc/self/fd/{}/", folder.as_raw_fd()).into_bytes();
            short.extend_from_slice(name.as_bytes());
            then(&UnixAddr::new(short.as_slice())?)
        }
        Err(e) => Err(e.into()),
    }
}

fn new() -> io::Result<OwnedFd> {
    let fd = socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None)?;
    prepare(fd.as_fd())?;
    Ok(fd)
}

/// Close-on-exec and non-blocking.
fn prepare(fd: BorrowedFd<'_>) -> io::Result<()> {
    fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
    fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

impl Stream {
    /// Connects. A server whose queue is full is waited for.
    ///
    /// # Errors
    /// Those of connect(2): `NotFound` and `ConnectionRefused` mean that nobody is there; [`io::ErrorKind::TimedOut`].
    pub fn connect(path: &Path, deadline: Instant) -> io::Result<Stream> {
        with_address(path, |address| {
            loop {
                let fd = new()?;
                match connect(fd.as_raw_fd(), address) {
                    Ok(()) => return Ok(Stream(fd.into())),
                    Err(Errno::EAGAIN | Errno::EINTR) if Instant::now() < deadline => {
                        std::thread::sleep(AGAIN)
                    }
                    Err(Errno::EAGAIN | Errno::EINTR) => return Err(io::ErrorKind::TimedOut.into()),
                    Err(e) => return Err(e.into()),
                }
            }
        })
    }

    /// Who is at the other end.
    ///
    /// # Errors
    /// As [`peer`].
    pub fn peer(&self) -> io::Result<Peer> {
        peer(&self.0)
    }

    /// What has come, at least a byte; 0 at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] at the deadline; those of recv(2).
    pub fn read(&self, into: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            match recv(self.0.as_raw_fd(), into, MsgFlags::MSG_DONTWAIT) {
                Ok(n) => return Ok(n),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => self.wait(PollFlags::POLLIN, deadline)?,
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Sends all of it.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] at the deadline; those of send(2). No signal: a peer that went away is `BrokenPipe`.
    pub fn write_all(&self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            match send(self.0.as_raw_fd(), bytes, MsgFlags::MSG_DONTWAIT | no_signal()) {
                Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => self.wait(PollFlags::POLLOUT, deadline)?,
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    /// Says that nothing more will be sent; reading goes on.
    ///
    /// # Errors
    /// Those of shutdown(2).
    pub fn finish(&self) -> io::Result<()> {
        self.0.shutdown(std::net::Shutdown::Write)
    }

    fn wait(&self, what: PollFlags, deadline: Instant) -> io::Result<()> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // A part of a millisecond counts as one, so that the last wait is none of no length, over and over.
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.0.as_fd(), what)], timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn no_signal() -> MsgFlags {
    MsgFlags::MSG_NOSIGNAL
}

/// SIGPIPE is ignored where something is sent.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn no_signal() -> MsgFlags {
    MsgFlags::empty()
}

/// Who may connect to a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Its owner: the folder is made 0700 if it is not there, the socket has 0600.
    Own,
    /// Whoever the server then accepts by user id: the folder can be passed through (0711), the socket has 0666.
    Listed,
}

/// Listens, non-blocking. Takes the place of a socket at which nobody listens any more; the caller sees to it that two
/// of them do not try that at once.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] if another user can write the folder or one above it, or something that is not
/// ours lies at the path; [`io::ErrorKind::AddrInUse`] if somebody listens there, or it is no socket; those of bind(2).
pub fn bind(path: &Path, audience: Audience) -> io::Result<UnixListener> {
    let folder = path.parent().filter(|f| f.is_absolute()).ok_or(io::ErrorKind::InvalidInput)?;
    if !folder.exists() {
        crate::edit::private_folder(folder)?;
    }
    // Links resolved, so that what is looked at is what is used.
    let folder = std::fs::canonicalize(folder)?;
    ours_alone(&folder)?;
    let path = folder.join(path.file_name().ok_or(io::ErrorKind::InvalidInput)?);
    if audience == Audience::Listed {
        let mode = std::fs::metadata(&folder)?.mode() & 0o7777;
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(mode | 0o011))?;
    }
    give_way(&path)?;
    let fd = new()?;
    // The mode it gets when it is bound, so that there is no moment in which others could connect.
    fchmod(&fd, Mode::from_bits_truncate(0o600))?;
    with_address(&path, |address| Ok(nix::sys::socket::bind(fd.as_raw_fd(), address)?))?;
    let mode = if audience == Audience::Own { 0o600 } else { 0o666 };
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode))?;
    listen(&fd, Backlog::MAXCONN)?;
    Ok(fd.into())
}

/// Removes a socket of ours at which nobody listens.
fn give_way(path: &Path) -> io::Result<()> {
    let meta = match std::fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "something that is no socket lies there"));
    }
    if meta.uid() != crate::ids::uid() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "a socket of another user lies there"));
    }
    match Stream::connect(path, Instant::now()) {
        Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path),
        // Also one that is too busy to take us.
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "somebody listens there")),
    }
}

/// Refuses a folder that another user can write, or could put another one in place of.
fn ours_alone(folder: &Path) -> io::Result<()> {
    let refused = |at: &Path| {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("another user can write {at:?}")))
    };
    for (up, at) in folder.ancestors().enumerate() {
        let meta = std::fs::metadata(at)?;
        // In a folder like /tmp each can move only what is theirs.
        let sticky = up > 0 && meta.mode() & 0o1000 != 0;
        let owner_fits = meta.uid() == crate::ids::uid() || meta.uid() == 0;
        if !owner_fits || (meta.mode() & 0o022 != 0 && !sticky) {
            return refused(at);
        }
    }
    Ok(())
}

/// A socket that systemd listens at for us.
#[derive(Debug)]
pub struct Activated {
    /// `FileDescriptorName=` of its unit.
    pub name: Vec<u8>,
    /// Listening, non-blocking.
    pub listener: UnixListener,
    /// Where; `None` if it has no path.
    pub path: Option<PathBuf>,
}

/// The sockets handed over by systemd (sd_listen_fds(3)), by the environment we were started with; none if there are
/// none or they are another process's. To be called once: the descriptors are taken.
///
/// # Errors
/// A descriptor is no listening unix stream socket, or cannot be looked at.
pub fn activated(env: &[Vec<u8>]) -> io::Result<Vec<Activated>> {
    let text = |name: &[u8]| crate::environ::value(env, name).and_then(|v| std::str::from_utf8(v).ok());
    let number = |name: &[u8]| text(name).and_then(|v| v.parse::<i32>().ok());
    if number(b"LISTEN_PID") != Some(crate::ids::pid()) {
        return Ok(Vec::new());
    }
    let count = number(b"LISTEN_FDS").unwrap_or(0).clamp(0, 64);
    let mut names = text(b"LISTEN_FDNAMES").unwrap_or_default().split(':');
    (3..3 + count)
        .map(|fd| {
            let name = names.next().unwrap_or_default().as_bytes().to_vec();
            // SAFETY: systemd has opened these for this process, whose number it named, and nothing of ours has been
            // opened under their numbers: they were taken when we started.
            let fd = unsafe { OwnedFd::from_raw_fd(fd) };
            prepare(fd.as_fd())?;
            let stream = getsockopt(&fd, sockopt::SockType)? == SockType::Stream;
            if !stream || !getsockopt(&fd, sockopt::AcceptConn)? {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "no listening stream socket"));
            }
            let listener = UnixListener::from(fd);
            let path = listener.local_addr()?.as_pathname().map(Path::to_path_buf);
            Ok(Activated { name, listener, path })
        })
        .collect()
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
