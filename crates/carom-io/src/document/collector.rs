//! Collects the problems of a scene and finds their place in the file or on the command line.

use std::cell::RefCell;

use super::diagnostic::{Diagnostic, Position};
use super::set::Edit;
use super::source::Source;
use super::tree::Origin;

/// The problems of one scene found so far.
///
/// Problems are added through a shared reference, so that readers of several tables of the scene
/// can be in use at the same time.
#[derive(Debug)]
pub struct Diagnostics<'a> {
    source: &'a Source,
    edits: &'a [Edit],
    found: RefCell<Vec<Diagnostic>>,
}

impl<'a> Diagnostics<'a> {
    /// No problems yet; `edits` are the changes from the command line in their order.
    pub fn new(source: &'a Source, edits: &'a [Edit]) -> Self {
        Self { source, edits, found: RefCell::default() }
    }

    /// The changes from the command line.
    pub fn edits(&self) -> &'a [Edit] {
        self.edits
    }

    /// Adds a problem.
    pub fn push(&self, diagnostic: Diagnostic) {
        self.found.borrow_mut().push(diagnostic);
    }

    /// Adds a problem of what was written at `origin`.
    pub fn report(&self, origin: Origin, key: impl Into<String>, message: impl Into<String>, help: Option<String>) {
        self.push(self.at(origin, key.into(), message.into(), help));
    }

    /// Adds a problem inside the string written at `origin`: `length` characters from the
    /// character `offset` (from 0) of the string on.
    pub fn report_in_string(
        &self,
        origin: Origin,
        (offset, length): (usize, usize),
        key: impl Into<String>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = self.at(origin, key.into(), message.into(), help);
        if let Some(position) = string_position(self.source, origin, offset, length) {
            diagnostic.position = Some(position);
        } else {
            let place = format!(" (at character {} of the string)", offset.saturating_add(1));
            diagnostic.message.push_str(&place);
        }
        self.push(diagnostic);
    }

    /// Whether there are no problems so far.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// Number of problems so far.
    pub fn len(&self) -> usize {
        self.found.borrow().len()
    }

    /// All problems: those with a place in the file in its order, then the others.
    pub fn into_vec(self) -> Vec<Diagnostic> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|diagnostic| match diagnostic.position {
            Some(at) => (false, at.line, at.column),
            None => (true, 0, 0),
        });
        found
    }

    /// The value if there are no problems, else all of them.
    pub fn into_result<T>(self, value: T) -> Result<T, Vec<Diagnostic>> {
        if self.is_empty() { Ok(value) } else { Err(self.into_vec()) }
    }

    fn at(&self, origin: Origin, key: String, message: String, help: Option<String>) -> Diagnostic {
        let mut source = self.source.name().to_owned();
        let mut position = None;
        match origin {
            Origin::File { start, end } => position = Some(self.source.span(start, end)),
            Origin::Set(n) => {
                source = self.edits.get(n).map_or_else(String::new, |edit| edit.shown.clone());
            }
            Origin::Default => {}
        }
        Diagnostic { source, position, key, message, help }
    }
}

/// The place in the file of `length` characters from the character `offset` (from 0) of the
/// string written at `origin` on.
///
/// Only for strings on one line without escapes; nothing for multi-line and escaped strings, and
/// for those of the command line. An offset beyond the string gives its end.
pub fn string_position(source: &Source, origin: Origin, offset: usize, length: usize) -> Option<Position> {
    let Origin::File { start, end } = origin else {
        return None;
    };
    let raw = source.text().get(start..end)?;
    let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = raw.strip_prefix(quote)?.strip_suffix(quote)?;
    if inner.contains(quote) || (quote == '"' && inner.contains('\\')) {
        return None;
    }
    let count = inner.chars().count();
    let first = offset.min(count);
    let (line, column) = source.position(start);
    Some(Position { line, column: column + 1 + first, length: length.min(count - first).max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, value: &str, offset: usize, length: usize) -> Option<(usize, usize)> {
        let source = Source::new("a.toml", text);
        let start = source.text().find(value).unwrap();
        let end = start + value.len();
        string_position(&source, Origin::File { start, end }, offset, length).map(|position| {
            assert_eq!(position.line, 2);
            (position.column, position.length)
        })
    }

    #[test]
    fn places_inside_strings() {
        let text = "# α\r\nkey = \"αβ+gamma\"";
        assert_eq!(place(text, "\"αβ+gamma\"", 3, 5), Some((11, 5)));
        assert_eq!(place(text, "\"αβ+gamma\"", 3, 50), Some((11, 5)));
        assert_eq!(place(text, "\"αβ+gamma\"", 8, 0), Some((16, 1)), "closing quote");
        assert_eq!(place(text, "\"αβ+gamma\"", 800, 9), Some((16, 1)));
        assert_eq!(place("\n\tk = 'a\\b\"c'", "'a\\b\"c'", 2, 1), Some((9, 1)));
        assert_eq!(place("\nk = ''", "''", 0, 1), Some((6, 1)));
    }

    #[test]
    fn places_that_cannot_be_found() {
        for value in ["\"a\\tb\"", "\"\"\"a\nb\"\"\"", "'''ab'''", "12", "\"\"\"\"\"\""] {
            assert_eq!(place(&format!("\nk = {value}"), value, 1, 1), None, "{value}");
        }
        let source = Source::new("a.toml", "");
        assert_eq!(string_position(&source, Origin::Set(0), 0, 1), None);
        let origin = Origin::File { start: 3, end: 9 };
        assert_eq!(string_position(&source, origin, 0, 1), None);
    }

    #[test]
    fn fallback_names_the_character() {
        let source = Source::new("a.toml", "k = \"a\\tb\"\nl = 'x'\n");
        let sets = [Edit::set("k=a b")];
        let diagnostics = Diagnostics::new(&source, &sets);
        let origin = Origin::File { start: 4, end: 10 };
        diagnostics.report_in_string(Origin::Set(0), (2, 1), "k", "bad", None);
        diagnostics.report_in_string(Origin::File { start: 15, end: 18 }, (0, 1), "l", "bad", None);
        diagnostics.report_in_string(origin, (2, 1), "k", "bad", None);
        assert_eq!(diagnostics.len(), 3);
        let found = diagnostics.into_vec();
        assert_eq!(found[0].position, Some(source.span(4, 10)));
        assert_eq!(found[0].message, "bad (at character 3 of the string)");
        assert_eq!(found[1].position, Some(source.span(16, 17)));
        assert_eq!(found[1].message, "bad");
        assert_eq!(found[2].source, "--set k=a b");
        assert_eq!(found[2].position, None);
    }

    #[test]
    fn results() {
        let source = Source::new("a.toml", "");
        let diagnostics = Diagnostics::new(&source, &[]);
        assert!(diagnostics.is_empty());
        assert_eq!(diagnostics.into_result(3), Ok(3));
        let diagnostics = Diagnostics::new(&source, &[]);
        diagnostics.report(Origin::Default, "run", "missing", None);
        let found = diagnostics.into_result(3).unwrap_err();
        assert_eq!(found[0].render(&source), "error: a.toml: run: missing");
    }
}
