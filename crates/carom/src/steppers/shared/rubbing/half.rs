//! Normals and friction of contacts at one place, as one problem with its solvers.

use carom_lcp::cone::{norm, project};
use carom_lcp::problem::Room;
use carom_lcp::solvers::pgs::one_contact;
use carom_lcp::{
    Blocks, Dense, FrictionDefault, GlobalFriction, Limits, Newton, Saddle, Solved, Solver as _, Sparse, Unsolved,
};

use crate::error::Failure;
use crate::linear::dot;
use crate::steppers::StepReport;
use crate::steppers::shared::contacts::TOLERANCE;
use crate::steppers::shared::mass::InverseMass;
use crate::system::{ContactId, Mass, System};

// Notation
//   z   impulses: of each contact the normal λ, then the directions β
//   w   speeds that the laws are about: of the normal, in the first half, the gap at the end divided by the length
//   ρ   step of the natural map of a contact: z − P_K(z − ρ(w + μ|w_t|e_n)), zero where the laws hold

/// Problems that are solved one after the other; 2 to 4 are the rule.
pub const MOST_PROBLEMS: u32 = 12;
/// Violations up to this multiple of what counts as none are taken then, the least of all: where contacts are about to slide or to open,
/// answers may jump with what gaps bend by, and none agrees with its own. The report tells them as its residual.
const SLACK: f64 = 1e5;
/// Problems before what gaps bend by is taken by half, which ends cycles between two sets of contacts.
const UNDAMPED: u32 = 4;
/// What a problem is solved to before it is made anew around the answer, relative to its size.
const SOLVED: f64 = 1e-10;
/// Iterations of the solver: problems without a solution would take all there are.
const MOST_ITERATIONS: usize = 1000;
/// Iterations of Newton's method from there, towards round-off.
const POLISH: usize = 4;
/// Violations below this part of what counts as none are round-off.
const ROUND_OFF: f64 = 1e-3;
/// Friction that is nearer to its bound than this part of it slides.
const SLIDING: f64 = 1e-6;
/// What a problem is solved to, as a part of what counts as none.
const AIM: f64 = 1e-2;

/// One half of the problem, with its solvers.
pub struct Half {
    problem: GlobalFriction,
    solver: FrictionDefault,
    newton: Newton,
    /// Impulses, `d` for each contact.
    pub z: Vec<f64>,
    /// The best of the impulses that were tried.
    best: Vec<f64>,
    w: Vec<f64>,
    /// What the residual should come down to.
    aim: f64,
    room: Room,
    /// Directions of sliding of a contact.
    slides: [Vec<(usize, f64)>; 2],
}

impl Clone for Half {
    /// What solvers remember saves work only.
    fn clone(&self) -> Self {
        Self {
            problem: self.problem.clone(),
            solver: FrictionDefault::default(),
            newton: Newton::default(),
            z: self.z.clone(),
            best: Vec::new(),
            w: self.w.clone(),
            aim: self.aim,
            room: Room::default(),
            slides: Default::default(),
        }
    }
}

impl std::fmt::Debug for Half {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Half").field("z", &self.z).finish_non_exhaustive()
    }
}

/// The laws of a half, for given impulses.
#[derive(Debug, Clone, Copy)]
pub struct Judgement {
    /// The largest violation, in multiples of what counts as none.
    pub worst: f64,
    /// The contact that it is at, by its place.
    pub place: usize,
}

impl Judgement {
    /// Whether it is good enough: round-off, or no better than the one before though within what counts as none.
    fn is_done(&self, before: f64) -> bool {
        self.worst <= ROUND_OFF || (self.worst <= 1.0 && self.worst > 0.5 * before)
    }
}

impl Half {
    /// For a system with a constant mass.
    pub fn new<S: System + ?Sized>(system: &S) -> Option<Self> {
        let n = system.dim();
        let mass = match system.mass() {
            Mass::Diagonal(mass) => Blocks::diagonal(mass),
            Mass::Constant(mass) => {
                let lines: Vec<Vec<f64>> = mass.chunks(n).map(<[f64]>::to_vec).collect();
                Blocks::from_blocks(&[Dense::from_rows(&lines).ok()?]).ok()?
            }
            Mass::Configuration(_) => return None,
        };
        let rows = Sparse::from_triplets(0, n, &[]).ok()?;
        let saddle = Saddle::new(mass, rows, Vec::new(), vec![0.0; n], Vec::new()).ok()?;
        Some(Self {
            problem: GlobalFriction::new(saddle, 2, 0, Vec::new()).ok()?,
            solver: FrictionDefault::default(),
            newton: Newton::default(),
            z: Vec::new(),
            best: Vec::new(),
            w: Vec::new(),
            aim: 0.0,
            room: Room::default(),
            slides: Default::default(),
        })
    }

    /// Rows of a contact.
    pub fn dimension(&self) -> usize {
        self.problem.dimension
    }

    /// Rows at a place of the contacts that are given with their coefficients; no impulses yet.
    pub fn load<S: System + ?Sized>(
        &mut self,
        system: &S,
        (t, q): (f64, &[f64]),
        contacts: impl Iterator<Item = (ContactId, f64)> + Clone,
    ) -> Result<(), Failure> {
        let n = q.len();
        let tangents =
            |(contact, mu): (ContactId, f64)| if mu > 0.0 { system.contacts().directions(contact) } else { 0 };
        let d = 1 + contacts.clone().map(tangents).max().unwrap_or(0).max(1);
        let GlobalFriction { saddle, dimension, mu, .. } = &mut self.problem;
        *dimension = d;
        mu.clear();
        saddle.jacobian.restart(n);
        for (contact, coefficient) in contacts {
            system.contacts().partials(t, q, contact, &mut |column, value| {
                if value != 0.0 {
                    saddle.jacobian.push_entry(column, value);
                }
            });
            saddle.jacobian.end_row();
            let own = tangents((contact, coefficient));
            mu.push(if own > 0 { coefficient } else { 0.0 });
            let slides = &mut self.slides;
            slides.iter_mut().for_each(Vec::clear);
            if own > 0 {
                system.contacts().slides(t, q, contact, &mut |direction, column, value| {
                    if value != 0.0 {
                        slides[direction].push((column, value));
                    }
                });
            }
            slides[..d - 1].iter().for_each(|slide| saddle.jacobian.push_row(slide.iter().copied()));
        }
        let size = d * mu.len();
        for list in [&mut self.z, &mut self.w, &mut saddle.q, &mut saddle.t] {
            list.clear();
            list.resize(size, 0.0);
        }
        for row in 0..size {
            // Directions that a contact does not have move nothing.
            saddle.t[row] = f64::from(u8::from(saddle.jacobian.row_parts(row).0.is_empty()));
        }
        saddle.p.fill(0.0);
        self.problem.renew().map_err(|wrong| Failure::Form { reason: wrong.to_string() })
    }

    /// The momentum without the impulses.
    pub fn start_from(&mut self, p: &[f64]) {
        self.problem.saddle.p.iter_mut().zip(p).for_each(|(own, p)| *own = -p);
    }

    /// The velocity with the impulses.
    fn velocity(&self, inverse: &InverseMass, v: &mut [f64]) {
        v.iter_mut().zip(&self.problem.saddle.p).for_each(|(v, p)| *v = -p);
        self.problem.saddle.jacobian.add_transposed_times(&self.z, v);
        inverse.solve(v);
    }

    /// Adds the impulses to a momentum.
    pub fn act(&self, p: &mut [f64]) {
        self.problem.saddle.jacobian.add_transposed_times(&self.z, p);
    }

    /// The work of friction while velocities change from one to the other.
    pub fn work(&self, [before, after]: [&[f64]; 2]) -> f64 {
        let (rows, d) = (&self.problem.saddle.jacobian, self.dimension());
        (0..self.z.len())
            .filter(|row| row % d > 0)
            .map(|row| 0.5 * self.z[row] * (rows.row_times(row, before) + rows.row_times(row, after)))
            .sum()
    }

    /// Solves until the laws hold at the velocity that the impulses give, or nearly so. `look` may replace speeds: a gap that bends
    /// closes at another one than its row says. `tolerance` is by contact, and `tell` says what is wrong in the end.
    pub fn settle(
        &mut self,
        inverse: &InverseMass,
        v: &mut [f64],
        mut look: impl FnMut(&[f64], &mut [f64]),
        tolerance: impl Fn(usize) -> f64,
        tell: impl Fn(Judgement) -> Failure,
    ) -> Result<StepReport, Failure> {
        let mut report = StepReport::default();
        let (mut before, mut least) = (f64::INFINITY, f64::INFINITY);
        for problems in 0.. {
            self.velocity(inverse, v);
            self.problem.saddle.jacobian.times(v, &mut self.w);
            look(v, &mut self.w);
            let judgement = self.judge(&tolerance)?;
            if judgement.is_done(before) || problems > MOST_PROBLEMS {
                report.residual = TOLERANCE * judgement.worst;
                break;
            }
            if judgement.worst < least {
                least = judgement.worst;
                self.best.clone_from(&self.z);
            }
            if problems == MOST_PROBLEMS {
                if least > SLACK {
                    return Err(tell(judgement));
                }
                self.z.clone_from(&self.best);
                continue;
            }
            before = judgement.worst;
            report.iterations += self.solve(v, problems);
        }
        Ok(report)
    }

    /// What turns the slip at the velocity `v` into that at another one, of contacts in space that slide at both and hardly slower; whether there
    /// is any. Friction against the sum brakes: slips differ by less than half.
    pub fn find_turns(&self, other: &[f64], v: &[f64], turns: &mut Vec<f64>) -> bool {
        let (rows, d) = (&self.problem.saddle.jacobian, self.dimension());
        turns.clear();
        turns.resize(self.z.len(), 0.0);
        let mut any = false;
        for (place, (z, turn)) in self.z.chunks_exact(d).zip(turns.chunks_exact_mut(d)).enumerate() {
            let bound = self.problem.mu[place] * z[0];
            if d < 3 || bound <= 0.0 || norm(&z[1..]) < (1.0 - SLIDING) * bound {
                continue;
            }
            let mut slip = [0.0; 2];
            for k in 1..d {
                slip[k - 1] = rows.row_times(place * d + k, other);
                turn[k] = slip[k - 1] - rows.row_times(place * d + k, v);
            }
            if norm(&turn[1..]) <= 0.5 * norm(&slip) {
                any = true;
            } else {
                turn.fill(0.0);
            }
        }
        any
    }

    /// Judges the impulses by the speeds in `w`.
    fn judge(&mut self, tolerance: impl Fn(usize) -> f64) -> Result<Judgement, Failure> {
        let d = self.problem.dimension;
        let mut judgement = Judgement { worst: 0.0, place: 0 };
        self.aim = f64::INFINITY;
        for (place, (z, w)) in self.z.chunks_exact(d).zip(self.w.chunks_exact(d)).enumerate() {
            let (rho, mu) = (self.problem.rho()[place], self.problem.mu[place]);
            let mut x = [0.0; 3];
            x.iter_mut().zip(z.iter().zip(w)).for_each(|(x, (z, w))| *x = z - rho * w);
            x[0] -= rho * mu * norm(&w[1..]);
            project(mu, &mut x[..d]);
            let off = z.iter().zip(&x).fold(0.0_f64, |off, (z, x)| off.max((z - x).abs())) / rho;
            let tolerance = tolerance(place);
            self.aim = self.aim.min(AIM * rho * tolerance);
            let off = off / tolerance;
            if !off.is_finite() {
                return Err(Failure::NonFinite { what: "the friction of contacts that rest" });
            }
            if off > judgement.worst {
                judgement = Judgement { worst: off, place };
            }
        }
        Ok(judgement)
    }

    /// One contact is solved exactly, so that what sticks has no speed at all; false if that fails.
    fn solve_alone(&mut self) -> bool {
        let d = self.dimension();
        let (mut block, mut q) = ([0.0; 9], [0.0; 3]);
        for i in 0..d {
            for j in 0..d {
                block[i * d + j] = self.problem.saddle.delassus(i, j);
            }
            q[i] = self.w[i] - dot(&block[i * d..(i + 1) * d], &self.z);
        }
        let answer = one_contact(d, &block[..d * d], &q, self.problem.mu[0]);
        answer.inspect(|answer| self.z.copy_from_slice(&answer[..d])).is_some()
    }

    /// Solves the problem that is linear around the velocity that was judged last.
    fn solve(&mut self, v: &[f64], problems: u32) -> u32 {
        if self.problem.mu.len() == 1 && self.solve_alone() {
            return 1;
        }
        let share = if problems < UNDAMPED { 1.0 } else { 0.5 };
        for row in 0..self.z.len() {
            let saddle = &mut self.problem.saddle;
            let bend = self.w[row] - saddle.jacobian.row_times(row, v);
            saddle.q[row] += share * (bend - saddle.q[row]);
        }
        let Self { problem, solver, newton, z, .. } = self;
        let aim = (self.aim / self.room.at_zero(problem)).max(f64::EPSILON);
        let limits = Limits { tolerance: aim.max(SOLVED), iterations: Some(MOST_ITERATIONS), deadline: None };
        // What is found is judged by the laws, as good as it is.
        let spent = |answer: Result<Solved, Unsolved>| match answer {
            Ok(solved) => solved.iterations,
            Err(unsolved) => unsolved.iterations,
        };
        let mut iterations = spent(solver.solve(&*problem, z, &limits));
        if aim < SOLVED {
            let limits = Limits { tolerance: aim, iterations: Some(POLISH), deadline: None };
            iterations += spent(newton.solve(&*problem, z, &limits));
        }
        iterations as u32
    }
}
