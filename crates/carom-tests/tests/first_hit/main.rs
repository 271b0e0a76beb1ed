//! The first impact of a step of `vci` and `cva` against brute force: random bodies, gaps of every kind, legs of every kind.
//!
//! `cargo test -p carom-tests --test first_hit -- --nocapture` prints the counts; with `CAROM_FULL=1` there are ten times as many trials.

mod altered;
mod cases;
mod checks;
mod dice;
mod draw;
mod kinds;
mod legs;
mod oracle;
mod table;
mod trial;

use kinds::Kind;
use legs::Leg;
use table::Table;
use trial::Trial;

/// Trials per kind of gap and leg.
fn trials() -> u64 {
    let full = std::env::var("CAROM_FULL").is_ok_and(|value| value == "1");
    if full { 1200 } else { 120 }
}

#[test]
fn no_impact_is_missed() {
    // One cell alone, with all of its faults: `CAROM_CELL="wall × Parabola"`.
    let only = std::env::var("CAROM_CELL").ok();
    let mut table = Table::default();
    table.every = only.is_some();
    for kind in Kind::ALL {
        for leg in Leg::ALL.into_iter().filter(|leg| leg.suits(kind)) {
            if only.as_ref().is_some_and(|only| *only != table::name(kind, leg)) {
                continue;
            }
            for number in 0..trials() {
                table.count((kind, leg), number, Trial::draw(kind, leg, number));
            }
        }
    }
    table.print();
    table.settle();
}
