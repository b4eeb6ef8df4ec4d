//! Throwing events and send tasks: what is thrown happens, then the token goes on.

use tyer_model::{MessageSpec, NodeKind, Throw};

use crate::nodes::{activity, compensation, error, job, signal, text};
use crate::words::*;

/// What follows a throw.
enum Then {
    GoOn,
    /// The token waits, has ended, or stands with an incident.
    Stay,
}

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, throws: &[Throw]) {
    for thrown in throws {
        match throw(turn, token, thrown) {
            Ok(Then::GoOn) if turn.lives(token) => {}
            Ok(_) => return,
            Err(reason) => return activity::give_up(turn, token, "what is thrown", &reason),
        }
    }
    activity::complete_plainly(turn, token);
}

pub(super) fn send(turn: &mut Turn<'_>, token: Number, message: &MessageSpec) {
    match send_message(turn, token, message) {
        Ok(()) => activity::complete_plainly(turn, token),
        Err(reason) => activity::give_up(turn, token, "the message", &reason),
    }
}

/// Does the node throw a signal?
pub(crate) fn is_signal(kind: &NodeKind) -> bool {
    let (NodeKind::Throw(throws) | NodeKind::End(throws)) = kind else { return false };
    throws.iter().any(|thrown| matches!(thrown, Throw::Signal(_)))
}

/// A finished round throws in the name of its activity. What would hold the activity up is not thrown there.
pub(super) fn from_round(turn: &mut Turn<'_>, owner: Number, throws: &[Throw]) {
    for thrown in throws {
        if !turn.lives(owner) {
            return;
        }
        let tried = match thrown {
            Throw::Compensation { .. } | Throw::Job(_) | Throw::Terminate | Throw::Cancel => Ok(Then::GoOn),
            Throw::Message(_) | Throw::Signal(_) | Throw::Error(_) | Throw::Escalation(_) => {
                throw(turn, owner, thrown)
            }
        };
        if let Err(reason) = tried {
            return activity::give_up(turn, owner, "what a round throws", &reason);
        }
    }
}

fn throw(turn: &mut Turn<'_>, token: Number, thrown: &Throw) -> Result<Then, String> {
    let reads = turn.instance.reading_scope(turn.token(token));
    let code =
        |code: &Option<tyer_model::Text>| code.as_ref().map(|code| text::text(turn, reads, code)).transpose();
    match thrown {
        Throw::Message(message) => send_message(turn, token, message)?,
        Throw::Signal(name) => {
            let name = text::text(turn, reads, name)?;
            let variables = own_variables(turn, token);
            signal::send(turn, token, name, variables);
        }
        Throw::Escalation(written) => {
            let code = code(written)?;
            error::escalate(turn, token, code.as_deref());
        }
        Throw::Error(written) => {
            let code = code(written)?;
            error::throw(turn, token, code.as_deref(), None, Variables::default());
            return Ok(Then::Stay);
        }
        Throw::Job(_) => {
            job::offer(turn, token);
            return Ok(Then::Stay);
        }
        Throw::Cancel => {
            compensation::cancel_transaction(turn, token);
            return Ok(Then::Stay);
        }
        Throw::Compensation { wait, .. } => {
            return Ok(if compensation::throw(turn, token, *wait) { Then::Stay } else { Then::GoOn });
        }
        Throw::Terminate => {}
    }
    Ok(Then::GoOn)
}

fn send_message(turn: &mut Turn<'_>, token: Number, message: &MessageSpec) -> Result<(), String> {
    let reads = turn.instance.reading_scope(turn.token(token));
    let name = text::text(turn, reads, &message.name)?;
    let key = text::key(turn, reads, message)?;
    let variables = own_variables(turn, token);
    turn.emit_at(token, EventKind::MessageSent { name, key, variables });
    Ok(())
}

/// What goes with a message or a signal: what the event's input mappings made.
fn own_variables(turn: &Turn<'_>, token: Number) -> Variables {
    let owned = turn.token(token).owns.map(|scope| &turn.instance.scopes[&scope]);
    let local = owned.filter(|scope| scope.kind == ScopeKind::Local);
    local.map_or_else(Variables::default, |scope| scope.variables.clone())
}
