//! The tree of values of a scene, each with the place where it was written.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Longest piece of a string that a description quotes, in characters.
const QUOTED: usize = 40;

/// Where a value or a key was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the file, from one byte offset to another.
    File {
        /// First byte.
        start: usize,
        /// The byte after the last.
        end: usize,
    },
    /// In the n-th `--set`, from 0.
    Set(usize),
    /// Nowhere: carom's own value, or the file as a whole.
    Default,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A string.
    String(String),
    /// An integer.
    Integer(i64),
    /// A floating-point number; may be infinite or not a number.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// An array.
    Array(Vec<Value>),
    /// A table.
    Table(Table),
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Where it was written.
    pub origin: Origin,
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key was written.
    pub key_origin: Origin,
    /// The value.
    pub value: Value,
}

/// Tables of more entries than this have a list of where each key stands.
const FEW: usize = 16;

/// Keys and values in the order of the file; no key occurs twice.
#[derive(Clone, Debug, Default)]
pub struct Table {
    entries: Vec<Entry>,
    /// Where keys stand, made when one of many entries is first asked for.
    places: OnceLock<HashMap<String, usize>>,
}

/// Equal entries in the same order.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl Table {
    /// A table of these entries.
    pub(super) fn of(entries: Vec<Entry>) -> Self {
        Self { entries, places: OnceLock::new() }
    }

    fn place(&self, key: &str) -> Option<usize> {
        if self.entries.len() <= FEW {
            return self.entries.iter().position(|entry| entry.key == key);
        }
        let all = || self.entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect();
        self.places.get_or_init(all).get(key).copied()
    }

    /// The entries in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.place(key).map(|place| &self.entries[place])
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.place(key).map(|place| &mut self.entries[place].value)
    }

    /// Takes an entry out.
    pub fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
        self.places.take();
    }

    /// Sets the value of a key: in its place if the key exists, else at the end of the table.
    pub fn insert(&mut self, key: &str, value: Value) {
        if let Some(old) = self.get_mut(key) {
            *old = value;
        } else {
            if let Some(places) = self.places.get_mut() {
                places.insert(key.to_owned(), self.entries.len());
            }
            self.entries.push(Entry { key: key.to_owned(), key_origin: value.origin, value });
        }
    }
}

/// A value in words, for "found …".
pub fn describe(value: &Value) -> String {
    match &value.kind {
        Kind::String(text) if text.is_empty() => "an empty string".into(),
        Kind::String(text) => {
            let mut letters = text.chars();
            let start: String = letters.by_ref().take(QUOTED).collect();
            let more = if letters.next().is_some() { "…" } else { "" };
            format!("the string \"{}{more}\"", start.escape_debug())
        }
        Kind::Integer(number) => format!("the number {number}"),
        Kind::Float(number) if number.is_nan() => "nan (not a number)".into(),
        Kind::Float(number) => format!("the number {number:?}"),
        Kind::Boolean(value) => format!("the boolean {value}"),
        Kind::Array(items) => match items.len() {
            0 => "an empty array".into(),
            1 => "an array of 1 value".into(),
            n => format!("an array of {n} values"),
        },
        Kind::Table(table) if table.entries.is_empty() => "an empty table".into(),
        Kind::Table(_) => "a table".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(kind: Kind) -> String {
        describe(&Value { kind, origin: Origin::Default })
    }

    #[test]
    fn descriptions() {
        assert_eq!(words(Kind::String("abc".into())), "the string \"abc\"");
        assert_eq!(words(Kind::String("a\n\"".into())), "the string \"a\\n\\\"\"");
        assert_eq!(words(Kind::String(String::new())), "an empty string");
        let long = words(Kind::String("ä".repeat(QUOTED + 1)));
        assert!(long.ends_with("ä…\"") && long.chars().count() < 60);
        assert_eq!(words(Kind::Integer(-3)), "the number -3");
        assert_eq!(words(Kind::Float(1.5)), "the number 1.5");
        assert_eq!(words(Kind::Float(2.0)), "the number 2.0");
        assert_eq!(words(Kind::Float(f64::NEG_INFINITY)), "the number -inf");
        assert_eq!(words(Kind::Float(f64::NAN)), "nan (not a number)");
        assert_eq!(words(Kind::Boolean(true)), "the boolean true");
        let item = Value { kind: Kind::Integer(1), origin: Origin::Default };
        assert_eq!(words(Kind::Array(vec![])), "an empty array");
        assert_eq!(words(Kind::Array(vec![item.clone()])), "an array of 1 value");
        assert_eq!(words(Kind::Array(vec![item.clone(); 3])), "an array of 3 values");
        let mut table = Table::default();
        assert_eq!(words(Kind::Table(table.clone())), "an empty table");
        table.insert("a", item);
        assert_eq!(words(Kind::Table(table)), "a table");
    }

    #[test]
    fn tables_keep_their_order() {
        let number = |n| Value { kind: Kind::Integer(n), origin: Origin::Set(0) };
        let mut table = Table::default();
        for (key, n) in [("b", 1), ("a", 2), ("b", 3)] {
            table.insert(key, number(n));
        }
        let keys: Vec<&str> = table.entries().iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["b", "a"]);
        assert_eq!(table.get("b").map(|v| &v.kind), Some(&Kind::Integer(3)));
        assert_eq!(table.get("c"), None);
    }
}
