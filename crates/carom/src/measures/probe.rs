//! What one step does to the structure at a state, measured by steps of its own: they change nothing of the run.
//!
//! - Reversal: a step forth and one of `−h` back; what is left is not reversible.
//! - Symplecticity: the Jacobian `J` of the step by differences of sixth order, restricted to the tangent space of the
//!   constraints and of the contacts that are touched without being approached or left; the largest entry of `JᵀΩJ − Ω` in units of the largest action of a coordinate.
//!
//! Differences have errors of their own: of several lengths, down to where round-off takes over, the one with the smallest
//! defect counts (round-off and truncation only add to it), and a defect below about 1e-10 says "none seen". A length that
//! leaves the domain of a system is passed over. Cost: 12 n steps and projections per length, one length where nothing is
//! seen and six where something is; 2 steps for the reversal; they allocate.

use crate::error::{Failure, StepError};
use crate::linear::max_abs;
use crate::method::{AnyMethod, Refusal};
use crate::state::State;
use crate::steppers::Stepper;
use crate::steppers::shared::contacts::Row;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::Near;
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::views::Held;
use crate::system::{ContactId, System, Way};

/// A system and a method whose steps are probed.
pub struct Probe<'a> {
    system: &'a (dyn System + 'static),
    method: &'a AnyMethod,
    h: f64,
}

/// Why a probe has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProbeError {
    /// The method refuses the state.
    #[error("a probe of the method: {0}")]
    Refused(#[from] Refusal),
    /// A step failed.
    #[error("a probe of the method: {0}")]
    Step(#[from] StepError),
    /// A neighbouring state could not be put onto the constraints.
    #[error("a probe of the method, beside the state: {0}")]
    Settle(#[from] Failure),
    /// A neighbouring state lies beyond a contact that the state does not touch: no step starts there.
    #[error("a probe of the method, beside the state: the gap `{contact}` is negative")]
    Beyond {
        /// The contact.
        contact: String,
    },
}

/// Weights of the difference `Σ w_k (f(kδ) − f(−kδ))` of sixth order.
const WEIGHTS: [f64; 3] = [0.75, -0.15, 1.0 / 60.0];
/// Lengths of the differences, relative to the scale of a coordinate: far from the origin that is much longer than what
/// happens there.
const LENGTHS: [f64; 6] = [3e-2, 3e-3, 3e-4, 3e-5, 3e-6, 3e-7];
/// Gaps and speeds below this, relative to their terms, are none.
const TOUCHED: f64 = 1e-9;
/// A defect below this is the round-off of differences.
const NONE_SEEN: f64 = 1e-11;

impl<'a> Probe<'a> {
    /// Of steps of length `h`.
    pub fn new(system: &'a (dyn System + 'static), method: &'a AnyMethod, h: f64) -> Self {
        Self { system, method, h }
    }

    /// Largest differences of a coordinate and of a momentum after a step forth and one back.
    pub fn reversal(&self, state: &State) -> Result<[f64; 2], ProbeError> {
        let mut back = state.clone();
        let mut stepper = self.stepper(state)?;
        stepper.step(self.system, &mut back, self.h)?;
        stepper.step(self.system, &mut back, -self.h)?;
        let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |max: f64, (a, b)| max.max((a - b).abs()));
        Ok([largest(&back.q, &state.q), largest(&back.p, &state.p)])
    }

    /// Defect of symplecticity; 0 for a perfect step, about 1 for one that forgets where it came from.
    pub fn symplecticity(&self, state: &State) -> Result<f64, ProbeError> {
        let scales = self.scales(state)?;
        let mut best: Result<f64, ProbeError> = self.defect(state, &scales, LENGTHS[0]);
        for length in &LENGTHS[1..] {
            if best.as_ref().is_ok_and(|best| *best < NONE_SEEN) {
                break;
            }
            let next = self.defect(state, &scales, *length);
            best = match (best, next) {
                (Ok(best), Ok(next)) => Ok(best.min(next)),
                (Ok(best), Err(_)) => Ok(best),
                (Err(_), next) => next,
            };
        }
        best
    }

    fn stepper(&self, state: &State) -> Result<Box<dyn Stepper<dyn System>>, ProbeError> {
        Ok(self.method.stepper(self.system, state)?)
    }

    /// Scales of the coordinates and momenta: their own size, or that of the largest, or 1.
    fn scales(&self, state: &State) -> Result<Vec<f64>, ProbeError> {
        let n = state.q.len();
        let inverse = InverseMass::new(self.system, &state.q)?;
        let mut v = state.p.clone();
        inverse.solve(&mut v);
        let own: Vec<f64> = (0..n).map(|i| state.q[i].abs() + (self.h * v[i]).abs()).collect();
        let largest = max_abs(&own);
        let fallback = if largest > 0.0 { largest } else { 1.0 };
        // A coordinate near zero is not small: its neighbours tell how far it may go.
        let mut scales: Vec<f64> = own.iter().map(|&own| own.max(0.1 * fallback)).collect();
        let speed = max_abs(&v).max(1e-3 * fallback / self.h.abs());
        scales.extend((0..n).map(|i| state.p[i].abs().max(0.1 * inverse.diagonal[i] * speed)));
        Ok(scales)
    }

    /// Contacts that are touched tangentially: neighbouring states touch them too.
    fn touched(&self, state: &State) -> Result<Vec<ContactId>, Failure> {
        let (mut row, mut v, contacts) = (Row::default(), state.p.clone(), self.system.contacts());
        InverseMass::new(self.system, &state.q)?.solve(&mut v);
        let mut near = Near::default();
        near.survey(self.system, state.t, &state.q);
        let size = |row: &Row, x: &[f64]| row.iter().fold(0.0, |sum, (k, g)| sum + (g * x[k]).abs());
        let touched = near.ids().iter().zip(&near.gap).filter(|&(&contact, gap)| {
            row.load(contacts, state.t, &state.q, contact);
            let (reach, speed) = (size(&row, &state.q) + self.h.abs() * size(&row, &v), row.dot(&v));
            gap.abs() <= TOUCHED * reach && speed.abs() <= TOUCHED * size(&row, &v)
        });
        Ok(touched.map(|(&contact, _)| contact).collect())
    }

    /// Refuses a neighbour beyond a contact that is open at the state.
    fn admit(&self, state: &State, neighbour: &State, touched: &[ContactId]) -> Result<(), ProbeError> {
        let mut near = Near::default();
        let way = Way { t: [state.t, neighbour.t], q: [&state.q, &neighbour.q] };
        near.look(self.system, way, 0.0);
        let beyond = |&(contact, here, there): &(ContactId, f64, f64)| {
            here >= 0.0 && there < 0.0 && !touched.contains(&contact)
        };
        match near.each().find(beyond) {
            Some((contact, ..)) => Err(ProbeError::Beyond { contact: self.system.contacts().name(contact) }),
            None => Ok(()),
        }
    }

    fn defect(&self, state: &State, scales: &[f64], length: f64) -> Result<f64, ProbeError> {
        let n = state.q.len();
        let touched = self.touched(state)?;
        let held = Held { system: self.system, contacts: &touched };
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (k, scale) in scales.iter().enumerate() {
            let (mut tangent, mut image) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
            for (step, weight) in (1..).zip(WEIGHTS) {
                for sign in [1.0, -1.0] {
                    let mut near = state.clone();
                    let x = if k < n { &mut near.q[k] } else { &mut near.p[k - n] };
                    *x += sign * f64::from(step) * length * scale;
                    settle(&held, &mut near)?;
                    self.admit(state, &near, &touched)?;
                    add(&mut tangent, sign * weight / length, &near);
                    self.stepper(&near)?.step(self.system, &mut near, self.h)?;
                    add(&mut image, sign * weight / length, &near);
                }
            }
            before.push(tangent);
            after.push(image);
        }
        let action = (0..n).fold(0.0, |max: f64, i| max.max(scales[i] * scales[n + i]));
        let mut worst = 0.0_f64;
        for j in 0..2 * n {
            for k in 0..j {
                let change = form(&after[j], &after[k]) - form(&before[j], &before[k]);
                // A NaN must stay one.
                worst = if change.abs() / action <= worst { worst } else { change.abs() / action };
            }
        }
        if worst.is_finite() { Ok(worst) } else { Err(Failure::NonFinite { what: "a difference of steps" }.into()) }
    }
}

/// Puts a state that was moved a little back onto the constraints.
fn settle<S: System + ?Sized>(system: &S, state: &mut State) -> Result<(), Failure> {
    let m = system.equalities().count();
    if m == 0 {
        return Ok(());
    }
    let (mut f, mut before) = (vec![0.0; m], f64::INFINITY);
    loop {
        let inverse = InverseMass::new(system, &state.q)?;
        let mut rows = ConstraintRows::at(RowShape::full(system), system, &inverse, state)?;
        system.equalities().values(state.t, &state.q, &mut f);
        let violation = max_abs(&f);
        if !f.iter().all(|f| f.is_finite()) {
            return Err(Failure::NonFinite { what: "a constraint beside the state" });
        }
        // Quadratic convergence: what no longer falls is round-off.
        if violation == 0.0 || violation > 0.5 * before {
            rows.project(&inverse, &mut state.p);
            return Ok(());
        }
        before = violation;
        rows.pull_back(&mut f, &mut state.q);
    }
}

/// Adds a multiple of `(q, p)`.
fn add(sum: &mut [f64], factor: f64, state: &State) {
    for (sum, x) in sum.iter_mut().zip(state.q.iter().chain(&state.p)) {
        *sum += factor * x;
    }
}

/// `Σ (a_q b_p − a_p b_q)`.
fn form(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() / 2;
    (0..n).fold(0.0, |sum, i| sum + (a[i] * b[n + i] - a[n + i] * b[i]))
}
