//! What a run shows of itself: a frame per node, to observers that cannot change it.

use crate::state::State;
use crate::steppers::{ContactImpulse, Event, ImpactStates, Inside, Regularisation, StepReport};
use crate::system::ContactId;

/// Everything about one node of the time grid.
#[derive(Clone, Copy)]
pub struct Frame<'a> {
    /// Steps made.
    pub step: u64,
    /// Time, configuration, momentum.
    pub state: &'a State,
    /// `v = M⁻¹p`: the method's own.
    pub v: &'a [f64],
    /// Velocity at the node: `v`, unless the method's own lives between nodes.
    pub node_v: &'a [f64],
    /// Momentum of the velocity at the node.
    pub node_p: &'a [f64],
    /// Kinetic energy, of the velocity at the node.
    pub kinetic: f64,
    /// Potential energy.
    pub potential: f64,
    /// Values of the equality constraints.
    pub equality: &'a [f64],
    /// Their rates along the motion, with the velocity at the node.
    pub equality_rate: &'a [f64],
    /// The contacts of the node, ascending: all of a system with few, of others the nearest one, those that are not open, and some beside them.
    pub contacts: &'a [ContactId],
    /// Their gaps.
    pub gap: &'a [f64],
    /// What the step took; nothing at the start.
    pub report: StepReport,
    /// Impulses of the equality constraints in the step, one per row: `−Gᵀ` of it went into the momentum.
    pub constraint_impulse: &'a [f64],
    /// Impulses of contacts in the step, ascending; none of a contact that gave none.
    pub contact_impulse: &'a [ContactImpulse],
    /// Impulses of the nonholonomic rows in the step, one per row: `Aᵀ` of them went into the momentum; empty if the method takes none.
    pub velocity_impulse: &'a [f64],
    /// Whether the method locates events.
    pub locates_events: bool,
    /// Events that the method located in the step, in time.
    pub events: &'a [Event],
    /// The states at the impacts of the step, which events refer to.
    pub impact_states: &'a ImpactStates,
    /// The motion inside the step, if the method knows it; not at the start, and not of a step that was made of shorter ones.
    pub inside: Option<&'a dyn Inside>,
    /// What the method keeps beside the state.
    pub memory: &'a [f64],
    /// Energy that came in since the node before, by the accounts of the method.
    pub works: &'a [f64],
    /// What a method that regularises constraints makes of them.
    pub regularisation: Option<Regularisation<'a>>,
    /// Work that moving constraints did in the step.
    pub constraint_work: f64,
    /// What of the work of impacts was friction of contacts that last.
    pub friction_work: f64,
    /// Solves that failed so far.
    pub failures: u64,
    /// Steps so far that were made of shorter ones.
    pub halved_steps: u64,
}

impl Frame<'_> {
    /// Total energy `T + V`.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Looks at every node of a run.
pub trait Observer {
    /// Called at the start and after every step. An error ends the run; what was kept so far stays.
    fn observe(&mut self, frame: &Frame) -> Result<(), String>;
}
