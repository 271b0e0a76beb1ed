//! Corrections by blocks, for many coordinates, come to the same steps as the full matrix.

use carom_io::scene::Scene;
use carom_tests::runs::{advance, method, scene, stepper};

/// Groups of three beads in space, the first two on a spring and the last two on a rod, in a field; the groups do not see each other.
fn groups(count: usize) -> Scene {
    let mut text = String::new();
    for group in 0..count {
        for bead in 0..3 {
            let (x, y, z) = (bead as f64, 0.3 * (bead * bead) as f64, 0.1 * bead as f64);
            // Both ends of the rod alike.
            let (vx, vy, vz) = if bead == 0 { (0.2, 0.5, 0.1) } else { (-0.1, -0.25, 0.0) };
            text += &format!(
                "[[particle]]\nname = \"g{group}b{bead}\"\nmass = {}\nposition = [{x:?}, {y:?}, {z:?}]\n\
                 velocity = [{vx:?}, {vy:?}, {vz:?}]\n",
                1.0 + 0.5 * bead as f64
            );
        }
        text += &format!("[[spring]]\nbetween = [\"g{group}b0\", \"g{group}b1\"]\nstiffness = 30.0\nrest = 0.8\n");
        text += &format!("[[rod]]\nbetween = [\"g{group}b1\", \"g{group}b2\"]\n");
    }
    text += "[[field]]\npotential = \"0.5*x^2 + 0.3*y^4 + z^2*x\"\n[method]\nname = \"galerkin\"\n\
             [run]\nstep = 0.05\nsteps = 40\n";
    scene("groups", &text, &[])
}

#[test]
fn many_bodies_move_as_each_alone() {
    for options in ["degree=2", "degree=3, continuity=right-left", "degree=4, continuity=continuous", "degree=1"] {
        let step = method(&format!("galerkin {options}"));
        // 9 coordinates and a rod: the full matrix below degree 4; six groups are solved by blocks.
        let run = |count: usize| {
            let scene = groups(count);
            let (mut method, mut state) = (stepper(&scene, &step), scene.problem.initial.clone());
            let mut most = 0;
            for _ in 0..40 {
                let report = method.step(&*scene.problem.system, &mut state, 0.05).expect("it runs");
                most = most.max(report.iterations);
            }
            (state, most)
        };
        let ((alone, few), (together, most)) = (run(1), run(6));
        println!("{options}: corrections {few} and {most}");
        let mut apart = 0.0_f64;
        for group in 0..6 {
            for i in 0..9 {
                apart = apart.max((together.q[9 * group + i] - alone.q[i]).abs());
                apart = apart.max((together.p[9 * group + i] - alone.p[i]).abs());
            }
        }
        assert!(apart <= 1e-12, "{options}: {apart:e}");
        assert!(most <= 12, "{options}: {most} corrections");
    }
}

/// Steps that are too long for derivatives of their middle are solved all the same, by the full matrix.
#[test]
fn where_blocks_are_slow_the_full_matrix_takes_over() {
    let scene = groups(6);
    let mut state = scene.problem.initial.clone();
    advance(&scene, &mut *stepper(&scene, &method("galerkin degree=3")), &mut state, 0.25, 20);
    let alone = groups(1);
    let mut single = alone.problem.initial.clone();
    advance(&alone, &mut *stepper(&alone, &method("galerkin degree=3")), &mut single, 0.25, 20);
    let apart = (0..9).map(|i| (state.q[i] - single.q[i]).abs()).fold(0.0, f64::max);
    assert!(apart <= 1e-10, "{apart:e}");
}
