//! What a run came to, by name: the quantities that a claim's expression can use.

use std::collections::BTreeMap;

use carom::measures::Momentum;
use carom::observe::{Frame, Observer};
use carom::problem::Problem;
use carom::projected::{Region, Regions};
use carom::study::{Level, exponent};

use crate::report::RunReport;

/// One number, or a list of them that is used with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// A list.
    List,
}

use Shape::{List, Number};

/// Asks whether the run ended early; a claim that uses it may be about a run that did.
pub(super) const FAILED: &str = "failed";

/// The quantities of a run.
pub const RUN_QUANTITIES: &[(&str, Shape)] = &[
    ("energy_initial", Number),
    ("energy_final", Number),
    ("energy_min", Number),
    ("energy_max", Number),
    ("energy_slope", Number),
    ("energy_slope_error", Number),
    ("rise", Number),
    ("fall", Number),
    ("largest_rise", Number),
    ("largest_fall", Number),
    ("linear_initial", List),
    ("linear_final", List),
    ("linear_change", Number),
    ("angular_initial", List),
    ("angular_final", List),
    ("angular_change", Number),
    ("max_equality", Number),
    ("max_equality_velocity", Number),
    ("max_penetration", Number),
    ("min_gap", Number),
    ("impacts", Number),
    ("active_steps", Number),
    ("h", Number),
    ("steps", Number),
    ("t", Number),
    ("iterations_mean", Number),
    ("iterations_max", Number),
    (FAILED, Number),
    ("final_q", List),
    ("final_v", List),
    ("final_p", List),
];

/// The quantities of a state that was kept, `run.at0.energy`.
pub const STATE_QUANTITIES: &[(&str, Shape)] =
    &[("t", Number), ("energy", Number), ("angular", List), ("linear", List), ("q", List), ("p", List)];

/// The quantities of a convergence study.
pub const ORDER_QUANTITIES: &[(&str, Shape)] =
    &[("exponent", Number), ("exponent_p", Number), ("h", List), ("error", List), ("error_p", List)];

/// The quantities of a map.
pub const MAP_QUANTITIES: &[(&str, Shape)] =
    &[("outside", Number), ("fraction_n", Number), ("folded_over", Number), ("radius", Number)];

/// The shape of a quantity of a list.
pub(super) fn shape(list: &[(&str, Shape)], quantity: &str) -> Option<Shape> {
    list.iter().find(|(name, _)| *name == quantity).map(|(_, shape)| *shape)
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    /// Nothing where it has no meaning for the scene or the method.
    Number(Option<f64>),
    List(Vec<f64>),
}

/// Quantities with their values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quantities(BTreeMap<String, Value>);

impl Quantities {
    fn number(&mut self, name: &str, value: impl Into<Option<f64>>) {
        self.0.insert(name.to_string(), Value::Number(value.into()));
    }

    fn list(&mut self, name: &str, values: &[f64]) {
        self.0.insert(name.to_string(), Value::List(values.to_vec()));
    }

    /// The value of a quantity; an error says why it has none.
    pub fn get(&self, name: &str, index: Option<usize>) -> Result<f64, String> {
        match (self.0.get(name), index) {
            (None, _) => Err(format!("`{name}` was not measured")),
            (Some(Value::Number(None)), _) => Err(format!("`{name}` has no meaning for this scene and method")),
            (Some(Value::Number(Some(value))), _) => Ok(*value),
            (Some(Value::List(values)), None) => match values[..] {
                [value] => Ok(value),
                [] => Err(format!("`{name}` has no meaning for this scene and method")),
                _ => Err(format!("`{name}` has {} components: give an index", values.len())),
            },
            (Some(Value::List(values)), Some(index)) => values
                .get(index)
                .copied()
                .ok_or_else(|| format!("`{name}` has {} components, and none of number {index}", values.len())),
        }
    }

    /// Of a map.
    pub(super) fn of_map(regions: &Regions) -> Self {
        let mut all = Self::default();
        all.number("outside", 1.0 - regions.share(Region::Feasible));
        all.number("fraction_n", regions.folded());
        all.number("folded_over", regions.folded_over());
        all.number("radius", Some(regions.radius).filter(|radius| radius.is_finite()));
        all
    }

    /// Of a run and what a gauge saw of it.
    pub(super) fn of_run(report: &RunReport, gauge: &Gauge) -> Self {
        let mut all = Self::default();
        let energy = &report.energy;
        all.number("energy_initial", energy.initial);
        all.number("energy_final", energy.last);
        all.number("energy_min", energy.min);
        all.number("energy_max", energy.max);
        all.number("energy_slope", energy.slope);
        all.number("energy_slope_error", energy.slope_error);
        all.number("rise", energy.max - energy.initial);
        all.number("fall", energy.initial - energy.min);
        all.number("largest_rise", gauge.largest_rise);
        all.number("largest_fall", gauge.largest_fall);
        let (linear, _) = gauge.momentum.components();
        let largest = |changes: &[f64]| changes.iter().copied().reduce(f64::max);
        all.list("linear_initial", &gauge.first[..linear]);
        all.list("linear_final", &gauge.now[..linear]);
        all.number("linear_change", largest(&gauge.change[..linear]));
        all.list("angular_initial", &gauge.first[linear..]);
        all.list("angular_final", &gauge.now[linear..]);
        all.number("angular_change", largest(&gauge.change[linear..]));
        let constraints = &report.constraints;
        all.number("max_equality", constraints.max_equality);
        all.number("max_equality_velocity", constraints.max_equality_velocity);
        all.number("max_penetration", constraints.max_penetration);
        all.number("min_gap", gauge.least_gap);
        all.number("impacts", report.impacts.map(|count| count as f64));
        all.number("active_steps", report.active_steps.map(|count| count as f64));
        all.number("h", report.h);
        all.number("steps", report.steps as f64);
        all.number("t", report.t);
        all.number("iterations_mean", report.solver.iterations_mean);
        all.number("iterations_max", f64::from(report.solver.iterations_max));
        all.number(FAILED, f64::from(u8::from(!report.complete)));
        all.list("final_q", &report.last.q);
        all.list("final_v", &report.last.v);
        all.list("final_p", &report.last.p);
        for (place, (_, state)) in gauge.kept.iter().enumerate() {
            let Some(kept) = state else { continue };
            let name = |quantity: &str| format!("at{place}.{quantity}");
            all.number(&name("t"), kept.t);
            all.number(&name("energy"), kept.energy);
            all.list(&name("linear"), &kept.momentum[..linear]);
            all.list(&name("angular"), &kept.momentum[linear..]);
            all.list(&name("q"), &kept.q);
            all.list(&name("p"), &kept.p);
        }
        all
    }

    /// Of a convergence study.
    pub(super) fn of_order(levels: &[Level]) -> Self {
        let pick = |of: fn(&Level) -> f64| levels.iter().map(of).collect::<Vec<f64>>();
        let (h, q, p) = (pick(|level| level.h), pick(|level| level.error_q), pick(|level| level.error_p));
        let fit =
            |errors: &[f64]| exponent(&h.iter().copied().zip(errors.iter().copied()).collect::<Vec<(f64, f64)>>());
        let mut all = Self::default();
        all.number("exponent", fit(&q));
        all.number("exponent_p", fit(&p));
        all.list("h", &h);
        all.list("error", &q);
        all.list("error_p", &p);
        all
    }
}

/// A state that was kept.
struct Kept {
    t: f64,
    energy: f64,
    momentum: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
}

/// Sees in every node what a run's report does not have: all components of momentum, whether or not the scene conserves
/// them, the largest rise and fall of the energy between any two nodes, the least gap, and states at given times.
pub(super) struct Gauge {
    momentum: Momentum,
    first: Vec<f64>,
    now: Vec<f64>,
    change: Vec<f64>,
    lowest: f64,
    highest: f64,
    largest_rise: f64,
    largest_fall: f64,
    least_gap: Option<f64>,
    kept: Vec<(u64, Option<Kept>)>,
}

impl Gauge {
    /// For a problem; states are kept after these numbers of steps.
    pub fn new(problem: &Problem, steps: &[u64]) -> Self {
        let momentum = Momentum::new(problem.points.clone());
        let (linear, angular) = momentum.components();
        let components = || vec![0.0; linear + angular];
        Self {
            momentum,
            first: components(),
            now: components(),
            change: components(),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            largest_rise: 0.0,
            largest_fall: 0.0,
            least_gap: None,
            kept: steps.iter().map(|&step| (step, None)).collect(),
        }
    }

    /// A component of angular momentum at the node that was seen last.
    pub fn angular(&self, component: usize) -> Option<f64> {
        self.now.get(self.momentum.components().0 + component).copied()
    }

    /// The least gap of a node.
    pub fn gap(frame: &Frame) -> Option<f64> {
        frame.gap.iter().copied().reduce(f64::min)
    }
}

impl Observer for Gauge {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let energy = frame.energy();
        self.lowest = self.lowest.min(energy);
        self.highest = self.highest.max(energy);
        self.largest_rise = self.largest_rise.max(energy - self.lowest);
        self.largest_fall = self.largest_fall.max(self.highest - energy);
        self.momentum.of(&frame.state.q, &frame.state.p, &mut self.now);
        if frame.step == 0 {
            self.first.copy_from_slice(&self.now);
        }
        for i in 0..self.now.len() {
            self.change[i] = self.change[i].max((self.now[i] - self.first[i]).abs());
        }
        if let Some(gap) = Self::gap(frame) {
            self.least_gap = Some(self.least_gap.map_or(gap, |least| least.min(gap)));
        }
        for (step, kept) in &mut self.kept {
            if *step == frame.step {
                let (momentum, q, p) = (self.now.clone(), frame.state.q.clone(), frame.state.p.clone());
                *kept = Some(Kept { t: frame.state.t, energy, momentum, q, p });
            }
        }
        Ok(())
    }
}
