//! Trials by number: bodies, forces, and gaps that are made as wide as the path asks for.

use std::rc::Rc;

use carom::state::State;
use carom::system::Mass;
use carom_tests::fuzz::Dice;

use super::altered::{Altered, Drag, Pull, Warp};
use super::dice::{Draws, of_trial};
use super::kinds::{Held, Kind, Scales, draft};
use super::legs::{Choice, Leg};
use super::oracle::Oracle;
use super::trial::Trial;

/// What can be told of a gap, as a share of its size.
const BAND: f64 = 1e-9;

impl Trial {
    /// The trial with a number; `None` if its path has no end.
    pub fn draw(kind: Kind, leg: Leg, number: u64) -> Option<Self> {
        let place = Kind::ALL.iter().position(|other| *other == kind).unwrap_or(0) * Leg::ALL.len()
            + Leg::ALL.iter().position(|other| *other == leg).unwrap_or(0);
        let dice = &mut of_trial(1_000_003 * place as u64 + number);
        let (scales, choice) = (Scales::draw(kind, dice), Choice::draw(leg, dice));
        let mut draft = draft(kind, leg, scales, dice);
        let (n, count) = (draft.q.len(), draft.inner.contacts().count());
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
        let mut system = Altered {
            inner: Rc::clone(&draft.inner),
            shift: vec![0.0; count],
            drag: (leg == Leg::Drag).then(|| Drag {
                masses: masses.clone(),
                rate: dice.decades(-2.0, 0.3) / scales.h,
                names: vec!["drag".into()],
            }),
            warp: None,
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
        if leg == Leg::Mass && kind != Kind::Curved {
            // Within a step no mass changes by more than about a wave, whatever impacts make of the velocities.
            let way = |i: usize| {
                let pull = &system.pull;
                let pulled = pull.acceleration[i] - pull.stiffness * (draft.q[i] - pull.centre[i]);
                let arm = if kind == Kind::Plates && i % 3 == 2 { scales.size } else { 1.0 };
                arm * scales.h * (draft.v[i].abs() + scales.h * pulled.abs())
            };
            let farthest = (0..n).fold(1e-3 * scales.size, |most, i| most.max(2.0 * way(i)));
            let arm = |i: usize| if kind == Kind::Plates && i % 3 == 2 { 0.1 * scales.size } else { 1.0 };
            let waves = (0..n).map(|i| dice.decades(-1.0, 0.0) * arm(i) / farthest).collect();
            system.warp = Some(Warp { masses: system.masses.clone(), depth: dice.between(-0.4, 0.4), waves });
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
            round: draft.lowest.iter().map(|lowest| lowest.is_finite()).collect(),
            bands: vec![0.0; count],
            reach: 0.0,
            samples: samples.clamp(300, 3000),
            change: 0.0,
            energy: 0.0,
            system,
        };
        trial.tune(&draft.lowest, dice)?;
        Some(trial)
    }

    /// Twice the most kinetic energy that a coordinate has or gains in the step.
    fn most_energy(&self) -> f64 {
        let (masses, pull, h) = (&self.system.masses, &self.system.pull, self.h.abs());
        let energy = |i: usize| {
            let (m, q, p) = (masses[i], self.start.q[i], self.start.p[i]);
            let pulled = pull.acceleration[i] - pull.stiffness * (q - pull.centre[i]);
            m * ((p / m).abs() + h * pulled.abs()).powi(2)
        };
        (0..masses.len()).fold(0.0_f64, |most, i| most.max(energy(i)))
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
        (self.reach, self.change, self.energy) = (reach, change, self.most_energy());
        Some(())
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
    // Implicit legs must have an end: springs that pull far are for others.
    let choices = if matches!(leg, Leg::Mass | Leg::Equality) { 2 } else { 3 };
    match dice.below(choices) {
        0 => {}
        1 => {
            let strength = if choices == 2 { 0.1 * strength } else { strength };
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
