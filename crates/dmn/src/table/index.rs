//! Large tables: per column, which rules an input value can match at all.
//!
//! **Invariant:** the index only leaves out rules that cannot match; what it does not know for certain it keeps and
//! leaves to the evaluator.

use std::collections::BTreeMap;
use std::sync::Arc;
use tyer_feel::ast::{Comparison, Expr, Kind, Test, Unary};
use tyer_feel::{Number, Value};

/// Smaller tables are faster without.
const INDEX_FROM: usize = 4;

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
    by_text: BTreeMap<Arc<str>, RuleSet>,
    by_boolean: [RuleSet; 2],
    /// Sorted ends of number ranges; `sets[2 * i + 1]` is at end `i`, `sets[2 * i]` between it and the one before.
    ends: Vec<Number>,
    between: Vec<RuleSet>,
    /// Rules whose test is `-`, and rules that have to be evaluated.
    always: RuleSet,
    /// Rules that have to be evaluated.
    unknown: RuleSet,
}

/// A set of rules.
#[derive(Clone, Debug)]
pub(super) struct RuleSet(Vec<u64>);

impl RuleSet {
    fn empty(rules: usize) -> RuleSet {
        RuleSet(vec![0; rules.div_ceil(64)])
    }

    fn insert(&mut self, rule: usize) {
        self.0[rule / 64] |= 1 << (rule % 64);
    }

    fn contains(&self, rule: usize) -> bool {
        self.0[rule / 64] >> (rule % 64) & 1 == 1
    }

    fn word(&self, at: usize) -> u64 {
        self.0[at]
    }
}

/// The rules that can match an input, in order, found word by word.
pub(super) struct Candidates<'a> {
    /// Per column, the rules that its value matches and the rules that match anything.
    columns: Vec<(Option<&'a RuleSet>, &'a RuleSet)>,
    words: usize,
    at: usize,
    rest: u64,
}

impl Candidates<'_> {
    fn load(&self, at: usize) -> u64 {
        let column = |(found, always): &(Option<&RuleSet>, &RuleSet)| {
            found.map_or(0, |found| found.word(at)) | always.word(at)
        };
        self.columns.iter().map(column).fold(u64::MAX, |all, word| all & word)
    }
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.at += 1;
            if self.at > self.words {
                return None;
            }
            self.rest = self.load(self.at - 1);
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((self.at - 1) * 64 + bit)
    }
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
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push((column.lookup(&values[column.input])?, &column.always));
        }
        Some(Candidates { columns, words: self.rules.div_ceil(64), at: 0, rest: 0 })
    }
}

impl Column {
    fn build(input: usize, rules: usize, cells: &[Vec<&Expr>]) -> Option<Column> {
        let told: Vec<Cell> = cells.iter().map(|rule| cell(rule[input])).collect();
        let mut column = Column {
            input,
            by_text: BTreeMap::new(),
            by_boolean: [RuleSet::empty(rules), RuleSet::empty(rules)],
            ends: Vec::new(),
            between: Vec::new(),
            always: RuleSet::empty(rules),
            unknown: RuleSet::empty(rules),
        };
        column.ends = told.iter().flat_map(Cell::ends).collect();
        column.ends.sort_unstable();
        column.ends.dedup();
        column.between = vec![RuleSet::empty(rules); 2 * column.ends.len() + 1];
        for (rule, told) in told.iter().enumerate() {
            column.insert(rule, told);
        }
        let helps = told.iter().any(|cell| matches!(cell, Cell::Values(_) | Cell::Range(..)));
        let mostly = column.always.0.iter().map(|word| word.count_ones() as usize).sum::<usize>() * 2 < rules;
        (helps && mostly).then_some(column)
    }

    fn insert(&mut self, rule: usize, told: &Cell) {
        match told {
            Cell::Anything => self.always.insert(rule),
            Cell::Unknown => {
                self.always.insert(rule);
                self.unknown.insert(rule);
            }
            Cell::Values(values) => {
                let size = self.always.0.len() * 64;
                for value in values {
                    match value {
                        Value::Number(number) => {
                            self.insert_range(rule, Some((*number, true)), Some((*number, true)))
                        }
                        Value::String(text) => {
                            self.by_text
                                .entry(text.clone())
                                .or_insert_with(|| RuleSet::empty(size))
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
        let place = |end: Number| 2 * self.ends.partition_point(|other| *other < end) + 1;
        let first = low.map_or(0, |(end, included)| place(end) + usize::from(!included));
        let last = high.map_or(self.between.len() - 1, |(end, included)| place(end) - usize::from(!included));
        for set in self.between.iter_mut().take(last + 1).skip(first) {
            set.insert(rule);
        }
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
