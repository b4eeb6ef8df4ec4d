//! Lines on stdout. Whoever reads them may go away early (`| head`): that ends the program, quietly.

use std::io::Write;

pub(crate) fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
