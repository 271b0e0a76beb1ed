//! Problems as JSON files.
//!
//! | kind | keys |
//! |---|---|
//! | `lcp` | `M`, `q` |
//! | `mlcp` | `M`, `q`, `lower`, `upper` |
//! | `saddle-mlcp` | `mass`, `G`, `T`, `p`, `q`, `lower`, `upper` |
//! | `friction` | `dimension`, `mu`, `q`, `W`; `contacts`, `equalities`, `law` |
//! | `global-friction` | `mass`, `G`, `T`, `p`, `q`, `dimension`, `mu`; `contacts`, `equalities`, `law` |
//!
//! Any problem may have a `name` and a `description`. The kind is recognised by the keys; `kind` may say it, and is then checked. Numbers are written with
//! as many digits as bring back the same bits.

mod build;
mod document;
mod write;

use crate::problem::Problem;
use document::Document;

/// A problem with the name that its file gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name, if the file has one.
    pub name: Option<String>,
    /// What it is about, if the file says so.
    pub description: Option<String>,
    /// The problem.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// Line and column, both from 1, in bytes: of the place where reading stopped, or of the key. `None` where a key is missing.
    pub place: Option<(usize, usize)>,
    /// The key, as `q` or `W.row`; empty where it is none.
    pub key: String,
    /// What is wrong with it, and what is allowed.
    pub message: String,
}

impl std::fmt::Display for FileError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some((line, column)) = self.place {
            write!(out, "line {line}, column {column}: ")?;
        }
        if !self.key.is_empty() {
            write!(out, "{}: ", self.key)?;
        }
        out.write_str(&self.message)
    }
}

impl std::error::Error for FileError {}

/// All that is wrong with a file, in its order; what has no place comes last. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileErrors(pub Vec<FileError>);

impl std::fmt::Display for FileErrors {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, error) in self.0.iter().enumerate() {
            write!(out, "{}{error}", if place > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for FileErrors {}

impl Named {
    /// The text of a file with the problem, its name and its description.
    pub fn to_json(&self) -> String {
        write::json(&self.problem, self.name.as_deref(), self.description.as_deref())
    }
}

impl Problem {
    /// The problem that a file describes.
    ///
    /// ```
    /// use carom_lcp::solvers::registry;
    /// use carom_lcp::{Limits, Problem};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let named = Problem::from_json(r#"{"name": "two", "M": [[2, 1], [1, 2]], "q": [-5, -6]}"#)?;
    /// let mut z = vec![0.0; named.problem.judge().size()];
    /// let answer = registry::solve(&named.problem, "default", &mut z, &Limits::default())?;
    /// assert!(answer.result?.residual.relative <= 1e-8 && (z[0] - 4.0 / 3.0).abs() < 1e-8);
    /// let saved = named.problem.to_json(named.name.as_deref());
    /// assert_eq!(Problem::from_json(&saved)?, named);
    /// let error = Problem::from_json(r#"{"M": [[2], [1, 2]], "q": ["five"]}"#).unwrap_err();
    /// assert_eq!(error.0.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_json(text: &str) -> Result<Named, FileErrors> {
        let (document, mut errors) = Document::read(text);
        if let Some(mut document) = document {
            let (name, description) = (document.name.take(), document.description.take());
            let (problem, wrong) = build::problem(document);
            if let (Some(problem), true) = (problem, errors.is_empty() && wrong.is_empty()) {
                return Ok(Named { name, description, problem });
            }
            errors.extend(wrong.into_iter().map(|build::Wrong { key, message }| {
                let outer = key.split('.').next().unwrap_or_default();
                FileError { place: place_of(text, outer), key, message }
            }));
        }
        errors.sort_by_key(|error| (error.place.is_none(), error.place));
        Err(FileErrors(errors))
    }

    /// The problem as the text of a file, which reads back to the same bits. A number that is not finite, which no problem of the
    /// constructors has, is written as `null` and refused by [`Problem::from_json`].
    pub fn to_json(&self, name: Option<&str>) -> String {
        write::json(self, name, None)
    }
}

/// Line and column of a key of the outermost object of a valid document.
fn place_of(text: &str, key: &str) -> Option<(usize, usize)> {
    let (mut depth, mut line, mut line_start) = (0, 1, 0);
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => (line, line_start) = (line + 1, at + 1),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let begin = at;
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let is_key = depth == 1 && text.get(at + 1..)?.trim_start().starts_with(':');
                if is_key && text.get(begin + 1..at)? == key {
                    return Some((line, begin - line_start + 1));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
