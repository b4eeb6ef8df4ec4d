//! From an address to a server that stops when it is told to.
//!
//! **Invariant:** an address that others can reach is refused for as long as there are no credentials.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tyer_runtime::Engine;

use crate::router::{App, router};

/// Where a server listens when nothing else is said.
pub const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7878);
/// Requests under way when the server stops have this long.
const LAST_ORDERS: Duration = Duration::from_secs(10);

/// How a server is set up.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// A WebSocket that takes no frame for this long loses its subscriptions.
    pub slow_after: Duration,
    /// And this much later it is closed, with `gap` if it takes that.
    pub slow_grace: Duration,
    /// So many requests may be under way; who comes then is told `overloaded`.
    pub requests: usize,
}

/// Why a server could not begin.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Others could reach it, and nobody would be asked who they are.
    #[error("{0} can be reached from other machines, and there are no credentials yet: listen on 127.0.0.1")]
    NotLoopback(SocketAddr),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {error}")]
    Refused {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        error: std::io::Error,
    },
}

/// A server that has its address and has not begun to answer.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
}

impl Default for Options {
    fn default() -> Options {
        let (slow_after, slow_grace) = (Duration::from_secs(10), Duration::from_secs(20));
        Options { listen: DEFAULT_LISTEN, slow_after, slow_grace, requests: 4_096 }
    }
}

impl Server {
    /// Takes the address. From here on callers can connect; they are answered by [`Server::run`].
    pub async fn bind(engine: Engine, options: Options) -> Result<Server, BindError> {
        let address = options.listen;
        if !address.ip().is_loopback() {
            return Err(BindError::NotLoopback(address));
        }
        let refused = |error| BindError::Refused { address, error };
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let app = Arc::new(App {
            engine,
            options,
            in_hand: AtomicUsize::new(0),
            closing: watch::Sender::new(false),
        });
        Ok(Server { listener, address, app })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` comes, then finishes what is under way and closes the engine.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let Server { listener, app, .. } = self;
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "answers may be held back a little");
            }
        });
        let (closer, waiter) = (Arc::clone(&app), Arc::clone(&app));
        let stopping = async move {
            stop.await;
            closer.closing.send_replace(true);
        };
        let serving = axum::serve(listener, router(Arc::clone(&app))).with_graceful_shutdown(stopping);
        let ended = tokio::select! {
            ended = serving.into_future() => ended,
            () = async { waiter.closed().await; tokio::time::sleep(LAST_ORDERS).await } => Ok(()),
        };
        app.engine.clone().shutdown().await;
        ended
    }
}
