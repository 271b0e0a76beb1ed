//! What is wrong with the text of an expression, and what was meant.
//!
//! Cost: suggestions compare the unknown word with each known one. Limits:
//! words count as similar up to two edits, whatever their case.

use std::fmt;

/// How many names an error message lists at most.
const LONGEST_LIST: usize = 20;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The first character at fault, counted in characters from 1.
    pub column: usize,
    /// The number of characters at fault.
    pub length: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.column, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// The known word nearest to `word` if it is near, and all if they are few.
pub(super) fn suggest(word: &str, known: &[String]) -> Option<String> {
    // One edit makes any letter into any other: no guess for a single one but its other case.
    let allowed = match word.len() {
        0 | 1 => 0,
        2 | 3 => 1,
        _ => 2,
    };
    let nearest = known.iter().map(|k| (distance(word, k), k)).min();
    let mut help = match nearest {
        Some((distance, nearest)) if distance <= allowed => format!("did you mean `{nearest}`?"),
        _ => String::new(),
    };
    if known.len() <= LONGEST_LIST {
        let space = if help.is_empty() { "" } else { " " };
        help = format!("{help}{space}known: {}", known.join(", "));
    }
    (!help.is_empty()).then_some(help)
}

/// The number of edits between two words, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.to_ascii_lowercase().into_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_ascii_lowercase().bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
