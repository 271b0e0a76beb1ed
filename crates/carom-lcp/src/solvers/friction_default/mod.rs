//! The solver for friction problems of which nothing is known.
//!
//! A problem is taken apart into its connected components; each climbs a ladder of methods, from the cheapest on, until it is solved.
//! The tolerance is one on the whole: with ‖F‖² the sum over the K components, component k is to come down to
//! ‖F_k‖² = ½ tolerance² (‖F_k(0)‖² + ‖F(0)‖²/K), which add up to what is asked for. The whole is judged in the end.

mod components;
mod ladder;
mod stick;

use super::Facts;
use super::best::Best;
use super::interior::Interior;
use super::newton::Newton;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Friction, GlobalFriction};
use components::{Components, Separable};
use ladder::{Ladder, Rung};

/// Newton's method from a warm start; from a cold one sweeps, the answer in which all contacts stick, more sweeps and Newton's method; then
/// interior paths, each finished by Newton's method, Levenberg and Marquardt's steps, and more sweeps from the best of all. The best
/// iterate is kept.
///
/// A second solve of a problem of the same pattern allocates nothing as long as sweeps, stick or [`Newton`]'s method with factors that do not
/// allocate solve it, as in most steps of a simulation from the impulses of the last one. Interior paths allocate some twenty vectors in
/// every iteration, Levenberg and Marquardt's steps on problems of bodies W once.
#[derive(Default)]
pub struct FrictionDefault {
    components: Components,
    by_matrix: Vec<Part<Friction>>,
    by_bodies: Vec<Part<GlobalFriction>>,
    best: Best,
    used: Rung,
}

/// A component, and what it is solved with.
struct Part<P> {
    problem: P,
    z: Vec<f64>,
    ladder: Ladder,
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

    /// The solver that gave the last answer; of several components that of the hardest.
    pub fn used(&self) -> &'static str {
        self.used.name()
    }
}

/// Solves a problem by its components.
fn solve<P: Separable>(
    parts: &mut Vec<Part<P>>,
    components: &mut Components,
    best: &mut Best,
    (problem, z, limits): (&P, &mut [f64], &Limits),
) -> (Rung, Result<Solved, Unsolved>)
where
    Newton: Solver<P>,
    Interior: Solver<P>,
{
    let start = best.begin(problem, z);
    if start.relative <= limits.tolerance {
        return (Rung::Start, best.finish(z, limits, 0, Failure::Stalled));
    }
    let count = components.find(problem).max(1);
    while parts.len() < count {
        parts.push(Part { problem: P::empty(), z: Vec::new(), ladder: Ladder::default() });
    }
    if count == 1 {
        let ladder = &mut parts[0].ladder;
        let answer = ladder.solve(problem, z, limits, 0.0);
        return (ladder.used, answer);
    }
    let share = best.at_zero() / (count as f64).sqrt();
    let (mut used, mut iterations, mut failure) = (Rung::Start, 0, (0.0, Failure::Stalled));
    for place in 0..count {
        let number = components.by_size(place);
        let part = &mut parts[number];
        part.problem.take(problem, components, number);
        let rows = components.rows(number);
        part.z.clear();
        part.z.extend(rows.iter().map(|&row| z[row]));
        let left = Limits { iterations: limits.iterations.map(|most| most.saturating_sub(iterations)), ..*limits };
        let answer = part.ladder.solve(&part.problem, &mut part.z, &left, share);
        rows.iter().zip(&part.z).for_each(|(&row, value)| z[row] = *value);
        used = used.max(part.ladder.used);
        match answer {
            Ok(solved) => iterations += solved.iterations,
            Err(unsolved) => {
                iterations += unsolved.iterations;
                if unsolved.residual.absolute > failure.0 {
                    failure = (unsolved.residual.absolute, unsolved.failure);
                }
            }
        }
    }
    best.offer(problem, z);
    (used, best.finish(z, limits, iterations, failure.1))
}

impl Solver<Friction> for FrictionDefault {
    fn solve(&mut self, problem: &Friction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let given = (problem, z, limits);
        let (used, answer) = solve(&mut self.by_matrix, &mut self.components, &mut self.best, given);
        self.used = used;
        answer
    }
}

impl Solver<GlobalFriction> for FrictionDefault {
    fn solve(&mut self, problem: &GlobalFriction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let given = (problem, z, limits);
        let (used, answer) = solve(&mut self.by_bodies, &mut self.components, &mut self.best, given);
        self.used = used;
        answer
    }
}
