//! How much of something each user has: what is there for all of them is no single one's.
//!
//! A user is a user id of this machine, which the kernel tells; names that a caller gives are nobody's measure.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Something that can be counted out. Clones are the same.
#[derive(Clone, Debug)]
pub struct Shares {
    all: usize,
    taken: Arc<Mutex<Taken>>,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<u32, usize>,
}

impl Shares {
    /// So much of it.
    pub fn of(all: usize) -> Shares {
        Shares { all, taken: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty part for a user, who is one of so many that may want one: all of them can have the same.
    pub fn part(&self, uid: u32, users: usize) -> Part {
        Part { of: self.clone(), uid, most: (self.all / users.max(1)).max(1), has: 0 }
    }
}

/// What one has of it, given back when dropped.
#[derive(Debug)]
pub struct Part {
    of: Shares,
    uid: u32,
    most: usize,
    has: usize,
}

impl Part {
    /// So much more; false if that user has its share already, or nothing is left.
    pub fn take(&mut self, more: usize) -> bool {
        let mut taken = self.of.lock();
        let theirs = taken.by.get(&self.uid).copied().unwrap_or(0).saturating_add(more);
        let all = taken.all.saturating_add(more);
        if theirs > self.most || all > self.of.all {
            return false;
        }
        taken.all = all;
        taken.by.insert(self.uid, theirs);
        self.has = self.has.saturating_add(more);
        true
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.has == 0 {
            return;
        }
        let mut taken = self.of.lock();
        taken.all = taken.all.saturating_sub(self.has);
        let left = taken.by.get(&self.uid).copied().unwrap_or(0).saturating_sub(self.has);
        match left {
            0 => taken.by.remove(&self.uid),
            left => taken.by.insert(self.uid, left),
        };
    }
}

/// Turns, taken one after the other. A user who is not alone has at most half of them at once, those that are waited for
/// included: so whoever else comes waits behind a few, however many that one has waiting.
#[derive(Clone, Debug)]
pub struct Turns {
    at_once: usize,
    all: Arc<Semaphore>,
    by: Arc<Mutex<Own>>,
}

/// What each user has of them, by how much that is.
type Own = HashMap<(u32, usize), Arc<Semaphore>>;

/// A turn, given back when dropped.
#[derive(Debug)]
pub struct Turn {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Turns {
    /// So many at once.
    pub fn of(at_once: usize) -> Turns {
        Turns { at_once, all: Arc::new(Semaphore::new(at_once)), by: Arc::default() }
    }

    /// The next one of a user, who is one of so many. `None` never, unless they are over.
    pub async fn next(&self, uid: u32, users: usize) -> Option<Turn> {
        let most = if users > 1 { (self.at_once / 2).max(1) } else { self.at_once };
        let own = {
            let mut by = self.by.lock().unwrap_or_else(PoisonError::into_inner);
            // One that nobody holds a part of is full, and as good as a new one.
            by.retain(|key, own| *key == (uid, most) || Arc::strong_count(own) > 1);
            by.entry((uid, most)).or_insert_with(|| Arc::new(Semaphore::new(most))).clone()
        };
        let own = own.acquire_owned().await.ok()?;
        Some(Turn { _of_all: self.all.clone().acquire_owned().await.ok()?, _own: own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn one(shares: &Shares, uid: u32, users: usize) -> Option<Part> {
        let mut part = shares.part(uid, users);
        part.take(1).then_some(part)
    }

    #[test]
    fn nobody_takes_more_than_a_share() {
        let shares = Shares::of(6);
        let first: Vec<Part> = std::iter::from_fn(|| one(&shares, 1, 3)).collect();
        assert_eq!(first.len(), 2);
        let second: Vec<Part> = std::iter::from_fn(|| one(&shares, 2, 3)).collect();
        assert_eq!(second.len(), 2);
        // Alone in the documents, and still not more than there is.
        let rest: Vec<Part> = std::iter::from_fn(|| one(&shares, 3, 1)).collect();
        assert_eq!(rest.len(), 2);
        assert!(one(&shares, 4, 3).is_none());
        drop(first);
        assert!(one(&shares, 1, 3).is_some() && one(&shares, 4, 3).is_some());
        drop((second, rest));
        let taken = shares.lock();
        assert!(taken.all == 0 && taken.by.is_empty());
    }

    #[test]
    fn a_part_grows_and_is_given_back_whole() {
        let shares = Shares::of(100);
        let mut part = shares.part(1, 2);
        assert!(part.take(30) && part.take(20) && !part.take(1));
        assert!(!shares.part(1, 2).take(1) && shares.part(2, 2).take(50));
        drop(part);
        assert!(shares.part(1, 2).take(50) && !shares.part(1, 2).take(usize::MAX));
        // However many there are, one can be had.
        assert!(Shares::of(2).part(1, 50).take(1));
    }

    #[test]
    fn whoever_comes_second_waits_for_a_few() {
        crate::testing::run(async {
            let turns = Turns::of(4);
            let mut held = vec![turns.next(1, 2).await.unwrap(), turns.next(1, 2).await.unwrap()];
            let soon = |uid, users| tokio::time::timeout(Duration::from_millis(50), turns.next(uid, users));
            assert!(soon(1, 2).await.is_err(), "half of them");
            held.push(turns.next(2, 2).await.unwrap());
            // A hundred of the first are waiting; the second has another turn all the same.
            let many: Vec<_> = (0..100)
                .map(|_| {
                    let turns = turns.clone();
                    tokio::spawn(async move { turns.next(1, 2).await })
                })
                .collect();
            tokio::task::yield_now().await;
            held.push(turns.next(2, 2).await.unwrap());
            many.iter().for_each(|task| task.abort());
            drop(held);
            // Who is alone has all of them.
            let all: Vec<_> = [turns.next(1, 1).await, turns.next(1, 1).await, turns.next(1, 1).await].into();
            assert!(all.iter().all(Option::is_some) && soon(1, 1).await.is_ok());
        });
    }
}
