//! Steps of Verlet with many contacts that push, for bodies in piles and clusters.
//!
//! ```text
//! x = q + h M⁻¹(p − ½h ∇V(q) + G(q)ᵀλ),         0 ≤ λ ⊥ g(x) ≥ 0
//! p1 = p − ½h(∇V(q) + ∇V(x)) + G(q)ᵀλ + G(x)ᵀμ,   0 ≤ μ ⊥ G(x)M⁻¹p1 ≥ 0 for the contacts that are closed at x
//! ```
//! Rows of a pile depend on each other, exactly or nearly: a row of discs that fills the width of its box has one more contact than it needs. Its
//! impulses are then not unique, though the motion is. Both problems are solved by quadratic programmes with a matrix whose diagonal is
//! raised by `RAISED`, around the impulses found before (proximal steps [Rockafellar 1976]): every set of contacts has factors, and where rows are independent
//! the raise vanishes from the solution at its own square.
//!
//! Cost: some factorisations of as many rows as there are contacts.

use carom_lcp::Sparse;

use super::contacts::{ContactRows, TOLERANCE, push_full};
use super::held::{Quest, Stride};
use super::mass::InverseMass;
use super::rubbing::Rubbing;
use crate::error::Failure;
use crate::impact::Programme;
use crate::state::State;
use crate::steppers::StepReport;
use crate::system::System;

/// What the diagonal is raised by, relative to itself.
pub const RAISED: f64 = 1e-8;
/// Programmes for positions; 3 to 6 are the rule.
const MOST_PROGRAMMES: u32 = 50;
/// Corrections of places; one will do.
const PULLS: u32 = 3;
/// Programmes for velocities: each is worth eight digits.
const VELOCITY_PROGRAMMES: u32 = 3;

/// Room for a step.
#[derive(Debug, Clone)]
pub struct Cluster {
    inverse: InverseMass,
    /// `p` after the first half of the forces, and where it leads without contacts.
    half: Vec<f64>,
    free: Vec<f64>,
    force: Vec<f64>,
    v: Vec<f64>,
    /// Programmes for positions and velocities.
    programme: Programme,
    last: Programme,
    /// Whether the matrix for positions and the gaps at the start belong to the contacts.
    known: bool,
    /// Which candidates pushed in the last programme for positions.
    pushed: Vec<bool>,
    /// Gaps at the start that are negative by round-off, by candidate: no force makes them good.
    sunk: Vec<f64>,
    /// Impulses at the start, by candidate.
    pub lambda: Vec<f64>,
    /// Impulses at the end, by candidate.
    pub mu: Vec<f64>,
    /// Rows at the end of the contacts that are closed there, by place among the candidates, and the same times `M⁻¹`.
    closed: Vec<usize>,
    g: Sparse,
    y: Sparse,
    /// The places of their rows.
    rows: Vec<usize>,
    product: Vec<f64>,
    /// What impulses that are known make of the speeds.
    known_speeds: Vec<f64>,
    /// For contacts with friction.
    pub rubbing: Rubbing,
}

impl Cluster {
    /// For a system; `None` unless a step of Verlet is explicit on it.
    pub fn new<S: System + ?Sized>(system: &S, q: &[f64]) -> Option<Self> {
        let coupled = system.forces().is_some_and(|forces| forces.depends_on_velocity());
        if coupled || !system.mass().is_constant() || system.equalities().count() > 0 {
            return None;
        }
        let vector = || vec![0.0; system.dim()];
        Some(Self {
            inverse: InverseMass::new(system, q).ok()?,
            half: vector(),
            free: vector(),
            force: vector(),
            v: vector(),
            programme: Programme::default(),
            last: Programme::default(),
            known: false,
            pushed: Vec::new(),
            sunk: Vec::new(),
            lambda: Vec::new(),
            mu: Vec::new(),
            closed: Vec::new(),
            g: Sparse::default(),
            y: Sparse::default(),
            rows: Vec::new(),
            known_speeds: Vec::new(),
            product: Vec::new(),
            rubbing: Rubbing::new(system)?,
        })
    }

    /// Other contacts, or the same elsewhere.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// `∂V/∂q − f` at a place, into `force`.
    fn evaluate<S: System + ?Sized>(&mut self, system: &S, t: f64, q: &[f64]) {
        system.potential_gradient(t, q, &mut self.force);
        if let Some(forces) = system.forces() {
            forces.force(t, q, &self.v, &mut self.product);
            self.force.iter_mut().zip(&self.product).for_each(|(sum, force)| *sum -= force);
        }
    }

    /// The momentum after the first half of the forces, and where it leads without contacts.
    fn set_off<S: System + ?Sized>(&mut self, system: &S, Stride { state, h }: Stride) {
        self.evaluate(system, state.t, &state.q);
        for (half, (p, force)) in self.half.iter_mut().zip(state.p.iter().zip(&self.force)) {
            *half = p - 0.5 * h * force;
        }
        self.v.copy_from_slice(&self.half);
        self.inverse.solve(&mut self.v);
        for (free, (q, v)) in self.free.iter_mut().zip(state.q.iter().zip(&self.v)) {
            *free = q + h * v;
        }
    }

    /// The momentum after the second half of the forces.
    fn go_on<S: System + ?Sized>(&mut self, system: &S, h: f64, end: &mut State) {
        self.evaluate(system, end.t, &end.q);
        for (p, (half, force)) in end.p.iter_mut().zip(self.half.iter().zip(&self.force)) {
            *p = half - 0.5 * h * force;
        }
    }

    /// The step; its end goes to `end`, the gaps there to `gaps`. With `places_only` the momentum at the end is left as it is.
    pub fn step<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        (end, gaps): (&mut State, &mut [f64]),
        places_only: bool,
    ) -> Result<StepReport, Failure> {
        let (state, h) = (quest.stride.state, quest.stride.h);
        let n = state.q.len();
        self.product.resize(n.max(quest.candidates.len()), 0.0);
        self.product.truncate(n);
        self.set_off(system, quest.stride);
        self.know(system, quest, gaps);
        let mut report = self.hold_positions(system, quest, end, gaps)?;
        self.pull_out(system, quest, end, gaps);
        end.t = state.t + h;
        if places_only {
            return Ok(report);
        }
        for (a, &place) in quest.candidates.iter().enumerate() {
            let push = self.lambda[a] * h.signum();
            quest.contacts.g.add_row(place, push, &mut self.half);
        }
        self.go_on(system, h, end);
        report.iterations += self.hold_velocities(system, quest, end, gaps)?;
        Ok(report)
    }

    /// The same with friction. Back in time momenta are turned round: friction brakes there too.
    pub fn step_with_friction<S: System + ?Sized>(
        &mut self,
        system: &S,
        (quest, coefficient): (Quest, Option<f64>),
        (end, gaps): (&mut State, &mut [f64]),
        places_only: bool,
    ) -> Result<StepReport, Failure> {
        let (state, h) = (quest.stride.state, quest.stride.h);
        self.product.resize(state.q.len(), 0.0);
        self.set_off(system, quest.stride);
        if self.know(system, quest, gaps) {
            self.rubbing.load(system, quest, coefficient)?;
        }
        let turn = |p: &mut [f64]| p.iter_mut().for_each(|p| *p *= h.signum());
        turn(&mut self.half);
        let given = (&self.inverse, &mut *self.half, &*self.sunk);
        let mut report = self.rubbing.hold_positions(system, quest, given, (&mut end.q, gaps))?;
        turn(&mut self.half);
        self.pull_out(system, quest, end, gaps);
        end.t = state.t + h;
        if places_only {
            return Ok(report);
        }
        self.go_on(system, h, end);
        turn(&mut end.p);
        self.v.copy_from_slice(&state.p);
        turn(&mut self.v);
        let (given, reached) = ((&self.inverse, &*self.v), (&*end.q, &mut *end.p, &*gaps));
        let last = self.rubbing.hold_velocities(system, (quest, coefficient), given, reached)?;
        turn(&mut end.p);
        report.iterations += last.iterations;
        report.residual = report.residual.max(last.residual);
        self.lambda.clear();
        self.lambda.extend((0..quest.candidates.len()).map(|a| self.rubbing.start_impulse(a)));
        self.mu.clear();
        self.mu.resize(quest.candidates.len(), 0.0);
        self.rubbing.end_impulses().for_each(|(candidate, impulse)| self.mu[candidate] = impulse);
        if crate::state::all_finite(&end.q) && crate::state::all_finite(&end.p) {
            Ok(report)
        } else {
            Err(Failure::NonFinite { what: "the state of contacts with friction" })
        }
    }

    /// The matrix for positions, and the gaps at the start, of contacts that are new.
    fn know<S: System + ?Sized>(&mut self, system: &S, quest: Quest, gaps: &mut [f64]) -> bool {
        let Quest { stride, contacts, candidates } = quest;
        if self.known {
            return false;
        }
        self.programme.load([&contacts.y, &contacts.g], candidates, RAISED);
        system.contacts().gaps_of(stride.state.t, &stride.state.q, &contacts.members, gaps);
        self.sunk.clear();
        self.sunk.extend(candidates.iter().map(|&place| gaps[place].min(0.0)));
        self.pushed.clear();
        self.pushed.resize(candidates.len(), true);
        self.known = true;
        true
    }

    /// Positions: Newton's method for complementarity problems, with the matrix at the start.
    fn hold_positions<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        end: &mut State,
        gaps: &mut [f64],
    ) -> Result<StepReport, Failure> {
        let Quest { stride, contacts, candidates } = quest;
        let (t1, h) = (stride.state.t + stride.h, stride.h.abs());
        self.lambda.clear();
        self.lambda.resize(candidates.len(), 0.0);
        let mut before = f64::INFINITY;
        for iterations in 0..MOST_PROGRAMMES {
            end.q.copy_from_slice(&self.free);
            for (a, &place) in candidates.iter().enumerate() {
                contacts.y.add_row(place, h * self.lambda[a], &mut end.q);
            }
            system.contacts().gaps_of(t1, &end.q, &contacts.members, gaps);
            for (sunk, &place) in self.sunk.iter().zip(candidates) {
                gaps[place] -= sunk;
            }
            let (worst, _) = self.violation(quest, gaps)?;
            // Round-off, or no better than before though within what counts as closed.
            if worst <= 1e-3 || (worst <= 1.0 && worst > 0.5 * before) {
                return Ok(StepReport { iterations, residual: TOLERANCE * worst, ..StepReport::default() });
            }
            before = worst;
            self.programme.times(&self.lambda, &mut self.known_speeds);
            for (a, &place) in candidates.iter().enumerate() {
                self.programme.c[a] = gaps[place] / h - self.known_speeds[a];
            }
            // Those that pushed in the last programme of these contacts, at first all.
            let pushed = &self.pushed;
            self.programme.solve_from(|a| pushed[a]);
            self.pushed.clear();
            self.pushed.extend(self.programme.y.iter().map(|y| *y > 0.0));
            self.lambda.copy_from_slice(&self.programme.y);
        }
        let (worst, place) = self.violation(quest, gaps)?;
        let contact = contacts.members[place];
        let by = worst * contacts.gap_tolerance[place];
        Err(Failure::Cluster {
            contacts: candidates.len(),
            programmes: MOST_PROGRAMMES,
            contact: system.contacts().name(contact),
            by,
        })
    }

    /// Moves bodies out of what round-off let them sink in, where that is more than half of what counts as closed. Forces that did it in a leg
    /// of any length would leave speeds behind.
    fn pull_out<S: System + ?Sized>(
        &mut self,
        system: &S,
        Quest { stride, contacts, candidates }: Quest,
        end: &mut State,
        gaps: &mut [f64],
    ) {
        let t1 = stride.state.t + stride.h;
        for _ in 0..PULLS {
            system.contacts().gaps_of(t1, &end.q, &contacts.members, gaps);
            let mut deep = false;
            for (a, &place) in candidates.iter().enumerate() {
                let gap = gaps[place];
                deep |= gap < -0.5 * contacts.gap_tolerance[place];
                self.programme.c[a] = gap;
            }
            if !deep {
                return;
            }
            self.programme.solve();
            for (a, &place) in candidates.iter().enumerate() {
                contacts.y.add_row(place, self.programme.y[a], &mut end.q);
            }
        }
        system.contacts().gaps_of(t1, &end.q, &contacts.members, gaps);
    }

    /// The largest violation of the conditions on the positions, in multiples of what counts as closed, and its place among the contacts.
    fn violation(&self, Quest { contacts, candidates, .. }: Quest, gaps: &[f64]) -> Result<(f64, usize), Failure> {
        let mut worst = (0.0, candidates.first().copied().unwrap_or(0));
        for (a, &place) in candidates.iter().enumerate() {
            let gap = gaps[place];
            if !gap.is_finite() {
                return Err(Failure::NonFinite { what: "a gap in a cluster of contacts" });
            }
            let off = if self.lambda[a] > 0.0 { gap.abs() } else { (-gap).max(0.0) };
            let relative = off / contacts.gap_tolerance[place];
            if relative > worst.0 {
                worst = (relative, place);
            }
        }
        Ok(worst)
    }

    /// Rows of the closed contacts at the end.
    fn take_rows<S: System + ?Sized>(
        &mut self,
        system: &S,
        end: &State,
        contacts: &ContactRows,
        candidates: &[usize],
    ) {
        self.rows.clear();
        self.rows.extend(0..self.closed.len());
        self.g.restart(end.q.len());
        for &a in &self.closed {
            let (g, contact) = (&mut self.g, contacts.members[candidates[a]]);
            system.contacts().partials(end.t, &end.q, contact, &mut |column, value| g.push_entry(column, value));
            g.end_row();
        }
        if let Some(inverse) = self.inverse.reciprocals() {
            self.y.copy_from(&self.g);
            return self.y.scale_columns(inverse);
        }
        self.y.restart(end.q.len());
        for row in 0..self.g.rows() {
            self.v.fill(0.0);
            self.g.add_row(row, 1.0, &mut self.v);
            self.inverse.solve(&mut self.v);
            push_full(&mut self.y, &self.v);
        }
    }

    /// Velocities: the nearest momentum with which no closed contact is approached.
    fn hold_velocities<S: System + ?Sized>(
        &mut self,
        system: &S,
        Quest { stride, contacts, candidates }: Quest,
        end: &mut State,
        gaps: &[f64],
    ) -> Result<u32, Failure> {
        let sign = stride.h.signum();
        self.mu.clear();
        self.mu.resize(candidates.len(), 0.0);
        self.closed.clear();
        let lambda = &self.lambda;
        self.closed.extend((0..candidates.len()).filter(|&a| {
            let place = candidates[a];
            lambda[a] > 0.0 || gaps[place] <= contacts.gap_tolerance[place]
        }));
        let count = self.closed.len();
        self.take_rows(system, end, contacts, candidates);
        self.last.load([&self.y, &self.g], &self.rows, RAISED);
        let moves = system.time_dependence().contacts;
        for iterations in 0..VELOCITY_PROGRAMMES {
            self.product.clear();
            self.product.extend(self.closed.iter().map(|&a| self.mu[a]));
            self.last.times(&self.product, &mut self.known_speeds);
            for a in 0..count {
                let mut speed = self.y.row_times(a, &end.p);
                if moves {
                    let contact = contacts.members[candidates[self.closed[a]]];
                    speed += system.contacts().rates(end.t, &end.q, contact)[0];
                }
                self.last.c[a] = sign * speed - self.known_speeds[a];
            }
            let mu = &self.product;
            self.last.solve_from(|a| iterations == 0 || mu[a] > 0.0);
            for (a, &place) in self.closed.iter().enumerate() {
                let change = (self.last.y[a] - self.product[a]) * sign;
                self.g.add_row(a, change, &mut end.p);
                self.mu[place] = self.last.y[a];
            }
        }
        if crate::state::all_finite(&end.q) && crate::state::all_finite(&end.p) {
            Ok(VELOCITY_PROGRAMMES)
        } else {
            Err(Failure::NonFinite { what: "the state of a cluster of contacts" })
        }
    }
}
