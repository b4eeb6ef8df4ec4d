//! One caller with a connection of its own.
//!
//! **Invariant:** a call without an answer is made again until there is one; only answers are acknowledged.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tyer_server::client::{Answer, Client};

use crate::dice::Dice;
use crate::ledger::Entry;
use crate::load::World;

/// A call that takes longer has no answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// One caller.
pub(crate) struct Caller {
    pub(crate) world: World,
    pub(crate) dice: Dice,
    client: Client,
    connected_to: SocketAddr,
}

/// An answer, and whether earlier tries may have been done without one.
pub(crate) struct Answered {
    pub(crate) answer: Answer,
    pub(crate) tried_before: bool,
}

impl Caller {
    pub(crate) fn new(world: &World, name: u64) -> Caller {
        let connected_to = *world.address.borrow();
        let (client, dice) = (Client::new(connected_to), Dice::new(world.seed, name));
        Caller { world: world.clone(), client, connected_to, dice }
    }

    /// Asks until there is an answer.
    pub(crate) async fn post(&mut self, path: &str, key: Option<&str>, body: &Value) -> Answered {
        let mut tried_before = false;
        loop {
            if let Some(answer) = self.try_once(path, key, body).await {
                return Answered { answer, tried_before };
            }
            tried_before = true;
        }
    }

    pub(crate) async fn try_once(&mut self, path: &str, key: Option<&str>, body: &Value) -> Option<Answer> {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        self.send(hyper::Method::POST, path, &headers, body.to_string()).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Option<Answer> {
        self.send(hyper::Method::GET, path, &[], String::new()).await
    }

    async fn send(
        &mut self,
        method: hyper::Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> Option<Answer> {
        let address = *self.world.address.borrow();
        if address != self.connected_to {
            (self.client, self.connected_to) = (Client::new(address), address);
        }
        match tokio::time::timeout(PATIENCE, self.client.send(method, path, headers, body.into())).await {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(_)) => {
                // Dead, and perhaps not yet born again.
                tokio::time::sleep(Duration::from_millis(5)).await;
                None
            }
            Err(_) => {
                let complaint = format!("{path} has no answer after {PATIENCE:?}");
                self.world.ledger.write(Entry::Broken { complaint }).await;
                None
            }
        }
    }

    pub(crate) async fn broken(&self, what: String, answer: &Answer) {
        let complaint = format!("{what}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
        self.world.ledger.write(Entry::Broken { complaint }).await;
    }
}
