//! Splittings allocate nothing once warm.

use carom_lcp::corpus::{Brick, Snapshot, a_frame, wall};
use carom_lcp::solvers::pgs::Swept;
use carom_lcp::{DirectIterative, Judged, LaggedBounds, Law, Limits, Solver};

/// Allocations of the second solve of two problems of one pattern, and of the first.
fn allocations<P: Judged>(solver: &mut impl Solver<P>, problems: &[P; 2], limits: &Limits) -> (u64, u64) {
    let mut z = vec![0.0; problems[0].size()];
    let mut solve = |problem: &P| {
        z.fill(0.0);
        drop(solver.solve(problem, &mut z, limits));
    };
    let cold = allocation_counter::measure(|| problems.iter().for_each(&mut solve)).count_total;
    (allocation_counter::measure(|| problems.iter().for_each(&mut solve)).count_total, cold)
}

fn check<P: Swept>(problems: [P; 2], boxed: [P; 2]) {
    let limits = Limits { iterations: Some(4), ..Limits::default() };
    let (warm, cold) = allocations(&mut DirectIterative::default(), &problems, &limits);
    assert!(cold > 0, "the first solve makes the workspace");
    assert_eq!(warm, 0, "direct-iterative");
    let (warm, cold) = allocations(&mut LaggedBounds::default(), &boxed, &limits);
    assert!(cold > 0, "the first solve makes the workspace");
    assert_eq!(warm, 0, "lagged bounds");
}

#[test]
fn a_second_solve_of_the_same_pattern_allocates_nothing() {
    let walls = [Snapshot::Impact, Snapshot::Rest].map(|snapshot| wall(3, 2, Brick::Cube, snapshot));
    let frames = [0.8, 0.7].map(a_frame);
    for problems in [walls, frames] {
        let boxed = problems.clone().map(|problem| problem.with_law(Law::Box));
        check([problems[0].reduced(), problems[1].reduced()], [boxed[0].reduced(), boxed[1].reduced()]);
        check(problems, boxed);
    }
}
