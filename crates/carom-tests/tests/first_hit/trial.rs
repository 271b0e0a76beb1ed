//! One trial: a step, and what is found of it.

use carom::error::Failure;
use carom::state::State;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::{Event, Happening, Stepper, vci};
use carom::system::{ContactId, System};

use super::altered::Altered;
use super::kinds::{Held, Scales};
use super::legs::{Choice, Leg};
use super::oracle::{Findings, Hit, Oracle, Path};

/// What nodes may lie inside, as a share of the lengths.
const DEPTH: f64 = 1e-12;

/// Speeds that are none, as a share of what gaps change by in a step.
const STILL: f64 = 1e-8;
/// Gaps below 1e-10 of what a step can change them by count as closed where a leg starts, and speeds as none.
const CLOSED: f64 = 3e-10;
/// Legs of a step that are followed.
const MOST_LEGS: usize = 4;
/// So many hops in a step are not asked for.
const MOST_HOPS: f64 = 3000.0;

/// What came of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The base method does not reach the end of the step, or a body bounces on and on in it: nothing is asked.
    NotAsked,
    /// Nothing is hit, and nothing was found.
    Clear,
    /// Nothing can be told.
    Graze,
    /// The impact was found.
    Impact,
    Missed,
    Late,
    Phantom,
    Inadmissible,
    Error(&'static str),
}

/// A trial.
pub struct Trial {
    pub leg: Leg,
    pub choice: Choice,
    pub system: Altered,
    pub start: State,
    pub h: f64,
    pub scales: Scales,
    /// Whether the stepper has made a step before.
    pub warm: bool,
    pub held: Option<Held>,
    pub words: String,
    /// Whether a contact is round, with what is taken off its gap as its radius.
    pub round: Vec<bool>,
    pub bands: Vec<f64>,
    pub reach: f64,
    pub samples: usize,
    /// Most changes of gaps along the path.
    pub change: f64,
    /// Twice the most kinetic energy that a coordinate has or gains in the step.
    pub energy: f64,
}

/// What was found, in words.
pub struct Report {
    pub outcome: Outcome,
    pub words: String,
}

impl Trial {
    /// The path of its first leg.
    pub fn path<'a>(&'a self, start: &'a State) -> Option<Path<'a>> {
        let (sign, still) = (self.h.signum(), self.held.map(|held| held.coordinate));
        let parabola = self.choice.is_explicit() && !matches!(self.leg, Leg::Drag | Leg::Mass | Leg::Equality);
        // Uniform forces: the implicit rules have parabolas too where something rests.
        if parabola || self.leg == Leg::Held {
            return Some(Path::parabola(&self.system, start, sign, still));
        }
        Path::base(&self.choice.base(), &self.system, start, sign).ok()
    }

    /// What the brute force finds from a state on, for what is left of the step. Where a gap is closed while the momentum there leaves it,
    /// nothing is struck, and the next leg starts.
    pub fn findings(&self, from: &State, bands: &[f64]) -> Option<Findings> {
        let (mut start, mut all) = (from.clone(), Findings::default());
        for _ in 0..8 {
            let (since, rest) = ((start.t - from.t).abs(), self.h.abs() - start.t.abs());
            let mut path = self.path(&start)?;
            let found = Oracle::new(&mut path, &self.system, (rest, self.samples), bands).findings()?;
            all.grazes.extend(found.grazes.iter().map(|(tau, contact)| (since + tau, *contact)));
            let Some(hit) = found.hit else { break };
            all.unclear |= self.rests(&start, hit.contact);
            let later = path.state(hit.tau);
            let speed = self.speed(&later, hit.contact);
            if speed.abs() <= STILL * self.change / self.h.abs() {
                all.grazes.push((since + hit.tau, hit.contact));
                all.unclear = true;
                break;
            }
            if speed < 0.0 {
                all.hit = Some(Hit { tau: since + hit.tau, deep: since + hit.deep, ..hit });
                all.hops = self.hops(&mut path, hit, -speed);
                break;
            }
            drop(path);
            start = later;
        }
        (all.last, all.since) = (start, from.t);
        Some(all)
    }

    /// What a step can change a gap by, per time: by the energy of the liveliest coordinate.
    fn lively(&self, q: &[f64], contact: usize) -> f64 {
        let mut gradient = vec![0.0; q.len()];
        self.system.contacts().gradient(0.0, q, ContactId::of(contact), &mut gradient);
        let inertia: f64 = gradient.iter().zip(&self.system.masses).map(|(g, m)| g * g / m).sum();
        (inertia * self.energy).sqrt()
    }

    /// Whether a contact may count as closed and still where a leg starts: then it is held.
    fn rests(&self, start: &State, contact: usize) -> bool {
        let mut gaps = vec![0.0; self.bands.len()];
        self.system.contacts().gaps(start.t, &start.q, &mut gaps);
        let lively = CLOSED * self.lively(&start.q, contact);
        gaps[contact] <= self.bands[contact] + self.h.abs() * lively && self.speed(start, contact).abs() <= lively
    }

    /// Whether a leg that is cut in two is another path: then what is found after a graze says nothing.
    fn is_cut(&self, found: &Findings) -> bool {
        let parabola = matches!(self.leg, Leg::Parabola | Leg::Held | Leg::Backward) && self.choice.is_explicit();
        let other = !parabola || self.system.pull.stiffness != 0.0;
        other && !found.grazes.is_empty()
    }

    /// Speed of separation by the momentum.
    fn speed(&self, state: &State, contact: usize) -> f64 {
        let inverse = InverseMass::new(&self.system, &state.q).expect("a mass");
        let (mut v, mut gradient) = (state.p.clone(), vec![0.0; state.q.len()]);
        inverse.solve(&mut v);
        self.system.contacts().gradient(state.t, &state.q, ContactId::of(contact), &mut gradient);
        self.h.signum() * gradient.iter().zip(&v).map(|(g, v)| g * v).sum::<f64>()
    }

    /// How often a body that is pressed bounces in a step, if every hop is like the first: `h c/(2u)` with the speed `u` and the bend
    /// `c` of the gap.
    fn hops(&self, path: &mut Path, hit: Hit, speed: f64) -> f64 {
        let width = 0.5 * hit.tau.max(1e-3 * self.h.abs());
        let mut oracle = Oracle::new(path, &self.system, (self.h.abs(), 1), &self.bands);
        let gaps = [0.0, 1.0, 2.0].map(|k| oracle.gap(hit.contact, k * width).unwrap_or(f64::NAN));
        let bend = -(gaps[0] - 2.0 * gaps[1] + gaps[2]) / (width * width);
        self.h.abs() * bend.max(0.0) / (2.0 * speed)
    }

    /// A gap on the path from a state on.
    pub fn gap(&self, start: &State, contact: usize, tau: f64) -> f64 {
        let Some(mut path) = self.path(start) else { return f64::NAN };
        Oracle::new(&mut path, &self.system, (self.h.abs(), 1), &self.bands).gap(contact, tau).unwrap_or(f64::NAN)
    }

    /// Makes the step, and compares.
    pub fn judge(&self) -> Report {
        let Some(found) = self.findings(&self.start, &self.bands) else {
            return Report { outcome: Outcome::NotAsked, words: String::new() };
        };
        let system: &dyn System = &self.system;
        let mut stepper = match self.choice.stepper(system, &self.start) {
            Ok(stepper) => stepper,
            Err(failure) => return self.failed(&failure, &found),
        };
        if self.warm {
            // A step that is too short to change anything: the next one may take the short way.
            let mut still = State { p: vec![0.0; self.start.p.len()], ..self.start.clone() };
            let _ = stepper.step(system, &mut still, 1e-150);
        }
        let mut state = self.start.clone();
        if let Err(error) = stepper.step(system, &mut state, self.h) {
            return self.failed(&error.failure, &found);
        }
        let events = Stepper::<dyn System>::events(&stepper);
        let (outcome, leg) = self.follow(found.clone(), events);
        let few: Vec<_> = events.iter().take(4).map(|e| (e.t, e.contact, e.what, e.speed, e.impulse)).collect();
        let mut words = format!("leg {leg}: found {few:?} of {} events", events.len());
        let mut gaps = vec![0.0; self.bands.len()];
        system.contacts().gaps(state.t, &state.q, &mut gaps);
        let lengths = self.scales.size + self.reach.max(state.q.iter().fold(0.0, |max: f64, q| max.max(q.abs())));
        let deepest = gaps.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        words += &format!("; deepest gap of the node {deepest:?}; {}", expectation(&found));
        let inside = deepest.is_some_and(|(_, gap)| gap.is_nan() || *gap < -DEPTH * lengths);
        let fine = matches!(outcome, Outcome::Clear | Outcome::Graze | Outcome::Impact);
        Report { outcome: if fine && inside { Outcome::Inadmissible } else { outcome }, words }
    }

    /// Compares the first event, and those after it as far as the next leg is known: its momentum is the impulse along the gradient away.
    /// Returns the outcome of the first leg or the first fault, and the leg.
    fn follow(&self, mut found: Findings, mut events: &[Event]) -> (Outcome, usize) {
        let mut at = self.start.clone();
        let mut bands = self.bands.clone();
        let mut first = None;
        for leg in 1..=MOST_LEGS {
            let event = events.first().map(|event| ((event.t - at.t).abs(), event.contact.place()));
            let outcome = self.compare(&found, event, &bands);
            let done = !matches!(outcome, Outcome::Impact);
            if leg == 1 || matches!(outcome, Outcome::Missed | Outcome::Late | Outcome::Phantom) {
                first = Some((outcome, leg));
            }
            if done || !self.goes_on() || events.is_empty() {
                break;
            }
            let Some(mut path) = self.path(&found.last) else { break };
            let mut next = path.state((events[0].t - found.last.t).abs());
            let together = events.iter().take_while(|event| event.t == events[0].t).count();
            if events[..together].iter().any(|event| event.what == Happening::Rest) {
                break;
            }
            let mut gradient = vec![0.0; next.q.len()];
            for event in &events[..together] {
                self.system.contacts().gradient(next.t, &next.q, event.contact, &mut gradient);
                next.p.iter_mut().zip(&gradient).for_each(|(p, g)| *p += event.impulse * g);
            }
            events = &events[together..];
            drop(path);
            // Normals are known to the round-off of places over the radius.
            let radius = self.radii().fold(self.scales.size, f64::min);
            let blurred = 1e-15 * self.reach / radius * self.reach * 10.0_f64.powi(leg as i32);
            bands.iter_mut().for_each(|band| *band += blurred);
            if blurred > 1e-3 * radius || self.h.abs() - next.t.abs() < 1e-9 * self.h.abs() {
                break;
            }
            at = next;
            match self.findings(&at, &bands) {
                Some(next) => found = next,
                None => break,
            }
        }
        first.unwrap_or((Outcome::NotAsked, 0))
    }

    /// Whether the leg after an impact is known: the momentum of `vci` depends on its length, unless there are no forces.
    fn goes_on(&self) -> bool {
        let free = self.system.pull.stiffness == 0.0 && self.system.pull.acceleration.iter().all(|a| *a == 0.0);
        let known = matches!(self.choice, Choice::Cva(_)) || (free && !matches!(self.leg, Leg::Drag | Leg::Mass));
        known && !matches!(self.leg, Leg::Equality | Leg::Held | Leg::Backward)
    }

    /// Radii of what is hit.
    fn radii(&self) -> impl Iterator<Item = f64> {
        self.system.shift.iter().zip(&self.round).filter(|(_, round)| **round).map(|(shift, _)| shift.abs())
    }

    fn failed(&self, failure: &Failure, found: &Findings) -> Report {
        let kind = match failure {
            Failure::NotConverged { .. } => "not converged",
            Failure::OutOfReach { .. } => "out of reach",
            Failure::Stalled { .. } => "stalled",
            Failure::Impact { .. } => "impact law",
            Failure::Contacts { .. } => "contacts",
            Failure::NonFinite { .. } => "not finite",
            _ => "other",
        };
        // After an impact a rod may turn too far in what is left of the step, and implicit legs may be too long.
        let implicit = matches!(self.leg, Leg::Equality | Leg::Mass) && found.hit.is_some();
        let asked = match failure {
            Failure::OutOfReach { .. } | Failure::NotConverged { .. } => !implicit,
            Failure::Contacts { .. } => !self.sinks() && !self.swaps(found),
            Failure::Stalled { speed, .. } => !self.is_endless(found, speed.abs()),
            _ => true,
        };
        if !asked {
            return Report { outcome: Outcome::NotAsked, words: String::new() };
        }
        Report { outcome: Outcome::Error(kind), words: format!("{failure}; {}", expectation(found)) }
    }

    /// Whether so many impacts fit into the step that nothing is asked: a body that is pressed hops `h c/(2u)` times.
    fn is_endless(&self, found: &Findings, speed: f64) -> bool {
        let weight = self.system.pull.acceleration.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
        let held = self.leg == Leg::Held && weight * self.h.abs() > 2.0 * MOST_HOPS * speed;
        found.hops > MOST_HOPS || held || self.sinks()
    }

    /// Whether bodies that rest on each other at the start would move by more than the distance of their centres in the step: what holds them
    /// may then find them on the other side, and says so.
    fn swaps(&self, found: &Findings) -> bool {
        found.hit.is_some_and(|hit| {
            self.round[hit.contact]
                && self.rests(&self.start, hit.contact)
                && self.reach > self.system.shift[hit.contact].abs()
        })
    }

    /// The rules with a node after the middle reflect with less and less, (1 − γ)/γ of the speed of the hop before: that has no end.
    fn sinks(&self) -> bool {
        matches!(self.choice, Choice::Vci(vci::Rule::Gamma, gamma) if gamma > 0.5)
    }

    /// What an event, or none, is after what was found.
    pub fn compare(&self, found: &Findings, event: Option<(f64, usize)>, bands: &[f64]) -> Outcome {
        if found.unclear || self.is_cut(found) {
            return Outcome::Graze;
        }
        let Some((tau, contact)) = event else {
            return match found.hit {
                Some(_) => Outcome::Missed,
                None if found.grazes.is_empty() => Outcome::Clear,
                None => Outcome::Graze,
            };
        };
        let rounding = 1e-12 * self.h.abs();
        if found.hit.is_some_and(|hit| tau > hit.deep + rounding) {
            return Outcome::Late;
        }
        let most = self.change + self.h.abs() * self.lively(&found.last.q, contact);
        let allowed = bands[contact] + CLOSED * most;
        let later = found.last.t.abs() - found.since.abs();
        let gap = if tau >= later { self.gap(&found.last, contact, tau - later) } else { f64::INFINITY };
        if gap.is_nan() || gap > allowed {
            return Outcome::Phantom;
        }
        if found.hit.is_some() { Outcome::Impact } else { Outcome::Graze }
    }

    /// Everything that it takes to make it again.
    pub fn describe(&self) -> String {
        let inverse = InverseMass::new(&self.system, &self.start.q).expect("a mass");
        let mut v = self.start.p.clone();
        inverse.solve(&mut v);
        let Altered { shift, masses, pull, drag, warp, pin, .. } = &self.system;
        format!(
            "{:?}, {}, warm {}, h = {:e}\n  q = {:?}\n  v = {v:?}\n  masses {masses:?}, off the gaps {shift:?}\n  {pull:?}, drag {:?}, warp {:?}, pin \
             {pin:?}, held {:?}",
            self.choice,
            self.words,
            self.warm,
            self.h,
            self.start.q,
            drag.as_ref().map(|drag| drag.rate),
            warp.as_ref().map(|warp| (warp.depth, &warp.waves)),
            self.held
        )
    }
}

/// What was expected, in words.
fn expectation(found: &Findings) -> String {
    match found.hit {
        Some(hit) => format!("expected contact {} at {:?} (deep at {:?})", hit.contact, hit.tau, hit.deep),
        None => "expected none".into(),
    }
}
