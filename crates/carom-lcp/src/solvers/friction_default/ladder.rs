//! One component: ways of solving it from the cheapest to the last resort, the best iterate kept.

use super::stick::Stick;
use crate::cone::norm;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Law, Motion};
use crate::solvers::best::Best;
use crate::solvers::form::Form;
use crate::solvers::interior::Interior;
use crate::solvers::newton::Newton;
use crate::solvers::newton::levenberg::Levenberg;
use crate::solvers::pencil::Shape;
use crate::solvers::pgs::{Options, Part, Pgs, Swept, Variant};

/// Sweeps before anything is factored: one contact, or several that hardly touch, are done then.
const QUICK_SWEEPS: usize = 3;

/// Sweeps before the first try of Newton's method from nothing.
const FIRST_SWEEPS: usize = 30;

/// Iterations of that first try: where the start is good a handful is enough, where it is not no number is.
const FIRST_ITERATIONS: usize = 25;

/// Sweeps between later tries.
const LATER_SWEEPS: usize = 300;

/// Rounds of sweeps and Newton at the end, each pair with twice as many sweeps: 150 000 in all.
const ROUNDS: usize = 16;

/// Relative residual below which an answer of a convex problem is worth Newton's method.
const NEAR: f64 = 5e-3;

/// Iterations of Newton's method from there.
const NEAR_ITERATIONS: usize = 30;

/// Relative residual below which Levenberg and Marquardt's steps are tried in between.
const WITHIN_REACH: f64 = 1e-5;

/// The most of those steps at a time.
const POLISH_STEPS: usize = 100;

/// Convex problems that are solved one after the other.
const CONVEX_PROBLEMS: usize = 100;

/// Paths that are tried before the convex problems.
const PATHS_BEFORE_CONVEX: usize = 2;

/// Kept back from the tolerance of components, so that rounding of their sum does not exceed it.
const MARGIN: f64 = 0.99;

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

/// What gave an answer, from the cheapest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rung {
    #[default]
    None,
    Start,
    Sweeps,
    Stick,
    Newton,
    Interior,
    Levenberg,
}

impl Rung {
    pub fn name(self) -> &'static str {
        match self {
            Rung::None => "none",
            Rung::Start => "start",
            Rung::Sweeps => "pgs",
            Rung::Stick => "stick",
            Rung::Newton => "newton",
            Rung::Interior => "interior",
            Rung::Levenberg => "levenberg-marquardt",
        }
    }
}

/// What a try may use.
#[derive(Default)]
struct Tools {
    newton: Newton,
    pgs: Pgs,
    /// The iterate of sweeps that are gone on with, whatever its residual.
    swept: Vec<f64>,
    best: Best,
    iterations: usize,
}

/// The solvers and their workspaces, for one component.
#[derive(Default)]
pub(super) struct Ladder {
    tools: Tools,
    stick: Stick,
    levenberg: Levenberg,
    /// The iterate of a try.
    trial: Vec<f64>,
    /// The residual from which Levenberg and Marquardt's steps were last tried.
    polished: f64,
    /// What gave the best iterate.
    pub used: Rung,
}

impl Ladder {
    /// Solves a problem from `z`, which receives the best iterate. Of a component `share` is ‖F(0)‖/√K of the whole problem with K of them:
    /// its tolerance counts for both that and its own ‖F(0)‖, half and half of their squares. 0 where the problem is the whole.
    pub fn solve<P: Form + Swept>(
        &mut self,
        problem: &P,
        z: &mut [f64],
        limits: &Limits,
        share: f64,
    ) -> Result<Solved, Unsolved>
    where
        Newton: Solver<P>,
        Interior: Solver<P>,
    {
        self.tools.iterations = 0;
        self.polished = f64::INFINITY;
        self.used = Rung::Start;
        self.trial.clear();
        self.trial.resize(z.len(), 0.0);
        let given = self.tools.best.begin(problem, z);
        // Near a solution, as from step to step of a simulation, Newton's method is all that is needed.
        let warm = given.relative < 1.0;
        self.tools.best.offer(problem, &self.trial);
        let own = self.tools.best.at_zero();
        let aim = MARGIN * limits.tolerance * (0.5 * (own * own + share * share)).sqrt() / own;
        let limits =
            &Limits { tolerance: if share > 0.0 && !aim.is_nan() { aim } else { limits.tolerance }, ..*limits };
        let _ = self.climb(problem, limits, warm);
        let failure = self.over(limits).unwrap_or(Failure::Stalled);
        self.tools.best.finish(z, limits, self.tools.iterations, failure)
    }

    /// Tries one way after the other; `None` where one of them ended it.
    fn climb<P: Form + Swept>(&mut self, problem: &P, limits: &Limits, warm: bool) -> Option<()>
    where
        Newton: Solver<P>,
        Interior: Solver<P>,
    {
        self.go_on(limits)?;
        if warm {
            self.newton(problem, limits, Some(FIRST_ITERATIONS))?;
        }
        self.sweep(problem, limits, Variant::ExactCone, QUICK_SWEEPS)?;
        self.stick(problem, limits)?;
        self.newton(problem, limits, Some(FIRST_ITERATIONS))?;
        // Of large piles at rest a few sweeps are a worse start than no impulses.
        let few = self.left(limits, Some(FIRST_ITERATIONS));
        self.attempt(problem, limits, Rung::Newton, |own, z| {
            z.fill(0.0);
            own.newton.solve(problem, z, &few)
        })?;
        self.sweep(problem, limits, Variant::ExactCone, FIRST_SWEEPS)?;
        self.newton(problem, limits, Some(FIRST_ITERATIONS))?;
        if problem.law() == Law::Cone {
            for (place, path) in PATHS.into_iter().enumerate() {
                if place == PATHS_BEFORE_CONVEX {
                    self.convex(problem, limits)?;
                }
                self.path(problem, limits, path)?;
            }
        }
        self.polish(problem, limits, NEAR)?;
        self.tools.swept.clear();
        self.tools.swept.resize(self.trial.len(), 0.0);
        for round in 0..ROUNDS {
            self.go_on_sweeping(problem, limits, LATER_SWEEPS << (round / 2))?;
        }
        Some(())
    }

    /// `None` where the problem is solved or nothing is left to spend.
    fn go_on(&self, limits: &Limits) -> Option<()> {
        let done = self.tools.best.residual().relative <= limits.tolerance || self.over(limits).is_some();
        (!done).then_some(())
    }

    /// Why there is nothing left to spend, if so.
    fn over(&self, limits: &Limits) -> Option<Failure> {
        if limits.late() {
            return Some(Failure::Deadline);
        }
        limits.iterations.is_some_and(|most| self.tools.iterations >= most).then_some(Failure::Iterations)
    }

    /// What is left of the limits, and of a number of iterations of one try.
    fn left(&self, limits: &Limits, own: Option<usize>) -> Limits {
        let all = limits.iterations.map(|most| most.saturating_sub(self.tools.iterations));
        let iterations = match (all, own) {
            (Some(all), Some(own)) => Some(all.min(own)),
            (all, own) => all.or(own),
        };
        Limits { iterations, ..*limits }
    }

    /// One try from the best iterate so far, or from 0.
    fn attempt<P: Form>(
        &mut self,
        problem: &P,
        limits: &Limits,
        rung: Rung,
        solve: impl FnOnce(&mut Tools, &mut [f64]) -> Result<Solved, Unsolved>,
    ) -> Option<()> {
        let Self { tools, trial, .. } = self;
        tools.best.copy_to(trial);
        let before = tools.best.residual().absolute;
        let iterations = match solve(tools, trial) {
            Ok(solved) => solved.iterations,
            Err(unsolved) => unsolved.iterations,
        };
        tools.iterations += iterations;
        tools.best.offer(problem, trial);
        self.credit(before, rung);
        self.go_on(limits)
    }

    fn credit(&mut self, before: f64, rung: Rung) {
        if self.tools.best.residual().absolute < before {
            self.used = rung;
        }
    }

    fn newton<P: Form>(&mut self, problem: &P, limits: &Limits, most: Option<usize>) -> Option<()>
    where
        Newton: Solver<P>,
    {
        let left = self.left(limits, most);
        self.attempt(problem, limits, Rung::Newton, |own, z| own.newton.solve(problem, z, &left))
    }

    fn sweep<P: Form + Swept>(
        &mut self,
        problem: &P,
        limits: &Limits,
        variant: Variant,
        sweeps: usize,
    ) -> Option<()> {
        let look_every = if sweeps <= QUICK_SWEEPS { 1 } else { 10 };
        self.tools.pgs.options = Options { variant, look_every, ..Options::default() };
        let left = self.left(limits, Some(sweeps));
        self.attempt(problem, limits, Rung::Sweeps, |own, z| own.pgs.solve(problem, z, &left))
    }

    fn stick<P: Form>(&mut self, problem: &P, limits: &Limits) -> Option<()> {
        let before = self.tools.best.residual().absolute;
        if let Some(pencil) = self.tools.newton.pencil(problem) {
            self.tools.iterations += self.stick.offer(problem, pencil, &mut self.tools.best, limits);
        }
        self.credit(before, Rung::Stick);
        self.go_on(limits)
    }

    /// Convex problems with the slip of the last one's answer in the place of ‖u_t‖, and Newton's method from answers that are near. Where all
    /// contacts stick or are open the first, without slip, is the problem itself; where they slide the answers come nearer slowly and
    /// not for good, but Newton's method ends from one of them what it does not from elsewhere.
    fn convex<P: Form>(&mut self, problem: &P, limits: &Limits) -> Option<()>
    where
        Newton: Solver<P>,
    {
        let Shape { equalities, dimension, contacts } = Form::shape(problem);
        let (mut slip, mut slacks) = (vec![0.0; contacts], vec![0.0; problem.size()]);
        for _ in 0..CONVEX_PROBLEMS {
            let left = self.left(limits, None);
            let few = self.left(limits, Some(NEAR_ITERATIONS));
            self.attempt(problem, limits, Rung::Interior, |own, z| {
                z.fill(0.0);
                let iterations = PATHS[0].follow_convex(problem, &slip, z, &left);
                own.iterations += iterations;
                problem.slacks(z, &mut slacks, &mut Motion::default());
                match own.best.offer(problem, z) {
                    residual if residual.relative < NEAR => own.newton.solve(problem, z, &few),
                    residual => Err(Unsolved { failure: Failure::Stalled, iterations: 0, residual }),
                }
            })?;
            self.polish(problem, limits, WITHIN_REACH)?;
            for (slip, u) in slip.iter_mut().zip(slacks[equalities..].chunks_exact(dimension)) {
                *slip = norm(&u[1..]);
            }
        }
        Some(())
    }

    /// An interior path with Newton's method at its end. A path begins where it will; what was found before would only hide where it leads.
    fn path<P: Form>(&mut self, problem: &P, limits: &Limits, mut path: Interior) -> Option<()>
    where
        Newton: Solver<P>,
        Interior: Solver<P>,
    {
        let left = self.left(limits, None);
        self.attempt(problem, limits, Rung::Interior, |own, z| {
            z.fill(0.0);
            let inner = path.solve(problem, z, &left);
            let Err(unsolved) = inner else { return inner };
            let mut answer = own.newton.solve(problem, z, &left);
            match &mut answer {
                Ok(solved) => solved.iterations += unsolved.iterations,
                Err(failed) => failed.iterations += unsolved.iterations,
            }
            answer
        })
    }

    /// More sweeps from where the last ended, and Newton's method and Levenberg and Marquardt's steps from there. Sweeps that begin at the
    /// best iterate again and again would climb out of the same hollow of the residual each time.
    fn go_on_sweeping<P: Form + Swept>(&mut self, problem: &P, limits: &Limits, sweeps: usize) -> Option<()>
    where
        Newton: Solver<P>,
    {
        self.tools.pgs.options = Options { variant: Variant::ExactCone, ..Options::default() };
        let mut left = self.left(limits, Some(sweeps)).iterations.unwrap_or(sweeps);
        // In pieces, with a look at the clock between them.
        while left > 0 && !limits.late() {
            let count = left.min(LATER_SWEEPS);
            self.tools.pgs.sweep(problem, Part::All, count, &mut self.tools.swept, |_| {});
            self.tools.iterations += count;
            left -= count;
        }
        let before = self.tools.best.residual().absolute;
        self.tools.best.offer(problem, &self.tools.swept);
        self.credit(before, Rung::Sweeps);
        let left = self.left(limits, None);
        self.go_on(limits)?;
        self.attempt(problem, limits, Rung::Newton, |own, z| {
            z.copy_from_slice(&own.swept);
            own.newton.solve(problem, z, &left)
        })?;
        self.polish(problem, limits, NEAR)
    }

    /// Levenberg and Marquardt's steps where the best iterate is near a solution and better than that which they began with the last time.
    fn polish<P: Form>(&mut self, problem: &P, limits: &Limits, near: f64) -> Option<()> {
        let before = self.tools.best.residual();
        if before.relative < near && before.absolute < 0.9 * self.polished {
            self.polished = before.absolute;
            let most = self.left(limits, Some(POLISH_STEPS)).iterations.unwrap_or(POLISH_STEPS);
            self.tools.iterations += self.levenberg.polish(problem, &mut self.tools.best, limits, most);
            self.credit(before.absolute, Rung::Levenberg);
        }
        self.go_on(limits)
    }
}
