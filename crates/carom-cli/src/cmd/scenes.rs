//! `carom scenes [NAME]`.

mod page;

use carom_io::catalogue::ScenePage;
use carom_io::document::Source;
use carom_io::scene::{BUILT_IN, BuiltIn, Scene};
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::fail::Fail;
use crate::input::{SceneError, unknown};
use crate::{hint, print};

/// Options of `scenes`.
#[derive(ClapArgs)]
pub struct Args {
    /// Show this scene alone: what to vary, method and step, commands to try
    name: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    family: &'static str,
    title: Option<String>,
    description: Option<String>,
    method: &'static str,
    coordinates: usize,
    equalities: usize,
    inequalities: usize,
    parameters: serde_json::Map<String, serde_json::Value>,
    cites: Vec<String>,
}

/// Lists the built-in scenes, or shows one.
pub fn run(args: &Args) -> Result<(), Fail> {
    match &args.name {
        None => list(args.json),
        Some(name) => show(name, args.json),
    }
}

fn show(name: &str, json: bool) -> Result<(), Fail> {
    let Some(built_in) = BuiltIn::named(name) else {
        let message = "there is no built-in scene of this name".to_string();
        return Err(unknown(json, name, message, hint::built_in(name)));
    };
    let source = Source::new(built_in.name, built_in.text);
    let page = ScenePage::of(built_in).map_err(|found| SceneError::Wrong(found, source))?;
    if json { print::json(&page) } else { print::out(&page::text(&page)) }
}

fn list(json: bool) -> Result<(), Fail> {
    let mut listed = Vec::new();
    for built_in in BUILT_IN {
        let source = Source::new(built_in.name, built_in.text);
        let scene = Scene::read(built_in.name, &source, &[]).map_err(|found| SceneError::Wrong(found, source))?;
        let system = &scene.problem.system;
        listed.push(Listed {
            name: built_in.name,
            family: built_in.family,
            method: scene.method.name(),
            coordinates: system.dim(),
            equalities: system.equalities().count(),
            inequalities: system.contacts().count(),
            parameters: scene.parameters.iter().map(|(name, value)| (name.clone(), (*value).into())).collect(),
            title: scene.title,
            description: scene.description,
            cites: scene.cites,
        });
    }
    if json {
        return print::json(&listed);
    }
    let row =
        |scene: &Listed| vec![scene.name.into(), scene.method.into(), scene.title.clone().unwrap_or_default()];
    let head = ["scene", "method", ""].map(String::from).to_vec();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(listed.iter().map(row)).collect();
    let end = "carom scenes NAME says what to vary in one and which commands to try; carom run NAME simulates it; \
               carom show NAME prints it, to copy and change.";
    print::out(&format!("{}\n{}", print::list(&rows), print::wrapped(end, 0, 0)))
}
