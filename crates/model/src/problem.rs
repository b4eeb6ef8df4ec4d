//! What is wrong with a diagram: data for the person who drew it, not an error of the program.
//!
//! **Invariant:** codes are a closed list and never change their meaning; `docs/problems.md` is generated from it.

use std::fmt;

use serde::{Serialize, Serializer};

/// One thing to say about a diagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Whether the diagram is refused for it.
    pub severity: Severity,
    /// Which rule it is, for programs.
    pub code: Code,
    /// The BPMN id of the element, if it has one.
    pub element: Option<String>,
    /// The line of the element, from 1.
    pub line: u32,
    /// The column of the element, from 1.
    pub column: u32,
    /// What was found, for people.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Whether a diagram with the problem can be deployed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The diagram is refused.
    Error,
    /// The diagram is deployed; somebody should look.
    Warning,
}

/// Everything that is wrong with a diagram, in document order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Problem {
            code,
            line,
            column,
            message,
            hint,
            ..
        } = self;
        write!(
            formatter,
            "{severity} {} at line {line}, column {column}: {message}",
            code.name()
        )?;
        if hint.is_empty() {
            Ok(())
        } else {
            write!(formatter, "; {hint}")
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "\n" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Which rule a problem breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    /// The file is not XML that is accepted.
    XmlMalformed,
    /// The file is XML, but not BPMN 2.0.
    NotBpmn,
    /// No process in the file can be executed.
    NoExecutableProcess,
    /// A process says that it is not executable.
    ProcessNotExecutable,
    /// A process does not say whether it is executable.
    ExecutableNotSaid,
    /// Two elements have the same id.
    DuplicateId,
    /// An element that must be named has no id.
    IdMissing,
    /// A reference names an element that is not there or cannot stand there.
    ReferenceUnknown,
    /// The process has no start event.
    StartMissing,
    /// The process has several start events without a trigger.
    SeveralStarts,
    /// A start event has an incoming flow.
    StartHasIncoming,
    /// An end event has an outgoing flow.
    EndHasOutgoing,
    /// BPMN defines the element, and it is not executed.
    ElementNotExecutable,
    /// An extension that would change what happens is not executed.
    ExtensionNotSupported,
    /// A task for workers does not say for which.
    JobTypeMissing,
    /// A value cannot be read.
    ValueInvalid,
    /// A timer has no time, several, or one that cannot be read.
    TimerInvalid,
    /// An expression cannot be parsed.
    ExpressionInvalid,
    /// An expression is in a language that is not evaluated.
    ExpressionNotSupported,
    /// A way out of a gateway that decides has neither condition nor is it the default.
    ConditionMissing,
    /// A condition that is never looked at.
    ConditionIgnored,
    /// No way leads to the node.
    NodeUnreachable,
    /// There are more problems than are reported.
    TooManyProblems,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &'static [Code] = &[
        Code::XmlMalformed,
        Code::NotBpmn,
        Code::NoExecutableProcess,
        Code::ProcessNotExecutable,
        Code::ExecutableNotSaid,
        Code::DuplicateId,
        Code::IdMissing,
        Code::ReferenceUnknown,
        Code::StartMissing,
        Code::SeveralStarts,
        Code::StartHasIncoming,
        Code::EndHasOutgoing,
        Code::ElementNotExecutable,
        Code::ExtensionNotSupported,
        Code::JobTypeMissing,
        Code::ValueInvalid,
        Code::TimerInvalid,
        Code::ExpressionInvalid,
        Code::ExpressionNotSupported,
        Code::ConditionMissing,
        Code::ConditionIgnored,
        Code::NodeUnreachable,
        Code::TooManyProblems,
    ];

    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Code::XmlMalformed => "xml_malformed",
            Code::NotBpmn => "not_bpmn",
            Code::NoExecutableProcess => "no_executable_process",
            Code::ProcessNotExecutable => "process_not_executable",
            Code::ExecutableNotSaid => "executable_not_said",
            Code::DuplicateId => "duplicate_id",
            Code::IdMissing => "id_missing",
            Code::ReferenceUnknown => "reference_unknown",
            Code::StartMissing => "start_missing",
            Code::SeveralStarts => "several_starts",
            Code::StartHasIncoming => "start_has_incoming",
            Code::EndHasOutgoing => "end_has_outgoing",
            Code::ElementNotExecutable => "element_not_executable",
            Code::ExtensionNotSupported => "extension_not_supported",
            Code::JobTypeMissing => "job_type_missing",
            Code::ValueInvalid => "value_invalid",
            Code::TimerInvalid => "timer_invalid",
            Code::ExpressionInvalid => "expression_invalid",
            Code::ExpressionNotSupported => "expression_not_supported",
            Code::ConditionMissing => "condition_missing",
            Code::ConditionIgnored => "condition_ignored",
            Code::NodeUnreachable => "node_unreachable",
            Code::TooManyProblems => "too_many_problems",
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
