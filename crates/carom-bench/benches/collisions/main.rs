//! Located impacts: `vci` and `cva` as ratios to hand-written loops of the same algorithm, run in the same process.
//! `cargo bench -p carom-bench --bench collisions`; figures are the best of interleaved rounds.
//!
//! Before anything is timed, every loop is compared with carom: along the trajectory, and step by step where the star has become chaotic.

mod particle;
mod star;

use std::hint::black_box;

use carom::method::Method;
use carom::state::State;
use carom::steppers::collision::Collision;
use carom::steppers::{Stepper, cva, vci};
use carom::system::System;
use carom_bench::compare;
use carom_bench::systems;
use carom_io::document::Source;
use carom_io::scene::{BuiltIn, Scene};

const STEPS: usize = 100_000;
/// Impacts through which single steps are compared.
const MOST_IMPACTS: u32 = 100;
/// From here nothing comes down: what the look-out for contacts costs.
const HIGH: f64 = 1e9;

/// A hand-written loop.
trait Hand {
    fn step(&mut self);
    fn state(&self) -> (&[f64], &[f64]);
}

/// What a hand-written loop asks of the energy across an impact in uniform gravity.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Closing {
    /// `cva`: the speed is turned round.
    Reflect,
    /// `vci`: the discrete energy of a leg is `H − m g²τ²/8` at its end with the impact; that of both legs is the same.
    Discrete,
}

impl Closing {
    /// Speed after an impact at the speed `u` between legs of these lengths; `a = ∇gᵀM⁻¹∇g`, the mass is 1.
    #[inline]
    fn rebound(self, u: f64, a: f64, g: f64, [before, after]: [f64; 2]) -> f64 {
        match self {
            Self::Reflect => -u,
            Self::Discrete => {
                let square = u * u - 0.25 * a * g * g * (before * before - after * after);
                // Near grazing there may be none.
                if square > 0.0 { square.sqrt() } else { -u }
            }
        }
    }
}

/// A system with its start, and how it is stepped.
struct Case<'a, S: ?Sized, M> {
    system: &'a S,
    start: &'a State,
    method: &'a M,
    h: f64,
}

impl<S: System + ?Sized, M: Method<Stepper = Collision>> Case<'_, S, M> {
    fn stepper(&self) -> Collision {
        self.method.stepper(self.system, self.start).expect("taken")
    }

    fn run(&self, steps: usize) -> f64 {
        let (mut state, mut stepper) = (black_box(self.start.clone()), self.stepper());
        for _ in 0..steps {
            stepper.step(self.system, &mut state, self.h).expect("it runs");
        }
        state.q[0]
    }

    /// Refuses a loop that is another algorithm: its trajectory through the first impacts, and through many more each step by
    /// itself, from carom's state.
    fn same<H: Hand>(&self, name: &str, impacts: u32, hand: &impl Fn(&State) -> H) {
        let (mut state, mut stepper) = (self.start.clone(), self.stepper());
        let mut along = hand(self.start);
        let (mut whole, mut single, mut found) = (0.0_f64, 0.0_f64, 0);
        while found < MOST_IMPACTS {
            let mut once = hand(&state);
            found += stepper.step(self.system, &mut state, self.h).expect("it runs").impacts;
            once.step();
            single = single.max(difference(&once, &state));
            if found <= impacts {
                along.step();
                whole = whole.max(difference(&along, &state));
            }
        }
        println!("{} {name}: largest difference {whole:.1e} through {impacts} impacts;", M::NAME);
        println!("  {single:.1e} of single steps through {found}");
        assert!(whole < 1e-9 && single < 1e-9);
    }
}

fn difference(hand: &impl Hand, state: &State) -> f64 {
    let (q, p) = hand.state();
    let both = q.iter().chain(p).zip(state.q.iter().chain(&state.p));
    both.fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

fn loop_of(mut hand: impl Hand) -> f64 {
    for _ in 0..STEPS {
        hand.step();
    }
    hand.state().0[0]
}

fn scene(name: &str) -> Scene {
    match Scene::read(name, &Source::new(name, BuiltIn::named(name).expect("built in").text), &[]) {
        Ok(scene) => scene,
        Err(problems) => panic!("{}", problems[0].message),
    }
}

/// One method on one system: static, boxed and as the built-in scene, on the ground and in the air.
fn measure<S: System, M: Method<Stepper = Collision>, H: Hand>(
    (name, impacts): (&str, u32),
    (system, h): (&S, f64),
    method: &M,
    start: impl Fn(f64) -> State,
    hand: impl Fn(&State) -> H,
) {
    let scene = scene(name);
    let (low, high) = (scene.problem.initial.clone(), start(HIGH));
    let boxed: &dyn System = system;
    Case { system, start: &low, method, h }.same(name, impacts, &hand);
    for (place, start) in [("with impacts", &low), ("in the air", &high)] {
        compare(
            &format!("{}, {name} {place}, per step", M::NAME),
            STEPS,
            &[
                ("hand-written", &|| loop_of(black_box(hand(start)))),
                ("static", &|| Case { system, start, method, h }.run(STEPS)),
                ("boxed", &|| Case { system: boxed, start, method, h }.run(STEPS)),
                ("scene", &|| Case { system: &*scene.problem.system, start, method, h }.run(STEPS)),
            ],
        );
    }
}

fn main() {
    let (vci, cva) = (vci::Config::default(), cva::Config::default());
    let particle = (&systems::particle::Particle, systems::particle::H);
    let hand = |closing| move |start: &State| particle::Hand::new(start, closing);
    measure(("bouncing-particle", 5), particle, &vci, systems::particle::start, hand(Closing::Discrete));
    measure(("bouncing-particle", 5), particle, &cva, systems::particle::start, hand(Closing::Reflect));
    // A rounding error grows by about ten at every impact of the star.
    let star = (&systems::star::Star, systems::star::H);
    let hand = |closing| move |start: &State| star::Hand::new(start, closing);
    measure(("star-body", 3), star, &vci, systems::star::start, hand(Closing::Discrete));
    measure(("star-body", 3), star, &cva, systems::star::start, hand(Closing::Reflect));
}
