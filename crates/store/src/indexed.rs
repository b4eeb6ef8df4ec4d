//! Values of the variables that instances are found by.
//!
//! **Invariant:** a row for each declared variable of the instance that has a number, a text or a truth value; no other.

use std::sync::Arc;

use tyer_engine::Variables;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use tyer_engine::{InstanceId, ROOT};

#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::chain::Written;
use crate::filter::IndexedValue;

/// One declared variable after a commit; none = it has no value that can be found.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) struct Indexed<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) instance: InstanceId,
    pub(crate) name: &'a str,
    pub(crate) value: Option<IndexedValue>,
}

/// What a commit changes of the index: every declared variable of the instances whose variables it writes.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn changed(written: &[Written]) -> Vec<Indexed<'_>> {
    let mut changed = Vec::new();
    for one in written {
        let declared = &one.process.body(None).indexed;
        if declared.is_empty() {
            continue;
        }
        let Some(root) = one.changes.variables.get(&ROOT) else { continue };
        let document = root.row.as_deref().unwrap_or("{}");
        changed.extend(values(declared, document).map(|(name, value)| Indexed {
            tenant: one.tenant(),
            instance: one.instance,
            name,
            value,
        }));
    }
    changed
}

/// The declared variables in a document.
pub(crate) fn values<'a>(
    declared: &'a [Arc<str>],
    document: &str,
) -> impl Iterator<Item = (&'a str, Option<IndexedValue>)> {
    // A document that the engine has written is an object.
    let variables = Variables::parse(document).unwrap_or_default();
    declared.iter().map(move |name| (&**name, variables.get(name).and_then(IndexedValue::parse)))
}
