//! Views of one tenant: the same engine, with other names.
//!
//! **Invariant:** what one tenant has named, begun or published, another neither sees nor moves: it is told that there
//! is no such thing.

use tyer_store::{DEFAULT_TENANT, Tenant};

use crate::engine::Engine;

impl Engine {
    /// The engine as one tenant sees it: processes, instances, messages, tasks and lists are that tenant's own. The
    /// engine itself is the view of the default tenant, whose name is empty.
    ///
    /// Workers that are added to the engine do the jobs of every tenant ([`crate::Job::tenant`] says whose a job is);
    /// those that are added to a view do that tenant's.
    ///
    /// ```
    /// # const HELLO: &[u8] = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
    /// #   <process id="hello" isExecutable="true"><startEvent id="start"/></process></definitions>"#;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tyer_runtime::Engine;
    ///
    /// let engine = Engine::memory().await?;
    /// let acme = engine.tenant("acme");
    /// acme.deploy(HELLO).await?;
    /// let hello = acme.start("hello").send().await?;
    /// assert!(engine.start("hello").send().await.is_err(), "the default tenant has no such process");
    /// assert!(engine.instance(hello.id()).overview().await.is_err(), "nor such an instance");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn tenant(&self, name: &str) -> Engine {
        let mut view = self.clone();
        view.view = Some(Tenant::from(name));
        view
    }

    /// Whose names are meant.
    pub fn tenant_name(&self) -> &str {
        self.whose().as_str()
    }

    pub(crate) fn whose(&self) -> &Tenant {
        self.view.as_ref().unwrap_or(&DEFAULT_TENANT)
    }
}
