//! Scenes and options from the command line.

use std::path::{Path, PathBuf};
use std::slice;

use carom::team::Team;
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::scene::{BuiltIn, Scene};
use clap::Args;
use serde_json::json;

use crate::fail::Fail;
use crate::hint;
use crate::numbers;
use crate::print;

/// A scene and the changes that the command line makes to it.
#[derive(Args)]
pub struct SceneArgs {
    /// A built-in scene (see `carom scenes`) or a .toml file
    pub scene: Option<String>,
    /// Use this method, with its default options
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Length of a step
    #[arg(long, value_name = "H", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Time at the end
    #[arg(long, value_name = "T", conflicts_with = "steps", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Number of steps
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = numbers::steps(0))]
    pub steps: Option<String>,
    /// Record every K-th step
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = numbers::steps(1))]
    pub every: Option<String>,
    /// Record the trajectory at these intervals of time instead, also between steps
    #[arg(long, value_name = "DT", conflicts_with = "every", allow_hyphen_values = true)]
    pub interval: Option<String>,
    /// Record these measures too, separated by commas, like ledger,constraint-forces
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub measures: Vec<String>,
    /// Change any value of the scene, like parameters.g=1.62 (repeatable)
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    pub set: Vec<String>,
}

impl SceneArgs {
    /// The changes, in the order in which they are made: the method first, so that `--set` can reach its options.
    pub fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        if let Some(name) = &self.method {
            let argument = format!("method={{ name = {name:?} }}");
            edits.push(Edit { shown: format!("--method {name}"), argument, displaces: None });
        }
        let run = |key: &str, value: &Option<String>| {
            value.as_ref().map(|value| Edit::option(&format!("--{key}"), &format!("run.{key}"), value))
        };
        edits.extend(run("step", &self.step));
        edits.extend(run("until", &self.until).map(|edit| Edit { displaces: Some(("run", "steps")), ..edit }));
        edits.extend(run("steps", &self.steps).map(|edit| Edit { displaces: Some(("run", "until")), ..edit }));
        edits.extend(run("every", &self.every).map(|edit| Edit { displaces: Some(("run", "interval")), ..edit }));
        edits
            .extend(run("interval", &self.interval).map(|edit| Edit { displaces: Some(("run", "every")), ..edit }));
        if !self.measures.is_empty() {
            let argument = format!("run.measures={:?}", self.measures);
            let shown = format!("--measures {}", self.measures.join(","));
            edits.push(Edit { shown, argument, displaces: None });
        }
        edits.extend(self.set.iter().map(|argument| Edit::set(argument)));
        edits
    }

    /// Reads the scene with all changes; what is wrong is also printed as one JSON document if `json` is asked for.
    pub fn read(&self, json: bool) -> Result<Scene, Fail> {
        self.read_with(json, &Team::alone())
    }

    /// The same, with threads for its system.
    pub fn read_with(&self, json: bool, team: &Team) -> Result<Scene, Fail> {
        let (name, source) = self.source(json)?;
        Scene::read_with(&name, &source, &self.edits(), team)
            .map_err(|found| SceneError::Wrong(found, source).tell(json))
    }

    /// The name and the text of the scene.
    pub fn source(&self, json: bool) -> Result<(String, Source), Fail> {
        source(self.scene.as_deref()).map_err(|error| error.tell(json))
    }
}

/// What is wrong with an option, as exit 2 and, where asked for, as JSON.
pub fn refuse(json: bool, option: &str, message: String) -> Fail {
    refuse_with(json, option, message, None)
}

/// The same with what helps.
pub fn refuse_with(json: bool, option: &str, message: String, help: Option<String>) -> Fail {
    if json {
        // Whether or not somebody reads it, the option cannot be used.
        let problem = Diagnostic {
            source: option.into(),
            position: None,
            key: option.into(),
            message: message.clone(),
            help: help.clone(),
        };
        let _ = print::json(&json!({ "valid": false, "problems": [problem] }));
    }
    Fail::Input(format!("error: {option}: {message}{}", helped(help)))
}

/// What helps, as a line below a message.
pub fn helped(help: Option<String>) -> String {
    help.map_or_else(String::new, |help| format!("\n  = help: {help}"))
}

/// A name that stands for nothing, as exit 2 and, where asked for, as JSON.
pub fn unknown(json: bool, name: &str, message: String, help: String) -> Fail {
    let (source, help) = (name.to_string(), Some(help));
    SceneError::Missing(Box::new(Diagnostic { source, position: None, key: String::new(), message, help }))
        .tell(json)
}

/// Why a scene cannot be used.
pub enum SceneError {
    /// It cannot be found or opened.
    Missing(Box<Diagnostic>),
    /// It is wrong.
    Wrong(Vec<Diagnostic>, Source),
}

impl SceneError {
    /// The failure of the command; also printed as one JSON document if `json` is asked for.
    pub fn tell(self, json: bool) -> Fail {
        if json {
            // Whether or not somebody reads it, the input is wrong.
            let _ = print::json(&json!({ "valid": false, "problems": self.problems() }));
        }
        self.into()
    }

    /// The problems, of which at least one is there.
    pub fn problems(&self) -> &[Diagnostic] {
        match self {
            SceneError::Missing(problem) => slice::from_ref(problem),
            SceneError::Wrong(found, _) => found,
        }
    }
}

impl From<SceneError> for Fail {
    fn from(error: SceneError) -> Self {
        match error {
            SceneError::Missing(problem) => Fail::Input(problem.render(&Source::new("", ""))),
            SceneError::Wrong(found, source) => {
                let mut text: Vec<String> = found.iter().map(|problem| problem.render(&source)).collect();
                let count = found.len();
                let plural = if count == 1 { "" } else { "s" };
                text.push(format!("{}: {count} problem{plural}", source.name()));
                Fail::Input(text.join("\n\n"))
            }
        }
    }
}

/// The text of a scene, by built-in name or path.
fn source(scene: Option<&str>) -> Result<(String, Source), SceneError> {
    let missing = |source: &str, message: String, help: Option<String>| {
        let (source, key) = (source.to_string(), String::new());
        SceneError::Missing(Box::new(Diagnostic { source, position: None, key, message, help }))
    };
    let Some(scene) = scene else {
        let help = "name a built-in one (see carom scenes) or a .toml file".to_string();
        return Err(missing("SCENE", "no scene is given".into(), Some(help)));
    };
    if let Some(built_in) = BuiltIn::named(scene) {
        let source = Source::new(format!("{scene} (built in)"), built_in.text);
        return Ok((scene.to_string(), source));
    }
    let path = Path::new(scene);
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let message =
                format!("there is no built-in scene of this name, and no file that can be read ({error})");
            return Err(missing(scene, message, Some(hint::scene(scene))));
        }
    };
    let stem = path.file_stem().map_or_else(|| scene.into(), |stem| stem.to_string_lossy().into_owned());
    // A folder of this name would be another one: `..` of a file `...toml`.
    let name = if stem.bytes().all(|byte| byte == b'.') { "scene".to_string() } else { stem };
    match Source::from_bytes(scene, bytes) {
        Ok(source) => Ok((name, source)),
        Err(found) => Err(SceneError::Wrong(found, Source::new(scene, ""))),
    }
}

/// The folder of a run: the given one or `runs/<scene>`.
pub fn out_folder(given: &Option<PathBuf>, scene: &Scene) -> PathBuf {
    given.clone().unwrap_or_else(|| Path::new("runs").join(&scene.name))
}
