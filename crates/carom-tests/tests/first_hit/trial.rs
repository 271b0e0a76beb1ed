//! One trial: bodies, gaps that are made as wide as the path asks for, a step, and what is found of it.

use std::rc::Rc;

use carom::error::Failure;
use carom::state::State;
use carom::steppers::Stepper;
use carom::steppers::shared::mass::InverseMass;
use carom::system::{Constraints, Mass, System};

use super::altered::{Altered, Drag, Pull, Warp};
use super::dice::Dice;
use super::kinds::{Held, Kind, Scales, draft};
use super::legs::{Choice, Leg};
use super::oracle::{Findings, Hit, Oracle, Path};

/// What can be told of a gap, as a share of its size.
const BAND: f64 = 1e-9;
/// What nodes may lie inside, as a share of the lengths.
const DEPTH: f64 = 1e-12;

/// Speeds that are none, as a share of what gaps change by in a step.
const STILL: f64 = 1e-8;
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
    bands: Vec<f64>,
    reach: f64,
    samples: usize,
    /// Most changes of gaps along the path.
    change: f64,
}

/// What was found, in words.
pub struct Report {
    pub outcome: Outcome,
    pub words: String,
}

impl Trial {
    /// The trial with a number; `None` if its path has no end.
    pub fn draw(kind: Kind, leg: Leg, number: u64) -> Option<Self> {
        let place = Kind::ALL.iter().position(|other| *other == kind).unwrap_or(0) * Leg::ALL.len()
            + Leg::ALL.iter().position(|other| *other == leg).unwrap_or(0);
        let dice = &mut Dice::new(1_000_003 * place as u64 + number);
        let (scales, choice) = (Scales::draw(kind, dice), Choice::draw(leg, dice));
        let mut draft = draft(kind, leg, scales, dice);
        let (n, count) = (draft.q.len(), draft.inner.inequalities());
        let masses = match draft.inner.mass() {
            Mass::Diagonal(masses) => masses.to_vec(),
            _ => vec![1.0; n],
        };
        let mut pull = pull(n, leg, scales, dice, draft.held);
        // Angles are not pulled: their scale is another one.
        let step = if kind == Kind::Curved { 1 } else { 3 };
        if matches!(kind, Kind::Plates | Kind::Curved) {
            for i in (step - 1..n).step_by(step) {
                (pull.acceleration[i], pull.centre[i]) = (0.0, draft.q[i]);
            }
        }
        let system = Altered {
            inner: Rc::clone(&draft.inner),
            shift: vec![0.0; count],
            drag: (leg == Leg::Drag).then(|| Drag {
                masses: masses.clone(),
                rate: dice.decades(-2.0, 0.3) / scales.h,
                names: vec!["drag".into()],
            }),
            warp: (leg == Leg::Mass && kind != Kind::Curved).then(|| Warp {
                masses: masses.clone(),
                depth: dice.between(-0.4, 0.4),
                wave: dice.decades(-1.0, 0.0) / scales.way(),
            }),
            pin: draft.pin,
            masses,
            pull,
        };
        let held_at = draft.held.map(|held| held.coordinate);
        if dice.chance(0.7) && leg != Leg::Equality {
            // Forces bend the path: it is aimed again.
            for i in (0..n).filter(|i| held_at != Some(*i)) {
                let acceleration =
                    system.pull.acceleration[i] - system.pull.stiffness * (draft.q[i] - system.pull.centre[i]);
                draft.v[i] -= 0.5 * acceleration * draft.meeting;
            }
        }
        let h = if leg == Leg::Backward { -scales.h } else { scales.h };
        if leg == Leg::Backward {
            draft.v.iter_mut().for_each(|v| *v = -*v);
        }
        let start = State::from_velocity(&system, 0.0, &draft.q, &draft.v);
        let samples = if kind.of_particles() { 400 } else { (60.0 * scales.way() / scales.size) as usize };
        let mut trial = Self {
            leg,
            choice,
            start,
            h,
            scales,
            warm: leg == Leg::Parabola && dice.chance(0.5),
            held: draft.held,
            words: draft.words,
            bands: vec![0.0; count],
            reach: 0.0,
            samples: samples.clamp(300, 3000),
            change: 0.0,
            system,
        };
        trial.tune(&draft.lowest, dice)?;
        Some(trial)
    }

    /// The path of its first leg.
    fn path<'a>(&'a self, start: &'a State) -> Option<Path<'a>> {
        let (sign, still) = (self.h.signum(), self.held.map(|held| held.coordinate));
        let parabola = self.choice.is_explicit() && !matches!(self.leg, Leg::Drag | Leg::Mass | Leg::Equality);
        // Uniform forces: the implicit rules have parabolas too where something rests.
        if parabola || self.leg == Leg::Held {
            return Some(Path::parabola(&self.system, start, sign, still));
        }
        Path::base(&self.choice.base(), &self.system, start, sign).ok()
    }

    /// Makes the gaps as wide as it takes for hits, near misses and the rest.
    fn tune(&mut self, lowest: &[f64], dice: &mut Dice) -> Option<()> {
        let count = self.bands.len();
        let (span, mut shift) = (self.h.abs(), vec![0.0; count]);
        let mut path = self.path(&self.start)?;
        let mut ends = self.start.q.clone();
        path.at(span, &mut ends).then_some(())?;
        let reach = self.start.q.iter().chain(&ends).fold(0.0_f64, |max, q| max.max(q.abs()));
        let flat = vec![0.0; count];
        let mut oracle = Oracle::new(&mut path, &self.system, (span, self.samples.min(1000)), &flat);
        let samples = oracle.sample()?;
        let mut change = 0.0_f64;
        // One contact may be touched at the start; bodies are not squeezed between several.
        let first = dice.below(count);
        for contact in 0..count {
            let value = |i: usize| samples.gaps[i * count + contact];
            let least = (0..samples.times.len()).min_by(|a, b| value(*a).total_cmp(&value(*b)))?;
            let most = (0..samples.times.len()).fold(value(0), |most, i| most.max(value(i)));
            let mut low = value(least);
            if least > 0 && least + 1 < samples.times.len() {
                low = oracle.minimum(contact, [samples.times[least - 1], samples.times[least + 1]])?.1.min(low);
            }
            change = change.max(most - low);
            let gap = Gap { start: value(0), low, leaves: value(1) > value(0), lowest: lowest[contact] };
            shift[contact] = gap.width(dice, self.scales, contact == first);
            if self.held.is_some_and(|held| held.contact == contact) {
                shift[contact] = 0.0;
            }
        }
        drop(path);
        let round_off = if matches!(self.leg, Leg::Parabola | Leg::Backward | Leg::Held) { 2e-14 } else { 1e-13 };
        for contact in 0..count {
            let size = if lowest[contact].is_finite() { shift[contact].abs() } else { self.scales.size };
            self.bands[contact] = BAND * size + round_off * reach;
        }
        if let Some(held) = self.held {
            self.bands[held.contact] = f64::INFINITY;
        }
        self.system.shift = shift;
        (self.reach, self.change) = (reach, change);
        Some(())
    }

    /// What the brute force finds of the step. Where a gap is closed while the momentum there leaves it, nothing is struck: the next leg starts.
    pub fn findings(&self) -> Option<Findings> {
        let (mut start, mut all, mut since) = (self.start.clone(), Findings::default(), 0.0);
        for _ in 0..8 {
            let rest = self.h.abs() - since;
            let mut path = self.path(&start)?;
            let found = Oracle::new(&mut path, &self.system, (rest, self.samples), &self.bands).findings()?;
            all.grazes.extend(found.grazes.iter().map(|(tau, contact)| (since + tau, *contact)));
            let Some(hit) = found.hit else { break };
            let later = path.state(hit.tau);
            let speed = self.speed(&later, hit.contact);
            if speed.abs() <= STILL * self.change / self.h.abs() {
                all.grazes.push((since + hit.tau, hit.contact));
                all.unclear = true;
                break;
            }
            all.hit = (speed < 0.0).then_some(Hit { tau: since + hit.tau, deep: since + hit.deep, ..hit });
            if all.hit.is_some() {
                all.hops = self.hops(&mut path, hit, -speed);
                break;
            }
            since += hit.tau;
            drop(path);
            start = later;
        }
        Some(all)
    }

    /// Speed of separation by the momentum.
    fn speed(&self, state: &State, contact: usize) -> f64 {
        let inverse = InverseMass::new(&self.system, &state.q).expect("a mass");
        let (mut v, mut gradient) = (state.p.clone(), vec![0.0; state.q.len()]);
        inverse.solve(&mut v);
        self.system.gap_gradient(&state.q, contact, &mut gradient);
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

    pub fn contacts(&self) -> usize {
        self.bands.len()
    }

    /// A gap on the path.
    pub fn gap(&self, start: &State, contact: usize, tau: f64) -> f64 {
        let Some(mut path) = self.path(start) else { return f64::NAN };
        Oracle::new(&mut path, &self.system, (self.h.abs(), 1), &self.bands).gap(contact, tau).unwrap_or(f64::NAN)
    }

    /// Makes the step, and compares.
    pub fn judge(&self) -> Report {
        let Some(found) = self.findings() else {
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
            if matches!(error.failure, Failure::Stalled { .. }) && found.hops > MOST_HOPS {
                return Report { outcome: Outcome::NotAsked, words: String::new() };
            }
            return self.failed(&error.failure, &found);
        }
        let events = Stepper::<dyn System>::events(&stepper);
        let event = events.first().map(|event| (event.t.abs(), event.contact));
        let outcome = self.compare(&found, event);
        let few: Vec<_> = events.iter().take(4).map(|e| (e.t, e.contact, e.what, e.speed, e.impulse)).collect();
        let mut words = format!("found {event:?} of {} events: {few:?}", events.len());
        let mut gaps = vec![0.0; self.bands.len()];
        system.gap(&state.q, &mut gaps);
        let lengths = self.scales.size + self.reach.max(state.q.iter().fold(0.0, |max: f64, q| max.max(q.abs())));
        let deepest = gaps.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        words += &format!("; deepest gap of the node {deepest:?}; {}", self.expectation(&found));
        let inside = deepest.is_some_and(|(_, gap)| !(*gap >= -DEPTH * lengths));
        let fine = matches!(outcome, Outcome::Clear | Outcome::Graze | Outcome::Impact);
        Report { outcome: if fine && inside { Outcome::Inadmissible } else { outcome }, words }
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
        Report { outcome: Outcome::Error(kind), words: format!("{failure}; {}", self.expectation(found)) }
    }

    fn expectation(&self, found: &Findings) -> String {
        match found.hit {
            Some(hit) => format!("expected contact {} at {:?} (deep at {:?})", hit.contact, hit.tau, hit.deep),
            None => "expected none".into(),
        }
    }

    pub fn compare(&self, found: &Findings, event: Option<(f64, usize)>) -> Outcome {
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
        if found.unclear {
            return Outcome::Graze;
        }
        let allowed = self.bands[contact] + 3e-10 * self.change;
        if !(self.gap(&self.start, contact, tau) <= allowed) {
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
            warp.as_ref().map(|warp| (warp.depth, warp.wave)),
            self.held
        )
    }
}

/// Forces: none, uniform ones or springs.
fn pull(n: usize, leg: Leg, scales: Scales, dice: &mut Dice, held: Option<Held>) -> Pull {
    let mut pull = Pull { acceleration: vec![0.0; n], stiffness: 0.0, centre: vec![0.0; n] };
    let strength = scales.speed / scales.h * dice.decades(-2.0, 1.0);
    if let Some(held) = held {
        // Down, for everyone.
        pull.acceleration.iter_mut().skip(held.dimension - 1).step_by(held.dimension).for_each(|a| *a = -strength);
        return pull;
    }
    match dice.below(3) {
        0 => {}
        1 => {
            let strength = if leg == Leg::Mass { 0.1 * strength } else { strength };
            pull.acceleration = dice.direction(n).iter().map(|x| strength * x).collect();
        }
        _ => {
            let fastest = if leg == Leg::Parabola { 2.5 } else { 1.2 };
            pull.stiffness = (dice.between(0.0, fastest) / scales.h).powi(2);
            let reach = scales.way().max(scales.size);
            pull.centre = dice.direction(n).iter().map(|x| reach * x).collect();
        }
    }
    pull
}

/// A gap along a path, before it has its width.
struct Gap {
    start: f64,
    low: f64,
    /// Whether it grows at first.
    leaves: bool,
    /// What is taken off it at least.
    lowest: f64,
}

impl Gap {
    /// What is taken off it, so that it is hit, missed, or touched at the start.
    fn width(&self, dice: &mut Dice, scales: Scales, first: bool) -> f64 {
        let Self { start, low, leaves, lowest } = *self;
        let fall = start - low;
        let size = if lowest.is_finite() && low > lowest { low.min(scales.size) } else { scales.size };
        let early = if first { dice.decades(-6.0, 0.0) } else { dice.between(0.05, 1.0) };
        let hit = if dice.chance(0.5) { start - fall * early } else { low + fall * dice.decades(-4.0, -0.03) };
        let shift = match dice.below(20) {
            0..8 => hit,
            8..11 => low + size * dice.decades(-8.0, -2.0),
            11..14 => low - size * dice.decades(-8.0, -2.0),
            14..16 if leaves && first => start,
            16 if first => start - size * dice.decades(-9.0, -4.0),
            _ => low - size * dice.decades(-1.0, 1.0),
        };
        if lowest.is_finite() && start <= lowest {
            return 0.5 * start;
        }
        let most = if first { start } else { start - 0.01 * scales.way().max(scales.size) };
        shift.min(most).clamp(lowest.min(start), start)
    }
}
