//! How a command ends when it does not succeed.

use std::process::ExitCode;

/// Why a command failed; the message is for standard error.
#[derive(Debug)]
pub enum Fail {
    /// The input is wrong: exit 2.
    Input(String),
    /// The simulation or a check failed: exit 1.
    Failed(String),
    /// The reader of standard output went away: nothing more to say.
    Gone,
}

impl Fail {
    /// Prints the message and gives the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Fail::Input(message) => {
                eprintln!("{message}");
                ExitCode::from(2)
            }
            Fail::Failed(message) => {
                eprintln!("{message}");
                ExitCode::from(1)
            }
            Fail::Gone => ExitCode::SUCCESS,
        }
    }
}
