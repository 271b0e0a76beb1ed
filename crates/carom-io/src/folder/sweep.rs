//! The folder of a sweep.

use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::lock::Lock;
use super::{FolderError, claim, still_there, whole};

/// Files of a sweep.
pub(super) const FILES: [&str; 2] = ["sweep.json", "sweep.csv"];

/// How the JSON of a sweep begins: by it a folder is known as that of a sweep.
const MARK: &str = "{\n  \"carom\":";

/// A folder that a sweep is written to when it has ended; until then it holds what was there before.
#[derive(Debug)]
pub struct SweepFolder {
    path: PathBuf,
    lock: Lock,
}

impl SweepFolder {
    /// Makes the folder if it is not there; one that holds anything but a sweep is refused.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        let (path, lock) = claim(path, "sweep", is_sweep)?;
        Ok(Self { path, lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the table and the document, which has the key `carom` first. The document goes straight to its file: a large
    /// sweep's would take more memory than all else.
    pub fn write(&self, csv: &str, document: &impl Serialize) -> Result<(), FolderError> {
        let check = || still_there(&self.lock, &self.path);
        let still = || check().map_err(io::Error::other);
        check()?;
        let table = self.path.join(FILES[1]);
        // An old table never stands beside a new document.
        whole::remove(&table).map_err(FolderError::at(&table))?;
        let json = self.path.join(FILES[0]);
        let written = whole::write_while(&json, still, |file| {
            let mut file = BufWriter::new(file);
            serde_json::to_writer_pretty(&mut file, document)?;
            file.write_all(b"\n")?;
            file.flush()
        });
        written.or_else(|error| check().and(Err(FolderError::at(&json)(error))))?;
        let written = whole::write_while(&table, still, |file| file.write_all(csv.as_bytes()));
        written.or_else(|error| check().and(Err(FolderError::at(&table)(error))))
    }
}

/// Whether a sweep was written to the folder: its document begins with carom's mark.
fn is_sweep(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read =
        whole::open(&path.join(FILES[0])).and_then(|file| file.take(MARK.len() as u64).read_to_end(&mut begin));
    read.is_ok() && begin == MARK.as_bytes()
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::FolderError;
    use super::SweepFolder;

    #[test]
    fn a_folder_that_took_the_place_of_the_sweeps_is_not_written_to() {
        let place = std::env::temp_dir().join(format!("carom-sweep-moved-{}", std::process::id()));
        let (folder, moved) = (place.join("out"), place.join("moved"));
        let sweep = SweepFolder::create(&folder).expect("a new folder");
        std::fs::rename(&folder, &moved).expect("moved");
        std::fs::create_dir(&folder).expect("another folder");
        let refused = sweep.write("a,b\n", &1).expect_err("another folder");
        assert!(matches!(refused, FolderError::Lost { .. }), "{refused}");
        drop(sweep);
        assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 0);
        std::fs::remove_dir_all(&place).expect("removed");
    }
}
