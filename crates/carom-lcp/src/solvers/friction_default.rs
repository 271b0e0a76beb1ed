//! The solver for friction problems of which nothing is known.

use super::Facts;
use super::form::Form;
use super::interior::Interior;
use super::newton::Newton;
use super::pgs::{Options, Pgs, Swept, Variant};
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Friction, GlobalFriction, Law};

/// Sweeps before the first try of Newton's method.
const FIRST_SWEEPS: usize = 30;

/// Iterations of that first try: where the start is good a handful is enough, where it is not no number is.
const FIRST_ITERATIONS: usize = 25;

/// Sweeps between later tries.
const LATER_SWEEPS: usize = 300;

/// Rounds of sweeps and Newton at the end of a solve without a deadline; with one there are as many as there is time for.
const ROUNDS: usize = 30;

/// The paths that are followed one after the other, the most successful first: with Newton's method at its end the first alone leads to a
/// solution of 186 of 190 variations of public problems, all together of every one, and of 298 of 300 of the hardest family.
const PATHS: [Interior; 8] = {
    let first = Interior { smoothing: 0.01, fraction: 0.99, sliding: 1.0, start: 1.0, iterations: 60 };
    let careful = Interior { smoothing: 0.001, fraction: 0.7, sliding: 1.0, start: 0.1, iterations: 100 };
    [
        first,
        careful,
        Interior { smoothing: 0.1, fraction: 0.9, ..first },
        Interior { smoothing: 0.0, sliding: 0.5, start: 1.0, ..careful },
        Interior { smoothing: 0.0, ..first },
        Interior { start: 10.0, ..first },
        Interior { sliding: 0.5, ..first },
        Interior { smoothing: 0.0, sliding: 0.0, fraction: 0.95, start: 100.0, iterations: 100 },
    ]
};

/// Newton's method from the given start and after some sweeps; then interior paths, each finished by Newton's method; then more sweeps
/// from the best of all. The best iterate is kept.
#[derive(Default)]
pub struct FrictionDefault {
    newton: Newton,
    pgs: Pgs,
    used: &'static str,
}

impl FrictionDefault {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "default",
        takes: "friction problems by matrix or bodies, cone or box, with equalities",
        guarantees: "none (no method has any for Coulomb friction); the best of all that is tried is kept, by the residual alone",
        costs: "of a warm start a few sparse LU; of a hard problem some hundred of them",
        fails: "problems without a solution, or where every path ends early; says stalled, with the best residual",
    };

    /// The solver that gave the last answer.
    pub fn used(&self) -> &'static str {
        if self.used.is_empty() { "none" } else { self.used }
    }

    fn run<P: Form + Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved>
    where
        Newton: Solver<P>,
        Pgs: Solver<P>,
        Interior: Solver<P>,
    {
        let mut tries = Tries::new(problem, z, limits);
        self.used = "start";
        if tries.solved() || tries.is_over() {
            return tries.finish(z);
        }
        // Near a solution, as from step to step of a simulation, Newton's method is all that is needed.
        let few = tries.left(Some(FIRST_ITERATIONS));
        if self.attempt(&mut tries, "newton", |own, z| own.newton.solve(problem, z, &few)) || tries.is_over() {
            return tries.finish(z);
        }
        self.pgs.options = Options { variant: Variant::ExactCone, look_every: 10, ..Options::default() };
        let sweeps = tries.left(Some(FIRST_SWEEPS));
        if self.attempt(&mut tries, "pgs", |own, z| own.pgs.solve(problem, z, &sweeps)) || tries.is_over() {
            return tries.finish(z);
        }
        let few = tries.left(Some(FIRST_ITERATIONS));
        if self.attempt(&mut tries, "newton", |own, z| own.newton.solve(problem, z, &few)) || tries.is_over() {
            return tries.finish(z);
        }
        let paths = if Form::law(problem) == Law::Cone { &PATHS[..] } else { &[] };
        for path in paths {
            let mut path = *path;
            let all = tries.left(None);
            let mut follow = |own: &mut FrictionDefault, z: &mut [f64]| {
                // A path begins where it will; what was found before would only hide where it leads.
                z.fill(0.0);
                let inner = path.solve(problem, z, &all);
                let Err(unsolved) = inner else { return inner };
                let mut answer = own.newton.solve(problem, z, &all);
                match &mut answer {
                    Ok(solved) => solved.iterations += unsolved.iterations,
                    Err(failed) => failed.iterations += unsolved.iterations,
                }
                answer
            };
            if self.attempt(&mut tries, "interior", &mut follow) || tries.is_over() {
                return tries.finish(z);
            }
        }
        for round in 0.. {
            if round >= ROUNDS && limits.deadline.is_none() {
                break;
            }
            // Either variant comes to rest where the other does not.
            self.pgs.options.variant = if round % 2 == 0 { Variant::ExactTangents } else { Variant::ExactCone };
            let before = tries.absolute;
            let sweeps = tries.left(Some(LATER_SWEEPS << (round / 2).min(8)));
            let done = self.attempt(&mut tries, "pgs", |own, z| own.pgs.solve(problem, z, &sweeps));
            let all = tries.left(None);
            if done
                || tries.is_over()
                || self.attempt(&mut tries, "newton", |own, z| own.newton.solve(problem, z, &all))
                || tries.is_over()
            {
                break;
            }
            // Nothing at all was gained by either variant, with ever more sweeps: the next would be the same.
            if round >= ROUNDS && tries.absolute >= before {
                break;
            }
        }
        tries.finish(z)
    }

    /// One try from the best iterate so far; whether the problem is solved.
    fn attempt<P: Form>(
        &mut self,
        tries: &mut Tries<'_, P>,
        name: &'static str,
        solve: impl FnOnce(&mut FrictionDefault, &mut [f64]) -> Result<Solved, Unsolved>,
    ) -> bool {
        let mut z = tries.best.clone();
        let (iterations, residual) = match solve(self, &mut z) {
            Ok(solved) => (solved.iterations, solved.residual),
            Err(unsolved) => (unsolved.iterations, unsolved.residual),
        };
        tries.iterations += iterations;
        if residual.absolute < tries.absolute {
            tries.absolute = residual.absolute;
            tries.relative = residual.relative;
            tries.best = z;
            self.used = name;
        }
        tries.solved()
    }
}

/// What was tried so far.
struct Tries<'a, P> {
    problem: &'a P,
    limits: &'a Limits,
    best: Vec<f64>,
    absolute: f64,
    relative: f64,
    iterations: usize,
}

impl<P: Form> Tries<'_, P> {
    fn new<'a>(problem: &'a P, z: &[f64], limits: &'a Limits) -> Tries<'a, P> {
        let (given, zero) = (problem.residual(z), problem.residual(&vec![0.0; z.len()]));
        let (best, residual) = if given.absolute <= zero.absolute || zero.absolute.is_nan() {
            (z.to_vec(), given)
        } else {
            (vec![0.0; z.len()], zero)
        };
        let (absolute, relative) = (residual.absolute, residual.relative);
        Tries { problem, limits, best, absolute, relative, iterations: 0 }
    }

    fn solved(&self) -> bool {
        self.relative <= self.limits.tolerance
    }

    /// Why there is nothing left to spend, if so.
    fn over(&self) -> Option<Failure> {
        if self.limits.late() {
            return Some(Failure::Deadline);
        }
        self.limits.iterations.is_some_and(|most| self.iterations >= most).then_some(Failure::Iterations)
    }

    /// What is left of the limits, and of a number of iterations of one try.
    fn left(&self, own: Option<usize>) -> Limits {
        let all = self.limits.iterations.map(|most| most.saturating_sub(self.iterations));
        let iterations = match (all, own) {
            (Some(all), Some(own)) => Some(all.min(own)),
            (all, own) => all.or(own),
        };
        Limits { iterations, ..*self.limits }
    }

    fn is_over(&self) -> bool {
        self.over().is_some()
    }

    fn finish(self, z: &mut [f64]) -> Result<Solved, Unsolved> {
        z.copy_from_slice(&self.best);
        let failure = self.over().unwrap_or(Failure::Stalled);
        crate::outcome::verdict(self.problem, z, self.limits, self.iterations, failure)
    }
}

impl Solver<Friction> for FrictionDefault {
    fn solve(&mut self, problem: &Friction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}

impl Solver<GlobalFriction> for FrictionDefault {
    fn solve(&mut self, problem: &GlobalFriction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}
