//! How fast BPMN files become processes: the steps alone and the whole, for a file of average size and for a large one.
//!
//! The best of many rounds counts: on a busy machine it is the one that nobody disturbed. Where the system tells it, the
//! time of the processor is measured, so that waiting for others does not count. A path on the command line is a file to
//! measure instead.

mod sample;

use std::hint::black_box;
use std::time::{Duration, Instant};
use tyer_model::{Definitions, Strictness, import};
use tyer_xml::{Document, Limits};

/// Rounds end when their time is over.
const TIME: Duration = Duration::from_secs(4);
/// The time of the processor is told in steps: what is shorter than many of them is taken from the clock.
const TICK: Duration = Duration::from_millis(20);

fn main() {
    match std::env::args().nth(1) {
        Some(path) => measure(&path, &std::fs::read(&path).expect("the file can be read")),
        None => {
            measure("average", sample::diagram(11).as_bytes());
            measure("large", sample::diagram(20_000).as_bytes());
        }
    }
}

fn measure(name: &str, xml: &[u8]) {
    println!("{name}: {} bytes", xml.len());
    let read = Definitions::read(xml).expect("it is BPMN");
    let parse = |xml: &[u8]| Document::parse(xml, &Limits::default()).is_ok();
    report("XML tree", xml, || parse(black_box(xml)));
    report("definitions, with the XML tree", xml, || Definitions::read(black_box(xml)).is_ok());
    report("check", xml, || black_box(&read).check(Strictness::Deployment).len() < 10_000);
    report("compile, with the check", xml, || black_box(&read).compile().is_ok());
    report("import, the whole", xml, || import(black_box(xml)).is_ok());
}

fn report(step: &str, xml: &[u8], mut work: impl FnMut() -> bool) {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    let mut rounds = 0;
    while rounds < 7 || begin.elapsed() < TIME && rounds < 2_000 {
        let (start, processor) = (Instant::now(), processor_time());
        assert!(work(), "{step}");
        let spent = processor_time().zip(processor).map(|(now, before)| now - before);
        best = best.min(spent.filter(|spent| *spent > TICK).unwrap_or(start.elapsed()));
        rounds += 1;
    }
    let speed = xml.len() as f64 / best.as_secs_f64() / 1e6;
    println!("  {step:<32} {:>9.3} ms   {speed:>7.1} MB/s", best.as_secs_f64() * 1e3);
}

/// How long this thread has run; Linux tells it.
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
