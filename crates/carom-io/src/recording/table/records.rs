//! Checksums of a table, `NAME.crc`: a header, then a record for every block of rows that is complete and for every flush in between.
//!
//! The header has the mark, the width of a row, the CRC-32 of `NAME.json` and the number of the run; a record has the number of rows up to it and the CRC-32 of the
//! rows since the block began. Both end with a CRC-32 of their own. A record is written after its rows, so that rows without one are those of
//! a write that did not end.

use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use crc32fast::Hasher;

use crate::folder::{damaged, whole};

/// First bytes of the file: what it is and the version of its layout.
const MARK: &[u8; 8] = b"carom\0t\x02";
/// Bytes of the header and of a record.
pub const HEADER: usize = 28;
pub const RECORD: usize = 16;
/// Bytes of rows in a block, about: small enough that damage is narrowed down, large enough that records weigh nothing.
const BLOCK: usize = 1 << 16;

/// Rows in a block.
pub fn block_rows(width: usize) -> u64 {
    (BLOCK / (8 * width.max(1))).max(1) as u64
}

/// A CRC-32 of what stands before it at the end.
fn sealed<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut bytes = [0; N];
    let mut filled = 0;
    for part in parts {
        bytes[filled..filled + part.len()].copy_from_slice(part);
        filled += part.len();
    }
    let sum = crc32fast::hash(&bytes[..filled]);
    bytes[filled..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Whether what `sealed` made is unchanged.
fn is_whole(bytes: &[u8]) -> bool {
    bytes.split_last_chunk::<4>().is_some_and(|(body, sum)| crc32fast::hash(body) == u32::from_le_bytes(*sum))
}

/// The header.
pub fn header(width: usize, description: u32, run: u64) -> [u8; HEADER] {
    sealed(&[MARK, &(width as u32).to_le_bytes(), &description.to_le_bytes(), &run.to_le_bytes()])
}

/// The record of so many rows, of which those since the block began have this checksum.
pub fn record(rows: u64, sum: u32) -> [u8; RECORD] {
    sealed(&[&rows.to_le_bytes(), &sum.to_le_bytes()])
}

/// Rows up to here, and the checksum of those since the block began.
type Record = (u64, u32);

/// What a file of checksums says.
#[derive(Debug)]
pub struct Records {
    /// In the order of rows.
    records: Vec<Record>,
    width: usize,
}

impl Records {
    /// Reads them; `description` is the text of `NAME.json`, `run` the number of the run. The last records may be those of a write that did not end: they do not count.
    pub fn read(path: &Path, width: usize, description: &[u8], run: u64) -> io::Result<Self> {
        let bytes = whole::read(path)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let Some((head, rest)) = bytes.split_at_checked(HEADER).filter(|(head, _)| is_whole(head)) else {
            return Err(damaged(format!("{file} is damaged: the rows cannot be verified")));
        };
        let description = crc32fast::hash(description);
        if head != header(width, description, run) {
            let of = |from: usize| u64::from_le_bytes(std::array::from_fn(|k| head[from + k]));
            return Err(damaged(if !head.starts_with(MARK) {
                format!("{file} is of another version of carom")
            } else if of(16) != run {
                format!("{file} is of another run: so are the rows beside it, or they cannot be verified")
            } else {
                format!(
                    "the description of the table does not fit {file}: one of the two was changed after the run wrote it"
                )
            }));
        }
        let mut records: Vec<Record> = Vec::new();
        let mut torn = false;
        for bytes in rest.as_chunks::<RECORD>().0 {
            let number = |from: usize| u64::from_le_bytes(std::array::from_fn(|k| bytes[from + k]));
            let (rows, sum) = (number(0), number(8) as u32);
            let follows = records.last().is_none_or(|last| rows > last.0);
            let whole = is_whole(bytes) && follows;
            if whole && torn {
                return Err(damaged(format!("{file} is damaged before row {rows}: the rows cannot be verified")));
            }
            torn |= !whole;
            if whole {
                records.push((rows, sum));
            }
        }
        Ok(Self { records, width })
    }

    /// Rows that have a checksum.
    pub fn rows(&self) -> u64 {
        self.records.last().map_or(0, |record| record.0)
    }

    /// How many records are needed for so many rows; `None` where no record ends with them.
    pub fn up_to(&self, rows: u64) -> Option<u64> {
        if rows == 0 {
            return Some(0);
        }
        self.records.binary_search_by_key(&rows, |record| record.0).ok().map(|place| place as u64 + 1)
    }

    /// Compares the first `rows` rows with their checksums. What is returned is the state of the checksum of the last block, which is not
    /// complete, and that of all rows; an error names the rows that are damaged.
    pub fn verify(&self, data: &Path, rows: u64) -> io::Result<(Hasher, Hasher)> {
        let mut file = BufReader::with_capacity(BLOCK, whole::open(data)?);
        let size = block_rows(self.width);
        let mut bytes = vec![0; 8 * self.width * size.min(rows.max(1)) as usize];
        let mut bad: Vec<Range<u64>> = Vec::new();
        let (mut hasher, mut total) = (Hasher::new(), Hasher::new());
        let mut start = 0;
        while start < rows {
            let end = (start + size).min(rows);
            let block = &mut bytes[..8 * self.width * (end - start) as usize];
            hasher = Hasher::new();
            let read = match file.read_exact(block) {
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                read => read.is_ok(),
            };
            hasher.update(block);
            total.combine(&hasher);
            let known =
                self.records.binary_search_by_key(&end, |record| record.0).map(|place| self.records[place].1);
            if !read || known != Ok(hasher.clone().finalize()) {
                match bad.last_mut().filter(|range| range.end == start) {
                    Some(range) => range.end = end,
                    None => bad.push(start..end),
                }
                file.seek(SeekFrom::Start(end * 8 * self.width as u64))?;
            }
            start = end;
        }
        if bad.is_empty() {
            return Ok((if rows.is_multiple_of(size) { Hasher::new() } else { hasher }, total));
        }
        /// Ranges that an error names.
        const MOST: usize = 4;
        let mut named: Vec<String> =
            bad.iter().take(MOST).map(|range| format!("{} to {}", range.start, range.end - 1)).collect();
        if bad.len() > MOST {
            named.push(format!("{} ranges more", bad.len() - MOST));
        }
        let lost: u64 = bad.iter().map(|range| range.end - range.start).sum();
        let file = data.file_name().unwrap_or_default().to_string_lossy();
        Err(damaged(format!(
            "{file} is damaged in rows {} (counted from 0); the other {} of {rows} rows are as they were written",
            named.join(", "),
            rows - lost
        )))
    }
}
