//! What is looked at inside steps, where a claim asks for it: errors against a finer run, the energy balance of the ansatz
//! functions, their jumps, constraints between nodes.

mod balance;
mod errors;
mod polynomial;

pub(super) use balance::Energy;

use carom::measures::{Probe, ProbeError};
use carom::method::AnyMethod;
use carom::observe::{Frame, Observer};
use carom::steppers::{End, Inside};
use carom::system::System;

use crate::scene::Scene;
use balance::Balance;
use errors::{Errors, Means};

/// Points of a step at which constraints are looked at.
const POINTS: usize = 101;
/// Steps that are probed.
const PROBED: u64 = 20;

/// A part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Errors against the reference.
    Errors,
    /// Those on the grid of times.
    Grid,
    /// Constraints between nodes.
    Equality,
    /// The energy balance of a step.
    Balance,
    /// Jumps of the ansatz functions.
    Jumps,
    /// Jumps beside errors.
    Estimate,
    /// Symplecticity.
    Defect,
}

impl Part {
    /// Every quantity with the part that it is of.
    pub const QUANTITIES: [(&'static str, Self); 19] = [
        ("rms_nodes_q", Self::Errors),
        ("rms_nodes_p", Self::Errors),
        ("rms_grid_q", Self::Grid),
        ("rms_grid_p", Self::Grid),
        ("rms_ansatz_q", Self::Errors),
        ("rms_ansatz_p", Self::Errors),
        ("rms_continuous_q", Self::Errors),
        ("rms_continuous_p", Self::Errors),
        ("rms_best_q", Self::Errors),
        ("rms_best_p", Self::Errors),
        ("max_equality_inside", Self::Equality),
        ("balance_residual", Self::Balance),
        ("balance_change", Self::Balance),
        ("balance_range", Self::Balance),
        ("jump_rms", Self::Jumps),
        ("jump_correlation", Self::Estimate),
        ("jump_ratio_min", Self::Estimate),
        ("jump_ratio_max", Self::Estimate),
        ("symplectic_defect", Self::Defect),
    ];

    /// The key of the run that it needs and does not have.
    pub fn missing(self, settings: &Settings) -> Option<&'static str> {
        let refers = matches!(self, Self::Errors | Self::Grid | Self::Estimate);
        match self {
            _ if refers && !settings.reference => Some("reference"),
            Self::Grid if settings.grid.is_none() => Some("grid"),
            _ => None,
        }
    }
}

/// How it is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Settings {
    /// Whether there is a reference.
    pub reference: bool,
    /// Distance of the times at which errors on a grid are taken.
    pub grid: Option<f64>,
    /// What momenta are divided by where they are measured together with coordinates.
    pub momentum_scale: Option<f64>,
}

/// Looks at the motion inside steps.
pub(super) struct Interior<'a> {
    parts: Vec<Part>,
    system: &'a (dyn System + 'static),
    probe: Probe<'a>,
    errors: Option<Errors<'a>>,
    balance: Option<Balance<'a>>,
    h: f64,
    scale: f64,
    jumps: Jumps,
    /// The size of the jumps of the last step, and of the error inside it.
    pub last: (Option<f64>, Option<f64>),
    equality: Option<f64>,
    defect: Option<f64>,
    missed: bool,
}

/// The degree of a method's ansatz functions.
fn degree(method: &AnyMethod) -> Option<usize> {
    match method {
        AnyMethod::Galerkin(config) => Some(config.degree as usize),
        _ => None,
    }
}

impl<'a> Interior<'a> {
    /// Looks at these parts of the run of a scene, with the scene of its reference.
    pub fn new(
        scene: &'a Scene,
        reference: Option<&'a Scene>,
        parts: &[Part],
        settings: &Settings,
    ) -> Result<Self, String> {
        let (system, h) = (&*scene.problem.system, scene.run.h);
        let degree = degree(&scene.method);
        let asked = |of: &[Part]| parts.iter().any(|part| of.contains(part));
        let reference = reference.filter(|_| asked(&[Part::Errors, Part::Grid, Part::Estimate]));
        let errors = reference.map(|reference| Errors::new(reference, h, settings.grid, degree)).transpose()?;
        let balance = degree.filter(|_| asked(&[Part::Balance]));
        let balance =
            balance.map(|degree| Balance::new(system, h, degree, &scene.problem.initial.q)).transpose()?;
        Ok(Self {
            parts: parts.to_vec(),
            system,
            probe: Probe::new(system, &scene.method, h),
            errors,
            balance,
            h,
            scale: settings.momentum_scale.unwrap_or(1.0),
            jumps: Jumps::default(),
            last: (None, None),
            equality: None,
            defect: None,
            missed: false,
        })
    }

    fn asked(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// What came out, by name; nothing of the inside of steps if it was not seen of all of them.
    pub fn quantity(&self, name: &str) -> Option<f64> {
        if self.missed && !matches!(name, "rms_nodes_q" | "rms_nodes_p" | "symplectic_defect") {
            return None;
        }
        let root = |of: fn(&Errors) -> Means, place: usize| self.errors.as_ref().and_then(|e| of(e).roots()[place]);
        let balance = self.balance.as_ref();
        match name {
            "rms_nodes_q" => root(|errors| errors.nodes, 0),
            "rms_nodes_p" => root(|errors| errors.nodes, 1),
            "rms_grid_q" => root(|errors| errors.on_grid, 0),
            "rms_grid_p" => root(|errors| errors.on_grid, 1),
            "rms_ansatz_q" => root(|errors| errors.ansatz, 0),
            "rms_ansatz_p" => root(|errors| errors.ansatz, 1),
            "rms_continuous_q" => root(|errors| errors.continuous, 0),
            "rms_continuous_p" => root(|errors| errors.continuous, 1),
            "rms_best_q" => root(|errors| errors.best, 0),
            "rms_best_p" => root(|errors| errors.best, 1),
            "max_equality_inside" => self.equality,
            "balance_residual" => balance.and_then(|balance| balance.residual),
            "balance_change" => balance.and_then(|balance| balance.change),
            "balance_range" => balance.and_then(Balance::range),
            "jump_rms" => self.jumps.rms(),
            "jump_correlation" => self.jumps.correlation(),
            "jump_ratio_min" => self.jumps.ratios.map(|(least, _)| least),
            "jump_ratio_max" => self.jumps.ratios.map(|(_, most)| most),
            "symplectic_defect" => self.defect,
            _ => None,
        }
    }

    /// The largest value of a constraint between nodes.
    fn look_at_constraints(&mut self, inside: &dyn Inside, start: f64) {
        let (n, rows) = (self.system.dim(), self.system.equalities().count());
        let (mut q, mut p, mut values) = (vec![0.0; n], vec![0.0; n], vec![0.0; rows]);
        for k in 0..POINTS {
            let s = k as f64 / (POINTS - 1) as f64;
            inside.ansatz(s, &mut q, &mut p);
            self.system.equalities().values(start + s * self.h, &q, &mut values);
            for value in &values {
                self.equality = Some(self.equality.unwrap_or(0.0).max(value.abs()));
            }
        }
    }

    /// The size of the jumps at both ends of a step.
    fn jump(&self, inside: &dyn Inside) -> f64 {
        let n = self.system.dim();
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        let mut sum = 0.0;
        for end in [End::Start, End::Finish] {
            inside.jump(end, &mut q, &mut p);
            sum += self.together(&q, &p);
        }
        sum.sqrt()
    }

    /// The square of what is measured together.
    fn together(&self, q: &[f64], p: &[f64]) -> f64 {
        let square = |x: &[f64]| x.iter().fold(0.0, |sum, x| sum + x * x);
        square(q) + square(p) / (self.scale * self.scale)
    }
}

impl Observer for Interior<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if self.asked(Part::Defect) && frame.step < PROBED {
            match self.probe.symplecticity(frame.state) {
                Ok(defect) => self.defect = Some(self.defect.map_or(defect, |most| most.max(defect))),
                // No step starts beside a node that touches a contact without resting on it.
                Err(ProbeError::Beyond { .. }) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        if let Some(errors) = &mut self.errors {
            errors.observe(frame)?;
        }
        if let Some(balance) = &mut self.balance {
            balance.observe(frame)?;
        }
        let Some(inside) = frame.inside else {
            self.missed |= frame.step > 0;
            return Ok(());
        };
        if self.asked(Part::Equality) {
            self.look_at_constraints(inside, frame.state.t - self.h);
        }
        if self.asked(Part::Jumps) || self.asked(Part::Estimate) {
            let jump = self.jump(inside);
            let error = self.errors.as_ref().map(|errors| {
                let [q, p] = errors.last;
                (q + p / (self.scale * self.scale)).sqrt()
            });
            self.jumps.add(jump, error);
            self.last = (Some(jump), error);
        }
        Ok(())
    }
}

/// Jumps of steps, and how they go with the errors inside the steps.
#[derive(Debug, Clone, Copy, Default)]
struct Jumps {
    steps: f64,
    squares: f64,
    /// Sums of the logarithms of jumps and errors, of their squares and of their product.
    logarithms: [f64; 5],
    /// Least and largest ratio of an error to the jump.
    ratios: Option<(f64, f64)>,
}

impl Jumps {
    fn add(&mut self, jump: f64, error: Option<f64>) {
        self.steps += 1.0;
        self.squares += jump * jump;
        let Some(error) = error else { return };
        let (x, y) = (jump.ln(), error.ln());
        for (sum, term) in self.logarithms.iter_mut().zip([x, y, x * x, y * y, x * y]) {
            *sum += term;
        }
        let ratio = error / jump;
        let (least, most) = self.ratios.unwrap_or((ratio, ratio));
        self.ratios = Some((least.min(ratio), most.max(ratio)));
    }

    fn rms(&self) -> Option<f64> {
        (self.steps > 0.0).then(|| (self.squares / self.steps).sqrt())
    }

    fn correlation(&self) -> Option<f64> {
        self.ratios?;
        let [x, y, xx, yy, xy] = self.logarithms.map(|sum| sum / self.steps);
        Some((xy - x * y) / ((xx - x * x) * (yy - y * y)).sqrt())
    }
}
