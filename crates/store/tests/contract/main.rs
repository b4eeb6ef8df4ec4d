//! The contract of `Store` and `Views`: one suite, run on memory, SQLite and PostgreSQL.
//!
//! PostgreSQL's tests need `TYER_TEST_POSTGRES`; without it they fail, they are never skipped in silence.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "tests")]

mod chain;
#[cfg(feature = "postgres")]
mod faults;
mod file;
mod leases;
mod lists;
mod mail;
#[cfg(feature = "postgres")]
mod migration;
mod outbox;
mod play;
#[cfg(feature = "postgres")]
mod postgres_world;
#[cfg(feature = "postgres")]
mod proxy;
mod races;
mod round_trip;
mod schema;
#[cfg(feature = "postgres")]
mod stress;
mod tenants;
mod time;
#[cfg(feature = "postgres")]
mod unknown;
mod upkeep;
mod views;
mod wide;
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
    wide::everything_inside_is_stored_after_every_turn,
    wide::a_job_sees_the_variables_around_its_scope,
    wide::jobs_of_one_claim_share_the_variables_that_they_both_see,
    wide::a_turn_that_moves_a_held_job_elsewhere_leaves_its_lease,
    chain::a_stale_commit_is_refused,
    chain::a_turn_of_an_instance_that_is_not_there_is_refused,
    chain::an_id_starts_only_once,
    chain::several_turns_of_one_instance_are_written_as_one,
    chain::a_whole_life_in_one_batch_leaves_only_history,
    chain::a_turn_that_fails_drops_those_behind_it_but_no_others,
    chain::a_key_starts_one_instance_and_names_it_ever_after,
    chain::a_key_passes_to_the_start_that_holds,
    chain::a_start_that_relies_on_the_newest_version_is_told_of_a_newer_one,
    races::two_nodes_over_the_same_instances_lose_no_turn,
    races::of_fifty_starts_with_one_key_one_happens,
    races::starts_with_the_same_keys_in_two_orders_do_not_block_each_other,
    races::eight_claimants_get_each_job_once,
    leases::a_claim_is_loaded_and_ends_with_its_turn,
    leases::only_wanted_types_are_claimed_in_the_order_of_asking,
    leases::who_lost_the_lease_cannot_commit,
    leases::a_lease_that_ran_out_is_lost_before_another_has_it,
    leases::an_extended_lease_lasts_longer,
    leases::the_next_end_of_a_lease_is_named_also_when_others_ended,
    leases::a_token_may_be_born_claimed,
    leases::a_pause_holds_what_is_ready_and_leaves_what_is_executing,
    leases::a_result_is_taken_while_its_instance_is_paused,
    time::due_timers_are_named_in_due_order,
    time::nothing_due_names_nothing,
    time::each_node_has_its_own_number,
    time::a_lease_that_is_renewed_often_ends_no_later,
    time::jobs_of_a_dead_node_are_ready_again,
    leases::a_turn_that_relies_on_nobody_holding_a_job_is_told_of_a_claim,
    mail::an_errand_is_named_until_a_turn_has_taken_it,
    mail::an_errand_that_nobody_takes_can_be_dropped,
    mail::a_message_is_taken_once_for_each_process,
    mail::a_message_with_an_id_is_published_once_while_it_waits,
    mail::a_message_waits_until_its_time_is_over,
    mail::a_message_that_was_not_examined_is_named,
    mail::who_waits_for_a_message_is_found_by_name_and_key,
    mail::a_process_that_has_a_message_is_not_found_again,
    mail::a_signal_goes_to_those_who_waited_when_it_was_sent,
    mail::of_one_start_key_one_instance_lives,
    mail::start_events_of_the_newest_version_wait,
    mail::instances_are_listed_by_id_and_by_their_caller,
    outbox::a_turn_adds_to_the_streams_of_the_sinks_it_names,
    outbox::a_stream_is_in_one_pair_of_hands_until_its_moment,
    outbox::what_was_added_while_it_was_delivered_is_delivered_next,
    outbox::a_dead_stream_waits_until_somebody_says_otherwise,
    outbox::what_a_sink_has_not_got_is_not_forgotten,
    views::the_same_content_keeps_its_versions,
    views::nodes_that_deploy_at_once_agree,
    views::history_is_read_from_the_middle_of_a_turn,
    views::open_tasks_are_listed_oldest_first,
    lists::instances_are_found_by_whatever_is_asked,
    lists::a_listed_instance_says_what_it_is,
    lists::tasks_are_found_by_whatever_is_asked,
    lists::incidents_processes_and_tokens_are_listed,
    lists::messages_that_nobody_has_are_listed,
    tenants::tenants_that_name_processes_and_keys_alike_do_not_meet,
    tenants::messages_and_signals_stay_with_their_tenant,
    tenants::lists_and_history_are_a_tenants_own,
    tenants::tasks_and_jobs_are_a_tenants_own,
    upkeep::a_backup_is_restored_into_a_file_and_goes_on,
    upkeep::a_backup_under_load_has_what_was_acknowledged_before,
    upkeep::what_is_over_is_forgotten_by_process_and_age,
    upkeep::what_somebody_needs_is_not_forgotten,
    upkeep::keys_and_tenants_are_forgotten_too,
}

#[cfg(feature = "postgres")]
mod into_postgres {
    #[test]
    fn a_backup_of_a_file_is_restored_into_postgres() {
        crate::world::on_sqlite(crate::upkeep::a_backup_is_restored_into_postgres_and_goes_on);
    }

    #[test]
    fn a_backup_of_postgres_is_restored_into_postgres() {
        crate::world::on_postgres(crate::upkeep::a_backup_is_restored_into_postgres_and_goes_on);
    }
}
