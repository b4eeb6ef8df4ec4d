//! What PostgreSQL can do to us: refused with a word on what to do, nothing half written, well again afterwards.

use tokio::task::JoinSet;
use tyer_store::postgres::Postgres;
use tyer_store::{Error, Outcome, Store};

use crate::play::{Play, TWO_JOBS};
use crate::postgres_world::Schema;
use crate::world::run;

/// The server says 40001, as it does when two transactions cannot both have been first: at a write, and at the commit.
#[test]
fn a_serialization_failure_writes_nothing_and_the_same_turn_commits_later() {
    run(async {
        let schema = Schema::create().await;
        let store = schema.connect(&schema.url, 2).await;
        schema
            .run(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END $$",
            )
            .await;
        for moment in ["", "DEFERRABLE INITIALLY DEFERRED"] {
            let trigger = format!(
                "CREATE CONSTRAINT TRIGGER failing AFTER INSERT ON history {moment} FOR EACH ROW EXECUTE FUNCTION fail()"
            );
            schema.run(&trigger).await;
            let mut play = Play::new(TWO_JOBS);
            let turn = play.start();
            let error = store.commit(vec![turn.clone()]).await.expect_err("it fails");
            assert!(matches!(error, Error::Unavailable(_)) && error.is_transient(), "{error}");
            assert!(error.to_string().contains("40001"), "{error}");
            assert!(store.load(vec![play.id()]).await.unwrap()[0].is_none(), "nothing was written");
            schema.run("DROP TRIGGER failing ON history").await;
            assert_eq!(store.commit(vec![turn]).await.unwrap(), [Outcome::Committed]);
            play.assert_stored(&store).await;
        }
        drop(store);
        schema.drop_all().await;
    });
}

#[test]
fn a_reader_that_stays_for_long_keeps_nobody_from_working() {
    run(async {
        let schema = Schema::create().await;
        let store = schema.connect(&schema.url, 2).await;
        let mut reader = schema.session().await;
        let reading = reader.build_transaction();
        let reading =
            reading.isolation_level(tokio_postgres::IsolationLevel::RepeatableRead).start().await.unwrap();
        let count = "SELECT count(*) FROM process_instance";
        assert_eq!(reading.query_one(count, &[]).await.unwrap().get::<_, i64>(0), 0);
        for _ in 0..50 {
            let mut play = Play::new(TWO_JOBS);
            assert_eq!(store.commit(vec![play.start()]).await.unwrap(), [Outcome::Committed]);
            assert_eq!(store.commit(vec![play.complete_job("{}")]).await.unwrap(), [Outcome::Committed]);
        }
        assert_eq!(
            reading.query_one(count, &[]).await.unwrap().get::<_, i64>(0),
            0,
            "it sees its own moment"
        );
        reading.commit().await.unwrap();
        drop(store);
        schema.drop_all().await;
    });
}

#[test]
fn more_callers_than_connections_wait_for_their_turn() {
    run(async {
        let schema = Schema::create().await;
        let store = std::sync::Arc::new(schema.connect(&schema.url, 1).await);
        let mut callers = JoinSet::new();
        for _ in 0..40 {
            let store = std::sync::Arc::clone(&store);
            callers.spawn(async move {
                let mut play = Play::new(TWO_JOBS);
                let outcome = store.commit(vec![play.start()]).await;
                play.assert_stored(&*store).await;
                outcome
            });
        }
        for outcome in callers.join_all().await {
            assert_eq!(outcome.expect("has waited"), [Outcome::Committed]);
        }
        drop(store);
        schema.drop_all().await;
    });
}

#[test]
fn a_server_without_a_free_connection_says_what_to_do_and_serves_again() {
    run(async {
        let schema = Schema::create().await;
        drop(schema.connect(&schema.url, 1).await);
        let role = format!("{}_few", schema.name());
        schema
            .run(&format!(
                "CREATE ROLE {role} LOGIN PASSWORD 'few' CONNECTION LIMIT 1;
                 GRANT USAGE, CREATE ON SCHEMA {0} TO {role}; GRANT ALL ON ALL TABLES IN SCHEMA {0} TO {role}",
                schema.name()
            ))
            .await;
        let url = schema.url_of(&role, "few");
        let first = Postgres::connect(&url, 1).await.expect("one is free");
        let error = Postgres::connect(&url, 1).await.err().expect("none is free");
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
        assert!(error.to_string().contains("raise max_connections"), "{error}");
        drop(first);
        let mut tries = 0;
        while Postgres::connect(&url, 1).await.is_err() {
            tries += 1;
            assert!(tries < 200, "the connection of the first is free again");
            tokio::time::sleep(std::time::Duration::from_millis(10)).await; // tidy: looks again: the fact itself is awaited
        }
        schema.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
        schema.drop_all().await;
    });
}

#[test]
fn a_database_that_takes_no_writes_is_refused_with_what_to_do() {
    run(async {
        let schema = Schema::create().await;
        let store = schema.connect(&schema.url, 1).await;
        drop(store);
        let standby = format!("{}%20-cdefault_transaction_read_only%3Don", schema.url);
        let store = Postgres::connect(&standby, 1).await;
        let error = match store {
            Err(error) => error,
            Ok(store) => store.commit(vec![Play::new(TWO_JOBS).start()]).await.expect_err("is refused"),
        };
        assert!(error.to_string().contains("name the server that takes writes"), "{error}");
        schema.drop_all().await;
    });
}
