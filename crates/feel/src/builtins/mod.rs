//! The built-in functions: one table per subject, found by name when an expression is compiled.
//!
//! **Invariant:** a function answers null, with a warning, to arguments it does not take; it never fails.

mod aggregates;
mod arguments;
mod contexts;
mod conversions;
mod letters;
mod lists;
mod numbers;
mod patterns;
mod ranges;
mod strings;
mod temporal;
mod xpath;

pub(crate) use arguments::Call;

use crate::eval::Answer;
use crate::names::Names;
use crate::types::Type;
use crate::value::Value;
use std::sync::{Arc, OnceLock};

use tyer_map::Map;

/// A built-in function.
pub struct Builtin {
    /// Its name.
    pub(crate) name: &'static str,
    /// The parameters of each of its forms; `?` ends the name of one that may be left out, `…` of one that repeats.
    pub(crate) forms: &'static [&'static [&'static str]],
    /// What it does.
    pub(crate) run: fn(&mut Call<'_, '_>) -> Answer,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Builtin({})", self.name)
    }
}

/// A line of a table.
const fn builtin(
    name: &'static str,
    forms: &'static [&'static [&'static str]],
    run: fn(&mut Call<'_, '_>) -> Answer,
) -> Builtin {
    Builtin { name, forms, run }
}

const TABLES: &[&[Builtin]] = &[
    conversions::TABLE,
    numbers::TABLE,
    strings::TABLE,
    patterns::TABLE,
    lists::TABLE,
    aggregates::TABLE,
    contexts::TABLE,
    ranges::TABLE,
    temporal::TABLE,
];

fn all() -> impl Iterator<Item = &'static Builtin> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<&'static Builtin> {
    static BY_NAME: OnceLock<Map<&'static str, &'static Builtin>> = OnceLock::new();
    BY_NAME.get_or_init(|| all().map(|builtin| (builtin.name, builtin)).collect()).get(name).copied()
}

/// The names of all built-in functions.
pub fn built_in_functions() -> impl Iterator<Item = &'static str> {
    all().map(|builtin| builtin.name)
}

/// The names that take more than one word.
pub(crate) fn names_with_spaces() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| all().map(|builtin| builtin.name).filter(|name| name.contains(' ')).collect())
}

/// The properties of dates, times and ranges that take more than one word.
pub(crate) fn properties_with_spaces() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| ["time offset", "start included", "end included"].into_iter().collect())
}

/// Whether a name is that of a property of a built-in type.
pub(crate) fn is_property(name: &str) -> bool {
    matches!(name, "time offset" | "start included" | "end included")
}

impl Builtin {
    /// Whether some form takes that many arguments.
    pub(crate) fn takes(&self, count: usize) -> bool {
        self.forms.iter().any(|form| {
            let repeats = form.iter().any(|name| name.ends_with('…'));
            let required = form.iter().filter(|name| !name.ends_with('?')).count();
            count >= required && (repeats || count <= form.len())
        })
    }

    /// Puts named arguments in order; `None` when no form has parameters of these names.
    pub(crate) fn positional(&self, arguments: Vec<(Arc<str>, Value)>) -> Option<Vec<Value>> {
        let form = self.forms.iter().find(|form| {
            arguments.iter().all(|(name, _)| form.iter().any(|parameter| plain(parameter) == &**name))
                && form
                    .iter()
                    .filter(|name| !name.ends_with('?'))
                    .all(|required| arguments.iter().any(|(name, _)| plain(required) == &**name))
        })?;
        let mut values = vec![Value::Null; form.len()];
        let mut used = 0;
        for (name, value) in arguments {
            // One key is a text; several are a list, under another name.
            if &*name == "key" && matches!(value, Value::List(_)) {
                return None;
            }
            let at = form.iter().position(|parameter| plain(parameter) == &*name)?;
            values[at] = value;
            used = used.max(at + 1);
        }
        values.truncate(used);
        Some(values)
    }

    pub(crate) fn conforms(&self, parameters: &[Type], result: &Type) -> bool {
        // The table does not say what a function answers.
        let _ = result;
        self.takes(parameters.len())
    }
}

fn plain(parameter: &str) -> &str {
    parameter.trim_end_matches(['?', '…'])
}
