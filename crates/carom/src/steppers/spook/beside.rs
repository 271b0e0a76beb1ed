//! What is asked of the rows beside a step: what (52) leaves of a linear one, and how fast loaded rows let bodies move across them.

use super::options::Config;
use super::rows::{At, Rows};
use crate::error::Failure;
use crate::linear::dot;
use crate::state::State;
use crate::system::{Mass, System};

/// The ends of the chords around a node: a configuration, values of the equalities before it and after it, and gradients after it.
#[derive(Debug, Clone, Default)]
pub struct Ends {
    q: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
    g: Vec<f64>,
}

impl Rows {
    /// Puts what velocities and impulses leave of [lacoursiere-linde-2011 (52)] to the right-hand sides; the largest of it relative to its terms, and its row. `at.v` is the
    /// velocity before.
    pub fn correct<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        at: &At,
        v1: &[f64],
        z: &[f64],
    ) -> Result<(f64, usize), Failure> {
        let At { state, h, v: v0, centred } = *at;
        let Self { shape, f, g: g0, rate, timed, saddle, ends, .. } = self;
        let (m, mut worst) = (f.len(), (0.0, 0));
        let Ends { q, before, after, g } = ends;
        q.clear();
        q.extend(state.q.iter().zip(v0).map(|(q, v)| q - h * v));
        before.resize(m, 0.0);
        system.equalities().values(state.t - h, q, before);
        q.clear();
        q.extend(state.q.iter().zip(v1).map(|(q, v)| q + h * v));
        after.resize(m, 0.0);
        g.resize(g0.len(), 0.0);
        shape.evaluate(system, state.t + h, q, [after, g]);
        for row in 0..m {
            let [epsilon, tau] = config.softness(system, row, h);
            let phi = 1.0 / (1.0 + 4.0 * tau / h);
            let impulse = if centred { 2.0 * z[row] } else { z[row] };
            let speed = shape.fold_row(row, g, v1, 0.0, |sum, g, v| sum + g * v);
            let moved = if *timed { rate[row] } else { 0.0 };
            let mean = 0.25 * (after[row] + 2.0 * f[row] + before[row]);
            let left = epsilon / h * impulse + mean + tau * (speed + moved);
            let size = shape.fold_row(row, g, q, 0.0, |sum, g, q| sum + (g * q).abs());
            let relative = left.abs() / (size + (epsilon / h * impulse).abs()).max(f64::MIN_POSITIVE);
            if relative.is_nan() || relative > worst.0 {
                worst = (relative, row);
            }
            if relative.is_nan() {
                break;
            }
            let scale = if centred { 4.0 * phi / (h * (1.0 + phi)) } else { 4.0 * phi / h };
            saddle.q[row] += scale * left;
        }
        if worst.0.is_nan() {
            return Err(Failure::NonFinite { what: "an equality constraint after the step" });
        }
        Ok(worst)
    }

    /// A bound on ω² of motion across loaded equalities, from `Σ |λ_i/h| ‖H_i‖` over the rows of a block of coordinates.
    pub fn lateral<S: System + ?Sized>(&mut self, system: &S, state: &State, impulses: &[f64], h: f64) -> f64 {
        let diagonal = match system.mass() {
            Mass::Diagonal(mass) => mass,
            _ => return 0.0,
        };
        let Some(sparse) = system.equalities().sparse() else { return 0.0 };
        let pattern = sparse.pattern();
        let width = pattern.width();
        // Sums per block of coordinates stand in the room for rows.
        self.row.clear();
        self.row.resize(state.q.len() * 2, 0.0);
        let mut hessian = [0.0; 36];
        for (row, impulse) in impulses.iter().enumerate() {
            let range = pattern.range(row);
            let size = (range.len() * width).pow(2);
            if size > hessian.len() {
                return 0.0;
            }
            let hessian = &mut hessian[..size];
            sparse.row_hessian(state.t, &state.q, row, hessian);
            let stiffness = (impulse / h).abs() * dot(hessian, hessian).sqrt();
            for &block in &pattern.blocks()[range] {
                self.row[block] += stiffness;
            }
        }
        let blocks = self.row.iter().zip(diagonal.chunks(width));
        blocks.fold(0.0, |most: f64, (stiffness, mass)| most.max(stiffness / mass[0]))
    }
}
