//! What people do to instances: put tokens elsewhere, change the version, go back, ask why.

pub(crate) mod explain;
pub(crate) mod migrate;
pub(crate) mod modify;
pub(crate) mod rollback;
