//! The keys of a file with the types of their values, before it is known what kind of problem they make.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::FileError;

/// Every key that a file may have, with its value; what kind needs which is not checked here.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// All keys in the order of the file, known or not.
    pub keys: Vec<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub kind: Option<String>,
    pub law: Option<String>,
    pub m: Option<Matrix>,
    pub w: Option<Matrix>,
    pub g: Option<Matrix>,
    pub mass: Option<Vec<Vec<Vec<f64>>>>,
    pub t: Option<Vec<f64>>,
    pub p: Option<Vec<f64>>,
    pub q: Option<Vec<f64>>,
    pub mu: Option<Vec<f64>>,
    pub lower: Option<Vec<Option<f64>>>,
    pub upper: Option<Vec<Option<f64>>>,
    pub dimension: Option<usize>,
    pub contacts: Option<usize>,
    pub equalities: Option<usize>,
}

/// A matrix as it is written.
#[derive(Debug)]
pub(super) enum Matrix {
    Rows(Vec<Vec<f64>>),
    Entries(Entries),
}

/// A sparse matrix as it is written: entries that are not given are 0.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub size: Option<usize>,
    pub rows: Option<usize>,
    pub columns: Option<usize>,
    pub row: Option<Vec<usize>>,
    pub col: Option<Vec<usize>>,
    pub value: Option<Vec<f64>>,
}

/// The keys of a sparse matrix.
const ENTRIES: [&str; 6] = ["size", "rows", "columns", "row", "col", "value"];

/// The key that is being read, and the one inside it.
type Path = Cell<[&'static str; 2]>;

impl Document {
    /// Reads a text. Values of the wrong type are reported at their places and left out; a text that is no JSON has no document.
    pub fn read(text: &str) -> (Option<Document>, Vec<FileError>) {
        let (mut errors, mut unread) = (Vec::new(), Vec::new());
        loop {
            let path = Path::default();
            let mut json = serde_json::Deserializer::from_str(text);
            let top = Top { path: &path, unread: &unread };
            let read = top.deserialize(&mut json).and_then(|document| json.end().map(|()| document));
            let error = match read {
                Ok(document) => return (Some(document), errors),
                Err(error) => error,
            };
            let [outer, _] = path.get();
            errors.push(placed(&error, &path));
            // A reader cannot go on inside a value: it begins again and passes over this one.
            if !error.is_data() || outer.is_empty() {
                return (None, errors);
            }
            unread.push(outer);
        }
    }
}

fn placed(error: &serde_json::Error, path: &Path) -> FileError {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = message.strip_suffix(&place).unwrap_or(&message).to_string();
    let [outer, inner] = path.get();
    let key = if inner.is_empty() { outer.to_string() } else { format!("{outer}.{inner}") };
    FileError { place: (line > 0).then_some((line, column.max(1))), key, message }
}

struct Top<'a> {
    path: &'a Path,
    /// Keys whose values are passed over.
    unread: &'a [&'static str],
}

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = Document;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = Document;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a problem: an object with keys such as `M` and `q`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document, A::Error> {
        let path = self.path;
        let mut document = Document::default();
        while let Some(key) = map.next_key::<String>()? {
            if document.keys.contains(&key) {
                return Err(de::Error::custom(format!("the key `{key}` is given twice")));
            }
            macro_rules! fields {
                ($($name:literal => $field:ident: $read:expr),* $(,)?) => {
                    match key.as_str() {
                        passed if self.unread.contains(&passed) => map.next_value::<IgnoredAny>().map(|_| ())?,
                        $($name => {
                            path.set([$name, ""]);
                            document.$field = Some($read);
                        })*
                        _ => map.next_value::<IgnoredAny>().map(|_| ())?,
                    }
                };
            }
            fields! {
                "name" => name: map.next_value()?,
                "description" => description: map.next_value()?,
                "kind" => kind: map.next_value()?,
                "law" => law: map.next_value()?,
                "M" => m: map.next_value_seed(MatrixSeed(path))?,
                "W" => w: map.next_value_seed(MatrixSeed(path))?,
                "G" => g: map.next_value_seed(MatrixSeed(path))?,
                "mass" => mass: map.next_value_seed(List(List(List(Number))))?,
                "T" => t: map.next_value_seed(List(Number))?,
                "p" => p: map.next_value_seed(List(Number))?,
                "q" => q: map.next_value_seed(List(Number))?,
                "mu" => mu: map.next_value_seed(List(Number))?,
                "lower" => lower: map.next_value_seed(List(Bound))?,
                "upper" => upper: map.next_value_seed(List(Bound))?,
                "dimension" => dimension: map.next_value_seed(Count)?,
                "contacts" => contacts: map.next_value_seed(Count)?,
                "equalities" => equalities: map.next_value_seed(Count)?,
            }
            path.set(["", ""]);
            document.keys.push(key);
        }
        Ok(document)
    }
}

/// A matrix by its rows or by its entries.
struct MatrixSeed<'a>(&'a Path);

impl<'de> DeserializeSeed<'de> for MatrixSeed<'_> {
    type Value = Matrix;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Matrix, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MatrixSeed<'_> {
    type Value = Matrix;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a matrix: a list of rows, or an object with the keys {}", ENTRIES.join(", "))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Matrix, A::Error> {
        List(List(Number)).visit_seq(list).map(Matrix::Rows)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Matrix, A::Error> {
        let path = self.0;
        let [outer, _] = path.get();
        let mut entries = Entries::default();
        while let Some(key) = map.next_key::<String>()? {
            macro_rules! fields {
                ($($name:literal => $field:ident: $seed:expr),* $(,)?) => {
                    match key.as_str() {
                        $($name => {
                            path.set([outer, $name]);
                            if entries.$field.is_some() {
                                return Err(de::Error::custom("the key is given twice"));
                            }
                            entries.$field = Some(map.next_value_seed($seed)?);
                        })*
                        _ => {
                            let known = ENTRIES.join(", ");
                            let message = format!("unknown key `{key}` of a sparse matrix; known keys: {known}");
                            return Err(de::Error::custom(message));
                        }
                    }
                };
            }
            fields! {
                "size" => size: Count,
                "rows" => rows: Count,
                "columns" => columns: Count,
                "row" => row: List(Count),
                "col" => col: List(Count),
                "value" => value: List(Number),
            }
            path.set([outer, ""]);
        }
        Ok(Matrix::Entries(entries))
    }
}

/// A list of what the inner seed reads.
#[derive(Clone, Copy)]
struct List<S>(S);

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for List<S> {
    type Value = Vec<S::Value>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for List<S> {
    type Value = Vec<S::Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(self.0)? {
            values.push(value);
        }
        Ok(values)
    }
}

/// A number.
#[derive(Clone, Copy)]
struct Number;

impl<'de> DeserializeSeed<'de> for Number {
    type Value = f64;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a finite number")
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// A number, or `null` where there is no bound.
#[derive(Clone, Copy)]
struct Bound;

impl<'de> DeserializeSeed<'de> for Bound {
    type Value = Option<f64>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<f64>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Bound {
    type Value = Option<f64>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a finite number, or null where there is no bound")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Option<f64>, E> {
        Ok(None)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Option<f64>, E> {
        Ok(Some(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Option<f64>, E> {
        Ok(Some(value as f64))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Option<f64>, E> {
        Ok(Some(value as f64))
    }
}

/// A count or an index.
#[derive(Clone, Copy)]
struct Count;

impl<'de> DeserializeSeed<'de> for Count {
    type Value = usize;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for Count {
    type Value = usize;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a whole number from 0 up")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<usize, E> {
        usize::try_from(value).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<usize, E> {
        Err(E::invalid_value(de::Unexpected::Signed(value), &self))
    }
}
