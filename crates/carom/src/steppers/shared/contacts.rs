//! The contacts of a step as rows: gradients, what they are measured by, and the metric of the conserved energy.

use carom_lcp::Sparse;

use crate::error::Failure;
use crate::impact::Stuck;
use crate::linear::{dot, matrix_times};
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::projection::ConstraintRows;
use crate::system::{ContactId, Contacts, System};

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

/// The gradient of one contact by its entries.
#[derive(Debug, Clone, Default)]
pub struct Row {
    entries: Vec<(usize, f64)>,
}

impl Row {
    /// Takes that of a contact at a time and place.
    #[inline]
    pub fn load(&mut self, contacts: &(impl Contacts + ?Sized), t: f64, q: &[f64], contact: ContactId) {
        let entries = &mut self.entries;
        entries.clear();
        contacts.partials(t, q, contact, &mut |column, value| entries.push((column, value)));
    }

    /// Its product with a vector.
    #[inline]
    pub fn dot(&self, x: &[f64]) -> f64 {
        self.iter().fold(0.0, |sum, (column, value)| sum + value * x[column])
    }

    /// `G M⁻¹Gᵀ` of the row; `room` is a vector.
    pub fn mobility(&self, inverse: &InverseMass, room: &mut [f64]) -> f64 {
        if let Some(inverse) = inverse.reciprocals() {
            return self.iter().fold(0.0, |sum, (column, value)| sum + value * (value * inverse[column]));
        }
        room.fill(0.0);
        self.iter().for_each(|(column, value)| room[column] = value);
        inverse.solve(room);
        self.dot(room)
    }

    /// Columns and values.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries.iter().copied()
    }
}

/// Rows of chosen contacts at a configuration.
#[derive(Debug, Clone, Default)]
pub struct ContactRows {
    /// The contacts, ascending.
    pub members: Vec<ContactId>,
    /// Gradients, freed of what equality constraints take.
    pub g: Sparse,
    /// `G M⁻¹`.
    pub y: Sparse,
    /// `G A`, `A` the metric of the energy.
    pub z: Sparse,
    /// What equality constraints take of each: `ν`, one row of `m` per contact.
    pub nu: Vec<f64>,
    /// Speeds of separation that no impulse changes: of surfaces and equality constraints that move.
    pub offset: Vec<f64>,
    /// Those of surfaces alone; empty if none moves.
    pub drift: Vec<f64>,
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
    row: Row,
    /// A row in full.
    full: Vec<f64>,
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
    pub fn noise(&self, gradient: &Row) -> f64 {
        ROUND_OFF * gradient.iter().fold(0.0, |sum, (i, g)| sum + (g * self.q[i]).abs())
    }

    /// Tolerances of a gap and of its speed along a gradient. A speed is compared with the one that the energy of the liveliest
    /// coordinate could give it, whatever its direction: `|G·v| ≤ (G M⁻¹Gᵀ)^½ (vᵀM v)^½`. What rests on a wall beside gravity has no other
    /// scale.
    pub fn along(&self, gradient: &Row, h: f64) -> (f64, f64) {
        let (mut size, mut inertia) = (0.0, 0.0);
        for (i, g) in gradient.iter().filter(|(_, g)| *g != 0.0) {
            size += (g * self.q[i]).abs();
            inertia += g * g * self.inverse[i];
        }
        let speed = (inertia * self.energy).sqrt();
        (ROUND_OFF * size + TOLERANCE * h.abs() * speed, TOLERANCE * speed)
    }
}

impl ContactRows {
    /// Speed of separation of a member.
    #[inline]
    pub fn speed(&self, place: usize, p: &[f64]) -> f64 {
        self.y.row_times(place, p) + self.offset[place]
    }

    /// The entry of `G M⁻¹Gᵀ` of two members.
    #[inline]
    pub fn product(&self, [i, j]: [usize; 2]) -> f64 {
        self.y.row_product(i, &self.g, j)
    }

    /// Work that moving surfaces do by impulses along the rows.
    pub fn surface_work(&self, impulses: &[f64]) -> f64 {
        0.0 - self.drift.iter().zip(impulses).map(|(drift, impulse)| drift * impulse).sum::<f64>()
    }

    /// The place of a contact among the members.
    #[inline]
    pub fn place(&self, contact: ContactId) -> Option<usize> {
        self.members.binary_search(&contact).ok()
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

    /// Gradients at a time and place, tolerances, and what equality constraints take; `inverse` and `rows` belong to the state. Fails if rows that
    /// equality constraints or a full mass fill do not fit into memory.
    pub fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &S,
        (t, at): (f64, &[f64]),
        (inverse, rows): (&InverseMass, Option<&ConstraintRows>),
        (scales, h): (&Scales, f64),
        restitution: Option<f64>,
    ) -> Result<(), Failure> {
        let (n, m, count) = (at.len(), system.equalities().count(), self.members.len());
        let fills = rows.is_some() || inverse.reciprocals().is_none();
        if fills && count.saturating_mul(n.max(m)) > FEW {
            let full = [[count, n]; 6];
            Failure::unless_they_fit("a step with so many contacts", &[&full[..], &[[count, m]]].concat())?;
        }
        [&mut self.g, &mut self.y].into_iter().for_each(|rows| rows.restart(n));
        self.full.resize(n, 0.0);
        self.nu.resize(count * m, 0.0);
        self.offset.clear();
        self.offset.resize(count, 0.0);
        self.drift.clear();
        let lists =
            [&mut self.restitution, &mut self.gap_tolerance, &mut self.gap_noise, &mut self.speed_tolerance];
        for list in lists.into_iter().chain([&mut self.push]) {
            list.resize(count, 0.0);
        }
        let (contacts, moves) = (system.contacts(), system.time_dependence().contacts);
        for place in 0..count {
            let contact = self.members[place];
            self.row.load(contacts, t, at, contact);
            (self.gap_tolerance[place], self.speed_tolerance[place]) = scales.along(&self.row, h);
            self.gap_noise[place] = scales.noise(&self.row);
            self.restitution[place] = restitution.unwrap_or_else(|| contacts.material(contact).restitution);
            if moves {
                self.offset[place] = h.signum() * contacts.rates(t, at, contact)[0];
                self.drift.push(self.offset[place]);
            }
            self.push_row(place, (inverse, rows), h);
            self.push[place] = -self.g.row_times(place, &scales.push);
        }
        Ok(())
    }

    /// Appends the row that was loaded.
    fn push_row(&mut self, place: usize, (inverse, rows): (&InverseMass, Option<&ConstraintRows>), h: f64) {
        if let (None, Some(inverse)) = (rows, inverse.reciprocals()) {
            for (column, value) in self.row.iter() {
                self.g.push_entry(column, value);
                self.y.push_entry(column, value * inverse[column]);
            }
            self.g.end_row();
            return self.y.end_row();
        }
        self.full.fill(0.0);
        self.row.iter().for_each(|(column, value)| self.full[column] = value);
        if let Some(rows) = rows {
            let m = rows.rate.len();
            let nu = &mut self.nu[place * m..(place + 1) * m];
            rows.free(&mut self.full, nu);
            // G v − (G − Fᵀν)v = ν·F v, and F v = −∂f/∂t.
            self.offset[place] += 0.0 - h.signum() * dot(nu, &rows.rate);
        }
        push_full(&mut self.g, &self.full);
        inverse.solve(&mut self.full);
        push_full(&mut self.y, &self.full);
    }
}

/// Appends what is not zero of a full row.
pub fn push_full(rows: &mut Sparse, full: &[f64]) {
    rows.push_row(full.iter().copied().enumerate().filter(|(_, value)| *value != 0.0));
}

/// The metric `A` of the energy that reflections conserve.
#[derive(Debug, Clone)]
pub struct Metric {
    /// `c` in `A = M⁻¹ + c h² M⁻¹V''M⁻¹`; none for the Hamiltonian.
    curvature: Option<f64>,
    hessian: Vec<f64>,
    product: Vec<f64>,
    /// A row in full.
    full: Vec<f64>,
}

impl Metric {
    /// With that coefficient of the curvature; none for the Hamiltonian.
    pub fn new(curvature: Option<f64>, n: usize) -> Self {
        let n = if curvature.is_some() { n } else { 0 };
        Self { curvature, hessian: vec![0.0; n * n], product: vec![0.0; n], full: vec![0.0; n] }
    }

    /// `Z = G A` at a state, of rows `G` with `Y = G M⁻¹`.
    pub fn apply<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (state, h): (&State, f64),
        (y, z): (&Sparse, &mut Sparse),
    ) {
        let Some(c) = self.curvature else { return z.copy_from(y) };
        let n = state.q.len();
        system.potential_hessian(state.t, &state.q, &mut self.hessian);
        z.restart(n);
        for row in 0..y.rows() {
            self.full.fill(0.0);
            y.row(row).for_each(|(column, value)| self.full[column] = value);
            matrix_times(&self.hessian, &self.full, &mut self.product);
            inverse.solve(&mut self.product);
            for (z, product) in self.full.iter_mut().zip(&self.product) {
                *z += c * h * h * product;
            }
            push_full(z, &self.full);
        }
    }
}
