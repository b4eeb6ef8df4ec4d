//! What one token did in a row: one line.

use tyer_engine::Number;

use super::listed;

/// A repetition shorter than this is written out.
const REPEATS: usize = 3;
/// Nodes that a loop may have to be recognised.
const LONGEST_LOOP: usize = 20;

pub(super) struct Walk {
    pub(super) token: Number,
    /// Tokens that this one was split into.
    pub(super) children: Vec<Number>,
    steps: Vec<Step>,
}

enum Step {
    /// Before a node that it may not enter.
    Stopped(String),
    Entered(String, String),
    Passed(String),
    Left(String),
    Did(String),
}

impl Walk {
    pub(super) fn of(token: Number) -> Walk {
        Walk { token, children: Vec::new(), steps: Vec::new() }
    }

    /// Has anything been told of the token?
    pub(super) fn has_begun(&self) -> bool {
        !self.steps.is_empty()
    }

    pub(super) fn entered(&mut self, node: &str, by: &str) {
        self.steps.push(Step::Entered(node.to_owned(), by.to_owned()));
    }

    pub(super) fn left(&mut self, node: &str) {
        let step = match self.steps.pop() {
            Some(Step::Entered(entered, by)) if entered == node => Step::Passed(format!("{node}{by}")),
            other => {
                self.steps.extend(other);
                Step::Left(node.to_owned())
            }
        };
        self.steps.push(step);
    }

    /// The token is gone: split, or at its end.
    pub(super) fn ended(&mut self, node: &str) {
        if !self.children.is_empty() {
            let children = listed(&std::mem::take(&mut self.children));
            return self.steps.push(Step::Did(format!("became {children}")));
        }
        if let Some(Step::Passed(_)) = self.steps.last() {
            self.steps.pop();
        }
        self.steps.push(Step::Did(format!("ended at {node}")));
    }

    pub(super) fn did(&mut self, what: String) {
        self.steps.push(Step::Did(what));
    }

    pub(super) fn stopped(&mut self, what: String) {
        self.steps.push(Step::Stopped(what));
    }

    /// It came to the node, and that was all.
    pub(super) fn absorbed(&mut self, node: &str) {
        if let Some(Step::Stopped(_)) = self.steps.last() {
            self.steps.pop();
        }
        self.steps.push(Step::Did(format!("absorbed at {node}")));
    }

    /// Variables of its own come with the last step.
    pub(super) fn with(&mut self, values: &str) {
        match self.steps.last_mut() {
            Some(Step::Entered(_, by)) if by.contains(" with ") => by.push_str(&format!(", {values}")),
            Some(Step::Entered(_, by)) => by.push_str(&format!(" with {values}")),
            _ => self.did(format!("with {values}")),
        }
    }

    /// The sentence; none when nothing is to be said.
    pub(super) fn line(self) -> Option<String> {
        let mut said: Vec<String> = Vec::new();
        let mut passed: Vec<String> = Vec::new();
        for step in self.steps {
            if let Step::Passed(node) = step {
                passed.push(node);
                continue;
            }
            said.extend(passed_in_words(&std::mem::take(&mut passed)));
            said.push(match step {
                Step::Stopped(what) => what,
                Step::Entered(node, by) => format!("entered {node}{by}"),
                Step::Left(node) => format!("left {node}"),
                Step::Did(what) => what,
                Step::Passed(_) => unreachable!("kept above"),
            });
        }
        said.extend(passed_in_words(&passed));
        (!said.is_empty()).then(|| format!("token {} {}", self.token, said.join(", ")))
    }
}

fn passed_in_words(nodes: &[String]) -> Option<String> {
    (!nodes.is_empty()).then(|| format!("passed {}", without_repetition(nodes).join(", ")))
}

/// Rounds of a loop are counted, not written out.
fn without_repetition(nodes: &[String]) -> Vec<String> {
    let mut said = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        let rest = &nodes[at..];
        let (period, rounds) = (1..=LONGEST_LOOP.min(rest.len()))
            .map(|period| (period, rounds(rest, period)))
            .find(|(_, rounds)| *rounds >= REPEATS)
            .unwrap_or((1, 1));
        let round = rest[..period].join(", ");
        said.push(if rounds == 1 { round } else { format!("{rounds} times ({round})") });
        at += period * rounds;
    }
    said
}

fn rounds(nodes: &[String], period: usize) -> usize {
    nodes.chunks_exact(period).take_while(|round| *round == &nodes[..period]).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_a_loop_are_counted() {
        let nodes: Vec<String> = "s a b a b a b a c".split(' ').map(str::to_owned).collect();
        assert_eq!(without_repetition(&nodes).join(", "), "s, 3 times (a, b), a, c");
        assert_eq!(without_repetition(&nodes[..5]).join(", "), "s, a, b, a, b");
    }
}
