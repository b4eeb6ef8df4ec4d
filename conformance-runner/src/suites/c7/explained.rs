//! Runs that differ for a reason that a user would accept; the reasons are in `docs/differences.md`.

use super::trace::Trace;

/// Part of the name of the model → why it differs.
const EXPLAINED: &[(&str, &str)] = &[];

/// Why a run may differ.
pub(super) fn reason(trace: &Trace) -> Option<&'static str> {
    EXPLAINED.iter().find(|(model, _)| trace.model.contains(model)).map(|(_, reason)| *reason)
}
