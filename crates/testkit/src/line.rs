//! A `>` line: what a transcript asks of the instance.

use jiff::{SignedDuration, Span, SpanRelativeTo};
use tyer_engine::{Number, Variables};

/// One command as written.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// `start {json}`
    Start(Variables),
    /// `complete work by anna {json}`
    Complete { place: Place, by: Option<String>, variables: Variables },
    /// `fail charge "card declined" retries 2 backoff PT5S`
    Fail { place: Place, error: String, retries: Option<u32>, backoff_ms: Option<u64> },
    /// `claim charge`
    Claim(Place),
    /// `advance PT5S`
    Advance(i64),
    /// `fire 7`
    Fire(Number),
    /// `pause "reason"`
    Pause(Option<String>),
    /// `resume`
    Resume,
    /// `cancel "reason"`
    Cancel(Option<String>),
    /// `resolve charge`
    Resolve(Place),
    /// `show`
    Show,
    /// `again`
    Again,
}

/// Where something waits, or its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `work`, or `work#3` when several tokens stand there.
    Node(String, Option<Number>),
    /// `job 7`
    Job(Number),
    /// `task 7`
    Task(Number),
    /// `incident 7`
    Incident(Number),
}

impl Line {
    /// Reads what stands after the `>`.
    pub(crate) fn parse(text: &str) -> Result<Line, String> {
        let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut rest = Rest(rest.trim());
        let line = match verb {
            "start" => Line::Start(rest.variables()?),
            "complete" => {
                let place = rest.place()?;
                let by = rest.keyword("by").map(str::to_owned);
                Line::Complete { place, by, variables: rest.variables()? }
            }
            "fail" => fail(&mut rest)?,
            "claim" => Line::Claim(rest.place()?),
            "advance" => Line::Advance(milliseconds(rest.word())?),
            "fire" => Line::Fire(number(rest.word())?),
            "pause" => Line::Pause(rest.quoted()?),
            "resume" => Line::Resume,
            "cancel" => Line::Cancel(rest.quoted()?),
            "resolve" => Line::Resolve(rest.place()?),
            "show" => Line::Show,
            "again" => Line::Again,
            other => return Err(unknown(other)),
        };
        match rest.0 {
            "" => Ok(line),
            left => Err(format!("`{verb}` does not take `{left}`")),
        }
    }
}

fn unknown(verb: &str) -> String {
    let known = "start, complete, fail, claim, advance, fire, pause, resume, cancel, resolve, show, again";
    format!("`{verb}` is not a command: expected one of {known}")
}

fn fail(rest: &mut Rest<'_>) -> Result<Line, String> {
    let place = rest.place()?;
    let error = rest.quoted()?.ok_or("a failure has a reason: fail charge \"card declined\"")?;
    let retries = rest.keyword("retries").map(number).transpose()?;
    let backoff = rest.keyword("backoff").map(milliseconds).transpose()?;
    let backoff_ms =
        backoff.map(|ms| u64::try_from(ms).map_err(|_| "a backoff is not negative")).transpose()?;
    Ok(Line::Fail { place, error, retries, backoff_ms })
}

/// What is left of a line.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn word(&mut self) -> &'t str {
        let (word, rest) = self.0.split_once(char::is_whitespace).unwrap_or((self.0, ""));
        self.0 = rest.trim_start();
        word
    }

    fn keyword(&mut self, keyword: &str) -> Option<&'t str> {
        let rest = self.0.strip_prefix(keyword)?.strip_prefix(' ')?;
        self.0 = rest.trim_start();
        Some(self.word())
    }

    fn quoted(&mut self) -> Result<Option<String>, String> {
        let Some(rest) = self.0.strip_prefix('"') else { return Ok(None) };
        let (text, rest) = rest.split_once('"').ok_or("a quote is not closed")?;
        self.0 = rest.trim_start();
        Ok(Some(text.to_owned()))
    }

    fn variables(&mut self) -> Result<Variables, String> {
        let json = std::mem::take(&mut self.0);
        if json.is_empty() {
            return Ok(Variables::default());
        }
        Variables::parse(json).map_err(|error| error.to_string())
    }

    fn place(&mut self) -> Result<Place, String> {
        let word = self.word();
        match word {
            "" => Err("say where: the id of a node, or `job 7`".to_owned()),
            "job" => Ok(Place::Job(number(self.word())?)),
            "task" => Ok(Place::Task(number(self.word())?)),
            "incident" => Ok(Place::Incident(number(self.word())?)),
            word => match word.split_once('#') {
                Some((node, token)) => Ok(Place::Node(node.to_owned(), Some(number(token)?))),
                None => Ok(Place::Node(word.to_owned(), None)),
            },
        }
    }
}

fn number(text: &str) -> Result<Number, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn milliseconds(text: &str) -> Result<i64, String> {
    let wrong = || format!("`{text}` is not a duration like PT5S");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length: SignedDuration =
        span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    i64::try_from(length.as_millis()).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_whole() {
        let Ok(Line::Fail { place, error, retries, backoff_ms }) =
            Line::parse("fail a#3 \"no, really\" retries 2 backoff PT1.5S")
        else {
            panic!("it is a failure");
        };
        assert_eq!((place, &*error), (Place::Node("a".to_owned(), Some(3)), "no, really"));
        assert_eq!((retries, backoff_ms), (Some(2), Some(1500)));
        assert!(matches!(
            Line::parse("complete task 7 by anna {\"a\": 1}"),
            Ok(Line::Complete { by: Some(_), .. })
        ));
        for wrong in ["", "go", "fail a", "advance soon", "complete", "resume now", "start [1]", "pause \"x"]
        {
            assert!(Line::parse(wrong).is_err(), "{wrong}");
        }
    }
}
