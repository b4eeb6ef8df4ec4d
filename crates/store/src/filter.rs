//! What people look for: instances, tasks, and from where a page goes on.
//!
//! **Invariant:** whatever is asked, a page is found by an index; a condition that has none is looked at row by row, after
//! one that has.

use tyer_engine::{InstanceId, ItemId, Status, Timestamp};

use crate::tenant::Tenant;

/// Which instances. Everything that is said must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstanceFilter {
    /// Whose they are.
    pub tenant: Tenant,
    /// One of these; empty = any.
    pub statuses: Vec<Status>,
    /// The BPMN id of their process.
    pub process: Option<String>,
    /// The version of their process; only together with it.
    pub version: Option<u32>,
    /// The caller's own name for them.
    pub business_key: Option<String>,
    /// A token stands at this node.
    pub node: Option<String>,
    /// They have an open incident, or none.
    pub has_incident: Option<bool>,
    /// Begun in this span. One that began while a clock was set back by more than two hours may be missed.
    pub started: Span,
    /// Ended in this span. Those who match come in the order of their end.
    pub ended: Span,
    /// Ids that can match what else is said: whoever gives ids by time knows it. Above the first, below the second.
    pub ids: (Option<InstanceId>, Option<InstanceId>),
    /// What their indexed variables are.
    pub variables: Vec<VariableTest>,
}

/// From a moment on, up to and without another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Not before.
    pub from: Option<Timestamp>,
    /// Before.
    pub to: Option<Timestamp>,
}

/// What an indexed variable of the instance is.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableTest {
    /// Its name.
    pub name: String,
    /// How it compares.
    pub comparison: Comparison,
    /// With what.
    pub value: IndexedValue,
}

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The same.
    Equal,
    /// Greater.
    Greater,
    /// Greater or the same.
    GreaterOrEqual,
    /// Less.
    Less,
    /// Less or the same.
    LessOrEqual,
}

/// A value that instances are found by.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum IndexedValue {
    /// A number, as near as a double comes.
    Number(f64),
    /// A text; `true` and `false` are texts here.
    Text(String),
}

/// Which tasks. Everything that is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Whose they are.
    pub tenant: Tenant,
    /// Of this instance.
    pub instance: Option<InstanceId>,
    /// Somebody has it.
    pub assignee: Option<String>,
    /// Somebody may do it.
    pub candidate_user: Option<String>,
    /// Members of this group may do it.
    pub candidate_group: Option<String>,
    /// Somebody has it, or may do it.
    pub user: Option<String>,
    /// Somebody has it, whoever; or nobody.
    pub claimed: Option<bool>,
    /// To be done before this. Those who match come in the order of their due dates.
    pub due_before: Option<Timestamp>,
    /// Exactly this urgent.
    pub priority: Option<u8>,
}

/// Where a list of instances goes on: newest first, or last ended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstancePlace {
    /// The end of the last one that was seen, in a list by end.
    pub ended: Option<Timestamp>,
    /// The last one that was seen.
    pub id: InstanceId,
}

/// Where a list of tasks goes on: oldest first, or first due first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskPlace {
    /// The due date of the last one that was seen, in a list by due date.
    pub due: Option<Timestamp>,
    /// The last one that was seen.
    pub id: ItemId,
}

/// So many instances are looked at one by one for a page, rather than found another way.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const FEW: i64 = if cfg!(test) { 8 } else { 2_000 };
/// A range of values with fewer rows is gathered whole, and sorted.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const FEW_VALUES: i64 = if cfg!(test) { 20 } else { 10_000 };

/// By which index a page of instances is found.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way<'a> {
    /// By their end: the only one in that order.
    Ended,
    /// By a variable that equals a value.
    Equal(&'a VariableTest),
    /// By a variable in a range of values: if few are in it, or nothing else is asked for.
    Range(&'a VariableTest),
    /// By the caller's name for them.
    Key,
    /// By open incidents.
    Incident,
    /// By where tokens stand.
    Node,
    /// By status and definition: the definitions asked for, or all of the tenant.
    Status,
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl InstanceFilter {
    /// Only status, process and version are asked for: the index alone can count it.
    pub(crate) fn is_plain(&self) -> bool {
        let InstanceFilter { tenant, statuses, process, version, .. } = self.clone();
        *self == InstanceFilter { tenant, statuses, process, version, ..InstanceFilter::default() }
    }

    /// Nothing but this test is asked for.
    pub(crate) fn has_only(&self, test: &VariableTest) -> bool {
        let (tenant, ids, variables) = (self.tenant.clone(), self.ids, vec![test.clone()]);
        *self == InstanceFilter { tenant, ids, variables, ..InstanceFilter::default() }
    }

    /// Its statuses may be those of few, while many may stand at its node or be in its range.
    pub(crate) fn may_be_few(&self) -> bool {
        !self.statuses.is_empty() && matches!(self.ways().first(), Some(Way::Node | Way::Range(_)))
    }

    /// Ways to find it, the most telling first; the last one always leads there.
    pub(crate) fn ways(&self) -> Vec<Way<'_>> {
        if !self.ended.is_open() {
            return vec![Way::Ended];
        }
        let mut ways = Vec::new();
        let equal = |test: &&VariableTest| test.comparison == Comparison::Equal;
        ways.extend(self.variables.iter().find(equal).map(Way::Equal));
        ways.extend(self.business_key.as_ref().map(|_| Way::Key));
        ways.extend(self.has_incident.filter(|has| *has).map(|_| Way::Incident));
        ways.extend(self.node.as_ref().map(|_| Way::Node));
        ways.extend(self.variables.iter().find(|test| !equal(test)).map(Way::Range));
        ways.push(Way::Status);
        ways
    }
}

impl Span {
    /// Nothing is said.
    pub fn is_open(self) -> bool {
        self == Span::default()
    }

    pub(crate) fn has(self, at: Option<Timestamp>) -> bool {
        self.is_open()
            || at
                .is_some_and(|at| self.from.is_none_or(|from| at >= from) && self.to.is_none_or(|to| at < to))
    }
}

impl Comparison {
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn word(self) -> &'static str {
        match self {
            Comparison::Equal => "eq",
            Comparison::Greater => "gt",
            Comparison::GreaterOrEqual => "ge",
            Comparison::Less => "lt",
            Comparison::LessOrEqual => "le",
        }
    }

    fn holds(self, left: &IndexedValue, right: &IndexedValue) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::Greater => left.comparable(right) && left > right,
            Comparison::GreaterOrEqual => left.comparable(right) && left >= right,
            Comparison::Less => left.comparable(right) && left < right,
            Comparison::LessOrEqual => left.comparable(right) && left <= right,
        }
    }
}

impl IndexedValue {
    /// A value that can be found, from its JSON text.
    pub fn parse(json: &str) -> Option<IndexedValue> {
        match serde_json::from_str(json).ok()? {
            serde_json::Value::Number(number) => number.as_f64().map(IndexedValue::Number),
            serde_json::Value::String(text) => Some(IndexedValue::Text(text)),
            serde_json::Value::Bool(truth) => Some(IndexedValue::Text(truth.to_string())),
            serde_json::Value::Null | serde_json::Value::Array(_) | serde_json::Value::Object(_) => None,
        }
    }

    fn comparable(&self, other: &IndexedValue) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn columns(&self) -> (Option<f64>, Option<&str>) {
        match self {
            IndexedValue::Number(number) => (Some(*number), None),
            IndexedValue::Text(text) => (None, Some(text)),
        }
    }
}

impl VariableTest {
    pub(crate) fn holds(&self, value: &IndexedValue) -> bool {
        self.comparison.holds(value, &self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_with_numbers_and_texts_with_texts() {
        let test = |comparison, value: &str| VariableTest {
            name: "x".into(),
            comparison,
            value: IndexedValue::parse(value).expect("a value"),
        };
        let is = |value: &str| IndexedValue::parse(value).expect("a value");
        assert!(test(Comparison::Greater, "100").holds(&is("100.5")));
        assert!(!test(Comparison::Greater, "100").holds(&is("100")));
        assert!(test(Comparison::GreaterOrEqual, "100").holds(&is("100.0")));
        assert!(!test(Comparison::Greater, "100").holds(&is("\"2\"")), "a text is no number");
        assert!(test(Comparison::Less, "\"b\"").holds(&is("\"a\"")));
        assert!(test(Comparison::Equal, "\"true\"").holds(&is("true")));
        assert!(IndexedValue::parse("null").is_none() && IndexedValue::parse("[1]").is_none());
    }
}
