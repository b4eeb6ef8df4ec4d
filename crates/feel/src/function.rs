//! Functions as values: built-in ones, and closures that hold what they use.

use crate::ast::Span;
use crate::builtins::Builtin;
use crate::clock::Clock;
use crate::eval::Evaluator;
use crate::expression::Evaluation;
use crate::limits::Limits;
use crate::node::FunctionNode;
use crate::types::Type;
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

/// A function.
#[derive(Clone, Debug)]
pub enum Function {
    /// Defined in an expression.
    Defined(Arc<Closure>),
    /// One of the built-in functions.
    #[doc(hidden)]
    BuiltIn(&'static Builtin),
}

/// A function definition together with the values it uses from around it.
#[derive(Debug)]
pub struct Closure {
    pub(crate) node: Arc<FunctionNode>,
    pub(crate) captures: Box<[Value]>,
    depth: u16,
}

impl Closure {
    pub(crate) fn new(node: Arc<FunctionNode>, captures: Box<[Value]>) -> Closure {
        let depth = captures.iter().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        Closure { node, captures, depth }
    }
}

impl Function {
    pub(crate) fn is_same(&self, other: &Function) -> bool {
        match (self, other) {
            (Function::Defined(a), Function::Defined(b)) => Arc::ptr_eq(&a.node, &b.node),
            (Function::BuiltIn(a), Function::BuiltIn(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }

    /// Calls it with positional arguments, outside of any expression.
    pub fn invoke(&self, arguments: Vec<Value>, clock: &Clock, limits: &Limits) -> Evaluation {
        let mut evaluator = Evaluator::bare(clock, limits);
        let answer = evaluator.call(self, arguments, Span::default());
        Evaluation::of(answer, &mut evaluator)
    }

    pub(crate) fn depth(&self) -> u16 {
        match self {
            Function::Defined(closure) => closure.depth,
            Function::BuiltIn(_) => 0,
        }
    }

    pub(crate) fn conforms(&self, parameters: &[Type], result: &Type) -> bool {
        match self {
            Function::Defined(closure) => {
                let own = &closure.node.parameters;
                let accepts = |(wanted, own): (&Type, &crate::ast::Parameter)| {
                    own.kind.as_ref().is_none_or(|own| wanted.conforms(own))
                };
                own.len() == parameters.len()
                    && parameters.iter().zip(own).all(accepts)
                    && closure.node.answers(result)
            }
            Function::BuiltIn(builtin) => builtin.conforms(parameters, result),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Function::Defined(closure) => {
                let names: Vec<&str> =
                    closure.node.parameters.iter().map(|parameter| &*parameter.name).collect();
                write!(out, "function({})", names.join(", "))
            }
            Function::BuiltIn(builtin) => out.write_str(builtin.name),
        }
    }
}
