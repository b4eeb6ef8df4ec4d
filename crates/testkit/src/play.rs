//! Plays a transcript on a stage: asks, folds what happened, and compares.
//!
//! **Invariant:** after every line, folding the stored history gives the state of the stage, and every named invariant holds.

use std::collections::BTreeSet;

use tyer_engine::{Command, EventKind, Instance, Number, Rejection, Timestamp, Wait, pack, unpack};
use tyer_model::Process;

use crate::invariants::invariants;
use crate::line::{Line, Place};
use crate::stage::{Page, Refusal, Stage};
use crate::tell::{Teller, show};
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
    pub fn play(&self, process: &Process, stage: &mut dyn Stage) -> Result<String, Broken> {
        let mut player = Player::new(process, stage).map_err(|what| broken("", what))?;
        let mut answers = Vec::new();
        for entry in &self.entries {
            let answer = player.answer(&entry.line).map_err(|what| broken(&entry.asked, what))?;
            answers.push(answer);
        }
        Ok(self.with_answers(&answers))
    }
}

fn broken(asked: &str, what: String) -> Broken {
    Broken { asked: asked.to_owned(), what }
}

struct Player<'a> {
    process: &'a Process,
    stage: &'a mut dyn Stage,
    began: Timestamp,
    /// The history, folded.
    folded: Instance,
    started: bool,
    fired: BTreeSet<Number>,
    last_result: Option<Command>,
}

impl<'a> Player<'a> {
    fn new(process: &'a Process, stage: &'a mut dyn Stage) -> Result<Player<'a>, String> {
        let folded = stage.state().map_err(|refusal| refusal.to_string())?;
        let (began, fired) = (stage.now(), BTreeSet::new());
        Ok(Player { process, stage, began, folded, started: false, fired, last_result: None })
    }

    fn answer(&mut self, line: &Line) -> Result<Vec<String>, String> {
        let mut said = match self.ask(line) {
            Ok(said) => said,
            Err(Refusal::Rejected(rejection)) => vec![self.rejected(&rejection)],
            Err(Refusal::Broken(what)) => return Err(what),
        };
        let mut happened = self.catch_up()?;
        happened.append(&mut said);
        if let Line::Show = line {
            happened.extend(show(self.process, &self.folded, self.began));
        }
        self.stage.line_ended().map_err(|refusal| refusal.to_string())?;
        if happened.is_empty() {
            happened.push("nothing happens".to_owned());
        }
        Ok(happened)
    }

    /// Does what the line asks; what it has to say beside the events is the answer.
    fn ask(&mut self, line: &Line) -> Result<Vec<String>, Refusal> {
        match line {
            Line::Start(variables) => self.stage.start(variables.clone())?,
            Line::Complete { place, by, variables } => {
                let (by, variables) = (by.clone(), variables.clone());
                return self.result(place, |item| match item {
                    Item::Job(job) => Command::CompleteJob { job, holder: None, variables },
                    Item::Task(task) => Command::CompleteTask { task, by, variables },
                });
            }
            Line::Fail { place, error, retries, backoff_ms } => {
                let (error, retries, backoff_ms) = (error.clone(), *retries, *backoff_ms);
                return self.result(place, |item| {
                    let (Item::Job(job) | Item::Task(job)) = item;
                    Command::FailJob { job, holder: None, error, retries, backoff_ms }
                });
            }
            Line::Claim(place) => return self.claim(place),
            Line::Advance(ms) => self.stage.advance(*ms)?,
            Line::Fire(timer) => self.stage.offer(Command::TimerDue { timer: *timer })?,
            Line::Pause(reason) => self.stage.offer(Command::Pause { reason: reason.clone() })?,
            Line::Resume => self.stage.offer(Command::Resume)?,
            Line::Cancel(reason) => self.stage.offer(Command::Cancel { reason: reason.clone() })?,
            Line::Resolve(place) => match self.incident(place) {
                Ok(incident) => self.stage.offer(Command::Resolve { incident })?,
                Err(nobody) => return Ok(vec![nobody]),
            },
            Line::Show => {}
            Line::Again => match self.last_result.clone() {
                Some(command) => self.stage.offer(command)?,
                None => return Ok(vec!["nothing has been completed yet".to_owned()]),
            },
        }
        Ok(Vec::new())
    }

    /// A worker's or a person's result, for whatever waits at the place.
    fn result(
        &mut self,
        place: &Place,
        command: impl FnOnce(Item) -> Command,
    ) -> Result<Vec<String>, Refusal> {
        let item = match self.item(place) {
            Ok(item) => item,
            Err(nobody) => return Ok(vec![nobody]),
        };
        if let (Item::Job(job), Place::Node(..)) = (item, place)
            && !self.stage.claim(job)?
        {
            return Ok(vec![format!("no worker can claim job {job}")]);
        }
        let command = command(item);
        self.last_result = Some(command.clone());
        self.stage.offer(command)?;
        Ok(Vec::new())
    }

    fn claim(&mut self, place: &Place) -> Result<Vec<String>, Refusal> {
        let said = match self.item(place) {
            Ok(Item::Job(job)) if self.stage.claim(job)? => format!("a worker holds job {job}"),
            Ok(Item::Job(job)) => format!("no worker can claim job {job}"),
            Ok(Item::Task(task)) => format!("task {task} is for a person, not for a worker"),
            Err(nobody) => nobody,
        };
        Ok(vec![said])
    }

    fn item(&self, place: &Place) -> Result<Item, String> {
        match place {
            Place::Job(job) => Ok(Item::Job(*job)),
            Place::Task(task) => Ok(Item::Task(*task)),
            Place::Incident(_) => Err("an incident is resolved, not completed".to_owned()),
            Place::Node(node, token) => self.waiting(node, *token, "a result", |wait| match wait {
                Wait::Job(job) => Some(Item::Job(job.number)),
                Wait::Task(task) => Some(Item::Task(*task)),
                Wait::Nothing | Wait::Timer(_) | Wait::Join | Wait::Incident(_) => None,
            }),
        }
    }

    fn incident(&self, place: &Place) -> Result<Number, String> {
        match place {
            Place::Incident(incident) => Ok(*incident),
            Place::Job(_) | Place::Task(_) => Err("only an incident is resolved".to_owned()),
            Place::Node(node, token) => self.waiting(node, *token, "help", |wait| match wait {
                Wait::Incident(incident) => Some(*incident),
                Wait::Nothing | Wait::Timer(_) | Wait::Join | Wait::Job(_) | Wait::Task(_) => None,
            }),
        }
    }

    /// The one thing that a token at this node waits for.
    fn waiting<T>(
        &self,
        node: &str,
        token: Option<Number>,
        what: &str,
        wanted: impl Fn(&Wait) -> Option<T>,
    ) -> Result<T, String> {
        let ix = self.process.find_node(node).ok_or_else(|| format!("there is no node {node}"))?;
        let here =
            self.folded.tokens.iter().filter(|(number, standing)| {
                standing.node == ix && token.is_none_or(|token| token == **number)
            });
        let mut found: Vec<(Number, T)> =
            here.filter_map(|(number, token)| Some((*number, wanted(&token.wait)?))).collect();
        match found.len() {
            0 => Err(format!("no token at {node} waits for {what}")),
            1 => Ok(found.remove(0).1),
            _ => {
                let choices: Vec<String> =
                    found.iter().map(|(number, _)| format!("{node}#{number}")).collect();
                Err(format!("several tokens wait there: {}", choices.join(", ")))
            }
        }
    }

    /// Reads what was stored since the last line, folds it and checks every promise.
    fn catch_up(&mut self) -> Result<Vec<String>, String> {
        let pages = self.stage.history(self.folded.version).map_err(|refusal| refusal.to_string())?;
        let state = self.stage.state().map_err(|refusal| refusal.to_string())?;
        if !self.started && !pages.is_empty() {
            self.folded = Instance::blank(state.id);
            self.started = true;
        }
        let mut teller = Teller::new(self.process, self.began);
        for page in pages {
            self.fold(&page, &mut teller)?;
        }
        if self.folded != state {
            return Err(format!(
                "I4: the history does not give the state\nfolded: {:#?}\nstate: {state:#?}",
                self.folded
            ));
        }
        match invariants(self.process, &state)[..] {
            [] => Ok(teller.finish()),
            ref broken => Err(broken.join("\n")),
        }
    }

    fn fold(&mut self, page: &Page, teller: &mut Teller<'_>) -> Result<(), String> {
        if page.first_seq != self.folded.version + 1 {
            return Err(format!("I4: event {} follows event {}", page.first_seq, self.folded.version));
        }
        let events = unpack(self.process, &page.events).map_err(|error| error.to_string())?;
        if pack(self.process, &events) != page.events {
            return Err(format!("a turn does not read back as it was packed: {}", page.events));
        }
        for event in &events {
            if let EventKind::TimerFired { timer } = &event.kind {
                self.check_timer(*timer, page.at)?;
            }
            teller.tell(&self.folded, page.at, event);
            self.folded.apply(event, page.at);
        }
        Ok(())
    }

    /// I8: a timer fires once, and never early.
    fn check_timer(&mut self, number: Number, at: Timestamp) -> Result<(), String> {
        let timer = self.folded.timers.get(&number);
        let timer = timer.ok_or_else(|| format!("I8: timer {number} fired and was not armed"))?;
        if timer.due > at {
            return Err(format!("I8: timer {number} fired at {at}, before its moment {}", timer.due));
        }
        if self.fired.insert(number) { Ok(()) } else { Err(format!("I8: timer {number} fired twice")) }
    }

    /// The id of the instance differs from stage to stage.
    fn rejected(&self, rejection: &Rejection) -> String {
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
                Some(&"of") => drop(said.pop()),
                Some(&"no") => said.push("instance"),
                _ => said.push(if bare == word { "the instance" } else { "the instance:" }),
            }
        }
        format!("rejected: {}", said.join(" "))
    }
}

#[derive(Clone, Copy)]
enum Item {
    Job(Number),
    Task(Number),
}
