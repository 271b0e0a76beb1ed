use std::fs;
use std::path::{Path, PathBuf};

use super::records::{HEADER, RECORD, block_rows};
use super::{Column, TableReader, TableWriter};
use crate::folder::{Checksums, Rows};

/// A folder of its own, removed in the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("carom-table-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        let place = Self(path);
        place.write(&checksums());
        place
    }

    fn write(&self, checksums: &Checksums) {
        fs::write(self.0.join("checksums.json"), checksums.text().expect("text")).expect("written");
    }

    fn create(&self) -> TableWriter {
        TableWriter::create(&self.0, "a", &columns(), checksums().run()).expect("a table")
    }

    fn reopen(&self, columns: &[Column], rows: Rows) -> Result<TableWriter, String> {
        TableWriter::reopen(&self.0, "a", columns, checksums().run(), rows).map_err(|error| error.to_string())
    }

    fn change(&self, file: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.0.join(file)).expect("there");
        change(&mut bytes);
        fs::write(self.0.join(file), bytes).expect("written");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Those of a run with one table.
fn checksums() -> Checksums {
    Checksums::begun("a scene", &["a"])
}

fn columns() -> Vec<Column> {
    ["t", "x", "y"].map(Column::new).to_vec()
}

fn fill(table: &mut TableWriter, rows: std::ops::Range<u64>) {
    rows.for_each(|k| table.append(&[k as f64, 0.5 * k as f64, -1.0]).expect("appended"));
}

fn read(folder: &Path) -> Vec<[f64; 3]> {
    let mut rows = Vec::new();
    let table = TableReader::open(folder, "a").expect("whole");
    let read = table.for_each(|row| {
        rows.push([row[0], row[1], row[2]]);
        Ok(())
    });
    read.expect("read");
    rows
}

fn refused(folder: &Path) -> String {
    TableReader::open(folder, "a").expect_err("damaged").to_string()
}

#[test]
fn flushes_anywhere_and_a_second_writer_give_the_same_rows() {
    let (place, size) = (Place::new("flushes"), block_rows(3));
    let mut table = place.create();
    fill(&mut table, 0..7);
    table.flush().expect("flushed");
    let at = size + 11;
    fill(&mut table, 7..at);
    table.sync().expect("synced");
    let synced = table.written();
    fill(&mut table, at..3 * size);
    drop(table);
    let written = read(&place.0);
    assert_eq!(written.len() as u64, 3 * size, "full blocks are written as they fill");
    // What followed the rows of the snapshot is made again.
    let mut table = place.reopen(&columns(), synced).expect("verified");
    assert_eq!(read(&place.0), written, "a table is not touched before it grows");
    fill(&mut table, at..3 * size + 1);
    table.flush().expect("flushed");
    let again = read(&place.0);
    assert_eq!(again.len() as u64, 3 * size + 1);
    assert_eq!(again[..written.len()], written);
    assert!(again.iter().enumerate().all(|(k, row)| *row == [k as f64, 0.5 * k as f64, -1.0]));
    let refused = |columns: &[Column], rows| place.reopen(columns, rows).map(|_| ()).expect_err("refused");
    assert!(refused(&columns(), Rows { rows: 12, ..synced }).contains("a.crc"), "no checksum ends with row 12");
    assert!(refused(&columns()[..2], synced).contains("a.json"), "other columns");
    let other = refused(&columns(), Rows { crc: synced.crc ^ 1, ..synced });
    assert!(other.contains("do not have the rows that the snapshot refers to"), "{other}");
    // The checksum of all rows is the same however they were written.
    let whole: Vec<u8> =
        (0..at).flat_map(|k| [k as f64, 0.5 * k as f64, -1.0]).flat_map(f64::to_le_bytes).collect();
    assert_eq!(synced, Rows { rows: at, crc: crc32fast::hash(&whole) });
}

#[test]
fn every_changed_byte_is_found_and_the_rows_are_named() {
    let (place, size) = (Place::new("bytes"), block_rows(3));
    let mut table = place.create();
    fill(&mut table, 0..2 * size + 5);
    table.flush().expect("flushed");
    drop(table);
    for row in [0, size - 1, size, 2 * size + 4] {
        let flip = |bytes: &mut Vec<u8>| bytes[row as usize * 24 + 13] ^= 0x10;
        place.change("a.f64", flip);
        let (block, end) = (row / size * size, ((row / size + 1) * size).min(2 * size + 5));
        let said = refused(&place.0);
        assert!(said.contains(&format!("rows {block} to {}", end - 1)), "{said}");
        assert!(
            said.contains(&format!("the other {} of {}", 2 * size + 5 - (end - block), 2 * size + 5)),
            "{said}"
        );
        place.change("a.f64", flip);
    }
    for at in 0..HEADER + 3 * RECORD {
        // The last record may be one that was not written to its end: its rows are left out, and that is said.
        let last = at >= HEADER + 2 * RECORD;
        place.change("a.crc", |bytes| bytes[at] ^= 1);
        match TableReader::open(&place.0, "a") {
            Err(error) => assert!(!last && error.to_string().contains("a.crc"), "{error}"),
            Ok(table) => assert_eq!((last, table.rows(), table.left_out()), (true, 2 * size, 5)),
        }
        place.change("a.crc", |bytes| bytes[at] ^= 1);
    }
    let description = fs::read(place.0.join("a.json")).expect("there");
    for at in 0..description.len() {
        place.change("a.json", |bytes| bytes[at] ^= 2);
        assert!(refused(&place.0).contains("a.json") || refused(&place.0).contains("a.crc"));
        place.change("a.json", |bytes| bytes[at] ^= 2);
    }
    assert_eq!(read(&place.0).len() as u64, 2 * size + 5);
}

#[test]
fn rows_that_were_cut_off_are_missed_and_those_without_a_checksum_left_out() {
    let place = Place::new("cut");
    let mut table = place.create();
    fill(&mut table, 0..100);
    table.flush().expect("flushed");
    drop(table);
    place.change("a.f64", |bytes| bytes.extend_from_slice(&[1; 50]));
    let read = TableReader::open(&place.0, "a").expect("whole");
    assert_eq!((read.rows(), read.left_out()), (100, 2));
    place.change("a.f64", |bytes| bytes.truncate(24 * 99 + 3));
    assert!(refused(&place.0).contains("rows 0 to 99"));
    fs::remove_file(place.0.join("a.crc")).expect("there");
    assert!(refused(&place.0).contains("a.crc is missing"));
}

#[test]
fn the_table_of_another_run_is_refused_by_its_number_and_by_its_rows() {
    let (place, other) = (Place::new("own"), Place::new("other"));
    let number = Checksums::begun("another scene", &["a"]).run();
    let mut tables =
        [place.create(), TableWriter::create(&other.0, "a", &columns(), number).expect("a table"), other.create()];
    for (value, table) in tables.iter_mut().enumerate() {
        (0..9).for_each(|k| table.append(&[f64::from(k), value as f64, 0.0]).expect("appended"));
        table.flush().expect("flushed");
    }
    // The last one took the files of the second.
    let (own, rows) = (tables[0].written(), tables[2].written());
    let exchange = |file: &str| fs::copy(other.0.join(file), place.0.join(file)).expect("copied");
    exchange("a.f64");
    assert!(refused(&place.0).contains("a.f64 is damaged in rows 0 to 8"));
    exchange("a.crc");
    // Nothing tells what the rows were until the run has ended, or a snapshot refers to them.
    assert_eq!(read(&place.0).len(), 9);
    let said = place.reopen(&columns(), own).map(|_| ()).expect_err("other rows");
    assert!(said.contains("a.f64"), "{said}");
    place.reopen(&columns(), rows).expect("these are there");
    let mut ended = checksums();
    ended.enter_rows("a", own);
    place.write(&ended);
    assert!(refused(&place.0).contains("a.f64 and a.crc are not those that the run wrote"));

    let mut table = TableWriter::create(&place.0, "a", &columns(), number).expect("a table");
    fill(&mut table, 0..9);
    table.flush().expect("flushed");
    assert!(refused(&place.0).contains("a.crc is of another run"));
    let said = place.reopen(&columns(), table.written()).map(|_| ()).expect_err("another run");
    assert!(said.contains("a.crc is of another run"), "{said}");
}
