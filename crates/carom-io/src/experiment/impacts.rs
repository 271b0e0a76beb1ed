//! What is looked at around impacts that were located: the structure of the step, and the path of the projected principle.
//! It takes steps of its own and is only made where a claim asks for it.

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
    unfolded: Unfolded<'a>,
}

/// The preimages after the first impact.
enum Unfolded<'a> {
    Waiting,
    Open(Box<Projection<'a, dyn System + 'static>>, u64),
    Closed(u64),
}

impl<'a> Impacts<'a> {
    pub fn new(scene: &'a Scene, wants: Wants) -> Self {
        let (system, h) = (&*scene.problem.system, scene.run.h);
        let probe = Probe::new(system, &scene.method, h);
        Self { wants, system, probe, h, before: None, probed: 0, defect: None, unfolded: Unfolded::Waiting }
    }

    /// Nodes from the first impact on whose configuration has a preimage, until one has none or the next impact comes.
    pub fn preimages(&self) -> Option<f64> {
        match &self.unfolded {
            Unfolded::Waiting => None,
            Unfolded::Open(_, count) | Unfolded::Closed(count) => Some(*count as f64),
        }
    }

    /// The projection about an impact: its configuration is the end of a leg of the trapezoid rule.
    fn project(&self, before: &State, event: &Event) -> Result<Projection<'a, dyn System + 'static>, String> {
        let base = variational::Config { rule: variational::Rule::Trapezoid, ..Default::default() };
        let mut leg = before.clone();
        let mut stepper = base.stepper(self.system, before).map_err(|failure| failure.to_string())?;
        stepper.step(self.system, &mut leg, event.alpha * self.h).map_err(|error| error.to_string())?;
        Projection::new(self.system, event.contact, &leg.q).map_err(|error| error.to_string())
    }
}

impl Observer for Impacts<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let Some(before) = self.before.take() else {
            self.before = Some(frame.state.clone());
            return Ok(());
        };
        if let [event] = frame.events {
            if self.wants.defect && self.probed < PROBED {
                self.probed += 1;
                let defect = self.probe.symplecticity(&before).map_err(|error| error.to_string())?;
                self.defect = Some(self.defect.map_or(defect, |most| most.max(defect)));
            }
            if self.wants.preimages && matches!(self.unfolded, Unfolded::Waiting) {
                self.unfolded = Unfolded::Open(Box::new(self.project(&before, event)?), 0);
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
        self.before = Some(frame.state.clone());
        Ok(())
    }
}
