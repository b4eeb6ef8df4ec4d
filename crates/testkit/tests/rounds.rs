//! M24: ten thousand rounds of a fork and a join leave nothing behind, whatever the merge mode.

use tyer_engine::{Command, Instance, InstanceId, Start, Status, Timestamp, Variables, step};
use tyer_testkit::{Diagram, invariants};

const NOW: Timestamp = Timestamp(1_893_456_000_000);
const ROUNDS: u32 = 10_000;

#[test]
fn ten_thousand_rounds_leave_nothing_behind() {
    for mode in ["converge", "merge", "stream", "race"] {
        let diagram = format!(
            "process rounds
               start -> fork
               fork : pass -> b1, b2, b3
               b1 : pass -> join
               b2 : pass -> b4
               b4 : pass -> join
               b3 : pass -> join
               join : script n + 1 into n merge {mode} -> gate
               gate : exclusive -> fork if n < {ROUNDS}, end else"
        );
        let xml = Diagram::parse(&diagram).expect("a diagram").to_bpmn();
        let process = tyer_model::import(xml.as_bytes()).expect("it can run").processes.remove(0);
        let mut instance = Instance::blank(InstanceId(1));
        let variables = Variables::parse("{\"n\": 0}").expect("JSON");
        let mut command = Command::Start(Box::new(Start { priority: 50, variables, ..Start::default() }));
        let mut turns = 0;
        loop {
            step(&process, &mut instance, command, NOW).expect("it goes on");
            turns += 1;
            assert!(
                instance.tokens.len() <= 8,
                "{mode}: {} tokens after turn {turns}",
                instance.tokens.len()
            );
            assert_eq!(instance.scopes.len(), 1, "{mode}");
            assert_eq!(invariants(&process, &instance), Vec::<String>::new(), "{mode}");
            let Some(timer) = instance.timers.keys().next().copied() else { break };
            command = Command::TimerDue { timer };
        }
        assert_eq!(instance.status, Status::Completed, "{mode}");
        let n = instance.variables().and_then(|variables| variables.get("n"));
        assert_eq!(n, Some(&*ROUNDS.to_string()), "{mode}");
    }
}
