//! The clock and the name of the host.
use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC; 0 if the clock stands before that.
pub fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Milliseconds since the system started, those included in which it slept. Nobody can set this clock.
///
/// # Errors
/// The kernel has no such clock (clock_gettime(2)).
pub fn since_boot_ms() -> std::io::Result<u64> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let clock = nix::time::ClockId::CLOCK_BOOTTIME;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let clock = nix::time::ClockId::CLOCK_MONOTONIC;
    let since = std::time::Duration::from(nix::time::clock_gettime(clock)?);
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The host's name as raw bytes; empty if it cannot be read.
pub fn hostname() -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt;
    nix::unistd::gethostname().map(OsStringExt::into_vec).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_since_boot_does_not_go_back() {
        let first = since_boot_ms().unwrap();
        assert!(first > 0 && since_boot_ms().unwrap() >= first);
    }
}
