use super::*;
use crate::linear::dot;

/// An impact of point masses.
struct Impact {
    g: Sparse,
    z: Sparse,
    offset: Vec<f64>,
    restitution: Vec<f64>,
    tolerance: Vec<f64>,
}

impl Impact {
    /// With one inverse mass per coordinate.
    fn new(rows: &[Vec<f64>], inverse: &[f64]) -> Self {
        let [mut g, mut z] = [(); 2].map(|()| sparse(inverse.len(), &[]));
        for row in rows {
            g.push_row(row.iter().copied().enumerate());
            z.push_row(row.iter().zip(inverse).map(|(g, inverse)| g * inverse).enumerate());
        }
        let (offset, restitution) = (vec![0.0; rows.len()], vec![1.0; rows.len()]);
        Self { g, z, offset, restitution, tolerance: vec![1e-12; rows.len()] }
    }

    fn cone(&self) -> Cone<'_> {
        let Self { g, z, offset, restitution, tolerance } = self;
        Cone { g, z, approach: z, offset, restitution, tolerance }
    }

    fn slowest(&self, p: &[f64]) -> f64 {
        (0..self.tolerance.len()).fold(f64::INFINITY, |min, k| min.min(self.cone().speed(k, p)))
    }

    fn after(&self, law: Law, p: &[f64]) -> (Vec<f64>, Resolved) {
        let mut p = p.to_vec();
        let resolved = Resolver::new(law).resolve(&self.cone(), &mut p).expect("resolved");
        (p, resolved)
    }
}

/// Rows with all of their entries.
fn sparse(columns: usize, rows: &[&[f64]]) -> Sparse {
    let mut made = Sparse::default();
    made.restart(columns);
    rows.iter().for_each(|row| made.push_row(row.iter().copied().enumerate()));
    made
}

fn energy(p: &[f64], inverse: &[f64]) -> f64 {
    0.5 * p.iter().zip(inverse).map(|(p, inverse)| p * p * inverse).sum::<f64>()
}

/// A row of balls of unit mass on a line: neighbours touch.
fn cradle(balls: usize) -> Vec<Vec<f64>> {
    let row = |k: usize| (0..balls).map(|i| f64::from(i == k + 1) - f64::from(i == k)).collect();
    (0..balls - 1).map(row).collect()
}

fn assert_near(found: &[f64], expected: &[f64]) {
    let off = found.iter().zip(expected).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    assert!(off < 1e-12, "{found:?} {expected:?}");
}

/// Balls, their momenta, and those after each law.
type Blow<'a> = (usize, &'a [f64], &'a [f64], &'a [f64]);

#[test]
fn generalized_reflections_pass_a_blow_on_and_moreaus_spread_it() {
    let cases: [Blow; 3] = [
        (3, &[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
        (5, &[1.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 1.0, 1.0], &[-0.2, -0.2, 0.8, 0.8, 0.8]),
        (3, &[1.0, 0.0, -1.0], &[-1.0, 0.0, 1.0], &[-1.0, 0.0, 1.0]),
    ];
    for (balls, p, generalized, moreau) in cases {
        let impact = Impact::new(&cradle(balls), &vec![1.0; balls]);
        assert_near(&impact.after(Law::Generalized, p).0, generalized);
        assert_near(&impact.after(Law::Moreau, p).0, moreau);
    }
    let impact = Impact::new(&cradle(3), &[1.0, 0.5, 1.0]);
    assert_near(&impact.after(Law::Generalized, &[1.0, 0.0, 0.0]).0, &[-1.0 / 3.0, 4.0 / 9.0, 8.0 / 9.0]);
    assert_near(&impact.after(Law::Moreau, &[1.0, 0.0, 0.0]).0, &[-0.5, 1.0, 0.5]);
}

#[test]
fn a_separating_contact_makes_moreaus_printed_law_infeasible_and_not_ours() {
    let rows = [vec![1.0, 0.0], vec![-0.9, 0.4358898943540673]];
    let impact = Impact::new(&rows, &[1.0, 1.0]);
    let p = [-1.0, -1.0];
    let (printed, resolved) = impact.after(Law::MoreauLiteral, &p);
    assert_near(&printed, &[1.0, 1.0]);
    assert!(impact.slowest(&printed) < -0.46);
    assert_eq!((resolved.passes, resolved.approached), (1, 1));
    for law in [Law::Generalized, Law::Moreau, Law::Sequential] {
        let (after, _) = impact.after(law, &p);
        assert!(impact.slowest(&after) > -1e-12);
        assert!((energy(&after, &[1.0; 2]) - 1.0).abs() < 1e-14);
    }
    assert_near(&impact.after(Law::Generalized, &p).0, &[0.4848860670314553, 1.328489932968544]);
}

#[test]
fn a_particle_between_two_walls_has_no_way_out_and_the_contacts_are_named() {
    let impact = Impact::new(&[vec![1.0], vec![-1.0]], &[1.0]);
    for law in [Law::Generalized, Law::Moreau, Law::Sequential] {
        let mut p = [-1.0];
        let stuck = Resolver::new(law).resolve(&impact.cone(), &mut p).expect_err("no way out");
        assert_eq!(stuck.approached.len(), 1, "{law:?} {stuck:?}");
        assert!(stuck.passes == MOST_PASSES || law == Law::Moreau);
    }
}

/// Numbers in (−1, 1), the same on every run.
pub fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

fn unit(n: usize, random: &mut impl FnMut() -> f64) -> Vec<f64> {
    let x: Vec<f64> = (0..n).map(|_| random()).collect();
    let length = dot(&x, &x).sqrt();
    x.iter().map(|x| x / length).collect()
}

/// Unit gradients that all have a component of at least 0.05 along one direction: a cone with an interior.
fn random_impact(random: &mut impl FnMut() -> f64) -> (Impact, Vec<f64>, Vec<f64>) {
    let n = 1 + ((random() + 1.0) * 4.0) as usize;
    let m = 1 + ((random() + 1.0) * 6.0) as usize;
    let (n, m) = (n.min(8), m.min(12));
    let inside = unit(n, random);
    let mut rows = Vec::new();
    while rows.len() < m {
        let row = unit(n, random);
        if dot(&row, &inside) >= 0.05 {
            rows.push(row);
        }
    }
    let (inverse, p) = (vec![1.0; n], unit(n, random));
    (Impact::new(&rows, &inverse), p, inverse)
}

#[test]
fn ten_thousand_random_cones_keep_their_energy_and_end_feasible() {
    let mut random = numbers(1);
    let (mut most, mut reflected, mut printed_infeasible, mut worst) = (0, 0, 0, 0.0_f64);
    for _ in 0..10_000 {
        let (impact, p, inverse) = random_impact(&mut random);
        for law in [Law::Generalized, Law::Moreau, Law::Sequential] {
            let (after, resolved) = impact.after(law, &p);
            assert_eq!(resolved.approached, 0);
            worst = worst.max((energy(&after, &inverse) - energy(&p, &inverse)).abs());
            assert!(impact.slowest(&after) >= -1e-12, "{law:?}");
            if law == Law::Generalized {
                most = most.max(resolved.passes);
                reflected += u32::from(resolved.passes > 0);
            }
        }
        let (printed, resolved) = impact.after(Law::MoreauLiteral, &p);
        let infeasible = impact.slowest(&printed) < -1e-9;
        assert_eq!(infeasible, resolved.approached > 0);
        worst = worst.max((energy(&printed, &inverse) - energy(&p, &inverse)).abs());
        printed_infeasible += u32::from(infeasible);
    }
    println!(
        "{reflected} reflections, at most {most} passes, energy to {worst:.1e}; printed law infeasible {printed_infeasible}"
    );
    assert!(worst <= 1e-12);
    assert!(most < MOST_PASSES);
    // Negative control: the test can tell a law that ends infeasible.
    assert!(reflected > 5000 && printed_infeasible > 1000);
}

#[test]
fn moreaus_printed_law_is_the_repaired_one_unless_a_contact_separates() {
    let mut random = numbers(5);
    let (mut reflected, mut separating, mut different, mut infeasible) = (0, 0, 0, 0);
    for _ in 0..4000 {
        let (impact, p, _) = random_impact(&mut random);
        // Turned around, a momentum that approaches no contact separates from none.
        let all: Vec<f64> = impact.after(Law::Generalized, &p).0.iter().map(|p| -p).collect();
        let (repaired, printed) = (impact.after(Law::Moreau, &all), impact.after(Law::MoreauLiteral, &all));
        assert_eq!(repaired, printed);
        reflected += u32::from(printed.1.passes > 0);
        // Negative control: a contact that separates makes them different.
        let (repaired, printed) = (impact.after(Law::Moreau, &p), impact.after(Law::MoreauLiteral, &p));
        let separates = (0..impact.tolerance.len()).any(|k| impact.cone().speed(k, &p) > 0.0);
        separating += u32::from(separates && printed.1.passes > 0);
        let off = repaired.0.iter().zip(&printed.0).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        different += u32::from(off > 1e-9);
        infeasible += u32::from(printed.1.approached > 0);
        // An impulse at a contact that separates turns it around: different and infeasible are the same.
        assert_eq!(off > 1e-9, printed.1.approached > 0);
        assert!(separates || repaired == printed);
    }
    println!(
        "{reflected} equal; {separating} with separating contacts, {different} of them different, {infeasible} infeasible"
    );
    assert!(reflected > 3900 && different > 1000 && infeasible > 1000);
}

#[test]
fn moreaus_repaired_law_is_the_generalized_one_unless_a_contact_is_exactly_tangent() {
    let mut random = numbers(7);
    let (mut reflected, mut tangent, mut different) = (0, 0, 0);
    for _ in 0..4000 {
        let (mut impact, p, inverse) = random_impact(&mut random);
        let (generalized, repaired) = (impact.after(Law::Generalized, &p), impact.after(Law::Moreau, &p));
        assert_eq!(generalized, repaired);
        reflected += u32::from(repaired.1.passes > 0);
        // Negative control: one more contact, exactly tangent, that the first impulse pushes into.
        let mut row = unit(p.len(), &mut random);
        let along = dot(&row, &p);
        row.iter_mut().zip(&p).for_each(|(row, p)| *row -= along * p);
        if generalized.1.passes == 0 || dot(&row, &generalized.0) > -0.1 {
            continue;
        }
        impact.g.push_row(row.iter().copied().enumerate());
        impact.z.push_row(row.iter().zip(&inverse).map(|(g, inverse)| g * inverse).enumerate());
        for (list, value) in
            [(&mut impact.offset, 0.0), (&mut impact.restitution, 1.0), (&mut impact.tolerance, 1e-12)]
        {
            list.push(value);
        }
        let after = |law| {
            let mut p = p.clone();
            Resolver::new(law).resolve(&impact.cone(), &mut p).ok().map(|_| p)
        };
        if let (Some(generalized), Some(repaired)) = (after(Law::Generalized), after(Law::Moreau)) {
            tangent += 1;
            let off = generalized.iter().zip(&repaired).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
            different += u32::from(off > 1e-9);
        }
    }
    println!("{reflected} equal; {tangent} with a tangent contact, {different} of them different");
    assert!(reflected > 2000 && tangent > 200 && different > tangent / 2);
}

#[test]
fn restitution_takes_the_energy_that_it_says() {
    let mut random = numbers(3);
    let mut unequal = 0;
    for trial in 0..2000 {
        let (mut impact, p, inverse) = random_impact(&mut random);
        let common = 0.5 * (random() + 1.0);
        for e in &mut impact.restitution {
            *e = if trial % 2 == 0 { common } else { 0.5 * (random() + 1.0) };
        }
        for law in [Law::Generalized, Law::Moreau, Law::Sequential] {
            let (after, resolved) = impact.after(law, &p);
            let change = energy(&after, &inverse) - energy(&p, &inverse);
            assert!((change - resolved.work).abs() < 1e-13 && resolved.work <= 0.0, "{change} {resolved:?}");
            assert!(impact.slowest(&after) >= -1e-12);
            unequal += u32::from(trial % 2 == 1 && resolved.passes > 0);
        }
    }
    assert!(unequal > 1000);
    let mut wall = Impact::new(&[vec![1.0]], &[0.5]);
    wall.restitution[0] = 0.5;
    let (after, resolved) = wall.after(Law::Generalized, &[-4.0]);
    assert_eq!((after[0], resolved.work), (2.0, -3.0));
}

#[test]
fn a_metric_of_its_own_keeps_its_energy_and_chooses_by_its_velocity() {
    // E = ½pᵀAp with A = [[2, 1], [1, 1]]: the contact p₁ ≥ 0 is approached where 2p₁ + p₂ < 0.
    let [g, z, plain] = [[1.0, 0.0], [2.0, 1.0], [1.0, 0.0]].map(|row| sparse(2, &[&row]));
    let (restitution, tolerance) = ([1.0], [1e-12]);
    let energy = |p: &[f64]| 0.5 * (2.0 * p[0] * p[0] + 2.0 * p[0] * p[1] + p[1] * p[1]);
    let own = Cone { g: &g, z: &z, approach: &z, offset: &[0.0], restitution: &restitution, tolerance: &tolerance };
    let mut p = [1.0, -3.0];
    let before = energy(&p);
    assert_eq!(Resolver::default().resolve(&own, &mut p).expect("resolved").passes, 1);
    assert!((energy(&p) - before).abs() < 1e-14 && p[1] == -3.0 && 2.0 * p[0] + p[1] > 0.0);
    // The printed choice: p₁ < 0, but an impulse that keeps E would have to pull.
    let literal = Cone { approach: &plain, ..own };
    let mut p = [-1.0, 3.0];
    assert!(Resolver::default().resolve(&literal, &mut p).is_err());
    assert_eq!(p, [-1.0, 3.0]);
    assert_eq!(Resolver::default().resolve(&own, &mut p).expect("separates").passes, 0);
}

#[test]
fn a_contact_on_something_that_moves_is_left_with_the_speed_it_was_approached_with() {
    // A wall that comes closer with speed 2: a particle at rest is hit, one that flees faster is not.
    let mut impact = Impact::new(&[vec![1.0]], &[0.5]);
    impact.offset[0] = -2.0;
    assert_eq!(impact.after(Law::Generalized, &[0.0]).0, [8.0]);
    assert_eq!(impact.after(Law::Generalized, &[5.0]).1.passes, 0);
}
