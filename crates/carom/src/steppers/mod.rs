//! The methods. Each advances a [`State`] by one step and owns its workspace.

pub mod collision;
pub mod cva;
pub mod direct;
pub mod galerkin;
pub mod gvi;
mod impact_states;
pub mod implicit;
pub mod newmark;
pub mod pem;
pub mod penalty;
pub mod projection;
pub mod shared;
pub mod spook;
pub mod variational;
pub mod vci;
pub mod verlet;

pub use impact_states::{ImpactState, ImpactStates};

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::error::StepError;
use crate::state::State;
use crate::system::{ContactId, System};

/// What a step took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Linear systems solved.
    pub iterations: u32,
    /// Largest residual of the step's equations at the accepted solution, relative to the terms it is made of (and,
    /// where those are round-off of nothing, to the momentum at the speed of the fastest coordinate).
    pub residual: f64,
    /// Impacts: of methods with a fixed grid, 1 if one changed the momentum; of those that locate them, how many there were.
    pub impacts: u32,
    /// Whether an inequality constraint gave an impulse.
    pub active: bool,
    /// Contacts that came to rest by a capture rule; what energy they lost is told by the energies of the nodes.
    pub captured: u32,
    /// Energy that impact laws with restitution below 1 and friction took, as a negative number.
    pub impact_work: f64,
    /// Work that surfaces which move did through their contacts.
    pub surface_work: f64,
    /// Impacts at which the condition of the method had no solution and its fallback was taken; of `pem`, how often a step or a part of it
    /// was halved.
    pub fallbacks: u32,
    /// Impacts with friction whose restitutions were lowered, since they would have gained energy.
    pub lowered: u32,
    /// Contacts that were approached still after the reflection of the step: of a law that is applied once.
    pub approached: u32,
}

/// What happened at a contact inside a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Happening {
    /// An impact by the method's own rule.
    Impact,
    /// An impact at which that rule had no solution: its fallback was taken.
    Fallback,
    /// The contact came to rest.
    Rest,
    /// The contact rested, and an impulse kept it at rest while others came to rest.
    Kept,
}

/// An event that a method located.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// When.
    pub t: f64,
    /// Fraction of the step that had passed.
    pub alpha: f64,
    /// The contact.
    pub contact: ContactId,
    /// What.
    pub what: Happening,
    /// Speed of separation before: negative, the contact is approached.
    pub speed: f64,
    /// Impulse along the gradient of the gap.
    pub impulse: f64,
    /// Impulses along the directions of sliding; not numbers where there is no such direction or no friction.
    pub friction: [f64; 2],
    /// Energy that the event took, as a negative number; of contacts hit at once the first has that of all.
    pub work: f64,
    /// Which of the impacts of the step it belongs to, in [`Stepper::impact_states`]; contacts hit at once have the same.
    pub impact: usize,
}

/// Impulses of a contact in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// The contact.
    pub contact: ContactId,
    /// Along the gradient of its gap.
    pub normal: f64,
    /// Along its directions of sliding; 0 where there is none, or the method does not tell.
    pub friction: [f64; 2],
}

/// Impulses of the equality constraints in a step, one per row: `−G(q0)ᵀ start − G(q1)ᵀ end` went into the momentum, and what was
/// spread along gradients inside.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Impulses<'a> {
    /// Along the gradients at the start of the step.
    pub start: &'a [f64],
    /// Sums of those along the gradients inside; empty if there are none.
    pub inside: &'a [f64],
    /// Along those at its end.
    pub end: &'a [f64],
    /// Work that those inside did, where constraints move.
    pub inside_work: f64,
}

impl<'a> Impulses<'a> {
    /// Of a step that has them at its ends only.
    pub fn at_ends(start: &'a [f64], end: &'a [f64]) -> Self {
        Self { start, end, inside: &[], inside_work: 0.0 }
    }
}

/// What the regularisation of constraints does at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regularisation<'a> {
    /// The values of the equality constraints that it makes one expect.
    pub expected: &'a [f64],
    /// Energy stored in the compliance of the constraints.
    pub stored: f64,
    /// h ω of the fastest motion across constraints under load, by a bound on ω from above; steps of a method that takes their gradients at
    /// the start need less than 2.
    pub lateral: f64,
    /// Contacts with an impact at the node, and the energy that it took with the timing of its forces, as a negative number.
    pub impacts: (u32, f64),
}

/// An end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where it starts.
    Start,
    /// Where it ends.
    Finish,
}

/// The motion inside the last step that was made, over the fraction `0 ≤ s ≤ 1` of it that has passed.
pub trait Inside {
    /// Configuration and momentum: continuous, and those of the nodes at both ends.
    fn at(&self, s: f64, q: &mut [f64], p: &mut [f64]);

    /// The method's own ansatz functions; at an end where they jump, their limit from inside.
    fn ansatz(&self, s: f64, q: &mut [f64], p: &mut [f64]);

    /// What the ansatz functions jump by at an end, the node's value less their limit: with its sign turned for `q`, the impulse of the
    /// forces that keep the motion in the space of the ansatz.
    fn jump(&self, end: End, q: &mut [f64], p: &mut [f64]);

    /// Forces of the equality constraints, one per row: `Gᵀ` of them acts.
    fn constraint_forces(&self, s: f64, out: &mut [f64]);

    /// Number of points of the method's own quadrature.
    fn stages(&self) -> usize;

    /// Configuration and velocity at one of them; returns the fraction of the step that has passed there, and its weight.
    fn stage(&self, index: usize, q: &mut [f64], v: &mut [f64]) -> (f64, f64);
}

/// A method, sized for one system.
pub trait Stepper<S: System + ?Sized> {
    /// Advances `state` by `h`. On failure `state` is unchanged.
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError>;

    /// From now on a step ends with [`Failure::Interrupted`](crate::error::Failure) soon after `stop` is set. Methods whose steps are short need not:
    /// the run asks between steps.
    fn heed(&mut self, _stop: &Arc<AtomicBool>) {}

    /// The constraint impulses of the last step that was made, one of each per equality constraint; none for a method
    /// that takes no constraints.
    fn impulses(&self) -> Impulses<'_> {
        Impulses::default()
    }

    /// Impulses of the contacts in the last step that was made, along the gradients at which they acted, ascending; none of a contact that gave
    /// none.
    fn contact_impulses(&self) -> &[ContactImpulse] {
        &[]
    }

    /// Impulses of the nonholonomic rows in the last step that was made, one per row: `Aᵀ` of them went into the momentum. Empty for a method
    /// that takes none.
    fn velocity_impulses(&self) -> &[f64] {
        &[]
    }

    /// What of the work of the last step was that of friction at contacts which last, if one of them was active: the rest is that of impacts.
    fn friction_work(&self) -> f64 {
        0.0
    }

    /// Whether events are located: then what happens in a run is told even if it is nothing.
    fn locates_events(&self) -> bool {
        false
    }

    /// Events of the last step that was made, in time; empty for a method that locates none.
    fn events(&self) -> &[Event] {
        &[]
    }

    /// The states at the impacts of the last step that was made; none for a method that locates none.
    fn impact_states(&self) -> Option<&ImpactStates> {
        None
    }

    /// The motion inside the last step that was made, if the method knows it.
    fn inside(&self) -> Option<&dyn Inside> {
        None
    }

    /// Velocity at the node of a state that steps of length `h` go on from, of a method whose own lives between nodes; `v` holds its own.
    /// Returns whether `v` was changed.
    fn node_velocity(&mut self, _system: &S, _state: &State, _h: f64, _v: &mut [f64]) -> bool {
        false
    }

    /// Energy that came in between the last two nodes that [`Stepper::node_velocity`] was asked for, by the accounts of the method.
    fn works(&self) -> &[f64] {
        &[]
    }

    /// What a method that regularises constraints makes of them at that node; `None` for one that holds them.
    fn regularisation(&self) -> Option<Regularisation<'_>> {
        None
    }

    /// What the next step depends on beside the state, such as which contacts are held. A step that fails leaves it as it was.
    fn memory(&self) -> &[f64] {
        &[]
    }

    /// Takes over the memory of a step of the same method on the same system: a run then goes on with the same bits. A memory that does not
    /// fit is refused.
    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        take_over(&mut [], memory)
    }
}

/// A memory that is not one of this method on this system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the memory of the method has {found}, expected {expected}")]
pub struct ForeignMemory {
    /// What it has.
    pub found: String,
    /// What this method has on this system.
    pub expected: String,
}

/// Copies a memory of a fixed size.
pub(crate) fn take_over(own: &mut [f64], memory: &[f64]) -> Result<(), ForeignMemory> {
    if memory.len() != own.len() {
        let [found, expected] = [memory.len(), own.len()].map(|count| format!("{count} numbers"));
        return Err(ForeignMemory { found, expected });
    }
    if let Some(value) = memory.iter().find(|value| !value.is_finite()) {
        return Err(ForeignMemory { found: format!("the number {value}"), expected: "finite numbers".into() });
    }
    own.copy_from_slice(memory);
    Ok(())
}
