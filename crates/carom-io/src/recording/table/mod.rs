//! A table of columns on disk: rows of little-endian doubles, appended.
//!
//! Three files. `NAME.f64` holds the rows and nothing else, `NAME.json` names the columns, `NAME.crc` has the checksums of both.

mod reader;
mod records;
mod writer;

use std::path::{Path, PathBuf};

pub use reader::TableReader;
use serde::{Deserialize, Serialize};
pub use writer::TableWriter;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// Its unit; empty where the scene has units of its own.
    pub unit: String,
    /// If the numbers in it are places in a list, counted from 0: that list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl Column {
    /// A column in the units of the scene.
    pub fn new(name: impl Into<String>) -> Self {
        Self::choice(name, Vec::new())
    }

    /// A column of places in a list.
    pub fn choice(name: impl Into<String>, values: Vec<String>) -> Self {
        Self { name: name.into(), unit: String::new(), values }
    }
}

/// The description beside the data.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    dtype: String,
    order: String,
    /// The file of checksums; tables of version 0.1.0 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksums: Option<String>,
    columns: Vec<Column>,
}

/// The files of a table.
struct Files {
    data: PathBuf,
    description: PathBuf,
    checksums: PathBuf,
}

impl Files {
    fn of(folder: &Path, name: &str) -> Self {
        let file = |extension: &str| folder.join(format!("{name}.{extension}"));
        Self { data: file("f64"), description: file("json"), checksums: file("crc") }
    }
}

#[cfg(test)]
mod tests;
