//! Sparse LDLᵀ of K = [[M, Gᵀ], [G, −T]]: a chain of rods and a wall of bricks, beside the QDLDL of clarabel in its own order and in
//! ours, and beside faer's supernodal factors. `cargo bench -p carom-bench --bench ldlt`; figures are the best of interleaved rounds.

mod supernodal;

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use carom_bench::compare;
use carom_lcp::corpus::{Brick, Snapshot, chain, wall};
use carom_lcp::{Ldlt, Saddle};
use clarabel::algebra::CscMatrix;
use clarabel::qdldl::{QDLDLFactorisation, QDLDLSettings, QDLDLSettingsBuilder};
use supernodal::Supernodal;

/// T of the chain: the compliance 1e-8 m/N damped within two steps of 1/60 s.
const T: f64 = 1.6e-5;

/// The upper half of K.
fn upper(saddle: &Saddle) -> Vec<(usize, usize, f64)> {
    let n = saddle.p.len();
    let mut entries = Vec::new();
    for b in 0..saddle.mass.count() {
        let range = saddle.mass.range(b);
        for i in range.clone() {
            for j in i..range.end {
                entries.push((i, j, saddle.mass.block(b)[(i - range.start) * range.len() + j - range.start]));
            }
        }
    }
    for row in 0..saddle.q.len() {
        entries.extend(saddle.jacobian.row(row).map(|(column, value)| (column, n + row, value)));
        entries.push((n + row, n + row, -saddle.t[row]));
    }
    entries
}

fn settings(order: Option<&[usize]>, logical: bool) -> Option<QDLDLSettings<f64>> {
    let mut builder = QDLDLSettingsBuilder::default();
    builder.logical(logical).regularize_enable(false);
    if let Some(order) = order {
        builder.perm(order.to_vec());
    }
    Some(builder.build().expect("settings"))
}

fn against(title: &str, saddle: &Saddle) {
    let (n, m) = (saddle.p.len(), saddle.q.len());
    let active = vec![true; m];
    let right: Vec<f64> = saddle.p.iter().chain(&saddle.q).map(|value| -value).collect();
    let entries = upper(saddle);
    let column = |of: fn(&(usize, usize, f64)) -> usize| entries.iter().map(of).collect::<Vec<_>>();
    let values: Vec<f64> = entries.iter().map(|entry| entry.2).collect();
    let matrix = CscMatrix::new_from_triplets(n + m, n + m, column(|e| e.0), column(|e| e.1), values);

    let mut ours = Ldlt::analyse(saddle);
    ours.factor(&active).expect("quasi-definite");
    let order = ours.order().to_vec();
    let theirs = QDLDLFactorisation::new(&matrix, settings(None, false)).expect("quasi-definite");
    let same = QDLDLFactorisation::new(&matrix, settings(Some(&order), false)).expect("quasi-definite");
    let mut x = vec![0.0; n + m];
    let accuracy = ours.solve(&right, &mut x);
    println!("{title}: {n} coordinates, {m} rows");
    println!("  entries of L: {} here, {} in the order of QDLDL", ours.entries(), theirs.nnzL() + n + m);
    println!("  backward error {:.1e} after {} refinements\n", accuracy.backward_error, accuracy.refinements);

    let supernodal = RefCell::new(Supernodal::new(&entries, &order));
    let (ours, theirs, same, x) = (RefCell::new(ours), RefCell::new(theirs), RefCell::new(same), RefCell::new(x));
    let logical = |order: Option<&[usize]>| {
        let factors = QDLDLFactorisation::new(black_box(&matrix), settings(order, true)).expect("a pattern");
        factors.nnzL() as f64
    };
    compare(
        &format!("{title}, analysis"),
        1,
        &[
            ("carom", &|| Ldlt::analyse(black_box(saddle)).entries() as f64),
            ("QDLDL", &|| logical(None)),
            ("QDLDL, order of carom given", &|| logical(Some(&order))),
        ],
    );
    let refactor = |factors: &RefCell<QDLDLFactorisation>| {
        factors.borrow_mut().refactor().expect("quasi-definite");
        factors.borrow().D[0]
    };
    compare(
        &format!("{title}, factors"),
        1,
        &[
            ("carom, inertia checked", &|| {
                ours.borrow_mut().factor(black_box(&active)).expect("quasi-definite");
                ours.borrow().pivots().next().unwrap_or(0.0)
            }),
            ("QDLDL", &|| refactor(&theirs)),
            ("QDLDL, order of carom", &|| refactor(&same)),
            ("faer supernodal, order of carom", &|| supernodal.borrow_mut().factor()),
        ],
    );
    let solve = |factors: &RefCell<QDLDLFactorisation>| {
        let mut x = x.borrow_mut();
        x.copy_from_slice(&right);
        factors.borrow_mut().solve(&mut x);
        x[0]
    };
    compare(
        &format!("{title}, one right-hand side"),
        1,
        &[
            ("carom, refined and judged", &|| ours.borrow_mut().solve(&right, &mut x.borrow_mut()).backward_error),
            ("QDLDL, not refined", &|| solve(&theirs)),
            ("QDLDL, order of carom, not refined", &|| solve(&same)),
        ],
    );
}

/// Nanoseconds for each body of chains of growing length, best of rounds that take turns. A solve is passes of factors and residual:
/// one, and one for each refinement.
fn growth() {
    let lengths = [100, 1000, 10_000];
    let mut chains: Vec<_> = lengths
        .iter()
        .map(|&bodies| {
            let saddle = chain(bodies, T);
            (Ldlt::analyse(&saddle), vec![true; saddle.q.len()], vec![1.0; 9 * bodies], vec![0.0; 9 * bodies])
        })
        .collect();
    let mut best = [[f64::INFINITY; 2]; 3];
    for _ in 0..15 {
        for ((ldlt, active, right, x), best) in chains.iter_mut().zip(&mut best) {
            let bodies = x.len() / 9;
            let repeat = 10_000 / bodies;
            let per_body = 1e9 / (repeat * bodies) as f64;
            let begin = Instant::now();
            (0..repeat).for_each(|_| ldlt.factor(black_box(active)).expect("quasi-definite"));
            let middle = Instant::now();
            let passes: usize = (0..repeat).map(|_| 1 + ldlt.solve(black_box(right), x).refinements).sum();
            best[0] = best[0].min((middle - begin).as_secs_f64() * per_body);
            best[1] = best[1].min(middle.elapsed().as_secs_f64() * per_body * repeat as f64 / passes as f64);
        }
    }
    println!("chain, for each body");
    for (bodies, [factor, solve]) in lengths.iter().zip(best) {
        let (ratio, other) = (factor / best[0][0], solve / best[0][1]);
        println!(
            "  {bodies:>6} bodies  factors {factor:>7.1} ns {ratio:>5.2} x   a pass of a solve {solve:>7.1} ns {other:>5.2} x"
        );
    }
}

fn main() {
    against("chain of 1000 rods", &chain(1000, T));
    against("wall of 10 x 10 bricks", &wall(10, 10, Brick::Cube, Snapshot::Collapse).saddle);
    growth();
}
