//! Every transcript under `conformance/` on every stage: the same text from each.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(feature = "stages")]
use tyer_testkit::Embedded;
use tyer_testkit::{Script, Stage, update};

/// Transcripts that are played at once: most of their time is spent waiting for the disk.
const AT_A_TIME: usize = 4;

#[test]
fn every_transcript_holds_on_the_bare_engine() {
    on_each(|script, _| Ok(Box::new(script.bare())));
}

#[cfg(feature = "stages")]
#[test]
fn every_transcript_holds_in_memory() {
    on_each(|script, _| boxed(Embedded::memory(&script.bpmn)));
}

/// Every command loads its instance, or nearly every one.
#[cfg(feature = "stages")]
#[test]
fn every_transcript_holds_in_memory_with_room_for_no_instance_and_for_two() {
    use tyer_testkit::{Habit, Open};
    for room in [0, 2] {
        on_each(|script, _| {
            let open: Open = Box::new(move |clock| {
                Box::pin(
                    async move { tyer_runtime::Engine::memory().tracks(1).cache(room).clock(clock).await },
                )
            });
            boxed(Embedded::new(&script.bpmn, 1, Habit::Stay, open))
        });
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use super::{boxed, on_each};
    use tyer_runtime::Engine;
    use tyer_testkit::{Embedded, Habit, Open, Script, Stage};

    #[test]
    fn every_transcript_holds_on_sqlite_closed_after_every_line() {
        on_each(|script, name| on_file(script, &format!("close-{name}"), Habit::Close));
    }

    #[test]
    fn every_transcript_holds_on_sqlite_dropped_after_every_line() {
        on_each(|script, name| on_file(script, &format!("drop-{name}"), Habit::Drop));
    }

    fn on_file(script: &Script, name: &str, habit: Habit) -> Result<Box<dyn Stage>, String> {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
        }
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = folder.join("tyer.db");
        let open: Open = Box::new(move |clock| {
            let file = file.clone();
            Box::pin(async move { Engine::builder().clock(&clock).open(&file).await })
        });
        boxed(Embedded::new(&script.bpmn, 1, habit, open))
    }
}

#[cfg(feature = "postgres")]
mod postgres {
    use super::{boxed, on_each};
    use tokio_postgres::NoTls;
    use tyer_runtime::Engine;
    use tyer_testkit::{Embedded, Habit, Open, Script, Stage};

    #[test]
    fn every_transcript_holds_on_postgres_with_two_nodes_taking_turns() {
        let base = std::env::var("TYER_TEST_POSTGRES").expect(
            "TYER_TEST_POSTGRES names no database: run the tests with `cargo xtask test`, \
             or set it to the URL that `cargo xtask postgres start` prints",
        );
        on_each(|script, name| in_schema(script, &base, name));
    }

    /// A schema of its own for every transcript.
    fn in_schema(script: &Script, base: &str, name: &str) -> Result<Box<dyn Stage>, String> {
        let schema = format!("transcript_{}", name.replace('-', "_"));
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let tokio = tokio.map_err(|error| error.to_string())?;
        let fresh = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
        tokio.block_on(run(base, &fresh)).map_err(|error| error.to_string())?;
        let separator = if base.contains('?') { '&' } else { '?' };
        let url = format!("{base}{separator}options=-csearch_path%3D{schema}");
        let open: Open = Box::new(move |clock| {
            let url = url.clone();
            Box::pin(async move { Engine::builder().tracks(1).clock(&clock).postgres(&url).await })
        });
        boxed(Embedded::new(&script.bpmn, 2, Habit::Stay, open))
    }

    async fn run(url: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
        let (client, driver) = tokio_postgres::connect(url, NoTls).await?;
        let driver = tokio::spawn(driver);
        client.batch_execute(sql).await?;
        drop(client);
        driver.await.expect("the driver does not panic")
    }
}

#[cfg(feature = "stages")]
fn boxed(stage: Result<Embedded, tyer_testkit::Refusal>) -> Result<Box<dyn Stage>, String> {
    match stage {
        Ok(stage) => Ok(Box::new(stage)),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// Plays every transcript on a stage of its own, several at a time, and names all that differ at once.
fn on_each(stage: impl Fn(&Script, &str) -> Result<Box<dyn Stage>, String> + Sync) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let only = std::env::var("ONLY").unwrap_or_default();
    let files: Vec<PathBuf> =
        transcripts(&root).into_iter().filter(|path| path.to_string_lossy().contains(&only)).collect();
    assert!(!files.is_empty(), "there are transcripts under conformance/ that match `{only}`");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
            if let Err(what) = play(path, &name, &stage) {
                wrong.lock().expect("nobody panics with it").push(format!("{name}: {what}"));
            }
        }
    };
    std::thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().expect("nobody panics with it");
    let (count, all) = (wrong.len(), files.len());
    assert!(wrong.is_empty(), "{count} of {all} transcripts do not hold\n\n{}", wrong.join("\n"));
}

fn play(
    path: &Path,
    name: &str,
    stage: &impl Fn(&Script, &str) -> Result<Box<dyn Stage>, String>,
) -> Result<(), String> {
    let script = update(path)?;
    let mut stage = stage(&script, &name.replace(['/', '.'], "-"))?;
    script.compare(&mut *stage)
}

fn transcripts(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("conformance/ stands at the root of the workspace");
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("a folder can be read").path();
        if path.is_dir() {
            files.extend(transcripts(&path));
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            files.push(path);
        }
    }
    files.sort();
    files
}
