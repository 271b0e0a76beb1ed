//! Which experiments are meant.

use std::path::Path;

use carom_io::document::{Diagnostic, Source, help};
use carom_io::experiment::{BuiltInExperiment, EXPERIMENTS, Experiment, PAPERS};
use serde_json::json;

use crate::fail::Fail;
use crate::hint;
use crate::input::SceneError;
use crate::print;

/// The experiments of an argument: a paper, `paper/experiment`, a file; all without it. Only a list may be empty.
pub fn experiments(what: Option<&str>, list: bool) -> Result<Vec<Experiment>, SceneError> {
    let missing = |message: String, help: Option<String>| {
        let (source, key) = (what.unwrap_or("PAPER").to_string(), String::new());
        SceneError::Missing(Box::new(Diagnostic { source, position: None, key, message, help }))
    };
    if let Some(path) = what.filter(|what| what.ends_with(".toml")) {
        return file(Path::new(path), path).map(|experiment| vec![experiment]);
    }
    let (paper, id) = match what {
        None => (None, None),
        Some(what) => match what.split_once('/') {
            None => (Some(what), None),
            Some((paper, id)) => (Some(paper), Some(id)),
        },
    };
    let papers: Vec<&str> = PAPERS.iter().map(|(name, _)| *name).collect();
    if let Some(paper) = paper.filter(|paper| !papers.contains(paper)) {
        let help = help("papers", paper, &papers);
        return Err(missing("there is no paper of this name, and it is no .toml file".into(), help));
    }
    let of_paper: Vec<&BuiltInExperiment> =
        EXPERIMENTS.iter().filter(|experiment| paper.is_none_or(|paper| experiment.paper == paper)).collect();
    if of_paper.is_empty() && !list {
        let message = match paper {
            Some(_) => "the paper is known, but this version has no experiments of it yet",
            None => "this version has no experiments yet",
        };
        return Err(missing(message.into(), Some("a .toml file of your own can be given".into())));
    }
    if let Some(id) = id
        && of_paper.iter().all(|experiment| experiment.id != id)
    {
        let known: Vec<&str> = of_paper.iter().map(|experiment| experiment.id).collect();
        return Err(missing("the paper has no experiment of this name".into(), help("experiments", id, &known)));
    }
    let meant = of_paper.into_iter().filter(|experiment| id.is_none_or(|id| experiment.id == id));
    meant
        .map(|experiment| {
            let name = format!("{}/{} (built in)", experiment.paper, experiment.id);
            read(Some(experiment.paper), experiment.id, Source::new(name, experiment.text))
        })
        .collect()
}

fn file(path: &Path, shown: &str) -> Result<Experiment, SceneError> {
    let bytes = std::fs::read(path).map_err(|error| {
        let (source, key, message) = (shown.to_string(), String::new(), error.to_string());
        let help = hint::experiment(path).filter(|_| !path.exists());
        SceneError::Missing(Box::new(Diagnostic { source, position: None, key, message, help }))
    })?;
    let source =
        Source::from_bytes(shown, bytes).map_err(|found| SceneError::Wrong(found, Source::new(shown, "")))?;
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let paper = folder.filter(|folder| PAPERS.iter().any(|(name, _)| name == folder));
    let id = path.file_stem().map_or_else(|| shown.into(), |stem| stem.to_string_lossy().into_owned());
    read(paper.as_deref(), &id, source)
}

fn read(paper: Option<&str>, id: &str, source: Source) -> Result<Experiment, SceneError> {
    Experiment::read(paper, id, source.clone()).map_err(|found| SceneError::Wrong(found, source))
}

/// What is wrong with the input, as exit 2 and, where asked for, as JSON.
pub fn report(error: SceneError, json: bool) -> Fail {
    if json {
        // Whether or not somebody reads it, the input is wrong.
        let _ = print::json(&json!({ "valid": false, "problems": error.problems() }));
    }
    error.into()
}

/// The same for the problems of a file.
pub fn wrong(problems: Vec<Diagnostic>, source: &Source, json: bool) -> Fail {
    report(SceneError::Wrong(problems, source.clone()), json)
}
