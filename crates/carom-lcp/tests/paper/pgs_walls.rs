//! Walls: the problems themselves, and a thousand sweeps of projected Gauss–Seidel on each.

use carom_lcp::Judged;
use carom_lcp::corpus::{Brick, Snapshot, wall};

use crate::check::{Compared, condition, number, reference};
use crate::history::{VARIANTS, compare_history, history};

/// The walls of the reference.
pub const WALLS: [(&str, Brick, Snapshot); 4] = [
    ("wall_cube_rest", Brick::Cube, Snapshot::Rest),
    ("wall_cube_impact", Brick::Cube, Snapshot::Impact),
    ("wall_cube_collapse", Brick::Cube, Snapshot::Collapse),
    ("wall_long_rest", Brick::Long, Snapshot::Rest),
];

#[test]
fn the_walls_are_those_of_the_reference() {
    let all = reference("walls");
    let mut compared = Compared::default();
    for (name, brick, snapshot) in WALLS {
        let problem = wall(5, 4, brick, snapshot);
        let want = &all[name]["values"];
        let at_zero = problem.residual(&vec![0.0; problem.size()]).absolute;
        compared.relative(&format!("{name} F(0)"), at_zero, number(want, "F0"), 1e-9);
        // The least eigenvalue carries rounding of the largest, 7e6 times as large.
        let (a, _) = problem.saddle.schur();
        compared.relative(&format!("{name} condition"), condition(&a), number(want, "condA"), 1e-8);
        let normals: Vec<usize> = (0..problem.contacts()).map(|contact| problem.row_of(contact)).collect();
        let mut triplets = Vec::new();
        for (i, &row) in normals.iter().enumerate() {
            triplets.extend(normals.iter().enumerate().map(|(j, &column)| (i, j, a.get(row, column))));
        }
        let frictionless = carom_lcp::Sparse::from_triplets(normals.len(), normals.len(), &triplets);
        let want = number(&all[&format!("{name}_iterative")]["values"]["block_pivot_frictionless"], "condA");
        let got = condition(&frictionless.expect("a matrix"));
        compared.relative(&format!("{name} condition of the normals"), got, want, 1e-8);
    }
    compared.finish(12);
}

#[test]
fn walls_relax_as_the_reference_does() {
    let all = reference("walls");
    let mut compared = Compared::default();
    for (name, brick, snapshot) in WALLS {
        let problem = wall(5, 4, brick, snapshot);
        for (variant_name, variant) in VARIANTS {
            let want = &all[&format!("{name}_iterative")]["values"][&format!("pgs_{variant_name}_iso")];
            let history = history(&problem, variant, 1000);
            compare_history(&mut compared, &format!("{name} {variant_name}"), &history, want, [1e-2, 1e-2, 0.5]);
        }
    }
    compared.finish(304);
}
