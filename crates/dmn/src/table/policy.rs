//! Hit policies: which of the matching rules count, and how.

use super::Table;
use tyer_feel::ast::Span;
use tyer_feel::{Answer, Context, Evaluator, Node, Number, Value};

/// A hit policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Unique,
    Any,
    Priority,
    First,
    RuleOrder,
    OutputOrder,
    Collect,
    Sum,
    Minimum,
    Maximum,
    Count,
}

impl Policy {
    pub(super) fn read(policy: &str, aggregation: Option<&str>) -> Option<Policy> {
        Some(match (policy, aggregation) {
            ("UNIQUE" | "U" | "", _) => Policy::Unique,
            ("ANY" | "A", _) => Policy::Any,
            ("PRIORITY" | "P", _) => Policy::Priority,
            ("FIRST" | "F", _) => Policy::First,
            ("RULE ORDER" | "R", _) => Policy::RuleOrder,
            ("OUTPUT ORDER" | "O", _) => Policy::OutputOrder,
            ("COLLECT" | "C", None | Some("")) => Policy::Collect,
            ("COLLECT" | "C", Some("SUM")) => Policy::Sum,
            ("COLLECT" | "C", Some("MIN")) => Policy::Minimum,
            ("COLLECT" | "C", Some("MAX")) => Policy::Maximum,
            ("COLLECT" | "C", Some("COUNT")) => Policy::Count,
            _ => return None,
        })
    }

    /// Whether the answer is the output of one rule.
    pub(super) fn takes_one(self) -> bool {
        matches!(self, Policy::Unique | Policy::Any | Policy::Priority | Policy::First)
    }

    /// Whether no match is a number too.
    pub(super) fn counts(self) -> bool {
        self == Policy::Count
    }
}

impl Table {
    /// Whether the rules that match so far tell the answer, whatever the others do.
    pub(super) fn is_decided(&self, hits: &[usize]) -> bool {
        match (self.policy, hits) {
            (Policy::First, _) => true,
            // Two are one too many.
            (Policy::Unique, [_, _, ..]) => true,
            (Policy::Any, [first, .., last]) => {
                let differ = self.answers[*first].zip(self.answers[*last]);
                differ.is_some_and(|(first, last)| first != last)
            }
            _ => false,
        }
    }

    /// Whether the answer is the same with this rule as without it.
    pub(super) fn changes_nothing(&self, hits: &[usize], rule: usize) -> bool {
        match (self.policy, hits) {
            (Policy::Any, [first, ..]) => {
                self.answers[rule].is_some() && self.answers[rule] == self.answers[*first]
            }
            _ => false,
        }
    }

    /// The answer of the table for its matching rules.
    pub(super) fn apply(&self, parts: &[Node], evaluator: &mut Evaluator<'_>, hits: &[usize]) -> Answer {
        match (self.policy, hits) {
            (Policy::Unique, [_, _, ..]) => {
                let rules: Vec<String> = hits.iter().map(|rule| (rule + 1).to_string()).collect();
                let message = format!(
                    "the rules {} of table `{}` match, but only one may",
                    rules.join(", "),
                    self.name
                );
                evaluator.warn(Span::default(), message);
                return Ok(Value::Null);
            }
            (Policy::Unique | Policy::First, [first, ..]) => return self.output(parts, evaluator, *first),
            _ => {}
        }
        let mut outputs = Vec::with_capacity(hits.len());
        for rule in hits {
            outputs.push(self.output(parts, evaluator, *rule)?);
        }
        match self.policy {
            Policy::Any => self.any(evaluator, outputs),
            Policy::Priority => {
                self.rank(&mut outputs);
                Ok(outputs.into_iter().next().unwrap_or(Value::Null))
            }
            Policy::OutputOrder => {
                self.rank(&mut outputs);
                Ok(Value::list(outputs))
            }
            Policy::Sum | Policy::Minimum | Policy::Maximum | Policy::Count => Ok(self.aggregate(outputs)),
            Policy::Unique | Policy::First | Policy::RuleOrder | Policy::Collect => Ok(Value::list(outputs)),
        }
    }

    fn any(&self, evaluator: &mut Evaluator<'_>, outputs: Vec<Value>) -> Answer {
        let mut outputs = outputs.into_iter();
        let first = outputs.next().unwrap_or(Value::Null);
        if outputs.all(|other| other.equals(&first) == Some(true)) {
            return Ok(first);
        }
        evaluator
            .warn(Span::default(), format!("matching rules of table `{}` have different outputs", self.name));
        Ok(Value::Null)
    }

    /// Best first, by the position of each output in its allowed values.
    fn rank(&self, outputs: &mut [Value]) {
        outputs.sort_by_cached_key(|value| -> Vec<usize> {
            let rank = |output: &super::Output, value: &Value| {
                let found = output.ranked.iter().position(|allowed| allowed.equals(value) == Some(true));
                found.unwrap_or(output.ranked.len())
            };
            match (self.outputs.as_slice(), value) {
                ([only], value) => vec![rank(only, value)],
                (several, Value::Context(context)) => several
                    .iter()
                    .map(|output| rank(output, context.get(&output.name).unwrap_or(&Value::Null)))
                    .collect(),
                _ => Vec::new(),
            }
        });
    }

    /// Of several outputs, each on its own.
    fn aggregate(&self, outputs: Vec<Value>) -> Value {
        if self.policy == Policy::Count {
            return Value::from(outputs.len() as i64);
        }
        if let [_] = self.outputs.as_slice() {
            return aggregate(self.policy, &outputs);
        }
        let column = |name: &str| -> Vec<Value> {
            let entry = |value: &Value| match value {
                Value::Context(context) => context.get(name).cloned(),
                _ => None,
            };
            outputs.iter().filter_map(entry).collect()
        };
        let entries = self
            .outputs
            .iter()
            .map(|output| (output.name.clone(), aggregate(self.policy, &column(&output.name))));
        Value::Context(Context::new(entries.collect()))
    }
}

fn aggregate(policy: Policy, values: &[Value]) -> Value {
    let numbers: Option<Vec<Number>> = values.iter().map(Value::as_number).collect();
    let best = |better: std::cmp::Ordering| {
        values.iter().cloned().reduce(
            |best, value| {
                if value.compare(&best) == Some(better) { value } else { best }
            },
        )
    };
    let result = match policy {
        Policy::Sum => numbers.and_then(Number::sum).map(Value::Number),
        Policy::Minimum => best(std::cmp::Ordering::Less),
        Policy::Maximum => best(std::cmp::Ordering::Greater),
        _ => None,
    };
    result.unwrap_or(Value::Null)
}
