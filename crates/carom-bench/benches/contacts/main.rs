//! Steps with contacts: `gvi` as a ratio to hand-written loops of the same algorithm, run to the same tolerances in the same
//! process. `cargo bench -p carom-bench --bench contacts`; figures are the best of interleaved rounds.
//!
//! Before anything is timed, every loop is compared with carom along the trajectory.

mod chain;
mod cradle;
mod pogo;

use std::hint::black_box;

use carom::method::Method;
use carom::state::State;
use carom::steppers::{Stepper, gvi};
use carom::system::System;
use carom_bench::compare;
use carom_bench::systems;
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

/// A hand-written loop.
trait Hand {
    fn step(&mut self);
    fn state(&self) -> (&[f64], &[f64]);
}

const VERLET: gvi::Rule = gvi::Rule::Verlet;
const MIDPOINT: gvi::Rule = gvi::Rule::Midpoint;

/// A system with its start, and how it is stepped.
struct Case<'a, S: ?Sized> {
    system: &'a S,
    start: &'a State,
    rule: gvi::Rule,
    h: f64,
}

impl<S: System + ?Sized> Case<'_, S> {
    fn stepper(&self) -> gvi::Gvi {
        let config = gvi::Config { rule: self.rule, ..gvi::Config::default() };
        config.stepper(self.system, self.start).expect("taken")
    }

    fn run(&self, steps: usize) -> f64 {
        let (mut state, mut stepper) = (black_box(self.start.clone()), self.stepper());
        for _ in 0..steps {
            stepper.step(self.system, &mut state, self.h).expect("it runs");
        }
        state.q[0]
    }

    /// Largest difference to a hand-written loop over all steps; how many of them had contacts.
    fn compare(&self, hand: &mut impl Hand, steps: usize) -> (f64, u32) {
        let (mut state, mut stepper) = (self.start.clone(), self.stepper());
        let (mut worst, mut active) = (0.0_f64, 0);
        for _ in 0..steps {
            active += u32::from(stepper.step(self.system, &mut state, self.h).expect("it runs").active);
            hand.step();
            let (q, p) = hand.state();
            let both = q.iter().chain(p).zip(state.q.iter().chain(&state.p));
            worst = both.fold(worst, |worst, (a, b)| worst.max((a - b).abs()));
        }
        (worst, active)
    }

    /// Refuses a loop that is another algorithm.
    fn same(&self, name: &str, hand: &mut impl Hand, steps: usize) {
        let (worst, active) = self.compare(hand, steps);
        println!("{name}: largest difference {worst:.1e} in {steps} steps, {active} of them with contacts");
        assert!(worst < 1e-9 && active > 0);
    }
}

fn loop_of(mut hand: impl Hand, steps: usize) -> f64 {
    for _ in 0..steps {
        hand.step();
    }
    hand.state().0[0]
}

fn scene(name: &str, edits: &[&str]) -> Scene {
    let text = BuiltIn::named(name).expect("built in").text;
    let edits: Vec<Edit> = edits.iter().copied().map(Edit::set).collect();
    match Scene::read(name, &Source::new(name, text), &edits) {
        Ok(scene) => scene,
        Err(problems) => panic!("{}", problems[0].message),
    }
}

fn pogo_stick() {
    const STEPS: usize = 100_000;
    let (start, high) = (systems::pogo::start(1.0), systems::pogo::start(1e9));
    let (system, h) = (&systems::pogo::Pogo, systems::pogo::H);
    let case = Case { system, start: &start, rule: VERLET, h };
    let air = Case { start: &high, ..case };
    let scene = scene("pogo-stick", &[]);
    let expressed = Case { system: &*scene.problem.system, start: &start, rule: VERLET, h };
    case.same("pogo stick", &mut pogo::Hand::new(&start), 300);
    compare(
        "gvi verlet, pogo stick on the ground, per step",
        STEPS,
        &[
            ("hand-written", &|| loop_of(black_box(pogo::Hand::new(&start)), STEPS)),
            ("static", &|| case.run(STEPS)),
            ("scene", &|| expressed.run(STEPS)),
        ],
    );
    // It does not come down: what the look-out for contacts costs.
    compare(
        "gvi verlet, pogo stick in the air, per step",
        STEPS,
        &[("hand-written", &|| loop_of(black_box(pogo::Hand::new(&high)), STEPS)), ("static", &|| air.run(STEPS))],
    );
}

fn lennard_jones_chain() {
    const STEPS: usize = 10_000;
    let scene = scene("lennard-jones-chain", &[]);
    let (start, system) = (&scene.problem.initial, chain::particles());
    let case = Case { system: &system, start, rule: VERLET, h: chain::H };
    let boxed = Case { system: &*scene.problem.system, start, rule: VERLET, h: chain::H };
    case.same("chain", &mut chain::Hand::new(start), 600);
    compare(
        "gvi verlet, six spheres on five rods in a ball, per step",
        STEPS,
        &[
            ("hand-written", &|| loop_of(black_box(chain::Hand::new(start)), STEPS)),
            ("static", &|| case.run(STEPS)),
            ("scene", &|| boxed.run(STEPS)),
        ],
    );
}

/// Later than this balls that swing side by side have a gap of one ε, and its sign decides whether they touch.
const DECIDED: usize = 150;

fn newtons_cradle(balls: usize, steps: usize) {
    let scene = scene("newtons-cradle", &[&format!("parameters.balls={balls}")]);
    let (start, system) = (&cradle::start(balls), cradle::particles(balls));
    let case = Case { system: &system, start, rule: MIDPOINT, h: cradle::H };
    let boxed = Case { system: &*scene.problem.system, start, rule: MIDPOINT, h: cradle::H };
    for banded in [false, true] {
        case.same("cradle", &mut cradle::Hand::new(start, banded), steps.min(DECIDED));
    }
    let hand = |banded| loop_of(black_box(cradle::Hand::new(start, banded)), steps);
    compare(
        &format!("gvi midpoint, cradle of {balls} balls, per step"),
        steps,
        &[
            ("hand-written, full matrix", &|| hand(false)),
            ("hand-written, banded matrix", &|| hand(true)),
            ("static", &|| case.run(steps)),
            ("scene", &|| boxed.run(steps)),
        ],
    );
}

fn main() {
    pogo_stick();
    lennard_jones_chain();
    newtons_cradle(5, 2000);
    newtons_cradle(100, 100);
}
