//! Signals: everybody who waits for one gets it, this instance first.

use std::sync::Arc;

use crate::words::*;

/// The signal goes to those of this instance that wait for it now, and out to all other instances.
pub(super) fn send(turn: &mut Turn<'_>, token: Number, name: Arc<str>, variables: Variables) {
    let wants = |wanted: &Wanted| matches!(wanted, Wanted::Signal { name: waited } if *waited == name);
    let waiting: Vec<Number> = turn
        .instance
        .subscriptions
        .iter()
        .filter(|(_, subscription)| wants(&subscription.wanted))
        .map(|(number, _)| *number)
        .collect();
    turn.emit_at(token, EventKind::SignalSent { name, variables: variables.clone() });
    for subscription in waiting {
        if turn.instance.subscriptions.contains_key(&subscription) {
            turn.subscription_came(subscription, None, variables.clone());
        }
    }
}
