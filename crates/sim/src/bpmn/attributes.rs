//! The name and the attributes of a node's element.
//!
//! **Invariant:** an attribute is written only where it differs from what BPMN assumes.

use crate::blueprint::{Blueprint, Gateway, Kind, MergeMode, NodeId, SubProcess, Task, Trigger};
use std::fmt::Write;

pub(super) fn element_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Task(task) => task_name(*task),
        Kind::Call(_) => "callActivity",
        Kind::Gateway(gateway) => gateway_name(*gateway),
        Kind::Start { .. } => "startEvent",
        Kind::Catch(_) => "intermediateCatchEvent",
        Kind::Throw(_) => "intermediateThrowEvent",
        Kind::End(_) => "endEvent",
        Kind::Boundary { .. } => "boundaryEvent",
        Kind::SubProcess(SubProcess::Embedded | SubProcess::Event) => "subProcess",
        Kind::SubProcess(SubProcess::Transaction) => "transaction",
        Kind::SubProcess(SubProcess::AdHoc { .. }) => "adHocSubProcess",
    }
}

fn task_name(task: Task) -> &'static str {
    match task {
        Task::None => "task",
        Task::Manual => "manualTask",
        Task::Service => "serviceTask",
        Task::Send => "sendTask",
        Task::ScriptJob | Task::Script => "scriptTask",
        Task::BusinessRule => "businessRuleTask",
        Task::User => "userTask",
        Task::Global => "callActivity",
        Task::Receive { .. } => "receiveTask",
    }
}

fn gateway_name(gateway: Gateway) -> &'static str {
    match gateway {
        Gateway::Exclusive => "exclusiveGateway",
        Gateway::Parallel => "parallelGateway",
        Gateway::Inclusive => "inclusiveGateway",
        Gateway::Complex(_) => "complexGateway",
        Gateway::EventBased { .. } => "eventBasedGateway",
    }
}

/// ` id="…" …`, ready to follow the element's name.
pub(super) fn of_node(process: &Blueprint, node: NodeId) -> String {
    let element = &process[node];
    let mut text = format!(" id=\"{}\"", element.id);
    let mut put = |name: &str, value: &str| {
        write!(text, " {name}=\"{value}\"").expect("a string takes everything");
    };
    if let Some(mode) = element.merge {
        put("tyer:mergeMode", mode_name(mode));
    }
    if let Some(default) = process.outgoing(node).find(|flow| process[*flow].is_default) {
        put("default", &process[default].id);
    }
    if element.compensates.is_some() {
        put("isForCompensation", "true");
    }
    if element.start_quantity != 1 {
        put("startQuantity", &element.start_quantity.to_string());
    }
    if element.completion_quantity != 1 {
        put("completionQuantity", &element.completion_quantity.to_string());
    }
    if let Some(Trigger::ParallelMultiple(_)) = element.kind.trigger() {
        put("parallelMultiple", "true");
    }
    of_kind(process, node, &mut put);
    text
}

fn of_kind(process: &Blueprint, node: NodeId, put: &mut impl FnMut(&str, &str)) {
    match &process[node].kind {
        Kind::Boundary { host, interrupts, .. } => {
            put("attachedToRef", &process[*host].id);
            if !interrupts {
                put("cancelActivity", "false");
            }
        }
        Kind::Start { interrupts: false, .. } => put("isInterrupting", "false"),
        Kind::Task(Task::Receive { instantiates }) => {
            put("messageRef", &format!("message-{}", process[node].id));
            if *instantiates {
                put("instantiate", "true");
            }
        }
        Kind::Gateway(Gateway::EventBased { instantiates: true }) => put("instantiate", "true"),
        Kind::Call(called) => put("calledElement", called),
        Kind::Task(Task::Global) => put("calledElement", "global"),
        Kind::SubProcess(SubProcess::Event) => put("triggeredByEvent", "true"),
        Kind::SubProcess(SubProcess::AdHoc { is_sequential, .. }) => {
            put("ordering", if *is_sequential { "Sequential" } else { "Parallel" });
        }
        Kind::Task(_)
        | Kind::Gateway(_)
        | Kind::Start { .. }
        | Kind::Catch(_)
        | Kind::Throw(_)
        | Kind::End(_)
        | Kind::SubProcess(_) => {}
    }
}

fn mode_name(mode: MergeMode) -> &'static str {
    match mode {
        MergeMode::Converge => "converge",
        MergeMode::Merge => "merge",
        MergeMode::Stream => "stream",
        MergeMode::Race => "race",
        MergeMode::Cascade => "cascade",
    }
}
