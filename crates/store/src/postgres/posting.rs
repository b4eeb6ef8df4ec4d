//! The letter box: letters that wait together are posted together, in one transaction and with one flush of the log.
//!
//! **Invariant:** what waits for locks takes them in one order: errands, then new messages, then messages that are there,
//! each ascending. A turn waits for messages alone, so nobody waits in a circle.
//! **Invariant:** whoever posts for others and is dropped leaves them where they were: they post again, and every letter that
//! goes through the box may be posted twice.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tyer_engine::InstanceId;

use crate::error::Error;
use crate::mail::{Message, Post};
use crate::postgres::connection::{Request, column};
use crate::postgres::mail;
use crate::postgres::pool::Pool;
use crate::postgres::write::mail::{DELETE_ERRANDS, errand_keys, insert_messages};

const EXAMINED: &str =
    "WITH held AS MATERIALIZED (SELECT id FROM message WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE)
    UPDATE message SET due_at = NULL WHERE id = ANY (ARRAY (SELECT id FROM held)) AND due_at IS NOT NULL";
/// `+ 0` keeps the planner from looking for all that is over, `OFFSET` from walking a table that it believes to be empty.
const DELETE_OVER: &str = "WITH over AS (DELETE FROM message WHERE id = ANY (ARRAY (
        SELECT w.id FROM unnest($1::bigint[], $2::bigint[]) AS w (id, now) CROSS JOIN LATERAL
        (SELECT FROM message m WHERE m.id = w.id AND m.expires_at + 0 <= w.now OFFSET 0) AS m)) RETURNING id)
    DELETE FROM taken WHERE letter = ANY (ARRAY (SELECT id FROM over))";

/// What the test of the plans looks at.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 2] = [EXAMINED, DELETE_OVER];

/// Where letters wait for whoever posts next.
#[derive(Default)]
pub(super) struct LetterBox {
    waiting: Mutex<Vec<Waiting>>,
    /// One empties the box at a time.
    hatch: tokio::sync::Mutex<()>,
}

struct Waiting {
    post: Post,
    reply: oneshot::Sender<Result<bool, Error>>,
}

impl LetterBox {
    /// Posts a letter, with all that wait by then.
    pub(super) async fn post(&self, pool: &Pool, post: &Post) -> Result<bool, Error> {
        loop {
            let (reply, mut answer) = oneshot::channel();
            self.waiting().push(Waiting { post: post.clone(), reply });
            let hatch = self.hatch.lock().await;
            if let Ok(answer) = answer.try_recv() {
                return answer;
            }
            let together = std::mem::take(&mut *self.waiting());
            if !together.is_empty() {
                post_together(pool, together).await;
            }
            drop(hatch);
            // Else somebody has taken it along who was dropped then.
            if let Ok(answer) = answer.try_recv() {
                return answer;
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// May it be posted with others, and twice?
pub(super) fn goes_with_others(post: &Post) -> bool {
    match post {
        Post::Message(message) => message.message_id.is_none(),
        Post::Examined(..) | Post::Dropped(..) => true,
        Post::Signal(_) | Post::Delivered(..) => false,
    }
}

async fn post_together(pool: &Pool, together: Vec<Waiting>) {
    let posts: Vec<&Post> = together.iter().map(|one| &one.post).collect();
    let posted = Sorted::of(&posts).write(pool).await;
    let alone = together.len() == 1;
    for Waiting { post, reply } in together {
        let answer = match (&posted, &post) {
            // It is known: was it posted before, under its own id?
            (Ok(new), Post::Message(message)) if !new.contains(&message.id) => by_itself(pool, &post).await,
            (Ok(_), _) => Ok(true),
            // What one of them is refused for is not the fault of the others.
            (Err(Error::Refused(_)), _) if !alone => by_itself(pool, &post).await,
            (Err(error), _) => Err(error.clone()),
        };
        // Whoever asked may be gone.
        let _ = reply.send(answer);
    }
}

async fn by_itself(pool: &Pool, post: &Post) -> Result<bool, Error> {
    Ok(mail::post(pool, std::slice::from_ref(post)).await?.first().copied().unwrap_or(false))
}

/// Letters by what becomes of them.
#[derive(Default)]
struct Sorted<'a> {
    dropped: Vec<(InstanceId, i64)>,
    new: Vec<&'a Message>,
    /// With the moment by which it may be over.
    examined: Vec<(i64, i64)>,
}

impl<'a> Sorted<'a> {
    fn of(posts: &[&'a Post]) -> Sorted<'a> {
        let mut sorted = Sorted::default();
        for post in posts {
            match post {
                Post::Message(message) => sorted.new.push(message),
                Post::Examined(id, now) => sorted.examined.push((*id, now.0)),
                Post::Dropped(target, id) => sorted.dropped.push((*target, *id)),
                Post::Signal(_) | Post::Delivered(..) => unreachable!("does not go with others"),
            }
        }
        sorted.dropped.sort_unstable();
        sorted.new.sort_unstable_by_key(|message| message.id);
        sorted.examined.sort_unstable();
        sorted
    }

    /// The messages that are new.
    async fn write(&self, pool: &Pool) -> Result<Vec<i64>, Error> {
        let mut requests = Vec::with_capacity(4);
        if !self.dropped.is_empty() {
            requests.push(Request { sql: DELETE_ERRANDS, parameters: errand_keys(&self.dropped) });
        }
        let inserting = (!self.new.is_empty()).then_some(requests.len());
        requests.extend(inserting.map(|_| insert_messages(&self.new)));
        if !self.examined.is_empty() {
            let ids = || column(&self.examined, |(id, _)| *id);
            requests.push(Request { sql: EXAMINED, parameters: vec![ids()] });
            let until = column(&self.examined, |(_, now)| *now);
            requests.push(Request { sql: DELETE_OVER, parameters: vec![ids(), until] });
        }
        // A statement by itself is a transaction.
        let (begin, commit) = if requests.len() > 1 { (Some("BEGIN"), Some("COMMIT")) } else { (None, None) };
        let connection = pool.take().await?;
        let answers = connection.together(begin, &requests, commit).await?;
        connection.give_back();
        Ok(inserting.map_or_else(Vec::new, |at| answers[at].iter().map(|row| row.get(0)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tyer_engine::Timestamp;

    use super::*;
    use crate::postgres::schema;

    fn message(id: i64, name: &str) -> Post {
        Post::Message(Message {
            id,
            tenant: crate::tenant::Tenant::default(),
            name: name.into(),
            key: None,
            message_id: None,
            variables: "{}".to_owned(),
            published_at: Timestamp(1),
            expires_at: Timestamp(1_000),
            due: Some(Timestamp(500)),
        })
    }

    /// Hands these in while the hatch is shut, so that they wait together, and says what comes of each.
    async fn posted(
        box_and_pool: &Arc<(LetterBox, Pool)>,
        posts: Vec<Post>,
        while_shut: impl FnOnce(&mut Vec<Waiting>),
    ) -> Vec<Result<bool, Error>> {
        let (letters, _) = &**box_and_pool;
        let hatch = letters.hatch.lock().await;
        let count = posts.len();
        let tasks: Vec<_> = posts
            .into_iter()
            .map(|post| {
                let both = Arc::clone(box_and_pool);
                tokio::spawn(async move { both.0.post(&both.1, &post).await })
            })
            .collect();
        while letters.waiting().len() < count {
            tokio::task::yield_now().await;
        }
        while_shut(&mut letters.waiting());
        drop(hatch);
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.expect("no panic"));
        }
        answers
    }

    async fn messages(pool: &Pool) -> Vec<String> {
        let connection = pool.take().await.expect("a connection");
        let sql = "SELECT id || coalesce(' due ' || due_at, '') FROM message ORDER BY id";
        let lines = connection.lines(sql).await.expect("lines");
        connection.give_back();
        lines
    }

    #[tokio::test]
    async fn letters_that_wait_together_are_posted_whatever_becomes_of_one_of_them() {
        let base = std::env::var("TYER_TEST_POSTGRES").expect("TYER_TEST_POSTGRES names a database");
        let name = format!("tyer_posting_{}", std::process::id());
        // What is refused costs a connection: every one of them must find the schema.
        let separator = if base.contains('?') { '&' } else { '?' };
        let pool = Pool::new(&format!("{base}{separator}options=-csearch_path%3D{name}"), 1).expect("a pool");
        let connection = pool.take().await.expect("a connection");
        connection.run(&format!("CREATE SCHEMA {name}")).await.expect("a schema");
        connection.give_back();
        schema::migrate(&pool).await.expect("the schema is sound");
        let both = Arc::new((LetterBox::default(), pool));
        let words = |answers: &[Result<bool, Error>]| -> Vec<String> {
            answers.iter().map(|answer| format!("{answer:?}").chars().take(12).collect()).collect()
        };

        let letters = vec![message(2, "a"), message(1, "b"), Post::Dropped(InstanceId(7), 9)];
        assert_eq!(words(&posted(&both, letters, |_| ()).await), ["Ok(true)"; 3]);
        assert_eq!(messages(&both.1).await, ["1 due 500", "2 due 500"]);

        let letters = vec![message(1, "b"), message(3, "c"), Post::Examined(2, Timestamp(10))];
        assert_eq!(words(&posted(&both, letters, |_| ()).await), ["Ok(true)"; 3], "one was posted before");
        assert_eq!(messages(&both.1).await, ["1 due 500", "2", "3 due 500"]);

        let letters = vec![message(4, "d"), message(5, "no\0name"), Post::Examined(1, Timestamp(2_000))];
        let answers = posted(&both, letters, |_| ()).await;
        assert_eq!(words(&answers), ["Ok(true)", "Err(Refused(", "Ok(true)"]);
        assert_eq!(messages(&both.1).await, ["2", "3 due 500", "4 due 500"], "what is over is gone");

        let letters = vec![message(6, "e"), message(7, "f")];
        let answers = posted(&both, letters, Vec::clear).await;
        assert_eq!(words(&answers), ["Ok(true)"; 2], "who took them along was dropped");
        assert_eq!(messages(&both.1).await, ["2", "3 due 500", "4 due 500", "6 due 500", "7 due 500"]);

        let connection = both.1.take().await.expect("a connection");
        connection.run(&format!("DROP SCHEMA {name} CASCADE")).await.expect("the schema is ours");
        connection.give_back();
    }
}
