//! Plays a transcript on a stage: asks, reads what happened to every instance, and compares.
//!
//! **Invariant:** after every line, folding the stored history gives the state of the stage, and every named invariant holds.

use tyer_engine::{Command, InstanceId, Rejection, Timestamp, explain};

use crate::line::{Ask, Line};
use crate::role::Role;
use crate::script::Script;
use crate::stage::{Refusal, Stage};
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

pub(crate) struct Player<'a> {
    pub(crate) script: &'a Script,
    pub(crate) stage: &'a mut dyn Stage,
    began: Timestamp,
    /// Every instance that has begun, in the order in which the transcript tells of them.
    pub(crate) cast: Vec<Role>,
    /// How many of the later versions are there.
    pub(crate) deployed: usize,
    pub(crate) last_result: Option<(InstanceId, Command)>,
}

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
