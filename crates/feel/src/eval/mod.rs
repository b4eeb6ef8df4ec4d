//! Evaluation: a walk over the compiled form, with one stack of slots and one tank of fuel.
//!
//! **Invariant:** what is wrong with the data is null plus a warning; `Stop` is only ever a limit.
//! **Invariant:** no value that leaves a node is `Raw`, but for a bare variable at the root.

mod arithmetic;
mod call;
mod filter;
mod globals;
mod iterate;
mod logic;
mod membership;
mod path;
mod unread;

use crate::Clock;
use crate::ast::Span;
use crate::compile::Program;
use crate::error::Warning;
use crate::function::{Closure, Function};
use crate::limits::{Exceeded, Limits};
use crate::node::{FunctionNode, Node, NodeKind};
use crate::value::{Context, List, Range, Value};
use serde_json::value::RawValue;
use std::sync::Arc;

pub(crate) use filter::position;
use globals::Globals;
pub(crate) use logic::truth_value;

/// Where an evaluation finds its variables.
pub trait Lookup {
    /// The value of a variable; `None` when there is none of that name.
    fn lookup(&self, name: &str) -> Option<Value>;

    /// The JSON of a variable that is kept as unread JSON. Who keeps variables so answers here too, and a condition
    /// on them counts no references.
    fn unread(&self, _name: &str) -> Option<&Arc<RawValue>> {
        None
    }
}

/// What an extension did, for whoever asks how a value came about.
#[derive(Clone, Debug)]
pub struct Trace {
    /// What it was.
    pub name: Arc<str>,
    /// What it looked at.
    pub inputs: Vec<Value>,
    /// Which of its rules applied, counted from 1.
    pub rules: Vec<u32>,
}

/// The evaluation was stopped by a limit, which the evaluator remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop;

/// A value, unless a limit was reached.
pub type Answer = Result<Value, Stop>;

/// True, false or neither, unless a limit was reached.
pub type Truth = Result<Option<bool>, Stop>;

/// One running evaluation.
pub struct Evaluator<'a> {
    names: &'a [Arc<str>],
    variables: &'a dyn Lookup,
    globals: Globals<'a>,
    stack: Vec<Value>,
    base: usize,
    running: Option<Arc<Closure>>,
    pub(crate) clock: &'a Clock,
    pub(crate) limits: &'a Limits,
    fuel: u64,
    depth: u32,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) traces: Vec<Trace>,
    pub(crate) exceeded: Option<Exceeded>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        program: &'a Program,
        variables: &'a dyn Lookup,
        clock: &'a Clock,
        limits: &'a Limits,
    ) -> Evaluator<'a> {
        let stack = if program.slots == 0 { Vec::new() } else { vec![Value::Null; program.slots as usize] };
        Evaluator::over(&program.variables, variables, stack, clock, limits)
    }

    /// An evaluator without an expression, to call functions with.
    pub(crate) fn bare(clock: &'a Clock, limits: &'a Limits) -> Evaluator<'a> {
        Evaluator::over(&[], &(), Vec::new(), clock, limits)
    }

    #[inline]
    fn over(
        names: &'a [Arc<str>],
        variables: &'a dyn Lookup,
        stack: Vec<Value>,
        clock: &'a Clock,
        limits: &'a Limits,
    ) -> Evaluator<'a> {
        Evaluator {
            names,
            variables,
            globals: Globals::new(names.len()),
            stack,
            base: 0,
            running: None,
            clock,
            limits,
            fuel: limits.fuel,
            depth: 0,
            warnings: Vec::new(),
            traces: Vec::new(),
            exceeded: None,
        }
    }

    /// Evaluates a node.
    #[inline]
    pub fn evaluate(&mut self, node: &Node) -> Answer {
        match &node.kind {
            NodeKind::Constant(value) => Ok(value.clone()),
            NodeKind::Local(slot) => Ok(self.stack[self.base + *slot as usize].clone()),
            NodeKind::Global(index) => Ok(self.global(*index, node.span)),
            NodeKind::GlobalPath(index, path) => {
                self.burn(1)?;
                self.global_path(*index, path, node.span)
            }
            _ => self.nested(node),
        }
    }

    #[inline(never)]
    fn nested(&mut self, node: &Node) -> Answer {
        self.burn(1)?;
        self.deepen()?;
        let answer = self.dispatch(node);
        self.depth -= 1;
        answer
    }

    /// Goes one level down, unless it is too deep there already.
    #[inline]
    fn deepen(&mut self) -> Result<(), Stop> {
        if self.depth >= self.limits.depth {
            return Err(self.stop(Exceeded::Depth(self.limits.depth)));
        }
        self.depth += 1;
        Ok(())
    }

    fn dispatch(&mut self, node: &Node) -> Answer {
        let span = node.span;
        match &node.kind {
            NodeKind::Constant(value) => Ok(value.clone()),
            NodeKind::Local(slot) => Ok(self.slot(*slot).clone()),
            NodeKind::Global(index) => Ok(self.global(*index, span)),
            NodeKind::Own => Ok(self.own()),
            NodeKind::GlobalPath(index, path) => self.global_path(*index, path, span),
            NodeKind::ItemOr(slot, name, outer) => self.item_or(*slot, name, outer),
            NodeKind::List(items) => self.list(items),
            NodeKind::Context(entries) => self.context(entries),
            NodeKind::Range(ends, start_included, end_included) => {
                self.range(ends, *start_included, *end_included, span)
            }
            NodeKind::HalfRange(operator, end) => self.half_range(*operator, end, span),
            NodeKind::Path(base, name) => self.path(base, name, span),
            NodeKind::Filter(filter) => self.filter(filter, span),
            NodeKind::Builtin(builtin, arguments) => self.builtin(builtin, arguments, span),
            NodeKind::Call(function, arguments) => self.call_node(function, arguments, span),
            NodeKind::NamedCall(function, arguments) => self.named_call(function, arguments, span),
            NodeKind::InstanceOf(value, kind) => {
                Ok(Value::Boolean(kind.has_instance(&self.evaluate(value)?)))
            }
            NodeKind::Negate(value) => self.negate(value, span),
            NodeKind::Arithmetic(first, rest) => self.arithmetic(first, rest, span),
            NodeKind::Compare(operator, sides) => Ok(truth_value(self.compare(*operator, sides, span)?)),
            NodeKind::And(parts) => Ok(truth_value(self.and(parts)?)),
            NodeKind::Or(parts) => Ok(truth_value(self.or(parts)?)),
            NodeKind::Between(parts) => self.between(parts, span),
            NodeKind::In(value, tests) => self.is_in(value, tests),
            NodeKind::If(parts) => self.conditional(parts),
            NodeKind::For(node) => self.for_loop(node),
            NodeKind::Quantified(node) => self.quantified(node),
            NodeKind::Function(node) => self.function(node),
            NodeKind::Unary(unary) => {
                let input = self.slot(unary.input).clone();
                Ok(truth_value(self.unary(unary, &input)?))
            }
            NodeKind::Coerce(value, kind) => self.coerce(value, kind, span),
            NodeKind::Extension(extension, parts) => extension.evaluate(parts, self),
        }
    }

    /// Takes fuel; an evaluation without fuel stops.
    #[inline]
    pub fn burn(&mut self, steps: u64) -> Result<(), Stop> {
        if let Some(rest) = self.fuel.checked_sub(steps) {
            self.fuel = rest;
            return Ok(());
        }
        self.fuel = 0;
        Err(self.stop(Exceeded::Fuel(self.limits.fuel)))
    }

    #[cold]
    pub(crate) fn stop(&mut self, limit: Exceeded) -> Stop {
        self.exceeded.get_or_insert(limit);
        Stop
    }

    /// Says why something is null.
    #[cold]
    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        if self.warnings.len() < self.limits.warnings {
            self.warnings.push(Warning { span, message: message.into() });
        }
    }

    /// Leaves a note for whoever asks how the value came about.
    pub fn trace(&mut self, trace: Trace) {
        if self.traces.len() < self.limits.traces {
            self.traces.push(trace);
        }
    }

    /// Null, and why.
    #[cold]
    pub(crate) fn null(&mut self, span: Span, message: impl Into<String>) -> Answer {
        self.warn(span, message);
        Ok(Value::Null)
    }

    fn slot(&self, slot: u32) -> &Value {
        &self.stack[self.base + slot as usize]
    }

    pub(crate) fn set(&mut self, slot: u32, value: Value) {
        let at = self.base + slot as usize;
        self.stack[at] = value;
    }

    fn own(&self) -> Value {
        self.running
            .as_ref()
            .map_or(Value::Null, |closure| Value::Function(Function::Defined(closure.clone())))
    }

    #[inline(never)]
    fn list(&mut self, items: &[Node]) -> Answer {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            values.push(self.evaluate(item)?);
        }
        self.checked(Value::List(List::new(values)))
    }

    #[inline(never)]
    fn context(&mut self, entries: &[(Arc<str>, u32, Node)]) -> Answer {
        let mut values = Vec::with_capacity(entries.len());
        for (name, slot, node) in entries {
            let value = self.evaluate(node)?;
            self.set(*slot, value.clone());
            values.push((name.clone(), value));
        }
        self.checked(Value::Context(Context::new(values)))
    }

    /// Refuses values that nest too deep or are too large.
    pub(crate) fn checked(&mut self, value: Value) -> Answer {
        if value.depth() > self.limits.value_depth {
            return Err(self.stop(Exceeded::ValueDepth(self.limits.value_depth)));
        }
        match &value {
            Value::List(list) if list.len() > self.limits.list_items => {
                Err(self.stop(Exceeded::ListItems(self.limits.list_items)))
            }
            Value::String(text) if text.len() > self.limits.string_bytes => {
                Err(self.stop(Exceeded::StringBytes(self.limits.string_bytes)))
            }
            _ => Ok(value),
        }
    }

    #[inline(never)]
    fn range(&mut self, ends: &(Node, Node), start_included: bool, end_included: bool, span: Span) -> Answer {
        let start = self.evaluate(&ends.0)?;
        let end = self.evaluate(&ends.1)?;
        let comparable = match (&start, &end) {
            (Value::Null, Value::Null) => false,
            (Value::Null, other) | (other, Value::Null) => other.compare(other).is_some(),
            (start, end) => start.compare(end).is_some(),
        };
        if !comparable {
            return self
                .null(span, format!("a range cannot go from {} to {}", start.type_name(), end.type_name()));
        }
        self.checked(Value::Range(Arc::new(Range::new(start, end, start_included, end_included))))
    }

    #[inline(never)]
    fn function(&mut self, node: &Arc<FunctionNode>) -> Answer {
        let mut captures = Vec::with_capacity(node.captures.len());
        for (_, capture) in &node.captures {
            captures.push(self.capture(capture)?);
        }
        let closure = Closure::new(node.clone(), captures.into());
        self.checked(Value::Function(Function::Defined(Arc::new(closure))))
    }

    /// A variable that is missing where a function is made may never be needed: no warning yet.
    fn capture(&mut self, node: &Node) -> Answer {
        match &node.kind {
            NodeKind::Global(index) if !self.is_defined(*index) => Ok(Value::Null),
            _ => self.evaluate(node),
        }
    }

    #[inline(never)]
    fn coerce(&mut self, value: &Node, kind: &crate::Type, span: Span) -> Answer {
        let value = self.evaluate(value)?;
        let type_name = value.type_name();
        match kind.coerce(value) {
            Some(value) => Ok(value),
            None => self.null(span, format!("a value of type {type_name} is not of the declared type")),
        }
    }
}
