//! Scenes and runs.

use std::sync::atomic::AtomicBool;

use carom::measures::Summary;
use carom::method::AnyMethod;
use carom::run::{Grid, OnFailure, Outcome, Run};
use carom::state::State;
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

/// A boxed method.
pub type Boxed = Box<dyn Stepper<dyn System>>;

/// A scene from its text; panics with the diagnostics if it is wrong.
pub fn scene(name: &str, text: &str, edits: &[&str]) -> Scene {
    let source = Source::new(name, text);
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    match Scene::read(name, &source, &edits) {
        Ok(scene) => scene,
        Err(found) => {
            let found: Vec<String> = found.iter().map(|problem| problem.render(&source)).collect();
            panic!("{}", found.join("\n"))
        }
    }
}

/// A built-in scene.
pub fn built_in(name: &str, edits: &[&str]) -> Scene {
    let text = BuiltIn::named(name).unwrap_or_else(|| panic!("no scene {name}")).text;
    scene(name, text, edits)
}

/// A method with options as TOML: `"newmark"`, `"variational rule = 'gamma'\ngamma = 0.0"`.
pub fn method(text: &str) -> AnyMethod {
    let (name, options) = text.split_once(' ').unwrap_or((text, ""));
    let edit = format!("method={{ name = '{name}' }}");
    let mut edits = vec![edit];
    edits.extend(options.split(',').map(str::trim).filter(|o| !o.is_empty()).map(|o| format!("method.{o}")));
    built_in("harmonic-oscillator", &edits.iter().map(String::as_str).collect::<Vec<_>>()).method
}

/// The step of a method for a scene's system.
pub fn stepper(scene: &Scene, method: &AnyMethod) -> Boxed {
    let problem = &scene.problem;
    method.stepper(&*problem.system, &problem.initial).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// Steps with a given step, without observers.
pub fn advance(scene: &Scene, stepper: &mut dyn Stepper<dyn System>, state: &mut State, h: f64, steps: u64) {
    let t0 = state.t;
    for k in 1..=steps {
        stepper.step(&*scene.problem.system, state, h).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        state.t = t0 + k as f64 * h;
    }
}

/// Runs a scene with its own step or another, and measures it.
pub fn measured(scene: &Scene, method: &AnyMethod, h: f64, steps: u64) -> (Outcome, Summary) {
    let mut stepper = stepper(scene, method);
    let problem = &scene.problem;
    let mut summary = Summary::new(problem);
    let grid = Grid { t0: problem.initial.t, h, steps };
    let run = Run { system: &*problem.system, stepper: &mut *stepper, grid, on_failure: OnFailure::Stop };
    let outcome = run.go(problem.initial.clone(), &mut [&mut summary], &AtomicBool::new(false));
    (outcome, summary)
}

/// The state at time `span` after the start, made of `steps` steps.
pub fn state_after(scene: &Scene, stepper: &mut dyn Stepper<dyn System>, span: f64, steps: u64) -> State {
    let mut state = scene.problem.initial.clone();
    advance(scene, stepper, &mut state, span / steps as f64, steps);
    state
}

/// Largest difference of two states in `(q, p)`.
pub fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().zip(&b.q).chain(a.p.iter().zip(&b.p));
    pairs.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()))
}

/// Errors for steps `span/N`, `N = first, 2 first, 4 first, …`, against the extrapolated limit of the finest ones, and the
/// slopes between neighbours. `order` is the one that the extrapolation assumes of the fine runs.
pub fn slopes(scene: &Scene, make: &dyn Fn() -> Boxed, span: f64, first: u64, order: u32) -> (Vec<f64>, Vec<f64>) {
    const LEVELS: u32 = 4;
    let run = |steps| state_after(scene, &mut *make(), span, steps);
    let (coarse, fine) = (run(first << (LEVELS + 3)), run(first << (LEVELS + 4)));
    let gain = f64::from(1_u32 << order) - 1.0;
    let extrapolate = |fine: &[f64], coarse: &[f64]| -> Vec<f64> {
        fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / gain).collect()
    };
    let limit = State { t: fine.t, q: extrapolate(&fine.q, &coarse.q), p: extrapolate(&fine.p, &coarse.p) };
    let errors: Vec<f64> = (0..LEVELS).map(|level| distance(&run(first << level), &limit)).collect();
    let slopes = errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
    (errors, slopes)
}

/// Numbers in (−½, ½), the same on every run.
pub fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}
