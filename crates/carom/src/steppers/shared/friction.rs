//! Coulomb friction at impacts and at contacts that rest, by laws that never create energy.
//!
//! One contact: Newton's restitution along the normal and Coulomb's law along the surface, solved together. Stick if the impulse that
//! stops the sliding lies in the cone `|l_t| ≤ μ l_n`, otherwise slip against the sliding before the impact:
//! ```text
//! W (l_n, l_t) = (−(1 + e)u_n, −u_t)                           stick
//! l_t = −μ l_n û,  l_n = −(1 + e)u_n/(W_nn − μ ûᵀW_tn)         slip, û = u_t/|u_t|
//! ```
//! These two laws together can create energy where normal and tangent are coupled [Kane & Levinson 1985]; and slip may have no
//! solution. Then, and for several contacts at once, normal impulses come first, and friction after them takes what the cone of
//! the normal impulse allows: each of the two can only lose energy. They alternate until no contact is approached; after 100 rounds
//! normal impulses without restitution have the last word.

use super::contacts::Contacts;
use super::mass::InverseMass;
use super::projection::ConstraintRows;
use crate::error::{Failure, Row};
use crate::impact::{Cone, Resolved, Resolver, Stuck};
use crate::linear::{Cholesky, Lu, dot};
use crate::state::State;
use crate::system::System;

/// Rounds of normal impulses and friction at several contacts.
const ROUNDS: u32 = 100;
/// Sweeps of friction over all contacts; one contact takes one or two.
const SWEEPS: u32 = 100;

/// Friction at a set of contacts.
#[derive(Debug, Clone)]
pub struct Friction {
    /// Where the directions of each contact begin; one more at the end.
    starts: Vec<usize>,
    /// Directions of sliding, freed of what equality constraints take.
    t: Vec<f64>,
    /// The same times `M⁻¹`.
    y_t: Vec<f64>,
    /// Coefficients.
    mu: Vec<f64>,
    nu: Vec<f64>,
    /// Impulses along the normals.
    pub normal: Vec<f64>,
    /// Impulses along the directions.
    tangent: Vec<f64>,
    /// The contacts on a leg that these belong to, and the energy that they took so far.
    held: Vec<usize>,
    work: f64,
    /// Of small systems.
    pub factors: Cholesky,
    lu: Lu,
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
            mu: list(),
            nu: list(),
            normal: list(),
            tangent: list(),
            held: Vec::new(),
            work: 0.0,
            factors: Cholesky::new(0),
            lu: Lu::new(0),
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
        let mu = |contact| coefficient.unwrap_or_else(|| system.friction(contact));
        members.iter().any(|&contact| mu(contact) > 0.0 && system.tangents(contact) > 0)
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
            self.mu.push(coefficient.unwrap_or_else(|| system.friction(contact)));
            count += if self.mu[self.mu.len() - 1] > 0.0 { system.tangents(contact) } else { 0 };
        }
        self.starts.push(count);
        self.t.resize(count * n, 0.0);
        self.nu.resize(system.equalities(), 0.0);
        for (place, &contact) in members.iter().enumerate() {
            let own = self.starts[place] * n..self.starts[place + 1] * n;
            if !own.is_empty() {
                system.gap_tangents(&state.q, contact, &mut self.t[own]);
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
            system.gap_gradient(&state.q, contact, row);
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

    /// Changes `p` by normal impulses and friction until no contact is approached.
    pub fn resolve(
        &mut self,
        (resolver, cone): (&mut Resolver, &Cone),
        contacts: &Contacts,
        p: &mut [f64],
    ) -> Result<Resolved, Stuck> {
        let members = contacts.members.len();
        self.normal.clear();
        self.normal.resize(members, 0.0);
        self.tangent.clear();
        self.tangent.resize(self.starts[members], 0.0);
        let approached = |place: &usize| contacts.speed(*place, p) < -contacts.speed_tolerance[*place];
        let mut hit = (0..members).filter(approached);
        let resolved = match (hit.next(), hit.next()) {
            (Some(place), None) if members == 1 => self.together(contacts, place, p),
            _ => None,
        };
        if let Some(resolved) = resolved {
            return Ok(resolved);
        }
        let mut total = Resolved::default();
        for _ in 0..ROUNDS {
            let resolved = resolver.resolve(cone, p)?;
            if resolved.passes == 0 {
                return Ok(total);
            }
            total.add(resolved);
            self.normal.iter_mut().zip(&resolver.impulse).for_each(|(sum, impulse)| *sum += impulse);
            total.work += self.slide(p);
        }
        // Friction and normal impulses of contacts that press each other can go on for ever. More normal impulse leaves friction in its cone.
        total.add(resolver.stop(cone, p)?);
        self.normal.iter_mut().zip(&resolver.impulse).for_each(|(sum, impulse)| *sum += impulse);
        Ok(total)
    }

    /// Both laws at one contact; `None` if they have no solution, or would create energy.
    fn together(&mut self, contacts: &Contacts, place: usize, p: &mut [f64]) -> Option<Resolved> {
        // Notation: u = (u_n, u_t), W = G M⁻¹Gᵀ over normal and tangents, l the impulses.
        let n = p.len();
        let count = 1 + self.starts[place + 1] - self.starts[place];
        let (mu, e) = (self.mu[place], contacts.restitution[place]);
        self.gather(contacts, place, n);
        let (rows, divided) = self.rows.split_at(count * n);
        let mut u = [0.0; 3];
        let mut w = [[0.0; 3]; 3];
        for i in 0..count {
            let y = &divided[i * n..(i + 1) * n];
            u[i] = dot(y, p) + if i == 0 { contacts.offset[place] } else { 0.0 };
            for j in 0..count {
                w[i][j] = dot(y, &rows[j * n..(j + 1) * n]);
            }
        }
        self.lu.resize(count);
        self.y.clear();
        for i in 0..count {
            self.lu.matrix[i * count..(i + 1) * count].copy_from_slice(&w[i][..count]);
            self.y.push(if i == 0 { -(1.0 + e) * u[0] } else { -u[i] });
        }
        let size = |l: &[f64]| l.iter().fold(0.0_f64, |sum, l| sum.hypot(*l));
        let sticks = self.lu.factor().is_ok() && {
            self.lu.solve(&mut self.y);
            self.y[0] > 0.0 && size(&self.y[1..]) <= mu * self.y[0]
        };
        if !sticks {
            let sliding = size(&u[1..count]);
            if sliding == 0.0 {
                return None;
            }
            let coupling: f64 = (1..count).map(|i| u[i] / sliding * w[i][0]).sum();
            let normal = -(1.0 + e) * u[0] / (w[0][0] - mu * coupling);
            if !(normal > 0.0 && normal.is_finite()) {
                return None;
            }
            self.y[0] = normal;
            (1..count).for_each(|i| self.y[i] = -mu * normal * u[i] / sliding);
        }
        let mut work = 0.0;
        for i in 0..count {
            let change: f64 = (0..count).map(|j| w[i][j] * self.y[j]).sum();
            work += self.y[i] * (u[i] + 0.5 * change);
        }
        if work > 0.0 {
            return None;
        }
        for (l, row) in self.y.iter().zip(rows.chunks_exact(n)) {
            p.iter_mut().zip(row).for_each(|(p, g)| *p += l * g);
        }
        self.normal[place] = self.y[0];
        self.tangent.copy_from_slice(&self.y[1..count]);
        Some(Resolved { passes: 1, work, approached: 0 })
    }

    /// Impulses along the directions of sliding of a contact of the last impact; not numbers where it has none.
    pub fn along_surface(&self, place: usize) -> [f64; 2] {
        let mut impulses = [f64::NAN; 2];
        let own = &self.tangent[self.starts[place]..self.starts[place + 1]];
        impulses.iter_mut().zip(own).for_each(|(impulse, own)| *impulse = *own);
        impulses
    }

    /// Normal and tangents of a contact as rows, and the same times `M⁻¹` behind them.
    fn gather(&mut self, contacts: &Contacts, place: usize, n: usize) {
        let tangents = self.starts[place] * n..self.starts[place + 1] * n;
        self.rows.clear();
        self.rows.extend_from_slice(&contacts.g[place * n..(place + 1) * n]);
        self.rows.extend_from_slice(&self.t[tangents.clone()]);
        self.rows.extend_from_slice(&contacts.y[place * n..(place + 1) * n]);
        self.rows.extend_from_slice(&self.y_t[tangents]);
    }

    /// Nothing of the friction of these contacts has acted yet.
    pub fn start(&mut self, held: &[usize]) {
        self.held.clear();
        self.held.extend_from_slice(held);
        self.tangent.clear();
        self.work = 0.0;
    }

    /// Half of the friction that was found acts; its directions are those at the start of the leg.
    pub fn act_by_half(&mut self, p: &mut [f64]) {
        let n = p.len();
        for (k, l) in self.tangent.iter_mut().enumerate() {
            *l *= 0.5;
            let (t, y) = (&self.t[k * n..(k + 1) * n], &self.y_t[k * n..(k + 1) * n]);
            self.work += *l * (dot(y, p) + 0.5 * *l * dot(y, t));
            p.iter_mut().zip(t).for_each(|(p, t)| *p += *l * t);
        }
    }

    /// The rest of the friction of a leg. Returns the energy that all of it took.
    pub fn finish(&mut self, held: &[usize], p: &mut [f64]) -> f64 {
        if self.held != held {
            self.start(held);
        }
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
