//! The motion between nodes: its order, the nodes' own bits, what a method knows of it, and crossings of what is watched.

use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

use carom::between::{Between, Moment};
use carom::error::StepError;
use carom::lagrangian::parts::{Masses, Springs};
use carom::observe::{Frame, Observer};
use carom::run::{Ended, Grid, OnFailure, Outcome, Run};
use carom::state::State;
use carom::steppers::{End, Inside, StepReport, Stepper};
use carom::system::System;
use carom::watch::{Crossing, Direction, Lookout, Quantity, Watch};
use carom_tests::runs::{built_in, method, stepper};

/// The mass of the oscillator; its frequency is 1.
const MASS: f64 = 2.0;

fn oscillator() -> Masses<Springs> {
    Masses::new(vec![MASS], Springs { stiffness: vec![MASS] })
}

/// Position and velocity `t` after a phase.
fn exact(t: f64) -> (f64, f64) {
    (t.cos(), -t.sin())
}

/// The oscillator's own motion: nodes without an error. It may tell what happens between them, or another motion.
struct Exact {
    start: f64,
    h: f64,
    tells: bool,
}

impl Stepper<dyn System> for Exact {
    fn step(&mut self, _: &dyn System, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        (self.start, self.h) = (state.t, h);
        state.t += h;
        let (q, v) = exact(state.t);
        (state.q[0], state.p[0]) = (q, MASS * v);
        Ok(StepReport::default())
    }
    fn inside(&self) -> Option<&dyn Inside> {
        if self.tells { Some(self) } else { None }
    }
}

impl Inside for Exact {
    fn at(&self, s: f64, q: &mut [f64], p: &mut [f64]) {
        let (place, rate) = exact(self.start + s * self.h);
        (q[0], p[0]) = (place, MASS * rate);
    }
    fn ansatz(&self, s: f64, q: &mut [f64], p: &mut [f64]) {
        self.at(s, q, p);
    }
    fn jump(&self, _: End, q: &mut [f64], p: &mut [f64]) {
        (q[0], p[0]) = (0.0, 0.0);
    }
    fn constraint_forces(&self, _: f64, _: &mut [f64]) {}
    fn stages(&self) -> usize {
        0
    }
    fn stage(&self, _: usize, _: &mut [f64], _: &mut [f64]) -> (f64, f64) {
        (0.0, 0.0)
    }
}

fn start() -> State {
    State { t: 0.0, q: vec![1.0], p: vec![0.0] }
}

fn run(tells: bool, h: f64, steps: u64, observer: &mut dyn Observer) -> Outcome {
    let (system, mut stepper) = (oscillator(), Exact { start: 0.0, h, tells });
    let grid = Grid { t0: 0.0, h, steps };
    let run = Run { system: &system as &dyn System, stepper: &mut stepper, grid, on_failure: OnFailure::Stop };
    run.go(start(), &mut [observer], &AtomicBool::new(false))
}

/// Largest errors of position, velocity and momentum between the nodes.
struct Errors {
    between: Between,
    moment: Moment,
    worst: [f64; 3],
}

impl Observer for Errors {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let system = oscillator();
        for s in (0..=32).map(|k| f64::from(k) / 32.0) {
            self.between.at(&system, frame, s, &mut self.moment).map_err(|failure| failure.to_string())?;
            let Moment { t, q, v, p } = &self.moment;
            let (place, rate) = exact(*t);
            let found = [(q[0] - place).abs(), (v[0] - rate).abs(), (p[0] - MASS * rate).abs()];
            self.worst = std::array::from_fn(|i| self.worst[i].max(found[i]));
        }
        self.between.keep(frame);
        Ok(())
    }
}

fn errors(tells: bool, h: f64) -> [f64; 3] {
    let between = Between::new(&oscillator(), &start()).expect("a mass");
    let mut errors = Errors { between, moment: Moment::new(1), worst: [0.0; 3] };
    let outcome = run(tells, h, (6.4 / h).round() as u64, &mut errors);
    assert_eq!(outcome.ended, None);
    errors.worst
}

#[test]
fn the_cubic_has_order_4_in_positions_and_3_in_velocities_and_momenta() {
    for h in [0.4, 0.2, 0.1] {
        let (coarse, fine) = (errors(false, h), errors(false, 0.5 * h));
        for (order, (coarse, fine)) in [4.0, 3.0, 3.0].into_iter().zip(coarse.into_iter().zip(fine)) {
            let slope = (coarse / fine).log2();
            assert!((slope - order).abs() < 0.1, "h = {h}: slope {slope}, expected {order}");
        }
        // The bound of the cubic: h⁴/384 times the largest fourth derivative, here 1.
        assert!(coarse[0] < h.powi(4) / 384.0 && coarse[0] > 0.9 * h.powi(4) / 384.0, "{coarse:?}");
    }
}

#[test]
fn what_the_method_knows_is_shown_instead() {
    for error in errors(true, 0.4) {
        assert!(error < 1e-14, "{error:e}");
    }
}

/// Compares both ends of every step with the nodes, and momenta with `M(q)v` in between.
struct Ends<'a> {
    system: &'a dyn System,
    between: Between,
    moment: Moment,
    before: State,
    steps: u64,
}

impl Observer for Ends<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.step > 0 {
            let mut at = |s: f64| {
                self.between.at(self.system, frame, s, &mut self.moment).expect("a mass");
                self.moment.clone()
            };
            let (first, middle, last) = (at(0.0), at(0.3), at(1.0));
            assert_eq!((first.t, &first.q, &first.p), (self.before.t, &self.before.q, &self.before.p));
            assert_eq!((last.t, &last.q, &last.p), (frame.state.t, &frame.state.q, &frame.state.p));
            assert_eq!(last.v, frame.v);
            let mut p = vec![0.0; middle.q.len()];
            self.system.mass().times(&middle.q, &middle.v, &mut p);
            assert!(p.iter().zip(&middle.p).all(|(a, b)| (a - b).abs() <= 1e-14 * a.abs().max(1.0)));
            assert!(middle.q != first.q && middle.q != last.q);
        }
        self.before.copy_from(frame.state);
        self.between.keep(frame);
        self.steps += 1;
        Ok(())
    }
}

#[test]
fn ends_of_steps_are_the_nodes_to_the_last_bit_and_momenta_fit_velocities() {
    for (name, how) in [("double-pendulum", "midpoint"), ("lennard-jones-rods", "verlet"), ("star-body", "vci")] {
        let (scene, how) = (built_in(name, &[]), method(how));
        let (system, initial) = (&*scene.problem.system, &scene.problem.initial);
        let mut stepper = stepper(&scene, &how);
        let between = Between::new(system, initial).expect("a mass");
        let (moment, before) = (Moment::new(system.dim()), initial.clone());
        let mut ends = Ends { system, between, moment, before, steps: 0 };
        let grid = Grid { t0: initial.t, h: scene.run.h, steps: 100 };
        let run = Run { system, stepper: &mut *stepper, grid, on_failure: OnFailure::Stop };
        let outcome = run.go(initial.clone(), &mut [&mut ends], &AtomicBool::new(false));
        assert_eq!((outcome.ended, ends.steps), (None, 101), "{name}");
    }
}

/// A function of time, position and velocity.
struct Of(fn(f64, f64, f64) -> f64);

impl Quantity for Of {
    fn at(&self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        self.0(t, q[0], v[0])
    }
}

fn watch(name: &str, quantity: fn(f64, f64, f64) -> f64, direction: Direction) -> Watch {
    Watch { name: name.into(), quantity: Box::new(Of(quantity)), direction }
}

struct Seen<'a> {
    between: Between,
    lookout: Lookout<'a>,
    crossings: Vec<(u64, Crossing)>,
}

impl Observer for Seen<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.lookout.observe(&oscillator(), &mut self.between, frame)?;
        self.crossings.extend(self.lookout.crossings().iter().map(|crossing| (frame.step, *crossing)));
        self.between.keep(frame);
        Ok(())
    }
}

fn seen(watches: &[Watch], tells: bool, h: f64, steps: u64) -> (Vec<(u64, Crossing)>, Outcome) {
    let between = Between::new(&oscillator(), &start()).expect("a mass");
    let mut seen = Seen { between, lookout: Lookout::new(watches, 1), crossings: Vec::new() };
    let outcome = run(tells, h, steps, &mut seen);
    // What a step that ended the run has crossed is counted and not shown.
    let complete = if outcome.ended.is_none() { seen.lookout.watched() } else { &[] };
    for (index, watched) in complete.iter().enumerate() {
        let own: Vec<f64> =
            seen.crossings.iter().filter(|(_, found)| found.watch == index).map(|(_, found)| found.t).collect();
        assert_eq!((watched.count, watched.first), (own.len() as u64, own.first().copied()));
        assert_eq!(watched.last, own.last().copied());
    }
    (seen.crossings, outcome)
}

fn position(_: f64, q: f64, _: f64) -> f64 {
    q
}

#[test]
fn crossings_of_an_oscillator_are_where_they_are_known_to_be_with_order_4() {
    let watches = [watch("x", position, Direction::Any), watch("x half", |_, q, _| q - 0.5, Direction::Any)];
    // Errors of the crossings of 0, where the fourth derivative vanishes, and of 1/2.
    let worst = |h: f64, tells: bool| {
        let (crossings, _) = seen(&watches, tells, h, (20.0 / h).round() as u64);
        let mut worst = [0.0_f64; 2];
        let mut counts = [0; 2];
        for (step, found) in crossings {
            let k = counts[found.watch];
            counts[found.watch] += 1;
            assert!((found.t - h * (step as f64 - 1.0 + found.alpha)).abs() < 1e-13);
            assert_eq!(found.rising, k % 2 == 1);
            let half = PI / 3.0 + PI * f64::from(k / 2 * 2) + if k % 2 == 1 { 4.0 * PI / 3.0 } else { 0.0 };
            let known = if found.watch == 0 { (f64::from(k) + 0.5) * PI } else { half };
            worst[found.watch] = worst[found.watch].max((found.t - known).abs());
        }
        assert_eq!(counts, [6, 7], "h = {h}");
        worst
    };
    // Where in its step a crossing lies changes with the length of the step: a mean slope tells the order.
    let lengths = [0.4, 0.2, 0.1, 0.05];
    let errors = lengths.map(|h| worst(h, false));
    let slope = (errors[0][1] / errors[3][1]).log2() / 3.0;
    assert!((3.5..4.5).contains(&slope), "{slope}: {errors:?}");
    for (h, [zero, half]) in lengths.into_iter().zip(errors) {
        // The error of the position, over the speed there.
        let bound = h.powi(4) / 384.0;
        assert!(zero < bound && half < bound * 0.5 / 0.75_f64.sqrt() * 1.1, "h = {h}: {zero:e} {half:e}");
    }
    assert!(worst(0.4, true).into_iter().all(|error| error < 2e-14));
}

#[test]
fn every_crossing_of_a_thousand_periods_is_counted_once_and_directions_are_told_apart() {
    let watches = [
        watch("any", position, Direction::Any),
        watch("rising", position, Direction::Rising),
        watch("falling", position, Direction::Falling),
        watch("turn", |_, _, v| v, Direction::Any),
        watch("never", |_, q, _| q - 1.5, Direction::Any),
        // Twenty crossings in a period, several in a step.
        watch("fast", |t, _, _| (10.0 * t + 0.1).sin(), Direction::Rising),
    ];
    // The last crossing of x lies a quarter of a period before the end.
    let steps = 12_000;
    let (crossings, outcome) = seen(&watches, false, 2000.0 * PI / f64::from(steps), u64::from(steps as u32));
    assert_eq!(outcome.ended, None);
    let count = |index: usize| crossings.iter().filter(|(_, found)| found.watch == index).count();
    assert_eq!([count(0), count(1), count(2)], [2000, 1000, 1000]);
    // It starts at rest: that is no crossing; the last turn is the end, on one side of it or the other by rounding.
    assert!((1999..=2000).contains(&count(3)), "{}", count(3));
    assert_eq!([count(4), count(5)], [0, 10_000]);
    assert!(crossings.iter().all(|(_, found)| found.rising
        == match found.watch {
            1 | 5 => true,
            2 => false,
            _ => found.rising,
        }));
    assert!(crossings.windows(2).all(|pair| pair[0].1.t <= pair[1].1.t), "in time");
}

#[test]
fn a_zero_at_a_node_is_one_crossing_and_none_where_the_quantity_turns_back() {
    let watches = [
        // The nodes are multiples of 1/4, exact: zero at the end of the fourth step.
        watch("through", |t, _, _| t - 1.0, Direction::Any),
        watch("back", |t, _, _| (t - 1.0) * (t - 1.0), Direction::Any),
        watch("cubic", |t, _, _| (1.0 - t) * (1.0 - t) * (1.0 - t), Direction::Falling),
        // Zero for a while, then through.
        watch("rest", |t, _, _| (t - 2.0).max(0.0) + (t - 1.0).min(0.0), Direction::Any),
        watch("rest and back", |t, _, _| (t - 2.0).max(0.0) + (1.0 - t).max(0.0), Direction::Any),
        // From zero on.
        watch("start", |t, _, _| t, Direction::Any),
        watch("nothing", |_, _, _| 0.0, Direction::Any),
        // A jump.
        watch("jump", |t, _, _| if t < 1.1 { -1.0 } else { 3.0 }, Direction::Rising),
        // Zero at the last node: nothing is known of what comes after.
        watch("end", |t, _, _| t - 3.0, Direction::Any),
    ];
    let (crossings, _) = seen(&watches, false, 0.25, 12);
    let of = |index: usize| -> Vec<f64> {
        crossings.iter().filter(|(_, found)| found.watch == index).map(|(_, found)| found.t).collect()
    };
    assert_eq!([of(0), of(1), of(2)], [vec![1.0], vec![], vec![1.0]]);
    assert_eq!([of(3), of(4), of(5), of(6)], [vec![2.0], vec![], vec![], vec![]]);
    assert!(of(7).len() == 1 && (of(7)[0] - 1.1).abs() < 1e-15, "{:?}", of(7));
    assert_eq!(of(8), [0.0; 0]);
}

#[test]
fn a_quantity_that_is_not_finite_ends_the_run_with_its_name_and_time() {
    let watches = [watch("fine", position, Direction::Any), watch("root", |_, q, _| q.sqrt(), Direction::Any)];
    let (_, outcome) = seen(&watches, false, 0.25, 12);
    let Some(Ended::Observer { step, message }) = outcome.ended else { panic!("{outcome:?}") };
    // π/2 lies in the seventh step; its first of 16 points beyond that is the fifth.
    assert_eq!((step, message.as_str()), (7, "watch `root` is not finite at t = 1.578125"));
    // Only where a crossing is closed in.
    let narrow = |t: f64, _: f64, _: f64| if (t - 1.1).abs() < 1e-6 { f64::NAN } else { t - 1.1 };
    let (_, outcome) = seen(&[watch("hole", narrow, Direction::Any)], false, 0.25, 12);
    let Some(Ended::Observer { message, .. }) = outcome.ended else { panic!("{outcome:?}") };
    assert!(message.starts_with("watch `hole` is not finite at t = 1.1"), "{message}");
}

/// Looks out and counts what is allocated after the first steps.
struct Counting<'a> {
    seen: Seen<'a>,
    allocations: u64,
}

impl Observer for Counting<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.seen.crossings.clear();
        let mut result = Ok(());
        let counted = allocation_counter::measure(|| result = self.seen.observe(frame));
        self.allocations += if frame.step > 40 { counted.count_total } else { 0 };
        result
    }
}

#[test]
fn looking_between_nodes_allocates_nothing_once_warm() {
    let watches = [watch("x", position, Direction::Any), watch("v", |_, _, v| v, Direction::Any)];
    let between = Between::new(&oscillator(), &start()).expect("a mass");
    let seen = Seen { between, lookout: Lookout::new(&watches, 1), crossings: Vec::new() };
    let mut counting = Counting { seen, allocations: 0 };
    run(false, 0.1, 2000, &mut counting);
    // The oscillator itself is made anew in every look: its two lists.
    let own = allocation_counter::measure(|| drop(oscillator())).count_total;
    assert_eq!(counting.allocations, 1960 * own);
}

/// Looks at a scene in eighths of its steps, and out for crossings.
struct Rows<'a> {
    system: &'a dyn System,
    between: Between,
    lookout: Lookout<'a>,
    moment: Moment,
    rows: Vec<Moment>,
    crossings: Vec<f64>,
}

impl Observer for Rows<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.lookout.observe(self.system, &mut self.between, frame)?;
        self.crossings.extend(self.lookout.crossings().iter().map(|crossing| crossing.t));
        let eighths = if frame.step == 0 { 8..=8 } else { 1..=8 };
        for s in eighths.map(|k| f64::from(k) / 8.0) {
            self.between.at(self.system, frame, s, &mut self.moment).map_err(|failure| failure.to_string())?;
            self.rows.push(self.moment.clone());
        }
        self.between.keep(frame);
        Ok(())
    }
}

/// Rows and crossings of the pendulum until t = 3.2.
fn pendulum(how: &str, h: f64) -> (Vec<Moment>, Vec<f64>) {
    let scene = built_in("pendulum-polar", &[]);
    let (system, initial) = (&*scene.problem.system, &scene.problem.initial);
    let watches = [watch("angle", |_, q, _| q - 0.5, Direction::Any), watch("turn", |_, _, v| v, Direction::Any)];
    let mut stepper = stepper(&scene, &method(how));
    let between = Between::new(system, initial).expect("a mass");
    let (lookout, moment) = (Lookout::new(&watches, system.dim()), Moment::new(system.dim()));
    let mut rows = Rows { system, between, lookout, moment, rows: Vec::new(), crossings: Vec::new() };
    let grid = Grid { t0: initial.t, h, steps: (3.2 / h).round() as u64 };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: OnFailure::Stop };
    let outcome = run.go(initial.clone(), &mut [&mut rows], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None);
    (rows.rows, rows.crossings)
}

#[test]
fn rows_and_crossings_of_galerkin_have_the_order_of_its_dense_output() {
    let (fine, known) = pendulum("galerkin degree = 6", 0.05);
    assert!(known.len() >= 2, "{known:?}");
    let errors = |h: f64| {
        let (rows, crossings) = pendulum("galerkin degree = 3", h);
        assert_eq!(crossings.len(), known.len());
        let every = (h / 0.05).round() as usize;
        let largest =
            |errors: &mut dyn Iterator<Item = f64>| errors.fold(0.0_f64, |max, error| max.max(error.abs()));
        let (q, p): (Vec<f64>, Vec<f64>) = rows
            .iter()
            .zip(fine.iter().step_by(every))
            .map(|(row, known)| {
                assert!((row.t - known.t).abs() < 1e-12);
                (row.q[0] - known.q[0], row.p[0] - known.p[0])
            })
            .unzip();
        let mut times = crossings.iter().zip(&known).map(|(found, known)| found - known);
        [largest(&mut q.into_iter()), largest(&mut p.into_iter()), largest(&mut times)]
    };
    // Polynomials of degree 4 in positions and momenta: order 5 inside, though 7 at the nodes.
    let (coarse, fine) = (errors(0.4), errors(0.1));
    for (what, (coarse, fine)) in ["q", "p", "t"].into_iter().zip(coarse.into_iter().zip(fine)) {
        let slope = (coarse / fine).log2() / 2.0;
        assert!((4.6..6.5).contains(&slope), "{what}: slope {slope}, {coarse:e} and {fine:e}");
    }
}
