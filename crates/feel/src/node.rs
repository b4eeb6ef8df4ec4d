//! The compiled form: names resolved to slots, literals to values, built-ins to functions.

use crate::Extension;
use crate::ast::{Comparison, Operator, Parameter, Span};
use crate::builtins::Builtin;
use crate::types::Type;
use crate::value::Value;
use std::sync::Arc;

/// One compiled expression and where it stands.
#[derive(Debug)]
pub struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Constant(Value),
    /// A slot of the running frame.
    Local(u32),
    /// The function that is running, by its own name.
    Own,
    /// A variable of the caller.
    Global(u32),
    /// A path that starts at a variable of the caller: read from unread JSON without reading the rest.
    GlobalPath(u32, Box<[Arc<str>]>),
    /// A name inside of a filter: an entry of the item in the slot, or else what it means outside.
    ItemOr(u32, Arc<str>, Box<Node>),
    List(Box<[Node]>),
    /// Key, slot for later entries, value.
    Context(Box<[(Arc<str>, u32, Node)]>),
    Range(Box<(Node, Node)>, bool, bool),
    HalfRange(Comparison, Box<Node>),
    Path(Box<Node>, Arc<str>),
    Filter(Box<FilterNode>),
    Builtin(&'static Builtin, Box<[Node]>),
    /// Arguments in the order of the named form, `None` where one is left out.
    Call(Box<Node>, Box<[Node]>),
    NamedCall(Box<Node>, Box<[(Arc<str>, Node)]>),
    InstanceOf(Box<Node>, Type),
    Negate(Box<Node>),
    Arithmetic(Box<Node>, Box<[(Operator, Node)]>),
    Compare(Comparison, Box<(Node, Node)>),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Between(Box<[Node; 3]>),
    In(Box<Node>, Box<[TestNode]>),
    If(Box<[Node; 3]>),
    For(Box<ForNode>),
    Quantified(Box<QuantifiedNode>),
    Function(Arc<FunctionNode>),
    Unary(Box<UnaryNode>),
    Coerce(Box<Node>, Type),
    Extension(Arc<dyn Extension>, Box<[Node]>),
}

#[derive(Debug)]
pub(crate) struct FilterNode {
    pub(crate) base: Node,
    pub(crate) condition: Node,
    /// Where the item stands while the condition is evaluated.
    pub(crate) item: u32,
    /// Whether the condition looks at the item at all.
    pub(crate) reads_item: bool,
}

#[derive(Debug)]
pub(crate) struct IterationNode {
    pub(crate) slot: u32,
    pub(crate) from: Node,
    pub(crate) to: Option<Node>,
}

#[derive(Debug)]
pub(crate) struct ForNode {
    pub(crate) iterations: Box<[IterationNode]>,
    pub(crate) body: Node,
    /// Where the results so far stand, if the body looks at them.
    pub(crate) partial: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct QuantifiedNode {
    pub(crate) every: bool,
    pub(crate) iterations: Box<[IterationNode]>,
    pub(crate) condition: Node,
}

/// A function definition: its body has a frame of its own.
#[derive(Debug)]
pub(crate) struct FunctionNode {
    pub(crate) parameters: Box<[Parameter]>,
    pub(crate) body: Node,
    /// Size of the frame.
    pub(crate) slots: u32,
    /// What the body uses from outside, evaluated when the function is made, and its slot.
    pub(crate) captures: Box<[(u32, Node)]>,
    /// Defined elsewhere, in a language that is not run here.
    pub(crate) external: bool,
}

impl FunctionNode {
    /// Whether what the body declares to answer is of a type; a body that declares nothing may be anything.
    pub(crate) fn answers(&self, kind: &Type) -> bool {
        match &self.body.kind {
            NodeKind::Coerce(_, own) => own.conforms(kind),
            _ => true,
        }
    }
}

#[derive(Debug)]
pub(crate) struct UnaryNode {
    /// The slot of `?`.
    pub(crate) input: u32,
    pub(crate) negated: bool,
    /// Whether a test looks at `?` by that name.
    pub(crate) reads_input: bool,
    /// Empty means anything.
    pub(crate) tests: Box<[TestNode]>,
}

#[derive(Debug)]
pub(crate) enum TestNode {
    Compare(Comparison, Node),
    /// A value, and whether it is a condition on `?`.
    Value(Node, bool),
}
