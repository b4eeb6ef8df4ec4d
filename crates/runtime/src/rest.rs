//! How an engine rests and ends: it stops beginning things, waits for what it has begun, lets go of its store.
//!
//! **Invariant:** a resting engine begins no job and fires no timer; what callers ask is answered all the same.

use std::sync::PoisonError;
use std::time::Duration;

use crate::engine::Engine;

impl Engine {
    /// From now on this engine begins no job and fires no timer by itself. Jobs that run go on; calls are answered; what
    /// becomes ready waits in the store, where other nodes find it.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().await?;
    /// engine.pause();
    /// assert!(engine.is_paused());
    /// engine.resume();
    /// # Ok(()) }
    /// ```
    pub fn pause(&self) {
        self.shared.rest(true);
    }

    /// Goes on after [`Engine::pause`], with what has become ready and due meanwhile.
    ///
    /// ```no_run
    /// # fn example(engine: tyer_runtime::Engine) {
    /// engine.resume();
    /// # }
    /// ```
    pub fn resume(&self) {
        self.shared.rest(false);
    }

    /// Does this engine rest?
    ///
    /// ```no_run
    /// # fn example(engine: tyer_runtime::Engine) -> bool {
    /// engine.is_paused()
    /// # }
    /// ```
    pub fn is_paused(&self) -> bool {
        *self.shared.resting.borrow()
    }

    /// Pauses and waits until the jobs that run here are done and their results are stored, but no longer than `patience`.
    /// Says how many still run. What follows is usually [`Engine::shutdown`].
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// use std::time::Duration;
    /// let engine = tyer_runtime::Engine::memory().await?;
    /// let left = engine.drain(Duration::from_secs(30)).await;
    /// assert_eq!(left, 0);
    /// engine.shutdown().await;
    /// # Ok(()) }
    /// ```
    pub async fn drain(&self, patience: Duration) -> usize {
        self.pause();
        let _ = tokio::time::timeout(patience, self.shared.workers.all_home()).await;
        self.shared.workers.running()
    }

    /// Stops: what was taken is finished and answered, nothing new is taken. Jobs that still run here are given up;
    /// they are offered again when the store is opened next. To wait for them, [`Engine::drain`] first.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), tyer_runtime::Error> {
    /// let engine = tyer_runtime::Engine::memory().await?;
    /// engine.shutdown().await;
    /// # Ok(()) }
    /// ```
    pub async fn shutdown(self) {
        self.shared.close();
        let tracks = std::mem::take(&mut *self.life.tracks.lock().unwrap_or_else(PoisonError::into_inner));
        for track in tracks {
            if let Err(error) = track.await {
                tracing::error!(%error, "a track did not end well");
            }
        }
        let end = self.life.end.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(self);
        if let Some(end) = end {
            // Somebody may still hold a clone or a handle: the store stays open for as long.
            let _ = tokio::time::timeout(Duration::from_secs(1), end).await;
        }
    }
}
