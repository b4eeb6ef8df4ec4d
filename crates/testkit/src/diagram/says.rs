//! What a node says of itself: a kind, what stands right behind it, and keywords with their values.
//!
//! **Invariant:** a word inside quotes or brackets is never a keyword.

use super::words::{open_words, unquoted};

const ALL: &[&str] = &["named", "merge", "with", "giving", "needs"];
const ACTIVITY: &[&str] = &[
    "for",
    "times",
    "while",
    "repeat",
    "limit",
    "sequentially",
    "gather",
    "until",
    "throws",
    "undo",
    "takes",
    "gives",
    "failure",
    "branches",
];
const JOB: &[&str] = &["retries", "backoff"];
const USER: &[&str] = &["assignee", "candidates", "groups", "due", "priority", "form"];
const CALL: &[&str] = &["version", "tag", "deployed", "key", "passing", "returning"];
const SCOPE: &[&str] = &["saga", "inflight", "failure", "data"];
const PROCESS: &[&str] =
    &["merge", "saga", "inflight", "failure", "data", "masked", "indexed", "tag", "named"];
const AD_HOC: &[&str] = &["sequential", "done", "keep", "choosing", "collect"];
const SCRIPT: &[&str] = &["into", "language"];
const BORDER: &[&str] = &["on", "beside"];

/// Keywords that need no value.
const FLAGS: [&str; 6] = ["sequentially", "repeat", "sequential", "keep", "deployed", "begins"];

/// Words with which an event of the border begins.
pub(super) const TRIGGERS: [&str; 11] = [
    "after",
    "at",
    "every",
    "message",
    "signal",
    "when",
    "error",
    "failure",
    "escalation",
    "cancel",
    "compensation",
];

/// The text of a node, taken apart.
pub(super) struct Says<'t> {
    pub(super) kind: &'t str,
    /// What stands between the kind and the first keyword.
    pub(super) head: &'t str,
    said: Vec<(&'t str, &'t str)>,
}

impl<'t> Says<'t> {
    /// What stands after the colon of a node.
    pub(super) fn of_node(drawn: &'t str) -> Says<'t> {
        let (kind, rest) = drawn.split_once(char::is_whitespace).unwrap_or((drawn, ""));
        // An event of the border is all trigger: its first word belongs to it.
        let rest = if TRIGGERS.contains(&kind) { drawn } else { rest.trim() };
        Says::read(kind, rest, &keywords(kind))
    }

    /// What stands after the id of a process.
    pub(super) fn of_process(drawn: &'t str) -> Says<'t> {
        Says::read("process", drawn, &[PROCESS])
    }

    fn read(kind: &'t str, rest: &'t str, keywords: &[&[&str]]) -> Says<'t> {
        // Something that must have a head may be called like a keyword.
        let has_head = matches!(kind, "job" | "call" | "decision" | "script" | "timer");
        let is_keyword = |word: &str| keywords.iter().any(|list| list.contains(&word));
        let mut found: Vec<(usize, &str)> = Vec::new();
        let mut is_value = has_head;
        for (at, word) in open_words(rest) {
            let begins = is_keyword(word) && !is_value;
            // `merge merge`: what comes right after a keyword is its value.
            is_value = begins && !FLAGS.contains(&word);
            found.extend(begins.then_some((at, word)));
        }
        let head_end = found.first().map_or(rest.len(), |(at, _)| *at);
        let ends = found.iter().skip(1).map(|(at, _)| *at).chain([rest.len()]);
        let said = found.iter().zip(ends).map(|((at, word), end)| (*word, rest[at + word.len()..end].trim()));
        Says { kind, head: rest[..head_end].trim(), said: said.collect() }
    }

    /// The value of a keyword as written.
    pub(super) fn raw(&mut self, keyword: &str) -> Option<&'t str> {
        let at = self.said.iter().position(|(said, _)| *said == keyword)?;
        Some(self.said.remove(at).1)
    }

    /// The value of a keyword, without quotes.
    pub(super) fn text(&mut self, keyword: &str) -> Option<String> {
        self.raw(keyword).map(unquoted)
    }

    /// Is this word there?
    pub(super) fn flag(&mut self, keyword: &str) -> bool {
        self.raw(keyword).is_some()
    }

    /// What stands right behind the kind, once.
    pub(super) fn take_head(&mut self) -> Option<&'t str> {
        let head = std::mem::take(&mut self.head);
        (!head.is_empty()).then_some(head)
    }

    /// Everything must have been understood.
    pub(super) fn finish(self) -> Result<(), String> {
        let head = self.head.split_whitespace().next();
        match head.or_else(|| self.said.first().map(|(keyword, _)| *keyword)) {
            Some(word) => Err(format!("`{}` does not say `{word}`", self.kind)),
            None => Ok(()),
        }
    }
}

fn keywords(kind: &str) -> Vec<&'static [&'static str]> {
    let mut lists = vec![ALL];
    match kind {
        "job" => lists.extend([ACTIVITY, JOB]),
        "decision" => lists.extend([ACTIVITY, JOB, &["into"]]),
        "script" => lists.extend([ACTIVITY, JOB, SCRIPT]),
        "user" => lists.extend([ACTIVITY, USER]),
        "call" => lists.extend([ACTIVITY, CALL]),
        "pass" | "manual" | "send" | "receive" => lists.extend([ACTIVITY, &["begins"]]),
        "process" | "transaction" => lists.extend([ACTIVITY, SCOPE]),
        "adhoc" => lists.extend([ACTIVITY, SCOPE, AD_HOC]),
        "event" => lists.push(SCOPE),
        "start" => lists.push(BORDER),
        "events" => lists.push(&["begins"]),
        "throw" | "catch" | "end" => {}
        "parallel" | "exclusive" | "inclusive" | "complex" => lists.push(&["branches", "fires"]),
        trigger if TRIGGERS.contains(&trigger) => lists.push(BORDER),
        _ => {}
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_node_says_is_read_in_any_order() {
        let mut says = Says::of_node(r#"job retries backoff linear PT1S PT30S retries 5 named "with it""#);
        assert_eq!((says.kind, says.take_head()), ("job", Some("retries")));
        assert_eq!(says.text("retries").as_deref(), Some("5"));
        assert_eq!(says.text("backoff").as_deref(), Some("linear PT1S PT30S"));
        assert_eq!(says.text("named").as_deref(), Some("with it"));
        assert_eq!(says.finish(), Ok(()));
        let mut border = Says::of_node("message paid key (for x in y return x) on work");
        assert_eq!(
            (border.take_head(), border.raw("on")),
            (Some("message paid key (for x in y return x)"), Some("work"))
        );
    }
}
