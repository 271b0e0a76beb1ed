//! Coulomb friction: the directions of sliding of contacts, for impacts (`impact/rough.rs`), and the friction of contacts that rest.

use super::mass::InverseMass;
use super::projection::ConstraintRows;
use crate::error::{Failure, Row};
use crate::impact::{Cone, RoughCone};
use crate::linear::{Cholesky, dot};
use crate::state::State;
use crate::system::System;

/// Sweeps of friction over all contacts; one contact takes one or two.
const SWEEPS: u32 = 100;

/// Friction at a set of contacts.
#[derive(Debug, Clone)]
pub struct Friction {
    /// Where the directions of each contact begin; one more at the end.
    starts: Vec<usize>,
    /// Directions of sliding, freed of what equality constraints take.
    t: Vec<f64>,
    /// The same times `M⁻¹`, and times the metric of an impact.
    y_t: Vec<f64>,
    z_t: Vec<f64>,
    /// Coefficients.
    mu: Vec<f64>,
    nu: Vec<f64>,
    /// Impulses along the normals.
    pub normal: Vec<f64>,
    /// Impulses along the directions, and those of them at the start of the leg.
    tangent: Vec<f64>,
    half: Vec<f64>,
    /// The contacts on a leg that these belong to, and the energy that they took so far.
    held: Vec<usize>,
    work: f64,
    /// Of small systems.
    pub factors: Cholesky,
    /// Their unknowns.
    pub y: Vec<f64>,
    rows: Vec<f64>,
}

impl Default for Friction {
    fn default() -> Self {
        let list = Vec::new;
        Self {
            starts: Vec::new(),
            t: list(),
            y_t: list(),
            z_t: list(),
            mu: list(),
            nu: list(),
            normal: list(),
            tangent: list(),
            half: list(),
            held: Vec::new(),
            work: 0.0,
            factors: Cholesky::new(0),
            y: list(),
            rows: list(),
        }
    }
}

/// What solves with the mass and with the equality constraints at a state.
pub type Given<'a> = (&'a InverseMass, Option<&'a ConstraintRows>);

impl Friction {
    /// Whether friction acts at a contact of a set.
    pub fn is_rough<S: System + ?Sized>(&self, system: &S, members: &[usize], coefficient: Option<f64>) -> bool {
        let mu = |contact| coefficient.unwrap_or_else(|| system.contacts().friction(contact));
        members.iter().any(|&contact| mu(contact) > 0.0 && system.contacts().directions(contact) > 0)
    }

    /// Directions and coefficients of a set of contacts at a state; whether friction acts at any.
    pub fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        members: &[usize],
        (inverse, rows): Given,
        coefficient: Option<f64>,
    ) -> bool {
        if !self.is_rough(system, members, coefficient) {
            return false;
        }
        let n = state.q.len();
        self.starts.clear();
        self.mu.clear();
        let mut count = 0;
        for &contact in members {
            self.starts.push(count);
            self.mu.push(coefficient.unwrap_or_else(|| system.contacts().friction(contact)));
            count += if self.mu[self.mu.len() - 1] > 0.0 { system.contacts().directions(contact) } else { 0 };
        }
        self.starts.push(count);
        self.t.resize(count * n, 0.0);
        self.nu.resize(system.equalities().count(), 0.0);
        for (place, &contact) in members.iter().enumerate() {
            let own = self.starts[place] * n..self.starts[place + 1] * n;
            if !own.is_empty() {
                system.contacts().tangents(&state.q, contact, &mut self.t[own]);
            }
        }
        if let Some(rows) = rows {
            self.t.chunks_exact_mut(n).for_each(|t| rows.free(t, &mut self.nu));
        }
        self.divide_by_mass(inverse, n);
        true
    }

    fn divide_by_mass(&mut self, inverse: &InverseMass, n: usize) {
        self.y_t.clear();
        self.y_t.extend_from_slice(&self.t);
        self.y_t.chunks_exact_mut(n).for_each(|y| inverse.solve(y));
    }

    /// Takes off the directions what the normals of contacts that are held take, so that friction does not lift them.
    pub fn free_of_normals<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        held: &[usize],
        (inverse, rows): Given,
    ) -> Result<(), Failure> {
        let (n, count) = (state.q.len(), held.len());
        // Notation: N = rows of the normals, N M⁻¹ behind them; t −= Nᵀ(N M⁻¹Nᵀ)⁻¹N M⁻¹t.
        self.rows.resize(2 * count * n, 0.0);
        let (normals, divided) = self.rows.split_at_mut(count * n);
        for (row, &contact) in normals.chunks_exact_mut(n).zip(held) {
            system.contacts().gradient(&state.q, contact, row);
            if let Some(rows) = rows {
                rows.free(row, &mut self.nu);
            }
        }
        divided.copy_from_slice(normals);
        divided.chunks_exact_mut(n).for_each(|row| inverse.solve(row));
        self.factors.resize(count);
        for (a, left) in divided.chunks_exact(n).enumerate() {
            for (b, right) in normals.chunks_exact(n).enumerate() {
                self.factors.matrix[a * count + b] = dot(left, right);
            }
        }
        self.factors.factor().map_err(|breakdown| Failure::Redundant {
            row: Row::contact(system, held[breakdown.index]),
            pivot: breakdown.pivot,
        })?;
        self.y.resize(count, 0.0);
        for t in self.t.chunks_exact_mut(n) {
            for (y, row) in self.y.iter_mut().zip(divided.chunks_exact(n)) {
                *y = dot(row, t);
            }
            self.factors.solve(&mut self.y[..count]);
            for (y, row) in self.y.iter().zip(normals.chunks_exact(n)) {
                t.iter_mut().zip(row).for_each(|(t, g)| *t -= y * g);
            }
        }
        self.divide_by_mass(inverse, n);
        Ok(())
    }

    /// The directions times the metric of an impact, which makes them of those times `M⁻¹`.
    pub fn measure(&mut self, metric: impl FnOnce((&[f64], &mut [f64]))) {
        self.z_t.resize(self.y_t.len(), 0.0);
        metric((&self.y_t, &mut self.z_t));
    }

    /// The contacts of an impact with these directions.
    pub fn rough<'a>(&'a self, cone: Cone<'a>) -> RoughCone<'a> {
        RoughCone { cone, starts: &self.starts, t: &self.t, z_t: &self.z_t, mu: &self.mu }
    }

    /// What belongs to the directions of a contact, of a list for all; not numbers where it has none.
    pub fn of_contact(&self, place: usize, all: &[f64]) -> [f64; 2] {
        let mut own = [f64::NAN; 2];
        own.iter_mut().zip(&all[self.starts[place]..self.starts[place + 1]]).for_each(|(own, value)| *own = *value);
        own
    }

    /// Nothing of the friction of these contacts has acted yet.
    pub fn start(&mut self, held: &[usize]) {
        self.held.clear();
        self.held.extend_from_slice(held);
        self.tangent.clear();
        self.half.clear();
        self.work = 0.0;
    }

    /// Half of the friction that was found acts; its directions are those at the start of the leg. Returns by how much it differs from the half
    /// before, relative to the largest impulse.
    pub fn act_by_half(&mut self, p: &mut [f64]) -> f64 {
        let n = p.len();
        self.work = 0.0;
        self.half.resize(self.tangent.len(), f64::INFINITY);
        let (mut changed, mut largest) = (0.0_f64, 0.0_f64);
        for (k, (l, half)) in self.tangent.iter_mut().zip(&mut self.half).enumerate() {
            *l *= 0.5;
            (changed, largest) = (changed.max((*l - *half).abs()), largest.max(l.abs()));
            *half = *l;
            let (t, y) = (&self.t[k * n..(k + 1) * n], &self.y_t[k * n..(k + 1) * n]);
            self.work += *l * (dot(y, p) + 0.5 * *l * dot(y, t));
            p.iter_mut().zip(t).for_each(|(p, t)| *p += *l * t);
        }
        if changed > 0.0 { changed / largest } else { 0.0 }
    }

    /// Starts anew if other contacts are held than before.
    pub fn go_on(&mut self, held: &[usize]) {
        if self.held != held {
            self.start(held);
        }
    }

    /// The rest of the friction of a leg. Returns the energy that all of it took.
    pub fn finish(&mut self, held: &[usize], p: &mut [f64]) -> f64 {
        self.go_on(held);
        self.work + self.slide(p)
    }

    /// Friction alone, bounded by the normal impulses: sweeps of projected gradient steps of the kinetic energy, contact by
    /// contact, which cannot grow, until nothing changes. Returns the energy that it took.
    pub fn slide(&mut self, p: &mut [f64]) -> f64 {
        let (n, mut work) = (p.len(), 0.0);
        self.tangent.resize(self.t.len() / n, 0.0);
        for _ in 0..SWEEPS {
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for place in 0..self.mu.len() {
                let own = self.starts[place]..self.starts[place + 1];
                let inertia = self.largest_inertia(own.clone(), n);
                if inertia <= 0.0 || inertia.is_nan() {
                    continue;
                }
                let row = |k: usize| k * n..(k + 1) * n;
                let mut next = [0.0; 2];
                for (next, k) in next.iter_mut().zip(own.clone()) {
                    *next = self.tangent[k] - dot(&self.y_t[row(k)], p) / inertia;
                }
                let (length, most) = (next[0].hypot(next[1]), self.mu[place] * self.normal[place]);
                let shrink = if length > most { most / length } else { 1.0 };
                for (next, k) in next.iter().zip(own) {
                    let change = next * shrink - self.tangent[k];
                    let (t, y) = (&self.t[row(k)], &self.y_t[row(k)]);
                    work += change * (dot(y, p) + 0.5 * change * dot(y, t));
                    p.iter_mut().zip(t).for_each(|(p, t)| *p += change * t);
                    self.tangent[k] += change;
                    (moved, size) = (moved.max(change.abs()), size.max(self.tangent[k].abs()));
                }
            }
            if moved <= f64::EPSILON * size {
                break;
            }
        }
        work
    }

    /// The largest eigenvalue of `W_tt` of a contact: with it one step stops a contact whose directions are alike.
    fn largest_inertia(&self, own: std::ops::Range<usize>, n: usize) -> f64 {
        let product = |i: usize, j: usize| dot(&self.t[i * n..(i + 1) * n], &self.y_t[j * n..(j + 1) * n]);
        match own.len() {
            0 => 0.0,
            1 => product(own.start, own.start),
            _ => {
                let (i, j) = (own.start, own.start + 1);
                let (a, b, c) = (product(i, i), product(i, j), product(j, j));
                0.5 * (a + c) + (0.5 * (a - c)).hypot(b)
            }
        }
    }
}
