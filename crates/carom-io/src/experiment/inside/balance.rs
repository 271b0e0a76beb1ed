//! The energy balance of a step of ansatz functions that jump, (23), (24) and (40) of Muehlebach et al.

use carom::linear::dot;
use carom::observe::Frame;
use carom::steppers::galerkin::legendre::gauss;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::{End, Inside};
use carom::system::System;

use super::polynomial::end_derivatives;

/// Gauss points for what depends on time explicitly.
const POINTS: usize = 16;

/// Energies of Hamilton's function along ansatz functions.
pub(in super::super) struct Energy<'a> {
    system: &'a (dyn System + 'static),
    inverse: InverseMass,
    v: Vec<f64>,
}

impl<'a> Energy<'a> {
    /// Of a system that is at a configuration.
    pub fn new(system: &'a (dyn System + 'static), q: &[f64]) -> Result<Self, String> {
        let inverse = InverseMass::new(system, q).map_err(|failure| failure.to_string())?;
        Ok(Self { system, inverse, v: vec![0.0; q.len()] })
    }

    /// `H(q, p, t)`.
    pub fn of(&mut self, t: f64, q: &[f64], p: &[f64]) -> Result<f64, String> {
        self.inverse.prepare(self.system, q).map_err(|failure| failure.to_string())?;
        self.v.copy_from_slice(p);
        self.inverse.solve(&mut self.v);
        Ok(0.5 * dot(p, &self.v) + self.system.potential(t, q))
    }
}

/// The balance over the steps of a run.
pub(super) struct Balance<'a> {
    system: &'a (dyn System + 'static),
    energy: Energy<'a>,
    h: f64,
    derivatives: Vec<(f64, [f64; 2])>,
    before: Vec<f64>,
    last_end: Option<f64>,
    lowest: f64,
    highest: f64,
    /// Largest difference between the value at the end of a step and that at its start.
    pub residual: Option<f64>,
    /// Largest difference between the value at the start of a step and that at the end of the step before.
    pub change: Option<f64>,
}

impl<'a> Balance<'a> {
    /// Of steps of length `h` with ansatz functions of a degree.
    pub fn new(system: &'a (dyn System + 'static), h: f64, degree: usize, q: &[f64]) -> Result<Self, String> {
        Ok(Self {
            system,
            energy: Energy::new(system, q)?,
            h,
            derivatives: end_derivatives(degree),
            before: q.to_vec(),
            last_end: None,
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            residual: None,
            change: None,
        })
    }

    /// From the lowest to the highest value at the start of a step.
    pub fn range(&self) -> Option<f64> {
        self.residual.map(|_| self.highest - self.lowest)
    }

    /// Looks at the step before a node.
    pub fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if let Some(inside) = frame.inside {
            let start = frame.state.t - self.h;
            let [first, last] = self.values(inside, start)?;
            let most = |so_far: Option<f64>, value: f64| {
                Some(so_far.map_or(value.abs(), |so_far| so_far.max(value.abs())))
            };
            self.residual = most(self.residual, last - first - self.explicit(inside, start));
            if let Some(before) = self.last_end {
                self.change = most(self.change, first - before);
            }
            (self.lowest, self.highest) = (self.lowest.min(first), self.highest.max(first));
            self.last_end = Some(last);
        }
        self.before.copy_from_slice(&frame.state.q);
        Ok(())
    }

    /// The energy-like value at the start of a step and at its end.
    fn values(&mut self, inside: &dyn Inside, start: f64) -> Result<[f64; 2], String> {
        let n = self.before.len();
        let zeros = || vec![0.0; n];
        let (mut q, mut p) = (zeros(), zeros());
        let mut rates = [(zeros(), zeros()), (zeros(), zeros())];
        for (s, factors) in &self.derivatives {
            inside.ansatz(*s, &mut q, &mut p);
            for ((q_rate, p_rate), factor) in rates.iter_mut().zip(factors) {
                for i in 0..n {
                    q_rate[i] += factor / self.h * q[i];
                    p_rate[i] += factor / self.h * p[i];
                }
            }
        }
        let (mut q_jump, mut p_jump) = (zeros(), zeros());
        let mut values = [0.0; 2];
        for (place, end) in [End::Start, End::Finish].into_iter().enumerate() {
            let s = place as f64;
            inside.ansatz(s, &mut q, &mut p);
            inside.jump(end, &mut q_jump, &mut p_jump);
            let (q_rate, p_rate) = &rates[place];
            values[place] =
                dot(q_rate, &p_jump) - dot(p_rate, &q_jump) + self.energy.of(start + s * self.h, &q, &p)?;
        }
        values[0] -= self.of_constraints(inside, start);
        Ok(values)
    }

    /// Work of the constraint forces over the jump of the constraints at the start.
    fn of_constraints(&self, inside: &dyn Inside, start: f64) -> f64 {
        let (n, rows) = (self.before.len(), self.system.equalities().count());
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        let (mut force, mut node, mut limit) = (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
        if rows == 0 {
            return 0.0;
        }
        inside.ansatz(0.0, &mut q, &mut p);
        inside.constraint_forces(0.0, &mut force);
        self.system.equalities().values(start, &self.before, &mut node);
        self.system.equalities().values(start, &q, &mut limit);
        dot(&force, &limit) - dot(&force, &node)
    }

    /// What changes the energy in a step because something depends on time.
    fn explicit(&self, inside: &dyn Inside, start: f64) -> f64 {
        let depends = self.system.time_dependence();
        if !(depends.potential || depends.equalities) {
            return 0.0;
        }
        let (n, rows) = (self.before.len(), self.system.equalities().count());
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        let (mut force, mut rate) = (vec![0.0; rows], vec![0.0; rows]);
        let mut sum = 0.0;
        let (places, weights) = gauss(POINTS);
        for (s, weight) in places.into_iter().zip(weights) {
            let t = start + s * self.h;
            inside.ansatz(s, &mut q, &mut p);
            sum += weight * self.h * self.system.potential_rates(t, &q)[0];
            if depends.equalities {
                inside.constraint_forces(s, &mut force);
                self.system.equalities().rate(t, &q, &mut rate);
                sum -= weight * self.h * dot(&force, &rate);
            }
        }
        sum
    }
}
