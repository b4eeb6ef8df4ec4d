//! What all nodes have in common: declared inputs, mappings, boundary events, repetition, and how they complete.

use tyer_model::{Declared, FlowIx, NodeIx, NodeKind};

use crate::nodes::{ad_hoc, record, repeat, work};
use crate::words::*;

/// The token has entered its node: what stands around the node comes first, then its own work.
pub(crate) fn begin(turn: &mut Turn<'_>, token: Number) {
    let node = turn.node_of(token);
    let is_inner = node.repeat.is_some() && turn.is_inner(token);
    if node.repeat.is_some() && !is_inner {
        if arm_boundary(turn, token) {
            repeat::begin(turn, token);
        }
        return;
    }
    if !node.inputs.is_empty() && node.body().is_none() {
        let parent = turn.instance.reading_scope(turn.token(token));
        let mapped = turn.map(parent, &Variables::default(), &node.inputs, None);
        let scope = turn.open_scope(token, parent, ScopeKind::Local);
        turn.write_local(scope, mapped);
    }
    if is_inner || node.boundary.is_empty() || arm_boundary(turn, token) {
        work(turn, token);
    }
}

/// Arms the events on the border of the token's node.
pub(crate) fn arm_boundary(turn: &mut Turn<'_>, token: Number) -> bool {
    let reads = turn.instance.reading_scope(turn.token(token));
    for &boundary in &turn.node_of(token).boundary {
        if let Err(reason) = turn.arm(Owner::Token(token), boundary, reads) {
            let what = format!("the boundary event `{}`", turn.process.node(boundary).id);
            give_up(turn, token, &what, &reason);
            return false;
        }
    }
    true
}

/// The node cannot begin its work: it stands as if it had not been entered, and somebody must look.
pub(crate) fn give_up(turn: &mut Turn<'_>, token: Number, what: &str, reason: &str) {
    turn.drop_owned(token);
    turn.disarm(Owner::Token(token));
    turn.complain(token, what, reason);
}

/// The node did its work, and this came out.
pub(crate) fn complete(turn: &mut Turn<'_>, token: Number, result: Variables) {
    let node = turn.node_of(token);
    let (reads, flow_scope) = (turn.instance.reading_scope(turn.token(token)), turn.token(token));
    let outer = flow_scope.branch.unwrap_or(flow_scope.scope);
    if node.outputs.is_empty() {
        turn.write(reads, result);
    } else {
        let mapped = turn.map(reads, &result, &node.outputs, Some(outer));
        turn.write(outer, mapped);
    }
    leave(turn, token);
}

/// The node did its work, and nothing came out but what its mappings make.
pub(crate) fn complete_plainly(turn: &mut Turn<'_>, token: Number) {
    match turn.node_of(token).outputs.is_empty() {
        true => leave(turn, token),
        false => complete(turn, token, Variables::default()),
    }
}

fn leave(turn: &mut Turn<'_>, token: Number) {
    let is_inner = turn.is_inner(token);
    if is_inner {
        repeat::keep_output(turn, token);
    }
    record::keep(turn, token);
    if turn.token(token).mode == Mode::Finishing {
        turn.disarm(Owner::Token(token));
        turn.emit_at(token, EventKind::NodeCompleted);
        return turn.end_token(token);
    }
    if is_inner {
        turn.emit_at(token, EventKind::NodeCompleted);
        return turn.end_token(token);
    }
    if !turn.node_of(token).boundary.is_empty() {
        turn.disarm(Owner::Token(token));
    }
    if ad_hoc::is_enough(turn, token) {
        return turn.depart_by(token, &[]);
    }
    turn.depart(token);
}

/// Are the variables there that the node declares? If not, the token stands before it with an incident.
pub(crate) fn inputs_are_there(
    turn: &mut Turn<'_>,
    token: Number,
    node: NodeIx,
    flow: Option<FlowIx>,
) -> bool {
    let reads = turn.instance.reading_scope(turn.token(token));
    let complaints: Vec<String> = turn
        .process
        .node(node)
        .declared
        .iter()
        .filter_map(|declared| complaint(declared, turn.read(reads, &declared.name)))
        .collect();
    if complaints.is_empty() {
        return true;
    }
    turn.emit_on(token, node, flow, EventKind::TokenMoved);
    let message = format!("`{}` cannot begin: {}", turn.process.node(node).id, complaints.join("; "));
    turn.open_incident(Some(token), IncidentKind::Validation, message);
    false
}

fn complaint(declared: &Declared, value: Option<&str>) -> Option<String> {
    let name = &declared.name;
    let value = value.map(str::trim).filter(|json| *json != "null");
    let Some(json) = value else {
        return declared.required.then(|| format!("variable `{name}` is missing"));
    };
    let wanted = declared.type_name.as_deref()?;
    let has = match json.as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "context",
        Some(b'[') => "list",
        Some(b't' | b'f') => "boolean",
        Some(_) | None => "number",
    };
    let fits = match wanted {
        "object" | "map" => has == "context",
        "array" => has == "list",
        "text" => has == "string",
        "integer" | "int" | "long" => has == "number" && !json.contains(['.', 'e', 'E']),
        "double" | "decimal" => has == "number",
        "bool" => has == "boolean",
        "any" => true,
        other => has == other,
    };
    (!fits).then(|| format!("variable `{name}` is a {has}, expected {wanted}"))
}

/// Is the node one that can be undone, has events on its border, and so on?
pub(crate) fn is_activity(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Pass
            | NodeKind::Job(_)
            | NodeKind::User(_)
            | NodeKind::Script(_)
            | NodeKind::Send(_)
            | NodeKind::Receive { .. }
            | NodeKind::Call(_)
            | NodeKind::SubProcess(_)
    )
}
