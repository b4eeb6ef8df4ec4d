//! A `>` line: what a transcript asks of an instance.

use tyer_engine::{Effects, Number, Variables};

use crate::rest::{Rest, milliseconds, number};

/// One command as written, and for which instance.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// `in billing 2`: the second instance of that process; none = the first instance of all.
    pub(crate) to: Option<(String, usize)>,
    pub(crate) ask: Ask,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Ask {
    /// `start order at work by anna key A-1 {json}`
    Start {
        process: Option<String>,
        at: Vec<String>,
        by: Option<String>,
        key: Option<String>,
        variables: Variables,
    },
    /// `complete work by anna {json}`
    Complete { place: Place, by: Option<String>, variables: Variables },
    /// `fail charge "card declined" retries 2 backoff PT5S`
    Fail { place: Place, error: String, retries: Option<u32>, backoff_ms: Option<u64> },
    /// `throw charge declined "no money" {json}`
    Throw { place: Place, code: String, message: Option<String>, variables: Variables },
    /// `escalate review late`
    Escalate { place: Place, code: String },
    /// `claim charge`, `claim review by anna`
    Claim { place: Place, by: Option<String> },
    /// `release review by anna`
    Release { place: Place, by: Option<String> },
    /// `assign review to bob by anna`
    Assign { place: Place, to: String, by: Option<String> },
    /// `change review priority 80 due 2030-01-02T00:00:00Z`
    Change { place: Place, priority: Option<u8>, due: Option<String> },
    /// `message paid key 42 id m-1 for PT1H {json}`
    Message { name: String, key: Option<String>, id: Option<String>, ttl_ms: i64, variables: Variables },
    /// `signal alarm {json}`
    Signal { name: String, variables: Variables },
    /// `advance PT5S`
    Advance(i64),
    /// `fire 7`
    Fire(Number),
    /// `set {json}`, `set at work {json}`, `set local at work {json}`
    Set { place: Option<Place>, local: bool, values: Variables },
    /// `check`
    Check,
    /// `pause "reason"`
    Pause(Option<String>),
    /// `resume`
    Resume,
    /// `cancel "reason"`
    Cancel(Option<String>),
    /// `resolve charge retries 2`
    Resolve { place: Place, retries: Option<u32> },
    /// `compensate "reason"`
    Compensate(Option<String>),
    /// `skip refund`
    Skip(Place),
    /// `abort refund`
    Abort(Place),
    /// `modify move a to b, add c, remove d {json}`
    Modify { moves: Vec<Change>, variables: Variables },
    /// `deploy`: the next version that is drawn
    Deploy,
    /// `migrate a to b, c to d`
    Migrate(Vec<(String, String)>),
    /// `snapshot before`
    Snapshot(String),
    /// `rollback before force`
    Rollback { name: String, effects: Effects },
    /// `explain`
    Explain,
    /// `state`, `state at 12`
    State(Option<u64>),
    /// `again`
    Again,
}

/// One part of a modification.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Move(Place, String),
    Add(String),
    Remove(Place),
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
    /// `token 7`
    Token(Number),
}

const KNOWN: &str = "start, complete, fail, throw, escalate, claim, release, assign, change, message, signal, advance, \
                     fire, set, check, pause, resume, cancel, resolve, compensate, skip, abort, modify, deploy, migrate, \
                     snapshot, rollback, explain, state, again";

impl Line {
    /// Reads what stands after the `>`.
    pub(crate) fn parse(text: &str) -> Result<Line, String> {
        let mut rest = Rest(text.trim());
        let to = rest.keyword("in").map(|process| (process.to_owned(), rest.count().unwrap_or(1)));
        let verb = rest.word();
        let ask = ask(verb, &mut rest)?;
        match rest.0 {
            "" => Ok(Line { to, ask }),
            left => Err(format!("`{verb}` does not take `{left}`")),
        }
    }
}

fn ask(verb: &str, rest: &mut Rest<'_>) -> Result<Ask, String> {
    Ok(match verb {
        "start" => start(rest)?,
        "complete" => {
            Ask::Complete { place: rest.place()?, by: rest.owned("by"), variables: rest.variables()? }
        }
        "fail" => fail(rest)?,
        "throw" => {
            let (place, code) = (rest.place()?, rest.required("a code: throw charge declined")?);
            Ask::Throw { place, code, message: rest.quoted()?, variables: rest.variables()? }
        }
        "escalate" => Ask::Escalate { place: rest.place()?, code: rest.required("a code")? },
        "claim" => Ask::Claim { place: rest.place()?, by: rest.owned("by") },
        "release" => Ask::Release { place: rest.place()?, by: rest.owned("by") },
        "assign" => {
            let place = rest.place()?;
            let to = rest.owned("to").ok_or("say to whom: assign review to bob")?;
            Ask::Assign { place, to, by: rest.owned("by") }
        }
        "change" => {
            let place = rest.place()?;
            let priority = rest.keyword("priority").map(number).transpose()?;
            let priority =
                priority.map(|n| u8::try_from(n).map_err(|_| "a priority is a small number")).transpose()?;
            Ask::Change { place, priority, due: rest.owned("due") }
        }
        "message" => message(rest)?,
        "signal" => {
            Ask::Signal { name: rest.required("a name: signal alarm")?, variables: rest.variables()? }
        }
        "advance" => Ask::Advance(milliseconds(rest.word())?),
        "fire" => Ask::Fire(number(rest.word())?),
        "set" => {
            let local = rest.flag("local");
            let place = rest.flag("at").then(|| rest.place()).transpose()?;
            Ask::Set { place, local, values: rest.variables()? }
        }
        "check" => Ask::Check,
        "pause" => Ask::Pause(rest.quoted()?),
        "resume" => Ask::Resume,
        "cancel" => Ask::Cancel(rest.quoted()?),
        "resolve" => {
            Ask::Resolve { place: rest.place()?, retries: rest.keyword("retries").map(number).transpose()? }
        }
        "compensate" => Ask::Compensate(rest.quoted()?),
        "skip" => Ask::Skip(rest.place()?),
        "abort" => Ask::Abort(rest.place()?),
        "modify" => modify(rest)?,
        "deploy" => Ask::Deploy,
        "migrate" => Ask::Migrate(rest.pairs()?),
        "snapshot" => Ask::Snapshot(rest.required("a name: snapshot before")?),
        "rollback" => {
            let name = rest.required("a name: rollback before")?;
            let effects = match (rest.flag("force"), rest.flag("compensate")) {
                (true, _) => Effects::Force,
                (false, true) => Effects::Compensate,
                (false, false) => Effects::Refuse,
            };
            Ask::Rollback { name, effects }
        }
        "explain" => Ask::Explain,
        "state" => Ask::State(rest.keyword("at").map(number).transpose()?.map(u64::from)),
        "again" => Ask::Again,
        other => return Err(format!("`{other}` is not a command: expected one of {KNOWN}")),
    })
}

fn start(rest: &mut Rest<'_>) -> Result<Ask, String> {
    let named =
        !rest.0.is_empty() && !rest.0.starts_with(['{', '[']) && !rest.begins_with(&["at", "by", "key"]);
    let process = named.then(|| rest.word().to_owned());
    let at = rest.keyword("at").map_or_else(Vec::new, |at| at.split(',').map(str::to_owned).collect());
    let (by, key) = (rest.owned("by"), rest.owned("key"));
    Ok(Ask::Start { process, at, by, key, variables: rest.variables()? })
}

fn fail(rest: &mut Rest<'_>) -> Result<Ask, String> {
    let place = rest.place()?;
    let error = rest.quoted()?.ok_or("a failure has a reason: fail charge \"card declined\"")?;
    let retries = rest.keyword("retries").map(number).transpose()?;
    let backoff = rest.keyword("backoff").map(milliseconds).transpose()?;
    let backoff_ms =
        backoff.map(|ms| u64::try_from(ms).map_err(|_| "a backoff is not negative")).transpose()?;
    Ok(Ask::Fail { place, error, retries, backoff_ms })
}

fn message(rest: &mut Rest<'_>) -> Result<Ask, String> {
    let name = rest.required("a name: message paid key 42")?;
    let (key, id) = (rest.owned("key"), rest.owned("id"));
    let ttl_ms = rest.keyword("for").map(milliseconds).transpose()?.unwrap_or(0);
    Ok(Ask::Message { name, key, id, ttl_ms, variables: rest.variables()? })
}

fn modify(rest: &mut Rest<'_>) -> Result<Ask, String> {
    let mut moves = Vec::new();
    while !rest.0.is_empty() && !rest.0.starts_with('{') {
        moves.push(match rest.word() {
            "move" => {
                let place = rest.place()?;
                let to = rest.keyword("to").ok_or("say where to: modify move a to b")?;
                Change::Move(place, to.to_owned())
            }
            "add" => Change::Add(rest.required("a node: modify add a")?),
            "remove" => Change::Remove(rest.place()?),
            "and" => continue,
            other => return Err(format!("`modify` says move, add or remove, joined by and, not `{other}`")),
        });
    }
    Ok(Ask::Modify { moves, variables: rest.variables()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_whole() {
        let line =
            Line::parse("in child 2 fail a#3 \"no, really\" retries 2 backoff PT1.5S").expect("it is right");
        let Ask::Fail { place, error, retries, backoff_ms } = line.ask else {
            panic!("it is a failure");
        };
        assert_eq!(line.to, Some(("child".to_owned(), 2)));
        assert_eq!((place, &*error), (Place::Node("a".to_owned(), Some(3)), "no, really"));
        assert_eq!((retries, backoff_ms), (Some(2), Some(1500)));
        for right in [
            "complete task 7 by anna {\"a\": 1}",
            "start at a by b key c {}",
            "start child {\"x\": 1}",
            "modify move a to b and add c and remove token 4 {\"x\": 1}",
            "message paid key 42 id m for PT1H {}",
            "set local at work {\"x\": 1}",
        ] {
            assert!(Line::parse(right).is_ok(), "{right}");
        }
        for wrong in ["", "go", "fail a", "advance soon", "complete", "resume now", "start [1]", "pause \"x"]
        {
            assert!(Line::parse(wrong).is_err(), "{wrong}");
        }
    }
}
