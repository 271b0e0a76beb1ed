//! Which gaps stay open along a leg, seen from its two ends: most do, and are not searched.

use super::search::Search;
use super::step::Collision;
use crate::system::{ContactId, Parabola, System};

/// How far a leg may be from the parabola through its ends, as a share of the way that the speeds at its ends make: third-order terms of a
/// motion with frequency ω stay below it for legs up to 2/ω.
const OFF: f64 = 0.125;
/// Leaving a surface, what a leg is off by grows from nothing: its rate at the start, over the length of the leg, is at most this multiple of what
/// it comes to.
const OFF_RATE: f64 = 8.0;
/// Gaps below this share of what a leg changes them by are not asked for their rates.
const NEARLY: f64 = 1e-3;

impl Collision {
    /// Whether the leg is a parabola.
    pub(super) fn is_parabola(&self) -> bool {
        self.leg.parabolic && self.resting.is_empty() && !self.leg.condition.asked
    }

    /// The parabola through the ends of the leg with the velocity at its start, and how far the leg may be from it.
    pub(super) fn bow(&mut self, rest: f64) {
        let (leg, Search { v, bow, off, .. }) = (&self.leg, &mut self.search);
        let sign = self.grid[1].signum();
        if leg.condition.asked {
            // The momentum that the condition asks for.
            v.copy_from_slice(&leg.at.p);
            self.inverse.solve(v);
        } else {
            v.copy_from_slice(&leg.v);
        }
        let flown = leg.parabolic && self.resting.is_empty();
        if flown && !leg.condition.asked {
            v.iter_mut().for_each(|v| *v *= sign);
            bow.copy_from_slice(&leg.a);
            return;
        }
        let spread = if leg.condition.asked { leg.condition.spread() } else { 0.0 };
        for (i, v) in v.iter_mut().enumerate() {
            *v *= sign;
            let chord = (leg.end.q[i] - leg.at.q[i]) / rest;
            bow[i] = if flown { leg.a[i] } else { 2.0 * (chord - *v) / rest };
            off[i] = if flown { 0.0 } else { OFF * rest * (v.abs() + (2.0 * chord - *v).abs()) };
            if leg.condition.asked {
                off[i] += rest * spread * leg.condition.velocity[i].abs();
            }
        }
    }

    /// What a gap may be off by where the leg is off its parabola.
    fn blur<S: System + ?Sized>(&mut self, system: &S, contact: ContactId, rest: f64) -> f64 {
        let later = self.leg.at.t + rest * self.grid[1].signum();
        let (leg, Search { room, off, .. }) = (&self.leg, &mut self.search);
        let ends = [(later, &leg.end.q), (leg.at.t, &leg.at.q)].map(|(t, q)| {
            room.gradient.load(system.contacts(), t, q, contact);
            room.gradient.iter().fold(0.0, |sum, (i, g)| sum + g.abs() * off[i])
        });
        if ends[0] > ends[1] { ends[0] } else { ends[1] }
    }

    /// Whether a gap stays open between its two ends. At a bounded rate it cannot be closed and opened again if both ends together are wider
    /// than what the rate allows; a chord is undercut by at most `max g'' τ²/8`; and a surface that is left fast enough is not met again.
    /// Every comparison with a bound that is no number is false.
    pub(super) fn is_clear<S: System + ?Sized>(&mut self, system: &S, place: usize, rest: f64) -> bool {
        let near = &self.search.near;
        let (contact, gap, next) = (near.ids()[place], near.gap[place], near.next[place]);
        self.search.whole = f64::NAN;
        if !(gap >= 0.0 && next >= 0.0) {
            return false;
        }
        let exact = self.is_parabola();
        let blur = if exact { 0.0 } else { self.blur(system, contact, rest) };
        let drift = if exact { 0.0 } else { self.drift(system, contact, 0.0) };
        let pace = self.grid[1].signum();
        let Search { v, bow, room, whole, .. } = &mut self.search;
        let arc = Parabola { t: self.leg.at.t, pace, q: &self.leg.at.q, v, a: bow, duration: rest };
        let along = system.contacts().along();
        let bend = along.and_then(|along| along.bend(&arc, contact));
        if let Some([lower, upper]) = bend {
            *whole = lower;
            if upper < f64::INFINITY && gap.min(next) > upper.max(0.0) * rest * rest / 8.0 + blur {
                return true;
            }
            // Of legs that are no parabolas the gradient at the start was asked for last.
            let leaves = !exact && lower > f64::NEG_INFINITY && {
                room.gradient.dot(v) + drift - OFF_RATE * blur / rest + 0.5 * lower.min(0.0) * rest > 0.0
            };
            if leaves && next > 0.0 {
                return true;
            }
        }
        // A rate that closes a gap to nearly nothing, or opens one, can hardly be bounded so closely that it tells more.
        let open = gap.min(next) > NEARLY * (next - gap).abs();
        open && along
            .and_then(|along| along.rate(&arc, contact))
            .is_some_and(|rate| gap + next > rate * rest + 2.0 * blur)
    }
}
