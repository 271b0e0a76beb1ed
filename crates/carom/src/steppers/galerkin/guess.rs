//! Where Newton's method starts: the polynomials of the step before, extrapolated, or the motion's first terms.

use super::stages::combine;
use super::step::Galerkin;
use crate::error::Failure;
use crate::linear::dot;
use crate::state::{State, same_bits};
use crate::system::{Mass, System};

impl Galerkin {
    /// Keeps what the next step starts from.
    pub(super) fn remember(&mut self) {
        let (parts, mut rest) = ([&self.q1, &self.p1, &self.u, &self.lambda], &mut self.memory[1..]);
        for part in parts {
            let (here, behind) = rest.split_at_mut(part.len());
            here.copy_from_slice(part);
            rest = behind;
        }
        self.memory[0] = self.h;
    }

    /// Whether this step goes on where the one before ended, with the same length.
    pub(super) fn goes_on(&self, state: &State, h: f64) -> bool {
        let (q, p) = self.memory[1..].split_at(self.n);
        self.memory[0] == h && same_bits(q, &state.q) && same_bits(&p[..self.n], &state.p)
    }

    /// The unknowns from the step before.
    pub(super) fn extrapolate<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        let (n, modes) = (self.n, self.tables.modes);
        let (u, lambda) = self.memory[1 + 2 * n..].split_at(modes * n);
        let (tables, nc) = (&self.tables, self.nc);
        self.u.fill(0.0);
        for i in 0..n {
            let part = |k: usize| (0..modes).map(|j| tables.parts[k * modes + j] * u[j * n + i]).sum();
            tables.look_ahead(modes, part, |k, part| {
                (0..modes).for_each(|j| self.u[j * n + i] += part * tables.ahead[k * modes + j]);
            });
        }
        self.lambda.fill(0.0);
        for row in 0..nc {
            tables.look_ahead(
                modes - 1,
                |k| lambda[k * nc + row],
                |k, part| {
                    let ahead = tables.multipliers_ahead.iter().skip(k).step_by(modes - 1);
                    self.lambda
                        .iter_mut()
                        .skip(row)
                        .step_by(nc)
                        .zip(ahead)
                        .for_each(|(out, ahead)| *out += part * ahead);
                },
            );
        }
        self.mu.fill(0.0);
        self.start_momenta(system, state, h);
    }

    /// The unknowns from the state: `u = v0 + s h a0`, with the constraint forces that keep `a0` on the constraints.
    pub(super) fn expand<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<(), Failure> {
        let (n, nc, t) = (self.n, self.nc, state.t);
        let (v, a) = (&mut self.start, &mut self.p1);
        v.copy_from_slice(&state.p);
        self.inverse.solve(v);
        // M a = T_q − V_q + f − ∂(M v)/∂q v + Gᵀλ.
        system.potential_gradient(t, &state.q, a);
        a.iter_mut().for_each(|a| *a = -*a);
        if let Mass::Configuration(mass) = system.mass() {
            mass.kinetic_gradient(&state.q, v, &mut self.work);
            a.iter_mut().zip(&self.work).for_each(|(a, work)| *a += work);
            mass.momentum_jacobian(&state.q, v, &mut self.derivatives.work);
            crate::linear::matrix_times(&self.derivatives.work, v, &mut self.work);
            a.iter_mut().zip(&self.work).for_each(|(a, work)| *a -= work);
        }
        if let Some(forces) = system.forces() {
            forces.force(t, &state.q, v, &mut self.work);
            a.iter_mut().zip(&self.work).for_each(|(a, work)| *a += work);
        }
        self.inverse.solve(a);
        self.mu.fill(0.0);
        self.lambda.fill(0.0);
        if nc > 0 {
            // G a = −(vᵀg_qq v + 2 g_qt v + g_tt): what is missing is pulled back along M⁻¹Gᵀ.
            let missing = &mut self.sizes;
            self.rows.prepare(system, &self.inverse, t, &state.q)?;
            system.equalities().second_rate(t, &state.q, missing);
            for row in 0..nc {
                self.mu[row] = 1.0;
                system.equalities().hessian(t, &state.q, &self.mu, &mut self.derivatives.work);
                self.mu[row] = 0.0;
                crate::linear::matrix_times(&self.derivatives.work, v, &mut self.work);
                missing[row] += dot(&self.work, v);
                missing[row] += self.rows.shape.fold_row(row, &self.rows.g, a, 0.0, |sum, g, a| sum + g * a);
            }
            if system.time_dependence().equalities {
                let rates = &mut self.rates;
                system.equalities().jacobian_rate(t, &state.q, rates);
                for row in 0..nc {
                    missing[row] += 2.0 * dot(&rates[row * n..(row + 1) * n], v);
                }
            }
            self.rows.pull_back(missing, a);
            for (lambda, missing) in self.lambda.iter_mut().zip(missing) {
                *lambda = -*missing;
            }
        }
        for (u, c) in self.u.chunks_exact_mut(n).zip(&self.tables.c) {
            for i in 0..n {
                u[i] = v[i] + c * h * a[i];
            }
        }
        self.start_momenta(system, state, h);
        Ok(())
    }

    /// Momenta that are unknowns of their own, from the velocities.
    fn start_momenta<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        if !self.separate {
            return;
        }
        let (modes, points) = (self.tables.modes, &self.tables.momenta.0);
        for (k, p) in self.momenta.chunks_exact_mut(self.n).enumerate() {
            let row = k * modes..(k + 1) * modes;
            combine(Some(&state.q), h, &points.a[row.clone()], &self.u, &mut self.q1);
            combine(None, 1.0, &points.l[row], &self.u, &mut self.work);
            system.mass().times(&self.q1, &self.work, p);
        }
    }
}
