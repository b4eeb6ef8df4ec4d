//! Several nodes open an empty database at once; an older program refuses a newer one's data.

use tokio::task::JoinSet;
use tyer_store::Error;
use tyer_store::postgres::Postgres;

use crate::postgres_world::Schema;
use crate::world::run;

#[test]
fn nodes_that_open_an_empty_database_at_once_agree_on_the_tables() {
    run(async {
        let schema = Schema::create().await;
        let mut nodes = JoinSet::new();
        for _ in 0..6 {
            let url = schema.url.clone();
            nodes.spawn(async move { Postgres::connect(&url, 2).await.map(drop) });
        }
        for outcome in nodes.join_all().await {
            outcome.expect("connects");
        }
        assert_eq!(schema.count("SELECT version FROM schema_version").await, 1);
        assert_eq!(schema.count("SELECT number FROM node").await, 1024);
        schema.drop_all().await;
    });
}

#[test]
fn data_of_a_newer_program_is_refused() {
    run(async {
        let schema = Schema::create().await;
        drop(schema.connect(&schema.url, 1).await);
        schema.run("UPDATE schema_version SET version = 999").await;
        let error = Postgres::connect(&schema.url, 1).await.err().expect("is refused");
        assert!(matches!(error, Error::NewerSchema { found: 999, .. }), "{error}");
        schema.drop_all().await;
    });
}

#[test]
fn a_server_that_is_not_there_is_unavailable() {
    run(async {
        let error =
            Postgres::connect("postgres://nobody@127.0.0.1:1/none", 1).await.err().expect("nobody listens");
        assert!(matches!(error, Error::Unavailable(_)), "{error}");
        let error = Postgres::connect("no url", 1).await.err().expect("is no address");
        assert!(error.to_string().contains("expected postgres://"), "{error}");
    });
}
