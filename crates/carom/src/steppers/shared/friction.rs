//! Coulomb friction: the directions of sliding of contacts, for impacts (`impact/rough.rs`), and the friction of contacts that rest.

use carom_lcp::Sparse;

use super::contacts::push_full;
use super::mass::InverseMass;
use super::projection::ConstraintRows;
use crate::error::{Failure, Row};
use crate::impact::{Cone, RoughCone};
use crate::linear::{Cholesky, dot};
use crate::state::State;
use crate::system::{ContactId, System};

/// Sweeps of friction over all contacts; one contact takes one or two.
const SWEEPS: u32 = 100;

/// Friction at a set of contacts.
#[derive(Debug, Clone)]
pub struct Friction {
    /// Where the directions of each contact begin; one more at the end.
    starts: Vec<usize>,
    /// Directions of sliding, freed of what equality constraints take.
    t: Sparse,
    /// The same times `M⁻¹`, and times the metric of an impact.
    y_t: Sparse,
    z_t: Sparse,
    /// Coefficients.
    mu: Vec<f64>,
    nu: Vec<f64>,
    /// Impulses along the normals.
    pub normal: Vec<f64>,
    /// Impulses along the directions, and those of them at the start of the leg.
    tangent: Vec<f64>,
    half: Vec<f64>,
    /// The contacts on a leg that these belong to, and the energy that they took so far.
    held: Vec<ContactId>,
    work: f64,
    /// Of small systems.
    pub factors: Cholesky,
    /// Their unknowns.
    pub y: Vec<f64>,
    rows: Vec<f64>,
    /// A row in full, and the entries of the directions of a contact.
    full: Vec<f64>,
    entries: [Vec<(usize, f64)>; 2],
}

impl Default for Friction {
    fn default() -> Self {
        let list = Vec::new;
        Self {
            starts: Vec::new(),
            t: Sparse::default(),
            y_t: Sparse::default(),
            z_t: Sparse::default(),
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
            full: list(),
            entries: Default::default(),
        }
    }
}

/// What solves with the mass and with the equality constraints at a state.
pub type Given<'a> = (&'a InverseMass, Option<&'a ConstraintRows>);

impl Friction {
    /// Whether friction acts at a contact of a set.
    pub fn is_rough<S: System + ?Sized>(
        &self,
        system: &S,
        members: &[ContactId],
        coefficient: Option<f64>,
    ) -> bool {
        let mu = |contact| coefficient.unwrap_or_else(|| system.contacts().material(contact).friction);
        members.iter().any(|&contact| mu(contact) > 0.0 && system.contacts().directions(contact) > 0)
    }

    /// Directions and coefficients of a set of contacts at a state; whether friction acts at any.
    pub fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        members: &[ContactId],
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
            self.mu.push(coefficient.unwrap_or_else(|| system.contacts().material(contact).friction));
            count += if self.mu[self.mu.len() - 1] > 0.0 { system.contacts().directions(contact) } else { 0 };
        }
        self.starts.push(count);
        self.t.restart(n);
        self.full.resize(n, 0.0);
        self.nu.resize(system.equalities().count(), 0.0);
        for (place, &contact) in members.iter().enumerate() {
            if self.starts[place] == self.starts[place + 1] {
                continue;
            }
            let entries = &mut self.entries;
            entries.iter_mut().for_each(Vec::clear);
            system.contacts().slides(state.t, &state.q, contact, &mut |direction, column, value| {
                entries[direction].push((column, value));
            });
            for direction in &self.entries[..self.starts[place + 1] - self.starts[place]] {
                let Some(rows) = rows else {
                    self.t.push_row(direction.iter().copied());
                    continue;
                };
                self.full.fill(0.0);
                direction.iter().for_each(|&(column, value)| self.full[column] = value);
                rows.free(&mut self.full, &mut self.nu);
                push_full(&mut self.t, &self.full);
            }
        }
        self.divide_by_mass(inverse);
        true
    }

    fn divide_by_mass(&mut self, inverse: &InverseMass) {
        if let Some(inverse) = inverse.reciprocals() {
            self.y_t.copy_from(&self.t);
            return self.y_t.scale_columns(inverse);
        }
        self.y_t.restart(self.full.len());
        for row in 0..self.t.rows() {
            self.full.fill(0.0);
            self.t.add_row(row, 1.0, &mut self.full);
            inverse.solve(&mut self.full);
            push_full(&mut self.y_t, &self.full);
        }
    }

    /// Takes off the directions what the normals of contacts that are held take, so that friction does not lift them.
    pub fn free_of_normals<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        held: &[ContactId],
        (inverse, rows): Given,
    ) -> Result<(), Failure> {
        let (n, count) = (state.q.len(), held.len());
        // Notation: N = rows of the normals, N M⁻¹ behind them; t −= Nᵀ(N M⁻¹Nᵀ)⁻¹N M⁻¹t.
        self.rows.resize(2 * count * n, 0.0);
        let (normals, divided) = self.rows.split_at_mut(count * n);
        for (row, &contact) in normals.chunks_exact_mut(n).zip(held) {
            system.contacts().gradient(state.t, &state.q, contact, row);
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
        // The room of what is divided by the mass, which is made anew.
        std::mem::swap(&mut self.t, &mut self.y_t);
        self.t.restart(n);
        for place in 0..self.y_t.rows() {
            self.full.fill(0.0);
            self.y_t.add_row(place, 1.0, &mut self.full);
            for (y, row) in self.y.iter_mut().zip(divided.chunks_exact(n)) {
                *y = dot(row, &self.full);
            }
            self.factors.solve(&mut self.y[..count]);
            for (y, row) in self.y.iter().zip(normals.chunks_exact(n)) {
                self.full.iter_mut().zip(row).for_each(|(t, g)| *t -= y * g);
            }
            push_full(&mut self.t, &self.full);
        }
        self.divide_by_mass(inverse);
        Ok(())
    }

    /// The directions times the metric of an impact, which makes them of those times `M⁻¹`.
    pub fn measure(&mut self, metric: impl FnOnce((&Sparse, &mut Sparse))) {
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
    pub fn start(&mut self, held: &[ContactId]) {
        self.held.clear();
        self.held.extend_from_slice(held);
        self.tangent.clear();
        self.half.clear();
        self.work = 0.0;
    }

    /// Half of the friction that was found acts; its directions are those at the start of the leg. Returns by how much it differs from the half
    /// before, relative to the largest impulse.
    pub fn act_by_half(&mut self, p: &mut [f64]) -> f64 {
        self.work = 0.0;
        self.half.resize(self.tangent.len(), f64::INFINITY);
        let (mut changed, mut largest) = (0.0_f64, 0.0_f64);
        for (k, (l, half)) in self.tangent.iter_mut().zip(&mut self.half).enumerate() {
            *l *= 0.5;
            (changed, largest) = (changed.max((*l - *half).abs()), largest.max(l.abs()));
            *half = *l;
            let inertia = self.y_t.row_product(k, &self.t, k);
            self.work += *l * (self.y_t.row_times(k, p) + 0.5 * *l * inertia);
            self.t.add_row(k, *l, p);
        }
        if changed > 0.0 { changed / largest } else { 0.0 }
    }

    /// Starts anew if other contacts are held than before.
    pub fn go_on(&mut self, held: &[ContactId]) {
        if self.held != held {
            self.start(held);
        }
    }

    /// The rest of the friction of a leg. Returns the energy that all of it took.
    pub fn finish(&mut self, held: &[ContactId], p: &mut [f64]) -> f64 {
        self.go_on(held);
        self.work + self.slide(p)
    }

    /// Friction alone, bounded by the normal impulses: sweeps of projected gradient steps of the kinetic energy, contact by
    /// contact, which cannot grow, until nothing changes. Returns the energy that it took.
    pub fn slide(&mut self, p: &mut [f64]) -> f64 {
        let mut work = 0.0;
        self.tangent.resize(self.t.rows(), 0.0);
        for _ in 0..SWEEPS {
            let (mut moved, mut size) = (0.0_f64, 0.0_f64);
            for place in 0..self.mu.len() {
                let own = self.starts[place]..self.starts[place + 1];
                let inertia = self.largest_inertia(own.clone());
                if inertia <= 0.0 || inertia.is_nan() {
                    continue;
                }
                let mut next = [0.0; 2];
                for (next, k) in next.iter_mut().zip(own.clone()) {
                    *next = self.tangent[k] - self.y_t.row_times(k, p) / inertia;
                }
                let (length, most) = (next[0].hypot(next[1]), self.mu[place] * self.normal[place]);
                let shrink = if length > most { most / length } else { 1.0 };
                for (next, k) in next.iter().zip(own) {
                    let change = next * shrink - self.tangent[k];
                    let inertia = self.y_t.row_product(k, &self.t, k);
                    work += change * (self.y_t.row_times(k, p) + 0.5 * change * inertia);
                    self.t.add_row(k, change, p);
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
    fn largest_inertia(&self, own: std::ops::Range<usize>) -> f64 {
        let product = |i: usize, j: usize| self.t.row_product(i, &self.y_t, j);
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
