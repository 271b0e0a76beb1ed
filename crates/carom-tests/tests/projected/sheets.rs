//! The map itself: projection, Jacobian, preimages and the fold.

use carom::projected::{Projection, Region};
use carom::system::ContactId;

use super::{largest, on_wall, pendulum};

#[test]
fn the_jacobian_is_that_of_the_projection() {
    let scene = pendulum();
    let zi = on_wall(-0.5, false).unwrap();
    let mut projection = Projection::new(&*scene.problem.system, ContactId(0), &zi).unwrap();
    let e = 1e-5;
    for z in [[zi[0] - 0.2, zi[1] - 0.1], [zi[0] + 0.1, zi[1] + 0.2], [-1.2, -0.4], [0.3, 0.2]] {
        let mut jacobian = [0.0; 4];
        projection.jacobian(&z, &mut jacobian);
        for column in 0..2 {
            let mut at = |sign: f64| {
                let (mut moved, mut image) = (z, [0.0; 2]);
                moved[column] += sign * e;
                projection.project(&moved, &mut image);
                image
            };
            let (plus, minus) = (at(1.0), at(-1.0));
            for row in 0..2 {
                let slope = (plus[row] - minus[row]) / (2.0 * e);
                assert!((slope - jacobian[2 * row + column]).abs() < 1e-9, "{z:?}: {slope} for {jacobian:?}");
            }
        }
    }
}

#[test]
fn at_the_impact_the_jacobian_is_the_reflection() {
    let scene = pendulum();
    let zi = on_wall(-0.5, false).unwrap();
    let mut projection = Projection::new(&*scene.problem.system, ContactId(0), &zi).unwrap();
    let (mut reflection, mut jacobian) = ([0.0; 4], [0.0; 4]);
    projection.reflection().matrix(&mut reflection);
    for distance in [1e-3, 1e-5, 1e-7] {
        projection.jacobian(&[zi[0] - distance, zi[1]], &mut jacobian);
        let off = largest(&reflection, &jacobian);
        assert!(off < 4.0 * distance && off > 0.01 * distance, "{off:e} at {distance:e}");
    }
    projection.jacobian(&zi.map(|z| z + 1e-7), &mut jacobian);
    assert_eq!(jacobian, [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn a_preimage_comes_back_and_the_feasible_set_is_fixed() {
    let scene = pendulum();
    let zi = on_wall(-0.5, false).unwrap();
    let mut projection = Projection::new(&*scene.problem.system, ContactId(0), &zi).unwrap();
    let mut image = [0.0; 2];
    let (mut seen, mut folded_over, mut again) = (0, 0, [0.0; 2]);
    for i in 0..40 {
        for j in 0..40 {
            let z = [zi[0] - 0.4 + 0.02 * f64::from(i), zi[1] - 0.4 + 0.02 * f64::from(j)];
            projection.project(&z, &mut image);
            match projection.region(&z) {
                Region::Feasible => assert_eq!(image, z),
                Region::Folded => {
                    let back = projection.preimage(&image).expect("a preimage, z itself or another");
                    let mut slopes = [0.0; 4];
                    projection.jacobian(&z, &mut slopes);
                    let direct = slopes[0] * slopes[3] - slopes[1] * slopes[2] < 0.0;
                    assert_eq!(projection.keeps_sheet(&z), direct, "{z:?}");
                    if direct {
                        assert!(largest(&back, &z) < 1e-12, "{z:?}: {back:?}");
                        seen += 1;
                    } else {
                        // P is not one-to-one on N: two points of N have this image.
                        projection.project(&back, &mut again);
                        assert!(largest(&again, &image) < 1e-14 && largest(&back, &z) > 0.01, "{z:?}: {back:?}");
                        folded_over += 1;
                    }
                }
                Region::Lost => panic!("{z:?}: all points here are folded"),
            }
        }
    }
    assert!(seen > 500 && folded_over > 10, "{seen} {folded_over}");
    assert_eq!(projection.preimage(&zi.map(|z| z - 0.1)), None, "a point outside of C is no image");
}

#[test]
fn beyond_the_fold_there_is_no_preimage() {
    let scene = pendulum();
    let zi = on_wall(-0.5, false).unwrap();
    let system = &*scene.problem.system;
    let mut projection = Projection::new(system, ContactId(0), &zi).unwrap();
    let mut w = [0.0; 2];
    projection.project(&[zi[0] - 0.01, zi[1]], &mut w);
    let gap = projection.gap(&[zi[0] - 0.01, zi[1]]);
    let w = [(w[0] - zi[0] + 0.01) / (-2.0 * gap), (w[1] - zi[1]) / (-2.0 * gap)];
    // Along the line through zi in the direction of P, f(s) = 2φ(zi + c w + s w) − s has its least value where det P' = 0.
    // Sampled densely it tells which images have preimages, and how many.
    let (mut with, mut without, mut last_with) = (0, 0, 0.0);
    for k in 1..200 {
        let c = 0.01 * f64::from(k);
        let q = [zi[0] + c * w[0], zi[1] + c * w[1]];
        if projection.gap(&q) <= 0.0 {
            break;
        }
        let f =
            |s: f64, projection: &mut Projection<_>| 2.0 * projection.gap(&[q[0] + s * w[0], q[1] + s * w[1]]) - s;
        let values: Vec<f64> = (1..40_000).map(|k| f(-1e-4 * f64::from(k), &mut projection)).collect();
        let roots: Vec<usize> = (1..values.len()).filter(|&k| (values[k] < 0.0) != (values[k - 1] < 0.0)).collect();
        match projection.preimage(&q) {
            Some(z) => {
                let s = (z[0] - q[0]) / w[0];
                let first = -1e-4 * (roots[0] as f64 + 1.0);
                assert!((s - first).abs() < 2e-4, "the root next to C: {s} for {first}");
                (with, last_with) = (with + 1, c);
            }
            None => {
                assert!(roots.is_empty(), "c = {c}: {roots:?}");
                without += 1;
            }
        }
    }
    assert!(with > 10 && without > 10 && last_with > 0.1, "{with} {without} {last_with}");
}
