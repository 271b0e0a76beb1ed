//! Implicit steps of many coordinates of which few are coupled: seconds to load, and the cost of a step per coordinate, which sparse factors keep
//! whatever the number is; beside it, up to 1000, that of full matrices.
//! `cargo bench -p carom-bench --bench coupled`; `-- 100 1000` for these numbers of coordinates alone.

use std::time::Instant;

use carom::method::Method;
use carom::particles::{Link, Particles};
use carom::state::State;
use carom::steppers::{Stepper, variational};
use carom::system::System;
use carom_bench::systems::Whole;
use carom_io::document::Source;
use carom_io::scene::Scene;

const H: f64 = 0.1;
/// Full matrices beyond this take minutes.
const MOST_FULL: usize = 1000;
/// Steps before the clock starts, and coordinates times steps on it.
const WARM: usize = 3;
const WORK: usize = 200_000;
const ROUNDS: usize = 5;

/// Masses in a line, springs between neighbours that are not linear, as expressions.
fn line(n: usize) -> String {
    let q: Vec<f64> = (0..n).map(|i| 0.3 * (0.7 * i as f64).sin()).collect();
    format!(
        r#"
        title = "line"
        description = "of masses"
        [lagrangian]
        coordinates = [{{ name = "x", repeat = {{ index = "i", count = {n} }} }}]
        mass = "1"
        potential = [
            {{ expression = "(x[i] - x[i+1])^2/2 + (x[i] - x[i+1])^4/4", repeat = {{ index = "i", count = {} }} }},
            {{ expression = "x[0]^2/2" }},
        ]
        [initial]
        q = {q:?}
        [method]
        name = "midpoint"
        [run]
        step = 0.1
        until = 1.0
        "#,
        n - 1
    )
}

/// The same with particles.
fn springs(n: usize) -> (Particles, State) {
    let mut system = Particles::new(1, vec![1.0; n]).expect("right");
    (1..n).for_each(|i| system.add_spring(Link::between(i - 1, i), 1.0, 1.0).expect("right"));
    let q: Vec<f64> = (0..n).map(|i| i as f64 + 0.3 * (0.7 * i as f64).sin()).collect();
    (system, State { t: 0.0, p: vec![0.0; n], q })
}

/// A chain of rods in the plane, released at 30 degrees.
fn chain(links: usize) -> (Particles, State) {
    let mut system = Particles::new(2, vec![1.0; links]).expect("right");
    system.add_rod(Link::anchored(0, [0.0; 3]), 1.0).expect("right");
    (1..links).for_each(|i| system.add_rod(Link::between(i - 1, i), 1.0).expect("right"));
    system.set_gravity(&[0.0, -9.81]).expect("right");
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let q: Vec<f64> = (1..=links).flat_map(|i| [i as f64 * sin, -(i as f64) * cos]).collect();
    (system, State { t: 0.0, p: vec![0.0; q.len()], q })
}

/// Nanoseconds per coordinate and step, and corrections per step: the best of the rounds. None where there are no steps.
fn cost<S: System + ?Sized>(system: &S, start: &State, h: f64) -> Option<(f64, f64)> {
    let n = start.q.len();
    let steps = (WORK / n).clamp(5, 500);
    let mut best = (f64::INFINITY, 0.0);
    for _ in 0..ROUNDS {
        let (mut stepper, mut state) = (variational::Midpoint {}.stepper(system, start).ok()?, start.clone());
        let mut corrections = 0;
        let mut run = |steps: usize| {
            (0..steps).try_for_each(|_| {
                corrections += stepper.step(system, &mut state, h).ok()?.iterations;
                Some(())
            })
        };
        run(WARM)?;
        let begin = Instant::now();
        run(steps)?;
        let cost = begin.elapsed().as_secs_f64() * 1e9 / (steps * n) as f64;
        if cost < best.0 {
            best = (cost, f64::from(corrections) / (steps + WARM) as f64);
        }
    }
    Some(best)
}

fn report<S: System + ?Sized>(name: &str, system: &S, start: &State, h: f64) {
    let n = start.q.len();
    let Some((cost, corrections)) = self::cost(system, start, h) else {
        return println!("{name:<22} {n:>7} a step fails");
    };
    let full = (n <= MOST_FULL).then(|| self::cost(&Whole(system), start, h)).flatten();
    let ratio = full.map_or("-".to_string(), |(full, _)| format!("{:.2} x", full / cost));
    println!("{name:<22} {n:>7} {:>12.4} {cost:>20.0} {corrections:>14.2} {ratio:>12}", cost * n as f64 * 1e-6);
}

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!(
        "{:<22} {:>7} {:>12} {:>20} {:>14} {:>12}",
        "system", "n", "ms/step", "ns/coordinate/step", "corrections", "full"
    );
    for n in [100, 200, 400, 1000, 10_000].into_iter().filter(|n| asked.is_empty() || asked.contains(n)) {
        let text = line(n);
        let begin = Instant::now();
        let Ok(scene) = Scene::read("line", &Source::new("line", text), &[]) else { panic!("a scene") };
        println!("{:<22} {n:>7} {:>12.1} ms to load", "line of expressions", begin.elapsed().as_secs_f64() * 1e3);
        report("line of expressions", &*scene.problem.system, &scene.problem.initial, H);
        let (system, start) = springs(n);
        report("line of springs", &system, &start, H);
        let (system, start) = chain(n / 2);
        report("chain of rods", &system, &start, 0.1 * H);
    }
}
