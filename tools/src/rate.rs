//! So many calls of a tool by a user in a window.
//!
//! A window begins with the first call. The book is kept in the state folder, under a lock, so that it counts across
//! processes: one that cannot be read or written counts nothing, and nothing runs.
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::config::Rate;
use crate::result::Left;

/// Users and tools that are counted at once; with more nothing new is let through.
const MOST: usize = 100_000;
/// Largest book that is read, bytes.
const MAX_BYTES: u64 = 32 << 20;
/// How long the lock is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The windows that are open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Book(BTreeMap<(String, String), (u64, u64)>);

/// A call that is one too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany(pub Left);

impl Book {
    /// Counts a call, if it is within the limit. Times are milliseconds since 1970.
    ///
    /// # Errors
    /// It is one too many; it does not count.
    pub fn take(&mut self, rate: Rate, user: &str, tool: &str, now_ms: u64) -> Result<Left, TooMany> {
        let end = now_ms.saturating_add(rate.window_ms);
        let key = (user.to_owned(), tool.to_owned());
        if !self.0.contains_key(&key) && self.0.len() >= MOST {
            self.0.retain(|_, (_, end)| *end > now_ms);
            if self.0.len() >= MOST {
                return Err(TooMany(Left { remaining: 0, resets_at_ms: end }));
            }
        }
        let window = self.0.entry(key).or_insert((0, end));
        if window.1 <= now_ms {
            *window = (0, end);
        }
        // A clock that was set back must not make a window longer than one.
        window.1 = window.1.min(end);
        let (count, resets_at_ms) = *window;
        if count >= rate.limit {
            return Err(TooMany(Left { remaining: 0, resets_at_ms }));
        }
        window.0 = count + 1;
        Ok(Left { remaining: rate.limit - window.0, resets_at_ms })
    }

    /// How many windows are open.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if none is.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As text, without the windows that are over.
    pub fn to_text(&self, now_ms: u64) -> String {
        let open = self.0.iter().filter(|(_, (_, end))| *end > now_ms);
        let rows: Vec<Value> = open.map(|((u, t), (n, end))| json!([u, t, n, end])).collect();
        Value::Array(rows).to_string()
    }

    /// From text.
    ///
    /// # Errors
    /// It is no book.
    pub fn parse(text: &[u8]) -> io::Result<Book> {
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "no book of calls");
        let rows: Vec<(String, String, u64, u64)> = serde_json::from_slice(text).map_err(|_| bad())?;
        Ok(Book(rows.into_iter().map(|(u, t, n, end)| ((u, t), (n, end))).collect()))
    }
}

/// The book of a state folder.
#[derive(Clone, Debug)]
pub struct Shelf(PathBuf);

impl Shelf {
    /// That of this state folder.
    pub fn of(state: &Path) -> Shelf {
        Shelf(state.join("tools"))
    }

    fn path(&self) -> PathBuf {
        self.0.join("calls.json")
    }

    /// What is written there. A file that is torn counts as full windows would: it is an error.
    ///
    /// # Errors
    /// It cannot be read, or is no book.
    pub fn read(&self) -> io::Result<Book> {
        match sys::file::open_checked(&self.path(), sys::file::Owner::User(sys::ids::uid()), MAX_BYTES) {
            Ok((text, _)) => Book::parse(&text),
            Err(e) if e.is_missing() => Ok(Book::default()),
            Err(e) => Err(io::Error::other(e.to_string())),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// Those of writing.
    pub fn write(&self, book: &Book, now_ms: u64) -> io::Result<()> {
        sys::edit::replace(&self.path(), book.to_text(now_ms).as_bytes(), 0o600)
    }

    /// Counts a call in the book on disk.
    ///
    /// # Errors
    /// The book cannot be kept; then the call must not be made.
    pub fn take(&self, rate: Rate, user: &str, tool: &str) -> io::Result<Result<Left, TooMany>> {
        sys::edit::private_folder(&self.0)?;
        let _lock = self.lock()?;
        let now = sys::time::now_ms();
        let mut book = self.read()?;
        let taken = book.take(rate, user, tool, now);
        if taken.is_ok() {
            self.write(&book, now)?;
        }
        Ok(taken)
    }

    /// The lock under which it is changed.
    ///
    /// # Errors
    /// Somebody holds it for too long.
    pub fn lock(&self) -> io::Result<sys::edit::Lock> {
        sys::edit::private_folder(&self.0)?;
        sys::edit::lock(&self.0.join("calls.lock"), PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { limit: 3, window_ms: 1_000 };

    #[test]
    fn a_window_holds_so_many() {
        let mut b = Book::default();
        let left =
            |b: &mut Book, user: &str, tool: &str, at| b.take(RATE, user, tool, at).map(|l| l.remaining);
        for (user, tool, at, want) in [
            ("a", "bash", 0, Ok(2)),
            ("a", "bash", 900, Ok(1)),
            ("a", "bash", 999, Ok(0)),
            ("a", "bash", 999, Err(())),
            // Another tool and another user have windows of their own.
            ("a", "cron", 999, Ok(2)),
            ("b", "bash", 999, Ok(2)),
            // It begins anew when it is over, not when it was full.
            ("a", "bash", 1_000, Ok(2)),
            // A clock that was set back does not lengthen it.
            ("a", "bash", 10, Ok(1)),
            ("a", "bash", 1_010, Ok(2)),
        ] {
            assert_eq!(left(&mut b, user, tool, at).map_err(|_| ()), want, "{user} {tool} {at}");
        }
        let TooMany(l) = (0..4).find_map(|_| b.take(RATE, "c", "x", 50).err()).unwrap();
        assert_eq!(l, Left { remaining: 0, resets_at_ms: 1_050 });
        assert!(Book::default().take(Rate { limit: 0, window_ms: 1 }, "a", "b", 0).is_err());
    }

    #[test]
    fn a_name_cannot_be_made_to_look_like_another() {
        let mut b = Book::default();
        assert!((0..3).all(|_| b.take(RATE, "a:b", "c", 0).is_ok()));
        assert!(b.take(RATE, "a", "b:c", 0).is_ok());
        assert_eq!(Book::parse(b.to_text(0).as_bytes()).unwrap(), b);
        assert!(Book::parse(b"{}").is_err() && Book::parse(b"").is_err());
    }

    #[test]
    fn it_counts_across_processes_and_does_not_grow() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::of(dir.path());
        let taken = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|s| {
            for _ in 0..8 {
                s.spawn(|| {
                    for _ in 0..5 {
                        let long = Rate { limit: 7, window_ms: 600_000 };
                        if shelf.take(long, "u", "bash").unwrap().is_ok() {
                            taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        assert_eq!(taken.into_inner(), 7);
        std::fs::write(shelf.path(), "[").unwrap();
        assert!(shelf.take(RATE, "u", "bash").is_err(), "a torn book lets nothing through");
        let mut book = Book::default();
        for n in 0..MOST + 10 {
            let _ = book.take(Rate { limit: 1, window_ms: 10 }, &n.to_string(), "t", 0);
        }
        assert_eq!(book.len(), MOST);
        assert!(book.take(RATE, "late", "t", 10).is_ok());
        assert_eq!(book.len(), 1);
    }
}
