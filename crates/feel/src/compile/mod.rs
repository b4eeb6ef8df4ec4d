//! Tree to compiled form: every name becomes a slot, a variable of the caller, or a built-in function.
//!
//! **Invariant:** a slot is never used for two things in one frame, so that a closure's captures stay put.
//! **Invariant:** inside of a function body nothing refers to the caller's variables: they are captured.

mod calls;
mod scope;

use crate::ast::{Expr, Iteration, Kind, Test, Unary};
use crate::names::Names;
use crate::node::*;
use scope::Frame;
use std::sync::Arc;
use tyer_map::Map;

/// A compiled expression and what it needs to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) root: Node,
    pub(crate) slots: u32,
    pub(crate) variables: Vec<Arc<str>>,
}

pub(crate) fn compile(expr: &Expr, names: &Names) -> Program {
    let mut compiler = Compiler {
        frames: vec![Frame::default()],
        variables: Vec::new(),
        variable_indices: Map::new(),
        names,
    };
    let root = compiler.node(expr);
    let slots = compiler.frames.pop().map_or(0, |frame| frame.slots);
    Program { root, slots, variables: compiler.variables }
}

struct Compiler<'a> {
    frames: Vec<Frame>,
    variables: Vec<Arc<str>>,
    variable_indices: Map<Arc<str>, u32>,
    names: &'a Names,
}

impl Compiler<'_> {
    fn node(&mut self, expr: &Expr) -> Node {
        Node { kind: self.kind(expr), span: expr.span }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Node> {
        Box::new(self.node(expr))
    }

    fn nodes(&mut self, exprs: &[Expr]) -> Box<[Node]> {
        exprs.iter().map(|expr| self.node(expr)).collect()
    }

    fn kind(&mut self, expr: &Expr) -> NodeKind {
        match &expr.kind {
            Kind::Literal(value) => NodeKind::Constant(value.clone()),
            Kind::Name(name) => self.name(name, expr),
            Kind::List(items) => NodeKind::List(self.nodes(items)),
            Kind::Context(entries) => self.context(entries),
            Kind::Range(range) => {
                let ends = Box::new((self.node(&range.start), self.node(&range.end)));
                NodeKind::Range(ends, range.start_included, range.end_included)
            }
            Kind::HalfRange(operator, end) => NodeKind::HalfRange(*operator, self.boxed(end)),
            Kind::Path(base, name) => self.path(base, name),
            Kind::Filter(base, condition) => self.filter(base, condition),
            Kind::Call(function, arguments) => self.call(function, arguments),
            Kind::NamedCall(function, arguments) => self.named_call(function, arguments),
            Kind::InstanceOf(value, kind) => NodeKind::InstanceOf(self.boxed(value), kind.clone()),
            Kind::Negate(value) => NodeKind::Negate(self.boxed(value)),
            Kind::Arithmetic(first, rest) => {
                let first = self.boxed(first);
                NodeKind::Arithmetic(
                    first,
                    rest.iter().map(|(operator, expr)| (*operator, self.node(expr))).collect(),
                )
            }
            Kind::Compare(operator, left, right) => {
                NodeKind::Compare(*operator, Box::new((self.node(left), self.node(right))))
            }
            Kind::And(parts) => NodeKind::And(self.nodes(parts)),
            Kind::Or(parts) => NodeKind::Or(self.nodes(parts)),
            Kind::Between(parts) => NodeKind::Between(Box::new(parts.each_ref().map(|part| self.node(part)))),
            Kind::In(value, tests) => {
                let value = self.boxed(value);
                NodeKind::In(value, tests.iter().map(|test| self.test(test, false)).collect())
            }
            Kind::If(parts) => NodeKind::If(Box::new(parts.each_ref().map(|part| self.node(part)))),
            Kind::For(iterations, body) => self.for_loop(iterations, body),
            Kind::Quantified { every, iterations, condition } => {
                let (scope, iterations) = self.iterations(iterations);
                let condition = self.node(condition);
                self.leave(scope);
                NodeKind::Quantified(Box::new(QuantifiedNode { every: *every, iterations, condition }))
            }
            Kind::Function(parameters, body) => self.function(None, parameters, body, false),
            Kind::External(parameters, body) => self.function(None, parameters, body, true),
            Kind::Unary(unary) => self.unary(unary),
            Kind::Coerce(value, kind) => NodeKind::Coerce(self.boxed(value), kind.clone()),
            Kind::Extension(extension, parts) => NodeKind::Extension(extension.clone(), self.nodes(parts)),
        }
    }

    fn name(&mut self, name: &Arc<str>, expr: &Expr) -> NodeKind {
        if let Some(kind) = self.resolve(name, expr.span) {
            return kind;
        }
        self.global(name, expr.span)
    }

    fn context(&mut self, entries: &[(Arc<str>, Expr)]) -> NodeKind {
        let scope = self.enter();
        let mut nodes = Vec::with_capacity(entries.len());
        for (name, value) in entries {
            let node = match &value.kind {
                Kind::Function(parameters, body) => {
                    Node { kind: self.function(Some(name), parameters, body, false), span: value.span }
                }
                _ => self.node(value),
            };
            let slot = self.bind(name);
            nodes.push((name.clone(), slot, node));
        }
        self.leave(scope);
        NodeKind::Context(nodes.into())
    }

    fn path(&mut self, base: &Expr, name: &Arc<str>) -> NodeKind {
        let base = self.boxed(base);
        match base.kind {
            NodeKind::Global(index) => NodeKind::GlobalPath(index, Box::new([name.clone()])),
            NodeKind::GlobalPath(index, path) => {
                NodeKind::GlobalPath(index, path.iter().cloned().chain([name.clone()]).collect())
            }
            _ => NodeKind::Path(base, name.clone()),
        }
    }

    fn filter(&mut self, base: &Expr, condition: &Expr) -> NodeKind {
        let base = self.node(base);
        let scope = self.enter();
        let item = self.bind_item();
        let condition = self.node(condition);
        let reads_item = self.leave_item(scope);
        NodeKind::Filter(Box::new(FilterNode { base, condition, item, reads_item }))
    }

    fn iterations(&mut self, iterations: &[Iteration]) -> (usize, Box<[IterationNode]>) {
        let scope = self.enter();
        let mut nodes = Vec::with_capacity(iterations.len());
        for iteration in iterations {
            let from = self.node(&iteration.from);
            let to = iteration.to.as_ref().map(|to| self.node(to));
            let slot = self.bind(&iteration.name);
            nodes.push(IterationNode { slot, from, to });
        }
        (scope, nodes.into())
    }

    fn for_loop(&mut self, iterations: &[Iteration], body: &Expr) -> NodeKind {
        let (scope, iterations) = self.iterations(iterations);
        let partial = self.bind(&Arc::from("partial"));
        let body = self.node(body);
        let partial = self.is_read(partial).then_some(partial);
        self.leave(scope);
        NodeKind::For(Box::new(ForNode { iterations, body, partial }))
    }

    fn unary(&mut self, unary: &Unary) -> NodeKind {
        let scope = self.enter();
        let input = self.bind_input();
        let (negated, tests) = match unary {
            Unary::Any => (false, [].as_slice()),
            Unary::Tests(tests) => (false, tests.as_slice()),
            Unary::Not(tests) => (true, tests.as_slice()),
        };
        let tests = tests.iter().map(|test| self.test(test, true)).collect();
        let reads_input = self.count_reads("?") > 0;
        self.leave(scope);
        NodeKind::Unary(Box::new(UnaryNode { input, negated, reads_input, tests }))
    }

    fn test(&mut self, test: &Test, unary: bool) -> TestNode {
        match test {
            Test::Compare(operator, value) => TestNode::Compare(*operator, self.node(value)),
            Test::Value(value) => {
                let reads = self.count_reads("?");
                let node = self.node(value);
                TestNode::Value(node, unary && self.count_reads("?") > reads)
            }
        }
    }
}

impl Compiler<'_> {
    fn bind(&mut self, name: &Arc<str>) -> u32 {
        self.frame().bind(name.clone())
    }

    /// All unary tests of a frame share one slot: it is filled anew before each of them.
    fn bind_input(&mut self) -> u32 {
        let frame = self.frame();
        match frame.input {
            Some(slot) => frame.bind_to("?".into(), slot),
            None => frame.input = Some(frame.bind("?".into())),
        }
        frame.input.unwrap_or_default()
    }

    /// An entry of the item called `item` comes before the item itself.
    fn bind_item(&mut self) -> u32 {
        let frame = self.frame();
        let slot = frame.bind("item".into());
        frame.bind_entries(slot);
        slot
    }
}
