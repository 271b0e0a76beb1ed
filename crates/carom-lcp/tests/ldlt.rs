//! Sparse LDLᵀ of quasi-definite matrices, against the reference of the 1:1000 chain and against itself.

use carom_lcp::corpus::chain;
use carom_lcp::ldlt::{Ldlt, Place};
use carom_lcp::{Blocks, Dense, Saddle, Sparse};
use serde_json::Value;

/// Bodies and coordinates of the reference: 10 points in the plane, the last 1000 times as heavy.
const BODIES: usize = 10;
const COORDINATES: usize = 20;

/// The reference's T, and its name there.
const TS: [(f64, &str); 5] = [(1e-2, "0.01"), (1e-5, "1e-05"), (1e-8, "1e-08"), (1e-11, "1e-11"), (1e-14, "1e-14")];

/// The rows of the chain that are there twice.
const TWICE: [usize; 3] = [0, 4, 9];

/// K of the chain of the reference, straight at 30 degrees: distances between neighbours, the first from the origin.
fn heavy_chain(duplicated: bool, t: f64) -> Saddle {
    let mass = |body| if body + 1 == BODIES { 1000.0 } else { 1.0 };
    let block = |body| Dense::from_rows(&[vec![mass(body), 0.0], vec![0.0, mass(body)]]).expect("a matrix");
    let direction = [30_f64.to_radians().sin(), -30_f64.to_radians().cos()];
    let rows: Vec<usize> = (0..BODIES).chain(TWICE.iter().copied().filter(|_| duplicated)).collect();
    let mut triplets = Vec::new();
    for (row, &link) in rows.iter().enumerate() {
        for axis in 0..2 {
            triplets.push((row, 2 * link + axis, direction[axis]));
            if link > 0 {
                triplets.push((row, 2 * link - 2 + axis, -direction[axis]));
            }
        }
    }
    let masses = Blocks::from_blocks(&(0..BODIES).map(block).collect::<Vec<_>>()).expect("square blocks");
    let jacobian = Sparse::from_triplets(rows.len(), COORDINATES, &triplets).expect("entries inside");
    let p = (0..COORDINATES).map(|k| (1.7 * k as f64 + 0.3).sin()).collect();
    let q = (0..rows.len()).map(|k| (0.9 * k as f64).cos()).collect();
    Saddle::new(masses, jacobian, vec![t; rows.len()], p, q).expect("a problem")
}

fn bodies_first(saddle: &Saddle) -> Vec<usize> {
    (0..saddle.p.len() + saddle.q.len()).collect()
}

fn constraints_first(saddle: &Saddle) -> Vec<usize> {
    let (n, m) = (saddle.p.len(), saddle.q.len());
    (n..n + m).chain(0..n).collect()
}

/// 60 orders, always the same.
fn shuffled(size: usize) -> Vec<Vec<usize>> {
    let mut state = 1_u64;
    let mut below = move |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut order: Vec<usize> = (0..size).collect();
    (0..60)
        .map(|_| {
            (1..size).rev().for_each(|k| order.swap(k, below(k + 1)));
            order.clone()
        })
        .collect()
}

fn all(saddle: &Saddle) -> Vec<bool> {
    vec![true; saddle.q.len()]
}

/// K as it is, dense.
fn matrix(saddle: &Saddle) -> Dense {
    let (n, m) = (saddle.p.len(), saddle.q.len());
    let mut k = Dense::zeros(n + m, n + m);
    for b in 0..saddle.mass.count() {
        let range = saddle.mass.range(b);
        for i in range.clone() {
            for j in range.clone() {
                k[(i, j)] = saddle.mass.block(b)[(i - range.start) * range.len() + j - range.start];
            }
        }
    }
    for row in 0..m {
        for (column, value) in saddle.jacobian.row(row) {
            (k[(n + row, column)], k[(column, n + row)]) = (value, value);
        }
        k[(n + row, n + row)] = -saddle.t[row];
    }
    k
}

/// max |L D Lᵀ − P K Pᵀ| / max |K|.
fn backward_error(saddle: &Saddle, ldlt: &Ldlt) -> f64 {
    let (k, l, d) = (matrix(saddle), ldlt.lower().to_dense(), ldlt.pivots().collect::<Vec<_>>());
    let largest = k.values().iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let mut worst = 0.0_f64;
    for (i, &row) in ldlt.order().iter().enumerate() {
        for (j, &column) in ldlt.order().iter().enumerate() {
            let product: f64 = (0..d.len()).map(|s| l[(i, s)] * d[s] * l[(j, s)]).sum();
            worst = worst.max((product - k[(row, column)]).abs());
        }
    }
    worst / largest
}

/// max |b − K x| / (|K| |x| + |b|), row by row.
fn componentwise_error(saddle: &Saddle, right: &[f64], x: &[f64]) -> f64 {
    let k = matrix(saddle);
    let error = |row: usize| {
        let terms = || k.row(row).iter().zip(x).map(|(k, x)| k * x);
        (right[row] - terms().sum::<f64>()).abs() / (right[row].abs() + terms().map(f64::abs).sum::<f64>())
    };
    (0..x.len()).map(error).fold(0.0, f64::max)
}

/// (−p, −q): the right-hand side whose solution is (v, −z) with w = 0.
fn right(saddle: &Saddle) -> Vec<f64> {
    saddle.p.iter().chain(&saddle.q).map(|value| -value).collect()
}

fn reference(duplicated: bool, t: &str, key: &str) -> f64 {
    let text = include_str!("reference/quasidefinite_ldlt.json");
    let reference: Value = serde_json::from_str(text).expect("JSON");
    let name = format!("dup={},T={t}", if duplicated { "True" } else { "False" });
    reference["values"][&name][key].as_f64().unwrap_or_else(|| panic!("{name} has no number {key}"))
}

#[test]
fn every_order_has_as_many_positive_pivots_as_coordinates() {
    for duplicated in [false, true] {
        for (t, name) in TS {
            let saddle = heavy_chain(duplicated, t);
            let m = saddle.q.len();
            let mut right_inertia = 0;
            for order in shuffled(COORDINATES + m) {
                let mut ldlt = Ldlt::with_order(&saddle, order).expect("an order");
                ldlt.factor(&all(&saddle)).unwrap_or_else(|wrong| panic!("T = {t}, {m} rows: {wrong}"));
                let positive = ldlt.pivots().filter(|pivot| *pivot > 0.0).count();
                let negative = ldlt.pivots().filter(|pivot| *pivot < 0.0).count();
                right_inertia += usize::from([positive, negative] == [COORDINATES, m]);
            }
            assert_eq!(right_inertia as f64, reference(duplicated, name, "inertia_ok"), "T = {t}, {m} rows");
        }
    }
}

#[test]
fn factors_are_exact_to_round_off_where_bodies_come_first_and_grow_like_one_over_t_otherwise() {
    for duplicated in [false, true] {
        for (t, name) in TS {
            let saddle = heavy_chain(duplicated, t);
            let error = |order: Vec<usize>| {
                let mut ldlt = Ldlt::with_order(&saddle, order).expect("an order");
                ldlt.factor(&all(&saddle)).expect("quasi-definite");
                backward_error(&saddle, &ldlt)
            };
            let first = error(bodies_first(&saddle));
            assert!(first <= 1e-18, "T = {t}: bodies first has {first:e}");
            let last = error(constraints_first(&saddle));
            let expected = reference(duplicated, name, "constraints_first_backward_err");
            assert!(last > expected / 10.0 && last < expected * 10.0, "T = {t}: {last:e} against {expected:e}");
        }
    }
}

#[test]
fn the_order_chosen_for_the_chain_is_exact_to_round_off() {
    for duplicated in [false, true] {
        for (t, _) in TS {
            let saddle = heavy_chain(duplicated, t);
            let mut ldlt = Ldlt::analyse(&saddle);
            ldlt.factor(&all(&saddle)).expect("quasi-definite");
            let error = backward_error(&saddle, &ldlt);
            assert!(error <= 1e-18, "T = {t}: {error:e}");
        }
    }
}

#[test]
fn rows_that_depend_on_each_other_without_t_are_an_error_that_names_one() {
    let saddle = heavy_chain(true, 0.0);
    let mut orders = shuffled(COORDINATES + saddle.q.len());
    orders.push(Ldlt::analyse(&saddle).order().to_vec());
    for order in orders {
        let mut ldlt = Ldlt::with_order(&saddle, order).expect("an order");
        assert!(ldlt.factor(&all(&saddle)).is_err());
    }
    let mut ldlt = Ldlt::with_order(&saddle, bodies_first(&saddle)).expect("an order");
    let wrong = ldlt.factor(&all(&saddle)).expect_err("singular");
    let Place::Constraint(row) = wrong.place else { panic!("{wrong}") };
    assert!(row >= BODIES, "{wrong}, but row {row} depends only on rows after it");
    assert!(wrong.to_string().contains(&format!("row {row}")), "{wrong}");
}

#[test]
fn pivots_that_are_round_off_are_an_error_until_their_rows_are_left_out() {
    let saddle = heavy_chain(true, 0.0);
    let mut ldlt = Ldlt::with_order(&saddle, bodies_first(&saddle)).expect("an order");
    let once: Vec<bool> = (0..saddle.q.len()).map(|row| row < BODIES).collect();
    // Multiples of other rows, up to round-off: what is left of the pivot has either sign.
    for step in 1..60 {
        let (mut scaled, factor) = (saddle.clone(), 1.0 + 0.01 * step as f64);
        let first: usize = (0..BODIES).map(|row| saddle.jacobian.row_parts(row).0.len()).sum();
        scaled.jacobian.values_mut()[first..].iter_mut().for_each(|value| *value *= factor);
        ldlt.load(&scaled).expect("the same pattern");
        assert!(ldlt.factor(&all(&saddle)).is_err(), "rows {factor} times as large as others");
        ldlt.factor(&once).expect("full rank");
    }
}

#[test]
fn without_t_the_rows_of_a_chain_can_be_factored_only_behind_their_bodies() {
    let saddle = heavy_chain(false, 0.0);
    Ldlt::analyse(&saddle).factor(&all(&saddle)).expect("full rank and bodies first");
    let mut ldlt = Ldlt::with_order(&saddle, constraints_first(&saddle)).expect("an order");
    assert_eq!(ldlt.factor(&all(&saddle)).map_err(|wrong| wrong.place), Err(Place::Constraint(0)));
}

#[test]
fn the_answer_makes_every_slack_vanish() {
    for saddle in [heavy_chain(true, 1e-5), chain(50, 1.6e-5)] {
        let (n, mut ldlt) = (saddle.p.len(), Ldlt::analyse(&saddle));
        let mut x = vec![0.0; n + saddle.q.len()];
        ldlt.factor(&all(&saddle)).expect("quasi-definite");
        ldlt.solve(&right(&saddle), &mut x);
        let z: Vec<f64> = x[n..].iter().map(|value| -value).collect();
        let largest = z.iter().fold(1.0_f64, |largest, value| largest.max(value.abs()));
        let mut w = vec![0.0; z.len()];
        saddle.slacks(&z, &mut w);
        assert!(w.iter().all(|w| w.abs() < 1e-12 * largest), "{w:?}");
    }
}

#[test]
fn rows_left_out_leave_the_answer_of_the_smaller_problem() {
    let whole = heavy_chain(true, 1e-5);
    let active: Vec<bool> = (0..whole.q.len()).map(|row| row % 3 != 1).collect();
    let kept: Vec<usize> = (0..whole.q.len()).filter(|&row| active[row]).collect();
    let entries = |(row, &from): (usize, &usize)| {
        whole.jacobian.row(from).map(move |(column, value)| (row, column, value)).collect::<Vec<_>>()
    };
    let triplets: Vec<_> = kept.iter().enumerate().flat_map(entries).collect();
    let jacobian = Sparse::from_triplets(kept.len(), COORDINATES, &triplets).expect("entries inside");
    let pick = |values: &[f64]| kept.iter().map(|&row| values[row]).collect::<Vec<_>>();
    let smaller = Saddle::new(whole.mass.clone(), jacobian, pick(&whole.t), whole.p.clone(), pick(&whole.q));
    let smaller = smaller.expect("a problem");

    let (mut small, mut y) = (Ldlt::analyse(&smaller), vec![0.0; COORDINATES + kept.len()]);
    small.factor(&all(&smaller)).expect("quasi-definite");
    small.solve(&right(&smaller), &mut y);

    for order in [bodies_first(&whole), constraints_first(&whole), Ldlt::analyse(&whole).order().to_vec()] {
        let mut ldlt = Ldlt::with_order(&whole, order).expect("an order");
        let mut x = vec![f64::NAN; COORDINATES + whole.q.len()];
        ldlt.factor(&active).expect("quasi-definite");
        ldlt.solve(&right(&whole), &mut x);
        let (v, z) = x.split_at(COORDINATES);
        for (a, b) in v.iter().copied().chain(pick(z)).zip(&y) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} where the smaller problem has {b}");
        }
        assert!((0..z.len()).all(|row| active[row] || z[row] == 0.0), "{z:?}");
        ldlt.factor(&all(&whole)).expect("quasi-definite");
        ldlt.solve(&right(&whole), &mut x);
        assert!((x[0] - y[0]).abs() > 1e-6, "the rows left out make no difference");
    }
}

#[test]
fn factoring_again_gives_the_same_bits() {
    let (saddle, other) = (chain(20, 1e-5), chain(20, 1e-3));
    let (mut ldlt, mut x) = (Ldlt::analyse(&saddle), vec![0.0; 20 * 9]);
    let mut run = |saddle: &Saddle, active: &[bool]| {
        ldlt.load(saddle).expect("the same pattern");
        ldlt.factor(active).expect("quasi-definite");
        ldlt.solve(&right(saddle), &mut x);
        x.iter().chain(&ldlt.pivots().collect::<Vec<_>>()).map(|value| value.to_bits()).collect::<Vec<_>>()
    };
    let some: Vec<bool> = (0..60).map(|row| row % 7 != 0).collect();
    let first = run(&saddle, &all(&saddle));
    let different = [run(&saddle, &some), run(&other, &all(&saddle))];
    assert!(different.iter().all(|bits| *bits != first));
    assert_eq!(run(&saddle, &all(&saddle)), first);
    let mut again = Ldlt::analyse(&saddle);
    again.factor(&all(&saddle)).expect("quasi-definite");
    let pivots: Vec<u64> = again.pivots().map(f64::to_bits).collect();
    assert_eq!(pivots, first[20 * 9..]);
}

#[test]
fn factoring_and_solving_allocate_nothing() {
    let saddle = chain(30, 1.6e-5);
    let (mut ldlt, mut x, right) = (Ldlt::analyse(&saddle), vec![0.0; 30 * 9], right(&saddle));
    let active = all(&saddle);
    let counted = allocation_counter::measure(|| {
        ldlt.load(&saddle).expect("the same pattern");
        ldlt.factor(&active).expect("quasi-definite");
        ldlt.solve(&right, &mut x);
    });
    assert_eq!(counted.count_total, 0);
    assert!(allocation_counter::measure(|| drop(Ldlt::analyse(&saddle))).count_total > 0, "nothing is counted");
}

#[test]
fn refinement_makes_good_what_a_bad_order_spoils() {
    let saddle = heavy_chain(false, 1e-8);
    let mut ldlt = Ldlt::with_order(&saddle, constraints_first(&saddle)).expect("an order");
    ldlt.factor(&all(&saddle)).expect("quasi-definite");
    let (order, right) = (ldlt.order().to_vec(), right(&saddle));
    // Without refinement: L, D and Lᵀ, one after the other.
    let (l, d) = (ldlt.lower(), ldlt.pivots().collect::<Vec<_>>());
    let mut plain: Vec<f64> = order.iter().map(|&row| right[row]).collect();
    for i in 0..plain.len() {
        plain[i] -= l.row(i).filter(|(j, _)| *j < i).map(|(j, value)| value * plain[j]).sum::<f64>();
    }
    (0..plain.len()).for_each(|i| plain[i] /= d[i]);
    for i in (0..plain.len()).rev() {
        let above: Vec<(usize, f64)> = l.row(i).filter(|(j, _)| *j < i).collect();
        above.into_iter().for_each(|(j, value)| plain[j] -= value * plain[i]);
    }
    let mut unrefined = vec![0.0; plain.len()];
    order.iter().zip(&plain).for_each(|(&row, &value)| unrefined[row] = value);
    let before = componentwise_error(&saddle, &right, &unrefined);
    assert!(before > 1e-12, "there is nothing to refine: {before:e}");

    let mut x = vec![0.0; right.len()];
    let accuracy = ldlt.solve(&right, &mut x);
    let after = componentwise_error(&saddle, &right, &x);
    assert!(accuracy.refinements > 0 && accuracy.backward_error <= 1e-15, "{accuracy:?}");
    assert!(after <= 1e-15, "the answer has {after:e} where {:e} was said", accuracy.backward_error);
}

#[test]
fn refinement_goes_on_while_rows_are_all_round_off() {
    // The coordinates that gravity does not move have nothing but round-off at first, and the error of their rows is 1.
    for t in [1.6e-5, 1e-8] {
        let saddle = chain(1000, t);
        let mut ldlt = Ldlt::with_order(&saddle, constraints_first(&saddle)).expect("an order");
        ldlt.factor(&all(&saddle)).expect("quasi-definite");
        let mut x = vec![0.0; 9000];
        let accuracy = ldlt.solve(&right(&saddle), &mut x);
        assert!(accuracy.backward_error < 1e-9, "T = {t}: {accuracy:?}");
    }
}

#[test]
fn problems_of_size_none_and_one_are_solved() {
    let build = |masses: &[f64], rows: &[f64]| {
        let blocks: Vec<Dense> = masses.iter().map(|m| Dense::from_rows(&[vec![*m]]).expect("a matrix")).collect();
        let triplets: Vec<_> = rows.iter().enumerate().map(|(row, value)| (row, 0, *value)).collect();
        let jacobian = Sparse::from_triplets(rows.len(), masses.len(), &triplets).expect("entries inside");
        let mass = Blocks::from_blocks(&blocks).expect("square blocks");
        let (p, q) = (vec![0.0; masses.len()], vec![0.0; rows.len()]);
        Saddle::new(mass, jacobian, vec![1.0; rows.len()], p, q).expect("a problem")
    };
    let solve = |saddle: &Saddle, right: &[f64]| {
        let (mut ldlt, mut x) = (Ldlt::analyse(saddle), vec![0.0; right.len()]);
        ldlt.factor(&all(saddle)).expect("quasi-definite");
        assert!(ldlt.solve(right, &mut x).backward_error <= f64::EPSILON);
        x
    };
    assert_eq!(solve(&build(&[], &[]), &[]), [0.0; 0]);
    assert_eq!(solve(&build(&[2.0], &[]), &[3.0]), [1.5]);
    // 2 v + 3 y = 5, 3 v − y = 2.
    assert_eq!(solve(&build(&[2.0], &[3.0]), &[5.0, 2.0]), [1.0, 1.0]);
}

#[test]
fn other_patterns_and_wrong_orders_are_refused() {
    let mut ldlt = Ldlt::analyse(&heavy_chain(false, 1e-5));
    assert!(ldlt.load(&heavy_chain(true, 1e-5)).is_err());
    let (mut mirrored, saddle) = (heavy_chain(false, 1e-5), heavy_chain(false, 1e-3));
    let rows: Vec<_> = (0..BODIES)
        .flat_map(|row| saddle.jacobian.row(row).map(move |(column, value)| (BODIES - 1 - row, column, value)))
        .collect();
    mirrored.jacobian = Sparse::from_triplets(BODIES, COORDINATES, &rows).expect("entries inside");
    let refused = ldlt.load(&mirrored).expect_err("another pattern").to_string();
    assert!(refused.contains("row 0"), "{refused}");
    ldlt.load(&saddle).expect("the same pattern");

    let mut order = bodies_first(&saddle);
    order[3] = 4;
    assert!(Ldlt::with_order(&saddle, order).is_err());
    assert!(Ldlt::with_order(&saddle, (0..COORDINATES).collect()).is_err());
}
