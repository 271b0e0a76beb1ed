//! `carom scenes`.

use carom_io::document::Source;
use carom_io::scene::{BUILT_IN, Scene};
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::fail::Fail;
use crate::input::SceneError;
use crate::print;

/// Options of `scenes`.
#[derive(ClapArgs)]
pub struct Args {
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

/// Lists the built-in scenes.
pub fn run(args: &Args) -> Result<(), Fail> {
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
            equalities: system.equalities(),
            inequalities: system.inequalities(),
            parameters: scene.parameters.iter().map(|(name, value)| (name.clone(), (*value).into())).collect(),
            title: scene.title,
            description: scene.description,
            cites: scene.cites,
        });
    }
    if args.json {
        return print::json(&listed);
    }
    let mut rows = vec![["scene", "method", "", "parameters"].map(String::from).to_vec()];
    for scene in &listed {
        let names: Vec<&str> = scene.parameters.keys().map(String::as_str).collect();
        let parameters = if names.len() > 6 { format!("{}, …", names[..6].join(", ")) } else { names.join(", ") };
        let title = scene.title.clone().unwrap_or_default();
        rows.push(vec![scene.name.into(), scene.method.into(), title, parameters]);
    }
    print::out(&print::columns(&rows))?;
    print::out("\ncarom run NAME simulates one; carom show NAME prints it, to copy and change.\n")
}
