//! Transcripts and a test clock for processes.
