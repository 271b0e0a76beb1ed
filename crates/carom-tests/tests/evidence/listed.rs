//! The tables of docs/evidence.md.

use super::document::plain;

/// The heading of what `carom methods` prints.
pub const METHODS: &str = "carom methods";

/// What backs a statement.
#[derive(Debug, PartialEq, Eq)]
pub enum Backing {
    /// A test: a file below `crates/carom-tests` or `crates`, and its name.
    Test { path: String, name: String },
    /// A claim of an experiment, with its recorded verdict.
    Claim { id: String },
}

/// A row: a statement with what backs it, or a sentence that is none.
#[derive(Debug)]
pub struct Entry {
    /// The document that it stands in.
    pub document: String,
    /// The words, as they stand there.
    pub text: String,
    /// What backs it; nothing if it states nothing.
    pub backing: Vec<Backing>,
}

/// Cells of a row; `\|` is no border.
pub fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{1}");
    row.split('|').map(|cell| plain(&cell.replace('\u{1}', "|"))).collect()
}

/// All rows of all tables.
pub fn entries(text: &str) -> Vec<Entry> {
    let (mut found, mut document, mut header) = (Vec::new(), String::new(), None);
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            document = heading.split(',').next().unwrap_or_default().trim_matches('`').to_string();
        }
        if !line.starts_with('|') {
            header = None;
            continue;
        }
        match header {
            None => header = Some(cells(line)),
            Some(_) if line.chars().all(|c| "|- ".contains(c)) => {}
            Some(ref header) => {
                let row = cells(line);
                assert_eq!(row.len(), 2, "two cells: {line}");
                let backing = match header[1].as_str() {
                    "backed by" => row[1].split(", ").map(backing).collect(),
                    "why it states nothing" => Vec::new(),
                    other => panic!("a table with {other}"),
                };
                assert!(!row[0].is_empty() && !row[1].is_empty(), "{line}");
                found.push(Entry { document: document.clone(), text: row[0].clone(), backing });
            }
        }
    }
    found
}

fn backing(text: &str) -> Backing {
    let text = text.trim_matches('`');
    match (text.strip_prefix("reproduce "), text.split_once("::")) {
        (Some(id), _) => Backing::Claim { id: id.to_string() },
        (None, Some((path, name))) => Backing::Test { path: path.to_string(), name: name.to_string() },
        (None, None) => panic!("neither a test nor a claim: {text}"),
    }
}

#[test]
fn rows_are_read_as_they_are_meant() {
    let text = "## docs/methods.md, gvi\n\n| statement | backed by |\n|---|---|\n| a \\| b | `tests/x.rs::y`, `reproduce p/e/c` |\n\n\
                | sentence | why it states nothing |\n|---|---|\n| c | a definition |\n";
    let found = entries(text);
    assert_eq!((found.len(), found[0].document.as_str(), found[0].text.as_str()), (2, "docs/methods.md", "a | b"));
    let test = Backing::Test { path: "tests/x.rs".into(), name: "y".into() };
    assert_eq!(found[0].backing, [test, Backing::Claim { id: "p/e/c".into() }]);
    assert!(found[1].backing.is_empty());
}
