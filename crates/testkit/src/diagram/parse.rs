//! Lines become nodes and arrows.
//!
//! A new element is a new word in [`shape`]; what it may say is a list of keywords.

use std::collections::BTreeSet;

use super::words::{split_list, split_once, without_comment, words};
use super::{Arrow, Diagram, Misread, Shape, Sketch, Spot, When};

pub(super) fn parse(text: &str) -> Result<Diagram, Misread> {
    let mut processes: Vec<(usize, Sketch)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = without_comment(text).trim();
        let misread = |message| Misread { line, message };
        if text.is_empty() {
            continue;
        }
        if let Some(id) = text.strip_prefix("process ") {
            let id = identifier(id.trim()).map_err(misread)?;
            processes.push((line, Sketch { id, nodes: Vec::new() }));
        } else {
            let missing = || misread("a diagram begins with `process <id>`".to_owned());
            let (_, process) = processes.last_mut().ok_or_else(missing)?;
            let node = node(text).map_err(misread)?;
            if process.nodes.iter().any(|other| other.id == node.id) {
                return Err(misread(format!("`{}` is drawn twice", node.id)));
            }
            process.nodes.push(node);
        }
    }
    for (line, process) in &mut processes {
        close(process).map_err(|message| Misread { line: *line, message })?;
    }
    if processes.is_empty() {
        return Err(Misread { line: 1, message: "there is no `process <id>`".to_owned() });
    }
    Ok(Diagram { processes: processes.into_iter().map(|(_, process)| process).collect() })
}

/// An arrow to `end` draws the end; any other target must be drawn.
fn close(process: &mut Sketch) -> Result<(), String> {
    let drawn: BTreeSet<&str> = process.nodes.iter().map(|node| &*node.id).collect();
    let targets = process.nodes.iter().flat_map(|node| &node.arrows);
    let missing: BTreeSet<String> =
        targets.filter(|arrow| !drawn.contains(&*arrow.target)).map(|arrow| arrow.target.clone()).collect();
    for id in missing {
        if id != "end" {
            return Err(format!("an arrow leads to `{id}`, which is not drawn"));
        }
        process.nodes.push(Spot { id, name: None, shape: Shape::End, arrows: Vec::new() });
    }
    Ok(())
}

/// `id : shape -> target, target if condition, target else`.
fn node(text: &str) -> Result<Spot, String> {
    let (left, right) = split_once(text, "->").map_or((text, None), |(left, right)| (left, Some(right)));
    let (id, drawn) = split_once(left, ":").map_or((left, None), |(id, shape)| (id, Some(shape.trim())));
    let id = identifier(id.trim())?;
    let arrows = match right {
        Some(right) => split_list(right).into_iter().map(arrow).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let drawn = match (drawn, &*id) {
        (Some(drawn), _) => drawn,
        (None, "start" | "end") => &id,
        (None, _) => return Err(format!("say what `{id}` is, such as `{id} : user`")),
    };
    let (shape, name) = shape(drawn)?;
    Ok(Spot { name, shape, arrows, id })
}

fn arrow(text: &str) -> Result<Arrow, String> {
    let (target, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let when = match rest.trim() {
        "" => When::Always,
        "else" => When::Else,
        rest => match rest.strip_prefix("if ") {
            Some(condition) => When::If(condition.trim().to_owned()),
            None => {
                return Err(format!(
                    "after `{target}` comes `if <condition>`, `else` or a comma, not `{rest}`"
                ));
            }
        },
    };
    Ok(Arrow { target: identifier(target)?, when })
}

/// What stands at a node, and what people call it.
fn shape(text: &str) -> Result<(Shape, Option<String>), String> {
    let (kind, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    if kind == "timer" {
        return Ok((timer(rest.trim())?, None));
    }
    let mut rest = Keywords::new(kind, rest);
    let shape = match kind {
        "start" => Shape::Start,
        "end" => Shape::End,
        "pass" => Shape::Pass,
        "exclusive" => Shape::Exclusive,
        "parallel" => Shape::Parallel,
        "job" => job(&mut rest)?,
        "user" => user(&mut rest),
        other => {
            let known = "start, end, pass, job, user, exclusive, parallel, timer";
            return Err(format!("`{other}` is not drawn: expected one of {known}"));
        }
    };
    let name = rest.take("named", 1);
    rest.finish()?;
    Ok((shape, name))
}

/// `job <type> retries 3 backoff fixed PT10S`.
fn job(rest: &mut Keywords) -> Result<Shape, String> {
    let job_type = rest.first().ok_or("a job has a type: `job charge-card`")?;
    let mut attributes = vec![("type", job_type)];
    attributes.extend(rest.take("retries", 1).map(|retries| ("retries", retries)));
    attributes.extend(rest.take("backoff", 3).map(|backoff| ("backoff", backoff)));
    Ok(Shape::Job(attributes))
}

/// `user assignee anna candidates "bob, carl" groups sales due 2030-01-02T00:00:00Z priority 75 form approve`.
fn user(rest: &mut Keywords) -> Shape {
    const SAID: [(&str, &str, &str); 6] = [
        ("assignee", "assignmentDefinition", "assignee"),
        ("candidates", "assignmentDefinition", "candidateUsers"),
        ("groups", "assignmentDefinition", "candidateGroups"),
        ("due", "taskSchedule", "dueDate"),
        ("priority", "priorityDefinition", "priority"),
        ("form", "formDefinition", "formKey"),
    ];
    let said = SAID
        .into_iter()
        .filter_map(|(keyword, element, attribute)| Some((element, attribute, rest.take(keyword, 1)?)));
    Shape::User(said.collect())
}

/// `timer PT5S`, `timer until 2030-01-31T12:00:00Z`; either may be an expression: `timer =pause`.
fn timer(rest: &str) -> Result<Shape, String> {
    let (element, time) = match rest.strip_prefix("until ") {
        Some(date) => ("timeDate", date.trim()),
        None => ("timeDuration", rest),
    };
    if time.is_empty() {
        return Err("a timer has a time: `timer PT5S` or `timer until 2030-01-31T12:00:00Z`".to_owned());
    }
    Ok(Shape::Timer(element, time.to_owned()))
}

/// What a shape says after its kind: words to be taken one after the other.
struct Keywords<'t> {
    kind: &'t str,
    words: Vec<String>,
}

impl<'t> Keywords<'t> {
    const KNOWN: [&'static str; 9] =
        ["named", "retries", "backoff", "assignee", "candidates", "groups", "due", "priority", "form"];

    fn new(kind: &'t str, rest: &str) -> Keywords<'t> {
        Keywords { kind, words: words(rest) }
    }

    fn first(&mut self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.remove(0))
    }

    /// The words after a keyword, at most so many, up to the next keyword.
    fn take(&mut self, keyword: &str, most: usize) -> Option<String> {
        let at = self.words.iter().position(|word| word == keyword)?;
        let values = self.words[at + 1..].iter().take(most);
        let count = values.take_while(|word| !Keywords::KNOWN.contains(&&***word)).count();
        let taken: Vec<String> = self.words.drain(at..=at + count).skip(1).collect();
        Some(taken.join(" "))
    }

    fn finish(self) -> Result<(), String> {
        match self.words.first() {
            Some(word) => Err(format!("`{}` does not say `{word}`", self.kind)),
            None => Ok(()),
        }
    }
}

fn identifier(text: &str) -> Result<String, String> {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    if first && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')) {
        Ok(text.to_owned())
    } else {
        Err(format!("`{text}` is not an id: letters, digits, `_`, `-` and `.`, beginning with a letter"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(line: &str) -> String {
        parse(&format!("process p\n start -> end\n {line}")).expect_err("it is wrong").to_string()
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        assert_eq!(refusal("a -> end"), "line 3: say what `a` is, such as `a : user`");
        assert_eq!(
            refusal("a : usr -> end"),
            "line 3: `usr` is not drawn: expected one of start, end, pass, job, user, exclusive, parallel, timer"
        );
        assert_eq!(refusal("a : user twice -> end"), "line 3: `user` does not say `twice`");
        assert_eq!(refusal("a : job -> end"), "line 3: a job has a type: `job charge-card`");
        assert_eq!(
            refusal("a : exclusive -> b when x"),
            "line 3: after `b` comes `if <condition>`, `else` or a comma, not `when x`"
        );
        assert_eq!(refusal("a : pass -> b"), "line 1: an arrow leads to `b`, which is not drawn");
        assert_eq!(refusal("start -> end"), "line 3: `start` is drawn twice");
        assert_eq!(
            refusal("1a : user"),
            "line 3: `1a` is not an id: letters, digits, `_`, `-` and `.`, beginning with a letter"
        );
    }

    #[test]
    fn what_a_node_says_is_read_in_any_order() {
        let job = node("a : job charge backoff linear PT1S PT30S retries 5 named \"Charge it\" -> b")
            .expect("it is right");
        let said = [("type", "charge"), ("retries", "5"), ("backoff", "linear PT1S PT30S")];
        assert_eq!(job.shape, Shape::Job(said.map(|(name, value)| (name, value.to_owned())).to_vec()));
        assert_eq!(job.name.as_deref(), Some("Charge it"));
        let timer =
            node("a : timer until =date and time(\"2030-01-01T00:00:00Z\") -> b").expect("it is right");
        assert_eq!(
            timer.shape,
            Shape::Timer("timeDate", "=date and time(\"2030-01-01T00:00:00Z\")".to_owned())
        );
    }
}
