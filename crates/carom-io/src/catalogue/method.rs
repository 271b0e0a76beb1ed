//! The page of a method.

use carom::method::{Abilities, AnyMethod, Claims};
use serde::Serialize;
use serde_json::Value;

use super::Paper;
use crate::document::{Diagnostic, Source};
use crate::scene::{BUILT_IN, Scene, option_schemas};

/// One of the words that an option may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// As it is written in a scene.
    pub value: String,
    /// What it stands for.
    pub meaning: String,
}

/// A key under `[method]`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodOption {
    /// The key.
    pub key: String,
    /// Its value where it is not given; `null` where the method decides, as `meaning` says.
    pub default: Value,
    /// Words that it may be; none if it is a number or a truth.
    pub choices: Vec<Choice>,
    /// What it does.
    pub meaning: String,
}

/// All about a method.
#[derive(Debug, Serialize)]
pub struct MethodPage {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it claims with its default options.
    pub claims: Claims,
    /// Of which systems, where that is not all of them.
    pub preserves_of: &'static str,
    /// Where a claim does not hold.
    pub exceptions: &'static [&'static str],
    /// What it can take.
    pub takes: Abilities,
    /// The keys under `[method]`.
    pub options: Vec<MethodOption>,
    /// Where it comes from.
    pub papers: Vec<Paper>,
    /// Built-in scenes whose method it is.
    pub scenes: Vec<&'static str>,
    /// Commands to try.
    pub commands: Vec<String>,
}

impl MethodPage {
    /// The page of a method with its default options. Only a built-in scene that cannot be read is an error.
    pub fn of(method: &AnyMethod) -> Result<Self, Vec<Diagnostic>> {
        let name = method.name();
        let (mut scenes, mut taken) = (Vec::new(), None);
        for built_in in BUILT_IN {
            let scene = Scene::read(built_in.name, &Source::new(built_in.name, built_in.text), &[])?;
            if scene.method.name() == name {
                scenes.push(built_in.name);
            } else if taken.is_none() && method.stepper(&*scene.problem.system, &scene.problem.initial).is_ok() {
                taken = Some(built_in.name);
            }
        }
        let options = options(method);
        Ok(Self {
            name,
            title: method.title(),
            claims: method.claims(),
            preserves_of: method.preserves_of(),
            exceptions: method.exceptions(),
            takes: method.abilities(),
            papers: method.cites().iter().map(|key| Paper::of(key)).collect(),
            commands: commands(name, &scenes, taken, &options),
            options,
            scenes,
        })
    }
}

/// The options in the order of the method's own declaration.
fn options(method: &AnyMethod) -> Vec<MethodOption> {
    let option = |(key, schema): (String, Value)| {
        let mut choices = Vec::new();
        collect_choices(&schema, &mut choices);
        let default = schema.get("default").cloned().unwrap_or_default();
        MethodOption { key, default, choices, meaning: description(&schema) }
    };
    option_schemas(method).into_iter().map(option).collect()
}

/// The words that a schema allows, and the tables, written as in a scene with their defaults.
fn collect_choices(schema: &Value, choices: &mut Vec<Choice>) {
    if let Some(word) = schema["const"].as_str() {
        choices.push(Choice { value: format!("{word:?}"), meaning: description(schema) });
    }
    if schema["type"] == "object" {
        for (word, inner) in schema["properties"].as_object().into_iter().flatten() {
            choices.push(Choice { value: table(word, inner), meaning: description(inner) });
        }
    }
    for key in ["oneOf", "anyOf"] {
        schema[key].as_array().into_iter().flatten().for_each(|inner| collect_choices(inner, choices));
    }
}

/// `{ pgs = { sweeps = 100 } }`.
fn table(word: &str, schema: &Value) -> String {
    let entry = |(key, inner): (&String, &Value)| match &inner["default"] {
        Value::Null => format!("{key} = …"),
        default => format!("{key} = {default}"),
    };
    let entries: Vec<String> = schema["properties"].as_object().into_iter().flatten().map(entry).collect();
    format!("{{ {word} = {{ {} }} }}", entries.join(", "))
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// Commands for a scene of the method's own, or another that it takes.
fn commands(name: &str, own: &[&str], taken: Option<&str>, options: &[MethodOption]) -> Vec<String> {
    let mut commands = Vec::new();
    if let Some(scene) = own.first() {
        commands.push(format!("carom run {scene}"));
        let other = |option: &MethodOption| {
            let default = option.default.to_string();
            let choice = option.choices.iter().find(|choice| choice.value != default)?;
            let word = choice.value.trim_matches('"');
            (!word.contains('{')).then(|| format!("--set method.{}={word} --out runs/{scene}-{word}", option.key))
        };
        commands.extend(options.iter().find_map(other).map(|change| format!("carom run {scene} {change}")));
    }
    if let Some(scene) = taken {
        commands.push(format!("carom run {scene} --method {name} --out runs/{scene}-{name}"));
    }
    commands.push(format!("carom cite {name}"));
    commands
}
