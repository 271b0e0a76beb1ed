//! The step of `gvi`.

use carom_lcp::Sparse;

use super::discrete::Discrete;
use super::single::Short;
use super::{Config, Energy, Linearized};
use crate::error::{Failure, StepError};
use crate::impact::{Resolved, Resolver};
use crate::method::Method;
use crate::state::{State, same_bits};
use crate::steppers::shared::contacts::{ContactRows, Metric, Row, Scales};
use crate::steppers::shared::held::Holder;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::{ContactImpulses, Near};
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::views::Free;
use crate::steppers::variational::Variational;
use crate::steppers::{ContactImpulse, ForeignMemory, Impulses, StepReport, Stepper, take_over};
use crate::system::{ContactId, System, Way};

/// A gap that falls by more than this in a step may be closed: it is looked at closely.
pub(super) const NEARLY_CLOSED: f64 = 1e-9;

/// A system's contacts and the steps between them.
#[derive(Debug, Clone)]
pub struct Gvi {
    pub(super) config: Config,
    pub(super) free: Variational,
    /// The free step without equality constraints, if there are any.
    pub(super) predictor: Option<Variational>,
    pub(super) holder: Holder,
    pub(super) inverse: InverseMass,
    pub(super) rows: Option<ConstraintRows>,
    pub(super) scales: Scales,
    pub(super) metric: Metric,
    pub(super) contacts: ContactRows,
    pub(super) resolver: Resolver,
    /// Where reflections conserve the discrete energy.
    pub(super) discrete: Option<Discrete>,
    /// The gradient of one contact.
    pub(super) row: Row,
    /// Rows by which contacts count as approached, where these are not those of the velocity.
    pub(super) approach: Sparse,
    pub(super) tolerance: Vec<f64>,
    /// Contacts that may be held, by place among `contacts`.
    pub(super) candidates: Vec<usize>,
    /// Which of them are most likely held.
    pub(super) guess: Vec<usize>,
    /// Contacts that come to rest in this step: they are not reflected.
    pub(super) captured: Vec<ContactId>,
    /// The state that the step starts from.
    pub(super) start: State,
    /// The same with its momentum reflected.
    pub(super) reflected: State,
    /// Where it would lead without contacts and equality constraints.
    pub(super) predicted: State,
    /// Whether the momentum there is known.
    pub(super) arrival_known: bool,
    /// Where gaps and touched contacts are known.
    pub(super) known_q: Vec<f64>,
    pub(super) near: Near,
    /// How many contacts there can be.
    pub(super) most: usize,
    /// Contacts with a closed gap, ascending.
    pub(super) touching: Vec<ContactId>,
    /// Those of them that were held.
    pub(super) carrying: Vec<ContactId>,
    /// Where gradients are taken, if neither at the start nor at the predicted point.
    pub(super) reference: Vec<f64>,
    /// `touching` and `carrying`, each with their number before them, and `reference`.
    pub(super) memory: Vec<f64>,
    pub(super) recalled: bool,
    pub(super) contact_impulse: ContactImpulses,
    pub(super) start_impulse: Vec<f64>,
    pub(super) end_impulse: Vec<f64>,
    /// Work of moving surfaces in the step.
    pub(super) surface_work: f64,
    /// Whether the last step had no contacts.
    pub(super) idle: bool,
    /// What the short way of few coordinates keeps.
    pub(super) short: Short,
}

impl Gvi {
    /// Sized for a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let by_shadow = if config.energy == Energy::Shadow { n } else { 0 };
        Failure::unless_it_fits("the shadow energy of impacts", by_shadow, n)?;
        let inverse = InverseMass::new(system, &start.q)?;
        let (mut predictor, mut rows) = (None, None);
        if m > 0 {
            predictor = Some(config.rule.base().stepper(&Free(system), start)?);
            rows = Some(ConstraintRows::at(RowShape::of(system, &inverse), system, &inverse, start)?);
        }
        let curvature = (config.energy == Energy::Shadow).then_some(config.rule.shadow_curvature());
        let referred = matches!(config.linearized, Linearized::Lag | Linearized::Fixed);
        let mut new = Self {
            config: config.clone(),
            free: config.rule.base().stepper(system, start)?,
            predictor,
            holder: Holder::new(config.rule.base(), system, start),
            inverse,
            rows,
            scales: Scales::new(n),
            metric: Metric::new(curvature, n),
            contacts: ContactRows::default(),
            resolver: Resolver::new(config.reflection),
            discrete: (config.energy == Energy::Discrete).then(|| Discrete::new(config.rule.base().path(n), start)),
            row: Row::default(),
            approach: Sparse::default(),
            tolerance: Vec::new(),
            candidates: Vec::new(),
            guess: Vec::new(),
            captured: Vec::new(),
            start: start.clone(),
            reflected: start.clone(),
            predicted: start.clone(),
            arrival_known: false,
            known_q: vec![f64::NAN; n],
            near: Near::default(),
            most: system.contacts().count(),
            touching: Vec::new(),
            carrying: Vec::new(),
            reference: if referred { start.q.clone() } else { Vec::new() },
            memory: Vec::new(),
            recalled: false,
            contact_impulse: ContactImpulses::default(),
            start_impulse: vec![0.0; m],
            end_impulse: vec![0.0; m],
            surface_work: 0.0,
            idle: true,
            short: Short::default(),
        };
        new.short = Short::new(&new, system);
        Ok(new)
    }

    /// The algorithm [kaufman-pai-2012, Algorithm 1], with the corrections that the module names.
    #[inline]
    fn advance<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        self.start.copy_from(state);
        if !same_bits(&self.known_q, &state.q) {
            self.survey(system, state, h)?;
        }
        let report = match &self.predictor {
            // Without equality constraints the prediction is the step, if nothing is in its way.
            None => {
                let report = self.free.step(system, state, h).map_err(|error| error.failure)?;
                self.look_ahead(system, Some(&state.q), h);
                if !self.is_clear() {
                    std::mem::swap(state, &mut self.predicted);
                    state.copy_from(&self.start);
                    self.arrival_known = true;
                    return self.step_with_contacts(system, state, h);
                }
                if self.config.linearized != Linearized::None {
                    self.look_at_end(system, &state.q, h);
                }
                report
            }
            Some(_) => {
                self.predict(system, state, h)?;
                self.look_ahead(system, None, h);
                if !self.is_clear() {
                    return self.step_with_contacts(system, state, h);
                }
                let report = self.free.step(system, state, h).map_err(|error| error.failure)?;
                self.look_at_end(system, &state.q, h);
                // Equality constraints may lead where the prediction did not.
                if self.leaves_violated(system) {
                    state.copy_from(&self.start);
                    return self.step_with_contacts(system, state, h);
                }
                report
            }
        };
        if !self.idle {
            self.contact_impulse.clear();
            self.idle = true;
        }
        self.finish(system, state, h)?;
        Ok(report)
    }

    /// Whether no contact is touched, and none would be.
    #[inline(always)]
    pub(super) fn is_clear(&self) -> bool {
        let gaps = self.near.gap.iter().zip(&self.near.next);
        self.touching.is_empty() && gaps.into_iter().all(|(gap, next)| *next > NEARLY_CLOSED * gap.abs())
    }

    /// Contacts, and their gaps, on the way from the start of the step to its end.
    #[inline]
    pub(super) fn look_at_end<S: System + ?Sized>(&mut self, system: &S, q: &[f64], h: f64) {
        let way = Way { t: [self.start.t, self.start.t + h], q: [&self.start.q, q] };
        self.near.look(system, way, 0.0);
    }

    /// The step with contacts that are touched or in the way.
    fn step_with_contacts<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        self.idle = false;
        self.surface_work = 0.0;
        self.contact_impulse.clear();
        self.start_impulse.fill(0.0);
        self.inverse.prepare(system, &state.q)?;
        self.scales.measure(system, &self.inverse, (state, None), h);
        self.activate(system, h)?; // (6.3)
        // A look at the predicted point may have taken it there.
        self.inverse.prepare(system, &state.q)?;
        if let Some(rows) = &mut self.rows {
            rows.prepare(system, &self.inverse, state.t, &state.q)?;
        }
        if let Some(discrete) = &mut self.discrete {
            discrete.start();
        }
        let mut impact = Resolved::default();
        let mut report = loop {
            impact.add(self.reflect(system, state, h)?); // (7.2)
            if self.config.iterate_predictor {
                self.reflect_further(system, state, h, &mut impact)?;
            }
            self.choose_candidates(&state.p); // (7.1)
            self.reflected.copy_from(state);
            let report = self.held_or_free(system, state, h)?; // (7.3)-(7.6)
            self.look_at_end(system, &state.q, h);
            // Contacts that may come to rest are never left violated.
            if !self.add_violated(system, state, h) {
                break report;
            }
            state.copy_from(&self.reflected);
        };
        self.take_impulses::<S>();
        if !self.candidates.is_empty() {
            self.surface_work += self.holder.surface_work(system, &self.reflected);
        }
        report.surface_work = self.surface_work;
        report.approached = impact.approached;
        if let Some(discrete) = &self.discrete {
            report.fallbacks = discrete.fallbacks;
            report.iterations += discrete.trials;
        }
        report.captured = self.count_captured(&mut impact, h);
        report.impacts = u32::from(impact.passes > 0);
        report.active = impact.passes > 0 || !self.holder.held.is_empty();
        report.impact_work = impact.work;
        self.finish(system, state, h)?;
        Ok(report)
    }
}

impl<S: System + ?Sized> Stepper<S> for Gvi {
    #[inline]
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let t = state.t;
        let few = match state.q.len() {
            1 => self.advance_few::<1, S>(system, state, h),
            2 => self.advance_few::<2, S>(system, state, h),
            3 => self.advance_few::<3, S>(system, state, h),
            4 => self.advance_few::<4, S>(system, state, h),
            _ => None,
        };
        if let Some(report) = few {
            return Ok(report);
        }
        self.short.forget();
        self.advance(system, state, h).map_err(|failure| {
            state.copy_from(&self.start);
            StepError { t, h, failure }
        })
    }

    fn impulses(&self) -> Impulses<'_> {
        if self.idle {
            Stepper::<S>::impulses(&self.free)
        } else {
            Impulses::at_ends(&self.start_impulse, &self.end_impulse)
        }
    }

    fn contact_impulses(&self) -> &[ContactImpulse] {
        self.contact_impulse.as_slice()
    }

    fn memory(&self) -> &[f64] {
        &self.memory
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        // Before the first step nothing is known, and there is nothing to take over.
        if memory.is_empty() {
            return Ok(());
        }
        let (touching, rest) = self.contacts_in(memory)?;
        let (carrying, rest) = self.contacts_in(rest)?;
        take_over(&mut self.reference, rest)?;
        (self.touching, self.carrying) = (touching, carrying);
        self.recalled = true;
        self.remember();
        Ok(())
    }
}
