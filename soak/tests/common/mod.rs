//! What short runs have in common.

use std::path::PathBuf;
use std::time::Duration;

use tyer_soak::arguments::{Arguments, Kind};
use tyer_soak::binary;
use tyer_soak::run::{Report, run};
use tyer_soak::trouble::Trouble;

/// A run in small.
pub(crate) fn short(kind: Kind, times: u32) -> Arguments {
    let (shortest, longest) = (Duration::from_millis(200), Duration::from_millis(800));
    Arguments { times, shortest, longest, ..Arguments::of(kind) }
}

/// The server, built with the tests.
pub(crate) fn program() -> PathBuf {
    tokio::task::block_in_place(|| binary::build(binary::Profile::Debug)).expect("tyer can be built")
}

/// Nothing was lost, and there was something to lose.
pub(crate) fn is_clean(report: &Report, arguments: &Arguments) {
    eprintln!("{report}");
    assert!(report.verdict.is_clean(), "seed {}: {report}\n{:#?}", arguments.seed, report.verdict.complaints);
    assert!(report.instances > 20, "there was load: {} instances", report.instances);
}

/// The trouble comes, and nothing is lost.
pub(crate) async fn survives<T: Trouble>(arguments: Arguments) {
    let report = run::<T>(&program(), &arguments).await.expect("the run comes to its end");
    is_clean(&report, &arguments);
}
