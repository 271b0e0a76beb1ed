//! Work and precision: error at the end of a run against the time that it takes.

use std::f64::consts::TAU;

use carom::method::AnyMethod;
use carom::state::State;
use carom_io::scene::Scene;

use super::ladder::{How, climb, reach, run, words};
use super::{continuous, jumping, label, scene};

const COARSE: f64 = 1e-6;
const FINE: f64 = 1e-10;
/// Ladders go on to this error.
const GOAL: f64 = 0.5 * FINE;

/// A scene over a time, where it ends, and the steps to begin with.
struct Course {
    name: &'static str,
    scene: Scene,
    span: f64,
    end: State,
    first: usize,
}

fn distance(a: &State, b: &State) -> f64 {
    let both = a.q.iter().chain(&a.p).zip(b.q.iter().chain(&b.p));
    both.fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

impl Course {
    fn measure(&self) {
        println!("{}: steps, largest error of q and p at the end, milliseconds", self.name);
        let second = ["verlet", "midpoint"].map(|name| AnyMethod::named(name).expect("known"));
        let methods = second.into_iter().chain([1, 2, 4, 6, 8].map(jumping)).chain([2, 4].map(continuous));
        let mut rows = Vec::new();
        for method in methods {
            let rungs = climb(self.first, GOAL, |steps| {
                let (end, seconds) = run(&self.scene, &method, self.span, steps)?;
                Some((distance(&end, &self.end), seconds))
            });
            for rung in rungs.iter().filter(|rung| rung.error < 1.0) {
                let (steps, error, time) = (rung.steps, rung.error, 1e3 * rung.seconds);
                println!("  {:<24} {steps:>8} {error:>9.1e} {time:>10.3}", label(&method));
            }
            let order = method.claims().order;
            rows.push((label(&method), [COARSE, FINE].map(|error| reach(&rungs, error, order))));
        }
        println!(
            "  time to an error of {COARSE:e} and of {FINE:e}, and how much longer midpoint takes (* extrapolated)"
        );
        let midpoint = rows.iter().find(|(name, _)| name == "midpoint").expect("among them").1;
        for (name, times) in &rows {
            let ratio = |place: usize| match (midpoint[place], times[place]) {
                (Some((_, midpoint, _)), Some((_, own, _))) => format!("{:.1}", midpoint / own),
                _ => "–".to_string(),
            };
            let [coarse, fine] = times.map(words);
            println!("  {name:<24} {coarse:>15} {:>7} {fine:>17} {:>9}", ratio(0), ratio(1));
        }
        let times = rows.iter().filter_map(|(name, times)| times[1].map(|(_, seconds, _)| (name, seconds)));
        let best = times.min_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some((name, seconds)), Some((steps, midpoint, how))) = (best, midpoint[1]) {
            let factor = midpoint / seconds;
            let mark = if how == How::Extrapolated {
                format!(" (extrapolated to {steps:.1e} steps)")
            } else {
                String::new()
            };
            println!("  best degree: {name}, {factor:.0} times faster than midpoint{mark} at {FINE:e}\n");
        }
    }
}

/// Ten revolutions of a planet end where they began; the end of the double pendulum is known from degree 10.
pub fn measure() {
    let kepler = scene("kepler", &[]);
    let end = kepler.problem.initial.clone();
    let name = "kepler, eccentricity 0.6, 10 periods";
    Course { name, scene: kepler, span: 10.0 * TAU, end, first: 80 }.measure();
    let pendulum = scene("double-pendulum", &[]);
    let (end, _) = run(&pendulum, &jumping(10), 5.0, 400).expect("it runs");
    let name = "double pendulum, 5 s";
    Course { name, scene: pendulum, span: 5.0, end, first: 10 }.measure();
}
