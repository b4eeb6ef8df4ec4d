//! One SQLite file, one runtime.

use tyer_engine::Timestamp;
use tyer_store::sqlite::Sqlite;
use tyer_store::{Error, Store};

use crate::play::{Play, TWO_JOBS};
use crate::round_trip::commit;
use crate::world::{folder, run};

#[test]
fn a_second_runtime_on_the_file_is_refused() {
    let folder = folder();
    let path = folder.join("tyer.db");
    let first = Sqlite::open(&path).expect("opens");
    let second = Sqlite::open(&path).err().expect("is refused");
    assert!(matches!(second, Error::InUse(_)), "{second}");
    drop(first);
    Sqlite::open(&path).expect("opens again when the first is gone");
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn what_was_committed_is_there_after_a_reopen() {
    let folder = folder();
    let path = folder.join("tyer.db");
    run(async {
        let mut play = Play::new(TWO_JOBS);
        let store = Sqlite::open(&path).expect("opens");
        let first = store.hold_node(None, "node", Timestamp(1_000)).await.unwrap();
        commit(&store, play.start()).await;
        drop(store);
        let store = Sqlite::open(&path).expect("opens again");
        play.assert_stored(&store).await;
        let second = store.hold_node(None, "node", Timestamp(1_000)).await.unwrap();
        assert!(second.high_water >= first.until, "ids go on above all that were made");
    });
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn a_file_of_a_newer_program_is_refused() {
    let folder = folder();
    let path = folder.join("tyer.db");
    drop(Sqlite::open(&path).expect("opens"));
    let connection = rusqlite::Connection::open(&path).expect("opens");
    connection.pragma_update(None, "user_version", 999).expect("writes");
    drop(connection);
    let error = Sqlite::open(&path).err().expect("is refused");
    assert!(matches!(error, Error::NewerSchema { found: 999, .. }), "{error}");
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let folder = folder();
    let path = folder.join("tyer.db");
    std::fs::write(&path, [b'x'; 10_000]).expect("writes");
    let error = Sqlite::open(&path).err().expect("is refused");
    assert!(matches!(error, Error::Damaged(_)) && error.to_string().contains("tyer.db"), "{error}");
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}

#[test]
fn damaged_pages_are_an_error_and_not_a_wrong_answer() {
    let folder = folder();
    let path = folder.join("tyer.db");
    run(async {
        let store = Sqlite::open(&path).expect("opens");
        let starts = (0..500).map(|_| Play::new(TWO_JOBS).start()).collect();
        store.commit(starts).await.unwrap();
        drop(store);
        let mut bytes = std::fs::read(&path).expect("reads");
        // The first page says what the tables are.
        bytes[8192..].fill(0xee);
        std::fs::write(&path, bytes).expect("writes");
        let damage = match Sqlite::open(&path) {
            Err(error) => Some(error),
            Ok(store) => {
                let ids = (1_000_000..1_010_000).map(tyer_engine::InstanceId).collect();
                store.load(ids).await.err()
            }
        };
        assert!(matches!(damage, Some(Error::Damaged(_))), "{damage:?}");
    });
    std::fs::remove_dir_all(folder).expect("the folder is ours");
}
