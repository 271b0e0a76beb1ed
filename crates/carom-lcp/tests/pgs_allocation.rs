//! Projected Gauss–Seidel allocates nothing once warm.

use carom_lcp::corpus::{Brick, Snapshot, a_frame, wall};
use carom_lcp::solvers::pgs::{Options, Part, Pgs, Variant};
use carom_lcp::{Judged, Limits, Solver};

#[test]
fn a_second_solve_of_the_same_shape_allocates_nothing() {
    let limits = Limits { iterations: Some(25), ..Limits::default() };
    let problems = [wall(3, 3, Brick::Cube, Snapshot::Impact), wall(3, 3, Brick::Cube, Snapshot::Collapse)];
    let reduced = [problems[0].reduced(), problems[1].reduced()];
    for variant in [Variant::Separate, Variant::BlockProjection, Variant::BlockTangents, Variant::ExactTangents] {
        let mut pgs = Pgs::new(Options { variant, ..Options::default() });
        let mut z = vec![0.0; problems[0].size()];
        let cold = allocation_counter::measure(|| drop(pgs.solve(&problems[0], &mut z, &limits)));
        assert!(cold.count_total > 0, "the first solve makes the workspace");
        let warm = allocation_counter::measure(|| {
            z.fill(0.0);
            assert!(pgs.solve(&problems[1], &mut z, &limits).is_err());
            pgs.sweep(&problems[0], Part::Contacts, 5, &mut z, |_| {});
        });
        assert_eq!(warm.count_total, 0, "{variant:?} by bodies");
        drop(pgs.solve(&reduced[0], &mut z, &limits));
        let warm = allocation_counter::measure(|| drop(pgs.solve(&reduced[1], &mut z, &limits)));
        assert_eq!(warm.count_total, 0, "{variant:?} by the matrix");
    }
}

#[test]
fn the_same_solve_has_the_same_bits() {
    let problem = a_frame(0.8);
    let run = || {
        let mut z = vec![0.0; problem.size()];
        Pgs::default().sweep(&problem, Part::All, 200, &mut z, |_| {});
        z.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
