//! What threads inside a run are worth: steps of `verlet` and evaluations with 1, 2, … threads, as ratios to one; and what cutting sums into
//! shares costs where there is one thread. `cargo bench -p carom-bench --bench threads -- [MOST]`; without an argument as many threads as
//! there are cores. Candidates take turns and the best round of each counts: other work on the machine must not be taken for theirs.

use std::hint::black_box;
use std::time::Instant;

use carom::method::Method;
use carom::particles::{Cutoff, LennardJones, Particles, Selection};
use carom::random::Random;
use carom::state::State;
use carom::steppers::{Stepper, verlet};
use carom::system::Dynamics;
use carom::team::Team;

const ROUNDS: usize = 12;
const H: f64 = 0.004;

/// What is measured.
struct Case {
    name: &'static str,
    make: fn() -> (Particles, State),
    /// Steps of a round.
    steps: usize,
}

const CASES: [Case; 6] = [
    Case { name: "fluid, 1000 particles", make: || fluid(10, false), steps: 400 },
    Case { name: "fluid, 2197 particles", make: || fluid(13, false), steps: 200 },
    Case { name: "fluid, 10 648 particles", make: || fluid(22, false), steps: 50 },
    Case { name: "the same, in random order", make: || fluid(22, true), steps: 50 },
    Case { name: "gravitation, 512 bodies", make: || stars(512), steps: 100 },
    Case { name: "gravitation, 3000 bodies", make: || stars(3000), steps: 5 },
];

/// A cube of `side³` particles at density 0.8 and temperature 0.6.
fn fluid(side: usize, shuffled: bool) -> (Particles, State) {
    let (count, spacing) = (side * side * side, 0.8_f64.powf(-1.0 / 3.0));
    let mut system = Particles::new(3, vec![1.0; count]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: 1.0 };
    system.add_lennard_jones(law, &Selection::default(), Some(Cutoff::at(2.5))).expect("right");
    let mut random = Random::new(1);
    let mut order: Vec<usize> = (0..count).collect();
    if shuffled {
        (1..count).for_each(|i| order.swap(i, (random.unit() * (i + 1) as f64) as usize));
    }
    let place = |i: usize| [i % side, i / side % side, i / (side * side)].map(|k| k as f64 * spacing);
    let q = order.into_iter().flat_map(place).collect();
    let p = (0..3 * count).map(|_| 2.7 * (random.unit() - 0.5)).collect();
    (system, State { t: 0.0, q, p })
}

/// A cloud that falls together.
fn stars(count: usize) -> (Particles, State) {
    let mut system = Particles::new(3, vec![1.0 / count as f64; count]).expect("right");
    system.set_gravitation(1.0).expect("right");
    let mut random = Random::new(2);
    let q = (0..3 * count).map(|_| random.unit()).collect();
    (system, State { t: 0.0, q, p: vec![0.0; 3 * count] })
}

/// Seconds of a step and of an evaluation of the gradient, and the bits of the end.
fn measure(case: &Case, threads: usize) -> ([f64; 2], u64) {
    let (mut system, mut state) = (case.make)();
    system.set_team(&Team::of(threads));
    let mut stepper = verlet::Config::default().stepper(&system, &state).expect("taken");
    let mut go = |state: &mut State, steps: usize| {
        for _ in 0..steps {
            stepper.step(&system, state, H).expect("it runs");
        }
    };
    go(&mut state, case.steps / 4);
    let begin = Instant::now();
    go(&mut state, case.steps);
    let step = begin.elapsed().as_secs_f64() / case.steps as f64;
    let (mut out, evaluations) = (vec![0.0; system.dim()], case.steps / 2 + 1);
    let begin = Instant::now();
    for _ in 0..evaluations {
        system.potential_gradient(0.0, black_box(&state.q), &mut out);
    }
    let evaluation = begin.elapsed().as_secs_f64() / evaluations as f64;
    let bits = state.q.iter().fold(0_u64, |sum, x| sum.rotate_left(5) ^ x.to_bits());
    ([step, evaluation], bits)
}

fn main() {
    let given = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = given.unwrap_or(cores).max(2);
    println!("per step of verlet, per gradient; and how many times as fast as with one thread");
    for case in &CASES {
        let mut best = vec![[f64::INFINITY; 2]; most];
        let mut ends = Vec::new();
        for _ in 0..ROUNDS {
            for (k, best) in best.iter_mut().enumerate() {
                let (seconds, bits) = measure(case, k + 1);
                *best = [best[0].min(seconds[0]), best[1].min(seconds[1])];
                ends.push(bits);
            }
        }
        assert!(ends.iter().all(|bits| *bits == ends[0]), "bits do not depend on threads");
        for (k, [step, gradient]) in best.iter().enumerate() {
            let name = if k == 0 { case.name } else { "" };
            let ratios = [best[0][0] / step, best[0][1] / gradient];
            println!(
                "  {name:<28} {:>2} threads {:>9.1} µs {:>9.1} µs {:>6.2}× {:>6.2}×",
                k + 1,
                step * 1e6,
                gradient * 1e6,
                ratios[0],
                ratios[1]
            );
        }
    }
}
