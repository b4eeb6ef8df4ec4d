//! Any document is a model or an error; every element of a model can be evaluated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tyer_dmn::DecisionModel;
use tyer_feel::{Clock, Limits};

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = DecisionModel::parse(bytes, &[]) else { return };
    let limits = Limits { fuel: 20_000, ..Limits::default() };
    let names: Vec<_> = model.elements().map(|element| element.name.clone()).collect();
    for name in names.iter().take(8) {
        let _ = model.evaluate(name, &(), &Clock::epoch(), &limits);
    }
});
