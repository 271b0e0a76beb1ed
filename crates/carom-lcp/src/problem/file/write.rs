//! A problem as the text of a file.

use serde_json::{Map, Value, json};

use crate::matrix::{Dense, Sparse};
use crate::problem::{Law, Problem, Saddle};

/// One key to a line, and of dense matrices and blocks one row.
pub(super) fn json(problem: &Problem, name: Option<&str>, description: Option<&str>) -> String {
    let mut keys = Map::new();
    for (key, text) in [("name", name), ("description", description)] {
        keys.extend(text.map(|text| (key.to_string(), json!(text))));
    }
    keys.insert("kind".into(), json!(problem.kind()));
    match problem {
        Problem::Lcp(lcp) => {
            keys.insert("M".into(), rows(&lcp.m));
            keys.insert("q".into(), json!(lcp.q));
        }
        Problem::Mlcp(mlcp) => {
            keys.insert("M".into(), square(&mlcp.h));
            keys.insert("q".into(), json!(mlcp.q));
            bounds(&mut keys, &mlcp.lower, &mlcp.upper);
        }
        Problem::SaddleMlcp(mlcp) => {
            saddle(&mut keys, &mlcp.saddle);
            bounds(&mut keys, &mlcp.lower, &mlcp.upper);
        }
        Problem::Friction(friction) => {
            contacts(&mut keys, friction.dimension, friction.equalities, &friction.mu, friction.law);
            keys.insert("q".into(), json!(friction.q));
            keys.insert("W".into(), square(&friction.w));
        }
        Problem::GlobalFriction(friction) => {
            contacts(&mut keys, friction.dimension, friction.equalities, &friction.mu, friction.law);
            saddle(&mut keys, &friction.saddle);
        }
    }
    let lines: Vec<String> =
        keys.iter().map(|(key, value)| format!("  {}: {}", json!(key), shown(value))).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// A list of lists has a line for each.
fn shown(value: &Value) -> String {
    match value.as_array() {
        Some(rows) if rows.iter().any(Value::is_array) => {
            let rows: Vec<String> = rows.iter().map(|row| format!("    {row}")).collect();
            format!("[\n{}\n  ]", rows.join(",\n"))
        }
        _ => value.to_string(),
    }
}

fn rows(matrix: &Dense) -> Value {
    (0..matrix.rows()).map(|row| json!(matrix.row(row))).collect()
}

fn entries(matrix: &Sparse) -> Map<String, Value> {
    let (mut row, mut col) = (Vec::new(), Vec::new());
    for i in 0..matrix.rows() {
        let (columns, _) = matrix.row_parts(i);
        row.extend(std::iter::repeat_n(i, columns.len()));
        col.extend_from_slice(columns);
    }
    let keys = [("row", json!(row)), ("col", json!(col)), ("value", json!(matrix.values()))];
    keys.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn square(matrix: &Sparse) -> Value {
    let mut object = Map::from_iter([("size".to_string(), json!(matrix.rows()))]);
    object.extend(entries(matrix));
    Value::Object(object)
}

fn bounds(keys: &mut Map<String, Value>, lower: &[f64], upper: &[f64]) {
    // An infinite number is written as null, which is what a file has where there is no bound.
    keys.insert("lower".into(), json!(lower));
    keys.insert("upper".into(), json!(upper));
}

fn contacts(keys: &mut Map<String, Value>, dimension: usize, equalities: usize, mu: &[f64], law: Law) {
    keys.insert("dimension".into(), json!(dimension));
    keys.insert("contacts".into(), json!(mu.len()));
    keys.insert("equalities".into(), json!(equalities));
    keys.insert("law".into(), json!(law.name()));
    keys.insert("mu".into(), json!(mu));
}

fn saddle(keys: &mut Map<String, Value>, saddle: &Saddle) {
    let block = |b: usize| {
        let n = saddle.mass.range(b).len();
        Value::Array(saddle.mass.block(b).chunks(n.max(1)).map(|row| json!(row)).collect())
    };
    keys.insert("mass".into(), (0..saddle.mass.count()).map(block).collect());
    let (rows, columns) = (saddle.jacobian.rows(), saddle.jacobian.columns());
    let mut object = Map::from_iter([("rows".to_string(), json!(rows)), ("columns".to_string(), json!(columns))]);
    object.extend(entries(&saddle.jacobian));
    keys.insert("G".into(), Value::Object(object));
    for (key, values) in [("T", &saddle.t), ("p", &saddle.p), ("q", &saddle.q)] {
        keys.insert(key.into(), json!(values));
    }
}
