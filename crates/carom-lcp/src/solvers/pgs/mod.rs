//! Projected Gauss–Seidel: row after row or contact after contact, the others held [Algorithm 21.1].

mod form;
mod local;
mod tangents;
mod whole;

use crate::cone::norm;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::Law;
use crate::residual::step_length;
use crate::solvers::Facts;

pub(super) use form::Workspace;
pub use form::{Form, Shape, Swept};
use local::Contact;
pub use whole::solve as one_contact;

/// How one contact is solved while the others are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// Row after row. Under the cone the tangents are then scaled to the bound [lacoursiere-linde-2011 (98)]: the wrong friction unless they are uncoupled.
    Separate,
    /// All rows at once as if the contact stuck, then the tangents are cut to the bound. The normal impulse stays that of stick:
    /// where a contact slides neither friction nor normal need be right.
    BlockProjection,
    /// The normal, then both tangents at once as if the contact stuck, cut to the bound; as wrong as `Separate` where it slides.
    BlockTangents,
    /// The normal, then the tangents exactly under the bound μν: solutions of the problem are fixed points.
    #[default]
    ExactTangents,
    /// All rows at once, exactly: open, sticking or sliding, also where normal and tangents are strongly coupled. Under the box law as
    /// `ExactTangents`.
    ExactCone,
}

/// Which rows are swept; the impulses of the others are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Every row.
    #[default]
    All,
    /// Contacts, not the rows before them [lacoursiere-linde-2011 (97)].
    Contacts,
    /// Tangents, with the normal impulses held.
    Tangents,
}

/// The choices of projected Gauss–Seidel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How one contact is solved.
    pub variant: Variant,
    /// The most sweeps of a solve that has no limit of its own.
    pub sweeps: usize,
    /// ω: how far each row goes to its own answer; 1 is Gauss–Seidel, above 0 and below 2.
    pub relaxation: f64,
    /// Sweeps between two looks at the residual; a look costs about as much as a sweep.
    pub look_every: usize,
}

impl Default for Options {
    /// Exact tangents, 1000 sweeps, no relaxation, a look every 10 sweeps.
    fn default() -> Options {
        Options { variant: Variant::default(), sweeps: 1000, relaxation: 1.0, look_every: 10 }
    }
}

/// What an observer is told after each sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// 1 for the first.
    pub number: usize,
    /// The impulses.
    pub z: &'a [f64],
    /// Contacts that changed between open, stick and slide, and single rows that reached or left a bound. Under the box law a contact
    /// slides where one of its tangents is at its bound.
    pub switches: usize,
}

/// Projected Gauss–Seidel, in the velocities of the bodies where the problem has them, by rows of the matrix otherwise.
///
/// A second solve of a problem of the same shape allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    /// The choices.
    pub options: Options,
    workspace: Workspace,
    states: Vec<u8>,
    best: Vec<f64>,
}

impl Pgs {
    /// What is known of it.
    pub const FACTS: Facts = Facts {
        name: "pgs",
        takes: "friction problems by bodies or matrix, mixed LCPs with bounds",
        guarantees: "nothing with friction; converges on symmetric positive definite problems with bounds",
        costs: "one pass over the rows for each sweep, hundreds to many thousands of sweeps",
        fails: "slow for high ratios of masses and redundant contacts; all variants but exact tangents and cone end at wrong friction",
    };

    /// The solver with these choices.
    pub fn new(options: Options) -> Pgs {
        Pgs { options, ..Pgs::default() }
    }

    /// Sweeps a number of times from `z` and leaves the last iterate there, unjudged. The observer is called after each sweep.
    pub fn sweep<P: Swept>(
        &mut self,
        problem: &P,
        part: Part,
        sweeps: usize,
        z: &mut [f64],
        mut observer: impl FnMut(&Sweep<'_>),
    ) {
        let (form, shape) = (problem.form(), problem.shape());
        self.read(form, &shape);
        self.workspace.start(form, z);
        self.switches(&shape, z);
        for number in 1..=sweeps {
            self.pass(form, &shape, part, z);
            let switches = self.switches(&shape, z);
            observer(&Sweep { number, z, switches });
        }
    }

    /// Reads the problem and makes room for it: all that is ever allocated.
    fn read(&mut self, form: Form<'_>, shape: &Shape<'_>) {
        self.workspace.read(form, shape);
        self.states.clear();
        self.states.resize(shape.singles + shape.mu.len(), 0);
        self.best.clear();
        self.best.resize(shape.singles + shape.dimension * shape.mu.len(), 0.0);
    }

    /// One sweep over the rows of a part; the velocities are those of `z` before and after.
    fn pass(&mut self, form: Form<'_>, shape: &Shape<'_>, part: Part, z: &mut [f64]) {
        let Options { variant, relaxation, .. } = self.options;
        if part == Part::All {
            for row in 0..shape.singles {
                let slack = self.workspace.slack(form, z, row);
                let mut target = z[row] - relaxation * slack * step_length(self.workspace.diagonal[row]);
                if let Some((lower, upper)) = shape.bounds {
                    target = target.max(lower[row]).min(upper[row]);
                }
                let change = target - z[row];
                z[row] = target;
                self.workspace.follow(form, row, change);
            }
        }
        let d = shape.dimension;
        for (contact, &mu) in shape.mu.iter().enumerate() {
            let first = shape.singles + contact * d;
            let (mut u, mut r) = ([0.0; 3], [0.0; 3]);
            for k in 0..d {
                u[k] = self.workspace.slack(form, z, first + k);
                r[k] = z[first + k];
            }
            let start = shape.singles + contact * d * d;
            let block = &self.workspace.diagonal[start..start + d * d];
            let local = Contact { dimension: d, block, mu, law: shape.law, relaxation };
            match part {
                Part::All | Part::Contacts => local.solve(variant, &mut u, &mut r),
                Part::Tangents => local.solve_tangents(variant, &mut u, &mut r),
            }
            for k in 0..d {
                let change = r[k] - z[first + k];
                if change != 0.0 {
                    z[first + k] = r[k];
                    self.workspace.follow(form, first + k, change);
                }
            }
        }
    }

    /// How many single rows and contacts are in another state than they were at the last call.
    fn switches(&mut self, shape: &Shape<'_>, z: &[f64]) -> usize {
        let mut count = 0;
        for (k, state) in self.states.iter_mut().enumerate() {
            let now = if k < shape.singles {
                shape.bounds.map_or(0, |(lower, upper)| side(z[k], lower[k], upper[k]))
            } else {
                let first = shape.singles + (k - shape.singles) * shape.dimension;
                contact_state(shape.law, shape.mu[k - shape.singles], &z[first..first + shape.dimension])
            };
            count += usize::from(*state != now);
            *state = now;
        }
        count
    }

    fn solve_any<P: Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let (form, shape) = (problem.form(), problem.shape());
        let sweeps = limits.iterations.unwrap_or(self.options.sweeps);
        let look_every = self.options.look_every.max(1);
        self.read(form, &shape);
        let at_zero = self.workspace.at_zero(form, &shape);
        self.best.copy_from_slice(z);
        // The look before the first sweep leaves the velocities of the start.
        let mut best = self.workspace.residual(form, &shape, z, at_zero);
        let (mut done, mut failure) = (0, Failure::Iterations);
        while best.relative > limits.tolerance && done < sweeps {
            if limits.late() {
                failure = Failure::Deadline;
                break;
            }
            self.pass(form, &shape, Part::All, z);
            done += 1;
            if done % look_every == 0 || done == sweeps {
                let residual = self.workspace.residual(form, &shape, z, at_zero);
                if residual.absolute < best.absolute {
                    best = residual;
                    self.best.copy_from_slice(z);
                } else if residual.absolute.is_infinite() {
                    failure = Failure::Stalled;
                    break;
                }
            }
        }
        z.copy_from_slice(&self.best);
        if best.relative <= limits.tolerance {
            Ok(Solved { iterations: done, residual: best })
        } else {
            Err(Unsolved { failure, iterations: done, residual: best })
        }
    }
}

impl<P: Swept> Solver<P> for Pgs {
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.solve_any(problem, z, limits)
    }
}

/// 0 at the lower bound, 1 between, 2 at the upper bound.
fn side(value: f64, lower: f64, upper: f64) -> u8 {
    if value <= lower {
        0
    } else if value >= upper {
        2
    } else {
        1
    }
}

/// Relative distance from the bound of friction within which a contact counts as sliding: scaling to the bound rounds.
const AT_BOUND: f64 = 1e-9;

/// 0 open, 1 stick, 2 slide; under the box law it slides where a tangent is at its bound.
fn contact_state(law: Law, mu: f64, r: &[f64]) -> u8 {
    if r[0] <= 0.0 {
        return 0;
    }
    let friction = match law {
        Law::Cone => norm(&r[1..]),
        Law::Box => r[1..].iter().fold(0.0, |most, tangent| tangent.abs().max(most)),
    };
    1 + u8::from(friction >= mu * r[0] * (1.0 - AT_BOUND))
}
