//! Signs of life on stderr, for work that takes a while.
use std::time::{Duration, Instant};

use crate::say;

/// Work is quiet for so long.
const QUIET: Duration = Duration::from_secs(1);
/// Afterwards there is a line as often as this.
const PACE: Duration = Duration::from_secs(5);

/// How far a piece of work is.
pub struct Progress {
    all: usize,
    done: usize,
    next: Instant,
}

impl Progress {
    /// Nothing of so many is done.
    pub fn new(all: usize) -> Progress {
        Progress { all, done: 0, next: Instant::now() + QUIET }
    }

    /// One more is being done.
    pub fn step(&mut self) {
        if let Some(line) = self.line(Instant::now()) {
            say::word(line);
        }
        self.done += 1;
    }

    fn line(&mut self, now: Instant) -> Option<String> {
        if now < self.next {
            return None;
        }
        self.next = now + PACE;
        Some(format!("judged {} of {} commands …", self.done, self.all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_at_first() {
        let mut p = Progress::new(10);
        p.step();
        p.step();
        let start = Instant::now();
        assert_eq!(p.line(start), None);
        let late = start + Duration::from_millis(1100);
        assert_eq!(p.line(late).as_deref(), Some("judged 2 of 10 commands …"));
        assert_eq!(p.line(late + Duration::from_secs(1)), None);
        assert!(p.line(late + PACE).is_some());
    }
}
