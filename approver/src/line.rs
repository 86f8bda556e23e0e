//! One connection: lines in and out, each with a deadline.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use protocol::frame::{self, Lines};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout, timeout_at};

/// How long a peer may take to accept what is sent to it.
const SEND: Duration = Duration::from_secs(10);

/// Bytes that are read at once.
const PIECE: usize = 16 << 10;

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The peer went away, or will say nothing more.
    Gone,
    /// It took too long.
    Late,
    /// It said more than may be said here.
    TooLong,
}

/// Bytes that may lie in unfinished lines of all connections that share it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<AtomicUsize>);

impl Budget {
    /// So many bytes.
    pub fn of(bytes: usize) -> Budget {
        Budget(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Takes so many, if they are there.
    pub fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    fn give(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A connection.
#[derive(Debug)]
pub struct Line {
    stream: UnixStream,
    lines: Lines,
    /// Bytes that may wait for the end of their line.
    most: usize,
    /// What it shares with others, and what it has of that.
    budget: Option<(Budget, usize)>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.share(None);
    }
}

impl Line {
    /// Of a stream.
    pub fn new(stream: UnixStream) -> Line {
        Line { stream, lines: Lines::new(), most: frame::MAX_LINE, budget: None }
    }

    /// What it reads counts against a budget from now on, or no more.
    pub fn share(&mut self, budget: Option<Budget>) {
        if let Some((shared, taken)) = self.budget.take() {
            shared.give(taken);
        }
        self.budget = budget.map(|b| (b, 0));
    }

    /// Takes in a piece.
    fn push(&mut self, piece: &[u8]) -> Result<(), End> {
        if let Some((budget, taken)) = &mut self.budget {
            if !budget.take(piece.len()) {
                return Err(End::TooLong);
            }
            *taken += piece.len();
        }
        self.lines.push(piece);
        Ok(())
    }

    /// From now on no line longer than that is read: what is left to be said is short, and thousands of connections are
    /// in this state.
    pub fn limit(&mut self, most: usize) {
        self.most = most;
        if self.lines.rest() == 0 {
            self.lines = Lines::new();
        }
    }

    /// The next line, without its end. Nothing is lost if this is dropped while it waits.
    ///
    /// # Errors
    /// None came.
    pub async fn read(&mut self, deadline: Option<Instant>) -> Result<Vec<u8>, End> {
        loop {
            match self.lines.next_line().map_err(|frame::TooLong| End::TooLong)? {
                Some(line) if line.len() >= self.most => return Err(End::TooLong),
                Some(line) => return Ok(line.to_vec()),
                None => {}
            }
            if self.lines.rest() >= self.most {
                return Err(End::TooLong);
            }
            let ready = self.stream.readable();
            match deadline {
                Some(at) => timeout_at(at, ready).await.map_err(|_| End::Late)?,
                None => ready.await,
            }
            .map_err(|_| End::Gone)?;
            self.take_in()?;
        }
    }

    /// Takes in what is there. No buffer is held while nothing is: thousands of connections wait.
    fn take_in(&mut self) -> Result<(), End> {
        let mut piece = [0u8; PIECE];
        match self.stream.try_read(&mut piece) {
            Ok(n) if n > 0 => self.push(piece.get(..n).unwrap_or_default()),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Ok(_) | Err(_) => Err(End::Gone),
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The peer is gone, or takes nothing in; the message is too long.
    pub async fn send(&mut self, message: &Value) -> io::Result<()> {
        let line =
            frame::encode(message).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e.to_string()))?;
        match timeout(SEND, self.stream.write_all(&line)).await {
            Ok(done) => done,
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// True if something comes within that time: for a peer that may be one that waits to be spoken to.
    pub async fn speaks_first(&mut self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        while self.lines.rest() == 0 {
            match timeout_at(deadline, self.stream.readable()).await {
                // It may be ready for nothing.
                Ok(Ok(())) if self.take_in().is_ok() => {}
                _ => return false,
            }
        }
        true
    }

    /// The stream below, to look at who is at its other end.
    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }
}

#[cfg(test)]
impl Line {
    /// Sends bytes that are no message.
    pub async fn raw(&mut self, bytes: &[u8]) {
        // A peer that had enough may be gone already.
        let _ = self.stream.write_all(bytes).await;
    }

    /// Will say nothing more, and still listens.
    pub async fn half_close(&mut self) {
        self.stream.shutdown().await.unwrap();
    }
}

/// A challenge for a new connection, and when it was given by the clock that nobody sets.
///
/// # Errors
/// There are no random bytes: nothing can be bound to a conversation then.
pub fn challenge() -> io::Result<protocol::message::Challenge> {
    let mut bytes = [0u8; 32];
    sys::edit::random(&mut bytes)?;
    Ok(protocol::message::Challenge { nonce: protocol::encode::base64(&bytes), ts: sys::time::now_ms() })
}
