//! REST and WebSocket over the runtime.
