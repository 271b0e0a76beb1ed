//! Reads typed values out of the tree, and reports what does not fit.
//!
//! Every reading function returns nothing if the value is missing or does not fit; what does not
//! fit was then reported, so that a decoder can simply go on with the next key.

use super::collector::Diagnostics;
use super::path::{element, join};
use super::suggest::help;
use super::tree::{Kind, Origin, Table, Value, describe};

/// A table of the scene, with its path.
#[derive(Clone, Debug)]
pub struct TableReader<'a> {
    table: &'a Table,
    origin: Origin,
    path: String,
    diagnostics: &'a Diagnostics<'a>,
}

impl<'a> TableReader<'a> {
    /// The whole scene.
    pub fn root(table: &'a Table, diagnostics: &'a Diagnostics<'a>) -> Self {
        Self { table, origin: Origin::Default, path: String::new(), diagnostics }
    }

    /// The path of the table, empty for the whole scene.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The table itself.
    pub fn table_ref(&self) -> &'a Table {
        self.table
    }

    /// Where the problems go.
    pub fn diagnostics(&self) -> &'a Diagnostics<'a> {
        self.diagnostics
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a Value> {
        self.table.get(key)
    }

    /// The value of a key, with its path.
    pub fn item(&self, key: &str) -> Option<Item<'a>> {
        self.table.get(key).map(|value| self.wrap(key, value))
    }

    /// All keys and values in the order of the file.
    pub fn items(&self) -> impl Iterator<Item = (&'a str, Item<'a>)> {
        let entries = self.table.entries().iter();
        entries.map(|entry| (entry.key.as_str(), self.wrap(&entry.key, &entry.value)))
    }

    /// A key itself: what is reported of it stands at the key, not at its value.
    pub fn key(&self, key: &str) -> Option<Item<'a>> {
        let entry = self.table.entry(key)?;
        Some(Item { origin: entry.key_origin, ..self.wrap(key, &entry.value) })
    }

    /// The value of a key; reported if it is missing.
    pub fn required(&self, key: &str) -> Option<Item<'a>> {
        self.required_with(key, None)
    }

    /// The value of a key that must be there, with what helps if it is not.
    pub fn required_with(&self, key: &str, help: Option<&str>) -> Option<Item<'a>> {
        let item = self.item(key);
        if item.is_none() {
            let path = join(&self.path, key);
            self.diagnostics.report(self.origin, path, "this key is missing", help.map(String::from));
        }
        item
    }

    /// The string of an optional key.
    pub fn string(&self, key: &str) -> Option<&'a str> {
        self.item(key)?.string()
    }

    /// The string of an optional key, one of those allowed.
    pub fn choice(&self, key: &str, allowed: &[&str]) -> Option<&'a str> {
        self.item(key)?.choice(allowed)
    }

    /// The finite number of an optional key.
    pub fn number(&self, key: &str) -> Option<f64> {
        self.item(key)?.number()
    }

    /// The integer of an optional key.
    pub fn integer(&self, key: &str) -> Option<i64> {
        self.item(key)?.integer()
    }

    /// The boolean of an optional key.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        self.item(key)?.boolean()
    }

    /// The elements of the array of an optional key.
    pub fn array(&self, key: &str) -> Option<Vec<Item<'a>>> {
        self.item(key)?.array()
    }

    /// An element of the array of an optional key.
    pub fn element(&self, key: &str, index: usize) -> Option<Item<'a>> {
        let array = self.item(key)?;
        let Kind::Array(items) = &array.value.kind else { return None };
        let value = items.get(index)?;
        Some(Item { value, origin: value.origin, path: element(&array.path, index), diagnostics: self.diagnostics })
    }

    /// The table of an optional key.
    pub fn table(&self, key: &str) -> Option<TableReader<'a>> {
        self.item(key)?.table()
    }

    /// Reports every key of the table that is not known.
    pub fn finish(&self, known: &[&str]) {
        for entry in self.table.entries() {
            if !known.contains(&entry.key.as_str()) {
                let path = join(&self.path, &entry.key);
                let message = match self.path.as_str() {
                    "" => "unknown key".to_owned(),
                    table => format!("unknown key of `{table}`"),
                };
                let help =
                    help("known keys", &entry.key, known).or_else(|| Some("no keys are allowed here".into()));
                self.diagnostics.report(entry.key_origin, path, message, help);
            }
        }
    }

    /// Reports a problem of the table as a whole.
    pub fn report(&self, message: impl Into<String>, help: Option<String>) {
        let path = self.path.as_str();
        self.diagnostics.report(self.origin, path, message, help);
    }

    fn wrap(&self, key: &str, value: &'a Value) -> Item<'a> {
        Item { value, origin: value.origin, path: join(&self.path, key), diagnostics: self.diagnostics }
    }
}

/// A value of the scene, with its path.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    value: &'a Value,
    origin: Origin,
    path: String,
    diagnostics: &'a Diagnostics<'a>,
}

impl<'a> Item<'a> {
    /// The value itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// What the value is.
    pub fn kind(&self) -> &'a Kind {
        &self.value.kind
    }

    /// Where the problems go.
    pub fn diagnostics(&self) -> &'a Diagnostics<'a> {
        self.diagnostics
    }

    /// The path of the value.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The value as a string.
    pub fn string(&self) -> Option<&'a str> {
        match self.kind() {
            Kind::String(text) => Some(text),
            _ => self.mismatch("a string"),
        }
    }

    /// The value as one of the allowed strings.
    pub fn choice(&self, allowed: &[&str]) -> Option<&'a str> {
        let text = self.string()?;
        if allowed.contains(&text) {
            return Some(text);
        }
        let message = format!("found {}, which is not allowed here", describe(self.value));
        self.report(message, help("allowed", text, allowed));
        None
    }

    /// The value as a number; infinities and nan are refused.
    pub fn number(&self) -> Option<f64> {
        match *self.kind() {
            Kind::Integer(number) => Some(number as f64),
            Kind::Float(number) if number.is_finite() => Some(number),
            _ => self.mismatch("a finite number"),
        }
    }

    /// The value as an integer; numbers like 2.0 are refused.
    pub fn integer(&self) -> Option<i64> {
        match *self.kind() {
            Kind::Integer(number) => Some(number),
            _ => self.mismatch("an integer"),
        }
    }

    /// The value as a boolean.
    pub fn boolean(&self) -> Option<bool> {
        match *self.kind() {
            Kind::Boolean(value) => Some(value),
            _ => self.mismatch("true or false"),
        }
    }

    /// The value as an array: its elements.
    pub fn array(&self) -> Option<Vec<Item<'a>>> {
        let Kind::Array(items) = self.kind() else {
            return self.mismatch("an array");
        };
        let items = items.iter().enumerate().map(|(index, value)| Item {
            value,
            origin: value.origin,
            path: element(&self.path, index),
            diagnostics: self.diagnostics,
        });
        Some(items.collect())
    }

    /// The value as a table.
    pub fn table(&self) -> Option<TableReader<'a>> {
        let Kind::Table(table) = self.kind() else {
            return self.mismatch("a table");
        };
        Some(TableReader {
            table,
            origin: self.value.origin,
            path: self.path.clone(),
            diagnostics: self.diagnostics,
        })
    }

    /// Reports that the value is not what is allowed here ("a string or a table"); returns
    /// nothing, to end a decoding function with it.
    pub fn mismatch<T>(&self, allowed: &str) -> Option<T> {
        self.report(format!("found {}, allowed is {allowed}", describe(self.value)), None);
        None
    }

    /// Reports a problem of the value.
    pub fn report(&self, message: impl Into<String>, help: Option<String>) {
        let path = self.path.as_str();
        self.diagnostics.report(self.origin, path, message, help);
    }

    /// Reports a problem of `length` characters from the character `offset` (from 0) of the
    /// string on that the value is.
    pub fn report_inside(&self, offset: usize, length: usize, message: impl Into<String>, help: Option<String>) {
        let (origin, path) = (self.origin, self.path.as_str());
        self.diagnostics.report_in_string(origin, (offset, length), path, message, help);
    }
}

#[cfg(test)]
mod tests;
