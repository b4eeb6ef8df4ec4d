//! What activities say of themselves: jobs, tasks, calls, scripts, markers, mappings.

use std::sync::Arc;

use tyer_feel::Expression;

use super::event::Throw;

/// What a worker must know of a job, and what happens when it fails.
#[derive(Debug)]
pub struct JobSpec {
    /// The name workers ask for.
    pub job_type: Text,
    /// How often the work may be tried in all.
    pub retries: u32,
    /// How long to wait between two tries.
    pub backoff: Backoff,
    /// Fixed key-value pairs for the worker.
    pub headers: Vec<(String, String)>,
    /// Higher is claimed first; none = 0.
    pub priority: Option<Text>,
}

/// The wait between two tries of the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backoff {
    /// Always the same.
    Fixed {
        /// The wait.
        delay_ms: u64,
    },
    /// The delay times the number of the try.
    Linear {
        /// The first wait.
        delay_ms: u64,
        /// The longest wait.
        cap_ms: u64,
    },
    /// Doubles with every try.
    Exponential {
        /// The first wait.
        delay_ms: u64,
        /// The longest wait.
        cap_ms: u64,
    },
}

/// What a person must know of a task.
#[derive(Debug, Default)]
pub struct UserSpec {
    /// Who shall do it.
    pub assignee: Option<Text>,
    /// Who may do it.
    pub candidate_users: Option<Text>,
    /// Members of which groups may do it.
    pub candidate_groups: Option<Text>,
    /// When it shall be done.
    pub due_date: Option<Text>,
    /// 0 to 100; 50 when not said.
    pub priority: Option<Text>,
    /// The form to fill in.
    pub form: Option<String>,
}

/// A text that is either fixed in the model or computed from variables.
#[derive(Debug)]
pub enum Text {
    /// As written.
    Literal(Arc<str>),
    /// Computed when it is needed.
    Expression(Expression),
}

/// An expression whose value goes to a variable.
#[derive(Debug)]
pub struct Mapping {
    /// Where the value comes from.
    pub source: Text,
    /// Where it goes: a name, or a path into a context.
    pub target: Vec<Arc<str>>,
}

/// A variable that must be there, with this type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: Arc<str>,
    /// `string`, `number`, `boolean`, `list`, `context`; none = any.
    pub type_name: Option<Arc<str>>,
    /// It may not be missing or null.
    pub required: bool,
}

/// Computed by the engine itself.
#[derive(Debug)]
pub struct ScriptSpec {
    /// What to compute.
    pub expression: Expression,
    /// Where it goes; none = nowhere, unless it is a context, whose entries are the result.
    pub result: Option<Arc<str>>,
}

/// Runs another process.
#[derive(Debug)]
pub struct CallSpec {
    /// Its BPMN id.
    pub process: Text,
    /// Which version of it.
    pub binding: Binding,
    /// The child gets every variable that the activity sees; else only its own.
    pub all_in: bool,
    /// Variables made for the child, in order.
    pub inputs: Vec<Mapping>,
    /// All of the child's variables come back.
    pub all_out: bool,
    /// Variables made of the child's when it has ended, in order.
    pub outputs: Vec<Mapping>,
    /// The child's business key.
    pub business_key: Option<Text>,
}

/// Which version of a process is called.
#[derive(Debug)]
pub enum Binding {
    /// The newest.
    Latest,
    /// The one deployed with the caller.
    Deployment,
    /// This one.
    Version(Text),
    /// The newest with this tag.
    Tag(Text),
}

/// Done more than once.
#[derive(Debug)]
pub enum Repeat {
    /// Again while a condition holds.
    Loop {
        /// The condition is asked before the first round too.
        before: bool,
        /// True = once more; none = true.
        condition: Option<Expression>,
        /// No more rounds than this.
        max: Option<Expression>,
    },
    /// Once for each of several.
    Multi(Box<Multi>),
}

/// Once for each of several.
#[derive(Debug)]
pub struct Multi {
    /// One after the other.
    pub sequential: bool,
    /// How often.
    pub count: Count,
    /// The variable that holds the item of the round.
    pub element: Option<Arc<str>>,
    /// What the rounds give back.
    pub gathered: Option<Gathered>,
    /// Done early when this holds after a round.
    pub completion: Option<Expression>,
    /// What a finished round throws.
    pub behaviour: Behaviour,
}

/// How often.
#[derive(Debug)]
pub enum Count {
    /// A number.
    Cardinality(Expression),
    /// As many as a list has.
    Collection(Expression),
}

/// What the rounds give back.
#[derive(Debug)]
pub struct Gathered {
    /// The list.
    pub collection: Arc<str>,
    /// What each round puts into it.
    pub element: Expression,
}

/// What a finished round throws.
#[derive(Debug, Default)]
pub enum Behaviour {
    /// Every round throws.
    None(Vec<Throw>),
    /// The first does.
    One(Vec<Throw>),
    /// None does: only the end of all counts.
    #[default]
    All,
    /// Those whose condition holds.
    Complex(Vec<(Expression, Vec<Throw>)>),
}

/// How the variables of branches come together where they join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchMerge {
    /// The last branch wins, in the order of the fork's flows, whichever was done first.
    Overwrite,
    /// Values that several branches wrote become a list.
    Collect,
    /// Two branches may not write the same name.
    Strict,
}
