//! Runs of `vci` and `cva` from starts that hardly touch: no node inside of anything, no step that does not end.
//!
//! `cargo test -p carom-tests --test grazing -- --nocapture` prints the counts; with `CAROM_FULL=1` there are ten times as many starts.

use std::collections::BTreeMap;

use carom::error::Failure;
use carom::method::AnyMethod;
use carom::state::State;
use carom::steppers::shared::mass::InverseMass;
use carom::system::ContactId;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, method, numbers};

/// How deep a node may lie.
const DEPTH: f64 = 1e-12;

/// An elastic body that is pressed and hops so often in a step has no end there.
const MOST_HOPS: f64 = 1000.0;

fn is_full() -> bool {
    std::env::var("CAROM_FULL").is_ok_and(|value| value == "1")
}

/// Starts per scene.
fn starts() -> u64 {
    if is_full() { 500 } else { 50 }
}

/// Numbers in `[0, 1)` for one start.
struct Draw(std::vec::IntoIter<f64>);

impl Draw {
    fn new(seed: u64) -> Self {
        Self(numbers(16, seed).into_iter())
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.0.next().expect("enough numbers") + 0.5)
    }
    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }
    fn sign(&mut self) -> f64 {
        if self.between(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 }
    }
}

/// Place and velocity of a start.
type Start = (Vec<f64>, Vec<f64>);

/// Close to the boundary and along it, faster or slower than what stays there.
fn disk(draw: &mut Draw) -> Start {
    let (r, angle) = (1.0 - draw.decades(-6.0, -2.0), draw.between(0.0, std::f64::consts::TAU));
    let along = draw.sign() * draw.between(1.5, 4.0);
    let out = draw.sign() * draw.decades(-5.0, -1.0);
    let (sin, cos) = angle.sin_cos();
    (vec![r * cos, r * sin], vec![out * cos - along * sin, out * sin + along * cos])
}

/// A corner that comes down onto the floor while the spin lifts it: it touches with next to no speed, or does not.
fn star(draw: &mut Draw) -> Start {
    let (spin, gap) = (draw.sign() * draw.between(4.2, 8.0), draw.decades(-8.0, -2.0));
    let tilt = draw.sign() * draw.decades(-6.0, -1.0);
    let angle = std::f64::consts::FRAC_PI_4 + tilt;
    let radius = 0.5_f64.sqrt();
    // The corner (−½, −½) points down at an angle of 45 degrees.
    let direction = angle - 0.75 * std::f64::consts::PI;
    let lift = -9.81 - radius * spin * spin * direction.sin();
    let speed = (2.0 * lift.max(0.1) * gap).sqrt() * (1.0 + draw.sign() * draw.decades(-8.0, -1.0));
    let fall = -speed - spin * radius * direction.cos();
    (vec![0.0, gap - radius * direction.sin(), angle], vec![-2.0, fall, spin])
}

/// On the dome or just above it, at about the speed that leaves it.
fn dome(draw: &mut Draw) -> Start {
    let angle = draw.between(0.1, 1.1);
    let gap = if draw.between(0.0, 1.0) < 0.2 { 0.0 } else { draw.decades(-9.0, -3.0) };
    let leaving = (9.8 * angle.cos()).sqrt();
    let along = leaving * (1.0 + draw.sign() * draw.decades(-5.0, -0.5));
    let out = if draw.between(0.0, 1.0) < 0.5 { 0.0 } else { draw.sign() * draw.decades(-6.0, -2.0) };
    let out = if gap == 0.0 { 0.0 } else { out };
    let (sin, cos) = angle.sin_cos();
    let r = 1.0 + gap;
    (vec![r * sin, r * cos], vec![along * cos + out * sin, -along * sin + out * cos])
}

/// The spring lifts the lower mass while it comes down; or it falls from next to nothing.
fn pogo(draw: &mut Draw) -> Start {
    let gap = draw.decades(-8.0, -2.0);
    let stretch = draw.between(1.05, 2.0);
    let speed = (2.0 * (10.0 * stretch - 9.8213) * gap).sqrt() * (1.0 + draw.sign() * draw.decades(-8.0, -1.0));
    if draw.between(0.0, 1.0) < 0.7 {
        (vec![5.0 + gap + stretch, gap], vec![draw.between(-1.0, 1.0), -speed])
    } else {
        (vec![5.0 + gap, gap], vec![draw.between(-1.0, 1.0), -draw.between(0.1, 2.0)])
    }
}

/// The spring of the hardening one is stiffer: the lower mass starts a thousandth of its height above the ground.
fn hardening(draw: &mut Draw) -> Start {
    let gap = draw.decades(-5.0, -2.5);
    (vec![5.4 + draw.between(-0.2, 0.6) + gap, gap], vec![draw.between(-1.0, 1.0), draw.between(-1.0, 0.3)])
}

/// The start of the scene, a thousandth inside.
fn sphere(draw: &mut Draw) -> Start {
    let share = 1.0 - draw.decades(-3.5, -2.5);
    (vec![4.0 * share, -3.0 * share, 3.0 * share, -4.0 * share], vec![0.6, 0.8, 0.8, 0.6])
}

/// How many hops of a body that is pressed fit into a step: `h c/(2u)`, `u` being the speed at the next impact, or at the last one before the step gave up, and `c` how the gap bends along the
/// parabola of the next step. Above [`MOST_HOPS`] a step may give up.
fn hops(scene: &Scene, state: &State, contact: &str, last: f64) -> f64 {
    let (system, h, n) = (&*scene.problem.system, scene.run.h, state.q.len());
    let inverse = InverseMass::new(system, &state.q).expect("a mass");
    let (mut v, mut a, mut gaps) = (state.p.clone(), vec![0.0; n], vec![0.0; system.contacts().count()]);
    inverse.solve(&mut v);
    system.potential_gradient(state.t, &state.q, &mut a);
    inverse.solve(&mut a);
    let index =
        (0..gaps.len()).find(|&index| system.contacts().name(ContactId::of(index)) == contact).expect("a contact");
    let mut gap = |tau: f64| {
        let q: Vec<f64> = (0..n).map(|i| state.q[i] + tau * (v[i] - 0.5 * tau * a[i])).collect();
        system.contacts().gaps(state.t + tau, &q, &mut gaps);
        gaps[index]
    };
    let short = 1e-3 * h;
    let [before, here, after] = [gap(-short), gap(0.0), gap(short)];
    let (rate, bend) = ((after - before) / (2.0 * short), (2.0 * here - before - after) / (short * short));
    let speed = (rate * rate + 2.0 * bend * here).max(0.0).sqrt().min(last.abs());
    if bend > 0.0 { h * bend / (2.0 * speed) } else { 0.0 }
}

/// What came of the runs of a scene under a method.
#[derive(Default)]
struct Tally {
    runs: u32,
    steps: u64,
    impacts: u64,
    deepest: f64,
    penetrations: u32,
    /// Steps that gave up for an honest reason.
    endless: u32,
    errors: BTreeMap<&'static str, u32>,
    examples: BTreeMap<&'static str, String>,
}

/// What a failure is called.
fn name(failure: &Failure) -> &'static str {
    match failure {
        Failure::Stalled { .. } => "stalled",
        Failure::NotConverged { .. } => "not converged",
        Failure::NonFinite { .. } => "not finite",
        Failure::Contacts { .. } => "contacts",
        Failure::Impact { .. } => "impact law",
        _ => "other",
    }
}

impl Tally {
    /// Runs from one start; the first node that lies inside, and an error, end it.
    fn run(&mut self, scene: &Scene, method: &AnyMethod, (q, v): &Start) {
        let system = &*scene.problem.system;
        let mut state = State::from_velocity(system, 0.0, q, v);
        let mut step = method.stepper(system, &state).expect("it takes the scene");
        let mut gaps = vec![0.0; system.contacts().count()];
        self.runs += 1;
        for number in 1..=scene.run.steps {
            let report = match step.step(system, &mut state, scene.run.h) {
                Ok(report) => report,
                Err(error) => {
                    let kind = match &error.failure {
                        Failure::Stalled { contact, speed, .. }
                            if hops(scene, &state, contact, *speed) > MOST_HOPS =>
                        {
                            self.endless += 1;
                            return;
                        }
                        failure => name(failure),
                    };
                    *self.errors.entry(kind).or_default() += 1;
                    self.examples
                        .entry(kind)
                        .or_insert_with(|| format!("q = {q:?}, v = {v:?}, step {number}: {error}"));
                    return;
                }
            };
            self.steps += 1;
            self.impacts += u64::from(report.impacts);
            state.t = number as f64 * scene.run.h;
            system.contacts().gaps(state.t, &state.q, &mut gaps);
            let least = gaps.iter().fold(f64::INFINITY, |least, gap| least.min(*gap));
            self.deepest = self.deepest.max(-least);
            if gaps.iter().any(|gap| gap.is_nan() || *gap < -DEPTH) {
                self.penetrations += 1;
                let events = step.events();
                self.examples.entry("penetration").or_insert_with(|| {
                    format!("q = {q:?}, v = {v:?}, step {number}: gap {least:e}, events {events:?}")
                });
                return;
            }
        }
    }
}

/// Runs all starts of a scene under both methods, prints the counts, and demands that nothing went wrong.
fn demand(scene: &str, seed: u64, start: fn(&mut Draw) -> Start) {
    let (penetrations, errors) = count(scene, (seed, starts()), start);
    assert_eq!((penetrations, errors), (0, 0), "{scene}");
}

/// Nodes inside and steps that failed.
fn count(scene: &str, (seed, starts): (u64, u64), start: fn(&mut Draw) -> Start) -> (u32, u32) {
    let scene = built_in(scene, &[]);
    let mut faults = (0, 0);
    for how in ["vci", "cva"] {
        let (mut tally, by) = (Tally::default(), method(how));
        for number in 0..starts {
            tally.run(&scene, &by, &start(&mut Draw::new(seed + number)));
        }
        let Tally { runs, steps, impacts, deepest, penetrations, endless, errors, examples } = &tally;
        println!(
            "{:22}{how}: {runs} starts, {steps} steps, {impacts} impacts; {penetrations} penetrations, deepest {deepest:.1e}; {endless} endless, errors {errors:?}",
            scene.name
        );
        examples.iter().for_each(|(kind, text)| println!("    {kind}: {text}"));
        faults.0 += penetrations;
        faults.1 += errors.values().sum::<u32>();
        assert!(*impacts > 0, "nothing was touched");
    }
    faults
}

#[test]
fn disk_billiard() {
    demand("disk-billiard", 1_000, disk);
}

#[test]
fn star_body() {
    demand("star-body", 2_000, star);
}

#[test]
fn dome_near_lift_off() {
    demand("dome", 3_000, dome);
}

#[test]
fn pogo_stick() {
    demand("pogo-stick", 4_000, pogo);
}

#[test]
fn pogo_stick_hardening() {
    demand("pogo-stick-hardening", 5_000, hardening);
}

#[test]
fn spring_sphere() {
    // Bodies pressed by stiff springs hop thousands of times in a step of this length, and elastic ones that never stop stall: with the full
    // number of starts that counts as a fault too.
    let (penetrations, errors) = count("spring-sphere", (6_000, if is_full() { 500 } else { 5 }), sphere);
    assert_eq!(penetrations, 0);
    assert!(errors == 0 || !is_full(), "{errors} steps failed");
}

/// The start of the report that showed the fault.
#[test]
fn disk_billiard_from_the_start_that_was_reported() {
    let scene = built_in("disk-billiard", &[]);
    for how in ["vci", "cva"] {
        let mut tally = Tally::default();
        tally.run(&scene, &method(how), &(vec![0.999, 0.0], vec![0.001, 3.0]));
        println!("{how}: {} steps, deepest {:e}, {:?}", tally.steps, tally.deepest, tally.examples);
        assert!(tally.steps == scene.run.steps && tally.penetrations == 0 && tally.errors.is_empty());
    }
}
