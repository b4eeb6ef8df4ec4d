//! Events: what they wait for or throw, as event definitions.

use super::tree::Tree;
use super::words::{open_words, unquoted};
use super::xml::Shelf;

/// Words with which an event begins.
const EVENTS: [&str; 13] = [
    "after",
    "at",
    "every",
    "when",
    "message",
    "signal",
    "error",
    "failure",
    "escalation",
    "cancel",
    "terminate",
    "compensation",
    "link",
];

/// The event definitions of a text such as `message paid key orderId or after PT5S`.
pub(super) struct Definitions {
    pub(super) trees: Vec<Tree>,
    /// They are joined by `and`: all must come.
    pub(super) all: bool,
    /// One of them also catches work that has failed for good.
    pub(super) failures: bool,
    /// Extensions of the event itself.
    pub(super) extensions: Vec<Tree>,
}

/// Whether an event throws or catches: a message has its key at another place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Throws,
    Catches,
}

pub(super) fn read(text: &str, side: Side, shelf: &mut Shelf) -> Result<Definitions, String> {
    let mut found = Definitions { trees: Vec::new(), all: false, failures: false, extensions: Vec::new() };
    let mut from = 0;
    let mut parts = Vec::new();
    let words = open_words(text);
    for (position, (at, word)) in words.iter().copied().enumerate() {
        // Conditions and dates have such words too: only an event goes on with an event.
        let goes_on = words.get(position + 1).is_some_and(|(_, next)| EVENTS.contains(next));
        if goes_on && (word == "or" || word == "and") {
            found.all |= word == "and";
            parts.push(text[from..at].trim());
            from = at + word.len();
        }
    }
    parts.push(text[from..].trim());
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let tree = definition(part, side, &mut found, shelf)?;
        found.trees.push(tree);
    }
    Ok(found)
}

fn definition(part: &str, side: Side, found: &mut Definitions, shelf: &mut Shelf) -> Result<Tree, String> {
    let (word, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
    let rest = rest.trim();
    let needs = |what: &str| if rest.is_empty() { Err(format!("`{word}` has {what}")) } else { Ok(rest) };
    Ok(match word {
        "after" => timer("timeDuration", needs("a duration: `after PT5S`")?),
        "at" => timer("timeDate", needs("a moment: `at 2030-01-31T12:00:00Z`")?),
        "every" => timer("timeCycle", needs("a cycle: `every R3/PT10S`")?),
        "when" => condition(needs("a condition: `when amount > 5`")?),
        "message" => message(needs("a name: `message paid`")?, side, found, shelf),
        "signal" => {
            let id = shelf.signal(&unquoted(needs("a name: `signal alarm`")?));
            Tree::new("signalEventDefinition").with("signalRef", id)
        }
        "error" => caught("error", rest, shelf),
        "failure" => {
            found.failures = true;
            caught("error", rest, shelf)
        }
        "escalation" => caught("escalation", rest, shelf),
        "cancel" => Tree::new("cancelEventDefinition"),
        "terminate" => Tree::new("terminateEventDefinition"),
        "compensation" => compensation(rest)?,
        "link" => Tree::new("linkEventDefinition").with("name", unquoted(needs("a name: `link A`")?)),
        other => {
            return Err(format!("`{other}` is no event: expected one of {}", EVENTS.join(", ")));
        }
    })
}

fn timer(element: &str, time: &str) -> Tree {
    Tree::new("timerEventDefinition").holding(Tree::formal(element, &unquoted(time)))
}

/// `when amount > 5 watching amount, limit`.
fn condition(rest: &str) -> Tree {
    let (condition, watched) = split_at_word(rest, "watching");
    let mut tree = Tree::new("conditionalEventDefinition").holding(Tree::formal("condition", condition));
    if let Some(names) = watched {
        tree.extend(Tree::new("zeebe:conditionalFilter").with("variableNames", names));
    }
    tree
}

/// `message paid key orderId`, `message paid job mail retries 1`.
fn message(rest: &str, side: Side, found: &mut Definitions, shelf: &mut Shelf) -> Tree {
    let (rest, job) = split_at_word(rest, "job");
    let (name, key) = split_at_word(rest, "key");
    if let Some(job) = job {
        let (job_type, retries) = split_at_word(job, "retries");
        let job = Tree::new("tyer:job").with("type", unquoted(job_type));
        found.extensions.push(job.with_some("retries", retries));
    }
    let id = match side {
        Side::Catches => shelf.message(&unquoted(name), key),
        Side::Throws => {
            let sent =
                key.map(|key| Tree::new("zeebe:publishMessage").with("correlationKey", format!("={key}")));
            found.extensions.extend(sent);
            shelf.message(&unquoted(name), None)
        }
    };
    Tree::new("messageEventDefinition").with("messageRef", id)
}

/// `error E1 into code, message`: without a code it is every one.
fn caught(what: &str, rest: &str, shelf: &mut Shelf) -> Tree {
    let (code, kept) =
        rest.strip_prefix("into ").map_or_else(|| split_at_word(rest, "into"), |kept| ("", Some(kept)));
    let mut tree = Tree::new(&format!("{what}EventDefinition"));
    if !code.is_empty() {
        tree.set(&format!("{what}Ref"), shelf.coded(what, &unquoted(code)));
    }
    let names = kept.into_iter().flat_map(|kept| kept.split(',')).map(str::trim);
    for (name, attribute) in names.zip(["CodeVariable", "MessageVariable"]) {
        tree.set(&format!("tyer:{what}{attribute}"), name);
    }
    tree
}

/// `compensation`, `compensation of charge`, `compensation aside`.
fn compensation(rest: &str) -> Result<Tree, String> {
    let mut tree = Tree::new("compensateEventDefinition");
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "of" => tree.set("activityRef", words.next().unwrap_or_default()),
            "aside" => tree.set("waitForCompletion", "false"),
            other => return Err(format!("after `compensation` comes `of <step>` or `aside`, not `{other}`")),
        }
    }
    Ok(tree)
}

/// What stands before and after a word outside quotes and brackets.
pub(super) fn split_at_word<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    let found = open_words(text).into_iter().find(|(_, found)| *found == word);
    match found {
        Some((at, _)) => (text[..at].trim(), Some(text[at + word.len()..].trim())),
        None => (text.trim(), None),
    }
}
