//! How often each user called each tool: in memory while we run, and on disk for whoever counts when we do not.
use std::sync::{Mutex, MutexGuard, PoisonError};

use tools::config::Rate;
use tools::rate::{Book, Shelf, TooMany};
use tools::result::Left;

/// The count.
pub struct Counter {
    shelf: Shelf,
    inner: Mutex<Inner>,
}

struct Inner {
    /// `None` if what was there could not be read: then nothing is let through.
    book: Option<Book>,
    dirty: bool,
}

impl Counter {
    /// With what an earlier one left in the state folder.
    pub fn of(state: &std::path::Path) -> Counter {
        let shelf = Shelf::of(state);
        let book =
            shelf.read().inspect_err(|e| crate::say(&format!("the count of tool calls cannot be read: {e}")));
        Counter { inner: Mutex::new(Inner { book: book.ok(), dirty: false }), shelf }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call.
    ///
    /// # Errors
    /// It is one too many.
    pub fn take(&self, rate: Rate, user: &str, tool: &str) -> Result<Left, TooMany> {
        let now = sys::time::now_ms();
        let mut inner = self.lock();
        let full = TooMany(Left { remaining: 0, resets_at_ms: now.saturating_add(rate.window_ms) });
        let taken = inner.book.as_mut().ok_or(full)?.take(rate, user, tool, now)?;
        inner.dirty = true;
        Ok(taken)
    }

    /// Writes it, if there is something new.
    pub fn save(&self) {
        let mut inner = self.lock();
        let now = sys::time::now_ms();
        let Inner { book: Some(book), dirty: true } = &*inner else { return };
        let written = self.shelf.lock().and_then(|_lock| self.shelf.write(book, now));
        match written {
            Ok(()) => inner.dirty = false,
            Err(e) => crate::say(&format!("the count of tool calls cannot be written: {e}")),
        }
    }
}
