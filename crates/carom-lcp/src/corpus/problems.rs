//! The scenes.

use super::scene::{Body, Contact, Scene, Stepping};
use crate::matrix::{Dense, Sparse};
use crate::problem::{Friction, GlobalFriction};

const UP: [f64; 3] = [0.0, 0.0, 1.0];
const DOWN: [f64; 3] = [0.0, 0.0, -1.0];

/// A box of half edges (0.5, 0.5, `half_z`) squeezed by 1e-5 m on each side between two planes, without gravity, and pushed at its
/// centre along the planes at `angle` (radians from x) with 1.25 times the force that friction can hold.
///
/// Known: every normal impulse is h·1e-5/ε = 1000/60 N s, every contact slides.
pub fn squeezed_box(mass: f64, half_z: f64, mu: f64, angle: f64) -> GlobalFriction {
    let compression = 1e-5;
    let mut scene = Scene::new(Stepping { gravity: 0.0, ..Stepping::default() });
    let push = 1.25 * mu * 8.0 * compression / scene.stepping.compliance;
    let (sin, cos) = angle.sin_cos();
    let body = Body {
        force: [push * cos, push * sin, 0.0, 0.0, 0.0, 0.0],
        ..Body::cuboid(mass, [0.5, 0.5, half_z], [0.0, 0.0, half_z - compression])
    };
    let body = scene.add(body);
    scene.touch_plane(body, [0.0; 3], UP, mu);
    scene.touch_plane(body, [0.0, 0.0, 2.0 * half_z - 2.0 * compression], DOWN, mu);
    build(&scene)
}

/// A cube of 1 kg with edges of 1 m that slides on a plane with `speed` (m/s) at `angle` (radians from x), μ = 0.5.
pub fn sliding_cube(speed: f64, angle: f64) -> GlobalFriction {
    let mut scene = Scene::default();
    let (sin, cos) = angle.sin_cos();
    let body = Body {
        velocity: [speed * cos, speed * sin, 0.0, 0.0, 0.0, 0.0],
        ..Body::cuboid(1.0, [0.5; 3], [0.0, 0.0, 0.5])
    };
    let body = scene.add(body);
    scene.touch_plane(body, [0.0; 3], UP, 0.5);
    build(&scene)
}

/// The shape of the bricks of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brick {
    /// Edges of 0.5 m.
    Cube,
    /// Edges of 2 m, 0.5 m and 0.5 m, the long one in the wall.
    Long,
}

/// What the bricks of a wall are doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshot {
    /// Nothing moves.
    Rest,
    /// One brick, the second of the third row (the last there is in a smaller wall), is hit at right angles to the wall: 5 m/s.
    Impact,
    /// Every brick moves: v_k = 0.5 sin(1.7 k + 0.3) for the k-th velocity of the wall.
    Collapse,
}

/// A wall in running bond of density 100 kg/m³ with μ = 0.5: every second row is half a brick further along x.
///
/// Bodies row by row from the ground, along x in each. Contacts: the four corners of each face that two bricks share, with the ground
/// four of each brick.
pub fn wall(rows: usize, columns: usize, brick: Brick, snapshot: Snapshot) -> GlobalFriction {
    let mu = 0.5;
    let half = match brick {
        Brick::Cube => [0.25; 3],
        Brick::Long => [1.0, 0.25, 0.25],
    };
    let mass = 100.0 * 8.0 * half.iter().product::<f64>();
    let centre = |row: usize, column: usize| {
        let shift = if row % 2 == 1 { half[0] } else { 0.0 };
        [2.0 * half[0] * column as f64 + shift, 0.0, half[2] * (2 * row + 1) as f64]
    };
    let hit = [2.min(rows.saturating_sub(1)), 1.min(columns.saturating_sub(1))];

    let mut scene = Scene::default();
    for row in 0..rows {
        for column in 0..columns {
            let mut body = Body::cuboid(mass, half, centre(row, column));
            let first = 6 * (row * columns + column);
            match snapshot {
                Snapshot::Rest => {}
                Snapshot::Impact if hit == [row, column] => body.velocity[1] = 5.0,
                Snapshot::Impact => {}
                Snapshot::Collapse => {
                    body.velocity = std::array::from_fn(|k| 0.5 * (1.7 * (first + k) as f64 + 0.3).sin());
                }
            }
            scene.add(body);
        }
    }

    let corners = |scene: &mut Scene, body: usize, other: Option<usize>, [left, right]: [f64; 2], z: f64| {
        for x in [left, right] {
            for y in [-half[1], half[1]] {
                scene.touch(Contact { body, other, point: [x, y, z], normal: UP, gap: 0.0, mu });
            }
        }
    };
    for column in 0..columns.min(rows * columns) {
        let x = centre(0, column)[0];
        corners(&mut scene, column, None, [x - half[0], x + half[0]], 0.0);
    }
    for row in 1..rows {
        for below in 0..columns {
            for above in 0..columns {
                let [a, b] = [centre(row - 1, below)[0], centre(row, above)[0]];
                let shared = [a.max(b) - half[0], a.min(b) + half[0]];
                // Neighbours share half a brick; others meet in an edge at most.
                if shared[1] - shared[0] > 0.5 * half[0] {
                    let (body, other) = (row * columns + above, (row - 1) * columns + below);
                    corners(&mut scene, body, Some(other), shared, 2.0 * half[2] * row as f64);
                }
            }
        }
    }
    build(&scene)
}

/// Two legs of 10 kg, leaning at 30° towards each other, with a load of 1000 kg joined to both tops; the feet stand on a plane, 1e-9 m
/// in it. Friction carries the thrust: it needs μ of about 0.58.
///
/// Bodies: the two legs, the load. Equalities: the joints of the first and of the second leg with the load.
pub fn a_frame(mu: f64) -> GlobalFriction {
    let angle = std::f64::consts::FRAC_PI_6;
    let half = [0.05, 0.5, 0.5];
    let depth = 1e-9;
    let (sin, cos) = angle.sin_cos();
    let height = half[0] * sin + half[2] * cos - depth;
    let mut scene = Scene::default();
    let legs = [1.0, -1.0].map(|side| {
        let body = Body::cuboid(10.0, half, [-side * half[2] * sin, 0.0, height]);
        scene.add(body.turned_about_y(side * angle))
    });
    let apex = [0.0, 0.0, height + half[2] * cos];
    // The load turns freely about the joints, which are at its centre: its radius has no effect.
    let load = scene.add(Body::sphere(1000.0, 0.1, apex));
    for leg in legs {
        scene.join([leg, load], [apex, apex]);
    }
    for leg in legs {
        scene.touch_plane(leg, [0.0; 3], UP, mu);
    }
    build(&scene)
}

/// One contact whose tangents are coupled, W = diag(1, [[2, 1], [1, 2]]), q = (−1, 1, 0), μ = 0.5: the smallest problem on which
/// scaling the answer of stick [lacoursiere-linde-2011 (98)] ends at the wrong friction.
pub fn one_contact() -> Friction {
    let rows = [vec![1.0, 0.0, 0.0], vec![0.0, 2.0, 1.0], vec![0.0, 1.0, 2.0]];
    let w = Sparse::from_dense(&Dense::from_rows(&rows).expect("rows of one length"));
    Friction::new(3, w, vec![-1.0, 1.0, 0.0], vec![0.5]).expect("a problem of three rows")
}

fn build(scene: &Scene) -> GlobalFriction {
    scene.problem().expect("the scenes have positive masses and finite numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residual::Judged;

    #[test]
    fn walls_have_the_contacts_of_running_bond() {
        for (rows, columns) in [(5, 4), (1, 3), (10, 10)] {
            let problem = wall(rows, columns, Brick::Cube, Snapshot::Rest);
            assert_eq!(problem.contacts(), 4 * (columns + (rows - 1) * (2 * columns - 1)), "{rows} x {columns}");
            assert_eq!(problem.saddle.mass.count(), rows * columns);
        }
    }

    #[test]
    fn snapshots_differ_in_velocity_only() {
        let [rest, impact] = [Snapshot::Rest, Snapshot::Impact].map(|snapshot| wall(3, 2, Brick::Long, snapshot));
        assert_eq!(rest.saddle.jacobian, impact.saddle.jacobian);
        let moved: Vec<usize> =
            (0..rest.saddle.p.len()).filter(|&k| rest.saddle.p[k] != impact.saddle.p[k]).collect();
        // The second brick of the third row, along y.
        assert_eq!(moved, [6 * 5 + 1]);
        assert_ne!(wall(3, 2, Brick::Long, Snapshot::Collapse).saddle.q, rest.saddle.q);
    }

    #[test]
    fn the_known_answer_of_the_squeezed_box_solves_it() {
        let angle = 0.3_f64;
        let problem = squeezed_box(400.0, 2.0, 0.5, angle);
        assert_eq!(problem.contacts(), 8);
        let nu = 1000.0 / 60.0;
        let answer = |mu: f64| -> Vec<f64> {
            let side = |contact: usize| if contact < 4 { 1.0 } else { -1.0 };
            (0..8).flat_map(|c| [nu, -mu * nu * angle.cos(), -mu * nu * angle.sin() * side(c)]).collect()
        };
        assert!(problem.residual(&answer(0.5)).relative < 1e-6);
        assert!(problem.residual(&answer(0.49)).relative > 1.0, "less friction than the contacts have");
    }

    #[test]
    fn the_a_frame_stands_on_two_edges() {
        let problem = a_frame(0.8);
        assert_eq!((problem.equalities, problem.contacts()), (6, 4));
        // The feet are outside the tops: both arms of the first leg's contacts point along −x.
        let contact = problem.row_of(0);
        assert!(problem.saddle.jacobian.get(contact, 4) > 0.0);
    }
}
