//! The step of a collision integrator.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::collapse::Histories;
use super::leg::{Leg, Place};
use super::search::Search;
use super::{Closing, Options};
use crate::error::{Failure, StepError};
use crate::impact::{Programme, Resolver, RoughResolver};
use crate::method::Method;
use crate::state::{State, all_finite};
use crate::steppers::shared::contacts::{ContactRows, Metric, Scales};
use crate::steppers::shared::friction::Friction;
use crate::steppers::shared::held::Holder;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::ContactImpulses;
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::shadow::Shadow;
use crate::steppers::variational::Variational;
use crate::steppers::{ContactImpulse, Event, ImpactStates, Impulses, StepReport, Stepper};
use crate::system::{ContactId, System};

/// Speeds of approach that a cluster may be left with, as a multiple of those that count as none: 1e-6 of the liveliest coordinate's. Contacts
/// with such speeds are held.
const LEFTOVER: f64 = 1e4;

/// A system's legs and impacts.
#[derive(Debug, Clone)]
pub struct Collision {
    pub(super) options: Options,
    pub(super) free: Variational,
    pub(super) holder: Holder,
    pub(super) inverse: InverseMass,
    pub(super) rows: Option<ConstraintRows>,
    pub(super) scales: Scales,
    pub(super) metric: Metric,
    pub(super) contacts: ContactRows,
    pub(super) resolver: Resolver,
    pub(super) rough: RoughResolver,
    pub(super) friction: Friction,
    pub(super) press: Programme,
    /// Speeds that are to be stopped.
    pub(super) left: Vec<f64>,
    pub(super) leg: Leg,
    pub(super) shadow: Shadow,
    pub(super) search: Search,
    /// Where gaps are known.
    pub(super) known_q: Vec<f64>,
    /// Whether steps in the air may take the short way.
    pub(super) simple: bool,
    /// Whether the gradient of the leg is that at `known_q`.
    pub(super) gradient_known: bool,
    /// Contacts that are touched without being approached, ascending.
    pub(super) resting: Vec<ContactId>,
    /// Their places among `contacts`.
    pub(super) places: Vec<usize>,
    /// Energy that friction of contacts that last took in the step, as a negative number.
    pub(super) friction_work: f64,
    /// Whether all of the friction of the leg is in the last step of the holder.
    pub(super) rubbed: bool,
    /// Where the step starts, if its energy is asked for.
    pub(super) origin: State,
    pub(super) events: Vec<Event>,
    pub(super) impact_states: ImpactStates,
    /// Contacts that an impact keeps at rest: the last of its events.
    pub(super) kept: Vec<Event>,
    pub(super) report: StepReport,
    pub(super) histories: Histories,
    pub(super) contact_impulse: ContactImpulses,
    pub(super) start_impulse: Vec<f64>,
    pub(super) end_impulse: Vec<f64>,
    /// Whether the last step had neither impacts nor resting contacts.
    pub(super) idle: bool,
    /// When the step starts, and how long it is.
    pub(super) grid: [f64; 2],
    /// Whether the run was asked to stop.
    pub(super) stop: Option<Arc<AtomicBool>>,
}

impl Collision {
    /// Sized for a system.
    pub fn new<S: System + ?Sized>(options: Options, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let by_shadow = usize::from(matches!(options.closing, Closing::Shadow(_)));
        let by_metric = usize::from(options.curvature.is_some());
        Failure::unless_they_fit("the shadow energy of impacts", &[[(by_shadow + by_metric) * n, n]])?;
        let inverse = InverseMass::new(system, &start.q)?;
        let mut rows = None;
        if m > 0 {
            rows = Some(ConstraintRows::at(RowShape::of(system, &inverse), system, &inverse, start)?);
        }
        let mut new = Self {
            free: options.base.stepper(system, start)?,
            holder: Holder::with_clusters(options.base.clone(), system, start),
            rows,
            scales: Scales::new(n),
            metric: Metric::new(options.curvature, n),
            contacts: ContactRows::default(),
            resolver: Resolver::with_leftover(options.law, LEFTOVER),
            rough: RoughResolver::new(options.law, LEFTOVER),
            friction: Friction::default(),
            press: Programme::default(),
            left: Vec::new(),
            leg: Leg::new(&options, system, start),
            shadow: Shadow::new(if let Closing::Shadow(_) = options.closing { n } else { 0 }),
            search: Search::new(n),
            inverse,
            known_q: vec![f64::NAN; n],
            simple: system.forces().is_none() && !system.depends_on_time() && system.contacts().is_constant(),
            gradient_known: false,
            resting: Vec::new(),
            places: Vec::new(),
            rubbed: false,
            friction_work: 0.0,
            origin: start.clone(),
            events: Vec::new(),
            impact_states: ImpactStates::new(n),
            kept: Vec::new(),
            report: StepReport::default(),
            histories: Histories::new(n),
            contact_impulse: ContactImpulses::default(),
            start_impulse: vec![0.0; m],
            end_impulse: vec![0.0; m],
            idle: true,
            grid: [start.t, 0.0],
            stop: None,
            options,
        };
        new.leg.condition.resize(n);
        Ok(new)
    }

    /// The algorithm [fetecau-2003 (46)-(49), (78)-(79)], [pekarek-murphey-2012 (19)-(21)], leg by leg.
    fn advance<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<(), Failure> {
        let place = self.start(state, h);
        self.set_off(system, place)?;
        let mut rest = h.abs();
        while let Some(tau) = self.first_impact(system, rest)? {
            self.arrive(system, tau)?;
            rest -= tau;
            self.strike(system)?; // p⁺ = p⁻R, and what (48) asks of the next leg
            self.set_off(system, Place::Arrival)?;
            self.close_step(system, rest)?;
        }
        self.arrive(system, rest)?; // (49)
        self.leg.end.t = state.t + h;
        if all_finite(&self.leg.end.q) && all_finite(&self.leg.end.p) {
            Ok(())
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// The long way: the step leg by leg.
    #[inline(never)]
    fn advance_legs<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        if let Err(failure) = self.advance(system, state, h) {
            self.known_q.fill(f64::NAN);
            return Err(StepError { t: state.t, h, failure });
        }
        self.report.impact_work += self.friction_work;
        self.finish(system);
        state.copy_from(&self.leg.end);
        Ok(self.report)
    }

    /// What the next step may start from.
    fn finish<S: System + ?Sized>(&mut self, system: &S) {
        self.idle = self.resting.is_empty() && self.impact_states.is_empty();
        if self.search.ahead {
            self.search.near.go_on();
        } else {
            self.search.near.take_start(system, self.leg.end.t, &self.leg.end.q);
        }
        self.known_q.copy_from_slice(&self.leg.end.q);
        self.gradient_known = self.leg.parabolic && self.resting.is_empty();
        if self.gradient_known {
            std::mem::swap(&mut self.leg.gradient, &mut self.leg.next_gradient);
        }
    }

    /// Nothing has happened in the step yet. Returns what is known of its start from the last step.
    fn start(&mut self, state: &State, h: f64) -> Place {
        self.grid = [state.t, h];
        self.leg.at.copy_from(state);
        self.leg.condition.asked = false;
        if let Closing::Shadow(_) = self.options.closing {
            self.origin.copy_from(state);
        }
        self.report = StepReport::default();
        self.friction_work = 0.0;
        self.histories.clear();
        self.holder.restart();
        self.scales.restart();
        self.search.grazed.clear();
        self.events.clear();
        self.impact_states.clear();
        if !self.idle {
            self.contact_impulse.clear();
        }
        self.start_impulse.fill(0.0);
        self.end_impulse.fill(0.0);
        match self.known_q == state.q {
            true if self.gradient_known && self.simple => Place::Same,
            true => Place::Last,
            false => Place::New,
        }
    }
}

impl<S: System + ?Sized> Stepper<S> for Collision {
    // A step in the air costs less than the call of it.
    #[inline(always)]
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let few = match state.q.len() {
            1 => self.advance_few::<1, S>(system, state, h),
            2 => self.advance_few::<2, S>(system, state, h),
            3 => self.advance_few::<3, S>(system, state, h),
            4 => self.advance_few::<4, S>(system, state, h),
            _ => None,
        };
        match few {
            Some(report) => Ok(report),
            None => self.advance_legs(system, state, h),
        }
    }

    fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.stop = Some(Arc::clone(stop));
    }

    fn impulses(&self) -> Impulses<'_> {
        Impulses::at_ends(&self.start_impulse, &self.end_impulse)
    }

    fn contact_impulses(&self) -> &[ContactImpulse] {
        self.contact_impulse.as_slice()
    }

    fn friction_work(&self) -> f64 {
        self.friction_work
    }

    fn locates_events(&self) -> bool {
        true
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn impact_states(&self) -> Option<&ImpactStates> {
        Some(&self.impact_states)
    }
}
