//! The exchanges of Algorithm 21.2, apart from any linear algebra.

use super::super::best::Best;
use super::principal::{Perturbation, PrincipalSolve, Singular};
use crate::outcome::{Failure, Limits, Solved, Unsolved};
use crate::residual::Judged;

/// Full exchanges that may pass without fewer infeasibilities before exchanges go one by one [JP, p = 5].
const MISSES: usize = 5;
/// The proximal shift relative to the size of a row: far above rounding, far below what matters, so that few rounds are needed.
const SHIFT: f64 = 1e-6;
/// Proximal rounds without a better residual before giving up, and in all.
const IDLE_ROUNDS: usize = 20;
const ROUNDS: usize = 200;

/// Where an unknown is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In α: between its bounds, w = 0.
    Between,
    /// In σ_l: at its lower bound, w ≥ 0.
    Lower,
    /// In σ_u: at its upper bound, w ≤ 0.
    Upper,
}

/// Lower and upper bounds.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// l, −∞ where there is none.
    pub lower: &'a [f64],
    /// u, ∞ where there is none.
    pub upper: &'a [f64],
}

/// What is done where full exchanges do not get on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Whether exchanges are safeguarded against cycles. Without it this is the paper's plain method, which stops at a cycle.
    pub safeguard: bool,
    /// Whether the safeguard follows the path before it goes on with exchanges one at a time.
    pub path: bool,
}

/// How exchanges end.
pub(super) enum End {
    /// No row is infeasible, or nothing but rounding is left.
    Feasible,
    Singular(Singular),
    Failed(Failure),
}

/// The index sets and vectors of the exchanges, kept between solves.
#[derive(Clone, Debug, Default)]
pub struct Exchanges {
    pub(super) places: Vec<Place>,
    remembered: Vec<Place>,
    active: Vec<bool>,
    pub(super) z: Vec<f64>,
    pub(super) w: Vec<f64>,
    noise: Vec<f64>,
    pub(super) clamped: Vec<f64>,
    pub(super) shift: Vec<f64>,
    pub(super) centre: Vec<f64>,
    pub(super) offset: Vec<f64>,
    pub(super) direction: Vec<f64>,
    pub(super) there: Vec<f64>,
    pub(super) slacks_there: Vec<f64>,
    pub(super) best: Best,
    pub(super) iterations: usize,
}

impl Exchanges {
    /// Solves the problem with these bounds, whose matrix and q are behind `principal`; `problem` judges. An iteration is one
    /// principal solve.
    pub fn solve<P: Judged, S: PrincipalSolve>(
        &mut self,
        problem: &P,
        principal: &mut S,
        bounds: Bounds<'_>,
        method: Method,
        z: &mut [f64],
        limits: &Limits,
    ) -> Result<Solved, Unsolved> {
        let n = z.len();
        self.best.begin(problem, z);
        self.iterations = 0;
        self.places.clear();
        self.places.extend((0..n).map(|i| start(z[i], bounds.lower[i], bounds.upper[i])));
        for vector in [
            &mut self.z,
            &mut self.w,
            &mut self.noise,
            &mut self.clamped,
            &mut self.shift,
            &mut self.centre,
            &mut self.offset,
            &mut self.direction,
            &mut self.there,
            &mut self.slacks_there,
        ] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        let mut end = self.exchange(problem, principal, bounds, method, limits);
        if let (End::Singular(_), true) = (&end, method.safeguard) {
            end = self.proximal(problem, principal, bounds, method, limits);
        }
        let failure = match end {
            End::Feasible => Failure::Stalled,
            End::Singular(Singular { row }) => {
                Failure::Singular(format!("row {row} depends on other rows between their bounds"))
            }
            End::Failed(failure) => failure,
        };
        self.best.finish(z, limits, self.iterations, failure)
    }

    /// Exchanges until no row is infeasible.
    fn exchange<P: Judged, S: PrincipalSolve>(
        &mut self,
        problem: &P,
        principal: &mut S,
        bounds: Bounds<'_>,
        method: Method,
        limits: &Limits,
    ) -> End {
        let n = self.places.len();
        let most = limits.iterations.unwrap_or(500 + 10 * n);
        let (mut fewest, mut misses) = (usize::MAX, MISSES);
        let mut path = method.path;
        let mut within = f64::INFINITY;
        let (mut since, mut until) = (0, 1);
        self.remembered.clear();
        self.remembered.extend_from_slice(&self.places);
        loop {
            if self.iterations >= most {
                return End::Failed(Failure::Iterations);
            }
            if limits.late() {
                return End::Failed(Failure::Deadline);
            }
            self.iterations += 1;
            if let Err(singular) = self.principal(principal, bounds) {
                return End::Singular(singular);
            }
            let relative = self.best.offer(problem, &self.clamped).relative;
            let infeasible = (0..n).filter(|&i| self.exchanged(i, bounds).is_some()).count();
            if infeasible == 0 {
                return End::Feasible;
            }
            if relative <= limits.tolerance {
                // Good enough already: go on only while it becomes much better, for the rest may be rounding.
                if relative > 0.5 * within {
                    return End::Feasible;
                }
                within = relative;
            }
            if !method.safeguard {
                self.exchange_all(bounds);
                // The exchanges are a map on the index sets: one seen before is a cycle (Brent's search).
                if self.places == self.remembered {
                    return End::Failed(Failure::Stalled);
                }
                since += 1;
                if since == until {
                    (since, until) = (0, 2 * until);
                    self.remembered.copy_from_slice(&self.places);
                }
            } else if infeasible < fewest {
                (fewest, misses) = (infeasible, MISSES);
                self.exchange_all(bounds);
            } else if misses > 0 {
                misses -= 1;
                self.exchange_all(bounds);
            } else if path {
                path = false;
                if let Some(end) = self.path(problem, principal, bounds, limits, most) {
                    return end;
                }
            } else if let Some((i, place)) = (0..n).find_map(|i| Some((i, self.exchanged(i, bounds)?))) {
                self.places[i] = place;
            }
        }
    }

    /// Proximal rounds: the problem with S (z − c) added to w, c the answer of the round before.
    fn proximal<P: Judged, S: PrincipalSolve>(
        &mut self,
        problem: &P,
        principal: &mut S,
        bounds: Bounds<'_>,
        method: Method,
        limits: &Limits,
    ) -> End {
        for i in 0..self.shift.len() {
            self.shift[i] = SHIFT * principal.scale(i);
            self.centre[i] = 0_f64.clamp(bounds.lower[i], bounds.upper[i]);
        }
        let (mut last, mut idle) = (self.best.residual().absolute, 0);
        for _ in 0..ROUNDS {
            match self.exchange(problem, principal, bounds, method, limits) {
                End::Feasible => {}
                end => return end,
            }
            let residual = self.best.residual();
            if residual.absolute >= 0.5 * last {
                idle += 1;
                if residual.relative <= limits.tolerance || idle > IDLE_ROUNDS {
                    break;
                }
            } else {
                idle = 0;
            }
            last = last.min(residual.absolute);
            self.centre.copy_from_slice(&self.clamped);
        }
        End::Feasible
    }

    /// Solves with the present sets: z, w, and z moved into its bounds.
    pub(super) fn principal<S: PrincipalSolve>(
        &mut self,
        principal: &mut S,
        bounds: Bounds<'_>,
    ) -> Result<(), Singular> {
        self.active.clear();
        for (i, &place) in self.places.iter().enumerate() {
            self.active.push(place == Place::Between);
            self.z[i] = match place {
                Place::Between => 0.0,
                Place::Lower => bounds.lower[i],
                Place::Upper => bounds.upper[i],
            };
        }
        let perturbation = Perturbation { shift: &self.shift, centre: &self.centre, offset: &self.offset };
        principal.solve(&self.active, perturbation, &mut self.z, &mut self.w, &mut self.noise)?;
        if let Some(row) = self.z.iter().position(|value| !value.is_finite()) {
            return Err(Singular { row });
        }
        for (i, value) in self.clamped.iter_mut().enumerate() {
            *value = self.z[i].clamp(bounds.lower[i], bounds.upper[i]);
        }
        Ok(())
    }

    /// Where a row has to go if it is infeasible.
    ///
    /// Differs from [Algorithm 21.2]: γ_l and γ_u are taken from σ_l and σ_u, not from α, and w has the terms of the bounds.
    pub(super) fn exchanged(&self, i: usize, bounds: Bounds<'_>) -> Option<Place> {
        let (l, u, z, w) = (bounds.lower[i], bounds.upper[i], self.z[i], self.w[i]);
        let (of_z, of_w) = (8.0 * f64::EPSILON * z.abs(), 4.0 * self.noise[i]);
        match self.places[i] {
            Place::Between if z < l - of_z => Some(Place::Lower),
            Place::Between if z > u + of_z => Some(Place::Upper),
            Place::Lower if w < -of_w && l < u => Some(Place::Between),
            Place::Upper if w > of_w && l < u => Some(Place::Between),
            _ => None,
        }
    }

    fn exchange_all(&mut self, bounds: Bounds<'_>) {
        for i in 0..self.places.len() {
            if let Some(place) = self.exchanged(i, bounds) {
                self.places[i] = place;
            }
        }
    }
}

/// Where an unknown starts: by its value, at a bound where it is on or beyond it.
fn start(z: f64, lower: f64, upper: f64) -> Place {
    if z <= lower || lower == upper {
        Place::Lower
    } else if z >= upper {
        Place::Upper
    } else {
        Place::Between
    }
}
