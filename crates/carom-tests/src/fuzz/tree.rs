//! Changes of the tree of values that a text stands for, in TOML or in JSON.

use serde_json::{Map, Value, json};

use super::Dice;

/// The text with one value changed, if it is a text of values.
pub fn change(text: &str, dice: &mut Dice) -> Option<String> {
    if let Ok(mut tree) = serde_json::from_str::<Value>(text)
        && (tree.is_object() || tree.is_array())
    {
        at_random_place(&mut tree, dice);
        let text = if dice.once_in(2) { tree.to_string() } else { serde_json::to_string_pretty(&tree).ok()? };
        return Some(text);
    }
    let mut tree: toml::Table = toml::from_str(text).ok()?;
    let mut values = to_json(toml::Value::Table(std::mem::take(&mut tree)));
    at_random_place(&mut values, dice);
    toml::to_string(&without_null(values)?).ok()
}

fn to_json(value: toml::Value) -> Value {
    match value {
        toml::Value::Array(items) => Value::Array(items.into_iter().map(to_json).collect()),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, to_json(value))).collect())
        }
        toml::Value::String(text) => Value::String(text),
        toml::Value::Boolean(value) => Value::Bool(value),
        toml::Value::Integer(value) => json!(value),
        toml::Value::Float(value) => json!(value),
        toml::Value::Datetime(value) => Value::String(value.to_string()),
    }
}

/// TOML has nothing that stands for nothing.
fn without_null(value: Value) -> Option<Value> {
    Some(match value {
        Value::Null => return None,
        Value::Array(items) => Value::Array(items.into_iter().filter_map(without_null).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().filter_map(|(key, value)| Some((key, without_null(value)?))).collect())
        }
        // An integer beyond TOML's.
        Value::Number(number) if number.as_i64().is_none() && number.as_f64().is_none_or(|x| !x.is_finite()) => {
            return None;
        }
        other => other,
    })
}

/// Changes a value somewhere in the tree.
fn at_random_place(tree: &mut Value, dice: &mut Dice) {
    let donor = tree.clone();
    let count = size(tree);
    let at = dice.below(count);
    let from = dice.below(count);
    let other = nth(&donor, &mut { from }).cloned().unwrap_or(Value::Null);
    if let Some(place) = nth_mut(tree, &mut { at }) {
        change_here(place, other, dice);
    }
}

fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

fn nth<'a>(value: &'a Value, left: &mut usize) -> Option<&'a Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter().find_map(|item| nth(item, left)),
        Value::Object(map) => map.values().find_map(|item| nth(item, left)),
        _ => None,
    }
}

fn nth_mut<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| nth_mut(item, left)),
        Value::Object(map) => map.values_mut().find_map(|item| nth_mut(item, left)),
        _ => None,
    }
}

/// Changes a value; `other` is one from elsewhere.
fn change_here(value: &mut Value, other: Value, dice: &mut Dice) {
    match dice.below(10) {
        0 => *value = other,
        1 => *value = Value::Array(vec![value.clone(); dice.below(4)]),
        2 => {
            let most = if dice.once_in(4) { 300 } else { 3 };
            for _ in 0..1 + dice.below(most) {
                *value = Value::Array(vec![std::mem::take(value)]);
            }
        }
        3 => *value = Value::Object(Map::from_iter([("x".to_string(), std::mem::take(value))])),
        4 => *value = scalar(dice),
        _ => match value {
            Value::Array(items) => change_items(items, other, dice),
            Value::Object(map) => change_keys(map, other, dice),
            _ => *value = scalar(dice),
        },
    }
}

fn change_items(items: &mut Vec<Value>, other: Value, dice: &mut Dice) {
    match dice.below(5) {
        0 => drop(items.pop()),
        1 => items.push(other),
        2 => items.reverse(),
        3 => items.clear(),
        _ if !items.is_empty() => {
            let item = items[dice.below(items.len())].clone();
            items.extend(vec![item; 1 + dice.below(3)]);
        }
        _ => items.push(scalar(dice)),
    }
}

fn change_keys(map: &mut Map<String, Value>, other: Value, dice: &mut Dice) {
    let keys: Vec<String> = map.keys().cloned().collect();
    let Some(key) = keys.get(dice.below(keys.len().max(1))) else {
        map.insert("x".into(), other);
        return;
    };
    match dice.below(5) {
        0 => drop(map.remove(key)),
        1 => drop(map.insert(key.clone(), other)),
        2 => drop(map.insert(format!("{key}\u{1b}"), other)),
        3 => {
            let value = map.remove(key).unwrap_or_default();
            map.insert(keys[dice.below(keys.len())].clone(), value);
        }
        _ => drop(map.insert(key.clone(), scalar(dice))),
    }
}

/// A value of its own.
fn scalar(dice: &mut Dice) -> Value {
    const FLOATS: [f64; 12] = [0.0, -0.0, 1e308, -1e308, 5e-324, 1e-300, 0.5, -1.0, 1e15, 1e-12, 3.7, 1e100];
    const COUNTS: [i64; 10] = [0, 1, -1, 2, 7, 64, 1000, 100_000, i64::MAX, i64::MIN];
    const TEXTS: [&str; 12] =
        ["", "x", "0", "1/0", "sqrt(-1)", "1e308*10", "-", "\u{1b}[2J", "\u{202e}abc", "a\nb", "0/0", "exp(1000)"];
    match dice.below(5) {
        0 => json!(FLOATS[dice.below(FLOATS.len())]),
        1 => json!(COUNTS[dice.below(COUNTS.len())]),
        2 => json!(TEXTS[dice.below(TEXTS.len())]),
        3 => json!(dice.once_in(2)),
        _ => Value::Null,
    }
}
