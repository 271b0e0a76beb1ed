//! Numbers as documents write them.

use std::path::PathBuf;

/// The text of a file of the repository.
pub fn document(path: &str) -> String {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Whether a number is the one that is written, to its last digit: rounded in any way.
pub fn agrees(written: &str, found: f64) -> bool {
    let written = written.trim().replace('−', "-").replace(' ', "");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let places = digits.split_once('.').map_or(0, |(_, after)| after.len() as i32);
    let last = 10_f64.powi(exponent.parse::<i32>().expect("a number") - places);
    (found - written.parse::<f64>().expect("a number")).abs() <= 0.501 * last
}

/// The cells of the rows of the table below a line of a document.
pub fn table(document: &str, header: &str) -> Vec<Vec<String>> {
    let rows = document.lines().skip_while(|line| !line.starts_with(header)).skip(2);
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect();
    rows.take_while(|line| line.starts_with('|')).map(cells).collect()
}
