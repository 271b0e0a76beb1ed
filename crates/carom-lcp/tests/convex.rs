//! Convex programs with bounds: block pivoting against an interior-point oracle.

mod common;

use carom_lcp::{BlockPivot, Limits, Solver};
use common::oracle::{between, quadratic_cone_program};
use common::{Random, gram, mlcp, relative, times};

#[test]
fn a_hundred_quadratic_programs_with_bounds_agree_with_the_oracle() {
    let mut random = Random::new(11);
    let mut solver = BlockPivot::default();
    let (mut worst, mut singular) = (0.0_f64, 0);
    for trial in 0..100 {
        let n = 2 + random.below(20);
        // Every second matrix is singular: then z is not unique, but H z is.
        let rank = if trial % 2 == 0 { n } else { 1 + random.below(n - 1) };
        let b = random.matrix(n, rank);
        let h = gram(&b, if rank == n { 0.1 } else { 0.0 });
        let q = random.normals(n);
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        for i in 0..n {
            let kind = random.below(4);
            // A singular matrix needs bounds on both sides to have a least value at all.
            if kind != 1 || rank < n {
                lower[i] = random.between(-1.0, 0.0);
            }
            if kind != 2 || rank < n {
                upper[i] = random.between(0.0, 1.0);
            }
        }
        let mut z = vec![0.0; n];
        let limits = Limits { tolerance: 1e-10, ..Limits::default() };
        solver.solve(&mlcp(&h, &q, &lower, &upper), &mut z, &limits).expect("a solution");
        assert!(relative(&h, &q, &lower, &upper, &z) < 1e-10);
        let oracle = quadratic_cone_program(&h, &q, &[between(&lower, &upper)]);
        let (ours, theirs) = if rank < n {
            singular += 1;
            (times(&h, &z), times(&h, &oracle))
        } else {
            (z, oracle)
        };
        for (a, b) in ours.iter().zip(&theirs) {
            worst = worst.max((a - b).abs());
        }
        assert!(worst < 1e-6, "problem {trial}: {ours:?}\n{theirs:?}");
    }
    println!("largest difference {worst:.1e}, {singular} singular");
}
