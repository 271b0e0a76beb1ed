//! Sparse factors beside full ones.

use carom::linear;
use carom_lcp::lu::{Lu, Plan};
use carom_lcp::matrix::Sparse;

/// Numbers from −1 to 1 that look random.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// `[[K, Aᵀ], [B, 0]]`: `n` coordinates with `per_row` couplings each, `m` rows of 3 entries; B differs from A by `apart`.
fn saddle(n: usize, m: usize, per_row: usize, apart: f64, seed: u64) -> Sparse {
    let mut next = numbers(seed);
    let pick = |next: &mut dyn FnMut() -> f64, below: usize| ((0.5 * next() + 0.5) * below as f64) as usize % below;
    let mut triplets = Vec::new();
    for i in 0..n {
        triplets.push((i, i, 2.0 + per_row as f64));
        for _ in 0..per_row {
            let (j, value) = (pick(&mut next, n), 0.9 * next());
            if i != j {
                triplets.extend([(i, j, value), (j, i, value)]);
            }
        }
    }
    for row in 0..m {
        // Its own coordinate, and two others.
        for k in 0..3 {
            let column = if k == 0 { row * n / m.max(1) } else { pick(&mut next, n) };
            let value = next() + if k == 0 { 3.0 } else { 0.0 };
            triplets.extend([(column, n + row, value), (n + row, column, value * (1.0 + apart * next()))]);
        }
    }
    Sparse::from_triplets(n + m, n + m, &triplets).expect("inside")
}

#[test]
fn factors_solve_as_full_ones_do() {
    for (case, (n, m, per_row)) in
        [(1, 0, 0), (30, 0, 2), (30, 12, 0), (40, 15, 2), (60, 1, 5)].into_iter().enumerate()
    {
        for apart in [0.0, 0.1] {
            let matrix = saddle(n, m, per_row, apart, 7 + case as u64);
            let size = n + m;
            let plan = Plan::new(&matrix, n);
            assert!(plan.entries() <= size * size && plan.entries() >= size);
            let (mut sparse, mut full) = (Lu::new(&plan), linear::Lu::new(size));
            for row in 0..size {
                matrix.row(row).for_each(|(column, value)| full.matrix[row * size + column] = value);
            }
            full.factor().expect("regular");
            let mut next = numbers(99);
            // Twice, so that what a factorisation and a solution leave behind is seen.
            for _ in 0..2 {
                let right: Vec<f64> = (0..size).map(|_| next()).collect();
                let (mut x, mut y) = (right.clone(), right);
                sparse.factor(&matrix).expect("no pivot vanishes");
                sparse.solve(&mut x);
                full.solve(&mut y);
                let worst = x.iter().zip(&y).fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs()));
                assert!(worst < 1e-12, "case {case}, apart {apart}: {worst:e}");
            }
        }
    }
}

#[test]
fn rows_that_depend_on_each_other_have_no_pivot_and_leave_no_trace() {
    let (n, good) = (20, saddle(20, 6, 1, 0.0, 3));
    let mut triplets: Vec<(usize, usize, f64)> =
        (0..26).flat_map(|row| good.row(row).map(move |(column, value)| (row, column, value))).collect();
    // Row 24 becomes twice row 23.
    triplets.retain(|&(row, column, _)| row != n + 4 && column != n + 4);
    for (column, value) in good.row(n + 3) {
        triplets.extend([(n + 4, column, 2.0 * value), (column, n + 4, 2.0 * value)]);
    }
    let bad = Sparse::from_triplets(26, 26, &triplets).expect("inside");
    let mut lu = Lu::new(&Plan::new(&bad, n));
    let found = lu.factor(&bad).expect_err("two rows are one");
    assert!(found.row == n + 3 || found.row == n + 4, "{found:?}");
    assert!(found.pivot.abs() < 1e-15, "{found:?}");
    // The same pattern with other numbers in the row and its column.
    triplets.iter_mut().filter(|entry| entry.0 == n + 4 || entry.1 == n + 4).for_each(|(row, column, value)| {
        *value += ((*row + *column) as f64).sin();
    });
    let regular = Sparse::from_triplets(26, 26, &triplets).expect("inside");
    lu.factor(&regular).expect("regular");
    let expected: Vec<f64> = (0..26).map(|k| (k as f64).cos()).collect();
    let mut x = vec![0.0; 26];
    regular.times(&expected, &mut x);
    lu.solve(&mut x);
    let worst = x.iter().zip(&expected).fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs()));
    assert!(worst < 1e-11, "{worst:e}");
}

#[test]
fn a_line_has_no_fill_and_a_chain_of_rows_little() {
    let line = |n: usize| {
        let mut triplets: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
        (1..n).for_each(|i| triplets.extend([(i, i - 1, -1.0), (i - 1, i, -1.0)]));
        Plan::new(&Sparse::from_triplets(n, n, &triplets).expect("inside"), n)
    };
    assert_eq!(line(1000).entries(), 1000 + 2 * 999);
    let chain = |links: usize| {
        let mut triplets: Vec<_> = (0..2 * links).map(|i| (i, i, 1.0)).collect();
        for row in 0..links {
            let first = if row == 0 { 0 } else { 2 * row - 2 };
            for column in first..2 * row + 2 {
                triplets.extend([(2 * links + row, column, 1.0), (column, 2 * links + row, 1.0)]);
            }
        }
        Plan::new(&Sparse::from_triplets(3 * links, 3 * links, &triplets).expect("inside"), 2 * links)
    };
    let [short, long] = [100, 1000].map(|links| (chain(links).entries() as f64, chain(links).operations()));
    assert!((long.0 / short.0 - 10.0).abs() < 0.5, "{short:?} {long:?}");
    assert!((long.1 / short.1 - 10.0).abs() < 0.5, "{short:?} {long:?}");
}
