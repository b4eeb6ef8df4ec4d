//! What a suite tells: each failing case as it happens, and the count at the end.
//!
//! **Invariant:** a case is told once, as passed, as explained or as failed.

use std::io::Write;

/// Collects the cases of one suite.
pub struct Report {
    out: Box<dyn Write>,
    passed: u64,
    explained: u64,
    failed: u64,
}

impl Report {
    /// A report that shows failing cases on `out`.
    pub fn to(out: Box<dyn Write>) -> Report {
        Report { out, passed: 0, explained: 0, failed: 0 }
    }

    /// `case` came out as the suite expects.
    pub fn pass(&mut self, _case: &str) {
        self.passed += 1;
    }

    /// `case` came out otherwise.
    pub fn fail(&mut self, case: &str, expected: &str, got: &str) {
        self.failed += 1;
        let shown = format!("FAILED {case}\n{}{}", field("expected", expected), field("got", got));
        // A reader that went away (`| head`) does not change the count.
        let _ = self.out.write_all(shown.as_bytes());
    }

    /// `case` came out otherwise, and there is a good reason that is written down.
    pub fn explain(&mut self, case: &str, reason: &str) {
        self.explained += 1;
        let _ = writeln!(self.out, "EXPLAINED {case}\n{}", field("reason", reason).trim_end());
    }

    /// Something people want to know that is no case.
    pub fn note(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}");
    }

    /// Passes when both texts are equal.
    pub fn compare(&mut self, case: &str, expected: &str, got: &str) {
        if expected == got { self.pass(case) } else { self.fail(case, expected, got) }
    }

    /// The line that closes the report.
    pub fn summary(&self) -> String {
        let explained = match self.explained {
            0 => String::new(),
            count => format!(", {count} explained"),
        };
        format!("{} passed{explained}, {} failed", self.passed, self.failed)
    }

    /// Nothing failed and something passed; with a minimum: at least so many passed.
    pub fn is_success(&self, min: Option<u64>) -> bool {
        match min {
            Some(min) => self.passed >= min,
            None => self.failed == 0 && self.passed > 0,
        }
    }
}

/// One line stays on its line; several are set below, so that two long texts can be compared by eye.
fn field(name: &str, text: &str) -> String {
    if !text.contains('\n') {
        return format!("  {name:<8} {text}\n");
    }
    let lines: String = text.lines().map(|line| format!("    {line}\n")).collect();
    format!("  {name}\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    #[derive(Clone, Default)]
    struct Screen(Rc<RefCell<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn failing_cases_are_shown_with_what_was_expected_and_what_came() {
        let screen = Screen::default();
        let mut report = Report::to(Box::new(screen.clone()));
        report.compare("1", "3", "3");
        report.compare("0012/tests/2", "3", "null");
        report.fail("13", "a\nb", "c");
        let shown = String::from_utf8(screen.0.take()).expect("text was written");
        let expected = "FAILED 0012/tests/2\n  expected 3\n  got      null\nFAILED 13\n  expected\n    a\n    b\n  got      c\n";
        assert_eq!(shown, expected);
        assert_eq!(report.summary(), "1 passed, 2 failed");
    }

    #[test]
    fn success_is_no_failure_or_the_minimum_of_passes_and_never_an_empty_suite() {
        let mut report = Report::to(Box::new(std::io::sink()));
        assert!(!report.is_success(None));
        report.pass("1");
        assert!(report.is_success(None) && report.is_success(Some(1)) && !report.is_success(Some(2)));
        report.fail("2", "a", "b");
        assert!(!report.is_success(None) && report.is_success(Some(1)));
    }
}
