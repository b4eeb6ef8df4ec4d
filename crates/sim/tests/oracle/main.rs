//! The oracle by itself: legal traces are accepted, illegal ones are refused, and for the right reason.
//!
//! Processes and traces are written in the short notation of `notation`.

mod compensation;
mod events;
mod gateways;
mod incidents;
mod merge_modes;
mod notation;
mod rounds;
mod scopes;
