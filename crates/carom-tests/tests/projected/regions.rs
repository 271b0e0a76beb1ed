//! The sets of Figure 1: shares of a grid.

use std::f64::consts::PI;

use carom::projected::{Plane, Projection, Region, Regions};
use carom::system::{ContactId, System};

use super::{list, on_wall, pendulum, reference};

fn regions(system: &dyn System, zi: &[f64], cells: usize) -> Regions {
    let mut projection = Projection::new(system, ContactId(0), zi).expect("a configuration on the wall");
    let plane = Plane { coordinates: [0, 1], window: [(-PI, PI); 2], cells: [cells; 2] };
    Regions::of(&mut projection, plane)
}

#[test]
fn shares_of_the_seven_configurations_agree() {
    let scene = pendulum();
    let system = &*scene.problem.system;
    let stored = reference();
    let configurations = stored["regions_N"]["list"].as_array().unwrap();
    assert_eq!(configurations.len(), 7);
    for stored in configurations {
        let (name, zi) = (stored["name"].as_str().unwrap(), list(&stored["zi"]));
        let number = |key: &str| stored[key].as_f64().unwrap();
        let found = regions(system, &zi, 1000);
        let folded = found.folded().unwrap();
        // The same middles of cells: only those within round-off of an edge may differ.
        let near = |a: f64, b: f64, cells: f64| (a - b).abs() <= cells / (1e6 * number("frac_infeasible"));
        assert!(near(folded, number("frac_N_1000grid"), 4.0), "{name}: {folded}");
        assert!((folded - number("frac_N")).abs() <= 5e-4, "{name}: {folded}");
        let outside = 1.0 - found.share(Region::Feasible);
        assert!((outside - number("frac_infeasible")).abs() <= 1e-4, "{name}: {outside}");
        // Cells of 2π/2000 and 2π/1000 see the nearest lost point at most their diagonals apart.
        assert!((found.radius - number("radius")).abs() <= 0.01, "{name}: {}", found.radius);
        // P is not one-to-one on N: a tenth of it or more has folded over.
        let turned = found.folded_over().unwrap();
        println!("{name}: N {folded:.4}, radius {:.3}, folded over {turned:.4}", found.radius);
        assert!(turned > 0.1 && turned < 0.9, "{name}: {turned}");
        // Lemma 1, which a projection that leads nowhere would not satisfy.
        assert!(found.radius > 0.5 && folded > 0.4 && folded < 0.6, "{name}");
    }
}

#[test]
fn shares_along_the_whole_boundary_agree() {
    let scene = pendulum();
    let system = &*scene.problem.system;
    let stored = reference();
    let stored = |key: &str| stored["regions_N"]["scan120"][key].as_f64().unwrap();
    // The points of the reference are not stored; others of the same curve have its range.
    let all = (0..60).filter_map(|k| on_wall(-PI + PI * (f64::from(k) + 0.5) / 60.0, false));
    let far = (0..60).filter_map(|k| on_wall(-PI + PI * (f64::from(k) + 0.5) / 60.0, true));
    let wrap = |a: f64| a - 2.0 * PI * ((a + PI) / (2.0 * PI)).floor();
    let shares: Vec<f64> =
        all.chain(far).map(|z| regions(system, &[wrap(z[0]), wrap(z[1])], 400).folded().unwrap()).collect();
    let (least, most) = shares.iter().fold((1.0_f64, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert_eq!(shares.len(), 120);
    assert!((least - stored("min")).abs() < 2e-3, "{least}");
    assert!((most - stored("max")).abs() < 2e-3, "{most}");
    assert!((mean - stored("mean")).abs() < 2e-3, "{mean}");
}

#[test]
fn shares_depend_on_where_mass_and_gradient_are_taken() {
    let scene = pendulum();
    let system = &*scene.problem.system;
    let (straight, folded) = (on_wall(-PI / 6.0, false).unwrap(), [-PI / 6.0, -2.0 * PI / 3.0]);
    let of = |zi: &[f64]| regions(system, zi, 200).folded().unwrap();
    assert!((of(&straight) - of(&folded)).abs() > 0.1);
}

#[test]
fn a_plane_boundary_folds_everything() {
    // Corollary 3: of a linear gap N is all of the outside, whatever zi.
    let scene = carom_tests::runs::built_in("pogo-stick", &[]);
    let mut projection = Projection::new(&*scene.problem.system, ContactId(0), &[4.0, 0.0]).unwrap();
    let plane = Plane { coordinates: [0, 1], window: [(-7.0, 9.0), (-8.0, 4.0)], cells: [80, 60] };
    let found = Regions::of(&mut projection, plane);
    assert_eq!(found.folded(), Some(1.0));
    assert_eq!(found.radius, f64::INFINITY);
    assert_eq!(found.share(Region::Feasible), 1.0 / 3.0);
    assert_eq!(found.cells[0], Region::Folded);
    assert_eq!(found.cells[80 * 60 - 1], Region::Feasible);
}
