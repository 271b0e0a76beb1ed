//! `--set key.path=value`: changes the tree before it is decoded.

use serde::Deserialize as _;
use serde_json::Value as Json;
use toml::de::{DeValue, ValueDeserializer};

use super::collector::Diagnostics;
use super::depth::{DEEPEST, Text, too_deep};
use super::parse::{parse_set_value, report_depth};
use super::path::{element, join};
use super::tree::{Kind, Origin, Table, Value, describe};

/// A change of the scene from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What the user wrote, for messages.
    pub shown: String,
    /// `key.path=value`.
    pub argument: String,
    /// A key of a table that the new one takes the place of.
    pub displaces: Option<(&'static str, &'static str)>,
}

impl Edit {
    /// `--set argument`.
    pub fn set(argument: &str) -> Self {
        Self { shown: format!("--set {argument}"), argument: argument.to_owned(), displaces: None }
    }

    /// An option of its own that stands for a key of the scene.
    pub fn option(option: &str, key: &str, value: &str) -> Self {
        Self { shown: format!("{option} {value}"), argument: format!("{key}={value}"), displaces: None }
    }
}

/// Applies the changes of the collector in their order; those that are wrong are reported and
/// change nothing.
pub fn apply(table: &mut Table, diagnostics: &Diagnostics<'_>) {
    for (n, edit) in diagnostics.edits().iter().enumerate() {
        let before = diagnostics.len();
        match apply_one(table, n, &edit.argument, diagnostics) {
            Ok(()) => {
                // A value that was refused takes nobody's place: what it stands for would be missed too.
                if let Some((section, key)) = edit.displaces.filter(|_| diagnostics.len() == before)
                    && let Some(Value { kind: Kind::Table(section), .. }) = table.get_mut(section)
                {
                    section.remove(key);
                }
            }
            Err(problem) => diagnostics.report(Origin::Set(n), problem.key, problem.message, problem.help),
        }
    }
}

/// The parts of `key.path=value` as they were written, without the spaces around them.
pub fn key_and_value(argument: &str) -> Result<(&str, &str), String> {
    let (_, value) = split(argument)?;
    let key = argument.strip_suffix(value).and_then(|key| key.strip_suffix('=')).unwrap_or_default();
    Ok((key.trim(), value.trim()))
}

/// What the value of an argument stands for: read as TOML, a string if that fails.
pub fn set_value(text: &str) -> Json {
    let string = || Json::String(text.to_owned());
    if too_deep(text, Text::Value).is_some() {
        return string();
    }
    let value = ValueDeserializer::parse(text).and_then(Json::deserialize);
    value.unwrap_or_else(|_| string())
}

/// What is wrong with an argument.
struct Problem {
    key: String,
    message: String,
    help: Option<String>,
}

fn problem(key: impl Into<String>, message: impl Into<String>) -> Problem {
    Problem { key: key.into(), message: message.into(), help: None }
}

fn apply_one(table: &mut Table, n: usize, argument: &str, diagnostics: &Diagnostics<'_>) -> Result<(), Problem> {
    let (segments, value) = split(argument).map_err(|message| Problem {
        key: String::new(),
        message,
        help: Some("write key.path=value, like parameters.g=9.81 or lagrangian.potential.0=0".into()),
    })?;
    let shown = segments.iter().fold(String::new(), |path, s| join(&path, &s.name));
    if segments.len() > DEEPEST {
        report_depth(diagnostics, Origin::Set(n), &shown);
        return Ok(());
    }
    let Some(value) = parse_set_value(value.trim(), n, &shown, diagnostics) else {
        return Ok(());
    };
    put_in_table(table, "", &segments, value)
}

/// A part of a path.
struct Segment {
    name: String,
    quoted: bool,
}

impl Segment {
    /// The index that the segment stands for, if it is an unquoted number.
    fn index(&self) -> Option<usize> {
        let digits = !self.quoted && self.name.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| self.name.parse().unwrap_or(usize::MAX))
    }
}

/// Puts the value at `segments` below the table at `path`.
fn put_in_table(table: &mut Table, path: &str, segments: &[Segment], value: Value) -> Result<(), Problem> {
    let Some((first, rest)) = segments.split_first() else {
        return Ok(());
    };
    let here = join(path, &first.name);
    if let Some(old) = table.get_mut(&first.name) {
        return put(old, &here, rest, value);
    }
    if let Some((name, index)) = first.name.split_once('[')
        && !first.quoted
        && matches!(table.get(name).map(|v| &v.kind), Some(Kind::Array(_)))
    {
        let index = index.trim_end_matches(']');
        return Err(Problem {
            help: Some(format!("write {}.{index}", join(path, name))),
            ..problem(here, "elements of an array are named with a point")
        });
    }
    if let Some(index) = rest.iter().find_map(Segment::index) {
        let message = format!("there is no array here that could have an element {index}");
        return Err(problem(here, message));
    }
    let origin = value.origin;
    let value = rest.iter().rev().fold(value, |value, segment| {
        let mut table = Table::default();
        table.insert(&segment.name, value);
        Value { kind: Kind::Table(table), origin }
    });
    table.insert(&first.name, value);
    Ok(())
}

/// Puts the value at `segments` below the value at `path`, or in its place.
fn put(old: &mut Value, path: &str, segments: &[Segment], value: Value) -> Result<(), Problem> {
    let Some((first, rest)) = segments.split_first() else {
        *old = value;
        return Ok(());
    };
    let found = describe(old);
    match &mut old.kind {
        Kind::Table(table) => put_in_table(table, path, segments, value),
        Kind::Array(items) => {
            let length = items.len();
            let item = first.index().and_then(|index| Some((index, items.get_mut(index)?)));
            if let Some((index, item)) = item {
                return put(item, &element(path, index), rest, value);
            }
            let name = &first.name;
            let message = format!("found `{name}` where an index into {found} is needed");
            Err(Problem {
                help: Some(match length {
                    0 => "an empty array has no elements; give the whole array".into(),
                    1 => "the array has the length 1: only the index 0 is allowed".into(),
                    _ => format!("the array has the length {length}: indices from 0 to {} are allowed", length - 1),
                }),
                ..problem(path, message)
            })
        }
        _ => {
            let message = format!("`{}` cannot be set inside {found}", first.name);
            Err(problem(path, message))
        }
    }
}

/// The parts of the path, and the text after the `=` that ends it.
fn split(argument: &str) -> Result<(Vec<Segment>, &str), String> {
    let mut segments = Vec::new();
    let mut rest = argument;
    loop {
        let (segment, after) = split_segment(rest.trim_start())?;
        segments.push(segment);
        let after = after.trim_start();
        if let Some(value) = after.strip_prefix('=') {
            return Ok((segments, value));
        }
        rest = match after.strip_prefix('.') {
            Some(rest) => rest,
            None if after.is_empty() => return Err("there is no `=`".into()),
            None => return Err("a quoted part of the key must end before a `.` or the `=`".into()),
        };
    }
}

/// The first part of a path and what follows it.
fn split_segment(text: &str) -> Result<(Segment, &str), String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let (name, after) = text.split_at(text.find(['.', '=']).unwrap_or(text.len()));
        let name = name.trim_end();
        if name.is_empty() {
            return Err("a part of the key is empty".into());
        }
        let name = name.to_owned();
        let quoted = false;
        return Ok((Segment { name, quoted }, after));
    };
    let end = closing_quote(text, quote).ok_or("a quote in the key is not closed")?;
    let (raw, after) = text.split_at(end);
    let name = match DeValue::parse(raw).map(|value| value.into_inner()) {
        Ok(DeValue::String(name)) => name.into_owned(),
        _ => return Err(format!("{raw} is not a valid key")),
    };
    let quoted = true;
    Ok((Segment { name, quoted }, after))
}

/// The byte after the quote that closes the string at the start of `text`.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote == '"' {
            escaped = true;
        } else if c == quote {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests;
