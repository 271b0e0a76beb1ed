//! Reads a table and verifies it.

use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::records::Records;
use super::{Column, Description, Files};
use crate::folder::{Checksums, damaged, whole};

/// How much is read at once.
const BUFFER: usize = 1 << 16;

/// Reads a table, of a run that goes on too: rows without a checksum yet are left out.
#[derive(Debug)]
pub struct TableReader {
    data: PathBuf,
    columns: Vec<Column>,
    rows: u64,
    left_out: u64,
}

impl TableReader {
    /// Opens a table. Every row is compared with its checksum; an error names the file and which rows are damaged. Tables of version 0.1.0
    /// have no checksums and are read as they are.
    pub fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let (table, known) = Self::look(folder, name)?;
        let Some((known, checksums)) = known else { return Ok(table) };
        let (_, total) = known.verify(&table.data, table.rows)?;
        if checksums.rows(name).is_some_and(|written| written.crc != total.finalize()) {
            return Err(damaged(format!("{name}.f64 and {name}.crc are not those that the run wrote")));
        }
        Ok(table)
    }

    /// Everything but the rows themselves: that the files are there, belong to the run of the folder and have its rows.
    pub(in crate::recording) fn examine(folder: &Path, name: &str) -> io::Result<()> {
        Self::look(folder, name).map(|_| ())
    }

    fn look(folder: &Path, name: &str) -> io::Result<(Self, Option<(Records, Checksums)>)> {
        let files = Files::of(folder, name);
        let text = whole::read(&files.description)?;
        let Description { columns, checksums, .. } = Self::describe(&text, name)?;
        let width = 8 * columns.len().max(1) as u64;
        let length = || Ok::<u64, io::Error>(whole::open(&files.data)?.metadata()?.len());
        let Some(of_run) = Checksums::read(folder)? else {
            let rows = length()? / width;
            return Ok((Self { data: files.data, columns, rows, left_out: 0 }, None));
        };
        if checksums.is_none() {
            return Err(damaged(format!("{name}.json was changed after the run wrote it: it names no checksums")));
        }
        let known = Records::read(&files.checksums, columns.len(), &text, of_run.run());
        let known = known.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged(format!("{error}: the rows cannot be verified")),
            _ => error,
        })?;
        let (rows, length) = (known.rows(), length()?);
        if let Some(written) = of_run.rows(name).map(|written| written.rows) {
            let has = (length / width).min(rows);
            if (rows, length) != (written, written * width) && has <= written {
                let message = format!("{name} is damaged: it has {has} whole rows, the run wrote {written}");
                return Err(damaged(message));
            }
            if length != written * width || rows != written {
                return Err(damaged(format!("{name} was changed: it has more than the {written} rows of the run")));
            }
        }
        let left_out = (length / width).saturating_sub(rows);
        Ok((Self { data: files.data, columns, rows, left_out }, Some((known, of_run))))
    }

    /// Reads a description.
    pub(super) fn describe(text: &[u8], name: &str) -> io::Result<Description> {
        let description: Description = serde_json::from_slice(text)
            .map_err(|error| damaged(format!("{name}.json is damaged: it does not describe a table ({error})")))?;
        if description.columns.is_empty() {
            return Err(damaged(format!("{name}.json is damaged: the table has no columns")));
        }
        Ok(description)
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Rows that can be read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows at the end that are left out, since they have no checksum: the run goes on, or was cut off while it wrote them.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Shows every row to `each`, in constant memory.
    pub fn for_each(&self, each: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
        self.for_each_in(0..self.rows, each)
    }

    /// Shows the rows of a range to `each`; what lies beyond the last row is left out.
    pub fn for_each_in(&self, range: Range<u64>, mut each: impl FnMut(&[f64]) -> io::Result<()>) -> io::Result<()> {
        let mut file = BufReader::with_capacity(BUFFER, whole::open(&self.data)?);
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
