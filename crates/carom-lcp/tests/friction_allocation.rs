//! The default friction solver allocates nothing once warm.

mod common;

use carom_lcp::corpus::{Brick, Snapshot, a_frame, tower, wall};
use carom_lcp::{Friction, FrictionDefault, GlobalFriction, Judged, Law, Limits, Solver};

/// The problem a little later: other velocities, the same contacts.
fn later(problem: &GlobalFriction, step: usize) -> GlobalFriction {
    let mut next = problem.clone();
    for (k, p) in next.saddle.p.iter_mut().enumerate() {
        *p *= 1.0 + 1e-4 * ((7 * step + k) as f64).sin();
    }
    next.renew().expect("finite numbers");
    next
}

/// Bricks side by side on the ground: components of four contacts each.
fn apart() -> GlobalFriction {
    wall(1, 4, Brick::Cube, Snapshot::Collapse)
}

/// Allocations of later steps, each from the answer of the one before, after `warm` of them.
fn allocations<P: Judged>(problems: &[P], warm: usize) -> (u64, &'static str)
where
    FrictionDefault: Solver<P>,
{
    let mut solver = FrictionDefault::default();
    let mut z = vec![0.0; problems[0].size()];
    let limits = Limits { tolerance: 1e-9, ..Limits::default() };
    let mut count = 0;
    for (step, problem) in problems.iter().enumerate() {
        let measured = allocation_counter::measure(|| {
            solver.solve(problem, &mut z, &limits).expect("solved");
        });
        if step == 0 {
            assert!(measured.count_total > 0, "the first solve makes the workspace");
        }
        if step >= warm {
            count += measured.count_total;
        }
        assert!(problem.residual(&z).relative <= 1e-9);
    }
    (count, solver.used())
}

#[test]
fn warm_steps_by_bodies_allocate_nothing() {
    for law in [Law::Cone, Law::Box] {
        for (name, first) in [
            ("a wall at rest", wall(3, 3, Brick::Cube, Snapshot::Rest)),
            ("a wall that is hit", wall(3, 3, Brick::Long, Snapshot::Impact)),
            ("an A-frame", a_frame(0.8)),
            ("a wall of 36 bricks", wall(6, 6, Brick::Cube, Snapshot::Rest)),
            ("bricks of their own", apart()),
        ] {
            let first = first.with_law(law);
            let problems: Vec<GlobalFriction> = (0..8).map(|step| later(&first, step)).collect();
            let (count, used) = allocations(&problems, 3);
            assert_eq!(count, 0, "{name}, {law:?}, solved by {used}");
        }
    }
}

#[test]
fn warm_steps_by_the_matrix_allocate_nothing() {
    for (name, first) in
        [("newton", wall(2, 2, Brick::Cube, Snapshot::Impact)), ("stick", tower(2)), ("components", apart())]
    {
        let problems: Vec<Friction> = (0..8).map(|step| later(&first, step).reduced()).collect();
        let (count, used) = allocations(&problems, 3);
        assert_eq!(count, 0, "{name}, solved by {used}");
    }
}
