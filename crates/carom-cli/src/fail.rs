//! How a command ends when it does not succeed.

use std::io::{self, Write as _};
use std::process::ExitCode;

use carom_io::document::printable_lines;

/// Why a command failed; the message is for standard error.
#[derive(Debug)]
pub enum Fail {
    /// The input is wrong: exit 2.
    Input(String),
    /// The simulation or a check failed: exit 1.
    Failed(String),
    /// The reader of standard output went away: nothing more to say.
    Gone,
    /// What was asked for is done, before the command's own work: exit 0.
    Done,
}

impl Fail {
    /// Prints the message and gives the exit code.
    pub fn report(self) -> ExitCode {
        let (message, code) = match self {
            Fail::Input(message) => (message, 2),
            Fail::Failed(message) => (message, 1),
            Fail::Gone | Fail::Done => return ExitCode::SUCCESS,
        };
        // Where nobody reads standard error, the exit code has to do.
        let _ = writeln!(io::stderr(), "{}", printable_lines(&message));
        ExitCode::from(code)
    }
}
