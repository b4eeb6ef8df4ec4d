//! Lines become blocks of nodes and arrows.
//!
//! **Invariant:** a line belongs to the nearest sub-process above it that is less indented.
//! **Invariant:** a bare `start` or `end` is called after the block it stands in, unless that is the first process.

use std::collections::BTreeSet;

use super::words::{split_list, split_once, without_comment};
use super::{Arrow, Misread, Spot, When};

/// Kinds of node that hold others.
const BLOCKS: [&str; 4] = ["process", "transaction", "adhoc", "event"];

/// The files of a text: all processes, then one for each that is drawn again.
pub(super) fn parse(text: &str) -> Result<Vec<Vec<Spot>>, Misread> {
    let mut processes: Vec<Spot> = Vec::new();
    // How far each open block of the last process is indented.
    let mut open: Vec<usize> = Vec::new();
    for (line, raw) in (1..).zip(text.lines()) {
        let text = without_comment(raw);
        let misread = |message| Misread { line, message };
        if text.trim().is_empty() {
            continue;
        }
        let indent = text.len() - text.trim_start().len();
        if let Some(rest) = text.trim().strip_prefix("process ") {
            processes.push(process(line, rest.trim()).map_err(misread)?);
            open = vec![];
            continue;
        }
        let missing = || misread("a diagram begins with `process <id>`".to_owned());
        let process = processes.last_mut().ok_or_else(missing)?;
        let node = node(line, text.trim()).map_err(misread)?;
        while open.last().is_some_and(|around| indent <= *around) {
            open.pop();
        }
        let holds_others = BLOCKS.contains(&node.drawn.split_whitespace().next().unwrap_or_default());
        let mut around = &mut *process;
        for _ in &open {
            around = around.inside.last_mut().expect("an open block is the last of its own");
        }
        around.inside.push(node);
        if holds_others {
            open.push(indent);
        }
    }
    let Some(first) = processes.first().map(|first| first.id.clone()) else {
        return Err(Misread { line: 1, message: "there is no `process <id>`".to_owned() });
    };
    for process in &mut processes {
        let is_first = process.id == first;
        let mut drawn = BTreeSet::new();
        finish(process, is_first, &mut drawn)?;
    }
    Ok(into_files(processes))
}

/// A process that is drawn again is a later version, and a file of its own.
fn into_files(processes: Vec<Spot>) -> Vec<Vec<Spot>> {
    let mut files: Vec<Vec<Spot>> = vec![Vec::new()];
    for process in processes {
        if files[0].iter().any(|known| known.id == process.id) {
            files.push(vec![process]);
        } else {
            files[0].push(process);
        }
    }
    files
}

/// Names what has no name of its own, draws missing ends, and looks where arrows lead.
fn finish(block: &mut Spot, is_first: bool, drawn: &mut BTreeSet<String>) -> Result<(), Misread> {
    let (around, line) = (block.id.clone(), block.line);
    let named = |id: &str| match id {
        "start" | "end" if !is_first => format!("{around}.{id}"),
        other => other.to_owned(),
    };
    for node in &mut block.inside {
        node.id = named(&node.id);
        node.arrows.iter_mut().for_each(|arrow| arrow.target = named(&arrow.target));
        if !drawn.insert(node.id.clone()) {
            return Err(Misread { line: node.line, message: format!("`{}` is drawn twice", node.id) });
        }
    }
    let here: BTreeSet<&str> = block.inside.iter().map(|node| &*node.id).collect();
    let targets = block.inside.iter().flat_map(|node| node.arrows.iter().map(|arrow| &arrow.target));
    let missing: BTreeSet<String> = targets.filter(|target| !here.contains(&***target)).cloned().collect();
    for id in missing {
        if id != named("end") {
            let message = format!("an arrow leads to `{id}`, which is not drawn");
            return Err(Misread { line, message });
        }
        drawn.insert(id.clone());
        let (drawn, arrows, inside) = ("end".to_owned(), Vec::new(), Vec::new());
        block.inside.push(Spot { line, id, drawn, arrows, inside });
    }
    for node in &mut block.inside {
        finish(node, false, drawn)?;
    }
    Ok(())
}

/// `process order merge race`.
fn process(line: usize, rest: &str) -> Result<Spot, String> {
    let (id, drawn) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (id, drawn) = (identifier(id)?, drawn.to_owned());
    Ok(Spot { line, id, drawn, arrows: Vec::new(), inside: Vec::new() })
}

/// `id : shape -> target, target if condition, target else`.
fn node(line: usize, text: &str) -> Result<Spot, String> {
    let (left, right) = split_once(text, "->").map_or((text, None), |(left, right)| (left, Some(right)));
    let (id, drawn) = match split_once(left, ":") {
        Some((id, shape)) => (id.trim(), Some(shape.trim())),
        // `start on message order`: what needs no name of its own.
        None => match left.trim().split_once(' ') {
            Some((id @ ("start" | "end"), _)) => (id, Some(left.trim())),
            _ => (left.trim(), None),
        },
    };
    let id = identifier(id)?;
    let arrows = match right {
        Some(right) => split_list(right).into_iter().map(arrow).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    let drawn = match (drawn, &*id) {
        (Some(drawn), _) => drawn.to_owned(),
        (None, "start" | "end") => id.clone(),
        (None, _) => return Err(format!("say what `{id}` is, such as `{id} : user`")),
    };
    Ok(Spot { line, id, drawn, arrows, inside: Vec::new() })
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

pub(super) fn identifier(text: &str) -> Result<String, String> {
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

    #[test]
    fn indented_lines_stand_in_the_sub_process_above() {
        let text = "process p\n  start -> a\n  a : process -> end\n    start -> b\n    b : event\n      \
                    start on signal x -> end\n    c : user -> end\n  d : user\nprocess q\n start -> end";
        let files = parse(text).expect("it is right");
        let ids = |spots: &[Spot]| spots.iter().map(|spot| spot.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&files[0]), ["p", "q"]);
        let process = &files[0][0];
        assert_eq!(ids(&process.inside), ["start", "a", "d", "end"]);
        assert_eq!(ids(&process.inside[1].inside), ["a.start", "b", "c", "a.end"]);
        assert_eq!(ids(&process.inside[1].inside[1].inside), ["b.start", "b.end"]);
        assert_eq!(ids(&files[0][1].inside), ["q.start", "q.end"]);
    }

    #[test]
    fn a_process_drawn_again_is_a_later_version() {
        let text =
            "process p\n start -> end\nprocess q\n start -> end\nprocess p\n start -> a\n a : user -> end";
        let files = parse(text).expect("it is right");
        assert_eq!(files.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(files[1][0].inside.len(), 3);
    }
}
