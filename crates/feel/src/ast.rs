//! The tree that the parser builds, the compiler reads and the unparser writes.
//!
//! **Invariant:** chains of one precedence (`a + b + c`, `a and b and c`) are flat, so that the depth of a
//! tree is bounded by the parser's nesting limit and not by the length of the text.

use crate::types::Type;
use crate::{Extension, Value};
use std::sync::Arc;

/// A place in the text of an expression, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: Kind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A literal: `null`, `true`, `1.5`, `"text"`, `@"2026-01-01"`.
    Literal(Value),
    /// A variable, a parameter, or a built-in function.
    Name(Arc<str>),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{a: 1, b: a + 1}`.
    Context(Vec<(Arc<str>, Expr)>),
    /// `[a..b]`, with either end open or closed.
    Range(Box<RangeExpr>),
    /// `(< a)`: a range with one end.
    HalfRange(Comparison, Box<Expr>),
    /// `a.name`.
    Path(Box<Expr>, Arc<str>),
    /// `a[condition]` or `a[index]`.
    Filter(Box<Expr>, Box<Expr>),
    /// `f(a, b)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `f(x: a, y: b)`.
    NamedCall(Box<Expr>, Vec<(Arc<str>, Expr)>),
    /// `a instance of type`.
    InstanceOf(Box<Expr>, Type),
    /// `- a`.
    Negate(Box<Expr>),
    /// `a + b - c`, or `a * b / c`, or `a ** b`.
    Arithmetic(Box<Expr>, Vec<(Operator, Expr)>),
    /// `a < b`.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a and b and c`.
    And(Vec<Expr>),
    /// `a or b or c`.
    Or(Vec<Expr>),
    /// `a between b and c`.
    Between(Box<[Expr; 3]>),
    /// `a in (tests)`.
    In(Box<Expr>, Vec<Test>),
    /// `if a then b else c`.
    If(Box<[Expr; 3]>),
    /// `for x in a, y in b return c`.
    For(Vec<Iteration>, Box<Expr>),
    /// `some x in a satisfies b` and, when `every`, the other one.
    Quantified {
        /// Whether all have to satisfy.
        every: bool,
        /// The variables and what they run over.
        iterations: Vec<Iteration>,
        /// The condition.
        condition: Box<Expr>,
    },
    /// `function(a, b: type) body`.
    Function(Vec<Parameter>, Box<Expr>),
    /// `function(…) external {…}`: parsed, never run.
    External(Vec<Parameter>, Box<Expr>),
    /// Unary tests as in a decision table cell; the input is `?`.
    Unary(Unary),
    /// A value brought to a declared type, or null.
    Coerce(Box<Expr>, Type),
    /// Something another crate evaluates, with its parts in our scope.
    Extension(Arc<dyn Extension>, Vec<Expr>),
}

/// The parts of `[a..b]`.
#[derive(Clone, Debug)]
pub struct RangeExpr {
    /// The lower end.
    pub start: Expr,
    /// The upper end.
    pub end: Expr,
    /// `[` and not `(`.
    pub start_included: bool,
    /// `]` and not `)`.
    pub end_included: bool,
}

/// `x in values`.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// The variable.
    pub name: Arc<str>,
    /// The list or range it runs over, or the first number.
    pub from: Expr,
    /// The last number of `x in a..b`.
    pub to: Option<Expr>,
}

/// A formal parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its declared type.
    pub kind: Option<Type>,
}

/// Unary tests: `-`, `not(…)`, or alternatives.
#[derive(Clone, Debug)]
pub enum Unary {
    /// `-`: anything.
    Any,
    /// Any of these.
    Tests(Vec<Test>),
    /// None of these.
    Not(Vec<Test>),
}

/// One alternative of an `in` or of unary tests.
#[derive(Clone, Debug)]
pub enum Test {
    /// `< a`.
    Compare(Comparison, Expr),
    /// A value, a range, a list, or a condition on `?`.
    Value(Expr),
}

/// The comparison operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// The arithmetic operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `**`
    Power,
}

impl Expr {
    /// An expression without a place in a text.
    pub fn new(kind: Kind) -> Expr {
        Expr { kind, span: Span::default() }
    }
}

impl Comparison {
    /// Whether it asks for no order.
    pub(crate) fn is_equality(self) -> bool {
        matches!(self, Comparison::Equal | Comparison::NotEqual)
    }

    /// Whether it holds between two values of this order.
    #[inline]
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }

    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

impl Operator {
    /// As it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Power => "**",
        }
    }
}
