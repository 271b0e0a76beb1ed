//! A chain of point masses with a load of 1000 kg, 60 steps a second, released straight at 30 degrees (hanging for `spook`, which breaks otherwise): the cost of a step per link, which a
//! method with sparse factors keeps whatever the length is. `cargo bench -p carom-bench --bench chain`; `-- 10 1000` for these lengths
//! alone.

use std::time::Instant;

use carom::method::Method;
use carom::particles::{Link, Particles};
use carom::state::State;
use carom::steppers::{Stepper, pem, spook};

const H: f64 = 1.0 / 60.0;
const LINK: f64 = 0.1;
const LOAD: f64 = 1000.0;
/// Steps before the clock starts, and links times steps on it.
const WARM: usize = 5;
const WORK: usize = 200_000;
const ROUNDS: usize = 7;

fn chain(links: usize, degrees: f64) -> (Particles, State) {
    let masses = (0..links).map(|i| if i + 1 == links { LOAD } else { 1.0 }).collect();
    let mut system = Particles::new(2, masses).expect("right");
    system.add_rod(Link::anchored(0, [0.0; 3]), LINK).expect("right");
    for i in 1..links {
        system.add_rod(Link::between(i - 1, i), LINK).expect("right");
    }
    system.set_gravity(&[0.0, -9.81]).expect("right");
    let (sin, cos) = degrees.to_radians().sin_cos();
    let q: Vec<f64> = (1..=links).flat_map(|i| [LINK * i as f64 * sin, -LINK * i as f64 * cos]).collect();
    (system, State { t: 0.0, p: vec![0.0; q.len()], q })
}

/// Nanoseconds per link and step, and solves per step: the best of the rounds.
fn cost<M: Method>(method: &M, links: usize, degrees: f64) -> (f64, f64)
where
    M::Stepper: Stepper<Particles>,
{
    let (system, start) = chain(links, degrees);
    let steps = (WORK / links).clamp(20, 5000);
    let mut best = (f64::INFINITY, 0.0);
    for _ in 0..ROUNDS {
        let (mut stepper, mut state) = (method.stepper(&system, &start).expect("taken"), start.clone());
        let mut solves = 0;
        let mut run = |steps: usize| {
            for _ in 0..steps {
                solves += stepper.step(&system, &mut state, H).expect("it runs").iterations;
            }
        };
        run(WARM);
        let begin = Instant::now();
        run(steps);
        let cost = begin.elapsed().as_secs_f64() * 1e9 / (steps * links) as f64;
        if cost < best.0 {
            best = (cost, f64::from(solves) / (steps + WARM) as f64);
        }
    }
    best
}

fn main() {
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!("{:<8} {:>8} {:>16} {:>14}", "method", "links", "ns/link/step", "solves/step");
    for links in [10, 100, 1000, 10_000].into_iter().filter(|links| asked.is_empty() || asked.contains(links)) {
        for (name, (cost, solves)) in [
            ("spook", cost(&spook::Config::default(), links, 0.0)),
            ("pem", cost(&pem::Config::default(), links, 30.0)),
        ] {
            println!("{name:<8} {links:>8} {cost:>16.0} {solves:>14.2}");
        }
    }
}
