//! The JSON Schema of the scene format takes what carom takes, and refuses what it can see to be wrong.

use carom::method::AnyMethod;
use carom_io::document::Source;
use carom_io::scene::{BUILT_IN, Scene, schema};
use jsonschema::Validator;
use serde_json::{Value, json};

fn validator() -> Validator {
    let schema = schema();
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::validator_for(&schema).expect("the schema can be used")
}

fn as_json(text: &str) -> Value {
    let table: toml::Table = toml::from_str(text).expect("TOML");
    serde_json::to_value(table).expect("JSON")
}

fn problems(validator: &Validator, scene: &Value) -> Vec<String> {
    validator.iter_errors(scene).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The smallest scene.
fn small() -> Value {
    json!({
        "lagrangian": { "coordinates": ["x"], "mass": 1 },
        "initial": { "q": [0] },
        "method": { "name": "verlet" },
        "run": { "step": 0.1, "steps": 10 }
    })
}

/// The scene with the value at a path (`/run/step`) replaced, or put there.
fn with(mut scene: Value, path: &str, value: Value) -> Value {
    let (table, key) = path.rsplit_once('/').expect("a path");
    let table = scene.pointer_mut(table).and_then(Value::as_object_mut).expect("a table");
    table.insert(key.to_string(), value);
    scene
}

fn without(mut scene: Value, path: &str) -> Value {
    let (table, key) = path.rsplit_once('/').expect("a path");
    let table = scene.pointer_mut(table).and_then(Value::as_object_mut).expect("a table");
    table.remove(key).expect("the key is there");
    scene
}

#[test]
fn every_built_in_scene_is_valid_as_written_and_as_completed() {
    let validator = validator();
    for scene in BUILT_IN {
        assert_eq!(problems(&validator, &as_json(scene.text)), [""; 0], "{}", scene.name);
        let source = Source::new(scene.name, scene.text);
        let completed = Scene::read(scene.name, &source, &[]).expect("a good scene").to_toml();
        assert_eq!(problems(&validator, &as_json(&completed)), [""; 0], "{}, completed", scene.name);
    }
}

#[test]
fn every_form_of_the_format_is_valid() {
    let validator = validator();
    let scenes = [
        include_str!("bad_scenes/bead.toml"),
        include_str!("bad_scenes/chain.toml"),
        include_str!("bad_scenes/free.toml"),
    ];
    for text in scenes {
        assert_eq!(problems(&validator, &as_json(text)), [""; 0], "{text}");
    }
    let repeat = json!({ "index": "i", "count": "n", "start": 1 });
    for (path, value) in [
        ("/lagrangian/mass", json!("m")),
        ("/lagrangian/mass", json!([1, "m"])),
        ("/lagrangian/mass", json!([["a", 0], [0, 2.5]])),
        ("/lagrangian/potential", json!("x^2")),
        ("/lagrangian/potential", json!([{ "expression": "x[i]^2", "repeat": repeat }, 0])),
        ("/lagrangian/nonholonomic", json!("dot(x)")),
        ("/lagrangian/forces", json!(["-x", 0])),
        ("/lagrangian/forces", json!({ "x": "-dot(x)" })),
        ("/initial/q", json!({ "x": [0, "l", 2] })),
        ("/initial/t", json!("t0")),
        ("/run/on_failure", json!("halve")),
        ("/method", json!({ "name": "newmark", "beta": "m/4", "gamma": 0.5 })),
    ] {
        assert_eq!(problems(&validator, &with(small(), path, value.clone())), [""; 0], "{path} = {value}");
    }
}

#[test]
fn every_method_is_valid_with_its_defaults_written_out() {
    let validator = validator();
    for method in AnyMethod::all() {
        let mut table = serde_json::to_value(&method).expect("JSON");
        table["name"] = json!(method.name());
        assert_eq!(problems(&validator, &with(small(), "/method", table)), [""; 0], "{}", method.name());
    }
}

#[test]
fn wrong_scenes_are_invalid() {
    let validator = validator();
    assert_eq!(problems(&validator, &small()), [""; 0]);
    for (path, value) in [
        ("/titel", json!("misspelt")),
        ("/title", json!(3)),
        ("/cites", json!("one")),
        ("/parameters", json!({ "g": true })),
        ("/lagrangian/potentials", json!("x")),
        ("/lagrangian/kinetic", json!("dot(x)^2")),
        ("/lagrangian/coordinates", json!([])),
        ("/lagrangian/coordinates", json!(["2x"])),
        ("/lagrangian/coordinates", json!([{ "name": "x", "repeat": { "index": "i" } }])),
        ("/lagrangian/potential", json!([{ "name": "no expression" }])),
        ("/lagrangian/points", json!([["a", "b", "c", "d"]])),
        ("/initial/v", json!(1)),
        ("/initial/p", json!([1])),
        ("/run/until", json!(1)),
        ("/run/stpe", json!(0.1)),
        ("/run/on_failure", json!("retry")),
        ("/method", json!({ "name": "verlett" })),
        ("/method", json!({ "name": "verlet", "gamma": 0.5 })),
        ("/method", json!({ "name": "variational", "rule": "simpson" })),
        ("/method", json!({ "name": "newmark", "beta": true })),
        ("/method", json!({})),
    ] {
        assert!(!validator.is_valid(&with(small(), path, value.clone())), "{path} = {value}");
    }
    let required = ["/lagrangian", "/initial", "/method", "/run"];
    for path in
        required.into_iter().chain(["/lagrangian/coordinates", "/lagrangian/mass", "/initial/q", "/run/step"])
    {
        assert!(!validator.is_valid(&without(small(), path)), "without {path}");
    }
}
