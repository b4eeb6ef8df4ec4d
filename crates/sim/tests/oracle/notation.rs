//! Processes and traces as short text.
//!
//! A process is words: `id:kind` with `/container`, `@host` (an interrupting event on it), `~host` (one beside it),
//! `!mode`, `#2` (starts with two tokens), `*3` (three at once), `%3` (three in a row), `&again` (a loop), `<undo` (handler of that event); and flows
//! `a>b`, `a>b?flag`, `a>b?else`.
//!
//! A trace is words: `+a` started, `-a` completed with all its flows, `-a>b,c` with those to b and c, `-a>` with none, `a` both,
//! `xa` cancelled, `!a` triggered, `~a` absorbed, `?a` incident, `^a=code` thrown, `{1:s` scope 1 of s opened, `}1` closed,
//! `flag=true` set, `flag=unknown` forgotten, `.` end of the turn, `$` end of the instance. `starves:a` is an incident of who waits
//! before a, `resolve:a` resolves one in a, `release:a` one before it. `a@1` is a in scope 1.

use tyer_sim::blueprint::{
    Blueprint, Condition, FlowId, Gateway, Kind, Marker, MergeMode, Multiple, Node, NodeId, SubProcess, Task,
    Throw, Trigger, Value,
};
use tyer_sim::oracle::{Observation, Oracle, Status};

/// The process of this text.
pub(crate) fn process(text: &str) -> Blueprint {
    let mut blueprint = Blueprint::new("test");
    for word in text.split_whitespace() {
        match word.split_once('>') {
            Some((from, to)) => add_flow(&mut blueprint, from, to),
            None => add_node(&mut blueprint, word),
        }
    }
    assert_eq!(blueprint.check(), Ok(()), "{text}");
    blueprint
}

/// Every word of the trace is allowed.
pub(crate) fn accepts(process: &Blueprint, trace: &str) {
    let mut oracle = Oracle::new(process);
    for word in trace.split_whitespace() {
        if let Err(why) = tell(&mut oracle, process, word) {
            panic!("`{word}` of `{trace}` is refused: {why}");
        }
    }
}

/// Every word but the last is allowed, and the last is refused because of this.
pub(crate) fn refuses(process: &Blueprint, trace: &str, because: &str) {
    let mut oracle = Oracle::new(process);
    let words: Vec<&str> = trace.split_whitespace().collect();
    let (last, before) = words.split_last().expect("a trace has words");
    for word in before {
        if let Err(why) = tell(&mut oracle, process, word) {
            panic!("`{word}` of `{trace}` is refused too early: {why}");
        }
    }
    match tell(&mut oracle, process, last) {
        Ok(()) => panic!("`{last}` of `{trace}` is allowed"),
        Err(why) => assert!(why.contains(because), "`{last}` of `{trace}`: {why}, not {because}"),
    }
}

fn tell(oracle: &mut Oracle, process: &Blueprint, word: &str) -> Result<(), String> {
    let told = match word {
        "." => oracle.settled(),
        "$" => oracle.ended(Status::Completed),
        _ => {
            let mut all = read(process, word).into_iter();
            all.try_for_each(|observation| oracle.observe(observation))
        }
    };
    told.map_err(|violation| violation.to_string())
}

fn read(process: &Blueprint, word: &str) -> Vec<Observation> {
    if let Some((variable, value)) = word.split_once('=').filter(|_| !word.starts_with('^')) {
        if value == "unknown" {
            return vec![Observation::Forgotten { variable: variable.to_owned() }];
        }
        let value = Value::Flag(value == "true");
        return vec![Observation::Set { variable: variable.to_owned(), value }];
    }
    if let Some(scope) = word.strip_prefix('}') {
        return vec![Observation::ScopeClosed { scope: number(scope) }];
    }
    if let Some((scope, rest)) = word.strip_prefix('{').and_then(|rest| rest.split_once(':')) {
        let (node, parent) = place(process, rest);
        return vec![Observation::ScopeOpened { scope: number(scope), parent, node }];
    }
    if let Some((what, rest)) = word.split_once(':') {
        let ((node, scope), is_before) = (place(process, rest), what != "resolve");
        return vec![match what {
            "starves" => Observation::Incident { node, scope, is_before },
            _ => Observation::Resolved { node, scope, is_before },
        }];
    }
    let (sign, rest) = match word.split_at(1) {
        (sign @ ("+" | "-" | "!" | "~" | "?" | "^"), rest) => (sign, rest),
        ("x", rest) if process.node_named(word.split('@').next().unwrap_or(word)).is_none() => ("x", rest),
        _ => ("", word),
    };
    let (rest, code) = rest.split_once('=').unwrap_or((rest, ""));
    let (rest, targets) = match rest.split_once('>') {
        Some((rest, targets)) => (rest, Some(targets)),
        None => (rest, None),
    };
    let (node, scope) = place(process, rest);
    let started = Observation::Started { node, scope, flow: None };
    let completed = Observation::Completed { node, scope, flows: flows(process, node, scope, targets) };
    match sign {
        "+" => vec![started],
        "-" => vec![completed],
        "x" => vec![Observation::Cancelled { node, scope }],
        "!" => vec![Observation::Triggered { node, scope }],
        "~" => vec![Observation::Absorbed { node, scope }],
        "?" => vec![Observation::Incident { node, scope, is_before: false }],
        "^" => vec![Observation::Thrown { node, scope, code: code.to_owned(), is_escalation: false }],
        _ => vec![started, completed],
    }
}

fn flows(process: &Blueprint, node: NodeId, scope: u32, targets: Option<&str>) -> Vec<FlowId> {
    let outgoing: Vec<FlowId> = process.outgoing(node).collect();
    match targets {
        // A round of an activity puts nothing out: only the whole does.
        None if scope != 0 && process[node].marker != Marker::Once => Vec::new(),
        None => outgoing,
        Some(targets) => {
            let names = targets.split(',').filter(|name| !name.is_empty());
            let find = |name: &str| {
                let to = process.node_named(name).unwrap_or_else(|| panic!("no node {name}"));
                *outgoing.iter().find(|flow| process[**flow].to == to).expect("a flow leads there")
            };
            names.map(find).collect()
        }
    }
}

fn place(process: &Blueprint, text: &str) -> (NodeId, u32) {
    let (name, scope) = text.split_once('@').unwrap_or((text, "0"));
    (process.node_named(name).unwrap_or_else(|| panic!("no node {name} for {text}")), number(scope))
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}

fn add_flow(blueprint: &mut Blueprint, from: &str, rest: &str) {
    let (to, condition) = rest.split_once('?').unwrap_or((rest, ""));
    let find = |name: &str| blueprint.node_named(name).unwrap_or_else(|| panic!("no node {name}"));
    let (from, to) = (find(from), find(to));
    let flow = blueprint.connect(from, to);
    match condition {
        "" => {}
        "else" => blueprint[flow].is_default = true,
        name => blueprint[flow].condition = Some(Condition::Holds(name.to_owned())),
    }
}

/// What may follow the kind of a node.
const SIGNS: [char; 9] = ['/', '@', '~', '!', '*', '%', '&', '<', '#'];

fn add_node(blueprint: &mut Blueprint, word: &str) {
    let (id, rest) = word.split_once(':').unwrap_or_else(|| panic!("{word} is no node"));
    let end = rest.find(SIGNS).unwrap_or(rest.len());
    let (kind, mut rest) = rest.split_at(end);
    let mut node = Node::new(id, Kind::Task(Task::None));
    let mut host = None;
    while !rest.is_empty() {
        let end = rest[1..].find(SIGNS).map_or(rest.len(), |end| end + 1);
        let (sign, value) = rest[..end].split_at(1);
        let named = || blueprint.node_named(value).unwrap_or_else(|| panic!("no node {value}"));
        match sign {
            "/" => node.within = Some(named()),
            "@" | "~" => host = Some((named(), sign == "@")),
            "!" => node.merge = Some(mode(value)),
            "<" => node.compensates = Some(named()),
            "#" => node.start_quantity = number(value),
            "&" => {
                let while_holds = Condition::Holds(value.to_owned());
                node.marker = Marker::Loop { while_holds, tests_before: false, at_most: None };
            }
            _ => {
                let (count, until) = value.split_once('.').map_or((value, None), |(n, u)| (n, Some(u)));
                let until = until.map(|until| Condition::Holds(until.to_owned()));
                let is_sequential = sign == "%";
                node.marker = Marker::Multiple(Multiple {
                    is_sequential,
                    count: number(count),
                    items: None,
                    until,
                    tells: None,
                });
            }
        }
        rest = &rest[end..];
    }
    if let Some((host, _)) = host {
        node.within = blueprint[host].within;
    }
    node.kind = match host {
        Some((host, interrupts)) => Kind::Boundary { host, trigger: trigger(kind), interrupts },
        None => kind_of(blueprint, kind),
    };
    blueprint.add(node);
}

fn kind_of(blueprint: &Blueprint, text: &str) -> Kind {
    let (word, value) = text.split_once('=').unwrap_or((text, ""));
    let named = |name: &str| blueprint.node_named(name);
    match word {
        "start" => Kind::Start { trigger: Trigger::None, interrupts: true },
        "pass" => Kind::Task(Task::None),
        "job" => Kind::Task(Task::Service),
        "user" => Kind::Task(Task::User),
        "xor" => Kind::Gateway(Gateway::Exclusive),
        "and" => Kind::Gateway(Gateway::Parallel),
        "or" => Kind::Gateway(Gateway::Inclusive),
        "some1" => Kind::Gateway(Gateway::Complex(1)),
        "some2" => Kind::Gateway(Gateway::Complex(2)),
        "wait" => Kind::Gateway(Gateway::EventBased { instantiates: false }),
        "sub" => Kind::SubProcess(SubProcess::Embedded),
        "transaction" => Kind::SubProcess(SubProcess::Transaction),
        "handle" => Kind::SubProcess(SubProcess::Event),
        "adhoc" => {
            let until = Condition::Holds(value.to_owned());
            Kind::SubProcess(SubProcess::AdHoc { is_sequential: true, until })
        }
        "land" => Kind::Catch(Trigger::Link(value.to_owned())),
        "leap" => Kind::Throw(Throw::Link(value.to_owned())),
        "catch" => Kind::Catch(trigger("message")),
        "end" => Kind::End(Throw::None),
        "terminate" => Kind::End(Throw::Terminate),
        "cancel" => Kind::End(Throw::Cancel),
        "fail" => Kind::End(Throw::Error(value.to_owned())),
        "escalate" => Kind::End(Throw::Escalation(value.to_owned())),
        "throw" => Kind::Throw(Throw::Escalation(value.to_owned())),
        "undo" => Kind::Throw(Throw::Compensation(named(value))),
        "on" => Kind::Start { trigger: trigger(value), interrupts: true },
        "beside" => Kind::Start { trigger: trigger(value), interrupts: false },
        _ => panic!("no kind {word}"),
    }
}

fn trigger(text: &str) -> Trigger {
    let (word, value) = text.split_once('=').unwrap_or((text, ""));
    let code = (!value.is_empty()).then(|| value.to_owned());
    match word {
        "message" => Trigger::Message("m".to_owned()),
        "timer" => Trigger::Timer { seconds: 1, times: 1 },
        "twice" => Trigger::Timer { seconds: 1, times: 2 },
        "error" => Trigger::Error(code),
        "escalation" => Trigger::Escalation(code),
        "cancel" => Trigger::Cancel,
        "undone" => Trigger::Compensation,
        _ => panic!("no trigger {word}"),
    }
}

fn mode(text: &str) -> MergeMode {
    match text {
        "converge" => MergeMode::Converge,
        "merge" => MergeMode::Merge,
        "stream" => MergeMode::Stream,
        "race" => MergeMode::Race,
        "cascade" => MergeMode::Cascade,
        _ => panic!("no mode {text}"),
    }
}
