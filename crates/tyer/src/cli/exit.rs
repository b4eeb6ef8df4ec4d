//! How the program ends.

use tyer_runtime::Error;

/// What the exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Fine = 0,
    /// It could not be done.
    Failure = 1,
    /// The command line is wrong.
    Usage = 2,
    /// There is no such thing.
    NotFound = 3,
    /// It meets something else.
    Conflict = 4,
    /// A file or an expression is wrong.
    Validation = 5,
}

/// Why the program stops: what the exit code says, and a sentence.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Stop {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Stop {
        Stop { exit, message: message.into() }
    }

    /// Everything has been said already.
    pub(crate) fn silent(exit: Exit) -> Stop {
        Stop::new(exit, "")
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> std::process::ExitCode {
        std::process::ExitCode::from(exit as u8)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        let exit = match &error {
            Error::Problems(_) | Error::Variables(_) | Error::Sink(_) => Exit::Validation,
            Error::ProcessUnknown { .. } => Exit::NotFound,
            Error::Rejected(_) | Error::Conflict(_) | Error::Superseded | Error::Gone => Exit::Conflict,
            Error::Overloaded | Error::Parked(..) | Error::Store(_) | Error::Damaged(_) | Error::Closed => {
                Exit::Failure
            }
        };
        Stop::new(exit, error.to_string())
    }
}
