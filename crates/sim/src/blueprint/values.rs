//! Variables and the conditions that read them: as little as makes paths differ.
//!
//! **Invariant:** the text of a value is JSON and FEEL at once, and the text of a condition is FEEL.

use std::collections::BTreeMap;
use std::fmt;

/// Variables by name.
pub type Variables = BTreeMap<String, Value>;

/// A value that a condition can read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// The numbers from 1 to this one, as a list.
    Items(u32),
}

/// A condition on one variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// The flag is set.
    Holds(String),
    /// The flag is not set.
    Fails(String),
    /// The number is this one or more.
    AtLeast(String, i64),
    /// The number is less.
    Below(String, i64),
}

impl Condition {
    /// The variable that it reads.
    pub fn variable(&self) -> &str {
        let (Condition::Holds(name)
        | Condition::Fails(name)
        | Condition::AtLeast(name, _)
        | Condition::Below(name, _)) = self;
        name
    }

    /// What it says of these variables; `None` when its variable is not known.
    pub fn value(&self, variables: &Variables) -> Option<bool> {
        let value = variables.get(self.variable())?;
        Some(match (self, value) {
            (Condition::Holds(_), Value::Flag(flag)) => *flag,
            (Condition::Fails(_), Value::Flag(flag)) => !*flag,
            (Condition::AtLeast(_, least), Value::Number(number)) => number >= least,
            (Condition::Below(_, limit), Value::Number(number)) => number < limit,
            // A comparison of the wrong type is null, and null is not true.
            (_, Value::Flag(_) | Value::Number(_) | Value::Items(_)) => false,
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(flag) => write!(formatter, "{flag}"),
            Value::Number(number) => write!(formatter, "{number}"),
            Value::Items(count) => {
                let items: Vec<String> = (1..=*count).map(|item| item.to_string()).collect();
                write!(formatter, "[{}]", items.join(", "))
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Holds(name) => write!(formatter, "{name}"),
            Condition::Fails(name) => write!(formatter, "not({name})"),
            Condition::AtLeast(name, least) => write!(formatter, "{name} >= {least}"),
            Condition::Below(name, limit) => write!(formatter, "{name} < {limit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_reads_its_variable() {
        let variables: Variables = [("n".to_owned(), Value::Number(3))].into();
        assert_eq!(Condition::AtLeast("n".to_owned(), 3).value(&variables), Some(true));
        assert_eq!(Condition::Below("n".to_owned(), 3).value(&variables), Some(false));
        assert_eq!(Condition::Holds("n".to_owned()).value(&variables), Some(false));
        assert_eq!(Condition::Holds("unknown".to_owned()).value(&variables), None);
    }

    #[test]
    fn values_and_conditions_are_written_as_feel() {
        assert_eq!(Value::Items(3).to_string(), "[1, 2, 3]");
        assert_eq!(Condition::Fails("flag".to_owned()).to_string(), "not(flag)");
    }
}
