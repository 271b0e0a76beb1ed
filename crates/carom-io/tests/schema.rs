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

/// The smallest scene of particles.
fn particles() -> Value {
    json!({
        "particle": [{ "mass": 1, "position": [0, "a"] }, { "mass": "m", "position": [1, 0] }],
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
        include_str!("bad_scenes/beads.toml"),
        include_str!("bad_scenes/plates.toml"),
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
        ("/lagrangian/nonholonomic", json!([{ "expression": "dot(x)", "slip": "s", "max_force": 2 }])),
        ("/lagrangian/nonholonomic", json!({ "expression": "dot(x)", "force": [-1, "f"] })),
        ("/lagrangian/equalities", json!([{ "expression": "x", "compliance": "1/k", "damping": 0 }, "y"])),
        ("/lagrangian/inequalities", json!([{ "expression": "x", "compliance": "1/k", "damping": 1 }])),
        ("/method", json!({ "name": "spook", "solver": { "pgs": { "sweeps": "2*n", "variant": "separate" } } })),
        ("/method", json!({ "name": "spook", "friction_law": { "polygon": { "corners": 6 } } })),
        ("/lagrangian/forces", json!(["-x", 0])),
        ("/lagrangian/forces", json!({ "x": "-dot(x)" })),
        ("/initial/q", json!({ "x": [0, "l", 2] })),
        ("/initial/t", json!("t0")),
        ("/run/on_failure", json!("halve")),
        ("/run/interval", json!("2*pi/100")),
        ("/watch", json!([{ "name": "top", "expression": "dot(x)", "direction": "falling" }])),
        ("/watch", json!([{ "name": "x", "expression": "x[i]", "repeat": repeat }])),
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
        ("/watch", json!({ "name": "top", "expression": "x" })),
        ("/watch", json!([{ "expression": "x" }])),
        ("/watch", json!([{ "name": "top" }])),
        ("/watch", json!([{ "name": "top", "expression": "x", "direction": "up" }])),
        ("/watch", json!([{ "name": "", "expression": "x" }])),
        ("/run/interval", json!(true)),
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
        ("/lagrangian/nonholonomic", json!([{ "expression": "dot(x)", "force": [-1, 1], "max_force": 2 }])),
        ("/lagrangian/nonholonomic", json!([{ "expression": "dot(x)", "force": 1 }])),
        ("/lagrangian/nonholonomic", json!([{ "expression": "dot(x)", "compliance": 1 }])),
        ("/lagrangian/equalities", json!([{ "expression": "x", "slip": 1 }])),
        ("/lagrangian/inequalities", json!([{ "expression": "x", "slip": 1 }])),
        ("/method", json!({ "name": "spook", "solver": { "pgs": { "variant": "seperate" } } })),
        ("/method", json!({ "name": "spook", "solver": { "newton": {} } })),
        ("/method", json!({ "name": "spook", "friction_law": { "polygon": { "corners": 2 } } })),
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
    assert!(!validator.is_valid(&with(small(), "/particle", particles()["particle"].clone())), "both");
    assert!(!validator.is_valid(&with(small(), "/rod", json!([{ "between": [0, 1] }]))), "a rod without particles");
    for path in
        required.into_iter().chain(["/lagrangian/coordinates", "/lagrangian/mass", "/initial/q", "/run/step"])
    {
        assert!(!validator.is_valid(&without(small(), path)), "without {path}");
    }
}

#[test]
fn every_form_of_particle_elements_is_valid() {
    let validator = validator();
    assert_eq!(problems(&validator, &particles()), [""; 0]);
    let (one, two) = (json!({ "index": "i", "count": 3 }), json!([{ "index": "i", "count": "n", "start": 1 }]));
    for (path, value) in [
        ("/initial", json!({ "t": "t0" })),
        ("/initial", json!({})),
        ("/spring", json!([{ "between": ["bead[i]", 1], "stiffness": "k", "repeat": one }])),
        ("/rod", json!([{ "between": ["sun", [0, "y"]], "length": 1, "repeat": two }])),
        ("/rod", json!([{ "between": [0, 1], "compliance": 1e-8, "damping": "d" }])),
        ("/field", json!([{ "gravity": [0, "-g"] }, { "potential": "m*g*y", "on": ["bead", 3] }])),
        ("/pair", json!([{ "lennard_jones": { "epsilon": 1, "sigma": "s" }, "on": "all", "exclude": [] }])),
        ("/pair", json!([{ "potential": "1/r", "exclude": "bonded", "cutoff": 2, "skin": 0.2, "switch_from": 1 }])),
        ("/pair", json!([{ "gravitation": "G" }])),
        ("/contact", json!([{}, { "exclude": [["a", "b[1]"], [0, 1]] }])),
        ("/wall", json!([{ "normal": [0, 1] }, { "normal": ["a", 1], "offset": "-d", "on": ["bead"] }])),
        ("/wall", json!([{ "normal": [0, 1], "friction": 0.5 }])),
        ("/ball", json!([{ "centre": [0, 0], "radius": 2, "side": "inside", "repeat": two }])),
    ] {
        assert_eq!(problems(&validator, &with(particles(), path, value.clone())), [""; 0], "{path} = {value}");
    }
}

/// The smallest scene of plates.
fn plates() -> Value {
    json!({
        "plate": [{ "mass": 1, "vertices": [[1, 0], ["a", 1]], "position": [0, "a"] }],
        "method": { "name": "gvi" },
        "run": { "step": 0.1, "steps": 10 }
    })
}

#[test]
fn plates_are_valid_with_fields_and_walls_alone() {
    let validator = validator();
    assert_eq!(problems(&validator, &plates()), [""; 0]);
    let plate = |key: &str, value: Value| {
        let mut plate = plates()["plate"][0].clone();
        plate[key] = value;
        json!([plate])
    };
    for (path, value) in [
        ("/initial", json!({ "t": "t0" })),
        ("/field", json!([{ "gravity": [0, "-g"] }, { "potential": "m*g*y", "on": ["tile", 3] }])),
        ("/wall", json!([{ "normal": [0, 1], "friction": "mu", "restitution": 1, "offset": 0, "on": "all" }])),
        ("/plate", plate("inertia", json!("29/192"))),
        ("/plate", plate("spin", json!(5))),
        ("/plate", plate("repeat", json!({ "index": "i", "count": 3 }))),
    ] {
        assert_eq!(problems(&validator, &with(plates(), path, value.clone())), [""; 0], "{path} = {value}");
    }
    for (path, value) in [
        ("/plate", json!([])),
        ("/plate", json!([{ "mass": 1, "position": [0, 0] }])),
        ("/plate", plate("vertices", json!([]))),
        ("/plate", plate("vertices", json!([[0, 0, 1]]))),
        ("/plate", plate("position", json!([0]))),
        ("/plate", plate("radius", json!(1))),
        ("/particle", particles()["particle"].clone()),
        ("/lagrangian", small()["lagrangian"].clone()),
        ("/initial", json!({ "q": [0, 0, 0] })),
        ("/contact", json!([{}])),
        ("/rod", json!([{ "between": [0, 1] }])),
        ("/ball", json!([{ "centre": [0, 0], "radius": 1, "side": "inside" }])),
        ("/wall", json!([{ "offset": 0 }])),
    ] {
        assert!(!validator.is_valid(&with(plates(), path, value.clone())), "{path} = {value}");
    }
}

#[test]
fn wrong_particle_elements_are_invalid() {
    let validator = validator();
    for (path, value) in [
        ("/particle", json!([])),
        ("/particle", json!({ "mass": 1, "position": [0] })),
        ("/particle", json!([{ "position": [0] }])),
        ("/particle", json!([{ "mass": 1 }])),
        ("/particle", json!([{ "mass": 1, "position": [] }])),
        ("/particle", json!([{ "mass": 1, "position": [0, 0, 0, 0] }])),
        ("/particle", json!([{ "mass": 1, "position": [0], "name": "the sun" }])),
        ("/particle", json!([{ "mass": 1, "position": [0], "weight": 1 }])),
        ("/initial", json!({ "q": [0] })),
        ("/spring", json!([{ "between": [0, 1] }])),
        ("/spring", json!([{ "between": [0], "stiffness": 1 }])),
        ("/rod", json!([{ "between": [0, 1, 2] }])),
        ("/rod", json!([{ "between": [0, true] }])),
        ("/field", json!([{}])),
        ("/field", json!([{ "gravity": [0, 1], "potential": "x" }])),
        ("/field", json!([{ "gravity": [0, 1], "on": "bead" }])),
        ("/pair", json!([{ "lennard_jones": { "epsilon": 1 } }])),
        ("/pair", json!([{ "potential": "r", "gravitation": 1 }])),
        ("/pair", json!([{ "potential": "r", "skin": 1 }])),
        ("/pair", json!([{ "potential": "r", "exclude": "bound" }])),
        ("/contact", json!([{ "exclude": [[0]] }])),
        ("/wall", json!([{ "offset": 0 }])),
        ("/ball", json!([{ "centre": [0, 0], "radius": 1 }])),
        ("/ball", json!([{ "centre": [0, 0], "radius": 1, "side": "in" }])),
    ] {
        assert!(!validator.is_valid(&with(particles(), path, value.clone())), "{path} = {value}");
    }
}
