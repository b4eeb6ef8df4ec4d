//! REST and WebSocket over the runtime: thin, and real from the socket to the disk.
//!
//! **Invariant:** nothing is decided here that the engine decides; a refusal travels with its code, never as a 5xx.
//! **Invariant:** no answer before the engine has called the change durable.
//! **Invariant:** without credentials only loopback is served, and only to pages of this very server.

mod api;
pub mod client;
mod code;
mod depth;
mod envelope;
mod error;
mod fields;
mod guard;
mod past;
mod query;
mod reply;
mod router;
mod serve;
mod ws;

pub use code::{Code, Kind};
pub use envelope::Envelope;
pub use serve::{BindError, DEFAULT_LISTEN, Options, Server};
