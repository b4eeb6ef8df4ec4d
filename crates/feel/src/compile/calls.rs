//! Calls and function definitions.

use super::Compiler;
use super::scope::Frame;
use crate::ast::{Expr, Kind, Parameter};
use crate::builtins::{self, Builtin};
use crate::node::{FunctionNode, Node, NodeKind};
use std::sync::Arc;

impl Compiler<'_> {
    /// The built-in function that a callee names, unless something nearer has that name.
    fn builtin(&mut self, function: &Expr) -> Option<&'static Builtin> {
        let Kind::Name(name) = &function.kind else {
            return None;
        };
        let shadowed = self.frames.iter().any(|frame| frame.binds(name)) || self.names.is_declared(name);
        if shadowed { None } else { builtins::find(name) }
    }

    pub(super) fn call(&mut self, function: &Expr, arguments: &[Expr]) -> NodeKind {
        if let Some(builtin) = self.builtin(function) {
            return NodeKind::Builtin(builtin, self.nodes(arguments));
        }
        let callee = self.boxed(function);
        NodeKind::Call(callee, self.nodes(arguments))
    }

    pub(super) fn named_call(&mut self, function: &Expr, arguments: &[(Arc<str>, Expr)]) -> NodeKind {
        let callee = self.boxed(function);
        NodeKind::NamedCall(
            callee,
            arguments.iter().map(|(name, value)| (name.clone(), self.node(value))).collect(),
        )
    }

    pub(super) fn function(
        &mut self,
        own: Option<&Arc<str>>,
        parameters: &[Parameter],
        body: &Expr,
        external: bool,
    ) -> NodeKind {
        let mut frame = Frame::default();
        if let Some(name) = own.filter(|name| builtins::find(name).is_none()) {
            frame.bind_own((*name).clone());
        }
        for parameter in parameters {
            frame.bind(parameter.name.clone());
        }
        self.frames.push(frame);
        let body = if external {
            Node { kind: NodeKind::Constant(crate::Value::Null), span: body.span }
        } else {
            self.node(body)
        };
        let frame = self.frames.pop().expect("pushed above");
        NodeKind::Function(Arc::new(FunctionNode {
            parameters: parameters.into(),
            body,
            slots: frame.slots,
            captures: frame.captures.into(),
            external,
        }))
    }
}
