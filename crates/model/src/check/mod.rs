//! Is a file good BPMN? One file per part of the standard; every rule names its code.
//!
//! **Invariant:** all problems are found in one pass; no rule looks at an element more than a fixed number of times.

mod activities;
mod boundaries;
mod collaboration;
mod data;
mod event_gateways;
mod events;
mod expressions;
mod flows;
mod items;
mod links;
mod references;
mod structure;
mod view;

use crate::definitions::Definitions;
use crate::problem::Problem;
use crate::report::{Report, Strictness};
use references::Imports;
use view::View;

impl Definitions {
    /// Everything that is wrong with the file, in document order.
    pub fn check(&self, strictness: Strictness) -> Vec<Problem> {
        self.check_with_imports(strictness, &|_| None)
    }

    /// As [`Definitions::check`], with a way to get at imported files by their location.
    pub fn check_with_imports(
        &self,
        strictness: Strictness,
        load: &dyn Fn(&str) -> Option<Definitions>,
    ) -> Vec<Problem> {
        let mut report = Report::new(strictness);
        self.check_into(&mut report, load);
        report.finish()
    }

    pub(crate) fn check_into(&self, report: &mut Report, load: &dyn Fn(&str) -> Option<Definitions>) {
        let imports = Imports::load(self, load, report);
        let view = View::of(self, report.strictness());
        references::duplicate_ids(self, report);
        for (element, kind) in self.elements() {
            structure::check(&view, element, &imports, report);
            expressions::check(&view, element, kind, report);
            flows::check(&view, element, kind, report);
            activities::check(&view, element, kind, report);
            events::check(&view, element, kind, report);
            boundaries::check(&view, element, kind, report);
            links::check(&view, element, kind, report);
            event_gateways::check(&view, element, kind, report);
            collaboration::check(&view, element, kind, report);
            // Data is variables when a process runs: only the letter of BPMN asks for more.
            if report.strictness() == Strictness::Specification {
                data::check(&view, element, kind, report);
                items::check(&view, element, kind, report);
            }
        }
    }
}
