//! Appends rows to a table.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crc32fast::Hasher;

use super::reader::TableReader;
use super::records::{HEADER, RECORD, Records, block_rows, header, record};
use super::{Column, Description, Files};
use crate::folder::{Rows, damaged, whole};

/// Appends rows.
pub struct TableWriter {
    data: File,
    checksums: File,
    width: usize,
    rows: u64,
    /// Rows since the last write.
    buffer: Vec<u8>,
    /// Rows that are in the file, and how many records say so.
    written: u64,
    records: u64,
    /// Checksums of the rows that are in the file: of the last block, and of all.
    block: Hasher,
    total: Hasher,
    /// What follows the rows is to be cut off: a table is not touched before it grows.
    cut: bool,
}

fn existing(path: &Path) -> io::Result<File> {
    if path.is_symlink() {
        return Err(damaged(format!("{} is a symbolic link", path.display())));
    }
    OpenOptions::new().write(true).open(path)
}

impl TableWriter {
    /// A new table of the run of this number; one of that name is replaced.
    pub fn create(folder: &Path, name: &str, columns: &[Column], run: u64) -> io::Result<Self> {
        let files = Files::of(folder, name);
        let description = Description {
            dtype: "<f8".into(),
            order: "rows".into(),
            checksums: Some(format!("{name}.crc")),
            columns: columns.to_vec(),
        };
        let text = serde_json::to_string_pretty(&description)? + "\n";
        whole::create(&files.description)?.write_all(text.as_bytes())?;
        let mut checksums = whole::create(&files.checksums)?;
        checksums.write_all(&header(columns.len(), crc32fast::hash(text.as_bytes()), run))?;
        let data = whole::create(&files.data)?;
        Ok(Self::at(data, checksums, columns.len()))
    }

    fn at(data: File, checksums: File, width: usize) -> Self {
        let buffer = Vec::with_capacity(8 * width * block_rows(width) as usize);
        let (block, total) = (Hasher::new(), Hasher::new());
        Self { data, checksums, width, rows: 0, buffer, written: 0, records: 0, block, total, cut: false }
    }

    /// Goes on with a table after its first rows, which are verified; what follows them is cut off with the first write.
    pub fn reopen(
        folder: &Path,
        name: &str,
        columns: &[Column],
        run: u64,
        Rows { rows, crc }: Rows,
    ) -> io::Result<Self> {
        let files = Files::of(folder, name);
        let text = whole::read(&files.description)?;
        if TableReader::describe(&text, name)?.columns != columns {
            return Err(damaged(format!("{name}.json: the columns are not those of the scene")));
        }
        let known = Records::read(&files.checksums, columns.len(), &text, run)?;
        let records = known.up_to(rows).ok_or_else(|| {
            let has = known.rows();
            damaged(format!("{name}.crc is damaged or cut off: it has {has} rows, the snapshot has {rows}"))
        })?;
        let (block, total) = known.verify(&files.data, rows)?;
        if total.clone().finalize() != crc {
            return Err(damaged(format!(
                "{name}.f64 and {name}.crc do not have the rows that the snapshot refers to"
            )));
        }
        let writer = Self::at(existing(&files.data)?, existing(&files.checksums)?, columns.len());
        Ok(Self { rows, written: rows, records, block, total, cut: true, ..writer })
    }

    /// Appends a row.
    pub fn append(&mut self, row: &[f64]) -> io::Result<()> {
        debug_assert_eq!(row.len(), self.width);
        for value in row {
            self.buffer.extend_from_slice(&value.to_le_bytes());
        }
        self.rows += 1;
        if self.rows.is_multiple_of(block_rows(self.width)) { self.flush() } else { Ok(()) }
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The rows that the operating system has.
    pub fn written(&self) -> Rows {
        Rows { rows: self.written, crc: self.total.clone().finalize() }
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Hands everything to the operating system: the rows, then their checksum. After a failure the files end with the rows before, and the
    /// next call writes the same rows again.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.cut {
            self.cut_off()?;
            self.cut = false;
        }
        if self.rows == self.written {
            return Ok(());
        }
        let mut block = self.block.clone();
        block.update(&self.buffer);
        if let Err(error) = self.put(&record(self.rows, block.clone().finalize())) {
            // If even that fails, the first error is the one to report.
            let _ = self.cut_off();
            return Err(error);
        }
        self.total.update(&self.buffer);
        self.block = if self.rows.is_multiple_of(block_rows(self.width)) { Hasher::new() } else { block };
        self.buffer.clear();
        (self.written, self.records) = (self.rows, self.records + 1);
        Ok(())
    }

    /// Where the next row and the next record go.
    fn ends(&self) -> [u64; 2] {
        [self.written * 8 * self.width as u64, HEADER as u64 + self.records * RECORD as u64]
    }

    /// Writes what is gathered, then its record.
    fn put(&mut self, record: &[u8]) -> io::Result<()> {
        let [data, checksums] = self.ends();
        self.data.seek(SeekFrom::Start(data))?;
        self.data.write_all(&self.buffer)?;
        self.checksums.seek(SeekFrom::Start(checksums))?;
        self.checksums.write_all(record)
    }

    /// Cuts off what follows the last row that has a record.
    fn cut_off(&self) -> io::Result<()> {
        let [data, checksums] = self.ends();
        self.data.set_len(data)?;
        self.checksums.set_len(checksums)
    }

    /// Brings everything to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.data.sync_data()?;
        self.checksums.sync_data()
    }
}
