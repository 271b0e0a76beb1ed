//! The contacts of a step as rows: gradients, what they are measured by, and the metric of the conserved energy.

use crate::error::Failure;
use crate::impact::Stuck;
use crate::linear::{dot, matrix_times};
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::projection::ConstraintRows;
use crate::system::System;

/// Gaps and speeds below this multiple of what a step can change them by count as none. Contacts that are held are closed to
/// round-off, all others have gaps or speeds of ordinary size: there are ten decades between the two.
pub const TOLERANCE: f64 = 1e-10;
/// Energies below this share of the first of a step are round-off: with [`TOLERANCE`], speeds of 1e-16.
const FADED: f64 = 1e-12;
/// Energies below this are none: products of such speeds are no normal numbers.
const LEAST: f64 = 1e-280;
/// The same for the round-off of coordinates, which a gap is computed from.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Entries of a matrix that need no look at the memory.
const FEW: usize = 1 << 20;

/// Rows of chosen contacts at a configuration.
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    /// The contacts, ascending.
    pub members: Vec<usize>,
    /// Gradients, freed of what equality constraints take.
    pub g: Vec<f64>,
    /// `G M⁻¹`.
    pub y: Vec<f64>,
    /// `G A`, `A` the metric of the energy.
    pub z: Vec<f64>,
    /// What equality constraints take of each: `ν`, one row of `m` per contact.
    pub nu: Vec<f64>,
    /// Speeds of separation that come from equality constraints that move.
    pub offset: Vec<f64>,
    /// Coefficients of restitution.
    pub restitution: Vec<f64>,
    /// Gaps that count as closed.
    pub gap_tolerance: Vec<f64>,
    /// Gaps that are round-off of the coordinates.
    pub gap_noise: Vec<f64>,
    /// Speeds that count as none.
    pub speed_tolerance: Vec<f64>,
    /// How much speed of approach the forces give in a step; negative where they pull the contact apart.
    pub push: Vec<f64>,
}

/// What gaps and their speeds are measured by, by coordinate.
#[derive(Debug, Clone)]
pub struct Scales {
    /// `|q|`.
    q: Vec<f64>,
    /// The largest `m (|v| + h|a|)²`: twice the kinetic energy that a coordinate has or gains in a step.
    energy: f64,
    /// The same where it was measured first since [`Self::restart`], if that was asked for.
    first: Option<f64>,
    v: Vec<f64>,
    /// Reciprocals of the diagonal of the mass.
    inverse: Vec<f64>,
    /// `h a`, all forces included.
    pub push: Vec<f64>,
    force: Vec<f64>,
}

impl Scales {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let vector = || vec![0.0; n];
        Self {
            q: vector(),
            energy: 0.0,
            first: None,
            v: vector(),
            inverse: vector(),
            push: vector(),
            force: vector(),
        }
    }

    /// A new step: speeds that are round-off of those at its start count as none until it ends, however slow everything becomes.
    pub fn restart(&mut self) {
        self.first = Some(0.0);
    }

    /// At a state, with `∂V/∂q − f` there if it is known, for steps of length `h`; `inverse` must be prepared there.
    pub fn measure<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (state, gradient): (&State, Option<&[f64]>),
        h: f64,
    ) {
        let v = &mut self.v;
        v.copy_from_slice(&state.p);
        inverse.solve(v);
        if let Some(gradient) = gradient {
            self.push.copy_from_slice(gradient);
        } else {
            system.potential_gradient(state.t, &state.q, &mut self.push);
            if let Some(forces) = system.forces() {
                forces.force(state.t, &state.q, v, &mut self.force);
                self.push.iter_mut().zip(&self.force).for_each(|(push, force)| *push -= force);
            }
        }
        inverse.solve(&mut self.push);
        self.energy = LEAST;
        for (i, mass) in inverse.diagonal.iter().enumerate() {
            self.push[i] *= -h.abs();
            self.q[i] = state.q[i].abs();
            self.inverse[i] = mass.recip();
            self.energy = self.energy.max(mass * (self.v[i].abs() + self.push[i].abs()).powi(2));
        }
        if let Some(first) = &mut self.first {
            *first = if *first == 0.0 { self.energy } else { *first };
            self.energy = self.energy.max(FADED * *first);
        }
    }

    /// What a gap along a gradient is made uncertain by through the round-off of the coordinates.
    pub fn noise(&self, gradient: &[f64]) -> f64 {
        ROUND_OFF * gradient.iter().zip(&self.q).fold(0.0, |sum, (g, q)| sum + (g * q).abs())
    }

    /// Tolerances of a gap and of its speed along a gradient. A speed is compared with the one that the energy of the liveliest
    /// coordinate could give it, whatever its direction: `|G·v| ≤ (G M⁻¹Gᵀ)^½ (vᵀM v)^½`. What rests on a wall beside gravity has no other
    /// scale.
    pub fn along(&self, gradient: &[f64], h: f64) -> (f64, f64) {
        let (mut size, mut inertia) = (0.0, 0.0);
        for (i, g) in gradient.iter().enumerate().filter(|(_, g)| **g != 0.0) {
            size += (g * self.q[i]).abs();
            inertia += g * g * self.inverse[i];
        }
        let speed = (inertia * self.energy).sqrt();
        (ROUND_OFF * size + TOLERANCE * h.abs() * speed, TOLERANCE * speed)
    }
}

impl Contacts {
    /// Speed of separation of a member.
    pub fn speed(&self, place: usize, p: &[f64]) -> f64 {
        let n = p.len();
        dot(&self.y[place * n..(place + 1) * n], p) + self.offset[place]
    }

    /// The entry of `G M⁻¹Gᵀ` of two members, of `n` coordinates.
    pub fn product(&self, [i, j]: [usize; 2], n: usize) -> f64 {
        dot(&self.y[i * n..(i + 1) * n], &self.g[j * n..(j + 1) * n])
    }

    /// The failure of an impact law, with the names of the contacts.
    #[cold]
    pub fn no_end<S: System + ?Sized>(&self, system: &S, stuck: &Stuck) -> Failure {
        let words = stuck.approached.iter().map(|&(place, speed)| {
            format!("`{}` is still approached with {:.3e}", system.contacts().name(self.members[place]), -speed)
        });
        let unsolved = (stuck.residual > 0.0).then(|| format!("friction is solved to {:.1e} only", stuck.residual));
        Failure::Impact { passes: stuck.passes, contacts: words.chain(unsolved).collect::<Vec<_>>().join(", ") }
    }

    /// Gradients at `at`, tolerances, and what equality constraints take; `inverse` and `rows` belong to the state. Fails if the full rows of so
    /// many contacts do not fit into memory.
    pub fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &S,
        at: &[f64],
        (inverse, rows): (&InverseMass, Option<&ConstraintRows>),
        (scales, h): (&Scales, f64),
        restitution: Option<f64>,
    ) -> Result<(), Failure> {
        let (n, m, count) = (at.len(), system.equalities().count(), self.members.len());
        if count.saturating_mul(n.max(m).max(count)) > FEW {
            // Gradients here, in the law and in the step that holds contacts, and products of all with all.
            let (rows, products) = ([[count, n]; 6], [[count, count]; 2]);
            Failure::unless_they_fit(
                "a step with so many contacts",
                &[&rows[..], &products, &[[count, m]]].concat(),
            )?;
        }
        for rows in [&mut self.g, &mut self.y, &mut self.z] {
            rows.resize(count * n, 0.0);
        }
        self.nu.resize(count * m, 0.0);
        self.offset.clear();
        self.offset.resize(count, 0.0);
        let lists =
            [&mut self.restitution, &mut self.gap_tolerance, &mut self.gap_noise, &mut self.speed_tolerance];
        for list in lists.into_iter().chain([&mut self.push]) {
            list.resize(count, 0.0);
        }
        for (place, &contact) in self.members.iter().enumerate() {
            let g = &mut self.g[place * n..(place + 1) * n];
            system.contacts().gradient(at, contact, g);
            (self.gap_tolerance[place], self.speed_tolerance[place]) = scales.along(g, h);
            self.gap_noise[place] = scales.noise(g);
            self.restitution[place] = restitution.unwrap_or_else(|| system.contacts().restitution(contact));
            if let Some(rows) = rows {
                let nu = &mut self.nu[place * m..(place + 1) * m];
                rows.free(g, nu);
                // G v − (G − Fᵀν)v = ν·F v, and F v = −∂f/∂t.
                self.offset[place] = 0.0 - h.signum() * dot(nu, &rows.rate);
            }
            self.push[place] = -dot(g, &scales.push);
            let y = &mut self.y[place * n..(place + 1) * n];
            y.copy_from_slice(g);
            inverse.solve(y);
        }
        Ok(())
    }
}

/// The metric `A` of the energy that reflections conserve.
#[derive(Debug, Clone)]
pub struct Metric {
    /// `c` in `A = M⁻¹ + c h² M⁻¹V''M⁻¹`; none for the Hamiltonian.
    curvature: Option<f64>,
    hessian: Vec<f64>,
    product: Vec<f64>,
}

impl Metric {
    /// With that coefficient of the curvature; none for the Hamiltonian.
    pub fn new(curvature: Option<f64>, n: usize) -> Self {
        let n = if curvature.is_some() { n } else { 0 };
        Self { curvature, hessian: vec![0.0; n * n], product: vec![0.0; n] }
    }

    /// `Z = G A` at a state, of rows `G` with `Y = G M⁻¹`.
    pub fn apply<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (state, h): (&State, f64),
        (y, z): (&[f64], &mut [f64]),
    ) {
        z.copy_from_slice(y);
        let Some(c) = self.curvature else { return };
        let n = state.q.len();
        system.potential_hessian(state.t, &state.q, &mut self.hessian);
        for (z, y) in z.chunks_exact_mut(n).zip(y.chunks_exact(n)) {
            matrix_times(&self.hessian, y, &mut self.product);
            inverse.solve(&mut self.product);
            for (z, product) in z.iter_mut().zip(&self.product) {
                *z += c * h * h * product;
            }
        }
    }
}
