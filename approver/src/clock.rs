//! The desk's time: runs on evenly whatever is done to the wall clock, and through a sleep of the machine.
use std::time::Instant;

/// A clock that starts at the wall's time and then goes its own way.
#[derive(Debug)]
pub struct Clock {
    wall_at_start: u64,
    boot_at_start: Option<u64>,
    start: Instant,
}

impl Clock {
    /// Started now.
    pub fn start() -> Clock {
        Clock {
            wall_at_start: sys::time::now_ms(),
            boot_at_start: sys::time::since_boot_ms().ok(),
            start: Instant::now(),
        }
    }

    /// The desk's time, milliseconds.
    pub fn now(&self) -> u64 {
        let since_boot =
            sys::time::since_boot_ms().ok().zip(self.boot_at_start).map(|(now, then)| now - then);
        let elapsed = || u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.wall_at_start.saturating_add(since_boot.unwrap_or_else(elapsed))
    }

    /// What the wall clock shows at this time of the desk: for those who have only that one.
    pub fn wall(&self, desk_ms: u64) -> u64 {
        shift(desk_ms, self.now(), sys::time::now_ms())
    }

    /// The desk's time when the wall clock shows that.
    pub fn desk(&self, wall_ms: u64) -> u64 {
        shift(wall_ms, sys::time::now_ms(), self.now())
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
    }
}
