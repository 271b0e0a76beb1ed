//! `carom export`: CSV and `.npz`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::table::TableReader;
use zip::write::SimpleFileOptions;

/// The tables of a run folder.
const TABLES: [&str; 2] = ["trajectory", "measures"];

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Where.
    pub path: PathBuf,
    /// Rows in it.
    pub rows: u64,
}

/// Writes the tables of a run folder as `NAME.csv` and `NAME.npz`, as asked.
pub fn export(folder: &Path, csv: bool, npz: bool) -> io::Result<Vec<Exported>> {
    let mut written = Vec::new();
    for name in TABLES {
        let table = TableReader::open(folder, name)?;
        let mut put = |extension: &str, write: fn(&TableReader, File) -> io::Result<()>| -> io::Result<()> {
            let path = folder.join(format!("{name}.{extension}"));
            let partial = folder.join(format!("{name}.{extension}.partial"));
            write(&table, File::create(&partial)?)?;
            std::fs::rename(&partial, &path)?;
            written.push(Exported { path, rows: table.rows() });
            Ok(())
        };
        if csv {
            put("csv", write_csv)?;
        }
        if npz {
            put("npz", write_npz)?;
        }
    }
    Ok(written)
}

/// Names in the first line; numbers in the shortest form that reads back to the same bits.
fn write_csv(table: &TableReader, file: File) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let quoted = |name: &str| if name.contains([',', '"']) { format!("{name:?}") } else { name.to_string() };
    let names: Vec<String> = table.columns().iter().map(|column| quoted(&column.name)).collect();
    writeln!(out, "{}", names.join(","))?;
    table.for_each(|row| {
        for (i, value) in row.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(out, "{comma}{value:?}")?;
        }
        writeln!(out)
    })?;
    out.flush()
}

/// One array per column, not compressed. Each column is read on its own: memory stays flat.
fn write_npz(table: &TableReader, file: File) -> io::Result<()> {
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
