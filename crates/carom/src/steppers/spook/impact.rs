//! The impact before a step [lacoursiere-linde-2011 (71), corrected]: contacts that are closed and approached, all joints with them, by the law of `impact/rough.rs`.

use carom_lcp::problem::Room;
use carom_lcp::{BlockPivot, FrictionDefault, GlobalFriction, Law, Saddle, SaddleMlcp, Solver as _};

use super::choices::FrictionLaw;
use super::memory::Kept;
use super::options::Config;
use super::rows::{At, Contact, Rows};
use super::solve::{limits, worst_row};
use crate::error::{Failure, Unsolved};
use crate::impact::{Strike, largest_share};
use crate::state::State;
use crate::steppers::shared::contacts::Row;
use crate::steppers::shared::mass::InverseMass;
use crate::system::{ContactId, System};

// Notation
//   v⁻, v⁺   velocities before and after
//   Ψ        coefficients of restitution
//   ν, β     impulses of the contacts along normals N and directions of sliding D
//
//   M v⁺ − Gᵀλ − Nᵀν − Dᵀβ = M v⁻,   G v⁺ + T_G λ = −G v⁻,   N v⁺ + ΨN v⁻ + T_N ν ≥ 0  ⊥  ν ≥ 0
//   |β| ≤ μν, against D v⁺
//
// Without friction 2(K⁺ − K⁻) = −λᵀT_G λ + νᵀ(I − Ψ)N v⁻ − νᵀT_N ν: no energy comes in as long as N v⁻ ≤ 0. With it Ψ is lowered where it would.
// Differs from [lacoursiere-linde-2011 (71)]: +G v⁻ as printed lets energy in, and contacts that separate must be left out.

/// An approach slower than this part of the speed that forces give in a step is none.
const STILL: f64 = 1e-6;
/// What curvature and forces make of the speed of a contact that is held is no more than this multiple of what they make in a step.
const ROOM: f64 = 2.0;
/// Forces push contacts through others: one that was held in the last step may be approached by the speed that forces give to anything in a step, one that
/// was not by this part of it.
const NEWLY: f64 = 0.01;
/// The relative residual of a solve, and how exactly energy is known by it.
const TOLERANCE: f64 = 1e-8;

/// The impact before a step.
pub struct Impact {
    rows: Rows,
    pivot: BlockPivot,
    mixed: SaddleMlcp,
    room: Room,
    friction: FrictionDefault,
    global: GlobalFriction,
    /// Impulses of joints and contacts.
    z: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
    row: Row,
    /// A row in full.
    full: Vec<f64>,
    push: Vec<f64>,
    /// Where the step before started, about.
    back: Vec<f64>,
    /// Restitutions times speeds of approach, of the rows of contacts.
    rebound: Vec<f64>,
    /// Whether there was one.
    pub happened: bool,
    /// Contacts with an impulse.
    pub count: u32,
    /// 1 if restitutions were lowered.
    pub lowered: u32,
    /// Energy that it took, as a negative number.
    pub work: f64,
    /// What the velocities changed by.
    pub change: Vec<f64>,
    /// Factorisations.
    pub iterations: u32,
    /// Relative residual.
    pub residual: f64,
}

/// What is known of a step before its impact.
#[derive(Clone, Copy)]
pub struct Before<'a> {
    /// Contacts that have rows.
    pub closed: &'a [Contact],
    /// Impulses of contacts in the last step.
    pub held: &'a [Kept],
    pub force: &'a [f64],
    pub inverse: &'a InverseMass,
}

impl Impact {
    /// For a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let n = system.dim();
        let law = if config.friction_law() == FrictionLaw::Box { Law::Box } else { Law::Cone };
        let global = GlobalFriction::new(Saddle::default(), 2, 0, Vec::new()).expect("a problem without rows");
        let vector = || vec![0.0; n];
        Ok(Self {
            rows: Rows::new(&Config { stiffness: Default::default(), ..config.clone() }, system, start)?,
            pivot: BlockPivot::default(),
            mixed: SaddleMlcp { saddle: Default::default(), lower: Vec::new(), upper: Vec::new() },
            room: Room::default(),
            friction: FrictionDefault::default(),
            global: global.with_law(law),
            z: Vec::new(),
            before: vector(),
            after: vector(),
            row: Row::default(),
            full: vector(),
            push: vector(),
            back: vector(),
            rebound: Vec::new(),
            happened: false,
            count: 0,
            lowered: 0,
            work: 0.0,
            change: vector(),
            iterations: 0,
            residual: 0.0,
        })
    }

    /// Impulses of the equalities and contacts of the impact, if there was one; of a contact the normal comes first.
    pub fn impulses(&self) -> (&[f64], impl Iterator<Item = (ContactId, &[f64])> + '_) {
        let (m, joints, d) = (self.rows.f.len(), self.rows.joints(), self.rows.dimension);
        let count = if self.happened { self.rows.contacts.len() } else { 0 };
        let equalities = if self.happened { &self.z[..m] } else { &[] };
        let of_contact = move |place: usize| &self.z[joints + d * place..][..d];
        (equalities, (0..count).map(move |place| (self.rows.contacts[place].id, of_contact(place))))
    }

    /// Work that moving surfaces did in the impact.
    pub fn surface_work(&self) -> f64 {
        if self.happened { self.rows.surface_work(&self.z) } else { 0.0 }
    }

    /// Lets the closed contacts that are approached have their impact; `p` and `v` become those after it.
    pub fn strike<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        (state, h): (&State, f64),
        before: Before,
        [p, v]: [&mut [f64]; 2],
    ) -> Result<(), Failure> {
        (self.happened, self.count, self.lowered, self.work) = (false, 0, 0, 0.0);
        (self.iterations, self.residual) = (0, 0.0);
        self.rows.contacts.clear();
        if !config.impact || before.closed.is_empty() {
            return Ok(());
        }
        self.find(config, system, (state, h), before, v);
        if !self.happened {
            return Ok(());
        }
        let rough = self.rows.contacts.iter().filter(|contact| contact.mu > 0.0);
        self.rows.dimension = 1 + rough.map(|contact| system.contacts().directions(contact.id)).max().unwrap_or(0);
        self.rows.make(config, system, &At { state, v, h, centred: false }, &[])?;
        self.sides(config, v)?;
        self.rows.set_momentum(p, before.force, 0.0);
        self.before.copy_from_slice(v);
        if self.rows.dimension > 1 {
            self.z.clear();
            self.z.resize(self.rows.saddle.q.len(), 0.0);
            let mut rough = Rough { impact: self, system, inverse: before.inverse };
            let share = largest_share(&mut rough, 1.0)?;
            self.lowered = u32::from(share < 1.0);
        } else {
            self.bounce(1.0);
            self.solve(system)?;
            self.go_on(before.inverse);
        }
        self.rows.momentum_after(&self.z, p);
        v.copy_from_slice(&self.after);
        for (change, (after, before)) in self.change.iter_mut().zip(v.iter().zip(&self.before)) {
            *change = after - before;
        }
        self.work = self.energy();
        let (joints, d) = (self.rows.joints(), self.rows.dimension);
        self.count = self.z[joints..].chunks_exact(d).filter(|impulses| impulses[0] > 0.0).count() as u32;
        Ok(())
    }

    /// The contacts of the impact: those that are approached faster than the step's own curvature and forces make it, and those that rest beside them.
    fn find<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        (state, h): (&State, f64),
        Before { closed, held, force, inverse }: Before,
        v: &[f64],
    ) {
        self.push.copy_from_slice(force);
        inverse.solve(&mut self.push);
        let energies = self.push.iter().zip(&inverse.diagonal).map(|(a, mass)| mass * (h * a).powi(2));
        let liveliest = energies.fold(0.0, f64::max);
        for (back, (q, v)) in self.back.iter_mut().zip(state.q.iter().zip(v)) {
            *back = q - h * v;
        }
        self.rebound.clear();
        for contact in closed.iter().filter(|contact| contact.gap <= 0.0) {
            self.row.load(system.contacts(), state.t, &state.q, contact.id);
            let (speed, by_forces) = (self.row.dot(v) + contact.drift, h * self.row.dot(&self.push).abs());
            if speed > STILL * by_forces {
                continue;
            }
            // G M⁻¹Gᵀ
            let grip = (self.row.mobility(inverse, &mut self.full) * liveliest).sqrt();
            self.row.load(system.contacts(), state.t - h, &self.back, contact.id);
            let by_curvature = (speed - self.row.dot(v) - contact.drift).abs();
            let was_held = Kept::of(held, contact.id) > 0.0;
            let quiet = config.threshold
                + ROOM * by_curvature
                + if was_held { ROOM * by_forces + grip } else { by_forces + NEWLY * grip };
            let hit = speed < -quiet;
            self.happened |= hit;
            let own = || system.contacts().material(contact.id).restitution;
            let restitution = config.restitution.unwrap_or_else(own);
            self.rows.contacts.push(*contact);
            self.rebound.push(if hit { restitution * speed } else { 0.0 });
        }
    }

    /// T and right-hand sides of the impact in the place of those of a step, but for what rebounds.
    fn sides(&mut self, config: &Config, v: &[f64]) -> Result<(), Failure> {
        let form = |wrong: carom_lcp::matrix::Misshapen| Failure::Form { reason: wrong.to_string() };
        let joints = self.rows.joints();
        let rows = &mut self.rows;
        let [m, s, _] = rows.counts();
        rows.saddle.t.fill(0.0);
        rows.saddle.renew().map_err(form)?;
        for row in 0..rows.saddle.q.len() {
            let speed = rows.speed(row, v);
            // A direction that a contact does not have has no mobility; any T will do.
            rows.saddle.t[row] = match rows.saddle.diagonal(row) {
                0.0 => 1.0,
                mobility => config.impact_regularisation * mobility,
            };
            rows.saddle.q[row] = if row < m {
                // Joints that move keep their own speed −∂g/∂t.
                speed + 2.0 * rows.rates().get(row).copied().unwrap_or(0.0)
            } else if row < joints {
                // q of the step is −a(t) there.
                speed + 2.0 * rows.saddle.q[row]
            } else {
                0.0
            };
            if (m + s..joints).contains(&row) {
                // Motors have no impulses that are not those of a step.
                (rows.lower[row], rows.upper[row]) =
                    match rows.lower[row].is_finite() || rows.upper[row].is_finite() {
                        true => (0.0, 0.0),
                        false => (f64::NEG_INFINITY, f64::INFINITY),
                    };
            }
        }
        if rows.dimension > 1 {
            // Friction is solved with equalities that have no bounds: motors that are limited have none of their rows.
            for row in (m + s..joints).filter(|&row| rows.lower[row] == 0.0 && rows.upper[row] == 0.0) {
                rows.saddle.jacobian.clear_row(row);
                (rows.saddle.t[row], rows.saddle.q[row]) = (1.0, 0.0);
            }
        }
        rows.saddle.renew().map_err(form)
    }

    /// Restitutions, scaled by a share.
    fn bounce(&mut self, share: f64) {
        let (joints, d) = (self.rows.joints(), self.rows.dimension);
        for (place, rebound) in self.rebound.iter().enumerate() {
            self.rows.saddle.q[joints + d * place] = share * rebound + self.rows.contacts[place].drift;
        }
    }

    /// Velocities after the impact.
    fn go_on(&mut self, inverse: &InverseMass) {
        self.rows.momentum_after(&self.z, &mut self.after);
        inverse.solve(&mut self.after);
    }

    /// K⁺ − K⁻ = ½(v⁺ + v⁻)·M(v⁺ − v⁻), row by row.
    fn energy(&self) -> f64 {
        let mean = |row: usize| self.rows.speed(row, &self.after) + self.rows.speed(row, &self.before);
        (0..self.z.len()).map(|row| 0.5 * self.z[row] * mean(row)).sum()
    }

    fn solve<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let joints = self.rows.joints();
        self.z.clear();
        self.z.resize(self.rows.saddle.q.len(), 0.0);
        // Contacts that are approached mostly have an impulse: all are tried first.
        self.z[joints..].fill(1.0);
        let Self { rows, mixed, room, pivot, z, .. } = self;
        let answer = rows.lend(mixed, |mixed| {
            let Some(limits) = limits(TOLERANCE, mixed.at_zero(room), &mixed.saddle.p)? else { return Ok(None) };
            let answer = pivot.solve(mixed, z, &limits);
            let worst = if answer.is_err() { worst_row(mixed, z) } else { 0 };
            Ok(Some((answer, (limits.tolerance, worst))))
        });
        let Some((answer, found)) = answer? else {
            self.z.fill(0.0);
            return Ok(());
        };
        self.judge(system, answer, "block-pivot", found)
    }

    /// Takes the cost of a solve, or tells why there is none.
    fn judge<S: System + ?Sized>(
        &mut self,
        system: &S,
        answer: Result<carom_lcp::Solved, carom_lcp::Unsolved>,
        solver: &'static str,
        (tolerance, worst): (f64, usize),
    ) -> Result<(), Failure> {
        match answer {
            Ok(solved) => {
                self.iterations += solved.iterations as u32;
                self.residual = solved.residual.relative;
                Ok(())
            }
            Err(unsolved) => Err(Failure::Unsolved(Box::new(Unsolved {
                stage: "impact",
                solver,
                rows: self.z.len(),
                reason: unsolved.failure.to_string(),
                iterations: unsolved.iterations,
                residual: unsolved.residual.relative,
                tolerance,
                row: self.rows.name(system, worst),
            }))),
        }
    }
}

/// An impact with friction.
struct Rough<'a, S: ?Sized> {
    impact: &'a mut Impact,
    system: &'a S,
    inverse: &'a InverseMass,
}

impl<S: System + ?Sized> Strike for Rough<'_, S> {
    type Error = Failure;

    fn solve(&mut self, share: f64) -> Result<(), Failure> {
        let impact = &mut *self.impact;
        impact.bounce(share);
        let Impact { rows, global, room, friction, z, .. } = impact;
        let answer = rows.lend_rough(global, |_, global| {
            global.renew().map_err(|wrong| Failure::Form { reason: wrong.to_string() })?;
            let Some(limits) = limits(TOLERANCE, room.at_zero(global), &global.saddle.p)? else { return Ok(None) };
            let answer = friction.solve(global, z, &limits);
            let worst = if answer.is_err() { worst_row(global, z) } else { 0 };
            Ok(Some((answer, worst)))
        });
        match answer? {
            Some((answer, worst)) => impact.judge(self.system, answer, "default", (TOLERANCE, worst))?,
            None => impact.z.fill(0.0),
        }
        impact.go_on(self.inverse);
        Ok(())
    }

    fn work(&self) -> f64 {
        self.impact.energy()
    }

    fn tolerance(&self) -> f64 {
        let impact = &self.impact;
        let exchanged =
            impact.z.iter().enumerate().map(|(row, z)| (z * impact.rows.speed(row, &impact.before)).abs());
        TOLERANCE * exchanged.sum::<f64>()
    }
}
