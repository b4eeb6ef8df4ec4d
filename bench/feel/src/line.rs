//! One line of the report: the same work by Tyer and by its peers, in turns, so that all see the same machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Rounds of a line; the slow ones end when their time is over.
const ROUNDS: usize = 101;
const TIME: Duration = Duration::from_secs(5);

type Work<'a> = Box<dyn FnMut() -> bool + 'a>;

/// What is measured under one name.
pub(crate) struct Line<'a> {
    name: String,
    contenders: Vec<(&'static str, usize, Work<'a>)>,
}

impl<'a> Line<'a> {
    /// `runs` of the work make a round.
    pub(crate) fn new(name: impl Into<String>, runs: usize, work: impl FnMut() -> bool + 'a) -> Line<'a> {
        Line { name: name.into(), contenders: vec![("tyer", runs, Box::new(work))] }
    }

    /// Somebody else's work of the same kind.
    #[cfg_attr(not(any(feature = "cel", feature = "dsntk")), expect(dead_code))]
    pub(crate) fn beside(
        mut self,
        who: &'static str,
        runs: usize,
        work: impl FnMut() -> bool + 'a,
    ) -> Line<'a> {
        self.contenders.push((who, runs, Box::new(work)));
        self
    }

    /// Prints nanoseconds of one run, best and median, and how many times Tyer's that is.
    pub(crate) fn report(mut self) {
        let begin = Instant::now();
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); self.contenders.len()];
        for round in 0..ROUNDS {
            if round >= 5 && begin.elapsed() > TIME {
                break;
            }
            for (times, (who, runs, work)) in times.iter_mut().zip(&mut self.contenders) {
                let start = Instant::now();
                for _ in 0..*runs {
                    assert!(black_box(work()), "{who}: {}", self.name);
                }
                times.push(start.elapsed().as_nanos() as f64 / *runs as f64);
            }
        }
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        for (times, (who, ..)) in times.iter().zip(&self.contenders) {
            let name = if *who == "tyer" { &*self.name } else { "" };
            let (best, median) = (times[0], times[times.len() / 2]);
            println!("{name:<40} {who:<6} best {best:>12.0} ns   median {median:>12.0} ns");
        }
    }
}

/// A word on the command line picks the lines that hold it.
pub(crate) fn is_asked(name: &str) -> bool {
    std::env::args().nth(1).is_none_or(|word| name.contains(&word))
}
