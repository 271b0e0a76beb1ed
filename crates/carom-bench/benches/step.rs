//! Cost of a step as a ratio to a minimal hand-written loop of the same algorithm, run to the same tolerance in the
//! same process. `cargo bench -p carom-bench --bench step`; figures are the best of interleaved rounds.

use std::hint::black_box;

use carom::lagrangian::parts::{Masses, Springs};
use carom::method::{AnyMethod, Method};
use carom::state::State;
use carom::steppers::{Stepper, variational, verlet};
use carom::system::System;
use carom_bench::compare;
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

const STEPS: usize = 200_000;
const H: f64 = 0.01;
const K: [f64; 2] = [1.0, 2.0];
const M: [f64; 2] = [1.0, 3.0];

fn start() -> State {
    State { t: 0.0, q: vec![1.0, 0.3], p: vec![0.1, -0.4] }
}

fn oscillator() -> Masses<Springs> {
    Masses::new(M.to_vec(), Springs { stiffness: K.to_vec() })
}

/// Velocity Verlet in momentum form, the force kept from step to step, non-finite states refused.
fn hand_verlet() -> f64 {
    let (k, inverse) = (black_box(K), black_box([1.0 / M[0], 1.0 / M[1]]));
    let s = black_box(start());
    let (mut q, mut p) = ([s.q[0], s.q[1]], [s.p[0], s.p[1]]);
    let mut force = [-k[0] * q[0], -k[1] * q[1]];
    for _ in 0..STEPS {
        for i in 0..2 {
            p[i] += 0.5 * H * force[i];
            q[i] += H * (p[i] * inverse[i]);
            force[i] = -k[i] * q[i];
            p[i] += 0.5 * H * force[i];
        }
        assert!((q[0] + q[1] + p[0] + p[1]).is_finite());
    }
    q[0] + q[1]
}

/// Midpoint rule: Newton on the chord velocity, full 2 × 2 Jacobian, until the residual is round-off.
fn hand_midpoint() -> f64 {
    let (k, m) = (black_box(K), black_box(M));
    let s = black_box(start());
    let (mut q, mut p) = ([s.q[0], s.q[1]], [s.p[0], s.p[1]]);
    for _ in 0..STEPS {
        let mut v = [p[0] / m[0], p[1] / m[1]];
        let gradient = loop {
            let mid = [q[0] + 0.5 * H * v[0], q[1] + 0.5 * H * v[1]];
            let gradient = [k[0] * mid[0], k[1] * mid[1]];
            let mut worst = 0.0_f64;
            let mut r = [0.0; 2];
            for i in 0..2 {
                r[i] = m[i] * v[i] + 0.5 * H * gradient[i] - p[i];
                let size = (m[i] * v[i]).abs() + 0.5 * H * gradient[i].abs() + p[i].abs();
                worst = worst.max(r[i].abs() / size);
            }
            if worst <= 4.0 * f64::EPSILON {
                break gradient;
            }
            let a = [[m[0] + 0.25 * H * H * k[0], 0.0], [0.0, m[1] + 0.25 * H * H * k[1]]];
            let a = black_box(a);
            let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
            v[0] -= (a[1][1] * r[0] - a[0][1] * r[1]) / determinant;
            v[1] -= (a[0][0] * r[1] - a[1][0] * r[0]) / determinant;
        };
        for i in 0..2 {
            q[i] += H * v[i];
            p[i] = m[i] * v[i] - 0.5 * H * gradient[i];
        }
        assert!((q[0] + q[1] + p[0] + p[1]).is_finite());
    }
    q[0] + q[1]
}

fn drive<S: System + ?Sized, T: Stepper<S> + ?Sized>(system: &S, stepper: &mut T) -> f64 {
    let mut state = black_box(start());
    for _ in 0..STEPS {
        stepper.step(system, &mut state, H).expect("a harmonic oscillator does not fail");
    }
    state.q[0] + state.q[1]
}

fn static_dispatch<C: Method>(config: &C) -> f64
where
    C::Stepper: Stepper<Masses<Springs>>,
{
    let system = oscillator();
    let mut stepper = config.stepper(&system, &start()).expect("taken");
    drive(&system, &mut stepper)
}

fn boxed(name: &str) -> f64 {
    let system: Box<dyn System> = black_box(Box::new(oscillator()));
    let mut stepper = AnyMethod::named(name).expect("known").stepper(&*system, &start()).expect("taken");
    drive(&*system, &mut *stepper)
}

/// The same oscillator as expressions of a scene.
fn expressions(name: &str) -> f64 {
    let text = BuiltIn::named("harmonic-oscillator").expect("built in").text;
    let edits = ["parameters.kx=1.0", "parameters.ky=2.0", "lagrangian.mass=[1.0, 3.0]"].map(Edit::set);
    let Ok(scene) = Scene::read("oscillator", &Source::new("oscillator", text), &edits) else {
        panic!("the scene is fine")
    };
    let system = &*scene.problem.system;
    let mut stepper = AnyMethod::named(name).expect("known").stepper(system, &start()).expect("taken");
    drive(system, &mut *stepper)
}

fn main() {
    compare(
        "verlet, 2-coordinate oscillator, per step",
        STEPS,
        &[
            ("hand-written", &hand_verlet),
            ("static", &|| static_dispatch(&verlet::Config::default())),
            ("boxed", &|| boxed("verlet")),
            ("expressions", &|| expressions("verlet")),
        ],
    );
    compare(
        "midpoint, 2-coordinate oscillator, per step",
        STEPS,
        &[
            ("hand-written", &hand_midpoint),
            ("static", &|| static_dispatch(&variational::Midpoint::default())),
            ("boxed", &|| boxed("midpoint")),
            ("expressions", &|| expressions("midpoint")),
        ],
    );
}
