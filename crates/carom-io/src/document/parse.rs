//! From the text of a file, or of a `--set` value, to the tree of values.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::collector::Diagnostics;
use super::depth::{DEEPEST, Text, too_deep};
use super::diagnostic::Diagnostic;
use super::path::{element, join};
use super::source::Source;
use super::tree::{Entry, Kind, Origin, Table, Value};

/// Longest number that a message quotes, in bytes.
const QUOTED: usize = 40;

/// What the TOML library says at the following lines if a bracket is not closed.
const MISSING_COMMA: &str = "missing comma between";

/// What it says of text without quotes in the place of a value.
const UNQUOTED: &str = "string values must be quoted";

/// Reads the text of a scene as TOML.
///
/// All syntax errors are reported, at most one per line; then, in a text without any, all values
/// that a scene cannot hold (dates and times, numbers out of range).
pub fn parse(source: &Source) -> Result<Table, Vec<Diagnostic>> {
    let diagnostics = Diagnostics::new(source, &[]);
    if let Some((start, end)) = too_deep(source.text(), Text::Document) {
        report_depth(&diagnostics, Origin::File { start, end }, "");
        return Err(diagnostics.into_vec());
    }
    let (table, errors) = DeTable::parse_recoverable(source.text());
    if !errors.is_empty() {
        for error in &errors {
            report_syntax(&diagnostics, source, error);
        }
        return Err(without_consequences(diagnostics.into_vec(), source));
    }
    let reader = Reader { diagnostics: &diagnostics, set: None };
    let table = reader.table(table.get_ref(), "");
    diagnostics.into_result(table)
}

fn report_syntax(diagnostics: &Diagnostics<'_>, source: &Source, error: &toml::de::Error) {
    let span = error.span();
    let origin = span.clone().map_or(Origin::Default, |span| Origin::File { start: span.start, end: span.end });
    let at_end = span.as_ref().is_some_and(|span| span.start >= source.text().trim_end().len());
    let text = error.message();
    let mut message = format!("invalid TOML: {text}");
    let mut help = None;
    if text == "duplicate key"
        && let Some(key) = span.clone().and_then(|span| source.text().get(span))
    {
        message = format!("the key `{key}` is given twice");
    } else if text.contains(UNQUOTED) && span.and_then(|span| source.text().get(span)).is_some_and(str::is_empty) {
        message = "there is no value after the `=`".into();
    } else if text.contains("invalid boolean") || text.contains(UNQUOTED) {
        help = Some("strings and expressions are written in quotes");
    } else if text.contains("multi-line") && at_end {
        help = Some("a string that begins with three quotes is not closed by three quotes");
    } else if text.starts_with(MISSING_COMMA) {
        help = Some("or the array or table before this is not closed");
    }
    diagnostics.report(origin, "", message, help.map(str::to_owned));
}

/// Leaves out syntax errors that are mostly consequences of others: further ones on a line, and
/// what the starts of all lines after a bracket that is not closed are then mistaken for.
fn without_consequences(mut found: Vec<Diagnostic>, source: &Source) -> Vec<Diagnostic> {
    found.dedup_by_key(|diagnostic| diagnostic.position.map(|at| at.line));
    let mut unclosed = false;
    found.retain(|diagnostic| {
        let starts_line = diagnostic.position.is_some_and(|at| {
            let line = source.line(at.line).unwrap_or_default();
            line.chars().take(at.column - 1).all(char::is_whitespace)
        });
        let comma = diagnostic.message.contains(MISSING_COMMA);
        let mistaken = starts_line && (comma || diagnostic.message.contains(UNQUOTED));
        let consequence = unclosed && mistaken;
        unclosed |= mistaken;
        !consequence
    });
    found
}

/// Reads the value of the n-th `--set`: as TOML, or as a string if it is not TOML. A value that
/// is TOML but that a scene cannot hold is reported.
pub(super) fn parse_set_value(text: &str, n: usize, key: &str, diagnostics: &Diagnostics<'_>) -> Option<Value> {
    if too_deep(text, Text::Value).is_some() {
        report_depth(diagnostics, Origin::Set(n), key);
        return None;
    }
    let Ok(value) = DeValue::parse(text) else {
        return Some(Value { kind: Kind::String(text.to_owned()), origin: Origin::Set(n) });
    };
    let reader = Reader { diagnostics, set: Some(n) };
    let before = diagnostics.len();
    let value = reader.value(&value, key);
    value.filter(|_| diagnostics.len() == before)
}

pub(super) fn report_depth(diagnostics: &Diagnostics<'_>, origin: Origin, key: &str) {
    let message = format!("tables and arrays are nested deeper than {DEEPEST} levels");
    diagnostics.report(origin, key, message, None);
}

/// Translates the tree of the TOML library.
struct Reader<'a> {
    diagnostics: &'a Diagnostics<'a>,
    /// The number of the `--set` that is read, if it is one.
    set: Option<usize>,
}

impl Reader<'_> {
    fn origin(&self, span: Range<usize>) -> Origin {
        match self.set {
            Some(n) => Origin::Set(n),
            None => Origin::File { start: span.start, end: span.end },
        }
    }

    fn table(&self, table: &DeTable<'_>, path: &str) -> Table {
        let mut entries: Vec<(usize, Entry)> = Vec::with_capacity(table.len());
        for (key, value) in table {
            if let Some(value) = self.value(value, &join(path, key.get_ref())) {
                let entry = Entry { key: key.get_ref().to_string(), key_origin: self.origin(key.span()), value };
                entries.push((key.span().start, entry));
            }
        }
        // The library gives alphabetic order; definitions depend on the order of the file.
        entries.sort_by_key(|(start, _)| *start);
        Table::of(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Nothing if the value itself was refused; refused elements of arrays and tables are left
    /// out, which does no harm since a tree with problems is not used.
    fn value(&self, value: &Spanned<DeValue<'_>>, path: &str) -> Option<Value> {
        let origin = self.origin(value.span());
        let refuse = |message: String, help: &str| {
            self.diagnostics.report(origin, path, message, Some(help.into()));
            None
        };
        let kind = match value.get_ref() {
            DeValue::String(text) => Kind::String(text.to_string()),
            DeValue::Boolean(value) => Kind::Boolean(*value),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Kind::Integer(number),
                Err(_) => {
                    let number = shortened(&number.to_string());
                    return refuse(
                        format!("the integer {number} is out of range"),
                        "integers go from -9223372036854775808 to 9223372036854775807; \
                             write a larger number with an exponent, like 1e20",
                    );
                }
            },
            DeValue::Float(number) => {
                let text = number.as_str();
                match text.parse::<f64>() {
                    Ok(number) if number.is_finite() || text.ends_with(['f', 'n']) => Kind::Float(number),
                    _ => {
                        let message = format!("the number {} is out of range", shortened(text));
                        return refuse(message, "the largest number is 1.7976931348623157e308");
                    }
                }
            }
            DeValue::Datetime(value) => {
                return refuse(
                    format!("found the date or time {value}, which a scene cannot hold"),
                    "put it in quotes to give it as a string",
                );
            }
            DeValue::Array(items) => {
                let items = items.iter().enumerate();
                Kind::Array(items.filter_map(|(index, item)| self.value(item, &element(path, index))).collect())
            }
            DeValue::Table(table) => Kind::Table(self.table(table, path)),
        };
        Some(Value { kind, origin })
    }
}

/// A number for a message.
fn shortened(number: &str) -> String {
    match number.get(..QUOTED) {
        Some(start) if number.len() > QUOTED => format!("{start}…"),
        _ => number.to_owned(),
    }
}

#[cfg(test)]
mod tests;
