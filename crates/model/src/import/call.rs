//! Call activities: which process, which version of it, and which variables go in and come out.

use std::sync::Arc;

use tyer_xml::Element;

use super::context::{Context, is_false};
use super::{expression, mapping};
use crate::code::Code;
use crate::namespace::{MAPPED, ZEEBE, extension, extensions, mapped_attribute};
use crate::process::{Binding, CallSpec, Mapping, NodeKind, Text};
use crate::report::label;

/// What a call activity calls.
pub(super) fn compile<'d>(activity: Element<'d>, context: &mut Context<'_, 'd>) -> NodeKind {
    let native = extension(activity, ZEEBE, "calledElement");
    let Some(process) = called(activity, native, context) else {
        return NodeKind::Pass;
    };
    let mut spec = CallSpec {
        process,
        binding: binding(activity, native, context),
        all_in: !context.is_mapped,
        inputs: Vec::new(),
        all_out: !context.is_mapped,
        outputs: Vec::new(),
        business_key: None,
    };
    match native {
        Some(native) => {
            spec.all_in = !is_false(native, "propagateAllParentVariables");
            spec.all_out = !is_false(native, "propagateAllChildVariables");
            spec.business_key = expression::optional(native.attribute("businessId"), activity, context);
        }
        None => passed(activity, &mut spec, context),
    }
    NodeKind::Call(spec)
}

fn called<'d>(
    activity: Element<'d>,
    native: Option<Element<'d>>,
    context: &mut Context<'_, 'd>,
) -> Option<Text> {
    let own =
        native.and_then(|native| native.attribute("processId").or(native.attribute("processIdExpression")));
    let target = context.target(activity, "calledElement").and_then(|called| called.attribute("id"));
    let written = own.or(target).or(activity.attribute("calledElement")).map(str::trim);
    match written.filter(|written| !written.is_empty()) {
        Some(written) => expression::text(written, activity, context),
        None => {
            let message = || format!("{} does not say what it calls", label(activity));
            context.report.found(Code::CalledElementMissing, activity, message);
            None
        }
    }
}

fn binding(activity: Element<'_>, native: Option<Element<'_>>, context: &mut Context<'_, '_>) -> Binding {
    let native = |name: &str| native.and_then(|native| native.attribute(name));
    let kind = native("bindingType").or_else(|| mapped_attribute(activity, "calledElementBinding"));
    let tag = native("versionTag").or_else(|| mapped_attribute(activity, "calledElementVersionTag"));
    let version = mapped_attribute(activity, "calledElementVersion");
    let mut text = |written: Option<&str>| {
        let read = expression::optional(written, activity, context);
        read.unwrap_or_else(|| Text::Literal(Arc::from("")))
    };
    match kind.map(str::trim) {
        None | Some("" | "latest") => Binding::Latest,
        Some("deployment") => Binding::Deployment,
        Some("version") => Binding::Version(text(version)),
        Some("versionTag") => Binding::Tag(text(tag)),
        Some(other) => {
            let message = format!("binding `{other}` of {} is not known", label(activity));
            let hint = "write latest, deployment, version or versionTag";
            context.report.error(Code::ValueInvalid, activity, message, hint);
            Binding::Latest
        }
    }
}

/// `in` and `out` of the mapped dialects: what is not named stays behind.
fn passed<'d>(activity: Element<'d>, spec: &mut CallSpec, context: &mut Context<'_, 'd>) {
    let inherits = mapped_attribute(activity, "inheritVariables").map(str::trim) == Some("true");
    spec.all_in |= inherits;
    for said in extensions(activity).filter(|said| MAPPED.contains(&said.name().namespace)) {
        let all = said.attribute("variables") == Some("all");
        let local = said.attribute("local").map(str::trim) == Some("true");
        match said.local_name() {
            "in" if said.attribute("businessKey").is_some() => {
                spec.business_key = expression::optional(said.attribute("businessKey"), activity, context);
            }
            // Only its own variables: what the child gets anyway.
            "in" if all => spec.all_in |= !local,
            "out" if all => spec.all_out = true,
            "in" => spec.inputs.extend(one(said, activity, context)),
            "out" => spec.outputs.extend(one(said, activity, context)),
            _ => {}
        }
    }
}

fn one<'d>(said: Element<'d>, activity: Element<'d>, context: &mut Context<'_, 'd>) -> Option<Mapping> {
    let target = said.attribute("target");
    let source = match (said.attribute("source"), said.attribute("sourceExpression")) {
        (Some(name), _) => Some(Text::Expression(expression::variable(name.trim()))),
        (None, Some(written)) => expression::formula(written, activity, context).map(Text::Expression),
        (None, None) => None,
    };
    match (source, target.map(str::trim).filter(|target| !target.is_empty())) {
        (Some(source), Some(target)) => Some(mapping::to(source, target)),
        _ => {
            let name = said.local_name();
            let message = format!("`{name}` of {} lacks a source or a target", label(activity));
            context.report.error(Code::ValueInvalid, activity, message, "give it a source and a target");
            None
        }
    }
}
