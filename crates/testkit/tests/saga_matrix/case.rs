//! One row of the matrix: what goes wrong, where, and what people do about it.

use std::fmt;

use tyer_model::{NodeKind, Process, Throw};
use tyer_testkit::Script;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// The work fails for good.
    Fails,
    /// The work finds an error.
    Throws,
    /// Somebody has the instance undone.
    Operator,
}

/// What people do about a step that could not be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mend {
    Retry,
    Skip,
    Abort,
}

/// One row of the matrix.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Where; none = nothing goes wrong.
    pub(crate) node: Option<String>,
    pub(crate) happening: Happening,
    pub(crate) mend: Mend,
    /// A worker holds every job that is ready when it happens.
    pub(crate) all_held: bool,
    /// The first worker of every handler dies with its job.
    pub(crate) worker_dies: bool,
}

impl Case {
    /// Every node with work × everything that can happen there.
    pub(crate) fn all_of(script: &Script) -> Vec<Case> {
        let calm = Case {
            node: None,
            happening: Happening::Fails,
            mend: Mend::Retry,
            all_held: false,
            worker_dies: false,
        };
        let mut cases = vec![calm.clone(), Case { worker_dies: true, ..calm.clone() }];
        for (node, undoes) in script.processes.iter().flat_map(|process| nodes_with_work(process)) {
            let at = Case { node: Some(node), ..calm.clone() };
            if undoes {
                let mends = [Mend::Retry, Mend::Skip, Mend::Abort];
                cases.extend(mends.map(|mend| Case { mend, ..at.clone() }));
                continue;
            }
            let happenings = [Happening::Fails, Happening::Throws, Happening::Operator];
            cases.extend(happenings.map(|happening| Case { happening, ..at.clone() }));
            cases.push(Case { all_held: true, ..at.clone() });
            cases.push(Case { worker_dies: true, ..at });
        }
        cases
    }
}

/// Ids of nodes at which somebody works, and whether that undoes something.
fn nodes_with_work(process: &Process) -> Vec<(String, bool)> {
    let with_work = process.nodes().filter(|(_, node)| {
        let (NodeKind::Throw(throws) | NodeKind::End(throws)) = &node.kind else {
            return matches!(node.kind, NodeKind::Job(_) | NodeKind::User(_));
        };
        throws.iter().any(|thrown| matches!(thrown, Throw::Job(_)))
    });
    with_work.map(|(_, node)| (node.id.clone(), undoes(process, node))).collect()
}

/// Is it a handler, or inside of one?
fn undoes(process: &Process, node: &tyer_model::Node) -> bool {
    let mut node = node;
    loop {
        if node.for_compensation {
            return true;
        }
        let Some(parent) = node.parent else { return false };
        node = process.node(parent);
    }
}

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Some(node) => write!(formatter, "`{node}` {:?}, {:?}", self.happening, self.mend)?,
            None => write!(formatter, "nothing goes wrong")?,
        }
        let held = if self.all_held { ", all jobs are held" } else { "" };
        let dies = if self.worker_dies { ", the first worker of each handler dies" } else { "" };
        write!(formatter, "{held}{dies}")
    }
}
