//! BPMN XML to a compiled, validated, immutable process.
