//! Words of a line: separated by blanks, held together by quotes.

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
    let (mut from, mut depth, mut quoted) = (0, 0usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// The words of a text; a quoted word may hold blanks, and loses its quotes.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    for letter in text.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            blank if blank.is_whitespace() && !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_blanks_commas_arrows_and_comments_together() {
        assert_eq!(without_comment(r##"a : user named "x # y" # why"##), r##"a : user named "x # y""##);
        assert_eq!(split_once(r#"a named "x -> y" -> b"#, "->"), Some((r#"a named "x -> y" "#, " b")));
        assert_eq!(split_list(r#"a if f(1, 2) = "x,y", b else"#), [r#"a if f(1, 2) = "x,y""#, "b else"]);
        assert_eq!(
            words(r#"user named "the boss"  assignee anna"#),
            ["user", "named", "the boss", "assignee", "anna"]
        );
        assert_eq!(words(r#"named """#), ["named", ""]);
    }
}
