//! Andrews' squeezer: seven angles, six constraints, compared with the published end and with a better one.

use carom::method::AnyMethod;
use carom::state::State;

use super::ladder::{Rung, reach, run, words};
use super::{jumping, label, scene};

const SPAN: f64 = 0.03;
/// The published angles at the end.
const PUBLISHED: [f64; 7] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
];
/// The error at which methods are compared.
const ERROR: f64 = 2e-9;

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// Digits in which all angles of two runs agree.
fn digits(coarse: &State, fine: &State) -> f64 {
    let both = coarse.q.iter().zip(&fine.q);
    -both.fold(f64::EPSILON, |worst, (a, b)| worst.max(((a - b) / b).abs())).log10()
}

/// Prints runs with `first` steps, twice as many and so on, each beside the next; returns the seconds to `ERROR`.
fn climb(method: &AnyMethod, (first, rungs): (usize, usize), exact: &State) -> Option<f64> {
    let (scene, label) = (scene("andrews", &[]), label(method));
    let steps = (0..=rungs).map(|rung| first << rung);
    let runs: Vec<_> = steps.map(|steps| (steps, run(&scene, method, SPAN, steps))).collect();
    let mut ladder = Vec::new();
    for (place, (steps, run)) in runs.iter().enumerate() {
        let Some((end, seconds)) = run else {
            println!("  {label:<12} {steps:>7}  a step fails");
            continue;
        };
        let finer = runs.get(place + 1).and_then(|(_, run)| run.as_ref());
        let digits = finer.map_or(String::new(), |(fine, _)| format!("{:.1}", digits(end, fine)));
        let (published, error, time) = (apart(&end.q, &PUBLISHED), apart(&end.q, &exact.q), 1e3 * seconds);
        println!("  {label:<12} {steps:>7} {published:>9.1e} {error:>9.1e} {digits:>6} {time:>9.1}");
        ladder.push(Rung { steps: *steps, error, seconds: *seconds });
    }
    let reached = reach(&ladder, ERROR, method.claims().order);
    println!("  {label:<12} to {ERROR:e}: {}", words(reached).trim_end());
    reached.map(|(_, seconds, _)| seconds)
}

/// Degrees 3 and 5 beside midpoint and verlet.
pub fn measure() {
    println!(
        "andrews, to t = {SPAN}: steps, largest |Δq| from the published angles and from degree 7 with 600 steps,"
    );
    println!("  digits in which the next run agrees, milliseconds (* extrapolated)");
    let (exact, _) = run(&scene("andrews", &[]), &jumping(7), SPAN, 600).expect("it runs");
    let second = ["verlet", "midpoint"].map(|name| AnyMethod::named(name).expect("known"));
    let [_, midpoint] = second.map(|method| climb(&method, (15_000, 2), &exact));
    let own = [(3, (75, 5)), (5, (75, 4))].map(|(degree, steps)| climb(&jumping(degree), steps, &exact));
    let best = own.into_iter().flatten().fold(f64::INFINITY, f64::min);
    println!("  {:.0} times faster than midpoint at {ERROR:e}\n", midpoint.unwrap_or(f64::NAN) / best);
}
