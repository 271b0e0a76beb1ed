//! Friction problems as convex cone programs: the solvers against an interior-point oracle.

mod common;

use carom_lcp::{Dense, Friction, FrictionDefault, Interior, Judged, Limits, Newton, Solver, Sparse};
use common::oracle::{between, friction_cone, quadratic_cone_program, try_quadratic_cone_program};
use common::{Random, gram, times};

/// What the answers may differ by.
const AGREEMENT: f64 = 1e-6;

/// Contacts of one system at random: W = J Jᵀ + shift, q = J v. Every second one has fewer degrees of freedom than rows.
struct Contacts {
    w: Vec<Vec<f64>>,
    q: Vec<f64>,
    mu: Vec<f64>,
    singular: bool,
}

impl Contacts {
    fn new(random: &mut Random, trial: usize, mu: impl Fn(&mut Random) -> f64) -> Contacts {
        let contacts = 1 + random.below(7);
        let n = 3 * contacts;
        let singular = trial % 2 == 1;
        let freedoms = if singular { 1 + random.below(n - 1) } else { n };
        let j = random.matrix(n, freedoms);
        let v = random.normals(freedoms);
        let w = gram(&j, if singular { 0.0 } else { 0.1 });
        Contacts { w, q: times(&j, &v), mu: (0..contacts).map(|_| mu(random)).collect(), singular }
    }

    fn problem(&self) -> Friction {
        let w = Sparse::from_dense(&Dense::from_rows(&self.w).expect("rows of one length"));
        Friction::new(3, w, self.q.clone(), self.mu.clone()).expect("a problem")
    }

    /// W r + q.
    fn slacks(&self, r: &[f64]) -> Vec<f64> {
        times(&self.w, r).iter().zip(&self.q).map(|(w, q)| w + q).collect()
    }

    /// The largest difference of what two answers must have in common: r, but W r where W is singular.
    fn difference(&self, a: &[f64], b: &[f64]) -> f64 {
        let [a, b] = [a, b].map(|r| if self.singular { times(&self.w, r) } else { r.to_vec() });
        a.iter().zip(&b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
    }

    /// The oracle's r that makes ½ rᵀW r + qᵀr + Σ shift r_n least in the cones, if it says that it has it.
    fn oracle(&self, shift: &[f64]) -> Option<Vec<f64>> {
        let n = self.q.len();
        let mut q = self.q.clone();
        shift.iter().enumerate().for_each(|(contact, shift)| q[3 * contact] += shift);
        let cones: Vec<_> =
            self.mu.iter().enumerate().map(|(contact, &mu)| friction_cone(3 * contact, 3, mu, n)).collect();
        try_quadratic_cone_program(&self.w, &q, &cones)
    }
}

/// The answers of the solvers that say they have solved the problem, each judged by the problem itself. The default always has.
fn answers(contacts: &Contacts) -> Vec<(&'static str, Vec<f64>)> {
    let problem = contacts.problem();
    // Interior points alone end near 1e-8 where contacts slide.
    let solvers: [(&str, f64, &mut dyn Solver<Friction>); 3] = [
        ("default", 1e-10, &mut FrictionDefault::default()),
        ("interior", 1e-8, &mut Interior::default()),
        ("newton", 1e-10, &mut Newton::default()),
    ];
    let mut answers = Vec::new();
    for (name, tolerance, solver) in solvers {
        let mut r = vec![0.0; problem.size()];
        match solver.solve(&problem, &mut r, &Limits { tolerance, ..Limits::default() }) {
            Ok(solved) => {
                assert_eq!(solved.residual, problem.residual(&r), "{name}");
                answers.push((name, r));
            }
            Err(unsolved) => assert_ne!(name, "default", "{unsolved}"),
        }
    }
    answers
}

/// How many problems each solver has solved, and the largest difference from the oracle.
#[derive(Default)]
struct Score {
    solved: [usize; 3],
    worst: [f64; 3],
}

impl Score {
    fn enter(&mut self, name: &str, difference: f64, trial: usize) {
        let k = ["default", "interior", "newton"].iter().position(|other| *other == name).expect("a solver");
        assert!(difference < AGREEMENT, "problem {trial}: {name} differs by {difference:e}");
        self.solved[k] += 1;
        self.worst[k] = self.worst[k].max(difference);
    }

    fn worst(&self) -> String {
        format!("{:?}", self.worst.map(|worst| format!("{worst:.1e}")))
    }
}

#[test]
fn fifty_problems_without_friction_agree_with_the_oracle() {
    let mut random = Random::new(31);
    let (mut score, mut open) = (Score::default(), 0);
    for trial in 0..50 {
        let contacts = Contacts::new(&mut random, trial, |_| 0.0);
        // The tangents are 0; normals alone are left.
        let count = contacts.mu.len();
        let at = |i: usize, j: usize| contacts.w[3 * i][3 * j];
        let w: Vec<Vec<f64>> = (0..count).map(|i| (0..count).map(|j| at(i, j)).collect()).collect();
        let q: Vec<f64> = contacts.q.iter().step_by(3).copied().collect();
        let normals = quadratic_cone_program(&w, &q, &[between(&vec![0.0; count], &vec![f64::INFINITY; count])]);
        let oracle: Vec<f64> = normals.iter().flat_map(|&nu| [nu, 0.0, 0.0]).collect();
        for (name, r) in answers(&contacts) {
            score.enter(name, contacts.difference(&r, &oracle), trial);
        }
        open += normals.iter().filter(|nu| **nu < 1e-6).count();
    }
    println!("solved {:?}, largest differences {}, {open} contacts open", score.solved, score.worst());
    assert_eq!(score.solved[..2], [50, 50], "the default and interior points");
    assert!(score.solved[2] >= 40, "Newton's method solves {}", score.solved[2]);
}

#[test]
fn fifty_problems_with_friction_are_the_convex_programs_of_their_own_slip() {
    // De Saxcé's form with the slip μ‖u_t‖ of the answer as data is a convex program: the answer must be its least point.
    let mut random = Random::new(32);
    let (mut score, mut states) = (Score::default(), [0; 3]);
    let mut others = 0;
    for trial in 0..50 {
        let contacts = Contacts::new(&mut random, trial, |random| random.between(0.1, 1.5));
        for (name, r) in answers(&contacts) {
            let u = contacts.slacks(&r);
            let shift: Vec<f64> = u.chunks(3).zip(&contacts.mu).map(|(u, mu)| mu * u[1].hypot(u[2])).collect();
            let oracle = contacts.oracle(&shift).expect("solved by the oracle");
            score.enter(name, contacts.difference(&r, &oracle), trial);
            if name == "default" {
                for (r, u) in r.chunks(3).zip(u.chunks(3)) {
                    let state = if r[0] < 1e-6 { 0 } else { 1 + usize::from(u[1].hypot(u[2]) > 1e-6) };
                    states[state] += 1;
                }
                // Without the slip it is another program, unless nothing slides.
                let associated = contacts.oracle(&vec![0.0; contacts.mu.len()]).expect("solved by the oracle");
                others += usize::from(contacts.difference(&r, &associated) > 1e-3);
            }
        }
    }
    println!("solved {:?}, largest differences {}", score.solved, score.worst());
    println!("open, sticking, sliding contacts: {states:?}; {others} problems differ without their slip");
    assert!(states.iter().all(|&count| count >= 20), "a state is rare: {states:?}");
    assert!(others >= 20, "slip matters in {others} problems only");
    assert_eq!(score.solved[0], 50);
    // Interior points alone lose their path on half of them.
    assert!(score.solved[1] >= 20 && score.solved[2] >= 45, "{:?}", score.solved);
}

#[test]
fn answers_of_the_oracle_in_which_nothing_slides_solve_the_friction_problem() {
    // Then De Saxcé's term is 0 and the program without it has an answer of the friction problem; with this much friction there may
    // be others, so Newton's method starts nearby.
    let mut random = Random::new(33);
    let (mut worst, mut moved, mut states) = (0.0_f64, 0.0_f64, [0; 2]);
    let (mut problems, mut others, mut given_up) = (0, 0, 0);
    for trial in 0..400 {
        let contacts = Contacts::new(&mut random, trial, |random| random.between(1.0, 3.0));
        let Some(associated) = contacts.oracle(&vec![0.0; contacts.mu.len()]) else {
            given_up += 1;
            continue;
        };
        let u = contacts.slacks(&associated);
        let slides = |(r, u): (&[f64], &[f64])| r[0] > 1e-4 && u[1].hypot(u[2]) > 1e-4;
        let closed = associated.chunks(3).filter(|r| r[0] > 1e-4).count();
        let problem = contacts.problem();
        let residual = problem.residual(&associated).relative;
        if residual.is_infinite() {
            // No impulse is an answer too, and nothing is relative to ‖F(0)‖ = 0.
            continue;
        }
        if associated.chunks(3).zip(u.chunks(3)).any(slides) {
            others += usize::from(residual > 1e-2);
            continue;
        }
        worst = worst.max(residual);
        assert!(worst < 1e-5, "problem {trial}: residual {residual:e}");
        let mut r: Vec<f64> =
            associated.iter().enumerate().map(|(k, r)| r * (1.0 + 1e-2 * (k as f64).sin())).collect();
        assert!(problem.residual(&r).relative > 1e-5, "problem {trial}: the start is the answer");
        let limits = Limits { tolerance: 1e-10, ..Limits::default() };
        Newton::default().solve(&problem, &mut r, &limits).expect("solved");
        moved = moved.max(contacts.difference(&r, &associated));
        assert!(moved < AGREEMENT, "problem {trial}: Newton's method ends {moved:e} away");
        problems += 1;
        states = [states[0] + contacts.mu.len() - closed, states[1] + closed];
        if problems == 50 {
            break;
        }
    }
    println!(
        "{problems} problems, residuals up to {worst:.1e}, Newton up to {moved:.1e} away; open, sticking {states:?}"
    );
    assert_eq!(problems, 50);
    assert!(given_up <= 5, "the oracle gives up on {given_up} problems");
    assert!(others >= 50, "answers that slide solve the friction problem in all but {others} problems");
    assert!(states[1] >= 50, "hardly anything sticks: {states:?}");
}
