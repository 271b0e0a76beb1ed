//! What is looked at around impacts that were located: the structure of the step, and the path of the projected principle.
//! It takes steps of its own and is only made where a claim asks for it.

use carom::linear::max_abs;
use carom::measures::Probe;
use carom::method::Method;
use carom::observe::{Frame, Observer};
use carom::projected::Projection;
use carom::state::State;
use carom::steppers::{Event, Stepper, variational};
use carom::system::System;

use crate::scene::Scene;

/// Impacts whose steps are probed.
const PROBED: usize = 20;

/// Which of it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wants {
    pub defect: bool,
    pub preimages: bool,
    pub residual: bool,
}

/// Looks at steps with one impact.
pub(super) struct Impacts<'a> {
    wants: Wants,
    system: &'a (dyn System + 'static),
    probe: Probe<'a>,
    h: f64,
    before: Option<State>,
    probed: usize,
    /// Largest defect of symplecticity of the first steps with one impact.
    pub defect: Option<f64>,
    /// Largest residual of the projected principle at impacts, relative to the momentum.
    pub residual: Option<f64>,
    unfolded: Unfolded<'a>,
}

type Found<'a> = Projection<'a, dyn System + 'static>;

/// The preimages after the first impact.
enum Unfolded<'a> {
    Waiting,
    Open(Box<Found<'a>>, u64),
    Closed(u64),
}

impl<'a> Impacts<'a> {
    pub fn new(scene: &'a Scene, wants: Wants) -> Self {
        let (system, h) = (&*scene.problem.system, scene.run.h);
        let probe = Probe::new(system, &scene.method, h);
        Self {
            wants,
            system,
            probe,
            h,
            before: None,
            probed: 0,
            defect: None,
            residual: None,
            unfolded: Unfolded::Waiting,
        }
    }

    /// Nodes from the first impact on whose configuration has a preimage, until one has none or the next impact comes.
    pub fn preimages(&self) -> Option<f64> {
        match &self.unfolded {
            Unfolded::Waiting => None,
            Unfolded::Open(_, count) | Unfolded::Closed(count) => Some(*count as f64),
        }
    }

    /// A leg of the trapezoid rule.
    fn leg(&self, from: &State, duration: f64) -> Result<State, String> {
        let base = variational::Config { rule: variational::Rule::Trapezoid, ..Default::default() };
        let mut leg = from.clone();
        let mut stepper = base.stepper(self.system, from).map_err(|failure| failure.to_string())?;
        stepper.step(self.system, &mut leg, duration).map_err(|error| error.to_string())?;
        Ok(leg)
    }

    /// The projection about an impact, and the state that arrives there.
    fn project(&self, before: &State, event: &Event) -> Result<(Found<'a>, State), String> {
        let minus = self.leg(before, event.alpha * self.h)?;
        let projection =
            Projection::new(self.system, event.contact, &minus.q).map_err(|error| error.to_string())?;
        Ok((projection, minus))
    }

    /// What is left of [pekarek-murphey-2012 (17)], in the momenta that the legs from both ends of the step come to.
    fn principle(&self, before: &State, after: &State, event: &Event) -> Result<f64, String> {
        let (projection, minus) = self.project(before, event)?;
        let plus = self.leg(after, -(1.0 - event.alpha) * self.h)?;
        let mut left = vec![0.0; minus.p.len()];
        projection.jump(&minus.p, &plus.p, &mut left);
        Ok(max_abs(&left) / max_abs(&minus.p))
    }
}

impl Observer for Impacts<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let Some(before) = self.before.replace(frame.state.clone()) else { return Ok(()) };
        if let [event] = frame.events {
            if self.wants.defect && self.probed < PROBED {
                self.probed += 1;
                let defect = self.probe.symplecticity(&before).map_err(|error| error.to_string())?;
                self.defect = Some(self.defect.map_or(defect, |most| most.max(defect)));
            }
            if self.wants.residual {
                let left = self.principle(&before, frame.state, event)?;
                self.residual = Some(self.residual.map_or(left, |most| most.max(left)));
            }
            if self.wants.preimages && matches!(self.unfolded, Unfolded::Waiting) {
                self.unfolded = Unfolded::Open(Box::new(self.project(&before, event)?.0), 0);
            } else if let Unfolded::Open(_, count) = self.unfolded {
                self.unfolded = Unfolded::Closed(count);
            }
        }
        if let Unfolded::Open(projection, count) = &mut self.unfolded {
            match projection.preimage(&frame.state.q) {
                Some(_) => *count += 1,
                None => self.unfolded = Unfolded::Closed(*count),
            }
        }
        Ok(())
    }
}
