//! Lines and the moments that they name.

use super::Cron;

fn next(line: &str, from: &str) -> String {
    let cron = Cron::parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let found = cron.after(from.parse().expect("a moment"));
    found.map_or_else(|| "never".to_owned(), |moment| moment.to_string())
}

#[test]
fn a_line_names_its_next_moment() {
    for (line, from, expected) in [
        ("* * * * *", "2026-11-16T10:00:00Z", "2026-11-16T10:01:00Z"),
        ("* * * * * *", "2026-11-16T23:59:59.5Z", "2026-11-17T00:00:00Z"),
        ("*/15 * * * *", "2026-11-16T10:46:00Z", "2026-11-16T11:00:00Z"),
        ("0 0/5 * * * ?", "2026-11-16T10:56:00Z", "2026-11-16T11:00:00Z"),
        ("0 9-17 * * MON-FRI", "2026-11-13T17:00:00Z", "2026-11-16T09:00:00Z"),
        ("30 59 23 31 DEC *", "2026-12-31T23:59:30Z", "2027-12-31T23:59:30Z"),
        ("0 0 29 2 *", "2026-11-16T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("0 0 13 * FRI", "2026-11-14T00:00:00Z", "2026-11-20T00:00:00Z"),
        ("0 0 * * 7", "2026-11-16T00:00:00Z", "2026-11-22T00:00:00Z"),
        ("0 0 * * SUN,WED", "2026-11-16T00:00:00Z", "2026-11-18T00:00:00Z"),
        ("0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00Z"),
        ("0 0 LW * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00Z"),
        ("0 0 15W * *", "2026-11-01T00:00:00Z", "2026-11-16T00:00:00Z"),
        ("0 0 1W * *", "2026-08-01T00:00:00Z", "2026-08-03T00:00:00Z"),
        ("0 0 14W * *", "2026-11-01T00:00:00Z", "2026-11-13T00:00:00Z"),
        ("0 0 * * FRI#2", "2026-11-16T00:00:00Z", "2026-12-11T00:00:00Z"),
        ("0 0 * * 5L", "2026-11-16T00:00:00Z", "2026-11-27T00:00:00Z"),
        ("0 0 0 1 1 * 2030-2032/2", "2030-01-01T00:00:00Z", "2032-01-01T00:00:00Z"),
        ("0 0 30 2 *", "2026-11-16T00:00:00Z", "never"),
        ("0 0 0 1 1 ? 2020", "2026-11-16T00:00:00Z", "never"),
        ("@hourly", "2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z"),
        ("@weekly", "2026-11-16T10:00:00Z", "2026-11-22T00:00:00Z"),
        ("@yearly", "2026-11-16T10:00:00Z", "2027-01-01T00:00:00Z"),
    ] {
        assert_eq!(next(line, from), expected, "{line} after {from}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (line, expected) in [
        ("every day", "it has 2 fields; a cron line has five, six or seven"),
        ("60 * * * *", "minute `60` should be a number from 0 to 59"),
        ("* * 0 * *", "day `0` should be a number from 1 to 31"),
        ("* * * MAI *", "month `MAI` should be a number from 1 to 12, or a name of three letters"),
        ("* 22-4 * * *", "hour `22-4` ends before it begins; write it as two ranges"),
        ("*/0 * * * *", "the step of minute `*/0` should be a number from 1 to 59"),
        ("* * * * FRI#6", "weekday `FRI#6` should end in #1 to #5"),
        ("* * * * +5", "weekday `+5` should be a number from 0 to 7, or a name of three letters"),
        ("0 0 0 1 1 * 1066", "year `1066` should be a number from 1970 to 2399"),
    ] {
        assert_eq!(Cron::parse(line).err().as_deref(), Some(expected), "{line}");
    }
}
