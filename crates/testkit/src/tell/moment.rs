//! Moments relative to the beginning of the transcript.

const DAY_MS: i64 = 86_400_000;

/// `+5s`, `+1.5s`, `+2d60s`, `-10s`.
pub(crate) fn offset(ms: i64) -> String {
    let sign = if ms < 0 { '-' } else { '+' };
    let ms = ms.saturating_abs();
    let (days, rest) = (ms / DAY_MS, ms % DAY_MS);
    let days_in_words = if days == 0 { String::new() } else { format!("{days}d") };
    if rest == 0 && days > 0 {
        return format!("{sign}{days_in_words}");
    }
    let fraction = format!("{:03}", rest % 1000);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{days_in_words}{}{point}{fraction}s", rest / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_as_people_count() {
        let cases = [(0, "+0s"), (5000, "+5s"), (1500, "+1.5s"), (-10, "-0.01s"), (60_000, "+60s")];
        for (ms, text) in cases.into_iter().chain([(DAY_MS, "+1d"), (2 * DAY_MS + 60_000, "+2d60s")]) {
            assert_eq!(offset(ms), text);
        }
    }
}
