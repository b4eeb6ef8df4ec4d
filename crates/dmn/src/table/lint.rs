//! What a decision table leaves out, and where its rules get in each other's way.
//!
//! Each column is cut into the pieces that its cells tell apart: numbers at the ends of ranges, texts one by one.
//! **Invariant:** only what is certain is said: a table with a cell that is not a literal or a range is left alone.

use super::index::{Cell, cell};
use std::sync::Arc;
use tyer_feel::Number;
use tyer_feel::Value;
use tyer_feel::ast::Expr;

/// Findings beyond this many are not shown.
const SHOWN: usize = 5;
/// Combinations looked at before the search for gaps is given up.
const BUDGET: usize = 100_000;
/// Larger tables are not compared rule by rule.
const MAXIMUM_RULES: usize = 2_000;

/// The pieces of one column.
enum Domain {
    Numbers(Vec<Number>),
    /// The texts, and whether there are others.
    Texts(Vec<Arc<str>>, bool),
    Booleans,
}

struct Column {
    domain: Domain,
    /// Per rule, which pieces it covers.
    covered: Vec<Pieces>,
    /// Which pieces can be at all.
    possible: Pieces,
}

/// Some of the pieces of a column, a bit for each.
#[derive(Clone)]
struct Pieces(Vec<u64>);

impl Pieces {
    fn none(count: usize) -> Pieces {
        Pieces(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, piece: usize) {
        self.0[piece / 64] |= 1 << (piece % 64);
    }

    fn contains(&self, piece: usize) -> bool {
        self.0[piece / 64] >> (piece % 64) & 1 == 1
    }
}

/// A table as the lint sees it; `None` when something in it cannot be told.
pub(super) struct Lint {
    columns: Vec<Column>,
    rules: usize,
}

impl Lint {
    /// `cells` per rule, `allowed` per input.
    pub(super) fn new(cells: &[Vec<&Expr>], allowed: &[&Expr]) -> Option<Lint> {
        if cells.is_empty() || cells.len() > MAXIMUM_RULES || allowed.is_empty() {
            return None;
        }
        let columns: Option<Vec<Column>> = (0..allowed.len())
            .map(|input| {
                let told: Vec<Cell> = cells.iter().map(|rule| cell(rule[input])).collect();
                Column::new(&told, &cell(allowed[input]))
            })
            .collect();
        Some(Lint { columns: columns?, rules: cells.len() })
    }

    /// Pairs of rules, counted from 1, that some input matches both of.
    pub(super) fn overlaps(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for one in 0..self.rules {
            for other in one + 1..self.rules {
                if self.columns.iter().all(|column| column.meet(one, other)) {
                    found.push((one + 1, other + 1));
                    if found.len() >= SHOWN {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// Inputs that no rule matches, as a person would write them.
    pub(super) fn gaps(&self) -> Vec<String> {
        let mut search = Search { columns: &self.columns, found: Vec::new(), budget: BUDGET };
        let rules: Vec<usize> = (0..self.rules).collect();
        search.look(&rules, &mut Vec::new());
        search.found
    }
}

struct Search<'a> {
    columns: &'a [Column],
    found: Vec<String>,
    budget: usize,
}

impl Search<'_> {
    /// `rules` cover all pieces chosen so far.
    fn look(&mut self, rules: &[usize], chosen: &mut Vec<usize>) {
        if self.found.len() >= SHOWN || self.budget == 0 {
            return;
        }
        self.budget -= 1;
        if rules.is_empty() {
            self.found.push(self.describe(chosen));
            return;
        }
        let Some(column) = self.columns.get(chosen.len()) else { return };
        for piece in (0..column.domain.count()).filter(|piece| column.possible.contains(*piece)) {
            let left: Vec<usize> =
                rules.iter().copied().filter(|rule| column.covered[*rule].contains(piece)).collect();
            chosen.push(piece);
            self.look(&left, chosen);
            chosen.pop();
        }
    }

    fn describe(&self, chosen: &[usize]) -> String {
        let parts = self.columns.iter().enumerate().map(|(index, column)| match chosen.get(index) {
            Some(piece) => column.domain.piece(*piece),
            None => "-".to_owned(),
        });
        parts.collect::<Vec<_>>().join(", ")
    }
}

impl Column {
    fn new(told: &[Cell], allowed: &Cell) -> Option<Column> {
        let domain = Domain::of(told, allowed)?;
        let covered: Option<Vec<Pieces>> = told.iter().map(|cell| domain.pieces(cell)).collect();
        let possible = domain.pieces(allowed)?;
        Some(Column { covered: covered?, possible, domain })
    }

    fn meet(&self, one: usize, other: usize) -> bool {
        let both = self.covered[one].0.iter().zip(&self.covered[other].0).zip(&self.possible.0);
        both.into_iter().any(|((one, other), possible)| one & other & possible != 0)
    }
}

impl Domain {
    /// `None` when the column mixes types, or has a cell that cannot be told.
    fn of(told: &[Cell], allowed: &Cell) -> Option<Domain> {
        let all = || told.iter().chain([allowed]);
        let values = || all().filter_map(Cell::values).flatten();
        if all().any(|cell| matches!(cell, Cell::Unknown)) {
            return None;
        }
        let ranges = all().any(|cell| matches!(cell, Cell::Range(..)));
        if values().all(|value| value.as_number().is_some()) {
            let mut ends: Vec<Number> = all().flat_map(Cell::ends).collect();
            ends.sort_unstable();
            ends.dedup();
            return Some(Domain::Numbers(ends));
        }
        if ranges {
            return None;
        }
        if values().all(|value| matches!(value, Value::Boolean(_))) {
            return Some(Domain::Booleans);
        }
        let texts: Option<Vec<Arc<str>>> = values().map(text).collect();
        let mut texts = texts?;
        texts.sort_unstable();
        texts.dedup();
        Some(Domain::Texts(texts, matches!(allowed, Cell::Anything)))
    }

    fn count(&self) -> usize {
        match self {
            Domain::Numbers(ends) => 2 * ends.len() + 1,
            Domain::Texts(texts, others) => texts.len() + usize::from(*others),
            Domain::Booleans => 2,
        }
    }

    /// Which pieces a cell covers.
    fn pieces(&self, cell: &Cell) -> Option<Pieces> {
        let mut pieces = Pieces::none(self.count());
        match cell {
            Cell::Anything => (0..self.count()).for_each(|piece| pieces.insert(piece)),
            Cell::Unknown => return None,
            Cell::Range(low, high) => self.fill(&mut pieces, *low, *high),
            Cell::Values(values) => {
                for value in values {
                    match (self, value) {
                        (Domain::Numbers(_), Value::Number(number)) => {
                            self.fill(&mut pieces, Some((*number, true)), Some((*number, true)));
                        }
                        (Domain::Texts(texts, _), Value::String(text)) => {
                            pieces.insert(texts.binary_search(text).ok()?);
                        }
                        (Domain::Booleans, Value::Boolean(value)) => pieces.insert(usize::from(*value)),
                        _ => return None,
                    }
                }
            }
        }
        Some(pieces)
    }

    fn fill(&self, pieces: &mut Pieces, low: Option<(Number, bool)>, high: Option<(Number, bool)>) {
        let Domain::Numbers(ends) = self else { return };
        let place = |end: Number| 2 * ends.partition_point(|other| *other < end) + 1;
        let first = low.map_or(0, |(end, included)| place(end) + usize::from(!included));
        let last = high.map_or(2 * ends.len(), |(end, included)| place(end) - usize::from(!included));
        (first..=last).for_each(|piece| pieces.insert(piece));
    }

    fn piece(&self, piece: usize) -> String {
        match self {
            Domain::Booleans => (piece == 1).to_string(),
            Domain::Texts(texts, _) => {
                texts.get(piece).map_or("any other text".to_owned(), |text| format!("{text:?}"))
            }
            Domain::Numbers(ends) if piece % 2 == 1 => ends[piece / 2].to_string(),
            Domain::Numbers(ends) => {
                match (piece.checked_sub(1).map(|before| ends[before / 2]), ends.get(piece / 2)) {
                    (Some(low), Some(high)) => format!("({low}..{high})"),
                    (None, Some(high)) => format!("< {high}"),
                    (Some(low), None) => format!("> {low}"),
                    (None, None) => "-".to_owned(),
                }
            }
        }
    }
}

fn text(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
