//! The path from a problem that the present sets solve back to the problem itself.

use super::exchange::{Bounds, End, Exchanges, Place};
use super::principal::PrincipalSolve;
use crate::outcome::{Failure, Limits};
use crate::residual::Judged;

/// Exchanges along the path for each row, and besides.
const STEPS: (usize, usize) = (10, 50);

impl Exchanges {
    /// Follows w = H z + q + t d from t = 1, where d is chosen so that the present sets solve the problem with room to spare, to
    /// t = 0. Between exchanges z and w are affine in t; where a row meets its bound it is exchanged. For P matrices t falls all the
    /// way, for the solution is a continuous function of q. `None` where it does not get through.
    ///
    /// Best's parametric active sets (1982), for complementarity problems.
    pub(super) fn path<P: Judged, S: PrincipalSolve>(
        &mut self,
        problem: &P,
        principal: &mut S,
        bounds: Bounds<'_>,
        limits: &Limits,
        most: usize,
    ) -> Option<End> {
        let n = self.places.len();
        self.leave(problem, bounds);
        let mut t = 1.0;
        for _ in 0..STEPS.0 * n + STEPS.1 {
            if self.iterations >= most {
                return Some(End::Failed(Failure::Iterations));
            }
            if limits.late() {
                return Some(End::Failed(Failure::Deadline));
            }
            self.iterations += 1;
            self.offset.iter_mut().zip(&self.direction).for_each(|(offset, d)| *offset = t * d);
            let there = self.principal(principal, bounds);
            self.offset.fill(0.0);
            there.ok()?;
            self.there.copy_from_slice(&self.z);
            self.slacks_there.copy_from_slice(&self.w);
            self.principal(principal, bounds).ok()?;
            self.best.offer(problem, &self.clamped);
            // The row that meets its bound first on the way from t to 0.
            let mut first: Option<(usize, Place, f64)> = None;
            for i in 0..n {
                if let Some(place) = self.exchanged(i, bounds) {
                    let (here, there) = self.room(i, place, bounds);
                    let at = t * (-here / (there - here)).clamp(0.0, 1.0);
                    if first.is_none_or(|(_, _, other)| at > other) {
                        first = Some((i, place, at));
                    }
                }
            }
            let Some((row, place, at)) = first else {
                return Some(End::Feasible);
            };
            self.places[row] = place;
            t = at;
        }
        None
    }

    /// d, by choosing z and w of the start: z well inside its bounds where it is active, w well on its side where not. Uneven numbers
    /// keep two rows from meeting their bounds at once.
    fn leave<P: Judged>(&mut self, problem: &P, bounds: Bounds<'_>) {
        let n = self.places.len();
        let uneven = |i: usize| 0.5 + ((i + 1) as f64 * 0.618_033_988_749_894_9).fract();
        let size = self.clamped.iter().fold(0.0, |size: f64, z| size.max(z.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        for i in 0..n {
            let (l, u) = (bounds.lower[i], bounds.upper[i]);
            let room = (size * uneven(i)).min(0.5 * (u - l) * uneven(i).min(1.0));
            self.there[i] = match self.exchanged(i, bounds) {
                Some(Place::Lower) => l + room,
                Some(Place::Upper) => u - room,
                _ => self.clamped[i],
            };
        }
        problem.natural_map(&self.there, &mut self.slacks_there, &mut self.direction);
        let size = self.slacks_there.iter().fold(0.0, |size: f64, w| size.max(w.abs()));
        for i in 0..n {
            let slack = self.slacks_there[i] + self.shift[i] * (self.there[i] - self.centre[i]);
            let room = size * uneven(i);
            self.direction[i] = match self.places[i] {
                Place::Between => -slack,
                Place::Lower => slack.max(room) - slack,
                Place::Upper => slack.min(-room) - slack,
            };
        }
    }

    /// How far a row is from the bound that sends it to `place`, below 0 where it is beyond: at t = 0 and at the present t.
    fn room(&self, i: usize, place: Place, bounds: Bounds<'_>) -> (f64, f64) {
        match (self.places[i], place) {
            (Place::Between, Place::Lower) => (self.z[i] - bounds.lower[i], self.there[i] - bounds.lower[i]),
            (Place::Between, _) => (bounds.upper[i] - self.z[i], bounds.upper[i] - self.there[i]),
            (Place::Lower, _) => (self.w[i], self.slacks_there[i]),
            (Place::Upper, _) => (-self.w[i], -self.slacks_there[i]),
        }
    }
}
