//! The door: text in, compiled expression out, evaluated as often as wanted.

use crate::ast::Expr;
use crate::clock::Clock;
use crate::compile::{Program, compile};
use crate::error::{ParseError, Warning};
use crate::eval::{Answer, Evaluator, Lookup, Trace, truth_value};
use crate::juel;
use crate::limits::{Exceeded, Limits};
use crate::names::Names;
use crate::node::{Node, NodeKind};
use crate::parser;
use crate::value::{Context, Value};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

/// A compiled expression; a clone shares it.
#[derive(Clone)]
pub struct Expression(Arc<Compiled>);

struct Compiled {
    text: Box<str>,
    tree: Expr,
    program: Program,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value; null when nothing sensible came out.
    pub value: Value,
    /// Why parts of it are null.
    pub warnings: Vec<Warning>,
    /// What extensions did on the way.
    pub trace: Vec<Trace>,
    /// The limit that stopped it, if one did; the value is then null.
    pub exceeded: Option<Exceeded>,
}

/// Something that another crate evaluates in the middle of an expression.
pub trait Extension: fmt::Debug + Send + Sync {
    /// Evaluates it. `parts` are the compiled expressions it was made of, in the scope it stands in.
    fn evaluate(&self, parts: &[Node], evaluator: &mut Evaluator<'_>) -> Answer;
}

impl Expression {
    /// Compiles an expression.
    pub fn parse(text: &str, names: &Names) -> Result<Expression, ParseError> {
        Ok(Expression::build(text, parser::expression(text, names)?, names))
    }

    /// Compiles a `${…}` expression, or a text with such expressions in it.
    pub fn parse_juel(text: &str, names: &Names) -> Result<Expression, ParseError> {
        Ok(Expression::build(text, juel::parse(text)?, names))
    }

    /// Compiles unary tests, to be used with [`Expression::test`].
    pub fn parse_unary_tests(text: &str, names: &Names) -> Result<Expression, ParseError> {
        Ok(Expression::build(text, parser::unary_tests(text, names)?, names))
    }

    /// Compiles a tree that was put together elsewhere.
    pub fn from_tree(text: &str, tree: Expr, names: &Names) -> Expression {
        Expression::build(text, tree, names)
    }

    fn build(text: &str, tree: Expr, names: &Names) -> Expression {
        let program = compile(&tree, names);
        Expression(Arc::new(Compiled { text: text.into(), tree, program }))
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The tree it was read as.
    pub fn tree(&self) -> &Expr {
        &self.0.tree
    }

    /// The variables of the caller that it reads, in the order of their first use.
    pub fn variables(&self) -> &[Arc<str>] {
        &self.0.program.variables
    }

    /// Evaluates with the default limits.
    pub fn evaluate(&self, variables: &dyn Lookup, clock: &Clock) -> Evaluation {
        self.evaluate_with(variables, clock, &Limits::default())
    }

    /// Evaluates.
    pub fn evaluate_with(&self, variables: &dyn Lookup, clock: &Clock, limits: &Limits) -> Evaluation {
        let program = &self.0.program;
        let mut evaluator = Evaluator::new(program, variables, clock, limits);
        let answer = evaluator.root(&program.root);
        Evaluation::of(answer, &mut evaluator)
    }

    /// Applies unary tests to an input; they read no variables.
    pub fn test(&self, input: &Value, clock: &Clock, limits: &Limits) -> Evaluation {
        let program = &self.0.program;
        let mut evaluator = Evaluator::new(program, &(), clock, limits);
        let answer = evaluator.test(&program.root, input).map(truth_value);
        Evaluation::of(answer, &mut evaluator)
    }

    /// The value, if the expression is a literal.
    pub fn literal(&self) -> Option<&Value> {
        match &self.0.program.root.kind {
            NodeKind::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl Evaluation {
    #[inline]
    pub(crate) fn of(answer: Answer, evaluator: &mut Evaluator<'_>) -> Evaluation {
        Evaluation {
            value: answer.unwrap_or(Value::Null),
            warnings: std::mem::take(&mut evaluator.warnings),
            trace: std::mem::take(&mut evaluator.traces),
            exceeded: evaluator.exceeded,
        }
    }

    /// Why the value is null, in one line.
    pub fn reason(&self) -> Option<String> {
        let exceeded = self.exceeded.map(|limit| limit.to_string());
        exceeded.or_else(|| self.warnings.first().map(|warning| warning.message.clone()))
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Expression").field(&self.0.text).finish()
    }
}

impl PartialEq for Expression {
    /// Two expressions are the same when they were written the same.
    fn eq(&self, other: &Expression) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Expression {}

/// No variables.
impl Lookup for () {
    fn lookup(&self, _name: &str) -> Option<Value> {
        None
    }
}

impl Lookup for Context {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }
}

impl Lookup for BTreeMap<String, Value> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }
}

impl Lookup for BTreeMap<Arc<str>, Value> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }
}

impl Lookup for BTreeMap<Arc<str>, Arc<RawValue>> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned().map(Value::raw)
    }

    fn unread(&self, name: &str) -> Option<&Arc<RawValue>> {
        self.get(name)
    }
}

impl<S: BuildHasher> Lookup for HashMap<String, Value, S> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }
}

impl<S: BuildHasher> Lookup for HashMap<Arc<str>, Arc<RawValue>, S> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned().map(Value::raw)
    }

    fn unread(&self, name: &str) -> Option<&Arc<RawValue>> {
        self.get(name)
    }
}
