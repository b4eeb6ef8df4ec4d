//! Recorded rows, ready to be written for any instance.
//!
//! **Invariant:** a commit changes a row once: of several changes only the last state is written, as the engine does.

use std::collections::HashMap;

use crate::workload;

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    /// An id that the engine has made: the instance's own is number 0.
    Id(u16),
    /// What a message to the instance names.
    Order,
    /// Who does its tasks.
    Person,
}

/// What happens to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Insert,
    Update,
    Delete,
}

/// One row that is inserted, updated or deleted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowChange {
    pub(crate) table: String,
    pub(crate) kind: Kind,
    /// What it is found by.
    pub(crate) key: Vec<(String, Cell)>,
    /// What is written beside the key.
    pub(crate) values: Vec<(String, Cell)>,
}

/// What one transaction writes of an instance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commit {
    pub(crate) changes: Vec<RowChange>,
    /// Turns in it.
    pub(crate) turns: u64,
}

/// What the floor is to write: the commits of one instance, and how many instances share each.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) commits: Vec<Commit>,
    pub(crate) at_once: usize,
}

impl Plan {
    /// As many turns in a commit as instances are to be under way; if fewer are, several turns of each.
    pub(crate) fn of(recorded: &[Commit], waiting: usize, under_way: usize) -> Plan {
        let at_once = waiting.min(under_way).max(1);
        let turns = (waiting / at_once).max(1);
        Plan { commits: recorded.chunks(turns).map(Commit::together).collect(), at_once }
    }

    /// Turns of each commit that has any.
    pub(crate) fn turns(&self) -> Vec<u64> {
        self.commits.iter().map(|commit| commit.turns).filter(|turns| *turns > 0).collect()
    }
}

impl Commit {
    /// Several turns of one instance in one transaction.
    fn together(turns: &[Commit]) -> Commit {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut changes: Vec<Option<RowChange>> = Vec::new();
        for change in turns.iter().flat_map(|turn| &turn.changes) {
            let place = places.entry(format!("{} {:?}", change.table, change.key)).or_insert_with(|| {
                changes.push(None);
                changes.len() - 1
            });
            let earlier = changes[*place].take();
            changes[*place] = earlier.map_or_else(|| Some(change.clone()), |earlier| earlier.then(change));
        }
        let turns = turns.iter().map(|turn| turn.turns).sum();
        Commit { changes: changes.into_iter().flatten().collect(), turns }
    }
}

impl RowChange {
    /// One change in place of two; none when the row was never there.
    fn then(mut self, later: &RowChange) -> Option<RowChange> {
        match (self.kind, later.kind) {
            (Kind::Insert, Kind::Delete) => None,
            (Kind::Update | Kind::Delete, Kind::Delete) => Some(later.clone()),
            (Kind::Delete, Kind::Insert | Kind::Update) => {
                Some(RowChange { kind: Kind::Update, ..later.clone() })
            }
            (Kind::Insert | Kind::Update, Kind::Insert | Kind::Update) => {
                self.values.retain(|(name, _)| !later.values.iter().any(|(other, _)| other == name));
                self.values.extend(later.values.iter().cloned());
                Some(self)
            }
        }
    }

    /// The instance that the row belongs to: what rows are spread over machines by.
    pub(crate) fn owner(&self) -> Option<&Cell> {
        let of = |name: &str| self.key.iter().chain(&self.values).find(|(column, _)| column == name);
        let owner = of("instance").or_else(|| of("target")).or_else(|| of("id"));
        owner.map(|(_, cell)| cell)
    }
}

impl Cell {
    /// The number of an id of the instance at this place.
    pub(crate) fn id(&self, at: u64) -> Option<i64> {
        if let Cell::Id(number) = self { Some(super::id(at) + i64::from(*number)) } else { None }
    }

    /// The text that differs from instance to instance.
    pub(crate) fn name(&self, at: u64, people: u64) -> Option<String> {
        match self {
            Cell::Order => Some(workload::order(at)),
            Cell::Person => Some(workload::person(at % people)),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Text(_) | Cell::Id(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(kind: Kind, value: i64) -> Commit {
        let key = vec![("n".to_owned(), Cell::Integer(1))];
        let values = match kind {
            Kind::Insert => vec![("a".to_owned(), Cell::Null), ("b".to_owned(), Cell::Integer(value))],
            Kind::Update => vec![("b".to_owned(), Cell::Integer(value))],
            Kind::Delete => Vec::new(),
        };
        Commit { changes: vec![RowChange { table: "token".to_owned(), kind, key, values }], turns: 1 }
    }

    fn kinds(turns: &[Commit]) -> Vec<(Kind, usize)> {
        let together = Commit::together(turns);
        together.changes.iter().map(|change| (change.kind, change.values.len())).collect()
    }

    #[test]
    fn of_several_changes_of_a_row_only_the_last_state_is_written() {
        let (insert, update, delete) =
            (change(Kind::Insert, 1), change(Kind::Update, 2), change(Kind::Delete, 0));
        assert_eq!(kinds(&[insert.clone(), update.clone()]), [(Kind::Insert, 2)]);
        assert_eq!(kinds(&[insert.clone(), update.clone(), delete.clone()]), []);
        assert_eq!(kinds(&[update.clone(), delete.clone()]), [(Kind::Delete, 0)]);
        assert_eq!(kinds(&[delete, insert]), [(Kind::Update, 2)]);
        let plan = Plan::of(&[update.clone(), update], 8, 4);
        assert_eq!((plan.at_once, plan.commits.len(), plan.commits[0].turns), (4, 1, 2));
    }
}
