//! The text of a scene, and changes of it from the command line.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom::run::Ended;
use carom::state::State;
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::scene::{BUILT_IN, Scene};
use carom_io::trial::Trial;
use serde_json::Value;

use super::{is_printable, law, same_bits};
use crate::fuzz::{Fate, check_finite};

/// Steps of a run.
const STEPS: u64 = 12;
/// Coordinates and constraints of systems that are run.
const LARGEST: usize = 80;
/// Coordinates of systems that are written out and read again: reading a million takes half a minute each time.
const WRITTEN: usize = 20_000;

/// The text of a scene.
pub fn scene(text: &str, stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    check(&Source::new("scene.toml", text), &[], stop)
}

/// The name of a built-in scene in the first line, a `--set` in every other.
pub fn set(text: &str, stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let (name, sets) = text.split_once('\n').unwrap_or((text, ""));
    // What is no name is one of the scenes too.
    let other = name.bytes().fold(0, |sum, byte| sum + usize::from(byte)) % BUILT_IN.len();
    let built_in = BUILT_IN.iter().find(|scene| scene.name == name).unwrap_or(&BUILT_IN[other]);
    let edits: Vec<Edit> = sets.split('\n').filter(|line| !line.is_empty()).take(8).map(Edit::set).collect();
    check(&Source::new(built_in.name, built_in.text), &edits, stop)
}

fn check(source: &Source, edits: &[Edit], stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let scene = match Scene::read("scene", source, edits) {
        Ok(scene) => scene,
        Err(found) => return refused(&found, source),
    };
    if scene.problem.system.dim() > WRITTEN {
        return Ok(Fate::Left);
    }
    let written = scene.to_toml();
    let source = Source::new("written.toml", written.as_str());
    let again = Scene::read("scene", &source, &[])
        .map_err(|found| format!("as it is written out it is refused: {}\n{written}", found[0].render(&source)))?;
    law(again.to_toml() == written, || format!("written out twice it is not the same:\n{written}"))?;
    let [first, second] = [&scene, &again].map(|scene| &scene.problem.initial);
    law(same_state(first, second), || {
        format!("as it is written out it starts from {second:?} instead of {first:?}")
    })?;
    let system = &*scene.problem.system;
    if system.dim() + system.equalities().count() > LARGEST || system.contacts().count() > 10 * LARGEST {
        return Ok(Fate::Left);
    }
    steps(&scene, stop)?;
    runs([scene, again], stop)
}

/// Problems say where and what.
fn refused(found: &[Diagnostic], source: &Source) -> Result<Fate, String> {
    law(!found.is_empty(), || "refused without a problem".to_string())?;
    for problem in found {
        let text = problem.render(source);
        law(!problem.message.trim().is_empty(), || format!("no message: {text:?}"))?;
        law(is_printable(&text), || format!("not to be shown on a terminal: {text:?}"))?;
        let placed = problem.position.is_some() || !problem.key.is_empty() || problem.help.is_some();
        law(placed || problem.source.starts_with("--"), || format!("neither a place nor help: {text}"))?;
        if let Some(at) = problem.position {
            let line = source.line(at.line);
            law(line.is_some_and(|line| at.column <= line.chars().count() + 1), || {
                format!("no such place: {text}")
            })?;
        }
    }
    Ok(Fate::Refused)
}

/// A step that fails leaves the state as it was, and the method goes on to work.
fn steps(scene: &Scene, stop: &Arc<AtomicBool>) -> Result<(), String> {
    let (system, initial) = (&*scene.problem.system, &scene.problem.initial);
    let Ok(mut stepper) = scene.method.stepper(system, initial) else { return Ok(()) };
    stepper.heed(stop);
    let (mut state, mut h) = (initial.clone(), scene.run.h);
    for _ in 0..STEPS {
        let before = state.clone();
        if let Err(error) = stepper.step(system, &mut state, h) {
            law(same_state(&before, &state), || format!("a step that failed changed the state: {error}"))?;
            law(!error.to_string().contains("NaN"), || format!("an error without its numbers: {error}"))?;
            h *= 0.25;
        }
        law(state.is_finite(), || format!("a step went on to a state that is not finite: {state:?}"))?;
    }
    Ok(())
}

/// Both scenes, of which the second is the first as it was written out, have the same run.
fn runs(mut scenes: [Scene; 2], stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let mut found = Vec::new();
    for scene in &mut scenes {
        scene.run.steps = scene.run.steps.min(STEPS);
        let trial = match Trial::run(scene, &mut [], stop) {
            Ok(trial) => trial,
            Err(refusal) => {
                let refusal = refusal.to_string();
                law(!refusal.is_empty() && is_printable(&refusal), || format!("a refusal: {refusal:?}"))?;
                found.push((None, refusal));
                continue;
            }
        };
        if matches!(trial.outcome.ended, Some(Ended::Interrupted { .. })) {
            return Ok(Fate::Left);
        }
        law(trial.outcome.state.is_finite(), || format!("it ends at {:?}", trial.outcome.state))?;
        let report = trial.report(scene);
        match &report.ended {
            None => check_finite(&report)
                .map_err(|path| format!("a complete run with a number that is none: {path}"))?,
            Some(ended) => law(!ended.contains("NaN"), || format!("an end without its numbers: {ended}"))?,
        }
        let zero = report.notes.iter().find(|note| note.starts_with("0 "));
        law(zero.is_none(), || format!("a note about nothing: {zero:?}"))?;
        let mut document = serde_json::to_value(&report).map_err(|error| error.to_string())?;
        for key in ["wall_seconds", "steps_per_second"] {
            document[key] = Value::Null;
        }
        found.push((Some(trial.outcome.state), document.to_string()));
    }
    let same = match [&found[0].0, &found[1].0] {
        [Some(a), Some(b)] => same_state(a, b),
        [a, b] => a.is_none() == b.is_none(),
    };
    law(same && found[0].1 == found[1].1, || {
        format!("two runs of the same scene differ:\n{}\n{}", found[0].1, found[1].1)
    })?;
    let report: Value = serde_json::from_str(&found[0].1).unwrap_or_default();
    Ok(match report["complete"].as_bool() {
        None => Fate::Refused,
        Some(false) => Fate::Failed,
        Some(true) => Fate::Done,
    })
}

fn same_state(a: &State, b: &State) -> bool {
    same_bits(&[a.t], &[b.t]) && same_bits(&a.q, &b.q) && same_bits(&a.p, &b.p)
}
