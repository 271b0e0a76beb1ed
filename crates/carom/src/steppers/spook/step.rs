//! The step of `spook`: what is planned at a node, and made.

use super::accounts::{Accounts, Planned, stored};
use super::impact::{Before, Impact};
use super::memory::{Kept, Memory};
use super::options::{Config, Equations, Hessian, Start};
use super::rows::{At, Contact, Rows};
use super::solve::{Cost, Engine};
use crate::error::{Failure, Row, StepError};
use crate::linear::max_abs;
use crate::state::{State, all_finite, same_bits};
use crate::steppers::shared::contacts::Row as Gradient;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::ContactImpulses;
use crate::steppers::{ContactImpulse, ForeignMemory, Impulses, Regularisation, StepReport, Stepper};
use crate::system::{ContactId, ContactSet, System, Way};

/// The most iterations of `equations = "nonlinear"`; each takes a digit or more off the error where steps are not too long.
const MOST_ITERATIONS: usize = 50;
/// What is left of [lacoursiere-linde-2011 (52)], relative to its terms, that is round-off, and that is if it does not fall.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;
const NEARLY: f64 = 1e-11;
/// A contact that was held stays closed up to this part of the way that its impulse made in the last step: solves leave that much.
const HELD: f64 = 1e-8;
/// Gaps above this part of the largest coordinate are no round-off.
const NOISE: f64 = 64.0 * f64::EPSILON;

/// The stepper of `spook`.
pub struct Spook {
    config: Config,
    inverse: InverseMass,
    rows: Rows,
    engine: Engine,
    impact: Impact,
    gradient: Vec<f64>,
    force: Vec<f64>,
    extra: Vec<f64>,
    /// The contacts that are near, and their gaps.
    near: ContactSet,
    gaps: Vec<f64>,
    row: Gradient,
    closed: Vec<Contact>,
    /// Those without a compliance of their own: a contact that is a spring stops what comes by its force, not by an impact.
    rigid: Vec<Contact>,
    /// Momentum and velocity after the impact, and after the step.
    p0: Vec<f64>,
    v0: Vec<f64>,
    p1: Vec<f64>,
    v1: Vec<f64>,
    z: Vec<f64>,
    /// What the velocity changed by in the last step.
    change: Vec<f64>,
    plan: Option<Plan>,
    planned_q: Vec<f64>,
    planned_p: Vec<f64>,
    accounts: Accounts,
    accounting: bool,
    expected: Vec<f64>,
    lateral: f64,
    /// Impulses of the last step, as the run wants them.
    equality_impulses: [Vec<f64>; 2],
    contact_impulses: ContactImpulses,
    velocity_impulses: Vec<f64>,
    memory: Memory,
}

/// A step that was planned, at a time and with a length.
#[derive(Debug, Clone, Copy)]
struct Plan {
    t: f64,
    h: f64,
    report: StepReport,
}

impl Spook {
    /// Sized for the system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let rows = Rows::new(config, system, start)?;
        let [_, _, k] = rows.counts();
        let vector = || vec![0.0; n];
        Ok(Self {
            config: config.clone(),
            inverse: InverseMass::new(system, &start.q)?,
            engine: Engine::new(config),
            impact: Impact::new(config, system, start)?,
            gradient: vector(),
            force: vector(),
            extra: vector(),
            near: ContactSet::default(),
            gaps: Vec::new(),
            row: Gradient::default(),
            closed: Vec::new(),
            rigid: Vec::new(),
            p0: vector(),
            v0: vector(),
            p1: vector(),
            v1: vector(),
            z: Vec::new(),
            change: vector(),
            plan: None,
            planned_q: vector(),
            planned_p: vector(),
            accounts: Accounts::default(),
            accounting: false,
            expected: vec![0.0; m],
            lateral: 0.0,
            equality_impulses: [vec![0.0; m], vec![0.0; m]],
            contact_impulses: ContactImpulses::default(),
            velocity_impulses: vec![0.0; k],
            memory: Memory::new(m + k, system.contacts().count()),
            rows,
        })
    }

    /// Plans the step from a state, unless it is planned already.
    fn plan<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, StepError> {
        if let Some(Plan { t, h: planned, report }) = self.plan
            && t == state.t
            && planned == h
            && same_bits(&self.planned_q, &state.q)
            && same_bits(&self.planned_p, &state.p)
        {
            return Ok(report);
        }
        self.plan = None;
        let report = self.make_plan(system, state, h).map_err(|failure| StepError { t: state.t, h, failure })?;
        self.planned_q.copy_from_slice(&state.q);
        self.planned_p.copy_from_slice(&state.p);
        self.plan = Some(Plan { t: state.t, h, report });
        Ok(report)
    }

    fn make_plan<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        self.p0.copy_from_slice(&state.p);
        self.v0.copy_from_slice(&state.p);
        self.inverse.solve(&mut self.v0);
        system.potential_gradient(state.t, &state.q, &mut self.gradient);
        self.evaluate_force(system, state)?;
        self.touch(system, (state, h))?;
        let (closed, impact) = (&self.rigid, &mut self.impact);
        let held = &self.memory.contacts;
        let before = Before { closed, held, force: &self.force, inverse: &self.inverse };
        impact.strike(&self.config, system, (state, h), before, [&mut self.p0, &mut self.v0])?;
        if impact.happened && system.forces().is_some() {
            self.evaluate_force(system, state)?;
        }
        let cost = self.solve(system, state, h)?;
        if !(all_finite(&self.p1) && all_finite(&self.v1)) {
            return Err(Failure::NonFinite { what: "a velocity" });
        }
        if self.accounting {
            self.enter(system, h);
        }
        let joints = self.rows.joints();
        let pressed = self.z[joints..].chunks_exact(self.rows.dimension).any(|contact| contact[0] > 0.0);
        Ok(StepReport {
            iterations: cost.iterations + self.impact.iterations,
            residual: cost.residual.max(self.impact.residual),
            impacts: self.impact.count,
            active: pressed || self.impact.count > 0,
            impact_work: self.impact.work,
            surface_work: self.rows.surface_work(&self.z) + self.impact.surface_work(),
            lowered: self.impact.lowered,
            ..StepReport::default()
        })
    }

    /// `f = −V_q + f_NP`.
    fn evaluate_force<S: System + ?Sized>(&mut self, system: &S, state: &State) -> Result<(), Failure> {
        self.force.iter_mut().zip(&self.gradient).for_each(|(force, gradient)| *force = -gradient);
        if let Some(forces) = system.forces() {
            forces.force(state.t, &state.q, &self.v0, &mut self.extra);
            self.force.iter_mut().zip(&self.extra).for_each(|(force, extra)| *force += extra);
        }
        if all_finite(&self.force) { Ok(()) } else { Err(Failure::NonFinite { what: "a force" }) }
    }

    /// The contacts that have rows.
    fn touch<S: System + ?Sized>(&mut self, system: &S, (state, h): (&State, f64)) -> Result<(), Failure> {
        self.closed.clear();
        self.rigid.clear();
        let contacts = system.contacts();
        if contacts.count() == 0 {
            return Ok(());
        }
        let (within, noise) = (self.config.speculative, NOISE * max_abs(&state.q));
        let margin =
            if contacts.is_constant() { 0.0 } else { within.max(noise).max(self.slack(system, (state, h))) };
        self.near.find(contacts, Way::at(state.t, &state.q), margin);
        self.gaps.resize(self.near.len(), 0.0);
        contacts.gaps_of(state.t, &state.q, self.near.ids(), &mut self.gaps);
        let moves = system.time_dependence().contacts;
        for place in 0..self.gaps.len() {
            let (id, mut gap) = (self.near.ids()[place], self.gaps[place]);
            if gap.is_nan() {
                return Err(Failure::NonFinite { what: "a gap" });
            }
            if gap > 0.0 && (gap <= noise || self.held(id) > 0.0) && self.is_noise(system, (state, h), (id, gap)) {
                gap = 0.0;
            }
            if gap <= 0.0 || gap < within {
                let material = contacts.material(id);
                let spring = material.softness.gives_way();
                if spring && gap > 0.0 {
                    // What comes towards a spring is not slowed down before it.
                    continue;
                }
                let mu = self.config.friction.unwrap_or(material.friction);
                let drift = if moves { contacts.rates(state.t, &state.q, id)[0] } else { 0.0 };
                let mu = if contacts.directions(id) > 0 { mu } else { 0.0 };
                let contact = Contact { id, gap, drift, mu };
                self.closed.push(contact);
                if !spring {
                    self.rigid.push(contact);
                }
            }
        }
        Ok(())
    }

    /// The impulse of a contact in the last step.
    fn held(&self, id: ContactId) -> f64 {
        Kept::of(&self.memory.contacts, id)
    }

    /// Gaps above this are no round-off of the solve that held a contact.
    fn slack<S: System + ?Sized>(&mut self, system: &S, (state, h): (&State, f64)) -> f64 {
        let (mut most, memory) = (0.0_f64, &self.memory);
        for Kept { id, impulses } in &memory.contacts {
            self.row.load(system.contacts(), state.t, &state.q, *id);
            most = most.max(impulses[0] * self.row.mobility(&self.inverse, &mut self.v1));
        }
        // Twice what is asked for below: the round-off of both.
        2.0 * HELD * h.abs() * most
    }

    /// Whether a gap is round-off of the coordinates that it is computed from, or of a contact that was held and no wider than the tolerance of its
    /// impulse: what touches would fall for a step otherwise.
    #[cold]
    fn is_noise<S: System + ?Sized>(
        &mut self,
        system: &S,
        (state, h): (&State, f64),
        (id, gap): (ContactId, f64),
    ) -> bool {
        self.row.load(system.contacts(), state.t, &state.q, id);
        let size = self.row.iter().fold(0.0, |sum, (column, g)| sum + (g * state.q[column]).abs());
        let stopped = self.held(id) * self.row.mobility(&self.inverse, &mut self.v1);
        gap <= ROUND_OFF * size + HELD * h.abs() * stopped
    }

    /// The impulses and velocities of the step [lacoursiere-linde-2011 (55), (56)].
    fn solve<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<Cost, Failure> {
        let m = self.rows.f.len();
        let centred = self.config.start == Start::Staggered && !self.memory.made;
        self.rows.contacts.clone_from(&self.closed);
        let rough = self.closed.iter().filter(|contact| contact.mu > 0.0);
        self.rows.dimension = 1 + rough.map(|contact| system.contacts().directions(contact.id)).max().unwrap_or(0);
        let at = At { state, v: &self.v0, h, centred };
        self.rows.make(&self.config, system, &at, &self.memory.joints[..m])?;
        self.rows.set_momentum(&self.p0, &self.force, if centred { 0.5 * h } else { h });
        self.start_from_memory(if centred { 0.5 } else { 1.0 });
        let mut cost = self.engine.solve(&self.config, system, &mut self.rows, &mut self.z)?;
        self.velocities_after();
        if self.config.equations == Equations::Nonlinear {
            self.iterate(system, &At { state, v: &[], h, centred }, &mut cost)?;
        }
        if centred {
            self.z.iter_mut().for_each(|z| *z *= 2.0);
            self.v0.iter_mut().zip(&self.v1).for_each(|(v0, v1)| *v0 = 2.0 * *v0 - v1);
        }
        Ok(cost)
    }

    fn velocities_after(&mut self) {
        self.rows.momentum_after(&self.z, &mut self.p1);
        self.v1.copy_from_slice(&self.p1);
        self.inverse.solve(&mut self.v1);
    }

    /// Goes on to a solution of [lacoursiere-linde-2011 (52)]: what the linear rows leave of it goes to their right-hand side, with the same matrix.
    fn iterate<S: System + ?Sized>(&mut self, system: &S, at: &At, cost: &mut Cost) -> Result<(), Failure> {
        let (mut before, mut worst) = (f64::INFINITY, 0);
        for _ in 0..MOST_ITERATIONS {
            let At { state, h, centred, .. } = *at;
            self.extra.iter_mut().zip(&self.v0).zip(&self.v1).for_each(|((v, v0), v1)| {
                *v = if centred { 2.0 * v0 - v1 } else { *v0 };
            });
            let at = At { state, v: &self.extra, h, centred };
            let (left, row) = self.rows.correct(&self.config, system, &at, &self.v1, &self.z)?;
            // Round-off ends it; it is reached where the error no longer falls.
            if left <= ROUND_OFF || (left <= NEARLY && left >= 0.5 * before) {
                cost.residual = cost.residual.max(left);
                return Ok(());
            }
            (before, worst) = (left, row);
            let more = self.engine.solve(&self.config, system, &mut self.rows, &mut self.z)?;
            cost.iterations += more.iterations;
            self.velocities_after();
            if !all_finite(&self.v1) {
                let row = Row::equality(system, row);
                return Err(Failure::NotConverged {
                    iterations: cost.iterations,
                    residual: left,
                    row,
                    correction: left,
                });
            }
        }
        let row = Row::equality(system, worst);
        Err(Failure::NotConverged { iterations: cost.iterations, residual: before, row, correction: before })
    }

    /// What the solve starts from: a part of the last impulses.
    fn start_from_memory(&mut self, part: f64) {
        let (factor, [m, s, _]) = (part * self.config.warm(), self.rows.counts());
        let (of_joints, kept) = (&self.memory.joints, &self.memory.contacts);
        self.z.clear();
        self.z.extend(of_joints[..m].iter().map(|z| factor * z));
        self.z.resize(m + s, 0.0);
        self.z.extend(of_joints[m..].iter().map(|z| factor * z));
        for contact in &self.rows.contacts {
            let place = kept.binary_search_by_key(&contact.id, |kept| kept.id);
            let impulses = place.map_or([0.0; 3], |place| kept[place].impulses);
            self.z.extend(impulses[..self.rows.dimension].iter().map(|z| factor * z));
        }
    }

    /// Keeps the impulses of a step that is made.
    fn keep(&mut self) {
        let [m, s, k] = self.rows.counts();
        let joints = m + s + k;
        self.memory.made = true;
        self.memory.joints[..m].copy_from_slice(&self.z[..m]);
        self.memory.joints[m..].copy_from_slice(&self.z[m + s..joints]);
        self.velocity_impulses.copy_from_slice(&self.z[m + s..joints]);
        self.contact_impulses.clear();
        self.memory.contacts.clear();
        let d = self.rows.dimension;
        for (contact, z) in self.rows.contacts.iter().zip(self.z[joints..].chunks_exact(d)) {
            let mut impulses = [0.0; 3];
            impulses[..d].copy_from_slice(z);
            self.memory.contacts.push(Kept { id: contact.id, impulses });
            self.contact_impulses.add(contact.id, z[0]);
            self.contact_impulses.add_friction(contact.id, &z[1..]);
        }
        self.memory.write();
        // −Gᵀ of what is told goes into the momentum.
        self.equality_impulses[0].iter_mut().zip(&self.z).for_each(|(told, z)| *told = 0.0 - z);
        let (of_equalities, of_contacts) = self.impact.impulses();
        self.equality_impulses[0].iter_mut().zip(of_equalities).for_each(|(told, z)| *told -= z);
        for (contact, impulses) in of_contacts {
            self.contact_impulses.add(contact, impulses[0]);
            self.contact_impulses.add_friction(contact, &impulses[1..]);
        }
    }

    fn enter<S: System + ?Sized>(&mut self, system: &S, h: f64) {
        let stored = stored(&self.config, system, &self.rows, (&self.z, &self.v1, h));
        self.accounts.plan(&Planned {
            rows: &self.rows,
            z: &self.z,
            velocities: [&self.v0, &self.v1],
            impact: (self.impact.work, self.impact.happened.then_some(&self.impact.change[..])),
            struck: self.impact.impulses().0,
            gradient: (&self.gradient, h),
            by_surfaces: [self.rows.surface_work(&self.z), self.impact.surface_work()],
            stored,
        });
    }

    /// What the regularisation makes one expect of the equalities: `(h²/4 + hτ/2) vᵀHv − ελ/h`, less what a Hessian term takes.
    fn expect<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, v: &[f64]) {
        let m = self.rows.f.len();
        if m == 0 {
            return;
        }
        self.expected.copy_from_slice(self.rows.bends(system, state, v));
        for row in 0..m {
            let [epsilon, tau] = self.config.softness(system, row, h);
            let bias = match self.config.hessian {
                _ if self.config.equations == Equations::Nonlinear => 0.5 * h * tau,
                Hessian::None => 0.25 * h * h + 0.5 * h * tau,
                Hessian::Chord => 0.0,
                Hessian::Frozen => 0.5 * h * tau,
                Hessian::Full => -0.5 * h * tau,
            };
            self.expected[row] = bias * self.expected[row] - epsilon * self.z[row] / h;
        }
        self.lateral = h * self.rows.lateral(system, state, &self.z[..m], h).sqrt();
    }
}

impl<S: System + ?Sized> Stepper<S> for Spook {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let report = self.plan(system, state, h)?;
        for (q1, (q0, v1)) in self.planned_q.iter_mut().zip(state.q.iter().zip(&self.v1)) {
            *q1 = q0 + h * v1;
        }
        if let Some(index) = self.planned_q.iter().position(|q| !q.is_finite()) {
            self.plan = None;
            let row = Row::coordinate(system, index);
            let failure =
                Failure::NotConverged { iterations: 0, residual: f64::INFINITY, row, correction: f64::INFINITY };
            return Err(StepError { t: state.t, h, failure });
        }
        for (change, (v1, v0)) in self.change.iter_mut().zip(self.v1.iter().zip(&self.v0)) {
            *change = v1 - v0;
        }
        state.q.copy_from_slice(&self.planned_q);
        state.p.copy_from_slice(&self.p1);
        state.t += h;
        self.plan = None;
        self.keep();
        if self.accounting {
            self.accounts.commit();
        }
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        Impulses::at_ends(&self.equality_impulses[0], &self.equality_impulses[1])
    }

    fn contact_impulses(&self) -> &[ContactImpulse] {
        self.contact_impulses.as_slice()
    }

    fn velocity_impulses(&self) -> &[f64] {
        &self.velocity_impulses
    }

    fn node_velocity(&mut self, system: &S, state: &State, h: f64, v: &mut [f64]) -> bool {
        if !self.accounting {
            self.accounting = true;
            self.plan = None;
        }
        if self.plan(system, state, h).is_err() {
            // The step from here says why. Half of what the last one changed is the best guess at the velocity here.
            v.iter_mut().zip(&self.change).for_each(|(v, change)| *v += 0.5 * change);
            return true;
        }
        for (v, (v0, v1)) in v.iter_mut().zip(self.v0.iter().zip(&self.v1)) {
            *v = 0.5 * (v0 + v1);
        }
        self.expect(system, state, h, v);
        self.accounts.show();
        true
    }

    fn works(&self) -> &[f64] {
        self.accounts.works()
    }

    fn regularisation(&self) -> Option<Regularisation<'_>> {
        let impacts = self.plan.map_or((0, 0.0), |plan| (plan.report.impacts, self.accounts.impact()));
        let (expected, stored) = (&self.expected[..], self.accounts.stored());
        Some(Regularisation { expected, stored, lateral: self.lateral, impacts })
    }

    fn memory(&self) -> &[f64] {
        self.memory.numbers()
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        self.plan = None;
        self.memory.read(memory)
    }
}
