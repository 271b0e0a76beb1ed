//! The run loop: steps on a fixed time grid, the failure policy, observers.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Failure, StepError};
use crate::linear::dot;
use crate::observe::{Frame, Observer};
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::{ContactImpulses, Nearest};
use crate::steppers::shared::rows::RowShape;
use crate::steppers::{ContactImpulse, Event, ImpactStates, Impulses, StepReport, Stepper};
use crate::system::System;

/// How often a failed step is halved before the run ends all the same.
const MOST_HALVINGS: u32 = 12;

/// What happens when a step fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The run ends with the error; what was recorded stays.
    #[default]
    Stop,
    /// The step is made as two of half the length, and so on; counted and reported, since a step of another length
    /// is not the same symplectic map.
    Halve,
}

/// The time grid `t_k = t0 + k h`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Time at the start.
    pub t0: f64,
    /// Length of a step.
    pub h: f64,
    /// Number of steps.
    pub steps: u64,
}

impl Grid {
    /// Time of node `k`: no sum of rounding errors.
    pub fn time(&self, k: u64) -> f64 {
        self.t0 + k as f64 * self.h
    }
}

/// Why a run ended before its last step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Ended {
    /// A step failed.
    #[error("step {step} failed: {error}")]
    Step {
        /// Number of the step.
        step: u64,
        /// Why.
        error: StepError,
    },
    /// An observer failed, for example because a disk is full.
    #[error("after step {step}: {message}")]
    Observer {
        /// Steps made.
        step: u64,
        /// Why.
        message: String,
    },
    /// The run was asked to stop.
    #[error("interrupted after step {step}")]
    Interrupted {
        /// Steps made.
        step: u64,
    },
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The last state.
    pub state: State,
    /// Steps made.
    pub steps: u64,
    /// Solves that failed.
    pub failures: u64,
    /// Steps of the grid that were made of shorter ones.
    pub halved_steps: u64,
    /// `None` if the run is complete.
    pub ended: Option<Ended>,
}

/// A run: a system, a method and a grid.
pub struct Run<'a, S: System + ?Sized> {
    /// The system.
    pub system: &'a S,
    /// The method.
    pub stepper: &'a mut dyn Stepper<S>,
    /// The time grid.
    pub grid: Grid,
    /// What happens when a step fails.
    pub on_failure: OnFailure,
}

impl<S: System + ?Sized> Run<'_, S> {
    /// Runs from `state` until the grid's end, a failure or `stop`.
    pub fn go(self, state: State, observers: &mut [&mut dyn Observer], stop: &AtomicBool) -> Outcome {
        let outcome = Outcome { state, steps: 0, failures: 0, halved_steps: 0, ended: None };
        self.run(outcome, false, observers, stop)
    }

    /// Goes on after `outcome`, whose last node the observers have seen.
    pub fn go_on(self, outcome: Outcome, observers: &mut [&mut dyn Observer], stop: &AtomicBool) -> Outcome {
        self.run(Outcome { ended: None, ..outcome }, true, observers, stop)
    }

    fn run(
        mut self,
        mut outcome: Outcome,
        mut seen: bool,
        observers: &mut [&mut dyn Observer],
        stop: &AtomicBool,
    ) -> Outcome {
        let h = self.grid.h;
        let failed = |t: f64, step: u64, failure: Failure| Ended::Step { step, error: StepError { t, h, failure } };
        let mut view = match View::new(self.system, &outcome.state.q) {
            Ok(view) => view,
            Err(failure) => {
                outcome.ended = Some(failed(outcome.state.t, outcome.steps, failure));
                return outcome;
            }
        };
        let mut taken = Taken::new(self.system, self.stepper.locates_events());
        if seen && let Err(failure) = view.look(self.system, self.stepper, (&outcome.state, h)) {
            // What the method keeps of a node that was shown before is made anew.
            outcome.ended = Some(failed(outcome.state.t, outcome.steps, failure));
            return outcome;
        }
        loop {
            let step = outcome.steps;
            if !seen {
                let shown = view.look(self.system, self.stepper, (&outcome.state, h));
                let shown = shown.and_then(|()| view.show(self.system, &outcome, &taken, &*self.stepper));
                let shown = shown.map_err(|failure| failed(outcome.state.t, step, failure)).and_then(|frame| {
                    let mut each = observers.iter_mut().map(|observer| observer.observe(&frame));
                    each.find_map(Result::err).map_or(Ok(()), |message| Err(Ended::Observer { step, message }))
                });
                if let Err(ended) = shown {
                    outcome.ended = Some(ended);
                    return outcome;
                }
            }
            seen = false;
            if step >= self.grid.steps {
                return outcome;
            }
            if stop.load(Ordering::Relaxed) {
                outcome.ended = Some(Ended::Interrupted { step });
                return outcome;
            }
            let failures = outcome.failures;
            taken.clear();
            if let Err(error) = self.advance(&mut outcome.state, h, 0, &mut outcome.failures, &mut taken) {
                let interrupted = error.failure == Failure::Interrupted;
                outcome.ended = Some(if interrupted {
                    Ended::Interrupted { step }
                } else {
                    Ended::Step { step: step + 1, error }
                });
                return outcome;
            }
            taken.whole = outcome.failures == failures;
            outcome.halved_steps += u64::from(!taken.whole);
            outcome.steps += 1;
            outcome.state.t = self.grid.time(outcome.steps);
        }
    }

    /// One step of the grid, in halves if it must be and may be. On failure the state is unchanged.
    fn advance(
        &mut self,
        state: &mut State,
        h: f64,
        depth: u32,
        failures: &mut u64,
        taken: &mut Taken,
    ) -> Result<(), StepError> {
        taken.before(self.system, state);
        let error = match self.stepper.step(self.system, state, h) {
            Ok(report) => {
                taken.after(self.system, state, report, self.stepper.impulses());
                let stepper = &*self.stepper;
                taken.add(stepper.contact_impulses(), stepper.velocity_impulses());
                if report.active {
                    taken.friction_work += self.stepper.friction_work();
                }
                taken.happened(self.stepper.events(), self.stepper.impact_states());
                return Ok(());
            }
            Err(error) => error,
        };
        if error.failure == Failure::Interrupted {
            return Err(error);
        }
        *failures += 1;
        if self.on_failure == OnFailure::Stop || depth == MOST_HALVINGS {
            return Err(error);
        }
        let before = state.clone();
        for _ in 0..2 {
            if let Err(error) = self.advance(state, 0.5 * h, depth + 1, failures, taken) {
                *state = before;
                return Err(error);
            }
        }
        Ok(())
    }
}

/// What a step of the grid took, summed over the shorter ones that it may be made of.
struct Taken {
    report: StepReport,
    impulse: Vec<f64>,
    contacts: ContactImpulses,
    /// Of nonholonomic rows.
    velocities: Vec<f64>,
    locates_events: bool,
    events: Vec<Event>,
    impact_states: ImpactStates,
    work: f64,
    /// Of friction at contacts that last.
    friction_work: f64,
    /// Whether a step was made, and in one piece.
    whole: bool,
    /// `∂f/∂t` at both ends of a step; empty if no constraint moves.
    rates: [Vec<f64>; 2],
}

impl Taken {
    fn new<S: System + ?Sized>(system: &S, locates_events: bool) -> Self {
        let m = system.equalities().count();
        let rate = || vec![0.0; if system.time_dependence().equalities { m } else { 0 }];
        let rows = system.nonholonomic().map_or(0, |rows| rows.rows());
        Self {
            report: StepReport::default(),
            impulse: vec![0.0; m],
            contacts: ContactImpulses::default(),
            velocities: vec![0.0; rows],
            locates_events,
            events: Vec::new(),
            impact_states: ImpactStates::new(if locates_events { system.dim() } else { 0 }),
            work: 0.0,
            friction_work: 0.0,
            whole: false,
            rates: [rate(), rate()],
        }
    }

    fn clear(&mut self) {
        (self.report, self.work, self.friction_work) = (StepReport::default(), 0.0, 0.0);
        self.impulse.fill(0.0);
        self.contacts.clear();
        self.velocities.fill(0.0);
        self.events.clear();
        self.impact_states.clear();
    }

    fn happened(&mut self, events: &[Event], states: Option<&ImpactStates>) {
        let before = self.impact_states.len();
        self.events.extend(events.iter().map(|event| Event { impact: before + event.impact, ..*event }));
        states.into_iter().for_each(|states| self.impact_states.append(states));
    }

    fn add(&mut self, of_contacts: &[ContactImpulse], of_velocities: &[f64]) {
        self.contacts.add_all(of_contacts);
        self.velocities.iter_mut().zip(of_velocities).for_each(|(sum, impulse)| *sum += impulse);
    }

    fn before<S: System + ?Sized>(&mut self, system: &S, state: &State) {
        if !self.rates[0].is_empty() {
            system.equalities().rate(state.t, &state.q, &mut self.rates[0]);
        }
    }

    fn after<S: System + ?Sized>(&mut self, system: &S, state: &State, report: StepReport, impulses: Impulses) {
        self.report.iterations += report.iterations;
        self.report.residual = self.report.residual.max(report.residual);
        self.report.impacts += report.impacts;
        self.report.active |= report.active;
        self.report.captured += report.captured;
        self.report.impact_work += report.impact_work;
        self.report.surface_work += report.surface_work;
        self.report.fallbacks += report.fallbacks;
        self.report.lowered += report.lowered;
        self.report.approached += report.approached;
        for (sum, (start, end)) in self.impulse.iter_mut().zip(impulses.start.iter().zip(impulses.end)) {
            *sum += start + end;
        }
        self.impulse.iter_mut().zip(impulses.inside).for_each(|(sum, inside)| *sum += inside);
        if !self.rates[0].is_empty() {
            system.equalities().rate(state.t, &state.q, &mut self.rates[1]);
            // The power of −Gᵀλ is −λᵀG v = λᵀ∂f/∂t.
            self.work +=
                dot(impulses.start, &self.rates[0]) + dot(impulses.end, &self.rates[1]) + impulses.inside_work;
        }
    }
}

/// What frames are made of.
struct View {
    inverse: InverseMass,
    v: Vec<f64>,
    node_v: Vec<f64>,
    /// `M v` of the velocity at the node.
    momentum: Vec<f64>,
    equality: Vec<f64>,
    equality_rate: Vec<f64>,
    rate: Vec<f64>,
    shape: RowShape,
    g: Vec<f64>,
    nearest: Nearest,
}

impl View {
    fn new<S: System + ?Sized>(system: &S, q: &[f64]) -> Result<Self, Failure> {
        let rows = || vec![0.0; system.equalities().count()];
        let inverse = InverseMass::new(system, q)?;
        let shape = RowShape::of(system, &inverse);
        Ok(Self {
            inverse,
            v: vec![0.0; system.dim()],
            node_v: vec![0.0; system.dim()],
            momentum: vec![0.0; system.dim()],
            equality: rows(),
            equality_rate: rows(),
            rate: rows(),
            g: vec![0.0; shape.entries()],
            shape,
            nearest: Nearest::default(),
        })
    }

    /// Velocities at a node that steps of length `h` go on from.
    fn look<S: System + ?Sized>(
        &mut self,
        system: &S,
        stepper: &mut dyn Stepper<S>,
        (state, h): (&State, f64),
    ) -> Result<(), Failure> {
        self.inverse.prepare(system, &state.q)?;
        self.v.copy_from_slice(&state.p);
        self.inverse.solve(&mut self.v);
        self.node_v.copy_from_slice(&self.v);
        self.momentum.copy_from_slice(&state.p);
        if stepper.node_velocity(system, state, h, &mut self.node_v) {
            system.mass().times(&state.q, &self.node_v, &mut self.momentum);
        }
        Ok(())
    }

    fn show<'a, S: System + ?Sized>(
        &'a mut self,
        system: &S,
        outcome: &'a Outcome,
        taken: &'a Taken,
        stepper: &'a dyn Stepper<S>,
    ) -> Result<Frame<'a>, Failure> {
        let state = &outcome.state;
        self.nearest.look(system, state.t, &state.q);
        if !self.equality.is_empty() {
            self.shape.evaluate(system, state.t, &state.q, [&mut self.equality, &mut self.g]);
            system.equalities().rate(state.t, &state.q, &mut self.rate);
            for (row, (out, rate)) in self.equality_rate.iter_mut().zip(&self.rate).enumerate() {
                *out = rate + self.shape.fold_row(row, &self.g, &self.node_v, 0.0, |sum, g, v| sum + g * v);
            }
        }
        let potential = system.potential(state.t, &state.q);
        if !potential.is_finite() {
            return Err(Failure::NonFinite { what: "the potential at a node" });
        }
        let kinetic = 0.5 * dot(&self.momentum, &self.node_v);
        if !kinetic.is_finite() {
            return Err(Failure::NonFinite { what: "the kinetic energy at a node" });
        }
        Ok(Frame {
            step: outcome.steps,
            state,
            kinetic,
            v: &self.v,
            node_v: &self.node_v,
            node_p: &self.momentum,
            potential,
            equality: &self.equality,
            equality_rate: &self.equality_rate,
            contacts: self.nearest.ids(),
            gap: &self.nearest.gap,
            report: taken.report,
            constraint_impulse: &taken.impulse,
            contact_impulse: taken.contacts.as_slice(),
            velocity_impulse: &taken.velocities,
            locates_events: taken.locates_events,
            events: &taken.events,
            impact_states: &taken.impact_states,
            inside: if taken.whole { stepper.inside() } else { None },
            memory: stepper.memory(),
            works: stepper.works(),
            regularisation: stepper.regularisation(),
            constraint_work: taken.work,
            friction_work: taken.friction_work,
            failures: outcome.failures,
            halved_steps: outcome.halved_steps,
        })
    }
}
