//! A client's half of a conversation: a connection to an approver that is believed, and its lines, each with an end to
//! the waiting. What the lines mean is `protocol`'s.
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use policy::document::SocketSettings;
use protocol::frame::Lines;
use sys::socket::Stream;

/// Why no approver could be reached.
#[derive(Debug)]
pub enum Unreached {
    /// There is none: no socket, or nobody listens at it.
    Absent,
    /// The socket, or whoever listens at it, is this user's, who is not believed.
    Foreign(u32),
    /// It cannot be talked to.
    Io(io::Error),
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreached::Absent => write!(f, "no approver listens there"),
            Unreached::Foreign(uid) => {
                write!(f, "it belongs to user {uid}, who is neither us nor root nor in socket.allowUids")
            }
            Unreached::Io(e) if e.kind() == io::ErrorKind::TimedOut => write!(f, "it does not answer"),
            Unreached::Io(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for Unreached {}

/// Why there is no further line.
#[derive(Debug)]
pub enum Ended {
    /// The deadline passed.
    Late,
    /// The other end is gone.
    Gone,
    /// What it sends is longer than a message can be.
    TooLong,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Ended::Late => "it did not answer in time",
            Ended::Gone => "it went away",
            Ended::TooLong => "it sent a message that is too long",
        })
    }
}

impl std::error::Error for Ended {}

/// The path of the asking socket, `~/` being the home; `None` if no document names a folder, or the home is not known.
pub fn socket_path(settings: &SocketSettings, home: Option<&Path>) -> Option<PathBuf> {
    let path = settings.path.as_deref()?;
    match path.strip_prefix("~/") {
        Some(rest) => Some(home?.join(rest)),
        // One that depends on the working folder is an agent's to choose.
        None => Some(PathBuf::from(path)).filter(|p| p.is_absolute()),
    }
}

/// A connection to an approver: its user was looked at.
#[derive(Debug)]
pub struct Talk {
    stream: Stream,
    lines: Lines,
}

impl Talk {
    /// Connects. The user of whoever listens must be ours, root or one of `trusted`; so must the owner of the socket.
    ///
    /// # Errors
    /// [`Unreached`].
    pub fn open(path: &Path, trusted: &[u32], deadline: Instant) -> Result<Talk, Unreached> {
        let believed = |uid: u32| match uid == 0 || uid == sys::ids::uid() || trusted.contains(&uid) {
            true => Ok(()),
            false => Err(Unreached::Foreign(uid)),
        };
        let unreached = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Unreached::Absent,
            _ => Unreached::Io(e),
        };
        believed(sys::socket::owner(path).map_err(unreached)?)?;
        let stream = Stream::connect(path, deadline).map_err(unreached)?;
        believed(stream.peer().map_err(Unreached::Io)?.uid)?;
        Ok(Talk { stream, lines: Lines::new() })
    }

    /// Sends a line as it is.
    ///
    /// # Errors
    /// It does not take it: [`Ended`].
    pub fn send(&mut self, line: &[u8], deadline: Instant) -> Result<(), Ended> {
        self.stream.write_all(line, deadline).map_err(ended)
    }

    /// Says that nothing more will be sent.
    ///
    /// # Errors
    /// The other end is gone.
    pub fn finish(&mut self) -> Result<(), Ended> {
        self.stream.finish().map_err(ended)
    }

    /// The next line, without its end.
    ///
    /// # Errors
    /// [`Ended`].
    pub fn line(&mut self, deadline: Instant) -> Result<Vec<u8>, Ended> {
        let mut piece = [0; 4096];
        loop {
            if let Some(line) = self.lines.next_line().map_err(|_| Ended::TooLong)? {
                return Ok(line.to_vec());
            }
            match self.stream.read(&mut piece, deadline).map_err(ended)? {
                0 => return Err(Ended::Gone),
                n => self.lines.push(piece.get(..n).unwrap_or_default()),
            }
        }
    }

    /// True if something comes until then, or the other side ends; nothing of it is taken.
    pub fn comes(&mut self, until: Instant) -> bool {
        if self.lines.rest() > 0 {
            return true;
        }
        let mut piece = [0; 4096];
        match self.stream.read(&mut piece, until) {
            Ok(n) => {
                self.lines.push(piece.get(..n).unwrap_or_default());
                true
            }
            Err(e) => e.kind() != io::ErrorKind::TimedOut,
        }
    }

    /// True if more has come already.
    pub fn has_more(&mut self) -> bool {
        // At once: what was not sent with the last line is not waited for.
        let mut piece = [0; 1];
        self.lines.rest() > 0 || matches!(self.stream.read(&mut piece, Instant::now()), Ok(1..))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "given to map_err")]
fn ended(e: io::Error) -> Ended {
    if e.kind() == io::ErrorKind::TimedOut { Ended::Late } else { Ended::Gone }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    fn in_a_minute() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    fn settings(path: &str) -> SocketSettings {
        SocketSettings { path: Some(path.into()), ..SocketSettings::default() }
    }

    #[test]
    fn where_the_socket_is() {
        let home = Path::new("/home/u");
        let at = |path: &str, home| socket_path(&settings(path), home).map(|p| p.display().to_string());
        assert_eq!(at("~/x/s", Some(home)).as_deref(), Some("/home/u/x/s"));
        assert_eq!(at("/x/s", None).as_deref(), Some("/x/s"));
        assert_eq!(at("~/x/s", None), None);
        assert_eq!(at("x/s", Some(home)), None);
        assert_eq!(socket_path(&SocketSettings::default(), Some(home)), None);
    }

    #[test]
    fn lines_come_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        assert!(matches!(Talk::open(&path, &[], in_a_minute()), Err(Unreached::Absent)));
        let l = UnixListener::bind(&path).unwrap();
        let mut talk = Talk::open(&path, &[], in_a_minute()).unwrap();
        let mut peer = l.accept().unwrap().0;
        assert!(!talk.has_more());
        for piece in ["a", "b\nc", "\n", "d"] {
            peer.write_all(piece.as_bytes()).unwrap();
        }
        assert_eq!(talk.line(in_a_minute()).unwrap(), b"ab");
        assert_eq!(talk.line(in_a_minute()).unwrap(), b"c");
        assert!(talk.has_more());
        assert!(talk.comes(in_a_minute()), "what lies there");
        let soon = Instant::now() + Duration::from_millis(20);
        assert!(matches!(talk.line(soon), Err(Ended::Late)));
        peer.write_all(b"e\nf\n").unwrap();
        assert!(talk.comes(in_a_minute()));
        assert_eq!(talk.line(in_a_minute()).unwrap(), b"de");
        assert_eq!(talk.line(in_a_minute()).unwrap(), b"f");
        assert!(!talk.comes(Instant::now() + Duration::from_millis(20)));
        drop(peer);
        assert!(matches!(talk.line(in_a_minute()), Err(Ended::Gone)));
        drop(l);
        assert!(matches!(Talk::open(&path, &[], in_a_minute()), Err(Unreached::Absent)));
    }

    #[test]
    fn a_line_without_end_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let l = UnixListener::bind(&path).unwrap();
        let mut talk = Talk::open(&path, &[], in_a_minute()).unwrap();
        let mut peer = l.accept().unwrap().0;
        let writes = std::thread::spawn(move || while peer.write_all(&[b'x'; 1 << 16]).is_ok() {});
        assert!(matches!(talk.line(in_a_minute()), Err(Ended::TooLong)));
        drop(talk);
        writes.join().unwrap();
    }

    #[test]
    fn another_users_socket_is_not_believed() {
        if sys::ids::uid() != 0 {
            eprintln!("SKIPPED: only root can give a file away");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s");
        let _l = UnixListener::bind(&path).unwrap();
        std::os::unix::fs::chown(&path, Some(4711), None).unwrap();
        assert!(matches!(Talk::open(&path, &[], in_a_minute()), Err(Unreached::Foreign(4711))));
        assert!(Talk::open(&path, &[4711], in_a_minute()).is_ok());
    }
}
