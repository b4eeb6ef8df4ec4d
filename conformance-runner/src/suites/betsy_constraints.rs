//! betsy's constraint files: every one breaks the rule that its folder names, and must be refused for that rule.

use std::path::Path;

use anyhow::{Context, Result};
use tyer_model::Code;

use super::bpmnspector::problems_of;
use super::files::bpmn_files;
use crate::report::Report;

/// Judges every file of `bpmn_constraints` below the folder.
pub(super) fn run(dir: &Path, report: &mut Report) -> Result<()> {
    let below = dir.join("bpmn_constraints");
    let dir = if below.is_dir() { below.as_path() } else { dir };
    for path in bpmn_files(dir)? {
        let case = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        let rule = name.split('_').next().unwrap_or_default();
        let expected = codes_of(rule);
        let found = problems_of(&path)?;
        if found.iter().any(|problem| expected.contains(&problem.code)) {
            report.pass(&case);
        } else {
            let wanted: Vec<_> = expected.iter().map(|code| code.name()).collect();
            let got: Vec<_> = found.iter().map(ToString::to_string).collect();
            report.fail(&case, &format!("refused for {}", wanted.join(" or ")), &got.join("\n"));
        }
    }
    Ok(())
}

/// Our codes for a rule of the suite.
fn codes_of(rule: &str) -> &'static [Code] {
    use Code::*;
    match rule {
        "REF" => &[ReferenceUnknown, ReferenceWrongType],
        "EXT001" => &[ImportMissing],
        "EXT002" => &[DuplicateId],
        "EXT004" | "EXT145" => &[MimeTypeInvalid],
        "EXT006" | "EXT007" | "EXT008" | "EXT009" => &[ArtifactInFlow],
        "EXT011" => &[EscalationCodeMissing],
        "EXT012" => &[ExpressionNotFormal],
        "EXT013" => &[ExpressionEmpty],
        "EXT017" | "EXT018" | "EXT019" => &[GatewayDirection],
        "EXT020" => &[CollectionDiffers],
        "EXT021" | "EXT022" | "EXT057" => &[EventSubProcessFlow],
        "EXT023" => &[FlowNotListed],
        "EXT024" => &[FlowNotImmediate],
        "EXT025" => &[ConditionalFlowAlone],
        "EXT026" => &[DefaultFlowElsewhere],
        "EXT027" => &[ChoreographyReference],
        "EXT028" | "EXT152" => &[FlowCrossesScope],
        "EXT029" | "EXT030" => &[MultiplicityInvalid],
        "EXT031" => &[MessageFlowInOnePool],
        "EXT032" => &[GlobalConversationContent],
        "EXT033" => &[ChoreographyClosedDiffers],
        "EXT035" => &[PublicProcessExecutable],
        "EXT036" | "EXT056" => &[ChoreographyInProcess],
        "EXT037" | "EXT038" => &[QuantityBelowOne],
        "EXT039" => &[ResourceRoleAmbiguous],
        "EXT042" | "EXT043" | "EXT044" | "EXT045" => &[OperationData],
        "EXT046" | "EXT047" | "EXT048" | "EXT050" | "EXT051" | "EXT052" => &[MessageData],
        "EXT049" | "EXT142" => &[InstantiatingHasIncoming],
        "EXT053" => &[ScriptFormatMissing],
        "EXT058" => &[EventSubProcessStart],
        "EXT059" | "EXT129" => &[EventSubProcessTrigger],
        "EXT060" => &[UriInvalid],
        "EXT061" | "EXT062" => &[AdHocContent],
        "EXT063" => &[CallActivityData],
        "EXT064" | "EXT065" => &[InterfaceBinding],
        "EXT067" => &[MultiInstanceInput],
        "EXT068" | "EXT069" | "EXT070" => &[MultiInstanceData],
        "EXT072" => &[ComplexBehavior],
        "EXT076" => &[DataObjectName],
        "EXT079" => &[SubProcessData],
        "EXT080" | "EXT082" => &[DataAssociationDirection],
        "EXT084" | "EXT088" => &[DataNotInSet],
        "EXT085" | "EXT086" | "EXT089" | "EXT090" => &[DataSetReference],
        "EXT087" => &[DataSetPair],
        "EXT091" => &[DataItemsDiffer],
        "EXT092" => &[DataAssociationSources],
        "EXT093" | "EXT094" => &[EventData],
        "EXT095" => &[EventDefinitionShared],
        "EXT096" => &[StartHasIncoming],
        "EXT097" => &[StartMissingBesideEnd],
        "EXT098" | "EXT100" => &[StartTriggerNotAllowed],
        "EXT099" => &[CalledProcessStart],
        "EXT101" => &[StartWithoutOutgoing],
        "EXT102" | "EXT103" | "EXT108" | "EXT109" | "EXT119" => &[MessageFlowEnd],
        "EXT104" => &[EndHasOutgoing],
        "EXT105" => &[EndMissing],
        "EXT106" | "EXT111" => &[CancelOutsideTransaction],
        "EXT107" => &[EndWithoutIncoming],
        "EXT110" | "EXT147" => &[BoundaryTriggerNotAllowed],
        "EXT112" => &[BoundaryHasIncoming],
        "EXT113" => &[BoundaryWithoutOutgoing],
        "EXT114" => &[CompensationFlow],
        "EXT115" | "EXT116" | "EXT150" | "EXT151" => &[NodeNotConnected],
        "EXT117" => &[LinkFlow],
        "EXT118" | "EXT124" | "EXT125" => &[LinkPair],
        "EXT122" | "EXT148" => &[CatchTriggerNotAllowed],
        "EXT123" => &[ExpressionNotFormal, ExpressionEmpty],
        "EXT126" => &[LinkScope],
        "EXT127" => &[MessageReferenceMissing],
        "EXT128" => &[OperationReferenceMissing],
        "EXT132" | "EXT133" | "EXT134" => &[TimerInvalid],
        "EXT135" => &[GatewayWithoutBranches],
        "EXT136" => &[EventGatewayFlows],
        "EXT137" => &[EventGatewayCondition],
        "EXT138" => &[EventGatewayTarget],
        "EXT139" => &[EventGatewayMix],
        "EXT140" => &[EventGatewayBoundary],
        "EXT141" => &[EventGatewayIncoming],
        "EXT143" | "EXT144" => &[CompensationHandler],
        "EXT146" => &[EndTriggerNotAllowed],
        "EXT149" => &[ThrowTriggerNotAllowed],
        _ => &[],
    }
}
