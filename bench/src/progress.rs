//! One line that says how far the run is: a bar on a terminal, a line for each step elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const WIDTH: usize = 30;

/// How far a run is.
pub(crate) struct Progress {
    steps: usize,
    done: usize,
    begun: Instant,
    on_terminal: bool,
}

impl Progress {
    /// A run of so many steps.
    pub(crate) fn of(steps: usize) -> Progress {
        Progress { steps, done: 0, begun: Instant::now(), on_terminal: std::io::stderr().is_terminal() }
    }

    /// The next step begins.
    pub(crate) fn next(&mut self, what: &str) {
        let line = self.line(what, self.begun.elapsed());
        if self.on_terminal {
            // Whoever does not look is not waited for.
            let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
            let _ = std::io::stderr().flush();
        } else {
            eprintln!("{line}");
        }
        self.done += 1;
    }

    /// Nothing is left of it on a terminal.
    pub(crate) fn end(self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }

    fn line(&self, what: &str, passed: Duration) -> String {
        let full = (self.done * WIDTH / self.steps.max(1)).min(WIDTH);
        let bar = format!("[{}{}]", "#".repeat(full), ".".repeat(WIDTH - full));
        let left = match self.done {
            0 => String::new(),
            done => {
                let seconds = passed.as_secs() * self.steps.saturating_sub(done) as u64 / done as u64;
                format!(", about {} min {:02} s left", seconds / 60, seconds % 60)
            }
        };
        format!("{bar} {}/{} {what}{left}", self.done + 1, self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_way_the_bar_is_half_full_and_as_much_is_left() {
        let progress = Progress { steps: 10, done: 5, begun: Instant::now(), on_terminal: false };
        let line = progress.line("W2 on sqlite", Duration::from_secs(70));
        assert_eq!(line, "[###############...............] 6/10 W2 on sqlite, about 1 min 10 s left");
    }
}
