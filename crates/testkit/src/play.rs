//! Plays a transcript on a stage: asks, reads what happened to every instance, and compares.
//!
//! **Invariant:** after every line, folding the stored history gives the state of the stage, and every named invariant holds.

use tyer_engine::{
    Command, Effects, InstanceId, Modification, Number, Placement, Rejection, Rollback, Start, TaskAction,
    Timestamp, Variables, explain,
};

use crate::line::{Ask, Line, Move, Place};
use crate::role::Role;
use crate::script::Script;
use crate::stage::{Published, Refusal, Stage, nobody};
use crate::tell::{explained, show};
use crate::transcript::Transcript;

/// A transcript that could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[error("after `> {asked}`: {what}")]
pub struct Broken {
    /// The command after which it broke.
    pub asked: String,
    /// What is wrong.
    pub what: String,
}

impl Transcript {
    /// Plays it and gives the text back, with the answers of this stage.
    ///
    /// # Errors
    /// If a promise of the engine is broken: the history does not give the state, or an invariant does not hold.
    pub fn play(&self, script: &Script, stage: &mut dyn Stage) -> Result<String, Broken> {
        let began = stage.now();
        let mut player = Player { script, stage, began, cast: Vec::new(), deployed: 0, last_result: None };
        let mut answers = Vec::new();
        for entry in &self.entries {
            let answer = player.answer(&entry.line);
            answers.push(answer.map_err(|what| Broken { asked: entry.asked.clone(), what })?);
        }
        Ok(self.with_answers(&answers))
    }
}

struct Player<'a> {
    script: &'a Script,
    stage: &'a mut dyn Stage,
    began: Timestamp,
    /// Every instance that has begun, in the order in which the transcript tells of them.
    cast: Vec<Role>,
    /// How many of the later versions are there.
    deployed: usize,
    last_result: Option<(InstanceId, Command)>,
}

/// What an ask has to say besides events: lines, or a refusal.
type Said = Result<Vec<String>, Refusal>;

impl Player<'_> {
    fn answer(&mut self, line: &Line) -> Result<Vec<String>, String> {
        let target = match &line.to {
            None => (!self.cast.is_empty()).then_some(0),
            Some((process, count)) => {
                let found = self.cast.iter().position(|role| role.is(process, *count));
                Some(found.ok_or_else(|| format!("there is no instance {count} of {process}"))?)
            }
        };
        let mut said = match self.ask(&line.ask, target) {
            Ok(said) => said,
            Err(Refusal::Rejected(rejection)) => vec![rejected(&rejection)],
            Err(Refusal::Broken(what)) => return Err(what),
        };
        let mut happened = self.catch_up()?;
        happened.append(&mut said);
        happened.extend(self.look(&line.ask, target)?);
        self.stage.line_ended().map_err(|refusal| refusal.to_string())?;
        if happened.is_empty() {
            happened.push("nothing happens".to_owned());
        }
        Ok(happened)
    }

    /// What is only looked at.
    fn look(&self, ask: &Ask, target: Option<usize>) -> Result<Vec<String>, String> {
        let nothing = || vec!["nothing has begun".to_owned()];
        match (ask, target.map(|target| &self.cast[target])) {
            (Ask::State(_) | Ask::Explain, None) => Ok(nothing()),
            (Ask::State(None), Some(role)) => Ok(show(&role.process, &role.folded, self.began)),
            (Ask::State(Some(seq)), Some(role)) => {
                let (process, then) = role.state_at(*seq)?;
                Ok(show(&process, &then, self.began))
            }
            (Ask::Explain, Some(role)) => Ok(explained(&explain(&role.process, &role.folded), self.began)),
            _ => Ok(Vec::new()),
        }
    }

    /// Does what the line asks; what it has to say beside the events is the answer.
    fn ask(&mut self, ask: &Ask, target: Option<usize>) -> Said {
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
            Ask::Rollback { name, force } => return self.roll_back(name, *force, target),
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
    fn modify(&mut self, moves: &[Move], variables: &Variables, target: Option<usize>) -> Said {
        let mut modification = Modification::default();
        for one in moves {
            let token = |place: &Place| self.role(target).and_then(|role| role.token(place));
            let (node, instead_of) = match one {
                Move::Add(node) => (node.clone(), None),
                Move::Remove(place) | Move::Move(place, _) => match (token(place), one) {
                    (Ok(token), Move::Move(_, node)) => (node.clone(), Some(token)),
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

    fn roll_back(&mut self, name: &str, force: bool, target: Option<usize>) -> Said {
        let found = self.role(target).and_then(|role| {
            let state = role.bookmarks.get(name).cloned();
            Ok((role.id, state.ok_or_else(|| format!("there is no snapshot {name}"))?))
        });
        let (id, state) = match found {
            Ok(found) => found,
            Err(nobody) => return Ok(vec![nobody]),
        };
        let effects = if force { Effects::Force } else { Effects::Refuse };
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
            _ => Ok((id, self.role(target)?.item(place)?)),
        }
    }

    /// Reads what was stored since the last line, folds it and checks every promise.
    fn catch_up(&mut self) -> Result<Vec<String>, String> {
        self.meet_newcomers()?;
        let mut told = Vec::new();
        for role in &mut self.cast {
            let pages =
                self.stage.history(role.id, role.folded.version).map_err(|refusal| refusal.to_string())?;
            let state = self.stage.state(role.id).map_err(|refusal| refusal.to_string())?;
            told.extend(role.read(pages, &state, self.script, self.began)?);
        }
        Ok(told)
    }

    fn meet_newcomers(&mut self) -> Result<(), String> {
        let all = self.stage.instances().map_err(|refusal| refusal.to_string())?;
        let mut new = Vec::new();
        for id in all.into_iter().filter(|id| self.cast.iter().all(|role| role.id != *id)) {
            let pages = self.stage.history(id, 0).map_err(|refusal| refusal.to_string())?;
            let parent = self.stage.state(id).map_err(|refusal| refusal.to_string())?.parent;
            let role = Role::new(id, pages.first(), self.script)?;
            let drawn = self.script.processes.iter().position(|process| process.id == role.process.id);
            new.push(((parent.is_some(), drawn, parent, id), role));
        }
        new.sort_by_key(|(order, _)| *order);
        for (_, mut role) in new {
            let namesakes = self.cast.iter().filter(|known| known.process.id == role.process.id).count();
            role.label(namesakes + 1, self.cast.is_empty());
            self.cast.push(role);
        }
        Ok(())
    }
}

/// A job or a task, by its number.
#[derive(Clone, Copy)]
pub(crate) enum Item {
    Job(Number),
    Task(Number),
}

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

/// The id of the instance differs from stage to stage.
fn rejected(rejection: &Rejection) -> String {
    let words = rejection.to_string();
    let mut said: Vec<&str> = Vec::new();
    for word in words.split(' ') {
        let bare = word.trim_end_matches(':');
        if !bare.starts_with("inst_") || said.last() != Some(&"instance") {
            said.push(word);
            continue;
        }
        said.pop();
        match said.last() {
            Some(&"of" | &"in") => drop(said.pop()),
            Some(&"no") => said.push("instance"),
            _ => said.push(if bare == word { "the instance" } else { "the instance:" }),
        }
    }
    format!("rejected: {}", said.join(" "))
}
