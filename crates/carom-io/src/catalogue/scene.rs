//! The page of a built-in scene.

use carom::method::AnyMethod;
use serde::Serialize;

use super::Paper;
use crate::document::{Diagnostic, Edit, Kind, Origin, Source, Value, parse};
use crate::scene::{BuiltIn, Scene};

/// A parameter as it stands in the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    /// Its key, as `--set` takes it.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// The number or the expression that is written there.
    pub written: String,
    /// The comment behind it.
    pub meaning: Option<String>,
}

/// All about a built-in scene.
#[derive(Debug, Serialize)]
pub struct ScenePage {
    /// Its name.
    pub name: &'static str,
    /// The folder that it is in.
    pub family: &'static str,
    /// One line.
    pub title: Option<String>,
    /// What it shows.
    pub description: Option<String>,
    /// Number of coordinates.
    pub coordinates: usize,
    /// Number of equality constraints.
    pub equalities: usize,
    /// Number of inequality constraints.
    pub inequalities: usize,
    /// What can be varied.
    pub parameters: Vec<Parameter>,
    /// Its method.
    pub method: &'static str,
    /// The options of that method.
    pub options: AnyMethod,
    /// Other methods that take it with their default options.
    pub other_methods: Vec<&'static str>,
    /// Length of a step.
    pub step: f64,
    /// Number of steps.
    pub steps: u64,
    /// Time at the end.
    pub until: f64,
    /// Where it comes from.
    pub papers: Vec<Paper>,
    /// Commands to try.
    pub commands: Vec<String>,
}

impl ScenePage {
    /// The page of a scene; a scene that cannot be read has none.
    pub fn of(built_in: &BuiltIn) -> Result<Self, Vec<Diagnostic>> {
        let source = Source::new(built_in.name, built_in.text);
        let scene = Scene::read(built_in.name, &source, &[])?;
        let parameters = parameters(&source, &scene)?;
        let other_methods = other_methods(&scene);
        let commands = commands(built_in, &scene, &parameters, &other_methods);
        let (system, run) = (&scene.problem.system, &scene.run);
        Ok(Self {
            name: built_in.name,
            family: built_in.family,
            coordinates: system.dim(),
            equalities: system.equalities().count(),
            inequalities: system.contacts().count(),
            parameters,
            method: scene.method.name(),
            other_methods,
            step: run.h,
            steps: run.steps,
            until: scene.problem.initial.t + run.steps as f64 * run.h,
            papers: scene.cites.iter().map(|key| Paper::of(key)).collect(),
            commands,
            title: scene.title,
            description: scene.description,
            options: scene.method,
        })
    }
}

/// The parameters in the order of the file.
fn parameters(source: &Source, scene: &Scene) -> Result<Vec<Parameter>, Vec<Diagnostic>> {
    let table = parse(source)?;
    let Some(Value { kind: Kind::Table(section), .. }) = table.get("parameters") else { return Ok(Vec::new()) };
    let parameter = |(name, value): &(String, f64)| {
        let given = section.get(name);
        Parameter {
            key: format!("parameters.{name}"),
            value: *value,
            written: given.map_or_else(String::new, |given| written(source, given)),
            meaning: given.and_then(|given| comment_behind(source, given.origin)),
        }
    };
    Ok(scene.parameters.iter().map(parameter).collect())
}

/// A number as it stands in the file, or the text of an expression.
fn written(source: &Source, value: &Value) -> String {
    match (&value.kind, value.origin) {
        (Kind::String(text), _) => text.clone(),
        (_, Origin::File { start, end }) => source.text().get(start..end).unwrap_or_default().to_string(),
        _ => String::new(),
    }
}

/// The comment between a value and the end of its line.
fn comment_behind(source: &Source, origin: Origin) -> Option<String> {
    let Origin::File { end, .. } = origin else { return None };
    let rest = source.text().get(end..)?.lines().next()?;
    let comment = rest.trim_start().strip_prefix('#')?.trim();
    (!comment.is_empty()).then(|| comment.to_string())
}

fn other_methods(scene: &Scene) -> Vec<&'static str> {
    let (problem, own) = (&scene.problem, scene.method.name());
    let takes = |method: &AnyMethod| method.stepper(&*problem.system, &problem.initial).is_ok();
    AnyMethod::all().iter().filter(|method| method.name() != own && takes(method)).map(AnyMethod::name).collect()
}

/// Commands that show what the scene is about. A changed run has a folder of its own, and every changed scene can be read.
fn commands(built_in: &BuiltIn, scene: &Scene, parameters: &[Parameter], others: &[&str]) -> Vec<String> {
    let name = built_in.name;
    let mut commands = vec![format!("carom run {name}")];
    if let Some((key, value, twice)) = parameters.iter().find_map(|parameter| doubled(built_in, parameter)) {
        let short = key.trim_start_matches("parameters.");
        commands.push(format!("carom run {name} --set {key}={twice} --out runs/{name}-{short}"));
        commands.push(format!("carom sweep {name} --vary {key}={value},{twice}"));
    }
    if let Some(other) = others.iter().find(|other| reads(built_in, &format!("method={{ name = {other:?} }}"))) {
        commands.push(format!("carom run {name} --method {other} --out runs/{name}-{other}"));
    }
    if scene.problem.system.contacts().count() == 0 {
        commands.push(format!("carom order {name}"));
    }
    commands.push(format!("carom show {name} > my.toml"));
    commands.push(format!("carom cite {name}"));
    commands
}

/// A key with a value and its double, if the scene can be read with it.
fn doubled(built_in: &BuiltIn, parameter: &Parameter) -> Option<(String, String, String)> {
    let Parameter { key, written, .. } = parameter;
    let twice = match (written.parse::<i64>(), written.parse::<f64>()) {
        (Ok(whole), _) => whole.checked_mul(2)?.to_string(),
        (_, Ok(number)) => format!("{:?}", 2.0 * number),
        _ => return None,
    };
    let fine = parameter.value != 0.0 && reads(built_in, &format!("{key}={twice}"));
    fine.then(|| (key.clone(), written.clone(), twice))
}

fn reads(built_in: &BuiltIn, argument: &str) -> bool {
    let source = Source::new(built_in.name, built_in.text);
    Scene::read(built_in.name, &source, &[Edit::set(argument)]).is_ok()
}
