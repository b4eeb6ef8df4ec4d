//! A place for tokens and variables.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tyer_model::NodeIx;

use crate::ids::Number;
use crate::variables::Variables;

/// A place for tokens and variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Scope {
    /// The scope around it; the root is its own parent.
    pub parent: Number,
    /// The token that opened it and stands for it outside; none for the root.
    pub owner: Option<Number>,
    /// Where; none for the root.
    pub node: Option<NodeIx>,
    /// What sort.
    pub kind: ScopeKind,
    /// Its variables.
    pub variables: Variables,
    /// How far the rounds of a repeated activity have come.
    pub rounds: Rounds,
}

/// Sorts of scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[allow(missing_docs, reason = "the sentence of each says what its field is")]
pub enum ScopeKind {
    /// The process, or a sub-process.
    Body,
    /// Variables of one activity.
    Local,
    /// Variables of one branch of a fork.
    Branch,
    /// All rounds of a repeated activity. How many there will be; none = a loop decides after each.
    Rounds { total: Option<u32> },
    /// One round, counted from 1; the tokens of the activity itself are in it.
    Round { index: u32 },
    /// A step that is being undone.
    Undo { record: Number },
}

/// How far the rounds have come.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// Rounds begun.
    pub started: u32,
    /// Rounds done.
    pub completed: u32,
    /// Rounds ended before they were done.
    pub terminated: u32,
    /// The items, if there is one for each round: read from the variable [`ITEMS`].
    pub items: Option<Arc<[Arc<RawValue>]>>,
}

/// The variable of a [`ScopeKind::Rounds`] that keeps the items.
pub(crate) const ITEMS: &str = "loop items";
/// The variable of a finished [`ScopeKind::Round`] that keeps what it gives back.
pub(crate) const OUTPUT: &str = "loop output";

/// The items are a reading of a variable.
impl PartialEq for Rounds {
    fn eq(&self, other: &Rounds) -> bool {
        (self.started, self.completed, self.terminated) == (other.started, other.completed, other.terminated)
    }
}

impl Scope {
    /// A scope without variables.
    pub fn new(parent: Number, owner: Option<Number>, node: Option<NodeIx>, kind: ScopeKind) -> Scope {
        Scope { parent, owner, node, kind, variables: Variables::default(), rounds: Rounds::default() }
    }

    /// Can tokens be in it?
    pub fn holds_tokens(&self) -> bool {
        match self.kind {
            ScopeKind::Body | ScopeKind::Round { .. } | ScopeKind::Undo { .. } => true,
            ScopeKind::Local | ScopeKind::Branch | ScopeKind::Rounds { .. } => false,
        }
    }

    /// Variables have been set: what is read from them is read again.
    pub(crate) fn variables_changed(&mut self, values: &Variables) {
        if let (ScopeKind::Rounds { .. }, Some(items)) = (self.kind, values.get(ITEMS)) {
            let items: Vec<Arc<RawValue>> = serde_json::from_str(items).unwrap_or_default();
            self.rounds.items = Some(items.into());
        }
    }

    /// Reads again what is derived from the variables. For those who load an instance.
    pub fn restored(mut self) -> Scope {
        let variables = self.variables.clone();
        self.variables_changed(&variables);
        self
    }
}
