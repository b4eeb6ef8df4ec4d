//! What each `>` line asks of the stage.

use tyer_engine::{
    Command, Effects, InstanceId, Modification, Number, Placement, Rollback, Start, TaskAction, Timestamp,
    Variables,
};

use crate::line::{Ask, Change, Place};
use crate::play::Player;
use crate::role::Role;
use crate::stage::{Published, Refusal, nobody};

/// What an ask has to say besides events: lines, or a refusal.
type Said = Result<Vec<String>, Refusal>;

impl Player<'_> {
    /// Does what the line asks; what it has to say beside the events is the answer.
    pub(crate) fn ask(&mut self, ask: &Ask, target: Option<usize>) -> Said {
        let id = target.map_or_else(nobody, |target| self.cast[target].id);
        match ask {
            Ask::Start { .. } => return self.start(ask, target),
            Ask::Complete { .. } | Ask::Fail { .. } | Ask::Throw { .. } => return self.result(ask, target),
            Ask::Claim { place, by } => return self.claim(place, by.clone(), target),
            Ask::Escalate { .. } | Ask::Release { .. } | Ask::Assign { .. } | Ask::Change { .. } => {
                return self.task(ask, target);
            }
            Ask::Message { name, key, id, ttl_ms, variables } => {
                let (name, key, id) = (name.clone(), key.clone(), id.clone());
                self.stage.publish(Published {
                    name,
                    key,
                    id,
                    ttl_ms: *ttl_ms,
                    variables: variables.clone(),
                })?;
            }
            Ask::Signal { name, variables } => self.stage.signal(name, variables.clone())?,
            Ask::Advance(ms) => self.stage.advance(*ms)?,
            Ask::Fire(timer) => self.stage.offer(id, Command::TimerDue { timer: *timer })?,
            Ask::Set { place, local, values } => return self.set(place.as_ref(), *local, values, target),
            Ask::Check => self.stage.offer(id, Command::CheckConditions)?,
            Ask::Pause(reason) => self.stage.offer(id, Command::Pause { reason: reason.clone() })?,
            Ask::Resume => self.stage.offer(id, Command::Resume)?,
            Ask::Cancel(reason) => self.stage.offer(id, Command::Cancel { reason: reason.clone() })?,
            Ask::Compensate(reason) => {
                self.stage.offer(id, Command::Compensate { reason: reason.clone() })?
            }
            Ask::Resolve { place, .. } | Ask::Skip(place) | Ask::Abort(place) => {
                return self.deal_with(ask, place, target);
            }
            Ask::Modify { moves, variables } => return self.modify(moves, variables, target),
            Ask::Deploy => return self.deploy(),
            Ask::Migrate(mapping) => self.stage.migrate(id, mapping.clone())?,
            Ask::Snapshot(name) => self.stage.offer(id, Command::Snapshot { name: name.clone() })?,
            Ask::Rollback { name, effects } => return self.roll_back(name, *effects, target),
            Ask::State(_) | Ask::Explain => {}
            Ask::Again => match self.last_result.clone() {
                Some((id, command)) => self.stage.offer(id, command)?,
                None => return Ok(vec!["nothing has been completed yet".to_owned()]),
            },
        }
        Ok(Vec::new())
    }

    /// Without a process it is the first one, which is started once; with one it is always a new instance.
    fn start(&mut self, ask: &Ask, target: Option<usize>) -> Said {
        let Ask::Start { process, at, by, key, variables } = ask else { return Ok(Vec::new()) };
        let start = Start {
            business_key: key.clone(),
            started_by: by.clone(),
            variables: variables.clone(),
            at: at.clone(),
            ..Start::default()
        };
        match (process, target) {
            (None, Some(target)) => {
                self.stage.offer(self.cast[target].id, Command::Start(Box::new(start)))?;
            }
            (None, None) => drop(self.stage.start(&self.script.process.id, start)?),
            (Some(process), _) => drop(self.stage.start(process, start)?),
        }
        Ok(Vec::new())
    }

    fn deploy(&mut self) -> Said {
        let Some((bpmn, processes)) = self.script.later.get(self.deployed) else {
            return Ok(vec!["no later version is drawn".to_owned()]);
        };
        self.deployed += 1;
        self.stage.deploy(bpmn)?;
        let version = |id: &str| {
            let later = self.script.later[..self.deployed].iter().flat_map(|(_, processes)| processes);
            1 + later.filter(|process| process.id == id).count()
        };
        let told = processes
            .iter()
            .map(|process| format!("version {} of {} is there", version(&process.id), process.id));
        Ok(told.collect())
    }

    /// A worker's or a person's result, for whatever waits at the place.
    fn result(&mut self, ask: &Ask, target: Option<usize>) -> Said {
        let (Ask::Complete { place, .. } | Ask::Fail { place, .. } | Ask::Throw { place, .. }) = ask else {
            return Ok(Vec::new());
        };
        let (id, item) = match self.item(place, target) {
            Ok(found) => found,
            Err(nobody) => return Ok(vec![nobody]),
        };
        if let (Item::Job(job), Place::Node(..)) = (item, place)
            && !self.stage.claim(id, job)?
        {
            return Ok(vec![format!("no worker can claim job {job}")]);
        }
        let command = command_of(ask, item);
        self.last_result = Some((id, command.clone()));
        self.stage.offer(id, command)?;
        Ok(Vec::new())
    }

    fn claim(&mut self, place: &Place, by: Option<String>, target: Option<usize>) -> Said {
        let said = match self.item(place, target) {
            Ok((id, Item::Job(job))) if self.stage.claim(id, job)? => format!("a worker holds job {job}"),
            Ok((_, Item::Job(job))) => format!("no worker can claim job {job}"),
            Ok((id, Item::Task(task))) => {
                self.stage.offer(id, Command::Task { task, by, action: TaskAction::Claim })?;
                return Ok(Vec::new());
            }
            Err(nobody) => nobody,
        };
        Ok(vec![said])
    }

    /// What a person does with a task before it is done.
    #[allow(clippy::wildcard_enum_match_arm, reason = "`ask` lists every ask")]
    fn task(&mut self, ask: &Ask, target: Option<usize>) -> Said {
        let (place, by, action) = match ask {
            Ask::Escalate { place, code } => (place, &None, TaskAction::Escalate { code: code.clone() }),
            Ask::Release { place, by } => (place, by, TaskAction::Release),
            Ask::Assign { place, to, by } => (place, by, TaskAction::Assign { to: to.clone() }),
            Ask::Change { place, priority, due } => {
                let due = due.as_ref().map(|due| due.parse::<jiff::Timestamp>());
                let due = due.transpose().map_err(|error| Refusal::Broken(error.to_string()))?;
                let due = due.map(|due| Timestamp(due.as_millisecond()));
                (place, &None, TaskAction::Change { priority: *priority, due })
            }
            _ => return Ok(Vec::new()),
        };
        match self.item(place, target) {
            Ok((id, Item::Task(task) | Item::Job(task))) => {
                self.stage.offer(id, Command::Task { task, by: by.clone(), action })?;
                Ok(Vec::new())
            }
            Err(nobody) => Ok(vec![nobody]),
        }
    }

    fn set(&mut self, place: Option<&Place>, local: bool, values: &Variables, target: Option<usize>) -> Said {
        let token = place.map(|place| self.role(target).and_then(|role| role.token(place))).transpose();
        let token = match token {
            Ok(token) => token,
            Err(nobody) => return Ok(vec![nobody]),
        };
        let id = target.map_or_else(nobody, |target| self.cast[target].id);
        self.stage.offer(id, Command::SetVariables { token, local, values: values.clone() })?;
        Ok(Vec::new())
    }

    #[allow(clippy::wildcard_enum_match_arm, reason = "`ask` lists every ask")]
    fn deal_with(&mut self, ask: &Ask, place: &Place, target: Option<usize>) -> Said {
        let (id, incident) = match (self.role(target).and_then(|role| role.incident(place)), place) {
            (Ok(incident), _) => (self.cast[target.expect("it has a role")].id, incident),
            (Err(_), Place::Incident(incident)) => (nobody(), *incident),
            (Err(nobody), _) => return Ok(vec![nobody]),
        };
        let command = match ask {
            Ask::Skip(_) => Command::SkipCompensation { incident },
            Ask::Abort(_) => Command::AbortCompensation { incident },
            Ask::Resolve { retries, .. } => Command::Resolve { incident, retries: *retries },
            _ => return Ok(Vec::new()),
        };
        self.stage.offer(id, command)?;
        Ok(Vec::new())
    }

    /// The variables come with the last token that is put somewhere.
    fn modify(&mut self, moves: &[Change], variables: &Variables, target: Option<usize>) -> Said {
        let mut modification = Modification::default();
        for one in moves {
            let token = |place: &Place| self.role(target).and_then(|role| role.token(place));
            let (node, instead_of) = match one {
                Change::Add(node) => (node.clone(), None),
                Change::Remove(place) | Change::Move(place, _) => match (token(place), one) {
                    (Ok(token), Change::Move(_, node)) => (node.clone(), Some(token)),
                    (Ok(token), _) => {
                        modification.cancel.push(token);
                        continue;
                    }
                    (Err(nobody), _) => return Ok(vec![nobody]),
                },
            };
            modification.add.push(Placement { node, instead_of, variables: Variables::default() });
        }
        if let Some(last) = modification.add.last_mut() {
            last.variables = variables.clone();
        }
        let id = target.map_or_else(nobody, |target| self.cast[target].id);
        self.stage.offer(id, Command::Modify(modification))?;
        Ok(Vec::new())
    }

    fn roll_back(&mut self, name: &str, effects: Effects, target: Option<usize>) -> Said {
        let found = self.role(target).and_then(|role| {
            let state = role.bookmarks.get(name).cloned();
            Ok((role.id, state.ok_or_else(|| format!("there is no snapshot {name}"))?))
        });
        let (id, state) = match found {
            Ok(found) => found,
            Err(nobody) => return Ok(vec![nobody]),
        };
        let rollback = Rollback { name: name.to_owned(), state, effects };
        self.stage.offer(id, Command::Rollback(Box::new(rollback)))?;
        Ok(Vec::new())
    }

    fn role(&self, target: Option<usize>) -> Result<&Role, String> {
        target.map(|target| &self.cast[target]).ok_or_else(|| "nothing has begun".to_owned())
    }

    fn item(&self, place: &Place, target: Option<usize>) -> Result<(InstanceId, Item), String> {
        let id = target.map_or_else(nobody, |target| self.cast[target].id);
        match place {
            Place::Job(job) => Ok((id, Item::Job(*job))),
            Place::Task(task) => Ok((id, Item::Task(*task))),
            Place::Node(..) | Place::Token(_) | Place::Incident(_) => {
                Ok((id, self.role(target)?.item(place)?))
            }
        }
    }
}

/// A job or a task, by its number.
#[derive(Clone, Copy)]
pub(crate) enum Item {
    Job(Number),
    Task(Number),
}

#[allow(clippy::wildcard_enum_match_arm, reason = "`ask` lists every ask")]
fn command_of(ask: &Ask, item: Item) -> Command {
    match (ask.clone(), item) {
        (Ask::Complete { variables, .. }, Item::Job(job)) => {
            Command::CompleteJob { job, holder: None, variables }
        }
        (Ask::Complete { by, variables, .. }, Item::Task(task)) => {
            Command::Task { task, by, action: TaskAction::Complete { variables } }
        }
        (Ask::Throw { code, message, variables, .. }, Item::Job(job)) => {
            Command::ThrowError { job, holder: None, code, message, variables }
        }
        (Ask::Throw { code, message, variables, .. }, Item::Task(task)) => {
            Command::Task { task, by: None, action: TaskAction::Error { code, message, variables } }
        }
        (Ask::Fail { error, retries, backoff_ms, .. }, Item::Job(job) | Item::Task(job)) => {
            Command::FailJob { job, holder: None, error, retries, backoff_ms }
        }
        (other, _) => unreachable!("{other:?} is no result"),
    }
}
