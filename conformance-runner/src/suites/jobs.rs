//! What a worker of a suite sees: open jobs, their headers and the variables around them.

use tyer_engine::{InstanceId, Number, ROOT};
use tyer_model::{JobSpec, NodeIx, NodeKind, Throw};

use crate::world::{Member, World};

/// A job that nobody has done yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenJob {
    pub(super) instance: InstanceId,
    pub(super) number: Number,
    pub(super) token: Number,
    pub(super) node: NodeIx,
}

/// All open jobs, oldest instance and oldest token first.
pub(super) fn open_jobs(world: &World) -> Vec<OpenJob> {
    let of = |(id, member): (&InstanceId, &Member)| {
        let instance = *id;
        let jobs = member.instance.tokens.iter().filter_map(move |(token, held)| {
            let number = held.job()?.number;
            Some(OpenJob { instance, number, token: *token, node: held.node })
        });
        jobs.collect::<Vec<_>>()
    };
    world.instances.iter().flat_map(of).collect()
}

/// What the diagram says of the job.
pub(super) fn spec_of(member: &Member, node: NodeIx) -> Option<&JobSpec> {
    match &member.process.node(node).kind {
        NodeKind::Job(spec) => Some(spec),
        NodeKind::Throw(throws) | NodeKind::End(throws) => {
            throws.iter().find_map(|thrown| if let Throw::Job(spec) = thrown { Some(spec) } else { None })
        }
        _ => None,
    }
}

/// A fixed value that the diagram gives to the worker.
pub(super) fn header<'a>(member: &'a Member, node: NodeIx, key: &str) -> Option<&'a str> {
    let headers = &spec_of(member, node)?.headers;
    headers.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// The JSON text of a variable as the token sees it.
pub(super) fn variable<'a>(member: &'a Member, token: Number, name: &str) -> Option<&'a str> {
    let instance = &member.instance;
    let mut scope = instance.reading_scope(instance.tokens.get(&token)?);
    loop {
        let here = instance.scopes.get(&scope)?;
        if let Some(value) = here.variables.get(name) {
            return Some(value);
        }
        if scope == ROOT {
            return None;
        }
        scope = here.parent;
    }
}
