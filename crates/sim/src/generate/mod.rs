//! From a seed to a process: nested blocks that fit together, or graphs that do not.
//!
//! **Invariant:** the same seed and options give the same blueprint; nothing else is read.
//! **Invariant:** every cycle contains a job or task whose outcome has an `exit`, so a driver can always leave it.
//! **Invariant:** a condition reads only what the start variables hold.

mod activities;
mod blocks;
mod builder;
mod containers;
mod events;
mod palette;
mod transactions;
mod unstructured;

pub use palette::{Feature, Options};

use crate::blueprint::{Blueprint, Kind, Throw, Trigger};
use crate::random::Random;
use builder::Builder;

/// One in four processes is an unstructured graph.
pub fn generate(seed: u64, options: &Options) -> Blueprint {
    if seed % 4 == 3 { unstructured::unstructured(seed, options) } else { structured(seed, options) }
}

/// Nested blocks, each with one way in and one way out.
pub fn structured(seed: u64, options: &Options) -> Blueprint {
    let mut builder = Builder::new(&format!("process_{seed}"), Random::new(seed), options);
    // Small processes find most bugs and are read most easily: large ones are the exception.
    let most = builder.random.between(3, options.most_nodes.min(24));
    let most = if builder.random.chance(15) { options.most_nodes } else { most };
    let start = builder.process_start();
    let budget = most.saturating_sub(builder.blueprint.nodes.len() + 1);
    let depth = options.most_depth;
    let reserve = if budget > 14 && builder.chance_of(Feature::EventSubProcess, 20) { 6 } else { 0 };
    let body = builder.sequence(budget - reserve, depth);
    let end = builder.last_end();
    builder.blueprint.connect(start, body.entry);
    builder.connect(body.exit, end);
    if reserve > 0 {
        builder.event_sub_process(reserve, depth);
    }
    builder.finish()
}

/// A graph of nodes that were connected at random: loops, uneven joins, merge modes.
pub fn unstructured(seed: u64, options: &Options) -> Blueprint {
    unstructured::unstructured(seed, options)
}

/// What a call activity runs: a start, some work, an end.
fn called_process(id: &str, random: Random) -> Blueprint {
    let features = [Feature::Service, Feature::User, Feature::ThrowEvents, Feature::Escalation];
    let options = Options::of(&features);
    let mut builder = Builder::new(id, random, &options);
    let start = builder.node("start", Kind::Start { trigger: Trigger::None, interrupts: true });
    let work = builder.sequence(2, 1);
    let throw = match builder.random.below(10) {
        0 => Throw::Error("error".to_owned()),
        1 => Throw::Escalation("late".to_owned()),
        2 => Throw::Terminate,
        _ => Throw::None,
    };
    // Whether its caller catches that is not looked at.
    builder.blueprint.is_sound = !matches!(throw, Throw::Error(_));
    let end = builder.node("end", Kind::End(throw));
    builder.blueprint.connect(start, work.entry);
    builder.connect(work.exit, end);
    let mut called = builder.finish();
    // Ids are unique in a file, and the caller stands in the same one.
    called.nodes.iter_mut().for_each(|node| node.id = format!("{id}_{}", node.id));
    called.flows.iter_mut().for_each(|flow| flow.id = format!("{id}_{}", flow.id));
    called
}
