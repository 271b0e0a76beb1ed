//! The JSON Schema of the scene format, for editors and other programs.

use carom::method::AnyMethod;
use serde_json::{Map, Value, json};

use super::measures::Measure;
use super::schema_particles;
use super::terms::UNITS;
use super::watches::DIRECTIONS;

/// The schema of a scene file.
pub fn schema() -> Value {
    let number =
        json!({ "description": "a number, or an expression of the parameters", "type": ["number", "string"] });
    let expression = json!({ "description": "a number or an expression", "type": ["number", "string"] });
    let index = json!({
        "type": "object",
        "properties": { "index": { "type": "string" }, "count": number, "start": number },
        "required": ["index", "count"],
        "additionalProperties": false
    });
    let repeat = json!({
        "description": "expands the element: once for every value of the index, or of several indices",
        "anyOf": [index, { "type": "array", "items": index }]
    });
    let element = json!({
        "anyOf": [
            expression,
            {
                "type": "object",
                "properties": { "name": { "type": "string" }, "expression": expression, "repeat": repeat },
                "required": ["expression"],
                "additionalProperties": false
            }
        ]
    });
    let elements = json!({ "anyOf": [element, { "type": "array", "items": element }] });
    let mut gap = element.clone();
    gap["anyOf"][1]["properties"]["restitution"] = number.clone();
    for key in ["friction", "compliance", "damping"] {
        gap["anyOf"][1]["properties"][key] = number.clone();
    }
    gap["anyOf"][1]["properties"]["slide"] = json!({
        "description": "lengths along which the surfaces slide: one, or two at right angles",
        "anyOf": [expression, { "type": "array", "items": expression, "minItems": 1, "maxItems": 2 }]
    });
    gap["anyOf"][1]["properties"]["unit"] = json!({
        "description": "whether the gap is a length as it is written, or to be made one; found where it is missing",
        "enum": UNITS.map(|(word, _)| word)
    });
    let mut equality = element.clone();
    equality["anyOf"][1]["properties"]["compliance"] = number.clone();
    equality["anyOf"][1]["properties"]["damping"] = number.clone();
    let equalities = json!({ "anyOf": [equality, { "type": "array", "items": equality }] });
    let mut velocity = element.clone();
    velocity["anyOf"][1]["properties"]["slip"] = number.clone();
    velocity["anyOf"][1]["properties"]["max_force"] = number.clone();
    velocity["anyOf"][1]["properties"]["force"] = json!({
        "description": "bounds of the force, lower and upper",
        "type": "array", "items": number, "minItems": 2, "maxItems": 2
    });
    velocity["anyOf"][1]["not"] = json!({ "required": ["max_force", "force"] });
    let velocities = json!({ "anyOf": [velocity, { "type": "array", "items": velocity }] });
    let gaps = json!({ "anyOf": [gap, { "type": "array", "items": gap }] });
    let by_coordinate = json!({
        "description": "by coordinate, or one per coordinate in their order",
        "anyOf": [
            { "type": "array", "items": element },
            {
                "type": "object",
                "additionalProperties": { "anyOf": [expression, { "type": "array", "items": expression }] }
            }
        ]
    });
    let mut forces = by_coordinate.clone();
    let terms = json!({ "description": "terms by name", "type": "object", "additionalProperties": expression });
    if let Some(kinds) = forces["anyOf"][1]["additionalProperties"]["anyOf"].as_array_mut() {
        kinds.push(terms);
    }
    let repeated = |key: &str, value: Value, repeat: &Value| {
        let properties: Map<String, Value> =
            [(key.to_string(), value.clone()), ("repeat".to_string(), repeat.clone())].into_iter().collect();
        json!({
            "anyOf": [
                value,
                { "type": "object", "properties": properties, "required": [key], "additionalProperties": false }
            ]
        })
    };
    let name = json!({ "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" });
    let position = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 3 });
    let matrix = json!({ "type": "array", "items": { "type": "array", "items": expression } });
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "carom scene",
        "type": "object",
        "properties": {
            "title": { "description": "one line", "type": "string" },
            "description": { "description": "what the scene shows", "type": "string" },
            "cites": { "description": "BibTeX keys", "type": "array", "items": { "type": "string" } },
            "parameters": {
                "description": "numbers that every expression of the scene may use",
                "type": "object",
                "additionalProperties": number
            },
            "lagrangian": {
                "description": "L = T(q, v) - V(q, t) in generalised coordinates, with constraints and forces",
                "type": "object",
                "properties": {
                    "coordinates": { "type": "array", "items": repeated("name", name.clone(), &index), "minItems": 1 },
                    "kinetic": elements,
                    "mass": { "anyOf": [elements, matrix] },
                    "potential": elements,
                    "equalities": equalities,
                    "inequalities": gaps,
                    "nonholonomic": velocities,
                    "forces": forces,
                    "points": { "type": "array", "items": repeated("position", position, &repeat) },
                    "define": { "type": "object", "additionalProperties": expression }
                },
                "required": ["coordinates"],
                "oneOf": [{ "required": ["kinetic"] }, { "required": ["mass"] }],
                "additionalProperties": false
            },
            "initial": {
                "type": "object",
                "properties": { "t": number, "q": by_coordinate, "v": by_coordinate },
                "additionalProperties": false
            },
            "symmetry": {
                "description": "vector fields whose momenta p . generator(q) are recorded",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "name": { "type": "string", "minLength": 1 }, "generator": by_coordinate },
                    "required": ["name", "generator"],
                    "additionalProperties": false
                }
            },
            "watch": {
                "description": "expressions whose zero crossings are located and recorded",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string", "minLength": 1 },
                        "expression": expression,
                        "direction": { "enum": DIRECTIONS.map(|(word, _)| word) },
                        "repeat": repeat
                    },
                    "required": ["name", "expression"],
                    "additionalProperties": false
                }
            },
            "method": { "oneOf": AnyMethod::all().iter().map(method_schema).collect::<Vec<_>>() },
            "run": {
                "type": "object",
                "properties": {
                    "step": number,
                    "until": number,
                    "steps": number,
                    "every": number,
                    "interval": number,
                    "on_failure": { "enum": ["stop", "halve"] },
                    "measures": { "type": "array", "items": { "enum": Measure::ALL.map(|(name, _)| name) } }
                },
                "required": ["step"],
                "oneOf": [{ "required": ["until"] }, { "required": ["steps"] }],
                "additionalProperties": false
            }
        },
        "required": ["method", "run"],
        "additionalProperties": false
    });
    let particles = schema_particles::sections(&number, &repeat, &name);
    let stray: Map<String, Value> = particles.keys().map(|key| (key.clone(), json!(false))).collect();
    let start = json!({ "properties": { "q": false, "v": false } });
    schema["oneOf"] = json!([
        {
            "description": "generalised coordinates",
            "required": ["lagrangian", "initial"],
            "properties": stray
        },
        {
            "description": "particles",
            "required": ["particle"],
            "properties": { "lagrangian": false, "plate": false, "initial": start }
        },
        {
            "description": "plates",
            "required": ["plate"],
            "properties": {
                "lagrangian": false, "particle": false, "initial": start,
                "spring": false, "rod": false, "pair": false, "contact": false, "ball": false
            }
        }
    ]);
    schema["oneOf"][0]["properties"]["initial"] = json!({ "required": ["q"] });
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.extend(particles);
    }
    schema
}

/// The schema of a method's table: its name and its options.
fn method_schema(method: &AnyMethod) -> Value {
    let mut properties = option_schemas(method);
    properties.values_mut().for_each(or_expression);
    properties.insert("name".into(), json!({ "const": method.name() }));
    json!({
        "title": method.title(),
        "type": "object",
        "properties": properties,
        "required": ["name"],
        "additionalProperties": false
    })
}

/// Like every number of a scene, an option may be an expression of the parameters.
fn or_expression(option: &mut Value) {
    if option["type"] == "number" || option["type"] == "integer" {
        option["type"] = json!([option["type"], "string"]);
    }
    for key in ["anyOf", "oneOf"] {
        option.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().for_each(or_expression);
    }
    let properties = option.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flatten().for_each(|(_, inner)| or_expression(inner));
}

/// The schemas of a method's options by name, references resolved in place.
pub fn option_schemas(method: &AnyMethod) -> Map<String, Value> {
    let mut schema = method.schema().to_value();
    let definitions = schema.get("$defs").cloned().unwrap_or_default();
    resolve(&mut schema, &definitions);
    match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    }
}

fn resolve(value: &mut Value, definitions: &Value) {
    let target = value.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
    if let Some(definition) = target.and_then(|name| definitions.get(name)) {
        let definition = definition.clone();
        if let Some(object) = value.as_object_mut() {
            object.remove("$ref");
            if let Value::Object(found) = definition {
                for (key, inner) in found {
                    object.entry(key).or_insert(inner);
                }
            }
        }
    }
    match value {
        Value::Object(object) => object.values_mut().for_each(|inner| resolve(inner, definitions)),
        Value::Array(items) => items.iter_mut().for_each(|inner| resolve(inner, definitions)),
        _ => {}
    }
}
