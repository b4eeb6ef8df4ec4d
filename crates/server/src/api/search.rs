//! `GET /api/instances`: those that fit, page by page.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use tyer_engine::{InstanceId, Status, Timestamp};
use tyer_runtime::{
    Comparison, IndexedValue, InstanceFilter, InstancePlace, ListedInstance, Span, VariableTest,
};

use crate::error::Failure;
use crate::query::{Name, Query, invalid};
use crate::reply;
use crate::router::App;

/// `GET /api/instances?status=&workflowId=&version=&businessKey=&nodeId=&hasIncident=&startedAfter=&startedBefore=
/// &endedAfter=&endedBefore=&var.NAME=&after=&limit=&count=`
pub(crate) async fn list(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Failure> {
    let filter = filter(&mut query)?;
    let after = query.text("after").map(|text| place(&text)).transpose()?;
    let (limit, count) = (query.limit()?, query.flag("count")?);
    query.finish()?;
    let by_end = !filter.ended.is_open();
    let total = match count {
        true => Some(app.engine.count_instances(filter.clone()).await?),
        false => None,
    };
    let found = app.engine.find_instances(filter, after, limit + 1).await?;
    let (found, next) = reply::page(found, limit, |one| cursor(one, by_end));
    let mut body = json!({ "instances": found.iter().map(described).collect::<Vec<_>>(), "next": next });
    if let Some(total) = total {
        body["total"] = json!(total);
    }
    Ok(reply::ok(body))
}

/// `GET /api/instances/:id/children`: those that it has called, oldest first.
pub(crate) async fn children(
    State(app): State<Arc<App>>,
    Name(id): Name,
    mut query: Query,
) -> Result<Response, Failure> {
    let id: InstanceId = id.parse()?;
    let after = query.text("after").map(|id| id.parse()).transpose()?.unwrap_or(InstanceId(0));
    let limit = query.limit()?;
    query.finish()?;
    app.engine.glance(id).await?;
    let called = app.engine.instance(id).children(after, limit + 1).await?;
    let (called, next) = reply::page(called, limit, |one| one.id.to_string());
    let called: Vec<Value> = called.iter().map(described).collect();
    Ok(reply::ok(json!({ "instances": called, "next": next })))
}

fn described(one: &ListedInstance) -> Value {
    json!({
        "id": one.id.to_string(),
        "workflowId": one.process,
        "workflowVersion": one.process_version,
        "status": one.status,
        "businessKey": one.business_key,
        "incidents": one.incidents,
        "parentInstanceId": one.parent.map(|parent| parent.instance.to_string()),
        "startedAt": reply::moment(one.started_at),
        "completedAt": one.ended_at.map(reply::moment),
    })
}

fn filter(query: &mut Query) -> Result<InstanceFilter, Failure> {
    let version = query.number("version", 1, u32::MAX.into())?;
    let filter = InstanceFilter {
        statuses: query.text("status").map(|text| statuses(&text)).transpose()?.unwrap_or_default(),
        process: query.text("workflowId"),
        version: version.map(|version| u32::try_from(version).expect("bounded above")),
        business_key: query.text("businessKey"),
        node: query.text("nodeId"),
        has_incident: query.truth("hasIncident")?,
        started: Span { from: query.moment("startedAfter")?, to: query.moment("startedBefore")? },
        ended: Span { from: query.moment("endedAfter")?, to: query.moment("endedBefore")? },
        variables: query.beginning_with("var.").iter().map(test).collect::<Result<_, _>>()?,
        ..InstanceFilter::default()
    };
    if filter.version.is_some() && filter.process.is_none() {
        return Err(invalid("version", "it together with workflowId"));
    }
    Ok(filter)
}

/// One or more of the five, with commas between.
fn statuses(text: &str) -> Result<Vec<Status>, Failure> {
    let expected = "running, paused, completed, failed or cancelled, or some of them with commas between";
    let read = |word: &str| serde_json::from_value(json!(word)).map_err(|_| invalid("status", expected));
    text.split(',').map(read).collect()
}

/// `gt:100`, `eq:"100"` or just the value.
fn test((name, text): &(String, String)) -> Result<VariableTest, Failure> {
    const WORDS: [(&str, Comparison); 5] = [
        ("eq", Comparison::Equal),
        ("gt", Comparison::Greater),
        ("gte", Comparison::GreaterOrEqual),
        ("lt", Comparison::Less),
        ("lte", Comparison::LessOrEqual),
    ];
    if name.is_empty() {
        return Err(invalid("var.", "the name of a variable after the point"));
    }
    let known = text
        .split_once(':')
        .and_then(|(word, rest)| Some((WORDS.into_iter().find(|(known, _)| *known == word)?.1, rest)));
    let (comparison, value) = known.unwrap_or((Comparison::Equal, text));
    // What is no JSON is a text as it stands.
    let value = IndexedValue::parse(value).unwrap_or_else(|| IndexedValue::Text(value.to_owned()));
    Ok(VariableTest { name: name.clone(), comparison, value })
}

/// In a list by end, the end stands before the id.
fn cursor(one: &ListedInstance, by_end: bool) -> String {
    match one.ended_at.filter(|_| by_end) {
        Some(ended) => format!("{}~{}", ended.0, one.id),
        None => one.id.to_string(),
    }
}

fn place(text: &str) -> Result<InstancePlace, Failure> {
    let (ended, id) = match text.split_once('~') {
        Some((ended, id)) => {
            let ended = ended.parse().map_err(|_| invalid("after", "what `next` said"))?;
            (Some(Timestamp(ended)), id)
        }
        None => (None, text),
    };
    Ok(InstancePlace { ended, id: id.parse()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_compared_as_they_are_written() {
        let read = |text: &str| {
            let test = test(&("x".to_owned(), text.to_owned())).expect("it is sound");
            (test.comparison, test.value)
        };
        let text = |text: &str| IndexedValue::Text(text.to_owned());
        assert_eq!(read("gt:100"), (Comparison::Greater, IndexedValue::Number(100.0)));
        assert_eq!(read("lte:-1.5"), (Comparison::LessOrEqual, IndexedValue::Number(-1.5)));
        assert_eq!(read("eq:\"100\""), (Comparison::Equal, text("100")));
        assert_eq!(read("Rome"), (Comparison::Equal, text("Rome")));
        assert_eq!(read("eq:a:b"), (Comparison::Equal, text("a:b")));
        assert_eq!(read("12:30"), (Comparison::Equal, text("12:30")));
        assert_eq!(read("true"), (Comparison::Equal, text("true")));
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        assert_eq!(place("inst_7").ok(), Some(InstancePlace { ended: None, id: InstanceId(7) }));
        let by_end = InstancePlace { ended: Some(Timestamp(5)), id: InstanceId(7) };
        assert_eq!(place("5~inst_7").ok(), Some(by_end));
        assert!(place("x~inst_7").is_err() && place("7").is_err());
    }
}
