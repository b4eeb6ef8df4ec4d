//! Words of a line: separated by blanks, held together by quotes and brackets.

/// The line without its comment: `#` at its beginning or after a blank, outside quotes.
pub(super) fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let mut after_blank = true;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if after_blank && !quoted => return line[..at].trim_end(),
            _ => {}
        }
        after_blank = letter.is_whitespace();
    }
    line.trim_end()
}

/// Splits at the first separator that stands outside quotes.
pub(super) fn split_once<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let mut quoted = false;
    for (at, letter) in text.char_indices() {
        if letter == '"' {
            quoted = !quoted;
        } else if !quoted && text[at..].starts_with(separator) {
            return Some((&text[..at], &text[at + separator.len()..]));
        }
    }
    None
}

/// Splits at commas outside quotes and brackets: conditions may hold lists and calls.
pub(super) fn split_list(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, letter) in open_letters(text) {
        if letter == ',' {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// Words that stand outside quotes and brackets, with where they begin.
pub(super) fn open_words(text: &str) -> Vec<(usize, &str)> {
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut from = None;
    let open: Vec<(usize, char)> = open_letters(text).collect();
    for (at, letter) in open.iter().copied().chain([(text.len(), ' ')]) {
        if letter.is_whitespace() {
            words.extend(from.take().map(|from: usize| (from, &text[from..at])));
        } else {
            from.get_or_insert(at);
        }
    }
    words
}

/// The text as a person means it: without quotes around the whole.
pub(super) fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text).to_owned()
}

/// Letters outside quotes and brackets; what opens and closes them counts as inside, but not as blank.
fn open_letters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut quoted) = (0usize, false);
    text.char_indices().filter_map(move |(at, letter)| {
        let inside = depth > 0 || quoted;
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        (!inside).then_some((at, letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_blanks_commas_arrows_and_comments_together() {
        assert_eq!(without_comment(r##"a : user named "x # y" # why"##), r##"a : user named "x # y""##);
        assert_eq!(split_once(r#"a named "x -> y" -> b"#, "->"), Some((r#"a named "x -> y" "#, " b")));
        assert_eq!(split_list(r#"a if f(1, 2) = "x,y", b else"#), [r#"a if f(1, 2) = "x,y""#, "b else"]);
        let words = open_words(r#"named "the boss"  with a = (1 or 2)"#);
        let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
        assert_eq!(words, ["named", "\"the boss\"", "with", "a", "=", "(1 or 2)"]);
        assert_eq!(unquoted(r#" "the boss" "#), "the boss");
        assert_eq!(unquoted(r#""a" + "b""#), r#""a" + "b""#);
    }
}
