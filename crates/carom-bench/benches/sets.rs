//! Many bodies: what it costs to start, and what a step costs, by their number. `cargo bench -p carom-bench --bench sets`; words after `--` choose
//! parts: gas, events, piles.
//!
//! - `gas`: elastic discs in a dilute box (a twentieth of it is covered), 100, 1000 and 10 000 of them; exponents of the cost of a step between
//!   neighbouring sizes.
//! - `events`: 1000 elastic spheres that have come to equilibrium, microseconds an event of `cva`.
//! - `piles`: discs of restitution 0 that come to rest under their weight; time, penetration, booked energy.
//!
//! Times are processor times of this thread: other work on the machine counts little. Memory is the growth of what the process holds.

use std::sync::atomic::AtomicBool;

use carom::measures::{Ledger, Summary};
use carom::method::{AnyMethod, Method};
use carom::observe::{Frame, Observer};
use carom::particles::{Group, Particles, Selection, Surface, Wall};
use carom::problem::Problem;
use carom::random::Random;
use carom::run::{Grid, OnFailure, Run};
use carom::state::State;
use carom::steppers::{Stepper, cva, gvi, spook};
use carom::system::System;

/// Processor seconds of this thread.
fn clock() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse::<f64>().ok()).map_or(f64::NAN, |nanos| 1e-9 * nanos)
}

/// Kilobytes that the process holds.
fn held() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(f64::NAN)
}

/// A box of width `width` with its lower corner at the origin.
fn close_in(system: &mut Particles, dimension: usize, width: f64, surface: Surface, lid: bool) {
    let Surface { restitution, friction } = surface;
    for axis in 0..dimension {
        for side in [1.0, -1.0] {
            if !lid && axis + 1 == dimension && side < 0.0 {
                continue;
            }
            let mut normal = vec![0.0; dimension];
            normal[axis] = side;
            let offset = if side > 0.0 { 0.0 } else { -width };
            system.add_wall(&Wall { normal, offset, restitution, friction }, &Group::All).expect("right");
        }
    }
}

/// Elastic spheres on a lattice of width 1 with random velocities.
fn gas(dimension: usize, columns: usize, radius: f64) -> (Particles, Vec<f64>, Vec<f64>) {
    let count = columns.pow(dimension as u32);
    let mut system = Particles::new(dimension, vec![1.0; count]).expect("right");
    system.set_radii(vec![radius; count]).expect("right");
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("right");
    close_in(&mut system, dimension, columns as f64, Surface::default(), true);
    let (mut random, mut q) = (Random::new(1), Vec::with_capacity(dimension * count));
    for number in 0..count {
        let mut rest = number;
        for _ in 0..dimension {
            q.push(0.5 + (rest % columns) as f64);
            rest /= columns;
        }
    }
    let v = q.iter().map(|_| random.normal()).collect();
    (system, q, v)
}

/// Seconds a step, and events of all steps.
fn cost<S: Stepper<Particles>>(
    mut stepper: S,
    system: &Particles,
    start: &State,
    h: f64,
    steps: usize,
) -> (f64, usize) {
    let (mut state, mut events) = (start.clone(), 0);
    for _ in 0..10 {
        stepper.step(system, &mut state, h).expect("a step");
    }
    let begun = clock();
    for _ in 0..steps {
        stepper.step(system, &mut state, h).expect("a step");
        events += stepper.events().len();
    }
    ((clock() - begun) / steps as f64, events)
}

fn gases() {
    println!(
        "elastic discs that cover 0.05 of a box, steps of 0.02 of the time in which a disc moves by a lattice width"
    );
    println!(
        "{:>7} {:>9} {:>11} {:>10} {:>10} {:>10} {:>9}",
        "discs", "start s", "kB a disc", "spook us", "gvi us", "cva us", "events"
    );
    let mut before: Option<[f64; 4]> = None;
    for columns in [10, 32, 100] {
        let (count, memory, begun) = ((columns * columns) as f64, held(), clock());
        let (system, q, v) = gas(2, columns, (0.05 / std::f64::consts::PI).sqrt());
        let points = system.points();
        let problem = Problem::new(Box::new(system), 0.0, q.clone(), v.clone(), points).expect("a start");
        let mut summary = Summary::new(&problem);
        let method = AnyMethod::named("gvi").expect("known");
        let mut stepper = method.stepper(&*problem.system, &problem.initial).expect("able");
        let run = Run {
            system: &*problem.system,
            stepper: &mut *stepper,
            grid: Grid { t0: 0.0, h: 0.02, steps: 1 },
            on_failure: OnFailure::Stop,
        };
        run.go(problem.initial.clone(), &mut [&mut summary], &AtomicBool::new(false));
        let started = clock() - begun;
        let grown = (held() - memory) / count;
        drop(problem);
        let (system, q, v) = gas(2, columns, (0.05 / std::f64::consts::PI).sqrt());
        let start = State::from_velocity(&system, 0.0, &q, &v);
        let steps = (200_000 / (columns * columns)).clamp(20, 2000);
        let (spook, _) =
            cost(spook::Config::default().stepper(&system, &start).expect("able"), &system, &start, 0.02, steps);
        let (gvi, _) =
            cost(gvi::Config::default().stepper(&system, &start).expect("able"), &system, &start, 0.02, steps);
        let few = if columns > 50 { 5 } else { steps };
        let (cva, events) =
            cost(cva::Config::default().stepper(&system, &start).expect("able"), &system, &start, 0.02, few);
        println!(
            "{count:>7} {started:>9.3} {grown:>11.2} {:>10.1} {:>10.1} {:>10.1} {events:>9}",
            1e6 * spook,
            1e6 * gvi,
            1e6 * cva
        );
        if let Some([fewer, s, g, c]) = before {
            let exponent = |now: f64, then: f64| (now / then).ln() / (count / fewer).ln();
            println!(
                "{:>29} {:>10.2} {:>10.2} {:>10.2}",
                "exponent",
                exponent(spook, s),
                exponent(gvi, g),
                exponent(cva, c)
            );
        }
        before = Some([count, spook, gvi, cva]);
    }
}

fn events() {
    let (system, q, v) = gas(3, 10, 0.3);
    let start = State::from_velocity(&system, 0.0, &q, &v);
    let mut stepper = cva::Config::default().stepper(&system, &start).expect("able");
    for h in [0.001, 0.01] {
        let (mut state, mut found) = (start.clone(), 0);
        let mut energy = [0.0; 2];
        // Some collisions of each sphere.
        while found < 4000 {
            Stepper::<Particles>::step(&mut stepper, &system, &mut state, h).expect("a step");
            found += Stepper::<Particles>::events(&stepper).len();
        }
        energy[0] = state.p.iter().map(|p| 0.5 * p * p).sum();
        let (begun, mut found, mut steps) = (clock(), 0, 0);
        while found < 4000 {
            Stepper::<Particles>::step(&mut stepper, &system, &mut state, h).expect("a step");
            found += Stepper::<Particles>::events(&stepper).len();
            steps += 1;
        }
        let seconds = clock() - begun;
        energy[1] = state.p.iter().map(|p| 0.5 * p * p).sum();
        println!(
            "1000 elastic spheres in equilibrium, a ninth of the space filled, h = {h}: {:.1} us an event ({found} events in {steps} steps), energy off by {:.1e}",
            1e6 * seconds / found as f64,
            (energy[1] / energy[0] - 1.0).abs()
        );
    }
}

/// Discs of two sizes in a box, restitution 0.
fn pile(columns: usize, rows: usize, friction: f64) -> (Particles, Vec<f64>, Vec<f64>) {
    let (radius, count) = (0.05, columns * rows);
    let radii: Vec<f64> =
        (0..count).map(|k| radius * (1.0 - 0.2 * ((k / columns + k % columns) % 2) as f64)).collect();
    let masses = radii.iter().map(|r| 1000.0 * std::f64::consts::PI * r * r).collect();
    let surface = Surface { restitution: 0.0, friction };
    let mut system = Particles::new(2, masses).expect("right");
    system.set_radii(radii).expect("right");
    system.add_sphere_gaps(&Selection::default(), surface).expect("right");
    close_in(&mut system, 2, radius * (2.2 * columns as f64 + 0.4), surface, false);
    system.set_gravity(&[0.0, -9.81]).expect("right");
    let (mut random, mut q, mut v) = (Random::new(5), Vec::new(), Vec::new());
    for k in 0..count {
        let (i, j) = (k / columns, k % columns);
        q.extend([radius * (1.15 + 2.2 * j as f64 + 0.2 * (i % 2) as f64), radius * (1.05 + 2.2 * i as f64)]);
        v.extend([0.3 * (2.0 * random.unit() - 1.0), 0.0]);
    }
    (system, q, v)
}

/// Says how far a run has come.
struct Progress {
    every: u64,
    begun: f64,
}

impl Observer for Progress {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.step.is_multiple_of(self.every) {
            let fastest = frame.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
            println!(
                "   t = {:.3}: fastest {fastest:.2e}, kinetic {:.3e}, {:.1} s",
                frame.state.t,
                frame.kinetic,
                clock() - self.begun
            );
        }
        Ok(())
    }
}

struct Books<'a>(&'a dyn System, &'a mut Ledger);

impl Observer for Books<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.1.enter(self.0, frame);
        Ok(())
    }
}

fn piles(which: &[String]) {
    for (name, columns, rows, h, until) in [
        ("spook", 100, 100, 0.002, 1.0),
        ("gvi", 40, 25, 0.002, 1.0),
        ("cva", 20, 15, 0.005, 1.0),
        ("spook", 40, 25, 0.002, 1.0),
    ] {
        if which.len() > 1 && !which.iter().any(|word| word == name || *word == format!("{}", columns * rows)) {
            continue;
        }
        let (system, q, v) = pile(columns, rows, 0.0);
        let points = system.points();
        let problem = Problem::new(Box::new(system), 0.0, q, v, points).expect("a start");
        let (mut summary, method) = (Summary::new(&problem), AnyMethod::named(name).expect("known"));
        let mut ledger = Ledger::of(&method, &*problem.system);
        let mut stepper = method.stepper(&*problem.system, &problem.initial).expect("able");
        println!("{} discs of restitution 0 under {name}, h = {h}", columns * rows);
        let steps = (until / h) as u64;
        let (mut progress, mut books) =
            (Progress { every: steps / 10, begun: clock() }, Books(&*problem.system, &mut ledger));
        let begun = clock();
        let run = Run {
            system: &*problem.system,
            stepper: &mut *stepper,
            grid: Grid { t0: 0.0, h, steps },
            on_failure: OnFailure::Stop,
        };
        let outcome = run.go(
            problem.initial.clone(),
            &mut [&mut summary, &mut books, &mut progress],
            &AtomicBool::new(false),
        );
        if let Some(ended) = outcome.ended {
            println!("   {ended}");
        }
        println!(
            "   {:.1} s in all, {:.2} ms a step; deepest penetration {:.2e} (radius 0.05); energy {:.4e} at the start, {:.4e} stored, unexplained {:.2e}",
            clock() - begun,
            1e3 * (clock() - begun) / outcome.steps.max(1) as f64,
            summary.max_penetration.unwrap_or(f64::NAN),
            summary.energy.map_or(f64::NAN, |energy| energy.initial),
            ledger.stored,
            ledger.error()
        );
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if wants("gas") {
        gases();
    }
    if wants("events") {
        events();
    }
    if wants("piles") {
        piles(&words);
    }
}
