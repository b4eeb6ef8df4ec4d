//! One element per node: extensions, flows, marker, content.
//!
//! **Invariant:** a worker's task has the type `work`, whatever element it is: a driver asks for one type.

use super::{Xml, attributes, escaped, events, write_content};
use crate::blueprint::{Blueprint, Gateway, Kind, Marker, Multiple, NodeId, SubProcess, Task, Tells};

pub(super) fn write(file: &mut Xml, process: &Blueprint, node: NodeId) {
    let name = attributes::element_name(&process[node].kind);
    file.open(&format!("<{name}{}>", attributes::of_node(process, node)));
    write_extensions(file, process, node);
    for flow in process.incoming(node) {
        file.line(&format!("<incoming>{}</incoming>", process[flow].id));
    }
    for flow in process.outgoing(node) {
        file.line(&format!("<outgoing>{}</outgoing>", process[flow].id));
    }
    write_marker(file, &process[node].id, &process[node].marker);
    write_inner(file, process, node);
    file.close(&format!("</{name}>"));
}

fn write_extensions(file: &mut Xml, process: &Blueprint, node: NodeId) {
    let kind = &process[node].kind;
    let extension = match kind {
        Kind::Task(Task::User) => "<zeebe:userTask/>".to_owned(),
        Kind::Task(Task::Script) => {
            format!("<zeebe:script expression=\"=1 + 1\" resultVariable=\"{}\"/>", process[node].id)
        }
        Kind::Call(called) => {
            format!("<zeebe:calledElement processId=\"{called}\" propagateAllChildVariables=\"false\"/>")
        }
        _ if kind.is_job() => "<zeebe:taskDefinition type=\"work\"/>".to_owned(),
        Kind::Task(_)
        | Kind::Gateway(_)
        | Kind::Start { .. }
        | Kind::Catch(_)
        | Kind::Throw(_)
        | Kind::End(_)
        | Kind::Boundary { .. }
        | Kind::SubProcess(_) => return,
    };
    file.open("<extensionElements>");
    file.line(&extension);
    file.close("</extensionElements>");
}

fn write_marker(file: &mut Xml, node: &str, marker: &Marker) {
    match marker {
        Marker::Once => {}
        Marker::Loop { while_holds, tests_before, at_most } => {
            let most = at_most.map_or(String::new(), |most| format!(" loopMaximum=\"{most}\""));
            file.open(&format!("<standardLoopCharacteristics testBefore=\"{tests_before}\"{most}>"));
            file.expression("loopCondition", &while_holds.to_string());
            file.close("</standardLoopCharacteristics>");
        }
        Marker::Multiple(multiple) => write_multiple(file, node, multiple),
    }
}

fn write_multiple(file: &mut Xml, node: &str, multiple: &Multiple) {
    let tells = match multiple.tells {
        None => String::new(),
        Some(Tells::First) => format!(" behavior=\"One\" oneBehaviorEventRef=\"telling-{node}\""),
        Some(Tells::Every) => format!(" behavior=\"None\" noneBehaviorEventRef=\"telling-{node}\""),
    };
    let is_sequential = multiple.is_sequential;
    file.open(&format!("<multiInstanceLoopCharacteristics isSequential=\"{is_sequential}\"{tells}>"));
    match &multiple.items {
        Some(items) => {
            file.open("<extensionElements>");
            file.line(&format!(
                "<zeebe:loopCharacteristics inputCollection=\"={items}\" inputElement=\"item\"/>"
            ));
            file.close("</extensionElements>");
        }
        None => file.expression("loopCardinality", &multiple.count.to_string()),
    }
    if let Some(until) = &multiple.until {
        file.expression("completionCondition", &until.to_string());
    }
    file.close("</multiInstanceLoopCharacteristics>");
}

fn write_inner(file: &mut Xml, process: &Blueprint, node: NodeId) {
    match &process[node].kind {
        Kind::SubProcess(sub_process) => {
            write_content(file, process, Some(node));
            if let SubProcess::AdHoc { until, .. } = sub_process {
                file.expression("completionCondition", &until.to_string());
            }
        }
        Kind::Gateway(Gateway::Complex(needed)) => {
            let condition = escaped(&format!("activationCount >= {needed}"));
            file.line(&format!(
                "<activationCondition xsi:type=\"tFormalExpression\">={condition}</activationCondition>"
            ));
        }
        Kind::Start { trigger, .. } | Kind::Catch(trigger) | Kind::Boundary { trigger, .. } => {
            events::write_trigger(file, trigger);
        }
        Kind::Throw(throw) | Kind::End(throw) => events::write_throw(file, process, throw),
        Kind::Task(_) | Kind::Call(_) | Kind::Gateway(_) => {}
    }
}
