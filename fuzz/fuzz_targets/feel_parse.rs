//! Any text is an expression or an error; what is one can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tyer_feel::{Expression, Names, parser, unparse};

fuzz_target!(|text: &str| {
    let names: Names = ["full name", "x-y", "a b"].into_iter().collect();
    let _ = Expression::parse_unary_tests(text, &names);
    let _ = Expression::parse_juel(text, &names);
    if let Ok(tree) = parser::expression(text, &names) {
        let written = unparse(&tree);
        let again = parser::expression(&written, &names).expect("what was written can be read");
        assert_eq!(unparse(&again), written);
    }
});
