//! Is there one order of calls that explains every answer? (Wing and Gong's search, with Lowe's memory of states seen.)
//!
//! **Invariant:** a call takes effect at one moment between its question and its answer; one without an answer takes effect
//! later or never.

use std::collections::HashSet;

/// One call to one thing.
#[derive(Clone, Debug)]
pub struct Call {
    /// What was asked.
    pub act: Act,
    /// What was answered; none if nobody knows.
    pub answer: Option<Answer>,
    /// When it was asked and answered, in nanoseconds of one clock.
    pub asked: u128,
    /// See `asked`.
    pub answered: u128,
}

/// What can be done to a task, a job or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A person takes a task.
    Claim(u64),
    /// The task is free again.
    Release,
    /// The task is done.
    Complete,
    /// A message is published under its id.
    Publish,
    /// A worker gets the job under a lease.
    Take(u64),
    /// A worker reports the job done under a lease.
    Finish(u64),
}

/// How it was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Done,
    /// It is not: somebody else has it, or it is over.
    Refused,
}

/// How the thing stands: who has it (0 = nobody), and whether it is over.
type State = (u64, bool);

/// Is there such an order?
pub fn is_explained(calls: &[Call]) -> bool {
    assert!(calls.len() <= 128, "the search is for a few calls to each thing");
    let answered = calls.iter().enumerate().filter(|(_, call)| call.answer.is_some());
    let wanted = answered.fold(0_u128, |mask, (at, _)| mask | 1 << at);
    search(calls, wanted, 0, (0, false), &mut HashSet::new())
}

fn search(calls: &[Call], wanted: u128, done: u128, state: State, seen: &mut HashSet<(u128, State)>) -> bool {
    if done & wanted == wanted {
        return true;
    }
    if !seen.insert((done, state)) {
        return false;
    }
    let is_open = |at: &usize| done & (1 << at) == 0;
    let ends = (0..calls.len()).filter(is_open).filter(|at| calls[*at].answer.is_some());
    let first_end = ends.map(|at| calls[at].answered).min().unwrap_or(u128::MAX);
    // Whoever was asked before the first of the others was answered may have come first.
    (0..calls.len()).filter(is_open).filter(|at| calls[*at].asked <= first_end).any(|at| {
        let (after, answer) = apply(state, calls[at].act);
        let fits = calls[at].answer.is_none_or(|seen| seen == answer);
        fits && search(calls, wanted, done | 1 << at, after, seen)
    })
}

/// What an act does by itself.
fn apply((holder, is_over): State, act: Act) -> (State, Answer) {
    let is_done = !is_over
        && match act {
            Act::Claim(person) => holder == 0 || holder == person,
            Act::Take(_) => holder == 0,
            Act::Finish(lease) => holder == lease,
            Act::Release | Act::Complete | Act::Publish => true,
        };
    if !is_done {
        return ((holder, is_over), Answer::Refused);
    }
    let after = match act {
        Act::Claim(holder) | Act::Take(holder) => (holder, false),
        Act::Release => (0, false),
        Act::Complete | Act::Publish | Act::Finish(_) => (holder, true),
    };
    (after, Answer::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(act: Act, answer: Answer, asked: u128, answered: u128) -> Call {
        Call { act, answer: Some(answer), asked, answered }
    }

    #[test]
    fn calls_at_the_same_time_may_have_come_in_any_order() {
        let calls = [
            call(Act::Claim(1), Answer::Refused, 0, 10),
            call(Act::Claim(2), Answer::Done, 1, 9),
            call(Act::Complete, Answer::Done, 11, 12),
            call(Act::Claim(1), Answer::Refused, 13, 14),
        ];
        assert!(is_explained(&calls));
    }

    #[test]
    fn two_who_both_have_it_are_not_explained() {
        let both = [call(Act::Claim(1), Answer::Done, 0, 10), call(Act::Claim(2), Answer::Done, 1, 9)];
        assert!(!is_explained(&both));
        let taken_twice = [call(Act::Take(1), Answer::Done, 0, 10), call(Act::Take(2), Answer::Done, 1, 9)];
        assert!(!is_explained(&taken_twice));
        let new_twice = [call(Act::Publish, Answer::Done, 0, 1), call(Act::Publish, Answer::Done, 2, 3)];
        assert!(!is_explained(&new_twice));
    }

    #[test]
    fn an_answer_from_the_past_is_not_explained() {
        let stale = [
            call(Act::Claim(1), Answer::Done, 0, 1),
            call(Act::Release, Answer::Done, 2, 3),
            call(Act::Claim(2), Answer::Refused, 4, 5),
        ];
        assert!(!is_explained(&stale));
        let late = [call(Act::Complete, Answer::Done, 0, 1), call(Act::Complete, Answer::Done, 2, 3)];
        assert!(!is_explained(&late));
    }

    #[test]
    fn a_call_without_an_answer_explains_what_it_may_have_done_and_need_not_have_happened() {
        let unknown = Call { act: Act::Complete, answer: None, asked: 0, answered: u128::MAX };
        let refused = call(Act::Claim(1), Answer::Refused, 5, 6);
        let taken = call(Act::Claim(1), Answer::Done, 5, 6);
        assert!(is_explained(&[unknown.clone(), refused.clone()]));
        assert!(is_explained(&[unknown, taken]));
        assert!(!is_explained(&[refused]));
    }
}
