//! Points in time as people write them and read them.
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Which way a bare duration points, and where a bare date lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Towards {
    /// `7d` = in seven days; a date = its end.
    Future,
    /// `7d` = seven days ago; a date = its begin.
    Past,
}

/// The milliseconds since 1970 that a text means: a duration (`30m`, `12h`, `7d`, `2w`), a date, a date and time
/// (RFC 3339, with or without an offset), or milliseconds since 1970.
///
/// # Errors
/// It is none of these; a sentence for the reader.
pub fn parse(text: &str, towards: Towards, now: &Zoned) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no time: write 30m, 12h, 7d, 2w, 2030-12-31 or 2030-12-31T18:00");
    let instant = if let Some(zoned) = duration(text, towards, now)? {
        zoned
    } else if let Ok(at) = text.parse::<Timestamp>() {
        at
    } else if let Some(date) = plain_date(text) {
        let day = match towards {
            Towards::Future => date.tomorrow().map_err(|_| wrong())?,
            Towards::Past => date,
        };
        day.to_zoned(now.time_zone().clone()).map_err(|_| wrong())?.timestamp()
    } else if let Ok(at) = text.parse::<DateTime>() {
        at.to_zoned(now.time_zone().clone()).map_err(|_| wrong())?.timestamp()
    } else if let Some(ms) = text.parse::<i64>().ok().filter(|ms| *ms >= 100_000_000_000) {
        Timestamp::from_millisecond(ms).map_err(|_| wrong())?
    } else {
        return Err(wrong());
    };
    u64::try_from(instant.as_millisecond()).map_err(|_| format!("`{text}` lies before 1970"))
}

/// A date and nothing else: jiff would read the date of a longer text.
fn plain_date(text: &str) -> Option<Date> {
    (text.len() == 10).then(|| text.parse().ok()).flatten()
}

/// A number and a unit; `None` if it does not look so.
fn duration(text: &str, towards: Towards, now: &Zoned) -> Result<Option<Timestamp>, String> {
    let Some((digits, unit)) =
        text.find(|c: char| !c.is_ascii_digit()).and_then(|p| text.split_at_checked(p))
    else {
        return Ok(None);
    };
    let seconds: i64 = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Ok(None),
    };
    let too_far = || format!("`{text}` is too far away");
    let count: i64 = digits.parse().map_err(|_| too_far())?;
    let seconds = count.checked_mul(seconds).ok_or_else(too_far)?;
    let span = jiff::SignedDuration::from_secs(if towards == Towards::Past { -seconds } else { seconds });
    now.timestamp().checked_add(span).map(Some).map_err(|_| too_far())
}

/// A point in time for people: local, with its offset.
pub fn local(ms: u64, zone: &TimeZone) -> String {
    match i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
        Some(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S%:z").to_string(),
        None => format!("{ms} ms"),
    }
}

/// Now, in the local time zone.
pub fn now() -> Zoned {
    // TZ may name a file, which the library reads to its end: a fifo or a device has none.
    if std::env::var_os("TZ").is_some_and(|zone| endless(zone.as_encoded_bytes())) {
        return Timestamp::now().to_zoned(TimeZone::UTC);
    }
    Zoned::now()
}

/// True if this value of TZ leads to something that is no regular file, or out of the folders of time zones.
fn endless(zone: &[u8]) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let name = zone.strip_prefix(b":").unwrap_or(zone);
    if name.first() == Some(&b'/') {
        let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name));
        return std::fs::metadata(path).is_ok_and(|m| !m.is_file());
    }
    name.split(|b| *b == b'/').any(|part| part == b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Zoned {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        jiff::civil::date(2030, 1, 15).at(12, 0, 0, 0).to_zoned(zone).unwrap()
    }

    #[test]
    fn a_zone_that_never_ends_is_not_read() {
        for (zone, odd) in [
            ("Europe/Berlin", false),
            ("", false),
            ("<+03>-3", false),
            (":/etc/hosts", false),
            ("/no/such", false),
            ("/dev/zero", true),
            (":/dev/zero", true),
            ("/dev", true),
            ("../../../dev/zero", true),
            (":Europe/../../../../dev/zero", true),
        ] {
            assert_eq!(endless(zone.as_bytes()), odd, "{zone}");
        }
    }

    #[test]
    fn times() {
        let base = 1_894_701_600_000_u64; // 2030-01-15T12:00+02:00
        assert_eq!(noon().timestamp().as_millisecond(), base as i64);
        let day = 86_400_000;
        for (text, towards, ms) in [
            ("30m", Towards::Future, base + 1_800_000),
            ("12h", Towards::Past, base - 43_200_000),
            ("7d", Towards::Future, base + 7 * day),
            ("2w", Towards::Past, base - 14 * day),
            ("2030-01-15", Towards::Future, base + day / 2),
            ("2030-01-15", Towards::Past, base - day / 2),
            ("2030-01-15T12:00", Towards::Past, base),
            ("2030-01-15 12:00:00", Towards::Past, base),
            ("2030-01-15T12:00:00+02:00", Towards::Future, base),
            ("2030-01-15T10:00:00Z", Towards::Future, base),
            ("1894701600000", Towards::Future, base),
        ] {
            assert_eq!(parse(text, towards, &noon()), Ok(ms), "{text}");
        }
        for text in [
            "",
            "x",
            "7",
            "7x",
            "-1d",
            "99999999999999999999d",
            "9999999999d",
            "2030-13-01",
            "1960-01-01",
            "tomorrow",
        ] {
            assert!(parse(text, Towards::Future, &noon()).is_err(), "{text}");
        }
    }

    #[test]
    fn shown() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(local(1_894_701_600_000, &zone), "2030-01-15 12:00:00+02:00");
        assert_eq!(local(u64::MAX, &zone), format!("{} ms", u64::MAX));
    }
}
