//! `carom export RUN`.

use std::path::PathBuf;

use carom_io::recording::{ExportError, examine, export};
use clap::{Args as ClapArgs, ValueEnum};

use crate::fail::Fail;
use crate::input::helped;
use crate::{hint, print};

/// Options of `export`.
#[derive(ClapArgs)]
pub struct Args {
    /// A run folder
    run: PathBuf,
    /// What to write into it; both without this option
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Csv,
    Npz,
}

/// Writes the tables of a run in other formats, beside them.
pub fn run(args: &Args) -> Result<(), Fail> {
    let wanted = |format: Format| args.format.is_none_or(|given| given == format);
    let (written, damaged) =
        export(&args.run, wanted(Format::Csv), wanted(Format::Npz)).map_err(|error| match error {
            ExportError::NoTable { .. } => {
                let help = helped(hint::run_folder(&args.run).filter(|_| !args.run.exists()));
                Fail::Input(format!("error: {error}{help}"))
            }
            ExportError::Unwritten { .. } => Fail::Failed(format!("error: {error}")),
        })?;
    let mut text = String::new();
    for file in written {
        let left_out = match file.left_out {
            0 => String::new(),
            count => format!(" ({count} more at the end are not verified yet and left out)"),
        };
        text.push_str(&format!("{}: {} rows{left_out}\n", file.path.display(), file.rows));
    }
    print::out(&text)?;
    if !damaged.is_empty() {
        let list: Vec<String> = damaged.iter().map(ToString::to_string).collect();
        let (run, list) = (args.run.display(), list.join("; "));
        return Err(Fail::Input(format!("error: {run}: {list}; the other tables are whole and were exported")));
    }
    // All tables are whole; other files of the run may be damaged, and the user of the numbers should know.
    if let Err(error) = examine(&args.run) {
        print::note(&format!(
            "{}: {error}; the tables are as the run wrote them and were exported",
            args.run.display()
        ));
    }
    Ok(())
}
