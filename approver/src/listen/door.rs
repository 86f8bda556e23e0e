//! Who is at a socket, and who has to make room for whoever comes.
//!
//! A connection is *silent* until it has said its first line. It costs nothing to be silent, so those that are may never
//! keep anybody out: one session has only so many of them, there are only so many altogether, and past either number
//! one that is there already goes. It is the oldest of the session that has most, so that whoever comes with hundreds
//! loses its own.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::desk::Asker;

/// How long a connection may be silent. A guard asks and an operator commands the moment they have their challenge; a
/// busy machine delays that by a second or two.
pub const FIRST_LINE: Duration = Duration::from_secs(5);

/// How much room there is.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Silent ones of one session.
    pub session: usize,
    /// Silent ones of all.
    pub silent: usize,
    /// Connections, silent or not.
    pub all: usize,
    /// Whether one that is not silent has to go where there is no other: an operator comes again, a question does not.
    pub yields: bool,
}

/// Whose a connection is: the user, and the session of the process at its other end. Processes that cannot be looked
/// at (another namespace's) are all of one.
type Who = (u32, Option<i32>);

/// Connections by number, oldest first: whose each is, and what ends it.
type Entries = BTreeMap<u64, (Who, Option<AbortHandle>)>;

#[derive(Default)]
struct Inside {
    last: u64,
    /// Kept apart, so that thousands of questions that wait cost nothing here.
    silent: Entries,
    spoken: Entries,
}

/// Ends the oldest of whoever has most; false if there is none.
fn make_room(of: &mut Entries) -> bool {
    let mut counts: BTreeMap<Who, usize> = BTreeMap::new();
    for (who, _) in of.values() {
        *counts.entry(*who).or_default() += 1;
    }
    let most = counts.values().max().copied().unwrap_or(0);
    end(of, |who| counts.get(who) == Some(&most))
}

/// Ends the oldest of those; false if there is none.
fn end(of: &mut Entries, those: impl Fn(&Who) -> bool) -> bool {
    let Some(number) = of.iter().find(|(_, (who, _))| those(who)).map(|(n, _)| *n) else { return false };
    if let Some((_, Some(task))) = of.remove(&number) {
        task.abort();
    }
    true
}

/// The door of one socket. Clones are the same door.
#[derive(Clone)]
pub struct Door(Room, Arc<Mutex<Inside>>);

impl Door {
    /// With that much room, and nobody inside.
    pub fn new(room: Room) -> Door {
        Door(room, Arc::default())
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more, if need be at the cost of another. `None` if everybody inside has a right to stay.
    pub fn enter(&self, peer: &Asker) -> Option<Place> {
        self.enter_with_share(peer, usize::MAX)
    }

    /// The same where one user has no more than a share of those that are not silent, and silent ones as many.
    pub fn enter_with_share(&self, peer: &Asker, share: usize) -> Option<Place> {
        let (room, who) = (self.0, (peer.uid, peer.session));
        let mut guard = self.lock();
        let inside = &mut *guard;
        if share < room.all && inside.spoken.values().filter(|(w, _)| w.0 == peer.uid).count() >= share {
            return None;
        }
        if inside.silent.values().filter(|(w, _)| *w == who).count() >= room.session.min(share) {
            end(&mut inside.silent, |w| *w == who);
        }
        while inside.silent.len() >= room.silent && make_room(&mut inside.silent) {}
        while inside.silent.len() + inside.spoken.len() >= room.all {
            if !(make_room(&mut inside.silent) || room.yields && make_room(&mut inside.spoken)) {
                return None;
            }
        }
        inside.last += 1;
        let number = inside.last;
        inside.silent.insert(number, (who, None));
        drop(guard);
        Some(Place { door: self.clone(), number })
    }

    /// Starts a conversation that has its place, and that ends where it has to make room.
    pub fn begin(&self, place: Place, talk: impl FnOnce(Place) -> AbortHandle) {
        let number = place.number;
        let task = talk(place);
        let mut inside = self.lock();
        let Inside { silent, spoken, .. } = &mut *inside;
        if let Some(entry) = silent.get_mut(&number).or_else(|| spoken.get_mut(&number)) {
            entry.1 = Some(task);
        }
    }
}

/// A place inside, given up when dropped.
pub struct Place {
    door: Door,
    number: u64,
}

impl Place {
    /// It has said its first line.
    pub fn spoke(&self) {
        let mut inside = self.door.lock();
        if let Some(entry) = inside.silent.remove(&self.number) {
            inside.spoken.insert(self.number, entry);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.door.lock();
        inside.silent.remove(&self.number);
        inside.spoken.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { session: 3, silent: 5, all: 8, yields: false };

    fn peer(session: i32) -> Asker {
        Asker { uid: 1, pid: None, session: Some(session), root: None }
    }

    /// Those inside: whose, and whether silent.
    fn inside(door: &Door) -> Vec<(i32, bool)> {
        let inside = door.lock();
        let of = |of: &Entries, silent| of.values().map(|(w, _)| (w.1.unwrap(), silent)).collect();
        let (mut all, spoken): (Vec<_>, Vec<_>) = (of(&inside.silent, true), of(&inside.spoken, false));
        all.extend(spoken);
        all
    }

    #[test]
    fn a_session_loses_its_own_first() {
        let door = Door::new(ROOM);
        let mut places: Vec<Place> = [1, 2, 1, 1].iter().map(|s| door.enter(&peer(*s)).unwrap()).collect();
        places.push(door.enter(&peer(1)).unwrap());
        assert_eq!(inside(&door), [(2, true), (1, true), (1, true), (1, true)]);
        // A stranger is no reason for the one of two to go.
        places.extend([3, 4].iter().map(|s| door.enter(&peer(*s)).unwrap()));
        assert_eq!(inside(&door), [(2, true), (1, true), (1, true), (3, true), (4, true)]);
        drop(places);
        assert!(inside(&door).is_empty());
    }

    #[test]
    fn those_who_spoke_stay_unless_they_yield() {
        for yields in [false, true] {
            let door = Door::new(Room { yields, ..ROOM });
            let enter = |s: i32| {
                let place = door.enter(&peer(s))?;
                place.spoke();
                Some(place)
            };
            let places: Vec<Place> = [9, 1, 2, 1, 3, 1, 4].iter().map(|s| enter(*s).unwrap()).collect();
            let silent = door.enter(&peer(5)).unwrap();
            let after = enter(6);
            assert!(after.is_some() && !inside(&door).contains(&(5, true)), "the silent one goes");
            let one_more = enter(7);
            assert_eq!(one_more.is_some(), yields);
            if yields {
                let left: Vec<i32> = inside(&door).iter().map(|(s, _)| *s).collect();
                assert_eq!(left, [9, 2, 1, 3, 1, 4, 6, 7], "the oldest of those who have most");
            }
            drop((places, silent, after, one_more));
        }
    }

    #[test]
    fn no_user_has_more_than_its_share() {
        let door = Door::new(ROOM);
        let enter = |uid: u32| {
            let place = door.enter_with_share(&Asker { uid, ..peer(1) }, 4)?;
            place.spoke();
            Some(place)
        };
        let first: Vec<Place> = std::iter::from_fn(|| enter(1)).collect();
        let second: Vec<Place> = std::iter::from_fn(|| enter(2)).collect();
        assert_eq!((first.len(), second.len()), (4, 4));
        drop(first);
        assert!(enter(1).is_some() && enter(2).is_none());
        drop(second);
    }

    #[test]
    fn what_made_room_is_ended() {
        crate::testing::run(async {
            let door = Door::new(Room { session: 1, ..ROOM });
            let (said, ended) = tokio::sync::oneshot::channel::<()>();
            let place = door.enter(&peer(1)).unwrap();
            door.begin(place, |place| {
                tokio::spawn(async move {
                    std::future::pending::<()>().await;
                    drop((said, place));
                })
                .abort_handle()
            });
            let _second = door.enter(&peer(1)).unwrap();
            assert!(ended.await.is_err(), "its task is dropped");
        });
    }
}
