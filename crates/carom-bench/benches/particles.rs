//! Particles: six Lennard-Jones beads, free and on rods, as ratios to minimal hand-written loops, and the cost per
//! particle of short-range potentials. `cargo bench -p carom-bench --bench particles`.
//! What the hand-written RATTLE knows is said in `carom_bench::beads`.

use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

use carom::method::{AnyMethod, Method};
use carom::particles::{Cutoff, LennardJones, Link, Particles, Selection};
use carom::state::State;
use carom::steppers::{Stepper, verlet};
use carom::system::{Dynamics, System};
use carom_bench::beads::{BEADS, Points, RODS, Rattle, SIGMA, drift, gradient, kick, total};
use carom_bench::compare;
use carom_io::document::Source;
use carom_io::scene::{BuiltIn, Scene};

const STEPS: usize = 20_000;
const H: f64 = 2e-3;
const DENSITY: f64 = 0.6;
const CUTOFF: f64 = 2.5;

/// Positions and momenta of the beads at the start of the built-in scene; read once.
fn places() -> [Points; 2] {
    static PLACES: OnceLock<[Points; 2]> = OnceLock::new();
    *PLACES.get_or_init(read_places)
}

fn read_places() -> [Points; 2] {
    let text = BuiltIn::named("lennard-jones-rods").expect("built in").text;
    let Ok(scene) = Scene::read("rods", &Source::new("rods", text), &[]) else {
        panic!("a built-in scene is right")
    };
    let State { q, p, .. } = scene.problem.initial;
    [q, p].map(|x| std::array::from_fn(|i| std::array::from_fn(|k| x[3 * i + k])))
}

fn start() -> State {
    let [q, p] = places();
    State { t: 0.0, q: q.as_flattened().to_vec(), p: p.as_flattened().to_vec() }
}

fn beads(rods: bool) -> Particles {
    let mut system = Particles::new(3, vec![1.0; BEADS]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: SIGMA };
    system.add_lennard_jones(law, &Selection::default(), None).expect("right");
    for i in 0..if rods { RODS } else { 0 } {
        system.add_rod(Link::between(i, i + 1), 1.0).expect("right");
    }
    system
}

fn hand_verlet(steps: usize) -> f64 {
    let ([mut q, mut p], sigma2) = (black_box(places()), black_box(SIGMA * SIGMA));
    let mut force = gradient(&q, sigma2);
    for _ in 0..steps {
        kick(&mut p, &force, H);
        q = drift(&q, &p, H);
        force = gradient(&q, sigma2);
        kick(&mut p, &force, H);
        assert!(total(&q, &p).is_finite());
    }
    q[0][0]
}

fn hand_rattle(steps: usize) -> f64 {
    let mut beads = Rattle::new(black_box(places()), black_box(SIGMA * SIGMA));
    for _ in 0..steps {
        beads.step(H);
    }
    beads.q[0][0]
}

fn drive<S: System + ?Sized, T: Stepper<S> + ?Sized>(system: &S, stepper: &mut T, steps: usize) -> f64 {
    let mut state = black_box(start());
    for _ in 0..steps {
        stepper.step(system, &mut state, H).expect("it runs");
    }
    state.q[0]
}

fn static_dispatch(rods: bool, steps: usize) -> f64 {
    let system = beads(rods);
    let mut stepper = verlet::Config::default().stepper(&system, &start()).expect("taken");
    drive(&system, &mut stepper, steps)
}

fn boxed(rods: bool, steps: usize) -> f64 {
    let system: Box<dyn System> = black_box(Box::new(beads(rods)));
    let mut stepper = AnyMethod::named("verlet").expect("known").stepper(&*system, &start()).expect("taken");
    drive(&*system, &mut *stepper, steps)
}

/// The same beads as expressions of a scene, every pair and every rod written out.
fn written_out() -> Box<dyn System> {
    let square = |i: usize, j: usize| format!("((x[{j}]-x[{i}])^2 + (y[{j}]-y[{i}])^2 + (z[{j}]-z[{i}])^2)");
    let mut text = String::from("[lagrangian]\nmass = \"1\"\n");
    // Coordinates by axis: with those by bead every name would have to be told.
    let names =
        ["x", "y", "z"].map(|name| format!("{{ name = \"{name}\", repeat = {{ index = \"i\", count = 6 }} }}"));
    text += &format!("coordinates = [{}]\npotential = [", names.join(", "));
    for (i, j) in (0..BEADS).flat_map(|i| (i + 1..BEADS).map(move |j| (i, j))) {
        text += &format!("\"4*((0.36/{w})^6 - (0.36/{w})^3)\", ", w = square(i, j));
    }
    text += "]\nequalities = [";
    for i in 0..RODS {
        text += &format!("\"sqrt({}) - 1\", ", square(i, i + 1));
    }
    let state = expressed_start();
    text += &format!("]\n[initial]\nq = {:?}\nv = {:?}\n", state.q, state.p);
    text += "[method]\nname = \"verlet\"\n[run]\nstep = 2e-3\nsteps = 1\n";
    match Scene::read("beads", &Source::new("beads", text), &[]) {
        Ok(scene) => scene.problem.system,
        Err(problems) => panic!("{}", problems[0].message),
    }
}

/// The start with its coordinates by axis.
fn expressed_start() -> State {
    let by_axis = |x: &Points| (0..3).flat_map(|k| x.iter().map(move |x| x[k])).collect();
    let [q, p] = places();
    State { t: 0.0, q: by_axis(&q), p: by_axis(&p) }
}

fn expressions(system: &dyn System, steps: usize) -> f64 {
    let mut state = black_box(expressed_start());
    let config = verlet::Config::default();
    let mut stepper = config.stepper(system, &state).expect("taken");
    for _ in 0..steps {
        stepper.step(system, &mut state, H).expect("it runs");
    }
    state.q[0]
}

/// A cube of `side³` particles at that density and temperature about 1.
fn fluid(side: usize) -> (Particles, State) {
    let (count, spacing) = (side * side * side, DENSITY.powf(-1.0 / 3.0));
    let mut system = Particles::new(3, vec![1.0; count]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: 1.0 };
    system.add_lennard_jones(law, &Selection::default(), Some(Cutoff::at(CUTOFF))).expect("right");
    let mut random = 1_u64;
    let mut number = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let place = |i: usize| [i % side, i / side % side, i / (side * side)].map(|k| k as f64 * spacing);
    let q = (0..count).flat_map(place).collect();
    let p = (0..3 * count).map(|_| 3.46 * number()).collect();
    (system, State { t: 0.0, q, p })
}

/// Nanoseconds per particle of a step, lists included, and of a force with a list that is ready. The same stretch of
/// time for every size: the fluid has a surface and expands.
fn cost_per_particle(side: usize) -> [f64; 2] {
    const STEPS: usize = 100;
    let (system, mut state) = fluid(side);
    let mut stepper = verlet::Config::default().stepper(&system, &state).expect("taken");
    for _ in 0..20 {
        stepper.step(&system, &mut state, 0.004).expect("it runs");
    }
    let per = |begin: Instant| begin.elapsed().as_secs_f64() * 1e9 / (STEPS * side * side * side) as f64;
    let (begin, mut out) = (Instant::now(), vec![0.0; system.dim()]);
    for _ in 0..STEPS {
        system.potential_gradient(0.0, black_box(&state.q), &mut out);
    }
    let force = per(begin);
    let begin = Instant::now();
    for _ in 0..STEPS {
        stepper.step(&system, &mut state, 0.004).expect("it runs");
    }
    [per(begin), force]
}

/// Pairs within the cut-off per particle, at the start: fewer in a small block, which has more surface.
fn pairs_per_particle(side: usize) -> f64 {
    let spacing = DENSITY.powf(-1.0 / 3.0);
    let (reach, side) = ((CUTOFF / spacing).ceil() as i64, side as i64);
    let mut pairs = 0;
    for dx in -reach..=reach {
        for dy in -reach..=reach {
            for dz in -reach..=reach {
                let square = (dx * dx + dy * dy + dz * dz) as f64 * spacing * spacing;
                if square > 0.0 && square < CUTOFF * CUTOFF {
                    pairs += (side - dx.abs()) * (side - dy.abs()) * (side - dz.abs());
                }
            }
        }
    }
    pairs as f64 / 2.0 / (side * side * side) as f64
}

fn main() {
    let written = written_out();
    let expressed = expressions(&*written, 500) - hand_rattle(500);
    let (free, rods) = (static_dispatch(false, 500), static_dispatch(true, 500));
    let (free, rods) = (free - hand_verlet(500), rods - hand_rattle(500));
    println!(
        "carom minus hand-written after 500 steps: {free:.1e} free, {rods:.1e} on rods, {expressed:.1e} as expressions\n"
    );
    compare(
        "verlet, six Lennard-Jones beads, per step",
        STEPS,
        &[
            ("hand-written", &|| hand_verlet(STEPS)),
            ("static", &|| static_dispatch(false, STEPS)),
            ("boxed", &|| boxed(false, STEPS)),
        ],
    );
    compare(
        "verlet with RATTLE, six Lennard-Jones beads on five rods, per step",
        STEPS,
        &[
            ("hand-written", &|| hand_rattle(STEPS)),
            ("static", &|| static_dispatch(true, STEPS)),
            ("boxed", &|| boxed(true, STEPS)),
            ("expressions", &|| expressions(&*written, STEPS)),
        ],
    );
    println!("verlet, Lennard-Jones fluid with cut-off, per particle: step, force alone, pairs");
    let sizes = [10, 22];
    let mut best = [[f64::INFINITY; 2]; 2];
    // Many rounds: what else the machine does to its caches lasts longer than one.
    for _ in 0..30 {
        for (best, side) in best.iter_mut().zip(sizes) {
            let [step, force] = cost_per_particle(side);
            *best = [best[0].min(step), best[1].min(force)];
        }
    }
    for ([step, force], side) in best.into_iter().zip(sizes) {
        let (name, pairs) = (format!("{} particles", side * side * side), pairs_per_particle(side));
        println!("  {name:<36} {step:>9.1} ns {force:>9.1} ns {pairs:>7.1}");
    }
    println!("  ratio of the steps {:.3}", best[1][0] / best[0][0]);
}
