//! What is left of a `>` line, read word by word.

use jiff::{SignedDuration, Span, SpanRelativeTo};
use tyer_engine::{Number, Variables};

use crate::line::Place;

/// What is left of a line.
pub(crate) struct Rest<'t>(pub(crate) &'t str);

impl<'t> Rest<'t> {
    pub(crate) fn word(&mut self) -> &'t str {
        let (word, rest) = self.0.split_once(char::is_whitespace).unwrap_or((self.0, ""));
        self.0 = rest.trim_start();
        word
    }

    /// The word after a keyword, if that is what comes.
    pub(crate) fn keyword(&mut self, keyword: &str) -> Option<&'t str> {
        let rest = self.0.strip_prefix(keyword)?.strip_prefix(' ')?;
        self.0 = rest.trim_start();
        Some(self.word())
    }

    pub(crate) fn owned(&mut self, keyword: &str) -> Option<String> {
        self.keyword(keyword).map(str::to_owned)
    }

    /// A word that stands alone.
    pub(crate) fn flag(&mut self, word: &str) -> bool {
        let found = self.begins_with(&[word]);
        if found {
            self.word();
        }
        found
    }

    pub(crate) fn begins_with(&self, words: &[&str]) -> bool {
        let first = self.0.split_whitespace().next().unwrap_or_default();
        words.contains(&first)
    }

    /// A number, if that is what comes.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = self.0.split_whitespace().next()?.parse().ok()?;
        self.word();
        Some(count)
    }

    pub(crate) fn required(&mut self, what: &str) -> Result<String, String> {
        match self.word() {
            "" => Err(format!("something is missing: {what}")),
            word => Ok(word.to_owned()),
        }
    }

    pub(crate) fn quoted(&mut self) -> Result<Option<String>, String> {
        let Some(rest) = self.0.strip_prefix('"') else { return Ok(None) };
        let (text, rest) = rest.split_once('"').ok_or("a quote is not closed")?;
        self.0 = rest.trim_start();
        Ok(Some(text.to_owned()))
    }

    pub(crate) fn variables(&mut self) -> Result<Variables, String> {
        let json = std::mem::take(&mut self.0);
        if json.is_empty() {
            return Ok(Variables::default());
        }
        Variables::parse(json).map_err(|error| error.to_string())
    }

    /// `a to b, c to d`.
    pub(crate) fn pairs(&mut self) -> Result<Vec<(String, String)>, String> {
        let written = std::mem::take(&mut self.0);
        let parts = written.split(',').map(str::trim).filter(|part| !part.is_empty());
        let pair = |part: &str| {
            let (from, to) =
                part.split_once(" to ").ok_or_else(|| format!("`{part}` is not `old to new`"))?;
            Ok((from.trim().to_owned(), to.trim().to_owned()))
        };
        parts.map(pair).collect()
    }

    pub(crate) fn place(&mut self) -> Result<Place, String> {
        let word = self.word();
        match word {
            "" => Err("say where: the id of a node, or `job 7`".to_owned()),
            "job" => Ok(Place::Job(number(self.word())?)),
            "task" => Ok(Place::Task(number(self.word())?)),
            "incident" => Ok(Place::Incident(number(self.word())?)),
            "token" => Ok(Place::Token(number(self.word())?)),
            word => match word.split_once('#') {
                Some((node, token)) => Ok(Place::Node(node.to_owned(), Some(number(token)?))),
                None => Ok(Place::Node(word.to_owned(), None)),
            },
        }
    }
}

pub(crate) fn number(text: &str) -> Result<Number, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

pub(crate) fn milliseconds(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is not a duration like PT5S");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length: SignedDuration =
        span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    i64::try_from(length.as_millis()).map_err(|_| wrong())
}
