//! Call activity: another process runs as an instance of its own; the token waits for its end.

use tyer_model::{Binding, CallSpec, NodeKind};

use crate::nodes::{activity, error, failure, text};
use crate::words::*;

pub(super) fn enter(turn: &mut Turn<'_>, token: Number, spec: &CallSpec) {
    match ask(turn, token, spec) {
        Ok(asked) => turn.emit_at(token, EventKind::CallStarted(Box::new(asked))),
        Err(reason) => activity::give_up(turn, token, "the call", &reason),
    }
}

fn ask(turn: &Turn<'_>, token: Number, spec: &CallSpec) -> Result<CallStarted, String> {
    let reads = turn.instance.reading_scope(turn.token(token));
    let own = || turn.token(token).owns.map(|scope| turn.instance.scopes[&scope].variables.clone());
    let mut variables = if spec.all_in { turn.instance.visible(reads) } else { own().unwrap_or_default() };
    variables.merge(&turn.map(reads, &Variables::default(), &spec.inputs, None));
    let (mut version, mut tag) = (None, None);
    match &spec.binding {
        Binding::Latest | Binding::Deployment => {}
        Binding::Version(written) => {
            let written = text::iso(turn, reads, written)?;
            version =
                Some(written.parse().map_err(|_| format!("`{written}` is no version: expected a number"))?);
        }
        Binding::Tag(written) => tag = Some(text::text(turn, reads, written)?.to_string()),
    }
    let key = spec.business_key.as_ref().map(|key| text::iso(turn, reads, key)).transpose()?;
    Ok(CallStarted {
        call: turn.next_number(),
        process: text::text(turn, reads, &spec.process)?,
        version,
        tag,
        same_deployment: matches!(spec.binding, Binding::Deployment),
        business_key: key.map(|key| key.to_string()),
        variables,
    })
}

/// The called process has ended, or calls for help.
pub(crate) fn ended(turn: &mut Turn<'_>, call: Number, outcome: ChildOutcome) {
    let token = turn.instance.token_of_call(call).expect("accept has found the call");
    if let ChildOutcome::Escalated { code } = outcome {
        return error::escalate(turn, token, Some(&code).filter(|code| !code.is_empty()).map(String::as_str));
    }
    turn.emit_at(token, EventKind::CallEnded { call });
    match outcome {
        ChildOutcome::Completed(variables) => {
            let result = result(turn, token, variables);
            activity::complete(turn, token, result);
        }
        ChildOutcome::Error { code, message } => {
            let code = Some(code).filter(|code| !code.is_empty());
            error::throw(turn, token, code.as_deref(), message, Variables::default());
        }
        ChildOutcome::Failed(message) => {
            let message = format!("what `{}` called: {message}", turn.node_of(token).id);
            failure::failed(turn, token, IncidentKind::CallFailed, message);
        }
        ChildOutcome::Escalated { .. } => unreachable!("it has been dealt with"),
    }
}

/// What comes back: everything, or what is mapped from it.
fn result(turn: &Turn<'_>, token: Number, variables: Variables) -> Variables {
    let NodeKind::Call(spec) = &turn.node_of(token).kind else { unreachable!("only a call has a child") };
    let reads = turn.instance.reading_scope(turn.token(token));
    let mapped = turn.map(reads, &variables, &spec.outputs, Some(turn.token(token).scope));
    // Output mappings see all that came back: they are what restricts it.
    let is_seen = spec.all_out || !turn.node_of(token).outputs.is_empty();
    let mut result = if is_seen { variables } else { Variables::default() };
    result.merge(&mapped);
    result
}

/// The instance ends: its caller is told how.
pub(crate) fn answer(turn: &mut Turn<'_>, how: &EventKind) {
    let Some(parent) = turn.instance.parent else { return };
    let answer = if let EventKind::WorkflowFailed { code, message, .. } = how {
        match code {
            Some(code) => Answer::Error { code: code.clone(), message: turn.thrown_message.clone() },
            None => Answer::Failed { message: message.clone() },
        }
    } else if let EventKind::WorkflowCancelled { reason } = how {
        let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        Answer::Failed { message: format!("it was cancelled{why}") }
    } else {
        Answer::Completed { variables: turn.instance.scopes[&ROOT].variables.clone() }
    };
    turn.emit(EventKind::CallAnswered { instance: parent.instance, call: parent.number, answer });
}
