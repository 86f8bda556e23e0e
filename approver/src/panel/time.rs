//! Times and spans for a page. The server writes UTC, as the journal does; where there is JavaScript the browser puts
//! its own zone in place.
use maud::{Markup, html};

/// Year, month, day, and milliseconds of the day, of milliseconds since 1970 (proleptic Gregorian calendar; the method
/// is that of H. Hinnant's `civil_from_days`).
fn civil(ms: u64) -> (u64, u64, u64, u64) {
    const DAY: u64 = 86_400_000;
    let z = ms / DAY + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day, ms % DAY)
}

/// `2026-01-31`.
pub fn day(ms: u64) -> String {
    let (year, month, day, _) = civil(ms);
    format!("{year:04}-{month:02}-{day:02}")
}

/// `20:14:05`.
fn clock(ms: u64) -> String {
    let seconds = ms % 86_400_000 / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// A moment, to the second.
pub fn moment(ms: u64) -> Markup {
    html! {
        time datetime=(format!("{}T{}Z", day(ms), clock(ms))) { (day(ms)) " " (clock(ms)) " UTC" }
    }
}

/// Milliseconds for people.
pub fn span(ms: u64) -> String {
    let s = ms / 1000;
    match (s / 3600, s / 60 % 60, s % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s:02} s"),
        (h, m, _) => format!("{h} h {m:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (ms, text) in [
            (0, "1970-01-01"),
            (951_782_400_000, "2000-02-29"),
            (951_868_799_999, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_798_761_599_000, "2026-12-31"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(day(ms), text);
        }
        assert_eq!(clock(1_798_761_599_000), "23:59:59");
        let _ = civil(u64::MAX);
    }

    #[test]
    fn spans() {
        assert_eq!(
            (span(999), span(61_000), span(3_660_000)),
            ("0 s".into(), "1 min 01 s".into(), "1 h 01 min".into())
        );
    }
}
