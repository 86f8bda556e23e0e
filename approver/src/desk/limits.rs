//! How much is held, and how often an agent may ask.
use std::collections::BTreeMap;

/// What the desk takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Questions that may wait at once.
    pub waiting: usize,
    /// Bytes of all bodies that wait.
    pub bytes: usize,
    /// The user id whose desk it is, and who may have all of it; without one anybody may.
    pub owner: Option<u32>,
    /// Closed questions that are remembered, so that a second answer is told what the first one was.
    pub remembered: usize,
    /// Tickets and hooks' grants that are held.
    pub grants: usize,
    /// Questions an agent of one user may ask in a window; after a pause it may ask so many at once.
    pub per_agent: u32,
    /// The window, milliseconds.
    pub window_ms: u64,
    /// No question, ticket or override lasts longer, milliseconds.
    pub longest_ms: u64,
    /// How long a hook's grant is good, milliseconds.
    pub hook_ms: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            waiting: 20_000,
            bytes: 128 << 20,
            owner: None,
            remembered: 10_000,
            grants: 4_096,
            // A person answers a few a minute; a build that starts two hundred commands at once is no flood.
            per_agent: 300,
            window_ms: 60_000,
            longest_ms: 24 * 3_600_000,
            hook_ms: 60_000,
        }
    }
}

/// Agents that are counted apart at most; beyond that all new ones share one count, so that made-up names are no way
/// around.
const AGENTS: usize = 1_024;

/// A bucket an agent: full at first, one question takes one drop, drops come back evenly.
#[derive(Clone, Debug)]
pub struct Rates {
    limit: u32,
    window_ms: u64,
    /// By user and agent: how much is taken, in millionths of a question, and when that was so.
    taken: BTreeMap<(u32, String), (u64, u64)>,
}

/// A question in the buckets' measure.
const DROP: u64 = 1_000_000;

impl Rates {
    /// `limit` questions in `window_ms`, for each agent of each user.
    pub fn new(limit: u32, window_ms: u64) -> Rates {
        Rates { limit, window_ms: window_ms.max(1), taken: BTreeMap::new() }
    }

    /// True if one more is within the limit; then it counts.
    pub fn take(&mut self, uid: u32, agent: &str, now_ms: u64) -> bool {
        let full = u64::from(self.limit).saturating_mul(DROP);
        let rate = full / self.window_ms;
        let mut key = (uid, agent.to_owned());
        if !self.taken.contains_key(&key) && self.taken.len() >= AGENTS {
            self.taken.retain(|_, (taken, at)| *taken > now_ms.saturating_sub(*at).saturating_mul(rate));
            if self.taken.len() >= AGENTS {
                key = (uid, String::new());
            }
        }
        let (taken, at) = self.taken.get(&key).copied().unwrap_or((0, now_ms));
        let taken = taken.saturating_sub(now_ms.saturating_sub(at).saturating_mul(rate));
        let fits = taken.saturating_add(DROP) <= full;
        self.taken.insert(key, (if fits { taken + DROP } else { taken }, now_ms));
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_may_ask_so_often() {
        let mut r = Rates::new(3, 1000);
        let asked = |r: &mut Rates, agent: &str, at| (0..5).filter(|_| r.take(1, agent, at)).count();
        assert_eq!(asked(&mut r, "a", 0), 3);
        // Others are not held up, and time gives back evenly.
        assert_eq!(asked(&mut r, "b", 0), 3);
        assert_eq!(asked(&mut r, "a", 334), 1);
        assert_eq!(asked(&mut r, "a", 10_000), 3);
        assert!(r.take(2, "a", 10_000));
        // A clock that stands still gives nothing.
        assert_eq!(asked(&mut r, "a", 10_000), 0);
    }

    #[test]
    fn made_up_names_are_no_way_around() {
        let mut r = Rates::new(2, 1_000_000);
        let taken = (0..5_000).filter(|n| r.take(1, &format!("agent{n}"), 0)).count();
        assert!(taken <= AGENTS + 2, "{taken}");
        assert!(r.taken.len() <= AGENTS + 1);
        // Once their time is past, the names are forgotten.
        assert!(r.take(1, "late", 2_000_000));
    }
}
