//! Compiled processes, by the id of their definition.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use tyer_model::Process;
use tyer_store::{Definition, Tenant, Which};

use crate::error::Error;
use crate::shared::Backend;

/// A stored version of a process, compiled.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) process: Arc<Process>,
    pub(crate) definition: Definition,
}

#[derive(Debug, Default)]
pub(crate) struct Processes {
    by_id: RwLock<HashMap<i64, Arc<Compiled>>>,
    /// The newest version of each tenant's keys, as far as this node knows.
    newest: RwLock<HashMap<Tenant, HashMap<String, i64>>>,
    /// One asks the store at a time: when many begin together, the others find what the first has found.
    asking: tokio::sync::Mutex<()>,
}

impl Processes {
    pub(crate) async fn by_id(&self, store: &dyn Backend, id: i64) -> Result<Arc<Compiled>, Error> {
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        let _one = self.asking.lock().await;
        if let Some(known) = self.known(id) {
            return Ok(known);
        }
        let stored = store.definition(id).await?;
        let definition = stored.ok_or_else(|| Error::Damaged(format!("there is no definition {id}")))?;
        self.compile((*definition).clone())
    }

    /// The version asked for, or the newest known here: a start that relies on it is checked when it is committed.
    pub(crate) async fn version(
        &self,
        store: &dyn Backend,
        tenant: &Tenant,
        key: &str,
        which: Which,
    ) -> Result<Arc<Compiled>, Error> {
        if which == Which::Newest {
            let id = self.newest(store, tenant, key).await?;
            return self.by_id(store, id).await;
        }
        let version = if let Which::Number(number) = which { Some(number) } else { None };
        let found = store.version(tenant, key, which).await?;
        let id = found.ok_or_else(|| Error::ProcessUnknown { key: key.to_owned(), version })?;
        self.by_id(store, id).await
    }

    async fn newest(&self, store: &dyn Backend, tenant: &Tenant, key: &str) -> Result<i64, Error> {
        if let Some(known) = self.known_newest(tenant, key) {
            return Ok(known);
        }
        let _one = self.asking.lock().await;
        if let Some(known) = self.known_newest(tenant, key) {
            return Ok(known);
        }
        let found = store.version(tenant, key, Which::Newest).await?;
        let id = found.ok_or_else(|| Error::ProcessUnknown { key: key.to_owned(), version: None })?;
        let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
        newest.entry(tenant.clone()).or_default().insert(key.to_owned(), id);
        Ok(id)
    }

    fn known(&self, id: i64) -> Option<Arc<Compiled>> {
        self.by_id.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    fn known_newest(&self, tenant: &Tenant, key: &str) -> Option<i64> {
        let newest = self.newest.read().unwrap_or_else(PoisonError::into_inner);
        newest.get(tenant).and_then(|keys| keys.get(key)).copied()
    }

    /// A deployment may have changed what is newest.
    pub(crate) fn deployed(&self, tenant: &Tenant, key: &str) {
        let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(keys) = newest.get_mut(tenant) {
            keys.remove(key);
        }
    }

    fn compile(&self, definition: Definition) -> Result<Arc<Compiled>, Error> {
        let imported = tyer_model::import(&definition.resource)?;
        let process = imported.processes.into_iter().find(|process| process.id == definition.key);
        let process =
            process.ok_or_else(|| Error::Damaged(format!("no process `{}` in its file", definition.key)))?;
        let compiled = Arc::new(Compiled { process: Arc::new(process), definition });
        let mut known = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(known.entry(compiled.definition.id).or_insert(compiled)))
    }
}
