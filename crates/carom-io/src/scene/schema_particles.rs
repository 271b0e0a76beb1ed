//! The part of the JSON Schema that describes particles, plates and what acts on them.

use serde_json::{Map, Value, json};

/// The sections of scenes of particles and of plates by name; `number`, `repeat` and `name` are schemas of the whole format.
pub fn sections(number: &Value, repeat: &Value, name: &Value) -> Map<String, Value> {
    let vector =
        |what: &str| json!({ "description": what, "type": "array", "items": number, "minItems": 1, "maxItems": 3 });
    let particle = json!({
        "description": "a particle: its number from 0, or an expression like \"bead[i + 1]\"",
        "type": ["integer", "string"]
    });
    let pair = json!({ "type": "array", "items": particle, "minItems": 2, "maxItems": 2 });
    let end = json!({ "anyOf": [particle, vector("a fixed point")] });
    let between =
        json!({ "description": "the two ends", "type": "array", "items": end, "minItems": 2, "maxItems": 2 });
    let on = json!({
        "description": "families and single particles; default: all",
        "anyOf": [{ "const": "all" }, { "type": "array", "items": particle }]
    });
    let exclude = json!({
        "description": "pairs that are left out: those that a rod or spring joins, or a list",
        "anyOf": [{ "const": "bonded" }, { "type": "array", "items": pair }]
    });
    let element = |what: &str, properties: Value, required: &[&str], one_of: &[&str]| {
        let mut properties = properties;
        properties["repeat"] = repeat.clone();
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false
        });
        if !one_of.is_empty() {
            schema["oneOf"] = one_of.iter().map(|key| json!({ "required": [key] })).collect();
        }
        json!({ "description": what, "type": "array", "items": schema })
    };
    let lennard_jones = json!({
        "type": "object",
        "properties": { "epsilon": number, "sigma": number },
        "required": ["epsilon", "sigma"],
        "additionalProperties": false
    });
    let mut particles = element(
        "point masses; the length of their positions is the dimension of space",
        json!({
            "name": name, "mass": number, "radius": number,
            "position": vector("at the start"), "velocity": vector("at the start")
        }),
        &["mass", "position"],
        &[],
    );
    particles["minItems"] = json!(1);
    let corner = json!({ "type": "array", "items": number, "minItems": 2, "maxItems": 2 });
    let mut plates = element(
        "rigid bodies in the plane; the default of `inertia` is that of the uniform polygon",
        json!({
            "name": name, "mass": number, "inertia": number,
            "vertices": {
                "description": "corners, relative to the centre of mass at the angle 0",
                "type": "array", "items": corner, "minItems": 1
            },
            "position": corner, "angle": number, "velocity": corner, "spin": number
        }),
        &["mass", "vertices", "position"],
        &[],
    );
    plates["minItems"] = json!(1);
    let spring = element(
        "springs; the default of `rest` is the distance at the start",
        json!({ "between": between, "stiffness": number, "rest": number }),
        &["between", "stiffness"],
        &[],
    );
    let rod = element(
        "rods; the default of `length` is the distance at the start",
        json!({ "between": between, "length": number, "compliance": number, "damping": number }),
        &["between"],
        &[],
    );
    let field = element(
        "a uniform acceleration, or a potential in x, y, z, t, m and parameters",
        json!({ "gravity": vector("an acceleration"), "potential": number, "on": on }),
        &[],
        &["gravity", "potential"],
    );
    let mut pair = element(
        "potentials of pairs: Lennard-Jones, an expression in r and parameters, or Newton's gravity",
        json!({
            "lennard_jones": lennard_jones, "potential": number, "gravitation": number, "on": on,
            "exclude": exclude, "cutoff": number, "switch_from": number, "skin": number
        }),
        &[],
        &["lennard_jones", "potential", "gravitation"],
    );
    pair["items"]["dependentRequired"] = json!({ "switch_from": ["cutoff"], "skin": ["cutoff"] });
    let contact = element(
        "spheres do not overlap",
        json!({
            "on": on, "exclude": exclude, "restitution": number, "friction": number, "compliance": number,
            "damping": number
        }),
        &[],
        &[],
    );
    let wall = element(
        "spheres, or corners of plates, stay in the half-space normal . x >= offset",
        json!({
            "normal": vector("into the half-space"), "offset": number, "restitution": number,
            "friction": number, "compliance": number, "damping": number, "on": on
        }),
        &["normal"],
        &[],
    );
    let ball = element(
        "spheres stay inside or outside of a fixed ball",
        json!({
            "centre": vector("its centre"), "radius": number,
            "side": { "enum": ["inside", "outside"] }, "restitution": number, "friction": number,
            "compliance": number, "damping": number, "on": on
        }),
        &["centre", "radius", "side"],
        &[],
    );
    [
        ("particle", particles),
        ("plate", plates),
        ("spring", spring),
        ("rod", rod),
        ("field", field),
        ("pair", pair),
        ("contact", contact),
        ("wall", wall),
        ("ball", ball),
    ]
    .into_iter()
    .map(|(key, schema)| (key.to_string(), schema))
    .collect()
}
