//! How deep a JSON text nests, before anything recursive looks at it.

/// Deeper than this no document of a person is.
pub(crate) const DEEPEST: usize = 64;

/// Whether brackets nest deeper than [`DEEPEST`]; whether it is JSON at all is for the parser to say.
pub(crate) fn is_too_deep(json: &[u8]) -> bool {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_count_and_brackets_in_texts_do_not() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(!is_too_deep(nested(DEEPEST).as_bytes()));
        assert!(is_too_deep(nested(DEEPEST + 1).as_bytes()));
        let text = format!("[\"\\\"{}\"]", "[".repeat(1000));
        assert!(!is_too_deep(text.as_bytes()));
    }
}
