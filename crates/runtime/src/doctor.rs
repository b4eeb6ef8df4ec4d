//! Looks at everything that is stored, and says what should not be so.
//!
//! **Invariant:** changes nothing.

use tyer_engine::{Instance, InstanceId, TokenStatus};
use tyer_store::invariants;
use tyer_store::{ListedInstance, restore};

use crate::engine::Engine;
use crate::error::Error;
use crate::handle::Handle;

/// Instances looked at together.
const PAGE: usize = 500;

/// What was looked at, and what is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checkup {
    /// Instances looked at.
    pub instances: u64,
    /// Events read and folded.
    pub events: u64,
    /// What should hold and does not, one sentence each; the invariants are named by their numbers.
    pub complaints: Vec<String>,
}

impl Checkup {
    /// Nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.complaints.is_empty()
    }
}

impl Engine {
    /// Checks every invariant on every stored instance, of all tenants or of the one whose view it is: its rows make an instance in which nothing waits
    /// in vain, its history has no gaps and folds to exactly that state, who holds its jobs is known, and it belongs to
    /// the tenant of its process. `each` is told how many were looked at.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().await?;
    /// assert!(engine.doctor(|_| {}).await?.is_well());
    /// # Ok(()) }
    /// ```
    pub async fn doctor(&self, mut each: impl FnMut(u64)) -> Result<Checkup, Error> {
        let (mut checkup, mut after) = (Checkup::default(), InstanceId(0));
        loop {
            let page = self.shared.store.instances(self.view.as_ref(), None, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(checkup) };
            after = last.id;
            for listed in &page {
                checkup.instances += 1;
                match self.look_at(listed, &mut checkup.events).await {
                    Ok(broken) => {
                        let told = broken.into_iter().map(|what| format!("{}: {what}", listed.id));
                        checkup.complaints.extend(told);
                    }
                    Err(error) if is_about_one(&error) => {
                        checkup.complaints.push(format!("{}: {error}", listed.id));
                    }
                    Err(error) => return Err(error),
                }
            }
            each(checkup.instances);
        }
    }

    async fn look_at(&self, listed: &ListedInstance, events: &mut u64) -> Result<Vec<String>, Error> {
        let shared = &self.shared;
        let Some(loaded) = shared.store.load(vec![listed.id]).await?.pop().flatten() else {
            // Forgotten since it was listed.
            return Ok(Vec::new());
        };
        let compiled = shared.processes.by_id(&*shared.store, loaded.instance.definition).await?;
        let mut broken = Vec::new();
        if loaded.instance.tenant != compiled.definition.tenant {
            let (own, other) = (&loaded.instance.tenant, &compiled.definition.tenant);
            broken.push(format!("I14: it belongs to tenant `{own}`, its process to `{other}`"));
        }
        for token in &loaded.tokens {
            if (token.status == TokenStatus::Executing) != token.lease.is_some() {
                let (number, status) = (token.number, token.status);
                broken.push(format!("I3: token {number} is {status:?}, with lease {:?}", token.lease));
            }
        }
        let restored = restore(&compiled.process, loaded);
        let (instance, _) = restored.map_err(|error| Error::Damaged(error.to_string()))?;
        broken.extend(invariants(&compiled.process, &instance));
        let handle = self.tenant(listed.tenant.as_str()).instance(listed.id);
        let folded = fold(&handle, instance.version, &mut broken, events).await?;
        let folded = Instance { executing: instance.executing.clone(), ..folded };
        if folded != instance {
            broken.push(format!(
                "I4: its history folds to another state\nfolded: {folded:?}\nstored: {instance:?}"
            ));
        }
        // Forgotten while it was looked at: its rows went one after the other for us, not for the store.
        let gone = !broken.is_empty() && shared.store.load(vec![listed.id]).await?.pop().flatten().is_none();
        Ok(if gone { Vec::new() } else { broken })
    }
}

/// The state that history gives, up to a version.
async fn fold(
    handle: &Handle,
    version: u64,
    broken: &mut Vec<String>,
    events: &mut u64,
) -> Result<Instance, Error> {
    let (mut state, mut last) = (Instance::blank(handle.id()), 0);
    handle
        .fold(|past| {
            if past.seq > version {
                return;
            }
            if past.seq != last + 1 {
                broken.push(format!("I4: event {} of its history follows {last}", past.seq));
            }
            last = past.seq;
            *events += 1;
            state.apply(past.event, past.at);
        })
        .await?;
    if last != version {
        broken.push(format!("I4: it has had {version} events, its history has {last}"));
    }
    state.reindex();
    Ok(state)
}

/// The others can be looked at all the same.
fn is_about_one(error: &Error) -> bool {
    matches!(error, Error::Damaged(_) | Error::Store(tyer_store::Error::Damaged(_)) | Error::Problems(_))
}
