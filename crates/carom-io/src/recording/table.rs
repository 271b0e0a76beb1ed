//! A table of columns on disk: rows of little-endian doubles, appended.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// How much is gathered before it is written.
const BUFFER: usize = 1 << 16;

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
struct Description {
    dtype: String,
    order: String,
    columns: Vec<Column>,
}

fn paths(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    (folder.join(format!("{name}.f64")), folder.join(format!("{name}.json")))
}

/// Appends rows.
#[derive(Debug)]
pub struct TableWriter {
    file: BufWriter<File>,
    width: usize,
    rows: u64,
}

impl TableWriter {
    /// A new table; one of that name is replaced.
    pub fn create(folder: &Path, name: &str, columns: &[Column]) -> io::Result<Self> {
        let (data, description) = paths(folder, name);
        let text = serde_json::to_string_pretty(&Description {
            dtype: "<f8".into(),
            order: "rows".into(),
            columns: columns.to_vec(),
        })?;
        std::fs::write(description, text + "\n")?;
        let file = BufWriter::with_capacity(BUFFER, File::create(data)?);
        Ok(Self { file, width: columns.len(), rows: 0 })
    }

    /// Goes on with a table after its first `rows`; what follows them is cut off.
    pub fn reopen(folder: &Path, name: &str, columns: &[Column], rows: u64) -> io::Result<Self> {
        let table = TableReader::open(folder, name)?;
        if table.columns() != columns || table.rows() < rows {
            let message = format!("{name}: the table has other columns or fewer rows than the snapshot says");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let mut file = OpenOptions::new().write(true).open(paths(folder, name).0)?;
        let length = rows * 8 * columns.len() as u64;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), width: columns.len(), rows })
    }

    /// Appends a row.
    pub fn append(&mut self, row: &[f64]) -> io::Result<()> {
        debug_assert_eq!(row.len(), self.width);
        for value in row {
            self.file.write_all(&value.to_le_bytes())?;
        }
        self.rows += 1;
        Ok(())
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Hands everything to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Reads a table, of a run that goes on too: rows that are not complete yet are left out.
#[derive(Debug)]
pub struct TableReader {
    data: PathBuf,
    columns: Vec<Column>,
    rows: u64,
}

impl TableReader {
    /// Opens a table.
    pub fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let (data, description) = paths(folder, name);
        let text = std::fs::read_to_string(description)?;
        let Description { columns, .. } = serde_json::from_str(&text)?;
        let width = 8 * columns.len().max(1) as u64;
        let rows = std::fs::metadata(&data)?.len() / width;
        Ok(Self { data, columns, rows })
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Complete rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Shows every row to `each`, in constant memory.
    pub fn for_each(&self, each: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
        self.for_each_in(0..self.rows, each)
    }

    /// Shows the rows of a range to `each`; what lies beyond the last row is left out.
    pub fn for_each_in(&self, range: Range<u64>, mut each: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(&self.data)?);
        file.seek(SeekFrom::Start(range.start * 8 * self.columns.len() as u64))?;
        let mut bytes = vec![0; 8 * self.columns.len()];
        let mut row = vec![0.0; self.columns.len()];
        for _ in range.start..range.end.min(self.rows) {
            file.read_exact(&mut bytes)?;
            for (value, bytes) in row.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *value = f64::from_le_bytes(*bytes);
            }
            each(&row)?;
        }
        Ok(())
    }
}
