//! Cost of a step against the number of coordinates: a chain of masses on springs that harden.

use std::time::Instant;

use carom::lagrangian::parts::{Masses, Potential};
use carom::method::Method;
use carom::state::State;
use carom::steppers::galerkin::Config;
use carom::steppers::{Stepper, variational};

const H: f64 = 0.2;
/// Times are the best of so many rounds of the candidates in turn.
const ROUNDS: usize = 5;
/// Rounds are as long as this or one step, in seconds.
const ROUND: f64 = 0.05;
/// The first step starts from less than the others.
const WARM: usize = 3;

/// `V = Σ d²/2 + d⁴/4` of the stretches between neighbours; the ends are fixed.
struct Chain;

/// The stretch before mass `i`.
fn stretch(q: &[f64], i: usize) -> f64 {
    let at = |place: Option<&f64>| place.copied().unwrap_or(0.0);
    at(q.get(i)) - at(i.checked_sub(1).and_then(|i| q.get(i)))
}

impl Potential for Chain {
    fn value(&self, q: &[f64]) -> f64 {
        (0..=q.len()).map(|i| stretch(q, i).powi(2)).map(|square| 0.5 * square + 0.25 * square * square).sum()
    }

    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        let force = |d: f64| d + d * d * d;
        let mut left = force(stretch(q, 0));
        for (i, out) in out.iter_mut().enumerate() {
            let right = force(stretch(q, i + 1));
            *out = left - right;
            left = right;
        }
    }

    fn hessian(&self, q: &[f64], out: &mut [f64]) {
        let (n, stiffness) = (q.len(), |d: f64| 1.0 + 3.0 * d * d);
        out.fill(0.0);
        let mut left = stiffness(stretch(q, 0));
        for i in 0..n {
            let right = stiffness(stretch(q, i + 1));
            out[i * (n + 1)] = left + right;
            if i + 1 < n {
                (out[i * n + i + 1], out[(i + 1) * n + i]) = (-right, -right);
            }
            left = right;
        }
    }
}

/// A warm step: seconds of one of so many steps from here.
struct Timed<T> {
    stepper: T,
    state: State,
    steps: usize,
    best: f64,
    corrections: f64,
}

impl<T: Stepper<Masses<Chain>> + Clone> Timed<T> {
    fn new(system: &Masses<Chain>, mut stepper: T, start: &State) -> Self {
        let mut state = start.clone();
        for _ in 0..WARM {
            stepper.step(system, &mut state, H).expect("it runs");
        }
        let mut timed = Self { stepper, state, steps: 1, best: f64::INFINITY, corrections: 0.0 };
        timed.round(system);
        timed.steps = (ROUND / timed.best).ceil() as usize;
        timed
    }

    fn round(&mut self, system: &Masses<Chain>) {
        let (mut stepper, mut state, mut corrections) = (self.stepper.clone(), self.state.clone(), 0);
        let begin = Instant::now();
        for _ in 0..self.steps {
            corrections += stepper.step(system, &mut state, H).expect("it runs").iterations;
        }
        self.best = self.best.min(begin.elapsed().as_secs_f64() / self.steps as f64);
        self.corrections = f64::from(corrections) / self.steps as f64;
    }
}

/// Degree 4 beside midpoint.
pub fn measure() {
    println!("chain of n masses, step {H}: microseconds and corrections per step, exponent of n, ratio");
    println!("  {:>4} {:>34} {:>30} {:>7}", "n", "galerkin 4", "midpoint", "ratio");
    let mut before: Option<[f64; 2]> = None;
    for n in [10_usize, 20, 40, 80, 160] {
        let system = Masses::new(vec![1.0; n], Chain);
        let place = |i: usize| (std::f64::consts::PI * (i + 1) as f64 / (n + 1) as f64).sin();
        let start =
            State { t: 0.0, q: (0..n).map(place).collect(), p: (0..n).map(|i| 0.3 * place(7 * i)).collect() };
        let config = Config { degree: 4, ..Config::default() };
        let own = config.stepper(&system, &start).expect("taken");
        let midpoint = variational::Midpoint::default().stepper(&system, &start).expect("taken");
        let (mut own, mut midpoint) = (Timed::new(&system, own, &start), Timed::new(&system, midpoint, &start));
        for _ in 0..ROUNDS {
            own.round(&system);
            midpoint.round(&system);
        }
        let best = [own.best, midpoint.best];
        let exponent = |place: usize| {
            before.map_or("".to_string(), |before| format!("n^{:.1}", (best[place] / before[place]).log2()))
        };
        println!(
            "  {n:>4} {:>15.1} {:>9.1} {:>8} {:>14.1} {:>6.1} {:>8} {:>7.1}",
            1e6 * best[0],
            own.corrections,
            exponent(0),
            1e6 * best[1],
            midpoint.corrections,
            exponent(1),
            best[0] / best[1]
        );
        before = Some(best);
    }
    println!();
}
