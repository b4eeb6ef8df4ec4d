//! Counts tests from what `cargo test` prints.
//!
//! **Invariant:** a line that is not a summary of libtest changes nothing.

use std::fmt;

/// Passed and failed tests of a whole run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Count {
    /// Adds a line like `test result: ok. 3 passed; 0 failed; 0 ignored; …`; other lines are looked over.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some(summary) = line.strip_prefix("test result: ") else {
            return;
        };
        self.passed += number_before(summary, " passed");
        self.failed += number_before(summary, " failed");
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split_once(word).map_or("", |(before, _)| before);
    let digits = before.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(lines: &[&str]) -> Count {
        let mut count = Count::default();
        lines.iter().for_each(|line| count.add_line(line));
        count
    }

    #[test]
    fn the_summaries_of_all_test_programs_are_added_up() {
        let counted = count(&[
            "running 14 tests",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        ]);
        assert_eq!(counted, Count { passed: 15, failed: 2 });
        assert_eq!(counted.to_string(), "15 passed, 2 failed");
    }

    #[test]
    fn a_line_that_only_quotes_a_summary_is_not_counted() {
        assert_eq!(count(&["got: test result: ok. 7 passed; 0 failed", "7 passed"]), Count::default());
    }
}
