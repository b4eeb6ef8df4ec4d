//! Decision tables.
//!
//! **Invariant:** rules are tried in order; a hit policy stops as soon as its answer is certain.

mod index;
mod lint;
mod policy;
mod read;
mod rules;

pub(crate) use read::read;

use index::Index;
use policy::Policy;
use std::sync::Arc;
use tyer_feel::ast::Span;
use tyer_feel::{Answer, Evaluator, Extension, Node, Stop, Trace, Value};

/// A decision table; its expressions are the parts of the extension it is, laid out as
/// inputs, allowed inputs, then per rule the tests and the outputs, then defaults.
#[derive(Debug)]
pub(crate) struct Table {
    name: Arc<str>,
    policy: Policy,
    inputs: usize,
    outputs: Vec<Output>,
    rules: usize,
    has_allowed: Vec<bool>,
    has_default: bool,
    index: Option<Index>,
    /// Per rule, for a table where all that match have to answer the same: rules of one number do for certain, rules
    /// of different numbers do not.
    answers: Vec<Option<u8>>,
}

#[derive(Debug)]
struct Output {
    name: Arc<str>,
    /// Allowed values, best first; what the priority policies rank by.
    ranked: Vec<Value>,
}

impl Table {
    fn allowed_at(&self, input: usize) -> usize {
        self.inputs + input
    }

    fn rule_at(&self, rule: usize) -> usize {
        2 * self.inputs + rule * (self.inputs + self.outputs.len())
    }

    fn output_at(&self, rule: usize, output: usize) -> usize {
        self.rule_at(rule) + self.inputs + output
    }

    fn default_at(&self, output: usize) -> usize {
        self.rule_at(self.rules) + output
    }

    /// The values of the inputs; `None` when one of them is not allowed.
    fn input_values(
        &self,
        parts: &[Node],
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Option<Vec<Value>>, Stop> {
        let mut values = Vec::with_capacity(self.inputs);
        for input in 0..self.inputs {
            let value = evaluator.evaluate(&parts[input])?;
            if self.has_allowed[input] && !value.is_null() {
                let allowed = evaluator.test(&parts[self.allowed_at(input)], &value)?;
                if allowed != Some(true) {
                    evaluator.warn(
                        Span::default(),
                        format!("the input {value} of table `{}` is not allowed", self.name),
                    );
                    return Ok(None);
                }
            }
            values.push(value);
        }
        Ok(Some(values))
    }

    /// The rules that match, in order; no more than the policy has to know.
    fn hits(
        &self,
        parts: &[Node],
        evaluator: &mut Evaluator<'_>,
        values: &[Value],
    ) -> Result<Vec<usize>, Stop> {
        let indexed = self.index.as_ref().and_then(|index| Some((index, index.candidates(values)?)));
        match indexed {
            Some((index, candidates)) => {
                let is_open = |input, rule| !index.covers(input, rule);
                self.hits_among(candidates, is_open, parts, evaluator, values)
            }
            None => self.hits_among(0..self.rules, |_, _| true, parts, evaluator, values),
        }
    }

    /// `is_open` says which cells an index has not answered for.
    fn hits_among(
        &self,
        rules: impl Iterator<Item = usize>,
        is_open: impl Fn(usize, usize) -> bool,
        parts: &[Node],
        evaluator: &mut Evaluator<'_>,
        values: &[Value],
    ) -> Result<Vec<usize>, Stop> {
        let mut hits = Vec::new();
        'rules: for rule in rules {
            if self.changes_nothing(&hits, rule) {
                continue;
            }
            evaluator.burn(1)?;
            for (input, value) in values.iter().enumerate() {
                let test = &parts[self.rule_at(rule) + input];
                if is_open(input, rule) && evaluator.test(test, value)? != Some(true) {
                    continue 'rules;
                }
            }
            hits.push(rule);
            if self.is_decided(&hits) {
                break;
            }
        }
        Ok(hits)
    }

    /// The output of a rule: a value, or a context when there are several.
    fn output(&self, parts: &[Node], evaluator: &mut Evaluator<'_>, rule: usize) -> Answer {
        self.outputs_from(parts, evaluator, self.output_at(rule, 0))
    }

    fn outputs_from(&self, parts: &[Node], evaluator: &mut Evaluator<'_>, at: usize) -> Answer {
        if self.outputs.len() == 1 {
            return evaluator.evaluate(&parts[at]);
        }
        let mut entries = Vec::with_capacity(self.outputs.len());
        for (offset, output) in self.outputs.iter().enumerate() {
            entries.push((output.name.clone(), evaluator.evaluate(&parts[at + offset])?));
        }
        Ok(Value::Context(tyer_feel::Context::new(entries)))
    }

    fn default(&self, parts: &[Node], evaluator: &mut Evaluator<'_>) -> Answer {
        if self.has_default {
            self.outputs_from(parts, evaluator, self.default_at(0))
        } else {
            Ok(Value::Null)
        }
    }
}

impl Extension for Table {
    fn evaluate(&self, parts: &[Node], evaluator: &mut Evaluator<'_>) -> Answer {
        let Some(values) = self.input_values(parts, evaluator)? else {
            return Ok(Value::Null);
        };
        let hits = self.hits(parts, evaluator, &values)?;
        let rules = hits.iter().map(|rule| *rule as u32 + 1).collect();
        evaluator.trace(Trace { name: self.name.clone(), inputs: values, rules });
        if hits.is_empty() && (self.has_default || !self.policy.counts()) {
            return self.default(parts, evaluator);
        }
        self.apply(parts, evaluator, &hits)
    }
}
