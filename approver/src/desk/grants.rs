//! Answers that outlive their question: each good once, for a short while.
//!
//! A *ticket* is a yes that came after whoever asked had given up waiting; the next identical question takes it. A
//! *hook's* grant is left when a hook got a yes for a text, so that the guard that then runs that text does not ask a
//! second time.
use std::collections::BTreeMap;

use super::Key;

/// What a grant came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A late yes.
    Ticket,
    /// A yes to a hook.
    Hook,
}

impl Kind {
    /// The word in the state file.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Ticket => "ticket",
            Kind::Hook => "hook",
        }
    }

    /// The kind that a word names.
    pub fn of(word: &str) -> Option<Kind> {
        [Kind::Ticket, Kind::Hook].into_iter().find(|k| k.word() == word)
    }
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Grants {
    cap: usize,
    /// By kind and what they are good for: until when, earliest first. Two yeses are two.
    until: BTreeMap<(Kind, Key), Vec<u64>>,
    count: usize,
    /// Nothing ends before that.
    earliest: u64,
    /// Changes since the beginning, so that whoever saves them knows when to.
    version: u64,
}

impl Grants {
    /// None yet; at most `cap` are held, since a grant too few is a question more.
    pub fn new(cap: usize) -> Grants {
        Grants { cap, until: BTreeMap::new(), count: 0, earliest: u64::MAX, version: 0 }
    }

    /// Leaves one that is good until then.
    pub fn give(&mut self, kind: Kind, key: Key, until_ms: u64, now_ms: u64) {
        if self.count >= self.cap {
            self.expire(now_ms);
        }
        if self.count >= self.cap || until_ms <= now_ms {
            return;
        }
        let list = self.until.entry((kind, key)).or_default();
        let at = list.partition_point(|u| *u <= until_ms);
        list.insert(at, until_ms);
        self.count += 1;
        self.earliest = self.earliest.min(until_ms);
        self.version += 1;
    }

    /// Uses one up; false if there is none.
    pub fn take(&mut self, kind: Kind, key: &str, now_ms: u64) -> bool {
        let at = (kind, key.to_owned());
        let Some(list) = self.until.get_mut(&at) else { return false };
        // What is past its time is not used, whether or not it was dropped yet.
        let before = list.len();
        list.retain(|until| *until > now_ms);
        let taken = !list.is_empty();
        if taken {
            list.remove(0);
        }
        self.count -= before - list.len();
        self.version += 1;
        if list.is_empty() {
            self.until.remove(&at);
        }
        taken
    }

    /// Drops what is past its time.
    pub fn expire(&mut self, now_ms: u64) {
        if now_ms < self.earliest {
            return;
        }
        let before = self.count;
        self.until.retain(|_, list| {
            list.retain(|until| *until > now_ms);
            !list.is_empty()
        });
        self.count = self.until.values().map(Vec::len).sum();
        self.earliest = self.until.values().flatten().copied().min().unwrap_or(u64::MAX);
        if self.count != before {
            self.version += 1;
        }
    }

    /// Every one: kind, what it is good for, until when.
    pub fn all(&self) -> impl Iterator<Item = (Kind, &Key, u64)> {
        self.until.iter().flat_map(|((kind, key), list)| list.iter().map(move |until| (*kind, key, *until)))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Another number after each change.
    pub fn version(&self) -> u64 {
        self.version
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_good_once_and_for_a_while() {
        let (a, b) = ("a", "b");
        let key = str::to_owned;
        let mut g = Grants::new(10);
        g.give(Kind::Ticket, key(a), 100, 0);
        assert!(!g.take(Kind::Ticket, b, 1) && !g.take(Kind::Hook, a, 1));
        assert!(g.take(Kind::Ticket, a, 99));
        assert!(!g.take(Kind::Ticket, a, 99));
        g.give(Kind::Ticket, key(a), 100, 0);
        assert!(!g.take(Kind::Ticket, a, 100), "its time is up");
        assert_eq!(g.count(), 0);
        // Two yeses are two.
        g.give(Kind::Hook, key(b), 200, 0);
        g.give(Kind::Hook, key(b), 150, 0);
        assert!(g.take(Kind::Hook, b, 10) && g.take(Kind::Hook, b, 160) && !g.take(Kind::Hook, b, 160));
    }

    #[test]
    fn no_more_than_the_cap() {
        let mut g = Grants::new(3);
        (0..10u8).for_each(|n| g.give(Kind::Ticket, n.to_string(), 100, 0));
        assert_eq!((g.count(), g.all().count()), (3, 3));
        // Room comes back with time.
        g.give(Kind::Ticket, 9.to_string(), 300, 100);
        assert_eq!(g.count(), 1);
    }
}
