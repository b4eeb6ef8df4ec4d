//! The rows that a turn changed.
//!
//! **Invariant:** a row that the turn did not touch is not written.
//! **Invariant:** the lease on a job is written only by the turn that makes the job.
//! **Invariant:** the variables of a scope are a change of their own: counting a round rewrites no variable.

use tyer_engine::{Instance, Number, ROOT, Status};
use tyer_map::Map;

use crate::rows::{
    Hold, IncidentRow, InstanceRow, RecordRow, SagaRow, ScopeRow, SubscriptionRow, TaskRow, TimerRow,
    TokenRow,
};

/// Changed rows of one table, by number.
pub type Rows<T> = Map<Number, Change<T>>;

/// The changed rows of one instance.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The instance's own row.
    pub instance: InstanceRow,
    /// Tokens.
    pub tokens: Rows<TokenRow>,
    /// Scopes, but for their variables; the root has no such row.
    pub scopes: Rows<ScopeRow>,
    /// Variables of scopes, as JSON objects: written over what may be there.
    pub variables: Rows<String>,
    /// Tasks.
    pub tasks: Rows<TaskRow>,
    /// Timers.
    pub timers: Rows<TimerRow>,
    /// Messages, signals and conditions that are waited for.
    pub subscriptions: Rows<SubscriptionRow>,
    /// Completed steps that can be undone.
    pub records: Rows<RecordRow>,
    /// Undoings under way.
    pub sagas: Rows<SagaRow>,
    /// Incidents.
    pub incidents: Rows<IncidentRow>,
    /// Set when the instance was paused (true) or resumed (false): after all other rows, its ready tokens become
    /// created or the other way round, whoever has touched them, and its timers are held or let go.
    pub held: Option<bool>,
}

/// The last state of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<T> {
    /// Not in the store before.
    pub new: bool,
    /// None = gone.
    pub row: Option<T>,
}

impl Changes {
    /// What the last turn changed; `counter` is the instance's counter before it.
    pub fn of(instance: &Instance, counter: Number) -> Box<Changes> {
        let touched = &instance.touched;
        let held = instance.status == Status::Paused;
        let rows = Touching { counter };
        let token_row = |number| {
            let token = instance.tokens.get(&number)?;
            let old_job = token.job().is_some_and(|job| job.number <= counter);
            let hold = if old_job { Hold::Kept } else { Hold::Nobody };
            Some(TokenRow { status: instance.token_status(token), token: token.clone(), hold })
        };
        let timer_row = |number| {
            let timer = instance.timers.get(&number)?.clone();
            Some(TimerRow { timer, held })
        };
        let inner = || touched.scopes.iter().filter(|scope| **scope != ROOT);
        let mut variables =
            rows.take(&touched.variables, |scope| Some(instance.scopes.get(&scope)?.variables.to_json()));
        let closed: Vec<Number> =
            inner().filter(|scope| !instance.scopes.contains_key(scope)).copied().collect();
        variables.extend(rows.take(&closed, |_| None));
        Box::new(Changes {
            instance: InstanceRow::of(instance),
            tokens: rows.take(&touched.tokens, token_row),
            scopes: rows.take(inner(), |number| instance.scopes.get(&number).and_then(ScopeRow::of)),
            variables,
            tasks: rows.take(&touched.tasks, |number| instance.tasks.get(&number).cloned()),
            timers: rows.take(&touched.timers, timer_row),
            subscriptions: rows
                .take(&touched.subscriptions, |number| instance.subscriptions.get(&number).cloned()),
            records: rows.take(&touched.records, |number| instance.records.get(&number).cloned()),
            sagas: rows.take(&touched.sagas, |number| instance.sagas.get(&number).cloned()),
            incidents: rows.take(&touched.incidents, |number| instance.incidents.get(&number).cloned()),
            held: touched.held,
        })
    }

    /// Takes over the rows of a later turn of the same instance.
    pub fn absorb(&mut self, later: Changes) {
        self.instance = later.instance;
        let tokens = keeping_holds(&self.tokens, later.tokens);
        absorb(&mut self.tokens, tokens);
        absorb(&mut self.scopes, later.scopes);
        absorb(&mut self.variables, later.variables);
        absorb(&mut self.tasks, later.tasks);
        absorb(&mut self.timers, later.timers);
        absorb(&mut self.subscriptions, later.subscriptions);
        absorb(&mut self.records, later.records);
        absorb(&mut self.sagas, later.sagas);
        absorb(&mut self.incidents, later.incidents);
        self.held = later.held.or(self.held);
    }

    /// How many rows will be inserted, updated or deleted, history apart.
    pub fn row_count(&self) -> usize {
        1 + self.tokens.len()
            + self.scopes.len()
            + self.variables.len()
            + self.tasks.len()
            + self.timers.len()
            + self.subscriptions.len()
            + self.records.len()
            + self.sagas.len()
            + self.incidents.len()
    }
}

/// Numbers that were touched become changed rows.
struct Touching {
    counter: Number,
}

impl Touching {
    /// A row born and gone in the same turn was never there.
    fn take<'a, T>(
        &self,
        touched: impl IntoIterator<Item = &'a Number>,
        row: impl Fn(Number) -> Option<T>,
    ) -> Rows<T> {
        let mut rows = Map::new();
        for &number in touched {
            if rows.contains_key(&number) {
                continue;
            }
            let (new, row) = (number > self.counter, row(number));
            if !new || row.is_some() {
                rows.insert(number, Change { new, row });
            }
        }
        rows
    }
}

/// Whoever an earlier turn of the same commit gave a job to keeps it.
fn keeping_holds(earlier: &Rows<TokenRow>, mut later: Rows<TokenRow>) -> Rows<TokenRow> {
    for (number, change) in &mut later {
        let Some(row) = change.row.as_mut().filter(|row| row.hold == Hold::Kept) else { continue };
        if let Some(before) = earlier.get(number).and_then(|change| change.row.as_ref()) {
            row.hold = before.hold.clone();
        }
    }
    later
}

fn absorb<T>(rows: &mut Rows<T>, later: Rows<T>) {
    for (number, change) in later {
        let new = change.new || rows.get(&number).is_some_and(|earlier| earlier.new);
        if new && change.row.is_none() {
            rows.remove(&number);
        } else {
            rows.insert(number, Change { new, row: change.row });
        }
    }
}
