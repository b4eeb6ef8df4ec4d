//! Large tables: per column, which rules an input value can match at all.
//!
//! **Invariant:** the index only leaves out rules that cannot match; what it does not know for certain it keeps and
//! leaves to the evaluator.

use super::rules::{Candidates, RuleSet, is_small};
use std::ops::Range;
use std::sync::Arc;
use tyer_feel::ast::{Comparison, Expr, Kind, Test, Unary};
use tyer_feel::{Number, Value};
use tyer_map::Map;

/// Smaller tables are faster without.
const INDEX_FROM: usize = 4;

/// A column of a large table is indexed if its rules are members of so many sets on average.
const PIECES: usize = 8;

/// The columns of a table that could be indexed.
#[derive(Debug)]
pub(super) struct Index {
    columns: Vec<Column>,
    rules: usize,
}

#[derive(Debug)]
struct Column {
    input: usize,
    /// Which rules match a value for certain.
    by_text: Map<Arc<str>, RuleSet>,
    by_boolean: [RuleSet; 2],
    /// Sorted ends of number ranges; `sets[2 * i + 1]` is at end `i`, `sets[2 * i]` between it and the one before.
    ends: Vec<Number>,
    between: Vec<RuleSet>,
    /// Rules whose test is `-`, and rules that have to be evaluated.
    always: RuleSet,
    /// Rules that have to be evaluated.
    unknown: RuleSet,
}

/// What one cell says, where it can be told without evaluating it.
pub(super) enum Cell {
    Anything,
    Values(Vec<Value>),
    /// Lower end, upper end, each with whether it belongs to it.
    Range(Option<(Number, bool)>, Option<(Number, bool)>),
    Unknown,
}

impl Index {
    /// `None` when there is nothing to gain.
    pub(super) fn build(inputs: usize, cells: &[Vec<&Expr>]) -> Option<Index> {
        let rules = cells.len();
        if rules < INDEX_FROM {
            return None;
        }
        let columns: Vec<Column> =
            (0..inputs).filter_map(|input| Column::build(input, rules, cells)).collect();
        (!columns.is_empty()).then_some(Index { columns, rules })
    }

    /// Whether the index has answered for a cell for certain.
    pub(super) fn covers(&self, input: usize, rule: usize) -> bool {
        self.columns.iter().any(|column| column.input == input && !column.unknown.contains(rule))
    }

    /// The rules that can match; `None` when a value is none that the index knows how to look up.
    pub(super) fn candidates(&self, values: &[Value]) -> Option<Candidates<'_>> {
        let mut candidates = Candidates::new(self.rules, self.columns.len());
        for column in &self.columns {
            candidates.limit(column.lookup(&values[column.input])?, &column.always);
        }
        Some(candidates)
    }
}

impl Column {
    fn build(input: usize, rules: usize, cells: &[Vec<&Expr>]) -> Option<Column> {
        let told: Vec<Cell> = cells.iter().map(|rule| cell(rule[input])).collect();
        let mut column = Column::new(input, rules, told.iter().flat_map(Cell::ends).collect());
        if !is_small(rules) && told.iter().map(|cell| column.pieces(cell)).sum::<usize>() > PIECES * rules {
            return None;
        }
        for (rule, told) in told.iter().enumerate() {
            column.insert(rule, rules, told);
        }
        let helps = told.iter().any(|cell| matches!(cell, Cell::Values(_) | Cell::Range(..)));
        (helps && column.always.count() * 2 < rules).then_some(column)
    }

    fn new(input: usize, rules: usize, mut ends: Vec<Number>) -> Column {
        ends.sort_unstable();
        ends.dedup();
        Column {
            input,
            by_text: Map::new(),
            by_boolean: [RuleSet::wide(rules), RuleSet::wide(rules)],
            between: vec![RuleSet::narrow(rules); 2 * ends.len() + 1],
            ends,
            always: RuleSet::wide(rules),
            unknown: RuleSet::wide(rules),
        }
    }

    /// Of how many sets a rule with this cell becomes a member.
    fn pieces(&self, told: &Cell) -> usize {
        match told {
            Cell::Anything | Cell::Unknown => 0,
            Cell::Values(values) => values.len(),
            Cell::Range(low, high) => self.sets_of(*low, *high).len(),
        }
    }

    fn insert(&mut self, rule: usize, rules: usize, told: &Cell) {
        match told {
            Cell::Anything => self.always.insert(rule),
            Cell::Unknown => {
                self.always.insert(rule);
                self.unknown.insert(rule);
            }
            Cell::Values(values) => {
                for value in values {
                    match value {
                        Value::Number(number) => {
                            self.insert_range(rule, Some((*number, true)), Some((*number, true)))
                        }
                        Value::String(text) => {
                            self.by_text
                                .entry(text.clone())
                                .or_insert_with(|| RuleSet::narrow(rules))
                                .insert(rule);
                        }
                        Value::Boolean(value) => self.by_boolean[usize::from(*value)].insert(rule),
                        _ => {}
                    }
                }
            }
            Cell::Range(low, high) => self.insert_range(rule, *low, *high),
        }
    }

    fn insert_range(&mut self, rule: usize, low: Option<(Number, bool)>, high: Option<(Number, bool)>) {
        let sets = self.sets_of(low, high);
        self.between[sets].iter_mut().for_each(|set| set.insert(rule));
    }

    /// The sets of the numbers within a range.
    fn sets_of(&self, low: Option<(Number, bool)>, high: Option<(Number, bool)>) -> Range<usize> {
        let place = |end: Number| 2 * self.ends.partition_point(|other| *other < end) + 1;
        let first = low.map_or(0, |(end, included)| place(end) + usize::from(!included));
        let last = high.map_or(2 * self.ends.len(), |(end, included)| place(end) - usize::from(!included));
        first..(last + 1).max(first)
    }

    /// `None` when the value has to be tested by the evaluator.
    fn lookup(&self, value: &Value) -> Option<Option<&RuleSet>> {
        match value {
            Value::Number(number) => {
                let at = self.ends.partition_point(|end| end < number);
                let exact = self.ends.get(at) == Some(number);
                Some(Some(&self.between[2 * at + usize::from(exact)]))
            }
            Value::String(text) => Some(self.by_text.get(&**text)),
            Value::Boolean(value) => Some(Some(&self.by_boolean[usize::from(*value)])),
            _ => None,
        }
    }
}

impl Cell {
    /// The values it lists.
    pub(super) fn values(&self) -> Option<&[Value]> {
        match self {
            Cell::Values(values) => Some(values),
            Cell::Anything | Cell::Range(..) | Cell::Unknown => None,
        }
    }

    /// The numbers at which it changes.
    pub(super) fn ends(&self) -> Vec<Number> {
        match self {
            Cell::Values(values) => values.iter().filter_map(Value::as_number).collect(),
            Cell::Range(low, high) => [low, high].into_iter().flatten().map(|(end, _)| *end).collect(),
            Cell::Anything | Cell::Unknown => Vec::new(),
        }
    }
}

/// What a cell says.
pub(super) fn cell(expr: &Expr) -> Cell {
    let Kind::Unary(unary) = &expr.kind else {
        return Cell::Unknown;
    };
    match unary {
        Unary::Any => Cell::Anything,
        Unary::Not(_) => Cell::Unknown,
        Unary::Tests(tests) => match tests.as_slice() {
            [Test::Compare(operator, end)] => half_range(*operator, end),
            [Test::Value(Expr { kind: Kind::Range(range), .. })] => {
                match (number(&range.start), number(&range.end)) {
                    (Some(low), Some(high)) => {
                        Cell::Range(Some((low, range.start_included)), Some((high, range.end_included)))
                    }
                    _ => Cell::Unknown,
                }
            }
            tests => {
                tests.iter().map(literal).collect::<Option<Vec<Value>>>().map_or(Cell::Unknown, Cell::Values)
            }
        },
    }
}

fn half_range(operator: Comparison, end: &Expr) -> Cell {
    let Some(end) = number(end) else {
        return Cell::Unknown;
    };
    match operator {
        Comparison::Less => Cell::Range(None, Some((end, false))),
        Comparison::LessOrEqual => Cell::Range(None, Some((end, true))),
        Comparison::Greater => Cell::Range(Some((end, false)), None),
        Comparison::GreaterOrEqual => Cell::Range(Some((end, true)), None),
        Comparison::Equal => Cell::Values(vec![Value::Number(end)]),
        Comparison::NotEqual => Cell::Unknown,
    }
}

fn number(expr: &Expr) -> Option<Number> {
    match &expr.kind {
        Kind::Literal(value) => value.as_number(),
        _ => None,
    }
}

fn literal(test: &Test) -> Option<Value> {
    match test {
        Test::Value(Expr { kind: Kind::Literal(value), .. }) => match value {
            Value::String(_) | Value::Boolean(_) | Value::Number(_) => Some(value.clone()),
            _ => None,
        },
        Test::Value(_) | Test::Compare(..) => None,
    }
}
