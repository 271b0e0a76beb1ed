//! The rows of a step: equalities, geometric stiffness, velocities, contacts, in the saddle-point form of the solvers.

use carom_lcp::problem::Moved;
use carom_lcp::{Blocks, Dense, GlobalFriction, Saddle, SaddleMlcp, Sparse};

use super::beside::Ends;
use super::options::{Config, Hessian, Stiffness};
use super::stiffness::Geometric;
use crate::error::{Failure, Row};
use crate::state::{State, all_finite};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::rows::RowShape;
use crate::system::{ContactId, Mass, System};

// Notation
//   ε, τ, φ, T   of a holonomic row, see the method
//   b            right-hand side of a row: row · v1 + T z = b, or ≥ b; q = −b in the form of the solvers

/// From so many coordinates on bodies that no row moves are left out of problems.
const MANY: usize = 512;

/// A contact that has rows in the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Which.
    pub id: ContactId,
    /// Its gap.
    pub gap: f64,
    /// The speed at which it opens because its surfaces move.
    pub drift: f64,
    /// Its coefficient of friction.
    pub mu: f64,
}

/// What is known when the rows are made.
#[derive(Clone, Copy)]
pub struct At<'a> {
    /// Where the step starts.
    pub state: &'a State,
    /// Velocity there, after impacts.
    pub v: &'a [f64],
    /// Length of the step.
    pub h: f64,
    /// Whether `v` is the velocity at the node and not half a step before.
    pub centred: bool,
}

/// The rows of a step: equalities, those of geometric stiffness, velocities, then contacts with the normal first.
pub struct Rows {
    pub(super) shape: RowShape,
    /// Values, gradients, rates and bends of the equalities.
    pub f: Vec<f64>,
    pub(super) g: Vec<f64>,
    pub(super) rate: Vec<f64>,
    pub(super) bend: Vec<f64>,
    geometric: Option<Geometric>,
    /// `A`, `a(t)`, and room for its derivative.
    velocity: [Vec<f64>; 3],
    /// The contacts with rows, ascending.
    pub contacts: Vec<Contact>,
    /// Rows of a contact: 1 without friction.
    pub dimension: usize,
    pub(super) row: Vec<f64>,
    entries: Vec<(usize, f64)>,
    /// Directions of sliding of a contact.
    slides: [Vec<(usize, f64)>; 2],
    /// The bodies that rows move.
    moved: Moved,
    pub(super) ends: Ends,
    /// The form, `p` without the impulses of the step.
    pub saddle: Saddle,
    /// Bounds of the impulses.
    pub lower: Vec<f64>,
    /// The upper ones.
    pub upper: Vec<f64>,
    bounded: bool,
    /// By row of velocities.
    motors: Vec<bool>,
    pub(super) timed: bool,
}

impl Rows {
    /// For a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let k = system.nonholonomic().map_or(0, |rows| rows.rows());
        Failure::unless_it_fits("the matrix of rows of velocities", k, n)?;
        let inverse = InverseMass::new(system, &start.q)?;
        let shape = RowShape::of(system, &inverse);
        if system.equalities().sparse().is_none() {
            Failure::unless_it_fits("the matrix of constraint gradients", m, n)?;
        }
        let mass = match system.mass() {
            Mass::Diagonal(mass) => Blocks::diagonal(mass),
            mass => {
                let mut block = vec![0.0; n * n];
                mass.matrix(&start.q, &mut block);
                let lines: Vec<Vec<f64>> = block.chunks(n).map(<[f64]>::to_vec).collect();
                let block = Dense::from_rows(&lines).expect("lines of equal length");
                Blocks::from_blocks(&[block]).expect("a square block")
            }
        };
        let saddle =
            Saddle::new(mass, Sparse::from_triplets(0, n, &[]).expect("no rows"), vec![], vec![0.0; n], vec![])
                .map_err(|wrong| Failure::Form { reason: wrong.to_string() })?;
        let geometric = match config.stiffness {
            Stiffness::Geometric if m > 0 => Some(Geometric::new(system, start)?),
            _ => None,
        };
        let rows = || vec![0.0; m];
        let bounded = system
            .nonholonomic()
            .is_some_and(|rows| (0..k).any(|row| rows.force_bounds(row).iter().any(|bound| bound.is_finite())));
        Ok(Self {
            g: vec![0.0; shape.entries()],
            shape,
            f: rows(),
            rate: rows(),
            bend: rows(),
            geometric,
            velocity: [vec![0.0; k * n], vec![0.0; k], vec![0.0; k]],
            contacts: Vec::new(),
            dimension: 1,
            row: vec![0.0; n * 2],
            entries: Vec::new(),
            slides: Default::default(),
            moved: Moved::default(),
            ends: Ends::default(),
            saddle,
            lower: Vec::new(),
            upper: Vec::new(),
            bounded,
            motors: system.nonholonomic().map_or(Vec::new(), |rows| (0..k).map(|row| rows.is_motor(row)).collect()),
            timed: system.time_dependence().equalities,
        })
    }

    /// Number of equalities, of rows of geometric stiffness, and of rows of velocities.
    pub fn counts(&self) -> [usize; 3] {
        [self.f.len(), self.geometric.as_ref().map_or(0, Geometric::rows), self.velocity[1].len()]
    }

    /// Rows before those of contacts.
    pub fn joints(&self) -> usize {
        self.counts().iter().sum()
    }

    /// Whether an impulse before those of contacts has bounds.
    pub fn has_bounded_joints(&self) -> bool {
        self.bounded
    }

    /// Whether a row of velocities is a motor.
    pub fn is_motor(&self, row: usize) -> bool {
        self.motors[row]
    }

    /// Whether every impulse is free.
    pub fn is_linear(&self) -> bool {
        self.contacts.is_empty() && !self.bounded
    }

    /// The equation that a row stands for.
    pub fn name<S: System + ?Sized>(&self, system: &S, row: usize) -> Row {
        let [m, s, k] = self.counts();
        match row {
            _ if row < m => Row::equality(system, row),
            _ if row < m + s => Row::equality(system, self.geometric.as_ref().map_or(0, |of| of.owner(row - m))),
            _ if row < m + s + k => Row::velocity(system, row - m - s),
            _ => Row::contact(system, self.contacts[(row - m - s - k) / self.dimension].id),
        }
    }

    /// Work that moving surfaces do by impulses of these rows.
    pub fn surface_work(&self, z: &[f64]) -> f64 {
        let impulses = z[self.joints().min(z.len())..].chunks_exact(self.dimension);
        0.0 - self.contacts.iter().zip(impulses).map(|(contact, z)| contact.drift * z[0]).sum::<f64>()
    }

    /// What moving constraints did: `∂g/∂t` of every equality, empty if none moves.
    pub fn rates(&self) -> &[f64] {
        if self.timed { &self.rate } else { &[] }
    }

    /// `vᵀHv` of every equality at a configuration.
    pub fn bends<S: System + ?Sized>(&mut self, system: &S, state: &State, v: &[f64]) -> &[f64] {
        system.equalities().bend(state.t, &state.q, v, &mut self.bend);
        &self.bend
    }

    /// `G_i · v` of a row.
    pub fn speed(&self, row: usize, v: &[f64]) -> f64 {
        self.saddle.jacobian.row_times(row, v)
    }

    /// Makes the rows of a step. `impulses` are those of the equalities in the step before.
    pub fn make<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        at: &At,
        impulses: &[f64],
    ) -> Result<(), Failure> {
        let At { state, h, .. } = *at;
        self.shape.evaluate(system, state.t, &state.q, [&mut self.f, &mut self.g]);
        if !(all_finite(&self.f) && all_finite(&self.g)) {
            return Err(Failure::NonFinite { what: "an equality constraint or its gradient" });
        }
        if self.timed {
            system.equalities().rate(state.t, &state.q, &mut self.rate);
        }
        if let Some(geometric) = &mut self.geometric {
            geometric.evaluate(system, state, impulses, h)?;
        }
        if let Some(rows) = system.nonholonomic() {
            let [a, rate, derivative] = &mut self.velocity;
            rows.matrix(&state.q, a);
            rows.rates(state.t, rate, derivative);
        }
        self.fill(system, state)?;
        self.saddle.t.clear();
        self.saddle.q.clear();
        self.lower.clear();
        self.upper.clear();
        if config.hessian != Hessian::None && !self.f.is_empty() {
            system.equalities().bend(state.t, &state.q, at.v, &mut self.bend);
        }
        self.equality_sides(config, system, at);
        self.stiffness_sides(at);
        self.velocity_sides(config, system, at);
        self.contact_sides(config, system, at);
        Ok(())
    }

    /// The matrix. As long as there are no contacts its pattern stays.
    fn fill<S: System + ?Sized>(&mut self, system: &S, state: &State) -> Result<(), Failure> {
        let (n, [m, s, k]) = (state.q.len(), self.counts());
        let changed = !self.contacts.is_empty() || self.saddle.jacobian.rows() != m + s + k;
        if changed {
            self.saddle.jacobian.restart(n);
            for row in 0..m {
                self.entries.clear();
                self.shape.each_entry(row, &self.g, |column, value| self.entries.push((column, value)));
                self.saddle.jacobian.push_row(self.entries.iter().copied());
            }
            for row in 0..s {
                let geometric = self.geometric.as_ref().expect("it has rows");
                self.saddle.jacobian.push_row(geometric.entries(row));
            }
            for row in self.velocity[0].chunks_exact(n) {
                self.saddle.jacobian.push_row(row.iter().copied().enumerate());
            }
            return self.push_contacts(system, state);
        }
        let values = self.saddle.jacobian.values_mut();
        let (equalities, values) = values.split_at_mut(self.g.len());
        equalities.copy_from_slice(&self.g);
        let stiffness = self.geometric.as_ref().map_or(&[][..], Geometric::values);
        let (of_stiffness, values) = values.split_at_mut(stiffness.len());
        of_stiffness.copy_from_slice(stiffness);
        values.copy_from_slice(&self.velocity[0]);
        Ok(())
    }

    fn push_contacts<S: System + ?Sized>(&mut self, system: &S, state: &State) -> Result<(), Failure> {
        let (t, q, contacts) = (state.t, &state.q[..], system.contacts());
        for Contact { id, .. } in &self.contacts {
            let (jacobian, mut finite) = (&mut self.saddle.jacobian, true);
            contacts.partials(t, q, *id, &mut |column, value| {
                finite &= value.is_finite();
                if value != 0.0 {
                    jacobian.push_entry(column, value);
                }
            });
            jacobian.end_row();
            if !finite {
                return Err(Failure::NonFinite { what: "the gradient of an inequality constraint" });
            }
            if self.dimension == 1 {
                continue;
            }
            let slides = &mut self.slides;
            slides.iter_mut().for_each(Vec::clear);
            contacts.slides(t, q, *id, &mut |direction, column, value| {
                if value != 0.0 {
                    slides[direction].push((column, value));
                }
            });
            for slide in &self.slides[..self.dimension - 1] {
                jacobian.push_row(slide.iter().copied());
            }
        }
        Ok(())
    }

    /// T and b of a holonomic row [lacoursiere-linde-2011 (55)]; `moved` is its rate at rest, κ what stands before its bend.
    fn holonomic([epsilon, tau]: [f64; 2], at: &At, [value, speed, moved]: [f64; 3], kappa_bend: f64) -> [f64; 2] {
        let h = at.h;
        let phi = 1.0 / (1.0 + 4.0 * tau / h);
        let t = 4.0 * epsilon * phi / (h * h);
        let pushed = -(4.0 / h) * phi * value - (1.0 - phi) * moved - kappa_bend;
        if at.centred {
            // With v0 = 2v − v1 the row is (1 + φ) G v1 + T λ = … + 2φ G v, and λ is twice the unknown.
            return [2.0 * t / (1.0 + phi), (pushed + 2.0 * phi * speed) / (1.0 + phi)];
        }
        [t, pushed + phi * speed]
    }

    fn push_side(&mut self, [t, b]: [f64; 2], [lower, upper]: [f64; 2]) {
        self.saddle.t.push(t);
        self.saddle.q.push(0.0 - b);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    fn equality_sides<S: System + ?Sized>(&mut self, config: &Config, system: &S, at: &At) {
        let h = at.h;
        for row in 0..self.f.len() {
            let [epsilon, tau] = config.softness(system, row, h);
            let phi = 1.0 / (1.0 + 4.0 * tau / h);
            let kappa = match config.hessian {
                Hessian::None => 0.0,
                Hessian::Chord => phi * (h + 2.0 * tau),
                Hessian::Frozen => phi * h,
                Hessian::Full => h,
            };
            let bend = if kappa == 0.0 { 0.0 } else { kappa * self.bend[row] };
            let moved = if self.timed { self.rate[row] } else { 0.0 };
            let side = Self::holonomic([epsilon, tau], at, [self.f[row], self.speed(row, at.v), moved], bend);
            self.push_side(side, [f64::NEG_INFINITY, f64::INFINITY]);
        }
    }

    /// B v1 + η/(½h²κ) = B v0.
    fn stiffness_sides(&mut self, at: &At) {
        let [m, s, _] = self.counts();
        for row in 0..s {
            let t = self.geometric.as_ref().map_or(1.0, |of| of.regularisation(row));
            // A centred start has half the impulse and v1 − v0 = 2(v1 − v).
            let b = self.speed(m + row, at.v);
            self.push_side([t, b], [f64::NEG_INFINITY, f64::INFINITY]);
        }
    }

    fn velocity_sides<S: System + ?Sized>(&mut self, config: &Config, system: &S, at: &At) {
        let Some(rows) = system.nonholonomic() else { return };
        let part = if at.centred { 0.5 } else { 1.0 };
        for row in 0..rows.rows() {
            let delta = rows.slip(row).unwrap_or(config.slip);
            let bounds = rows.force_bounds(row).map(|force| part * at.h * force);
            self.push_side([delta / (part * at.h), self.velocity[1][row]], bounds);
        }
    }

    fn contact_sides<S: System + ?Sized>(&mut self, config: &Config, system: &S, at: &At) {
        let (first, part) = (self.joints(), if at.centred { 0.5 } else { 1.0 });
        for place in 0..self.contacts.len() {
            let Contact { id, gap, drift, .. } = self.contacts[place];
            let row = first + place * self.dimension;
            let softness = config.contact_softness(system, id, at.h);
            let [t, mut b] = Self::holonomic(softness, at, [gap, self.speed(row, at.v), drift], 0.0);
            if gap > 0.0 {
                // The gap may close within the step, not before: the row of a closed one would brake early.
                b = -gap / at.h - drift;
            }
            self.push_side([t, b], [0.0, f64::INFINITY]);
            for _ in 1..self.dimension {
                self.push_side([config.slip / (part * at.h), 0.0], [0.0, 0.0]);
            }
        }
    }

    /// Lends the form and its bounds to a problem for as long as `solve` runs.
    pub fn lend<T>(&mut self, problem: &mut SaddleMlcp, solve: impl FnOnce(&SaddleMlcp) -> T) -> T {
        if self.moves_few() {
            problem.saddle.take_moved(&self.saddle, &mut self.moved);
            problem.lower.clone_from(&self.lower);
            problem.upper.clone_from(&self.upper);
            return solve(problem);
        }
        self.exchange(problem);
        let answer = solve(problem);
        self.exchange(problem);
        answer
    }

    /// Whether most of many bodies are moved by no row: then these are left out of problems.
    fn moves_few(&mut self) -> bool {
        let n = self.saddle.p.len();
        n >= MANY && self.saddle.jacobian.rows() < n && 2 * self.moved.find(&self.saddle) < n
    }

    fn exchange(&mut self, problem: &mut SaddleMlcp) {
        std::mem::swap(&mut problem.saddle, &mut self.saddle);
        std::mem::swap(&mut problem.lower, &mut self.lower);
        std::mem::swap(&mut problem.upper, &mut self.upper);
    }

    /// Lends the form, with what is asked of contacts, to a problem with friction for as long as `solve` runs. The bounds of the impulses stay.
    pub fn lend_rough<T>(
        &mut self,
        problem: &mut GlobalFriction,
        solve: impl FnOnce(&Self, &mut GlobalFriction) -> T,
    ) -> T {
        (problem.dimension, problem.equalities) = (self.dimension, self.joints());
        problem.mu.clear();
        problem.mu.extend(self.contacts.iter().map(|contact| contact.mu));
        if self.moves_few() {
            problem.saddle.take_moved(&self.saddle, &mut self.moved);
            return solve(self, problem);
        }
        std::mem::swap(&mut problem.saddle, &mut self.saddle);
        let answer = solve(self, problem);
        std::mem::swap(&mut problem.saddle, &mut self.saddle);
        answer
    }

    /// `M v − Gᵀz` without the impulses of the step: `p = −(M v + h f)`, of a centred start with half the force.
    pub fn set_momentum(&mut self, momentum: &[f64], force: &[f64], h: f64) {
        for (p, (momentum, force)) in self.saddle.p.iter_mut().zip(momentum.iter().zip(force)) {
            *p = -(momentum + h * force);
        }
    }

    /// The momentum after the step.
    pub fn momentum_after(&self, z: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.saddle.p).for_each(|(out, p)| *out = -p);
        self.saddle.jacobian.add_transposed_times(z, out);
    }
}
