//! Whether all numbers of a document are numbers.

use serde::Serialize;

/// The path of the first number that is not finite. JSON would write it as `null`, as it does what has no meaning; TOML tells them apart.
pub fn check_finite(document: &impl Serialize) -> Result<(), String> {
    let tree = toml::Value::try_from(document)
        .map_err(|error| format!("the document cannot be looked through: {error}"))?;
    match not_finite(&tree) {
        None => Ok(()),
        Some(path) => Err(format!("not finite: {}", path.trim_start_matches('.'))),
    }
}

fn not_finite(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::Float(number) if !number.is_finite() => Some(format!(" = {number}")),
        toml::Value::Array(items) => {
            items.iter().enumerate().find_map(|(k, item)| Some(format!("[{k}]{}", not_finite(item)?)))
        }
        toml::Value::Table(table) => {
            table.iter().find_map(|(key, item)| Some(format!(".{key}{}", not_finite(item)?)))
        }
        _ => None,
    }
}
