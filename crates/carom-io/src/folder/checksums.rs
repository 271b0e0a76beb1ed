//! `checksums.json`: what the files of a run held when they were written.
//!
//! It is written when a run begins, with the scene, and again when the run ends, with `run.json` and the rows of the tables. A file that does
//! not fit is damaged: readers refuse it. The rows themselves have checksums of their own, in `NAME.crc` beside each table.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::whole;

/// The name of the file.
pub const CHECKSUMS: &str = "checksums.json";
/// The version of the layout.
const FORMAT: u32 = 1;

/// Checksums of the files of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checksums {
    /// Version of the layout.
    format: u32,
    /// CRC-32 of small files by name.
    files: BTreeMap<String, u32>,
    /// Rows of the tables by name, of a run that has ended.
    rows: BTreeMap<String, u64>,
}

impl Default for Checksums {
    fn default() -> Self {
        Self { format: FORMAT, files: BTreeMap::new(), rows: BTreeMap::new() }
    }
}

/// An error that says what is damaged.
pub(crate) fn damaged(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

impl Checksums {
    /// Those of a folder; `None` if it has none.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match std::fs::read(folder.join(CHECKSUMS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io::Error::new(error.kind(), format!("{CHECKSUMS}: {error}"))),
            Ok(text) => text,
        };
        let read: Self = serde_json::from_slice(&text).map_err(|error| {
            damaged(format!("{CHECKSUMS} is damaged ({error}); remove it to read the folder unverified"))
        })?;
        if read.format != FORMAT {
            return Err(damaged(format!("{CHECKSUMS} has format {}, expected {FORMAT}", read.format)));
        }
        Ok(Some(read))
    }

    /// Enters the content of a file.
    pub fn enter(&mut self, name: &str, content: &[u8]) {
        self.files.insert(name.to_string(), crc32fast::hash(content));
    }

    /// Enters the rows of a table.
    pub fn enter_rows(&mut self, name: &str, rows: u64) {
        self.rows.insert(name.to_string(), rows);
    }

    /// The rows of a table, if the run has ended.
    pub fn rows(&self, name: &str) -> Option<u64> {
        self.rows.get(name).copied()
    }

    /// Whether a file has been entered.
    pub fn knows(&self, name: &str) -> bool {
        self.files.contains_key(name)
    }

    /// Refuses content that is not what was written.
    pub fn verify(&self, name: &str, content: &[u8]) -> io::Result<()> {
        match self.files.get(name) {
            Some(sum) if *sum == crc32fast::hash(content) => Ok(()),
            Some(_) => Err(damaged(format!("{name} is damaged, or was changed after the run wrote it"))),
            None => Err(damaged(format!("{CHECKSUMS} has no entry for {name}: one of the two is damaged"))),
        }
    }

    /// Writes them.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        whole::write(&folder.join(CHECKSUMS), text.as_bytes())
    }
}

/// Reads a file of a run as text and compares it with its checksum, if the folder has checksums.
pub fn read_verified(folder: &Path, name: &str) -> io::Result<String> {
    let bytes = std::fs::read(folder.join(name))?;
    if let Some(checksums) = Checksums::read(folder)? {
        checksums.verify(name, &bytes)?;
    }
    String::from_utf8(bytes).map_err(|_| damaged(format!("{name} is damaged: it is not UTF-8")))
}
