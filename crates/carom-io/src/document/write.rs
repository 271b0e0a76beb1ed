//! Writes a tree as TOML: always the same text for the same tree, readable, and exact.
//!
//! Within a table, values come first and sections (`[x]`, `[[x]]`) after them, each group in the
//! order of the tree. Tables and arrays of tables at the top are sections; deeper ones only if
//! they are too large for a line.

use super::path::{join, key_text};
use super::tree::{Entry, Kind, Table, Value};

/// Width that lines should not exceed, in characters.
const WIDTH: usize = 88;

/// The tree as TOML. Reading the text gives the same values, floating-point numbers to the bit.
pub fn to_toml(table: &Table) -> String {
    let mut out = String::new();
    section(&mut out, "", table);
    out
}

fn section(out: &mut String, path: &str, table: &Table) {
    let top = path.is_empty();
    let (sections, values): (Vec<&Entry>, Vec<&Entry>) =
        table.entries().iter().partition(|entry| is_section(entry, top));
    for entry in values {
        let start = format!("{} = ", key_text(&entry.key));
        let value = match &entry.value.kind {
            Kind::String(text) if text.contains('\n') => multi_line_string(text),
            _ => laid_out(&entry.value, 0, start.chars().count()),
        };
        out.push_str(&start);
        out.push_str(&value);
        out.push('\n');
    }
    for entry in sections {
        let path = join(path, &entry.key);
        match &entry.value.kind {
            Kind::Table(inner) => {
                // A table with nothing but sections needs no header of its own.
                let only_sections = inner.entries().iter().all(|e| is_section(e, false));
                if inner.entries().is_empty() || !only_sections {
                    header(out, &format!("[{path}]"));
                }
                section(out, &path, inner);
            }
            Kind::Array(items) => {
                for item in items {
                    if let Kind::Table(inner) = &item.kind {
                        header(out, &format!("[[{path}]]"));
                        section(out, &path, inner);
                    }
                }
            }
            _ => {}
        }
    }
}

fn header(out: &mut String, text: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
    out.push('\n');
}

/// Whether an entry gets a `[header]` or `[[header]]`.
fn is_section(entry: &Entry, top: bool) -> bool {
    match &entry.value.kind {
        Kind::Table(table) => {
            top || (!table.entries().is_empty()
                && is_large(&entry.value, WIDTH.saturating_sub(entry.key.chars().count() + 3)))
        }
        Kind::Array(items) => {
            !items.is_empty()
                && items.iter().all(|item| matches!(item.kind, Kind::Table(_)))
                && (top || items.iter().any(|item| is_large(item, WIDTH - 4)))
        }
        _ => false,
    }
}

/// Whether a table is too large for one line.
fn is_large(value: &Value, width: usize) -> bool {
    has_line_ends(value) || inline(value).chars().count() > width
}

fn has_line_ends(value: &Value) -> bool {
    match &value.kind {
        Kind::String(text) => text.contains('\n'),
        Kind::Table(table) => table.entries().iter().any(|entry| has_line_ends(&entry.value)),
        _ => false,
    }
}

/// A value after `column` characters of a line; arrays that do not fit take several lines, the
/// last of them at the given indent.
fn laid_out(value: &Value, indent: usize, column: usize) -> String {
    let line = inline(value);
    let items = match &value.kind {
        Kind::Array(items) if column + line.chars().count() > WIDTH => items,
        _ => return line,
    };
    let inner = indent + 2;
    let mut out = String::from("[");
    let mut used = WIDTH;
    for item in items {
        let text = laid_out(item, inner, inner + 1);
        let length = text.chars().count();
        // Numbers share lines, everything else has its own.
        let number = matches!(item.kind, Kind::Integer(_) | Kind::Float(_));
        if number && used + length + 2 <= WIDTH {
            out.push(' ');
            used += length + 2;
        } else {
            out.push('\n');
            out.push_str(&" ".repeat(inner));
            used = if number { inner + length + 1 } else { WIDTH };
        }
        out.push_str(&text);
        out.push(',');
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(']');
    out
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) => single_line_string(text),
        Kind::Integer(number) => number.to_string(),
        Kind::Float(number) => float(*number),
        Kind::Boolean(value) => value.to_string(),
        Kind::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Kind::Table(table) if table.entries().is_empty() => "{}".into(),
        Kind::Table(table) => {
            let entries = table.entries().iter();
            let entries: Vec<String> =
                entries.map(|entry| format!("{} = {}", key_text(&entry.key), inline(&entry.value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// The shortest text that reads back to the same bits.
fn float(number: f64) -> String {
    match (number.is_nan(), number.is_sign_negative()) {
        (true, true) => "-nan".into(),
        (true, false) => "nan".into(),
        (false, _) => format!("{number:?}"),
    }
}

/// A literal string where that spares escapes, else a basic string.
fn single_line_string(text: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '\'';
    if text.contains(['"', '\\']) && text.chars().all(plain) { format!("'{text}'") } else { basic_string(text) }
}

/// A string in double quotes, with escapes.
pub(super) fn basic_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ => push_escaped(&mut out, c),
        }
    }
    out.push('"');
    out
}

/// A string in triple quotes, its lines on lines of their own.
fn multi_line_string(text: &str) -> String {
    let mut out = String::from("\"\"\"\n");
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            // No two quotes side by side, and none before the closing ones.
            '"' if matches!(letters.peek(), None | Some('"')) => out.push_str("\\\""),
            '"' | '\n' | '\t' => out.push(c),
            _ => push_escaped(&mut out, c),
        }
    }
    out.push_str("\"\"\"");
    out
}

fn push_escaped(out: &mut String, c: char) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\r' => out.push_str("\\r"),
        c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests;
