//! The contract of `Store` and `Views`: one suite, run on memory, SQLite and PostgreSQL.
//!
//! PostgreSQL's tests need `TYER_TEST_POSTGRES`; without it they fail, they are never skipped in silence.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "tests")]

mod play;
#[cfg(feature = "postgres")]
mod postgres_world;
mod round_trip;
mod world;

/// Makes a test of each case for each store.
macro_rules! on_every_store {
    ($($room:ident::$case:ident),+ $(,)?) => {
        mod memory { $(#[test] fn $case() { crate::world::on_memory(crate::$room::$case); })+ }
        mod sqlite { $(#[test] fn $case() { crate::world::on_sqlite(crate::$room::$case); })+ }
        #[cfg(feature = "postgres")]
        mod postgres { $(#[test] fn $case() { crate::world::on_postgres(crate::$room::$case); })+ }
    };
}

on_every_store! {
    round_trip::a_token_that_waits_is_stored_as_the_engine_has_it,
    round_trip::every_turn_to_the_end_is_stored_as_the_engine_has_it,
    round_trip::a_paused_instance_is_stored_as_the_engine_has_it,
    round_trip::an_id_that_is_not_there_gives_nothing,
}
