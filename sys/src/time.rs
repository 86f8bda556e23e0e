//! The clock and the name of the host.
/// Milliseconds since 1970-01-01 UTC; 0 if the clock stands before that.
///
/// Asked of the kernel itself. The C library asks the page that the kernel shares with every process, which is faster
/// the second time; the first time it has to be found and faulted in (ten microseconds, measured with musl), and the
/// guard asks once.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub fn now_ms() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime(2) takes a clock and the address of a `timespec`, which it fills.
    if unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_REALTIME, &raw mut now) } != 0 {
        return of_the_library();
    }
    let (s, ns) = (u64::try_from(now.tv_sec).unwrap_or(0), u64::try_from(now.tv_nsec).unwrap_or(0));
    s.saturating_mul(1000).saturating_add(ns / 1_000_000)
}

/// Milliseconds since 1970-01-01 UTC; 0 if the clock stands before that.
#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub fn now_ms() -> u64 {
    of_the_library()
}

/// The library's clock, which ends the program where there is none: an unknown time must not let an expired entry pass.
fn of_the_library() -> u64 {
    use std::time::{SystemTime, UNIX_EPOCH};
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

    #[test]
    fn the_clock_is_the_library_s() {
        assert!(now_ms().abs_diff(of_the_library()) < 2000);
    }
}
