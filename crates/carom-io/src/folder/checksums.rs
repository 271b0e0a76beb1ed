//! `checksums.json`: what the files of a run held when they were written.
//!
//! It is written when a run begins, with the scene, the names of the tables and the number of the run; and again when the run ends, with
//! `run.json` and what is in the tables. A file that does not fit is damaged, or of another run: readers refuse it. The rows have checksums
//! of their own in `NAME.crc` beside each table, which bears the number of the run.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RUN, whole};

/// The name of the file.
pub const CHECKSUMS: &str = "checksums.json";
/// The version of the layout.
const FORMAT: u32 = 2;

/// Checksums of the files of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checksums {
    /// Version of the layout.
    format: u32,
    /// Number of the run.
    #[serde(with = "hexadecimal")]
    run: u64,
    /// CRC-32 of small files by name.
    files: BTreeMap<String, u32>,
    /// The tables by name; what is in them once the run has ended.
    tables: BTreeMap<String, Option<Rows>>,
}

/// What is in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// How many rows.
    pub rows: u64,
    /// CRC-32 of all of them.
    pub crc: u32,
}

/// Numbers beyond 2⁵³, which many readers of JSON would round.
mod hexadecimal {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{number:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

/// An error that says what is damaged.
pub(crate) fn damaged(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// A hash that is the same on every machine (FNV-1a).
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// What remains where nothing can be verified.
const UNVERIFIED: &str = "so that nothing in the folder can be verified; the rows can be read as they are, from NAME.f64 with the \
                          columns in NAME.json, and carom run with scene.toml makes the run again";

impl Checksums {
    /// Those of a run that begins: its number is that of its scene and this version of carom, so that equal runs have equal files.
    pub fn begun(scene: &str, tables: &[&str]) -> Self {
        let run = hash(&format!("{}\n{scene}", env!("CARGO_PKG_VERSION")));
        let tables = tables.iter().map(|name| (name.to_string(), None)).collect();
        Self { format: FORMAT, run, files: BTreeMap::new(), tables }
    }

    /// Those of a folder; `None` if it is one of a version of carom that wrote none, as the description of its tables tells.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let text = match whole::read(&folder.join(CHECKSUMS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if is_old(folder) { Ok(None) } else { Err(damaged(format!("{error}, {UNVERIFIED}"))) };
            }
            text => text?,
        };
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| damaged(format!("{CHECKSUMS} is damaged ({error}), {UNVERIFIED}")))?;
        if value["format"].as_u64().is_some_and(|format| format != u64::from(FORMAT)) {
            let format = &value["format"];
            return Err(damaged(format!(
                "{CHECKSUMS} has format {format}, this version of carom reads format {FORMAT}"
            )));
        }
        serde_json::from_value(value)
            .map(Some)
            .map_err(|error| damaged(format!("{CHECKSUMS} is damaged ({error}), {UNVERIFIED}")))
    }

    /// The number of the run.
    pub fn run(&self) -> u64 {
        self.run
    }

    /// Forgets the end of the run, which goes on.
    pub fn reopen(&mut self) {
        self.files.remove(RUN);
        self.tables.values_mut().for_each(|rows| *rows = None);
    }

    /// Enters the content of a file.
    pub fn enter(&mut self, name: &str, content: &[u8]) {
        self.files.insert(name.to_string(), crc32fast::hash(content));
    }

    /// Enters what is in a table.
    pub fn enter_rows(&mut self, name: &str, rows: Rows) {
        self.tables.insert(name.to_string(), Some(rows));
    }

    /// What is in a table, if the run has ended.
    pub fn rows(&self, name: &str) -> Option<Rows> {
        self.tables.get(name).copied().flatten()
    }

    /// The tables of the run.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
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

    /// The content of the file.
    pub fn text(&self) -> io::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Whether the tables of a folder have no checksums.
fn is_old(folder: &Path) -> bool {
    let description = whole::read(&folder.join("trajectory.json")).ok();
    let description: Option<Value> = description.and_then(|text| serde_json::from_slice(&text).ok());
    description.is_some_and(|description| description.is_object() && description.get("checksums").is_none())
}

/// Reads a file of a run as text and compares it with its checksum, if the folder has checksums.
pub fn read_verified(folder: &Path, name: &str) -> io::Result<String> {
    let bytes = whole::read(&folder.join(name))?;
    if let Some(checksums) = Checksums::read(folder)? {
        checksums.verify(name, &bytes)?;
    }
    String::from_utf8(bytes).map_err(|_| damaged(format!("{name} is damaged: it is not UTF-8")))
}
