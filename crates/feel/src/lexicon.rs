//! Names of several words, found in a text by longest match.
//!
//! **Invariant:** finding a name costs the same however many are known.

use crate::lexer::{Token, TokenKind, tokens};
use std::sync::Arc;

use tyer_map::Map;

/// A name of more words is not found by its words; it can be written in backticks.
const MAXIMUM_WORDS: usize = 32;

/// Separates words in a key; no token holds it.
const SEPARATOR: char = '\n';

/// Known names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexicon {
    /// By first word, how many names there are of each number of words.
    lengths: Map<Box<str>, Map<usize, u32>>,
    /// By their words, as they were written; the last one hides those before.
    names: Map<Box<str>, Vec<Arc<str>>>,
}

/// A name taken apart.
#[derive(Clone, Debug)]
pub(crate) struct KnownName {
    pub(crate) name: Arc<str>,
    key: Box<str>,
    words: usize,
}

impl KnownName {
    /// `None` when the name holds characters that no name in a text can, or too many words.
    pub(crate) fn new(name: &str) -> Option<KnownName> {
        let tokens = tokens(name).ok()?;
        let words: Vec<&str> = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::End)
            .map(|token| word(name, token))
            .take(MAXIMUM_WORDS + 1)
            .collect();
        let key = words.join("\n").into();
        let is_known = (1..=MAXIMUM_WORDS).contains(&words.len());
        is_known.then(|| KnownName { name: name.into(), key, words: words.len() })
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.words == 1
    }

    fn first_word(&self) -> &str {
        self.key.split(SEPARATOR).next().unwrap_or_default()
    }
}

impl Lexicon {
    pub(crate) fn insert(&mut self, known: &KnownName) {
        let lengths = self.lengths.entry(known.first_word().into()).or_default();
        *lengths.entry(known.words).or_default() += 1;
        self.names.entry(known.key.clone()).or_default().push(known.name.clone());
    }

    pub(crate) fn contains(&self, known: &KnownName) -> bool {
        self.names.get(&known.key).is_some_and(|written| written.last() == Some(&known.name))
    }

    /// Takes out the last name of these words.
    pub(crate) fn remove(&mut self, known: &KnownName) {
        if let Some(written) = self.names.get_mut(&known.key) {
            written.pop();
        }
        let lengths = self.lengths.get_mut(known.first_word());
        if let Some(count) = lengths.and_then(|lengths| lengths.get_mut(&known.words)) {
            *count -= 1;
        }
    }

    /// The longest name that the tokens begin with, and how many of them it takes.
    pub(crate) fn longest(&self, text: &str, tokens: &[Token]) -> Option<(Arc<str>, usize)> {
        if self.lengths.is_empty() {
            return None;
        }
        let lengths = self.lengths.get(word(text, tokens.first()?))?;
        let mut lengths = lengths.iter().rev().filter(|(_, count)| **count > 0).map(|(length, _)| *length);
        lengths.find_map(|length| {
            let key = key_of(text, tokens.get(..length)?)?;
            let written = self.names.get(&*key)?;
            Some((written.last()?.clone(), length))
        })
    }
}

/// The tokens as the words of a name, if they can be.
fn key_of(text: &str, tokens: &[Token]) -> Option<String> {
    let mut key = String::new();
    for token in tokens {
        if !matches!(token.kind, TokenKind::Word | TokenKind::Number | TokenKind::Symbol(_)) {
            return None;
        }
        if !key.is_empty() {
            key.push(SEPARATOR);
        }
        key.push_str(word(text, token));
    }
    Some(key)
}

fn word<'a>(text: &'a str, token: &Token) -> &'a str {
    &text[token.span.start as usize..token.span.end as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_is_found_and_the_last_one_hides_the_others() {
        let known = |name: &str| KnownName::new(name).expect("it is a name");
        let mut lexicon = Lexicon::default();
        for name in ["full name", "full", "full  name", "full name of all"] {
            lexicon.insert(&known(name));
        }
        let find = |lexicon: &Lexicon, text: &str| {
            let found = lexicon.longest(text, &tokens(text).expect("these are tokens"));
            found.map(|(name, words)| (name.to_string(), words))
        };
        assert_eq!(find(&lexicon, "full name of x"), Some(("full  name".to_owned(), 2)));
        assert_eq!(find(&lexicon, "full name of all x"), Some(("full name of all".to_owned(), 4)));
        assert_eq!(find(&lexicon, "full \"name\""), Some(("full".to_owned(), 1)));
        lexicon.remove(&known("full  name"));
        assert_eq!(find(&lexicon, "full name"), Some(("full name".to_owned(), 2)));
        lexicon.remove(&known("full name"));
        assert_eq!(find(&lexicon, "full name"), Some(("full".to_owned(), 1)));
        assert_eq!(find(&lexicon, "name"), None);
    }
}
