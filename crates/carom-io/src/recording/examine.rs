//! Whether the files of a run belong together.

use std::io;
use std::path::Path;

use super::snapshot::Snapshot;
use super::table::TableReader;
use crate::folder::{Checksums, RUN, SCENE, damaged, read_verified};

/// The same with all rows of the tables.
pub fn verify(folder: &Path) -> io::Result<()> {
    examine(folder)?;
    let Some(checksums) = Checksums::read(folder)? else { return Ok(()) };
    checksums.tables().try_for_each(|name| TableReader::open(folder, name).map(drop))
}

/// Looks at all files of a run but the rows of its tables, which are verified when they are read. An error names the file.
pub fn examine(folder: &Path) -> io::Result<()> {
    let Some(checksums) = Checksums::read(folder)? else { return Ok(()) };
    read_verified(folder, SCENE)?;
    match read_verified(folder, RUN) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if checksums.knows(RUN) {
                return Err(damaged(format!(
                    "{error}: it was removed, or the run was killed as it ended; carom run --resume goes on with what there is"
                )));
            }
            // A run that has only begun has no tables yet.
            if !Snapshot::path(folder).exists() {
                return Ok(());
            }
        }
        read => drop(read?),
    }
    checksums.tables().try_for_each(|name| TableReader::examine(folder, name))
}
