//! A BPMN 2.0 workflow engine that embeds like SQLite.
