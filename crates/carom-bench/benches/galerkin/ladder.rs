//! Runs of one method with ever more steps: how long it takes to an error.

use std::time::Instant;

use carom::method::AnyMethod;
use carom::state::State;
use carom_io::scene::Scene;

/// A ladder ends with the rung that has more steps than this.
const MOST_STEPS: usize = 2_000_000;
/// Or takes longer, in seconds.
const LONGEST: f64 = 5.0;
/// Short runs are made again until this time is used up, in seconds; the best counts.
const REPEATED: f64 = 0.15;
/// But not more often.
const MOST_RUNS: usize = 9;

/// The end of a run of so many steps, and the seconds it took; none if a step failed.
pub fn run(scene: &Scene, method: &AnyMethod, span: f64, steps: usize) -> Option<(State, f64)> {
    let (problem, h) = (&scene.problem, span / steps as f64);
    let (mut best, mut used, mut end) = (f64::INFINITY, 0.0, None);
    // The first run may compile derivatives: no run is made only once unless it is long.
    for _ in 0..MOST_RUNS {
        let mut state = problem.initial.clone();
        let mut stepper = method.stepper(&*problem.system, &state).expect("taken");
        let begin = Instant::now();
        for _ in 0..steps {
            stepper.step(&*problem.system, &mut state, h).ok()?;
        }
        let seconds = begin.elapsed().as_secs_f64();
        (best, used, end) = (best.min(seconds), used + seconds, Some(state));
        if used > REPEATED {
            break;
        }
    }
    end.map(|end| (end, best))
}

/// A run.
#[derive(Debug, Clone, Copy)]
pub struct Rung {
    pub steps: usize,
    /// Infinite if a step failed.
    pub error: f64,
    pub seconds: f64,
}

/// Runs with `first` steps, twice as many and so on, until the error is below `goal` or is round-off.
pub fn climb(first: usize, goal: f64, of: impl Fn(usize) -> Option<(f64, f64)>) -> Vec<Rung> {
    let mut rungs: Vec<Rung> = Vec::new();
    let mut steps = first;
    loop {
        let (error, seconds) = of(steps).unwrap_or((f64::INFINITY, 0.0));
        let before = rungs.last().map_or(f64::INFINITY, |rung| rung.error);
        rungs.push(Rung { steps, error, seconds });
        let rounding = error < 1e-8 && error > 0.7 * before;
        if error <= goal || rounding || 2 * steps > MOST_STEPS || 2.0 * seconds > LONGEST {
            return rungs;
        }
        steps *= 2;
    }
}

/// How a time was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Between two rungs.
    Measured,
    /// Beyond the last one, with the order of the method.
    Extrapolated,
}

/// Steps and seconds to an error; none if round-off is in the way.
pub fn reach(rungs: &[Rung], error: f64, order: u32) -> Option<(f64, f64, How)> {
    let log = |from: f64, to: f64, share: f64| from * (to / from).powf(share);
    match rungs.iter().position(|rung| rung.error <= error) {
        Some(place) => {
            let rung = rungs[place];
            let before = if place == 0 { rung } else { rungs[place - 1] };
            if before.error.is_infinite() || place == 0 {
                return Some((rung.steps as f64, rung.seconds, How::Measured));
            }
            let share = (before.error / error).ln() / (before.error / rung.error).ln();
            let steps = log(before.steps as f64, rung.steps as f64, share);
            Some((steps, log(before.seconds, rung.seconds, share), How::Measured))
        }
        None => {
            let [.., before, last] = rungs else { return None };
            let fall = (before.error / last.error).log2();
            let more = (last.error / error).powf(f64::from(order).recip());
            (fall > 0.8 * f64::from(order)).then_some((
                last.steps as f64 * more,
                last.seconds * more,
                How::Extrapolated,
            ))
        }
    }
}

/// `12.3 ms`, with a mark if it is not measured.
pub fn words(reached: Option<(f64, f64, How)>) -> String {
    reached.map_or("round-off".to_string(), |(_, seconds, how)| {
        let mark = if how == How::Extrapolated { "*" } else { " " };
        format!("{:.3} ms{mark}", 1e3 * seconds)
    })
}
