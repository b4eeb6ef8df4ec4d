//! The rows that a turn changed, taken from its events.
//!
//! **Invariant:** a row that no event touched is not written.

use std::collections::BTreeMap;

use tyer_engine::{Event, EventKind, Instance, Number, Status};

use crate::rows::{IncidentRow, InstanceRow, TaskRow, TimerRow, TokenRow};

/// The changed rows of one instance, by number; none = the row is gone.
#[derive(Clone, Debug)]
pub struct Changes {
    /// The instance's own row.
    pub instance: InstanceRow,
    /// Tokens.
    pub tokens: BTreeMap<Number, Change<TokenRow>>,
    /// Variables of scopes, as JSON objects: written over what may be there.
    pub scopes: BTreeMap<Number, String>,
    /// Tasks.
    pub tasks: BTreeMap<Number, Change<TaskRow>>,
    /// Timers.
    pub timers: BTreeMap<Number, Change<TimerRow>>,
    /// Incidents.
    pub incidents: BTreeMap<Number, Change<IncidentRow>>,
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
    /// What these events changed; `counter` is the instance's counter before them.
    pub fn of(instance: &Instance, events: &[Event], counter: Number) -> Changes {
        let mut changes = Changes::none(instance);
        for event in events {
            changes.note(instance, event, counter);
        }
        changes
    }

    /// Takes over the rows of a later turn of the same instance.
    pub fn absorb(&mut self, later: Changes) {
        self.instance = later.instance;
        absorb(&mut self.tokens, later.tokens);
        self.scopes.extend(later.scopes);
        absorb(&mut self.tasks, later.tasks);
        absorb(&mut self.timers, later.timers);
        absorb(&mut self.incidents, later.incidents);
        self.held = later.held.or(self.held);
    }

    /// How many rows will be inserted, updated or deleted, history apart.
    pub fn row_count(&self) -> usize {
        1 + self.tokens.len()
            + self.scopes.len()
            + self.tasks.len()
            + self.timers.len()
            + self.incidents.len()
    }

    fn none(instance: &Instance) -> Changes {
        Changes {
            instance: instance_row(instance),
            tokens: BTreeMap::new(),
            scopes: BTreeMap::new(),
            tasks: BTreeMap::new(),
            timers: BTreeMap::new(),
            incidents: BTreeMap::new(),
            held: None,
        }
    }

    fn note(&mut self, instance: &Instance, event: &Event, counter: Number) {
        match &event.kind {
            EventKind::WorkflowPaused { .. } => self.held = Some(true),
            EventKind::WorkflowResumed => self.held = Some(false),
            EventKind::TaskCreated(asked) => self.note_task(instance, asked.task, counter),
            EventKind::TaskCompleted { task, .. } | EventKind::TaskCancelled { task } => {
                self.note_task(instance, *task, counter);
            }
            EventKind::TimerCreated { timer, .. }
            | EventKind::TimerFired { timer }
            | EventKind::TimerCancelled { timer } => {
                self.note_timer(instance, *timer, counter);
            }
            EventKind::IncidentOpened { incident, .. } | EventKind::IncidentResolved { incident } => {
                let row = instance.incidents.get(incident).cloned();
                keep(&mut self.incidents, *incident, counter, row);
            }
            EventKind::VariableUpdated { scope, values: _ } => {
                self.scopes.insert(*scope, instance.scopes[scope].to_json());
            }
            EventKind::WorkflowStarted(_)
            | EventKind::WorkflowCompleted
            | EventKind::WorkflowCancelled { .. }
            | EventKind::TokenCreated { .. }
            | EventKind::TokenMoved
            | EventKind::TokenWaiting
            | EventKind::TokenCompleted
            | EventKind::TokenTerminated
            | EventKind::TokenFailed
            | EventKind::NodeStarted
            | EventKind::NodeCompleted
            | EventKind::JobCreated { .. }
            | EventKind::JobCompleted { .. }
            | EventKind::JobFailed { .. } => {}
        }
        if let Some(token) = event.token {
            self.note_token(instance, token, counter);
        }
    }

    fn note_token(&mut self, instance: &Instance, number: Number, counter: Number) {
        let row = instance.tokens.get(&number).map(|token| TokenRow {
            status: instance.token_status(token),
            token: token.clone(),
            lease: None,
        });
        keep(&mut self.tokens, number, counter, row);
    }

    fn note_task(&mut self, instance: &Instance, number: Number, counter: Number) {
        keep(&mut self.tasks, number, counter, instance.tasks.get(&number).cloned());
    }

    fn note_timer(&mut self, instance: &Instance, number: Number, counter: Number) {
        let held = instance.status == Status::Paused;
        let row = instance.timers.get(&number).map(|timer| TimerRow { timer: *timer, held });
        keep(&mut self.timers, number, counter, row);
    }
}

/// A row born and gone in the same turn was never there.
fn keep<T>(rows: &mut BTreeMap<Number, Change<T>>, number: Number, counter: Number, row: Option<T>) {
    let new = number > counter;
    if new && row.is_none() {
        rows.remove(&number);
    } else {
        rows.insert(number, Change { new, row });
    }
}

fn absorb<T>(rows: &mut BTreeMap<Number, Change<T>>, later: BTreeMap<Number, Change<T>>) {
    for (number, change) in later {
        let new = change.new || rows.get(&number).is_some_and(|earlier| earlier.new);
        if new && change.row.is_none() {
            rows.remove(&number);
        } else {
            rows.insert(number, Change { new, row: change.row });
        }
    }
}

fn instance_row(instance: &Instance) -> InstanceRow {
    InstanceRow {
        status: instance.status,
        version: instance.version,
        counter: instance.counter,
        definition: instance.definition,
        business_key: instance.business_key.clone(),
        started_by: instance.started_by.clone(),
        priority: instance.priority,
        started_at: instance.started_at,
        ended_at: instance.ended_at,
        retries: instance.retries,
        errors: instance.errors,
        last_error: instance.last_error.clone(),
    }
}
