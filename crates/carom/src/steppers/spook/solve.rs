//! What solves the rows of a step, by what they contain and what was asked for.

use carom_lcp::Residual;
use carom_lcp::cone::norm;
use carom_lcp::ldlt::{Ldlt, Place};
use carom_lcp::problem::Room;
use carom_lcp::solvers::pgs::{Options, Part};
use carom_lcp::solvers::splitting::Coupling;
use carom_lcp::{
    BlockPivot, DirectIterative, FrictionDefault, GlobalFriction, Judged, Law, LcpDefault, Limits,
    LinearizedFriction, Newton, Pgs, Saddle, SaddleMlcp, Solved, Solver as _, Unsolved,
};

use super::choices::{FrictionLaw, Solver};
use super::motors::Motors;
use super::options::Config;
use super::rows::Rows;
use crate::error::{self, Failure, Row};
use crate::system::System;

/// Rounds in which all motors change at once that want to, beside friction; then one at a time.
const MOTOR_ROUNDS: usize = 8;
/// A residual below this part of the momenta of a step is round-off.
const ROUND_OFF: f64 = 1e-13;
/// Iterations of Newton's method from the impulses of the last step, whatever residual they leave.
const POLISH: usize = 2;
/// Backward error of a linear solve that is more than round-off.
const INACCURATE: f64 = 1e-10;

/// What a solve took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Factorisations, sweeps or iterations.
    pub iterations: u32,
    /// Relative residual of the answer.
    pub residual: f64,
}

/// The solvers and their workspaces.
pub struct Engine {
    ldlt: Option<Box<Ldlt>>,
    /// T when the order of the factors was last looked at.
    analysed: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
    active: Vec<bool>,
    /// What the rows are lent to: they have the form of one or the other.
    mixed: SaddleMlcp,
    global: GlobalFriction,
    solvers: Solvers,
}

/// The solvers of rows with bounds or friction.
struct Solvers {
    room: Room,
    pivot: BlockPivot,
    pgs: Pgs,
    split: DirectIterative,
    newton: Newton,
    friction: FrictionDefault,
    motors: Motors,
}

impl Engine {
    /// With the choices of the method.
    pub fn new(config: &Config) -> Self {
        let (variant, sweeps) = (config.variant().into(), config.sweeps());
        let coupling = Coupling { variant, sweeps, couplings: config.couplings(), ..Coupling::default() };
        let options = Options { variant, ..Options::default() };
        let law = if config.friction_law() == FrictionLaw::Box { Law::Box } else { Law::Cone };
        let global = GlobalFriction::new(Saddle::default(), 2, 0, Vec::new()).expect("a problem without rows");
        Self {
            ldlt: None,
            analysed: Vec::new(),
            right: Vec::new(),
            x: Vec::new(),
            active: Vec::new(),
            mixed: SaddleMlcp { saddle: Saddle::default(), lower: Vec::new(), upper: Vec::new() },
            global: global.with_law(law),
            solvers: Solvers {
                room: Room::default(),
                pivot: BlockPivot::default(),
                pgs: Pgs::new(options),
                split: DirectIterative::new(coupling),
                newton: Newton::default(),
                friction: FrictionDefault::default(),
                motors: Motors::default(),
            },
        }
    }

    /// Solves the rows from the impulses `z`.
    pub fn solve<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        rows: &mut Rows,
        z: &mut [f64],
    ) -> Result<Cost, Failure> {
        if z.is_empty() {
            return Ok(Cost::default());
        }
        if rows.is_linear() && !config.iterates() {
            return self.solve_linear(system, rows, z);
        }
        rows.saddle.renew().map_err(of_form)?;
        let Self { mixed, global, solvers, .. } = self;
        let (answer, worst) = if rows.dimension > 1 {
            rows.lend_rough(global, |rows, global| {
                let answer = solvers.solve_with_motors(config, rows, global, z)?;
                let worst = if answer.is_err() { worst_row(global, z) } else { 0 };
                Ok((answer, worst))
            })?
        } else {
            rows.lend(mixed, |mixed| {
                let answer = solvers.solve_mixed(config, mixed, z)?;
                let worst = if answer.is_err() { worst_row(mixed, z) } else { 0 };
                Ok((answer, worst))
            })?
        };
        cost(answer, config, || rows.name(system, worst), (z.len(), &rows.saddle.p))
    }

    /// Free impulses: one factorisation.
    fn solve_linear<S: System + ?Sized>(
        &mut self,
        system: &S,
        rows: &mut Rows,
        z: &mut [f64],
    ) -> Result<Cost, Failure> {
        let (n, m) = (rows.saddle.p.len(), z.len());
        // T and the pattern decide on the order; both change seldom.
        let same = self.ldlt.as_mut().is_some_and(|ldlt| ldlt.load(&rows.saddle).is_ok());
        if !same || self.analysed != rows.saddle.t {
            rows.saddle.renew().map_err(of_form)?;
            if !self.ldlt.as_mut().is_some_and(|ldlt| ldlt.load(&rows.saddle).is_ok() && ldlt.suits(&rows.saddle)) {
                self.ldlt = Some(Box::new(Ldlt::analyse(&rows.saddle)));
            }
            self.active.clear();
            self.active.resize(m, true);
            self.right.resize(n + m, 0.0);
            self.x.resize(n + m, 0.0);
            self.analysed.clear();
            self.analysed.extend_from_slice(&rows.saddle.t);
        }
        let ldlt = self.ldlt.as_mut().expect("it was just made");
        ldlt.factor(&self.active).map_err(|wrong| match wrong.place {
            Place::Constraint(row) => Failure::Redundant { row: rows.name(system, row), pivot: wrong.pivot },
            Place::Coordinate(row) => Failure::Singular { row: Row::coordinate(system, row), pivot: wrong.pivot },
        })?;
        let (of_bodies, of_rows) = self.right.split_at_mut(n);
        of_bodies.iter_mut().zip(&rows.saddle.p).for_each(|(right, p)| *right = -p);
        of_rows.iter_mut().zip(&rows.saddle.q).for_each(|(right, q)| *right = -q);
        let accuracy = ldlt.solve(&self.right, &mut self.x);
        if accuracy.backward_error > INACCURATE || accuracy.backward_error.is_nan() {
            let left = |row: usize| {
                (rows.speed(row, &self.x[..n]) - rows.saddle.t[row] * self.x[n + row] + rows.saddle.q[row]).abs()
            };
            let worst = (0..m).fold(0, |worst, row| if left(row) > left(worst) { row } else { worst });
            return Err(Failure::Unsolved(Box::new(error::Unsolved {
                stage: "step",
                solver: "ldlt",
                rows: m,
                reason: "the factors are not accurate enough, rows nearly depend on each other".to_string(),
                iterations: 1 + accuracy.refinements,
                residual: accuracy.backward_error,
                tolerance: INACCURATE,
                row: rows.name(system, worst),
            })));
        }
        z.iter_mut().zip(&self.x[n..]).for_each(|(z, x)| *z = -x);
        Ok(Cost { iterations: 1, residual: accuracy.backward_error })
    }
}

/// An answer, or the name of the solver that has none.
type Answer = Result<Solved, (&'static str, Unsolved)>;

impl Solvers {
    fn solve_mixed(&mut self, config: &Config, mixed: &SaddleMlcp, z: &mut [f64]) -> Result<Answer, Failure> {
        let at_zero = mixed.at_zero(&mut self.room);
        let Some(limits) = limits(config.tolerance(), at_zero, &mixed.saddle.p)? else {
            return Ok(Ok(nothing(z)));
        };
        if config.solver() != Solver::Pgs {
            return Ok(self.pivot.solve(mixed, z, &limits).map_err(|unsolved| ("block-pivot", unsolved)));
        }
        self.pgs.sweep(mixed, Part::All, config.sweeps(), z, |_| {});
        let (residual, iterations) = (mixed.residual_in(z, &mut self.room), config.sweeps());
        if residual.relative <= limits.tolerance {
            return Ok(Ok(Solved { iterations, residual }));
        }
        Ok(Err(("pgs", Unsolved { failure: carom_lcp::Failure::Iterations, iterations, residual })))
    }

    /// Friction with free motors; those beyond their bounds are then held there, as long as that is what they want. The form ends as it began.
    fn solve_with_motors(
        &mut self,
        config: &Config,
        rows: &Rows,
        global: &mut GlobalFriction,
        z: &mut [f64],
    ) -> Result<Answer, Failure> {
        if !rows.has_bounded_joints() {
            global.renew().map_err(of_form)?;
            return self.solve_global(config, global, z);
        }
        self.motors.read(&global.saddle, rows.joints());
        let answer = self.hold_motors(config, rows, global, z);
        self.motors.restore(&mut global.saddle);
        answer
    }

    fn hold_motors(
        &mut self,
        config: &Config,
        rows: &Rows,
        global: &mut GlobalFriction,
        z: &mut [f64],
    ) -> Result<Answer, Failure> {
        let finite = |row: &usize| rows.lower[*row].is_finite() || rows.upper[*row].is_finite();
        let most = MOTOR_ROUNDS + 20 * (0..rows.joints()).filter(finite).count();
        for round in 0..most {
            self.motors.hold(&mut global.saddle);
            global.renew().map_err(of_form)?;
            let answer = self.solve_global(config, global, z)?;
            self.motors.go_on(&global.saddle, z);
            self.motors.restore(&mut global.saddle);
            if !self.motors.change(rows, &global.saddle, z, round < MOTOR_ROUNDS) || answer.is_err() {
                return Ok(answer);
            }
        }
        let reason = format!("no set of motors at their bounds was found beside friction in {most} rounds");
        Err(Failure::Motors { reason })
    }

    fn solve_global(&mut self, config: &Config, global: &GlobalFriction, z: &mut [f64]) -> Result<Answer, Failure> {
        let at_zero = self.room.at_zero(global);
        let Some(limits) = limits(config.tolerance(), at_zero, &global.saddle.p)? else {
            return Ok(Ok(nothing(z)));
        };
        let spent = match config.solver() {
            Solver::Direct | Solver::Newton if config.friction_law() != FrictionLaw::Polygon => {
                polish(&mut self.newton, global, z, at_zero)
            }
            _ => 0,
        };
        let answer = match config.solver() {
            Solver::Direct if config.friction_law() == FrictionLaw::Polygon => {
                polygon(global, config.corners(), z, &limits).map_err(|unsolved| ("polygon", unsolved))
            }
            Solver::Direct => self.friction.solve(global, z, &limits).map_err(|unsolved| ("default", unsolved)),
            Solver::Newton => self.newton.solve(global, z, &limits).map_err(|unsolved| ("newton", unsolved)),
            Solver::Pgs => {
                self.pgs.sweep(global, Part::All, config.sweeps(), z, |_| {});
                judged(global, z, &limits, config.sweeps()).map_err(|unsolved| ("pgs", unsolved))
            }
            Solver::Split => {
                self.split.couple(global, config.couplings(), z, |_, _| true);
                judged(global, z, &limits, config.couplings()).map_err(|unsolved| ("split", unsolved))
            }
        };
        Ok(answer.map(|solved| Solved { iterations: solved.iterations + spent, ..solved }))
    }
}

/// The answer where what no impulses leave is round-off.
fn nothing(z: &mut [f64]) -> Solved {
    z.fill(0.0);
    Solved { iterations: 0, residual: Residual { absolute: 0.0, relative: 0.0 } }
}

fn of_form(wrong: carom_lcp::matrix::Misshapen) -> Failure {
    Failure::Form { reason: wrong.to_string() }
}

/// Brings impulses that are near an answer down to round-off; the iterations. Those of the last step may pass as they are, but what they leave would
/// add up from step to step until contacts that rest open.
fn polish(newton: &mut Newton, problem: &GlobalFriction, z: &mut [f64], at_zero: f64) -> usize {
    let floor = ROUND_OFF * (norm(&problem.saddle.p) / at_zero).max(1.0);
    let limits = Limits { tolerance: floor, iterations: Some(POLISH), deadline: None };
    match newton.solve(problem, z, &limits) {
        Ok(solved) => solved.iterations,
        Err(unsolved) => unsolved.iterations,
    }
}

/// What sweeps left, judged.
fn judged<P: Judged>(problem: &P, z: &[f64], limits: &Limits, iterations: usize) -> Result<Solved, Unsolved> {
    carom_lcp::outcome::verdict(problem, z, limits, iterations, carom_lcp::Failure::Iterations)
}

/// The problem with a polygon for the cone. Its answer is judged as one of the polygon's: the cone's residual does not vanish for it.
fn polygon(global: &GlobalFriction, corners: usize, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
    let problem = global.reduced();
    let linearized = LinearizedFriction::polygon(&problem, corners).expect("enough corners");
    let mut unknowns = vec![0.0; linearized.mixed.q.len()];
    let solved = LcpDefault::default().solve(&linearized.mixed, &mut unknowns, limits);
    linearized.impulses(&unknowns, z);
    solved
}

/// The row with the largest part of a residual.
pub fn worst_row<P: Judged>(problem: &P, z: &[f64]) -> usize {
    let (mut w, mut map) = (vec![0.0; z.len()], vec![0.0; z.len()]);
    problem.natural_map(z, &mut w, &mut map);
    (0..z.len()).fold(0, |worst, row| if map[row].abs() > map[worst].abs() { row } else { worst })
}

/// When a solver may stop, or that there is nothing to solve: what no impulses leave is round-off of the momenta of the step. Residuals relative to
/// that would be anything, so the tolerance has it as a floor.
pub fn limits(tolerance: f64, at_zero: f64, p: &[f64]) -> Result<Option<Limits>, Failure> {
    if at_zero.is_nan() {
        return Err(Failure::NonFinite { what: "what no impulses leave of the rows" });
    }
    let floor = ROUND_OFF * norm(p);
    let tolerance = tolerance.max(floor / at_zero).min(f64::MAX);
    Ok((at_zero > floor).then(|| Limits { tolerance, ..Limits::default() }))
}

fn cost(
    answer: Result<Solved, (&'static str, Unsolved)>,
    config: &Config,
    row: impl FnOnce() -> Row,
    (rows, p): (usize, &[f64]),
) -> Result<Cost, Failure> {
    match answer {
        Ok(solved) => {
            // Relative to what it is made of: next to no work to do is no scale.
            let at_zero = solved.residual.absolute / solved.residual.relative.max(f64::MIN_POSITIVE);
            let residual = solved.residual.absolute / at_zero.max(norm(p)).max(f64::MIN_POSITIVE);
            Ok(Cost { iterations: solved.iterations as u32, residual })
        }
        Err((solver, unsolved)) => Err(Failure::Unsolved(Box::new(error::Unsolved {
            stage: "step",
            solver,
            rows,
            reason: unsolved.failure.to_string(),
            iterations: unsolved.iterations,
            residual: unsolved.residual.relative,
            tolerance: config.tolerance(),
            row: row(),
        }))),
    }
}
