//! Cost of a step: static, boxed and as a scene, beside the loop by hand.

use std::f64::consts::TAU;
use std::hint::black_box;

use carom::method::Method;
use carom::state::State;
use carom::steppers::Stepper;
use carom::steppers::galerkin::{Config, Galerkin};
use carom::system::{Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, SparseHessian, System};
use carom_bench::compare;

use super::hand::{Field, Loop, Solver};

/// Steps along which the loops must agree with carom.
const COMPARED: usize = 200;
/// Steps of a round with one stage; more stages make fewer. Rounds are short, so that some are made without being interrupted.
const STEPS: usize = 3000;

/// The pendulum of `pendulum-polar`.
struct Pendulum;

/// A rod of 2 m with 1 kg.
const INERTIA: f64 = 4.0;
const TORQUE: f64 = 9.81 * 2.0;

impl Field<1> for Pendulum {
    const MASS: [f64; 1] = [INERTIA];
    #[inline]
    fn gradient(q: &[f64; 1]) -> [f64; 1] {
        [TORQUE * q[0].sin()]
    }
    #[inline]
    fn hessian(q: &[f64; 1]) -> [[f64; 1]; 1] {
        [[TORQUE * q[0].cos()]]
    }
}

impl Dynamics for Pendulum {
    fn dim(&self) -> usize {
        1
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[INERTIA])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        -TORQUE * q[0].cos()
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = Self::gradient(&[q[0]])[0];
    }
    #[inline]
    fn potential_hessian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = Self::hessian(&[q[0]])[0][0];
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Pendulum {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

/// The planet of `kepler`.
struct Planet;

impl Field<2> for Planet {
    const MASS: [f64; 2] = [1.0, 1.0];
    #[inline]
    fn gradient(q: &[f64; 2]) -> [f64; 2] {
        let square = q[0] * q[0] + q[1] * q[1];
        let factor = (square * square.sqrt()).recip();
        [factor * q[0], factor * q[1]]
    }
    #[inline]
    fn hessian(q: &[f64; 2]) -> [[f64; 2]; 2] {
        let square = q[0] * q[0] + q[1] * q[1];
        let (factor, bend) = ((square * square.sqrt()).recip(), -3.0 / square);
        let cross = factor * bend * q[0] * q[1];
        [[factor * (1.0 + bend * q[0] * q[0]), cross], [cross, factor * (1.0 + bend * q[1] * q[1])]]
    }
}

impl Dynamics for Planet {
    fn dim(&self) -> usize {
        2
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[1.0, 1.0])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        -q[0].hypot(q[1]).recip()
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&Self::gradient(&[q[0], q[1]]));
    }
    #[inline]
    fn potential_hessian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(Self::hessian(&[q[0], q[1]]).as_flattened());
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Planet {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

/// A problem in plain Rust, with `N` coordinates, and as a scene.
struct Case<S, const N: usize> {
    name: &'static str,
    system: S,
    h: f64,
}

/// A run of `galerkin`; each candidate is timed from the start.
fn drive<S: System + ?Sized>(system: &S, start: &State, config: &Config, h: f64, steps: usize) -> f64 {
    let mut state = black_box(start.clone());
    let mut stepper = config.stepper(system, start).expect("taken");
    for _ in 0..steps {
        stepper.step(system, &mut state, h).expect("it runs");
    }
    state.q[0]
}

impl<F: System + Field<N>, const N: usize> Case<F, N> {
    /// One degree: `S` stages, `A` unknowns.
    fn measure<const S: usize, const A: usize>(&self) {
        let (config, h) = (Config { degree: S as u32 - 1, ..Config::default() }, self.h);
        let (tableau, scene) = (config.tableau().expect("a Runge-Kutta method"), super::scene(self.name, &[]));
        let start = &scene.problem.initial;
        let hand = |solver| Loop::<F, N, S, A>::new(&tableau, start, h, solver);
        self.same(&config, start, [Solver::Newton, Solver::FixedPoint].map(hand));
        let steps = STEPS / S;
        let by_hand = |solver| {
            let mut hand = black_box(hand(solver));
            (0..steps).for_each(|_| hand.step());
            hand.q[0]
        };
        let boxed: &dyn System = &self.system;
        compare(
            &format!("galerkin {}, {}, per step", config.degree, self.name),
            steps,
            &[
                ("hand-written", &|| by_hand(Solver::Newton)),
                ("hand-written, fixed points", &|| by_hand(Solver::FixedPoint)),
                ("static", &|| drive(&self.system, start, &config, h, steps)),
                ("boxed", &|| drive(boxed, start, &config, h, steps)),
                ("scene", &|| drive(&*scene.problem.system, start, &config, h, steps)),
            ],
        );
    }

    /// Refuses loops that are another method; counts corrections and allocations.
    fn same<const S: usize, const A: usize>(
        &self,
        config: &Config,
        start: &State,
        mut loops: [Loop<F, N, S, A>; 2],
    ) {
        let mut state = start.clone();
        let mut stepper: Galerkin = config.stepper(&self.system, start).expect("taken");
        let (mut worst, mut corrections) = (0.0_f64, 0);
        let counted = allocation_counter::measure(|| {
            for _ in 0..COMPARED {
                corrections += stepper.step(&self.system, &mut state, self.h).expect("it runs").iterations;
                for hand in &mut loops {
                    hand.step();
                    let both = hand.q.iter().chain(&hand.p).zip(state.q.iter().chain(&state.p));
                    worst = both.fold(worst, |worst, (a, b)| worst.max((a - b).abs()));
                }
            }
        });
        let per_step = |count: u64| count as f64 / COMPARED as f64;
        let (degree, allocations) = (config.degree, counted.count_total);
        println!("galerkin {degree}, {}: largest difference {worst:.1e} in {COMPARED} steps;", self.name);
        let (corrections, allocated) = (per_step(u64::from(corrections)), per_step(allocations));
        println!("  {corrections:.2} corrections and {allocated} allocations per step");
        assert!(worst < 1e-9 && allocations == 0);
    }
}

/// Degrees 1, 2, 4 and 8: the pendulum with the step of its paper, the planet with 100 steps per revolution.
pub fn measure() {
    let pendulum = Case { name: "pendulum-polar", system: Pendulum, h: 0.3 };
    pendulum.measure::<2, 2>();
    pendulum.measure::<3, 3>();
    pendulum.measure::<5, 5>();
    pendulum.measure::<9, 9>();
    let planet = Case { name: "kepler", system: Planet, h: TAU / 100.0 };
    planet.measure::<2, 4>();
    planet.measure::<3, 6>();
    planet.measure::<5, 10>();
    planet.measure::<9, 18>();
}
