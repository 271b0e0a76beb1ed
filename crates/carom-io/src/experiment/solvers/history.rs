//! What a solver does, iteration by iteration, judged from outside.

use carom_lcp::cone::norm;
use carom_lcp::solvers::pgs::{Options, Part, Pgs};
use carom_lcp::solvers::splitting::{DirectIterative, Stage};
use carom_lcp::{Interior, LaggedBounds, Limits, Newton, Residual, Solver as _};

use super::enumeration;
use super::problem::{Problem, with};
use super::solver::{Last, Solver};

/// Asked of the solution that errors are taken against.
const EXACT: f64 = 1e-10;
/// Solutions nearer to each other than this, relative to their size, are one.
const SAME: f64 = 1e-6;

/// The state after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Sweeps made so far; of a solver without sweeps its iterations.
    pub sweeps: usize,
    /// ‖F‖ of the natural map, in units of impulse, and relative to that of no impulse.
    pub absolute: f64,
    pub relative: f64,
    /// The change since the iteration before, relative to the impulses.
    pub update: f64,
    /// ‖z‖.
    pub size: f64,
    /// ½ zᵀA z + bᵀz, relative to ½ zᵀA z: at most 0 where z minimises it over a set that holds 0.
    pub excess: f64,
    /// The distance of the velocities from the exact ones, relative to the change that the exact impulses make; not a number
    /// where there is no exact solution.
    pub velocity_error: f64,
    /// Contacts that changed between open, stick and slide; only sweeps say that.
    pub switches: Option<usize>,
}

/// What a solver did.
pub struct History {
    pub points: Vec<Point>,
    /// The impulses at the end.
    pub z: Vec<f64>,
    /// The solution that errors are taken against.
    pub exact: Option<Exact>,
    /// Of a solver that looks for solutions, those that it found, each once, and how many of its starts led to one.
    pub solutions: Option<(Vec<Vec<f64>>, usize)>,
}

/// A solution that errors are taken against.
pub struct Exact {
    pub z: Vec<f64>,
    /// Its velocities.
    pub velocity: Vec<f64>,
    /// How far they are from those of no impulse: what a solver has to find. Those of a body that comes to rest are themselves too
    /// small to measure errors by.
    pub change: f64,
}

impl Exact {
    fn of(problem: &Problem) -> Result<Self, String> {
        let z = exact(problem)?;
        let (velocity, free) = (problem.velocity(&z), problem.velocity(&vec![0.0; z.len()]));
        let change = distance(&velocity, &free);
        Ok(Self { z, velocity, change })
    }
}

/// Where a solve begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// No impulse.
    #[default]
    Zero,
    /// The solution.
    Solution,
}

/// The solution by Newton's method; from that of interior points, or another start, where it fails.
fn exact(problem: &Problem) -> Result<Vec<f64>, String> {
    let limits = Limits { tolerance: EXACT, ..Limits::default() };
    let mut best = f64::INFINITY;
    for attempt in 0..4 {
        let mut z = match attempt {
            0 => vec![0.0; problem.judge().size()],
            1 => {
                let mut z = vec![0.0; problem.judge().size()];
                // Whether or not it ends at a solution, its best iterate is a start.
                let _ = with!(problem, problem => Interior::default().solve(problem, &mut z, &limits));
                z
            }
            _ => start(problem, attempt),
        };
        match with!(problem, problem => Newton::default().solve(problem, &mut z, &limits)) {
            Ok(_) => return Ok(z),
            Err(unsolved) => best = best.min(unsolved.residual.relative),
        }
    }
    Err(format!("no exact solution was found: the best relative residual is {best:.1e}"))
}

/// A start of given number: none at all first, then normal impulses of all sizes up to a scale that doubles.
fn start(problem: &Problem, number: usize) -> Vec<f64> {
    let mut z = vec![0.0; problem.judge().size()];
    let (d, first) = (problem.dimension(), problem.equalities());
    if number > 0 {
        for (k, row) in (first..z.len()).step_by(d).enumerate() {
            z[row] = 0.25 * 2.0_f64.powi(number as i32) * ((k + 1) as f64 * number as f64).sin().abs();
        }
    }
    z
}

/// Judges iterates.
struct Judge<'a> {
    problem: &'a Problem,
    at_zero: f64,
    last: Vec<f64>,
    w: Vec<f64>,
    map: Vec<f64>,
    /// w of no impulse: b.
    free: Vec<f64>,
    exact: Option<&'a Exact>,
    points: Vec<Point>,
}

impl<'a> Judge<'a> {
    fn new(problem: &'a Problem, start: &[f64], exact: Option<&'a Exact>) -> Self {
        let n = start.len();
        let (mut free, mut map) = (vec![0.0; n], vec![0.0; n]);
        problem.judge().natural_map(&vec![0.0; n], &mut free, &mut map);
        let (at_zero, last) = (norm(&map), start.to_vec());
        Self { problem, at_zero, last, w: vec![0.0; n], map, free, exact, points: Vec::new() }
    }

    fn see(&mut self, sweeps: usize, z: &[f64], switches: Option<usize>) {
        self.problem.judge().natural_map(z, &mut self.w, &mut self.map);
        let (absolute, size) = (norm(&self.map), norm(z));
        let change = distance(z, &self.last);
        self.last.copy_from_slice(z);
        // A z = w − b.
        let (work, energy) = z.iter().enumerate().fold((0.0, 0.0), |(work, energy), (i, z)| {
            (work + self.free[i] * z, energy + 0.5 * z * (self.w[i] - self.free[i]))
        });
        let velocity_error = self
            .exact
            .map_or(f64::NAN, |exact| distance(&self.problem.velocity(z), &exact.velocity) / exact.change);
        self.points.push(Point {
            sweeps,
            absolute,
            relative: Residual::from_norms(absolute, self.at_zero).relative,
            update: if change == 0.0 { 0.0 } else { change / size },
            size,
            excess: if size == 0.0 { 0.0 } else { (energy + work) / energy },
            velocity_error,
            switches,
        });
    }
}

/// ‖a − b‖.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

impl History {
    /// Runs a solver; errors are taken where they are wanted.
    pub fn of(problem: &Problem, solver: &Solver, begin: Begin, errors: bool) -> Result<Self, String> {
        let exact = if errors || begin == Begin::Solution { Some(Exact::of(problem)?) } else { None };
        let mut z = match (begin, &exact) {
            (Begin::Solution, Some(exact)) => exact.z.clone(),
            _ => vec![0.0; problem.judge().size()],
        };
        let mut judge = Judge::new(problem, &z, exact.as_ref());
        let mut solutions = None;
        match *solver {
            Solver::Pgs { variant, sweeps } => {
                let mut pgs = Pgs::new(Options { variant, ..Options::default() });
                with!(problem, problem => pgs.sweep(problem, Part::All, sweeps, &mut z, |sweep| {
                    judge.see(sweep.number, sweep.z, Some(sweep.switches));
                }));
            }
            Solver::DirectIterative { coupling, last } => {
                let mut splitting = DirectIterative::new(coupling);
                let mut sweeps = 0;
                let mut swept = z.clone();
                with!(problem, problem => {
                    splitting.couple(problem, coupling.couplings, &mut z, |stage, z| {
                        let ends = match stage {
                            Stage::Direct { .. } => Last::Direct,
                            Stage::Sweeps => {
                                sweeps += coupling.sweeps;
                                swept.copy_from_slice(z);
                                Last::Sweeps
                            }
                        };
                        if ends == last {
                            judge.see(sweeps, z, None);
                        }
                        true
                    })
                });
                if last == Last::Sweeps {
                    z = swept;
                }
            }
            Solver::LaggedBounds { rounds, pivots } => {
                let mut splitting = LaggedBounds::default();
                splitting.pivots = pivots;
                let mut round = 0;
                with!(problem, problem => {
                    splitting.lag(problem, rounds, &mut z, |_, z| {
                        round += 1;
                        judge.see(round, z, None);
                        true
                    })
                });
            }
            Solver::Newton { starts } => {
                let limits = Limits { tolerance: EXACT, ..Limits::default() };
                let mut newton = Newton::default();
                let mut found = Vec::new();
                for number in 0..starts {
                    z = start(problem, number);
                    let solved = with!(problem, problem => newton.solve(problem, &mut z, &limits)).is_ok();
                    judge.see(number + 1, &z, None);
                    if solved {
                        found.push(z.clone());
                    }
                }
                solutions = Some(distinct(found));
            }
            Solver::Enumeration => {
                let found = enumeration::solutions(problem);
                if let Some(first) = found.first() {
                    z.copy_from_slice(first);
                }
                judge.see(1, &z, None);
                solutions = Some(distinct(found));
            }
        }
        let points = judge.points;
        Ok(Self { points, z, exact, solutions })
    }
}

/// Solutions that differ, and the number of all.
fn distinct(found: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, usize) {
    let all = found.len();
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for z in found {
        let apart = |other: &Vec<f64>| distance(&z, other) > SAME * norm(&z).max(norm(other));
        if kept.iter().all(apart) {
            kept.push(z);
        }
    }
    (kept, all)
}
