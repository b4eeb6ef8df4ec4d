//! A disk that is full, a file that may not be written: refused, consistent, and well again afterwards. A disk that
//! fails: nothing more until the file is opened anew.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{Connection, OpenFlags};
use tyer_engine::{Command, Instance, InstanceId, Start, Timestamp, Variables, pack, step};
use tyer_model::import;

use super::{Sqlite, schema};
use crate::changes::Changes;
use crate::error::Error;
use crate::mail::{Mailbox, Message, Post};
use crate::turn::{Outcome, Packed, Turn, TurnKey};
use crate::{Answer, Deployment, NewProcess, Store, Tenant};

static NEXT: AtomicI64 = AtomicI64::new(1_000);

/// The beginning of an instance that carries a text of ten kilobytes.
fn start() -> Turn {
    let xml = "<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'><process id='p' isExecutable='true'>
        <startEvent id='s'/><userTask id='t'/><sequenceFlow id='f' sourceRef='s' targetRef='t'/></process></definitions>";
    let process = Arc::new(import(xml.as_bytes()).expect("sound").processes.remove(0));
    let mut instance = Instance::blank(InstanceId(NEXT.fetch_add(1, Ordering::Relaxed)));
    let variables = Variables::of("text", format!("\"{}\"", "x".repeat(10_000)));
    let start = Start { definition: 1, version: 1, variables, ..Start::default() };
    let command = Command::Start(Box::new(start));
    let events = step(&process, &mut instance, command, Timestamp(1)).expect("it begins");
    let count = u32::try_from(events.len()).expect("few");
    Turn {
        key: TurnKey { instance: instance.id, first_seq: 1, turn: instance.id.0 },
        relies: Box::default(),
        changes: Changes::of(&instance, 0),
        history: Packed { count, at: Timestamp(1), events: pack(&process, &events) },
        mail: Box::default(),
        process,
    }
}

fn folder() -> PathBuf {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("tyer-faults-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the place for temporary files is writable");
    folder
}

fn wait<T>(answer: Answer<'_, T>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(answer)
}

/// Sets a pragma on the connection that writes.
fn pragma(store: &Sqlite, name: &'static str, value: i64) {
    let set = store.writer.run(move |connection: &mut Connection| {
        connection.pragma_update(None, name, value).map_err(super::complaint)
    });
    wait(set).expect("a pragma");
}

fn pages(store: &Sqlite) -> i64 {
    let read = |connection: &mut Connection| {
        connection.query_row("PRAGMA page_count", [], |row| row.get(0)).map_err(super::complaint)
    };
    wait(store.writer.run(read)).expect("a number")
}

/// Everything that writes.
fn attempts(store: &Sqlite) -> Vec<(&'static str, Result<(), Error>)> {
    let deployment = Deployment {
        tenant: Tenant::default(),
        resource: vec![b'x'; 100_000].into(),
        checksum: NEXT.fetch_add(1, Ordering::Relaxed).to_string(),
        ids: vec![NEXT.fetch_add(1, Ordering::Relaxed), NEXT.fetch_add(1, Ordering::Relaxed)],
        processes: vec![NewProcess { key: "p".to_owned(), version_tag: None, starts: Vec::new() }],
        at: Timestamp(1),
    };
    let message = Message {
        id: NEXT.fetch_add(1, Ordering::Relaxed),
        tenant: Tenant::default(),
        name: "m".into(),
        key: None,
        message_id: None,
        variables: format!("{{\"x\":\"{}\"}}", "x".repeat(100_000)),
        published_at: Timestamp(1),
        expires_at: Timestamp(2),
        due: None,
    };
    vec![
        ("deploy", wait(store.deploy(deployment)).map(drop)),
        ("post", wait(store.post(vec![Post::Message(message)])).map(drop)),
        ("commit", wait(store.commit((0..20).map(|_| start()).collect())).map(drop)),
    ]
}

/// Work is refused with these words while it lasts; nothing is half written; afterwards work goes on.
fn refused_and_well_again(begin: impl Fn(&Sqlite), end: impl Fn(&Sqlite), words: &str) {
    let folder = folder();
    let path = folder.join("tyer.db");
    let store = Sqlite::open(&path).expect("opens");
    let before = start();
    assert_eq!(wait(store.commit(vec![before.clone()])).expect("commits"), [Outcome::Committed]);
    begin(&store);
    for (what, outcome) in attempts(&store) {
        let error = outcome.expect_err(what);
        assert!(matches!(error, Error::Unavailable(_)), "{what}: {error}");
        assert!(error.to_string().contains(words), "{what}: {error}");
    }
    let refused = start();
    wait(store.commit((0..20).map(|_| start()).chain([refused.clone()]).collect()))
        .expect_err("still refused");
    let ids = vec![before.key.instance, refused.key.instance];
    let loaded = wait(store.load(ids)).expect("reads go on");
    assert_eq!(loaded.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);
    assert_eq!(wait(store.settle(vec![refused.key])).expect("settles"), [false]);
    end(&store);
    assert_eq!(wait(store.commit(vec![refused])).expect("commits again"), [Outcome::Committed]);
    drop(store);
    let connection = Connection::open(&path).expect("opens");
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("checks");
    assert_eq!(check, "ok");
    drop(connection);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn a_full_disk_refuses_work_until_there_is_room() {
    // SQLite says the same whether the disk is full or the file has all the pages that it may have.
    let fill = |store: &Sqlite| pragma(store, "max_page_count", pages(store) + 2);
    refused_and_well_again(fill, |store| pragma(store, "max_page_count", 1_000_000), "make room on the disk");
}

#[test]
fn a_file_that_may_not_be_written_refuses_work() {
    let forbid = |store: &Sqlite| pragma(store, "query_only", 1);
    refused_and_well_again(forbid, |store| pragma(store, "query_only", 0), "right to write the file");
}

/// What SQLite says when the system could not bring pages to the disk.
fn failed_fsync(_: &mut Connection) -> Result<(), Error> {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_FSYNC);
    Err(super::complaint(rusqlite::Error::SqliteFailure(code, None)))
}

#[test]
fn after_the_disk_failed_nothing_is_written_until_the_file_is_opened_anew() {
    let folder = folder();
    let path = folder.join("tyer.db");
    let store = Sqlite::open(&path).expect("opens");
    let before = start();
    wait(store.commit(vec![before.clone()])).expect("commits");
    wait(store.writer.run(failed_fsync)).expect_err("the disk fails");
    let mut refused = attempts(&store);
    refused.push(("settle", wait(store.settle(vec![before.key])).map(drop)));
    for (what, outcome) in refused {
        let error = outcome.expect_err(what);
        assert!(matches!(error, Error::DiskFailed(_)), "{what}: {error}");
        assert!(error.to_string().contains("nothing that was acknowledged is lost"), "{what}: {error}");
    }
    let loaded = wait(store.load(vec![before.key.instance])).expect("reads go on");
    assert!(loaded[0].is_some(), "what was acknowledged is there");
    drop(store);
    let store = Sqlite::open(&path).expect("opens anew");
    assert_eq!(wait(store.commit(vec![start()])).expect("commits again"), [Outcome::Committed]);
    drop(store);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn a_file_that_opens_for_reading_alone_is_refused_by_name() {
    let folder = folder();
    let path = folder.join("tyer.db");
    drop(Sqlite::open(&path).expect("opens"));
    let reading = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("opens");
    let error = schema::writable(&reading, &path).expect_err("is refused");
    assert!(error.to_string().contains("tyer.db is read-only: give this user"), "{error}");
    drop(reading);
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn a_reader_that_stays_for_long_keeps_nobody_from_working() {
    let folder = folder();
    let path = folder.join("tyer.db");
    let store = Sqlite::open(&path).expect("opens");
    wait(store.commit(vec![start()])).expect("commits");
    let reader = Connection::open(&path).expect("opens");
    let count = |reader: &Connection| -> i64 {
        reader.query_row("SELECT count(*) FROM process_instance", [], |row| row.get(0)).expect("counts")
    };
    reader.execute_batch("BEGIN").expect("begins");
    assert_eq!(count(&reader), 1);
    for _ in 0..200 {
        assert_eq!(wait(store.commit(vec![start()])).expect("commits"), [Outcome::Committed]);
    }
    assert_eq!(count(&reader), 1, "it sees what was there when it began");
    reader.execute_batch("COMMIT").expect("ends");
    assert_eq!(count(&reader), 201);
    drop(reader);
    drop(store);
    let log = path.with_extension("db-wal");
    assert!(
        !log.exists() || log.metadata().expect("is there").len() == 0,
        "what it held back is in the file"
    );
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
