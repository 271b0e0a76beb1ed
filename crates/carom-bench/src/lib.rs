//! How benchmarks measure: candidates take turns, the best round of each counts, figures are ratios to the first.

pub mod beads;
pub mod soak;
pub mod systems;

use std::hint::black_box;
use std::time::Instant;

/// A named piece of work.
pub type Candidate<'a> = (&'a str, &'a dyn Fn() -> f64);

/// Rounds per candidate.
const ROUNDS: usize = 15;

/// Prints nanoseconds per unit of every candidate and the ratio to the first; each call of a candidate does `units`.
pub fn compare(title: &str, units: usize, candidates: &[Candidate]) {
    let mut best = vec![f64::INFINITY; candidates.len()];
    for _ in 0..ROUNDS {
        for (best, (_, work)) in best.iter_mut().zip(candidates) {
            let begin = Instant::now();
            black_box(work());
            *best = best.min(begin.elapsed().as_secs_f64() * 1e9 / units as f64);
        }
    }
    println!("{title}");
    for ((name, _), nanoseconds) in candidates.iter().zip(&best) {
        println!("  {name:<36} {nanoseconds:>9.1} ns {:>7.2} x", nanoseconds / best[0]);
    }
    println!();
}
