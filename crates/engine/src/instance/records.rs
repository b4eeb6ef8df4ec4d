//! What can be undone: kept, passed on with the scope around it, forgotten.
//!
//! **Invariant:** a record belongs to the open scope of a body, or to one that another record has as its inner one.

use super::index::note;
use crate::words::*;

impl Instance {
    fn records_of(&self, scope: Number) -> Vec<Number> {
        let records = self.records.iter().filter(|(_, record)| record.scope == scope);
        records.map(|(number, _)| *number).collect()
    }

    /// Records of a closed scope pass to another, with its variables; or stay under its number; or are dropped.
    pub(super) fn pass_records(&mut self, number: Number, closed: &Scope, target: Option<Number>) {
        if target == Some(number) || closed.kind != ScopeKind::Body {
            return;
        }
        for record in self.records_of(number) {
            let Some(target) = target else {
                self.forget(record);
                continue;
            };
            let passed = self.records.get_mut(&record).expect("it was just found");
            passed.scope = target;
            let own = std::mem::replace(&mut passed.variables, closed.variables.clone());
            passed.variables.merge(&own);
            note(&mut self.touched.records, record);
        }
    }

    pub(super) fn record(&mut self, record: Number, status: RecordStatus) {
        self.records.get_mut(&record).expect("the record of an event is there").status = status;
        note(&mut self.touched.records, record);
    }

    /// A record is done with, and so are those of its inner steps.
    pub(super) fn forget(&mut self, record: Number) {
        let gone = self.records.remove(&record);
        note(&mut self.touched.records, record);
        if let Some(inner) = gone.and_then(|gone| gone.inner) {
            for record in self.records_of(inner) {
                self.forget(record);
            }
        }
    }
}
