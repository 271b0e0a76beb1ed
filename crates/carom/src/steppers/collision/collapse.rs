//! Impacts that do not end by themselves.
//!
//! Bodies with a restitution below 1 can hit each other infinitely often in a finite time: a ball on the floor, and a cluster of bodies even
//! without forces (*inelastic collapse* [McNamara & Young 1994]). What is left of such impacts is rest: their speeds fade, and so does the
//! difference that restitution makes. A contact therefore goes through three stages in a step:
//! 1. It *bounces*, by its own restitution.
//! 2. It *collapses*: after [`FEWEST`] impacts in the step, as soon as one is slower than [`FADED`] of the fastest, or after [`MOST_BOUNCES`]. From then on,
//!    until the step ends, its restitution is 0: the next impact closes it, and it is held with the others of its cluster.
//! 3. It is *held* from afar: after [`MOST_LANDINGS`] impacts without restitution the contact takes part in every further impact of the step, wherever
//!    its gap, and legs keep it from being violated by complementarity.
//!
//! So every contact with a restitution below 1 has a bounded number of impacts in a step, and every step ends. What energy a collapsed contact takes is booked as
//! that of coming to rest. Elastic contacts never collapse unless `capture` is set: after [`MOST_IMPACTS`] impacts of one of them the step is an error.

use super::step::Collision;
use crate::error::Failure;
use crate::system::System;

/// Impacts of a contact in a step before it may collapse.
const FEWEST: u32 = 8;
/// Speeds of approach below this share of the fastest in the step have faded: their energy is 1e-8 of it.
const FADED: f64 = 1e-4;
/// Impacts of a contact in a step before it collapses whatever its speed.
const MOST_BOUNCES: u32 = 100;
/// Impacts of a contact in a step after its collapse before it is held.
const MOST_LANDINGS: u32 = 20;
/// Impacts of an elastic contact in a step before it is given up.
const MOST_IMPACTS: u32 = 4000;

/// Places where a gap closes without an impact, in a step, before it is given up.
const MOST_GRAZES: u32 = 10_000;

/// What a contact goes through in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    #[default]
    Bounces,
    Collapsed,
    Held,
}

#[derive(Debug, Clone, Copy, Default)]
struct History {
    stage: Stage,
    /// Impacts in this stage.
    impacts: u32,
    /// The fastest approach in the step.
    fastest: f64,
}

/// The contacts that were hit in a step.
#[derive(Debug, Clone)]
pub struct Histories {
    of: Vec<History>,
    /// Those that were hit.
    hit: Vec<usize>,
    /// Those that are held from afar, ascending.
    pub held: Vec<usize>,
    /// Gaps that closed without an impact.
    grazes: u32,
}

impl Histories {
    /// For `k` contacts.
    pub fn new(k: usize) -> Self {
        Self { of: vec![History::default(); k], hit: Vec::new(), held: Vec::new(), grazes: 0 }
    }

    /// A new step.
    pub fn clear(&mut self) {
        for &contact in &self.hit {
            self.of[contact] = History::default();
        }
        self.hit.clear();
        self.held.clear();
        self.grazes = 0;
    }

    /// The stage of a contact.
    pub fn stage(&self, contact: usize) -> Stage {
        self.of[contact].stage
    }

    /// Impacts of a contact in its stage.
    pub fn impacts(&self, contact: usize) -> u32 {
        self.of[contact].impacts
    }

    /// Notes an impact with a speed of approach. Returns false if the contact had too many.
    fn note(&mut self, contact: usize, speed: f64, fades: bool) -> bool {
        let history = &mut self.of[contact];
        if history.impacts == 0 && history.stage == Stage::Bounces {
            self.hit.push(contact);
        }
        history.impacts += 1;
        history.fastest = history.fastest.max(speed);
        let faded = history.impacts >= FEWEST && speed <= FADED * history.fastest;
        let next = match history.stage {
            Stage::Bounces if fades && (faded || history.impacts >= MOST_BOUNCES) => Stage::Collapsed,
            Stage::Collapsed if history.impacts >= MOST_LANDINGS => Stage::Held,
            stage => stage,
        };
        if next != history.stage {
            (history.stage, history.impacts) = (next, 0);
            if let (Stage::Held, Err(place)) = (next, self.held.binary_search(&contact)) {
                self.held.insert(place, contact);
            }
        }
        fades || history.impacts <= MOST_IMPACTS
    }
}

impl Collision {
    /// Notes the impacts from an event of the step on.
    pub(super) fn note_impacts<S: System + ?Sized>(&mut self, system: &S, before: usize) -> Result<(), Failure> {
        self.histories.grazes += u32::from(self.events.len() == before);
        if self.histories.grazes > MOST_GRAZES {
            let (impacts, contact) = (self.events.len(), system.gap_name(self.search.found));
            return Err(Failure::Stalled { impacts, contact, at: self.leg.at.t, speed: 0.0 });
        }
        for event in &self.events[before..] {
            let contact = event.contact;
            let restitution = self.options.restitution.unwrap_or_else(|| system.restitution(contact));
            let fades = restitution < 1.0 || self.options.capture;
            if !self.histories.note(contact, -event.speed, fades) {
                let (impacts, at, speed) = (MOST_IMPACTS as usize, self.leg.at.t, event.speed);
                return Err(Failure::Stalled { impacts, contact: system.gap_name(contact), at, speed });
            }
        }
        Ok(())
    }
}
