//! Friction problems by every solver: walls of bricks and the A-frame, from nothing. `cargo bench -p carom-bench --bench friction`;
//! times are the best of interleaved rounds, ratios are to Newton's method, residuals are relative.

use std::hint::black_box;
use std::time::Instant;

use carom_lcp::corpus::{Brick, Snapshot, a_frame, wall};
use carom_lcp::solvers::pgs::{Options, Part, Variant};
use carom_lcp::{
    BlockPivot, DirectIterative, FrictionDefault, GlobalFriction, Interior, Judged, Limits, Newton, Pgs, Solved,
    Solver, Unsolved,
};

/// Rounds in which the solvers take turns.
const ROUNDS: usize = 3;

/// Sweeps of projected Gauss–Seidel.
const SWEEPS: usize = 100;

/// The snapshots of a wall, with their names.
const SNAPSHOTS: [(&str, Snapshot); 3] =
    [("rest", Snapshot::Rest), ("impact", Snapshot::Impact), ("collapse", Snapshot::Collapse)];

/// A solver, its name and when it stops.
struct Candidate {
    name: &'static str,
    solver: Box<dyn Solver<GlobalFriction>>,
    limits: Limits,
}

fn candidates() -> Vec<Candidate> {
    let swept = |variant: Variant| Box::new(Pgs::new(Options { variant, ..Options::default() }));
    let solved = Limits::default();
    // A fixed amount of work, whatever it reaches.
    let sweeps = Limits { tolerance: 0.0, iterations: Some(SWEEPS), deadline: None };
    let couplings = Limits { tolerance: 0.0, ..Limits::default() };
    let candidate = |name, solver, limits| Candidate { name, solver, limits };
    vec![
        candidate("newton", Box::<Newton>::default(), solved),
        candidate("interior", Box::<Interior>::default(), solved),
        candidate("default", Box::<FrictionDefault>::default(), solved),
        candidate("pgs, exact tangents, 100 sweeps", swept(Variant::ExactTangents), sweeps),
        candidate("pgs, exact cone, 100 sweeps", swept(Variant::ExactCone), sweeps),
        candidate("direct-iterative, 5 x 15", Box::<DirectIterative>::default(), couplings),
    ]
}

/// Iterations and relative residual, whether solved or not.
fn reached(outcome: Result<Solved, Unsolved>) -> (usize, f64) {
    match outcome {
        Ok(solved) => (solved.iterations, solved.residual.relative),
        Err(unsolved) => (unsolved.iterations, unsolved.residual.relative),
    }
}

/// A table of all solvers on one problem.
fn table(title: &str, problem: &GlobalFriction) {
    let mut candidates = candidates();
    let mut rows = vec![(f64::INFINITY, 0, 0.0); candidates.len()];
    let mut z = vec![0.0; problem.size()];
    for _ in 0..ROUNDS {
        for (Candidate { solver, limits, .. }, row) in candidates.iter_mut().zip(&mut rows) {
            z.fill(0.0);
            let began = Instant::now();
            let outcome = solver.solve(black_box(problem), &mut z, limits);
            let seconds = began.elapsed().as_secs_f64();
            let (iterations, residual) = reached(outcome);
            *row = (row.0.min(seconds), iterations, residual);
        }
    }
    println!("{title}: {} bodies, {} contacts", problem.saddle.mass.count(), problem.contacts());
    for (Candidate { name, .. }, (seconds, iterations, residual)) in candidates.iter().zip(&rows) {
        let (time, ratio) = (1e3 * seconds, seconds / rows[0].0);
        println!("  {name:<32} {time:>9.2} ms {ratio:>7.2} x {iterations:>6} iterations  residual {residual:.1e}");
    }
    println!();
}

/// The normals of a wall alone: sparse factors beside the dense Schur complement, both from nothing and from the answer.
fn normals() {
    let problem = wall(10, 10, Brick::Cube, Snapshot::Collapse).frictionless();
    let reduced = problem.reduced();
    let limits = Limits::default();
    let (mut sparse, mut dense) = (BlockPivot::default(), BlockPivot::default());
    let mut best = [f64::INFINITY; 4];
    let mut pivots = [0; 4];
    let mut z = vec![0.0; problem.size()];
    for _ in 0..ROUNDS {
        for way in 0..4 {
            if way % 2 == 0 {
                z.fill(0.0);
            }
            let began = Instant::now();
            let outcome = match way {
                0 | 1 => sparse.solve(black_box(&problem), &mut z, &limits),
                _ => dense.solve(black_box(&reduced), &mut z, &limits),
            };
            best[way] = best[way].min(began.elapsed().as_secs_f64());
            pivots[way] = outcome.expect("solved").iterations;
        }
    }
    println!("normals of a collapsing wall of 10 x 10 cubes: {} rows, block pivoting", z.len());
    for (way, name) in ["sparse", "sparse, warm", "dense", "dense, warm"].into_iter().enumerate() {
        let (time, ratio) = (1e3 * best[way], best[way] / best[0]);
        println!("  {name:<32} {time:>9.2} ms {ratio:>7.2} x {:>6} factorisations", pivots[way]);
    }
    println!();
}

/// Allocations of sweeps, splittings and block pivots once warm: none.
fn allocations() {
    let problem = wall(10, 10, Brick::Cube, Snapshot::Collapse);
    let normals = problem.frictionless();
    let (mut pgs, mut splitting, mut pivot) = (Pgs::default(), DirectIterative::default(), BlockPivot::default());
    let (mut z, mut nu) = (vec![0.0; problem.size()], vec![0.0; normals.size()]);
    let mut counts = [0; 3];
    // The first round makes the workspaces.
    for _ in 0..2 {
        z.fill(0.0);
        nu.fill(0.0);
        let count = |work: &mut dyn FnMut()| allocation_counter::measure(work).count_total;
        counts = [
            count(&mut || pgs.sweep(&problem, Part::All, SWEEPS, &mut z, |_| {})),
            count(&mut || drop(splitting.solve(&problem, &mut z, &Limits::default()))),
            count(&mut || drop(pivot.solve(&normals, &mut nu, &Limits::default()))),
        ];
    }
    println!(
        "allocations once warm: {} in sweeps, {} in splittings, {} in block pivots",
        counts[0], counts[1], counts[2]
    );
    assert_eq!(counts, [0; 3]);
}

fn main() {
    for (rows, columns) in [(5, 4), (10, 10)] {
        for (shape, brick) in [("cubes", Brick::Cube), ("long bricks", Brick::Long)] {
            for (doing, snapshot) in SNAPSHOTS {
                let title = format!("wall of {rows} x {columns} {shape}, {doing}");
                table(&title, &wall(rows, columns, brick, snapshot));
            }
        }
    }
    table("A-frame, mu = 0.8", &a_frame(0.8));
    normals();
    allocations();
}
