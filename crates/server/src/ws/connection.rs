//! One WebSocket: its subscriptions, and what happens when it is slow.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tyer_engine::InstanceId;
use tyer_runtime::Glance;

use super::follow::{Outgoing, follow, look_on};
use super::frames::{self, Refused, Request, Subject};
use crate::code::Code;
use crate::error::Failure;
use crate::router::App;

/// Frames that wait for a connection, at most.
const QUEUE: usize = 16;
/// Subscriptions of a connection, at most.
const SUBSCRIPTIONS: usize = 64;
/// A connection that is quiet for this long is asked whether it is still there.
const QUIET: Duration = Duration::from_secs(30);

pub(super) struct Connection {
    app: Arc<App>,
    socket: WebSocket,
    subscriptions: Subscriptions,
    queue: mpsc::Sender<Outgoing>,
    frames: mpsc::Receiver<Outgoing>,
}

/// By the client's own names.
#[derive(Default)]
struct Subscriptions {
    by_name: BTreeMap<String, Subscription>,
    lives: u64,
}

struct Subscription {
    life: u64,
    /// The last event that was given to the socket.
    seq: u64,
    follower: Option<AbortHandle>,
}

/// The connection has come to its end.
struct Over;

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(follower) = self.follower.take() {
            follower.abort();
        }
    }
}

impl Connection {
    pub(super) fn new(app: Arc<App>, socket: WebSocket) -> Connection {
        let (queue, frames) = mpsc::channel(QUEUE);
        Connection { app, socket, subscriptions: Subscriptions::default(), queue, frames }
    }

    /// Until either side closes it.
    pub(super) async fn run(mut self) {
        let app = Arc::clone(&self.app);
        let mut closed = pin!(app.closed());
        loop {
            let went_on = tokio::select! {
                heard = timeout(QUIET, self.socket.recv()) => match heard {
                    Ok(Some(Ok(message))) => self.hear(message).await,
                    Ok(Some(Err(_)) | None) => return,
                    Err(_) => self.send(Message::Ping(Vec::new().into())).await,
                },
                Some(outgoing) = self.frames.recv() => self.deliver(outgoing).await,
                () = &mut closed => {
                    return self.close(close_code::AWAY, "the server is shutting down").await;
                }
            };
            if went_on.is_err() {
                return;
            }
        }
    }

    async fn hear(&mut self, message: Message) -> Result<(), Over> {
        let text = match message {
            Message::Text(text) => text,
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Close(_) => return Err(Over),
            Message::Binary(_) => {
                let failure = Failure::new(Code::FrameMalformed, "frames are JSON texts, not bytes");
                return self.say(frames::error(None, &failure)).await;
            }
        };
        let answer = match Request::parse(&text) {
            Ok(Request::Ping) => Ok(frames::pong()),
            Ok(Request::Unsubscribe { id }) => self.unsubscribe(id),
            Ok(Request::Subscribe { id, to: Subject::Instance(instance, since) }) => {
                return self.subscribe(id, instance, since).await;
            }
            Ok(Request::Subscribe { id, to }) => return self.look_on(id, to).await,
            Err(refused) => Err(refused),
        };
        self.say(answer.unwrap_or_else(told)).await
    }

    fn unsubscribe(&mut self, id: String) -> Result<String, Refused> {
        match self.subscriptions.by_name.remove(&id) {
            Some(_) => Ok(frames::unsubscribed(&id)),
            None => {
                let failure =
                    Failure::new(Code::SubscriptionUnknown, format!("there is no subscription `{id}`"));
                Err(Refused { sub: Some(id), failure })
            }
        }
    }

    async fn subscribe(&mut self, id: String, instance: InstanceId, since: Option<u64>) -> Result<(), Over> {
        let glance = match self.may_subscribe(&id, instance).await {
            Ok(glance) => glance,
            Err(failure) => return self.say(told(Refused { sub: Some(id), failure })).await,
        };
        let (newest, masked) = (glance.version, glance.masked);
        // A client that has seen more than there is speaks of another past.
        let ahead = since.is_some_and(|since| since > newest);
        let from = since.map_or(newest, |since| since.min(newest));
        self.say(frames::subscribed(&id, instance, from)).await?;
        if ahead {
            self.say(frames::gap(&id, from)).await?;
        }
        let (engine, queue) = (self.app.engine.clone(), self.queue.clone());
        self.subscriptions.lives += 1;
        let life = self.subscriptions.lives;
        let follower =
            tokio::spawn(follow(engine, instance, from, id.clone(), masked, life, queue)).abort_handle();
        let subscription = Subscription { life, seq: from, follower: Some(follower) };
        self.subscriptions.by_name.insert(id, subscription);
        Ok(())
    }

    /// Live from now on.
    async fn look_on(&mut self, id: String, to: Subject) -> Result<(), Over> {
        if let Err(failure) = self.has_room(&id) {
            return self.say(told(Refused { sub: Some(id), failure })).await;
        }
        self.say(frames::subscribed_live(&id, &to)).await?;
        self.subscriptions.lives += 1;
        let (engine, queue, life) = (self.app.engine.clone(), self.queue.clone(), self.subscriptions.lives);
        let follower = tokio::spawn(look_on(engine, to, id.clone(), life, queue)).abort_handle();
        let subscription = Subscription { life, seq: 0, follower: Some(follower) };
        self.subscriptions.by_name.insert(id, subscription);
        Ok(())
    }

    /// A look at the instance, if the subscription can be had.
    async fn may_subscribe(&mut self, id: &str, instance: InstanceId) -> Result<Glance, Failure> {
        self.has_room(id)?;
        Ok(self.app.engine.glance(instance).await?)
    }

    fn has_room(&self, id: &str) -> Result<(), Failure> {
        if self.subscriptions.by_name.contains_key(id) {
            return Err(Failure::new(
                Code::SubscriptionExists,
                format!("there is a subscription `{id}` already"),
            ));
        }
        if self.subscriptions.by_name.len() >= SUBSCRIPTIONS {
            let message = format!("a connection has at most {SUBSCRIPTIONS} subscriptions: open another one");
            return Err(Failure::new(Code::SubscriptionsTooMany, message));
        }
        Ok(())
    }

    async fn deliver(&mut self, outgoing: Outgoing) -> Result<(), Over> {
        let Outgoing { life, seq, text } = outgoing;
        let Some(subscription) = self.subscriptions.of_life(life) else { return Ok(()) };
        // Before it is taken: a `gap` is sent only after this frame got through.
        subscription.seq = seq.unwrap_or(subscription.seq);
        self.say(text).await
    }

    async fn say(&mut self, text: String) -> Result<(), Over> {
        self.send(Message::Text(text.into())).await
    }

    /// A client that does not take a frame in time loses its subscriptions, and with some grace its connection.
    async fn send(&mut self, message: Message) -> Result<(), Over> {
        let (slow_after, grace) = (self.app.options.slow_after, self.app.options.slow_grace);
        let missed = {
            let mut sending = pin!(self.socket.send(message));
            if let Ok(sent) = timeout(slow_after, &mut sending).await {
                return sent.map_err(|_| Over);
            }
            let missed = self.subscriptions.end();
            timeout(grace, sending).await.is_ok_and(|sent| sent.is_ok()).then_some(missed)
        };
        if let Some(missed) = missed {
            for (sub, seq) in missed {
                let gap = Message::Text(frames::gap(&sub, seq).into());
                let _ = timeout(slow_after, self.socket.send(gap)).await;
            }
            self.close(close_code::AGAIN, "too slow: come again with since").await;
        }
        Err(Over)
    }

    async fn close(&mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = timeout(Duration::from_secs(1), self.socket.send(Message::Close(Some(frame)))).await;
    }
}

impl Subscriptions {
    fn of_life(&mut self, life: u64) -> Option<&mut Subscription> {
        self.by_name.values_mut().find(|subscription| subscription.life == life)
    }

    /// Stops every follower; says up to where each subscription had come.
    fn end(&mut self) -> Vec<(String, u64)> {
        let ended = std::mem::take(&mut self.by_name);
        ended.into_iter().map(|(name, subscription)| (name, subscription.seq)).collect()
    }
}

fn told(refused: Refused) -> String {
    frames::error(refused.sub.as_deref(), &refused.failure)
}
