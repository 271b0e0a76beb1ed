//! What a run came to, by name: the quantities that a claim's expression can use.

use std::collections::BTreeMap;

use carom::projected::{Region, Regions};
use carom::study::{Level, exponent};

use super::gauge::Gauge;
use super::impacts::Impacts;
use super::inside::{Interior, Part};
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

/// What is measured at impacts, by steps beside the run, where a claim uses it.
pub(super) const IMPACT_DEFECT: &str = "impact_defect";
pub(super) const PREIMAGES: &str = "preimages";
pub(super) const PRINCIPLE: &str = "projected_residual";

/// Until when what the key `recurs` says has come again in time.
pub(super) const RECURS_UNTIL: &str = "recurs_until";

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
    ("largest_jump", Number),
    ("range_exponent", Number),
    ("range_growth", Number),
    ("linear_initial", List),
    ("linear_final", List),
    ("linear_change", Number),
    ("angular_initial", List),
    ("angular_final", List),
    ("angular_change", Number),
    ("max_equality", Number),
    ("max_equality_velocity", Number),
    ("rms_equality", Number),
    ("expected_equality", Number),
    ("rms_expected", Number),
    ("lateral", Number),
    ("max_penetration", Number),
    ("min_gap", Number),
    ("impacts", Number),
    ("active_steps", Number),
    ("most_impacts", Number),
    ("fallbacks", Number),
    ("captured", Number),
    ("impact_work", Number),
    (IMPACT_DEFECT, Number),
    (PREIMAGES, Number),
    (PRINCIPLE, Number),
    (RECURS_UNTIL, Number),
    ("rms_nodes_q", Number),
    ("rms_nodes_p", Number),
    ("rms_grid_q", Number),
    ("rms_grid_p", Number),
    ("rms_ansatz_q", Number),
    ("rms_ansatz_p", Number),
    ("rms_continuous_q", Number),
    ("rms_continuous_p", Number),
    ("rms_best_q", Number),
    ("rms_best_p", Number),
    ("max_equality_inside", Number),
    ("balance_residual", Number),
    ("balance_change", Number),
    ("balance_range", Number),
    ("jump_rms", Number),
    ("jump_correlation", Number),
    ("jump_ratio_min", Number),
    ("jump_ratio_max", Number),
    ("symplectic_defect", Number),
    ("h", Number),
    ("steps", Number),
    ("t", Number),
    ("iterations_mean", Number),
    ("iterations_max", Number),
    (FAILED, Number),
    ("late_q", List),
    ("final_q", List),
    ("final_v", List),
    ("final_p", List),
];

/// The quantities of a state that was kept, `run.at0.energy`, `run.after0.energy`.
pub const STATE_QUANTITIES: &[(&str, Shape)] = &[
    ("t", Number),
    ("step", Number),
    ("energy", Number),
    ("angular", List),
    ("linear", List),
    ("q", List),
    ("p", List),
];

/// What stands before the name of a parameter of a run's scene.
pub(super) const PARAMETERS: &str = "parameters";

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
    pub(super) fn number(&mut self, name: &str, value: impl Into<Option<f64>>) {
        self.0.insert(name.to_string(), Value::Number(value.into()));
    }

    pub(super) fn list(&mut self, name: &str, values: &[f64]) {
        self.0.insert(name.to_string(), Value::List(values.to_vec()));
    }

    /// The value of a quantity; an error says why it has none.
    pub fn get(&self, name: &str, index: Option<usize>) -> Result<f64, String> {
        match (self.0.get(name), index) {
            (None, _) => Err(match name.strip_prefix(PARAMETERS) {
                Some(_) => format!("the scene has no `{name}`"),
                None => format!("`{name}` was not measured"),
            }),
            (Some(Value::Number(None)), _) => Err(format!("`{name}` has no meaning for what was run")),
            (Some(Value::Number(Some(value))), _) => Ok(*value),
            (Some(Value::List(values)), None) => match values[..] {
                [value] => Ok(value),
                [] => Err(format!("`{name}` has no meaning for what was run")),
                _ => Err(format!("`{name}` has {} components: give an index", values.len())),
            },
            (Some(Value::List(values)), Some(index)) => values
                .get(index)
                .copied()
                .ok_or_else(|| format!("`{name}` has {} components, and none of number {index}", values.len())),
        }
    }

    /// The parameters of a scene.
    pub(super) fn parameters(&mut self, parameters: &[(String, f64)]) {
        parameters.iter().for_each(|(name, value)| self.number(&format!("{PARAMETERS}.{name}"), *value));
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

    /// Of a run and what was seen of it: at nodes, at impacts, inside steps.
    pub(super) fn of_run(
        report: &RunReport,
        gauge: &Gauge,
        impacts: Option<&Impacts>,
        interior: &Interior,
    ) -> Self {
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
        all.number("largest_jump", gauge.largest_jump);
        all.number("range_exponent", gauge.range_exponent());
        all.number("range_growth", gauge.range_growth());
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
        let (regularised, rms) = (report.regularisation.as_ref(), gauge.rms_equality());
        all.number("rms_equality", rms.map(|[found, _]| found));
        all.number("rms_expected", rms.filter(|_| regularised.is_some()).map(|[_, expected]| expected));
        all.number("expected_equality", regularised.map(|regularised| regularised.expected_equality));
        all.number("lateral", regularised.and_then(|regularised| regularised.lateral));
        all.number("max_penetration", constraints.max_penetration);
        all.number("min_gap", gauge.least_gap);
        all.number("impacts", report.impacts.map(|count| count as f64));
        all.number("active_steps", report.active_steps.map(|count| count as f64));
        let counted = |count: f64| report.impacts.map(|_| count);
        all.number("most_impacts", counted(f64::from(gauge.most_impacts)));
        all.number("fallbacks", counted(gauge.fallbacks as f64));
        all.number("captured", counted(report.captured.unwrap_or(0) as f64));
        all.number("impact_work", counted(gauge.impact_work));
        all.number(IMPACT_DEFECT, impacts.and_then(|impacts| impacts.defect));
        all.number(PRINCIPLE, impacts.and_then(|impacts| impacts.residual));
        all.number(PREIMAGES, impacts.and_then(Impacts::preimages));
        for (name, _) in Part::QUANTITIES {
            all.number(name, interior.quantity(name));
        }
        all.number("h", report.h);
        all.number("steps", report.steps as f64);
        all.number("t", report.t);
        all.number("iterations_mean", report.solver.iterations_mean);
        all.number("iterations_max", f64::from(report.solver.iterations_max));
        all.number(FAILED, f64::from(u8::from(!report.complete)));
        all.list("late_q", gauge.late());
        all.list("final_q", &report.last.q);
        all.list("final_v", &report.last.v);
        all.list("final_p", &report.last.p);
        for (name, state) in gauge.states() {
            let Some(kept) = state else { continue };
            let name = |quantity: &str| format!("{name}.{quantity}");
            all.number(&name("t"), kept.t);
            all.number(&name("step"), kept.step as f64);
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
