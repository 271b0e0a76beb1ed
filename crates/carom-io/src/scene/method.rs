//! `[method]`: a method by name, with its options as their schema wants them.

use carom::method::AnyMethod;

use super::names::Names;
use super::schema::option_schemas;
use crate::document::{Item, Kind, TableReader, describe, help};

/// The largest whole number of an option whose schema has no bound.
const MOST_WHOLE: i64 = 1_000_000_000_000_000;

/// Reads `[method]`: the name and that method's options.
pub fn read(section: &TableReader, names: &Names) -> Option<AnyMethod> {
    let name_item = section.required("name")?;
    let name = name_item.string()?;
    let Some(default) = AnyMethod::named(name) else {
        let known: Vec<&str> = AnyMethod::all().iter().map(AnyMethod::name).collect();
        name_item.report(format!("there is no method `{name}`"), help("methods", name, &known));
        return None;
    };
    let schemas = option_schemas(&default);
    section.finish(&["name"].into_iter().chain(schemas.keys().map(String::as_str)).collect::<Vec<_>>());
    let given = section.items().filter_map(|(key, item)| Some((key, item, schemas.get(key)?)));
    // Every option is read before the first wrong one ends it.
    let options: Vec<Option<(String, toml::Value)>> = given
        .map(|(key, item, schema)| read_option(&item, schema, names).map(|value| (key.to_string(), value)))
        .collect();
    let options: toml::Table = options.into_iter().collect::<Option<_>>()?;
    let method = match default.with_options(options) {
        Ok(method) => method,
        Err(error) => {
            section.report(error.message(), None);
            return None;
        }
    };
    match method.check() {
        Ok(()) => Some(method),
        Err((key, message)) => {
            match section.item(key) {
                Some(item) => item.report(message, None),
                None => section.report(format!("{key}: {message}"), None),
            }
            None
        }
    }
}

/// Reads an option as its schema wants it: one of the allowed words or tables, a number or an expression of one, true or false.
fn read_option(item: &Item, schema: &serde_json::Value, names: &Names) -> Option<toml::Value> {
    let (mut words, mut tables) = (Vec::new(), Vec::new());
    collect_words(schema, &mut words);
    collect_tables(schema, &mut tables);
    if !tables.is_empty() && !matches!(item.kind(), Kind::String(_)) {
        return read_table(item, (&words, &tables), names);
    }
    let kind = &schema["type"];
    let is =
        |name: &str| kind == name || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == name));
    if !words.is_empty() {
        item.choice(&words).map(toml::Value::from)
    } else if is("number") {
        names.number(item).map(toml::Value::Float)
    } else if is("integer") {
        let bound = |key: &str, default: i64| schema[key].as_i64().unwrap_or(default);
        names.whole(item, bound("minimum", -MOST_WHOLE)..=bound("maximum", MOST_WHOLE)).map(toml::Value::Integer)
    } else if is("boolean") {
        item.boolean().map(toml::Value::Boolean)
    } else {
        item.string().map(toml::Value::from)
    }
}

/// Reads a table with one of the keys of an alternative, whose value is a table of options.
fn read_table(
    item: &Item,
    (words, tables): (&[&str], &[(&str, &serde_json::Value)]),
    names: &Names,
) -> Option<toml::Value> {
    let keys: Vec<&str> = tables.iter().map(|(key, _)| *key).collect();
    let allowed = || {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let tables: Vec<String> = keys.iter().map(|key| format!("{{ {key} = {{ … }} }}")).collect();
        format!("allowed: {}", words.into_iter().chain(tables).collect::<Vec<_>>().join(", "))
    };
    if !matches!(item.kind(), Kind::Table(_)) {
        let message = format!("found {}, expected a name or a table", describe(item.value()));
        item.report(message, Some(allowed()));
        return None;
    }
    let table = item.table()?;
    table.finish(&keys);
    let mut given = table.items();
    let (Some((key, inner)), None) = (given.next(), given.next()) else {
        item.report("the table must have exactly one key, the name of what is chosen", Some(allowed()));
        return None;
    };
    let (_, schema) = tables.iter().find(|(known, _)| *known == key)?;
    let options = inner.table()?;
    let known = schema["properties"].as_object()?;
    options.finish(&known.keys().map(String::as_str).collect::<Vec<_>>());
    let read = |(name, option): (&str, Item)| {
        read_option(&option, known.get(name)?, names).map(|value| (name.to_string(), value))
    };
    let read: Vec<Option<(String, toml::Value)>> = options.items().map(read).collect();
    let options: toml::Table = read.into_iter().collect::<Option<_>>()?;
    Some(toml::Table::from_iter([(key.to_string(), options.into())]).into())
}

/// The tables that a schema of alternatives allows: the one key of each, and what it holds.
fn collect_tables<'a>(schema: &'a serde_json::Value, tables: &mut Vec<(&'a str, &'a serde_json::Value)>) {
    if schema["type"] == "object" {
        let properties = schema["properties"].as_object().into_iter().flatten();
        tables.extend(properties.map(|(key, inner)| (key.as_str(), inner)));
    }
    for key in ["oneOf", "anyOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|inner| collect_tables(inner, tables));
    }
}

/// The words that a schema of alternatives allows.
fn collect_words<'a>(schema: &'a serde_json::Value, words: &mut Vec<&'a str>) {
    words.extend(schema["const"].as_str());
    words.extend(schema["enum"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str));
    for key in ["oneOf", "anyOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|inner| collect_words(inner, words));
    }
}
