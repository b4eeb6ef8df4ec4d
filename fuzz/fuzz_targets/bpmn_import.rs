//! Any bytes, as BPMN and as JSON: an answer, never a crash; and what is written reads back the same.
//!
//! `cargo +nightly fuzz run bpmn_import fuzz/corpus/bpmn_import fuzz/seeds/bpmn_import`
#![no_main]

use libfuzzer_sys::fuzz_target;
use tyer_model::{Definitions, Strictness, import_json};

fuzz_target!(|bytes: &[u8]| {
    let _ = import_json(bytes);
    let Ok(definitions) = Definitions::read(bytes) else { return };
    let _ = definitions.check(Strictness::Specification);
    let _ = definitions.compile();
    let again = Definitions::read(definitions.to_xml().as_bytes()).expect("what is written can be read");
    assert!(again == definitions, "what is written reads back the same");
});
