//! One connection: statements are prepared once, and requests are sent without waiting for the answers before them.
//!
//! **Invariant:** requests reach the server in the order in which they were sent.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use crate::error::Error;
use crate::postgres::complaint;

/// A parameter: one value, or one column of many rows.
pub(super) type Parameter<'a> = Box<dyn ToSql + Sync + Send + 'a>;

/// A statement with its parameters.
pub(super) struct Request<'a> {
    pub(super) sql: &'static str,
    pub(super) parameters: Vec<Parameter<'a>>,
}

/// One column of many rows.
pub(super) fn column<'a, R, T>(rows: &[R], of: impl FnMut(&R) -> T) -> Parameter<'a>
where
    T: ToSql + Sync + Send + 'a,
{
    Box::new(rows.iter().map(of).collect::<Vec<T>>())
}

pub(super) struct Connection {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
}

type Reply = Result<Vec<Row>, tokio_postgres::Error>;

impl Connection {
    pub(super) fn new(client: Client) -> Connection {
        Connection { client, statements: Mutex::new(HashMap::new()) }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// One statement by itself.
    pub(super) async fn query(&self, request: Request<'_>) -> Result<Vec<Row>, Error> {
        let statement = self.prepare(request.sql).await?;
        ask(&self.client, &statement, &request.parameters).await.map_err(complaint)
    }

    /// What was seen before is as durable as a commit when this is answered. A server that has crashed shows what it had
    /// committed without a word from its synchronous standby, and a transaction that only looks at it does not wait
    /// for the standby: who answers by what he has seen writes something that says nothing.
    pub(super) async fn fence(&self) -> Result<(), Error> {
        self.run("SELECT pg_logical_emit_message(true, 'tyer', '')").await
    }

    /// Statements without parameters or answers: `BEGIN` and the like.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Error> {
        self.run_raw(sql).await.map_err(complaint)
    }

    /// The same, with the driver's own word on what went wrong.
    pub(super) async fn run_raw(&self, sql: &str) -> Result<(), tokio_postgres::Error> {
        self.client.batch_execute(sql).await
    }

    /// The first column of a statement without parameters, as text.
    #[cfg(test)]
    pub(super) async fn lines(&self, sql: &str) -> Result<Vec<String>, Error> {
        use tokio_postgres::SimpleQueryMessage;
        let answers = self.client.simple_query(sql).await.map_err(complaint)?;
        let line = |answer: &SimpleQueryMessage| {
            let SimpleQueryMessage::Row(row) = answer else { return None };
            row.get(0).map(str::to_owned)
        };
        Ok(answers.iter().filter_map(line).collect())
    }

    /// All in one round trip; the first complaint, or the rows of each request.
    pub(super) async fn together(
        &self,
        before: Option<&'static str>,
        requests: &[Request<'_>],
        after: Option<&'static str>,
    ) -> Result<Vec<Vec<Row>>, Error> {
        let mut pipeline = self.pipeline(requests).await?;
        if let Some(sql) = before {
            pipeline.send_text(sql).await.map_err(complaint)?;
        }
        pipeline.send_all(requests).await.map_err(complaint)?;
        if let Some(sql) = after {
            pipeline.send_text(sql).await.map_err(complaint)?;
        }
        let mut rows = Vec::with_capacity(requests.len());
        let first = usize::from(before.is_some());
        for (place, reply) in (0..).zip(pipeline.replies().await) {
            let reply = reply.map_err(complaint)?;
            if (first..first + requests.len()).contains(&place) {
                rows.push(reply);
            }
        }
        Ok(rows)
    }

    /// Prepares what will be sent, so that sending needs no answer.
    pub(super) async fn pipeline<'a>(&'a self, requests: &[Request<'_>]) -> Result<Pipeline<'a>, Error> {
        for request in requests {
            self.prepare(request.sql).await?;
        }
        Ok(Pipeline { connection: self, sent: Vec::with_capacity(requests.len() + 2) })
    }

    async fn prepare(&self, sql: &'static str) -> Result<Statement, Error> {
        if let Some(statement) = self.prepared(sql) {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await.map_err(complaint)?;
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).insert(sql, statement.clone());
        Ok(statement)
    }

    fn prepared(&self, sql: &'static str) -> Option<Statement> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned()
    }
}

/// Requests on their way.
pub(super) struct Pipeline<'a> {
    connection: &'a Connection,
    sent: Vec<Sent<'a>>,
}

enum Sent<'a> {
    Answered(Reply),
    Waiting(Pin<Box<dyn Future<Output = Reply> + Send + 'a>>),
}

impl<'a> Pipeline<'a> {
    /// Sends them in order.
    ///
    /// # Errors
    /// One of them could not be sent, and nothing after it was.
    pub(super) async fn send_all<'r: 'a>(
        &mut self,
        requests: &'r [Request<'r>],
    ) -> Result<(), tokio_postgres::Error> {
        for request in requests {
            let statement =
                self.connection.prepared(request.sql).expect("the pipeline was made for these requests");
            let client = &self.connection.client;
            self.send(async move { ask(client, &statement, &request.parameters).await }).await?;
        }
        Ok(())
    }

    pub(super) async fn send_text(&mut self, sql: &'static str) -> Result<(), tokio_postgres::Error> {
        let client = &self.connection.client;
        self.send(async move { client.batch_execute(sql).await.map(|()| Vec::new()) }).await
    }

    /// The answers, in the order of sending.
    pub(super) async fn replies(self) -> Vec<Reply> {
        let mut replies = Vec::with_capacity(self.sent.len());
        for sent in self.sent {
            replies.push(match sent {
                Sent::Answered(reply) => reply,
                Sent::Waiting(waiting) => waiting.await,
            });
        }
        replies
    }

    /// The driver sends a request when it is first polled. What fails then without the server's word could not be
    /// encoded, or the connection is closed: nothing may be sent after it.
    async fn send(
        &mut self,
        request: impl Future<Output = Reply> + Send + 'a,
    ) -> Result<(), tokio_postgres::Error> {
        let mut request: Pin<Box<dyn Future<Output = Reply> + Send + 'a>> = Box::pin(request);
        let first = poll_fn(|context| Poll::Ready(request.as_mut().poll(context))).await;
        self.sent.push(match first {
            Poll::Ready(Err(error)) if error.as_db_error().is_none() => return Err(error),
            Poll::Ready(reply) => Sent::Answered(reply),
            Poll::Pending => Sent::Waiting(request),
        });
        Ok(())
    }
}

async fn ask(client: &Client, statement: &Statement, parameters: &[Parameter<'_>]) -> Reply {
    let parameters: Vec<&(dyn ToSql + Sync)> =
        parameters.iter().map(|one| &**one as &(dyn ToSql + Sync)).collect();
    client.query(statement, &parameters).await
}
