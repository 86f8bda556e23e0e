//! The desk's time: runs on evenly whatever is done to the wall clock, and through a sleep of the machine.
use std::time::Instant;

/// What the machine's clocks show.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// The wall's, milliseconds since 1970. It may jump.
    wall: u64,
    /// Milliseconds since the machine was started.
    boot: u64,
}

/// A clock that starts at the wall's time and then goes its own way.
pub struct Clock {
    start: Reading,
    read: Box<dyn Fn() -> Reading + Send + Sync>,
}

impl Clock {
    /// Started now.
    pub fn start() -> Clock {
        let begun = Instant::now();
        // All Linux kernels have the second clock; elsewhere one that starts now will do.
        let since_start = move || u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let has_boot = sys::time::since_boot_ms().is_ok();
        Clock::reading(move || Reading {
            wall: sys::time::now_ms(),
            boot: if has_boot { sys::time::since_boot_ms().unwrap_or(0) } else { since_start() },
        })
    }

    fn reading(read: impl Fn() -> Reading + Send + Sync + 'static) -> Clock {
        Clock { start: read(), read: Box::new(read) }
    }

    /// The desk's time, milliseconds.
    pub fn now(&self) -> u64 {
        self.of_boot((self.read)().boot)
    }

    /// What the wall clock shows at this time of the desk: for those who have only that one.
    pub fn wall(&self, desk_ms: u64) -> u64 {
        shift(desk_ms, self.now(), (self.read)().wall)
    }

    /// The desk's time when the wall clock shows that.
    pub fn desk(&self, wall_ms: u64) -> u64 {
        shift(wall_ms, (self.read)().wall, self.now())
    }

    /// Milliseconds since the machine's start at this time of the desk: means the same to the next approver, whatever
    /// is done to the wall clock meanwhile.
    pub fn boot(&self, desk_ms: u64) -> u64 {
        shift(desk_ms, self.start.wall, self.start.boot)
    }

    /// The desk's time so many milliseconds after the machine's start.
    pub fn of_boot(&self, boot_ms: u64) -> u64 {
        shift(boot_ms, self.start.boot, self.start.wall)
    }
}

fn shift(at: u64, from: u64, to: u64) -> u64 {
    if at >= from { to.saturating_add(at - from) } else { to.saturating_sub(from - at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_carried_over() {
        assert_eq!((shift(150, 100, 1_000), shift(50, 100, 1_000), shift(0, 100, 50)), (1_050, 950, 0));
        assert_eq!(shift(u64::MAX, 1, 5), u64::MAX);
        let clock = Clock::start();
        let now = clock.now();
        assert!(clock.now() >= now && clock.desk(clock.wall(now + 5_000)).abs_diff(now + 5_000) < 1_000);
        assert_eq!(clock.of_boot(clock.boot(now)), now);
    }

    #[test]
    fn the_wall_clock_may_jump() {
        for jump in [-DAY, DAY] {
            let hands = Hands::default();
            let clock = hands.clock();
            let until = clock.now() + 5_000;
            hands.turn(jump, 1_000);
            assert_eq!(until - clock.now(), 4_000, "the desk goes on evenly");
            assert_eq!(clock.wall(until), hands.wall() + 4_000, "in the wall's words it is as far away");
            // The next approver starts at the wall's time as it is then.
            let next = hands.clock();
            assert_eq!(next.of_boot(clock.boot(until)) - next.now(), 4_000);
        }
    }
}

#[cfg(test)]
pub use hands::{DAY, Hands};

#[cfg(test)]
mod hands {
    use std::sync::{Arc, Mutex};

    use super::{Clock, Reading};

    /// Milliseconds.
    pub const DAY: i64 = 24 * 3_600_000;

    /// The machine's clocks, turned by a test.
    #[derive(Clone)]
    pub struct Hands(Arc<Mutex<Reading>>);

    impl Default for Hands {
        fn default() -> Hands {
            Hands(Arc::new(Mutex::new(Reading { wall: 1_800_000_000_000, boot: 50_000 })))
        }
    }

    impl Hands {
        /// A clock that reads them, started now.
        pub fn clock(&self) -> Clock {
            let at = self.0.clone();
            Clock::reading(move || *at.lock().unwrap())
        }

        /// Time passes, and the wall clock is set as well.
        pub fn turn(&self, jump_ms: i64, passes_ms: u64) {
            let mut at = self.0.lock().unwrap();
            at.wall = at.wall.checked_add_signed(jump_ms).unwrap() + passes_ms;
            at.boot += passes_ms;
        }

        /// What the wall clock shows.
        pub fn wall(&self) -> u64 {
            self.0.lock().unwrap().wall
        }
    }
}
