//! What a version leaves behind for all that come after it: a small store in which something waits in every way there is,
//! what is to be seen in it, and how its instances are brought to their end.
//!
//! **Invariant:** a folder that was committed never changes: it is what that version wrote.

mod finish;
mod sample;

pub use finish::finish;
pub use sample::{fill, seen};

/// Every version that has left a folder here, oldest first.
pub const VERSIONS: &[&str] = &["0.1.0"];

/// The schema that `postgres.sql` of each version makes.
pub const SCHEMA: &str = "upgrade_sample";

/// A clock that stands at 2026-01-01T00:00:00Z.
pub fn long_ago() -> tyer_runtime::TestClock {
    let clock = tyer_runtime::TestClock::default();
    clock.advance_ms(1_767_225_600_000 - clock.now().0);
    clock
}

/// The folder of a version.
pub fn folder(version: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(version)
}
