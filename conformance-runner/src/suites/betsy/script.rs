//! The pseudo-scripts of the suite: what each of them means.

use tyer_engine::Variables;

/// What a pseudo-script does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Script {
    /// Nothing that is seen.
    Nothing,
    /// Leaves a line in the trace.
    Log(String),
    /// Leaves the marker, whoever runs it.
    Mark,
    /// Takes its time.
    Wait,
    /// Takes its time, and notes from when to when.
    Span,
    /// Counts a variable up; in the second form it leaves a line when the count is right.
    Increment {
        /// The second form.
        log: bool,
    },
    /// Writes the data.
    SetData,
    /// Leaves a line when the data are there.
    LogData,
    /// Throws the error that the suite catches.
    ThrowError,
}

/// How long a script takes that takes its time.
pub(super) const LONG_MS: i64 = 10_000;
/// The code of the error that a script throws.
pub(super) const ERROR_CODE: &str = "ERR_CODE";

impl Script {
    pub(super) fn of(code: &str) -> Script {
        match code.trim() {
            "CREATE_LOG_FILE" | "" => Script::Nothing,
            "CREATE_MARKER_FILE" => Script::Mark,
            "WAIT_TEN_SECONDS" => Script::Wait,
            "CREATE_TIMESTAMP_LOG_1" | "CREATE_TIMESTAMP_LOG_2" => Script::Span,
            "INCREMENT_INTEGER_VARIABLE" => Script::Increment { log: false },
            "INCREMENT_INTEGER_VARIABLE_AND_LOG" => Script::Increment { log: true },
            "SET_STRING_DATA" => Script::SetData,
            "LOG_DATA" => Script::LogData,
            "THROW_ERROR" => Script::ThrowError,
            line => Script::Log(line.to_owned()),
        }
    }

    pub(super) fn duration_ms(&self) -> i64 {
        if matches!(self, Script::Wait | Script::Span) { LONG_MS } else { 0 }
    }
}

/// Variables with one text under several names.
pub(super) fn texts<'a>(names: impl IntoIterator<Item = &'a str>, value: &str) -> Variables {
    let mut variables = Variables::default();
    for name in names {
        let json = serde_json::to_string(value).expect("a text is always JSON");
        variables.merge(&Variables::of(name, json));
    }
    variables
}
