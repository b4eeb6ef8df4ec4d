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

/// Who is told so more often has an answer.
const MOST_PUT_OFF: u32 = 2_000;

/// One caller.
pub(crate) struct Caller {
    pub(crate) world: World,
    pub(crate) dice: Dice,
    client: Client,
    connected_to: SocketAddr,
    /// Which of several servers it speaks to.
    choice: usize,
    /// How often in a row it was told to come later.
    put_off: u32,
}

/// An answer, and whether earlier tries may have been done without one.
pub(crate) struct Answered {
    pub(crate) answer: Answer,
    pub(crate) tried_before: bool,
}

impl Caller {
    pub(crate) fn new(world: &World, name: u64) -> Caller {
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
        let (client, dice) = (Client::new(nowhere), Dice::new(world.seed, name));
        Caller {
            world: world.clone(),
            client,
            connected_to: nowhere,
            dice,
            choice: name as usize,
            put_off: 0,
        }
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
        self.connect();
        let patience = self.world.patience;
        match tokio::time::timeout(patience, self.client.send(method, path, headers, body.into())).await {
            Ok(Ok(answer)) if self.put_off > MOST_PUT_OFF || !is_for_later(&answer) => {
                self.put_off = 0;
                return Some(answer);
            }
            // It says itself that it cannot now.
            Ok(Ok(_)) => {
                self.put_off += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            // Dead, and perhaps not yet born again.
            Ok(Err(_)) => tokio::time::sleep(Duration::from_millis(5)).await,
            Err(_) => {
                // Its answer would be taken for that of the next question.
                self.connected_to = SocketAddr::from(([127, 0, 0, 1], 1));
                if self.world.must_answer {
                    let complaint = format!("{path} has no answer after {patience:?}");
                    self.world.ledger.write(Entry::Broken { complaint }).await;
                }
            }
        }
        self.choice += 1;
        None
    }

    /// To the server of its choice, wherever that listens now.
    fn connect(&mut self) {
        let addresses = self.world.addresses.borrow();
        let address = addresses[self.choice % addresses.len()];
        if address != self.connected_to {
            (self.client, self.connected_to) = (Client::new(address), address);
        }
    }

    pub(crate) async fn broken(&self, what: String, answer: &Answer) {
        let complaint = format!("{what}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
        self.world.ledger.write(Entry::Broken { complaint }).await;
    }
}

/// It asks to be asked again: it cannot now, or others are always quicker, or its disk fails.
fn is_for_later(answer: &Answer) -> bool {
    let code = &answer.json()["error"]["code"];
    answer.status == hyper::StatusCode::SERVICE_UNAVAILABLE || code == "conflict" || code == "store_refused"
}
