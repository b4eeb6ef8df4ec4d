//! Calls of built-in functions and of closures.

use super::{Answer, Evaluator};
use crate::ast::Span;
use crate::builtins::{Builtin, Call};
use crate::function::{Closure, Function};
use crate::node::{Node, NodeKind};
use crate::value::Value;
use std::sync::Arc;

impl Evaluator<'_> {
    #[inline(never)]
    pub(super) fn builtin(&mut self, builtin: &'static Builtin, arguments: &[Node], span: Span) -> Answer {
        if builtin.name == "is defined" {
            return self.is_defined_node(arguments, span);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.evaluate(argument)?);
        }
        self.run(builtin, &values, span)
    }

    #[inline(never)]
    fn run(&mut self, builtin: &'static Builtin, arguments: &[Value], span: Span) -> Answer {
        if !builtin.takes(arguments.len()) {
            return self
                .null(span, format!("`{}` does not take {} arguments", builtin.name, arguments.len()));
        }
        let answer = (builtin.run)(&mut Call { evaluator: self, span, name: builtin.name, arguments })?;
        self.checked(answer)
    }

    /// The one function that looks at how its argument is written.
    #[inline(never)]
    fn is_defined_node(&mut self, arguments: &[Node], span: Span) -> Answer {
        let [argument] = arguments else {
            return self.null(span, "`is defined` takes one argument");
        };
        let defined = match &argument.kind {
            NodeKind::Global(index) => self.is_defined(*index),
            NodeKind::GlobalPath(index, path) => {
                let found = self.is_defined(*index).then(|| self.global(*index, span));
                path.iter()
                    .try_fold(found.unwrap_or(Value::Null), |value, name| entry(&value, name))
                    .is_some()
            }
            NodeKind::Path(base, name) => {
                let base = self.evaluate(base)?;
                entry(&base, name).is_some()
            }
            _ => !self.evaluate(argument)?.is_null(),
        };
        Ok(Value::Boolean(defined))
    }

    #[inline(never)]
    pub(super) fn call_node(&mut self, function: &Node, arguments: &[Node], span: Span) -> Answer {
        let callee = self.evaluate(function)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.evaluate(argument)?);
        }
        match callee {
            Value::Function(function) => self.call(&function, values, span),
            other => self.not_a_function(function, &other, span),
        }
    }

    fn not_a_function(&mut self, node: &Node, value: &Value, span: Span) -> Answer {
        match &node.kind {
            NodeKind::Global(index) => {
                let name = self.names[*index as usize].clone();
                self.null(span, format!("there is no function `{name}`"))
            }
            _ => self.null(span, format!("a {} cannot be called", value.type_name())),
        }
    }

    /// Calls a function with positional arguments.
    pub fn call(&mut self, function: &Function, arguments: Vec<Value>, span: Span) -> Answer {
        match function {
            Function::BuiltIn(builtin) => self.run(builtin, &arguments, span),
            Function::Defined(closure) => self.call_closure(closure, arguments, span),
        }
    }

    #[inline(never)]
    pub(super) fn named_call(
        &mut self,
        function: &Node,
        arguments: &[(Arc<str>, Node)],
        span: Span,
    ) -> Answer {
        let callee = self.evaluate(function)?;
        let mut values = Vec::with_capacity(arguments.len());
        for (name, argument) in arguments {
            values.push((name.clone(), self.evaluate(argument)?));
        }
        match callee {
            Value::Function(Function::BuiltIn(builtin)) => match builtin.positional(values) {
                Some(values) => self.run(builtin, &values, span),
                None => self.null(span, format!("`{}` has no parameters of these names", builtin.name)),
            },
            Value::Function(Function::Defined(closure)) => match by_name(&closure, values) {
                Some(values) => self.call_closure(&closure, values, span),
                None => self.null(span, "the function has no parameters of these names"),
            },
            other => self.not_a_function(function, &other, span),
        }
    }

    #[inline(never)]
    fn call_closure(&mut self, closure: &Arc<Closure>, arguments: Vec<Value>, span: Span) -> Answer {
        let node = &closure.node;
        if node.external {
            return self.null(span, "functions in other languages are not run");
        }
        if arguments.len() != node.parameters.len() {
            let message =
                format!("the function takes {} arguments, not {}", node.parameters.len(), arguments.len());
            return self.null(span, message);
        }
        self.burn(1)?;
        let outer_base = std::mem::replace(&mut self.base, self.stack.len());
        self.stack.resize(self.base + node.slots as usize, Value::Null);
        for (slot, (parameter, argument)) in node.parameters.iter().zip(arguments).enumerate() {
            let given = argument.type_name();
            let value = match &parameter.kind {
                Some(kind) => kind.coerce(argument),
                None => Some(argument),
            };
            let Some(value) = value else {
                self.leave_frame(outer_base);
                return self.null(
                    span,
                    format!("the argument `{}` is a {given}, not of the declared type", parameter.name),
                );
            };
            self.set(slot as u32, value);
        }
        for ((slot, _), value) in node.captures.iter().zip(&closure.captures) {
            self.set(*slot, value.clone());
        }
        let outer = self.running.replace(closure.clone());
        let answer = self.evaluate(&node.body);
        self.running = outer;
        self.leave_frame(outer_base);
        answer
    }

    fn leave_frame(&mut self, outer_base: usize) {
        self.stack.truncate(self.base);
        self.base = outer_base;
    }
}

fn entry(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Context(context) => context.get(name).cloned(),
        _ => None,
    }
}

/// Every name has to be a parameter; a parameter without an argument is null.
fn by_name(closure: &Closure, arguments: Vec<(Arc<str>, Value)>) -> Option<Vec<Value>> {
    let mut values = vec![Value::Null; closure.node.parameters.len()];
    for (name, value) in arguments {
        let at = closure.node.parameters.iter().position(|parameter| parameter.name == name)?;
        values[at] = value;
    }
    Some(values)
}
