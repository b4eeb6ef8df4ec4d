//! The evaluation of a decision: everything it needs, each once, in order.

use crate::graph::post_order;
use crate::model::{DecisionModel, Element, ElementKind};
use std::borrow::Cow;
use std::sync::Arc;
use tyer_feel::ast::Span;
use tyer_feel::{Clock, Context, Evaluation, Exceeded, Limits, Lookup, Trace, Value, Warning};

/// What came out of a decision, and how.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value; null when nothing sensible came out.
    pub value: Value,
    /// Every decision that was evaluated, in order, the asked one last.
    pub audit: Vec<Audit>,
    /// The limit that stopped it, if one did.
    pub exceeded: Option<Exceeded>,
}

/// How one decision came out.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The id of the decision.
    pub id: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
    /// What it looked at: inputs and other decisions.
    pub inputs: Vec<(Arc<str>, Value)>,
    /// What came out.
    pub value: Value,
    /// The rules that matched, per decision table evaluated.
    pub rules: Vec<Trace>,
    /// Why parts of it are null.
    pub warnings: Vec<Warning>,
}

impl DecisionModel {
    /// Evaluates a decision, a knowledge model or a service by its name or id; `None` when the model has no such.
    pub fn evaluate(
        &self,
        name: &str,
        inputs: &dyn Lookup,
        clock: &Clock,
        limits: &Limits,
    ) -> Option<Outcome> {
        let target = self.find(name)?;
        let mut run = Run::new(self, inputs, clock, limits);
        if self.elements[target].kind == ElementKind::Service {
            return Some(run.service(target));
        }
        run.all(&self.order_of(target));
        Some(run.outcome(target))
    }

    /// What an element needs, in the order to evaluate, itself last.
    fn order_of(&self, target: usize) -> Cow<'_, [usize]> {
        match &self.elements[target].order {
            Some(order) => Cow::Borrowed(order),
            None => Cow::Owned(post_order(&self.elements, target, usize::MAX).unwrap_or_default()),
        }
    }
}

struct Run<'a> {
    model: &'a DecisionModel,
    inputs: &'a dyn Lookup,
    clock: &'a Clock,
    limits: &'a Limits,
    values: Vec<Option<Value>>,
    audit: Vec<Audit>,
    exceeded: Option<Exceeded>,
}

impl<'a> Run<'a> {
    fn new(
        model: &'a DecisionModel,
        inputs: &'a dyn Lookup,
        clock: &'a Clock,
        limits: &'a Limits,
    ) -> Run<'a> {
        let values = vec![None; model.elements.len()];
        Run { model, inputs, clock, limits, values, audit: Vec::new(), exceeded: None }
    }

    fn outcome(self, target: usize) -> Outcome {
        let value = self.values[target].clone().unwrap_or(Value::Null);
        Outcome { value, audit: self.audit, exceeded: self.exceeded }
    }

    fn all(&mut self, order: &[usize]) {
        for index in order {
            if self.exceeded.is_some() {
                return;
            }
            let value = self.element(*index);
            self.values[*index] = Some(value);
        }
    }

    fn element(&mut self, index: usize) -> Value {
        let element = &self.model.elements[index];
        let Some(logic) = &element.logic else {
            return self.input(element);
        };
        let scope = Scope { model: self.model, element, values: &self.values };
        let evaluation = logic.evaluate_with(&scope, self.clock, self.limits);
        self.exceeded = self.exceeded.or(evaluation.exceeded);
        let value = evaluation.value.clone();
        if element.kind == ElementKind::Decision {
            self.record(element, evaluation);
        }
        value
    }

    fn input(&mut self, element: &Element) -> Value {
        let Some(given) = self.inputs.lookup(&element.name) else {
            return Value::Null;
        };
        let given = given.read();
        let type_name = given.type_name();
        element.accept(given).unwrap_or_else(|| {
            let message =
                format!("the input `{}` is a {type_name} and not of its declared type", element.name);
            let warnings = vec![Warning { span: Span::default(), message }];
            let audit = Audit {
                id: element.id.clone(),
                name: element.name.clone(),
                inputs: Vec::new(),
                value: Value::Null,
                rules: Vec::new(),
                warnings,
            };
            self.audit.push(audit);
            Value::Null
        })
    }

    fn record(&mut self, element: &Element, evaluation: Evaluation) {
        let mut inputs = Vec::with_capacity(element.requirements.len());
        for requirement in &element.requirements {
            let needed = &self.model.elements[requirement.element];
            if matches!(needed.kind, ElementKind::Input | ElementKind::Decision) {
                let value = self.values[requirement.element].clone().unwrap_or(Value::Null);
                inputs.push((needed.name.clone(), value));
            }
        }
        self.audit.push(Audit {
            id: element.id.clone(),
            name: element.name.clone(),
            inputs,
            value: evaluation.value,
            rules: evaluation.trace,
            warnings: evaluation.warnings,
        });
    }

    /// A service is called with what it takes, found among the inputs by name.
    fn service(mut self, index: usize) -> Outcome {
        let element = &self.model.elements[index];
        self.all(&self.model.order_of(index));
        let function = self.values[index].take().unwrap_or(Value::Null);
        let (Some(service), Value::Function(function)) = (&element.service, function) else {
            return self.outcome(index);
        };
        let arguments = service.parameters.iter().map(|parameter| {
            self.inputs.lookup(&self.model.elements[*parameter].name).unwrap_or(Value::Null).read()
        });
        let evaluation = function.invoke(arguments.collect(), self.clock, self.limits);
        self.exceeded = self.exceeded.or(evaluation.exceeded);
        self.values[index] = Some(evaluation.value.clone());
        self.record(element, evaluation);
        self.outcome(index)
    }
}

/// What the logic of one element sees: what it requires, and nothing else.
struct Scope<'a> {
    model: &'a DecisionModel,
    element: &'a Element,
    values: &'a [Option<Value>],
}

impl Lookup for Scope<'_> {
    fn lookup(&self, name: &str) -> Option<Value> {
        let value = |element: usize| self.values[element].clone().unwrap_or(Value::Null);
        if let Some(element) = self.element.by_name.get(name) {
            return Some(value(*element));
        }
        let imported =
            self.element.requirements.iter().filter(|needed| needed.import.as_deref() == Some(name));
        let entries: Vec<(Arc<str>, Value)> = imported
            .map(|needed| (self.model.elements[needed.element].name.clone(), value(needed.element)))
            .collect();
        (!entries.is_empty()).then(|| Value::Context(Context::new(entries)))
    }
}
