//! `carom export`: CSV and `.npz`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::session::{CONTACTS, EVENTS};
use super::table::{Column, TableReader};
use crate::folder::{Checksums, whole};
use zip::write::SimpleFileOptions;

/// The tables of every run of version 0.1.0; where events are located or something is watched there is [`EVENTS`] as well.
const TABLES: [&str; 2] = ["trajectory", "measures"];

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Where.
    pub path: PathBuf,
    /// Rows in it.
    pub rows: u64,
    /// Rows of the table that are left out: they have no checksum yet.
    pub left_out: u64,
}

/// Why a run was not exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The folder does not hold the tables of a run; the error names the file.
    #[error("{}: no table of a run that can be read ({error})", .folder.display())]
    NoTable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file could not be made.
    #[error("{} was not written: {error}", .path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Writes the tables of a run folder that are whole as `NAME.csv` and `NAME.npz`, as asked; and says what is wrong with the others. Where
/// none is whole that is the error.
pub fn export(folder: &Path, csv: bool, npz: bool) -> Result<(Vec<Exported>, Vec<io::Error>), ExportError> {
    let (mut written, mut damaged) = (Vec::new(), Vec::new());
    let no_table = |error| ExportError::NoTable { folder: folder.to_path_buf(), error };
    for name in tables(folder).map_err(no_table)? {
        let table = match TableReader::open(folder, &name) {
            Ok(table) => table,
            Err(error) => {
                damaged.push(error);
                continue;
            }
        };
        let mut put = |extension: &str, write: fn(&TableReader, &mut File) -> io::Result<()>| {
            let path = folder.join(format!("{name}.{extension}"));
            match whole::write_with(&path, |file| write(&table, file)) {
                Err(error) => return Err(ExportError::Unwritten { path, error }),
                Ok(()) => written.push(Exported { path, rows: table.rows(), left_out: table.left_out() }),
            }
            Ok(())
        };
        if csv {
            put("csv", if name == CONTACTS { write_csv_of_contacts } else { write_csv })?;
        }
        if npz {
            put("npz", write_npz)?;
        }
    }
    match damaged.is_empty() || !written.is_empty() {
        true => Ok((written, damaged)),
        false => Err(no_table(damaged.swap_remove(0))),
    }
}

/// The tables of a folder: those of its run, whichever of their files is missing.
fn tables(folder: &Path) -> io::Result<Vec<String>> {
    if !folder.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such folder"));
    }
    // Without this what is missing in another folder would be its checksums.
    whole::open(&folder.join("trajectory.json"))?;
    if let Some(checksums) = Checksums::read(folder)? {
        return Ok(checksums.tables().map(String::from).collect());
    }
    let has_events = ["json", "f64"].iter().any(|kind| folder.join(format!("{EVENTS}.{kind}")).exists());
    Ok(TABLES.into_iter().chain(has_events.then_some(EVENTS)).map(String::from).collect())
}

/// A name as a field of CSV (RFC 4180): in quotes where it must be, its own quotes doubled.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_string()
    }
}

/// Names in the first line; numbers in the shortest form that reads back to the same bits.
fn write_csv(table: &TableReader, file: &mut File) -> io::Result<()> {
    write_csv_with(table, file, None)
}

/// The same with a column `contact_name` behind the others, where contacts have names.
fn write_csv_of_contacts(table: &TableReader, file: &mut File) -> io::Result<()> {
    let named = |column: &Column| column.name == "contact" && !column.values.is_empty();
    write_csv_with(table, file, table.columns().iter().position(named))
}

/// What the numbers in the column at the place `named` stand for goes into a column of its own: nothing where they stand for nothing.
fn write_csv_with(table: &TableReader, file: &mut File, named: Option<usize>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let mut names: Vec<String> = table.columns().iter().map(|column| quoted(&column.name)).collect();
    names.extend(named.map(|place| quoted(&format!("{}_name", table.columns()[place].name))));
    writeln!(out, "{}", names.join(","))?;
    let values = named.map(|place| (place, table.columns()[place].values.iter().map(|value| quoted(value))));
    let values: Option<(usize, Vec<String>)> = values.map(|(place, values)| (place, values.collect()));
    table.for_each(|row| {
        for (i, value) in row.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(out, "{comma}{value:?}")?;
        }
        if let Some((place, values)) = &values {
            let number = Some(row[*place]).filter(|number| *number >= 0.0);
            let value = number.and_then(|number| values.get(number as usize));
            write!(out, ",{}", value.map_or("", String::as_str))?;
        }
        writeln!(out)
    })?;
    out.flush()
}

/// One array per column, not compressed. Each column is read on its own: memory stays flat.
fn write_npz(table: &TableReader, file: &mut File) -> io::Result<()> {
    let mut zip = zip::ZipWriter::new(BufWriter::new(file));
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(table.rows() > (1 << 28));
    for (place, column) in table.columns().iter().enumerate() {
        zip.start_file(format!("{}.npy", column.name), options)?;
        zip.write_all(&npy_header(table.rows()))?;
        let mut buffer = Vec::with_capacity(1 << 16);
        table.for_each(|row| {
            buffer.extend_from_slice(&row[place].to_le_bytes());
            if buffer.len() == buffer.capacity() {
                zip.write_all(&buffer)?;
                buffer.clear();
            }
            Ok(())
        })?;
        zip.write_all(&buffer)?;
    }
    zip.finish()?.flush()
}

/// Header of a one-dimensional array of doubles (NumPy format 1.0), padded to a multiple of 64 bytes.
fn npy_header(rows: u64) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows},), }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(length as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header.resize(10 + length - 1, b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::super::table::TableWriter;
    use super::*;

    /// A folder with tables of these columns and one row.
    fn folder(name: &str, columns: &[&str]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("carom-export-{name}-{}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        let checksums = Checksums::begun("", &TABLES);
        std::fs::write(path.join("checksums.json"), checksums.text().unwrap()).unwrap();
        let columns: Vec<Column> = columns.iter().map(|name| Column::new(*name)).collect();
        for table in TABLES {
            let mut table = TableWriter::create(&path, table, &columns, checksums.run()).unwrap();
            table.append(&vec![0.5; columns.len()]).unwrap();
            table.flush().unwrap();
        }
        path
    }

    #[test]
    fn names_with_quotes_commas_and_new_lines_are_fields_of_csv() {
        let path = folder("quotes", &["t", "a\"b", "c,d", "e\nf", "g\\h", "é"]);
        export(&path, true, false).unwrap();
        let text = std::fs::read_to_string(path.join("measures.csv")).unwrap();
        std::fs::remove_dir_all(&path).unwrap();
        assert_eq!(text, "t,\"a\"\"b\",\"c,d\",\"e\nf\",g\\h,é\n0.5,0.5,0.5,0.5,0.5,0.5\n");
    }

    #[test]
    fn an_export_that_fails_leaves_nothing_half_written_and_says_what_failed() {
        // Two files of one name are no archive.
        let path = folder("twice", &["t", "x", "x"]);
        let error = export(&path, true, true).expect_err("two columns of one name");
        let left: Vec<_> = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        std::fs::remove_dir_all(&path).unwrap();
        assert!(matches!(&error, ExportError::Unwritten { path, .. } if path.ends_with("measures.npz")), "{error}");
        assert!(left.iter().all(|name| !name.to_string_lossy().contains("partial")), "{left:?}");
        let missing = export(&path, true, true).expect_err("no folder");
        assert!(matches!(&missing, ExportError::NoTable { .. }), "{missing}");
    }
}
