//! `carom cite RUN_OR_METHOD`.

use std::fmt::Display;
use std::path::Path;

use carom::method::AnyMethod;
use carom_io::document::Source;
use carom_io::folder::{FolderError, RunFolder, SCENE};
use carom_io::recording::examine;
use carom_io::references;
use carom_io::scene::{BuiltIn, Scene};
use clap::Args as ClapArgs;

use crate::fail::Fail;
use crate::input::{SceneError, unknown};
use crate::{hint, print};

/// Options of `cite`.
#[derive(ClapArgs)]
pub struct Args {
    /// A run folder, a method or a scene
    of: String,
}

/// Prints the entries behind a run, a method or a scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    let mut text = String::new();
    for key in keys(&args.of)? {
        let entry = references::entry(&key)
            .ok_or_else(|| Fail::Input(format!("error: `{key}` is cited, but references.bib has no such entry")))?;
        text.push_str(entry);
        text.push_str("\n\n");
    }
    print::verbatim(text.trim_end())?;
    print::verbatim("\n")
}

fn keys(of: &str) -> Result<Vec<String>, Fail> {
    if let Some(method) = AnyMethod::named(of) {
        return Ok(method.cites().iter().map(|key| key.to_string()).collect());
    }
    let source = match BuiltIn::named(of) {
        Some(scene) => Source::new(of, scene.text),
        None => {
            let path = Path::new(of);
            if path.is_dir() {
                Source::new(path.join(SCENE).display().to_string(), scene_of_run(path)?)
            } else {
                let bytes = std::fs::read(path).map_err(|error| missing(of, &error))?;
                Source::from_bytes(path.display().to_string(), bytes)
                    .map_err(|found| SceneError::Wrong(found, Source::new(of, "")))?
            }
        }
    };
    let scene = Scene::read(of, &source, &[]).map_err(|found| SceneError::Wrong(found, source))?;
    let mut keys: Vec<String> = scene.method.cites().iter().map(|key| key.to_string()).collect();
    for key in scene.cites {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// The scene of a run whose files belong together.
fn scene_of_run(path: &Path) -> Result<String, Fail> {
    let (_, text) = RunFolder::open(path).map_err(|error| match error {
        FolderError::NoRun { reason, .. } => missing(&path.display().to_string(), &reason),
        error => Fail::Input(format!("error: {error}")),
    })?;
    examine(path).map_err(|error| Fail::Input(format!("error: {}: {error}", path.display())))?;
    Ok(text)
}

fn missing(of: &str, error: &dyn Display) -> Fail {
    let methods = AnyMethod::all();
    let names: Vec<&str> = methods.iter().map(AnyMethod::name).collect();
    unknown(false, of, format!("no method, scene or run folder ({error})"), hint::cited(of, &names))
}
